// SPDX-License-Identifier: Apache-2.0
/* module: the names of one file.
 *
 * Nothing is evaluated when a file is loaded: its statements are only indexed by the names they
 * bind. A name is evaluated when a kernel first needs it, so host code that tern does not
 * understand does no harm.
 *
 * A name may be bound under `if` and `try`, and by `from .. import *`. Python would run the
 * conditions; tern evaluates them, and of the bindings that may be in force takes the last. Where a
 * condition is not known and the values differ, the name is not known either. A binding that has a
 * value goes before one that has none. */
#include "lang/module.h"

#include <stdlib.h>

/* ---- indexing ---- */

static Global *global_of(Module *module, Str name) {
    Global *global = map_get(&module->globals, name);
    if (!global) {
        global = arena_new_of(module->arena, Global);
        map_set(&module->globals, name, global);
    }
    return global;
}

static void define(Module *module, Str name, Definition definition) {
    Global *global = global_of(module, name);
    StmtKind kind = definition.stmt->kind;
    definition.top = module->top;
    global->changes |= module->in_loop || kind == STMT_AUG_ASSIGN || kind == STMT_FOR ||
                       kind == STMT_DELETE || kind == STMT_EXPR;
    vec_push(module->arena, &global->definitions, definition);
}

/* A[k] = .., A.b = ..: A is changed by a statement that does not name it as a target. */
static void define_changed(Module *module, const Expr *expr, Definition definition) {
    while (expr->kind == EXPR_SUBSCRIPT || expr->kind == EXPR_ATTRIBUTE) expr = expr->left;
    if (expr->kind != EXPR_NAME) return;
    define(module, expr->text, definition);
    global_of(module, expr->text)->changes = true;
}

/* A.append(x), A.update(b), A.setdefault(..)[k].append(x): statements that are there for what they
 * change. Calls of anything else (torch.manual_seed(0)) are not: A must be assigned in this file.
 */
static void define_call(Module *module, const Expr *expr, Definition definition) {
    static const char *const changing[] = {"append",  "extend",     "insert", "update",  "pop",
                                           "remove",  "clear",      "sort",   "reverse", "add",
                                           "discard", "setdefault", "popitem"};
    if (expr->kind != EXPR_CALL || expr->left->kind != EXPR_ATTRIBUTE) return;
    for (int i = 0; i < COUNT(changing); i++)
        if (str_is(expr->left->text, changing[i])) define_changed(module, expr->left, definition);
}

static void define_target(Module *module, const Expr *target, Definition definition) {
    if (target->kind == EXPR_NAME) define(module, target->text, definition);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (int i = 0; i < target->num_items; i++)
            define_target(module, target->items[i], definition);
    if (target->kind == EXPR_STARRED) define_target(module, target->left, definition);
    if (target->kind == EXPR_SUBSCRIPT) define_changed(module, target, definition);
}

static const Guard *guard_new(Module *module, const Stmt *stmt, int arm, const Guard *outer) {
    Guard *guard = arena_new_of(module->arena, Guard);
    *guard = (Guard){stmt, arm, outer};
    return guard;
}

static void index_block(Module *module, Block block, const Guard *guard);

static void index_loop(Module *module, const Stmt *stmt, const Guard *guard) {
    bool in_loop = module->in_loop;
    module->in_loop = true;
    index_block(module, stmt->body, guard);
    module->in_loop = in_loop;
    index_block(module, stmt->orelse, guard);
}

static void index_imports(Module *module, const Stmt *stmt, const Guard *guard) {
    for (int i = 0; i < stmt->num_names; i++) {
        if (stmt->kind == STMT_FROM_IMPORT && str_is(stmt->names[i].path, "*"))
            vec_push(module->arena, &module->star_imports,
                     ((Definition){.stmt = stmt, .top = module->top, .guard = guard}));
        else
            define(module, stmt->names[i].alias,
                   (Definition){.stmt = stmt, .guard = guard, .name = &stmt->names[i]});
    }
}

static void define_captured(Module *module, const Pattern *pattern, Definition definition) {
    if (pattern->name) define_target(module, pattern->name, definition);
    for (int i = 0; i < pattern->num_items; i++)
        define_captured(module, pattern->items[i], definition);
}

/* Which of the cases it is, only a run would tell. */
static void index_match(Module *module, const Stmt *stmt, const Guard *outer) {
    const Guard *guard = guard_new(module, stmt, 0, outer);
    for (int i = 0; i < stmt->num_cases; i++)
        define_captured(module, stmt->cases[i].pattern, (Definition){.stmt = stmt, .guard = guard});
    index_block(module, stmt->body, guard);
}

static void index_stmt(Module *module, const Stmt *stmt, const Guard *guard) {
    Definition here = {.stmt = stmt, .guard = guard};
    switch (stmt->kind) {
    case STMT_ASSIGN:
    case STMT_AUG_ASSIGN:
    case STMT_ANN_ASSIGN:
    case STMT_FOR:
    case STMT_DELETE:
        for (int i = 0; i < stmt->num_targets; i++) define_target(module, stmt->targets[i], here);
        if (stmt->kind == STMT_FOR) index_loop(module, stmt, guard);
        break;
    case STMT_WHILE: index_loop(module, stmt, guard); break;
    case STMT_EXPR: define_call(module, stmt->value, here); break;
    case STMT_FUNCTION: define(module, stmt->function->name, here); break;
    case STMT_CLASS: define(module, stmt->name, here); break;
    case STMT_IMPORT:
    case STMT_FROM_IMPORT: index_imports(module, stmt, guard); break;
    case STMT_IF:
        index_block(module, stmt->body, guard_new(module, stmt, 0, guard));
        index_block(module, stmt->orelse, guard_new(module, stmt, 1, guard));
        break;
    case STMT_TRY:
        index_block(module, stmt->body, guard_new(module, stmt, 0, guard));
        index_block(module, stmt->orelse, guard_new(module, stmt, 0, guard));
        for (int i = 0; i < stmt->num_handlers; i++)
            index_block(module, stmt->handlers[i].body, guard_new(module, stmt, 1, guard));
        index_block(module, stmt->finally, guard);
        break;
    case STMT_WITH: index_block(module, stmt->body, guard); break;
    case STMT_MATCH: index_match(module, stmt, guard); break;
    case STMT_RETURN:
    case STMT_PASS:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_ASSERT:
    case STMT_RAISE:
    case STMT_GLOBAL:
    case STMT_NONLOCAL:
    case STMT_ERROR: break;
    }
}

static void index_block(Module *module, Block block, const Guard *guard) {
    for (int i = 0; i < block.count; i++) index_stmt(module, block.stmts[i], guard);
}

/* ---- jit functions ---- */

static bool imported_from(const Module *module, Str name, const char *package) {
    const Global *global = map_get(&module->globals, name);
    for (int i = 0; global && i < global->definitions.count; i++) {
        const Definition *definition = &global->definitions.data[i];
        if (!definition->name) continue;
        Str path =
            definition->stmt->kind == STMT_IMPORT ? definition->name->path : definition->stmt->name;
        if (str_starts(path, package)) return true;
    }
    return false;
}

/* triton.jit, jit, triton.jit(..), triton.runtime.jit(..); not numba.jit, torch.jit.script. */
static bool is_jit_decorator(const Module *module, const Expr *expr) {
    if (expr->kind == EXPR_CALL) expr = expr->left;
    if (expr->kind == EXPR_NAME)
        return str_is(expr->text, "jit") && !imported_from(module, expr->text, "numba") &&
               !imported_from(module, expr->text, "jax") &&
               !imported_from(module, expr->text, "triton.experimental");
    if (expr->kind != EXPR_ATTRIBUTE || !str_is(expr->text, "jit")) return false;
    const Expr *left = expr->left;
    while (left->kind == EXPR_ATTRIBUTE) left = left->left;
    if (left->kind != EXPR_NAME) return false;
    /* triton.experimental.gluon is another language with the same word. */
    return str_is(left->text, "triton") ||
           (imported_from(module, left->text, "triton") &&
            !imported_from(module, left->text, "triton.experimental"));
}

static bool is_jit(const Module *module, const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++)
        if (is_jit_decorator(module, def->decorators[i])) return true;
    return false;
}

const Expr *module_wrapper_of_jit(const Module *module, const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators && !is_jit_decorator(module, def->decorators[i]); i++) {
        const Expr *root = def->decorators[i];
        while (root->kind == EXPR_CALL || root->kind == EXPR_ATTRIBUTE) root = root->left;
        bool is_known = root->kind == EXPR_NAME &&
                        (str_is(root->text, "staticmethod") || str_is(root->text, "triton") ||
                         imported_from(module, root->text, "triton"));
        if (!is_known) return def->decorators[i];
    }
    return NULL;
}

static bool is_constexpr_function(const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++)
        if (def->decorators[i]->kind == EXPR_ATTRIBUTE &&
            str_is(def->decorators[i]->text, "constexpr_function"))
            return true;
    return false;
}

static bool is_constexpr_annotation(const Expr *annotation) {
    if (!annotation) return false;
    if (annotation->kind == EXPR_SUBSCRIPT) annotation = annotation->left;
    if (annotation->kind == EXPR_STRING) return str_ends(annotation->text, "constexpr");
    return (annotation->kind == EXPR_ATTRIBUTE || annotation->kind == EXPR_NAME) &&
           str_is(annotation->text, "constexpr");
}

/* @triton.jit(do_not_specialize=["n", 3]): names and indices. */
static void mark_unspecialised(Module *module, JitFunction *function, const Argument *option) {
    Diag quiet = {.arena = module->arena, .muted = true};
    bool alignment = str_is(option->name, "do_not_specialize_on_alignment");
    if (!alignment && !str_is(option->name, "do_not_specialize")) return;
    const Object *list = host_evaluate(module->arena, module, option->value, NULL, &quiet);
    for (int k = 0; k < list->num_items; k++)
        for (int i = 0; i < function->num_params; i++) {
            JitParam *param = &function->params[i];
            const Object *item = list->items[k];
            bool is_it = item->kind == OBJECT_STR ? str_equal(item->text, param->name)
                                                  : object_is_integral(item) && item->integer == i;
            param->keeps_value |= is_it && !alignment;
            param->keeps_alignment |= is_it && alignment;
        }
}

static void mark_unspecialised_by(Module *module, JitFunction *function, const Expr *call) {
    for (int i = 0; i < call->num_args; i++) mark_unspecialised(module, function, &call->args[i]);
}

/* The conditions around a statement at the top level that binds `name`. */
static const Guard *guard_of(const Module *module, const Stmt *stmt, Str name) {
    const Global *global = map_get(&module->globals, name);
    for (int i = 0; global && i < global->definitions.count; i++)
        if (global->definitions.data[i].stmt == stmt) return global->definitions.data[i].guard;
    return NULL;
}

/* call NULL: decorated by `stmt`; else stmt is NAME = triton.jit(def, ..). */
static void add_function(Module *module, const Stmt *stmt, const FunctionDef *def,
                         const Scope *scope, Str name, const Expr *call) {
    JitFunction function = {.name = name,
                            .span = def->name_span,
                            .def = def,
                            .num_params = def->num_params,
                            .num_decorators = def->num_decorators};
    function.params = arena_array(module->arena, JitParam, def->num_params);
    for (int i = 0; i < def->num_params; i++) {
        const ParamDef *param = &def->params[i];
        function.params[i] = (JitParam){
            .name = param->name,
            .is_constexpr = is_constexpr_annotation(param->annotation),
            .has_default = param->default_value != NULL,
            .annotation = param->annotation ? span_text(param->annotation->span) : STR("")};
    }
    for (int i = 0; i < def->num_decorators; i++)
        mark_unspecialised_by(module, &function, def->decorators[i]);
    for (; call && call->kind == EXPR_CALL; call = call->left)
        mark_unspecialised_by(module, &function, call);
    vec_push(module->arena, &module->functions,
             ((JitEntry){function, scope, scope ? NULL : guard_of(module, stmt, name)}));
}

static const FunctionDef *find_def(Block block, Str name) {
    const FunctionDef *found = NULL;
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        if (stmt->kind == STMT_FUNCTION && str_equal(stmt->function->name, name))
            found = stmt->function;
        if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) continue;
        const FunctionDef *inner = find_def(stmt->body, name);
        if (!inner) inner = find_def(stmt->orelse, name);
        if (inner) found = inner;
    }
    return found;
}

/* triton.jit(f), triton.jit(f, ..), triton.jit(..)(f), autotune(..)(triton.jit(f)): the name f;
 * empty when it is something else. *call: the call with jit's options. */
static Str jitted_name(const Module *module, const Expr *expr, const Expr **call) {
    if (expr->kind != EXPR_CALL || !expr->num_args || expr->args[0].name.length) return (Str){0};
    const Expr *argument = expr->args[0].value;
    if (is_jit_decorator(module, expr->left)) {
        *call = expr;
        return argument->kind == EXPR_NAME ? argument->text : (Str){0};
    }
    return expr->left->kind == EXPR_CALL ? jitted_name(module, argument, call) : (Str){0};
}

/* name = triton.jit(f): a jit function called `name`. */
static void find_jitted(Module *module, const Stmt *stmt, const Scope *scope) {
    const Expr *call = NULL, *target = stmt->num_targets == 1 ? stmt->targets[0] : NULL;
    bool returned = stmt->kind == STMT_RETURN;
    bool named = stmt->kind == STMT_ASSIGN && target && target->kind == EXPR_NAME;
    Str name =
        stmt->value && (returned || named) ? jitted_name(module, stmt->value, &call) : (Str){0};
    if (!name.length) return;
    const FunctionDef *def = scope ? find_def(scope->def->body, name) : NULL;
    const Scope *around = def ? scope : NULL;
    if (!def) def = find_def(module->ast->body, name);
    if (def && !is_jit(module, def))
        add_function(module, stmt, def, around, returned ? name : target->text, call);
}

/* `global NAME` in a function: what the name is depends on what was called. */
static void mark_globals(Module *module, Block block) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        for (int k = 0; stmt->kind == STMT_GLOBAL && k < stmt->num_names; k++) {
            Global *global = map_get(&module->globals, stmt->names[k].path);
            if (global) global->is_set_elsewhere = true;
        }
        if (stmt->function) mark_globals(module, stmt->function->body);
        mark_globals(module, stmt->body);
        mark_globals(module, stmt->orelse);
    }
}

static void find_functions(Module *module, Block block, const Scope *scope) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        find_jitted(module, stmt, scope);
        if (stmt->kind == STMT_FUNCTION) {
            if (is_jit(module, stmt->function))
                add_function(module, stmt, stmt->function, scope, stmt->function->name, NULL);
            Scope *inner = arena_new_of(module->arena, Scope);
            *inner = (Scope){stmt->function, scope};
            find_functions(module, stmt->function->body, inner);
        }
        find_functions(module, stmt->body, scope);
        find_functions(module, stmt->orelse, scope);
        find_functions(module, stmt->finally, scope);
        for (int h = 0; h < stmt->num_handlers; h++)
            find_functions(module, stmt->handlers[h].body, scope);
    }
}

/* Marks what the file itself launches, name[grid](..), and what jit functions call. */
typedef struct Marks {
    Map launched, called; /* names */
} Marks;

static void mark_expr(Marks *marks, const Expr *expr, bool in_jit) {
    if (!expr) return;
    if (expr->kind == EXPR_CALL) {
        const Expr *callee = expr->left;
        bool launch = callee->kind == EXPR_SUBSCRIPT;
        if (launch) callee = callee->left;
        if (callee->kind == EXPR_NAME || callee->kind == EXPR_ATTRIBUTE) {
            if (launch)
                map_set(&marks->launched, callee->text, (void *)(uintptr_t)1);
            else if (in_jit)
                map_set(&marks->called, callee->text, (void *)(uintptr_t)1);
        }
    }
    mark_expr(marks, expr->left, in_jit);
    mark_expr(marks, expr->right, in_jit);
    mark_expr(marks, expr->condition, in_jit);
    for (int i = 0; i < expr->num_items; i++) mark_expr(marks, expr->items[i], in_jit);
    for (int i = 0; i < expr->num_args; i++) {
        const Expr *value = expr->args[i].value;
        /* A function passed to tl.reduce and the like is called, too. */
        if (in_jit && value && value->kind == EXPR_NAME)
            map_set(&marks->called, value->text, (void *)(uintptr_t)1);
        mark_expr(marks, value, in_jit);
    }
    for (int i = 0; i < expr->num_clauses; i++) mark_expr(marks, expr->clauses[i].iterable, in_jit);
    if (expr->function) mark_expr(marks, expr->function->lambda_value, in_jit);
}

static void mark_block(const Module *module, Marks *marks, Block block, bool in_jit) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        mark_expr(marks, stmt->value, in_jit);
        mark_expr(marks, stmt->message, in_jit);
        for (int k = 0; k < stmt->num_items; k++) mark_expr(marks, stmt->items[k].value, in_jit);
        if (stmt->function)
            mark_block(module, marks, stmt->function->body,
                       in_jit || is_jit(module, stmt->function));
        mark_block(module, marks, stmt->body, in_jit);
        mark_block(module, marks, stmt->orelse, in_jit);
        mark_block(module, marks, stmt->finally, in_jit);
        for (int h = 0; h < stmt->num_handlers; h++)
            mark_block(module, marks, stmt->handlers[h].body, in_jit);
    }
}

static void mark_launched(Module *module) {
    Marks marks = {.launched = {.arena = module->arena}, .called = {.arena = module->arena}};
    mark_block(module, &marks, module->ast->body, false);
    for (int i = 0; i < module->functions.count; i++) {
        JitFunction *function = &module->functions.data[i].function;
        function->is_launched =
            map_get(&marks.launched, function->name) || !map_get(&marks.called, function->name);
    }
}

/* ---- loading ---- */

Module *module_load_in(Arena *arena, const Source *source, Str path, const LangOptions *options,
                       Registry *registry, Diag *diag);

static Str folder_of(Str path) {
    int end = path.length;
    while (end > 0 && path.data[end - 1] != '/') end--;
    if (end == 0) return path.length ? STR(".") : STR("");
    return (Str){path.data, end > 1 ? end - 1 : 1};
}

Module *module_load_in(Arena *arena, const Source *source, Str path, const LangOptions *options,
                       Registry *registry, Diag *diag) {
    int failed = diag->num_errors + diag->num_refused;
    Module *module = arena_new_of(arena, Module);
    *module = (Module){.arena = arena,
                       .path = path,
                       .folder = folder_of(path),
                       .options = options,
                       .registry = registry,
                       .globals = {.arena = arena},
                       .overrides = {.arena = arena},
                       .starred = {.arena = arena},
                       .function_objects = {.arena = arena}};
    module->ast = ast_parse(arena, source, diag);
    if (diag->num_errors + diag->num_refused > failed) return NULL;
    for (int i = 0; i < module->ast->body.count; i++) {
        module->top = module->ast->body.stmts[i];
        index_stmt(module, module->top, NULL);
    }
    mark_globals(module, module->ast->body);
    find_functions(module, module->ast->body, NULL);
    mark_launched(module);
    if (path.length) map_set(&registry->files, import_key(arena, path), module);
    return module;
}

Module *module_load(Arena *arena, const Source *source, Str path, const LangOptions *options,
                    Diag *diag) {
    Registry *registry = arena_new_of(arena, Registry);
    *registry =
        (Registry){.arena = arena, .files = {.arena = arena}, .overrides = {.arena = arena}};
    return module_load_in(arena, source, path, options, registry, diag);
}

int module_global_names(Arena *arena, const Module *module, Str **names) {
    int count = 0;
    *names = arena_array(arena, Str, module->globals.capacity + 1);
    for (int i = 0; i < module->globals.capacity; i++)
        if (module->globals.slots[i].used) (*names)[count++] = module->globals.slots[i].key;
    return count;
}

const Ast *module_ast(const Module *module) { return module->ast; }
int module_num_functions(const Module *module) { return module->functions.count; }
const JitFunction *module_function(const Module *module, int index) {
    return &module->functions.data[index].function;
}

/* NAME@LINE: is that this function, from its first decorator to its `def`? */
static bool stands_at(const JitFunction *function, long line) {
    int first, last, column;
    const FunctionDef *def = function->def;
    Span start = def->num_decorators ? def->decorators[0]->span : def->span;
    source_position(start.source, start.start, &first, &column);
    source_position(def->span.source, def->span.start, &last, &column);
    return line >= first && line <= last;
}

/* NAME@LINE. *line: -1 when there is none, 0 when it is no number of a line. */
static Str split_line(Str name, long *line) {
    *line = -1;
    for (int i = 0; i < name.length; i++)
        if (name.data[i] == '@') {
            Str digits = {name.data + i + 1, name.length - i - 1};
            *line = 0;
            for (int k = 0; k < digits.length && digits.length < 10; k++) {
                if (digits.data[k] < '0' || digits.data[k] > '9') return *line = 0, name;
                *line = *line * 10 + (digits.data[k] - '0');
            }
            return (Str){name.data, i};
        }
    return name;
}

/* Of functions of one name the last at the top level counts, as in Python; else the last nested.
 * Those under a condition that does not hold are none; NULL where only a run would tell which. */
const JitFunction *module_find(Module *module, Str name) {
    const JitEntry *found = NULL;
    bool is_sure = true;
    long line;
    int candidates = 0;
    name = split_line(name, &line);
    for (int i = 0; line < 0 && i < module->functions.count; i++)
        candidates += str_equal(module->functions.data[i].function.name, name);
    for (int i = 0; i < module->functions.count; i++) {
        const JitEntry *entry = &module->functions.data[i];
        if (!str_equal(entry->function.name, name)) continue;
        if (line >= 0 && !stands_at(&entry->function, line)) continue;
        if (found && !found->scope && entry->scope) continue;
        Likelihood likelihood = candidates > 1 ? guard_likelihood(module, entry->guard) : CERTAIN;
        if (likelihood == NEVER) continue;
        is_sure = likelihood == CERTAIN || !found || found->scope;
        found = entry;
    }
    return found && is_sure ? &found->function : NULL;
}

/* NULL: not a jit function. */
static const JitEntry *module_entry(const Module *module, const FunctionDef *def) {
    for (int i = 0; i < module->functions.count; i++)
        if (module->functions.data[i].function.def == def) return &module->functions.data[i];
    return NULL;
}

/* ---- functions as values ---- */

/* What a function sees of the functions around it: parameters' defaults, assignments that are made
 * once, functions and imports. What is not known is opaque and says so when it is used. */
static void close_over(Module *module, const Scope *scope, Map *closure);

static Object *opaque_named(Arena *arena, const char *what, Str name, Str function) {
    Object *opaque = object_new(arena, OBJECT_OPAQUE);
    opaque->text =
        str_format(arena, "the %s '%.*s' of '%.*s'", what, STR_ARG(name), STR_ARG(function));
    opaque->global = name;
    return opaque;
}

/* What the caller says of a name counts before what the text shows of it. */
static void closure_set(const Module *module, Map *closure, Str name, Object *value) {
    Object *override = map_get(&module->overrides, name);
    map_set(closure, name, override ? override : value);
}

static void close_assignment(Module *module, const Scope *scope, const Stmt *stmt, Map *closure) {
    const Expr *target = stmt->num_targets == 1 ? stmt->targets[0] : NULL;
    if (!target || target->kind != EXPR_NAME || !stmt->value) return;
    Object *value;
    if (map_get(closure, target->text))
        value = opaque_named(module->arena, "variable", target->text, scope->def->name);
    else {
        Diag quiet = {.arena = module->arena, .muted = true};
        value = host_evaluate(module->arena, module, stmt->value, closure, &quiet);
        if (value->kind == OBJECT_ERROR)
            value = opaque_named(module->arena, "variable", target->text, scope->def->name);
    }
    closure_set(module, closure, target->text, value);
}

static void close_block(Module *module, const Scope *scope, Block block, Map *closure) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_ANN_ASSIGN)
            close_assignment(module, scope, stmt, closure);
        if (stmt->kind == STMT_FUNCTION) {
            Object *function = object_new(module->arena, OBJECT_FUNCTION);
            function->function = arena_new_of(module->arena, FunctionObject);
            *function->function =
                (FunctionObject){.def = stmt->function,
                                 .module = module,
                                 .is_jit = is_jit(module, stmt->function),
                                 .is_constexpr_function = is_constexpr_function(stmt->function),
                                 .closure = closure};
            closure_set(module, closure, stmt->function->name, function);
        }
        if (stmt->kind == STMT_IMPORT || stmt->kind == STMT_FROM_IMPORT)
            for (int k = 0; k < stmt->num_names; k++) {
                Diag quiet = {.arena = module->arena, .muted = true};
                Object *base = import_module(
                    module, stmt->level,
                    stmt->kind == STMT_IMPORT ? stmt->names[k].path : stmt->name, &quiet);
                Object *value =
                    stmt->kind == STMT_IMPORT
                        ? base
                        : import_attribute(module->arena, base, stmt->names[k].path, &quiet);
                if (value) closure_set(module, closure, stmt->names[k].alias, value);
            }
        close_block(module, scope, stmt->body, closure);
        close_block(module, scope, stmt->orelse, closure);
    }
}

static void close_over(Module *module, const Scope *scope, Map *closure) {
    if (scope->outer) close_over(module, scope->outer, closure);
    for (int i = 0; i < scope->def->num_params; i++) {
        const ParamDef *param = &scope->def->params[i];
        Diag quiet = {.arena = module->arena, .muted = true};
        Object *value = param->default_value ? host_evaluate(module->arena, module,
                                                             param->default_value, NULL, &quiet)
                                             : NULL;
        if (!value || value->kind == OBJECT_ERROR)
            value = opaque_named(module->arena, "parameter", param->name, scope->def->name);
        closure_set(module, closure, param->name, value);
    }
    close_block(module, scope, scope->def->body, closure);
}

Object *module_function_of(Module *module, const FunctionDef *def, const Scope *scope) {
    Object *object = map_get_pointer(&module->function_objects, def);
    if (object) return object;
    object = object_new(module->arena, OBJECT_FUNCTION);
    object->function = arena_new_of(module->arena, FunctionObject);
    *object->function = (FunctionObject){.def = def,
                                         .module = module,
                                         .is_jit = is_jit(module, def),
                                         .is_constexpr_function = is_constexpr_function(def)};
    object->span = def->name_span;
    map_set_pointer(&module->function_objects, def, object);
    if (scope) {
        Map *closure = arena_new_of(module->arena, Map);
        *closure = (Map){.arena = module->arena};
        close_over(module, scope, closure);
        object->function->closure = closure;
    }
    return object;
}

Object *module_function_object(Arena *arena, Module *module, const JitFunction *function) {
    (void)arena;
    const JitEntry *entry = module_entry(module, function->def);
    return module_function_of(module, function->def, entry ? entry->scope : NULL);
}
