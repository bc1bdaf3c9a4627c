// SPDX-License-Identifier: Apache-2.0
/* Hardware counters: of a GPU, on a driver and a libcupti without one; of the CPU, of a kernel that
 * is made up. What is refused is said, and what counts is closed. */
#include "base/base.h"
#include "mock/cupti.h"
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const CuptiMock *cupti(void) {
    const CuptiMock *(*control)(void);
    void *library = dlopen(MOCK_CUPTI, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), exit(1), NULL;
    void *found = dlsym(library, "mock_cupti");
    memcpy(&control, &found, sizeof control);
    return control();
}

static tern_context *open_cuda(void) {
    char why[256];
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    setenv("TERN_CUPTI", MOCK_CUPTI, 1);
    cupti()->reset();
    tern_context *context =
        tern_open(&(tern_open_options){.size = sizeof(tern_open_options), .device = "cuda"}, NULL,
                  why, sizeof why);
    if (!context) fprintf(stderr, "%s\n", why), exit(1);
    return context;
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-12 * fabs(b) + 1e-15; }

/* ---- a GPU ---- */

TEST(a_gpu_counts_what_runs_between) {
    tern_context *context = open_cuda();
    tern_hardware h;
    tern_counters *counters = tern_counters_open(context);
    CHECK(counters != NULL);
    for (int i = 0; counters && i < 2; i++) {
        CHECK(!tern_counters_begin(counters) && !tern_counters_end(counters, &h));
        CHECK(h.read_bytes == 10 && h.written_bytes == 20);
        CHECK(is_near(h.active, 30.0 / 40) && is_near(h.warps, 0.5) && is_near(h.issue, 0.6));
        CHECK(is_near(h.tensor, 0.7) && h.cache_bytes == 80 && is_near(h.fma, 0.9));
        CHECK(isnan(h.cycles) && isnan(h.instructions));
        CHECK_STR(h.missing, "");
    }
    tern_counters_close(counters);
    CHECK(cupti()->num_open() == 0);
    tern_close(context);
}

/* Other names; and the last one, for which there is no room in one pass, is not counted. */
TEST(a_newer_chip_counts_less_in_one_pass) {
    tern_context *context = open_cuda();
    tern_hardware h = {0};
    cupti()->set_chip("NEW");
    tern_counters *counters = tern_counters_open(context);
    CHECK(counters && !tern_counters_begin(counters) && !tern_counters_end(counters, &h));
    CHECK(h.read_bytes == 10 && h.cache_bytes == 80);
    CHECK(isnan(h.fma)); /* the ninth */
    tern_counters_close(counters);
    CHECK(cupti()->num_open() == 0);
    tern_close(context);
}

TEST(what_refuses_says_why) {
    static const struct {
        const char *symbol;
        int result;
        const char *words;
    } rows[] = {
        {"cuptiProfilerInitialize", 35, "not permitted: the driver gives them to root"},
        {"cuptiRangeProfilerEnable", 35, "NVreg_RestrictProfilingToAdminUsers=0"},
        {"cuptiRangeProfilerEnable", 40, "CAP_PERFMON"},
        {"cuptiRangeProfilerEnable", 26, "dcgmi profpause"},
        {"cuptiProfilerInitialize", 39, "another profiler is attached"},
        {"cuptiDeviceGetChipName", 43, "CUPTI says MOCK_ERROR_43"},
        {"cuptiProfilerGetCounterAvailability", 33, "CUPTI says MOCK_ERROR_33"},
        {"cuptiProfilerHostInitialize", 27, "CUPTI says MOCK_ERROR_27"},
        {"cuptiProfilerHostConfigAddMetrics", 1, "CUPTI says MOCK_ERROR_27"}, /* it has no name */
        {"cuptiProfilerHostGetConfigImageSize", 999, "CUPTI says MOCK_ERROR_999"},
        {"cuptiProfilerHostGetConfigImage", 999, "CUPTI says MOCK_ERROR_999"},
        {"cuptiProfilerHostGetNumOfPasses", 999, "CUPTI says MOCK_ERROR_999"},
        {"cuptiRangeProfilerGetCounterDataSize", 999, "CUPTI says MOCK_ERROR_999"},
    };
    tern_context *context = open_cuda();
    for (int i = 0; i < COUNT(rows); i++) {
        cupti()->fail(rows[i].symbol, rows[i].result);
        tern_counters *counters = tern_counters_open(context);
        CHECK(!counters && strstr(tern_message(context), rows[i].words));
        CHECK(tern_message_status(context) == TERN_ERROR_UNSUPPORTED);
        tern_counters_close(counters);
        CHECK(cupti()->num_open() == 0);
    }
    tern_close(context);
}

TEST(what_fails_in_a_range_fails) {
    static const char *const symbols[] = {"cuptiRangeProfilerCounterDataImageInitialize",
                                          "cuptiRangeProfilerSetConfig",
                                          "cuptiProfilerHostEvaluateToGpuValues"};
    tern_context *context = open_cuda();
    tern_hardware h;
    for (int i = 0; i < COUNT(symbols); i++) {
        cupti()->fail(NULL, 0);
        tern_counters *counters = tern_counters_open(context);
        cupti()->fail(symbols[i], 999);
        tern_status status = tern_counters_begin(counters);
        if (!status) status = tern_counters_end(counters, &h);
        CHECK(status == TERN_ERROR_UNSUPPORTED && strstr(tern_message(context), "MOCK_ERROR_999"));
        tern_counters_close(counters);
    }
    cupti()->fail(NULL, 0);
    tern_counters *counters = tern_counters_open(context);
    cupti()->drop(1);
    CHECK(!tern_counters_begin(counters));
    CHECK(tern_counters_end(counters, &h) == TERN_ERROR_UNSUPPORTED && isnan(h.read_bytes));
    tern_counters_close(counters);
    tern_close(context);
}

TEST(without_the_library) {
    tern_context *context = open_cuda();
    setenv("TERN_CUPTI", "/nowhere/libcupti.so", 1);
    CHECK(!tern_counters_open(context));
    CHECK(strstr(tern_message(context), "libcupti.so is not here"));
    setenv("TERN_CUPTI", MOCK_DRIVER, 1); /* a library without the functions */
    CHECK(!tern_counters_open(context) && strstr(tern_message(context), "libcupti.so is too old"));
    tern_close(context);
}

/* ---- the CPU ---- */

/* Each event counts up by `count` a reading, of which it was enabled for 1000 and ran for part. */
typedef struct FakePerf {
    int result; /* of opening those of the processor; 0: they are there */
    uint64_t first, count, running;
    uint64_t now[4]; /* by kind */
    int files, closed;
    bool fails;
} FakePerf;

static int fake_open(void *user, uint32_t type, uint64_t config, pid_t thread) {
    FakePerf *fake = user;
    (void)thread;
    if (type == PERF_TYPE_HARDWARE && fake->result) return fake->result;
    fake->files++;
    int kind = type == PERF_TYPE_SOFTWARE             ? 0
               : config == PERF_COUNT_HW_CPU_CYCLES   ? 1
               : config == PERF_COUNT_HW_INSTRUCTIONS ? 2
                                                      : 3;
    return 100 + kind;
}

static bool fake_read(void *user, int file, uint64_t values[3]) {
    FakePerf *fake = user;
    uint64_t *now = &fake->now[file - 100];
    values[0] = fake->first + *now * fake->count * (uint64_t)(file - 99);
    values[1] = *now * 1000, values[2] = *now * (file == 100 ? 1000 : fake->running);
    ++*now;
    return !fake->fails;
}

static void fake_close(void *user, int file) {
    (void)file;
    ((FakePerf *)user)->closed++;
}

static tern_hardware counted(FakePerf *fake, char words[256]) {
    tern_hardware h = {.read_bytes = NAN};
    PerfCount *perf = perf_open(&(PerfCalls){fake_open, fake_read, fake_close, fake});
    perf_begin(perf);
    perf_end(perf, &h, words, 256);
    perf_close(perf);
    CHECK(fake->closed == fake->files && fake->files > 0);
    return h;
}

TEST(a_cpu_counts) {
    char words[256];
    FakePerf fake = {.count = 50, .running = 1000};
    tern_hardware h = counted(&fake, words);
    int threads = fake.files / 4;
    CHECK(h.cycles == 100 * threads && h.instructions == 150 * threads);
    CHECK(h.read_bytes == 64 * 200 * threads && h.active > 0);
    CHECK_STR(words, "");
}

TEST(a_counter_that_wraps_counts_on) {
    char words[256];
    FakePerf fake = {.first = UINT64_MAX - 20, .count = 50, .running = 1000};
    tern_hardware h = counted(&fake, words);
    CHECK(h.cycles == 100.0 * (fake.files / 4));
}

TEST(a_counter_that_is_shared_is_scaled) {
    char words[256];
    FakePerf fake = {.count = 50, .running = 250};
    tern_hardware h = counted(&fake, words);
    CHECK(h.cycles == 4 * 100.0 * (fake.files / 4));
    CHECK_STR(
        words,
        "cycles, instructions, misses: multiplexed: counted for 25 % of the time, and scaled");
    fake = (FakePerf){.count = 50};
    h = counted(&fake, words);
    CHECK(isnan(h.cycles) && isnan(h.read_bytes) && h.active > 0);
    CHECK(strstr(words, "others have the processor's counters"));
}

TEST(a_counter_that_is_refused_is_not_known) {
    static const struct {
        int result;
        const char *words;
    } rows[] = {{-ENOENT, "this machine does not count them"},
                {-EOPNOTSUPP, "this machine does not count them"},
                {-EACCES, "not permitted: /proc/sys/kernel/perf_event_paranoid"},
                {-EPERM, "CAP_PERFMON"},
                {-EMFILE, "Too many open files"}};
    char words[256];
    for (int i = 0; i < COUNT(rows); i++) {
        FakePerf fake = {.result = rows[i].result, .count = 50, .running = 1000};
        tern_hardware h = counted(&fake, words);
        CHECK(isnan(h.cycles) && isnan(h.instructions) && isnan(h.read_bytes) && h.active > 0);
        CHECK(strstr(words, rows[i].words));
    }
    FakePerf fake = {.count = 50, .running = 1000, .fails = true};
    tern_hardware h = counted(&fake, words);
    CHECK(isnan(h.cycles) && isnan(h.active) && words[0]);
}

/* The machine that this runs on: the time that threads run is always counted. */
TEST(this_cpu_counts_or_says_why) {
    char why[256];
    tern_hardware h;
    tern_context *context =
        tern_open(&(tern_open_options){.size = sizeof(tern_open_options), .device = "cpu"}, NULL,
                  why, sizeof why);
    tern_counters *counters = tern_counters_open(context);
    CHECK(counters && !tern_counters_begin(counters));
    volatile double sum = 0;
    for (int i = 0; i < 20000000; i++) sum += i;
    CHECK(!tern_counters_end(counters, &h) && sum > 0);
    if (isnan(h.active))
        CHECK(h.missing[0]);
    else
        CHECK(h.active > 0 && h.active < 1.5);
    if (isnan(h.instructions))
        CHECK(h.missing[0]);
    else
        CHECK(h.instructions > 2e7 && h.cycles > 1e6);
    tern_counters_close(counters);
    tern_close(context);
    context = tern_open(&(tern_open_options){.size = sizeof(tern_open_options), .device = "interp"},
                        NULL, why, sizeof why);
    CHECK(!tern_counters_open(context) && strstr(tern_message(context), "only cpu and cuda count"));
    tern_close(context);
}

TEST_MAIN()
