// SPDX-License-Identifier: Apache-2.0
/* exec: tern_run_script. */
#include "base/utf8.h"
#include "exec/exec.h"

#include <stdlib.h>

static Object *import(Host *host, Str path) {
    Object *module = torch_open(host, path);
    if (!module && !is_raised(host)) module = triton_open(host, path);
    return module || is_raised(host) ? module : library_open(host, path);
}

static void write_out(void *user, const char *text, size_t length) {
    const Exec *exec = user;
    exec->output(exec->output_user, text, length);
}

/* 1 + the first argument that is no UTF-8; 0: all are. */
static int strange_argument(const tern_script_options *options) {
    for (int i = 0; i < options->num_arguments; i++) {
        Str rest = str_of(options->arguments[i]);
        while (rest.length) {
            int length = utf8_length(rest);
            if (!length) return i + 1;
            rest.data += length, rest.length -= length;
        }
    }
    return 0;
}

tern_status tern_run_script(tern_session *session, const char *path,
                            const tern_script_options *options, int *exit_code, char **complaint) {
    jmp_buf no_memory;
    *exit_code = 1, *complaint = NULL;
    Arena *volatile owned = NULL;
    if (setjmp(no_memory)) {
        arena_free(owned);
        return TERN_ERROR_NO_MEMORY;
    }
    Arena *arena = owned = arena_new(&no_memory);
    Exec *exec = arena_new_of(arena, Exec);
    *exec = (Exec){.session = session,
                   .context = tern_session_context(session),
                   .path = path,
                   .arena = arena,
                   .output = options->output,
                   .errors = options->errors,
                   .output_user = options->user,
                   .write_dirs = options->write_dirs,
                   .num_write_dirs = options->num_write_dirs,
                   .most_points = options->most_points};
    LangOptions lang = {options->include_dirs, options->num_include_dirs};
    ScriptOptions script = {.lang = &lang,
                            .interrupted = options->interrupted,
                            .write = write_out,
                            .arguments = options->arguments,
                            .num_arguments = options->num_arguments,
                            .import = import,
                            .user = exec};
    Buf words = {.arena = arena};
    Str text, why;
    int strange = strange_argument(options);
    if (strange) {
        buf_printf(&words, "%s: argument %d is no UTF-8\n", path, strange);
        *exit_code = 2;
    } else if (!file_read(arena, path, MAX_SOURCE_BYTES, &text, &why)) {
        buf_printf(&words, "%s: %.*s\n", path, STR_ARG(why));
        *exit_code = 2;
    } else {
        const Source *source = source_new(arena, str_of(path), text);
        tern_set_output(exec->context, options->output, options->user);
        *exit_code = script_run(arena, source, str_of(path), &script, &words);
        tern_set_output(exec->context, NULL, NULL);
    }
    tern_module_free(exec->module);
    if (words.length) *complaint = strdup(words.data);
    arena_free(arena);
    return TERN_OK;
}
