// SPDX-License-Identifier: Apache-2.0
/* tern check: runs a kernel where mistakes show, interp and sim, in several orders of programs and
 * at awkward sizes, compares what they give, and lists what was found. What is said was seen to
 * happen in a launch that is printed with it; what could not be looked at is listed as well. */
#include "cli/check.h"
#include "cli/findings.h"
#include "cli/measure.h"
#include "cli/parcel.h"
#include "cli/points.h"
#include "cli/ranks.h"

#include <stdlib.h>

const OptionRow options_check[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable)"},
    {"x", 0, "NAME=N", "a number that arguments are written in and that is none (repeatable)"},
    OPTIONS_CONFIG,
    OPTIONS_COMPILE,
    {"format", 0, "F", "text, json, sarif or github; default: text"},
    {"devices", 0, "D,D..", "also on these, which share the launches: cuda:0,cuda:1"},
    {"timeout", 0, "MS", "a launch that takes longer is not checked; default: 20000"},
    {0},
};

const char details_check[] =
    "VALUE and EXPR are as in 'tern run --help'. Write sizes in terms of each other: what depends "
    "on\n"
    "-a n=1000 or -x n=1000, as in -a 'x=randn(n)' --grid 'cdiv(n,BLOCK)', is also launched with n "
    "= 0, 1, one\n"
    "less, as many and one more than each block, and n + 1. What is given as stride(x,0) is also\n"
    "launched with gaps between the rows, and all tensors one element off alignment.\n\n"
    "Each launch runs on interp and sim, in two or three orders of the programs, and where that "
    "finds\n"
    "nothing, the first and the last on cpu, and all on --device or --devices. Exit code: 1 if "
    "something was found (advice does not\n"
    "count), 0 if not, 2 and more if the launch itself is wrong. doc/check.md lists what is "
    "found.\n\n"
    "example:\n"
    "  tern check kernels/softmax.py --grid rows -x rows=4 -a columns=781 \\\n"
    "      -a 'x_ptr=randn(rows,columns)' -a 'out_ptr=empty(rows,columns)' \\\n"
    "      -a 'x_stride=stride(x_ptr,0)' -a 'out_stride=stride(out_ptr,0)' \\\n"
    "      -a 'BLOCK=next_power_of_2(columns)'\n";

enum { MOST_ORDERS = 3, ORDERS_AT_OTHERS = 2, TIMEOUT_MS = 20000 };

typedef struct Examination {
    Cli *cli;
    const char *operand;
    FoundList *list;
    int timeout_ms;
    int interp_points; /* in which the launch ran on interp to its end */
    int sizes_varied;
    Ranks *ranks;
    bool lost_device; /* of a rank that has ended */
    int next_item;    /* points of all kernels, in turn the ranks' */
} Examination;

/* One launch: on a device, in an order, with the arguments of a point. */
typedef struct Trial {
    Examination *x;
    const Point *point;
    Cli cli;
    Bound bound;
    const char *device;
    uint64_t seed;
    bool ran, found; /* to its end; something that is no advice */
    int code;
} Trial;

static const char *device_label(const Trial *t) { return tern_device_name(t->bound.context); }

static void add(Trial *t, Found found) {
    found.device = str_c(t->x->list->arena, str_of(device_label(t)));
    found.seed = t->seed;
    found.point = t->point->words;
    t->found |= !found.is_advice;
    found_add(t->x->list, found);
}

static const char *keep(Trial *t, const char *text) {
    return str_c(t->x->list->arena, str_of(text ? text : ""));
}

/* What the device saw. Advice on what costs time is given for the arguments given only. */
static void take_findings(Trial *t) {
    int count;
    const tern_finding *findings = tern_kernel_findings(t->bound.kernel, &count);
    for (int i = 0; i < count; i++) {
        const tern_finding *f = &findings[i];
        if (f->kind == TERN_NOT_CHECKED) {
            found_not_checked(t->x->list, "%s", f->words);
            continue;
        }
        /* The mean of nothing is no number, and rightly so. */
        bool is_special = f->kind == TERN_FOUND_NAN || f->kind == TERN_FOUND_INFINITY;
        if (is_special && t->point->is_of_nothing) continue;
        if (f->kind == TERN_FOUND_UNCOALESCED && !t->point->is_given) continue;
        if (f->kind == TERN_FOUND_MASK && t->seed) continue; /* counted once a point */
        add(t, (Found){.name = tern_finding_name(f->kind),
                       .is_advice = f->kind >= TERN_FOUND_INFINITY,
                       .file = f->file ? keep(t, f->file) : NULL,
                       .line = f->line,
                       .column = f->column,
                       .words = keep(t, f->words),
                       .where = keep(t, f->where),
                       .cure = tern_finding_cure(f->kind)});
    }
}

/* ---- what tensors say after a launch ---- */

/* Which bytes of a storage belong to elements of the tensor. */
static bool *covered(Arena *arena, const Tensor *tensor) {
    size_t size = tern_dtype_size(tensor->dtype);
    bool *inside = arena_array(arena, bool, tensor->storage_bytes + 1);
    for (int64_t i = 0; i < tensor_count(tensor); i++)
        memset(inside + (size_t)tensor_place(tensor, i) * size, 1, size);
    return inside;
}

static void check_gaps(Trial *t, const LaunchArg *arg) {
    const Tensor *tensor = arg->value->tensor;
    Arena *arena = t->x->list->arena;
    unsigned char *written = arena_array(arena, unsigned char, tensor->storage_bytes + 1);
    if (tern_written(arg->buffer, 0, tensor->storage_bytes, written)) return;
    const bool *inside = covered(arena, tensor);
    for (size_t i = 0; i < tensor->storage_bytes; i++) {
        if (inside[i] || !written[i]) continue;
        add(t, (Found){.name = tern_finding_name(TERN_FOUND_OUTSIDE),
                       .subject = keep(t, arg->parameter->name),
                       .words = str_format(arena,
                                           "'%s' is written between its rows: element %lld of its "
                                           "memory belongs to none of its elements",
                                           arg->parameter->name,
                                           (long long)(i / tern_dtype_size(tensor->dtype)) -
                                               (long long)tensor->offset)
                                    .data,
                       .where = "",
                       .cure = "use the strides of this tensor, not of another one"});
        return;
    }
}

static void check_written(Trial *t, const LaunchArg *arg) {
    const Tensor *tensor = arg->value->tensor;
    if (!arg->value->is_empty || !tensor->written) return;
    size_t size = tern_dtype_size(tensor->dtype);
    int64_t count = tensor_count(tensor), missing = 0, first = 0;
    for (int64_t i = 0; i < count; i++)
        if (memchr(tensor->written + (size_t)tensor_place(tensor, i) * size, 0, size) &&
            missing++ == 0)
            first = i;
    if (!missing) return;
    Arena *arena = t->x->list->arena;
    add(t,
        (Found){.name = "not-written",
                .subject = keep(t, arg->parameter->name),
                .words = str_format(arena,
                                    "%lld of %lld elements of '%s' are not written, the first of "
                                    "them %lld",
                                    (long long)missing, (long long)count, arg->parameter->name,
                                    (long long)first)
                             .data,
                .where = "",
                .cure = "launch enough programs (cdiv, not //), or mend the mask"});
}

static void check_tensors(Trial *t) {
    for (int i = 0; i < t->bound.num_args; i++) {
        const LaunchArg *arg = &t->bound.args[i];
        if (!arg->buffer || arg->is_shared) continue;
        check_gaps(t, arg);
        check_written(t, arg);
    }
}

/* ---- one launch ---- */

static void forget_gaps(const Trial *t) {
    for (int i = 0; i < t->bound.num_args; i++) {
        const LaunchArg *arg = &t->bound.args[i];
        if (!arg->buffer || arg->is_shared) continue;
        const bool *inside = covered(t->x->list->arena, arg->value->tensor);
        size_t bytes = arg->value->tensor->storage_bytes;
        for (size_t from = 0, to; from < bytes; from = to) {
            for (to = from + 1; to < bytes && inside[to] == inside[from];) to++;
            if (!inside[from]) tern_forget(arg->buffer, from, to - from);
        }
    }
}

static int launch(Trial *t) {
    tern_argument *arguments;
    int count;
    Str why;
    Bound *bound = &t->bound;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &arguments, &count, &why))
        return cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    forget_gaps(t);
    bool failed = tern_launch(NULL, bound->kernel, bound->grid, arguments, count) ||
                  tern_synchronize(bound->context);
    bool was_found = t->found;
    take_findings(t);
    if (failed)
        return t->found && !was_found ? EXIT_WRONG : cli_fail_context(bound->cli, bound->context);
    return bound_download(bound);
}

/* An ExitCode; what was said is in t->cli.complaints. */
static int try_launch(Trial *t) {
    int code = bound_open(&t->bound, &t->cli, t->device, t->x->operand);
    if (!code) code = points_bind(&t->bound);
    if (!code) code = bound_values(&t->bound);
    if (!code) code = bound_compile(&t->bound);
    if (!code) code = bound_upload(&t->bound);
    if (!code) code = launch(t);
    if (!code) check_tensors(t);
    t->ran = code == EXIT_OK;
    return code;
}

static Trial trial_of(Examination *x, const Point *point, const char *device, uint64_t seed) {
    Trial t = {.x = x, .point = point, .cli = point->cli, .device = device, .seed = seed};
    t.cli.complaints = arena_new_of(x->list->arena, Buf);
    t.cli.complaints->arena = x->list->arena;
    t.cli.watch = true;
    t.cli.order_seed = seed;
    t.cli.timeout_ms = x->timeout_ms;
    return t;
}

/* "tern check: " and all after the first line say nothing here. */
static const char *first_words(const Trial *t) {
    const char *text = t->cli.complaints->data ? t->cli.complaints->data : "it failed";
    if (!strncmp(text, "tern check: ", 12)) text += 12;
    return str_c(t->x->list->arena, (Str){text, (int)strcspn(text, "\n")});
}

/* ---- comparing ---- */

static void compare(Trial *t, Trial *with) {
    for (int i = 0; i < t->bound.num_args; i++) {
        const LaunchArg *arg = &t->bound.args[i];
        Mismatch mismatch;
        if (!arg->buffer || arg->is_shared) continue;
        if (!results_differ(&t->bound, arg->parameter->name, arg->value->tensor,
                            with->bound.args[i].value->tensor, &mismatch))
            continue;
        bool same_device = !strcmp(t->device, with->device);
        Arena *arena = t->x->list->arena;
        const char *words =
            str_format(arena,
                       "'%s' depends on %s: element %lld is %.9g, and %.9g on %s in order "
                       "%llu (%lld of %lld differ)",
                       arg->parameter->name,
                       same_device ? "the order of the programs" : "where the kernel runs",
                       (long long)mismatch.first, mismatch.got, mismatch.want, device_label(with),
                       (unsigned long long)with->seed, (long long)mismatch.wrong,
                       (long long)mismatch.count)
                .data;
        add(t, (Found){.name = same_device ? "order" : "disagreement",
                       .of_device = !same_device,
                       .subject = keep(t, arg->parameter->name),
                       .words = words,
                       .where = "",
                       .cure = "look for a race, a read of what nobody wrote, or arithmetic that "
                               "magnifies rounding"});
    }
}

/* ---- a point ---- */

static void add_name(Examination *x, const char *name) {
    for (int i = 0; i < x->list->devices.count; i++)
        if (!strcmp(x->list->devices.data[i], name)) return;
    vec_push(x->list->arena, &x->list->devices, str_c(x->list->arena, str_of(name)));
}

/* The first trial on a device, kept open to be compared with; then others in other orders. Whether
 * all ran and nothing was found. */
static bool run_orders(Examination *x, const Point *point, const char *device, int orders,
                       Trial *first) {
    *first = trial_of(x, point, device, 0);
    int code = first->code = try_launch(first);
    bool fine = !code && !first->found;
    if (!first->found && code == EXIT_USAGE)
        found_not_checked(x->list, "%s: %s", point->words, first_words(first));
    else if (!first->found && code)
        found_not_checked(x->list, "%s with %s: %s", device, point->words, first_words(first));
    if (first->ran || first->found) add_name(x, device_label(first));
    for (int seed = 1; seed < orders && fine; seed++) {
        Trial other = trial_of(x, point, device, (uint64_t)seed);
        code = try_launch(&other);
        if (!code) compare(&other, first);
        if (code && !other.found)
            found_not_checked(x->list, "%s in order %d with %s: %s", device, seed, point->words,
                              first_words(&other));
        fine = !code && !other.found;
        bound_close(&other.bound);
    }
    return fine;
}

/* A device that checks nothing runs what was found right; that it then stops is its finding. */
static void run_on(Examination *x, const Point *point, const char *device, Trial *reference) {
    Trial t;
    run_orders(x, point, device, 1, &t);
    if (t.ran)
        compare(&t, reference);
    else if (t.code == EXIT_WRONG && !t.found)
        add(&t, (Found){.name = "disagreement",
                        .of_device = true,
                        .subject = "",
                        .words = str_format(x->list->arena, "it stops where %s does not: %s",
                                            device_label(reference), first_words(&t))
                                     .data,
                        .where = "",
                        .cure = "run it under compute-sanitizer, and on another device"});
    bound_close(&t.bound);
}

static void run_fast(Examination *x, const Point *point, bool on_cpu, Trial *reference) {
    const char *device = x->cli->device;
    if (device) run_on(x, point, device, reference);
    if (on_cpu && !(device && !strcmp(device, "cpu"))) run_on(x, point, "cpu", reference);
}

static void examine_point(Examination *x, const Point *point, bool on_cpu) {
    Trial interp, sim;
    int orders = point->varies_size ? ORDERS_AT_OTHERS : MOST_ORDERS;
    bool fine = run_orders(x, point, "interp", orders, &interp);
    x->interp_points += interp.ran;
    bool is_launch = interp.code != EXIT_USAGE || interp.found; /* else it is none anywhere */
    sim = trial_of(x, point, "sim", 0);
    if (is_launch) fine &= run_orders(x, point, "sim", orders, &sim);
    if (interp.ran && sim.ran) compare(&sim, &interp);
    Trial *reference = interp.ran ? &interp : &sim;
    fine &= reference->ran && !reference->found;
    if (fine && (x->cli->device || on_cpu)) run_fast(x, point, on_cpu, reference);
    bound_close(&sim.bound);
    bound_close(&interp.bound);
    if (interp.ran || sim.ran || interp.found || sim.found)
        vec_push(x->list->arena, &x->list->points, point->words);
}

/* A mask that was of use in one launch is none to be dropped; nor where no size was varied. */
static void drop_used_masks(Examination *x) {
    FoundList *list = x->list;
    int kept = 0, needed = 0;
    bool is_sure = x->sizes_varied && x->interp_points == list->points.count;
    for (int i = 0; i < list->found.count; i++) {
        Found found = list->found.data[i];
        bool is_mask = !strcmp(found.name, tern_finding_name(TERN_FOUND_MASK));
        if (is_mask) needed++;
        if (is_mask && (!is_sure || found.times < x->interp_points)) continue;
        list->found.data[kept++] = found;
    }
    list->found.count = kept;
    if (needed && !is_sure)
        found_not_checked(list, "masks that never matter: %s",
                          x->sizes_varied ? "not all launches ran to their end"
                                          : "no size was varied");
}

static void say_limits(Examination *x, const Points *points) {
    FoundList *list = x->list;
    for (int i = 0; i < points->fixed.count; i++)
        found_not_checked(list, "other values of '%s': the tensors are not written in terms of it",
                          points->fixed.data[i]);
    found_not_checked(list, "other values of the data than these; branches that they do not take");
    found_not_checked(list,
                      "whether the result is what was meant: tern run --print, tern bench --check");
    for (int i = 0; i < list->devices.count; i++)
        if (!strncmp(list->devices.data[i], "cuda", 4)) return;
    found_not_checked(list, "a GPU's own caches, timing and tensor-core rounding: sim has none");
}

/* ---- with other ranks ---- */

static const char *name_of(const Examination *x) {
    return str_format(x->cli->arena, "found-%d", x->next_item).data;
}

static bool take_found(Examination *x, Str *rest) {
    int interp_points;
    if (!parcel_take(rest, &interp_points, sizeof interp_points) || !found_take(x->list, rest))
        return false;
    x->interp_points += interp_points;
    return true;
}

/* Of a launch that is another rank's, how this rank's device does. */
static void examine_device(Examination *x, const Point *point) {
    FoundList *list = x->list, own = {.arena = list->arena, .kernel = list->kernel};
    int interp_points = x->interp_points;
    x->list = &own;
    examine_point(x, point, false);
    x->list = list, x->interp_points = interp_points;
    for (int i = 0; i < own.found.count; i++)
        if (own.found.data[i].of_device) found_add(list, own.found.data[i]);
    for (int i = 0; i < own.devices.count; i++) add_name(x, own.devices.data[i]);
    for (int i = 0; i < own.not_checked.count; i++)
        found_not_checked(list, "%s", own.not_checked.data[i]);
}

/* The arguments given are launched on all devices, so that each is seen to agree. A kernel that no
 * device launches as given is not looked at further. */
static int examine_share(Examination *x, const Points *points, int rank) {
    FoundList *list = x->list;
    for (int i = 0; i < points->list.count; i++) {
        const Point *point = &points->list.data[i];
        bool is_of_rank = (x->next_item + i) % x->ranks->count == rank;
        if (is_of_rank)
            examine_point(x, point, i == 0 || i + 1 == points->list.count);
        else if (i == 0 && x->cli->device && rank == x->ranks->rank)
            examine_device(x, point);
        if (i == 0 && is_of_rank && !list->points.count)
            return cli_fail(x->cli, EXIT_USAGE, "%s: no device could launch it: %s", x->operand,
                            list->not_checked.count ? list->not_checked.data[0] : "");
    }
    return EXIT_OK;
}

/* Each rank its points; rank 0 then has what all have found. What a dead one has not given, it does
 * itself. */
static int examine_all(Examination *x, const Points *points) {
    Ranks *ranks = x->ranks;
    Buf out = {.arena = x->cli->arena};
    for (int i = 0; i < points->list.count; i++)
        x->sizes_varied += points->list.data[i].varies_size;
    int code = examine_share(x, points, ranks->rank);
    if (code) return code;
    parcel_put(&out, &x->interp_points, sizeof x->interp_points);
    found_put(&out, x->list);
    if (ranks->rank && !ranks_put(ranks, name_of(x), buf_str(&out))) return EXIT_SYSTEM;
    for (int rank = 1; rank < ranks->count && !ranks->rank && !code; rank++) {
        Str rest;
        if (ranks_get(ranks, rank, name_of(x), &rest) && take_found(x, &rest)) continue;
        if (measure_interrupted()) return cli_fail(x->cli, EXIT_SYSTEM, "interrupted");
        cli_fail(x->cli, EXIT_SYSTEM, "rank %d has ended: its launches are done here", rank);
        if (x->cli->device)
            found_not_checked(x->list, "the device of rank %d, which has ended", rank);
        x->lost_device |= x->cli->device != NULL;
        code = examine_share(x, points, rank);
    }
    return code;
}

static int examine(Examination *x, const char *operand, FoundList *list) {
    Cli *cli = x->cli;
    Bound given;
    Points points = {0};
    *list = (FoundList){.arena = cli->arena, .kernel = operand};
    x->operand = operand, x->list = list;
    x->interp_points = x->sizes_varied = 0;
    /* What is wrong with the launch itself is said as 'tern run' does. */
    int code = bound_open(&given, cli, "interp", operand);
    if (!code) code = points_bind(&given);
    if (!code) code = bound_values(&given);
    if (!code) points_make(&given, &points);
    if (!code) code = examine_all(x, &points);
    x->next_item += points.list.count;
    bound_close(&given);
    if (code) return code;
    drop_used_masks(x);
    say_limits(x, &points);
    return found_count(list, false) ? EXIT_WRONG : EXIT_OK;
}

/* A device besides those that check; it must be there. */
static int check_device(Cli *cli) {
    int code = EXIT_OK;
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    if (!tern_device_property(tern_device_name(context), TERN_DEVICE_IS_FAST))
        code = cli_fail(cli, EXIT_USAGE,
                        "--device %s: interp and sim run all launches; expected "
                        "cpu or cuda:N, to be compared with them",
                        cli->device);
    tern_close(context);
    return code;
}

int command_check(Cli *cli) {
    FoundFormat format = cli->json ? FOUND_JSON : FOUND_TEXT;
    const char *name = option_value(cli, "format");
    int count = cli->operands.count, timeout_ms, code = EXIT_OK;
    if (!count) return cli_fail(cli, EXIT_USAGE, "which FILE[:KERNEL]?");
    if (name && !found_format(name, &format))
        return cli_fail(cli, EXIT_USAGE, "--format: expected text, json, sarif or github, saw '%s'",
                        name);
    if (!option_int(cli, "timeout", 1, 1 << 30, TIMEOUT_MS, &timeout_ms)) return EXIT_USAGE;
    launch_guard_crashes();
    Ranks ranks;
    Examination x = {.cli = cli, .timeout_ms = timeout_ms, .ranks = &ranks};
    int stopped = ranks_open(&ranks, cli, cli->device || option_given(cli, "devices"));
    if (!stopped && cli->device) stopped = check_device(cli);
    FoundList *lists = arena_array(cli->arena, FoundList, count);
    for (int i = 0; i < count && !stopped; i++) {
        int one = examine(&x, cli->operands.data[i], &lists[i]);
        if (one > EXIT_WRONG) stopped = one;
        if (one) code = one;
    }
    if (!code && x.lost_device) code = EXIT_SYSTEM;
    if (!stopped && !ranks.rank) found_print(cli->arena, lists, count, format, cli->quiet);
    return ranks_close(&ranks, stopped || ranks.rank ? stopped : code);
}
