// SPDX-License-Identifier: Apache-2.0
/* online: the sum of exponentials of what a loop over pieces takes the maximum of is made in the
 * same loop, of the maximum so far; what it was too small by is made up for behind the loop.
 *
 *     for .. (%m)                            for .. (%m, %s)
 *       %m' = fmax %m, %x                      %m' = fmax %m, %x
 *     %most = reduce %m {max}           ->     %s' = %s * exp(%m - %m') + exp(%x - %m')
 *     for .. (%s)                            %most = reduce %m {max}
 *       %s' = fadd %s, exp(%x - %most)       %sum = reduce (%s * exp(%m - %most)) {add}
 *     %sum = reduce %s {add}
 *
 * So what is too large for the chip is read once less. A piece is folded first: of each FOLD of its
 * lanes one maximum is compared and one sum rescaled. Lanes that are -inf so far add nothing:
 * exp(x - 0) is 0. As before the sum is NaN where a NaN, an infinity or -inf alone is there. */
#include "ir/trips.h"
#include "opt/gpu/pieces.h"
#include <math.h>

enum { LOG2_E = 0x3fb8aa3b, ONE = 0x3f800000 }; /* as f32 */

/* The op of the combination, where that is one op. */
static const Op *combination(const Op *reduce, OpKind kind) {
    bool fits = reduce->kind == OP_REDUCE && reduce->num_operands == 1 && reduce_by_value(reduce) &&
                type_lane(reduce->operands[0]->type)->kind == TYPE_F32;
    const Op *op = fits ? region_yield(reduce->regions[0])->operands[0]->def : NULL;
    return op && op->kind == kind ? op : NULL;
}

/* The same number in each lane along the axis: what it is of the others; or NULL. */
static Value *uniform(const Value *tile, int axis) {
    const Op *op = tile->def;
    if (op && op->kind == OP_SPLAT) return op->operands[0];
    bool along = op && op->kind == OP_BROADCAST && op->operands[0]->type->shape[axis] == 1;
    op = along ? op->operands[0]->def : NULL;
    return op && op->kind == OP_EXPAND_DIMS && expand_dims_axis(op) == axis ? op->operands[0]
                                                                            : NULL;
}

/* It, or the larger of it and another. */
static bool is_at_least(const Value *value, const Value *most) {
    const Op *op = value->def;
    return value == most ||
           (op && op->kind == OP_FMAX && (op->operands[0] == most || op->operands[1] == most));
}

bool online_follows(const Op *most, const Op *total) {
    int axis = (int)reduce_axis(total);
    if (!combination(most, OP_FMAX) || !combination(total, OP_FADD)) return false;
    const Op *power = total->operands[0]->def;
    bool fits = power && (power->kind == OP_EXP || power->kind == OP_EXP2);
    const Op *less = fits ? power->operands[0]->def : NULL;
    if (!less || less->kind != OP_FSUB || less->operands[0] != most->operands[0]) return false;
    const Value *from = uniform(less->operands[1], axis);
    return from && reduce_axis(most) == axis && most->parent == total->parent &&
           is_at_least(from, op_result(most));
}

/* Is one of what is added exp(0), so that numbers below f32's normal ones add nothing? */
static bool has_one(const Op *most, const Op *total) {
    if (most->kind != OP_REDUCE || !online_follows(most, total)) return false;
    const Op *less = total->operands[0]->def->operands[0]->def;
    return uniform(less->operands[1], (int)reduce_axis(total)) == op_result(most);
}

static bool is_read_by_others(const Nest *nest, const Value *value, const Op *reader) {
    for (int i = 0; i < nest->ops.count; i++)
        for (int k = 0; k < nest->ops.data[i]->num_operands; k++)
            if (nest->ops.data[i] != reader && nest->ops.data[i]->operands[k] == value) return true;
    return false;
}

static bool is_of_sum_with_one(Nest *const *nests, int number, const Op *power) {
    for (int i = 0; i < nests[number]->ends.count; i++) {
        const Op *total = nests[number]->ends.data[i];
        if (total->kind != OP_REDUCE || total->operands[0] != op_result(power)) continue;
        if (is_read_by_others(nests[number], op_result(power), total)) return false;
        for (int k = 0; k < number; k++)
            for (int n = 0; n < nests[k]->ends.count; n++)
                if (has_one(nests[k]->ends.data[n], total)) return true;
    }
    return false;
}

Value *online_rough(Builder *b, Nest *const *nests, int number, const Op *power, Value *of) {
    if (power->kind != OP_EXP || exp_precise(power)) return NULL;
    if (!is_of_sum_with_one(nests, number, power)) return NULL;
    const Type *type = of->type;
    Value *log2_e = build_constant_bits(b, type_lane(type), LOG2_E);
    return build_1(b, OP_EXP2,
                   build_2(b, OP_FMUL, of, build_splat(b, log2_e, type->rank, type->shape)));
}

/* x / total is x * (1 / total), bit by bit: the sum is at least 1, and of no more lanes than a tile
 * has, so that neither it nor its inverse is scaled. */
Value *online_inverse(Builder *b, Nest *const *nests, int number, const Op *quotient, Value *x,
                      Value *y) {
    if (quotient->kind != OP_FDIV || fdiv_exact(quotient)) return NULL;
    const Value *sum = uniform(quotient->operands[1], 0);
    for (int i = 0; sum && i < number; i++)
        for (int n = 0; n < nests[i]->ends.count; n++) {
            const Op *total = nests[i]->ends.data[n];
            if (total->kind != OP_REDUCE || op_result(total) != sum) continue;
            for (int k = 0; k < i; k++)
                for (int m = 0; m < nests[k]->ends.count; m++) {
                    if (!has_one(nests[k]->ends.data[m], total)) continue;
                    Value *one = build_constant_bits(b, type_lane(x->type), ONE);
                    one = build_splat(b, one, x->type->rank, x->type->shape);
                    return build_2(b, OP_FMUL, x, build_2(b, OP_FDIV, one, y));
                }
        }
    return NULL;
}

static Value *power_of(Builder *b, const Op *total, Value *value) {
    const Op *power = total->operands[0]->def;
    Map map = {.arena = b->fn->arena};
    map_set_pointer(&map, power->operands[0], value);
    Op *made = op_clone(b, power, &map);
    made->results[0].type = value->type;
    return op_result(made);
}

/* x [.., n, ..] as [.., fold, n / fold, ..] */
static Value *folded(Builder *b, Value *x, int axis, int fold) {
    const Type *type = x->type;
    int shape[MAX_RANK + 1] = {0};
    for (int i = 0; i <= type->rank; i++) shape[i] = type->shape[i - (i > axis)];
    shape[axis] = fold, shape[axis + 1] /= fold;
    return build_reshape(b, x, type->rank + 1, shape);
}

/* Of the reduction's operands, folded. */
static Op *reduced(Builder *b, const Op *like, Value *const *folded_values) {
    int axis = (int)reduce_axis(like), shape[MAX_RANK] = {0};
    const Type *type = folded_values[0]->type;
    for (int i = 0; i + 1 < type->rank; i++) shape[i] = type->shape[i + (i >= axis)];
    Map none = {.arena = b->fn->arena};
    Op *made = op_clone(b, like, &none);
    for (int i = 0; i < like->num_operands; i++) {
        made->operands[i] = folded_values[i];
        type = type_lane(folded_values[i]->type);
        made->results[i].type =
            type_tile(b->fn->types, type, folded_values[i]->type->rank - 1, shape);
    }
    return made;
}

static bool can_fold(const Value *x, int axis, int fold) {
    return x->type->rank < MAX_RANK && x->type->shape[axis] % (2 * fold) == 0;
}

void fold_lanes(Builder *b, const Op *reduce, int fold, Value **values) {
    int axis = (int)reduce_axis(reduce);
    if (fold < 2 || !can_fold(values[0], axis, fold)) return;
    for (int i = 0; i < reduce->num_operands; i++) values[i] = folded(b, values[i], axis, fold);
    Op *made = reduced(b, reduce, values);
    for (int i = 0; i < reduce->num_operands; i++) values[i] = &made->results[i];
}

static Value *splat_like(Builder *b, double number, const Type *type) {
    return build_splat(b, build_float(b, type_lane(type), number), type->rank, type->shape);
}

void online_turn(Builder *b, const Op *most, const Op *total, Value *x, Value *so_far[2]) {
    int axis = (int)reduce_axis(most);
    bool folds = can_fold(x, axis, FOLD);
    Value *lanes = folds ? folded(b, x, axis, FOLD) : x;
    Value *m = folds ? op_result(reduced(b, most, &lanes)) : x;
    if (so_far[0]) m = build_2(b, combination(most, OP_FMAX)->kind, so_far[0], m);
    Value *none = splat_like(b, -INFINITY, m->type);
    Value *zero = splat_like(b, 0, m->type);
    Value *from = build_select(b, build_fcmp(b, FCMP_OEQ, m, none), zero, m);
    Value *to_all = from;
    if (folds) to_all = build_broadcast(b, build_expand_dims(b, from, axis), lanes->type->shape);
    Value *s = power_of(b, total, build_2(b, OP_FSUB, lanes, to_all));
    if (folds) s = op_result(reduced(b, total, &s));
    if (so_far[0]) {
        Value *scale = power_of(b, total, build_2(b, OP_FSUB, so_far[0], from));
        s = build_2(b, OP_FADD, build_2(b, OP_FMUL, so_far[1], scale), s);
    }
    so_far[0] = m, so_far[1] = s;
}

void online_end(Func *fn, Op *total, Value *so_far[2]) {
    Builder b = {.fn = fn, .region = total->parent, .before = total, .span = total->span};
    int axis = (int)reduce_axis(total);
    const Type *type = so_far[0]->type;
    Value *from = uniform(total->operands[0]->def->operands[0]->def->operands[1], axis);
    if (type_is_tile(from->type))
        from = build_broadcast(&b, build_expand_dims(&b, from, axis), type->shape);
    else
        from = build_splat(&b, from, type->rank, type->shape);
    Value *scale = power_of(&b, total, build_2(&b, OP_FSUB, so_far[0], from));
    total->operands[0] = build_2(&b, OP_FMUL, so_far[1], scale);
}
