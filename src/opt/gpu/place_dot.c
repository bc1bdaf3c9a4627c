// SPDX-License-Identifier: Apache-2.0
/* place_dot: who multiplies, and where a product lies. By wgmma or mma.sync where the tensor cores
 * take it; else each thread multiplies and adds a block of the result. */
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

int place_dot_unit(const Placer *p, const Op *op) {
    if (dot_fits_wgmma(op, p->arch, p->fn->num_warps)) return UNIT_WGMMA;
    return dot_fits_mma(op, p->arch) ? UNIT_MMA : UNIT_FMA;
}

static Layout fma_layout(const Placer *p, const Type *acc) {
    TileShape shape = tile_shape(acc);
    int order[MAX_RANK], per_thread[MAX_RANK] = {0},
                         spare = tile_shape_bits(&shape) - log2_of(p->threads);
    for (int i = 0; i < acc->rank; i++) order[i] = acc->rank - 1 - i;
    for (int i = 0; i < 2 && spare > 0; i++) {
        int d = order[i], bits = spare < 2 ? spare : 2;
        per_thread[d] = bits < shape.log2[d] ? bits : shape.log2[d];
        spare -= per_thread[d];
    }
    return layout_blocked(&shape, order, per_thread, p->warp_bits);
}

static Layout wgmma_layout(const Placer *p, const Type *acc) {
    int warps_m, warps_n;
    wgmma_warps(acc, p->fn->num_warps, &warps_m, &warps_n);
    return layout_wgmma(log2_of(acc->shape[0]), log2_of(acc->shape[1]), warps_m, warps_n);
}

const Layout *place_dot_layout(Placer *p, const Op *op) {
    const Type *acc = op_result(op)->type;
    int unit = place_dot_unit(p, op);
    Layout layout = unit == UNIT_WGMMA ? wgmma_layout(p, acc)
                    : unit == UNIT_MMA ? mma_layout(p, acc)
                                       : fma_layout(p, acc);
    return layout_intern(&p->layouts, &layout);
}
