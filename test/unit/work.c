// SPDX-License-Identifier: Apache-2.0
/* What work_count says a mask lets through is held against the lanes themselves, of random
 * functions and of each comparison, box and shape op; loops and branches against runs written out
 * here. */
#include "work/work.h"
#include "opt/opt.h"
#include "unit/random_ir.h"

enum { PROGRAMS = 3, F32_BYTES = 4 };

/* ---- the reference: lanes that are on, each time a mask is defined ---- */

typedef struct Lanes {
    uint64_t *on;   /* by value id: summed over all definitions */
    bool *negative; /* by value id: some lane was, read as signed */
} Lanes;

static void note_lanes(Evaluator *e, const Value *value) {
    Lanes *lanes = e->user;
    const Type *type = value->type;
    for (int i = 0; type_is_int(type) && i < type->lanes; i++) {
        uint64_t bits = e->lanes[value->id][i];
        if (type_is_bool(type)) lanes->on[value->id] += bits & 1;
        if (constant_to_int(type_lane(type), bits) < 0) lanes->negative[value->id] = true;
    }
}

static Lanes run(Arena *arena, const Func *fn, const uint64_t *params) {
    static Evaluator e;
    Lanes lanes = {arena_array(arena, uint64_t, fn->num_values),
                   arena_array(arena, bool, fn->num_values)};
    e = (Evaluator){.arena = arena, .check = note_lanes, .user = &lanes};
    for (e.program_id = 0; e.program_id < PROGRAMS; e.program_id++) eval_func(&e, fn, params);
    e.user = NULL; /* it does not outlive this call */
    return lanes;
}

static Work count(Arena *arena, const Func *fn, const uint64_t *params) {
    Work work = {0};
    const char *why = work_count(arena, fn, (uint32_t[]){PROGRAMS, 1, 1}, params, &work);
    CHECK(why == NULL);
    if (why) printf("%s\n", why);
    return work;
}

/* ---- random functions: one store under a mask at a time ---- */

typedef struct Masks {
    VEC(Value *) found;
    Arena *arena;
} Masks;

static bool find_mask(Op *op, void *user) {
    Masks *masks = user;
    for (int i = 0; i < op->num_results; i++) {
        const Type *type = op->results[i].type;
        if (type_is_bool(type) && type_is_tile(type))
            vec_push(masks->arena, &masks->found, &op->results[i]);
    }
    return true;
}

/* How many lanes the count lets through the mask in a store right after it. */
static uint64_t lanes_of_store(Arena *arena, Func *fn, Value *mask, const uint64_t *params,
                               bool *exact) {
    const Type *type = mask->type;
    Builder b = {.fn = fn, .region = mask->def->parent, .before = mask->def->next};
    Value *pointer = build_splat(&b, fn->params[4].value, type->rank, type->shape);
    Value *value = build_float(&b, type_with_elem(fn->types, type, type_scalar(TYPE_F32)), 1);
    Value *operands[] = {pointer, value, mask};
    Op *store = build_op(&b, OP_STORE, 3, operands, 0, NULL, 0, NULL);
    Work work = count(arena, fn, params);
    op_remove(store), op_remove(value->def), op_remove(pointer->def);
    *exact = work.bytes_exact;
    return work.by_param[4].stored / F32_BYTES;
}

TEST(random_masks_let_through_what_they_do) {
    int exact_masks = 0, masks = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Arena *arena = arena_new(NULL);
        uint64_t params[RANDOM_PARAMS];
        random_state = seed * 0x9e3779b97f4a7c15u + 1;
        Func *fn = random_func(arena, seed % 2, false);
        random_params(fn, seed % 2, params);
        Masks all = {.arena = arena};
        region_walk(fn->body, find_mask, &all);
        Lanes lanes = run(arena, fn, params);
        for (int i = 0; i < all.found.count; i++) {
            Value *mask = all.found.data[i];
            uint64_t want = lanes.on[mask->id];
            bool exact;
            uint64_t got = lanes_of_store(arena, fn, mask, params, &exact);
            CHECK(exact ? got == want : got >= want);
            exact_masks += exact, masks++;
        }
        arena_free(arena);
    }
    CHECK(masks == 3856 && exact_masks >= 3396); /* must not get worse */
}

/* ---- functions in text, for a range of n and m ---- */

static const char head[] = "func @k(%x: ptr<f32>, %y: ptr<f64>, %n: i32, %m: i32) {\n"
                           "  %zero = constant 0 : i32\n"
                           "  %one = constant 1 : i32\n"
                           "  %eight = constant 8 : i32\n"
                           "  %pid = program_id {axis = 0} : i32\n"
                           "  %start = mul %pid, %eight : i32\n"
                           "  %i = arange {start = 0, end = 8} : tile<8xi32>\n"
                           "  %starts = splat %start : tile<8xi32>\n"
                           "  %at = add %starts, %i : tile<8xi32>\n"
                           "  %ns = splat %n : tile<8xi32>\n"
                           "  %ms = splat %m : tile<8xi32>\n"
                           "  %three = constant 3 : tile<8xi32>\n"
                           "  %thirds = mul %at, %three : tile<8xi32>\n"
                           "  %back = sub %ns, %thirds : tile<8xi32>\n"
                           "  %p = splat %x : tile<8xptr<f32>>\n"
                           "  %v = constant 1.0 : tile<8xf32>\n"
                           "  %q = splat %x : tile<8x4xptr<f32>>\n"
                           "  %w = constant 1.0 : tile<8x4xf32>\n"
                           "  %j = arange {start = -1, end = 3} : tile<4xi32>\n"
                           "  %row = expand_dims %at {axis = 1} : tile<8x1xi32>\n"
                           "  %col = expand_dims %j {axis = 0} : tile<1x4xi32>\n"
                           "  %rows = broadcast %row : tile<8x4xi32>\n"
                           "  %cols = broadcast %col : tile<8x4xi32>\n"
                           "  %nr = splat %n : tile<8x1xi32>\n"
                           "  %mc = splat %m : tile<1x4xi32>\n"
                           "  %n2 = splat %n : tile<8x4xi32>\n"
                           "  %m2 = splat %m : tile<8x4xi32>\n"
                           "  %all = constant 1 : tile<8x4xi1>\n"
                           "  %none = constant 0 : tile<8x4xi1>\n"
                           "  %in_rows = icmp %rows, %n2 {predicate = slt} : tile<8x4xi1>\n"
                           "  %in_cols = icmp %cols, %m2 {predicate = slt} : tile<8x4xi1>\n";

static Func *parse(Arena *arena, const char *body) {
    Diag diag = {.arena = arena};
    Str text = str_format(arena, "%s%s  yield\n}\n", head, body);
    Func *fn = func_parse(arena, source_new(arena, STR("work"), text), &diag);
    const char *why = fn ? func_verify(arena, fn) : "it does not parse";
    CHECK(why == NULL);
    if (why) printf("%s\n%s\n", body, why);
    return why ? NULL : fn;
}

static bool find_store(Op *op, void *user) {
    if (op->kind == OP_STORE) *(Op **)user = op;
    return true;
}

static Op *the_store(const Func *fn) {
    Op *store = NULL;
    region_walk(fn->body, find_store, &store);
    return store;
}

static const int some[] = {-5, -1, 0, 1, 2, 4, 7, 8, 9, 15, 16, 17, 23, 24, 25, 26, 70};

static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};

static void check_comparison(const char *a, const char *b, const char *predicate) {
    Arena *arena = arena_new(NULL);
    Func *fn = parse(arena, str_format(arena,
                                       "  %%mask = icmp %%%s, %%%s {predicate = %s} : tile<8xi1>\n"
                                       "  store %%p, %%v, %%mask\n",
                                       a, b, predicate)
                                .data);
    if (!fn) return;
    const Value *mask = access_mask(the_store(fn)), *x = mask->def->operands[0],
                *y = mask->def->operands[1];
    bool by_order = predicate[0] != 'e' && predicate[0] != 'n';
    for (int k = 0; k < COUNT(some); k++) {
        int n = some[k];
        uint64_t params[] = {0, 0, (uint32_t)n, 7};
        Lanes lanes = run(arena, fn, params);
        Work work = count(arena, fn, params);
        uint64_t got = work.by_param[0].stored, want = F32_BYTES * lanes.on[mask->id];
        bool is_apart = predicate[0] == 'u' && (lanes.negative[x->id] || lanes.negative[y->id]);
        bool is_right = work.bytes_exact ? got == want : got >= want;
        CHECK(is_right);
        CHECK(work.bytes_exact || !by_order || is_apart);
        if (!is_right) printf("%s %s %s, n = %d\n", a, predicate, b, n);
    }
    arena_free(arena);
}

TEST(comparisons_of_what_counts_along_its_lanes) {
    static const char *const sides[] = {"at", "ns", "ms", "thirds", "back"};
    for (int a = 0; a < COUNT(sides); a++)
        for (int b = 0; b < COUNT(sides); b++)
            for (int p = 0; p < COUNT(predicates); p++)
                check_comparison(sides[a], sides[b], predicates[p]);
}

/* What is inexact here may become exact one day; what is exact must stay it. */
static const struct {
    const char *lines;
    bool exact;
} boxes[] = {
    {"%mask = and %in_rows, %in_cols : tile<8x4xi1>", true},
    {"%mask = and %in_cols, %none : tile<8x4xi1>", true},
    {"%mask = or %in_rows, %in_cols : tile<8x4xi1>", false},
    {"%mask = or %in_rows, %none : tile<8x4xi1>", true},
    {"%mask = or %none, %in_cols : tile<8x4xi1>", true},
    {"%mask = or %in_rows, %all : tile<8x4xi1>", true},
    {"%mask = or %all, %in_rows : tile<8x4xi1>", true},
    {"%mask = icmp %rows, %cols {predicate = slt} : tile<8x4xi1>", false},
    /* With a mask that is no box, `and` and `or` are exact only where that does not matter. */
    {"%mask = and %below, %in_rows : tile<8x4xi1>", false},
    {"%mask = and %in_rows, %below : tile<8x4xi1>", false},
    {"%mask = and %below, %none : tile<8x4xi1>", true},
    {"%mask = and %none, %below : tile<8x4xi1>", true},
    {"%mask = and %below, %all : tile<8x4xi1>", false},
    {"%mask = or %below, %in_rows : tile<8x4xi1>", false},
    {"%mask = or %in_rows, %below : tile<8x4xi1>", false},
    {"%mask = or %below, %none : tile<8x4xi1>", false},
    {"%mask = select %below, %in_rows, %in_cols : tile<8x4xi1>", false},
    {"%mask = select %all, %below, %in_cols : tile<8x4xi1>", false},
    /* As many dimensions as there may be. */
    {"%b0 = icmp %at, %ns {predicate = slt} : tile<8xi1>\n"
     "  %b1 = expand_dims %b0 {axis = 1} : tile<8x1xi1>\n"
     "  %b2 = expand_dims %b1 {axis = 0} : tile<1x8x1xi1>\n"
     "  %b3 = expand_dims %b2 {axis = 0} : tile<1x1x8x1xi1>\n"
     "  %b4 = expand_dims %b3 {axis = 0} : tile<1x1x1x8x1xi1>\n"
     "  %b5 = expand_dims %b4 {axis = 0} : tile<1x1x1x1x8x1xi1>\n"
     "  %b6 = expand_dims %b5 {axis = 0} : tile<1x1x1x1x1x8x1xi1>\n"
     "  %b7 = expand_dims %b6 {axis = 0} : tile<1x1x1x1x1x1x8x1xi1>\n"
     "  %b = broadcast %b7 : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %c = trans %b {order = [7, 1, 2, 3, 4, 5, 6, 0]} : tile<4x1x1x1x1x1x8x1xi1>\n"
     "  %d = trans %c {order = [7, 1, 2, 3, 4, 5, 6, 0]} : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %i3 = expand_dims %rows {axis = 0} : tile<1x8x4xi32>\n"
     "  %i4 = expand_dims %i3 {axis = 0} : tile<1x1x8x4xi32>\n"
     "  %i5 = expand_dims %i4 {axis = 0} : tile<1x1x1x8x4xi32>\n"
     "  %i6 = expand_dims %i5 {axis = 0} : tile<1x1x1x1x8x4xi32>\n"
     "  %i7 = expand_dims %i6 {axis = 0} : tile<1x1x1x1x1x8x4xi32>\n"
     "  %i8 = expand_dims %i7 {axis = 0} : tile<1x1x1x1x1x1x8x4xi32>\n"
     "  %n8 = splat %m : tile<1x1x1x1x1x1x8x4xi32>\n"
     "  %f = icmp %i8, %n8 {predicate = uge} : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %g = and %d, %f : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %none8 = constant 0 : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %h = or %g, %none8 : tile<1x1x1x1x1x1x8x4xi1>\n"
     "  %mask = reshape %h : tile<8x4xi1>",
     false},
    {"%a = reshape %below : tile<32xi1>\n"
     "  %mask = reshape %a : tile<8x4xi1>",
     false},
    {"%a = icmp %row, %nr {predicate = sge} : tile<8x1xi1>\n"
     "  %b = icmp %mc, %col {predicate = sgt} : tile<1x4xi1>\n"
     "  %aa = broadcast %a : tile<8x4xi1>\n"
     "  %bb = broadcast %b : tile<8x4xi1>\n"
     "  %mask = and %aa, %bb : tile<8x4xi1>",
     true},
    {"%a = icmp %at, %ns {predicate = slt} : tile<8xi1>\n"
     "  %b = expand_dims %a {axis = 1} : tile<8x1xi1>\n"
     "  %mask = broadcast %b : tile<8x4xi1>",
     true},
    {"%a = icmp %at, %ns {predicate = sge} : tile<8xi1>\n"
     "  %b = expand_dims %a {axis = 0} : tile<1x8xi1>\n"
     "  %c = broadcast %b : tile<4x8xi1>\n"
     "  %mask = trans %c {order = [1, 0]} : tile<8x4xi1>",
     true},
    {"%a = icmp %j, %e {predicate = slt} : tile<4xi1>\n"
     "  %b = expand_dims %a {axis = 0} : tile<1x4xi1>\n"
     "  %c = expand_dims %b {axis = 0} : tile<1x1x4xi1>\n"
     "  %d = trans %c {order = [0, 2, 1]} : tile<1x4x1xi1>\n"
     "  %f = broadcast %d : tile<1x4x8xi1>\n"
     "  %g = trans %f {order = [2, 1, 0]} : tile<8x4x1xi1>\n"
     "  %mask = reshape %g : tile<8x4xi1>",
     false},
    /* Along one lane nothing counts. */
    {"%a = arange {start = 2, end = 3} : tile<1xi32>\n"
     "  %b = expand_dims %a {axis = 1} : tile<1x1xi32>\n"
     "  %c = broadcast %b : tile<1x4xi32>\n"
     "  %d = add %c, %col : tile<1x4xi32>\n"
     "  %f = icmp %d, %mc {predicate = slt} : tile<1x4xi1>\n"
     "  %mask = broadcast %f : tile<8x4xi1>",
     true},
    {"%a = icmp %n, %m {predicate = slt} : i1\n"
     "  %mask = splat %a : tile<8x4xi1>",
     true},
    {"%a = icmp %n2, %m2 {predicate = ule} : tile<8x4xi1>\n"
     "  %b = reshape %a : tile<32xi1>\n"
     "  %c = hint %b {kind = constant, values = [1]} : tile<32xi1>\n"
     "  %mask = reshape %c : tile<8x4xi1>",
     true},
    {"%a = icmp %n, %m {predicate = sgt} : i1\n"
     "  %mask = select %a, %in_rows, %in_cols : tile<8x4xi1>",
     true},
    {"%mask = select %all, %in_rows, %in_cols : tile<8x4xi1>", true},
    {"%mask = select %none, %in_rows, %in_cols : tile<8x4xi1>", true},
    {"%mask = select %in_rows, %in_cols, %in_rows : tile<8x4xi1>", false},
    {"%a = min_s %n, %m : i32\n"
     "  %b = shl %a, %one : i32\n"
     "  %c = splat %b : tile<8x4xi32>\n"
     "  %mask = icmp %rows, %c {predicate = sle} : tile<8x4xi1>",
     true},
    {"%a = trunc %n : i8\n"
     "  %b = shr_u %a, %byte : i8\n"
     "  %c = ext_u %b : i32\n"
     "  %d = ext_s %a : i32\n"
     "  %f = add %c, %d : i32\n"
     "  %g = splat %f : tile<8x4xi32>\n"
     "  %mask = icmp %rows, %g {predicate = slt} : tile<8x4xi1>",
     true},
    {"%a = icmp %n, %m {predicate = slt} : i1\n"
     "  %b = select %a, %n, %eight : i32\n"
     "  %c = mul %wide, %wide : i64\n"
     "  %d = div_s %c, %wide : i64\n"
     "  %f = trunc %d : i32\n"
     "  %g = rem_s %b, %f : i32\n"
     "  %h = splat %g : tile<8x4xi32>\n"
     "  %mask = icmp %rows, %h {predicate = sle} : tile<8x4xi1>",
     true},
    {"%a = ext_s %rows : tile<8x4xi64>\n"
     "  %b = splat %wide : tile<8x4xi64>\n"
     "  %mask = icmp %a, %b {predicate = slt} : tile<8x4xi1>",
     true},
};

TEST(boxes_are_masks) {
    for (int k = 0; k < COUNT(boxes); k++) {
        Arena *arena = arena_new(NULL);
        Func *fn = parse(arena, str_format(arena,
                                           "  %%e = splat %%m : tile<4xi32>\n"
                                           "  %%byte = constant 4 : i8\n"
                                           "  %%wide = constant 11 : i64\n"
                                           "  %%below = icmp %%rows, %%cols {predicate = slt} : "
                                           "tile<8x4xi1>\n"
                                           "  %s\n  store %%q, %%w, %%mask\n",
                                           boxes[k].lines)
                                    .data);
        const Value *mask = fn ? access_mask(the_store(fn)) : NULL;
        for (int a = 0; a < COUNT(some) && fn; a++)
            for (int m = -2; m < 5; m++) {
                int n = some[a];
                uint64_t params[] = {0, 0, (uint32_t)n, (uint32_t)m};
                uint64_t want = F32_BYTES * run(arena, fn, params).on[mask->id];
                Work work = count(arena, fn, params);
                uint64_t got = work.by_param[0].stored;
                bool is_right = work.bytes_exact ? got == want : got >= want && !boxes[k].exact;
                CHECK(is_right);
                if (!is_right)
                    printf("%s\nn = %d, m = %d: %d, not %d%s\n", boxes[k].lines, n, m, (int)got,
                           (int)want, work.bytes_exact ? "" : " at most");
            }
        arena_free(arena);
    }
}

/* Comparisons whose difference does not fit: no claim, or a right one. */
TEST(far_numbers) {
    static const int64_t far[] = {INT64_MIN,     INT64_MIN + 1, INT64_MIN + 7, -1,       0, 1,
                                  INT64_MAX - 8, INT64_MAX - 7, INT64_MAX - 1, INT64_MAX};
    for (int p = 0; p < COUNT(predicates); p++) {
        Arena *arena = arena_new(NULL);
        Str text = str_format(arena,
                              "func @k(%%x: ptr<f32>, %%n: i64, %%m: i64) {\n"
                              "  %%i = arange {start = 0, end = 8} : tile<8xi32>\n"
                              "  %%w = ext_s %%i : tile<8xi64>\n"
                              "  %%s = splat %%n : tile<8xi64>\n"
                              "  %%l = splat %%m : tile<8xi64>\n"
                              "  %%a = add %%s, %%w : tile<8xi64>\n"
                              "  %%p = splat %%x : tile<8xptr<f32>>\n"
                              "  %%v = constant 1.0 : tile<8xf32>\n"
                              "  %%mask = icmp %%a, %%l {predicate = %s} : tile<8xi1>\n"
                              "  store %%p, %%v, %%mask\n  yield\n}\n",
                              predicates[p]);
        Diag diag = {.arena = arena};
        Func *fn = func_parse(arena, source_new(arena, STR("far"), text), &diag);
        CHECK(fn && !func_verify(arena, fn));
        for (int a = 0; a < COUNT(far) && fn; a++)
            for (int b = 0; b < COUNT(far); b++) {
                uint64_t params[] = {0, (uint64_t)far[a], (uint64_t)far[b]};
                const Value *mask = access_mask(the_store(fn));
                uint64_t want = F32_BYTES * run(arena, fn, params).on[mask->id];
                Work work = count(arena, fn, params);
                uint64_t got = work.by_param[0].stored;
                bool is_right = work.bytes_exact ? got == want : got >= want;
                CHECK(is_right);
                if (!is_right)
                    printf("%lld + i %s %lld: %d, not %d\n", (long long)far[a], predicates[p],
                           (long long)far[b], (int)got, (int)want);
            }
        arena_free(arena);
    }
}

/* ---- structure ---- */

/* With y's bytes counting turns: 8 a turn loaded, or stored. */
static const struct {
    const char *lines;
    int64_t n, m;
    int loaded, stored; /* of y, in turns; -1: refused */
    const char *why;    /* or, where both are given, the bytes are at most these */
} structures[] = {
    {"for %n, %m, %one (%k: i32) {\n store %y, %d\n yield\n }", -3, 4, 0, 7, NULL},
    {"for %n, %m, %one (%k: i32) {\n store %y, %d\n yield\n }", 4, 4, 0, 0, NULL},
    {"for %m, %n, %back1 (%k: i32) {\n store %y, %d\n yield\n }", -3, 4, 0, 4, NULL},
    {"for %n, %m, %one {unsigned = 1} (%k: i32) {\n store %y, %d\n yield\n }", 0, 4, 0, 4, NULL},
    {"for %n, %m, %one {unsigned = 1} (%k: i32) {\n store %y, %d\n yield\n }", 0, 0, 0, 0, NULL},
    {"for %n, %m, %one {unsigned = 1} (%k: i32) {\n store %y, %d\n yield\n }", -1, 4, -1, -1,
     "a loop without end"},
    {"for %n, %m, %one {unsigned = 1} (%k: i32) {\n store %y, %d\n yield\n }", 1, -4, -1, -1,
     "a loop without end"},
    {"for %n, %m, %back1 {unsigned = 1} (%k: i32) {\n store %y, %d\n yield\n }", 4, 1, -1, -1,
     "a loop without end"},
    {"for %n, %m, %zero (%k: i32) {\n store %y, %d\n yield\n }", 4, 9, -1, -1,
     "a loop without end"},
    {"for %zero, %seen, %one (%k: i32) {\n store %y, %d\n yield\n }", 4, 9, -1, -1,
     "how often a loop runs depends on what was loaded"},
    {"for %seen, %n, %one (%k: i32) {\n store %y, %d\n yield\n }", 4, 9, -1, -1,
     "how often a loop runs depends on what was loaded"},
    {"for %zero, %n, %seen (%k: i32) {\n store %y, %d\n yield\n }", 4, 9, -1, -1,
     "how often a loop runs depends on what was loaded"},
    /* To the end of the type, whose next number is not there. */
    {"for %big, %last, %one64 (%k: i64) {\n store %y, %d\n yield\n }", 0, 0, 0, 4, NULL},
    {"for %big, %last, %far (%k: i64) {\n store %y, %d\n yield\n }", 0, 0, 0, 1, NULL},
    {"for %least, %least4, %one64 (%k: i64) {\n store %y, %d\n yield\n }", 0, 0, 0, 4, NULL},
    /* A triangle: the inner loop ends by the outer index. */
    {"for %zero, %n, %one (%k: i32) {\n for %zero, %k, %one (%l: i32) {\n store %y, %d\n"
     " %o = load %y : f64\n yield\n }\n yield\n }",
     5, 0, 10, 10, NULL},
    /* The two that are carried change places each turn. */
    {"%a, %b = for %zero, %n, %one, %one, %m : i32, i32 (%k: i32, %p1: i32, %p2: i32) {\n"
     " yield %p2, %p1\n }\n for %zero, %a, %one (%l: i32) {\n store %y, %d\n yield\n }",
     3, 6, 0, 6, NULL},
    {"%a, %b = for %zero, %n, %one, %one, %m : i32, i32 (%k: i32, %p1: i32, %p2: i32) {\n"
     " yield %p2, %p1\n }\n for %zero, %b, %one (%l: i32) {\n store %y, %d\n yield\n }",
     4, 6, 0, 6, NULL},
    {"%a = while %n : i32 (%k: i32) {\n %go = icmp %k, %m {predicate = slt} : i1\n"
     " yield %go, %k\n } (%l: i32) {\n store %y, %d\n %next = add %l, %one : i32\n"
     " yield %next\n }\n for %zero, %a, %one (%o: i32) {\n %u = load %y : f64\n yield\n }",
     2, 7, 7, 5, NULL},
    {"%a, %b = while %n, %m : i32, i32 (%k: i32, %k2: i32) {\n"
     " %go = icmp %k, %zero {predicate = sgt} : i1\n yield %go, %k2, %k\n } (%l: i32, %l2: i32) {\n"
     " store %y, %d\n %next = sub %l2, %one : i32\n yield %next, %l\n }\n"
     " for %zero, %a, %one (%o: i32) {\n %u = load %y : f64\n yield\n }",
     4, 6, 6, 4, NULL},
    {"%a = while %n : i32 (%k: i32) {\n %go = icmp %k, %seen {predicate = slt} : i1\n"
     " yield %go, %k\n } (%l: i32) {\n yield %l\n }",
     2, 7, -1, -1, "how often a loop runs depends on what was loaded"},
    {"%a = while %n : i32 (%k: i32) {\n %go = icmp %k, %m {predicate = slt} : i1\n"
     " yield %go, %k\n } (%l: i32) {\n for %zero, %seen, %one (%o: i32) {\n yield\n }\n"
     " %next = add %l, %one : i32\n yield %next\n }",
     2, 7, -1, -1, "how often a loop runs depends on what was loaded"},
    {"%a = while %n : i32 (%k: i32) {\n for %zero, %seen, %one (%o: i32) {\n yield\n }\n"
     " %go = icmp %k, %m {predicate = slt} : i1\n yield %go, %k\n } (%l: i32) {\n"
     " %next = add %l, %one : i32\n yield %next\n }",
     2, 7, -1, -1, "how often a loop runs depends on what was loaded"},
    {"%go = icmp %n, %m {predicate = slt} : i1\n if %go {\n store %y, %d\n yield\n } {\n"
     " %u = load %y : f64\n yield\n }",
     1, 2, 0, 1, NULL},
    {"%go = icmp %n, %m {predicate = slt} : i1\n if %go {\n store %y, %d\n yield\n } {\n"
     " %u = load %y : f64\n yield\n }",
     2, 2, 1, 0, NULL},
    {"%go = icmp %n, %m {predicate = slt} : i1\n %a = if %go : i32 {\n yield %n\n } {\n"
     " yield %m\n }\n for %zero, %a, %one (%l: i32) {\n store %y, %d\n yield\n }",
     1, 6, 0, 1, NULL},
    {"%go = icmp %n, %m {predicate = slt} : i1\n %a = if %go : i32 {\n yield %n\n } {\n"
     " yield %m\n }\n for %zero, %a, %one (%l: i32) {\n store %y, %d\n yield\n }",
     8, 6, 0, 6, NULL},
    /* Both arms, where it is not known which. */
    {"%go = icmp %seen, %m {predicate = slt} : i1\n if %go {\n store %y, %d\n yield\n } {\n"
     " %u = load %y : f64\n store %y, %d\n yield\n }",
     1, 2, 1, 2, "at most"},
    {"%go = icmp %seen, %m {predicate = slt} : i1\n %a = if %go : i32 {\n yield %n\n } {\n"
     " yield %n\n }\n for %zero, %a, %one (%l: i32) {\n yield\n }",
     1, 2, -1, -1, "how often a loop runs depends on what was loaded"},
    {"%go = icmp %seen, %m {predicate = slt} : i1\n if %go {\n"
     " for %zero, %seen, %one (%l: i32) {\n yield\n }\n yield\n } {\n yield\n }",
     1, 2, -1, -1, "how often a loop runs depends on what was loaded"},
    {"%go = icmp %seen, %m {predicate = slt} : i1\n if %go {\n yield\n } {\n"
     " for %zero, %seen, %one (%l: i32) {\n yield\n }\n yield\n }",
     1, 2, -1, -1, "how often a loop runs depends on what was loaded"},
    /* Known in the first turn, and then no more. */
    {"%first = icmp %n, %m {predicate = slt} : i1\n %a = for %zero, %n, %one, %first : i1 (%k: "
     "i32, "
     "%go: i1) {\n %b = if %go : i32 {\n yield %n\n } {\n yield %m\n }\n"
     " for %zero, %b, %one (%l: i32) {\n store %y, %d\n yield\n }\n"
     " %then = icmp %seen, %m {predicate = slt} : i1\n yield %then\n }",
     2, 6, -1, -1, "how often a loop runs depends on what was loaded"},
    /* Of a mask of one lane. */
    {"%go = icmp %n, %m {predicate = slt} : i1\n store %y, %d, %go\n %u = load %y, %go : f64", 1, 2,
     1, 1, NULL},
    {"%go = icmp %n, %m {predicate = slt} : i1\n store %y, %d, %go\n %u = load %y, %go : f64", 2, 2,
     0, 0, NULL},
    {"%go = icmp %seen, %m {predicate = slt} : i1\n store %y, %d, %go", 2, 2, 0, 1, "at most"},
    {"%a = atomic_rmw %y, %d {kind = fadd, sem = relaxed, scope = gpu} : f64", 0, 0, 1, 1, NULL},
};

TEST(loops_and_branches_count_as_they_run) {
    for (int k = 0; k < COUNT(structures); k++) {
        Arena *arena = arena_new(NULL);
        Func *fn = parse(arena, str_format(arena,
                                           "  %%d = constant 1.0 : f64\n"
                                           "  %%back1 = constant -2 : i32\n"
                                           "  %%one64 = constant 1 : i64\n"
                                           "  %%big = constant 9223372036854775803 : i64\n"
                                           "  %%last = constant 9223372036854775807 : i64\n"
                                           "  %%far = constant 9223372036854775000 : i64\n"
                                           "  %%least = constant -9223372036854775808 : i64\n"
                                           "  %%least4 = constant -9223372036854775804 : i64\n"
                                           "  %%bits = bitcast %%x : ptr<i32>\n"
                                           "  %%seen = load %%bits : i32\n"
                                           "  %s\n",
                                           structures[k].lines)
                                    .data);
        uint64_t params[] = {0, 0, (uint32_t)structures[k].n, (uint32_t)structures[k].m};
        Work work = {0};
        if (fn) {
            const char *why = work_count(arena, fn, (uint32_t[]){1, 1, 1}, params, &work);
            bool refused = structures[k].loaded < 0, at_most = !refused && structures[k].why;
            bool is_right =
                refused ? why && !strcmp(why, structures[k].why)
                        : !why && work.by_param[1].loaded == 8u * (unsigned)structures[k].loaded &&
                              work.by_param[1].stored == 8u * (unsigned)structures[k].stored &&
                              work.bytes_exact == !at_most;
            CHECK(is_right);
            if (!is_right)
                printf("%s\n%s, %d bytes loaded, %d stored\n", structures[k].lines,
                       why ? why : "counted", (int)work.by_param[1].loaded,
                       (int)work.by_param[1].stored);
        }
        arena_free(arena);
    }
}

TEST(each_program_of_the_grid_counts) {
    Arena *arena = arena_new(NULL);
    static const char *const axes[] = {"  %i1 = program_id {axis = 1} : i32\n"
                                       "  %c = num_programs {axis = 2} : i32\n",
                                       "  %i1 = program_id {axis = 2} : i32\n"
                                       "  %c = num_programs {axis = 0} : i32\n",
                                       "  %i1 = program_id {axis = 0} : i32\n"
                                       "  %c = num_programs {axis = 1} : i32\n"};
    for (int k = 0; k < 3; k++) {
        Func *fn = parse(arena, str_format(arena,
                                           "%s  %%a = mul %%i1, %%c : i32\n"
                                           "  for %%zero, %%a, %%one (%%l: i32) {\n"
                                           "  %%o = load %%y : f64\n yield\n }\n",
                                           axes[k])
                                    .data);
        uint32_t grid[3] = {3, 4, 5};
        uint64_t params[4] = {0}, turns = 0;
        Work work;
        CHECK(fn && !work_count(arena, fn, grid, params, &work));
        for (uint32_t p = 0; p < 60; p++) {
            uint32_t at[3] = {p % 3, p / 3 % 4, p / 12};
            turns += (uint64_t)at[(k + 1) % 3] * grid[(k + 2) % 3];
        }
        CHECK(fn && work.by_param[1].loaded == 8 * turns && work.bytes_exact && work.flops_exact);
    }
    arena_free(arena);
}

TEST_MAIN()
