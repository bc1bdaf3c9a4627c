// SPDX-License-Identifier: Apache-2.0
/* What the simulator says of wgmma: a text that keeps the rules, and for each rule one that does
 * not. */
#include "sim_ptx.h"

static uint32_t memory[256];

/* A, 64 x 16 halves, and B, 16 x 8, all 1, swizzled by 32 bytes; the sums begin at 2. */
#define TILES                                                                                      \
    ".shared .align 1024 .b8 s[4096];\n"                                                           \
    "ld.param.u64 %d0, [param_0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"              \
    "add.s64 %d2, %d0, %d1;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n"      \
    "mov.b32 %r9, 0x3c003c00;\nst.shared.v4.b32 [%r1], {%r9, %r9, %r9, %r9};\n"                    \
    "st.shared.v4.b32 [%r1+2048], {%r9, %r9, %r9, %r9};\n"
#define DESCRIPTORS(high)                                                                          \
    "shr.u32 %r3, %r2, 4;\nor.b32 %r3, %r3, 65536;\nmov.b32 %r4, " high                            \
    ";\nmov.b64 %d3, {%r3, %r4};\nadd.s32 %r3, %r3, 128;\nmov.b64 %d4, {%r3, %r4};\n"
#define FINE "0xc0000010"
#define SUMS                                                                                       \
    "setp.ne.s32 %p1, 1, 0;\nmov.b32 %r5, 0f40000000;\nmov.b32 %r6, %r5;\nmov.b32 %r7, %r5;\n"     \
    "mov.b32 %r8, %r5;\n"
#define PROXY   "fence.proxy.async.shared::cta;\n"
#define BARRIER "bar.sync 0;\n"
#define FENCE   "wgmma.fence.sync.aligned;\n"
#define PRODUCT                                                                                    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r5, %r6, %r7, %r8}, %d3, %d4, %p1, 1, "   \
    "1, 0, 0;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define READ   "st.global.b32 [%d2], %r5;\n"
#define READY                                                                                      \
    TILES DESCRIPTORS(FINE)                                                                        \
    SUMS PROXY BARRIER FENCE

static void expect_blocks(const char *body, int threads, uint32_t blocks, const char *words) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        Bench b = bench_new();
        b.seed = seed;
        bench_buffer(&b, memory, sizeof memory);
        CHECK(bench_ends(&b, entry_text(b.arena, 1, threads, body), blocks, words));
    }
}

static void expect(const char *body, int threads, const char *words) {
    expect_blocks(body, threads, 1, words);
}

static float result_of(int thread) {
    float value;
    memcpy(&value, &memory[thread], sizeof value);
    return value;
}

TEST(products_come_when_they_are_waited_for) {
    expect(READY PRODUCT COMMIT WAIT READ, 128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 18);
    /* a second one adds to the first, without a fence between */
    expect(READY PRODUCT PRODUCT COMMIT WAIT READ, 128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 34);
    expect(READY PRODUCT COMMIT PRODUCT COMMIT "wgmma.wait_group.sync.aligned 1;\n" WAIT READ, 128,
           NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 34);
    /* in blocks one after another, in whose shared memory others wrote before */
    expect_blocks(READY PRODUCT COMMIT WAIT READ, 128, 5, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 18);
    /* from 0 */
    expect(TILES DESCRIPTORS(FINE) SUMS
           "setp.ne.s32 %p1, 0, 0;\n" PROXY BARRIER FENCE PRODUCT COMMIT WAIT READ,
           128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 16);
}

/* A whose rows go along M, by 16 rows each 512 bytes further: all elements of 16 rows are 0, 1, 2
 * or 3. */
TEST(rows_that_do_not_go_along_k) {
    expect(TILES
           "shr.u32 %r10, %r0, 5;\nmov.b32 %r11, 0;\nsetp.eq.u32 %p2, %r10, 1;\n"
           "selp.b32 %r11, 0x3c003c00, %r11, %p2;\nsetp.eq.u32 %p2, %r10, 2;\n"
           "selp.b32 %r11, 0x40004000, %r11, %p2;\nsetp.eq.u32 %p2, %r10, 3;\n"
           "selp.b32 %r11, 0x42004200, %r11, %p2;\n"
           "st.shared.v4.b32 [%r1], {%r11, %r11, %r11, %r11};\n"
           "shr.u32 %r3, %r2, 4;\nor.b32 %r3, %r3, 2097152;\nmov.b32 %r4, " FINE ";\n"
           "mov.b64 %d3, {%r3, %r4};\nadd.s32 %r3, %r3, 128;\nmov.b64 %d4, {%r3, %r4};\n" SUMS PROXY
               BARRIER FENCE
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r5, %r6, %r7, %r8}, %d3, %d4, "
           "%p1, 1, 1, 1, 0;\n" COMMIT WAIT READ,
           128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == (float)(2 + 16 * (i / 32)));
}

/* Other types, of the same bytes, 0 and 0x3c in turns: 60 each, 1.5, 1, and 2^-7 with one more bit
 * that tf32 has, and some that it has not. */
TEST(types_of_8_and_32_bits) {
    static const struct {
        const char *product;
        float want;
    } rows[] = {
        {"m64n8k32.f32.e4m3.e4m3 {%r5, %r6, %r7, %r8}, %d3, %d4, %p1, 1, 1;\n", 2 + 16 * 2.25f},
        {"m64n8k32.f32.e5m2.e5m2 {%r5, %r6, %r7, %r8}, %d3, %d4, %p1, 1, 1;\n", 2 + 16},
        {"m64n8k8.f32.tf32.tf32 {%r5, %r6, %r7, %r8}, %d3, %d4, %p1, 1, 1;\n",
         (float)(2 + 8 * 0x1.004p-7 * 0x1.004p-7)},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char body[4096];
        snprintf(body, sizeof body, "%swgmma.mma_async.sync.aligned.%s%s", READY, rows[i].product,
                 COMMIT WAIT READ);
        expect(body, 128, NULL);
        for (int k = 0; k < 128; k++) CHECK(result_of(k) == rows[i].want);
    }
    expect(READY "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r5, %r6, %r7, %r8}, %d3, %d4, "
                 "%p1;\n" COMMIT WAIT READ,
           128, NULL);
    for (int k = 0; k < 128; k++) CHECK(memory[k] == 0x40000000 + 16 * 60 * 60);
}

/* A in registers, (1, 0) and (1, 1) in rows 0 to 7, (0, 2) and (4, 4) in the others, the second
 * along K from 8 on. */
#define A                                                                                          \
    "mov.b32 %r20, 0x3c00;\nmov.b32 %r21, 0x40000000;\nmov.b32 %r22, 0x3c003c00;\n"                \
    "mov.b32 %r23, 0x44004400;\n"
#define A_READY                                                                                    \
    TILES DESCRIPTORS(FINE)                                                                        \
    SUMS A PROXY BARRIER FENCE
#define A_PRODUCT                                                                                  \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r5, %r6, %r7, %r8}, {%r20, %r21, %r22, "  \
    "%r23}, %d4, %p1, 1, 1, 0;\n"
#define READ_BELOW "st.global.b32 [%d2], %r7;\n"
/* B is 0 along K from 8 on: in every other 16 bytes, and then the other way round. */
#define HALF_OF_B                                                                                  \
    "shr.u32 %r10, %r0, 3;\nxor.b32 %r10, %r10, %r0;\nand.b32 %r10, %r10, 1;\nmov.b32 %r11, 0;\n"  \
    "setp.eq.u32 %p2, %r10, 0;\nselp.b32 %r11, 0x3c003c00, %r11, %p2;\n"                           \
    "st.shared.v4.b32 [%r1+2048], {%r11, %r11, %r11, %r11};\n"

TEST(a_in_registers) {
    const char *touched = "A of a wgmma that was not waited for is read or written";
    const char *fence = "no wgmma.fence since a register of A was last read or written";
    expect(A_READY A_PRODUCT COMMIT WAIT READ, 128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 2 + 4 * (1 + 2));
    expect(A_READY A_PRODUCT COMMIT WAIT READ_BELOW, 128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 2 + 4 * (2 + 8));
    expect(TILES HALF_OF_B DESCRIPTORS(FINE) SUMS A PROXY BARRIER FENCE A_PRODUCT COMMIT WAIT READ,
           128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 2 + 4 * 1);
    expect(TILES HALF_OF_B DESCRIPTORS(FINE)
               SUMS A PROXY BARRIER FENCE A_PRODUCT COMMIT WAIT READ_BELOW,
           128, NULL);
    for (int i = 0; i < 128; i++) CHECK(result_of(i) == 2 + 4 * 2);
    expect(A_READY A_PRODUCT COMMIT "mov.b32 %r22, 0;\n" WAIT, 128, touched);
    expect(A_READY A_PRODUCT COMMIT "st.global.b32 [%d2], %r20;\n" WAIT, 128, touched);
    expect(A_READY A_PRODUCT COMMIT WAIT "mov.b32 %r22, 0;\n", 128, NULL);
    expect(A_READY "mov.b32 %r23, 0;\n" A_PRODUCT COMMIT WAIT, 128, fence);
}

TEST(what_is_under_way_is_left_alone) {
    const char *read = "a sum of a wgmma that was not waited for is read or written";
    expect(READY PRODUCT COMMIT READ WAIT, 128, read);
    expect(READY PRODUCT COMMIT "mov.b32 %r8, 0;\n" WAIT, 128, read);
    expect(READY PRODUCT WAIT READ, 128, read); /* not committed */
    expect(READY PRODUCT COMMIT "wgmma.wait_group.sync.aligned 1;\n" READ, 128, read);
    expect(READY PRODUCT COMMIT, 128, "ends before wgmma was waited for");
    expect(READY PRODUCT COMMIT "st.shared.b32 [%r1+2048], %r9;\n" WAIT, 128,
           "race in shared memory");
    expect(READY PRODUCT COMMIT BARRIER "st.shared.b32 [%r1+2048], %r9;\n" WAIT, 128,
           "shared memory");
    expect(READY PRODUCT COMMIT WAIT BARRIER "st.shared.b32 [%r1+2048], %r9;\n" READ, 128, NULL);
}

TEST(fences_before_products) {
    const char *fence = "no wgmma.fence since a sum was last read or written";
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY BARRIER PRODUCT COMMIT WAIT READ, 128, fence);
    expect(READY PRODUCT COMMIT WAIT READ PRODUCT COMMIT WAIT, 128, fence);
    expect(READY PRODUCT COMMIT WAIT READ FENCE PRODUCT COMMIT WAIT READ, 128, NULL);
    expect(TILES DESCRIPTORS(FINE) SUMS BARRIER FENCE PRODUCT COMMIT WAIT READ, 128,
           "without a fence.proxy.async behind");
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY
           "st.shared.b32 [%r1], %r9;\n" BARRIER FENCE PRODUCT COMMIT WAIT READ,
           128, "without a fence.proxy.async behind");
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY
           "setp.eq.s32 %p2, %r0, 5;\n@%p2 st.shared.b32 [%r1+4], %r9;\n" BARRIER FENCE PRODUCT
               COMMIT WAIT READ,
           128, "wgmma reads byte 84 of shared memory, which warp 0 wrote without");
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY
           "setp.eq.s32 %p2, %r0, 69;\n@%p2 st.shared.b32 [%r1+4], %r9;\n" BARRIER FENCE PRODUCT
               COMMIT WAIT READ,
           128, "wgmma reads byte 1108 of shared memory, which warp 2 wrote without");
    /* an atomic writes, too */
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY
           "red.shared.add.u32 [%r1], 0;\n" BARRIER FENCE PRODUCT COMMIT WAIT READ,
           128, "without a fence.proxy.async behind");
    expect(TILES DESCRIPTORS(FINE) SUMS
           "red.shared.add.u32 [%r1], 0;\n" PROXY BARRIER FENCE PRODUCT COMMIT WAIT READ,
           128, NULL);
    expect(TILES DESCRIPTORS(FINE) SUMS PROXY FENCE PRODUCT COMMIT WAIT READ, 128,
           "shared memory"); /* not there, or not ordered */
}

TEST(descriptors_and_groups) {
    expect(TILES DESCRIPTORS("0xc0020010") SUMS PROXY BARRIER FENCE PRODUCT COMMIT WAIT, 128,
           "has bits that are not simulated");
    expect(TILES DESCRIPTORS("16") SUMS PROXY BARRIER FENCE PRODUCT COMMIT WAIT, 128,
           "a matrix without a swizzle is not simulated");
    expect(TILES DESCRIPTORS("0xc0000400") SUMS PROXY BARRIER FENCE PRODUCT COMMIT WAIT, 128,
           "wgmma of 16 bytes outside shared memory");
    expect(READY PRODUCT COMMIT WAIT, 64, "wgmma by a warp that is not one of a group of four");
    expect(READY "add.s32 %r3, %r3, %r0;\nmov.b64 %d4, {%r3, %r4};\n" PRODUCT COMMIT WAIT, 128,
           "a matrix descriptor that differs between lanes");
    expect(READY "and.b32 %r10, %r0, 32;\nshr.u32 %r10, %r10, 1;\nadd.s32 %r3, %r3, "
                 "%r10;\nmov.b64 %d4, {%r3, %r4};\n" PRODUCT COMMIT WAIT,
           128, "the warps of a warpgroup begin different products");
    expect(READY "setp.lt.s32 %p1, %r0, 5;\n" PRODUCT COMMIT WAIT, 128,
           "scale-d differs between lanes");
}

TEST_MAIN()
