// SPDX-License-Identifier: Apache-2.0
/* schedule: blocks and warps take turns. Without a seed they run in order, each as far as it can;
 * with one, warps go on for a random while in random order, and several blocks at a time. A block
 * that can only go on if another one writes gives way, so that programs that wait for each other
 * end; when nobody can go on any more, all are told. */
#include "device/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    RED_ZONE = 64,
    STEPS_IN_ORDER = 1 << 14,
    STEPS_AT_RANDOM = 256,
    BLOCKS_AT_RANDOM = 4,
    POISON = 0xcd
};
#define MOST_LIVE_BYTES ((uint64_t)2 << 30)

uint64_t sim_random(Machine *m) { /* splitmix64 */
    uint64_t x = m->random += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---- what went wrong ---- */

/* Of the source, else of the PTX. */
static Span place_of(const Machine *m, const Ins *ins) {
    const Source *source = m->program->kernel ? m->program->kernel->place.source : NULL;
    if (source && ins->file == 1 && ins->source_line > 0 && ins->source_line <= source->num_lines) {
        int start = source->line_starts[ins->source_line - 1] +
                    (ins->source_column > 0 ? ins->source_column - 1 : 0);
        if (start >= 0 && start < source->text.length) return (Span){source, start, start + 1};
    }
    const Source *text = m->program->text;
    if (ins->line < 1 || ins->line > text->num_lines) return (Span){0};
    int start = text->line_starts[ins->line - 1];
    while (start < text->text.length && text->text.data[start] == '\t') start++;
    return (Span){text, start, start + 1};
}

void sim_note(Machine *m, const char *format, ...) {
    size_t used = strlen(m->failure.note);
    va_list args;
    va_start(args, format);
    vsnprintf(m->failure.note + used, sizeof m->failure.note - used, format, args);
    va_end(args);
}

static void note_line(Machine *m, const Ins *ins) {
    Str line = source_line(m->program->text, ins->line);
    while (line.length && (*line.data == '\t' || *line.data == ' ')) line.data++, line.length--;
    sim_note(m, "line %d of the PTX: %.*s", ins->line, line.length > 160 ? 160 : line.length,
             line.data);
}

bool sim_fail(Machine *m, const Warp *w, const Ins *ins, int lane, const char *format, ...) {
    Failure *failure = &m->failure;
    if (failure->status) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
    failure->status = TERN_ERROR_KERNEL;
    failure->kind = TERN_FOUND_STOP;
    failure->span = place_of(m, ins);
    const uint32_t *id = w->block->id;
    sim_note(m, "in block (%u, %u, %u) of a grid of (%u, %u, %u), warp %d", id[0], id[1], id[2],
             m->grid[0], m->grid[1], m->grid[2], w->index);
    if (lane >= 0) sim_note(m, ", lane %d", lane);
    sim_note(m, "; order seed %llu\n", (unsigned long long)m->seed);
    note_line(m, ins);
    return false;
}

bool sim_fail_memory(Machine *m) {
    if (m->failure.status) return false;
    m->failure.status = TERN_ERROR_NO_MEMORY;
    snprintf(m->failure.text, sizeof m->failure.text, "out of host memory");
    return false;
}

void *sim_grown(void *list, int count, int *capacity, size_t each) {
    if (count < *capacity) return list;
    int more = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(list, each * (size_t)more);
    if (grown) *capacity = more;
    return grown;
}

static void note_waiting(Machine *m, const Cta *block) {
    int said = 0;
    for (int i = 0; i < block->num_warps && said < 4; i++) {
        const Warp *w = &block->warps[i];
        if (w->state == WARP_ENDED) continue;
        sim_note(m, "\nblock (%u, %u, %u), warp %d ", block->id[0], block->id[1], block->id[2], i);
        if (w->state == WARP_AT_BARRIER)
            sim_note(m, "waits at barrier %d, ", w->barrier),
                note_line(m, &m->program->code.data[w->pc - 1]);
        else if (w->state == WARP_AT_CLUSTER)
            sim_note(m, "waits for the other blocks of the cluster, "),
                note_line(m, &m->program->code.data[w->pc - 1]);
        else if (w->state == WARP_AT_POOL)
            sim_note(m, "waits for registers, of which %u are free, ", block->pool),
                note_line(m, &m->program->code.data[w->pc]);
        else if (w->waits)
            sim_note_rest(m, w), note_line(m, &m->program->code.data[w->pc]);
        else
            sim_note(m, "turns in a loop that only another's write can end, "),
                note_line(m, &m->program->code.data[w->pc]);
        said++;
    }
    if (block->num_ended) sim_note(m, "\nand %d warps of the block have ended", block->num_ended);
}

static bool deadlock(Machine *m, const Cta *block, const char *why) {
    for (int i = 0; i < block->num_warps; i++) {
        const Warp *w = &block->warps[i];
        if (w->state == WARP_ENDED) continue;
        bool behind = w->state == WARP_AT_BARRIER || w->state == WARP_AT_CLUSTER;
        sim_fail(m, w, &m->program->code.data[behind ? w->pc - 1 : w->pc], NO_LANE, "deadlock: %s",
                 why);
        break;
    }
    int said = 0;
    for (const Cta *other = m->live; other && said < 3; other = other->next, said++)
        note_waiting(m, other);
    if (m->num_begun < m->num_blocks)
        sim_note(m, "\n%llu blocks of the grid have not begun: %s holds %llu at a time",
                 (unsigned long long)(m->num_blocks - m->num_begun), m->gpu->title,
                 (unsigned long long)m->most_live);
    return false;
}

/* ---- blocks ---- */

static void block_free(Cta *block) {
    if (!block) return;
    for (int i = 0; i < block->num_warps; i++) {
        Warp *w = &block->warps[i];
        free(w->places), free(w->predicates), free(w->local), free(w->local_set),
            free(w->clock.others), free(w->partial.others), free(w->copies), free(w->asked_at),
            free(w->products.list), free(w->products.touched), free(w->arrivals);
    }
    for (int i = 0; i < MAX_BARRIERS; i++)
        if (block->barriers[i].passed)
            free(block->barriers[i].passed->others), free(block->barriers[i].passed);
    sim_mbarriers_free(block);
    sim_bulks_free(block);
    free(block->mbarriers), free(block->bulks), free(block->stores), free(block->visitors);
    free(block->sent);
    race_marks_free(&block->shared_marks);
    free(block->shared), free(block->shared_set), free(block->proxy_writes), free(block);
}

static Cta *block_new(Machine *m) {
    const PtxProgram *p = m->program;
    uint64_t words = (uint64_t)sim_warps(p) * (uint64_t)p->num_places * LANES;
    if (words * sizeof(uint32_t) > MOST_LIVE_BYTES) return NULL;
    Cta *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->num_warps = sim_warps(p);
    size_t shared = (size_t)p->shared_bytes, local = (size_t)p->local_bytes * LANES;
    block->shared = aligned_alloc(64, (shared + RED_ZONE + 63) & ~(size_t)63),
    block->shared_set = malloc(shared + 1);
    bool has_proxies = p->has_wgmma || p->has_bulk;
    if (has_proxies) block->proxy_writes = malloc(sizeof *block->proxy_writes * (shared + 1));
    size_t visitors = cluster_size(p) * (size_t)block->num_warps;
    block->visitors = malloc(sizeof *block->visitors * visitors);
    bool fine = block->shared && block->shared_set && block->visitors &&
                (!has_proxies || block->proxy_writes);
    for (int i = 0; i < block->num_warps && fine; i++) {
        Warp *w = &block->warps[i];
        w->places = aligned_alloc(64, (size_t)p->num_places * LANES * sizeof *w->places);
        w->predicates = malloc(sizeof *w->predicates * (size_t)(p->num_predicates + 1));
        w->local = aligned_alloc(64, (local + 64) & ~(size_t)63), w->local_set = malloc(local + 1);
        w->asked_at = malloc(sizeof *w->asked_at * (size_t)p->num_places);
        w->products.touched = malloc((size_t)p->num_places + 1);
        fine = w->places && w->predicates && w->local && w->local_set && w->asked_at &&
               w->products.touched;
    }
    if (fine) return block;
    block_free(block);
    return NULL;
}

static void warp_start(Machine *m, Cta *block, int index) {
    const PtxProgram *p = m->program;
    Warp *w = &block->warps[index];
    memset(w->places, POISON, (size_t)p->num_places * LANES * sizeof *w->places);
    memset(w->predicates, POISON, (size_t)p->num_predicates * sizeof *w->predicates);
    memset(w->local_set, 0, (size_t)p->local_bytes * LANES);
    memset(w->lane_pc, 0, sizeof w->lane_pc);
    w->block = block, w->index = index, w->state = WARP_READY;
    int lanes = sim_threads(p) - index * LANES; /* of the last warp there may be fewer */
    w->alive = w->active = lanes < LANES ? (1u << lanes) - 1 : ALL_LANES;
    w->pc = 0, w->meet = INT32_MAX, w->far_steps = 0, w->turns_back = 0, w->waiting = 0;
    w->idle_version = m->version, w->idle_turns = 0, w->stuck = false;
    w->fenced = false, w->num_copies = w->num_arrivals = 0;
    w->waits = w->rests = false;
    memset(w->groups, 0, sizeof w->groups);
    memset(w->bulk_groups, 0, sizeof w->bulk_groups);
    memset(w->asked_at, 0, sizeof *w->asked_at * (size_t)p->num_places);
    w->asked = w->come = 0;
    w->met_cluster = w->waited_cluster = 0;
    w->products.count = 0, w->products.groups = w->products.begun = 0;
    memset(w->products.touched, 1, (size_t)p->num_places);
}

static void barrier_clear(Barrier *barrier) {
    *barrier = (Barrier){.passed = barrier->passed};
    if (barrier->passed) race_clock_clear(barrier->passed);
}

static bool block_begin(Machine *m, uint64_t linear, Cluster *cluster, int rank) {
    Cta *block = m->free_blocks;
    if (block)
        m->free_blocks = block->next;
    else if (!(block = block_new(m)))
        return sim_fail_memory(m);
    block->linear = linear;
    block->id[0] = (uint32_t)(linear % m->grid[0]);
    block->id[1] = (uint32_t)(linear / m->grid[0] % m->grid[1]);
    block->id[2] = (uint32_t)(linear / m->grid[0] / m->grid[1]);
    block->num_ended = block->num_returned = 0;
    block->cluster = cluster, block->rank = rank, block->has_met = false;
    if (cluster) cluster->blocks[rank] = block, cluster->num_live++;
    memset(block->visitors, 0,
           sizeof *block->visitors * cluster_size(m->program) * (size_t)block->num_warps);
    for (int i = 0; i < MAX_BARRIERS; i++) barrier_clear(&block->barriers[i]);
    sim_mbarriers_free(block);
    sim_bulks_free(block);
    block->num_arrivals = block->num_sent = 0;
    memset(block->shared, POISON, (size_t)m->program->shared_bytes);
    memset(block->shared_set, 0, (size_t)m->program->shared_bytes);
    memset(block->agreed, 0, sizeof block->agreed);
    for (int i = 0; i < block->num_warps; i++) warp_start(m, block, i);
    race_block_start(m, block);
    sim_pool_start(m, block);
    block->next = m->live;
    m->live = block;
    m->num_begun++, m->num_live++;
    return true;
}

/* The next of the grid, side by side; order_step has no divisor in common with their number. */
static bool cluster_begin(Machine *m) {
    uint64_t size = cluster_size(m->program);
    uint64_t which =
        (m->order_start + m->num_begun / size * m->order_step) % (m->num_blocks / size);
    Cluster *cluster = m->program->has_clusters ? cluster_new((int)size) : NULL;
    if (m->program->has_clusters && !cluster) return sim_fail_memory(m);
    for (uint64_t i = 0; i < size; i++)
        if (!block_begin(m, which * size + i, cluster, (int)i)) {
            if (!i) free(cluster);
            return false;
        }
    return true;
}

static void block_end(Machine *m, Cta *block) {
    cluster_leave(block);
    Cta **at = &m->live;
    while (*at != block) at = &(*at)->next;
    *at = block->next;
    block->next = m->free_blocks;
    m->free_blocks = block;
    m->num_live--;
    m->version++; /* others may be let in */
}

/* ---- warps ---- */

/* All that are to come have: on they go. A barrier of all threads does not wait for those that have
 * returned (CUDA programming guide, "Synchronization Functions"). Who went round it to the end of
 * the kernel did not return: then the barrier stands where not all come. */
void sim_open_barrier(Machine *m, Cta *block, int id) {
    Barrier *barrier = &block->barriers[id];
    int wanted = barrier->expected ? barrier->expected : block->num_warps - block->num_returned;
    if (!barrier->came || barrier->came < wanted) return;
    uint32_t warps = barrier->waiting;
    race_barrier(m, block, warps, barrier->passed);
    barrier_clear(barrier);
    for (int i = 0; i < block->num_warps; i++)
        if (warps >> i & 1) block->warps[i].state = WARP_READY;
}

static bool may_run(const Machine *m, Warp *w) {
    if (w->stuck && w->idle_version != m->version) w->stuck = false, w->idle_turns = 0;
    if (w->state == WARP_AT_POOL && sim_pool_has(m, w)) w->state = WARP_READY;
    return w->state == WARP_READY && !w->stuck;
}

static Warp *choose_from(Machine *m, Cta *block, int start, bool resting) {
    for (int i = 0; i < block->num_warps; i++) {
        Warp *w = &block->warps[(start + i) % block->num_warps];
        if (may_run(m, w) && (resting || !sim_may_rest(block, w))) {
            w->rests = false;
            return w;
        }
    }
    return NULL;
}

/* Who waits at an mbarrier looks again when nobody else can go on, and no copy is to come. */
static Warp *choose_warp(Machine *m, Cta *block) {
    int start = m->seed ? (int)(sim_random(m) % (uint64_t)block->num_warps) : 0;
    Warp *w = choose_from(m, block, start, false);
    while (!w && block->num_arrivals) {
        if (!sim_arrivals(m, block, true)) return NULL;
        w = choose_from(m, block, start, false);
    }
    return w ? w : choose_from(m, block, start, true);
}

/* Others may let it go on. */
static bool is_stuck(const Cta *block) {
    for (int i = 0; i < block->num_warps; i++)
        if (block->warps[i].stuck || block->warps[i].state == WARP_AT_CLUSTER) return true;
    return false;
}

/* Runs the block until it ends, nobody in it can go on, or its turn is over. */
static bool block_turn(Machine *m, Cta *block, uint64_t turns) {
    while (turns--) {
        if (!sim_arrivals(m, block, false)) return false;
        Warp *w = choose_warp(m, block);
        if (m->failure.status) return false;
        if (!w) {
            if (is_stuck(block)) return true;
            return deadlock(m, block, "all warps of the block wait for each other");
        }
        uint64_t steps = m->seed ? 1 + sim_random(m) % STEPS_AT_RANDOM : STEPS_IN_ORDER;
        if (!sim_warp(m, w, steps)) return false;
        if (w->state == WARP_AT_BARRIER) sim_open_barrier(m, block, w->barrier);
        for (int i = 0; i < MAX_BARRIERS && w->state == WARP_ENDED; i++)
            sim_open_barrier(m, block, i);
        if (w->state == WARP_ENDED && !sim_pool_end(m, w)) return false;
        if (w->state == WARP_ENDED && !cluster_open(m, block->cluster)) return false;
        if (m->failure.status) return false;
        if (block->num_ended == block->num_warps) {
            if (block->num_bulks)
                return sim_fail(m, block->bulks[0].warp, block->bulks[0].ins, block->bulks[0].lane,
                                "the block ends before its bulk copy has come");
            if (block->num_stores)
                return sim_fail(m, block->stores[0].warp, block->stores[0].ins,
                                block->stores[0].lane,
                                "the block ends before its bulk store was waited for");
            if (!cluster_end(m, w)) return false;
            block_end(m, block);
            return true;
        }
    }
    return true;
}

static bool any_can_go_on(const Machine *m) {
    for (Cta *block = m->live; block; block = block->next) {
        if (block->num_arrivals) return true;
        for (int i = 0; i < block->num_warps; i++)
            if (may_run(m, &block->warps[i])) return true;
    }
    return false;
}

static Cta *choose_block(Machine *m) {
    uint64_t skip = m->seed ? sim_random(m) % m->num_live : 0;
    Cta *block = m->live;
    while (skip--) block = block->next;
    return block;
}

/* ---- a launch ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static void draw_order(Machine *m) {
    m->order_step = 1, m->order_start = 0;
    if (!m->seed) return;
    m->random = m->seed;
    uint64_t clusters = m->num_blocks / cluster_size(m->program);
    m->order_start = sim_random(m) % clusters;
    m->order_step = 1 + sim_random(m) % clusters;
    while (common_divisor(m->order_step, clusters) != 1) m->order_step++;
}

/* How many blocks the GPU holds at a time, as far as registers do not limit it, and this machine's
 * memory. */
static uint64_t blocks_at_a_time(const Machine *m) {
    const PtxProgram *p = m->program;
    const Gpu *gpu = m->gpu;
    uint64_t threads = (uint64_t)p->threads[0] * p->threads[1] * p->threads[2];
    uint64_t each = (uint64_t)gpu->threads_per_sm / threads;
    if (each > (uint64_t)gpu->blocks_per_sm) each = (uint64_t)gpu->blocks_per_sm;
    if (p->shared_bytes && (uint64_t)gpu_blocks_by_shared(gpu, p->shared_bytes) < each)
        each = (uint64_t)gpu_blocks_by_shared(gpu, p->shared_bytes);
    uint64_t most = (each ? each : 1) * (uint64_t)gpu->multiprocessors;
    uint64_t bytes =
        threads / LANES *
            ((uint64_t)p->num_places * (128 + 8) + (uint64_t)p->local_bytes * 2 * LANES) +
        (uint64_t)p->shared_bytes * (2 + NUM_MARKS * sizeof(Mark) / (uint64_t)p->smallest_shared) +
        sizeof(Cta);
    return most * bytes > MOST_LIVE_BYTES ? MOST_LIVE_BYTES / bytes + 1 : most;
}

/* Somebody's turn; with a block more if those there are cannot go on, or spin. */
static bool one_turn(Machine *m, uint64_t *round) {
    bool can = any_can_go_on(m), more = m->num_begun < m->num_blocks;
    uint64_t wanted = m->seed ? BLOCKS_AT_RANDOM : 1;
    bool spins = m->program->synchronizes && *round > m->num_live;
    uint64_t size = cluster_size(m->program);
    bool room = m->num_live + size <= m->most_live;
    if (more && (m->num_live < wanted || ((!can || spins) && room))) {
        *round = 0;
        if (!cluster_begin(m)) return false;
    } else if (!can)
        return deadlock(m, m->live, "nobody can go on");
    Cta *block = choose_block(m);
    uint64_t live = m->num_live;
    if (!block_turn(m, block, m->seed ? 16 : 64)) return false;
    if (m->num_live < live)
        *round = 0;
    else
        ++*round;
    if (!m->seed && m->num_live == live && m->live &&
        m->live->next) { /* in turn: the first goes to the end */
        Cta *first = m->live, *last = first;
        m->live = first->next;
        while (last->next) last = last->next;
        last->next = first;
        first->next = NULL;
    }
    return true;
}

tern_status sim_launch_blocks(Machine *m) {
    uint64_t round = 0;
    if (m->grid[0] % cluster_size(m->program)) {
        snprintf(m->failure.text, sizeof m->failure.text,
                 "a grid of %u blocks along x, which is no multiple of the %u of a cluster",
                 m->grid[0], cluster_size(m->program));
        return m->failure.status = TERN_ERROR_ARGUMENT;
    }
    m->num_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    m->most_live = blocks_at_a_time(m);
    draw_order(m);
    while (m->num_begun < m->num_blocks || m->live)
        if (!one_turn(m, &round)) break;
    sim_flush_output(m);
    race_close(m);
    for (Cta *lists[] = {m->live, m->free_blocks}, **list = lists; list < lists + 2; list++)
        for (Cta *block = *list, *next; block; block = next) {
            next = block->next;
            if (list == lists) cluster_leave(block);
            block_free(block);
        }
    free(m->output);
    return m->failure.status;
}
