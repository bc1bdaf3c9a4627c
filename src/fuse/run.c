// SPDX-License-Identifier: Apache-2.0
/* run: compiling a plan's kernels, and its steps one after the other. Memory that the function
 * makes is had by the step that writes it and given back after the last one that reads it, so
 * that the next one gets it. */
#include "fuse/fuse.h"

#include <stdio.h>

/* ---- compiling ---- */

static bool is_same_tile(Tile a, Tile b) {
    return a.rows == b.rows && a.cols == b.cols && a.depth == b.depth;
}

static const CachedKernel *find_kernel(const KernelCache *cache, const FusedKernel *kernel) {
    for (int i = 0; i < cache->kernels.count; i++) {
        const CachedKernel *have = &cache->kernels.data[i];
        if (have->num_warps == kernel->num_warps && is_same_tile(have->tile, kernel->tile) &&
            !strcmp(have->types, kernel->types) && !strcmp(have->text, kernel->text))
            return have;
    }
    return NULL;
}

/* Does what was compiled for some types serve others? What it promises must hold. */
static bool types_serve(const char *have, const char *types) {
    while (*have && *types) {
        bool promises = !strncmp(have, ":16", 3), holds = !strncmp(types, ":16", 3);
        if (promises && !holds) return false;
        if (holds) types += 3;
        if (promises)
            have += 3;
        else if (!holds && *have++ != *types++)
            return false;
    }
    if (!strncmp(types, ":16", 3)) types += 3;
    return !*have && !*types;
}

/* One that was compiled for another tile, or for less that is known. */
static const CachedKernel *find_near(const KernelCache *cache, const FusedKernel *kernel,
                                     const char *text) {
    const Space *space = kernel->space;
    for (int i = 0; i < cache->kernels.count; i++) {
        const CachedKernel *have = &cache->kernels.data[i];
        if (strcmp(have->text, text) != 0 || !types_serve(have->types, kernel->types)) continue;
        if (!have->is_single || space_count(space, kernel->outer, space->rank) <= have->tile.cols)
            return have;
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
                          str_c(cache->arena, str_of(kernel->types)),
                          kernel->tile,
                          kernel->num_warps,
                          kernel->is_single,
                          compiled};
    vec_push(cache->arena, &cache->kernels, entry);
    return true;
}

/* A kernel of the cache, compiled if need be. */
static tern_status have_compiled(FusePlan *plan, KernelCache *cache, const FusedKernel *kernel,
                                 tern_kernel **compiled) {
    tern_session *session = plan->trace->session;
    const CachedKernel *known = find_kernel(cache, kernel);
    if (known) return *compiled = known->kernel, TERN_OK;
    if (setjmp(plan->no_memory))
        return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    *compiled = compile(plan, kernel, plan->arena);
    if (!*compiled) return tern_message_status(session->context);
    if (cache_kernel(cache, kernel, *compiled)) return TERN_OK;
    tern_kernel_free(*compiled);
    return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
}

static tern_status compile_kernel(FusePlan *plan, KernelCache *cache, FusedKernel *kernel,
                                  bool borrows) {
    tern_kernel *own, *loose;
    if (borrows && !find_kernel(cache, kernel)) {
        const CachedKernel *near = find_near(cache, kernel, kernel->text);
        if (!near && kernel->loose) near = find_near(cache, kernel, kernel->loose->text);
        if (near) {
            kernel->kernel = near->kernel;
            kernel->programs = kernel_programs(kernel, near->tile);
            plan->num_borrowed++;
            return TERN_OK;
        }
    }
    tern_status status = have_compiled(plan, cache, kernel, &own);
    if (status) return status; /* what it borrowed stays */
    kernel->kernel = own;
    kernel->programs = kernel_programs(kernel, kernel->tile);
    return borrows && kernel->loose ? have_compiled(plan, cache, kernel->loose, &loose) : TERN_OK;
}

tern_status compile_kernels(FusePlan *plan, KernelCache *cache, bool borrows) {
    tern_status status = TERN_OK;
    for (int i = 0; i < plan->steps.count && !status; i++)
        if (plan->steps.data[i].kernel)
            status = compile_kernel(plan, cache, plan->steps.data[i].kernel, borrows);
    if (!status && !borrows) plan->num_borrowed = 0; /* else the next call tries again */
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
    const NodeState *state = &plan->states[node];
    if (state->way != PRODUCT_BY_LIBRARY)
        return trace_run_node(trace, of, plan->real, plan->offsets);
    const TraceNode *product = state->product ? trace->nodes.data[state->product - 1] : of;
    tern_tensor a = trace_real(trace, &product->tensors[0], plan->real, plan->offsets);
    tern_tensor b = trace_real(trace, &product->tensors[1], plan->real, plan->offsets);
    tern_tensor y = trace_real(trace, &of->out, plan->real, plan->offsets);
    if (!state->product) return blas_run(trace->session, trace->session->stream, &a, &b, &y);
    tern_tensor bias = trace_real(trace, &of->tensors[state->bias], plan->real, plan->offsets);
    return blas_run_add(trace->session, trace->session->stream, &a, &b, &bias, &y);
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
