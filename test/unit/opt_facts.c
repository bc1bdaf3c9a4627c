// SPDX-License-Identifier: Apache-2.0
/* Axis facts, bases, linear forms and ranges are claims about lanes: here they are checked against
 * the lanes themselves, for random functions and at each definition, in each iteration of loops;
 * then a few kernels whose facts must not get worse. */
#include "opt/opt.h"
#include "unit/random_ir.h"

enum { FUNCTIONS = 3000, RUNS = 2 };

typedef struct Checker {
    const Facts *facts;
    int64_t *number;
    const int64_t **known; /* by value id: of the first lane */
    int wrong, claims, linear_claims, wrapped_claims, range_claims;
    bool may_wrap;           /* then only claims that hold of wrapping sums are checked */
    VEC(uint64_t) addresses; /* of all lanes of pointers, as they were defined */
    const Value *moved;      /* the parameter that points elsewhere in this run; NULL: none */
    int address, base_claims;
} Checker;

enum { MOVED_BY = 1 << 30 };

static int64_t number(const Value *value, uint64_t bits) {
    return type_is_ptr(value->type) ? (int64_t)bits : constant_to_int(value->type, bits);
}

static uint64_t width_mask(const Value *value) {
    int width = type_bits(value->type);
    return width == 64 ? UINT64_MAX : (1ull << width) - 1;
}

static void wrong(Checker *c, const Value *value, const char *what, int dim, int lane) {
    if (c->wrong++ == 0)
        printf("value %d (%s): %s along %d is wrong at lane %d\n", value->id,
               value->def ? op_info(value->def->kind)->name : "argument", what, dim, lane);
}

static void check_axis(Checker *c, const Value *value, const uint64_t *lanes) {
    const AxisFacts *axis = facts_axis(c->facts, value);
    const Type *type = value->type;
    uint64_t unit = type_is_ptr(type) ? (uint64_t)type_size_bytes(type_lane(type)->elem) : 1;
    uint64_t mask = width_mask(value);
    for (int lane = 0; lane < type->lanes; lane++) {
        for (int dim = 0, before = type->lanes; dim < (type->rank ? type->rank : 1); dim++) {
            if (type->rank) before /= type->shape[dim]; /* lanes between neighbours */
            int64_t index = type->rank ? lane / before % type->shape[dim] : 0;
            int64_t contiguity = axis->contiguity[dim], divisibility = axis->divisibility[dim];
            c->claims += contiguity > 1 || divisibility > 1 || axis->constancy[dim] > 1;
            if (index % contiguity && ((lanes[lane - before] + unit) & mask) != lanes[lane])
                wrong(c, value, "contiguity", dim, lane);
            if (index % contiguity == 0 && (lanes[lane] & (uint64_t)(divisibility - 1) & mask))
                wrong(c, value, "divisibility", dim, lane);
            if (index % axis->constancy[dim] && lanes[lane - before] != lanes[lane])
                wrong(c, value, "constancy", dim, lane);
        }
    }
}

static int64_t lane_number(const LinearNumbers *form, const Type *type, int lane) {
    int index[MAX_RANK] = {0};
    uint64_t sum = (uint64_t)form->first;
    index_of(type, lane, index);
    for (int i = 0; i < type->rank; i++) sum += (uint64_t)index[i] * (uint64_t)form->stride[i];
    return (int64_t)sum;
}

/* What linear_eval says is so even where sums have wrapped. */
static void check_linear(Checker *c, const Evaluator *e, const Value *value,
                         const uint64_t *lanes) {
    const Linear *form = facts_linear(c->facts, value);
    LinearNumbers numbers;
    if (!form || !linear_eval(form, value->type, c->known, &numbers)) return;
    bool is_pointer = type_is_ptr(value->type);
    uint64_t unit = is_pointer ? (uint64_t)type_size_bytes(type_lane(value->type)->elem) : 1;
    uint64_t base = is_pointer ? (uint64_t)*c->known[form->base->id] : 0;
    for (int lane = 0; lane < value->type->lanes; lane++) {
        uint64_t at = base + (uint64_t)lane_number(&numbers, value->type, lane) * unit;
        c->linear_claims += type_is_tile(value->type);
        c->wrapped_claims += type_is_tile(value->type) && e->wrapped;
        if (at != (uint64_t)number(value, lanes[lane])) wrong(c, value, "linear form", 0, lane);
    }
}

static void check_range(Checker *c, const Value *value, const uint64_t *lanes) {
    int64_t low, high;
    if (!type_is_int(value->type) || !facts_range(c->facts, value, &low, &high)) return;
    for (int lane = 0; lane < value->type->lanes; lane++) {
        int64_t is = number(value, lanes[lane]);
        c->range_claims++;
        if (is < low || is > high) wrong(c, value, "range", 0, lane);
    }
}

/* What comes from a parameter moves with it, and stays where it is when another one moves. */
static void check_base(Checker *c, const Evaluator *e, const Value *value, const uint64_t *lanes) {
    const Value *base = facts_base(c->facts, value);
    for (int lane = 0; lane < value->type->lanes; lane++) {
        if (!c->moved) {
            vec_push(e->arena, &c->addresses, lanes[lane]);
            continue;
        }
        uint64_t by = lanes[lane] - c->addresses.data[c->address++];
        c->base_claims += base && type_is_tile(value->type);
        if (base && by != (base == c->moved ? MOVED_BY : 0)) wrong(c, value, "base", 0, lane);
    }
}

static void check_value(Evaluator *e, const Value *value) {
    Checker *c = e->user;
    const uint64_t *lanes = e->lanes[value->id];
    if (type_is_ptr(value->type)) check_base(c, e, value, lanes);
    if (c->moved || (!type_is_int(value->type) && !type_is_ptr(value->type))) return;
    c->number[value->id] = number(value, lanes[0]);
    c->known[value->id] = &c->number[value->id];
    check_range(c, value, lanes);
    check_linear(c, e, value, lanes);
    if ((e->wrapped && !c->may_wrap) || e->rem_by_zero) return; /* assumed not to happen */
    check_axis(c, value, lanes);
}

static bool check_function(uint64_t seed, bool may_wrap, Checker *total) {
    static Evaluator e;
    Arena *arena = arena_new(NULL);
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    Func *fn = random_func(arena, !may_wrap, may_wrap);
    if (!may_wrap && random_below(2)) {
        Diag diag = {.arena = arena};
        PassCtx px = {.scratch = arena, .diag = &diag};
        pass_fold(&px, fn);
        pass_shape(&px, fn);
    }
    total->facts = facts_compute_linear(arena, fn);
    total->number = arena_array(arena, int64_t, fn->num_values);
    total->known = arena_array(arena, const int64_t *, fn->num_values);
    total->may_wrap = may_wrap;
    for (int run = 0; run < RUNS && !total->wrong; run++) {
        uint64_t params[RANDOM_PARAMS];
        random_params(fn, !may_wrap, params);
        e = (Evaluator){.arena = arena, .check = check_value, .user = total};
        e.program_id = (uint64_t)random_below(100);
        total->addresses.count = 0, total->addresses.capacity = 0;
        for (int moved = -1; moved < RANDOM_PARAMS; moved = moved < 0 ? 4 : moved + 1) {
            total->moved = moved < 0 ? NULL : fn->params[moved].value;
            total->address = 0;
            if (moved >= 0) params[moved] += MOVED_BY;
            eval_func(&e, fn, params);
            if (moved >= 0) params[moved] -= MOVED_BY;
        }
    }
    if (total->wrong) {
        Buf text = {.arena = arena};
        func_renumber(fn);
        func_print(&text, fn, false);
        printf("seed %llu\n%s", (unsigned long long)seed, text.data);
    }
    arena_free(arena);
    return total->wrong == 0;
}

TEST(claims_hold_of_the_lanes) {
    Checker total = {0};
    for (uint64_t seed = 1; seed <= FUNCTIONS; seed++)
        if (!check_function(seed, false, &total)) break;
    CHECK(total.wrong == 0);
    /* The test means something only while there is much to check. */
    CHECK(total.claims > 1000000);
    CHECK(total.linear_claims > 100000);
    CHECK(total.range_claims > 100000);
    CHECK(total.base_claims > 100000);
}

TEST(claims_hold_of_sums_that_wrap) {
    Checker total = {0};
    for (uint64_t seed = 1; seed <= FUNCTIONS; seed++)
        if (!check_function(seed, true, &total)) break;
    CHECK(total.wrong == 0);
    CHECK(total.claims > 1000000);
    CHECK(total.wrapped_claims > 100000);
}

/* ---- kernels as people write them ---- */

typedef struct Kernel {
    Arena *arena;
    Func *fn;
    Facts *facts;
} Kernel;

static Kernel kernel(const char *text) {
    Kernel k = {.arena = arena_new(NULL)};
    Diag diag = {.arena = k.arena};
    k.fn = func_parse(k.arena, source_new(k.arena, STR("kernel"), str_of(text)), &diag);
    CHECK(k.fn && !func_verify(k.arena, k.fn));
    k.facts = facts_compute_linear(k.arena, k.fn);
    return k;
}

typedef struct Search {
    const char *name;
    Value *found;
} Search;

static bool find(Op *op, void *user) {
    Search *search = user;
    for (int i = 0; i < op->num_results; i++)
        if (str_is(op->results[i].name, search->name)) search->found = &op->results[i];
    for (int i = 0; i < op->num_regions; i++)
        for (int k = 0; k < op->regions[i]->num_args; k++)
            if (str_is(op->regions[i]->args[k]->name, search->name))
                search->found = op->regions[i]->args[k];
    return true;
}

static Value *value_named(const Kernel *k, const char *name) {
    Search search = {name, NULL};
    region_walk(k->fn->body, find, &search);
    if (!search.found) abort();
    return search.found;
}

TEST(vector_add_is_aligned) {
    Kernel k = kernel("func @add(%x: ptr<f32> {divisible = 16}, %n: i32 {divisible = 16}) {\n"
                      "  %pid = program_id {axis = 0} : i32\n"
                      "  %c = constant 1024 : i32\n"
                      "  %start = mul %pid, %c : i32\n"
                      "  %r = arange {start = 0, end = 1024} : tile<1024xi32>\n"
                      "  %s = splat %start : tile<1024xi32>\n"
                      "  %offs = add %s, %r : tile<1024xi32>\n"
                      "  %ns = splat %n : tile<1024xi32>\n"
                      "  %mask = icmp %offs, %ns {predicate = slt} : tile<1024xi1>\n"
                      "  %xs = splat %x : tile<1024xptr<f32>>\n"
                      "  %p = addptr %xs, %offs : tile<1024xptr<f32>>\n"
                      "  %v = load %p, %mask : tile<1024xf32>\n"
                      "  store %p, %v, %mask\n"
                      "  yield\n"
                      "}\n");
    const AxisFacts *pointer = facts_axis(k.facts, value_named(&k, "p"));
    CHECK(pointer->contiguity[0] == 1024 && pointer->divisibility[0] == 16);
    CHECK(facts_axis(k.facts, value_named(&k, "mask"))->constancy[0] == 16);
    const Linear *form = facts_linear(k.facts, value_named(&k, "p"));
    CHECK(form && form->base == k.fn->params[0].value && form->stride[0].multiplier == 1);
    CHECK(form && form->num_terms == 1 && form->terms[0].value == value_named(&k, "start"));
    arena_free(k.arena);
}

TEST(rows_of_a_loop_keep_their_strides) {
    Kernel k = kernel(
        "func @rows(%x: ptr<f16> {divisible = 16}, %stride: i32 {divisible = 8}, %n: i32) {\n"
        "  %zero = constant 0 : i32\n"
        "  %one = constant 1 : i32\n"
        "  %r = arange {start = 0, end = 16} : tile<16xi32>\n"
        "  %rows = expand_dims %r {axis = 1} : tile<16x1xi32>\n"
        "  %cols = expand_dims %r {axis = 0} : tile<1x16xi32>\n"
        "  %ss = splat %stride : tile<16x1xi32>\n"
        "  %ro = mul %rows, %ss : tile<16x1xi32>\n"
        "  %rb = broadcast %ro : tile<16x16xi32>\n"
        "  %cb = broadcast %cols : tile<16x16xi32>\n"
        "  %off = add %rb, %cb : tile<16x16xi32>\n"
        "  %xs = splat %x : tile<16x16xptr<f16>>\n"
        "  %first = addptr %xs, %off : tile<16x16xptr<f16>>\n"
        "  %step = constant 32 : tile<16x16xi32>\n"
        "  %last = for %zero, %n, %one, %first : tile<16x16xptr<f16>> (%i: i32, %p: "
        "tile<16x16xptr<f16>>) {\n"
        "    %v = load %p : tile<16x16xf16>\n"
        "    store %p, %v\n"
        "    %next = addptr %p, %step : tile<16x16xptr<f16>>\n"
        "    yield %next\n"
        "  }\n"
        "  yield\n"
        "}\n");
    const AxisFacts *axis = facts_axis(k.facts, value_named(&k, "p"));
    CHECK(axis->contiguity[1] == 16 && axis->divisibility[1] == 16 && axis->contiguity[0] == 1);
    const Linear *form = facts_linear(k.facts, value_named(&k, "p"));
    CHECK(form && form->base == value_named(&k, "p"));
    CHECK(form && form->stride[0].factor == k.fn->params[1].value &&
          form->stride[1].multiplier == 1);
    arena_free(k.arena);
}

TEST(bases_come_through_loops_and_selections) {
    Kernel k =
        kernel("func @bases(%x: ptr<f32>, %y: ptr<f32>, %c: i1, %n: i32) {\n"
               "  %zero = constant 0 : i32\n"
               "  %one = constant 1 : i32\n"
               "  %a, %b, %d = for %zero, %n, %one, %x, %x, %y : ptr<f32>, ptr<f32>, ptr<f32> "
               "(%i: i32, %p: ptr<f32>, %q: ptr<f32>, %r: ptr<f32>) {\n"
               "    %next = addptr %p, %n : ptr<f32>\n"
               "    yield %next, %r, %q\n"
               "  }\n"
               "  %moved = addptr %x, %n : ptr<f32>\n"
               "  %one_of = select %c, %moved, %a : ptr<f32>\n"
               "  %either = select %c, %x, %y : ptr<f32>\n"
               "  %bits = bitcast %x : i64\n"
               "  %there_and_back = bitcast %bits : ptr<f32>\n"
               "  yield\n"
               "}\n");
    const Value *x = k.fn->params[0].value, *y = k.fn->params[1].value, *a = value_named(&k, "a");
    CHECK(facts_base(k.facts, a) == x && facts_base(k.facts, value_named(&k, "one_of")) == x);
    CHECK(!facts_base(k.facts, value_named(&k, "b")) && !facts_base(k.facts, value_named(&k, "r")));
    CHECK(!facts_base(k.facts, value_named(&k, "either")));
    CHECK(!facts_base(k.facts, value_named(&k, "there_and_back")));
    CHECK(!facts_may_alias(k.facts, a, y) && facts_may_alias(k.facts, a, x));
    CHECK(facts_may_alias(k.facts, value_named(&k, "either"), y));
    arena_free(k.arena);
}

typedef struct Loops {
    const Facts *facts;
    int count;
    char wraps[16];
} Loops;

static bool ask_loop(Op *op, void *user) {
    Loops *loops = user;
    if (op->kind == OP_FOR)
        loops->wraps[loops->count++] = facts_index_may_wrap(loops->facts, op) ? 'w' : '.';
    return true;
}

TEST(an_index_that_stays_in_its_type_is_known) {
    static const struct {
        const char *end, *step, *attr;
    } loops[] = {{"%n", "1", ""},
                 {"%n", "-1", ""},
                 {"%n", "2", ""},
                 {"%n", "-2", ""},
                 {"2147483584", "64", ""},
                 {"2147483585", "64", ""},
                 {"-2147483585", "-64", ""},
                 {"-2147483586", "-64", ""},
                 {"%small", "%small", ""},
                 {"%small", "%n", ""},
                 {"%n", "1", " {unsigned = 1}"},
                 {"%n", "2", " {unsigned = 1}"},
                 {"%small", "64", " {unsigned = 1}"},
                 {"%small", "%n", " {unsigned = 1}"}};
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    buf_printf(&text, "func @loops(%%n: i32) {\n  %%seven = constant 7 : i32\n"
                      "  %%small = and %%n, %%seven : i32\n  %%zero = constant 0 : i32\n");
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const char *names[] = {loops[i].end, loops[i].step};
        for (int k = 0; k < 2; k++)
            if (*names[k] != '%')
                buf_printf(&text, "  %%c%d_%d = constant %s : i32\n", (int)i, k, names[k]);
        buf_printf(&text, "  for %%zero");
        for (int k = 0; k < 2; k++)
            if (*names[k] == '%')
                buf_printf(&text, ", %s", names[k]);
            else
                buf_printf(&text, ", %%c%d_%d", (int)i, k);
        buf_printf(&text, "%s (%%i%d: i32) {\n    yield\n  }\n", loops[i].attr, (int)i);
    }
    buf_printf(&text, "  yield\n}\n");
    Kernel k = kernel(buf_str(&text).data);
    Loops asked = {.facts = k.facts};
    region_walk(k.fn->body, ask_loop, &asked);
    CHECK(!strcmp(asked.wraps, "..ww.w.w.w.w.w"));
    arena_free(k.arena);
    arena_free(arena);
}

TEST_MAIN()
