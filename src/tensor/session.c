// SPDX-License-Identifier: Apache-2.0
/* session: what the tensors of a context share: their memory, scopes, the words of errors.
 *
 * Structs of tensors come from slabs and go back to a queue, so that one that was dropped is seen
 * as such for a while. Memory that was dropped is kept by size and handed out again: on cuda asking
 * the driver takes longer than most ops, on cpu fresh pages do. Devices that check accesses get
 * memory of the exact size each time, so that what lies outside of a tensor lies outside of its
 * buffer. */
#include "tensor/plan.h"
#include "tensor/tape.h"
#include "tensor/tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLAB_TENSORS = 64 };
/* Of memory that nobody uses, on host devices: the temporaries of nine ops on 4 M floats. */
enum { MOST_FREE_HOST_BYTES = 256 << 20 };

tern_status session_fail(tern_session *session, tern_status status, const char *format, ...) {
    char words[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (session->trace) trace_fail(session->trace, status);
    return tern_fail(session->context, status, words);
}

SizesText sizes_text(const int64_t *sizes, int rank) {
    SizesText text;
    size_t at = 0;
    text.text[at++] = '[';
    for (int i = 0; i < rank; i++)
        at += (size_t)snprintf(text.text + at, sizeof text.text - at, "%s%lld", i ? ", " : "",
                               (long long)sizes[i]);
    snprintf(text.text + at, sizeof text.text - at, "]");
    return text;
}

/* ---- storage ---- */

/* Multiples of 512 bytes to 4 KiB, then eighths of powers of two; -1: too large for any. */
static int size_class(size_t bytes, size_t *rounded) {
    if (bytes <= 4096) {
        size_t step = bytes ? (bytes + 511) / 512 : 1;
        *rounded = step * 512;
        return (int)step;
    }
    int exponent = 63 - __builtin_clzll((unsigned long long)(bytes - 1));
    size_t eighth = (size_t)1 << (exponent - 3);
    size_t steps = (bytes + eighth - 1) / eighth; /* 9 to 16 */
    *rounded = steps * eighth;
    int class = 9 + (exponent - 12) * 8 + (int)(steps - 9);
    return *rounded < bytes || class >= NUM_SIZE_CLASSES ? -1 : class;
}

static void storage_link(Storage *storage) {
    tern_session *session = storage->session;
    storage->references = 1;
    storage->previous = NULL;
    storage->next = session->storages;
    if (session->storages) session->storages->previous = storage;
    session->storages = storage;
}

static void storage_unlink(Storage *storage) {
    if (storage->previous)
        storage->previous->next = storage->next;
    else
        storage->session->storages = storage->next;
    if (storage->next) storage->next->previous = storage->previous;
}

static void storage_free(Storage *storage) {
    if (storage->is_counted) storage->session->used_bytes -= storage->size_bytes;
    if (!storage->is_users) tern_buffer_free(storage->buffer);
    if (storage->release) storage->release(storage->released);
    free(storage);
}

static void free_lists_empty(tern_session *session) {
    for (int i = 0; i < NUM_SIZE_CLASSES; i++)
        while (session->free_storages[i]) {
            Storage *storage = session->free_storages[i];
            session->free_storages[i] = storage->next;
            storage_free(storage);
        }
    session->free_bytes = 0;
}

Storage *storage_of_buffer(tern_session *session, tern_buffer *buffer, bool is_users) {
    Storage *storage = calloc(1, sizeof *storage);
    if (!storage) {
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    *storage = (Storage){.session = session,
                         .buffer = buffer,
                         .size_bytes = buffer ? tern_buffer_size(buffer) : 0,
                         .size_class = -1,
                         .is_users = is_users};
    storage_link(storage);
    return storage;
}

static void say_no_memory(tern_session *session, size_t bytes) {
    if (session->is_cuda)
        session_fail(session, TERN_ERROR_NO_MEMORY,
                     "CUDA out of memory. Tried to allocate %.2f GiB.",
                     (double)bytes / (1024.0 * 1024 * 1024));
    else
        session_fail(session, TERN_ERROR_NO_MEMORY,
                     "DefaultCPUAllocator: can't allocate memory: you tried to allocate %zu bytes.",
                     bytes);
}

void tern_session_limit(tern_session *session, size_t most_bytes) {
    session->most_bytes = most_bytes;
}

/* NULL: there is none, or the session may have no more. */
static tern_buffer *buffer_new(tern_session *session, size_t bytes) {
    size_t most = session->most_bytes;
    if (most && (bytes > most || session->used_bytes > most - bytes)) return NULL;
    return tern_alloc(session->context, bytes);
}

Storage *storage_new(tern_session *session, size_t size_bytes) {
    if (session->trace) return trace_storage_new(session->trace, size_bytes);
    size_t rounded = size_bytes;
    int class = session->checks_accesses ? -1 : size_class(size_bytes, &rounded);
    if (class >= 0 && session->free_storages[class]) {
        Storage *storage = session->free_storages[class];
        session->free_storages[class] = storage->next;
        session->free_bytes -= storage->size_bytes;
        storage->trace = 0;
        storage->version = 0;
        storage_link(storage);
        return storage;
    }
    if (class < 0) rounded = size_bytes;
    tern_buffer *buffer = buffer_new(session, rounded);
    if (!buffer && session->free_bytes && !session->holds_free) {
        free_lists_empty(session);
        buffer = buffer_new(session, rounded);
    }
    if (!buffer) {
        say_no_memory(session, size_bytes);
        return NULL;
    }
    Storage *storage = storage_of_buffer(session, buffer, false);
    if (!storage) {
        tern_buffer_free(buffer);
        return NULL;
    }
    storage->size_class = class;
    storage->is_counted = true;
    session->used_bytes += storage->size_bytes;
    return storage;
}

void storage_drop(Storage *storage) {
    if (--storage->references) return;
    tern_session *session = storage->session;
    grad_drop(storage->history);
    storage->history = NULL;
    storage_unlink(storage);
    bool keeps =
        storage->size_class >= 0 &&
        (!session->on_host || session->free_bytes + storage->size_bytes <= MOST_FREE_HOST_BYTES);
    if (!keeps) {
        storage_free(storage);
        return;
    }
    storage->next = session->free_storages[storage->size_class];
    session->free_storages[storage->size_class] = storage;
    session->free_bytes += storage->size_bytes;
}

/* ---- tensors ---- */

static bool slab_add(tern_session *session) {
    if (setjmp(session->no_memory)) return false;
    tern_tensor *slab = arena_array(session->arena, tern_tensor, SLAB_TENSORS);
    vec_push(session->arena, &session->slabs, slab);
    for (int i = 0; i < SLAB_TENSORS; i++) {
        slab[i].session = session;
        slab[i].next = i + 1 < SLAB_TENSORS ? &slab[i + 1] : session->free_first;
    }
    if (!session->free_first) session->free_last = &slab[SLAB_TENSORS - 1];
    session->free_first = slab;
    return true;
}

static bool scope_note(tern_session *session, tern_tensor *tensor) {
    if (setjmp(session->no_memory)) return false;
    vec_push(session->arena, &session->noted, tensor);
    tensor->noted = session->noted.count;
    return true;
}

/* One free struct stays in the queue, so that its end is always known. */
static tern_tensor *slot_take(tern_session *session) {
    if ((!session->free_first || session->free_first == session->free_last) && !slab_add(session))
        return NULL;
    tern_tensor *tensor = session->free_first;
    session->free_first = tensor->next;
    return tensor;
}

tern_tensor *tensor_create(tern_session *session, Storage *storage, tern_dtype dtype, int rank,
                           const int64_t *shape, const int64_t *strides, int64_t offset) {
    tern_tensor *tensor = slot_take(session);
    if (tensor) tensor->noted = 0;
    if (!tensor || (session->num_scopes > session->hidden_scopes && !scope_note(session, tensor))) {
        if (storage) storage_drop(storage);
        return session_fail_null(session, TERN_ERROR_NO_MEMORY, "out of memory");
    }
    tensor->references = 1;
    tensor->grad = NULL;
    tensor->dtype = dtype;
    tensor->storage = storage;
    tensor->rank = rank;
    tensor->offset = offset;
    tensor->numel = 1;
    for (int i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->strides[i] = strides[i];
        tensor->numel *= shape[i];
    }
    tensor->is_contiguous = strides_are_contiguous(rank, shape, strides);
    session->num_live++;
    return tensor;
}

static bool is_held(const tern_tensor *tensor) {
    if (!tensor) return false;
    if (tensor->references > 0) return true;
    session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                 "the tensor is gone: its last reference was dropped");
    return false;
}

bool tensor_is_live(const tern_tensor *tensor) {
    if (!is_held(tensor)) return false;
    const Storage *storage = tensor->storage;
    if (!storage || storage->buffer || storage->trace == trace_serial(tensor->session->trace))
        return true;
    session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                 "the tensor is of a function that was traced, and has no memory");
    return false;
}

bool tensor_has_values(const tern_tensor *tensor, const char *what) {
    if (tensor->storage->buffer) return true;
    session_fail(tensor->session, TERN_ERROR_UNSUPPORTED,
                 "%s: a tensor has no values while the function is traced", what);
    return false;
}

tern_tensor *tern_keep(tern_tensor *tensor) {
    if (!is_held(tensor)) return NULL;
    tensor->references++;
    return tensor;
}

void tern_drop(tern_tensor *tensor) {
    if (!is_held(tensor) || --tensor->references) return;
    tern_session *session = tensor->session;
    grad_drop(tensor->grad);
    tensor->grad = NULL;
    if (tensor->storage) storage_drop(tensor->storage);
    tensor->storage = NULL;
    tensor->next = NULL;
    if (tensor->noted) session->noted.data[tensor->noted - 1] = NULL;
    session->free_last->next = tensor;
    session->free_last = tensor;
    session->num_live--;
}

int tern_session_live_tensors(const tern_session *session) { return session->num_live; }

tern_status tern_scope_open(tern_session *session) {
    if (session->num_scopes == MAX_SCOPES)
        return session_fail(session, TERN_ERROR_ARGUMENT, "more than %d scopes are open",
                            MAX_SCOPES);
    session->scopes[session->num_scopes++] = session->noted.count;
    return TERN_OK;
}

tern_status tern_scope_close(tern_session *session) {
    if (!session->num_scopes) return session_fail(session, TERN_ERROR_ARGUMENT, "no scope is open");
    int first = session->scopes[--session->num_scopes];
    while (session->noted.count > first) {
        tern_tensor *tensor = session->noted.data[--session->noted.count];
        if (!tensor) continue;
        tensor->noted = 0;
        tern_drop(tensor);
    }
    return TERN_OK;
}

/* ---- opening and closing ---- */

static bool session_fill(tern_session *session, tern_context *context) {
    if (setjmp(session->no_memory)) return false;
    const char *device = tern_device_name(context);
    session->context = context;
    session->grad_mode = true;
    session->seed = 0;
    session->on_host = tern_device_property(device, TERN_DEVICE_ON_HOST);
    session->checks_accesses = tern_device_property(device, TERN_DEVICE_CHECKS_ACCESSES);
    session->is_cuda = !session->on_host;
    session->num_threads = tern_device_threads(context);
    session->promises = session->is_cuda || !strncmp(device, "sim", 3);
    session->arena = arena_new(&session->no_memory);
    session->texts.arena = session->arena;
    session->plans = plan_table_new(session->arena);
    print_options_fill(&session->print, NULL);
    return true;
}

tern_session *tern_session_open(tern_context *context) {
    tern_session *session = calloc(1, sizeof *session);
    if (session && session_fill(session, context)) return session;
    if (session) arena_free(session->arena);
    free(session);
    tern_fail(context, TERN_ERROR_NO_MEMORY, "out of memory");
    return NULL;
}

/* What is recorded of tensors that nobody dropped. */
static void forget_all(tern_session *session) {
    for (int i = 0; i < session->slabs.count; i++)
        for (int k = 0; k < SLAB_TENSORS; k++) {
            tern_tensor *tensor = &session->slabs.data[i][k];
            Grad *grad = tensor->references ? tensor->grad : NULL;
            if (!grad) continue;
            tensor->grad = NULL;
            grad_drop(grad);
        }
    for (Storage *storage = session->storages; storage; storage = storage->next) {
        Grad *history = storage->history;
        storage->history = NULL;
        grad_drop(history);
    }
}

void tern_session_close(tern_session *session) {
    if (!session) return;
    plan_table_free(session->plans);
    for (int i = 0; i < session->kernels.count; i++)
        tern_kernel_free(session->kernels.data[i].kernel);
    forget_all(session);
    blas_free(session->blas);
    while (session->storages) {
        Storage *storage = session->storages;
        storage_unlink(storage);
        storage_free(storage);
    }
    free_lists_empty(session);
    arena_free(session->arena);
    free(session);
}

void op_begin(tern_session *session, const char *name, const tern_operand *operands, int count) {
    tern_input inputs[3];
    int num_inputs = count < COUNT(inputs) ? count : COUNT(inputs);
    for (int i = 0; i < num_inputs; i++) {
        const tern_tensor *tensor =
            operands[i].kind == TERN_OPERAND_TENSOR ? operands[i].tensor : NULL;
        inputs[i] = tensor ? (tern_input){tensor->rank, tensor->shape} : (tern_input){0, NULL};
    }
    tern_op_push(session->context, name, inputs, num_inputs);
}

void session_add_text(tern_session *session, const char *signature, const char *text) {
    if (setjmp(session->no_memory)) return;
    buf_printf(&session->texts, "# %s\n%s\n\n", signature, text);
}

/* ---- kernels of whole texts ---- */

static tern_kernel *compile(tern_session *session, const char *name, const char *text,
                            const char *signature) {
    char file[40];
    snprintf(file, sizeof file, "%s.py", name);
    tern_module *module = tern_load_text(session->context, text, strlen(text), file);
    if (!module) return NULL;
    tern_kernel *kernel = tern_compile(module, name, signature, NULL);
    tern_module_free(module);
    if (kernel) session_add_text(session, signature, text);
    return kernel;
}

static bool remember(tern_session *session, const char *name, const char *signature,
                     tern_kernel *kernel) {
    if (setjmp(session->no_memory)) return false;
    NamedKernel named = {name, str_c(session->arena, str_of(signature)), kernel};
    vec_push(session->arena, &session->kernels, named);
    return true;
}

tern_kernel *session_kernel(tern_session *session, const char *name, const char *text,
                            const char *signature) {
    for (int i = 0; i < session->kernels.count; i++) {
        const NamedKernel *have = &session->kernels.data[i];
        if (!strcmp(have->name, name) && !strcmp(have->signature, signature)) return have->kernel;
    }
    tern_kernel *kernel = compile(session, name, text, signature);
    if (!kernel || remember(session, name, signature, kernel)) return kernel;
    tern_kernel_free(kernel);
    session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    return NULL;
}

tern_context *tern_session_context(tern_session *session) { return session->context; }

char *tern_session_kernels(tern_session *session) {
    char *text = malloc(session->texts.length + 1);
    if (!text) {
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(text, session->texts.length ? session->texts.data : "", session->texts.length + 1);
    return text;
}
