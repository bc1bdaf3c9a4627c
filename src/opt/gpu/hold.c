// SPDX-License-Identifier: Apache-2.0
/* hold: what is loaded for several loops over pieces, and the registers cannot hold, waits in
 * shared memory.
 *
 *     %x = load %p, %m, %o {kept 64}        %r = ring {stages = 1} : ring<tile<..>>
 *     ..                                    acquire %r, 0;  fill %r, 0, %p, %m {part = 0}
 *     %s = reduce %x ..             ->      ..;  ready %r, 0
 *     ..                                    %x = select %m, (convert (peek %r, 0)), %o
 *     %y = load %p, %m, %o {kept 65}        %s = reduce %x ..
 *     %e = fsub %y, ..                      %y = select %m, (convert (peek %r, 0)), %o
 *                                           %e = fsub %y, ..;  release %r, 0
 *
 * Pass pieces says which loads are of the same. The copies pass no register, so all of a row are
 * under way at a time. Loads that stand together make a ring: of a turn each, if their tiles are
 * alike, and then a thread waits for a turn where it first reads it, and for what it copied itself
 * (`ready {own}`), so that a sum of the first ones is made while the others come; else of one turn,
 * whose first reader waits for all. Where there is no room a load stays what it is.
 *
 *     %x = load .. {kept 64}               %r = ring {stages = 2};  fill %r, 0 ..;  fill %r, 1 ..
 *     %y = load .. {kept 128}              .. peek %r, 0 ..  peek %r, 1 ..
 *     ..                             ->    for %k = 0 .. 256 step 128
 *     for %k = 0 .. 256 step 128             .. peek %r, %k / 128 ..
 *       %z = load .. {kept 65}
 *
 * Where a loop reads several again, of numbers in order from its own load's on, each is a turn. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

enum { MOST_TURNS = 16 }; /* of a ring */

typedef struct Holder {
    Func *fn;
    int limit, end; /* of shared memory; of the rings so far */
    bool has_rows;  /* of turns, below */
    int count;      /* of loads that make a ring */
    Op *loads[MAX_PARTS];
    const Type *types[MAX_PARTS];
    int numbers[MAX_PARTS];
    Value *held[MAX_PARTS];        /* in registers, by the first of the loops */
    Value *ring, *turn[MAX_PARTS]; /* of each: parts of one turn, or turns of their own */
    bool each;                     /* they are turns */
} Holder;

/* Written and read by the same lanes. */
static const Type *held_type(const Holder *h, const Op *load) {
    const Type *type = op_result(load)->type;
    const Layout *layout = type_layout(type);
    Swizzle swizzle = swizzle_choose(layout, layout, type_size_bytes(type));
    return type_placed(h->fn->types, type, place_shared(h->fn->types, &swizzle));
}

typedef struct Uses {
    const Op *load;
    bool here;
} Uses;

static bool is_used_here(Op *op, void *user) {
    Uses *u = user;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i] == op_result(u->load)) u->here &= op->parent == u->load->parent;
    return u->here;
}

static bool can_hold(const Holder *h, const Op *op) {
    if (op->kind != OP_LOAD || !load_kept(op) || load_volatile(op)) return false;
    const Type *type = op_result(op)->type;
    if (!type_is_tile(type) || type_is_bool(type) || type_is_ptr(type)) return false;
    Uses u = {op, true};
    region_walk(h->fn->body, is_used_here, &u);
    return u.here;
}

/* From this op on: loads with no reader of any of them between. */
static void find_loads(Holder *h, Op *from) {
    int end = h->end;
    h->count = 0;
    for (Op *op = from; op && h->count < MAX_PARTS; op = op->next) {
        for (int i = 0; i < op->num_operands; i++)
            for (int k = 0; k < h->count; k++)
                if (op->operands[i] == op_result(h->loads[k])) return;
        if (op->num_regions || !can_hold(h, op)) continue;
        const Type *type = held_type(h, op);
        int bytes = scratch_aligned(type->lanes * type_size_bytes(type));
        if (end + bytes > h->limit) return;
        end += bytes;
        h->loads[h->count] = op, h->types[h->count++] = type;
    }
}

/* ---- writing ---- */

static int number_of(const Op *op) {
    return op->kind == OP_LOAD ? (int)(load_kept(op) / KEPT_READS) : 0;
}

static bool is_no_pair(Op *op, void *user) {
    (void)user;
    return op->kind != OP_REDUCE || op->num_operands == 1 || reduce_by_value(op);
}

/* Do all threads copy, each what it reads back itself? Then nobody waits for the others, nor for
 * more than the piece it wants. Pairs are compared faster when all is there: argmax of f32 by 1.5 %
 * (H200). */
static bool is_own(const Func *fn, const Op *load) {
    return !layout_replica_mask(type_layout(op_result(load)->type)) &&
           region_walk(fn->body, is_no_pair, NULL);
}

static bool are_turns(const Holder *h) {
    if (h->count < 2 || h->count > MOST_TURNS) return false;
    for (int i = 0; i < h->count; i++)
        if (h->types[i] != h->types[0] || !is_own(h->fn, h->loads[i])) return false;
    return true;
}

static void write_fills(Holder *h) {
    Builder at = {.fn = h->fn, .region = h->loads[0]->parent, .before = h->loads[0]};
    at.span = h->loads[0]->span;
    h->each = are_turns(h);
    const Type *type = type_ring(h->fn->types, h->each ? 1 : h->count, h->types);
    Op *ring = build_op(&at, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, h->each ? h->count : 1), ring_set_offset(ring, h->end);
    h->end = ring_end(ring);
    h->ring = op_result(ring);
    for (int i = 0; i < h->count; i++)
        h->turn[i] = i && !h->each ? h->turn[0] : build_int(&at, type_scalar(TYPE_I32), i);
    for (int i = 0; i < (h->each ? h->count : 1); i++)
        build_op(&at, OP_ACQUIRE, 2, (Value *[]){h->ring, h->turn[i]}, 0, NULL, 0, NULL);
    for (int i = 0; i < h->count; i++) {
        Op *load = h->loads[i];
        at.before = load;
        Op *fill = build_fill(&at, h->ring, h->turn[i], h->each ? 0 : i, load, load_pointer(load),
                              load_mask(load));
        if (!h->has_rows) fill_set_evict(fill, load_evict(load));
        if (h->each) build_op(&at, OP_COMMIT, 0, NULL, 0, NULL, 0, NULL);
        h->held[i] = NULL;
        h->numbers[i] = number_of(load);
        load_set_kept(load, 0); /* nobody reads it any more */
    }
}

/* What the load would give, in registers, where `at` stands: that is a part of the turn. */
static Value *read_turn(Builder *at, Value *const *turn, int part, const Type *lies,
                        const Op *load) {
    at->span = load->span;
    Op *peek = build_op(at, OP_PEEK, 2, turn, 1, &lies, 0, NULL);
    peek_set_part(peek, part);
    Value *from = op_result(peek);
    const Type *type = op_result(load)->type;
    Value *tile = op_result(build_op(at, OP_CONVERT, 1, &from, 1, &type, 0, NULL));
    if (load_mask(load) && !value_is_zero(load_other(load))) {
        Value *operands[3] = {load_mask(load), tile, load_other(load)};
        tile = op_result(build_op(at, OP_SELECT, 3, operands, 1, &type, 0, NULL));
    }
    return tile;
}

/* The load's tile in registers, before op. */
static Value *read_back(Holder *h, int part, Op *op) {
    Builder at = {.fn = h->fn, .region = op->parent, .before = op};
    return read_turn(&at, (Value *[]){h->ring, h->turn[part]}, h->each ? 0 : part, h->types[part],
                     h->loads[part]);
}

/* Would `op` be read back by the lanes that copied `load`? Only these waited for the copies. */
static bool lies_as(const Op *op, const Op *load) {
    return op_result(op)->type == op_result(load)->type;
}

static void make_ready(const Holder *h, Builder *b, int number) {
    Value *operands[2] = {h->ring, h->turn[number]};
    Op *ready = build_op(b, OP_READY, 2, operands, 0, NULL, 0, NULL);
    if (!h->each) return;
    ready_set_own(ready, 1), ready_set_pending(ready, h->count - 1 - number);
}

/* A later load of the same is read from the ring instead. */
static bool write_later(Holder *h, Op *op, bool *is_ready) {
    for (int k = 0; k < h->count && number_of(op); k++) {
        if (op == h->loads[k] || number_of(op) != h->numbers[k]) continue;
        load_set_kept(op, 0);
        if (!lies_as(op, h->loads[k])) return false;
        Builder at = {.fn = h->fn, .region = op->parent, .before = op, .span = op->span};
        bool *there = &is_ready[h->each ? k : 0];
        if (!*there) make_ready(h, &at, k);
        *there = true;
        op_result(op)->replaced = read_back(h, k, op);
        return true;
    }
    return false;
}

static bool write_first(Holder *h, Op *op, bool *is_ready) {
    bool reads = false;
    for (int i = 0; i < op->num_operands; i++)
        for (int k = 0; k < h->count; k++) {
            if (op->operands[i] != op_result(h->loads[k])) continue;
            Builder at = {.fn = h->fn, .region = op->parent, .before = op, .span = op->span};
            bool *there = &is_ready[h->each ? k : 0];
            if (!*there) make_ready(h, &at, k);
            *there = reads = true;
            if (!h->held[k]) h->held[k] = read_back(h, k, op);
            op->operands[i] = h->held[k];
        }
    return reads;
}

static void write_reads(Holder *h) {
    bool is_ready[MAX_PARTS] = {false};
    Op *last = NULL;
    for (Op *op = h->loads[0]; op; op = op->next)
        if (write_first(h, op, is_ready) || write_later(h, op, is_ready)) last = op;
    Builder at = {.fn = h->fn, .region = last->parent, .before = last->next, .span = last->span};
    for (int i = 0; i < (h->each ? h->count : 1); i++) {
        if (!is_ready[i]) make_ready(h, &at, i);
        build_op(&at, OP_RELEASE, 2, (Value *[]){h->ring, h->turn[i]}, 0, NULL, 0, NULL);
    }
}

/* ---- what loops read, too ---- */

/* The loads of a row's pieces, of numbers in order: a turn of a ring each. */
typedef struct Row {
    Holder *h;
    int number, turns; /* of the first; how many */
    Op *first;         /* in the text */
    Op *loads[MOST_TURNS];
    Value *turn[MOST_TURNS], *held[MOST_TURNS];
    Value *ring;
    const Type *type;
    bool ready[MOST_TURNS];
} Row;

static int turn_of_load(const Row *r, const Op *op) {
    int turn = number_of(op) ? number_of(op) - r->number : -1;
    return turn < r->turns ? turn : -1;
}

/* How often a loop of constant bounds runs; 0: not known. */
static int turns_of(const Op *loop) {
    int64_t lower, upper, step;
    bool known = loop->kind == OP_FOR && value_is_int(for_lower(loop), &lower) &&
                 value_is_int(for_upper(loop), &upper) && value_is_int(for_step(loop), &step);
    if (!known || lower < 0 || step <= 0 || upper <= lower || (upper - lower) % step) return 0;
    int64_t turns = (upper - lower) / step;
    return turns <= MOST_TURNS ? (int)turns : 0;
}

/* All of them stand before the loop, and before the first op that reads one. */
static bool find_row(Row *r, const Op *loop) {
    int count = 0;
    for (Op *op = loop->parent->first; op != loop && count < r->turns; op = op->next) {
        for (int i = 0; i < op->num_operands && count; i++)
            for (int k = 0; k < r->turns; k++)
                if (r->loads[k] && op->operands[i] == op_result(r->loads[k])) return false;
        int turn = turn_of_load(r, op);
        if (turn < 0) continue;
        if (r->loads[turn] || !can_hold(r->h, op)) return false;
        r->loads[turn] = op;
        if (!count++) r->first = op;
        if (r->type && held_type(r->h, op) != r->type) return false;
        r->type = held_type(r->h, op);
    }
    if (count < r->turns) return false;
    int bytes = scratch_aligned(r->type->lanes * type_size_bytes(r->type)) * r->turns;
    return r->h->end + bytes <= r->h->limit;
}

static void build_turns(const Row *r, Builder *b, OpKind kind) {
    for (int i = 0; i < r->turns; i++)
        build_op(b, kind, 2, (Value *[]){r->ring, r->turn[i]}, 0, NULL, 0, NULL);
}

/* Without hints to the second cache: of copies with one, to where loops read by a uniform offset,
 * ptxas 12.9 and 13.0 make what is no instruction. */
static void fill_row(Row *r) {
    Holder *h = r->h;
    Builder at = {.fn = h->fn, .region = r->first->parent, .before = r->first};
    at.span = r->first->span;
    const Type *type = type_ring(h->fn->types, 1, &r->type);
    Op *ring = build_op(&at, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, r->turns), ring_set_offset(ring, h->end);
    h->end = ring_end(ring), h->has_rows = true;
    r->ring = op_result(ring);
    for (int i = 0; i < r->turns; i++) r->turn[i] = build_int(&at, type_scalar(TYPE_I32), i);
    build_turns(r, &at, OP_ACQUIRE);
    for (int i = 0; i < r->turns; i++) {
        Op *load = r->loads[i];
        at.before = load;
        build_fill(&at, r->ring, r->turn[i], 0, load, load_pointer(load), load_mask(load));
        build_op(&at, OP_COMMIT, 0, NULL, 0, NULL, 0, NULL);
        load_set_kept(load, 0); /* nobody reads it any more */
    }
}

/* That turn, or all. */
static void make_turns_ready(Row *r, Builder *b, int turn) {
    bool own = is_own(r->h->fn, r->loads[0]);
    for (int i = 0; i < r->turns; i++) {
        if (r->ready[i] || (own && turn >= 0 && i != turn)) continue;
        Op *op = build_op(b, OP_READY, 2, (Value *[]){r->ring, r->turn[i]}, 0, NULL, 0, NULL);
        if (own) ready_set_own(op, 1), ready_set_pending(op, r->turns - 1 - i);
        r->ready[i] = true;
    }
}

/* The load's tile, before op; in: the loop that the load is in, or NULL. */
static Value *read_row(Row *r, int turn, const Op *load, Op *op, const Op *in) {
    Builder at = {.fn = r->h->fn, .region = op->parent, .before = op, .span = op->span};
    make_turns_ready(r, &at, turn);
    Value *number = turn < 0 ? NULL : r->turn[turn];
    if (!number) {
        at.region = for_body(in), at.before = at.region->first;
        number = build_2(&at, OP_SUB, for_index(in), for_lower(in));
        number = build_2(&at, OP_DIV_U, number, for_step(in));
        at.before = (Op *)(uintptr_t)load;
    }
    return read_turn(&at, (Value *[]){r->ring, number}, 0, r->type, load);
}

static bool read_in_loop(Row *r, Op *loop) {
    bool reads = false;
    for (Op *op = loop->kind == OP_FOR ? for_body(loop)->first : NULL; op; op = op->next) {
        if (turn_of_load(r, op)) continue;
        load_set_kept(op, 0);
        if (turns_of(loop) != r->turns || !lies_as(op, r->loads[0])) continue;
        op_result(op)->replaced = read_row(r, -1, op, loop, loop);
        reads = true;
    }
    return reads;
}

static bool read_straight(Row *r, Op *op) {
    bool reads = false;
    for (int i = 0; i < op->num_operands; i++)
        for (int k = 0; k < r->turns; k++) {
            if (op->operands[i] != op_result(r->loads[k])) continue;
            if (!r->held[k]) r->held[k] = read_row(r, k, r->loads[k], op, NULL);
            op->operands[i] = r->held[k];
            reads = true;
        }
    int turn = turn_of_load(r, op);
    if (turn < 0 || op == r->loads[turn]) return reads;
    load_set_kept(op, 0);
    if (!lies_as(op, r->loads[turn])) return reads;
    op_result(op)->replaced = read_row(r, turn, op, op, NULL);
    return true;
}

/* Of a load in a loop: is it of what is loaded before? */
static bool is_again(const Op *loop, int number) {
    for (const Op *op = loop->parent->first; op != loop; op = op->next)
        if (number && number_of(op) == number) return true;
    return false;
}

static bool hold_row(Holder *h, const Op *loop, Op *load) {
    Row r = {.h = h, .number = number_of(load), .turns = turns_of(loop)};
    if (!is_again(loop, r.number)) return false;
    if (!r.turns || !find_row(&r, loop) || !lies_as(load, r.loads[0])) {
        load_set_kept(load, 0); /* it stays what it is */
        return false;
    }
    fill_row(&r);
    Op *last = NULL;
    for (Op *op = r.first; op; op = op->next)
        if (read_straight(&r, op) || read_in_loop(&r, op)) last = op;
    Builder at = {.fn = h->fn, .region = last->parent, .before = last->next, .span = last->span};
    make_turns_ready(&r, &at, -1);
    build_turns(&r, &at, OP_RELEASE);
    return true;
}

static bool hold_rows(Holder *h, const Op *loop) {
    bool changed = false;
    for (Op *op = for_body(loop)->first; op; op = op->next) changed |= hold_row(h, loop, op);
    return changed;
}

static bool hold_region(Holder *h, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next)
        if (op->kind == OP_FOR) changed |= hold_rows(h, op);
    for (Op *op = region->first; op; op = op->next) {
        find_loads(h, op->kind == OP_LOAD ? op : NULL);
        if (h->count && h->loads[0] == op) {
            write_fills(h);
            write_reads(h);
            changed = true;
        }
        for (int i = 0; i < op->num_regions; i++) changed |= hold_region(h, op->regions[i]);
    }
    return changed;
}

/* ---- all ---- */

typedef struct Room {
    const Func *fn;
    bool has_atomics;
    int scratch, end;
    int meets; /* bytes that other blocks write */
} Room;

static bool note_room(Op *op, void *user) {
    Room *room = user;
    int scratch = op_scratch(room->fn, room->has_atomics, op);
    if (scratch > room->scratch) room->scratch = scratch;
    if (op->kind == OP_MEET) room->meets += meet_bytes(op) + SCRATCH_ALIGNMENT;
    if (op->kind == OP_RING && ring_end(op) > room->end) room->end = ring_end(op);
    return true;
}

bool pass_hold(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Room room = {.fn = fn, .has_atomics = func_has_atomics(fn)};
    region_walk(fn->body, note_room, &room);
    Holder h = {.fn = fn, .end = room.end};
    h.limit = arch_find(fn->target)->shared_limit - room.scratch - SMALL_SCRATCH - room.meets;
    if (!hold_region(&h, fn->body)) return false;
    func_resolve(fn);
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
