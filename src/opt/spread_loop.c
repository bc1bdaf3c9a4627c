// SPDX-License-Identifier: Apache-2.0
/* spread_loop: loops of threads, as loops of all lanes.
 *
 *     while %k { (%i)                       while %all, splat %k { (%r, %i)
 *       %c = icmp %i, %t                      %c = icmp %i, %t      %on = and %r, %c
 *       yield %c, %i                          yield any(%on), %on, %i
 *     } do { (%i)                       ->  } do { (%on, %i)
 *       ..  load %p  ..                       ..  load %p, %on  ..
 *       yield %next                           %kept = select %on, %next, %i
 *     }                                       yield %on, %kept
 *                                           }
 *
 * A loop whose condition is uniform stays as it is. Else it runs while a thread runs, and carries
 * which do. Lanes that left compute on, and touch nothing; what the loop gives them is what they
 * left with, which is kept where somebody reads it. */
#include "opt/spread.h"

static const Type *type_of(Spread *s, const Value *old) {
    return s->varying[old->id] ? spread_type(s, old->type) : old->type;
}

/* What `old` became, in the form that `like` has. */
static Value *value_as(Spread *s, const Value *old, const Value *like) {
    Value *now = s->now[old->id];
    return s->varying[like->id] ? spread_tile(s, now) : now;
}

static void add_arg(Spread *s, Region *region, const Value *old) {
    Value *arg = region_add_arg(s->fn, region, type_of(s, old));
    arg->name = old->name;
    s->now[old->id] = arg;
}

void spread_for(Spread *s, const Op *op, Mask mask) {
    int carried = op->num_results;
    Arena *scratch = s->px->scratch;
    if (s->varying[for_index(op)->id]) {
        diag_refused(
            s->px->diag, op->span,
            "a 'for' whose bounds differ from thread to thread, on a target without threads");
        return;
    }
    Value **operands = arena_array(scratch, Value *, op->num_operands),
          **next = arena_array(scratch, Value *, carried);
    const Type **types = arena_array(scratch, const Type *, carried);
    for (int i = 0; i < FOR_BOUNDS; i++) operands[i] = s->now[op->operands[i]->id];
    for (int i = 0; i < carried; i++) {
        operands[FOR_BOUNDS + i] = value_as(s, for_init(op, i), for_arg(op, i));
        types[i] = type_of(s, for_arg(op, i));
    }
    Region *region = region_new(s->fn);
    Builder outer = s->b;
    s->b.region = region;
    for (int i = 0; i < for_body(op)->num_args; i++) add_arg(s, region, for_body(op)->args[i]);
    spread_region(s, for_body(op), mask);
    for (int i = 0; i < carried; i++) next[i] = value_as(s, for_next(op, i), for_arg(op, i));
    build_yield(&s->b, carried, next);
    s->b = outer;
    Op *made = build_op(&s->b, OP_FOR, op->num_operands, operands, carried, types, 1, &region);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    for (int i = 0; i < carried; i++) s->now[op->results[i].id] = &made->results[i];
}

/* ---- while ---- */

typedef struct Loop {
    Spread *s;
    const Op *op;
    Mask mask;
    bool diverges; /* threads leave at different times */
    int *held_by;  /* by carried value: 1 + the result that is what the lane left with */
    int *kept;     /* by result: 1 + which of `num_kept` more carried values holds it; 0: none */
    int num_kept;
    Value **values; /* of the yield that is being made */
    int num_values;
} Loop;

/* How results that are read keep what each lane left with. */
static void keep_results(Loop *loop) {
    const Op *op = loop->op;
    for (int i = 0; loop->diverges && i < op->num_results; i++) {
        const Value *passed = while_passed(op, i);
        if (!loop->s->uses[op->results[i].id]) continue;
        bool is_arg = passed->region == while_test(op) && loop->s->varying[passed->id];
        if (is_arg && !loop->held_by[passed->index])
            loop->held_by[passed->index] = 1 + i;
        else if (!is_arg)
            loop->kept[i] = ++loop->num_kept;
    }
}

static void give(Loop *loop, Value *value) { loop->values[loop->num_values++] = value; }

static Region *begin(Loop *loop, Builder *outer) {
    *outer = loop->s->b;
    loop->num_values = 0;
    return loop->s->b.region = region_new(loop->s->fn);
}

static void end(Loop *loop, const Builder *outer) {
    build_yield(&loop->s->b, loop->num_values, loop->values);
    loop->s->b = *outer;
}

static Value *add_lanes(Loop *loop, Region *region) {
    return region_add_arg(loop->s->fn, region, spread_type(loop->s, type_scalar(TYPE_I1)));
}

static Value *add_kept(Loop *loop, Region *region, int result) {
    const Type *type = spread_type(loop->s, loop->op->results[result].type);
    return region_add_arg(loop->s->fn, region, type);
}

static Region *make_test(Loop *loop) {
    Spread *s = loop->s;
    const Op *op = loop->op;
    Builder outer;
    Region *region = begin(loop, &outer);
    Mask mask = loop->mask;
    if (loop->diverges) mask = (Mask){.lanes = add_lanes(loop, region), .is_some = true};
    for (int i = 0; i < op->num_operands; i++) add_arg(s, region, while_arg(op, i));
    spread_region(s, while_test(op), mask);
    Value *condition = s->now[while_condition(op)->id], *before = mask.lanes;
    if (loop->diverges) {
        Value *lanes = spread_under(s, mask, condition, true).lanes;
        give(loop, spread_any(s, lanes));
        give(loop, lanes);
    } else {
        give(loop, condition);
    }
    for (int i = 0; i < op->num_results; i++)
        give(loop, value_as(s, while_passed(op, i), while_given(op, i)));
    for (int i = 0; i < op->num_results; i++) {
        if (!loop->kept[i]) continue;
        Value *left = spread_tile(s, s->now[while_passed(op, i)->id]);
        give(loop, build_select(&s->b, before, left, add_kept(loop, region, i)));
    }
    end(loop, &outer);
    return region;
}

static Region *make_body(Loop *loop) {
    Spread *s = loop->s;
    const Op *op = loop->op;
    Builder outer;
    Region *region = begin(loop, &outer);
    Mask mask = loop->mask;
    if (loop->diverges) {
        mask = (Mask){.lanes = add_lanes(loop, region), .is_some = true};
        give(loop, mask.lanes);
    }
    for (int i = 0; i < op->num_results; i++) add_arg(s, region, while_given(op, i));
    spread_region(s, while_body(op), mask);
    for (int i = 0; i < op->num_operands; i++) {
        Value *next = value_as(s, while_next(op, i), while_arg(op, i));
        if (loop->held_by[i]) {
            Value *old = s->now[while_given(op, loop->held_by[i] - 1)->id];
            next = build_select(&s->b, mask.lanes, next, old);
        }
        give(loop, next);
    }
    for (int i = 0; i < op->num_results; i++)
        if (loop->kept[i]) give(loop, add_kept(loop, region, i));
    end(loop, &outer);
    return region;
}

/* What the loop begins with: the operands of its op. */
static void make_inits(Loop *loop) {
    Spread *s = loop->s;
    const Op *op = loop->op;
    const Type *lanes = loop->diverges ? spread_type(s, type_scalar(TYPE_I1)) : NULL;
    loop->num_values = 0;
    if (lanes) give(loop, loop->mask.lanes ? loop->mask.lanes : build_int(&s->b, lanes, 1));
    for (int i = 0; i < op->num_operands; i++)
        give(loop, value_as(s, while_init(op, i), while_arg(op, i)));
    for (int i = 0; i < op->num_results; i++)
        if (loop->kept[i])
            give(loop, build_constant_bits(&s->b, spread_type(s, op->results[i].type), 0));
}

void spread_while(Spread *s, const Op *op, Mask mask) {
    Arena *scratch = s->px->scratch;
    Loop loop = {.s = s, .op = op, .mask = mask};
    loop.diverges = s->varying[while_condition(op)->id];
    loop.held_by = arena_array(scratch, int, op->num_operands);
    loop.kept = arena_array(scratch, int, op->num_results);
    keep_results(&loop);
    int most = 2 + op->num_operands + op->num_results + loop.num_kept;
    Value **inits = arena_array(scratch, Value *, most);
    loop.values = inits;
    make_inits(&loop);
    int num_inits = loop.num_values, first = loop.diverges;
    loop.values = arena_array(scratch, Value *, most);
    Region *regions[] = {make_test(&loop), NULL};
    const Type **types = arena_array(scratch, const Type *, most);
    int num_results = loop.num_values - 1; /* without the condition */
    for (int i = 0; i < num_results; i++) types[i] = loop.values[1 + i]->type;
    regions[1] = make_body(&loop);
    Op *made = build_op(&s->b, OP_WHILE, num_inits, inits, num_results, types, 2, regions);
    for (int i = 0; i < op->num_results; i++)
        s->now[op->results[i].id] = loop.kept[i]
                                        ? &made->results[first + op->num_results + loop.kept[i] - 1]
                                        : &made->results[first + i];
}
