// SPDX-License-Identifier: Apache-2.0
/* spread: the threads of a block become the lanes of tiles, for executors without threads.
 *
 *     {form = thread, block = [256, 1, 1]}      {form = spread, block = [256, 1, 1]}
 *     %t = thread_id {axis = 0} : i32           %t = arange {start = 0, end = 256} : tile<256xi32>
 *     %i = add %base, %t : i32                  %i = add splat %base, %t : tile<256xi32>
 *     %m = icmp %i, %n : i1                     %m = icmp %i, splat %n : tile<256xi1>
 *     if %m {                                   %q = addptr splat %x, %i
 *       %q = addptr %x, %i                      %v = load %q, %m
 *       %v = load %q                            ..
 *       ..
 *
 * A tile's last dimension is threadIdx.x, then y and z; a size of 1 is none. Where an inner one is
 * no power of two the tile has one dimension, for all threads in order. Lanes beyond the block's
 * threads are masked like threads that are not there.
 *
 * What is uniform (varying.c) stays scalar. An if whose condition varies has both arms, one after
 * the other, each under its mask, and its results are selected; that of one thread alone is scalar
 * code (spread_one.c). An arm with a loop or barrier in it, or a long one, stands under
 * `if any(mask)`: so loops only run where a thread is, and end where they would.
 *
 * The block runs in lockstep, one of the orders that CUDA allows to a program without races, so
 * that a barrier costs nothing. Where some threads may not come to one, spread_memory.c adds a
 * test. */
#include "opt/spread.h"

enum { LONG_ARM = 64 }; /* ops: more are not computed for nobody */

/* ---- parts ---- */

const Type *spread_type(const Spread *s, const Type *lane) {
    return type_tile(s->fn->types, lane, s->rank, s->shape);
}

Value *spread_tile(Spread *s, Value *value) {
    uint64_t bits;
    if (type_is_tile(value->type) || !s->rank) return value;
    if (value_is_constant(value, &bits))
        return build_constant_bits(&s->b, spread_type(s, value->type), bits);
    return build_splat(&s->b, value, s->rank, s->shape);
}

static Region *combine_or(Spread *s) {
    Region *region = region_new(s->fn);
    Value *left = region_add_arg(s->fn, region, type_scalar(TYPE_I1)),
          *right = region_add_arg(s->fn, region, type_scalar(TYPE_I1));
    Builder b = {.fn = s->fn, .region = region, .span = s->b.span};
    Value *either = build_2(&b, OP_OR, left, right);
    build_yield(&b, 1, &either);
    return region;
}

Value *spread_any(Spread *s, Value *lanes) {
    while (type_is_tile(lanes->type)) {
        Region *region = combine_or(s);
        const Type *type = type_tile(s->fn->types, type_scalar(TYPE_I1), lanes->type->rank - 1,
                                     lanes->type->shape);
        Op *op = build_op(&s->b, OP_REDUCE, 1, &lanes, 1, &type, 1, &region);
        reduce_set_axis(op, lanes->type->rank - 1);
        lanes = op_result(op);
    }
    return lanes;
}

/* Of a comparison of ints the opposite one, which may hold for the first lanes as it did. */
static Value *negated(Spread *s, Value *condition) {
    static const int opposite[] = {
        [ICMP_EQ] = ICMP_NE,   [ICMP_NE] = ICMP_EQ,   [ICMP_SLT] = ICMP_SGE, [ICMP_SLE] = ICMP_SGT,
        [ICMP_SGT] = ICMP_SLE, [ICMP_SGE] = ICMP_SLT, [ICMP_ULT] = ICMP_UGE, [ICMP_ULE] = ICMP_UGT,
        [ICMP_UGT] = ICMP_ULE, [ICMP_UGE] = ICMP_ULT};
    const Op *op = condition->def;
    if (op && op->kind == OP_ICMP)
        return build_icmp(&s->b, opposite[icmp_predicate(op)], op->operands[0], op->operands[1]);
    return build_2(&s->b, OP_XOR, condition, build_int(&s->b, condition->type, 1));
}

Mask spread_under(Spread *s, Mask mask, Value *condition, bool is) {
    Value *lanes = spread_tile(s, is ? condition : negated(s, condition));
    if (mask.lanes) lanes = build_2(&s->b, OP_AND, mask.lanes, lanes);
    return (Mask){.lanes = lanes};
}

/* ---- ops without memory ---- */

static void become(Spread *s, const Value *old, Value *now) {
    if (!now->name.length) now->name = old->name;
    s->now[old->id] = now;
}

static void spread_plain(Spread *s, const Op *op) {
    Value *operands[3];
    const Type *type = op_result(op)->type;
    bool varies = s->varying[op_result(op)->id];
    if (op->num_operands > COUNT(operands)) BUG("spread: %s", op_info(op->kind)->name);
    for (int i = 0; i < op->num_operands; i++) {
        operands[i] = s->now[op->operands[i]->id];
        bool decides = op->kind == OP_SELECT && i == 0; /* may be a scalar beside tiles */
        if (varies && !decides) operands[i] = spread_tile(s, operands[i]);
    }
    if (varies) type = spread_type(s, type);
    Op *made = build_op(&s->b, op->kind, op->num_operands, operands, 1, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    become(s, op_result(op), op_result(made));
}

/* What only computes. */
static void spread_assembly(Spread *s, const Op *op) {
    Value **operands = arena_array(s->px->scratch, Value *, op->num_operands + 1);
    const Type **types = arena_array(s->px->scratch, const Type *, op->num_results);
    bool varies = s->varying[op_result(op)->id];
    for (int i = 0; i < op->num_operands; i++) {
        operands[i] = s->now[op->operands[i]->id];
        if (varies && operands[i]->def && operands[i]->def->kind == OP_CONSTANT) continue;
        if (varies) operands[i] = spread_tile(s, operands[i]);
    }
    for (int i = 0; i < op->num_results; i++)
        types[i] = varies ? spread_type(s, op->results[i].type) : op->results[i].type;
    Op *made =
        build_op(&s->b, op->kind, op->num_operands, operands, op->num_results, types, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    for (int i = 0; i < op->num_results; i++) become(s, &op->results[i], &made->results[i]);
}

static void spread_thread_id(Spread *s, const Op *op) {
    s->now[op_result(op)->id] = s->ids[grid_axis(op)];
}

/* ---- if ---- */

static bool counts_as_long(const Region *region, int *ops) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_BARRIER) return true;
        if (++*ops > LONG_ARM) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (counts_as_long(op->regions[i], ops)) return true;
    }
    return false;
}

/* An arm with a region of its own; what it yields are tiles if `tiles`, or where the result
 * varies. */
static Region *arm_region(Spread *s, const Op *op, int which, Mask mask, bool tiles) {
    Builder outer = s->b;
    const Op *yield = region_yield(op->regions[which]);
    Region *region = s->b.region = region_new(s->fn);
    Value **values = arena_array(s->px->scratch, Value *, op->num_results);
    spread_region(s, op->regions[which], mask);
    for (int i = 0; i < op->num_results; i++) {
        values[i] = s->now[yield->operands[i]->id];
        if (tiles || s->varying[op->results[i].id]) values[i] = spread_tile(s, values[i]);
    }
    build_yield(&s->b, op->num_results, values);
    s->b = outer;
    return region;
}

static const Type **result_types(Spread *s, const Op *op, bool tiles) {
    const Type **types = arena_array(s->px->scratch, const Type *, op->num_results);
    for (int i = 0; i < op->num_results; i++) {
        types[i] = op->results[i].type;
        if (tiles || s->varying[op->results[i].id]) types[i] = spread_type(s, types[i]);
    }
    return types;
}

static void uniform_if(Spread *s, const Op *op, Value *condition, Mask mask) {
    Region *regions[] = {arm_region(s, op, 0, mask, false), arm_region(s, op, 1, mask, false)};
    Op *made = build_op(&s->b, OP_IF, 1, &condition, op->num_results, result_types(s, op, false), 2,
                        regions);
    for (int i = 0; i < op->num_results; i++) become(s, &op->results[i], &made->results[i]);
}

/* What an arm yields, as tiles, where some thread takes it: else 0. */
static void long_arm(Spread *s, const Op *op, int which, Mask mask, Value **values) {
    Value *some = spread_any(s, mask.lanes);
    const Type **types = result_types(s, op, true);
    mask.is_some = true;
    Region *regions[] = {arm_region(s, op, which, mask, true), region_new(s->fn)};
    Builder none = {.fn = s->fn, .region = regions[1], .span = s->b.span};
    Value **zeros = arena_array(s->px->scratch, Value *, op->num_results);
    for (int i = 0; i < op->num_results; i++) zeros[i] = build_constant_bits(&none, types[i], 0);
    build_yield(&none, op->num_results, zeros);
    Op *made = build_op(&s->b, OP_IF, 1, &some, op->num_results, types, 2, regions);
    for (int i = 0; i < op->num_results; i++) values[i] = &made->results[i];
}

static void short_arm(Spread *s, const Op *op, int which, Mask mask, Value **values) {
    const Op *yield = region_yield(op->regions[which]);
    spread_region(s, op->regions[which], mask);
    for (int i = 0; i < op->num_results; i++)
        values[i] = spread_tile(s, s->now[yield->operands[i]->id]);
}

static bool is_empty(const Region *region) { return region->first == region->last; }

static void spread_if(Spread *s, const Op *op, Mask mask) {
    Value *condition = s->now[if_condition(op)->id], **values[2];
    if (!s->varying[if_condition(op)->id]) {
        uniform_if(s, op, condition, mask);
        return;
    }
    for (int which = 0; which < 2; which++) {
        int ops = 0;
        bool is_long = counts_as_long(op->regions[which], &ops);
        values[which] = arena_array(s->px->scratch, Value *, op->num_results);
        if (which == 0 && spread_one(s, op, mask, values[0])) continue;
        Mask under =
            is_empty(op->regions[which]) ? mask : spread_under(s, mask, condition, which == 0);
        if (is_long)
            long_arm(s, op, which, under, values[which]);
        else
            short_arm(s, op, which, under, values[which]);
    }
    for (int i = 0; i < op->num_results; i++)
        become(s, &op->results[i], build_select(&s->b, condition, values[0][i], values[1][i]));
}

/* ---- the walk ---- */

static void spread_assume(Spread *s, const Op *op, Mask mask) {
    Value *holds = s->now[op->operands[0]->id]; /* of the threads that come here */
    if (mask.is_some && !type_is_tile(holds->type))
        build_op(&s->b, OP_ASSUME, 1, &holds, 0, NULL, 0, NULL);
}

/* A fence or clock is one for all lanes. */
static void spread_once(Spread *s, const Op *op) {
    const Type *type = op->num_results ? op_result(op)->type : NULL;
    Op *made = build_op(&s->b, op->kind, 0, NULL, op->num_results, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    if (type) become(s, op_result(op), op_result(made));
}

/* Here all of its lanes. */
static Value *all_lanes(Spread *s, Mask mask) {
    return mask.lanes ? mask.lanes : build_int(&s->b, spread_type(s, type_scalar(TYPE_I1)), 1);
}

/* Each thread has its text, also where all print the same. */
static void spread_printf(Spread *s, const Op *op, Mask mask) {
    Value **operands = arena_array(s->px->scratch, Value *, op->num_operands + 1);
    int count = op->num_operands;
    const Type *type = op_result(op)->type;
    for (int i = 0; i < count; i++) operands[i] = spread_tile(s, s->now[op->operands[i]->id]);
    if (s->rank) operands[count++] = all_lanes(s, mask);
    Op *made = build_op(&s->b, OP_PRINTF, count, operands, 1, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    become(s, op_result(op), build_int(&s->b, type, op->num_operands));
}

static void spread_assert(Spread *s, const Op *op, Mask mask) {
    Value *operands[] = {spread_tile(s, s->now[assert_condition(op)->id]), mask.lanes};
    int count = mask.lanes && s->rank ? 2 : 1;
    Op *made = build_op(&s->b, OP_ASSERT, count, operands, 0, NULL, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
}

static void spread_op(Spread *s, const Op *op, Mask mask) {
    s->b.span = op->span;
    switch (op->kind) {
    case OP_THREAD_ID: spread_thread_id(s, op); return;
    case OP_IF: spread_if(s, op, mask); return;
    case OP_FOR: spread_for(s, op, mask); return;
    case OP_WHILE: spread_while(s, op, mask); return;
    case OP_BARRIER: spread_barrier(s, mask); return;
    case OP_WARP_SYNC: build_op(&s->b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL); return;
    case OP_SHUFFLE: spread_shuffle(s, op); return;
    case OP_VOTE: spread_vote(s, op, mask); return;
    case OP_ACTIVE: spread_active(s, op, mask); return;
    case OP_FENCE:
    case OP_CLOCK: spread_once(s, op); return;
    case OP_PRINTF: spread_printf(s, op, mask); return;
    case OP_ASSERT: spread_assert(s, op, mask); return;
    case OP_ALLOC: spread_alloc(s, op); return;
    case OP_ASSUME: spread_assume(s, op, mask); return;
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: spread_memory(s, op, mask); return;
#define LEAF(kind, ...) case OP_##kind:
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        spread_plain(s, op);
        return;
    case OP_INLINE_ASM:
        if (!op_is_pure(op)) break;
        spread_assembly(s, op);
        return;
    case OP_PRINT:
    case OP_CALL:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
#define SHAPE(kind, ...)  case OP_##kind:
#define ASYNC(kind, ...)  case OP_##kind:
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_YIELD:
    case NUM_OP_KINDS: break;
    }
    if (op->kind == OP_INLINE_ASM)
        diag_refused(s->px->diag, op->span, "inline PTX on a target without threads: '%.*s'",
                     STR_ARG(inline_asm_text(op)));
    else
        diag_refused(s->px->diag, op->span,
                     "'%s' of the threads of a block on a target without threads",
                     op_info(op->kind)->name);
}

/* After an error: something that can be read. */
static void give_anything(Spread *s, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        Value *result = &op->results[i];
        const Type *type = result->type;
        if (s->now[result->id]) continue;
        if (s->varying[result->id]) type = spread_type(s, type);
        s->now[result->id] = build_constant_bits(&s->b, type, 0);
    }
}

/* Where a mask is asked whether a thread is there, one more region is made. */
void spread_region(Spread *s, const Region *region, Mask mask) {
    if (++s->depth == MAX_DEPTH)
        diag_refused(s->px->diag, region->owner->span,
                     "%d loops and ifs in each other, on a target without threads", MAX_DEPTH - 1);
    for (const Op *op = region->first; op && op->kind != OP_YIELD; op = op->next) {
        if (!diag_failed(s->px->diag)) spread_op(s, op, mask);
        if (diag_failed(s->px->diag)) give_anything(s, op);
    }
    s->depth--;
}

/* ---- the tile ---- */

static int power_over(int count) {
    int power = 1;
    while (power < count) power *= 2;
    return power;
}

/* A dimension for each axis of more than one thread, the outermost rounded up; else one for all. */
static bool choose_shape(Spread *s) {
    const int *block = s->fn->block;
    for (int axis = 2; axis >= 0; axis--) {
        if (block[axis] == 1) continue;
        int size = power_over(block[axis]);
        if (s->rank && size != block[axis]) {
            s->rank = 1, s->shape[0] = s->lanes = power_over(func_threads(s->fn));
            return false;
        }
        s->shape[s->rank++] = size;
        s->lanes *= size;
    }
    return true;
}

/* The index along a dimension of the tile, in each lane. */
static Value *index_along(Spread *s, int dimension) {
    Value *index = build_arange(&s->b, 0, s->shape[dimension]);
    for (int i = 0; i < dimension; i++) index = build_expand_dims(&s->b, index, 0);
    for (int i = dimension + 1; i < s->rank; i++) index = build_expand_dims(&s->b, index, i);
    return build_broadcast(&s->b, index, s->shape);
}

static Value *with_number(Spread *s, OpKind kind, Value *value, int number) {
    return build_2(&s->b, kind, value, build_int(&s->b, value->type, number));
}

/* threadIdx of each lane, and which lanes are threads. */
static Mask number_threads(Spread *s) {
    const int *block = s->fn->block;
    const Type *i32 = type_scalar(TYPE_I32);
    Mask mask = {.is_some = true, .is_living = true};
    bool by_axis = choose_shape(s);
    s->ids[0] = s->ids[1] = s->ids[2] = s->lane = build_int(&s->b, i32, 0);
    if (s->lanes == 1) return mask;
    Value *lane = by_axis ? NULL : index_along(s, 0);
    for (int axis = 0, dimension = s->rank - 1, stride = 1; axis < 3; axis++) {
        if (block[axis] == 1) continue;
        if (by_axis) {
            Value *index = s->ids[axis] = index_along(s, dimension);
            Value *from_here = with_number(s, OP_MUL, index, stride);
            lane = lane ? build_2(&s->b, OP_ADD, lane, from_here) : index;
            stride *= s->shape[dimension--];
        } else {
            s->ids[axis] =
                with_number(s, OP_REM_U, with_number(s, OP_DIV_U, lane, stride), block[axis]);
            stride *= block[axis];
        }
    }
    s->lane = lane;
    if (s->lanes != func_threads(s->fn))
        mask.lanes =
            build_icmp(&s->b, ICMP_SLT, lane, build_int(&s->b, lane->type, func_threads(s->fn)));
    return mask;
}

static bool count_uses(Op *op, void *user) {
    Spread *s = user;
    for (int i = 0; i < op->num_operands; i++) s->uses[op->operands[i]->id]++;
    return true;
}

bool pass_spread(PassCtx *px, Func *fn) {
    if (fn->form != FORM_THREAD) return false;
    Region *old = fn->body, *body = region_new(fn);
    Spread s = {.px = px, .fn = fn, .lanes = 1, .varying = func_varying(px->scratch, fn)};
    s.uniform = arena_array(px->scratch, bool, fn->num_values);
    s.uses = arena_array(px->scratch, int, fn->num_values);
    s.now = arena_array(px->scratch, Value *, fn->num_values);
    s.b = (Builder){.fn = fn, .region = body, .span = fn->span};
    region_walk(old, count_uses, &s);
    body->num_args = old->num_args, body->args = old->args;
    for (int i = 0; i < old->num_args; i++) {
        old->args[i]->region = body;
        s.now[old->args[i]->id] = old->args[i];
    }
    Mask mask = number_threads(&s);
    s.living = mask.lanes;
    s.top_last = body->last;
    spread_region(&s, old, mask);
    s.b.span = fn->span;
    build_yield(&s.b, 0, NULL);
    fn->body = body;
    fn->form = FORM_SPREAD;
    spread_barriers_end(&s);
    return true;
}
