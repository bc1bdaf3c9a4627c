// SPDX-License-Identifier: Apache-2.0
/* rows: events by name, and what tables say of times and names. */
#include "prof/prof.h"

#include <stdio.h>
#include <stdlib.h>

/* The i-th from the innermost: C functions where these were recorded, else what it is inside of.
 * NULL: there are no more. */
static const char *inside(const ProfEvent *events, int at, int i) {
    const ProfFrames *frames = events[at].on_device ? NULL : events[at].frames;
    if (frames) return i < frames->count ? frames->names[i] : NULL;
    int up = events[at].parent;
    for (; up >= 0 && i > 0; i--) up = events[up].parent;
    return up >= 0 ? events[up].name : NULL;
}

/* What rows differ by: nothing in it may be taken for something else: lengths go before texts. */
static void put_key(Buf *key, const ProfEvent *events, int at, const ProfGrouping *by) {
    const ProfEvent *event = &events[at];
    key->length = 0;
    buf_printf(key, "%c%zu:%s", event->on_device ? 'd' : 'h', strlen(event->name), event->name);
    if (by->shape) buf_puts(key, event->shapes ? event->shapes : "[]");
    for (int i = 0; i < by->stack && inside(events, at, i); i++) {
        const char *name = inside(events, at, i);
        buf_printf(key, ";%zu:%s", strlen(name), name);
    }
}

static int row_of(Buf *key, ProfRows *rows, Map *found, const ProfEvent *events, int at,
                  const ProfGrouping *by) {
    Arena *arena = key->arena;
    const ProfEvent *event = &events[at];
    put_key(key, events, at, by);
    intptr_t known = (intptr_t)map_get(found, buf_str(key));
    if (known) return (int)known - 1;
    int number = rows->count; /* while it is pushed, the count may be the old or the new one */
    vec_push(arena, rows,
             (ProfRow){.name = event->name,
                       .shapes = by->shape ? event->shapes : NULL,
                       .on_device = event->on_device,
                       .is_top = event->on_device || event->parent < 0,
                       .is_own = event->on_device && event->parent < 0,
                       .number = number});
    ProfRow *row = &rows->data[rows->count - 1];
    for (int i = 0; i < by->stack && inside(events, at, i); i++)
        vec_push(arena, &row->stack, inside(events, at, i));
    map_set(found, str_copy(arena, buf_str(key)), (void *)(intptr_t)rows->count);
    return rows->count - 1;
}

static void note_launched(Arena *arena, ProfRow *row, int launched) {
    for (int i = 0; i < row->launched.count; i++)
        if (row->launched.data[i] == launched) return;
    vec_push(arena, &row->launched, launched);
}

ProfRows prof_rows(Arena *arena, ProfEvent *events, int count, ProfGrouping by) {
    ProfRows rows = {0};
    Map found = {.arena = arena};
    Buf key = {.arena = arena};
    for (int i = 0; i < count; i++) {
        ProfEvent *event = &events[i];
        if (event->is_merged) continue;
        event->row = row_of(&key, &rows, &found, events, i, &by);
        ProfRow *row = &rows.data[event->row];
        row->count++;
        if (!event->on_device) row->cpu_ns += event->end_ns - event->start_ns;
        row->cpu_self_ns += event->self_ns;
        row->device_ns += event->device_total_ns;
        row->device_self_ns += event->device_self_ns;
    }
    for (int i = 0; i < count; i++)
        if (events[i].on_device && events[i].parent >= 0)
            note_launched(arena, &rows.data[events[events[i].parent].row], events[i].row);
    return rows;
}

double prof_average(int64_t total, int64_t count) {
    return count ? (double)total / (double)count : 0;
}

static double value_of(const ProfRow *row, int column) {
    switch (column) {
    case 0: return (double)row->cpu_self_ns;
    case 1: return (double)row->cpu_ns;
    case 2: return prof_average(row->cpu_ns, row->count);
    case 3: return (double)row->device_self_ns;
    case 4: return (double)row->device_ns;
    case 5: return prof_average(row->device_ns, row->count);
    default: return (double)row->count;
    }
}

static const char *const columns[] = {
    "self_cpu_time_total", "cpu_time_total", "cpu_time", "self_device_time_total",
    "device_time_total",   "device_time",    "count"};

static int column_find(const char *name) {
    char plain[64];
    const char *cuda = strstr(name, "cuda");
    snprintf(plain, sizeof plain, "%.*s%s%s", cuda ? (int)(cuda - name) : 60, name,
             cuda ? "device" : "", cuda ? cuda + 4 : "");
    for (int i = 0; i < COUNT(columns); i++)
        if (!strcmp(columns[i], plain)) return i;
    return -1;
}

typedef struct Ranked {
    ProfRow row;
    double value;
} Ranked;

static int by_value(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return a->row.number - b->row.number;
}

bool prof_sort(Arena *arena, ProfRows *rows, const char *sort_by) {
    int column = column_find(sort_by);
    Ranked *ranked = arena_array(arena, Ranked, rows->count);
    if (column < 0) return false;
    for (int i = 0; i < rows->count; i++)
        ranked[i] = (Ranked){rows->data[i], value_of(&rows->data[i], column)};
    if (rows->count) qsort(ranked, (size_t)rows->count, sizeof *ranked, by_value);
    for (int i = 0; i < rows->count; i++) rows->data[i] = ranked[i].row;
    return true;
}

/* ---- texts ---- */

const char *prof_time(char text[32], double ns) {
    if (ns >= 1e9)
        snprintf(text, 32, "%.3fs", ns / 1e9);
    else if (ns >= 1e6)
        snprintf(text, 32, "%.3fms", ns / 1e6);
    else
        snprintf(text, 32, "%.3fus", ns / 1e3);
    return text;
}

/* How many characters of UTF-8, and how many bytes the first `most` of them have. */
int prof_characters(const char *text, int most, int *bytes) {
    int count = 0;
    const char *at = text;
    while (*at && count < most) {
        at++, count++;
        while ((*at & 0xc0) == 0x80) at++;
    }
    *bytes = (int)(at - text);
    return count;
}
