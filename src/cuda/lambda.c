// SPDX-License-Identifier: Apache-2.0
/* lambda: functions in expressions. What one captures by reference are the names around it, which
 * are seen again where its body is read; what it captures by value is copied where it stands. */
#include "cuda/front.h"

struct CuLambda {
    CuDecl decl;
    const CuScope *scope; /* what its body sees */
    const CuVal *self;
};

/* Scopes are on C's stack while they are read: a lambda may outlive them. */
static CuScope *kept_scopes(CuLower *l, const CuScope *scope) {
    CuScope *first = NULL, **end = &first;
    for (; scope && scope != l->globals; scope = scope->outer) {
        CuScope *copy = arena_new_of(l->arena, CuScope);
        *copy = *scope;
        *end = copy;
        end = (CuScope **)(uintptr_t)&copy->outer;
    }
    *end = l->globals;
    return first;
}

static void bind_copy(CuLower *l, Str name, CuVal val, bool is_mutable, CuScope *to) {
    const CuScope *outer = l->scope;
    const CuType *type = cu_plain(l->arena, val.type);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, name);
    if (type->kind == CU_ARRAY)
        cu_copy(l, at, val.value, type);
    else
        cu_initialize_from(l, at, type, val, "this capture");
    if (!is_mutable) type = cu_qualified(l->arena, type, true, false);
    l->scope = to;
    cu_bind(l, (CuName){.name = name, .val = {.type = type, .value = at, .is_place = true}});
    l->scope = outer;
}

static bool is_bound(const CuScope *scope, Str name) {
    for (const CuName *n = scope->names; n; n = n->next)
        if (str_equal(n->name, name)) return true;
    return false;
}

/* [=]: the variables that its body names. */
static void copy_all(CuLower *l, const CuDecl *decl, bool is_mutable, CuScope *to) {
    const CuToken *end = cu_skip(decl->body);
    for (const CuToken *t = decl->body, *before = NULL; t != end && t->kind != CU_END;
         before = t, t = t->next) {
        bool is_member =
            before && (cu_is(before, ".") || cu_is(before, "->") || cu_is(before, "::"));
        if (t->kind != CU_NAME || is_member || is_bound(to, t->text)) continue;
        const CuName *found = NULL;
        for (const CuScope *s = l->scope; s && s != l->globals && !s->record && !found;
             s = s->outer)
            for (const CuName *n = s->names; n && !found; n = n->next)
                if (str_equal(n->name, t->text)) found = n;
        if (!found || found->kind != NAME_PLACE) continue;
        const Op *def = found->val.value->def;
        bool shared = def && def->kind == OP_ALLOC && alloc_space(def) == ALLOC_SHARED;
        if (!shared) bind_copy(l, t->text, found->val, is_mutable, to);
    }
}

/* x, &x, x = 1, &x = y, this */
static void capture(CuLower *l, bool is_mutable, CuScope *to) {
    bool by_reference = cu_accept(l, "&");
    cu_accept(l, "*");
    CuToken *name = l->at;
    l->at = name->next;
    if (cu_is(name, "this")) return;
    if (name->kind != CU_NAME) {
        cu_bad(l, name->place, "expected a name in a capture, saw '%.*s'", STR_ARG(name->text));
        return;
    }
    const CuName *found = cu_find(l, name->text);
    CuVal val = found ? found->val : (CuVal){0};
    if (cu_accept(l, "="))
        val = cu_assignment(l);
    else if (!found && !l->panic)
        cu_undeclared(l, name->place, "", name->text);
    else if (by_reference || (found && found->kind != NAME_PLACE))
        return;
    val.place = name->place;
    if (l->panic) return;
    if (!by_reference) {
        bind_copy(l, name->text, val, is_mutable, to);
        return;
    }
    const CuScope *outer = l->scope;
    if (!val.is_place) cu_unsupported(l, val.place, "a reference to a temporary");
    l->scope = to;
    cu_bind(l, (CuName){.name = name->text, .val = val});
    l->scope = outer;
}

/* The '{' of its body; *params: its '(', or NULL. */
static CuToken *body_of(CuToken *after, CuToken **params, bool *is_mutable) {
    *params = NULL;
    for (CuToken *t = after; t->kind != CU_END && !cu_is(t, ";"); t = t->next) {
        if (cu_is(t, "{")) return t;
        if (cu_is(t, "(") && !*params) {
            *params = t;
            t = cu_skip(t);
            if (cu_is(t, "{")) return t;
        }
        *is_mutable |= cu_is(t, "mutable");
    }
    return NULL;
}

CuVal cu_lambda(CuLower *l) {
    CuToken *open = l->at, *after = cu_skip(open), *params;
    bool is_mutable = false;
    CuToken *body = body_of(after, &params, &is_mutable);
    if (!body) return cu_bad(l, open->place, "a lambda without a body");
    CuLambda *lambda = arena_new_of(l->arena, CuLambda);
    *lambda = (CuLambda){.decl = {.kind = CU_DECL_FUNCTION,
                                  .name = STR("lambda"),
                                  .start = open,
                                  .at = open,
                                  .params = params,
                                  .body = body,
                                  .end = cu_skip(body)}};
    CuScope *captured = arena_new_of(l->arena, CuScope);
    *captured = (CuScope){.outer = kept_scopes(l, l->scope)};
    lambda->scope = captured;
    lambda->self = l->call ? l->call->self : NULL;
    l->at = open->next;
    bool all = cu_is(l->at, "=");
    if (all || (cu_is(l->at, "&") && (cu_is(l->at->next, ",") || cu_is(l->at->next, "]")))) {
        l->at = l->at->next;
        cu_accept(l, ",");
    }
    while (!l->panic && !cu_is(l->at, "]")) {
        capture(l, is_mutable, captured);
        if (!cu_accept(l, ",")) break;
    }
    cu_expect(l, "]", "after the captures of a lambda");
    if (l->panic) return cu_poison(l, open->place);
    if (all) copy_all(l, &lambda->decl, is_mutable, captured);
    CuRecord *record = arena_new_of(l->arena, CuRecord);
    CuType *type = arena_new_of(l->arena, CuType);
    *record = (CuRecord){
        .name = STR("lambda"), .size = 1, .align = 1, .lambda = lambda, .is_complete = true};
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    l->at = lambda->decl.end;
    return (CuVal){
        .type = type, .value = cu_alloc(l, type, ALLOC_LOCAL, STR("lambda")), .place = open->place};
}

CuVal cu_call_lambda(CuLower *l, const CuVal *val, int count, CuVal *args, CuPlace place) {
    const CuLambda *lambda = val->type->record->lambda;
    CuSignature signature = {.scope = lambda->scope};
    CuToken *at = l->at;
    const CuScope *scope = l->scope;
    l->scope = lambda->scope;
    if (lambda->decl.params) {
        l->at = lambda->decl.params->next;
        if (cu_parameters(l, &signature))
            signature.result = cu_trailing_type(l, &signature.is_reference);
    }
    l->scope = scope;
    l->at = at;
    if (!l->panic && (count < signature.num_required || count > signature.num_params))
        return cu_bad(l, place, "this lambda takes %d argument%s, not %d", signature.num_params,
                      signature.num_params == 1 ? "" : "s", count);
    return cu_inlined(l, &lambda->decl, &signature, lambda->self, count, args, place);
}
