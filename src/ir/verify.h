// SPDX-License-Identifier: Apache-2.0
/* verify: what verify.c and verify_place.c share. */
#ifndef TERN_VERIFY_H
#define TERN_VERIFY_H

#include "ir/ir.h"

typedef struct Verifier {
    Arena *arena;
    const Func *fn;
    const char *why;
    const Op *where;
    const Value **seen; /* by id: the value that has it */
    bool *visible;      /* by id: its definition may be used here */
    int depth;
    int isolated_depth; /* values defined outside this depth may not be used; 0: all may */
    int *defined_at;    /* by id: depth of the definition */
} Verifier;

/* Notes the first thing that is wrong; false. op NULL: with the function itself. */
bool verify_bad(Verifier *v, const Op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *verify_text_of(Verifier *v, const Type *type);

/* ---- verify_place.c ---- */
bool verify_form(Verifier *v);                                  /* and the list of places */
bool verify_place(Verifier *v, const Op *op, const Type *type); /* of a value that op has */
bool verify_places(Verifier *v, const Op *op); /* what op ties together; its types fit */

#endif
