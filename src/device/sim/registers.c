// SPDX-License-Identifier: Apache-2.0
/* registers: how many registers a thread has, and what of it is spilled to memory, is NVIDIA's
 * assembler's choice. Where ptxas is on PATH it is asked; else that is not known, and nothing is
 * made up in its place. */
#include "base/ptxas.h"
#include "device/sim/sim.h"

static int number_before(Str text, const char *words) {
    const char *at = NULL;
    size_t length = strlen(words);
    for (int i = 0; i + (int)length <= text.length && !at; i++)
        if (!memcmp(text.data + i, words, length)) at = text.data + i;
    if (!at) return -1;
    int value = 0, unit = 1;
    while (at > text.data && at[-1] >= '0' && at[-1] <= '9' && unit < 1000000)
        value += (*--at - '0') * unit, unit *= 10;
    return unit > 1 ? value : -1;
}

Assembled sim_assembled(Arena *arena, const PtxProgram *program, const char *target) {
    Str words;
    if (ptxas_run(arena, target, program->text->text, false, NULL, &words) != PTXAS_FINE)
        return (Assembled){-1, -1, -1, -1};
    return (Assembled){
        number_before(words, " registers"), number_before(words, " bytes stack frame"),
        number_before(words, " bytes spill stores"), number_before(words, " bytes spill loads")};
}
