// SPDX-License-Identifier: Apache-2.0
/* share: what a loop's products by wgmma read of registers goes to shared memory once.
 *
 *     %b = ftrunc %x                        %r = ring {stages = 1} : ring<tile<.., #7>>   first in
 *     %c = dot %p, %b, ..                   ..                                          the region
 *     %d = dot %q, %b, ..            ->     %b = ftrunc %x
 *                                           acquire %r, 0;  put %r, 0, %b;  ready %r, 0
 *                                           %y = peek %r, 0
 *                                           %c = dot %p, %y, ..;  %d = dot %q, %y, ..
 *                                           release %r, 0
 *
 * Without it each product brings its operands itself, the block waits before and behind it, and
 * what two read is brought twice. What the first product finds made is brought with its own: one
 * wait for all. The products of a turn then end where their sums are read, not one by one. One
 * product alone gains nothing; nor do those outside of loops, for the room that it takes, but where
 * a tile is read by two and all of them have theirs there: then none takes scratch.
 *
 * The rings lie behind those that are in use, and stay to the end of the region: not where a
 * multiprocessor would have room for fewer blocks, if it has registers for them. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

typedef struct Sharer {
    Func *fn;
    const Arch *arch;
    bool has_atomics;
    int end;     /* of all rings so far */
    int scratch; /* the most that ops take */
    int count;
    Value *values[MAX_PARTS];
    const Type *types[MAX_PARTS]; /* in shared memory */
} Sharer;

static bool is_brought(const Op *dot, int operand) {
    const Value *value = dot->operands[operand];
    if (dot->kind != OP_DOT || dot_unit(dot) != UNIT_WGMMA) return false;
    return !value->type->place->shared && (operand == 1 || !dot_a_in_registers(dot));
}

static const Type *shared_type(const Sharer *s, const Op *dot, int operand) {
    const Type *tile = dot->operands[operand]->type;
    return type_in_panels(s->fn->types, tile, wgmma_panel_dim(dot, operand));
}

static int bytes_of(const Type *type) { return type->lanes * type_size_bytes(type); }

static int index_of(const Sharer *s, const Value *value, const Type *type) {
    for (int i = 0; i < s->count; i++)
        if (s->values[i] == value && s->types[i] == type) return i;
    return -1;
}

/* ---- which ---- */

static bool is_made_before(const Value *value, const Op *op) {
    const Op *def = value->def;
    if (!def || def->parent != op->parent) return true; /* from outside */
    while (op && op != def) op = op->prev;
    return op != NULL;
}

/* Blocks that a multiprocessor has room for, up to those that it has registers for. */
static int blocks_of(const Sharer *s, int bytes) {
    enum { REGISTERS = 65536, FEW = 96 }; /* of a multiprocessor, of a thread */
    int blocks = arch_blocks(s->arch, bytes);
    int most = REGISTERS / (32 * s->fn->num_warps * FEW);
    return blocks < most ? blocks : most;
}

static bool is_room_for(const Sharer *s, int bytes) {
    int before = s->end + s->scratch, after = before + bytes;
    return after <= s->arch->shared_limit && blocks_of(s, after) >= blocks_of(s, before);
}

typedef struct Left {
    const Sharer *s;
    int scratch;
    bool has_twice; /* a tile is read by two products */
    int reads[MAX_PARTS];
} Left;

static bool note_left(Op *op, void *user) {
    Left *left = user;
    const Sharer *s = left->s;
    bool whole = op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA;
    for (int i = 0; i < 2 && op->kind == OP_DOT; i++) {
        if (!is_brought(op, i)) continue;
        int at = index_of(s, op->operands[i], shared_type(s, op, i));
        whole = whole && at >= 0;
        if (at >= 0 && ++left->reads[at] > 1) left->has_twice = true;
    }
    int bytes = whole ? 0 : op_scratch(s->fn, s->has_atomics, op);
    if (bytes > left->scratch) left->scratch = bytes;
    return true;
}

/* Outside of loops: is what is found, of `bytes`, worth its room? */
static bool is_worth(const Sharer *s, int bytes) {
    Left left = {.s = s};
    int before = s->end + s->scratch, after = s->end + bytes;
    region_walk(s->fn->body, note_left, &left);
    return left.has_twice && !left.scratch && after <= s->arch->shared_limit &&
           blocks_of(s, after) >= blocks_of(s, before);
}

/* Of this product, all or nothing, and of those behind it what is made before it. */
static void find_shared(Sharer *s, const Op *first, bool in_loop) {
    int bytes = 0;
    s->count = 0;
    for (const Op *op = first; op; op = op->next)
        for (int i = 0; i < 2 && op->kind == OP_DOT; i++) {
            if (!is_brought(op, i) || !is_made_before(op->operands[i], first)) continue;
            const Type *type = shared_type(s, op, i);
            if (s->count == MAX_PARTS || index_of(s, op->operands[i], type) >= 0) continue;
            int size = bytes_of(type);
            bool fits = size % PANEL_BYTES == 0 && (!in_loop || is_room_for(s, bytes + size));
            if (!fits && op == first) {
                s->count = 0;
                return;
            }
            if (!fits) continue;
            s->values[s->count] = op->operands[i], s->types[s->count++] = type;
            bytes += size;
        }
    if (!in_loop && !is_worth(s, bytes)) s->count = 0;
}

/* ---- writing ---- */

static void write_shared(Sharer *s, Op *first) {
    Region *region = first->parent;
    Builder b = {.fn = s->fn, .region = region, .before = region->first, .span = first->span};
    const Type *type = type_ring(s->fn->types, s->count, s->types);
    Op *ring = build_op(&b, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, 1);
    ring_set_offset(ring, (s->end + PANEL_BYTES - 1) & -PANEL_BYTES);
    s->end = ring_end(ring);
    Value *turn[3] = {op_result(ring), build_int(&b, type_scalar(TYPE_I32), 0)};
    b.before = first;
    build_op(&b, OP_ACQUIRE, 2, turn, 0, NULL, 0, NULL);
    for (int i = 0; i < s->count; i++) {
        turn[2] = s->values[i];
        put_set_part(build_op(&b, OP_PUT, 3, turn, 0, NULL, 0, NULL), i);
    }
    build_op(&b, OP_READY, 2, turn, 0, NULL, 0, NULL);
    Value *peeks[MAX_PARTS];
    for (int i = 0; i < s->count; i++) {
        Op *peek = build_op(&b, OP_PEEK, 2, turn, 1, &s->types[i], 0, NULL);
        peek_set_part(peek, i);
        peeks[i] = op_result(peek);
        peeks[i]->name = s->values[i]->name;
    }
    for (Op *op = first; op; op = op->next)
        for (int i = 0; i < 2 && op->kind == OP_DOT; i++) {
            if (!is_brought(op, i)) continue;
            int part = index_of(s, op->operands[i], shared_type(s, op, i));
            if (part >= 0) op->operands[i] = peeks[part];
        }
    b.before = region_yield(region);
    build_op(&b, OP_RELEASE, 2, turn, 0, NULL, 0, NULL);
}

/* ---- all ---- */

static bool has_products(const Region *region) {
    int count = 0;
    for (const Op *op = region->first; op; op = op->next)
        count += op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA;
    return count > 1;
}

static bool share_region(Sharer *s, Region *region) {
    bool in_loop = region->owner && region->owner->kind == OP_FOR;
    bool changed = false, has_several = (in_loop || !region->owner) && has_products(region);
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= share_region(s, op->regions[i]);
        if (!has_several || op->kind != OP_DOT || (!is_brought(op, 0) && !is_brought(op, 1)))
            continue;
        find_shared(s, op, in_loop);
        if (!s->count) continue;
        write_shared(s, op);
        changed = true;
    }
    return changed;
}

static bool note_op(Op *op, void *user) {
    Sharer *s = user;
    int bytes = op_scratch(s->fn, s->has_atomics, op);
    if (bytes > s->scratch) s->scratch = bytes;
    if (op->kind == OP_RING && ring_end(op) > s->end) s->end = ring_end(op);
    return true;
}

bool pass_share(PassCtx *px, Func *fn) {
    (void)px;
    if (fn->form != FORM_PLACED) return false;
    Sharer s = {.fn = fn, .arch = arch_find(fn->target), .has_atomics = func_has_atomics(fn)};
    if (s.arch->number != 90) return false;
    s.scratch = SMALL_SCRATCH; /* up to there it moves on */
    region_walk(fn->body, note_op, &s);
    if (!share_region(&s, fn->body)) return false;
    func_renumber(fn);
    return true;
}
