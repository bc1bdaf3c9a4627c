// SPDX-License-Identifier: Apache-2.0
/* tern exec FILE.cu:FUNCTION: one function of the host of a CUDA C file. */
#include "cli/exec.h"
#include "cli/values.h"
#include "tern_exec.h"

#include <stdio.h>

static int fail_diag(const Cli *cli, const Diag *diag) {
    Buf words = {.arena = cli->arena};
    diag_print(diag, false, &words);
    cli_complain(cli, words.data);
    return EXIT_USAGE;
}

/* NAME=VALUE as an argument. */
static int argument(Cli *cli, Env *env, const char *text, tern_exec_value *value) {
    Str name = {text, (int)strcspn(text, "=")};
    const ArgValue *given = env_get(env, name);
    if (!given) return fail_diag(cli, env->diag);
    *value = (tern_exec_value){
        .name = str_c(cli->arena, name), .integer = given->integer, .number = given->number};
    if (given->kind == ARG_INT || given->kind == ARG_BOOL) {
        value->kind = TERN_EXEC_INT;
    } else if (given->kind == ARG_FLOAT) {
        value->kind = TERN_EXEC_FLOAT;
    } else if (given->kind == ARG_TENSOR) {
        const Tensor *tensor = given->tensor;
        Tensor plain = *tensor;
        tensor_set_contiguous(&plain);
        size_t size = tern_dtype_size(tensor->dtype), bytes = (size_t)tensor_count(tensor) * size;
        if (memcmp(plain.strides, tensor->strides, (size_t)plain.rank * sizeof plain.strides[0]))
            return cli_fail(cli, EXIT_REFUSED, "'%s': a tensor with gaps", value->name);
        value->kind = TERN_EXEC_TENSOR, value->dtype = tensor->dtype, value->rank = tensor->rank;
        memcpy(value->shape, tensor->shape, sizeof value->shape);
        value->buffer = tern_alloc(env->context, bytes);
        if (!value->buffer ||
            tern_write(value->buffer, 0, tensor->storage + (size_t)tensor->offset * size, bytes))
            return cli_fail_context(cli, env->context);
    } else {
        return cli_fail(cli, EXIT_USAGE, "'%s' is %s: numbers and tensors there may be",
                        value->name, value_kind_name(given->kind));
    }
    return EXIT_OK;
}

static int show_tensor(Cli *cli, tern_context *context, const tern_exec_value *value) {
    Tensor tensor = {.dtype = value->dtype, .rank = value->rank};
    const char *path = option_value(cli, "out");
    Buf text = {.arena = cli->arena};
    int code = EXIT_OK;
    memcpy(tensor.shape, value->shape, sizeof tensor.shape);
    tensor_set_contiguous(&tensor);
    const char *why = tensor_allocate(&tensor, cli->arena);
    if (why) return cli_fail(cli, EXIT_SYSTEM, "%s", why);
    tern_array array = {.dtype = tensor.dtype,
                        .rank = tensor.rank,
                        .size_bytes = tensor.storage_bytes,
                        .data = tensor.storage};
    memcpy(array.shape, tensor.shape, sizeof array.shape);
    if (tern_read(value->buffer, 0, tensor.storage, tensor.storage_bytes) ||
        (path && tern_npy_write(context, path, &array)))
        code = cli_fail_context(cli, context);
    tensor_type(&text, &tensor);
    buf_putc(&text, '\n');
    tensor_print(&text, &tensor);
    if (!code && !path) printf("%s\n", text.data);
    tensor_release(&tensor);
    return code;
}

static int show_result(Cli *cli, tern_context *context, const tern_exec_value *value) {
    switch (value->kind) {
    case TERN_EXEC_INT: printf("%lld\n", (long long)value->integer); break;
    case TERN_EXEC_FLOAT: printf("%.17g\n", value->number); break;
    case TERN_EXEC_TENSOR: return show_tensor(cli, context, value);
    case TERN_EXEC_NOTHING: break;
    }
    return EXIT_OK;
}

int exec_arguments(Cli *cli, Env *env, tern_exec_value *values, int *count) {
    int code = EXIT_OK;
    *count = 0;
    for (int i = 0; option_nth(cli, "a", i) && !code; i++)
        if (!env_bind(env, option_nth(cli, "a", i))) code = fail_diag(cli, env->diag);
    for (int i = 0; option_nth(cli, "a", i) && !code; i++) {
        if (i == EXEC_VALUES)
            return cli_fail(cli, EXIT_USAGE, "more than %d arguments", EXEC_VALUES);
        code = argument(cli, env, option_nth(cli, "a", i), &values[i]);
        *count = i + 1;
    }
    return code;
}

int exec_call(Cli *cli, tern_context *context, tern_module *module, const char *function) {
    tern_exec_value values[EXEC_VALUES], result = {.kind = TERN_EXEC_NOTHING};
    tern_exec_options options = {.output = exec_stdout,
                                 .errors = exec_stderr,
                                 .builder = option_value(cli, "builder"),
                                 .host = option_value(cli, "host")};
    Diag diag = {.arena = cli->arena};
    Env env = {.context = context, .arena = cli->arena, .diag = &diag};
    int count, code = exec_arguments(cli, &env, values, &count);
    if (!code && tern_exec_function(module, function, &options, values, count, &result))
        code = cli_fail_context(cli, context);
    if (!code) code = show_result(cli, context, &result);
    env_free(&env);
    return code;
}
