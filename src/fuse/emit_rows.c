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
 * ops. On a GPU, where reading the row again is what costs, a sum of exp(x - max) is found in the
 * loop of its maximum: each lane's sum is of exp(x - the largest so far), and taken to a larger one
 * when that comes. */
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

/* Of each maximum one sum. */
static void find_tops(Writer *writer) {
    const Build *build = writer->build;
    bool is_gpu = build->plan->trace->session->promises;
    for (int i = 0; i < build->num_values; i++) {
        int x, top;
        writer->tops[i] = -1;
        bool found = is_gpu && find_top(build, &build->values[i], &x, &top);
        for (int k = 0; k < i && found; k++) found = writer->tops[k] != top;
        if (found) writer->tops[i] = (int16_t)top;
    }
}

static int sum_of_top(const Writer *writer, int top) {
    for (int i = 0; i < writer->build->num_values; i++)
        if (writer->tops[i] == top) return i;
    return -1;
}

/* The loop in which a reduction is found: that of the reductions it stands on. */
static int turn_of(const Writer *writer, int reduction) {
    int top = writer->tops[reduction];
    return writer->build->values[top >= 0 ? top : reduction].depth;
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

static void write_together(Writer *writer, int sum) {
    const Value *of = &writer->build->values[sum];
    const char *top = writer->build->values[writer->tops[sum]].name;
    const char *x = unique_name(writer, "term"), *above = unique_name(writer, "above");
    write_line(writer, "%s = %s", x, terms_text(writer, sum));
    write_line(writer, "%s = _max_nan(%s, %s)", above, top, x);
    write_line(writer, "%s = %s * tl.exp(%s - _finite(%s)) + tl.exp(%s - _finite(%s))", of->name,
               of->name, top, above, x, above);
    write_line(writer, "%s = %s", top, above);
}

/* The lanes' sums, taken to the largest of all. Of a plain exp(x - max) there is none where that
 * is infinite. */
static void write_together_across(Writer *writer, int sum) {
    const Value *of = &writer->build->values[sum], *top = &writer->build->values[writer->tops[sum]];
    const char *lanes = unique_name(writer, "lanes");
    write_line(writer, "%s = %s", lanes, top->name);
    write_note(writer, top);
    size_t start = writer->text.length;
    buf_printf(&writer->text, "    %s = ", top->name);
    write_across(writer, top, lanes);
    end_line(writer, start, top);
    Buf scaled = {.arena = writer->arena};
    buf_printf(&scaled, "%s * tl.exp(%s - _finite(%s))", of->name, lanes, top->name);
    write_note(writer, of);
    start = writer->text.length;
    buf_printf(&writer->text, "    %s = ", of->name);
    write_across(writer, of, scaled.data);
    end_line(writer, start, of);
    if (!strstr(of->formula, "_finite"))
        write_line(writer, "%s = %s * tl.exp(%s - %s)", of->name, of->name, top->name, top->name);
}

static void write_single_across(Writer *writer, int reduction) {
    const Value *value = &writer->build->values[reduction];
    write_note(writer, value);
    size_t start = writer->text.length;
    buf_printf(&writer->text, "    %s = ", value->name);
    write_across(writer, value, value->name);
    end_line(writer, start, value);
}

static void write_each_lane(Writer *writer, int reduction) {
    const Value *value = &writer->build->values[reduction];
    for (int k = 0; k < VALUE_OPERANDS; k++)
        if (value->operands[k] >= 0) write_needed(writer, value->operands[k]);
    int sum = sum_of_top(writer, reduction);
    if (sum >= 0)
        write_together(writer, sum);
    else
        write_accumulation(writer, value);
}

static bool is_reduced_at(const Writer *writer, int value, int depth) {
    return writer->build->values[value].kind == VALUE_REDUCE && turn_of(writer, value) == depth;
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
    begin_loop(writer);
    for (int i = 0; i < build->num_values; i++)
        if (is_reduced_at(writer, i, depth) && writer->tops[i] < 0) write_each_lane(writer, i);
    writer->indent = "    ";
    for (int i = 0; i < build->num_values; i++) {
        if (!is_reduced_at(writer, i, depth)) continue;
        if (writer->tops[i] >= 0)
            write_together_across(writer, i);
        else if (sum_of_top(writer, i) < 0)
            write_single_across(writer, i);
        writer->is_done[i] = true;
    }
}

static void write_looped(Writer *writer) {
    const Build *build = writer->build;
    int elements = 0, last = 0;
    find_tops(writer);
    for (int i = 0; i < build->num_values; i++)
        if (build->values[i].depth > last) last = build->values[i].depth;
    for (int depth = 0; depth <= last; depth++) write_depth(writer, depth);
    for (int i = 0; i < build->num_stores; i++)
        if (build->accesses[build->num_accesses + i].is_of_row)
            write_store(writer, i);
        else
            elements++;
    if (!elements) return;
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
