// SPDX-License-Identifier: Apache-2.0
/* emit_product: kernels with a product. What its factors are made of, element by element, is
 * computed inside of the loop over the depth, what is made of it behind the loop, on the
 * accumulated tile. */
#include "fuse/fuse.h"

static void write_blocks(Writer *writer) {
    int m = writer->outer - 2, n = writer->outer - 1;
    product_write_blocks(&writer->text, m, n, writer->form.flags & FORM_WIDE);
}

static bool is_inside(const Writer *writer, int value) {
    return writer->axes[value] & (AXIS_DEPTH_A | AXIS_DEPTH_B);
}

/* A factor's values, up to itself; those without the depth stand before the loop. */
static void write_factor(Writer *writer, int index, bool inside) {
    const Value *value = &writer->build->values[index];
    for (int i = 0; i < VALUE_OPERANDS; i++)
        if (value->operands[i] >= 0 &&
            writer->build->values[value->operands[i]].kind != VALUE_NUMBER)
            write_factor(writer, value->operands[i], inside);
    if (value->kind == VALUE_NUMBER) return;
    if ((value->is_raw || is_inside(writer, index)) == inside) write_value(writer, index);
}

/* Outside of the tile a factor that was computed need not be 0. */
static const char *factor_text(Writer *writer, int index, bool is_a) {
    const Value *product = &writer->build->values[writer->build->product];
    const char *text = value_text(writer, index, product->types[0]);
    if (writer->build->values[index].kind == VALUE_LOAD) return text;
    const char *mask = is_a ? "in_rows & in_depth[None, :]" : "in_depth[:, None] & in_cols";
    return str_c(writer->arena, str_format(writer->arena, "tl.where(%s, %s, 0.0).to(%s)", mask,
                                           text, triton_type(product->types[0])));
}

void write_product(Writer *writer) {
    const Build *build = writer->build;
    const Value *product = &build->values[build->product];
    const char *type = triton_type(product->compute);
    write_blocks(writer);
    for (int i = 0; i < 2; i++) write_factor(writer, product->operands[i], false);
    write_note(writer, product);
    write_line(writer, "%s = tl.zeros((ROWS, COLS), %s)  # %d: matmul", product->name, type,
               product->node);
    write_line(writer, "for start in range(0, n%d, DEPTH):", writer->outer);
    writer->indent = "        ";
    write_line(writer, "depth = start + tl.arange(0, DEPTH)");
    write_line(writer, "in_depth = depth < n%d", writer->outer);
    for (int i = 0; i < 2; i++) write_factor(writer, product->operands[i], true);
    const char *a = factor_text(writer, product->operands[0], true);
    const char *b = factor_text(writer, product->operands[1], false);
    write_line(writer, "%s = tl.dot(%s, %s, %s, input_precision=\"ieee\"%s)", product->name, a, b,
               product->name, product->compute == TERN_FLOAT64 ? ", out_dtype=tl.float64" : "");
    writer->indent = "    ";
    writer->is_done[build->product] = true;
    for (int i = 0; i < build->num_values; i++)
        if (build->values[i].kind != VALUE_NUMBER && !writer->is_done[i]) write_value(writer, i);
    for (int i = 0; i < build->num_stores; i++) write_store(writer, i);
}
