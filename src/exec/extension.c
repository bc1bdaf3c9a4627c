// SPDX-License-Identifier: Apache-2.0
/* extension: torch.utils.cpp_extension.load_inline: CUDA C in a string, read by our front end.
 * Its host's part is evaluated (tern_exec_function), its kernels run on the session's device; no
 * compiler of C++ takes part, and nothing is written. */
#include "exec/exec.h"

#include <stdlib.h>

static bool add_sources(Host *host, Object *sources, Buf *text) {
    int count = 1;
    Object **items = &sources;
    if (!sources || sources->kind == OBJECT_NONE) return true;
    if (sources->kind != OBJECT_STR && !host_items(host, sources, &count, &items)) return false;
    for (int i = 0; i < count; i++) {
        Str one;
        if (!host_text(host, items[i], "a source", &one)) return false;
        buf_printf(text, "%.*s\n", STR_ARG(one));
    }
    return true;
}

static bool value_of(Host *host, const Object *object, tern_exec_value *value) {
    *value = (tern_exec_value){.kind = TERN_EXEC_TENSOR};
    if (object->kind == OBJECT_FLOAT) {
        value->kind = TERN_EXEC_FLOAT, value->number = object->number;
        return true;
    }
    if (object_is_integral(object)) {
        value->kind = TERN_EXEC_INT;
        return host_int(host, object, "an argument", &value->integer);
    }
    if (!want_tensor(host, object, "an extension's function")) return false;
    tern_tensor *tensor = tensor_of(object);
    size_t offset;
    value->buffer = tern_tensor_buffer(tensor, &offset);
    if (offset || !tern_is_contiguous(tensor))
        return host_refuse(host, "a tensor with gaps, or inside of another one, here"), false;
    value->dtype = tern_tensor_dtype(tensor), value->rank = tern_rank(tensor);
    memcpy(value->shape, tern_shape(tensor), (size_t)value->rank * sizeof *value->shape);
    return true;
}

/* ---- the memory of the function's tensors, which is the session's ---- */

typedef struct Taken {
    tern_session *session;
    int count, capacity;
    tern_tensor **tensors; /* of bytes; NULL: given back */
} Taken;

static bool grow(Taken *taken) {
    if (taken->count < taken->capacity) return true;
    int capacity = taken->capacity ? taken->capacity * 2 : 8;
    tern_tensor **tensors = realloc(taken->tensors, (size_t)capacity * sizeof(tern_tensor *));
    if (!tensors) return false;
    taken->tensors = tensors, taken->capacity = capacity;
    return true;
}

static tern_buffer *take(void *user, size_t size_bytes) {
    Taken *taken = user;
    int64_t bytes = size_bytes ? (int64_t)size_bytes : 1;
    tern_tensor *tensor = grow(taken) ? tern_empty(taken->session, TERN_UINT8, 1, &bytes) : NULL;
    if (!tensor) return NULL;
    taken->tensors[taken->count++] = tensor;
    return tern_tensor_buffer(tensor, &(size_t){0});
}

static tern_tensor **find(Taken *taken, const tern_buffer *buffer) {
    for (int i = 0; i < taken->count; i++) {
        tern_tensor *tensor = taken->tensors[i];
        if (tensor && tern_tensor_buffer(tensor, &(size_t){0}) == buffer) return &taken->tensors[i];
    }
    return NULL;
}

static void give_back(void *user, tern_buffer *buffer) {
    tern_tensor **tensor = find(user, buffer);
    tern_drop(*tensor);
    *tensor = NULL;
}

static void taken_end(Taken *taken) {
    for (int i = 0; i < taken->count; i++) tern_drop(taken->tensors[i]);
    free(taken->tensors);
}

static Object *result_of(Host *host, const tern_exec_value *result, const HostCall *call,
                         const tern_exec_value *values, Taken *taken) {
    if (result->kind == TERN_EXEC_NOTHING) return host->script->none;
    if (result->kind == TERN_EXEC_INT) return object_int(host->arena, result->integer);
    if (result->kind == TERN_EXEC_FLOAT) return object_float(host->arena, result->number);
    bool is_cuda = false;
    for (int i = 0; i < call->num_args; i++) {
        if (values[i].kind != TERN_EXEC_TENSOR) continue;
        is_cuda |= call->args[i]->weight;
        bool same =
            values[i].buffer == result->buffer && values[i].rank == result->rank &&
            values[i].dtype == result->dtype &&
            !memcmp(values[i].shape, result->shape, (size_t)result->rank * sizeof *result->shape);
        if (same) return call->args[i];
    }
    tern_tensor **bytes = find(taken, result->buffer);
    if (!bytes) return host_refuse(host, "a result that is an argument of another shape");
    tern_tensor *tensor = tern_view_as(*bytes, result->dtype, result->rank, result->shape);
    return tensor ? tensor_wrap(host, tensor, is_cuda) : tensor_failed(host);
}

/* self: a tuple of the name, and the module. */
static Object *run_function(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 64 };
    const Exec *exec = exec_of(host);
    tern_exec_value values[MOST], result = {.kind = TERN_EXEC_NOTHING};
    Taken taken = {.session = exec->session};
    tern_exec_options options = {.size = sizeof options,
                                 .output = exec->output,
                                 .errors = exec->errors,
                                 .user = exec->output_user,
                                 .take = take,
                                 .give_back = give_back,
                                 .memory_user = &taken};
    (void)args;
    if (!host_may_do(host, "calling an extension")) return host->script->poison;
    if (call->num_args > MOST) return host_refuse(host, "more than %d arguments", MOST);
    for (int i = 0; i < call->num_args; i++) {
        if (!value_of(host, call->args[i], &values[i])) return host->script->poison;
        if (call->names && call->names[i].length)
            values[i].name = str_c(host->arena, call->names[i]);
    }
    tern_status status = tern_exec_function(call->self->items[1]->payload,
                                            str_c(host->arena, call->self->items[0]->text),
                                            &options, values, call->num_args, &result);
    Object *made = status ? tensor_failed(host) : result_of(host, &result, call, values, &taken);
    taken_end(&taken);
    return made;
}

static void module_free(Object *self) { tern_module_free(self->payload); }
static const HostType source_type = {.name = "extension", .free = module_free};

static Object *load(Host *host, Str name, Object *functions, const Buf *text) {
    static const Native native = NATIVE("extension's function", "..", run_function);
    Str file = str_format(host->arena, "%.*s.cu", STR_ARG(name));
    int count = 1;
    Object **names = &functions;
    tern_module *loaded =
        tern_load_text(exec_of(host)->context, text->data, (size_t)text->length, file.data);
    if (!loaded) return tensor_failed(host);
    Object *source = heap_host(host, &source_type, 0, NULL);
    source->payload = loaded;
    Object *module = host_module_new(host, "extension");
    if (functions->kind != OBJECT_STR && !host_items(host, functions, &count, &names))
        return host->script->poison;
    for (int i = 0; i < count; i++) {
        Str function;
        if (!host_text(host, names[i], "a function's name", &function)) return host->script->poison;
        Object *parts[] = {names[i], source};
        module_add(host, module, str_c(host->script->arena, function),
                   native_new(host, &native, heap_list(host, OBJECT_TUPLE, 2, parts)));
    }
    return module;
}

/* Flags, folders and the like say how a C++ compiler is called, and that is not here. */
static Object *run_load_inline(Host *host, Object *const *args, const HostCall *call) {
    Buf text = {.arena = host->arena};
    Str name;
    (void)call;
    if (!host_text(host, args[0], "name", &name) || !add_sources(host, args[2], &text) ||
        !add_sources(host, args[1], &text))
        return host->script->poison;
    if (!text.length || !args[3] || args[3]->kind == OBJECT_NONE)
        return host_refuse(host, "load_inline without sources, or without functions=");
    return load(host, name, args[3], &text);
}

Object *extension_open(Host *host) {
    static const Native rows[] = {
        NATIVE("load_inline",
               "name, cpp_sources, cuda_sources?, functions?, extra_cflags?, extra_cuda_cflags?, "
               "extra_ldflags?, extra_include_paths?, build_directory?, verbose?, with_cuda?",
               run_load_inline)};
    return host_module_of(host, "torch.utils.cpp_extension", rows, COUNT(rows));
}
