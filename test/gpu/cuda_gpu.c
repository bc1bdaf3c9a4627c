// SPDX-License-Identifier: Apache-2.0
/* The NVIDIA device on a real GPU: memory, launches, streams, events, graphs, limits. */
#include "test.h"

#include "gpu/gpu.h"

#include <unistd.h>

enum { N = 100003 };

TEST(alloc_and_copy) {
    Gpu gpu;
    void *a = NULL, *b = NULL;
    gpu_open(&gpu, NULL);
    CHECK(gpu.status == TERN_OK);
    if (gpu.status != TERN_OK)
        printf("%.*s\n", STR_ARG(gpu.device.why));
    else {
        const DeviceOps *ops = &device_cuda;
        unsigned char *in = malloc(N), *out = calloc(1, N);
        for (int i = 0; i < N; i++) in[i] = (unsigned char)(i * 31 + (i >> 8));
        printf("%s: %s\n", gpu.device.name.data, gpu.device.description.data);
        CHECK(ops->alloc(&gpu.device, N, &a) == TERN_OK && (uintptr_t)a % 256 == 0);
        CHECK(ops->write(&gpu.device, a, in, N) == TERN_OK);
        CHECK(ops->fill(&gpu.device, (char *)a + 5, 0x77, 1000) == TERN_OK);
        memset(in + 5, 0x77, 1000);
        CHECK(ops->read(&gpu.device, out, a, N) == TERN_OK && memcmp(in, out, N) == 0);
        ops->release(&gpu.device, a);
        CHECK(ops->alloc(&gpu.device, N, &b) == TERN_OK && b == a); /* from the pool */
        CHECK(ops->alloc(&gpu.device, SIZE_MAX, &a) == TERN_ERROR_NO_MEMORY && a == NULL);
        free(in), free(out);
    }
    gpu_close(&gpu);
}

TEST(add_on_two_queues_and_graph) {
    Gpu gpu;
    void *x = NULL, *y = NULL, *z = NULL, *queue = NULL, *other = NULL, *event = NULL,
         *graph = NULL;
    static float host_x[N], host_y[N], got[N];
    gpu_open(&gpu, NULL);
    const DeviceOps *ops = &device_cuda;
    void *add = gpu_load(&gpu, "add", add_ptx, 256, 0);
    CHECK(add != NULL);
    for (int i = 0; i < N; i++) host_x[i] = (float)i * 0.25f, host_y[i] = (float)(N - i);
    CHECK(!ops->alloc(&gpu.device, sizeof got, &x) && !ops->alloc(&gpu.device, sizeof got, &y) &&
          !ops->alloc(&gpu.device, sizeof got, &z));
    CHECK(!ops->queue_open(&gpu.device, &queue) && !ops->queue_open(&gpu.device, &other));
    CHECK(!ops->event_open(&gpu.device, &event));
    uint32_t n = N;
    void *args[] = {&x, &y, &z, &n}, *again[] = {&z, &y, &z, &n};
    const uint32_t grid[3] = {(N + 255) / 256, 1, 1};
    CHECK(!ops->write_async(&gpu.device, queue, x, host_x, sizeof got));
    CHECK(!ops->write_async(&gpu.device, queue, y, host_y, sizeof got));
    CHECK(!ops->launch(&gpu.device, queue, add, grid, args));
    CHECK(!ops->event_record(&gpu.device, event, queue) &&
          !ops->event_order(&gpu.device, event, other));
    CHECK(!ops->launch(&gpu.device, other, add, grid, again)); /* z = x + 2 y */
    CHECK(!ops->queue_wait(&gpu.device, other));
    CHECK(!ops->graph_begin(&gpu.device, queue));
    for (int i = 0; i < 3; i++) CHECK(!ops->launch(&gpu.device, queue, add, grid, again));
    CHECK(!ops->graph_end(&gpu.device, queue, &graph));
    CHECK(!ops->graph_launch(&gpu.device, graph, queue));
    CHECK(!ops->read(&gpu.device, got, z, sizeof got)); /* comes after the queue without a wait */
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        float want = host_x[i];
        for (int k = 0; k < 5; k++) want += host_y[i];
        wrong += got[i] != want;
    }
    CHECK(wrong == 0);
    Str facts = ops->loaded_facts(&gpu.device, add);
    CHECK(strstr(facts.data, "local bytes (spills): 0\n") != NULL);
    printf("%.*s\n", STR_ARG(facts));
    gpu_close(&gpu);
}

TEST(events_measure_the_device) {
    Gpu gpu;
    void *out = NULL, *start = NULL, *end = NULL;
    double ns = 0;
    uint32_t count = 0;
    gpu_open(&gpu, NULL);
    const DeviceOps *ops = &device_cuda;
    void *work = gpu_load(&gpu, "work", work_ptx, 1, 0);
    CHECK(!ops->alloc(&gpu.device, 4, &out) && !ops->fill(&gpu.device, out, 0, 4));
    CHECK(!ops->event_open(&gpu.device, &start) && !ops->event_open(&gpu.device, &end));
    uint64_t cycles = 10000000; /* at 1 to 3 GHz: 3 to 10 ms */
    void *args[] = {&out, &cycles};
    CHECK(!ops->launch(&gpu.device, NULL, work, (const uint32_t[3]){1, 1, 1}, args));
    CHECK(!ops->event_record(&gpu.device, start, NULL));
    CHECK(!ops->launch(&gpu.device, NULL, work, (const uint32_t[3]){1, 1, 1}, args));
    CHECK(!ops->event_record(&gpu.device, end, NULL));
    CHECK(!ops->event_elapsed(&gpu.device, start, end, &ns));
    printf("1e7 cycles: %.3f ms\n", ns / 1e6);
    CHECK(ns > 2e6 && ns < 1e8);
    CHECK(!ops->read(&gpu.device, &count, out, 4) && count == 2);
    gpu_close(&gpu);
}

TEST(shared_memory_up_to_the_limit) {
    Gpu gpu;
    void *out = NULL;
    uint32_t got[256];
    gpu_open(&gpu, NULL);
    const DeviceOps *ops = &device_cuda;
    int most = gpu.status == TERN_OK ? ((Cuda *)gpu.device.state)->shared_optin : 0;
    const int sizes[] = {1024, 48 * 1024, 48 * 1024 + 16, most};
    CHECK(!ops->alloc(&gpu.device, sizeof got, &out));
    for (int i = 0; i < COUNT(sizes); i++) {
        void *turn = gpu_load(&gpu, "turn", shared_ptx, 256, sizes[i]);
        uint32_t base = (uint32_t)sizes[i] - 1024;
        void *args[] = {&out, &base};
        CHECK(turn != NULL);
        CHECK(!ops->launch(&gpu.device, NULL, turn, (const uint32_t[3]){1, 1, 1}, args));
        CHECK(!ops->read(&gpu.device, got, out, sizeof got));
        int wrong = 0;
        for (uint32_t t = 0; t < 256; t++) wrong += got[t] != (t + 1) % 256;
        CHECK(wrong == 0);
    }
    CHECK(gpu_load(&gpu, "turn", shared_ptx, 256, most + 16) == NULL);
    CHECK(gpu_why(&gpu, "bytes of shared memory; a block on cuda:0 may have"));
    CHECK(gpu_load(&gpu, "turn", shared_ptx, 2048, 0) == NULL);
    gpu_close(&gpu);
}

TEST(refused_texts_leave_the_device_usable) {
    Gpu gpu;
    gpu_open(&gpu, NULL);
    CHECK(gpu_load(&gpu, "k", PTX_HEAD ".visible .entry k() { this is not PTX; }", 32, 0) == NULL);
    CHECK(gpu_why(&gpu, "cannot load kernel 'k' for sm_75: CUDA_ERROR_INVALID_PTX"));
    CHECK(gpu_why(&gpu, "line 4")); /* the assembler's own words */
    CHECK(gpu_load(&gpu, "k", ".version 99.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }",
                   32, 0) == NULL);
    printf("newer PTX: %.*s\n", STR_ARG(gpu.device.why));
    CHECK(gpu_load(&gpu, "other", add_ptx, 32, 0) == NULL && gpu_why(&gpu, "CUDA_ERROR_NOT_FOUND"));
    CHECK(gpu_load(&gpu, "add", add_ptx, 256, 0) != NULL);
    gpu_close(&gpu);
}

/* Text for the very GPU, not for all later ones, must load too; what it took is printed. */
TEST(text_for_this_very_gpu) {
    char ptx[sizeof add_ptx + 32];
    const char *body = strstr(add_ptx, ".address_size");
    Gpu gpu;
    gpu_open(&gpu, NULL);
    snprintf(ptx, sizeof ptx, ".version 8.0\n.target %s\n%s",
             gpu.device.target && !strcmp(gpu.device.target, "sm_90a") ? "sm_90a" : "sm_75", body);
    void *add = gpu_load(&gpu, "add", ptx, 256, 0);
    CHECK(add != NULL);
    if (add) printf("%s\n", device_cuda.loaded_facts(&gpu.device, add).data);
    gpu_close(&gpu);
}

TEST(out_of_memory_and_on) {
    Gpu gpu;
    void *blocks[64] = {0}, *small = NULL;
    int count = 0;
    tern_status status = TERN_OK;
    if (getenv("TERN_TEST_HARMLESS")) {
        SKIP("fills the whole GPU");
        return;
    }
    gpu_open(&gpu, NULL);
    const DeviceOps *ops = &device_cuda;
    size_t part = gpu.status == TERN_OK ? ((Cuda *)gpu.device.state)->memory_bytes / 16 : 1;
    while (count < 64 && (status = ops->alloc(&gpu.device, part, &blocks[count])) == TERN_OK)
        count++;
    CHECK(status == TERN_ERROR_NO_MEMORY && count > 4);
    CHECK(gpu_why(&gpu, "are free): CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
    for (int i = 0; i < count; i++) ops->release(&gpu.device, blocks[i]);
    CHECK(ops->alloc(&gpu.device, part * 4 + 12345, &small) ==
          TERN_OK); /* another size: the pool gives way */
    gpu_close(&gpu);
}

TEST_MAIN()
