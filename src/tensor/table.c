// SPDX-License-Identifier: Apache-2.0
/* table: the rows of tern_tensor_ops.def, and the functions that their formulas name. */
#include "tensor/plan.h"

#define POINTWISE(kind, name, rule, floats, integers, bools)                                       \
    [TERN_OP_##name] = {                                                                           \
        #name, kind, RULE_##rule, {floats, integers, bools}, {COMBINE_NONE, COMBINE_NONE}, {0}},
#define OF_ROWS(kind, name, rule, combine1, pass1, combine2, pass2, formula)                       \
    [TERN_OP_##name] = {#name,                                                                     \
                        kind,                                                                      \
                        RULE_##rule,                                                               \
                        {formula, formula, formula},                                               \
                        {COMBINE_##combine1, COMBINE_##combine2},                                  \
                        {pass1, pass2}},
#define TERN_UNARY(name, ...)    POINTWISE(ROW_UNARY, name, __VA_ARGS__)
#define TERN_UNARY_1(name, ...)  POINTWISE(ROW_UNARY_1, name, __VA_ARGS__)
#define TERN_UNARY_2(name, ...)  POINTWISE(ROW_UNARY_2, name, __VA_ARGS__)
#define TERN_BINARY(name, ...)   POINTWISE(ROW_BINARY, name, __VA_ARGS__)
#define TERN_BINARY_2(name, ...) POINTWISE(ROW_BINARY_2, name, __VA_ARGS__)
#define TERN_TAKE(name, ...)     POINTWISE(ROW_TAKE, name, __VA_ARGS__)
#define TERN_PUT(name, ...)      POINTWISE(ROW_PUT, name, __VA_ARGS__)
#define TERN_TERNARY(name, ...)  POINTWISE(ROW_TERNARY, name, __VA_ARGS__)
#define TERN_REDUCE(name, ...)   OF_ROWS(ROW_REDUCE, name, __VA_ARGS__)
#define TERN_REDUCE_1(name, ...) OF_ROWS(ROW_REDUCE_1, name, __VA_ARGS__)
#define TERN_ARG(name, ...)      OF_ROWS(ROW_ARG, name, __VA_ARGS__)
#define TERN_ALONG(name, ...)    OF_ROWS(ROW_ALONG, name, __VA_ARGS__)
#define TERN_NORM(name, ...)     OF_ROWS(ROW_NORM, name, __VA_ARGS__)
#define TERN_SCAN(name, ...)     OF_ROWS(ROW_SCAN, name, __VA_ARGS__)
#define TERN_PRODUCT(name, ...)  OF_ROWS(ROW_PRODUCT, name, __VA_ARGS__)
static const OpRow rows[TERN_NUM_OPS] = {
#include "tern_tensor_ops.def"
};

const OpRow *op_row(int op) { return op >= 0 && op < TERN_NUM_OPS ? &rows[op] : NULL; }

const char *tern_op_name(tern_op_id op) { return op_row((int)op) ? rows[op].name : NULL; }

int row_num_operands(const OpRow *row) {
    return row->kind == ROW_BINARY || row->kind == ROW_BINARY_2 ? 2
           : row->kind == ROW_TERNARY                           ? 3
                                                                : 1;
}

const char *row_formula(const OpRow *row, tern_dtype compute) {
    return row->formulas[tern_dtype_is_float(compute) ? 0 : dtype_is_integer(compute) ? 1 : 2];
}

tern_dtype compute_type(tern_dtype dtype) {
    return dtype == TERN_FLOAT16 || dtype == TERN_BFLOAT16 ? TERN_FLOAT32 : dtype;
}

/* ---- functions that are named ---- */

static const struct {
    const char *name, *text;
} helpers[] = {
#define HELPER(name, text) {name, text},
#include "tensor/helpers.def"
};

static bool is_word_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool formula_names(const char *formula, const char *word) {
    size_t length = strlen(word);
    for (const char *at = formula; (at = strstr(at, word)); at += length)
        if ((at == formula || (!is_word_char(at[-1]) && at[-1] != '.')) &&
            !is_word_char(at[length]))
            return true;
    return false;
}

void emit_helpers(Buf *text, const char *body) {
    bool named[COUNT(helpers)] = {false};
    for (int i = COUNT(helpers) - 1; i >= 0; i--) { /* those that name others come after these */
        named[i] = formula_names(body, helpers[i].name);
        for (int j = i + 1; j < COUNT(helpers) && !named[i]; j++)
            named[i] = named[j] && formula_names(helpers[j].text, helpers[i].name);
    }
    bool uses_library = strstr(body, "libdevice.") != NULL;
    for (int i = 0; i < COUNT(helpers); i++)
        uses_library = uses_library || (named[i] && strstr(helpers[i].text, "libdevice."));
    buf_puts(text, "import triton\nimport triton.language as tl\n");
    if (uses_library) buf_puts(text, "from triton.language.extra import libdevice\n");
    for (int i = 0; i < COUNT(helpers); i++)
        if (named[i]) buf_printf(text, "\n\n@triton.jit\n%s", helpers[i].text);
    buf_puts(text, "\n\n");
}
