// SPDX-License-Identifier: Apache-2.0
/* Which loops of a known number of turns become their turns: by how much they leave, what they
 * index and what the source asks for. What the turns become is in test/opt/unroll_*.tir. */
#include "opt/opt.h"
#include "test.h"

static bool count_loop(Op *op, void *user) {
    *(int *)user += op->kind == OP_WHILE;
    return true;
}

/* Is a loop gone that stores at `turns` places behind `pointer`? `words` are its attributes. */
static bool is_gone(const char *pointer, int turns, const char *words) {
    Arena *arena = arena_new(0);
    Diag diag = {.arena = arena};
    int loops = 0;
    Str text = str_format(
        arena,
        "func @f(%%x: ptr<i32>, %%n: i32) {form = thread, block = [32, 1, 1]} {\n"
        "  %%zero = constant 0 : i32\n  %%one = constant 1 : i32\n  %%end = constant %d : i32\n"
        "  %s\n"
        "  %%last = while %%zero%s : i32 (%%k: i32) {\n"
        "    %%less = icmp %%k, %%end {predicate = slt} : i1\n    yield %%less, %%k\n"
        "  } (%%i: i32) {\n"
        "    %%at = add %%i, %%zero : i32\n    %%to = addptr %%p, %%at : ptr<i32>\n    store %%to, "
        "%%n\n"
        "    %%next = add %%i, %%one : i32\n    yield %%next\n  }\n"
        "  store %%x, %%last\n  yield\n}\n",
        turns, pointer, words);
    Func *fn = func_parse(arena, source_new(arena, STR("unroll.tir"), text), &diag);
    const char *why = fn ? func_verify(arena, fn) : "it does not parse";
    if (why) printf("%s\n%.*s", why, STR_ARG(text));
    CHECK(!why);
    if (!why) {
        PassCtx px = {.scratch = arena, .diag = &diag, .target = "sm_90a"};
        bool changed = pass_find(STR("unroll"))->run(&px, fn);
        CHECK(!func_verify(arena, fn));
        region_walk(fn->body, count_loop, &loops);
        CHECK(changed == (loops == 0));
    }
    arena_free(arena);
    return loops == 0;
}

TEST(turns) {
    static const struct {
        const char *what, *pointer;
        int turns;
        const char *words;
        bool goes;
    } rows[] = {
        {"few", "%p = addptr %x, %one : ptr<i32>", 3, "", true},
        {"many, that nothing speaks for", "%p = addptr %x, %one : ptr<i32>", 300, "", false},
        {"many, asked for", "%p = addptr %x, %one : ptr<i32>", 300, " {unroll = -1}", true},
        {"few, that are to stay", "%p = addptr %x, %one : ptr<i32>", 3, " {unroll = 1}", false},
        {"into an array of the thread",
         "%p = alloc {space = local, bytes = 1024, align = 4} : ptr<i32>", 256, "", true},
        {"and what points into one",
         "%a = alloc {space = local, bytes = 1024, align = 4} : ptr<i32>\n"
         "  %p = addptr %a, %one : ptr<i32>",
         255, "", true},
        {"or is taken for another type",
         "%a = alloc {space = local, bytes = 1024, align = 4} : ptr<f32>\n"
         "  %p = bitcast %a : ptr<i32>",
         256, "", true},
        {"into one that registers do not hold",
         "%p = alloc {space = local, bytes = 1028, align = 4} : ptr<i32>", 257, "", false},
        {"into the block's", "%p = alloc {space = shared, bytes = 1024, align = 4} : ptr<i32>", 256,
         "", false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        bool goes = is_gone(rows[i].pointer, rows[i].turns, rows[i].words);
        if (goes != rows[i].goes) printf("%s: %d\n", rows[i].what, goes);
        CHECK(goes == rows[i].goes);
    }
}

TEST_MAIN()
