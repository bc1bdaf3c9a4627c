// SPDX-License-Identifier: Apache-2.0
/* function: a body in C, traced once a key of types, shapes and strides, and the calls of what came
 * out. Which plan a call needs is a comparison of a few words. */
#include "fuse/fuse.h"
#include "tensor/tape.h"

#include <stdlib.h>

enum { KEY_OF_TENSOR = 1 + 2 * TERN_MAX_RANK };
enum { MAX_KEY = 2 + TERN_MAX_FUSED_TENSORS * KEY_OF_TENSOR };

/* ---- making ---- */

static bool is_word(const char *name) {
    for (const char *at = name; *at; at++) {
        bool letter = *at == '_' || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (!letter && !(at > name && *at >= '0' && *at <= '9')) return false;
    }
    return *name && strlen(name) <= 40;
}

tern_fused *tern_fuse(tern_session *session, const char *name, tern_fused_body *body, int num_in,
                      int num_out, void *user) {
    bool fits = num_in >= 0 && num_in <= TERN_MAX_FUSED_TENSORS && num_out >= 1 &&
                num_out <= TERN_MAX_FUSED_TENSORS;
    if (!fits || !is_word(name)) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     !fits ? "a function of %d tensors to %d (at most %d)"
                           : "a function's name is a word of at most 40 letters, digits and '_'",
                     num_in, num_out, TERN_MAX_FUSED_TENSORS);
        return NULL;
    }
    tern_fused *function = calloc(1, sizeof *function);
    char *copy = malloc(strlen(name) + 1);
    if (!function || !copy) {
        free(function);
        free(copy);
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(copy, name, strlen(name) + 1);
    *function = (tern_fused){.references = 1,
                             .session = session,
                             .name = copy,
                             .body = body,
                             .num_in = num_in,
                             .num_out = num_out,
                             .user = user};
    return function;
}

void fused_plan_free(FusePlan *plan) {
    if (!plan) return;
    replay_free(plan->replay);
    trace_free(plan->trace);
    arena_free(plan->arena);
    free(plan);
}

void tern_fused_free(tern_fused *function) {
    if (!function || --function->references) return;
    fused_gradients_free(function->gradients);
    for (int i = 0; i < function->cache.kernels.count; i++)
        tern_kernel_free(function->cache.kernels.data[i].kernel);
    arena_free(function->cache.arena);
    for (int i = 0; i < function->num_plans; i++) fused_plan_free(function->plans[i]);
    free(function->name);
    free(function);
}

/* ---- keys ---- */

/* On devices whose kernels are told. */
static bool is_aligned(const tern_tensor *tensor) {
    if (!tensor->session->promises || !tensor->storage->buffer) return false;
    uint64_t address = (uint64_t)(uintptr_t)tern_buffer_pointer(tensor->storage->buffer) +
                       (uint64_t)tensor->offset * tern_dtype_size(tensor->dtype);
    return address % 16 == 0;
}

/* Arguments that a recorded call is to have gradients of. */
static uint64_t wanted_of(const tern_fused *function, tern_tensor *const *in) {
    uint64_t wanted = 0;
    for (int i = 0; i < function->num_in && function->session->grad_mode; i++)
        wanted |= (uint64_t)tern_requires_grad(in[i]) << i;
    return wanted;
}

static int key_of(const tern_fused *function, tern_tensor *const *in, int64_t *key) {
    int length = 0;
    key[length++] = function->session->grad_mode; /* what is refused depends on it */
    key[length++] = (int64_t)wanted_of(function, in);
    for (int i = 0; i < function->num_in; i++) {
        const tern_tensor *tensor = in[i];
        key[length++] =
            (int64_t)tensor->dtype << 8 | (int64_t)is_aligned(tensor) << 7 | tensor->rank;
        memcpy(key + length, tensor->shape, (size_t)tensor->rank * sizeof *key);
        memcpy(key + length + tensor->rank, tensor->strides, (size_t)tensor->rank * sizeof *key);
        length += 2 * tensor->rank;
    }
    return length;
}

static FusePlan *plan_find(const tern_fused *function, const int64_t *key, int length) {
    for (int i = 0; i < function->num_plans; i++) {
        FusePlan *plan = function->plans[i];
        if (plan->key_length == length && !memcmp(plan->key, key, (size_t)length * sizeof *key))
            return plan;
    }
    return NULL;
}

/* The place of a new plan: that of the one whose last call is longest ago, when there are many. */
static FusePlan **place_for_plan(tern_fused *function) {
    if (function->num_plans < MAX_PLANS) return &function->plans[function->num_plans++];
    int oldest = 0;
    for (int i = 1; i < MAX_PLANS; i++)
        if (function->plans[i]->last_call < function->plans[oldest]->last_call) oldest = i;
    if (function->last == function->plans[oldest]) function->last = NULL;
    fused_plan_free(function->plans[oldest]);
    return &function->plans[oldest];
}

/* ---- tracing ---- */

static FusePlan *plan_new(const tern_fused *function, const int64_t *key, int length) {
    FusePlan *volatile plan = calloc(1, sizeof *plan);
    if (!plan || setjmp(plan->no_memory)) {
        fused_plan_free(plan);
        session_fail(function->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    plan->arena = arena_new(&plan->no_memory);
    plan->key = arena_array(plan->arena, int64_t, length);
    if (length) memcpy(plan->key, key, (size_t)length * sizeof *key);
    plan->key_length = length;
    plan->name = str_c(plan->arena, str_of(function->name));
    plan->num_in = function->num_in;
    plan->is_aligned = arena_array(plan->arena, bool, function->num_in);
    plan->num_out = function->num_out;
    plan->outs = arena_array(plan->arena, tern_tensor, function->num_out);
    plan->out_storages = arena_array(plan->arena, int, function->num_out);
    return plan;
}

/* The results by value: the references that the body gave are dropped. */
static tern_status take_results(FusePlan *plan, tern_tensor *const *results) {
    tern_session *session = plan->trace->session;
    for (int i = 0; i < plan->num_out; i++) {
        if (!results[i])
            return session_fail(session, TERN_ERROR_ARGUMENT, "the function left its result %d out",
                                i);
        if (!tensor_is_live(results[i])) return TERN_ERROR_ARGUMENT;
        plan->outs[i] = *results[i];
        plan->outs[i].grad = NULL;
        if (!tern_requires_grad(results[i])) plan->apart |= UINT64_C(1) << i;
        plan->out_storages[i] = trace_storage_of(plan->trace, results[i]);
        tern_drop(results[i]);
        if (plan->out_storages[i] < 0)
            return session_fail(session, TERN_ERROR_UNSUPPORTED,
                                "the function's result %d is a tensor from elsewhere that none of "
                                "its ops has to do with",
                                i);
    }
    return TERN_OK;
}

static tern_status run_body(const tern_fused *function, FusePlan *plan, tern_tensor *const *in) {
    tern_tensor *arguments[TERN_MAX_FUSED_TENSORS] = {NULL};
    tern_tensor *results[TERN_MAX_FUSED_TENSORS] = {NULL};
    uint64_t wanted = wanted_of(function, in);
    tern_status status = tern_scope_open(function->session);
    if (status) return status;
    for (int i = 0; i < function->num_in && !status; i++) {
        arguments[i] = trace_argument(plan->trace, in[i], i);
        if (!arguments[i])
            status = TERN_ERROR_NO_MEMORY;
        else if (wanted >> i & 1)
            status = tern_set_requires_grad(arguments[i], true);
    }
    if (!status) status = function->body(arguments, results, function->user);
    if (!status) status = plan->trace->status;
    if (!status) status = take_results(plan, results);
    tern_scope_close(function->session);
    return status;
}

static tern_status trace_body(const tern_fused *function, FusePlan *plan, tern_tensor *const *in) {
    plan->trace = trace_begin(function->session);
    if (!plan->trace) return TERN_ERROR_NO_MEMORY;
    for (int i = 0; i < function->num_in; i++) plan->is_aligned[i] = is_aligned(in[i]);
    tern_status status = run_body(function, plan, in);
    trace_end(plan->trace);
    for (int i = 0; i < plan->trace->storages.count; i++) {
        const TraceStorage *storage = &plan->trace->storages.data[i];
        if (storage->role != STORAGE_MADE && storage->num_writes) plan->writes_outside = true;
    }
    return status ? status : fuse_plan(plan);
}

/* False: no memory. */
static bool take_ways(FusePlan *plan, const int *ways, int num_ways) {
    if (setjmp(plan->no_memory)) return false;
    int *taken = arena_array(plan->arena, int, num_ways);
    memcpy(taken, ways, (size_t)num_ways * sizeof *ways);
    plan->ways = taken;
    plan->num_ways = num_ways;
    return true;
}

tern_status fused_plan_new(tern_fused *function, tern_tensor *const *in, const int64_t *key,
                           int length, const int *ways, int num_ways, FusePlan **made) {
    FusePlan *plan = plan_new(function, key, length);
    if (!plan) return TERN_ERROR_NO_MEMORY;
    tern_status status = TERN_OK;
    if (ways && !take_ways(plan, ways, num_ways)) status = TERN_ERROR_NO_MEMORY;
    if (!status) status = trace_body(function, plan, in);
    if (!status) status = compile_kernels(plan, &function->cache, !ways);
    if (status)
        fused_plan_free(plan);
    else
        *made = plan;
    return status;
}

static tern_status plan_make(tern_fused *function, tern_tensor *const *in, const int64_t *key,
                             int length, FusePlan **made) {
    FusePlan *plan;
    tern_status status = fused_plan_new(function, in, key, length, NULL, 0, &plan);
    if (!status && function->session->tunes) {
        status = fuse_tune(function, in, &plan);
        if (status) fused_plan_free(plan);
    }
    if (!status) *place_for_plan(function) = *made = plan;
    return status;
}

/* ---- calling ---- */

/* Memory from outside that is written may be known under one name only: the plan's order of
 * reads and writes is by names. */
static tern_status check_aliases(const FusePlan *plan) {
    const Trace *trace = plan->trace;
    for (int i = 0; i < trace->storages.count; i++) {
        const TraceStorage *written = &trace->storages.data[i];
        if (written->role == STORAGE_MADE || !written->num_writes) continue;
        for (int j = 0; j < trace->storages.count; j++)
            if (j != i && plan->real[j] && plan->real[j]->buffer == plan->real[i]->buffer)
                return session_fail(trace->session, TERN_ERROR_UNSUPPORTED,
                                    "the function writes to a tensor that shares its memory with "
                                    "another one of its tensors");
    }
    return TERN_OK;
}

static tern_status bind_and_run(FusePlan *plan, tern_tensor *const *in) {
    const Trace *trace = plan->trace;
    for (int i = 0; i < trace->storages.count; i++) {
        const TraceStorage *storage = &trace->storages.data[i];
        plan->real[i] = storage->role == STORAGE_ARGUMENT ? in[storage->argument]->storage
                        : storage->role == STORAGE_KEPT   ? storage->storage
                                                          : NULL;
        plan->offsets[i] = storage->role == STORAGE_ARGUMENT ? in[storage->argument]->offset : 0;
    }
    tern_status status = plan->writes_outside ? check_aliases(plan) : TERN_OK;
    for (int i = 0; i < trace->checks.count && !status; i++) {
        const TraceCheck *check = &trace->checks.data[i];
        tern_tensor index = trace_real(trace, &check->index, plan->real, plan->offsets);
        if (!check_bounds(&index, &check->rule))
            status = tern_message_status(trace->session->context);
    }
    if (!status) status = fuse_run(plan);
    for (int i = 0; i < trace->storages.count && plan->writes_outside && !status; i++)
        if (trace->storages.data[i].role != STORAGE_MADE && trace->storages.data[i].num_writes)
            plan->real[i]->version++;
    return status;
}

/* Results as tensors of the storages that the run made, or that were there. */
static tern_status give_results(FusePlan *plan, tern_tensor **out) {
    tern_session *session = plan->trace->session;
    for (int i = 0; i < plan->num_out; i++) {
        const tern_tensor *seen = &plan->outs[i];
        int at = plan->out_storages[i];
        if (!plan->real[at]) /* of no elements: no step wrote it */
            plan->real[at] =
                storage_new(session, plan->trace->storages.data[at].storage->size_bytes);
        if (!plan->real[at]) return TERN_ERROR_NO_MEMORY;
        plan->real[at]->references++;
        out[i] = tensor_create(session, plan->real[at], seen->dtype, seen->rank, seen->shape,
                               seen->strides, seen->offset + plan->offsets[at]);
        if (!out[i]) return TERN_ERROR_NO_MEMORY;
    }
    return TERN_OK;
}

/* What is left of the memory that the call made, but for the references of the results. */
static void drop_made(FusePlan *plan) {
    for (int i = 0; i < plan->trace->storages.count; i++)
        if (plan->trace->storages.data[i].role == STORAGE_MADE && plan->real[i])
            storage_drop(plan->real[i]);
}

tern_status fused_plan_call(FusePlan *plan, tern_tensor *const *in, tern_tensor **out) {
    tern_status status = bind_and_run(plan, in);
    if (!status) status = give_results(plan, out);
    drop_made(plan);
    return status;
}

static tern_status check_arguments(const tern_fused *function, tern_tensor *const *in) {
    for (int i = 0; i < function->num_in; i++) {
        if (!tensor_is_live(in[i]))
            return in[i] ? TERN_ERROR_ARGUMENT
                         : session_fail(function->session, TERN_ERROR_ARGUMENT,
                                        "%s: argument %d is NULL", function->name, i);
        if (in[i]->session != function->session)
            return session_fail(function->session, TERN_ERROR_ARGUMENT,
                                "%s: argument %d is a tensor of another session", function->name,
                                i);
    }
    return TERN_OK;
}

tern_status tern_fused_call(tern_fused *function, tern_tensor *const *in, tern_tensor **out) {
    int64_t key[MAX_KEY];
    for (int i = 0; i < function->num_out; i++) out[i] = NULL;
    tern_status status = check_arguments(function, in);
    if (status) return status;
    if (function->session->trace) return function->body(in, out, function->user);
    int length = key_of(function, in, key);
    FusePlan *plan = plan_find(function, key, length);
    if (!plan) status = plan_make(function, in, key, length, &plan);
    if (status) return status;
    if (plan->num_borrowed && plan->num_calls++) { /* it comes again: it is worth its own */
        replay_free(plan->replay);
        plan->replay = NULL;
        status = compile_kernels(plan, &function->cache, false);
        if (status) return status;
    }
    plan->last_call = ++function->num_calls;
    function->last = plan;
    bool records = tape_wants_tensors(function->session, in, function->num_in);
    if (records && plan->writes_outside)
        return session_fail(function->session, TERN_ERROR_UNSUPPORTED,
                            "%s: a gradient of a function that writes to its arguments or to "
                            "tensors from elsewhere",
                            function->name);
    status = fused_plan_call(plan, in, out);
    if (!status && records) status = fused_record(function, in, out, plan->apart);
    if (!status) return TERN_OK;
    for (int i = 0; i < function->num_out; i++) {
        tern_drop(out[i]);
        out[i] = NULL;
    }
    return status;
}

/* ---- texts ---- */

char *tern_fused_text(tern_fused *function, tern_fused_text_kind kind) {
    FusePlan *plan = function->last;
    if (!plan) {
        session_fail(function->session, TERN_ERROR_ARGUMENT, "%s was not called yet",
                     function->name);
        return NULL;
    }
    if (setjmp(plan->no_memory)) {
        session_fail(function->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    Buf text = {.arena = plan->arena};
    if (kind == TERN_FUSED_SOURCE)
        fuse_print_source(plan, &text);
    else
        fuse_print_plan(plan, &text);
    char *copy = malloc(text.length + 1);
    if (!copy) {
        session_fail(function->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(copy, text.data, text.length + 1);
    return copy;
}
