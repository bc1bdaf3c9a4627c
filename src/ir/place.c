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
