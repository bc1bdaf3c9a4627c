// SPDX-License-Identifier: Apache-2.0
/* tern why: what bounds a kernel. On a device that is here its time is measured, and ceilings are;
 * of a GPU that is not (--device sim:h200) the compiler's counts, ptxas and sim say what it takes,
 * and published ceilings how long that is at least. */
#include "cli/why.h"

#include <math.h>
#include <stdio.h>

const OptionRow options_why[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable)"},
    OPTIONS_CONFIG,
    {"bytes", 0, "EXPR", "cpu, cuda: bytes that one launch must move, instead of those counted"},
    {"flops", 0, "EXPR", "cpu, cuda: operations of one launch, instead of those counted"},
    {"hot", 0, NULL, "cpu, cuda: caches as the run before left them"},
    {"rep", 0, "MS", "cpu, cuda: time for measuring; default 100"},
    {"times", 0, "N", "cpu, cuda: measure so often, to see whether the verdict stays; default 1"},
    {"execute", 0, "WHEN", "GPUs: execute it on sim, and count: auto, yes or no; default auto"},
    {"counters", 0, "WHEN", "cpu, cuda: the hardware's counters: auto or no; default auto"},
    {0},
};

const char details_why[] =
    "Each number has a letter that says where it comes from; what nobody measured or counted is "
    "not "
    "printed.\n"
    "VALUE is that of 'tern run'. The rule, and what each number means: doc/why.md.\n\n"
    "examples:\n"
    "  tern why kernels/vector_add.py --device cpu --grid 'cdiv(n,1024)' -a 'x_ptr=randn(n)' \\\n"
    "      -a 'y_ptr=randn(n)' -a 'out_ptr=empty(n)' -a n=1000000 -a BLOCK=1024\n"
    "  tern why .. --device sim:h100     a GPU that is not here: what it takes at least\n";

double why_blocks(const Why *why) {
    return (double)why->grid[0] * (double)why->grid[1] * (double)why->grid[2];
}

static WhyFrom from_evidence(Evidence by) {
    switch (by) {
    case EVIDENCE_NONE: return WHY_UNKNOWN;
    case EVIDENCE_COUNTED: return WHY_COUNTED;
    case EVIDENCE_AT_MOST: return WHY_AT_MOST;
    case EVIDENCE_DECLARED: return WHY_DECLARED;
    }
    return WHY_UNKNOWN;
}

/* ---- a GPU that is not here ---- */

static bool has_half_arithmetic(const char *ptx) {
    static const char *const ops[] = {"fma.rn.f16", "fma.rn.bf16", "add.f16",     "mul.f16",
                                      "add.rn.f16", "mul.rn.f16",  "add.rn.bf16", "mul.rn.bf16"};
    for (int i = 0; i < COUNT(ops); i++)
        if (strstr(ptx, ops[i])) return true;
    return false;
}

/* Operations on tensor cores are counted as if all were there, and without them as if all were
 * fused multiply-adds of fp32: what is published for those is the most, so that the time is the
 * least. */
static void take_operations(Why *why, const char *ptx, double flops, WhyFrom from) {
    const Published *published = why->published;
    bool on_tensor = on_tensor_cores(ptx);
    WhyResource *resource = &why->facts.resources[on_tensor ? WHY_TENSOR : WHY_ARITHMETIC];
    *resource = (WhyResource){.amount = flops, .amount_from = from};
    if (!published) return;
    if (on_tensor)
        resource->ceiling = published->tensor_16 * tensor_rate(ptx);
    else if (!has_half_arithmetic(ptx))
        resource->ceiling = published->fp32;
    resource->ceiling_from = resource->ceiling > 0 ? WHY_PUBLISHED : WHY_UNKNOWN;
}

static int take_work(Why *why, Bound *bound, const tern_argument *arguments, int count) {
    tern_work work;
    double bytes = 0, flops = 0;
    WhyFrom bytes_from = WHY_UNKNOWN, flops_from = WHY_UNKNOWN;
    tern_status status = tern_kernel_work(bound->kernel, bound->grid, arguments, count, &work);
    if (!status) {
        bytes = (double)work.bytes, flops = (double)work.flops;
        bytes_from = work.bytes_exact ? WHY_COUNTED : WHY_AT_MOST;
        flops_from = work.flops_exact ? WHY_COUNTED : WHY_AT_MOST;
    } else if (status != TERN_ERROR_UNSUPPORTED)
        return cli_fail_context(bound->cli, bound->context);
    WhyResource *memory = &why->facts.resources[WHY_MEMORY];
    *memory = (WhyResource){.amount = bytes, .amount_from = bytes_from};
    if (why->published)
        memory->ceiling = why->published->memory, memory->ceiling_from = WHY_PUBLISHED;
    const char *ptx = tern_kernel_text(bound->kernel, TERN_STAGE_PTX);
    take_operations(why, ptx ? ptx : "", flops, flops_from);
    return EXIT_OK;
}

/* So many programs sim executes in a second or two: about a million threads, and 10^8 operations of
 * products. */
static double affordable(const Why *why) {
    static const double threads = 1 << 21, operations = 1e8;
    double flops = why->facts.resources[WHY_TENSOR].amount / why_blocks(why);
    return fmin(threads / why->counted.threads, flops > 0 ? operations / flops : INFINITY);
}

/* Other than to begin with the last program. */
static bool asks_for_grid(tern_kernel *kernel, const char *ptx) {
    const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
    const char *ir = tern_kernel_text(kernel, TERN_STAGE_IR);
    if (!strstr(ptx, "%nctaid")) return false;
    return !facts || !strstr(facts, " begin first\n") || !ir || strstr(ir, "num_programs");
}

/* The first programs of a grid stand for all, unless they ask how many there are. */
static void shrink(Why *why, tern_kernel *kernel, const char *ptx) {
    static const double enough = 64;
    double most = fmax(fmin(enough, affordable(why)), 1);
    memcpy(why->executed, why->grid, sizeof why->executed);
    if (why->is_model || asks_for_grid(kernel, ptx)) return;
    for (int i = 0; i < 3; i++) {
        if (why->executed[i] > most) why->executed[i] = (uint32_t)most;
        most = fmax(floor(most / why->executed[i]), 1);
    }
}

static bool may_execute(Why *why, const char *when) {
    double programs =
        (double)why->executed[0] * (double)why->executed[1] * (double)why->executed[2];
    if (when && !strcmp(when, "yes")) return true;
    if (when && !strcmp(when, "no"))
        why->not_executed = "--execute no";
    else if (programs > (why->is_model ? 1 : 4) * affordable(why))
        why->not_executed = "so many threads take sim long; --execute yes";
    return !why->not_executed;
}

static int execute(Why *why, Bound *bound, const tern_argument *arguments, int count) {
    const char *ptx = tern_kernel_text(bound->kernel, TERN_STAGE_PTX);
    shrink(why, bound->kernel, ptx ? ptx : "");
    if (!may_execute(why, option_value(bound->cli, "execute"))) return EXIT_OK;
    if (tern_launch(NULL, bound->kernel, why->executed, arguments, count) ||
        tern_synchronize(bound->context) || tern_kernel_counted(bound->kernel, &why->counted))
        return cli_fail_context(bound->cli, bound->context);
    why->was_executed = true;
    return EXIT_OK;
}

double why_scale(const Why *why) {
    return why_blocks(why) /
           ((double)why->executed[0] * (double)why->executed[1] * (double)why->executed[2]);
}

/* A wavefront a cycle: 128 bytes (CUDA programming guide, "Shared memory"). */
static void take_wavefronts(Why *why) {
    const tern_counted *counted = &why->counted;
    WhyResource *shared = &why->facts.resources[WHY_SHARED];
    *shared = (WhyResource){.amount = (double)counted->wavefronts * why_scale(why),
                            .amount_from = WHY_EXECUTED};
    if (counted->least_wavefronts)
        why->facts.conflicts = (double)counted->wavefronts / (double)counted->least_wavefronts;
    if (!why->published) return;
    shared->ceiling =
        published_clock(why->published, counted->multiprocessors) * counted->multiprocessors;
    shared->ceiling_from = WHY_PUBLISHED;
}

/* What moves between the caches and multiprocessors, where most of it is in vain. */
static void take_accesses(Why *why) {
    static const double waste = 2;
    const tern_counted *counted = &why->counted;
    if ((double)counted->moved_bytes < waste * (double)counted->least_moved_bytes) return;
    double ceiling = why->is_model ? 0 : why->measured.peaks.cached;
    why->facts.resources[WHY_ACCESSES] =
        (WhyResource){.amount = (double)counted->moved_bytes * why_scale(why),
                      .amount_from = WHY_EXECUTED,
                      .ceiling = ceiling,
                      .ceiling_from = ceiling > 0 ? WHY_MEASURED : WHY_UNKNOWN};
}

/* Without registers fewer blocks may fit. */
static WhyTail tail_of(const tern_counted *counted, double blocks) {
    WhyTail tail = why_tail(blocks, counted->multiprocessors, counted->blocks);
    for (int fit = 1; fit < counted->blocks && counted->registers < 0; fit++) {
        WhyTail fewer = why_tail(blocks, counted->multiprocessors, fit);
        tail = (WhyTail){fmin(tail.least, fewer.least), fmax(tail.most, fewer.most)};
    }
    return tail;
}

static void take_counted(Why *why) {
    const tern_counted *counted = &why->counted;
    WhyFacts *facts = &why->facts;
    double units = counted->multiprocessors, blocks = why_blocks(why);
    facts->tail = tail_of(counted, blocks);
    facts->is_small = blocks < units;
    if (counted->spill_store_bytes > 0 || counted->spill_load_bytes > 0)
        facts->spilled_bytes = counted->spill_store_bytes + counted->spill_load_bytes;
    if (counted->registers >= 0 && blocks > units * counted->blocks) {
        facts->occupancy =
            (double)counted->blocks * counted->threads / counted->threads_per_multiprocessor;
        facts->by_registers = counted->by_registers == counted->blocks;
        facts->by_shared = counted->by_shared == counted->blocks;
    }
    if (!why->was_executed) return;
    take_wavefronts(why);
    take_accesses(why);
}

/* Of a kernel compiled for sim: counts, and executes if it may. */
static int count(Why *why, Bound *bound) {
    Str words;
    tern_argument *arguments;
    int num_arguments;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &arguments, &num_arguments, &words))
        return cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(words));
    if (tern_kernel_counted(bound->kernel, &why->counted))
        return cli_fail_context(bound->cli, bound->context);
    if (why->is_model) {
        memcpy(why->grid, bound->grid, sizeof why->grid);
        why->published = published_find(why->counted.gpu);
        int code = take_work(why, bound, arguments, num_arguments);
        if (code) return code;
    }
    why->has_counts = true;
    int code = execute(why, bound, arguments, num_arguments);
    take_counted(why);
    return code;
}

static int compile_for_model(Bound *bound, Cli *cli, const char *device) {
    int code = bound_open(bound, cli, device, cli->operands.data[0]);
    if (!code) code = bound_values(bound);
    if (!code) code = bound_compile(bound);
    if (!code) code = bound_upload(bound);
    return code;
}

/* ---- a device that is here ---- */

/* "2 threads, ..": how many programs run at a time; 0: it does not say. */
static int threads_of(const char *description) {
    int threads = 0;
    return sscanf(description, "%d thread", &threads) == 1 ? threads : 0;
}

/* Products of 16 bits are held against what one of ours reached here, others, or where that is not
 * known, against what is published. */
static void take_products(Why *why, WhyFrom from) {
    const Measured *m = &why->measured;
    bool is_measured = m->on_tensor && m->tensor_rate == 1 && m->peaks.tensor > 0;
    double published = why->published ? why->published->tensor_16 * m->tensor_rate : 0;
    WhyResource *resource = &why->facts.resources[m->on_tensor ? WHY_TENSOR : WHY_ARITHMETIC];
    *resource =
        (WhyResource){.amount = m->flops, .amount_from = from, .ceiling_from = WHY_MEASURED};
    if (!m->on_tensor)
        resource->ceiling = m->peaks.fma;
    else if (is_measured)
        resource->ceiling = m->peaks.tensor;
    else
        resource->ceiling = published, resource->ceiling_from = WHY_PUBLISHED;
    if (!(resource->ceiling > 0)) resource->ceiling_from = WHY_UNKNOWN;
}

/* What moves is no less than what must, unless caches had it or still have it. */
static void take_moved(Why *why) {
    const tern_hardware *hardware = &why->measured.hardware;
    WhyResource *memory = &why->facts.resources[WHY_MEMORY];
    double moved = hardware->read_bytes + hardware->written_bytes;
    if (!why->measured.has_hardware || !(moved > memory->amount)) return;
    memory->amount = moved;
    memory->amount_from = WHY_HARDWARE;
}

static void take_measured(Why *why, bool is_hot) {
    Measured *m = &why->measured;
    bool is_far = m->bytes > 2 * (double)m->peaks.cache_bytes;
    WhyFrom from = m->peaks.copy > 0 ? WHY_MEASURED : WHY_UNKNOWN;
    why->kernel = m->kernel, why->device = m->device, why->description = m->description;
    memcpy(why->grid, m->grid, sizeof why->grid);
    why->facts.seconds = m->timing.median * 1e-3;
    why->facts.floor_s = fmax(m->timing.floor_ms, m->timing.launch_floor_ms) * 1e-3;
    why->facts.resources[WHY_MEMORY] = (WhyResource){
        m->bytes, is_hot && !is_far ? m->peaks.cached : fmax(m->peaks.copy, m->peaks.read),
        from_evidence(m->bytes_by), from};
    take_moved(why);
    if (m->has_hardware && m->hardware.active > 0) why->facts.active = m->hardware.active;
    why->published = published_of(why->description);
    take_products(why, from_evidence(m->flops_by));
    why->units = strcmp(m->device, "cpu") ? 0 : threads_of(m->description);
    why->facts.tail = why_tail(why_blocks(why), why->units, 1);
}

/* sim's model of the GPU that is here: what it cannot count is not known, and no failure. */
static void count_beside(Why *why, const Cli *given) {
    Arena *arena = given->arena;
    Buf complaints = {.arena = arena};
    Cli *cli = arena_new_of(arena, Cli);
    *cli = *given;
    cli->complaints = &complaints;
    if (!why->published) {
        why->not_executed = "sim has no model of this GPU";
        return;
    }
    const char *device = str_format(arena, "sim:%s", why->published->gpu).data;
    int code = compile_for_model(&why->bound, cli, device);
    if (!code && !str_equal(bound_choice(&why->bound, arena), why->measured.choice))
        why->not_executed = "for sim something else is compiled";
    else if (!code)
        code = count(why, &why->bound);
    if (code) why->not_executed = cli_first_words(arena, cli, buf_str(&complaints));
}

static int measure(Why *why, Cli *cli, const char *device) {
    MeasureRequest request = {.device = device,
                              .operand = cli->operands.data[0],
                              .warmup_ms = 25,
                              .hot = option_given(cli, "hot"),
                              .use_peak = true,
                              .again = why->times - 1};
    const char *when = option_value(cli, "counters");
    request.counts = !when || strcmp(when, "no");
    if (!option_double(cli, "rep", 100, &request.rep_ms)) return EXIT_USAGE;
    if (!(request.rep_ms > 0) || request.rep_ms > 1e6)
        return cli_fail(cli, EXIT_USAGE, "--rep: above 0, at most 1000000 ms");
    measure_point(cli, cli->arena, &request, &why->measured);
    if (why->measured.exit_code)
        return cli_fail(cli, (ExitCode)why->measured.exit_code, "%s", why->measured.words);
    take_measured(why, request.hot);
    return EXIT_OK;
}

/* ---- the command ---- */

static void finish(Why *why) {
    if (why->cli->json)
        why_print_json(why);
    else
        why_print(why);
}

static int on_model(Why *why, Cli *cli) {
    why->is_model = true;
    int code = compile_for_model(&why->bound, cli, cli->device);
    if (code) return code;
    why->kernel = why->bound.function->name;
    why->device = tern_device_name(why->bound.context);
    why->description = tern_device_description(why->bound.context);
    code = count(why, &why->bound);
    why->verdict = why_judge(&why->facts);
    if (!code) finish(why);
    return code;
}

/* A verdict rests on times, and a near one may flip: what was counted stays, all else was measured
 * again. */
static void judge_again(Why *why) {
    why->verdicts[why->verdict.bound] = 1;
    for (int i = 1; i < why->times; i++) {
        const MeasuredAgain *again = &why->measured.again[i - 1];
        Why other = *why;
        other.facts = (WhyFacts){0};
        other.measured.timing.median = again->median_ms;
        other.measured.timing.floor_ms = again->floor_ms;
        other.measured.timing.launch_floor_ms = again->launch_floor_ms;
        other.measured.has_hardware = again->has_hardware;
        other.measured.hardware = again->hardware;
        take_measured(&other, option_given(why->cli, "hot"));
        if (other.has_counts) take_counted(&other);
        why->verdicts[why_judge(&other.facts).bound]++;
    }
}

static int on_device(Why *why, Cli *cli) {
    int code = measure(why, cli, cli->device);
    if (code) return code;
    if (!tern_device_property(why->device, TERN_DEVICE_ON_HOST)) count_beside(why, cli);
    why->verdict = why_judge(&why->facts);
    judge_again(why);
    finish(why);
    tern_timing_free(&why->measured.timing);
    return EXIT_OK;
}

int command_why(Cli *cli) {
    const char *when = option_value(cli, "execute"), *counters = option_value(cli, "counters");
    bool is_model = cli->device && !strncmp(cli->device, "sim", 3);
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    if (when && strcmp(when, "auto") && strcmp(when, "yes") && strcmp(when, "no"))
        return cli_fail(cli, EXIT_USAGE, "--execute is auto, yes or no, not '%s'", when);
    if (cli->device && !strcmp(cli->device, "interp"))
        return cli_fail(cli, EXIT_REFUSED, "device interp checks kernels, nothing bounds it");
    if (is_model && (option_given(cli, "bytes") || option_given(cli, "flops")))
        return cli_fail(cli, EXIT_USAGE, "--bytes, --flops: only where time is measured");
    if (counters && strcmp(counters, "auto") && strcmp(counters, "no"))
        return cli_fail(cli, EXIT_USAGE, "--counters is auto or no, not '%s'", counters);
    if (counters && is_model)
        return cli_fail(cli, EXIT_USAGE, "--counters: only where time is measured");
    if (option_given(cli, "times") && is_model)
        return cli_fail(cli, EXIT_USAGE, "--times: only where time is measured");
    if (when && cli->device && !strcmp(cli->device, "cpu"))
        return cli_fail(cli, EXIT_USAGE, "--execute: only of GPUs");
    launch_guard_crashes();
    Why why = {.cli = cli};
    if (!option_int(cli, "times", 1, 1000, 1, &why.times)) return EXIT_USAGE;
    int code = is_model ? on_model(&why, cli) : on_device(&why, cli);
    bound_close(&why.bound);
    return code;
}
