// SPDX-License-Identifier: Apache-2.0
/* extreme: reductions of pairs that choose the largest first and, of equal ones, the smallest
 * second (max with indices, argmin ..; trips.h). What the kernel's text says of a pair, with its
 * rules for ties and NaNs, takes seven comparisons and choices. Knowing what it means, less does:
 *
 *     registers of a thread whose seconds are in order:      all lanes of a warp:
 *         m = max l, r                                           m = max over the lanes of v
 *         v, i = m == l ? the left : the right                   i = min over those with v == m
 *
 * max.f32 gives the number of a NaN and a number, so m is a NaN where all are: then no comparison
 * holds, and the first one is put right at the end. Of zeros, m may have the other sign than the
 * one that is chosen. */
#include "gen/ptx/gen.h"

static Tir better(Gen *g, const Extreme *e, bool is_float, Tir x, Tir y) {
    TirOp op = is_float         ? e->largest ? TIR_MAX_F32 : TIR_MIN_F32
               : e->is_unsigned ? e->largest ? TIR_MAX_U32 : TIR_MIN_U32
               : e->largest     ? TIR_MAX_S32
                                : TIR_MIN_S32;
    return tir_2(g->b, op, x, y);
}

static Tir is_equal(Gen *g, bool is_float, Tir x, Tir y) {
    return tir_2(g->b, is_float ? TIR_EQ_F32 : TIR_EQ32, x, y);
}

/* ---- registers ---- */

/* The places of the registers by what is added to a common base; false: there is none, or a sum
 * might wrap around. */
static bool order_of(Gen *g, int count, const Tir *seconds, int *order) {
    int64_t *offsets = arena_array(g->arena, int64_t, count);
    Tir base = tir_split_offset(g->b, seconds[0], &offsets[0]);
    if (g->b->list.data[base].zeros >> 30 != 3 && !tir_is_const(g->b, base, NULL)) return false;
    for (int i = 0; i < count; i++) {
        if (tir_split_offset(g->b, seconds[i], &offsets[i]) != base || offsets[i] < 0) return false;
        int at = i;
        for (; at && offsets[order[at - 1]] > offsets[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return true;
}

bool ptx_extreme_registers(Gen *g, const Extreme *e, bool is_float, bool exact, int count,
                           Tir *firsts, Tir *seconds) {
    int *order = arena_array(g->arena, int, count);
    if (!order_of(g, count, seconds, order)) return false;
    Tir *v = ptx_new_regs(g, count), *i = ptx_new_regs(g, count);
    for (int n = 0; n < count; n++) {
        int from = order[e->smaller_second ? n : count - 1 - n];
        v[n] = firsts[from], i[n] = seconds[from];
    }
    Tir earliest = i[0];
    for (int left = count; left > 1; left /= 2)
        for (int n = 0; n < left / 2; n++) {
            Tir l = v[2 * n], r = v[2 * n + 1], most = better(g, e, is_float, l, r);
            Tir is_left = is_equal(g, is_float, most, l);
            v[n] = is_float && exact ? tir_select(g->b, is_left, l, r) : most;
            i[n] = tir_select(g->b, is_left, i[2 * n], i[2 * n + 1]);
        }
    if (is_float) i[0] = tir_select(g->b, tir_2(g->b, TIR_NE_F32, v[0], v[0]), earliest, i[0]);
    firsts[0] = v[0], seconds[0] = i[0];
    return true;
}

/* ---- lanes ---- */

Tir ptx_across_warp(Gen *g, const char *text, Tir x, RegClass class) {
    Tir index;
    tir_ins(g->b, TIR_SHUFFLE, text, 1, &x, &index);
    return tir_results(g->b, index, class, 1);
}

/* The sign of the lane that is chosen, where `most` may be the other zero. */
static Tir with_sign(Gen *g, Tir most, Tir first, Tir is_chosen) {
    Tirs *b = g->b;
    Tir sign = tir_i32(b, 1ll << 31);
    Tir is_set = tir_2(b, TIR_AND_P, is_chosen, tir_2(b, TIR_LT_S32, first, tir_i32(b, 0)));
    Tir any = ptx_across_warp(g, "vote.sync.any.pred", is_set, CLASS_PRED);
    Tir clear = tir_2(b, TIR_AND32, most, tir_i32(b, INT32_MAX));
    return tir_select(b, any, tir_2(b, TIR_OR32, most, sign), clear);
}

void ptx_extreme_lanes(Gen *g, const Extreme *e, bool is_float, bool exact, Tir *first,
                       Tir *second) {
    Tirs *b = g->b;
    Tir most = *first;
    for (int bit = 0; bit < LANE_BITS; bit++)
        most = better(g, e, is_float, most, ptx_shuffle(g, "bfly", most, tir_i32(b, 1 << bit)));
    Tir has_it = is_equal(g, is_float, most, *first);
    if (is_float) has_it = tir_2(b, TIR_OR_P, has_it, tir_2(b, TIR_NE_F32, most, most));
    Tir none = tir_i32(b, e->smaller_second ? INT32_MAX : INT32_MIN);
    const char *text = e->smaller_second ? "redux.sync.min.s32" : "redux.sync.max.s32";
    Tir index = ptx_across_warp(g, text, tir_select(b, has_it, *second, none), CLASS_B32);
    Tir is_chosen = tir_2(b, TIR_AND_P, has_it, tir_2(b, TIR_EQ32, *second, index));
    *first = is_float && exact ? with_sign(g, most, *first, is_chosen) : most;
    *second = index;
}
