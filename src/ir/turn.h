// SPDX-License-Identifier: Apache-2.0
/* turn: the turns of rings, as far as the text tells them apart. */
#ifndef TERN_TURN_H
#define TERN_TURN_H

#include "ir/ir.h"

/* root + offset; the number itself where root is NULL. */
typedef struct Turn {
    const Value *root;
    int64_t offset;
} Turn;

Turn turn_of(const Value *value);
static inline bool same_turn(Turn a, Turn b) { return a.root == b.root && a.offset == b.offset; }

/* The same lanes where they are, looked at in another way: of a tile that is peeked a peek. */
bool op_is_view(const Op *op);

/* ---- which ops have to do with a ring ---- */

static inline bool op_is_of_ring(const Op *op, const Value *ring) {
    return is_turn_op(op) && turn_ring(op) == ring;
}
bool op_uses_ring(const Op *op, const Value *ring); /* it, or one in its regions, is of the ring */
bool region_uses_ring(const Region *region, const Value *ring);
bool region_has_of_ring(const Region *region, OpKind kind, const Value *ring); /* at any depth */

#endif
