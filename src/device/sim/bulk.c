// SPDX-License-Identifier: Apache-2.0
/* bulk: cp.async.bulk.tensor (PTX ISA 9.7.9.25.5.2): an engine copies a box of a tensor from global
 * to shared memory, and tells an mbarrier how many bytes it brought. The tensor map is one that the
 * launch made (device/map.h), handed over as it is and not in the driver's 128 bytes.
 *
 * Element (i, j, ..) of a box lies at (i + j * box[0] + ..) * its bytes; with a swizzle of S bytes,
 * in the address itself, the bits of 16 bytes within S are then flipped by as many from bit 7 on.
 * What is outside of the tensor becomes 0, and is not read. The first coordinate is a multiple of
 * 16 bytes: else an H200 says that the instruction is illegal.
 *
 * The engine reads at any time from the start until it has come: in orders with an odd seed at the
 * start, else at the end, and copies come in any order. Until then nobody may touch the bytes that
 * one writes; who waited for the phase in which it told its mbarrier may. The engine is the async
 * proxy: what a thread wrote where a copy goes needs a fence.proxy.async before, as the beginning
 * of the mbarrier does. */
#include "device/sim/access.h"

#include <stdlib.h>

enum { CHUNK = BULK_CHUNK, ALIGNMENT = 128 };

void sim_bulks_free(Cta *block) {
    for (int i = 0; i < block->num_bulks; i++) free(block->bulks[i].early);
    for (int i = 0; i < block->num_stores; i++) free(block->stores[i].early);
    block->num_bulks = block->num_stores = 0;
}

static int box_bytes(const MapBox *map) {
    int64_t bytes = map->element_bytes;
    for (int d = 0; d < map->rank && bytes < INT32_MAX; d++) bytes *= map->box[d];
    return bytes < INT32_MAX ? (int)bytes : INT32_MAX;
}

/* ---- from the tensor ---- */

typedef struct Reading {
    Bulk *bulk;
    Access access;
    bool at_start;
    unsigned char *out;
    Count *count; /* NULL: it was counted */
} Reading;

static bool read_piece(Reading *r, uint64_t from, int bytes, unsigned char *out) {
    Spot spot;
    r->access.bytes = bytes;
    int who = r->at_start ? r->bulk->lane : BY_COPY + r->bulk->lane;
    if (!access_find(&r->access, r->bulk->lane, from, &spot) ||
        !access_check_set(&r->access, r->bulk->lane, &spot) ||
        !access_check_race(&r->access, who, &spot, false))
        return false;
    memcpy(out, spot.memory, (size_t)bytes);
    return true;
}

void sim_box_count(Count *count, uint64_t address, int bytes) {
    count->sectors += (address + (uint64_t)bytes - 1) / 32 - address / 32 + 1;
    count->useful_bytes += (uint64_t)bytes;
    count->lines += (address + (uint64_t)bytes - 1) / 128 - address / 128 + 1;
    count->ideal_sectors += ((uint64_t)bytes + 31) / 32;
}

/* Elements side by side, in pieces that are aligned. */
static bool read_run(Reading *r, uint64_t from, int bytes, unsigned char *out) {
    if (r->count) sim_box_count(r->count, from, bytes);
    for (int at = 0, piece; at < bytes; at += piece) {
        piece = CHUNK;
        while ((from + (uint64_t)at) % (uint64_t)piece || at + piece > bytes) piece /= 2;
        if (!read_piece(r, from + (uint64_t)at, piece, out + at)) return false;
    }
    return true;
}

bool sim_box_rows(const Bulk *bulk, BoxRow *row, void *user) {
    const MapBox *map = &bulk->map;
    int each = map->element_bytes, bytes = map->box[0] * each, rows = bulk->bytes / bytes;
    int64_t first = bulk->at[0] < 0 ? -(int64_t)bulk->at[0] : 0;
    int64_t left = (int64_t)map->size[0] - bulk->at[0];
    int64_t end = left < map->box[0] ? left : map->box[0];
    for (int i = 0; i < rows && first < end; i++) {
        int rest = i;
        bool inside = true;
        uint64_t address = map->base + (uint64_t)(bulk->at[0] + first) * (uint64_t)each;
        for (int d = 1; d < map->rank; d++) {
            int64_t at = (int64_t)bulk->at[d] + rest % map->box[d];
            rest /= map->box[d];
            inside = inside && at >= 0 && at < (int64_t)map->size[d];
            address += (uint64_t)at * map->stride[d];
        }
        if (inside && !row(user, address, (int)(end - first) * each, i * bytes + (int)first * each))
            return false;
    }
    return true;
}

static bool read_row(void *user, uint64_t from, int bytes, int at) {
    Reading *r = user;
    return read_run(r, from, bytes, r->out + at);
}

static bool read_box(Reading *r) {
    memset(r->out, 0, (size_t)r->bulk->bytes);
    return sim_box_rows(r->bulk, read_row, r);
}

/* ---- into shared memory ---- */

uint32_t sim_box_address(const Bulk *bulk, int at) {
    uint32_t address = SHARED_BASE + bulk->to + (uint32_t)at, span = bulk->map.swizzle;
    if (span) address ^= (address >> 7 & (span / CHUNK - 1)) << 4;
    return address;
}

static Access writing(Machine *m, const Bulk *bulk) {
    return (Access){.m = m,
                    .w = bulk->warp,
                    .ins = bulk->ins,
                    .space = SPACE_SHARED,
                    .bytes = CHUNK,
                    .writes = true,
                    .what = "bulk copy to shared memory"};
}

/* Nobody else is there, or was without telling. */
static bool reserve_chunk(const Access *write, const Bulk *bulk, uint32_t address) {
    Spot spot;
    int warp;
    if (!access_find(write, bulk->lane, address, &spot) ||
        !access_check_coming(write, bulk->lane, &spot) ||
        !access_check_race(write, bulk->lane, &spot, true))
        return false;
    for (int i = 0; i < CHUNK && write->m->checks_races; i++)
        if (spot.set[i] == BYTE_SET &&
            sim_proxy_written(bulk->warp, spot.offset + (uint64_t)i, &warp))
            return sim_fail(write->m, bulk->warp, bulk->ins, bulk->lane,
                            "bulk copy to byte %llu of shared memory, which warp %d wrote without "
                            "a fence.proxy.async behind",
                            (unsigned long long)spot.offset + (unsigned long long)i, warp);
    memset(spot.set, BYTE_COMING, CHUNK);
    return true;
}

static bool reserve(Machine *m, const Bulk *bulk) {
    const Access write = writing(m, bulk);
    for (int at = 0; at < bulk->bytes; at += CHUNK)
        if (!reserve_chunk(&write, bulk, sim_box_address(bulk, at))) return false;
    return true;
}

static bool write_chunk(Machine *m, const Bulk *bulk, uint32_t phase, uint32_t address,
                        const unsigned char *bytes) {
    Cta *block = bulk->warp->block;
    uint32_t offset = address - SHARED_BASE;
    const Access write = writing(m, bulk);
    Spot spot = {.memory = block->shared + offset,
                 .set = block->shared_set + offset,
                 .space = SPACE_SHARED,
                 .offset = offset,
                 .block = block};
    bool fine = phase ? race_bulk(m, bulk->warp, bulk->ins, bulk->lane, offset, CHUNK, phase)
                      : access_check_race(&write, BY_COPY + bulk->lane, &spot, true);
    memcpy(spot.memory, bytes, CHUNK);
    memset(spot.set, BYTE_SET, CHUNK);
    memset(&block->proxy_writes[offset], 0, sizeof *block->proxy_writes * CHUNK);
    return fine;
}

/* ---- start and end ---- */

static Reading reading_of(Machine *m, Bulk *bulk, bool at_start, unsigned char *out) {
    return (Reading){.bulk = bulk,
                     .access = {.m = m,
                                .w = bulk->warp,
                                .ins = bulk->ins,
                                .space = SPACE_GLOBAL,
                                .what = "bulk copy from global memory"},
                     .at_start = at_start,
                     .out = out,
                     .count = at_start ? &m->counts[bulk->ins - m->program->code.data] : NULL};
}

/* A map of the launch's. */
static bool find_map(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, MapBox *map) {
    int index = m->first_map ? m->first_map : m->program->params.count;
    while (index < m->program->params.count && address != (PARAM_WINDOW | param_address(index)))
        index++;
    if (index == m->program->params.count)
        return sim_fail(m, w, ins, lane,
                        "address 0x%llx is not of a tensor map that the launch made",
                        (unsigned long long)address);
    memcpy(map, m->args[index], sizeof *map);
    return true;
}

bool sim_box_of(Machine *m, Bulk *bulk, int first) {
    const Ins *ins = bulk->ins;
    bool stores = ins->op == SIM_BULK_STORE;
    Warp *w = bulk->warp;
    int lane = bulk->lane;
    uint32_t to = source_of(m, w, ins->operands[0])[lane] + (uint32_t)ins->offset;
    if (!find_map(m, w, ins, lane, get_wide(source_of(m, w, ins->operands[1]), lane), &bulk->map))
        return false;
    if (bulk->map.rank != ins->number)
        return sim_fail(m, w, ins, lane, "a copy of %d dimensions by a tensor map of %d",
                        ins->number, bulk->map.rank);
    if (to % ALIGNMENT)
        return sim_fail(m, w, ins, lane,
                        "bulk %s address 0x%x of shared memory, which is not a multiple of %d",
                        stores ? "store from" : "copy to", to, ALIGNMENT);
    for (int d = 0; d < ins->number; d++)
        bulk->at[d] = (int32_t)source_of(m, w, ins->operands[first + d])[lane];
    if ((int64_t)bulk->at[0] * bulk->map.element_bytes % CHUNK)
        return sim_fail(m, w, ins, lane,
                        "bulk %s coordinate %d of elements of %d bytes, which is not a "
                        "multiple of %d bytes",
                        stores ? "store to" : "copy from", bulk->at[0], bulk->map.element_bytes,
                        CHUNK);
    bulk->to = to - SHARED_BASE, bulk->bytes = box_bytes(&bulk->map);
    uint64_t size = (uint64_t)m->program->shared_bytes;
    if (to < SHARED_BASE || bulk->to > size || size - bulk->to < (uint64_t)bulk->bytes)
        return sim_fail(m, w, ins, lane,
                        "bulk %s of %d bytes outside shared memory, which has %llu bytes: at "
                        "byte %lld",
                        stores ? "store" : "copy", bulk->bytes, (unsigned long long)size,
                        (long long)to - SHARED_BASE);
    return true;
}

static bool start(Machine *m, Warp *w, const Ins *ins, int lane) {
    Cta *block = w->block;
    Bulk *grown = sim_grown(block->bulks, block->num_bulks, &block->bulks_capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    block->bulks = grown;
    Bulk bulk = {.warp = w, .lane = lane, .ins = ins};
    uint32_t barrier = source_of(m, w, ins->operands[2])[lane] + (uint32_t)ins->from_offset;
    if (!sim_box_of(m, &bulk, 3) || !reserve(m, &bulk) ||
        !sim_mbarrier_begins(m, w, ins, lane, barrier, &bulk.barrier))
        return false;
    unsigned char *bytes = malloc((size_t)bulk.bytes);
    if (!bytes) return sim_fail_memory(m);
    Reading reading = reading_of(m, &bulk, true, bytes);
    bool fine = read_box(&reading);
    reading.count->requests++;
    record_other(m);
    if (m->seed % 2 && fine)
        bulk.early = bytes;
    else
        free(bytes);
    block->bulks[block->num_bulks++] = bulk;
    block->num_arrivals++;
    return fine;
}

bool sim_bulk_comes(Machine *m, Cta *block, int n) {
    Bulk bulk = block->bulks[n];
    memmove(&block->bulks[n], &block->bulks[n + 1], sizeof bulk * (size_t)(--block->num_bulks - n));
    block->num_arrivals--;
    unsigned char *bytes = malloc((size_t)bulk.bytes);
    Reading reading = reading_of(m, &bulk, false, bytes);
    bool fine = bytes ? read_box(&reading) : sim_fail_memory(m);
    uint32_t phase = sim_mbarrier_phase(&bulk);
    for (int at = 0; at < bulk.bytes && fine; at += CHUNK)
        fine = write_chunk(m, &bulk, phase, sim_box_address(&bulk, at),
                           (bulk.early ? bulk.early : bytes) + at);
    m->version++;
    free(bytes), free(bulk.early);
    return fine && sim_mbarrier_told(m, &bulk);
}

bool sim_bulk(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        MapBox map;
        if (ins->kind &&
            !find_map(m, w, ins, lane, get_wide(source_of(m, w, ins->operands[0]), lane), &map))
            return false;
        if (!ins->kind && !start(m, w, ins, lane)) return false;
    }
    return true;
}
