// SPDX-License-Identifier: Apache-2.0
/* bulk_store: cp.async.bulk.tensor from shared to global memory (PTX ISA 9.7.9.25.5.2), of the box
 * that bulk.c describes; what is outside of the tensor is not written.
 *
 * The engine reads at any time from the start until its lane waited for the group that it was
 * committed to (wait_group.read), and writes until that lane waited for the group itself: in orders
 * with an odd seed both at the start, else each as late as can be. Till the first nobody may write
 * what it reads, till the second nobody may read or write what it writes; then both are the lane's.
 * It is the async proxy: what a thread wrote needs a fence.proxy.async before. Stores are in no
 * order among each other. */
#include "device/sim/access.h"

#include <stdlib.h>

/* ---- from shared memory ---- */

static bool read_chunk(Machine *m, Bulk *store, int at, bool begins, unsigned char *out) {
    Access read = {.m = m,
                   .w = store->warp,
                   .ins = store->ins,
                   .space = SPACE_SHARED,
                   .bytes = BULK_CHUNK,
                   .what = "bulk store"};
    Spot spot;
    int warp;
    if (!access_find(&read, store->lane, sim_box_address(store, at), &spot) ||
        !access_check_set(&read, store->lane, &spot) ||
        !access_check_race(&read, store->lane, &spot, false))
        return false;
    int hidden = begins && m->checks_races
                     ? sim_proxy_hidden(store->warp, spot.offset, BULK_CHUNK, &warp)
                     : -1;
    if (hidden >= 0)
        return sim_fail(m, store->warp, store->ins, store->lane,
                        "bulk store reads byte %llu of shared memory, which warp %d wrote "
                        "without a fence.proxy.async behind",
                        (unsigned long long)spot.offset + (unsigned)hidden, warp);
    memcpy(out + at, spot.memory, BULK_CHUNK);
    return true;
}

/* The whole box, and who wrote it. */
static bool read_box(Machine *m, Bulk *store, bool begins, unsigned char *out, uint64_t *writers) {
    *writers = 0;
    for (int at = 0; at < store->bytes; at += BULK_CHUNK) {
        if (!read_chunk(m, store, at, begins, out)) return false;
        uint32_t offset = sim_box_address(store, at) - SHARED_BASE;
        *writers = race_writers(m, store->warp->block, offset, BULK_CHUNK, *writers);
    }
    return true;
}

/* ---- to the tensor ---- */

typedef enum Step { CHECK, WRITE, END } Step;

typedef struct Writing {
    Machine *m;
    const Bulk *store;
    const unsigned char *bytes;
    Step step;
} Writing;

/* Memory that gets what it already has: who came first cannot be seen. */
static bool write_piece(const Writing *w, uint64_t to, int bytes, const unsigned char *from) {
    const Bulk *store = w->store;
    Access write = {.m = w->m,
                    .w = store->warp,
                    .ins = store->ins,
                    .space = SPACE_GLOBAL,
                    .bytes = bytes,
                    .writes = true,
                    .what = "bulk store"};
    Spot spot;
    if (!access_find(&write, store->lane, to, &spot)) return false;
    bool same = memcmp(spot.memory, from, (size_t)bytes) == 0;
    bool marks = bytes >= w->m->program->smallest_global;
    if (w->step == WRITE) {
        if (spot.written) written_set(spot.written, spot.at, bytes);
        if (!same) memcpy(spot.memory, from, (size_t)bytes), w->m->version++;
        return true;
    }
    if (!marks || (w->step == CHECK && same)) return true;
    return race_store(w->m, store->warp, store->ins, store->lane, (uint64_t)(uintptr_t)spot.memory,
                      bytes, w->step == CHECK);
}

static bool write_row(void *user, uint64_t to, int bytes, int at) {
    const Writing *w = user;
    if (w->step == CHECK)
        sim_box_count(&w->m->counts[w->store->ins - w->m->program->code.data], to, bytes);
    for (int done = 0, piece; done < bytes; done += piece) {
        piece = BULK_CHUNK;
        while ((to + (uint64_t)done) % (uint64_t)piece || done + piece > bytes) piece /= 2;
        if (!write_piece(w, to + (uint64_t)done, piece, w->bytes + at + done)) return false;
    }
    return true;
}

static bool write_box(Machine *m, const Bulk *store, Step step) {
    Writing w = {.m = m, .store = store, .bytes = store->early, .step = step};
    return sim_box_rows(store, write_row, &w);
}

/* ---- start and end ---- */

static bool start(Machine *m, Warp *w, const Ins *ins, int lane) {
    Cta *block = w->block;
    Bulk *grown =
        sim_grown(block->stores, block->num_stores, &block->stores_capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    block->stores = grown;
    Bulk store = {.warp = w, .lane = lane, .ins = ins, .group = NO_GROUP};
    if (!sim_box_of(m, &store, 2)) return false;
    store.early = malloc((size_t)store.bytes);
    if (!store.early) return sim_fail_memory(m);
    block->stores[block->num_stores++] = store;
    Bulk *s = &block->stores[block->num_stores - 1];
    m->counts[ins - m->program->code.data].requests++;
    record_other(m);
    return read_box(m, s, true, s->early, &s->writers) && write_box(m, s, CHECK) &&
           (m->seed % 2 == 0 || write_box(m, s, WRITE));
}

/* Till now it may have read. */
static bool has_read(Machine *m, Bulk *store) {
    uint64_t writers;
    unsigned char *bytes = malloc((size_t)store->bytes);
    if (!bytes) return sim_fail_memory(m);
    bool fine = read_box(m, store, false, bytes, &writers);
    free(bytes);
    store->is_read = true;
    if (!fine || writers == store->writers) return fine;
    sim_fail(m, store->warp, store->ins, store->lane,
             "race in shared memory: what this bulk store reads was written before it was waited "
             "for");
    return sim_fail_kind(m, TERN_FOUND_RACE);
}

static bool is_due(const Bulk *store, const Warp *w, uint32_t lanes, int64_t groups) {
    return store->warp == w && lanes >> store->lane & 1 && store->group != NO_GROUP &&
           (int64_t)store->group + groups < (int64_t)w->bulk_groups[store->lane];
}

static bool await(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    Cta *block = w->block;
    int kept = 0;
    bool fine = true;
    for (int i = 0; i < block->num_stores; i++) {
        Bulk *store = &block->stores[i];
        bool due = fine && is_due(store, w, lanes, ins->offset);
        if (due && !store->is_read) fine = has_read(m, store);
        if (due && fine && ins->kind == BULK_WAIT) {
            fine = (m->seed % 2 || write_box(m, store, WRITE)) && write_box(m, store, END);
            free(store->early);
        } else
            block->stores[kept++] = *store;
    }
    block->num_stores = kept;
    return fine;
}

bool sim_bulk_store(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1)
        if (!start(m, w, ins, __builtin_ctz(left))) return false;
    return true;
}

bool sim_bulk_group(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    if (ins->kind != BULK_COMMIT) return await(m, w, ins, lanes);
    for (int i = 0; i < w->block->num_stores; i++) {
        Bulk *store = &w->block->stores[i];
        if (store->warp == w && lanes >> store->lane & 1 && store->group == NO_GROUP)
            store->group = w->bulk_groups[store->lane];
    }
    for (uint32_t left = lanes; left; left &= left - 1) w->bulk_groups[__builtin_ctz(left)]++;
    return true;
}
