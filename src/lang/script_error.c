// SPDX-License-Identifier: Apache-2.0
/* script_error: exceptions of a running script, and the words for one that nobody catches.
 *
 *     add.py:7:9: ValueError: the sizes differ
 *        7 |     raise ValueError("the sizes differ")
 *          |     ^~~~~~~
 *     add.py:12:1: note: called here
 *
 * What tern does not support is no exception: nothing catches it, since a script that goes on
 * without it would do something else than Python. */
#include "lang/script.h"

Object *exception_new(Host *host, Object *class, int num_args, Object *const *args) {
    Object *exception = instance_new(host, class);
    Object *tuple = heap_list(host, OBJECT_TUPLE, num_args, args);
    dict_put(host, exception->items[1], object_str(host->arena, STR("args")), tuple);
    return exception;
}

const HostType traceback_type = {.name = "traceback"};

void exception_note(Host *host, Object *exception, const char *name, Object *value) {
    if (!is_raised(host))
        dict_put(host, exception->items[1], object_str(host->arena, str_of(name)), value);
}

static void raise_at(Host *host, Object *exception) {
    Script *script = host->script;
    if (script->raised) return;
    bool has_context = script->handled && script->handled != exception;
    if (has_context) exception_note(host, exception, "__context__", script->handled);
    script->raised = host_keep(host, exception);
    script->raised_at = host->span;
    script->trace.count = 0;
}

void host_raise_object(Host *host, Object *exception) { raise_at(host, exception); }

Object *host_raise(Host *host, PythonClass class, const char *format, ...) {
    Script *script = host->script;
    if (script->raised) return script->poison;
    va_list args;
    va_start(args, format);
    Buf text = {.arena = host->arena};
    buf_vprintf(&text, format, args);
    va_end(args);
    Object *words = object_str(host->arena, text.length ? buf_str(&text) : STR(""));
    raise_at(host, exception_new(host, script->classes[class], 1, &words));
    return script->poison;
}

Object *host_refuse(Host *host, const char *format, ...) {
    Script *script = host->script;
    if (script->raised) return script->poison;
    va_list args;
    va_start(args, format);
    Buf text = {.arena = host->arena};
    buf_vprintf(&text, format, args);
    va_end(args);
    Object *words = object_str(host->arena, buf_str(&text));
    raise_at(host, exception_new(host, script->classes[CLASS_RUNTIME_ERROR], 1, &words));
    script->is_refused = true;
    return script->poison;
}

Object *take_raised(Host *host) {
    Script *script = host->script;
    Object *exception = script->raised;
    script->raised = NULL;
    host_hold(host, exception);
    host_drop(host, exception);
    return exception;
}

void script_complain(Host *host, Buf *out) {
    enum { MOST_CALLS = 12 };
    Script *script = host->script;
    Diag diag = {.arena = script->arena};
    bool refused = script->is_refused;
    Span at = script->raised_at;
    Object *exception = take_raised(host);
    script->is_refused = false;
    Object *words = host_str(host, exception);
    Str text = words->kind == OBJECT_STR ? words->text : STR("");
    Str class = class_info(exception->items[0])->name;
    if (refused)
        diag_refused(&diag, at, "%.*s", STR_ARG(text));
    else if (text.length)
        diag_add(&diag, DIAG_RAISED, at, "%.*s: %.*s", STR_ARG(class), STR_ARG(text));
    else
        diag_add(&diag, DIAG_RAISED, at, "%.*s", STR_ARG(class));
    for (int i = 0; i < script->trace.count && i < MOST_CALLS; i++)
        diag_note(&diag, script->trace.data[i].span, "called here");
    diag_print(&diag, false, out);
    if (script->trace.count > MOST_CALLS)
        buf_printf(out, "and %d calls around these\n", script->trace.count - MOST_CALLS);
}
