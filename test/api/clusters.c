// SPDX-License-Identifier: Apache-2.0
/* Programs of several blocks, where parameters are the same memory or overlap: what a block loads
 * late another one has written. Each launch is asked, and takes one block a program if it must. */
#include "tern.h"
#include "test.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def scaled(x, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i, mask=i < n, other=0)\n"
                             "    tl.store(y + i, a * tl.max(a, axis=0), mask=i < n)\n"
                             "@triton.jit\n"
                             "def both(x, g, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i, mask=i < n, other=0)\n"
                             "    b = tl.load(g + i, mask=i < n, other=0)\n"
                             "    s = tl.sum(a * b, axis=0)\n"
                             "    tl.store(y + i, a * (b - s), mask=i < n)\n"
                             "@triton.jit\n"
                             "def three(x, g, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i, mask=i < n, other=0)\n"
                             "    b = tl.load(g + i, mask=i < n, other=0)\n"
                             "    c = tl.load(x + 1 + i, mask=i < n, other=0)\n"
                             "    s = tl.sum(a * b + c, axis=0)\n"
                             "    tl.store(y + i, a * (b - s) + c, mask=i < n)\n"
                             "@triton.jit\n"
                             "def kept(x, g, h, y, v, n, lo, stride, B: tl.constexpr):\n"
                             "    row = tl.program_id(0)\n"
                             "    i = tl.arange(0, B)\n"
                             "    ok = (i < n) & (i >= lo)\n"
                             "    a = tl.load(x + row * stride + i, mask=ok, other=0)\n"
                             "    a = a.to(tl.float32)\n"
                             "    b = tl.load(g + row * stride + i, mask=ok, other=1.0)\n"
                             "    c = tl.load(h + row * stride + i, mask=ok, other=1.0)\n"
                             "    d = a + c.to(tl.float32)\n"
                             "    s = tl.max(b, axis=0)\n"
                             "    tl.store(v + row * 4 + 2, s)\n"
                             "    tl.store(y + row * stride + i, a, mask=ok)\n"
                             "    e = tl.where(d > s, d + 1, s)\n"
                             "    tl.store(y + row * stride + i, e, mask=ok)\n"
                             "@triton.jit\n"
                             "def strided(x, w, y, n, stride, k, B: tl.constexpr):\n"
                             "    row = tl.program_id(0)\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + row * stride + i * 2, mask=i < n, other=1.0)\n"
                             "    d = a - a\n"
                             "    tl.store(y + row * stride + i * 2, d, mask=i < n)\n"
                             "    b = tl.load(w + i)\n"
                             "    e = tl.where(d + a > b, d + a + 1, b)\n"
                             "    tl.store(y + row * stride + i * 2, e, mask=i < n)\n"
                             "@triton.jit\n"
                             "def picked(x, y, v, k, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i, mask=i < n, other=0)\n"
                             "    s = tl.sum(a, axis=0)\n"
                             "    tl.store(v, s)\n"
                             "    tl.store(y + i, a * s + tl.load(x + k), mask=i < n)\n";

enum { ROOM = 131072, COUNT = 131000 };

static const int cases[][2] = {
    /* where x and y begin, in elements */
    {0, ROOM}, {0, 0}, {0, 4}, {4, 0}, {0, 3}, {0, COUNT},
};

static int number(int i) { return (int)((unsigned)i * 2654435761u >> 24) - 100; }

static void check(tern_context *context, tern_kernel *kernel, const int *at) {
    static int memory[2 * ROOM], given[2 * ROOM], a[COUNT];
    for (int i = 0; i < 2 * ROOM; i++) memory[i] = number(i);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                 tern_arg_int(COUNT)};
    arguments[0].offset = sizeof *memory * (size_t)at[0];
    arguments[1].offset = sizeof *memory * (size_t)at[1];
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 3);
    CHECK_STR(status ? tern_message(context) : "", "");
    tern_read(buffer, 0, given, sizeof given);
    memcpy(a, memory + at[0], sizeof a);
    int most = a[0], wrong = 0;
    for (int i = 0; i < COUNT; i++) most = a[i] > most ? a[i] : most;
    for (int i = 0; i < COUNT; i++) memory[at[1] + i] = a[i] * most;
    for (int i = 0; i < 2 * ROOM; i++) wrong += memory[i] != given[i];
    if (wrong) printf("at %d %d: %d are wrong\n", at[0], at[1], wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
}

typedef struct Kernels {
    tern_context *context;
    tern_module *module;
} Kernels;

static Kernels opened(uint64_t seed) {
    char words[256];
    tern_status status;
    tern_open_options open = {.device = "sim:h100", .cache_dir = "", .order_seed = seed};
    tern_context *context = tern_open(&open, &status, words, sizeof words);
    CHECK_STR(context ? "" : words, "");
    return (Kernels){context, tern_load_text(context, source, sizeof source - 1, "clusters.py")};
}

static tern_kernel *compiled(const Kernels *of, const tern_options *options) {
    tern_kernel *kernel = tern_compile(of->module, "scaled", "*i32,*i32,i32,131072", options);
    CHECK_STR(kernel ? "" : tern_message(of->context), "");
    return kernel;
}

static void closed(const Kernels *of) {
    tern_module_free(of->module);
    tern_close(of->context);
}

TEST(blocks_load_what_is_not_written) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        Kernels of = opened(seed);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            tern_kernel *kernel = compiled(&of, &(tern_options){.num_warps = 16});
            CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS),
                         "cluster: 4 blocks are a program"));
            check(of.context, kernel, cases[i]);
            tern_kernel_free(kernel);
        }
        closed(&of);
    }
}

/* Two tiles of 32768 numbers, or three. */
static void check_both(tern_context *context, tern_kernel *kernel, const int *at, bool three) {
    enum { SIDE = 32768, WIDE = 32001 };
    static int memory[3 * SIDE], given[3 * SIDE], a[WIDE + 1], b[WIDE];
    for (int i = 0; i < 3 * SIDE; i++) memory[i] = number(i);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                 tern_arg_buffer(buffer), tern_arg_int(WIDE)};
    for (int i = 0; i < 3; i++) arguments[i].offset = sizeof *memory * (size_t)at[i];
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4);
    CHECK_STR(status ? tern_message(context) : "", "");
    tern_read(buffer, 0, given, sizeof given);
    memcpy(a, memory + at[0], sizeof a);
    memcpy(b, memory + at[1], sizeof b);
    int sum = 0;
    for (int i = 0; i < WIDE; i++) sum += a[i] * b[i] + (three ? a[i + 1] : 0);
    for (int i = 0; i < WIDE; i++)
        memory[at[2] + i] =
            (int)((unsigned)a[i] * (unsigned)(b[i] - sum) + (unsigned)(three ? a[i + 1] : 0));
    bool same = !memcmp(memory, given, sizeof memory);
    if (!same) printf("at %d %d %d\n", at[0], at[1], at[2]);
    CHECK(same);
    tern_buffer_free(buffer);
}

TEST(two_tiles_and_three) {
    static const int places[][3] = {
        {0, 32768, 65536}, {0, 32768, 0}, {0, 32768, 32768}, {4, 32768, 3}, {0, 0, 32768}};
    Kernels of = opened(1);
    for (int k = 0; k < 4; k++) {
        tern_options options = {.num_warps = k % 2 ? 32 : 4};
        tern_kernel *kernel =
            tern_compile(of.module, k < 2 ? "both" : "three", "*i32,*i32,*i32,i32,32768", &options);
        CHECK_STR(kernel ? "" : tern_message(of.context), "");
        if (!kernel) continue;
        const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
        CHECK(strstr(facts, k < 2 ? "cluster: 2 blocks" : "cluster: 4 blocks"));
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            check_both(of.context, kernel, places[i], k >= 2);
        tern_kernel_free(kernel);
    }
    closed(&of);
}

/* What is loaded a piece ahead goes where something stands that its address is made of. */
TEST(what_goes_ahead_is_made_of_what_is_there) {
    Kernels of = opened(0);
    tern_kernel *kernel = tern_compile(
        of.module, "kept", "*i1:16,*fp32:16,*fp8e5:16,*fp32:16,*fp32:16,i32,i32,i32,131072",
        &(tern_options){.num_warps = 8});
    CHECK_STR(kernel ? "" : tern_message(of.context), "");
    CHECK(kernel && strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "blocks are a program"));
    tern_kernel_free(kernel);
    closed(&of);
}

/* Of 4 and 8 bytes ptxas 13.0 makes illegal instructions of a cache hint; of 16 it does not. */
TEST(small_copies_have_no_hint) {
    Kernels of = opened(0);
    for (int k = 0; k < 2; k++) {
        const char *types = k ? "*fp64:16,*fp64:16,*fp64:16,i32:16,i32:16,i32,262144"
                              : "*fp64,*fp64,*fp64,i32,i32,i32,262144";
        tern_kernel *kernel =
            tern_compile(of.module, "strided", types, &(tern_options){.num_warps = 8});
        CHECK_STR(kernel ? "" : tern_message(of.context), "");
        const char *text = kernel ? tern_kernel_text(kernel, TERN_STAGE_PTX) : "";
        CHECK(strstr(text, "cp.async.ca.shared.global ["));
        CHECK(!strstr(text, "cp.async.ca.shared.global.L2"));
        tern_kernel_free(kernel);
    }
    closed(&of);
}

/* One number of a row that is stored in place, or of which another block stores one. */
TEST(all_read_what_one_block_writes) {
    enum { AT = 77777, ALL = 2 * ROOM + 4 };
    static const int places[][2] = {{ROOM, 2 * ROOM}, {0, 2 * ROOM}, {ROOM, AT}, {ROOM, ROOM + AT}};
    static int memory[ALL], given[ALL], a[COUNT];
    for (uint64_t seed = 0; seed < 2; seed++) {
        Kernels of = opened(seed);
        tern_kernel *kernel = tern_compile(of.module, "picked", "*i32,*i32,*i32,i32,i32,131072",
                                           &(tern_options){.num_warps = 16});
        CHECK_STR(kernel ? "" : tern_message(of.context), "");
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "cluster: 4 blocks"));
        for (size_t c = 0; c < sizeof places / sizeof *places; c++) {
            int sum = 0, wrong = 0;
            for (int i = 0; i < ALL; i++) memory[i] = number(i);
            tern_buffer *buffer = tern_alloc(of.context, sizeof memory);
            tern_write(buffer, 0, memory, sizeof memory);
            tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                         tern_arg_buffer(buffer), tern_arg_int(AT),
                                         tern_arg_int(COUNT)};
            for (int i = 1; i < 3; i++)
                arguments[i].offset = sizeof *memory * (size_t)places[c][i - 1];
            tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5);
            CHECK_STR(status ? tern_message(of.context) : "", "");
            tern_read(buffer, 0, given, sizeof given);
            memcpy(a, memory, sizeof a);
            for (int i = 0; i < COUNT; i++) sum += a[i];
            memory[places[c][1]] = sum;
            int one = memory[AT];
            for (int i = 0; i < COUNT; i++) memory[places[c][0] + i] = a[i] * sum + one;
            for (int i = 0; i < ALL; i++) wrong += memory[i] != given[i];
            if (wrong) printf("at %d %d: %d are wrong\n", places[c][0], places[c][1], wrong);
            CHECK(!wrong);
            tern_buffer_free(buffer);
        }
        tern_kernel_free(kernel);
        closed(&of);
    }
}

TEST(a_grid_is_counted_in_programs) {
    Kernels of = opened(0);
    tern_kernel *kernel = compiled(&of, NULL);
    tern_buffer *buffer = tern_alloc(of.context, 64);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer), tern_arg_int(0)};
    uint32_t grid[3] = {1u << 29, 1, 1};
    CHECK(tern_launch(NULL, kernel, grid, arguments, 3) == TERN_ERROR_ARGUMENT);
    CHECK(strstr(tern_message(of.context), "dimension 0 is larger than 536870911"));
    tern_buffer_free(buffer);
    tern_kernel_free(kernel);
    closed(&of);
}

/* Who launches a plain text knows of no clusters. */
TEST(plain_texts_have_none) {
    Kernels of = opened(0);
    for (int maps = 0; maps < 2; maps++) {
        tern_options options = {.target = "sm_90a", .text_only = true, .maps = maps};
        tern_kernel *kernel = compiled(&of, &options);
        const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
        CHECK((strstr(text, ".reqnctapercluster 4, 1, 1") != NULL) == maps);
        tern_kernel_free(kernel);
    }
    closed(&of);
}

TEST_MAIN()
