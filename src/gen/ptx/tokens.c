// SPDX-License-Identifier: Apache-2.0
/* tokens: words, numbers and punctuation of PTX text, and what reading expects of them. */
#include "gen/ptx/parser.h"

#include "base/float.h"

#include <math.h>

bool ptx_fail(PtxParser *p, DiagKind kind, const char *format, ...) {
    if (p->failed) return false;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    va_list args;
    va_start(args, format);
    Buf words = {.arena = p->arena};
    buf_vprintf(&words, format, args);
    va_end(args);
    diag_add(p->diag, kind, span, "%s", words.data);
    p->failed = true;
    return false;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static void skip_space(PtxParser *p) {
    Str text = p->program->text->text;
    while (p->at < text.length) {
        char c = text.data[p->at], next = p->at + 1 < text.length ? text.data[p->at + 1] : 0;
        if (c == '\n')
            p->line++, p->at++;
        else if (c == ' ' || c == '\t' || c == '\r')
            p->at++;
        else if (c == '/' && next == '/')
            while (p->at < text.length && text.data[p->at] != '\n') p->at++;
        else if (c == '/' && next == '*') {
            p->at += 2;
            while (p->at < text.length && !(text.data[p->at] == '*' && p->at + 1 < text.length &&
                                            text.data[p->at + 1] == '/'))
                p->line += text.data[p->at++] == '\n';
            if (p->at >= text.length) ptx_fail(p, DIAG_ERROR, "a comment without an end");
            p->at += 2;
        } else
            return;
    }
    if (p->at > text.length) p->at = text.length;
}

int ptx_digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* 12 0x1f 017 0b11, also with U behind; 0f3F800000 0d3FF0000000000000; false: not a number. */
static bool number_of(Token *token) {
    Str t = token->text;
    int base = 10, i = 0, digits = 0;
    if (t.length > 2 && t.data[0] == '0' && strchr("xXfFdD", t.data[1])) {
        base = 16, i = 2;
        if ((t.data[1] | 32) != 'x') token->float_kind = (char)(t.data[1] | 32);
    } else if (t.length > 2 && t.data[0] == '0' && (t.data[1] | 32) == 'b') {
        base = 2, i = 2;
    } else if (t.length > 1 && t.data[0] == '0' && t.data[1] != 'U') {
        base = 8, i = 1;
    }
    for (; i < t.length && ptx_digit_of(t.data[i]) < base; i++, digits++) {
        uint64_t digit = (uint64_t)ptx_digit_of(t.data[i]);
        if (token->bits > (UINT64_MAX - digit) / (uint64_t)base) return false;
        token->bits = token->bits * (uint64_t)base + digit;
    }
    if (token->float_kind) return i == t.length && digits == (token->float_kind == 'f' ? 8 : 16);
    if (i < t.length && t.data[i] == 'U') i++;
    return i == t.length && digits > 0;
}

/* Behind 1e and 1.5e, but not behind 0x1e: the sign of an exponent. */
static bool is_exponent_sign(const PtxParser *p, int start) {
    Str text = p->program->text->text;
    if (p->at + 1 >= text.length || !strchr("+-", text.data[p->at]) ||
        (text.data[p->at - 1] | 32) != 'e')
        return false;
    for (int i = start; i < p->at - 1; i++)
        if (text.data[i] != '.' && ptx_digit_of(text.data[i]) > 9) return false;
    return ptx_digit_of(text.data[p->at + 1]) < 10;
}

/* 0.5, 1e5: the bits of a double. */
static bool decimal_of(Token *token) {
    double value;
    if (!float_parse(token->text, &value) || isinf(value)) return false;
    memcpy(&token->bits, &value, sizeof value);
    token->float_kind = '.';
    return true;
}

/* A word with a point stays one: also a version, 8.0. */
static bool count_or_decimal(Token *token) {
    size_t length = (size_t)token->text.length;
    if (memchr(token->text.data, '.', length)) {
        (void)decimal_of(token);
        return true;
    }
    token->kind = TOKEN_NUMBER;
    return number_of(token) ||
           ((memchr(token->text.data, 'e', length) || memchr(token->text.data, 'E', length)) &&
            decimal_of(token));
}

void ptx_advance(PtxParser *p) {
    skip_space(p);
    Str text = p->program->text->text;
    int start = p->at;
    p->token = (Token){.start = start, .line = p->line, .text = {text.data + start, 0}};
    if (p->at >= text.length) return;
    char c = text.data[p->at];
    bool is_number = ptx_digit_of(c) < 10 || (c == '.' && p->at + 1 < text.length &&
                                              ptx_digit_of(text.data[p->at + 1]) < 10);
    if (is_word_char(c)) {
        for (;;) {
            while (p->at < text.length && is_word_char(text.data[p->at])) p->at++;
            if (is_number && is_exponent_sign(p, start)) {
                p->at++;
                continue;
            }
            if (p->at + 2 >= text.length || text.data[p->at] != ':' || text.data[p->at + 1] != ':')
                break;
            p->at += 2;
        }
        p->token.kind = TOKEN_WORD;
    } else if (c == '"') {
        p->at++;
        while (p->at < text.length && text.data[p->at] != '"' && text.data[p->at] != '\n') p->at++;
        bool ends = p->at < text.length && text.data[p->at] == '"';
        p->at += ends;
        p->token.kind = TOKEN_STRING;
        if (!ends) ptx_fail(p, DIAG_ERROR, "a string without an end");
    } else {
        p->at++;
        p->token.kind = TOKEN_PUNCTUATION;
    }
    p->token.text.length = p->at - start;
    if (is_number && !count_or_decimal(&p->token))
        ptx_fail(p, DIAG_ERROR, "'%.*s' is no number", STR_ARG(p->token.text));
}

bool ptx_is(const PtxParser *p, const char *text) {
    return p->token.kind != TOKEN_STRING && p->token.kind != TOKEN_END &&
           str_is(p->token.text, text);
}

bool ptx_accept(PtxParser *p, const char *text) {
    if (!ptx_is(p, text)) return false;
    ptx_advance(p);
    return true;
}

bool ptx_expect(PtxParser *p, const char *text) {
    if (ptx_accept(p, text)) return true;
    if (p->token.kind == TOKEN_END)
        return ptx_fail(p, DIAG_ERROR, "expected '%s', saw the end of the text", text);
    return ptx_fail(p, DIAG_ERROR, "expected '%s', saw '%.*s'", text, STR_ARG(p->token.text));
}

bool ptx_expect_word(PtxParser *p, Str *word) {
    if (p->token.kind != TOKEN_WORD)
        return ptx_fail(p, DIAG_ERROR, "expected a name, saw '%.*s'", STR_ARG(p->token.text));
    *word = p->token.text;
    ptx_advance(p);
    return true;
}

/* PTX ISA 9.0, 4.4: a letter and what follows, or one of _ $ % and at least one more. */
static bool is_name(Str word) {
    bool is_letter = (word.data[0] | 32) >= 'a' && (word.data[0] | 32) <= 'z';
    if (!is_letter && (word.length < 2 || !strchr("_$%", word.data[0]))) return false;
    for (int i = 1; i < word.length; i++)
        if (!is_word_char(word.data[i]) || strchr(".%", word.data[i])) return false;
    return !str_is(word, "WARP_SZ");
}

bool ptx_expect_name(PtxParser *p, Str *name) {
    if (p->token.kind == TOKEN_WORD && !is_name(p->token.text))
        return ptx_fail(p, DIAG_ERROR, "expected a name, saw '%.*s'", STR_ARG(p->token.text));
    return ptx_expect_word(p, name);
}

bool ptx_expect_int(PtxParser *p, int64_t limit, int64_t *value) {
    if (ptx_is(p, "WARP_SZ")) return ptx_refuse(p);
    bool fine =
        p->token.kind == TOKEN_NUMBER && !p->token.float_kind && p->token.bits <= (uint64_t)limit;
    if (!fine)
        return ptx_fail(p, DIAG_ERROR, "expected a number up to %lld, saw '%.*s'", (long long)limit,
                        STR_ARG(p->token.text));
    *value = (int64_t)p->token.bits;
    ptx_advance(p);
    return !p->failed;
}

bool ptx_expect_align(PtxParser *p, int64_t limit, int64_t *align) {
    if (!ptx_expect_int(p, INT32_MAX, align)) return false;
    if (*align < 1 || (*align & (*align - 1)))
        return ptx_fail(p, DIAG_ERROR, "an alignment is a power of two");
    return *align <= limit || ptx_fail(p, DIAG_REFUSED, "an alignment of %lld bytes %s",
                                       (long long)*align, p->program->where);
}

bool ptx_refuse(PtxParser *p) {
    return ptx_fail(p, DIAG_REFUSED, "'%.*s' %s", STR_ARG(p->token.text), p->program->where);
}
