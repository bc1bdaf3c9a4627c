// SPDX-License-Identifier: Apache-2.0
/* initialize: what variables and members begin as. */
#include "cuda/front.h"

enum { MAX_INITIALIZED = 65536 }; /* elements of an array */

void cu_zero(CuLower *l, Value *at, const CuType *type) {
    if (type->kind == CU_ARRAY) {
        for (int64_t i = 0; i < type->count && !l->panic; i++)
            cu_zero(l, cu_offset(l, at, i * cu_size(type->of), type->of), type->of);
    } else if (type->kind == CU_STRUCT) {
        for (int i = 0; i < type->record->num_fields; i++) {
            const CuField *f = &type->record->fields[i];
            const CuType *of = f->is_reference ? cu_pointer(l->arena, f->type) : f->type;
            cu_zero(l, cu_offset(l, at, f->offset, of), of);
        }
    } else {
        const Type *ir = cu_ir(l->fn->types, type);
        cu_store_to(l, at, cu_plain(l->arena, type), build_constant_bits(&l->b, ir, 0));
    }
}

/* ---- from a value ---- */

void cu_initialize_from(CuLower *l, Value *at, const CuType *type, CuVal val, const char *what) {
    const CuType *plain = cu_plain(l->arena, type);
    if (l->panic) return;
    if (type->kind == CU_ARRAY) {
        cu_bad(l, val.place, "an array is initialised by values in braces");
    } else if (type->kind != CU_STRUCT) {
        val = cu_convert(l, val, plain, what);
        if (!l->panic) cu_store_to(l, at, plain, val.value);
    } else if (val.type->kind == CU_STRUCT && cu_same(val.type, plain)) {
        bool written = val.is_place && cu_has_constructor(l, plain->record);
        if (written)
            cu_construct(l, at, plain, 1, &val, val.place);
        else
            cu_copy(l, at, val.value, plain);
    } else {
        val = cu_convert(l, val, plain, what);
        if (!l->panic) cu_copy(l, at, val.value, plain);
    }
}

/* ---- from a list ---- */

/* Each element is a store. */
static void limited(CuLower *l, const CuType *type, CuPlace place) {
    if (type->kind == CU_ARRAY && type->count > MAX_INITIALIZED)
        cu_unsupported(l, place, "an initialised array of more than %d elements", MAX_INITIALIZED);
}

static void member_from(CuLower *l, const CuField *f, Value *at) {
    if (f->is_reference) {
        CuVal to = cu_assignment(l);
        if (!l->panic && !to.is_place) cu_unsupported(l, to.place, "a reference to a temporary");
        if (!l->panic) cu_store_to(l, at, cu_pointer(l->arena, f->type), to.value);
    } else {
        cu_initialize(l, at, f->type);
    }
}

/* {1, 2, 3} of int[2][2]: braces of inner arrays may be left out. False: the list ended. */
static bool without_braces(CuLower *l, Value *at, const CuType *type) {
    if (type->kind != CU_ARRAY || cu_is(l->at, "{")) {
        cu_initialize(l, at, type);
        return cu_is(l->at, ",") && !cu_is(l->at->next, "}");
    }
    for (int64_t i = 0; i < type->count && !l->panic; i++) {
        Value *to = cu_offset(l, at, i * cu_size(type->of), type->of);
        if (!without_braces(l, to, type->of)) return false;
        if (i + 1 < type->count) cu_accept(l, ",");
    }
    return true;
}

static void from_list(CuLower *l, Value *at, const CuType *type) {
    int64_t index = 0, count = type->kind == CU_ARRAY    ? type->count
                               : type->kind == CU_STRUCT ? type->record->num_fields
                                                         : 1;
    CuPlace place = l->at->place;
    if (!cu_enter(l)) return;
    cu_expect(l, "{", "before initial values");
    limited(l, type, place);
    if (type->kind == CU_ARRAY || type->kind == CU_STRUCT) cu_zero(l, at, type);
    while (!l->panic && !cu_is(l->at, "}")) {
        if (index == count) {
            cu_bad(l, l->at->place, "more initial values than '%.*s' has",
                   STR_ARG(cu_name(l->arena, type)));
            break;
        }
        if (cu_is(l->at, ".") && type->kind == CU_STRUCT) { /* {.x = 1} */
            cu_unsupported(l, l->at->place, "initial values with names");
            break;
        }
        const CuField *f = type->kind == CU_STRUCT ? &type->record->fields[index] : NULL;
        const CuType *of = type->kind == CU_ARRAY ? type->of : f ? f->type : type;
        int64_t offset = f ? f->offset : index * cu_size(of);
        if (f && f->is_reference) of = cu_pointer(l->arena, of);
        Value *to = cu_offset(l, at, offset, of);
        if (f)
            member_from(l, f, to);
        else
            without_braces(l, to, of);
        index++;
        if (!cu_accept(l, ",")) break;
    }
    if (index == 0 && type->kind != CU_ARRAY && type->kind != CU_STRUCT) cu_zero(l, at, type);
    for (; type->kind == CU_STRUCT && index < count && !l->panic; index++)
        cu_initialize_field(l, at, &type->record->fields[index]);
    cu_expect(l, "}", "after initial values");
    l->nested--;
}

/* char x[8] = "text"; */
static void from_string(CuLower *l, Value *at, const CuType *type) {
    CuPlace place = l->at->place;
    Buf text = {.arena = l->arena};
    if (!cu_strings(l, "a string", &text)) return;
    if ((int64_t)text.length > type->count) cu_bad(l, place, "a string longer than its array");
    limited(l, type, place);
    for (int64_t i = 0; i < type->count && !l->panic; i++)
        cu_store_to(l, cu_offset(l, at, i, type->of), cu_plain(l->arena, type->of),
                    cu_int(l, type->of, i < (int64_t)text.length ? text.data[i] : 0));
}

void cu_initialize(CuLower *l, Value *at, const CuType *type) {
    cu_complete(l, type);
    if (l->panic) return;
    if (l->at->kind == CU_STRING && type->kind == CU_ARRAY && cu_size(type->of) == 1) {
        from_string(l, at, type);
        return;
    }
    if (!cu_is(l->at, "{")) {
        cu_initialize_from(l, at, type, cu_assignment(l), "this initial value");
        return;
    }
    CuPlace place = l->at->place;
    if (type->kind != CU_STRUCT || !cu_has_constructor(l, type->record)) {
        bool copies = false;
        if (type->kind == CU_STRUCT && !cu_is(l->at->next, "}")) { /* T x{y}: y may be a T */
            CuToken *start = l->at;
            Diag *diag = l->diag, quiet = {.arena = l->arena, .muted = true};
            Builder outer;
            l->at = start->next;
            l->diag = &quiet;
            cu_begin(l, &outer);
            CuVal first =
                cu_is(l->at, "{") || cu_is(l->at, ".") ? cu_poison(l, place) : cu_assignment(l);
            copies = !l->panic && first.type->kind == CU_STRUCT && cu_same(first.type, type) &&
                     cu_is(l->at, "}");
            cu_end(l, &outer, NULL);
            l->panic = false;
            l->diag = diag;
            l->at = start;
        }
        if (!copies) {
            from_list(l, at, type);
            return;
        }
    }
    CuVal *args;
    int count;
    l->at = l->at->next;
    if (cu_arguments(l, "}", &count, &args)) cu_construct(l, at, type, count, args, place);
}

/* ---- with nothing written ---- */

bool cu_begins_empty(CuLower *l, const CuType *type) {
    while (type->kind == CU_ARRAY) type = type->of;
    if (type->kind != CU_STRUCT) return true;
    cu_complete(l, type);
    if (l->panic || cu_has_constructor(l, type->record)) return false;
    for (int i = 0; i < type->record->num_fields; i++) {
        const CuField *f = &type->record->fields[i];
        if (f->value || (!f->is_reference && !cu_begins_empty(l, f->type))) return false;
    }
    return true;
}

void cu_initialize_field(CuLower *l, Value *at, const CuField *f) {
    const CuType *of = f->is_reference ? cu_pointer(l->arena, f->type) : f->type;
    Value *to = cu_offset(l, at, f->offset, of);
    if (!f->value) {
        if (!f->is_reference) cu_initialize_empty(l, to, f->type);
        return;
    }
    CuToken *start = l->at;
    l->at = f->value;
    cu_accept(l, "=");
    member_from(l, f, to);
    l->at = start;
}

void cu_initialize_empty(CuLower *l, Value *at, const CuType *type) {
    if (cu_begins_empty(l, type) || l->panic) return;
    if (type->kind == CU_ARRAY) {
        if (type->count > MAX_INITIALIZED)
            cu_unsupported(l, l->at->place, "an array of more than %d objects", MAX_INITIALIZED);
        for (int64_t i = 0; i < type->count && !l->panic; i++)
            cu_initialize_empty(l, cu_offset(l, at, i * cu_size(type->of), type->of), type->of);
    } else if (cu_has_constructor(l, type->record)) {
        cu_construct(l, at, type, 0, NULL, l->at->place);
    } else {
        CuVal self = {.type = type, .value = at, .is_place = true, .place = l->at->place};
        cu_initialize_members(l, &self);
    }
}

void cu_initialize_members(CuLower *l, const CuVal *self) {
    const CuRecord *record = self->type->record;
    CuScope inside = {.outer = record->outside, .record = record, .self = self};
    const CuScope *scope = l->scope;
    if (record->decl) l->scope = &inside;
    for (int i = 0; i < record->num_fields && !l->panic; i++)
        cu_initialize_field(l, self->value, &record->fields[i]);
    l->scope = scope;
}

/* ---- T x[] = {1, 2, 3}: as many as there are values ---- */

const CuType *cu_counted(CuLower *l, const CuType *type) {
    if (type->kind != CU_ARRAY || type->count >= 0) return type;
    CuToken *start = l->at, *t = cu_is(l->at, "=") ? l->at->next : l->at;
    if (t->kind == CU_STRING && cu_size(type->of) == 1) {
        Buf text = {.arena = l->arena};
        l->at = t;
        bool fine = cu_strings(l, "a string", &text);
        l->at = start;
        return fine ? cu_array(l->arena, type->of, (int64_t)text.length + 1) : type;
    }
    if (!cu_is(t, "{")) {
        cu_bad(l, l->at->place, "an array without a size and without initial values");
        return cu_array(l->arena, type->of, 1);
    }
    int64_t count = 0;
    for (t = t->next; !cu_is(t, "}") && t->kind != CU_END; count++) {
        while (!cu_is(t, ",") && !cu_is(t, "}") && t->kind != CU_END)
            t = cu_is(t, "{") || cu_is(t, "(") || cu_is(t, "[") ? cu_skip((CuToken *)(uintptr_t)t)
                                                                : t->next;
        if (cu_is(t, ",")) t = t->next;
    }
    return cu_array(l->arena, type->of, count ? count : 1);
}
