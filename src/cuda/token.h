// SPDX-License-Identifier: Apache-2.0
/* token: the tokens of CUDA C, before and after the preprocessor. A token keeps where it is
 * written, and of which macros' expansion it came, so that a message can name both. */
#ifndef TERN_CU_TOKEN_H
#define TERN_CU_TOKEN_H

#include "base/diag.h"
#include "base/float.h"

typedef enum CuTokenKind {
    CU_END,
    CU_NAME,
    CU_NUMBER, /* as the preprocessor has it: 0x1p3f, 1e+5, 12ull */
    CU_CHAR,
    CU_STRING,
    CU_PUNCT,
    CU_OTHER, /* a byte that begins no token; an error where the parser meets it */
} CuTokenKind;

typedef struct CuExpansion {
    Str macro;
    Span at; /* where its name was written */
    const struct CuExpansion *outer;
} CuExpansion;

typedef struct CuPlace {
    Span span;
    const CuExpansion *from; /* NULL: written there */
} CuPlace;

typedef struct CuHide { /* macros that are not expanded in a token again */
    Str name;
    const struct CuHide *next;
} CuHide;

typedef struct CuToken CuToken;
struct CuToken {
    CuTokenKind kind;
    bool line_start, space_before;
    Str text; /* without line splices */
    CuPlace place;
    const CuHide *hide;
    CuToken *unroll; /* what `#pragma unroll` before it says, up to CU_END; NULL: there is none */
    CuToken *next;   /* of the last, which is CU_END: itself */
};

static inline bool cu_is(const CuToken *token, const char *text) {
    return (token->kind == CU_PUNCT || token->kind == CU_NAME) && str_is(token->text, text);
}

/* All tokens of a text, the last is CU_END. A comment without end is an error. */
CuToken *cu_lex(Arena *arena, const Source *source, Diag *diag);

typedef struct CuNumber {
    bool is_float, is_single; /* 1.0f */
    bool is_unsigned;
    int longs; /* 0, 1, 2 */
    bool is_decimal;
    double number;
    uint64_t integer;
} CuNumber;
/* NULL, or what is wrong with it. */
const char *cu_number(Arena *arena, Str text, CuNumber *number);
/* 'a', '\n', '\x41': one byte. */
const char *cu_char(Str text, int64_t *value);

/* ---- messages: at the macro's use, with a note of where the text stands ---- */
CuPlace cu_join(CuPlace a, CuPlace b);
void cu_error(Diag *diag, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cu_refused(Diag *diag, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Span cu_span(CuPlace place); /* in the text that the user wrote: of the outermost macro's use */

/* ---- the preprocessor ---- */

typedef struct CuDefine {
    const char *name, *text;
} CuDefine;

typedef struct CuUnread {
    Str name;
    Span at;
    bool is_outside; /* it was not looked for: its path climbs out of the folders */
    const struct CuUnread *next;
} CuUnread;
typedef struct CuIncluded { /* an #include that was obeyed */
    Span at;                /* of the word `include` */
    const Source *source;   /* what was read for it; NULL: it had said #pragma once */
    const struct CuIncluded *next;
} CuIncluded;
typedef struct CuHeaders {
    const CuUnread *unread;   /* not found: said where a name is missing */
    const CuUnread *left_out; /* of the host */
    const CuIncluded *included;
} CuHeaders;
/* The tokens of `source` with directives done and macros expanded; NULL after an error. path: of
 * the file, beside which "includes" lie; empty: the text is from memory. options may be NULL. */
typedef struct CuOptions CuOptions;
CuToken *cu_preprocess(Arena *arena, const Source *source, Str path, const CuOptions *options,
                       CuHeaders *headers, Diag *diag);
/* Constants that headers of the host define, as #define has them. */
void cu_pp_constants(Buf *out);

#endif
