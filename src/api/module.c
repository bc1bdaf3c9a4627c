// SPDX-License-Identifier: Apache-2.0
/* module: a loaded .py file, and what it says of its jit functions. */
#include "api/context.h"

#include <stdlib.h>

/* ---- loading ---- */

/* How far a line is indented, and whether nothing or only a comment stands on it. */
static int line_indent(Str line, bool *is_blank, bool *is_comment) {
    int indent = 0;
    while (indent < line.length && (line.data[indent] == ' ' || line.data[indent] == '\t'))
        indent++;
    *is_blank = indent == line.length;
    *is_comment = !*is_blank && line.data[indent] == '#';
    return indent;
}

/* The last line of a function as Python's inspect sees it: comments that follow the body, indented
 * as it is or more, belong to it, and what stands between them. */
static int last_line(const Source *source, int last, int body_indent) {
    bool is_blank = true, is_comment = true;
    for (int line = last + 1; line <= source->num_lines && (is_blank || is_comment); line++) {
        int indent = line_indent(source_line(source, line), &is_blank, &is_comment);
        if (is_comment && indent >= body_indent) last = line;
    }
    return last;
}

/* The text from `def` to the end of the function's last line, dedented: what Triton keeps and
 * hashes (inspect.getsourcelines, textwrap.dedent). */
static const char *dedented(Arena *arena, const FunctionDef *def) {
    const Source *source = def->whole.source;
    int first, last, column, unused, body_line, body_column;
    bool is_blank, is_comment;
    if (!source) return "";
    source_position(source, def->whole.start, &first, &column);
    source_position(source, def->whole.end, &last, &unused);
    source_position(source, def->body.count ? def->body.stmts[0]->span.start : def->whole.end,
                    &body_line, &body_column);
    if (body_line > first) last = last_line(source, last, body_column - 1);
    Buf out = {.arena = arena};
    for (int line = first; line <= last; line++) {
        Str text = source_line(source, line);
        int indent = line_indent(text, &is_blank, &is_comment), cut = column - 1;
        if (cut > indent) cut = indent;
        if (!is_blank) buf_add(&out, text.data + cut, (size_t)(text.length - cut));
        buf_putc(&out, '\n');
    }
    return out.data;
}

static tern_function describe_function(Arena *arena, Module *module, const JitFunction *function) {
    int count = function->num_params;
    tern_function_parameter *parameters = arena_array(arena, tern_function_parameter, count);
    for (int i = 0; i < count; i++) {
        const JitParam *param = &function->params[i];
        const Expr *value = function->def->params[i].default_value;
        parameters[i] = (tern_function_parameter){
            .name = str_c(arena, param->name),
            .is_constexpr = param->is_constexpr,
            .has_default = param->has_default,
            .do_not_specialize = param->keeps_value,
            .do_not_specialize_on_alignment = param->keeps_alignment,
            .annotation = str_c(arena, param->annotation),
            .default_value = value ? str_c(arena, span_text(value->span)) : NULL,
        };
    }
    tern_function described = {.name = str_c(arena, function->name),
                               .text = dedented(arena, function->def),
                               .is_launched = function->is_launched,
                               .num_parameters = count,
                               .parameters = parameters};
    int column;
    if (function->span.source)
        source_position(function->span.source, function->def->span.start, &described.line, &column);
    if (module_find(module, function->name) != function) /* another one has the bare name */
        described.name = str_format(arena, "%.*s@%d", STR_ARG(function->name), described.line).data;
    return described;
}

static void module_close(Handle *own) {
    tern_module *module = (tern_module *)own;
    cuda_free_symbols(module);
    if (module->kept) module->kept_free(module->kept, false); /* the context closed its kernels */
    cu_unload(module->cuda);
    arena_free(module->arena);
}

static tern_module *module_finish(tern_context *context, Arena *arena, const Source *source,
                                  Str path) {
    Diag diag = {.arena = arena};
    tern_module *module = arena_new_of(arena, tern_module);
    *module = (tern_module){.own.context = context, .refs = 1, .arena = arena};
    CuOptions options = {.include_dirs = context->lang.include_dirs,
                         .num_include_dirs = context->lang.num_include_dirs,
                         .defines = context->defines,
                         .num_defines = context->num_defines};
    bool is_cuda = cuda_is_name(source->name.data);
    if (is_cuda)
        module->cuda = cu_load(arena, source, path, &options, &diag);
    else
        module->module = module_load(arena, source, path, &context->lang, &diag);
    if (!module->module && !module->cuda) {
        context_fail_diag(context, &diag);
        return NULL;
    }
    if (is_cuda) {
        cuda_describe(module);
        handle_add(&module->own, context, module_close);
        return module;
    }
    module_set_target(module->module, context->device.target);
    module->num_functions = module_num_functions(module->module);
    module->functions = arena_array(arena, tern_function, module->num_functions);
    module->configs =
        arena_alloc_array(arena, (size_t)module->num_functions, sizeof *module->configs);
    for (int i = 0; i < module->num_functions; i++)
        module->functions[i] =
            describe_function(arena, module->module, module_function(module->module, i));
    handle_add(&module->own, context, module_close);
    return module;
}

typedef struct LoadRequest {
    const char *path, *text; /* path NULL: the text is from memory */
    size_t length;
    const char *name;
} LoadRequest;

static void *load(tern_context *context, Arena *arena, const void *request) {
    const LoadRequest *from = request;
    const char *path = from->path;
    Str content = {from->text, (int)from->length}, why, name = str_of(from->name);
    if (str_ends(name, ".ptx") || str_ends(name, ".cubin")) {
        context_fail(context, TERN_ERROR_UNSUPPORTED,
                     "%s: code for a GPU as a source is not supported: name the .py or .cu that it "
                     "was made from",
                     from->name);
        return NULL;
    }
    if (path && !file_read(arena, path, MAX_SOURCE_BYTES, &content, &why)) {
        context_fail(context, TERN_ERROR_SYSTEM, "%.*s", STR_ARG(why));
        return NULL;
    }
    if (!path && from->length > MAX_SOURCE_BYTES) {
        context_fail(context, TERN_ERROR_ARGUMENT, "a source text of %zu bytes: the limit is %d MB",
                     from->length, MAX_SOURCE_BYTES >> 20);
        return NULL;
    }
    if (!path) content = str_copy(arena, content);
    Source *source = source_new(arena, str_copy(arena, name), content);
    return module_finish(context, arena, source, path ? str_copy(arena, str_of(path)) : STR(""));
}

tern_module *tern_load_file(tern_context *context, const char *path) {
    return context_make(context, load, &(LoadRequest){.path = path, .name = path});
}

tern_module *tern_load_text(tern_context *context, const char *text, size_t length,
                            const char *name) {
    return context_make(context, load, &(LoadRequest){NULL, text, length, name ? name : "<text>"});
}

void module_release(tern_module *module) {
    if (module && --module->refs == 0) handle_close(&module->own);
}

void tern_module_free(tern_module *module) {
    if (module && module->kept) {
        module->kept_free(module->kept, true); /* each of the kernels holds the module */
        module->kept = NULL;
    }
    module_release(module);
}

/* ---- functions ---- */

int tern_module_num_functions(const tern_module *module) { return module->num_functions; }

const tern_function *tern_module_function(const tern_module *module, int index) {
    return index >= 0 && index < module->num_functions ? &module->functions[index] : NULL;
}

const tern_function *tern_module_find(const tern_module *module, const char *name) {
    if (module->cuda) return name ? cuda_find(module, name) : NULL;
    const JitFunction *found =
        name && module->module ? module_find(module->module, str_of(name)) : NULL;
    for (int i = 0; found && i < module->num_functions; i++)
        if (module_function(module->module, i) == found) return &module->functions[i];
    return NULL;
}

const JitFunction *module_jit_function(tern_module *module, const char *name, int *index) {
    if (module->cuda) {
        cuda_lacks(module, "@triton.jit functions, which this is for");
        return NULL;
    }
    const tern_function *found = tern_module_find(module, name);
    if (found) {
        int at = (int)(found - module->functions);
        if (index) *index = at;
        return module_function(module->module, at);
    }
    Buf known = {.arena = module->arena};
    buf_puts(&known, "");
    for (int i = 0; i < module->num_functions && i < 20; i++)
        buf_printf(&known, "%s%s", i ? ", " : "", module->functions[i].name);
    if (module->num_functions)
        context_fail(module->own.context, TERN_ERROR_ARGUMENT,
                     "no @triton.jit function '%s' here, only: %s", name ? name : "", known.data);
    else
        context_fail(module->own.context, TERN_ERROR_ARGUMENT,
                     "no @triton.jit function '%s': there is none here", name ? name : "");
    return NULL;
}

void function_print(Buf *out, const FunctionDef *def) {
    FunctionDef copy = *def;
    Stmt stmt = {.kind = STMT_FUNCTION, .span = def->span, .function = &copy};
    Stmt *stmts[] = {&stmt};
    Ast ast = {.source = def->span.source, .body = {1, stmts}};
    ast_print(out, &ast);
}

const char *tern_module_ast(tern_module *module, const char *function) {
    if (setjmp(module->own.context->oom)) {
        context_no_memory(module->own.context);
        return NULL;
    }
    const JitFunction *found = module_jit_function(module, function, NULL);
    if (!found) return NULL;
    Buf out = {.arena = module->arena};
    function_print(&out, found->def);
    return out.data ? out.data : "";
}

/* ---- autotune and heuristics ---- */

static tern_value *values_of(Arena *arena, int count, const ConfigValue *values) {
    tern_value *result = arena_array(arena, tern_value, count);
    for (int i = 0; i < count; i++)
        result[i] = (tern_value){str_c(arena, values[i].name), str_c(arena, values[i].text)};
    return result;
}

void module_aim(tern_module *module, const char *target) {
    if (!module->module || !module_set_target(module->module, target)) return;
    for (int i = 0; i < module->num_functions; i++) module->configs[i].known = false;
}

static void aim_at_device(tern_module *module) {
    module_aim(module, module->own.context->device.target);
}

/* Negative: a tern_status, and the context has the words. */
int module_configs(tern_module *module, const char *function, const tern_config **configs) {
    int index;
    *configs = NULL;
    if (module->cuda) return 0; /* C has no autotune */
    const JitFunction *found = module_jit_function(module, function, &index);
    if (!found) return TERN_ERROR_ARGUMENT;
    struct FunctionConfigs *known = &module->configs[index];
    if (!known->known) {
        Diag diag = {.arena = module->arena};
        Config *list = NULL;
        int count = function_configs(module->arena, module->module, found, &diag, &list);
        if (count < 0) return context_fail_diag(module->own.context, &diag);
        known->configs = arena_array(module->arena, tern_config, count);
        for (int i = 0; i < count; i++)
            known->configs[i] = (tern_config){
                list[i].num_values, values_of(module->arena, list[i].num_values, list[i].values),
                list[i].num_warps, list[i].num_stages, list[i].has_pre_hook};
        known->count = count;
        known->known = true;
    }
    *configs = known->configs;
    return known->count;
}

int tern_module_configs(tern_module *module, const char *function, const tern_config **configs) {
    const tern_config *ignored;
    if (setjmp(module->own.context->oom)) return context_no_memory(module->own.context);
    aim_at_device(module);
    return module_configs(module, function, configs ? configs : &ignored);
}

static int names_of(tern_module *module, const JitFunction *function, const char *argument,
                    const char *const **names) {
    Diag diag = {.arena = module->arena};
    Str *list;
    int count =
        function_autotune_names(module->arena, module->module, function, argument, &diag, &list);
    if (count < 0) return context_fail_diag(module->own.context, &diag);
    const char **texts = arena_array(module->arena, const char *, count + 1);
    for (int i = 0; i < count; i++) texts[i] = str_c(module->arena, list[i]);
    *names = texts;
    return count;
}

tern_status tern_module_autotune(tern_module *module, const char *function,
                                 tern_autotune *autotune) {
    *autotune = (tern_autotune){0};
    if (setjmp(module->own.context->oom)) return context_no_memory(module->own.context);
    if (module->cuda) return TERN_OK;
    aim_at_device(module);
    const JitFunction *found = module_jit_function(module, function, NULL);
    if (!found) return TERN_ERROR_ARGUMENT;
    const int counts[] = {names_of(module, found, "key", &autotune->keys),
                          names_of(module, found, "reset_to_zero", &autotune->reset_to_zero),
                          names_of(module, found, "restore_value", &autotune->restore_value)};
    for (int i = 0; i < COUNT(counts); i++)
        if (counts[i] < 0) return (tern_status)counts[i];
    autotune->num_keys = counts[0], autotune->num_reset = counts[1];
    autotune->num_restore = counts[2];
    Str prunes = function_autotune_text(found, "prune_configs_by");
    if (prunes.length) autotune->prunes = str_c(module->arena, prunes);
    if (function_autotune_text(found, "post_hook").length) autotune->hook = "post_hook";
    if (function_autotune_text(found, "pre_hook").length) autotune->hook = "pre_hook";
    return TERN_OK;
}

int tern_module_pruned(tern_module *module, const char *function, const tern_value *known,
                       int num_known, const int **indices) {
    int *left = NULL;
    *indices = NULL;
    if (setjmp(module->own.context->oom)) return context_no_memory(module->own.context);
    if (module->cuda) return 0; /* C has no autotune */
    aim_at_device(module);
    const JitFunction *found = module_jit_function(module, function, NULL);
    if (!found) return TERN_ERROR_ARGUMENT;
    ConfigValue *arguments = arena_array(module->arena, ConfigValue, num_known);
    for (int i = 0; i < num_known; i++)
        arguments[i] = (ConfigValue){str_of(known[i].name), str_of(known[i].text)};
    Diag diag = {.arena = module->arena};
    int count =
        function_pruned(module->arena, module->module, found, arguments, num_known, &diag, &left);
    if (count < 0) return context_fail_diag(module->own.context, &diag);
    *indices = left;
    return count;
}

static int heuristics(tern_module *module, const char *function, const tern_value *known,
                      int num_known, const tern_value **values) {
    Arena *arena = module->arena;
    aim_at_device(module);
    const JitFunction *found = module_jit_function(module, function, NULL);
    if (!found) return TERN_ERROR_ARGUMENT;
    ConfigValue *arguments = arena_array(arena, ConfigValue, num_known);
    Spec *specs = arena_array(arena, Spec, found->num_params);
    for (int i = 0; i < found->num_params; i++) specs[i].kind = SPEC_DEFAULT;
    for (int i = 0; i < num_known; i++) {
        arguments[i] = (ConfigValue){str_of(known[i].name), str_of(known[i].text)};
        for (int k = 0; k < found->num_params; k++)
            if (str_equal(found->params[k].name, arguments[i].name)) specs[k].kind = SPEC_TYPE;
    }
    Diag diag = {.arena = arena};
    if (!function_heuristics(arena, module->module, found, arguments, num_known, specs, &diag))
        return context_fail_diag(module->own.context, &diag);
    ConfigValue *results = arena_array(arena, ConfigValue, found->num_params);
    int count = 0;
    for (int i = 0; i < found->num_params; i++)
        if (specs[i].kind == SPEC_CONSTANT)
            results[count++] = (ConfigValue){found->params[i].name, specs[i].text};
    *values = values_of(arena, count, results);
    return count;
}

int tern_module_heuristics(tern_module *module, const char *function, const tern_value *known,
                           int num_known, const tern_value **values) {
    if (setjmp(module->own.context->oom)) return context_no_memory(module->own.context);
    *values = NULL;
    if (module->cuda) return 0;
    return heuristics(module, function, known, num_known, values);
}

tern_status tern_module_set_global(tern_module *module, const char *name, const char *text) {
    if (setjmp(module->own.context->oom)) return context_no_memory(module->own.context);
    if (module->cuda) return cuda_lacks(module, "globals that can be set");
    Diag diag = {.arena = module->arena};
    Str copy = str_copy(module->arena, str_of(name));
    Source *source = source_new(module->arena, str_format(module->arena, "<value of %s>", name),
                                str_copy(module->arena, str_of(text)));
    if (module_set_global(module->module, copy, source, &diag)) return TERN_OK;
    return context_fail_diag(module->own.context, &diag);
}
