// SPDX-License-Identifier: Apache-2.0
/* maps: one bulk copy by a tensor map, on any device that makes maps: what then lies in shared
 * memory, beside what the driver's API and the PTX ISA say of boxes and swizzles, computed here
 * element by element. */
#ifndef TERN_TEST_MAPS_H
#define TERN_TEST_MAPS_H

#include "device/device.h"
#include "test.h"

enum { REGION = 16384, SOURCE = 1 << 20, UNTOUCHED = 0xee, MAP_PARAMS = 17 };

typedef struct MapCase {
    MapRecipe recipe;
    int base; /* bytes from the buffer's start */
    int64_t sizes[MAP_DIMS], strides[MAP_DIMS];
    int32_t at[MAP_DIMS]; /* coordinates */
    int to;               /* bytes from a multiple of 1024 */
} MapCase;

/* Parameters: source, out, to, five coordinates, five sizes, four strides. */
static const char map_kernel_head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .global .align 16 .b8 map_nothing[16];\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 px, .param .u64 pout, .param .u32 pto, .param .u32 c0, "
    ".param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 n0, .param .u32 "
    "n1, .param .u32 n2, .param .u32 n3, .param .u32 n4, .param .u64 t1, .param .u64 t2, .param "
    ".u64 t3, .param .u64 t4, .param .align 64 .b8 map_0[128])\n.reqntid 128, 1, 1\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<8>;\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.s32 %r3, %r1, %r2;\n"
    "setp.eq.u32 %p0, %r0, 0;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0xeeeeeeee;\n"
    "L1:\nst.shared.b32 [%r3], %r5;\nadd.s32 %r3, %r3, 512;\nadd.s32 %r4, %r4, 512;\n"
    "setp.lt.u32 %p1, %r4, 16384;\n@%p1 bra L1;\n"
    "fence.proxy.async.shared::cta;\n"
    "@%p0 mbarrier.init.shared.b64 [%r1+16384], 1;\n@%p0 fence.mbarrier_init.release.cluster;\n"
    "bar.sync 0;\n"
    "ld.param.u32 %r6, [pto];\nadd.s32 %r6, %r6, %r1;\n"
    "ld.param.u32 %r7, [c0];\nld.param.u32 %r8, [c1];\nld.param.u32 %r9, [c2];\n"
    "ld.param.u32 %r10, [c3];\nld.param.u32 %r11, [c4];\n"
    "mov.u64 %d0, map_0;\ncvta.param.u64 %d0, %d0;\n";
static const char map_kernel_tail[] =
    "L2:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r1+16384], 0;\n@!%p2 bra L2;\n"
    "ld.param.u64 %d1, [pout];\nmul.wide.u32 %d2, %r0, 4;\nadd.s64 %d1, %d1, %d2;\n"
    "add.s32 %r3, %r1, %r2;\nmov.u32 %r4, 0;\n"
    "L3:\nld.shared.b32 %r5, [%r3];\nst.global.b32 [%d1], %r5;\nadd.s64 %d1, %d1, 512;\n"
    "add.s32 %r3, %r3, 512;\nadd.s32 %r4, %r4, 512;\nsetp.lt.u32 %p1, %r4, 16384;\n"
    "@%p1 bra L3;\nret;\n}\n";

static int map_box_bytes(const MapRecipe *r) {
    int bytes = r->element_bytes;
    for (int d = 0; d < r->rank; d++) bytes *= r->dims[d].box;
    return bytes;
}

static const char *map_kernel_text(Arena *arena, const MapRecipe *r) {
    static const char *const coordinates[] = {"%r7", "%r7, %r8", "%r7, %r8, %r9",
                                              "%r7, %r8, %r9, %r10", "%r7, %r8, %r9, %r10, %r11"};
    return str_format(arena,
                      "%s@%%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%%r1+16384], %d;\n"
                      "@%%p0 cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::"
                      "complete_tx::bytes [%%r6], [%%d0, {%s}], [%%r1+16384];\n%s",
                      map_kernel_head, map_box_bytes(r), r->rank, coordinates[r->rank - 1],
                      map_kernel_tail)
        .data;
}

/* A recipe whose sizes and strides are the parameters; boxes and the rest of it are the case's. */
static void map_case_by_parameters(MapCase *c) {
    c->recipe.base = 0;
    for (int d = 0; d < c->recipe.rank; d++) {
        c->recipe.dims[d].size = (MapNumber){1, 1, {8 + d}, true};
        c->recipe.dims[d].stride = (MapNumber){1, d > 0, {12 + d}, false};
    }
}

/* Byte i of the box, in the order of its elements, lies there. */
static uint32_t map_swizzled(uint32_t address, int swizzle) {
    return swizzle ? address ^ ((address >> 7 & (uint32_t)(swizzle / 16 - 1)) << 4) : address;
}

static void map_reference(const MapCase *c, const unsigned char *source, unsigned char *region) {
    const MapRecipe *r = &c->recipe;
    memset(region, UNTOUCHED, REGION);
    int elements = map_box_bytes(r) / r->element_bytes;
    for (int e = 0; e < elements; e++) {
        int64_t rest = e, from = 0;
        bool inside = true;
        for (int d = 0; d < r->rank; d++) {
            int64_t x = rest % r->dims[d].box + c->at[d];
            rest /= r->dims[d].box;
            inside = inside && x >= 0 && x < c->sizes[d];
            from += x * (d ? c->strides[d] : 1);
        }
        for (int b = 0; b < r->element_bytes; b++) {
            uint32_t to = map_swizzled((uint32_t)(c->to + e * r->element_bytes + b), r->swizzle);
            region[to] = inside ? source[c->base + from * r->element_bytes + b] : 0;
        }
    }
}

typedef struct MapBench {
    Device *device;
    Arena *arena;
    void *source, *out;
    unsigned char *bytes; /* what source holds */
    DeviceRange ranges[2];
} MapBench;

static bool map_bench_open(MapBench *b, Device *device, Arena *arena) {
    *b = (MapBench){.device = device, .arena = arena, .bytes = arena_alloc(arena, SOURCE)};
    uint64_t state = 3;
    for (int i = 0; i < SOURCE; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        b->bytes[i] = (unsigned char)(state >> 56);
    }
    if (device->ops->alloc(device, SOURCE, &b->source) ||
        device->ops->alloc(device, REGION, &b->out))
        return false;
    b->ranges[0] = (DeviceRange){.base = b->source, .size = SOURCE};
    b->ranges[1] = (DeviceRange){.base = b->out, .size = REGION};
    for (int i = 0; i < 2 && device->ops->written; i++)
        b->ranges[i].written = device->ops->written(i ? b->out : b->source);
    if (device->ops->written) device->ranges = b->ranges, device->num_ranges = 2;
    return !device->ops->write(device, b->source, b->bytes, SOURCE);
}

/* A kernel by itself, with parameters as map_kernel_head has them. */
static CompiledKernel *map_kernel(Arena *arena, const MapCase *c, const char *text) {
    static const char *const names[MAP_PARAMS] = {"x",  "out", "to", "c0", "c1", "c2",
                                                  "c3", "c4",  "n0", "n1", "n2", "n3",
                                                  "n4", "t1",  "t2", "t3", "t4"};
    KernelParam *params = arena_array(arena, KernelParam, MAP_PARAMS);
    for (int i = 0; i < MAP_PARAMS; i++)
        params[i] = (KernelParam){.name = str_of(names[i]),
                                  .type = i < 2    ? SCALAR_I8
                                          : i < 13 ? SCALAR_I32
                                                   : SCALAR_I64,
                                  .is_pointer = i < 2,
                                  .divisible = 1};
    CompiledKernel *kernel = arena_new_of(arena, CompiledKernel);
    *kernel = (CompiledKernel){.arena = arena,
                               .name = STR("k"),
                               .num_params = MAP_PARAMS,
                               .params = params,
                               .text = str_of(text),
                               .target = "sm_90a"};
    kernel->facts.shared_bytes = REGION + 8;
    for (int i = 0; i < 3; i++) kernel->facts.block[i] = i ? 1 : 128;
    vec_push(arena, &kernel->facts.maps, c->recipe);
    return kernel;
}

typedef struct MapArgs {
    char *source, *out;
    int32_t ints[11];
    int64_t strides[4];
    void *args[MAP_PARAMS];
} MapArgs;

static void map_args(MapBench *b, const MapCase *c, MapArgs *a) {
    *a = (MapArgs){.source = (char *)b->source + c->base, .out = b->out};
    a->args[0] = &a->source, a->args[1] = &a->out, a->ints[0] = c->to;
    for (int d = 0; d < MAP_DIMS; d++) {
        a->ints[1 + d] = c->at[d], a->ints[6 + d] = (int32_t)c->sizes[d];
        if (d) a->strides[d - 1] = c->strides[d];
    }
    for (int i = 0; i < 11; i++) a->args[2 + i] = &a->ints[i];
    for (int i = 0; i < 4; i++) a->args[13 + i] = &a->strides[i];
}

/* Runs the case; false after words. */
__attribute__((unused)) static bool map_case_runs(MapBench *b, const MapCase *c) {
    unsigned char want[REGION], got[REGION];
    const DeviceOps *ops = b->device->ops;
    const CompiledKernel *kernel = map_kernel(b->arena, c, map_kernel_text(b->arena, &c->recipe));
    void *loaded = NULL;
    MapArgs a;
    map_args(b, c, &a);
    bool fine = !ops->fill(b->device, b->out, 0x11, REGION) &&
                !ops->load(b->device, kernel, &loaded) &&
                !ops->launch(b->device, NULL, loaded, (uint32_t[3]){1, 1, 1}, a.args) &&
                !ops->read(b->device, got, b->out, REGION);
    if (!fine) printf("%.*s\n", STR_ARG(b->device->why));
    map_reference(c, b->bytes, want);
    for (int i = 0; i < REGION && fine; i++)
        if (want[i] != got[i]) {
            printf("byte %d: %02x, not %02x\n", i, got[i], want[i]);
            fine = false;
        }
    if (loaded) ops->unload(b->device, loaded);
    if (fine) return true;
    printf("of elements of %d bytes, swizzle %d, from %d to %d:", c->recipe.element_bytes,
           c->recipe.swizzle, c->base, c->to);
    for (int d = 0; d < c->recipe.rank; d++)
        printf(" %d at %d of %lld by %lld,", c->recipe.dims[d].box, c->at[d],
               (long long)c->sizes[d], (long long)c->strides[d]);
    printf("\n");
    return false;
}

static uint32_t map_random(uint64_t *state, uint32_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* A random case of these, whose elements inside are in the source. */
__attribute__((unused)) static MapCase map_case_random(uint64_t *state, int rank, int element_bytes,
                                                       int swizzle) {
    MapCase c = {.recipe = {.rank = rank, .element_bytes = element_bytes, .swizzle = swizzle}};
    int row = swizzle ? swizzle : 16 * (1 + (int)map_random(state, 8)), box = row;
    int64_t stride = 0;
    map_case_by_parameters(&c);
    for (int d = 0; d < rank; d++) {
        MapDim *dim = &c.recipe.dims[d];
        int most = REGION / 2 / box < 256 ? REGION / 2 / box : 256;
        dim->box = d ? 1 + (int)map_random(state, (uint32_t)(most > 40 && d < rank - 1 ? 5 : most))
                     : row / element_bytes;
        if (d) box *= dim->box;
        c.sizes[d] = 1 + map_random(state, (uint32_t)(d ? 6 + 2 * dim->box : 2 * dim->box + 9));
        c.at[d] =
            (int32_t)map_random(state, (uint32_t)c.sizes[d]) - (int32_t)map_random(state, 2) * 3;
        /* an engine takes no others: seen on an H200 */
        if (!d) c.at[0] = c.at[0] / (16 / element_bytes) * (16 / element_bytes);
        if (d == 1)
            stride = (c.sizes[0] * element_bytes + 15) / 16 * 16 + 16 * map_random(state, 3);
        if (d > 1) stride = stride * c.sizes[d - 1] + 16 * map_random(state, 3);
        c.strides[d] = stride / element_bytes;
        while (d && stride * c.sizes[d] > SOURCE / 2) c.sizes[d] = (c.sizes[d] + 1) / 2;
        if (d && stride * c.sizes[d] > SOURCE / 2) c.sizes[d] = 1;
    }
    c.base = 16 * (int)map_random(state, 64);
    c.to = 128 * (int)map_random(state, 16);
    return c;
}

/* A box of 32 rows of 32 elements of 2 bytes. */
__attribute__((unused)) static MapCase map_square(void) {
    MapCase c = {.recipe = {.rank = 2, .element_bytes = 2, .swizzle = 64},
                 .sizes = {100, 50},
                 .strides = {1, 104},
                 .at = {40, 30}};
    map_case_by_parameters(&c);
    c.recipe.dims[0].box = c.recipe.dims[1].box = 32;
    return c;
}

/* Sizes of 0, below, and as large as can be; rows that are all the same, overlap, or are far away;
 * boxes as long as can be. */
enum { MAP_ENDS = 16 };
__attribute__((unused)) static int map_ends(MapCase *cases) {
    int count = 0;
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 3; k++) {
            MapCase *c = &cases[count++];
            *c = map_square();
            c->sizes[d] = k == 0 ? 0 : k == 1 ? -5 : MAP_NO_SIZE;
            c->at[0] = c->at[1] = 0;
        }
    MapCase *c = &cases[count++];
    *c = map_square();
    c->sizes[0] = c->sizes[1] = MAP_NO_SIZE;
    cases[count++] = *c, c = &cases[count - 1];
    c->strides[1] = 8;
    cases[count++] = *c, c = &cases[count - 1];
    c->strides[1] = 0;
    *(c = &cases[count++]) = map_square();
    c->strides[1] = ((int64_t)1 << 39) - 8, c->sizes[1] = 1, c->at[1] = 0;
    *(c = &cases[count++]) = map_square();
    c->recipe.swizzle = 0, c->recipe.dims[0].box = 256, c->recipe.dims[1].box = 16;
    c->sizes[0] = 300, c->strides[1] = 320, c->at[0] = 104;
    *(c = &cases[count++]) = map_square();
    c->recipe.dims[1].box = 256, c->sizes[1] = 300;
    *(c = &cases[count++]) = map_square();
    c->at[0] = INT32_MAX - 7, c->at[1] = INT32_MIN + 1;
    return count;
}

#endif
