// SPDX-License-Identifier: Apache-2.0
/* mbarrier: objects of 8 bytes in shared memory at which threads, and their copies, arrive (PTX ISA
 * 9.7.13.15). One counts what is still to arrive in its phase; at 0 the next phase begins. A wait
 * is for the end of a phase, which is named by its parity or by the state that an arrival gave: it
 * says yes of the phase before, and no of the one that is under way. What arrived released
 * what its lanes had done; who is told yes acquires that of the phase that ended, and no more.
 *
 * The object is not in memory but in a table of its block: who touches its bytes otherwise fails.
 * try_wait may say no where it might say yes, in orders with a seed: it stands in a loop. A warp
 * that is told no lets others go first. Copies that an mbarrier tells of come as late as can be in
 * orders with an even seed (when nobody can go on else), in others at any time. */
#include "device/sim/access.h"

#include <stdlib.h>

enum { MOST_COUNT = (1 << 20) - 1 };

typedef struct Waiter { /* of a thread: the last phase that it was told of, plus 1 */
    uint32_t told;
    int in_a_row; /* so many, each the next one; -1: it left one out */
} Waiter;

struct Mbarrier {
    uint32_t offset, expected, pending, phase;
    bool is_valid;
    Agent made;
    Clock arriving, ended; /* of this phase, of the one before */
    Waiter *waiters;       /* by thread */
    int64_t bytes;         /* that are expected, less those that came in this phase */
    int under_way;         /* bulk copies that are to tell of theirs */
    int told;              /* the block's how-manieth that such tell, plus 1; 0: none did */
    uint32_t told_phases;  /* of it, and of those that were here before */
    bool is_shown;         /* to bulk copies: a fence stands behind its beginning */
    bool is_fenced;        /* .. which tells other blocks of the cluster, too */
    uint32_t teller;       /* its number, see tick_of */
    uint32_t sent[2];      /* from the own block, from others: the last phase in which some came */
};

/* What is sent to a block is no warp's doing: who waits for the phase that it told knows of it, and
 * not of what else its sender did. So an mbarrier is one who does things, in phases: for what comes
 * from its block, and from others, which needs the scope of the cluster. Before the first one it
 * has begun, by a fence. The numbers are behind those of the grid's warps. */
enum { TICK_BEGUN = 1, FIRST_TICK };
static Agent tick_of(const Mbarrier *b, bool is_far, uint32_t tick) {
    return (Agent){.warp = 0x80000000u | (2 * b->teller + is_far), .lane = BY_SEND, .tick = tick};
}

static Mbarrier *find(const Cta *block, uint32_t offset) {
    for (int i = 0; i < block->num_mbarriers; i++)
        if (block->mbarriers[i].offset == offset && block->mbarriers[i].is_valid)
            return &block->mbarriers[i];
    return NULL;
}

void sim_mbarriers_free(Cta *block) {
    for (int i = 0; i < block->num_mbarriers; i++) {
        Mbarrier *b = &block->mbarriers[i];
        free(b->waiters), free(b->arriving.others), free(b->ended.others);
    }
    block->num_mbarriers = block->num_told = 0;
}

static bool is_none(const Access *a, int lane, const Spot *spot) {
    return sim_fail(a->m, a->w, a->ins, lane, "%s where there is no mbarrier: byte %llu", a->what,
                    (unsigned long long)spot->offset);
}

static bool is_begun(const Access *a, int lane, const Mbarrier *b) {
    if (!a->m->checks_races || race_is_after(a->w, lane, b->made)) return true;
    if (race_is_after(a->w, lane, tick_of(b, true, TICK_BEGUN))) return true;
    sim_fail(a->m, a->w, a->ins, lane,
             "race in shared memory: %s is not ordered with the mbarrier's init", a->what);
    return sim_fail_kind(a->m, TERN_FOUND_RACE);
}

static Access access_of(Machine *m, Warp *w, const Ins *ins) {
    static const char *const what[] = {
        [MBARRIER_INIT] = "mbarrier.init",       [MBARRIER_INVAL] = "mbarrier.inval",
        [MBARRIER_ARRIVE] = "mbarrier.arrive",   [MBARRIER_BYTES] = "mbarrier.expect_tx",
        [MBARRIER_WAIT] = "wait at an mbarrier", [MBARRIER_COPIES] = "cp.async.mbarrier.arrive"};
    return (Access){.m = m,
                    .w = w,
                    .ins = ins,
                    .space = SPACE_SHARED,
                    .bytes = 8,
                    .writes = ins->kind != MBARRIER_WAIT,
                    .atomic = ins->kind > MBARRIER_INVAL,
                    .what = what[ins->kind]};
}

/* ---- from its beginning to its end ---- */

static bool init(Access *a, int lane, const Spot *spot, uint32_t count) {
    Cta *block = a->w->block;
    Mbarrier *b = find(block, (uint32_t)spot->offset);
    if (b)
        return sim_fail(a->m, a->w, a->ins, lane,
                        "mbarrier.init where there is one that was not made invalid");
    if (!count || count > MOST_COUNT)
        return sim_fail(a->m, a->w, a->ins, lane, "an mbarrier for %u arrivals; 1 to %d", count,
                        MOST_COUNT);
    if (!access_check_coming(a, lane, spot)) return false;
    for (int i = 0; i < block->num_mbarriers && !b; i++)
        if (!block->mbarriers[i].is_valid) b = &block->mbarriers[i];
    if (!b) {
        Mbarrier *grown = sim_grown(block->mbarriers, block->num_mbarriers,
                                    &block->mbarriers_capacity, sizeof *grown);
        if (!grown) return sim_fail_memory(a->m);
        block->mbarriers = grown;
        Waiter *waiters = malloc(sizeof *waiters * (size_t)(block->num_warps * LANES));
        if (!waiters) return sim_fail_memory(a->m);
        b = &grown[block->num_mbarriers++];
        *b = (Mbarrier){.waiters = waiters};
    }
    b->offset = (uint32_t)spot->offset, b->is_valid = true, b->made = race_agent(a->w, lane);
    b->expected = b->pending = count, b->phase = 0;
    b->bytes = 0, b->under_way = 0, b->is_shown = b->is_fenced = false;
    b->teller = a->m->num_tellers++, b->sent[0] = b->sent[1] = 0;
    race_clock_clear(&b->arriving), race_clock_clear(&b->ended);
    memset(b->waiters, 0, sizeof *b->waiters * (size_t)(block->num_warps * LANES));
    memset(spot->set, BYTE_BARRIER, 8);
    a->m->version++;
    return true;
}

/* All that told it is known, to a lane or to a warp of the block. */
static bool knows_all(const Mbarrier *b, const Warp *w, int lane) {
    for (int far = 0; far < 2; far++) {
        Agent last = tick_of(b, far, b->sent[far]);
        if (b->sent[far] &&
            !(lane == NO_LANE ? race_block_knows(w->block, last) : race_is_after(w, lane, last)))
            return false;
    }
    return true;
}

/* Nobody wrote what is there then. */
static bool inval(Access *a, int lane, const Spot *spot, Mbarrier *b) {
    bool is_told = b->under_way && a->w->block->num_sent;
    if (is_told || (a->m->checks_races && !knows_all(b, a->w, lane)))
        return sim_fail(a->m, a->w, a->ins, lane,
                        "mbarrier.inval that nothing orders with an st.async that tells it");
    b->is_valid = false;
    memset(spot->set, 0, 8);
    a->m->version++;
    return true;
}

/* ---- arrivals ---- */

/* If nothing is to come in this phase, the next one begins. */
static bool go_on(Machine *m, Warp *w, const Ins *ins, int lane, Mbarrier *b) {
    if (b->pending) return true;
    if (b->bytes < 0)
        return sim_fail(m, w, ins, lane,
                        "%lld bytes more than the mbarrier at byte %u expects in this phase",
                        (long long)-b->bytes, b->offset);
    if (b->bytes) return true;
    if (b->under_way)
        return sim_fail(
            m, w, ins, lane,
            "the mbarrier at byte %u goes on to its next phase while %d %s are under way "
            "that tell it: it expects too few bytes",
            b->offset, b->under_way, w->block->num_sent ? "st.async" : "bulk copies");
    Clock ended = b->arriving;
    b->arriving = b->ended, b->ended = ended;
    race_clock_clear(&b->arriving);
    b->pending = b->expected, b->phase++;
    if (b->told) b->told_phases++;
    m->version++;
    return true;
}

static bool count_down(Machine *m, Warp *w, const Ins *ins, int lane, Mbarrier *b, uint32_t count) {
    if (!count || count > b->pending)
        return sim_fail(m, w, ins, lane, "%u arrivals at an mbarrier that waits for %u more", count,
                        b->pending);
    b->pending -= count;
    return go_on(m, w, ins, lane, b);
}

/* PTX ISA 9.7.13.15.2: so many bytes may be expected, or have come, more than the others. */
static bool expect(Machine *m, Warp *w, const Ins *ins, int lane, Mbarrier *b, int64_t bytes) {
    b->bytes += bytes;
    return llabs(b->bytes) <= MOST_COUNT ||
           sim_fail(m, w, ins, lane, "an mbarrier that expects %lld bytes; at most %d",
                    (long long)b->bytes, MOST_COUNT);
}

static uint64_t state_of(const Mbarrier *b) { return (uint64_t)b->offset << 32 | b->phase; }

/* The lanes of one instruction arrive one after another, but release together. */
static bool arrive(Access *a, const uint64_t *addresses, uint32_t lanes) {
    const Ins *ins = a->ins;
    Warp *w = a->w;
    const uint32_t *counts = ins->num_operands > 1 ? source_of(a->m, w, ins->operands[1]) : NULL;
    bool has_bytes = ins->number;
    Clock mine = {0};
    if (!race_release(a->m, w, lanes, &mine)) return false;
    bool fine = true;
    for (uint32_t left = lanes; left && fine; left &= left - 1) {
        int lane = __builtin_ctz(left);
        Mbarrier *b = find(w->block, (uint32_t)(addresses[lane] - SHARED_BASE));
        if (ins->num_results)
            put_wide(w->places + (size_t)ins->results[0] * LANES, lane, state_of(b));
        fine = (!has_bytes || expect(a->m, w, ins, lane, b, counts[lane])) &&
               race_join(a->m, &b->arriving, &mine) &&
               count_down(a->m, w, ins, lane, b, counts && !has_bytes ? counts[lane] : 1);
    }
    free(mine.others);
    return fine;
}

static bool arrive_later(Access *a, int lane, Mbarrier *b) {
    Warp *w = a->w;
    if (!a->ins->number) {
        if (b->pending == MOST_COUNT)
            return sim_fail(a->m, w, a->ins, lane, "an mbarrier that waits for more than %d",
                            MOST_COUNT);
        b->pending++;
    }
    Arrival *grown = sim_grown(w->arrivals, w->num_arrivals, &w->arrivals_capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(a->m);
    w->arrivals = grown;
    w->arrivals[w->num_arrivals++] = (Arrival){
        .offset = b->offset, .lane = (uint8_t)lane, .begun = w->copies_begun, .ins = a->ins};
    w->block->num_arrivals++;
    return true;
}

/* The n-th of those to come: its copies, then it itself. */
static bool let_come(Machine *m, Warp *w, int n) {
    Arrival arrival = w->arrivals[n];
    memmove(&w->arrivals[n], &w->arrivals[n + 1], sizeof arrival * (size_t)(--w->num_arrivals - n));
    w->block->num_arrivals--;
    Mbarrier *b = find(w->block, arrival.offset);
    if (!b)
        return sim_fail(m, w, arrival.ins, arrival.lane,
                        "copies arrive at an mbarrier that was made invalid");
    if (!sim_copy_arrives(m, w, arrival.begun, arrival.lane)) return false;
    race_copies_come(&b->arriving, w);
    return count_down(m, w, arrival.ins, arrival.lane, b, 1);
}

/* One when nobody can go on, or now and then. */
static bool bulks_come(Machine *m, Cta *block, bool all) {
    if (!block->num_bulks || (!all && (m->seed % 2 == 0 || sim_random(m) % 2))) return true;
    int n = m->seed ? (int)(sim_random(m) % (uint64_t)block->num_bulks) : 0;
    return sim_bulk_comes(m, block, n);
}

static bool sends_come(Machine *m, Cta *block, bool all) {
    if (!block->num_sent || (!all && (m->seed % 2 == 0 || sim_random(m) % 2))) return true;
    int n = m->seed ? (int)(sim_random(m) % (uint64_t)block->num_sent) : 0;
    return sim_send_comes(m, block, n);
}

bool sim_arrivals(Machine *m, Cta *block, bool all) {
    if (all && block->num_sent) return sends_come(m, block, true);
    if (!sends_come(m, block, false)) return false;
    if (block->num_arrivals == block->num_bulks + block->num_sent) return bulks_come(m, block, all);
    if (!all && !bulks_come(m, block, false)) return false;
    for (int i = 0; i < block->num_warps && block->num_arrivals; i++) {
        Warp *w = &block->warps[i];
        uint64_t count = (uint64_t)w->num_arrivals;
        if (!all) count = m->seed % 2 ? sim_random(m) % (count + 1) : 0;
        while (count--) {
            /* Those of one lane in their order, lanes in any. */
            int n = m->seed ? (int)(sim_random(m) % (uint64_t)w->num_arrivals) : 0;
            for (int k = 0; k < n; k++)
                if (w->arrivals[k].lane == w->arrivals[n].lane) n = k;
            if (!let_come(m, w, n)) return false;
        }
    }
    return true;
}

/* ---- bulk copies ---- */

void sim_mbarrier_fence(Warp *w, uint32_t lanes, bool of_all) {
    for (int i = 0; i < w->block->num_mbarriers; i++) {
        Mbarrier *b = &w->block->mbarriers[i];
        bool made = b->made.warp == race_agent(w, 0).warp && lanes >> b->made.lane & 1;
        if (made || (of_all && race_is_after(w, __builtin_ctz(lanes), b->made))) b->is_shown = true;
        if (made && !of_all) b->is_fenced = true;
    }
}

bool sim_mbarrier_begins(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address,
                         uint32_t *offset) {
    Access a = {.m = m,
                .w = w,
                .ins = ins,
                .space = SPACE_SHARED,
                .bytes = 8,
                .atomic = true,
                .writes = true,
                .what = "bulk copy that tells an mbarrier"};
    Spot spot;
    if (!access_find(&a, lane, address, &spot) || !access_check_race(&a, lane, &spot, true))
        return false;
    Mbarrier *b = find(w->block, (uint32_t)spot.offset);
    if (!b || !is_begun(&a, lane, b)) return b ? false : is_none(&a, lane, &spot);
    if (m->checks_races && !b->is_shown)
        return sim_fail(m, w, ins, lane,
                        "bulk copy that tells an mbarrier whose init has neither "
                        "fence.mbarrier_init nor fence.proxy.async behind");
    if (!b->told && w->block->num_told + 1 == MOST_TOLD)
        return sim_fail(m, w, ins, lane, "more than %d mbarriers that bulk copies tell",
                        MOST_TOLD - 1);
    if (!b->told) b->told = ++w->block->num_told;
    b->under_way++;
    *offset = b->offset;
    return true;
}

uint32_t sim_mbarrier_phase(const Bulk *bulk) {
    const Mbarrier *b = find(bulk->warp->block, bulk->barrier);
    if (!b || b->told_phases >= MOST_TOLD_PHASES - 1) return 0;
    return (uint32_t)b->told * MOST_TOLD_PHASES + b->told_phases;
}

bool sim_mbarrier_told(Machine *m, const Bulk *bulk) {
    Mbarrier *b = find(bulk->warp->block, bulk->barrier);
    if (!b)
        return sim_fail(m, bulk->warp, bulk->ins, bulk->lane,
                        "a bulk copy tells an mbarrier that was made invalid");
    b->under_way--;
    race_copies_come(&b->arriving, bulk->warp);
    if (b->arriving.told[b->told] <= b->told_phases) b->arriving.told[b->told] = b->told_phases + 1;
    return expect(m, bulk->warp, bulk->ins, bulk->lane, b, -(int64_t)bulk->bytes) &&
           go_on(m, bulk->warp, bulk->ins, bulk->lane, b);
}

/* ---- what blocks send ---- */

bool sim_mbarriers_meet(Machine *m, Warp *w, uint64_t phase) {
    for (int i = 0; i < w->block->num_mbarriers; i++) {
        const Mbarrier *b = &w->block->mbarriers[i];
        if (b->is_valid && b->is_fenced && b->made.warp == race_agent(w, 0).warp &&
            !race_cluster_tells(m, w, phase, tick_of(b, true, TICK_BEGUN)))
            return false;
    }
    return true;
}

bool sim_mbarrier_sends(Machine *m, Warp *w, const Ins *ins, int lane, const Cta *to,
                        uint32_t offset) {
    const Access a = {.m = m, .w = w, .ins = ins, .what = "st.async that tells an mbarrier"};
    const Spot spot = {.offset = offset};
    Mbarrier *b = find(to, offset);
    if (!b || !is_begun(&a, lane, b)) return b ? false : is_none(&a, lane, &spot);
    b->under_way++;
    return true;
}

bool sim_mbarrier_sent(Machine *m, Cta *block, const Sent *sent) {
    Mbarrier *b = find(block, sent->barrier);
    Warp *w = &block->warps[0];
    if (!b) BUG("an mbarrier that is told was made invalid");
    b->under_way--;
    b->sent[sent->is_far] = FIRST_TICK + b->phase;
    race_sent(m, block, sent->ins, sent->to, sent->bytes,
              tick_of(b, sent->is_far, FIRST_TICK + b->phase));
    return expect(m, w, sent->ins, NO_LANE, b, -(int64_t)sent->bytes) &&
           go_on(m, w, sent->ins, NO_LANE, b);
}

bool sim_mbarriers_end(Machine *m, Warp *w) {
    for (int i = 0; i < w->block->num_mbarriers && m->checks_races; i++) {
        const Mbarrier *b = &w->block->mbarriers[i];
        if (!b->is_valid || knows_all(b, w, NO_LANE)) continue;
        sim_fail(m, w, &m->program->code.data[w->pc], NO_LANE,
                 "the block ends, and nothing orders that with an st.async that told its mbarrier "
                 "at byte %u",
                 b->offset);
        return sim_fail_kind(m, TERN_FOUND_RACE);
    }
    return true;
}

/* A wait was told that the phase before this one has ended. */
static bool learn_sent(Machine *m, Warp *w, int lane, const Mbarrier *b, bool of_cluster) {
    for (int far = 0; far < 1 + of_cluster; far++)
        if (b->sent[far] && !race_learns(m, w, lane, tick_of(b, far, FIRST_TICK + b->phase - 1)))
            return false;
    return true;
}

/* ---- waits ---- */

/* Who has waited for some phases, each after the one before it, goes on to the next: if that and
 * one more have ended, its parity is taken for that of a later one. */
static bool is_late(const Mbarrier *b, const Waiter *waiter, uint32_t parity) {
    return waiter->in_a_row > 1 && (waiter->told & 1) == parity && b->phase > waiter->told + 1;
}

static bool wait_lane(Access *a, int lane, Mbarrier *b, bool *yes) {
    const Ins *ins = a->ins;
    Warp *w = a->w;
    Waiter *waiter = &b->waiters[w->index * LANES + lane];
    uint32_t wanted = source_of(a->m, w, ins->operands[1])[lane]; /* a parity, or a phase */
    if (!ins->number) {
        uint64_t state = get_wide(source_of(a->m, w, ins->operands[1]), lane);
        wanted = (uint32_t)state;
        if (state >> 32 != b->offset || wanted > b->phase)
            return sim_fail(a->m, w, ins, lane,
                            "waits for a state that is not one of this mbarrier's");
        if (wanted + 1 < b->phase)
            return sim_fail(a->m, w, ins, lane,
                            "waits for phase %u of an mbarrier that is in phase %u", wanted,
                            b->phase);
        *yes = wanted != b->phase;
    } else {
        if (wanted > 1)
            return sim_fail(a->m, w, ins, lane, "waits for parity %u of an mbarrier", wanted);
        if (is_late(b, waiter, wanted))
            return sim_fail(a->m, w, ins, lane,
                            "waits for phase %u of an mbarrier that is in phase %u: its parity is "
                            "that of a later one",
                            waiter->told, b->phase);
        *yes = (b->phase & 1) != wanted;
    }
    if (!*yes) return true;
    if (ins->count && a->m->seed && sim_random(a->m) % 4 == 0) {
        *yes = false;
        return true;
    }
    if (b->phase == waiter->told + 1 && waiter->in_a_row >= 0)
        waiter->in_a_row++;
    else if (b->phase != waiter->told)
        waiter->in_a_row = -1;
    waiter->told = b->phase;
    return race_acquire(a->m, w, lane, &b->ended, (uint64_t)b->offset << 32 | b->phase) &&
           learn_sent(a->m, w, lane, b, ins->acquires);
}

static bool wait(Access *a, const uint64_t *addresses, uint32_t lanes) {
    Warp *w = a->w;
    uint32_t *done = &w->predicates[a->ins->results[0]];
    w->waits = false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        Mbarrier *b = find(w->block, (uint32_t)(addresses[lane] - SHARED_BASE));
        bool yes = false;
        if (!wait_lane(a, lane, b, &yes)) return false;
        *done = (*done & ~(1u << lane)) | (uint32_t)yes << lane;
        w->waits = w->waits || !yes;
        if (yes) continue;
        w->rests = true, w->rest_offset = b->offset, w->rest_phase = b->phase;
    }
    return true;
}

bool sim_may_rest(const Cta *block, Warp *w) {
    const Mbarrier *b = w->rests ? find(block, w->rest_offset) : NULL;
    bool is_same = b && b->phase == w->rest_phase;
    w->rests = w->rests && is_same;
    return is_same;
}

void sim_note_rest(Machine *m, const Warp *w) {
    const Mbarrier *b = find(w->block, w->rest_offset);
    if (b)
        sim_note(m, "waits for phase %u of the mbarrier at byte %u, where %u of %u have not come, ",
                 b->phase, b->offset, b->pending, b->expected);
    if (b && b->bytes) sim_note(m, "and %lld bytes, ", (long long)b->bytes);
}

/* ---- */

static bool one(Access *a, int lane, const Spot *spot) {
    const Ins *ins = a->ins;
    Mbarrier *b = find(a->w->block, (uint32_t)spot->offset);
    if (!access_check_race(a, lane, spot, a->writes)) return false;
    if (ins->kind == MBARRIER_INIT) {
        a->atomic = true; /* towards what comes: see is_begun */
        bool fine = init(a, lane, spot, source_of(a->m, a->w, ins->operands[1])[lane]) &&
                    access_check_race(a, lane, spot, true);
        a->atomic = false;
        return fine;
    }
    if (!b || !is_begun(a, lane, b)) return b ? false : is_none(a, lane, spot);
    if (ins->kind == MBARRIER_INVAL) return inval(a, lane, spot, b);
    if (ins->kind == MBARRIER_BYTES)
        return expect(a->m, a->w, ins, lane, b, source_of(a->m, a->w, ins->operands[1])[lane]);
    return ins->kind != MBARRIER_COPIES || arrive_later(a, lane, b);
}

bool sim_mbarrier(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    Access a = access_of(m, w, ins);
    uint64_t addresses[LANES];
    access_addresses(m, w, ins->operands[0], ins->wide_address, ins->offset, addresses);
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        Spot spot;
        if (!access_find(&a, lane, addresses[lane], &spot) || !one(&a, lane, &spot)) return false;
    }
    if (ins->kind == MBARRIER_ARRIVE) return arrive(&a, addresses, lanes);
    return ins->kind != MBARRIER_WAIT || wait(&a, addresses, lanes);
}
