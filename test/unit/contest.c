// SPDX-License-Identifier: Apache-2.0
/* contest against worlds whose truth is known: candidates with true times, noise, a clock that
 * drifts, outliers. tern_tune gets them through a clock that is made up. */
#include "bench/contest.h"
#include "tern.h"
#include "test.h"

static uint64_t state;
static double uniform(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}
static double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- Student's t ---- */

TEST(quantiles_of_student) { /* from tables */
    const struct {
        double p;
        int df;
        double t;
    } rows[] = {{0.975, 1, 12.706205}, {0.975, 2, 4.302653},  {0.95, 5, 2.015048},
                {0.999, 3, 10.214532}, {0.995, 10, 3.169273}, {0.9995, 30, 3.645959}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(fabs(student_quantile(rows[i].p, rows[i].df) - rows[i].t) < 1e-5);
}

/* ---- worlds ---- */

enum { MOST = 64 };
typedef struct World {
    int count, samples, fails, stop_after;
    double times[MOST], noise, drift, outliers, phase;
    tern_candidate_state states[MOST];
    int resets, progresses;
} World;

/* Gaps exp(exponential), in an order that says nothing. */
static void world_open(World *world, int count, double spread, double noise, double drift,
                       double outliers, uint64_t seed) {
    *world = (World){.count = count, .noise = noise, .drift = drift, .outliers = outliers};
    world->fails = world->stop_after = -1;
    state = seed * 0x9e3779b97f4a7c15 + 1;
    for (int i = 0; i < 10; i++) uniform();
    for (int i = 0; i < count; i++) world->times[i] = exp(-spread * log(uniform()));
    world->phase = normal() * drift;
}

static tern_status sample(void *user, int candidate, double *ms) {
    World *world = user;
    world->phase = 0.995 * world->phase + normal() * world->drift * 0.1;
    double error = normal() * world->noise;
    if (uniform() < world->outliers) error += fabs(normal()) * 0.15;
    *ms = world->times[candidate] * exp(world->phase + error);
    world->samples++;
    return candidate == world->fails && world->samples > 4 * world->count ? TERN_ERROR_KERNEL
                                                                          : TERN_OK;
}

static bool stop(void *user) {
    const World *world = user;
    return world->stop_after >= 0 && world->samples >= world->stop_after;
}

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    const World *world = user;
    tern_candidate_state is = world->states[candidate];
    if (is) snprintf(words, size, "is %s", tern_candidate_word(is));
    return is ? is : TERN_CANDIDATE_READY;
}

static tern_status reset(void *user, int candidate) {
    (void)candidate;
    ((World *)user)->resets++;
    return TERN_OK;
}

static void progress(void *user, const tern_tune_progress *at) {
    World *world = user;
    world->progresses++;
    CHECK(at->num_candidates == world->count && at->num_left <= world->count);
}

static tern_tuning run(World *world, uint64_t seed) {
    tern_status status;
    tern_tuning tuning = {.winner = -1};
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, NULL, 0);
    const tern_tune_options options = {.user = world,
                                       .ready = ready,
                                       .sample = sample,
                                       .reset = reset,
                                       .stop = stop,
                                       .progress = progress,
                                       .seed = seed};
    CHECK(context && tern_tune(context, world->count, &options, &tuning) == TERN_OK);
    tern_close(context);
    return tuning;
}

static double regret(const World *world, int winner) {
    double best = INFINITY;
    for (int i = 0; i < world->count; i++) best = fmin(best, world->times[i]);
    return world->times[winner] / best - 1;
}

/* `wanted` of 100 trials end within 1 % of the true best, `sure` of them decided, on average after
 * at most `most` samples a candidate. */
static void trials(int count, double spread, double noise, double drift, double outliers,
                   int wanted, int sure, int most) {
    int right = 0, decided = 0, samples = 0;
    for (int i = 0; i < 100; i++) {
        World world;
        world_open(&world, count, spread, noise, drift, outliers, (uint64_t)i + 1);
        tern_tuning tuning = run(&world, (uint64_t)i);
        right += tuning.winner >= 0 && regret(&world, tuning.winner) <= 0.01;
        decided += tuning.decided;
        samples += (int)tuning.num_samples;
        CHECK(world.resets == world.samples && world.progresses > 0);
        tern_tuning_free(&tuning);
    }
    CHECK(right >= wanted);
    CHECK(decided >= sure);
    CHECK(samples <= 100 * count * most);
    if (right < wanted || decided < sure || samples > 100 * count * most)
        printf("right %d, decided %d, samples %d a candidate\n", right, decided,
               samples / 100 / count);
}

TEST(finds_the_best_on_a_quiet_gpu) { trials(24, 0.15, 0.006, 0.01, 0.01, 98, 95, 25); }
TEST(finds_the_best_on_a_usual_gpu) { trials(24, 0.15, 0.01, 0.03, 0.02, 98, 95, 35); }
TEST(finds_the_best_in_a_close_field) { trials(24, 0.02, 0.01, 0.03, 0.02, 98, 80, 120); }
TEST(finds_the_best_on_a_shared_cpu) { trials(16, 0.15, 0.05, 0.08, 0.08, 90, 40, 120); }

TEST(says_that_there_is_no_difference) {
    int equal = 0;
    for (int i = 0; i < 50; i++) {
        World world;
        world_open(&world, 3, 0, 0.005, 0.03, 0, (uint64_t)i + 77);
        tern_tuning tuning = run(&world, 5);
        CHECK(tuning.winner >= 0);
        equal += tuning.decided && tuning.num_equal == 2;
        for (int k = 0; k < 3 && tuning.num_equal == 2; k++)
            CHECK(tuning.candidates[k].low > 0.97 && tuning.candidates[k].high < 1.03);
        tern_tuning_free(&tuning);
    }
    CHECK(equal >= 40); /* one in five may lose one by the level */
}

/* What is wrong, hangs or does not compile is never timed and never wins, though it be the
 * fastest. */
TEST(what_is_not_right_does_not_run) {
    World world;
    world_open(&world, 5, 0, 0.001, 0, 0, 1);
    static const double times[] = {1, 0.5, 0.1, 0.2, 1.5};
    memcpy(world.times, times, sizeof times);
    world.states[2] = TERN_CANDIDATE_WRONG;
    world.states[3] = TERN_CANDIDATE_HUNG;
    tern_tuning tuning = run(&world, 1);
    CHECK(tuning.winner == 1 && tuning.decided && tuning.num_equal == 0);
    CHECK(tuning.candidates[0].state == TERN_CANDIDATE_LOST);
    CHECK(fabs(tuning.candidates[0].ratio - 2) < 0.01);
    CHECK(tuning.candidates[1].state == TERN_CANDIDATE_WON);
    CHECK(tuning.candidates[2].state == TERN_CANDIDATE_WRONG && !tuning.candidates[2].rounds);
    CHECK_STR(tuning.candidates[3].words, "is hung");
    tern_tuning_free(&tuning);
}

TEST(one_that_fails_later_is_out) {
    World world;
    world_open(&world, 3, 0, 0.001, 0, 0, 1);
    world.times[0] = 1.01, world.times[1] = 1, world.times[2] = 1.012;
    world.fails = 1;
    tern_tuning tuning = run(&world, 1);
    CHECK(tuning.winner == 0);
    CHECK(tuning.candidates[1].state == TERN_CANDIDATE_FAILED);
    tern_tuning_free(&tuning);
}

TEST(stopping_keeps_what_is_known) {
    World world;
    world_open(&world, 3, 0, 0.03, 0, 0, 1);
    world.times[0] = 1.02, world.times[1] = 1, world.times[2] = 9;
    world.stop_after = 3 * 4 + 2;
    tern_tuning tuning = run(&world, 1);
    CHECK(tuning.stopped && !tuning.decided && tuning.winner >= 0 && tuning.winner < 2);
    CHECK(tuning.candidates[2].state == TERN_CANDIDATE_LOST);
    tern_tuning_free(&tuning);
    world.stop_after = 0;
    tuning = run(&world, 1);
    CHECK(tuning.stopped && tuning.winner == -1);
    CHECK(tuning.candidates[0].state == TERN_CANDIDATE_WAITS);
    tern_tuning_free(&tuning);
}

TEST(alone_and_none) {
    World world;
    world_open(&world, 2, 0, 0, 0, 0, 1);
    world.states[0] = TERN_CANDIDATE_WRONG;
    tern_tuning tuning = run(&world, 1);
    CHECK(tuning.winner == 1 && tuning.decided && tuning.num_samples == 0);
    tern_tuning_free(&tuning);
    world.states[1] = TERN_CANDIDATE_REFUSED;
    tuning = run(&world, 1);
    CHECK(tuning.winner == -1 && !tuning.decided);
    tern_tuning_free(&tuning);
    CHECK(tern_tune(NULL, 0, &(tern_tune_options){.sample = sample}, &tuning) ==
          TERN_ERROR_ARGUMENT);
}

TEST_MAIN()
