// SPDX-License-Identifier: Apache-2.0
/* copy: cp.async, from global to shared memory while the warp goes on. A copy may read its source
 * at any time from its start until its lane waited for it: at the start in every other order (odd
 * seeds), else at the last moment. Until then nobody may touch the bytes that it writes, and it
 * counts as a read of its source. The lane that waited has them; others need what orders any write
 * with them: a barrier. */
#include "device/sim/access.h"

static bool reserve(Machine *m, Warp *w) {
    Copy *grown = sim_grown(w->copies, w->num_copies, &w->copies_capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    w->copies = grown;
    return true;
}

static Access source_of_copy(Machine *m, Warp *w, const Ins *ins, int bytes) {
    return (Access){.m = m,
                    .w = w,
                    .ins = ins,
                    .space = SPACE_GLOBAL,
                    .bytes = bytes,
                    .what = "cp.async from global memory"};
}

static bool start_lane(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t to, uint64_t from,
                       uint32_t filled) {
    int bytes = ins->bytes * ins->count;
    Access write = {.m = m,
                    .w = w,
                    .ins = ins,
                    .space = SPACE_SHARED,
                    .bytes = bytes,
                    .writes = true,
                    .what = "cp.async to shared memory"};
    Access read = source_of_copy(m, w, ins, bytes);
    Spot there, here;
    if (filled > (uint32_t)bytes)
        return sim_fail(m, w, ins, lane, "cp.async of %d bytes that is to copy %u", bytes, filled);
    if (!access_find(&write, lane, to, &there) || !access_check_coming(&write, lane, &there) ||
        !access_check_race(&write, lane, &there, true) || !reserve(m, w))
        return false;
    memset(there.set, BYTE_COMING, (size_t)bytes);
    Copy copy = {.from = from,
                 .to = (uint32_t)there.offset,
                 .group = NO_GROUP,
                 .lane = (uint8_t)lane,
                 .bytes = (uint8_t)bytes,
                 .filled = (uint8_t)filled,
                 .asked = w->asked,
                 .ins = ins};
    if (filled) {
        if (from & (uint64_t)(bytes - 1))
            return sim_fail(
                m, w, ins, lane,
                "cp.async of %d bytes from address 0x%llx, which is not a multiple of that", bytes,
                (unsigned long long)from);
        /* Of the rest nothing is read: only what is copied must lie in the buffer. */
        read.bytes = filled & (filled - 1) ? 1 : (int)filled;
        for (uint32_t at = 0; at < filled; at += (uint32_t)read.bytes)
            if (!access_find(&read, lane, from + at, &here) ||
                !access_check_set(&read, lane, &here) ||
                !access_check_race(&read, lane, &here, false))
                return false;
        memcpy(copy.early, (const void *)(uintptr_t)from, filled);
    }
    copy.number = w->copies_begun++;
    w->copies[w->num_copies++] = copy;
    return true;
}

static bool count(Machine *m, Warp *w, const Ins *ins, const uint64_t *to, const uint64_t *from,
                  const uint32_t *filled, uint32_t lanes) {
    Count *counts = &m->counts[ins - m->program->code.data], shared = {0};
    uint32_t reading = 0;
    uint64_t before = counts->useful_bytes;
    for (int i = 0; i < LANES; i++) reading |= (uint32_t)(filled[i] != 0) << i;
    if (reading & lanes) count_global(counts, from, reading & lanes, ins->bytes * ins->count);
    count_shared(&shared, to, lanes, ins->bytes * ins->count, false);
    flight_issue(m, w, ins, counts->useful_bytes - before);
    counts->wavefronts += shared.wavefronts, counts->ideal_wavefronts += shared.ideal_wavefronts;
    return (!(reading & lanes) || record_access(m, w, ins, SPACE_GLOBAL, from, reading & lanes)) &&
           record_access(m, w, ins, SPACE_SHARED, to, lanes);
}

static bool start(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    uint64_t to[LANES], from[LANES];
    uint32_t filled[LANES];
    access_addresses(m, w, ins->operands[0], ins->wide_address, ins->offset, to);
    access_addresses(m, w, ins->operands[1], true, ins->from_offset, from);
    for (int i = 0; i < LANES; i++)
        filled[i] = ins->num_operands > 2 ? source_of(m, w, ins->operands[2])[i]
                                          : (uint32_t)(ins->bytes * ins->count);
    if (!count(m, w, ins, to, from, filled, lanes)) return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!start_lane(m, w, ins, lane, to[lane], from[lane], filled[lane])) return false;
    }
    return true;
}

static void commit(Warp *w, uint32_t lanes) {
    for (int i = 0; i < w->num_copies; i++) {
        Copy *copy = &w->copies[i];
        if (copy->group == NO_GROUP && lanes >> copy->lane & 1) copy->group = w->groups[copy->lane];
    }
    for (uint32_t left = lanes; left; left &= left - 1) w->groups[__builtin_ctz(left)]++;
}

static bool arrive(Machine *m, Warp *w, const Copy *copy, bool told) {
    int who = told ? BY_COPY + copy->lane : copy->lane;
    Access write = {.m = m,
                    .w = w,
                    .ins = copy->ins,
                    .space = SPACE_SHARED,
                    .bytes = copy->bytes,
                    .writes = true,
                    .what = "cp.async to shared memory"};
    Access read = source_of_copy(m, w, copy->ins, 1);
    Spot there = {.memory = w->block->shared + copy->to,
                  .set = w->block->shared_set + copy->to,
                  .space = SPACE_SHARED,
                  .offset = copy->to,
                  .block = w->block};
    unsigned char bytes[16] = {0};
    memcpy(bytes, copy->early, copy->filled);
    if (m->seed % 2 == 0 && copy->filled)
        memcpy(bytes, (const void *)(uintptr_t)copy->from, copy->filled);
    for (int at = 0; at < copy->filled; at += m->program->smallest_global) {
        Spot here = {.memory = (unsigned char *)(uintptr_t)copy->from + at, .space = SPACE_GLOBAL};
        if (!access_check_race(&read, who, &here, false)) return false;
    }
    if (!access_check_race(&write, who, &there, true)) return false;
    memcpy(there.memory, bytes, copy->bytes);
    memset(there.set, BYTE_SET, copy->bytes);
    sim_proxy_wrote(w, copy->to, copy->bytes, told);
    if (copy->asked > w->come) w->come = copy->asked;
    m->version++;
    return true;
}

/* Those of a lane that an mbarrier waits for. */
bool sim_copy_arrives(Machine *m, Warp *w, uint64_t begun, int lane) {
    int kept = 0;
    for (int i = 0; i < w->num_copies; i++) {
        Copy copy = w->copies[i];
        if (copy.lane != lane || copy.number >= begun)
            w->copies[kept++] = copy;
        else if (!arrive(m, w, &copy, true))
            return false;
    }
    w->num_copies = kept;
    return true;
}

/* Those of the lanes' copies arrive that are not of their last groups. */
static bool await(Machine *m, Warp *w, uint32_t lanes, int64_t groups) {
    int kept = 0;
    Seen *own = &w->clock.own[w->index];
    own->copies = w->copy_tick ? w->copy_tick - 1 : 0; /* those that came before, too */
    for (int i = 0; i < w->num_copies; i++) {
        Copy copy = w->copies[i];
        bool ours = lanes >> copy.lane & 1;
        bool due =
            groups == ALL_COPIES || (copy.group != NO_GROUP &&
                                     (int64_t)copy.group + groups < (int64_t)w->groups[copy.lane]);
        if (!ours || !due)
            w->copies[kept++] = copy;
        else if (!arrive(m, w, &copy, false))
            return false;
    }
    w->num_copies = kept;
    return true;
}

bool sim_copies(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    if (ins->op == SIM_COPY) return start(m, w, ins, lanes);
    if (ins->op == SIM_PROXY_FENCE) {
        if (!ins->kind) race_proxy_fence(w);
        sim_mbarrier_fence(w, lanes, !ins->kind);
        return true;
    }
    if (ins->op == SIM_BULK) return sim_bulk(m, w, ins, lanes);
    if (ins->op == SIM_BULK_STORE) return sim_bulk_store(m, w, ins, lanes);
    if (ins->op == SIM_BULK_GROUP) return sim_bulk_group(m, w, ins, lanes);
    if (ins->op == SIM_SEND) return sim_send(m, w, ins, lanes);
    if (ins->op == SIM_MBARRIER) return sim_mbarrier(m, w, ins, lanes);
    if (ins->op == SIM_COPY_WAIT) return await(m, w, lanes, ins->offset);
    commit(w, lanes);
    return true;
}
