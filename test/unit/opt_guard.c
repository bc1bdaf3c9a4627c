// SPDX-License-Identifier: Apache-2.0
/* Where guard writes a body twice, and where it must not: how many `if`s it makes and how many
 * numbers they test. What the bodies are is in test/opt/guard_*.tir. */
#include "opt/opt.h"
#include "test.h"

static const char *const head =
    "func @f(%x: ptr<f16> {divisible = 16}, %n: i32 {divisible = 16}, %s: i32 {divisible = 16}, "
    "%t: i32 {divisible = 16}, %w: i64 {divisible = 16}, %from: ptr<i32>) {num_warps = 1} {\n"
    "  %r = arange {start = 0, end = 256} : tile<256xi32>\n"
    "  %ns = splat %n : tile<256xi32>\n"
    "  %xs = splat %x : tile<256xptr<f16>>\n"
    "  %c = constant 256 : i32\n";

/* Loads at what %i is modulo %n; the names end in `at`. */
static void add_load(Buf *out, int at) {
    buf_printf(out,
               "  %%im%d = rem_s %%i%d, %%ns : tile<256xi32>\n"
               "  %%p%d = addptr %%xs, %%im%d : tile<256xptr<f16>>\n"
               "  %%v%d = load %%p%d : tile<256xf16>\n",
               at, at, at, at, at, at);
}

typedef struct Count {
    int ifs, tests, long_loops, ops;
} Count;

static bool count_op(Op *op, void *user) {
    Count *count = user;
    count->ifs += op->kind == OP_IF;
    count->tests += op->kind == OP_ICMP;
    count->long_loops += op->kind == OP_FOR && for_stages(op) != 1;
    count->ops++;
    return true;
}

static Count guarded(Str body) {
    Arena *arena = arena_new(0);
    Buf text = {.arena = arena};
    Diag diag = {.arena = arena};
    Count count = {0}, before = {0};
    buf_printf(&text, "%s%.*s  yield\n}\n", head, STR_ARG(body));
    Func *fn = func_parse(arena, source_new(arena, STR("guard.tir"), buf_str(&text)), &diag);
    const char *why = fn ? func_verify(arena, fn) : "it does not parse";
    if (why) printf("%s\n%.*s", why, STR_ARG(buf_str(&text)));
    CHECK(!why);
    if (!why) {
        PassCtx px = {.scratch = arena, .diag = &diag, .target = "sm_90a"};
        region_walk(fn->body, count_op, &before);
        bool changed = pass_find(STR("guard"))->run(&px, fn);
        CHECK(!func_verify(arena, fn));
        region_walk(fn->body, count_op, &count);
        CHECK(changed == (count.ops > before.ops));
    }
    arena_free(arena);
    return count;
}

/* One load, at %i1 modulo %n: how many numbers a guard tests; 0: there is none. */
static const struct Row {
    const char *what, *body;
    int tests;
} rows[] = {
    {"a parameter", "%ss = splat %s : tile<256xi32> %i1 = add %ss, %r : tile<256xi32>", 1},
    {"reshaped and spread",
     "%sh = splat %s : tile<1xi32> %sb = broadcast %sh : tile<256xi32>"
     "%i1 = add %r, %sb : tile<256xi32>",
     1},
    {"no arange: nothing gets wider", "%i1 = splat %s : tile<256xi32>", 0},
    {"a product of numbers, computed before",
     "%q = mul %s, %c : i32 %ss = splat %q : tile<256xi32> %i1 = add %ss, %r : tile<256xi32>", 1},
    {"a program's id is not negative",
     "%q = program_id {axis = 0} : i32 %o = mul %q, %c : i32 %ss = splat %o : tile<256xi32>"
     "%i1 = add %ss, %r : tile<256xi32>",
     0},
    {"what a load gives is not there before it",
     "%q = load %from : i32 %o = mul %q, %c : i32 %ss = splat %o : tile<256xi32>"
     "%i1 = add %ss, %r : tile<256xi32>",
     0},
    {"nor a load itself",
     "%k = load %from : i32 %q = hint %k {kind = divisible, values = [16]} : i32 %ss = splat %q : "
     "tile<256xi32>"
     "%i1 = add %ss, %r : tile<256xi32>",
     0},
    {"two numbers: either may be negative",
     "%ss = splat %s : tile<256xi32> %ts = splat %t : tile<256xi32>"
     "%st = add %ss, %ts : tile<256xi32> %i1 = add %st, %r : tile<256xi32>",
     0},
    {"one number twice may be too large",
     "%ss = splat %s : tile<256xi32> %st = add %ss, %ss : tile<256xi32>"
     "%i1 = add %st, %r : tile<256xi32>",
     0},
    {"what is added leaves half of the type",
     "%m = constant 1073741568 : i32 %b = and %t, %m : i32 %bs = splat %b : tile<256xi32>"
     "%ss = splat %s : tile<256xi32>"
     "%st = add %ss, %r : tile<256xi32> %i1 = add %st, %bs : tile<256xi32>",
     1},
    {"and no more of it",
     "%m = constant 1073741584 : i32 %b = and %t, %m : i32 %bs = splat %b : tile<256xi32>"
     "%ss = splat %s : tile<256xi32>"
     "%st = add %ss, %r : tile<256xi32> %i1 = add %st, %bs : tile<256xi32>",
     0},
    {"nor by two halves",
     "%m = constant 1073741568 : i32 %b = and %t, %m : i32 %bs = splat %b : tile<256xi32>"
     "%ss = splat %s : tile<256xi32>"
     "%st = add %ss, %bs : tile<256xi32> %su = add %st, %bs : tile<256xi32>"
     "%i1 = add %su, %r : tile<256xi32>",
     0},
    {"what is subtracted",
     "%b = constant -16 : i32 %bs = splat %b : tile<256xi32> %ss = splat %s : tile<256xi32>"
     "%st = add %ss, %r : tile<256xi32> %i1 = add %st, %bs : tile<256xi32>",
     0},
    {"a product is no sum",
     "%ss = splat %s : tile<256xi32> %st = add %ss, %r : tile<256xi32>"
     "%i1 = mul %st, %ns : tile<256xi32>",
     0},
};

TEST(numbers) {
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *arena = arena_new(0);
        Buf body = {.arena = arena};
        buf_printf(&body, "  %s\n", rows[i].body);
        add_load(&body, 1);
        Count count = guarded(buf_str(&body));
        bool right = count.tests == rows[i].tests && count.ifs == (rows[i].tests > 0);
        if (!right) printf("%s: %d ifs, %d tests\n", rows[i].what, count.ifs, count.tests);
        CHECK(right);
        arena_free(arena);
    }
}

/* One guard tests four numbers; of a fifth nothing is asked. What is known is asked once. */
TEST(several) {
    for (int numbers = 1; numbers <= 6; numbers++) {
        Arena *arena = arena_new(0);
        Buf body = {.arena = arena};
        for (int i = 0; i < 2 * numbers; i++) {
            if (i < numbers)
                buf_printf(&body,
                           "  %%k%d = constant %d : i32\n  %%q%d = mul %%s, %%k%d : i32\n"
                           "  %%ss%d = splat %%q%d : tile<256xi32>\n",
                           i, 16 * (i + 2), i, i, i, i);
            buf_printf(&body, "  %%i%d = add %%ss%d, %%r : tile<256xi32>\n", i, i % numbers);
            add_load(&body, i);
        }
        Count count = guarded(buf_str(&body));
        CHECK(count.ifs == 1);
        CHECK(count.tests == (numbers < 4 ? numbers : 4));
        arena_free(arena);
    }
}

static void add_loop(Buf *out, int at, const char *carried, const char *offset) {
    buf_printf(out, "  %%one%d = constant 1 : i32\n  %sfor %%s, %%n, %%one%d%s {\n%s", at,
               *carried == ',' ? "%last = " : "", at, carried, offset);
    buf_printf(out, "  %%i%d = add %%ss%d, %%r : tile<256xi32>\n", at, at);
    add_load(out, at);
}

/* Each loop has a guard of its own, up to four in a function; the body as it was has no rings. */
TEST(loops) {
    for (int loops = 1; loops <= 6; loops++) {
        Arena *arena = arena_new(0);
        Buf body = {.arena = arena};
        for (int i = 0; i < loops; i++) {
            Str offset = str_format(arena,
                                    "  %%q%d = mul %%k%d, %%c : i32\n"
                                    "  %%ss%d = splat %%q%d : tile<256xi32>\n",
                                    i, i, i, i);
            Str head_of = str_format(arena, " (%%k%d: i32)", i);
            add_loop(&body, i, head_of.data, offset.data);
            buf_puts(&body, "  yield\n  }\n");
        }
        Count count = guarded(buf_str(&body));
        CHECK(count.ifs == (loops < 4 ? loops : 4));
        CHECK(count.tests == count.ifs);
        arena_free(arena);
    }
    Arena *arena = arena_new(0);
    Buf body = {.arena = arena};
    buf_puts(&body, "  %ss0 = splat %s : tile<256xi32>\n");
    add_loop(&body, 0, " (%k: i32)", "");
    buf_puts(&body, "  yield\n  }\n");
    CHECK(guarded(buf_str(&body)).ifs == 0); /* the tile of the number is from outside */
    /* A number of the function's: its loop is there twice, and only one has rings. */
    body = (Buf){.arena = arena};
    buf_puts(&body, "  %ss1 = splat %s : tile<256xi32>\n  %i1 = add %ss1, %r : tile<256xi32>\n");
    add_load(&body, 1);
    add_loop(&body, 0, " (%k: i32)", "  %ss0 = splat %k : tile<256xi32>\n");
    buf_puts(&body, "  yield\n  }\n");
    Count count = guarded(buf_str(&body));
    CHECK(count.ifs >= 1 && count.long_loops == 1);
    /* One that carries a tile has none. */
    body = (Buf){.arena = arena};
    add_loop(&body, 0, ", %r : tile<256xi32> (%k: i32, %old: tile<256xi32>)",
             "  %q = mul %k, %c : i32\n  %ss0 = splat %q : tile<256xi32>\n");
    buf_puts(&body, "  yield %i0\n  }\n");
    CHECK(guarded(buf_str(&body)).ifs == 0);
    arena_free(arena);
}

/* A body of more than 2000 ops is not written twice. */
TEST(size) {
    for (int more = 1900; more <= 2100; more += 200) {
        Arena *arena = arena_new(0);
        Buf body = {.arena = arena};
        buf_puts(&body, "  %ss = splat %s : tile<256xi32>\n  %i1 = add %ss, %r : tile<256xi32>\n");
        add_load(&body, 1);
        for (int i = 0; i < more; i++) buf_printf(&body, "  %%m%d = add %%n, %%s : i32\n", i);
        CHECK(guarded(buf_str(&body)).ifs == (more < 2000));
        arena_free(arena);
    }
}

TEST_MAIN()
