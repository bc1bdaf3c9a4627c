// SPDX-License-Identifier: Apache-2.0
/* accesses: the requests of a launch, one by one, with the address of each lane: for pictures of
 * who touches what. There is room for some; when that is used up the programs that lack one are
 * known by the first of them, so that of those before it all is there. */
#include "device/sim/sim.h"

static tern_access_kind kind_of(const Ins *ins) {
    if (ins->op == SIM_COPY) return TERN_ACCESS_COPY;
    if (ins->op == SIM_STORE || ins->op == SIM_STMATRIX) return TERN_ACCESS_STORE;
    return ins->op == SIM_ATOMIC ? TERN_ACCESS_ATOMIC : TERN_ACCESS_LOAD;
}

bool record_access(Machine *m, const Warp *w, const Ins *ins, PtxSpace space,
                   const uint64_t *addresses, uint32_t lanes) {
    Recording *r = m->recording;
    int blocks = m->program->kernel ? m->program->kernel->facts.cluster : 0; /* of a program */
    uint64_t program = w->block->linear / (uint64_t)(blocks ? blocks : 1);
    int bytes = ins->op == SIM_LDMATRIX || ins->op == SIM_STMATRIX ? 16 : ins->bytes * ins->count;
    bool shared = space == SPACE_SHARED;
    Count one = {0};
    if (!r || program >= r->num_whole) return true;
    if (r->count == r->most) {
        r->num_whole = program;
        return true;
    }
    tern_access *grown = sim_grown(r->list, r->count, &r->capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    r->list = grown;
    if (shared)
        count_shared(&one, addresses, lanes, bytes, ins->op == SIM_LOAD);
    else
        count_global(&one, addresses, lanes, bytes);
    tern_access *access = &r->list[r->count++];
    *access = (tern_access){.kind = kind_of(ins),
                            .is_shared = shared,
                            .ptx_line = ins->line,
                            .program = program,
                            .warp = w->index,
                            .bytes = bytes,
                            .lanes = lanes,
                            .cost = (int)(shared ? one.wavefronts : one.sectors),
                            .least_cost = (int)(shared ? one.ideal_wavefronts : one.ideal_sectors)};
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) access->addresses[i] = addresses[i] - (shared ? SHARED_BASE : 0);
    return true;
}

void record_other(Machine *m) {
    if (m->recording) m->recording->num_other++;
}
