// SPDX-License-Identifier: Apache-2.0
/* deduce: what a type says about the parameters of a template.
 *
 *     template <class T, int N> void f(const T *p, Array<T, N> &a)      f(x, y), x: float *
 *
 * gives T = float. Patterns hold CU_PARAM where a parameter stands, or CU_PARAM -1 for what says
 * nothing (T::type, N + 1). */
#include "cuda/front.h"

static bool agree(CuArg *have, CuArg found) {
    if (have->param == CU_FIXED) return true;
    if (!have->type && !have->is_value) {
        *have = found;
        return true;
    }
    if (have->is_value != found.is_value) return false;
    if (found.is_value) return have->bits == found.bits;
    return cu_same(have->type, found.type) && have->type->is_const == found.type->is_const &&
           have->type->is_volatile == found.type->is_volatile;
}

/* `const T` and `const float`: T is float. */
static const CuType *without(CuLower *l, const CuType *type, const CuType *pattern) {
    bool is_const = type->is_const && !pattern->is_const;
    bool is_volatile = type->is_volatile && !pattern->is_volatile;
    return cu_qualified(l->arena, cu_plain(l->arena, type), is_const, is_volatile);
}

static bool unify(CuLower *l, const CuType *pattern, const CuType *type, bool exactly, CuArg *args);

bool cu_unify_args(CuLower *l, CuArgs pattern, CuArgs given, CuArg *args) {
    if (pattern.count > given.count) return false;
    for (int i = 0; i < pattern.count; i++) {
        const CuArg *p = &pattern.data[i], *g = &given.data[i];
        if (p->is_value != g->is_value && p->param >= 0) return false;
        if (p->param < 0) continue;
        if (!p->is_value) {
            if (!unify(l, p->type, g->type, true, args)) return false;
            bool is_bare = p->type->kind == CU_PARAM;
            if (!is_bare && p->type->is_const != g->type->is_const) return false;
        } else if (p->param) {
            CuArg value = *g;
            value.param = 0;
            if (!agree(&args[p->param - 1], value)) return false;
        } else if (p->bits != g->bits) {
            return false;
        }
    }
    return true;
}

/* exactly: `const T` is no float; else a call adds const on its way. */
static bool unify(CuLower *l, const CuType *pattern, const CuType *type, bool exactly,
                  CuArg *args) {
    if (exactly && pattern->is_const && !type->is_const) return false;
    if (pattern->kind == CU_PARAM) {
        if (pattern->param < 0) return true;
        return agree(&args[pattern->param], (CuArg){.type = without(l, type, pattern)});
    }
    if (!cu_is_pattern(pattern)) return cu_same(pattern, type);
    if (pattern->kind != type->kind) return false;
    if (pattern->kind == CU_POINTER) {
        if (pattern->of->kind != CU_PARAM && type->of->is_const && !pattern->of->is_const)
            return false;
        return unify(l, pattern->of, type->of, exactly, args);
    }
    if (pattern->kind == CU_ARRAY) {
        CuArg count = {.type = cu_type(CU_ULONG), .is_value = true, .bits = (uint64_t)type->count};
        bool is_param = pattern->count <= -2 && pattern->count != CU_ANY_COUNT;
        if (is_param && !agree(&args[-2 - pattern->count], count)) return false;
        if (pattern->count >= 0 && pattern->count != type->count) return false;
        return unify(l, pattern->of, type->of, exactly, args);
    }
    const CuRecord *record = type->record;
    for (; record; record = record->base) /* a reference to a base is one to what derives from it */
        if (record->decl &&
            cu_first_type(l, record->decl) == cu_first_type(l, pattern->record->decl))
            return cu_unify_args(l, pattern->record->args, record->args, args);
    return false;
}

bool cu_unify(CuLower *l, const CuType *pattern, const CuType *type, CuArg *args) {
    return unify(l, pattern, type, false, args);
}

bool cu_unify_exactly(CuLower *l, const CuType *pattern, const CuType *type, CuArg *args) {
    return unify(l, pattern, type, true, args);
}
