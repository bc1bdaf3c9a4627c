// SPDX-License-Identifier: Apache-2.0
/* Launches on the cpu device: where a false assert is, what many threads print, limits of time, on
 * whose threads programs run. The kernels are written in C here. */
#include "unit/cpu_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

#define SHARED                                                                                     \
    typedef struct Shared {                                                                        \
        int which, rank, program[3], index[40], fails_before, gave;                                \
        int self, others, meets;                                                                   \
        long long spin_ns;                                                                         \
    } Shared;
SHARED

#define HEAD                                                                                       \
    "int tern_kernel(void **args, const int *grid, long long lo, long long hi, char *scratch,\n"   \
    "                KernelRuntime *runtime, int stream) {\n"                                      \
    "    Shared *s = *(Shared **)args[0];\n"

static void *load_code(Fixture *f, const char *asserts, const char *facts, const char *code,
                       const Source *source) {
    CompiledKernel kernel =
        kernel_with(f->arena, WORDS_OF(SHARED), asserts, facts_of(f->arena, facts), code);
    kernel.place.source = source;
    return load_kernel(f, &kernel);
}

static tern_status launch(Fixture *f, void *loaded, Shared *shared, uint32_t programs) {
    return device_cpu.launch(&f->device, NULL, loaded, (uint32_t[]){programs, 1, 1},
                             (void *[]){&shared});
}

/* ---- where an assert is ---- */

static const char asserting[] =
    HEAD "    if (s->fails_before) runtime->fail(runtime, 2, 9);\n"
         "    if (s->rank < 0) return runtime->fail(runtime, 1, s->which);\n"
         "    s->gave = runtime->fail_assert(runtime, s->which, s->program, s->rank, s->index);\n"
         "    runtime->fail_assert(runtime, 0, s->program, 0, s->index);\n"
         "    return 1;\n}\n";

static const char places[] = "\"1:1:at the start\", \"3:2:in the last line: so\", "
                             "\"2:99:past the end\", \"0:1:before\", \"4:1:after\", "
                             "\"2 5 no colon\", \"2:5 one colon\", \"x\"";

TEST(a_false_assert_has_a_place) {
    static const struct {
        int which, rank;
        const char *words;
    } rows[] = {
        {0, 0,
         "m.py:1:1: error: assertion failed: at the start\n   1 | one\n     | ^\n"
         "note: in program (7, 8, 9) of a grid of (3, 1, 1)"},
        {1, 1,
         "m.py:3:2: error: assertion failed: in the last line: so\n   3 | three\n     |  ^\n"
         "note: in program (7, 8, 9) of a grid of (3, 1, 1), lane [10]"},
        {0, 3,
         "m.py:1:1: error: assertion failed: at the start\n   1 | one\n     | ^\n"
         "note: in program (7, 8, 9) of a grid of (3, 1, 1), lane [10, 11, 12]"},
        {0, 33, /* more dimensions than there are */
         "m.py:1:1: error: assertion failed: at the start\n   1 | one\n     | ^\n"
         "note: in program (7, 8, 9) of a grid of (3, 1, 1), lane [10, 11, 12, 13, 14, 15, 16, 17, "
         "18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, "
         "40, 41]"},
        {2, 0,
         "m.py:3:6: error: assertion failed: past the end\n   3 | three\n     |      ^\n"
         "note: in program (7, 8, 9) of a grid of (3, 1, 1)"},
        {3, 0, "kernel 'mine': device_assert failed: 0:1:before"},
        {4, 0, "kernel 'mine': device_assert failed: 4:1:after"},
        {5, 0, "kernel 'mine': device_assert failed: 2 5 no colon"},
        {6, 0, "kernel 'mine': device_assert failed: 2:5 one colon"},
        {7, 0, "kernel 'mine': device_assert failed: x"},
        {1, -1, "kernel 'mine': device_assert failed: 3:2:in the last line: so"},
    };
    Fixture f;
    if (!open_device(&f)) return;
    const Source *source = source_new(f.arena, STR("m.py"), STR("one\n\nthree"));
    for (int fibers = 0; fibers < 2; fibers++) {
        void *loaded = load_code(&f, places, fibers ? "0, 0, 1" : "0, 0, 0", asserting, source);
        for (int i = 0; i < COUNT(rows) && loaded; i++) {
            Shared shared = {.which = rows[i].which, .rank = rows[i].rank, .program = {7, 8, 9}};
            for (int k = 0; k < 40; k++) shared.index[k] = 10 + k;
            CHECK(launch(&f, loaded, &shared, 3) == TERN_ERROR_KERNEL);
            CHECK_STR(str_c(f.arena, f.device.why), rows[i].words);
            CHECK(shared.gave == (rows[i].rank >= 0));
        }
        Shared shared = {.fails_before = 1}; /* the first failure is the one that is told */
        CHECK(loaded && launch(&f, loaded, &shared, 1) == TERN_ERROR_KERNEL && shared.gave == 1);
        CHECK_STR(str_c(f.arena, f.device.why),
                  "kernel 'mine', line 9: a 32-bit offset wraps round inside one tile: use 64-bit "
                  "offsets");
        device_cpu.unload(&f.device, loaded);
    }
    void *loaded = load_code(&f, places, "0, 0, 0", asserting, NULL); /* whose text is not known */
    Shared shared = {.which = 0};
    CHECK(loaded && launch(&f, loaded, &shared, 1) == TERN_ERROR_KERNEL);
    CHECK_STR(f.device.why.data, "kernel 'mine': device_assert failed: 1:1:at the start");
    device_cpu.unload(&f.device, loaded);
    close_device(&f);
}

/* ---- what many threads print ---- */

static const char printing[] =
    HEAD "    for (long long p = lo; p < hi; p++) {\n"
         "        int program[3] = {p, 0, 0}, index[2] = {p % 10, 10};\n"
         "        runtime->print(runtime, program, \" v: \", 1, index, 0, 0, 0);\n"
         "    }\n    return 0;\n}\n";

TEST(lines_of_many_threads_stay_whole) {
    enum { PROGRAMS = 4000 };
    static unsigned char seen[PROGRAMS];
    Fixture f;
    if (!open_as(&f, NULL, 4)) {
        SKIP("no C compiler");
        return;
    }
    void *loaded = load_code(&f, "\"\"", "0, 0, 0", printing, NULL);
    Shared shared = {0};
    for (int round = 0; round < 3 && loaded; round++) {
        int wrong = 0;
        f.printed.length = 0;
        CHECK(launch(&f, loaded, &shared, PROGRAMS) == TERN_OK && f.prints == round + 1);
        memset(seen, 0, sizeof seen);
        char *text = (char *)(uintptr_t)str_c(f.arena, buf_str(&f.printed)), *rest;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            int program = -1, end = 0;
            bool whole = sscanf(line, "pid (%d, 0, 0) v: %n", &program, &end) == 1 && end &&
                         !line[end] && program >= 0 && program < PROGRAMS;
            wrong += !whole;
            if (whole) seen[program]++;
        }
        for (int i = 0; i < PROGRAMS; i++) wrong += seen[i] != 1;
        CHECK(wrong == 0);
    }
    device_cpu.unload(&f.device, loaded);
    close_device(&f);
}

/* ---- which failure is told ---- */

/* All programs from 300 on fail; those before 400 take a while, and so fail after the others. */
static const char many_failing[] =
    HEAD "    for (long long p = lo; p < hi; p++) {\n"
         "        int program[3] = {p, 0, 0};\n"
         "        long long start = runtime->clock(runtime);\n"
         "        while (p < 400 && runtime->clock(runtime) - start < 2000);\n"
         "        if (p >= 300) return runtime->fail_assert(runtime, 0, program, 0, s->index);\n"
         "    }\n    return 0;\n}\n";

TEST(the_lowest_program_that_fails_is_named) {
    Fixture f;
    if (!open_as(&f, NULL, 4)) {
        SKIP("no C compiler");
        return;
    }
    const Source *source = source_new(f.arena, STR("m.py"), STR("one\n\nthree"));
    void *loaded = load_code(&f, places, "0, 0, 0", many_failing, source);
    Shared shared = {0};
    for (int round = 0; round < 20 && loaded; round++) {
        CHECK(launch(&f, loaded, &shared, 1000) == TERN_ERROR_KERNEL);
        CHECK(strstr(str_c(f.arena, f.device.why), "in program (300, 0, 0)"));
    }
    device_cpu.unload(&f.device, loaded);
    close_device(&f);
}

/* ---- limits of time ---- */

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Until it is stopped, or has run as long as it should. */
static const char spinning[] =
    HEAD "    long long start = runtime->clock(runtime);\n"
         "    volatile long long turns = 0; /* what changes is no deadlock */\n"
         "    while (turns++ >= 0 && !*runtime->stop && !runtime->yield(runtime))\n"
         "        if (s->spin_ns && runtime->clock(runtime) - start >= s->spin_ns) return 0;\n"
         "    return 1;\n}\n";

TEST(a_launch_has_a_limit_of_time) {
    static const struct {
        int asked_ms;
        const char *variable;
        long long limit_ms; /* 0: not within what it runs for */
    } rows[] = {{30, NULL, 30},     {30, "86400000", 30}, {0, "30", 30},      {86400000, "1", 0},
                {0, "86400000", 0}, {0, NULL, 0},         {1 << 30, NULL, 0}, {2500, NULL, 0}};
    for (int i = 0; i < COUNT(rows); i++)
        for (int fibers = 0; fibers < 2; fibers++) {
            Fixture f;
            if (rows[i].variable) setenv("TERN_TIMEOUT_MS", rows[i].variable, 1);
            tern_open_options options = {
                .num_threads = 2, .cache_dir = cache_dir, .timeout_ms = rows[i].asked_ms};
            bool opened = try_open(&f, NULL, &options) == TERN_OK;
            unsetenv("TERN_TIMEOUT_MS");
            if (!opened) {
                arena_free(f.arena);
                SKIP("no C compiler");
                return;
            }
            void *loaded = load_code(&f, "\"\"", fibers ? "0, 0, 1" : "0, 0, 0", spinning, NULL);
            Shared shared = {.spin_ns = rows[i].limit_ms ? 0 : 3000000};
            long long start = now_ns();
            tern_status status = loaded ? launch(&f, loaded, &shared, 3) : TERN_ERROR_DEVICE;
            long long took_ms = (now_ns() - start) / 1000000;
            CHECK(status == (rows[i].limit_ms ? TERN_ERROR_KERNEL : TERN_OK));
            CHECK(took_ms >= rows[i].limit_ms);
            if (rows[i].limit_ms)
                CHECK_STR(f.device.why.data,
                          "kernel 'mine': the launch takes longer than its time limit");
            CHECK(!f.device.stop); /* nobody else asked for an end */
            device_cpu.unload(&f.device, loaded);
            close_device(&f);
        }
}

/* ---- whose threads ---- */

/* What ran in the thread that called, and what did not; from program `meets` on, if that is not 0,
 * each waits for another thread. */
static const char meeting[] =
    "extern int gettid(void);\n" HEAD "    int other = gettid() != s->self;\n"
    "    if (other) __atomic_fetch_add(&s->others, 1, __ATOMIC_SEQ_CST);\n"
    "    int meets = s->meets && hi > s->meets;\n"
    "    long long start = runtime->clock(runtime), waits = meets ? 5000000000 : s->spin_ns;\n"
    "    while (runtime->clock(runtime) - start < waits)\n"
    "        if (meets && __atomic_load_n(&s->others, __ATOMIC_SEQ_CST)) break;\n"
    "    return 0;\n}\n";

/* Of what is not known the first program runs on the thread that calls; what takes long then goes
 * to all, and so it does where the programs of a launch before were short. */
TEST(small_launches_are_timed_first) {
    static const struct {
        uint32_t programs;
        int meets;
        long long spin_ns;
    } rows[] = {{1, 0, 1000000}, {2, 0, 1000000}, {64, 1, 1000000}, {500, 1, 1000000}, {64, 0, 0}};
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        if (!open_device(&f)) return;
        void *loaded = load_code(&f, "\"\"", "0, 0, 0", meeting, NULL);
        Shared shared = {.self = gettid(), .spin_ns = rows[i].spin_ns, .meets = rows[i].meets};
        CHECK(loaded && launch(&f, loaded, &shared, rows[i].programs) == TERN_OK);
        if (rows[i].spin_ns) CHECK((shared.others > 0) == (rows[i].meets > 0));
        shared.others = 0, shared.spin_ns = 1000000, shared.meets = 32;
        CHECK(loaded && launch(&f, loaded, &shared, 64) == TERN_OK);
        CHECK(shared.others > 0);
        device_cpu.unload(&f.device, loaded);
        close_device(&f);
    }
}

/* What a process that was killed left in the cache goes with the first compilation. */
TEST(the_cache_is_swept_once) {
    char left[64];
    snprintf(left, sizeof left, "%s/.work-abcdef", cache_dir);
    for (int round = 0; round < 2; round++) {
        Fixture f;
        if (!open_device(&f)) return;
        for (int i = 0; i < 2; i++) {
            char code[400];
            snprintf(code, sizeof code, HEAD "    s->gave = %d;\n    return 0;\n}\n",
                     100 + round * 10 + i);
            CHECK(mkdir(left, 0700) == 0);
            void *loaded = load_code(&f, "\"\"", "0, 0, 0", code, NULL);
            CHECK((rmdir(left) != 0) == (i == 0));
            device_cpu.unload(&f.device, loaded);
        }
        close_device(&f);
    }
}

static int threads_of(int asked) {
    Fixture f;
    tern_open_options options = {.num_threads = asked, .cache_dir = cache_dir};
    if (try_open(&f, NULL, &options) != TERN_OK) return arena_free(f.arena), -1;
    int threads = (int)strtol(f.device.description.data, NULL, 10);
    close_device(&f);
    return threads;
}

TEST(there_are_as_many_threads_as_cores) {
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) first++;
    if (threads_of(0) < 0) {
        SKIP("no C compiler");
        return;
    }
    CHECK(threads_of(0) == CPU_COUNT(&all));
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(threads_of(0) == 1);
    CHECK(threads_of(3) == 3 && threads_of(-1) == 1);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    int most = threads_of(100000); /* fewer where the system has no more */
    CHECK(most > 3 && most <= 1024);
}

int main(int argc, char **argv) { return main_with_cache(__FILE__, argc, argv); }
