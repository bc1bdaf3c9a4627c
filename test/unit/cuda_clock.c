// SPDX-License-Identifier: Apache-2.0
/* What timing on a GPU stands on, over the mock driver: gates, the clock of the GPU, what NVML says
 * of it; and the words and choices that are only tables: results, targets, options. */
#include "unit/cuda_mock.h"

#include <unistd.h>

#include "device/cuda/cuda.h"

#define OK(call) CHECK((call) == TERN_OK)

static const DeviceOps *const ops = &device_cuda;

static void open_here(Fixture *f, const tern_open_options *options) {
    fresh();
    open_device(f, NULL, options);
    CHECK(f->status == TERN_OK);
}

/* ---- gates ---- */

TEST(nothing_starts_behind_a_gate) {
    for (int timed = 0; timed < 2; timed++) {
        Fixture f;
        void *gate = NULL, *event = NULL, *loaded = NULL, *record = NULL;
        open_here(&f, &(tern_open_options){.timeout_ms = timed ? 20 : 0});
        OK(ops->gate_open(&f.device, &gate));
        OK(ops->event_open(&f.device, &event));
        OK(ops->alloc(&f.device, sizeof(MockRecord), &record));
        loaded = load(&f, "my_record");
        for (unsigned round = 1; round <= 3; round++) {
            char want[80];
            mock()->trace();
            OK(ops->gate_shut(&f.device, gate, NULL));
            snprintf(want, sizeof want, "current\ngate none, page1+0, %u, 0", round);
            CHECK_STR(mock()->trace(), want);
            OK(launch(&f, NULL, loaded, record, 1));
            OK(ops->event_record(&f.device, event, NULL));
            if (!timed || round < 3) ops->gate_lift(gate);
            if (timed && round == 3) { /* nobody lifts it: what waits is given up in time */
                CHECK(ops->event_wait(&f.device, event) == TERN_ERROR_KERNEL);
                CHECK(why_has(&f, "not finished after 20 ms"));
                ops->gate_lift(gate);
                break;
            }
            OK(ops->event_wait(&f.device, event));
        }
        close_device(&f);
        if (timed)
            mock()->reset(); /* a device with a kernel that hangs is left as it is */
        else
            CHECK(mock()->live() == 0);
    }
}

/* Closing a gate is work that is not finished: memory waits for it before it is given out again. */
TEST(a_gate_is_unfinished_work) {
    Fixture f;
    void *gate = NULL, *block = NULL;
    open_here(&f, NULL);
    OK(ops->gate_open(&f.device, &gate));
    OK(ops->alloc(&f.device, 64, &block));
    OK(ops->gate_shut(&f.device, gate, NULL));
    ops->gate_lift(gate);
    mock()->trace();
    ops->release(&f.device, block);
    CHECK_STR(mock()->trace(), "current\nwait for all");
    ops->gate_close(&f.device, gate);
    CHECK_STR(mock()->trace(), "current\nhost free page1+0");
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(drivers_without_gates) {
    Fixture f;
    void *gate = &f;
    open_here(&f, NULL);
    ((Cuda *)f.device.state)->driver.stream_gate = NULL;
    CHECK(ops->gate_open(&f.device, &gate) == TERN_ERROR_UNSUPPORTED && gate == NULL);
    CHECK(why_has(&f, "cuda:0 has no gates: the driver lacks cuStreamWaitValue32"));
    close_device(&f);
    CHECK(mock()->live() == 0);
}

/* ---- the clock ---- */

static void *load_cycles(Fixture *f) {
    static const char ptx[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                              ".visible .entry my_cycles(.param .u64 n) { ret; }\n";
    void *loaded = NULL;
    CompiledKernel kernel = kernel_of(f->arena, "my_cycles", ptx, 32, 0);
    OK(ops->load(&f->device, &kernel, &loaded));
    return loaded;
}

TEST(the_clock_between_two_events) {
    Fixture f;
    void *start = NULL, *end = NULL, *plain = NULL, *queue = NULL;
    double mhz = 0;
    uint64_t cycles = 500000;
    open_here(&f, NULL);
    void *loaded = load_cycles(&f);
    OK(ops->queue_open(&f.device, &queue));
    OK(ops->event_open(&f.device, &plain));
    OK(ops->clock_open(&f.device, &start));
    mock()->trace();
    OK(ops->clock_open(&f.device, &end)); /* its kernel is loaded once */
    CHECK_STR(mock()->trace(),
              "current\nevent 0\ncurrent\nhost alloc 4096, 2\nhost pointer page2+0, 0");
    OK(ops->event_record(&f.device, start, queue));
    CHECK_STR(mock()->trace(),
              "current\nlaunch tern_clock, 1 1 1, 1 1 1, 0, stream1\nrecord event2, stream1");
    OK(ops->launch(&f.device, queue, loaded, (uint32_t[]){1, 1, 1}, (void *[]){&cycles}));
    OK(ops->event_record(&f.device, end, queue));
    mock()->trace();
    OK(ops->clock_between(&f.device, start, end, &mhz));
    CHECK_STR(mock()->trace(), "current\nwait for event2\ncurrent\nwait for event3");
    CHECK(mhz > 1979 && mhz < 1981);
    CHECK(ops->clock_between(&f.device, plain, end, &mhz) == TERN_ERROR_ARGUMENT);
    CHECK(why_has(&f, "the event was created without a clock"));
    CHECK(ops->clock_between(&f.device, start, plain, &mhz) == TERN_ERROR_ARGUMENT);
    ops->event_close(&f.device, end);
    close_device(&f);
    CHECK(mock()->live() == 0);
}

/* Nanoseconds, cycles and processor, before and after; -1: the two say nothing. */
TEST(readings_that_say_nothing) {
    static const struct {
        uint64_t before[3], after[3];
        double mhz;
    } rows[] = {
        {{1000, 5000, 7}, {3000, 8000, 7}, 1500},
        {{1000, 5000, 7}, {1500, 5600, 7}, 1200},
        {{0, 0, 0}, {1, 1, 0}, 1000},
        {{1000, 5000, 7}, {3000, 8000, 8}, -1}, /* clocks of two processors */
        {{3000, 5000, 7}, {3000, 8000, 7}, -1},
        {{3000, 5000, 7}, {2000, 8000, 7}, -1},
        {{1000, 8000, 7}, {3000, 8000, 7}, -1},
        {{1000, 8000, 7}, {3000, 5000, 7}, -1},
        {{3000, 8000, 7}, {1000, 5000, 7}, -1},
    };
    Fixture f;
    void *start = NULL, *end = NULL;
    open_here(&f, NULL);
    OK(ops->clock_open(&f.device, &start));
    OK(ops->clock_open(&f.device, &end));
    for (int i = 0; i < COUNT(rows); i++) {
        double mhz = -1;
        memcpy(((CudaObject *)start)->shared, rows[i].before, sizeof rows[i].before);
        memcpy(((CudaObject *)end)->shared, rows[i].after, sizeof rows[i].after);
        OK(ops->clock_between(&f.device, start, end, &mhz));
        CHECK(fabs(mhz - rows[i].mhz) < 1e-9);
    }
    close_device(&f);
    CHECK(mock()->live() == 0);
}

/* ---- NVML ---- */

typedef struct NvmlMock {
    int (*script)(unsigned long long reasons, unsigned max_mhz, int first, int last);
    int (*refuse)(int call);
} NvmlMock;

static NvmlMock nvml_mock(void) {
    NvmlMock mocked;
    void *library = dlopen(MOCK_NVML, RTLD_NOW | RTLD_LOCAL);
    void *script = library ? dlsym(library, "mock_nvml_script") : NULL,
         *refuse = library ? dlsym(library, "mock_nvml_refuse") : NULL;
    if (!script || !refuse) return fprintf(stderr, "%s\n", dlerror()), exit(1), mocked;
    memcpy(&mocked.script, &script, sizeof script);
    memcpy(&mocked.refuse, &refuse, sizeof refuse);
    return mocked;
}

static tern_clock_state state_now(Fixture *f) {
    tern_clock_state state = {0};
    OK(ops->clock_state(&f->device, &state));
    return state;
}

TEST(nvml_says_why_a_clock_is_low) {
    static const struct {
        unsigned long long theirs;
        unsigned ours;
    } rows[] = {{0, 0},
                {0x1, 0}, /* idle: not slow */
                {0x2, 0}, /* as set by the user */
                {0x4, TERN_SLOW_POWER_CAP},
                {0x8, TERN_SLOW_HARDWARE},
                {0x10, 0},
                {0x20, TERN_SLOW_TEMPERATURE},
                {0x40, TERN_SLOW_TEMPERATURE},
                {0x80, TERN_SLOW_POWER_BRAKE},
                {0x100, 0},
                {0x60, TERN_SLOW_TEMPERATURE},
                {0xff, TERN_SLOW_POWER_CAP | TERN_SLOW_HARDWARE | TERN_SLOW_TEMPERATURE |
                           TERN_SLOW_POWER_BRAKE}};
    Fixture f;
    NvmlMock nvml = nvml_mock();
    setenv("TERN_NVML", MOCK_NVML, 1);
    nvml.refuse(0);
    open_here(&f, NULL);
    mock()->trace();
    for (int i = 0; i < COUNT(rows); i++) {
        nvml.script(rows[i].theirs, (unsigned)(2000 + i), 1, 1);
        tern_clock_state state = state_now(&f);
        CHECK(state.mhz == 1755 && state.max_mhz == 2000 + i && state.reasons_known);
        CHECK(state.reasons == rows[i].ours);
    }
    CHECK_STR(mock()->trace(),
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100\n"
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100\n"
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100\n"
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100\n"
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100\n"
              "attribute 13 of 100\nbus 32, 100\nattribute 13 of 100\nbus 32, 100");
    CHECK(nvml.refuse(0) == 1); /* opened once */
    close_device(&f);
    CHECK(nvml.refuse(0) == 0 && mock()->live() == 0);
    unsetenv("TERN_NVML");
}

/* What it does not say stays what the driver said, or not known. */
TEST(nvml_that_refuses) {
    NvmlMock nvml = nvml_mock();
    setenv("TERN_NVML", MOCK_NVML, 1);
    for (int call = 0; call <= 5; call++) {
        Fixture f;
        open_here(&f, NULL);
        nvml.script(0x8, 1500, 1, 9);
        nvml.refuse(call);
        tern_clock_state state = state_now(&f);
        bool is_open = call != 1 && call != 2;
        CHECK(state.mhz == (is_open && call != 3 ? 1755 : 0));
        CHECK(state.max_mhz == (is_open && call != 4 ? 1500 : 1980));
        CHECK(state.reasons_known == (is_open && call != 5));
        CHECK(state.reasons == (is_open && call != 5 ? (unsigned)TERN_SLOW_HARDWARE : 0));
        CHECK(nvml.refuse(0) == is_open);
        state = state_now(&f); /* what could not be opened is not tried again */
        CHECK(state.reasons_known == is_open);
        close_device(&f);
        CHECK(nvml.refuse(0) == 0);
    }
    /* The system's own, where there is one, does not know the mock's GPU. */
    static const char *const none[] = {"/nowhere/libnvidia-ml.so.1",
                                       MOCK_DRIVER /* has no such calls */, "", NULL};
    for (int i = 0; i < COUNT(none); i++) {
        Fixture f;
        if (none[i])
            setenv("TERN_NVML", none[i], 1);
        else
            unsetenv("TERN_NVML");
        open_here(&f, NULL);
        tern_clock_state state = state_now(&f);
        CHECK(state.mhz == 0 && state.max_mhz == 1980 && !state.reasons_known && !state.reasons);
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
    unsetenv("TERN_NVML");
}

/* ---- each call of these failing in turn ---- */

static tern_status time_something(Fixture *f, void *loaded) {
    void *start = NULL, *end = NULL, *gate = NULL;
    uint64_t cycles = 1000;
    double mhz = 0;
    tern_clock_state state;
    tern_status status = ops->clock_open(&f->device, &start);
    CHECK((status == TERN_OK) == (start != NULL));
    if (!status) status = ops->clock_open(&f->device, &end);
    if (!status) status = ops->gate_open(&f->device, &gate);
    CHECK(status == TERN_OK || gate == NULL);
    if (!status) status = ops->gate_shut(&f->device, gate, NULL);
    if (!status) status = ops->event_record(&f->device, start, NULL);
    if (!status)
        status = ops->launch(&f->device, NULL, loaded, (uint32_t[]){1, 1, 1}, (void *[]){&cycles});
    if (!status) status = ops->event_record(&f->device, end, NULL);
    if (gate) ops->gate_lift(gate);
    if (!status) status = ops->clock_between(&f->device, start, end, &mhz);
    if (!status) CHECK(mhz > 1900 && mhz < 2100);
    if (!status) status = ops->clock_state(&f->device, &state);
    return status;
}

TEST(each_call_of_timing_failing_in_turn) {
    setenv("TERN_NVML", "/nowhere", 1);
    for (int call = 1;; call++) {
        Fixture f;
        open_here(&f, NULL);
        void *loaded = load_cycles(&f);
        mock()->fail(call, 999);
        tern_status status = time_something(&f, loaded);
        const char *failed = mock()->failed_call();
        mock()->fail(0, 0);
        CHECK((status != TERN_OK) == (failed != NULL));
        CHECK(status == TERN_OK || why_has(&f, "CUDA_ERROR_UNKNOWN: unknown error"));
        f.status = TERN_OK;
        close_device(&f);
        CHECK(mock()->live() == 0);
        if (failed) continue;
        CHECK(call > 25);
        break;
    }
    unsetenv("TERN_NVML");
}

/* ---- tables ---- */

static CudaResult no_words(CudaResult result, const char **words) {
    (void)result, (void)words;
    return CUDA_INVALID_VALUE;
}
static CudaResult null_words(CudaResult result, const char **words) {
    *words = NULL;
    return result == CUDA_OK ? CUDA_UNKNOWN : CUDA_OK;
}
static CudaResult a_name(CudaResult result, const char **words) {
    *words = "CUDA_ERROR_SO";
    return result == CUDA_OK ? CUDA_UNKNOWN : CUDA_OK;
}
static CudaResult a_text(CudaResult result, const char **words) {
    *words = "so it is";
    return result == CUDA_OK ? CUDA_UNKNOWN : CUDA_OK;
}

TEST(words_of_results) {
    typedef CudaResult Words(CudaResult result, const char **words);
    static const struct {
        Words *name, *text;
        const char *want;
    } rows[] = {{a_name, a_text, "CUDA_ERROR_SO: so it is"},
                {a_name, no_words, "CUDA_ERROR_SO"},
                {a_name, null_words, "CUDA_ERROR_SO"},
                {no_words, a_text, "so it is"},
                {null_words, a_text, "so it is"},
                {no_words, no_words, "CUresult 719"},
                {null_words, null_words, "CUresult 719"},
                {no_words, null_words, "CUresult 719"}};
    for (int i = 0; i < COUNT(rows); i++) {
        char words[64] = "#";
        CudaDriver driver = {.error_name = rows[i].name, .error_words = rows[i].text};
        cuda_driver_words(&driver, CUDA_LAUNCH_FAILED, words, sizeof words);
        CHECK_STR(words, rows[i].want);
    }
}

TEST(what_no_process_survives) {
    static const int sticky[] = {4, 214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
    for (int result = 0, next = 0; result < 1100; result++) {
        bool is_next = next < COUNT(sticky) && sticky[next] == result;
        CHECK(cuda_result_is_sticky((CudaResult)result) == is_next);
        next += is_next;
    }
}

TEST(each_capability_has_the_newest_target_that_it_runs) {
    static const struct {
        int from;
        const char *target;
    } rows[] = {{0, NULL},      {75, "sm_75"}, {80, "sm_80"},   {86, "sm_86"},  {89, "sm_89"},
                {90, "sm_90a"}, {91, "sm_89"}, {100, "sm_100"}, {120, "sm_120"}};
    for (int capability = 20, row = 0; capability < 200; capability++) {
        while (row + 1 < COUNT(rows) && rows[row + 1].from <= capability) row++;
        const char *got = cuda_target(capability / 10, capability % 10);
        CHECK(rows[row].target ? got && !strcmp(got, rows[row].target) : !got);
    }
}

TEST(the_drivers_version) {
    static const struct {
        int version;
        const char *words;
    } rows[] = {
        {11040, "CUDA 11.4"}, {12080, "CUDA 12.8"}, {12090, "CUDA 12.9"}, {13010, "CUDA 13.1"}};
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        fresh();
        mock()->set_version(rows[i].version);
        mock()->set_memory((size_t)85899345920); /* 80 GiB */
        mock()->set_capability(8, 9);
        open_device(&f, NULL, NULL);
        char want[160];
        snprintf(want, sizeof want,
                 "Mock GPU 0, 132 SMs, 80.0 GiB, compute capability 8.9, driver for %s",
                 rows[i].words);
        CHECK_STR(f.device.description.data, want);
        CHECK_STR(f.device.target, "sm_89");
        close_device(&f);
    }
}

TEST(libraries_that_are_no_driver) {
    Fixture f;
    fresh();
    setenv("TERN_CUDA_DRIVER", MOCK_NVML, 1);
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_ERROR_DEVICE &&
          why_has(&f, "the NVIDIA driver is too old: " MOCK_NVML
                      " lacks cuInit; CUDA 11.4 or newer is needed"));
    CHECK(f.device.state == NULL);
    close_device(&f);
    CudaDriver driver;
    char words[300], copy[] = "/tmp/tern-no-driver-XXXXXX", command[400];
    close(mkstemp(copy)); /* a library that nobody else has open is not left open */
    snprintf(command, sizeof command, "cp %s %s", MOCK_NVML, copy);
    setenv("TERN_CUDA_DRIVER", copy, 1);
    CHECK(!system(command) && !cuda_driver_open(&driver, words, sizeof words));
    CHECK(!driver.library && !dlopen(copy, RTLD_LAZY | RTLD_NOLOAD));
    unlink(copy);
    memset(&driver, 0xff, sizeof driver); /* whatever was there */
    setenv("TERN_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    CHECK(!cuda_driver_open(&driver, words, sizeof words) && !driver.library);
    CHECK(strstr(words, "no NVIDIA driver: /nowhere/libcuda.so.1") &&
          strstr(words, " (named by TERN_CUDA_DRIVER)"));
    cuda_driver_close(&driver);
}

TEST(options_and_their_variables) {
    static const struct {
        const char *timeout, *tern_blocking, *cuda_blocking;
        int asked;
        bool launch_blocking;
        int timeout_ms; /* -1: refused */
        bool blocking;
    } rows[] = {
        {NULL, NULL, NULL, 0, false, 0, false},
        {"", "", "", 0, false, 0, false},
        {"0", "0", "0", 0, false, 0, false},
        {"1", "1", NULL, 0, false, 1, true},
        {"86400000", NULL, "1", 0, false, 86400000, true},
        {"86400001", NULL, NULL, 0, false, -1, false},
        {"-1", NULL, NULL, 0, false, -1, false},
        {"5x", NULL, NULL, 0, false, -1, false},
        {"5x", NULL, NULL, 7, false, 7, false}, /* asked for: the variable is not looked at */
        {"9", "0", NULL, 7, true, 7, true},
        {NULL, NULL, "0", 3, true, 3, true},
        {NULL, NULL, NULL, -3, false, -1, false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        fresh();
        if (rows[i].timeout) setenv("TERN_TIMEOUT_MS", rows[i].timeout, 1);
        if (rows[i].tern_blocking) setenv("TERN_LAUNCH_BLOCKING", rows[i].tern_blocking, 1);
        if (rows[i].cuda_blocking) setenv("CUDA_LAUNCH_BLOCKING", rows[i].cuda_blocking, 1);
        tern_open_options options = {.timeout_ms = rows[i].asked,
                                     .launch_blocking = rows[i].launch_blocking};
        open_device(&f, NULL, rows[i].asked || rows[i].launch_blocking ? &options : NULL);
        CHECK((f.status == TERN_OK) == (rows[i].timeout_ms >= 0));
        const Cuda *cuda = f.device.state;
        if (f.status == TERN_OK)
            CHECK(cuda->timeout_ms == rows[i].timeout_ms && cuda->blocking == rows[i].blocking);
        else
            CHECK(f.status == TERN_ERROR_ARGUMENT &&
                  why_has(&f, rows[i].asked ? "timeout_ms is negative"
                                            : "expected milliseconds, at most 86400000"));
        close_device(&f);
    }
    fresh();
}

TEST_MAIN()
