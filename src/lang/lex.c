// SPDX-License-Identifier: Apache-2.0
/* lex: tokens, logical lines and indentation.
 *
 * As in Python's own tokenizer a newline inside brackets means nothing, blank lines and comments
 * leave no token, and a change of the indentation becomes INDENT or DEDENTs. One addition: a
 * bracket that is never closed ends at a line that can only be a statement (`def` at the left
 * edge), so that one slip does not swallow the file. */
#include "lang/lex.h"

const char *token_text(TokenKind kind) {
    static const char *const texts[NUM_TOKENS] = {
#define TOKEN(name, text)       [TOKEN_##name] = text,
#define KEYWORD(name, text)     [TOKEN_##name] = text,
#define PUNCTUATION(name, text) [TOKEN_##name] = text,
#include "lang/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCTUATION
    };
    return texts[kind];
}

void lexer_init(Lexer *lexer, Arena *arena, const Source *source, int start, int end, bool inside) {
    *lexer = (Lexer){.arena = arena,
                     .source = source,
                     .at = start,
                     .end = end,
                     .inside = inside,
                     .line_start = !inside,
                     .num_indents = 1};
    if (start == 0 && !inside && str_starts(source->text, "\xef\xbb\xbf")) lexer->at = 3;
}

bool lex_fail(Lexer *lexer, int start, int end, const char *format, ...) {
    Buf text = {.arena = lexer->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    lexer->complaint = buf_str(&text);
    lexer->complaint_span = (Span){lexer->source, start, end};
    return false;
}

static bool is_identifier_start(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

bool is_identifier_part(unsigned char c) {
    return is_identifier_start(c) || (c >= '0' && c <= '9');
}

static int byte_at(const Lexer *lexer, int at) {
    return at < lexer->end ? (unsigned char)lexer->source->text.data[at] : -1;
}

static int newline_length(const Lexer *lexer, int at) {
    int c = byte_at(lexer, at);
    if (c == '\n') return 1;
    if (c != '\r') return 0;
    return byte_at(lexer, at + 1) == '\n' ? 2 : 1;
}

static void skip_comment(Lexer *lexer) {
    while (lexer->at < lexer->end && !newline_length(lexer, lexer->at)) lexer->at++;
}

static Token error_token(Lexer *lexer) {
    return (Token){TOKEN_ERROR, lexer->complaint_span.start, lexer->complaint_span.end};
}

/* ---- indentation ---- */

static bool open_indent(Lexer *lexer, int column, int tab_column) {
    if (tab_column <= lexer->tab_indents[lexer->num_indents - 1])
        return lex_fail(lexer, lexer->at, lexer->at,
                        "inconsistent use of tabs and spaces in indentation");
    if (lexer->num_indents == MAX_INDENTS)
        return lex_fail(lexer, lexer->at, lexer->at, "blocks are nested more than %d deep",
                        MAX_INDENTS);
    lexer->indents[lexer->num_indents] = column;
    lexer->tab_indents[lexer->num_indents++] = tab_column;
    return true;
}

static bool close_indents(Lexer *lexer, int column, int tab_column) {
    while (lexer->num_indents > 1 && lexer->indents[lexer->num_indents - 1] > column)
        lexer->num_indents--, lexer->dedents++;
    int top = lexer->num_indents - 1;
    if (lexer->indents[top] != column)
        return lex_fail(lexer, lexer->at, lexer->at,
                        "the indentation matches no block around this line");
    if (lexer->tab_indents[top] != tab_column)
        return lex_fail(lexer, lexer->at, lexer->at,
                        "inconsistent use of tabs and spaces in indentation");
    return true;
}

/* At the start of a logical line: skips blank lines, then says how the line is indented. True when
 * *token is to be handed out. */
static bool begin_line(Lexer *lexer, Token *token) {
    int column = 0, tab_column = 0;
    for (; lexer->at < lexer->end; lexer->at++) {
        int c = byte_at(lexer, lexer->at);
        if (c == ' ')
            column++, tab_column++;
        else if (c == '\t')
            column = column / 8 * 8 + 8, tab_column++;
        else if (c == '\f')
            column = tab_column = 0;
        else if (c == '#')
            skip_comment(lexer), lexer->at--;
        else if (newline_length(lexer, lexer->at)) {
            lexer->at += newline_length(lexer, lexer->at) - 1;
            column = tab_column = 0;
        } else
            break;
    }
    lexer->line_start = false;
    if (lexer->at >= lexer->end) return false;
    int start = lexer->at, top = lexer->num_indents - 1;
    bool ok = true;
    *token = (Token){TOKEN_INDENT, start, start};
    if (column > lexer->indents[top]) {
        ok = open_indent(lexer, column, tab_column);
    } else {
        ok = close_indents(lexer, column, tab_column);
        if (ok && !lexer->dedents) return false;
        lexer->dedents -= ok;
        token->kind = TOKEN_DEDENT;
    }
    if (!ok) *token = error_token(lexer);
    return true;
}

/* ---- one token ---- */

static TokenKind keyword_kind(Str word) {
#define TOKEN(kind, text)
#define KEYWORD(kind, text)                                                                        \
    if (str_is(word, text)) return TOKEN_##kind;
#define PUNCTUATION(kind, text)
    if (word.length < 2 || word.length > 8) return TOKEN_NAME;
#include "lang/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCTUATION
    return TOKEN_NAME;
}

static TokenKind punctuation_kind(Str rest) {
    if (!rest.length) return TOKEN_ERROR;
#define TOKEN(kind, text)
#define KEYWORD(kind, text)
#define PUNCTUATION(kind, text)                                                                    \
    if (rest.data[0] == text[0] && str_starts(rest, text)) return TOKEN_##kind;
#include "lang/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCTUATION
    return TOKEN_ERROR;
}

/* The character at `at`, which is valid UTF-8 (checked for the whole file beforehand). */
static uint32_t code_point(Str text, int at, int *length) {
    unsigned char c = (unsigned char)text.data[at];
    *length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    uint32_t value = *length == 1 ? c : c & (0x7fu >> *length);
    for (int i = 1; i < *length && at + i < text.length; i++)
        value = value << 6 | ((unsigned char)text.data[at + i] & 0x3fu);
    return value;
}

/* Characters that editors and web pages put where ASCII was meant: quotes, spaces, arrows, signs.
 * Not all that Unicode bars from names, but what people meet. */
static bool never_in_name(uint32_t c) {
    if (c < 0xc0) return c != 0xaa && c != 0xb5 && c != 0xba && c != 0xb7;
    if (c == 0xd7 || c == 0xf7 || c == 0xfeff || c == 0xfffd) return true;
    return (c >= 0x2000 && c <= 0x206f && c != 0x203f && c != 0x2040 && c != 0x2054) ||
           (c >= 0x2190 && c <= 0x2bff) || (c >= 0x3000 && c <= 0x3004) ||
           (c >= 0x3008 && c <= 0x3020) || (c >= 0xe000 && c <= 0xf8ff) ||
           (c >= 0xff01 && c <= 0xff0f) || (c >= 0xff1a && c <= 0xff20) ||
           (c >= 0x1f000 && c <= 0x1faff);
}

static Token lex_name(Lexer *lexer) {
    Str text = lexer->source->text;
    int start = lexer->at;
    while (lexer->at < lexer->end && is_identifier_part((unsigned char)text.data[lexer->at])) {
        int length = 1;
        uint32_t c = code_point(text, lexer->at, &length);
        if (c >= 0x80 && never_in_name(c)) {
            int bad = lexer->at;
            lexer->at += length;
            lex_fail(lexer, bad, bad + length, "character '%.*s' (U+%04X) cannot stand here",
                     length, text.data + bad, c);
            return error_token(lexer);
        }
        lexer->at += length;
    }
    Str word = {text.data + start, lexer->at - start};
    return (Token){keyword_kind(word), start, lexer->at};
}

static Token close_bracket(Lexer *lexer, Token token) {
    static const char pairs[] = "()[]{}";
    char c = lexer->source->text.data[token.start];
    if (!lexer->num_brackets) {
        lex_fail(lexer, token.start, token.end, "'%c' does not close anything", c);
        return error_token(lexer);
    }
    int opened = lexer->brackets[--lexer->num_brackets];
    char open = lexer->source->text.data[opened];
    if (strchr(pairs, open)[1] == c) return token;
    int line, column;
    source_position(lexer->source, opened, &line, &column);
    lex_fail(lexer, token.start, token.end, "'%c' does not close the '%c' of line %d", c, open,
             line);
    return error_token(lexer);
}

static Token lex_punctuation(Lexer *lexer) {
    Str text = lexer->source->text, rest = {text.data + lexer->at, lexer->end - lexer->at};
    TokenKind kind = punctuation_kind(rest);
    int start = lexer->at;
    if (lexer->inside && !lexer->num_brackets) {
        /* The end of an expression in an f-string: {x:=5} has the format spec '=5'. */
        if (kind == TOKEN_WALRUS) kind = TOKEN_COLON;
        if (kind == TOKEN_RBRACE || kind == TOKEN_COLON) {
            lexer->at++;
            return (Token){kind, start, start + 1};
        }
    }
    if (kind == TOKEN_ERROR) {
        unsigned char c = (unsigned char)rest.data[0];
        lexer->at++;
        if (c == '\\')
            lex_fail(lexer, start, start + 1, "expected the end of the line after '\\'");
        else if (c < 0x20 || c == 0x7f)
            lex_fail(lexer, start, start + 1, "control character U+%04X cannot stand here", c);
        else
            lex_fail(lexer, start, start + 1, "character '%c' cannot stand here", c);
        return error_token(lexer);
    }
    Token token = {kind, start, start + (int)strlen(token_text(kind))};
    lexer->at = token.end;
    if (kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE) {
        if (lexer->num_brackets == MAX_BRACKETS) {
            lex_fail(lexer, start, token.end, "brackets are nested more than %d deep",
                     MAX_BRACKETS);
            return error_token(lexer);
        }
        lexer->brackets[lexer->num_brackets++] = start;
    } else if (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE) {
        return close_bracket(lexer, token);
    }
    return token;
}

/* Inside brackets, a line at the left edge with a word that no expression can hold: the bracket
 * was forgotten. */
static bool is_statement_line(const Lexer *lexer) {
    if (lexer->inside || (lexer->at && lexer->source->text.data[lexer->at - 1] != '\n'))
        return false;
    static const char *const words[] = {"def ",   "class ", "import ", "return ",
                                        "while ", "with ",  "try:"};
    Str rest = {lexer->source->text.data + lexer->at, lexer->end - lexer->at};
    for (int i = 0; i < COUNT(words); i++)
        if (str_starts(rest, words[i])) return true;
    return false;
}

static Token unclosed(Lexer *lexer) {
    int at = lexer->brackets[lexer->num_brackets - 1];
    lex_fail(lexer, at, at + 1, "'%c' is never closed", lexer->source->text.data[at]);
    /* The place where the parser goes on from is here, not at the bracket. */
    return (Token){TOKEN_ERROR, lexer->at, lexer->at};
}

/* Skips blanks, comments, continued lines; true when a newline token is due. */
static bool skip_blanks(Lexer *lexer) {
    while (lexer->at < lexer->end) {
        int c = byte_at(lexer, lexer->at), length = newline_length(lexer, lexer->at);
        if (c == ' ' || c == '\t' || c == '\f')
            lexer->at++;
        else if (c == '#')
            skip_comment(lexer);
        else if (c == '\\' && newline_length(lexer, lexer->at + 1))
            lexer->at += 1 + newline_length(lexer, lexer->at + 1);
        else if (length && (lexer->num_brackets || lexer->inside)) {
            lexer->at += length;
            if (lexer->num_brackets && is_statement_line(lexer)) return false;
        } else
            return length > 0;
    }
    return false;
}

static Token end_token(Lexer *lexer) {
    if (lexer->num_brackets) return unclosed(lexer);
    if (lexer->line_has_tokens && !lexer->inside) {
        lexer->line_has_tokens = false;
        return (Token){TOKEN_NEWLINE, lexer->end, lexer->end};
    }
    if (lexer->num_indents > 1) {
        lexer->num_indents--;
        return (Token){TOKEN_DEDENT, lexer->end, lexer->end};
    }
    return (Token){TOKEN_END, lexer->end, lexer->end};
}

Token lexer_next(Lexer *lexer) {
    Token token;
    if (lexer->dedents) {
        lexer->dedents--;
        return (Token){TOKEN_DEDENT, lexer->at, lexer->at};
    }
    if (lexer->line_start && begin_line(lexer, &token)) return token;
    if (skip_blanks(lexer)) {
        token = (Token){TOKEN_NEWLINE, lexer->at, lexer->at + newline_length(lexer, lexer->at)};
        lexer->at = token.end;
        lexer->line_start = true, lexer->line_has_tokens = false;
        return token;
    }
    if (lexer->at >= lexer->end) return end_token(lexer);
    if (lexer->num_brackets && is_statement_line(lexer)) return unclosed(lexer);
    lexer->line_has_tokens = true;
    Str text = lexer->source->text;
    unsigned char c = (unsigned char)text.data[lexer->at];
    bool format;
    int prefix = string_prefix(text, lexer->at, &format), start = lexer->at;
    if (prefix >= 0) {
        if (!lex_string(lexer, start + prefix, format)) return error_token(lexer);
        return (Token){TOKEN_STRING, start, lexer->at};
    }
    if (is_identifier_start(c)) return lex_name(lexer);
    bool dot_digit =
        c == '.' && byte_at(lexer, lexer->at + 1) >= '0' && byte_at(lexer, lexer->at + 1) <= '9';
    if ((c >= '0' && c <= '9') || dot_digit) {
        TokenKind kind;
        if (!lex_number(lexer, &kind)) return error_token(lexer);
        return (Token){kind, start, lexer->at};
    }
    return lex_punctuation(lexer);
}

/* ---- after an error ---- */

static bool starts_statement(Str text, int at) {
    static const char *const words[] = {"else", "elif", "except", "finally"};
    unsigned char c = (unsigned char)text.data[at];
    if (at && text.data[at - 1] != '\n') return false;
    if (c != '@' && !is_identifier_start(c)) return false;
    Str rest = {text.data + at, text.length - at};
    for (int i = 0; i < COUNT(words); i++)
        if (str_starts(rest, words[i]) &&
            !is_identifier_part((unsigned char)rest.data[strlen(words[i])]))
            return false;
    return true;
}

static int skip_plain_string(Str text, int at) {
    char quote = text.data[at];
    bool triple = at + 2 < text.length && text.data[at + 1] == quote && text.data[at + 2] == quote;
    int i = at + (triple ? 3 : 1);
    for (; i < text.length; i++) {
        if (text.data[i] == '\\')
            i++;
        else if (!triple && (text.data[i] == quote || text.data[i] == '\n'))
            return i + (text.data[i] == quote);
        else if (triple && text.data[i] == quote && i + 2 < text.length &&
                 text.data[i + 1] == quote && text.data[i + 2] == quote)
            return i + 3;
    }
    return triple ? at + 3 : text.length;
}

int lexer_resync(const Lexer *lexer, int start, int at) {
    Str text = lexer->source->text;
    while (at < text.length) {
        char c = text.data[at];
        if (at > start && starts_statement(text, at)) return at;
        if (c == '\'' || c == '"') {
            at = skip_plain_string(text, at);
        } else if (c == '#') {
            while (at < text.length && text.data[at] != '\n') at++;
        } else {
            at++;
        }
    }
    return text.length;
}
