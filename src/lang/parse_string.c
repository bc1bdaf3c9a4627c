// SPDX-License-Identifier: Apache-2.0
/* parse_string: adjacent string literals, and what stands in the braces of f-strings. */
#include "lang/parse.h"

static void decode(Parser *p, const Literal *literal, int start, int end, Buf *out) {
    const char *why = NULL;
    int where = start;
    if (!literal_decode(p->source, literal, start, end, out, &why, &where))
        parse_fail(p, (Span){p->source, where, where + 2}, "%s", why);
}

/* The pieces of a string: neighbouring texts are gathered into one. */
typedef struct Parts {
    Exprs exprs;
    Buf text; /* not in exprs yet */
    int start, end;
} Parts;

static void push_text(Parser *p, Parts *parts, Str text, int start, int end) {
    if (!text.length) return;
    if (!parts->text.length) {
        parts->text = (Buf){.arena = p->arena};
        parts->start = start;
    }
    buf_add(&parts->text, text.data, (size_t)text.length);
    parts->end = end;
}

static void finish_text(Parser *p, Parts *parts) {
    if (!parts->text.length) return;
    Expr *expr = expr_new(p, EXPR_STRING, parts->start);
    expr->text = buf_str(&parts->text);
    expr->span.end = parts->end;
    vec_push(p->arena, &parts->exprs, expr);
    parts->text = (Buf){0};
}

static int parse_parts(Parser *p, const Literal *literal, int from, bool in_spec, Parts *parts);

/* The expression between the braces, by a lexer of its own; leaves p->token at what ends it. */
static Expr *parse_inner(Parser *p, int start, int end) {
    lexer_init(&p->lexer, p->arena, p->source, start, end, true);
    p->token = lexer_next(&p->lexer);
    p->last_end = start;
    if (at(p, TOKEN_RBRACE) || at(p, TOKEN_COLON) || at(p, TOKEN_BANG))
        unexpected(p, "an expression in the braces of the f-string");
    return parse_value(p);
}

/* From the '{' at `open`; returns the offset after its '}'. */
static int parse_replacement(Parser *p, const Literal *literal, int open, Parts *parts) {
    Expr *expr = expr_new(p, EXPR_FORMAT, open);
    expr->left = parse_inner(p, open + 1, literal->end);
    const char *text = p->source->text.data;
    int options = p->token.start;
    bool shows_itself = at(p, TOKEN_ASSIGN);
    if (shows_itself) {
        /* {x=} is the text "x=" and then the value. */
        Buf words = {.arena = p->arena};
        advance(p);
        options = p->token.start;
        buf_add(&words, text + open + 1, (size_t)(options - open - 1));
        push_text(p, parts, buf_str(&words), open + 1, options);
    }
    if (take_if(p, TOKEN_BANG)) {
        if (!at_word(p, "r") && !at_word(p, "s") && !at_word(p, "a"))
            unexpected(p, "the conversion r, s or a after '!'");
        advance(p);
    }
    int end = p->token.end;
    if (at(p, TOKEN_COLON)) {
        Parts spec = {0};
        end = parse_parts(p, literal, p->token.end, true, &spec);
        set_items(expr, &spec.exprs);
    } else if (!at(p, TOKEN_RBRACE)) {
        unexpected(p, "'}' after the expression in the f-string");
    }
    expr->text = (Str){text + options, end - 1 - options};
    if (shows_itself && !expr->text.length) expr->text = STR("!r");
    p->last_end = end;
    finish_text(p, parts);
    vec_push(p->arena, &parts->exprs, expr_done(p, expr));
    return end;
}

/* Text and replacements up to the end of the literal; of a format spec, up to its '}'. */
static int parse_parts(Parser *p, const Literal *literal, int from, bool in_spec, Parts *parts) {
    const char *text = p->source->text.data;
    Buf buf = {.arena = p->arena};
    int start = from, i = from;
    while (i < literal->end) {
        char c = text[i], next = i + 1 < literal->end ? text[i + 1] : 0;
        if (c == '\\' && next && next != '{' && next != '}') {
            bool named = !literal->raw && next == 'N' && i + 2 < literal->end && text[i + 2] == '{';
            i += 2;
            while (named && i < literal->end && text[i] != '}') i++;
            i += named && i < literal->end;
            continue;
        }
        if (c != '{' && c != '}') {
            i++;
            continue;
        }
        decode(p, literal, start, i, &buf);
        if (c == '}' && in_spec) break;
        if (c == next && !in_spec) {
            buf_putc(&buf, c);
            start = i += 2;
            continue;
        }
        if (c == '}')
            parse_fail(p, (Span){p->source, i, i + 1}, "a single '}' in an f-string: write '}}'");
        push_text(p, parts, buf_str(&buf), from, i);
        buf = (Buf){.arena = p->arena};
        from = start = i = parse_replacement(p, literal, i, parts);
    }
    if (in_spec && i >= literal->end)
        parse_fail(p, (Span){p->source, from - 1, from}, "the format spec is not closed by '}'");
    if (i >= literal->end) decode(p, literal, start, literal->end, &buf);
    push_text(p, parts, buf_str(&buf), from, i);
    if (in_spec) finish_text(p, parts);
    return i + 1;
}

static void parse_format(Parser *p, const Literal *literal, Parts *parts) {
    Lexer *lexer = arena_new_of(p->arena, Lexer);
    Token token = p->token;
    int depth = p->depth, last_end = p->last_end;
    *lexer = p->lexer;
    if (++p->depth > MAX_EXPR_DEPTH)
        parse_fail(p, token_span(p), "expressions are nested more than %d deep", MAX_EXPR_DEPTH);
    parse_parts(p, literal, literal->start, false, parts);
    p->lexer = *lexer;
    p->token = token, p->depth = depth, p->last_end = last_end;
}

Expr *parse_strings(Parser *p) {
    Expr *expr = expr_new(p, EXPR_STRING, p->token.start);
    bool bytes = literal_of(p->source, p->token).bytes, format = false, is_template = false;
    Parts parts = {0};
    for (; at(p, TOKEN_STRING); advance(p)) {
        Literal literal = literal_of(p->source, p->token);
        if (literal.bytes != bytes)
            parse_fail(p, token_span(p), "a string and a bytes literal side by side");
        format |= literal.format, is_template |= literal.is_template;
        if (literal.format) {
            parse_format(p, &literal, &parts);
            continue;
        }
        Buf buf = {.arena = p->arena};
        decode(p, &literal, literal.start, literal.end, &buf);
        push_text(p, &parts, buf_str(&buf), p->token.start, p->token.end);
    }
    finish_text(p, &parts);
    if (is_template) {
        expr->kind = EXPR_ABSENT;
    } else if (format) {
        expr->kind = EXPR_FSTRING;
        set_items(expr, &parts.exprs);
    } else {
        expr->kind = bytes ? EXPR_BYTES : EXPR_STRING;
        expr->text = parts.exprs.count ? parts.exprs.data[0]->text : STR("");
    }
    return expr_done(p, expr);
}
