// SPDX-License-Identifier: Apache-2.0
/* lanes: of a row's sum that a loop scales from turn to turn, each thread adds up its own lanes.
 *
 *     for .. (%t = %t0)                     for .. (%u = %t0 in the first lane, else 0)
 *       %p = exp2 ..                          %p = exp2 ..
 *       %s = reduce %p {axis = 1, add}  ->    %s = reduce reshape %p {each of 4 lanes its own, add}
 *       %t' = fma %t, %less, %s               %u' = fma %u, %less, %s
 *       yield %t'                             yield %u'
 *     .. %t ..                              .. reduce %u {axis = 1, add} ..
 *
 * As in attention, whose scores are products by wgmma: four threads have a row, in columns by
 * pairs, and would tell each other their sums in each turn. The order of the sum is another,
 * which tl.sum does not promise. %less is exp(%m - max(%m, ..)): 0 to 1 or NaN, so that a lane
 * without a part of the sum stays 0. Nobody in the loop reads what there is so far. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

enum { PAIR = 2, ROW_LANES = 4 }; /* columns of a thread side by side, threads of a row */

typedef struct Sum {
    Func *fn;
    Op *loop, *next, *reduce; /* next: the fma */
    Value *less;
    int carried;
} Sum;

static bool is_of_product(const Sum *s, const Type *type, const Arch *arch) {
    for (const Op *op = for_body(s->loop)->first; op; op = op->next)
        if (op->kind == OP_DOT && type_same_shape(op_result(op)->type, type) &&
            type->shape[1] % (PAIR * ROW_LANES) == 0 &&
            !dot_why_no_wgmma(op, arch, s->fn->num_warps))
            return true;
    return false;
}

static bool adds_rows(const Sum *s, const Op *op, const Arch *arch) {
    if (!op || op->kind != OP_REDUCE || op->num_operands != 1 || reduce_axis(op) != 1) return false;
    const Type *type = op->operands[0]->type;
    const Op *add = region_yield(op->regions[0])->operands[0]->def;
    return add && add->kind == OP_FADD && !add->prev && type->rank == 2 &&
           type_lane(type)->kind == TYPE_F32 && op->parent == for_body(s->loop) &&
           value_is_used_once(s->fn, op_result(op)) && is_of_product(s, type, arch);
}

/* exp(%m - max(%m, ..)), where the loop carries %m. */
static bool is_at_most_one(const Sum *s, const Value *value) {
    const Op *exp = value->def, *less, *most;
    if (!exp || (exp->kind != OP_EXP2 && exp->kind != OP_EXP)) return false;
    less = exp->operands[0]->def;
    if (!less || less->kind != OP_FSUB || less->operands[0]->region != for_body(s->loop))
        return false;
    most = less->operands[1]->def;
    return most && most->kind == OP_FMAX &&
           (most->operands[0] == less->operands[0] || most->operands[1] == less->operands[0]);
}

static bool find_sum(Sum *s, const Arch *arch) {
    const Value *arg = for_arg(s->loop, s->carried);
    s->next = for_next(s->loop, s->carried)->def;
    if (!s->next || s->next->kind != OP_FMA || s->next->parent != for_body(s->loop)) return false;
    int at = s->next->operands[0] == arg ? 0 : 1;
    s->less = s->next->operands[1 - at], s->reduce = s->next->operands[2]->def;
    return s->next->operands[at] == arg && value_is_used_once(s->fn, arg) &&
           value_is_used_once(s->fn, op_result(s->next)) && adds_rows(s, s->reduce, arch) &&
           is_at_most_one(s, s->less);
}

/* ---- writing ---- */

/* Of rows: one number in each of the lanes. */
static Value *in_lanes(Builder *b, Value *row) {
    return build_broadcast(b, build_expand_dims(b, row, 1),
                           (int[]){row->type->shape[0], ROW_LANES});
}

static Value *start_of(const Sum *s, Builder *b) {
    Value *start = in_lanes(b, for_init(s->loop, s->carried));
    Value *lane = build_arange(b, 0, ROW_LANES);
    lane = build_icmp(b, ICMP_EQ, lane, build_int(b, lane->type, 0));
    lane = build_broadcast(b, build_expand_dims(b, lane, 0), start->type->shape);
    return build_select(b, lane, start, build_float(b, start->type, 0));
}

/* The same sum along another axis. */
static Value *sum_along(const Sum *s, Builder *b, Value *value, int axis) {
    Map none = {.arena = s->fn->arena};
    int shape[MAX_RANK], rank = 0;
    for (int d = 0; d < value->type->rank; d++)
        if (d != axis) shape[rank++] = value->type->shape[d];
    Op *sum = op_clone(b, s->reduce, &none);
    sum->operands[0] = value;
    reduce_set_axis(sum, axis);
    op_result(sum)->type = type_tile(s->fn->types, type_lane(value->type), rank, shape);
    return op_result(sum);
}

static void write(Sum *s) {
    Value *of = s->reduce->operands[0], *arg;
    int rows = of->type->shape[0], pairs = of->type->shape[1] / (PAIR * ROW_LANES);
    Builder before = {.fn = s->fn, .region = s->loop->parent, .before = s->loop};
    before.span = s->reduce->span;
    Value *start = start_of(s, &before);
    Op *loop = for_carry_more(s->fn, s->loop, 1, &start, &arg), *next = s->next;
    Builder in = {.fn = s->fn, .region = for_body(loop), .before = next, .span = next->span};
    Value *own = build_reshape(&in, of, 4, (int[]){rows, pairs, ROW_LANES, PAIR});
    own = sum_along(s, &in, sum_along(s, &in, own, 3), 1);
    Value *sum = build_3(&in, OP_FMA, arg, in_lanes(&in, s->less), own);
    for_yield_more(s->fn, loop, 1, &sum);
    Builder after = {.fn = s->fn, .region = loop->parent, .before = loop->next};
    after.span = s->reduce->span;
    loop->results[s->carried].replaced =
        sum_along(s, &after, &loop->results[for_count(loop) - 1], 1);
    func_resolve(s->fn);
    s->loop = loop;
}

/* ---- all ---- */

/* Of the two parts of one that unmask.c divided, which lost 6 % (128x128 by 128 on an H200). */
static bool is_part(const Op *loop) {
    const Op *after = loop->next;
    while (after && after->kind != OP_FOR) after = after->next;
    return for_rest(loop) || (after && for_rest(after));
}

static bool lanes_region(Func *fn, Region *region, const Arch *arch) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= lanes_region(fn, op->regions[i], arch);
        if (op->kind != OP_FOR || is_part(op)) continue;
        Sum s = {.fn = fn, .loop = op};
        for (int count = for_count(op); s.carried < count; s.carried++)
            if (find_sum(&s, arch)) write(&s), changed = true;
    }
    return changed;
}

bool pass_lanes(PassCtx *px, Func *fn) {
    const Arch *arch = arch_find(str_of(px->target));
    if (fn->form != FORM_PROGRAM || !arch || !lanes_region(fn, fn->body, arch)) return false;
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
