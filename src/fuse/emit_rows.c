// SPDX-License-Identifier: Apache-2.0
/* emit_rows: kernels with reductions. A program has ROWS rows; what is one a row is a column of
 * the tile. A row that fits the tile is loaded once:
 *
 *     x = tl.load(x_ptr + i0 * x_s0 + i1, mask=inside)
 *     amax = tl.reduce(tl.where(inside, x, float('-inf')), 1, _max_nan, keep_dims=True)
 *     exp = tl.exp(x - amax)
 *     sum = tl.sum(tl.where(inside, exp, 0.0), axis=1, keep_dims=True)
 *     tl.store(y_ptr + i0 * y_s0 + i1, exp / sum, mask=inside)
 *
 * A longer one gets a loop for each reduction that stands on others, and one for what is stored;
 * each computes anew what it needs. Sums are lane by lane, then across lanes, as those of eager
 * ops. On a GPU, where reading the row again is what costs, two sums are found in the loop of what
 * they stand on: of exp(x - max), where each lane's sum is of exp(x - the largest so far), and
 * taken to a larger one when that comes; and of (x - mean) ** 2, where it is of squares about the
 * lane's own mean (Welford, Technometrics 4, 1962), and taken to the mean of all at the end (Chan,
 * Golub, LeVeque). The second cache is told to keep a row for the loops that read it again. */
#include "fuse/fuse.h"

static bool is_single(const Writer *writer) { return writer->form.flags & FORM_SINGLE; }
static bool is_turned(const Writer *writer) { return writer->form.flags & FORM_TURNED; }

static void write_product_of_sizes(Writer *writer, const char *name, int first, int end) {
    buf_printf(&writer->text, "%s%s = ", writer->indent, name);
    for (int d = first; d < end; d++) buf_printf(&writer->text, "%sn%d", d > first ? " * " : "", d);
    buf_putc(&writer->text, '\n');
}

/* Indices of loops [first, end) from their number `from`. */
static void write_split(Writer *writer, const char *from, int first, int end) {
    if (end - first > 1) write_line(writer, "rest = %s", from);
    for (int d = end - 1; d > first; d--) {
        write_line(writer, "i%d = rest %% n%d", d, d);
        write_line(writer, "rest = rest // n%d", d);
    }
    write_line(writer, "i%d = %s", first, end - first > 1 ? "rest" : from);
}

static void write_row_index(Writer *writer) {
    write_product_of_sizes(writer, "rows", 0, writer->outer);
    write_product_of_sizes(writer, "length", writer->outer, writer->space.rank);
    write_line(writer, "row = tl.program_id(0)%s * ROWS + tl.arange(0, ROWS)[%s]",
               writer->form.flags & FORM_WIDE ? ".to(tl.int64)" : "",
               is_turned(writer) ? "None, :" : ":, None");
    write_line(writer, "in_rows = row < rows");
    write_split(writer, "row", 0, writer->outer);
}

static void write_col_index(Writer *writer) {
    write_line(writer, "col = %stl.arange(0, COLS)[%s]", is_single(writer) ? "" : "start + ",
               is_turned(writer) ? ":, None" : "None, :");
    write_line(writer, "in_cols = col < length");
    write_line(writer, "inside = in_rows & in_cols");
    write_split(writer, "col", writer->outer, writer->space.rank);
}

/* ---- reductions ---- */

static void write_across(Writer *writer, const Value *value, const char *tile) {
    int axis = is_turned(writer) ? 0 : 1;
    bool sums = value->combine == COMBINE_SUM;
    if (sums)
        buf_printf(&writer->text, "tl.sum(%s, axis=%d, keep_dims=True)", tile, axis);
    else
        buf_printf(&writer->text, "tl.reduce(%s, %d, %s, keep_dims=True)", tile, axis,
                   combine_function(value->combine));
}

/* "tl.where(inside, FORMULA, 0.0)" */
static const char *padded(Writer *writer, const Value *value) {
    Buf text = {.arena = writer->arena}, kept = writer->text;
    writer->text = (Buf){.arena = writer->arena};
    write_formula(writer, value);
    buf_printf(&text, "tl.where(inside, %s, %s)", writer->text.data,
               combine_neutral(value->combine, value->compute));
    writer->text = kept;
    return text.data;
}

static void write_single_reduction(Writer *writer, int index) {
    const Value *value = &writer->build->values[index];
    writer->is_done[index] = true;
    write_note(writer, value);
    size_t start = writer->text.length;
    buf_printf(&writer->text, "%s%s = ", writer->indent, value->name);
    write_across(writer, value, padded(writer, value));
    end_line(writer, start, value);
}

static void write_accumulator(Writer *writer, const Value *value) {
    bool is_truth = value->combine == COMBINE_ANY || value->combine == COMBINE_ALL;
    write_line(writer, "%s = tl.full(%s, %s, %s)", value->name,
               is_turned(writer) ? "[COLS, ROWS]" : "[ROWS, COLS]",
               combine_neutral(value->combine, value->compute),
               is_truth ? "tl.int1" : triton_type(value->compute));
}

static void write_accumulation(Writer *writer, const Value *value) {
    const char *more = padded(writer, value);
    if (value->combine == COMBINE_SUM)
        write_line(writer, "%s += %s", value->name, more);
    else
        write_line(writer, "%s = %s(%s, %s)", value->name, combine_function(value->combine),
                   value->name, more);
}

/* ---- rows that fit ---- */

static void write_single(Writer *writer) {
    const Build *build = writer->build;
    write_col_index(writer);
    for (int i = 0; i < build->num_values; i++) {
        ValueKind kind = build->values[i].kind;
        if (kind == VALUE_REDUCE)
            write_single_reduction(writer, i);
        else if (kind != VALUE_NUMBER)
            write_value(writer, i);
    }
    for (int i = 0; i < build->num_stores; i++) write_store(writer, i);
}

/* ---- longer ones ---- */

static int behind_aliases(const Build *build, int value) {
    while (value >= 0 && build->values[value].kind == VALUE_POINT && build->values[value].is_alias)
        value = build->values[value].operands[build->values[value].operands[0] >= 0 ? 0 : 3];
    return value;
}

/* The operand of a value with this formula; -1: it has another one, or is rounded. */
static int operand_of(const Build *build, int value, const char *formula, int operand) {
    if (value < 0) return -1;
    const Value *of = &build->values[value];
    bool fits = of->kind == VALUE_POINT && of->compute == of->dtype &&
                of->types[operand] == of->compute && !strcmp(of->formula, formula);
    return fits ? behind_aliases(build, of->operands[operand]) : -1;
}

/* What a sum of exp(x - top) is of: x, and the maximum of x. False: it is no such sum. */
static bool find_top(const Build *build, const Value *sum, int *x, int *top) {
    *x = *top = -1;
    if (sum->kind != VALUE_REDUCE || sum->combine != COMBINE_SUM) return false;
    if (sum->operands[3] >= 0 && !strncmp(sum->formula, "tl.exp(a - ", 11)) {
        *x = behind_aliases(build, sum->operands[0]);
        *top = sum->operands[3];
    } else if (!strcmp(sum->formula, "a")) {
        int of = operand_of(build, behind_aliases(build, sum->operands[0]), "tl.exp(a)", 0);
        if (of < 0) return false;
        *x = operand_of(build, of, "a - b", 0);
        *top = operand_of(build, of, "a - b", 1);
    }
    if (*x < 0 || *top < 0) return false;
    const Value *maximum = &build->values[*top];
    return maximum->kind == VALUE_REDUCE && maximum->combine == COMBINE_MAX &&
           !strcmp(maximum->formula, "a") && maximum->compute == sum->compute &&
           build->values[*x].dtype == sum->compute &&
           behind_aliases(build, maximum->operands[0]) == *x;
}

/* The mean of x, behind its aliases: the sum of x, which it is of; -1: it is something else. */
static int sum_of_mean(const Build *build, int mean) {
    const Value *of = &build->values[mean];
    bool fits =
        of->kind == VALUE_POINT && of->compute == of->dtype && !strcmp(of->formula, "s / n");
    return fits ? of->operands[3] : -1;
}

/* What a sum of (x - mean) ** 2 is of: x, and the sum of x. False: it is no such sum. */
static bool find_mean(const Build *build, const Value *squares, int *x, int *sum) {
    *x = *sum = -1;
    if (squares->kind != VALUE_REDUCE || squares->combine != COMBINE_SUM) return false;
    if (!strcmp(squares->formula, "(a - s / n) * (a - s / n)")) {
        *x = behind_aliases(build, squares->operands[0]);
        *sum = squares->operands[3];
    } else if (!strcmp(squares->formula, "a")) {
        int square = behind_aliases(build, squares->operands[0]);
        int apart = operand_of(build, square, "a * a", 0);
        int left = operand_of(build, square, "a * b", 0);
        if (left >= 0 && left == operand_of(build, square, "a * b", 1)) apart = left;
        *x = operand_of(build, apart, "a - b", 0);
        int mean = operand_of(build, apart, "a - b", 1);
        if (mean >= 0) *sum = sum_of_mean(build, mean);
    }
    if (*x < 0 || *sum < 0) return false;
    const Value *first = &build->values[*sum];
    return first->kind == VALUE_REDUCE && first->combine == COMBINE_SUM &&
           !strcmp(first->formula, "a") && first->compute == squares->compute &&
           build->values[*x].dtype == squares->compute &&
           behind_aliases(build, first->operands[0]) == *x;
}

/* Of each reduction one that stands on it. */
static void find_firsts(Writer *writer) {
    const Build *build = writer->build;
    bool is_gpu = build->plan->trace->session->promises;
    for (int i = 0; i < build->num_values; i++) {
        int x, first;
        writer->firsts[i] = -1;
        bool found = is_gpu && (find_top(build, &build->values[i], &x, &first) ||
                                find_mean(build, &build->values[i], &x, &first));
        for (int k = 0; k < i && found; k++) found = writer->firsts[k] != first;
        if (found) writer->firsts[i] = (int16_t)first;
    }
}

/* The reduction that is found together with this one; -1: none. */
static int second_of(const Writer *writer, int first) {
    for (int i = 0; i < writer->build->num_values; i++)
        if (writer->firsts[i] == first) return i;
    return -1;
}

/* The loop in which a reduction is found: that of the reductions it stands on. */
static int turn_of(const Writer *writer, int reduction) {
    int first = writer->firsts[reduction];
    return writer->build->values[first >= 0 ? first : reduction].depth;
}

static bool has_element_stores(const Build *build) {
    for (int i = 0; i < build->num_stores; i++)
        if (!build->accesses[build->num_accesses + i].is_of_row) return true;
    return false;
}

int rows_count_turns(Writer *writer) {
    const Build *build = writer->build;
    uint64_t turns = 0;
    find_firsts(writer);
    for (int i = 0; i < build->num_values; i++)
        if (build->values[i].kind == VALUE_REDUCE)
            turns |= UINT64_C(1) << (turn_of(writer, i) & 63);
    return __builtin_popcountll(turns) + has_element_stores(build);
}

/* Values along the row that `value` needs, before itself. */
static void write_needed(Writer *writer, int index) {
    const Value *value = &writer->build->values[index];
    if (writer->is_done[index] || value->kind == VALUE_REDUCE) return;
    for (int i = 0; i < VALUE_OPERANDS; i++)
        if (value->operands[i] >= 0 &&
            writer->build->values[value->operands[i]].kind != VALUE_NUMBER)
            write_needed(writer, value->operands[i]);
    write_value(writer, index);
}

static void begin_loop(Writer *writer) {
    const Build *build = writer->build;
    write_line(writer, "for start in range(0, length, COLS):");
    writer->indent = "        ";
    write_col_index(writer);
    for (int i = 0; i < build->num_values; i++)
        if (!value_is_of_row(build, &build->values[i])) writer->is_done[i] = false;
}

static bool is_of_row(const Writer *writer, int index) {
    const Value *value = &writer->build->values[index];
    return value->kind != VALUE_NUMBER && value->kind != VALUE_REDUCE &&
           value_is_of_row(writer->build, value);
}

/* x, where there is one, of a sum that is found together with its maximum. */
static const char *terms_text(Writer *writer, int sum) {
    Buf text = {.arena = writer->arena};
    int x, top;
    if (!find_top(writer->build, &writer->build->values[sum], &x, &top)) BUG("a sum without a top");
    buf_printf(&text, "tl.where(inside, %s, float('-inf'))", writer->build->values[x].name);
    return text.data;
}

static void write_exponents(Writer *writer, int sum) {
    const Value *of = &writer->build->values[sum];
    const char *top = writer->build->values[writer->firsts[sum]].name;
    const char *x = unique_name(writer, "term"), *above = unique_name(writer, "above");
    write_line(writer, "%s = %s", x, terms_text(writer, sum));
    write_line(writer, "%s = _max_nan(%s, %s)", above, top, x);
    write_line(writer, "%s = %s * tl.exp(%s - _finite(%s)) + tl.exp(%s - _finite(%s))", of->name,
               of->name, top, above, x, above);
    write_line(writer, "%s = %s", top, above);
}

/* Squares about the lane's mean before x, sum * share, times (k - 1) / k where x is its k-th
 * element. */
static void write_squares(Writer *writer, int squares) {
    const Value *of = &writer->build->values[squares];
    const char *sum = writer->build->values[writer->firsts[squares]].name;
    const char *apart = unique_name(writer, "apart");
    int x, first;
    if (!find_mean(writer->build, of, &x, &first)) BUG("squares without a mean");
    const char *name = writer->build->values[x].name;
    write_line(writer, "%s = tl.where(inside, %s - %s * share, 0.0)", apart, name, sum);
    write_line(writer, "%s += %s * (%s * weight)", of->name, apart, apart);
    write_line(writer, "%s += tl.where(inside, %s, 0.0)", sum, name);
}

static bool is_of_squares(const Writer *writer, int second) {
    const Value *first = &writer->build->values[writer->firsts[second]];
    return first->combine == COMBINE_SUM;
}

static void write_together(Writer *writer, int second) {
    if (is_of_squares(writer, second))
        write_squares(writer, second);
    else
        write_exponents(writer, second);
}

/* "    NAME = tl.sum(LANES, ..)" */
static void write_result(Writer *writer, const Value *value, const char *lanes) {
    write_note(writer, value);
    size_t start = writer->text.length;
    buf_printf(&writer->text, "    %s = ", value->name);
    write_across(writer, value, lanes);
    end_line(writer, start, value);
}

/* The lanes' sums, taken to the largest of all. Of a plain exp(x - max) there is none where that
 * is infinite. */
static void write_exponents_across(Writer *writer, int sum) {
    const Value *of = &writer->build->values[sum];
    const Value *top = &writer->build->values[writer->firsts[sum]];
    const char *lanes = unique_name(writer, "lanes");
    write_line(writer, "%s = %s", lanes, top->name);
    write_result(writer, top, lanes);
    Buf scaled = {.arena = writer->arena};
    buf_printf(&scaled, "%s * tl.exp(%s - _finite(%s))", of->name, lanes, top->name);
    write_result(writer, of, scaled.data);
    if (!strstr(of->formula, "_finite"))
        write_line(writer, "%s = %s * tl.exp(%s - %s)", of->name, of->name, top->name, top->name);
}

/* Each lane's squares, taken from its own mean to that of all; a lane has elements from its place
 * on, COLS apart. */
static void write_squares_across(Writer *writer, int squares) {
    const Value *of = &writer->build->values[squares];
    const Value *sum = &writer->build->values[writer->firsts[squares]];
    const char *lanes = unique_name(writer, "lanes"), *apart = unique_name(writer, "apart");
    const char *count = unique_name(writer, "count"), *type = triton_type(of->compute);
    write_line(writer, "%s = %s", lanes, sum->name);
    write_line(writer, "%s = (length - tl.arange(0, COLS)[%s] + COLS - 1) // COLS", count,
               is_turned(writer) ? ":, None" : "None, :");
    write_line(writer, "%s = %s.to(%s)", count, count, type);
    write_result(writer, sum, lanes);
    write_line(writer, "%s = %s / tl.maximum(%s, 1.0) - %s / length.to(%s)", apart, lanes, count,
               sum->name, type);
    Buf whole = {.arena = writer->arena};
    buf_printf(&whole, "%s + %s * %s * %s", of->name, count, apart, apart);
    write_result(writer, of, whole.data);
}

static void write_together_across(Writer *writer, int second) {
    if (is_of_squares(writer, second))
        write_squares_across(writer, second);
    else
        write_exponents_across(writer, second);
}

static void write_single_across(Writer *writer, int reduction) {
    const Value *value = &writer->build->values[reduction];
    write_result(writer, value, value->name);
}

static void write_each_lane(Writer *writer, int reduction) {
    const Value *value = &writer->build->values[reduction];
    for (int k = 0; k < VALUE_OPERANDS; k++)
        if (value->operands[k] >= 0) write_needed(writer, value->operands[k]);
    int sum = second_of(writer, reduction);
    if (sum >= 0)
        write_together(writer, sum);
    else
        write_accumulation(writer, value);
}

static bool is_reduced_at(const Writer *writer, int value, int depth) {
    return writer->build->values[value].kind == VALUE_REDUCE && turn_of(writer, value) == depth;
}

/* In which the loop of a depth counts its turns; NULL: it does not. */
static const char *squares_type(const Writer *writer, int depth) {
    for (int i = 0; i < writer->build->num_values; i++)
        if (is_reduced_at(writer, i, depth) && writer->firsts[i] >= 0 && is_of_squares(writer, i))
            return triton_type(writer->build->values[i].compute);
    return NULL;
}

/* All reductions of a depth in one loop; before it, what is one a row and stands on those
 * before. */
static void write_depth(Writer *writer, int depth) {
    const Build *build = writer->build;
    bool any = false;
    for (int i = 0; i < build->num_values; i++) {
        if (build->values[i].depth == depth && is_of_row(writer, i)) write_needed(writer, i);
        if (!is_reduced_at(writer, i, depth)) continue;
        write_accumulator(writer, &build->values[i]);
        any = true;
    }
    if (!any) return;
    const char *type = squares_type(writer, depth);
    if (type) write_line(writer, "turns = tl.full([1, 1], 0.0, %s)", type);
    begin_loop(writer);
    if (type) write_line(writer, "share = 1.0 / tl.maximum(turns, 1.0)");
    if (type) write_line(writer, "weight = turns / (turns + 1.0)");
    for (int i = 0; i < build->num_values; i++)
        if (is_reduced_at(writer, i, depth) && writer->firsts[i] < 0) write_each_lane(writer, i);
    if (type) write_line(writer, "turns += 1.0");
    writer->indent = "    ";
    for (int i = 0; i < build->num_values; i++) {
        if (!is_reduced_at(writer, i, depth)) continue;
        if (writer->firsts[i] >= 0)
            write_together_across(writer, i);
        else if (second_of(writer, i) < 0)
            write_single_across(writer, i);
        writer->is_done[i] = true;
    }
}

static void write_looped(Writer *writer) {
    const Build *build = writer->build;
    int last = 0;
    bool is_read_again = rows_count_turns(writer) > 1 && build->plan->trace->session->promises;
    writer->load_policy = is_read_again ? "evict_last" : NULL;
    for (int i = 0; i < build->num_values; i++)
        if (build->values[i].depth > last) last = build->values[i].depth;
    for (int depth = 0; depth <= last; depth++) write_depth(writer, depth);
    for (int i = 0; i < build->num_stores; i++)
        if (build->accesses[build->num_accesses + i].is_of_row) write_store(writer, i);
    if (!has_element_stores(build)) return;
    if (is_read_again) writer->load_policy = writer->store_policy = "evict_first";
    begin_loop(writer);
    for (int i = 0; i < build->num_stores; i++) {
        if (build->accesses[build->num_accesses + i].is_of_row) continue;
        write_needed(writer, build->stores[i].value);
        write_store(writer, i);
    }
    writer->indent = "    ";
}

void write_rows(Writer *writer) {
    write_row_index(writer);
    if (is_single(writer))
        write_single(writer);
    else
        write_looped(writer);
}
