// SPDX-License-Identifier: Apache-2.0
/* place: how ops tie layouts together; the verifier asks it, and the pass that chooses them. */
#include "ir/place.h"

TileShape tile_shape(const Type *type) {
    TileShape shape = {.rank = type->rank};
    for (int d = 0; d < type->rank; d++)
        while (1 << shape.log2[d] < type->shape[d]) shape.log2[d]++;
    return shape;
}

uint32_t tile_dim_bits(const Type *type, int dim) {
    TileShape shape = tile_shape(type);
    return ((1u << shape.log2[dim]) - 1) << tile_bit_of_dim(&shape, dim);
}

static Layout before_broadcast(const Op *op, const Layout *layout) {
    const Type *in = op->operands[0]->type, *out = op_result(op)->type;
    uint32_t keep = (uint32_t)out->lanes - 1;
    for (int d = 0; d < in->rank; d++)
        if (in->shape[d] == 1) keep &= ~tile_dim_bits(out, d);
    return layout_restrict(layout, keep);
}

static Layout before_trans(const Op *op, const Layout *layout) {
    TileShape in = tile_shape(op->operands[0]->type), out = tile_shape(op_result(op)->type);
    const int64_t *order = trans_order(op).data;
    int from[MAX_TILE_BITS]; /* of a bit of the operand: that of the result */
    for (int d = 0; d < out.rank; d++)
        for (int i = 0; i < out.log2[d]; i++)
            from[tile_bit_of_dim(&in, (int)order[d]) + i] = tile_bit_of_dim(&out, d) + i;
    return layout_permute(layout, from, layout->tile_bits);
}

Layout layout_of_operand(const Op *op, const Layout *layout) {
    if (op->kind == OP_BROADCAST) return before_broadcast(op, layout);
    if (op->kind == OP_TRANS) return before_trans(op, layout);
    if (op->kind == OP_JOIN) return layout_split(layout);
    if (op->kind == OP_SPLIT) return layout_join(layout);
    return *layout;
}

Layout layout_reduced(const Op *op, const Layout *layout) {
    const Type *in = op->operands[0]->type;
    int axis = (int)reduce_axis(op);
    return layout_restrict(layout, ((uint32_t)in->lanes - 1) & ~tile_dim_bits(in, axis));
}

bool layout_equal(const Layout *a, const Layout *b) {
    bool same = a->tile_bits == b->tile_bits;
    for (int kind = 0; kind < NUM_KINDS; kind++)
        same = same && a->num[kind] == b->num[kind] &&
               !memcmp(a->column[kind], b->column[kind],
                       sizeof a->column[kind][0] * (size_t)a->num[kind]);
    return same;
}

/* ---- products ---- */

static bool is_summed_by_mma(const Type *a, const Type *acc) {
    if (type_is_int(a)) return acc->kind == TYPE_I32;
    return type_is_float(acc) && acc->kind != TYPE_F64;
}

int atomic_most_at_once(const Op *op, const Arch *arch) {
    const Type *lane = type_lane(access_value(op)->type);
    bool fits = lane->kind == TYPE_F32 || lane->kind == TYPE_F16 || lane->kind == TYPE_BF16;
    if (!fits || atomic_rmw_kind(op) != RMW_FADD || arch->number < 90) return 1;
    return 16 / type_size_bytes(lane);
}

int dot_mma_k(const Op *op, const Arch *arch) {
    const Type *a = type_lane(dot_a(op)->type), *b = type_lane(dot_b(op)->type);
    bool ampere = arch->number >= 80;
    if (a != b || !is_summed_by_mma(a, type_lane(dot_acc(op)->type))) return 0;
    if (a->kind == TYPE_F16) return ampere ? 16 : 8;
    if (!ampere) return 0;
    if (a->kind == TYPE_BF16) return 16;
    if (a->kind == TYPE_I8) return 32;
    return a->kind == TYPE_F32 && dot_precision(op) == PRECISION_TF32 ? 8 : 0;
}

/* As dot_mma_k, by wgmma. */
static int wgmma_k(const Op *op, const Arch *arch) {
    const Type *a = type_lane(dot_a(op)->type), *b = type_lane(dot_b(op)->type);
    if (arch->number != 90) return 0;
    if (a->kind != TYPE_F8E4M3 && a->kind != TYPE_F8E5M2) return dot_mma_k(op, arch);
    return a == b && is_summed_by_mma(a, type_lane(dot_acc(op)->type)) ? 32 : 0;
}

bool dot_fits_mma(const Op *op, const Arch *arch) {
    const Type *a = dot_a(op)->type, *acc = dot_acc(op)->type;
    int k = dot_mma_k(op, arch);
    return k && a->rank == 2 && acc->shape[0] >= 16 && acc->shape[1] >= 8 && a->shape[1] >= k;
}

bool dot_wants_k_rows(const Op *op) { return type_bits(dot_a(op)->type) != 16; }

Swizzle tile_panels(const Type *tile, int dim, int elem_bytes) {
    TileShape shape = tile_shape(tile);
    return swizzle_panels(tile_bit_of_dim(&shape, dim), shape.log2[dim],
                          tile_bit_of_dim(&shape, 1 - dim), shape.log2[1 - dim], elem_bytes);
}

int tile_fast_dim(const Type *tile) {
    const Layout *layout = type_layout(tile);
    for (int kind = KIND_REG; kind <= KIND_LANE; kind++)
        for (int i = 0; i < layout->num[kind]; i++)
            if (layout->column[kind][i])
                return layout->column[kind][i] < (uint32_t)tile->shape[1] ? 1 : 0;
    return 1;
}

int wgmma_panel_dim(const Op *dot, int operand) {
    const Type *tile = dot->operands[operand]->type;
    int dim = dot_wants_k_rows(dot) ? 1 - operand : tile_fast_dim(tile);
    return tile->shape[dim] < 16 && !dot_wants_k_rows(dot) ? 1 - dim : dim;
}

int tile_panel_dim(const Type *tile) {
    const Swizzle *s = &tile->place->swizzle;
    for (int dim = 0; dim < 2; dim++) {
        Swizzle panels = tile_panels(tile, dim, type_size_bytes(tile));
        if (s->vector == panels.vector &&
            !memcmp(s->image, panels.image, sizeof s->image[0] * (size_t)s->bits))
            return dim;
    }
    return -1;
}

void wgmma_warps(const Type *product, int num_warps, int *warps_m, int *warps_n) {
    *warps_m = *warps_n = 0;
    for (int warps = 1; warps < num_warps; warps *= 2)
        ++*(16 << *warps_m < product->shape[0] ? warps_m : warps_n);
}

const char *dot_why_no_wgmma(const Op *op, const Arch *arch, int num_warps) {
    const Type *a = dot_a(op)->type, *b = dot_b(op)->type, *acc = dot_acc(op)->type;
    enum {
        LEAST_ROWS = 64,    /* of A: of one instruction */
        LEAST_COLUMNS = 16, /* of B, for each group: 32 bytes of rows along N */
        LEAST_BYTES =
            1024,        /* of an operand: eight rows of 128 bytes, where a swizzle begins anew */
        MOST_SUMS = 128, /* of a thread, of its 255 registers */
    };
    int warps_m, warps_n, k = wgmma_k(op, arch);
    if (arch->number != 90) return "no wgmma on this GPU";
    if (!k) return "wgmma does not take these types";
    if (a->rank != 2) return "wgmma takes no batch";
    if (num_warps % 4) return "wgmma takes four warps or a multiple of them";
    if (acc->shape[0] < LEAST_ROWS) return "wgmma takes 64 rows or more";
    if (a->shape[1] < k) return "wgmma takes 32 bytes along K or more";
    wgmma_warps(acc, num_warps, &warps_m, &warps_n);
    if (acc->shape[1] >> warps_n < LEAST_COLUMNS || type_size_bytes(b) * b->lanes < LEAST_BYTES)
        return "wgmma takes more columns for so many warps";
    return acc->lanes / (32 * num_warps) > MOST_SUMS ? "wgmma takes more warps for so many sums"
                                                     : NULL;
}

Layout dot_a_layout(const Op *op, int num_warps) {
    TileShape shape = tile_shape(dot_a(op)->type);
    int warps_m, warps_n;
    wgmma_warps(op_result(op)->type, num_warps, &warps_m, &warps_n);
    return layout_wgmma_a(shape.log2[0], shape.log2[1], warps_m, warps_n);
}

bool dot_a_in_registers(const Op *op) {
    const Type *a = dot_a(op)->type;
    if (dot_unit(op) != UNIT_WGMMA || a->place->shared || type_size_bytes(a) != 2) return false;
    Layout wanted = dot_a_layout(op, 1 << type_layout(op_result(op)->type)->num[KIND_WARP]);
    return layout_equal(type_layout(a), &wanted);
}

void dot_warps(const Type *product, const Layout *layout, int *warps_m, int *warps_n) {
    *warps_m = *warps_n = 0;
    for (int i = 0; i < layout->num[KIND_WARP]; i++) {
        uint32_t column = layout->column[KIND_WARP][i];
        ++*(column && column < (uint32_t)product->shape[1] ? warps_n : warps_m);
    }
}
