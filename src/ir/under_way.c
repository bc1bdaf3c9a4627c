// SPDX-License-Identifier: Apache-2.0
/* under_way: walks a placed function with a queue of the products under way, oldest first, and says
 * where one must have ended:
 *
 *     for (%acc, %n)
 *       ready %r, %n;  %a = peek %r, %n ..        the queue: the product of the turn before
 *       %c = dot %a, %b, %acc {async = 1}         both: it adds to %acc, in the same registers
 *       settle {pending = 1}                      this turn's; release needs that
 *       release %r, %n - 1                        %n - 1 was read by the product of the turn before
 *       yield %c, %n + 1
 *     settle {pending = 0}                        none; release and store need that
 *     release %r, %n.1 - 1
 *
 * A in registers (%a from elsewhere than a ring) must have been read before a turn makes it anew.
 *
 * A body is walked twice, the second time from what the first left under way, seen from the values
 * that the loop carries: with %n + 1 as the next %n, who read turn %n reads turn %n - 1. Older
 * products than those of the turn before are never under way, and none where paths begin or meet:
 * at the arms of an if, and at a loop that has products itself. */
#include "ir/under_way.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "ir/turn.h"

/* ---- what is added to ---- */

static bool is_product(const Op *op) { return op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA; }

/* They are what the instruction adds up, and not made of that. */
static bool sums_stay(const Op *dot) {
    return type_lane(op_result(dot)->type) == dot_sum_type(dot);
}

bool dot_may_go_on(const Op *dot) { return is_product(dot) && sums_stay(dot) && !dot_scratch(dot); }

typedef struct Reads {
    const Value *value;
    const Op *last;
    int count;
} Reads;

static bool count_reads(Op *op, void *user) {
    Reads *reads = user;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i] == reads->value) reads->count++, reads->last = op;
    return true;
}

/* From `op` on, to the end of its region. */
static Reads reads_from(const Op *op, const Value *value) {
    Reads reads = {value, NULL, 0};
    for (; op; op = op->next) {
        count_reads((Op *)(uintptr_t)op, &reads);
        for (int i = 0; i < op->num_regions; i++) region_walk(op->regions[i], count_reads, &reads);
    }
    return reads;
}

/* The one op that reads the product, NULL if there are more, or none. */
static const Op *only_reader(const Op *dot) {
    Reads reads = reads_from(dot->next, op_result(dot));
    return reads.count == 1 && reads.last->parent == dot->parent ? reads.last : NULL;
}

const Op *dot_added_to(const Op *dot) {
    const Op *before = dot_acc(dot)->def;
    return before && is_product(before) && only_reader(before) == dot ? before : NULL;
}

const Value *dot_sums_home(const Op *dot) {
    const Op *first = dot, *reader = only_reader(dot), *loop = dot->parent->owner;
    const Op *before;
    while (reader && is_product(reader) && dot_added_to(reader) == dot)
        dot = reader, reader = only_reader(dot);
    if (!loop || loop->kind != OP_FOR || !reader || reader != region_yield(for_body(loop)) ||
        !sums_stay(dot))
        return NULL;
    while ((before = dot_added_to(first))) first = before;
    for (int i = 0; i < for_count(loop); i++)
        if (for_next(loop, i) == op_result(dot)) {
            const Value *home = for_arg(loop, i);
            return reads_from(first, home).count == (dot_acc(first) == home) ? home : NULL;
        }
    return NULL;
}

/* ---- the queue ---- */

enum { MULTIPLIED = 2 }; /* operands that lie in rings, at most */

typedef struct Product {
    const Op *dot;
    const Value *sums; /* what stands for them now; NULL: nothing does */
    const Value *rings[MULTIPLIED];
    Turn turns[MULTIPLIED];
    bool old; /* of the turn before */
} Product;

typedef struct Queue {
    int count;
    Product of[MOST_UNDER_WAY];
} Queue;

typedef struct Walk {
    UnderWayNeed *need;
    void *user;
    bool tries; /* a body for the first time: only to see what it leaves under way */
} Walk;

static void keep_newest(Queue *q, int pending) {
    int gone = q->count - pending;
    if (gone <= 0) return;
    for (int i = gone; i < q->count; i++) q->of[i - gone] = q->of[i];
    q->count = pending;
}

/* Those up to number `last` must have ended. */
static bool end_until(const Walk *w, Queue *q, const Op *op, int last) {
    int pending = q->count - 1 - last;
    if (last < 0) return true;
    if (!w->tries && !w->need(w->user, op, pending)) return false;
    keep_newest(q, pending);
    return true;
}

static Product product_of(const Op *dot) {
    Product p = {.dot = dot, .sums = op_result(dot)};
    for (int i = 0; i < MULTIPLIED; i++) {
        const Op *peek = dot->operands[i]->def;
        while (peek && op_is_view(peek)) peek = peek->operands[0]->def;
        if (!peek || peek->kind != OP_PEEK) continue;
        p.rings[i] = turn_ring(peek), p.turns[i] = turn_of(turn_number(peek));
    }
    return p;
}

/* Turns that are counted from different values may be the same. */
static bool reads_turn(const Product *p, const Op *release) {
    Turn turn = turn_of(turn_number(release));
    for (int i = 0; i < MULTIPLIED; i++)
        if (p->rings[i] == turn_ring(release) &&
            (p->turns[i].root != turn.root || p->turns[i].offset == turn.offset))
            return true;
    return false;
}

/* Its sums are operand i: does the op leave them in their registers? */
static bool leaves_sums(const Product *p, const Op *op, int i) {
    if (op->kind == OP_DOT && dot_async(op))
        return i == 2 && (dot_added_to(op) == p->dot || dot_sums_home(op) == p->sums);
    const Op *loop = op->parent->owner;
    return op->kind == OP_YIELD && loop && loop->kind == OP_FOR &&
           dot_sums_home(p->dot) == for_arg(loop, i);
}

/* The same registers as its operand's, looked at in another way. */
static bool moves_nothing(const Op *op) {
    return op_is_view(op) || (op->kind == OP_CONVERT && !op->operands[0]->type->place->shared);
}

/* A of a product of the turn before is in registers that this turn makes anew: at the products that
 * take it, where halves are packed into words, and where it is made. */
static bool rewrites_a(const Product *p, const Op *op) {
    if (!p->old || !dot_a_in_registers(p->dot)) return false;
    if (op->kind == OP_DOT && dot_a(op) == dot_a(p->dot)) return true;
    const Region *body = p->dot->parent;
    const Op *def = dot_a(p->dot)->def;
    for (; def && def->parent == body && def != op; def = def->operands[0]->def)
        if (!moves_nothing(def)) return false;
    return def && def == op;
}

static bool disturbs(const Product *p, const Op *op) {
    if (rewrites_a(p, op)) return true;
    bool ends = op->kind == OP_YIELD && (!op->parent->owner || op->parent->owner->kind != OP_FOR);
    if (ends || (op->kind == OP_YIELD && p->old)) return true;
    if (op->kind == OP_RELEASE && reads_turn(p, op)) return true;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i] == p->sums && !leaves_sums(p, op, i)) return true;
    return false;
}

typedef struct Look {
    const Product *p; /* NULL: is there anything to do with products? */
} Look;

static bool is_unrelated(Op *op, void *user) {
    const Look *look = user;
    if (!look->p) return !is_product(op) && op->kind != OP_SETTLE;
    return op->kind == OP_YIELD ? reads_from(op, look->p->sums).count == 0 : !disturbs(look->p, op);
}

static bool regions_are_unrelated(const Op *op, const Product *p) {
    Look look = {p};
    for (int i = 0; i < op->num_regions; i++)
        if (!region_walk(op->regions[i], is_unrelated, &look)) return false;
    return true;
}

/* ---- paths ---- */

static bool walk_region(const Walk *w, const Region *region, Queue *q);

/* A turn that the loop counts, at its next turn or behind it; of what it makes otherwise nobody
 * knows: then it is counted from a value that no turn is. */
static Turn carried_turn(const Op *loop, Turn turn, bool out, const Value *unknown) {
    if (!turn.root || !value_is_inside(turn.root, for_body(loop))) return turn;
    for (int i = 0; i < for_count(loop); i++) {
        Turn next = turn_of(for_next(loop, i));
        if (turn.root != for_arg(loop, i) || next.root != turn.root) continue;
        return (Turn){out ? &loop->results[i] : turn.root, turn.offset - next.offset};
    }
    return (Turn){unknown, 0};
}

/* Along the way back to the loop's head, or out of it: values that it carries go by others. */
static void carry(const Op *loop, Queue *q, bool out) {
    for (int k = 0; k < q->count; k++) {
        Product *p = &q->of[k];
        const Value *sums = NULL;
        p->old = !out;
        for (int i = 0; i < for_count(loop); i++)
            if (for_next(loop, i) == p->sums) sums = out ? &loop->results[i] : for_arg(loop, i);
        p->sums = sums;
        for (int t = 0; t < MULTIPLIED; t++)
            p->turns[t] = carried_turn(loop, p->turns[t], out, op_result(p->dot));
    }
}

static bool walk_for(const Walk *w, const Op *op, Queue *q) {
    Walk first = {.tries = true};
    Queue body = {0};
    walk_region(&first, for_body(op), &body);
    carry(op, &body, false);
    if (!walk_region(w, for_body(op), &body)) return false;
    carry(op, &body, true);
    *q = body;
    return true;
}

static bool walk_op(const Walk *w, const Op *op, Queue *q) {
    bool plain = regions_are_unrelated(op, NULL);
    int last = plain ? -1 : q->count - 1;
    for (int i = last + 1; i < q->count; i++)
        if (disturbs(&q->of[i], op) || !regions_are_unrelated(op, &q->of[i])) last = i;
    if (op->kind == OP_DOT && dot_async(op) && q->count - 1 - last == MOST_UNDER_WAY) last++;
    if (!end_until(w, q, op, last)) return false;
    if (op->kind == OP_SETTLE) keep_newest(q, (int)settle_pending(op));
    if (is_product(op) && !dot_async(op)) q->count = 0; /* it is waited for, and what was before */
    if (is_product(op) && dot_async(op)) q->of[q->count++] = product_of(op);
    if (plain) return true;
    if (op->kind == OP_FOR) return walk_for(w, op, q);
    for (int i = 0; i < op->num_regions; i++)
        if (!walk_region(w, op->regions[i], q)) return false;
    return true;
}

static bool walk_region(const Walk *w, const Region *region, Queue *q) {
    for (const Op *op = region->first; op; op = op->next)
        if (!walk_op(w, op, q)) return false;
    return true;
}

bool under_way_walk(const Func *fn, UnderWayNeed *need, void *user) {
    Walk w = {.need = need, .user = user};
    Queue q = {0};
    return walk_region(&w, fn->body, &q);
}
