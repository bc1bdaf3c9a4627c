// SPDX-License-Identifier: Apache-2.0
/* script_call: names, functions and calls of a running script, comprehensions, imports. */
#include "lang/script.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- functions in C ---- */

static void native_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)host, (void)as_repr;
    buf_printf(out, "<built-in function %s>", native_name(self));
}

const HostType native_type = {.name = "builtin_function_or_method", .print = native_print};
const HostType cell_type = {.name = "cell"};

Object *native_new(Host *host, const Native *native, Object *self) {
    Object *object = heap_host(host, &native_type, self ? 1 : 0, &self);
    object->payload = (void *)(uintptr_t)native;
    return object;
}

Object *native_of(Host *host, const Native *rows, int count, Str name, Object *self) {
    for (int i = 0; i < count; i++)
        if (str_is(name, rows[i].name)) return native_new(host, &rows[i], self);
    return NULL;
}

const char *native_name(const Object *native) { return ((const Native *)native->payload)->name; }

/* The next word of "x, dim?, *, y": its length; *optional; the rest. */
static Str next_parameter(const char **rest, bool *optional) {
    while (**rest == ' ' || **rest == ',') ++*rest;
    int length = (int)strcspn(*rest, ",");
    Str word = {*rest, length};
    *rest += length;
    *optional = length && word.data[length - 1] == '?';
    if (*optional) word.length--;
    return word;
}

/* "dim|axis" is either. */
static bool is_called(Str parameter, Str name) {
    for (int at = 0; at <= parameter.length;) {
        int end = at;
        while (end < parameter.length && parameter.data[end] != '|') end++;
        if (str_equal((Str){parameter.data + at, end - at}, name)) return true;
        at = end + 1;
    }
    return false;
}

/* A call that does not fit: a TypeError of the methods of lists and alike, which are whole; else it
 * is refused, since the function that is meant may take it. */
__attribute__((format(printf, 3, 4))) static Object *misfit(Host *host, const HostCall *call,
                                                            const char *format, ...) {
    Buf words = {.arena = host->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    if (call->self && call->self->kind != OBJECT_HOST)
        return host_raise(host, CLASS_TYPE_ERROR, "%s", words.data);
    return host_refuse(host, "%s", words.data);
}

static Object *native_bind(Host *host, const Native *native, const HostCall *call,
                           Object **places) {
    int count = 0, positional = 0, given = 0;
    bool by_name_only = false, optional, needed[MAX_NATIVE_PARAMETERS];
    Str words[MAX_NATIVE_PARAMETERS];
    for (const char *rest = native->parameters; *rest;) {
        Str word = next_parameter(&rest, &optional);
        if (str_is(word, "*")) {
            by_name_only = true;
            continue;
        }
        needed[count] = !optional, places[count] = NULL, words[count++] = word;
        positional += !by_name_only;
    }
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        int at = name.length ? 0 : given++;
        while (name.length && at < count && !is_called(words[at], name)) at++;
        if (!name.length && at >= positional)
            return misfit(host, call, "%s() takes %d positional argument%s but more were given",
                          native->name, positional, positional == 1 ? "" : "s");
        if (at >= count)
            return misfit(host, call, "%s() got an unexpected keyword argument '%.*s'",
                          native->name, STR_ARG(name));
        places[at] = call->args[i];
    }
    for (int i = 0; i < count; i++)
        if (needed[i] && !places[i])
            return misfit(host, call, "%s() missing required argument '%.*s'", native->name,
                          STR_ARG(words[i]));
    return NULL;
}

static Object *native_call(Host *host, Object *callee, const HostCall *call) {
    const Native *native = callee->payload;
    HostCall own = *call;
    Object *places[MAX_NATIVE_PARAMETERS + 1] = {0};
    own.self = callee->num_items ? callee->items[0] : NULL;
    own.id = native->id;
    host->span = call->span;
    if (strcmp(native->parameters, "..") != 0) {
        Object *failed = native_bind(host, native, &own, places);
        if (failed) return failed;
    }
    host->script->calling = native->name;
    Object *result = native->run(host, places, &own);
    return is_raised(host) ? host->script->poison : result;
}

/* ---- names ---- */

static Object **slot_place(Host *host, int slot) {
    Object **place = &host->slots[slot - 1];
    return host->layout->slots.data[slot - 1].is_cell ? &(*place)->items[0] : place;
}

Object *host_load(Host *host, const Expr *name) {
    Script *script = host->script;
    if (name->slot > 0) {
        Object *value = *slot_place(host, name->slot);
        if (script->watch && host->layout->slots.data[name->slot - 1].is_cell)
            host_was_read(host, WATCH_CELL, host->slots[name->slot - 1], name->text, value);
        if (value) return host_hold(host, value);
        if (host->layout->slots.data[name->slot - 1].from)
            return host_raise(host, CLASS_NAME_ERROR,
                              "cannot access free variable '%.*s' where it is not associated with "
                              "a value in enclosing scope",
                              STR_ARG(name->text));
        return host_raise(host, CLASS_UNBOUND_LOCAL_ERROR,
                          "cannot access local variable '%.*s' where it is not associated with a "
                          "value",
                          STR_ARG(name->text));
    }
    Object *value = host->space && !name->slot ? map_get(host->space, name->text) : NULL;
    if (!value)
        value = host_was_read(host, WATCH_NAME, &host->module->space, name->text,
                              map_get(&host->module->space, name->text));
    if (!value) value = map_get(&script->builtins, name->text);
    if (value) return host_hold(host, value);
    return host_raise(host, CLASS_NAME_ERROR, "name '%.*s' is not defined", STR_ARG(name->text));
}

static void set_in(Host *host, Map *space, Str name, Object *value) {
    Object *old = map_get(space, name);
    if (!old && !value) return;
    Object *kept = value ? host_keep(host, value) : NULL;
    map_set(space, name, kept); /* names are of the file's text */
    host_drop(host, old);
}

/* Of a function that is traced. The body of a class has a space of its own. */
static bool may_bind(Host *host, int slot, Str name, Object *value) {
    if (slot && host->layout->slots.data[slot - 1].is_cell &&
        !host_may_change(host, host->slots[slot - 1], "a variable"))
        return false;
    bool in_class = host->function && host->function->type == &class_type;
    if (!slot && !in_class && !host_may_do(host, "setting a name of the file")) return false;
    if (value) host->script->watch->bound(host, name, value);
    return true;
}

bool host_bind_slot(Host *host, int slot, Str name, Object *value) {
    if (is_raised(host)) return false;
    if (host->script->watch && !may_bind(host, slot, name, value)) return false;
    if (slot)
        host_store(host, slot_place(host, slot), value);
    else
        set_in(host, host->space ? host->space : &host->module->space, name, value);
    return true;
}

bool host_bind(Host *host, Str name, Object *value) {
    int slot = 0;
    for (int i = 0; !host->space && i < host->layout->slots.count; i++)
        if (str_equal(host->layout->slots.data[i].name, name)) slot = i + 1;
    return host_bind_slot(host, slot, name, value);
}

/* ---- functions ---- */

Object *function_new(Host *host, const FunctionDef *def) {
    int num_cells = 0, at = 0;
    const Slots *slots = def->slots;
    if (def->is_async) return host_refuse(host, "async functions");
    for (int i = 0; i < slots->slots.count; i++) num_cells += slots->slots.data[i].from > 0;
    Object **items = arena_array(host->arena, Object *, num_cells + def->num_params + 1);
    for (int i = 0; i < slots->slots.count; i++)
        if (slots->slots.data[i].from) items[at++] = host->slots[slots->slots.data[i].from - 1];
    for (int i = 0; i < def->num_params; i++, at++)
        if (def->params[i].default_value) items[at] = host_expr(host, def->params[i].default_value);
    if (is_raised(host)) return host->script->poison;
    Object *function = heap_list(host, OBJECT_FUNCTION, at, items);
    bool in_class = host->function && host->function->type == &class_type;
    FunctionObject *info = malloc(sizeof *info);
    if (!info) longjmp(host->script->no_memory, 1);
    *info = (FunctionObject){.def = def,
                             .module = host->module,
                             .num_cells = num_cells,
                             .owner = in_class ? host->function : NULL};
    function->function = info, function->payload = info;
    return function;
}

static Object *argument_error(Host *host, const FunctionDef *def, const char *what, Str name) {
    return host_raise(host, CLASS_TYPE_ERROR, "%.*s() %s '%.*s'", STR_ARG(def->slots->qualified),
                      what, STR_ARG(name));
}

/* Of what stands for Python's or torch's own, which may have it. */
static bool is_ours(const FunctionDef *def) {
    return def->span.source && def->span.source->is_ours;
}

static Object *unexpected(Host *host, const FunctionDef *def, Str name) {
    if (is_ours(def))
        return host_refuse(host, "%.*s() with '%.*s'", STR_ARG(def->slots->qualified),
                           STR_ARG(name));
    for (int i = 0; i < def->num_params; i++)
        if (def->params[i].kind == PARAM_POSITIONAL_ONLY && str_equal(def->params[i].name, name))
            return argument_error(
                host, def, "got some positional-only arguments passed as keyword arguments:", name);
    return argument_error(host, def, "got an unexpected keyword argument", name);
}

static int parameter_named(const FunctionDef *def, Str name) {
    for (int i = 0; i < def->num_params; i++) {
        ParamKind kind = def->params[i].kind;
        if ((kind == PARAM_NORMAL || kind == PARAM_KEYWORD_ONLY) &&
            str_equal(def->params[i].name, name))
            return i;
    }
    return -1;
}

static void too_many(Host *host, const FunctionDef *def, int given) {
    int most = 0, least = 0;
    for (int i = 0; i < def->num_params; i++) {
        bool counts =
            def->params[i].kind == PARAM_NORMAL || def->params[i].kind == PARAM_POSITIONAL_ONLY;
        most += counts;
        least += counts && !def->params[i].default_value;
    }
    if (is_ours(def))
        host_refuse(host, "%.*s() of more than %d positional argument%s",
                    STR_ARG(def->slots->qualified), most, most == 1 ? "" : "s");
    else if (least == most)
        host_raise(host, CLASS_TYPE_ERROR, "%.*s() takes %d positional argument%s but %d %s given",
                   STR_ARG(def->slots->qualified), most, most == 1 ? "" : "s", given,
                   given == 1 ? "was" : "were");
    else
        host_raise(host, CLASS_TYPE_ERROR,
                   "%.*s() takes from %d to %d positional arguments but %d %s given",
                   STR_ARG(def->slots->qualified), least, most, given, given == 1 ? "was" : "were");
}

static void missing(Host *host, const FunctionDef *def, Object *const *values) {
    Buf names = {.arena = host->arena};
    int count = 0, at = 0;
    bool by_name = false;
    for (int i = 0; i < def->num_params; i++) {
        if (values[i] || def->params[i].kind == PARAM_STAR ||
            def->params[i].kind == PARAM_STAR_STAR)
            continue;
        bool keyword = def->params[i].kind == PARAM_KEYWORD_ONLY;
        if (count && keyword != by_name) continue;
        by_name = keyword;
        count++;
    }
    for (int i = 0; i < def->num_params; i++) {
        bool keyword = def->params[i].kind == PARAM_KEYWORD_ONLY;
        if (values[i] || def->params[i].kind == PARAM_STAR ||
            def->params[i].kind == PARAM_STAR_STAR || keyword != by_name)
            continue;
        const char *between = at == 0          ? ""
                              : at + 1 < count ? ", "
                              : count == 2     ? " and "
                                               : ", and ";
        buf_printf(&names, "%s'%.*s'", between, STR_ARG(def->params[i].name));
        at++;
    }
    host_raise(host, CLASS_TYPE_ERROR, "%.*s() missing %d required %s argument%s: %s",
               STR_ARG(def->slots->qualified), count, by_name ? "keyword-only" : "positional",
               count == 1 ? "" : "s", names.data);
}

/* The parameters' values, in order; false: raised. */
static bool bind_call(Host *host, const Object *function, const HostCall *call, Object **values) {
    const FunctionDef *def = function->function->def;
    int next = 0, star = -1, stars = -1, positional = 0;
    for (int i = 0; i < def->num_params; i++) {
        if (def->params[i].kind == PARAM_STAR && def->params[i].name.length) star = i;
        if (def->params[i].kind == PARAM_STAR_STAR) stars = i;
    }
    if (star >= 0) values[star] = heap_list(host, OBJECT_TUPLE, 0, NULL);
    if (stars >= 0) values[stars] = heap_list(host, OBJECT_DICT, 0, NULL);
    for (int i = 0; i < call->num_args; i++) {
        if (call->names && call->names[i].length) continue;
        positional++;
        while (next < def->num_params && def->params[next].kind != PARAM_NORMAL &&
               def->params[next].kind != PARAM_POSITIONAL_ONLY)
            next = def->num_params;
        if (next < def->num_params)
            values[next++] = call->args[i];
        else if (star >= 0)
            list_insert(host, values[star], values[star]->num_items, call->args[i]);
    }
    for (int i = 0; i < call->num_args; i++) {
        if (!call->names || !call->names[i].length) continue;
        int at = parameter_named(def, call->names[i]);
        if (at >= 0 && values[at])
            return argument_error(host, def, "got multiple values for argument", call->names[i]),
                   false;
        if (at >= 0)
            values[at] = call->args[i];
        else if (stars >= 0)
            dict_put(host, values[stars], object_str(host->arena, call->names[i]), call->args[i]);
        else
            return unexpected(host, def, call->names[i]), false;
    }
    int room = 0;
    for (int i = 0; i < def->num_params; i++)
        room += def->params[i].kind == PARAM_NORMAL || def->params[i].kind == PARAM_POSITIONAL_ONLY;
    if (star < 0 && positional > room) return too_many(host, def, positional), false;
    for (int i = 0; i < def->num_params; i++)
        if (!values[i]) values[i] = function->items[function->function->num_cells + i];
    for (int i = 0; i < def->num_params; i++) {
        bool bare = def->params[i].kind == PARAM_STAR && !def->params[i].name.length;
        if (!values[i] && !bare) return missing(host, def, values), false;
    }
    return true;
}

void frame_open(Host *host, const Object *function, Object *const *values) {
    const FunctionDef *def = function->function->def;
    int cell = 0;
    for (int i = 0; i < def->slots->slots.count; i++) {
        const Slot *slot = &def->slots->slots.data[i];
        Object *value = i < def->num_params ? values[i] : NULL;
        if (slot->from)
            host->slots[i] = host_keep(host, function->items[cell++]);
        else if (slot->is_cell)
            host->slots[i] = host_keep(host, heap_host(host, &cell_type, 1, &value));
        else
            host->slots[i] = value ? host_keep(host, value) : NULL;
    }
}

static Object *script_call(Host *host, Object *function, const HostCall *call) {
    enum { DEEPEST = 1000 };
    Script *script = host->script;
    const FunctionDef *def = function->function->def;
    char here;
    if (script->depth >= DEEPEST || &here < script->stack_end)
        return host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded");
    Moment moment = moment_of(host);
    Object **values = arena_array(host->arena, Object *, def->num_params + 1);
    host->span = call->span;
    if (!bind_call(host, function, call, values)) return script->poison;
    Host inner = {.arena = host->arena,
                  .module = function->function->module,
                  .diag = host->diag,
                  .span = host->span,
                  .script = script,
                  .layout = def->slots,
                  .function = function,
                  .outer = host};
    inner.slots = arena_array(host->arena, Object *, def->slots->slots.count + 1);
    frame_open(&inner, function, values);
    if (def->is_generator) {
        if (def->lambda_value) return host_refuse(host, "'yield' in a lambda");
        return generator_new(host, &inner, function);
    }
    Object *result = NULL;
    script->depth++;
    script->innermost = &inner;
    if (def->lambda_value) {
        result = host_expr(&inner, def->lambda_value);
        if (!is_raised(host)) result = host_keep(host, result);
    } else {
        script_block(&inner, def->body, &result);
    }
    script->depth--;
    script->innermost = host;
    for (int i = 0; i < def->slots->slots.count; i++) host_drop(host, inner.slots[i]);
    if (is_raised(host)) {
        if (script->trace.count < 2 * DEEPEST)
            vec_push(script->arena, &script->trace, (Place){call->span});
        moment_end(host, moment);
        return script->poison;
    }
    if (!result)
        result = script->none;
    else {
        moment_end(host, moment);
        host_hold(host, result);
        host_drop(host, result);
        return result;
    }
    moment_end(host, moment);
    return result;
}

/* ---- calls ---- */

HostCall host_call_with(Host *host, Object *first, const HostCall *call) {
    HostCall all = *call;
    Object **args = arena_array(host->arena, Object *, call->num_args + 1);
    Str *names = arena_array(host->arena, Str, call->num_args + 1);
    args[0] = first;
    for (int i = 0; i < call->num_args; i++) {
        args[i + 1] = call->args[i];
        if (call->names) names[i + 1] = call->names[i];
    }
    all.num_args++, all.args = args, all.names = names;
    return all;
}

Object *host_invoke(Host *host, Object *callee, const HostCall *call) {
    if (is_raised(host)) return host->script->poison;
    if (callee->kind == OBJECT_FUNCTION) return script_call(host, callee, call);
    if (callee->kind == OBJECT_METHOD && callee->num_items == 2) {
        HostCall all = host_call_with(host, callee->items[0], call);
        return host_invoke(host, callee->items[1], &all);
    }
    if (callee->kind == OBJECT_HOST) {
        if (callee->type == &native_type) return native_call(host, callee, call);
        if (callee->type == &class_type) return class_call(host, callee, call);
        if (callee->type->call) return callee->type->call(host, callee, call);
        Object *own =
            callee->type == &instance_type ? class_member(callee->items[0], STR("__call__")) : NULL;
        if (own) {
            HostCall all = host_call_with(host, callee, call);
            return host_invoke(host, own, &all);
        }
    }
    host->span = call->span;
    if (callee->kind == OBJECT_OPAQUE) return host_refuse(host, "%.*s", STR_ARG(callee->text));
    if (callee->kind == OBJECT_BUILTIN || (callee->kind == OBJECT_METHOD && callee->builtin)) {
        Object *result = builtin_call_host(host->arena, callee->builtin, call->num_args, call->args,
                                           call->names, call->span, host->diag);
        if (object_is_known(result) && !strcmp(builtin_name(callee->builtin), "constexpr")) {
            Object *boxed = object_new(host->arena, result->kind);
            *boxed = *result;
            boxed->refs = 0, boxed->is_constexpr = true;
            return boxed;
        }
        if (object_is_known(result)) return result;
        return host_refuse(host, "'%s' outside of a kernel", builtin_name(callee->builtin));
    }
    return host_raise(host, CLASS_TYPE_ERROR, "'%.*s' object is not callable",
                      STR_ARG(class_info(class_of(host, callee))->name));
}

Object *host_invoke_with(Host *host, Object *callee, int num_args, Object *const *args) {
    HostCall call = {.num_args = num_args, .args = args, .span = host->span};
    return host_invoke(host, callee, &call);
}

/* ---- comprehensions ---- */

static void fresh_cells(Host *host, const Expr *target) {
    if (target->kind == EXPR_NAME && host->layout->slots.data[target->slot - 1].is_cell)
        host_store(host, &host->slots[target->slot - 1], heap_host(host, &cell_type, 1, NULL));
    if (target->kind == EXPR_STARRED) fresh_cells(host, target->left);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (int i = 0; i < target->num_items; i++) fresh_cells(host, target->items[i]);
}

static void comprehend(Host *host, const Expr *expr, int clause_index, Object *result) {
    if (clause_index == expr->num_clauses) {
        Object *item = host_expr(host, expr->left);
        if (is_raised(host)) return;
        if (str_is(expr->text, "dict"))
            dict_put(host, result, item, host_expr(host, expr->right));
        else if (str_is(expr->text, "set"))
            set_put(host, result, item);
        else
            list_insert(host, result, result->num_items, item);
        return;
    }
    const Clause *clause = &expr->clauses[clause_index];
    Object *iterator = host_iterator(host, host_expr(host, clause->iterable));
    for (Moment moment = moment_of(host); !is_raised(host); moment_end(host, moment)) {
        Object *item = host_next(host, iterator);
        if (!item || !host_step(host, expr->span) || !host_assign(host, clause->target, item))
            return;
        bool fits = true;
        for (int i = 0; i < clause->num_conditions && fits; i++)
            fits = script_truth(host, host_expr(host, clause->conditions[i]));
        if (fits) comprehend(host, expr, clause_index + 1, result);
    }
}

Object *script_comprehension(Host *host, const Expr *expr) {
    if (expr->function) return genexpr_new(host, expr);
    bool is_dict = str_is(expr->text, "dict");
    Object *result = str_is(expr->text, "set")
                         ? heap_set(host)
                         : heap_list(host, is_dict ? OBJECT_DICT : OBJECT_LIST, 0, NULL);
    for (int i = 0; i < expr->num_clauses; i++) fresh_cells(host, expr->clauses[i].target);
    comprehend(host, expr, 0, result);
    if (is_raised(host)) return host->script->poison;
    return result;
}

/* ---- imports ---- */

static Str without_last(Str dotted) {
    while (dotted.length && dotted.data[dotted.length - 1] != '.') dotted.length--;
    if (dotted.length) dotted.length--;
    return dotted;
}

static bool is_package(const Module *module) { return str_ends(module->path, "/__init__.py"); }

/* __name__, __package__, __file__ and a package's __path__. */
static void name_module(Host *host, Module *module, Str name) {
    Arena *arena = host->script->arena;
    Str package = is_package(module) ? name : without_last(name);
    map_set(&module->space, STR("__name__"), host_keep(host, object_str(arena, name)));
    map_set(&module->space, STR("__package__"), host_keep(host, object_str(arena, package)));
    if (!module->path.length) return;
    char here[4096];
    bool is_absolute = module->path.data[0] == '/' || !getcwd(here, sizeof here);
    Str file =
        is_absolute ? module->path : str_format(arena, "%s/%.*s", here, STR_ARG(module->path));
    map_set(&module->space, STR("__file__"), host_keep(host, object_str(arena, file)));
    if (!is_package(module)) return;
    Object *folder = object_str(arena, (Str){file.data, file.length - STR("/__init__.py").length});
    map_set(&module->space, STR("__path__"),
            host_keep(host, heap_list(host, OBJECT_LIST, 1, &folder)));
}

/* A file that does not parse does nothing. */
static bool parses(const Ast *ast, Diag *diag) {
    for (int i = 0; i < ast->body.count; i++) {
        const Stmt *stmt = ast->body.stmts[i];
        if (stmt->kind == STMT_ERROR)
            diag_error(diag, stmt->complaint_span, "%.*s", STR_ARG(stmt->complaint));
    }
    return !diag_failed(diag);
}

bool script_run_file(Host *host, Module *module, Str name) {
    Slots *slots = NULL;
    Script *script = host->script;
    module->space = (Map){.arena = script->arena};
    name_module(host, module, name);
    if (!parses(module->ast, host->diag) ||
        !resolve_file(script->arena, (Ast *)(uintptr_t)module->ast, &slots, host->diag))
        return false;
    Host inner = {.arena = host->arena,
                  .module = module,
                  .diag = host->diag,
                  .span = host->span,
                  .script = script,
                  .layout = slots,
                  .space = &module->space,
                  .outer = host->layout ? host : NULL};
    inner.slots = arena_array(script->arena, Object *, slots->slots.count + 1);
    for (int i = 0; i < slots->slots.count; i++)
        if (slots->slots.data[i].is_cell)
            inner.slots[i] = host_keep(host, heap_host(host, &cell_type, 1, NULL));
    Object *result = NULL;
    script->innermost = &inner;
    if (module != script->main || script_scan(&inner))
        script_block(&inner, module->ast->body, &result);
    script->innermost = inner.outer;
    return !is_raised(host);
}

/* ---- what runs ---- */

static Str frame_name(const Host *frame) {
    const Object *function = frame->function;
    if (!function) return STR("<module>");
    if (function->type == &class_type) return class_info(function)->qualified;
    return function->function->def->slots->qualified;
}

int script_stack(const Script *script, const char **names, int most) {
    int count = 0;
    for (const Host *frame = script->innermost; frame && count < most; frame = frame->outer) {
        const Source *source = frame->span.source;
        int line = 0, column;
        Str file = source ? source->name : STR("?");
        for (int i = 0; i < file.length; i++)
            if (file.data[i] == '/') file.data += i + 1, file.length -= i + 1, i = -1;
        if (source) source_position(source, frame->span.start, &line, &column);
        names[count++] = str_format(frame->arena, "%.*s (%.*s:%d)", STR_ARG(frame_name(frame)),
                                    STR_ARG(file), line)
                             .data;
    }
    return count;
}

/* What __name__ is in the module of a path. A package's __init__.py has the package's name. */
static Str module_name(Host *host, int level, Str path) {
    if (!level) return str_copy(host->script->arena, path);
    const Object *own = map_get(&host->module->space, STR("__name__"));
    Str package = own && own->kind == OBJECT_STR ? own->text : (Str){0};
    if (!is_package(host->module)) package = without_last(package);
    while (--level) package = without_last(package);
    if (!package.length || !path.length)
        return str_copy(host->script->arena, package.length ? package : path);
    return str_format(host->script->arena, "%.*s.%.*s", STR_ARG(package), STR_ARG(path));
}

/* A package has its parts that were imported as attributes. */
static void name_in_package(Host *host, int level, Str package, Str name, Object *module) {
    if (!level && !package.length) return;
    const Object *above = import_module(host->module, level, package, host->diag);
    if (above->kind != OBJECT_MODULE || !above->module || above->module == module->module) return;
    Map *space = &above->module->space;
    Str last = str_copy(host->script->arena, name);
    if (space->arena && !map_get(space, last)) map_set(space, last, host_keep(host, module));
}

/* The module of a path: one of ours, a file's (run once, after its package's), or NULL. */
static Object *find_module(Host *host, int level, Str path) {
    Script *script = host->script;
    Object *module = level ? NULL : module_import(host, path);
    if (module || is_raised(host)) return module;
    Str package = without_last(path); /* runs first */
    if (package.length) find_module(host, level, package);
    if (is_raised(host)) return NULL;
    module = import_as_python(host->module, level, path, host->diag);
    if (diag_failed(host->diag) || module->kind != OBJECT_MODULE) return NULL;
    if (!module->module) return builtin_module_exists(module->text) ? module : NULL;
    Str name = module_name(host, level, path);
    module->text = name;
    if (map_get_pointer(&script->modules, module->module)) return module;
    map_set_pointer(&script->modules, module->module, module->module);
    const Watch *watch = script->watch; /* once, and then it is there */
    script->watch = NULL;
    bool ran = script_run_file(host, module->module, name);
    script->watch = watch;
    int dot = package.length ? package.length + 1 : 0;
    Str last = {path.data + dot, path.length - dot};
    if (ran && last.length) name_in_package(host, level, package, last, module);
    return ran ? module : NULL;
}

Object *host_import(Host *host, Str path) {
    Host of_file = *host;
    if (host->script->main) of_file.module = host->script->main; /* looked for as the file does */
    return find_module(&of_file, 0, path);
}

static Object *missing_module(Host *host, Str path, bool guarded) {
    if (is_raised(host)) return host->script->poison;
    if (guarded)
        return host_raise(host, CLASS_MODULE_NOT_FOUND_ERROR, "No module named '%.*s'",
                          STR_ARG(path));
    Object *opaque = object_new(host->arena, OBJECT_OPAQUE);
    opaque->text = str_format(host->arena, "the module '%.*s'", STR_ARG(path));
    return opaque;
}

static Object *import_name(Host *host, Object *module, const Stmt *stmt, const ImportName *name,
                           bool guarded) {
    if (module->kind == OBJECT_OPAQUE) {
        Object *opaque = object_new(host->arena, OBJECT_OPAQUE);
        opaque->text =
            str_format(host->arena, "'%.*s' of %.*s", STR_ARG(name->path), STR_ARG(module->text));
        return opaque;
    }
    Object *value = module->kind == OBJECT_MODULE && !module->module
                        ? builtin_attribute(host->arena, module->text, name->path)
                        : host_get(host, module, name->path);
    if (value || is_raised(host)) return value;
    Str path = stmt->name.length
                   ? str_format(host->arena, "%.*s.%.*s", STR_ARG(stmt->name), STR_ARG(name->path))
                   : name->path;
    value = find_module(host, stmt->level, path);
    if (value || is_raised(host)) return value;
    if (guarded || (module->kind == OBJECT_MODULE && module->module))
        return host_raise(host, CLASS_IMPORT_ERROR, "cannot import name '%.*s' from '%.*s'",
                          STR_ARG(name->path), STR_ARG(stmt->name));
    Object *opaque = object_new(host->arena, OBJECT_OPAQUE); /* its use is refused */
    opaque->text = str_format(host->arena, "'%.*s.%.*s'", STR_ARG(stmt->name), STR_ARG(name->path));
    return opaque;
}

static void import_star(Host *host, Object *module) {
    if (module->kind != OBJECT_MODULE || !module->module) {
        host_refuse(host, "'import *' of this module");
        return;
    }
    const Map *space = &module->module->space;
    for (int i = 0; i < space->capacity; i++)
        if (space->slots[i].used && space->slots[i].value && space->slots[i].key.data[0] != '_')
            host_bind(host, space->slots[i].key, space->slots[i].value);
}

/* import a.b.c binds a, which has b, which has c. */
static void import_plain(Host *host, const ImportName *name, bool guarded) {
    Object *module = find_module(host, 0, name->path);
    if (!module) module = missing_module(host, name->path, guarded);
    Str head = name->path;
    for (int i = 0; i < head.length; i++)
        if (head.data[i] == '.') head.length = i;
    if (!name->has_alias && head.length < name->path.length) {
        Object *first = find_module(host, 0, head);
        if (first) module = first;
    }
    host_bind(host, name->alias, module);
}

void script_import(Host *host, const Stmt *stmt) {
    bool guarded = host->depth > 0; /* inside `try`, that is what it is for */
    if (stmt->kind == STMT_IMPORT) {
        for (int i = 0; i < stmt->num_names && !is_raised(host); i++)
            import_plain(host, &stmt->names[i], guarded);
        return;
    }
    if (str_is(stmt->name, "__future__")) return;
    if (stmt->level && host->module == host->script->main) {
        host_raise(host, CLASS_IMPORT_ERROR,
                   "attempted relative import with no known parent package");
        return;
    }
    Object *module = find_module(host, stmt->level, stmt->name);
    if (!module) module = missing_module(host, stmt->name, guarded);
    for (int i = 0; i < stmt->num_names && !is_raised(host); i++) {
        if (str_is(stmt->names[i].path, "*"))
            import_star(host, module);
        else
            host_bind(host, stmt->names[i].alias,
                      import_name(host, module, stmt, &stmt->names[i], guarded));
    }
}
