// SPDX-License-Identifier: Apache-2.0
/* place: what tiles' types and ops say of layouts. */
#ifndef TERN_PLACE_H
#define TERN_PLACE_H

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

#endif
