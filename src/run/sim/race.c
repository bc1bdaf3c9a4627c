// SPDX-License-Identifier: Apache-2.0
/* race: happens-before. Each warp has a clock that ticks when it synchronises, and knows how far others had come when
 * they last met it: at a barrier (the warps of the block), or by reading with an acquiring atomic what another
 * released. For each place in memory the last writer and two readers are remembered, with their ticks. An access
 * conflicts with a remembered one, of which one writes and not both are atomic, unless that one's tick is known.
 *
 * Lanes of a warp are ordered among each other by bar.warp.sync and bar.sync only. Acquiring is a warp's, not one
 * lane's. Of three readers without order two are remembered: then a race may go unseen, never is one made up. */
#include "run/sim/sim.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, MOST_KNOWN = 1 << 12, SEVERAL_LANES = 32, LAST_TICK = (1 << 25) - 1 };
#define MOST_SHADOW ((uint64_t)1 << 30) /* bytes; more memory than that covers is not checked */

static uint32_t warp_number(const Warp *w) {
    return (uint32_t)(w->block->linear * (uint64_t)w->block->num_warps) + (uint32_t)w->index + 1;
}

static uint32_t *own_tick(Warp *w) { return &w->clock.own[w->index]; }

static uint32_t known_tick(const Warp *w, uint32_t warp) {
    uint32_t first = warp_number(w) - (uint32_t)w->index;
    if (warp >= first && warp < first + (uint32_t)w->block->num_warps) return w->clock.own[warp - first];
    int low = 0, high = w->clock.num_others;
    while (low < high) {
        int middle = (low + high) / 2;
        if (w->clock.others[middle].warp < warp) low = middle + 1;
        else high = middle;
    }
    return low < w->clock.num_others && w->clock.others[low].warp == warp ? w->clock.others[low].tick : 0;
}

static inline bool is_ordered(const Warp *w, uint32_t self, int lane, Agent before) {
    if (!before.warp) return true;
    if (before.warp == self) return before.lane == (uint32_t)lane || before.tick < w->clock.own[w->index];
    return known_tick(w, before.warp) >= before.tick;
}

static bool report(Machine *m, Warp *w, const Ins *ins, int lane, const char *space, bool writes, bool wrote, Agent before,
                   int32_t before_ins) {
    const Ins *other = &m->program->code.data[before_ins];
    uint32_t warps = (uint32_t)w->block->num_warps, number = before.warp - 1;
    const char *verb = ins->op == SIM_ATOMIC ? "atomic" : writes ? "write" : "read";
    sim_fail(m, w, ins, lane, "race in %s memory: this %s is not ordered with the %s by %s", space, verb,
             other->op == SIM_ATOMIC ? "atomic" : wrote ? "write" : "read",
             number / warps != (uint32_t)w->block->linear ? "another block" : before.warp != warp_number(w) ? "another warp" : "another lane");
    sim_note(m, "\nthe other: block %u of the grid, warp %u, ", number / warps, number % warps);
    if (before.lane < LANES) sim_note(m, "lane %u, ", (unsigned)before.lane);
    sim_note(m, "line %d of the PTX", other->line);
    if (other->source_line) sim_note(m, " (source line %d)", other->source_line);
    return false;
}

static inline void remember_read(Cell *cell, Agent me, int32_t ins) {
    Agent *first = &cell->readers[0];
    if (first->warp == me.warp && first->tick == me.tick) {
        if (first->lane != me.lane) first->lane = SEVERAL_LANES;
        if (!me.atomic) first->atomic = 0;
        return;
    }
    if (first->warp != me.warp) cell->readers[1] = *first, cell->reader_ins[1] = cell->reader_ins[0];
    *first = me;
    cell->reader_ins[0] = ins;
}

static bool touch(Machine *m, Warp *w, const Ins *ins, Cell *cell, int lane, const char *space, bool writes, bool atomic) {
    uint32_t self = warp_number(w), tick = *own_tick(w);
    Agent me = {.warp = self, .lane = (unsigned)lane & 63, .atomic = atomic, .tick = tick & LAST_TICK};
    int32_t number = (int32_t)(ins - m->program->code.data);
    if (!(atomic && cell->writer.atomic) && !is_ordered(w, self, lane, cell->writer))
        return report(m, w, ins, lane, space, writes, true, cell->writer, cell->writer_ins);
    if (!writes) {
        remember_read(cell, me, number);
        return true;
    }
    for (int i = 0; i < 2; i++)
        if (!(atomic && cell->readers[i].atomic) && !is_ordered(w, self, lane, cell->readers[i]))
            return report(m, w, ins, lane, space, true, false, cell->readers[i], cell->reader_ins[i]);
    cell->writer = me, cell->writer_ins = number;
    cell->readers[0] = cell->readers[1] = (Agent){0};
    return true;
}

bool race_shared(Machine *m, Warp *w, const Ins *ins, int lane, uint32_t offset, int bytes, bool writes, bool atomic) {
    if (!w->block->shared_cells) return true;
    int each = m->program->smallest_shared;
    for (int i = 0; i < bytes; i += each)
        if (!touch(m, w, ins, &w->block->shared_cells[(offset + (uint32_t)i) / (uint32_t)each], lane, "shared", writes, atomic)) return false;
    return true;
}

/* ---- global memory ---- */

typedef struct Page {
    uint64_t number; /* address / PAGE_BYTES */
    Cell *cells;     /* NULL: the slot is free */
} Page;
struct GlobalShadow {
    Page *pages;
    size_t count, capacity;
    Page last;
};

static size_t slot_of(const struct GlobalShadow *s, uint64_t number) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (s->capacity - 1);
    while (s->pages[at].cells && s->pages[at].number != number) at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool grow(struct GlobalShadow *s) {
    struct GlobalShadow bigger = {.capacity = s->capacity ? s->capacity * 2 : 256};
    bigger.pages = calloc(bigger.capacity, sizeof *bigger.pages);
    if (!bigger.pages) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->pages[i].cells) bigger.pages[slot_of(&bigger, s->pages[i].number)] = s->pages[i];
    free(s->pages);
    s->pages = bigger.pages, s->capacity = bigger.capacity;
    return true;
}

static Cell *page_cells(Machine *m, uint64_t number) {
    struct GlobalShadow *s = m->shadow;
    if (!s && !(s = m->shadow = calloc(1, sizeof *s))) return NULL;
    if (s->last.cells && s->last.number == number) return s->last.cells;
    if (s->count * 2 >= s->capacity && !grow(s)) return NULL;
    Page *page = &s->pages[slot_of(s, number)];
    if (!page->cells) {
        size_t count = (size_t)(PAGE_BYTES / m->program->smallest_global);
        if (m->shadow_bytes + count * sizeof(Cell) > MOST_SHADOW) return NULL;
        page->cells = calloc(count, sizeof(Cell));
        if (!page->cells) return NULL;
        page->number = number;
        m->shadow_bytes += count * sizeof(Cell);
        s->count++;
    }
    s->last = *page;
    return page->cells;
}

bool race_global(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, int bytes, bool writes, bool atomic) {
    if (!m->checks_races) return true;
    Cell *cells = page_cells(m, address / PAGE_BYTES); /* aligned accesses do not straddle */
    if (!cells) {
        m->race_limited = true;
        return true;
    }
    uint64_t each = (uint64_t)m->program->smallest_global;
    for (int i = 0; i < bytes; i += (int)each)
        if (!touch(m, w, ins, &cells[(address % PAGE_BYTES + (uint64_t)i) / each], lane, "global", writes, atomic)) return false;
    return true;
}

/* ---- synchronisation ---- */

typedef struct SyncPlace {
    uint64_t address;
    Known *known;
    int count, capacity;
} SyncPlace;
struct SyncTable {
    SyncPlace *places;
    int count, capacity;
};

static bool join(Known **into, int *count, int *capacity, const Known *from, int num_from) {
    int total = *count + num_from, at = 0, a = 0, b = 0;
    Known *merged = malloc(sizeof *merged * (size_t)(total ? total : 1));
    if (!merged) return false;
    while (a < *count || b < num_from) {
        if (b == num_from || (a < *count && (*into)[a].warp < from[b].warp)) merged[at++] = (*into)[a++];
        else if (a == *count || from[b].warp < (*into)[a].warp) merged[at++] = from[b++];
        else {
            merged[at] = (*into)[a++];
            if (from[b].tick > merged[at].tick) merged[at].tick = from[b].tick;
            at++, b++;
        }
    }
    free(*into);
    *into = merged, *count = at, *capacity = total;
    return true;
}

static SyncPlace *sync_place(Machine *m, uint64_t address) {
    if (!m->sync && !(m->sync = calloc(1, sizeof *m->sync))) return NULL;
    for (int i = 0; i < m->sync->count; i++)
        if (m->sync->places[i].address == address) return &m->sync->places[i];
    if (m->sync->count == MOST_KNOWN) return NULL;
    if (m->sync->count == m->sync->capacity) {
        int capacity = m->sync->capacity ? m->sync->capacity * 2 : 16;
        SyncPlace *grown = realloc(m->sync->places, sizeof *grown * (size_t)capacity);
        if (!grown) return NULL;
        m->sync->places = grown, m->sync->capacity = capacity;
    }
    m->sync->places[m->sync->count] = (SyncPlace){.address = address};
    return &m->sync->places[m->sync->count++];
}

static bool acquire(Warp *w, const SyncPlace *place) {
    uint32_t first = warp_number(w) - (uint32_t)w->index, last = first + (uint32_t)w->block->num_warps;
    Clock *clock = &w->clock;
    if (!join(&clock->others, &clock->num_others, &clock->capacity, place->known, place->count)) return false;
    int kept = 0; /* those of the own block live in `own` */
    for (int i = 0; i < clock->num_others; i++) {
        Known known = clock->others[i];
        if (known.warp < first || known.warp >= last) clock->others[kept++] = known;
        else if (known.tick > clock->own[known.warp - first] && known.warp != warp_number(w)) clock->own[known.warp - first] = known.tick;
    }
    clock->num_others = kept;
    return true;
}

static bool release(Warp *w, SyncPlace *place) {
    Known own[MAX_WARPS];
    int count = 0;
    uint32_t first = warp_number(w) - (uint32_t)w->index;
    for (int i = 0; i < w->block->num_warps; i++)
        if (w->clock.own[i]) own[count++] = (Known){first + (uint32_t)i, w->clock.own[i]};
    bool fine = join(&place->known, &place->count, &place->capacity, own, count) &&
                join(&place->known, &place->count, &place->capacity, w->clock.others, w->clock.num_others);
    if (*own_tick(w) < LAST_TICK) ++*own_tick(w);
    return fine;
}

bool race_sync(Machine *m, Warp *w, const Ins *ins, uint64_t address) {
    if (!m->checks_races) return true;
    SyncPlace *place = sync_place(m, address);
    if (!place || place->count > MOST_KNOWN || w->clock.num_others > MOST_KNOWN) { /* the cost grows with the square */
        m->checks_races = false;
        m->race_limited = true;
        return true;
    }
    if (ins->acquires && !acquire(w, place)) return sim_fail_memory(m);
    if (ins->releases && !release(w, place)) return sim_fail_memory(m);
    return true;
}

void race_warp_sync(Warp *w) {
    if (*own_tick(w) < LAST_TICK) ++*own_tick(w);
}

void race_barrier(Machine *m, Cta *block, uint32_t warps) {
    Clock *first = NULL;
    uint32_t most[MAX_WARPS] = {0};
    for (int i = 0; i < block->num_warps; i++) {
        if (!(warps >> i & 1)) continue;
        Clock *clock = &block->warps[i].clock;
        for (int k = 0; k < block->num_warps; k++)
            if (clock->own[k] > most[k]) most[k] = clock->own[k];
        if (!first) first = clock;
        else if (clock->num_others && !join(&first->others, &first->num_others, &first->capacity, clock->others, clock->num_others)) sim_fail_memory(m);
    }
    for (int i = 0; i < block->num_warps; i++) {
        if (!(warps >> i & 1)) continue;
        Clock *clock = &block->warps[i].clock;
        memcpy(clock->own, most, sizeof most);
        race_warp_sync(&block->warps[i]);
        if (clock == first || !first->num_others) continue;
        if (!join(&clock->others, &clock->num_others, &clock->capacity, first->others, first->num_others)) sim_fail_memory(m);
    }
}

void race_block_start(Machine *m, Cta *block) {
    (void)m;
    for (int i = 0; i < block->num_warps; i++) {
        Clock *clock = &block->warps[i].clock;
        memset(clock->own, 0, sizeof clock->own);
        clock->own[i] = 1;
        clock->num_others = 0;
    }
    if (block->shared_cells)
        memset(block->shared_cells, 0, sizeof(Cell) * ((size_t)m->program->shared_bytes / (size_t)m->program->smallest_shared + 1));
}

void race_close(Machine *m) {
    for (size_t i = 0; m->shadow && i < m->shadow->capacity; i++) free(m->shadow->pages[i].cells);
    if (m->shadow) free(m->shadow->pages);
    free(m->shadow);
    for (int i = 0; m->sync && i < m->sync->count; i++) free(m->sync->places[i].known);
    if (m->sync) free(m->sync->places);
    free(m->sync);
    m->shadow = NULL, m->sync = NULL;
}
