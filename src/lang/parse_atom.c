// SPDX-License-Identifier: Apache-2.0
/* parse_atom: names, numbers, displays and comprehensions, and what can follow an atom. */
#include "lang/parse.h"

#include <errno.h>
#include <stdlib.h>

/* ---- numbers ---- */

static Str without_underscores(Parser *p, Str text) {
    if (!memchr(text.data, '_', (size_t)text.length)) return str_copy(p->arena, text);
    Buf out = {.arena = p->arena};
    for (int i = 0; i < text.length; i++)
        if (text.data[i] != '_') buf_putc(&out, text.data[i]);
    return buf_str(&out);
}

static Expr *parse_number(Parser *p) {
    ExprKind kind = at(p, TOKEN_INT) ? EXPR_INT : at(p, TOKEN_FLOAT) ? EXPR_FLOAT : EXPR_IMAGINARY;
    Expr *expr = expr_new(p, kind, p->token.start);
    expr->text = token_str(p, p->token);
    Str digits = without_underscores(p, expr->text);
    if (kind != EXPR_INT) {
        /* The C library's strtod follows the locale; the library never sets one, so "." it is. */
        expr->number = strtod(digits.data, NULL);
    } else {
        char second = digits.length > 1 ? (char)(digits.data[1] | 0x20) : ' ';
        int base = second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
        errno = 0;
        expr->integer = strtoll(digits.data + (base == 10 ? 0 : 2), NULL, base);
        expr->too_large = errno == ERANGE;
        errno = 0;
    }
    advance(p);
    return expr_done(p, expr);
}

/* ---- comprehensions ---- */

static Clause parse_clause(Parser *p) {
    Clause clause = {0};
    take_if(p, TOKEN_ASYNC);
    expect(p, TOKEN_FOR, "of the comprehension");
    clause.target = parse_targets(p);
    check_target(p, clause.target, "assign to");
    expect(p, TOKEN_IN, "after the target of the comprehension");
    clause.iterable = parse_or_test(p);
    Exprs conditions = {0};
    while (take_if(p, TOKEN_IF)) vec_push(p->arena, &conditions, parse_or_test(p));
    clause.num_conditions = conditions.count;
    clause.conditions = conditions.data;
    return clause;
}

static bool at_clause(const Parser *p) { return at(p, TOKEN_FOR) || at(p, TOKEN_ASYNC); }

static Expr *parse_comprehension(Parser *p, Expr *value, Expr *second, const char *what,
                                 int start) {
    Expr *expr = expr_new(p, EXPR_COMPREHENSION, start);
    expr->left = value, expr->right = second;
    expr->text = str_of(what);
    VEC(Clause) clauses = {0};
    while (at_clause(p)) vec_push(p->arena, &clauses, parse_clause(p));
    expr->num_clauses = clauses.count;
    expr->clauses = clauses.data;
    return expr_done(p, expr);
}

/* ---- brackets ---- */

static void expect_closing(Parser *p, TokenKind close, const char *of) {
    if (take_if(p, close)) return;
    unexpected(p, str_format(p->arena, "',' or '%s' %s", token_text(close), of).data);
}

/* (), (a), (a, b), (yield), (x for ..) */
static Expr *parse_parenthesised(Parser *p) {
    int start = p->token.start;
    advance(p);
    Expr *expr;
    if (at(p, TOKEN_RPAREN)) {
        expr = expr_new(p, EXPR_TUPLE, start);
    } else if (at(p, TOKEN_YIELD)) {
        expr = parse_value(p);
    } else {
        expr = parse_star_or_named(p);
        if (at_clause(p)) {
            expr = parse_comprehension(p, expr, NULL, "generator", start);
        } else if (at(p, TOKEN_COMMA)) {
            Exprs items = {0};
            vec_push(p->arena, &items, expr);
            while (take_if(p, TOKEN_COMMA) && !at(p, TOKEN_RPAREN))
                vec_push(p->arena, &items, parse_star_or_named(p));
            expr = expr_new(p, EXPR_TUPLE, start);
            set_items(expr, &items);
        } else if (expr->kind == EXPR_STARRED) {
            parse_fail(p, expr->span, "a starred expression cannot stand alone in parentheses");
        }
    }
    expect_closing(p, TOKEN_RPAREN, "after the expression in parentheses");
    bool whole = expr->span.start == start;
    return whole && (expr->kind == EXPR_TUPLE || expr->kind == EXPR_COMPREHENSION)
               ? expr_done(p, expr)
               : expr;
}

static Expr *parse_list_display(Parser *p) {
    int start = p->token.start;
    advance(p);
    Expr *expr = expr_new(p, EXPR_LIST, start);
    Exprs items = {0};
    while (!at(p, TOKEN_RBRACKET)) {
        vec_push(p->arena, &items, parse_star_or_named(p));
        if (items.count == 1 && at_clause(p)) {
            expr = parse_comprehension(p, items.data[0], NULL, "list", start);
            items.count = 0;
            break;
        }
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect_closing(p, TOKEN_RBRACKET, "after an item of the list");
    if (expr->kind == EXPR_LIST) set_items(expr, &items);
    return expr_done(p, expr);
}

static void parse_dict_item(Parser *p, Exprs *items, Expr *key) {
    if (!key && take_if(p, TOKEN_POW)) {
        vec_push(p->arena, items, NULL);
        vec_push(p->arena, items, parse_binary(p));
        return;
    }
    vec_push(p->arena, items, key ? key : parse_test(p));
    expect(p, TOKEN_COLON, "after the key");
    vec_push(p->arena, items, parse_test(p));
}

static Expr *parse_dict(Parser *p, Expr *key, int start) {
    Expr *expr = expr_new(p, EXPR_DICT, start);
    Exprs items = {0};
    parse_dict_item(p, &items, key);
    if (at_clause(p) && items.data[0]) {
        expr = parse_comprehension(p, items.data[0], items.data[1], "dict", start);
    } else {
        while (take_if(p, TOKEN_COMMA) && !at(p, TOKEN_RBRACE)) parse_dict_item(p, &items, NULL);
        set_items(expr, &items);
    }
    expect_closing(p, TOKEN_RBRACE, "after an item of the dict");
    return expr_done(p, expr);
}

static Expr *parse_braces(Parser *p) {
    int start = p->token.start;
    advance(p);
    Expr *expr = expr_new(p, EXPR_DICT, start);
    if (take_if(p, TOKEN_RBRACE)) return expr_done(p, expr);
    if (at(p, TOKEN_POW)) return parse_dict(p, NULL, start);
    Expr *first = parse_star_or_named(p);
    if (at(p, TOKEN_COLON)) return parse_dict(p, first, start);
    if (at_clause(p)) {
        expr = parse_comprehension(p, first, NULL, "set", start);
    } else {
        Exprs items = {0};
        expr->kind = EXPR_SET;
        vec_push(p->arena, &items, first);
        while (take_if(p, TOKEN_COMMA) && !at(p, TOKEN_RBRACE))
            vec_push(p->arena, &items, parse_star_or_named(p));
        set_items(expr, &items);
    }
    expect_closing(p, TOKEN_RBRACE, "after an item of the set");
    return expr_done(p, expr);
}

static Expr *parse_word(Parser *p, ExprKind kind) {
    Expr *expr = expr_new(p, kind, p->token.start);
    expr->text = token_str(p, p->token);
    advance(p);
    return expr_done(p, expr);
}

static Expr *parse_atom(Parser *p) {
    static const struct {
        TokenKind kind;
        ExprKind word;
    } words[] = {{TOKEN_NAME, EXPR_NAME},
                 {TOKEN_TRUE, EXPR_TRUE},
                 {TOKEN_FALSE, EXPR_FALSE},
                 {TOKEN_NONE, EXPR_NONE},
                 {TOKEN_ELLIPSIS, EXPR_ELLIPSIS}};
    static const struct {
        TokenKind kind;
        Expr *(*parse)(Parser *);
    } others[] = {{TOKEN_INT, parse_number},           {TOKEN_FLOAT, parse_number},
                  {TOKEN_IMAGINARY, parse_number},     {TOKEN_STRING, parse_strings},
                  {TOKEN_LPAREN, parse_parenthesised}, {TOKEN_LBRACKET, parse_list_display},
                  {TOKEN_LBRACE, parse_braces}};
    for (int i = 0; i < COUNT(words); i++)
        if (at(p, words[i].kind)) return parse_word(p, words[i].word);
    for (int i = 0; i < COUNT(others); i++)
        if (at(p, others[i].kind)) return others[i].parse(p);
    unexpected(p, "an expression");
}

/* ---- calls and subscripts ---- */

static Argument parse_argument(Parser *p, bool *saw_name, bool *saw_double_star) {
    Argument arg = {.span = token_span(p)};
    int start = p->token.start;
    if (at(p, TOKEN_MUL) || at(p, TOKEN_POW)) {
        arg.stars = at(p, TOKEN_MUL) ? 1 : 2;
        if (arg.stars == 1 && *saw_double_star)
            parse_fail(p, arg.span, "an argument with '*' after one with '**'");
        *saw_double_star |= arg.stars == 2;
        advance(p);
        arg.value = parse_test(p);
    } else {
        arg.value = parse_named(p);
        if (at_clause(p)) {
            arg.value = parse_comprehension(p, arg.value, NULL, "generator", start);
        } else if (at(p, TOKEN_ASSIGN)) {
            if (arg.value->kind != EXPR_NAME)
                parse_fail(p, arg.value->span,
                           "expected a parameter's name before '='; to compare, write '=='");
            advance(p);
            arg.name = arg.value->text;
            *saw_name = true;
            arg.value = parse_test(p);
        } else if (*saw_double_star) {
            parse_fail(p, arg.value->span, "a positional argument after one with '**'");
        } else if (*saw_name) {
            parse_fail(p, arg.value->span, "a positional argument after one with a name");
        }
    }
    arg.span = span_from(p, start);
    return arg;
}

void parse_call_args(Parser *p, int *num_args, Argument **args) {
    VEC(Argument) list = {0};
    Map names = {.arena = p->arena};
    bool saw_name = false, saw_double_star = false;
    while (!at(p, TOKEN_RPAREN)) {
        Argument arg = parse_argument(p, &saw_name, &saw_double_star);
        if (arg.name.length && map_get(&names, arg.name))
            parse_fail(p, arg.span, "argument '%.*s' is given twice", STR_ARG(arg.name));
        if (arg.name.length) map_set(&names, arg.name, p);
        vec_push(p->arena, &list, arg);
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect_closing(p, TOKEN_RPAREN, "after an argument");
    *num_args = list.count;
    *args = list.data;
}

static Expr *parse_subscript_item(Parser *p) {
    int start = p->token.start;
    Expr *first = at(p, TOKEN_COLON) ? NULL : parse_star_or_named(p);
    if (!at(p, TOKEN_COLON)) return first;
    Expr *slice = expr_new(p, EXPR_SLICE, start);
    slice->left = first;
    advance(p);
    if (!at(p, TOKEN_COLON) && !at(p, TOKEN_COMMA) && !at(p, TOKEN_RBRACKET))
        slice->right = parse_test(p);
    if (take_if(p, TOKEN_COLON) && !at(p, TOKEN_COMMA) && !at(p, TOKEN_RBRACKET))
        slice->condition = parse_test(p);
    return expr_done(p, slice);
}

static Expr *parse_subscript(Parser *p) {
    int start = p->token.start;
    if (at(p, TOKEN_RBRACKET)) unexpected(p, "an index");
    Expr *first = parse_subscript_item(p);
    if (!at(p, TOKEN_COMMA) && first->kind != EXPR_STARRED) return first;
    Exprs items = {0};
    vec_push(p->arena, &items, first);
    while (take_if(p, TOKEN_COMMA) && !at(p, TOKEN_RBRACKET))
        vec_push(p->arena, &items, parse_subscript_item(p));
    Expr *tuple = expr_new(p, EXPR_TUPLE, start);
    set_items(tuple, &items);
    return expr_done(p, tuple);
}

Expr *parse_primary(Parser *p) {
    int start = p->token.start;
    Expr *left = parse_atom(p);
    for (;;) {
        Expr *expr;
        int caret = p->token.start;
        if (take_if(p, TOKEN_DOT)) {
            expr = expr_new(p, EXPR_ATTRIBUTE, start);
            caret = p->token.start;
            expr->text = expect_name(p, "a name after '.'");
        } else if (take_if(p, TOKEN_LPAREN)) {
            expr = expr_new(p, EXPR_CALL, start);
            parse_call_args(p, &expr->num_args, &expr->args);
        } else if (take_if(p, TOKEN_LBRACKET)) {
            expr = expr_new(p, EXPR_SUBSCRIPT, start);
            expr->right = parse_subscript(p);
            expect_closing(p, TOKEN_RBRACKET, "after the index");
        } else {
            return left;
        }
        expr->left = left, expr->caret = caret;
        left = expr_done(p, expr);
    }
}
