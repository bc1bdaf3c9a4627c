// SPDX-License-Identifier: Apache-2.0
#include "device/finding.h"

Finding *finding_add(Findings *findings, tern_finding_kind kind, Span span) {
    for (int i = 0; i < findings->count; i++) {
        Finding *known = &findings->list[i];
        if (known->kind != kind || known->span.source != span.source ||
            known->span.start != span.start)
            continue;
        known->count++;
        return NULL;
    }
    if (findings->count == MOST_FINDINGS) {
        findings->is_full = true;
        return NULL;
    }
    Finding *added = &findings->list[findings->count++];
    *added = (Finding){.kind = kind, .span = span, .count = 1};
    return added;
}
