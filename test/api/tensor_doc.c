// SPDX-License-Identifier: Apache-2.0
/* doc/tensors.md lists the rows of tern_tensor_ops.def, doc/fuse.md those of why.def. */
#include "document.h"

typedef struct Row {
    const char *form, *name, *cells[7];
} Row;

#define POINTWISE(form, name, rule, f, i, b) {form, #name, {#rule, f, i, b}},
#define OF_ROWS(form, name, rule, c1, f1, c2, f2, y)                                               \
    {form, #name, {#rule, #c1, f1, #c2, f2, y, ""}},
static const Row rows[] = {
#define TERN_UNARY(name, ...)    POINTWISE("(x)", name, __VA_ARGS__)
#define TERN_UNARY_1(name, ...)  POINTWISE("(x, p)", name, __VA_ARGS__)
#define TERN_UNARY_2(name, ...)  POINTWISE("(x, p, q)", name, __VA_ARGS__)
#define TERN_BINARY(name, ...)   POINTWISE("(a, b)", name, __VA_ARGS__)
#define TERN_BINARY_2(name, ...) POINTWISE("(a, b, p, q)", name, __VA_ARGS__)
#define TERN_TERNARY(name, ...)  POINTWISE("(a, b, c)", name, __VA_ARGS__)
#define TERN_TAKE(name, ...)     POINTWISE("(x, dim, index)", name, __VA_ARGS__)
#define TERN_PUT(name, ...)      POINTWISE("(x, dim, index, a)", name, __VA_ARGS__)
#define TERN_REDUCE(name, ...)   OF_ROWS("(x, dims, num, keepdim)", name, __VA_ARGS__)
#define TERN_REDUCE_1(name, ...) OF_ROWS("(x, dims, num, keepdim, p)", name, __VA_ARGS__)
#define TERN_ARG(name, ...)      OF_ROWS("(x, dim, keepdim)", name, __VA_ARGS__)
#define TERN_ALONG(name, ...)    OF_ROWS("(x, dim)", name, __VA_ARGS__)
#define TERN_NORM(name, ...)     OF_ROWS("(x, num_dims, b, c, p)", name, __VA_ARGS__)
#define TERN_SCAN(name, ...)     OF_ROWS("(x, dim)", name, __VA_ARGS__)
#define TERN_PRODUCT(name, ...)  OF_ROWS("(a, b)", name, __VA_ARGS__)
#include "tern_tensor_ops.def"
};

static char want[32768];
static size_t length;

static void add(const char *text) {
    length += (size_t)snprintf(want + length, sizeof want - length, "%s", text);
}

/* A cell of code, in which a '|' would end it. */
static void add_code(const char *text) {
    add(" | ");
    if (!text) return;
    add("`");
    for (; *text; text++) add(*text == '|' ? "\\|" : (char[]){*text, 0});
    add("`");
}

static void add_table(bool of_rows, const char *head) {
    add(head);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        if ((row->cells[6] != NULL) != of_rows) continue;
        add("| ");
        add(row->name);
        add(row->form);
        add(" | ");
        add(row->cells[0]);
        for (int k = 1; k < (of_rows ? 6 : 4); k++) {
            bool is_word = of_rows && (k == 1 || k == 3);
            if (is_word) {
                add(" | ");
                add(strcmp(row->cells[k], "NONE") != 0 ? row->cells[k] : "");
            } else
                add_code(row->cells[k]);
        }
        add(" |\n");
    }
}

TEST(the_table_of_ops) {
    add("\n");
    add_table(false, "| op | types | floats | integers | bool |\n|---|---|---|---|---|\n");
    add("\n");
    add_table(true,
              "| op | types | first | of | second | of | gives |\n|---|---|---|---|---|---|---|\n");
    add("\n");
    CHECK(length < sizeof want - 1);
    check_document("doc/tensors.md", "ops:", want);
}

TEST(why_results_are_stored) {
    length = 0;
    add("\n");
#define WHY(name, words) add("- " words "\n");
#include "fuse/why.def"
    add("\n");
    check_document("doc/fuse.md", "why:", want);
}

TEST_MAIN()
