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

typedef struct Count {
    const Op *ring, *loop;
    const Value *number; /* the loop's, from 0 on */
} Count;

static bool find_number(Op *op, void *user) {
    Count *c = user;
    if (!op_is_of_ring(op, op_result(c->ring))) return true;
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

/* The one loop that reads the ring: number of its turns. */
static Value *turns_from(const Op *ring, Op *first) {
    Value *turns = NULL;
    for (Op *op = first; op; op = op->next) {
        if (op->kind != OP_FOR) continue;
        if (!region_uses_ring(for_body(op), op_result(ring))) continue;
        if (turns) return NULL;
        turns = count_turns(ring, op);
        if (!turns) return NULL;
    }
    return turns;
}

/* Of a loop that copies nothing, the producer has no turns to count. */
bool nest_counts(const Op *ring) {
    Value *turns = turns_from(ring, ring->next);
    return turns && region_has_of_ring(for_body(turns->def), OP_FILL, op_result(ring));
}

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
    if (!op_is_of_ring(op, op_result(n->ring))) return true;
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
    Op **first = user;
    if (op->num_trips) *first = op;
    return !op->num_trips;
}

static Op *first_trip(const Op *loop) {
    Op *first = NULL;
    region_walk(for_body(loop), is_no_trip, &first);
    return first;
}

typedef struct Others {
    const Op *trip;
    int stores, others; /* stores; other ops that go through scratch */
} Others;

static bool note_others(Op *op, void *user) {
    Others *o = user;
    o->stores += op->kind == OP_STORE;
    o->others += op->num_trips && op != o->trip;
    return true;
}

/* Each warp moves what it stores for itself, and nobody else goes through scratch. The barrier in
 * the move orders nothing else: there is one store, and who reads what it writes is not here. */
static bool goes_by_warps(const Op *loop, const Op *trip) {
    Others o = {.trip = trip};
    region_walk(for_body(loop), note_others, &o);
    return trip->kind == OP_CONVERT && trip->parent == for_body(loop) && !o.others &&
           o.stores == 1 &&
           layout_same_warps(type_layout(trip->operands[0]->type),
                             type_layout(op_result(trip)->type));
}

/* From tile to tile scratch is written again. Programs of a grid come in no order, so where each
 * warp has its own scratch none waits for another; what a loop of the source writes comes in its
 * order. */
static void meet(Builder *b, const Op *loop, bool walks) {
    Op *trip = first_trip(loop);
    if (walks && !trip) return;
    if (walks && goes_by_warps(loop, trip)) {
        int offset = trip->trips[0].offset;
        trip->trips = arena_array(b->fn->arena, Trip, 1); /* the kernel has those of the copy */
        trip->trips[0] = (Trip){.offset = offset, .wait = true, .by_warps = true};
    } else if (!trip || trip->parent != for_body(loop) || !trip->trips[0].wait) {
        build_op(b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    }
}

int nest_shift(const Op *ring) { return scratch_aligned(ring_end(ring)); }

static Op *ring_in_loop(Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        for (Op *in = op->kind == OP_FOR ? for_body(op)->first : NULL; in; in = in->next)
            if (in->kind == OP_RING) return in;
    }
    return NULL;
}

/* What only the tile's writing asks for comes behind the loop `loop`: its products begin. */
static void sink(Func *fn, Op *loop) {
    func_renumber(fn);
    bool *needed = arena_array(fn->arena, bool, fn->num_values);
    op_note_operands(loop, needed);
    for (Op *op = loop->prev, *before; op; op = before) {
        before = op->prev;
        bool stays = op->num_regions || op->num_trips || op->barrier || !op_has_trait(op, PURE);
        for (int i = 0; i < op->num_results; i++) stays |= needed[op->results[i].id];
        if (stays)
            op_note_operands(op, needed);
        else
            op_move_before(op, loop->next);
    }
}

/* ---- turns by their slots ---- */

/* Products alone stand between a consumer's turns, so what it takes to find the next one is waited
 * for: the slot and the phase of a turn are carried instead of its number (TURN_SLOT_BITS),
 *
 *     for %i .. (%n, %at, %last)
 *       ready %r, %at;  ..;  settle;  release %r, %last
 *       yield %n + 1, next of %at, %at
 *
 * where %last is -1 before a tile's first turn. */
typedef struct Slots {
    const Op *ring;
    const Value *number, *turns; /* in the loop, and behind it */
    Value *at, *last, *ended;    /* of the turn, of the one before, of a tile's last */
    bool fine;
} Slots;

static Value *by_slot(const Slots *s, const Value *number) {
    Turn turn = turn_of(number);
    if (turn.root == s->number && turn.offset == 0) return s->at;
    if (turn.root == s->number && turn.offset == -1) return s->last;
    return turn.root == s->turns && turn.offset == -1 ? s->ended : NULL;
}

static bool is_known_turn(Op *op, void *user) {
    const Slots *s = user;
    return !op_is_of_ring(op, op_result(s->ring)) || by_slot(s, turn_number(op));
}

static bool count_by_slot(Op *op, void *user) {
    const Slots *s = user;
    if (op_is_of_ring(op, op_result(s->ring))) op->operands[1] = by_slot(s, turn_number(op));
    return true;
}

static Op *first_settle(const Op *loop) {
    for (Op *op = for_body(loop)->first; op; op = op->next)
        if (op->kind == OP_SETTLE) return op;
    return region_yield(for_body(loop));
}

static Value *next_slot(Builder *b, const Op *ring, Value *at) {
    const Type *i32 = at->type;
    Value *mask = build_int(b, i32, (1 << TURN_SLOT_BITS) - 1);
    Value *phase = build_int(b, i32, 1 << TURN_SLOT_BITS);
    Value *on = build_2(b, OP_ADD, at, build_int(b, i32, 1));
    Value *end = build_int(b, i32, ring_stages(ring));
    Value *ends = build_icmp(b, ICMP_EQ, build_2(b, OP_AND, on, mask), end);
    Value *other = build_2(b, OP_XOR, build_2(b, OP_AND, at, phase), phase);
    return build_select(b, ends, other, on);
}

/* Returns what the tile begins with next; NULL: not all turns are such. */
static Value *go_by_slots(Nest *n, Op *loop, Value *turns) {
    Op *ring = n->ring, *inner = turns->def;
    Count c = {.ring = ring, .loop = inner};
    region_walk(for_body(inner), find_number, &c);
    Value known = {0};
    Slots s = {.ring = ring, .number = c.number, .turns = turns};
    s.at = s.last = s.ended = &known;
    if (ring_stages(ring) >= 1 << TURN_SLOT_BITS) return NULL;
    if (!region_walk(for_body(loop), is_known_turn, &s)) return NULL;
    Builder b = {.fn = n->fn, .region = inner->parent, .before = inner, .span = inner->span};
    Value *none = build_int(&b, turns->type, -1), *args[2];
    int results = inner->num_results;
    inner = for_carry_more(n->fn, inner, 2, (Value *[]){n->base, none}, args);
    s.at = args[0], s.last = args[1], s.ended = &inner->results[results + 1];
    region_walk(for_body(loop), count_by_slot, &s);
    func_resolve(n->fn);
    b = (Builder){.fn = n->fn, .region = for_body(inner), .before = first_settle(inner)};
    b.span = inner->span;
    Value *next = next_slot(&b, ring, s.at);
    for_yield_more(n->fn, inner, 2, (Value *[]){next, s.at});
    return &inner->results[results];
}

bool nest_go_on(Func *fn, bool is_producer, bool walks) {
    Op *ring = ring_in_loop(fn->body), *loop = ring->parent->owner;
    const Type *i32 = type_scalar(TYPE_I32);
    Nest n = {.fn = fn, .ring = ring, .shift = nest_shift(ring)};
    Builder b = {.fn = fn, .region = fn->body, .before = loop, .span = loop->span};
    Value *zero = build_int(&b, i32, 0), *next = NULL;
    op_move_before(ring, loop);
    loop = for_carry_more(fn, loop, 1, &zero, &n.base);
    func_resolve(fn);
    Value *turns = turns_from(ring, for_body(loop)->first);
    if (!is_producer) next = go_by_slots(&n, loop, turns);
    bool by_slots = next != NULL;
    Op *inner = by_slots ? next->def : turns->def;
    if (!by_slots) region_walk(for_body(loop), count_on, &n);
    b = (Builder){.fn = fn, .region = for_body(loop), .before = region_yield(for_body(loop))};
    b.span = loop->span;
    if (!by_slots) {
        Value *round = build_int(&b, i32, 2 * ring_stages(ring)); /* both phases of all slots */
        next = build_2(&b, OP_REM_U, build_2(&b, OP_ADD, n.base, turns), round);
    }
    if (!is_producer) meet(&b, loop, walks);
    for_yield_more(fn, loop, 1, &next);
    region_walk(fn->body, move_scratch, &n);
    if (!is_producer) sink(fn, inner);
    func_renumber(fn);
    return by_slots;
}
