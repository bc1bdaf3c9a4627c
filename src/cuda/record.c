// SPDX-License-Identifier: Apache-2.0
/* record: structs, classes and unions: which fields they have, and where. A class of a file is
 * looked at when its fields are asked for; a template, once for each list of arguments. */
#include "cuda/front.h"

enum { MAX_INSTANCES = 10000 };

/* ---- fields ---- */

typedef struct Layout {
    CuRecord *record;
    VEC(CuField) fields;
    int64_t align; /* at least; 0: none is written */
    bool is_union;
} Layout;

static void add_field(CuLower *l, Layout *layout, CuField field, CuPlace place) {
    CuRecord *record = layout->record;
    const CuType *type = field.is_reference ? cu_pointer(l->arena, field.type) : field.type;
    if (!field.is_reference) cu_complete(l, type);
    int64_t align = cu_align(type), size = cu_size(type);
    int64_t at = layout->is_union ? 0 : (record->size + align - 1) & -align;
    if (size >= INT32_MAX - at) cu_bad(l, place, "a struct of 2 GB or more");
    if (l->panic) return;
    field.offset = at;
    vec_push(l->arena, &layout->fields, field);
    if (at + size > record->size) record->size = at + size;
    if (align > record->align) record->align = align;
}

static void finish(Layout *layout) {
    CuRecord *record = layout->record;
    if (layout->align > record->align) record->align = layout->align;
    record->fields = layout->fields.data;
    record->num_fields = layout->fields.count;
    if (!record->size && record->num_fields == 0) record->size = 1;
    record->size = (record->size + record->align - 1) & -record->align;
    record->is_complete = true;
}

static CuToken *initial_value(CuLower *l) {
    CuToken *value = cu_is(l->at, "=") || cu_is(l->at, "{") ? l->at : NULL;
    while (value && !cu_is(l->at, ",") && !cu_is(l->at, ";") && l->at->kind != CU_END)
        l->at = cu_is(l->at, "(") || cu_is(l->at, "{") ? cu_skip(l->at) : l->at->next;
    return value;
}

/* One declaration: float x, *y = nullptr; or a struct without a name. */
static void add_fields(CuLower *l, Layout *layout) {
    CuSpecifiers s;
    CuDeclarator d;
    CuPlace start = l->at->place;
    if (!cu_specifiers(l, &s)) return;
    if (cu_is(l->at, ";") && s.type && s.type->kind == CU_STRUCT) {
        add_field(l, layout, (CuField){.name = STR(""), .type = s.type}, start);
        cu_accept(l, ";");
        return;
    }
    do {
        if (!s.type) {
            cu_bad(l, start, "'auto' where a type must be written");
            return;
        }
        if (!cu_declarator(l, s.type, &d)) return;
        CuPlace place = d.name ? d.name->place : l->at->place;
        if (cu_is(l->at, ":") || cu_is(l->at, "(") || !d.name) {
            cu_unsupported(l, place, "a struct with %s in a kernel",
                           cu_is(l->at, ":") ? "bit fields" : "such members");
            return;
        }
        CuField field = {.name = d.name->text, .type = d.type, .is_reference = d.is_reference};
        field.value = initial_value(l);
        add_field(l, layout, field, place);
    } while (cu_accept(l, ","));
    cu_expect(l, ";", "after a member");
}

int64_t cu_written_align(CuLower *l, CuToken *from, const CuToken *to) {
    int64_t align = 0;
    for (CuToken *t = from; t != to && t->kind != CU_END; t = t->next) {
        bool aligns = cu_is(t, "__align__") || cu_is(t, "alignas") || cu_is(t, "aligned");
        if (!aligns || !cu_is(t->next, "(")) continue;
        l->at = t->next->next;
        if (!cu_starts_type(l)) cu_constant(l, "an alignment", &align);
    }
    if (align < 0 || align > 128 || (align & (align - 1)))
        cu_bad(l, from->place, "an alignment of %lld bytes", (long long)align);
    return align;
}

/* { members } that are in a function, or in a struct without a name: only fields. */
const CuType *cu_record_here(CuLower *l, Str name, bool is_union, int64_t align) {
    CuRecord *record = arena_new_of(l->arena, CuRecord);
    CuType *type = arena_new_of(l->arena, CuType);
    Layout layout = {.record = record, .is_union = is_union};
    *record = (CuRecord){.name = name, .align = align > 1 ? align : 1};
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    if (!cu_enter(l) || !cu_expect(l, "{", "before the members")) return type;
    while (!l->panic && !cu_is(l->at, "}")) add_fields(l, &layout);
    cu_accept(l, "}");
    finish(&layout);
    l->nested--;
    return type;
}

/* ---- classes of the file ---- */

static bool is_field(const CuDecl *member) {
    return member->kind == CU_DECL_VARIABLE && !member->is_static &&
           !cu_is(member->start, "static");
}

static void add_base(CuLower *l, Layout *layout, CuToken *at) {
    const CuDecl *decl = layout->record->decl;
    l->at = at;
    while (cu_accept(l, "public") || cu_accept(l, "private") || cu_accept(l, "protected")) {
    }
    if (cu_is(l->at, "virtual")) cu_unsupported(l, l->at->place, "virtual base classes");
    CuToken *name;
    CuPlace place = l->at->place;
    const CuName *found = l->panic ? NULL : cu_name_at(l, &name);
    if (!found || found->kind != NAME_TYPE || found->val.type->kind != CU_STRUCT) {
        cu_unsupported(l, place, "the base class of '%.*s'", STR_ARG(decl->name));
        return;
    }
    if (cu_is(l->at, ",")) cu_unsupported(l, place, "more than one base class");
    const CuType *base = cu_complete(l, found->val.type);
    if (l->panic) return;
    layout->record->base = base->record;
    bool empty = !base->record->num_fields;
    if (!empty) add_field(l, layout, (CuField){.name = STR(""), .type = base}, place);
}

/* Anonymous structs and unions are no declarations of the outline: read in order of the text. */
static void class_fields(CuLower *l, Layout *layout, const CuDecl *decl) {
    const CuToken *done = NULL;
    CuToken *end = cu_skip(decl->body);
    for (CuToken *t = decl->body->next; t != end && t->kind != CU_END && !l->panic;) {
        const CuDecl *member = NULL;
        for (int i = 0; i < decl->members->in_order.count && !member; i++) {
            const CuDecl *m = decl->members->in_order.data[i];
            if (m->start == t && (is_field(m) || m->kind == CU_DECL_FUNCTION)) member = m;
        }
        bool anonymous =
            (cu_is(t, "union") || cu_is(t, "struct")) && cu_is(cu_behind_alignment(t), "{");
        if ((member && is_field(member) && t != done) || anonymous) {
            done = t;
            l->at = t;
            add_fields(l, layout);
            t = l->at;
        } else if (member && member->kind == CU_DECL_FUNCTION) {
            t = member->end;
        } else {
            t = cu_is(t, "(") || cu_is(t, "{") || cu_is(t, "[") ? cu_skip(t) : t->next;
        }
    }
}

static void refuse_virtual(CuLower *l, const CuDecl *decl) {
    for (int i = 0; i < decl->members->in_order.count; i++) {
        const CuDecl *m = decl->members->in_order.data[i];
        for (const CuToken *t = m->start; m->kind == CU_DECL_FUNCTION && t != m->at; t = t->next)
            if (cu_is(t, "virtual")) cu_unsupported(l, m->at->place, "virtual functions");
    }
}

const CuType *cu_complete(CuLower *l, const CuType *type) {
    while (type->kind == CU_ARRAY) type = type->of;
    CuRecord *record = type->kind == CU_STRUCT ? (CuRecord *)(uintptr_t)type->record : NULL;
    if (!record || record->is_complete || record->is_pattern) return type;
    CuDecl *decl = (CuDecl *)(uintptr_t)record->decl;
    Layout layout = {.record = record, .is_union = cu_is(decl->start, "union")};
    CuToken *at = l->at;
    const CuScope *scope = l->scope;
    bool is_pattern = l->is_pattern, in_angles = l->in_angles;
    CuScope inside = {.outer = record->outside, .record = record};
    if (!decl->body && cu_of_library(l, decl->name, CU_DECL_TYPE) == cu_first_type(l, decl)) {
        cu_unsupported(l, at->place, "'%.*s' in a kernel", STR_ARG(record->name));
        return type;
    }
    if (record->size < 0 || !decl->body || !decl->members) {
        cu_bad(l, decl->at->place,
               record->size < 0 ? "'%.*s' is made of itself" : "'%.*s' has no body",
               STR_ARG(decl->name));
        return type;
    }
    if (!cu_enter(l)) return type;
    record->size = -1; /* being read */
    l->scope = &inside;
    l->is_pattern = l->in_angles = false;
    layout.align = cu_written_align(l, decl->start, decl->at);
    record->size = 0, record->align = 1;
    refuse_virtual(l, decl);
    if (decl->bases) add_base(l, &layout, decl->bases);
    if (!l->panic) {
        record->is_complete = false;
        class_fields(l, &layout, decl);
    }
    finish(&layout);
    l->scope = scope;
    l->at = at;
    l->is_pattern = is_pattern, l->in_angles = in_angles;
    l->nested--;
    return type;
}

/* ---- instances ---- */

static const CuType *pattern(CuLower *l, const CuDecl *decl, CuArgs args) {
    CuRecord *record = arena_new_of(l->arena, CuRecord);
    CuType *type = arena_new_of(l->arena, CuType);
    *record =
        (CuRecord){.name = decl->name, .decl = decl, .args = args, .align = 1, .is_pattern = true};
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    return type;
}

static bool is_open(CuArgs args) {
    for (int i = 0; i < args.count; i++)
        if (args.data[i].param || (args.data[i].type && cu_is_pattern(args.data[i].type)))
            return true;
    return false;
}

/* The specialisation that these arguments fit, with its own parameters bound in `to`. */
static const CuDecl *specialised(CuLower *l, const CuDecl *primary, CuArgs args, CuScope *to) {
    const CuDecl *best = NULL;
    CuTemplate best_params = {0};
    CuArg *best_args = NULL;
    for (const CuDecl *each = cu_first_type(l, primary); each && !l->panic; each = each->overload) {
        CuTemplate params;
        CuArgs written;
        if (each->kind != CU_DECL_TYPE || !each->special) continue;
        const CuDecl *d = cu_without_pack(l, each, args.count, 0);
        if (!d || !cu_template(l, d, &params)) continue;
        if (best && params.count >= best_params.count) continue;
        CuScope scope = {.outer = l->globals};
        const CuScope *outer = l->scope;
        CuToken *at = l->at;
        bool is_pattern = l->is_pattern;
        cu_bind_params(l, &params, &scope);
        l->scope = &scope;
        l->at = d->special;
        l->is_pattern = true;
        CuArg *found = arena_array(l->arena, CuArg, params.count + 1);
        memset(found, 0, (size_t)(params.count + 1) * sizeof *found);
        bool fits = cu_template_args(l, &written) && written.count == args.count &&
                    cu_unify_args(l, written, args, found);
        l->is_pattern = is_pattern;
        l->at = at;
        l->scope = outer;
        if (fits) best = d, best_params = params, best_args = found;
    }
    CuArgs given = {best_params.count, best_args};
    if (best && !cu_bind_args(l, &best_params, &given, to, best->at->place)) return NULL;
    return best;
}

const CuType *cu_instance(CuLower *l, const CuDecl *decl, CuArgs args, const CuRecord *outer,
                          CuPlace place) {
    CuTemplate params = {0};
    const CuDecl *primary = cu_first_type(l, decl);
    CuScope *around = l->globals;
    if (is_open(args)) return pattern(l, primary, args);
    for (const CuDecl *d = primary; d; d = d->overload)
        if (d->kind == CU_DECL_TYPE && d->templates && !d->special && d->body) decl = d;
    if (decl->templates) decl = cu_without_pack(l, decl, args.count, 0);
    if (!decl) {
        cu_bad(l, place, "%d arguments for the template '%.*s'", args.count,
               STR_ARG(primary->name));
        return cu_type(CU_INT);
    }
    CuScope *scope = arena_new_of(l->arena, CuScope), *own = arena_new_of(l->arena, CuScope);
    if (outer) {
        around = arena_new_of(l->arena, CuScope);
        *around = (CuScope){.outer = outer->outside, .record = outer};
    }
    *scope = *own = (CuScope){.outer = around};
    if (decl->templates &&
        (!cu_template(l, decl, &params) || !cu_bind_args(l, &params, &args, scope, place)))
        return cu_type(CU_INT);
    for (int i = 0; i < l->instances.count; i++) {
        const CuRecord *known = l->instances.data[i]->record;
        if (cu_first_type(l, known->decl) == primary && known->outer == outer &&
            cu_same_args(known->args, args))
            return l->instances.data[i];
    }
    const CuDecl *special = decl->templates ? specialised(l, primary, args, own) : NULL;
    if (l->panic) return cu_type(CU_INT);
    if (l->instances.count == MAX_INSTANCES)
        cu_unsupported(l, place, "more than %d instances of templates", MAX_INSTANCES);
    CuRecord *record = arena_new_of(l->arena, CuRecord);
    CuType *type = arena_new_of(l->arena, CuType);
    *record =
        (CuRecord){.name = decl->templates ? cu_args_name(l->arena, decl->name, args) : decl->name,
                   .decl = special ? special : decl,
                   .args = args,
                   .align = 1,
                   .outer = outer,
                   .outside = special ? own : scope};
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    vec_push(l->arena, &l->instances, type);
    return type;
}
