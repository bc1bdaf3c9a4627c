// SPDX-License-Identifier: Apache-2.0
/* What each operation counts as work: a kernel of one operation on BLOCK lanes, in 3 programs, its
 * flops and bytes worked out by hand. src/work/work.c says the rule. */
#include "tern.h"
#include "test.h"

enum { BLOCK = 64, PROGRAMS = 3 };

typedef struct Row {
    const char *expression;
    int flops; /* of one lane */
} Row;

static const Row rows[] = {
    {"x", 0},
    {"x + y", 1},
    {"x - y", 1},
    {"x * y", 1},
    {"x / y", 1},
    {"tl.minimum(x, y)", 1},
    {"tl.maximum(x, y)", 1},
    {"tl.fma(x, y, x)", 2},
    {"x * y + x", 2},
    {"tl.exp(x)", 1},
    {"tl.exp2(x)", 1},
    {"tl.log(x)", 1},
    {"tl.sqrt(x)", 1},
    {"tl.rsqrt(x)", 1},
    {"tl.sin(x)", 1},
    {"tl.floor(x)", 0},
    {"-x", 0},
    {"tl.abs(x)", 0},
    {"(x < y).to(tl.float32)", 0},
    {"tl.where(x < y, x, y)", 0},
    {"x.to(tl.float16).to(tl.float32)", 0},
    {"(i * 3 + 1).to(tl.float32)", 0},
};

static tern_context *context;
static tern_buffer *buffer;

static bool work_of(const char *statement, const char *signature, tern_work *work) {
    char source[1024];
    if (!context) {
        context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
        buffer = tern_alloc(context, 4 * BLOCK);
    }
    snprintf(source, sizeof source,
             "import triton\n"
             "import triton.language as tl\n"
             "@triton.jit\n"
             "def one(a, b, c, n, BLOCK: tl.constexpr):\n"
             "    i = tl.arange(0, BLOCK)\n"
             "    x = tl.load(a + i)\n"
             "    y = tl.load(b + i)\n"
             "    %s\n",
             statement);
    tern_module *module = tern_load_text(context, source, strlen(source), "one.py");
    tern_kernel *kernel = module ? tern_compile(module, "one", signature, NULL) : NULL;
    tern_argument a = tern_arg_buffer(buffer), arguments[] = {a, a, a, tern_arg_int(5)};
    bool fine = kernel && tern_kernel_work(kernel, (uint32_t[]){PROGRAMS, 1, 1}, arguments, 4,
                                           work) == TERN_OK;
    if (!fine) printf("%s: %s\n", statement, tern_message(context));
    tern_kernel_free(kernel);
    tern_module_free(module);
    return fine;
}

static void expect(const char *statement, const char *signature, int64_t flops, int64_t loaded,
                   int64_t stored) {
    tern_work w;
    bool fine = work_of(statement, signature, &w);
    CHECK(fine);
    if (!fine) return;
    if (w.flops == (uint64_t)(PROGRAMS * flops) &&
        w.bytes_loaded == (uint64_t)(PROGRAMS * loaded) &&
        w.bytes_stored == (uint64_t)(PROGRAMS * stored))
        return;
    test_bad_checks++;
    printf("%s: %llu flops, %llu bytes loaded, %llu stored\n", statement,
           (unsigned long long)w.flops, (unsigned long long)w.bytes_loaded,
           (unsigned long long)w.bytes_stored);
}

static const char f32[] = "*fp32,*fp32,*fp32,i32,64";

TEST(each_operation_has_its_flops) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char statement[256];
        /* Both are read, so that both loads stay. */
        snprintf(statement, sizeof statement,
                 "tl.store(c + i, %s)\n    tl.store(a + i, x)\n    tl.store(b + i, y)",
                 rows[k].expression);
        expect(statement, f32, rows[k].flops * BLOCK, 2 * 4 * BLOCK, 3 * 4 * BLOCK);
    }
}

TEST(lanes_that_meet_count_one_less) {
    expect("tl.store(c, tl.sum(x + y, 0))", f32, BLOCK + BLOCK - 1, 8 * BLOCK, 4);
    expect("tl.store(c, tl.max(x + y, 0))", f32, BLOCK + BLOCK - 1, 8 * BLOCK, 4);
    expect("tl.store(c + i, tl.cumsum(x + y, 0))", f32, BLOCK + BLOCK - 1, 8 * BLOCK, 4 * BLOCK);
    expect("tl.store(c + tl.arange(0, 8), tl.sum(tl.reshape(x + y, [8, 8]), 1))", f32,
           BLOCK + 8 * 7, 8 * BLOCK, 4 * 8);
    expect("tl.store(c + i, tl.sum((x < y).to(tl.int32), 0) + i)", f32, 0, 8 * BLOCK, 4 * BLOCK);
}

TEST(bytes_are_of_the_type_and_the_mask) {
    expect("tl.store(c + i, x + y)", "*fp16,*fp64,*i8,i32,64", BLOCK, (2 + 8) * BLOCK, BLOCK);
    expect("tl.store(c + i, x + y, mask=i < n)", f32, BLOCK, 8 * BLOCK, 4 * 5);
    expect("tl.store(c + i, x + y, mask=i <= n)", f32, BLOCK, 8 * BLOCK, 4 * 6);
    expect("tl.store(c + i, x + y, mask=i > n)", f32, BLOCK, 8 * BLOCK, 4 * (BLOCK - 6));
    expect("tl.store(c + i, x + y, mask=i >= n)", f32, BLOCK, 8 * BLOCK, 4 * (BLOCK - 5));
    expect("tl.store(c + i, x + y, mask=i * 2 < n)", f32, BLOCK, 8 * BLOCK, 4 * 3);
    expect("tl.store(c + i, x + y, mask=n > 5)", f32, BLOCK, 8 * BLOCK, 0);
    expect("tl.store(c + i, x + y, mask=n > 4)", f32, BLOCK, 8 * BLOCK, 4 * BLOCK);
    expect("tl.store(c + i, x + y, mask=(i < 0) | (i < n))", f32, BLOCK, 8 * BLOCK, 4 * 5);
    expect("tl.store(c + i, x + y, mask=(i < n) | (i < 0))", f32, BLOCK, 8 * BLOCK, 4 * 5);
    expect("tl.store(c + i, x + y, mask=(i < n) | (i < 64))", f32, BLOCK, 8 * BLOCK, 4 * BLOCK);
    expect("tl.store(c + i, x + y, mask=(i < n) & (i >= 2))", f32, BLOCK, 8 * BLOCK, 4 * 3);
    /* Read and written. */
    expect("tl.atomic_add(c + i, x + y)", f32, BLOCK, 12 * BLOCK, 4 * BLOCK);
}

TEST(turns_and_branches_count_as_often_as_they_run) {
    expect("for k in range(n):\n        tl.store(c + i, tl.exp(x * k))", f32, 5 * 2 * BLOCK,
           4 * BLOCK, 5 * 4 * BLOCK);
    expect("for k in range(n, 0, -2):\n        tl.store(c + i, x * k)", f32, 3 * BLOCK, 4 * BLOCK,
           3 * 4 * BLOCK);
    expect("if n > 4:\n        tl.store(c + i, tl.exp(x * y))\n"
           "    else:\n        tl.store(c + i, x / y)",
           f32, 2 * BLOCK, 8 * BLOCK, 4 * BLOCK);
    expect("if n < 5:\n        tl.store(c + i, tl.exp(x * y))\n"
           "    else:\n        tl.store(c + i, x / y, mask=i < 1)",
           f32, BLOCK, 8 * BLOCK, 4);
    expect("k = 0\n    while k < n:\n        tl.store(c + i, x + y)\n        k += 2", f32,
           3 * BLOCK, 8 * BLOCK, 3 * 4 * BLOCK);
}

TEST_MAIN()
