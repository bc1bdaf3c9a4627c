// SPDX-License-Identifier: Apache-2.0
/* Tensor maps on a real GPU, made by the launch: bulk copies of random boxes beside what their
 * rules say (test/maps.h), which device sim is held against, too. */
#include "maps.h"

#include "gpu/gpu.h"

/* False: there is nothing to test, or words say why not. */
static bool open_bench(Gpu *gpu, MapBench *bench) {
    gpu_open(gpu, NULL);
    bool makes = gpu->device.makes_maps;
    if (gpu->status) printf("%.*s\n", STR_ARG(gpu->device.why));
    CHECK(!gpu->status);
    if (!gpu->status && !makes) SKIP("the driver or the GPU makes no tensor maps");
    if (!gpu->status && makes && map_bench_open(bench, &gpu->device, gpu->arena)) return true;
    gpu_close(gpu);
    return false;
}

TEST(random_boxes) {
    Gpu gpu;
    MapBench bench;
    uint64_t state = 11;
    int count = 0, wrong = 0;
    if (!open_bench(&gpu, &bench)) return;
    for (int round = 0; round < 6; round++)
        for (int rank = 1; rank <= MAP_DIMS; rank++)
            for (int bytes = 1; bytes <= 8; bytes *= 2)
                for (int swizzle = 16; swizzle <= 128; swizzle *= 2) {
                    MapCase c = map_case_random(&state, rank, bytes, swizzle == 16 ? 0 : swizzle);
                    wrong += !map_case_runs(&bench, &c);
                    count++;
                }
    printf("%d of %d wrong\n", wrong, count);
    CHECK(!wrong);
    gpu_close(&gpu);
}

TEST(sizes_and_strides_at_their_ends) {
    Gpu gpu;
    MapBench bench;
    MapCase cases[MAP_ENDS];
    if (!open_bench(&gpu, &bench)) return;
    int count = map_ends(cases);
    for (int i = 0; i < count; i++) CHECK(map_case_runs(&bench, &cases[i]));
    gpu_close(&gpu);
}

/* What a recorded launch was given it keeps. */
TEST(graphs_keep_their_maps) {
    Gpu gpu;
    MapBench bench;
    if (!open_bench(&gpu, &bench)) return;
    const DeviceOps *ops = &device_cuda;
    MapCase c = map_square();
    unsigned char want[REGION], got[REGION];
    void *loaded = NULL, *queue = NULL, *graph = NULL;
    MapArgs a;
    map_args(&bench, &c, &a);
    const CompiledKernel *kernel = map_kernel(gpu.arena, &c, map_kernel_text(gpu.arena, &c.recipe));
    CHECK(!ops->load(&gpu.device, kernel, &loaded) && !ops->queue_open(&gpu.device, &queue));
    CHECK(!ops->graph_begin(&gpu.device, queue));
    CHECK(!ops->launch(&gpu.device, queue, loaded, (uint32_t[3]){1, 1, 1}, a.args));
    CHECK(!ops->graph_end(&gpu.device, queue, &graph));
    for (int round = 0; round < 3; round++) {
        MapCase other = map_square();
        other.sizes[1] = 3 + round, other.at[1] = 0;
        map_args(&bench, &other, &a); /* another map in between */
        CHECK(!ops->launch(&gpu.device, NULL, loaded, (uint32_t[3]){1, 1, 1}, a.args));
        map_reference(&other, bench.bytes, want);
        CHECK(!ops->read(&gpu.device, got, bench.out, REGION) && !memcmp(got, want, REGION));
        CHECK(!ops->graph_launch(&gpu.device, graph, queue));
        CHECK(!ops->read(&gpu.device, got, bench.out, REGION));
        map_reference(&c, bench.bytes, want);
        CHECK(!memcmp(got, want, REGION));
    }
    gpu_close(&gpu);
}

#define PARAMS                                                                                     \
    "(.param .u64 x, .param .u64 out, .param .u32 to, .param .u32 c0, .param .u32 c1, .param "     \
    ".u32 "                                                                                        \
    "c2, .param .u32 c3, .param .u32 c4, .param .u32 n0, .param .u32 n1, .param .u32 n2, .param "  \
    ".u32 n3, .param .u32 n4, .param .u64 t1, .param .u64 t2, .param .u64 t3, .param .u64 t4"

/* What a launch with a map costs the host beside one without, of a kernel that does nothing. */
TEST(cost_of_a_launch) {
    static const char with[] =
        PTX_HEAD ".visible .global .align 16 .b8 map_nothing[16];\n"
                 ".visible .entry k" PARAMS ", .param .align 64 .b8 map_0[128]) { ret; }\n",
                      without[] = PTX_HEAD ".visible .entry k" PARAMS ") { ret; }\n";
    Gpu gpu;
    MapBench bench;
    if (!open_bench(&gpu, &bench)) return;
    const DeviceOps *ops = &device_cuda;
    MapCase c = map_square();
    MapArgs a;
    map_args(&bench, &c, &a);
    void *loaded[2] = {NULL, NULL};
    int64_t best[2] = {INT64_MAX, INT64_MAX};
    for (int k = 0; k < 2; k++) {
        CompiledKernel *kernel = map_kernel(gpu.arena, &c, k ? without : with);
        if (k) kernel->facts.maps.count = 0;
        kernel->facts.shared_bytes = 0;
        CHECK(!ops->load(&gpu.device, kernel, &loaded[k]));
    }
    for (int round = 0; round < 400; round++) {
        int64_t start = clock_ns(), k = round % 2;
        for (int i = 0; i < 100; i++)
            CHECK(!ops->launch(&gpu.device, NULL, loaded[k], (uint32_t[3]){1, 1, 1}, a.args));
        int64_t ns = (clock_ns() - start) / 100;
        if (ns < best[k]) best[k] = ns;
        CHECK(!ops->synchronize(&gpu.device));
    }
    printf("a launch with a map: %d ns, without: %d ns\n", (int)best[0], (int)best[1]);
    gpu_close(&gpu);
}

TEST_MAIN()
