// SPDX-License-Identifier: Apache-2.0
/* lex_literal: where numbers and strings end, and what their escapes mean.
 *
 * An f-string is one token. Since Python 3.12 its expressions may hold the quotes that surround
 * it, so its end is found by following braces and the strings inside them. */
#include "lang/lex.h"

enum { MAX_NESTED_FORMATS = 50 };

/* ---- numbers ---- */

static int byte_at(const Lexer *lexer, int at) {
    return at < lexer->end ? (unsigned char)lexer->source->text.data[at] : -1;
}

static bool is_digit_of(int c, int base) {
    if (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) return true;
    return c >= '0' && c < '0' + (base < 10 ? base : 10);
}

/* Digits with single underscores between them, perhaps one before the first (after 0x). */
static bool skip_digits(Lexer *lexer, int base, bool may_start_with_underscore) {
    bool digit = may_start_with_underscore;
    int first = lexer->at;
    for (;; lexer->at++) {
        int c = byte_at(lexer, lexer->at);
        if (is_digit_of(c, base))
            digit = true;
        else if (c == '_' && digit && is_digit_of(byte_at(lexer, lexer->at + 1), base))
            digit = false;
        else
            break;
    }
    return lexer->at > first;
}

/* `1if x else 2` is legal: what may follow a number without a blank. */
static bool follows_number(const Lexer *lexer) {
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
    Str rest = {lexer->source->text.data + lexer->at, lexer->end - lexer->at};
    int length = 0;
    while (length < rest.length && is_identifier_part((unsigned char)rest.data[length])) length++;
    if (!length) return true;
    for (int i = 0; i < COUNT(words); i++)
        if (str_is((Str){rest.data, length}, words[i])) return true;
    return false;
}

static bool lex_based(Lexer *lexer, int start, int base, const char *name) {
    lexer->at = start + 2;
    if (!skip_digits(lexer, base, true) || !follows_number(lexer)) {
        while (lexer->at < lexer->end &&
               is_identifier_part((unsigned char)byte_at(lexer, lexer->at)))
            lexer->at++;
        return lex_fail(lexer, start, lexer->at, "'%.*s' is not %s number", lexer->at - start,
                        lexer->source->text.data + start, name);
    }
    return true;
}

bool lex_number(Lexer *lexer, TokenKind *kind) {
    int start = lexer->at, second = byte_at(lexer, start + 1) | 0x20;
    *kind = TOKEN_INT;
    if (byte_at(lexer, start) == '0' && byte_at(lexer, start + 1) >= 0) {
        if (second == 'x') return lex_based(lexer, start, 16, "a hexadecimal");
        if (second == 'o') return lex_based(lexer, start, 8, "an octal");
        if (second == 'b') return lex_based(lexer, start, 2, "a binary");
    }
    skip_digits(lexer, 10, false);
    int whole_end = lexer->at;
    if (byte_at(lexer, lexer->at) == '.') {
        *kind = TOKEN_FLOAT;
        lexer->at++;
        skip_digits(lexer, 10, false);
    }
    int c = byte_at(lexer, lexer->at);
    if (c == 'e' || c == 'E') {
        int sign = byte_at(lexer, lexer->at + 1), save = lexer->at;
        lexer->at += sign == '+' || sign == '-' ? 2 : 1;
        if (skip_digits(lexer, 10, false))
            *kind = TOKEN_FLOAT;
        else
            lexer->at = save;
    }
    c = byte_at(lexer, lexer->at);
    if (c == 'j' || c == 'J') *kind = TOKEN_IMAGINARY, lexer->at++;
    const char *text = lexer->source->text.data;
    if (!follows_number(lexer)) {
        while (lexer->at < lexer->end &&
               is_identifier_part((unsigned char)byte_at(lexer, lexer->at)))
            lexer->at++;
        return lex_fail(lexer, start, lexer->at, "'%.*s' is not a number", lexer->at - start,
                        text + start);
    }
    if (*kind == TOKEN_INT && text[start] == '0') {
        for (int i = start; i < whole_end; i++)
            if (text[i] != '0' && text[i] != '_')
                return lex_fail(lexer, start, lexer->at,
                                "an integer cannot start with 0: for octal write 0o%.*s",
                                whole_end - start - 1, text + start + 1);
    }
    return true;
}

/* ---- where strings end ---- */

int string_prefix(Str text, int at, bool *format) {
    bool raw = false, bytes = false, unicode = false;
    *format = false;
    for (int i = 0; i < 3 && at + i < text.length; i++) {
        char c = text.data[at + i];
        if (c == '\'' || c == '"') return i;
        c |= 0x20;
        if (c == 'r' && !raw && !unicode)
            raw = true;
        else if (c == 'b' && !bytes && !*format && !unicode)
            bytes = true;
        else if ((c == 'f' || c == 't') && !*format && !bytes && !unicode)
            *format = true;
        else if (c == 'u' && i == 0)
            unicode = true;
        else
            return -1;
    }
    return -1;
}

static bool is_quote_end(const Lexer *lexer, int at, int quote, bool triple) {
    if (byte_at(lexer, at) != quote) return false;
    return !triple || (byte_at(lexer, at + 1) == quote && byte_at(lexer, at + 2) == quote);
}

static bool skip_string(Lexer *lexer, int quote_at, bool format, int depth);

/* In an f-string, from after '{' to after its '}'. */
static bool skip_replacement(Lexer *lexer, int open, int quote, bool triple, int depth) {
    int brackets = 0;
    bool in_spec = false;
    while (lexer->at < lexer->end) {
        int c = byte_at(lexer, lexer->at);
        bool format;
        int prefix = in_spec ? -1 : string_prefix(lexer->source->text, lexer->at, &format);
        bool word = lexer->at > open + 1 &&
                    is_identifier_part((unsigned char)byte_at(lexer, lexer->at - 1));
        if (in_spec && is_quote_end(lexer, lexer->at, quote, triple)) break;
        /* Before 3.12 the quotes around the f-string cannot stand in it: then this is its end. */
        if (prefix >= 0 && (prefix == 0 || !word)) {
            if (!skip_string(lexer, lexer->at + prefix, format, depth + 1)) return false;
            continue;
        }
        if (c == '\n' && !triple && in_spec) break;
        if (c == '#' && !in_spec) {
            while (lexer->at < lexer->end && byte_at(lexer, lexer->at) != '\n') lexer->at++;
            continue;
        }
        lexer->at++;
        if (in_spec && c == '{') {
            if (depth >= MAX_NESTED_FORMATS)
                return lex_fail(lexer, open, open + 1, "f-strings are nested more than %d deep",
                                MAX_NESTED_FORMATS);
            if (!skip_replacement(lexer, lexer->at - 1, quote, triple, depth + 1)) return false;
        } else if (c == '}' && !brackets) {
            return true;
        } else if (in_spec) {
            continue;
        } else if (c == '(' || c == '[' || c == '{') {
            brackets++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (brackets) brackets--;
        } else if (c == ':' && !brackets) {
            in_spec = true;
        } else if (c == '!' && byte_at(lexer, lexer->at) == '=') {
            lexer->at++;
        }
    }
    return lex_fail(lexer, open, open + 1, "'{' of the f-string is not closed");
}

static bool skip_string(Lexer *lexer, int quote_at, bool format, int depth) {
    int quote = byte_at(lexer, quote_at);
    bool triple = byte_at(lexer, quote_at + 1) == quote && byte_at(lexer, quote_at + 2) == quote;
    if (depth >= MAX_NESTED_FORMATS)
        return lex_fail(lexer, quote_at, quote_at + 1, "f-strings are nested more than %d deep",
                        MAX_NESTED_FORMATS);
    lexer->at = quote_at + (triple ? 3 : 1);
    while (lexer->at < lexer->end) {
        int c = byte_at(lexer, lexer->at);
        if (is_quote_end(lexer, lexer->at, quote, triple)) {
            lexer->at += triple ? 3 : 1;
            return true;
        }
        if (!triple && (c == '\n' || c == '\r')) break;
        if (c == '\\' && byte_at(lexer, lexer->at + 1) == '\r' &&
            byte_at(lexer, lexer->at + 2) == '\n') {
            lexer->at += 3;
        } else if (c == '\\' && format &&
                   strchr("{}", byte_at(lexer, lexer->at + 1) < 0
                                    ? ' '
                                    : byte_at(lexer, lexer->at + 1))) {
            lexer->at++;
        } else if (c == '\\') {
            /* \N{DASH} in an f-string is a character's name, not an expression. */
            bool named = format && byte_at(lexer, lexer->at + 1) == 'N' &&
                         byte_at(lexer, lexer->at + 2) == '{';
            lexer->at += 2;
            while (named && lexer->at < lexer->end && byte_at(lexer, lexer->at) != '}' &&
                   !is_quote_end(lexer, lexer->at, quote, triple))
                lexer->at++;
        } else if (format && c == '{' && byte_at(lexer, lexer->at + 1) == '{') {
            lexer->at += 2;
        } else if (format && c == '{') {
            int open = lexer->at++;
            if (!skip_replacement(lexer, open, quote, triple, depth)) return false;
        } else {
            lexer->at++;
        }
    }
    if (lexer->at > lexer->end) lexer->at = lexer->end;
    int shown = triple ? quote_at + 3 : lexer->at;
    return lex_fail(lexer, quote_at, shown,
                    triple ? "the triple-quoted string is never closed"
                           : "the string is not closed on its line");
}

bool lex_string(Lexer *lexer, int quote_at, bool format) {
    return skip_string(lexer, quote_at, format, 0);
}

/* ---- what strings mean ---- */

Literal literal_of(const Source *source, Token token) {
    Literal literal = {0};
    const char *text = source->text.data;
    int at = token.start;
    for (; text[at] != '\'' && text[at] != '"'; at++) {
        char c = text[at] | 0x20;
        literal.raw |= c == 'r', literal.bytes |= c == 'b', literal.format |= c == 'f' || c == 't';
        literal.is_template |= c == 't';
    }
    bool triple = token.end - at >= 6 && text[at + 1] == text[at] && text[at + 2] == text[at];
    literal.start = at + (triple ? 3 : 1);
    literal.end = token.end - (triple ? 3 : 1);
    return literal;
}

static void put_utf8(Buf *out, uint32_t c) {
    if (c < 0x80) {
        buf_putc(out, (char)c);
    } else if (c < 0x800) {
        buf_putc(out, (char)(0xc0 | c >> 6)), buf_putc(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_putc(out, (char)(0xe0 | c >> 12)), buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_putc(out, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_putc(out, (char)(0xf0 | c >> 18)), buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f))), buf_putc(out, (char)(0x80 | (c & 0x3f)));
    }
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *text, int at, int end, int digits, uint32_t *value) {
    *value = 0;
    if (end - at < digits) return false;
    for (int i = 0; i < digits; i++) {
        int digit = hex_value(text[at + i]);
        if (digit < 0) return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* The escape whose backslash is at `at`; returns what follows it, or -1 with *why. */
static int decode_escape(const char *text, int at, int end, bool bytes, Buf *out,
                         const char **why) {
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    char c = text[at + 1];
    const char *found = c ? strchr(from, c) : NULL;
    if (c == '\n') return at + 2;
    if (c == '\r') return at + (at + 2 < end && text[at + 2] == '\n' ? 3 : 2);
    if (found) {
        buf_putc(out, to[found - from]);
        return at + 2;
    }
    uint32_t value = 0;
    if (c >= '0' && c <= '7') {
        int i = at + 1;
        for (; i < end && i < at + 4 && text[i] >= '0' && text[i] <= '7'; i++)
            value = value << 3 | (uint32_t)(text[i] - '0');
        if (bytes)
            buf_putc(out, (char)value);
        else
            put_utf8(out, value);
        return i;
    }
    int digits = c == 'x' ? 2 : c == 'u' && !bytes ? 4 : c == 'U' && !bytes ? 8 : 0;
    if (digits) {
        if (!read_hex(text, at + 2, end, digits, &value) || value > 0x10ffff) {
            *why = c == 'x'   ? "expected two hexadecimal digits after '\\x'"
                   : c == 'u' ? "expected four hexadecimal digits after '\\u'"
                              : "expected eight hexadecimal digits of a character after '\\U'";
            return -1;
        }
        if (bytes)
            buf_putc(out, (char)value);
        else
            put_utf8(out, value);
        return at + 2 + digits;
    }
    /* Python keeps an unknown escape as it is; \N{NAME} is kept too: no kernel can use it, and the
     * table of names is larger than tern. */
    buf_putc(out, '\\');
    return at + 1;
}

bool literal_decode(const Source *source, const Literal *literal, int start, int end, Buf *out,
                    const char **why, int *at) {
    const char *text = source->text.data;
    for (int i = start; i < end;) {
        if (text[i] == '\\' && !literal->raw && i + 1 < end) {
            int next = decode_escape(text, i, end, literal->bytes, out, why);
            if (next < 0) {
                *at = i;
                return false;
            }
            i = next;
        } else if (text[i] == '\r') {
            buf_putc(out, '\n');
            i += i + 1 < end && text[i + 1] == '\n' ? 2 : 1;
        } else {
            buf_putc(out, text[i++]);
        }
    }
    return true;
}
