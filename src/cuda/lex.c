// SPDX-License-Identifier: Apache-2.0
/* lex: tokens of C++, with the preprocessor's numbers. A backslash before a newline joins lines,
 * also in the middle of a token; comments are blanks. Host code passes through here, too, so that
 * what no token begins with is a token of its own, an error only where the parser meets it. */
#include "cuda/token.h"

typedef struct Lexer {
    Arena *arena;
    const Source *source;
    Diag *diag;
    int at;
    bool line_start, space;
} Lexer;

/* ---- bytes, with spliced lines ---- */

static int splice_length(const Lexer *l, int at) {
    Str text = l->source->text;
    if (at >= text.length || text.data[at] != '\\') return 0;
    if (at + 1 < text.length && text.data[at + 1] == '\n') return 2;
    bool crlf = at + 2 < text.length && text.data[at + 1] == '\r' && text.data[at + 2] == '\n';
    return crlf ? 3 : 0;
}

static int unspliced(const Lexer *l, int at) {
    int length;
    while ((length = splice_length(l, at))) at += length;
    return at;
}

static int byte_at(const Lexer *l, int at) {
    at = unspliced(l, at);
    return at < l->source->text.length ? (unsigned char)l->source->text.data[at] : -1;
}

static int after(const Lexer *l, int at) { return unspliced(l, at) + 1; }

static int peek(const Lexer *l, int ahead) {
    int at = l->at;
    while (ahead--) at = after(l, at);
    return byte_at(l, at);
}

static void advance(Lexer *l) { l->at = after(l, l->at); }

/* ---- blanks ---- */

static void skip_block_comment(Lexer *l) {
    int start = l->at;
    advance(l), advance(l);
    while (peek(l, 0) >= 0 && !(peek(l, 0) == '*' && peek(l, 1) == '/')) advance(l);
    if (peek(l, 0) < 0) {
        diag_error(l->diag, (Span){l->source, start, start + 2}, "a comment without an end");
        return;
    }
    advance(l), advance(l);
}

static void skip_blanks(Lexer *l) {
    for (;;) {
        int c = peek(l, 0);
        if (c == '\n') {
            l->line_start = true;
            advance(l);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            advance(l);
        } else if (c == '/' && peek(l, 1) == '/') {
            while (peek(l, 0) >= 0 && peek(l, 0) != '\n') advance(l);
        } else if (c == '/' && peek(l, 1) == '*') {
            skip_block_comment(l);
        } else {
            return;
        }
        l->space = true;
    }
}

/* ---- tokens ---- */

static bool starts_name(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static void skip_number(Lexer *l) {
    for (;;) {
        int c = peek(l, 0), low = c | 0x20;
        int next = peek(l, 1);
        bool exponent = (low == 'e' || low == 'p') && (next == '+' || next == '-');
        bool separator = c == '\'' && (is_digit(next) || starts_name(next));
        if (exponent || separator)
            advance(l), advance(l);
        else if (is_digit(c) || starts_name(c) || c == '.')
            advance(l);
        else
            return;
    }
}

/* False: the line ends first. */
static bool skip_quoted(Lexer *l, int quote) {
    advance(l);
    while (peek(l, 0) != quote) {
        if (peek(l, 0) < 0 || peek(l, 0) == '\n') return false;
        if (peek(l, 0) == '\\') advance(l);
        advance(l);
    }
    advance(l);
    return true;
}

static int punct_length(const Lexer *l) {
    static const char *const texts[] = {
        "<<=", ">>=", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
        "--",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "->", "::", "##", ".*"};
    for (int i = 0; i < COUNT(texts); i++) {
        int k = 0;
        while (texts[i][k] && peek(l, k) == texts[i][k]) k++;
        if (!texts[i][k]) return k;
    }
    return strchr("+-*/%&|^~!<>=()[]{}.,;:?#", peek(l, 0)) ? 1 : 0;
}

static CuTokenKind skip_token(Lexer *l) {
    int c = peek(l, 0);
    if (starts_name(c)) {
        while (starts_name(peek(l, 0)) || is_digit(peek(l, 0))) advance(l);
        return CU_NAME;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        skip_number(l);
        return CU_NUMBER;
    }
    if (c == '"' || c == '\'') {
        int start = l->at;
        if (skip_quoted(l, c)) return c == '"' ? CU_STRING : CU_CHAR;
        l->at = start;
        advance(l);
        return CU_OTHER;
    }
    int length = punct_length(l);
    for (int i = 0; i < length; i++) advance(l);
    if (!length) advance(l);
    return length ? CU_PUNCT : CU_OTHER;
}

static Str text_of(const Lexer *l, int start, int end) {
    bool spliced = false;
    for (int i = start; i < end && !spliced; i++) spliced = splice_length(l, i) > 0;
    Str text = {l->source->text.data + start, end - start};
    if (!spliced) return text;
    Buf clean = {.arena = l->arena};
    for (int i = unspliced(l, start); i < end; i = unspliced(l, i + 1))
        buf_putc(&clean, l->source->text.data[i]);
    return buf_str(&clean);
}

CuToken *cu_lex(Arena *arena, const Source *source, Diag *diag) {
    Lexer l = {arena, source, diag, 0, true, false};
    CuToken *first = NULL, **end = &first;
    if (str_starts(source->text, "\xef\xbb\xbf")) l.at = 3;
    for (;;) {
        l.space = false;
        skip_blanks(&l);
        l.at = unspliced(&l, l.at);
        CuToken *token = arena_new_of(arena, CuToken);
        int start = l.at;
        *token = (CuToken){.line_start = l.line_start, .space_before = l.space};
        if (peek(&l, 0) >= 0) token->kind = skip_token(&l);
        token->text = text_of(&l, start, l.at);
        token->place.span = (Span){source, start, l.at};
        l.line_start = false;
        *end = token;
        end = &token->next;
        if (token->kind != CU_END) continue;
        token->next = token;
        return first;
    }
}

/* ---- literals ---- */

static bool take_suffix(Str text, int *length, const char *suffix) {
    int size = (int)strlen(suffix);
    if (*length <= size) return false;
    for (int i = 0; i < size; i++)
        if ((text.data[*length - size + i] | 0x20) != suffix[i]) return false;
    *length -= size;
    return true;
}

static const char *integer_value(Str text, CuNumber *number) {
    int base = 10, at = 0;
    if (text.data[0] == '0' && text.length > 1) {
        int second = text.data[1] | 0x20;
        base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
        at = base == 8 ? 1 : 2;
    }
    number->is_decimal = base == 10;
    if (at == text.length) return "a number without digits";
    for (; at < text.length; at++) {
        int c = text.data[at], low = c | 0x20;
        if (c == '\'') continue;
        int digit = is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
        if (digit >= base) return "this is no number of C";
        bool over = __builtin_mul_overflow(number->integer, (uint64_t)base, &number->integer) ||
                    __builtin_add_overflow(number->integer, (uint64_t)digit, &number->integer);
        if (over) return "a number of more than 64 bits";
    }
    return NULL;
}

/* 0x1.8p3: exact as long as it has at most 64 bits. */
static const char *hex_float_value(Str text, double *value) {
    uint64_t mantissa = 0;
    int exponent = 0, at = 2, written = 0;
    bool point = false, negative = false;
    for (; at < text.length && (text.data[at] | 0x20) != 'p'; at++) {
        int c = text.data[at], low = c | 0x20;
        int digit = is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (c == '.' && !point)
            point = true;
        else if (digit < 0 || mantissa >> 60)
            return "this is no hexadecimal floating-point number, or one of more than 64 bits";
        else
            mantissa = mantissa * 16 + (uint64_t)digit, exponent -= point ? 4 : 0;
    }
    if (++at > text.length) return "a hexadecimal floating-point number needs an exponent: p0";
    if (at < text.length && (text.data[at] == '-' || text.data[at] == '+'))
        negative = text.data[at++] == '-';
    if (at == text.length) return "an exponent without digits";
    for (; at < text.length; at++) {
        if (!is_digit(text.data[at])) return "this is no number of C";
        if (written < 100000) written = written * 10 + text.data[at] - '0';
    }
    *value = __builtin_ldexp((double)mantissa, exponent + (negative ? -written : written));
    return NULL;
}

static bool is_float_text(Str text) {
    bool hex = text.length > 1 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
    for (int i = 0; i < text.length; i++) {
        int low = text.data[i] | 0x20;
        if (text.data[i] == '.' || (hex ? low == 'p' : low == 'e')) return true;
    }
    return false;
}

const char *cu_number(Arena *arena, Str text, CuNumber *number) {
    *number = (CuNumber){.is_float = is_float_text(text)};
    int length = text.length;
    if (number->is_float) {
        bool hex = length > 1 && (text.data[1] | 0x20) == 'x';
        number->is_single = take_suffix(text, &length, "f");
        if (!number->is_single && take_suffix(text, &length, "l"))
            return "a long double, which there is not on a GPU";
        text.length = length;
        if (hex) return hex_float_value(text, &number->number);
        /* 1. and .5 as float_parse wants them */
        Buf whole = {.arena = arena};
        if (text.data[0] == '.') buf_putc(&whole, '0');
        for (int i = 0; i < length; i++) {
            if (text.data[i] == '\'') continue;
            buf_putc(&whole, text.data[i]);
            bool digit_follows = i + 1 < length && is_digit(text.data[i + 1]);
            if (text.data[i] == '.' && !digit_follows) buf_putc(&whole, '0');
        }
        return float_parse(buf_str(&whole), &number->number) ? NULL : "this is no number of C";
    }
    for (;;) {
        if (number->longs == 0 && take_suffix(text, &length, "ll"))
            number->longs = 2;
        else if (number->longs == 0 && take_suffix(text, &length, "l"))
            number->longs = 1;
        else if (!number->is_unsigned && take_suffix(text, &length, "u"))
            number->is_unsigned = true;
        else
            break;
    }
    text.length = length;
    return integer_value(text, number);
}

const char *cu_char(Str text, int64_t *value) {
    static const char letters[] = "abfnrtv0\\'\"?", values[] = "\a\b\f\n\r\t\v\0\\'\"?";
    Str inner = {text.data + 1, text.length - 2};
    if (inner.length == 1 && (unsigned char)inner.data[0] < 0x80) {
        *value = inner.data[0];
        return NULL;
    }
    const char *letter = inner.length == 2 ? strchr(letters, inner.data[1]) : NULL;
    if (inner.length == 2 && inner.data[0] == '\\' && letter) {
        *value = values[letter - letters];
        return NULL;
    }
    return "a character that is not one byte of ASCII or a simple escape";
}

/* ---- messages ---- */

CuPlace cu_join(CuPlace a, CuPlace b) {
    if (a.from == b.from) return (CuPlace){span_join(a.span, b.span), a.from};
    return (CuPlace){span_join(cu_span(a), cu_span(b)), NULL};
}

Span cu_span(CuPlace place) {
    Span span = place.span;
    for (const CuExpansion *from = place.from; from; from = from->outer) span = from->at;
    return span;
}

static void in_macro(Diag *diag, CuPlace place) {
    if (place.from)
        diag_note(diag, place.span, "in the expansion of macro '%.*s'", STR_ARG(place.from->macro));
}

static Str formatted(Diag *diag, const char *format, va_list args) {
    Buf text = {.arena = diag->arena};
    buf_vprintf(&text, format, args);
    return buf_str(&text);
}

void cu_error(Diag *diag, CuPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = formatted(diag, format, args);
    va_end(args);
    diag_error(diag, cu_span(place), "%.*s", STR_ARG(text));
    in_macro(diag, place);
}

void cu_refused(Diag *diag, CuPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = formatted(diag, format, args);
    va_end(args);
    diag_refused(diag, cu_span(place), "%.*s", STR_ARG(text));
    in_macro(diag, place);
}
