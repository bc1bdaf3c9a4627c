// SPDX-License-Identifier: Apache-2.0
/* exec: tern_run_script. */
#include "base/utf8.h"
#include "exec/exec.h"

#include <stdlib.h>

static int stack(void *user, const char **names, int most) {
    return script_stack(user, names, most);
}

static Object *import(Host *host, Str path) {
    Exec *exec = exec_of(host);
    if (!exec->has_stack) tern_interprets(exec->context, stack, host->script);
    exec->has_stack = true;
    Object *module = torch_open(host, path);
    if (!module && !is_raised(host)) module = triton_open(host, path);
    if (!module && !is_raised(host)) module = files_open(host, path);
    return module || is_raised(host) ? module : library_open(host, path);
}

static void write_out(void *user, const char *text, size_t length) {
    const Exec *exec = user;
    exec->output(exec->output_user, text, length);
}

static void write_errors(void *user, const char *text, size_t length) {
    const Exec *exec = user;
    if (exec->errors) exec->errors(exec->output_user, text, length);
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

/* Who reads the output later knows that the file's sizes were others. */
static void say_settings(Exec *exec, const tern_script_options *options) {
    Buf out = {.arena = exec->arena};
    if (!options->num_settings || !exec->errors) return;
    buf_printf(&out, "tern exec: not what the file says:");
    for (int i = 0; i < options->num_settings; i++) buf_printf(&out, " %s", options->settings[i]);
    buf_putc(&out, '\n');
    exec->errors(exec->output_user, out.data, out.length);
}

static tern_status run(Exec *set, const char *path, const tern_script_options *options,
                       void (*after)(Host *host, Module *module), int *exit_code,
                       char **complaint) {
    jmp_buf no_memory;
    *exit_code = 1, *complaint = NULL;
    Arena *volatile owned = NULL;
    if (setjmp(no_memory)) {
        arena_free(owned);
        return TERN_ERROR_NO_MEMORY;
    }
    Arena *arena = owned = arena_new(&no_memory);
    Exec *exec = set;
    exec->context = tern_session_context(exec->session);
    exec->path = path;
    exec->arena = arena;
    exec->output = options->output;
    exec->errors = options->errors;
    exec->output_user = options->user;
    exec->write_dirs = options->write_dirs;
    exec->num_write_dirs = options->num_write_dirs;
    exec->read_dirs = options->read_dirs;
    exec->num_read_dirs = options->num_read_dirs;
    exec->most_points = options->most_points;
    exec->most_x = options->most_x;
    LangOptions lang = {options->include_dirs, options->num_include_dirs};
    ScriptOptions script = {.lang = &lang,
                            .interrupted = options->interrupted,
                            .write = write_out,
                            .complain = write_errors,
                            .arguments = options->arguments,
                            .num_arguments = options->num_arguments,
                            .settings = options->settings,
                            .num_settings = options->num_settings,
                            .most_bytes = options->most_memory,
                            .import = import,
                            .after = after,
                            .user = exec};
    Buf words = {.arena = arena};
    Str text, why;
    int strange = strange_argument(options);
    if (options->most_memory) tern_session_limit(exec->session, options->most_memory);
    if (strange) {
        buf_printf(&words, "%s: argument %d is no UTF-8\n", path, strange);
        *exit_code = 2;
    } else if (!options->text && !file_read(arena, path, MAX_SOURCE_BYTES, &text, &why)) {
        buf_printf(&words, "%s: %.*s\n", path, STR_ARG(why));
        *exit_code = 2;
    } else {
        if (options->text) text = str_of(options->text);
        exec->text = options->text;
        const Source *source = source_new(arena, str_of(path), text);
        tern_set_output(exec->context, options->output, options->user);
        say_settings(exec, options);
        *exit_code = script_run(arena, source, str_of(path), &script, &words);
        tern_set_output(exec->context, NULL, NULL);
        tern_interprets(exec->context, NULL, NULL);
    }
    compile_close(exec);
    for (int i = 0; i < exec->files.count; i++) tern_module_free(exec->files.data[i].module);
    if (words.length) *complaint = strdup(words.data);
    arena_free(arena);
    return TERN_OK;
}

tern_status tern_run_script(tern_session *session, const char *path,
                            const tern_script_options *options, int *exit_code, char **complaint) {
    Exec exec = {.session = session};
    return run(&exec, path, options, NULL, exit_code, complaint);
}

/* ---- tern_fuse_script ---- */

static Object *value_object(Host *host, const tern_exec_value *value) {
    if (value->kind == TERN_EXEC_INT) return object_int(host->arena, value->integer);
    if (value->kind == TERN_EXEC_FLOAT) return object_float(host->arena, value->number);
    return tensor_wrap(host,
                       tern_from_buffer(exec_of(host)->session, value->buffer, 0, value->dtype,
                                        value->rank, value->shape, NULL),
                       true);
}

static void fuse_function(Host *host, Module *module) {
    Exec *exec = exec_of(host);
    Object *function = map_get(&module->space, str_of(exec->wanted.function));
    Object **args = arena_array(host->arena, Object *, exec->wanted.num_values + 1);
    Str *names = arena_array(host->arena, Str, exec->wanted.num_values + 1);
    if (!function) {
        host_raise(host, CLASS_NAME_ERROR, "the file has no '%s'", exec->wanted.function);
        return;
    }
    for (int i = 0; i < exec->wanted.num_values; i++) {
        args[i] = value_object(host, &exec->wanted.values[i]);
        names[i] = str_of(exec->wanted.values[i].name);
    }
    Object *compiled = compile_whole(host, function);
    HostCall call = {.num_args = exec->wanted.num_values, .args = args, .names = names};
    host_invoke(host, compiled, &call);
    if (is_raised(host)) return;
    exec->wanted.text = compiled_text(compiled, exec->wanted.kind);
    if (!exec->wanted.text) tensor_failed(host);
}

tern_status tern_fuse_script(tern_session *session, const char *path, const char *function,
                             const tern_script_options *options, const tern_exec_value *values,
                             int num_values, int kind, int *exit_code, char **text,
                             char **complaint) {
    Exec exec = {.session = session,
                 .wanted = {function, values, num_values, (tern_fused_text_kind)kind, NULL}};
    tern_status status = run(&exec, path, options, fuse_function, exit_code, complaint);
    *text = exec.wanted.text;
    return status;
}
