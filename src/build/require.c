// SPDX-License-Identifier: Apache-2.0
/* require: what must hold of integer parameters, from Python's text to C's.
 *
 * The C is over Wide, an __int128: each name is 64 bits wide, and an expression whose value might
 * not fit is refused here, so that nothing wraps when it is evaluated. */
#include "build/build.h"
#include "lang/ast.h"

enum { NAME_BITS = 65, MOST_BITS = 126 };

typedef struct Require {
    Arena *arena;
    Diag *diag;
    Requirement *result;
    Buf out;
} Require;

static int refuse(Require *r, const Expr *expr, const char *words) {
    if (!diag_failed(r->diag)) diag_refused(r->diag, expr->span, "%s", words);
    return 0;
}

static void note_name(Require *r, Str name) {
    for (int i = 0; i < r->result->names.count; i++)
        if (str_is(name, r->result->names.data[i])) return;
    vec_push(r->arena, &r->result->names, str_c(r->arena, name));
}

static int write(Require *r, const Expr *expr);

static int bits_of(int64_t number) {
    int bits = 1;
    while (number) number /= 2, bits++;
    return bits;
}

/* Python's: the quotient is rounded down, the remainder has the divisor's sign, here +. */
static int write_division(Require *r, const Expr *expr) {
    const Expr *by = expr->right;
    if (by->kind != EXPR_INT || by->too_large || by->integer < 1)
        return refuse(r, by, "a divisor in a requirement is an integer above 0");
    buf_puts(&r->out, expr->op == OPERATOR_MOD ? "floor_remainder(" : "floor_quotient(");
    int bits = write(r, expr->left);
    buf_printf(&r->out, ", %lld)", (long long)by->integer);
    return expr->op == OPERATOR_MOD ? bits_of(by->integer) : bits;
}

static int write_binary(Require *r, const Expr *expr) {
    if (expr->op == OPERATOR_FLOORDIV || expr->op == OPERATOR_MOD) return write_division(r, expr);
    if (expr->op != OPERATOR_ADD && expr->op != OPERATOR_SUB && expr->op != OPERATOR_MUL)
        return refuse(r, expr, "a requirement is made of + - * // % and comparisons");
    buf_putc(&r->out, '(');
    int left = write(r, expr->left);
    buf_printf(&r->out, " %s ", operator_text(expr->op));
    int right = write(r, expr->right);
    buf_putc(&r->out, ')');
    int most = left > right ? left : right;
    int bits = expr->op == OPERATOR_MUL ? left + right : most + 1;
    if (bits > MOST_BITS) return refuse(r, expr, "the value may not fit 128 bits");
    return bits;
}

/* a < b < c: each operand has no effects, so that it may be evaluated twice. */
static int write_compare(Require *r, const Expr *expr) {
    const Expr *left = expr->left;
    buf_putc(&r->out, '(');
    for (int i = 0; i < expr->num_items; i++) {
        Operator op = expr->operators[i];
        if (op < OPERATOR_LT || op > OPERATOR_NE)
            return refuse(r, expr, "a requirement compares by < <= > >= == !=");
        if (i) buf_puts(&r->out, " && ");
        write(r, left);
        buf_printf(&r->out, " %s ", operator_text(op));
        write(r, left = expr->items[i]);
    }
    buf_putc(&r->out, ')');
    return 1;
}

static int write_logic(Require *r, const Expr *expr) {
    buf_putc(&r->out, '(');
    for (int i = 0; i < expr->num_items; i++) {
        if (i) buf_puts(&r->out, expr->kind == EXPR_AND ? " && " : " || ");
        write(r, expr->items[i]);
    }
    buf_putc(&r->out, ')');
    return 1;
}

/* Returns how many bits the value may need. */
static int write(Require *r, const Expr *expr) {
    int bits;
    if (diag_failed(r->diag)) return 0;
    switch ((unsigned)expr->kind) {
    case EXPR_NAME:
        note_name(r, expr->text);
        buf_printf(&r->out, "(Wide)%.*s", STR_ARG(expr->text));
        return NAME_BITS;
    case EXPR_INT:
        if (expr->too_large) return refuse(r, expr, "the integer needs more than 63 bits");
        buf_printf(&r->out, "%lld", (long long)expr->integer);
        return bits_of(expr->integer);
    case EXPR_BINARY: return write_binary(r, expr);
    case EXPR_COMPARE: return write_compare(r, expr);
    case EXPR_AND:
    case EXPR_OR: return write_logic(r, expr);
    case EXPR_NOT:
        buf_puts(&r->out, "!(");
        write(r, expr->left);
        buf_putc(&r->out, ')');
        return 1;
    case EXPR_UNARY:
        if (expr->op != OPERATOR_NEG) break;
        buf_puts(&r->out, "(-");
        bits = write(r, expr->left) + 1;
        buf_putc(&r->out, ')');
        return bits > MOST_BITS ? refuse(r, expr, "the value may not fit 128 bits") : bits;
    }
    return refuse(r, expr,
                  "a requirement is made of integer parameters, integers, + - * // %, comparisons, "
                  "and, or, not");
}

bool require_parse(Arena *arena, const char *text, Diag *diag, Requirement *requirement) {
    Require r = {.arena = arena, .diag = diag, .result = requirement, .out.arena = arena};
    Source *source = source_new(arena, STR("<requirement>"), str_copy(arena, str_of(text)));
    const Expr *expr = ast_parse_expr(arena, source, diag);
    if (!expr || diag_failed(diag)) return false;
    write(&r, expr);
    if (diag_failed(diag)) return false;
    requirement->c = r.out.data;
    requirement->text = source->text.data;
    return true;
}
