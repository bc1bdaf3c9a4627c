// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.h"
#include "cli/ceilings.h"
#include "cli/check.h"
#include "cli/data_seen.h"
#include "cli/gather.h"
#include "cli/published.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void measure_catch_interrupt(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL); /* a launcher's, where another rank has died */
}

bool measure_interrupted(void) { return interrupted != 0; }

/* ---- one point ---- */

/* Wall time, with what makes caches cold between samples; and where that gives fewer samples than
 * make a point. */
enum { MOST_TIMES_REP = 10, MOST_TIMES_REP_FOR_A_POINT = 100 };

typedef struct Point {
    Cli cli; /* with the point's own arena and complaints */
    const MeasureRequest *request;
    Arena *result_arena;
    Measured *result;
    Bound bound;
    tern_argument *arguments;
    int num_arguments;
    tern_bench_options timing_options;
    tern_counters *counters;
    const DataSeen *inputs, *first; /* before the first launch, and after it */
    Buf trust, doubts;
} Point;

static void say(Point *point, bool is_doubt, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(Point *point, bool is_doubt, const char *format, ...) {
    va_list args;
    Buf words = {.arena = point->cli.arena};
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    for (int i = 0; i <= is_doubt; i++) {
        Buf *to = i ? &point->doubts : &point->trust;
        buf_printf(to, "%s%s", to->length ? gather_between : "", words.data);
    }
}

static tern_status launch(void *user, tern_stream *stream) {
    Point *point = user;
    if (interrupted) return TERN_ERROR_SYSTEM;
    return tern_launch(stream, point->bound.kernel, point->bound.grid, point->arguments,
                       point->num_arguments);
}

/* A variable that nothing mentions would make a sweep of equal points. */
static bool is_mentioned(const Point *point, Str name) {
    static const char *const options[] = {"a", "grid", "bytes", "flops", "check"};
    const char *text;
    if (bound_option(&point->bound, name)) return true;
    for (int i = 0; i < point->bound.function->num_parameters; i++)
        if (str_is(name, point->bound.function->parameters[i].name)) return true;
    for (int i = 0; i < COUNT(options); i++)
        for (int k = 0; (text = option_nth(&point->cli, options[i], k)); k++)
            if (strstr(text, name.data)) return true;
    return false;
}

static int bind(Point *point) {
    Bound *bound = &point->bound;
    const MeasureRequest *request = point->request;
    int code = bound_open(bound, &point->cli, request->device, request->operand);
    if (code) return code;
    const char *device = tern_device_name(bound->context);
    snprintf(point->result->device, sizeof point->result->device, "%s", device);
    snprintf(point->result->description, sizeof point->result->description, "%s",
             tern_device_description(bound->context));
    snprintf(point->result->kernel, sizeof point->result->kernel, "%s", bound->function->name);
    if (!request->allow_slow && !tern_device_property(device, TERN_DEVICE_IS_FAST))
        return cli_fail(
            &point->cli, EXIT_REFUSED,
            "device %s checks kernels, its time says nothing about speed (--allow-slow times it)",
            device);
    if (request->cold_flush && !tern_device_property(device, TERN_DEVICE_ON_HOST))
        return cli_fail(&point->cli, EXIT_REFUSED, "--cold flush: not on %s; read or fill", device);
    for (int i = 0; i < request->num_variables; i++)
        if (!is_mentioned(point, request->variables[i].name))
            return cli_fail(
                &point->cli, EXIT_USAGE,
                "'%s' is swept, but no argument of '%s', no -a and no --grid mentions it",
                request->variables[i].name.data, bound->function->name);
    code = bound_variables(bound, request->variables, request->num_variables);
    if (!code) code = bound_values(bound);
    if (!code) code = bound_compile(bound);
    if (!code) code = bound_upload(bound);
    return code;
}

static int arguments(Point *point) {
    Str why;
    Bound *bound = &point->bound;
    if (launch_arguments(point->cli.arena, bound->kernel, bound->args, bound->num_args,
                         &point->arguments, &point->num_arguments, &why))
        return EXIT_OK;
    return cli_fail(&point->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
}

/* Results may have been there before: with other bytes there, does the kernel put them back? What
 * the tensors hold is put back here. */
static bool changes_others(Point *point) {
    Bound *bound = &point->bound;
    bool changes = false;
    for (int i = 0; i < bound->num_args; i++) {
        const LaunchArg *arg = &bound->args[i];
        if (!arg->buffer || arg->is_shared ||
            !tern_kernel_writes(bound->kernel, arg->parameter->name))
            continue;
        const Tensor *tensor = arg->value->tensor;
        size_t size = tensor->storage_bytes, zone = bound->red_zone_bytes;
        unsigned char *other = arena_array(point->cli.arena, unsigned char, size),
                      *seen = arena_array(point->cli.arena, unsigned char, size);
        for (size_t k = 0; k < size; k++) other[k] = (unsigned char)~tensor->storage[k];
        changes |= !tern_write(arg->buffer, zone, other, size) && !launch(point, NULL) &&
                   !tern_synchronize(bound->context) && !tern_read(arg->buffer, zone, seen, size) &&
                   memcmp(other, seen, size) != 0;
        if (tern_write(arg->buffer, zone, tensor->storage, size)) return false;
    }
    return changes;
}

/* Launches once and looks at what came out, before anything is timed. */
static int try_once(Point *point) {
    Bound *bound = &point->bound;
    CheckedOutputs outputs;
    uint64_t *before = outputs_before(point->cli.arena, bound);
    point->inputs = data_look(point->cli.arena, bound);
    if (launch(point, NULL) || tern_synchronize(bound->context))
        return cli_fail_context(&point->cli, bound->context);
    int code = bound_download(bound);
    if (code) return code;
    outputs_look(bound, before, &outputs);
    if (outputs.num_tensors && !outputs.num_changed && !changes_others(point))
        return cli_fail(&point->cli, EXIT_WRONG, "the kernel changed none of its %d tensors",
                        outputs.num_tensors);
    point->first = data_look(point->cli.arena, bound);
    code = check_results(point->request, bound);
    if (code) return code;
    if (outputs.poisoned)
        say(point, true, "%s: %lld of %lld never written", outputs.poisoned,
            (long long)outputs.num_poison, (long long)outputs.num_elements);
    else
        say(point, false, "outputs written");
    if (outputs.has_nan) say(point, true, "%s has NaN", outputs.has_nan);
    if (option_given(&point->cli, "check")) say(point, false, "checked");
    return EXIT_OK;
}

static int fail_timing(Point *point) {
    if (interrupted) return cli_fail(&point->cli, EXIT_SYSTEM, "interrupted");
    return cli_fail_context(&point->cli, point->bound.context);
}

/* What the data does to the time. */
static int say_data(Point *point) {
    Bound *bound = &point->bound;
    Arena *arena = point->cli.arena;
    int code = bound_download(bound);
    if (code) return code;
    const DataSeen *last = data_look(arena, bound);
    bool on_host = tern_device_property(point->result->device, TERN_DEVICE_ON_HOST);
    for (int i = 0; i < bound->num_args; i++) {
        const char *input = data_denormal_words(arena, bound, i, point->inputs),
                   *result = data_denormal_words(arena, bound, i, point->first),
                   *decay = data_decay_words(arena, bound, i, point->first, last);
        if (on_host && (input || result)) say(point, true, "%s", input ? input : result);
        if (decay) say(point, true, "%s", decay);
    }
    return EXIT_OK;
}

/* How it was timed, and what was looked for and not found. */
static void say_method(Point *point, const tern_timing *timing) {
    bool on_gpu = !tern_device_property(point->result->device, TERN_DEVICE_ON_HOST);
    bool is_small = timing->cold_bytes < (size_t)1 << 20;
    if (timing->cold_bytes)
        say(point, false, "cold caches (%zu %s %s, %.2g ms a sample)",
            timing->cold_bytes >> (is_small ? 10 : 20), is_small ? "KiB" : "MiB",
            timing->is_filled    ? "filled"
            : timing->is_flushed ? "flushed"
                                 : "read",
            timing->cold_ms);
    else
        say(point, false, "hot caches");
    if (on_gpu && timing->is_gated) say(point, false, "gated");
    if (on_gpu && timing->is_gated && !(timing->trust & TERN_TRUST_WAITS_INSIDE))
        say(point, false, "no wait inside");
    if (on_gpu && !(timing->trust & TERN_TRUST_STRAY)) say(point, false, "no stray work");
    if (timing->trust & TERN_TRUST_STRAY) say(point, true, "%.3g ms of it", timing->stray_ms);
    if (timing->num_discarded) say(point, false, "%zu samples discarded", timing->num_discarded);
    if (timing->num_contended) say(point, false, "%zu of them contended", timing->num_contended);
    if (on_gpu && !timing->reasons_known) say(point, false, "slow-down reasons unknown (no NVML)");
    if (timing->slow_reasons & TERN_SLOW_POWER_CAP) say(point, false, "at the power limit");
    if (point->bound.tuned) say(point, false, "tuned: %s", point->bound.tuned);
    if (option_given(&point->cli, "debug"))
        say(point, true, "debug: the kernel's asserts are compiled in");
    if (on_gpu && option_given(&point->cli, "precise")) say(point, false, "precise");
}

static int time_it(Point *point) {
    const MeasureRequest *request = point->request;
    tern_context *context = point->bound.context;
    for (double end = clock_ms() + request->warmup_ms; clock_ms() < end;)
        if (launch(point, NULL) || tern_synchronize(context)) return fail_timing(point);
    int num_buffers = 0;
    tern_buffer **buffers = arena_array(point->cli.arena, tern_buffer *, point->bound.num_args + 1);
    for (int i = 0; i < point->bound.num_args; i++)
        if (point->bound.args[i].buffer && !point->bound.args[i].is_shared)
            buffers[num_buffers++] = point->bound.args[i].buffer;
    point->timing_options = (tern_bench_options){
        .hot = request->hot,
        .cold_fill = request->cold_fill,
        .min_time_ms = request->rep_ms,
        .max_time_ms = MOST_TIMES_REP * request->rep_ms,
        .extra_time_ms = (MOST_TIMES_REP_FOR_A_POINT - MOST_TIMES_REP) * request->rep_ms,
        .cold_buffers = buffers,
        .num_cold_buffers = request->cold_read ? 0 : num_buffers};
    tern_timing *timing = &point->result->timing;
    if (tern_bench(context, launch, point, &point->timing_options, timing))
        return fail_timing(point);
    say_method(point, timing);
    for (unsigned bit = 1; bit; bit <<= 1)
        if (timing->trust & bit && tern_trust_words(bit))
            say(point, true, "%s", tern_trust_words(bit));
    return say_data(point);
}

/* ---- hardware counters ---- */

static tern_status launch_counted(void *user, tern_stream *stream) {
    Point *point = user;
    tern_status status = tern_counters_begin(point->counters);
    if (!status) status = launch(point, stream);
    return status ? status : tern_counters_end(point->counters, &point->result->hardware);
}

/* Of a launch that is like those that were timed. */
static bool is_counted(Point *point) {
    tern_bench_options options = point->timing_options;
    options.no_gate = true;
    options.max_samples = options.warmups = 1;
    tern_timing timing = {0};
    bool counted = point->counters &&
                   !tern_bench(point->bound.context, launch_counted, point, &options, &timing);
    tern_timing_free(&timing);
    return counted;
}

/* The same launches once more. */
static int measure_again(Point *point) {
    Measured *result = point->result;
    tern_hardware hardware = result->hardware;
    int count = point->request->again;
    result->again = arena_array(point->result_arena, MeasuredAgain, count);
    for (int i = 0; i < count; i++) {
        tern_timing timing = {0};
        if (tern_bench(point->bound.context, launch, point, &point->timing_options, &timing))
            return fail_timing(point);
        bool counted = point->request->counts && is_counted(point);
        result->again[i] = (MeasuredAgain){timing.median, timing.floor_ms, timing.launch_floor_ms,
                                           counted, result->hardware};
        tern_timing_free(&timing);
    }
    result->hardware = hardware;
    return EXIT_OK;
}

/* What refuses is said, and is no failure. */
static int count_hardware(Point *point) {
    Measured *result = point->result;
    tern_context *context = point->bound.context;
    if (!point->request->counts) return measure_again(point);
    point->counters = tern_counters_open(context);
    result->has_hardware = is_counted(point);
    if (interrupted) return fail_timing(point);
    result->not_counted =
        str_copy(point->result_arena,
                 str_of(result->has_hardware ? result->hardware.missing : tern_message(context)));
    int code = measure_again(point);
    tern_counters_close(point->counters);
    return code;
}

/* ---- bytes and operations ---- */

static int declared(Point *point, const char *option, double *value, Evidence *by) {
    const char *text = option_value(&point->cli, option);
    if (!text) return EXIT_OK;
    ArgValue *number = env_evaluate(&point->bound.env, option, str_of(text));
    if (!number) return bound_fail_diag(&point->bound);
    double declared = number->kind == ARG_INT ? (double)number->integer : number->number;
    if ((number->kind != ARG_INT && number->kind != ARG_FLOAT) || !(declared > 0) ||
        !isfinite(declared))
        return cli_fail(&point->cli, EXIT_USAGE, "--%s: expected a number above 0", option);
    if (*by == EVIDENCE_COUNTED && fabs(declared - *value) > 0.02 * *value)
        say(point, true, "%s declared as %.4g, counted as %.4g", option, declared, *value);
    *value = declared;
    *by = EVIDENCE_DECLARED;
    return EXIT_OK;
}

static int count_work(Point *point) {
    tern_work work;
    Measured *result = point->result;
    tern_status status = tern_kernel_work(point->bound.kernel, point->bound.grid, point->arguments,
                                          point->num_arguments, &work);
    if (!status) {
        result->bytes = (double)work.bytes;
        result->flops = (double)work.flops;
        result->bytes_by = work.bytes_exact ? EVIDENCE_COUNTED : EVIDENCE_AT_MOST;
        result->flops_by = work.flops_exact ? EVIDENCE_COUNTED : EVIDENCE_AT_MOST;
    } else if (status != TERN_ERROR_UNSUPPORTED)
        return cli_fail_context(&point->cli, point->bound.context);
    const char *ptx = tern_kernel_text(point->bound.kernel, TERN_STAGE_PTX);
    result->choice = bound_choice(&point->bound, point->result_arena);
    result->on_tensor = ptx && on_tensor_cores(ptx);
    if (result->on_tensor) result->tensor_rate = tensor_rate(ptx);
    int code = declared(point, "bytes", &result->bytes, &result->bytes_by);
    return code ? code : declared(point, "flops", &result->flops, &result->flops_by);
}

/* ---- against the ceilings ---- */

static int against_ceilings(Point *point) {
    if (!point->request->use_peak) return EXIT_OK;
    CeilingWords words =
        ceilings_judge(point->result_arena, point->bound.context, point->request, point->result);
    if (words.impossible) return cli_fail(&point->cli, EXIT_WRONG, "%s", words.impossible);
    if (words.doubt) say(point, point->result->peaks.copy > 0, "%s", words.doubt);
    return EXIT_OK;
}

/* ---- all of it ---- */

static int measure(Point *point) {
    static int (*const steps[])(Point *) = {bind,           arguments,  try_once,        time_it,
                                            count_hardware, count_work, against_ceilings};
    int code = EXIT_OK;
    for (int i = 0; i < COUNT(steps) && !code; i++) code = steps[i](point);
    memcpy(point->result->grid, point->bound.grid, sizeof point->result->grid);
    return code;
}

void measure_point(const Cli *cli, Arena *arena, const MeasureRequest *request,
                   Measured *measured) {
    Point point = {.cli = *cli, .request = request, .result_arena = arena, .result = measured};
    Arena *own = arena_new(NULL);
    Buf complaints = {.arena = own};
    point.cli.arena = own;
    point.cli.complaints = &complaints;
    point.trust.arena = point.doubts.arena = arena;
    *measured = (Measured){0};
    measured->exit_code = measure(&point);
    measured->trust = buf_str(&point.trust);
    measured->doubts = buf_str(&point.doubts);
    if (measured->exit_code) {
        measured->words = cli_first_words(arena, cli, buf_str(&complaints));
        tern_timing_free(&measured->timing);
    }
    bound_close(&point.bound);
    arena_free(own);
}
