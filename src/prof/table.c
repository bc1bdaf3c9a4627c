// SPDX-License-Identifier: Apache-2.0
/* table: events by name, and the texts of the three styles. */
#include "prof/prof.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- rows ---- */

static int row_of(Arena *arena, ProfRows *rows, Map *found, const ProfEvent *event) {
    Str key = str_format(arena, "%c%s", event->on_device ? 'd' : 'h', event->name);
    intptr_t known = (intptr_t)map_get(found, key);
    if (known) return (int)known - 1;
    vec_push(arena, rows,
             (ProfRow){.name = event->name,
                       .on_device = event->on_device,
                       .is_own = event->on_device && event->parent < 0,
                       .number = rows->count});
    map_set(found, key, (void *)(intptr_t)rows->count);
    return rows->count - 1;
}

static void note_launched(Arena *arena, ProfRow *row, int launched) {
    for (int i = 0; i < row->launched.count; i++)
        if (row->launched.data[i] == launched) return;
    vec_push(arena, &row->launched, launched);
}

ProfRows prof_rows(Arena *arena, ProfEvent *events, int count) {
    ProfRows rows = {0};
    Map found = {.arena = arena};
    for (int i = 0; i < count; i++) {
        ProfEvent *event = &events[i];
        if (event->is_merged) continue;
        event->row = row_of(arena, &rows, &found, event);
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

static double average(int64_t total, int64_t count) {
    return count ? (double)total / (double)count : 0;
}

static double value_of(const ProfRow *row, int column) {
    switch (column) {
    case 0: return (double)row->cpu_self_ns;
    case 1: return (double)row->cpu_ns;
    case 2: return average(row->cpu_ns, row->count);
    case 3: return (double)row->device_self_ns;
    case 4: return (double)row->device_ns;
    case 5: return average(row->device_ns, row->count);
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

/* ---- torch's text ---- */

static const char *time_text(char text[32], double ns) {
    if (ns >= 1e9)
        snprintf(text, 32, "%.3fs", ns / 1e9);
    else if (ns >= 1e6)
        snprintf(text, 32, "%.3fms", ns / 1e6);
    else
        snprintf(text, 32, "%.3fus", ns / 1e3);
    return text;
}

static const char *share_text(char text[32], int64_t part, int64_t all) {
    if (!all) return "NaN";
    snprintf(text, 32, "%.2f%%", (double)part * 100.0 / (double)all);
    return text;
}

/* How many characters of UTF-8, and how many bytes the first `most` of them have. */
static int characters(const char *text, int most, int *bytes) {
    int count = 0;
    const char *at = text;
    while (*at && count < most) {
        at++, count++;
        while ((*at & 0xc0) == 0x80) at++;
    }
    *bytes = (int)(at - text);
    return count;
}

static void right(Buf *out, const char *text, int width) {
    int bytes, length = characters(text, 1 << 30, &bytes);
    buf_printf(out, "%*s%s  ", length < width ? width - length : 0, "", text);
}

static void put_rule(Buf *out, int width, int num_columns) {
    for (int c = 0; c < num_columns; c++) {
        for (int i = 0; i < (c ? 12 : width); i++) buf_putc(out, '-');
        buf_puts(out, "  ");
    }
    buf_putc(out, '\n');
}

static void put_torch_row(Buf *out, const ProfRow *row, int width, int most_name, bool device,
                          int64_t all_cpu, int64_t all_device) {
    char text[32], name[1200];
    int bytes, length = characters(row->name, 1 << 30, &bytes);
    if (most_name > 0 && length >= most_name - 3) {
        characters(row->name, most_name - 3, &bytes);
        snprintf(name, sizeof name, "%.*s...", bytes < 1100 ? bytes : 1100, row->name);
    } else
        snprintf(name, sizeof name, "%s", row->name);
    right(out, name, width);
    right(out, share_text(text, row->cpu_self_ns, all_cpu), 12);
    right(out, time_text(text, (double)row->cpu_self_ns), 12);
    right(out, share_text(text, row->cpu_ns, all_cpu), 12);
    right(out, time_text(text, (double)row->cpu_ns), 12);
    right(out, time_text(text, average(row->cpu_ns, row->count)), 12);
    if (device) {
        right(out, time_text(text, (double)row->device_self_ns), 12);
        right(out, share_text(text, row->device_self_ns, all_device), 12);
        right(out, time_text(text, (double)row->device_ns), 12);
        right(out, time_text(text, average(row->device_ns, row->count)), 12);
    }
    snprintf(text, sizeof text, "%lld", (long long)row->count);
    right(out, text, 12);
    buf_putc(out, '\n');
}

void prof_table_torch(Buf *out, const ProfRows *rows, int row_limit, int max_name_width) {
    static const char *const headers[] = {"Name",       "Self CPU %",   "Self CPU",  "CPU total %",
                                          "CPU total",  "CPU time avg", "Self CUDA", "Self CUDA %",
                                          "CUDA total", "CUDA time avg"};
    int width = 0, bytes;
    int64_t all_cpu = 0, all_device = 0;
    bool device = false;
    char text[32];
    buf_puts(out, "");
    if (!rows->count) return;
    for (int i = 0; i < rows->count; i++) {
        const ProfRow *row = &rows->data[i];
        int length = characters(row->name, 1 << 30, &bytes) + 4;
        if (length > width) width = length;
        all_cpu += row->cpu_self_ns;
        if (row->on_device) all_device += row->device_self_ns;
        device |= row->device_self_ns > 0;
    }
    if (max_name_width > 0 && width > max_name_width) width = max_name_width;
    int num_headers = device ? 10 : 6;
    put_rule(out, width, num_headers + 1);
    for (int i = 0; i < num_headers; i++) right(out, headers[i], i ? 12 : width);
    right(out, "# of Calls", 12);
    buf_putc(out, '\n');
    put_rule(out, width, num_headers + 1);
    for (int i = 0; i < rows->count && i != row_limit; i++)
        put_torch_row(out, &rows->data[i], width, max_name_width, device, all_cpu, all_device);
    put_rule(out, width, num_headers + 1);
    buf_printf(out, "Self CPU time total: %s\n", time_text(text, (double)all_cpu));
    if (device) buf_printf(out, "Self CUDA time total: %s\n", time_text(text, (double)all_device));
}

/* ---- CSV ---- */

void prof_table_csv(Buf *out, const ProfRows *rows) {
    buf_puts(out, "name,side,calls,self_cpu_ns,cpu_ns,self_device_ns,device_ns\n");
    for (int i = 0; i < rows->count; i++) {
        const ProfRow *row = &rows->data[i];
        buf_putc(out, '"');
        for (const char *at = row->name; *at; at++) {
            if (*at == '"') buf_putc(out, '"');
            buf_putc(out, *at);
        }
        buf_printf(out, "\",%s,%lld,%lld,%lld,%lld,%lld\n", row->on_device ? "device" : "host",
                   (long long)row->count, (long long)row->cpu_self_ns, (long long)row->cpu_ns,
                   (long long)row->device_self_ns, (long long)row->device_ns);
    }
}

/* ---- our own: 100 columns ---- */

typedef struct OwnTable {
    Buf *out;
    const ProfRows *rows;
    int64_t all_cpu, all_device;
    bool device;
} OwnTable;

static void put_cell(Buf *out, bool shown, const char *text, int width) {
    buf_printf(out, "%*s", width, shown ? text : "-");
}

static void put_own_row(const OwnTable *table, const ProfRow *row, int indent) {
    Buf *out = table->out;
    char text[32], share[32];
    int room = (table->device ? 28 : 52) - indent, bytes;
    int length = characters(row->name, room, &bytes);
    bool host = !row->on_device, device = row->device_ns > 0;
    buf_printf(out, "%*s%.*s%*s", indent, "", bytes, row->name, room - length, "");
    put_cell(out, host, time_text(text, (double)row->cpu_self_ns), 10);
    snprintf(share, sizeof share, "%.1f%%",
             table->all_cpu ? (double)row->cpu_self_ns * 100 / (double)table->all_cpu : 0.0);
    put_cell(out, host, share, 8);
    put_cell(out, host, time_text(text, (double)row->cpu_ns), 11);
    if (table->device) {
        put_cell(out, row->device_self_ns > 0, time_text(text, (double)row->device_self_ns), 11);
        snprintf(share, sizeof share, "%.1f%%",
                 table->all_device ? (double)row->device_self_ns * 100 / (double)table->all_device
                                   : 0.0);
        put_cell(out, row->device_self_ns > 0, share, 8);
        put_cell(out, device, time_text(text, average(row->device_ns, row->count)), 11);
    } else
        put_cell(out, host, time_text(text, average(row->cpu_ns, row->count)), 11);
    buf_printf(out, "%8lld\n", (long long)row->count);
}

static void put_line(Buf *out) {
    for (int i = 0; i < 100; i++) buf_putc(out, '-');
    buf_putc(out, '\n');
}

static const ProfRow *row_numbered(const ProfRows *rows, int number) {
    int at = 0;
    while (rows->data[at].number != number) at++;
    return &rows->data[at];
}

static void put_notes(Buf *out, const tern_profile *profile, const OwnTable *table) {
    char a[32], b[32], c[32];
    int64_t wall = profile->end_ns - profile->begin_ns;
    int64_t num_host = 0;
    for (int i = 0; i < profile->num_events; i++) num_host += !profile->events[i].on_device;
    buf_printf(out, "%s; self CPU %s of %s", profile->device, time_text(a, (double)table->all_cpu),
               time_text(b, (double)wall));
    if (table->device) buf_printf(out, ", self GPU %s", time_text(c, (double)table->all_device));
    buf_printf(out, "; recording: %.0f ns a range, %.2f %% of the time\n", profile->range_ns,
               wall ? profile->range_ns * (double)num_host * 100 / (double)wall : 0.0);
    if (table->device)
        buf_puts(out, "times by events: a kernel's has the 1 to 2 us of the events around it\n");
    if (profile->num_dropped)
        buf_printf(out, "%lld events came after the first %d and are not here\n",
                   (long long)profile->num_dropped, profile->max_events);
    if (profile->num_unbalanced)
        buf_printf(out, "%lld ranges were ended that had not begun, or were open at the end\n",
                   (long long)profile->num_unbalanced);
}

/* `rows` as they are sorted; a kernel is shown below each call that enqueued it. */
void prof_table_own(Buf *out, const tern_profile *profile, const ProfRows *rows, int row_limit) {
    OwnTable table = {.out = out, .rows = rows};
    int shown = 0;
    for (int i = 0; i < rows->count; i++) {
        table.all_cpu += rows->data[i].cpu_self_ns;
        if (rows->data[i].on_device) table.all_device += rows->data[i].device_self_ns;
    }
    table.device = profile->has_device;
    buf_printf(out, "%-*s%10s%8s%11s", table.device ? 28 : 52, "Name", "Self CPU", "CPU %",
               "CPU total");
    if (table.device)
        buf_printf(out, "%11s%8s%11s%8s\n", "Self GPU", "GPU %", "GPU avg", "Calls");
    else
        buf_printf(out, "%11s%8s\n", "CPU avg", "Calls");
    put_line(out);
    for (int i = 0; i < rows->count && shown != row_limit; i++) {
        const ProfRow *row = &rows->data[i];
        if (row->on_device && !row->is_own) continue; /* below its call */
        put_own_row(&table, row, 0);
        shown++;
        for (int k = 0; k < row->launched.count; k++)
            put_own_row(&table, row_numbered(rows, row->launched.data[k]), 2);
    }
    put_line(out);
    put_notes(out, profile, &table);
}
