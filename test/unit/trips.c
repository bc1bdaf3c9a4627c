// SPDX-License-Identifier: Apache-2.0
/* Which combinations of a reduction commute, so that its lanes may meet in any order: shown by
 * taking two sides in both orders, and for each that does by the values themselves. */
#include "ir/trips.h"
#include "test.h"

typedef struct Case {
    const char *what, *types[2], *region; /* of arguments %a %i, %b %j */
    bool ordered;
} Case;

/* clang-format off */
static const Case cases[] = {
    {"sums", {"f32", "i32"}, "%v = fadd %b, %a : f32\n%w = add %i, %j : i32\n", false},
    {"a difference", {"f32", "i32"}, "%v = fsub %a, %b : f32\n%w = add %i, %j : i32\n", true},
    {"the right one", {"f32", "i32"}, "%t = constant 0 : i1\n%v = select %t, %a, %b : f32\n"
     "%w = select %t, %i, %j : i32\n", true},
    {"the larger, ties left, NaN last", {"f32", "i32"},
     "%g = fcmp %a, %b {predicate = ogt} : i1\n%e = fcmp %a, %b {predicate = oeq} : i1\n"
     "%l = icmp %i, %j {predicate = slt} : i1\n%t = and %e, %l : i1\n%k0 = or %g, %t : i1\n"
     "%n = fcmp %b, %b {predicate = une} : i1\n%m = fcmp %a, %a {predicate = oeq} : i1\n"
     "%o = or %m, %l : i1\n%p = and %n, %o : i1\n%k = or %k0, %p : i1\n"
     "%v = select %k, %a, %b : f32\n%w = select %k, %i, %j : i32\n", false},
    {"the same of bf16", {"bf16", "i64"},
     "%g = fcmp %a, %b {predicate = olt} : i1\n%e = fcmp %a, %b {predicate = oeq} : i1\n"
     "%l = icmp %i, %j {predicate = slt} : i1\n%t = and %e, %l : i1\n%k0 = or %g, %t : i1\n"
     "%n = fcmp %b, %b {predicate = une} : i1\n%m = fcmp %a, %a {predicate = oeq} : i1\n"
     "%o = or %m, %l : i1\n%p = and %n, %o : i1\n%k = or %k0, %p : i1\n"
     "%v = select %k, %a, %b : bf16\n%w = select %k, %i, %j : i64\n", false},
    {"the larger, ties left, nothing said of NaN", {"f32", "i32"},
     "%g = fcmp %a, %b {predicate = ogt} : i1\n%e = fcmp %a, %b {predicate = oeq} : i1\n"
     "%l = icmp %i, %j {predicate = slt} : i1\n%t = and %e, %l : i1\n%k = or %g, %t : i1\n"
     "%v = select %k, %a, %b : f32\n%w = select %k, %i, %j : i32\n", true},
    {"the same of ints, where there is none", {"i32", "i32"},
     "%g = icmp %a, %b {predicate = sgt} : i1\n%e = icmp %a, %b {predicate = eq} : i1\n"
     "%l = icmp %i, %j {predicate = slt} : i1\n%t = and %e, %l : i1\n%k = or %g, %t : i1\n"
     "%v = select %k, %a, %b : i32\n%w = select %k, %i, %j : i32\n", false},
    {"the larger of two orders", {"i32", "i32"},
     "%g = icmp %a, %b {predicate = sgt} : i1\n%h = icmp %a, %b {predicate = ugt} : i1\n"
     "%e = icmp %a, %b {predicate = eq} : i1\n%l = icmp %i, %j {predicate = slt} : i1\n"
     "%t = and %e, %l : i1\n%k0 = or %g, %h : i1\n%k = or %k0, %t : i1\n"
     "%v = select %k, %a, %b : i32\n%w = select %k, %i, %j : i32\n", true},
    {"ties as they come", {"i32", "i32"}, "%k = icmp %a, %b {predicate = sge} : i1\n"
     "%v = select %k, %a, %b : i32\n%w = select %k, %i, %j : i32\n", true},
    {"one of each side", {"i32", "i32"},
     "%g = icmp %a, %b {predicate = sgt} : i1\n%e = icmp %a, %b {predicate = eq} : i1\n"
     "%l = icmp %i, %j {predicate = slt} : i1\n%t = and %e, %l : i1\n%k = or %g, %t : i1\n"
     "%v = select %k, %a, %j : i32\n%w = select %k, %i, %b : i32\n", true},
    {"the largest and the smallest", {"i32", "i32"},
     "%g = icmp %a, %b {predicate = sgt} : i1\n%l = icmp %i, %j {predicate = slt} : i1\n"
     "%v = select %g, %a, %b : i32\n%w = select %l, %i, %j : i32\n", false},
    {"by a number of one side", {"i32", "i32"},
     "%z = constant 0 : i32\n%k = icmp %a, %z {predicate = sgt} : i1\n"
     "%v = select %k, %a, %b : i32\n%w = select %k, %i, %j : i32\n", true},
};
/* clang-format on */

static Op *reduction(Arena *arena, const Case *c) {
    Buf text = {.arena = arena};
    buf_printf(&text, "#0 = {reg = [1], lane = [2, 4, 8, 16, 32], warp = []}\n"
                      "func @f() {num_warps = 1, num_stages = 3, form = placed, target = \"sm_80\"}"
                      " {\n");
    for (int i = 0; i < 2; i++)
        buf_printf(&text, "%%x%d = poison : tile<64x%s, #0>\n", i, c->types[i]);
    buf_printf(&text, "%%r, %%s = reduce %%x0, %%x1 {axis = 0} : %s, %s ", c->types[0],
               c->types[1]);
    buf_printf(&text, "(%%a: %s, %%i: %s, %%b: %s, %%j: %s) {\n", c->types[0], c->types[1],
               c->types[0], c->types[1]);
    buf_printf(&text, "%syield %%v, %%w\n}\nyield\n}\n", c->region);
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("t.tir"), buf_str(&text)), &diag);
    Buf words = {.arena = arena};
    diag_print(&diag, false, &words);
    const char *why = fn ? func_verify(arena, fn) : words.data;
    if (why) printf("%s: %s\n", c->what, why);
    CHECK(!why);
    if (why) return NULL;
    Op *op = fn->body->first;
    while (op->kind != OP_REDUCE) op = op->next;
    return op;
}

TEST(commutes_where_the_order_of_two_sides_cannot_show) {
    for (int i = 0; i < COUNT(cases); i++) {
        Arena *arena = arena_new(NULL);
        Op *op = reduction(arena, &cases[i]);
        bool ordered = op && reduction_of(op).ordered;
        if (ordered != cases[i].ordered) printf("%s: ordered %d\n", cases[i].what, ordered);
        CHECK(ordered == cases[i].ordered);
        arena_free(arena);
    }
}

TEST_MAIN()
