// SPDX-License-Identifier: Apache-2.0
/* The simulator's rules, each on PTX that breaks it, and beside it on PTX that does not: what is
 * refused, memory, races, barriers, divergence, deadlock; and the counters on known patterns. */
#include "sim_ptx.h"

/* ---- the text ---- */

static const struct {
    const char *body, *words;
} refusals[] = {
    {"add.sat.f16x2 %r0, %r1, %r2;", "'add.sat.f16x2' on device 'sim'"},
    {"mbarrier.complete_tx.shared.b64 [%r0], 16;", "complete_tx"},
    {"cp.async.bulk.prefetch.L2.global [%d0], 16;", "cp.async.bulk"},
    {"cp.async.cg.shared.global [%r0], [%d0], 8;", "does not fit"},
    {"fence.proxy.async;", "fence.proxy.async"},
    {"add.s32 %r0, %r1;", "takes 3 operands, not 2"},
    {"add.s32 %r0, %r1, %d0;", "does not fit"},
    {"add.s32 %d0, %r1, %r2;", "does not fit"},
    {"add.s32 %r0, %r1, 4294967296;", "not supported: a number of more bits"},
    {"add.s32 %r0, %r1, 0f3F800000;", "does not fit"},
    {"add.rn.f32 %r0, %r1, 5;", "does not fit"},
    {".reg .f32 f; add.s32 %r0, %r1, f;", "does not fit"},
    {".reg .u32 u; mov.f32 %r0, u;", "does not fit"},
    {"add.s32 %r0, %r1, s;", "does not fit"},
    {"add.s32 %r0, %r1, 99999999999999999999;", "is no number"},
    {"add.s32 %r33, %r1, %r2;", "does not fit"},
    {"add.rn.f32 %r0, %r1, 0d3FF0000000000000;", "not supported: a float given in another"},
    {"add.rn.f32 %r0, %r1, 0f3F80000;", "is no number"},
    {"@%r1 add.s32 %r0, %r1, %r2;", "expected a predicate"},
    {"bra nowhere;", "no label 'nowhere'"},
    {"here: here: ret;", "stands twice"},
    {".reg .b32 %r<3>;", "declared twice"},
    {".reg .b128 %q;", ".b128"},
    {".shared .align 3 .b8 s[4];", "power of two"},
    {"ld.texture.b32 %r0, [%d0];", "this instruction or form in 'ld.texture.b32'"},
    {"ld.global.v4.b64 {%d0, %d1, %d2, %d3}, [%d4];", "more than 16 bytes"},
    {"ld.global.b32 %r0, [%r1];", "does not fit"},
    {"ld.global.b64 %r0, [%d1];", "does not fit"},
    {"ld.global.b32 %r0, %d0;", "does not fit"},
    {"ld.global.b32 %r0, [%d0-4];", "a negative offset is written '+-'"},
    {"ld.global.b32 %r0, [%d0--4];", "a negative offset is written '+-'"},
    {"ld.param.u64 %d0, [param_9];", "not a parameter"},
    {"ld.param.u32 %r0, [param_0];", "a part of a parameter"},
    {"mov.u32 %r0, %clusterid.y;", "%clusterid.y"},
    {"atom.global.add.b32 %r0, [%d0], %r1;", "this instruction or form"},
    {"atom.global.add.s8 %r0, [%d0], %r1;", "this instruction or form"},
    {"bar.sync 16;", "barriers 0 to 15"},
    {"bar.sync 1, %r0;", "in a register"},
    {"shfl.up.b32 %r0, %r1, 1, 0;", "shfl.up.b32"},
    {"call foo;", "'foo' is not declared"},
    {"st.param.b32 [arg0], %r0;", "'st.param' needs"},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r0}, {%r1}, {%r2}, {%r3};", "mma.sync"},
    {"{ { {", "no end"},
    {"/* never closed", "without an end"},
    {".shared .align 16 .b8 big[49153];", "at most 49152 bytes"},
    {"\"text\";", "expected a name"},
    {"add.s32 %r0, {%r1, %r2;", "'{' without '}'"},
};

TEST(refusals_name_their_place) {
    for (int i = 0; i < COUNT(refusals); i++) {
        Bench b = bench_new();
        bool ran = bench_run(&b, entry_text(b.arena, 1, 32, refusals[i].body), 1);
        CHECK(!ran);
        Buf out = {.arena = b.arena};
        diag_print(&b.diag, false, &out);
        bool named =
            !ran && out.data && strstr(out.data, refusals[i].words) && strstr(out.data, "<ptx>:");
        if (!named)
            printf("%s: want '%s' in:\n%s\n", refusals[i].body, refusals[i].words,
                   out.data ? out.data : "");
        CHECK(named);
        arena_free(b.arena);
    }
}

TEST(every_prefix_of_a_kernel_is_safe) {
    Bench b = bench_new();
    const char *text =
        entry_text(b.arena, 1, 32,
                   "ld.param.u64 %d0, [param_0];\n.loc 1 2 3\n{ .reg .b32 t; mov.b32 t, 0x1f; "
                   "@!%p1 st.global.v2.b32 [%d0+8], {t, %r1}; }\nL1: @%p0 bra L1;\nbar.sync 0;");
    int length = (int)strlen(text);
    for (int cut = 0; cut < length; cut++) {
        Arena *arena = arena_new(NULL);
        Diag diag = {.arena = arena};
        char *part = arena_alloc(arena, (size_t)cut + 1);
        memcpy(part, text, (size_t)cut);
        PtxProgram *program = sim_parse(arena, (Str){part, cut}, 0, &diag);
        CHECK(!program || cut >= length - 1);
        arena_free(arena);
    }
    arena_free(b.arena);
}

/* Broken text is refused, or runs and stays within its memory: what the sanitizers are for. */
TEST(broken_text) {
    static uint32_t data[64];
    static const char signs[] = "0123456789%rdph.,;[]{}+-@!_:bLsu \n";
    uint64_t state = 42;
    int ran = 0;
    for (int round = 0; round < 4000; round++) {
        Bench b = bench_new();
        bench_buffer(&b, data, sizeof data);
        const char *text = entry_text(
            b.arena, 1, 64,
            ".shared .align 16 .b8 s[256];\nld.param.u64 %d0, [param_0];\nmov.u32 %r0, "
            "%tid.x;\nand.b32 %r1, %r0, 31;\n"
            "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d2, %d0, %d1;\nsetp.lt.s32 %p0, %r0, 32;\nmov.u32 "
            "%r5, s;\nmad.lo.s32 %r6, %r0, 4, %r5;\n"
            "st.shared.b32 [%r6], %r0;\nbar.sync 0;\nld.shared.b32 %r7, [%r5+8];\nL1:\nadd.s32 "
            "%r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 40;\n@%p1 bra L1;\n"
            "@%p0 st.global.b32 [%d2], %r7;\nshfl.sync.bfly.b32 %r8, %r7, 1, 31, "
            "-1;\natom.relaxed.gpu.global.add.u32 %r9, [%d0+128], %r8;\n");
        char *broken = (char *)(uintptr_t)str_copy(b.arena, str_of(text)).data;
        for (int i = 0; i < 1 + round % 3; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (state >> 33) % strlen(text);
            while (round & 1 && at && !(broken[at] >= '0' && broken[at] <= '9'))
                at--; /* digits for digits run more often */
            broken[at] = signs[(state >> 20) % (round & 1 ? 10 : sizeof signs - 1)];
        }
        b.seed = (uint64_t)round & 3;
        b.budget = 20000, b.broken = true;
        ran += bench_run(&b, broken, 2);
        arena_free(b.arena);
    }
    if (ran <= 200 || ran >= 3900) printf("%d of 4000 ran\n", ran);
    CHECK(ran > 200 && ran < 3900);
}

/* ---- a launch that must end so ---- */

#define TID                                                                                        \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nld.param.u64 %d0, [param_0];\nadd.s64 %d2, " \
    "%d0, %d1;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.s32 %r3, %r2, %r1;\n"
#define SHARED ".shared .align 16 .b8 s[512];\n"

static uint32_t memory[256];

static void expect_seed(const char *body, int threads, uint32_t blocks, const char *words,
                        uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed;
    for (int i = 0; i < COUNT(memory); i++) memory[i] = (uint32_t)i;
    bench_buffer(&b, memory, sizeof memory);
    CHECK(bench_says(&b, entry_text(b.arena, 1, threads, body), blocks, words));
    arena_free(b.arena);
}

static void expect(const char *body, int threads, uint32_t blocks, const char *words) {
    for (uint64_t seed = 0; seed < 4; seed++) expect_seed(body, threads, blocks, words, seed);
}

TEST(bounds_and_alignment) {
    expect(SHARED TID "ld.global.b32 %r4, [%d2];", 128, 1, NULL);
    expect(SHARED TID "ld.global.b32 %r4, [%d2+516];", 128, 1, "which is in no buffer");
    expect(SHARED TID "ld.global.b32 %r4, [%d2+516];", 128, 1, "lane 31");
    expect(SHARED TID "ld.global.b32 %r4, [%d2+-4];", 32, 1, "which is in no buffer");
    expect(SHARED TID "ld.global.b32 %r4, [%d2+1];", 32, 1, "not a multiple of that");
    expect(SHARED TID "ld.global.v2.b32 {%r4, %r5}, [%d2];", 32, 1, "not a multiple of that");
    expect(SHARED TID "st.shared.b32 [%r3+512], %r0;", 32, 1,
           "outside shared memory, which has 512 bytes");
    expect(SHARED TID "st.shared.b32 [%r3+-4], %r0;", 32, 1, "outside shared memory");
    expect(SHARED TID "st.shared.b32 [%r3+448], %r0;", 32, 1, "outside shared memory");
    expect(
        ".local .align 8 .b8 l[8];\nmov.u64 %d0, l;\ncvta.local.u64 %d0, %d0;\nst.b32 [%d0+8], 1;",
        32, 1, "outside local memory");
    expect(".local .align 8 .b8 l[8];\nmov.u64 %d0, l;\ncvta.local.u64 %d0, %d0;\nst.b32 [%d0+4], "
           "1;\nld.b32 %r0, [%d0+4];",
           32, 1, NULL);
}

TEST(memory_that_nobody_wrote) {
    expect(SHARED TID "ld.shared.b32 %r4, [%r3];", 32, 1, "that nobody wrote: byte 0");
    expect(SHARED TID "st.shared.b32 [%r3], %r0;\nbar.warp.sync -1;\nld.shared.b32 %r4, [%r3+4];",
           32, 1, "that nobody wrote: byte 128");
    expect(".local .align 8 .b8 l[8];\nmov.u64 %d0, l;\ncvta.local.u64 %d0, %d0;\nst.b32 [%d0], "
           "1;\nld.b64 %d1, [%d0];",
           32, 1, "local memory that nobody wrote");
}

/* What nobody wrote is not by chance what was meant. */
TEST(registers_that_nobody_wrote) {
    expect(SHARED TID "st.global.b32 [%d2], %r20;", 64, 1, NULL);
    for (int i = 0; i < 64; i++) CHECK(memory[i] == 0xcdcdcdcd);
}

TEST(races_in_shared_memory) {
    /* each thread reads what the next one wrote */
    const char *head =
        SHARED TID "xor.b32 %r4, %r3, 4;\nxor.b32 %r5, %r3, 128;\nst.shared.b32 [%r3], %r0;\n";
    char body[2048];
    const struct {
        const char *middle, *words;
        int threads;
    } cases[] = {
        {"ld.shared.b32 %r6, [%r4];",
         "race in shared memory: this read is not ordered with the write by another lane", 32},
        {"bar.warp.sync -1;\nld.shared.b32 %r6, [%r4];", NULL, 32},
        {"bar.warp.sync -1;\nld.shared.b32 %r6, [%r4];\nst.shared.b32 [%r3], 1;",
         "this write is not ordered with the read by another lane", 32},
        {"bar.warp.sync -1;\nld.shared.b32 %r6, [%r4];\nbar.warp.sync -1;\nst.shared.b32 [%r3], 1;",
         NULL, 32},
        {"bar.sync 0;\nld.shared.b32 %r6, [%r5];", NULL, 64},
        {"bar.sync 0;\nld.shared.b32 %r6, [%r5];\nst.shared.b32 [%r3], 1;", "another warp", 64},
        {"bar.sync 0;\nst.shared.b32 [s], 1;", "race in shared memory: this write", 64},
        /* a barrier whose number is in a register: the same in all of a warp */
        {"mov.u32 %r6, 3;\nbar.sync %r6, 64;\nld.shared.b32 %r6, [%r5];", NULL, 64},
        {"mov.u32 %r6, 3;\nbar.sync %r6;\nld.shared.b32 %r6, [%r5];", NULL, 64},
        {"shr.u32 %r6, %r0, 5;\nbar.sync %r6, 32;\nld.shared.b32 %r6, [%r4];", NULL, 64},
        {"shr.u32 %r6, %r0, 5;\nbar.sync %r6, 32;\nld.shared.b32 %r6, [%r5];", "shared memory",
         64},
        {"shr.u32 %r6, %r0, 4;\nbar.sync %r6, 32;", "lanes of a warp at two barriers", 64},
        {"mov.u32 %r6, 16;\nbar.sync %r6, 64;", "a block has barriers 0 to 15", 64},
        {"bar.sync 0;\nred.shared.add.u32 [s], 1;", NULL, 64},
        {"bar.sync 0;\nred.shared.add.u32 [s], 1;\nld.shared.b32 %r6, [s];", "with the atomic",
         64}};
    for (int i = 0; i < COUNT(cases); i++) {
        snprintf(body, sizeof body, "%s%s", head, cases[i].middle);
        expect(body, cases[i].threads, 1, cases[i].words);
    }
}

TEST(asynchronous_copies) {
#define COPY   "cp.async.ca.shared.global [%r3], [%d2], 4;\n"
#define COMMIT "cp.async.commit_group;\n"
    /* each thread copies its element of memory to shared memory, and stores its or another's times
     * 3 */
    const char *own = "ld.shared.b32 %r4, [%r3];\nmul.lo.s32 %r4, %r4, 3;\nbar.sync "
                      "0;\nst.global.b32 [%d2], %r4;";
    const char *other = "xor.b32 %r5, %r3, 128;\nld.shared.b32 %r4, [%r5];\nmul.lo.s32 %r4, %r4, "
                        "3;\nbar.sync 0;\nst.global.b32 [%d2], %r4;";
    const char *coming = "to which a cp.async is under way that was not waited for";
    const struct {
        const char *start, *end, *words;
    } cases[] = {
        {COPY "cp.async.wait_all;\n", own, NULL},
        {COPY COMMIT "cp.async.wait_group 0;\n", own, NULL},
        {COPY COMMIT "cp.async.wait_group 1;\n", own, coming},
        {COPY COMMIT COMMIT "cp.async.wait_group 1;\n", own, NULL},
        {COPY "cp.async.wait_group 0;\n", own, coming}, /* not committed */
        {COPY COMMIT, own, coming},
        {COPY COMMIT "st.shared.b32 [%r3], 1;\n", own, coming},
        {COPY COMMIT COPY, own, coming},
        {COPY "cp.async.wait_all;\nbar.sync 0;\n", other, NULL},
        {COPY "bar.sync 0;\ncp.async.wait_all;\n", other,
         "shared memory"}, /* a race, or still under way: by the order */
        {COPY "bar.sync 0;\n", other, coming},
        {"st.shared.b32 [%r3], 5;\nbar.sync 0;\nxor.b32 %r5, %r3, 128;\nld.shared.b32 %r6, "
         "[%r5];\n" COPY "cp.async.wait_all;\n",
         own, "race in shared memory"},
        {"cp.async.ca.shared.global [%r3+8], [%d2], 8;\n", own, "not a multiple of that"},
        {"cp.async.ca.shared.global [%r3+512], [%d2], 4;\n", own, "outside shared memory"},
        {"cp.async.ca.shared.global [%r3], [%d2+1024], 4;\n", own, "which is in no buffer"},
        {"cp.async.ca.shared.global [%r3], [%d2+1024], 4, 0;\ncp.async.wait_all;\nst.global.b32 "
         "[%d2], 0;\n",
         "ld.shared.b32 %r4, [%r3];\nadd.s32 %r4, %r4, 5;\nbar.sync 0;\n", NULL}, /* zeros */
    };
    char body[2048];
    for (int i = 0; i < COUNT(cases); i++) {
        snprintf(body, sizeof body, "%s%s%s", SHARED TID, cases[i].start, cases[i].end);
        expect(body, 64, 1, cases[i].words);
        if (!cases[i].words && cases[i].end == own) CHECK(memory[5] == 15);
        if (!cases[i].words && cases[i].end == other) CHECK(memory[5] == 3 * 37);
    }
    /* The source changes while the copy is under way, before a barrier that orders all but that:
     * one order in two sees it. */
    uint32_t seen = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        expect_seed(SHARED TID COPY "st.global.b32 [%d2], 1000;\ncp.async.wait_all;\nld.shared.b32 "
                                    "%r4, [%r3];\nst.global.b32 [%d2], %r4;",
                    64, 1, NULL, seed);
        seen += memory[5];
    }
    CHECK(seen == 3 * (1000 + 5));
    /* 16 bytes, of which 4 are copied; counted both as a read and as a write */
    Bench b = bench_new();
    for (int i = 0; i < COUNT(memory); i++) memory[i] = (uint32_t)i + 1;
    bench_buffer(&b, memory, sizeof memory);
    CHECK(bench_says(
        &b,
        entry_text(b.arena, 1, 32,
                   SHARED TID
                   "shl.b32 %r4, %r0, 4;\nadd.s32 %r4, %r4, %r2;\nmul.wide.u32 %d3, %r0, "
                   "16;\nadd.s64 %d3, %d3, %d0;\n"
                   "cp.async.cg.shared.global.L2::128B [%r4], [%d3], 16, "
                   "4;\ncp.async.wait_all;\nld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4];\n"
                   "st.global.v4.b32 [%d3], {%r5, %r6, %r7, %r8};"),
        1, NULL));
    CHECK(memory[4] == 5 && !memory[5] && !memory[6] && !memory[7] && memory[124] == 125);
    for (int i = 0; i < b.program->code.count; i++)
        if (b.program->code.data[i].op == SIM_COPY)
            CHECK(b.counts[i].requests == 1 && b.counts[i].sectors == 16 &&
                  b.counts[i].wavefronts == 4 && b.counts[i].ideal_wavefronts == 4);
    arena_free(b.arena);
}

TEST(fences) {
    /* block 0 writes, fences, sets a flag; block 1 sees the flag, fences, reads */
    const char *writes =
        SHARED TID "mov.u32 %r4, %ctaid.x;\nsetp.ne.s32 %p0, %r0, 0;\n@%p0 bra L9;\n"
                   "setp.ne.s32 %p0, %r4, 0;\n@%p0 bra L1;\nst.global.b32 [%d0+8], 77;\n";
    const char *waits =
        "st.volatile.global.b32 [%d0+12], 1000;\nbra L9;\n"
        "L1:\nld.volatile.global.b32 %r5, [%d0+12];\nsetp.ne.s32 %p1, %r5, 1000;\n@%p1 bra L1;\n";
    const char *reads = "ld.global.b32 %r6, [%d0+8];\nst.global.b32 [%d0+16], %r6;\nL9:";
    char body[2048];
    snprintf(body, sizeof body, "%sfence.acq_rel.gpu;\n%smembar.gl;\n%s", writes, waits, reads);
    expect(body, 32, 2, NULL);
    CHECK(memory[4] == 77);
    snprintf(body, sizeof body, "%s%s%s", writes, waits, reads);
    expect(body, 32, 2, "race in global memory");
    snprintf(body, sizeof body, "%s%smembar.gl;\n%s", writes, waits,
             reads); /* the writer's is missing */
    expect(body, 32, 2, "race in global memory");
    Buf ordered = {.arena = arena_new(NULL)}; /* the accesses themselves say it */
    snprintf(body, sizeof body, "%s%s%s", writes, waits, reads);
    for (const char *at = body; *at; at++)
        if (!strncmp(at, "st.volatile", 11))
            buf_puts(&ordered, "st.release.gpu"), at += 10;
        else if (!strncmp(at, "ld.volatile", 11))
            buf_puts(&ordered, "ld.acquire.gpu"), at += 10;
        else
            buf_putc(&ordered, *at);
    expect(ordered.data, 32, 2, NULL);
    arena_free(ordered.arena);
}

/* Block 0 writes and releases; in block 1 one warp acquires, and others read: ordered by a
 * barrier. */
TEST(what_a_warp_learned_goes_with_a_barrier) {
    static const struct {
        int learns, reads; /* the threads */
        const char *between, *words;
    } rows[] = {
        {0, 0, "", NULL},
        {0, 32, "bar.sync 0;\n", NULL},
        {32, 0, "bar.sync 0;\n", NULL},
        {64, 32, "bar.sync 0;\n", NULL},
        {0, 1, "bar.sync 0;\n", NULL},
        {0, 64, "bar.sync 0;\nbar.sync 0;\n", NULL},
        {0, 32, "", "race in global memory"},
        {0, 32, "bar.warp.sync -1;\n", "race in global memory"},
        {0, 64, "setp.lt.u32 %p4, %r0, 64;\n@%p4 bar.sync 1, 64;\n", "race in global memory"},
        {0, 32, "setp.lt.u32 %p4, %r0, 64;\n@%p4 bar.sync 1, 64;\n", NULL},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char body[2048];
        snprintf(body, sizeof body,
                 "%s%smov.u32 %%r4, %%ctaid.x;\nsetp.ne.u32 %%p0, %%r4, 0;\n@%%p0 bra L1;\n"
                 "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra L9;\nst.global.b32 [%%d0+8], 77;\n"
                 "st.release.gpu.global.b32 [%%d0+12], 1000;\nbra L9;\nL1:\n"
                 "setp.ne.u32 %%p2, %%r0, %d;\n@%%p2 bra L3;\nL2:\n"
                 "ld.acquire.gpu.global.b32 %%r5, [%%d0+12];\nsetp.ne.u32 %%p3, %%r5, 1000;\n"
                 "@%%p3 bra L2;\nL3:\nbar.warp.sync -1;\n%ssetp.eq.u32 %%p5, %%r0, %d;\n"
                 "@%%p5 ld.global.b32 %%r6, [%%d0+8];\nL9:",
                 SHARED, TID, rows[i].learns, rows[i].between, rows[i].reads);
        expect(body, 96, 2, rows[i].words);
    }
}

/* Warps of one block that order themselves by a word in memory, in each block. */
TEST(warps_of_a_block_learn_from_each_other) {
    static const char *const ways[] = {"release", "relaxed"}, *const loads[] = {"acquire",
                                                                                "relaxed"};
    for (int way = 0; way < 4; way++) {
        char body[1024];
        snprintf(body, sizeof body,
                 "%s%smov.u32 %%r4, %%ctaid.x;\nmul.wide.u32 %%d3, %%r4, 64;\n"
                 "add.s64 %%d3, %%d0, %%d3;\nsetp.ne.u32 %%p0, %%r0, 0;\n@%%p0 bra L1;\n"
                 "st.global.b32 [%%d3], 77;\nst.%s.gpu.global.b32 [%%d3+4], 1000;\nbra L9;\n"
                 "L1:\nsetp.ne.u32 %%p2, %%r0, 32;\n@%%p2 bra L9;\nL2:\n"
                 "ld.%s.gpu.global.b32 %%r5, [%%d3+4];\nsetp.ne.u32 %%p3, %%r5, 1000;\n"
                 "@%%p3 bra L2;\nld.global.b32 %%r6, [%%d3];\nL9:",
                 SHARED, TID, ways[way & 1], loads[way >> 1]);
        expect(body, 64, 3, way ? "race in global memory" : NULL);
    }
}

/* What a block learned is forgotten by the next one, which gets its memory. */
TEST(a_block_begins_without_knowledge) {
    for (int reads = 0; reads < 2; reads++) {
        char body[2048];
        snprintf(body, sizeof body,
                 "%s%smov.u32 %%r4, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra L9;\n"
                 "setp.ne.u32 %%p0, %%r4, 0;\n@%%p0 bra L1;\nst.global.b32 [%%d0+8], 77;\n"
                 "st.release.gpu.global.b32 [%%d0+12], 1000;\nbra L9;\nL1:\n"
                 "setp.eq.u32 %%p2, %%r4, 2;\n@%%p2 bra L3;\nL2:\n"
                 "ld.acquire.gpu.global.b32 %%r5, [%%d0+12];\nsetp.ne.u32 %%p3, %%r5, 1000;\n"
                 "@%%p3 bra L2;\nld.global.b32 %%r6, [%%d0+8];\nbra L9;\nL3:\n%sL9:",
                 SHARED, TID, reads ? "ld.global.b32 %r6, [%d0+8];\n" : "");
        expect(body, 32, 3, reads ? "race in global memory" : NULL);
    }
}

/* One block of many has a race; those before it, whose memory and clocks it gets, have barriers. */
TEST(a_block_begins_unordered) {
    for (int races = 0; races < 2; races++) {
        char body[1024];
        snprintf(body, sizeof body,
                 "%s%smov.u32 %%r4, %%ctaid.x;\nsetp.eq.u32 %%p0, %%r4, 20;\n@%%p0 bra L1;\n"
                 "bar.sync 0;\nbar.sync 0;\nbar.sync 0;\nbra L9;\nL1:\nand.b32 %%r5, %%r0, 31;\n"
                 "setp.eq.u32 %%p1, %%r5, 0;\n%sL9:\n",
                 SHARED, TID, races ? "@%p1 st.shared.b32 [%r2], %r0;\n" : "");
        expect(body, 64, 40, races ? "race in shared memory" : NULL);
    }
}

/* A table of the text: read to its last byte, and not written. */
TEST(tables_of_the_text) {
    static const struct {
        const char *access, *words;
    } rows[] = {
        {"ld.global.b8 %h0, [%d4+7];\ncvt.u32.u16 %r5, %h0;\n", NULL},
        {"ld.global.b32 %r5, [%d4+4];\nshr.u32 %r5, %r5, 24;\n", NULL},
        {"ld.global.b32 %r5, [%d4];\nshr.u32 %r5, %r5, 16;\nand.b32 %r5, %r5, 8;\n", NULL},
        {"ld.global.b8 %h0, [%d4+8];\n", "which is in no buffer"},
        {"ld.global.b8 %h0, [%d4+-1];\n", "which is in no buffer"},
        {"ld.global.b32 %r5, [%d4+8];\n", "which is in no buffer"},
        {"ld.global.b64 %d5, [%d4+8];\n", "which is in no buffer"},
        {"st.global.b8 [%d4], %h0;\n", "which is in no buffer"},
        {"atom.global.add.u32 %r5, [%d4], 1;\n", "which is in no buffer"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Bench b = bench_new();
        Str body = str_format(b.arena, "%s%smov.u64 %%d4, table;\n%sst.global.b32 [%%d2], %%r5;",
                              SHARED, TID, rows[i].access);
        const char *text = entry_text(b.arena, 1, 32, body.data), *entry = strstr(text, ".visible");
        Str all = str_format(b.arena,
                             "%.*s.global .align 8 .b8 before[8] = {99};\n"
                             ".global .align 8 .b8 table[8] = {1, 2, 8, 0, 5, 6, 7, 8};\n%s",
                             (int)(entry - text), text, entry);
        bench_buffer(&b, memory, sizeof memory);
        CHECK(bench_says(&b, all.data, 1, rows[i].words));
        if (!rows[i].words) CHECK(memory[0] == 8 && memory[31] == 8);
        arena_free(b.arena);
    }
}

/* The line of the PTX, to 160 letters. */
TEST(long_lines_are_cut) {
    static const int lengths[] = {100, 159, 160, 161, 162, 300};
    for (int i = 0; i < COUNT(lengths); i++) {
        char line[400], want[400];
        int used = snprintf(line, sizeof line, "ld.global.b32 %%r4, [%%d2+516]; //");
        memset(line + used, 'x', sizeof line - (size_t)used);
        line[lengths[i]] = 0;
        snprintf(want, sizeof want, ": %.160s", line);
        Bench b = bench_new();
        bench_buffer(&b, memory, sizeof memory);
        CHECK(bench_run(
            &b,
            entry_text(b.arena, 1, 128, str_format(b.arena, "%s%s\n%s\n", SHARED, TID, line).data),
            1));
        size_t length = strlen(b.failure.note), tail = strlen(want);
        CHECK(length > tail && !strcmp(b.failure.note + length - tail, want));
        arena_free(b.arena);
    }
}

TEST(races_in_global_memory) {
    expect(SHARED TID "st.global.b32 [%d2], 7;\n", 32, 1, NULL);
    expect(SHARED TID
           "mov.u32 %r4, %ctaid.x;\nadd.s32 %r4, %r4, 1000;\nst.global.b32 [%d2], %r4;\n",
           32, 2, "another block");
    expect(SHARED TID "st.global.b32 [%d2], 7;\n", 32, 2,
           NULL); /* the same value: nobody can tell */
    expect(SHARED TID "mov.u32 %r4, %ctaid.x;\nsetp.eq.s32 %p0, %r4, 0;\n@%p0 st.global.b32 [%d2], "
                      "1000;\n@!%p0 ld.global.b32 %r5, [%d2];\n",
           32, 2, "race in global memory");
    expect(SHARED TID "atom.relaxed.gpu.global.add.u32 %r4, [%d0], 1;", 64, 4, NULL);
    /* a lock: what it protects is ordered */
    const char *lock = SHARED TID
        "setp.ne.s32 %p0, %r0, 0;\n@%p0 bra L9;\nL1:\natom.acquire.gpu.global.cas.b32 %r4, [%d0], "
        "0, 1;\n"
        "setp.ne.s32 %p1, %r4, 0;\n@%p1 bra L1;\nld.global.b32 %r5, [%d0+8];\nadd.s32 %r5, %r5, "
        "1;\n"
        "st.global.b32 [%d0+8], %r5;\natom.release.gpu.global.exch.b32 %r4, [%d0], 0;\nL9:";
    expect(lock, 32, 8, NULL);
    CHECK(memory[2] == 2 + 8);
    Buf weak = {.arena = arena_new(NULL)};
    for (const char *at = lock; *at; at++) /* the same without order */
        if (!strncmp(at, "acquire", 7))
            buf_puts(&weak, "relaxed"), at += 6;
        else
            buf_putc(&weak, *at);
    expect(weak.data, 32, 8, "race in global memory");
    arena_free(weak.arena);
}

TEST(barriers_and_divergence) {
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 16;\n@%p0 bra L1;\nbar.sync 0;\nL1:", 32, 1,
           "divergent code");
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 32;\n@%p0 bra L1;\nbar.sync 0;\nL1:", 64, 1,
           "deadlock: all warps of the block wait");
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 32;\n@%p0 bra L1;\nbar.sync 0;\nL1:", 64, 1,
           "warp 1 waits at barrier 0");
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 32;\n@%p0 bra L1;\nbar.sync 1, 32;\nL1:", 64, 1, NULL);
    expect(SHARED TID
           "setp.lt.s32 %p0, %r0, 32;\n@%p0 bra L1;\nbar.sync 0;\nbra L2;\nL1:\nbar.sync 1;\nL2:",
           64, 1, "deadlock");
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 8;\n@%p0 shfl.sync.idx.b32 %r4, %r0, 0, 31, -1;", 32,
           1, "divergent code");
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 8;\n@%p0 shfl.sync.idx.b32 %r4, %r0, 0, 31, 255;", 32,
           1, NULL);
    expect(SHARED TID "setp.lt.s32 %p0, %r0, 8;\n@%p0 shfl.sync.idx.b32 %r4, %r0, 9, 31, 255;", 32,
           1, "does not take part");
    expect("trap;", 32, 1, "'trap'");
    /* as many warps as a block may have */
    const char *apart = "mov.u32 %r0, %tid.x;\nsetp.lt.s32 %p0, %r0, 992;\n@%p0 bra L1;\n"
                        "bar.sync 0;\nL1:\nbar.sync 1;\n";
    expect(apart, 1024, 1, "deadlock");
    expect_seed(apart, 1024, 1, "deadlock: all warps of the block wait", 0);
    expect(SHARED
           "mov.u32 %r0, %tid.x;\nsetp.ne.s32 %p0, %r0, 1023;\n@!%p0 st.shared.b32 [s], 5;\n"
           "bar.sync 0;\nld.shared.b32 %r1, [s];\nsetp.eq.s32 %p1, %r1, 5;\n@%p1 ret;\ntrap;\n",
           1024, 3, NULL);
    /* both arms of an if meet again; a loop whose lanes leave at different times */
    expect(SHARED TID "and.b32 %r4, %r0, 1;\nsetp.eq.s32 %p0, %r4, 0;\n@%p0 bra L1;\nadd.s32 %r5, "
                      "%r0, 100;\nbra L2;\nL1:\nadd.s32 %r5, %r0, 200;\nL2:\n"
                      "mov.u32 %r6, 0;\nL3:\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, "
                      "%r0;\n@%p1 bra L3;\nbar.warp.sync -1;\n"
                      "add.s32 %r5, %r5, %r6;\nst.global.b32 [%d2], %r5;",
           32, 1, NULL);
    for (uint32_t i = 0; i < 32; i++) CHECK(memory[i] == i + (i & 1 ? 100 : 200) + (i ? i : 1));
}

TEST(waiting) {
    /* lane 0 lets lane 1 in, which turns in a loop further back in the text */
    expect(SHARED TID "setp.ne.s32 %p0, %r0, 1;\n@%p0 bra L2;\nL1:\nld.volatile.global.b32 %r4, "
                      "[%d0+8];\nsetp.ne.s32 %p1, %r4, 1000;\n@%p1 bra L1;\nbra L9;\n"
                      "L2:\nsetp.ne.s32 %p0, %r0, 0;\n@%p0 bra "
                      "L9;\natom.relaxed.gpu.global.exch.b32 %r5, [%d0+8], 1000;\nL9:",
           32, 1, NULL);
    /* two warps that wait for each other in turns, by atomics and by stores, both till the end */
    static const char *const writes[] = {"atom.relaxed.gpu.global.exch.b32 %r5,",
                                         "st.volatile.global.b32"};
    for (int i = 0; i < 4; i++) {
        char body[1200];
        snprintf(body, sizeof body,
                 "%s%ssetp.eq.s32 %%p0, %%r0, 0;\nsetp.eq.s32 %%p1, %%r0, 32;\n@%%p0 bra L1;\n"
                 "@%%p1 bra L3;\nbra L9;\nL1:\nld.volatile.global.b32 %%r4, [%%d0+8];\n"
                 "setp.ne.s32 %%p2, %%r4, 1000;\n@%%p2 bra L1;\n%s [%%d0+12], 2000;\nbra L9;\nL3:\n"
                 "%s [%%d0+8], 1000;\nL4:\nld.volatile.global.b32 %%r4, [%%d0+12];\n"
                 "setp.ne.s32 %%p3, %%r4, 2000;\n@%%p3 bra L4;\nL9:\nbar.sync 0;\n",
                 SHARED, TID, writes[i & 1], writes[i >> 1]);
        expect(body, 64, 1, NULL);
    }
    /* block 0 waits for block 3 */
    const char *wait =
        SHARED TID "mov.u32 %r4, %ctaid.x;\nsetp.ne.s32 %p0, %r4, 0;\n@%p0 bra "
                   "L2;\nL1:\nld.volatile.global.b32 %r4, [%d0+8];\nsetp.ne.s32 %p1, %r4, 1000;\n"
                   "@%p1 bra L1;\nbra L9;\nL2:\nsetp.ne.s32 %p0, %r4, 3;\n@%p0 bra "
                   "L9;\natom.relaxed.gpu.global.exch.b32 %r5, [%d0+8], 1000;\nL9:";
    expect(wait, 32, 4, NULL);
    expect(wait, 32, 3, "deadlock: nobody can go on");
    expect(wait, 32, 3, "turns in a loop that only another's write can end");
    expect("L1: bra L1;", 32, 1, "deadlock");
    expect_seed("mov.u32 %r0, 0;\nL1: add.s32 %r0, %r0, 1;\nbra L1;", 32, 1,
                "more than 16777216 instructions", 0);
}

/* ---- atomics ---- */

TEST(atomics) {
    static const struct {
        const char *op;
        uint32_t want; /* of 32 lanes with their numbers on 40 */
    } cases[] = {{"add.u32", 40 + 496}, {"and.b32", 0},  {"or.b32", 40 | 31}, {"xor.b32", 40},
                 {"min.s32", 0},        {"max.u32", 40}, {"min.u32", 0},      {"max.s32", 40}};
    for (int i = 0; i < COUNT(cases); i++) {
        char body[1024];
        snprintf(body, sizeof body, "%satom.relaxed.gpu.global.%s %%r4, [%%d0+160], %%r0;\n",
                 SHARED TID, cases[i].op);
        expect(body, 32, 1, NULL);
        CHECK(memory[40] == cases[i].want);
    }
    expect(SHARED TID
           "add.s32 %r4, %r0, 40;\natom.relaxed.gpu.global.cas.b32 %r5, [%d0+160], %r4, 7;\n",
           32, 1, NULL);
    CHECK(memory[40] == 7);
}

/* ---- across lanes ---- */

TEST(shuffles_and_votes) {
    expect(
        SHARED TID
        "shfl.sync.bfly.b32 %r4, %r0, 5, 31, -1;\nshfl.sync.up.b32 %r5|%p1, %r0, 3, 0, "
        "-1;\nshfl.sync.down.b32 %r6, %r0, 4, 31, -1;\n"
        "shfl.sync.idx.b32 %r7, %r0, 2, 6175, -1;\nselp.b32 %r8, 1, 0, %p1;\nsetp.lt.s32 %p2, %r0, "
        "7;\nvote.sync.ballot.b32 %r9, %p2, -1;\n"
        "vote.sync.any.pred %p3, %p2, -1;\nvote.sync.all.pred %p4, %p2, -1;\nselp.b32 %r10, 1, 0, "
        "%p3;\nselp.b32 %r11, 1, 0, %p4;\n"
        "redux.sync.add.s32 %r12, %r0, -1;\n"
        "shl.b32 %r4, %r4, 24;\nshl.b32 %r5, %r5, 18;\nshl.b32 %r6, %r6, 12;\nshl.b32 %r7, %r7, "
        "6;\nshl.b32 %r8, %r8, 5;\n"
        "add.s32 %r4, %r4, %r5;\nadd.s32 %r4, %r4, %r6;\nadd.s32 %r4, %r4, %r7;\nadd.s32 %r4, %r4, "
        "%r8;\n"
        "shl.b32 %r10, %r10, 1;\nadd.s32 %r4, %r4, %r10;\nadd.s32 %r4, %r4, %r11;\nst.global.b32 "
        "[%d2], %r4;\nst.global.b32 [%d2+128], %r9;\nst.global.b32 [%d2+256], %r12;\n",
        32, 1, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t up = i >= 3 ? i - 3 : i, down = i + 4 <= 31 ? i + 4 : i,
                 in_eight = (i & 24) | 2; /* c = 0x181f: segments of 8 */
        CHECK(memory[i] == ((i ^ 5) << 24) + (up << 18) + (down << 12) + (in_eight << 6) +
                               ((uint32_t)(i >= 3) << 5) + 2);
        CHECK(memory[32 + i] == 0x7f && memory[64 + i] == 496);
    }
}

/* ---- counters ---- */

static Count count_of(const char *body, SimOp op) {
    Bench b = bench_new();
    Count found = {0};
    static char data[1 << 16];
    bench_buffer(&b, data, sizeof data);
    CHECK(bench_says(&b, entry_text(b.arena, 1, 32, body), 1, NULL));
    for (int i = 0; i < b.program->code.count; i++)
        if (b.program->code.data[i].op == op) found = b.counts[i]; /* the last of its kind */
    arena_free(b.arena);
    return found;
}

#define STRIDE(n)                                                                                  \
    "mov.u32 %r0, %tid.x;\nld.param.u64 %d0, [param_0];\nmul.wide.u32 %d1, %r0, " #n               \
    ";\nadd.s64 %d2, %d0, %d1;\n"

TEST(occupancy) {
    static const int measured[][3] = {
        {16, 4, 32}, {18, 4, 21}, {24, 4, 21}, {26, 4, 16}, {28, 4, 16},
        {40, 4, 12}, {85, 4, 5},  {95, 4, 5}}; /* on an H200: test/sim/calibrate.h200 */
    for (int i = 0; i < COUNT(measured); i++)
        CHECK(gpu_blocks_by_registers(&bench_gpu, measured[i][0], measured[i][1]) ==
              measured[i][2]);
    Gpu gpu =
        bench_gpu; /* there with as much as the driver gave to shared memory: 32, 64 and 132 KB */
    gpu.shared_per_sm = 32 << 10;
    CHECK(gpu_blocks_by_shared(&gpu, 16) == 28);
    gpu.shared_per_sm = 64 << 10;
    CHECK(gpu_blocks_by_shared(&gpu, 256) == 51);
    CHECK(gpu_blocks_by_shared(&gpu, 128) == 56 && gpu_blocks_by_shared(&gpu, 129) == 51);
    gpu.shared_per_sm = 132 << 10;
    CHECK(gpu_blocks_by_shared(&gpu, 4096) == 26 && gpu_blocks_by_shared(&gpu, 8192) == 14 &&
          gpu_blocks_by_shared(&gpu, 16384) == 7);
}

/* As an H200's driver says (cuOccupancyMaxActiveBlocksPerMultiprocessor), that may choose how much
 * of the cache is shared memory. */
TEST(occupancy_is_the_drivers) {
    static const int shared[] = {0,     1024,  8192,   16384,  40000, 49152,
                                 65536, 98304, 131072, 200000, 232448};
    int registers, threads, rows = 0;
    FILE *file = fopen("test/sim/occupancy.h200", "r");
    CHECK(file != NULL);
    while (file && fscanf(file, "%d %d:", &registers, &threads) == 2) {
        rows++;
        for (int i = 0; i < COUNT(shared); i++) {
            int blocks = -1;
            CHECK(fscanf(file, "%d", &blocks) == 1);
            CHECK(gpu_blocks(&bench_gpu, threads, registers, shared[i]) == blocks);
        }
    }
    CHECK(rows == 64);
    if (file) fclose(file);
}

TEST(bytes_in_flight) {
    /* a warp asks for 128 bytes at a time */
    const struct {
        const char *body;
        uint64_t want;
    } cases[] = {
        {"ld.global.b32 %r4, [%d2];\nld.global.b32 %r5, [%d2+128];\nadd.s32 %r4, %r4, %r5;\n", 256},
        {"ld.global.b32 %r4, [%d2];\nadd.s32 %r4, %r4, 1;\nld.global.b32 %r5, [%d2+128];\nadd.s32 "
         "%r4, %r4, %r5;\n",
         128},
        {"ld.global.b32 %r4, [%d2];\nld.global.b32 %r5, [%d2+128];\nadd.s32 %r4, %r4, "
         "1;\nld.global.b32 %r6, [%d2+256];\n",
         256},
        {"ld.global.b32 %r4, [%d0];\nld.global.b32 %r5, [%d2];\n", 132}, /* all lanes the same 4 */
        {"ld.global.b32 %r4, [%d2];\nst.global.b32 [%d2], %r4;\nld.global.b32 %r5, [%d2+128];\n",
         128},
        {"ld.global.b32 %r4, [%d2];\nsetp.lt.s32 %p4, %r0, 0;\n@%p4 add.s32 %r4, %r4, 1;\n"
         "ld.global.b32 %r5, [%d2+128];\n",
         256}, /* whom no lane executes needs nothing */
        {"ld.global.b32 %r4, [%d2];\nsetp.lt.s32 %p4, %r0, 0;\nselp.b32 %r6, %r0, %r1, "
         "%p4;\nld.global.b32 %r5, [%d2+128];\n",
         256}, /* %p4 is not %r4 */
        {"cp.async.ca.shared.global [%r3], [%d2], "
         "4;\ncp.async.commit_group;\ncp.async.ca.shared.global [%r3+128], [%d2+128], "
         "4;\ncp.async.commit_group;\n"
         "cp.async.wait_group 1;\ncp.async.ca.shared.global [%r3+256], [%d2+256], 4;\n",
         256},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char body[1024];
        Bench b = bench_new();
        snprintf(body, sizeof body, "%s%s%s", SHARED, TID, cases[i].body);
        bench_buffer(&b, memory, sizeof memory);
        CHECK(bench_says(&b, entry_text(b.arena, 1, 32, body), 1, NULL));
        CHECK(b.most_in_flight == cases[i].want);
        arena_free(b.arena);
    }
}

TEST(sectors) {
    static _Alignas(128) char unused;
    (void)unused;
    const struct {
        const char *body;
        uint64_t sectors, least, useful;
    } cases[] = {{STRIDE(4) "and.b64 %d2, %d2, -128;\nadd.s64 %d2, %d2, 128;\nadd.s64 %d2, %d2, "
                            "%d1;\nld.global.b32 %r1, [%d2];",
                  0, 4, 128},
                 {STRIDE(32) "ld.global.b32 %r1, [%d2];", 32, 4, 128},
                 {STRIDE(0) "ld.global.b32 %r1, [%d2];", 1, 1, 4},
                 {STRIDE(16) "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d2];", 0, 16, 512},
                 {STRIDE(128) "ld.global.b64 %d3, [%d2];", 32, 8, 256}};
    for (int i = 0; i < COUNT(cases); i++) {
        Count c = count_of(cases[i].body, SIM_LOAD);
        CHECK(c.requests == 1 && c.ideal_sectors == cases[i].least &&
              c.useful_bytes == cases[i].useful);
        if (cases[i].sectors) CHECK(c.sectors == cases[i].sectors);
    }
}

TEST(bank_conflicts) {
    static const struct {
        int stride;
        const char *suffix, *value;
        uint64_t wavefronts, least;
    } cases[] = {{4, "b32", "%r0", 1, 1},
                 {8, "b32", "%r0", 2, 1},
                 {16, "b32", "%r0", 4, 1},
                 {128, "b32", "%r0", 32, 1},
                 {132, "b32", "%r0", 1, 1},
                 {8, "b64", "%d1", 2, 2},
                 {16, "b64", "%d1", 4, 2},
                 {16, "v4.b32", "{%r0, %r0, %r0, %r0}", 4, 4},
                 {32, "v4.b32", "{%r0, %r0, %r0, %r0}", 8, 4}};
    for (int i = 0; i < COUNT(cases); i++) {
        char body[1024];
        snprintf(body, sizeof body,
                 ".shared .align 16 .b8 s[8192];\nmov.u32 %%r0, %%tid.x;\nmov.u64 %%d1, "
                 "0;\nmad.lo.s32 %%r1, %%r0, %d, 1024;\nst.shared.%s [%%r1], %s;",
                 cases[i].stride, cases[i].suffix, cases[i].value);
        Count c = count_of(body, SIM_STORE);
        CHECK(c.requests == 1 && c.wavefronts == cases[i].wavefronts &&
              c.ideal_wavefronts == cases[i].least);
    }
    Count same = count_of(".shared .align 16 .b8 s[64];\nmov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, "
                          "%r0, 0;\n@%p0 st.shared.b32 [s], 1;\n"
                          "bar.warp.sync -1;\nld.shared.b32 %r0, [s];",
                          SIM_LOAD);
    CHECK(same.requests == 1 && same.wavefronts == 1 &&
          same.ideal_wavefronts == 1); /* a broadcast */
}

/* What stmatrix writes is written by a lane as far as others are concerned. */
TEST(matrices_race) {
    static const char form[] =
        SHARED "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r2, s;\nand.b32 %%r1, %%r0, 31;\n"
               "mad.lo.s32 %%r3, %%r1, 16, %%r2;\nsetp.lt.u32 %%p0, %%r0, 32;\n%s@%%p0 "
               "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%%r3], {%%r0, %%r0, %%r0, %%r0};\n%s"
               "@!%%p0 ld.shared.b32 %%r4, [%%r3];\n";
    static const char before[] = "@!%p0 st.shared.v4.b32 [%r3], {%r0, %r0, %r0, %r0};\n";
    char body[1024];
    snprintf(body, sizeof body, form, "", "");
    expect(body, 64, 1, "shared memory");
    snprintf(body, sizeof body, form, before, "bar.sync 0;\n");
    expect(body, 64, 1, "race in shared memory");
    snprintf(body, sizeof body, form, "", "bar.sync 0;\n");
    expect(body, 64, 1, NULL);
    snprintf(body, sizeof body, form, "add.s32 %r3, %r3, 8;\n", "bar.sync 0;\n");
    expect(body, 64, 1, "align");
}

/* Rows of 16 bytes, of which only the first lanes give addresses: 8 for each matrix. */
TEST(rows_of_matrices) {
    static const struct {
        const char *text;
        uint64_t rows;
    } cases[] = {{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];", 8},
                 {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r3];", 16},
                 {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];", 32}};
    for (int i = 0; i < COUNT(cases); i++) {
        char body[1000];
        const char *form =
            SHARED "mov.u32 %%r0, %%tid.x;\nshl.b32 %%r1, %%r0, 4;\nmov.u32 %%r2, s;\n"
                   "add.s32 %%r3, %%r2, %%r1;\nsetp.lt.u32 %%p0, %%r0, %d;\n@%%p0 "
                   "st.shared.v4.b32 [%%r3], {%%r0, %%r0, %%r0, %%r0};\n"
                   "bar.warp.sync -1;\n%s\n";
        snprintf(body, sizeof body, form, (int)cases[i].rows, cases[i].text);
        Count c = count_of(body, SIM_LDMATRIX);
        CHECK(c.requests == 1 && c.useful_bytes == 16 * cases[i].rows);
        CHECK(c.wavefronts == cases[i].rows / 8 && c.ideal_wavefronts == cases[i].rows / 8);
        snprintf(body, sizeof body, form, (int)cases[i].rows - 1, cases[i].text);
        expect(body, 32, 1, "ldmatrix of shared memory that nobody wrote");
    }
}

/* ---- all words of failures, in the order of the tests above ---- */

/* Addresses differ from run to run. */
static Str without_addresses(Arena *arena, const char *words) {
    Buf out = {.arena = arena};
    for (const char *at = words; *at;) {
        bool is_address = !strncmp(at, "0x", 2) && strspn(at + 2, "0123456789abcdef") > 8;
        if (is_address) {
            buf_puts(&out, "ADDRESS");
            at += 2 + strspn(at + 2, "0123456789abcdef");
        } else
            buf_putc(&out, *at++);
    }
    return buf_str(&out);
}

TEST(words_to_the_letter) {
    static const char path[] = "test/sim/failures.txt";
    Arena *arena = arena_new(NULL);
    Str want = {0}, why;
    Str got = without_addresses(arena, bench_heard.data ? bench_heard.data : "");
    if (getenv("TERN_BLESS"))
        CHECK(file_write(arena, path, got.data, (size_t)got.length, &why));
    else if (got.length) { /* the tests above ran */
        CHECK(file_read(arena, path, 1 << 20, &want, &why));
        CHECK_STR(str_c(arena, got), str_c(arena, want));
    }
    arena_free(arena);
}

TEST_MAIN()
