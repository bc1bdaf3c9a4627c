// SPDX-License-Identifier: Apache-2.0
/* Do turns of a loop access other elements? Of kernels that walk over rows' columns, right and
 * wrong ones: where turns.c says so, and a launch is what was asked, no two turns meet that are
 * counted out lane by lane. */
#include "opt/gpu/turns.h"
#include "test.h"

enum { SIDE = 4 }; /* of the tile */

/* What a kernel is like; the first of each is right. */
typedef enum Choice {
    WIDTH,   /* of offsets: 64, 32, carried as 32 and added as 64, or the index and that */
    ROW,     /* rows are n apart, or m */
    END,     /* columns end with n, or with m, what was read, or n + 1 */
    TEST,    /* how they are compared */
    JOIN,    /* the mask: that, with or, or another one */
    STEP,    /* a tile, two, or less than one */
    FROM,    /* where offsets begin */
    BY,      /* .. and what a turn adds */
    START,   /* where columns begin */
    ADD,     /* .. and what a turn adds: as many, or not; or they are the index */
    LOWER,   /* of the loop */
    UPPER,   /* .. */
    MASKED,  /* what loads, too; or only what stores */
    APART,   /* columns, elements; or n elements, of one column; or more than columns */
    TIMES,   /* as many rows between those of the tile */
    CHANGES, /* n is the loop's, for rows: read in each turn */
    CHOICES
} Choice;

static const int kinds[CHOICES] = {4, 2, 4, 5, 5, 3, 4, 5, 5, 6, 4, 4, 2, 5, 2, 2};

static const char *const tests[] = {"slt", "sgt", "sle", "ult", "sge"};
static const int64_t froms[] = {0, 7, -3, 0}, starts[] = {0, 2, -2, 0, 5}, lowers[] = {0, 3, -9, 0};
static const int64_t steps[] = {4, 8, 3};

static const int aparts[] = {1, 2, -1, 0, 1}; /* columns */

typedef struct Kernel {
    int is[CHOICES];
} Kernel;

static int64_t added(const Kernel *k, Choice by) {
    static const int64_t parts[] = {2, 4, 3, 0, -2}; /* halves of a step */
    int64_t step = steps[k->is[STEP]];
    return k->is[by] == 5 ? 0 : parts[k->is[by]] * step / 2;
}

static Str text_of(Arena *arena, const Kernel *k) {
    const int *is = k->is;
    bool wide = is[WIDTH] % 2 == 0;
    const char *type = wide ? "i64" : "i32", *carried = is[WIDTH] ? "i32" : "i64";
    const char *all = is[TEST] == 1 ? "%end, %x" : "%x, %end";
    static const char *const joins[] = {"and %ends, %ends", "or %ends, %few", "and %few, %few",
                                        "and %few, %ends", "and %ends, %few"};
    Buf b = {.arena = arena};
    buf_printf(&b, "func @f(%%p: ptr<f32>, %%n: i32, %%m: i32, %%q: ptr<i32>) {\n");
    buf_printf(&b, "  %%i = arange {start = 0, end = 4} : tile<4xi32>\n"
                   "  %%r = expand_dims %%i {axis = 1} : tile<4x1xi32>\n"
                   "  %%j = expand_dims %%i {axis = 0} : tile<1x4xi32>\n");
    buf_printf(&b, "  %%times = constant %d : tile<4x1xi32>\n", is[TIMES] ? 3 : 1);
    buf_printf(&b, "  %%each = constant %d : tile<1x4xi32>\n", aparts[is[APART]]);
    buf_printf(&b, "  %%r3 = mul %%r, %%times : tile<4x1xi32>\n"
                   "  %%c = mul %%j, %%each : tile<1x4xi32>\n");
    if (is[APART] == 3) buf_printf(&b, "  %%far.0 = splat %%n : tile<1x4xi32>\n");
    if (is[APART] == 4) buf_printf(&b, "  %%far.0 = constant 2 : tile<1x4xi32>\n");
    if (is[APART] > 2) buf_printf(&b, "  %%g = mul %%j, %%far.0 : tile<1x4xi32>\n");
    const char *column = is[APART] > 2 ? "g" : "c";
    if (wide)
        buf_printf(&b,
                   "  %%rr = ext_s %%r3 : tile<4x1xi64>\n  %%cc = ext_s %%%s : tile<1x4xi64>\n"
                   "  %%nn = ext_s %%n : i64\n  %%mm = ext_s %%m : i64\n",
                   column);
    buf_printf(&b, "  %%cb = broadcast %%%s : tile<4x4x%s>\n", wide ? "cc" : column, type);
    buf_printf(&b, "  %%pp = splat %%p : tile<4x4xptr<f32>>\n"
                   "  %%three = constant 3 : tile<4x1xi32>\n"
                   "  %%first = icmp %%r, %%three {predicate = slt} : tile<4x1xi1>\n"
                   "  %%few = broadcast %%first : tile<4x4xi1>\n");
    buf_printf(&b, "  %%lower = constant %lld : i32\n  %%step = constant %lld : i32\n",
               (long long)lowers[is[LOWER]], (long long)steps[is[STEP]]);
    buf_printf(&b, "  %%upper = constant 40 : i32\n");
    buf_printf(&b, "  %%from = constant %lld : %s\n", (long long)froms[is[FROM]], carried);
    buf_printf(&b, "  %%start = constant %lld : i32\n", (long long)starts[is[START]]);
    const char *from = is[FROM] != 3 ? "from" : is[WIDTH] ? "m" : "mm";
    static const char *const uppers[] = {"n", "m", "upper", "n"};
    buf_printf(&b, "  %%1, %%2 = for %%%s, %%%s, %%step, %%%s, %%%s : %s, i32 ",
               is[LOWER] == 3 ? "m" : "lower", uppers[is[UPPER]], from,
               is[START] == 3 ? "m" : "start", carried);
    buf_printf(&b, "(%%k: i32, %%o: %s, %%h: i32) {\n", carried);
    buf_printf(&b, "    %%now = load %%q : i32\n");
    if (wide) buf_printf(&b, "    %%far = ext_s %%now : i64\n");
    const char *row = is[CHANGES] ? (wide ? "far" : "now")
                      : is[ROW]   ? (wide ? "mm" : "m")
                                  : (wide ? "nn" : "n");
    buf_printf(&b, "    %%f = splat %%%s : tile<4x1x%s>\n", row, type);
    buf_printf(&b, "    %%ro = mul %%%s, %%f : tile<4x1x%s>\n", wide ? "rr" : "r3", type);
    buf_printf(&b, "    %%rb = broadcast %%ro : tile<4x4x%s>\n", type);
    buf_printf(&b, "    %%off = add %%rb, %%cb : tile<4x4x%s>\n", type);
    buf_printf(&b, "    %%so = splat %%o : tile<4x4x%s>\n", carried);
    if (is[WIDTH] == 2) buf_printf(&b, "    %%os = ext_s %%so : tile<4x4xi64>\n");
    if (is[WIDTH] == 3) buf_printf(&b, "    %%ks = splat %%k : tile<4x4xi32>\n");
    static const char *const by[] = {"so", "so", "os", "ks"};
    buf_printf(&b, "    %%at = add %%off, %%%s : tile<4x4x%s>\n", by[is[WIDTH]], type);
    buf_printf(&b, "    %%%s = addptr %%pp, %%at : tile<4x4xptr<f32>>\n",
               is[WIDTH] == 3 ? "via" : "to");
    if (is[WIDTH] == 3) buf_printf(&b, "    %%to = addptr %%via, %%so : tile<4x4xptr<f32>>\n");
    buf_printf(&b, "    %%hs = splat %%%s : tile<1x4xi32>\n", is[ADD] == 5 ? "k" : "h");
    buf_printf(&b, "    %%x = add %%c, %%hs : tile<1x4xi32>\n");
    static const char *const ends[] = {"n", "m", "now", "n"};
    buf_printf(&b, "    %%%s = splat %%%s : tile<1x4xi32>\n", is[END] == 3 ? "e" : "end",
               ends[is[END]]);
    if (is[END] == 3)
        buf_printf(&b, "    %%one = constant 1 : tile<1x4xi32>\n"
                       "    %%end = add %%e, %%one : tile<1x4xi32>\n");
    buf_printf(&b, "    %%below = icmp %s {predicate = %s} : tile<1x4xi1>\n", all, tests[is[TEST]]);
    buf_printf(&b, "    %%ends = broadcast %%below : tile<4x4xi1>\n");
    buf_printf(&b, "    %%mask = %s : tile<4x4xi1>\n", joins[is[JOIN]]);
    buf_printf(&b, "    %%v = load %%to%s : tile<4x4xf32>\n", is[MASKED] ? "" : ", %mask");
    buf_printf(&b, "    store %%to, %%v, %%mask\n");
    buf_printf(&b, "    %%by = constant %lld : %s\n", (long long)added(k, BY), carried);
    buf_printf(&b, "    %%add = constant %lld : i32\n", (long long)added(k, ADD));
    buf_printf(&b, "    %%o2 = add %%o, %%by : %s\n    %%h2 = add %%h, %%add : i32\n", carried);
    buf_printf(&b, "    yield %%o2, %%h2\n  }\n  yield\n}\n");
    return buf_str(&b);
}

/* ---- counted out ---- */

typedef struct Lane {
    int64_t at, turn;
    bool stores;
} Lane;

static int64_t wrapped(int64_t number) { return (int32_t)(uint32_t)(uint64_t)number; }

static bool is_below(int test, int64_t x, int64_t end) {
    if (test == 3) return (uint32_t)x < (uint32_t)end;
    return test == 2 ? x <= end : test == 4 ? x >= end : x < end;
}

static int add_turn(const Kernel *k, int64_t n, int64_t m, int64_t turn, Lane *lanes) {
    const int *is = k->is;
    int count = 0;
    int64_t index = (is[LOWER] == 3 ? m : lowers[is[LOWER]]) + turn * steps[is[STEP]];
    int64_t o = (is[FROM] == 3 ? m : froms[is[FROM]]) + turn * added(k, BY);
    int64_t h = wrapped((is[START] == 3 ? m : starts[is[START]]) + turn * added(k, ADD));
    if (is[WIDTH]) o = wrapped(o);
    if (is[ADD] == 5) h = index;
    int64_t now = n + (turn & 1), row = is[CHANGES] ? now : is[ROW] ? m : n;
    int64_t end = is[END] == 3 ? wrapped(n + 1) : is[END] == 2 ? now : is[END] ? m : n;
    for (int i = 0; i < SIDE * SIDE; i++) {
        int64_t r = i / SIDE, c = aparts[is[APART]] * (i % SIDE);
        int64_t j = is[APART] == 3 ? n * (i % SIDE) : is[APART] == 4 ? 2 * (i % SIDE) : c;
        if (is[APART] == 3 && is[WIDTH] % 2 == 0) j = wrapped(j);
        int64_t at = r * (is[TIMES] ? 3 : 1) * row + j + (is[WIDTH] == 3 ? index : o);
        bool few = r < 3, ends = is_below(is[TEST], wrapped(c + h), end);
        bool mask = is[JOIN] == 1 ? ends || few : is[JOIN] == 2 ? few : ends && (few || !is[JOIN]);
        if (is[WIDTH] % 2) at = wrapped(at);
        if (is[WIDTH] == 3) at += o;
        if (mask) lanes[count++] = (Lane){at, turn, true};
        if (is[MASKED] && !mask) lanes[count++] = (Lane){at, turn, false};
    }
    return count;
}

static int by_place(const void *a, const void *b) {
    const Lane *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->turn > y->turn) - (x->turn < y->turn);
}

/* Of many turns the first and the last ones. */
static bool turns_meet(const Kernel *k, int64_t n, int64_t m) {
    enum { ENDS = 8 };
    static Lane lanes[2 * ENDS * SIDE * SIDE];
    int64_t lower = k->is[LOWER] == 3 ? m : lowers[k->is[LOWER]], step = steps[k->is[STEP]];
    int64_t upper = k->is[UPPER] == 1 ? m : k->is[UPPER] == 2 ? 40 : n;
    int64_t turns = upper > lower ? (upper - lower + step - 1) / step : 0;
    int count = 0;
    for (int64_t t = 0; t < turns; t++) {
        if (t == ENDS && turns > 2 * ENDS) t = turns - ENDS;
        count += add_turn(k, n, m, t, lanes + count);
    }
    qsort(lanes, (size_t)count, sizeof *lanes, by_place);
    for (int i = 0, first = 0; i < count; i++) {
        if (lanes[i].at != lanes[first].at) first = i;
        for (int j = first; j < i; j++)
            if (lanes[j].turn != lanes[i].turn && (lanes[j].stores || lanes[i].stores)) return true;
    }
    return false;
}

/* ---- what is said ---- */

typedef struct Found {
    const Op *load, *store, *loop;
} Found;

static bool find(Op *op, void *user) {
    Found *found = user;
    if (op->kind == OP_LOAD && load_pointer(op)->type->rank) found->load = op;
    if (op->kind == OP_STORE) found->store = op;
    if (op->kind == OP_FOR) found->loop = op;
    return true;
}

static const int64_t sizes[] = {-5,
                                0,
                                1,
                                3,
                                4,
                                7,
                                16,
                                21,
                                100,
                                (1 << 20) + 1,
                                1 << 28,
                                ((int64_t)1 << 32) / 12 - 5,
                                ((int64_t)1 << 32) / 10 + 1,
                                715827882,
                                715827883,
                                1 << 30,
                                (1 << 30) + 1,
                                INT32_MAX - 129,
                                INT32_MAX - 9,
                                INT32_MAX - 3,
                                INT32_MAX - 2,
                                INT32_MAX - 1,
                                INT32_MAX};
static const int64_t others[] = {0, 2, 5, -1, 64, 1 << 30, INT32_MAX - 20};

typedef struct Counts {
    int apart, held, met; /* kernels; launches; and those that were not held of the former */
} Counts;

static bool is_right(const Kernel *k, const Func *fn, Needs *needs, Counts *counts) {
    const uint64_t rooms[8] = {0};
    bool right = true;
    needs_add_unequal(needs, fn->params[0].value, fn->params[3].value); /* that they are any */
    CHECK(needs_close(needs));
    for (int i = 0; i < COUNT(sizes) * COUNT(others) && right; i++) {
        int64_t n = sizes[i % COUNT(sizes)], m = others[i / COUNT(sizes)];
        bool held = needs_hold(needs, (uint64_t[]){4096, (uint64_t)n, (uint64_t)m, 8192}, rooms,
                               (uint32_t[]){1, 1, 1});
        bool meet = turns_meet(k, n, m);
        counts->held += held, counts->met += meet && !held;
        right = !(held && meet);
        if (!right) printf("n = %lld, m = %lld: they meet\n", (long long)n, (long long)m);
    }
    return right;
}

static bool check(const Kernel *k, Counts *counts) {
    Arena *arena = arena_new(0);
    Diag diag = {.arena = arena};
    Found found = {0};
    Str text = text_of(arena, k);
    Func *fn = func_parse(arena, source_new(arena, STR("turns.tir"), text), &diag);
    const char *why = fn ? func_verify(arena, fn) : "it does not parse";
    CHECK_STR(why ? why : "", "");
    bool apart = false, right = !why;
    if (!why) {
        region_walk(fn->body, find, &found);
        Needs *needs = needs_new(arena, fn, fn->num_params);
        apart = turns_are_apart(facts_compute_linear(arena, fn), needs, store_pointer(found.store),
                                found.loop, load_mask(found.load), store_mask(found.store));
        counts->apart += apart;
        right = !apart || is_right(k, fn, needs, counts);
    }
    if (!right) printf("%.*s\n", STR_ARG(text));
    CHECK(right);
    arena_free(arena);
    return right;
}

/* All pairs of choices, each with all others right, and more at a time. */
TEST(turns_are_apart_as_counted_out) {
    Counts counts = {0};
    uint32_t state = 1;
    for (int c = 0; c < CHOICES; c++)
        for (int d = 0; d < c; d++)
            for (int i = 0; i < kinds[c] * kinds[d]; i++) {
                Kernel k = {0};
                k.is[c] = i % kinds[c], k.is[d] = i / kinds[c];
                if (!check(&k, &counts)) return;
            }
    for (int i = 0; i < 500; i++) {
        Kernel k = {0};
        for (int c = 0; c < CHOICES; c++) {
            state = state * 1664525 + 1013904223;
            if (state >> 24 < 60) k.is[c] = (int)((state >> 8 & 0xffff) % (uint32_t)kinds[c]);
        }
        if (!check(&k, &counts)) return;
    }
    CHECK(counts.apart > 150 && counts.held > 1000 && counts.met > 10);
}

/* y is cleared; x is summed, then stored to z with what it sums to. Barriers between. */
static const char again[] =
    "func @again(%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32) {num_warps = 4} {\n"
    "  %0 = constant 0 : i32\n"
    "  %1 = constant 128 : i32\n"
    "  %none = constant 0.0 : tile<128xf32>\n"
    "  %i = arange {start = 0, end = 128} : tile<128xi32>\n"
    "  %xs = splat %x : tile<128xptr<f32>>\n"
    "  %ys = splat %y : tile<128xptr<f32>>\n"
    "  %zs = splat %z : tile<128xptr<f32>>\n"
    "  %early = addptr %ys, %i : tile<128xptr<f32>>\n"
    "  store %early, %none\n"
    "  barrier\n"
    "  %s = for %0, %n, %1, %none : tile<128xf32> (%k: i32, %t: "
    "tile<128xf32>) {\n"
    "    %2 = splat %k : tile<128xi32>\n"
    "    %3 = add %2, %i : tile<128xi32>\n"
    "    %p = addptr %xs, %3 : tile<128xptr<f32>>\n"
    "    %a = load %p : tile<128xf32>\n"
    "    %4 = fadd %t, %a : tile<128xf32>\n"
    "    yield %4\n"
    "  }\n"
    "  barrier\n"
    "  for %0, %n, %1 (%h: i32) {\n"
    "    %5 = splat %h : tile<128xi32>\n"
    "    %6 = add %5, %i : tile<128xi32>\n"
    "    %q = addptr %xs, %6 : tile<128xptr<f32>>\n"
    "    %b = load %q : tile<128xf32>\n"
    "    %7 = fadd %b, %s : tile<128xf32>\n"
    "    %to = addptr %zs, %6 : tile<128xptr<f32>>\n"
    "    store %to, %7\n"
    "    yield\n"
    "  }\n"
    "  yield\n"
    "}\n";

static bool is_constant(Op *op, void *count) {
    *(int *)count += op->kind == OP_LOAD && load_cache(op) == CACHE_NC;
    return true;
}

/* How many loads read what nothing writes; px: with needs, or not. */
static int count_constant(Arena *arena, PassCtx *px, bool asks, bool overlaps) {
    static Diag diag;
    diag = (Diag){.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("turns.tir"), str_of(again)), &diag);
    int count = 0;
    CHECK(fn && !func_verify(arena, fn));
    fn->num_warps = 4, fn->num_stages = 3, fn->overlaps = overlaps;
    *px = (PassCtx){.scratch = arena, .diag = &diag, .target = "sm_90a"};
    if (asks) px->needs = needs_new(arena, fn, fn->num_params);
    CHECK(pass_find(STR("place"))->run(px, fn));
    pass_find(STR("fence"))->run(px, fn);
    region_walk(fn->body, is_constant, &count);
    return count;
}

/* Where launches are not asked, or are not so, what is read may be what is written. */
TEST(what_is_read_again_is_not_written) {
    Arena *arena = arena_new(0);
    PassCtx px;
    CHECK(count_constant(arena, &px, false, false) == 0);
    CHECK(count_constant(arena, &px, true, true) == 0);
    CHECK(count_constant(arena, &px, true, false) == 1);
    CHECK(needs_close(px.needs));
    const uint64_t rooms[8] = {4096, 65536, 4096, 65536, 4096, 65536};
    enum { X = 8192, Y = 32768, Z = 16384, N = 1000 };
    static const struct {
        uint64_t y, z;
        bool holds;
    } cases[] = {{Y, Z, true},  {Y, X, false},           {Y, X + 4, false},   {Y, X - 4, false},
                 {X, Z, false}, {X + 4 * 900, Z, false}, {X - 256, Z, false}, {X - 512, Z, true}};
    for (int i = 0; i < COUNT(cases); i++) {
        uint64_t args[] = {X, cases[i].y, cases[i].z, N};
        bool holds = needs_hold(px.needs, args, rooms, (uint32_t[]){1, 1, 1});
        if (holds != cases[i].holds) printf("case %d\n", i);
        CHECK(holds == cases[i].holds);
    }
    arena_free(arena);
}

TEST_MAIN()
