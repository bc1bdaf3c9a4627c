// SPDX-License-Identifier: Apache-2.0
#include "cli/check.h"
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>

uint64_t *outputs_before(Arena *arena, const Bound *bound) {
    uint64_t *hashes = arena_array(arena, uint64_t, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++)
        if (bound->args[i].buffer) {
            const Tensor *tensor = bound->args[i].value->tensor;
            hashes[i] = hash_bytes(tensor->storage, tensor->storage_bytes, 0);
        }
    return hashes;
}

void outputs_look(const Bound *bound, const uint64_t *before, CheckedOutputs *outputs) {
    *outputs = (CheckedOutputs){0};
    for (int i = 0; i < bound->num_args; i++) {
        const LaunchArg *arg = &bound->args[i];
        if (!arg->buffer || !arg->value->tensor->storage_bytes) continue;
        const Tensor *tensor = arg->value->tensor;
        bool changed = hash_bytes(tensor->storage, tensor->storage_bytes, 0) != before[i];
        outputs->num_tensors++;
        outputs->num_changed += changed;
        if (!changed && !arg->value->is_empty) continue;
        TensorStats stats = tensor_stats(tensor);
        if (arg->value->is_empty && stats.num_poison && !outputs->poisoned) {
            outputs->poisoned = arg->parameter->name;
            outputs->num_poison = stats.num_poison;
            outputs->num_elements = stats.count;
        }
        if (stats.num_nan > (arg->value->is_empty ? stats.num_poison : 0))
            outputs->has_nan = arg->parameter->name;
    }
}

/* ---- against a reference ---- */

static Tolerance tolerance_for(const Bound *bound, const char *name, const Tensor *want) {
    const char *ir = tern_kernel_text(bound->kernel, TERN_STAGE_IR);
    Origin origin = flow_origin(flow_new(bound->cli->arena, ir ? ir : ""), name);
    return tolerance_made(want->dtype, class_of_ir(ir ? ir : ""), origin,
                          storage_largest(want->dtype, want->storage, want->storage_bytes));
}

static bool is_close(double got, double want, Tolerance tolerance) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want)) return got == want;
    return fabs(got - want) <= tolerance.absolute + tolerance.relative * fabs(want);
}

static double element(const Tensor *tensor, int64_t index) {
    size_t size = tern_dtype_size(tensor->dtype);
    return tern_element_double(tensor->dtype,
                               tensor->storage + (size_t)tensor_place(tensor, index) * size);
}

/* Of two types that of the less precise. */
static Tolerance tolerance_of_both(const Bound *bound, const char *name, const Tensor *got,
                                   const Tensor *want) {
    Tolerance tolerance = tolerance_for(bound, name, want);
    if (tern_dtype_size(got->dtype) >= tern_dtype_size(want->dtype)) return tolerance;
    Tolerance wider = tolerance_for(bound, name, got);
    return wider.relative > tolerance.relative ? wider : tolerance;
}

static bool is_row_major(const Tensor *tensor) {
    int64_t stride = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        if (tensor->strides[i] != stride && tensor->shape[i] != 1) return false;
        stride *= tensor->shape[i];
    }
    return true;
}

/* Most elements are the same bits: then there is nothing to convert, and nothing to tolerate. */
bool results_differ(const Bound *bound, const char *name, const Tensor *got, const Tensor *want,
                    Mismatch *mismatch) {
    *mismatch = (Mismatch){.count = tensor_count(want)};
    Tolerance tolerance = {0};
    bool is_known = false;
    bool as_bits = got->dtype == want->dtype && is_row_major(got) && is_row_major(want);
    size_t size = tern_dtype_size(want->dtype);
    const unsigned char *a = got->storage + (size_t)got->offset * size,
                        *b = want->storage + (size_t)want->offset * size;
    if (as_bits && !memcmp(a, b, (size_t)mismatch->count * size)) return false;
    for (int64_t i = 0; i < mismatch->count; i++) {
        if (as_bits && !memcmp(a + (size_t)i * size, b + (size_t)i * size, size)) continue;
        if (!is_known) tolerance = tolerance_of_both(bound, name, got, want);
        is_known = true;
        if (is_close(element(got, i), element(want, i), tolerance)) continue;
        if (mismatch->wrong++) continue;
        mismatch->first = i;
        mismatch->got = element(got, i), mismatch->want = element(want, i);
    }
    return mismatch->wrong > 0;
}

static int compare(const Bound *bound, const char *name, const Tensor *got, const Tensor *want) {
    Mismatch mismatch;
    if (tensor_count(got) != tensor_count(want))
        return cli_fail(bound->cli, EXIT_USAGE, "'%s' has %lld elements, the reference %lld", name,
                        (long long)tensor_count(got), (long long)tensor_count(want));
    if (!results_differ(bound, name, got, want, &mismatch)) return EXIT_OK;
    return cli_fail(bound->cli, EXIT_WRONG,
                    "wrong result: %lld of %lld elements of '%s' differ; [%lld] is %.9g, not %.9g",
                    (long long)mismatch.wrong, (long long)mismatch.count, name,
                    (long long)mismatch.first, mismatch.got, mismatch.want);
}

static int check_value(Bound *bound, const char *text) {
    const char *equals = strchr(text, '=');
    Str name = {text, equals ? (int)(equals - text) : 0};
    LaunchArg *arg = name.length ? bound_arg(bound, name) : NULL;
    if (!arg || !arg->value || arg->value->kind != ARG_TENSOR)
        return cli_fail(bound->cli, EXIT_USAGE,
                        "--check: expected interp, or NAME=VALUE of a tensor, saw '%s'", text);
    ArgValue *value = env_evaluate(&bound->env, "--check", str_of(equals + 1));
    if (!value) return bound_fail_diag(bound);
    if (value->kind != ARG_TENSOR)
        return cli_fail(bound->cli, EXIT_USAGE, "--check: '%s' is a %s, expected a tensor",
                        equals + 1, value_kind_name(value->kind));
    const Tensor *got = arg->value->tensor;
    Tensor want = *value->tensor;
    if (want.is_of_file && tensor_is_bits_of(want.dtype, got->dtype)) want.dtype = got->dtype;
    return compare(bound, arg->parameter->name, got, &want);
}

static int launch_once(const MeasureRequest *request, Bound *bound) {
    tern_argument *arguments;
    int count;
    Str why;
    int code = bound_variables(bound, request->variables, request->num_variables);
    if (!code) code = bound_values(bound);
    if (!code) code = bound_compile(bound);
    if (!code) code = bound_upload(bound);
    if (code) return code;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &arguments, &count, &why))
        return cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    if (tern_launch(NULL, bound->kernel, bound->grid, arguments, count) ||
        tern_synchronize(bound->context))
        return cli_fail_context(bound->cli, bound->context);
    return bound_download(bound);
}

static int check_interp(const MeasureRequest *request, Bound *bound) {
    Bound reference;
    int code = bound_open(&reference, bound->cli, "interp", request->operand);
    if (!code) code = launch_once(request, &reference);
    for (int i = 0; i < bound->num_args && !code; i++)
        if (bound->args[i].buffer)
            code = compare(bound, bound->args[i].parameter->name, bound->args[i].value->tensor,
                           reference.args[i].value->tensor);
    bound_close(&reference);
    return code;
}

int check_result(const MeasureRequest *request, Bound *bound, const char *what) {
    return !strcmp(what, "interp") ? check_interp(request, bound) : check_value(bound, what);
}

int check_results(const MeasureRequest *request, Bound *bound) {
    const char *text;
    int code = EXIT_OK;
    for (int i = 0; (text = option_nth(bound->cli, "check", i)) && !code; i++)
        code = check_result(request, bound, text);
    return code;
}

int check_same(const MeasureRequest *request, Cli *cli_a, const char *operand_a, Cli *cli_b,
               const char *operand_b) {
    Bound a, b;
    int num_compared = 0, code = bound_open(&a, cli_a, request->device, operand_a);
    if (!code) code = launch_once(request, &a);
    int code_b = bound_open(&b, cli_b, request->device, operand_b);
    if (!code && !code_b) code_b = launch_once(request, &b);
    if (!code) code = code_b;
    for (int i = 0; i < (code ? 0 : a.num_args) && !code; i++) {
        const LaunchArg *want = &a.args[i], *got = bound_arg(&b, str_of(want->parameter->name));
        if (!want->buffer || !got || !got->buffer) continue;
        num_compared++;
        code = compare(&b, want->parameter->name, got->value->tensor, want->value->tensor);
    }
    if (!code && !num_compared)
        code = cli_fail(cli_b, EXIT_USAGE, "the two have no tensor in common to compare");
    bound_close(&a);
    bound_close(&b);
    return code;
}
