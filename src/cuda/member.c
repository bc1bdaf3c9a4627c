// SPDX-License-Identifier: Apache-2.0
/* member: what a class has: fields, functions, types and constants by name; constructors, operators
 * and conversions. */
#include "cuda/front.h"

/* ---- by name ---- */

static const CuName *as_name(CuLower *l, CuName name) {
    CuName *copy = arena_new_of(l->arena, CuName);
    *copy = name;
    return copy;
}

bool cu_derives(const CuRecord *record, const CuRecord *base) {
    for (; record; record = record->base)
        if (record == base) return true;
    return false;
}

/* dim3, int4 ..: each time that one is named, it is a record of its own. */
static bool is_vector(const CuType *type) {
    return type->kind == CU_STRUCT && !type->record->decl && cu_is_vector(type->record->name);
}

static bool is_dim(const CuType *type) {
    return is_vector(type) && str_is(type->record->name, "dim3");
}

static bool becomes_dim(const CuVal *val, const CuType *to) {
    bool is_index = is_vector(val->type) && str_is(val->type->record->name, "uint3");
    return is_dim(to) && (cu_is_integer(val->type) || is_index);
}

static CuType *type_of(CuLower *l, const CuRecord *record) {
    CuType *type = arena_new_of(l->arena, CuType);
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    return type;
}

/* The base is at the start of what derives from it. */
CuVal cu_base_of(CuLower *l, CuVal self, const CuRecord *base) {
    const CuType *type =
        cu_qualified(l->arena, type_of(l, base), self.type->is_const, self.type->is_volatile);
    self.type = type;
    self.value = cu_offset(l, self.value, 0, type);
    return self;
}

static CuVal place_of(CuLower *l, const CuVal *self, const CuField *field) {
    const CuType *type =
        cu_qualified(l->arena, field->type, self->type->is_const, self->type->is_volatile);
    if (!field->is_reference)
        return (CuVal){.type = type,
                       .value = cu_offset(l, self->value, field->offset, type),
                       .is_place = true,
                       .place = self->place};
    const CuType *pointer = cu_pointer(l->arena, field->type);
    Value *at = cu_offset(l, self->value, field->offset, pointer);
    return (CuVal){.type = field->type,
                   .value = cu_load_from(l, at, pointer),
                   .is_place = true,
                   .place = self->place};
}

static const CuName *field_named(CuLower *l, const CuRecord *record, const CuVal *self, Str name) {
    for (int i = 0; record->is_complete && i < record->num_fields; i++) {
        const CuField *field = &record->fields[i];
        bool is_base = record->base && i == 0 && field->type->record == record->base;
        bool inside = !field->name.length && !is_base;
        if (!inside && (!field->name.length || !str_equal(field->name, name))) continue;
        if (!self) {
            if (inside && !field_named(l, field->type->record, NULL, name)) continue;
            return as_name(l, (CuName){.name = name, .val.type = field->type});
        }
        CuVal val = place_of(l, self, field);
        if (!inside) return as_name(l, (CuName){.name = name, .val = val});
        const CuName *found = field_named(l, field->type->record, &val, name);
        if (found) return found;
    }
    return NULL;
}

/* A constant that was made in another region, in this one. */
static const CuName *here(CuLower *l, const CuName *found) {
    const Op *constant = found->val.value ? found->val.value->def : NULL;
    if (!constant || constant->kind != OP_CONSTANT) return found;
    CuName name = *found;
    name.val.value = build_constant_bits(&l->b, op_result(constant)->type, constant_bits(constant));
    return as_name(l, name);
}

static const CuName *declared_member(CuLower *l, const CuRecord *record, const CuVal *self,
                                     const CuDecl *decl) {
    CuName name;
    CuScope scope = {.outer = record->outside, .record = record};
    if (decl->kind == CU_DECL_FUNCTION)
        return as_name(l, (CuName){.name = decl->name,
                                   .kind = NAME_FUNCTION,
                                   .decl = decl,
                                   .record = record,
                                   .self = self});
    if (decl->templates) {
        while (decl->special && decl->overload) decl = decl->overload;
        return cu_templated(l, decl, record, l->at->place);
    }
    if (decl->kind == CU_DECL_TYPE && decl->members)
        return as_name(
            l, (CuName){.name = decl->name,
                        .kind = NAME_TYPE,
                        .val.type = cu_instance(l, decl, (CuArgs){0}, record, decl->at->place)});
    /* Each once: a constant that is made of others asks for them several times, and they for more.
     * What failed is remembered for those only who ask whether it is a type. */
    Map *known = (Map *)(uintptr_t)&record->known;
    const CuName *found = record->is_pattern ? NULL : map_get_pointer(known, decl);
    if (found && (found->kind != NAME_NONE || l->asks_type))
        return found->kind != NAME_NONE ? here(l, found) : NULL;
    CuScope *kept = arena_new_of(l->arena, CuScope);
    *kept = scope;
    bool fine = cu_global(l, decl, kept, &name);
    if (!fine) name = (CuName){.name = decl->name, .kind = NAME_NONE};
    found = as_name(l, name);
    known->arena = l->arena;
    map_set_pointer(known, decl, (CuName *)(uintptr_t)found);
    return fine ? found : NULL;
}

const CuName *cu_member(CuLower *l, const CuRecord *record, const CuVal *self, Str name) {
    if (record->decl && str_equal(record->decl->name, name))
        return as_name(l,
                       (CuName){.name = name, .kind = NAME_TYPE, .val.type = type_of(l, record)});
    const CuName *field = field_named(l, record, self, name);
    if (field) {
        if (field->val.value) return field;
        cu_bad(l, l->at->place, "member '%.*s' of no object", STR_ARG(name));
        return NULL;
    }
    const CuDecls *members = record->decl ? record->decl->members : NULL;
    const CuDecl *decl = members ? map_get(&members->names, name) : NULL;
    if (decl && !(decl->kind == CU_DECL_VARIABLE && !decl->is_static))
        return declared_member(l, record, self, decl);
    if (!record->base) return NULL;
    CuVal *base = arena_new_of(l->arena, CuVal);
    if (self) *base = cu_base_of(l, *self, record->base);
    return cu_member(l, record->base, self ? base : NULL, name);
}

/* ---- constructors ---- */

static const CuDecl *constructors(const CuRecord *record) {
    const CuDecls *members = record->decl ? record->decl->members : NULL;
    return members ? map_get(&members->names, record->decl->name) : NULL;
}

/* One that is written: not `= default`. */
bool cu_has_constructor(CuLower *l, const CuRecord *record) {
    (void)l;
    for (const CuDecl *d = constructors(record); d; d = d->overload)
        if (d->record.length && !d->is_default && !d->is_deleted) return true;
    return false;
}

static CuCallee constructor_of(const CuType *type, const CuVal *self, CuPlace place) {
    return (CuCallee){.name = type->record->decl->name,
                      .first = constructors(type->record),
                      .record = type->record,
                      .self = self,
                      .place = place};
}

void cu_construct(CuLower *l, Value *at, const CuType *type, int count, CuVal *args,
                  CuPlace place) {
    type = cu_plain(l->arena, cu_complete(l, type));
    if (l->panic) return;
    bool copies = count == 1 && args[0].type->kind == CU_STRUCT &&
                  (cu_derives(args[0].type->record, type->record) || cu_same(args[0].type, type) ||
                   becomes_dim(&args[0], type));
    if (is_dim(type) && !copies && count <= 3) {
        for (int i = 0; i < 3; i++) { /* what is left out is 1 */
            const CuType *of = cu_type(CU_UINT);
            CuVal one = {.type = of, .value = cu_int(l, of, 1), .place = place};
            Value *to = cu_offset(l, at, i * cu_size(of), of);
            cu_initialize_from(l, to, of, i < count ? args[i] : one, "this argument");
        }
        return;
    }
    if (!cu_has_constructor(l, type->record)) {
        if (count == 0)
            cu_initialize_empty(l, at, type);
        else if (copies && is_vector(type))
            cu_copy(l, at, args[0].value, type);
        else if (copies)
            cu_copy(l, at, cu_base_of(l, args[0], type->record).value, type);
        else if (count == 1 && cu_converts_to(l, &args[0], type))
            cu_copy(l, at, cu_convert_by_class(l, args[0], type).value, type);
        else
            cu_bad(l, place, "'%.*s' has no constructor", STR_ARG(cu_name(l->arena, type)));
        return;
    }
    CuVal *self = arena_new_of(l->arena, CuVal);
    *self = (CuVal){.type = type, .value = at, .is_place = true, .place = place};
    CuCallee callee = constructor_of(type, self, place);
    CuSignature signature;
    const CuDecl *decl = cu_resolve(l, &callee, count, args, &signature, copies || count == 0);
    if (!decl && copies && !l->panic) {
        cu_copy(l, at, cu_base_of(l, args[0], type->record).value, type);
        return;
    }
    if (!decl) {
        bool defaulted = false;
        for (const CuDecl *d = callee.first; d && count == 0; d = d->overload)
            defaulted |= d->is_default;
        if (defaulted && !l->panic)
            cu_initialize_members(l, self);
        else if (!l->panic)
            cu_bad(l, place, "'%.*s' has no constructor without arguments",
                   STR_ARG(cu_name(l->arena, type)));
        return;
    }
    cu_inlined(l, decl, &signature, self, count, args, place);
}

/* ---- operators ---- */

static bool operator_among(CuLower *l, const CuCallee *callee, int count, CuVal *args,
                           CuVal *result) {
    CuSignature signature;
    const CuDecl *decl = cu_resolve(l, callee, count, args, &signature, true);
    if (!decl) return l->panic;
    *result = cu_inlined(l, decl, &signature, callee->self, count, args, callee->place);
    return true;
}

bool cu_operator(CuLower *l, const char *op, int count, CuVal *args, CuPlace place, CuVal *result) {
    Str name = str_format(l->arena, "operator%s", op);
    *result = (CuVal){.type = cu_type(CU_INT), .place = place};
    if (l->panic) return false;
    if (args[0].type->kind == CU_STRUCT) {
        cu_complete(l, args[0].type);
        const CuName *member = cu_member(l, args[0].type->record, &args[0], name);
        CuCallee callee = {.name = name, .place = place};
        if (member && member->kind == NAME_FUNCTION) {
            callee.first = member->decl, callee.record = member->record;
            callee.self = member->self;
            if (operator_among(l, &callee, count - 1, args + 1, result)) return true;
        }
    }
    CuCallee callee = {.name = name, .place = place};
    callee.first = cu_declared(l, name, CU_DECL_FUNCTION);
    return callee.first && operator_among(l, &callee, count, args, result);
}

/* ---- conversions ---- */

static const CuDecl *conversion_of(CuLower *l, const CuVal *val, const CuType *to, CuCallee *callee,
                                   CuSignature *signature) {
    const CuName *found = cu_member(l, val->type->record, val, STR("operator type"));
    const CuDecl *best = NULL;
    int best_rank = 0;
    for (const CuDecl *d = found ? found->decl : NULL; d; d = d->overload) {
        CuSignature s;
        CuCallee one = {.name = d->name, .first = d, .record = found->record, .self = found->self};
        if (!d->body || !cu_signature(l, d, cu_member_scope(l, &one), &s) || !s.result) continue;
        CuVal given = {.type = s.result};
        int rank = s.result->kind == CU_STRUCT ? (cu_same(s.result, to) ? 0 : -1)
                                               : cu_conversion_rank(&given, to);
        if (rank < 0 || (best && rank >= best_rank)) continue;
        best = d, best_rank = rank, *callee = one, *signature = s;
    }
    return best;
}

static const CuDecl *constructor_for(CuLower *l, const CuVal *val, const CuType *to,
                                     CuSignature *signature) {
    cu_complete(l, to);
    if (l->panic || !cu_has_constructor(l, to->record)) return NULL;
    CuCallee callee = constructor_of(to, NULL, val->place);
    const CuDecl *decl = cu_resolve(l, &callee, 1, val, signature, true);
    return decl && !decl->is_explicit ? decl : NULL;
}

bool cu_converts_to(CuLower *l, const CuVal *val, const CuType *to) {
    CuCallee callee;
    CuSignature signature;
    if (l->no_classes || l->panic) return false;
    if (becomes_dim(val, to)) return true;
    l->no_classes = true;
    bool converts = false;
    if (to->kind == CU_STRUCT && !to->record->is_pattern)
        converts = constructor_for(l, val, to, &signature) != NULL;
    if (!converts && val->type->kind == CU_STRUCT && val->type->record->decl)
        converts = conversion_of(l, val, to, &callee, &signature) != NULL;
    l->no_classes = false;
    return converts && !l->panic;
}

CuVal cu_convert_by_class(CuLower *l, CuVal val, const CuType *to) {
    CuCallee callee;
    CuSignature signature;
    to = cu_plain(l->arena, to);
    const CuDecl *decl = NULL;
    bool is_made = becomes_dim(&val, to);
    l->no_classes = true;
    if (to->kind == CU_STRUCT && !is_made) decl = constructor_for(l, &val, to, &signature);
    if (decl || is_made) {
        l->no_classes = false;
        Value *at = cu_alloc(l, to, ALLOC_LOCAL, STR(""));
        cu_construct(l, at, to, 1, &val, val.place);
        return (CuVal){.type = to, .value = at, .place = val.place};
    }
    decl = conversion_of(l, &val, to, &callee, &signature);
    l->no_classes = false;
    if (!decl) return cu_bad(l, val.place, "no function converts this");
    CuVal made = cu_inlined(l, decl, &signature, callee.self, 0, NULL, val.place);
    return to->kind == CU_STRUCT ? made : cu_cast_to(l, made, to);
}
