// SPDX-License-Identifier: Apache-2.0
/* launch: kernels that a program launches: compiled for each shape of block once. */
#include "host/host.h"

#include <stdio.h>

enum {
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_ILLEGAL = 700,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_ASSERT = 710
};

static Loaded *loaded(Host *h, Str wanted, const uint32_t block[3], size_t shared) {
    Loaded **kernels = h->kept ? &h->kept->kernels : &h->kernels;
    Arena *arena = h->kept ? h->kept->arena : h->arena;
    for (Loaded *l = *kernels; l; l = l->next)
        if (str_is(wanted, l->name) && !memcmp(l->block, block, sizeof l->block) &&
            l->shared_bytes == shared)
            return l;
    const char *name = str_c(arena, wanted);
    /* One byte: a kernel may have a dynamic array that this launch has no use for. */
    tern_options options = {.shared_bytes = shared ? shared : 1, .builder = h->options->builder};
    for (int i = 0; i < 3; i++) options.block[i] = (int)block[i];
    tern_kernel *kernel = tern_compile(h->module, name, NULL, &options);
    if (!kernel) {
        bool refused = tern_message_status(h->context) == TERN_ERROR_UNSUPPORTED;
        (refused ? host_unsupported : host_fail)(h, "the kernel '%s' is not compiled:\n%s", name,
                                                 tern_message(h->context));
        return NULL;
    }
    Loaded *made = arena_new_of(arena, Loaded);
    *made = (Loaded){.name = name,
                     .block = {block[0], block[1], block[2]},
                     .shared_bytes = shared,
                     .kernel = kernel,
                     .arguments = arena_array(arena, tern_argument, kernel->num_arguments + 1),
                     .next = *kernels};
    return *kernels = made;
}

/* What CUDA says cudaErrorInvalidConfiguration of. */
static bool is_possible(const uint64_t *size, uint64_t shared) {
    uint64_t threads = size[3] * size[4] * size[5];
    bool grid =
        size[0] && size[1] && size[2] && size[0] <= INT32_MAX && size[1] < 65536 && size[2] < 65536;
    bool block = size[3] && size[4] && size[5] && size[3] <= 1024 && size[4] <= 1024 &&
                 size[5] <= 64 && threads <= 1024;
    return grid && block && shared <= 227 << 10; /* CUDA programming guide, sm_90 */
}

static bool pointer(Host *h, const Loaded *loaded, uint64_t address, int index,
                    tern_argument *argument) {
    const Range *range = address ? memory_find(h, address) : NULL;
    *argument = tern_arg_buffer(NULL);
    if (!address) return true;
    if (!range)
        return host_fail(h, "argument %d of kernel '%s' points to no memory that there is",
                         index + 1, loaded->name);
    if (!range->buffer)
        return host_fail(h, "argument %d of kernel '%s' points to the host's '%.*s'", index + 1,
                         loaded->name, STR_ARG(range->name));
    *argument = tern_arg_buffer(range->buffer);
    argument->offset = address - range->start;
    return true;
}

static bool argument(Host *h, const Loaded *loaded, uint64_t bits, int index,
                     tern_argument *argument) {
    const KernelParam *param = &loaded->kernel->compiled->params[index];
    int width = scalar_bits(param->type);
    if (param->is_pointer) return pointer(h, loaded, bits, index, argument);
    if (scalar_is_float(param->type))
        *argument = tern_arg_float(scalar_to_double(param->type, bits));
    else if (param->is_unsigned || width == 1 || width == 64)
        *argument = tern_arg_int((int64_t)bits);
    else
        *argument = tern_arg_int((int64_t)(bits << (64 - width)) >> (64 - width));
    return true;
}

bool host_settled(Host *h, tern_status status) {
    if (!status) return true;
    const char *message = tern_message(h->context);
    if (status != TERN_ERROR_KERNEL) return host_fail(h, "%s", message);
    if (h->context->device.stop) return host_fail(h, "the program was interrupted");
    if (!h->sticky_error) {
        host_write(h, 2, message, strlen(message));
        host_write(h, 2, "\n", 1);
    }
    h->kernel_failed = true;
    h->sticky_error = strstr(message, "assert")       ? CUDA_ASSERT
                      : strstr(message, "time limit") ? CUDA_LAUNCH_TIMEOUT
                                                      : CUDA_ILLEGAL;
    return true;
}

const Loaded *launch_loaded(Host *h, Str name, const uint64_t *words) {
    uint32_t block[3];
    if (!is_possible(words, words[6])) {
        h->last_error = CUDA_INVALID_CONFIGURATION;
        return NULL;
    }
    if (h->sticky_error) return NULL; /* as in CUDA: nothing runs any more */
    for (int i = 0; i < 3; i++) block[i] = (uint32_t)words[3 + i];
    return loaded(h, name, block, (size_t)words[6]);
}

bool launch_words(Host *h, const Loaded *l, const uint64_t *words, tern_stream *stream) {
    int count = l->kernel->num_arguments;
    uint32_t grid[3] = {(uint32_t)words[0], (uint32_t)words[1], (uint32_t)words[2]};
    for (int i = 0; i < count; i++)
        if (!argument(h, l, words[FIRST_ARGUMENT + i], i, &l->arguments[i])) return false;
    return host_settled(h, tern_launch(stream, l->kernel, grid, l->arguments, count));
}

bool launch(Host *h, Call *call) {
    bool fine;
    tern_stream *stream = host_stream(h, call->args[7], &fine);
    if (!fine) return false;
    const Loaded *l = launch_loaded(h, call_name(call->op), call->args);
    if (!l) return !h->diag.num_errors;
    if (call->count - FIRST_ARGUMENT != l->kernel->num_arguments)
        BUG("a launch of %d arguments", call->count - FIRST_ARGUMENT);
    return launch_words(h, l, call->args, stream);
}

/* ---- before anything runs ---- */

typedef struct Check {
    Host *h;
    bool fine;
} Check;

static bool check_one(Op *op, void *user) {
    Check *check = user;
    if (op->kind != OP_CALL || !call_launches(op)) return true;
    uint32_t block[3] = {256, 1, 1};
    uint64_t bits;
    bool known = true;
    for (int i = 0; i < 3; i++) known &= value_is_constant(op->operands[3 + i], &bits);
    for (int i = 0; i < 3 && known; i++)
        block[i] = (uint32_t)constant_bits(op->operands[3 + i]->def);
    uint64_t size[] = {1, 1, 1, block[0], block[1], block[2]}, shared = 16 << 10;
    if (value_is_constant(op->operands[6], &bits) && bits) shared = bits;
    if (!is_possible(size, shared)) return true; /* is an error of CUDA when it runs */
    tern_options options = {
        .shared_bytes = (size_t)shared, .builder = check->h->options->builder, .text_only = true};
    for (int i = 0; i < 3; i++) options.block[i] = (int)block[i];
    const char *name = str_c(check->h->arena, call_name(op));
    tern_kernel *kernel = tern_compile(check->h->module, name, NULL, &options);
    if (kernel) tern_kernel_free(kernel);
    return check->fine = kernel != NULL;
}

bool launches_check(Host *h, const Func *fn) {
    Check check = {h, true};
    region_walk(fn->body, check_one, &check);
    return check.fine;
}
