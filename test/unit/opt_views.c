// SPDX-License-Identifier: Apache-2.0
/* Do two accesses of a program meet? What launches are told is compared with what is counted out
 * byte by byte, of each program and each turn: it is the same. */
#include "opt/opt.h"
#include "test.h"

/* 4 x 8 of 4 bytes in rows s apart beside 4 x 8 of 2 bytes in rows t apart, n behind. */
static const char rows[] = "func @rows(%x: ptr<f32>, %y: ptr<f16>, %s: i32, %t: i32, %n: i32) {\n"
                           "  %p = program_id {axis = 0} : i32\n"
                           "  %0 = arange {start = 0, end = 4} : tile<4xi32>\n"
                           "  %r = expand_dims %0 {axis = 1} : tile<4x1xi32>\n"
                           "  %1 = arange {start = 0, end = 8} : tile<8xi32>\n"
                           "  %c = expand_dims %1 {axis = 0} : tile<1x8xi32>\n"
                           "  %cs = broadcast %c : tile<4x8xi32>\n"
                           "  %2 = mul %p, %s : i32\n"
                           "  %3 = addptr %x, %2 : ptr<f32>\n"
                           "  %4 = splat %s : tile<4x1xi32>\n"
                           "  %5 = mul %r, %4 : tile<4x1xi32>\n"
                           "  %6 = splat %3 : tile<4x1xptr<f32>>\n"
                           "  %7 = addptr %6, %5 : tile<4x1xptr<f32>>\n"
                           "  %8 = broadcast %7 : tile<4x8xptr<f32>>\n"
                           "  %9 = addptr %8, %cs : tile<4x8xptr<f32>>\n"
                           "  %a = load %9 : tile<4x8xf32>\n"
                           "  %b = ftrunc %a : tile<4x8xf16>\n"
                           "  %11 = mul %p, %t : i32\n"
                           "  %12 = addptr %y, %11 : ptr<f16>\n"
                           "  %13 = splat %t : tile<4x1xi32>\n"
                           "  %14 = mul %r, %13 : tile<4x1xi32>\n"
                           "  %15 = addptr %12, %n : ptr<f16>\n"
                           "  %16 = splat %15 : tile<4x1xptr<f16>>\n"
                           "  %17 = addptr %16, %14 : tile<4x1xptr<f16>>\n"
                           "  %18 = broadcast %17 : tile<4x8xptr<f16>>\n"
                           "  %19 = addptr %18, %cs : tile<4x8xptr<f16>>\n"
                           "  store %19, %b\n"
                           "  yield\n"
                           "}\n";

/* Every second of 16 elements, moved by s in each of n turns, beside 8 at t times the turn. */
static const char turns[] =
    "func @turns(%x: ptr<f32>, %y: ptr<f16>, %s: i32, %t: i32, %n: i32) {\n"
    "  %i = arange {start = 0, end = 8} : tile<8xi32>\n"
    "  %0 = constant 2 : tile<8xi32>\n"
    "  %1 = mul %i, %0 : tile<8xi32>\n"
    "  %2 = splat %x : tile<8xptr<f32>>\n"
    "  %p = addptr %2, %1 : tile<8xptr<f32>>\n"
    "  %3 = constant 0 : i32\n"
    "  %4 = constant 1 : i32\n"
    "  %5 = splat %s : tile<8xi32>\n"
    "  %6 = constant 0 : i64\n"
    "  %7, %8 = for %3, %n, %4, %6, %p : i64, tile<8xptr<f32>> (%j: i32, %far: i64, %q: "
    "tile<8xptr<f32>>) {\n"
    "    %a = load %q : tile<8xf32>\n"
    "    %b = ftrunc %a : tile<8xf16>\n"
    "    %10 = addptr %y, %far : ptr<f16>\n"
    "    %11 = splat %10 : tile<8xptr<f16>>\n"
    "    %12 = addptr %11, %i : tile<8xptr<f16>>\n"
    "    store %12, %b\n"
    "    %13 = addptr %q, %5 : tile<8xptr<f32>>\n"
    "    %14 = ext_s %t : i64\n"
    "    %15 = add %far, %14 : i64\n"
    "    yield %15, %13\n"
    "  }\n"
    "  yield\n"
    "}\n";

/* As many of 8 as are less than s beside every second of 8 for each program, less than t in all. */
static const char masked[] =
    "func @masked(%x: ptr<f32>, %y: ptr<f16>, %s: i32, %t: i32, %n: i32) {\n"
    "  %p = program_id {axis = 0} : i32\n"
    "  %i = arange {start = 0, end = 8} : tile<8xi32>\n"
    "  %0 = splat %x : tile<8xptr<f32>>\n"
    "  %1 = addptr %0, %i : tile<8xptr<f32>>\n"
    "  %2 = splat %s : tile<8xi32>\n"
    "  %3 = icmp %i, %2 {predicate = slt} : tile<8xi1>\n"
    "  %a = load %1, %3 : tile<8xf32>\n"
    "  %b = ftrunc %a : tile<8xf16>\n"
    "  %8 = constant 8 : i32\n"
    "  %9 = mul %p, %8 : i32\n"
    "  %10 = splat %9 : tile<8xi32>\n"
    "  %11 = add %10, %i : tile<8xi32>\n"
    "  %12 = splat %t : tile<8xi32>\n"
    "  %13 = icmp %11, %12 {predicate = slt} : tile<8xi1>\n"
    "  %14 = constant 2 : tile<8xi32>\n"
    "  %15 = mul %11, %14 : tile<8xi32>\n"
    "  %16 = addptr %y, %n : ptr<f16>\n"
    "  %17 = splat %16 : tile<8xptr<f16>>\n"
    "  %18 = addptr %17, %15 : tile<8xptr<f16>>\n"
    "  store %18, %b, %13\n"
    "  yield\n"
    "}\n";

/* 4 elements in each turn, which is 4 behind the one before. */
static const char steps[] = "func @steps(%x: ptr<f32>, %y: ptr<f16>, %s: i32, %t: i32, %n: i32) {\n"
                            "  %i = arange {start = 0, end = 4} : tile<4xi32>\n"
                            "  %0 = splat %x : tile<4xptr<f32>>\n"
                            "  %1 = splat %y : tile<4xptr<f16>>\n"
                            "  %2 = constant 0 : i32\n"
                            "  %3 = constant 4 : i32\n"
                            "  for %2, %n, %3 (%j: i32) {\n"
                            "    %4 = splat %j : tile<4xi32>\n"
                            "    %5 = add %4, %i : tile<4xi32>\n"
                            "    %p = addptr %0, %5 : tile<4xptr<f32>>\n"
                            "    %a = load %p : tile<4xf32>\n"
                            "    %b = ftrunc %a : tile<4xf16>\n"
                            "    %q = addptr %1, %5 : tile<4xptr<f16>>\n"
                            "    store %q, %b\n"
                            "    yield\n"
                            "  }\n"
                            "  yield\n"
                            "}\n";

/* At an index that is loaded. */
static const char loaded[] =
    "func @loaded(%x: ptr<i32>, %y: ptr<i32>, %s: i32, %t: i32, %n: i32) {\n"
    "  %a = load %x : i32\n"
    "  %p = addptr %y, %a : ptr<i32>\n"
    "  store %p, %n\n"
    "  yield\n"
    "}\n";

typedef struct Bytes {
    int count, first[4096]; /* of each element */
} Bytes;

enum { PROGRAMS = 3, START = 4000, OF_X = 4, OF_Y = 2 };

static void add_row(Bytes *to, int at, int count, int step) {
    for (int i = 0; i < count; i++) to->first[to->count++] = at + i * step;
}

static bool share(const Bytes *a, const Bytes *b) {
    static bool touched[2 * START];
    bool found = false;
    memset(touched, 0, sizeof touched);
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < OF_X; k++) touched[a->first[i] + k] = true;
    for (int i = 0; i < b->count; i++)
        for (int k = 0; k < OF_Y; k++) found |= touched[b->first[i] + k];
    return found;
}

/* In one program, and in one turn. */
static bool meet_at(const char *text, int distance, int s, int t, int n, int between) {
    bool found = false, loops = text == turns;
    for (int p = 0; p < (loops ? n : PROGRAMS); p++) {
        if (p + between < 0 || p + between >= (loops ? n : PROGRAMS)) continue;
        static Bytes a, b;
        a.count = b.count = 0;
        int x = START, y = START - distance;
        if (text == masked) {
            add_row(&a, x, s < 8 ? s : 8, OF_X);
            add_row(&b, y + OF_Y * (2 * 8 * p + n), t - 8 * p < 8 ? t - 8 * p : 8, 2 * OF_Y);
        }
        for (int i = 0; i < (text == masked ? 0 : loops ? 1 : 4); i++) {
            add_row(&a, x + OF_X * (p + i) * s, 8, loops ? 2 * OF_X : OF_X);
            add_row(&b, y + OF_Y * ((p + between + i) * t + (loops ? 0 : n)), 8, OF_Y);
        }
        found |= share(&a, &b);
    }
    return found;
}

typedef enum Way { APART, SAME, NEAR } Way;

static bool meet(const char *text, Way way, int distance, int s, int t, int n) {
    bool found = false, any_turns = way == NEAR && text == turns;
    if (way != APART && !distance) return false;
    if (way == NEAR && text == rows && s * OF_X != t * OF_Y) return false; /* by programs, too */
    for (int between = any_turns ? 1 - n : 0; between <= (any_turns ? n - 1 : 0); between++)
        found |= meet_at(text, distance, s, t, n, between);
    return found;
}

typedef struct Found {
    const Op *load, *store, *loop;
} Found;

static bool find(Op *op, void *user) {
    Found *found = user;
    if (op->kind == OP_LOAD) found->load = op;
    if (op->kind == OP_STORE) found->store = op;
    if (op->kind == OP_FOR) found->loop = op;
    return true;
}

static Needs *asked(Arena *arena, const char *text, Way way) {
    Diag diag = {.arena = arena};
    Found found = {0};
    Func *fn = func_parse(arena, source_new(arena, STR("views.tir"), str_of(text)), &diag);
    const char *why = fn ? func_verify(arena, fn) : "it does not parse";
    CHECK_STR(why ? why : "", "");
    if (why) return NULL;
    region_walk(fn->body, find, &found);
    Needs *needs = needs_new(arena, fn, fn->num_params);
    const Value *x = fn->params[0].value, *y = fn->params[1].value;
    if (way == NEAR)
        needs_add_not_near(needs, x, found.load, y, found.store, found.loop);
    else
        needs_add_never_meet(needs, x, found.load, y, found.store, way == SAME);
    CHECK(needs_close(needs));
    return needs;
}

static void check(const char *text, Way way) {
    static const int sizes[] = {-9, 0, 1, 8, 11, 16, 40}, counts[] = {1, 2, 5};
    const uint64_t anywhere[] = {0, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0};
    const uint64_t elsewhere[] = {1000, 5000, 5000, 9000, 0, 0, 0, 0, 0, 0};
    const uint32_t grid[3] = {PROGRAMS, 1, 1};
    Arena *arena = arena_new(0);
    Needs *needs = asked(arena, text, way);
    int apart = 0, met = 0;
    for (int i = 0; needs && i < 7 * 7 * 3; i++) {
        int s = sizes[i % 7], t = sizes[i / 7 % 7], n = counts[i / 49];
        for (int distance = -420; distance <= 420; distance += 1 + (distance % 3 == 0)) {
            uint64_t args[] = {START, (uint64_t)(START - distance), (uint64_t)(int64_t)s,
                               (uint64_t)(int64_t)t, (uint64_t)n};
            bool want = !meet(text, way, distance, s, t, n);
            bool given = needs_hold(needs, args, anywhere, grid);
            apart += want, met += !want;
            if (given != want)
                printf("%s, s %d, t %d, n %d, %d bytes: %s\n",
                       text == rows    ? "rows"
                       : text == turns ? "turns"
                                       : "masked",
                       s, t, n, distance, given ? "apart" : "they meet");
            CHECK(given == want);
            CHECK(needs_hold(needs, args, elsewhere, grid));
            if (given != want) return;
        }
    }
    CHECK(apart > 1000 && met > 500);
    arena_free(arena);
}

TEST(rows_of_tiles) { check(rows, APART); }
TEST(turns_of_loops) { check(turns, APART); }
TEST(ends_of_masks) { check(masked, APART); }
TEST(in_place) { check(rows, SAME); }
TEST(tiles_that_are_near) { check(rows, NEAR); }
TEST(any_two_turns) { check(turns, NEAR); }

/* The last turn begins whole steps behind the first, not just before the end. */
TEST(turns_of_several_elements) {
    const uint64_t anywhere[] = {0, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0};
    const uint32_t grid[3] = {1, 1, 1};
    Arena *arena = arena_new(0);
    Needs *needs = asked(arena, steps, NEAR);
    for (int n = 1; needs && n < 20; n++) {
        int elements = (n + 3) / 4 * 4;
        for (int distance = -100; distance <= 100; distance++) { /* of y's first byte */
            uint64_t args[] = {START, (uint64_t)(START + distance), 0, 0, (uint64_t)n};
            bool meets = distance && distance < OF_X * elements && distance > -OF_Y * elements;
            CHECK(needs_hold(needs, args, anywhere, grid) == !meets);
        }
    }
    arena_free(arena);
}

/* They may be anywhere in the memory that both point into. */
TEST(loaded_indices) {
    const uint64_t one[] = {0, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0};
    const uint64_t two[] = {1000, 5000, 5000, 9000, 0, 0, 0, 0, 0, 0};
    Arena *arena = arena_new(0);
    Needs *needs = asked(arena, loaded, APART);
    for (int i = 0; i < 3; i++) {
        uint64_t args[] = {1000, 5000 + 400 * (uint64_t)i, 0, 0, 0};
        CHECK(!needs_hold(needs, args, one, (uint32_t[]){1, 1, 1}));
        CHECK(needs_hold(needs, args, two, (uint32_t[]){1, 1, 1}));
    }
    arena_free(arena);
    arena = arena_new(0);
    Diag diag = {.arena = arena};
    Found found = {0};
    Func *fn = func_parse(arena, source_new(arena, STR("views.tir"), str_of(loaded)), &diag);
    region_walk(fn->body, find, &found);
    needs = needs_new(arena, fn, fn->num_params);
    needs_add_not_near(needs, fn->params[0].value, found.load, fn->params[1].value, found.store,
                       NULL);
    CHECK(!needs_close(needs));
    arena_free(arena);
}

TEST_MAIN()
