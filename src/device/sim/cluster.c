// SPDX-License-Identifier: Apache-2.0
/* cluster: blocks that run side by side, reach each other's shared memory, and meet at a barrier
 * (PTX ISA 9.7.13.4, barrier.cluster). A thread arrives there and, then or later, waits: for all
 * threads of the cluster that have not ended. What was done before an arrival is known behind the
 * wait, but for arrivals that are relaxed.
 *
 * A block's shared memory is there from the block's begin to its end: who reaches for another's
 * must have met it before (a barrier.cluster of any order), and the other must not end before it
 * knows of that. */
#include "device/sim/sim.h"

#include <stdlib.h>

Cluster *cluster_new(int size) {
    Cluster *cluster = calloc(1, sizeof *cluster);
    if (cluster) cluster->size = size;
    return cluster;
}

void cluster_leave(Cta *block) {
    Cluster *cluster = block->cluster;
    block->cluster = NULL;
    if (!cluster) return;
    cluster->blocks[block->rank] = NULL;
    if (--cluster->num_live) return;
    free(cluster->known[0]), free(cluster->known[1]), free(cluster);
}

/* ---- the barrier ---- */

static bool pass(Machine *m, Warp *w) {
    w->waited_cluster++;
    w->block->has_met = true;
    return race_cluster(m, w, w->waited_cluster, true) && race_warp_sync(m, w);
}

static bool have_all_come(const Cluster *cluster) {
    bool any = false;
    for (int i = 0; i < cluster->size; i++)
        for (int k = 0; cluster->blocks[i] && k < cluster->blocks[i]->num_warps; k++) {
            const Warp *w = &cluster->blocks[i]->warps[k];
            if (w->state == WARP_ENDED) continue;
            if (w->met_cluster == cluster->phase) return false;
            any = true;
        }
    return any;
}

/* Who arrives for the next phase may be ahead of one that has still to wait for this one: what it
 * releases goes elsewhere. */
bool cluster_open(Machine *m, Cluster *cluster) {
    if (!cluster || !have_all_come(cluster)) return true;
    cluster->phase++;
    m->version++;
    for (int i = 0; i < cluster->size; i++)
        for (int k = 0; cluster->blocks[i] && k < cluster->blocks[i]->num_warps; k++) {
            Warp *w = &cluster->blocks[i]->warps[k];
            if (w->state != WARP_AT_CLUSTER) continue;
            w->state = WARP_READY;
            if (!pass(m, w)) return false;
        }
    return true;
}

bool cluster_control(Machine *m, Warp *w, const Ins *ins) {
    Cluster *cluster = w->block->cluster;
    bool arrives = ins->op == SIM_CLUSTER_ARRIVE, waits = w->met_cluster > w->waited_cluster;
    if (arrives && waits)
        return sim_fail(m, w, ins, NO_LANE,
                        "arrives at the cluster's barrier a second time without a wait between");
    if (!arrives && !waits)
        return sim_fail(m, w, ins, NO_LANE,
                        "waits at the cluster's barrier without having arrived");
    w->pc++;
    if (arrives) {
        w->met_cluster++;
        bool fine = ins->kind == 1 ? sim_mbarriers_meet(m, w, w->met_cluster)
                                   : race_cluster(m, w, w->met_cluster, false);
        return fine && cluster_open(m, cluster);
    }
    if (cluster->phase >= w->met_cluster) return pass(m, w);
    w->state = WARP_AT_CLUSTER;
    return true;
}

/* ---- shared memory of others ---- */

bool cluster_address(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const uint32_t *from = source_of(m, w, ins->operands[0]),
                   *rank = source_of(m, w, ins->operands[1]);
    uint32_t *to = w->places + (size_t)ins->results[0] * LANES;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (rank[lane] >= (uint32_t)w->block->cluster->size)
            return sim_fail(m, w, ins, lane, "block %u of a cluster of %d", rank[lane],
                            w->block->cluster->size);
        if (from[lane] >> CLUSTER_SHIFT)
            return sim_fail(m, w, ins, lane, "mapa of what is no address of the block's own");
        to[lane] = from[lane] | (rank[lane] + 1) << CLUSTER_SHIFT;
    }
    return true;
}

bool cluster_find(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t *address, Cta **block) {
    Cluster *cluster = w->block->cluster;
    uint64_t number = *address >> CLUSTER_SHIFT;
    *block = w->block;
    if (!number) return true; /* the block's own */
    if (number > (uint64_t)cluster->size)
        return sim_fail(m, w, ins, lane, "no address in the cluster's shared memory: 0x%llx",
                        (unsigned long long)*address);
    int rank = (int)number - 1;
    *address &= (1u << CLUSTER_SHIFT) - 1;
    if (rank == w->block->rank) return true;
    *block = cluster->blocks[rank];
    if (!*block)
        return sim_fail(m, w, ins, lane,
                        "access to the shared memory of block %d of the cluster, which has ended",
                        rank);
    if (!w->block->has_met)
        return sim_fail(m, w, ins, lane,
                        "access to the shared memory of block %d of the cluster, which may not "
                        "have begun: no barrier.cluster.wait before",
                        rank);
    if (ins->op != SIM_SEND) race_visit(m, w, ins, *block);
    return true;
}

bool cluster_end(Machine *m, Warp *w) {
    if (!w->block->cluster) return true;
    return sim_send_ends(m, w->block) && race_cluster_end(m, w) && sim_mbarriers_end(m, w);
}
