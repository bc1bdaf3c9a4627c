// SPDX-License-Identifier: Apache-2.0
/* parse_match: match statements. Only host code has them: Triton refuses them. */
#include "lang/parse.h"

/* `match` and `case` are ordinary names elsewhere: it is a statement when its line ends in ':' and
 * the block below begins with 'case'. */
bool at_match(const Parser *p) {
    if (!at_word(p, "match")) return false;
    Lexer ahead = p->lexer;
    TokenKind last = TOKEN_NAME;
    int count = 0;
    for (;; count++) {
        TokenKind kind = lexer_next(&ahead).kind;
        if (kind == TOKEN_ERROR || kind == TOKEN_END) return false;
        if (kind == TOKEN_NEWLINE) break;
        last = kind;
    }
    if (last != TOKEN_COLON || count < 2) return false;
    if (lexer_next(&ahead).kind != TOKEN_INDENT) return false;
    Token word = lexer_next(&ahead);
    return word.kind == TOKEN_NAME && str_is(token_str(p, word), "case");
}

typedef VEC(Pattern *) Patterns;
typedef VEC(Str) Words;

static Pattern *parse_pattern(Parser *p);

static Pattern *pattern_new(Parser *p, PatternKind kind) {
    Pattern *pattern = arena_new_of(p->arena, Pattern);
    *pattern = (Pattern){.kind = kind, .span = token_span(p)};
    return pattern;
}

static Pattern *pattern_done(Parser *p, Pattern *pattern, const Patterns *items) {
    pattern->span = span_from(p, pattern->span.start);
    if (items) pattern->num_items = items->count, pattern->items = items->data;
    return pattern;
}

/* What a pattern binds; NULL for `_`. */
static Expr *parse_capture(Parser *p, const char *what) {
    int start = p->token.start;
    Str name = expect_name(p, what);
    if (str_is(name, "_")) return NULL;
    Expr *expr = expr_new(p, EXPR_NAME, start);
    expr->text = name;
    return expr_done(p, expr);
}

/* ---- checks that Python makes before anything runs ---- */

static bool is_irrefutable(const Pattern *pattern) {
    if (pattern->kind == PATTERN_OR) return is_irrefutable(pattern->items[pattern->num_items - 1]);
    return pattern->kind == PATTERN_CAPTURE &&
           (!pattern->num_items || is_irrefutable(pattern->items[0]));
}

static bool has_word(const Words *words, Str word) {
    for (int i = 0; i < words->count; i++)
        if (str_equal(words->data[i], word)) return true;
    return false;
}

/* All names that it binds. */
static void check_names(Parser *p, const Pattern *pattern, Words *names) {
    if (pattern->kind == PATTERN_OR) {
        Words first = {0};
        check_names(p, pattern->items[0], &first);
        for (int i = 1; i < pattern->num_items; i++) {
            Words others = {0};
            check_names(p, pattern->items[i], &others);
            bool same = others.count == first.count;
            for (int k = 0; k < first.count; k++) same &= has_word(&others, first.data[k]);
            if (!same) parse_fail(p, pattern->span, "alternative patterns bind different names");
            if (is_irrefutable(pattern->items[i - 1]))
                parse_fail(p, pattern->items[i - 1]->span,
                           "this pattern matches all, so those after it are unreachable");
        }
        for (int i = 0; i < first.count; i++) vec_push(p->arena, names, first.data[i]);
        return;
    }
    for (int i = 0; i < pattern->num_items; i++) check_names(p, pattern->items[i], names);
    if (!pattern->name) return;
    if (has_word(names, pattern->name->text))
        parse_fail(p, pattern->span, "multiple assignments to name '%.*s' in pattern",
                   STR_ARG(pattern->name->text));
    vec_push(p->arena, names, pattern->name->text);
}

/* ---- patterns ---- */

/* a, b, *c before `close`; *is_sequence: there was a comma. */
static void parse_patterns(Parser *p, TokenKind close, Patterns *items, bool *is_sequence) {
    int stars = 0;
    *is_sequence = at(p, close);
    while (!at(p, close) && !at(p, TOKEN_IF)) {
        Span here = token_span(p);
        Pattern *item;
        if (at(p, TOKEN_MUL)) {
            item = pattern_new(p, PATTERN_STAR);
            advance(p);
            item->name = parse_capture(p, "a name after '*'");
            if (stars++) parse_fail(p, here, "multiple starred expressions in sequence pattern");
            pattern_done(p, item, NULL);
        } else {
            item = parse_pattern(p);
        }
        vec_push(p->arena, items, item);
        if (!take_if(p, TOKEN_COMMA)) break;
        *is_sequence = true;
    }
    if (stars && !*is_sequence && close != TOKEN_RBRACKET)
        parse_fail(p, items->data[0]->span, "a starred pattern stands in a sequence only");
}

static bool is_number(const Expr *expr) {
    if (expr->kind == EXPR_UNARY && expr->op == OPERATOR_NEG) expr = expr->left;
    return expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT || expr->kind == EXPR_IMAGINARY;
}

static bool is_literal(const Expr *expr) {
    if (expr->kind == EXPR_BINARY && (expr->op == OPERATOR_ADD || expr->op == OPERATOR_SUB))
        return is_number(expr->left) && expr->right->kind == EXPR_IMAGINARY;
    return is_number(expr) || expr->kind == EXPR_STRING || expr->kind == EXPR_BYTES ||
           expr->kind == EXPR_TRUE || expr->kind == EXPR_FALSE || expr->kind == EXPR_NONE;
}

static bool is_dotted(const Expr *expr) {
    if (expr->kind != EXPR_ATTRIBUTE) return false;
    while (expr->kind == EXPR_ATTRIBUTE) expr = expr->left;
    return expr->kind == EXPR_NAME;
}

static Expr *parse_literal(Parser *p) {
    Expr *value = parse_arithmetic(p);
    if (!is_literal(value) && !is_dotted(value))
        parse_fail(p, value->span, "patterns may only match literals and attribute lookups");
    return value;
}

static Pattern *parse_mapping(Parser *p) {
    Pattern *pattern = pattern_new(p, PATTERN_MAPPING);
    Patterns items = {0};
    Exprs keys = {0};
    advance(p);
    while (!at(p, TOKEN_RBRACE)) {
        if (pattern->name) unexpected(p, "'}' after the rest of a mapping");
        if (take_if(p, TOKEN_POW)) {
            pattern->name = parse_capture(p, "a name after '**'");
            if (!pattern->name) parse_fail(p, pattern->span, "'**_' is no pattern");
        } else {
            vec_push(p->arena, &keys, parse_literal(p));
            expect(p, TOKEN_COLON, "after the key of the pattern");
            vec_push(p->arena, &items, parse_pattern(p));
        }
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect(p, TOKEN_RBRACE, "after the pattern");
    pattern->keys = keys.data;
    return pattern_done(p, pattern, &items);
}

static void parse_class_pattern(Parser *p, Pattern *pattern) {
    Patterns items = {0};
    Words words = {0};
    bool by_name = false;
    while (!at(p, TOKEN_RPAREN)) {
        Str word = {0};
        Lexer ahead = p->lexer;
        if (at(p, TOKEN_NAME) && lexer_next(&ahead).kind == TOKEN_ASSIGN) {
            word = expect_name(p, "a name");
            advance(p);
            if (has_word(&words, word))
                parse_fail(p, pattern->span, "attribute name repeated in class pattern: %.*s",
                           STR_ARG(word));
            by_name = true;
        } else if (by_name) {
            parse_fail(p, token_span(p), "positional patterns follow keyword patterns");
        }
        vec_push(p->arena, &items, parse_pattern(p));
        vec_push(p->arena, &words, word);
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect(p, TOKEN_RPAREN, "after the patterns of the class");
    pattern->words = words.data;
    pattern_done(p, pattern, &items);
}

static Expr *parse_dotted(Parser *p) {
    int start = p->token.start;
    Expr *expr = expr_new(p, EXPR_NAME, start);
    expr->text = expect_name(p, "a name");
    expr = expr_done(p, expr);
    while (take_if(p, TOKEN_DOT)) {
        Expr *outer = expr_new(p, EXPR_ATTRIBUTE, start);
        outer->left = expr;
        outer->text = expect_name(p, "a name after '.'");
        expr = expr_done(p, outer);
    }
    return expr;
}

static Pattern *parse_name_pattern(Parser *p) {
    Pattern *pattern = pattern_new(p, PATTERN_VALUE);
    Expr *name = parse_dotted(p);
    if (take_if(p, TOKEN_LPAREN)) {
        pattern->kind = PATTERN_CLASS, pattern->value = name;
        parse_class_pattern(p, pattern);
        return pattern;
    }
    if (name->kind == EXPR_ATTRIBUTE)
        pattern->value = name;
    else
        pattern->kind = PATTERN_CAPTURE, pattern->name = str_is(name->text, "_") ? NULL : name;
    return pattern_done(p, pattern, NULL);
}

static Pattern *parse_closed_pattern(Parser *p) {
    bool is_list = at(p, TOKEN_LBRACKET), is_sequence;
    if (is_list || at(p, TOKEN_LPAREN)) {
        Pattern *pattern = pattern_new(p, PATTERN_SEQUENCE);
        Patterns items = {0};
        TokenKind close = is_list ? TOKEN_RBRACKET : TOKEN_RPAREN;
        advance(p);
        parse_patterns(p, close, &items, &is_sequence);
        expect(p, close, "after the pattern");
        return is_list || is_sequence ? pattern_done(p, pattern, &items) : items.data[0];
    }
    if (at(p, TOKEN_LBRACE)) return parse_mapping(p);
    if (at(p, TOKEN_NAME)) return parse_name_pattern(p);
    Pattern *pattern = pattern_new(p, PATTERN_VALUE);
    pattern->value = parse_literal(p);
    return pattern_done(p, pattern, NULL);
}

static Pattern *parse_pattern(Parser *p) {
    if (++p->depth > MAX_EXPR_DEPTH)
        parse_fail(p, token_span(p), "patterns are nested more than %d deep", MAX_EXPR_DEPTH);
    Pattern *any = pattern_new(p, PATTERN_OR);
    Patterns items = {0};
    do vec_push(p->arena, &items, parse_closed_pattern(p));
    while (take_if(p, TOKEN_BIT_OR));
    Pattern *pattern = items.count > 1 ? pattern_done(p, any, &items) : items.data[0];
    if (take_if(p, TOKEN_AS)) {
        Pattern *named = pattern_new(p, PATTERN_CAPTURE);
        Patterns inner = {0};
        named->span = any->span;
        vec_push(p->arena, &inner, pattern);
        named->name = parse_capture(p, "a name after 'as'");
        if (!named->name) parse_fail(p, named->span, "cannot use '_' as a target");
        pattern = pattern_done(p, named, &inner);
    }
    p->depth--;
    return pattern;
}

/* ---- the statement ---- */

/* case a, *b if guard: */
static MatchCase parse_case(Parser *p) {
    MatchCase one = {0};
    Patterns items = {0};
    Words names = {0};
    bool is_sequence = false;
    advance(p);
    Pattern *sequence = pattern_new(p, PATTERN_SEQUENCE);
    if (at(p, TOKEN_COLON) || at(p, TOKEN_IF)) unexpected(p, "a pattern after 'case'");
    parse_patterns(p, TOKEN_COLON, &items, &is_sequence);
    one.pattern = is_sequence ? pattern_done(p, sequence, &items) : items.data[0];
    check_names(p, one.pattern, &names);
    if (take_if(p, TOKEN_IF)) one.guard = parse_named(p);
    one.body = parse_block(p, "after the pattern", NULL);
    return one;
}

Stmt *parse_match(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_MATCH, p->token.start);
    Stmts bodies = {0};
    VEC(MatchCase) cases = {0};
    advance(p);
    stmt->value = parse_subject(p);
    expect(p, TOKEN_COLON, "after the subject of 'match'");
    stmt->span = span_from(p, stmt->span.start);
    expect(p, TOKEN_NEWLINE, "after 'match'");
    if (!take_if(p, TOKEN_INDENT)) unexpected(p, "an indented block after 'match'");
    while (!take_if(p, TOKEN_DEDENT)) {
        if (!at_word(p, "case")) unexpected(p, "'case' in the block of 'match'");
        const MatchCase *last = cases.count ? &cases.data[cases.count - 1] : NULL;
        if (last && !last->guard && is_irrefutable(last->pattern))
            parse_fail(p, last->pattern->span,
                       "this pattern matches all, so those after it are unreachable");
        MatchCase one = parse_case(p);
        vec_push(p->arena, &cases, one);
        for (int i = 0; i < one.body.count; i++) vec_push(p->arena, &bodies, one.body.stmts[i]);
    }
    stmt->body = (Block){bodies.count, bodies.data};
    stmt->num_cases = cases.count, stmt->cases = cases.data;
    return stmt;
}
