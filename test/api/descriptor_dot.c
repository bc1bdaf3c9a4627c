// SPDX-License-Identifier: Apache-2.0
/* Products through host tensor descriptors come out exactly (of small integers) on each device,
 * whether or not the last dimension ends with 16 bytes; GPUs copy 16 bytes at once, ahead of the
 * product, and of a row's last 16 what it has. */
#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
    "    row = tl.program_id(0) * BM\n"
    "    column = tl.program_id(1) * BN\n"
    "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
    "    for k in range(tl.cdiv(K, BK)):\n"
    "        x = a.load([row, k * BK])\n"
    "        y = b.load([column, k * BK])\n"
    "        acc = tl.dot(x, y.T, acc)\n"
    "    c.store([row, column], acc.to(tl.float16))\n";

enum { BM = 64, BN = 32, BK = 32, MOST = 104 };

typedef struct Sizes {
    int m, n, k, stride; /* stride: of a and b, in elements */
} Sizes;

typedef struct Side {
    tern_descriptor desc;
    int values[MOST * MOST];
} Side;

static bool fill(tern_context *context, Side *side, int rows, int columns, int stride, int block[2],
                 int seed) {
    unsigned char bytes[MOST * MOST * 2];
    for (int i = 0; i < rows * stride; i++) {
        side->values[i] = (i * 7 + i / 13 + seed) % 5 - 2;
        tern_element_set_double(TERN_FLOAT16, bytes + i * 2, side->values[i]);
    }
    side->desc = (tern_descriptor){.base = tern_alloc(context, (size_t)(rows * stride) * 2),
                                   .dtype = TERN_FLOAT16,
                                   .rank = 2,
                                   .shape = {rows, columns},
                                   .strides = {stride, 1},
                                   .block = {block[0], block[1]}};
    CHECK_STR(tern_descriptor_error(&side->desc) ? tern_descriptor_error(&side->desc) : "", "");
    return tern_write(side->desc.base, 0, bytes, (size_t)(rows * stride) * 2) == TERN_OK;
}

/* Inside the shape the product, outside what was there. */
static int count_wrong(const Sizes *s, const Side *a, const Side *b, const Side *c, int c_stride) {
    unsigned char out[MOST * MOST * 2];
    int wrong = 0;
    tern_read(c->desc.base, 0, out, (size_t)(s->m * c_stride) * 2);
    for (int i = 0; i < s->m * c_stride; i++) {
        int row = i / c_stride, column = i % c_stride, sum = 0;
        for (int k = 0; k < s->k && column < s->n; k++)
            sum += a->values[row * s->stride + k] * b->values[column * s->stride + k];
        int want = column < s->n ? sum : c->values[i];
        wrong += tern_element_double(TERN_FLOAT16, out + i * 2) != want;
    }
    return wrong;
}

static void check(const char *device, const Sizes *s, uint64_t seed) {
    static Side a, b, c;
    char words[256], types[3][80], signature[320];
    tern_status status;
    tern_open_options open = {.device = device, .cache_dir = "", .order_seed = seed};
    tern_context *context = tern_open(&open, &status, words, sizeof words);
    if (!context) {
        CHECK(!strcmp(device, "cpu"));
        SKIP("no C compiler");
        return;
    }
    int c_stride = (s->n + 7) / 8 * 8, count = 0;
    CHECK(fill(context, &a, s->m, s->k, s->stride, (int[]){BM, BK}, 1) &&
          fill(context, &b, s->n, s->k, s->stride, (int[]){BN, BK}, 2) &&
          fill(context, &c, s->m, s->n, c_stride, (int[]){BM, BN}, 3));
    tern_argument arguments[3 * 2 * TERN_DESCRIPTOR_RANK + 1];
    const Side *sides[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        tern_descriptor_type(&sides[i]->desc, types[i], sizeof types[i]);
        count += tern_descriptor_arguments(&sides[i]->desc, arguments + count);
    }
    arguments[count++] = tern_arg_int(s->k);
    snprintf(signature, sizeof signature, "%s,%s,%s,i32,%d,%d,%d", types[0], types[1], types[2], BM,
             BN, BK);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "product.py");
    tern_kernel *kernel = module ? tern_compile(module, "product", signature, NULL) : NULL;
    uint32_t grid[3] = {(uint32_t)((s->m + BM - 1) / BM), (uint32_t)((s->n + BN - 1) / BN), 1};
    bool runs = kernel && tern_launch(NULL, kernel, grid, arguments, count) == TERN_OK;
    int wrong = runs ? count_wrong(s, &a, &b, &c, c_stride) : -1;
    if (wrong) printf("%s, k = %d: %d are wrong: %s\n", device, s->k, wrong, tern_message(context));
    CHECK(!wrong);
    const char *facts = kernel ? tern_kernel_text(kernel, TERN_STAGE_FACTS) : NULL;
    if (facts && strstr(device, "sim")) {
        CHECK(strstr(facts, "copies of a.base: 16 bytes"));
        CHECK(strstr(facts, "copies of b.base: 16 bytes"));
    }
    for (int i = 0; i < 3; i++) tern_buffer_free(sides[i]->desc.base);
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
}

static const Sizes sizes[] = {
    {64, 32, 64, 64},  {70, 40, 96, 104}, {1, 1, 8, 8},
    {100, 33, 72, 72}, {65, 31, 70, 72},  {64, 32, 33, 40},
};

TEST(products_through_descriptors_are_exact) {
    static const char *const devices[] = {"interp", "cpu", "sim:a100", "sim:h200"};
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check(devices[d], &sizes[i], i);
}

TEST(strides_are_as_they_were_promised) {
    char words[256];
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp"}, &status, words, sizeof words);
    static const char text[] = "import triton\nimport triton.language as tl\n@triton.jit\n"
                               "def k(d):\n    d.store([0, 0], d.load([0, 8]))\n";
    tern_module *module = tern_load_text(context, text, sizeof text - 1, "k.py");
    tern_kernel *kernel = tern_compile(module, "k", "tensordesc<fp16[8,8]:16>", NULL);
    tern_buffer *x = tern_alloc(context, 1024);
    CHECK(kernel && tern_write(x, 0, (char[1024]){0}, 1024) == TERN_OK);
    struct {
        int shape, stride;
        const char *want;
    } rows[] = {{16, 24, ""}, {16, 20, "'d.stride.0'"}, {20, 24, "'d.shape.1'"}};
    for (int i = 0; i < 3; i++) {
        tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_int(8),
                                     tern_arg_int(rows[i].shape), tern_arg_int(rows[i].stride)};
        bool runs = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) == TERN_OK;
        CHECK(runs == !*rows[i].want);
        CHECK(runs || strstr(tern_message(context), rows[i].want));
        CHECK(runs || strstr(tern_message(context), "not divisible by 8"));
    }
    tern_buffer_free(x);
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
}

TEST_MAIN()
