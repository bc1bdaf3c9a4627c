// SPDX-License-Identifier: Apache-2.0
/* parse_expr: operators, from := down to **.
 *
 * Chains (a + b + c) are built by loops, nesting by recursion; both are limited, so that whoever
 * walks the tree later may recurse without a thought. */
#include "lang/parse.h"

Expr *expr_new(Parser *p, ExprKind kind, int start) {
    Expr *expr = arena_new_of(p->arena, Expr);
    expr->kind = kind;
    expr->span = (Span){p->source, start, start};
    expr->caret = start;
    return expr;
}

static void raise_height(Expr *expr, const Expr *child) {
    if (child && child->height >= expr->height) expr->height = child->height + 1;
}

Expr *expr_done(Parser *p, Expr *expr) {
    expr->span = span_from(p, expr->span.start);
    raise_height(expr, expr->left);
    raise_height(expr, expr->right);
    raise_height(expr, expr->condition);
    for (int i = 0; i < expr->num_items; i++) raise_height(expr, expr->items[i]);
    for (int i = 0; i < expr->num_args; i++) raise_height(expr, expr->args[i].value);
    for (int i = 0; i < expr->num_clauses; i++) {
        raise_height(expr, expr->clauses[i].target);
        raise_height(expr, expr->clauses[i].iterable);
        for (int k = 0; k < expr->clauses[i].num_conditions; k++)
            raise_height(expr, expr->clauses[i].conditions[k]);
    }
    if (expr->function) {
        raise_height(expr, expr->function->lambda_value);
        for (int i = 0; i < expr->function->num_params; i++)
            raise_height(expr, expr->function->params[i].default_value);
    }
    if (expr->height > MAX_EXPR_HEIGHT)
        parse_fail(p, expr->span, "the expression has more than %d operations in a chain",
                   MAX_EXPR_HEIGHT);
    return expr;
}

static void enter(Parser *p) {
    if (++p->depth > MAX_EXPR_DEPTH)
        parse_fail(p, token_span(p), "expressions are nested more than %d deep", MAX_EXPR_DEPTH);
}

void set_items(Expr *expr, const Exprs *items) {
    expr->num_items = items->count;
    expr->items = items->data;
}

/* ---- binary and unary operators ---- */

typedef struct BinaryRow {
    TokenKind token;
    Operator op;
    int binding; /* higher binds tighter */
} BinaryRow;

static const BinaryRow *binary_row(TokenKind kind) {
    static const BinaryRow rows[] = {
        {TOKEN_BIT_OR, OPERATOR_OR, 1},   {TOKEN_BIT_XOR, OPERATOR_XOR, 2},
        {TOKEN_BIT_AND, OPERATOR_AND, 3}, {TOKEN_SHL, OPERATOR_SHL, 4},
        {TOKEN_SHR, OPERATOR_SHR, 4},     {TOKEN_ADD, OPERATOR_ADD, 5},
        {TOKEN_SUB, OPERATOR_SUB, 5},     {TOKEN_MUL, OPERATOR_MUL, 6},
        {TOKEN_DIV, OPERATOR_DIV, 6},     {TOKEN_FLOORDIV, OPERATOR_FLOORDIV, 6},
        {TOKEN_MOD, OPERATOR_MOD, 6},     {TOKEN_AT, OPERATOR_MATMUL, 6},
    };
    for (int i = 0; i < COUNT(rows); i++)
        if (rows[i].token == kind) return &rows[i];
    return NULL;
}

static Expr *parse_unary(Parser *p);

static Expr *parse_power(Parser *p) {
    int start = p->token.start;
    Expr *left;
    if (at(p, TOKEN_AWAIT)) {
        left = expr_new(p, EXPR_AWAIT, start);
        advance(p);
        left->left = parse_primary(p);
        expr_done(p, left);
    } else {
        left = parse_primary(p);
    }
    if (!at(p, TOKEN_POW)) return left;
    Expr *power = expr_new(p, EXPR_BINARY, start);
    power->op = OPERATOR_POW, power->caret = p->token.start;
    advance(p);
    power->left = left;
    power->right = parse_unary(p);
    return expr_done(p, power);
}

static Expr *parse_unary(Parser *p) {
    Operator op = at(p, TOKEN_SUB)   ? OPERATOR_NEG
                  : at(p, TOKEN_ADD) ? OPERATOR_POS
                                     : OPERATOR_INVERT;
    if (!at(p, TOKEN_SUB) && !at(p, TOKEN_ADD) && !at(p, TOKEN_INVERT)) {
        enter(p);
        Expr *power = parse_power(p);
        p->depth--;
        return power;
    }
    Expr *expr = expr_new(p, EXPR_UNARY, p->token.start);
    expr->op = op;
    enter(p);
    advance(p);
    expr->left = parse_unary(p);
    p->depth--;
    return expr_done(p, expr);
}

static Expr *parse_operators(Parser *p, int least) {
    int start = p->token.start;
    Expr *left = parse_unary(p);
    for (;;) {
        const BinaryRow *row = binary_row(p->token.kind);
        if (!row || row->binding < least) return left;
        Expr *expr = expr_new(p, EXPR_BINARY, start);
        expr->op = row->op, expr->caret = p->token.start, expr->left = left;
        advance(p);
        expr->right = parse_operators(p, row->binding + 1);
        left = expr_done(p, expr);
    }
}

Expr *parse_binary(Parser *p) { return parse_operators(p, 1); }

Expr *parse_arithmetic(Parser *p) { return parse_operators(p, binary_row(TOKEN_ADD)->binding); }

/* ---- comparisons, not, and, or ---- */

static bool accept_comparison(Parser *p, Operator *op) {
    static const struct {
        TokenKind kind;
        Operator op;
    } rows[] = {{TOKEN_LT, OPERATOR_LT}, {TOKEN_LE, OPERATOR_LE}, {TOKEN_GT, OPERATOR_GT},
                {TOKEN_GE, OPERATOR_GE}, {TOKEN_EQ, OPERATOR_EQ}, {TOKEN_NE, OPERATOR_NE},
                {TOKEN_IN, OPERATOR_IN}};
    for (int i = 0; i < COUNT(rows); i++)
        if (take_if(p, rows[i].kind)) return *op = rows[i].op, true;
    if (take_if(p, TOKEN_IS)) {
        *op = take_if(p, TOKEN_NOT) ? OPERATOR_IS_NOT : OPERATOR_IS;
        return true;
    }
    if (!take_if(p, TOKEN_NOT)) return false;
    expect(p, TOKEN_IN, "after 'not'");
    *op = OPERATOR_NOT_IN;
    return true;
}

static Expr *parse_comparison(Parser *p) {
    int start = p->token.start, caret = 0;
    Expr *left = parse_binary(p);
    VEC(Operator) operators = {0};
    Exprs items = {0};
    for (;;) {
        Operator op;
        int where = p->token.start;
        if (!accept_comparison(p, &op)) break;
        if (!items.count) caret = where;
        vec_push(p->arena, &operators, op);
        vec_push(p->arena, &items, parse_binary(p));
    }
    if (!items.count) return left;
    Expr *expr = expr_new(p, EXPR_COMPARE, start);
    expr->left = left, expr->caret = caret, expr->op = operators.data[0];
    expr->operators = operators.data;
    set_items(expr, &items);
    return expr_done(p, expr);
}

static Expr *parse_not(Parser *p) {
    if (!at(p, TOKEN_NOT)) return parse_comparison(p);
    Expr *expr = expr_new(p, EXPR_NOT, p->token.start);
    enter(p);
    advance(p);
    expr->left = parse_not(p);
    p->depth--;
    return expr_done(p, expr);
}

static Expr *parse_and(Parser *p) {
    int start = p->token.start, caret = 0;
    Expr *first = parse_not(p);
    if (!at(p, TOKEN_AND)) return first;
    Exprs items = {0};
    caret = p->token.start;
    vec_push(p->arena, &items, first);
    while (take_if(p, TOKEN_AND)) vec_push(p->arena, &items, parse_not(p));
    Expr *expr = expr_new(p, EXPR_AND, start);
    expr->caret = caret;
    set_items(expr, &items);
    return expr_done(p, expr);
}

Expr *parse_or_test(Parser *p) {
    int start = p->token.start, caret = 0;
    Expr *first = parse_and(p);
    if (!at(p, TOKEN_OR)) return first;
    Exprs items = {0};
    caret = p->token.start;
    vec_push(p->arena, &items, first);
    while (take_if(p, TOKEN_OR)) vec_push(p->arena, &items, parse_and(p));
    Expr *expr = expr_new(p, EXPR_OR, start);
    expr->caret = caret;
    set_items(expr, &items);
    return expr_done(p, expr);
}

/* ---- ternary, :=, tuples ---- */

Expr *parse_test(Parser *p) {
    enter(p);
    int start = p->token.start;
    Expr *result;
    if (at(p, TOKEN_LAMBDA)) {
        result = parse_lambda(p);
    } else {
        result = parse_or_test(p);
        if (at(p, TOKEN_IF)) {
            Expr *expr = expr_new(p, EXPR_TERNARY, start);
            expr->caret = p->token.start, expr->left = result;
            advance(p);
            expr->condition = parse_or_test(p);
            expect(p, TOKEN_ELSE, "of the conditional expression");
            expr->right = parse_test(p);
            result = expr_done(p, expr);
        }
    }
    p->depth--;
    return result;
}

Expr *parse_named(Parser *p) {
    int start = p->token.start;
    Expr *value = parse_test(p);
    if (!at(p, TOKEN_WALRUS)) return value;
    if (value->kind != EXPR_NAME) parse_fail(p, value->span, "expected a name before ':='");
    advance(p);
    Expr *expr = expr_new(p, EXPR_WALRUS, start);
    expr->text = value->text;
    expr->left = parse_test(p);
    return expr_done(p, expr);
}

static Expr *parse_starred(Parser *p) {
    Expr *expr = expr_new(p, EXPR_STARRED, p->token.start);
    advance(p);
    expr->left = parse_binary(p);
    return expr_done(p, expr);
}

Expr *parse_star_or_named(Parser *p) {
    return at(p, TOKEN_MUL) ? parse_starred(p) : parse_named(p);
}

/* Can the token after a comma begin one more item? */
static bool starts_expr(const Parser *p) {
    static const TokenKind kinds[] = {TOKEN_NAME,     TOKEN_INT,    TOKEN_FLOAT,    TOKEN_IMAGINARY,
                                      TOKEN_STRING,   TOKEN_FALSE,  TOKEN_TRUE,     TOKEN_NONE,
                                      TOKEN_ELLIPSIS, TOKEN_LPAREN, TOKEN_LBRACKET, TOKEN_LBRACE,
                                      TOKEN_SUB,      TOKEN_ADD,    TOKEN_INVERT,   TOKEN_NOT,
                                      TOKEN_LAMBDA,   TOKEN_AWAIT,  TOKEN_MUL,      TOKEN_ERROR};
    for (int i = 0; i < COUNT(kinds); i++)
        if (at(p, kinds[i])) return true;
    return false;
}

static Expr *parse_list(Parser *p, Expr *item(Parser *)) {
    int start = p->token.start;
    Expr *first = item(p);
    if (!at(p, TOKEN_COMMA)) return first;
    Exprs items = {0};
    vec_push(p->arena, &items, first);
    while (take_if(p, TOKEN_COMMA) && starts_expr(p)) vec_push(p->arena, &items, item(p));
    Expr *expr = expr_new(p, EXPR_TUPLE, start);
    set_items(expr, &items);
    return expr_done(p, expr);
}

static Expr *parse_star_or_test(Parser *p) {
    return at(p, TOKEN_MUL) ? parse_starred(p) : parse_test(p);
}

Expr *parse_tests(Parser *p) { return parse_list(p, parse_star_or_test); }

Expr *parse_subject(Parser *p) { return parse_list(p, parse_star_or_named); }

Expr *parse_value(Parser *p) {
    if (!at(p, TOKEN_YIELD)) return parse_tests(p);
    Expr *expr = expr_new(p, EXPR_YIELD, p->token.start);
    advance(p);
    if (take_if(p, TOKEN_FROM)) {
        expr->text = STR("from");
        expr->left = parse_test(p);
    } else if (starts_expr(p)) {
        expr->left = parse_tests(p);
    }
    return expr_done(p, expr);
}

static Expr *parse_target(Parser *p) {
    return at(p, TOKEN_MUL) ? parse_starred(p) : parse_binary(p);
}

Expr *parse_targets(Parser *p) { return parse_list(p, parse_target); }

static const char *what_it_is(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAGINARY:
    case EXPR_STRING:
    case EXPR_BYTES: return "a literal";
    case EXPR_FSTRING:
    case EXPR_FORMAT: return "an f-string";
    case EXPR_TRUE: return "True";
    case EXPR_FALSE: return "False";
    case EXPR_NONE: return "None";
    case EXPR_ELLIPSIS: return "an ellipsis";
    case EXPR_CALL: return "a function call";
    case EXPR_COMPARE: return "a comparison";
    case EXPR_SET: return "a set";
    case EXPR_DICT: return "a dict";
    case EXPR_TERNARY: return "a conditional expression";
    case EXPR_LAMBDA: return "a lambda";
    case EXPR_COMPREHENSION: return "a comprehension";
    case EXPR_AWAIT:
    case EXPR_YIELD: return "await or yield";
    case EXPR_ABSENT:
    case EXPR_NAME:
    case EXPR_TUPLE:
    case EXPR_LIST:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_ATTRIBUTE:
    case EXPR_SUBSCRIPT:
    case EXPR_SLICE:
    case EXPR_STARRED:
    case EXPR_WALRUS: break;
    }
    return "an expression";
}

void check_target(Parser *p, const Expr *expr, const char *how) {
    switch (expr->kind) {
    case EXPR_NAME:
    case EXPR_ATTRIBUTE:
    case EXPR_SUBSCRIPT: return;
    case EXPR_STARRED: check_target(p, expr->left, how); return;
    case EXPR_TUPLE:
    case EXPR_LIST:
        for (int i = 0; i < expr->num_items; i++) check_target(p, expr->items[i], how);
        return;
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAGINARY:
    case EXPR_STRING:
    case EXPR_BYTES:
    case EXPR_FSTRING:
    case EXPR_FORMAT:
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_NONE:
    case EXPR_ELLIPSIS:
    case EXPR_SET:
    case EXPR_DICT:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_COMPARE:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_TERNARY:
    case EXPR_CALL:
    case EXPR_SLICE:
    case EXPR_LAMBDA:
    case EXPR_COMPREHENSION:
    case EXPR_WALRUS:
    case EXPR_AWAIT:
    case EXPR_YIELD:
    case EXPR_ABSENT: break;
    }
    parse_fail(p, expr->span, "cannot %s %s", how, what_it_is(expr));
}
