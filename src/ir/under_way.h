// SPDX-License-Identifier: Apache-2.0
/* under_way: products that go on while the block does: dots with `async`, until a `settle` covers
 * them. What such a product still reads and writes, nobody else may touch. The pass `waits` asks
 * where a settle is needed, the verifier whether one is missing. */
#ifndef TERN_UNDER_WAY_H
#define TERN_UNDER_WAY_H

#include "ir/ir.h"

enum { MOST_UNDER_WAY = 8 }; /* products at a time */

/* By wgmma, added up in its own type, nothing of it in scratch: else it is waited for at once. */
bool dot_may_go_on(const Op *dot);

/* The argument of the loop whose body the product is in, in whose registers it is added up, or
 * NULL: the loop carries the sums there, at the end of a chain of products each of which adds to
 * the one before, and nobody reads the argument once the first has begun. So they may be carried on
 * while the product is under way: nothing moves. */
const Value *dot_sums_home(const Op *dot);
/* The product that made what this one adds to, which nobody else reads; or NULL. */
const Op *dot_added_to(const Op *dot);

/* Before `op`, of the products under way only the `pending` newest may be. False ends the walk. */
typedef bool UnderWayNeed(void *user, const Op *op, int pending);
/* Walks the placed function along its paths. False: `need` said so. */
bool under_way_walk(const Func *fn, UnderWayNeed *need, void *user);

#endif
