// SPDX-License-Identifier: Apache-2.0
/* A warp of the simulator: what its special registers say, how lanes that went different ways meet
 * again (each instruction is then executed once), how they return, pack and unpack. */
#include "sim_ptx.h"

enum { WORDS = 4096 };
static uint32_t memory[WORDS];

/* Params: the memory. Threads of a block as given, registers as in entry_text. */
static const char *text_of(Arena *arena, const char *threads, const char *body) {
    const char *text = entry_text(arena, 1, 1, body), *at = strstr(text, ".reqntid 1, 1, 1");
    return str_format(arena, "%.*s.reqntid %s%s", (int)(at - text), text, threads,
                      at + strlen(".reqntid 1, 1, 1"))
        .data;
}

static Bench run_body(const char *threads, const uint32_t grid[3], const char *body) {
    Bench b = bench_new();
    for (int i = 0; i < WORDS; i++) memory[i] = 0xabababab;
    bench_buffer(&b, memory, sizeof memory);
    b.grid_y = grid[1], b.grid_z = grid[2];
    CHECK(bench_says(&b, text_of(b.arena, threads, body), grid[0], NULL));
    return b;
}

/* %d2: where thread %r0 of the block stores, 4 bytes a thread. */
#define TID                                                                                        \
    "ld.param.u64 %d0, [param_0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"              \
    "add.s64 %d2, %d0, %d1;\n"

/* ---- special registers ---- */

enum { X = 4, Y = 3, Z = 5, THREADS = X * Y * Z, BLOCKS = 2 * 3 * 4 };

static void check_special(const char *name, uint32_t (*want)(int thread, int block)) {
    static const uint32_t grid[] = {2, 3, 4};
    char body[1200];
    snprintf(body, sizeof body,
             "ld.param.u64 %%d0, [param_0];\nmov.u32 %%r0, %%tid.z;\nmov.u32 %%r1, %%tid.y;\n"
             "mov.u32 %%r2, %%tid.x;\nmad.lo.s32 %%r0, %%r0, 3, %%r1;\nmad.lo.s32 %%r0, %%r0, 4, "
             "%%r2;\nmov.u32 %%r1, %%ctaid.z;\nmov.u32 %%r2, %%ctaid.y;\nmov.u32 %%r3, %%ctaid.x;\n"
             "mad.lo.s32 %%r1, %%r1, 3, %%r2;\nmad.lo.s32 %%r1, %%r1, 2, %%r3;\n"
             "mad.lo.s32 %%r0, %%r1, 60, %%r0;\nmul.wide.u32 %%d1, %%r0, 4;\n"
             "add.s64 %%d2, %%d0, %%d1;\nmov.u32 %%r4, %s;\nst.global.b32 [%%d2], %%r4;\n",
             name);
    Bench b = run_body("4, 3, 5", grid, body);
    int wrong = 0;
    for (int block = 0; block < BLOCKS; block++)
        for (int thread = 0; thread < THREADS; thread++)
            wrong += memory[block * THREADS + thread] != want(thread, block);
    CHECK(wrong == 0);
    CHECK(memory[BLOCKS * THREADS] == 0xabababab);
    if (wrong) printf("%s: %d wrong\n", name, wrong);
    arena_free(b.arena);
}

#define SPECIAL(name, expression)                                                                  \
    static uint32_t name(int thread, int block) {                                                  \
        (void)thread, (void)block;                                                                 \
        return (uint32_t)(expression);                                                             \
    }
SPECIAL(tid_x, thread % X)
SPECIAL(tid_y, thread / X % Y)
SPECIAL(tid_z, thread / X / Y)
SPECIAL(ntid_x, X)
SPECIAL(ntid_y, Y)
SPECIAL(ntid_z, Z)
SPECIAL(ctaid_x, block % 2)
SPECIAL(ctaid_y, block / 2 % 3)
SPECIAL(ctaid_z, block / 6)
SPECIAL(nctaid_x, 2)
SPECIAL(nctaid_y, 3)
SPECIAL(nctaid_z, 4)
SPECIAL(laneid, thread % 32)
SPECIAL(warpid, thread / 32)
SPECIAL(smid, block)

TEST(special_registers) {
    check_special("%tid.x", tid_x), check_special("%tid.y", tid_y);
    check_special("%tid.z", tid_z), check_special("%ntid.x", ntid_x);
    check_special("%ntid.y", ntid_y), check_special("%ntid.z", ntid_z);
    check_special("%ctaid.x", ctaid_x), check_special("%ctaid.y", ctaid_y);
    check_special("%ctaid.z", ctaid_z), check_special("%nctaid.x", nctaid_x);
    check_special("%nctaid.y", nctaid_y), check_special("%nctaid.z", nctaid_z);
    check_special("%laneid", laneid), check_special("%warpid", warpid);
    check_special("%smid", smid);
}

TEST(clocks) {
    static const uint32_t one[] = {1, 1, 1};
    uint64_t before = (uint64_t)clock_ns();
    Bench b = run_body("1, 1, 1", one,
                       "ld.param.u64 %d0, [param_0];\nmov.u64 %d1, %globaltimer;\nmov.u32 %r1, "
                       "%globaltimer_lo;\nmov.u32 %r2, %globaltimer_hi;\nmov.u64 %d2, %clock64;\n"
                       "mov.u32 %r3, %clock;\nst.global.b64 [%d0], %d1;\nst.global.b32 [%d0+8], "
                       "%r1;\nst.global.b32 [%d0+12], %r2;\nst.global.b64 [%d0+16], %d2;\n"
                       "st.global.b32 [%d0+24], %r3;\n");
    uint64_t after = (uint64_t)clock_ns(), timer, halves, clock;
    memcpy(&timer, memory, 8), memcpy(&halves, memory + 2, 8), memcpy(&clock, memory + 4, 8);
    CHECK(timer >= before && timer <= after);
    if (before >> 32 == after >> 32) CHECK(halves >= timer && halves <= after);
    CHECK(clock > 0 && clock < b.instructions && memory[6] == clock + 1);
    arena_free(b.arena);
}

/* ---- lanes that go different ways ---- */

/* How often the instruction in the line that holds `words` was executed, and by how many lanes. */
static Count count_at(const Bench *b, const char *words) {
    for (int i = 0; i < b->program->code.count; i++)
        if (strstr(str_c(b->arena, source_line(b->program->text, b->program->code.data[i].line)),
                   words))
            return b->counts[i];
    printf("no '%s'\n", words);
    CHECK(false);
    return (Count){0};
}

static const struct {
    const char *what, *body;
    struct {
        const char *words; /* of an instruction */
        uint64_t issued, lanes, divergent;
    } counts[4];
    uint32_t want[4]; /* of lanes 0, 1, 2 and 31 */
} ways[] = {
    {"three ways, each of which falls into the next",
     "rem.u32 %r4, %r0, 3;\nmov.u32 %r5, 0;\nsetp.eq.s32 %p0, %r4, 0;\nsetp.eq.s32 %p1, %r4, 1;\n"
     "@%p0 bra L1;\n@%p1 bra L2;\nadd.s32 %r5, %r5, 100;\nL1:\nadd.s32 %r5, %r5, 10;\nL2:\n"
     "add.s32 %r5, %r5, 1;\nst.global.b32 [%d2], %r5;\n",
     {{"5, 100", 1, 10, 0}, {"5, 10;", 1, 21, 0}, {"5, 1;", 1, 32, 0}, {"@%p1", 1, 11, 1}},
     {11, 1, 111, 1}},
    {"an if whose arms meet",
     "mov.u32 %r5, 0;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra L1;\nadd.s32 %r5, %r5, 10;\nbra L2;\n"
     "L1:\nadd.s32 %r5, %r5, 20;\nL2:\nadd.s32 %r5, %r5, 1;\nst.global.b32 [%d2], %r5;\n",
     {{"5, 10;", 1, 30, 0}, {"5, 20", 1, 2, 0}, {"5, 1;", 1, 32, 0}, {"@%p0", 1, 2, 1}},
     {21, 21, 11, 11}},
    {"a loop of as many turns as the lane's number",
     "mov.u32 %r5, 0;\nL1:\nadd.s32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, %r0;\n@%p0 bra L1;\n"
     "add.s32 %r5, %r5, 100;\nst.global.b32 [%d2], %r5;\n",
     {{"5, 1;", 31, 497, 0}, {"5, 100", 1, 32, 0}, {"@%p0", 31, 465, 30}, {"st.global", 1, 32, 0}},
     {101, 101, 102, 131}},
    {"a branch that all take, or none",
     "mov.u32 %r5, 5;\nsetp.lt.u32 %p0, %r0, 99;\n@%p0 bra L1;\nadd.s32 %r5, %r5, 10;\nL1:\n"
     "@!%p0 bra L2;\nadd.s32 %r5, %r5, 1;\nL2:\nst.global.b32 [%d2], %r5;\n",
     {{"5, 10;", 0, 0, 0}, {"5, 1;", 1, 32, 0}, {"@%p0", 1, 32, 0}, {"@!%p0", 1, 0, 0}},
     {6, 6, 6, 6}},
    {"some lanes return",
     "setp.ge.u32 %p0, %r0, 2;\nmov.u32 %r5, 7;\n@%p0 ret;\nadd.s32 %r5, %r5, 1;\n"
     "st.global.b32 [%d2], %r5;\n",
     {{"5, 7", 1, 32, 0}, {"@%p0", 1, 30, 0}, {"5, 1;", 1, 2, 0}, {"st.global", 1, 2, 0}},
     {8, 8, 0xabababab, 0xabababab}},
    {"some lanes return from one arm, and all others meet",
     "setp.lt.u32 %p0, %r0, 8;\nsetp.ne.s32 %p1, %r0, 1;\nmov.u32 %r5, 7;\n@%p0 bra L1;\n"
     "add.s32 %r5, %r5, 10;\nbra L2;\nL1:\n@%p1 ret;\nadd.s32 %r5, %r5, 20;\nL2:\n"
     "add.s32 %r5, %r5, 1;\nst.global.b32 [%d2], %r5;\n",
     {{"5, 10;", 1, 24, 0}, {"@%p1", 1, 7, 0}, {"5, 20", 1, 1, 0}, {"5, 1;", 1, 25, 0}},
     {0xabababab, 28, 0xabababab, 18}},
    {"a barrier of those that did not return",
     "setp.ge.u32 %p0, %r0, 32;\n@%p0 ret;\nbar.sync 0;\nst.global.b32 [%d2], 3;\n",
     {{"@%p0", 2, 32, 0}, {"bar.sync", 1, 32, 0}, {"st.global", 1, 32, 0}, {"ret", 2, 32, 0}},
     {3, 3, 3, 3}},
};

TEST(lanes_meet_again) {
    static const uint32_t one[] = {1, 1, 1};
    for (int i = 0; i < COUNT(ways); i++) {
        char body[1200];
        snprintf(body, sizeof body, "%s%s", TID, ways[i].body);
        Bench b = run_body(strstr(body, "bar.sync") ? "64, 1, 1" : "32, 1, 1", one, body);
        for (int k = 0; k < 4; k++) {
            Count c = count_at(&b, ways[i].counts[k].words);
            bool fine = c.issued == ways[i].counts[k].issued &&
                        c.lanes == ways[i].counts[k].lanes &&
                        c.divergent == ways[i].counts[k].divergent;
            CHECK(fine);
            if (!fine)
                printf("%s: '%s' was executed %d times, by %d lanes, %d times divergent\n",
                       ways[i].what, ways[i].counts[k].words, (int)c.issued, (int)c.lanes,
                       (int)c.divergent);
            static const int lanes[] = {0, 1, 2, 31};
            CHECK(memory[lanes[k]] == ways[i].want[k]);
        }
        uint64_t issued = 0;
        for (int k = 0; k < b.program->code.count; k++) issued += b.counts[k].issued;
        CHECK(issued == b.instructions);
        arena_free(b.arena);
    }
}

/* ---- words of several parts ---- */

TEST(parts_of_words) {
    static const uint32_t one[] = {1, 1, 1};
    Bench b = run_body(
        "32, 1, 1", one,
        TID "mul.lo.s32 %r1, %r0, 0x01030507;\nadd.s32 %r1, %r1, 0xfffe0003;\nmov.b32 {%h0, %h1}, "
            "%r1;\nmov.b32 %r2, {%h1, %h0};\nmul.wide.u32 %d3, %r1, 0xfedcba98;\n"
            "mov.b64 {%r3, %r4}, %d3;\nmov.b64 %d4, {%r4, %r3};\nmov.b64 {%r5, %r6}, %d4;\n"
            ".reg .b8 %b<9>;\nmov.b32 {%b0, %b1, %b2, %b3}, %r1;\nmov.b32 %r7, {%b3, %b1, %b0, "
            "%b2};\nst.global.b32 [%d2], %r2;\nst.global.b32 [%d2+128], %r5;\n"
            "st.global.b32 [%d2+256], %r6;\nst.global.b32 [%d2+384], %r7;\n");
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t word = lane * 0x01030507 + 0xfffe0003;
        uint64_t wide = (uint64_t)word * 0xfedcba98;
        CHECK(memory[lane] == (word >> 16 | word << 16));
        CHECK(memory[32 + lane] == (uint32_t)(wide >> 32) && memory[64 + lane] == (uint32_t)wide);
        CHECK(memory[96 + lane] ==
              ((word >> 24) | (word & 0xff00) | (word & 0xff) << 16 | (word >> 16 & 0xff) << 24));
    }
    arena_free(b.arena);
}

/* A loop of 8192 turns that counts in predicates alone ends: it is not one in which nothing
 * changes. */
TEST(a_loop_that_counts_in_predicates) {
    enum { BITS = 13 };
    Arena *arena = arena_new(NULL);
    Buf body = {.arena = arena};
    buf_puts(&body, "{\n.reg .pred %q<16>;\nld.param.u64 %d0, [param_0];\n");
    for (int i = 0; i < BITS + 2; i++) buf_printf(&body, "setp.ne.s32 %%q%d, 0, 0;\n", i);
    buf_printf(&body, "L1:\nsetp.eq.s32 %%q%d, 0, 0;\n", BITS); /* the carry */
    for (int i = 0; i < BITS; i++)
        buf_printf(&body,
                   "and.pred %%q%d, %%q%d, %%q%d;\nxor.pred %%q%d, %%q%d, %%q%d;\n"
                   "mov.pred %%q%d, %%q%d;\n",
                   BITS + 1, i, BITS, i, i, BITS, BITS, BITS + 1);
    buf_printf(&body, "@!%%q%d bra L1;\nst.global.b32 [%%d0], 7;\n}\n", BITS);
    Bench b = run_body("1, 1, 1", (const uint32_t[]){1, 1, 1}, body.data);
    CHECK(memory[0] == 7 && b.instructions > (1 << BITS) * (3 * BITS + 2));
    arena_free(b.arena);
    arena_free(arena);
}

/* What nobody set is the same whoever had the registers before: not what the block before left. */
TEST(what_nobody_set_is_the_same_in_all_blocks) {
    Bench b = run_body("32, 1, 1", (const uint32_t[]){3, 1, 1},
                       TID "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d3, %r1, 128;\n"
                           "add.s64 %d2, %d2, %d3;\nselp.b32 %r2, 1, 0, %p7;\n"
                           "st.global.b32 [%d2], %r2;\nst.global.b32 [%d2+512], %r9;\n"
                           "st.global.b32 [%d2+1024], %r8;\n"
                           "setp.eq.s32 %p7, %r0, %r1;\nmov.b32 %r8, %r1;\nmov.b32 %r9, %r0;\n");
    for (int i = 0; i < 96; i++) {
        CHECK(memory[i] == (0xcdcdcdcd >> i % 32 & 1));
        CHECK(memory[128 + i] == 0xcdcdcdcd && memory[256 + i] == 0xcdcdcdcd);
    }
    arena_free(b.arena);
}

TEST_MAIN()
