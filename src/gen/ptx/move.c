// SPDX-License-Identifier: Apache-2.0
/* move: tiles from one layout to another: renamed registers, shuffles, or a swizzled tile in shared
 * memory. Scratch in shared memory belongs to one operation at a time; a barrier comes before
 * memory is written that somebody may still read, and only then. */
#include "gen/ptx/gen.h"

int ptx_lane_bytes(const Type *lane) { return type_size_bytes(lane); }

/* ---- indices of a thread ---- */

Tir ptx_thread_id(Gen *g) {
    uint64_t mask = (uint64_t)g->threads - 1;
    if (!ptx_has_producer(g)) return tir_special(g->b, CLASS_B32, "%tid.x", ~mask);
    /* Those of the producer come last. */
    Tir tid = tir_special(g->b, CLASS_B32, "%tid.x", ~(uint64_t)(MAX_BLOCK_THREADS - 1));
    return g->is_producer ? tir_2(g->b, TIR_AND32, tid, tir_i32(g->b, (int64_t)mask)) : tid;
}

/* Exclusive or, over the set bits of the thread's number, of their images. Bits that move by the
 * same distance go together: (tid & mask) << distance. */
Tir ptx_thread_bits(Gen *g, const Layout *layout, const uint32_t *image_of_bit) {
    Tir result = tir_i32(g->b, 0);
    int bits = LANE_BITS + layout->num[KIND_WARP];
    for (int distance = -bits; distance < 32; distance++) {
        uint32_t mask = 0;
        for (int t = 0; t < bits; t++)
            if (t + distance >= 0 && t + distance < 32 && image_of_bit[t] >> (t + distance) & 1)
                mask |= 1u << t;
        if (!mask) continue;
        Tir part = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, mask));
        part = distance >= 0 ? tir_2(g->b, TIR_SHL32, part, tir_i32(g->b, distance))
                             : tir_2(g->b, TIR_SHR_U32, part, tir_i32(g->b, -distance));
        result = tir_2(g->b, TIR_XOR32, result, part);
    }
    return result;
}

Tir ptx_lane_index(Gen *g, const Layout *layout) {
    uint32_t images[LANE_BITS + MAX_WARP_BITS] = {0};
    memcpy(images, layout->column[KIND_LANE], LANE_BITS * sizeof(uint32_t));
    for (int i = 0; i < layout->num[KIND_WARP]; i++)
        images[LANE_BITS + i] = layout->column[KIND_WARP][i];
    return ptx_thread_bits(g, layout, images);
}

Tir ptx_replica_guard(Gen *g, const Layout *layout) {
    uint32_t mask = layout ? layout_replica_mask(layout) : (uint32_t)g->threads - 1;
    if (!mask) return 0;
    Tir bits = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, mask));
    return tir_2(g->b, TIR_EQ32, bits, tir_i32(g->b, 0));
}

/* ---- shuffles ---- */

Tir ptx_shuffle(Gen *g, const char *mode, Tir value, Tir lane) {
    Tirs *b = g->b;
    RegClass class = tir_class(b, value);
    if (class == CLASS_PRED) {
        Tir word = tir_select(b, value, tir_i32(b, 1), tir_i32(b, 0));
        return tir_2(b, TIR_NE32, ptx_shuffle(g, mode, word, lane), tir_i32(b, 0));
    }
    if (class == CLASS_B16)
        return tir_1(b, TIR_LOW16, ptx_shuffle(g, mode, tir_1(b, TIR_WIDE16, value), lane));
    if (class == CLASS_B64) {
        Tir low = ptx_shuffle(g, mode, tir_1(b, TIR_LOW32, value), lane);
        Tir high = tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, value, tir_i32(b, 32)));
        return tir_2(b, TIR_PACK32, low, ptx_shuffle(g, mode, high, lane));
    }
    Tir index;
    const char *text = str_format(g->arena, "shfl.sync.%s.b32", mode).data;
    tir_ins(b, TIR_SHUFFLE, text, 2, (Tir[]){value, lane}, &index);
    return tir_results(b, index, CLASS_B32, 1);
}

/* ---- shared memory ---- */

static void trip_barrier(Gen *g, Trip trip) {
    if (trip.by_warps)
        tir_plain(g->b, "bar.warp.sync -1;");
    else
        ptx_barrier(g);
}

int ptx_shared_begin(Gen *g, int bytes) {
    if (g->next_trip == g->op->num_trips)
        BUG("%s: scratch for %d trips", op_info(g->op->kind)->name, g->op->num_trips);
    Trip trip = g->op->trips[g->next_trip++];
    if (trip.wait) trip_barrier(g, trip);
    if (trip.offset + bytes > g->shared_size) g->shared_size = trip.offset + bytes;
    return trip.offset;
}

void ptx_barrier(Gen *g) {
    if (ptx_has_producer(g)) /* of its own threads */
        tir_plain(g->b, str_format(g->arena, "bar.sync 1, %d;", g->threads).data);
    else
        tir_plain(g->b, g->threads > 32 ? "bar.sync 0;" : "bar.warp.sync -1;");
}

Tir ptx_shared_address(Gen *g, int offset, Tir bytes) {
    Tir base = tir_address(g->b, CLASS_B32, SPACE_SHARED, "shared_memory");
    return tir_2(g->b, TIR_ADD32, tir_2(g->b, TIR_ADD32, base, bytes), tir_i32(g->b, offset));
}

/* ---- tiles in shared memory ---- */

static Tir tile_base(Gen *g, const SharedTile *tile, const Layout *layout) {
    uint32_t images[LANE_BITS + MAX_WARP_BITS] = {0}, bytes = (uint32_t)ptx_lane_bytes(tile->lane);
    for (int t = 0; t < LANE_BITS; t++)
        images[t] = swizzle_offset(&tile->swizzle, layout->column[KIND_LANE][t]) * bytes;
    for (int i = 0; i < layout->num[KIND_WARP]; i++)
        images[LANE_BITS + i] =
            swizzle_offset(&tile->swizzle, layout->column[KIND_WARP][i]) * bytes;
    return ptx_thread_bits(g, layout, images);
}

/* The register bits that the vector's offset bits are in this layout, or false: it is narrower. */
static int vector_regs(const SharedTile *tile, const Layout *layout, int *bit_of) {
    for (int v = 0; v < tile->swizzle.vector; v++) {
        bit_of[v] = -1;
        for (int i = 0; i < layout->num[KIND_REG]; i++)
            if (layout->column[KIND_REG][i] == tile->swizzle.image[v]) bit_of[v] = i;
        if (bit_of[v] < 0) return v;
    }
    return tile->swizzle.vector;
}

SharedWalk ptx_shared_walk(Gen *g, const SharedTile *tile, const Layout *layout) {
    SharedWalk w = {.g = g, .tile = tile, .layout = layout};
    w.base = tile_base(g, tile, layout);
    w.vector = vector_regs(tile, layout, w.bit_of);
    for (int v = 0; v < w.vector; v++) w.inside |= 1u << w.bit_of[v];
    return w;
}

Tir ptx_shared_walk_address(const SharedWalk *w, uint32_t reg, uint32_t flip) {
    uint32_t image = layout_index(w->layout, reg, 0, 0) ^ flip;
    uint32_t offset =
        swizzle_offset(&w->tile->swizzle, image) * (uint32_t)ptx_lane_bytes(w->tile->lane);
    Tir bytes = tir_2(w->g->b, TIR_XOR32, w->base, tir_i32(w->g->b, offset));
    if (w->tile->base) bytes = tir_2(w->g->b, TIR_ADD32, w->tile->base, bytes);
    return ptx_shared_address(w->g, w->tile->offset, bytes);
}

static uint32_t vector_member(const SharedWalk *w, uint32_t reg, int i) {
    for (int v = 0; v < w->vector; v++)
        if (i >> v & 1) reg |= 1u << w->bit_of[v];
    return reg;
}

/* Do threads hold matrices of the tile, which one instruction moves? */
static bool has_matrices(const SharedTile *tile, const Layout *layout, Matrices *m) {
    return ptx_lane_bytes(tile->lane) == 2 && tile->swizzle.vector >= 3 &&
           layout_matrices(layout, tile->swizzle.image, m);
}

/* Lanes 0 to 31 point at the rows of the first matrix, the second .. */
static Layout rows_of(const Layout *layout, const Matrices *m) {
    Layout rows = *layout;
    memcpy(rows.column[KIND_LANE], m->row, sizeof m->row);
    for (int i = 0; i < 2; i++)
        rows.column[KIND_LANE][3 + i] = i < m->num_bits ? layout->column[KIND_REG][m->bit[i]] : 0;
    return rows;
}

/* The register of the first lane in word i of an instruction that begins at a register. */
static uint32_t word_register(const Matrices *m, uint32_t reg, int i) {
    for (int bit = 0; bit < m->num_bits; bit++)
        if (i >> bit & 1) reg |= 1u << m->bit[bit];
    return reg;
}

static uint32_t matrix_bits(const Matrices *m) { /* of registers within an instruction */
    return word_register(m, 1u << m->pair, (1 << m->num_bits) - 1);
}

static void store_matrices(Gen *g, const SharedTile *tile, const Layout *layout, const Matrices *m,
                           const Tir *regs) {
    Layout rows = rows_of(layout, m);
    SharedWalk w = {.g = g, .tile = tile, .layout = &rows, .base = tile_base(g, tile, &rows)};
    Tir guard = ptx_replica_guard(g, layout), args[5], lanes[2];
    int count = 1 << m->num_bits;
    const char *text = str_format(g->arena, "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16", count,
                                  m->transposed ? ".trans" : "")
                           .data;
    for (uint32_t reg = 0; reg < (uint32_t)layout_regs(layout); reg++) {
        int64_t offset;
        if (reg & matrix_bits(m)) continue;
        args[0] = tir_split_offset(g->b, ptx_shared_walk_address(&w, reg, 0), &offset);
        for (int i = 0; i < count; i++) {
            lanes[0] = regs[word_register(m, reg, i)];
            lanes[1] = regs[word_register(m, reg, i) | 1u << m->pair];
            args[1 + i] = ptx_pack_lanes(g, tile->lane, lanes, 2);
        }
        TirIns *ins = tir_ins(g->b, TIR_STORE, text, 1 + count, args, NULL);
        ins->imm = (uint64_t)offset, ins->guard = guard;
    }
}

static void load_matrices(Gen *g, const SharedTile *tile, const Layout *layout, const Matrices *m,
                          Tir *regs) {
    Layout rows = rows_of(layout, m);
    int count = 1 << m->num_bits;
    for (uint32_t reg = 0; reg < (uint32_t)layout_regs(layout); reg++) {
        if (reg & matrix_bits(m)) continue;
        Tir first = ptx_shared_matrices(g, tile, &rows, reg, count, m->transposed), lanes[2];
        for (int i = 0; i < count; i++) {
            ptx_unpack_lanes(g, tile->lane, first + i, 2, lanes);
            regs[word_register(m, reg, i)] = lanes[0];
            regs[word_register(m, reg, i) | 1u << m->pair] = lanes[1];
        }
    }
}

void ptx_shared_store(Gen *g, const SharedTile *tile, const Layout *layout, const Tir *regs) {
    Matrices m;
    bool whole = g->arch->number >= 90 && !(layout_replica_mask(layout) & ((1u << LANE_BITS) - 1));
    if (whole && has_matrices(tile, layout, &m)) {
        store_matrices(g, tile, layout, &m, regs);
        return;
    }
    SharedWalk w = ptx_shared_walk(g, tile, layout);
    Tir guard = ptx_replica_guard(g, layout), lanes[16];
    for (uint32_t reg = 0; reg < (uint32_t)layout_regs(layout); reg++) {
        if (reg & w.inside) continue;
        for (int i = 0; i < 1 << w.vector; i++) lanes[i] = regs[vector_member(&w, reg, i)];
        ptx_store_lanes(g, "st.shared", ptx_shared_walk_address(&w, reg, 0), tile->lane,
                        1 << w.vector, guard, lanes);
    }
}

void ptx_shared_load(Gen *g, const SharedTile *tile, const Layout *layout, uint32_t flip,
                     Tir *regs) {
    ptx_shared_load_some(g, tile, layout, flip, 0, 0, regs);
}

void ptx_shared_load_some(Gen *g, const SharedTile *tile, const Layout *layout, uint32_t flip,
                          uint32_t mask, uint32_t value, Tir *regs) {
    Matrices m;
    if (!flip && !mask && has_matrices(tile, layout, &m)) {
        load_matrices(g, tile, layout, &m, regs);
        return;
    }
    SharedWalk w = ptx_shared_walk(g, tile, layout);
    Tir lanes[16];
    /* A flip within the vector permutes its members. */
    int flip_inside = 0;
    for (int v = 0; v < w.vector; v++)
        if (flip & tile->swizzle.image[v]) flip_inside |= 1 << v, flip &= ~tile->swizzle.image[v];
    for (uint32_t reg = 0; reg < (uint32_t)layout_regs(layout); reg++) {
        if ((reg & w.inside) || (reg & mask & ~w.inside) != (value & ~w.inside)) continue;
        ptx_load_lanes(g, "ld.shared", false, ptx_shared_walk_address(&w, reg, flip), tile->lane,
                       1 << w.vector, 0, NULL, lanes);
        for (int i = 0; i < 1 << w.vector; i++)
            regs[vector_member(&w, reg, i ^ flip_inside)] = lanes[i];
    }
}

Tir ptx_shared_matrices(Gen *g, const SharedTile *tile, const Layout *rows, uint32_t reg, int count,
                        bool transposed) {
    SharedWalk w = {.g = g, .tile = tile, .layout = rows, .base = tile_base(g, tile, rows)};
    const char *text = str_format(g->arena, "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16", count,
                                  transposed ? ".trans" : "")
                           .data;
    int64_t offset;
    Tir address = tir_split_offset(g->b, ptx_shared_walk_address(&w, reg, 0), &offset), index;
    TirIns *ins = tir_ins(g->b, TIR_LOAD, text, 1, &address, &index);
    ins->imm = (uint64_t)offset, ins->in_braces = true;
    return tir_results(g->b, index, CLASS_B32, count);
}

/* ---- conversion ---- */

static Tir *move_registers(Gen *g, Tir *regs, const Layout *from, const Layout *to) {
    Tir *result = ptx_new_regs(g, layout_regs(to));
    for (int r = 0; r < layout_regs(to); r++)
        result[r] = regs[layout_reg_of(from, layout_index(to, (uint32_t)r, 0, 0))];
    return result;
}

/* Each lane reads from the lane that has its element: that lane's number is a map of its own, and
 * so are the bits of the register to read that depend on the reading lane (at most one). */
static Tir *move_shuffle(Gen *g, Tir *regs, const Layout *from, const Layout *to) {
    BitPlace source[MAX_TILE_BITS], target[MAX_TILE_BITS];
    if (!layout_places(from, source) || !layout_places(to, target)) BUG("layout is not unit");
    uint32_t images[LANE_BITS + MAX_WARP_BITS] = {0}, varying = 0;
    for (int bit = 0; bit < from->tile_bits; bit++) {
        if (target[bit].kind != KIND_LANE) continue;
        if (source[bit].kind == KIND_LANE) images[target[bit].bit] |= 1u << source[bit].bit;
        if (source[bit].kind == KIND_REG) varying |= 1u << bit;
    }
    Tir lane_part = ptx_thread_bits(g, to, images);
    Tir *result = ptx_new_regs(g, layout_regs(to));
    for (int r = 0; r < layout_regs(to); r++) {
        uint32_t image = layout_index(to, (uint32_t)r, 0, 0), lane = 0, reg_image = 0;
        for (int bit = 0; bit < from->tile_bits; bit++) {
            if (!(image >> bit & 1)) continue;
            if (source[bit].kind == KIND_LANE) lane |= 1u << source[bit].bit;
            if (source[bit].kind == KIND_REG) reg_image |= 1u << bit;
        }
        Tir from_lane = tir_2(g->b, TIR_XOR32, lane_part, tir_i32(g->b, lane));
        result[r] = ptx_shuffle(g, "idx", regs[layout_reg_of(from, reg_image)], from_lane);
        if (!varying) continue;
        int t = 0;
        while (to->column[KIND_LANE][t] != varying) t++;
        Tir other =
            ptx_shuffle(g, "idx", regs[layout_reg_of(from, reg_image | varying)], from_lane);
        Tir bit = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, 1 << t));
        Tir set = tir_2(g->b, TIR_NE32, bit, tir_i32(g->b, 0));
        result[r] = tir_select(g->b, set, other, result[r]);
    }
    return result;
}

/* Of two registers that differ in the register's bit a lane keeps the one that it has in both, and
 * sends the other. */
static Tir *move_exchange(Gen *g, Tir *regs, const Layout *from, const Layout *to) {
    int t = layout_exchanged(from, to);
    uint32_t left = from->column[KIND_LANE][t], came = to->column[KIND_LANE][t];
    Tir lane = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, 1 << t));
    Tir odd = tir_2(g->b, TIR_NE32, lane, tir_i32(g->b, 0));
    Tir *result = ptx_new_regs(g, layout_regs(to));
    for (uint32_t r = 0; r < (uint32_t)layout_regs(to); r++) {
        uint32_t index = layout_index(to, r, 0, 0);
        if (index & left) continue;
        Tir low = regs[layout_reg_of(from, index)], high = regs[layout_reg_of(from, index | came)];
        Tir sent = tir_select(g->b, odd, low, high);
        Tir other = ptx_shuffle(g, "bfly", sent, tir_i32(g->b, 1 << t));
        result[r] = tir_select(g->b, odd, other, low);
        result[layout_reg_of(to, index | left)] = tir_select(g->b, odd, high, other);
    }
    return result;
}

/* In matrices where one side has them and the other 16 bytes in a row. */
static Swizzle choose_swizzle(const Gen *g, int bytes, const Layout *from, const Layout *to) {
    Swizzle s;
    bool stores = bytes == 2 && g->arch->number >= 90 &&
                  !(layout_replica_mask(from) & ((1u << LANE_BITS) - 1));
    if (stores && swizzle_for_matrices(from, to, &s)) return s;
    if (bytes == 2 && swizzle_for_matrices(to, from, &s)) return s;
    return swizzle_choose(from, to, bytes);
}

static Tir *move_shared(Gen *g, const Type *lane, Tir *regs, const Layout *from, const Layout *to) {
    SharedTile tile = {.swizzle = choose_swizzle(g, ptx_lane_bytes(lane), from, to), .lane = lane};
    tile.bytes = ptx_lane_bytes(lane) << from->tile_bits;
    tile.offset = ptx_shared_begin(g, tile.bytes);
    Tir *result = ptx_new_regs(g, layout_regs(to));
    ptx_shared_store(g, &tile, from, regs);
    trip_barrier(g, g->op->trips[g->next_trip - 1]);
    ptx_shared_load(g, &tile, to, 0, result);
    return result;
}

void ptx_convert(Gen *g, const Op *op) {
    const Value *value = op->operands[0];
    const Layout *to = type_layout(op_result(op)->type);
    if (value->type->place->shared) {
        SharedTile tile = ptx_peeked(g, value);
        Tir *lanes = ptx_new_regs(g, layout_regs(to));
        ptx_shared_load(g, &tile, to, 0, lanes);
        ptx_define(g, op_result(op), lanes);
        return;
    }
    const Layout *from = type_layout(value->type);
    Tir *regs = ptx_regs_of(g, value);
    switch (layout_move(from, to)) {
    case MOVE_NONE: break;
    case MOVE_REGS: regs = move_registers(g, regs, from, to); break;
    case MOVE_SHUFFLE: regs = move_shuffle(g, regs, from, to); break;
    case MOVE_EXCHANGE: regs = move_exchange(g, regs, from, to); break;
    case MOVE_SHARED: regs = move_shared(g, type_lane(value->type), regs, from, to); break;
    }
    ptx_define(g, op_result(op), regs);
}

/* Only the threads whose replica bits are 0 hold the right values: the others get them. */
Tir *ptx_broadcast_replicas(Gen *g, const Type *lane, Tir *regs, const Layout *layout) {
    uint32_t mask = layout_replica_mask(layout);
    if (!mask) return regs;
    Tir *result = ptx_new_regs(g, layout_regs(layout));
    if (mask >> LANE_BITS == 0) {
        Tir from = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, 31 & ~mask));
        for (int r = 0; r < layout_regs(layout); r++)
            result[r] = ptx_shuffle(g, "idx", regs[r], from);
        return result;
    }
    SharedTile tile = {.swizzle = swizzle_choose(layout, layout, ptx_lane_bytes(lane)),
                       .lane = lane};
    tile.bytes = ptx_lane_bytes(lane) << layout->tile_bits;
    tile.offset = ptx_shared_begin(g, tile.bytes);
    ptx_shared_store(g, &tile, layout, regs);
    ptx_barrier(g);
    ptx_shared_load(g, &tile, layout, 0, result);
    return result;
}
