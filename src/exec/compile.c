// SPDX-License-Identifier: Apache-2.0
/* compile: torch.compile over tern_fuse.
 *
 * A call finds an entry: the values of the arguments that are no tensors (the key), and what the
 * function read from outside when it was traced (names of files, cells, attributes, containers),
 * all as they were then. Types, shapes and strides are tern_fuse's matter. Where nothing fits, the
 * function is traced. What cannot be traced (it prints, looks at values, changes what was there
 * before, launches) runs op by op, as the text says, and a line on stderr says so; so does what
 * raises, which raises again. A trace changes nothing: Watch (lang/script.h) refuses it.
 *
 * A result is a tree; its tensors stand in a template as numbers: of results of the trace, or
 * (-1 - n) of argument n. */
#include "exec/exec.h"

#include <stdlib.h>

enum { MOST_ENTRIES = 8 /* as torch's recompile_limit */, MOST_GUARDS = 20000 };

typedef struct Seen {
    WatchKind kind;
    bool is_items; /* holder is a list, dict, set or tuple, values are its items */
    void *holder;
    Str name;
    int count;
    Object **values; /* NULL among them: it was not there */
} Seen;

typedef struct Shape { /* of a trace: types and shapes of tensors, and what the result looks like */
    char *key;
    size_t length;
    Object *result;
} Shape;

typedef struct Entry {
    struct State *state;
    Buf key;
    VEC(Seen) guards;
    VEC(Object *) kept;
    VEC(Shape) shapes;
    Arena *arena;
    tern_fused *fused;                         /* NULL: it runs op by op */
    int num_args, num_in, num_out, wanted_out; /* num_in: arguments, then lifted */
    Object *lifted[TERN_MAX_FUSED_TENSORS];    /* from outside, and want gradients: inputs, too */
    int num_lifted;
    int64_t class_changes;
    HostCall call; /* its arguments, with places for tensors: a trace for gradients comes later */
    Host own, *host;
    bool is_cuda[TERN_MAX_FUSED_TENSORS];
    bool is_called, wants_gradients, is_full;
    Object **traced;    /* while it is traced */
    struct Entry *next; /* retired */
} Entry;

/* Of one function: shared by all that compile it, as torch does by its code. */
typedef struct State {
    Object *function; /* kept */
    int references;
    bool is_whole, tunes, has_said; /* fullgraph=True; mode='max-autotune' */
    Entry *entries[MOST_ENTRIES];
    int num_entries;
    struct State *next;
} State;

/* ---- values ---- */

static bool same_value(const Object *a, const Object *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind) return false;
    switch (a->kind) {
    case OBJECT_NONE:
    case OBJECT_ELLIPSIS: return true;
    case OBJECT_BOOL:
    case OBJECT_INT: return a->integer == b->integer;
    case OBJECT_FLOAT: return !memcmp(&a->number, &b->number, sizeof a->number);
    case OBJECT_STR: return str_equal(a->text, b->text);
    case OBJECT_DTYPE:
        return !memcmp(&a->ltype, &b->ltype, sizeof a->ltype) && str_equal(a->text, b->text) &&
               a->rank == b->rank && !memcmp(a->shape, b->shape, sizeof a->shape);
    case OBJECT_MODULE: return a->module == b->module && str_equal(a->text, b->text);
    case OBJECT_BUILTIN: return a->builtin == b->builtin;
    case OBJECT_TUPLE:
    case OBJECT_SLICE:
    case OBJECT_RANGE:
    case OBJECT_METHOD:
        if (a->num_items != b->num_items || a->builtin != b->builtin ||
            a->script_class != b->script_class)
            return false;
        for (int i = 0; i < a->num_items; i++)
            if (!same_value(a->items[i], b->items[i])) return false;
        return true;
    case OBJECT_HOST:
        return a->type == &device_type && b->type == &device_type && a->weight == b->weight;
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_FUNCTION:
    case OBJECT_CLASS:
    case OBJECT_CONFIG:
    case OBJECT_OPAQUE:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_ERROR: break;
    }
    return false;
}

static Object *keep_in(Entry *entry, Object *value) {
    if (!value) return NULL;
    Object *kept = host_keep(entry->host, value);
    vec_push(entry->arena, &entry->kept, kept);
    return kept;
}

/* ---- guards ---- */

static Object *held_now(const Seen *guard) {
    const Object *holder = guard->holder;
    switch (guard->kind) {
    case WATCH_NAME: return map_get(guard->holder, guard->name);
    case WATCH_CELL: return holder->items[0];
    case WATCH_ATTRIBUTE:
        return dict_find_text(holder->items[holder->type == &instance_type ? 1 : 0], guard->name);
    }
    return NULL;
}

static bool guard_holds(const Seen *guard) {
    const Object *holder = guard->holder;
    if (!guard->is_items) return same_value(held_now(guard), guard->values[0]);
    if (holder->num_items != guard->count) return false;
    for (int i = 0; i < guard->count; i++)
        if (!same_value(holder->items[i], guard->values[i])) return false;
    return true;
}

static const HostType compiled_type;

static bool is_known_type(const HostType *type) {
    return type == &class_type || type == &instance_type || type == &native_type ||
           type == &cell_type || type == &property_type || type == &super_type ||
           type == &module_type || type == &tensor_type || type == &device_type ||
           type == &compiled_type || !strcmp(type->name, "JITFunction") ||
           !strcmp(type->name, "annotation");
}

static void guard_value(Entry *entry, Object *value, int depth);

static bool is_guarded(const Entry *entry, const void *holder, bool is_items, WatchKind kind,
                       Str name) {
    for (int i = entry->guards.count - 1; i >= 0; i--) {
        const Seen *guard = &entry->guards.data[i];
        if (guard->holder == holder && guard->is_items == is_items &&
            (is_items || (guard->kind == kind && str_equal(guard->name, name))))
            return true;
    }
    return false;
}

static void guard_items(Entry *entry, Object *container, int depth) {
    if (is_guarded(entry, container, true, WATCH_NAME, (Str){0})) return;
    Seen guard = {.is_items = true,
                  .holder = keep_in(entry, container),
                  .count = container->num_items,
                  .values = arena_array(entry->arena, Object *, container->num_items + 1)};
    entry->is_full |= entry->kept.count > MOST_GUARDS;
    for (int i = 0; i < guard.count && !entry->is_full; i++)
        guard.values[i] = keep_in(entry, container->items[i]);
    vec_push(entry->arena, &entry->guards, guard);
    for (int i = 0; i < guard.count && !entry->is_full; i++)
        guard_value(entry, container->items[i], depth + 1);
}

/* A tensor from outside that wants gradients (a parameter) becomes an input of the next trace. */
static void lift(Entry *entry, Object *value) {
    for (int i = 0; i < entry->num_lifted; i++)
        if (entry->lifted[i] == value) return;
    if (entry->num_args + entry->num_lifted == TERN_MAX_FUSED_TENSORS)
        host_refuse(entry->host, "more than %d tensors that want gradients",
                    TERN_MAX_FUSED_TENSORS);
    else
        entry->lifted[entry->num_lifted++] = keep_in(entry, value);
}

/* What else a value that comes from outside is made of. */
static void guard_value(Entry *entry, Object *value, int depth) {
    Host *host = entry->host;
    if (!value || !is_outside(host, value)) return;
    if (depth > 50 || entry->is_full) {
        host_refuse(host, "so much from outside in a function that is compiled");
        return;
    }
    bool is_host = value->kind == OBJECT_HOST;
    if (is_host && !is_known_type(value->type)) {
        host_refuse(host, "a %s from outside in a function that is compiled", value->type->name);
        return;
    }
    if (is_tensor_object(value) && tern_requires_grad(tensor_of(value))) lift(entry, value);
    if (value->kind == OBJECT_LIST || value->kind == OBJECT_DICT) guard_items(entry, value, depth);
    bool is_instance = is_host && value->type == &instance_type;
    if (is_instance && class_info(value->items[0])->is_dataclass)
        guard_items(entry, value->items[1], depth);
    bool has_parts = value->kind == OBJECT_TUPLE || value->kind == OBJECT_METHOD ||
                     (is_host && (value->type == &native_type || value->type == &property_type));
    int first = value->kind == OBJECT_FUNCTION ? value->function->num_cells
                : has_parts                    ? 0
                                               : value->num_items;
    for (int i = first; i < value->num_items; i++) guard_value(entry, value->items[i], depth + 1);
}

typedef struct Tracing { /* the script's Watch, and whose it is */
    Watch watch;
    Entry *entry;
} Tracing;
static Entry *entry_of(const Host *host) { return ((const Tracing *)host->script->watch)->entry; }

static void was_read(Host *host, WatchKind kind, void *holder, Str name, Object *value) {
    Entry *entry = entry_of(host);
    bool is_new = kind != WATCH_NAME && !is_outside(host, holder);
    if (is_new || is_guarded(entry, holder, false, kind, name)) return;
    Seen guard = {.kind = kind, .holder = holder, .name = str_copy(entry->arena, name), .count = 1};
    if (kind != WATCH_NAME) keep_in(entry, holder);
    guard.values = arena_array(entry->arena, Object *, 1);
    guard.values[0] = keep_in(entry, value);
    vec_push(entry->arena, &entry->guards, guard);
    guard_value(entry, value, 0);
}

/* ---- what the emitted text says ---- */

static void at_statement(Host *host, const Stmt *stmt) {
    const Source *source = stmt->span.source;
    if (!source || stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) return;
    Str text = source->text;
    int start = stmt->span.start, end = start;
    while (end < text.length && text.data[end] != '\n') end++;
    while (end > start && (text.data[end - 1] == ' ' || text.data[end - 1] == '\r')) end--;
    Str line = {text.data + start, end - start};
    tern_note(exec_of(host)->session, str_c(host->arena, line));
}

static void was_bound(Host *host, Str name, Object *value) {
    if (is_tensor_object(value)) tern_name(tensor_of(value), str_c(host->arena, name));
}

/* ---- keys, arguments and results ---- */

static void put(Buf *key, const void *data, size_t bytes) { buf_add(key, data, bytes); }

/* The number of a tensor among the distinct ones. */
static int number_of(Object **tensors, int *count, Object *tensor) {
    for (int i = 0; i < *count; i++)
        if (tensors[i] == tensor) return i;
    if (*count == TERN_MAX_FUSED_TENSORS) return -1;
    tensors[*count] = tensor;
    return (*count)++;
}

static const HostType place_type = {.name = "place of a tensor"};

static bool is_tree(const Object *value) {
    return (value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST ||
            value->kind == OBJECT_DICT) &&
           !value->script_class;
}

typedef struct Flat {
    Buf key;
    Object *tensors[TERN_MAX_FUSED_TENSORS];
    int num_tensors;
    bool is_strange; /* it has what cannot be a key */
} Flat;

static void flatten(Flat *flat, Object *value, int depth) {
    unsigned char kind = (unsigned char)value->kind;
    Buf *key = &flat->key;
    put(key, &kind, 1);
    if (depth > 20 || flat->is_strange) {
        flat->is_strange = true;
        return;
    }
    if (is_tensor_object(value)) {
        int number = number_of(flat->tensors, &flat->num_tensors, value);
        flat->is_strange |= number < 0;
        put(key, &number, sizeof number);
        bool wants = tern_requires_grad(tensor_of(value));
        put(key, &value->weight, sizeof value->weight);
        put(key, &wants, sizeof wants);
        return;
    }
    bool tree =
        (value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST || value->kind == OBJECT_DICT) &&
        !value->script_class;
    if (tree) {
        put(key, &value->num_items, sizeof value->num_items);
        buf_printf(key, "%.*s", STR_ARG(value->text));
        for (int i = 0; i < value->num_items; i++) flatten(flat, value->items[i], depth + 1);
    } else if (value->kind == OBJECT_BOOL || value->kind == OBJECT_INT)
        put(key, &value->integer, sizeof value->integer);
    else if (value->kind == OBJECT_FLOAT)
        put(key, &value->number, sizeof value->number);
    else if (value->kind == OBJECT_STR) {
        put(key, &value->text.length, sizeof value->text.length);
        put(key, value->text.data, (size_t)value->text.length);
    } else if (value->kind == OBJECT_DTYPE) {
        put(key, &value->ltype.dtype, sizeof value->ltype.dtype);
        put(key, &value->ltype.levels, sizeof value->ltype.levels);
    } else if (value->kind == OBJECT_HOST && value->type == &device_type)
        put(key, &value->weight, sizeof value->weight);
    else if (value->kind == OBJECT_FUNCTION || value->kind == OBJECT_HOST)
        put(key, &value, sizeof value); /* the entry keeps it */
    else
        flat->is_strange |= value->kind != OBJECT_NONE && value->kind != OBJECT_ELLIPSIS;
}

/* A tree with other leaves. */
static Object *copy_tree(Host *host, const Object *value, Object *const *items) {
    Object *copy = heap_list(host, value->kind, 0, NULL);
    if (value->kind == OBJECT_DICT)
        for (int i = 0; i + 1 < value->num_items; i += 2)
            dict_put(host, copy, items[i], items[i + 1]);
    else
        copy = heap_list(host, value->kind, value->num_items, items);
    copy->text = value->text, copy->names = value->names;
    return copy;
}

/* An argument with places for its tensors. */
static Object *with_places(Host *host, Flat *flat, Object *value) {
    if (is_tensor_object(value)) {
        Object *place = heap_host(host, &place_type, 0, NULL);
        place->integer = number_of(flat->tensors, &flat->num_tensors, value);
        return place;
    }
    if (!is_tree(value)) return value;
    Object **items = arena_array(host->arena, Object *, value->num_items + 1);
    for (int i = 0; i < value->num_items; i++) items[i] = with_places(host, flat, value->items[i]);
    return copy_tree(host, value, items);
}

/* An argument with the trace's tensors in their places. */
static Object *with_traced(Entry *entry, Object *value) {
    Host *host = entry->host;
    if (value->kind == OBJECT_HOST && value->type == &place_type)
        return entry->traced[value->integer];
    if (!is_tree(value)) {
        guard_value(entry, value, 0);
        return value;
    }
    Object **items = arena_array(host->arena, Object *, value->num_items + 1);
    for (int i = 0; i < value->num_items; i++) items[i] = with_traced(entry, value->items[i]);
    return copy_tree(host, value, items);
}

/* The result as a template; its tensors go to `out`. NULL: refused. */
static Object *template_of(Entry *entry, Object *value, Object **out, int *num_out) {
    Host *host = entry->host;
    if (is_tensor_object(value)) {
        int number = 0;
        bool is_argument = false;
        for (int i = 0; i < entry->num_args && !is_argument; i++)
            if (entry->traced[i] == value) number = -1 - i, is_argument = true;
        if (!is_argument && is_outside(host, value)) return value; /* it is what it is */
        if (!is_argument) number = number_of(out, num_out, value);
        if (!is_argument && number < 0)
            return host_refuse(host, "more than %d results", TERN_MAX_FUSED_TENSORS);
        Object *place = heap_host(host, &place_type, 0, NULL);
        place->integer = number, place->weight = value->weight;
        return place;
    }
    bool is_plain = object_is_number(value) || value->kind == OBJECT_STR ||
                    value->kind == OBJECT_NONE || value->kind == OBJECT_DTYPE ||
                    (value->kind == OBJECT_HOST && is_outside(host, value));
    if (is_plain) return value;
    bool tree =
        value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST || value->kind == OBJECT_DICT;
    if (!tree || value->script_class)
        return host_refuse(host, "a result of a compiled function that is a %.*s",
                           STR_ARG(class_info(class_of(host, value))->name));
    Object *copy = heap_list(host, value->kind, 0, NULL);
    copy->text = value->text, copy->names = value->names;
    for (int i = 0; i < value->num_items && !is_raised(host); i++)
        list_insert(host, copy, i, template_of(entry, value->items[i], out, num_out));
    return copy;
}

static Object *from_template(Host *host, Object *value, Object *const *tensors,
                             Object *const *arguments) {
    if (value->kind == OBJECT_HOST && value->type == &place_type) {
        if (value->integer < 0) return arguments[-1 - value->integer];
        tensors[value->integer]->weight = value->weight;
        return tensors[value->integer];
    }
    bool tree =
        value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST || value->kind == OBJECT_DICT;
    if (!tree) return host_hold(host, value);
    Object **items = arena_array(host->arena, Object *, value->num_items + 1);
    for (int i = 0; i < value->num_items; i++)
        items[i] = from_template(host, value->items[i], tensors, arguments);
    Object *copy = heap_list(host, value->kind, value->num_items, items);
    copy->text = value->text, copy->names = value->names;
    return copy;
}

static void shape_key(tern_tensor *const *tensors, int count, Buf *key) {
    for (int i = 0; i < count; i++) {
        const tern_tensor *tensor = tensors[i];
        int rank = tern_rank(tensor), dtype = (int)tern_tensor_dtype(tensor);
        put(key, &dtype, sizeof dtype);
        put(key, &rank, sizeof rank);
        put(key, tern_shape(tensor), (size_t)rank * sizeof(int64_t));
        put(key, tern_strides(tensor), (size_t)rank * sizeof(int64_t));
    }
    put(key, "", 0);
}

static Shape *shape_of(Entry *entry, const Buf *key) {
    for (int i = 0; i < entry->shapes.count; i++) {
        Shape *shape = &entry->shapes.data[i];
        if (shape->length == (size_t)key->length && !memcmp(shape->key, key->data, shape->length))
            return shape;
    }
    return NULL;
}

/* ---- tracing ---- */

static void note_result(Entry *entry, tern_tensor *const *in, Object *template) {
    Buf key = {.arena = entry->arena};
    shape_key(in, entry->num_in, &key);
    Shape *shape = shape_of(entry, &key);
    Object *kept = keep_in(entry, template);
    if (shape)
        shape->result = kept;
    else
        vec_push(entry->arena, &entry->shapes, ((Shape){key.data, (size_t)key.length, kept}));
}

/* The function once, with tensors that have no memory. */
static tern_status trace_body(Entry *entry, tern_tensor *const *in, tern_tensor **out) {
    Host *host = entry->host;
    Object **traced = arena_array(host->arena, Object *, entry->num_in + 1);
    Object **args = arena_array(host->arena, Object *, entry->call.num_args + 1);
    Object *results[TERN_MAX_FUSED_TENSORS];
    int num_results = 0;
    entry->traced = traced;
    for (int i = 0; i < entry->num_args; i++)
        traced[i] = tensor_wrap(host, tern_keep(in[i]), entry->is_cuda[i]);
    for (int i = 0; i < entry->call.num_args; i++)
        args[i] = with_traced(entry, entry->call.args[i]);
    HostCall inner = entry->call;
    inner.args = args;
    Object *result = host_invoke(host, entry->state->function, &inner);
    if (is_raised(host)) return TERN_ERROR_ARGUMENT;
    Object *template = template_of(entry, result, results, &num_results);
    if (is_raised(host)) return TERN_ERROR_ARGUMENT;
    bool none = !num_results;
    if (none && !entry->num_in) {
        host_refuse(host, "a compiled function without tensors");
        return TERN_ERROR_ARGUMENT;
    }
    entry->wanted_out = none ? 1 : num_results;
    if (entry->wanted_out != entry->num_out) return TERN_ERROR_ARGUMENT; /* once more */
    for (int i = 0; i < num_results; i++) out[i] = tern_keep(tensor_of(results[i]));
    if (none) out[0] = tern_keep(in[0]);
    note_result(entry, in, template);
    return TERN_OK;
}

static bool all_hold(const Entry *entry) {
    if (entry->class_changes != entry->own.script->class_changes) return false;
    for (int i = 0; i < entry->guards.count; i++)
        if (!guard_holds(&entry->guards.data[i])) return false;
    return true;
}

/* What is lifted means these; what it meant comes back in their place. */
static void swap_payloads(Entry *entry, void **payloads) {
    for (int i = 0; i < entry->num_in - entry->num_args; i++) {
        void *before = entry->lifted[i]->payload;
        entry->lifted[i]->payload = payloads[i];
        payloads[i] = before;
    }
}

/* With what is lifted meaning the trace's, and past any lack of memory. */
static tern_status trace_guarded(Entry *entry, tern_tensor *const *in, tern_tensor **out) {
    Script *script = entry->own.script;
    Tracing tracing = {{exec_of(&entry->own)->num_traces += 1, was_read, at_statement, was_bound},
                       entry};
    jmp_buf outer; /* what runs out of memory must leave the trace first */
    volatile tern_status status = TERN_ERROR_NO_MEMORY;
    void *payloads[TERN_MAX_FUSED_TENSORS];
    const int depth = script->depth;
    memcpy(&outer, &script->no_memory, sizeof outer);
    for (int i = entry->num_args; i < entry->num_in; i++) payloads[i - entry->num_args] = in[i];
    swap_payloads(entry, payloads);
    script->watch = &tracing.watch;
    if (setjmp(script->no_memory)) {
        script->depth = depth;
        exec_of(&entry->own)->is_out_of_memory = true;
    } else {
        status = trace_body(entry, in, out);
    }
    memcpy(&script->no_memory, &outer, sizeof outer);
    script->watch = NULL;
    swap_payloads(entry, payloads);
    return status;
}

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    Entry *entry = user;
    if (entry->is_called) return trace_guarded(entry, in, out);
    entry->host = &entry->own; /* for its gradients, which come when the caller is gone */
    if (!all_hold(entry)) {
        host_raise(entry->host, CLASS_RUNTIME_ERROR,
                   "what a compiled function read has changed between its call and backward()");
        return TERN_ERROR_ARGUMENT;
    }
    return trace_guarded(entry, in, out);
}

/* ---- entries ---- */

static void entry_free(Host *host, Entry *entry) {
    tern_fused_free(entry->fused);
    for (int i = 0; host && i < entry->kept.count; i++) host_drop(host, entry->kept.data[i]);
    arena_free(entry->arena);
    free(entry);
}

static bool entry_fits(const Entry *entry, const Buf *key) {
    return entry->key.length == key->length &&
           !memcmp(entry->key.data, key->data, (size_t)key->length) && all_hold(entry);
}

/* The tape may come back for the gradients of what it has, to the end of the script. */
static void entry_retire(Host *host, Entry *entry) {
    Exec *exec = host ? exec_of(host) : NULL;
    if (!exec || !entry->wants_gradients) {
        entry_free(host, entry);
        return;
    }
    entry->next = exec->retired;
    exec->retired = entry;
}

static Entry *entry_new(Host *host, State *state, const HostCall *call, Flat *flat) {
    Entry *entry = calloc(1, sizeof *entry);
    if (!entry) longjmp(host->script->no_memory, 1);
    if (state->num_entries == MOST_ENTRIES) { /* the oldest one goes */
        entry_retire(host, state->entries[0]);
        memmove(state->entries, state->entries + 1, (MOST_ENTRIES - 1) * sizeof *state->entries);
        state->num_entries--;
    }
    state->entries[state->num_entries++] = entry;
    entry->arena = arena_new(&host->script->no_memory);
    entry->state = state;
    entry->own = (Host){.arena = host->script->scratch,
                        .module = host->module,
                        .diag = host->diag,
                        .span = host->span,
                        .script = host->script};
    entry->host = host;
    entry->key.arena = entry->arena;
    put(&entry->key, flat->key.data ? flat->key.data : "", (size_t)flat->key.length);
    entry->num_out = 1;
    entry->class_changes = host->script->class_changes;
    Object **args = arena_array(entry->arena, Object *, call->num_args + 1);
    Str *names = arena_array(entry->arena, Str, call->num_args + 1);
    for (int i = 0; i < call->num_args; i++) {
        args[i] = keep_in(entry, with_places(host, flat, call->args[i]));
        if (call->names) names[i] = str_copy(entry->arena, call->names[i]);
    }
    entry->call =
        (HostCall){.num_args = call->num_args, .args = args, .names = names, .span = call->span};
    return entry;
}

/* A word for the kernels' names. */
static const char *kernel_name(Host *host, const Object *function) {
    Str name = STR("compiled");
    if (function->kind == OBJECT_METHOD && function->num_items == 2) function = function->items[1];
    if (function->kind == OBJECT_FUNCTION && !function->function->def->lambda_value)
        name = function->function->def->name;
    if (function->kind == OBJECT_HOST && function->type == &native_type)
        name = str_of(native_name(function));
    Buf word = {.arena = host->arena};
    for (int i = 0; i < name.length && i < 32; i++) {
        char c = name.data[i];
        bool letter = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (i && c >= '0' && c <= '9');
        buf_putc(&word, letter ? c : '_');
    }
    return word.length ? word.data : "compiled";
}

/* It runs op by op, and that is said once a function. */
static void say_why(Host *host, State *state, const char *why) {
    Exec *exec = exec_of(host);
    if (state->has_said || !exec->errors) return;
    state->has_said = true;
    int line = 0, column = 0;
    if (host->span.source) source_position(host->span.source, host->span.start, &line, &column);
    Str text = str_format(host->arena, "%.*s:%d: torch.compile: '%s' runs op by op: %s\n",
                          host->span.source ? host->span.source->name.length : 0,
                          host->span.source ? host->span.source->name.data : "", line,
                          kernel_name(host, state->function), why);
    exec->errors(exec->output_user, text.data, (size_t)text.length);
}

/* What stopped the trace. True: the function is to run op by op. False: it is raised. */
static bool runs_by_ops(Host *host, Entry *entry, tern_status status) {
    Script *script = host->script;
    State *state = entry->state;
    if (exec_of(host)->is_out_of_memory) longjmp(script->no_memory, 1);
    if (!script->raised) {
        if (status != TERN_ERROR_UNSUPPORTED && status != TERN_ERROR_ARGUMENT)
            return tensor_failed(host), false;
        const char *words = tern_message(exec_of(host)->context);
        if (state->is_whole) return host_refuse(host, "fullgraph=True: %s", words), false;
        say_why(host, state, words);
        return true;
    }
    bool is_error =
        !script->is_refused && object_is_instance(host, script->raised, CLASS_EXCEPTION);
    if (!script->is_refused && !is_error) return false; /* KeyboardInterrupt, sys.exit */
    if (script->is_refused && state->is_whole) return false;
    bool was_refused = script->is_refused;
    script->is_refused = false;
    script->trace.count = 0;
    Object *words = host_str(host, take_raised(host));
    Host there = *host;
    there.span = script->raised_at;
    if (was_refused) say_why(&there, state, str_c(host->arena, words->text));
    return true;
}

/* ---- calls ---- */

/* The arguments' tensors, then what is lifted. */
static void set_inputs(Entry *entry, const Flat *flat, tern_tensor **in) {
    int count = flat->num_tensors;
    entry->num_args = count;
    for (int i = 0; i < count; i++) {
        in[i] = tensor_of(flat->tensors[i]);
        entry->is_cuda[i] = flat->tensors[i]->weight;
    }
    for (int i = 0; i < entry->num_lifted && count < TERN_MAX_FUSED_TENSORS; i++)
        in[count++] = tensor_of(entry->lifted[i]);
    entry->num_in = count;
    for (int i = 0; i < count; i++) entry->wants_gradients |= tern_requires_grad(in[i]);
}

static tern_status call_fused(Host *host, Entry *entry, const Flat *flat, tern_tensor **in,
                              tern_tensor **out) {
    for (int pass = 0; pass < TERN_MAX_FUSED_TENSORS + 2; pass++) {
        set_inputs(entry, flat, in);
        if (!entry->fused)
            entry->fused =
                tern_fuse(exec_of(host)->session, kernel_name(host, entry->state->function), body,
                          entry->num_in, entry->num_out, entry);
        if (!entry->fused) return TERN_ERROR_NO_MEMORY;
        int num_lifted = entry->num_lifted;
        entry->host = host, entry->is_called = true;
        bool tuned = tern_session_tune(exec_of(host)->session, entry->state->tunes);
        tern_status status = tern_fused_call(entry->fused, in, out);
        tern_session_tune(exec_of(host)->session, tuned);
        entry->host = &entry->own, entry->is_called = false;
        bool is_short = entry->wanted_out && entry->wanted_out != entry->num_out;
        bool has_more = entry->num_lifted > num_lifted;
        bool again =
            status && !exec_of(host)->is_out_of_memory &&
            (is_raised(host) ? has_more && host->script->is_refused : is_short || has_more);
        if (!again) return status;
        if (is_raised(host)) take_raised(host);
        host->script->is_refused = false;
        host->script->trace.count = 0;
        if (is_short) entry->num_out = entry->wanted_out; /* how many, only a trace tells */
        tern_fused_free(entry->fused);
        entry->fused = NULL;
        entry->shapes.count = 0;
    }
    return TERN_ERROR_UNSUPPORTED;
}

static Object *result_now(Host *host, Entry *entry, const Flat *flat, tern_tensor *const *in,
                          tern_tensor *const *out) {
    Buf key = {.arena = host->arena};
    Object *tensors[TERN_MAX_FUSED_TENSORS];
    for (int i = 0; i < entry->num_out; i++) tensors[i] = tensor_wrap(host, out[i], false);
    shape_key(in, entry->num_in, &key);
    const Shape *shape = shape_of(entry, &key);
    if (!shape) return host_refuse(host, "a compiled function whose result is not known");
    return from_template(host, shape->result, tensors, flat->tensors);
}

static Object *compiled_call(Host *host, Object *self, const HostCall *call) {
    State *state = self->payload;
    if (host->script->watch) return host_invoke(host, state->function, call);
    Flat *flat = arena_new_of(host->arena, Flat);
    flat->key.arena = host->arena;
    bool records = tern_grad_mode(exec_of(host)->session);
    put(&flat->key, &records, sizeof records);
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        buf_printf(&flat->key, "%.*s=", STR_ARG(name));
        flatten(flat, call->args[i], 0);
    }
    if (flat->is_strange) {
        if (state->is_whole) return host_refuse(host, "these arguments of a compiled function");
        say_why(host, state, "an argument that it cannot be keyed by");
        return host_invoke(host, state->function, call);
    }
    Entry *entry = NULL;
    for (int i = state->num_entries - 1; i >= 0 && !entry; i--)
        if (entry_fits(state->entries[i], &flat->key)) entry = state->entries[i];
    bool is_new = !entry;
    if (is_new) entry = entry_new(host, state, call, flat);
    if (!is_new && !entry->fused) return host_invoke(host, state->function, call);
    tern_tensor *out[TERN_MAX_FUSED_TENSORS];
    tern_tensor *in[TERN_MAX_FUSED_TENSORS];
    state->references++;
    tern_status status = call_fused(host, entry, flat, in, out);
    Object *result = host->script->poison;
    if (!status)
        result = result_now(host, entry, flat, in, out);
    else if (runs_by_ops(host, entry, status)) {
        tern_fused_free(entry->fused);
        entry->fused = NULL;
        result = host_invoke(host, state->function, call);
    }
    state->references--;
    return result;
}

/* ---- objects ---- */

/* The objects that it keeps go with the script's heap. */
static void state_free(Host *host, State *state) {
    for (int i = 0; i < state->num_entries; i++) entry_retire(host, state->entries[i]);
    if (host) host_drop(host, state->function);
    free(state);
}

void compile_close(Exec *exec) {
    for (State *state = exec->states, *next; state; state = next) {
        next = state->next;
        state_free(NULL, state);
    }
    for (Entry *entry = exec->retired, *next; entry; entry = next) {
        next = entry->next;
        entry_free(NULL, entry);
    }
}

static void compiled_free(Object *self) { ((State *)self->payload)->references--; }

static Object *compiled_get(Host *host, Object *self, Str name) {
    if (str_is(name, "_orig_mod")) return host_hold(host, self->items[0]);
    return host_get(host, self->items[0], name);
}

static const HostType compiled_type = {.name = "compiled function",
                                       .free = compiled_free,
                                       .attribute = compiled_get,
                                       .call = compiled_call};

/* That of the function, or a new one; of many, those that nothing compiles any more go. */
static State *state_of(Host *host, Object *function, bool is_whole, bool tunes) {
    enum { MANY = 32 };
    Exec *exec = exec_of(host);
    int count = 0;
    for (State **at = &exec->states, *state; (state = *at);) {
        if (state->function == function && state->is_whole == is_whole && state->tunes == tunes)
            return state;
        if (++count <= MANY || state->references) {
            at = &state->next;
            continue;
        }
        *at = state->next;
        state_free(host, state);
    }
    State *state = calloc(1, sizeof *state);
    if (!state) longjmp(host->script->no_memory, 1);
    state->function = host_keep(host, function);
    state->is_whole = is_whole;
    state->tunes = tunes;
    state->next = exec->states;
    exec->states = state;
    return state;
}

enum { IS_WHOLE = 1, TUNES = 2 }; /* what a call's self says */

static Object *compiled_of(Host *host, Object *const *args, const HostCall *call) {
    int how = (int)call->self->integer;
    State *state = state_of(host, args[0], how & IS_WHOLE, how & TUNES);
    Object *compiled = heap_host(host, &compiled_type, 1, &args[0]);
    compiled->payload = state;
    state->references++;
    return compiled;
}

static Object *run_itself(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)call, args[0];
}

/* model?, *, fullgraph?, dynamic?, backend?, mode?, options?, disable?. Modes that time products do
 * here, too; what does not say what is computed changes nothing. */
Object *run_compile(Host *host, Object *const *args, const HostCall *call) {
    static const Native decorator = NATIVE("compile", "model", compiled_of),
                        nothing = NATIVE("compile", "model", run_itself);
    Object *backend = args[3] ? args[3] : host->script->none;
    bool is_whole = args[1] && script_truth(host, args[1]);
    bool is_off = (args[6] && script_truth(host, args[6])) ||
                  (backend->kind == OBJECT_STR && str_is(backend->text, "eager"));
    bool is_ours = backend->kind == OBJECT_NONE ||
                   (backend->kind == OBJECT_STR && str_is(backend->text, "inductor"));
    if (!is_off && !is_ours) return host_refuse(host, "this backend= of torch.compile");
    bool has_model = args[0] && args[0]->kind != OBJECT_NONE;
    if (is_off) return has_model ? args[0] : native_new(host, &nothing, NULL);
    bool tunes =
        args[4] && args[4]->kind == OBJECT_STR && str_starts(args[4]->text, "max-autotune");
    Object *how = object_int(host->arena, (is_whole ? IS_WHOLE : 0) | (tunes ? TUNES : 0));
    if (!has_model) return native_new(host, &decorator, how);
    HostCall inner = *call;
    inner.self = how;
    return compiled_of(host, args, &inner);
}

Object *compile_whole(Host *host, Object *function) {
    const HostCall call = {.self = object_int(host->arena, IS_WHOLE)};
    return compiled_of(host, &function, &call);
}

char *compiled_text(const Object *compiled, tern_fused_text_kind kind) {
    const State *state = compiled->payload;
    for (int i = state->num_entries - 1; i >= 0; i--)
        if (state->entries[i]->fused) return tern_fused_text(state->entries[i]->fused, kind);
    return NULL;
}
