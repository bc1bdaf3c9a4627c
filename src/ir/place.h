// SPDX-License-Identifier: Apache-2.0
/* place: what tiles' types and ops say of layouts. */
#ifndef TERN_PLACE_H
#define TERN_PLACE_H

#include "ir/arch.h"
#include "ir/ir.h"
#include "ir/layout.h"

TileShape tile_shape(const Type *type);
uint32_t tile_dim_bits(const Type *type, int dim); /* the tile bits of a dimension */

/* Ops whose lanes stay or only move together tie the layout of an operand to that in which the op
 * is made (its results', all of which have one): BROADCAST, TRANS, JOIN and SPLIT change it, the
 * others of a tile operand have the same. */
Layout layout_of_operand(const Op *op, const Layout *layout);
/* Of a reduction's results, from that of its operands. */
Layout layout_reduced(const Op *op, const Layout *layout);
/* Lanes that one instruction adds to: f32, f16 and bf16 from sm_90 (PTX ISA, "atom"), else 1. */
int atomic_most_at_once(const Op *op, const Arch *arch);
bool layout_equal(const Layout *a, const Layout *b);

/* What one instruction of dot's unit `mma` takes along K; 0: not these types. By mma.sync m16n8
 * (PTX ISA, 9.7.14.5): f16; bf16, i8 and, where the source allows it, f32 as tf32 from sm_80. */
int dot_mma_k(const Op *op, const Arch *arch);
bool dot_fits_mma(const Op *op, const Arch *arch);
/* The dimension whose lanes are neighbours in registers: a thread's, else the warp's. */
int tile_fast_dim(const Type *tile);
/* Along which the rows of the panels of an operand go that is brought from registers: as there,
 * where wgmma takes that. The least row has 32 bytes. */
int wgmma_panel_dim(const Op *dot, int operand);
/* The dimension along which the rows of a tile's panels go (swizzle_panels); -1: it has none. */
int tile_panel_dim(const Type *tile);
Swizzle tile_panels(const Type *tile, int dim, int elem_bytes);
/* And `wgmma`, on sm_90a: those and f8, by warps in groups of four. NULL: it takes the product. */
const char *dot_why_no_wgmma(const Op *op, const Arch *arch, int num_warps);
/* It reads types of other than 16 bits in rows along K only. */
bool dot_wants_k_rows(const Op *op);
/* How its warps go along M, then N: logarithms. */
void wgmma_warps(const Type *product, int num_warps, int *warps_m, int *warps_n);
/* A of a product by wgmma, of 16-bit elements, is taken from registers where it lies so. */
Layout dot_a_layout(const Op *op, int num_warps);
bool dot_a_in_registers(const Op *op);
/* Logarithms of the warps along M and N of a product made by mma, read off its layout. */
void dot_warps(const Type *product, const Layout *layout, int *warps_m, int *warps_n);

#endif
