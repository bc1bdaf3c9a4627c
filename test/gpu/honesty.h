// SPDX-License-Identifier: Apache-2.0
/* honesty: does tern_bench say what is true? Work of known length, callables that wait, that leave
 * work on another stream, that write nothing; a clock that is said to be low. The work is enqueued
 * with the driver's own calls, so that the judge is not the judged. Each test prints what it
 * measured.
 *
 * test/gpu/honesty.c runs these on a GPU, test/unit/cuda_honesty.c on the mock driver, whose time
 * is made up: there the logic is tested, the accuracy only here. Include after test.h. */
#ifndef TERN_TEST_HONESTY_H
#define TERN_TEST_HONESTY_H

#include "gpu/gpu.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

static const char spin_ptx[] = PTX_HEAD
    ".visible .entry time_spin(.param .u64 pns)\n{\n .reg .b64 %d<5>; .reg .pred %p;\n"
    " ld.param.u64 %d0, [pns]; mov.u64 %d1, %globaltimer;\n"
    "again:\n mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;\n setp.lt.u64 %p, %d3, %d0;\n"
    " @%p bra again;\n ret;\n}\n"
    ".visible .entry clock_cycles(.param .u64 pcycles)\n{\n .reg .b64 %d<5>; .reg .pred %p;\n"
    " ld.param.u64 %d0, [pcycles]; mov.u64 %d1, %clock64;\n"
    "more:\n mov.u64 %d2, %clock64; sub.u64 %d3, %d2, %d1;\n setp.lt.u64 %p, %d3, %d0;\n"
    " @%p bra more;\n ret;\n}\n"
    ".visible .entry address_trap()\n{\n .reg .b64 %d<2>; .reg .b32 %r<2>; mov.u64 %d0, 16; "
    "mov.u32 %r0, 1;\n"
    " st.global.u32 [%d0], %r0;\n ret;\n}\n";

typedef struct Judge {
    tern_context *context;
    CudaDriver driver;
    CudaModule module;
    CudaFunction spin, cycles, trap;
    CudaStream side; /* non-blocking */
    bool is_mock;
} Judge;

static bool judge_open(Judge *judge) {
    char words[512] = "";
    CudaDeviceId id;
    CudaContext primary;
    memset(judge, 0, sizeof *judge);
    judge->context = tern_open(&(tern_open_options){.device = "cuda"}, NULL, words, sizeof words);
    if (!judge->context || !cuda_driver_open(&judge->driver, words, sizeof words)) {
        printf("%s\n", words);
        CHECK(!"the device opens");
        return false;
    }
    CudaDriver *d = &judge->driver;
    bool fine = !d->device_get(&id, 0) && !d->context_retain(&primary, id) &&
                !d->context_set(primary) &&
                !d->module_load(&judge->module, spin_ptx, 0, NULL, NULL) &&
                !d->module_function(&judge->spin, judge->module, "time_spin") &&
                !d->module_function(&judge->cycles, judge->module, "clock_cycles") &&
                !d->module_function(&judge->trap, judge->module, "address_trap") &&
                !d->stream_create(&judge->side, CUDA_STREAM_NON_BLOCKING);
    judge->is_mock = strstr(tern_device_description(judge->context), "Mock GPU") != NULL;
    CHECK(fine);
    return fine;
}

static void judge_close(Judge *judge) {
    CudaDeviceId id;
    if (judge->side) judge->driver.stream_destroy(judge->side);
    if (judge->module) judge->driver.module_unload(judge->module);
    tern_close(judge->context);
    if (!judge->driver.device_get(&id, 0)) judge->driver.context_release(id);
    cuda_driver_close(&judge->driver);
}

/* ---- callables ---- */

typedef struct Task {
    Judge *judge;
    uint64_t spin_ns, cycles, side_ns;
    int sleep_ms; /* on the host, before the launch */
    bool waits, traps;
    CudaPointer fill_at; /* what it writes: fill_bytes of fill_byte */
    size_t fill_bytes;
    unsigned char fill_byte;
} Task;

static CudaResult launch_one(const CudaDriver *driver, CudaFunction function, CudaStream stream,
                             uint64_t value) {
    void *arguments[] = {&value};
    return driver->launch(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static tern_status do_task(void *user, tern_stream *stream) {
    const Task *task = user;
    const CudaDriver *driver = &task->judge->driver;
    CudaResult result = CUDA_OK;
    (void)stream;
    if (task->sleep_ms) nanosleep(&(struct timespec){0, task->sleep_ms * 1000000L}, NULL);
    if (task->spin_ns) result = launch_one(driver, task->judge->spin, NULL, task->spin_ns);
    if (task->cycles && !result)
        result = launch_one(driver, task->judge->cycles, NULL, task->cycles);
    if (task->side_ns && !result)
        result = launch_one(driver, task->judge->spin, task->judge->side, task->side_ns);
    if (task->fill_bytes && !result)
        result = driver->fill(task->fill_at, task->fill_byte, task->fill_bytes, NULL);
    if (task->traps && !result)
        result = driver->launch(task->judge->trap, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    if (task->waits && !result) result = driver->stream_wait(NULL);
    return result ? TERN_ERROR_DEVICE : TERN_OK;
}

static tern_status null_kernel(void *user, tern_stream *stream) {
    const Task *task = user;
    (void)stream;
    return launch_one(&task->judge->driver, task->judge->spin, NULL, 0) ? TERN_ERROR_DEVICE
                                                                        : TERN_OK;
}

static tern_timing timing_of(Judge *judge, tern_callable *run, Task *task,
                             tern_bench_options options) {
    tern_timing timing = {0};
    task->judge = judge;
    if (options.min_time_ms == 0) options.min_time_ms = 20;
    if (options.max_samples == 0) options.max_samples = 100;
    tern_status status = tern_bench(judge->context, run, task, &options, &timing);
    if (status) printf("tern_bench: %s\n", tern_message(judge->context));
    CHECK(status == TERN_OK);
    tern_timing_free(&timing);
    return timing;
}

static tern_timing timing_hot(Judge *judge, Task task) {
    return timing_of(judge, do_task, &task, (tern_bench_options){.hot = true});
}

static bool is_near(double got, double want, double part, double least) {
    return fabs(got - want) <= fmax(part * want, least);
}

/* ---- tests ---- */

TEST(n01_known_times) {
    static const double times_us[] = {20, 200, 2000, 20000};
    Judge judge;
    if (judge_open(&judge)) {
        for (int i = 0; i < 4; i++) {
            tern_timing t = timing_hot(&judge, (Task){.spin_ns = (uint64_t)(times_us[i] * 1e3)});
            double got = (t.median - t.launch_floor_ms) * 1e3;
            printf("honesty 1: spin of %.0f us: events %.2f us, less an empty kernel's %.2f us: "
                   "%.2f us (%+.2f us, %+.3f %%)\n",
                   times_us[i], t.median * 1e3, t.launch_floor_ms * 1e3, got, got - times_us[i],
                   (got / times_us[i] - 1) * 100);
            CHECK(is_near(got, times_us[i], 0.005, 1.5));
        }
    }
    judge_close(&judge);
}

TEST(n02_clock_is_right) {
    static const uint64_t cycles[] = {2000000, 20000000};
    Judge judge;
    if (judge_open(&judge)) {
        for (int i = 0; i < 2; i++) {
            tern_timing t = timing_hot(&judge, (Task){.cycles = cycles[i]});
            double got = (t.median - t.launch_floor_ms) * 1e3 * t.clock_mhz;
            printf("honesty 2: spin of %llu cycles: %.4f ms at a measured %.1f MHz = %.0f cycles "
                   "(%+.3f %%)\n",
                   (unsigned long long)cycles[i], t.median, t.clock_mhz, got,
                   (got / (double)cycles[i] - 1) * 100);
            CHECK(t.clock_mhz > 0 && is_near(got, (double)cycles[i], 0.01, 0));
        }
    }
    judge_close(&judge);
}

TEST(n03_floors) {
    Judge judge;
    if (judge_open(&judge)) {
        Task task = {0};
        tern_timing null = timing_of(&judge, null_kernel, &task, (tern_bench_options){.hot = true});
        tern_timing twice =
            timing_hot(&judge, (Task){.spin_ns = (uint64_t)(null.launch_floor_ms * 1e6)});
        tern_timing ten =
            timing_hot(&judge, (Task){.spin_ns = (uint64_t)(null.launch_floor_ms * 10e6)});
        printf("honesty 3: floor of an empty pair of events %.2f us, of an empty kernel %.2f us; "
               "an empty kernel of the test's own: %.2f us, near the floor: %s; 2 floors: %s; 11 "
               "floors: %s\n",
               null.floor_ms * 1e3, null.launch_floor_ms * 1e3, null.median * 1e3,
               null.trust & TERN_TRUST_NEAR_FLOOR ? "said" : "NOT said",
               twice.trust & TERN_TRUST_NEAR_FLOOR ? "said" : "NOT said",
               ten.trust & TERN_TRUST_NEAR_FLOOR ? "SAID" : "not said");
        CHECK(is_near(null.median, null.launch_floor_ms, 0.25, 0.0007));
        CHECK(null.floor_ms < null.launch_floor_ms);
        CHECK((null.trust & TERN_TRUST_NEAR_FLOOR) && (twice.trust & TERN_TRUST_NEAR_FLOOR));
        CHECK(!(ten.trust & TERN_TRUST_NEAR_FLOOR));
    }
    judge_close(&judge);
}

TEST(n04_gate_keeps_the_host_out) {
    Judge judge;
    if (judge_open(&judge)) {
        const tern_bench_options few = {.hot = true, .max_samples = 12, .min_time_ms = 1};
        tern_bench_options open = few;
        open.no_gate = true;
        Task quick = {.spin_ns = 200000}, slow = {.spin_ns = 200000, .sleep_ms = 50};
        tern_timing a = timing_of(&judge, do_task, &quick, few),
                    b = timing_of(&judge, do_task, &slow, few);
        tern_timing c = timing_of(&judge, do_task, &slow, open);
        printf("honesty 4: 200 us of work: %.2f us; host sleeps 50 ms before the launch: gated "
               "%.2f us, without a gate %.2f ms\n",
               a.median * 1e3, b.median * 1e3, c.median);
        CHECK(a.is_gated && b.is_gated && !c.is_gated);
        CHECK(is_near(b.median, a.median, 0.01, 0.002));
        CHECK(c.median > 50 && (c.trust & TERN_TRUST_UNGATED));
        CHECK(b.host_ms >= 50 && (b.trust & TERN_TRUST_HOST_BOUND) &&
              !(b.trust & TERN_TRUST_WAITS_INSIDE));
    }
    judge_close(&judge);
}

TEST(n05_waiting_inside_is_said) {
    Judge judge;
    if (judge_open(&judge)) {
        tern_timing a = timing_hot(&judge, (Task){.spin_ns = 2000000});
        tern_timing b = timing_hot(&judge, (Task){.spin_ns = 2000000, .waits = true});
        printf("honesty 5: 2 ms of work: %.4f ms; with cuStreamSynchronize inside: %.4f ms (%+.2f "
               "%%), %s\n",
               a.median, b.median, (b.median / a.median - 1) * 100,
               b.trust & TERN_TRUST_WAITS_INSIDE ? "said" : "NOT said");
        CHECK(!(a.trust & TERN_TRUST_WAITS_INSIDE) && (b.trust & TERN_TRUST_WAITS_INSIDE));
        /* The mock's waits end when a loaded machine lets them. */
        CHECK(is_near(judge.is_mock ? b.min : b.median, a.median, 0.05, 0) && b.num_discarded >= 1);
    }
    judge_close(&judge);
}

TEST(n06_stray_work_is_said) {
    Judge judge;
    if (judge_open(&judge)) {
        tern_timing a = timing_hot(&judge, (Task){.spin_ns = 200000});
        tern_timing b = timing_hot(&judge, (Task){.spin_ns = 200000, .side_ns = 5000000});
        printf("honesty 6: 0.2 ms timed, 5 ms on another stream: timed %.4f ms, the device went on "
               "for %.3f ms, %s; "
               "host %.4f ms to return; without the other stream %.4f ms, %s\n",
               b.median, b.stray_ms, b.trust & TERN_TRUST_STRAY ? "said" : "NOT said", b.host_ms,
               a.stray_ms, a.trust & TERN_TRUST_STRAY ? "SAID" : "not said");
        CHECK(!(a.trust & TERN_TRUST_STRAY) && (b.trust & TERN_TRUST_STRAY));
        CHECK(b.stray_ms > 4 && (judge.is_mock || b.stray_ms < 6));
    }
    judge_close(&judge);
}

TEST(n07_unwritten_outputs_are_found) {
    enum { BYTES = 1 << 20 };
    Judge judge;
    if (judge_open(&judge)) {
        tern_buffer *output = tern_alloc(judge.context, BYTES);
        const tern_bench_options options = {.hot = true, .outputs = &output, .num_outputs = 1};
        CudaPointer at = (CudaPointer)(uintptr_t)tern_buffer_pointer(output);
        Task nothing = {.spin_ns = 1000},
             half = {.fill_at = at, .fill_bytes = BYTES / 2, .fill_byte = 7};
        Task all = {
            .fill_at = at, .fill_bytes = BYTES, .fill_byte = 0xa5}; /* a value like the poison */
        tern_timing a = timing_of(&judge, do_task, &nothing, options),
                    b = timing_of(&judge, do_task, &half, options);
        tern_timing c = timing_of(&judge, do_task, &all, options);
        printf("honesty 7: of %d bytes not written: nothing written %zu, half %zu, all (with the "
               "poison's value) %zu\n",
               BYTES, a.unwritten_bytes, b.unwritten_bytes, c.unwritten_bytes);
        CHECK(a.unwritten_bytes == BYTES && (a.trust & TERN_TRUST_UNWRITTEN));
        CHECK(b.unwritten_bytes == BYTES / 2 && (b.trust & TERN_TRUST_UNWRITTEN));
        CHECK(c.unwritten_bytes == 0 && !(c.trust & TERN_TRUST_UNWRITTEN));
    }
    judge_close(&judge);
}

/* ---- caches ---- */

static const char read_source[] =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def read(x, sums, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + i), 0))\n";

typedef struct Reader {
    tern_kernel *kernel;
    tern_argument arguments[2];
    uint32_t grid[3];
} Reader;

static tern_status do_read(void *user, tern_stream *stream) {
    Reader *reader = user;
    return tern_launch(stream, reader->kernel, reader->grid, reader->arguments, 2);
}

static tern_timing time_reading(Judge *judge, Reader *reader, tern_bench_options options) {
    tern_timing timing = {0};
    options.min_time_ms = 20;
    CHECK(tern_bench(judge->context, do_read, reader, &options, &timing) == TERN_OK);
    tern_timing_free(&timing);
    return timing;
}

static void read_hot_and_cold(Judge *judge, tern_kernel *kernel, size_t bytes) {
    tern_buffer *x = tern_alloc(judge->context, bytes),
                *sums = tern_alloc(judge->context, bytes / 4096);
    CHECK(x && sums && tern_fill(x, 0) == TERN_OK);
    if (!x || !sums) return;
    Reader reader = {
        kernel, {tern_arg_buffer(x), tern_arg_buffer(sums)}, {(uint32_t)(bytes / 16384), 1, 1}};
    tern_timing warm = time_reading(judge, &reader, (tern_bench_options){.hot = true});
    double hot = warm.median * 1e3, floor = warm.launch_floor_ms * 1e3;
    double clean = time_reading(judge, &reader, (tern_bench_options){0}).median * 1e3;
    double larger =
        time_reading(judge, &reader, (tern_bench_options){.cold_bytes = (size_t)512 << 20}).median *
        1e3;
    tern_timing filled = time_reading(judge, &reader, (tern_bench_options){.cold_fill = true});
    double fill = filled.median * 1e3;
    printf("honesty 8: %zu MiB read: hot %.2f us, cold by reading 256 MiB %.2f us (%.2f x; %.2f x "
           "less an empty kernel's), 512 MiB %.2f us (%+.1f %%), "
           "by filling 256 MiB %.2f us (%+.1f %%)\n",
           bytes >> 20, hot, clean, clean / hot, (clean - floor) / (hot - floor), larger,
           (larger / clean - 1) * 100, fill, (fill / clean - 1) * 100);
    CHECK(filled.is_filled);
    if (judge->is_mock) return; /* there are no caches */
    /* What a launch takes without any work is in both, and no cache makes it shorter. */
    if (bytes <= (size_t)16 << 20) CHECK(clean - floor >= 1.5 * (hot - floor));
    CHECK(is_near(larger, clean, 0.03, 0.5));
    CHECK(fill >= 1.03 * clean);
    tern_buffer_free(x);
    tern_buffer_free(sums);
}

TEST(n08_hot_cold_clean_and_filled) {
    Judge judge;
    if (judge_open(&judge)) {
        tern_module *module =
            tern_load_text(judge.context, read_source, sizeof read_source - 1, "read.py");
        tern_kernel *kernel = module ? tern_compile(module, "read", "*fp32:16,*fp32:16,4096",
                                                    &(tern_options){.num_warps = 8})
                                     : NULL;
        CHECK(kernel != NULL);
        if (kernel) {
            read_hot_and_cold(&judge, kernel, (size_t)16 << 20);
            read_hot_and_cold(&judge, kernel, judge.is_mock ? (size_t)32 << 20 : (size_t)384 << 20);
        }
    }
    judge_close(&judge);
}

/* ---- a clock that is said to be low ---- */

typedef int NvmlScript(unsigned long long reasons, unsigned max_mhz, int first, int last);

static NvmlScript *nvml_script(void) {
    NvmlScript *script = NULL;
    void *library = dlopen(MOCK_NVML, RTLD_NOW),
         *found = library ? dlsym(library, "mock_nvml_script") : NULL;
    memcpy(&script, &found, sizeof script);
    return script;
}

TEST(n27_slow_samples_are_discarded) {
    Judge judge;
    NvmlScript *script = nvml_script();
    CHECK(script != NULL);
    setenv("TERN_NVML", MOCK_NVML, 1);
    if (script && judge_open(&judge)) {
        Task task = {.spin_ns = 500000};
        const tern_bench_options options = {.hot = true, .min_time_ms = 100, .max_samples = 400};
        script(0, 1980, 0, 0);
        tern_timing a = timing_of(&judge, do_task, &task, options);
        script(0x8, 1980, 2, 4);
        tern_timing b = timing_of(&judge, do_task, &task, options);
        script(0, 4000, 0, 0);
        tern_timing c = timing_of(&judge, do_task, &task, options);
        printf("honesty 27: 0.5 ms: %.4f ms; with a hardware slowdown told 3 times: %.4f ms (%+.2f "
               "%%), %zu samples "
               "discarded, %s; with a clock that stays at half its highest: %zu discarded, %s\n",
               a.median, b.median, (b.median / a.median - 1) * 100, b.num_discarded,
               b.trust & TERN_TRUST_THROTTLED ? "KEPT some" : "none kept", c.num_discarded,
               c.trust & TERN_TRUST_THROTTLED ? "said to be slowed down" : "NOT said");
        CHECK(a.reasons_known && a.num_discarded == 0 && a.slow_reasons == 0);
        CHECK(b.num_discarded >= 3 && (b.slow_reasons & TERN_SLOW_HARDWARE) &&
              !(b.trust & TERN_TRUST_THROTTLED));
        CHECK(is_near(b.median, a.median, 0.01, 0));
        CHECK(c.num_discarded >= 10 && (c.trust & TERN_TRUST_THROTTLED));
        judge_close(&judge);
    }
    unsetenv("TERN_NVML");
}

/* ---- what fails is not timed ---- */

static tern_status refuse(void *user, tern_stream *stream) {
    const Task *task = user;
    (void)stream; /* a grid of 70000 in y is beyond the limit */
    uint64_t value = 0;
    void *arguments[] = {&value};
    return task->judge->driver.launch(task->judge->spin, 1, 70000, 1, 1, 1, 1, 0, NULL, arguments,
                                      NULL)
               ? TERN_ERROR_DEVICE
               : TERN_OK;
}

TEST(failed_work_is_not_timed) {
    Judge judge;
    if (getenv("TERN_TEST_HARMLESS")) {
        SKIP("it faults on purpose");
        return;
    }
    if (judge_open(&judge)) {
        tern_timing timing;
        Task task = {.judge = &judge, .traps = true};
        tern_status refused = tern_bench(judge.context, refuse, &task, NULL, &timing);
        CHECK(refused == TERN_ERROR_DEVICE && timing.num_samples == 0 && !timing.samples);
        tern_status failed = tern_bench(judge.context, do_task, &task, NULL, &timing);
        CHECK(failed && timing.num_samples == 0 && !timing.samples);
        printf("honesty, failures: a launch beyond the grid's limit: %s; an illegal address: %s; "
               "samples: 0\n",
               tern_status_name(refused), tern_status_name(failed));
    }
    judge_close(&judge);
}

#endif
