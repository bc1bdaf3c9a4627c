// SPDX-License-Identifier: Apache-2.0
/* Bulk copies by tensor maps on device sim: random boxes, beside what the rules say (test/maps.h;
 * test/gpu/maps_gpu.c holds a GPU against the same), and what a launch says where no map can be
 * made. */
#include "maps.h"

typedef struct Sim {
    Device device;
    Arena *arena;
    MapBench bench;
    jmp_buf no_memory;
} Sim;

static void sim_open_bench(Sim *sim, uint64_t seed) {
    tern_open_options options = {.size = sizeof options, .order_seed = seed};
    memset(sim, 0, sizeof *sim);
    if (setjmp(sim->no_memory)) abort();
    sim->arena = arena_new(&sim->no_memory);
    sim->device.arena = sim->arena, sim->device.oom = &sim->no_memory;
    sim->device.ops = &device_sim;
    CHECK(!device_sim.open(&sim->device, NULL, &options) && sim->device.makes_maps);
    CHECK(map_bench_open(&sim->bench, &sim->device, sim->arena));
}

static void sim_close_bench(Sim *sim) {
    device_sim.release(&sim->device, sim->bench.source);
    device_sim.release(&sim->device, sim->bench.out);
    device_sim.close(&sim->device);
    arena_free(sim->arena);
}

TEST(random_boxes) {
    uint64_t state = 11;
    for (uint64_t seed = 0; seed < 3; seed++) {
        Sim sim;
        sim_open_bench(&sim, seed);
        for (int rank = 1; rank <= MAP_DIMS; rank++)
            for (int bytes = 1; bytes <= 8; bytes *= 2)
                for (int swizzle = 16; swizzle <= 128; swizzle *= 2) {
                    MapCase c = map_case_random(&state, rank, bytes, swizzle == 16 ? 0 : swizzle);
                    CHECK(map_case_runs(&sim.bench, &c));
                }
        sim_close_bench(&sim);
    }
}

TEST(sizes_and_strides_at_their_ends) {
    Sim sim;
    MapCase cases[MAP_ENDS];
    sim_open_bench(&sim, 0);
    int count = map_ends(cases);
    for (int i = 0; i < count; i++) CHECK(map_case_runs(&sim.bench, &cases[i]));
    sim_close_bench(&sim);
}

/* Not a launch, but words with the names of arguments. */
TEST(what_no_map_is_made_of) {
    static const struct {
        int64_t stride;
        int base, to;
        const char *words;
    } rows[] = {
        {104, 8, 0, "kernel 'k' copies boxes of 'x' by a tensor map: address 0x"},
        {100, 0, 0, "its stride of 100 elements of 2 bytes (t1) has to be a multiple of 16 bytes"},
        {-104, 0, 0, "its stride of -104 elements"},
        {(int64_t)1 << 39, 0, 0, "below 2^40"},
        {INT64_MAX, 0, 0, "below 2^40"},
        {104, 0, 64, "bulk copy to address 0x440 of shared memory, which is not a multiple of 128"},
        {104, 0, REGION, "bulk copy of 2048 bytes outside shared memory"},
        {1 << 20, 0, 0, "bulk copy from global memory of 16 bytes outside the buffer of 'x'"},
        {104, 0, 0, NULL},
    };
    Sim sim;
    sim_open_bench(&sim, 0);
    for (int i = 0; i < COUNT(rows); i++) {
        MapCase c = map_square();
        c.strides[1] = rows[i].stride, c.base = rows[i].base, c.to = rows[i].to;
        MapArgs a;
        void *loaded = NULL;
        map_args(&sim.bench, &c, &a);
        const CompiledKernel *kernel =
            map_kernel(sim.arena, &c, map_kernel_text(sim.arena, &c.recipe));
        CHECK(!device_sim.load(&sim.device, kernel, &loaded));
        tern_status status =
            device_sim.launch(&sim.device, NULL, loaded, (uint32_t[3]){1, 1, 1}, a.args);
        bool fine = rows[i].words ? status && strstr(sim.device.why.data, rows[i].words) : !status;
        if (!fine) printf("%d: %d %.*s\n", i, status, STR_ARG(sim.device.why));
        CHECK(fine);
    }
    sim_close_bench(&sim);
}

/* Sizes and strides that are products: 5 * n0 * n1 by 2 * t1 * n2; of 32 bits or of more. */
TEST(products_of_parameters) {
    static const struct {
        int32_t n[3];
        bool fine;
    } rows[] = {
        {{10, 1, 52}, true},         {{1 << 15, 1 << 15, 52}, false}, {{1 << 15, 0, 52}, true},
        {{46341, 46341, 52}, false}, {{-(1 << 14), 1, 52}, true},     {{20725, 20725, 52}, false},
        {{10, 1, 51}, false},        {{20000, 20000, 52}, true},      {{10, 1, 4}, false}};
    Sim sim;
    sim_open_bench(&sim, 0);
    for (int i = 0; i < COUNT(rows); i++) {
        MapCase c = map_square();
        MapArgs a;
        void *loaded = NULL;
        const char *text = map_kernel_text(sim.arena, &c.recipe);
        c.recipe.dims[1].size = (MapNumber){5, 2, {8, 9}, true};
        c.recipe.dims[1].stride = (MapNumber){2, 2, {13, 10}, false};
        map_args(&sim.bench, &c, &a);
        for (int k = 0; k < 3; k++) a.ints[6 + k] = rows[i].n[k];
        a.strides[0] = rows[i].n[2] == 4 ? (int64_t)1 << 62 : 1; /* 2^65 */
        CHECK(!device_sim.load(&sim.device, map_kernel(sim.arena, &c, text), &loaded));
        tern_status status =
            device_sim.launch(&sim.device, NULL, loaded, (uint32_t[3]){1, 1, 1}, a.args);
        if (!status != rows[i].fine) printf("%d: %.*s\n", i, STR_ARG(sim.device.why));
        CHECK(!status == rows[i].fine);
        if (status)
            CHECK(strstr(sim.device.why.data, i == 6 || i == 8 ? "(t1, n2)" : "size (n0, n1) has"));
    }
    sim_close_bench(&sim);
}

/* Recipes that no generator makes. */
TEST(wrong_recipes) {
    Sim sim;
    sim_open_bench(&sim, 0);
    for (int i = 0; i < 12; i++) {
        MapCase c = map_square();
        MapRecipe *r = &c.recipe;
        const char *text = map_kernel_text(sim.arena, r);
        const char *words = "a tensor map";
        if (i == 0) r->base = 2;
        if (i == 1) r->base = 99;
        if (i == 2) r->rank = 6;
        if (i == 3) r->rank = 0;
        if (i == 4) r->element_bytes = 3;
        if (i == 5) r->dims[0].box = INT32_MAX;
        if (i == 6) r->dims[1].box = 0;
        if (i == 7) r->dims[0].stride.number = 2;
        if (i == 8) r->dims[1].stride.params[0] = 0;
        if (i == 9) r->swizzle = 16;
        if (i == 10) r->swizzle = 128; /* of rows of 64 bytes */
        if (i == 11) r->swizzle = 0, r->dims[0].box = 4;
        void *loaded = NULL;
        CHECK(device_sim.load(&sim.device, map_kernel(sim.arena, &c, text), &loaded));
        CHECK(strstr(sim.device.why.data, words));
    }
    sim_close_bench(&sim);
}

TEST_MAIN()
