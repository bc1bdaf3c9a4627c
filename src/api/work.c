// SPDX-License-Identifier: Apache-2.0
/* work: what a launch must move and compute, for those who divide it by a time. */
#include "api/context.h"

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void add_param(tern_work *out, const WorkBytes *bytes, const tern_argument *argument) {
    uint64_t size = UINT64_MAX;
    if (argument && argument->kind == TERN_ARGUMENT_BUFFER)
        size = argument->buffer
                   ? argument->buffer->size - least(argument->offset, argument->buffer->size)
                   : 0;
    out->bytes_loaded += bytes->loaded;
    out->bytes_stored += bytes->stored;
    out->bytes += least(bytes->loaded, size) + least(bytes->stored, size);
}

static const char *count(tern_kernel *kernel, Arena *arena, const uint32_t grid[3],
                         const tern_argument *arguments, tern_work *out) {
    Work work;
    int n = kernel->compiled->num_params;
    uint64_t *values = arena_array(arena, uint64_t, n + 1);
    for (int i = 0; i < kernel->num_arguments; i++) values[i] = (uint64_t)arguments[i].integer;
    const char *why = kernel_work(arena, kernel->compiled, grid, values, &work);
    if (why) return why;
    *out = (tern_work){
        .flops = work.flops, .bytes_exact = work.bytes_exact, .flops_exact = work.flops_exact};
    for (int i = 0; i < n; i++)
        add_param(out, &work.by_param[i], i < kernel->num_arguments ? &arguments[i] : NULL);
    add_param(out, &work.by_param[n], NULL);
    return NULL;
}

tern_status tern_kernel_work(tern_kernel *kernel, const uint32_t grid[3],
                             const tern_argument *arguments, int num_arguments, tern_work *work) {
    tern_context *context = kernel->own.context;
    if (num_arguments != kernel->num_arguments)
        return context_fail(context, TERN_ERROR_ARGUMENT, "kernel '%s' takes %d arguments, not %d",
                            kernel->name, kernel->num_arguments, num_arguments);
    *work = (tern_work){0};
    if (setjmp(context->oom)) return context_no_memory(context);
    const char *why = count(kernel, context_begin(context), grid, arguments, work);
    context_end(context);
    if (!why) return TERN_OK;
    return context_fail(context, TERN_ERROR_UNSUPPORTED,
                        "the work of kernel '%s' cannot be counted: %s", kernel->name, why);
}
