// SPDX-License-Identifier: Apache-2.0
/* Products by blocks that make several tiles each, on an H100 with warps of their own that fill the
 * ring for the next tile while this one is written: where the source walks over tiles, and where
 * the programs of a grid are walked over. Of small integers, so exact; on the simulated H200 in
 * several orders and on the interpreter. Each instruction that orders copies, products and barriers
 * is needed. */
#include "api/context.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

enum { BN = 128, BK = 16, M = 72, N = 264, MOST_K = 4 * BK };

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def tile(a, b, c, k, first, M, N, LD, BM: tl.constexpr, BN: tl.constexpr,\n"
    "         BK: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    column = first + tl.arange(0, BN)\n"
    "    depth = tl.arange(0, BK)\n"
    "    x = a + row[:, None] * LD + depth[None, :]\n"
    "    y = b + column[None, :] * LD + depth[:, None]\n"
    "    acc = tl.zeros([BM, BN], dtype=tl.float32)\n"
    "    for start in range(0, k, BK):\n"
    "        acc = tl.dot(tl.load(x, mask=row[:, None] < M, other=0),\n"
    "                     tl.load(y, mask=column[None, :] < N, other=0), acc)\n"
    "        x += BK\n"
    "        y += BK\n"
    "    inside = (row[:, None] < M) & (column[None, :] < N)\n"
    "    tl.store(c + row[:, None] * 264 + column[None, :], acc.to(tl.float16), mask=inside)\n"
    "@triton.jit\n"
    "def walk(a, b, c, k, M: tl.constexpr, N: tl.constexpr, LD: tl.constexpr, BM: tl.constexpr,\n"
    "         BN: tl.constexpr, BK: tl.constexpr):\n"
    "    for i in range(tl.program_id(0), 3, tl.num_programs(0)):\n"
    "        tile(a, b, c, k, i * BN, M, N, LD, BM, BN, BK)\n"
    "@triton.jit\n"
    "def grid(a, b, c, k, M: tl.constexpr, N: tl.constexpr, LD: tl.constexpr, BM: tl.constexpr,\n"
    "         BN: tl.constexpr, BK: tl.constexpr):\n"
    "    i = tl.program_id(0) + tl.num_programs(0) * (tl.program_id(1) + tl.program_id(2))\n"
    "    tile(a, b, c, k, i * BN, M, N, LD, BM, BN, BK)\n"
    "@triton.jit\n" /* what shows no sign before the launch */
    "def grouped(a, b, c, k, M: tl.constexpr, N: tl.constexpr, LD: tl.constexpr,\n"
    "            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
    "    i = tl.program_id(0)\n"
    "    in_group = 2 * tl.cdiv(N, BN)\n"
    "    rows = min(tl.cdiv(M, BM) - i // in_group * 2, 2)\n"
    "    tile(a, b, c, k, (i % in_group) // rows * BN, M, N, LD, BM, BN, BK)\n"
    "@triton.jit\n" /* columns counted from within a tile on, the last first */
    "def before(a, b, c, k, M: tl.constexpr, N: tl.constexpr, LD: tl.constexpr,\n"
    "           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
    "    for i in range(tl.program_id(0), 3, tl.num_programs(0)):\n"
    "        tile(a, b + 240 * LD, c + 240, k, (2 - i) * BN - 240, M, N - 240, LD, BM, BN, BK)\n";

typedef struct Inputs {
    uint16_t a[M * MOST_K], b[N * MOST_K], c[M * N];
    int8_t of_a[M * MOST_K], of_b[N * MOST_K]; /* their numbers */
} Inputs;

static void make_inputs(Inputs *in) {
    for (int i = 0; i < COUNT(in->a); i++) in->a[i] = small_half(&in->of_a[i]);
    for (int i = 0; i < COUNT(in->b); i++) in->b[i] = small_half(&in->of_b[i]);
}

static int wrong_in(const Inputs *in, int k) {
    int wrong = 0;
    for (int i = 0; i < M * N; i++) {
        int sum = 0;
        for (int n = 0; n < k; n++)
            sum += in->of_a[i / N * MOST_K + n] * in->of_b[i % N * MOST_K + n];
        wrong += float_decode(FLOAT_F16, in->c[i]) != sum;
    }
    return wrong;
}

static tern_kernel *compiled(tern_context *context, const char *name, int warps, int stages) {
    char signature[128];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp16:16,i32,%d,%d,%d,%d,%d,%d", M, N,
             MOST_K, 32 * warps, BN, BK);
    tern_module *module = tern_load_text(context, source, strlen(source), "tiles.py");
    tern_options options = {.size = sizeof options, .num_warps = warps, .num_stages = stages};
    tern_kernel *kernel = module ? tern_compile(module, name, signature, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static tern_context *opened(const char *device, uint64_t seed) {
    tern_open_options options = {.device = device, .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    return tern_open(&options, &status, words, sizeof words);
}

static void check_launch(tern_context *context, tern_kernel *kernel, Inputs *in, int k,
                         const uint32_t grid[3]) {
    tern_buffer *buffers[3];
    void *data[3] = {in->a, in->b, in->c};
    const size_t sizes[3] = {sizeof in->a, sizeof in->b, sizeof in->c};
    tern_argument arguments[4];
    memset(in->c, 0x55, sizeof in->c);
    for (int i = 0; i < 3; i++) {
        buffers[i] = tern_alloc(context, sizes[i]);
        tern_write(buffers[i], 0, data[i], sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    arguments[3] = tern_arg_int(k);
    bool fine = tern_launch(NULL, kernel, grid, arguments, 4) == TERN_OK;
    tern_read(buffers[2], 0, in->c, sizeof in->c);
    int wrong = fine ? wrong_in(in, k) : -1;
    if (wrong) printf("k = %d: %d are wrong: %s\n", k, wrong, tern_message(context));
    CHECK(!wrong);
    for (int i = 0; i < 3; i++) tern_buffer_free(buffers[i]);
}

/* Seeds of the simulator's order; with one, the programs of a grid are walked over. Without roles:
 * by 4 warps, but for the grid that is not walked over. */
static void check_kernel(const char *name, const uint32_t grid[3], uint64_t seed, bool has_roles,
                         bool allows) {
    int warps = has_roles || strcmp(name, "grid") == 0 ? 8 : 4;
    static Inputs in;
    make_inputs(&in);
    tern_context *context = opened("sim:h200", seed);
    for (int stages = 2; context && stages < 5; stages += 2) {
        tern_kernel *kernel = compiled(context, name, warps, stages);
        CHECK(kernel);
        if (!kernel) continue;
        const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
        CHECK((strstr(facts, "\nroles: ") != NULL) == has_roles);
        CHECK(strstr(facts, "\ntensor map: ") || warps == 8);
        for (int k = (stages - 2) * BK; k <= MOST_K; k += 2 * BK + stages / 2 * BK)
            check_launch(context, kernel, &in, k, grid);
        CHECK((kernel->texts[WAY_WITHOUT_MAPS].compiled == NULL) == allows);
        tern_kernel_free(kernel);
    }
    tern_close(context);
}

TEST(tiles_of_a_loop) {
    for (uint64_t seed = 0; seed < 2; seed++)
        check_kernel("walk", (uint32_t[]){1 + seed % 3, 1, 1}, seed, true, true);
}

TEST(tiles_of_a_grid) {
    for (uint64_t seed = 0; seed < 4; seed++)
        check_kernel(
            "grid",
            (uint32_t[]){seed % 2 ? 3 : 1, seed == 2 ? 3 : 1, seed % 2 ? 1 : 3 - 2 * (seed == 2)},
            seed, seed > 0, true);
}

TEST(tiles_whose_signs_the_launch_shows) {
    for (uint64_t seed = 1; seed < 3; seed++)
        check_kernel("grouped", (uint32_t[]){3, 1, 1}, seed, true, true);
}

TEST(tiles_that_begin_before_the_tensor) {
    for (uint64_t seed = 0; seed < 2; seed++)
        check_kernel("before", (uint32_t[]){1 + seed % 2, 1, 1}, seed, true, false);
}

/* By 4 warps, of which one thread fills the ring. */
TEST(tiles_without_roles) {
    for (uint64_t seed = 0; seed < 2; seed++) {
        check_kernel("grouped", (uint32_t[]){3, 1, 1}, seed, false, true);
        check_kernel("before", (uint32_t[]){1 + seed % 2, 1, 1}, seed, false, false);
    }
}

static const char wide[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def wide(a, b, c, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):\n"
    "    row = tl.arange(0, 128)\n"
    "    column = tl.program_id(0) * 256 + tl.arange(0, 256)\n"
    "    depth = tl.arange(0, BK)\n"
    "    acc = tl.zeros([128, 256], dtype=tl.float32)\n"
    "    for start in range(0, K, BK):\n"
    "        acc = tl.dot(tl.load(a + row[:, None] * K + depth[None, :] + start),\n"
    "                     tl.load(b + column[None, :] * K + depth[:, None] + start), acc)\n"
    "    tl.store(c + row[:, None] * N + column[None, :], acc.to(tl.float16))\n";

enum { WIDE_M = 128, WIDE_N = 256, WIDE_K = 80, WIDE_DEEP = 320 };

static int wrong_in_wide(const int8_t *a, const int8_t *b, const uint16_t *c, int columns,
                         int depth) {
    int wrong = 0;
    for (int i = 0; i < WIDE_M * columns; i++) {
        int sum = 0;
        for (int k = 0; k < depth; k++)
            sum += a[i / columns * depth + k] * b[i % columns * depth + k];
        wrong += float_decode(FLOAT_F16, c[i]) != sum;
    }
    return wrong;
}

/* Returns whether blocks walked over the programs. */
static bool walk_wide(tern_context *context, int programs) {
    int columns = programs * WIDE_N,
        sizes[3] = {WIDE_M * WIDE_K, columns * WIDE_K, WIDE_M * columns};
    uint16_t *data[3];
    int8_t *numbers[3];
    tern_buffer *buffers[3];
    tern_argument arguments[3];
    char signature[64];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp16:16,%d,%d,16", columns, WIDE_K);
    tern_module *module = tern_load_text(context, wide, strlen(wide), "wide.py");
    tern_options options = {.size = sizeof options, .num_warps = 8, .num_stages = 3};
    tern_kernel *kernel = tern_compile(module, "wide", signature, &options);
    for (int i = 0; i < 3; i++) {
        data[i] = malloc(sizeof *data[i] * (size_t)sizes[i]);
        numbers[i] = malloc((size_t)sizes[i]);
        for (int k = 0; k < sizes[i]; k++) data[i][k] = small_half(&numbers[i][k]);
        buffers[i] = tern_alloc(context, sizeof *data[i] * (size_t)sizes[i]);
        tern_write(buffers[i], 0, data[i], sizeof *data[i] * (size_t)sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS), *walks = "\nblocks walk over ";
    CHECK(strstr(facts, walks) && !kernel->texts[WAY_OWN].loaded);
    CHECK(!tern_launch(NULL, kernel, (uint32_t[]){(uint32_t)programs, 1, 1}, arguments, 3));
    tern_read(buffers[2], 0, data[2], sizeof *data[2] * (size_t)sizes[2]);
    CHECK(!wrong_in_wide(numbers[0], numbers[1], data[2], columns, WIDE_K));
    bool walked = kernel->texts[WAY_OWN].loaded != NULL;
    CHECK(walked != (kernel->texts[WAY_FEW].loaded != NULL)); /* one of them is assembled */
    CHECK(kernel->last == &kernel->texts[walked ? WAY_OWN : WAY_FEW]);
    facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
    CHECK((strstr(facts, walks) != NULL) == walked);
    for (int i = 0; i < 3; i++) {
        tern_buffer_free(buffers[i]);
        free(data[i]), free(numbers[i]);
    }
    tern_kernel_free(kernel);
    tern_module_free(module);
    return walked;
}

typedef struct Wide {
    uint16_t a[WIDE_M * WIDE_DEEP], b[WIDE_N * WIDE_DEEP], c[WIDE_M * WIDE_N];
    int8_t of_a[WIDE_M * WIDE_DEEP], of_b[WIDE_N * WIDE_DEEP];
} Wide;

typedef struct WideLaunch {
    const CompiledKernel *kernel;
    int depth; /* of all turns */
} WideLaunch;

static bool catches_wide(const char *text, uint64_t seed, void *user) {
    static Wide in;
    const WideLaunch *l = user;
    const CompiledKernel *kernel = l->kernel;
    Bench b = bench_new();
    for (int i = 0; i < COUNT(in.a); i++) in.a[i] = small_half(&in.of_a[i]);
    for (int i = 0; i < COUNT(in.b); i++) in.b[i] = small_half(&in.of_b[i]);
    memset(in.c, 0x55, sizeof in.c);
    b.seed = seed, b.shared = kernel->facts.shared_bytes, b.broken = true;
    bench_buffer(&b, in.a, sizeof in.a);
    bench_buffer(&b, in.b, sizeof in.b);
    bench_buffer(&b, in.c, sizeof in.c);
    bench_maps(&b, kernel);
    bool runs = bench_run(&b, text, 1) && !b.failure.status;
    arena_free(b.arena);
    return !runs || wrong_in_wide(in.of_a, in.of_b, in.c, WIDE_N, l->depth);
}

/* What one program runs of instructions of 256 columns: boxes in, the producer's before all have
 * seen its mbarriers, and boxes out. */
static void check_few(int depth, int turn, bool mutates) {
    char signature[64];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp16:16,256,%d,%d", depth, turn);
    tern_context *context = opened("sim:h200", 1);
    tern_module *module = tern_load_text(context, wide, strlen(wide), "wide.py");
    tern_options options = {.size = sizeof options, .num_warps = 8, .num_stages = 3};
    tern_kernel *kernel = tern_compile(module, "wide", signature, &options);
    CHECK(kernel && kernel_ready(kernel, WAY_FEW) && !kernel->texts[WAY_OWN].loaded);
    if (!kernel) return;
    WideLaunch few = {kernel->texts[WAY_FEW].compiled, depth};
    const char *text = few.kernel->text.data;
    CHECK(strstr(text, "bar.arrive 0, 384;"));
    CHECK(strstr(text, "cp.async.bulk.tensor.2d.global."));
    CHECK((strstr(text, "cp.async.bulk.wait_group.read 1;") != NULL) == !mutates);
    for (uint64_t seed = 0; seed < 4; seed++) CHECK(!catches_wide(text, seed, &few));
    if (mutates) CHECK(each_order_is_missed(text, catches_wide, &few) > 20);
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
}

TEST(each_order_of_few_programs_is_missed) { check_few(WIDE_K, 16, true); }

/* Turns so large that the tile goes out through two buffers, each written again. */
TEST(few_programs_of_large_turns) { check_few(WIDE_DEEP, 64, false); }

/* Instructions of 256 columns: a block of an H200 for each of 132 programs does not walk. */
TEST(few_programs_of_wide_tiles_are_not_walked_over) {
    for (uint64_t seed = 1; seed < 3; seed++) {
        tern_context *context = opened("sim:h200", seed);
        CHECK(context && !walk_wide(context, 1));
        CHECK(context && !walk_wide(context, 2));
        CHECK(context && walk_wide(context, 3) == (seed == 1));
        tern_close(context);
    }
}

/* Tiles of 32 bits are: there is one text, which is ready at once. */
TEST(few_programs_of_wide_numbers_are) {
    char text[sizeof wide];
    memcpy(text, wide, sizeof wide);
    tern_context *context = opened("sim:h200", 2);
    for (int narrow = 1; narrow >= 0; narrow--) {
        if (!narrow) memcpy(strstr(text, "float16)"), "float32)", 8);
        tern_module *module = tern_load_text(context, text, strlen(text), "wide.py");
        tern_options options = {.size = sizeof options, .num_warps = 8, .num_stages = 3};
        tern_kernel *kernel = tern_compile(module, "wide",
                                           narrow ? "*fp32:16,*fp32:16,*fp16:16,512,80,16"
                                                  : "*fp32:16,*fp32:16,*fp32:16,512,80,16",
                                           &options);
        CHECK(kernel && kernel->compiled->facts.walks == 1);
        if (!kernel) return;
        CHECK(kernel->compiled->facts.few == narrow);
        CHECK((kernel->texts[WAY_OWN].loaded == NULL) == narrow);
        tern_kernel_free(kernel);
        tern_module_free(module);
    }
    tern_close(context);
}

static bool catches(const char *text, uint64_t seed, void *user) {
    static Inputs in;
    const tern_kernel *kernel = user;
    Bench b = bench_new();
    make_inputs(&in);
    b.seed = seed, b.shared = kernel->compiled->facts.shared_bytes, b.broken = true;
    memset(in.c, 0x55, sizeof in.c);
    bench_buffer(&b, in.a, sizeof in.a);
    bench_buffer(&b, in.b, sizeof in.b);
    bench_buffer(&b, in.c, sizeof in.c);
    b.values[3] = MOST_K - BK; /* an odd number of turns, so that tiles begin at either phase */
    for (int i = 0; i < WALK_PARAMS; i++) b.walk[i] = i == 1 ? 3 : 1;
    bench_maps(&b, kernel->compiled);
    bool runs = bench_run(&b, text, 1) && !b.failure.status;
    arena_free(b.arena);
    return !runs || wrong_in(&in, MOST_K - BK);
}

static void check_mutated(const char *name) {
    tern_context *context = opened("sim:h200", 1);
    tern_kernel *kernel = context ? compiled(context, name, 8, 2) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    CHECK(each_order_is_missed(tern_kernel_text(kernel, TERN_STAGE_PTX), catches, kernel) > 10);
    tern_kernel_free(kernel);
    tern_close(context);
}

TEST(each_wait_and_barrier_is_missed) { check_mutated("grid"); }

TEST_MAIN()
