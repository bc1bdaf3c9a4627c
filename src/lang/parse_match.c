// SPDX-License-Identifier: Apache-2.0
/* parse_match: match statements. Only host code has them (Triton refuses them), so the patterns
 * are checked and dropped; the bodies of the cases stay. */
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

static void parse_pattern(Parser *p);

static void parse_patterns(Parser *p, TokenKind close) {
    while (!at(p, close)) {
        parse_pattern(p);
        if (!take_if(p, TOKEN_COMMA)) break;
    }
}

static void parse_mapping(Parser *p) {
    while (!at(p, TOKEN_RBRACE)) {
        if (take_if(p, TOKEN_POW)) {
            expect_name(p, "a name after '**'");
        } else {
            parse_arithmetic(p);
            expect(p, TOKEN_COLON, "after the key of the pattern");
            parse_pattern(p);
        }
        if (!take_if(p, TOKEN_COMMA)) break;
    }
}

static void parse_class_pattern(Parser *p) {
    while (!at(p, TOKEN_RPAREN)) {
        parse_pattern(p);
        if (take_if(p, TOKEN_ASSIGN)) parse_pattern(p);
        if (!take_if(p, TOKEN_COMMA)) break;
    }
    expect(p, TOKEN_RPAREN, "after the patterns of the class");
}

static void parse_closed_pattern(Parser *p) {
    if (take_if(p, TOKEN_MUL)) {
        expect_name(p, "a name after '*'");
    } else if (take_if(p, TOKEN_LPAREN)) {
        parse_patterns(p, TOKEN_RPAREN);
        expect(p, TOKEN_RPAREN, "after the pattern");
    } else if (take_if(p, TOKEN_LBRACKET)) {
        parse_patterns(p, TOKEN_RBRACKET);
        expect(p, TOKEN_RBRACKET, "after the pattern");
    } else if (take_if(p, TOKEN_LBRACE)) {
        parse_mapping(p);
        expect(p, TOKEN_RBRACE, "after the pattern");
    } else if (take_if(p, TOKEN_NAME)) {
        while (take_if(p, TOKEN_DOT)) expect_name(p, "a name after '.'");
        if (take_if(p, TOKEN_LPAREN)) parse_class_pattern(p);
    } else {
        parse_arithmetic(p);
    }
}

static void parse_pattern(Parser *p) {
    if (++p->depth > MAX_EXPR_DEPTH)
        parse_fail(p, token_span(p), "patterns are nested more than %d deep", MAX_EXPR_DEPTH);
    do parse_closed_pattern(p);
    while (take_if(p, TOKEN_BIT_OR));
    if (take_if(p, TOKEN_AS)) expect_name(p, "a name after 'as'");
    p->depth--;
}

Stmt *parse_match(Parser *p) {
    Stmt *stmt = stmt_new(p, STMT_MATCH, p->token.start);
    Stmts bodies = {0};
    advance(p);
    stmt->value = parse_tests(p);
    expect(p, TOKEN_COLON, "after the subject of 'match'");
    stmt->span = span_from(p, stmt->span.start);
    expect(p, TOKEN_NEWLINE, "after 'match'");
    if (!take_if(p, TOKEN_INDENT)) unexpected(p, "an indented block after 'match'");
    while (!take_if(p, TOKEN_DEDENT)) {
        if (!at_word(p, "case")) unexpected(p, "'case' in the block of 'match'");
        advance(p);
        do {
            if (at(p, TOKEN_COLON) || at(p, TOKEN_IF)) break;
            parse_pattern(p);
        } while (take_if(p, TOKEN_COMMA));
        if (take_if(p, TOKEN_IF)) parse_named(p);
        Block body = parse_block(p, "after the pattern", NULL);
        for (int i = 0; i < body.count; i++) vec_push(p->arena, &bodies, body.stmts[i]);
    }
    stmt->body = (Block){bodies.count, bodies.data};
    return stmt;
}
