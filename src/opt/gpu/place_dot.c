// SPDX-License-Identifier: Apache-2.0
/* place_dot: where a product lies. By mma.sync where the tensor cores take it; else each thread
 * multiplies and adds a block of the result. */
#include "opt/gpu/place.h"

static int log2_of(int x) {
    int n = 0;
    while (x > 1) x >>= 1, n++;
    return n;
}

/* Warps go to the longer side, as long as an instruction's 16 or 8 are left of it. */
static Layout mma_layout(const Placer *p, const Type *acc) {
    int m = log2_of(acc->shape[0]), n = log2_of(acc->shape[1]), warps_m = 0, warps_n = 0;
    for (int i = 0; i < p->warp_bits; i++) {
        int m_left = m - warps_m, n_left = n - warps_n;
        if (n_left > 3 && (m_left <= 4 || n_left > m_left))
            warps_n++;
        else
            warps_m++;
    }
    return layout_mma(m, n, warps_m, warps_n);
}

const Layout *place_dot_layout(Placer *p, const Op *op) {
    const Type *acc = op_result(op)->type;
    TileShape shape = tile_shape(acc);
    int order[MAX_RANK], per_thread[MAX_RANK] = {0},
                         spare = tile_shape_bits(&shape) - log2_of(p->threads);
    Layout layout;
    for (int i = 0; i < acc->rank; i++) order[i] = acc->rank - 1 - i;
    for (int i = 0; i < 2 && spare > 0; i++) {
        int d = order[i], bits = spare < 2 ? spare : 2;
        per_thread[d] = bits < shape.log2[d] ? bits : shape.log2[d];
        spare -= per_thread[d];
    }
    layout = dot_fits_mma(op, p->arch) ? mma_layout(p, acc)
                                       : layout_blocked(&shape, order, per_thread, p->warp_bits);
    return layout_intern(&p->layouts, &layout);
}
