// SPDX-License-Identifier: Apache-2.0
/* Products in loops, whose operands are copied ahead into rings: for each type, layout of B, depth,
 * number of stages and warps they come out exactly (of small integers), on simulated GPUs in
 * several orders; and without any one of the instructions that order copies, products and barriers,
 * the simulator finds fault or the result is wrong: else the instruction is useless, or the
 * simulator blind. */
#include "api/context.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def product(a, b, c, m, n, k, am, ak, bk, bn, CM: tl.constexpr, BM: tl.constexpr, BN: "
    "tl.constexpr,\n"
    "            BK: tl.constexpr, ACC: tl.constexpr, TIMES: tl.constexpr):\n"
    "    row = tl.program_id(0) * BM + tl.arange(0, BM)\n"
    "    column = tl.program_id(1) * BN + tl.arange(0, BN)\n"
    "    depth = tl.arange(0, BK)\n"
    "    pa = a + row[:, None] * am + depth[None, :] * ak\n"
    "    pb = b + depth[:, None] * bk + column[None, :] * bn\n"
    "    acc = tl.zeros([BM, BN], dtype=ACC)\n"
    "    for i in range(0, tl.cdiv(k, BK)):\n"
    "        left = k - i * BK\n"
    "        x = tl.load(pa, mask=(row[:, None] < m) & (depth[None, :] < left), other=0.0)\n"
    "        y = tl.load(pb, mask=(depth[:, None] < left) & (column[None, :] < n), other=0.0)\n"
    "        if TIMES != 2:\n"
    "            acc = tl.dot(x, y, acc, input_precision='tf32', out_dtype=ACC)\n"
    "        if TIMES > 1:\n"
    "            acc = tl.dot(x, y + y, acc, input_precision='tf32', out_dtype=ACC)\n"
    "        pa += BK * ak\n"
    "        pb += BK * bk\n"
    "    inside = (row[:, None] < m) & (column[None, :] < n)\n"
    "    tl.store(c + row[:, None] * CM + column[None, :], acc, mask=inside)\n";

enum { M = 150, N = 80, MOST_K = 192 };

typedef struct Row {
    const char *type, *acc;
    tern_dtype dtype;
    bool b_along_k; /* neighbours in memory are neighbours along K */
    int bm, bn, bk, warps;
    bool rings; /* expected where there are asynchronous copies and stages */
    bool wgmma; /* expected on sm_90a */
    int times;  /* 3: x is read by two products, y also by an addition before one of them;
                  2: y is read by the addition alone */
} Row;

static const Row rows[] = {
    {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 64, 32, 4, true, true, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, true, 32, 16, 16, 1, true, false, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, false, 128, 64, 64, 8, true, true, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, true, 128, 64, 128, 4, true, true, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 128, 32, 8, true, true, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, true, 64, 64, 16, 8, true, true, 1},
    {"bf16", "tl.float32", TERN_BFLOAT16, false, 64, 32, 64, 4, true, true, 1},
    {"bf16", "tl.float32", TERN_BFLOAT16, true, 256, 32, 32, 8, true, true, 1},
    {"bf16", "tl.float32", TERN_BFLOAT16, true, 64, 16, 32, 2, true, false, 1},
    {"fp32", "tl.float32", TERN_FLOAT32, false, 32, 32, 16, 4, true, false, 1},
    {"fp32", "tl.float32", TERN_FLOAT32, true, 32, 32, 32, 4, true, false, 1},
    {"fp32", "tl.float32", TERN_FLOAT32, true, 64, 32, 32, 4, true, true, 1},
    {"fp32", "tl.float32", TERN_FLOAT32, true, 64, 64, 64, 8, true, true, 1},
    {"fp32", "tl.float32", TERN_FLOAT32, false, 64, 64, 32, 4, true, false, 1},
    {"i8", "tl.int32", TERN_INT8, false, 32, 32, 64, 4, true, false, 1},
    {"i8", "tl.int32", TERN_INT8, true, 64, 32, 32, 2, true, false, 1},
    {"i8", "tl.int32", TERN_INT8, true, 64, 32, 32, 4, true, true, 1},
    {"i8", "tl.int32", TERN_INT8, true, 128, 64, 64, 8, true, true, 1},
    {"i8", "tl.int32", TERN_INT8, false, 128, 64, 64, 4, true, false, 1},
    {"fp8e4nv", "tl.float32", TERN_FLOAT8E4M3, true, 64, 32, 64, 4, true, true, 1},
    {"fp8e4nv", "tl.float32", TERN_FLOAT8E4M3, false, 64, 32, 64, 4, true, true, 1},
    {"fp8e5", "tl.float32", TERN_FLOAT8E5M2, true, 128, 64, 128, 4, true, true, 1},
    {"fp8e5", "tl.float32", TERN_FLOAT8E5M2, true, 32, 32, 32, 4, true, false, 1},
    {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 64, 32, 4, true, true, 3},
    {"bf16", "tl.float32", TERN_BFLOAT16, true, 128, 64, 64, 8, true, true, 3},
    {"fp16", "tl.float32", TERN_FLOAT16, true, 32, 32, 32, 2, true, false, 3},
    {"fp32", "tl.float32", TERN_FLOAT32, false, 64, 32, 16, 4, true, true, 3},
    {"i8", "tl.int32", TERN_INT8, true, 64, 32, 64, 4, true, true, 3},
    {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 32, 32, 4, true, true, 2},
    {"bf16", "tl.float32", TERN_BFLOAT16, true, 128, 64, 64, 8, true, true, 2},
};

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}

typedef struct Inputs {
    int a[M][MOST_K], b[MOST_K][N];
    _Alignas(16) unsigned char a_bytes[M * MOST_K * 4];
    unsigned char b_bytes[MOST_K * N * 4];
} Inputs;

/* b: rows along N, or along K. */
static void make_inputs(const Row *row, Inputs *in) {
    size_t size = tern_dtype_size(row->dtype);
    for (int i = 0; i < M * MOST_K; i++) {
        int value = in->a[i / MOST_K][i % MOST_K] = (int)(random_bits() >> 33) % 5 - 2;
        tern_element_set_double(row->dtype, in->a_bytes + (size_t)i * size, value);
    }
    for (int i = 0; i < MOST_K * N; i++) {
        int k = i / N, n = i % N, value = in->b[k][n] = (int)(random_bits() >> 33) % 5 - 2;
        int at = row->b_along_k ? n * MOST_K + k : i;
        tern_element_set_double(row->dtype, in->b_bytes + (size_t)at * size, value);
    }
}

static int right(const Row *row, const Inputs *in, const unsigned char *c, int depth) {
    int wrong = 0;
    for (int i = 0; i < M * N; i++) {
        int64_t sum = 0;
        for (int k = 0; k < depth; k++) sum += in->a[i / N][k] * in->b[k][i % N];
        bool is_int = row->dtype == TERN_INT8;
        double got = tern_element_double(is_int ? TERN_INT32 : TERN_FLOAT32, c + i * 4);
        wrong += got != (double)sum * row->times;
    }
    return wrong;
}

static const char *signature_of(const Row *row) {
    static char text[256];
    snprintf(text, sizeof text,
             "*%s:16,*%s:16,*%s:16,i32,i32:16,i32:16,i32:16,1,%s,%d,%d,%d,%d,%s,%d", row->type,
             row->type, !strcmp(row->type, "i8") ? "i32" : "fp32",
             row->b_along_k ? "1,i32:16" : "i32:16,1", N, row->bm, row->bn, row->bk, row->acc,
             row->times);
    return text;
}

/* print_after: a pass of GPUs, or NULL. */
/* text_only: without tensor maps. */
static tern_kernel *compiled(tern_context *context, const Row *row, int stages,
                             const char *print_after, bool text_only) {
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "product.py");
    tern_options options = {.size = sizeof options,
                            .num_warps = row->warps,
                            .num_stages = stages,
                            .print_after = print_after,
                            .text_only = text_only};
    tern_kernel *kernel =
        module ? tern_compile(module, "product", signature_of(row), &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static void check_depth(tern_context *context, tern_kernel *kernel, const Row *row,
                        const Inputs *in, int depth) {
    static unsigned char c[M * N * 4];
    size_t size = tern_dtype_size(row->dtype);
    tern_buffer *a = tern_alloc(context, M * MOST_K * size),
                *b = tern_alloc(context, MOST_K * N * size);
    tern_buffer *out = tern_alloc(context, sizeof c);
    tern_write(a, 0, in->a_bytes, M * MOST_K * size);
    tern_write(b, 0, in->b_bytes, MOST_K * N * size);
    memset(c, 0x55, sizeof c);
    tern_write(out, 0, c, sizeof c);
    int64_t ints[] = {M, N, depth, MOST_K, 1, row->b_along_k ? 1 : N, row->b_along_k ? MOST_K : 1};
    tern_argument arguments[16] = {tern_arg_buffer(a), tern_arg_buffer(b), tern_arg_buffer(out)};
    int at = 3; /* parameters that are 1 are constants */
    for (int i = 0; i < COUNT(ints); i++)
        if (ints[i] != 1) arguments[at++] = tern_arg_int(ints[i]);
    uint32_t grid[3] = {(uint32_t)((M + row->bm - 1) / row->bm),
                        (uint32_t)((N + row->bn - 1) / row->bn), 1};
    bool fine = tern_launch(NULL, kernel, grid, arguments, at) == TERN_OK;
    tern_read(out, 0, c, sizeof c);
    int wrong = fine ? right(row, in, c, depth) : -1;
    if (wrong) printf("depth %d: %d are wrong: %s\n", depth, wrong, tern_message(context));
    CHECK(!wrong);
    tern_buffer_free(a), tern_buffer_free(b), tern_buffer_free(out);
}

/* What was placed for a GPU, on the interpreter: products end late, and copies too with seed 3. */
static void check_placed(tern_kernel *kernel, const Row *row, const Inputs *in, uint64_t seed) {
    tern_open_options options = {.device = "interp", .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&options, &status, words, sizeof words);
    const char *text = tern_kernel_text(kernel, TERN_STAGE_IR_AFTER);
    tern_kernel *placed =
        context && text ? kernel_from_ir(context, text, &(tern_options){0}) : NULL;
    CHECK(placed);
    for (int depth = 0; placed && depth <= MOST_K; depth += row->bk)
        check_depth(context, placed, row, in, depth);
    tern_kernel_free(placed);
    tern_close(context);
}

static void check_row(const Row *row, const char *device, int stages, uint64_t seed) {
    static Inputs in;
    static const int turns[] = {0, 1, 2, 3};
    tern_open_options options = {.device = device, .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&options, &status, words, sizeof words);
    CHECK(context);
    if (!context) return;
    make_inputs(row, &in);
    tern_kernel *kernel =
        compiled(context, row, stages, strcmp(device, "interp") ? "fence" : NULL, false);
    CHECK(kernel);
    const char *text =
        kernel && strcmp(device, "interp") ? tern_kernel_text(kernel, TERN_STAGE_PTX) : NULL;
    bool has_ring = text && strstr(text, "cp.async") != NULL;
    if (text) CHECK(has_ring == (row->rings && stages > 1 && strcmp(device, "sim:t4")));
    if (text)
        CHECK((strstr(text, "wgmma.mma_async") != NULL) ==
              (row->wgmma && !strcmp(device, "sim:h200")));
    int before = test_bad_checks;
    for (int i = 0; kernel && i < COUNT(turns); i++) {
        int depth = turns[i] * row->bk + (i == 3 ? 16 : 0);
        check_depth(context, kernel, row, &in, depth < MOST_K ? depth : MOST_K);
    }
    if (row->wgmma && has_ring && !strcmp(device, "sim:h200"))
        check_placed(kernel, row, &in, 2 + (seed & 1));
    if (test_bad_checks > before)
        printf("%s %dx%dx%d, %d warps, %d stages, on %s\n", row->type, row->bm, row->bn, row->bk,
               row->warps, stages, device);
    tern_kernel_free(kernel);
    tern_close(context);
}

TEST(products_with_rings_are_exact) {
    for (int i = 0; i < COUNT(rows); i++) {
        check_row(&rows[i], "interp", 0, 0);
        for (int stages = 1; stages <= 5; stages++)
            check_row(&rows[i], stages & 1 ? "sim:h200" : "sim:a100", stages,
                      (uint64_t)(i + stages));
        check_row(&rows[i], "sim:t4", 3, 1);
    }
}

/* ---- mutations ---- */

/* Does a launch of one program with this seed fail, or leave another result? */
static bool is_caught(const char *text, const Row *row, Inputs *in, uint64_t seed, int shared,
                      int depth) {
    static unsigned char c[M * N * 4];
    int rows_there = row->bm < M ? row->bm : M, columns = row->bn < N ? row->bn : N, wrong = 0;
    Bench b = bench_new();
    b.seed = seed, b.shared = shared, b.broken = true;
    memset(c, 0x55, sizeof c);
    bench_buffer(&b, in->a_bytes, sizeof in->a_bytes);
    bench_buffer(&b, in->b_bytes, sizeof in->b_bytes);
    bench_buffer(&b, c, sizeof c);
    b.values[3] = M, b.values[4] = N, b.values[5] = (uint64_t)depth, b.values[6] = MOST_K;
    b.values[7] = row->b_along_k ? MOST_K : N;
    bool runs = bench_run(&b, text, 1) && !b.failure.status;
    for (int i = 0; runs && i < rows_there * columns; i++) {
        int64_t sum = 0;
        for (int k = 0; k < depth; k++) sum += in->a[i / columns][k] * in->b[k][i % columns];
        double got = tern_element_double(TERN_FLOAT32, c + (i / columns * N + i % columns) * 4);
        wrong += got != (double)sum * row->times;
    }
    arena_free(b.arena);
    return !runs || wrong;
}

typedef struct Mutated {
    const Row *row;
    Inputs in;
    int shared;
} Mutated;

static bool catches(const char *text, uint64_t seed, void *user) {
    Mutated *m = user;
    return is_caught(text, m->row, &m->in, seed, m->shared, MOST_K);
}

static int mutate(const char *text, const Row *row, int shared) {
    static Mutated m;
    m.row = row, m.shared = shared;
    make_inputs(row, &m.in);
    return each_order_is_missed(text, catches, &m);
}

TEST(each_wait_and_barrier_is_missed) {
    static const Row mutated[] = {
        {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 32, 32, 4, true, true, 1},
        {"fp32", "tl.float32", TERN_FLOAT32, true, 32, 32, 32, 2, true, false, 1},
        {"fp16", "tl.float32", TERN_FLOAT16, false, 64, 32, 32, 4, true, true, 2},
    };
    for (int i = 0; i < COUNT(mutated); i++)
        for (int stages = 2; stages < (mutated[i].times == 1 ? 5 : 3); stages++) {
            tern_open_options options = {.device = "sim:h200", .cache_dir = ""};
            char words[512];
            tern_status status;
            tern_context *context = tern_open(&options, &status, words, sizeof words);
            tern_kernel *kernel =
                context ? compiled(context, &mutated[i], stages, NULL, true) : NULL;
            CHECK(kernel);
            if (!kernel) return;
            int count = mutate(tern_kernel_text(kernel, TERN_STAGE_PTX), &mutated[i],
                               kernel->compiled->facts.shared_bytes);
            CHECK(count >= 2);
            tern_kernel_free(kernel);
            tern_close(context);
        }
}

/* What a turn loads is made of a number that was squared often before: as many paths lead from it
 * to what it began as as no compiler follows, in the first turn, which stands before the loop. */
TEST(each_path_of_a_turn_is_not_followed) {
    enum { SQUARES = 64 };
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    buf_puts(&text, "import triton\n"
                    "import triton.language as tl\n"
                    "@triton.jit\n"
                    "def rows(q, k, v, o, turns):\n"
                    "    row = tl.arange(0, 64)\n"
                    "    key = tl.arange(0, 32)\n"
                    "    x = tl.load(q + row[:, None] * 64 + row[None, :])\n"
                    "    most = tl.zeros([64], tl.float32)\n"
                    "    acc = tl.zeros([64, 64], tl.float32)\n"
                    "    at = turns\n"
                    "    for i in range(0, turns, 32):\n"
                    "        s = tl.dot(x, tl.load(k + (i + key)[None, :] * 64 + row[:, None]))\n"
                    "        new = tl.maximum(most, tl.max(s, 1))\n"
                    "        p = (s - new[:, None]).to(tl.float16)\n"
                    "        y = tl.load(v + (at + key)[:, None] * 64 + row[None, :])\n"
                    "        acc = tl.dot(p, y, acc * (most - new)[:, None])\n"
                    "        most = new\n");
    for (int i = 0; i < SQUARES; i++) buf_puts(&text, "        at = at * at\n");
    buf_puts(&text, "    tl.store(o + row[:, None] * 64 + row[None, :], acc + most[:, None])\n");
    tern_open_options options = {.device = "sim:h200", .cache_dir = ""};
    char words[512] = "";
    tern_status status;
    tern_context *context = tern_open(&options, &status, words, sizeof words);
    CHECK(context);
    if (!context) return;
    tern_module *module = tern_load_text(context, text.data, text.length, "rows.py");
    tern_options with = {.size = sizeof with, .num_stages = 2, .print_after = "rings"};
    tern_kernel *kernel =
        tern_compile(module, "rows", "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16", &with);
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel && strstr(kernel->compiled->printed.data, "around = 1"));
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
    arena_free(arena);
}

TEST_MAIN()
