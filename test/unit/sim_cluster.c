// SPDX-License-Identifier: Apache-2.0
/* What the simulator says of clusters: texts that keep the rules, and for each rule some that do
 * not. */
#include "sim_ptx.h"

static uint32_t memory[256];

#define CLUSTER "\n.explicitcluster\n.reqnctapercluster 4, 1, 1\n"

static const char *cluster_text(Arena *arena, const char *directives, int threads,
                                const char *body) {
    Str text = str_format(
        arena,
        ".version 8.1\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 param_0)\n"
        ".reqntid %d, 1, 1%s{\n.reg .pred %%p<9>;\n.reg .b32 %%r<33>;\n.reg .b64 %%d<9>;\n"
        ".shared .align 16 .b8 s[1024];\n"
        "ld.param.u64 %%d0, [param_0];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\n"
        "mov.u32 %%r2, %%cluster_ctarank;\nmul.wide.u32 %%d1, %%r1, 4;\nadd.s64 %%d1, %%d0, %%d1;\n"
        "mov.u32 %%r3, s;\nshl.b32 %%r4, %%r2, 2;\nadd.s32 %%r4, %%r3, %%r4;\n"
        "add.s32 %%r5, %%r2, 1;\nand.b32 %%r5, %%r5, 3;\n" /* the next block */
        "setp.lt.u32 %%p0, %%r0, 4;\nsetp.eq.u32 %%p1, %%r0, 0;\nsetp.lt.u32 %%p2, %%r0, 32;\n"
        "setp.eq.u32 %%p3, %%r2, 0;\n%s\nret;\n}\n",
        threads, directives, body);
    return text.data;
}

static bool saw(const char *directives, const char *body, int threads, uint32_t blocks,
                const char *words, uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed;
    for (int i = 0; i < COUNT(memory); i++) memory[i] = 7777;
    bench_buffer(&b, memory, sizeof memory);
    return bench_ends(&b, cluster_text(b.arena, directives, threads, body), blocks, words);
}

/* Says the same in every order. */
static void expect(const char *body, int threads, uint32_t blocks, const char *words) {
    for (uint64_t seed = 0; seed < 8; seed++)
        CHECK(saw(CLUSTER, body, threads, blocks, words, seed));
}

#define MEET  "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n"
#define SYNC  "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define LOOSE "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;\n"
/* Lane i < 4 of warp 0 of block r writes what %r8 holds to word r of block i. */
#define PUSH    "mapa.shared::cluster.u32 %r6, %r4, %r7;\n@%p0 st.shared::cluster.b32 [%r6], %r8;\n"
#define PUSH_16 "@%p0 st.shared::cluster.b32 [%r6+16], %r8;\n"
#define SUM(at)                                                                                    \
    "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [s+" at "];\nadd.s32 %r10, %r10, %r11;\n"          \
    "add.s32 %r12, %r12, %r13;\nadd.s32 %r10, %r10, %r12;\n"
#define GUARD "and.b32 %r7, %r0, 3;\n" /* a rank for each lane */
#define VALUE "mul.lo.s32 %r8, %r1, 10;\n"
#define OUT   "@%p1 st.global.b32 [%d1], %r10;\n"

static void check_sums(uint32_t blocks, uint32_t factor) {
    for (uint32_t i = 0; i < COUNT(memory); i++) {
        uint32_t first = i / 4 * 4;
        uint32_t want = i < blocks ? factor * 10 * (4 * first + 6) : 7777;
        CHECK(memory[i] == want);
    }
}

TEST(blocks_add_what_each_has) {
    for (int threads = 32; threads <= 128; threads += 96)
        for (uint64_t seed = 0; seed < 8; seed++) {
            CHECK(saw(CLUSTER, VALUE GUARD MEET PUSH SYNC SUM("0") OUT, threads, 12, NULL, seed));
            check_sums(12, 1);
            /* again, of what that was, in other words of shared memory */
            CHECK(saw(CLUSTER,
                      VALUE GUARD MEET PUSH SYNC SUM("0") "mov.b32 %r8, %r10;\n" PUSH_16 SYNC SUM(
                          "16") OUT,
                      threads, 12, NULL, seed));
            check_sums(12, 4);
        }
}

/* Each reads what the next one wrote for itself, which stays until it was read. */
#define PULL                                                                                       \
    "@%p1 st.shared.b32 [s], %r8;\n" SYNC                                                          \
    "mapa.shared::cluster.u32 %r6, s, %r5;\n@%p1 ld.shared::cluster.b32 %r10, [%r6];\n"
TEST(a_block_reads_what_the_next_one_wrote) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        CHECK(saw(CLUSTER, VALUE PULL OUT SYNC, 64, 8, NULL, seed));
        for (uint32_t i = 0; i < 8; i++) CHECK(memory[i] == 10 * (i / 4 * 4 + (i + 1) % 4));
    }
    expect(VALUE PULL OUT, 64, 8, "end");
    expect(VALUE PULL OUT LOOSE, 64, 8, "the block ends, and nothing orders that");
    /* one warp of it knows, that is enough */
    expect(VALUE PULL OUT "barrier.cluster.arrive;\n@!%p2 bra L1;\nbarrier.cluster.wait;\nL1:\n",
           64, 8, NULL);
}

/* Both warps of each block have read what block 0 has; it hears that of all but some. */
#define READ_0                                                                                     \
    "@%p1 st.shared.b32 [s], %r8;\n" SYNC                                                          \
    "mapa.shared::cluster.u32 %r6, s, 0;\nand.b32 %r9, %r0, 31;\nsetp.eq.u32 %p6, %r9, 0;\n"       \
    "@%p6 ld.shared::cluster.b32 %r10, [%r6];\nsetp.eq.u32 %p5, %r2, 2;\n"
TEST(all_that_read_are_waited_for) {
    expect(VALUE READ_0 SYNC, 64, 4, NULL);
    expect(VALUE READ_0 "@%p2 barrier.cluster.arrive.release;\n"
                        "@!%p2 barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n",
           64, 4, "the block ends, and nothing orders that");
    expect(VALUE READ_0 "@!%p5 barrier.cluster.arrive.release;\n"
                        "@%p5 barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n",
           64, 4, "the block ends, and nothing orders that");
}

TEST(who_reaches_out_has_met_the_other) {
    expect(VALUE GUARD PUSH SYNC SUM("0") OUT, 32, 8, "which may not have begun");
    /* to itself it may, by mapa and without */
    expect(VALUE
           "mapa.shared::cluster.u32 %r6, %r3, %r2;\n@%p1 st.shared::cluster.b32 [%r6+4], %r8;\n"
           "@%p1 ld.shared::cluster.b32 %r10, [s+4];\n@%p1 ld.shared.b32 %r10, [%r3+4];\n" OUT,
           32, 8, NULL);
    for (uint32_t i = 0; i < 8; i++) CHECK(memory[i] == 10 * i);
}

TEST(what_was_done_before_an_arrival_is_known_behind_the_wait) {
    expect(VALUE GUARD MEET PUSH LOOSE SUM("0") OUT, 32, 8, "race in shared memory");
    /* without a barrier: in some order the sum is read before it is there */
    expect(VALUE GUARD MEET "@%p0 st.shared.b32 [%r3+512], %r8;\nst.shared.b32 [%r3], %r8;\n", 32,
           4, "race in shared memory");
    /* the words of the round before are still read */
    expect(VALUE GUARD MEET PUSH SYNC SUM("0") "mov.b32 %r8, %r10;\n@%p0 st.shared::cluster.b32 "
                                               "[%r6], %r8;\n" SYNC SUM("0") OUT,
           32, 8, "race in shared memory");
    /* who waits late knows no more than what stands before the arrivals of that phase */
    for (int late = 0; late < 2; late++)
        expect(
            late ? "barrier.cluster.arrive;\nmov.u32 %r9, 0;\nL1:\nadd.s32 %r9, %r9, 1;\n"
                   "setp.lt.u32 %p5, %r9, 20000;\n@!%p3 bra L2;\n@%p5 bra L1;\nL2:\n"
                   "barrier.cluster.wait;\n"
                   "mapa.shared::cluster.u32 %r6, %r3, 0;\nadd.s32 %r9, %r0, %r2;\n"
                   "setp.eq.u32 %p6, %r1, 1;\nand.pred %p6, %p6, %p1;\n"
                   "@%p6 st.shared::cluster.b32 [%r6], %r1;\n@%p3 st.shared.b32 [%r3], %r8;\n" SYNC
                 : MEET "mapa.shared::cluster.u32 %r6, %r3, 0;\nsetp.eq.u32 %p6, %r1, 1;\n"
                        "and.pred %p6, %p6, %p1;\n@%p6 st.shared::cluster.b32 [%r6], %r1;\n" SYNC
                        "@%p3 st.shared.b32 [%r3], %r8;\n@%p3 ld.shared.b32 %r8, [%r3];\n",
            32, 4, "race in shared memory");
    /* global memory, too */
    expect("@%p1 st.global.b32 [%d1], %r1;\n" SYNC
           "@%p3 ld.global.b32 %r10, [%d1+12];\n@%p3 st.global.b32 [%d1+64], %r10;\n",
           32, 4, NULL);
    CHECK(memory[16] == 3);
    for (uint64_t seed = 0; seed < 8; seed++) {
        bool written =
            saw(CLUSTER,
                "@%p1 st.global.b32 [%d1], %r1;\n" LOOSE
                "@%p3 ld.global.b32 %r10, [%d1+12];\n@%p3 st.global.b32 [%d1+64], %r10;\n",
                32, 4, "race in global memory", seed);
        CHECK(written);
    }
}

TEST(arrivals_and_waits_in_turn) {
    expect("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n", 32, 4, "a second time");
    expect("barrier.cluster.wait;\n", 32, 4, "without having arrived");
    expect(SYNC "barrier.cluster.wait;\n", 32, 4, "without having arrived");
    expect(SYNC SYNC MEET LOOSE "barrier.cluster.arrive;\n", 96, 8, NULL);
    expect("@%p1 barrier.cluster.arrive;\n", 32, 4, "divergent code");
    /* who has ended is not waited for: warps, and blocks */
    expect("@!%p2 ret;\n" SYNC, 64, 8, NULL);
    expect("@!%p3 bra L1;\nret;\nL1:\n" SYNC, 64, 8, NULL);
    /* warp 1 waits in the block for warp 0, which waits for it in the cluster */
    expect("@%p2 bra L1;\nbar.sync 0;\nL1:\n" SYNC "@!%p2 bra L2;\nbar.sync 0;\nL2:\n", 64, 4,
           "waits for the other blocks of the cluster");
    expect("@%p2 bra L1;\nbar.sync 0;\nL1:\n" SYNC "@!%p2 bra L2;\nbar.sync 0;\nL2:\n", 64, 4,
           "deadlock");
}

TEST(addresses_of_others) {
    expect(MEET "mapa.shared::cluster.u32 %r6, %r3, 4;\n", 32, 4, "block 4 of a cluster of 4");
    expect(MEET "mapa.shared::cluster.u32 %r6, %r3, %r5;\nmapa.shared::cluster.u32 %r6, %r6, 0;\n",
           32, 4, "no address of the block's own");
    expect(MEET "mapa.shared::cluster.u32 %r6, %r3, %r5;\n"
                "@%p1 st.shared::cluster.b32 [%r6+1024], %r8;\n",
           32, 4, "store of 4 bytes outside shared memory, which has 1024 bytes: at byte 1024");
    expect(MEET "mapa.shared::cluster.u32 %r6, %r3, %r5;\n@%p1 ld.shared.b32 %r8, [%r6];\n", 32, 4,
           "outside shared memory");
    expect(MEET
           "mapa.shared::cluster.u32 %r6, %r3, %r5;\n@%p1 ld.shared::cluster.b32 %r8, [%r6];\n",
           32, 4, "load of shared memory that nobody wrote");
    expect(MEET "add.s32 %r6, %r3, 0x5000000;\n@%p1 ld.shared::cluster.b32 %r8, [%r6];\n", 32, 4,
           "no address in the cluster's shared memory");
    /* block 1 has ended; in an order where it has not, it may end at any time */
    expect(MEET
           "setp.eq.u32 %p5, %r2, 1;\n@%p5 ret;\n"
           "add.s32 %r9, %r0, %r2;\nsetp.eq.u32 %p6, %r9, 0;\n"
           "mapa.shared::cluster.u32 %r6, %r3, 1;\n@%p6 st.shared::cluster.b32 [%r6], %r1;\n" SYNC,
           32, 4, "end");
}

/* ---- st.async ---- */

#define MBARRIER(at, bytes)                                                                        \
    "@%p1 mbarrier.init.shared.b64 [%r3+" at "], 1;\n"                                             \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3+" at "], " bytes ";\n"
#define FENCE "@%p1 fence.mbarrier_init.release.cluster;\n"
#define BEGIN VALUE GUARD MBARRIER("512", "16") FENCE MEET
#define THERE "mapa.shared::cluster.u32 %r6, %r4, %r7;\nmapa.shared::cluster.u32 %r9, %r3, %r7;\n"
#define ASYNC "st.async.shared::cluster.mbarrier::complete_tx::bytes"
#define SEND  THERE "@%p0 " ASYNC ".b32 [%r6], %r8, [%r9+512];\n"
#define WAIT_OF(at, parity, scope, label)                                                          \
    label ":\nmbarrier.try_wait.parity.acquire." scope ".shared::cta.b64 %p4, [%r3+" at            \
          "], " parity ";\n@!%p4 bra " label ";\n"
#define WAIT WAIT_OF("512", "0", "cluster", "W1")

TEST(blocks_send_what_each_has) {
    static const char *const once[] = {
        BEGIN SEND WAIT SUM("0") OUT,
        /* the fence is not needed where all is released; an mbarrier may be told before */
        VALUE GUARD MBARRIER("512", "16") SYNC SEND WAIT SUM("0") OUT,
        VALUE GUARD "@%p1 mbarrier.init.shared.b64 [%r3+512], 1;\n" FENCE MEET SEND
                    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3+512], 16;\n" WAIT SUM("0")
                        OUT,
        /* one warp waits for the others */
        BEGIN SEND "@!%p2 bra L1;\n" WAIT "L1:\nbar.sync 0;\n" SUM("0") OUT};
    for (int threads = 32; threads <= 128; threads += 96)
        for (uint64_t seed = 0; seed < 8; seed++) {
            for (int i = 0; i < COUNT(once); i++) {
                CHECK(saw(CLUSTER, once[i], threads, 12, NULL, seed));
                check_sums(12, 1);
            }
            CHECK(saw(CLUSTER,
                      VALUE GUARD MBARRIER("512", "16") MBARRIER("520", "16")
                          FENCE MEET SEND WAIT SUM("0") "mov.b32 %r8, %r10;\n@%p0 " ASYNC
                                                        ".b32 [%r6+16], %r8, [%r9+520];\n" WAIT_OF(
                                                            "520", "0", "cluster", "W2") SUM("16")
                                                            OUT,
                      threads, 12, NULL, seed));
            check_sums(12, 4);
        }
}

TEST(words_and_vectors_are_sent) {
    static const char *const rows[] = {
        ".v4.b32 [%r6], {%r10, %r11, %r12, %r13}",
        ".v2.b64 [%r6], {%d2, %d3}",
        ".v2.u64 [%r6], {%d2, %d3}",
        ".v4.f32 [%r6], {%r10, %r11, %r12, %r13}",
        ".b64 [%r6+8], %d3, [%r9+512];\n@%p1 " ASYNC ".v2.s32 [%r6], {%r10, %r11}",
        ".s32 [%r6+12], %r13, [%r9+512];\n@%p1 " ASYNC ".f32 [%r6+8], %r12, [%r9+512];\n@%p1 " ASYNC
        ".f64 [%r6], %d2",
    };
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(rows); i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            /* lane 0 of each block to the next one: rank * 10 + 1, 2, 3, 4 */
            Buf body = {.arena = arena};
            buf_puts(&body, MBARRIER("512", "16") FENCE MEET
                     "mul.lo.s32 %r8, %r2, 10;\nadd.s32 %r10, %r8, 1;\nadd.s32 %r11, %r8, 2;\n"
                     "add.s32 %r12, %r8, 3;\nadd.s32 %r13, %r8, 4;\n"
                     "mov.b64 %d2, {%r10, %r11};\nmov.b64 %d3, {%r12, %r13};\n"
                     "mapa.shared::cluster.u32 %r6, %r3, %r5;\nmov.b32 %r9, %r6;\n@%p1 " ASYNC);
            buf_puts(&body, rows[i]);
            buf_puts(&body,
                     ", [%r9+512];\n" WAIT "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3];\n"
                     "mul.wide.u32 %d4, %r1, 16;\nadd.s64 %d4, %d0, %d4;\n"
                     "@%p1 st.global.v4.b32 [%d4], {%r10, %r11, %r12, %r13};\n");
            CHECK(saw(CLUSTER, body.data, 32, 8, NULL, seed));
            for (uint32_t k = 0; k < 32; k++) {
                uint32_t from = (k / 4 + 3) % 4;
                CHECK(memory[k] == from * 10 + k % 4 + 1);
            }
        }
    arena_free(arena);
}

/* The scope of a block is enough for what comes from it; and what is known is handed on. */
TEST(who_knows_of_what_was_sent) {
    expect(VALUE MBARRIER("512", "4") FENCE MEET
           "@%p1 " ASYNC ".b32 [%r3], %r8, [%r3+512];\n" WAIT_OF(
               "512", "0", "cta", "W1") "@%p1 ld.shared.b32 %r10, [%r3];\n" OUT,
           32, 8, NULL);
    for (uint32_t i = 0; i < 8; i++) CHECK(memory[i] == 10 * i);
    expect(BEGIN SEND WAIT_OF("512", "0", "cta", "W1") SUM("0") OUT, 32, 8,
           "race in shared memory: this read is not ordered with an st.async");
    expect(BEGIN SEND WAIT SYNC "mapa.shared::cluster.u32 %r6, s, %r5;\n"
                                "@%p1 ld.shared::cluster.b32 %r10, [%r6];\n" OUT SYNC,
           64, 8, NULL);
    for (uint32_t i = 0; i < 8; i++) CHECK(memory[i] == 10 * (i / 4 * 4));
    /* .. at the cluster's barrier not by an arrival that is relaxed */
    expect(BEGIN SEND WAIT LOOSE "mapa.shared::cluster.u32 %r6, s, %r5;\n"
                                 "@%p1 ld.shared::cluster.b32 %r10, [%r6];\n" OUT SYNC,
           64, 8, "shared memory");
    /* block 0 is sent to, and waits; the others may have ended by then */
    expect(VALUE GUARD "setp.eq.u32 %p5, %r7, 0;\nand.pred %p0, %p0, %p5;\n" MBARRIER("512", "16")
               FENCE MEET SEND "@!%p3 ret;\n" WAIT SUM("0") OUT,
           32, 8, NULL);
    CHECK(memory[0] == 60 && memory[4] == 220 && memory[1] == 7777);
}

TEST(what_is_sent_is_waited_for) {
    static const struct {
        const char *body, *words;
    } rows[] = {
        {BEGIN SEND SUM("0") OUT WAIT, "shared memory"},
        {BEGIN SEND, "the block ends"},
        {BEGIN SEND "@!%p3 ret;\n" WAIT SUM("0") OUT, "the block ends"},
        {VALUE GUARD MBARRIER("512", "16") MEET SEND WAIT SUM("0") OUT,
         "st.async that tells an mbarrier is not ordered with the mbarrier's init"},
        {VALUE GUARD MBARRIER("512", "16") FENCE SEND WAIT SUM("0") OUT,
         "which may not have begun"},
        {VALUE GUARD FENCE MEET SEND WAIT SUM("0") OUT, "where there is no mbarrier: byte 512"},
        {VALUE GUARD FENCE MEET MBARRIER("512", "16") SEND WAIT SUM("0") OUT, "mbarrier"},
        {VALUE GUARD MBARRIER("512", "12") FENCE MEET SEND WAIT SUM("0") OUT, " "},
        {VALUE GUARD MBARRIER("512", "20") FENCE MEET SEND WAIT SUM("0") OUT, "and 4 bytes"},
        {VALUE GUARD "@%p1 mbarrier.init.shared.b64 [%r3+512], 1;\n" FENCE MEET SEND
                     "@%p1 mbarrier.arrive.shared.b64 _, [%r3+512];\n" WAIT SUM("0") OUT,
         " "},
        {VALUE GUARD "@%p1 mbarrier.init.shared.b64 [%r3+512], 1;\n" FENCE MEET SEND WAIT SUM("0")
             OUT,
         "1 of 1 have not come"},
        {BEGIN SEND WAIT SUM("0") OUT
         "bar.warp.sync -1;\n@%p1 mbarrier.inval.shared.b64 [%r3+512];\n",
         NULL},
        {BEGIN SEND "@%p1 mbarrier.inval.shared.b64 [%r3+512];\n", "mbarrier"},
        /* an mbarrier of another block than the word */
        {BEGIN "mapa.shared::cluster.u32 %r6, %r3, %r5;\n@%p1 " ASYNC
               ".b32 [%r6], %r8, [%r3+512];\n",
         "that tells an mbarrier of block"},
        {BEGIN THERE "@%p0 " ASYNC ".b32 [%r6], %r8, [%r9+516];\n", "not a multiple of that"},
        {BEGIN THERE "@%p0 " ASYNC ".b32 [%r6+512], %r8, [%r9+512];\n", " "},
        {BEGIN THERE "@%p0 " ASYNC ".b64 [%r6+4], %d0, [%r9+512];\n", " "},
        /* nothing else that the sender did is told of */
        {BEGIN THERE "@%p0 st.shared::cluster.b32 [%r6+16], %r8;\n@%p0 " ASYNC
                     ".b32 [%r6], %r8, [%r9+512];\n" WAIT SUM("16") OUT SYNC,
         "shared memory"},
        {BEGIN "@%p1 st.global.b32 [%d1], %r1;\n" SEND WAIT
               "@%p3 ld.global.b32 %r10, [%d1+12];\n@%p3 st.global.b32 [%d1+64], %r10;\n",
         "race in global memory"},
        /* the same words again, which are still to be read; and by two at once */
        {VALUE GUARD MBARRIER("512", "16") MBARRIER("520", "16") FENCE MEET SEND WAIT SUM(
             "0") "@%p0 " ASYNC ".b32 [%r6], %r8, [%r9+520];\n" WAIT_OF("520", "0", "cluster", "W2")
             SUM("0") OUT,
         "shared memory"},
        {BEGIN "mapa.shared::cluster.u32 %r6, %r3, %r7;\n@%p0 " ASYNC
               ".b32 [%r6], %r8, [%r6+512];\n" WAIT,
         "shared memory"},
        /* nor may the sender read, or write, what it sent */
        {BEGIN SEND "@%p0 ld.shared::cluster.b32 %r10, [%r6];\n" WAIT SYNC, "shared memory"},
        {BEGIN SEND "@%p0 st.shared::cluster.b32 [%r6], %r8;\n" WAIT SYNC, "shared memory"},
    };
    for (int i = 0; i < COUNT(rows); i++) expect(rows[i].body, 32, 8, rows[i].words);
    CHECK(saw("\n", MBARRIER("512", "4") FENCE "@%p1 " ASYNC ".b32 [%r3], %r0, [%r3+512];\n", 32, 4,
              "in a cluster of one block", 0));
}

/* One mbarrier for two rounds: what is sent in the second may come in the first. */
TEST(rounds_have_mbarriers_of_their_own) {
    int caught = 0;
    for (uint64_t seed = 0; seed < 16; seed++)
        caught += saw(CLUSTER,
                      BEGIN SEND WAIT SUM("0") "mov.b32 %r8, %r10;\n@%p1 mbarrier.arrive.expect_tx."
                                               "shared.b64 _, [%r3+512], 16;\n@%p0 " ASYNC
                                               ".b32 [%r6+16], %r8, [%r9+512];\n" WAIT_OF(
                                                   "512", "1", "cluster", "W2") SUM("16") OUT,
                      32, 4, " ", seed);
    CHECK(caught);
}

TEST(who_a_block_is) {
    static const char body[] = "shl.b32 %r6, %r1, 2;\nmul.wide.u32 %d2, %r6, 4;\n"
                               "add.s64 %d2, %d0, %d2;\nmov.u32 %r7, %cluster_nctarank;\n"
                               "mov.u32 %r8, %clusterid.x;\nmov.u32 %r9, %nclusterid.x;\n"
                               "@%p1 st.global.v4.b32 [%d2], {%r2, %r7, %r8, %r9};\n";
    for (uint64_t seed = 0; seed < 4; seed++) {
        CHECK(saw(CLUSTER, body, 32, 12, NULL, seed));
        for (uint32_t i = 0; i < 12; i++) {
            CHECK(memory[4 * i] == i % 4 && memory[4 * i + 1] == 4);
            CHECK(memory[4 * i + 2] == i / 4 && memory[4 * i + 3] == 3);
        }
        CHECK(saw("\n", body, 32, 5, NULL, seed)); /* of one block each */
        for (uint32_t i = 0; i < 5; i++) {
            CHECK(memory[4 * i] == 0 && memory[4 * i + 1] == 1);
            CHECK(memory[4 * i + 2] == i && memory[4 * i + 3] == 5);
        }
    }
    CHECK(saw("\n", SYNC "mapa.shared::cluster.u32 %r6, %r3, 0;\n", 64, 5, NULL, 1));
    CHECK(saw(CLUSTER, body, 32, 6, "no multiple of the 4 of a cluster", 0));
}

TEST(forms) {
    static const char head[] = "\n.reqntid 32, 1, 1\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
                               ".shared .b32 s;\n";
    static const Form rows[] = {
        {"7.8", "sm_90", "mapa.shared::cluster.u32 %r0, %r1, 0;", NULL},
        {"7.8", "sm_90", "mapa.shared::cluster.u32 %r0, s, %r1;", NULL},
        {"7.7", "sm_80", "mapa.shared::cluster.u32 %r0, %r1, 0;", "a target that is too old"},
        {"7.8", "sm_90", "mapa.u64 %d0, %d1, 0;", "this instruction or form"},
        {"7.8", "sm_90", "mapa.shared::cluster.u32 %r0, [s], 0;", "does not fit"},
        {"7.8", "sm_90", "mapa.shared::cluster.u32 %r0, %r1;", "takes 3 operands, not 2"},
        {"7.8", "sm_90", "ld.shared::cluster.b32 %r0, [%r1+4];", NULL},
        {"7.8", "sm_90", "ld.shared::cluster.v2.b32 {%r0, %r2}, [s];", NULL},
        {"7.8", "sm_90", "st.shared::cluster.b64 [%r1], %d0;", NULL},
        {"7.8", "sm_80", "st.shared::cluster.b64 [%r1], %d0;", "a target that is too old"},
        {"7.8", "sm_90", "atom.shared::cluster.add.u32 %r0, [%r1], 1;", "this instruction or form"},
        {"8.1", "sm_90", ASYNC ".b32 [%r0], %r1, [%r2+8];", NULL},
        {"8.1", "sm_90",
         "st.async.weak"
         ".shared::cluster.mbarrier::complete_tx::bytes.v2.f64 "
         "[%r0+16], {%d0, %d1}, [%r2];",
         NULL},
        {"8.1", "sm_90", ASYNC ".u64 [%r0], %d1, [%r2];", NULL},
        {"8.1", "sm_90", ASYNC ".v4.s32 [%r0], {%r1, %r2, %r3, %r4}, [%r2];", NULL},
        {"8.0", "sm_90", ASYNC ".b32 [%r0], %r1, [%r2];", "a version of PTX that is too old"},
        {"8.1", "sm_80", ASYNC ".b32 [%r0], %r1, [%r2];", "a target that is too old"},
        {"8.1", "sm_90", ASYNC ".b16 [%r0], %r1, [%r2];", "this instruction or form"},
        {"8.1", "sm_90", ASYNC ".v4.b64 [%r0], {%d0, %d1, %d2, %d3}, [%r2];",
         "a vector of more than 16 bytes"},
        {"8.1", "sm_90", ASYNC ".b32 [%d0], %r1, [%d1];", "an address of 64 bits"},
        {"8.1", "sm_90", ASYNC ".b32 [%r0], %d1, [%r2];", "does not fit"},
        {"8.1", "sm_90", ASYNC ".b32 [%r0], %r1, %r2;", "does not fit"},
        {"8.1", "sm_90", ASYNC ".b32 [%r0], %r1;", "takes 3 operands, not 2"},
        {"8.1", "sm_90", "st.async.shared::cluster.b32 [%r0], %r1, [%r2];",
         "this instruction or form"},
        {"7.8", "sm_90", "barrier.cluster.arrive;\nbarrier.cluster.wait;", NULL},
        {"7.8", "sm_90", "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;", NULL},
        {"8.0", "sm_90", "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire;",
         NULL},
        {"8.0", "sm_90", "barrier.cluster.arrive.relaxed;", NULL},
        {"7.8", "sm_90", "barrier.cluster.arrive.relaxed;", "a version of PTX that is too old"},
        {"7.8", "sm_90", "barrier.cluster.wait.acquire;", "a version of PTX that is too old"},
        {"7.8", "sm_80", "barrier.cluster.arrive;", "a target that is too old"},
        {"7.8", "sm_90", "barrier.cluster.wait.relaxed;", "this instruction or form"},
        {"7.8", "sm_90", "mov.u32 %r0, %clusterid.x;", NULL},
        {"7.8", "sm_80", "mov.u32 %r0, %clusterid.x;", "a target that is too old"},
        {"7.8", "sm_90", "mov.u32 %r0, %clusterid.y;", "special register"},
    };
    for (int i = 0; i < COUNT(rows); i++) CHECK(form_is_as_said(&rows[i], head));
    static const struct {
        const char *words, *version, *target, *said;
    } lines[] = {
        {".explicitcluster\n.reqnctapercluster 8, 1, 1", "7.8", "sm_90", NULL},
        {".reqnctapercluster 2\n.explicitcluster", "7.8", "sm_90a", "sm_90a"},
        {".reqnctapercluster 2\n.explicitcluster", "8.0", "sm_90a", NULL},
        {".reqnctapercluster 2, 1, 1", "8.0", "sm_90a", "alone"},
        {".explicitcluster", "8.0", "sm_90a", "alone"},
        {".explicitcluster\n.reqnctapercluster 2, 1, 1", "8.0", "sm_80", "clusters need"},
        {".explicitcluster\n.reqnctapercluster 2, 2, 1", "8.0", "sm_90", "a cluster other than"},
        {".explicitcluster\n.reqnctapercluster 1, 1, 2", "8.0", "sm_90", "a cluster other than"},
        {".explicitcluster\n.reqnctapercluster 9, 1, 1", "8.0", "sm_90", "a cluster other than"},
        {".explicitcluster\n.reqnctapercluster 0, 1, 1", "8.0", "sm_90", "a cluster other than"},
    };
    for (int i = 0; i < COUNT(lines); i++) {
        char directives[300];
        snprintf(directives, sizeof directives, "\n.reqntid 32, 1, 1\n%s\n{\n", lines[i].words);
        Form form = {lines[i].version, lines[i].target, "", lines[i].said};
        CHECK(form_is_as_said(&form, directives));
    }
    static const char products[] =
        "\n.reqntid 128, 1, 1\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n"
        ".reg .f32 %f<9>;\n.reg .b64 %d<9>;\n.reg .pred %p<9>;\n";
    Form form = {
        "8.0", "sm_90a",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, "
        "%p0, 1, 1, 0, 0;",
        "clusters with bulk copies or products"};
    CHECK(form_is_as_said(&form, products));
}

TEST_MAIN()
