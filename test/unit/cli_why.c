// SPDX-License-Identifier: Apache-2.0
/* The rule of tern why, on facts of which the answer is known. */
#include "cli/published.h"
#include "cli/why_rule.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Measured, with shares of memory and arithmetic. */
static WhyFacts measured(double memory, double arithmetic, double tail, double floor) {
    WhyFacts facts = {.seconds = 1e-3, .floor_s = floor * 1e-3, .tail = tail};
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

TEST(what_is_counted) {
    WhyFacts facts = measured(1, 0.25, 0, 0);
    facts.seconds = 0;
    judged(facts, WHY_MEMORY, WHY_NO_BOUND, 4);
    CHECK(is_near(why_judge(&facts).seconds, 1e-3));
    CHECK(is_near(why_judge(&facts).shares[WHY_ARITHMETIC], 0.25));
    facts.tail = 0.4;
    judged(facts, WHY_TAIL, WHY_NO_BOUND, 1 / 0.6);
    facts.tail = 0.2;
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

TEST(tails) {
    CHECK(is_near(why_tail(132, 132, 1), 0) && is_near(why_tail(264, 132, 2), 0));
    CHECK(is_near(why_tail(133, 132, 1), 1 - 133.0 / 264));
    CHECK(is_near(why_tail(133, 132, 16), 1 - 133.0 / 264)); /* one multiprocessor has two */
    CHECK(is_near(why_tail(144, 132, 1), 1 - 144.0 / 264));
    CHECK(is_near(why_tail(1, 132, 16), 1 - 1.0 / 132));
    CHECK(is_near(why_tail(4224, 132, 16), 0) &&
          is_near(why_tail(4225, 132, 16), 1 - 4225.0 / 6336));
    CHECK(why_tail(0, 132, 1) == 0 && why_tail(5, 0, 1) == 0 && why_tail(5, 4, 0) == 0);
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
    const Published *gpu = published_find("h200");
    CHECK(on_tensor_cores(wgmma) && on_tensor_cores(tf32) && !on_tensor_cores("fma.rn.f32 %f1"));
    CHECK(published_tensor(gpu, wgmma) == 2 * 989.5e12);
    CHECK(published_tensor(gpu, tf32) == 989.5e12 / 2);
    CHECK(published_tensor(gpu, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 0);
}

TEST_MAIN()
