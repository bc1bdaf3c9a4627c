// SPDX-License-Identifier: Apache-2.0
/* What a launch is asked: numbers at the ends of what is allowed, grids, pointers that touch, and
 * what was told of the launch before. */
#include "opt/opt.h"
#include "test.h"

static const char text[] =
    "func @f(%a: ptr<f32>, %b: ptr<f32>, %h: ptr<f16>, %n: i32, %m: i32, %w: i64, %v: i64) {\n"
    "  %p = program_id {axis = 0} : i32\n"
    "  %all = num_programs {axis = 1} : i32\n"
    "  %i = arange {start = 0, end = 8} : tile<8xi32>\n"
    "  %i1 = arange {start = 1, end = 9} : tile<8xi32>\n"
    "  %as = splat %a : tile<8xptr<f32>>\n"
    "  %bs = splat %b : tile<8xptr<f32>>\n"
    "  %hs = splat %h : tile<8xptr<f16>>\n"
    "  %ai = addptr %as, %i : tile<8xptr<f32>>\n"
    "  %bi = addptr %bs, %i : tile<8xptr<f32>>\n"
    "  %b1 = addptr %bs, %i1 : tile<8xptr<f32>>\n"
    "  %hi = addptr %hs, %i : tile<8xptr<f16>>\n"
    "  %c4 = constant 4 : i32\n"
    "  %d4 = constant 4 : i64\n"
    "  %ac = addptr %a, %c4 : ptr<f32>\n"
    "  %bc = addptr %b, %c4 : ptr<f32>\n"
    "  %bd = addptr %b, %d4 : ptr<f32>\n"
    "  %an = addptr %a, %n : ptr<f32>\n"
    "  %bm = addptr %b, %m : ptr<f32>\n"
    "  %bn = addptr %b, %n : ptr<f32>\n"
    "  %bw = addptr %b, %w : ptr<f32>\n"
    "  %0 = constant 0 : i32\n"
    "  %1 = constant 1 : i32\n"
    "  for %0, %n, %1 (%k: i32) {\n"
    "    %ak = addptr %a, %k : ptr<f32>\n"
    "    %bk = addptr %b, %k : ptr<f32>\n"
    "    %bm2 = addptr %b, %m : ptr<f32>\n"
    "    %x = load %ak : f32\n"
    "    store %bk, %x\n"
    "    yield\n"
    "  }\n"
    "  for %0, %n, %1 (%l: i32) {\n"
    "    %bl = addptr %b, %l : ptr<f32>\n"
    "    %y = load %bl : f32\n"
    "    store %bl, %y\n"
    "    yield\n"
    "  }\n"
    "  yield\n"
    "}\n";

enum { A, B, H, N, M, W, V };

typedef struct Setting {
    Arena *arena;
    Func *fn;
    Needs *needs;
    const char *name;
    const Value *value;
    const Op *load, *store;
} Setting;

static bool find(Op *op, void *user) {
    Setting *s = user;
    for (int i = 0; i < op->num_results; i++)
        if (str_is(op->results[i].name, s->name)) s->value = &op->results[i];
    if (op->kind == OP_LOAD && !s->load) s->load = op;
    if (op->kind == OP_STORE && !s->store) s->store = op;
    return true;
}

static const Value *named(Setting *s, const char *name) {
    s->name = name, s->value = NULL;
    region_walk(s->fn->body, find, s);
    CHECK(s->value);
    return s->value;
}

static Setting setting(void) {
    Setting s = {.arena = arena_new(0)};
    Diag diag = {.arena = s.arena};
    s.fn = func_parse(s.arena, source_new(s.arena, STR("needs.tir"), str_of(text)), &diag);
    const char *why = s.fn ? func_verify(s.arena, s.fn) : "it does not parse";
    CHECK_STR(why ? why : "", "");
    s.needs = needs_new(s.arena, s.fn, s.fn->num_params);
    named(&s, "p");
    return s;
}

static const Value *param(const Setting *s, int i) { return s->fn->params[i].value; }

static bool holds(const Setting *s, int64_t n, int64_t m, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t args[] = {4096, 8192, 16384, (uint64_t)n, (uint64_t)m, 0, 0};
    const uint64_t rooms[14] = {0};
    return needs_hold(s->needs, args, rooms, (uint32_t[]){x, y, z});
}

static bool of_ints(const Setting *s, int64_t n, int64_t m) { return holds(s, n, m, 1, 1, 1); }

TEST(ends_of_numbers) {
    Setting s = setting();
    CHECK(needs_add(s.needs, param(&s, N)) && needs_close(s.needs));
    CHECK(of_ints(&s, 0, 0) && of_ints(&s, INT32_MAX, 0) && !of_ints(&s, -1, 0));
    CHECK(!of_ints(&s, 0xffffffff, 0) && !of_ints(&s, INT64_C(1) << 32, 0)); /* no i32: any */
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_most(s.needs, param(&s, N), 7) && needs_close(s.needs));
    CHECK(of_ints(&s, 0, 0) && of_ints(&s, 7, 0) && !of_ints(&s, 8, 0) && !of_ints(&s, -1, 0));
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_up_to(s.needs, param(&s, N), 7) && needs_close(s.needs));
    CHECK(of_ints(&s, INT32_MIN, 0) && of_ints(&s, 7, 0) && !of_ints(&s, 8, 0));
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_below(s.needs, param(&s, N), param(&s, M)) && needs_close(s.needs));
    CHECK(of_ints(&s, 3, 4) && !of_ints(&s, 4, 4) && !of_ints(&s, 5, 4) && !of_ints(&s, -1, 4));
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_to(s.needs, param(&s, N), param(&s, M)) && needs_close(s.needs));
    CHECK(of_ints(&s, 3, 4) && of_ints(&s, 4, 4) && !of_ints(&s, 5, 4) && !of_ints(&s, -1, 4));
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_multiple(s.needs, param(&s, N), 32) && needs_close(s.needs));
    CHECK(of_ints(&s, 64, 0) && !of_ints(&s, 65, 0) && !of_ints(&s, 0, 0) && !of_ints(&s, -32, 0));
    arena_free(s.arena);
}

TEST(all_that_is_asked_counts) {
    Setting s = setting();
    CHECK(needs_add_most(s.needs, param(&s, N), 7) && needs_add_most(s.needs, param(&s, N), 5));
    NeedsMark mark = needs_mark(s.needs);
    CHECK(needs_add_most(s.needs, param(&s, M), 3));
    needs_take_back(s.needs, mark);
    CHECK(needs_close(s.needs));
    CHECK(of_ints(&s, 5, 9) && !of_ints(&s, 6, 0) && of_ints(&s, 5, 9) && !of_ints(&s, 7, 0));
    arena_free(s.arena);
}

TEST(grids) {
    Setting s = setting();
    CHECK(needs_add_most(s.needs, named(&s, "p"), 7) && needs_close(s.needs));
    CHECK(holds(&s, 0, 0, 8, 9, 9) && !holds(&s, 0, 0, 9, 1, 1) && holds(&s, 0, 0, 8, 1, 1));
    arena_free(s.arena);
    s = setting();
    CHECK(needs_add_multiple(s.needs, named(&s, "all"), 3) && needs_close(s.needs));
    CHECK(holds(&s, 0, 0, 1, 6, 1) && !holds(&s, 0, 0, 3, 1, 3) && !holds(&s, 0, 0, 3, 7, 3));
    arena_free(s.arena);
}

/* Of its params the last three are the size of the grid over which blocks walk. */
TEST(walked_grids) {
    static const char walked[] = "func @f(%n: i32, %x: i32, %y: i32, %z: i32) {\n"
                                 "  %p = program_id {axis = 0} : i32\n"
                                 "  %q = add %p, %y : i32\n"
                                 "  yield\n"
                                 "}\n";
    Setting s = {.arena = arena_new(0)};
    Diag diag = {.arena = s.arena};
    const uint64_t rooms[2] = {0};
    s.fn = func_parse(s.arena, source_new(s.arena, STR("walked.tir"), str_of(walked)), &diag);
    CHECK(s.fn && !func_verify(s.arena, s.fn));
    s.needs = needs_new(s.arena, s.fn, 1);
    CHECK(needs_add_most(s.needs, named(&s, "p"), 5) && needs_close(s.needs));
    CHECK(needs_hold(s.needs, (uint64_t[]){0}, rooms, (uint32_t[]){2, 3, 1}));
    CHECK(!needs_hold(s.needs, (uint64_t[]){0}, rooms, (uint32_t[]){2, 3, 2}));
    CHECK(!needs_hold(s.needs, (uint64_t[]){0}, rooms, (uint32_t[]){7, 1, 1}));
    s.needs = needs_new(s.arena, s.fn, 1);
    CHECK(needs_add_most(s.needs, named(&s, "q"), 7) && needs_close(s.needs));
    CHECK(needs_hold(s.needs, (uint64_t[]){0}, rooms, (uint32_t[]){2, 2, 1}));
    CHECK(!needs_hold(s.needs, (uint64_t[]){0}, rooms, (uint32_t[]){2, 3, 1}));
    arena_free(s.arena);
}

/* ---- pointers ---- */

static bool of_pointers(const Setting *s, uint64_t a, uint64_t b, int64_t n, int64_t m) {
    const uint64_t args[] = {a, b, 0, (uint64_t)n, (uint64_t)m, 0, 0};
    const uint64_t rooms[14] = {4096, 65536, 4096, 65536, 4096, 65536};
    return needs_hold(s->needs, args, rooms, (uint32_t[]){1, 1, 1});
}

TEST(bytes_that_are_apart) {
    enum { X = 32768 };
    Setting s = setting();
    needs_add_apart(
        s.needs,
        &(Disjoint){
            .a = param(&s, A), .b = param(&s, B), .bytes = 4096, .count = param(&s, N), .each = 4});
    CHECK(needs_close(s.needs));
    CHECK(of_pointers(&s, X, X + 40, 10, 0) && !of_pointers(&s, X, X + 36, 10, 0));
    CHECK(of_pointers(&s, X, X - 40, 10, 0) && !of_pointers(&s, X, X - 36, 10, 0));
    CHECK(of_pointers(&s, X, X + 4, -1, 0) && of_pointers(&s, X, X + 4, 0, 0));
    CHECK(of_pointers(&s, X, X + 4096, 1 << 20, 0) && !of_pointers(&s, X, X + 4092, 1 << 20, 0));
    CHECK(!of_pointers(&s, X, X, 0, 0) && of_pointers(&s, 0, X, 10, 0) &&
          of_pointers(&s, 0, 0, 10, 0));
    arena_free(s.arena);
    s = setting();
    Disjoint same = {.a = param(&s, A), .b = param(&s, B), .bytes = 16, .same = true};
    CHECK(disjoint_same(&same, named(&s, "an"), named(&s, "bm")) && same.num_equal == 1);
    needs_add_apart(s.needs, &same);
    CHECK(needs_close(s.needs));
    CHECK(of_pointers(&s, X, X, 5, 5) && !of_pointers(&s, X, X, 5, 6));
    CHECK(!of_pointers(&s, X, X + 12, 5, 5) && of_pointers(&s, X, X + 16, 5, 6));
    arena_free(s.arena);
}

static bool one_way(Setting *s, int b, const char *x, const char *y) {
    Disjoint apart = {.a = param(s, A), .b = param(s, b)};
    return disjoint_same(&apart, named(s, x), named(s, y));
}

TEST(pointers_made_in_one_way) {
    Setting s = setting();
    CHECK(one_way(&s, B, "ai", "bi") && !one_way(&s, B, "ai", "b1")); /* from 0, from 1 */
    CHECK(!one_way(&s, H, "ai", "hi"));                               /* of 4 bytes, of 2 */
    CHECK(one_way(&s, B, "ac", "bc") && !one_way(&s, B, "ac", "bd"));
    CHECK(one_way(&s, B, "an", "bn") && one_way(&s, B, "an", "bm"));
    CHECK(!one_way(&s, B, "an", "bw"));                                 /* of 32 bits, of 64 */
    CHECK(one_way(&s, B, "ak", "bk") && !one_way(&s, B, "ak", "bl"));   /* of two loops */
    CHECK(!one_way(&s, B, "ak", "bm2") && !one_way(&s, B, "an", "bk")); /* no launch tells */
    arena_free(s.arena);
}

/* x[k] is loaded, y[k] stored, k below 8. */
TEST(asked_twice_told_twice) {
    enum { X = 32768 };
    const Value *a, *b;
    Setting s = setting();
    a = param(&s, A), b = param(&s, B);
    const Op *loop = s.load->parent->owner;
    needs_add_not_near(s.needs, a, s.load, b, s.store, NULL); /* in one turn: k and k */
    CHECK(needs_close(s.needs));
    for (int i = 0; i < 2; i++) {
        CHECK(of_pointers(&s, X, X + 4, 8, 0) && !of_pointers(&s, X, X + 2, 8, 0));
        CHECK(!of_pointers(&s, X, X + 2, 8, 0) && of_pointers(&s, X, X, 8, 0));
    }
    arena_free(s.arena);
    s = setting();
    a = param(&s, A), b = param(&s, B), loop = s.load->parent->owner;
    needs_add_not_near(s.needs, a, s.load, b, s.store, NULL);
    needs_add_not_near(s.needs, a, s.load, b, s.store, loop); /* in any two */
    CHECK(needs_close(s.needs));
    for (int i = 0; i < 2; i++) {
        CHECK(!of_pointers(&s, X, X + 4, 8, 0) && !of_pointers(&s, X, X - 28, 8, 0));
        CHECK(of_pointers(&s, X, X + 32, 8, 0) && of_pointers(&s, X, X - 32, 8, 0));
        CHECK(!of_pointers(&s, X, X + 32, 9, 0) && of_pointers(&s, X, X, 8, 0));
    }
    arena_free(s.arena);
    s = setting();
    a = param(&s, A), b = param(&s, B);
    needs_add_never_meet(s.needs, a, s.load, b, s.store, true);
    CHECK(needs_close(s.needs) && of_pointers(&s, X, X, 8, 0));
    arena_free(s.arena);
    s = setting();
    a = param(&s, A), b = param(&s, B);
    needs_add_never_meet(s.needs, a, s.load, b, s.store, true);
    needs_add_never_meet(s.needs, a, s.load, b, s.store, false);
    CHECK(needs_close(s.needs) && !of_pointers(&s, X, X, 8, 0) && of_pointers(&s, X, X + 4, 8, 0));
    arena_free(s.arena);
}

TEST_MAIN()
