// SPDX-License-Identifier: Apache-2.0
/* How far the simulator follows: how many places that order accesses, how many blocks there are at
 * a time. What lies beyond is said. */
#include "sim_ptx.h"

static uint32_t memory[8192];

/* After atomics on so many places, each of which orders what is before it: a race of all lanes. */
static void check_places(int places, uint64_t seed, bool is_followed) {
    char body[800];
    Bench b = bench_new();
    b.seed = seed;
    memset(memory, 0, sizeof memory);
    bench_buffer(&b, memory, sizeof memory);
    snprintf(body, sizeof body,
             "ld.param.u64 %%d0, [param_0];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%r0;\nL1:\n"
             "setp.ge.u32 %%p0, %%r1, %d;\n@%%p0 bra L2;\nmul.wide.u32 %%d1, %%r1, 4;\n"
             "add.s64 %%d2, %%d0, %%d1;\natom.acq_rel.gpu.global.add.u32 %%r2, [%%d2], 1;\n"
             "add.s32 %%r1, %%r1, 32;\nbra L1;\nL2:\nst.global.b32 [%%d0+30000], %%r0;\n",
             places);
    CHECK(bench_says(&b, entry_text(b.arena, 1, 32, body), 1,
                     is_followed ? "race in global memory" : NULL));
    CHECK(b.race_limited == !is_followed);
    arena_free(b.arena);
}

TEST(places_that_order_accesses) {
    check_places(1, 0, true);
    check_places(17, 1, true);
    check_places(4096, 0, true);
    check_places(4097, 0, false);
    check_places(6000, 3, false);
}

/* A mark of 12 bytes for each 4 of memory, by pages of 4096: with room for those of 3 pages a race
 * in the fourth goes unseen, and that is said. */
TEST(memory_that_is_followed) {
    for (int page = 0; page < 6; page++) {
        char body[600];
        Bench b = bench_new();
        memset(memory, 0, sizeof memory);
        bench_buffer(&b, memory, sizeof memory);
        b.most_shadow = 3 * 1024 * 12;
        snprintf(body, sizeof body,
                 "ld.param.u64 %%d0, [param_0];\nadd.s64 %%d0, %%d0, 4095;\nand.b64 %%d0, %%d0, "
                 "-4096;\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, 0;\nL1:\nsetp.ge.u32 %%p0, %%r1, "
                 "%d;\n@%%p0 bra L2;\nld.global.b32 %%r2, [%%d0];\nadd.s64 %%d0, %%d0, 4096;\n"
                 "add.s32 %%r1, %%r1, 1;\nbra L1;\nL2:\nst.global.b32 [%%d0], %%r0;\n",
                 page);
        CHECK(bench_says(&b, entry_text(b.arena, 1, 32, body), 1,
                         page < 3 ? "race in global memory" : NULL));
        CHECK(b.race_limited == (page >= 3));
        arena_free(b.arena);
    }
}

TEST(time_and_interruption) {
    static const char endless[] = "mov.u32 %r0, 0;\nL1:\nadd.s32 %r0, %r0, 1;\nbra L1;\n";
    const struct {
        int64_t deadline_ns;
        bool stop;
        const char *words;
    } rows[] = {
        {clock_ns() + 20000000, false, "the launch takes longer than its time limit"},
        {clock_ns() - 1, false, "the launch takes longer than its time limit"},
        {clock_ns() + (int64_t)3600000000000, false, "executed more than 400000 instructions"},
        {0, false, "executed more than 400000 instructions"},
        {0, true, "the launch was interrupted"}};
    for (int i = 0; i < COUNT(rows); i++) {
        Bench b = bench_new();
        b.budget = i ? 400000 : (uint64_t)1 << 40;
        b.deadline_ns = rows[i].deadline_ns, b.stop = rows[i].stop;
        CHECK(bench_says(&b, entry_text(b.arena, 0, 32, endless), 1, rows[i].words));
        CHECK(b.failure.kind == TERN_NOT_CHECKED);
        arena_free(b.arena);
    }
}

/* All but the last block wait for the last, which does not begin: so many are at a time. */
TEST(blocks_at_a_time) {
    static const struct {
        const char *shared;
        int threads;
        uint32_t blocks;
        const char *words;
    } rows[] = {
        {".shared .align 16 .b8 s[49152];\n", 32, 528, NULL},
        {".shared .align 16 .b8 s[49152];\n", 32, 529,
         "1 blocks of the grid have not begun: H200 holds 528 at a time"},
        {".shared .align 16 .b8 s[49152];\n", 32, 600,
         "72 blocks of the grid have not begun: H200 holds 528 at a time"},
        {"", 1024, 300, "36 blocks of the grid have not begun: H200 holds 264 at a time"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char body[1000];
        Bench b = bench_new();
        memset(memory, 0, sizeof memory);
        bench_buffer(&b, memory, sizeof memory);
        snprintf(body, sizeof body,
                 "%sld.param.u64 %%d0, [param_0];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, "
                 "%%ctaid.x;\nsetp.ne.s32 %%p0, %%r0, 0;\n@%%p0 bra L9;\nsetp.eq.s32 %%p1, %%r1, "
                 "%d;\n@%%p1 st.volatile.global.b32 [%%d0], 1;\nL1:\nld.volatile.global.b32 %%r2, "
                 "[%%d0];\nsetp.eq.s32 %%p2, %%r2, 0;\n@%%p2 bra L1;\nL9:\nbar.sync 0;\n",
                 rows[i].shared, (int)rows[i].blocks - 1);
        CHECK(bench_says(&b, entry_text(b.arena, 1, rows[i].threads, body), rows[i].blocks,
                         rows[i].words));
        if (!rows[i].words) CHECK(memory[0] == 1);
        arena_free(b.arena);
    }
}

TEST(what_is_found) {
    Arena *arena = arena_new(NULL);
    static Findings none, found;
    Totals totals = {.findings = &none, .race_limited = true};
    CHECK(!sim_find_all(arena, &(Totals){.race_limited = true}));
    const Findings *all = sim_find_all(arena, &totals);
    CHECK(all->count == 1 && all->list[0].kind == TERN_NOT_CHECKED && none.count == 0);
    CHECK_STR(all->list[0].text,
              "all races on sim: memory or waiting programs are more than it follows");
    totals.race_limited = false;
    CHECK(sim_find_all(arena, &totals) == &none);
    Failure failure = {.text = "a race",
                       .note =
                           "in block (1, 0, 0), warp 2; order seed 3\nline 4\nthe other: block 0, "
                           "line 5\nmore"};
    sim_find_failure(&found, &failure);
    CHECK(found.count == 0); /* of no kind: the host had no memory */
    failure.kind = TERN_FOUND_RACE;
    sim_find_failure(&found, &failure);
    sim_find_failure(&found, &failure); /* once for a place */
    CHECK(found.count == 1 && found.list[0].kind == TERN_FOUND_RACE && found.list[0].count == 2);
    CHECK_STR(found.list[0].text, "a race");
    CHECK_STR(found.list[0].where, "block (1, 0, 0), warp 2; the other: block 0, line 5");
    failure = (Failure){.text = "it stopped", .note = "somewhere", .kind = TERN_FOUND_STOP};
    sim_find_failure(&found, &failure);
    CHECK(found.count == 2);
    CHECK_STR(found.list[1].where, "somewhere");
    arena_free(arena);
}

/* Registers of a block that take more memory than a launch may. */
TEST(registers_of_a_block) {
    Bench b = bench_new();
    b.broken = true; /* too many for ptxas */
    Str text =
        str_format(b.arena, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry "
                            "k()\n.reqntid 1024, 1, 1\n.minnctapersm 1\n{\n.reg .b32 "
                            "%%r<600000>;\nmov.b32 %%r0, 1;\nret;\n}\n");
    CHECK(bench_run(&b, text.data, 1));
    CHECK(b.failure.status == TERN_ERROR_NO_MEMORY);
    CHECK_STR(b.failure.text, "out of host memory");
    arena_free(b.arena);
}

TEST_MAIN()
