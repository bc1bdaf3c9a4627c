// SPDX-License-Identifier: Apache-2.0
/* roofline: the points of a sweep over operations a byte, below the ceilings that were measured:
 * what memory can feed, and what multiply-adds can do. A point is where its counted work and its
 * time put it. */
#include "bench/sweep.h"

#include <math.h>

typedef struct Extent {
    double low_x, high_x, low_y, high_y;
} Extent;

static bool has_place(const SweepCell *cell) {
    return cell->present && !cell->failed && cell->has_timing && cell->bytes > 0 &&
           cell->flops > 0 && cell->timing.median > 0;
}

static double intensity(const SweepCell *cell) { return cell->flops / cell->bytes; }
static double gflops(const SweepCell *cell) {
    return cell->flops / (cell->timing.median * 1e-3) / 1e9;
}

static int line_points(const tern_sweep *sweep, int line) {
    int count = 0;
    for (int i = 0; i < sweep->rows.count; i++)
        count += has_place(&sweep->rows.data[i].cells[line]);
    return count;
}

static Extent extent_of(const tern_sweep *sweep) {
    const tern_peaks *peaks = &sweep->peaks;
    double ridge = peaks->fma / peaks->copy; /* where memory feeds all that the units can do */
    Extent e = {ridge, ridge, peaks->fma / 1e9, peaks->fma / 1e9};
    for (int i = 0; i < sweep->rows.count; i++)
        for (int line = 0; line < sweep->options.num_lines; line++) {
            const SweepCell *cell = &sweep->rows.data[i].cells[line];
            if (!has_place(cell)) continue;
            e.low_x = fmin(e.low_x, intensity(cell)), e.high_x = fmax(e.high_x, intensity(cell));
            e.low_y = fmin(e.low_y, gflops(cell)), e.high_y = fmax(e.high_y, gflops(cell));
        }
    return (Extent){e.low_x / 4, e.high_x * 8, e.low_y / 3, e.high_y * 3};
}

static void rate_text(Buf *out, double rate, const char *unit) {
    bool is_big = rate >= 1e12;
    buf_printf(out, "%.3g %s%s", rate / (is_big ? 1e12 : 1e9), is_big ? "T" : "G", unit);
}

static void put_data(Buf *out, const tern_sweep *sweep, int line) {
    buf_printf(out, "$line%d << EOD\n", line + 1);
    for (int i = 0; i < sweep->rows.count; i++) {
        const SweepCell *cell = &sweep->rows.data[i].cells[line];
        if (has_place(cell))
            buf_printf(out, "%.9g %.9g %.9g\n", intensity(cell), gflops(cell),
                       sweep->rows.data[i].x[0]);
    }
    buf_puts(out, "EOD\n");
}

static void put_roofs(Buf *out, const tern_sweep *sweep) {
    const tern_peaks *peaks = &sweep->peaks;
    Buf memory = {.arena = sweep->arena}, caches = {.arena = sweep->arena},
        top = {.arena = sweep->arena};
    buf_puts(&memory, "memory "), rate_text(&memory, peaks->copy, "B/s");
    buf_puts(&top, "fp32 multiply-add "), rate_text(&top, peaks->fma, "FLOP/s");
    buf_puts(&caches, "caches "), rate_text(&caches, peaks->cached, "B/s");
    buf_printf(out, "roof(x, rate) = x * rate < %.9g ? x * rate : %.9g\nset samples 800\n",
               peaks->fma / 1e9, peaks->fma / 1e9);
    buf_puts(out, "set label 1 "), script_quoted(out, top.data);
    buf_printf(out, " at graph 0.98, first %.9g right noenhanced\nplot ", 1.35 * peaks->fma / 1e9);
    if (peaks->cached > 1.05 * peaks->copy) {
        buf_printf(
            out, "roof(x, %.9g) with lines dashtype 2 linecolor rgb '#707070' linewidth 1.2 title ",
            peaks->cached / 1e9);
        script_quoted(out, caches.data);
        buf_puts(out, ", \\\n     ");
    }
    buf_printf(out, "roof(x, %.9g) with lines linecolor rgb '#303030' linewidth 1.6 title ",
               peaks->copy / 1e9);
    script_quoted(out, memory.data);
}

Str sweep_text_roofline(tern_sweep *sweep) {
    Buf out = {.arena = sweep->arena};
    int lines = sweep->options.num_lines, points = 0;
    for (int i = 0; i < lines; i++) points += line_points(sweep, i);
    if (!points || !(sweep->peaks.copy > 0 && sweep->peaks.fma > 0)) return buf_str(&out);
    Extent e = extent_of(sweep);
    script_head(&out, str_format(sweep->arena, "%s-roofline", sweep_file_name(sweep)).data);
    for (int i = 0; i < lines; i++)
        if (line_points(sweep, i)) put_data(&out, sweep, i);
    script_lines(&out, sweep);
    buf_puts(&out,
             "set xlabel 'operations a byte (FLOP/byte)'\nset ylabel 'compute rate (GFLOP/s)'\n"
             "set logscale xy 10\nset mxtics 10\nset mytics 10\n");
    buf_printf(&out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", e.low_x, e.high_x, e.low_y,
               e.high_y);
    put_roofs(&out, sweep);
    for (int i = 0; i < lines; i++) {
        if (!line_points(sweep, i)) continue;
        buf_printf(&out, ", \\\n     $line%d using 1:2 with points linetype %d title ", i + 1,
                   i + 1);
        script_quoted(&out, sweep->line_names[i]);
    }
    buf_putc(&out, '\n');
    return buf_str(&out);
}
