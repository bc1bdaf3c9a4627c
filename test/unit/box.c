// SPDX-License-Identifier: Apache-2.0
/* Which tiles are boxes of a tensor, of which dimensions, from where on; and why others are not. */
#include "opt/box.h"
#include "test.h"

static const char *const head =
    "func @f(%k: ptr<f16> {divisible = 16}, %odd: ptr<f16>, %n: i32, %sz: i32 {divisible = 16}, "
    "%sh: i64 {divisible = 8}, %st: i32, %kp: ptr<ptr<f16>>) {num_warps = 4} {\n"
    "  %pid = program_id {axis = 0} : i32\n"
    "  %head = program_id {axis = 1} : i32\n"
    "  %zero = constant 0 : i32\n"
    "  %zero64 = constant 0 : i64\n"
    "  %c128 = constant 128 : i32\n"
    "  %start = mul %pid, %c128 : i32\n"
    "  %r = arange {start = 0, end = 128} : tile<128xi32>\n"
    "  %d = arange {start = 0, end = 64} : tile<64xi32>\n"
    "  %rows = expand_dims %r {axis = 1} : tile<128x1xi32>\n"
    "  %cols = expand_dims %d {axis = 0} : tile<1x64xi32>\n"
    "  %c = broadcast %cols : tile<128x64xi32>\n"
    "  %c64 = constant 64 : tile<128x1xi32>\n"
    "  %row64 = mul %rows, %c64 : tile<128x1xi32>\n"
    "  %b = broadcast %row64 : tile<128x64xi32>\n"
    "  %o = add %b, %c : tile<128x64xi32>\n"
    "  %starts = splat %start : tile<128x1xi32>\n"
    "  %index = add %starts, %rows : tile<128x1xi32>\n"
    "  %index64 = mul %index, %c64 : tile<128x1xi32>\n"
    "  %at = broadcast %index64 : tile<128x64xi32>\n"
    "  %io = add %at, %c : tile<128x64xi32>\n"
    "  %ks = splat %k : tile<128x64xptr<f16>>\n"
    "  %ends = splat %n : tile<128x1xi32>\n"
    "  %below = icmp %index, %ends {predicate = slt} : tile<128x1xi1>\n"
    "  %m = broadcast %below : tile<128x64xi1>\n";

static void add_value(Buf *out, const Func *fn, const Value *value) {
    for (int i = 0; i < fn->num_params; i++)
        if (fn->params[i].value == value) {
            buf_printf(out, "%.*s", STR_ARG(fn->params[i].name));
            return;
        }
    buf_printf(out, "%.*s", STR_ARG(value->name));
}

static void add_number(Buf *out, const Func *fn, BoxNumber number) {
    buf_printf(out, "%lld", (long long)number.number);
    for (int i = 0; i < number.num_params; i++) {
        buf_printf(out, "*");
        add_value(out, fn, number.params[i]);
    }
}

static void add_at(Buf *out, const Func *fn, const BoxTerms *at) {
    for (int i = 0; i < at->count; i++) {
        const BoxTerm *term = &at->data[i];
        buf_printf(out, "%s%lld", i ? "+" : "", (long long)term->scale.number);
        if (!term->index) continue;
        buf_printf(out, "*");
        if (term->least) buf_printf(out, "(");
        add_value(out, fn, term->index);
        if (term->least) buf_printf(out, "-%lld)", (long long)term->least);
    }
    if (!at->count) buf_printf(out, "0");
}

/* "k: 1 at 0; 64<n at 1*start": strides, ends where there are, and coordinates. */
static void describe(Buf *out, const Func *fn, const Box *box) {
    add_value(out, fn, box->base);
    for (int d = 0; d < box->rank; d++) {
        const BoxDim *dim = &box->dims[d];
        buf_printf(out, "%s", d ? "; " : ": ");
        add_number(out, fn, dim->stride);
        if (dim->size.number) buf_printf(out, "<");
        if (dim->size.number) add_number(out, fn, dim->size);
        buf_printf(out, " at ");
        add_at(out, fn, &dim->at);
    }
    for (int i = 0; i < box->num_conditions; i++) {
        buf_printf(out, "; if ");
        add_value(out, fn, box->conditions[i]);
    }
}

typedef struct Found {
    const Facts *facts;
    Buf *out;
    const Func *fn;
} Found;

static bool find(Op *op, void *user) {
    Found *f = user;
    Box box;
    if (op->kind != OP_LOAD) return true;
    const char *why = box_find(f->facts, op, &box);
    if (why)
        buf_printf(f->out, "%s", why);
    else
        describe(f->out, f->fn, &box);
    return true;
}

/* The text defines %p, or loads itself. */
static bool gives(const char *text, const char *wanted) {
    Arena *arena = arena_new(NULL);
    Buf source = {.arena = arena}, out = {.arena = arena};
    Diag diag = {.arena = arena};
    buf_printf(&source, "%s%s", head, text);
    if (!strstr(text, "load")) buf_printf(&source, "  %%x = load %%p : tile<128x64xf16>\n");
    buf_printf(&source, "  yield\n}\n");
    Func *fn = func_parse(arena, source_new(arena, STR("t.tir"), buf_str(&source)), &diag);
    if (fn) func_renumber(fn);
    Found found = {.facts = fn ? facts_compute(arena, fn) : NULL, .out = &out, .fn = fn};
    if (fn) region_walk(fn->body, find, &found);
    if (!fn) diag_print(&diag, false, &out);
    bool same = !strcmp(buf_str(&out).data, wanted);
    if (!same) printf("%s\n  gives  %s\n  wanted %s\n", text, out.data, wanted);
    arena_free(arena);
    return same;
}

#define PLUS(offset)                                                                               \
    "  %q = addptr %k, " offset " : ptr<f16>\n"                                                    \
    "  %qs = splat %q : tile<128x64xptr<f16>>\n"                                                   \
    "  %p = addptr %qs, %o : tile<128x64xptr<f16>>\n"
#define AT_INDEX "  %p = addptr %ks, %io : tile<128x64xptr<f16>>\n"
#define LOAD     "  %x = load %p, %m : tile<128x64xf16>\n"

TEST(rows_of_a_tensor_are_a_box) {
    CHECK(gives("  %p = addptr %ks, %o : tile<128x64xptr<f16>>\n", "k: 1 at 0; 64 at 0"));
    CHECK(gives(AT_INDEX, "k: 1 at 0; 64 at 1*start"));
}

TEST(what_moves_it_is_a_coordinate) {
    CHECK(gives("  %s = constant 8256 : i64\n" PLUS("%s"), "k: 1 at 0; 64 at 129"));
    CHECK(gives("  %s = constant 8264 : i64\n" PLUS("%s"), "k: 1 at 8264; 64 at 0"));
    CHECK(gives(PLUS("%start"), "k: 1 at 1*start; 64 at 0"));
    CHECK(gives("  %w = ext_s %head : i64\n  %s = mul %w, %sh : i64\n" PLUS("%s"),
                "k: 1 at 0; 64 at 0; 1*sh at 1*head"));
    CHECK(gives("  %w = ext_s %head : i64\n  %v = ext_s %sz : i64\n  %u = constant 4 : i64\n"
                "  %t = mul %v, %u : i64\n  %s = mul %t, %w : i64\n" PLUS("%s"),
                "k: 1 at 0; 64 at 0; 4*sz at 1*head"));
}

TEST(a_mask_is_an_end) {
    CHECK(gives(AT_INDEX LOAD, "k: 1 at 0; 64<1*n at 1*start"));
    CHECK(gives("  %any = icmp %pid, %n {predicate = slt} : i1\n"
                "  %anys = splat %any : tile<128x64xi1>\n"
                "  %both = and %m, %anys : tile<128x64xi1>\n" AT_INDEX
                "  %x = load %p, %both : tile<128x64xf16>\n",
                "k: 1 at 0; 64<1*n at 1*start; if any"));
    /* Of any sign, where it is compared with 0, too. */
    CHECK(gives("  %ss = splat %st : tile<128x1xi32>\n"
                "  %i = add %ss, %rows : tile<128x1xi32>\n"
                "  %most = max_s %n, %zero : i32\n"
                "  %mosts = splat %most : tile<128x1xi32>\n"
                "  %in = icmp %i, %mosts {predicate = ult} : tile<128x1xi1>\n"
                "  %mask = broadcast %in : tile<128x64xi1>\n"
                "  %i64 = mul %i, %c64 : tile<128x1xi32>\n"
                "  %is = broadcast %i64 : tile<128x64xi32>\n"
                "  %io2 = add %is, %c : tile<128x64xi32>\n"
                "  %p = addptr %ks, %io2 : tile<128x64xptr<f16>>\n"
                "  %x = load %p, %mask : tile<128x64xf16>\n",
                "k: 1 at 0; 64<1*n at 1*st"));
    CHECK(gives("  %all = mul %n, %sz : i32\n  %alls = splat %all : tile<128x1xi32>\n"
                "  %in = icmp %index, %alls {predicate = slt} : tile<128x1xi1>\n"
                "  %mask = broadcast %in : tile<128x64xi1>\n" AT_INDEX
                "  %x = load %p, %mask : tile<128x64xf16>\n",
                "k: 1 at 0; 64<1*n*sz at 1*start"));
}

#define LOOP(carried, step)                                                                        \
    "  %one = constant 1 : i32\n  %two = constant 2 : i32\n"                                       \
    "  %end, %last = for %zero, %n, %one, %two, " carried                                          \
    " {unsigned = 0, stages = 1} : i32, i64 (%i: i32, %turn: i32, %off: i64) {\n" PLUS(            \
        "%off") "    %x = load %p : tile<128x64xf16>\n    %t = add %turn, %one : i32\n" step       \
                "    yield %t, %next\n  }\n"

TEST(what_a_loop_adds_is_so_many_times_that) {
    CHECK(gives(LOOP("%zero64", "    %s = constant 8192 : i64\n    %next = add %off, %s : i64\n"),
                "k: 1 at 0; 64 at 128*(turn-2)"));
    CHECK(gives(LOOP("%zero64", "    %next = add %sh, %off : i64\n"),
                "k: 1 at 0; 64 at 0; 1*sh at 1*(turn-2)"));
    CHECK(gives(LOOP("%zero64", "    %next = mul %off, %sh : i64\n"),
                "an offset that a loop computes"));
}

TEST(what_is_no_box_says_why) {
    CHECK(gives("  %os = splat %odd : tile<128x64xptr<f16>>\n"
                "  %p = addptr %os, %o : tile<128x64xptr<f16>>\n",
                "a pointer not known to be divisible by 16"));
    CHECK(gives("  %l = load %kp : ptr<f16>\n", "a tile of other than two dimensions"));
    CHECK(gives(PLUS("%n"), "strides that are no multiples of 16 bytes, or too many of them"));
    CHECK(gives("  %s = constant 8260 : i64\n" PLUS("%s"), "a box that begins within 16 bytes"));
    CHECK(gives(PLUS("%pid"), "a box that begins within 16 bytes"));
    CHECK(gives("  %s = sub %zero, %pid : i32\n" PLUS("%s"), "an offset that may be negative"));
    CHECK(gives("  %s = constant -64 : i64\n" PLUS("%s"), "an offset that may be negative"));
    CHECK(gives("  %ns = splat %n : tile<128x1xi32>\n"
                "  %i = rem_s %index, %ns : tile<128x1xi32>\n"
                "  %i64 = mul %i, %c64 : tile<128x1xi32>\n"
                "  %is = broadcast %i64 : tile<128x64xi32>\n"
                "  %io2 = add %is, %c : tile<128x64xi32>\n"
                "  %p = addptr %ks, %io2 : tile<128x64xptr<f16>>\n",
                "an index modulo another"));
    CHECK(gives("  %c4 = constant 4 : tile<128x1xi32>\n  %i4 = mul %index, %c4 : tile<128x1xi32>\n"
                "  %is = broadcast %i4 : tile<128x64xi32>\n"
                "  %io2 = add %is, %c : tile<128x64xi32>\n"
                "  %p = addptr %ks, %io2 : tile<128x64xptr<f16>>\n",
                "rows that do not begin at multiples of 16 bytes"));
    CHECK(gives("  %c2 = constant 2 : tile<128x64xi32>\n  %o2 = mul %o, %c2 : tile<128x64xi32>\n"
                "  %p = addptr %ks, %o2 : tile<128x64xptr<f16>>\n",
                "no dimension of single elements"));
    /* The mask asks for rows of the whole, the address has those of this program alone. */
    CHECK(gives("  %p = addptr %ks, %o : tile<128x64xptr<f16>>\n" LOAD,
                "a mask of another index than the address has"));
    CHECK(gives(AT_INDEX "  %f = constant 1.0 : tile<128x64xf16>\n"
                         "  %x = load %p, %m, %f : tile<128x64xf16>\n",
                "other values than 0 where the mask is off"));
    CHECK(gives("  %half = splat %pid : tile<128x1xi32>\n"
                "  %left = sub %ends, %half : tile<128x1xi32>\n"
                "  %in = icmp %index, %left {predicate = slt} : tile<128x1xi1>\n"
                "  %mask = broadcast %in : tile<128x64xi1>\n" AT_INDEX
                "  %x = load %p, %mask : tile<128x64xf16>\n",
                "a mask whose end no launch knows"));
}

TEST_MAIN()
