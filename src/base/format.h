// SPDX-License-Identifier: Apache-2.0
/* format: the formats of C's printf, as kernels print: pieces of text and conversions. */
#ifndef TERN_FORMAT_H
#define TERN_FORMAT_H

#include "base/base.h"

enum {
    MAX_FIELD = 1000,      /* a width or precision: more is no conversion */
    CONVERSION_ROOM = 2048 /* of the longest text: the digits of a double, and MAX_FIELD more */
};

typedef struct Conversion {
    char flags[8];
    int width, precision; /* -1: none */
    int bytes;            /* of an integer as the format says; of others 8 */
    char letter;          /* 0: it is none that CUDA has */
} Conversion;

typedef struct FormatPiece {
    Str text; /* as it stands there; of %% one of them */
    bool converts;
    Conversion conversion;
} FormatPiece;

bool format_next(Str *rest, FormatPiece *piece); /* false: the format ends */
bool conversion_is_float(const Conversion *c);

/* What is printed for a value of these bits, a double's where it is a float; its length. Not of
 * %s. */
int conversion_text(char out[CONVERSION_ROOM], const Conversion *c, uint64_t bits);

#endif
