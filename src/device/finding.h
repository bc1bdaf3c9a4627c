// SPDX-License-Identifier: Apache-2.0
/* finding: what a watched kernel was seen to do wrong, or in vain: one entry for each kind and
 * place, however often it happened. Of a fixed size, because it is filled in while a kernel
 * runs. */
#ifndef TERN_FINDING_H
#define TERN_FINDING_H

#include "base/source.h"
#include "tern.h"

typedef struct Finding {
    tern_finding_kind kind;
    Span span;
    uint64_t count; /* how often; text and where are of the first time */
    char text[400], where[400];
} Finding;

enum { MOST_FINDINGS = 64 };
typedef struct Findings {
    int count;
    Finding list[MOST_FINDINGS];
} Findings;

/* The new entry, whose words are to be filled in; NULL: it is known already, or there is no room,
 * which the last entry says. */
Finding *finding_add(Findings *findings, tern_finding_kind kind, Span span);

#endif
