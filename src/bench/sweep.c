// SPDX-License-Identifier: Apache-2.0
/* sweep: figures over x, as table and CSV. The short CSV is what pandas writes for
 * triton.testing.Benchmark: "%.6f", no index, an empty field where there is no figure. */
#include "bench/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- collecting ---- */

static const char **copy_names(Arena *arena, const char *const *names, int count) {
    const char **copies = arena_array(arena, const char *, count);
    for (int i = 0; i < count; i++) copies[i] = str_c(arena, str_of(names[i]));
    return copies;
}

static const char *copy_text(Arena *arena, const char *text) {
    return text ? str_c(arena, str_of(text)) : NULL;
}

static const tern_line_style *copy_styles(Arena *arena, const tern_line_style *styles, int count) {
    if (!styles) return NULL;
    tern_line_style *copies = arena_array(arena, tern_line_style, count);
    for (int i = 0; i < count; i++)
        copies[i] =
            (tern_line_style){copy_text(arena, styles[i].color), copy_text(arena, styles[i].dash)};
    return copies;
}

/* As Matplotlib writes dashes, and Triton's examples. */
int line_dash(const char *dash) {
    static const char *const dashes[] = {"-", "--", ":", "-."};
    for (int i = 0; i < COUNT(dashes); i++)
        if (!dash || !strcmp(dash, dashes[i])) return i + 1;
    return 0;
}

static bool is_sensible(const tern_sweep_options *o) {
    if (!o->name || !o->y_label || o->num_x < 1 || o->num_x > TERN_MAX_X || o->num_lines < 1)
        return false;
    for (int i = 0; i < o->num_x; i++)
        if (!o->x_names[i]) return false;
    for (int i = 0; i < o->num_lines; i++)
        if (!o->line_names[i] || (o->styles && !line_dash(o->styles[i].dash))) return false;
    return o->num_lines <= 64;
}

static bool fill(tern_sweep *sweep, const tern_sweep_options *options) {
    if (setjmp(sweep->oom)) return false;
    Arena *arena = sweep->arena = arena_new(&sweep->oom);
    sweep->options = *options;
    sweep->options.name = copy_text(arena, options->name);
    sweep->options.x_label =
        copy_text(arena, options->x_label ? options->x_label : options->x_names[0]);
    sweep->options.y_label = copy_text(arena, options->y_label);
    sweep->options.styles = copy_styles(arena, options->styles, options->num_lines);
    sweep->options.y_title = copy_text(arena, options->y_title);
    if (options->peaks) sweep->peaks = *options->peaks, sweep->options.peaks = &sweep->peaks;
    sweep->options.ceiling_name =
        copy_text(arena, options->ceiling_name ? options->ceiling_name : "ceiling");
    sweep->x_names = copy_names(arena, options->x_names, options->num_x);
    sweep->line_names = copy_names(arena, options->line_names, options->num_lines);
    sweep->message = "";
    return true;
}

tern_sweep *tern_sweep_create(const tern_sweep_options *given) {
    tern_sweep_options options = {0};
    memcpy(&options, given,
           given->size && given->size < sizeof options ? given->size : sizeof options);
    if (!is_sensible(&options)) return NULL;
    tern_sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep && fill(sweep, &options)) return sweep;
    tern_sweep_free(sweep);
    return NULL;
}

void tern_sweep_free(tern_sweep *sweep) {
    if (!sweep) return;
    arena_free(sweep->arena);
    free(sweep);
}

const char *tern_sweep_message(const tern_sweep *sweep) { return sweep->message; }

static SweepRow *row_of(tern_sweep *sweep, const double *x) {
    size_t size = (size_t)sweep->options.num_x * sizeof *x;
    for (int i = 0; i < sweep->rows.count; i++)
        if (!memcmp(sweep->rows.data[i].x, x, size)) return &sweep->rows.data[i];
    SweepRow row = {.cells = arena_array(sweep->arena, SweepCell, sweep->options.num_lines)};
    memcpy(row.x, x, size);
    vec_push(sweep->arena, &sweep->rows, row);
    return &sweep->rows.data[sweep->rows.count - 1];
}

tern_status tern_sweep_add(tern_sweep *sweep, const tern_point *point) {
    if (point->line < 0 || point->line >= sweep->options.num_lines) return TERN_ERROR_ARGUMENT;
    for (int i = 0; i < sweep->options.num_x; i++)
        if (!isfinite(point->x[i])) return TERN_ERROR_ARGUMENT;
    if (setjmp(sweep->oom)) return TERN_ERROR_NO_MEMORY;
    SweepCell *cell = &row_of(sweep, point->x)->cells[point->line];
    *cell = (SweepCell){.present = true, .y = point->y, .low = point->y_min, .high = point->y_max};
    cell->failed = copy_text(sweep->arena, point->failed);
    cell->where = copy_text(sweep->arena, point->where);
    if (!cell->failed && !isfinite(point->y)) cell->failed = "not a number";
    if (cell->failed) cell->y = cell->low = cell->high = NAN;
    cell->bytes = point->bytes, cell->flops = point->flops;
    if (point->timing) {
        cell->has_timing = true;
        cell->timing = *point->timing;
        cell->timing.samples = NULL;
    }
    return TERN_OK;
}

/* ---- numbers ---- */

/* Five figures, without an exponent where it can. */
static void number_print(Buf *out, double value) {
    double size = fabs(value);
    if (value == floor(value) && size < 1e15)
        buf_printf(out, "%.0f", value);
    else if (size >= 1e15 || size < 1e-4)
        buf_printf(out, "%.4e", value);
    else {
        int whole = size < 1 ? 0 : (int)floor(log10(size)) + 1;
        int zeros = size < 1 ? -(int)floor(log10(size)) - 1 : 0;
        buf_printf(out, "%.*f", whole >= 5 ? 0 : 5 - whole + zeros, value);
    }
}

/* ---- table ---- */

static Str cell_text(Arena *arena, const SweepCell *cell) {
    Buf out = {.arena = arena};
    if (!cell->present)
        buf_puts(&out, "-");
    else if (cell->failed)
        buf_puts(&out, "failed");
    else
        number_print(&out, cell->y);
    return buf_str(&out);
}

static void pad(Buf *out, Str text, int width) {
    buf_printf(out, "%*s%.*s", width > text.length ? width - text.length : 0, "", STR_ARG(text));
}

/* Behind x and the lines: which device had a line's points, where any point says so. */
static int num_columns(const tern_sweep *sweep) {
    int count = sweep->options.num_x + sweep->options.num_lines;
    for (int i = 0; i < sweep->rows.count; i++)
        for (int k = 0; k < sweep->options.num_lines; k++)
            if (sweep->rows.data[i].cells[k].where) return count + sweep->options.num_lines;
    return count;
}

static bool is_where(const tern_sweep *sweep, int column) {
    return column >= sweep->options.num_x + sweep->options.num_lines;
}

static const char *where_text(const tern_sweep *sweep, const SweepRow *row, int column) {
    const SweepCell *cell = &row->cells[column - sweep->options.num_x - sweep->options.num_lines];
    return cell->where ? cell->where : "";
}

static Str column_head(const tern_sweep *sweep, int column) {
    int num_x = sweep->options.num_x, num_lines = sweep->options.num_lines;
    if (column < num_x) return str_of(sweep->x_names[column]);
    if (is_where(sweep, column))
        return num_lines == 1 ? STR("device")
                              : str_format(sweep->arena, "%s device",
                                           sweep->line_names[column - num_x - num_lines]);
    return str_format(sweep->arena, "%s (%s)", sweep->line_names[column - num_x],
                      sweep->options.y_label);
}

static Str column_text(const tern_sweep *sweep, const SweepRow *row, int column) {
    int num_x = sweep->options.num_x;
    if (is_where(sweep, column)) return str_of(where_text(sweep, row, column));
    if (column >= num_x) return cell_text(sweep->arena, &row->cells[column - num_x]);
    Buf out = {.arena = sweep->arena};
    number_print(&out, row->x[column]);
    return buf_str(&out);
}

static Str text_table(tern_sweep *sweep) {
    Buf out = {.arena = sweep->arena};
    int columns = num_columns(sweep);
    int *widths = arena_array(sweep->arena, int, columns);
    buf_printf(&out, "%s:\n", sweep->options.name);
    for (int row = -1; row < sweep->rows.count; row++)
        for (int i = 0; i < columns; i++) {
            Str text =
                row < 0 ? column_head(sweep, i) : column_text(sweep, &sweep->rows.data[row], i);
            if (text.length > widths[i]) widths[i] = text.length;
        }
    for (int row = -1; row < sweep->rows.count; row++) {
        for (int i = 0; i < columns; i++) {
            Str text =
                row < 0 ? column_head(sweep, i) : column_text(sweep, &sweep->rows.data[row], i);
            pad(&out, text, widths[i] + (i ? 2 : 0));
        }
        buf_putc(&out, '\n');
    }
    return buf_str(&out);
}

/* ---- CSV ---- */

static void csv_field(Buf *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"') buf_putc(out, '"');
        buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

static void csv_number(Buf *out, double value) {
    buf_putc(out, ',');
    if (isfinite(value)) buf_printf(out, "%.6f", value);
}

static void csv_exact(Buf *out, double value) {
    buf_putc(out, ',');
    if (isfinite(value)) buf_printf(out, "%.9g", value);
}

static void csv_short(Buf *out, const tern_sweep *sweep) {
    int columns = num_columns(sweep);
    for (int i = 0; i < columns; i++) {
        if (i) buf_putc(out, ',');
        csv_field(out, column_head(sweep, i).data);
    }
    buf_putc(out, '\n');
    for (int row = 0; row < sweep->rows.count; row++) {
        const SweepRow *r = &sweep->rows.data[row];
        buf_printf(out, "%.6f", r->x[0]);
        for (int i = 1; i < sweep->options.num_x; i++) csv_number(out, r->x[i]);
        for (int i = 0; i < sweep->options.num_lines; i++)
            csv_number(out, r->cells[i].present ? r->cells[i].y : (double)NAN);
        for (int i = 0; i < columns; i++) {
            if (!is_where(sweep, i)) continue;
            buf_putc(out, ',');
            csv_field(out, where_text(sweep, r, i));
        }
        buf_putc(out, '\n');
    }
}

static void csv_trust(Buf *out, unsigned trust) {
    const char *between = "";
    buf_putc(out, ',');
    for (unsigned bit = 1; bit; bit <<= 1) {
        const char *words = trust & bit ? tern_trust_words(bit) : NULL;
        if (!words) continue;
        buf_printf(out, "%s%.*s", between, (int)strcspn(words, ":,"), words);
        between = "; ";
    }
}

static void csv_full_row(Buf *out, const tern_sweep *sweep, const SweepRow *row, int line,
                         bool has_where) {
    const SweepCell *cell = &row->cells[line];
    const tern_timing *t = &cell->timing;
    const double times[] = {t->median, t->mean,  t->min,     t->max,    t->q20,
                            t->q80,    t->stdev, t->host_ms, t->cpu_ms, t->floor_ms};
    for (int i = 0; i < sweep->options.num_x; i++) buf_printf(out, "%.17g,", row->x[i]);
    csv_field(out, sweep->line_names[line]);
    csv_exact(out, cell->y), csv_exact(out, cell->low), csv_exact(out, cell->high);
    for (int i = 0; i < COUNT(times); i++)
        csv_exact(out, cell->has_timing ? times[i] : (double)NAN);
    if (cell->has_timing) {
        buf_printf(out, ",%zu,%zu,%zu", t->num_samples, t->num_outliers, t->cold_bytes);
        csv_trust(out, t->trust);
    } else
        buf_puts(out, ",,,,");
    buf_putc(out, ',');
    csv_field(out, cell->failed ? cell->failed : "");
    if (has_where) buf_putc(out, ','), csv_field(out, cell->where ? cell->where : "");
    buf_putc(out, '\n');
}

static void csv_full(Buf *out, const tern_sweep *sweep) {
    for (int i = 0; i < sweep->options.num_x; i++) {
        csv_field(out, sweep->x_names[i]);
        buf_putc(out, ',');
    }
    buf_puts(out, "line,");
    csv_field(out, sweep->options.y_label);
    buf_puts(
        out,
        ",low,high,median_ms,mean_ms,min_ms,max_ms,q20_ms,q80_ms,stdev_ms,host_ms,cpu_ms,floor_ms,"
        "samples,outliers,cold_bytes,trust,failed");
    bool has_where = num_columns(sweep) > sweep->options.num_x + sweep->options.num_lines;
    buf_puts(out, has_where ? ",device\n" : "\n");
    for (int row = 0; row < sweep->rows.count; row++)
        for (int line = 0; line < sweep->options.num_lines; line++)
            if (sweep->rows.data[row].cells[line].present)
                csv_full_row(out, sweep, &sweep->rows.data[row], line, has_where);
}

Str sweep_text_csv(tern_sweep *sweep, bool full) {
    Buf out = {.arena = sweep->arena};
    if (full)
        csv_full(&out, sweep);
    else
        csv_short(&out, sweep);
    return buf_str(&out);
}

/* ---- for the caller ---- */

static char *given_away(Str text) {
    char *copy = malloc((size_t)text.length + 1);
    if (copy) memcpy(copy, text.data, (size_t)text.length + 1);
    return copy;
}

char *tern_sweep_table(tern_sweep *sweep) {
    return setjmp(sweep->oom) ? NULL : given_away(text_table(sweep));
}

char *tern_sweep_csv(tern_sweep *sweep, bool full) {
    return setjmp(sweep->oom) ? NULL : given_away(sweep_text_csv(sweep, full));
}

char *tern_sweep_gnuplot(tern_sweep *sweep) {
    return setjmp(sweep->oom) ? NULL : given_away(sweep_text_gnuplot(sweep));
}
