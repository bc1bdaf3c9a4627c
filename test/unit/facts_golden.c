// SPDX-License-Identifier: Apache-2.0
/* How much facts know: test/facts/NAME.tir holds functions, each followed by what is known of its
 * ints and pointers, in the order of their definitions:
 *
 *     # %p: runs 16x1, divisible 16x4, same 1x8; -8 .. 7; from %x; %x + 3 %n + [i0 * %s, i1]
 *
 * That all of it is true is checked against lanes (opt_facts.c); here, that it is not less.
 * TERN_BLESS=1 rewrites the lines: read the difference. */
#include "opt/opt.h"
#include "golden.h"

static void put_sizes(Buf *out, const char *what, const int64_t *sizes, int rank) {
    buf_puts(out, what);
    for (int i = 0; i < rank; i++) {
        if (i) buf_putc(out, 'x');
        if (sizes[i] == 1 << 30)
            buf_puts(out, "all");
        else
            buf_printf(out, "%lld", (long long)sizes[i]);
    }
}

static void put_product(Buf *out, int64_t multiplier, const Value *value, const Value *factor) {
    if (multiplier != 1) buf_printf(out, "%lld", (long long)multiplier);
    if (value) buf_printf(out, "%s%%%.*s", multiplier == 1 ? "" : " ", STR_ARG(value->name));
    if (factor) buf_printf(out, " * %%%.*s", STR_ARG(factor->name));
    if (!value && !factor && multiplier == 1) buf_putc(out, '1');
}

static void put_linear(Buf *out, const Linear *form, const Type *type) {
    buf_puts(out, "; ");
    if (form->base) buf_printf(out, "%%%.*s + ", STR_ARG(form->base->name));
    for (int i = 0; i < form->num_terms; i++) {
        put_product(out, form->terms[i].multiplier, form->terms[i].value, form->terms[i].factor);
        buf_puts(out, " + ");
    }
    buf_printf(out, "%lld + [", (long long)form->constant);
    for (int i = 0; i < type->rank; i++) {
        if (i) buf_puts(out, ", ");
        put_product(out, linear_stride(form, i).multiplier, NULL, linear_stride(form, i).factor);
    }
    buf_putc(out, ']');
    for (int i = 0; i < form->num_parts; i++) {
        buf_puts(out, i ? ", " : " if no ");
        type_print(out, form->parts[i].type);
        buf_puts(out, form->parts[i].is_nonnegative ? " is negative or wraps" : " wraps");
    }
}

static void put_value(Buf *out, const Facts *facts, const Value *value) {
    int64_t low, high;
    int rank = value->type->rank ? value->type->rank : 1;
    if (!type_is_int(value->type) && !type_is_ptr(value->type)) return;
    const AxisFacts *axis = facts_axis(facts, value);
    const Value *base = type_is_ptr(value->type) ? facts_base(facts, value) : NULL;
    const Linear *form = facts_linear(facts, value);
    buf_printf(out, "# %%%.*s:", STR_ARG(value->name));
    if (value->type->rank) put_sizes(out, " runs ", axis->contiguity, rank);
    put_sizes(out, value->type->rank ? ", divisible " : " divisible ", axis->divisibility, rank);
    if (value->type->rank) put_sizes(out, ", same ", axis->constancy, rank);
    if (facts_range(facts, value, &low, &high))
        buf_printf(out, "; %lld .. %lld", (long long)low, (long long)high);
    if (base) buf_printf(out, "; from %%%.*s", STR_ARG(base->name));
    if (form && value->type->rank) put_linear(out, form, value->type);
    buf_putc(out, '\n');
}

static void put_region(Buf *out, const Facts *facts, const Region *region) {
    for (int i = 0; i < region->num_args; i++) put_value(out, facts, region->args[i]);
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) put_region(out, facts, op->regions[i]);
        for (int i = 0; i < op->num_results; i++) put_value(out, facts, &op->results[i]);
    }
}

/* The functions of a file with what is known behind each. */
static void run_file(Arena *arena, const char *path) {
    Str text, why;
    CHECK(file_read(arena, path, 1 << 20, &text, &why));
    Buf out = {.arena = arena}, function = {.arena = arena};
    for (int at = 0; at < text.length;) {
        int end = at;
        while (end < text.length && text.data[end] != '\n') end++;
        Str line = {text.data + at, end - at};
        at = end + 1;
        if (str_starts(line, "# %")) continue;
        buf_printf(&out, "%.*s\n", STR_ARG(line));
        if (!function.length && !str_starts(line, "func @")) continue;
        buf_printf(&function, "%.*s\n", STR_ARG(line));
        if (!str_is(line, "}")) continue;
        Diag diag = {.arena = arena};
        Func *fn = func_parse(arena, source_new(arena, str_of(path), buf_str(&function)), &diag);
        const char *wrong = fn ? func_verify(arena, fn) : NULL;
        function = (Buf){.arena = arena};
        if (!fn) diag_print(&diag, false, &out);
        if (wrong) buf_printf(&out, "# wrong: %s\n", wrong);
        if (fn && !wrong) put_region(&out, facts_compute_linear(arena, fn), fn->body);
    }
    if (getenv("TERN_BLESS"))
        CHECK(file_write(arena, path, out.data, out.length, &why));
    else if (strcmp(out.data, str_c(arena, text)))
        printf("%s:\n", path), CHECK_STR(out.data, str_c(arena, text));
}

TEST(facts_know_what_they_knew) { CHECK(golden_each("test/facts", ".tir", run_file) >= 3); }

/* ---- forms with numbers ---- */

typedef struct Search {
    Str name;
    const Value *found;
} Search;

static bool find(Op *op, void *user) {
    Search *search = user;
    for (int i = 0; i < op->num_results; i++)
        if (str_equal(op->results[i].name, search->name)) search->found = &op->results[i];
    return true;
}

TEST(numbers_up_to_the_ends_of_types) {
    static const char text[] = "func @f(%x: ptr<f32>, %n: i32, %m: i32, %w: i64) {\n"
                               "  %r = arange {start = 0, end = 16} : tile<16xi32>\n"
                               "  %ns = splat %n : tile<16xi32>\n"
                               "  %ms = splat %m : tile<16xi32>\n"
                               "  %ws = splat %w : tile<16xi64>\n"
                               "  %sum = add %ns, %r : tile<16xi32>\n"
                               "  %down = sub %ns, %r : tile<16xi32>\n"
                               "  %times = mul %ns, %r : tile<16xi32>\n"
                               "  %both = mul %ns, %ms : tile<16xi32>\n"
                               "  %signed = ext_s %sum : tile<16xi64>\n"
                               "  %unsigned = ext_u %sum : tile<16xi64>\n"
                               "  %wide = add %ws, %signed : tile<16xi64>\n"
                               "  %xs = splat %x : tile<16xptr<f32>>\n"
                               "  %p = addptr %xs, %sum : tile<16xptr<f32>>\n"
                               "  yield\n"
                               "}\n";
    static const struct {
        const char *name;
        int64_t n, m, w;
        bool known;
        int64_t first, stride;
    } rows[] = {
        {"sum", 5, 0, 0, true, 5, 1},
        {"sum", INT32_MAX - 15, 0, 0, true, INT32_MAX - 15, 1},
        {"sum", INT32_MAX - 14, 0, 0, false, 0, 0},
        {"sum", INT32_MIN, 0, 0, true, INT32_MIN, 1},
        {"down", INT32_MIN + 15, 0, 0, true, INT32_MIN + 15, -1},
        {"down", INT32_MIN + 14, 0, 0, false, 0, 0},
        {"down", INT32_MAX, 0, 0, true, INT32_MAX, -1},
        {"times", INT32_MAX / 15, 0, 0, true, 0, INT32_MAX / 15},
        {"times", INT32_MAX / 15 + 1, 0, 0, false, 0, 0},
        {"times", -143165576, 0, 0, true, 0, -143165576},
        {"times", -143165577, 0, 0, false, 0, 0},
        {"both", 1 << 16, 1 << 16, 0, true, 0, 0}, /* the same in all lanes: as it wrapped */
        {"both", 1 << 16, 1 << 15, 0, true, INT32_MIN, 0},
        {"both", -3, 7, 0, true, -21, 0},
        {"signed", INT32_MAX - 15, 0, 0, true, INT32_MAX - 15, 1},
        {"signed", INT32_MAX - 14, 0, 0, false, 0, 0},
        {"signed", -5, 0, 0, true, -5, 1},
        {"unsigned", 0, 0, 0, true, 0, 1},
        {"unsigned", -1, 0, 0, false, 0, 0},
        {"unsigned", INT32_MAX - 14, 0, 0, false, 0, 0},
        {"wide", 5, 0, INT64_MAX - 20, true, INT64_MAX - 15, 1},
        {"wide", 5, 0, INT64_MAX - 19, false, 0, 0},
        {"wide", INT32_MAX, 0, 0, false, 0, 0},
        {"p", INT32_MAX - 15, 0, 0, true, INT32_MAX - 15, 1},
        {"p", INT32_MAX - 14, 0, 0, false, 0, 0},
    };
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("f"), str_of(text)), &diag);
    const Facts *facts = facts_compute_linear(arena, fn);
    const int64_t **numbers = arena_array(arena, const int64_t *, fn->num_values);
    for (int i = 0; i < COUNT(rows); i++) {
        numbers[fn->params[1].value->id] = &rows[i].n;
        numbers[fn->params[2].value->id] = &rows[i].m;
        numbers[fn->params[3].value->id] = &rows[i].w;
        Search search = {str_of(rows[i].name), NULL};
        region_walk(fn->body, find, &search);
        LinearNumbers got;
        const Linear *form = facts_linear(facts, search.found);
        bool known = form && linear_eval(form, search.found->type, numbers, &got);
        bool same = known && got.first == rows[i].first && got.stride[0] == rows[i].stride;
        if (rows[i].known != known || (known && !same)) printf("row %d: %s\n", i, rows[i].name);
        CHECK(rows[i].known == known && (!known || same));
        numbers[fn->params[1].value->id] = NULL;
        CHECK(!form || !linear_eval(form, search.found->type, numbers, &got)); /* not known */
    }
    arena_free(arena);
}

TEST_MAIN()
