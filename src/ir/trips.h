// SPDX-License-Identifier: Apache-2.0
/* trips: which ops of placed form go through scratch in shared memory, how often, and how large.
 * What a trip moves is written, the block waits, and it is read: until the next wait somebody may
 * still be reading. Lowering makes the trips in this order. */
#ifndef TERN_TRIPS_H
#define TERN_TRIPS_H

#include "ir/place.h"

/* A scan may have so many rounds for each bit of its tile. */
enum { MAX_ROUNDS = 65, MAX_TRIPS = MAX_TILE_BITS * MAX_ROUNDS, SCRATCH_ALIGNMENT = 16 };
enum { SMALL_SCRATCH = 16 * 1024 }; /* up to here scratch moves on instead of waiting */

enum { KEPT_READS = 64 }; /* a load's `kept`: a number times this, and which of the reads it is */

enum {
    PANEL_BYTES = 1024
}; /* 8 rows of 128 bytes: what wgmma reads begins at a multiple of that */

/* Bytes of each trip of the op; returns how many there are. has_atomics: the function has any. */
int op_trips(const Func *fn, bool has_atomics, const Op *op, int bytes[MAX_TRIPS]);
int op_scratch(const Func *fn, bool has_atomics, const Op *op); /* the most bytes of a trip */
bool func_has_atomics(const Func *fn);
int func_cluster(const Func *fn); /* blocks that a program is made of; 1: it is one */
int meet_bytes(const Op *meet);   /* of shared memory, where no scratch is */
bool value_is_used(const Func *fn, const Value *value);
bool value_is_used_once(const Func *fn, const Value *value);
int dot_scratch(const Op *op); /* bytes that its operands take on their way */
int ring_turn_bytes(const Type *ring);
bool load_can_fill(const Op *load); /* what one thread copies at once is whole for cp.async */
const Type *type_in_panels(TypeTable *types, const Type *tile, int dim); /* in shared memory */
/* The tile as a part of a ring: in rows of panels, along its fast dimension. */
const Type *ring_part_type(TypeTable *types, const Type *tile);
int ring_end(const Op *ring);           /* the byte behind its buffers */
const Type *dot_sum_type(const Op *op); /* in which unit fma adds up */

static inline int scratch_aligned(int bytes) {
    return (bytes + SCRATCH_ALIGNMENT - 1) & ~(SCRATCH_ALIGNMENT - 1);
}

/* A reduction removes the tile bits of its axis one at a time: register bits by combining pairs of
 * registers, lane bits by shuffles; warp bits pass through shared memory, after which they are
 * register bits or, where they are many, lane bits. Where the combination is known to commute,
 * registers come first (fewest shuffles); otherwise bits go from the lowest up, so that neighbours
 * always meet in order. */
typedef struct Reduction {
    Layout layout; /* of what is left */
    uint32_t axis; /* its tile bits of the axis */
    bool ordered;
    int bit;        /* the next to remove .. */
    BitPlace place; /* .. which is here; of a warp: first `moved` */
    Layout moved;
} Reduction;
/* Each result is one commuting op of its own two arguments. */
bool reduce_by_value(const Op *op);
/* That, or the choice of one of the two sides, as of arg reductions. */
bool reduce_commutes(const Op *op);
/* Of pairs of an f32 or i32 and a signed i32: the one with the largest (or smallest) first, a NaN
 * behind all numbers; of several, that with the smallest (or largest) second. */
typedef struct Extreme {
    bool largest, smaller_second, is_unsigned;
} Extreme;
bool reduce_extreme(const Op *op, Extreme *extreme);
/* A scan along low registers, lanes side by side, warps, high registers, in this order of the bits
 * of its axis: lanes meet in a warp, warps in one trip. Where those and high registers are a few
 * each thread goes through all that they make; else, where whole warps are of the axis and nothing
 * else, each warp scans that anew. Others: a trip for each bit from the first warp's on. */
typedef enum ScanPart { SCAN_LOW, SCAN_LANES, SCAN_WARPS, SCAN_HIGH, NUM_SCAN_PARTS } ScanPart;
typedef struct ScanParts {
    int count[NUM_SCAN_PARTS];
    int bits[NUM_SCAN_PARTS][MAX_TILE_BITS]; /* of registers, or of the number of a thread */
    bool anew;
} ScanParts;
bool scan_parts(const Op *op, ScanParts *parts);  /* false: its bits are otherwise */
int scan_row_bytes(const Func *fn, const Op *op); /* of what all threads have in one slot */
int scan_anew_bytes(const Func *fn, const Op *op, int slots); /* .. and all warps in all */
/* Of so many slots of a trip: how many go at once. */
int scan_slots_at_once(const Func *fn, const Op *op, int slots);
Reduction reduction_of(const Op *op);
bool reduction_next(Reduction *r); /* false when nothing is left */
void reduction_remove(Reduction *r);

#endif
