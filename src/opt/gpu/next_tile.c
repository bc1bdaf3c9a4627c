// SPDX-License-Identifier: Apache-2.0
/* next_tile: in a loop over tiles, the first copies for a tile begin before the one before it is
 * stored.
 *
 *     for %tile                              %r = ring;  if %first < ..: fills of turns 0 and 1
 *       %r = ring;  fills of turns 0, 1      for %tile
 *       for: ready .. dot .. fill       ->     for: ready .. dot .. fill
 *       settle                                 settle
 *       store                                  if %tile + step < ..: all meet; fills for that tile
 *                                              store
 *
 * So that they are on their way while the sums go through scratch, which then lies behind the ring.
 * Where they begin all have read the ring, and its mbarriers are made again; where the store meets,
 * they are seen to be.
 *
 * For rings that one thread fills (flat.c), if what their first copies are told is computed from
 * the tile's number by pure ops, if nothing comes between but the products' end, and if there is
 * shared memory for both without a block less on a multiprocessor. */
#include "ir/trips.h"
#include "opt/roles.h"

typedef struct NextTile {
    Arena *arena;
    Func *fn;
    Op *ring, *loop, *tiles; /* loop: that reads it, in that over the tiles */
    Op *behind;              /* what the copies come before */
    bool *needed;            /* by value id: for them, of the body */
    int scratch;             /* its end */
} NextTile;

static bool fills(const NextTile *t, const Op *op) {
    for (int i = 0; i < op->num_regions; i++)
        for (const Op *in = op->regions[i]->first; in; in = in->next)
            if (in->kind == OP_FILL_BOX && turn_ring(in) == op_result(t->ring)) return true;
    return false;
}

static bool is_any_needed(const NextTile *t, const Op *op) {
    for (int i = 0; i < op->num_results; i++)
        if (t->needed[op->results[i].id]) return true;
    return false;
}

/* Up to the loop: fills, and what is pure. */
static bool find_slice(NextTile *t) {
    t->needed = arena_array(t->arena, bool, t->fn->num_values);
    for (Op *op = t->loop->prev; op; op = op->prev) {
        if (op == t->ring) continue;
        bool is_pure = !op->num_regions && !op->num_trips && op_has_trait(op, PURE);
        if (!is_pure && (op->kind != OP_IF || !fills(t, op))) return false;
        if (is_pure && !is_any_needed(t, op)) continue;
        op_note_operands(op, t->needed);
    }
    const Region *body = for_body(t->tiles);
    for (int i = 1; i < body->num_args; i++)
        if (t->needed[body->args[i]->id]) return false;
    return true;
}

static bool note_scratch(Op *op, void *user) {
    NextTile *t = user;
    int bytes[MAX_TRIPS], count = op_trips(t->fn, func_has_atomics(t->fn), op, bytes);
    for (int i = 0; i < count && i < op->num_trips; i++)
        if (op->trips[i].offset + bytes[i] > t->scratch)
            t->scratch = op->trips[i].offset + bytes[i];
    return true;
}

/* Behind the loop: the products' end, then all meet before memory is written. */
static bool find_place(NextTile *t) {
    bool ended = false;
    Op *op = t->loop->next;
    for (; op && !op->num_trips && !op->barrier && !access_pointer(op); op = op->next) {
        if (op->num_regions) return false;
        bool ends = op->kind == OP_SETTLE && !settle_pending(op);
        if (ends || (is_turn_op(op) && turn_ring(op) == op_result(t->ring))) t->behind = op->next;
        ended |= ends;
    }
    return ended && op && op->num_trips;
}

static bool is_apart(Op *op, void *user) {
    const NextTile *t = user;
    return op->kind != OP_LOAD && (op->kind != OP_RING || op == t->ring);
}

/* As many as there are registers for, at least what is added up. */
static int blocks_by_registers(const NextTile *t) {
    enum { REGISTERS = 65536, SPARE = 28 };
    int sums = 0;
    for (const Op *op = for_body(t->loop)->first; op; op = op->next)
        if (op->kind == OP_DOT) sums += layout_regs(type_layout(op_result(op)->type));
    return REGISTERS / (32 * t->fn->num_warps * (sums + SPARE));
}

static bool is_there_room(NextTile *t) {
    const Arch *arch = arch_find(t->fn->target);
    int ring = ring_end(t->ring), barriers = 2 * ROLE_BARRIER * (int)ring_stages(t->ring);
    region_walk(for_body(t->tiles), note_scratch, t);
    int end = (t->scratch > ring ? t->scratch : ring) + barriers;
    int blocks = arch_blocks(arch, end), most = blocks_by_registers(t);
    if (blocks > most) blocks = most;
    end = ring + t->scratch + barriers;
    return end <= arch->shared_limit && arch_blocks(arch, end) >= blocks;
}

/* ---- writing ---- */

static bool clear_barrier(Op *op, void *user) {
    (void)user;
    if (op->kind == OP_ACQUIRE) op->barrier = false;
    return true;
}

/* `if` there is such a tile: the fills for it. */
static void write_fills(NextTile *t, Op *before, Value *tile, Value *there) {
    Builder b = {.fn = t->fn, .region = before->parent, .before = before, .span = t->tiles->span};
    Region *arms[2] = {region_new(t->fn), region_new(t->fn)};
    Map values = {.arena = t->arena};
    map_set_pointer(&values, for_index(t->tiles), tile);
    for (int i = 0; i < 2; i++) {
        Builder arm = {.fn = t->fn, .region = arms[i], .span = b.span};
        for (Op *op = for_body(t->tiles)->first; i == 0 && op != t->loop; op = op->next)
            if (op != t->ring && (op->kind == OP_IF || is_any_needed(t, op)))
                op_clone(&arm, op, &values);
        build_yield(&arm, 0, NULL);
    }
    region_walk(arms[0], clear_barrier, NULL);
    build_op(&b, OP_IF, 1, &there, 0, NULL, 2, arms);
}

static bool move_scratch(Op *op, void *user) {
    const NextTile *t = user;
    Trip *trips = arena_array(t->fn->arena, Trip, op->num_trips);
    for (int i = 0; i < op->num_trips; i++) {
        trips[i] = op->trips[i];
        trips[i].offset += ring_end(t->ring);
    }
    op->trips = trips;
    return true;
}

static void write(NextTile *t) {
    Builder b = {.fn = t->fn, .region = t->tiles->parent, .before = t->tiles};
    b.span = t->tiles->span;
    op_move_before(t->ring, t->tiles);
    Value *lower = for_lower(t->tiles), *upper = for_upper(t->tiles);
    write_fills(t, t->tiles, lower, build_icmp(&b, ICMP_SLT, lower, upper));
    b.region = for_body(t->tiles), b.before = t->behind;
    Value *tile = for_index(t->tiles), *next = build_2(&b, OP_ADD, tile, for_step(t->tiles));
    Value *there = build_2(&b, OP_AND, build_icmp(&b, ICMP_SLT, tile, next),
                           build_icmp(&b, ICMP_SLT, next, upper));
    write_fills(t, t->behind, next, there);
    for (Op *op = for_body(t->tiles)->first, *after; op != t->loop; op = after) {
        after = op->next;
        if (op->kind == OP_IF) op_remove(op);
    }
    region_walk(for_body(t->tiles), move_scratch, t);
    func_renumber(t->fn);
}

bool roles_next_tile(Arena *arena, Func *fn, Op *ring, Op *loop) {
    NextTile t = {
        .arena = arena, .fn = fn, .ring = ring, .loop = loop, .tiles = ring->parent->owner};
    int64_t step;
    if (!t.tiles || t.tiles->kind != OP_FOR || loop->parent != ring->parent) return false;
    if (op_is_in_loop(t.tiles) || for_unsigned(t.tiles) || ring_offset(ring)) return false;
    if (type_bits(for_lower(t.tiles)->type) != 32 || !value_is_int(for_step(t.tiles), &step) ||
        step <= 0)
        return false;
    if (!find_slice(&t) || !find_place(&t) || !is_there_room(&t)) return false;
    if (!region_walk(for_body(t.tiles), is_apart, &t)) return false;
    write(&t);
    return true;
}
