// SPDX-License-Identifier: Apache-2.0
/* jit: functions with @triton.jit in a script, and their launches, kernel[grid](..).
 *
 * The kernel is compiled from the file's text, for the arguments as Triton would: what is divisible
 * by 16, what is 1. A name of the file that the kernel reads has the value that it has when the
 * kernel is first launched. items of a jit function: the Python function, launch_metadata; of a
 * launcher: the jit function, the grid. */
#include "exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Compiled {
    Str signature;
    int num_warps, num_stages;
    bool precise;
    tern_kernel *kernel;
} Compiled;

typedef struct Jit {     /* in the script's arena */
    tern_module *module; /* of the file that it stands in */
    const tern_function *function;
    VEC(Compiled) kernels;
} Jit;

enum { MOST_ARGUMENTS = 256 };

/* ---- the file's names that a kernel reads ---- */

static bool is_plain(const Object *value) {
    if (value->kind == OBJECT_TUPLE && !value->names) {
        for (int i = 0; i < value->num_items; i++)
            if (!is_plain(value->items[i])) return false;
        return true;
    }
    return object_is_number(value) || value->kind == OBJECT_STR || value->kind == OBJECT_NONE;
}

static void set_globals_of(Host *host, tern_module *module, const FunctionDef *def, int depth);

/* Where the script's value is not what the text alone says, the kernel gets the script's. */
static void set_global(Host *host, tern_module *module, Str name, int depth) {
    Exec *exec = exec_of(host);
    Object *value = map_get(&host->module->space, name);
    if (!value || is_raised(host)) return;
    bool is_jit = value->kind == OBJECT_HOST && !strcmp(value->type->name, "JITFunction");
    if (is_jit && depth < 20)
        set_globals_of(host, module, value->items[0]->function->def, depth + 1);
    if (!is_plain(value)) return;
    Diag quiet = {.arena = exec->arena, .muted = true};
    const Object *text = module_lookup(exec->arena, host->module, name, &quiet);
    if (text && is_plain(text) && object_equal(text, value)) return;
    Buf repr = {.arena = host->arena};
    host_print(host, value, &repr, true);
    if (tern_module_set_global(module, str_c(host->arena, name), repr.data))
        host_raise(host, CLASS_RUNTIME_ERROR, "%s", tern_message(exec->context));
}

static void globals_of_expr(Host *host, tern_module *module, const Expr *expr, int depth) {
    if (!expr) return;
    if (expr->kind == EXPR_NAME && !expr->slot) set_global(host, module, expr->text, depth);
    globals_of_expr(host, module, expr->left, depth);
    globals_of_expr(host, module, expr->right, depth);
    globals_of_expr(host, module, expr->condition, depth);
    for (int i = 0; i < expr->num_items; i++) globals_of_expr(host, module, expr->items[i], depth);
    for (int i = 0; i < expr->num_args; i++)
        globals_of_expr(host, module, expr->args[i].value, depth);
}

static void globals_of_block(Host *host, tern_module *module, Block block, int depth) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        globals_of_expr(host, module, stmt->value, depth);
        for (int k = 0; k < stmt->num_targets; k++)
            globals_of_expr(host, module, stmt->targets[k], depth);
        globals_of_block(host, module, stmt->body, depth);
        globals_of_block(host, module, stmt->orelse, depth);
    }
}

static void set_globals_of(Host *host, tern_module *module, const FunctionDef *def, int depth) {
    globals_of_block(host, module, def->body, depth);
}

/* ---- from arguments to a signature ---- */

typedef struct Launch {
    Object *values[MOST_ARGUMENTS]; /* by parameter */
    int num_warps, num_stages;
    bool precise;
    Buf signature;
    bool is_key; /* nothing is launched: a descriptor may lack what a hook sets */
    tern_argument arguments[MOST_ARGUMENTS + 2 * TERN_DESCRIPTOR_RANK];
    int num_arguments;
} Launch;

/* The file of a function, for its kernels: loaded once. NULL: raised. */
static tern_module *file_of(Host *host, const Module *module) {
    Exec *exec = exec_of(host);
    for (int i = 0; i < exec->files.count; i++)
        if (exec->files.data[i].of == module) return exec->files.data[i].module;
    const char *path = str_c(host->arena, module->path);
    bool is_text = exec->text && str_is(module->path, exec->path);
    tern_module *loaded = is_text
                              ? tern_load_text(exec->context, exec->text, strlen(exec->text), path)
                              : tern_load_file(exec->context, path);
    if (!loaded) return tensor_failed(host), NULL;
    vec_push(exec->arena, &exec->files, ((KernelFile){module, loaded}));
    return loaded;
}

static bool find_function(Host *host, const Object *function, Jit *jit) {
    const FunctionDef *def = function->function->def;
    int line, column;
    jit->module = file_of(host, function->function->module);
    if (!jit->module) return false;
    source_position(def->span.source, def->span.start, &line, &column);
    Str name = str_format(host->arena, "%.*s@%d", STR_ARG(def->name), line);
    jit->function = tern_module_find(jit->module, name.data);
    if (!jit->function)
        host_refuse(host, "the kernel '%.*s', which is not in its file's text", STR_ARG(def->name));
    return jit->function != NULL;
}

static bool is_option(Host *host, Str name, Object *value, Launch *launch) {
    int64_t number = 0;
    bool counts = str_is(name, "num_warps") || str_is(name, "num_stages");
    /* Hints for other back ends, which change no result. */
    static const char *const hints[] = {"num_cpu_threads", "matrix_instr_nonkdim", "waves_per_eu",
                                        "kpack"};
    for (int i = 0; i < COUNT(hints); i++)
        if (str_is(name, hints[i])) return true;
    bool fuses = str_is(name, "enable_fp_fusion");
    if (fuses) launch->precise = !script_truth(host, value);
    if (!counts && !fuses && !str_is(name, "num_ctas") && !str_is(name, "maxnreg")) return false;
    if (!counts) return true;
    if (!host_int(host, value, "a launch's option", &number)) return true;
    if (str_is(name, "num_warps")) launch->num_warps = (int)number;
    if (str_is(name, "num_stages")) launch->num_stages = (int)number;
    return true;
}

static bool names_parameter(const FunctionDef *def, Str name) {
    for (int i = 0; i < def->num_params; i++)
        if (str_equal(def->params[i].name, name)) return true;
    return false;
}

/* Where they may be `some`, what is not given stays NULL. */
static bool place_arguments(Host *host, const Object *function, const HostCall *call,
                            Launch *launch, bool some) {
    const FunctionDef *def = function->function->def;
    int next = 0;
    if (def->num_params > MOST_ARGUMENTS)
        return host_refuse(host, "a kernel of so many parameters"), false;
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        int at = name.length ? 0 : next++;
        /* An option that is a parameter, too, is both. */
        if (name.length && names_parameter(def, name)) is_option(host, name, call->args[i], launch);
        while (name.length && at < def->num_params && !str_equal(def->params[at].name, name)) at++;
        if (at >= def->num_params) {
            if (name.length && is_option(host, name, call->args[i], launch)) continue;
            host_raise(host, CLASS_TYPE_ERROR,
                       name.length ? "got an unexpected keyword argument '%.*s'"
                                   : "too many positional arguments%.*s",
                       name.length, name.length ? name.data : "");
            return false;
        }
        launch->values[at] = call->args[i];
    }
    for (int i = 0; i < def->num_params && !some; i++) {
        if (!launch->values[i])
            launch->values[i] = function->items[function->function->num_cells + i];
        if (launch->values[i]) continue;
        host_raise(host, CLASS_TYPE_ERROR,
                   "dynamic_func() missing 1 required positional argument: "
                   "'%.*s'",
                   STR_ARG(def->params[i].name));
        return false;
    }
    return !is_raised(host);
}

static bool constant_text(Host *host, Object *value, Buf *out) {
    bool torch = value->kind == OBJECT_DTYPE && value->text.length;
    if (value->kind == OBJECT_DTYPE && !torch) {
        ltype_print(out, value->ltype);
        return true;
    }
    if (!is_plain(value))
        return host_refuse(host, "a constant of a kernel that is a %.*s",
                           STR_ARG(class_info(class_of(host, value))->name)),
               false;
    host_print(host, value, out, true);
    return true;
}

static tern_argument tensor_argument(Object *value, const tern_function_parameter *parameter,
                                     Buf *out) {
    size_t offset;
    tern_tensor *tensor = tensor_of(value);
    tern_buffer *buffer = tern_tensor_buffer(tensor, &offset);
    uintptr_t address = (uintptr_t)tern_buffer_pointer(buffer) + offset;
    bool promises = !parameter->do_not_specialize && !parameter->do_not_specialize_on_alignment;
    buf_printf(out, "*%s%s", tern_dtype_name(tern_tensor_dtype(tensor)),
               promises && address % 16 == 0 ? ":16" : "");
    tern_argument argument = tern_arg_buffer(buffer);
    argument.offset = offset;
    return argument;
}

/* triton.reinterpret(tensor, dtype): its base, and in the signature a pointer to the other type. */
static bool add_reinterpreted(Host *host, Object *value, const tern_function_parameter *parameter,
                              Launch *launch) {
    Buf plain = {.arena = host->arena}, *out = &launch->signature;
    Object *base = dict_find_text(value->items[1], STR("base"));
    const Object *type = dict_find_text(value->items[1], STR("dtype"));
    if (!base || !is_tensor_object(base) || !type || type->kind != OBJECT_DTYPE ||
        type->ltype.levels || type->rank || type->ltype.dtype == DTYPE_VOID)
        return host_refuse(host, "triton.reinterpret of this, or to this type"), false;
    launch->arguments[launch->num_arguments++] = tensor_argument(base, parameter, &plain);
    const char *promise = memchr(plain.data, ':', plain.length);
    buf_printf(out, "*%s%s", dtype_name(type->ltype.dtype), promise ? promise : "");
    return true;
}

/* What of the file's says where it lies and of which type it is, by data_ptr() and dtype. */
static bool has_pointer(const Object *value) {
    return value->kind == OBJECT_HOST && value->type == &instance_type &&
           class_member(value->items[0], STR("data_ptr"));
}

static bool add_pointer(Host *host, Object *value, const tern_function_parameter *parameter,
                        Launch *launch) {
    int64_t address;
    size_t offset;
    Object *type = host_attribute(host, value, STR("dtype"));
    Object *where = special_call(host, value, "data_ptr", 0, NULL);
    if (is_raised(host) || !host_int(host, where, "data_ptr()", &address)) return false;
    if (type->kind != OBJECT_DTYPE || type->ltype.levels || type->rank)
        return host_refuse(host, "a kernel's argument whose dtype is no type of an element"), false;
    const void *pointer = (const void *)(uintptr_t)address;
    tern_buffer *buffer = tern_buffer_at(exec_of(host)->context, pointer, &offset);
    if (!buffer)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "a kernel's argument points to no tensor's memory"),
               false;
    bool promises = !parameter->do_not_specialize && !parameter->do_not_specialize_on_alignment;
    tern_argument *argument = &launch->arguments[launch->num_arguments++];
    *argument = tern_arg_buffer(buffer);
    argument->offset = offset;
    buf_printf(&launch->signature, "*%s%s", dtype_name(type->ltype.dtype),
               promises && address % 16 == 0 ? ":16" : "");
    return true;
}

static bool add_descriptor(Host *host, Object *value, Launch *launch) {
    char type[200];
    tern_descriptor descriptor;
    if (!descriptor_of(host, value, &descriptor)) return false;
    const char *error = launch->is_key ? NULL : tern_descriptor_error(&descriptor);
    if (error) return host_raise(host, CLASS_VALUE_ERROR, "a TensorDescriptor: %s", error), false;
    tern_descriptor_type(&descriptor, type, sizeof type);
    buf_puts(&launch->signature, type);
    launch->num_arguments +=
        tern_descriptor_arguments(&descriptor, launch->arguments + launch->num_arguments);
    return true;
}

/* One parameter: its part of the signature, and the argument unless it is a constant. */
static bool add_argument(Host *host, Object *value, const tern_function_parameter *parameter,
                         Launch *launch) {
    Buf *out = &launch->signature;
    int64_t number;
    if (parameter->is_constexpr || value->kind == OBJECT_NONE)
        return constant_text(host, value, out);
    if (launch->num_arguments >= MOST_ARGUMENTS)
        return host_refuse(host, "a kernel of so many arguments"), false;
    if (is_descriptor_object(value)) return add_descriptor(host, value, launch);
    if (is_instance_of(value, "triton._wrapper", "TensorWrapper"))
        return add_reinterpreted(host, value, parameter, launch);
    if (has_pointer(value)) return add_pointer(host, value, parameter, launch);
    tern_argument *argument = &launch->arguments[launch->num_arguments];
    if (is_tensor_object(value)) {
        *argument = tensor_argument(value, parameter, out);
    } else if (value->kind == OBJECT_BOOL) {
        buf_puts(out, "i1");
        *argument = tern_arg_int(value->integer != 0);
    } else if (value->kind == OBJECT_INT) {
        if (!host_int(host, value, "a kernel's argument", &number)) return false;
        bool wide = number < INT32_MIN || number > INT32_MAX;
        bool is_one = number == 1 && !parameter->do_not_specialize;
        bool promises = number % 16 == 0 && !parameter->do_not_specialize &&
                        !parameter->do_not_specialize_on_alignment;
        buf_printf(out, "%s%s", wide ? "i64" : "i32", is_one ? ":1" : promises ? ":16" : "");
        *argument = tern_arg_int(number);
        if (is_one) return true; /* a constant for the kernel */
    } else if (value->kind == OBJECT_FLOAT) {
        buf_puts(out, "fp32");
        *argument = tern_arg_float(value->number);
    } else {
        return host_refuse(host, "a %.*s as an argument of a kernel",
                           STR_ARG(class_info(class_of(host, value))->name)),
               false;
    }
    launch->num_arguments++;
    return true;
}

/* ---- launching ---- */

static tern_kernel *compiled(Host *host, Jit *jit, const Launch *launch) {
    Exec *exec = exec_of(host);
    Str signature = launch->signature.length ? buf_str(&launch->signature) : STR("");
    for (int i = 0; i < jit->kernels.count; i++) {
        const Compiled *one = &jit->kernels.data[i];
        if (one->num_warps == launch->num_warps && one->num_stages == launch->num_stages &&
            one->precise == launch->precise && str_equal(one->signature, signature))
            return one->kernel;
    }
    tern_options options = {.size = sizeof options,
                            .num_warps = launch->num_warps,
                            .num_stages = launch->num_stages,
                            .precise = launch->precise};
    Str name = str_format(host->arena, "%s@%d", jit->function->name, jit->function->line);
    tern_kernel *kernel =
        tern_compile(jit->module, name.data, str_c(host->arena, signature), &options);
    if (!kernel) {
        tern_status status = tern_message_status(exec->context);
        exec->is_config_refused =
            status == TERN_ERROR_UNSUPPORTED || status == TERN_ERROR_DEVICE ||
            strstr(tern_message(exec->context), "static assertion failed") != NULL;
        host_raise(host, CLASS_RUNTIME_ERROR, "the kernel '%s' does not compile:\n%s",
                   jit->function->name, tern_message(exec->context));
        return NULL;
    }
    vec_push(exec->arena, &jit->kernels,
             ((Compiled){str_copy(exec->arena, signature), launch->num_warps, launch->num_stages,
                         launch->precise, kernel}));
    return kernel;
}

/* A tuple of up to three numbers, one number, or what a function of the arguments gives. */
static bool grid_of(Host *host, Object *grid, const FunctionDef *def, const Launch *launch,
                    uint32_t sizes[3]) {
    bool is_list = grid->kind == OBJECT_TUPLE || grid->kind == OBJECT_LIST;
    if (!is_list && !object_is_integral(grid)) {
        Object *meta = heap_list(host, OBJECT_DICT, 0, NULL);
        for (int i = 0; i < def->num_params; i++)
            dict_put(host, meta, object_str(host->arena, def->params[i].name), launch->values[i]);
        grid = host_invoke_with(host, grid, 1, &meta);
        if (is_raised(host)) return false;
        is_list = grid->kind == OBJECT_TUPLE || grid->kind == OBJECT_LIST;
    }
    int count = is_list ? grid->num_items : 1;
    if (count < 1 || count > 3)
        return host_raise(host, CLASS_VALUE_ERROR, "a grid has one to three sizes"), false;
    for (int i = 0; i < 3; i++) {
        int64_t size = 1;
        Object *one = i < count ? is_list ? grid->items[i] : grid : NULL;
        if (one && !host_int(host, one, "a size of the grid", &size)) return false;
        if (size < 0 || size > INT32_MAX)
            return host_raise(host, CLASS_VALUE_ERROR, "a grid of %lld programs", (long long)size),
                   false;
        sizes[i] = (uint32_t)size;
    }
    return true;
}

/* The kernel in the file's text, with the values that the file's names have now. */
static bool make_known(Host *host, const Object *self) {
    const Object *function = self->items[0];
    Jit *jit = self->payload;
    if (!jit->function) {
        Host of_file = *host;
        of_file.module = function->function->module;
        if (find_function(host, function, jit))
            set_globals_of(&of_file, jit->module, function->function->def, 0);
    }
    return !is_raised(host);
}

char *jit_tuned_key(Host *host, const Object *self, const HostCall *call) {
    enum { MOST_KNOWN = MOST_ARGUMENTS };
    Launch *launch = arena_new_of(host->arena, Launch);
    const Jit *jit = self->payload;
    const FunctionDef *def = self->items[0]->function->def;
    tern_value *known = arena_array(host->arena, tern_value, MOST_KNOWN);
    int num_known = 0;
    launch->is_key = true;
    launch->signature.arena = host->arena;
    if (!make_known(host, self) || !place_arguments(host, self->items[0], call, launch, true))
        return NULL;
    buf_puts(&launch->signature, "");
    for (int i = 0; i < def->num_params; i++) {
        const char *name = jit->function->parameters[i].name;
        Object *value = launch->values[i];
        if (!value) continue;
        buf_printf(&launch->signature, "%s%s=", launch->signature.length ? ", " : "", name);
        if (!add_argument(host, value, &jit->function->parameters[i], launch)) return NULL;
        if (!object_is_number(value)) continue;
        Buf text = {.arena = host->arena};
        host_print(host, value, &text, true);
        known[num_known++] = (tern_value){name, text.data};
    }
    Str function = str_format(host->arena, "%s@%d", jit->function->name, jit->function->line);
    char *key =
        tern_tuned_key(jit->module, function.data, launch->signature.data, known, num_known);
    if (!key) tensor_failed(host);
    return key;
}

/* A function that is called before each launch and gives what is called after it; None: nothing. */
Object *run_launch_hook(Host *host, Object *const *args, const HostCall *call) {
    Exec *exec = exec_of(host);
    bool is_none = args[0]->kind == OBJECT_NONE;
    (void)call;
    if (exec->launch_hook) host_drop(host, exec->launch_hook);
    exec->launch_hook = is_none ? NULL : host_keep(host, args[0]);
    return host->script->none;
}

static Object *hook_before(Host *host, Object *self, const FunctionDef *def, const Launch *launch,
                           const uint32_t grid[3]) {
    Object *hook = exec_of(host)->launch_hook, *sizes[3];
    if (!hook) return NULL;
    Object *arguments = heap_list(host, OBJECT_DICT, 0, NULL);
    for (int i = 0; i < def->num_params; i++)
        dict_put(host, arguments, object_str(host->arena, def->params[i].name), launch->values[i]);
    for (int i = 0; i < 3; i++) sizes[i] = object_int(host->arena, grid[i]);
    Object *metadata = self->items[1];
    return host_invoke_with(host, hook, 4,
                            (Object *[]){object_str(host->arena, def->name), metadata,
                                         heap_list(host, OBJECT_TUPLE, 3, sizes), arguments});
}

/* With `grid` NULL the kernel is only made ready, and *ready. */
static Object *launch_on(Host *host, Object *self, Object *grid_object, const HostCall *call,
                         tern_kernel **ready) {
    Object *function = self->items[0];
    Jit *jit = self->payload;
    const FunctionDef *def = function->function->def;
    Launch *launch = arena_new_of(host->arena, Launch);
    uint32_t grid[3];
    launch->signature.arena = host->arena;
    if (!host_may_do(host, "launching a kernel")) return host->script->poison;
    if (function->function->num_cells)
        return host_refuse(host, "a kernel that sees variables of the function around it");
    if (!make_known(host, self) || !place_arguments(host, function, call, launch, false))
        return host->script->poison;
    for (int i = 0; i < def->num_params; i++) {
        if (i) buf_puts(&launch->signature, ", ");
        if (!add_argument(host, launch->values[i], &jit->function->parameters[i], launch))
            return host->script->poison;
    }
    if (grid_object && !grid_of(host, grid_object, def, launch, grid)) return host->script->poison;
    host->span = call->span;
    tern_kernel *kernel = compiled(host, jit, launch);
    if (!kernel) return host->script->poison;
    if (!grid_object) {
        *ready = kernel;
        return host->script->none;
    }
    Object *after = hook_before(host, self, def, launch, grid);
    if (is_raised(host)) return host->script->poison;
    if (tern_launch(NULL, kernel, grid, launch->arguments, launch->num_arguments))
        return tensor_failed(host);
    if (after && after->kind != OBJECT_NONE) host_invoke_with(host, after, 0, NULL);
    return is_raised(host) ? host->script->poison : host->script->none;
}

static Object *launch(Host *host, Object *launcher, const HostCall *call) {
    return launch_on(host, launcher->items[0], launcher->items[1], call, NULL);
}

static const HostType launcher_type = {.name = "launcher", .call = launch};

static Object *jit_grid(Host *host, Object *self, Object *grid) {
    return heap_host(host, &launcher_type, 2, (Object *[]){self, grid});
}

/* ---- what warmup gives: a kernel with its constants ---- */

/* items: the jit function, a dict of its constants and options. kernel[grid](..) takes the other
 * arguments, or all. */
static Object *ready_call(Host *host, Object *launcher, const HostCall *call) {
    Object *ready = launcher->items[0], *jit = ready->items[0], *kept = ready->items[1];
    const FunctionDef *def = jit->items[0]->function->def;
    bool all = call->num_args == def->num_params;
    int count = 0, next = 0, most = def->num_params + kept->num_items / 2;
    Object **values = arena_array(host->arena, Object *, most + 1);
    Str *names = arena_array(host->arena, Str, most + 1);
    for (int i = 0; i < def->num_params; i++) {
        bool is_kept = dict_find_text(kept, def->params[i].name) != NULL;
        if (is_kept) next += all;
        if (is_kept) continue;
        if (next == call->num_args || (call->names && call->names[next].length))
            return host_raise(host, CLASS_TYPE_ERROR, "the kernel misses the argument '%.*s'",
                              STR_ARG(def->params[i].name));
        names[count] = def->params[i].name, values[count++] = call->args[next++];
    }
    for (int i = 0; i + 1 < kept->num_items; i += 2)
        names[count] = kept->items[i]->text, values[count++] = kept->items[i + 1];
    HostCall whole = {.num_args = count, .args = values, .names = names, .span = call->span};
    return launch_on(host, jit, launcher->items[1], &whole, NULL);
}

static const HostType ready_launcher_type = {.name = "launcher", .call = ready_call};

static Object *ready_grid(Host *host, Object *self, Object *grid) {
    return heap_host(host, &ready_launcher_type, 2, (Object *[]){self, grid});
}

static Object *run_nothing(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, host->script->none;
}

/* A number of the kernel's facts. */
static Object *fact_of(Host *host, tern_kernel *kernel, const char *name) {
    const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
    const char *line = facts ? strstr(facts, name) : NULL;
    return line ? object_int(host->arena, atoi(line + strlen(name)))
                : host_refuse(host, "what a kernel takes of this GPU: the driver does not say");
}

/* What the kernel takes of a GPU. On a CPU stand-ins, which files divide by: it is not known. */
static Object *ready_get(Host *host, Object *self, Str name) {
    static const Native nothing = NATIVE("_init_handles", "", run_nothing);
    tern_gpu gpu;
    if (str_is(name, "_init_handles")) return native_new(host, &nothing, NULL);
    bool is_gpu = tern_context_gpu(exec_of(host)->context, &gpu) == TERN_OK;
    if (str_is(name, "n_regs"))
        return is_gpu ? fact_of(host, self->payload, "\nregisters: ") : object_int(host->arena, 32);
    if (!str_is(name, "metadata")) return NULL;
    Object *shared =
        is_gpu ? fact_of(host, self->payload, "\nshared bytes: ") : object_int(host->arena, 1);
    if (is_raised(host)) return host->script->poison;
    Object *metadata = host_module_new(host, "metadata");
    module_add(host, metadata, "shared", shared);
    return metadata;
}

static const HostType ready_type = {
    .name = "CompiledKernel", .attribute = ready_get, .subscript = ready_grid};

static Object *run_warmup(Host *host, Object *const *args, const HostCall *call) {
    Object *self = call->self, *kept = heap_list(host, OBJECT_DICT, 0, NULL);
    const FunctionDef *def = self->items[0]->function->def;
    HostCall inner = *call;
    Object **values = arena_array(host->arena, Object *, call->num_args + 1);
    Str *names = arena_array(host->arena, Str, call->num_args + 1);
    int count = 0;
    (void)args;
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        if (str_is(name, "grid")) continue;
        if (name.length) dict_put(host, kept, object_str(host->arena, name), call->args[i]);
        values[count] = call->args[i], names[count++] = name;
    }
    inner.num_args = count, inner.args = values, inner.names = names;
    tern_kernel *kernel;
    launch_on(host, self, NULL, &inner, &kernel);
    if (is_raised(host)) return host->script->poison;
    const Jit *jit = self->payload;
    for (int i = 0, next = 0; i < def->num_params; i++) /* constants by place */
        if (!dict_find_text(kept, def->params[i].name)) {
            if (jit->function->parameters[i].is_constexpr && next < count && !names[next].length)
                dict_put(host, kept, object_str(host->arena, def->params[i].name), values[next]);
            next++;
        }
    Object *ready = heap_host(host, &ready_type, 2, (Object *[]){self, kept});
    ready->payload = kernel;
    return ready;
}

/* run(*args, grid=.., warmup=False, **kwargs): what kernel[grid](..) calls in Triton. */
static Object *run_run(Host *host, Object *const *args, const HostCall *call) {
    HostCall inner = *call;
    Object **values = arena_array(host->arena, Object *, call->num_args + 1), *grid = NULL;
    Str *names = arena_array(host->arena, Str, call->num_args + 1);
    int count = 0;
    (void)args;
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        if (str_is(name, "grid")) grid = call->args[i];
        if (str_is(name, "warmup") && script_truth(host, call->args[i]))
            return host_refuse(host, "run(.., warmup=True): .warmup(..) does it");
        if (str_is(name, "grid") || str_is(name, "warmup")) continue;
        values[count] = call->args[i], names[count++] = name;
    }
    if (!grid) return host_raise(host, CLASS_TYPE_ERROR, "run() missing required argument 'grid'");
    inner.num_args = count, inner.args = values, inner.names = names;
    return launch_on(host, call->self, grid, &inner, NULL);
}

static Object *arg_names(Host *host, const FunctionDef *def) {
    Object *names = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < def->num_params; i++)
        list_insert(host, names, i, object_str(host->arena, def->params[i].name));
    return names;
}

static Object *jit_get(Host *host, Object *self, Str name) {
    static const Native warmup = NATIVE("warmup", "..", run_warmup),
                        run = NATIVE("run", "..", run_run);
    if (str_is(name, "warmup")) return native_new(host, &warmup, self);
    if (str_is(name, "run")) return native_new(host, &run, self);
    if (str_is(name, "arg_names")) return arg_names(host, self->items[0]->function->def);
    if (str_is(name, "fn")) return host_hold(host, self->items[0]);
    return str_starts(name, "__") ? host_get(host, self->items[0], name) : NULL;
}

static Object *jit_call(Host *host, Object *self, const HostCall *call) {
    (void)self, (void)call;
    return host_raise(host, CLASS_RUNTIME_ERROR,
                      "Cannot call @triton.jit'd outside of the scope of "
                      "a kernel");
}

static const HostType jit_type = {
    .name = "JITFunction", .attribute = jit_get, .subscript = jit_grid, .call = jit_call};

static Object *jit_of(Host *host, Object *const *args, const HostCall *call) {
    if (args[0]->kind != OBJECT_FUNCTION) return host_refuse(host, "@triton.jit of no function");
    Object *parts[] = {args[0], call->self ? call->self : host->script->none};
    Object *jit = heap_host(host, &jit_type, 2, parts);
    jit->payload = arena_new_of(exec_of(host)->arena, Jit);
    return jit;
}

/* @triton.jit and @triton.jit(..): the options are read from the text, but launch_metadata, which
 * is called at launches. */
Object *jit_decorator(Host *host, Object *const *args, const HostCall *call) {
    static const Native with_options = NATIVE("jit", "fn", jit_of);
    (void)args;
    Object *metadata = NULL;
    bool direct = call->num_args == 1 && !(call->names && call->names[0].length);
    HostCall bare = *call;
    bare.self = NULL;
    for (int i = 0; i < call->num_args && call->names; i++)
        if (str_is(call->names[i], "launch_metadata")) metadata = call->args[i];
    return direct ? jit_of(host, call->args, &bare) : native_new(host, &with_options, metadata);
}
