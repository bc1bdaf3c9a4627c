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

#endif
