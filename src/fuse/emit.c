// SPDX-License-Identifier: Apache-2.0
/* emit: a kernel's values as text in the Triton language; what kernels of all kinds have in
 * common, and those of elements, which are as src/tensor/map.c has them.
 *
 * Loads and values are named by the program (tern_name), or by the op; each line says which op
 * of the program, counted from 0, it is of. Sizes and strides are arguments, but for strides of
 * 0 and 1. */
#include "fuse/fuse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void write_line(Writer *writer, const char *format, ...) {
    va_list args;
    buf_puts(&writer->text, writer->indent);
    va_start(args, format);
    buf_vprintf(&writer->text, format, args);
    va_end(args);
    buf_putc(&writer->text, '\n');
}

/* ---- names ---- */

/* Words that the kernels' own lines use. */
static const char *const reserved[] = {
    "tl",       "triton", "libdevice", "at",     "across",  "down",    "row",      "rows",
    "col",      "rest",   "length",    "inside", "in_rows", "in_cols", "start",    "depth",
    "in_depth", "acc",    "n",         "and",    "as",      "assert",  "async",    "await",
    "break",    "class",  "continue",  "def",    "del",     "elif",    "else",     "except",
    "False",    "for",    "from",      "global", "if",      "import",  "in",       "is",
    "lambda",   "None",   "or",        "not",    "pass",    "raise",   "return",   "True",
    "try",      "while",  "with",      "yield",  "range",   "float",   "nonlocal", "finally",
    "torch",    "ROWS",   "COLS",      "DEPTH",  "turns",   "share",   "weight"};

/* As the arguments of tensors are called: x_ptr, x_s0, x_step. */
static bool is_like_argument(const char *name) {
    const char *end = strrchr(name, '_');
    return end && (!strcmp(end, "_ptr") || !strcmp(end, "_step") ||
                   (end[1] == 's' && isdigit((unsigned char)end[2])));
}

const char *unique_name(Writer *writer, const char *base) {
    Buf word = {.arena = writer->arena};
    for (const char *at = base; *at && at < base + 32; at++)
        buf_putc(&word, isalnum((unsigned char)*at) ? *at : '_');
    if (!word.length || isdigit((unsigned char)word.data[0]) || word.data[0] == '_')
        word = (Buf){.arena = writer->arena}, buf_printf(&word, "v%s", base);
    if (is_like_argument(word.data)) buf_puts(&word, "_v");
    const char *name = word.data;
    for (int i = 1; map_get(&writer->names, str_of(name)); i++)
        name = str_c(writer->arena, str_format(writer->arena, "%s_%d", word.data, i));
    map_set(&writer->names, str_of(name), writer);
    return name;
}

static void reserve_names(Writer *writer) {
    writer->names.arena = writer->arena;
    for (int i = 0; i < COUNT(reserved); i++) map_set(&writer->names, str_of(reserved[i]), writer);
    for (int i = 0; i < SPACE_RANK; i++) {
        map_set(&writer->names, str_format(writer->arena, "i%d", i), writer);
        map_set(&writer->names, str_format(writer->arena, "n%d", i), writer);
    }
}

/* A formula of one operand's name, in its type. */
static bool is_alias(const Build *build, const Value *value) {
    int operand = !strcmp(value->formula, "a") ? 0 : !strcmp(value->formula, "s") ? 3 : -1;
    return operand >= 0 && value->compute == value->dtype &&
           build->values[value->operands[operand]].dtype == value->dtype &&
           build->values[value->operands[operand]].kind != VALUE_NUMBER;
}

static const char *value_base_name(const Writer *writer, const Value *value) {
    static const char *const of_combine[] = {
        [COMBINE_NONE] = "",   [COMBINE_SUM] = "sum", [COMBINE_PROD] = "product",
        [COMBINE_MAX] = "max", [COMBINE_MIN] = "min", [COMBINE_ANY] = "any",
        [COMBINE_ALL] = "all"};
    if (value->kind == VALUE_NUMBER) return "number";
    const TraceNode *node = writer->build->plan->trace->nodes.data[value->node];
    const char *base = node->name ? node->name : op_row(node->run.op)->name;
    /* Only of reductions there is one formula for all types, which is what comes out. */
    if (value->kind != VALUE_REDUCE || !strcmp(op_row(node->run.op)->formulas[0], "s")) return base;
    return str_c(writer->arena,
                 str_format(writer->arena, "%s_%s", base, of_combine[value->combine]));
}

void find_aliases(Writer *writer) {
    for (int i = 0; i < writer->build->num_values; i++) {
        Value *value = &writer->build->values[i];
        value->is_alias = value->kind == VALUE_POINT && is_alias(writer->build, value);
    }
}

void name_all(Writer *writer) {
    Build *build = writer->build;
    reserve_names(writer);
    for (int i = 0; i < build->num_accesses + build->num_stores; i++) {
        Access *access = &build->accesses[i];
        bool is_store = i >= build->num_accesses;
        access->name =
            unique_name(writer, is_store ? "y" : storage_name(build->plan, access->storage));
    }
    for (int i = 0; i < build->num_values; i++) {
        Value *value = &build->values[i];
        int of = value->operands[0] >= 0 ? value->operands[0] : value->operands[3];
        value->name = value->kind == VALUE_LOAD ? build->accesses[value->access].name
                      : value->is_alias         ? build->values[of].name
                                        : unique_name(writer, value_base_name(writer, value));
    }
}

/* ---- numbers ---- */

static const char *float_text(Arena *arena, double number) {
    char text[40];
    if (isnan(number)) return "float('nan')";
    if (isinf(number)) return number < 0 ? "float('-inf')" : "float('inf')";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    bool is_whole = !strpbrk(text, ".e");
    return str_c(arena, str_format(arena, "%s%s", text, is_whole ? ".0" : ""));
}

/* As the op would take it as an argument: integers wrap. */
static const char *number_text(Writer *writer, const Value *value) {
    const tern_operand *number = &value->number;
    bool is_float = number->kind == TERN_OPERAND_NUMBER;
    if (tern_dtype_is_float(value->dtype))
        return float_text(writer->arena, is_float ? number->number : (double)number->integer);
    if (value->dtype == TERN_BOOL)
        return (is_float ? number->number != 0 : number->integer != 0) ? "1" : "0";
    unsigned char element[8];
    if (is_float)
        tern_element_set_double(value->dtype, element, number->number);
    else
        tern_element_set_int(value->dtype, element, number->integer);
    return str_c(writer->arena, str_format(writer->arena, "%lld",
                                           (long long)tern_element_int(value->dtype, element)));
}

/* Does each mention of a word stand beside an operator that takes a number in its other
 * operand's type? Then a number can stand in its place. An argument of a function would be of
 * another type, and comparisons take numbers as fp32. */
static bool is_beside_operators(const char *formula, char operand, tern_dtype type) {
    const char *operators = type == TERN_FLOAT32 ? "+-*/<>=!" : "+-*/";
    char word[2] = {operand, 0};
    if (!formula_names(formula, word)) return false;
    for (const char *at = formula; *at; at++) {
        bool alone = *at == operand && (at == formula || !isalnum((unsigned char)at[-1])) &&
                     !isalnum((unsigned char)at[1]);
        if (!alone) continue;
        const char *before = at, *behind = at + 1;
        while (before > formula && before[-1] == ' ') before--;
        while (*behind == ' ') behind++;
        if (!(before > formula && strchr(operators, before[-1])) &&
            !(*behind && strchr(operators, *behind)))
            return false;
    }
    return true;
}

/* ---- addresses and masks ---- */

static const char *index_name(const Writer *writer, int access, int loop) {
    static const char *const names[] = {"i0", "i1", "i2", "i3", "i4", "i5",
                                        "i6", "i7", "i8", "i9", "i10"};
    if (writer->kind != KERNEL_PRODUCT || loop != writer->outer) return names[loop];
    return writer->build->accesses[access].side == SIDE_B ? "depth[:, None]" : "depth[None, :]";
}

/* "x_ptr + i0 * x_s0 + i1" */
static void write_address(Writer *writer, int access) {
    const Access *of = &writer->build->accesses[access];
    buf_printf(&writer->text, "%s_ptr", of->name);
    for (int d = 0; d < writer->space.rank; d++) {
        int64_t stride = writer->space.strides[access][d];
        if (!stride && !has_term(writer, access, d)) continue;
        buf_printf(&writer->text, " + %s", index_name(writer, access, d));
        if (stride != 1) buf_printf(&writer->text, " * %s_s%d", of->name, d);
    }
    if (of->index >= 0)
        buf_printf(&writer->text, " + %s.to(tl.int64) * %s_step",
                   writer->build->values[of->index].name, of->name);
}

/* On a line of its own where the one that began at `start` would become long. */
static void write_mask(Writer *writer, int axes, size_t start) {
    static const char *const words[] = {"in_rows", "in_cols", "in_depth[None, :]",
                                        "in_depth[:, None]"};
    static const int bits[] = {AXIS_ROW, AXIS_COL, AXIS_DEPTH_A, AXIS_DEPTH_B};
    if (!axes) return;
    bool is_long = writer->text.length - start > 60;
    buf_printf(&writer->text, ",%s%s%smask=", is_long ? "\n" : " ", is_long ? writer->indent : "",
               is_long ? "        " : "");
    if (writer->kind == KERNEL_ROWS && axes == (AXIS_ROW | AXIS_COL)) {
        buf_puts(&writer->text, "inside");
        return;
    }
    const char *between = "";
    for (int i = 0; i < 4; i++) {
        if (!(axes & bits[i])) continue;
        buf_printf(&writer->text, "%s%s", between, words[i]);
        between = " & ";
    }
}

/* Which lines the caches of a GPU keep. */
static void write_policy(Writer *writer, const char *policy, int axes) {
    if (policy && axes == (AXIS_ROW | AXIS_COL))
        buf_printf(&writer->text, ", eviction_policy='%s'", policy);
}

/* ---- values ---- */

const char *value_text(Writer *writer, int value, tern_dtype type) {
    const Value *of = &writer->build->values[value];
    Buf text = {.arena = writer->arena};
    emit_cast(&text, of->name, of->dtype, type);
    return text.data;
}

static const char *tile_of_one(const Writer *writer) {
    return writer->kind == KERNEL_MAP && writer->space.rank == 1 ? "[1]" : "[1, 1]";
}

static const char *attribute_text(Writer *writer, const Value *value, char word, double number) {
    const char *text = float_text(writer->arena, number);
    bool is_exact = value->types[0] != TERN_FLOAT64 || (double)(float)number == number;
    if (is_exact || is_beside_operators(value->formula, word, TERN_FLOAT64)) return text;
    return str_c(writer->arena, str_format(writer->arena, "tl.full(%s, %s, tl.float64)",
                                           tile_of_one(writer), text));
}

void write_formula(Writer *writer, const Value *value) {
    static const char letters[VALUE_OPERANDS] = {'a', 'b', 'c', 's', 't'};
    const char *names[26] = {NULL};
    for (int i = 0; i < VALUE_OPERANDS; i++) {
        if (value->operands[i] < 0) continue;
        const Value *operand = &writer->build->values[value->operands[i]];
        bool is_literal = operand->kind == VALUE_NUMBER && operand->dtype != TERN_BOOL &&
                          is_beside_operators(value->formula, letters[i], operand->dtype);
        names[letters[i] - 'a'] = is_literal
                                      ? number_text(writer, operand)
                                      : value_text(writer, value->operands[i], value->types[i]);
    }
    if (formula_names(value->formula, "n"))
        names['n' - 'a'] =
            value->compute == TERN_FLOAT64 ? "length.to(tl.float64)" : "length.to(tl.float32)";
    names['p' - 'a'] = attribute_text(writer, value, 'p', value->p);
    names['q' - 'a'] = attribute_text(writer, value, 'q', value->q);
    emit_formula(&writer->text, value->formula, names);
}

/* Numbers that stand in no formula as they are. */
void write_numbers(Writer *writer, int index) {
    static const char letters[] = "abc";
    const Value *value = &writer->build->values[index];
    for (int i = 0; i < 3; i++) {
        if (value->operands[i] < 0) continue;
        const Value *operand = &writer->build->values[value->operands[i]];
        bool is_literal = operand->dtype != TERN_BOOL && value->formula &&
                          is_beside_operators(value->formula, letters[i], operand->dtype);
        if (operand->kind == VALUE_NUMBER && !is_literal) write_value(writer, value->operands[i]);
    }
}

/* A line of the program is text from outside: one line, without its control characters. */
void write_note(Writer *writer, const Value *value) {
    const char *note = writer->build->plan->trace->nodes.data[value->node]->note;
    if (!note || (writer->note && !strcmp(note, writer->note))) return;
    writer->note = note;
    buf_printf(&writer->text, "%s# ", writer->indent);
    for (const char *at = note; *at && at < note + 160; at++)
        if ((unsigned char)*at >= ' ' && *at != 127) buf_putc(&writer->text, *at);
    buf_putc(&writer->text, '\n');
}

void end_line(Writer *writer, size_t start, const Value *value) {
    const Trace *trace = writer->build->plan->trace;
    const char *op = op_row(trace->nodes.data[value->node]->run.op)->name;
    size_t length = writer->text.length - start;
    bool fits = length + strlen(op) + 10 <= 100;
    if (!writer->is_named[value->node] && fits)
        buf_printf(&writer->text, "  # %d: %s", value->node, op);
    writer->is_named[value->node] = true;
    buf_putc(&writer->text, '\n');
}

static void write_point(Writer *writer, const Value *value) {
    if (value->is_alias) return;
    write_note(writer, value);
    size_t start = writer->text.length;
    buf_printf(&writer->text, "%s%s = ", writer->indent, value->name);
    write_formula(writer, value);
    end_line(writer, start, value);
    if (value->compute == value->dtype) return;
    buf_printf(&writer->text, "%s%s = ", writer->indent, value->name);
    emit_cast(&writer->text, value->name, value->compute, value->dtype);
    buf_putc(&writer->text, '\n');
}

static void write_load(Writer *writer, const Value *value, int axes) {
    const Build *build = writer->build;
    const Access *access = &build->accesses[value->access];
    if (access->is_factor)
        axes |= access->side == SIDE_A ? AXIS_ROW | AXIS_DEPTH_A : AXIS_COL | AXIS_DEPTH_B;
    size_t start = writer->text.length;
    buf_printf(&writer->text, "%s%s = tl.load(", writer->indent, value->name);
    write_address(writer, value->access);
    write_mask(writer, axes, start);
    if (value->is_raw)
        buf_puts(&writer->text, tern_dtype_is_float(access->dtype) ? ", other=0.0" : ", other=0");
    write_policy(writer, writer->load_policy, axes);
    buf_puts(&writer->text, ")");
    if (value->dtype != access->dtype)
        buf_printf(&writer->text, ".to(%s)", triton_type(value->dtype));
    buf_putc(&writer->text, '\n');
}

void write_value(Writer *writer, int index) {
    const Value *value = &writer->build->values[index];
    if (writer->is_done[index]) return;
    writer->is_done[index] = true;
    switch (value->kind) {
    case VALUE_LOAD: write_load(writer, value, writer->axes[index]); return;
    case VALUE_NUMBER:
        write_line(writer, "%s = tl.full(%s, %s, %s)", value->name, tile_of_one(writer),
                   number_text(writer, value), triton_type(value->dtype));
        return;
    case VALUE_POINT: write_point(writer, value); return;
    case VALUE_REDUCE:
    case VALUE_PRODUCT: BUG("a value that is written by the kernel's kind");
    }
}

void write_store(Writer *writer, int store) {
    const Build *build = writer->build;
    int access = build->num_accesses + store;
    int axes = build->accesses[access].is_of_row                       ? AXIS_ROW
               : writer->kind == KERNEL_MAP && writer->space.rank == 1 ? AXIS_COL
                                                                       : AXIS_ROW | AXIS_COL;
    size_t start = writer->text.length;
    buf_printf(&writer->text, "%stl.store(", writer->indent);
    write_address(writer, access);
    buf_printf(&writer->text, ", %s",
               value_text(writer, build->stores[store].value, build->accesses[access].dtype));
    write_mask(writer, axes, start);
    write_policy(writer, writer->store_policy, axes);
    buf_puts(&writer->text, ")\n");
}
