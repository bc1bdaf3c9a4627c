// SPDX-License-Identifier: Apache-2.0
/* context: opening and closing, the words of failures, what kernels print. */
#include "api/context.h"
#include "device/cpu/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_KEPT = 1 << 20 };

static const char no_memory_words[] = "out of host memory";

const char *tern_status_name(tern_status status) {
    switch (status) {
    case TERN_OK: return "TERN_OK";
    case TERN_ERROR_ARGUMENT: return "TERN_ERROR_ARGUMENT";
    case TERN_ERROR_COMPILE: return "TERN_ERROR_COMPILE";
    case TERN_ERROR_UNSUPPORTED: return "TERN_ERROR_UNSUPPORTED";
    case TERN_ERROR_NO_MEMORY: return "TERN_ERROR_NO_MEMORY";
    case TERN_ERROR_DEVICE: return "TERN_ERROR_DEVICE";
    case TERN_ERROR_SYSTEM: return "TERN_ERROR_SYSTEM";
    case TERN_ERROR_KERNEL: return "TERN_ERROR_KERNEL";
    }
    return "unknown tern_status";
}

const char *tern_version(void) { return TERN_VERSION; }

/* ---- words ---- */

static void forget_words(tern_context *context) {
    arena_free(context->words);
    context->words = NULL;
    context->message = no_memory_words; /* what holds if making the new words fails */
    context->message_status = TERN_ERROR_NO_MEMORY;
    context->place_file = NULL;
    context->words = arena_new(&context->oom);
}

tern_status context_fail(tern_context *context, tern_status status, const char *format, ...) {
    forget_words(context);
    Buf words = {.arena = context->words};
    va_list args;
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    context->message = buf_str(&words).length ? words.data : "";
    return context->message_status = status;
}

tern_status context_fail_diag(tern_context *context, const Diag *diag) {
    forget_words(context);
    context->message = diag_words(context->words, diag).data;
    for (int i = 0; i < diag->entries.count; i++) {
        const DiagEntry *entry = &diag->entries.data[i];
        if (entry->kind != DIAG_ERROR && entry->kind != DIAG_REFUSED) continue;
        if (!entry->span.source) continue;
        context->place_file = str_c(context->words, entry->span.source->name);
        source_position(entry->span.source, entry->span.start, &context->place_line,
                        &context->place_column);
        break;
    }
    return context->message_status = diag->num_errors ? TERN_ERROR_COMPILE : TERN_ERROR_UNSUPPORTED;
}

tern_status context_fail_device(tern_context *context, tern_status status) {
    Str why = context->device.why;
    if (!why.length) return context_fail(context, status, "the device failed without a reason");
    return context_fail(context, status, "%.*s", STR_ARG(why));
}

tern_status context_checked(tern_context *context, tern_status status) {
    return status ? context_fail_device(context, status) : TERN_OK;
}

tern_status context_lacks(tern_context *context, const char *what) {
    return context_fail(context, TERN_ERROR_UNSUPPORTED, "device %.*s has no %s",
                        STR_ARG(context->device.name), what);
}

Arena *context_begin(tern_context *context) { return context->pending = arena_new(&context->oom); }

void context_end(tern_context *context) {
    arena_free(context->pending);
    context->pending = NULL;
}

tern_status context_no_memory(tern_context *context) {
    context_end(context);
    arena_free(context->words);
    context->words = NULL;
    context->message = no_memory_words;
    context->message_status = TERN_ERROR_NO_MEMORY;
    context->place_file = NULL;
    return TERN_ERROR_NO_MEMORY;
}

void *context_make(tern_context *context, Make *make, const void *request) {
    int saved = errno;
    if (setjmp(context->oom)) {
        context_no_memory(context);
        errno = saved;
        return NULL;
    }
    void *made = make(context, context_begin(context), request);
    if (made)
        context->pending = NULL;
    else
        context_end(context);
    errno = saved;
    return made;
}

tern_status tern_fail(tern_context *context, tern_status status, const char *words) {
    if (setjmp(context->oom)) return context_no_memory(context);
    return context_fail(context, status, "%s", words);
}

const char *tern_message(const tern_context *context) {
    return context && context->message ? context->message : "";
}

tern_status tern_message_status(const tern_context *context) {
    return context ? context->message_status : TERN_OK;
}

bool tern_message_place(const tern_context *context, const char **file, int *line, int *column) {
    if (!context || !context->place_file) return false;
    if (file) *file = context->place_file;
    if (line) *line = context->place_line;
    if (column) *column = context->place_column;
    return true;
}

const char *tern_device_name(const tern_context *context) { return context->device.name.data; }
int tern_device_threads(const tern_context *context) {
    return context->device.num_threads ? context->device.num_threads : 1;
}

const char *tern_device_description(const tern_context *context) {
    return context->device.description.length ? context->device.description.data : "";
}

tern_status tern_context_gpu(tern_context *context, tern_gpu *gpu) {
    if (!context->device.gpu.multiprocessors)
        return context_fail(context, TERN_ERROR_UNSUPPORTED, "%s is no GPU",
                            tern_device_name(context));
    *gpu = context->device.gpu;
    return TERN_OK;
}

const char *tern_cache_dir(tern_context *context) {
    if (context->cache_dir) return context->cache_dir;
    if (setjmp(context->oom)) return "";
    Cache cache;
    cache_open(context->arena, &cache, context->asked_cache_dir);
    return context->cache_dir = str_c(context->arena, cache.folder);
}

/* ---- what kernels print ---- */

void context_output(void *user, const char *text, size_t length) {
    tern_context *context = user;
    if (context->output) {
        context->output(context->output_user, text, length);
        return;
    }
    if (context->kept_length + length > MOST_KEPT) {
        context->kept_dropped = true;
        return;
    }
    char *grown = realloc(context->kept, context->kept_length + length + 64);
    if (!grown) {
        context->kept_dropped = true;
        return;
    }
    memcpy(grown + context->kept_length, text, length);
    context->kept = grown;
    context->kept_length += length;
    grown[context->kept_length] = 0;
}

void tern_set_output(tern_context *context, tern_output *output, void *user) {
    context->output = output;
    context->output_user = user;
}

void tern_set_ask(tern_context *context, tern_ask *ask, void *user) {
    context->device.ask = ask;
    context->device.ask_user = user;
}

char *tern_take_output(tern_context *context) {
    char *text = context->kept;
    if (text && context->kept_dropped) strcpy(text + context->kept_length, "(more was dropped)\n");
    if (!text && context->kept_dropped && (text = malloc(32))) strcpy(text, "(all was dropped)\n");
    context->kept = NULL;
    context->kept_length = 0;
    context->kept_dropped = false;
    return text;
}

void tern_free(void *pointer) { free(pointer); }

/* ---- opening ---- */

static tern_status open_device(tern_context *context, const char *name,
                               const tern_open_options *options) {
    const char *argument;
    const DeviceOps *ops = device_find(name, &argument);
    if (!ops)
        return context_fail(
            context, TERN_ERROR_DEVICE,
            "no device '%s' (tern knows interp, cpu, sim and cuda; tern devices lists them)", name);
    context->device = (Device){.ops = ops,
                               .arena = context->arena,
                               .oom = &context->oom,
                               .print = context_output,
                               .print_user = context,
                               .watch = options->watch,
                               .bounds = options->bounds,
                               .name = str_copy(context->arena, str_of(name))};
    tern_status status = ops->open(&context->device, argument, options);
    if (status) {
        context_fail_device(context, status);
        context->device.ops = NULL; /* open cleaned up after itself */
    }
    return status;
}

static const char **copied_words(tern_context *context, const char *const *words, int *count) {
    if (!words || *count < 0) *count = 0;
    const char **copy = arena_array(context->arena, const char *, *count);
    for (int i = 0; i < *count; i++) copy[i] = str_c(context->arena, str_of(words[i]));
    return copy;
}

static tern_status copy_options(tern_context *context, tern_open_options *options,
                                const tern_open_options *given) {
    if (given)
        memcpy(options, given,
               given->size && given->size < sizeof *given ? given->size : sizeof *given);
    int *num_dirs = &options->num_include_dirs;
    const char **dirs = copied_words(context, options->include_dirs, num_dirs);
    context->lang = (LangOptions){dirs, *num_dirs};
    context->defines = copied_words(context, options->defines, &options->num_defines);
    context->num_defines = options->num_defines;
    if (options->cache_dir)
        context->asked_cache_dir = str_c(context->arena, str_of(options->cache_dir));
    for (int i = 0; i < context->num_defines; i++)
        if (!cu_is_define(context->defines[i]))
            return context_fail(context, TERN_ERROR_ARGUMENT,
                                "a macro is NAME, NAME=TEXT or "
                                "NAME(a, b)=TEXT, not '%s'",
                                context->defines[i]);
    return TERN_OK;
}

static tern_status open_any(tern_context *context, const tern_open_options *given) {
    tern_open_options options = {0};
    tern_status status = copy_options(context, &options, given);
    if (status) return status;
    const char *name = options.device ? options.device : getenv("TERN_DEVICE");
    if (name && name[0]) return open_device(context, name, &options);
    if (open_device(context, "cuda", &options) == TERN_OK) return TERN_OK;
    return open_device(context, "cpu", &options);
}

static void tell(char *message, size_t size, const char *words) {
    if (message && size) snprintf(message, size, "%s", words);
}

static tern_status open_guarded(tern_context *context, const tern_open_options *options) {
    if (setjmp(context->oom)) return context_no_memory(context);
    context->arena = arena_new(&context->oom);
    return open_any(context, options);
}

tern_context *tern_open(const tern_open_options *options, tern_status *status, char *message,
                        size_t message_size) {
    int saved = errno;
    tell(message, message_size, "");
    tern_context *context = calloc(1, sizeof *context);
    if (context) context->range = (tern_call){.kind = TERN_CALL_RANGE, .waits = true};
    tern_status result = context ? open_guarded(context, options) : TERN_ERROR_NO_MEMORY;
    if (status) *status = result;
    if (result)
        tell(message, message_size, context ? tern_message(context) : no_memory_words);
    else
        context->message = "", context->nvtx = outside_is_off ? NULL : nvtx_open();
    if (result)
        tern_close(context);
    else
        context->outside = outside_begin(context);
    errno = saved;
    return result ? NULL : context;
}

void tern_close(tern_context *context) {
    if (!context) return;
    int saved = errno;
    Device *device = &context->device;
    gates_open(context);
    Outside *outside = context->outside;
    context->outside = NULL;
    outside_end(outside);
    if (device->ops && !setjmp(context->oom)) device->ops->synchronize(device);
    while (context->handles) handle_close(context->handles);
    while (context->num_buffers) buffer_free(context->buffers[context->num_buffers - 1]);
    if (device->ops && !setjmp(context->oom)) device->ops->close(device);
    nvtx_close(context->nvtx);
    free(context->buffers);
    free(context->ranges);
    free(context->kept);
    arena_free(context->words);
    arena_free(context->arena);
    free(context);
    errno = saved;
}
