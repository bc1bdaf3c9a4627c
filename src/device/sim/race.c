// SPDX-License-Identifier: Apache-2.0
/* race: happens-before. Each warp has a clock that ticks when it meets or releases, and knows
 * how far others had come when they last met it: at a barrier (the warps of the block), or by
 * acquiring what another released, by an atomic or at an mbarrier. For each place in memory the
 * last writer and two readers are marked, with their ticks. An access conflicts with a remembered
 * one, of which one writes and not both are atomic, unless that one's tick is known.
 *
 * Lanes of a warp are ordered among each other by bar.warp.sync and bar.sync only. What lanes have
 * acquired at an mbarrier is theirs till the warp synchronises, or all have; of two mbarriers the
 * first is then taken as all lanes'. By an atomic the whole warp acquires. Of three readers without
 * order two are remembered: then a race may go unseen, never is one made up. */
#include "device/sim/sim.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, MOST_KNOWN = 1 << 12, LAST_TICK = (1 << 25) - 1 };

static uint32_t warp_number(const Warp *w) {
    return (uint32_t)(w->block->linear * (uint64_t)w->block->num_warps) + (uint32_t)w->index + 1;
}

static uint32_t *own_tick(Warp *w) { return &w->clock.own[w->index].tick; }

static const Seen *seen_of(const Warp *w, const Clock *clock, uint32_t warp) {
    static const Seen nothing;
    uint32_t first = warp_number(w) - (uint32_t)w->index;
    if (warp >= first && warp < first + (uint32_t)w->block->num_warps)
        return &clock->own[warp - first];
    int low = 0, high = clock->num_others;
    while (low < high) {
        int middle = (low + high) / 2;
        if (clock->others[middle].warp < warp)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < clock->num_others && clock->others[low].warp == warp;
    return found ? &clock->others[low].seen : &nothing;
}

static bool has_seen(const Seen *seen, Agent before) {
    if (before.lane == BY_COPY) return seen->copies >= before.tick;
    if (seen->tick >= before.tick) return true;
    bool of_lane = before.lane == SEVERAL_LANES ? seen->lanes & (seen->lanes - 1)
                   : before.lane < LANES        ? seen->lanes >> before.lane & 1
                                                : seen->lanes;
    return of_lane && seen->lane_tick >= before.tick;
}

static bool knows(const Warp *w, const Clock *clock, Agent before) {
    if (before.lane == BY_BULK)
        return clock->told[before.tick / MOST_TOLD_PHASES] > before.tick % MOST_TOLD_PHASES;
    return has_seen(seen_of(w, clock, before.warp), before);
}

static bool has_partly(const Warp *w, int lane) { return lane < LANES && w->partly >> lane & 1; }

static inline bool is_ordered(const Warp *w, uint32_t self, int lane, Agent before) {
    if (!before.warp) return true;
    if (before.lane == BY_STORE) return false; /* till it is waited for */
    if (has_partly(w, lane) && knows(w, &w->partial, before)) return true;
    if (before.warp == self && before.lane < BY_COPY) /* the products of a warp are all lanes' */
        return before.lane == (uint32_t)lane || before.lane == ALL_TOGETHER ||
               has_seen(&w->met, before);
    return knows(w, &w->clock, before);
}

Agent race_agent(Warp *w, int lane) {
    return (Agent){.warp = warp_number(w), .lane = (unsigned)lane & 63, .tick = *own_tick(w)};
}

bool race_is_after(const Warp *w, int lane, Agent before) {
    return is_ordered(w, warp_number(w), lane, before);
}

/* Who sent it may know, and a wait at the scope of the block, all the same. */
static bool report_sent(Machine *m, Warp *w, const Ins *ins, int lane, const char *verb,
                        const Ins *other) {
    sim_fail(m, w, ins, lane,
             "race in shared memory: this %s is not ordered with an st.async, of which a wait for "
             "its mbarrier would tell, at the scope of the cluster",
             verb);
    sim_note(m, "\nthe other: line %d of the PTX", other->line);
    return sim_fail_kind(m, TERN_FOUND_RACE);
}

static bool report(Machine *m, Warp *w, const Ins *ins, int lane, const char *space, bool writes,
                   bool wrote, Agent before, int32_t before_ins) {
    const Ins *other = &m->program->code.data[before_ins];
    uint32_t warps = (uint32_t)w->block->num_warps, number = before.warp - 1;
    const char *verb = ins->op == SIM_ATOMIC ? "atomic" : writes ? "write" : "read";
    if (before.lane == BY_SEND) return report_sent(m, w, ins, lane, verb, other);
    sim_fail(m, w, ins, lane, "race in %s memory: this %s is not ordered with the %s by %s", space,
             verb,
             other->op == SIM_ATOMIC ? "atomic"
             : wrote                 ? "write"
                                     : "read",
             number / warps != (uint32_t)w->block->linear ? "another block"
             : before.warp != warp_number(w)              ? "another warp"
                                                          : "another lane");
    sim_note(m, "\nthe other: block %u of the grid, warp %u, ", number / warps, number % warps);
    if (before.lane < LANES) sim_note(m, "lane %u, ", (unsigned)before.lane);
    if (before.lane == BY_COPY || before.lane == BY_BULK) sim_note(m, "by its copy, ");
    if (before.lane == BY_STORE) sim_note(m, "by its bulk store, which was not waited for, ");
    sim_note(m, "line %d of the PTX", other->line);
    if (other->source_line) sim_note(m, " (source line %d)", other->source_line);
    return sim_fail_kind(m, TERN_FOUND_RACE);
}

/* The n-th mark of a kind; NULL: no memory for it. Most memory is only read or only written, by one
 * warp: what is never needed is never made. */
static inline Mark *mark_at(Machine *m, Marks *marks, MarkKind kind, size_t n, size_t count) {
    if (!marks->by[kind]) {
        if (m->shadow_bytes + count * sizeof(Mark) > m->most_shadow_bytes) return NULL;
        marks->by[kind] = calloc(count, sizeof(Mark));
        if (!marks->by[kind]) return NULL;
        m->shadow_bytes += count * sizeof(Mark);
    }
    return &marks->by[kind][n];
}

static inline bool remember_read(Machine *m, Marks *marks, size_t n, size_t count, Mark me) {
    Mark *first = mark_at(m, marks, MARK_READER, n, count);
    if (!first) return false;
    if (first->who.warp == me.who.warp && first->who.tick == me.who.tick) {
        if (first->who.lane != me.who.lane) first->who.lane = SEVERAL_LANES;
        if (!me.who.atomic) first->who.atomic = 0;
        return true;
    }
    if (first->who.warp && first->who.warp != me.who.warp) {
        Mark *second = mark_at(m, marks, MARK_READER_BEFORE, n, count);
        if (!second) return false;
        *second = *first;
    }
    *first = me;
    return true;
}

typedef struct Touch { /* one lane's access */
    Machine *m;
    Warp *w;
    const Ins *ins;
    Agent me;
    int lane;
    const char *space;
    bool writes;
} Touch;

static Touch touch_of(Machine *m, Warp *w, const Ins *ins, int lane, const char *space, bool writes,
                      bool atomic) {
    bool by_copy = lane >= BY_COPY; /* of a lane */
    Agent me = {.warp = warp_number(w),
                .lane = by_copy ? BY_COPY : (unsigned)lane & 63,
                .atomic = atomic,
                .tick = (by_copy ? w->copy_tick : *own_tick(w)) & LAST_TICK};
    return (Touch){m, w, ins, me, by_copy ? lane - BY_COPY : lane, space, writes};
}

/* The n-th of `count` places of a stretch; false: a race. */
static inline bool touch(const Touch *t, Marks *marks, size_t n, size_t count) {
    Mark me = {t->me, (int32_t)(t->ins - t->m->program->code.data)};
    const Mark *writer = marks->by[MARK_WRITER] ? &marks->by[MARK_WRITER][n] : NULL;
    bool fine = true;
    if (writer && !(me.who.atomic && writer->who.atomic) &&
        !is_ordered(t->w, me.who.warp, t->lane, writer->who))
        return report(t->m, t->w, t->ins, t->lane, t->space, t->writes, true, writer->who,
                      writer->ins);
    if (t->writes) {
        for (MarkKind kind = MARK_READER; kind < NUM_MARKS; kind++) {
            if (!marks->by[kind]) continue;
            Mark *reader = &marks->by[kind][n];
            if (!(me.who.atomic && reader->who.atomic) &&
                !is_ordered(t->w, me.who.warp, t->lane, reader->who))
                return report(t->m, t->w, t->ins, t->lane, t->space, true, false, reader->who,
                              reader->ins);
            *reader = (Mark){{0}, 0};
        }
        Mark *now = mark_at(t->m, marks, MARK_WRITER, n, count);
        if (now) *now = me;
        fine = now != NULL;
    } else
        fine = remember_read(t->m, marks, n, count, me);
    if (!fine) t->m->race_limited = true;
    return true;
}

bool race_shared(Machine *m, Warp *w, const Ins *ins, int lane, Cta *block, uint32_t offset,
                 int bytes, bool writes, bool atomic) {
    if (!m->checks_races) return true;
    size_t each = (size_t)m->program->smallest_shared,
           count = (size_t)m->program->shared_bytes / each + 1;
    const Touch t = touch_of(m, w, ins, lane, "shared", writes, atomic);
    for (size_t i = 0; i < (size_t)bytes; i += each)
        if (!touch(&t, &block->shared_marks, (offset + i) / each, count)) return false;
    return true;
}

bool race_bulk(Machine *m, Warp *w, const Ins *ins, int lane, uint32_t offset, int bytes,
               uint32_t phase) {
    if (!m->checks_races) return true;
    size_t each = (size_t)m->program->smallest_shared,
           count = (size_t)m->program->shared_bytes / each + 1;
    Touch t = touch_of(m, w, ins, lane, "shared", true, false);
    t.me.lane = BY_BULK, t.me.tick = phase & LAST_TICK;
    for (size_t i = 0; i < (size_t)bytes; i += each)
        if (!touch(&t, &w->block->shared_marks, (offset + i) / each, count)) return false;
    return true;
}

uint64_t race_writers(const Machine *m, const Cta *block, uint32_t offset, int bytes,
                      uint64_t hash) {
    const Mark *writers = block->shared_marks.by[MARK_WRITER];
    size_t each = (size_t)m->program->smallest_shared;
    for (size_t i = 0; writers && i < (size_t)bytes; i += each) {
        const Mark *mark = &writers[(offset + i) / each];
        uint64_t who = (uint64_t)mark->who.warp << 32 | mark->who.tick << 6 | mark->who.lane;
        hash = (hash ^ who) * 0x9e3779b97f4a7c15u + (uint32_t)mark->ins;
    }
    return hash;
}

/* ---- global memory ---- */

typedef struct Page {
    uint64_t number; /* address / PAGE_BYTES */
    Marks *marks;    /* NULL: the slot is free */
} Page;
struct GlobalShadow {
    Page *pages;
    size_t count, capacity;
    Page last;
};

static size_t slot_of(const struct GlobalShadow *s, uint64_t number) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (s->capacity - 1);
    while (s->pages[at].marks && s->pages[at].number != number) at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool grow(struct GlobalShadow *s) {
    struct GlobalShadow bigger = {.capacity = s->capacity ? s->capacity * 2 : 256};
    bigger.pages = calloc(bigger.capacity, sizeof *bigger.pages);
    if (!bigger.pages) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->pages[i].marks) bigger.pages[slot_of(&bigger, s->pages[i].number)] = s->pages[i];
    free(s->pages);
    s->pages = bigger.pages, s->capacity = bigger.capacity;
    return true;
}

static Marks *page_marks(Machine *m, uint64_t number) {
    struct GlobalShadow *s = m->shadow;
    if (!s && !(s = m->shadow = calloc(1, sizeof *s))) return NULL;
    if (s->last.marks && s->last.number == number) return s->last.marks;
    if (s->count * 2 >= s->capacity && !grow(s)) return NULL;
    Page *page = &s->pages[slot_of(s, number)];
    if (!page->marks) {
        page->marks = calloc(1, sizeof *page->marks);
        if (!page->marks) return NULL;
        page->number = number;
        s->count++;
    }
    s->last = *page;
    return page->marks;
}

bool race_global(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, int bytes,
                 bool writes, bool atomic) {
    if (!m->checks_races) return true;
    Marks *marks = page_marks(m, address / PAGE_BYTES); /* aligned accesses do not straddle */
    if (!marks) {
        m->race_limited = true;
        return true;
    }
    size_t each = (size_t)m->program->smallest_global, count = PAGE_BYTES / each;
    const Touch t = touch_of(m, w, ins, lane, "global", writes, atomic);
    for (size_t i = 0; i < (size_t)bytes; i += each)
        if (!touch(&t, marks, (address % PAGE_BYTES + i) / each, count)) return false;
    return true;
}

/* It is nobody's to read or to write until its lane waited for it: then it is that lane's write. */
bool race_store(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, int bytes,
                bool begins) {
    Marks *marks = m->checks_races ? page_marks(m, address / PAGE_BYTES) : NULL;
    if (!marks) {
        m->race_limited |= m->checks_races;
        return true;
    }
    size_t each = (size_t)m->program->smallest_global, count = PAGE_BYTES / each;
    Touch t = touch_of(m, w, ins, lane, "global", true, false);
    if (begins) t.me.lane = BY_STORE;
    for (size_t i = 0; i < (size_t)bytes; i += each) {
        size_t n = (address % PAGE_BYTES + i) / each;
        Mark *writer = marks->by[MARK_WRITER] ? &marks->by[MARK_WRITER][n] : NULL;
        bool own = writer && writer->who.lane == BY_STORE && writer->who.warp == t.me.warp;
        if (begins && !touch(&t, marks, n, count)) return false;
        if (!begins && own) writer->who = t.me;
    }
    return true;
}

/* ---- synchronisation ---- */

typedef struct SyncPlace {
    uint64_t address;
    Known *known;
    int count;
} SyncPlace;
struct SyncTable {
    SyncPlace *places;
    int count, capacity;
};

static void learn(Seen *into, const Seen *from) {
    if (from->tick > into->tick) into->tick = from->tick;
    if (into->lane_tick <= into->tick) into->lanes = 0;
    if (from->lane_tick > into->tick) into->lanes |= from->lanes;
    if (from->lane_tick > into->lane_tick) into->lane_tick = from->lane_tick;
    if (from->copies > into->copies) into->copies = from->copies;
    if (from->fences > into->fences) into->fences = from->fences;
    if (from->shown > into->shown) into->shown = from->shown;
    if (from->shown_copies > into->shown_copies) into->shown_copies = from->shown_copies;
}

static bool join(Known **into, int *count, const Known *from, int num_from) {
    int at = 0, a = 0, b = 0;
    if (!num_from) return true;
    Known *merged = malloc(sizeof *merged * (size_t)(*count + num_from));
    if (!merged) return false;
    while (a < *count || b < num_from) {
        if (b == num_from || (a < *count && (*into)[a].warp < from[b].warp))
            merged[at++] = (*into)[a++];
        else if (a == *count || from[b].warp < (*into)[a].warp)
            merged[at++] = from[b++];
        else {
            merged[at] = (*into)[a++];
            merged[at].released |= from[b].released;
            learn(&merged[at++].seen, &from[b++].seen);
        }
    }
    free(*into);
    *into = merged, *count = at;
    return true;
}

static void learn_told(Clock *into, const Clock *from) {
    for (int i = 0; i < MOST_TOLD; i++)
        if (from->told[i] > into->told[i]) into->told[i] = from->told[i];
}

static bool join_clock(const Machine *m, Clock *into, const Clock *from) {
    for (int i = 0; i < MAX_WARPS; i++) learn(&into->own[i], &from->own[i]);
    if (m->program->has_bulk) learn_told(into, from);
    return join(&into->others, &into->num_others, from->others, from->num_others);
}

void race_clock_clear(Clock *clock) {
    memset(clock->own, 0, sizeof clock->own);
    memset(clock->told, 0, sizeof clock->told);
    clock->num_others = 0;
}

/* What some lanes acquired becomes the warp's. */
static bool fold(const Machine *m, Warp *w) {
    if (!w->partly) return true;
    bool fine = join_clock(m, &w->clock, &w->partial);
    learn(&w->met, &w->partial.own[w->index]);
    race_clock_clear(&w->partial);
    w->partly = 0;
    return fine;
}

static void tick(Warp *w) {
    if (*own_tick(w) < LAST_TICK) ++*own_tick(w);
}

bool race_warp_sync(Machine *m, Warp *w) {
    w->met.tick = *own_tick(w);
    tick(w);
    return fold(m, w) || sim_fail_memory(m);
}

static SyncPlace *sync_place(Machine *m, uint64_t address) {
    if (!m->sync && !(m->sync = calloc(1, sizeof *m->sync))) return NULL;
    for (int i = 0; i < m->sync->count; i++)
        if (m->sync->places[i].address == address) return &m->sync->places[i];
    if (m->sync->count == MOST_KNOWN) return NULL;
    SyncPlace *grown =
        sim_grown(m->sync->places, m->sync->count, &m->sync->capacity, sizeof *grown);
    if (!grown) return NULL;
    m->sync->places = grown;
    m->sync->places[m->sync->count] = (SyncPlace){.address = address};
    return &m->sync->places[m->sync->count++];
}

/* Of bulk copies that warps of the block have waited for which released there, or to who did, it
 * knows what these know by now. */
static bool acquire(Warp *w, const SyncPlace *place) {
    uint32_t first = warp_number(w) - (uint32_t)w->index,
             last = first + (uint32_t)w->block->num_warps;
    Clock *clock = &w->clock;
    if (!join(&clock->others, &clock->num_others, place->known, place->count)) return false;
    int kept = 0; /* those of the own block live in `own` */
    for (int i = 0; i < clock->num_others; i++) {
        Known known = clock->others[i];
        if (known.warp < first || known.warp >= last) {
            clock->others[kept++] = known;
            continue;
        }
        learn(&clock->own[known.warp - first], &known.seen);
        if (known.released) learn_told(clock, &w->block->warps[known.warp - first].clock);
    }
    clock->num_others = kept;
    return true;
}

static bool release(Warp *w, SyncPlace *place) {
    Known own[MAX_WARPS];
    int count = 0;
    uint32_t first = warp_number(w) - (uint32_t)w->index;
    for (int i = 0; i < w->block->num_warps; i++)
        if (w->clock.own[i].tick)
            own[count++] = (Known){first + (uint32_t)i, i == w->index, w->clock.own[i]};
    bool fine = join(&place->known, &place->count, own, count) &&
                join(&place->known, &place->count, w->clock.others, w->clock.num_others);
    w->met.tick = *own_tick(w);
    tick(w);
    return fine;
}

bool race_sync(Machine *m, Warp *w, const Ins *ins, uint64_t address) {
    if (!m->checks_races) return true;
    SyncPlace *place = sync_place(m, address);
    if (!place || place->count > MOST_KNOWN ||
        w->clock.num_others > MOST_KNOWN) { /* the cost grows with the square */
        m->checks_races = false;
        m->race_limited = true;
        return true;
    }
    if (!fold(m, w)) return sim_fail_memory(m);
    /* Between fences any atomic may acquire, and after one release: taken as if it did. */
    bool fences = m->program->has_fences;
    if ((ins->acquires || fences) && !acquire(w, place)) return sim_fail_memory(m);
    if ((ins->releases || (fences && w->fenced)) && !release(w, place)) return sim_fail_memory(m);
    return true;
}

/* ---- clusters ---- */

bool race_cluster(Machine *m, Warp *w, uint64_t phase, bool acquires) {
    Cluster *cluster = w->block->cluster;
    SyncPlace place = {.known = cluster->known[phase % 2], .count = cluster->num_known[phase % 2]};
    if (!m->checks_races) return true;
    bool fine = fold(m, w) && (acquires ? acquire(w, &place) : release(w, &place));
    cluster->known[phase % 2] = place.known, cluster->num_known[phase % 2] = place.count;
    return fine || sim_fail_memory(m);
}

bool race_cluster_tells(Machine *m, Warp *w, uint64_t phase, Agent who) {
    Cluster *cluster = w->block->cluster;
    Known known = {.warp = who.warp, .seen.tick = who.tick};
    return join(&cluster->known[phase % 2], &cluster->num_known[phase % 2], &known, 1) ||
           sim_fail_memory(m);
}

/* Nobody touched it since the sender did, see send.c. */
void race_sent(Machine *m, Cta *block, const Ins *ins, uint32_t offset, int bytes, Agent who) {
    size_t each = (size_t)m->program->smallest_shared,
           count = (size_t)m->program->shared_bytes / each + 1;
    for (size_t i = 0; m->checks_races && i < (size_t)bytes; i += each) {
        Mark *mark = mark_at(m, &block->shared_marks, MARK_WRITER, (offset + i) / each, count);
        if (mark)
            *mark = (Mark){who, (int32_t)(ins - m->program->code.data)};
        else
            m->race_limited = true;
    }
}

bool race_learns(Machine *m, Warp *w, int lane, Agent who) {
    if (!m->checks_races || is_ordered(w, warp_number(w), lane, who)) return true;
    Known known = {.warp = who.warp, .seen.tick = who.tick};
    Clock *clock = has_partly(w, lane) ? &w->partial : &w->clock;
    return join(&clock->others, &clock->num_others, &known, 1) || sim_fail_memory(m);
}

void race_visit(const Machine *m, Warp *w, const Ins *ins, Cta *block) {
    const Cta *from = w->block;
    Mark *mark = &block->visitors[from->rank * from->num_warps + w->index];
    *mark = (Mark){race_agent(w, SEVERAL_LANES), (int32_t)(ins - m->program->code.data)};
}

bool race_block_knows(const Cta *block, Agent before) {
    for (int i = 0; i < block->num_warps; i++) {
        const Warp *w = &block->warps[i];
        if (knows(w, &w->clock, before) || (w->partly && knows(w, &w->partial, before)))
            return true;
    }
    return false;
}

bool race_cluster_end(Machine *m, Warp *w) {
    const Cta *block = w->block;
    for (int i = 0; m->checks_races && i < block->cluster->size * block->num_warps; i++) {
        const Mark *mark = &block->visitors[i];
        if (!mark->who.warp || race_block_knows(block, mark->who)) continue;
        const Ins *other = &m->program->code.data[mark->ins];
        uint32_t warps = (uint32_t)block->num_warps, number = mark->who.warp - 1;
        sim_fail(m, w, &m->program->code.data[w->pc], NO_LANE,
                 "the block ends, and nothing orders that with the access to its shared memory by "
                 "another block");
        sim_note(m, "\nthe other: block %u of the grid, warp %u, line %d of the PTX",
                 number / warps, number % warps, other->line);
        return sim_fail_kind(m, TERN_FOUND_RACE);
    }
    return true;
}

bool race_join(Machine *m, Clock *into, const Clock *from) {
    return join_clock(m, into, from) || sim_fail_memory(m);
}

/* Of lanes that are not all: what the others did since the warp last met is not released. */
bool race_release(Machine *m, Warp *w, uint32_t lanes, Clock *into) {
    Seen *own = &w->clock.own[w->index], whole = *own;
    bool all = !(w->alive & ~lanes);
    if (!all) {
        Seen theirs = {.lanes = lanes, .lane_tick = own->tick};
        learn(&theirs, &w->met);
        own->tick = theirs.tick, own->lanes = theirs.lanes, own->lane_tick = theirs.lane_tick;
    }
    bool fine = race_join(m, into, &w->clock);
    if (lanes & w->partly) fine = fine && race_join(m, into, &w->partial);
    *own = whole;
    tick(w);
    return fine;
}

bool race_acquire(Machine *m, Warp *w, int lane, const Clock *from, uint64_t phase) {
    if (w->partly && w->partial_of != phase && !fold(m, w)) return sim_fail_memory(m);
    if (!w->partly && !race_join(m, &w->partial, from)) return false;
    w->partly |= 1u << lane, w->partial_of = phase;
    return w->alive & ~w->partly || fold(m, w) || sim_fail_memory(m);
}

void race_copies_come(Clock *into, Warp *w) {
    Seen come = {.copies = w->copy_tick};
    learn(&into->own[w->index], &come);
    if (w->copy_tick < LAST_TICK) w->copy_tick++;
}

static void show(const Warp *w, Clock *clock) {
    for (int i = 0; i < w->block->num_warps; i++) {
        Seen *seen = &clock->own[i];
        bool of_lanes = seen->lanes && seen->lane_tick > seen->tick;
        if (i != w->index) seen->shown = of_lanes ? seen->lane_tick : seen->tick;
        seen->shown_copies = seen->copies;
    }
}

/* What the warp knows of, or lanes of it, is seen by the async proxy from here on. */
void race_proxy_fence(Warp *w) {
    w->clock.own[w->index].fences++;
    show(w, &w->clock);
    if (w->partly) show(w, &w->partial);
}

static bool is_shown(const Clock *clock, ProxyWrite write) {
    const Seen *seen = &clock->own[write.warp];
    if (write.by_copy) return seen->shown_copies >= write.tick;
    return seen->shown >= write.tick || seen->fences > write.fences;
}

bool race_proxy_shows(const Warp *w, ProxyWrite write) {
    return is_shown(&w->clock, write) || (w->partly && is_shown(&w->partial, write));
}

void race_barrier(Machine *m, Cta *block, uint32_t warps, const Clock *passed) {
    Clock all = {0};
    if (passed) race_join(m, &all, passed);
    for (int i = 0; i < block->num_warps; i++) {
        Warp *w = &block->warps[i];
        if (warps >> i & 1 && (!fold(m, w) || !race_join(m, &all, &w->clock))) break;
    }
    for (int i = 0; i < block->num_warps; i++) {
        Warp *w = &block->warps[i];
        if (warps >> i & 1 && (!race_join(m, &w->clock, &all) || !race_warp_sync(m, w))) break;
    }
    free(all.others);
}

void race_block_start(Machine *m, Cta *block) {
    for (int i = 0; i < block->num_warps; i++) {
        Clock *clock = &block->warps[i].clock;
        race_clock_clear(clock);
        race_clock_clear(&block->warps[i].partial);
        clock->own[i].tick = 1;
        block->warps[i].met = (Seen){0}, block->warps[i].partly = 0;
        block->warps[i].copy_tick = 1;
    }
    for (int kind = 0; kind < NUM_MARKS; kind++)
        if (block->shared_marks.by[kind])
            memset(
                block->shared_marks.by[kind], 0,
                sizeof(Mark) *
                    ((size_t)m->program->shared_bytes / (size_t)m->program->smallest_shared + 1));
}

void race_marks_free(Marks *marks) {
    for (int kind = 0; kind < NUM_MARKS; kind++) free(marks->by[kind]);
}

void race_close(Machine *m) {
    for (size_t i = 0; m->shadow && i < m->shadow->capacity; i++) {
        if (m->shadow->pages[i].marks) race_marks_free(m->shadow->pages[i].marks);
        free(m->shadow->pages[i].marks);
    }
    if (m->shadow) free(m->shadow->pages);
    free(m->shadow);
    for (int i = 0; m->sync && i < m->sync->count; i++) free(m->sync->places[i].known);
    if (m->sync) free(m->sync->places);
    free(m->sync);
    m->shadow = NULL, m->sync = NULL;
}
