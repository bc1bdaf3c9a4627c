// SPDX-License-Identifier: Apache-2.0
/* report: the public functions that make texts and files of a profile. */
#include "prof/prof.h"

#include <stdlib.h>

static bool table(tern_profile *profile, const tern_table_options *options, Buf *out) {
    ProfRows rows =
        prof_rows(profile->scratch, profile->events, profile->num_events,
                  (ProfGrouping){options->group_by_shape,
                                 options->group_by_stack > 0 ? options->group_by_stack : 0});
    const char *sort_by = options->sort_by;
    int limit = options->row_limit ? options->row_limit : 100;
    if (!sort_by && options->style == TERN_TABLE_OWN)
        sort_by = profile->has_device ? "device_time_total" : "self_cpu_time_total";
    if (sort_by && !prof_sort(profile->scratch, &rows, sort_by)) return false;
    switch (options->style) {
    case TERN_TABLE_OWN: prof_table_own(out, profile, &rows, limit); return true;
    case TERN_TABLE_TORCH:
        prof_table_torch(
            out, &rows,
            &(ProfTorch){limit,
                         options->max_name_column_width ? options->max_name_column_width : 55,
                         options->time_unit, options->top_level_only});
        return true;
    case TERN_TABLE_CSV: prof_table_csv(out, &rows); return true;
    }
    return false;
}

char *tern_profile_table(const tern_profile *given, const tern_table_options *options) {
    tern_profile *profile = (tern_profile *)(uintptr_t)given; /* its arena serves the text */
    tern_table_options full = {0};
    if (options)
        memcpy(&full, options,
               options->size && options->size < sizeof full ? options->size : sizeof full);
    if (!profile->is_ready || profile->out_of_memory || setjmp(profile->no_memory)) return NULL;
    Buf out = {.arena = profile->scratch};
    return table(profile, &full, &out) ? strdup(out.data) : NULL;
}

tern_status tern_profile_save(tern_profile *profile, tern_profile_format format, const char *path) {
    if (!profile->is_ready) return TERN_ERROR_ARGUMENT;
    if (profile->out_of_memory) return TERN_ERROR_NO_MEMORY;
    switch (format) {
    case TERN_PROFILE_CHROME: return prof_save(profile, path, prof_chrome);
    case TERN_PROFILE_SPEEDSCOPE: return prof_save(profile, path, prof_speedscope);
    case TERN_PROFILE_FOLDED: return prof_save(profile, path, prof_folded);
    case TERN_PROFILE_FLAME: return prof_save(profile, path, prof_flame);
    case TERN_PROFILE_JSONL: return prof_save(profile, path, prof_jsonl);
    case TERN_PROFILE_HTML: return prof_save(profile, path, prof_html);
    }
    return TERN_ERROR_ARGUMENT;
}
