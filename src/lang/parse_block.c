// SPDX-License-Identifier: Apache-2.0
/* parse_block: statements that hold others. */
#include "lang/parse.h"

Block parse_block(Parser *p, const char *after, Span *header) {
    expect(p, TOKEN_COLON, after);
    if (header) header->end = p->last_end;
    Stmts stmts = {0};
    if (!take_if(p, TOKEN_NEWLINE)) {
        if (at(p, TOKEN_END)) unexpected(p, str_format(p->arena, "a block %s", after).data);
        parse_simple_line(p, &stmts);
        return (Block){stmts.count, stmts.data};
    }
    if (!take_if(p, TOKEN_INDENT))
        unexpected(p, str_format(p->arena, "an indented block %s", after).data);
    while (!take_if(p, TOKEN_DEDENT)) {
        if (at(p, TOKEN_INDENT))
            parse_fail(p, token_span(p), "this line is indented more than its block");
        parse_statement(p, &stmts);
    }
    return (Block){stmts.count, stmts.data};
}

static Block parse_loop_body(Parser *p, const char *after, Span *header) {
    bool in_loop = p->in_loop;
    p->in_loop = true;
    Block body = parse_block(p, after, header);
    p->in_loop = in_loop;
    return body;
}

static Block parse_else(Parser *p) {
    if (!take_if(p, TOKEN_ELSE)) return (Block){0};
    return parse_block(p, "after 'else'", NULL);
}

/* elif by elif in a loop: a long chain does not recurse here. */
static Stmt *parse_if(Parser *p) {
    Stmt *first = NULL, *last = NULL;
    for (int count = 0;; count++) {
        bool is_elif = at(p, TOKEN_ELIF);
        if (count && !is_elif) break;
        if (count > MAX_ELIFS)
            parse_fail(p, token_span(p), "more than %d 'elif' in a row", MAX_ELIFS);
        Stmt *stmt = stmt_new(p, STMT_IF, p->token.start);
        advance(p);
        stmt->value = parse_named(p);
        if (at(p, TOKEN_ASSIGN))
            parse_fail(p, token_span(p), "'=' in a condition: to compare, write '=='");
        stmt->body = parse_block(p, is_elif ? "after 'elif' condition" : "after 'if' condition",
                                 &stmt->span);
        if (last) {
            last->orelse = (Block){1, arena_array(p->arena, Stmt *, 1)};
            last->orelse.stmts[0] = stmt;
        } else {
            first = stmt;
        }
        last = stmt;
    }
    last->orelse = parse_else(p);
    return first;
}

static Stmt *parse_while(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_WHILE, p->token.start);
    advance(p);
    stmt->value = parse_named(p);
    stmt->body = parse_loop_body(p, "after 'while' condition", &stmt->span);
    stmt->orelse = parse_else(p);
    return stmt;
}

static Stmt *parse_for(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_FOR, p->token.start);
    advance(p);
    stmt->num_targets = 1;
    stmt->targets = arena_array(p->arena, Expr *, 1);
    stmt->targets[0] = parse_targets(p);
    check_target(p, stmt->targets[0], "assign to");
    expect(p, TOKEN_IN, "after the target of 'for'");
    stmt->value = parse_tests(p);
    stmt->body = parse_loop_body(p, "after 'for' header", &stmt->span);
    stmt->orelse = parse_else(p);
    return stmt;
}

/* except* takes exceptions out of groups, which are not there: its type has no meaning. */
static Handler parse_handler(Parser *p) {
    Handler handler = {0};
    int start = p->token.start;
    advance(p);
    bool is_group = take_if(p, TOKEN_MUL);
    if (is_group || !at(p, TOKEN_COLON)) {
        handler.type = parse_tests(p);
        if (is_group) handler.type = expr_done(p, expr_new(p, EXPR_ABSENT, start));
        if (take_if(p, TOKEN_AS)) handler.name = expect_name(p, "a name after 'as'");
    }
    handler.body = parse_block(p, "after 'except'", NULL);
    return handler;
}

static Stmt *parse_try(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_TRY, p->token.start);
    advance(p);
    stmt->body = parse_block(p, "after 'try'", &stmt->span);
    VEC(Handler) handlers = {0};
    while (at(p, TOKEN_EXCEPT)) vec_push(p->arena, &handlers, parse_handler(p));
    stmt->num_handlers = handlers.count;
    stmt->handlers = handlers.data;
    if (handlers.count) stmt->orelse = parse_else(p);
    if (take_if(p, TOKEN_FINALLY))
        stmt->finally = parse_block(p, "after 'finally'", NULL);
    else if (!handlers.count)
        unexpected(p, "'except' or 'finally' after the 'try' block");
    return stmt;
}

/* `with (a as b, c):` and not `with (a, b) as c:` or `with (f)(x):`: the bracket closes right
 * before the ':', and holds an `as` or a comma of its own. */
static bool with_items_in_brackets(const Parser *p) {
    if (!at(p, TOKEN_LPAREN)) return false;
    Lexer ahead = p->lexer;
    int depth = 1;
    bool items = false;
    while (depth) {
        TokenKind kind = lexer_next(&ahead).kind;
        if (kind == TOKEN_ERROR || kind == TOKEN_END) return false;
        if (kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE) depth++;
        if (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE) depth--;
        if (kind == TOKEN_AS || kind == TOKEN_COMMA) items |= depth == 1;
    }
    return items && lexer_next(&ahead).kind == TOKEN_COLON;
}

static Stmt *parse_with(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_WITH, p->token.start);
    VEC(WithItem) items = {0};
    advance(p);
    bool bracket = with_items_in_brackets(p);
    if (bracket) advance(p);
    do {
        if (bracket && items.count && at(p, TOKEN_RPAREN)) break;
        WithItem item = {.value = parse_test(p)};
        if (take_if(p, TOKEN_AS)) {
            item.target = parse_primary(p);
            check_target(p, item.target, "assign to");
        }
        vec_push(p->arena, &items, item);
    } while (take_if(p, TOKEN_COMMA));
    if (bracket) expect(p, TOKEN_RPAREN, "after the items of 'with'");
    stmt->num_items = items.count;
    stmt->items = items.data;
    stmt->body = parse_block(p, "after 'with' header", &stmt->span);
    return stmt;
}

static Stmt *parse_async(Parser *p, int num_decorators, Expr **decorators) {
    int start = p->token.start;
    Stmt *stmt = NULL;
    Span span = token_span(p);
    advance(p);
    if (!at(p, TOKEN_DEF) && !p->in_async)
        parse_fail(p, span, "'async' without 'def' outside an async function");
    if (at(p, TOKEN_DEF))
        stmt = parse_def(p, num_decorators, decorators, true);
    else if (at(p, TOKEN_FOR) && !num_decorators)
        stmt = parse_for(p);
    else if (at(p, TOKEN_WITH) && !num_decorators)
        stmt = parse_with(p);
    else
        unexpected(p, "'def', 'for' or 'with' after 'async'");
    stmt->span.start = start;
    return stmt;
}

static Stmt *parse_decorated(Parser *p) {
    Exprs decorators = {0};
    while (take_if(p, TOKEN_AT)) {
        vec_push(p->arena, &decorators, parse_named(p));
        if (!take_if(p, TOKEN_NEWLINE)) unexpected(p, "a newline after the decorator");
    }
    if (at(p, TOKEN_DEF)) return parse_def(p, decorators.count, decorators.data, false);
    if (at(p, TOKEN_ASYNC)) return parse_async(p, decorators.count, decorators.data);
    if (at(p, TOKEN_CLASS)) return parse_class(p, decorators.count, decorators.data);
    unexpected(p, "'def' or 'class' after the decorator");
}

static Stmt *parse_plain_def(Parser *p) { return parse_def(p, 0, NULL, false); }
static Stmt *parse_plain_class(Parser *p) { return parse_class(p, 0, NULL); }
static Stmt *parse_plain_async(Parser *p) { return parse_async(p, 0, NULL); }

void parse_statement(Parser *p, Stmts *stmts) {
    static const struct {
        TokenKind kind;
        Stmt *(*parse)(Parser *);
    } rows[] = {{TOKEN_IF, parse_if},
                {TOKEN_WHILE, parse_while},
                {TOKEN_FOR, parse_for},
                {TOKEN_TRY, parse_try},
                {TOKEN_WITH, parse_with},
                {TOKEN_DEF, parse_plain_def},
                {TOKEN_CLASS, parse_plain_class},
                {TOKEN_AT, parse_decorated},
                {TOKEN_ASYNC, parse_plain_async}};
    static const TokenKind followers[] = {TOKEN_ELIF, TOKEN_ELSE, TOKEN_EXCEPT, TOKEN_FINALLY};
    for (int i = 0; i < COUNT(rows); i++)
        if (at(p, rows[i].kind)) {
            vec_push(p->arena, stmts, rows[i].parse(p));
            return;
        }
    for (int i = 0; i < COUNT(followers); i++)
        if (at(p, followers[i]))
            parse_fail(p, token_span(p), "'%s' belongs to no statement before it",
                       token_text(p->token.kind));
    if (at_match(p))
        vec_push(p->arena, stmts, parse_match(p));
    else
        parse_simple_line(p, stmts);
}
