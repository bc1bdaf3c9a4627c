// SPDX-License-Identifier: Apache-2.0
/* name: scopes, and names as they are written: a::b<int>::c. Namespaces are looked through: what is
 * declared in one is known outside of it. */
#include "cuda/front.h"

/* ---- scopes ---- */

void cu_bind(CuLower *l, CuName name) {
    CuScope *scope = (CuScope *)(uintptr_t)l->scope;
    CuName *copy = arena_new_of(l->arena, CuName);
    *copy = name;
    copy->next = scope->names;
    scope->names = copy;
}

const CuName *cu_find(CuLower *l, Str name) {
    for (const CuScope *scope = l->scope; scope; scope = scope->outer) {
        for (const CuName *n = scope->names; n; n = n->next)
            if (str_equal(n->name, name)) return n;
        const CuName *member =
            scope->record ? cu_member(l, scope->record, scope->self, name) : NULL;
        if (member || l->panic) return member;
    }
    return NULL;
}

/* The library is read where a name may be one of its own, once for a module: most kernels need none
 * of it. */
const CuModule *cu_library_of(CuLower *l) {
    if (l->library) return l->library;
    CuLibraries *kept = l->module->libraries;
    if (!kept) return l->library = cu_library(l->arena, l->is_host);
    if (!kept->of[l->is_host]) kept->of[l->is_host] = cu_library(l->module->arena, l->is_host);
    return l->library = kept->of[l->is_host];
}

static bool is_builtin_type(Str name);

static bool is_language(Str name) {
    static const char *const words[] = {
        "if",       "else",       "for",      "while",         "do",
        "switch",   "case",       "default",  "break",         "continue",
        "return",   "sizeof",     "true",     "false",         "nullptr",
        "this",     "goto",       "asm",      "threadIdx",     "blockIdx",
        "blockDim", "gridDim",    "warpSize", "static_cast",   "namespace",
        "delete",   "const_cast", "new",      "static_assert", "reinterpret_cast"};
    for (int i = 0; i < COUNT(words); i++)
        if (str_is(name, words[i])) return true;
    return cu_builtin_exists(name) || cu_is_report(name) || is_builtin_type(name);
}

static const CuDecl *of_kind(const CuModule *module, Str name, CuDeclKind kind) {
    const CuDecl *decl = map_get(&module->decls.names, name);
    while (decl && decl->kind != kind) decl = decl->overload;
    return decl;
}

const CuDecl *cu_of_library(CuLower *l, Str name, CuDeclKind kind) {
    return of_kind(cu_library_of(l), name, kind);
}

const CuDecl *cu_declared(CuLower *l, Str name, CuDeclKind kind) {
    const CuDecl *decl = of_kind(l->module, name, kind);
    bool is_own = map_get(&l->module->decls.names, name) != NULL; /* though of another kind */
    if (decl || is_own || (!l->library && !l->is_host && is_language(name))) return decl;
    return cu_of_library(l, name, kind);
}

/* A class and its specialisations: the first of them. */
const CuDecl *cu_first_type(CuLower *l, const CuDecl *decl) {
    const CuDecl *first = decl->owner ? map_get(&decl->owner->members->names, decl->name)
                                      : cu_declared(l, decl->name, CU_DECL_TYPE);
    while (first && first->kind != CU_DECL_TYPE) first = first->overload;
    return first ? first : decl;
}

/* ---- types that are there without a declaration ---- */

static const struct {
    const char *name;
    CuKind kind;
} named_types[] = {
    {"size_t", CU_ULONG},    {"ptrdiff_t", CU_LONG},       {"intptr_t", CU_LONG},
    {"uintptr_t", CU_ULONG}, {"int8_t", CU_SCHAR},         {"uint8_t", CU_UCHAR},
    {"int16_t", CU_SHORT},   {"uint16_t", CU_USHORT},      {"int32_t", CU_INT},
    {"uint32_t", CU_UINT},   {"int64_t", CU_LONG},         {"uint64_t", CU_ULONG},
    {"uint", CU_UINT},       {"ushort", CU_USHORT},        {"ulong", CU_ULONG},
    {"uchar", CU_UCHAR},     {"u_char", CU_UCHAR},         {"u_int", CU_UINT},
    {"clock_t", CU_LONG},    {"ssize_t", CU_LONG},         {"__half", CU_HALF},
    {"half", CU_HALF},       {"__nv_bfloat16", CU_BFLOAT}, {"nv_bfloat16", CU_BFLOAT},
    {"float_t", CU_FLOAT},   {"double_t", CU_DOUBLE},      {"cudaError_t", CU_INT},
};

static bool is_builtin_type(Str name) {
    for (int i = 0; i < COUNT(named_types); i++)
        if (str_is(name, named_types[i].name)) return true;
    return cu_is_vector(name);
}

static const CuType *builtin_type(CuLower *l, Str name) {
    for (int i = 0; i < COUNT(named_types); i++)
        if (str_is(name, named_types[i].name)) return cu_type(named_types[i].kind);
    return cu_vector(l->arena, name);
}

/* ---- one word ---- */

static const CuName *as_name(CuLower *l, CuName name) {
    CuName *copy = arena_new_of(l->arena, CuName);
    *copy = name;
    return copy;
}

static const CuName *named_type(CuLower *l, Str name, const CuType *type) {
    return as_name(l, (CuName){.name = name, .kind = NAME_TYPE, .val.type = type});
}

/* is_same_v<T, float>, of a T that is not known yet: no constant. */
static const CuName *unknown_value(CuLower *l, Str name) {
    const CuType *type = cu_type(CU_INT);
    Value *value = cu_load_from(l, cu_alloc(l, type, ALLOC_LOCAL, name), type);
    return as_name(
        l, (CuName){.name = name, .kind = NAME_PLACE, .val = {.type = type, .value = value}});
}

const CuName *cu_templated(CuLower *l, const CuDecl *decl, const CuRecord *outer, CuPlace place) {
    CuArgs args;
    CuName name;
    Str word = decl->name;
    if (!cu_is(l->at, "<")) {
        cu_unsupported(l, place, "the template '%.*s' without arguments", STR_ARG(word));
        return NULL;
    }
    if (!cu_template_args(l, &args)) return NULL;
    bool is_class = decl->kind == CU_DECL_TYPE && !cu_is(decl->start, "using");
    if (is_class) {
        const CuType *type = cu_instance(l, decl, args, outer, place);
        return l->panic ? NULL : named_type(l, word, type);
    }
    for (int i = 0; i < args.count; i++)
        if (cu_is_pattern(args.data[i].type) || args.data[i].param)
            return decl->kind == CU_DECL_VARIABLE ? unknown_value(l, word)
                                                  : named_type(l, word, cu_any_type());
    CuScope inside = {.outer = outer ? outer->outside : NULL, .record = outer};
    CuScope scope = {.outer = outer ? &inside : l->globals};
    CuTemplate params;
    decl = cu_without_pack(l, decl, args.count, 0);
    if (!decl) {
        cu_bad(l, place, "%d arguments for the template '%.*s'", args.count, STR_ARG(word));
        return NULL;
    }
    if (!cu_template(l, decl, &params) || !cu_bind_args(l, &params, &args, &scope, place))
        return NULL;
    return cu_global(l, decl, &scope, &name) ? as_name(l, name) : NULL;
}

static const CuName *global(CuLower *l, CuToken *t) {
    const CuDecl *decl = NULL;
    CuName name;
    bool of_library = l->space.length && !map_get(&l->module->namespaces, l->space);
    if (of_library) decl = cu_of_library(l, t->text, CU_DECL_TYPE);
    for (CuDeclKind kind = CU_DECL_TYPE; kind <= CU_DECL_ENUMERATOR && !decl; kind++)
        decl = cu_declared(l, t->text, kind);
    if (decl) {
        while (decl->special && decl->overload) decl = decl->overload;
        if (decl->templates) return cu_templated(l, decl, NULL, t->place);
        return cu_global(l, decl, l->globals, &name) ? as_name(l, name) : NULL;
    }
    decl = cu_declared(l, t->text, CU_DECL_FUNCTION);
    if (decl) return as_name(l, (CuName){.name = t->text, .kind = NAME_FUNCTION, .decl = decl});
    const CuType *type = builtin_type(l, t->text);
    return type ? named_type(l, t->text, type) : NULL;
}

/* A class's own name, inside it, may have other arguments: that is another instance. */
static const CuName *found_here(CuLower *l, CuToken *t) {
    const CuName *found = cu_find(l, t->text);
    if (!found || !cu_is(l->at, "<") || found->kind != NAME_TYPE) return found;
    const CuRecord *record = found->val.type->kind == CU_STRUCT ? found->val.type->record : NULL;
    bool is_own = record && record->decl && str_equal(record->decl->name, t->text);
    if (!is_own || !record->decl->templates) return found;
    return cu_templated(l, record->decl, record->outer, t->place);
}

static bool is_namespace(CuLower *l, Str name) {
    return str_is(name, "std") || map_get(&l->module->namespaces, name) ||
           map_get(&cu_library_of(l)->namespaces, name);
}

/* ---- a::b ---- */

/* In front of '::': true where it is a namespace or an enum. */
static bool is_looked_through(CuLower *l, const CuToken *t) {
    const CuName *found = cu_find(l, t->text);
    if (l->panic || (found && found->kind == NAME_TYPE && found->val.type->kind == CU_STRUCT))
        return false;
    if (str_is(t->text, "cuda") && !map_get(&l->module->namespaces, t->text))
        return map_get(&cu_library_of(l)->decls.names, t->next->next->text) != NULL;
    const CuDecl *decl = cu_declared(l, t->text, CU_DECL_TYPE);
    return (decl && cu_is(decl->start, "enum")) || (!decl && is_namespace(l, t->text));
}

const CuName *cu_name_at(CuLower *l, CuToken **at) {
    const CuRecord *record = NULL;
    const CuName *found = NULL;
    cu_accept(l, "::");
    l->space = STR("");
    for (;;) {
        CuToken *t = *at = l->at;
        if (t->kind != CU_NAME) return NULL;
        l->at = t->next;
        bool qualifies = cu_is(t->next, "::");
        if (!record && qualifies && is_looked_through(l, t)) {
            l->at = t->next->next;
            l->space = t->text;
            continue;
        }
        if (record) {
            const CuVal *self = l->call ? l->call->self : NULL;
            bool is_base = self && cu_derives(self->type->record, record);
            CuVal base = is_base ? cu_base_of(l, *self, record) : (CuVal){0};
            CuVal *kept = arena_new_of(l->arena, CuVal);
            *kept = base;
            found = cu_member(l, record, is_base ? kept : NULL, t->text);
        } else {
            /* cub::BlockReduce in a function BlockReduce is not the function. */
            if (l->space.length) found = global(l, t);
            if (!found && !l->panic) found = found_here(l, t);
            if (!found && !l->panic && !l->space.length) found = global(l, t);
        }
        if (l->panic || !found || !cu_is(l->at, "::")) return found;
        const CuType *type = found->kind == NAME_TYPE ? found->val.type : NULL;
        if (type && cu_is_pattern(type)) { /* T::type, of a T that is not known yet */
            while (cu_is(l->at, "::") && l->at->next->kind == CU_NAME) l->at = l->at->next->next;
            if (cu_is(l->at, "<")) l->at = cu_skip_angles(l->at);
            return named_type(l, t->text, cu_any_type());
        }
        if (!type || type->kind != CU_STRUCT || !cu_complete(l, type)) {
            cu_unsupported(l, t->place, "'%.*s::' in a kernel", STR_ARG(t->text));
            return NULL;
        }
        record = type->record;
        l->space = STR("");
        l->at = l->at->next;
        cu_accept(l, "template");
    }
}

bool cu_names_type(CuLower *l) {
    CuToken *start = l->at, *at;
    Diag *diag = l->diag, quiet = {.arena = l->arena, .muted = true};
    bool panic = l->panic;
    bool simple = !cu_is(start, "::") && !cu_is(start->next, "::") && !cu_is(start->next, "<");
    if (start->kind != CU_NAME && !cu_is(start, "::")) return false;
    if (simple) { /* the usual case: no instance is made */
        const CuName *found = cu_find(l, start->text);
        if (found || l->panic) return found && found->kind == NAME_TYPE;
        return cu_declared(l, start->text, CU_DECL_TYPE) || is_builtin_type(start->text);
    }
    bool asks_type = l->asks_type;
    l->diag = &quiet, l->asks_type = true;
    const CuName *found = cu_name_at(l, &at);
    bool is_type = found && found->kind == NAME_TYPE;
    l->diag = diag, l->asks_type = asks_type;
    l->panic = panic;
    l->at = start;
    return is_type;
}
