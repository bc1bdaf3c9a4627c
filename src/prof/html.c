// SPDX-License-Identifier: Apache-2.0
/* html: a profile as one page: the table, the calls of a row, a timeline, the flame graph. The page
 * is report.html of this folder; what it shows is put into it as JSON. Nothing is fetched. */
#include "prof/prof.h"

enum { MOST_SHOWN = 50000 }; /* events: some MB, and drawn at once */

extern const char text_report_start[], text_report_end[];

/* JSON inside of a <script>: no '<' may end it. */
static void put_text(Buf *out, const char *text) {
    Buf json = {.arena = out->arena};
    buf_json(&json, str_of(text));
    for (size_t i = 0; i < json.length; i++) {
        if (json.data[i] == '<')
            buf_puts(out, "\\u003c");
        else
            buf_putc(out, json.data[i]);
    }
}

static void put_rows(ProfFile *file, const ProfRows *rows) {
    Buf *out = &file->text;
    buf_puts(out, ",\n\"rows\":[");
    for (int i = 0; i < rows->count; i++) {
        const ProfRow *row = &rows->data[i];
        buf_puts(out, i ? ",\n{\"name\":" : "\n{\"name\":");
        put_text(out, row->name);
        buf_printf(out,
                   ",\"device\":%s,\"calls\":%lld,\"cpu\":%lld,\"cpu_self\":%lld,"
                   "\"device_total\":%lld,\"device_self\":%lld}",
                   row->on_device ? "true" : "false", (long long)row->count, (long long)row->cpu_ns,
                   (long long)row->cpu_self_ns, (long long)row->device_ns,
                   (long long)row->device_self_ns);
        prof_drain(file);
    }
    buf_putc(out, ']');
}

typedef struct Shown { /* which track, and how deep in it, an event lies */
    int *track, *depth;
    int count;
} Shown;

static Shown put_tracks(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    Arena *arena = profile->scratch;
    ProfTracks tracks = prof_tracks(arena, profile->events, profile->num_events);
    Shown shown = {arena_array(arena, int, profile->num_events),
                   arena_array(arena, int, profile->num_events), 0};
    buf_puts(out, ",\n\"tracks\":[");
    for (int t = 0; t < tracks.count; t++) {
        const ProfTrack *track = &tracks.data[t];
        int deepest = 0;
        for (int i = 0; i < track->events.count; i++) {
            int at = track->events.data[i], depth = prof_depth(profile->events, at);
            shown.track[at] = t;
            shown.depth[at] = depth;
            if (depth > deepest) deepest = depth;
        }
        buf_printf(out, "%s{\"name\":\"%s\",\"depth\":%d}", t ? "," : "",
                   prof_track_name(profile, track).data, deepest + 1);
    }
    buf_putc(out, ']');
    return shown;
}

static void put_events(ProfFile *file, const tern_profile *profile, Shown *shown) {
    Buf *out = &file->text;
    buf_puts(out, ",\n\"events\":[");
    for (int i = 0; i < profile->num_events && shown->count < MOST_SHOWN; i++) {
        const ProfEvent *event = &profile->events[i];
        if (event->is_merged) continue;
        buf_printf(out, "%s[%d,%d,%lld,%lld,%d]", shown->count++ ? "," : "", event->row,
                   shown->track[i], (long long)event->start_ns, (long long)event->end_ns,
                   shown->depth[i]);
        prof_drain(file);
    }
    buf_putc(out, ']');
}

static void put_data(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    ProfRows rows =
        prof_rows(profile->scratch, profile->events, profile->num_events, (ProfGrouping){false, 0});
    int64_t all = 0, wall = profile->end_ns - profile->begin_ns;
    for (int i = 0; i < profile->num_events; i++) {
        all += !profile->events[i].is_merged;
        if (profile->events[i].end_ns > wall) wall = profile->events[i].end_ns;
    }
    buf_puts(out, "{\"device\":");
    put_text(out, profile->device);
    buf_printf(out,
               ",\"wall\":%lld,\"range\":%.1f,\"recording\":%.0f,\"dropped\":%lld,\"deep\":%lld,"
               "\"untimed\":%lld,\"unbalanced\":%lld,"
               "\"events_all\":%lld",
               (long long)wall, prof_range_ns(profile), prof_recording_ns(profile),
               (long long)profile->num_dropped, (long long)profile->num_deep,
               (long long)profile->num_untimed, (long long)profile->num_unbalanced, (long long)all);
    buf_printf(out, ",\"by_events\":%s,\"findings\":[", profile->why_events[0] ? "true" : "false");
    ProfFindings findings = prof_findings(profile);
    for (int i = 0; i < findings.count; i++) {
        if (i) buf_putc(out, ',');
        put_text(out, findings.data[i].words);
    }
    buf_putc(out, ']');
    put_rows(file, &rows);
    Shown shown = put_tracks(file, profile);
    put_events(file, profile, &shown);
    buf_printf(out, ",\"shown\":%d}", shown.count);
}

/* Up to a mark of the page, which is left out. */
static const char *put_until(Buf *out, const char *from, const char *mark) {
    const char *to = strstr(from, mark);
    if (!to) BUG("report.html has no %s", mark);
    buf_add(out, from, (size_t)(to - from));
    return to + strlen(mark);
}

void prof_html(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    const char *at = put_until(out, text_report_start, "<!--FLAME-->");
    prof_flame_svg(file, profile);
    at = put_until(out, at, "<!--DATA-->");
    put_data(file, profile);
    buf_add(out, at, (size_t)(text_report_end - at));
}
