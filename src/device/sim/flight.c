// SPDX-License-Identifier: Apache-2.0
/* flight: how many bytes a warp has asked global memory for and not yet needed. A load is under way
 * until an instruction reads one of its results, a copy until it is waited for; what was asked for
 * before has come by then, too. Bytes in flight, times the warps that a multiprocessor holds, are
 * what hides the time that memory takes. */
#include "device/sim/sim.h"

static void find_uses(Arena *arena, PtxProgram *program) {
    bool *loaded = arena_array(arena, bool, program->num_places + 1);
    for (int i = 0; i < program->code.count; i++) {
        const Ins *ins = &program->code.data[i];
        if (ins->op == SIM_LOAD && ins->space == SPACE_GLOBAL)
            for (int k = 0; k < ins->num_results; k++) loaded[ins->results[k]] = true;
    }
    for (int i = 0; i < program->code.count; i++) {
        Ins *ins = &program->code.data[i];
        for (int k = 0; k < ins->num_operands; k++) {
            bool is_place = ins->operands[k] >= 0 && !(ins->predicate_operands >> k & 1);
            if (is_place && loaded[ins->operands[k]]) ins->uses_loaded = true;
        }
    }
}

void flight_issue(Machine *m, Warp *w, const Ins *ins, uint64_t bytes) {
    w->asked += bytes;
    if (ins->op == SIM_LOAD)
        for (int k = 0; k < ins->num_results; k++) w->asked_at[ins->results[k]] = w->asked;
    if (w->asked - w->come > m->most_in_flight) m->most_in_flight = w->asked - w->come;
}

void flight_use(Warp *w, const Ins *ins) {
    for (int k = 0; k < ins->num_operands; k++) {
        if (ins->operands[k] < 0 || ins->predicate_operands >> k & 1) continue;
        uint64_t asked = w->asked_at[ins->operands[k]];
        if (asked > w->come) w->come = asked;
    }
}

PtxProgram *sim_parse(Arena *arena, Str text, int dynamic_shared, Diag *diag) {
    PtxProgram *program = ptx_read(arena, text, dynamic_shared, diag);
    if (program) find_uses(arena, program);
    return program;
}
