// SPDX-License-Identifier: Apache-2.0
/* perf: triton.testing.Benchmark and perf_report: a function is run over a sweep, and what it gives
 * is printed as pandas prints a table. With save_path= it is written, too, where the script may. */
#include "exec/exec.h"

#include <math.h>
#include <stdlib.h>

/* ---- a table as pandas has it ---- */

typedef struct Column {
    Str name;
    int width;
    Str *cells;
} Column;

/* Six digits after the point, without the zeros that all numbers of the column end in; with an
 * exponent where they are too small, or too large for the width. */
static void format_column(Arena *arena, Column *column, const double *values, int count) {
    enum { DIGITS = 6, WIDEST = 12 };
    bool has_large = false, has_small = false;
    for (int pass = 0; pass < 2; pass++) {
        int longest = 0, cut = DIGITS - 1;
        for (int i = 0; i < count; i++) {
            double size = fabs(values[i]);
            has_large |= size > 1e6, has_small |= size > 0 && size < 1e-6;
            column->cells[i] = isnan(values[i])
                                   ? STR("NaN")
                                   : str_format(arena, pass ? "% .*e" : "% .*f", DIGITS, values[i]);
            int zeros = 0;
            Str cell = column->cells[i];
            while (!pass && zeros < cut && cell.data[cell.length - 1 - zeros] == '0') zeros++;
            if (!isnan(values[i]) && zeros < cut) cut = zeros;
        }
        for (int i = 0; i < count; i++) {
            if (!pass && !isnan(values[i])) column->cells[i].length -= cut;
            if (column->cells[i].length > longest) longest = column->cells[i].length;
        }
        column->width = longest > column->name.length ? longest : column->name.length + 1;
        if (!has_small && !(longest > WIDEST && has_large)) return;
    }
}

static void put_right(Buf *out, Str text, int width) {
    buf_printf(out, " %*s%.*s", width - text.length, "", STR_ARG(text));
}

static void print_table(Arena *arena, Buf *out, const Column *columns, int num_columns, int rows) {
    int index = str_format(arena, "%d", rows ? rows - 1 : 0).length;
    buf_printf(out, "%*s", index, "");
    for (int c = 0; c < num_columns; c++) put_right(out, columns[c].name, columns[c].width);
    buf_putc(out, '\n');
    for (int r = 0; r < rows; r++) {
        buf_printf(out, "%-*d", index, r);
        for (int c = 0; c < num_columns; c++) put_right(out, columns[c].cells[r], columns[c].width);
        buf_putc(out, '\n');
    }
}

/* ---- one sweep ---- */

static Object *field(Host *host, Object *benchmark, const char *name) {
    Object *value = dict_find_text(benchmark->items[0], str_of(name));
    return value ? host_hold(host, value) : host->script->none;
}

typedef struct Sweep {
    Object *function, *x_names, *x_vals, *line_arg, *line_vals, *line_names, *args;
    int num_x, num_lines, num_points;
    Object **x_items, **lines, **points;
} Sweep;

/* The mean of what the function gives for one point and line. */
static bool run_point(Host *host, const Sweep *sweep, Object *const *x, Object *line,
                      const HostCall *call, double value[3]) {
    const Object *args = sweep->args;
    int most = sweep->num_x + 1 + args->num_items / 2 + call->num_args, count = 0, given;
    Object **values = arena_array(host->arena, Object *, most + 1), **parts;
    Str *names = arena_array(host->arena, Str, most + 1);
    for (int i = 0; i < sweep->num_x; i++)
        names[count] = sweep->x_items[i]->text, values[count++] = x[i];
    names[count] = sweep->line_arg->text, values[count++] = line;
    for (int i = 0; i + 1 < args->num_items; i += 2)
        names[count] = args->items[i]->text, values[count++] = args->items[i + 1];
    for (int i = 0; i < call->num_args; i++) /* run(.., name=value) */
        names[count] = call->names[i], values[count++] = call->args[i];
    HostCall inner = {.num_args = count, .args = values, .names = names, .span = call->span};
    Object *result = host_invoke(host, sweep->function, &inner);
    if (is_raised(host)) return false;
    if (result->kind == OBJECT_TUPLE || result->kind == OBJECT_LIST) {
        if (!host_items(host, result, &given, &parts)) return false;
        if (given != 3)
            return host_raise(host, CLASS_VALUE_ERROR, "a benchmark gives a number or three"),
                   false;
        for (int i = 1; i < 3; i++) {
            bool none = parts[i]->kind == OBJECT_NONE;
            if (!none && !host_double(host, parts[i], "what a benchmark gives", &value[i]))
                return false;
        }
        result = parts[0];
    }
    if (result->kind == OBJECT_NONE) return true;
    return host_double(host, result, "what a benchmark gives", value);
}

static bool open_sweep(Host *host, Object *function, Object *benchmark, Sweep *sweep) {
    *sweep = (Sweep){.function = function,
                     .line_arg = field(host, benchmark, "line_arg"),
                     .args = field(host, benchmark, "args")};
    Str line_arg;
    if (!host_items(host, field(host, benchmark, "x_names"), &sweep->num_x, &sweep->x_items) ||
        !host_items(host, field(host, benchmark, "x_vals"), &sweep->num_points, &sweep->points) ||
        !host_items(host, field(host, benchmark, "line_vals"), &sweep->num_lines, &sweep->lines) ||
        !host_text(host, sweep->line_arg, "line_arg", &line_arg))
        return false;
    sweep->line_names = field(host, benchmark, "line_names");
    if (sweep->args->kind != OBJECT_DICT)
        return host_raise(host, CLASS_TYPE_ERROR, "args must be a dict"), false;
    return true;
}

static bool name_columns(Host *host, const Sweep *sweep, Object *benchmark, Column *columns) {
    int count;
    Object **names;
    Str unit = host_str(host, field(host, benchmark, "ylabel"))->text;
    if (!host_items(host, sweep->line_names, &count, &names)) return false;
    if (count != sweep->num_lines)
        return host_raise(host, CLASS_VALUE_ERROR, "line_names and line_vals differ in length"),
               false;
    for (int i = 0; i < sweep->num_x + count; i++) {
        Object *name = i < sweep->num_x ? sweep->x_items[i] : names[i - sweep->num_x];
        if (!host_text(host, name, "a name of a benchmark", &columns[i].name)) return false;
        if (i >= sweep->num_x)
            columns[i].name =
                str_format(host->arena, "%.*s (%.*s)", STR_ARG(columns[i].name), STR_ARG(unit));
        columns[i].cells = arena_array(host->arena, Str, sweep->num_points + 1);
    }
    return true;
}

/* Its csv, its plot through gnuplot, where that is there. */
static bool save_sweep(Host *host, const Sweep *sweep, Object *benchmark, const Column *columns,
                       const double *values, const double *bands, const char *folder) {
    int num_x = sweep->num_x, lines = sweep->num_lines, points = sweep->num_points;
    const char **names = arena_array(host->arena, const char *, num_x + lines + 1);
    Object *x_label = field(host, benchmark, "xlabel");
    if (num_x > TERN_MAX_X) return host_refuse(host, "so many x_names in a file"), false;
    for (int i = 0; i < num_x; i++) names[i] = str_c(host->arena, sweep->x_items[i]->text);
    for (int i = 0; i < lines; i++)
        names[num_x + i] = str_c(host->arena, host_str(host, sweep->line_names->items[i])->text);
    tern_sweep_options options = {
        .size = sizeof options,
        .name = str_c(host->arena, host_str(host, field(host, benchmark, "plot_name"))->text),
        .x_names = names,
        .num_x = num_x,
        .line_names = names + num_x,
        .num_lines = lines,
        .y_label = str_c(host->arena, host_str(host, field(host, benchmark, "ylabel"))->text),
        .x_log = script_truth(host, field(host, benchmark, "x_log")),
        .y_log = script_truth(host, field(host, benchmark, "y_log"))};
    if (x_label->kind == OBJECT_STR && x_label->text.length)
        options.x_label = str_c(host->arena, x_label->text);
    (void)columns;
    if (strchr(options.name, '/'))
        return host_refuse(host, "a plot_name with '/' that is to be saved"), false;
    tern_sweep *saved = tern_sweep_create(&options);
    if (!saved) longjmp(host->script->no_memory, 1);
    bool fine = true;
    for (int p = 0; p < points && fine; p++)
        for (int i = 0; i < lines && fine; i++) {
            const double *band = bands + ((size_t)i * points + p) * 2;
            tern_point point = {.line = i,
                                .y = values[(size_t)(num_x + i) * points + p],
                                .y_min = fmin(band[0], band[1]),
                                .y_max = fmax(band[0], band[1])};
            for (int k = 0; k < num_x; k++) point.x[k] = values[(size_t)k * points + p];
            if (isnan(point.y)) point.failed = "the benchmark gave None";
            fine = !tern_sweep_add(saved, &point);
        }
    if (fine) fine = !tern_sweep_save(saved, folder, "png");
    if (!fine) host_raise(host, CLASS_OS_ERROR, "%s", tern_sweep_message(saved));
    tern_sweep_free(saved);
    return fine;
}

/* The values of x of a point: one for all names, or a list of as many. */
static bool x_of(Host *host, const Sweep *sweep, Object *point, Object **x, double *numbers) {
    Object **items;
    int given = sweep->num_x;
    bool is_list = point->kind == OBJECT_TUPLE || point->kind == OBJECT_LIST;
    if (is_list && !host_items(host, point, &given, &items)) return false;
    if (given != sweep->num_x)
        return host_raise(host, CLASS_VALUE_ERROR, "Expected %d values, got %d", sweep->num_x,
                          given),
               false;
    for (int i = 0; i < sweep->num_x; i++) {
        x[i] = is_list ? items[i] : point;
        if (!host_double(host, x[i], "an x value", &numbers[i])) return false;
    }
    return true;
}

/* Leaves the points of which no x is above a part of its largest, or else the first of the least;
 * of these the first so many. */
static bool cut_points(Host *host, Sweep *sweep) {
    const Exec *exec = exec_of(host);
    int num_x = sweep->num_x, count = 0, least = 0;
    Object **x = arena_array(host->arena, Object *, num_x + 1);
    double *all = arena_array(host->arena, double, (size_t)num_x * sweep->num_points + 1);
    double *largest = arena_array(host->arena, double, num_x + 1);
    Object **kept = arena_array(host->arena, Object *, sweep->num_points + 1);
    for (int i = 0; i < num_x; i++) largest[i] = -INFINITY;
    for (int p = 0; p < sweep->num_points && exec->most_x > 0; p++) {
        double *numbers = &all[(size_t)p * num_x];
        if (!x_of(host, sweep, sweep->points[p], x, numbers)) return false;
        for (int i = 0; i < num_x; i++) largest[i] = fmax(largest[i], numbers[i]);
        if (num_x && numbers[0] < all[(size_t)least * num_x]) least = p;
    }
    for (int p = 0; p < sweep->num_points; p++) {
        bool stays = true;
        for (int i = 0; i < num_x && exec->most_x > 0; i++)
            stays &= all[(size_t)p * num_x + i] <= exec->most_x * fmax(largest[i], 0);
        if (stays) kept[count++] = sweep->points[p];
    }
    if (!count && sweep->num_points) kept[count++] = sweep->points[least];
    if (exec->most_points && count > exec->most_points) count = exec->most_points;
    sweep->points = kept, sweep->num_points = count;
    return true;
}

static bool measure(Host *host, const Sweep *sweep, const HostCall *call, double *values,
                    double *bands) {
    int num_x = sweep->num_x, num_points = sweep->num_points;
    for (int p = 0; p < num_points; p++) {
        Moment moment = moment_of(host);
        Object **x = arena_array(host->arena, Object *, num_x + 1);
        double *numbers = arena_array(host->arena, double, num_x + 1);
        if (!x_of(host, sweep, sweep->points[p], x, numbers)) return false;
        for (int i = 0; i < num_x; i++) values[(size_t)i * num_points + p] = numbers[i];
        for (int i = 0; i < sweep->num_lines; i++) {
            double given[3] = {NAN, NAN, NAN};
            if (!run_point(host, sweep, x, sweep->lines[i], call, given)) return false;
            values[(size_t)(num_x + i) * num_points + p] = given[0];
            double *band = &bands[((size_t)i * num_points + p) * 2];
            band[0] = given[1], band[1] = given[2];
        }
        moment_end(host, moment);
    }
    return true;
}

/* Of what was written to files, and of what nobody prints. */
static void say_cut(Host *host, Object *benchmark, int points, int whole) {
    Buf out = {.arena = host->arena};
    const Exec *exec = exec_of(host);
    Str title = host_str(host, field(host, benchmark, "plot_name"))->text;
    buf_printf(&out, "tern exec: %.*s is cut: %d of %d points\n", STR_ARG(title), points, whole);
    if (exec->errors) exec->errors(exec->output_user, out.data, out.length);
}

static bool run_sweep(Host *host, Object *function, Object *benchmark, const HostCall *call,
                      bool prints, const char *folder) {
    Sweep sweep;
    if (!open_sweep(host, function, benchmark, &sweep)) return false;
    int num_columns = sweep.num_x + sweep.num_lines, whole = sweep.num_points;
    if (!cut_points(host, &sweep)) return false;
    double *bands =
        arena_array(host->arena, double, (size_t)sweep.num_lines *sweep.num_points * 2 + 1);
    Column *columns = arena_array(host->arena, Column, num_columns + 1);
    if (!name_columns(host, &sweep, benchmark, columns)) return false;
    double *values = arena_array(host->arena, double, (size_t)num_columns *sweep.num_points + 1);
    if (!measure(host, &sweep, call, values, bands)) return false;
    bool is_cut = sweep.num_points < whole;
    if (folder && !save_sweep(host, &sweep, benchmark, columns, values, bands, folder))
        return false;
    if (is_cut && (folder || !prints)) say_cut(host, benchmark, sweep.num_points, whole);
    if (!prints) return true;
    Buf out = {.arena = host->arena};
    Str title = host_str(host, field(host, benchmark, "plot_name"))->text;
    buf_printf(&out, "%.*s:\n", STR_ARG(title));
    for (int i = 0; i < num_columns; i++)
        format_column(host->arena, &columns[i], values + (size_t)i * sweep.num_points,
                      sweep.num_points);
    print_table(host->arena, &out, columns, num_columns, sweep.num_points);
    if (is_cut) buf_printf(&out, "(cut: %d of %d points)\n", sweep.num_points, whole);
    host->script->write(host->script->user, out.data, out.length);
    return true;
}

/* ---- what files see ---- */

static const HostType benchmark_type = {.name = "Benchmark"};

static Object *run_benchmark(Host *host, Object *const *args, const HostCall *call) {
    static const char *const names[] = {"x_names",    "x_vals",    "line_arg", "line_vals",
                                        "line_names", "plot_name", "args",     "xlabel",
                                        "ylabel",     "x_log",     "y_log",    "styles"};
    Object *fields = heap_list(host, OBJECT_DICT, 0, NULL);
    (void)call;
    dict_put(host, fields, object_str(host->arena, STR("ylabel")),
             object_str(host->arena, STR("")));
    for (int i = 0; i < COUNT(names); i++)
        if (args[i]) dict_put(host, fields, object_str(host->arena, str_of(names[i])), args[i]);
    return heap_host(host, &benchmark_type, 1, &fields);
}

/* A reader takes a column "Torch" for PyTorch's. */
static void say_whose(Host *host) {
    static const char words[] =
        "tern exec: torch is tern's own here, and so are its times: none of "
        "these tables is PyTorch's\n";
    Exec *exec = exec_of(host);
    if (exec->errors && !exec->has_said_whose)
        exec->errors(exec->output_user, words, sizeof words - 1);
    exec->has_said_whose = true;
}

/* show_plots?, print_data?, save_path?, return_df? */
static Object *run_mark(Host *host, Object *const *args, const HostCall *call) {
    Object *mark = call->self, *benchmarks = mark->items[1], **items = &benchmarks;
    int count = 1;
    bool prints = args[1] && script_truth(host, args[1]);
    const char *folder = NULL;
    Str path;
    if (args[2] && script_truth(host, args[2])) {
        if (!host_text(host, args[2], "save_path", &path)) return host->script->poison;
        folder = file_to_write(host, path);
        if (!folder) return host->script->poison;
    }
    if (args[3] && script_truth(host, args[3])) return host_refuse(host, "return_df=");
    bool single = benchmarks->kind == OBJECT_HOST && benchmarks->type == &benchmark_type;
    if (!single && !host_items(host, benchmarks, &count, &items)) return host->script->poison;
    for (int i = 0; i < count; i++) {
        if (items[i]->kind != OBJECT_HOST || items[i]->type != &benchmark_type)
            return host_raise(host, CLASS_TYPE_ERROR, "perf_report takes Benchmarks");
        if (!run_sweep(host, mark->items[0], items[i], call, prints, folder))
            return host->script->poison;
    }
    if (prints) say_whose(host);
    return host->script->none;
}

/* What run() does not know goes to the benchmark. */
static Object *run_of_mark(Host *host, Object *const *args, const HostCall *call) {
    static const char *const own[] = {"show_plots", "print_data", "save_path", "return_df"};
    Object *given[COUNT(own)] = {NULL};
    HostCall rest = *call;
    Object **values = arena_array(host->arena, Object *, call->num_args + 1);
    Str *names = arena_array(host->arena, Str, call->num_args + 1);
    int count = 0, next = 0;
    (void)args;
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        int at = name.length ? 0 : next++;
        while (name.length && at < COUNT(own) && !str_is(name, own[at])) at++;
        if (at < COUNT(own))
            given[at] = call->args[i];
        else if (name.length)
            names[count] = name, values[count++] = call->args[i];
        else
            return host_raise(host, CLASS_TYPE_ERROR,
                              "run() takes from 1 to 5 positional arguments");
    }
    rest.num_args = count, rest.args = values, rest.names = names;
    return run_mark(host, given, &rest);
}

static Object *mark_get(Host *host, Object *self, Str name) {
    static const Native run = NATIVE("run", "..", run_of_mark);
    return str_is(name, "run") ? native_new(host, &run, self) : NULL;
}

static const HostType mark_type = {.name = "Mark", .attribute = mark_get};

static Object *make_mark(Host *host, Object *const *args, const HostCall *call) {
    return heap_host(host, &mark_type, 2, (Object *[]){args[0], call->self});
}

static Object *run_report(Host *host, Object *const *args, const HostCall *call) {
    static const Native decorator = NATIVE("perf_report", "fn", make_mark);
    (void)call;
    return native_new(host, &decorator, args[0]);
}

void add_perf_report(Host *host, Object *module) {
    static const Native rows[] = {
        {"Benchmark",
         "x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel?, ylabel?, "
         "x_log?, y_log?, styles?",
         run_benchmark, 0},
        NATIVE("perf_report", "benchmarks", run_report),
    };
    module_add_natives(host, module, rows, COUNT(rows));
}
