// SPDX-License-Identifier: Apache-2.0
/* tern run: compiles a kernel for the arguments given, launches it and reports on every tensor. */
#include "cli/check.h"
#include "cli/exec.h"
#include "cli/json.h"
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const OptionRow options_run[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable)"},
    OPTIONS_CONFIG,
    OPTIONS_COMPILE,
    {"out", 'o', "NAME=FILE.npy", "write a tensor after the launch (repeatable)"},
    {"print", 'p', "NAME", "print a tensor after the launch (repeatable)"},
    {"check", 0, "WHAT", "compare with interp, with NAME=VALUE, or with FILE.npy (repeatable)"},
    {"counters", 0, NULL, "print what the launch did, counted (only on sim)"},
    {"repeat", 'n', "N", "launch N more times and print the median time"},
    {"timeout", 0, "MS", "stop a launch that takes longer"},
    {0},
};

const char details_run[] =
    "VALUE is a number, true, false, none, a dtype (fp16), a quoted string, a tuple of values\n"
    "(x,16,none), with names (p=x,n=16), in it constexpr(16) for what is known when it is "
    "compiled, "
    "or\n"
    "  randn(4,781,f32,seed=1)  rand(..)  zeros(..)  ones(..)  full(..,VALUE)  arange(..)\n"
    "  randint(..,low=0,high=10)  empty(..)      shape, then dtype (f32 if left out); also\n"
    "                                            strides=(1024,1) and offset=N, in elements\n"
    "  @file.npy  load(\"file.npy\",bf16)        bf16 and f8 are their bits there, u2 and u1\n"
    "  desc(TENSOR,(64,32))     a host tensor descriptor of blocks; shape=(..) strides=(..) if "
    "they\n"
    "                           are not the tensor's\n"
    "  Inside a tuple t or descriptor d, --print and --out name tensors t.0 and d.base.\n"
    "  or an expression over other arguments: size(x,1) stride(x,0) numel(x) dtype(x)\n"
    "  cdiv(n,BLOCK) next_power_of_2(n) min max + - * / // % **\n"
    "empty() is poisoned: the report says how many of its elements nobody wrote, and a kernel that "
    "reads\n"
    "one of them is stopped on interp and sim.\n"
    "What a kernel accesses outside of its tensors: interp and sim stop there and name the line; "
    "on cpu\n"
    "64 KiB on either side of each tensor are compared after the launch, and the tensor is "
    "named.\n\n"
    "example:\n"
    "  tern run kernels/softmax.py --grid 'size(x_ptr,0)' -a 'x_ptr=randn(4,781)' \\\n"
    "      -a 'out_ptr=empty(4,781)' -a 'x_stride=stride(x_ptr,0)' \\\n"
    "      -a 'out_stride=stride(out_ptr,0)' -a 'columns=size(x_ptr,1)' \\\n"
    "      -a 'BLOCK=next_power_of_2(columns)' --print out_ptr\n";

typedef struct Run {
    Bound bound;
    double first_ms, median_ms, least_ms;
    int repeat;
    Progress progress;
    unsigned char **before; /* the bytes of each tensor before the launch */
} Run;

enum { RED_ZONE_BYTES = 1 << 16 };

/* Each tensor's bytes, for the report. */
static int keep_before(Run *run) {
    run->before = arena_array(run->bound.cli->arena, unsigned char *, run->bound.num_args + 1);
    for (int i = 0; i < run->bound.num_args; i++) {
        if (!run->bound.args[i].buffer) continue;
        const Tensor *tensor = run->bound.args[i].value->tensor;
        run->before[i] = malloc(tensor->storage_bytes + 1);
        if (!run->before[i]) return cli_fail(run->bound.cli, EXIT_SYSTEM, "no memory");
        memcpy(run->before[i], tensor->storage, tensor->storage_bytes);
    }
    return EXIT_OK;
}

static void print_output(void *user, const char *text, size_t length) {
    fwrite(text, 1, length, user);
}

static tern_status launch_timed(Run *run, tern_event *start, tern_event *end,
                                const tern_argument *arguments, int count, double *ms) {
    double nanoseconds = 0;
    tern_status status = tern_event_record(start, NULL);
    if (!status) status = tern_launch(NULL, run->bound.kernel, run->bound.grid, arguments, count);
    if (!status) status = tern_event_record(end, NULL);
    if (!status) status = tern_synchronize(run->bound.context);
    if (!status) status = tern_event_elapsed(start, end, &nanoseconds);
    *ms = nanoseconds / 1e6;
    return status;
}

static int launch_all(Run *run) {
    Cli *cli = run->bound.cli;
    tern_argument *arguments;
    int count, code = EXIT_OK;
    Str why;
    if (!option_int(cli, "repeat", 1, 1000000, 0, &run->repeat)) return EXIT_USAGE;
    if (!launch_arguments(cli->arena, run->bound.kernel, run->bound.args, run->bound.num_args,
                          &arguments, &count, &why))
        return cli_fail(cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    tern_event *start = tern_event_create(run->bound.context),
               *end = tern_event_create(run->bound.context);
    double *times = arena_array(cli->arena, double, run->repeat + 1);
    if (!start || !end || launch_timed(run, start, end, arguments, count, &run->first_ms))
        code = cli_fail_context(cli, run->bound.context);
    if (!code) code = bound_check_zones(&run->bound);
    if (!code) code = bound_download(&run->bound); /* the results are those of the first launch */
    for (int i = 0; i < run->repeat && !code; i++) {
        progress_say(&run->progress, "launch %d of %d", i + 1, run->repeat);
        if (launch_timed(run, start, end, arguments, count, &times[i]))
            code = cli_fail_context(cli, run->bound.context);
    }
    if (run->repeat && !code) {
        run->median_ms = launch_median(times, run->repeat);
        run->least_ms = times[0];
    }
    tern_event_free(start);
    tern_event_free(end);
    return code;
}

/* ---- report ---- */

/* Where the device does not follow what is written, what empty() left says it; in one or two bytes
 * a kernel may well have written just that. */
static bool not_written_is_sure(const Tensor *tensor) {
    return tensor->written || tern_dtype_size(tensor->dtype) > 2;
}

/* Where it is known what was written, a poison that is written counts, too. */
static bool is_changed(const Run *run, int index) {
    const Tensor *tensor = run->bound.args[index].value->tensor;
    if (tensor->written && memchr(tensor->written, 1, tensor->storage_bytes)) return true;
    return memcmp(run->before[index], tensor->storage, tensor->storage_bytes) != 0;
}

static void report_tensor(Run *run, int index) {
    const LaunchArg *arg = &run->bound.args[index];
    const Tensor *tensor = arg->value->tensor;
    TensorStats stats = tensor_stats(tensor);
    Buf line = {.arena = run->bound.cli->arena};
    bool changed = is_changed(run, index);
    buf_printf(&line, "%s: ", arg->parameter->name);
    tensor_type(&line, tensor);
    buf_printf(&line, "  %s  sum %.9g", changed ? "changed" : "unchanged", stats.sum);
    if (stats.low <= stats.high) buf_printf(&line, "  min %.9g  max %.9g", stats.low, stats.high);
    if (stats.num_nan) buf_printf(&line, "  nan %lld", (long long)stats.num_nan);
    if (stats.num_inf) buf_printf(&line, "  inf %lld", (long long)stats.num_inf);
    if (arg->value->is_empty && stats.num_poison)
        buf_printf(&line, "  %snot written %lld of %lld",
                   not_written_is_sure(tensor) ? "" : "perhaps ", (long long)stats.num_poison,
                   (long long)stats.count);
    buf_printf(&line, "  hash %016llx", (unsigned long long)stats.hash);
    puts(line.data);
}

/* Of several programs another order may give another result; sim sees that, and has failed. */
static void report_races(const Run *run) {
    uint64_t programs = 1;
    for (int i = 0; i < run->bound.grid_rank; i++) programs *= run->bound.grid[i];
    if (programs < 2 || !strncmp(tern_device_name(run->bound.context), "sim", 3)) return;
    puts("races between programs: not looked for; 'tern check' looks for them");
}

static void report_text(Run *run) {
    Cli *cli = run->bound.cli;
    if (!cli->quiet) {
        printf("device: %s (%s)\n", tern_device_name(run->bound.context),
               tern_device_description(run->bound.context));
        printf("kernel: %s, grid %u", run->bound.function->name, run->bound.grid[0]);
        for (int i = 1; i < run->bound.grid_rank; i++) printf(" x %u", run->bound.grid[i]);
        if (run->bound.function->is_cuda)
            printf(", block %s", option_value(cli, "block"));
        else
            printf(", num_warps %d", tern_kernel_num_warps(run->bound.kernel));
        if (run->bound.config)
            printf(", config %d of %d", run->bound.config, run->bound.num_configs);
        if (run->bound.tuned) printf(", tuned: %s", run->bound.tuned);
        putchar('\n');
        if (cli->verbose) printf("signature: %.*s\n", STR_ARG(run->bound.signature));
        printf("time: compile %.3f ms, launch %.6f ms", run->bound.compile_ms, run->first_ms);
        if (run->repeat)
            printf(", median of %d %.6f ms, least %.6f ms", run->repeat, run->median_ms,
                   run->least_ms);
        putchar('\n');
        report_races(run);
        const char *remarks = tern_kernel_text(run->bound.kernel, TERN_STAGE_REMARKS);
        if (cli->verbose && remarks) fputs(remarks, stdout);
    }
    cli_show_warnings(cli, run->bound.kernel);
    for (int i = 0; i < run->bound.num_args; i++)
        if (run->bound.args[i].buffer) report_tensor(run, i);
}

/* A JSON object as it is, or a table. */
static int report_counters(Run *run, Json *json) {
    char *text = tern_kernel_counters(run->bound.kernel, json != NULL);
    if (!text) return cli_fail_context(run->bound.cli, run->bound.context);
    if (json)
        json_key(json, "counters"), json_raw(json, text);
    else
        fputs(text, stdout);
    tern_free(text);
    return EXIT_OK;
}

static void report_json_tensor(Run *run, Json *json, int index) {
    const LaunchArg *arg = &run->bound.args[index];
    const Tensor *tensor = arg->value->tensor;
    TensorStats stats = tensor_stats(tensor);
    json_open(json, '{');
    json_key(json, "name"), json_text(json, arg->parameter->name);
    json_key(json, "dtype"), json_text(json, tern_dtype_name(tensor->dtype));
    json_key(json, "shape"), json_open(json, '[');
    for (int i = 0; i < tensor->rank; i++) json_int(json, tensor->shape[i]);
    json_close(json, ']');
    json_key(json, "changed");
    json_bool(json, is_changed(run, index));
    json_key(json, "sum"), json_number(json, stats.sum);
    json_key(json, "min"), json_number(json, stats.low);
    json_key(json, "max"), json_number(json, stats.high);
    json_key(json, "nan"), json_int(json, stats.num_nan);
    json_key(json, "inf"), json_int(json, stats.num_inf);
    json_key(json, "not_written"), json_int(json, arg->value->is_empty ? stats.num_poison : 0);
    json_key(json, "not_written_is_sure"), json_bool(json, not_written_is_sure(tensor));
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)stats.hash);
    json_key(json, "hash"), json_text(json, hash);
    json_close(json, '}');
}

static int report_json(Run *run) {
    Json json = {.out.arena = run->bound.cli->arena};
    json_open(&json, '{');
    json_key(&json, "device"), json_text(&json, tern_device_name(run->bound.context));
    json_key(&json, "kernel"), json_text(&json, run->bound.function->name);
    json_key(&json, "signature"), json_text(&json, run->bound.signature.data);
    json_key(&json, "grid"), json_open(&json, '[');
    for (int i = 0; i < run->bound.grid_rank; i++) json_int(&json, run->bound.grid[i]);
    json_close(&json, ']');
    json_key(&json, "num_warps"), json_int(&json, tern_kernel_num_warps(run->bound.kernel));
    json_key(&json, "config"), json_int(&json, run->bound.config);
    json_key(&json, "compile_ms"), json_number(&json, run->bound.compile_ms);
    json_key(&json, "launch_ms"), json_number(&json, run->first_ms);
    json_key(&json, "repeat"), json_int(&json, run->repeat);
    json_key(&json, "median_ms"), json_number(&json, run->repeat ? run->median_ms : (double)NAN);
    if (option_given(run->bound.cli, "check")) json_key(&json, "checked"), json_bool(&json, true);
    json_key(&json, "tensors"), json_open(&json, '[');
    for (int i = 0; i < run->bound.num_args; i++)
        if (run->bound.args[i].buffer) report_json_tensor(run, &json, i);
    json_close(&json, ']');
    int code = option_given(run->bound.cli, "counters") ? report_counters(run, &json) : EXIT_OK;
    json_close(&json, '}');
    if (!code) json_print(&json);
    return code;
}

/* ---- --print and --out ---- */

static Tensor *named_tensor(Run *run, const char *option, Str name) {
    LaunchArg *arg = bound_arg(&run->bound, name);
    if (arg && arg->value && arg->value->kind == ARG_TENSOR) return arg->value->tensor;
    cli_fail(run->bound.cli, EXIT_USAGE, "--%s: no tensor argument '%.*s'", option, STR_ARG(name));
    return NULL;
}

static Str out_name(const char *text) {
    const char *equals = strchr(text, '=');
    return (Str){text, equals ? (int)(equals - text) : 0};
}

/* Before anything is compiled: a mistake here should not cost the user a run. */
static int check_outputs(Run *run) {
    const char *text;
    for (int i = 0; (text = option_nth(run->bound.cli, "print", i)); i++)
        if (!named_tensor(run, "print", str_of(text))) return EXIT_USAGE;
    for (int i = 0; (text = option_nth(run->bound.cli, "out", i)); i++) {
        Str name = out_name(text);
        if (!name.length || !text[name.length + 1])
            return cli_fail(run->bound.cli, EXIT_USAGE, "--out: expected NAME=FILE.npy, saw '%s'",
                            text);
        if (!named_tensor(run, "out", name)) return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int write_npy(Run *run, const Tensor *tensor, const char *path) {
    int64_t count = tensor_count(tensor);
    size_t size = tern_dtype_size(tensor->dtype);
    tern_array array = {
        .dtype = tensor->dtype, .rank = tensor->rank, .size_bytes = (size_t)count * size};
    for (int i = 0; i < tensor->rank; i++) array.shape[i] = tensor->shape[i];
    char *data = array.data = malloc(array.size_bytes + 1);
    if (!data) return cli_fail(run->bound.cli, EXIT_SYSTEM, "no memory");
    for (int64_t i = 0; i < count; i++)
        memcpy(data + (size_t)i * size, tensor->storage + (size_t)tensor_place(tensor, i) * size,
               size);
    tern_status status = tern_npy_write(run->bound.context, path, &array);
    free(data);
    return status ? cli_fail_context(run->bound.cli, run->bound.context) : EXIT_OK;
}

static int outputs(Run *run) {
    const char *text;
    for (int i = 0; (text = option_nth(run->bound.cli, "print", i)); i++) {
        Buf out = {.arena = run->bound.cli->arena};
        tensor_print(&out, named_tensor(run, "print", str_of(text)));
        printf("%s =\n%s\n", text, out.data);
    }
    for (int i = 0; (text = option_nth(run->bound.cli, "out", i)); i++) {
        Str name = out_name(text);
        int code = write_npy(run, named_tensor(run, "out", name), text + name.length + 1);
        if (code) return code;
    }
    return EXIT_OK;
}

/* FILE.npy is of the one tensor that the kernel changed. */
static const char *of_changed(Run *run, const char *path) {
    const char *name = NULL;
    int changed = 0;
    for (int i = 0; i < run->bound.num_args; i++) {
        const LaunchArg *arg = &run->bound.args[i];
        if (!arg->buffer || arg->is_shared) continue;
        const Tensor *tensor = arg->value->tensor;
        if (!memcmp(run->before[i], tensor->storage, tensor->storage_bytes)) continue;
        name = arg->parameter->name;
        changed++;
    }
    if (changed == 1) return str_format(run->bound.cli->arena, "%s=@%s", name, path).data;
    cli_fail(run->bound.cli, EXIT_USAGE,
             "--check %s: the kernel changed %d tensors: say which, as NAME=@FILE.npy", path,
             changed);
    return NULL;
}

static int check(Run *run) {
    Cli *cli = run->bound.cli;
    const MeasureRequest request = {.operand = cli->operands.data[0]};
    const char *text;
    for (int i = 0; (text = option_nth(cli, "check", i)); i++) {
        size_t length = strlen(text);
        bool is_file = length > 4 && !strcmp(text + length - 4, ".npy") && !strchr(text, '=');
        const char *what = is_file ? of_changed(run, text) : text;
        int code = what ? check_result(&request, &run->bound, what) : EXIT_USAGE;
        if (code) return code;
        if (!cli->json && !cli->quiet) printf("checked: %s\n", text);
    }
    return EXIT_OK;
}

static void close_run(Run *run) {
    for (int i = 0; run->before && i < run->bound.num_args; i++) free(run->before[i]);
    bound_close(&run->bound);
}

static int run_steps(Run *run) {
    int code = bound_values(&run->bound);
    if (!code) code = check_outputs(run);
    if (!code) code = bound_compile(&run->bound);
    if (!code) code = bound_upload(&run->bound);
    if (!code) code = keep_before(run);
    progress_start(&run->progress, run->bound.cli);
    if (!code) progress_watch(&run->progress, "the launch");
    if (!code) code = launch_all(run);
    progress_end(&run->progress);
    if (code) return code;
    if (run->bound.cli->json) {
        code = report_json(run);
    } else {
        report_text(run);
        if (option_given(run->bound.cli, "counters")) code = report_counters(run, NULL);
    }
    if (!code) code = outputs(run);
    return code ? code : check(run);
}

int command_run(Cli *cli) {
    if (cli->operands.count == 0) return cli_fail(cli, EXIT_USAGE, "which FILE[:KERNEL]?");
    if (cli->operands.count > 1)
        return cli_fail(cli, EXIT_USAGE, "one kernel at a time: what is '%s'?",
                        cli->operands.data[1]);
    if (cli->json && option_given(cli, "print"))
        return cli_fail(cli, EXIT_USAGE,
                        "--print is for people; with --json use --out NAME=FILE.npy");
    if (!option_int(cli, "timeout", 1, 86400000, 0, &cli->timeout_ms)) return EXIT_USAGE;
    Run run = {0};
    launch_guard_crashes();
    ExecLine line;
    int code = bound_open(&run.bound, cli, cli->device, cli->operands.data[0]);
    if (!code && cli_may_crash(tern_device_name(run.bound.context)))
        run.bound.red_zone_bytes = RED_ZONE_BYTES;
    if (!code) tern_set_output(run.bound.context, print_output, cli->json ? stderr : stdout);
    if (!code && !cli->json) tern_set_ask(run.bound.context, exec_ask, &line);
    if (!code) code = run_steps(&run);
    close_run(&run);
    return code;
}
