// SPDX-License-Identifier: Apache-2.0
/* What fails on the NVIDIA device leaves nothing, on the mock driver and on the host: each call of
 * the driver and each allocation in turn, and what closes behind a kernel that hangs. And whom the
 * words blame for a failure that the driver tells of later. */
#include "allocations.h"
#include "unit/cuda_mock.h"

#include "device/cuda/cuda.h"

#define OK(call) CHECK((call) == TERN_OK)

static const DeviceOps *const ops = &device_cuda;

/* ---- making things ---- */

enum { MEMORY = 1 << 20 };

typedef struct Bench {
    Fixture f;
    CompiledKernel kernel;
    void *block, *loaded;
} Bench;

static void bench_open(Bench *b, const tern_open_options *options) {
    void *clock = NULL;
    fresh();
    mock()->set_memory(MEMORY);
    open_device(&b->f, NULL, options);
    CHECK(b->f.status == TERN_OK);
    b->kernel = kernel_of(b->f.arena, "my_record", record_ptx, 128, 100000);
    OK(ops->load(&b->f.device, &b->kernel, &b->loaded));
    OK(ops->alloc(&b->f.device, sizeof(MockRecord), &b->block));
    OK(ops->clock_open(&b->f.device, &clock)); /* its kernel is loaded once and stays */
    ops->event_close(&b->f.device, clock);
}

/* Each makes a thing, ends what fails, and gives the thing back. */
static tern_status make_queue(Bench *b, void **made) { return ops->queue_open(&b->f.device, made); }
static tern_status adopt_queue(Bench *b, void **made) {
    return ops->queue_adopt(&b->f.device, b, made);
}
static tern_status make_event(Bench *b, void **made) { return ops->event_open(&b->f.device, made); }
static tern_status make_clock(Bench *b, void **made) { return ops->clock_open(&b->f.device, made); }
static tern_status make_gate(Bench *b, void **made) { return ops->gate_open(&b->f.device, made); }
static tern_status make_loaded(Bench *b, void **made) {
    return ops->load(&b->f.device, &b->kernel, made);
}
static tern_status make_block(Bench *b, void **made) {
    return ops->alloc(&b->f.device, MEMORY / 8, made);
}
/* The device has room for one only: the other lies idle, and is given up. */
static tern_status make_large(Bench *b, void **made) {
    return ops->alloc(&b->f.device, MEMORY / 8 * 7, made);
}
static tern_status make_graph(Bench *b, void **made) {
    return ops->graph_end(&b->f.device, b->f.device.print_user, made);
}

static void close_block(Device *device, void *block) { /* not into the pool, where it would stay */
    Cuda *cuda = device->state;
    size_t memory = cuda->memory_bytes;
    cuda->memory_bytes = 0;
    ops->release(device, block);
    cuda->memory_bytes = memory;
}

static const struct {
    const char *name;
    tern_status (*make)(Bench *b, void **made);
    void (*close)(Device *device, void *made);
    int calls; /* of the driver, that may fail */
    int allocations;
} makers[] = {
    {"queue", make_queue, NULL, 2, 1},        {"adopted", adopt_queue, NULL, 0, 1},
    {"event", make_event, NULL, 2, 1},        {"clock", make_clock, NULL, 5, 1},
    {"gate", make_gate, NULL, 3, 1},          {"loaded", make_loaded, NULL, 6, 4},
    {"block", make_block, close_block, 2, 1}, {"large", make_large, close_block, 2, 1},
    {"graph", make_graph, NULL, 3, 1},
};

static int num_objects(const Bench *b) {
    int count = 0;
    const Cuda *cuda = b->f.device.state;
    for (const CudaObject *o = cuda->objects.next; o; o = o->next) {
        CHECK(o->previous->next == o);
        count++;
    }
    return count;
}

typedef struct Left {
    int live, objects, adopted;
    size_t idle_bytes;
    long allocations;
} Left;

static Left left(const Bench *b) {
    const Cuda *cuda = b->f.device.state;
    return (Left){mock()->live(), num_objects(b), cuda->num_adopted, cuda->pool.idle_bytes,
                  allocations_live};
}

static bool same(const Left *a, const Left *b) {
    return a->live == b->live && a->objects == b->objects && a->adopted == b->adopted &&
           a->idle_bytes == b->idle_bytes && a->allocations == b->allocations;
}

/* A graph is made of what a queue of its own records. */
static void record(Bench *b, void **queue) {
    OK(ops->queue_open(&b->f.device, queue));
    OK(ops->graph_begin(&b->f.device, *queue));
    OK(launch(&b->f, *queue, b->loaded, b->block, 1));
    b->f.device.print_user = *queue;
}

/* Makes the thing with the call-th call of the driver, or allocation, failing; false: none did. */
static bool try_maker(Bench *b, int maker, int call, int result, int allocation) {
    void *made = NULL, *queue = NULL;
    bool records = makers[maker].make == make_graph;
    Left before = left(b);
    if (records) record(b, &queue);
    mock()->fail(call, result);
    allocations_until_failure = allocation;
    allocations_failed = false;
    tern_status status = makers[maker].make(b, &made);
    const char *failed_call = mock()->failed_call();
    bool failed = call ? failed_call != NULL : allocations_failed;
    allocations_until_failure = -1;
    mock()->fail(0, 0);
    CHECK((status == TERN_OK) == (made != NULL));
    if (call && failed && status == TERN_OK) /* tried again, or it only gives something back */
        CHECK((result == CUDA_OUT_OF_MEMORY && makers[maker].close) ||
              !strcmp(failed_call, "cuGraphDestroy"));
    if (call && status) CHECK(status == (result == 2 ? TERN_ERROR_NO_MEMORY : TERN_ERROR_DEVICE));
    if (call && status) CHECK(why_has(&b->f, result == 2 ? "OUT_OF_MEMORY" : "UNKNOWN"));
    if (!call && status)
        CHECK(status == TERN_ERROR_NO_MEMORY && why_has(&b->f, "the host's memory is full"));
    if (!call && failed && status == TERN_OK) /* the assembler's words are not needed */
        CHECK(makers[maker].make == make_loaded && !((CudaObject *)made)->log);
    if (made && makers[maker].close)
        makers[maker].close(&b->f.device, made);
    else if (made)
        ops->event_close(&b->f.device, made);
    if (records) ops->queue_close(&b->f.device, queue);
    OK(ops->synchronize(&b->f.device));
    Left after = left(b);
    bool is_same = same(&before, &after);
    CHECK(is_same);
    if (!is_same)
        printf("%s, call %d, result %d, allocation %d: %d things, %d objects, %d adopted, %ld "
               "bytes idle, %ld allocations more\n",
               makers[maker].name, call, result, allocation, after.live - before.live,
               after.objects - before.objects, after.adopted - before.adopted,
               (long)(after.idle_bytes - before.idle_bytes),
               after.allocations - before.allocations);
    return failed;
}

static void begin_counting(void) {
    Dl_info info;
    const void *control;
    const Mock *(*function)(void) = NULL;
    void *found = dlsym(dlopen(MOCK_DRIVER, RTLD_NOW | RTLD_NOLOAD), "mock_control");
    (void)function;
    control = found;
    allocations_exempt = dladdr(control, &info) ? info.dli_fbase : NULL;
    CHECK(allocations_exempt != NULL);
    allocations_counted = ALLOCATIONS_ARE_OURS;
}

TEST(a_call_that_fails_leaves_nothing) {
    static const int results[] = {999, 2};
    for (int r = 0; r < COUNT(results); r++)
        for (int i = 0; i < COUNT(makers); i++) {
            Bench b;
            bench_open(&b, NULL);
            begin_counting();
            int call = 1;
            while (try_maker(&b, i, call, results[r], -1)) call++;
            allocations_counted = false;
            CHECK(call - 1 >= makers[i].calls);
            if (call - 1 < makers[i].calls) printf("%s: %d calls\n", makers[i].name, call - 1);
            close_device(&b.f);
            CHECK(mock()->live() == 0);
        }
}

TEST(an_allocation_that_fails_leaves_nothing) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    for (int i = 0; i < COUNT(makers); i++) {
        Bench b;
        bench_open(&b, NULL);
        begin_counting();
        int allocation = 0;
        while (try_maker(&b, i, 0, 0, allocation)) allocation++;
        allocations_counted = false;
        CHECK(allocation >= makers[i].allocations);
        if (allocation < makers[i].allocations)
            printf("%s: %d allocations\n", makers[i].name, allocation);
        close_device(&b.f);
        CHECK(mock()->live() == 0);
    }
}

/* With memory full what lies idle is given up, and if that is not enough, all is said. */
TEST(what_lies_idle_is_given_up_first) {
    Bench b;
    void *small = NULL, *large = NULL;
    bench_open(&b, NULL);
    begin_counting();
    Left before = left(&b);
    OK(ops->alloc(&b.f.device, MEMORY / 5, &small));
    ops->release(&b.f.device, small);
    CHECK(((Cuda *)b.f.device.state)->pool.idle_bytes == 212992);
    OK(make_large(&b, &large));
    CHECK(((Cuda *)b.f.device.state)->pool.idle_bytes == 0);
    close_block(&b.f.device, large);
    Left after = left(&b);
    CHECK(same(&before, &after));
    OK(ops->alloc(&b.f.device, MEMORY / 5, &small));
    ops->release(&b.f.device, small);
    CHECK(ops->alloc(&b.f.device, MEMORY, &large) == TERN_ERROR_NO_MEMORY && !large);
    CHECK(why_has(&b.f, "cannot allocate 1048576 bytes (1048064 of 1048576 are free)"));
    after = left(&b);
    CHECK(same(&before, &after));
    allocations_counted = false;
    close_device(&b.f);
    CHECK(mock()->live() == 0);
}

/* ---- closing ---- */

static tern_status hang(Bench *b) {
    void *hanging = NULL, *queue = NULL, *graph = NULL, *blocks[3], *event = NULL, *gate = NULL;
    CompiledKernel kernel = kernel_of(b->f.arena, "my_hang", record_ptx, 32, 0);
    OK(ops->load(&b->f.device, &kernel, &hanging));
    record(b, &queue);
    OK(make_graph(b, &graph));
    OK(make_event(b, &event));
    OK(make_gate(b, &gate));
    for (int i = 0; i < 3; i++) OK(ops->alloc(&b->f.device, 1000u << i * 4, &blocks[i]));
    ops->release(&b->f.device, blocks[0]);
    ops->release(&b->f.device, blocks[1]);
    OK(launch(&b->f, NULL, hanging, b->block, 1));
    return ops->synchronize(&b->f.device);
}

/* The driver is left alone, and nothing of the host's stays. */
TEST(closing_behind_a_kernel_that_hangs) {
    Bench b;
    fresh();
    begin_counting();
    long before = allocations_live;
    bench_open(&b, &(tern_open_options){.timeout_ms = 20});
    CHECK(hang(&b) == TERN_ERROR_KERNEL);
    mock()->trace();
    close_device(&b.f);
    CHECK_STR(mock()->trace(), "");
    CHECK(allocations_live == before);
    allocations_counted = false;
    mock()->reset();
}

TEST(closing_frees_what_the_user_left) {
    fresh();
    begin_counting();
    long before = allocations_live;
    for (int failing = 0; failing < 12; failing++) {
        Bench b;
        void *made[COUNT(makers)] = {NULL}, *queue = NULL;
        bench_open(&b, NULL);
        record(&b, &queue);
        for (int i = 0; i < COUNT(makers); i++)
            if (makers[i].make != adopt_queue && makers[i].make != make_large)
                OK(makers[i].make(&b, &made[i]));
        void *second = NULL;
        record(&b, &second); /* and one that still records */
        mock()->fail(failing, 999);
        close_device(&b.f);
        mock()->fail(0, 0);
        CHECK(mock()->live() == 0);
        CHECK(allocations_live == before);
    }
    allocations_counted = false;
}

/* ---- whom the words blame ---- */

static bool is_blamed(Fixture *f, const char *words) {
    void *block = NULL;
    mock()->fail(2, CUDA_ILLEGAL_ADDRESS); /* of the allocation; the first asks for the context */
    tern_status status = ops->alloc(&f->device, 3 << 10, &block);
    mock()->fail(0, 0);
    char want[300];
    snprintf(want, sizeof want,
             "cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered (%s; "
             "seen when tern wanted to allocate 3072 bytes). The driver refuses all further "
             "work on this device: start the process again to use it",
             words);
    bool good = status == TERN_ERROR_KERNEL && why_has(f, want);
    close_device(f);
    CHECK(mock()->live() == 0);
    return good;
}

static const char nobody[] = "no launch of this context is unfinished: other work in the process",
                  first[] = "kernel 'my_record' (k.py:3), launch 1, grid (1, 2, 3)",
                  last[] = "last launched 'my_record' (k.py:3), launch 2, grid (7, 2, 3); with "
                           "TERN_LAUNCH_BLOCKING=1 the launch at fault is named";

enum { SYNCHRONIZED = 1, BLOCKING, BLOCKING_A_QUEUE, UNLOADED, WAITED };

TEST(whom_a_late_failure_is_put_down_to) {
    static const struct {
        int launches, how;
        const char *words;
    } rows[] = {{0, 0, nobody},
                {1, 0, first},
                {2, 0, last},
                {1, SYNCHRONIZED, nobody},
                {2, SYNCHRONIZED, nobody},
                {1, BLOCKING, nobody},
                {2, BLOCKING, nobody},
                {2, BLOCKING_A_QUEUE, nobody},
                {1, UNLOADED, nobody},
                {2, WAITED, nobody}};
    for (int i = 0; i < COUNT(rows); i++) {
        Bench b;
        void *queue = NULL;
        bool blocks = rows[i].how == BLOCKING || rows[i].how == BLOCKING_A_QUEUE;
        bench_open(&b, &(tern_open_options){.launch_blocking = blocks});
        if (rows[i].how == BLOCKING_A_QUEUE) OK(make_queue(&b, &queue));
        OK(ops->synchronize(&b.f.device));
        for (int k = 0; k < rows[i].launches; k++)
            OK(launch(&b.f, queue, b.loaded, b.block, k ? 7 : 1));
        if (rows[i].how == SYNCHRONIZED) OK(ops->synchronize(&b.f.device));
        if (rows[i].how == WAITED) OK(ops->queue_wait(&b.f.device, NULL));
        if (rows[i].how == UNLOADED) ops->unload(&b.f.device, b.loaded);
        CHECK(is_blamed(&b.f, rows[i].words));
    }
}

TEST(a_launch_that_is_refused_says_all_of_it) {
    Bench b;
    void *loaded = NULL;
    bench_open(&b, NULL);
    b.kernel.facts.block[0] = 16, b.kernel.facts.block[1] = 3, b.kernel.facts.block[2] = 4;
    OK(ops->load(&b.f.device, &b.kernel, &loaded));
    CHECK(ops->launch(&b.f.device, NULL, loaded, (uint32_t[]){5, 65536, 7}, (void *[]){&b.block}) ==
          TERN_ERROR_DEVICE);
    CHECK(why_has(&b.f,
                  "cannot launch kernel 'my_record' (k.py:3), grid (5, 65536, 7), 192 threads "
                  "a block, 100000 bytes of shared memory: CUDA_ERROR_INVALID_VALUE"));
    close_device(&b.f);
    CHECK(mock()->live() == 0);
}

/* A kernel whose text is not known has its name alone. */
TEST(a_kernel_without_a_text_has_a_name) {
    Bench b;
    void *loaded = NULL;
    bench_open(&b, NULL);
    b.kernel.place.source = NULL;
    OK(ops->load(&b.f.device, &b.kernel, &loaded));
    OK(ops->synchronize(&b.f.device));
    OK(launch(&b.f, NULL, loaded, b.block, 1));
    CHECK(is_blamed(&b.f, "kernel 'my_record', launch 1, grid (1, 2, 3)"));
}

/* ---- what is not finished ---- */

static tern_status run_graph(Bench *b, void *queue, void *graph) {
    return ops->graph_launch(&b->f.device, graph, queue);
}
static tern_status run_kernel(Bench *b, void *queue, void *graph) {
    (void)graph;
    return launch(&b->f, queue, b->loaded, b->block, 1);
}
static tern_status copy_later(Bench *b, void *queue, void *graph) {
    char bytes[4] = {0};
    (void)graph;
    return ops->write_async(&b->f.device, queue, b->block, bytes, 4);
}
static tern_status fill_later(Bench *b, void *queue, void *graph) {
    (void)graph;
    return ops->fill_async(&b->f.device, queue, b->block, 0, 4);
}

/* Memory, and what is closed, waits for it, once; a synchronize ends it. */
TEST(what_was_enqueued_is_waited_for) {
    static tern_status (*const enqueue[])(Bench *, void *, void *) = {run_graph, run_kernel,
                                                                      copy_later, fill_later};
    for (int i = 0; i < COUNT(enqueue); i++)
        for (int ends = 0; ends < 3; ends++) {
            Bench b;
            void *queue = NULL, *graph = NULL, *block = NULL;
            bench_open(&b, NULL);
            OK(ops->alloc(&b.f.device, 4096, &block));
            record(&b, &queue);
            OK(make_graph(&b, &graph));
            OK(ops->synchronize(&b.f.device));
            OK(enqueue[i](&b, queue, graph));
            mock()->trace();
            if (ends == 2) OK(ops->synchronize(&b.f.device));
            if (ends) ops->graph_close(&b.f.device, graph);
            ops->release(&b.f.device, block);
            CHECK_STR(mock()->trace(), ends == 0   ? "current\nwait for all"
                                       : ends == 1 ? "current\nwait for all\ndestroy exec1\ncurrent"
                                                   : "current\nwait for all\ncurrent\ndestroy "
                                                     "exec1\ncurrent");
            close_device(&b.f);
            CHECK(mock()->live() == 0);
        }
}

/* An event is closed at once: the driver keeps it as long as it needs it. */
TEST(closing_an_event_waits_for_nothing) {
    Bench b;
    void *event = NULL, *queue = NULL;
    bench_open(&b, NULL);
    OK(make_event(&b, &event));
    record(&b, &queue);
    OK(launch(&b.f, NULL, b.loaded, b.block, 1));
    mock()->trace();
    ops->event_close(&b.f.device, event);
    CHECK_STR(mock()->trace(), "current\ndestroy event2");
    ops->queue_close(&b.f.device, queue); /* nor one that records, whose work is not enqueued */
    CHECK_STR(mock()->trace(), "current\ncapture ends stream1\ndestroy graph1\ndestroy stream1");
    close_device(&b.f);
    CHECK(mock()->live() == 0);
}

/* With a time limit a stream that the caller made is asked by itself; nothing else is. */
TEST(streams_of_the_caller_are_waited_for) {
    Bench b;
    void *own = NULL, *adopted = NULL, *event = NULL;
    bench_open(&b, &(tern_open_options){.timeout_ms = 5000});
    OK(make_event(&b, &event));
    OK(make_queue(&b, &own));
    mock()->trace();
    OK(ops->synchronize(&b.f.device));
    CHECK_STR(mock()->trace(), "current\nrecord event1, none\nis event1 done\nwait for all");
    OK(ops->queue_adopt(&b.f.device, ops->queue_handle(own), &adopted));
    OK(ops->synchronize(&b.f.device));
    CHECK_STR(mock()->trace(),
              "current\nrecord event1, none\nis event1 done\nis stream1 done\nwait for all");
    close_device(&b.f);
    CHECK(mock()->live() == 0);
}

TEST(the_time_between_two_events_is_known_when_both_are_over) {
    for (int timed = 0; timed < 2; timed++) {
        Bench b;
        void *start = NULL, *end = NULL;
        double ns = -1;
        bench_open(&b, &(tern_open_options){.timeout_ms = timed ? 5000 : 0});
        OK(make_event(&b, &start));
        OK(make_event(&b, &end));
        OK(ops->event_record(&b.f.device, start, NULL));
        OK(launch(&b.f, NULL, b.loaded, b.block, 1));
        OK(ops->event_record(&b.f.device, end, NULL));
        mock()->trace();
        OK(ops->event_elapsed(&b.f.device, start, end, &ns));
        CHECK_STR(mock()->trace(),
                  timed ? "current\nis event3 done\nis event4 done\nfrom event3 to event4"
                        : "current\nwait for event2\nwait for event3\nfrom event2 to event3");
        CHECK(ns >= 2000 && ns < 1e9); /* a launch takes 2 us there */
        close_device(&b.f);
        CHECK(mock()->live() == 0);
    }
}

TEST_MAIN()
