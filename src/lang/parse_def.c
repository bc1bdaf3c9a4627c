// SPDX-License-Identifier: Apache-2.0
/* parse_def: functions, lambdas and classes. */
#include "lang/parse.h"

/* ---- parameters ---- */

typedef struct Params {
    VEC(ParamDef) list;
    Map names;
    bool saw_default, saw_star, saw_slash, saw_double_star;
    bool annotated; /* of a def, not of a lambda */
} Params;

static void parse_param(Parser *p, Params *params, ParamKind kind) {
    ParamDef param = {.kind = kind, .span = token_span(p)};
    param.name = expect_name(p, "a parameter's name");
    if (map_get(&params->names, param.name))
        parse_fail(p, param.span, "parameter '%.*s' is there twice", STR_ARG(param.name));
    map_set(&params->names, param.name, p);
    if (params->annotated && take_if(p, TOKEN_COLON))
        param.annotation = kind == PARAM_STAR ? parse_star_or_named(p) : parse_test(p);
    if (at(p, TOKEN_ASSIGN)) {
        if (kind == PARAM_STAR || kind == PARAM_STAR_STAR)
            parse_fail(p, token_span(p), "'%s%.*s' cannot have a default",
                       kind == PARAM_STAR ? "*" : "**", STR_ARG(param.name));
        advance(p);
        param.default_value = parse_test(p);
        params->saw_default |= kind == PARAM_NORMAL;
    } else if (kind == PARAM_NORMAL && params->saw_default) {
        parse_fail(p, param.span, "parameter '%.*s' without a default follows one with a default",
                   STR_ARG(param.name));
    }
    vec_push(p->arena, &params->list, param);
}

static void parse_slash(Parser *p, Params *params) {
    if (params->saw_slash || params->saw_star || !params->list.count)
        parse_fail(p, token_span(p), "'/' must follow the positional parameters, once");
    params->saw_slash = true;
    advance(p);
    for (int i = 0; i < params->list.count; i++) params->list.data[i].kind = PARAM_POSITIONAL_ONLY;
}

static void parse_star(Parser *p, Params *params, TokenKind close) {
    Span star = token_span(p);
    if (params->saw_star) parse_fail(p, star, "only one '*' can be among the parameters");
    params->saw_star = true;
    advance(p);
    if (!at(p, TOKEN_COMMA)) {
        if (at(p, close)) parse_fail(p, star, "expected a parameter's name after '*'");
        parse_param(p, params, PARAM_STAR);
        return;
    }
    Lexer ahead = p->lexer;
    TokenKind next = lexer_next(&ahead).kind;
    if (next == close || next == TOKEN_POW)
        parse_fail(p, star, "expected a named parameter after '*'");
}

static void parse_params(Parser *p, TokenKind close, bool annotated, FunctionDef *function) {
    Params params = {.names = {.arena = p->arena}, .annotated = annotated};
    while (!at(p, close)) {
        if (params.saw_double_star) parse_fail(p, token_span(p), "no parameter can follow '**'");
        if (at(p, TOKEN_DIV)) {
            parse_slash(p, &params);
        } else if (at(p, TOKEN_MUL)) {
            parse_star(p, &params, close);
        } else if (take_if(p, TOKEN_POW)) {
            params.saw_double_star = true;
            parse_param(p, &params, PARAM_STAR_STAR);
        } else {
            parse_param(p, &params, params.saw_star ? PARAM_KEYWORD_ONLY : PARAM_NORMAL);
        }
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    function->num_params = params.list.count;
    function->params = params.list.data;
}

/* [T, *Ts, **P, U: int = str] of a generic def, class or alias: nothing here depends on them. */
void parse_type_params(Parser *p) {
    if (!take_if(p, TOKEN_LBRACKET)) return;
    while (!at(p, TOKEN_RBRACKET)) {
        if (!take_if(p, TOKEN_MUL)) take_if(p, TOKEN_POW);
        expect_name(p, "a type parameter");
        if (take_if(p, TOKEN_COLON)) parse_test(p);
        if (take_if(p, TOKEN_ASSIGN)) parse_star_or_named(p);
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect(p, TOKEN_RBRACKET, "after the type parameters");
}

/* ---- functions ---- */

Expr *parse_lambda(Parser *p) {
    Expr *expr = expr_new(p, EXPR_LAMBDA, p->token.start);
    FunctionDef *function = arena_new_of(p->arena, FunctionDef);
    bool in_function = p->in_function;
    function->name = STR("<lambda>");
    function->name_span = token_span(p);
    advance(p);
    parse_params(p, TOKEN_COLON, false, function);
    expect(p, TOKEN_COLON, "after the parameters of 'lambda'");
    function->span = span_from(p, expr->span.start);
    p->in_function = true;
    function->lambda_value = parse_test(p);
    p->in_function = in_function;
    function->whole = span_from(p, expr->span.start);
    expr->function = function;
    return expr_done(p, expr);
}

Stmt *parse_def(Parser *p, int num_decorators, Expr **decorators, bool is_async) {
    int start = p->token.start;
    Stmt *stmt = stmt_new(p, STMT_FUNCTION, start);
    FunctionDef *function = arena_new_of(p->arena, FunctionDef);
    stmt->function = function;
    function->is_async = is_async;
    function->num_decorators = num_decorators;
    function->decorators = decorators;
    advance(p);
    function->name_span = token_span(p);
    function->name = expect_name(p, "a function's name after 'def'");
    parse_type_params(p);
    expect(p, TOKEN_LPAREN, "after the function's name");
    parse_params(p, TOKEN_RPAREN, true, function);
    if (!take_if(p, TOKEN_RPAREN)) unexpected(p, "',' or ')' after a parameter");
    if (take_if(p, TOKEN_ARROW)) function->returns = parse_tests(p);
    bool in_function = p->in_function, in_loop = p->in_loop, in_async = p->in_async;
    p->in_function = true, p->in_loop = false, p->in_async = is_async;
    function->span = (Span){p->source, start, start};
    function->body = parse_block(p, "after the header of the function", &function->span);
    p->in_function = in_function, p->in_loop = in_loop, p->in_async = in_async;
    function->whole = (Span){p->source, start, p->code_end};
    stmt->span = function->span;
    return stmt;
}

Stmt *parse_class(Parser *p, int num_decorators, Expr **decorators) {
    Stmt *stmt = stmt_new(p, STMT_CLASS, p->token.start);
    stmt->num_decorators = num_decorators;
    stmt->decorators = decorators;
    advance(p);
    stmt->name = expect_name(p, "a class's name after 'class'");
    parse_type_params(p);
    if (take_if(p, TOKEN_LPAREN)) parse_call_args(p, &stmt->num_args, &stmt->args);
    bool in_function = p->in_function, in_loop = p->in_loop;
    p->in_function = p->in_loop = false;
    stmt->body = parse_block(p, "after the header of the class", &stmt->span);
    p->in_function = in_function, p->in_loop = in_loop;
    return stmt;
}
