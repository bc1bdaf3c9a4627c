// SPDX-License-Identifier: Apache-2.0
/* exp_sum: constants plus powers, of f32, as sigmoid has them. What assemblers do to numbers that
 * may be subnormal is then for nothing, and they do not see it:
 *
 *     2^t + 1         2^t may be flushed to 0 below 2^-126: the sum is rounded to 1 anyway
 *     1 / (2^t + 1)   .25 * rcp(.25 * 2^t + .25): rcp, which flushes, is given 1/4 .. 2^126
 *
 * The bits are those that ex2.approx and div.full give. */
#include "gen/ptx/tir.h"

#include <math.h>

/* Half a unit in the last place of what is below 2^-60 of it is far above 2^-126; what is above
 * 2^60 of it is far below one of the greatest number. */
static bool is_medium(const Tirs *b, Tir x, float *value) {
    uint64_t bits;
    if (!tir_is_const(b, x, &bits)) return false;
    uint32_t low = (uint32_t)bits;
    memcpy(value, &low, sizeof low);
    return fabsf(*value) >= 0x1p-60f && fabsf(*value) <= 0x1p60f;
}

static bool is_power(const Tirs *b, Tir x) {
    return tir_is(b, x, TIR_EX2KEEP_F32) || tir_is(b, x, TIR_EX2_F32);
}

Tir tir_over_power(Tirs *b, Tir x, Tir y) {
    float c, a;
    Tir quarter = tir_f32(b, 0.25f);
    if (!tir_is(b, y, TIR_ADD_F32)) return 0;
    Tir power = tir_argument(b, y, 0);
    if (!is_power(b, power) || !is_medium(b, tir_argument(b, y, 1), &c) || c < 0) return 0;
    if (is_medium(b, x, &a)) {
        Tir part = tir_3(b, TIR_FMA_F32, power, quarter, tir_f32(b, 0.25f * c));
        return tir_2(b, TIR_MUL_F32, tir_1(b, TIR_RCP_F32, part), tir_f32(b, 0.25f * a));
    }
    /* A quarter of x may lose bits, and is wanted only where x / y is subnormal or x is large. */
    Tir big = tir_2(b, TIR_GT_F32, y, tir_f32(b, 0x1p126f));
    y = tir_select(b, big, tir_2(b, TIR_MUL_F32, y, quarter), y);
    x = tir_select(b, big, tir_2(b, TIR_MUL_F32, x, quarter), x);
    return tir_2(b, TIR_MUL_F32, x, tir_1(b, TIR_RCP_F32, y));
}

/* Rounded to the same number, whether the power that it reads is below 2^-126 or 0. */
static bool forgives(const Tirs *b, const TirIns *ins) {
    float c, factor;
    if (ins->kind != TIR_PURE) return false;
    if (ins->op == TIR_ADD_F32 || ins->op == TIR_SUB_F32)
        return is_medium(b, ins->args[0], &c) || is_medium(b, ins->args[1], &c);
    return ins->op == TIR_FMA_F32 && is_medium(b, ins->args[1], &factor) && fabsf(factor) <= 1 &&
           is_medium(b, ins->args[2], &c);
}

void tir_flush_powers(Tirs *b) {
    int count = b->list.count;
    bool *kept = arena_array(b->arena, bool, count);
    for (Tir x = 1; x < count; x++) {
        const TirIns *ins = &b->list.data[x];
        for (int i = 0; i < ins->num_args && !forgives(b, ins); i++) kept[ins->args[i]] = true;
        if (ins->kind == TIR_RESULT) kept[ins->args[0]] = true;
    }
    for (Tir x = 1; x < count; x++)
        if (!kept[x] && tir_is(b, x, TIR_EX2KEEP_F32)) b->list.data[x].op = TIR_EX2_F32;
}
