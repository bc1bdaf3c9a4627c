// SPDX-License-Identifier: Apache-2.0
/* Tensor maps of a launch, over the mock driver: what it is asked to make, and with what it is
 * launched; where none can be made. A GPU: test/gpu/maps_gpu.c. */
#include "maps.h"

#include "cuda_mock.h"
#include "device/cuda/cuda.h"

static const char text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .global .align 16 .b8 map_nothing[32];\n"
    ".visible .entry k_record(.param .u64 x, .param .u64 out, .param .u32 to, .param .u32 c0, "
    ".param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 n0, .param .u32 "
    "n1, .param .u32 n2, .param .u32 n3, .param .u32 n4, .param .u64 t1, .param .u64 t2, .param "
    ".u64 t3, .param .u64 t4, .param .align 64 .b8 map_0[128]) { ret; }\n";

typedef struct Launched {
    Fixture f;
    MapBench bench;
    CompiledKernel *kernel;
    void *loaded;
} Launched;

static tern_status open_kernel(Launched *l, const MapCase *c, bool has_maps) {
    fresh();
    open_device(&l->f, NULL, NULL);
    CHECK(!l->f.status && l->f.device.makes_maps);
    if (!has_maps) ((Cuda *)l->f.device.state)->driver.map_encode = NULL;
    CHECK(map_bench_open(&l->bench, &l->f.device, l->f.arena));
    l->kernel = map_kernel(l->f.arena, c, text);
    l->kernel->name = STR("k_record");
    l->loaded = NULL;
    CHECK(!device_cuda.fill(&l->f.device, l->bench.source, 0, sizeof(MockRecord)));
    return device_cuda.load(&l->f.device, l->kernel, &l->loaded);
}

/* The record is the source's: parameter 0. */
static tern_status launch_case(Launched *l, const MapCase *c, const char **trace) {
    MapArgs a;
    map_args(&l->bench, c, &a);
    mock()->trace();
    tern_status status =
        device_cuda.launch(&l->f.device, NULL, l->loaded, (uint32_t[3]){1, 1, 1}, a.args);
    *trace = mock()->trace();
    return status;
}

static bool traced(const char *trace, const char *words) {
    bool has = strstr(trace, words) != NULL;
    if (!has) printf("'%s' is not in:\n%s", words, trace);
    return has;
}

TEST(a_launch_makes_its_map) {
    Launched l;
    MapCase c = map_square();
    const char *trace;
    CHECK(!open_kernel(&l, &c, true));
    CHECK(!launch_case(&l, &c, &trace));
    CHECK(traced(trace, "map of 2 dimensions, type 1, swizzle 2, 3\n"));
    CHECK(traced(trace, " 100 by 0\n") && traced(trace, " 50 by 208\n"));
    const MockRecord *record = l.bench.source;
    CHECK(record->num_params == MAP_PARAMS + 1 && record->launches == 1);
    CHECK(record->params[MAP_PARAMS] == (uint64_t)(uintptr_t)l.bench.source);
    /* of nothing: a single 0, which is in the module */
    c.sizes[0] = 0, c.strides[1] = 3;
    CHECK(!launch_case(&l, &c, &trace));
    CHECK(traced(trace, " 1 by 0\n") && traced(trace, " 1 by 16\n"));
    CHECK(record->params[MAP_PARAMS] != (uint64_t)(uintptr_t)l.bench.source);
    close_device(&l.f);
    CHECK(mock()->live() == 0);
}

/* What is stored to nothing goes where nobody reads a 0. */
TEST(nothing_is_stored_elsewhere) {
    for (int stores = 0; stores < 2; stores++) {
        Launched l;
        MapCase c = map_square();
        const char *trace;
        CudaPointer zeros = 0;
        c.recipe.stores = stores, c.sizes[0] = 0;
        CHECK(!open_kernel(&l, &c, true));
        const Cuda *cuda = l.f.device.state;
        const CudaObject *object = l.loaded;
        CHECK(!cuda->driver.module_global(&zeros, &(size_t){0}, object->module, MAP_NOTHING));
        CHECK(!launch_case(&l, &c, &trace));
        const MockRecord *record = l.bench.source;
        CHECK(zeros && record->params[MAP_PARAMS] == zeros + 16u * (unsigned)stores);
        close_device(&l.f);
    }
}

TEST(a_graph_keeps_its_map) {
    Launched l;
    MapCase c = map_square(), other = map_square();
    const char *trace;
    void *queue = NULL, *graph = NULL;
    MapArgs a;
    CHECK(!open_kernel(&l, &c, true));
    CHECK(!device_cuda.queue_open(&l.f.device, &queue));
    CHECK(!device_cuda.graph_begin(&l.f.device, queue));
    CHECK(!device_cuda.load(&l.f.device, l.kernel, &l.loaded)); /* by a first launch */
    map_args(&l.bench, &c, &a);
    CHECK(!device_cuda.launch(&l.f.device, queue, l.loaded, (uint32_t[3]){1, 1, 1}, a.args));
    CHECK(!device_cuda.graph_end(&l.f.device, queue, &graph));
    other.sizes[1] = 0;
    CHECK(!launch_case(&l, &other, &trace));
    CHECK(!device_cuda.graph_launch(&l.f.device, graph, queue));
    CHECK(!device_cuda.queue_wait(&l.f.device, queue));
    const MockRecord *record = l.bench.source;
    CHECK(record->launches == 2);
    CHECK(record->params[MAP_PARAMS] == (uint64_t)(uintptr_t)l.bench.source);
    close_device(&l.f);
    CHECK(mock()->live() == 0);
}

/* Of 132 multiprocessors: with one block each, all have as many programs, but for the last. */
TEST(blocks_that_walk_go_even_rounds) {
    static const struct {
        int walks;
        uint32_t grid[3], blocks;
    } cases[] = {{1, {100, 1, 1}, 100}, {1, {132, 1, 1}, 132}, {1, {133, 1, 1}, 67},
                 {1, {16, 8, 4}, 128},  {1, {265, 1, 1}, 89},  {1, {2048, 1, 1}, 128},
                 {2, {265, 1, 1}, 264}, {2, {200, 1, 1}, 200}};
    Str end = STR("map_0[128])"), words = str_of(text);
    const char *at = strstr(text, end.data);
    for (int i = 0; i < COUNT(cases); i++) {
        Launched l;
        MapCase c = map_square();
        MapArgs a;
        CHECK(!open_kernel(&l, &c, true));
        int head = (int)(at - text) + end.length - 1;
        l.kernel->text =
            str_format(l.f.arena, "%.*s, .param .b32 gx, .param .b32 gy, .param .b32 gz%s", head,
                       words.data, words.data + head);
        l.kernel->facts.walks = cases[i].walks;
        CHECK(!device_cuda.load(&l.f.device, l.kernel, &l.loaded));
        map_args(&l.bench, &c, &a);
        CHECK(!device_cuda.launch(&l.f.device, NULL, l.loaded, cases[i].grid, a.args));
        const MockRecord *record = l.bench.source;
        CHECK(record->grid[0] == cases[i].blocks && record->grid[1] == 1 && record->grid[2] == 1);
        CHECK(record->num_params == MAP_PARAMS + 1 + WALK_PARAMS);
        for (int k = 0; k < WALK_PARAMS; k++)
            CHECK(record->params[MAP_PARAMS + 1 + k] == cases[i].grid[k]);
        close_device(&l.f);
        CHECK(mock()->live() == 0);
    }
}

TEST(where_no_map_is_made) {
    Launched l;
    MapCase c = map_square();
    const char *trace;
    CHECK(open_kernel(&l, &c, false) == TERN_ERROR_UNSUPPORTED);
    CHECK(why_has(&l.f, "needs tensor maps, which this driver does not make"));
    close_device(&l.f);
    c.recipe.rank = 7;
    CHECK(open_kernel(&l, &c, true) == TERN_ERROR_UNSUPPORTED);
    CHECK(why_has(&l.f, "a tensor map of a wrong rank"));
    close_device(&l.f);
    c = map_square();
    CHECK(!open_kernel(&l, &c, true));
    c.strides[1] = 100;
    CHECK(launch_case(&l, &c, &trace) == TERN_ERROR_ARGUMENT);
    CHECK(why_has(&l.f, "its stride of 100 elements of 2 bytes (t1)"));
    CHECK(!strstr(trace, "launch"));
    c = map_square(), c.base = 8;
    CHECK(launch_case(&l, &c, &trace) == TERN_ERROR_ARGUMENT);
    CHECK(why_has(&l.f, "has to be a multiple of 16"));
    c = map_square();
    mock()->fail(2, CUDA_INVALID_VALUE); /* behind what asks for the context */
    CHECK(launch_case(&l, &c, &trace));
    CHECK_STR(mock()->failed_call(), "cuTensorMapEncodeTiled");
    CHECK(!launch_case(&l, &c, &trace));
    close_device(&l.f);
    CHECK(mock()->live() == 0);
    /* an old driver's GPU, and one that has no such engine */
    fresh();
    mock()->set_capability(8, 0);
    open_device(&l.f, NULL, NULL);
    CHECK(!l.f.status && !l.f.device.makes_maps);
    close_device(&l.f);
}

TEST_MAIN()
