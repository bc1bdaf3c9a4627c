// SPDX-License-Identifier: Apache-2.0
/* Products by descriptors whose rings one thread of the block fills with boxes (opt/gpu/flat.c): of
 * small integers, so exact; for tiles, warps, stages and sizes that fill none of them, one tile a
 * program or several in turn, on the simulated H200 in several orders. Each instruction that orders
 * copies, products and barriers is needed, and so is each count of bytes and of arrivals. */
#include "api/context.h"
#include "device/map.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def product(a, b, c, m, n, k, T: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,\n"
    "            BK: tl.constexpr):\n"
    "    da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])\n"
    "    if T:\n"
    "        db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])\n"
    "    else:\n"
    "        db = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])\n"
    "    columns = tl.cdiv(n, BN)\n"
    "    tile = tl.program_id(0)\n"
    "    row = tile // columns * BM\n"
    "    column = tile % columns * BN\n"
    "    acc = tl.zeros([BM, BN], tl.float32)\n"
    "    for i in range(0, tl.cdiv(k, BK)):\n"
    "        x = da.load([row, i * BK])\n"
    "        if T:\n"
    "            acc = tl.dot(x, db.load([column, i * BK]).T, acc)\n"
    "        else:\n"
    "            acc = tl.dot(x, db.load([i * BK, column]), acc)\n"
    "    r = row + tl.arange(0, BM)\n"
    "    s = column + tl.arange(0, BN)\n"
    "    inside = (r[:, None] < m) & (s[None, :] < n)\n"
    "    tl.store(c + r[:, None] * n + s[None, :], acc.to(tl.float16), mask=inside)\n"
    "@triton.jit\n"
    "def tiles(a, b, c, m, n, k, T: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,\n"
    "          BK: tl.constexpr):\n"
    "    da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])\n"
    "    db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])\n"
    "    dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])\n"
    "    columns = tl.cdiv(n, BN)\n"
    "    for tile in range(tl.program_id(0), tl.cdiv(m, BM) * columns, 2):\n"
    "        row = tile // columns * BM\n"
    "        column = tile % columns * BN\n"
    "        acc = tl.zeros([BM, BN], tl.float32)\n"
    "        for i in range(0, tl.cdiv(k, BK)):\n"
    "            acc = tl.dot(da.load([row, i * BK]), db.load([column, i * BK]).T, acc)\n"
    "        dc.store([row, column], acc.to(tl.float16))\n"
    "@triton.jit\n" /* pointers that move on by a number times a parameter, known to be positive */
    "def moved(a, b, c, m, n, k, T: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,\n"
    "          BK: tl.constexpr):\n"
    "    tl.assume(n > 0)\n"
    "    columns = tl.cdiv(n, BN)\n"
    "    r = tl.program_id(0) // columns * BM + tl.arange(0, BM)\n"
    "    s = tl.program_id(0) % columns * BN + tl.arange(0, BN)\n"
    "    d = tl.arange(0, BK)\n"
    "    x = a + r[:, None] * k + d[None, :]\n"
    "    y = b + d[:, None] * n + s[None, :]\n"
    "    acc = tl.zeros([BM, BN], tl.float32)\n"
    "    for i in range(0, tl.cdiv(k, BK)):\n"
    "        left = k - i * BK\n"
    "        u = tl.load(x, mask=(r[:, None] < m) & (d[None, :] < left), other=0.0)\n"
    "        v = tl.load(y, mask=(d[:, None] < left) & (s[None, :] < n), other=0.0)\n"
    "        acc = tl.dot(u, v, acc)\n"
    "        x += BK\n"
    "        y += BK * n\n"
    "    inside = (r[:, None] < m) & (s[None, :] < n)\n"
    "    tl.store(c + r[:, None] * n + s[None, :], acc.to(tl.float16), mask=inside)\n";

enum { M = 136, N = 48, MOST_K = 112 };

typedef struct Row {
    const char *name;
    bool b_along_k;
    int bm, bn, bk, warps;
} Row;

static const Row rows[] = {
    {"product", true, 128, 64, 64, 4}, {"product", false, 64, 128, 32, 4},
    {"product", true, 128, 64, 64, 8}, {"product", false, 128, 64, 64, 8},
    {"tiles", true, 64, 64, 32, 4},    {"tiles", true, 128, 64, 64, 8},
    {"moved", false, 64, 128, 32, 4},  {"moved", false, 128, 64, 64, 8},
};

typedef struct Inputs {
    int a[M][MOST_K], b[MOST_K][N];
    _Alignas(16) uint16_t a_halves[M * MOST_K];
    _Alignas(16) uint16_t b_halves[MOST_K * N];
    _Alignas(16) uint16_t c[M * N];
} Inputs;

static void make_inputs(Inputs *in, const Row *row, int depth) {
    for (int i = 0; i < M; i++)
        for (int k = 0; k < depth; k++)
            in->a_halves[i * depth + k] = half_of(in->a[i][k] = small());
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < N; j++)
            in->b_halves[row->b_along_k ? j * depth + k : k * N + j] =
                half_of(in->b[k][j] = small());
    memset(in->c, 0x55, sizeof in->c);
}

/* Elements that are not what they are to be: of the first so many rows and columns. */
static int wrong_in(const Inputs *in, int depth, int m, int n) {
    int wrong = 0;
    for (int i = 0; i < m * n; i++) {
        int sum = 0;
        for (int k = 0; k < depth; k++) sum += in->a[i / n][k] * in->b[k][i % n];
        wrong += float_decode(FLOAT_F16, in->c[i / n * N + i % n]) != sum;
    }
    return wrong;
}

static tern_context *opened(uint64_t seed) {
    tern_open_options options = {.device = "sim:h200", .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    return tern_open(&options, &status, words, sizeof words);
}

static tern_kernel *compiled(tern_context *context, const Row *row, int stages) {
    char signature[200];
    tern_options options = {.size = sizeof options, .num_warps = row->warps, .num_stages = stages};
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "product.py");
    snprintf(signature, sizeof signature,
             "*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,%s,%d,%d,%d",
             row->b_along_k ? "True" : "False", row->bm, row->bn, row->bk);
    tern_kernel *kernel = module ? tern_compile(module, row->name, signature, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static uint32_t programs(const Row *row) {
    uint32_t tiles = (uint32_t)((M + row->bm - 1) / row->bm * ((N + row->bn - 1) / row->bn));
    return strcmp(row->name, "tiles") ? tiles : 2;
}

static void check_depth(tern_context *context, tern_kernel *kernel, const Row *row, int depth) {
    static Inputs in;
    tern_argument arguments[6];
    tern_buffer *buffers[3];
    const void *data[3] = {in.a_halves, in.b_halves, in.c};
    const size_t sizes[3] = {sizeof in.a_halves, sizeof in.b_halves, sizeof in.c};
    make_inputs(&in, row, depth);
    for (int i = 0; i < 3; i++) {
        buffers[i] = tern_alloc(context, sizes[i]);
        tern_write(buffers[i], 0, data[i], sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    arguments[3] = tern_arg_int(M), arguments[4] = tern_arg_int(N);
    arguments[5] = tern_arg_int(depth);
    bool fine =
        tern_launch(NULL, kernel, (uint32_t[]){programs(row), 1, 1}, arguments, 6) == TERN_OK;
    tern_read(buffers[2], 0, in.c, sizeof in.c);
    int wrong = fine ? wrong_in(&in, depth, M, N) : -1;
    if (wrong)
        printf("%s %dx%dx%d, %d warps, depth %d: %d are wrong: %s\n", row->name, row->bm, row->bn,
               row->bk, row->warps, depth, wrong, tern_message(context));
    CHECK(!wrong);
    for (int i = 0; i < 3; i++) tern_buffer_free(buffers[i]);
}

TEST(products_by_boxes_are_exact) {
    static const int depths[] = {16, 64, MOST_K};
    for (int i = 0; i < COUNT(rows); i++) {
        tern_context *context = opened((uint64_t)i);
        tern_kernel *kernel = context ? compiled(context, &rows[i], 2 + i % 3) : NULL;
        CHECK(kernel);
        if (!kernel) return;
        const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
        CHECK(strstr(text, "cp.async.bulk") && !strstr(text, "cp.async.cg"));
        for (int d = 0; d < COUNT(depths); d++) check_depth(context, kernel, &rows[i], depths[d]);
        tern_kernel_free(kernel), tern_close(context);
    }
}

/* ---- mutations ---- */

typedef struct Mutated {
    const Row *row;
    const CompiledKernel *kernel;
    Inputs in;
} Mutated;

static bool catches(const char *text, uint64_t seed, void *user) {
    Mutated *m = user;
    void *args[8];
    char why[200];
    Bench b = bench_new();
    b.seed = seed, b.shared = m->kernel->facts.shared_bytes, b.broken = true;
    memset(m->in.c, 0x55, sizeof m->in.c);
    bench_buffer(&b, m->in.a_halves, sizeof m->in.a_halves);
    bench_buffer(&b, m->in.b_halves, sizeof m->in.b_halves);
    bench_buffer(&b, m->in.c, sizeof m->in.c);
    b.values[3] = M, b.values[4] = N, b.values[5] = MOST_K;
    for (int i = 0; i < COUNT(args); i++) args[i] = &b.values[i];
    b.num_numbers = m->kernel->num_params - b.num_buffers;
    b.num_maps = m->kernel->facts.maps.count;
    bool all = !strcmp(m->row->name, "tiles"); /* which go out as boxes, too */
    CHECK(b.num_maps == 2 + all);
    for (int i = 0; i < b.num_maps && i < COUNT(b.maps); i++)
        CHECK(
            map_make(m->kernel, &m->kernel->facts.maps.data[i], args, &b.maps[i], why, sizeof why));
    bool runs = bench_run(&b, text, all ? 2 : 1) && !b.failure.status;
    arena_free(b.arena);
    return !runs || (all ? wrong_in(&m->in, MOST_K, M, N)
                         : wrong_in(&m->in, MOST_K, m->row->bm, m->row->bn < N ? m->row->bn : N));
}

static void check_mutated(const Row *row, int stages, bool counts) {
    static Mutated m;
    tern_context *context = opened(0);
    tern_kernel *kernel = context ? compiled(context, row, stages) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    make_inputs(&m.in, row, MOST_K);
    m.row = row, m.kernel = kernel->compiled;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    CHECK((counts ? each_count_is_missed : each_order_is_missed)(text, catches, &m) > 8);
    tern_kernel_free(kernel), tern_close(context);
}

TEST(each_wait_and_arrival_is_missed) {
    static const Row product = {"product", false, 64, 64, 32, 4};
    static const Row both = {"product", false, 128, 64, 32, 8};
    check_mutated(&product, 2, false);
    check_mutated(&both, 3, false);
}

/* The copies of a tile begin before the one before it is stored. */
TEST(so_are_those_of_tiles_in_turn) {
    check_mutated(&rows[4], 2, false);
    tern_context *context = opened(0);
    tern_kernel *kernel = context ? compiled(context, &rows[4], 2) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    const char *end = strstr(text, "wgmma.wait_group.sync.aligned 0");
    const char *store = end ? strstr(end, "bulk_group [") : NULL;
    const char *copy = end ? strstr(end, "complete_tx") : NULL;
    CHECK(store && copy && copy < store);
    tern_kernel_free(kernel), tern_close(context);
}

TEST(each_count_is) {
    static const Row product = {"product", false, 64, 64, 32, 4};
    check_mutated(&product, 2, true);
}

TEST_MAIN()
