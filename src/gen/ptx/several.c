// SPDX-License-Identifier: Apache-2.0
/* What one lane of a row needs (that of a target is less by 1) is made behind a branch, which one
 * test of several lanes goes past. Only where rows are held so that blocks share a multiprocessor,
 * by threads that have registers for both arms: then instructions are what bounds them. */
#include "gen/ptx/gen.h"

enum { SEVERAL = 8, MOST_THREADS = 256 };

/* Where lane `at` of several that lie one after another is 1 and the others are 0. */
static bool is_one_of(Tirs *b, const Tir *y, Tir *at) {
    uint64_t first = 0;
    *at = 0;
    for (int r = 0; r < SEVERAL; r++) {
        uint64_t one, zero, number;
        if (!tir_is(b, y[r], TIR_SELECT32)) return false;
        Tir equal = tir_argument(b, y[r], 2);
        bool fits = tir_is(b, equal, TIR_EQ32) && tir_is_const(b, tir_argument(b, y[r], 0), &one) &&
                    one == 0x3f800000 && tir_is_const(b, tir_argument(b, y[r], 1), &zero) &&
                    zero == 0;
        if (!fits) return false;
        Tir x = tir_argument(b, equal, 0);
        if (!tir_is_const(b, tir_argument(b, equal, 1), &number)) {
            if (r) return false;
            x = tir_2(b, TIR_SUB32, tir_argument(b, equal, 1), x), number = 0;
        }
        if (!r) *at = x, first = number;
        if (x != *at || number != first + (uint64_t)r) return false;
    }
    *at = tir_2(b, TIR_SUB32, *at, tir_i32(b, (int64_t)first));
    return true;
}

static bool less_one(Gen *g, const Op *op, const Tir *x, const Tir *y, Tir *regs) {
    Tirs *b = g->b;
    Tir at = 0;
    if (type_lane(op_result(op)->type)->kind != TYPE_F32) return false;
    if (!is_one_of(b, y, &at)) return false;
    int end = tir_new_label(b);
    Tir here = tir_2(b, TIR_LT_U32, at, tir_i32(b, SEVERAL));
    for (int r = 0; r < SEVERAL; r++) {
        regs[r] = tir_var(b, CLASS_B32);
        tir_set(b, regs[r], x[r]);
    }
    tir_branch(b, end, here, true);
    int scope = tir_enter(b);
    for (int r = 0; r < SEVERAL; r++) {
        Tir other = tir_2(b, TIR_NE32, at, tir_i32(b, r));
        Tir one = tir_select(b, other, tir_f32(b, 0), tir_f32(b, 1));
        tir_set(b, regs[r], tir_2(b, TIR_SUB_F32, regs[r], one));
    }
    tir_leave(b, scope);
    tir_label(b, end);
    return true;
}

int ptx_several(Gen *g, const Op *op, Tir *const *operands, int r, int count, Tir *regs) {
    if (!g->fn->shares || g->threads > MOST_THREADS || r % SEVERAL || r + SEVERAL > count) return 0;
    bool tiles = op->kind == OP_FSUB && type_is_tile(op->operands[0]->type) &&
                 type_is_tile(op->operands[1]->type);
    return tiles && less_one(g, op, operands[0] + r, operands[1] + r, regs + r) ? SEVERAL : 0;
}
