// SPDX-License-Identifier: Apache-2.0
/* Statements that repeat become loops, or may not; test/run/unrolled_steps.py runs some. */
#include "gen/c/c.h"
#include "test.h"

static Str rolled(Arena *arena, Gen *g, const Buf *body) {
    *g = (Gen){.arena = arena, .functions = {.arena = arena}};
    return roll(g, STR(""), buf_str(body), false);
}

static int times_in(Arena *arena, Str text, const char *word) {
    int times = 0;
    for (const char *at = str_c(arena, text); (at = strstr(at, word)); at++) times++;
    return times;
}

TEST(numbers_that_differ_are_a_table) {
    Arena *arena = arena_new(NULL);
    Buf body = {.arena = arena};
    Gen g;
    for (int i = 0; i < 2000; i++) buf_printf(&body, "    int v%d = v%d + %d;\n", i + 1, i, 3 * i);
    buf_puts(&body, "    use(v2000);\n");
    Str text = rolled(arena, &g, &body);
    CHECK(times_in(arena, text, "for (int r") == 1 && times_in(arena, text, "use(v2000)") == 1);
    CHECK(text.length < 300);
    CHECK(times_in(arena, buf_str(&g.functions), "static const int table") == 1);
    CHECK(times_in(arena, buf_str(&g.functions), "5994, 5997}") == 1);
    arena_free(arena);
}

/* A lane's number in a shuffle, values of which each is read, a product that a sum may read. */
TEST(what_c_wants_as_it_is_stays) {
    Arena *arena = arena_new(NULL);
    Gen g;
    Buf shuffles = {.arena = arena}, outs = {.arena = arena}, products = {.arena = arena};
    for (int i = 0; i < 1000; i++) {
        buf_printf(&shuffles, "    vi32 x%d = __builtin_shufflevector(x%d, x%d, %d, 1);\n", i + 1,
                   i, i, i);
        buf_printf(&outs, "    int v%d = v10000 + %d; /* to be read behind them */\n", i + 1, i);
        buf_printf(&products, "    float v%d = v%d * v9999; /* a sum may follow */\n", i + 1, i);
    }
    for (int i = 0; i < 1000; i++) buf_printf(&outs, "    use(v%d);\n", i + 1);
    CHECK(times_in(arena, rolled(arena, &g, &shuffles), "__builtin_shufflevector") == 1000);
    CHECK(times_in(arena, rolled(arena, &g, &outs), "int v") == 1000);
    CHECK(times_in(arena, rolled(arena, &g, &products), "float v") == 1000);
    arena_free(arena);
}

/* A block behind a loop moves along, one around it, too. */
TEST(blocks_move_along) {
    Arena *arena = arena_new(NULL);
    Buf body = {.arena = arena};
    Gen g = {.arena = arena, .functions = {.arena = arena}};
    buf_puts(&body, "    if (v0) {\n");
    for (int i = 0; i < 2000; i++) buf_printf(&body, "    int v%d = v%d + 1;\n", i + 1, i);
    buf_puts(&body, "    }\n");
    int end = (int)body.length;
    buf_puts(&body, "    {\n        f();\n    }\n");
    vec_push(arena, &g.blocks, (Block){BLOCK_IF, 0, end});
    vec_push(arena, &g.blocks, (Block){BLOCK_NEST, end, (int)body.length});
    Str text = roll(&g, STR(""), buf_str(&body), false);
    CHECK(g.blocks.data[0].start == 0 && g.blocks.data[0].end == g.blocks.data[1].start);
    CHECK(str_starts((Str){text.data + g.blocks.data[1].start, 20}, "    {\n        f();\n"));
    CHECK(g.blocks.data[1].end == text.length && text.length < 300);
    arena_free(arena);
}

TEST_MAIN()
