// SPDX-License-Identifier: Apache-2.0
/* longest: programs whose loops have most turns begin first.
 *
 *     %i = program_id {axis = 0}          %i = program_id {axis = 0, last_first = 1}
 *     %n = mul %i, 128              ->    %n = mul %i, 128
 *     for .. = 0 .. %n                    for .. = 0 .. %n
 *
 * As in causal attention, whose later rows see more keys: a program that begins when the others are
 * about to end has the whole device wait for it. Programs come in no order, so it means the same;
 * not where one may wait for others, by atomics or what it reads in a `while`, and not where a
 * report says which one it is. Of loops with products; which axis grows is told by the bounds'
 * slopes, as far as sums, multiples and extremes show them. */
#include "ir/arch.h"
#include "opt/opt.h"

enum { AXES = 3 };

typedef struct Slope {
    int axis;
    int visits; /* of values that are still looked at: a chain of x = x + x * x has 2^n paths */
} Slope;

/* By how much it grows with the program's index along the axis, about. */
static double slope_of(Slope *slope, const Value *value) {
    const Op *op = value->def;
    int64_t number;
    if (!op || slope->visits-- <= 0) return 0;
    if (op->kind == OP_PROGRAM_ID) return program_id_axis(op) == slope->axis;
    if (op->kind == OP_HINT || op->kind == OP_EXT_S || op->kind == OP_TRUNC)
        return slope_of(slope, op->operands[0]);
    if (op->kind == OP_MUL || op->kind == OP_DIV_S) {
        if (!value_is_int(op->operands[1], &number) || number <= 0) return 0;
        double a = slope_of(slope, op->operands[0]);
        return op->kind == OP_MUL ? a * (double)number : a / (double)number;
    }
    bool is_sum = op->kind == OP_ADD || op->kind == OP_SUB;
    if (!is_sum && op->kind != OP_MIN_S && op->kind != OP_MAX_S) return 0;
    double a = slope_of(slope, op->operands[0]), b = slope_of(slope, op->operands[1]);
    if (op->kind == OP_ADD) return a + b;
    if (op->kind == OP_SUB) return a - b;
    return a ? a : b;
}

static double slope(const Value *value, int axis) {
    return slope_of(&(Slope){.axis = axis, .visits = 256}, value);
}

/* Nobody else knows of the program, nor which one it is. */
static bool is_alone(Op *op, void *user) {
    (void)user;
    if (op->kind == OP_LOAD) return !load_volatile(op);
    if (op->kind == OP_STORE) return !store_volatile(op);
    return op->kind == OP_FOR || op->kind == OP_IF || op->kind == OP_YIELD || op_only_tests(op) ||
           op_has_trait(op, PURE);
}

static bool begins_last_first(Op *op, void *user) {
    if (op->kind == OP_PROGRAM_ID && program_id_axis(op) == *(int *)user)
        program_id_set_last_first(op, 1);
    return true;
}

bool pass_longest(PassCtx *px, Func *fn) {
    const Arch *arch = arch_find(str_of(px->target));
    if (fn->form != FORM_PROGRAM || !arch || !region_walk(fn->body, is_alone, NULL)) return false;
    bool changed = false;
    for (int axis = 0; axis < AXES; axis++) {
        double grows = 0;
        int64_t step;
        for (const Op *op = fn->body->first; op; op = op->next) {
            if (op->kind != OP_FOR || !region_has(for_body(op), OP_DOT)) continue;
            if (!value_is_int(for_step(op), &step) || step <= 0) continue;
            grows += (slope(for_upper(op), axis) - slope(for_lower(op), axis)) / (double)step;
        }
        if (grows <= 0) continue;
        region_walk(fn->body, begins_last_first, &axis);
        changed = true;
    }
    return changed;
}
