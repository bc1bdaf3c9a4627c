// SPDX-License-Identifier: Apache-2.0
/* The work of launches, counted by tern_kernel_work, against figures worked out by hand. */
#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def add(x, y, z, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)\n"
    "@triton.jit\n"
    "def two(x, z, m, n, M: tl.constexpr, N: tl.constexpr):\n"
    "    r = tl.program_id(0) * M + tl.arange(0, M)\n"
    "    c = tl.program_id(1) * N + tl.arange(0, N)\n"
    "    mask = (r[:, None] < m) & (n > c[None, :])\n"
    "    tl.store(z + r[:, None] * n + c[None, :], tl.load(x + r[:, None] * n + c[None, :], "
    "mask=mask), mask=mask)\n"
    "@triton.jit\n"
    "def rows(x, z, n, steps, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    total = tl.zeros([BLOCK], tl.float32)\n"
    "    for k in range(0, steps):\n"
    "        total += tl.load(x + i, mask=i >= BLOCK - n, other=0.0)\n"
    "    tl.store(z, tl.sum(total, 0))\n"
    "@triton.jit\n"
    "def product(a, b, c, K: tl.constexpr):\n"
    "    i = tl.arange(0, 16)\n"
    "    k = tl.arange(0, K)\n"
    "    x = tl.load(a + i[:, None] * K + k[None, :])\n"
    "    y = tl.load(b + k[:, None] * 16 + i[None, :])\n"
    "    tl.store(c + i[:, None] * 16 + i[None, :], tl.dot(x, y))\n"
    "@triton.jit\n"
    "def odd(x, z, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    tl.store(z + i, tl.load(x + i, mask=i % 2 == 0, other=0.0))\n"
    "@triton.jit\n"
    "def text(x, z, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    v = tl.inline_asm_elementwise('add.f32 $0, $1, $1;', '=r,r', [tl.load(x + i)], "
    "dtype=tl.float32, is_pure=True, pack=1)\n"
    "    tl.store(z + i, v * v)\n"
    "@triton.jit\n"
    "def loaded(x, z):\n"
    "    if tl.load(x) > 0:\n"
    "        tl.store(z, 1.0)\n"
    "@triton.jit\n"
    "def until(x, z):\n"
    "    for i in range(0, tl.load(x)):\n"
    "        tl.store(z + i, 1)\n";

static tern_context *context;
static tern_module *module;
static tern_buffer *x, *y, *z;

static void begin(void) {
    if (context) return;
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    module = tern_load_text(context, source, sizeof source - 1, "work.py");
    x = tern_alloc(context, 4000), y = tern_alloc(context, 4000), z = tern_alloc(context, 4000);
}

static tern_status work_of(const char *function, const char *signature, uint32_t gx, uint32_t gy,
                           const tern_argument *arguments, int count, tern_work *work) {
    begin();
    tern_kernel *kernel = tern_compile(module, function, signature, NULL);
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel);
    if (!kernel) return TERN_ERROR_COMPILE;
    uint32_t grid[3] = {gx, gy, 1};
    tern_status status = tern_kernel_work(kernel, grid, arguments, count, work);
    tern_kernel_free(kernel);
    return status;
}

TEST(masked_sums_are_exact) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_buffer(z),
                            tern_arg_int(1000)};
    CHECK(work_of("add", "*fp32,*fp32,*fp32,i32,256", 4, 1, args, 4, &w) == TERN_OK);
    CHECK(w.bytes_loaded == 8000 && w.bytes_stored == 4000 && w.bytes == 12000 && w.bytes_exact);
    CHECK(w.flops == 1024 && w.flops_exact); /* all lanes, masked ones too */
    CHECK(work_of("add", "*fp32,*fp32,*fp32,i32,256", 9, 1, args, 4, &w) == TERN_OK);
    CHECK(w.bytes_loaded == 8000);
    args[3] = tern_arg_int(-5);
    CHECK(work_of("add", "*fp32,*fp32,*fp32,i32,256", 4, 1, args, 4, &w) == TERN_OK);
    CHECK(w.bytes_loaded == 0 && w.bytes_stored == 0);
}

TEST(an_argument_counts_at_most_its_size) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(z), tern_arg_int(10),
                            tern_arg_int(1000)};
    CHECK(work_of("rows", "*fp32,*fp32,i32,i32,16", 1, 1, args, 4, &w) == TERN_OK);
    CHECK(w.bytes_loaded == 40 * 1000 && w.bytes == 4000 + 4);
    CHECK(w.flops == 16 * 1000 + 15);
}

TEST(two_dimensions_are_boxes) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(z), tern_arg_int(13),
                            tern_arg_int(37)};
    CHECK(work_of("two", "*i8,*i8,i32,i32,8,16", 2, 3, args, 4, &w) == TERN_OK);
    CHECK(w.bytes_loaded == 13 * 37 && w.bytes_stored == 13 * 37 && w.bytes_exact && w.flops == 0);
}

TEST(products_count_two_a_term) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_buffer(z)};
    CHECK(work_of("product", "*fp16,*fp16,*fp32,32", 1, 1, args, 3, &w) == TERN_OK);
    CHECK(w.flops == 2 * 16 * 16 * 32);
    CHECK(w.bytes == 2 * 16 * 32 * 2 + 16 * 16 * 4);
}

TEST(what_is_no_range_is_at_most) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(z)};
    CHECK(work_of("odd", "*fp32,*fp32,64", 1, 1, args, 2, &w) == TERN_OK);
    CHECK(!w.bytes_exact && w.bytes_loaded == 256 && w.bytes_stored == 256);
    CHECK(work_of("loaded", "*fp32,*fp32", 1, 1, args, 2, &w) == TERN_OK);
    CHECK(!w.bytes_exact && w.bytes_stored == 4);
}

/* What an assembly text computes is not looked at. */
TEST(assembly_counts_at_least) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(z)};
    CHECK(work_of("text", "*fp32,*fp32,64", 1, 1, args, 2, &w) == TERN_OK);
    CHECK(!w.flops_exact && w.flops == 64 && w.bytes_exact && w.bytes == 512);
    CHECK(work_of("odd", "*fp32,*fp32,64", 1, 1, args, 2, &w) == TERN_OK && w.flops_exact);
}

TEST(loops_by_loaded_data_are_refused) {
    tern_work w;
    begin();
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(z)};
    CHECK(work_of("until", "*i32,*i32", 1, 1, args, 2, &w) == TERN_ERROR_UNSUPPORTED);
    CHECK(strstr(tern_message(context), "depends on what was loaded"));
    CHECK(work_of("odd", "*fp32,*fp32,64", 1, 1, args, 1, &w) == TERN_ERROR_ARGUMENT);
    CHECK(work_of("odd", "*fp32,*fp32,64", 2147483647, 1, args, 2, &w) == TERN_ERROR_UNSUPPORTED);
}

TEST_MAIN()
