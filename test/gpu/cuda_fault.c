// SPDX-License-Identifier: Apache-2.0
/* Kernels that fault or never end, on a real GPU. Each makes the device unusable for its process,
 * so each test runs itself again as a process of its own. */
#include "test.h"

#include "gpu/child.h"
#include "gpu/gpu.h"

static bool dare(const char *name) {
    if (!getenv("TERN_TEST_HARMLESS")) return in_child(name);
    SKIP("faults on purpose");
    return false;
}

static void *load_good(Gpu *gpu, void **out) {
    void *good = gpu_load(gpu, "work", work_ptx, 1, 0);
    CHECK(good && !device_cuda.alloc(&gpu->device, 4, out) &&
          !device_cuda.fill(&gpu->device, *out, 0, 4));
    return good;
}

static void fault(bool blocking) {
    Gpu gpu;
    void *out = NULL;
    uint64_t cycles = 1;
    const uint32_t grid[3] = {3, 1, 1};
    gpu_open(&gpu, &(tern_open_options){.launch_blocking = blocking});
    void *good = load_good(&gpu, &out), *bad = gpu_load(&gpu, "fault", fault_ptx, 32, 0);
    void *args[] = {&out, &cycles};
    CHECK(!device_cuda.launch(&gpu.device, NULL, good, grid, args));
    tern_status status = device_cuda.launch(&gpu.device, NULL, bad, grid, NULL);
    CHECK(status == (blocking ? TERN_ERROR_KERNEL : TERN_OK));
    if (!blocking) CHECK(device_cuda.synchronize(&gpu.device) == TERN_ERROR_KERNEL);
    CHECK(gpu_why(&gpu, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"));
    CHECK(gpu_why(&gpu, blocking ? "(kernel 'fault', launch 2, grid (3, 1, 1);"
                                 : "last launched 'fault'"));
    CHECK(device_cuda.launch(&gpu.device, NULL, good, grid, args) == TERN_ERROR_KERNEL);
    CHECK(gpu_why(&gpu, "start the process again"));
    gpu_close(&gpu);
}

TEST(illegal_address_async) {
    if (dare("illegal_address_async")) fault(false);
}

TEST(illegal_address_blocking) {
    if (dare("illegal_address_blocking")) fault(true);
}

TEST(hang_is_seen_and_left) {
    Gpu gpu;
    void *flag = NULL, *queue = NULL;
    uint32_t word;
    if (!dare("hang_is_seen_and_left")) return;
    gpu_open(&gpu, &(tern_open_options){.timeout_ms = 300});
    void *hang = gpu_load(&gpu, "hang", hang_ptx, 32, 0);
    CHECK(hang && !device_cuda.alloc(&gpu.device, 4, &flag) &&
          !device_cuda.fill(&gpu.device, flag, 0, 4));
    CHECK(!device_cuda.queue_open(&gpu.device, &queue));
    void *args[] = {&flag};
    CHECK(!device_cuda.launch(&gpu.device, queue, hang, (const uint32_t[3]){1, 1, 1}, args));
    CHECK(device_cuda.read(&gpu.device, &word, flag, 4) == TERN_ERROR_KERNEL);
    CHECK(gpu_why(&gpu, "not finished after 300 ms (kernel 'hang', launch 1, grid (1, 1, 1))"));
    CHECK(device_cuda.synchronize(&gpu.device) == TERN_ERROR_KERNEL);
    gpu_close(&gpu);
    fflush(stdout);
    _exit(test_bad_checks != 0); /* the driver's own clean-up at exit could wait for the kernel */
}

TEST(no_time_limit_reached) {
    Gpu gpu;
    void *out = NULL;
    uint64_t cycles = 50000000; /* at 1 to 3 GHz: 17 to 50 ms */
    uint32_t count = 0;
    if (!dare("no_time_limit_reached")) return;
    gpu_open(&gpu, &(tern_open_options){.timeout_ms = 5000});
    void *good = load_good(&gpu, &out), *args[] = {&out, &cycles};
    for (int i = 0; i < 3; i++)
        CHECK(!device_cuda.launch(&gpu.device, NULL, good, (const uint32_t[3]){1, 1, 1}, args));
    CHECK(!device_cuda.read(&gpu.device, &count, out, 4) && count == 3);
    gpu_close(&gpu);
}

TEST_MAIN()
