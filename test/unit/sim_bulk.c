// SPDX-License-Identifier: Apache-2.0
/* What the simulator says of bulk copies by tensor maps: texts that keep the rules, and for each
 * rule one that does not. What a copied box looks like: sim_maps.c. */
#include "sim_ptx.h"

/* 32 words a turn, 4 turns; the kernel writes from 128 on. */
static uint32_t memory[256];
static bool broken; /* ptxas refuses some, too */
static int rank;    /* 0: 2 */

static Bench bench(uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed, b.broken = broken;
    for (int i = 0; i < COUNT(memory); i++) memory[i] = (uint32_t)i;
    bench_buffer(&b, memory, sizeof memory);
    b.maps[b.num_maps++] = (MapBox){.base = (uint64_t)(uintptr_t)memory,
                                    .size = {8, 16},
                                    .stride = {4, 32},
                                    .box = {8, 4},
                                    .rank = (uint8_t)(rank ? rank : 2),
                                    .element_bytes = 4};
    return b;
}

static bool saw(const char *body, int threads, const char *words, uint64_t seed) {
    Bench b = bench(seed);
    return bench_ends(&b, mapped_text(b.arena, threads, body), 1, words);
}

/* Says the same in every order. */
static void expect(const char *body, int threads, const char *words) {
    for (uint64_t seed = 0; seed < 6; seed++) CHECK(saw(body, threads, words, seed));
}

/* Fails in some order, with these words or others. */
static void expect_caught(const char *body, int threads) {
    int caught = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        Bench b = bench(seed);
        CHECK(bench_run(&b, mapped_text(b.arena, threads, body), 1));
        caught += b.failure.status != TERN_OK;
        arena_free(b.arena);
    }
    if (!caught) printf("not caught:\n%s\n", body);
    CHECK(caught);
}

/* Fails in every order, with whatever words. */
static void expect_always(const char *body, int threads) {
    for (uint64_t seed = 0; seed < 24; seed++) {
        Bench b = bench(seed);
        CHECK(bench_run(&b, mapped_text(b.arena, threads, body), 1));
        CHECK(b.failure.status != TERN_OK);
        arena_free(b.arena);
    }
}

/* Says so in some order. */
static void expect_once(const char *body, int threads, const char *words) {
    int said = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        Bench b = bench(seed);
        CHECK(bench_run(&b, mapped_text(b.arena, threads, body), 1));
        said += strstr(b.failure.text, words) != NULL;
        arena_free(b.arena);
    }
    if (!said) printf("nowhere '%s':\n%s\n", words, body);
    CHECK(said);
}

#define HEAD                                                                                       \
    ".shared .align 1024 .b8 s[4096];\n"                                                           \
    "ld.param.u64 %d0, [param_0];\nmov.u64 %d4, map_0;\ncvta.param.u64 %d4, %d4;\n"                \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d2, %d0, %d1;\n"                    \
    "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n"                              \
    "setp.eq.u32 %p0, %r0, 0;\nsetp.lt.u32 %p1, %r0, 32;\n"
#define INIT(at, count)  "@%p0 mbarrier.init.shared.b64 [s+" at "], " count ";\n"
#define FENCE            "@%p0 fence.mbarrier_init.release.cluster;\n"
#define PROXY            "fence.proxy.async.shared::cta;\n"
#define SYNC             "bar.sync 0;\n"
#define BULK_STORE(dims) "cp.async.bulk.tensor." dims "d.global.shared::cta.tile.bulk_group"
#define BULK(dims)                                                                                 \
    "cp.async.bulk.tensor." dims "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
#define ARRIVE(bytes) "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [s+2048], " bytes ";\n"
#define COPY(to, row) "@%p0 " BULK("2") "[" to "], [%d4, {0, " row "}], [s+2048];\n"
#define WAIT(label, at, parity)                                                                    \
    label ":\nmbarrier.try_wait.parity.shared.b64 %p2, [s+" at "], " parity ";\n@!%p2 bra " label  \
          ";\n"
#define READ  "ld.shared.b32 %r4, [%r1];\nst.global.b32 [%d2+512], %r4;\n"
#define START HEAD INIT("2048", "1") FENCE SYNC

TEST(one_copy) {
    expect(START ARRIVE("128") COPY("s", "4") WAIT("W1", "2048", "0") READ, 32, NULL);
    for (int i = 0; i < 32; i++) CHECK(memory[128 + i] == 32u + (uint32_t)i);
    /* the copy first; bytes by themselves; the mbarrier in a register, whatever expects it */
    expect(START COPY("%r2", "4") ARRIVE("128") WAIT("W1", "2048", "0") READ, 32, NULL);
    expect(START "@%p0 mbarrier.expect_tx.shared.b64 [s+2048], 64;\n" COPY("s", "4") ARRIVE("64")
               WAIT("W1", "2048", "0") READ,
           32, NULL);
    expect(START
           "prefetch.tensormap [%d4];\nelect.sync %r5|%p3, -1;\nelect.sync _|%p0, -1;\n" ARRIVE(
               "128") COPY("s", "4") WAIT("W1", "2048", "0") READ,
           32, NULL);
    /* of what is outside: zeros */
    expect(START ARRIVE("128") COPY("s", "14") WAIT("W1", "2048", "0") READ, 32, NULL);
    for (int i = 0; i < 32; i++) CHECK(memory[128 + i] == (i < 16 ? 112u + (uint32_t)i : 0));
    expect(START ARRIVE("128") COPY("s", "-3") WAIT("W1", "2048", "0") READ, 32, NULL);
    for (int i = 0; i < 32; i++) CHECK(memory[128 + i] == (i < 24 ? 0 : (uint32_t)i - 24));
    expect(START ARRIVE("128") COPY("s", "2147483647") WAIT("W1", "2048", "0") READ, 32, NULL);
    /* read by others, who wait for themselves, or for a barrier behind */
    expect(START ARRIVE("128") COPY("s", "4")
               WAIT("W1", "2048",
                    "0") "@%p1 bra L9;\n"
                         "ld.shared.b32 %r4, [%r1+-128];\nst.global.b32 [%d2+512], %r4;\nL9:\n",
           64, NULL);
    expect(START ARRIVE("128") COPY("s", "4") "@!%p1 bra L8;\n" WAIT(
               "W1", "2048", "0") "L8:\n" SYNC
                                  "@%p1 bra L9;\nld.shared.b32 %r4, [%r1+-128];\nL9:\n",
           64, NULL);
}

/* One request: what is inside, in sectors of 32 bytes. */
TEST(what_is_counted) {
    Bench b = bench(0);
    CHECK(bench_run(
        &b, mapped_text(b.arena, 32, START ARRIVE("128") COPY("s", "14") WAIT("W1", "2048", "0")),
        1));
    CHECK(!b.failure.status);
    Count sum = {0};
    for (int i = 0; i < b.program->code.count; i++)
        if (b.program->code.data[i].op == SIM_BULK) sum = b.counts[i];
    CHECK(sum.requests == 1 && sum.useful_bytes == 64);
    CHECK(sum.sectors >= 2 && sum.sectors <= 4 && sum.ideal_sectors == 2);
    arena_free(b.arena);
}

TEST(rules_of_one_copy) {
    static const struct {
        const char *body, *words;
    } rows[] = {
        {START ARRIVE("256") COPY("s", "4") WAIT("W1", "2048", "0"), "and 128 bytes, "},
        {START ARRIVE("64") COPY("s", "4") WAIT("W1", "2048", "0"),
         "64 bytes more than the mbarrier at byte 2048 expects"},
        {START ARRIVE("0") COPY("s", "4") WAIT("W1", "2048", "0"), NULL},
        {START ARRIVE("1048576"), "an mbarrier that expects 1048576 bytes"},
        {START ARRIVE("128") "@%p0 mbarrier.arrive.shared.b64 _, [s+2048];\n" COPY("s", "4"),
         "1 arrivals at an mbarrier that waits for 0 more"},
        {START ARRIVE("128") COPY("s+64", "4"),
         "bulk copy to address 0x440 of shared memory, which is not a multiple of 128"},
        {START ARRIVE("128") COPY("s+4096", "4"), "bulk copy of 128 bytes outside shared memory"},
        {START ARRIVE("128") COPY("s+1920", "4") WAIT("W1", "2048", "0"), NULL},
        {START ARRIVE("128") COPY("s+2048", "4"), "that is of an mbarrier"},
        {HEAD INIT("2048", "1") SYNC ARRIVE("128") COPY("s", "4"),
         "has neither fence.mbarrier_init nor fence.proxy.async behind"},
        {HEAD FENCE INIT("2048", "1") SYNC ARRIVE("128") COPY("s", "4"), "has neither"},
        {HEAD INIT("2048", "1") PROXY SYNC ARRIVE("128") COPY("s", "4") WAIT("W1", "2048", "0"),
         NULL},
        {HEAD INIT("2048", "1") SYNC PROXY ARRIVE("128") COPY("s", "4") WAIT("W1", "2048", "0"),
         NULL},
        {HEAD COPY("s", "4"), "where there is no mbarrier"},
        {START COPY("s", "4") "@%p0 mbarrier.inval.shared.b64 [s+2048];\n" WAIT("W1", "2048", "0"),
         "where there is no mbarrier"},
        {START ARRIVE("128") COPY("s", "4"), "the block ends before its bulk copy has come"},
        {START ARRIVE("128") COPY("s", "4") READ, "to which a cp.async is under way"},
        {START ARRIVE("128") COPY("s", "4") "@%p0 st.shared.b32 [s+4], 1;\n",
         "to which a cp.async is under way"},
        {START ARRIVE("256") COPY("s", "4") COPY("s", "0"), "to which a cp.async is under way"},
        {START ARRIVE("128") "mov.u64 %d4, map_0;\n" COPY("s", "4"),
         "is not of a tensor map that the launch made"},
        {START ARRIVE("128") "mov.u64 %d4, %d0;\n" COPY("s", "4"), "is not of a tensor map"},
        {START "mov.u64 %d4, %d0;\nprefetch.tensormap [%d4];\n", "is not of a tensor map"},
        {START ARRIVE("128") "@%p0 " BULK("2") "[s], [%d4, {-2, 0}], [s+2048];\n",
         "from coordinate -2 of elements of 4 bytes, which is not a multiple of 16 bytes"},
        {START ARRIVE("128") "@%p0 " BULK("1") "[s], [%d4, {0}], [s+2048];\n",
         "a copy of 1 dimensions by a tensor map of 2"},
        /* written before: the async proxy must know */
        {START "st.shared.b32 [%r1], 5;\n" SYNC ARRIVE("128") COPY("s", "4"),
         "which warp 0 wrote without a fence.proxy.async behind"},
        {START "st.shared.b32 [%r1], 5;\n" PROXY SYNC ARRIVE("128") COPY("s", "4")
             WAIT("W1", "2048", "0") READ,
         NULL},
        {START "st.shared.b32 [%r1], 5;\n" SYNC PROXY ARRIVE("128") COPY("s", "4")
             WAIT("W1", "2048", "0") READ,
         NULL},
        /* or read, which needs an order only */
        {START ARRIVE("128") COPY("s", "4") WAIT("W1", "2048", "0") READ COPY("s", "0")
             ARRIVE("128") WAIT("W2", "2048", "1"),
         "race in shared memory"},
        {START ARRIVE("128") COPY("s", "4") WAIT("W1", "2048", "0") READ
         "bar.warp.sync -1;\n" ARRIVE("128") COPY("s", "0") WAIT("W2", "2048", "1"),
         NULL},
    };
    for (int i = 0; i < COUNT(rows); i++)
        if (i == 2) /* a phase of no bytes is over at once, or at the copy's end has too many */
            expect_caught(rows[i].body, 32);
        else
            expect(rows[i].body, 32, rows[i].words);
    /* a copy that is expected, and one that is not, of the same mbarrier */
    expect_once(START ARRIVE("128") COPY("s", "4") COPY("s+128", "8") WAIT("W1", "2048", "0"), 32,
                "goes on to its next phase while 1 bulk copies are under way that tell it");
    expect_once(START COPY("s", "4") "@%p0 mbarrier.arrive.shared.b64 _, [s+2048];\n" WAIT(
                    "W1", "2048", "0"),
                32, "goes on to its next phase while 1 bulk copies are under way");
    /* told to one mbarrier, waited for at another */
    expect_caught(
        START INIT("2056", "32") SYNC ARRIVE("128")
            COPY("s", "4") "mbarrier.arrive.shared.b64 _, [s+2056];\n" WAIT("W1", "2056", "0") READ,
        32);
    rank = 3;
    expect(START ARRIVE("128") COPY("s", "4"), 32, "a copy of 2 dimensions by a tensor map of 3");
    rank = 0;
}

/* Two copies by two mbarriers, of which one is waited for: what the other brought is not known,
 * also when it has come. */
TEST(who_waits_for_one_knows_of_that_only) {
    const char *both = START INIT("2056", "1") FENCE SYNC
        ARRIVE("128") "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [s+2056], 128;\n" COPY(
            "s",
            "4") "@%p0 " BULK("2") "[s+128], [%d4, {0, 8}], [s+2056];\n@!%p1 bra L5;\n" WAIT("W1",
                                                                                             "2048",
                                                                                             "0")
            WAIT("W2", "2056", "0") "bra L9;\nL5:\n";
    Arena *arena = arena_new(NULL);
    const char *end = "ld.shared.b32 %r4, [%r1];\nst.global.b32 [%d2+512], %r4;\nL9:\n";
    expect_once(str_format(arena, "%s%s%s", both, WAIT("W3", "2048", "0"), end).data, 64,
                "race in shared memory");
    expect(str_format(arena, "%s%s%s", both, WAIT("W3", "2056", "0"), end).data, 64, NULL);
    /* also where warps may meet by atomics */
    expect_always(str_format(arena, "%s%s%s%s", both, WAIT("W3", "2048", "0"),
                             "atom.acq_rel.gpu.global.add.u32 %r9, [%d0+1020], 0;\n", end)
                      .data,
                  64);
    arena_free(arena);
}

/* Warp 1 waits for a copy, and tells warp 2 of it by an atomic; without order it does not. */
TEST(who_waited_tells_others) {
    Arena *arena = arena_new(NULL);
    const char *form =
        START ARRIVE("128") COPY("s", "4") "@%p1 bra L9;\nsetp.lt.u32 %p3, %r0, 64;\n"
                                           "@%p3 bra L5;\nL4:\n"
                                           "atom.acquire.gpu.global.add.u32 %r9, [%d0+1020], 0;\n"
                                           "setp.eq.u32 %p4, %r9, 255;\n@%p4 bra L4;\n"
                                           "ld.shared.b32 %r4, [%r1+-256];\n"
                                           "st.global.b32 [%d2+512], %r4;\nbra L9;\nL5:\n" WAIT(
                                               "W1", "2048", "0") "setp.eq.u32 %p3, %r0, 32;\n"
                                                                  "bar.warp.sync -1;\n"
                                                                  "@%p3 red.PLACE.gpu.global.add"
                                                                  ".u32 [%d0+1020], 1;\nL9:\n";
    const char *at = strstr(form, "PLACE");
    for (int i = 0; i < 2; i++) {
        const char *text =
            str_format(arena, "%.*s%s%s", (int)(at - form), form, i ? "relaxed" : "release", at + 5)
                .data;
        if (i)
            expect_once(text, 96, "race in shared memory");
        else
            expect(text, 96, NULL);
    }
    arena_free(arena);
}

/* ---- a ring ---- */

/* Thread 0 copies 4 turns of 32 words into two slots, warp 1 reads them and adds them up. */
static const char ring_head[] =
    HEAD INIT("2048", "1") INIT("2056", "1") INIT("2064", "32") INIT("2072", "32") FENCE SYNC
    "and.b32 %r5, %r0, 31;\nshl.b32 %r5, %r5, 2;\nadd.s32 %r5, %r5, %r2;\n"
    "mov.u32 %r6, 0;\nmov.u32 %r10, 0;\n"
    "L1:\nand.b32 %r7, %r6, 1;\nshl.b32 %r8, %r7, 3;\nadd.s32 %r8, %r8, %r2;\n"
    "shl.b32 %r9, %r7, 7;\nadd.s32 %r14, %r9, %r2;\nadd.s32 %r9, %r9, %r5;\n"
    "shr.u32 %r11, %r6, 1;\nand.b32 %r11, %r11, 1;\n"
    "xor.b32 %r12, %r11, 1;\nshl.b32 %r15, %r6, 2;\n@!%p1 bra L5;\n@!%p0 bra L7;\n";
static const char ring_tail[] =
    "L7:\nadd.s32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 4;\n@%p3 bra L1;\n"
    "@%p1 bra L9;\nst.global.b32 [%d2+384], %r10;\nL9:\n";
#define WAIT_EMPTY "W1: mbarrier.try_wait.parity.shared.b64 %p4, [%r8+2064], %r12;\n@!%p4 bra W1;\n"
#define WAIT_FULL  "W2: mbarrier.try_wait.parity.shared.b64 %p4, [%r8+2048], %r11;\n@!%p4 bra W2;\n"
#define EXPECT     "mbarrier.arrive.expect_tx.shared.b64 _, [%r8+2048], 128;\n"
#define TAKE       BULK("2") "[%r14], [%d4, {0, %r15}], [%r8+2048];\n"
#define USE        "bra L7;\nL5:\n"
#define ADD        "ld.shared.b32 %r13, [%r9];\nadd.s32 %r10, %r10, %r13;\n"
#define GIVE       "mbarrier.arrive.shared.b64 _, [%r8+2064];\n"

static const char *ring(Arena *arena, const char *a, const char *b, const char *c, const char *d) {
    return str_format(arena, "%s%s%s%s%s%s%s%s", ring_head, a, b, USE, c, ADD, d, ring_tail).data;
}

TEST(a_ring) {
    Arena *arena = arena_new(NULL);
    for (uint64_t seed = 0; seed < 16; seed++) {
        CHECK(saw(ring(arena, WAIT_EMPTY, EXPECT TAKE, WAIT_FULL, GIVE), 64, NULL, seed));
        for (uint32_t i = 0; i < 32; i++) CHECK(memory[128 + i] == 4 * i + 32 + 64 + 96);
    }
    expect(ring(arena, WAIT_EMPTY, TAKE EXPECT, WAIT_FULL, GIVE), 64, NULL);
    expect_caught(ring(arena, "", EXPECT TAKE, WAIT_FULL, GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, EXPECT, WAIT_FULL, GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, TAKE, WAIT_FULL, GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, EXPECT TAKE, "", GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, EXPECT TAKE, WAIT_FULL, ""), 64);
    /* arrives, and expects nothing */
    expect_caught(ring(arena, WAIT_EMPTY, "mbarrier.arrive.shared.b64 _, [%r8+2048];\n" TAKE,
                       WAIT_FULL, GIVE),
                  64);
    /* given back before it is read; before it was waited for */
    expect_caught(ring(arena, WAIT_EMPTY, EXPECT TAKE, WAIT_FULL GIVE, ""), 64);
    expect_caught(ring(arena, WAIT_EMPTY, EXPECT TAKE, GIVE WAIT_FULL, ""), 64);
    arena_free(arena);
}

/* ---- products ---- */

/* A box of 64 rows of 64 f16, with the swizzle of 128 bytes, is A and B of a product. */
static uint16_t halves[64 * 64];

static bool multiplies(const char *between, const char *words, uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed;
    for (int i = 0; i < COUNT(halves); i++) halves[i] = (uint16_t)(0x3c00 + i % 7);
    bench_buffer(&b, halves, sizeof halves);
    b.maps[b.num_maps++] = (MapBox){.base = (uint64_t)(uintptr_t)halves,
                                    .size = {64, 64},
                                    .stride = {2, 128},
                                    .box = {64, 64},
                                    .rank = 2,
                                    .element_bytes = 2,
                                    .swizzle = 128};
    const char *copy = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [s+8192], 8192;\n@%p0 " BULK(
        "2") "[s], [%d4, {0, 0}], [s+8192];\n";
    static const char begin[] =
        ".shared .align 1024 .b8 s[8200];\nmov.u64 %d4, map_0;\ncvta.param.u64 %d4, %d4;\n"
        "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\n" INIT("8192", "1") FENCE SYNC;
    static const char multiply[] =
        WAIT("W1", "8192",
             "0") "mov.u64 %d5, 0x4000004000010040;\nsetp.ne.u32 %p3, %r0, %r0;\n"
                  "wgmma.fence.sync.aligned;\n"
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r20, %r21, %r22, %r23}, "
                  "%d5, %d5, %p3, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n";
    static const char end[] = WAIT("W2", "8192", "1") "wgmma.wait_group.sync.aligned 0;\n";
    const char *body =
        str_format(b.arena, "%s%s%s%s%s%s", begin, copy, multiply, between, copy, end).data;
    return bench_ends(&b, mapped_text(b.arena, 128, body), 1, words);
}

TEST(products_read_what_was_copied) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        CHECK(multiplies("wgmma.wait_group.sync.aligned 0;\nbar.sync 0;\n", NULL, seed));
        /* what is still read is written over */
        CHECK(multiplies("bar.sync 0;\n", "race in shared memory: what this wgmma reads", seed));
    }
}

/* ---- what is no PTX, of a version or a target ---- */

TEST(what_stands_where) {
#define BULK_TO(to) "cp.async.bulk.tensor.2d." to ".global.tile.mbarrier::complete_tx::bytes "
    static const Form rows[] = {
        {"8.0", "sm_90", BULK("2") "[s], [%d1, {%r1, %r2}], [s+8];", NULL},
        {"8.0", "sm_90a", BULK("2") "[%r3+128], [%d1, {0, -1}], [%r4+8];", NULL},
        {"8.0", "sm_90",
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1, "
         "{%r1, %r2}], [s+8];",
         NULL},
        {"7.8", "sm_90", BULK("2") "[s], [%d1, {%r1, %r2}], [s+8];", "a version"},
        {"8.0", "sm_80", BULK("2") "[s], [%d1, {%r1, %r2}], [s+8];", "a target"},
        {"8.0", "sm_90", BULK_TO("shared::cta") "[s], [%d1, {%r1, %r2}], [s+8];", "a version"},
        {"8.6", "sm_90", BULK_TO("shared::cta") "[s], [%d1, {%r1, %r2}], [s+8];", NULL},
        {"8.0", "sm_90", BULK_TO("shared") "[s], [%d1, {%r1, %r2}], [s+8];", "this instruction"},
        {"8.0", "sm_90", BULK("1") "[s], [%d1, {%r1}], [s+8];", NULL},
        {"8.0", "sm_90", BULK("5") "[s], [%d1, {%r1, %r1, %r1, %r1, %r1}], [s+8];", NULL},
        {"8.0", "sm_90", BULK("6") "[s], [%d1, {%r1, %r1, %r1, %r1, %r1, 0}], [s+8];", "this ins"},
        {"8.0", "sm_90", BULK("2") "[s], [%d1, {%r1}], [s+8];", "takes 5 operands, not 4"},
        {"8.0", "sm_90", BULK("2") "[s], [%d1, {%r1, %r2, 0}], [s+8];", "takes 5 operands, not 6"},
        {"8.0", "sm_90", BULK("1") "[s], [%d1, %r1], [s+8];", "coordinates of a texture"},
        {"8.0", "sm_90", BULK("1") "[s], [%d1, {%d2}], [s+8];", "does not fit"},
        {"8.0", "sm_90", BULK("1") "[s], [%d1+64, {0}], [s+8];", "does not fit"},
        {"8.0", "sm_90", BULK("1") "[s], [s, {0}], [s+8];", "does not fit"},
        {"8.0", "sm_90", BULK("1") "[s, {0}], [%d1], [s+8];", "does not fit"},
        {"8.0", "sm_90", BULK("1") "[s], [%d1], {0}, [s+8];", "does not fit"},
        {"8.0", "sm_90", BULK("1") "[%d1], [%d1, {0}], [s+8];", "an address of 64 bits"},
        {"8.0", "sm_90",
         "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {%r1, %r2}], [s];",
         NULL},
        {"8.0", "sm_90", BULK_STORE("1") " [%d1, {%r1}], [%r2+16];", NULL},
        {"7.8", "sm_90", BULK_STORE("1") " [%d1, {%r1}], [s];", "a version"},
        {"8.0", "sm_80", BULK_STORE("1") " [%d1, {%r1}], [s];", "a target"},
        {"8.0", "sm_90", BULK_STORE("2") " [%d1, {%r1}], [s];", "takes 4 operands, not 3"},
        {"8.0", "sm_90", BULK_STORE("1") " [%d1+64, {%r1}], [s];", "does not fit"},
        {"8.0", "sm_90", BULK_STORE("1") " [%d1], [s, {%r1}];", "does not fit"},
        {"8.0", "sm_90", BULK_STORE("1") " [%d1, {%r1}], [%d2];", "an address of 64 bits"},
        {"8.0", "sm_90", BULK_STORE("1") ".L2::cache_hint [%d1, {%r1}], [s], %d2;", "this ins"},
        {"8.0", "sm_90", "cp.async.bulk.commit_group;", NULL},
        {"8.0", "sm_90", "cp.async.bulk.wait_group 0;", NULL},
        {"8.0", "sm_90", "cp.async.bulk.wait_group.read 3;", NULL},
        {"8.0", "sm_90", "cp.async.bulk.wait_group.read %r1;", "does not fit"},
        {"8.0", "sm_90", "cp.async.bulk.wait_group.write 0;", "this instruction"},
        {"7.8", "sm_90", "cp.async.bulk.wait_group 0;", "a version"},
        {"8.0", "sm_80", "cp.async.bulk.commit_group;", "a target"},
        {"8.0", "sm_90", "ld.global.b32 %r1, [%d1, {0}];", "coordinates of a texture"},
        {"8.0", "sm_90", "mbarrier.arrive.expect_tx.shared.b64 _, [s], 0;", NULL},
        {"8.0", "sm_90", "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [s], %r1;", NULL},
        {"8.0", "sm_90", "mbarrier.arrive.expect_tx.release.cta.shared.b64 _, [s], 16;", NULL},
        {"8.0", "sm_90", "mbarrier.arrive.release.cta.expect_tx.shared.b64 _, [s], 16;", "this"},
        {"8.0", "sm_90", "mbarrier.arrive.expect_tx.shared.b64 _, [s];", "takes 3 operands"},
        {"7.8", "sm_90", "mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;", "a version"},
        {"8.0", "sm_80", "mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;", "a target"},
        {"8.0", "sm_90", "mbarrier.expect_tx.shared.b64 [s], 16;", NULL},
        {"8.0", "sm_90", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], %r1;", NULL},
        {"7.8", "sm_90", "mbarrier.expect_tx.shared.b64 [s], 16;", "a version"},
        {"8.0", "sm_90", "prefetch.tensormap [%d1];", NULL},
        {"7.8", "sm_90", "prefetch.tensormap [%d1];", "a version"},
        {"8.0", "sm_80", "prefetch.tensormap [%d1];", "a target"},
        {"8.0", "sm_90", "elect.sync %r1|%p1, -1;", NULL},
        {"8.0", "sm_90", "elect.sync _|%p1, %r2;", NULL},
        {"8.0", "sm_90", "elect.sync %p1, -1;", "takes 3 operands, not 2"},
        {"7.8", "sm_90", "elect.sync %r1|%p1, -1;", "a version"},
        {"8.0", "sm_80", "elect.sync %r1|%p1, -1;", "a target"},
        {"7.7", "sm_80", "mov.u64 %d1, map_0;\ncvta.param.u64 %d1, %d1;", NULL},
        {"7.6", "sm_80", "mov.u64 %d1, map_0;\ncvta.param.u64 %d1, %d1;", "a version"},
        {"8.0", "sm_90", "mov.u64 %d1, p;", "the address of a parameter"}, /* not a map's */
    };
    static const char head[] =
        "(.param .u64 p, .param .align 64 .b8 map_0[128])\n.reqntid 128, 1, 1\n{\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 128 .b8 s[256];\n";
    for (int i = 0; i < COUNT(rows); i++) CHECK(form_is_as_said(&rows[i], head));
}

/* Broken text is refused, or fails, or runs, and stays within its memory. */
TEST(broken_rings) {
    static const char signs[] = "0123456789%rdp.,;[]+-@!_:bLsu{}\n";
    uint64_t state = 7;
    int ran = 0;
    for (int round = 0; round < 1200; round++) {
        Bench b = bench((uint64_t)round & 3);
        const char *text =
            mapped_text(b.arena, 64, ring(b.arena, WAIT_EMPTY, EXPECT TAKE, WAIT_FULL, GIVE));
        char *bad = (char *)(uintptr_t)str_copy(b.arena, str_of(text)).data;
        for (int i = 0; i < 1 + round % 3; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (state >> 33) % strlen(text);
            while (round & 1 && at && !(bad[at] >= '0' && bad[at] <= '9')) at--;
            bad[at] = signs[(state >> 20) % (round & 1 ? 10 : sizeof signs - 1)];
        }
        b.budget = 20000, b.broken = true;
        ran += bench_run(&b, bad, 2);
        arena_free(b.arena);
    }
    CHECK(ran > 100 && ran < 1150);
}

TEST_MAIN()
