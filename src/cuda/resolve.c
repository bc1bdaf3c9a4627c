// SPDX-License-Identifier: Apache-2.0
/* resolve: which function a call means: C++'s ranking of overloads, and arguments of templates that
 * calls leave out. A template that does not fit (also because a type in it does not exist) drops
 * out. */
#include "cuda/front.h"

typedef struct Candidate {
    const CuDecl *decl;
    CuSignature signature;
    int *ranks; /* by argument; behind them, of the object */
    bool is_template, is_packed;
} Candidate;

const CuScope *cu_member_scope(CuLower *l, const CuCallee *callee) {
    if (!callee->record) return l->globals;
    CuScope *scope = arena_new_of(l->arena, CuScope);
    *scope =
        (CuScope){.outer = callee->record->outside, .record = callee->record, .self = callee->self};
    return scope;
}

/* ---- conversions of arguments ---- */

/* Of an array, that of its elements. */
static bool is_constant(const CuType *type) {
    while (type->kind == CU_ARRAY) type = type->of;
    return type->is_const;
}

static bool same_but_const(CuLower *l, const CuType *a, const CuType *b) {
    if (a->kind != CU_ARRAY || b->kind != CU_ARRAY) return cu_same(a, b);
    return a->count == b->count &&
           same_but_const(l, cu_plain(l->arena, a->of), cu_plain(l->arena, b->of));
}

static int rank_of(CuLower *l, const CuParamDecl *param, const CuVal *val, bool forwards) {
    if (!param->type) return 1;
    if (!param->is_reference) {
        int rank = cu_rank_of_conversion(l, val, param->type);
        return rank < 0 ? -1 : rank * 2;
    }
    bool derives = param->type->kind == CU_STRUCT && val->type->kind == CU_STRUCT &&
                   cu_derives(val->type->record, param->type->record);
    bool same = same_but_const(l, param->type, val->type) || derives;
    bool loses = is_constant(val->type) && !is_constant(param->type);
    int base = derives && param->type->record != val->type->record ? 2 : 0;
    if (param->is_moved && same) return !val->is_place || forwards ? base : -1;
    if (same && !loses && (val->is_place || is_constant(param->type)))
        return base + (is_constant(param->type) && !is_constant(val->type));
    if (!param->type->is_const && !param->is_moved) return -1;
    int rank = cu_rank_of_conversion(l, val, param->type);
    return rank < 0 ? -1 : rank * 2 + 1;
}

static bool is_const_member(const CuDecl *decl) {
    for (const CuToken *t = cu_skip(decl->params); t != decl->body && t->kind != CU_END;
         t = t->next)
        if (cu_is(t, "const")) return true;
    return false;
}

static bool is_viable(CuLower *l, Candidate *c, const CuCallee *callee, int count,
                      const CuVal *args) {
    const CuSignature *s = &c->signature;
    bool needs_object = callee->record && !c->decl->is_static && !c->decl->record.length;
    c->ranks[count] = 0;
    if (count < s->num_required || (count > s->num_params && !s->is_variadic)) return false;
    if (needs_object && callee->self) {
        bool is_const = is_const_member(c->decl);
        if (callee->self->type->is_const && !is_const) return false;
        c->ranks[count] = is_const && !callee->self->type->is_const;
    }
    for (int i = s->num_params; i < count; i++) c->ranks[i] = 0;
    for (int i = 0; i < count && i < s->num_params; i++)
        if ((c->ranks[i] = rank_of(l, &s->params[i], &args[i], c->is_template)) < 0) return false;
    return true;
}

/* 1: a is better, -1: b is, 0: neither. */
static int better(const int *a, const int *b, int count) {
    bool a_wins = false, b_wins = false;
    for (int i = 0; i < count; i++) a_wins |= a[i] < b[i], b_wins |= b[i] < a[i];
    return a_wins == b_wins ? 0 : a_wins ? 1 : -1;
}

/* ---- templates ---- */

static bool patterns(CuLower *l, const CuDecl *decl, const CuTemplate *t, const CuScope *outer,
                     CuSignature *signature) {
    CuScope scope = {.outer = outer};
    bool was = l->is_pattern;
    cu_bind_params(l, t, &scope);
    l->is_pattern = true;
    bool fine = cu_signature(l, decl, &scope, signature);
    l->is_pattern = was;
    return fine;
}

static bool deduced(CuLower *l, const CuSignature *s, int count, const CuVal *args, CuArg *found) {
    for (int i = 0; i < count && i < s->num_params; i++) {
        const CuParamDecl *param = &s->params[i];
        const CuType *type = args[i].type;
        if (!param->type || !cu_is_pattern(param->type)) continue;
        if (!param->is_reference) {
            type = cu_plain(l->arena, type);
            if (type->kind == CU_ARRAY) type = cu_pointer(l->arena, type->of);
            if (!cu_unify(l, cu_plain(l->arena, param->type), type, found)) return false;
        } else if (!cu_unify(l, param->type, type, found)) {
            return false;
        }
    }
    return true;
}

/* The scope in which a template's parameters are what the call says; NULL: it does not fit. */
static const CuScope *instance(CuLower *l, const CuDecl *decl, const CuTemplate *t,
                               const CuScope *outer, const CuCallee *callee, int count,
                               const CuVal *args) {
    CuSignature pattern;
    const CuArgs *written = &callee->explicit_args;
    CuArg *found = arena_array(l->arena, CuArg, t->count + 1);
    memset(found, 0, (size_t)(t->count + 1) * sizeof *found);
    if (written->count > t->count || !patterns(l, decl, t, outer, &pattern)) return NULL;
    for (int i = 0; i < written->count; i++) found[i].param = CU_FIXED;
    if (!deduced(l, &pattern, count, args, found)) return NULL;
    for (int i = 0; i < written->count; i++) found[i] = written->data[i];
    CuScope *scope = arena_new_of(l->arena, CuScope);
    *scope = (CuScope){.outer = outer};
    CuArgs all = {t->count, found};
    return cu_bind_args(l, t, &all, scope, callee->place) ? scope : NULL;
}

static bool same_arg(const CuArg *a, const CuArg *b) {
    return a->is_value == b->is_value &&
           (a->is_value ? a->bits == b->bits : cu_same(a->type, b->type));
}

/* template <> int f(float): of f<T>, what its signature says: of `template <class T> T f(float)`,
 * that of int. */
static bool is_of_signature(CuLower *l, const CuDecl *decl, const CuCallee *callee) {
    const CuScope *outer = cu_member_scope(l, callee);
    CuSignature own, pattern;
    CuTemplate t;
    if (!cu_signature(l, decl, outer, &own) || !own.result) return false;
    for (const CuDecl *p = decl->overload; p; p = p->overload) {
        if (p->kind != CU_DECL_FUNCTION || !p->templates || !cu_template(l, p, &t)) continue;
        if (!t.count || !patterns(l, p, &t, outer, &pattern) || !pattern.result) continue;
        CuArg *found = arena_array(l->arena, CuArg, t.count + 1);
        memset(found, 0, (size_t)(t.count + 1) * sizeof *found);
        bool fits = pattern.num_params == own.num_params &&
                    cu_unify_exactly(l, pattern.result, own.result, found);
        for (int i = 0; fits && i < own.num_params; i++)
            fits = pattern.params[i].type && own.params[i].type &&
                   cu_unify_exactly(l, pattern.params[i].type, own.params[i].type, found);
        for (int i = 0; fits && i < t.count && i < callee->explicit_args.count; i++) {
            bool is_found = found[i].type || found[i].is_value;
            fits = is_found && same_arg(&found[i], &callee->explicit_args.data[i]);
        }
        if (fits) return true;
    }
    return false;
}

/* template <> .. f<int>(..): with other arguments it is another function. */
static bool is_that_one(CuLower *l, const CuDecl *decl, const CuCallee *callee) {
    CuArgs written;
    CuToken *at = l->at;
    if (!callee->explicit_args.count) return true;
    if (!decl->special) return is_of_signature(l, decl, callee);
    l->at = decl->special;
    bool same = cu_template_args(l, &written) && written.count >= callee->explicit_args.count;
    if (same) written.count = callee->explicit_args.count;
    l->at = at;
    for (int i = 0; same && i < written.count; i++)
        same = same_arg(&written.data[i], &callee->explicit_args.data[i]);
    return same;
}

static bool as_special(CuLower *l, const Candidate *a, const Candidate *b, const CuScope *outer,
                       int count) {
    CuTemplate of_a, of_b;
    CuSignature x, y;
    if (!cu_template(l, a->decl, &of_a) || !cu_template(l, b->decl, &of_b)) return false;
    if (!patterns(l, a->decl, &of_a, outer, &x) || !patterns(l, b->decl, &of_b, outer, &y))
        return false;
    CuArg *found = arena_array(l->arena, CuArg, of_b.count + 1);
    memset(found, 0, (size_t)(of_b.count + 1) * sizeof *found);
    for (int i = 0; i < count && i < x.num_params && i < y.num_params; i++)
        if (!x.params[i].type || !y.params[i].type ||
            !cu_unify_exactly(l, y.params[i].type, x.params[i].type, found))
            return false;
    return true;
}

/* ---- all ---- */

static bool candidate(CuLower *l, const CuDecl *decl, const CuCallee *callee, int count,
                      const CuVal *args, Candidate *c) {
    CuTemplate t = {0};
    const CuScope *scope = cu_member_scope(l, callee);
    *c = (Candidate){
        .decl = decl, .ranks = arena_array(l->arena, int, count + 1), .is_packed = c->is_packed};
    if (!cu_template(l, decl, &t)) return false;
    c->is_template = t.count > 0;
    if (!decl->templates && callee->explicit_args.count) return false;
    if (decl->templates && !t.count && !is_that_one(l, decl, callee)) return false;
    if (t.count) scope = instance(l, decl, &t, scope, callee, count, args);
    return scope && cu_signature(l, decl, scope, &c->signature) &&
           is_viable(l, c, callee, count, args);
}

static void no_match(CuLower *l, const CuCallee *callee, const CuDecl *decl, int count,
                     const CuVal *args) {
    Buf types = {.arena = l->arena};
    buf_puts(&types, "");
    for (int i = 0; i < count; i++) {
        Str name = cu_name(l->arena, args[i].type);
        buf_printf(&types, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    if (decl && !decl->body && !decl->overload && !decl->is_deleted) {
        cu_unsupported(l, callee->place, "the function '%.*s', whose body is not in this file",
                       STR_ARG(callee->name));
        return;
    }
    cu_bad(l, callee->place, "no function '%.*s' takes (%.*s)", STR_ARG(callee->name),
           (int)types.length, types.data);
    if (decl)
        diag_note(l->diag, cu_span(decl->at->place), "'%.*s' is declared here",
                  STR_ARG(callee->name));
}

typedef struct Choice {
    Candidate best;
    const CuDecl *rival, *failed; /* failed: its declaration could not be read */
} Choice;

/* Of a function for the host and one for a kernel, in namespaces of their own, a kernel means
 * this. */
static bool is_for_device(const CuDecl *decl) {
    for (const CuToken *t = decl->start; t != decl->at && t->kind != CU_END; t = t->next)
        if (cu_is(t, "__device__")) return true;
    return decl->owner != NULL;
}

/* ---- namespaces ---- */

static bool has_space(const CuDecl *first, Str space) {
    for (const CuDecl *decl = first; decl; decl = decl->overload)
        if (str_equal(decl->space, space) && (decl->body || decl->is_native)) return true;
    return false;
}

/* Does a call look in one namespace alone: that in front of the name, else that of the function
 * around it, if it has the name and no argument is of a class, whose own is looked in, too? */
static bool is_narrow(const CuLower *l, const CuCallee *callee, const CuDecl *first, int count,
                      const CuVal *args, Str *space) {
    *space = callee->space;
    if (callee->record) return false;
    if (callee->space.length) return has_space(first, *space);
    for (int i = 0; i < count; i++)
        if (args[i].type->kind == CU_STRUCT) return false;
    *space = l->call && l->call->decl ? l->call->decl->space : STR("");
    return has_space(first, *space);
}

/* Of two that fit alike, f() means the one beside the function that calls it. */
static int nearer(const CuLower *l, const CuDecl *a, const CuDecl *b) {
    Str here = l->call && l->call->decl ? l->call->decl->space : STR("");
    return str_equal(a->space, here) - str_equal(b->space, here);
}

static void choose_in(CuLower *l, const CuCallee *callee, const CuDecl *first, int count,
                      const CuVal *args, const Str *space, Choice *choice) {
    for (const CuDecl *each = first; each; each = each->overload) {
        Candidate c = {0};
        const CuDecl *decl = each;
        Diag *diag = l->diag, quiet = {.arena = l->arena, .muted = true};
        CuToken *at = l->at;
        int nested = l->nested;
        if (decl->kind != CU_DECL_FUNCTION || !(decl->body || decl->is_native) || decl->is_deleted)
            continue;
        bool is_used =
            space && !space->length &&
            (map_get(&l->module->used, decl->space) || map_get(&l->module->used, callee->name));
        if (space && !is_used && !str_equal(decl->space, *space)) continue;
        l->diag = &quiet;
        decl = cu_without_pack(l, each, callee->explicit_args.count, count);
        c.is_packed = decl != each;
        bool fits = decl && candidate(l, decl, callee, count, args, &c);
        l->diag = diag;
        l->at = at;
        l->nested = nested;
        if (l->panic) choice->failed = decl;
        l->panic = false;
        if (!fits) continue;
        Candidate *best = &choice->best;
        int who = best->decl ? better(c.ranks, best->ranks, count + 1) : 1;
        if (!who && best->is_template != c.is_template) who = best->is_template ? 1 : -1;
        if (!who && is_for_device(best->decl) != is_for_device(decl))
            who = is_for_device(decl) != l->is_host ? 1 : -1;
        if (!who && best->is_packed != c.is_packed) who = best->is_packed ? 1 : -1;
        if (!who && c.is_template) {
            const CuScope *outer = cu_member_scope(l, callee);
            bool here = as_special(l, &c, best, outer, count);
            bool there = as_special(l, best, &c, outer, count);
            who = here == there ? 0 : here ? 1 : -1;
            l->panic = false;
        }
        if (!who) who = nearer(l, decl, best->decl);
        if (who > 0) {
            *best = c;
            choice->rival = NULL;
        } else if (who == 0) {
            choice->rival = decl;
        }
    }
}

/* Where it is to be looked for first, then in all: names are looked through. */
static void choose(CuLower *l, const CuCallee *callee, const CuDecl *first, int count,
                   const CuVal *args, Choice *choice) {
    Str space;
    if (is_narrow(l, callee, first, count, args, &space))
        choose_in(l, callee, first, count, args, &space, choice);
    if (!choice->best.decl) choose_in(l, callee, first, count, args, NULL, choice);
}

static bool is_exact(const Candidate *c, int count) {
    for (int i = 0; i < count; i++)
        if (c->ranks[i] > 1) return false;
    return true;
}

const CuDecl *cu_resolve(CuLower *l, const CuCallee *callee, int count, const CuVal *args,
                         CuSignature *signature, bool quietly) {
    Choice choice = {0};
    if (l->panic) return NULL;
    choose(l, callee, callee->first, count, args, &choice);
    if (!choice.best.decl && !callee->record) { /* what CUDA has */
        const CuDecl *more = map_get(&cu_library_of(l)->decls.names, callee->name);
        if (more != callee->first) choose(l, callee, more, count, args, &choice);
    }
    const Candidate *best = &choice.best;
    if (!best->decl) {
        Candidate again = {0};
        if (!quietly && choice.failed) /* say what is wrong with it */
            candidate(l, choice.failed, callee, count, args, &again);
        if (!quietly && !l->panic) no_match(l, callee, callee->first, count, args);
        return NULL;
    }
    if (choice.rival) {
        if (quietly && l->no_classes) return NULL;
        cu_bad(l, callee->place, "'%.*s' may be either of two functions", STR_ARG(callee->name));
        diag_note(l->diag, cu_span(best->decl->at->place), "this one");
        diag_note(l->diag, cu_span(choice.rival->at->place), "or this one");
        return NULL;
    }
    *signature = best->signature;
    signature->is_exact = is_exact(best, count);
    return best->decl;
}
