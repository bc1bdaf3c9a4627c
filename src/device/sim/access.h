// SPDX-License-Identifier: Apache-2.0
/* access: one lane's access to memory, checked before it is made; private to memory.c, which has
 * the functions, and copy.c. */
#ifndef TERN_SIM_ACCESS_H
#define TERN_SIM_ACCESS_H

#include "device/sim/sim.h"

typedef struct Access {
    Machine *m;
    Warp *w;
    const Ins *ins;
    PtxSpace space;
    int bytes; /* of the whole vector */
    bool writes, atomic;
    const char *what;
} Access;

/* Where a lane's bytes are: memory, and for shared and local memory which of them were written. */
typedef struct Spot {
    unsigned char *memory, *set;
    PtxSpace space;
    uint64_t offset;        /* within shared memory, */
    Cta *block;             /* of this block */
    unsigned char *written; /* of global memory: the buffer's bits; NULL: not followed */
    size_t at;              /* ... and where in the buffer */
} Spot;

/* Each false after failing: alignment and bounds; was it written, or is a copy to it under way; is
 * it ordered. */
bool access_find(const Access *a, int lane, uint64_t address, Spot *spot);
bool access_check_set(const Access *a, int lane, const Spot *spot); /* in any memory */
bool access_check_coming(const Access *a, int lane, const Spot *spot);
bool access_check_race(const Access *a, int lane, const Spot *spot, bool writes);
void access_addresses(const Machine *m, const Warp *w, int32_t operand, bool wide, int64_t offset,
                      uint64_t *addresses);

#endif
