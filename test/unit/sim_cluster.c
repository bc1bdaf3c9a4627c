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
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 param_0)\n"
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
