// SPDX-License-Identifier: Apache-2.0
#include "tensor/trace.h"

#include <stdlib.h>

Trace *trace_begin(tern_session *session) {
    Trace *volatile trace = calloc(1, sizeof *trace);
    if (!trace || setjmp(trace->no_memory)) {
        free(trace);
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    trace->arena = arena_new(&trace->no_memory);
    trace->session = session;
    trace->serial = ++session->num_traces;
    session->trace = trace;
    return trace;
}

void trace_fail(Trace *trace, tern_status status) {
    if (!trace->status) trace->status = status;
}

int trace_serial(const Trace *trace) { return trace ? trace->serial : 0; }

void trace_end(Trace *trace) { trace->session->trace = NULL; }

void trace_free(Trace *trace) {
    if (!trace) return;
    for (int i = 0; i < trace->storages.count; i++) storage_drop(trace->storages.data[i].storage);
    arena_free(trace->arena);
    free(trace);
}

/* ---- storages ---- */

int trace_storage_of(const Trace *trace, const tern_tensor *tensor) {
    for (int i = trace->storages.count - 1; i >= 0; i--) /* mostly one of the last */
        if (trace->storages.data[i].storage == tensor->storage) return i;
    return -1;
}

static bool add_storage(Trace *trace, Storage *storage, StorageRole role, int argument) {
    if (setjmp(trace->no_memory)) {
        session_fail(trace->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return false;
    }
    TraceStorage noted = {.storage = storage, .role = role, .argument = argument, .writer = -1};
    vec_push(trace->arena, &trace->storages, noted);
    storage->references++;
    return true;
}

static Storage *storage_without_memory(Trace *trace, size_t size_bytes, StorageRole role,
                                       int argument) {
    Storage *storage = storage_of_buffer(trace->session, NULL, true);
    if (!storage) return NULL;
    storage->size_bytes = size_bytes;
    storage->trace = trace->serial;
    if (add_storage(trace, storage, role, argument)) return storage;
    storage_drop(storage);
    return NULL;
}

Storage *trace_storage_new(Trace *trace, size_t size_bytes) {
    return storage_without_memory(trace, size_bytes, STORAGE_MADE, -1);
}

tern_tensor *trace_argument(Trace *trace, const tern_tensor *like, int argument) {
    size_t bytes = (size_t)tensor_extent(like) * tern_dtype_size(like->dtype);
    Storage *storage = storage_without_memory(trace, bytes, STORAGE_ARGUMENT, argument);
    if (!storage) return NULL;
    return tensor_create(trace->session, storage, like->dtype, like->rank, like->shape,
                         like->strides, 0);
}

bool trace_is_value(const Trace *trace, int storage) {
    const TraceStorage *noted = &trace->storages.data[storage];
    return noted->role == STORAGE_MADE && noted->num_writes == 1 && noted->is_whole;
}

/* ---- runs ---- */

static bool note_tensor(Trace *trace, const tern_tensor *tensor, TraceStorage **noted) {
    int at = trace_storage_of(trace, tensor);
    if (at < 0) {
        tern_session *session = trace->session;
        bool is_data = tensor->storage->trace == trace->serial;
        if (!is_data && session->grad_mode && tern_requires_grad(tensor)) {
            session_fail(session, TERN_ERROR_UNSUPPORTED,
                         "a function that is traced uses a tensor from elsewhere that requires a "
                         "gradient: make it an argument");
            return false;
        }
        if (!add_storage(trace, tensor->storage, STORAGE_KEPT, -1)) return false;
        at = trace->storages.count - 1;
    }
    *noted = &trace->storages.data[at];
    return true;
}

static bool writes_all(const tern_tensor *out) {
    return out->offset == 0 && tensor_is_dense(out) &&
           (size_t)out->numel * tern_dtype_size(out->dtype) == out->storage->size_bytes;
}

static tern_status note_write(Trace *trace, TraceStorage *noted, const tern_tensor *out) {
    bool is_data = noted->role == STORAGE_KEPT && noted->storage->trace == trace->serial;
    if (is_data)
        return session_fail(trace->session, TERN_ERROR_UNSUPPORTED,
                            "a function that is traced writes to a tensor that it makes of host "
                            "data: make it with tern_empty, and fill it with an op");
    if (!noted->num_writes++) noted->is_whole = !noted->is_read && writes_all(out);
    noted->writer = trace->nodes.count;
    return TERN_OK;
}

/* Memory of the arena is had in functions of their own: what runs out comes back into these. */
static TraceNode *node_new(Trace *trace, const Run *run, const tern_tensor *out) {
    if (setjmp(trace->no_memory)) {
        session_fail(trace->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    TraceNode *node = arena_new_of(trace->arena, TraceNode);
    node->run = *run;
    node->out = *out;
    node->note = trace->note;
    return node;
}

static tern_status add_node(Trace *trace, TraceNode *node) {
    if (setjmp(trace->no_memory))
        return session_fail(trace->session, TERN_ERROR_NO_MEMORY, "out of memory");
    vec_push(trace->arena, &trace->nodes, node);
    return TERN_OK;
}

static bool add_check(Trace *trace, const TraceCheck *check) {
    if (setjmp(trace->no_memory)) {
        session_fail(trace->session, TERN_ERROR_NO_MEMORY, "out of memory");
        return false;
    }
    vec_push(trace->arena, &trace->checks, *check);
    return true;
}

tern_status trace_run(Trace *trace, const Run *run, const tern_tensor *out) {
    TraceStorage *noted;
    TraceNode *node = node_new(trace, run, out);
    if (!node) return TERN_ERROR_NO_MEMORY;
    for (int i = 0; i < run->num_operands; i++) {
        tern_operand *operand = &node->run.operands[i];
        if (operand->kind != TERN_OPERAND_TENSOR || !operand->tensor) continue;
        node->tensors[i] = *operand->tensor;
        operand->tensor = &node->tensors[i];
        if (!note_tensor(trace, operand->tensor, &noted)) return TERN_ERROR_NO_MEMORY;
        noted->is_read = true;
    }
    if (!note_tensor(trace, out, &noted)) return TERN_ERROR_NO_MEMORY;
    tern_status status = note_write(trace, noted, out);
    return status ? status : add_node(trace, node);
}

bool trace_check_index(Trace *trace, const tern_tensor *index, const IndexRule *rule) {
    TraceStorage *noted;
    TraceCheck check = {*index, *rule};
    check.index.grad = NULL;
    if (!note_tensor(trace, index, &noted)) return false;
    if (noted->num_writes || noted->role == STORAGE_MADE) {
        session_fail(trace->session, TERN_ERROR_UNSUPPORTED,
                     "an index that a traced function computes: it is looked at before anything "
                     "runs, and so must be an argument");
        return false;
    }
    noted->is_read = true;
    return add_check(trace, &check);
}

static const char *copy_name(Trace *trace, const char *name) {
    return setjmp(trace->no_memory) ? NULL : str_c(trace->arena, str_of(name));
}

void tern_name(tern_tensor *tensor, const char *name) {
    Trace *trace = tensor_is_live(tensor) ? tensor->session->trace : NULL;
    int storage = trace ? trace_storage_of(trace, tensor) : -1;
    if (storage < 0) return;
    TraceStorage *noted = &trace->storages.data[storage];
    const char *copy = copy_name(trace, name);
    if (noted->writer >= 0) trace->nodes.data[noted->writer]->name = copy;
    if (noted->writer < 0 || noted->role == STORAGE_MADE) noted->name = copy;
}

void tern_note(tern_session *session, const char *text) {
    Trace *trace = session->trace;
    if (trace) trace->note = copy_name(trace, text);
}

/* ---- running what was noted ---- */

tern_tensor trace_real(const Trace *trace, const tern_tensor *seen, Storage *const *real,
                       const int64_t *offsets) {
    tern_tensor tensor = *seen;
    int storage = trace_storage_of(trace, seen);
    tensor.storage = real[storage];
    tensor.grad = NULL;
    tensor.offset += offsets[storage];
    tensor.references = 1;
    return tensor;
}

tern_status trace_run_node(const Trace *trace, const TraceNode *node, Storage *const *real,
                           const int64_t *offsets) {
    tern_session *session = trace->session;
    Run run = node->run;
    tern_tensor tensors[RUN_OPERANDS], out = trace_real(trace, &node->out, real, offsets);
    for (int i = 0; i < run.num_operands; i++) {
        if (run.operands[i].kind != TERN_OPERAND_TENSOR || !run.operands[i].tensor) continue;
        tensors[i] = trace_real(trace, &node->tensors[i], real, offsets);
        run.operands[i].tensor = &tensors[i];
    }
    switch (run.kind) {
    case RUN_MAP:
        return map_run(session, run.op, run.operands, run.num_operands, run.compute, run.p, run.q,
                       &out);
    case RUN_TAKE: return take_run(session, run.op, &tensors[0], &tensors[1], run.step, &out);
    case RUN_PUT: return put_run(session, run.op, &tensors[0], &tensors[1], run.step, &out);
    case RUN_ROWS: {
        RowCall call = {session,     run.op, run.operands[0].tensor, NULL, NULL, {0}, run.keeps,
                        run.compute, run.p};
        if (run.num_operands > 1) call.weight = run.operands[1].tensor;
        if (run.num_operands > 2) call.bias = run.operands[2].tensor;
        memcpy(call.in_row, run.in_row, sizeof call.in_row);
        return rows_run(&call, &out);
    }
    case RUN_PRODUCT: return product_run(session, &tensors[0], &tensors[1], &out);
    }
    BUG("a run of no kind");
}
