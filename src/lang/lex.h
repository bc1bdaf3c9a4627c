// SPDX-License-Identifier: Apache-2.0
/* lex: Python's tokens, one at a time. A Lexer is a plain value: copying it saves the place, which
 * is how the parser looks ahead. */
#ifndef TERN_LEX_H
#define TERN_LEX_H

#include "base/diag.h"

typedef enum TokenKind {
#define TOKEN(kind, text)       TOKEN_##kind,
#define KEYWORD(kind, text)     TOKEN_##kind,
#define PUNCTUATION(kind, text) TOKEN_##kind,
#include "lang/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCTUATION
    NUM_TOKENS
} TokenKind;

typedef struct Token {
    TokenKind kind;
    int start, end;
} Token;

enum {
    MAX_BRACKETS = 200, /* open at once, as in CPython */
    MAX_INDENTS = 100,  /* likewise */
};

typedef struct Lexer {
    Arena *arena;
    const Source *source;
    int at, end;
    int num_brackets;
    int brackets[MAX_BRACKETS]; /* offsets of the open ones */
    int num_indents;
    int indents[MAX_INDENTS], tab_indents[MAX_INDENTS]; /* a tab to 8 columns; a tab as one */
    int dedents;                                        /* still to hand out */
    bool line_start, line_has_tokens;
    bool inside;   /* an expression in an f-string: newlines mean nothing */
    Str complaint; /* of the last TOKEN_ERROR */
    Span complaint_span;
} Lexer;

void lexer_init(Lexer *lexer, Arena *arena, const Source *source, int start, int end, bool inside);
Token lexer_next(Lexer *lexer);
const char *token_text(TokenKind kind); /* as tokens.def has it */

/* From the error at `at`, in the statement that starts at `start`: the next line at the left edge
 * that can start a statement, or the end. Strings are stepped over, brackets are not trusted. */
int lexer_resync(const Lexer *lexer, int start, int at);

/* ---- lex_literal.c ---- */

typedef struct Literal { /* the parts of a string token */
    bool raw, bytes, format, is_template;
    int start, end; /* of what is between the quotes */
} Literal;

/* Past the number or string at lexer->at; false: the complaint is set. */
bool lex_number(Lexer *lexer, TokenKind *kind);
bool lex_string(Lexer *lexer, int quote_at, bool format);
/* The length of r, b, f, t .. before a quote, or -1. */
int string_prefix(Str text, int at, bool *format);
Literal literal_of(const Source *source, Token token);
/* Appends text [start, end) with its escapes decoded. False: *why and *at say what is wrong. */
bool literal_decode(const Source *source, const Literal *literal, int start, int end, Buf *out,
                    const char **why, int *at);
bool lex_fail(Lexer *lexer, int start, int end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool is_identifier_part(unsigned char c);

#endif
