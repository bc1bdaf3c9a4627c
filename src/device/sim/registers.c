// SPDX-License-Identifier: Apache-2.0
/* registers: how many registers a thread has, and what of it is spilled to memory, is NVIDIA's
 * assembler's choice. Where ptxas is on PATH it is asked; else that is not known, and nothing is
 * made up in its place. */
#include "device/sim/sim.h"

PtxasUse sim_assembled(Arena *arena, const PtxProgram *program, const char *target) {
    Str words;
    PtxasResult result = ptxas_run(arena, target, program->text->text, false, NULL, &words);
    return result == PTXAS_FINE ? ptxas_use(words) : (PtxasUse){-1, -1, -1, -1};
}
