// SPDX-License-Identifier: Apache-2.0
/* pool: setmaxnreg (PTX ISA 9.7.20.5). A warpgroup gives registers of its threads to the block's
 * pool, or takes some and waits until there are as many. At launch a thread has what .maxnreg says,
 * else what .minnctapersm and the threads of a block leave it; where neither stands the assembler
 * ignores all of them, and the launch fails. The four warps change theirs by the same
 * instructions, and meet between one and the next. */
#include "device/sim/sim.h"

enum { ALL_REGISTERS = 65536, MOST_OF_A_THREAD = 256, GROUP = 4 };

void sim_pool_start(Machine *m, Cta *block) {
    const PtxProgram *p = m->program;
    uint32_t groups = (uint32_t)(block->num_warps + GROUP - 1) / GROUP;
    uint32_t blocks = p->least_blocks > 0 ? (uint32_t)p->least_blocks : 1;
    uint32_t each = ALL_REGISTERS / (blocks * groups * GROUP * LANES);
    if (each > MOST_OF_A_THREAD) each = MOST_OF_A_THREAD;
    if (p->most_registers) each = (uint32_t)(p->most_registers + 7);
    each = each / 8 * 8;
    block->pool = 0;
    memset(block->changes, 0, sizeof block->changes);
    for (int i = 0; i < block->num_warps; i++)
        block->warps[i].registers = each, block->warps[i].changes = 0;
}

/* All four have made the change before, and this one knows of it. */
static bool have_met(Machine *m, Warp *w, const Ins *ins) {
    int first = w->index / GROUP * GROUP;
    for (int i = first; i < first + GROUP && w->changes && m->checks_races; i++) {
        const Warp *other = &w->block->warps[i];
        bool fine = other->changes >= w->changes && (i == w->index || other->changes > w->changes ||
                                                     race_is_after(w, 0, other->changed));
        if (fine) continue;
        sim_fail(m, w, ins, NO_LANE,
                 "setmaxnreg a second time, and warp %d of its warpgroup is not known to be done "
                 "with the one before: no barrier stands between",
                 i);
        return sim_fail_kind(m, TERN_FOUND_RACE);
    }
    return true;
}

/* The n-th change of each warp of a group is by the same instruction. */
static bool agrees(Machine *m, Warp *w, const Ins *ins) {
    int32_t *known = &w->block->changes[w->index / GROUP][w->changes % AGREED];
    int32_t me = (int32_t)(ins - m->program->code.data) + 1;
    for (int i = w->index / GROUP * GROUP; i < w->index / GROUP * GROUP + GROUP; i++)
        if (w->block->warps[i].changes > w->changes && *known != me)
            return sim_fail(m, w, ins, NO_LANE,
                            "the warps of a warpgroup change their registers differently");
    *known = me;
    return true;
}

static uint32_t more_of(const Machine *m, const Warp *w) {
    return ((uint32_t)m->program->code.data[w->pc].offset - w->registers) * LANES;
}

bool sim_pool_has(const Machine *m, const Warp *w) { return w->block->pool >= more_of(m, w); }

/* Waits at the instruction, or is done with it. */
bool sim_registers(Machine *m, Warp *w, const Ins *ins) {
    uint32_t wanted = (uint32_t)ins->offset;
    if (w->index / GROUP * GROUP + GROUP > w->block->num_warps)
        return sim_fail(m, w, ins, NO_LANE,
                        "setmaxnreg by a warp that is not one of a group of four");
    if (!m->program->most_registers && !m->program->least_blocks)
        return sim_fail(m, w, ins, NO_LANE,
                        "setmaxnreg is ignored where neither .maxnreg nor .minnctapersm stands");
    if (ins->kind == REGISTERS_MORE ? wanted < w->registers : wanted > w->registers)
        return sim_fail(m, w, ins, NO_LANE, "setmaxnreg.%s to %u of a thread that has %u",
                        ins->kind == REGISTERS_MORE ? "inc" : "dec", wanted, w->registers);
    if (!have_met(m, w, ins) || !agrees(m, w, ins)) return false;
    if (ins->kind == REGISTERS_MORE && !sim_pool_has(m, w)) {
        w->state = WARP_AT_POOL;
        return true;
    }
    w->block->pool += (w->registers - wanted) * LANES; /* modulo 2^32 */
    w->registers = wanted, w->changed = race_agent(w, 0);
    w->changes++;
    w->pc++;
    m->version++;
    return true;
}

bool sim_pool_end(Machine *m, Warp *w) {
    int first = w->index / GROUP * GROUP, end = first + GROUP;
    for (int i = first; i < end && end <= w->block->num_warps; i++) {
        const Warp *other = &w->block->warps[i];
        if (other->state == WARP_ENDED && other->changes != w->changes)
            return sim_fail(m, w, &m->program->code.data[w->pc], NO_LANE,
                            "a warp of its warpgroup changed its registers %u times, it %u",
                            other->changes, w->changes);
    }
    return true;
}
