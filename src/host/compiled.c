// SPDX-License-Identifier: Apache-2.0
/* compiled: functions for the host that a C++ compiler makes, where that is asked for: the whole
 * language, and nothing is checked but what goes to kernels. The text is kernels/cuda/compiled.hpp,
 * the file without what the device alone sees (cuda/hosted.c), and the way in:
 *
 *     extern "C" int tern_enter(table, values, count, result) { return enter(&gelu, ..); }
 *
 * What it calls comes through a table. When a call cannot be done, the words are kept here, and it
 * throws to that border. */
#include "host/host.h"

#include <dlfcn.h>
#include <stdio.h>

extern const char text_compiled_start[];

typedef struct HostValue { /* tern_host::Value */
    int kind, type, rank, is_float;
    long integer, shape[TERN_MAX_RANK];
    double number;
    void *at;
} HostValue;

typedef struct Table { /* tern_host::Table */
    Host *host;
    void (*stop)(Host *h, int line, const char *words);
    void *(*allocate)(Host *h, unsigned long bytes, int with_zeros);
    int (*launch)(Host *h, int line, const char *kernel, const unsigned long *shape,
                  const HostValue *arguments, int count);
    int (*launched)(Host *h, char *words, int size);
} Table;

typedef int Enter(const Table *table, const HostValue *given, int count, HostValue *result);

/* ---- what it calls ---- */

static void at_line(Host *h, int line) {
    const Source *source = cu_source(h->module->cuda);
    if (line < 1 || line > source->num_lines) return;
    int start = source->line_starts[line - 1];
    Str text = source_line(source, line);
    int blanks = 0;
    while (blanks < text.length && strchr(" \t", text.data[blanks])) blanks++;
    h->place = (Span){source, start + blanks, start + text.length};
}

static void stop(Host *h, int line, const char *words) {
    at_line(h, line);
    host_fail(h, "%s", words);
}

static void *allocate(Host *h, unsigned long bytes, int with_zeros) {
    uint64_t args[] = {bytes, (uint64_t)with_zeros};
    Call call = {.count = 2, .args = args};
    return native___tern_torch_alloc(h, &call) ? (void *)(uintptr_t)call.result : NULL;
}

static int launched(Host *h, char *words, int size) {
    const char *message = tern_message(h->context);
    int error = h->sticky_error ? h->sticky_error : h->last_error;
    h->last_error = 0;
    snprintf(words, (size_t)size, "%s",
             h->sticky_error ? message : "the launch before has a shape that no GPU takes");
    return error;
}

/* A number as the parameter has it, 0 where it does not fit: false. */
static bool word_of(Host *h, const KernelParam *param, const HostValue *value, uint64_t *word) {
    *word = 0;
    if (value->kind == TERN_EXEC_TENSOR)
        *word = (uint64_t)(uintptr_t)value->at;
    else if (scalar_is_float(param->type))
        *word = scalar_from_double(
            param->type, value->kind == TERN_EXEC_FLOAT ? value->number : (double)value->integer);
    else
        *word = (uint64_t)value->integer;
    return param->is_pointer == (value->kind == TERN_EXEC_TENSOR) ||
           host_fail(h, "an argument of a launch is not what its kernel takes");
}

static int launch_here(Host *h, int line, const char *kernel, const unsigned long *shape,
                       const HostValue *given, int count) {
    uint64_t words[FIRST_ARGUMENT + MOST_ARGUMENTS] = {0};
    at_line(h, line);
    if (count > MOST_ARGUMENTS) return host_fail(h, "a launch of %d arguments", count);
    for (int i = 0; i < 7; i++) words[i] = shape[i];
    const char *name = str_c(h->arena, str_copy(h->arena, str_of(kernel)));
    const Loaded *l = launch_loaded(h, name, words);
    if (!l) return !h->diag.num_errors;
    if (l->kernel->num_arguments != count)
        return host_fail(h, "kernel '%s' takes %d arguments that are numbers or pointers", name,
                         l->kernel->num_arguments);
    for (int i = 0; i < count; i++)
        if (!word_of(h, &l->kernel->compiled->params[i], &given[i], &words[FIRST_ARGUMENT + i]))
            return false;
    return launch_words(h, l, words, NULL);
}

/* ---- values ---- */

static bool given_value(Host *h, const tern_exec_value *from, int index, HostValue *to) {
    *to = (HostValue){.kind = (int)from->kind, .integer = from->integer, .number = from->number};
    if (from->kind == TERN_EXEC_NOTHING) return host_fail(h, "argument %d is nothing", index + 1);
    if (from->kind != TERN_EXEC_TENSOR) return true;
    uint64_t address;
    if (!torch_tensor(h, from, index, &address)) return false;
    to->at = (void *)(uintptr_t)address, to->type = (int)from->dtype, to->rank = from->rank;
    for (int i = 0; i < from->rank; i++) to->shape[i] = from->shape[i];
    return true;
}

static bool give(Host *h, const HostValue *value) {
    *h->result = (tern_exec_value){
        .kind = (tern_exec_kind)value->kind, .integer = value->integer, .number = value->number};
    if (value->kind != TERN_EXEC_TENSOR) return true;
    uint64_t shape[TERN_MAX_RANK];
    for (int i = 0; i < value->rank; i++) shape[i] = (uint64_t)value->shape[i];
    return torch_result(h, (uint64_t)(uintptr_t)value->at, value->type, value->rank, shape);
}

/* ---- all ---- */

static void put_quoted(Buf *out, Str text) {
    buf_putc(out, '"');
    for (int i = 0; i < text.length; i++) {
        if (strchr("\"\\", text.data[i])) buf_putc(out, '\\');
        buf_putc(out, text.data[i]);
    }
    buf_putc(out, '"');
}

static bool add_folder(Host *h, Buf *flags, Str folder) {
    for (int i = 0; i < folder.length; i++)
        if (strchr(" \t", folder.data[i]))
            return host_fail(h, "host 'c++': a folder of headers with a blank in its name, '%.*s'",
                             STR_ARG(folder));
    buf_printf(flags, " -I%.*s", STR_ARG(folder));
    return true;
}

static bool flags_of(Host *h, Buf *flags) {
    const CuOptions *files = cu_options(h->module->cuda);
    Str folder = cu_folder(h->module->cuda);
    buf_puts(flags, "-x c++ -std=gnu++17 -O1 -w -shared -fPIC -fvisibility=hidden");
    if (!add_folder(h, flags, folder.length ? folder : STR("."))) return false;
    for (int i = 0; i < files->num_include_dirs; i++)
        if (!add_folder(h, flags, str_of(files->include_dirs[i]))) return false;
    return true;
}

static Str text_of(Host *h, const char *function, Diag *diag) {
    Str file = cu_hosted_text(h->arena, h->module->cuda, diag);
    Buf text = {.arena = h->arena};
    if (diag_failed(diag)) return STR("");
    buf_printf(&text, "%s\n#line 1 ", text_compiled_start);
    put_quoted(&text, cu_source(h->module->cuda)->name);
    buf_printf(&text,
               "\n%.*s\nextern \"C\" __attribute__((visibility(\"default\"))) int tern_enter(const "
               "::tern_host::Table *table,\n    const ::tern_host::Value *given, int count, "
               "::tern_host::Value *result) {\n    return ::tern_host::enter(&::%s, table, given, "
               "count, result);\n}\n",
               STR_ARG(file), function);
    return buf_str(&text);
}

bool compiled_run(Host *h, const char *function, const tern_exec_value *arguments, int count) {
    Buf flags = {.arena = h->arena};
    Str why = STR("");
    Table table = {h, stop, allocate, launch_here, launched};
    HostValue *given = arena_array(h->arena, HostValue, count + 1), result = {0};
    Str text = text_of(h, function, &h->diag);
    if (diag_failed(&h->diag) || !flags_of(h, &flags)) return false;
    for (int i = 0; i < count; i++)
        if (!given_value(h, &arguments[i], i, &given[i])) return false;
    void *object = context_object(h->context, h->arena, text, buf_str(&flags), &why);
    if (!object) return host_fail(h, "host 'c++': %.*s", STR_ARG(why));
    void *symbol = dlsym(object, "tern_enter");
    Enter *enter;
    memcpy(&enter, &symbol, sizeof enter); /* ISO C has no cast from object to function pointer */
    bool good = enter(&table, given, count, &result) && give(h, &result);
    dlclose(object);
    return good && !h->diag.num_errors;
}
