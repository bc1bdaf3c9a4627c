// SPDX-License-Identifier: Apache-2.0
/* compiled: the host's part by a C++ compiler, where that is asked for: the whole language, and
 * nothing is checked but what goes to CUDA and to kernels. The text is kernels/cuda/compiled*.hpp,
 * both.cuh and runtime.cuh, the file without what the device alone sees (cuda/hosted.c), and the
 * way in:
 *
 *     extern "C" int tern_enter(table, values, count, result) { return enter(&gelu, ..); }
 *     extern "C" int tern_enter(table, count, arguments) { return enter(&main, ..); }
 *
 * What it calls comes through a table: functions of CUDA are those that evaluated programs call, by
 * their names. When a call cannot be done, the words are kept here; a function throws to the way
 * in, a program is left as by exit(), which comes here, too. */
#include "host/host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

extern const char text_compiled_start[], text_compiled_cuda_start[], text_compiled_torch_start[],
    cuda_both_start[], cuda_runtime_start[], cuda_cub_start[];

typedef struct HostValue { /* tern_host::Value */
    int kind, type, rank, is_float;
    long integer, shape[TERN_MAX_RANK];
    double number;
    void *at;
} HostValue;

typedef struct HostLaunch { /* tern_host::Launch */
    const char *kernel, *parameters, *instance;
    unsigned long shape[FIRST_ARGUMENT];
    const void *const *arguments;
    const unsigned long *sizes;
    int count;
} HostLaunch;

typedef struct Instance { /* what a launch names */
    Str name;
    const CuKernel *kernel; /* NULL: there is none */
} Instance;

/* The run that a text belongs to. Threads that the program starts take turns here. */
typedef struct Compiled {
    Host *h;
    pthread_mutex_t busy;
    pthread_t main;
    jmp_buf end;
    Map instances; /* by HostLaunch.instance, which is one address: -> Instance */
} Compiled;

typedef struct Table { /* tern_host::Table */
    Compiled *run;
    void (*at)(Compiled *run, const char *file, int line);
    void (*stop)(Compiled *run, const char *words);
    void (*leave)(Compiled *run, int code);
    void *(*allocate)(Compiled *run, unsigned long bytes, int with_zeros);
    int (*call)(Compiled *run, const char *name, const unsigned long *words, int count,
                unsigned long *result);
    int (*launch)(Compiled *run, const HostLaunch *launch);
    int (*launched)(Compiled *run, char *words, int size);
} Table;

typedef int Enter(const Table *table, const HostValue *given, int count, HostValue *result);
typedef int EnterProgram(const Table *table, int count, char **arguments);

/* ---- what it calls ---- */

static void at(Compiled *run, const char *file, int line) {
    Host *h = run->h;
    const Source *source = cu_source(h->module->cuda);
    bool is_here = !file || str_is(source->name, file);
    h->place = (Span){0};
    h->place_file = is_here ? NULL : file, h->place_line = line;
    if (!is_here || line < 1 || line > source->num_lines) return;
    int start = source->line_starts[line - 1];
    Str text = source_line(source, line);
    int blanks = 0;
    while (blanks < text.length && strchr(" \t", text.data[blanks])) blanks++;
    h->place = (Span){source, start + blanks, start + text.length};
}

static void stop(Compiled *run, const char *words) { host_fail(run->h, "%s", words); }

/* What `exit` does: of the first thread the text is left, of another the process. */
static void leave(Compiled *run, int code) {
    run->h->exit_code = code;
    fflush(NULL);
    if (!pthread_equal(run->main, pthread_self())) _exit(code);
    longjmp(run->end, 1);
}

static int call(Compiled *run, const char *name, const unsigned long *words, int count,
                unsigned long *result) {
    const Native *native = native_find(str_of(name));
    uint64_t args[8] = {0};
    if (!native || count > COUNT(args)) BUG("a text calls '%s'", name);
    for (int i = 0; i < count; i++) args[i] = words[i];
    Call made = {.count = count, .args = args};
    pthread_mutex_lock(&run->busy);
    bool good = native->run(run->h, &made);
    pthread_mutex_unlock(&run->busy);
    *result = made.result;
    return good;
}

static void *allocate(Compiled *run, unsigned long bytes, int with_zeros) {
    unsigned long words[] = {bytes, (unsigned long)with_zeros}, result;
    return call(run, "__tern_torch_alloc", words, 2, &result) ? (void *)(uintptr_t)result : NULL;
}

static int launched(Compiled *run, char *words, int size) {
    Host *h = run->h;
    const char *message = tern_message(h->context);
    int error = h->sticky_error ? h->sticky_error : h->last_error;
    h->last_error = 0;
    snprintf(words, (size_t)size, "%s",
             h->sticky_error ? message : "the launch before has a shape that no GPU takes");
    return error;
}

/* ---- launches ---- */

/* In `void k(T *) [with T = float; int N = 4]`, or `[T = float, N = 4]`: of T: float. */
static Str template_argument(Str instance, Str name) {
    const char *wanted = instance.data, *end = instance.data + instance.length;
    while (wanted < end && *wanted != '[') wanted++;
    for (const char *from = wanted; wanted < end; wanted++) {
        bool begins = wanted > from && strchr(" [", wanted[-1]);
        if (!begins || end - wanted < name.length + 3) continue;
        if (memcmp(wanted, name.data, (size_t)name.length) != 0) continue;
        if (memcmp(wanted + name.length, " = ", 3) != 0) continue;
        const char *start = wanted + name.length + 3, *at = start;
        bool is_with = end - from > 5 && !memcmp(from, "[with", 5);
        for (int depth = 0; at < end; at++) {
            depth += (strchr("<({[", *at) != NULL) - (strchr(">)}]", *at) != NULL);
            if (depth < 0 || (depth == 0 && *at == (is_with ? ';' : ','))) break;
        }
        return (Str){start, (int)(at - start)};
    }
    return STR("");
}

/* What C++ calls names without a place, away. */
static void put_argument(Buf *out, Str text) {
    static const char *const nowhere[] = {"{anonymous}::", "(anonymous namespace)::"};
    bool is_pack = text.length > 1 && text.data[0] == '{' && text.data[1] != 'a';
    if (is_pack) text = (Str){text.data + 1, text.length - 2};
    for (int i = 0; i < text.length; i++) {
        Str rest = {text.data + i, text.length - i};
        for (int k = 0; k < COUNT(nowhere); k++)
            if (str_starts(rest, nowhere[k])) i += (int)strlen(nowhere[k]);
        if (i < text.length) buf_putc(out, text.data[i]);
    }
}

/* A type that only C++ knows, as gcc and clang have it. */
static bool has_no_name(Str argument) {
    static const char *const begins[] = {"`", "<lambda", "(lambda at ", "<unnamed", "(unnamed"};
    for (int i = 0; i < argument.length; i++)
        for (int k = 0; k < COUNT(begins); k++)
            if (str_starts((Str){argument.data + i, argument.length - i}, begins[k])) return true;
    return false;
}

/* reduce<float, 256>; empty after host_fail. */
static Str instance_name(Host *h, const HostLaunch *l) {
    if (!*l->parameters) return str_of(l->kernel);
    Buf name = {.arena = h->arena};
    buf_printf(&name, "%s<", l->kernel);
    for (const char *at = l->parameters, *end; *at; at = end + 1) {
        end = at + strcspn(at, ",");
        Str argument = template_argument(str_of(l->instance), (Str){at, (int)(end - at)});
        if (!argument.length || has_no_name(argument)) {
            host_unsupported(h, "host 'c++': what '%.*s' of '%s' is, a launch does not say: %s",
                             (int)(end - at), at, l->kernel, l->instance);
            return STR("");
        }
        if (at != l->parameters) buf_puts(&name, ", ");
        put_argument(&name, argument);
    }
    buf_putc(&name, '>');
    return buf_str(&name);
}

/* NULL after host_fail. */
static const Instance *instance_of(Compiled *run, const HostLaunch *l) {
    Host *h = run->h;
    Instance *known = map_get_pointer(&run->instances, l->instance);
    if (known) return known;
    Diag quiet = {.arena = h->arena, .muted = true};
    Str name = instance_name(h, l);
    if (!name.length) return NULL;
    Instance *made = arena_new_of(h->arena, Instance);
    *made =
        (Instance){name, cu_find_kernel(h->arena, h->module->cuda, str_c(h->arena, name), &quiet)};
    map_set_pointer(&run->instances, l->instance, made);
    return made;
}

/* The numbers and pointers in what it was given, a word each; false after host_fail. */
static bool words_of(Host *h, const CuKernel *kernel, const HostLaunch *l, uint64_t *words,
                     int *count) {
    *count = 0;
    for (int i = 0; i < kernel->num_params; i++) {
        const CuParam *param = &kernel->params[i];
        if (i >= l->count || l->sizes[i] != (unsigned long)param->bytes)
            return host_fail(h,
                             "kernel '%s' has %d bytes for '%.*s', the C++ compiler another "
                             "number",
                             l->kernel, param->bytes, STR_ARG(param->name));
        for (int k = 0; k < param->num_parts; k++) {
            const CuPiece *piece = &param->parts[k];
            if (*count == MOST_ARGUMENTS)
                return host_fail(h, "a launch of more than %d numbers", MOST_ARGUMENTS);
            words[*count] = 0;
            memcpy(&words[(*count)++], (const char *)l->arguments[i] + piece->offset,
                   (size_t)piece->bytes);
        }
    }
    return kernel->num_params == l->count ||
           host_fail(h, "kernel '%s' takes %d arguments", l->kernel, kernel->num_params);
}

static bool launch_here(Compiled *run, const HostLaunch *l) {
    Host *h = run->h;
    uint64_t words[FIRST_ARGUMENT + MOST_ARGUMENTS];
    for (int i = 0; i < FIRST_ARGUMENT; i++) words[i] = l->shape[i];
    bool fine;
    int count;
    tern_stream *stream = host_stream(h, l->shape[7], &fine);
    const Instance *instance = fine ? instance_of(run, l) : NULL;
    if (!instance) return false;
    const Loaded *loaded = launch_loaded(h, instance->name, words);
    if (!loaded) return !h->diag.num_errors;
    if (!instance->kernel) return host_fail(h, "there is no kernel '%s'", loaded->name);
    if (!words_of(h, instance->kernel, l, words + FIRST_ARGUMENT, &count)) return false;
    if (loaded->kernel->num_arguments != count) BUG("a launch of %d arguments", count);
    return launch_words(h, loaded, words, stream);
}

static int launch_one(Compiled *run, const HostLaunch *l) {
    pthread_mutex_lock(&run->busy);
    bool good = launch_here(run, l);
    pthread_mutex_unlock(&run->busy);
    return good;
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

static bool add_folder(Host *h, Buf *flags, Str folder) {
    for (int i = 0; i < folder.length; i++)
        if (strchr(" \t", folder.data[i]))
            return host_fail(h, "host 'c++': a folder of headers with a blank in its name, '%.*s'",
                             STR_ARG(folder));
    buf_printf(flags, " -I%.*s", STR_ARG(folder));
    return true;
}

static bool flags_of(Host *h, bool is_program, Buf *flags) {
    const CuOptions *files = cu_options(h->module->cuda);
    Str folder = cu_folder(h->module->cuda);
    buf_printf(flags,
               "-x c++ -std=gnu++17 -w -Wno-narrowing -shared -fPIC -fvisibility=hidden "
               "-Wl,-Bsymbolic %s",
               is_program ? "-O2 -pthread -Wl,--wrap=exit -D__TERN_PROGRAM__" : "-O1");
    if (!add_folder(h, flags, folder.length ? folder : STR("."))) return false;
    for (int i = 0; i < files->num_include_dirs; i++)
        if (!add_folder(h, flags, str_of(files->include_dirs[i]))) return false;
    if (is_program && cu_includes(h->module->cuda, "omp.h")) buf_puts(flags, " -fopenmp");
    return true;
}

static Str text_of(Host *h, const char *function, Diag *diag) {
    static const char in[] = "extern \"C\" __attribute__((visibility(\"default\"))) int tern_enter";
    Str file = cu_hosted_text(h->arena, h->module->cuda, diag);
    Buf text = {.arena = h->arena};
    if (diag_failed(diag)) return STR("");
    buf_printf(&text, "%s\n%s\n%s\n%s\n%s\n", text_compiled_start, text_compiled_cuda_start,
               cuda_both_start, cuda_runtime_start, function ? text_compiled_torch_start : "");
    if (cu_includes(h->module->cuda, "cub/")) buf_printf(&text, "%s\n", cuda_cub_start);
    const CuOptions *options = cu_options(h->module->cuda);
    for (int i = 0; i < options->num_defines; i++)
        buf_printf(&text, "#define %.*s\n", STR_ARG(cu_define_text(h->arena, options->defines[i])));
    buf_printf(&text, "%.*s\n", STR_ARG(file));
    if (function)
        buf_printf(&text,
                   "%s(const ::tern_host::Table *table,\n    const ::tern_host::Value *given, int "
                   "count, ::tern_host::Value *result) {\n    return ::tern_host::enter(&::%s, "
                   "table, given, count, result);\n}\n",
                   in, function);
    else
        buf_printf(&text,
                   "%s(const ::tern_host::Table *table,\n    int count, char **arguments) {\n    "
                   "return ::tern_host::enter(&::main, table, count, arguments);\n}\n",
                   in);
    return buf_str(&text);
}

/* A name of CUDA that the compiler's first errors say is not there; empty: it is none. */
static Str missing_name(Str why) {
    static const char *const names[] = {"cuda",   "cub",  "thrust", "nvcuda", "curand",
                                        "cublas", "nvtx", "NV_",    "CU"};
    static const char open[] = "\xe2\x80\x98"; /* a quote, as gcc has it; clang: ' */
    for (const char *line = why.data; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strcspn(line, "\n");
        const char *error = strstr(line, "error: ");
        if (!error || error > line + length) continue;
        for (const char *at = error; at < line + length; at++) {
            int quote = !strncmp(at, open, 3) ? 3 : *at == '\'';
            if (!quote) continue;
            at += quote;
            for (int i = 0; i < COUNT(names); i++) {
                bool is_cu = !strncmp(at, "cu", 2) && at[2] >= 'A' && at[2] <= 'Z';
                if (is_cu || !strncmp(at, names[i], strlen(names[i])))
                    return (Str){at, (int)strspn(at, "abcdefghijklmnopqrstuvwxyz_:0123456789"
                                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ")};
            }
        }
    }
    return STR("");
}

/* NULL after host_fail, or with the text's own errors. */
static void *object_of(Host *h, const char *function, void **enter) {
    Buf flags = {.arena = h->arena};
    Str why = STR(""), text = text_of(h, function, &h->diag);
    if (diag_failed(&h->diag) || !flags_of(h, !function, &flags)) return NULL;
    void *object = context_object(h->context, h->arena, text, buf_str(&flags), &why);
    Str missing = object ? STR("") : missing_name(why);
    if (missing.length)
        host_unsupported(h, "host 'c++': not supported: '%.*s' of CUDA: %.*s", STR_ARG(missing),
                         STR_ARG(why));
    else if (!object)
        host_fail(h, "host 'c++': %.*s", STR_ARG(why));
    else
        *enter = dlsym(object, "tern_enter");
    return object;
}

static Table table_of(Compiled *run) {
    return (Table){run, at, stop, leave, allocate, call, launch_one, launched};
}

bool compiled_run(Host *h, const char *function, const tern_exec_value *arguments, int count) {
    Compiled run = {.h = h, .busy = PTHREAD_MUTEX_INITIALIZER, .instances.arena = h->arena};
    Table table = table_of(&run);
    HostValue *given = arena_array(h->arena, HostValue, count + 1), result = {0};
    void *symbol, *object = object_of(h, function, &symbol);
    if (!object) return false;
    bool good = true;
    for (int i = 0; i < count && good; i++) good = given_value(h, &arguments[i], i, &given[i]);
    Enter *enter;
    memcpy(&enter, &symbol, sizeof enter); /* ISO C has no cast from object to function pointer */
    good = good && enter(&table, given, count, &result) && give(h, &result);
    dlclose(object);
    return good && !h->diag.num_errors;
}

bool compiled_program(Host *h) {
    Compiled run = {.h = h,
                    .busy = PTHREAD_MUTEX_INITIALIZER,
                    .main = pthread_self(),
                    .instances.arena = h->arena};
    Table table = table_of(&run);
    int count = h->options->num_arguments;
    char **arguments = arena_array(h->arena, char *, count + 1);
    void *symbol, *object = object_of(h, NULL, &symbol);
    if (!object) return false;
    for (int i = 0; i < count; i++) {
        Str copy = str_copy(h->arena, str_of(h->options->arguments[i]));
        arguments[i] = (char *)(uintptr_t)str_c(h->arena, copy);
    }
    arguments[count] = NULL;
    EnterProgram *enter;
    memcpy(&enter, &symbol, sizeof enter);
    if (!setjmp(run.end)) h->exit_code = enter(&table, count, arguments);
    fflush(NULL);
    dlclose(object);
    return !h->diag.num_errors;
}
