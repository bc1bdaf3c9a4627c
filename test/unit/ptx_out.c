// SPDX-License-Identifier: Apache-2.0
/* Products by blocks that make several tiles each, whose tiles one thread stores as boxes: counted
 * twice as in Triton's tutorial 09, tiles that overlap (the later one's elements stay), rows that
 * reach into the next one; and what is stored by threads. Of small integers, so exact; in several
 * orders of the simulated H200. Each instruction that orders anything is needed. */
#include "api/context.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

enum { M = 300, K = 48, MOST_C = M * 272 };

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def sums(a, b, r, c, k, N, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    row = r + tl.arange(0, BM)\n"
    "    column = c + tl.arange(0, BN)\n"
    "    depth = tl.arange(0, 16)\n"
    "    acc = tl.zeros([BM, BN], dtype=tl.float32)\n"
    "    for start in range(0, k, 16):\n"
    "        x = tl.load(a + row[:, None] * 48 + (start + depth)[None, :],\n"
    "                    mask=row[:, None] < 300, other=0)\n"
    "        y = tl.load(b + column[None, :] * 48 + (start + depth)[:, None],\n"
    "                    mask=column[None, :] < N, other=0)\n"
    "        acc = tl.dot(x, y, acc)\n"
    "    return acc, row, column\n"
    "@triton.jit\n"
    "def counted(a, b, c, k, n, LD, N, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    t = tl.program_id(0) - tl.num_programs(0)\n"
    "    for i in range(tl.program_id(0), 6, tl.num_programs(0)):\n"
    "        acc, row, column = sums(a, b, i // 2 * BM, i % 2 * BN, k, N, BM, BN)\n"
    "        t += tl.num_programs(0)\n"
    "        row = t // 2 * BM + tl.arange(0, BM)\n"
    "        column = t % 2 * BN + tl.arange(0, BN)\n"
    "        tl.store(c + row[:, None] * LD + column[None, :], acc.to(tl.float16),\n"
    "                 mask=(row[:, None] < 300) & (column[None, :] < N))\n"
    "@triton.jit\n"
    "def floats(a, b, c, k, n, LD, N, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    for i in range(tl.program_id(0), 6, tl.num_programs(0)):\n"
    "        acc, row, column = sums(a, b, i // 2 * BM, i % 2 * BN, k, N, BM, BN)\n"
    "        tl.store(c + row[:, None] * LD + column[None, :], acc,\n"
    "                 mask=(row[:, None] < 300) & (column[None, :] < N))\n"
    "@triton.jit\n"
    "def over(a, b, c, k, n, LD: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,\n"
    "          BN: tl.constexpr):\n"
    "    for i in range(0, 3):\n"
    "        acc, row, column = sums(a, b, i * 64, 0, k, N, BM, BN)\n"
    "        p = c + row[:, None] * LD + column[None, :]\n"
    "        inside = (row[:, None] < 300) & (column[None, :] < N)\n"
    "        tl.store(p, (acc + i).to(tl.float16), mask=inside)\n"
    "@triton.jit\n"
    "def into(a, b, c, k, n, LD: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,\n"
    "          BN: tl.constexpr):\n"
    "    for i in range(0, 2):\n"
    "        acc, row, column = sums(a, b, 0, i * BN, k, N, BM, BN)\n"
    "        p = c + row[:, None] * LD + column[None, :]\n"
    "        inside = (row[:, None] < 300) & (column[None, :] < N)\n"
    "        tl.store(p, (acc + i).to(tl.float16), mask=inside)\n"
    "@triton.jit\n"
    "def inner(a, b, c, k, n, LD: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,\n"
    "          BN: tl.constexpr):\n"
    "    for i in range(0, 2):\n"
    "        acc, row, column = sums(a, b, i * BM, 0, k, N, BM, BN)\n"
    "        p = c + row[:, None] * LD + column[None, :]\n"
    "        inside = (row[:, None] < 300) & (column[None, :] < N - n * n)\n"
    "        tl.store(p, (acc + 0).to(tl.float16), mask=inside)\n"
    "@triton.jit\n"
    "def twice(a, b, c, k, n, LD: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,\n"
    "          BN: tl.constexpr):\n"
    "    for i in range(0, 2):\n"
    "        acc, row, column = sums(a, b, i * BM, 0, k, N, BM, BN)\n"
    "        p = c + row[:, None] * LD + column[None, :]\n"
    "        inside = (row[:, None] < 300) & (column[None, :] < N)\n"
    "        tl.store(p, (acc + 0).to(tl.float16), mask=inside)\n"
    "        tl.store(p, (acc + 1).to(tl.float16), mask=inside)\n";

typedef struct Inputs {
    uint16_t a[M * K], b[264 * K];
    union {
        uint16_t half[MOST_C];
        float whole[MOST_C];
    } c, want;
    int8_t of_a[M * K], of_b[264 * K]; /* the numbers of a and b */
} Inputs;

typedef struct Case {
    const char *name;
    int ld, n, bm, bn, programs;
    const char *fact; /* of what is stored */
    bool by_groups;
    int warps;
    int stages;
} Case;

static const Case cases[] = {
    {"counted", 264, 264, 128, 256, 1, "stores to c: boxes of 64x64 by one thread", true, 8, 2},
    {"counted", 272, 264, 128, 256, 3, "stores to c: boxes of 64x64 by one thread", true, 8, 2},
    {"over", 136, 136, 256, 128, 1, "stores to c: boxes of 256x64 by one thread", false, 8, 2},
    {"over", 264, 264, 128, 256, 1, "stores to c: boxes of 128x64 by one thread", false, 8, 2},
    {"into", 256, 264, 128, 256, 1, "stores to c: boxes of 128x64 by one thread", false, 8, 2},
    {"counted", 136, 136, 256, 128, 1, "stores to c: boxes of 256x64 by one thread", false, 8, 2},
    {"inner", 264, 264, 128, 256, 1, "no box is stored: a mask whose end no launch knows", false, 8,
     2},
    {"twice", 264, 264, 128, 256, 1, "no box is stored: more than one store", false, 8, 2},
    {"counted", 268, 264, 128, 256, 1, "no box is stored: rows that do not begin at", false, 8, 2},
    {"over", 136, 136, 128, 128, 1, "stores to c: boxes of 128x64 by one thread", false, 4, 2},
    {"over", 144, 120, 64, 128, 1, "stores to c: boxes of 64x64 by one thread", false, 4, 2},
    {"counted", 136, 136, 128, 128, 1, "stores to c: 16 bytes a thread", false, 4, 2},
    {"floats", 264, 264, 128, 256, 1, "stores to c: boxes of 64x32 by one thread", true, 8, 2},
    {"floats", 272, 264, 128, 256, 2, "stores to c: boxes of 64x32 by one thread", true, 8, 2},
    {"floats", 262, 260, 128, 256, 1, "no box is stored: rows that do not begin at", false, 8, 2},
    {"floats", 132, 132, 256, 128, 1, "no box is stored: other tiles in scratch", false, 8, 2},
    {"counted", 264, 264, 128, 256, 1, "stores to c: boxes of 64x64 by one thread", true, 8, 14},
    {"counted", 272, 264, 128, 256, 3, "stores to c: boxes of 64x64 by one thread", true, 8, 14},
    {"over", 264, 264, 128, 256, 1, "no roles: no shared memory left", false, 8, 14},
};

enum { FLAT = 9, FLOATS = 12 }; /* the first without roles, and of 32 bits */
enum { N_ARGUMENT = 2 };

static int sum_of(const Inputs *in, int row, int column) {
    int sum = 0;
    for (int i = 0; i < K; i++) sum += in->of_a[row * K + i] * in->of_b[column * K + i];
    return sum;
}

static bool is_whole(const Case *c) { return !strcmp(c->name, "floats"); }

/* A tile after the other, element by element. */
static void put(Inputs *in, const Case *c, int row, int column, int rows, int columns, int more) {
    for (int r = row; r < row + c->bm && r < rows; r++)
        for (int k = column; k < column + c->bn && k < columns; k++)
            if (is_whole(c))
                in->want.whole[r * c->ld + k] = (float)sum_of(in, r, k);
            else
                in->want.half[r * c->ld + k] = half_of(sum_of(in, r, k) + more);
}

static void make_inputs(Inputs *in, const Case *c) {
    memset(in, 0, sizeof *in);
    for (int i = 0; i < M * K; i++) in->a[i] = small_half(&in->of_a[i]);
    for (int i = 0; i < 264 * K; i++) in->b[i] = small_half(&in->of_b[i]);
    memset(&in->c, 0x55, sizeof in->c), memset(&in->want, 0x55, sizeof in->want);
    for (int i = 0; i < 6; i++) {
        if (!strcmp(c->name, "counted") || is_whole(c))
            put(in, c, i / 2 * c->bm, i % 2 * c->bn, M, c->n, 0);
        if (!strcmp(c->name, "over") && i < 3) put(in, c, i * 64, 0, M, c->n, i);
        if (!strcmp(c->name, "into") && i < 2) put(in, c, 0, i * c->bn, M, c->n, i);
        if (!strcmp(c->name, "inner") && i < 2)
            put(in, c, i * c->bm, 0, M, c->n - N_ARGUMENT * N_ARGUMENT, 0);
        if (!strcmp(c->name, "twice") && i < 2) put(in, c, i * c->bm, 0, M, c->n, 1);
    }
}

static tern_kernel *compiled(tern_context *context, const Case *c) {
    char signature[128];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*%s:16,i32,i32,%d,%d,%d,%d",
             is_whole(c) ? "fp32" : "fp16", c->ld, c->n, c->bm, c->bn);
    tern_module *module = tern_load_text(context, source, strlen(source), "out.py");
    tern_options options = {.size = sizeof options, .num_stages = c->stages};
    options.num_warps = c->warps;
    tern_kernel *kernel = module ? tern_compile(module, c->name, signature, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static tern_context *opened(void) {
    tern_open_options options = {.device = "sim:h200", .cache_dir = ""};
    char words[512];
    tern_status status;
    return tern_open(&options, &status, words, sizeof words);
}

typedef struct Launch {
    const tern_kernel *kernel;
    const Case *c;
} Launch;

/* Fails, or leaves anything else. */
static bool catches(const char *text, uint64_t seed, void *user) {
    static Inputs in;
    const Launch *l = user;
    Bench b = bench_new();
    make_inputs(&in, l->c);
    b.seed = seed, b.shared = l->kernel->compiled->facts.shared_bytes, b.broken = true;
    bench_buffer(&b, in.a, sizeof in.a);
    bench_buffer(&b, in.b, sizeof in.b);
    bench_buffer(&b, &in.c, sizeof in.c);
    b.values[3] = K, b.values[4] = N_ARGUMENT;
    bench_maps(&b, l->kernel->compiled);
    bool runs = bench_run(&b, text, (uint32_t)l->c->programs) && !b.failure.status;
    arena_free(b.arena);
    return !runs || memcmp(&in.c, &in.want, sizeof in.c) != 0;
}

static void check_case(const Case *c, bool mutates) {
    tern_context *context = opened();
    tern_kernel *kernel = context ? compiled(context, c) : NULL;
    Launch launch = {kernel, c};
    CHECK(kernel);
    if (!kernel) return;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
    if (!strstr(facts, c->fact)) printf("%s: no '%s' in\n%s\n", c->name, c->fact, facts);
    CHECK(strstr(facts, c->fact));
    CHECK((strstr(text, ", 128; }") != NULL) == c->by_groups);
    bool by_panels = c->by_groups && (is_whole(c) || c->stages > 2);
    CHECK((strstr(text, "wait_group.read ") != NULL) == by_panels);
    for (uint64_t seed = 0; seed < 8; seed++) {
        bool fine = !catches(text, seed, &launch);
        if (!fine) printf("%s, rows of %d, seed %d\n", c->name, c->ld, (int)seed);
        CHECK(fine);
    }
    if (mutates) CHECK(each_order_is_missed(text, catches, &launch) > 20);
    tern_kernel_free(kernel);
    tern_close(context);
}

TEST(tiles_that_are_stored) {
    for (int i = 0; i < COUNT(cases); i++) check_case(&cases[i], false);
}

/* Whether a row reaches into the next one the launch says: then the text without boxes is taken. */
static void check_rows(int ld, int n, bool allows) {
    static Inputs in;
    const Case c = {
        .name = "counted", .ld = ld, .n = n, .bm = 128, .bn = 256, .warps = 8, .stages = 2};
    tern_context *context = opened();
    tern_module *module = tern_load_text(context, source, strlen(source), "out.py");
    tern_options options = {.size = sizeof options, .num_warps = 8, .num_stages = 2};
    tern_kernel *kernel = tern_compile(
        module, "counted", "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,i32,128,256", &options);
    make_inputs(&in, &c);
    void *data[3] = {in.a, in.b, &in.c};
    const size_t sizes[3] = {sizeof in.a, sizeof in.b, sizeof in.c};
    tern_buffer *buffers[3];
    tern_argument arguments[7];
    for (int i = 0; i < 3; i++) {
        buffers[i] = tern_alloc(context, sizes[i]);
        tern_write(buffers[i], 0, data[i], sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    const int numbers[4] = {K, 0, ld, n};
    for (int i = 0; i < 4; i++) arguments[3 + i] = tern_arg_int(numbers[i]);
    CHECK(kernel);
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "stores to c: boxes of 64x64"));
    bool fine = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 7) == TERN_OK;
    if (!fine) printf("%s\n", tern_message(context));
    CHECK(fine);
    CHECK((kernel->texts[WAY_WITHOUT_MAPS].compiled == NULL) == allows);
    tern_read(buffers[2], 0, &in.c, sizeof in.c);
    CHECK(!memcmp(&in.c, &in.want, sizeof in.c));
    for (int i = 0; i < 3; i++) tern_buffer_free(buffers[i]);
    tern_kernel_free(kernel), tern_module_free(module), tern_close(context);
}

TEST(rows_that_the_launch_knows) {
    check_rows(272, 264, true);
    check_rows(272, 257, true);
    check_rows(256, 256, true);
    check_rows(256, 264, false);
}

TEST(each_order_of_groups_is_missed) { check_case(&cases[0], true); }

TEST(each_order_of_panels_is_missed) { check_case(&cases[FLOATS], true); }

TEST(each_order_of_all_is_missed) { check_case(&cases[2], true); }

/* By 4 warps, of which one thread fills the ring, too. */
TEST(each_order_without_roles_is_missed) { check_case(&cases[FLAT], true); }

TEST_MAIN()
