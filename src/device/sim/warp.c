// SPDX-License-Identifier: Apache-2.0
/* warp: executes one warp. Lanes that are together have one program counter; after a branch that
 * splits them each keeps its own, and those that are furthest behind go on until they reach the
 * others. Code whose loops and ifs are nested joins again at the end of each. Lanes that turn in a
 * loop for long give the others a while, so that one lane may wait for another. */
#include "device/sim/sim.h"

#include <stdlib.h>

enum { TURNS_BEFORE_FAIRNESS = 1024, FAIR_STEPS = 1024, LOOK_AT_CLOCK = 4095, IDLE_WINDOW = 64 };

static int count_bits(uint32_t x) { return __builtin_popcount(x); }

/* The active lanes' pc goes to each of them. */
static void spread(Warp *w) {
    for (uint32_t left = w->active; left; left &= left - 1) w->lane_pc[__builtin_ctz(left)] = w->pc;
}

/* Chooses who is active, from lane_pc. */
static void pick(Warp *w) {
    int32_t least = INT32_MAX, most = -1;
    w->all_waited = w->waiting && !(w->alive & ~w->waiting);
    if (w->all_waited) w->waiting = 0;
    uint32_t goes = w->alive & ~w->waiting;
    for (uint32_t left = goes; left; left &= left - 1) {
        int32_t pc = w->lane_pc[__builtin_ctz(left)];
        if (pc < least) least = pc;
        if (pc > most) most = pc;
    }
    if (least == most) w->far_steps = 0;
    w->pc = w->far_steps ? most : least;
    w->active = 0, w->meet = INT32_MAX;
    for (uint32_t left = goes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        int32_t pc = w->lane_pc[lane];
        if (pc == w->pc)
            w->active |= 1u << lane;
        else if (pc > w->pc && pc < w->meet)
            w->meet = pc;
    }
}

/* All lanes that the masks of these name. */
static uint32_t named(const uint32_t *masks, uint32_t lanes) {
    uint32_t all = 0;
    for (; lanes; lanes &= lanes - 1) all |= masks[__builtin_ctz(lanes)];
    return all;
}

/* Texts of NVIDIA's compiler have code that joins others further up, and branches to one last
 * `ret`: lanes that have come to what all must do wait until the rest have ended or wait, too.
 * In our own texts who is not there has passed by. */
static bool wait_for_others(const Machine *m, Warp *w, uint32_t missing) {
    bool is_own = !m->program->kernel || m->program->kernel->ir;
    if (is_own || w->all_waited || !(missing & ~w->active)) return false;
    spread(w);
    w->waiting |= w->active;
    pick(w);
    return true;
}

/* Nobody else may be needed where some lanes are elsewhere; false: others must come first, or a
 * failure. */
static bool together(Machine *m, Warp *w, const Ins *ins, uint32_t wanted, uint32_t lanes) {
    wanted &= w->alive;
    if ((wanted & ~lanes) == 0) {
        w->all_waited = false;
        return true;
    }
    if (w->far_steps) {
        spread(w);
        w->far_steps = 0;
        pick(w);
        return false;
    }
    uint32_t missing = wanted & ~lanes;
    if (wait_for_others(m, w, missing)) return false;
    int lane = __builtin_ctz(missing);
    bool off = w->active >> lane & 1;
    int32_t there = off ? w->pc : w->lane_pc[lane];
    sim_fail(m, w, ins, NO_LANE,
             "divergent code: %d of the lanes that must take part do not: lane %d is %s line %d of "
             "the PTX",
             count_bits(missing), lane, off ? "switched off by a predicate at" : "at",
             m->program->code.data[there].line);
    return false;
}

/* ---- a loop in which nothing changes ---- */

static uint64_t state_hash(const Machine *m, const Warp *w) {
    uint64_t hash = hash_bytes(
        w->places, (size_t)m->program->num_places * LANES * sizeof *w->places, (uint64_t)w->pc);
    hash =
        hash_bytes(w->predicates, (size_t)m->program->num_predicates * sizeof *w->predicates, hash);
    return hash_bytes(w->lane_pc, sizeof w->lane_pc, hash ^ w->active);
}

/* At a branch backwards. Memory has not changed since idle_version: if the warp comes back to a
 * state it was in, it will for ever. Looked for now and then, for loops of up to IDLE_WINDOW turns.
 */
static void notice_turn(const Machine *m, Warp *w) {
    if (w->idle_version != m->version) {
        w->idle_version = m->version;
        w->idle_turns = 0;
    }
    uint64_t turns = ++w->idle_turns;
    if (turns < m->first_turns) return;
    uint64_t power = 1ull << (63 - __builtin_clzll(turns));
    if (turns - power > IDLE_WINDOW) return;
    uint64_t hash = state_hash(m, w);
    if (turns == power)
        w->saved_hash = hash;
    else if (hash == w->saved_hash)
        w->stuck = true;
}

/* ---- control ---- */

static void branch(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    int32_t target = (int32_t)ins->offset;
    if (!lanes) {
        w->pc++;
        return;
    }
    bool back = target <= w->pc;
    uint32_t others = w->active & ~lanes;
    if (!others)
        w->pc = target;
    else {
        m->counts[ins - m->program->code.data].divergent++;
        spread(w);
        for (uint32_t left = lanes; left; left &= left - 1)
            w->lane_pc[__builtin_ctz(left)] = target;
        for (uint32_t left = others; left; left &= left - 1) w->lane_pc[__builtin_ctz(left)]++;
        pick(w);
    }
    if (!back) return;
    notice_turn(m, w);
    if (w->meet == INT32_MAX || w->far_steps || ++w->turns_back % TURNS_BEFORE_FAIRNESS) return;
    spread(w);
    w->far_steps = FAIR_STEPS;
    pick(w);
}

static void leave(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    spread(w);
    for (uint32_t left = w->active & ~lanes; left; left &= left - 1)
        w->lane_pc[__builtin_ctz(left)]++;
    w->alive &= ~lanes;
    if (!w->alive) {
        w->state = WARP_ENDED;
        w->block->num_ended++;
        w->block->num_returned += m->program->joins_returns || ins[1].op != SIM_END;
        return;
    }
    pick(w);
}

/* bar.arrive: what it did is released to those who wait there. */
static bool pass_barrier(Machine *m, Warp *w, Barrier *barrier) {
    if (!barrier->passed) barrier->passed = calloc(1, sizeof *barrier->passed);
    if (!barrier->passed) return sim_fail_memory(m);
    if (!race_release(m, w, ALL_LANES, barrier->passed) || !race_warp_sync(m, w)) return false;
    sim_open_barrier(m, w->block, w->barrier);
    return !m->failure.status;
}

/* Its number; -1 after failing. */
static int barrier_of(Machine *m, Warp *w, const Ins *ins) {
    if (!ins->num_operands) return (int)ins->offset;
    const uint32_t *numbers = source_of(m, w, ins->operands[0]);
    uint32_t number = numbers[__builtin_ctz(w->alive)];
    for (uint32_t left = w->alive; left; left &= left - 1)
        if (numbers[__builtin_ctz(left)] != number)
            return sim_fail(m, w, ins, __builtin_ctz(left), "lanes of a warp at two barriers"), -1;
    if (number < MAX_BARRIERS) return (int)number;
    return sim_fail(m, w, ins, NO_LANE, "barrier %u: a block has barriers 0 to 15", number), -1;
}

/* The warp waits then, or goes on. */
static bool arrive(Machine *m, Warp *w, const Ins *ins) {
    int number = barrier_of(m, w, ins);
    if (number < 0) return false;
    Barrier *barrier = &w->block->barriers[number];
    if (ins->count > w->block->num_warps)
        return sim_fail(m, w, ins, NO_LANE, "a barrier for %d threads in a block of %d",
                        ins->count * LANES, w->block->num_warps * LANES);
    int all = w->block->num_warps; /* where no number stands */
    int wanted = ins->count ? ins->count : all,
        others = barrier->expected ? barrier->expected : all;
    if (barrier->came && wanted != others)
        return sim_fail(m, w, ins, NO_LANE,
                        "barrier %d is waited for by others with another number of threads",
                        number);
    barrier->expected = ins->count;
    barrier->came++;
    w->barrier = number;
    w->pc++;
    if (ins->kind) return pass_barrier(m, w, barrier);
    barrier->waiting |= 1u << w->index;
    w->state = WARP_AT_BARRIER;
    return true;
}

static bool control(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    switch ((SimOp)ins->op) {
    case SIM_BRANCH: branch(m, w, ins, lanes); return true;
    case SIM_RETURN:
        if (lanes)
            leave(m, w, ins, lanes);
        else
            w->pc++;
        return true;
    case SIM_TRAP:
        if (lanes) return sim_trap(m, w, ins, lanes);
        w->pc++;
        return true;
    case SIM_BARRIER:
    case SIM_REGISTERS:
        if (!lanes)
            w->pc++;
        else if (together(m, w, ins, ALL_LANES, lanes))
            return ins->op == SIM_BARRIER ? arrive(m, w, ins) : sim_registers(m, w, ins);
        else
            return !m->failure.status;
        return true;
    case SIM_WARP_SYNC:
        if (lanes) {
            uint32_t wanted = named(source_of(m, w, ins->operands[0]), lanes);
            if (!together(m, w, ins, wanted, lanes)) return !m->failure.status;
            if (!race_warp_sync(m, w)) return false;
        }
        w->pc++;
        return true;
    case SIM_CLUSTER:
        if (!lanes)
            w->pc++;
        else if (together(m, w, ins, ALL_LANES, lanes))
            return cluster_control(m, w, ins);
        else
            return !m->failure.status;
        return true;
    case SIM_END: return sim_fail(m, w, ins, NO_LANE, "control runs off the end of the kernel");
    case SIM_OTHERS:
    case SIM_COPIES:
    case SIM_ACROSS: break;
    }
    BUG("op %d is no control", ins->op);
}

/* Lanes that have the same mask do it together: parts of a warp may each do it by themselves. */
static bool by_masks(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const uint32_t *masks = source_of(m, w, ins->operands[ins->num_operands - 1]);
    if (!together(m, w, ins, named(masks, lanes), lanes)) return !m->failure.status;
    for (uint32_t left = lanes; left;) {
        uint32_t mask = masks[__builtin_ctz(left)], part = 0;
        for (uint32_t more = left; more; more &= more - 1)
            if (masks[__builtin_ctz(more)] == mask) part |= more & -more;
        if (part & ~mask)
            return sim_fail(m, w, ins, __builtin_ctz(part & ~mask),
                            "executed by a lane that its mask 0x%08x leaves out", mask);
        if (!sim_across(m, w, ins, part)) return false;
        left &= ~part;
    }
    w->pc++;
    return true;
}

/* Shuffles and the like: all lanes that their mask names must be here. */
static bool across(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    bool takes_all = ins->op >= SIM_LDMATRIX;
    if (lanes && !takes_all && ins->op != SIM_ACTIVE) return by_masks(m, w, ins, lanes);
    if (lanes && takes_all && !together(m, w, ins, ALL_LANES, lanes)) return !m->failure.status;
    if (lanes && !sim_across(m, w, ins, lanes)) return false;
    w->pc++;
    return true;
}

static uint64_t special_value(const Machine *m, const Warp *w, int kind, int lane) {
    const uint32_t *n = m->program->threads;
    uint32_t thread = (uint32_t)(w->index * LANES + lane);
    switch ((SimSpecial)kind) {
    case SPECIAL_TID_X: return thread % n[0];
    case SPECIAL_TID_Y: return thread / n[0] % n[1];
    case SPECIAL_TID_Z: return thread / n[0] / n[1];
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z: return n[kind - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z: return w->block->id[kind - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z: return m->grid[kind - SPECIAL_NCTAID_X];
    case SPECIAL_LANE: return (uint32_t)lane;
    case SPECIAL_WARP: return (uint32_t)w->index;
    case SPECIAL_SM: return w->block->linear % (uint64_t)m->gpu->multiprocessors;
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64: return m->instructions;
    case SPECIAL_TIMER: return (uint64_t)clock_ns();
    case SPECIAL_TIMER_LOW: return (uint32_t)clock_ns();
    case SPECIAL_TIMER_HIGH: return (uint64_t)clock_ns() >> 32;
    case SPECIAL_CLUSTER_RANK: return (uint32_t)w->block->rank;
    case SPECIAL_CLUSTER_SIZE: return cluster_size(m->program);
    case SPECIAL_CLUSTER_ID: return w->block->id[0] / cluster_size(m->program);
    case SPECIAL_NUM_CLUSTERS: return m->grid[0] / cluster_size(m->program);
    case NUM_SPECIALS: break;
    }
    return 0;
}

static void read_special(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    uint32_t *to = w->places + (size_t)ins->results[0] * LANES;
    bool wide = ins->kind == SPECIAL_CLOCK64 || ins->kind == SPECIAL_TIMER;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t value = special_value(m, w, ins->kind, lane);
        if (wide)
            put_wide(to, lane, value);
        else
            to[lane] = (uint32_t)value;
    }
}

static void read_param(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const char *from = (const char *)m->args[ins->offset] + ins->from_offset;
    for (int i = 0; i < ins->num_results; i++, from += ins->bytes) {
        uint32_t *to = w->places + (size_t)ins->results[i] * LANES;
        uint64_t value = 0;
        memcpy(&value, from, ins->bytes);
        if (ins->sign_extends) value = (uint64_t)(ins->bytes == 1 ? (int8_t)value : (int16_t)value);
        for (uint32_t left = lanes; left; left &= left - 1) {
            if (ins->bytes == 8)
                put_wide(to, __builtin_ctz(left), value);
            else
                to[__builtin_ctz(left)] = (uint32_t)value;
        }
    }
}

static void unpack(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const uint32_t *from = source_of(m, w, ins->operands[0]);
    uint32_t *low = w->places + (size_t)ins->results[0] * LANES,
             *high = w->places + (size_t)ins->results[1] * LANES;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t value = ins->op == SIM_UNPACK32 ? get_wide(from, lane) : from[lane];
        low[lane] = (uint32_t)(ins->op == SIM_UNPACK32 ? value : value & 0xffff);
        high[lane] = (uint32_t)(ins->op == SIM_UNPACK32 ? value >> 32 : value >> 16);
    }
}

static void move_bytes(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t packed = 0;
        for (int i = 0; i < 4 && ins->op == SIM_PACK8; i++)
            packed |= (source_of(m, w, ins->operands[i])[lane] & 255) << (8 * i);
        if (ins->op == SIM_UNPACK8) packed = source_of(m, w, ins->operands[0])[lane];
        for (int i = 0; i < ins->num_results; i++)
            w->places[(size_t)ins->results[i] * LANES + (size_t)lane] =
                ins->op == SIM_PACK8 ? packed : packed >> (8 * i) & 255;
    }
}

/* What neither branches nor waits. */
static bool straight(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    w->pc++;
    if (!lanes) return true;
    if (ins_row(ins)) {
        sim_lanes(m, w, ins, lanes);
        return true;
    }
    switch ((SimOp)ins->op) {
    case SIM_SPECIAL: read_special(m, w, ins, lanes); return true;
    case SIM_LOAD_PARAM: read_param(m, w, ins, lanes); return true;
    case SIM_PACK8:
    case SIM_UNPACK8: move_bytes(m, w, ins, lanes); return true;
    case SIM_UNPACK16:
    case SIM_UNPACK32: unpack(m, w, ins, lanes); return true;
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC: return sim_memory(m, w, ins, lanes);
    case SIM_COPIES: return sim_copies(m, w, ins, lanes);
    case SIM_FENCE: w->fenced = true; return true;
    case SIM_CLUSTER_ADDRESS: return cluster_address(m, w, ins, lanes);
    case SIM_PRINT: return sim_print(m, w, ins, lanes);
    case SIM_ASSERT: return sim_assert(m, w, ins, lanes);
    case SIM_ACROSS:
    case SIM_CONTROL: break;
    }
    BUG("op %d is not straight", ins->op);
}

static bool over_budget(Machine *m, Warp *w, const Ins *ins) {
    if (m->lane_instructions > m->budget)
        sim_fail(m, w, ins, NO_LANE,
                 "the launch executed more than %llu instructions (one for each lane)",
                 (unsigned long long)m->budget);
    else if (m->deadline_ns && (m->instructions & LOOK_AT_CLOCK) == 0 &&
             clock_ns() > m->deadline_ns)
        sim_fail(m, w, ins, NO_LANE, "the launch takes longer than its time limit");
    else if (m->device->stop)
        sim_fail(m, w, ins, NO_LANE, "the launch was interrupted");
    else
        return false;
    return !sim_fail_kind(m, TERN_NOT_CHECKED);
}

bool sim_warp(Machine *m, Warp *w, uint64_t steps) {
    const Ins *code = m->program->code.data;
    while (steps--) {
        if (w->pc >= w->meet || (w->far_steps && --w->far_steps == 0)) {
            spread(w);
            pick(w);
        }
        const Ins *ins = &code[w->pc];
        uint32_t lanes = w->active;
        if (ins->guard != NO_OPERAND)
            lanes &= w->predicates[ins->guard] ^ (ins->negated ? ALL_LANES : 0);
        Count *count = &m->counts[w->pc];
        int on = count_bits(lanes);
        count->issued++, count->lanes += (uint64_t)on;
        m->instructions++, m->lane_instructions += (uint64_t)on;
        if ((m->instructions & LOOK_AT_CLOCK) == 0 && over_budget(m, w, ins)) return false;
        if (ins->uses_loaded && lanes) flight_use(w, ins);
        if (w->products.count && lanes && !sim_products_allow(m, w, ins)) return false;
        bool fine = ins->op >= SIM_BRANCH ? control(m, w, ins, lanes)
                    : ins->op >= SIM_SHUFFLE && ins->op <= SIM_WGMMA_WAIT
                        ? across(m, w, ins, lanes)
                        : straight(m, w, ins, lanes);
        if (fine != !m->failure.status) BUG("op %d hides how it went", ins->op);
        if (!fine) return false;
        if (m->program->has_wgmma && lanes) sim_products_note(w, ins);
        if (w->state != WARP_READY || w->stuck || w->rests) return true;
    }
    return true;
}
