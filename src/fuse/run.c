// SPDX-License-Identifier: Apache-2.0
/* run: compiling a plan's kernels, and its steps one after the other. Memory that the function
 * makes is had by the step that writes it and given back after the last one that reads it, so
 * that the next one gets it. */
#include "fuse/fuse.h"

#include <stdio.h>

/* ---- compiling ---- */

static tern_kernel *find_kernel(const KernelCache *cache, const FusedKernel *kernel) {
    for (int i = 0; i < cache->kernels.count; i++) {
        const CachedKernel *have = &cache->kernels.data[i];
        if (have->num_warps == kernel->num_warps && !strcmp(have->signature, kernel->signature) &&
            !strcmp(have->text, kernel->text))
            return have->kernel;
    }
    return NULL;
}

static tern_kernel *compile(const FusePlan *plan, const FusedKernel *kernel, Arena *arena) {
    tern_session *session = plan->trace->session;
    Buf text = {.arena = arena};
    char file[64];
    emit_helpers(&text, kernel->text);
    buf_puts(&text, kernel->text);
    session_add_text(session, kernel->signature, text.data);
    snprintf(file, sizeof file, "%s.py", kernel->name);
    tern_module *module = tern_load_text(session->context, text.data, text.length, file);
    if (!module) return NULL;
    const tern_options options = {.size = sizeof options, .num_warps = kernel->num_warps};
    tern_kernel *compiled = tern_compile(module, kernel->name, kernel->signature, &options);
    tern_module_free(module);
    return compiled;
}

/* False: no memory. */
static bool cache_kernel(KernelCache *cache, const FusedKernel *kernel, tern_kernel *compiled) {
    if (setjmp(cache->no_memory)) return false;
    if (!cache->arena) cache->arena = arena_new(&cache->no_memory);
    CachedKernel entry = {str_c(cache->arena, str_of(kernel->text)),
                          str_c(cache->arena, str_of(kernel->signature)), kernel->num_warps,
                          compiled};
    vec_push(cache->arena, &cache->kernels, entry);
    return true;
}

static tern_status compile_kernel(FusePlan *plan, KernelCache *cache, FusedKernel *kernel) {
    tern_session *session = plan->trace->session;
    kernel->kernel = find_kernel(cache, kernel);
    if (kernel->kernel) return TERN_OK;
    if (setjmp(plan->no_memory))
        return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    kernel->kernel = compile(plan, kernel, plan->arena);
    if (!kernel->kernel) return tern_message_status(session->context);
    if (!cache_kernel(cache, kernel, kernel->kernel)) {
        tern_kernel_free(kernel->kernel);
        return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    }
    plan->num_compiled++;
    return TERN_OK;
}

tern_status compile_kernels(FusePlan *plan, KernelCache *cache) {
    tern_status status = TERN_OK;
    for (int i = 0; i < plan->steps.count && !status; i++)
        if (plan->steps.data[i].kernel)
            status = compile_kernel(plan, cache, plan->steps.data[i].kernel);
    return status;
}

/* ---- running ---- */

void fuse_arguments(const FusePlan *plan, const FusedKernel *kernel, tern_argument *arguments) {
    for (int i = 0; i < kernel->num_arguments; i++) {
        const KernelArgument *of = &kernel->arguments[i];
        if (of->storage < 0) {
            arguments[i] = tern_arg_int(of->value);
            continue;
        }
        arguments[i] = tern_arg_buffer(plan->real[of->storage]->buffer);
        arguments[i].offset = (size_t)(of->value + plan->offsets[of->storage] * of->element_bytes);
    }
}

static tern_status check_programs(const FusePlan *plan, const FusedKernel *kernel) {
    if (kernel->programs <= INT32_MAX) return TERN_OK;
    return session_fail(plan->trace->session, TERN_ERROR_UNSUPPORTED,
                        "a kernel of %lld programs (at most 2^31 - 1)",
                        (long long)kernel->programs);
}

static tern_status launch(const FusePlan *plan, const FusedKernel *kernel) {
    enum { MOST_ARGUMENTS = MAX_ACCESSES * (SPACE_RANK + 2) + SPACE_RANK };
    tern_argument arguments[MOST_ARGUMENTS];
    fuse_arguments(plan, kernel, arguments);
    uint32_t grid[3] = {(uint32_t)kernel->programs, 1, 1};
    return tern_launch(plan->trace->session->stream, kernel->kernel, grid, arguments,
                       kernel->num_arguments);
}

static tern_status have_memory(FusePlan *plan, const Step *step) {
    for (int k = 0; k < step->num_storages; k++) {
        int storage = step->storages[k];
        if (plan->real[storage]) continue;
        plan->real[storage] = storage_new(plan->trace->session,
                                          plan->trace->storages.data[storage].storage->size_bytes);
        if (!plan->real[storage]) return tern_message_status(plan->trace->session->context);
    }
    return TERN_OK;
}

static void drop_dead(FusePlan *plan, const Step *step, int at) {
    for (int k = 0; k < step->num_storages; k++) {
        int storage = step->storages[k];
        if (plan->trace->storages.data[storage].role != STORAGE_MADE || !plan->real[storage] ||
            plan->last_use[storage] != at)
            continue;
        storage_drop(plan->real[storage]);
        plan->real[storage] = NULL;
    }
}

/* A node without a kernel: by a library, or as the op. */
static tern_status run_alone(const FusePlan *plan, int node) {
    const Trace *trace = plan->trace;
    const TraceNode *of = trace->nodes.data[node];
    if (of->run.kind != RUN_PRODUCT || plan->states[node].way != PRODUCT_BY_LIBRARY)
        return trace_run_node(trace, of, plan->real, plan->offsets);
    tern_tensor a = trace_real(trace, &of->tensors[0], plan->real, plan->offsets);
    tern_tensor b = trace_real(trace, &of->tensors[1], plan->real, plan->offsets);
    tern_tensor y = trace_real(trace, &of->out, plan->real, plan->offsets);
    return blas_run(trace->session, trace->session->stream, &a, &b, &y);
}

static tern_status run_steps(FusePlan *plan, bool *replays) {
    tern_session *session = plan->trace->session;
    for (int i = 0; i < plan->steps.count; i++) {
        const Step *step = &plan->steps.data[i];
        session->holds_free = *replays;
        tern_status status = have_memory(plan, step);
        if (status == TERN_ERROR_NO_MEMORY && *replays) {
            *replays = session->holds_free = false;
            status = replay_launch(plan, NULL, i);
            if (!status) status = have_memory(plan, step);
        }
        if (!status && step->kernel) status = check_programs(plan, step->kernel);
        if (!status && *replays)
            replay_add(plan, i);
        else if (!status && step->kernel)
            status = launch(plan, step->kernel);
        if (!status && !step->kernel) status = run_alone(plan, step->node);
        if (status) return status;
        drop_dead(plan, step, i);
    }
    return TERN_OK;
}

tern_status fuse_run(FusePlan *plan) {
    bool replays = replay_begin(plan);
    tern_status status = run_steps(plan, &replays);
    plan->trace->session->holds_free = false;
    return status || !replays ? status : replay_run(plan);
}
