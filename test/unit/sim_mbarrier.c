// SPDX-License-Identifier: Apache-2.0
/* What the simulator says of mbarriers, copies that arrive at them, named barriers that one passes,
 * and registers that warpgroups give each other: texts that keep the rules, and for each rule one
 * that does not. */
#include "sim_ptx.h"

static uint32_t memory[256];
static bool broken; /* ptxas refuses some, too */

#define ARRIVE_FULL "mbarrier.arrive.shared.b64 _, [%r8+2048];\n"
#define HEAD                                                                                       \
    ".shared .align 1024 .b8 s[4096];\n"                                                           \
    "ld.param.u64 %d0, [param_0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"              \
    "add.s64 %d2, %d0, %d1;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n"      \
    "setp.eq.u32 %p0, %r0, 0;\nsetp.lt.u32 %p1, %r0, 32;\n"
/* Barriers at 2048 and on; data before. */
#define INIT(at, count) "@%p0 mbarrier.init.shared.b64 [s+" at "], " count ";\n"
#define SYNC            "bar.sync 0;\n"
#define ARRIVE(at)      "mbarrier.arrive.shared.b64 _, [s+" at "];\n"
#define WAIT(label, at, parity)                                                                    \
    label ":\nmbarrier.try_wait.parity.shared.b64 %p2, [s+" at "], " parity ";\n@!%p2 bra " label  \
          ";\n"

static int saw(const char *body, int threads, const char *words, uint64_t seed) {
    Bench b = bench_new();
    b.seed = seed, b.broken = broken;
    for (int i = 0; i < COUNT(memory); i++) memory[i] = (uint32_t)i;
    bench_buffer(&b, memory, sizeof memory);
    return bench_ends(&b, entry_text(b.arena, 1, threads, body), 1, words);
}

/* Says the same in every order. */
static void expect(const char *body, int threads, const char *words) {
    for (uint64_t seed = 0; seed < 6; seed++) CHECK(saw(body, threads, words, seed));
}

/* Fails in some order, with these words or others. */
static void expect_caught(const char *body, int threads) {
    int caught = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        Bench b = bench_new();
        b.seed = seed, b.broken = broken;
        bench_buffer(&b, memory, sizeof memory);
        bool ran = bench_run(&b, entry_text(b.arena, 1, threads, body), 1);
        CHECK(ran);
        caught += b.failure.status != TERN_OK;
        arena_free(b.arena);
    }
    if (!caught) printf("not caught:\n%s\n", body);
    CHECK(caught);
}

/* Warp 0 writes, warp 1 reads. */
#define PASS_ON(init, sync, write, arrive, wait)                                                   \
    HEAD init sync "@%p1 bra L1;\n" wait "ld.shared.b32 %r4, [%r1+-128];\nst.global.b32 [%d2], "   \
                   "%r4;\nbra L9;\nL1:\n" write arrive "L9:\n"

TEST(a_wait_sees_what_arrived_before) {
    const char *write = "st.shared.b32 [%r1], %r0;\n";
    char body[4096];
    (void)write;
    expect(PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                   WAIT("W1", "2048", "0")),
           64, NULL);
    for (uint32_t i = 0; i < 32; i++) CHECK(memory[32 + i] == i);
    /* by state, by a test in a loop, with counts, relative to a register */
    expect(PASS_ON(INIT("2048", "64"), SYNC, "st.shared.b32 [%r1], %r0;\n",
                   "mbarrier.arrive.release.cta.shared::cta.b64 %d4, [%r2+2048], 2;\n"
                   "W2: mbarrier.test_wait.acquire.cta.shared::cta.b64 %p2, [%r2+2048], %d4;\n"
                   "@!%p2 bra W2;\n",
                   "W1: mbarrier.test_wait.parity.shared.b64 %p2, [s+2048], 0;\n@!%p2 bra W1;\n"),
           64, NULL);
    /* one lane for its warp, after a sync; without that what the others wrote is not released */
    expect(PASS_ON(INIT("2048", "1"), SYNC, "st.shared.b32 [%r1], %r0;\n",
                   "bar.warp.sync -1;\n@%p0 " ARRIVE("2048"), WAIT("W1", "2048", "0")),
           64, NULL);
    expect(PASS_ON(INIT("2048", "1"), SYNC, "st.shared.b32 [%r1], %r0;\n", "@%p0 " ARRIVE("2048"),
                   WAIT("W1", "2048", "0")),
           64, "race in shared memory");
    /* the lane that waited, and after a sync all; but not another lane */
    expect(PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                   "setp.ne.u32 %p3, %r0, 32;\n@%p3 bra W5;\n" WAIT(
                       "W1", "2048", "0") "W5:\nbar.warp.sync -1;\n"),
           64, NULL);
    expect(PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                   "setp.ne.u32 %p3, %r0, 32;\n@%p3 bra L9;\n" WAIT("W1", "2048", "0")),
           64, NULL);
    expect_caught(
        PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                "setp.ne.u32 %p3, %r0, 32;\n@%p3 bra W5;\n" WAIT("W1", "2048", "0") "W5:\n"),
        64);
    /* it passes on what it knows: by an arrival of its own at another */
    expect(HEAD INIT("2048", "32") INIT("2056", "1") SYNC
           "@%p1 bra L1;\nsetp.ge.u32 %p3, %r0, 64;\n@%p3 bra L2;\n"
           "setp.ne.u32 %p3, %r0, 32;\n@%p3 bra L9;\n" WAIT("W1", "2048", "0")
               ARRIVE("2056") "bra L9;\nL2:\n" WAIT(
                   "W2", "2056", "0") "ld.shared.b32 %r4, [%r1+-256];\nbra L9;\n"
                                      "L1:\nst.shared.b32 [%r1], %r0;\n" ARRIVE("2048") "L9:\n",
           96, NULL);
    /* written behind the arrival, read before the wait, no wait, no loop around it */
    expect_caught(PASS_ON(INIT("2048", "32"), SYNC, "",
                          ARRIVE("2048") "st.shared.b32 [%r1], %r0;\n", WAIT("W1", "2048", "0")),
                  64);
    expect_caught(
        PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"), ""), 64);
    expect_caught(PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                          "mbarrier.try_wait.parity.shared.b64 %p2, [s+2048], 0;\n"),
                  64);
    /* the phase before the first has ended: nobody needs to arrive for that */
    expect_caught(PASS_ON(INIT("2048", "32"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                          WAIT("W1", "2048", "1")),
                  64);
    expect(HEAD INIT("2048", "32") SYNC WAIT("W1", "2048", "1"), 64, NULL);
    snprintf(body, sizeof body, "%s",
             PASS_ON(INIT("2048", "33"), SYNC, "st.shared.b32 [%r1], %r0;\n", ARRIVE("2048"),
                     WAIT("W1", "2048", "0")));
    expect(body, 64, "deadlock");
    expect(body, 64, "waits for phase 0 of the mbarrier at byte 2048, where 1 of 33 have not come");
}

/* An arrival releases what its own lanes did, however often they come; it is no sync of a warp. */
TEST(arrivals_of_one_lane) {
#define READ_TWICE(between)                                                                        \
    HEAD INIT("2048", "1") INIT(                                                                   \
        "2056", "1") "st.shared.b32 [%r1], 1;\n" SYNC "@%p1 bra L1;\n" WAIT("W1", "2048", "0")     \
        WAIT(                                                                                      \
            "W2", "2056",                                                                          \
            "0") "st.shared.b32 [%r1+-128], 2;\nbra L9;\nL1:\nld.shared.b32 %r4, [%r1];\n" between \
                 "@!%p0 bra L9;\n" ARRIVE("2048") ARRIVE("2056") "L9:\n"
    expect(READ_TWICE("bar.warp.sync -1;\n"), 64, NULL);
    expect_caught(READ_TWICE(""), 64);
#define NEXT_LANE(between)                                                                         \
    HEAD INIT("2048", "1") "st.shared.b32 [%r1], %r0;\n@%p0 " ARRIVE("2048") between               \
        "xor.b32 %r5, %r1, 8;\nld.shared.b32 %r4, [%r5];\n"
    expect(NEXT_LANE("bar.warp.sync -1;\n"), 32, NULL);
    expect(NEXT_LANE(""), 32, "race in shared memory");
    /* lanes meet at an mbarrier, too */
#define MEET_THERE(wait)                                                                           \
    HEAD INIT("2048", "32") "bar.warp.sync -1;\nst.shared.b32 [%r1], %r0;\n" ARRIVE("2048") wait   \
        "xor.b32 %r5, %r1, 8;\nld.shared.b32 %r4, [%r5];\n"
    expect(MEET_THERE(WAIT("W1", "2048", "0")), 32, NULL);
    expect(MEET_THERE(""), 32, "race in shared memory");
    expect_caught(
        MEET_THERE("setp.ne.u32 %p3, %r0, 0;\n@%p3 bra W5;\n" WAIT("W1", "2048", "0") "W5:\n"), 32);
    /* a part of the lanes, each at its own time: what all of them did */
    expect(
        HEAD INIT("2048", "2") "st.shared.b32 [%r1], 1;\n" SYNC "@%p1 bra L1;\n" WAIT(
            "W1", "2048", "0") "st.shared.b32 [s], 2;\nbra L9;\n"
                               "L1:\nsetp.ge.u32 %p3, %r0, 2;\n@%p3 bra L9;\nld.shared.b32 %r4, "
                               "[s];\n@%p0 " ARRIVE(
                                   "2048") "setp.eq.u32 %p3, %r0, 1;\n@%p3 " ARRIVE("2048") "L9:\n",
        33, NULL);
    expect_caught(
        HEAD INIT("2048", "2") "st.shared.b32 [%r1], 1;\n" SYNC "@%p1 bra L1;\n" WAIT(
            "W1", "2048", "0") "st.shared.b32 [s], 2;\nbra L9;\n"
                               "L1:\nsetp.ge.u32 %p3, %r0, 2;\n@%p3 bra L9;\nld.shared.b32 %r4, "
                               "[s];\n@%p0 " ARRIVE("2048") "@%p0 " ARRIVE("2048") "L9:\n",
        33);
}

TEST(what_an_mbarrier_is) {
    static const struct {
        const char *body, *words;
    } cases[] = {
        {HEAD "@%p0 " ARRIVE("2048"), "mbarrier.arrive where there is no mbarrier: byte 2048"},
        {HEAD "@%p0 mbarrier.inval.shared.b64 [s];\n", "where there is no mbarrier"},
        {HEAD WAIT("W1", "2048", "0"), "where there is no mbarrier"},
        {HEAD INIT("2048", "1") "@%p0 " ARRIVE("2056"), "where there is no mbarrier: byte 2056"},
        {HEAD INIT("2048", "1") INIT("2048", "1"), "that was not made invalid"},
        {HEAD INIT("2048", "1") "@%p0 mbarrier.inval.shared.b64 [s+2048];\n" INIT("2048", "1"),
         NULL},
        {HEAD INIT("2048", "0"), "an mbarrier for 0 arrivals"},
        {HEAD INIT("2048", "1048576"), "an mbarrier for 1048576 arrivals"},
        {HEAD INIT("2048", "1048575"), NULL},
        {HEAD INIT("2052", "1"), "which is not a multiple of that"},
        {HEAD INIT("4096", "1"), "outside shared memory"},
        {HEAD INIT("2048", "1") "@%p0 ld.shared.b32 %r4, [s+2052];\n", "that is of an mbarrier"},
        {HEAD INIT("2048", "1") "@%p0 st.shared.b32 [s+2048], 1;\n", "that is of an mbarrier"},
        {HEAD INIT("2048", "1") "@%p0 red.shared.add.u32 [s+2048], 1;\n", "that is of an mbarrier"},
        {HEAD INIT("2048", "1") "@%p0 cp.async.ca.shared.global [s+2048], [%d0], 4;\n",
         "that is of an mbarrier"},
        {HEAD INIT("2048", "1") "@%p0 mbarrier.inval.shared.b64 [s+2048];\n"
                                "@%p0 st.shared.b32 [s+2048], 1;\n",
         NULL},
        {HEAD INIT("2048", "1") "@%p0 mbarrier.inval.shared.b64 [s+2048];\n"
                                "@%p0 ld.shared.b32 %r4, [s+2048];\n",
         "that nobody wrote"},
        {HEAD "@%p0 cp.async.ca.shared.global [s+2048], [%d0], 4;\n" INIT("2048", "1"),
         "a cp.async is under way"},
        {HEAD INIT("2048", "2") "@%p0 mbarrier.arrive.shared.b64 _, [s+2048], 2;\n", NULL},
        {HEAD INIT("2048", "2") "@%p0 mbarrier.arrive.shared.b64 _, [s+2048], 3;\n",
         "3 arrivals at an mbarrier that waits for 2 more"},
        {HEAD "mov.u32 %r4, 0;\n" INIT("2048",
                                       "2") "@%p0 mbarrier.arrive.shared.b64 _, [s+2048], %r4;\n",
         "0 arrivals"},
        {HEAD "mov.u32 %r4, 2;\n" INIT(
             "2048", "2") "@%p0 mbarrier.test_wait.parity.shared.b64 %p2, [s+2048], %r4;\n",
         "waits for parity 2"},
        {HEAD INIT("2048", "1")
             INIT("2056", "1") "@%p0 mbarrier.arrive.shared.b64 %d4, [s+2048];\n"
                               "@%p0 mbarrier.test_wait.shared.b64 %p2, [s+2056], %d4;\n",
         "not one of this mbarrier's"},
        {HEAD INIT("2048", "1") "@%p0 mbarrier.arrive.shared.b64 %d4, [s+2048];\n"
                                "@%p0 mbarrier.test_wait.shared.b64 %p2, [s+2048], %d4;\n",
         NULL},
        {HEAD INIT("2048", "1") "@%p0 mbarrier.arrive.shared.b64 %d4, [s+2048];\n@%p0 " ARRIVE(
             "2048") "@%p0 mbarrier.test_wait.shared.b64 %p2, [s+2048], %d4;\n",
         "waits for phase 0 of an mbarrier that is in phase 2"},
        /* others know of it without a barrier between */
        {HEAD INIT("2048", "64") ARRIVE("2048"), "there is no mbarrier"},
        {HEAD INIT("2048", "64") "fence.mbarrier_init.release.cluster;\n" SYNC ARRIVE("2048"),
         NULL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        bool races = i == COUNT(cases) - 2; /* by the order, a race or no mbarrier yet */
        if (races)
            expect_caught(cases[i].body, 64);
        else
            expect(cases[i].body, 64, cases[i].words);
    }
    expect(HEAD INIT("2048", "32") ARRIVE("2048"), 32, "race in shared memory");
    expect(HEAD INIT("2048", "32") "bar.warp.sync -1;\n" ARRIVE("2048"), 32, NULL);
    /* made invalid while others may still wait */
    expect_caught(HEAD INIT("2048", "64") SYNC ARRIVE("2048")
                      WAIT("W1", "2048", "0") "@%p0 mbarrier.inval.shared.b64 [s+2048];\n",
                  64);
    expect(HEAD INIT("2048", "64") SYNC ARRIVE("2048") WAIT("W1", "2048", "0") SYNC
           "@%p0 mbarrier.inval.shared.b64 [s+2048];\n",
           64, NULL);
}

/* A thread that goes on to a phase after which another has ended takes that one's parity for it. */
TEST(parities_two_phases_old) {
    const char *late = HEAD INIT("2048", "1") "@!%p0 bra L9;\n" ARRIVE("2048")
        WAIT("W1", "2048", "0") ARRIVE("2048") WAIT("W2", "2048", "1") ARRIVE("2048") ARRIVE("2048")
            WAIT("W3", "2048", "0") "L9:\n";
    expect(late, 32, "waits for phase 2 of an mbarrier that is in phase 4");
    /* the phase before the one under way may be waited for, twice */
    expect(HEAD INIT("2048", "1") "@!%p0 bra L9;\n" ARRIVE("2048") WAIT("W1", "2048", "0")
               ARRIVE("2048") WAIT("W2", "2048", "1") ARRIVE("2048") WAIT("W3", "2048", "0")
                   WAIT("W4", "2048", "0") "L9:\n",
           32, NULL);
    /* every other one */
    expect(HEAD INIT("2048", "1") "@!%p0 bra L9;\n" ARRIVE("2048") WAIT("W1", "2048", "0")
               ARRIVE("2048") ARRIVE("2048") WAIT("W2", "2048", "0") ARRIVE("2048") ARRIVE("2048")
                   WAIT("W3", "2048", "0") "L9:\n",
           32, NULL);
}

/* ---- a ring ---- */

/* Warp 0 copies 4 turns of 32 words into two slots, warp 1 reads them and adds them up. */
static const char ring_head[] =
    HEAD INIT("2048", "32") INIT("2056", "32") INIT("2064", "32") INIT("2072", "32") SYNC
    "and.b32 %r5, %r0, 31;\nshl.b32 %r5, %r5, 2;\nadd.s32 %r5, %r5, %r2;\n"
    "mov.u32 %r6, 0;\nmov.u32 %r10, 0;\nadd.s64 %d3, %d0, %d1;\n"
    "L1:\nand.b32 %r7, %r6, 1;\nshl.b32 %r8, %r7, 3;\nadd.s32 %r8, %r8, %r2;\n"
    "shl.b32 %r9, %r7, 7;\nadd.s32 %r9, %r9, %r5;\nshr.u32 %r11, %r6, 1;\nand.b32 %r11, %r11, 1;\n"
    "xor.b32 %r12, %r11, 1;\n@!%p1 bra L5;\n";
static const char ring_tail[] =
    "L7:\nadd.s32 %r6, %r6, 1;\nadd.s64 %d2, %d2, 128;\nsetp.lt.u32 %p3, %r6, 4;\n@%p3 bra L1;\n"
    "@%p1 bra L9;\nst.global.b32 [%d3+384], %r10;\nL9:\n";
#define WAIT_EMPTY "W1: mbarrier.try_wait.parity.shared.b64 %p4, [%r8+2064], %r12;\n@!%p4 bra W1;\n"
#define WAIT_FULL  "W2: mbarrier.try_wait.parity.shared.b64 %p4, [%r8+2048], %r11;\n@!%p4 bra W2;\n"
#define TAKE       "cp.async.ca.shared.global [%r9], [%d2], 4;\n"
#define TELL       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8+2048];\n"
#define USE        "bra L7;\nL5:\n"
#define READ       "ld.shared.b32 %r13, [%r9];\nadd.s32 %r10, %r10, %r13;\n"
#define GIVE       "mbarrier.arrive.shared.b64 _, [%r8+2064];\n"

static const char *ring(Arena *arena, const char *a, const char *b, const char *c, const char *d) {
    return str_format(arena, "%s%s%s%s%s%s%s%s%s", ring_head, a, TAKE, b, USE, c, READ, d,
                      ring_tail)
        .data;
}

TEST(copies_arrive) {
    Arena *arena = arena_new(NULL);
    expect(ring(arena, WAIT_EMPTY, TELL, WAIT_FULL, GIVE), 64, NULL);
    for (uint64_t seed = 0; seed < 16; seed++) {
        CHECK(saw(ring(arena, WAIT_EMPTY, TELL, WAIT_FULL, GIVE), 64, NULL, seed));
        CHECK(memory[128] == 32 + 64 + 96);
    }
    /* one that is not counted keeps the phase open, but does not end it */
    const char *more = "cp.async.mbarrier.arrive.shared.b64 [%r8+2048];\n";
    expect(
        ring(arena, WAIT_EMPTY, str_format(arena, "%s%s", more, ARRIVE_FULL).data, WAIT_FULL, GIVE),
        64, NULL);
    expect(ring(arena, WAIT_EMPTY, more, WAIT_FULL, GIVE), 64, "deadlock");
    expect_caught(ring(arena, "", TELL, WAIT_FULL, GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, "", WAIT_FULL, GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, TELL, "", GIVE), 64);
    expect_caught(ring(arena, WAIT_EMPTY, TELL, WAIT_FULL, ""), 64);
    expect_caught(ring(arena, WAIT_EMPTY, ARRIVE_FULL, WAIT_FULL, GIVE), 64);
    /* waited for, and then told of by the thread itself */
    expect(ring(arena, WAIT_EMPTY, "cp.async.wait_all;\n" ARRIVE_FULL, WAIT_FULL, GIVE), 64, NULL);
    /* given back before it is read */
    expect_caught(ring(arena, WAIT_EMPTY, TELL, WAIT_FULL GIVE READ, ""), 64);
    arena_free(arena);
}

/* Broken text is refused, or fails, or runs, and stays within its memory. */
TEST(broken_rings) {
    static const char signs[] = "0123456789%rdp.,;[]+-@!_:bLsu \n";
    uint64_t state = 7;
    int ran = 0;
    for (int round = 0; round < 1500; round++) {
        Bench b = bench_new();
        bench_buffer(&b, memory, sizeof memory);
        const char *text =
            entry_text(b.arena, 1, 64, ring(b.arena, WAIT_EMPTY, TELL, WAIT_FULL, GIVE));
        char *bad = (char *)(uintptr_t)str_copy(b.arena, str_of(text)).data;
        for (int i = 0; i < 1 + round % 3; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (state >> 33) % strlen(text);
            while (round & 1 && at && !(bad[at] >= '0' && bad[at] <= '9')) at--;
            bad[at] = signs[(state >> 20) % (round & 1 ? 10 : sizeof signs - 1)];
        }
        b.seed = (uint64_t)round & 3, b.budget = 20000, b.broken = true;
        ran += bench_run(&b, bad, 2);
        arena_free(b.arena);
    }
    CHECK(ran > 100 && ran < 1450);
}

/* ---- barriers that one passes ---- */

TEST(named_barriers) {
#define PASS(write, pass, wait)                                                                    \
    HEAD "@%p1 bra L1;\n" wait "ld.shared.b32 %r4, [%r1+-128];\nbra L9;\nL1:\n" write pass "L9:\n"
    expect(PASS("st.shared.b32 [%r1], 1;\n", "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n"), 64, NULL);
    expect(
        PASS("st.shared.b32 [%r1], 1;\n", "barrier.cta.arrive.aligned 1, 64;\n", "bar.sync 1;\n"),
        64, NULL);
    expect_caught(PASS("", "bar.arrive 1, 64;\nst.shared.b32 [%r1], 1;\n", "bar.sync 1, 64;\n"),
                  64);
    expect_caught(PASS("st.shared.b32 [%r1], 1;\n", "bar.arrive 2, 64;\n", "bar.sync 1, 64;\n"),
                  64);
    expect(PASS("st.shared.b32 [%r1], 1;\n", "", "bar.sync 1, 64;\n"), 64, "deadlock");
    expect(HEAD "bar.arrive 1, 64;\nbar.arrive 1, 64;\n" SYNC, 64, NULL);
    expect_caught(PASS("", "bar.arrive 1, 64;\n", "bar.sync 1, 32;\n"), 64);
    expect_caught(PASS("", "bar.arrive 1, 64;\nbar.sync 2, 64;\n", "bar.sync 1, 64;\n"), 64);
    /* what waits knows nothing of who waits, nor who passes */
    expect_caught(HEAD "@%p1 bra L1;\nst.shared.b32 [%r1+-128], 1;\nbar.sync 1, 64;\nbra L9;\n"
                       "L1:\nbar.arrive 1, 64;\nld.shared.b32 %r4, [%r1];\nL9:\n",
                  64);
    /* again and again */
    expect(HEAD
           "mov.u32 %r6, 0;\nL1:\n@%p1 bra L2;\nbar.sync 1, 64;\nld.shared.b32 %r4, [%r1+-128];\n"
           "bar.arrive 2, 64;\nbra L3;\nL2:\nst.shared.b32 [%r1], %r6;\nbar.arrive 1, 64;\n"
           "bar.sync 2, 64;\nL3:\nadd.s32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 5;\n@%p3 bra L1;\n",
           64, NULL);
}

/* ---- registers ---- */

TEST(registers_of_warpgroups) {
#define GROUPS(first, second)                                                                      \
    HEAD "setp.lt.u32 %p1, %r0, 128;\n@%p1 bra L1;\n" second "bra L9;\nL1:\n" first "L9:\n"
#define FEWER(n) "setmaxnreg.dec.sync.aligned.u32 " n ";\n"
#define MEET     "bar.sync 1, 128;\n"
#define MORE(n)  "setmaxnreg.inc.sync.aligned.u32 " n ";\n"
    /* 384 threads have 168 each: 128 of one group for two of 64 more each */
    expect(GROUPS(FEWER("40"), MORE("232")), 384, NULL);
    expect(GROUPS(FEWER("40"), MORE("240")), 384, "waits for registers, of which");
    expect(GROUPS(FEWER("40"), MORE("240")), 384, "deadlock");
    expect(GROUPS("", MORE("176")), 384, "deadlock");
    broken = true;
    expect(GROUPS(FEWER("176"), ""), 384, "setmaxnreg.dec to 176 of a thread that has 168");
    expect(GROUPS(FEWER("40") MEET MORE("168"), FEWER("160")), 384, NULL);
    expect(GROUPS(FEWER("40") MEET MORE("32"), ""), 384,
           "setmaxnreg.inc to 32 of a thread that has 40");
    /* no barrier, one of others, one of a part of the group */
    expect(GROUPS(FEWER("40") MORE("168"), FEWER("160")), 384, "no barrier stands between");
    expect_caught(GROUPS(MEET FEWER("40") MORE("168"), FEWER("160")), 384);
    expect_caught(GROUPS(FEWER("40") "setp.lt.u32 %p3, %r0, 64;\n@%p3 bra L3;\nbar.sync 2, 64;\n"
                                     "bra L4;\nL3:\nbar.sync 1, 64;\nL4:\n" MORE("168"),
                         FEWER("160")),
                  384);
    expect(HEAD FEWER("40"), 96, "is not one of a group of four");
    expect(HEAD "setp.lt.u32 %p1, %r0, 96;\n@%p1 bra L1;\n" FEWER("40") "bra L9;\nL1:\n" FEWER(
               "48") "L9:\n",
           128, "change their registers differently");
    expect(HEAD "setp.lt.u32 %p1, %r0, 96;\n@%p1 " FEWER("40"), 128, "changed its registers");
    expect(HEAD "setp.lt.u32 %p1, %r0, 16;\n@%p1 " FEWER("40"), 128, "divergent code");
    broken = false;
}

/* ---- what is no PTX, of a version or a target ---- */

TEST(what_stands_where) {
    static const Form rows[] = {
        {"7.0", "sm_80", "mbarrier.arrive.shared.b64 %d1, [s];", NULL},
        {"7.0", "sm_80", "mbarrier.arrive.shared.b64 _, [s];", "a version of PTX that is too old"},
        {"7.1", "sm_80", "mbarrier.arrive.shared.b64 _, [s];", NULL},
        {"7.1", "sm_80", "mbarrier.arrive.shared::cta.b64 _, [s];", "a version"},
        {"8.0", "sm_80", "mbarrier.arrive.release.cta.shared::cta.b64 _, [s];", NULL},
        {"7.8", "sm_90", "mbarrier.arrive.release.cta.shared::cta.b64 _, [s];", "a version"},
        {"8.0", "sm_80", "mbarrier.arrive.shared.b64 _, [s], 2;", "a target that is too old"},
        {"8.0", "sm_90", "mbarrier.arrive.shared.b64 _, [s], 2;", NULL},
        {"8.0", "sm_90", "mbarrier.arrive.shared.b64 _, [s], 0;", "does not fit"},
        {"7.0", "sm_80", "mbarrier.test_wait.shared.b64 %p1, [s], %d1;", NULL},
        {"7.0", "sm_80", "mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;", "a version"},
        {"7.1", "sm_80", "mbarrier.test_wait.parity.shared.b64 %p1, [s], 0;", NULL},
        {"7.1", "sm_80", "mbarrier.test_wait.parity.shared.b64 %p1, [s], 2;", "does not fit"},
        {"7.1", "sm_80", "mbarrier.test_wait.parity.shared.b64 %p1, [s], 0, 9;", "takes 3"},
        {"8.0", "sm_80", "mbarrier.try_wait.parity.shared.b64 %p1, [s], 0;", "a target"},
        {"7.8", "sm_90", "mbarrier.try_wait.parity.shared.b64 %p1, [s], 0, 9;", NULL},
        {"8.0", "sm_90", "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [s], %r1;",
         NULL},
        {"8.0", "sm_90", "mbarrier.try_wait.shared.b64 %p1, [s], %d1;", NULL},
        {"8.0", "sm_90", "mbarrier.try_wait.shared.b64 %r1, [s], %d1;", "does not fit"},
        {"8.0", "sm_90", "mbarrier.complete_tx.shared.b64 [s], 16;", "this instruction or form"},
        {"8.0", "sm_90", "mbarrier.arrive.noComplete.shared.b64 %d1, [s], 1;", "this instruction"},
        {"8.0", "sm_90", "mbarrier.init.b64 [%d1], 1;", "this instruction or form"},
        {"7.0", "sm_80", "cp.async.mbarrier.arrive.noinc.shared.b64 [s];", NULL},
        {"7.0", "sm_80", "bar.arrive 1, 64;", NULL},
        {"7.0", "sm_80", "bar.arrive 1;", "takes 2 operands, not 1"},
        {"7.0", "sm_80", "bar.arrive 1, 40;", "a multiple of 32"},
        {"7.1", "sm_80", "bar.cta.arrive 1, 64;", "a version"},
        {"8.0", "sm_90", "fence.mbarrier_init.release.cluster;", NULL},
        {"7.8", "sm_90", "fence.mbarrier_init.release.cluster;", "a version"},
        {"8.0", "sm_90a", "setmaxnreg.dec.sync.aligned.u32 24;", NULL},
        {"8.0", "sm_90", "setmaxnreg.dec.sync.aligned.u32 24;", "a target that is not sm_90a"},
        {"8.0", "sm_90a", "setmaxnreg.dec.sync.aligned.u32 28;", "does not fit"},
        {"8.0", "sm_90a", "setmaxnreg.dec.sync.aligned.u32 16;", "does not fit"},
        {"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 264;", "does not fit"},
        {"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 %r1;", "does not fit"},
    };
    static const char head[] = "()\n.reqntid 128, 1, 1\n.maxnreg 128\n{\n.reg .pred %p<9>;\n"
                               ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 8 .b8 s[64];\n";
    for (int i = 0; i < COUNT(rows); i++) CHECK(form_is_as_said(&rows[i], head));
}

TEST_MAIN()
