// SPDX-License-Identifier: Apache-2.0
/* cap: a kernel whose threads have a few registers too many for one more block on a
 * multiprocessor is assembled once more, with as many as that block leaves.
 *
 *     58 registers, blocks of 256: 4 of them      .minnctapersm 5: 48 registers, nothing spilled
 *
 * Left alone, the assembler minds how many instructions there are, not how many threads have loads
 * under way, and kernels that stream through memory wait for those. It is taken where nothing
 * more is spilled, and only tried where that is cheap and likely: of short texts, where no loop
 * turns and nothing is multiplied as a matrix for a fifth of the registers at most, else for the
 * few that rounding takes. What the text says of blocks itself stands. */
#ifndef TERN_CAP_H
#define TERN_CAP_H

#include "base/ptxas.h"

typedef struct Cap {
    int blocks;    /* on a multiprocessor; 0: nothing is to be tried */
    int registers; /* of a thread, at most */
} Cap;

/* For a text that was assembled with so many registers. */
Cap cap_for(Str ptx, int registers);
Str cap_text(Arena *arena, Str ptx, Cap cap);
bool cap_pays(Cap cap, PtxasUse before, PtxasUse after);

#endif
