// SPDX-License-Identifier: Apache-2.0
/* Which calls each thing that is asked of the NVIDIA device becomes, with all that they are given,
 * in order: a call that is not needed is time, one that is missing or is given something else is a
 * wrong result on a machine that no test sees. */
#include "unit/cuda_mock.h"

#include "tern.h"

/* The calls since the last check. */
#define CALLS(want) CHECK_STR(mock()->trace(), (want))
#define OK(call)    CHECK((call) == TERN_OK)

static const DeviceOps *const ops = &device_cuda;

static void open_quietly(Fixture *f, const char *argument, const tern_open_options *options) {
    fresh();
    open_device(f, argument, options);
    CHECK(f->status == TERN_OK);
    OK(ops->synchronize(&f->device)); /* its context is current from now on */
    mock()->trace();
}

TEST(opening_and_closing) {
    Fixture f;
    fresh();
    mock()->set_devices(3);
    open_device(&f, "2", NULL);
    CALLS("init 0\n"
          "version\n"
          "count\n"
          "get 2\n"
          "attribute 75 of 102\n"
          "attribute 76 of 102\n"
          "attribute 16 of 102\n"
          "attribute 97 of 102\n"
          "attribute 39 of 102\n"
          "attribute 12 of 102\n"
          "memory of 102\n"
          "name 255, 102\n"
          "retain 102");
    OK(ops->synchronize(&f.device));
    CALLS("current\n"
          "current = context1\n"
          "wait for all");
    close_device(&f);
    CALLS("current\n"
          "release 102");
    open_device(&f, NULL, &(tern_open_options){.timeout_ms = 500});
    CALLS("init 0\n"
          "version\n"
          "count\n"
          "get 0\n"
          "attribute 75 of 100\n"
          "attribute 76 of 100\n"
          "attribute 16 of 100\n"
          "attribute 97 of 100\n"
          "attribute 39 of 100\n"
          "attribute 12 of 100\n"
          "memory of 100\n"
          "name 255, 100\n"
          "retain 100\n"
          "current\n"
          "current = context2\n"
          "event 0");
    OK(ops->synchronize(&f.device));
    CALLS("current\n"
          "record event1, none\n"
          "is event1 done\n"
          "wait for all");
    close_device(&f);
    CALLS("current\n"
          "destroy event1\n"
          "release 100");
    CHECK(mock()->live() == 0);
}

TEST(memory_comes_in_sizes_that_fit_again) {
    static const struct {
        size_t asked, given;
    } rows[] = {{0, 512},
                {1, 512},
                {512, 512},
                {513, 1024},
                {8191, 8192},
                {8192, 8192},
                {8193, 9216},
                {9216, 9216},
                {16384, 16384},
                {16385, 18432},
                {100000, 106496},
                {1 << 20, 1 << 20},
                {(64 << 20) - 1, 64 << 20},
                {64 << 20, 64 << 20},
                {(64 << 20) + 1, 66 << 20},
                {(130 << 20) - 5, 130 << 20}};
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        char want[64];
        void *block = NULL, *again = NULL;
        open_quietly(&f, NULL, NULL);
        OK(ops->alloc(&f.device, rows[i].asked, &block));
        snprintf(want, sizeof want, "current\nalloc %zu", rows[i].given);
        CALLS(want);
        ops->release(&f.device, block); /* nothing ran: there is nothing to wait for */
        CALLS("current");
        OK(ops->alloc(&f.device, rows[i].given, &again));
        CHECK(again == block);
        CALLS("current");
        OK(ops->alloc(&f.device, rows[i].given, &block)); /* it is taken */
        CHECK(again != block);
        CALLS(want);
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

/* A quarter of the device's memory may lie idle. */
TEST(the_pool_is_a_quarter) {
    Fixture f;
    void *blocks[6];
    fresh();
    mock()->set_memory((size_t)64 << 20);
    open_device(&f, NULL, NULL);
    for (int i = 0; i < 6; i++) OK(ops->alloc(&f.device, (size_t)4 << 20, &blocks[i]));
    mock()->trace();
    for (int i = 0; i < 6; i++) ops->release(&f.device, blocks[i]);
    CALLS("current\n"
          "free block5+0\n"
          "current\n"
          "free block6+0");
    OK(ops->alloc(&f.device, (size_t)4 << 20, &blocks[0])); /* from the idle */
    CALLS("current");
    ops->release(&f.device, blocks[0]);
    CALLS("current");
    OK(ops->alloc(&f.device, (size_t)5 << 20, &blocks[5])); /* there is room: nothing is given up */
    CALLS("current\n"
          "alloc 5242880");
    ops->release(&f.device, blocks[5]);
    CALLS("current\n"
          "free block7+0");
    ops->release(&f.device, NULL); /* what is not the device's is left alone */
    ops->release(&f.device, &f);
    CALLS("");
    /* More than is free: what lies idle is given up, and then there is room. */
    OK(ops->alloc(&f.device, (size_t)60 << 20, &blocks[0]));
    CALLS("current\n"
          "alloc 62914560\n"
          "free block4+0\n"
          "free block3+0\n"
          "free block2+0\n"
          "free block1+0\n"
          "alloc 62914560");
    CHECK(ops->alloc(&f.device, (size_t)5 << 20, &blocks[1]) == TERN_ERROR_NO_MEMORY);
    CHECK(why_has(&f, "cannot allocate 5242880 bytes (4194304 of 67108864 are free)"));
    CALLS("current\n"
          "alloc 5242880\n"
          "memory info");
    CHECK(ops->alloc(&f.device, ((size_t)64 << 20) + 1, &blocks[1]) == TERN_ERROR_NO_MEMORY);
    CALLS("");
    ops->release(&f.device, blocks[0]);
    CALLS("current\n"
          "free block8+0");
    close_device(&f);
    CALLS("current\n"
          "release 100");
    CHECK(mock()->live() == 0);
}

TEST(copies) {
    for (int timed = 0; timed < 2; timed++) {
        Fixture f;
        char host[64] = {0};
        void *a = NULL, *queue = NULL;
        open_quietly(&f, NULL, &(tern_open_options){.timeout_ms = timed ? 5000 : 0});
        OK(ops->alloc(&f.device, 2000, &a));
        OK(ops->queue_open(&f.device, &queue));
        mock()->trace();
        OK(ops->write(&f.device, (char *)a + 8, host, 50));
        if (timed)
            CALLS("current\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all\n"
                  "copy in block1+8, 50, none\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all");
        else
            CALLS("current\n"
                  "copy in block1+8, 50, none\n"
                  "wait for all");
        OK(ops->read(&f.device, host, (char *)a + 16, 48));
        if (timed)
            CALLS("current\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all\n"
                  "copy out block1+16, 48, none\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all");
        else
            CALLS("current\n"
                  "copy out block1+16, 48, none\n"
                  "wait for all");
        OK(ops->fill(&f.device, (char *)a + 24, 7, 40));
        if (timed)
            CALLS("current\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all\n"
                  "fill block1+24, 7, 40, none\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all");
        else
            CALLS("current\n"
                  "fill block1+24, 7, 40, none\n"
                  "wait for all");
        OK(ops->write(&f.device, a, host, 0));
        OK(ops->fill_async(&f.device, queue, a, 7, 0));
        CALLS("");
        /* Nobody waits. */
        OK(ops->write_async(&f.device, queue, a, host, 5));
        OK(ops->read_async(&f.device, queue, host, a, 6));
        OK(ops->fill_async(&f.device, queue, a, 9, 7));
        OK(ops->write_async(&f.device, NULL, a, host, 8));
        CALLS("current\n"
              "copy in block1+0, 5, stream1\n"
              "current\n"
              "copy out block1+0, 6, stream1\n"
              "current\n"
              "fill block1+0, 9, 7, stream1\n"
              "current\n"
              "copy in block1+0, 8, none");
        /* What may still use it ends before somebody else gets it. */
        ops->release(&f.device, a);
        if (timed)
            CALLS("current\n"
                  "record event1, none\n"
                  "is event1 done\n"
                  "wait for all");
        else
            CALLS("current\n"
                  "wait for all");
        OK(ops->alloc(&f.device, 2000, &a));
        ops->release(&f.device, a);
        CALLS("current"); /* both, and nothing else */
        ops->queue_close(&f.device, queue);
        CALLS("current\n"
              "destroy stream1");
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

/* Blocks that wait for each other: the driver is told, and two streams take turns. */
TEST(cooperative_kernels) {
    Fixture f;
    void *loaded = NULL, *record = NULL, *queue = NULL;
    open_quietly(&f, NULL, NULL);
    OK(ops->alloc(&f.device, sizeof(MockRecord), &record));
    OK(ops->queue_open(&f.device, &queue));
    CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, 32, 0);
    kernel.facts.is_cooperative = true, kernel.facts.extern_bytes = 4096;
    OK(ops->load(&f.device, &kernel, &loaded));
    mock()->trace();
    OK(launch(&f, NULL, loaded, record, 5));
    CALLS("current\n"
          "all at once:\n"
          "launch my_record, 5 2 3, 32 1 1, 4096, none");
    OK(launch(&f, queue, loaded, record, 5));
    CALLS("current\n"
          "wait for all\n"
          "current\n"
          "all at once:\n"
          "launch my_record, 5 2 3, 32 1 1, 4096, stream1");
    OK(launch(&f, queue, loaded, record, 6));
    CALLS("current\n"
          "all at once:\n"
          "launch my_record, 6 2 3, 32 1 1, 4096, stream1");
    /* 57 times 4096 bytes fit into a multiprocessor. */
    CHECK(launch(&f, queue, loaded, record, 1409) == TERN_ERROR_UNSUPPORTED);
    CALLS("current\n"
          "all at once:\n"
          "occupancy of my_record, 32, 4096");
    CHECK(strstr(f.device.why.data,
                 "wait for each other: a grid of 8454; cuda:0 has room for 7524 at a time"));
    OK(launch(&f, queue, loaded, record, 1));
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(kernels) {
    Fixture f;
    void *loaded = NULL, *record = NULL;
    open_quietly(&f, NULL, NULL);
    OK(ops->alloc(&f.device, sizeof(MockRecord), &record));
    mock()->trace();
    CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, 192, 49152);
    OK(ops->load(&f.device, &kernel, &loaded));
    CALLS("current\n"
          "load 3=log 4=16384 5=log 6=16384 12=1 13=1\n"
          "function my_record of module1\n"
          "get 4 of my_record\nget 3 of my_record\nget 0 of my_record\n"
          "get 1 of my_record");
    OK(launch(&f, NULL, loaded, record, 65536));
    CALLS("current\n"
          "launch my_record, 65536 2 3, 192 1 1, 49152, none");
    const uint32_t none[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < 3; i++)
        OK(ops->launch(&f.device, NULL, loaded, none[i], (void *[]){&record}));
    CALLS("");
    CHECK(ops->launch(&f.device, NULL, loaded, (uint32_t[]){4, 65536, 7}, (void *[]){&record}) ==
          TERN_ERROR_DEVICE);
    CHECK(why_has(&f, "cuda:0: cannot launch kernel 'my_record' (k.py:3), grid (4, 65536, 7), 192 "
                      "threads a block, 49152 bytes of shared memory: CUDA_ERROR_INVALID_VALUE"));
    mock()->trace();
    Str facts = ops->loaded_facts(&f.device, loaded);
    CALLS("current\n"
          "get 4 of my_record\n"
          "get 3 of my_record\n"
          "get 1 of my_record\n"
          "occupancy of my_record, 192, 49152");
    CHECK_STR(facts.data, "registers: 32\n"
                          "local bytes (spills): 0\n"
                          "shared bytes: 49152\n"
                          "blocks per SM: 4\n"
                          "occupancy: 38 %\n"
                          "ptxas info: Used 32 registers");
    ops->unload(&f.device, loaded);
    CALLS("current\n"
          "wait for all\n"
          "unload module1");
    kernel = kernel_of(f.arena, "my_record", record_ptx, 192, 49153);
    OK(ops->load(&f.device, &kernel, &loaded));
    CALLS("current\n"
          "load 3=log 4=16384 5=log 6=16384 12=1 13=1\n"
          "function my_record of module2\n"
          "get 4 of my_record\nget 3 of my_record\nget 0 of my_record\n"
          "get 1 of my_record\n"
          "set 8 of my_record to 49153");
    ops->unload(&f.device, loaded); /* nothing ran since: it waits for nothing */
    CALLS("current\n"
          "unload module2");
    kernel = kernel_of(f.arena, "my_record", record_ptx, 16, 0);
    kernel.facts.block[1] = 3, kernel.facts.block[2] = 4;
    OK(ops->load(&f.device, &kernel, &loaded));
    mock()->trace();
    OK(launch(&f, NULL, loaded, record, 5));
    CALLS("current\n"
          "launch my_record, 5 2 3, 16 3 4, 0, none");
    CHECK(strstr(ops->loaded_facts(&f.device, loaded).data, "occupancy: 94 %\n"));
    CALLS("current\n"
          "get 4 of my_record\n"
          "get 3 of my_record\n"
          "get 1 of my_record\n"
          "occupancy of my_record, 192, 0");
    ops->unload(&f.device, loaded);
    mock()->trace();
    const char *fixed = str_format(f.arena, "%s// static_shared=1024\n", record_ptx).data;
    kernel = kernel_of(f.arena, "my_record", fixed, 64, 60000);
    OK(ops->load(&f.device, &kernel, &loaded));
    CALLS("current\n"
          "load 3=log 4=16384 5=log 6=16384 12=1 13=1\n"
          "function my_record of module4\n"
          "get 4 of my_record\nget 3 of my_record\nget 0 of my_record\n"
          "get 1 of my_record\n"
          "set 8 of my_record to 58976");
    facts = ops->loaded_facts(&f.device, loaded);
    CHECK(strstr(facts.data, "shared bytes: 60000\nblocks per SM: 3\noccupancy: 9 %\n"));
    CALLS("current\n"
          "get 4 of my_record\n"
          "get 3 of my_record\n"
          "get 1 of my_record\n"
          "occupancy of my_record, 64, 58976");
    kernel = kernel_of(f.arena, "my_record", fixed, 64, 1024);
    OK(ops->load(&f.device, &kernel, &loaded));
    facts = ops->loaded_facts(&f.device, loaded);
    CHECK(strstr(facts.data, "shared bytes: 1024\nblocks per SM: 32\noccupancy: 100 %\n"));
    mock()->trace();
    ops->unload(&f.device, NULL);
    CALLS("");
    close_device(&f);
    CALLS("current\n"
          "unload module5\n"
          "unload module4\n"
          "free block1+0\n"
          "release 100");
    CHECK(mock()->live() == 0);
}

/* Of 512 threads a block that is left to the driver. */
TEST(blocks_of_a_cluster_go_where_there_is_room) {
    static const struct {
        int threads, cluster;
        const char *set;
    } cases[] = {{256, 2, "\nset 15 of my_record to 2"}, {512, 2, ""}, {256, 0, ""}};
    Fixture f;
    open_quietly(&f, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *loaded = NULL;
        CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, cases[i].threads, 1024);
        kernel.facts.cluster = cases[i].cluster;
        OK(ops->load(&f.device, &kernel, &loaded));
        CALLS(str_format(f.arena,
                         "current\n"
                         "load 3=log 4=16384 5=log 6=16384 12=1 13=1\n"
                         "function my_record of module%d\n"
                         "get 4 of my_record\nget 3 of my_record\nget 0 of my_record\n"
                         "get 1 of my_record%s",
                         (int)i + 1, cases[i].set)
                  .data);
        ops->unload(&f.device, loaded);
        mock()->trace();
    }
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST(kernels_that_cannot_be) {
    static const struct {
        int threads, shared;
        const char *target, *text, *words;
        tern_status status;
    } rows[] = {
        {0, 0, "sm_90a", record_ptx,
         "kernel 'my_record' (k.py:3) has 0 threads a block and 0 bytes of "
         "shared memory",
         TERN_ERROR_UNSUPPORTED},
        {32, -1, "sm_90a", record_ptx, "has 32 threads a block and -1 bytes of shared memory",
         TERN_ERROR_UNSUPPORTED},
        {1, 0, "sm_90a", record_ptx, NULL, TERN_OK},
        {1024, 232448, "sm_90a", record_ptx, NULL, TERN_OK},
        {1025, 0, "sm_90a", record_ptx,
         "has 1025 threads a block, but takes so many registers that "
         "cuda:0 can run at most 1024; lower num_warps",
         TERN_ERROR_UNSUPPORTED},
        {32, 232449, "sm_90a", record_ptx,
         "needs 232449 bytes of shared memory; a block on cuda:0 may "
         "have 232448",
         TERN_ERROR_UNSUPPORTED},
        {32, 0, "cpu:avx2", "", "was compiled for 'cpu:avx2', not for a GPU", TERN_ERROR_ARGUMENT},
        {32, 0, "sm_90a", ".version 8.6\n",
         "cuda:0: CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX "
         "was compiled with an unsupported toolchain.: the driver "
         "is for CUDA 11.4 and too old for PTX 8.6, which needs a "
         "driver for CUDA 12.7",
         TERN_ERROR_DEVICE},
        {32, 0, "sm_90a", ".version 8.5\n",
         "for CUDA 11.4 and too old for PTX 8.5, which needs a driver "
         "for CUDA 12.5",
         TERN_ERROR_DEVICE},
        {32, 0, "sm_90a", ".version 9.6\n",
         "too old for PTX 9.6, which needs a driver for CUDA 13.6", TERN_ERROR_DEVICE},
        {32, 0, "sm_90a", ".version 7.0\n.entry my_record() {} bad_ptx",
         "cuda:0: the driver cannot load kernel 'my_record' for sm_90a: CUDA_ERROR_INVALID_PTX: a "
         "PTX "
         "JIT compilation failed\nptxas application ptx input, line 7; fatal: Parsing error near "
         "'bad_ptx'",
         TERN_ERROR_DEVICE},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture f;
        void *loaded = NULL;
        open_quietly(&f, NULL, NULL);
        if (strstr(rows[i].text, ".version") == rows[i].text && rows[i].text[9] != '7' &&
            rows[i].text != record_ptx) {
            close_device(&f);
            fresh();
            mock()->set_version(11040);
            open_device(&f, NULL, NULL);
        }
        CompiledKernel kernel =
            kernel_of(f.arena, "my_record", rows[i].text, rows[i].threads, rows[i].shared);
        kernel.target = rows[i].target;
        tern_status status = ops->load(&f.device, &kernel, &loaded);
        CHECK(status == rows[i].status && (loaded != NULL) == (status == TERN_OK));
        CHECK(!rows[i].words || why_has(&f, rows[i].words));
        close_device(&f);
        CHECK(mock()->live() == 0);
    }
}

/* Another device's context is current, as when PyTorch works on it: each call changes to the
 * device's own and back, also where it fails. */
#define AWAY(call, want)                                                                           \
    OK(call);                                                                                      \
    CALLS("current\ncurrent = context2\n" want "current = context1")

static void open_two(Fixture *f, Fixture *other) {
    fresh();
    mock()->set_devices(2);
    open_device(other, "1", &(tern_open_options){.timeout_ms = 1000});
    open_device(f, "0", &(tern_open_options){.timeout_ms = 1000});
    mock()->trace();
}

TEST(the_threads_context_is_put_back) {
    Fixture f, other;
    void *block = NULL, *queue = NULL, *event = NULL, *graph = NULL, *loaded = NULL;
    char host[64];
    double ns;
    open_two(&f, &other);
    AWAY(ops->alloc(&f.device, 4096, &block), "alloc 4096\n");
    AWAY(ops->queue_open(&f.device, &queue), "stream 0\n");
    AWAY(ops->event_open(&f.device, &event), "event 0\n");
    CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, 128, 0);
    AWAY(ops->load(&f.device, &kernel, &loaded),
         "load 3=log 4=16384 5=log 6=16384 12=1 13=1\n"
         "function my_record of module1\n"
         "get 4 of my_record\nget 3 of my_record\nget 0 of my_record\n"
         "get 1 of my_record\n");
    AWAY(ops->fill(&f.device, block, 0, 64), "record event2, none\n"
                                             "is event2 done\n"
                                             "wait for all\n"
                                             "fill block1+0, 0, 64, none\n"
                                             "record event2, none\n"
                                             "is event2 done\n"
                                             "wait for all\n");
    AWAY(ops->write(&f.device, block, host, 64), "record event2, none\n"
                                                 "is event2 done\n"
                                                 "wait for all\n"
                                                 "copy in block1+0, 64, none\n"
                                                 "record event2, none\n"
                                                 "is event2 done\n"
                                                 "wait for all\n");
    AWAY(ops->read(&f.device, host, block, 64), "record event2, none\n"
                                                "is event2 done\n"
                                                "wait for all\n"
                                                "copy out block1+0, 64, none\n"
                                                "record event2, none\n"
                                                "is event2 done\n"
                                                "wait for all\n");
    AWAY(launch(&f, queue, loaded, block, 3), "launch my_record, 3 2 3, 128 1 1, 0, stream1\n");
    AWAY(ops->graph_begin(&f.device, queue), "capture stream1, 1\n");
    AWAY(ops->graph_end(&f.device, queue, &graph), "capture ends stream1\n"
                                                   "instantiate graph1, 0\n"
                                                   "destroy graph1\n");
    AWAY(ops->graph_launch(&f.device, graph, queue), "launch exec1, stream1\n");
    AWAY(ops->event_record(&f.device, event, queue), "record event3, stream1\n");
    AWAY(ops->event_order(&f.device, event, queue), "stream1 after event3, 0\n");
    AWAY(ops->event_wait(&f.device, event), "is event3 done\n");
    AWAY(ops->queue_wait(&f.device, queue), "is stream1 done\n");
    AWAY(ops->queue_wait(&f.device, NULL), "record event2, none\n"
                                           "is event2 done\n"
                                           "wait for all\n");
    AWAY(ops->event_elapsed(&f.device, event, event, &ns), "is event3 done\n"
                                                           "from event3 to event3\n");
    AWAY(ops->synchronize(&f.device), "record event2, none\n"
                                      "is event2 done\n"
                                      "wait for all\n");
    AWAY((ops->graph_close(&f.device, graph), TERN_OK), "destroy exec1\n");
    AWAY((ops->unload(&f.device, loaded), TERN_OK), "unload module1\n");
    close_device(&f);
    close_device(&other);
    CHECK(mock()->live() == 0);
}

TEST(the_threads_context_is_put_back_by_what_times_and_what_closes) {
    Fixture f, other;
    void *block = NULL, *queue = NULL, *clock = NULL, *gate = NULL, *loaded = NULL, *handle = NULL;
    open_two(&f, &other);
    OK(ops->alloc(&f.device, 4096, &block));
    OK(ops->queue_open(&f.device, &queue));
    CompiledKernel kernel = kernel_of(f.arena, "my_record", record_ptx, 128, 0);
    OK(ops->load(&f.device, &kernel, &loaded));
    mock()->trace();
    AWAY(ops->gate_open(&f.device, &gate), "host alloc 4096, 2\n"
                                           "host pointer page1+0, 0\n");
    OK(ops->clock_open(&f.device, &clock));
    CALLS("current\n"
          "current = context2\n"
          "event 0\n"
          "current = context1\n"
          "current\n"
          "current = context2\n"
          "load\n"
          "function tern_clock of module2\n"
          "host alloc 4096, 2\n"
          "host pointer page2+0, 0\n"
          "current = context1");
    AWAY((ops->loaded_facts(&f.device, loaded).length ? TERN_OK : TERN_ERROR_DEVICE),
         "get 4 of my_record\n"
         "get 3 of my_record\n"
         "get 1 of my_record\n"
         "occupancy of my_record, 128, 0\n");
    AWAY((ops->unload(&f.device, loaded), TERN_OK), "unload module1\n");
    AWAY((ops->event_close(&f.device, clock), TERN_OK), "destroy event3\n"
                                                        "host free page2+0\n");
    AWAY((ops->gate_close(&f.device, gate), TERN_OK), "host free page1+0\n");
    AWAY((ops->release(&f.device, block), TERN_OK), "");
    OK(ops->queue_adopt(&f.device, ops->queue_handle(queue), &handle)); /* no call of the driver */
    CALLS("");
    AWAY(ops->synchronize(&f.device), "record event2, none\n"
                                      "is event2 done\n"
                                      "is stream1 done\n"
                                      "wait for all\n");
    AWAY((ops->queue_close(&f.device, handle), TERN_OK), "");
    close_device(&f);
    CALLS("current\n"
          "current = context2\n"
          "destroy stream1\n"
          "unload module2\n"
          "free block1+0\n"
          "destroy event2\n"
          "current = context1\n"
          "release 100");
    close_device(&other);
    CHECK(mock()->live() == 0);
}

TEST(blocking_launches_wait) {
    Fixture f;
    void *queue = NULL, *record = NULL, *graph = NULL;
    open_quietly(&f, NULL, &(tern_open_options){.launch_blocking = true});
    void *loaded = load(&f, "my_record");
    OK(ops->alloc(&f.device, sizeof(MockRecord), &record));
    OK(ops->queue_open(&f.device, &queue));
    mock()->trace();
    OK(launch(&f, queue, loaded, record, 1));
    CALLS("current\n"
          "launch my_record, 1 2 3, 128 1 1, 0, stream1\n"
          "wait for stream1");
    OK(launch(&f, NULL, loaded, record, 1));
    CALLS("current\n"
          "launch my_record, 1 2 3, 128 1 1, 0, none\n"
          "wait for all");
    OK(ops->graph_begin(&f.device, queue));
    OK(launch(&f, queue, loaded, record, 1)); /* recorded: there is nothing to wait for */
    CALLS("current\n"
          "capture stream1, 1\n"
          "current\n"
          "launch my_record, 1 2 3, 128 1 1, 0, stream1");
    OK(ops->graph_end(&f.device, queue, &graph));
    mock()->trace();
    OK(ops->graph_launch(&f.device, graph, queue));
    CALLS("current\n"
          "launch exec1, stream1\n"
          "wait for stream1");
    close_device(&f);
    CHECK(mock()->live() == 0);
}

/* With a time limit the driver's queue is never left to fill up. */
TEST(watched_launches_wait_now_and_then) {
    Fixture f;
    void *record = NULL;
    open_quietly(&f, NULL, &(tern_open_options){.timeout_ms = 5000});
    void *loaded = load(&f, "my_record");
    OK(ops->alloc(&f.device, sizeof(MockRecord), &record));
    mock()->trace();
    int waits = 0, first = 0;
    for (int i = 1; i <= 1200; i++) {
        OK(launch(&f, NULL, loaded, record, 1));
        bool waited = strstr(mock()->trace(), "is event1 done") != NULL;
        if (waited && !first) first = i;
        waits += waited;
    }
    CHECK(first > 100 && first <= 512 && waits == 1200 / first);
    close_device(&f);
    CHECK(mock()->live() == 0);
}

TEST_MAIN()
