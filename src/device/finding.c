// SPDX-License-Identifier: Apache-2.0
#include "device/finding.h"

#include <stdio.h>

Finding *finding_add(Findings *findings, tern_finding_kind kind, Span span) {
    for (int i = 0; i < findings->count; i++) {
        Finding *known = &findings->list[i];
        if (known->kind != kind || known->span.source != span.source ||
            known->span.start != span.start)
            continue;
        known->count++;
        return NULL;
    }
    if (findings->count == MOST_FINDINGS) return NULL;
    Finding *added = &findings->list[findings->count++];
    *added = (Finding){.kind = kind, .span = span, .count = 1};
    if (findings->count < MOST_FINDINGS) return added;
    added->kind = TERN_NOT_CHECKED;
    snprintf(added->text, sizeof added->text,
             "what else there is, from here on: %d places are kept", MOST_FINDINGS - 1);
    return NULL;
}
