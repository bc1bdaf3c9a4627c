// SPDX-License-Identifier: Apache-2.0
/* cap: a kernel that may run faster with another number of registers is assembled once more.
 *
 *     58 registers, blocks of 256: 4 of them      .minnctapersm 5: 48 registers, nothing spilled
 *     48 registers, blocks of 512: 2 of them      .minnctapersm 2: 63 registers, loads side by side
 *
 * Left alone, the assembler minds how many instructions there are, not how many threads have loads
 * under way, and kernels that stream through memory wait for those. So one more block is asked for,
 * where threads have a few registers too many for it, and taken where nothing more is spilled; a
 * second block is worth a few bytes. It is only tried where that is cheap and likely: of short
 * texts, where no loop turns and nothing is multiplied as a matrix for a fifth of the registers at
 * most, else for the few that rounding takes. Where that does not pay, and several tiles are
 * loaded, the blocks that there are are asked for: alone, the assembler saves registers that no
 * block needs, and to that end lets loads wait for each other. What the text says of blocks itself
 * stands. */
#ifndef TERN_CAP_H
#define TERN_CAP_H

#include "base/ptxas.h"

typedef struct Cap {
    int blocks;    /* on a multiprocessor */
    int registers; /* of a thread, at most */
    int spilled;   /* bytes that may be spilled more */
} Cap;

enum { MOST_CAPS = 2 };
/* For a text that was assembled with so many registers: what is to be tried, one after another. */
int caps_for(Str ptx, int registers, Cap caps[MOST_CAPS]);
Str cap_text(Arena *arena, Str ptx, Cap cap);
bool cap_pays(Cap cap, PtxasUse before, PtxasUse after);

#endif
