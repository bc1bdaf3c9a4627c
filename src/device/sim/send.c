// SPDX-License-Identifier: Apache-2.0
/* send: st.async (PTX ISA 9.7.9.12): a store to the shared memory of a block of the cluster, done
 * some time later, which then tells an mbarrier beside it how many bytes it brought. It is weak, of
 * the generic proxy; what it tells is released, at the scope of the cluster, and nothing else that
 * its thread did. So who waited for the mbarrier's phase at that scope knows of the bytes, and of
 * nothing but them; nobody else does, not even the sender.
 *
 * It is done as late as can be or, in orders with an odd seed, at any time, and several in any
 * order. Until then nobody may touch the bytes. The block it goes to must have begun, and its
 * mbarrier too, and must not end before it has come. Its sender may. */
#include "device/sim/access.h"

/* The mbarrier's offset; it is of the same block. */
static bool find_barrier(const Access *a, int lane, const Spot *spot, uint32_t *offset) {
    const Ins *ins = a->ins;
    Access barrier = *a;
    Spot there;
    barrier.bytes = 8;
    uint32_t address = source_of(a->m, a->w, ins->operands[ins->num_operands - 1])[lane];
    if (!access_find(&barrier, lane, address + (uint32_t)ins->from_offset, &there)) return false;
    *offset = (uint32_t)there.offset;
    return there.block == spot->block ||
           sim_fail(a->m, a->w, ins, lane,
                    "st.async to block %d of the cluster that tells an mbarrier of block %d",
                    spot->block->rank, there.block->rank);
}

static bool send(const Access *a, int lane, uint64_t address) {
    const Ins *ins = a->ins;
    Machine *m = a->m;
    Warp *w = a->w;
    Spot spot;
    Sent sent = {.bytes = a->bytes, .block = w->block->linear, .warp = w->index, .ins = ins};
    if (!access_find(a, lane, address, &spot) || !find_barrier(a, lane, &spot, &sent.barrier) ||
        !access_check_coming(a, lane, &spot) || !access_check_race(a, lane, &spot, true) ||
        !sim_mbarrier_sends(m, w, ins, lane, spot.block, sent.barrier))
        return false;
    for (int i = 0; i < ins->count; i++) {
        const uint32_t *from = source_of(m, w, ins->operands[1 + i]);
        uint64_t bits = ins->bytes == 8 ? get_wide(from, lane) : from[lane];
        memcpy(sent.data + i * ins->bytes, &bits, ins->bytes);
    }
    Cta *block = spot.block;
    Sent *grown = sim_grown(block->sent, block->num_sent, &block->sent_capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    memset(spot.set, BYTE_SENT, (size_t)a->bytes);
    sent.to = (uint32_t)spot.offset, sent.is_far = block != w->block;
    block->sent = grown;
    block->sent[block->num_sent++] = sent;
    block->num_arrivals++;
    return true;
}

bool sim_send(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const Access a = {.m = m,
                      .w = w,
                      .ins = ins,
                      .space = SPACE_CLUSTER,
                      .bytes = ins->bytes * ins->count,
                      .writes = true,
                      .what = "st.async"};
    uint64_t addresses[LANES];
    if (w->block->cluster->size < 2)
        return sim_fail(m, w, ins, NO_LANE, "st.async in a cluster of one block");
    access_addresses(m, w, ins->operands[0], false, ins->offset, addresses);
    record_other(m);
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!send(&a, lane, addresses[lane])) return false;
    }
    return true;
}

static void note_sender(Machine *m, const Sent *sent) {
    sim_note(m, "\nwhat came: of block %llu of the grid, warp %d", (unsigned long long)sent->block,
             sent->warp);
}

bool sim_send_comes(Machine *m, Cta *block, int n) {
    Sent sent = block->sent[n];
    memmove(&block->sent[n], &block->sent[n + 1], sizeof sent * (size_t)(--block->num_sent - n));
    block->num_arrivals--;
    memcpy(block->shared + sent.to, sent.data, (size_t)sent.bytes);
    memset(block->shared_set + sent.to, BYTE_SET, (size_t)sent.bytes);
    m->version++;
    if (sim_mbarrier_sent(m, block, &sent)) return true;
    note_sender(m, &sent);
    return false;
}

bool sim_send_ends(Machine *m, const Cta *block) {
    if (!block->num_sent) return true;
    sim_fail(m, &block->warps[0], block->sent[0].ins, NO_LANE,
             "the block ends before an st.async to it has come");
    note_sender(m, &block->sent[0]);
    return false;
}
