// SPDX-License-Identifier: Apache-2.0
/* The NVIDIA device against the mock driver: what reaches the driver, what its failures become, and
 * that nothing is left behind whichever call fails. */
#include "test.h"

#include "unit/cuda_mock.h"

#include <unistd.h>

/* ---- what reaches the driver ---- */

TEST(describes_the_device) {
    Fixture f;
    fresh();
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_OK);
    CHECK_STR(f.device.name.data, "cuda:0");
    CHECK_STR(f.device.target, "sm_90a");
    CHECK_STR(f.device.description.data, "Mock GPU 0, 132 SMs, 1.0 GiB, compute capability 9.0, "
                                         "driver for CUDA 13.0");
    tern_gpu gpu = f.device.gpu;
    CHECK(gpu.capability == 90 && gpu.multiprocessors == 132 && gpu.warp_size == 32);
    CHECK(gpu.multiprocessor_threads == 2048 && gpu.block_registers == 65536);
    CHECK(gpu.block_shared_bytes == 232448);
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(targets_follow_the_capability) {
    const struct {
        int major, minor;
        const char *target;
    } rows[] = {{7, 5, "sm_75"},   {8, 0, "sm_80"},   {8, 6, "sm_86"},   {8, 7, "sm_86"},
                {8, 9, "sm_89"},   {9, 0, "sm_90a"},  {10, 0, "sm_100"}, {10, 3, "sm_100"},
                {12, 0, "sm_120"}, {12, 1, "sm_120"}, {15, 0, "sm_120"}};
    for (int i = 0; i < COUNT(rows); i++)
        CHECK_STR(cuda_target(rows[i].major, rows[i].minor), rows[i].target);
    CHECK(cuda_target(7, 2) == NULL);
}

TEST(memory_round_trip) {
    Fixture f;
    void *a = NULL, *b = NULL, *again = NULL;
    char out[1000];
    fresh();
    open_device(&f, NULL, NULL);
    CHECK(device_cuda.alloc(&f.device, 1000, &a) == TERN_OK && (uintptr_t)a % 256 == 0);
    CHECK(device_cuda.alloc(&f.device, 0, &b) == TERN_OK && b != NULL && b != a);
    char in[1000];
    for (int i = 0; i < 1000; i++) in[i] = (char)(i * 7);
    CHECK(device_cuda.write(&f.device, a, in, sizeof in) == TERN_OK);
    CHECK(device_cuda.fill(&f.device, (char *)a + 10, 0x55, 5) == TERN_OK);
    CHECK(device_cuda.read(&f.device, out, a, sizeof out) == TERN_OK);
    memset(in + 10, 0x55, 5);
    CHECK(memcmp(in, out, sizeof in) == 0);
    device_cuda.release(&f.device, a);
    CHECK(device_cuda.alloc(&f.device, 1001, &again) == TERN_OK && again == a); /* from the pool */
    close_device(&f); /* b and again are left to it */
    CHECK(mock()->live() == 0);
}

TEST(launch_passes_all) {
    Fixture f;
    void *record = NULL;
    MockRecord got;
    fresh();
    open_device(&f, NULL, NULL);
    void *loaded = load(&f, "my_record");
    CHECK(f.status == TERN_OK && loaded);
    CHECK(device_cuda.alloc(&f.device, sizeof got, &record) == TERN_OK);
    CHECK(device_cuda.fill(&f.device, record, 0, sizeof got) == TERN_OK);
    CHECK(launch(&f, NULL, loaded, record, 0) == TERN_OK); /* nothing */
    CHECK(launch(&f, NULL, loaded, record, 5) == TERN_OK);
    CHECK(device_cuda.read(&f.device, &got, record, sizeof got) == TERN_OK);
    float number = 1.5f;
    uint32_t bits;
    memcpy(&bits, &number, 4);
    CHECK(got.launches == 1 && got.grid[0] == 5 && got.grid[1] == 2 && got.grid[2] == 3);
    CHECK(got.block == 128 && got.shared_bytes == 0 && got.num_params == 5);
    CHECK(got.params[0] == (uintptr_t)record && got.params[1] == (uint32_t)-7);
    CHECK(got.params[2] == bits && got.params[3] == 1 && got.params[4] == (uint64_t)INT64_MIN);
    Str facts = device_cuda.loaded_facts(&f.device, loaded);
    CHECK(strstr(facts.data, "registers: 32\n") && strstr(facts.data, "occupancy: 100 %\n"));
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(shared_memory) {
    const struct {
        int bytes;
        const char *text;
        uint32_t dynamic;
        const char *refused;
    } rows[] = {
        {40000, "", 40000, NULL},
        {100000, "", 100000, NULL},
        {232448, "// static_shared=1024", 231424, NULL},
        {1024, "// static_shared=1024", 0, NULL},
        {512, "// static_shared=1024", 0, NULL},
        {0, "// static_shared=232448", 0, NULL},
        {0, "// static_shared=232449", 0,
         "needs 232449 bytes of shared memory; a block on cuda:0 may have 232448"},
        {300000, "", 0, "needs 300000 bytes of shared memory; a block on cuda:0 may have 232448"}};
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        void *record = NULL, *loaded = NULL;
        MockRecord got = {0};
        fresh();
        open_device(&f, NULL, NULL);
        const char *ptx = str_format(f.arena, "%s%s\n", record_ptx, rows[i].text).data;
        CompiledKernel kernel = kernel_of(f.arena, "my_record", ptx, 256, rows[i].bytes);
        f.status = device_cuda.load(&f.device, &kernel, &loaded);
        CHECK((f.status == TERN_OK) == !rows[i].refused);
        if (rows[i].refused)
            CHECK(f.status == TERN_ERROR_UNSUPPORTED && why_has(&f, rows[i].refused));
        else {
            CHECK(device_cuda.alloc(&f.device, sizeof got, &record) == TERN_OK);
            CHECK(launch(&f, NULL, loaded, record, 1) == TERN_OK);
            CHECK(device_cuda.read(&f.device, &got, record, sizeof got) == TERN_OK);
            CHECK(got.shared_bytes == rows[i].dynamic && got.block == 256);
        }
        f.status = TERN_OK;
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

TEST(queues_events_graphs) {
    Fixture f;
    void *record = NULL, *queue = NULL, *start = NULL, *end = NULL, *graph = NULL;
    MockRecord got;
    double ns = -1;
    fresh();
    open_device(&f, NULL, NULL);
    const DeviceOps *ops = &device_cuda;
    void *loaded = load(&f, "my_record");
    CHECK(ops->alloc(&f.device, sizeof got, &record) == TERN_OK);
    CHECK(ops->queue_open(&f.device, &queue) == TERN_OK && ops->queue_handle(queue) != NULL);
    CHECK(ops->event_open(&f.device, &start) == TERN_OK &&
          ops->event_open(&f.device, &end) == TERN_OK);
    CHECK(ops->fill_async(&f.device, queue, record, 0, sizeof got) == TERN_OK);
    CHECK(ops->event_elapsed(&f.device, start, end, &ns) == TERN_ERROR_DEVICE); /* not recorded */
    CHECK(ops->event_record(&f.device, start, queue) == TERN_OK);
    CHECK(ops->graph_end(&f.device, queue, &graph) == TERN_ERROR_ARGUMENT);
    CHECK(ops->graph_begin(&f.device, NULL) == TERN_ERROR_ARGUMENT);
    CHECK(ops->graph_begin(&f.device, queue) == TERN_OK);
    CHECK(ops->graph_begin(&f.device, queue) == TERN_ERROR_ARGUMENT);
    for (uint32_t i = 1; i <= 3; i++) CHECK(launch(&f, queue, loaded, record, i) == TERN_OK);
    CHECK(ops->graph_end(&f.device, queue, &graph) == TERN_OK && graph);
    CHECK(ops->read(&f.device, &got, record, sizeof got) == TERN_OK && got.launches == 0);
    CHECK(ops->graph_launch(&f.device, graph, queue) == TERN_OK);
    CHECK(ops->graph_launch(&f.device, graph, queue) == TERN_OK);
    CHECK(ops->event_record(&f.device, end, queue) == TERN_OK);
    CHECK(ops->event_order(&f.device, end, NULL) == TERN_OK);
    CHECK(ops->queue_wait(&f.device, queue) == TERN_OK);
    CHECK(ops->read(&f.device, &got, record, sizeof got) == TERN_OK);
    CHECK(got.launches == 6 && got.grid[0] == 3);
    CHECK(ops->event_elapsed(&f.device, start, end, &ns) == TERN_OK && ns > 0 && ns < 1e10);
    ops->graph_close(&f.device, graph);
    ops->event_close(&f.device, start);
    ops->unload(&f.device, loaded);
    CHECK(mock()->live() == 4);                           /* context, block, queue, event */
    CHECK(ops->graph_begin(&f.device, queue) == TERN_OK); /* closed while it records */
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(two_devices) {
    Fixture a, b, c;
    fresh();
    mock()->set_devices(2);
    open_device(&a, "0", NULL);
    open_device(&b, "1", NULL);
    open_device(&c, "2", NULL);
    CHECK(c.status == TERN_ERROR_DEVICE);
    CHECK(why_has(&c, "there is no device cuda:2: the driver has 2, numbered from 0"));
    CHECK_STR(b.device.name.data, "cuda:1");
    CHECK(strstr(b.device.description.data, "Mock GPU 1"));
    Fixture *both[] = {&a, &b};
    void *records[2], *loaded[2];
    for (int i = 0; i < 2; i++) {
        loaded[i] = load(both[i], "my_record");
        CHECK(device_cuda.alloc(&both[i]->device, sizeof(MockRecord), &records[i]) == TERN_OK);
        CHECK(device_cuda.fill(&both[i]->device, records[i], 0, sizeof(MockRecord)) == TERN_OK);
    }
    for (int round = 0; round < 3; round++) /* the mock aborts on a handle of the other context */
        for (int i = 0; i < 2; i++)
            CHECK(launch(both[i], NULL, loaded[i], records[i], 1) == TERN_OK);
    for (int i = 0; i < 2; i++) {
        MockRecord got;
        CHECK(device_cuda.read(&both[i]->device, &got, records[i], sizeof got) == TERN_OK);
        CHECK(got.launches == 3);
    }
    close_device(&a);
    close_device(&b);
    close_device(&c);
    CHECK(mock()->live() == 0);
}

/* ---- failures ---- */

TEST(no_driver) {
    Fixture f;
    fresh();
    setenv("TERN_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_ERROR_DEVICE && why_has(&f, "no NVIDIA driver: /nowhere/libcuda.so.1"));
    close_device(&f);
}

TEST(bad_devices) {
    Fixture f;
    const char *const bad[] = {"", "x", "-1", "1x", "/1", ":1", "10000", "99999999999999999999"};
    fresh();
    for (int i = 0; i < COUNT(bad); i++) {
        open_device(&f, bad[i], NULL);
        CHECK(f.status == TERN_ERROR_ARGUMENT && why_has(&f, "expected a number after 'cuda:'"));
        close_device(&f);
    }
    open_device(&f, "9999", NULL);
    CHECK(f.status == TERN_ERROR_DEVICE && why_has(&f, "there is no device cuda:9999"));
    close_device(&f);
    mock()->set_devices(0);
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_ERROR_DEVICE && why_has(&f, "there is no NVIDIA GPU here"));
    close_device(&f);
    mock()->reset();
    mock()->set_capability(7, 0);
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_ERROR_DEVICE && why_has(&f, "compute capability 7.0; tern needs 7.5"));
    close_device(&f);
    mock()->reset();
    setenv("TERN_TIMEOUT_MS", "soon", 1);
    open_device(&f, NULL, NULL);
    CHECK(f.status == TERN_ERROR_ARGUMENT && why_has(&f, "TERN_TIMEOUT_MS='soon'"));
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(out_of_memory) {
    Fixture f;
    void *a = NULL, *b = NULL, *c = NULL;
    fresh();
    mock()->set_memory((size_t)8 << 20);
    open_device(&f, NULL, NULL);
    CHECK(device_cuda.alloc(&f.device, (size_t)9 << 20, &a) == TERN_ERROR_NO_MEMORY);
    CHECK(why_has(&f, "cuda:0: cannot allocate 9437184 bytes: the device has 8388608"));
    CHECK(device_cuda.alloc(&f.device, SIZE_MAX, &a) == TERN_ERROR_NO_MEMORY && a == NULL);
    CHECK(device_cuda.alloc(&f.device, (size_t)6 << 20, &a) == TERN_OK);
    CHECK(device_cuda.alloc(&f.device, (size_t)1 << 20, &b) == TERN_OK);
    CHECK(device_cuda.alloc(&f.device, (size_t)2 << 20, &c) == TERN_ERROR_NO_MEMORY);
    CHECK(why_has(&f, "(1048576 of 8388608 are free): CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
    device_cuda.release(&f.device, b); /* is kept in the pool, and given up for another size */
    CHECK(device_cuda.alloc(&f.device, (size_t)2 << 20, &c) == TERN_OK);
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(texts_the_driver_refuses) {
    const struct {
        const char *text;
        tern_status status;
        const char *words;
    } rows[] = {
        {".version 8.0\n.entry k() {} bad_ptx", TERN_ERROR_DEVICE,
         "cannot load kernel 'k' for sm_90a: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed\n"
         "ptxas application ptx input, line 7"},
        {".version 9.5\n.entry k() {}", TERN_ERROR_DEVICE,
         "the driver is for CUDA 13.0 and too old for PTX 9.5, which needs a driver for CUDA 13.5"},
        {".version 8.0\n.entry other() {}", TERN_ERROR_DEVICE, "CUDA_ERROR_NOT_FOUND"},
        {"", TERN_ERROR_ARGUMENT, "kernel 'k' (k.py:3) was compiled for 'sm_90a', not for a GPU"},
        {".version 8.0\n.entry k() {} many_registers", TERN_ERROR_UNSUPPORTED,
         "has 512 threads a block, but takes so many registers that cuda:0 can run at most 256"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        void *loaded = NULL;
        fresh();
        open_device(&f, NULL, NULL);
        CompiledKernel kernel = kernel_of(f.arena, "k", rows[i].text, 512, 0);
        CHECK(device_cuda.load(&f.device, &kernel, &loaded) == rows[i].status && !loaded);
        CHECK(why_has(&f, rows[i].words));
        CHECK(load(&f, "my_record") != NULL); /* the device is still usable */
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

/* What the compiler says behind a trap is said where the driver may have seen one. */
TEST(trap_is_explained) {
    for (int i = 0; i < 2; i++) {
        Fixture f;
        void *loaded = NULL;
        fresh();
        open_device(&f, NULL, NULL);
        Str text = str_format(f.arena, "%s//\ttrap; // line 7: a is odd\n//\ttrap; // line 9: b\n",
                              record_ptx);
        CompiledKernel kernel = kernel_of(f.arena, "my_record", text.data, 128, 0);
        CHECK(device_cuda.load(&f.device, &kernel, &loaded) == TERN_OK);
        CHECK(launch(&f, NULL, loaded, NULL, 1) == TERN_OK);
        mock()->fail(2, i ? CUDA_ILLEGAL_ADDRESS : CUDA_LAUNCH_FAILED);
        CHECK(device_cuda.synchronize(&f.device) == TERN_ERROR_KERNEL);
        CHECK(why_has(&f, "it stops itself at line 7: a is odd; or line 9: b; seen when") == !i);
        device_cuda.unload(&f.device, loaded);
        close_device(&f);
    }
}

TEST(kernel_failure_is_named) {
    for (int blocking = 0; blocking < 2; blocking++) {
        Fixture f;
        void *record = NULL;
        fresh();
        if (blocking) setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
        open_device(&f, NULL, NULL);
        CHECK(device_cuda.alloc(&f.device, sizeof(MockRecord), &record) == TERN_OK);
        void *good = load(&f, "my_record"), *bad = load(&f, "my_trap");
        CHECK(launch(&f, NULL, good, record, 1) == TERN_OK);
        tern_status status = launch(&f, NULL, bad, record, 4);
        CHECK(status == (blocking ? TERN_ERROR_KERNEL : TERN_OK));
        if (!blocking) {
            CHECK(device_cuda.synchronize(&f.device) == TERN_ERROR_KERNEL);
            CHECK(why_has(&f, "last launched 'my_trap' (k.py:3), launch 2, grid (4, 2, 3); with "
                              "TERN_LAUNCH_BLOCKING=1 the launch at fault is named"));
        } else {
            CHECK(why_has(&f, "(kernel 'my_trap' (k.py:3), launch 2, grid (4, 2, 3); seen when"));
        }
        CHECK(why_has(&f, "cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"));
        CHECK(why_has(&f, "start the process again"));
        /* From now on each call fails at once, with the same words. */
        f.device.why = (Str){0};
        CHECK(launch(&f, NULL, good, record, 1) == TERN_ERROR_KERNEL);
        CHECK(why_has(&f, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        int calls = mock()->calls();
        void *more = NULL;
        CHECK(device_cuda.alloc(&f.device, 1, &more) == TERN_ERROR_KERNEL);
        CHECK(mock()->calls() == calls);
        device_cuda.release(&f.device, record);
        device_cuda.unload(&f.device, good);
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

TEST(hung_kernel_times_out) {
    for (int how = 0; how < 5; how++) {
        Fixture f;
        void *record = NULL, *queue = NULL, *event = NULL, *none = NULL;
        char bytes[4];
        fresh();
        open_device(&f, NULL, &(tern_open_options){.timeout_ms = 30, .launch_blocking = how == 4});
        const DeviceOps *ops = &device_cuda;
        CHECK(ops->alloc(&f.device, 64, &record) == TERN_OK);
        CHECK(ops->queue_open(&f.device, &queue) == TERN_OK);
        CHECK(ops->event_open(&f.device, &event) == TERN_OK);
        void *loaded = load(&f, "my_hang");
        int64_t start = clock_ns();
        tern_status status = launch(&f, queue, loaded, record, 9);
        CHECK(status == (how == 4 ? TERN_ERROR_KERNEL : TERN_OK));
        if (how == 0) status = ops->synchronize(&f.device);
        if (how == 1) status = ops->read(&f.device, bytes, record, 4);
        if (how == 2) status = ops->queue_wait(&f.device, queue);
        if (how == 3)
            ops->event_record(&f.device, event, queue), status = ops->event_wait(&f.device, event);
        CHECK(status == TERN_ERROR_KERNEL);
        CHECK(why_has(&f, "cuda:0: not finished after 30 ms (kernel 'my_hang' (k.py:3), launch 1, "
                          "grid (9, 2, 3))"));
        CHECK(ops->alloc(&f.device, 64, &none) == TERN_ERROR_KERNEL && none == NULL);
        CHECK(clock_ns() - start >= 30000000);
        ops->release(&f.device, record);
        close_device(&f); /* does not wait: the mock would abort */
    }
    mock()->reset();
}

/* ---- every call failing in turn ---- */

static bool survived(tern_status status, const Fixture *f, const char *words, bool *failed) {
    if (status == TERN_OK) return true;
    *failed = true;
    return f->device.why.length > 0 && (mock()->failed_call() == NULL || why_has(f, words));
}

/* One of each thing that tern does on a GPU; false: a failure without the driver's words. */
static bool work(int timeout_ms, const char *words, bool *failed) {
    Fixture f;
    const DeviceOps *ops = &device_cuda;
    void *record = NULL, *queue = NULL, *start = NULL, *end = NULL, *graph = NULL, *loaded = NULL;
    MockRecord got;
    double ns;
    open_device(&f, NULL, &(tern_open_options){.timeout_ms = timeout_ms});
    bool good = survived(f.status, &f, words, failed);
#define TRY(call) good = survived((call), &f, words, failed) && good
    if (f.status == TERN_OK) {
        CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, 128, 100000);
        TRY(ops->load(&f.device, &kernel, &loaded));
        TRY(ops->alloc(&f.device, sizeof got, &record));
        TRY(ops->queue_open(&f.device, &queue));
        TRY(ops->event_open(&f.device, &start));
        TRY(ops->event_open(&f.device, &end));
        if (record) TRY(ops->fill(&f.device, record, 0, sizeof got));
        if (start) TRY(ops->event_record(&f.device, start, queue));
        if (loaded && record) TRY(launch(&f, queue, loaded, record, 1));
        if (queue && loaded && record) {
            tern_status began = ops->graph_begin(&f.device, queue);
            TRY(began);
            TRY(launch(&f, queue, loaded, record, 1));
            if (began == TERN_OK) TRY(ops->graph_end(&f.device, queue, &graph));
        }
        if (graph) TRY(ops->graph_launch(&f.device, graph, queue));
        if (end) TRY(ops->event_record(&f.device, end, queue));
        if (end) TRY(ops->event_order(&f.device, end, NULL));
        TRY(ops->queue_wait(&f.device, queue));
        if (record) TRY(ops->read(&f.device, &got, record, sizeof got));
        if (start && end && !*failed) TRY(ops->event_elapsed(&f.device, start, end, &ns));
        TRY(ops->synchronize(&f.device));
        if (loaded) ops->loaded_facts(&f.device, loaded);
        if (record) ops->release(&f.device, record);
        if (loaded) ops->unload(&f.device, loaded);
        if (start) ops->event_close(&f.device, start);
        if (graph) ops->graph_close(&f.device, graph);
        if (queue) ops->queue_close(&f.device, queue);
    }
#undef TRY
    close_device(&f);
    return good;
}

/* What gives something back, or is only told, may fail without a word; these are called for that,
 * too, and what they fail in is looked at elsewhere. */
static bool may_be_silent(const char *symbol) {
    static const char *const parts[] = {"Free",      "Destroy",   "Unload",       "Release",
                                        "cuCtxGet",  "cuCtxSet",  "cuCtxSync",    "cuGetError",
                                        "Occupancy", "cuFuncGet", "cuEventQuery", "cuEventRecord"};
    for (int i = 0; i < COUNT(parts); i++)
        if (strstr(symbol, parts[i])) return true;
    return false;
}

TEST(every_call_failing_in_turn) {
    static const struct {
        int result;
        const char *words;
    } rows[] = {{2, "CUDA_ERROR_OUT_OF_MEMORY"},
                {700, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"},
                {999, "CUDA_ERROR_UNKNOWN: unknown error"},
                {12345, "CUresult 12345"}};
    for (int timed = 0; timed < 2; timed++) {
        for (int i = 0; i < COUNT(rows); i++) {
            int reported = 0;
            for (int call = 1;; call++) {
                bool failed = false;
                fresh();
                mock()->fail(call, rows[i].result);
                bool good = work(timed ? 1000 : 0, rows[i].words, &failed);
                const char *name = mock()->failed_call();
                if (!name) {
                    CHECK(call > 40 && !failed);
                    break;
                }
                reported += failed;
                CHECK(failed || may_be_silent(name) || rows[i].result == 2);
                bool clean = mock()->live() == 0;
                CHECK(good);
                CHECK(clean);
                if (!good || !clean) printf("call %d, %s, result %d\n", call, name, rows[i].result);
            }
            CHECK(reported > 30);
        }
    }
}

TEST_MAIN()
