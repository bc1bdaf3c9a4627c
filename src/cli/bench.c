// SPDX-License-Identifier: Apache-2.0
/* tern bench: how long a kernel takes, at one point or over a sweep, as triton.testing.Benchmark
 * would show it. Each result is written as it is known; a point that fails is marked and the rest
 * goes on. */
#include "cli/bench.h"
#include "cli/check.h"
#include "cli/versus.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

const OptionRow options_bench[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable); see 'tern run --help'"},
    {"x", 0, "NAME=VALUES",
     "sweep: n=2^12..2^28, n=256..4096:256, n=1000..64000:*4, n=1,2,5;\n"
     "                           NAME is visible in -a and --grid; several are zipped"},
    {"line", 0, "NAME=V,V",
     "one line for each: device=cpu,cuda, kernel=a,b, num_warps=4,8, num_stages=..,\n"
     "                           config=1,2, or values of NAME"},
    {"y", 0, "UNIT", "GB/s, TB/s, GFLOP/s, TFLOP/s, ms, us; default: GB/s"},
    {"bytes", 0, "EXPR", "bytes moved, instead of those counted by the compiler"},
    {"flops", 0, "EXPR", "operations, instead of those counted by the compiler"},
    {"check", 0, "WHAT", "compare the first launch: interp, or NAME=VALUE such as y=@want.npy"},
    {"rep", 0, "MS", "timed work at least; default: 100"},
    {"warmup", 0, "MS", "work before; default: 25"},
    {"hot", 0, NULL, "caches as the run before left them; default: cold"},
    {"cold", 0, "HOW",
     "before each sample read memory, fill it (as Triton does), or flush the tensors\n"
     "                           (cpu: the default)"},
    {"quantiles", 0, NULL, "also print the 20 % and 80 % quantiles"},
    {"save", 0, "DIR", "write run.jsonl, NAME.csv, NAME-full.csv, NAME.gp and plots there"},
    {"format", 0, "LIST", "plots: png,svg,pdf; default: all three"},
    {"x-log", 0, NULL, "logarithmic x axis; default: for powers and factors"},
    {"y-log", 0, NULL, "logarithmic y axis"},
    {"roofline", 0, NULL,
     "where each point lies below the ceilings; with --save also NAME-roofline plots"},
    {"vs", 0, "OTHER",
     "compare with FILE:KERNEL or NAME=VALUE (another value of an argument, num_warps,\n"
     "                           num_stages or config), interleaved, or with a saved run"},
    {"processes", 0, "N", "run in N processes; with --vs 7 is the default"},
    {"margin", 0, "PART", "--vs: changes up to this count as the same; default: 1%"},
    {"devices", 0, "D,D..", "share the points of a sweep among these: cuda:0,cuda:1"},
    {"no-peak", 0, NULL, "no ceilings: neither measured nor compared with"},
    {"allow-slow", 0, NULL, "time a device that is not made for speed, too"},
    OPTIONS_CONFIG,
    {"timeout", 0, "MS", "stop a launch that takes longer"},
    OPTIONS_COMPILE,
    {0},
};

const char details_bench[] =
    "example:\n"
    "  tern bench kernels/vector_add.py --grid 'cdiv(n,BLOCK)' -a 'x_ptr=rand(n)' -a "
    "'y_ptr=rand(n)' \\\n"
    "      -a 'out_ptr=empty(n)' -a BLOCK=1024 -x 'n=2^12..2^24' -y GB/s --save out\n"
    "Ctrl-C ends a sweep and keeps what is done. Exit codes: as all commands; of a sweep the "
    "first\n"
    "failed point's; --vs: 10 slower, 11 unsure.\n";

static const Unit units[] = {
    {"GB/s", true, false, 1e9, "memory throughput"},
    {"TB/s", true, false, 1e12, "memory throughput"},
    {"GFLOP/s", false, true, 1e9, "compute rate"},
    {"TFLOP/s", false, true, 1e12, "compute rate"},
    {"ms", false, false, 1, "time"},
    {"us", false, false, 1e-3, "time"},
};

/* ---- options ---- */

static int take_ranges(Bench *bench) {
    const char *text;
    Str why;
    for (int i = 0; (text = option_nth(bench->cli, "x", i)); i++) {
        if (i == TERN_MAX_X) return cli_fail(bench->cli, EXIT_USAGE, "at most %d -x", TERN_MAX_X);
        if (!range_parse(bench->cli->arena, text, &bench->ranges[i], &why))
            return cli_fail(bench->cli, EXIT_USAGE, "-x %.*s", STR_ARG(why));
        for (int k = 0; k < i; k++)
            if (str_equal(bench->ranges[k].name, bench->ranges[i].name))
                return cli_fail(bench->cli, EXIT_USAGE, "-x '%.*s' is given twice",
                                STR_ARG(bench->ranges[i].name));
        int count = bench->ranges[i].values.count;
        if (i && count != bench->ranges[0].values.count)
            return cli_fail(bench->cli, EXIT_USAGE,
                            "-x %.*s has %d values, -x %.*s has %d: they go side by side",
                            STR_ARG(bench->ranges[0].name), bench->ranges[0].values.count,
                            STR_ARG(bench->ranges[i].name), count);
        bench->num_ranges++;
    }
    bench->num_points = bench->num_ranges ? bench->ranges[0].values.count : 1;
    return EXIT_OK;
}

static const char *file_of(const Bench *bench) {
    const char *colon = strrchr(bench->operand, ':');
    if (!colon || !access(bench->operand, F_OK)) return bench->operand;
    return str_c(bench->cli->arena, (Str){bench->operand, (int)(colon - bench->operand)});
}

static int take_lines(Bench *bench) {
    Cli *cli = bench->cli;
    const char *text = option_value(cli, "line"), *equals = text ? strchr(text, '=') : NULL;
    if (option_nth(cli, "line", 1)) return cli_fail(cli, EXIT_USAGE, "one --line, please");
    if (text && (!equals || equals == text || !equals[1]))
        return cli_fail(cli, EXIT_USAGE, "--line: expected NAME=V,V, saw '%s'", text);
    bench->lines[0] = (Line){.device = cli->device, .operand = bench->operand};
    bench->num_lines = 1;
    if (!text) return EXIT_OK;
    Str name = {text, (int)(equals - text)};
    bool of_device = str_is(name, "device"), of_kernel = str_is(name, "kernel");
    if (!of_device && !of_kernel) bench->line_variable = str_copy(cli->arena, name);
    bench->num_lines = 0;
    for (const char *at = equals + 1; *at;) {
        Str word = {at, (int)strcspn(at, ",")};
        at += word.length + (at[word.length] == ',');
        if (!word.length) return cli_fail(cli, EXIT_USAGE, "--line: an empty value in '%s'", text);
        if (bench->num_lines == MOST_LINES)
            return cli_fail(cli, EXIT_USAGE, "at most %d lines", MOST_LINES);
        const char *value = str_c(cli->arena, word);
        const char *shown = of_device || of_kernel
                                ? value
                                : str_format(cli->arena, "%.*s=%s", STR_ARG(name), value).data;
        Line line = {
            .name = shown, .device = cli->device, .operand = bench->operand, .text = value};
        if (of_device) line.device = value;
        bool is_path = strpbrk(value, ":/") != NULL;
        if (of_kernel)
            line.operand =
                is_path ? value : str_format(cli->arena, "%s:%s", file_of(bench), value).data;
        bench->lines[bench->num_lines++] = line;
    }
    return EXIT_OK;
}

/* A single line is called as its device, so that runs of different kernels can be compared. */
static int name_line(Bench *bench) {
    int code = EXIT_OK;
    if (bench->lines[0].name) return EXIT_OK;
    tern_context *context = cli_open(bench->cli, bench->lines[0].device, &code);
    if (!context) return code;
    const char *name = tern_device_name(context);
    int length =
        (int)(bench->ranks.count > 1 ? strcspn(name, ":") : strlen(name)); /* any of them */
    bench->lines[0].name = str_c(bench->cli->arena, (Str){name, length});
    tern_peaks peaks;
    bool is_fast = tern_device_property(tern_device_name(context), TERN_DEVICE_IS_FAST);
    if (bench->request.use_peak && bench->unit->of_bytes && is_fast &&
        !tern_peak(context, true, false, &peaks))
        bench->ceiling = peaks.copy / bench->unit->scale;
    tern_close(context);
    return EXIT_OK;
}

/* The ceilings that all lines share. */
static int take_roofline(Bench *bench) {
    Cli *cli = bench->cli;
    int code = EXIT_OK;
    if (!option_given(cli, "roofline")) return EXIT_OK;
    if (!bench->request.use_peak)
        return cli_fail(
            cli, EXIT_USAGE,
            "--roofline needs the measured ceilings: without --no-peak and --allow-slow");
    for (int i = 1; i < bench->num_lines; i++)
        if (bench->lines[i].device && bench->lines[0].device &&
            strcmp(bench->lines[i].device, bench->lines[0].device) != 0)
            return cli_fail(
                cli, EXIT_USAGE,
                "--roofline: the lines are of several devices, which have ceilings of their own");
    tern_context *context = cli_open(cli, bench->lines[0].device, &code);
    if (!context) return code;
    if (tern_peak(context, true, false, &bench->peaks)) code = cli_fail_context(cli, context);
    tern_close(context);
    return code;
}

/* Also where nothing is compared, or saved: a mistake should not cost the user a run. */
static int take_unused(Bench *bench) {
    Cli *cli = bench->cli;
    double margin;
    int processes;
    const char *formats = option_value(cli, "format");
    if (!margin_option(cli, &margin) ||
        !option_int(cli, "timeout", 1, 86400000, 0, &cli->timeout_ms) ||
        !option_int(cli, "processes", 1, MOST_PROCESSES, 7, &processes))
        return EXIT_USAGE;
    for (const char *at = formats ? formats : ""; *at;) {
        int length = (int)strcspn(at, ",");
        if (!tern_plot_format(str_c(cli->arena, (Str){at, length})))
            return cli_fail(cli, EXIT_USAGE, "there is no plot format '%.*s': png, svg, pdf",
                            length, at);
        at += length + (at[length] == ',');
    }
    return EXIT_OK;
}

static int take_rest(Bench *bench) {
    Cli *cli = bench->cli;
    const char *unit = option_value(cli, "y");
    MeasureRequest *request = &bench->request;
    for (int i = 0; i < COUNT(units); i++)
        if (!strcmp(unit ? unit : "GB/s", units[i].name)) bench->unit = &units[i];
    if (!bench->unit)
        return cli_fail(cli, EXIT_USAGE,
                        "-y: expected GB/s, TB/s, GFLOP/s, TFLOP/s, ms or us, saw '%s'", unit);
    if (!option_double(cli, "rep", 100, &request->rep_ms) ||
        !option_double(cli, "warmup", 25, &request->warmup_ms))
        return EXIT_USAGE;
    if (request->rep_ms == 0)
        return cli_fail(cli, EXIT_USAGE, "--rep: a benchmark takes more than 0 ms");
    if (request->rep_ms > 1e6 || request->warmup_ms > 1e6)
        return cli_fail(cli, EXIT_USAGE, "--rep, --warmup: at most 1000000 ms");
    request->hot = option_given(cli, "hot");
    const char *cold = option_value(cli, "cold");
    if (cold && strcmp(cold, "read") != 0 && strcmp(cold, "fill") != 0 &&
        strcmp(cold, "flush") != 0)
        return cli_fail(cli, EXIT_USAGE, "--cold: expected read, fill or flush, saw '%s'", cold);
    if (cold && request->hot)
        return cli_fail(cli, EXIT_USAGE, "--cold and --hot: one of them, please");
    request->cold_fill = cold && !strcmp(cold, "fill");
    request->cold_read = cold && !strcmp(cold, "read");
    request->cold_flush = cold && !strcmp(cold, "flush");
    request->allow_slow = option_given(cli, "allow-slow");
    request->use_peak = !option_given(cli, "no-peak") && !request->allow_slow;
    return EXIT_OK;
}

/* ---- results ---- */

const char *bench_plot_name(const Bench *bench) {
    const char *colon = strrchr(bench->operand, ':'), *slash = strrchr(bench->operand, '/');
    if (colon && colon[1] && bench->num_lines == 1) return colon + 1;
    const char *base = slash ? slash + 1 : bench->operand;
    return str_c(bench->cli->arena, (Str){base, (int)strcspn(base, ".:")});
}

static tern_sweep *new_sweep(const Bench *bench, bool with_spread) {
    const char *x_names[TERN_MAX_X] = {"point"}, *names[MOST_LINES * 3];
    int count = 0;
    for (int i = 0; i < bench->num_ranges; i++) x_names[i] = bench->ranges[i].name.data;
    for (int i = 0; i < bench->num_lines; i++) {
        const char *name = bench->lines[i].name;
        names[count++] = name;
        if (!with_spread) continue;
        names[count++] = str_format(bench->cli->arena, "%s-min", name).data;
        names[count++] = str_format(bench->cli->arena, "%s-max", name).data;
    }
    return tern_sweep_create(
        &(tern_sweep_options){.name = bench_plot_name(bench),
                              .x_names = x_names,
                              .num_x = bench->num_ranges ? bench->num_ranges : 1,
                              .line_names = names,
                              .num_lines = count,
                              .y_label = bench->unit->name,
                              .y_title = bench->unit->title,
                              .x_log = bench->ranges[0].is_log || option_given(bench->cli, "x-log"),
                              .y_log = option_given(bench->cli, "y-log"),
                              .ceiling = bench->ceiling,
                              .peaks = bench->peaks.copy > 0 ? &bench->peaks : NULL,
                              .ceiling_name = "measured copy beyond the caches"});
}

static double in_unit(const Bench *bench, const Measured *measured, double ms) {
    const Unit *unit = bench->unit;
    if (!unit->of_bytes && !unit->of_flops) return ms / unit->scale;
    bool is_known =
        unit->of_bytes ? measured->bytes_by != EVIDENCE_NONE : measured->flops_by != EVIDENCE_NONE;
    double amount = unit->of_bytes ? measured->bytes : measured->flops;
    return is_known && amount > 0 ? amount / (ms * 1e-3) / unit->scale : (double)NAN;
}

static void add_spread(Bench *bench, const tern_point *point) {
    const double ys[3] = {point->y, point->y_min, point->y_max};
    tern_point one = *point;
    for (int i = 0; i < 3 && bench->spread; i++) {
        one.line = point->line * 3 + i;
        one.y = ys[i];
        one.timing = NULL;
        tern_sweep_add(bench->spread, &one);
    }
}

/* The device of a point, where ranks share them. NULL: there is one, or the rank has ended. */
static const char *device_of(const Bench *bench, const Measured *measured) {
    if (bench->ranks.count == 1 || !measured || !measured->device[0]) return NULL;
    if (!measured->host[0]) return measured->device;
    return str_format(bench->cli->arena, "%s %s", measured->host, measured->device).data;
}

/* measured NULL: it is not yet. */
static const char *where_of(const Bench *bench, int point, const Line *line,
                            const Measured *measured) {
    Buf out = {.arena = bench->cli->arena};
    for (int i = 0; i < bench->num_ranges; i++)
        buf_printf(&out, "%.*s=%lld ", STR_ARG(bench->ranges[i].name),
                   (long long)bench->ranges[i].values.data[point]);
    const char *device = device_of(bench, measured);
    if (!device || bench->num_lines > 1) buf_puts(&out, line->name);
    if (device) buf_printf(&out, "%s%s", bench->num_lines > 1 ? " on " : "", device);
    return out.data;
}

static void add_device(Bench *bench, const char *device) {
    for (int i = 0; i < bench->devices.count; i++)
        if (!strcmp(bench->devices.data[i], device)) return;
    vec_push(bench->cli->arena, &bench->devices, str_c(bench->cli->arena, str_of(device)));
}

static void take_result(Bench *bench, int at, int line, Measured *measured) {
    tern_point point = {
        .line = line, .y_min = NAN, .y_max = NAN, .where = device_of(bench, measured)};
    for (int i = 0; i < bench->num_ranges; i++)
        point.x[i] = (double)bench->ranges[i].values.data[at];
    const tern_timing *timing = &measured->timing;
    if (!measured->exit_code) {
        bool is_rate = bench->unit->of_bytes || bench->unit->of_flops;
        point.y = in_unit(bench, measured, timing->median);
        point.y_min = in_unit(bench, measured, is_rate ? timing->q80 : timing->q20);
        point.y_max = in_unit(bench, measured, is_rate ? timing->q20 : timing->q80);
        point.timing = timing;
        point.bytes = measured->bytes, point.flops = measured->flops;
        if (isnan(point.y) && bench->num_ranges) {
            const char *option = bench->unit->of_bytes ? "bytes" : "flops";
            point.failed = str_format(bench->cli->arena, "the compiler counted no %s: give --%s",
                                      option, option)
                               .data;
            buf_printf(&bench->notes, "failed  %s: %s\n",
                       where_of(bench, at, &bench->lines[line], measured), point.failed);
        }
    } else {
        point.failed = measured->words;
        bench->num_failed++;
        if (!bench->first_code) bench->first_code = measured->exit_code;
    }
    tern_sweep_add(bench->sweep, &point);
    add_spread(bench, &point);
    if (point.where) add_device(bench, point.where);
    bench_note(bench, where_of(bench, at, &bench->lines[line], measured), measured);
}

/* ---- running ---- */

/* The request of a point of a line; how many of its variables are x. */
static int set_point(Bench *bench, int at, const Line *line, PointVariable *variables) {
    MeasureRequest *request = &bench->request;
    request->variables = variables;
    request->num_variables = 0;
    for (int i = 0; i < bench->num_ranges; i++)
        variables[request->num_variables++] = (PointVariable){
            bench->ranges[i].name,
            str_format(bench->cli->arena, "%lld", (long long)bench->ranges[i].values.data[at])
                .data};
    request->device = line->device;
    request->operand = line->operand;
    int shown = request->num_variables; /* the line's variable is no x */
    if (bench->line_variable.length)
        variables[request->num_variables++] = (PointVariable){bench->line_variable, line->text};
    return shown;
}

static void measure_one(Bench *bench, int at, int index, Measured *measured) {
    Arena *arena = bench->cli->arena;
    const Line *line = &bench->lines[index];
    PointVariable variables[MOST_VARIABLES];
    set_point(bench, at, line, variables);
    bench_progress(bench, where_of(bench, at, line, NULL));
    int lock = ranks_lock(&bench->ranks, line->device ? line->device : "");
    if (line->is_apart)
        measure_point_apart(bench->cli, arena, &bench->request, measured);
    else
        measure_point(bench->cli, arena, &bench->request, measured);
    ranks_unlock(lock);
    bench->request.keeps_peaks |= measured->peaks_again;
}

static void keep_one(Bench *bench, int at, int index, Measured *measured) {
    const Line *line = &bench->lines[index];
    PointVariable variables[MOST_VARIABLES];
    int shown = set_point(bench, at, line, variables);
    if (measure_interrupted() && measured->exit_code) return;
    bench->num_done++;
    bench->request.num_variables = shown;
    run_write_line(&bench->writer,
                   run_point(bench->cli->arena, &bench->request, line->name, 0, measured));
    take_result(bench, at, index, measured);
    if (!measured->exit_code) tern_timing_free(&measured->timing);
    bench->last = *measured;
}

/* ---- with other ranks: each measures every so manieth point, rank 0 keeps all ---- */

static const char *name_of(const Bench *bench, int item) {
    return str_format(bench->cli->arena, "point-%d", item).data;
}

static bool put_own(Bench *bench) {
    for (int item = 0; item < bench->num_points * bench->num_lines; item++) {
        Measured measured;
        Buf out = {.arena = bench->cli->arena};
        if (!ranks_has(&bench->ranks, item) || measure_interrupted()) continue;
        measure_one(bench, item / bench->num_lines, item % bench->num_lines, &measured);
        if (gethostname(measured.host, sizeof measured.host - 1)) measured.host[0] = 0;
        measured_put(&out, &measured);
        if (!ranks_put(&bench->ranks, name_of(bench, item), buf_str(&out))) return false;
        if (!measured.exit_code) tern_timing_free(&measured.timing);
    }
    return true;
}

/* A rank that has ended has what it had put, and no more. */
static void get_one(Bench *bench, int item, Measured *measured) {
    Arena *arena = bench->cli->arena;
    int rank = item % bench->ranks.count;
    Line *line = &bench->lines[item % bench->num_lines];
    Str rest;
    char here[sizeof measured->host] = "";
    *measured = (Measured){0};
    if (!ranks_get(&bench->ranks, rank, name_of(bench, item), &rest) ||
        !measured_take(arena, &rest, measured))
        measured_failed(arena, measured, EXIT_SYSTEM, "",
                        str_format(arena, "rank %d has ended without it", rank).data);
    if (gethostname(here, sizeof here - 1)) here[0] = 0;
    if (!strcmp(measured->host, here)) measured->host[0] = 0;
    if (measured->exit_code) return;
    if (!line->description) line->description = str_c(arena, str_of(measured->description));
    if (strcmp(line->description, measured->description) != 0)
        measured_failed(arena, measured, EXIT_USAGE, "",
                        str_format(arena, "rank %d ran on '%s', others on '%s'", rank,
                                   measured->description, line->description)
                            .data);
}

static void run_all(Bench *bench) {
    bench->started_ms = clock_ms();
    progress_start(&bench->progress, bench->cli);
    bool shared = bench->ranks.count > 1, fine = !shared || put_own(bench);
    int count = bench->ranks.rank || !fine ? 0 : bench->num_points * bench->num_lines;
    for (int item = 0; item < count && !(measure_interrupted() && !shared); item++) {
        Measured measured;
        int at = item / bench->num_lines, line = item % bench->num_lines;
        if (shared)
            get_one(bench, item, &measured);
        else
            measure_one(bench, at, line, &measured);
        keep_one(bench, at, line, &measured);
    }
    progress_end(&bench->progress);
    if (!measure_interrupted()) run_write_line(&bench->writer, "{\"end\":true}\n");
}

static int report(Bench *bench) {
    Cli *cli = bench->cli;
    const char *folder = option_value(cli, "save");
    bool is_sweep = bench->num_ranges || bench->num_lines > 1;
    int code = bench->first_code;
    if (!cli->json && is_sweep)
        bench_print_sweep(bench);
    else if (!cli->json && code)
        cli_fail(cli, code, "%s", bench->last.words);
    else if (!cli->json && bench->num_done && bench->last.kernel[0])
        bench_print_point(&bench->last);
    fflush(stdout);
    if (folder) {
        if (tern_sweep_save(bench->sweep, folder, option_value(cli, "format"))) {
            int why = cli_fail(cli, EXIT_SYSTEM, "%s", tern_sweep_message(bench->sweep));
            if (!code) code = why;
        } else if (!cli->json)
            printf("%s %s\n", tern_sweep_message(bench->sweep), bench->writer.path);
    }
    if (!run_writer_close(&bench->writer) && !code) code = EXIT_SYSTEM;
    if (measure_interrupted())
        code = cli_fail(cli, EXIT_SYSTEM, "interrupted: %d of %d points are done", bench->num_done,
                        bench->num_points * bench->num_lines);
    return code;
}

/* A kernel on the cpu may crash, and take nothing with it but its point. */
static void set_apart(Bench *bench) {
    const char *named = getenv("TERN_DEVICE");
    for (int i = 0; i < bench->num_lines; i++) {
        Line *line = &bench->lines[i];
        const char *device = line->device ? line->device : named && *named ? named : NULL;
        if (!device && i)
            line->is_apart = bench->lines[0].is_apart;
        else if (!device) { /* whatever there is */
            tern_context *context = tern_open(NULL, NULL, NULL, 0);
            line->is_apart = context && cli_may_crash(tern_device_name(context));
            tern_close(context);
        } else
            line->is_apart = cli_may_crash(device);
    }
}

static int run_sweep(Bench *bench) {
    Cli *cli = bench->cli;
    int code = name_line(bench);
    if (!code) code = take_roofline(bench);
    if (code) return code;
    if (!run_writer_open(&bench->writer, cli, bench->ranks.rank ? NULL : option_value(cli, "save"),
                         "run.jsonl"))
        return EXIT_SYSTEM;
    bench->sweep = new_sweep(bench, false);
    bench->spread = option_given(cli, "quantiles") ? new_sweep(bench, true) : NULL;
    if (!bench->sweep) return cli_fail(cli, EXIT_SYSTEM, "no memory");
    set_apart(bench);
    run_write_line(&bench->writer, run_header(cli->arena, cli, bench->operand, false));
    run_all(bench);
    if (!bench->ranks.rank) code = report(bench);
    tern_sweep_free(bench->sweep);
    tern_sweep_free(bench->spread);
    return code;
}

/* One point of both sides. What fails here is no verdict's matter: the point is marked, later. */
static int same_at(Bench *bench, int at, int index, const Cli *other, const char *operand) {
    PointVariable variables[MOST_VARIABLES];
    Cli a = *other, b = *bench->cli;
    Arena *arena = arena_new(NULL);
    Buf words = {.arena = arena};
    a.arena = b.arena = arena;
    a.complaints = b.complaints = &words;
    set_point(bench, at, &bench->lines[index], variables);
    int code = check_same(&bench->request, &a, operand, &b, bench->lines[index].operand);
    if (code == EXIT_WRONG) {
        cli_complain(bench->cli, words.data ? words.data : "");
        cli_fail(bench->cli, code, "%s: the two do not compute the same: no verdict",
                 where_of(bench, at, &bench->lines[index], NULL));
    }
    arena_free(arena);
    return code == EXIT_WRONG ? code : EXIT_OK;
}

static int same_outputs(void *user, Cli *other, const char *operand) {
    Bench *bench = user, of_other = *bench;
    of_other.cli = other;
    of_other.operand = operand;
    of_other.lines[0].name = NULL;
    int code = take_lines(&of_other);
    if (!bench->lines[0].name) bench->lines[0].name = bench->operand; /* for messages */
    for (int at = 0; at < bench->num_points; at++)
        for (int line = 0; line < bench->num_lines && !code && !measure_interrupted(); line++)
            code = same_at(bench, at, line, other, of_other.lines[line].operand);
    return code;
}

int command_bench(Cli *cli) {
    static int (*const steps[])(Bench *) = {take_ranges, take_lines, take_rest, take_unused};
    int code = EXIT_OK;
    if (cli->operands.count == 0) return cli_fail(cli, EXIT_USAGE, "which FILE[:KERNEL]?");
    if (cli->operands.count > 1)
        return cli_fail(cli, EXIT_USAGE, "one kernel at a time (--line kernel=a,b): what is '%s'?",
                        cli->operands.data[1]);
    Bench bench = {.cli = cli,
                   .operand = cli->operands.data[0],
                   .notes.arena = cli->arena,
                   .doubts.arena = cli->arena};
    bool compares = option_given(cli, "vs") || option_given(cli, "processes");
    bench.ranks.count = 1;
    measure_catch_interrupt();
    if (!compares)
        code = ranks_open(&bench.ranks, cli, true);
    else if (option_given(cli, "devices"))
        code = cli_fail(cli, EXIT_USAGE, "--devices shares a sweep, and --vs has none");
    for (int i = 0; i < COUNT(steps) && !code; i++) code = steps[i](&bench);
    if (!code && compares && cli_is_input(bench.operand))
        code =
            cli_fail(cli, EXIT_USAGE, "several processes cannot read standard input: name a file");
    launch_guard_crashes();
    if (!code)
        code = compares
                   ? versus_run(cli, bench.operand, option_value(cli, "vs"), same_outputs, &bench)
                   : run_sweep(&bench);
    return ranks_close(&bench.ranks, code);
}
