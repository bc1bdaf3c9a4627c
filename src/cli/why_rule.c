// SPDX-License-Identifier: Apache-2.0
#include "cli/why_rule.h"

#include <math.h>

/* Shares from which a cause is taken: a resource that is this busy cannot be much faster (high), or
 * is what Nsight Compute calls a bottleneck (fair); idle time that weighs (tail); a launch that
 * takes half of the time by itself. */
static const double share_high = 0.75, share_fair = 0.6, share_tail = 0.15, share_launch = 0.5;
/* Without a measured time: so much of the machine idle at the end is named first. */
static const double share_tail_static = 0.3;
/* What wastes this many times what would do is named where it is the busiest, and takes this much.
 */
static const double waste_cause = 2, share_cause = 0.3;
/* Where nothing is busy: a spill or two hides behind other work, this many bytes a thread do not;
 * and so few threads hide no latency. */
static const double spilled_cause = 128, occupancy_cause = 0.25;
/* Less work than this is less than what any launch on a GPU takes. */
static const double least_work_s = 1e-6;

static const struct {
    char letter;
    const char *legend;
} froms[] = {
    [WHY_UNKNOWN] = {'?', "not known"},
    [WHY_MEASURED] = {'m', "measured here"},
    [WHY_COUNTED] = {'c', "counted by the compiler"},
    [WHY_AT_MOST] = {'b', "counted by the compiler, an upper bound"},
    [WHY_DECLARED] = {'d', "declared by the user"},
    [WHY_EXECUTED] = {'x', "counted by sim, as it executed the PTX"},
    [WHY_ASSEMBLED] = {'a', "said by ptxas"},
    [WHY_HARDWARE] = {'h', "counted by the hardware"},
    [WHY_PUBLISHED] = {'p', "published by the maker"},
};

char why_letter(WhyFrom from) { return froms[from].letter; }

const char *why_legend(char letter) {
    for (int i = 0; i < COUNT(froms); i++)
        if (froms[i].letter == letter) return froms[i].legend;
    return NULL;
}

const char *why_name(WhyKind kind) {
    static const char *const names[] = {[WHY_MEMORY] = "MEMORY",
                                        [WHY_ARITHMETIC] = "ARITHMETIC",
                                        [WHY_TENSOR] = "TENSOR CORES",
                                        [WHY_SHARED] = "SHARED MEMORY",
                                        [WHY_ACCESSES] = "UNCOALESCED ACCESSES",
                                        [WHY_TAIL] = "TAIL",
                                        [WHY_LAUNCH] = "LAUNCH",
                                        [WHY_CONFLICTS] = "BANK CONFLICTS",
                                        [WHY_SPILLS] = "SPILLS",
                                        [WHY_BY_REGISTERS] = "OCCUPANCY (registers)",
                                        [WHY_BY_SHARED_SIZE] = "OCCUPANCY (shared memory)",
                                        [WHY_LATENCY] = "LATENCY",
                                        [WHY_NO_BOUND] = "NOTHING KNOWN"};
    return names[kind];
}

double why_least(const WhyResource *resource) {
    return resource->ceiling > 0 ? resource->amount / resource->ceiling : 0;
}

/* Blocks come in waves, and the last is spread over the multiprocessors: those without a block are
 * idle. Where blocks wait for latency, each wave takes the same time, and one more block on a
 * multiprocessor none; where one fills a multiprocessor, that with the most of them ends last. */
WhyTail why_tail(double blocks, double units, double fit) {
    if (!(blocks > 0) || !(units > 0) || !(fit > 0)) return (WhyTail){0};
    double waves = ceil(blocks / (units * fit)), last = blocks - (waves - 1) * units * fit;
    double beside = (1 - fmin(last / units, 1)) / waves;
    double in_turn = 1 - blocks / units / ceil(blocks / units);
    return (WhyTail){fmin(beside, in_turn), fmax(beside, in_turn)};
}

/* What the device counted is idle for whatever reason: the tail is no more than either. */
static void take_tail(const WhyFacts *facts, WhyVerdict *verdict) {
    double idle = fmax(1 - facts->active, 0);
    verdict->tail = facts->tail;
    if (!(facts->active > 0)) return;
    verdict->is_tail_counted = idle < facts->tail.most;
    verdict->tail.least = verdict->tail.most = fmin(idle, facts->tail.most);
}

typedef struct Two { /* the resources with the largest shares */
    WhyKind first, second;
} Two;

static Two largest(const WhyVerdict *verdict) {
    Two two = {WHY_NO_BOUND, WHY_NO_BOUND};
    double first = 0, second = 0;
    for (int i = 0; i < WHY_NUM_RESOURCES; i++) {
        double share = verdict->shares[i];
        if (share > first)
            second = first, two.second = two.first, first = share, two.first = (WhyKind)i;
        else if (share > second)
            second = share, two.second = (WhyKind)i;
    }
    return two;
}

static double share_of(const WhyVerdict *verdict, WhyKind kind) {
    return kind < WHY_NUM_RESOURCES ? verdict->shares[kind] : 0;
}

/* Down to what is next in the way. */
static double gain_to(double share) { return share > 0 && share < 1 ? 1 / share : 1; }

/* Why nothing is busy. */
static WhyKind cause_of(const WhyFacts *facts, const WhyVerdict *verdict, Two two) {
    bool is_wide = share_of(verdict, two.first) >= share_cause;
    if (two.first == WHY_ACCESSES && is_wide) return WHY_ACCESSES;
    if (two.first == WHY_SHARED && is_wide && facts->conflicts >= waste_cause) return WHY_SHARED;
    if (facts->spilled_bytes >= spilled_cause) return WHY_SPILLS;
    if (facts->occupancy > 0 && facts->occupancy <= occupancy_cause && facts->by_registers)
        return WHY_BY_REGISTERS;
    if (facts->occupancy > 0 && facts->occupancy <= occupancy_cause && facts->by_shared)
        return WHY_BY_SHARED_SIZE;
    return two.first == WHY_NO_BOUND ? WHY_NO_BOUND : WHY_LATENCY;
}

static void judge_measured(const WhyFacts *facts, WhyVerdict *verdict, Two two) {
    double most = share_of(verdict, two.first), next = share_of(verdict, two.second);
    double launch = facts->floor_s / facts->seconds, tail = verdict->tail.least;
    bool is_tail = !facts->is_small && tail >= share_tail && tail > 1 - most - tail;
    if (launch >= share_launch) {
        verdict->bound = WHY_LAUNCH;
        verdict->gain = gain_to(fmax(most, 1 - launch));
    } else if (most >= share_high || (most >= share_fair && !is_tail)) {
        verdict->bound = two.first;
        verdict->gain = gain_to(fmax(next, launch));
    } else if (is_tail) {
        verdict->bound = WHY_TAIL;
        verdict->gain = gain_to(fmax(1 - verdict->tail.most, most));
    } else {
        verdict->bound = cause_of(facts, verdict, two);
        bool is_resource = verdict->bound < WHY_NUM_RESOURCES;
        verdict->gain = gain_to(is_resource ? fmax(next, launch) : most);
    }
}

static void judge_counted(WhyVerdict *verdict, Two two) {
    verdict->bound = two.first;
    if (two.first == WHY_NO_BOUND) return;
    if (verdict->seconds < least_work_s)
        verdict->bound = WHY_LAUNCH;
    else if (verdict->tail.least >= share_tail_static) {
        verdict->bound = WHY_TAIL;
        verdict->gain = gain_to(1 - verdict->tail.most);
    } else
        verdict->gain =
            gain_to(fmax(share_of(verdict, two.second), least_work_s / verdict->seconds));
}

WhyVerdict why_judge(const WhyFacts *facts) {
    WhyVerdict verdict = {.second = WHY_NO_BOUND, .seconds = facts->seconds, .gain = 1};
    for (int i = 0; i < WHY_NUM_RESOURCES && !(facts->seconds > 0); i++)
        verdict.seconds = fmax(verdict.seconds, why_least(&facts->resources[i]));
    for (int i = 0; i < WHY_NUM_RESOURCES && verdict.seconds > 0; i++)
        verdict.shares[i] = why_least(&facts->resources[i]) / verdict.seconds;
    Two two = largest(&verdict);
    take_tail(facts, &verdict);
    if (facts->seconds > 0)
        judge_measured(facts, &verdict, two);
    else
        judge_counted(&verdict, two);
    if (verdict.bound == two.first &&
        share_of(&verdict, two.first) - share_of(&verdict, two.second) < 0.1)
        verdict.second = two.second;
    if (verdict.bound == WHY_SHARED && facts->conflicts >= waste_cause)
        verdict.bound = WHY_CONFLICTS;
    return verdict;
}
