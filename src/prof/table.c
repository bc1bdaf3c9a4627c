// SPDX-License-Identifier: Apache-2.0
/* table: our own text of rows, and CSV; torch's is in torch.c. */
#include "prof/prof.h"

#include <stdio.h>

/* ---- CSV ---- */

static void put_quoted(Buf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '"') buf_putc(out, '"');
        buf_putc(out, *text);
    }
}

void prof_table_csv(Buf *out, const ProfRows *rows) {
    buf_puts(out, "name,side,calls,self_cpu_ns,cpu_ns,self_device_ns,device_ns,shapes,inside\n");
    for (int i = 0; i < rows->count; i++) {
        const ProfRow *row = &rows->data[i];
        buf_putc(out, '"');
        put_quoted(out, row->name);
        buf_printf(out, "\",%s,%lld,%lld,%lld,%lld,%lld,\"", row->on_device ? "device" : "host",
                   (long long)row->count, (long long)row->cpu_self_ns, (long long)row->cpu_ns,
                   (long long)row->device_self_ns, (long long)row->device_ns);
        put_quoted(out, row->shapes ? row->shapes : "");
        buf_puts(out, "\",\"");
        for (int k = 0; k < row->stack.count; k++) {
            if (k) buf_putc(out, ';');
            put_quoted(out, row->stack.data[k]);
        }
        buf_puts(out, "\"\n");
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
    Buf words = {.arena = out->arena}; /* the name, and what else the row is of */
    buf_puts(&words, row->name);
    if (row->shapes) buf_printf(&words, " %s", row->shapes);
    for (int i = 0; i < row->stack.count; i++) buf_printf(&words, " < %s", row->stack.data[i]);
    for (char *at = words.data; *at; at++) /* a terminal would obey it */
        if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
    int length = prof_characters(words.data, room, &bytes);
    bool host = !row->on_device, device = row->device_ns > 0;
    buf_printf(out, "%*s%.*s%*s", indent, "", bytes, words.data, room - length, "");
    put_cell(out, host, prof_time(text, (double)row->cpu_self_ns), 10);
    snprintf(share, sizeof share, "%.1f%%",
             table->all_cpu ? (double)row->cpu_self_ns * 100 / (double)table->all_cpu : 0.0);
    put_cell(out, host, share, 8);
    put_cell(out, host, prof_time(text, (double)row->cpu_ns), 11);
    if (table->device) {
        put_cell(out, row->device_self_ns > 0, prof_time(text, (double)row->device_self_ns), 11);
        snprintf(share, sizeof share, "%.1f%%",
                 table->all_device ? (double)row->device_self_ns * 100 / (double)table->all_device
                                   : 0.0);
        put_cell(out, row->device_self_ns > 0, share, 8);
        put_cell(out, device, prof_time(text, prof_average(row->device_ns, row->count)), 11);
    } else
        put_cell(out, host, prof_time(text, prof_average(row->cpu_ns, row->count)), 11);
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

/* From a column on, in lines of 100 where words allow it; more lines begin with `indent` blanks. */
static void put_words(Buf *out, const char *words, int column, int indent) {
    for (const char *at = words; *at;) {
        int length = (int)strcspn(at, " "), width = 0;
        for (int i = 0; i < length; i++) width += (at[i] & 0xc0) != 0x80;
        if (column > indent && column + width > 100) {
            buf_printf(out, "\n%*s", indent, "");
            column = indent;
        }
        for (int i = 0; i < length; i++) /* a terminal would obey it */
            buf_putc(out, (unsigned char)at[i] < ' ' || at[i] == 127 ? '?' : at[i]);
        column += width + 1;
        at += length;
        while (*at == ' ') at++;
        if (*at) buf_putc(out, ' ');
    }
    buf_putc(out, '\n');
}

/* Whose the times of the device are, and what is known to be wrong with them. */
static void put_times(Buf *out, const tern_profile *profile, bool device) {
    char a[32];
    int64_t wall = profile->end_ns - profile->begin_ns, own_ns = 0;
    if (profile->why_events[0] && device) {
        buf_puts(out, "times by events: a kernel's has the 2 to 3 us of the events around it\n");
        buf_puts(out, "not by CUPTI: ");
        put_words(out, profile->why_events, 14, 2);
    }
    if (!profile->cupti.api || profile->why_events[0]) return;
    for (int i = 0; i < PROF_OVERHEADS; i++)
        if (i < PROF_MODULE_LOADING || i > PROF_QUEUE_FULL) own_ns += profile->overheads[i].ns;
    buf_printf(out,
               "times by CUPTI, API %u\n"
               "its own work took %s, %.2f %% of the time, without what it adds to %scalls\n",
               profile->cupti.api, prof_time(a, (double)own_ns),
               wall > 0 ? (double)own_ns * 100 / (double)wall : 0.0,
               profile->launch_ns >= 0 ? "other " : "");
    if (profile->cupti.has_no_peers)
        buf_puts(out, "copies from one GPU to another are not here: CUPTI does not record them\n");
    if (profile->num_lost)
        buf_printf(out,
                   "up to %lld of its records are lost: there was no room, or they had no time\n",
                   (long long)profile->num_lost);
    if (profile->early_ns)
        buf_printf(out, "work seems to begin up to %s before its call: the clocks differ by that\n",
                   prof_time(a, (double)profile->early_ns));
}

static void put_notes(Buf *out, const tern_profile *profile, const OwnTable *table) {
    char a[32], b[32], c[32];
    int64_t wall = profile->end_ns - profile->begin_ns;
    put_words(out, profile->device, 0, 2);
    buf_printf(out, "self CPU %s of %s", prof_time(a, (double)table->all_cpu),
               prof_time(b, (double)wall));
    if (table->device) buf_printf(out, ", self GPU %s", prof_time(c, (double)table->all_device));
    buf_printf(out, "\nrecording: %.0f ns a range, ", prof_range_ns(profile));
    if (profile->launch_ns >= 0) buf_printf(out, "%.0f ns a launch, ", profile->launch_ns);
    buf_printf(out, "%.2f %% of the time\n",
               wall ? prof_recording_ns(profile) * 100 / (double)wall : 0.0);
    put_times(out, profile, table->device);
    size_t most = profile->options.max_events; /* or memory ran out before */
    if (profile->num_dropped)
        buf_printf(out, "%lld events came after the first %zu and are not here\n",
                   (long long)profile->num_dropped,
                   (size_t)prof_num_marks(profile) < most ? (size_t)profile->num_events : most);
    if (profile->num_deep)
        buf_printf(out, "%lld ranges and calls were inside of %d others and are not here\n",
                   (long long)profile->num_deep, PROF_MAX_DEPTH);
    if (profile->num_untimed)
        buf_printf(out, "%lld calls have no time of the device: events could not be recorded\n",
                   (long long)profile->num_untimed);
    if (profile->frames_by_address)
        buf_puts(out, "C functions by addresses: libdw.so.1 is not here\n");
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
    ProfFindings findings = prof_findings(profile);
    for (int i = 0; i < findings.count; i++) {
        buf_printf(out, "%-9s %2d ", i ? "" : "findings", i + 1);
        put_words(out, findings.data[i].words, 13, 13);
    }
}
