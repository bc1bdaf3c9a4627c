// SPDX-License-Identifier: Apache-2.0
/* torch: rows in the text of torch.profiler's key_averages().table(..): its columns, widths, units
 * and cuts, of torch/autograd/profiler_util.py. */
#include "prof/prof.h"

#include <stdio.h>

enum { COLUMN = 12, WIDEST_SHAPES = 80, WIDEST_SOURCE = 75 }; /* profiler_util's defaults */

typedef struct TorchTable {
    Buf *out;
    const ProfTorch *options;
    int name_width, shapes_width, source_width; /* of columns; 0: there is none */
    int num_times;                              /* columns of times and shares */
    bool device;
    int64_t all_cpu, all_device;
} TorchTable;

static int least(int a, int b) { return a < b ? a : b; }

static int length_of(const char *text) {
    int bytes;
    return prof_characters(text, 1 << 30, &bytes);
}

static const char *shapes_of(const ProfRow *row) { return row->shapes ? row->shapes : "[]"; }

static const char *time_text(const TorchTable *table, char text[32], double ns) {
    switch (table->options->unit) {
    case TERN_TIME_AUTO: return prof_time(text, ns);
    case TERN_TIME_S: snprintf(text, 32, "%.3fs", ns / 1e9); return text;
    case TERN_TIME_MS: snprintf(text, 32, "%.3fms", ns / 1e6); return text;
    case TERN_TIME_US: snprintf(text, 32, "%.3fus", ns / 1e3); return text;
    }
    BUG("a unit of no kind");
}

static const char *share_text(char text[32], int64_t part, int64_t all) {
    if (!all) return "NaN";
    snprintf(text, 32, "%.2f%%", (double)part * 100.0 / (double)all);
    return text;
}

static void right(Buf *out, const char *text, int width) {
    int length = length_of(text);
    buf_printf(out, "%*s%s  ", length < width ? width - length : 0, "", text);
}

static void left(Buf *out, const char *text, int width) {
    int length = length_of(text);
    buf_printf(out, "%s%*s  ", text, length < width ? width - length : 0, "");
}

static void put_dashes(Buf *out, int count) {
    for (int i = 0; i < count; i++) buf_putc(out, '-');
    buf_puts(out, "  ");
}

static void put_rule(const TorchTable *table) {
    put_dashes(table->out, table->name_width);
    for (int i = 0; i <= table->num_times; i++) put_dashes(table->out, COLUMN);
    if (table->shapes_width) put_dashes(table->out, table->shapes_width);
    if (table->source_width) put_dashes(table->out, table->source_width);
    buf_putc(table->out, '\n');
}

static void put_header(const TorchTable *table) {
    static const char *const headers[] = {"Self CPU %",  "Self CPU",     "CPU total %",
                                          "CPU total",   "CPU time avg", "Self CUDA",
                                          "Self CUDA %", "CUDA total",   "CUDA time avg"};
    put_rule(table);
    right(table->out, "Name", table->name_width);
    for (int i = 0; i < table->num_times; i++) right(table->out, headers[i], COLUMN);
    right(table->out, "# of Calls", COLUMN);
    if (table->shapes_width) right(table->out, "Input Shapes", table->shapes_width);
    if (table->source_width) left(table->out, "Source Location", table->source_width);
    buf_putc(table->out, '\n');
    put_rule(table);
}

/* Cut from the left. */
static void put_source(const TorchTable *table, const char *source) {
    int width = table->source_width, over = length_of(source) - width, bytes;
    if (over <= 0) {
        left(table->out, source, width);
        return;
    }
    prof_characters(source, over + 3, &bytes);
    buf_printf(table->out, "...%s  ", source + bytes);
}

/* All columns but the last one empty. */
static void put_continued(const TorchTable *table, const char *source) {
    right(table->out, "", table->name_width);
    for (int i = 0; i <= table->num_times; i++) right(table->out, "", COLUMN);
    if (table->shapes_width) right(table->out, "", table->shapes_width);
    put_source(table, source);
    buf_putc(table->out, '\n');
}

static void put_name(const TorchTable *table, const char *name) {
    int most = table->options->max_name_width, bytes;
    if (most > 0 && length_of(name) >= most - 3) {
        prof_characters(name, most - 3 > 0 ? most - 3 : 0, &bytes);
        name = str_format(table->out->arena, "%.*s...", bytes, name).data;
    }
    right(table->out, name, table->name_width);
}

static void put_row(const TorchTable *table, const ProfRow *row) {
    Buf *out = table->out;
    char text[32];
    put_name(table, row->name);
    right(out, share_text(text, row->cpu_self_ns, table->all_cpu), COLUMN);
    right(out, time_text(table, text, (double)row->cpu_self_ns), COLUMN);
    right(out, share_text(text, row->cpu_ns, table->all_cpu), COLUMN);
    right(out, time_text(table, text, (double)row->cpu_ns), COLUMN);
    right(out, time_text(table, text, prof_average(row->cpu_ns, row->count)), COLUMN);
    if (table->device) {
        right(out, time_text(table, text, (double)row->device_self_ns), COLUMN);
        right(out, share_text(text, row->device_self_ns, table->all_device), COLUMN);
        right(out, time_text(table, text, (double)row->device_ns), COLUMN);
        right(out, time_text(table, text, prof_average(row->device_ns, row->count)), COLUMN);
    }
    snprintf(text, sizeof text, "%lld", (long long)row->count);
    right(out, text, COLUMN);
    if (table->shapes_width) {
        int bytes;
        prof_characters(shapes_of(row), table->shapes_width, &bytes);
        right(out, str_format(out->arena, "%.*s", bytes, shapes_of(row)).data, table->shapes_width);
    }
    if (table->source_width) put_source(table, row->stack.count ? row->stack.data[0] : "");
    buf_putc(out, '\n');
    for (int i = 1; i < row->stack.count; i++) put_continued(table, row->stack.data[i]);
    if (table->source_width) put_continued(table, "");
}

static void lay_out(TorchTable *table, const ProfRows *rows) {
    int shapes = 0, source = 0, most = table->options->max_name_width;
    bool has_shapes = false;
    for (int i = 0; i < rows->count; i++) {
        const ProfRow *row = &rows->data[i];
        int name = length_of(row->name) + 4, of_shapes = length_of(shapes_of(row)) + 4;
        if (name > table->name_width) table->name_width = name;
        if (of_shapes > shapes) shapes = of_shapes;
        has_shapes |= row->shapes != NULL;
        for (int k = 0; k < row->stack.count; k++)
            if (length_of(row->stack.data[k]) + 4 > source)
                source = length_of(row->stack.data[k]) + 4;
        table->all_cpu += row->cpu_self_ns;
        if (row->on_device) table->all_device += row->device_self_ns;
        table->device |= row->device_self_ns > 0;
    }
    if (most > 0) table->name_width = least(table->name_width, most);
    table->shapes_width = has_shapes ? least(shapes, WIDEST_SHAPES) : 0;
    table->source_width = least(source, WIDEST_SOURCE);
    table->num_times = table->device ? 9 : 5;
}

void prof_table_torch(Buf *out, const ProfRows *rows, const ProfTorch *options) {
    TorchTable table = {.out = out, .options = options};
    char text[32];
    buf_puts(out, "");
    if (!rows->count) return;
    lay_out(&table, rows);
    if (options->top_level_only) {
        int line = table.name_width + (table.num_times + 1) * (COLUMN + 2);
        if (table.shapes_width) line += table.shapes_width + 2;
        if (table.source_width) line += table.source_width + 2;
        for (int i = 0; i < line; i++) buf_putc(out, '=');
        buf_puts(out, "\nThis report only display top-level ops statistics\n");
    }
    put_header(&table);
    for (int i = 0, shown = 0; i < rows->count && shown != options->row_limit; i++) {
        if (options->top_level_only && !rows->data[i].is_top) continue;
        put_row(&table, &rows->data[i]);
        shown++;
    }
    put_rule(&table);
    buf_printf(out, "Self CPU time total: %s\n", time_text(&table, text, (double)table.all_cpu));
    if (table.device)
        buf_printf(out, "Self CUDA time total: %s\n",
                   time_text(&table, text, (double)table.all_device));
}
