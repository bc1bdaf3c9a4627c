// SPDX-License-Identifier: Apache-2.0
/* parse_stmt: statements of one line. */
#include "lang/parse.h"

Stmt *stmt_new(Parser *p, StmtKind kind, int start) {
    Stmt *stmt = arena_new_of(p->arena, Stmt);
    stmt->kind = kind;
    stmt->span = (Span){p->source, start, start};
    return stmt;
}

static Stmt *keyword_stmt(Parser *p, StmtKind kind) {
    Stmt *stmt = stmt_new(p, kind, p->token.start);
    advance(p);
    return stmt;
}

static bool at_end_of_simple(const Parser *p) {
    return at(p, TOKEN_NEWLINE) || at(p, TOKEN_SEMICOLON) || at(p, TOKEN_END);
}

/* ---- imports ---- */

static Str dotted_name(Parser *p, const char *what) {
    Str first = expect_name(p, what);
    if (!at(p, TOKEN_DOT)) return first;
    Buf path = {.arena = p->arena};
    buf_add(&path, first.data, (size_t)first.length);
    while (take_if(p, TOKEN_DOT)) {
        Str name = expect_name(p, "a name after '.'");
        buf_putc(&path, '.');
        buf_add(&path, name.data, (size_t)name.length);
    }
    return buf_str(&path);
}

static void accept_alias(Parser *p, ImportName *name) {
    if (!take_if(p, TOKEN_AS)) return;
    name->alias = expect_name(p, "a name after 'as'");
    name->has_alias = true;
}

static void set_names(Stmt *stmt, int count, ImportName *names) {
    stmt->num_names = count;
    stmt->names = names;
}

static Stmt *parse_import(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_IMPORT);
    VEC(ImportName) names = {0};
    do {
        int start = p->token.start;
        ImportName name = {.path = dotted_name(p, "a module's name after 'import'")};
        const char *dot = memchr(name.path.data, '.', (size_t)name.path.length);
        name.alias = (Str){name.path.data, dot ? (int)(dot - name.path.data) : name.path.length};
        accept_alias(p, &name);
        name.span = span_from(p, start);
        vec_push(p->arena, &names, name);
    } while (take_if(p, TOKEN_COMMA));
    set_names(stmt, names.count, names.data);
    return stmt;
}

static Stmt *parse_from_import(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_FROM_IMPORT);
    for (;; advance(p)) {
        if (at(p, TOKEN_DOT))
            stmt->level++;
        else if (at(p, TOKEN_ELLIPSIS))
            stmt->level += 3;
        else
            break;
    }
    if (!stmt->level || !at(p, TOKEN_IMPORT))
        stmt->name = dotted_name(p, "a module's name after 'from'");
    expect(p, TOKEN_IMPORT, "after the module's name");
    VEC(ImportName) names = {0};
    bool bracket = take_if(p, TOKEN_LPAREN);
    if (!bracket && at(p, TOKEN_MUL)) {
        ImportName star = {STR("*"), STR("*"), false, token_span(p)};
        advance(p);
        vec_push(p->arena, &names, star);
        set_names(stmt, names.count, names.data);
        return stmt;
    }
    do {
        if (bracket && names.count && at(p, TOKEN_RPAREN)) break;
        int start = p->token.start;
        ImportName name = {.path = expect_name(p, "a name to import")};
        name.alias = name.path;
        accept_alias(p, &name);
        name.span = span_from(p, start);
        vec_push(p->arena, &names, name);
    } while (take_if(p, TOKEN_COMMA));
    if (bracket) expect(p, TOKEN_RPAREN, "after the imported names");
    set_names(stmt, names.count, names.data);
    return stmt;
}

/* ---- small statements ---- */

static Stmt *parse_name_list(Parser *p, StmtKind kind) {
    Stmt *stmt = keyword_stmt(p, kind);
    VEC(ImportName) names = {0};
    do {
        ImportName name = {.span = token_span(p)};
        name.path = name.alias = expect_name(p, "a name");
        vec_push(p->arena, &names, name);
    } while (take_if(p, TOKEN_COMMA));
    set_names(stmt, names.count, names.data);
    return stmt;
}

static Stmt *parse_delete(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_DELETE);
    Expr *targets = parse_targets(p);
    check_target(p, targets, "delete");
    stmt->num_targets = 1;
    stmt->targets = arena_array(p->arena, Expr *, 1);
    stmt->targets[0] = targets;
    if (targets->kind == EXPR_TUPLE)
        stmt->num_targets = targets->num_items, stmt->targets = targets->items;
    return stmt;
}

static Stmt *parse_return(Parser *p) {
    if (!p->in_function) parse_fail(p, token_span(p), "'return' outside a function");
    Stmt *stmt = keyword_stmt(p, STMT_RETURN);
    if (!at_end_of_simple(p)) stmt->value = parse_tests(p);
    return stmt;
}

static Stmt *parse_loop_jump(Parser *p, StmtKind kind) {
    if (!p->in_loop) parse_fail(p, token_span(p), "'%s' outside a loop", token_text(p->token.kind));
    return keyword_stmt(p, kind);
}

static Stmt *parse_assert(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_ASSERT);
    stmt->value = parse_test(p);
    if (take_if(p, TOKEN_COMMA)) stmt->message = parse_test(p);
    return stmt;
}

static Stmt *parse_raise(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_RAISE);
    if (at_end_of_simple(p)) return stmt;
    stmt->value = parse_test(p);
    if (take_if(p, TOKEN_FROM)) stmt->message = parse_test(p);
    return stmt;
}

static void one_target(Parser *p, Stmt *stmt, Expr *target) {
    stmt->num_targets = 1;
    stmt->targets = arena_array(p->arena, Expr *, 1);
    stmt->targets[0] = target;
}

/* `type X = ..`, where `type` is an ordinary name everywhere else. */
static bool at_type_alias(const Parser *p) {
    if (!at_word(p, "type")) return false;
    Lexer ahead = p->lexer;
    if (lexer_next(&ahead).kind != TOKEN_NAME) return false;
    TokenKind kind = lexer_next(&ahead).kind;
    return kind == TOKEN_ASSIGN || kind == TOKEN_LBRACKET;
}

static Stmt *parse_type_alias(Parser *p) {
    Stmt *stmt = keyword_stmt(p, STMT_ASSIGN);
    Expr *name = expr_new(p, EXPR_NAME, p->token.start);
    name->text = expect_name(p, "a name after 'type'");
    expr_done(p, name);
    parse_type_params(p);
    expect(p, TOKEN_ASSIGN, "after the alias");
    one_target(p, stmt, name);
    parse_test(p);
    stmt->value = expr_done(p, expr_new(p, EXPR_ABSENT, stmt->span.start));
    return stmt;
}

/* ---- expressions and assignments ---- */

static bool augmented_operator(TokenKind kind, Operator *op) {
    static const struct {
        TokenKind token;
        Operator op;
    } rows[] = {
        {TOKEN_ADD_ASSIGN, OPERATOR_ADD},           {TOKEN_SUB_ASSIGN, OPERATOR_SUB},
        {TOKEN_MUL_ASSIGN, OPERATOR_MUL},           {TOKEN_DIV_ASSIGN, OPERATOR_DIV},
        {TOKEN_FLOORDIV_ASSIGN, OPERATOR_FLOORDIV}, {TOKEN_MOD_ASSIGN, OPERATOR_MOD},
        {TOKEN_POW_ASSIGN, OPERATOR_POW},           {TOKEN_MATMUL_ASSIGN, OPERATOR_MATMUL},
        {TOKEN_SHL_ASSIGN, OPERATOR_SHL},           {TOKEN_SHR_ASSIGN, OPERATOR_SHR},
        {TOKEN_AND_ASSIGN, OPERATOR_AND},           {TOKEN_OR_ASSIGN, OPERATOR_OR},
        {TOKEN_XOR_ASSIGN, OPERATOR_XOR},
    };
    for (int i = 0; i < COUNT(rows); i++)
        if (rows[i].token == kind) {
            *op = rows[i].op;
            return true;
        }
    return false;
}

static Stmt *parse_annotated(Parser *p, Expr *target, int start) {
    if (target->kind != EXPR_NAME && target->kind != EXPR_ATTRIBUTE &&
        target->kind != EXPR_SUBSCRIPT)
        parse_fail(p, target->span, "only a name, an attribute or an item can have an annotation");
    Stmt *stmt = stmt_new(p, STMT_ANN_ASSIGN, start);
    one_target(p, stmt, target);
    advance(p);
    stmt->annotation = parse_test(p);
    if (take_if(p, TOKEN_ASSIGN)) stmt->value = parse_value(p);
    return stmt;
}

static Stmt *parse_assignment(Parser *p, Expr *first, int start) {
    Stmt *stmt = stmt_new(p, STMT_ASSIGN, start);
    Exprs targets = {0};
    stmt->value = first;
    while (at(p, TOKEN_ASSIGN)) {
        check_target(p, stmt->value, "assign to");
        if (stmt->value->kind == EXPR_STARRED)
            parse_fail(p, stmt->value->span, "a starred target must be in a list or tuple");
        vec_push(p->arena, &targets, stmt->value);
        advance(p);
        stmt->value = parse_value(p);
    }
    stmt->num_targets = targets.count;
    stmt->targets = targets.data;
    return stmt;
}

static Stmt *parse_expression_stmt(Parser *p) {
    int start = p->token.start;
    Operator op;
    Expr *value = parse_value(p);
    if (at(p, TOKEN_COLON)) return parse_annotated(p, value, start);
    if (at(p, TOKEN_ASSIGN)) return parse_assignment(p, value, start);
    if (augmented_operator(p->token.kind, &op)) {
        if (value->kind == EXPR_TUPLE || value->kind == EXPR_LIST)
            parse_fail(p, value->span, "'%s' needs one name, not a tuple",
                       token_text(p->token.kind));
        check_target(p, value, "assign to");
        Stmt *stmt = stmt_new(p, STMT_AUG_ASSIGN, start);
        one_target(p, stmt, value);
        stmt->op = op;
        advance(p);
        stmt->value = parse_value(p);
        return stmt;
    }
    if (value->kind == EXPR_STARRED)
        parse_fail(p, value->span, "a starred expression cannot stand alone");
    bool is_print = value->kind == EXPR_NAME && str_is(value->text, "print");
    if (is_print && !at_end_of_simple(p))
        parse_fail(p, value->span, "'print' needs parentheses: print(..)");
    Stmt *stmt = stmt_new(p, STMT_EXPR, start);
    stmt->value = value;
    return stmt;
}

static Stmt *parse_pass(Parser *p) { return keyword_stmt(p, STMT_PASS); }
static Stmt *parse_break(Parser *p) { return parse_loop_jump(p, STMT_BREAK); }
static Stmt *parse_continue(Parser *p) { return parse_loop_jump(p, STMT_CONTINUE); }
static Stmt *parse_global(Parser *p) { return parse_name_list(p, STMT_GLOBAL); }
static Stmt *parse_nonlocal(Parser *p) { return parse_name_list(p, STMT_NONLOCAL); }

static Stmt *parse_simple(Parser *p) {
    static const struct {
        TokenKind kind;
        Stmt *(*parse)(Parser *);
    } rows[] = {{TOKEN_IMPORT, parse_import},     {TOKEN_FROM, parse_from_import},
                {TOKEN_PASS, parse_pass},         {TOKEN_BREAK, parse_break},
                {TOKEN_CONTINUE, parse_continue}, {TOKEN_RETURN, parse_return},
                {TOKEN_ASSERT, parse_assert},     {TOKEN_RAISE, parse_raise},
                {TOKEN_GLOBAL, parse_global},     {TOKEN_NONLOCAL, parse_nonlocal},
                {TOKEN_DEL, parse_delete}};
    for (int i = 0; i < COUNT(rows); i++)
        if (at(p, rows[i].kind)) return rows[i].parse(p);
    return at_type_alias(p) ? parse_type_alias(p) : parse_expression_stmt(p);
}

void parse_simple_line(Parser *p, Stmts *stmts) {
    do {
        if (stmts->count && at(p, TOKEN_NEWLINE)) break;
        Stmt *stmt = parse_simple(p);
        stmt->span = span_from(p, stmt->span.start);
        vec_push(p->arena, stmts, stmt);
    } while (take_if(p, TOKEN_SEMICOLON) && !at(p, TOKEN_NEWLINE) && !at(p, TOKEN_END));
    if (at(p, TOKEN_END)) return;
    if (!take_if(p, TOKEN_NEWLINE)) unexpected(p, "the end of the statement");
}
