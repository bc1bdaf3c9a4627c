// SPDX-License-Identifier: Apache-2.0
/* What the simulator says of bulk stores by tensor maps (PTX ISA 9.7.9.25.5.2, 9.7.9.25.3): texts
 * that keep the rules, and for each rule one that does not. */
#include "sim_ptx.h"

/* A tensor of 16 rows of 8 words; the kernel reads into what is behind. */
static uint32_t memory[256];
static bool broken; /* ptxas refuses some, too */
static int swizzle;

static Bench bench(uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed, b.broken = broken;
    for (int i = 0; i < COUNT(memory); i++) memory[i] = 1000000 + (uint32_t)i;
    bench_buffer(&b, memory, sizeof memory);
    b.maps[b.num_maps++] = (MapBox){.base = (uint64_t)(uintptr_t)memory,
                                    .size = {7, 16},
                                    .stride = {4, 32},
                                    .box = {8, 4},
                                    .rank = 2,
                                    .element_bytes = 4,
                                    .swizzle = swizzle};
    return b;
}

enum { SEEDS = 24 };

/* In every order; NULL: nothing. */
static void expect(const char *body, int threads, const char *words) {
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Bench b = bench(seed);
        CHECK(bench_ends(&b, mapped_text(b.arena, threads, body), 1, words));
    }
}

#define HEAD                                                                                       \
    ".shared .align 1024 .b8 s[4096];\n"                                                           \
    "ld.param.u64 %d0, [param_0];\nmov.u64 %d4, map_0;\ncvta.param.u64 %d4, %d4;\n"                \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d2, %d0, %d1;\n"                    \
    "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n"                              \
    "setp.eq.u32 %p0, %r0, 0;\nsetp.lt.u32 %p1, %r0, 32;\n"
#define PUT   "@%p1 st.shared.b32 [%r1], %r0;\n"
#define PROXY "fence.proxy.async.shared::cta;\n"
#define SYNC  "bar.sync 0;\n"
#define STORE(from, column, row)                                                                   \
    "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d4, {" column ", " row      \
    "}], [" from "];\n"
#define COMMIT     "@%p0 cp.async.bulk.commit_group;\n"
#define READ_IT    "@%p0 cp.async.bulk.wait_group.read 0;\n"
#define WAIT       "@%p0 cp.async.bulk.wait_group 0;\n"
#define FIRST(row) HEAD PUT PROXY SYNC STORE("s", "0", row) COMMIT
#define LOOK       "ld.global.b32 %r4, [%d2+128];\nst.global.b32 [%d2+512], %r4;\n"

/* Row `row` on of what was stored: of 7 columns. */
static bool has_stored(int row) {
    bool fine = true;
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 8; c++) {
            int from = r - row, at = 8 * r + c;
            bool in = from >= 0 && from < 4 && c < 7;
            fine = fine && memory[at] == (in ? (uint32_t)(8 * from + c) : 1000000 + (uint32_t)at);
        }
    return fine;
}

static bool stores(const char *body, int row) {
    bool fine = true;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Bench b = bench(seed);
        fine = fine && bench_says(&b, mapped_text(b.arena, 32, body), 1, NULL) && has_stored(row);
        arena_free(b.arena);
    }
    return fine;
}

TEST(one_store) {
    CHECK(stores(FIRST("4") WAIT, 4));
    CHECK(stores(FIRST("4") READ_IT WAIT, 4));
    /* by all lanes, of which one has stored; at another address */
    CHECK(stores(FIRST("4") "cp.async.bulk.wait_group 0;\n", 4));
    CHECK(stores(HEAD "@%p1 st.shared.b32 [%r1+1024], %r0;\n" PROXY SYNC STORE("%r2+1024", "0", "4")
                     COMMIT WAIT,
                 4));
    /* what is outside of the tensor is not written */
    CHECK(stores(FIRST("14") WAIT, 14));
    CHECK(stores(FIRST("-3") WAIT, -3));
    CHECK(stores(FIRST("-4") WAIT, -4));
    CHECK(stores(FIRST("2147483647") WAIT, 99));
    CHECK(stores(HEAD PUT PROXY SYNC STORE("s", "8", "4") COMMIT WAIT, 99));
    /* each of two groups, of which the second may be under way */
    CHECK(stores(FIRST("4") STORE("s", "0", "20") COMMIT
                 "@%p0 cp.async.bulk.wait_group 1;\n@%p0 ld.global.b32 %r4, [%d0+128];\n" WAIT,
                 4));
}

/* 16 bytes of a row change places by the bit that says which 128 bytes they are of. */
TEST(swizzled) {
    swizzle = 32;
    for (uint64_t seed = 0; seed < 4; seed++) {
        Bench b = bench(seed);
        CHECK(bench_says(
            &b, mapped_text(b.arena, 32, HEAD PUT PROXY SYNC STORE("s+0", "0", "4") COMMIT WAIT), 1,
            NULL));
        CHECK(has_stored(4)); /* of the first 128 bytes: as they lie */
        arena_free(b.arena);
        b = bench(seed);
        CHECK(bench_says(&b,
                         mapped_text(b.arena, 32,
                                     HEAD "@%p1 st.shared.b32 [%r1+128], %r0;\n" PROXY SYNC STORE(
                                         "s+128", "0", "4") COMMIT WAIT),
                         1, NULL));
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 7; c++)
                CHECK(memory[8 * (r + 4) + c] == (uint32_t)(8 * r + (c ^ 4)));
        arena_free(b.arena);
    }
    swizzle = 0;
}

/* Read once it has come: by the lane, or by others behind a barrier. */
TEST(waited_for) {
    expect(FIRST("4") WAIT SYNC "@!%p1 bra L9;\n" LOOK "L9:\n", 64, NULL);
    expect(FIRST("4") WAIT "@!%p0 bra L9;\n" LOOK "L9:\n", 64, NULL);
    expect(FIRST("4") READ_IT SYNC "@%p1 st.shared.b32 [%r1], 7;\n" WAIT, 64, NULL);
    expect(FIRST("4") WAIT STORE("s", "0", "4") COMMIT WAIT, 32, NULL);
}

TEST(not_waited_for) {
    const char *race = "race in global memory";
    expect(FIRST("4"), 32, "the block ends before its bulk store was waited for");
    expect(FIRST("4") READ_IT, 32, "the block ends before its bulk store was waited for");
    expect(HEAD PUT PROXY SYNC STORE("s", "0", "4") WAIT, 32, "the block ends before");
    /* of the same lane; of another; behind a barrier that nobody waited before */
    expect(FIRST("4") "@!%p0 bra L9;\n" LOOK "L9:\n" WAIT, 32, race);
    expect(FIRST("4") READ_IT "@!%p0 bra L9;\n" LOOK "L9:\n" WAIT, 32, race);
    expect(FIRST("4") SYNC LOOK WAIT, 32, race);
    expect(FIRST("4") READ_IT SYNC LOOK WAIT, 32, race);
    expect(FIRST("4") WAIT "@%p0 bra L9;\n" LOOK "L9:\n", 64, race);
    expect(FIRST("4") SYNC "st.global.b32 [%d2+128], %r2;\n" WAIT, 32, race);
    /* two stores to a place; a wait of others than who stored */
    expect(FIRST("4") STORE("s", "0", "3") COMMIT WAIT, 32, race);
    expect(FIRST("4") "setp.eq.u32 %p3, %r0, 1;\n@%p3 cp.async.bulk.wait_group 0;\n", 32,
           "the block ends before");
    expect(FIRST("4") "@%p0 cp.async.bulk.wait_group 1;\n", 32, "the block ends before");
}

TEST(scratch_written_again) {
    const char *race = "race in shared memory";
    expect(FIRST("4") "@%p0 st.shared.b32 [%r1], 7;\n" WAIT, 32, race);
    expect(FIRST("4") SYNC "@%p1 st.shared.b32 [%r1], 7;\n" SYNC WAIT, 64, race);
    expect(FIRST("4") READ_IT "@%p1 st.shared.b32 [%r1], 7;\n" WAIT, 64, race);
    expect(FIRST("4") STORE("s+1024", "0", "8") "@%p0 cp.async.bulk.wait_group.read 1;\n", 32,
           "memory that nobody wrote");
}

TEST(fenced) {
    const char *words = "without a fence.proxy.async behind";
    expect(HEAD PUT SYNC STORE("s", "0", "4") COMMIT WAIT, 32, words);
    expect(HEAD PUT SYNC "@!%p0 " PROXY STORE("s", "0", "4") COMMIT WAIT, 64, NULL);
    expect(HEAD PROXY PUT SYNC STORE("s", "0", "4") COMMIT WAIT, 32, words);
    expect(HEAD PUT PROXY STORE("s", "0", "4") COMMIT WAIT, 32, "race in shared memory");
    expect(HEAD PUT PROXY SYNC STORE("s", "0", "4")
               COMMIT READ_IT SYNC PUT SYNC STORE("s", "0", "8") COMMIT WAIT,
           32, words);
}

TEST(refused) {
    broken = false;
    expect(HEAD PUT PROXY SYNC STORE("s+16", "0", "4") COMMIT WAIT, 32, "not a multiple of 128");
    expect(HEAD PUT PROXY SYNC STORE("s", "2", "4") COMMIT WAIT, 32, "not a multiple of 16 bytes");
    expect(HEAD PUT PROXY SYNC STORE("s+4096", "0", "4") COMMIT WAIT, 32, "outside shared memory");
    expect(HEAD PROXY SYNC STORE("s", "0", "4") COMMIT WAIT, 32, "memory that nobody wrote");
    expect(
        HEAD PUT PROXY SYNC
        "@%p0 cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d4, {0}], [s];\n" COMMIT WAIT,
        32, "of 1 dimensions by a tensor map of 2");
}

TEST_MAIN()
