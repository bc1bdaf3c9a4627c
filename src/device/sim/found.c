// SPDX-License-Identifier: Apache-2.0
/* found: what a watched device finds: what stopped a launch. The rest interp sees, which runs the
 * same program lane by lane. */
#include "device/sim/sim.h"

#include <stdio.h>

void sim_find_failure(Findings *findings, const Failure *failure) {
    Finding *found = failure->kind ? finding_add(findings, failure->kind, failure->span) : NULL;
    if (!found) return;
    const char *where = failure->note;
    if (str_starts(str_of(where), "in ")) where += 3;
    snprintf(found->text, sizeof found->text, "%.380s", failure->text);
    snprintf(found->where, sizeof found->where, "%.*s", (int)strcspn(where, "\n;"), where);
    const char *other = strstr(failure->note, "\nthe other: ");
    if (!other) return;
    size_t used = strlen(found->where);
    other++;
    snprintf(found->where + used, sizeof found->where - used, "; %.*s", (int)strcspn(other, "\n"),
             other);
}

const Findings *sim_find_all(Arena *arena, const Totals *totals) {
    if (!totals->findings || !totals->race_limited) return totals->findings;
    Findings *all = arena_new_of(arena, Findings);
    *all = *totals->findings;
    Finding *found = finding_add(all, TERN_NOT_CHECKED, (Span){0});
    if (found)
        snprintf(found->text, sizeof found->text,
                 "all races on sim: memory or waiting programs are more than it follows");
    return all;
}
