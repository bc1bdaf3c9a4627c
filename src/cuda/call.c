// SPDX-License-Identifier: Apache-2.0
/* call: which function a call means, and its body, read anew for each call: functions of a kernel are
 * always inlined. */
#include "cuda/front.h"

static bool parameter(CuLower *l, CuSignature *signature, CuParamDecl *param) {
    CuSpecifiers s;
    CuDeclarator d;
    *param = (CuParamDecl){.name = STR(""), .place = l->at->place};
    if (!cu_specifiers(l, &s)) return false;
    if (!s.type) {
        cu_unsupported(l, s.place, "a parameter of type 'auto'");
        return false;
    }
    if (!cu_declarator(l, s.type, &d)) return false;
    param->place = d.name ? d.name->place : s.place;
    if (d.name) param->name = d.name->text;
    param->type =
        d.type->kind == CU_ARRAY && !d.is_reference ? cu_pointer(l->arena, d.type->of) : d.type;
    param->is_reference = d.is_reference;
    if (cu_accept(l, "=")) {
        param->default_value = l->at;
        while (!cu_is(l->at, ",") && !cu_is(l->at, ")") && l->at->kind != CU_END)
            l->at = cu_is(l->at, "(") || cu_is(l->at, "{") ? cu_skip(l->at) : l->at->next;
    } else {
        signature->num_required++;
    }
    return true;
}

static bool parameters(CuLower *l, CuSignature *signature) {
    VEC(CuParamDecl) params = {0};
    CuParamDecl param;
    bool none = cu_is(l->at, ")") || (cu_is(l->at, "void") && cu_is(l->at->next, ")"));
    if (none) l->at = cu_is(l->at, "void") ? l->at->next : l->at;
    while (!none) {
        if (!parameter(l, signature, &param)) return false;
        vec_push(l->arena, &params, param);
        if (!cu_accept(l, ",")) break;
    }
    signature->num_params = params.count;
    signature->params = params.data;
    return cu_expect(l, ")", "after the parameters");
}

bool cu_signature(CuLower *l, const CuDecl *decl, CuSignature *signature) {
    CuToken *at = l->at;
    const CuScope *scope = l->scope;
    CuSpecifiers s;
    CuDeclarator d;
    *signature = (CuSignature){.result = cu_type(CU_VOID)};
    l->scope = l->globals;
    l->at = decl->start;
    bool fine = cu_specifiers(l, &s);
    if (fine && !s.type) {
        cu_unsupported(l, s.place, "a function of type 'auto'");
        fine = false;
    }
    fine = fine && cu_declarator(l, s.type, &d);
    if (fine && (d.name != decl->at || d.is_reference)) {
        cu_unsupported(l, decl->at->place, "the way in which '%.*s' is declared",
                       STR_ARG(decl->name));
        fine = false;
    }
    if (fine) {
        signature->result = cu_plain(l->arena, d.type);
        l->at = decl->params->next;
        fine = parameters(l, signature);
    }
    l->scope = scope;
    l->at = at;
    return fine;
}

/* ---- which one ---- */

typedef struct Arguments {
    int count;
    CuVal *vals;
    CuPlace place; /* of the whole call */
} Arguments;

static int rank_of(const CuParamDecl *param, const CuVal *val) {
    if (!param->is_reference) return cu_conversion_rank(val, param->type);
    if (cu_same(param->type, val->type) && (val->is_place || param->type->is_const)) return 0;
    return param->type->is_const ? cu_conversion_rank(val, param->type) : -1;
}

static bool is_viable(const CuSignature *s, const Arguments *args, int *ranks) {
    if (args->count < s->num_required || args->count > s->num_params) return false;
    for (int i = 0; i < args->count; i++)
        if ((ranks[i] = rank_of(&s->params[i], &args->vals[i])) < 0) return false;
    return true;
}

/* 1: a is better, -1: b is, 0: neither. */
static int better(const int *a, const int *b, int count) {
    bool a_wins = false, b_wins = false;
    for (int i = 0; i < count; i++) a_wins |= a[i] < b[i], b_wins |= b[i] < a[i];
    return a_wins == b_wins ? 0 : a_wins ? 1 : -1;
}

static CuVal no_match(CuLower *l, const CuDecl *decl, const Arguments *args) {
    Buf types = {.arena = l->arena};
    buf_puts(&types, "");
    for (int i = 0; i < args->count; i++) {
        Str name = cu_name(l->arena, args->vals[i].type);
        buf_printf(&types, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    CuVal bad = cu_bad(l, args->place, "no function '%.*s' takes (%.*s)", STR_ARG(decl->name),
                       (int)types.length, types.data);
    diag_note(l->diag, cu_span(decl->at->place), "'%.*s' is declared here", STR_ARG(decl->name));
    return bad;
}

/* NULL after an error. */
static const CuDecl *resolve(CuLower *l, const CuDecl *first, const Arguments *args,
                             CuSignature *signature) {
    const CuDecl *best = NULL, *rival = NULL;
    int *best_ranks = arena_array(l->arena, int, args->count + 1);
    for (const CuDecl *decl = first; decl; decl = decl->overload) {
        CuSignature s;
        int *ranks = arena_array(l->arena, int, args->count + 1);
        if (decl->kind != CU_DECL_FUNCTION || !decl->body) continue;
        if (decl->is_template) {
            cu_unsupported(l, args->place, "a call of the template '%.*s'", STR_ARG(decl->name));
            return NULL;
        }
        if (!cu_signature(l, decl, &s)) return NULL;
        if (!is_viable(&s, args, ranks)) continue;
        int who = best ? better(ranks, best_ranks, args->count) : 1;
        if (who > 0) {
            best = decl, *signature = s, best_ranks = ranks, rival = NULL;
        } else if (who == 0) {
            rival = decl;
        }
    }
    if (!best) {
        no_match(l, first, args);
        return NULL;
    }
    if (rival) {
        cu_bad(l, args->place, "'%.*s' may be either of two functions", STR_ARG(best->name));
        diag_note(l->diag, cu_span(best->at->place), "this one");
        diag_note(l->diag, cu_span(rival->at->place), "or this one");
        return NULL;
    }
    return best;
}

/* ---- inlining ---- */

static void bind_argument(CuLower *l, const CuParamDecl *param, CuVal val, CuScope *inside) {
    const CuScope *outer = l->scope;
    CuName name = {.name = param->name, .val = {.type = param->type, .is_place = true}};
    bool refers = param->is_reference && val.is_place && cu_same(param->type, val.type);
    if (refers) {
        name.val.value = val.value;
    } else {
        const CuType *plain = cu_plain(l->arena, param->type);
        val = cu_convert(l, val, plain, "this argument");
        if (l->panic) return;
        name.val.value = cu_alloc(l, plain, ALLOC_LOCAL, param->name);
        if (plain->kind == CU_STRUCT)
            cu_copy(l, name.val.value, val.value, plain);
        else
            cu_store_to(l, name.val.value, plain, val.value);
    }
    l->scope = inside;
    cu_bind(l, name);
    l->scope = outer;
}

static bool is_in(const CuCall *call, const CuDecl *decl) {
    for (; call; call = call->outer)
        if (call->decl == decl) return true;
    return false;
}

static CuVal inlined(CuLower *l, const CuDecl *decl, const CuSignature *signature,
                     const Arguments *args) {
    CuScope inside = {.outer = l->globals};
    CuCall call = {.decl = decl,
                   .result = signature->result,
                   .outer = l->call,
                   .depth = l->call ? l->call->depth + 1 : 0};
    if (is_in(l->call, decl))
        return cu_unsupported(l, args->place, "recursion: '%.*s' calls itself",
                              STR_ARG(decl->name));
    if (call.depth > CU_MAX_CALLS)
        return cu_unsupported(l, args->place, "calls that are nested more than %d deep",
                              CU_MAX_CALLS);
    for (int i = 0; i < signature->num_params && !l->panic; i++) {
        const CuParamDecl *param = &signature->params[i];
        CuVal val = i < args->count ? args->vals[i] : (CuVal){0};
        if (i >= args->count) {
            CuToken *at = l->at;
            l->at = param->default_value;
            val = cu_assignment(l);
            l->at = at;
        }
        bind_argument(l, param, val, &inside);
    }
    if (l->panic) return cu_poison(l, args->place);
    const CuScope *scope = l->scope;
    CuFlags flags = l->flags;
    CuToken *at = l->at;
    if (call.result->kind != CU_VOID)
        call.result_at = cu_alloc(l, call.result, ALLOC_LOCAL, decl->name);
    call.returned = cu_alloc(l, cu_type(CU_BOOL), ALLOC_LOCAL, STR(""));
    cu_store_to(l, call.returned, cu_type(CU_BOOL), build_int(&l->b, type_scalar(TYPE_I1), 0));
    l->scope = &inside;
    l->flags = (CuFlags){0};
    l->call = &call;
    l->at = decl->body;
    cu_body(l);
    l->call = call.outer;
    l->flags = flags;
    l->scope = scope;
    l->at = at;
    if (call.result->kind == CU_VOID) return (CuVal){.type = call.result, .place = args->place};
    CuVal result = {
        .type = call.result, .value = call.result_at, .is_place = true, .place = args->place};
    CuVal value = cu_value(l, result);
    value.is_place = false;
    return value;
}

CuVal cu_call_named(CuLower *l, CuToken *name) {
    VEC(CuVal) vals = {0};
    const CuDecl *decl = map_get(&l->module->names, name->text);
    while (decl && decl->kind != CU_DECL_FUNCTION) decl = decl->overload;
    if (!decl && !cu_builtin_exists(name->text))
        return cu_bad(l, name->place, "function '%.*s' is not declared", STR_ARG(name->text));
    while (!l->panic && !cu_is(l->at, ")")) {
        CuVal val = cu_assignment(l);
        bool keeps_place = decl || val.type->kind == CU_STRUCT;
        vec_push(l->arena, &vals, keeps_place ? val : cu_value(l, val));
        if (!cu_accept(l, ",")) break;
    }
    CuPlace place = cu_join(name->place, l->at->place);
    cu_expect(l, ")", "after the arguments");
    if (l->panic) return cu_poison(l, place);
    l->b.span = cu_span(place);
    Arguments args = {vals.count, vals.data, place};
    CuVal result;
    CuSignature signature = {0};
    if (!decl) {
        cu_builtin(l, name->text, place, args.count, args.vals, &result);
        return result;
    }
    const CuDecl *callee = resolve(l, decl, &args, &signature);
    if (!callee) return cu_poison(l, place);
    if (callee->is_kernel) return cu_unsupported(l, place, "a kernel that a kernel calls");
    return inlined(l, callee, &signature, &args);
}
