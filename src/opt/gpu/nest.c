// SPDX-License-Identifier: Apache-2.0
/* nest: roles of a kernel that walks over tiles, whose ring is in the body of that loop.
 *
 *     for %tile ..                             %r = ring ..
 *       %r = ring ..                           for %tile .. (%b = 0)
 *       %end = for %i .. (%n = 0)                %end = for %i .. (%n = 0)
 *         ready %r, %n                             ready %r, %b + %n
 *         ..                           ->          ..
 *         yield %n + 1                             yield %n + 1
 *       store ..                                 store ..;  barrier
 *                                                yield (%b + %end) rem 2 stages
 *
 * The ring goes on from tile to tile, so that the producer fills it for the next one while the
 * others still write this one. For that the ring must be nobody else's memory: scratch lies behind
 * it. Written are tiles that nobody in the loop reads. Done to the functions of either role: what
 * the kernel means is the same. */
#include "ir/trips.h"
#include "ir/turn.h"
#include "opt/roles.h"

#include "opt/opt.h"

static bool is_of(const Op *op, const Op *ring) {
    return is_turn_op(op) && turn_ring(op) == op_result(ring);
}

typedef struct Count {
    const Op *ring, *loop;
    const Value *number; /* the loop's, from 0 on */
} Count;

static bool find_number(Op *op, void *user) {
    Count *c = user;
    if (!is_of(op, c->ring)) return true;
    const Value *root = turn_of(turn_number(op)).root;
    if (!root || root->region != for_body(c->loop) || !root->index) return false;
    if (c->number && c->number != root) return false;
    c->number = root;
    return true;
}

/* How many turns the loop `loop` has had, once it has ended; NULL: not known. */
static Value *count_turns(const Op *ring, Op *loop) {
    Count c = {.ring = ring, .loop = loop};
    int64_t start;
    if (!region_walk(for_body(loop), find_number, &c) || !c.number) return NULL;
    int i = c.number->index - 1;
    Turn next = turn_of(for_next(loop, i));
    if (next.root != c.number || next.offset != 1) return NULL;
    if (!value_is_int(for_init(loop, i), &start) || start) return NULL;
    return type_bits(c.number->type) == 32 ? &loop->results[i] : NULL;
}

static bool is_not_of(Op *op, void *ring) { return !is_of(op, ring); }

/* The one loop that reads the ring: number of its turns. */
static Value *turns_of(const Op *ring) {
    Value *turns = NULL;
    for (Op *op = ring->next; op; op = op->next) {
        if (op->kind != OP_FOR) continue;
        if (region_walk(for_body(op), is_not_of, (void *)(uintptr_t)ring)) continue;
        if (turns) return NULL;
        turns = count_turns(ring, op);
        if (!turns) return NULL;
    }
    return turns;
}

bool nest_counts(const Op *ring) { return turns_of(ring) != NULL; }

/* ---- writing ---- */

typedef struct Nest {
    Func *fn;
    Op *ring;
    Value *base;       /* turns of the tiles before */
    int shift;         /* of scratch */
    const Value *last; /* turn of an op .. */
    const Region *last_region;
    Value *on; /* .. counted on */
} Nest;

/* Ops of the same turn go on naming the same value. Turn -1 of a tile is nobody's, and stays
 * that. */
static bool count_on(Op *op, void *user) {
    Nest *n = user;
    if (!is_of(op, n->ring)) return true;
    Value *number = turn_number(op);
    Builder b = {.fn = n->fn, .region = op->parent, .before = op, .span = op->span};
    if (n->last_region != op->parent || n->last != number)
        n->on = build_2(&b, OP_ADD, number, n->base);
    n->last_region = op->parent, n->last = number;
    op->operands[1] = n->on;
    if (op->kind != OP_RELEASE) return true;
    Value *none = build_icmp(&b, ICMP_SLT, number, build_int(&b, number->type, 0));
    op->operands[1] = build_select(&b, none, number, n->on);
    return true;
}

static bool move_scratch(Op *op, void *user) {
    const Nest *n = user;
    Trip *trips = arena_array(n->fn->arena, Trip, op->num_trips);
    for (int i = 0; i < op->num_trips; i++) {
        trips[i] = op->trips[i];
        trips[i].offset += n->shift;
    }
    op->trips = trips;
    return true;
}

/* Does the first op of a tile that goes through scratch wait for all? Then they meet anyway. */
static bool is_no_trip(Op *op, void *user) {
    const Op **first = user;
    if (op->num_trips) *first = op;
    return !op->num_trips;
}

static bool tiles_meet(const Op *loop) {
    const Op *first = NULL;
    region_walk(for_body(loop), is_no_trip, &first);
    return first && first->parent == for_body(loop) && first->trips[0].wait;
}

int nest_shift(const Op *ring) { return scratch_aligned(ring_end(ring)); }

static Op *ring_in_loop(Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        for (Op *in = op->kind == OP_FOR ? for_body(op)->first : NULL; in; in = in->next)
            if (in->kind == OP_RING) return in;
    }
    return NULL;
}

void nest_go_on(Func *fn, bool is_producer) {
    Op *ring = ring_in_loop(fn->body), *loop = ring->parent->owner;
    const Type *i32 = type_scalar(TYPE_I32);
    Nest n = {.fn = fn, .ring = ring, .shift = nest_shift(ring)};
    Value *turns = turns_of(ring);
    Builder b = {.fn = fn, .region = fn->body, .before = loop, .span = loop->span};
    Value *zero = build_int(&b, i32, 0);
    op_move_before(ring, loop);
    loop = for_carry_more(fn, loop, 1, &zero, &n.base);
    func_resolve(fn);
    region_walk(for_body(loop), count_on, &n);
    b = (Builder){.fn = fn, .region = for_body(loop), .before = region_yield(for_body(loop))};
    b.span = loop->span;
    Value *round = build_int(&b, i32, 2 * ring_stages(ring)); /* both phases of all slots */
    Value *next = build_2(&b, OP_REM_U, build_2(&b, OP_ADD, n.base, turns), round);
    if (!is_producer && !tiles_meet(loop)) build_op(&b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    for_yield_more(fn, loop, 1, &next);
    region_walk(fn->body, move_scratch, &n);
    func_renumber(fn);
}
