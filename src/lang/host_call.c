// SPDX-License-Identifier: Apache-2.0
/* host_call: calling at compile time: plain Python functions with simple bodies, a few functions of
 * Python's library, triton.Config, namedtuple, and what builtins.def has for host code. */
#include "lang/script.h"

#include <stdlib.h>

/* ---- statements of a Python function ---- */

static Flow run_block(Host *host, Block block, Object **result);
static Flow run_stmt(Host *host, const Stmt *stmt, Object **result);

static Flow run_if(Host *host, const Stmt *stmt, Object **result) {
    bool truth;
    Object *condition = host_expr(host, stmt->value);
    if (!object_is_known(condition) || !object_truth(condition, &truth)) return FLOW_UNKNOWN;
    return run_block(host, truth ? stmt->body : stmt->orelse, result);
}

static Flow run_for(Host *host, const Stmt *stmt, Object **result) {
    int count;
    Object **items;
    if (!host_items(host, host_expr(host, stmt->value), &count, &items)) return FLOW_UNKNOWN;
    for (int i = 0; i < count; i++) {
        if (!host_step(host, stmt->span) || !host_assign(host, stmt->targets[0], items[i]))
            return FLOW_UNKNOWN;
        Flow flow = run_block(host, stmt->body, result);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN || flow == FLOW_UNKNOWN) return flow;
    }
    return run_block(host, stmt->orelse, result);
}

static Flow run_while(Host *host, const Stmt *stmt, Object **result) {
    for (;;) {
        bool truth;
        Object *condition = host_expr(host, stmt->value);
        if (!object_is_known(condition) || !object_truth(condition, &truth)) return FLOW_UNKNOWN;
        if (!truth) return run_block(host, stmt->orelse, result);
        if (!host_step(host, stmt->span)) return FLOW_UNKNOWN;
        Flow flow = run_block(host, stmt->body, result);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN || flow == FLOW_UNKNOWN) return flow;
    }
}

static Flow run_assign(Host *host, const Stmt *stmt) {
    if (!stmt->value) return FLOW_ON;
    Object *value = host_expr(host, stmt->value);
    for (int i = 0; i < stmt->num_targets; i++)
        if (!host_assign(host, stmt->targets[i], value)) return FLOW_UNKNOWN;
    return FLOW_ON;
}

static bool add_items(Host *host, Object *list, int count, Object *const *added);

static Flow run_aug_assign(Host *host, const Stmt *stmt) {
    const char *why = "";
    Object *old = host_expr(host, stmt->targets[0]), *value = host_expr(host, stmt->value);
    if (old->kind == OBJECT_OPAQUE || value->kind == OBJECT_OPAQUE) return FLOW_UNKNOWN;
    /* += on a list changes the list itself, which other names may share. */
    if (stmt->op == OPERATOR_ADD && old->kind == OBJECT_LIST && value->kind == OBJECT_LIST)
        return add_items(host, old, value->num_items, value->items) ? FLOW_ON : FLOW_UNKNOWN;
    Object *result = object_binary(host->arena, stmt->op, old, value, &why);
    return result && host_assign(host, stmt->targets[0], result) ? FLOW_ON : FLOW_UNKNOWN;
}

static Object *named_method(Host *host, const Expr *call, const char *name) {
    bool is = call->kind == EXPR_CALL && call->left->kind == EXPR_ATTRIBUTE &&
              str_is(call->left->text, name) && call->num_args == 1 && !call->args[0].stars &&
              !call->args[0].name.length && call->left->left->kind == EXPR_NAME;
    return is ? host_expr(host, call->left->left) : NULL;
}

static bool add_items(Host *host, Object *list, int count, Object *const *added) {
    if (list->kind != OBJECT_LIST || list->is_frozen || list->num_items + count > HOST_ITEMS)
        return false;
    for (int i = 0; i < count; i++)
        if (added[i] == list) return false;
    Object **items = arena_array(host->arena, Object *, list->num_items + count);
    if (list->num_items) memcpy(items, list->items, (size_t)list->num_items * sizeof *items);
    if (count) memcpy(items + list->num_items, added, (size_t)count * sizeof *items);
    list->items = items;
    list->num_items += count;
    return object_sealed(host->arena, list) == list &&
           host_spend(host, host->span, 1 + list->num_items / 64);
}

/* list.append(x), list.extend(x), dict.update(x): the calls whose effect host code of kernels
 * relies on. Any other call as a statement is there for an effect that we do not know. */
static Flow run_call(Host *host, const Expr *call) {
    int count;
    Object *target, **items;
    if (call->kind == EXPR_STRING || call->kind == EXPR_ELLIPSIS) return FLOW_ON;
    if ((target = named_method(host, call, "append"))) {
        Object *item = host_expr(host, call->args[0].value);
        return add_items(host, target, 1, &item) ? FLOW_ON : FLOW_UNKNOWN;
    }
    if ((target = named_method(host, call, "extend"))) {
        bool ok = host_items(host, host_expr(host, call->args[0].value), &count, &items);
        return ok && add_items(host, target, count, items) ? FLOW_ON : FLOW_UNKNOWN;
    }
    if ((target = named_method(host, call, "update"))) {
        Object *other = host_expr(host, call->args[0].value);
        if (target->kind != OBJECT_DICT || other->kind != OBJECT_DICT) return FLOW_UNKNOWN;
        for (int i = 0; i + 1 < other->num_items; i += 2)
            if (!host_set_item(host, target, other->items[i], other->items[i + 1]))
                return FLOW_UNKNOWN;
        return FLOW_ON;
    }
    return FLOW_UNKNOWN;
}

/* def inside of a host function, which returns it: def make(n): @triton.jit def kernel(..): .. It
 * sees the function's variables as they are when it is called, so their map itself is its closure.
 */
static Flow run_function(Host *host, const FunctionDef *def) {
    if (host->given || host->vars->outer || def->num_decorators > 1) return FLOW_UNKNOWN;
    Object *object =
        object_new(host->arena, OBJECT_FUNCTION); /* another one at each call of the outer */
    object->function = arena_new_of(host->arena, FunctionObject);
    *object->function = *module_function_of(host->module, def, NULL)->function;
    object->span = def->name_span;
    if (def->num_decorators && !object->function->is_jit &&
        !object->function->is_constexpr_function)
        return FLOW_UNKNOWN;
    object->function->closure = &host->vars->names;
    map_set(&host->vars->names, def->name, object);
    return FLOW_ON;
}

static Flow bind_imports(Host *host, const Stmt *stmt) {
    for (int i = 0; i < stmt->num_names; i++) {
        const ImportName *name = &stmt->names[i];
        if (str_is(name->path, "*")) return FLOW_UNKNOWN;
        map_set(&host->vars->names, name->alias,
                import_value(host->module, stmt, name, host->diag));
    }
    return FLOW_ON;
}

/* Does a statement of a `try` raise? What is not known may. */
static Likelihood run_tried(Host *host, const Stmt *stmt, Flow *flow, Object **result) {
    if (stmt->kind == STMT_IMPORT || stmt->kind == STMT_FROM_IMPORT) {
        Likelihood works = import_likelihood(host->module, stmt);
        if (works != NEVER) *flow = bind_imports(host, stmt);
        return works;
    }
    *flow = run_stmt(host, stmt, result);
    const Object *made = stmt->kind == STMT_RETURN ? *result : NULL;
    if (stmt->kind == STMT_ASSIGN) made = host_expr(host, stmt->targets[0]);
    return stmt->kind == STMT_PASS || (made && object_is_known(made)) ? CERTAIN : LIKELY;
}

static bool catches_imports(const Handler *handler) {
    static const char *const types[] = {"ImportError", "ModuleNotFoundError", "Exception"};
    if (!handler->type) return true;
    for (int i = 0; i < COUNT(types); i++)
        if (handler->type->kind == EXPR_NAME && str_is(handler->type->text, types[i])) return true;
    return false;
}

/* An import that surely fails is handled. Where nobody knows whether the body raises, both ways
 * have to return the same. */
static Flow run_try(Host *host, const Stmt *stmt, Object **result) {
    const Handler *handler = stmt->handlers;
    Object *value = NULL, *handled = NULL;
    Likelihood works = CERTAIN;
    Flow flow = FLOW_ON;
    if (stmt->orelse.count || stmt->finally.count || stmt->num_handlers != 1) return FLOW_UNKNOWN;
    for (int i = 0; i < stmt->body.count && flow == FLOW_ON && works != NEVER; i++) {
        Likelihood one = run_tried(host, stmt->body.stmts[i], &flow, &value);
        if (one < works) works = one;
    }
    if (works == CERTAIN || flow == FLOW_UNKNOWN) return *result = value, flow;
    if (works == NEVER && !catches_imports(handler)) return FLOW_UNKNOWN;
    Flow after = run_block(host, handler->body, &handled);
    if (works == NEVER) return *result = handled, after;
    bool is_same = flow == FLOW_RETURN && after == FLOW_RETURN && object_is_known(value) &&
                   object_is_known(handled) && object_equal(value, handled);
    return is_same ? (*result = value, FLOW_RETURN) : FLOW_UNKNOWN;
}

static Flow run_stmt(Host *host, const Stmt *stmt, Object **result) {
    switch (stmt->kind) {
    case STMT_RETURN:
        *result = stmt->value ? host_expr(host, stmt->value) : object_none(host->arena);
        return FLOW_RETURN;
    case STMT_IF: return run_if(host, stmt, result);
    case STMT_FOR: return run_for(host, stmt, result);
    case STMT_WHILE: return run_while(host, stmt, result);
    case STMT_ASSIGN:
    case STMT_ANN_ASSIGN: return run_assign(host, stmt);
    case STMT_AUG_ASSIGN: return run_aug_assign(host, stmt);
    case STMT_EXPR: return run_call(host, stmt->value);
    case STMT_PASS:
    case STMT_ASSERT:
    case STMT_GLOBAL:
    case STMT_NONLOCAL: return FLOW_ON;
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_FUNCTION: return run_function(host, stmt->function);
    case STMT_IMPORT:
    case STMT_FROM_IMPORT:
        return import_likelihood(host->module, stmt) == NEVER ? FLOW_UNKNOWN
                                                              : bind_imports(host, stmt);
    case STMT_TRY: return run_try(host, stmt, result);
    case STMT_CLASS:
    case STMT_RAISE:
    case STMT_DELETE:
    case STMT_WITH:
    case STMT_MATCH:
    case STMT_ERROR: break;
    }
    return FLOW_UNKNOWN;
}

static Flow run_block(Host *host, Block block, Object **result) {
    for (int i = 0; i < block.count; i++) {
        if (!host_step(host, block.stmts[i]->span)) return FLOW_UNKNOWN;
        Flow flow = run_stmt(host, block.stmts[i], result);
        if (flow != FLOW_ON) return flow;
    }
    return FLOW_ON;
}

bool host_run_statement(Host *host, const Stmt *stmt) {
    Object *result = NULL;
    return run_stmt(host, stmt, &result) == FLOW_ON;
}

/* ---- calling a function ---- */

/* The place of the parameter that takes keywords nobody else takes: **kwargs; or -1. */
static int keywords_place(const FunctionDef *def) {
    for (int i = 0; i < def->num_params; i++)
        if (def->params[i].kind == PARAM_STAR_STAR) return i;
    return -1;
}

static bool bind(Host *host, const FunctionObject *function, Vars *vars, int num_args,
                 Object *const *args, const Str *names) {
    const FunctionDef *def = function->def;
    VEC(Object *) others = {0};
    int next = 0, rest = keywords_place(def);
    for (int i = 0; i < def->num_params; i++)
        if (def->params[i].kind == PARAM_STAR) return false;
    for (int i = 0; i < num_args; i++) {
        int at = next;
        bool is_named = names && names[i].length;
        if (is_named) {
            for (at = 0; at < def->num_params && !str_equal(def->params[at].name, names[i]); at++) {
            }
        } else
            next++;
        if (is_named && rest >= 0 && (at == def->num_params || at == rest)) {
            vec_push(host->arena, &others, object_str(host->arena, names[i]));
            vec_push(host->arena, &others, args[i]);
            continue;
        }
        if (at >= def->num_params || at == rest || map_get(&vars->names, def->params[at].name))
            return false;
        map_set(&vars->names, def->params[at].name, args[i]);
    }
    if (rest >= 0)
        map_set(&vars->names, def->params[rest].name,
                host_list(host->arena, OBJECT_DICT, others.count, others.data));
    for (int i = 0; i < def->num_params; i++) {
        const ParamDef *param = &def->params[i];
        if (map_get(&vars->names, param->name)) continue;
        if (!param->default_value) return false;
        map_set(&vars->names, param->name,
                host_evaluate(host->arena, function->module, param->default_value,
                              function->closure, host->diag));
    }
    return true;
}

static Object *unknown_result(Host *host, const FunctionObject *function) {
    Object *opaque = object_new(host->arena, OBJECT_OPAQUE);
    opaque->text = str_format(host->arena, "the result of '%.*s'", STR_ARG(function->def->name));
    return opaque;
}

/* Runs a function's body with its parameters bound in a new Vars. */
static Object *host_run(Host *host, const FunctionObject *function, int num_args,
                        Object *const *args, const Str *names, Span span) {
    if (host->depth >= HOST_DEPTH) {
        host_error(host, span, "calls are nested too deeply at compile time");
        host->steps = HOST_STEPS; /* once is enough: the calls around it end here, too */
        return object_error(host->arena);
    }
    Vars *vars = arena_new_of(host->arena, Vars); /* a function made here keeps it */
    vars->names = (Map){.arena = host->arena};
    if (!bind(host, function, vars, num_args, args, names)) return unknown_result(host, function);
    Host inner = {.arena = host->arena,
                  .module = function->module,
                  .diag = host->diag,
                  .given = function->closure,
                  .vars = vars,
                  .steps = host->steps,
                  .depth = host->depth + 1};
    Object *result = object_none(host->arena);
    Flow flow = FLOW_RETURN;
    if (function->def->lambda_value)
        result = host_expr(&inner, function->def->lambda_value);
    else
        flow = run_block(&inner, function->def->body, &result);
    host->steps = inner.steps;
    if (host->steps >= HOST_STEPS) return object_error(host->arena);
    return flow == FLOW_RETURN || flow == FLOW_ON ? result : unknown_result(host, function);
}

/* ---- what Python's library and Triton's host side offer ---- */

/* triton.Config(kwargs, num_warps=4, num_stages=3, ..): items[0] the kwargs, items[1] the options.
 */
static Object *make_config(Host *host, int num_args, Object *const *args, const Str *names) {
    static const char *const positional[] = {"kwargs",   "num_warps", "num_stages",
                                             "num_ctas", "maxnreg",   "pre_hook"};
    Object *kwargs = host_list(host->arena, OBJECT_DICT, 0, NULL);
    VEC(Object *) options = {0};
    for (int i = 0; i < num_args; i++) {
        Str name = names && names[i].length ? names[i]
                   : i < COUNT(positional)  ? str_of(positional[i])
                                            : STR("");
        if (str_is(name, "kwargs")) {
            kwargs = args[i];
            continue;
        }
        vec_push(host->arena, &options, object_str(host->arena, name));
        vec_push(host->arena, &options, args[i]);
    }
    Object *items[] = {kwargs, host_list(host->arena, OBJECT_DICT, options.count, options.data)};
    Object *config = host_list(host->arena, OBJECT_CONFIG, 2, items);
    return config;
}

/* itertools.product(a, b, ..) */
static Object *make_product(Host *host, int num_args, Object *const *args, Span span) {
    enum { MOST = 16 };
    int counts[MOST], index[MOST] = {0};
    Object **items[MOST], *row[MOST];
    if (num_args > MOST) return NULL;
    int64_t total = 1;
    for (int i = 0; i < num_args; i++) {
        if (!host_items(host, args[i], &counts[i], &items[i])) return NULL;
        total *= counts[i];
        if (total > HOST_ITEMS) return host_error(host, span, "the product has too many items");
    }
    Object **rows = arena_array(host->arena, Object *, (size_t)total);
    for (int64_t r = 0; r < total; r++) {
        for (int i = 0; i < num_args; i++) row[i] = items[i][index[i]];
        rows[r] = object_tuple(host->arena, num_args, row);
        for (int i = num_args - 1; i >= 0 && ++index[i] == counts[i]; i--) index[i] = 0;
    }
    return host_list(host->arena, OBJECT_LIST, (int)total, rows);
}

/* namedtuple("Name", ["a", "b"]) or namedtuple("Name", "a b") */
static Object *make_named_tuple_class(Host *host, int num_args, Object *const *args) {
    if (num_args < 2 || args[0]->kind != OBJECT_STR) return NULL;
    VEC(Str) fields = {0};
    if (args[1]->kind == OBJECT_STR) {
        Str text = args[1]->text;
        for (int i = 0; i < text.length;) {
            int start = i;
            while (i < text.length && text.data[i] != ' ' && text.data[i] != ',') i++;
            if (i > start) vec_push(host->arena, &fields, ((Str){text.data + start, i - start}));
            i++;
        }
    } else {
        int count;
        Object **items;
        if (!host_items(host, args[1], &count, &items)) return NULL;
        for (int i = 0; i < count; i++) {
            if (items[i]->kind != OBJECT_STR) return NULL;
            vec_push(host->arena, &fields, items[i]->text);
        }
    }
    Object *class = object_new(host->arena, OBJECT_CLASS);
    class->text = args[0]->text;
    class->num_items = fields.count;
    class->names = fields.data ? fields.data : arena_array(host->arena, Str, 1);
    class->items = arena_array(host->arena, Object *, fields.count + 1);
    return class;
}

bool path_ends(Str path, const char *name) {
    if (str_is(path, name)) return true;
    return path.length > (int)strlen(name) && str_ends(path, name) &&
           path.data[path.length - (int)strlen(name) - 1] == '.';
}

/* os.environ.get(name, other): of this process, as Python would read it. */
static Object *environment(Host *host, int num_args, Object *const *args) {
    if (num_args < 1 || num_args > 2 || args[0]->kind != OBJECT_STR) return NULL;
    const char *value = getenv(str_c(host->arena, args[0]->text));
    if (value) return object_str(host->arena, str_copy(host->arena, str_of(value)));
    return num_args == 2 ? args[1] : object_none(host->arena);
}

/* packaging.version.parse("3.6.0"): its numbers, without zeros at the end, as a tuple; they compare
 * as versions do. NULL: there is more in it (3.6.0rc1). */
static Object *version_of(Host *host, int num_args, Object *const *args) {
    enum { MOST = 6 };
    Object *parts[MOST];
    int count = 0, kept = 0;
    if (num_args != 1 || args[0]->kind != OBJECT_STR) return NULL;
    const char *at = str_c(host->arena, args[0]->text);
    for (;; at++) {
        char *end;
        if (*at < '0' || *at > '9' || count == MOST) return NULL;
        long part = strtol(at, &end, 10);
        if (end - at > 9) return NULL;
        parts[count++] = object_int(host->arena, part);
        if (part) kept = count;
        at = end;
        if (*at != '.') break;
    }
    return *at ? NULL : object_tuple(host->arena, kept, parts);
}

/* A name of Python's library that host code of kernels uses (itertools.product, os.environ ..), or
 * NULL. */
static Object *library_call(Host *host, Str path, int num_args, Object *const *args,
                            const Str *names, Span span) {
    if (path_ends(path, "Config")) return make_config(host, num_args, args, names);
    if (path_ends(path, "product")) return make_product(host, num_args, args, span);
    if (path_ends(path, "namedtuple")) return make_named_tuple_class(host, num_args, args);
    if ((path_ends(path, "import_module") || path_ends(path, "importorskip")) && num_args == 1 &&
        args[0]->kind == OBJECT_STR)
        return import_module(host->module, 0, args[0]->text, host->diag);
    if (path_ends(path, "environ.get") || path_ends(path, "getenv"))
        return environment(host, num_args, args);
    return host_target_call(host, path, num_args);
}

/* The dotted text of a callee: itertools.product, triton.Config. */
static Str dotted(Arena *arena, const Expr *expr) {
    if (expr->kind == EXPR_NAME) return expr->text;
    if (expr->kind != EXPR_ATTRIBUTE) return STR("");
    Str left = dotted(arena, expr->left);
    return left.length ? str_format(arena, "%.*s.%.*s", STR_ARG(left), STR_ARG(expr->text))
                       : STR("");
}

/* ---- methods of compile-time values ---- */

static Object *call_dict_get(Host *host, Object *dict, int num_args, Object *const *args) {
    if (num_args < 1) return NULL;
    for (int i = 0; i + 1 < dict->num_items; i += 2)
        if (object_equal(dict->items[i], args[0])) return dict->items[i + 1];
    return num_args > 1 ? args[1] : object_none(host->arena);
}

static Object *call_dict_view(Host *host, Object *dict, Str name) {
    VEC(Object *) items = {0};
    for (int i = 0; i + 1 < dict->num_items; i += 2) {
        Object *item = dict->items[i];
        if (str_is(name, "values")) item = dict->items[i + 1];
        if (str_is(name, "items")) item = object_tuple(host->arena, 2, dict->items + i);
        vec_push(host->arena, &items, item);
    }
    return host_list(host->arena, OBJECT_LIST, items.count, items.data);
}

/* d.get(k), d.items() ..; NULL when it is something else. */
static Object *call_own_method(Host *host, const Expr *callee, int num_args, Object *const *args,
                               const Str *names) {
    if (!callee || callee->kind != EXPR_ATTRIBUTE) return NULL;
    static const char *const of_strings[] = {"format", "join",   "split",  "strip",
                                             "lstrip", "rstrip", "replace"};
    for (int i = 0; i < COUNT(of_strings); i++) {
        if (!str_is(callee->text, of_strings[i])) continue;
        const Object *self = host_expr(host, callee->left);
        return self->kind == OBJECT_STR ? host_string_method(host, self, callee->text, num_args,
                                                             args, names, callee->span)
                                        : NULL;
    }
    bool view = str_is(callee->text, "keys") || str_is(callee->text, "values") ||
                str_is(callee->text, "items");
    if (!view && !str_is(callee->text, "get")) return NULL;
    Object *dict = host_expr(host, callee->left);
    if (dict->kind != OBJECT_DICT) return NULL;
    return view ? call_dict_view(host, dict, callee->text)
                : call_dict_get(host, dict, num_args, args);
}

/* ---- calls ---- */

static bool any_unknown(int num_args, Object *const *args) {
    for (int i = 0; i < num_args; i++)
        if (!object_is_known(args[i]) && args[i]->kind != OBJECT_FUNCTION) return true;
    return false;
}

static Object *call_builtin(Host *host, const Builtin *builtin, Object *self, int num_args,
                            Object *const *args, const Str *names, const Expr *expr, Span span) {
    Object **all = arena_array(host->arena, Object *, num_args + 1);
    Str *all_names = arena_array(host->arena, Str, num_args + 1);
    int first = self != NULL;
    if (self) all[0] = self;
    for (int i = 0; i < num_args; i++) {
        all[first + i] = args[i];
        if (names) all_names[first + i] = names[i];
    }
    if (any_unknown(num_args + first, all))
        return expr ? host_opaque(host, expr) : object_error(host->arena);
    return builtin_call_host(host->arena, builtin, num_args + first, all, all_names, span,
                             host->diag);
}

static Object *make_named_tuple(Host *host, const Object *class, int num_args, Object *const *args,
                                const Str *names) {
    if (class->members && map_get(class->members, STR("__init__"))) return NULL;
    Object *tuple = object_new(host->arena, OBJECT_TUPLE);
    *tuple = (Object){.kind = OBJECT_TUPLE,
                      .text = class->text,
                      .names = class->names,
                      .num_items = class->num_items,
                      .of_class = class->is_constexpr ? class : NULL};
    tuple->items = arena_array(host->arena, Object *, class->num_items + 1);
    for (int i = 0; i < num_args; i++) {
        int at = i;
        if (names && names[i].length)
            for (at = 0; at < class->num_items && !str_equal(class->names[at], names[i]); at++) {
            }
        if (at >= class->num_items) return NULL;
        tuple->items[at] = args[i];
    }
    for (int i = 0; i < class->num_items; i++) {
        if (!tuple->items[i] && class->items) tuple->items[i] = class->items[i];
        if (!tuple->items[i]) return NULL;
    }
    return object_sealed(host->arena, tuple);
}

/* triton.jit(f), triton.jit(..)(f): the function itself, compiled; autotune(..)(f): as it is. */
static Object *jit_wrapped(Host *host, const Expr *expr, int num_args, Object *const *args) {
    if (!expr || num_args < 1 || args[0]->kind != OBJECT_FUNCTION) return NULL;
    bool with_options = expr->left->kind == EXPR_CALL;
    Str path = dotted(host->arena, with_options ? expr->left->left : expr->left);
    bool tunes = path_ends(path, "autotune") || path_ends(path, "heuristics");
    if (with_options && tunes) return args[0];
    if (!path_ends(path, "jit")) return NULL;
    Object *object = object_new(host->arena, OBJECT_FUNCTION);
    object->function = arena_new_of(host->arena, FunctionObject);
    *object->function = *args[0]->function;
    object->function->is_jit = true;
    return object;
}

static bool host_binds(const Host *host, Str name) {
    for (const Vars *vars = host->vars; vars; vars = vars->outer)
        if (map_get(&vars->names, name)) return true;
    if (host->given && map_get(host->given, name)) return true;
    return map_get(&host->module->globals, name) || host->module->star_imports.count;
}

/* list(x) and tuple(x) of anything that can be gone through. */
static Object *as_sequence(Host *host, const Builtin *builtin, int num_args, Object *const *args) {
    int count;
    Object **items;
    bool is_list = !strcmp(builtin_name(builtin), "list");
    if ((!is_list && strcmp(builtin_name(builtin), "tuple") != 0) || num_args != 1) return NULL;
    if (!host_items(host, args[0], &count, &items)) return NULL;
    return host_list(host->arena, is_list ? OBJECT_LIST : OBJECT_TUPLE, count, items);
}

Object *host_call_object(Host *host, Object *callee, int num_args, Object *const *args,
                         const Str *names, const Expr *expr, Span span) {
    Object *result = NULL;
    Str path = expr ? dotted(host->arena, expr->left) : STR("");
    if (callee->kind == OBJECT_BUILTIN) result = as_sequence(host, callee->builtin, num_args, args);
    if (result) return result;
    if (callee->kind == OBJECT_BUILTIN || (callee->kind == OBJECT_METHOD && callee->builtin))
        return call_builtin(host, callee->builtin,
                            callee->kind == OBJECT_METHOD ? callee->items[0] : NULL, num_args, args,
                            names, expr, span);
    if (callee->kind == OBJECT_METHOD) { /* of an aggregate */
        Object function = {.kind = OBJECT_FUNCTION, .function = callee->function};
        Object **all = arena_array(host->arena, Object *, num_args + 1);
        Str *all_names = arena_array(host->arena, Str, num_args + 1);
        all[0] = callee->items[0];
        for (int i = 0; i < num_args; i++) {
            all[i + 1] = args[i];
            if (names) all_names[i + 1] = names[i];
        }
        return host_call_object(host, &function, num_args + 1, all, all_names, expr, span);
    }
    if (callee->kind == OBJECT_FUNCTION && !callee->function->is_jit)
        return host_run(host, callee->function, num_args, args, names, span);
    if (callee->kind == OBJECT_CLASS && callee->names)
        result = make_named_tuple(host, callee, num_args, args, names);
    if (callee->kind == OBJECT_OPAQUE) {
        if (expr) result = call_own_method(host, expr->left, num_args, args, names);
        /* A bare name that no file binds: Python's own. */
        if (!result && expr && expr->left->kind == EXPR_NAME && !host_binds(host, path))
            result = host_python_call(host, path, num_args, args, names, span);
        if (!result && str_starts(callee->missing, "packaging") &&
            (path_ends(path, "parse") || path_ends(path, "Version")))
            result = version_of(host, num_args, args);
        if (!result) result = jit_wrapped(host, expr, num_args, args);
        if (!result) result = library_call(host, path, num_args, args, names, span);
    }
    if (result) return result;
    if (expr) return host_opaque(host, expr);
    Object *opaque = object_new(host->arena, OBJECT_OPAQUE);
    opaque->text = STR("the result of a call");
    return opaque;
}

Object *host_call(Arena *arena, Object *function, int num_args, Object *const *args,
                  const Str *names, Span span, Diag *diag) {
    Host host = {.arena = arena, .module = function->function->module, .diag = diag};
    return host_run(&host, function->function, num_args, args, names, span);
}
