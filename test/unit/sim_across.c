// SPDX-License-Identifier: Apache-2.0
/* Matrix products of mma.sync and sums of redux.sync on the simulator. Fragments are dealt out
 * after the figures of PTX ISA 8.7, 9.7.14.5 (the element of each register of each lane), results
 * computed here. */
#include "base/float.h"
#include "sim_ptx.h"

enum { WARP = 32, M = 16, N = 8, MOST_K = 32 };

static uint32_t state = 1;
static int drawn(int below) {
    state = state * 1664525 + 1013904223;
    return (int)((state >> 10) % (uint32_t)below);
}

typedef struct Kind {
    const char *name;
    int k, width, bits; /* elements in a register, bits of each */
    FloatKind format;   /* of 16 bits */
} Kind;
static const Kind kinds[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 8, 2, 16, FLOAT_F16},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 2, 16, FLOAT_F16},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 2, 16, FLOAT_BF16},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 8, 1, 32, FLOAT_F32},
    {"m16n8k32.row.col.s32.s8.s8.s32", 32, 4, 8, FLOAT_F32},
    {"m16n8k16.row.col.s32.s8.s8.s32", 16, 4, 8, FLOAT_F32},
    {"m16n8k16.row.col.s32.u8.u8.s32", 16, 4, 8, FLOAT_F32},
};

static uint32_t bits_of(double number) {
    return (uint32_t)float_encode(FLOAT_F32, number, FLOAT_NEAREST_EVEN);
}

/* The low 13 bits of a tf32 are not read: any will do. */
static uint32_t encoded(const Kind *kind, double number) {
    if (kind->bits == 8) return (uint32_t)(int)number & 255;
    if (kind->bits == 32) return bits_of(number) | (uint32_t)drawn(1 << 13);
    return (uint32_t)float_encode(kind->format, number, FLOAT_NEAREST_EVEN);
}

static const char *mma_text(Arena *arena, const Kind *kind) {
    int k = kind->k, regs_b = k * N / WARP / kind->width, regs_a = 2 * regs_b;
    Buf body = {.arena = arena};
    buf_puts(&body, "ld.param.u64 %d0, [param_0];\nld.param.u64 %d1, [param_1];\n"
                    "mov.u32 %r31, %tid.x;\nmul.wide.u32 %d2, %r31, 4;\n"
                    "add.s64 %d0, %d0, %d2;\nadd.s64 %d1, %d1, %d2;\n");
    for (int i = 0; i < regs_a + regs_b + 4; i++)
        buf_printf(&body, "ld.global.b32 %%r%d, [%%d0+%d];\n", i, i * WARP * 4);
    buf_printf(&body, "mma.sync.aligned.%s {%%r20, %%r21, %%r22, %%r23}", kind->name);
    for (int part = 0, at = 0; part < 3; part++) {
        int count = part == 0 ? regs_a : part == 1 ? regs_b : 4;
        for (int i = 0; i < count; i++) buf_printf(&body, "%s%%r%d", i ? ", " : ", {", at++);
        buf_puts(&body, "}");
    }
    buf_puts(&body, ";\n");
    for (int i = 0; i < 4; i++)
        buf_printf(&body, "st.global.b32 [%%d1+%d], %%r%d;\n", i * WARP * 4, 20 + i);
    return entry_text(arena, 2, WARP, body.data);
}

/* special: what stands in A once, at row 5. */
static void check_product(const Kind *kind, double special) {
    static double a[M][MOST_K], b[MOST_K][N], c[M][N];
    uint32_t in[10][WARP] = {{0}}, out[4][WARP];
    int k = kind->k, width = kind->width, regs_b = k * N / WARP / width, regs_a = 2 * regs_b;
    bool is_unsigned = strstr(kind->name, "u8") != NULL;
    int many = is_unsigned ? 256 : 15, least = is_unsigned ? 0 : -7;
    for (int i = 0; i < M * k; i++) a[i / k][i % k] = drawn(many) + least;
    for (int i = 0; i < N * k; i++) b[i / N][i % N] = drawn(many) + least;
    for (int i = 0; i < M * N; i++) c[i / N][i % N] = drawn(2001) - 1000;
    if (special != 0) a[5][3] = special, b[3][0] = 2;
    for (int lane = 0; lane < WARP; lane++) {
        int group = lane / 4, t = lane % 4;
        for (int r = 0; r < regs_a; r++)
            for (int e = 0; e < width; e++)
                in[r][lane] |=
                    encoded(kind, a[group + 8 * (r & 1)][t * width + e + 4 * width * (r >> 1)])
                    << (e * kind->bits);
        for (int r = 0; r < regs_b; r++)
            for (int e = 0; e < width; e++)
                in[regs_a + r][lane] |= encoded(kind, b[t * width + e + 4 * width * r][group])
                                        << (e * kind->bits);
        for (int r = 0; r < 4; r++) {
            double number = c[group + 8 * (r >> 1)][t * 2 + (r & 1)];
            in[regs_a + regs_b + r][lane] =
                kind->bits == 8 ? (uint32_t)(int)number : bits_of(number);
        }
    }
    Bench bench = bench_new();
    bench_buffer(&bench, in, sizeof in);
    bench_buffer(&bench, out, sizeof out);
    CHECK(bench_says(&bench, mma_text(bench.arena, kind), 1, NULL));
    int wrong = 0;
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            double sum = c[row][column];
            for (int i = 0; i < k; i++) sum += a[row][i] * b[i][column];
            uint32_t want = kind->bits == 8 ? (uint32_t)(int)sum
                            : sum == sum    ? bits_of(sum)
                                            : 0x7fffffff;
            int lane = row % 8 * 4 + column / 2, r = row / 8 * 2 + column % 2;
            wrong += out[r][lane] != want;
        }
    if (wrong) printf("%s: %d are wrong\n", kind->name, wrong);
    CHECK(wrong == 0);
    arena_free(bench.arena);
}

TEST(products) {
    for (int i = 0; i < COUNT(kinds); i++) {
        for (int round = 0; round < 3; round++) check_product(&kinds[i], 0);
        if (kinds[i].bits == 8) continue;
        check_product(&kinds[i], __builtin_nan(""));
        check_product(&kinds[i], __builtin_inf());
    }
}

/* 9.7.14.5.1: A has row lane / 4, column lane % 4, B the same turned, C two neighbours. */
TEST(product_of_doubles) {
    double in[4][WARP], out[2][WARP];
    int wrong = 0;
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < WARP; lane++) in[i][lane] = (drawn(1 << 20) - 500000) * 0x1p-15;
    Bench bench = bench_new();
    bench_buffer(&bench, in, sizeof in);
    bench_buffer(&bench, out, sizeof out);
    Buf body = {.arena = bench.arena};
    buf_puts(&body, "ld.param.u64 %d0, [param_0];\nld.param.u64 %d1, [param_1];\n"
                    "mov.u32 %r31, %tid.x;\nmul.wide.u32 %d2, %r31, 8;\n"
                    "add.s64 %d0, %d0, %d2;\nadd.s64 %d1, %d1, %d2;\n");
    for (int i = 0; i < 4; i++)
        buf_printf(&body, "ld.global.b64 %%d%d, [%%d0+%d];\n", 3 + i, i * WARP * 8);
    buf_puts(&body, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d7, %d8}, {%d3}, {%d4}, "
                    "{%d5, %d6};\nst.global.b64 [%d1], %d7;\nst.global.b64 [%d1+256], %d8;\n");
    CHECK(bench_says(&bench, entry_text(bench.arena, 2, WARP, body.data), 1, NULL));
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) {
            int lane = row * 4 + column / 2;
            double sum = in[2 + column % 2][lane];
            for (int k = 0; k < 4; k++) sum += in[0][row * 4 + k] * in[1][column * 4 + k];
            wrong += out[column % 2][lane] != sum;
        }
    CHECK(wrong == 0);
    arena_free(bench.arena);
}

/* ---- stmatrix ---- */

/* Rows of matrix i go where lanes 8 i to 8 i + 7 point: to the end of shared memory first here. */
static void check_stored(int count, bool transposed) {
    uint32_t in[4][WARP];
    uint16_t out[4 * 8 * 8], want[4 * 8 * 8] = {0};
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < WARP; lane++)
            in[i][lane] = (uint32_t)drawn(1 << 16) << 16 | (uint32_t)drawn(1 << 16);
    for (int i = 0; i < count; i++)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                int r = transposed ? column : row, c = transposed ? row : column;
                want[(31 - (8 * i + row)) * 8 + column] =
                    (uint16_t)(in[i][r * 4 + c / 2] >> (16 * (c % 2)));
            }
    Bench bench = bench_new();
    bench_buffer(&bench, in, sizeof in);
    bench_buffer(&bench, out, sizeof out);
    Buf body = {.arena = bench.arena};
    buf_puts(&body, ".shared .align 16 .b8 s[512];\nld.param.u64 %d0, [param_0];\n"
                    "ld.param.u64 %d1, [param_1];\nmov.u32 %r1, %tid.x;\n"
                    "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d0, %d0, %d2;\n"
                    "mul.wide.u32 %d2, %r1, 16;\nadd.s64 %d1, %d1, %d2;\nmov.b32 %r2, 0;\n"
                    "mov.u32 %r3, s;\nmad.lo.s32 %r4, %r1, 16, %r3;\n"
                    "st.shared.v4.b32 [%r4], {%r2, %r2, %r2, %r2};\nbar.warp.sync -1;\n"
                    "sub.s32 %r5, 31, %r1;\nmad.lo.s32 %r5, %r5, 16, %r3;\n");
    for (int i = 0; i < 4; i++)
        buf_printf(&body, "ld.global.b32 %%r%d, [%%d0+%d];\n", 6 + i, 128 * i);
    buf_printf(&body, "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r5], {", count,
               transposed ? ".trans" : "");
    for (int i = 0; i < count; i++) buf_printf(&body, "%s%%r%d", i ? ", " : "", 6 + i);
    buf_puts(&body, "};\nbar.warp.sync -1;\nld.shared.v4.b32 {%r6, %r7, %r8, %r9}, [%r4];\n"
                    "st.global.v4.b32 [%d1], {%r6, %r7, %r8, %r9};\n");
    CHECK(bench_says(&bench, entry_text(bench.arena, 2, WARP, body.data), 1, NULL));
    CHECK(!memcmp(out, want, sizeof out));
    arena_free(bench.arena);
}

TEST(matrices_stored) {
    for (int count = 1; count <= 4; count *= 2)
        for (int way = 0; way < 2; way++) check_stored(count, way);
}

/* ---- redux ---- */

static uint32_t folded(const char *op, uint32_t a, uint32_t b) {
    if (!strncmp(op, "add", 3)) return a + b;
    if (!strcmp(op, "and.b32")) return a & b;
    if (!strcmp(op, "or.b32")) return a | b;
    if (!strcmp(op, "xor.b32")) return a ^ b;
    bool less = strstr(op, ".s32") ? (int32_t)a < (int32_t)b : a < b;
    return !strncmp(op, "min", 3) == less ? a : b;
}

TEST(sums_of_lanes) {
    static const char *const ops[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
    static const uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0x80000001, 0x0ff0a002, 0xfffffffe};
    for (int i = 0; i < COUNT(ops); i++)
        for (int k = 0; k < COUNT(masks); k++) {
            uint32_t in[WARP], out[WARP], want = 0;
            bool first = true;
            for (int lane = 0; lane < WARP; lane++) {
                in[lane] = (uint32_t)drawn(1 << 20) << 12 ^ (uint32_t)drawn(1 << 20), out[lane] = 7;
                if (strstr(ops[i], "and")) in[lane] |= 0x00ffff00;
                if (!(masks[k] >> lane & 1)) continue;
                want = first ? in[lane] : folded(ops[i], want, in[lane]), first = false;
            }
            Bench bench = bench_new();
            bench_buffer(&bench, in, sizeof in);
            bench_buffer(&bench, out, sizeof out);
            Str body = str_format(
                bench.arena,
                "ld.param.u64 %%d0, [param_0];\nld.param.u64 %%d1, [param_1];\n"
                "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d2, %%r1, 4;\nadd.s64 %%d0, %%d0, %%d2;\n"
                "add.s64 %%d1, %%d1, %%d2;\nld.global.b32 %%r2, [%%d0];\nmov.b32 %%r3, 7;\n"
                "mov.b32 %%r4, %d;\nshr.u32 %%r5, %%r4, %%r1;\nand.b32 %%r5, %%r5, 1;\n"
                "setp.ne.s32 %%p0, %%r5, 0;\n@%%p0 redux.sync.%s %%r3, %%r2, %%r4;\n"
                "st.global.b32 [%%d1], %%r3;",
                (int32_t)masks[k], ops[i]);
            CHECK(bench_says(&bench, entry_text(bench.arena, 2, WARP, body.data), 1, NULL));
            int wrong = 0;
            for (int lane = 0; lane < WARP; lane++)
                wrong += out[lane] != (masks[k] >> lane & 1 ? want : 7);
            if (wrong) printf("%s of %08x: %d lanes are wrong\n", ops[i], masks[k], wrong);
            CHECK(wrong == 0);
            arena_free(bench.arena);
        }
}

TEST_MAIN()
