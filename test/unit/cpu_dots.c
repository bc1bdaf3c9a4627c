// SPDX-License-Identifier: Apache-2.0
/* Products of matrices on each instruction set that this machine has, and on interp: every type of
 * operand, sizes that no tile fits, operands by rows and by columns, against sums in double. Sums
 * of integers are exact. Of floats each product is exact in double, so that what is allowed is the
 * rounding of k sums. */
#include "api/context.h"
#include "cpu_tiles.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def product(a, b, c, m, n, k, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr,\n"
    "            BK: tl.constexpr, SUM: tl.constexpr, FIRST: tl.constexpr):\n"
    "    row = tl.program_id(0) * BM + tl.arange(0, BM)\n"
    "    column = tl.program_id(1) * BN + tl.arange(0, BN)\n"
    "    sums = tl.full((BM, BN), FIRST, dtype=SUM)\n"
    "    for start in range(0, k, BK):\n"
    "        depth = start + tl.arange(0, BK)\n"
    "        x = tl.load(a + row[:, None] * am + depth[None, :] * ak,\n"
    "                    mask=(row[:, None] < m) & (depth[None, :] < k), other=0)\n"
    "        y = tl.load(b + depth[:, None] * bk + column[None, :] * bn,\n"
    "                    mask=(depth[:, None] < k) & (column[None, :] < n), other=0)\n"
    "        sums = tl.dot(x, y, sums, input_precision='ieee')\n"
    "    tl.store(c + row[:, None] * n + column[None, :], sums,\n"
    "             mask=(row[:, None] < m) & (column[None, :] < n))\n";

typedef struct Lane {
    const char *name, *sum;
    TypeKind kind;
} Lane;
static const Lane lanes[] = {{"i8", "int32", TYPE_I8},
                             {"bf16", "float32", TYPE_BF16},
                             {"fp16", "float32", TYPE_F16},
                             {"fp32", "float32", TYPE_F32}};

static const char *const devices[] = {
#define CPU(kind, name, ...) "cpu:" name,
#include "base/cpus.def"
    "interp"};

static tern_context *open_one(const char *device) {
    char words[256];
    if (!strcmp(device, "cpu:amx")) return tiles_open(1);
    return tern_open(&(tern_open_options){.device = device, .num_threads = 1}, NULL, words,
                     sizeof words);
}

enum { M = 37, N = 139, K = 83, MOST_K = 611 };

typedef struct Product {
    const Lane *lane;
    bool a_by_columns, b_by_columns, distances_unknown;
    int k, first;                        /* first: of the sums */
    double a[M * MOST_K], b[MOST_K * N]; /* in the order in which they lie in memory */
} Product;

static double a_of(const Product *p, int m, int k) {
    return p->a[p->a_by_columns ? k * M + m : m * p->k + k];
}
static double b_of(const Product *p, int k, int n) {
    return p->b[p->b_by_columns ? n * p->k + k : k * N + n];
}

static uint64_t seed = 11;

/* All values of an i8, -128 often; floats of sizes that f16 has. */
static double draw(const Lane *lane) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int random = (int)(seed >> 40 & 0xffff);
    if (lane->kind == TYPE_I8) return random & 0x300 ? (random & 255) - 128 : -128;
    const Type *type = type_scalar(lane->kind);
    return constant_to_double(type, constant_from_double(type, (random - 32768) / 4096.0));
}

static tern_buffer *buffer_of(tern_context *tern, const Lane *lane, const double *x, int count) {
    const Type *type = type_scalar(lane->kind);
    size_t size = (size_t)type_size_bytes(type);
    tern_buffer *buffer = tern_alloc(tern, (size_t)count * size);
    for (int i = 0; i < count; i++) {
        uint64_t bits =
            lane->kind == TYPE_I8 ? (uint64_t)(int64_t)x[i] : constant_from_double(type, x[i]);
        tern_write(buffer, (size_t)i * size, &bits, size);
    }
    return buffer;
}

static bool denormals_are_0; /* as AMX and AVX512-BF16 take bf16 */

static void compare(const Product *p, const char *what, const void *got) {
    bool whole = p->lane->kind == TYPE_I8;
    int bad = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double want = p->first, size = want,
                   x = whole ? ((const int32_t *)got)[m * N + n]
                             : (double)((const float *)got)[m * N + n];
            for (int k = 0; k < p->k; k++) {
                double product = a_of(p, m, k) * b_of(p, k, n);
                if (denormals_are_0 && fabs(a_of(p, m, k)) < 0x1p-126) continue;
                want += product, size += fabs(product);
            }
            double allowed = whole ? 0 : (p->k + 1) * 0x1p-24 * size;
            if (!(fabs(x - want) <= allowed) && !bad++)
                printf("%s: [%d, %d]: got %.9g, want %.9g\n", what, m, n, x, want);
        }
    CHECK(bad == 0);
}

static void run(tern_context *tern, tern_module *module, const char *device, const Product *p,
                const int *tile) {
    static char got[M * N * 4];
    char signature[200], what[300];
    /* A distance that is known to be 1 is not passed: it says which lanes are neighbours. */
    const char *by_columns = "i32:1,i32", *by_rows = "i32,i32:1";
    snprintf(signature, sizeof signature, "*%s,*%s,*%s,i32,i32,i32,%s,%s,%d,%d,%d,tl.%s,%d",
             p->lane->name, p->lane->name, p->lane->kind == TYPE_I8 ? "i32" : "fp32",
             p->distances_unknown ? "i32,i32"
             : p->a_by_columns    ? by_columns
                                  : by_rows,
             p->distances_unknown ? "i32,i32"
             : p->b_by_columns    ? by_columns
                                  : by_rows,
             tile[0], tile[1], tile[2], p->lane->sum, p->first);
    snprintf(what, sizeof what, "%s: %s, columns %d %d", device, signature, p->a_by_columns,
             p->b_by_columns);
    tern_kernel *kernel = tern_compile(module, "product", signature, NULL);
    CHECK(kernel);
    if (!kernel) {
        printf("%s: %s\n", what, tern_message(tern));
        return;
    }
    tern_buffer *a = buffer_of(tern, p->lane, p->a, M * p->k),
                *b = buffer_of(tern, p->lane, p->b, p->k * N), *c = tern_alloc(tern, sizeof got);
    const int numbers[] = {M,
                           N,
                           p->k,
                           p->a_by_columns ? 1 : p->k,
                           p->a_by_columns ? M : 1,
                           p->b_by_columns ? 1 : N,
                           p->b_by_columns ? p->k : 1};
    tern_argument arguments[10] = {tern_arg_buffer(a), tern_arg_buffer(b), tern_arg_buffer(c)};
    int count = 3;
    for (int i = 0; i < COUNT(numbers); i++)
        if (i < 3 || p->distances_unknown || numbers[i] != 1)
            arguments[count++] = tern_arg_int(numbers[i]);
    uint32_t grid[] = {(uint32_t)((M + tile[0] - 1) / tile[0]),
                       (uint32_t)((N + tile[1] - 1) / tile[1]), 1};
    CHECK(tern_launch(NULL, kernel, grid, arguments, count) == TERN_OK);
    CHECK(tern_synchronize(tern) == TERN_OK);
    CHECK(tern_read(c, 0, got, sizeof got) == TERN_OK);
    compare(p, what, got);
    tern_buffer_free(a), tern_buffer_free(b), tern_buffer_free(c);
    tern_kernel_free(kernel);
}

static void fill(Product *p, const Lane *lane, int k) {
    p->lane = lane, p->k = k, p->first = 3;
    for (int i = 0; i < M * k; i++) p->a[i] = draw(lane);
    for (int i = 0; i < k * N; i++) p->b[i] = draw(lane);
}

static void run_all(const char *device, const Lane *lane) {
    static const int tiles[][3] = {{16, 16, 32}, {32, 64, 32}, {64, 128, 64}};
    tern_context *tern = open_one(device);
    if (!tern) return;
    tern_module *module = tern_load_text(tern, source, sizeof source - 1, "product.py");
    CHECK(module);
    static Product p;
    fill(&p, lane, K);
    for (int order = 0; order < 5 && module; order++) {
        p.a_by_columns = order & 1, p.b_by_columns = order & 2, p.distances_unknown = order & 4;
        for (int t = 0; t < (order < 4 ? COUNT(tiles) : 1); t++)
            run(tern, module, device, &p, tiles[t]);
    }
    tern_module_free(module);
    tern_close(tern);
}

static const char *const narrow_devices[] = {"cpu:avx512vnni", "cpu:avx512bf16", "cpu:amx"};

/* What these add is for narrow lanes; the others have the text of cpu:avx512. */
static bool is_told_apart(const char *device, const Lane *lane) {
    bool is_narrow = lane->kind == TYPE_I8 || lane->kind == TYPE_BF16;
    for (int i = 0; i < COUNT(narrow_devices); i++)
        if (!strcmp(device, narrow_devices[i])) return is_narrow;
    return true;
}

TEST(odd_sizes_in_both_orders) {
    for (int d = 0; d < COUNT(devices); d++)
        for (int i = 0; i < COUNT(lanes); i++)
            if (is_told_apart(devices[d], &lanes[i])) run_all(devices[d], &lanes[i]);
}

/* Operands gather over turns, are multiplied when their slots are full, and once more at the end,
 * if something is left: fewer turns than slots, as many, twice as many, and some more; and none, in
 * memory that others have used. */
TEST(operands_that_gather) {
    static const int sizes[] = {32, 480, 512, 513, 611, 0},
                     tiles[][3] = {{32, 32, 32}, {16, 16, 64}, {64, 128, 64}};
    for (int d = 0; d < COUNT(narrow_devices); d++) {
        tern_context *tern = open_one(narrow_devices[d]);
        if (!tern) continue;
        tern_module *module = tern_load_text(tern, source, sizeof source - 1, "product.py");
        CHECK(module);
        static Product p;
        p.a_by_columns = p.b_by_columns = false;
        for (int lane = 0; lane < 2 && module; lane++)
            for (int i = 0; i < COUNT(sizes); i++) {
                fill(&p, &lanes[lane], sizes[i]);
                for (int t = 0; t < COUNT(tiles); t++) {
                    p.first = t == 1 ? 3 : 0;
                    run(tern, module, narrow_devices[d], &p, tiles[t]);
                }
            }
        tern_module_free(module);
        tern_close(tern);
    }
}

/* bf16 has f32's denormal numbers. Instructions for its products take them for 0, which no sum of
 * this size may lose, but where they are taken (doc/language.md). */
TEST(denormal_numbers_count) {
    for (int d = 0; d < COUNT(devices); d++) {
        tern_context *tern = open_one(devices[d]);
        if (!tern) continue;
        static Product p;
        bool lost = !strcmp(devices[d], "cpu:amx") || !strcmp(devices[d], "cpu:avx512bf16");
        p.lane = &lanes[1], p.k = K, p.first = 3;
        p.a_by_columns = p.b_by_columns = false;
        for (int i = 0; i < M * K; i++) p.a[i] = 0x1p-130;
        for (int i = 0; i < K * N; i++) p.b[i] = 0x1p120;
        tern_module *module = tern_load_text(tern, source, sizeof source - 1, "product.py");
        CHECK(module);
        denormals_are_0 = lost;
        if (module) run(tern, module, devices[d], &p, (const int[]){32, 64, 32});
        denormals_are_0 = false;
        tern_module_free(module);
        tern_close(tern);
    }
}

/* Sums that begin with 0 are not loaded; a comes as it is stored, b from another product. And what
 * rounds to bf16 by an instruction, denormal numbers and NaN among it, has interp's bits. */
static void chain_on(const char *device) {
    static const char text[] =
        "import triton\n"
        "import triton.language as tl\n"
        "@triton.jit\n"
        "def chain(a, b, c, d, scale):\n"
        "    i = tl.arange(0, 32)\n"
        "    at = i[:, None] * 32 + i[None, :]\n"
        "    x, y = tl.load(a + at), tl.load(b + at)\n"
        "    z = tl.dot(x, y)\n"
        "    tl.store(c + at, tl.dot(z.to(tl.bfloat16), tl.trans(x), z) + tl.dot(x, tl.trans(y)))\n"
        "    tl.store(d + at, (x.to(tl.float32) * scale).to(tl.bfloat16))\n";
    enum { SIDE = 32, LANES = SIDE * SIDE };
    tern_context *contexts[] = {open_one("interp"), open_one(device)};
    static float sums[2][LANES];
    static uint16_t narrow[2][LANES];
    for (int i = 0; i < 2 && contexts[1]; i++) {
        tern_context *tern = contexts[i];
        tern_module *module = tern_load_text(tern, text, sizeof text - 1, "chain.py");
        tern_kernel *kernel =
            module ? tern_compile(module, "chain", "*bf16,*bf16,*fp32,*bf16,fp32", NULL) : NULL;
        CHECK(kernel);
        if (!kernel) continue;
        tern_buffer *buffers[] = {tern_alloc(tern, LANES * 2), tern_alloc(tern, LANES * 2),
                                  tern_alloc(tern, LANES * 4), tern_alloc(tern, LANES * 2)};
        for (int pass = 0; pass < 2; pass++) { /* first numbers, then all kinds of them */
            uint16_t x[2][LANES];
            for (int k = 0; k < LANES; k++) {
                x[0][k] =
                    (uint16_t)(pass ? k * 64 + k % 64 : 0x3f00 + k * 37 % 256 + k % 2 * 0x8000);
                x[1][k] = (uint16_t)(0x3f00 + k * 51 % 256 + k % 3 % 2 * 0x8000);
            }
            for (int k = 0; k < 2; k++) CHECK(!tern_write(buffers[k], 0, x[k], sizeof x[k]));
            tern_argument arguments[5];
            for (int k = 0; k < 4; k++) arguments[k] = tern_arg_buffer(buffers[k]);
            arguments[4] = tern_arg_float(0.7182818);
            CHECK(tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5) == TERN_OK);
            CHECK(tern_synchronize(tern) == TERN_OK);
            if (!pass) CHECK(!tern_read(buffers[2], 0, sums[i], sizeof sums[i]));
        }
        CHECK(!tern_read(buffers[3], 0, narrow[i], sizeof narrow[i]));
        for (int k = 0; k < 4; k++) tern_buffer_free(buffers[k]);
        tern_kernel_free(kernel);
        tern_module_free(module);
    }
    int bad = 0;
    for (int k = 0; k < LANES && contexts[1]; k++) {
        bool near = fabs((double)sums[0][k] - (double)sums[1][k]) <= 1e-3 * LANES,
             same = narrow[0][k] == narrow[1][k] || /* of a NaN the device keeps other bits */
                    ((narrow[0][k] & 0x7fff) > 0x7f80 && (narrow[1][k] & 0x7fff) > 0x7f80);
        if ((!near || !same) && !bad++)
            printf("lane %d: %g and %g, 0x%x and 0x%x\n", k, (double)sums[0][k], (double)sums[1][k],
                   narrow[0][k], narrow[1][k]);
    }
    CHECK(bad == 0);
    for (int i = 0; i < 2; i++)
        if (contexts[i]) tern_close(contexts[i]);
}

TEST(products_of_products) {
    for (int d = 0; d < COUNT(narrow_devices); d++) chain_on(narrow_devices[d]);
}

TEST_MAIN()
