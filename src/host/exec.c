// SPDX-License-Identifier: Apache-2.0
/* exec: tern_exec. A program is lowered whole, its kernels are compiled once, and then it runs:
 * what is not supported is said before it does anything. */
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(Host *h, const char *format, va_list args) {
    char words[2000];
    if (h->diag.num_errors) return;
    vsnprintf(words, sizeof words, format, args);
    if (h->place_file && !h->now)
        diag_error(&h->diag, (Span){0}, "%s:%d: %s", h->place_file, h->place_line, words);
    else
        diag_error(&h->diag, h->now ? h->now->op->span : h->place, "%s", words);
}

bool host_fail(Host *h, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(h, format, args);
    va_end(args);
    return false;
}

bool host_unsupported(Host *h, const char *format, ...) {
    va_list args;
    h->is_refused |= !h->diag.num_errors;
    va_start(args, format);
    fail(h, format, args);
    va_end(args);
    return false;
}

void host_write(Host *h, int file, const char *text, size_t length) {
    tern_output *output = file == 2 ? h->options->errors : h->options->output;
    if (output && length) output(h->options->user, text, length);
}

/* argc and argv, with which main begins. */
static bool arguments(Host *h, const Func *fn) {
    int count = h->options->num_arguments;
    Range *list = memory_add(h, RANGE_VARIABLE, (uint64_t)(count + 1) * 8, STR("argv"));
    if (!list) return false;
    for (int i = 0; i < count; i++) {
        const char *text = h->options->arguments[i];
        size_t size = strlen(text) + 1;
        Range *range = memory_add(h, RANGE_VARIABLE, size, STR("argv"));
        if (!range) return false;
        memcpy((void *)(uintptr_t)range->start, text, size);
        memcpy((void *)(uintptr_t)(list->start + 8 * (uint64_t)i), &range->start, 8);
    }
    for (int i = 0; i < fn->num_params; i++)
        h->program.slots[fn->params[i].value->id] =
            type_is_ptr(fn->params[i].value->type) ? list->start : (uint64_t)count;
    return true;
}

static void end(Host *h) {
    for (int i = 0; i < h->streams.count; i++) tern_stream_free(h->streams.data[i]);
    for (int i = 0; i < h->events.count; i++)
        if (h->events.data[i]) tern_event_free(h->events.data[i]);
    for (Loaded *l = h->kernels; l; l = l->next) tern_kernel_free(l->kernel);
    memory_end(h);
    free(h->text.data);
}

static tern_status stopped(Host *h, const Diag *diag, tern_status status) {
    if (setjmp(h->context->oom)) return context_no_memory(h->context);
    context_fail_diag(h->context, diag);
    return h->context->message_status = status;
}

typedef struct Wanted { /* a function and what it is given; main: its options have it */
    const char *function;
    const tern_exec_value *arguments;
    int count;
} Wanted;

static tern_status by_compiler(Host *h, const Wanted *wanted) {
    if (strcmp(h->options->host, "c++") != 0) {
        diag_refused(&h->diag, (Span){0}, "host '%.40s': there is 'c++'", h->options->host);
        return stopped(h, &h->diag, TERN_ERROR_UNSUPPORTED);
    }
    h->is_compiled = true;
    bool good = h->result ? compiled_run(h, wanted->function, wanted->arguments, wanted->count)
                          : compiled_program(h);
    if (good) host_settled(h, tern_synchronize(h->context));
    if (!diag_failed(&h->diag)) return TERN_OK;
    bool refused = h->is_refused || !h->diag.num_errors;
    return stopped(h, &h->diag, refused ? TERN_ERROR_UNSUPPORTED : TERN_ERROR_KERNEL);
}

/* What the device still does needs nothing that ends with the call: as in PyTorch nobody waits. */
static bool runs_on(const Host *h) {
    return h->kept && h->options->take && !h->streams.count && !h->events.count &&
           !memory_has_own(&h->memory);
}

static tern_status execute(Host *h, const Wanted *wanted, Arena *arena) {
    Diag diag = {.arena = arena};
    h->arena = h->diag.arena = arena;
    if (h->options->host) return by_compiler(h, wanted);
    const Func *fn = h->kept ? h->kept->fn : NULL;
    if (!fn) {
        Arena *of_fn = h->kept ? h->kept->arena : arena;
        fn = compile_host(of_fn, h->module->cuda, wanted->function, &diag);
        if (!fn && !diag.num_errors)
            diag_help(&diag, (Span){0}, "a C++ compiler makes the host's part: --host c++");
        if (!fn)
            return stopped(h, &diag, diag.num_errors ? TERN_ERROR_COMPILE : TERN_ERROR_UNSUPPORTED);
        if (!launches_check(h, fn)) return tern_message_status(h->context);
        if (h->kept) h->kept->fn = fn;
    }
    if (!code_make(h, fn, &diag)) return stopped(h, &diag, TERN_ERROR_UNSUPPORTED);
    random_seed(h, 1);
    if (h->result ? torch_arguments(h, fn, wanted->arguments, wanted->count) : arguments(h, fn))
        run(h);
    if (!h->diag.num_errors && !runs_on(h)) host_settled(h, tern_synchronize(h->context));
    if (h->diag.num_errors) return stopped(h, &h->diag, TERN_ERROR_KERNEL);
    return TERN_OK;
}

static tern_status guarded(Host *h, const Wanted *wanted) {
    Arena *arena = arena_new(&h->oom);
    tern_status status;
    h->kept = kept_find(h, wanted->function);
    if (setjmp(h->oom) || (h->kept && setjmp(h->kept->oom)))
        status = tern_fail(h->context, TERN_ERROR_NO_MEMORY, "the host has no more memory");
    else
        status = execute(h, wanted, arena);
    if (h->kept) h->kept->is_busy = false;
    end(h);
    arena_free(arena);
    return status;
}

static tern_status begin(tern_module *module, const tern_exec_options *given, const Wanted *wanted,
                         tern_exec_value *result, int *exit_code) {
    tern_exec_options options = {0};
    if (given)
        memcpy(&options, given,
               given->size && given->size < sizeof *given ? given->size : sizeof *given);
    Host h = {
        .context = module->own.context, .module = module, .options = &options, .result = result};
    char words[200];
    snprintf(words, sizeof words,
             module->cuda ? "there is no function '%.100s' for the host in this file"
                          : "a file of Triton kernels has no '%.100s'",
             wanted->function);
    if (!module->cuda || !cu_has_host(module->cuda, wanted->function))
        return tern_fail(h.context, TERN_ERROR_ARGUMENT, words);
    tern_status status = guarded(&h, wanted);
    *exit_code = h.exit_code ? h.exit_code : h.kernel_failed;
    return status;
}

tern_status tern_exec(tern_module *module, const tern_exec_options *options, int *exit_code) {
    *exit_code = 0;
    return begin(module, options, &(Wanted){.function = "main"}, NULL, exit_code);
}

tern_status tern_exec_function(tern_module *module, const char *function,
                               const tern_exec_options *options, const tern_exec_value *arguments,
                               int num_arguments, tern_exec_value *result) {
    int exit_code = 0;
    Wanted wanted = {function, arguments, num_arguments};
    *result = (tern_exec_value){0};
    if (!strcmp(function, "main"))
        return tern_fail(module->own.context, TERN_ERROR_ARGUMENT, "'main' is for tern_exec");
    tern_status status = begin(module, options, &wanted, result, &exit_code);
    return status || !exit_code ? status : TERN_ERROR_KERNEL;
}
