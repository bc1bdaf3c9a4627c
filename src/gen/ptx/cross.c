// SPDX-License-Identifier: Apache-2.0
/* cross: ops whose lanes meet: reduce, gather, histogram, the exchange of a sort; scan.c has scans.
 * trips.h says how a reduction goes. */
#include "gen/ptx/gen.h"

Tir ptx_thread_has(Gen *g, uint32_t mask) {
    Tir bits = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, mask));
    return tir_2(g->b, TIR_NE32, bits, tir_i32(g->b, 0));
}

enum { MOST_HALVES = 128 };

typedef struct Reducer {
    Gen *g;
    const Op *op;
    int count; /* of values */
    Reduction left;
    Tir **regs; /* [value][register] */
    Extreme extreme;
    bool is_extreme, exact; /* exact: the first result is read */
    const Type *half;       /* regs are of this type still, which is reduced by .. */
    TirOp of_half;
} Reducer;

void ptx_combine(Gen *g, const Op *op, int count, const Tir *left, const Tir *right, Tir *result) {
    Tir *args = ptx_new_regs(g, 2 * count);
    for (int v = 0; v < count; v++) args[v] = left[v], args[count + v] = right[v];
    ptx_inline_region(g, op->regions[0], args, result);
}

/* Neighbours that lie in words, and what is made of them, by one instruction for both. */
static void pair_halves(Reducer *r, Tir *lanes, int count) {
    const Type *lane = r->half ? r->half : type_lane(r->op->operands[0]->type);
    for (int i = 0; i + 1 < count && type_bits(lane) == 16; i += 2) {
        Tir word = ptx_pack_lanes(r->g, lane, &lanes[i], 2);
        if (!tir_is(r->g->b, word, TIR_PACK16)) ptx_unpack_lanes(r->g, lane, word, 2, &lanes[i]);
    }
}

/* Registers of what f32 were before: f16 or bf16, or the largest, or smallest, of such; NULL: none
 * of these. left: values that are looked at. */
static const Tir *halves_of(Reducer *r, const Value *value, OpKind kind, int *left) {
    const Op *op = value->def;
    if (!op || (*left)-- <= 0) return NULL;
    if (op->kind == OP_FEXT) {
        const Type *lane = type_lane(op->operands[0]->type);
        bool is_f16 = lane->kind == TYPE_F16, is_max = kind == OP_FMAX;
        if ((!is_f16 && lane->kind != TYPE_BF16) || (r->half && lane != r->half)) return NULL;
        r->half = lane;
        r->of_half = is_f16   ? is_max ? TIR_MAX_F16 : TIR_MIN_F16
                     : is_max ? TIR_MAX_BF16
                              : TIR_MIN_BF16;
        return ptx_regs_of(r->g, op->operands[0]);
    }
    if (op->kind != kind || min_max_nan(op)) return NULL;
    const Tir *x = halves_of(r, op->operands[0], kind, left);
    const Tir *y = x ? halves_of(r, op->operands[1], kind, left) : NULL;
    if (!y) return NULL;
    int count = layout_regs(type_layout(value->type));
    Tir *made = ptx_new_regs(r->g, count);
    for (int i = 0; i < count; i++) made[i] = tir_2(r->g->b, r->of_half, x[i], y[i]);
    return made;
}

/* The largest, or smallest, of f32 that were f16 or bf16 is one of those. */
static void reduce_halves(Reducer *r) {
    if (r->count > 1 || !reduce_by_value(r->op) || r->g->arch->number < 80) return;
    const Op *made = region_yield(r->op->regions[0])->operands[0]->def;
    if ((made->kind != OP_FMAX && made->kind != OP_FMIN) || min_max_nan(made)) return;
    int left = MOST_HALVES;
    const Tir *regs = halves_of(r, r->op->operands[0], made->kind, &left);
    if (!regs) {
        r->half = NULL;
        return;
    }
    int count = layout_regs(&r->left.layout);
    r->regs[0] = ptx_new_regs(r->g, count);
    memcpy(r->regs[0], regs, sizeof(Tir) * (size_t)count);
}

static void widen_halves(Reducer *r) {
    int count = layout_regs(&r->left.layout);
    if (!r->half) return;
    Tir *out = ptx_new_regs(r->g, count);
    for (int i = 0; i < count; i++) out[i] = ptx_to_f32(r->g, r->half, r->regs[0][i]);
    r->regs[0] = out, r->half = NULL;
}

static void reduce_register_bit(Reducer *r) {
    int count = layout_regs(&r->left.layout) / 2, reg_bit = r->left.place.bit;
    Tir **out = arena_array(r->g->arena, Tir *, r->count);
    for (int v = 0; v < r->count; v++) out[v] = ptx_new_regs(r->g, count);
    Tir *left = ptx_new_regs(r->g, r->count), *right = ptx_new_regs(r->g, r->count),
        *result = ptx_new_regs(r->g, r->count);
    for (int i = 0; i < count; i++) {
        int low = (i & ((1 << reg_bit) - 1)) | (i >> reg_bit) << (reg_bit + 1);
        for (int v = 0; v < r->count; v++)
            left[v] = r->regs[v][low], right[v] = r->regs[v][low | 1 << reg_bit];
        if (r->half)
            result[0] = tir_2(r->g->b, r->of_half, left[0], right[0]);
        else
            ptx_combine(r->g, r->op, r->count, left, right, result);
        for (int v = 0; v < r->count; v++) out[v][i] = result[v];
    }
    if (r->count == 1) pair_halves(r, out[0], count);
    r->regs = out;
    reduction_remove(&r->left);
}

static void reduce_lane_bit(Reducer *r) {
    Gen *g = r->g;
    int lane_bit = r->left.place.bit, count = layout_regs(&r->left.layout);
    Tir *mine = ptx_new_regs(g, r->count), *other = ptx_new_regs(g, r->count),
        *result = ptx_new_regs(g, r->count);
    Tir **out = arena_array(g->arena, Tir *, r->count);
    for (int v = 0; v < r->count; v++) out[v] = ptx_new_regs(g, count);
    for (int i = 0; i < count; i++) {
        for (int v = 0; v < r->count; v++) {
            mine[v] = r->regs[v][i];
            other[v] = ptx_shuffle(g, "bfly", mine[v], tir_i32(g->b, 1 << lane_bit));
        }
        if (r->left.ordered) {
            Tir upper = ptx_thread_has(g, 1u << lane_bit);
            for (int v = 0; v < r->count; v++) {
                Tir x = mine[v], y = other[v];
                mine[v] = tir_select(g->b, upper, y, x);
                other[v] = tir_select(g->b, upper, x, y);
            }
        }
        ptx_combine(g, r->op, r->count, mine, other, result);
        for (int v = 0; v < r->count; v++) out[v][i] = result[v];
    }
    r->regs = out;
    reduction_remove(&r->left);
}

static bool is_float(const Reducer *r) { return type_is_float(r->op->operands[0]->type); }

/* Register bits of the axis, all at once: false where that is not known to be the same. */
static bool reduce_extreme_registers(Reducer *r) {
    BitPlace places[MAX_TILE_BITS];
    uint32_t mask = 0;
    int count = layout_regs(&r->left.layout), kept = 0;
    if (!layout_places(&r->left.layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < r->left.layout.tile_bits; bit++)
        if (r->left.axis >> bit & 1 && places[bit].kind == KIND_REG) mask |= 1u << places[bit].bit;
    Tir *firsts = ptx_new_regs(r->g, count), *seconds = ptx_new_regs(r->g, count);
    Tir *out[2] = {ptx_new_regs(r->g, count), ptx_new_regs(r->g, count)};
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        int of = 0;
        if (i & mask) continue;
        for (uint32_t k = 0; k < (uint32_t)count; k++)
            if ((k & ~mask) == i) firsts[of] = r->regs[0][k], seconds[of++] = r->regs[1][k];
        if (!ptx_extreme_registers(r->g, &r->extreme, is_float(r), r->exact, of, firsts, seconds))
            return false;
        out[0][kept] = firsts[0], out[1][kept++] = seconds[0];
    }
    r->regs[0] = out[0], r->regs[1] = out[1];
    do reduction_remove(&r->left);
    while (reduction_next(&r->left) && r->left.place.kind == KIND_REG);
    return true;
}

/* All lane bits, where the axis has them all. */
static bool reduce_extreme_lanes(Reducer *r) {
    BitPlace places[MAX_TILE_BITS];
    int lanes = 0;
    if (r->g->arch->number < 80) return false; /* redux */
    if (!layout_places(&r->left.layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < r->left.layout.tile_bits; bit++)
        lanes += r->left.axis >> bit & 1 && places[bit].kind == KIND_LANE;
    if (lanes < LANE_BITS) return false;
    int count = layout_regs(&r->left.layout);
    for (int v = 0; v < 2; v++) {
        Tir *own = ptx_new_regs(r->g, count); /* these are what the operand has */
        memcpy(own, r->regs[v], sizeof(Tir) * (size_t)count);
        r->regs[v] = own;
    }
    for (int i = 0; i < count; i++)
        ptx_extreme_lanes(r->g, &r->extreme, is_float(r), r->exact, &r->regs[0][i], &r->regs[1][i]);
    do reduction_remove(&r->left);
    while (reduction_next(&r->left) && r->left.place.kind == KIND_LANE);
    return true;
}

/* What makes one value of all lanes of a warp at once; NULL: nothing does. */
static const char *of_whole_warp(const Gen *g, const Op *made) {
    static const char *const bools[NUM_OP_KINDS] = {
        [OP_OR] = "vote.sync.any.pred",    [OP_MAX_U] = "vote.sync.any.pred",
        [OP_MAX_S] = "vote.sync.any.pred", [OP_AND] = "vote.sync.all.pred",
        [OP_MUL] = "vote.sync.all.pred",   [OP_MIN_U] = "vote.sync.all.pred",
        [OP_MIN_S] = "vote.sync.all.pred"};
    static const char *const words[NUM_OP_KINDS] = {
        [OP_ADD] = "redux.sync.add.u32",   [OP_AND] = "redux.sync.and.b32",
        [OP_OR] = "redux.sync.or.b32",     [OP_XOR] = "redux.sync.xor.b32",
        [OP_MIN_U] = "redux.sync.min.u32", [OP_MAX_U] = "redux.sync.max.u32",
        [OP_MIN_S] = "redux.sync.min.s32", [OP_MAX_S] = "redux.sync.max.s32"};
    const Type *type = op_result(made)->type;
    if (type_is_bool(type)) return bools[made->kind];
    return type->kind == TYPE_I32 && g->arch->number >= 80 ? words[made->kind] : NULL;
}

/* All lane bits of integers, where the axis has them all. */
static bool reduce_whole_warp(Reducer *r) {
    Gen *g = r->g;
    const Op *yield = region_yield(r->op->regions[0]);
    BitPlace places[MAX_TILE_BITS];
    int lanes = 0, count = layout_regs(&r->left.layout);
    if (!reduce_by_value(r->op)) return false;
    for (int v = 0; v < r->count; v++)
        if (!of_whole_warp(g, yield->operands[v]->def)) return false;
    if (!layout_places(&r->left.layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < r->left.layout.tile_bits; bit++)
        lanes += r->left.axis >> bit & 1 && places[bit].kind == KIND_LANE;
    if (lanes < LANE_BITS) return false;
    for (int v = 0; v < r->count; v++) {
        const char *text = of_whole_warp(g, yield->operands[v]->def);
        Tir *out = ptx_new_regs(g, count);
        for (int i = 0; i < count; i++)
            out[i] = ptx_across_warp(g, text, r->regs[v][i], tir_class(g->b, r->regs[v][i]));
        r->regs[v] = out;
    }
    do reduction_remove(&r->left);
    while (reduction_next(&r->left) && r->left.place.kind == KIND_LANE);
    return true;
}

static void gather_warps(Reducer *r) {
    Gen *g = r->g;
    const Layout *from = &r->left.layout, *to = &r->left.moved;
    SharedTile *tiles = arena_array(g->arena, SharedTile, r->count);
    int total = 0;
    for (int v = 0; v < r->count; v++) {
        const Type *lane = type_lane(r->op->operands[v]->type);
        tiles[v] =
            (SharedTile){.swizzle = swizzle_choose(from, to, ptx_lane_bytes(lane)), .lane = lane};
        tiles[v].offset = total;
        tiles[v].bytes = ptx_lane_bytes(lane) << from->tile_bits;
        total += scratch_aligned(tiles[v].bytes);
    }
    int base = ptx_shared_begin(g, total);
    for (int v = 0; v < r->count; v++) {
        tiles[v].offset += base;
        ptx_shared_store(g, &tiles[v], from, r->regs[v]);
    }
    ptx_barrier(g);
    for (int v = 0; v < r->count; v++) {
        r->regs[v] = ptx_new_regs(g, layout_regs(to));
        ptx_shared_load(g, &tiles[v], to, 0, r->regs[v]);
    }
    r->left.layout = *to;
}

static void reduce(Gen *g, const Op *op) {
    Reducer r = {.g = g, .op = op, .count = op->num_operands, .left = reduction_of(op)};
    r.regs = arena_array(g->arena, Tir *, r.count);
    for (int v = 0; v < r.count; v++) r.regs[v] = ptx_regs_of(g, op->operands[v]);
    r.is_extreme = reduce_extreme(op, &r.extreme);
    r.exact = r.is_extreme && value_is_used(g->fn, &op->results[0]);
    reduce_halves(&r);
    while (reduction_next(&r.left)) {
        bool registers = r.left.place.kind == KIND_REG, lanes = r.left.place.kind == KIND_LANE;
        if (!registers) widen_halves(&r);
        if (r.is_extreme && registers && reduce_extreme_registers(&r)) continue;
        if (r.is_extreme && lanes && reduce_extreme_lanes(&r)) continue;
        if (lanes && reduce_whole_warp(&r)) continue;
        if (registers)
            reduce_register_bit(&r);
        else if (lanes)
            reduce_lane_bit(&r);
        else
            gather_warps(&r);
    }
    widen_halves(&r);
    for (int v = 0; v < r.count; v++) ptx_define(g, &op->results[v], r.regs[v]);
}

/* ---- sort step ---- */

static void sort_step(Gen *g, const Op *op) {
    const Layout *layout = type_layout(op_result(op)->type);
    uint32_t mask = (uint32_t)sort_step_mask(op), regs_mask = 0, lanes = 0, warps = 0;
    BitPlace places[MAX_TILE_BITS];
    if (!layout_places(layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < layout->tile_bits; bit++) {
        if (!(mask >> bit & 1)) continue;
        uint32_t *to = places[bit].kind == KIND_REG    ? &regs_mask
                       : places[bit].kind == KIND_LANE ? &lanes
                                                       : &warps;
        *to |= 1u << places[bit].bit;
    }
    Tir *from = ptx_regs_of(g, op->operands[0]), *regs = ptx_new_regs(g, layout_regs(layout));
    const Type *lane = type_lane(op_result(op)->type);
    if (warps) {
        SharedTile tile = {.swizzle = swizzle_choose(layout, layout, ptx_lane_bytes(lane)),
                           .lane = lane};
        tile.bytes = ptx_lane_bytes(lane) << layout->tile_bits;
        tile.offset = ptx_shared_begin(g, tile.bytes);
        ptx_shared_store(g, &tile, layout, from);
        ptx_barrier(g);
        ptx_shared_load(g, &tile, layout, mask, regs);
    } else {
        for (int r = 0; r < layout_regs(layout); r++) {
            Tir x = from[(uint32_t)r ^ regs_mask];
            regs[r] = lanes ? ptx_shuffle(g, "bfly", x, tir_i32(g->b, lanes)) : x;
        }
    }
    ptx_define(g, op_result(op), regs);
}

/* ---- gather and histogram ---- */

Swizzle swizzle_row_major(int bits) {
    Swizzle s = {.bits = bits};
    for (int i = 0; i < bits; i++) s.image[i] = s.offset_of[i] = 1u << i;
    return s;
}

/* An integer lane as an unsigned index below `limit`: 0 and *inside when it is not. */
static Tir index_below(Gen *g, const Type *lane, Tir x, int limit, Tir *inside) {
    if (type_bits(lane) == 64) {
        *inside = tir_2(g->b, TIR_LT_U64, x, tir_i64(g->b, limit));
        return tir_1(g->b, TIR_LOW32, x);
    }
    Tir wide = ptx_sign_extended(g, lane, x);
    *inside = tir_2(g->b, TIR_LT_U32, wide, tir_i32(g->b, limit));
    return wide;
}

/* Where a result's lane reads, the axis left out: its tile bits, moved to those of the source. */
static uint32_t gather_bits(const Type *from, const Type *to, int axis, uint32_t index) {
    TileShape in = tile_shape(from), out = tile_shape(to);
    uint32_t result = 0;
    for (int d = 0; d < to->rank; d++) {
        uint32_t coordinate = index >> tile_bit_of_dim(&out, d) & ((1u << out.log2[d]) - 1);
        if (d != axis) result |= coordinate << tile_bit_of_dim(&in, d);
    }
    return result;
}

void ptx_gather(Gen *g, const Op *op) {
    const Type *from = gather_source(op)->type, *to = op_result(op)->type;
    const Layout *layout = type_layout(to), *source = type_layout(from);
    int axis = (int)gather_axis(op);
    SharedTile tile = {.swizzle = swizzle_row_major(source->tile_bits), .lane = type_lane(from)};
    int bytes = ptx_lane_bytes(tile.lane);
    tile.bytes = bytes << source->tile_bits;
    tile.offset = ptx_shared_begin(g, tile.bytes);
    ptx_shared_store(g, &tile, source, ptx_regs_of(g, gather_source(op)));
    ptx_barrier(g);
    uint32_t images[LANE_BITS + MAX_WARP_BITS] = {0};
    for (int i = 0; i < LANE_BITS; i++)
        images[i] = gather_bits(from, to, axis, layout->column[KIND_LANE][i]) * (uint32_t)bytes;
    for (int i = 0; i < layout->num[KIND_WARP]; i++)
        images[LANE_BITS + i] =
            gather_bits(from, to, axis, layout->column[KIND_WARP][i]) * (uint32_t)bytes;
    Tir base = ptx_thread_bits(g, layout, images);
    Tir *indices = ptx_regs_of(g, gather_indices(op)), *regs = ptx_new_regs(g, layout_regs(layout));
    TileShape shape = tile_shape(from);
    Tir stride = tir_i32(g->b, (int64_t)bytes << tile_bit_of_dim(&shape, axis));
    for (int r = 0; r < layout_regs(layout); r++) {
        uint32_t image = gather_bits(from, to, axis, layout_index(layout, (uint32_t)r, 0, 0));
        Tir inside, index = index_below(g, type_lane(gather_indices(op)->type), indices[r],
                                        from->shape[axis], &inside);
        Tir place = tir_2(g->b, TIR_XOR32, base, tir_i32(g->b, image * (uint32_t)bytes));
        place = tir_2(g->b, TIR_ADD32, place, tir_2(g->b, TIR_MUL32, index, stride));
        Tir zero = ptx_constant(g, tile.lane, 0);
        ptx_load_lanes(g, "ld.shared", false, ptx_shared_address(g, tile.offset, place), tile.lane,
                       1, inside, &zero, &regs[r]);
    }
    ptx_define(g, op_result(op), regs);
}

static void histogram(Gen *g, const Op *op) {
    const Layout *layout = type_layout(op_result(op)->type),
                 *from = type_layout(histogram_source(op)->type);
    const Type *lane = type_lane(histogram_source(op)->type);
    int bins = op_result(op)->type->lanes;
    SharedTile tile = {.swizzle = swizzle_row_major(layout->tile_bits),
                       .lane = type_scalar(TYPE_I32),
                       .bytes = 4 * bins};
    Tir *regs = ptx_new_regs(g, layout_regs(layout)), *zeros = ptx_new_regs(g, layout_regs(layout));
    for (int r = 0; r < layout_regs(layout); r++) zeros[r] = tir_i32(g->b, 0);
    tile.offset = ptx_shared_begin(g, tile.bytes);
    ptx_shared_store(g, &tile, layout, zeros);
    ptx_barrier(g);
    Tir *values = ptx_regs_of(g, histogram_source(op)), once = ptx_replica_guard(g, from);
    Tir *masks = histogram_mask(op) ? ptx_regs_of(g, histogram_mask(op)) : NULL;
    for (int r = 0; r < layout_regs(from); r++) {
        Tir inside, index = index_below(g, lane, values[r], bins, &inside);
        if (masks) inside = tir_2(g->b, TIR_AND_P, inside, masks[r]);
        if (once) inside = tir_2(g->b, TIR_AND_P, inside, once);
        Tir place =
            ptx_shared_address(g, tile.offset, tir_2(g->b, TIR_SHL32, index, tir_i32(g->b, 2)));
        int64_t offset;
        Tir args[2] = {tir_split_offset(g->b, place, &offset), tir_i32(g->b, 1)};
        TirIns *ins = tir_ins(g->b, TIR_ATOM, "red.shared.add.u32", 2, args, NULL);
        ins->imm = (uint64_t)offset;
        ins->guard = inside;
    }
    ptx_barrier(g);
    ptx_shared_load(g, &tile, layout, 0, regs);
    ptx_define(g, op_result(op), regs);
}

void ptx_across(Gen *g, const Op *op) {
    switch (op->kind) {
    case OP_REDUCE: reduce(g, op); return;
    case OP_SCAN: ptx_scan(g, op); return;
    case OP_HISTOGRAM: histogram(g, op); return;
    case OP_DOT: ptx_dot(g, op); return;
    case OP_SORT_STEP: sort_step(g, op); return;
#define OP(kind, ...) case OP_##kind:
#define ACROSS(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is not across lanes", op_info(op->kind)->name);
}
