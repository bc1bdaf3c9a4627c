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
 * ops. */
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

/* All reductions of a depth in one loop; before it, what is one a row and stands on those
 * before. */
static bool write_depth(Writer *writer, int depth) {
    const Build *build = writer->build;
    bool any = false;
    for (int i = 0; i < build->num_values; i++) {
        const Value *value = &build->values[i];
        if (value->depth != depth) continue;
        if (is_of_row(writer, i)) write_needed(writer, i);
        if (value->kind != VALUE_REDUCE) continue;
        write_accumulator(writer, value);
        any = true;
    }
    if (!any) return false;
    begin_loop(writer);
    for (int i = 0; i < build->num_values; i++) {
        const Value *value = &build->values[i];
        if (value->depth != depth || value->kind != VALUE_REDUCE) continue;
        for (int k = 0; k < VALUE_OPERANDS; k++)
            if (value->operands[k] >= 0) write_needed(writer, value->operands[k]);
        write_accumulation(writer, value);
    }
    writer->indent = "    ";
    for (int i = 0; i < build->num_values; i++) {
        const Value *value = &build->values[i];
        if (value->depth != depth || value->kind != VALUE_REDUCE) continue;
        write_note(writer, value);
        size_t start = writer->text.length;
        buf_printf(&writer->text, "    %s = ", value->name);
        write_across(writer, value, value->name);
        end_line(writer, start, value);
        writer->is_done[i] = true;
    }
    return true;
}

static void write_looped(Writer *writer) {
    const Build *build = writer->build;
    int elements = 0;
    for (int depth = 0; write_depth(writer, depth); depth++) continue;
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
