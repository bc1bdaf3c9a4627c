// SPDX-License-Identifier: Apache-2.0
/* ring: rings of buffers in shared memory.
 *
 *     acquire   a barrier, where `fence` asks for one: others may still read the buffer
 *     fill      cp.async of 16, 8 or 4 bytes; lanes that are masked off copy no byte, which leaves
 *               0. Where there is no such copy (sm_75, smaller pieces, another `other`): load and
 *               store
 *     commit    cp.async.commit_group
 *     ready     cp.async.wait_group, for wgmma a fence between proxies, then a barrier: each thread
 *               waits for its own copies
 *     peek      nothing: what reads the tile reads it where it lies
 *     settle    wgmma.wait_group: products that read buffers end
 *     release   nothing: the buffer is filled again after a barrier
 *
 * Where a ring is `apart` (pass apart), release arrives at an mbarrier, for which acquire and ready
 * wait instead of barriers.
 *
 * Turn n is at byte n % stages * size of the ring. */
#include "gen/ptx/gen.h"
#include "ir/trips.h"
#include "ir/turn.h"

static int part_bytes(const Type *type, int part) {
    return scratch_aligned(type->parts[part]->lanes * type_size_bytes(type->parts[part]));
}

static bool has_copies(const Gen *g) { return g->arch->number >= 80; }

/* ---- where a turn lies ---- */

Tir ptx_turn_slot(Gen *g, const Op *op, Tir *round) {
    const Op *ring = turn_ring(op)->def;
    const Value *turn = turn_number(op);
    Tir n = ptx_scalar_of(g, turn), stages;
    if (g->roles && g->roles->by_slots && !g->is_producer) { /* of the only ring */
        if (round) *round = tir_2(g->b, TIR_SHR_U32, n, tir_i32(g->b, TURN_SLOT_BITS));
        return tir_2(g->b, TIR_AND32, n, tir_i32(g->b, (1 << TURN_SLOT_BITS) - 1));
    }
    bool wide = type_bits(turn->type) == 64;
    stages = wide ? tir_i64(g->b, ring_stages(ring)) : tir_i32(g->b, ring_stages(ring));
    Tir slot = tir_2(g->b, wide ? TIR_REM_U64 : TIR_REM_U32, n, stages);
    if (round) *round = tir_2(g->b, wide ? TIR_DIV_U64 : TIR_DIV_U32, n, stages);
    return wide ? tir_1(g->b, TIR_LOW32, slot) : slot;
}

static Tir turn_base(Gen *g, const Op *op) {
    int bytes = ring_turn_bytes(turn_ring(op)->type);
    return tir_2(g->b, TIR_MUL32, ptx_turn_slot(g, op, NULL), tir_i32(g->b, bytes));
}

static SharedTile turn_tile(const Op *op, Tir base) {
    const Type *ring = turn_ring(op)->type, *tile = ring->parts[turn_part(op)];
    SharedTile shared = {.swizzle = tile->place->swizzle, .lane = type_lane(tile), .base = base};
    shared.offset = (int)ring_offset(turn_ring(op)->def);
    for (int i = 0; i < turn_part(op); i++) shared.offset += part_bytes(ring, i);
    shared.bytes = tile->lanes * type_size_bytes(tile);
    return shared;
}

Tir ptx_turn_address(Gen *g, const Op *op) {
    SharedTile tile = turn_tile(op, turn_base(g, op));
    return ptx_shared_address(g, tile.offset, tile.base);
}

SharedTile ptx_peeked(Gen *g, const Value *value) {
    const Op *peek = value->def;
    while (peek->kind == OP_TRANS) peek = peek->operands[0]->def;
    SharedTile tile = turn_tile(peek, ptx_scalar_of(g, value));
    tile.swizzle = value->type->place->swizzle;
    return tile;
}

/* ---- copies ---- */

typedef struct Fill {
    const Type *lane;
    Tir *pointers, *masks, *others;
    Tir policy; /* of the second cache; 0: none */
    bool copies, ends;
} Fill;

/* Of lanes of which the masks leave off the last ones: how many bytes are left. What all masks ask
 * for is asked once, so that rows of a tile share the rest. */
static Tir bytes_left(Gen *g, const Tir *masks, int lanes, int each) {
    Tirs *b = g->b;
    Tir rest[16], zero = tir_i32(b, 0), sum = zero;
    bool same = true, all_and = true, counts = true;
    for (int i = 0; i < lanes; i++) {
        same = same && masks[i] == masks[0];
        all_and = all_and && tir_is(b, masks[i], TIR_AND_P);
        counts = counts && tir_is(b, masks[i], TIR_LT_U32);
    }
    if (same) return tir_select(b, masks[0], tir_i32(b, lanes * each), zero);
    for (int k = 0; k < 2 && all_and; k++) {
        Tir common = tir_argument(b, masks[0], k);
        bool all = true;
        for (int i = 0; i < lanes; i++) {
            int at = tir_argument(b, masks[i], 1) == common ? 1 : 0;
            all = all && tir_argument(b, masks[i], at) == common;
            rest[i] = tir_argument(b, masks[i], 1 - at);
        }
        if (all) return tir_select(b, common, bytes_left(g, rest, lanes, each), zero);
    }
    if (counts) { /* x < n, x + 1 < n .. */
        int64_t first, offset;
        Tir n = tir_argument(b, masks[0], 1),
            x = tir_split_offset(b, tir_argument(b, masks[0], 0), &first);
        for (int i = 1; i < lanes && counts; i++)
            counts = tir_argument(b, masks[i], 1) == n &&
                     tir_split_offset(b, tir_argument(b, masks[i], 0), &offset) == x &&
                     offset == first + i;
        if (counts) {
            Tir left = tir_2(b, TIR_SUB32, n, tir_argument(b, masks[0], 0));
            left = tir_2(b, TIR_MIN_U32, left, tir_i32(b, lanes));
            return tir_select(b, masks[0], tir_2(b, TIR_MUL32, left, tir_i32(b, each)), zero);
        }
    }
    for (int i = 0; i < lanes; i++)
        sum = tir_2(b, TIR_ADD32, sum, tir_select(b, masks[i], tir_i32(b, each), zero));
    return sum;
}

static void copy(Gen *g, const Fill *f, Tir to, Tir from, int bytes, Tir left, Tir guard) {
    int64_t to_offset, from_offset;
    Tir args[4] = {tir_split_offset(g->b, to, &to_offset),
                   tir_split_offset(g->b, from, &from_offset)};
    int count = 2;
    if (left) args[count++] = left;
    if (f->policy) args[count++] = f->policy;
    /* Past the first level of cache, where that is possible: the tile is read once. */
    Str text = str_format(g->arena, "cp.async.%s.shared.global%s", bytes == 16 ? "cg" : "ca",
                          f->policy ? ".L2::cache_hint" : "");
    TirIns *ins = tir_ins(g->b, TIR_COPY, text.data, count, args, NULL);
    ins->text2 = bytes == 16 ? "16" : bytes == 8 ? "8" : "4";
    ins->imm = (uint32_t)to_offset | (uint64_t)(uint32_t)from_offset << 32;
    ins->guard = guard;
}

static void fill_lanes(Gen *g, const Fill *f, Tir to, int reg, int lanes, Tir guard) {
    int each = ptx_lane_bytes(f->lane);
    Tir mask = f->masks ? f->masks[reg] : 0, values[16];
    uint64_t bits;
    if (f->ends && f->copies) {
        copy(g, f, to, f->pointers[reg], lanes * each, bytes_left(g, f->masks + reg, lanes, each),
             guard);
        return;
    }
    if (mask && tir_is_const(g->b, mask, &bits) && bits) mask = 0;
    if (f->copies) {
        Tir left = mask ? tir_select(g->b, mask, tir_i32(g->b, lanes * each), tir_i32(g->b, 0)) : 0;
        copy(g, f, to, f->pointers[reg], lanes * each, left, guard);
        return;
    }
    Tir *others = f->others ? f->others + reg : NULL;
    ptx_load_lanes(g, "ld.global", false, f->pointers[reg], f->lane, lanes, mask, others, values);
    ptx_store_lanes(g, "st.shared", to, f->lane, lanes, guard, values);
}

/* A copy is of all bytes or of none, but where a row ends inside of it. Of any other number ptxas
 * adds what is missing to the address, four instructions a copy, which in 8 warps with 128x128x64
 * are half of the loop: so these are apart. */
static bool fill_apart(Gen *g, const Fill *f, const SharedWalk *walk, int regs, int lanes,
                       Tir guard) {
    Tirs *b = g->b;
    Ends ends;
    if (!f->ends || !ptx_ends(g, f->masks, regs, lanes, &ends)) return false;
    int bytes = lanes * ptx_lane_bytes(f->lane), parts = tir_new_label(b), end = tir_new_label(b);
    Tir zero = tir_i32(b, 0), all = tir_i32(b, bytes);
    tir_branch(b, parts, ends.lanes[lanes - 1], true);
    int scope = tir_enter(b);
    for (int i = 0; i < ends.rows; i++)
        copy(g, f, ptx_shared_walk_address(walk, (uint32_t)(i * lanes), 0), f->pointers[i * lanes],
             bytes, tir_select(b, ends.row[i], all, zero), guard);
    tir_leave(b, scope);
    tir_branch(b, end, 0, false);
    tir_label(b, parts);
    scope = tir_enter(b);
    for (int r = 0; r < regs; r += lanes)
        fill_lanes(g, f, ptx_shared_walk_address(walk, (uint32_t)r, 0), r, lanes, guard);
    tir_leave(b, scope);
    tir_label(b, end);
    return true;
}

static void ptx_fill(Gen *g, const Op *op) {
    const Type *pointer = fill_pointer(op)->type;
    const Layout *layout = type_layout(pointer);
    SharedTile tile = turn_tile(op, turn_base(g, op));
    SharedWalk walk = ptx_shared_walk(g, &tile, layout);
    Fill f = {.lane = type_lane(pointer)->elem, .pointers = ptx_regs_of(g, fill_pointer(op))};
    if (fill_mask(op)) f.masks = ptx_regs_of(g, fill_mask(op));
    if (fill_other(op)) f.others = ptx_regs_of(g, fill_other(op));
    int lanes = 1, bit = 0; /* that lie side by side in memory and in the buffer */
    while (lanes < fill_width(op) && bit < walk.vector && walk.bit_of[bit] == bit)
        lanes *= 2, bit++;
    f.copies =
        has_copies(g) && lanes * ptx_lane_bytes(f.lane) >= 4 && value_is_zero(fill_other(op));
    f.ends = fill_ends(op) && f.masks && f.copies;
    if (fill_ends(op) && !f.copies) lanes = 1;
    /* Of fewer bytes ptxas 13.0 makes instructions of it that an H200 calls illegal. */
    if (f.copies && lanes * ptx_lane_bytes(f.lane) == 16) f.policy = ptx_policy(g, fill_evict(op));
    Tir guard = ptx_replica_guard(g, layout);
    if (op->barrier) ptx_barrier(g);
    ptx_note_width(g, op, "copies of", lanes * ptx_lane_bytes(f.lane));
    if (fill_apart(g, &f, &walk, layout_regs(layout), lanes, guard)) return;
    for (int r = 0; r < layout_regs(layout); r += lanes)
        fill_lanes(g, &f, ptx_shared_walk_address(&walk, (uint32_t)r, 0), r, lanes, guard);
}

static void ptx_put(Gen *g, const Op *op) {
    SharedTile tile = turn_tile(op, turn_base(g, op));
    const Value *value = put_tile(op);
    ptx_shared_store(g, &tile, type_layout(value->type), ptx_regs_of(g, value));
}

/* ---- the others ---- */

static void note_ring(Gen *g, const Op *op) {
    const Type *type = op_result(op)->type;
    int bytes = ring_turn_bytes(type), stages = (int)ring_stages(op);
    if (ring_end(op) > g->shared_size) g->shared_size = ring_end(op);
    ptx_note(g, stages == 1
                    ? str_format(g->arena, "%d bytes kept in shared memory", bytes)
                    : str_format(g->arena, "a ring of %d turns of %d bytes; num_stages = %d",
                                 stages, bytes, g->fn->num_stages));
}

static bool has_fills(const Gen *g, const Op *op) {
    return has_copies(g) && region_has_of_ring(g->fn->body, OP_FILL, turn_ring(op));
}

static void wait_for_copies(Gen *g, const Op *op, int pending) {
    if (has_fills(g, op))
        tir_plain(g->b, str_format(g->arena, "cp.async.wait_group %d;", pending).data);
}

/* What was copied is seen by wgmma, too. */
static void fence_copies(Gen *g) {
    if (g->has_wgmma) tir_plain(g->b, "fence.proxy.async.shared::cta;");
}

/* ---- rings at which warpgroups need not be in step ---- */

static bool is_apart(const Op *op) { return ring_apart(turn_ring(op)->def) != 0; }

static bool is_in_loop(const Op *op) { return op->parent->owner && op->parent->owner->parent; }

static Tir mbarrier_of(Gen *g, const Op *ring) {
    return ptx_shared_address(g, (int)ring_apart(ring), tir_i32(g->b, 0));
}

/* Turn n of the loop arrives for its phase n, which says that turn n - 1 is read, and that the
 * copies of turn n + 1 have come: all of those that were begun before its own. */
static void arrive(Gen *g, const Op *op) {
    wait_for_copies(g, op, (int)ring_stages(turn_ring(op)->def) - 3);
    fence_copies(g);
    Tir barrier = mbarrier_of(g, turn_ring(op)->def);
    ptx_mbarrier(g, "mbarrier.arrive.shared.b64 _, [$0];", 1, &barrier, false);
}

/* For the phase of turn `number` - before; that before the first has ended. */
static void await(Gen *g, const Op *op, int before) {
    Tir n = ptx_scalar_of(g, turn_number(op));
    Tir parity = tir_2(g->b, TIR_AND32, tir_2(g->b, TIR_ADD32, n, tir_i32(g->b, before & 1)),
                       tir_i32(g->b, 1));
    ptx_mbarrier_wait(g, mbarrier_of(g, turn_ring(op)->def), parity);
}

/* The first turn is made ready for all; in the others, ready waits for the turn before. */
void ptx_ring_enter(Gen *g, const Op *loop) {
    const Op *ready = for_body(loop)->first;
    if (g->roles && g->roles->flat) ptx_role_enter(g, loop);
    if (ready->kind != OP_READY || !is_apart(ready) || ptx_has_producer(g)) return;
    if (ptx_is_of_roles(g, ready)) return;
    wait_for_copies(g, ready, (int)ready_pending(ready));
    fence_copies(g);
    ptx_barrier(g);
}

/* Where a turn's products are short: whoever multiplies fences what it has met at the barrier, and
 * the barrier comes sooner (i8, 128x128x64 by 4 warps, 947 -> 1003 TOP/s at 4096 on an H200; of 16
 * bits from 1 % more to 1.5 % less). */
static bool has_bytes(const Type *ring) {
    for (int i = 0; i < ring->num_parts; i++)
        if (type_size_bytes(ring->parts[i]) > 1) return false;
    return true;
}

/* Each thread fences what it wrote before, whoever waited for it: where the next product by wgmma
 * brings some of what it multiplies, there is one fence for both. */
static bool next_product_fences(const Op *ready) {
    for (const Op *op = ready->next; op; op = op->next) {
        if (op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA) return dot_scratch(op) > 0;
        for (int i = 0; i < op->num_regions; i++)
            if (region_has_wgmma(op->regions[i])) return false;
    }
    return false;
}

static void ptx_ready(Gen *g, const Op *op) {
    if (is_apart(op)) {
        await(g, op, 1);
        return;
    }
    const Op *before = op->prev; /* of several turns in a row the first waits for all */
    bool waited = before && before->kind == OP_READY && turn_ring(before) == turn_ring(op);
    if (waited && !ready_pending(before)) return;
    if (ready_pending(op)) {
        if (g->fn->shares && ready_own(op)) tir_plain(g->b, "bar.warp.sync -1;");
        wait_for_copies(g, op, (int)ready_pending(op));
    } else if (has_fills(g, op)) {
        /* No instruction, but ptxas moves loads of what registers hold behind the wait. */
        if (g->fn->shares) tir_plain(g->b, "bar.warp.sync -1;");
        tir_plain(g->b, "cp.async.wait_all;"); /* committed or not */
    }
    if (ready_own(op)) return;
    bool fences = !next_product_fences(op), late = has_bytes(turn_ring(op)->type);
    if (fences && !late) fence_copies(g);
    ptx_barrier(g);
    if (fences && late) fence_copies(g);
}

static void begin_apart(Gen *g, const Op *op) {
    Tir first = tir_2(g->b, TIR_EQ32, ptx_thread_id(g), tir_i32(g->b, 0));
    const char *text =
        str_format(g->arena, "@$1 mbarrier.init.shared.b64 [$0], %d;", g->threads).data;
    ptx_mbarrier(g, text, 2, (Tir[]){mbarrier_of(g, op), first}, false);
    if ((int)ring_apart(op) + SCRATCH_ALIGNMENT > g->shared_size)
        g->shared_size = (int)ring_apart(op) + SCRATCH_ALIGNMENT;
}

/* What copies need in each turn, and no turn changes, is made before the loop: it merges with what
 * they make there, and nobody waits for it behind a barrier. */
static bool prepare_fill(Op *op, void *gen) {
    Gen *g = gen;
    if (op->kind != OP_FILL || turn_ring(op)->def != g->op) return true;
    const Layout *layout = type_layout(fill_pointer(op)->type);
    SharedTile tile = turn_tile(op, 0);
    ptx_shared_walk(g, &tile, layout);
    ptx_replica_guard(g, layout);
    return true;
}

static bool has_barriers(const Gen *g, const Op *ring) {
    return g->roles && g->barriers[op_result(ring)->id];
}

static void begin_ring(Gen *g, const Op *op) {
    if (!g->is_producer) note_ring(g, op);
    if (g->roles) ptx_role_ring(g, op);
    ptx_shared_address(g, 0, tir_i32(g->b, 0));
    if (ring_apart(op) && !ptx_has_producer(g) && !has_barriers(g, op)) begin_apart(g, op);
    region_walk(g->fn->body, prepare_fill, g);
}

/* What registers hold of a row comes first, as it was asked for: ptxas would load it last. Of one
 * block that is no gain. */
static void pin_loads(Gen *g, const Op *op) {
    bool first = op->kind == OP_ACQUIRE && !(op->prev && op->prev->kind == OP_ACQUIRE);
    if (first && g->fn->shares && g->facts->cluster) tir_plain(g->b, "bar.warp.sync -1;");
}

void ptx_ring(Gen *g, const Op *op) {
    if (op->kind == OP_RING) begin_ring(g, op);
    if (ptx_is_of_roles(g, op) && op->kind != OP_PEEK) {
        if (op->kind == OP_FILL) ptx_fill(g, op);
        if (op->kind == OP_FILL) ptx_role_filled(g, op);
        if (op->kind == OP_FILL_BOX) ptx_role_fill_box(g, op);
        ptx_role_turn(g, op);
        return;
    }
    if (op->kind == OP_ACQUIRE && op->barrier) ptx_barrier(g);
    pin_loads(g, op);
    if (op->kind == OP_ACQUIRE && is_apart(op) && turn_number(op)->def->kind != OP_CONSTANT)
        await(g, op, (int)ring_stages(turn_ring(op)->def) - 1);
    if (op->kind == OP_FILL) ptx_fill(g, op);
    if (op->kind == OP_PUT) ptx_put(g, op);
    if (op->kind == OP_COMMIT && has_copies(g)) tir_plain(g->b, "cp.async.commit_group;");
    if (op->kind == OP_READY) ptx_ready(g, op);
    if (op->kind == OP_RELEASE && is_apart(op) && is_in_loop(op)) arrive(g, op);
    if (op->kind == OP_SETTLE) ptx_settle(g, settle_pending(op));
    if (op->kind != OP_PEEK) return;
    Tir *base = ptx_new_regs(g, 1);
    base[0] = turn_base(g, op);
    g->regs[op_result(op)->id] = base;
}
