// SPDX-License-Identifier: Apache-2.0
/* script: opens the heap, the classes and the built-in names, runs a file, says how it ended. */
#include "lang/script.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { MOST_HEAP = 1 << 30, LEAST_STACK = 256 << 10, MOST_STACK = 64 << 20 };

/* Below this address calls nest too deeply: three quarters of the stack are the script's. */
static char *end_of_stack(void) {
    struct rlimit limit;
    char here;
    size_t size = 1 << 20;
    if (!getrlimit(RLIMIT_STACK, &limit))
        size = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > MOST_STACK ? MOST_STACK
                                                                              : limit.rlim_cur;
    if (size < LEAST_STACK) size = LEAST_STACK;
    uintptr_t top = (uintptr_t)&here;
    return (char *)(top - size / 4 * 3);
}

static Object *immortal(Host *host, ObjectKind kind, int value) {
    Object *object = object_new(host->script->arena, kind);
    object->integer = value;
    object->refs = -1;
    return object;
}

static void open_script(Host *host) {
    Script *script = host->script;
    script->poison = immortal(host, OBJECT_ERROR, 0);
    script->none = immortal(host, OBJECT_NONE, 0);
    script->booleans[0] = immortal(host, OBJECT_BOOL, 0);
    script->booleans[1] = immortal(host, OBJECT_BOOL, 1);
    classes_open(host);
    builtins_open(host);
}

/* 0, what sys.exit was given, or 1 with the words of the exception. */
static int ended(Host *host, Buf *complaint) {
    Script *script = host->script;
    if (diag_failed(host->diag)) {
        diag_print(host->diag, false, complaint);
        return host->diag->num_errors ? 2 : 3;
    }
    if (!script->raised) return 0;
    if (script->is_refused) return script_complain(host, complaint), 3;
    if (!object_is_instance(host, script->raised, CLASS_SYSTEM_EXIT))
        return script_complain(host, complaint), 1;
    const Object *args = dict_find_text(script->raised->items[1], STR("args"));
    Object *status = args->num_items ? args->items[0] : script->none;
    Object *exception = take_raised(host);
    (void)exception;
    if (status->kind == OBJECT_NONE) return 0;
    if (object_is_integral(status)) return (int)(status->integer & 255);
    host_print(host, status, complaint, false);
    buf_putc(complaint, '\n');
    return 1;
}

int script_run(Arena *arena, const Source *source, Str path, const ScriptOptions *options,
               Buf *complaint) {
    Diag diag = {.arena = arena};
    Script *script = arena_new_of(arena, Script);
    *script = (Script){.arena = arena,
                       .memory = {.most = options->most_bytes ? options->most_bytes : MOST_HEAP},
                       .builtins = {.arena = arena},
                       .modules = {.arena = arena},
                       .stack_end = end_of_stack(),
                       .interrupted = options->interrupted,
                       .write = options->write,
                       .complain = options->complain,
                       .import = options->import,
                       .user = options->user,
                       .path = path,
                       .arguments = options->arguments,
                       .num_arguments = options->num_arguments,
                       .diag = &diag};
    Module *module = module_load(arena, source, path, options->lang, &diag);
    bool fine = module != NULL;
    for (int i = 0; i < options->num_settings && fine; i++)
        fine = script_set(arena, (Ast *)(uintptr_t)module_ast(module), options->settings[i], &diag);
    if (!fine) {
        diag_print(&diag, false, complaint);
        return 2;
    }
    int code = 1;
    jmp_buf *outer = arena_oom(arena);
    if (!setjmp(script->no_memory)) {
        arena_set_oom(arena, &script->no_memory);
        arena_limit(arena, &script->memory);
        script->scratch = arena_new(&script->no_memory);
        arena_limit(script->scratch, &script->memory);
        Host host = {.arena = script->scratch, .module = module, .diag = &diag, .script = script};
        open_script(&host);
        script->main = module;
        bool ran = script_run_file(&host, module, options->after ? STR("file") : STR("__main__"));
        if (ran && options->after) options->after(&host, module);
        code = ended(&host, complaint);
    } else {
        arena_set_oom(arena, outer);
        arena_limit(arena, NULL);
        script->innermost = NULL;
        diag_add(&diag, DIAG_RAISED, script->at,
                 "MemoryError: the script needs more memory than it may have");
        diag_print(&diag, false, complaint);
    }
    generators_leave(script);
    heap_close(script);
    arena_set_oom(arena, outer);
    arena_limit(arena, NULL);
    arena_free(script->scratch);
    return code;
}
