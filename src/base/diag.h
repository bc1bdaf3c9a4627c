// SPDX-License-Identifier: Apache-2.0
/* diag: what is wrong with the user's input, said once, at its place.
 *
 *     softmax.py:3:14: error: shapes do not broadcast: [64, 32] and [64]
 *        3 | y = tl.exp(x - m)
 *          |            ~~^~~
 *     softmax.py:2:5: note: 'm' gets its shape [64] here
 *
 * Wording: lower case, no full stop, user text in ''. A stage reports and goes on with a harmless
 * value; its caller asks diag_failed() once. */
#ifndef TERN_DIAG_H
#define TERN_DIAG_H

#include "base/source.h"

typedef enum DiagKind {
    DIAG_ERROR,   /* the input is wrong */
    DIAG_REFUSED, /* the input is right, but tern does not support it; also counts as failed */
    DIAG_WARNING,
    DIAG_REMARK,  /* what a pass could not do, shown with -v */
    DIAG_PRINTED, /* what the user's text prints while it is compiled; no place, not shown here */
    DIAG_NOTE,    /* belongs to the diagnostic before it */
    DIAG_HELP,    /* likewise: the cure, when we know it */
    DIAG_RAISED,  /* an exception of a running script: the text begins with its class */
} DiagKind;

typedef struct DiagEntry {
    DiagKind kind;
    Span span;
    int caret; /* offset of '^' in the source, or -1: the span's start */
    Str text;
} DiagEntry;

enum { DIAG_MAX_ERRORS = 20 }; /* after these, entries are counted but not kept */

typedef struct Diag {
    Arena *arena;
    VEC(DiagEntry) entries;
    int num_errors, num_refused;
    bool muted; /* drop what follows (used while something is only tried) */
} Diag;

void diag_add(Diag *diag, DiagKind kind, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_error(Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_refused(Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_remark(Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_help(Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_set_caret(Diag *diag, int offset); /* of the newest entry */
bool diag_failed(const Diag *diag);
void diag_print(const Diag *diag, bool with_remarks,
                Buf *out); /* the text above, for all entries */
/* The same without remarks, and without the end of the last line; as a C string, too. */
Str diag_words(Arena *arena, const Diag *diag);

#endif
