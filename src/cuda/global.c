// SPDX-License-Identifier: Apache-2.0
/* global: types, constants and enumerators of a file or class, read where a kernel first names
 * them. */
#include "cuda/front.h"

static bool enumerator(CuLower *l, const CuDecl *decl, CuName *name) {
    int64_t value = -1;
    CuToken *t = decl->start;
    while (!cu_is(t, "{")) {
        t = t->next;
    }
    for (l->at = t->next; !l->panic;) {
        CuToken *at = l->at;
        l->at = at->next;
        value++;
        if (cu_accept(l, "=") && !cu_constant(l, "the value of an enumerator", &value))
            return false;
        if (value < INT32_MIN || value > INT32_MAX)
            cu_unsupported(l, at->place, "an enumerator that is no int");
        if (at == decl->at) break;
        if (!cu_expect(l, ",", "after an enumerator")) return false;
    }
    *name = (CuName){.name = decl->name,
                     .kind = NAME_CONSTANT,
                     .val = {.type = cu_type(CU_INT), .place = decl->at->place}};
    name->val.value = cu_int(l, name->val.type, value);
    return !l->panic;
}

static bool declared_type(CuLower *l, const CuDecl *decl, CuName *name) {
    CuSpecifiers s;
    CuDeclarator d;
    *name = (CuName){.name = decl->name, .kind = NAME_TYPE};
    bool is_typedef = cu_is(decl->start, "typedef");
    if (cu_is(decl->start, "enum") || (is_typedef && cu_is(decl->start->next, "enum"))) {
        name->val.type = cu_type(CU_INT);
        return true;
    }
    if (decl->members) {
        name->val.type = cu_instance(l, decl, (CuArgs){0}, NULL, decl->at->place);
        return !l->panic;
    }
    if (cu_is(decl->start, "using")) {
        l->at = decl->at->next->next;
        name->val.type = cu_type_name(l);
        return !l->panic;
    }
    if (!cu_specifiers(l, &s)) return false;
    name->val.type = s.type;
    while (is_typedef && !l->panic && s.type) { /* typedef int a, *b; */
        if (!cu_declarator(l, s.type, &d)) return false;
        if (d.name == decl->at) name->val.type = d.type;
        if (d.name == decl->at || !cu_accept(l, ",")) break;
    }
    return !l->panic && name->val.type;
}

/* A table of the file: memory of each thread, which begins as it is written. At the top of the
 * kernel, so that all uses are behind it. */
static bool table(CuLower *l, const CuDecl *decl, const CuType *type, CuName *name) {
    CuAtTop top = cu_at_top(l);
    type = cu_counted(l, type);
    cu_complete(l, type);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, decl->name);
    if (cu_accept(l, "=") || cu_is(l->at, "{"))
        cu_initialize(l, at, type);
    else
        cu_initialize_empty(l, at, type);
    cu_at_top_end(l, &top);
    *name = (CuName){.name = decl->name, .val = {.type = type, .value = at, .is_place = true}};
    return !l->panic;
}

bool cu_variable_at(CuLower *l, const CuDecl *decl, CuSpecifiers *s, CuDeclarator *d) {
    l->at = decl->start;
    if (!cu_specifiers(l, s) || !cu_declarator(l, s->type, d)) return false;
    while (d->name != decl->at) { /* const int a = 1, b = 2; */
        while (!cu_is(l->at, ",") && l->at->kind != CU_END)
            l->at = cu_is(l->at, "{") || cu_is(l->at, "(") ? cu_skip(l->at) : l->at->next;
        if (!cu_accept(l, ",") || !cu_declarator(l, s->type, d)) return false;
    }
    return !l->panic;
}

static bool refuse_variable(CuLower *l, const CuDecl *decl) {
    cu_unsupported(l, decl->at->place,
                   "variable '%.*s', which is neither constant nor a kernel's own",
                   STR_ARG(decl->name));
    diag_help(l->diag, cu_span(decl->at->place), "declare it '__device__' or '__constant__'");
    return false;
}

/* const int n = 5: it is no memory. */
bool cu_is_number_here(const CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    bool is_const = d->type ? d->type->is_const && cu_ir(l->fn->types, d->type) : s->is_const;
    return is_const && (cu_is(l->at, "=") || cu_is(l->at, "{") || cu_is(l->at, "("));
}

/* To the value: = 5, {5} or (5). */
static bool begin_value(CuLower *l) {
    return cu_accept(l, "{") || cu_accept(l, "(") ||
           cu_expect(l, "=", "after the name of a constant");
}

/* Of a program for the host: a number if it is known now, else a variable. */
static bool host_constant(CuLower *l, const CuDecl *decl, const CuType *type, CuName *name) {
    CuAtTop top = cu_at_top(l);
    CuVal val = !begin_value(l) ? cu_poison(l, l->at->place) : cu_value(l, cu_assignment(l));
    val = cu_convert(l, val, type ? cu_plain(l->arena, type) : val.type, "this initial value");
    *name = (CuName){.name = decl->name, .kind = NAME_CONSTANT, .val = val};
    if (!l->panic && !cu_is_written(val.value)) {
        name->kind = NAME_PLACE;
        name->val.value = cu_alloc(l, val.type, ALLOC_LOCAL, decl->name);
        name->val.is_place = true;
        cu_store_to(l, name->val.value, val.type, val.value);
        name->val.type = cu_qualified(l->arena, val.type, true, false);
    }
    cu_at_top_end(l, &top);
    return !l->panic;
}

static bool variable(CuLower *l, const CuDecl *decl, CuName *name) {
    CuSpecifiers s;
    CuDeclarator d;
    if (!cu_variable_at(l, decl, &s, &d)) return false;
    if (s.is_shared && d.type && l->top && !l->is_host) return cu_shared(l, &s, &d, name);
    if (cu_is_symbol(decl) && !cu_is_number_here(l, &s, &d))
        return l->is_host ? cu_host_symbol(l, decl, d.type, name) : cu_symbol_named(l, decl, name);
    bool is_const = s.is_const || (s.type && s.type->is_const);
    if (s.is_shared || !(is_const || l->is_host)) return refuse_variable(l, decl);
    if (d.type && (d.type->kind == CU_ARRAY || d.type->kind == CU_STRUCT)) {
        if (cu_is(l->at, "(")) {
            cu_unsupported(l, l->at->place, "an initial value of '%.*s' in parentheses",
                           STR_ARG(decl->name));
            return false;
        }
        if (l->top && !d.is_reference) return table(l, decl, d.type, name);
        cu_unsupported(l, decl->at->place, "constant '%.*s' of type '%.*s' here",
                       STR_ARG(decl->name), STR_ARG(cu_name(l->arena, d.type)));
        return false;
    }
    if (d.type && !is_const && !d.is_reference) return table(l, decl, d.type, name);
    if (l->is_host) return host_constant(l, decl, d.type, name);
    if (!begin_value(l)) return false;
    CuVal val = cu_value(l, cu_assignment(l));
    const CuType *type = d.type ? cu_plain(l->arena, d.type) : val.type;
    val = cu_convert(l, val, type, "this initial value");
    if (!l->panic && !cu_is_written(val.value))
        cu_unsupported(l, val.place, "a constant that is not known at compile time");
    *name = (CuName){.name = decl->name, .kind = NAME_CONSTANT, .val = val};
    return !l->panic;
}

bool cu_global(CuLower *l, const CuDecl *decl, CuScope *scope, CuName *name) {
    CuLower outer = *l;
    CuDecl *busy = (CuDecl *)(uintptr_t)decl;
    if (decl->is_busy && !decl->templates && !decl->owner) {
        cu_bad(l, decl->at->place, "'%.*s' is made of itself", STR_ARG(decl->name));
        return false;
    }
    if (!cu_enter(l)) return false;
    l->scope = scope;
    l->at = decl->start;
    l->in_angles = l->is_pattern = false;
    busy->is_busy = true;
    bool fine = decl->kind == CU_DECL_ENUMERATOR ? enumerator(l, decl, name)
                : decl->kind == CU_DECL_TYPE     ? declared_type(l, decl, name)
                                                 : variable(l, decl, name);
    busy->is_busy = false;
    if (fine && scope == l->globals) cu_bind(l, *name);
    l->scope = outer.scope;
    l->at = outer.at;
    l->in_angles = outer.in_angles;
    l->is_pattern = outer.is_pattern;
    l->nested = outer.nested;
    return fine;
}
