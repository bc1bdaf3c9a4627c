// SPDX-License-Identifier: Apache-2.0
/* spread_one: what one thread of the block does alone is scalar code.
 *
 *     if threadIdx.x == %u {                     if 0 <= %u < 256 {
 *       while .. { %k, %sum                        while .. { %k, %sum : scalars
 *         %p = addptr %s, %k                ->       %p = addptr %s, %k
 *         ..                                         ..
 *       %q = addptr %out, %i                       %j = add %base, %u
 *       store %q, %sum                             %q = addptr %out, %j     store %q, %sum
 *
 * A loop of it costs one lane, not those of the block. What the arm reads of the values of all
 * threads is computed again for this thread, or taken out of its lane. */
#include "opt/spread.h"

enum {
    MOST_TAKEN = 16, /* values from outside */
    MOST_AGAIN = 6,  /* ops in a row that are computed again */
};

typedef struct Taken {
    const Value *old;
    Value *tile, *scalar;
} Taken;

typedef struct OneArm {
    Spread *s;
    int axis; /* the only one along which there are threads */
    const Region *region;
    Value *thread; /* scalar: which */
    int count;
    Taken taken[MOST_TAKEN];
} OneArm;

/* Whether each op of the arm can be scalar, and which values it needs of the tiles around it. */
static bool note_op(Op *op, void *user) {
    OneArm *arm = user;
    if (op->kind == OP_BARRIER || op->kind == OP_SHUFFLE || op->kind == OP_VOTE ||
        op->kind == OP_ACTIVE || op->kind == OP_WARP_SYNC)
        return false; /* of several threads */
    for (int i = 0; i < op->num_operands; i++) {
        const Value *value = op->operands[i];
        bool known = !arm->s->varying[value->id] || value_is_inside(value, arm->region);
        for (int k = 0; k < arm->count && !known; k++) known = arm->taken[k].old == value;
        if (known) continue;
        if (arm->count == MOST_TAKEN) return false;
        arm->taken[arm->count++] = (Taken){.old = value, .tile = arm->s->now[value->id]};
    }
    return true;
}

/* False: the condition is not that threadIdx, along the only axis there is, is a uniform value. */
static bool find_thread(OneArm *arm, const Value *condition) {
    const Spread *s = arm->s;
    const Op *op = condition->def;
    int axes = 0;
    for (int axis = 0; axis < 3; axis++)
        if (s->fn->block[axis] > 1) axes++, arm->axis = axis;
    if (axes != 1 || !op || op->kind != OP_ICMP || icmp_predicate(op) != ICMP_EQ) return false;
    for (int i = 0; i < 2 && !arm->thread; i++) {
        const Op *id = op->operands[i]->def;
        bool asks = id && id->kind == OP_THREAD_ID && grid_axis(id) == arm->axis;
        if (asks && !s->varying[op->operands[1 - i]->id])
            arm->thread = s->now[op->operands[1 - i]->id];
    }
    return arm->thread != NULL;
}

/* Made of the thread's number and uniform values by few ops. */
static bool is_of_thread(const Spread *s, const Value *value, int depth) {
    const Op *op = value->def;
    if (!s->varying[value->id]) return true;
    if (op && op->kind == OP_THREAD_ID) return true;
    if (!op || depth == 0 || !op_has_trait(op, ELEMENTWISE) || op->num_operands > 2) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!is_of_thread(s, op->operands[i], depth - 1)) return false;
    return true;
}

static Value *computed_again(OneArm *arm, const Value *value) {
    Spread *s = arm->s;
    const Op *op = value->def;
    Value *operands[2];
    const Type *type = value->type;
    if (!s->varying[value->id]) return s->now[value->id];
    if (op->kind == OP_THREAD_ID) return arm->thread;
    for (int i = 0; i < op->num_operands; i++) operands[i] = computed_again(arm, op->operands[i]);
    Op *made = build_op(&s->b, op->kind, op->num_operands, operands, 1, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    return op_result(made);
}

static Value *lane_of(OneArm *arm, Value *tile) {
    Spread *s = arm->s;
    const int one[] = {1};
    const Type *type = type_tile(s->fn->types, type_lane(tile->type), 1, one);
    Value *at = build_splat(&s->b, arm->thread, 1, one);
    Op *gather = build_op(&s->b, OP_GATHER, 2, (Value *[]){tile, at}, 1, &type, 0, NULL);
    return build_reshape(&s->b, op_result(gather), 0, NULL);
}

/* The arm is entered if its thread is there. */
static Value *is_there(OneArm *arm, const Op *op, Mask mask) {
    Spread *s = arm->s;
    if (!mask.is_living)
        return spread_any(s, spread_under(s, mask, s->now[if_condition(op)->id], true).lanes);
    return build_icmp(&s->b, ICMP_ULT, arm->thread,
                      build_int(&s->b, arm->thread->type, func_threads(s->fn)));
}

static Region *scalar_region(OneArm *arm, const Op *op) {
    Spread *s = arm->s;
    const Builder outer = s->b;
    const bool *varying = s->varying;
    Value *id = s->ids[arm->axis];
    const Op *yield = region_yield(arm->region);
    int rank = s->rank, lanes = s->lanes;
    Region *region = s->b.region = region_new(s->fn);
    Value **values = arena_array(s->px->scratch, Value *, op->num_results);
    for (int i = 0; i < arm->count; i++) {
        const Value *old = arm->taken[i].old;
        Value *value = is_of_thread(s, old, MOST_AGAIN) ? computed_again(arm, old)
                                                        : lane_of(arm, arm->taken[i].tile);
        arm->taken[i].scalar = value;
    }
    for (int i = 0; i < arm->count; i++) s->now[arm->taken[i].old->id] = arm->taken[i].scalar;
    s->varying = s->uniform, s->rank = 0, s->lanes = 1, s->ids[arm->axis] = arm->thread;
    spread_region(s, arm->region, (Mask){.is_some = true});
    for (int i = 0; i < op->num_results; i++) values[i] = s->now[yield->operands[i]->id];
    build_yield(&s->b, op->num_results, values);
    s->varying = varying, s->rank = rank, s->lanes = lanes, s->ids[arm->axis] = id;
    for (int i = 0; i < arm->count; i++) s->now[arm->taken[i].old->id] = arm->taken[i].tile;
    s->b = outer;
    return region;
}

bool spread_one(Spread *s, const Op *op, Mask mask, Value **values) {
    OneArm arm = {.s = s, .region = op->regions[0]};
    if (!find_thread(&arm, if_condition(op)) || !region_walk(op->regions[0], note_op, &arm))
        return false;
    const Type **types = arena_array(s->px->scratch, const Type *, op->num_results);
    Value **zeros = arena_array(s->px->scratch, Value *, op->num_results);
    Value *there = is_there(&arm, op, mask);
    Region *regions[] = {scalar_region(&arm, op), region_new(s->fn)};
    Builder none = {.fn = s->fn, .region = regions[1], .span = s->b.span};
    for (int i = 0; i < op->num_results; i++) {
        types[i] = op->results[i].type;
        zeros[i] = build_constant_bits(&none, types[i], 0);
    }
    build_yield(&none, op->num_results, zeros);
    Op *made = build_op(&s->b, OP_IF, 1, &there, op->num_results, types, 2, regions);
    for (int i = 0; i < op->num_results; i++) values[i] = spread_tile(s, &made->results[i]);
    return true;
}
