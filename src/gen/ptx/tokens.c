// SPDX-License-Identifier: Apache-2.0
/* tokens: words, numbers and punctuation of PTX text, and what reading expects of them. */
#include "gen/ptx/parser.h"

#include "base/float.h"

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

/* 0.5: the bits of a double. */
static void decimal_of(Token *token) {
    double value;
    if (!float_parse(token->text, &value)) return;
    memcpy(&token->bits, &value, sizeof value);
    token->float_kind = '.';
}

void ptx_advance(PtxParser *p) {
    skip_space(p);
    Str text = p->program->text->text;
    int start = p->at;
    p->token = (Token){.start = start, .line = p->line, .text = {text.data + start, 0}};
    if (p->at >= text.length) return;
    char c = text.data[p->at];
    if (is_word_char(c)) {
        for (;;) {
            while (p->at < text.length && is_word_char(text.data[p->at])) p->at++;
            if (p->at + 2 >= text.length || text.data[p->at] != ':' || text.data[p->at + 1] != ':')
                break;
            p->at += 2;
        }
        p->token.kind = TOKEN_WORD;
    } else if (c == '"') {
        p->at++;
        while (p->at < text.length && text.data[p->at] != '"' && text.data[p->at] != '\n') p->at++;
        p->at += p->at < text.length;
        p->token.kind = TOKEN_STRING;
    } else {
        p->at++;
        p->token.kind = TOKEN_PUNCTUATION;
    }
    p->token.text.length = p->at - start;
    bool is_version =
        memchr(p->token.text.data, '.', (size_t)p->token.text.length) != NULL; /* 8.0 */
    if (p->token.kind == TOKEN_WORD && c >= '0' && c <= '9' && is_version) decimal_of(&p->token);
    if (p->token.kind == TOKEN_WORD && c >= '0' && c <= '9' && !is_version) {
        p->token.kind = TOKEN_NUMBER;
        if (!number_of(&p->token))
            ptx_fail(p, DIAG_ERROR, "'%.*s' is no number", STR_ARG(p->token.text));
    }
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

bool ptx_expect_name(PtxParser *p, Str *name) {
    if (p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.')
        return ptx_fail(p, DIAG_ERROR, "expected a name, saw '%.*s'", STR_ARG(p->token.text));
    return ptx_expect_word(p, name);
}

bool ptx_expect_int(PtxParser *p, int64_t limit, int64_t *value) {
    bool fine =
        p->token.kind == TOKEN_NUMBER && !p->token.float_kind && p->token.bits <= (uint64_t)limit;
    if (!fine)
        return ptx_fail(p, DIAG_ERROR, "expected a number up to %lld, saw '%.*s'", (long long)limit,
                        STR_ARG(p->token.text));
    *value = (int64_t)p->token.bits;
    ptx_advance(p);
    return !p->failed;
}

bool ptx_refuse(PtxParser *p) {
    return ptx_fail(p, DIAG_REFUSED, "'%.*s' %s", STR_ARG(p->token.text), p->program->where);
}
