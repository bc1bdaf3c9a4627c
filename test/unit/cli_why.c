// SPDX-License-Identifier: Apache-2.0
/* The rule of tern why, on facts of which the answer is known. */
#include "cli/published.h"
#include "cli/why_rule.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Measured, with shares of memory and arithmetic. */
static WhyFacts measured(double memory, double arithmetic, double tail, double floor) {
    WhyFacts facts = {.seconds = 1e-3, .floor_s = floor * 1e-3, .tail = {tail, tail}};
    facts.resources[WHY_MEMORY] = (WhyResource){memory * 1e6, 1e9, WHY_COUNTED, WHY_MEASURED};
    facts.resources[WHY_ARITHMETIC] =
        (WhyResource){arithmetic * 1e9, 1e12, WHY_COUNTED, WHY_MEASURED};
    return facts;
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-9; }

static void judged(WhyFacts facts, WhyKind bound, WhyKind second, double gain) {
    WhyVerdict verdict = why_judge(&facts);
    CHECK_STR(why_name(verdict.bound), why_name(bound));
    CHECK_STR(why_name(verdict.second), why_name(second));
    CHECK(is_near(verdict.gain, gain));
}

TEST(what_is_measured) {
    judged(measured(0.9, 0.5, 0, 0), WHY_MEMORY, WHY_NO_BOUND, 2);
    judged(measured(0.9, 0.85, 0, 0), WHY_MEMORY, WHY_ARITHMETIC, 1 / 0.85);
    judged(measured(0.2, 0.8, 0, 0), WHY_ARITHMETIC, WHY_NO_BOUND, 5);
    judged(measured(0.2, 0.1, 0, 0), WHY_LATENCY, WHY_NO_BOUND, 5);
    judged(measured(0.65, 0.1, 0, 0), WHY_MEMORY, WHY_NO_BOUND, 10);
    judged(measured(0.2, 0.1, 0.5, 0), WHY_TAIL, WHY_NO_BOUND, 2);
    judged(measured(0.65, 0.1, 0.3, 0), WHY_TAIL, WHY_NO_BOUND, 1 / 0.7);
    judged(measured(0.8, 0.1, 0.5, 0), WHY_MEMORY, WHY_NO_BOUND, 10); /* busy all the same */
    judged(measured(0.2, 0.1, 0.3, 0), WHY_LATENCY, WHY_NO_BOUND,
           5); /* more is left than the tail */
    judged(measured(0.2, 0.1, 0.5, 0.6), WHY_LAUNCH, WHY_NO_BOUND, 2.5);
    judged(measured(1.1, 0, 0, 0), WHY_MEMORY, WHY_NO_BOUND, 1);
    judged(measured(0, 0, 0, 0), WHY_NO_BOUND, WHY_NO_BOUND, 1);
}

/* Ten kernels, with what an H200 measured of them or, of a kind that it did not run, the like. */
TEST(ten_kernels_whose_bound_is_known) {
    static const struct {
        WhyKind bound;
        double us, floor, tail, active, shares[WHY_NUM_RESOURCES];
        double conflicts, spilled, occupancy;
        bool by_registers, by_shared, is_small;
    } rows[] = {
        {.bound = WHY_MEMORY,
         .us = 18.5,
         .floor = 2.7,
         .tail = 0.03,
         .shares = {[WHY_MEMORY] = 0.781}},
        {.bound = WHY_TENSOR,
         .us = 197,
         .floor = 2.7,
         .tail = 0.03,
         .occupancy = 0.125,
         .by_shared = true,
         .conflicts = 1.1,
         .shares = {[WHY_MEMORY] = 0.14, [WHY_TENSOR] = 0.97, [WHY_SHARED] = 0.3}},
        {.bound = WHY_LATENCY,
         .us = 90.9,
         .floor = 2.7,
         .tail = 0.76,
         .is_small = true,
         .shares = {[WHY_MEMORY] = 0.001}},
        {.bound = WHY_LAUNCH,
         .us = 4,
         .floor = 2.7,
         .tail = 0.97,
         .is_small = true,
         .shares = {[WHY_MEMORY] = 0.002}},
        {.bound = WHY_BY_REGISTERS,
         .us = 60,
         .floor = 2.7,
         .tail = 0.1,
         .occupancy = 0.19,
         .by_registers = true,
         .shares = {[WHY_MEMORY] = 0.24, [WHY_ARITHMETIC] = 0.1}},
        {.bound = WHY_BY_SHARED_SIZE,
         .us = 60,
         .floor = 2.7,
         .tail = 0.1,
         .occupancy = 0.0625,
         .by_shared = true,
         .shares = {[WHY_MEMORY] = 0.24, [WHY_TENSOR] = 0.3}},
        {.bound = WHY_TAIL,
         .us = 60,
         .floor = 2.7,
         .tail = 0.496,
         .active = 0.52,
         .shares = {[WHY_MEMORY] = 0.092, [WHY_ARITHMETIC] = 0.464}},
        {.bound = WHY_CONFLICTS,
         .us = 82.9,
         .floor = 2.7,
         .conflicts = 6,
         .shares = {[WHY_MEMORY] = 0.023, [WHY_SHARED] = 1.19}},
        {.bound = WHY_ACCESSES,
         .us = 34.8,
         .floor = 2.7,
         .tail = 0.03,
         .shares = {[WHY_MEMORY] = 0.208, [WHY_ACCESSES] = 0.92}},
        {.bound = WHY_SPILLS,
         .us = 371,
         .floor = 2.7,
         .spilled = 19676,
         .conflicts = 1,
         .shares = {[WHY_TENSOR] = 0.004, [WHY_SHARED] = 0.1}},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        WhyFacts facts = {.seconds = rows[i].us * 1e-6,
                          .floor_s = rows[i].floor * 1e-6,
                          .tail = {rows[i].tail, rows[i].tail},
                          .active = rows[i].active,
                          .is_small = rows[i].is_small,
                          .conflicts = rows[i].conflicts,
                          .spilled_bytes = rows[i].spilled,
                          .occupancy = rows[i].occupancy,
                          .by_registers = rows[i].by_registers,
                          .by_shared = rows[i].by_shared};
        for (int k = 0; k < WHY_NUM_RESOURCES; k++)
            facts.resources[k] =
                (WhyResource){rows[i].shares[k] * rows[i].us, 1e6, WHY_COUNTED, WHY_MEASURED};
        WhyVerdict verdict = why_judge(&facts);
        CHECK_STR(why_name(verdict.bound), why_name(rows[i].bound));
        CHECK(verdict.gain >= 1 && isfinite(verdict.gain));
    }
}

/* What has to do with a bound is none where it is little. */
TEST(a_cause_must_weigh) {
    WhyFacts facts = measured(0.2, 0.1, 0, 0);
    facts.spilled_bytes = 8;
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 5);
    facts.occupancy = 0.5, facts.by_registers = true;
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 5);
    facts.occupancy = 0.25, facts.by_registers = false; /* by the number of threads */
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 5);
    facts.by_shared = true;
    judged(facts, WHY_BY_SHARED_SIZE, WHY_NO_BOUND, 5);
    facts.spilled_bytes = 200;
    judged(facts, WHY_SPILLS, WHY_NO_BOUND, 5);
    facts.resources[WHY_ACCESSES] = (WhyResource){0.25e6, 1e9, WHY_EXECUTED, WHY_MEASURED};
    judged(facts, WHY_SPILLS, WHY_NO_BOUND, 4);
    facts.resources[WHY_ACCESSES].amount = 0.4e6;
    judged(facts, WHY_ACCESSES, WHY_NO_BOUND, 5);
    facts = measured(0.9, 0.1, 0, 0); /* busy all the same */
    facts.spilled_bytes = 200, facts.occupancy = 0.1, facts.by_shared = true;
    judged(facts, WHY_MEMORY, WHY_NO_BOUND, 10);
    facts = measured(0.1, 0.1, 0, 0);
    facts.resources[WHY_SHARED] = (WhyResource){0.5e6, 1e9, WHY_EXECUTED, WHY_PUBLISHED};
    facts.conflicts = 1.5;
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 2);
    facts.conflicts = 2;
    judged(facts, WHY_CONFLICTS, WHY_NO_BOUND, 10);
    facts = measured(0.2, 0.1, 0.7, 0); /* of fewer blocks than multiprocessors */
    facts.is_small = true;
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 5);
}

TEST(what_is_counted) {
    WhyFacts facts = measured(1, 0.25, 0, 0);
    facts.seconds = 0;
    judged(facts, WHY_MEMORY, WHY_NO_BOUND, 4);
    CHECK(is_near(why_judge(&facts).seconds, 1e-3));
    CHECK(is_near(why_judge(&facts).shares[WHY_ARITHMETIC], 0.25));
    facts.tail = (WhyTail){0.4, 0.4};
    judged(facts, WHY_TAIL, WHY_NO_BOUND, 1 / 0.6);
    facts.tail = (WhyTail){0.4, 0.5}; /* named for the least, its gain for the most */
    judged(facts, WHY_TAIL, WHY_NO_BOUND, 2);
    facts.tail = (WhyTail){0.2, 0.5};
    judged(facts, WHY_MEMORY, WHY_NO_BOUND, 4);
    facts = measured(0.0009, 0.0001, 0.9, 0);
    facts.seconds = 0;
    judged(facts, WHY_LAUNCH, WHY_NO_BOUND, 1);
    facts = measured(1, 0.5, 0, 0); /* a ceiling that is not known bounds nothing */
    facts.seconds = 0;
    facts.resources[WHY_MEMORY].ceiling = 0;
    judged(facts, WHY_ARITHMETIC, WHY_NO_BOUND, 500);
    judged((WhyFacts){0}, WHY_NO_BOUND, WHY_NO_BOUND, 1);
}

static void is_tail(double blocks, double units, double fit, double least, double most) {
    WhyTail tail = why_tail(blocks, units, fit);
    CHECK(is_near(tail.least, least) && is_near(tail.most, most));
}

TEST(tails) {
    is_tail(132, 132, 1, 0, 0);
    is_tail(264, 132, 2, 0, 0);
    is_tail(133, 132, 1, 131.0 / 264, 131.0 / 264); /* 131 idle in the second wave of two */
    is_tail(144, 132, 1, 120.0 / 264, 120.0 / 264);
    is_tail(133, 132, 2, 0, 131.0 / 264); /* one has two: no longer, or twice as long */
    is_tail(133, 132, 16, 0, 131.0 / 264);
    is_tail(265, 132, 2, 131.0 / 396, 131.0 / 264); /* the last has a multiprocessor to itself */
    is_tail(397, 132, 2, 0, 131.0 / 528);           /* 133 in the second wave: each has one */
    is_tail(1, 132, 16, 131.0 / 132, 131.0 / 132);
    is_tail(4224, 132, 16, 0, 0);
    is_tail(4225, 132, 16, 131.0 / 132 / 33, 131.0 / 132 / 3);
    is_tail(0, 132, 1, 0, 0);
    is_tail(5, 0, 1, 0, 0);
    is_tail(5, 4, 0, 0, 0);
}

/* By waves played one by one: each block takes one unit of time on its own, or its share. */
TEST(tails_as_they_are_played) {
    enum { UNITS = 5, MOST_FIT = 4, MOST_BLOCKS = 60 };
    for (int fit = 1; fit <= MOST_FIT; fit++)
        for (int blocks = 1; blocks <= MOST_BLOCKS; blocks++) {
            double beside[UNITS] = {0}, in_turn[UNITS] = {0};
            for (int first = 0; first < blocks; first += UNITS * fit)
                for (int i = first; i < blocks && i < first + UNITS * fit; i++) {
                    beside[i % UNITS] = first / (UNITS * fit) + 1;
                    in_turn[i % UNITS]++;
                }
            double busy[2] = {0};
            for (int i = 0; i < UNITS; i++)
                busy[0] += beside[i] / beside[0] / UNITS,
                    busy[1] += in_turn[i] / in_turn[0] / UNITS;
            is_tail(blocks, UNITS, fit, 1 - fmax(busy[0], busy[1]), 1 - fmin(busy[0], busy[1]));
        }
}

/* 133 blocks, two at a time on each of 132 multiprocessors, of which an H200 counted 93 % busy. */
TEST(what_is_counted_of_a_tail_bounds_it) {
    WhyFacts facts = measured(0.092, 0.464, 0, 0);
    facts.tail = why_tail(133, 132, 2);
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 1 / 0.464); /* nobody counted: not named */
    facts.active = 0.93;
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 1 / 0.464);
    WhyVerdict verdict = why_judge(&facts);
    CHECK(is_near(verdict.tail.most, 0.07) && verdict.is_tail_counted);
    facts.active = 0.52; /* they took turns */
    judged(facts, WHY_TAIL, WHY_NO_BOUND, 1 / 0.52);
    facts.active = 0.3; /* idle for other reasons, too */
    verdict = why_judge(&facts);
    CHECK(is_near(verdict.tail.most, 131.0 / 264) && !verdict.is_tail_counted);
    facts.tail = why_tail(133, 132, 1);
    facts.active = 0.93; /* and blocks that are not alike */
    judged(facts, WHY_LATENCY, WHY_NO_BOUND, 1 / 0.464);
    facts.active = 1.1; /* no less than none */
    CHECK(is_near(why_judge(&facts).tail.most, 0));
}

TEST(letters_have_words) {
    char letters[16] = "";
    for (int from = WHY_UNKNOWN; from <= WHY_PUBLISHED; from++) {
        char letter = why_letter((WhyFrom)from);
        CHECK(why_legend(letter) && !strchr(letters, letter));
        letters[strlen(letters)] = letter;
    }
    CHECK(why_legend('!') == NULL);
}

TEST(published_by_the_name_of_the_driver) {
    const Published *h200 = published_of("NVIDIA H200, 132 SMs, 139.8 GiB");
    CHECK(h200 && !strcmp(h200->gpu, "h200"));
    CHECK(!published_of("NVIDIA H200 NVL, 132 SMs") && !published_of("NVIDIA H200") &&
          !published_of("2 threads, gcc 12"));
}

TEST(tensor_cores_are_seen_in_ptx) {
    static const char wgmma[] = "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {%r1}, ..";
    static const char tf32[] = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1}, ..";
    CHECK(on_tensor_cores(wgmma) && on_tensor_cores(tf32) && !on_tensor_cores("fma.rn.f32 %f1"));
    CHECK(tensor_rate(wgmma) == 2);
    CHECK(tensor_rate(tf32) == 0.5);
    CHECK(tensor_rate("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 0);
}

TEST_MAIN()
