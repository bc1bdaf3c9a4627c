// SPDX-License-Identifier: Apache-2.0
/* sweep_files: the gnuplot script of a sweep, and its files. The script holds its data and stays
 * beside the plot, so that a figure can be restyled; gnuplot is run on it once a format. All user
 * text in it is in single quotes, where gnuplot expands nothing. */
#include "base/source.h"
#include "bench/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- script ---- */

void script_quoted(Buf *out, const char *text) {
    buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') buf_putc(out, '\'');
        buf_putc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
    buf_putc(out, '\'');
}

/* gnuplot's marks that are filled, each with its hollow one a number below. */
static int line_mark(int line) {
    static const int marks[] = {7, 5, 9, 13, 11};
    return marks[line % COUNT(marks)];
}

static bool is_power_of_two(double x) {
    int exponent;
    return x > 0 && frexp(x, &exponent) == 0.5;
}

static bool all_powers_of_two(const tern_sweep *sweep) {
    for (int i = 0; i < sweep->rows.count; i++)
        if (!is_power_of_two(sweep->rows.data[i].x[0])) return false;
    return true;
}

static bool all_positive(const tern_sweep *sweep, bool of_y) {
    for (int i = 0; i < sweep->rows.count; i++) {
        const SweepRow *row = &sweep->rows.data[i];
        if (!of_y && !(row->x[0] > 0)) return false;
        for (int k = 0; of_y && k < sweep->options.num_lines; k++)
            if (row->cells[k].present && !row->cells[k].failed && !(row->cells[k].y > 0))
                return false;
    }
    return true;
}

/* Fewer samples than make a point: a hollow mark, and no band. */
static bool is_hollow(const SweepCell *cell) {
    return cell->has_timing && (cell->timing.trust & TERN_TRUST_FEW_SAMPLES);
}

static bool has_band(const SweepCell *cell) {
    return cell->present && !cell->failed && isfinite(cell->low) && isfinite(cell->high) &&
           !is_hollow(cell);
}

static bool line_has_band(const tern_sweep *sweep, int line) {
    for (int i = 0; i < sweep->rows.count; i++)
        if (has_band(&sweep->rows.data[i].cells[line])) return true;
    return false;
}

static bool any_hollow(const tern_sweep *sweep, int line) {
    for (int i = 0; i < sweep->rows.count; i++) {
        const SweepCell *cell = &sweep->rows.data[i].cells[line];
        if (cell->present && !cell->failed && is_hollow(cell)) return true;
    }
    return false;
}

/* Where a line has hollow points, a fifth column holds the type of the mark. */
static void script_data(Buf *out, const tern_sweep *sweep, int line) {
    bool has_marks = any_hollow(sweep, line);
    buf_printf(out, "$line%d << EOD\n", line + 1);
    for (int i = 0; i < sweep->rows.count; i++) {
        const SweepRow *row = &sweep->rows.data[i];
        const SweepCell *cell = &row->cells[line];
        if (!cell->present || cell->failed) continue;
        bool band = has_band(cell);
        buf_printf(out, "%.9g %.9g %.9g %.9g", row->x[0], cell->y, band ? cell->low : cell->y,
                   band ? cell->high : cell->y);
        if (has_marks) buf_printf(out, " %d", line_mark(line) - is_hollow(cell));
        buf_putc(out, '\n');
    }
    buf_puts(out, "EOD\n");
}

/* Marks of points of several types are drawn after their line; the key has the line's own. */
static void script_line(Buf *out, const tern_sweep *sweep, int line, const char *between) {
    bool has_marks = any_hollow(sweep, line);
    buf_printf(out, "%s$line%d using 1:2 with %s linetype %d title ", between, line + 1,
               has_marks ? "lines" : "linespoints", line + 1);
    script_quoted(out, sweep->line_names[line]);
    if (has_marks)
        buf_printf(out,
                   ", \\\n     $line%d using 1:2:5 with points linetype %d pointtype variable "
                   "notitle",
                   line + 1, line + 1);
}

static bool line_has_data(const tern_sweep *sweep, int line) {
    for (int i = 0; i < sweep->rows.count; i++)
        if (sweep->rows.data[i].cells[line].present && !sweep->rows.data[i].cells[line].failed)
            return true;
    return false;
}

void script_head(Buf *out, const char *file) {
    buf_puts(out, "# Made by tern. For one format: gnuplot -e \"FORMAT='pdf'\" FILE; formats: png, "
                  "svg, pdf.\n"
                  "if (!exists('FORMAT')) FORMAT = 'png'\n"
                  "if (FORMAT eq 'png') set terminal pngcairo size 1400,900 font 'DejaVu Sans,22' "
                  "linewidth 2\n"
                  "if (FORMAT eq 'svg') set terminal svg size 700,450 font 'DejaVu Sans,11' "
                  "linewidth 1 background 'white'\n"
                  "if (FORMAT eq 'pdf') set terminal pdfcairo size 14cm,9cm font 'DejaVu Sans,9' "
                  "linewidth 1.5\n");
    buf_puts(out, "set output ");
    script_quoted(out, file);
    buf_puts(out, ".'.'.FORMAT\n");
}

void script_lines(Buf *out, const tern_sweep *sweep) {
    /* Okabe and Ito's colours: told apart by colour-blind readers, too. */
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                          "#56B4E9", "#E69F00", "#000000"};
    for (int i = 0; i < sweep->options.num_lines; i++) {
        const tern_line_style *style = sweep->options.styles ? &sweep->options.styles[i] : NULL;
        buf_printf(out, "set linetype %d linecolor rgb ", i + 1);
        script_quoted(out, style && style->color ? style->color : colours[i % COUNT(colours)]);
        buf_printf(out, " pointtype %d pointsize 1.1 linewidth 1.6", line_mark(i));
        if (style && style->dash) buf_printf(out, " dashtype %d", line_dash(style->dash));
        buf_putc(out, '\n');
    }
    buf_puts(out,
             "set border 3\nset tics nomirror out\nset grid linecolor rgb '#c8c8c8' linewidth 0.7\n"
             "set key outside top center horizontal Left reverse noenhanced samplen 2.5\n");
}

static double least_x(const tern_sweep *sweep, double sign) {
    double least = INFINITY;
    for (int i = 0; i < sweep->rows.count; i++)
        least = fmin(least, sign * sweep->rows.data[i].x[0]);
    return sign * least;
}

/* A margin beside the first and the last point, in steps of the axis. */
static void script_x(Buf *out, const tern_sweep *sweep) {
    double low = least_x(sweep, 1), high = least_x(sweep, -1);
    bool powers = all_powers_of_two(sweep);
    if (!sweep->options.x_log || !all_positive(sweep, false)) {
        if (high > low)
            buf_printf(out, "set xrange [%.9g:%.9g]\n", low - 0.03 * (high - low),
                       high + 0.03 * (high - low));
        return;
    }
    buf_puts(out, powers ? "set logscale x 2\nset format x '2^{%L}'\n"
                         : "set logscale x 10\nset mxtics 10\n");
    if (powers)
        buf_printf(out, "set xtics %.9g, %d\nset mxtics 1\n", low, high / low > 4096 ? 4 : 2);
    if (high > low)
        buf_printf(out, "set xrange [%.9g:%.9g]\n", low / pow(high / low, 0.03),
                   high * pow(high / low, 0.03));
}

static void script_style(Buf *out, const tern_sweep *sweep) {
    const tern_sweep_options *o = &sweep->options;
    script_lines(out, sweep);
    buf_puts(out, "set xlabel "), script_quoted(out, o->x_label), buf_puts(out, " noenhanced\n");
    Buf title = {.arena = sweep->arena};
    if (o->y_title)
        buf_printf(&title, "%s (%s)", o->y_title, o->y_label);
    else
        buf_puts(&title, o->y_label);
    buf_puts(out, "set ylabel "), script_quoted(out, title.data), buf_puts(out, " noenhanced\n");
    if (sweep->rows.count) script_x(out, sweep);
    if (o->y_log && all_positive(sweep, true))
        buf_puts(out, "set logscale y 10\nset mytics 10\n");
    else
        buf_puts(out, "set yrange [0:*]\n");
    buf_puts(out, "set offsets graph 0, graph 0, graph 0.05, graph 0\n");
}

Str sweep_text_gnuplot(tern_sweep *sweep) {
    Buf out = {.arena = sweep->arena};
    const char *between = "plot ";
    script_head(&out, sweep_file_name(sweep));
    for (int i = 0; i < sweep->options.num_lines; i++)
        if (line_has_data(sweep, i)) script_data(&out, sweep, i);
    script_style(&out, sweep);
    for (int i = 0; i < sweep->options.num_lines; i++)
        if (line_has_data(sweep, i) && line_has_band(sweep, i)) {
            buf_printf(
                &out,
                "%s$line%d using 1:3:4 with filledcurves fillstyle transparent solid 0.18 noborder "
                "linetype %d notitle",
                between, i + 1, i + 1);
            between = ", \\\n     ";
        }
    for (int i = 0; i < sweep->options.num_lines; i++)
        if (line_has_data(sweep, i)) {
            script_line(&out, sweep, i, between);
            between = ", \\\n     ";
        }
    if (sweep->options.ceiling > 0) {
        buf_printf(&out,
                   "%s%.9g with lines dashtype 2 linecolor rgb '#707070' linewidth 1.2 title ",
                   between, sweep->options.ceiling);
        script_quoted(&out, sweep->options.ceiling_name);
    }
    buf_putc(&out, '\n');
    return buf_str(&out);
}

/* ---- files ---- */

const char *sweep_file_name(tern_sweep *sweep) {
    char *name = (char *)str_c(sweep->arena, str_of(sweep->options.name));
    for (char *at = name; *at; at++)
        if (*at == '/' || (unsigned char)*at < 0x20 || (at == name && (*at == '.' || *at == '-')))
            *at = '_';
    return *name ? name : "sweep";
}

static bool write_file(tern_sweep *sweep, const char *path, Str text) {
    Str why;
    if (file_write(sweep->arena, path, text.data, (size_t)text.length, &why)) return true;
    sweep->message = str_format(sweep->arena, "cannot write %.*s", STR_ARG(why)).data;
    return false;
}

typedef enum PlotResult { PLOT_MADE, PLOT_NO_GNUPLOT, PLOT_FAILED } PlotResult;

/* gnuplot runs in `folder`, where a shell goes: posix_spawn's own way there is new in glibc 2.29.
 * The shell's 127, as posix_spawn's ENOENT, means that there is no gnuplot. */
static PlotResult run_gnuplot(tern_sweep *sweep, const char *folder, const char *name, Str format) {
    char choose[64];
    snprintf(choose, sizeof choose, "FORMAT='%.*s'", STR_ARG(format));
    const char *script = str_format(sweep->arena, "%s.gp", name).data;
    const char *go = "unset CDPATH; cd -- \"$0\" && exec gnuplot \"$@\"";
    /* A folder of the name '-' is not the last one. */
    const char *where = strcmp(folder, "-") ? folder : "./-";
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)go,     (char *)where,
                    (char *)"-e", choose,       (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions)) return PLOT_FAILED;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawn(&child, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return failed == ENOENT ? PLOT_NO_GNUPLOT : PLOT_FAILED;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return PLOT_FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return PLOT_NO_GNUPLOT;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) return PLOT_FAILED;
    const char *path = str_format(sweep->arena, "%s/%s.%.*s", folder, name, STR_ARG(format)).data;
    struct stat made;
    return stat(path, &made) || made.st_size == 0 ? PLOT_FAILED : PLOT_MADE;
}

bool tern_plot_format(const char *format) {
    return !strcmp(format, "png") || !strcmp(format, "svg") || !strcmp(format, "pdf");
}

/* Plots each format; what was made goes to `made`. */
static tern_status plot(tern_sweep *sweep, const char *folder, const char *name,
                        const char *formats, Buf *made) {
    for (const char *at = formats; *at;) {
        Str word = {at, (int)strcspn(at, ",")};
        at += word.length + (at[word.length] == ',');
        if (!tern_plot_format(str_c(sweep->arena, word))) {
            sweep->message =
                str_format(sweep->arena, "there is no plot format '%.*s': png, svg, pdf",
                           STR_ARG(word))
                    .data;
            return TERN_ERROR_ARGUMENT;
        }
        PlotResult result = run_gnuplot(sweep, folder, name, word);
        if (result == PLOT_NO_GNUPLOT) {
            buf_puts(made, "; no plot: gnuplot is not installed (apt-get install gnuplot-nox)");
            return TERN_OK;
        }
        if (result == PLOT_FAILED) {
            sweep->message = str_format(sweep->arena, "gnuplot made no %.*s from %s/%s.gp",
                                        STR_ARG(word), folder, name)
                                 .data;
            return TERN_ERROR_SYSTEM;
        }
        buf_printf(made, " %s/%s.%.*s", folder, name, STR_ARG(word));
    }
    return TERN_OK;
}

static bool make_folder(tern_sweep *sweep, const char *folder) {
    char *path = (char *)str_c(sweep->arena, str_of(folder));
    for (char *at = path + 1; *path && *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0777);
            *at = '/';
        }
    struct stat st;
    if (mkdir(path, 0777) == 0 || (stat(path, &st) == 0 && S_ISDIR(st.st_mode))) return true;
    sweep->message =
        str_format(sweep->arena, "cannot make the folder %s: %s", folder, strerror(errno)).data;
    return false;
}

static bool has_points(const tern_sweep *sweep) {
    bool any = false;
    for (int i = 0; i < sweep->options.num_lines; i++) any |= line_has_data(sweep, i);
    return any;
}

static tern_status save_roofline(tern_sweep *sweep, const char *folder, const char *formats,
                                 Buf *made) {
    const char *name = str_format(sweep->arena, "%s-roofline", sweep_file_name(sweep)).data;
    const char *path = str_format(sweep->arena, "%s/%s.gp", folder, name).data;
    Str text = sweep_text_roofline(sweep);
    if (!text.length) {
        buf_puts(made, "; no roofline: no point has bytes, operations and a time");
        return TERN_OK;
    }
    if (!write_file(sweep, path, text)) return TERN_ERROR_SYSTEM;
    buf_printf(made, " %s", path);
    return plot(sweep, folder, name, formats, made);
}

static tern_status save(tern_sweep *sweep, const char *folder, const char *formats) {
    const char *name = sweep_file_name(sweep);
    const char *paths[] = {str_format(sweep->arena, "%s/%s.csv", folder, name).data,
                           str_format(sweep->arena, "%s/%s-full.csv", folder, name).data,
                           str_format(sweep->arena, "%s/%s.gp", folder, name).data};
    if (!make_folder(sweep, folder)) return TERN_ERROR_SYSTEM;
    if (!write_file(sweep, paths[0], sweep_text_csv(sweep, false)) ||
        !write_file(sweep, paths[1], sweep_text_csv(sweep, true)) ||
        !write_file(sweep, paths[2], sweep_text_gnuplot(sweep)))
        return TERN_ERROR_SYSTEM;
    Buf made = {.arena = sweep->arena};
    buf_printf(&made, "wrote %s %s %s", paths[0], paths[1], paths[2]);
    tern_status status = TERN_OK;
    if (!formats) formats = "png,svg,pdf";
    if (has_points(sweep))
        status = plot(sweep, folder, name, formats, &made);
    else
        buf_puts(&made, "; no plot: there is no point");
    if (!status && sweep->options.peaks) status = save_roofline(sweep, folder, formats, &made);
    if (!status) sweep->message = made.data;
    return status;
}

tern_status tern_sweep_save(tern_sweep *sweep, const char *folder, const char *formats) {
    int saved = errno;
    tern_status status = TERN_ERROR_NO_MEMORY;
    sweep->message = "no memory";
    if (!setjmp(sweep->oom)) status = save(sweep, *folder ? folder : ".", formats);
    errno = saved;
    return status;
}
