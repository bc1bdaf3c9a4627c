// SPDX-License-Identifier: Apache-2.0
/* script_scan: what a file surely uses and tern does not have is refused before the file has done
 * anything.
 *
 *     import numpy as np
 *     shutil.rmtree("out")             is not done, as
 *     scale = np.linspace(0, 1, 8)     is refused first
 *
 * Surely: statements of the file in their order, and of its functions that these call by name, up
 * to one that may leave (raise, exit; in a function, return). Bodies of `if`, `for`, `while`, `try`
 * are passed by, but that of `if __name__ == "__main__"`; what they bind is forgotten. Followed are
 * names that imports of modules bind, and attributes of these; all else is seen when it runs, in
 * the same words. */
#include "lang/script.h"

typedef struct Scan {
    Host *host;
    Map known;      /* name -> the module, or what is not there, that it surely is */
    Map functions;  /* name -> FunctionDef: of the file, without decorators */
    Map stored;     /* attributes that the file sets */
    Map visited;    /* FunctionDef */
    bool has_left;  /* the function's other statements need not run */
    bool has_ended; /* nothing need run */
} Scan;

static void scan_block(Scan *scan, Block block, bool in_function);
static void scan_expr(Scan *scan, const Expr *expr);

static void forget(Scan *scan, Str name) {
    if (map_get(&scan->known, name)) map_set(&scan->known, name, NULL);
    if (map_get(&scan->functions, name)) map_set(&scan->functions, name, NULL);
}

static void forget_target(Scan *scan, const Expr *target) {
    if (!target) return;
    if (target->kind == EXPR_NAME) forget(scan, target->text);
    if (target->kind == EXPR_STARRED) forget_target(scan, target->left);
    for (int i = 0; i < target->num_items; i++) forget_target(scan, target->items[i]);
}

static bool is_exit(const Expr *expr) {
    if (!expr || expr->kind != EXPR_CALL) return false;
    const Expr *callee = expr->left;
    if (callee->kind != EXPR_NAME && callee->kind != EXPR_ATTRIBUTE) return false;
    return str_is(callee->text, "exit") || str_is(callee->text, "quit") ||
           str_is(callee->text, "_exit") || str_is(callee->text, "skip");
}

static void pass_by(Scan *scan, Block block);

/* A statement that may run: what it binds is not known after it, and it may leave. */
static void pass_by_stmt(Scan *scan, const Stmt *stmt) {
    scan->has_left |= stmt->kind == STMT_RETURN || stmt->kind == STMT_RAISE;
    scan->has_ended |= stmt->kind == STMT_EXPR && is_exit(stmt->value);
    for (int k = 0; k < stmt->num_targets; k++) forget_target(scan, stmt->targets[k]);
    for (int k = 0; k < stmt->num_items; k++) forget_target(scan, stmt->items[k].target);
    for (int k = 0; k < stmt->num_names; k++) forget(scan, stmt->names[k].alias);
    for (int k = 0; k < stmt->num_handlers; k++) pass_by(scan, stmt->handlers[k].body);
    if (stmt->kind == STMT_FUNCTION) forget(scan, stmt->function->name);
    if (stmt->kind == STMT_CLASS) {
        forget(scan, stmt->name);
        return;
    }
    pass_by(scan, stmt->body);
    pass_by(scan, stmt->orelse);
    pass_by(scan, stmt->finally);
}

static void pass_by(Scan *scan, Block block) {
    for (int i = 0; i < block.count; i++) pass_by_stmt(scan, block.stmts[i]);
}

/* What a function may set of the file's, and which attributes the file sets anywhere. */
static void find_stores(Scan *scan, Block block) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        for (int k = 0; k < stmt->num_targets; k++)
            if (stmt->targets[k]->kind == EXPR_ATTRIBUTE)
                map_set(&scan->stored, stmt->targets[k]->text, scan);
        for (int k = 0; stmt->kind == STMT_GLOBAL && k < stmt->num_names; k++)
            map_set(&scan->stored, stmt->names[k].path, scan);
        if (stmt->function) find_stores(scan, stmt->function->body);
        for (int k = 0; k < stmt->num_handlers; k++) find_stores(scan, stmt->handlers[k].body);
        find_stores(scan, stmt->body);
        find_stores(scan, stmt->orelse);
        find_stores(scan, stmt->finally);
    }
}

/* ---- imports ---- */

/* NULL: a file beside, or not followed. */
static Object *module_named(Scan *scan, Str path) {
    Host *host = scan->host;
    Diag unread = {.arena = host->script->arena}; /* a file that does not parse says so later */
    Object *module = module_import(host, path);
    if (is_raised(host)) return take_raised(host), NULL;
    if (module) return host_keep(host, module);
    module = import_as_python(host->module, 0, path, &unread);
    if (diag_failed(&unread) || (module->kind == OBJECT_MODULE && module->module)) return NULL;
    if (module->kind == OBJECT_MODULE && builtin_module_exists(module->text)) return module;
    Object *opaque = object_new(host->script->arena, OBJECT_OPAQUE);
    opaque->text = str_format(host->script->arena, "the module '%.*s'", STR_ARG(path));
    return opaque;
}

static void know(Scan *scan, Str name, Object *value) {
    forget(scan, name);
    if (value && !map_get(&scan->stored, name)) map_set(&scan->known, name, value);
}

/* What `from module import name` binds; NULL: nothing of that name. */
static Object *named_in(Scan *scan, Object *from, Str module, Str name) {
    Host *host = scan->host;
    Arena *arena = host->script->arena;
    if (from->kind == OBJECT_OPAQUE) {
        Object *opaque = object_new(arena, OBJECT_OPAQUE);
        opaque->text = str_format(arena, "'%.*s' of %.*s", STR_ARG(name), STR_ARG(from->text));
        return opaque;
    }
    Object *value = host_get(host, from, name);
    if (is_raised(host)) return take_raised(host), NULL;
    if (value) return value;
    value = module_named(scan, str_format(arena, "%.*s.%.*s", STR_ARG(module), STR_ARG(name)));
    return value && value->kind == OBJECT_OPAQUE ? NULL : value;
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* Does the file say this name anywhere but in the statement that imports it? */
static bool is_said(Str name, Span import) {
    Str text = import.source->text;
    for (int at = 0; at + name.length <= text.length; at++) {
        int end = at + name.length;
        if (at >= import.start && at < import.end) continue;
        if (memcmp(text.data + at, name.data, (size_t)name.length) != 0) continue;
        bool apart = (!at || !is_word(text.data[at - 1])) &&
                     (end == text.length || !is_word(text.data[end]));
        if (apart) return true;
    }
    return false;
}

static bool is_ours(Str path) {
    return str_is(path, "torch") || str_is(path, "triton") || str_starts(path, "torch.") ||
           str_starts(path, "triton.");
}

/* What a module of ours has not is refused where it is used; what is not used, where it is
 * imported: in Python it may not be there either. */
static void check_unused(Scan *scan, const Stmt *stmt, const ImportName *name, const Object *from,
                         const Object *value) {
    Str path = stmt->kind == STMT_IMPORT ? name->path : stmt->name;
    bool known = from ? from->kind == OBJECT_HOST || from->kind == OBJECT_MODULE : false;
    bool lacks = value ? value->kind == OBJECT_OPAQUE && is_ours(path) : known;
    if (!lacks || str_is(name->path, "*") || is_raised(scan->host)) return;
    bool dotted = stmt->kind == STMT_IMPORT && !name->has_alias;
    if (is_said(dotted ? name->path : name->alias, stmt->span)) return;
    scan->host->span = name->span;
    if (stmt->kind == STMT_IMPORT)
        host_refuse(scan->host, "the module '%.*s'", STR_ARG(path));
    else
        host_refuse(scan->host, "'%.*s.%.*s'", STR_ARG(path), STR_ARG(name->path));
}

static void scan_import(Scan *scan, const Stmt *stmt) {
    if (stmt->level || str_is(stmt->name, "__future__")) {
        for (int i = 0; i < stmt->num_names; i++) forget(scan, stmt->names[i].alias);
        return;
    }
    Object *from = stmt->kind == STMT_IMPORT ? NULL : module_named(scan, stmt->name);
    for (int i = 0; i < stmt->num_names && !is_raised(scan->host); i++) {
        const ImportName *name = &stmt->names[i];
        Object *value = NULL;
        if (stmt->kind == STMT_IMPORT) {
            value = module_named(scan, name->path);
            check_unused(scan, stmt, name, NULL, value);
            /* `import a.b` binds a; where a is not followed, nor is a.b */
            bool is_part = value && !str_equal(name->alias, name->path) && !name->has_alias;
            if (is_part && !is_raised(scan->host)) value = module_named(scan, name->alias);
        } else if (from) {
            value = named_in(scan, from, stmt->name, name->path);
            check_unused(scan, stmt, name, from, value);
        }
        know(scan, name->alias, value);
    }
}

/* ---- expressions ---- */

static void refuse_at(Scan *scan, const Expr *expr, const char *what, Str words) {
    scan->host->span = expr->span;
    host_refuse(scan->host, what, STR_ARG(words));
}

/* What a chain of attributes surely is, when it starts at a module; else NULL. */
static Object *chain(Scan *scan, const Expr *expr) {
    Host *host = scan->host;
    if (expr->kind == EXPR_NAME) return expr->slot ? NULL : map_get(&scan->known, expr->text);
    if (expr->kind != EXPR_ATTRIBUTE) return NULL;
    Object *base = chain(scan, expr->left);
    if (!base || is_raised(host)) return NULL;
    if (base->kind == OBJECT_OPAQUE) return refuse_at(scan, expr, "%.*s", base->text), NULL;
    bool is_module =
        base->kind == OBJECT_MODULE || (base->kind == OBJECT_HOST && base->type == &module_type);
    if (!is_module || map_get(&scan->stored, expr->text)) return NULL;
    Object *value = host_get(host, base, expr->text);
    if (is_raised(host)) return take_raised(host), NULL;
    if (value || str_starts(expr->text, "__")) return value;
    Str name = str_format(host->arena, "%.*s.%.*s", STR_ARG(base->text), STR_ARG(expr->text));
    return refuse_at(scan, expr, "'%.*s'", name), NULL;
}

static void scan_call(Scan *scan, const Expr *call) {
    Host *host = scan->host;
    Object *callee = chain(scan, call->left);
    if (is_raised(host)) return;
    for (int i = 0; i < call->num_args && !is_raised(host); i++)
        scan_expr(scan, call->args[i].value);
    if (is_raised(host)) return;
    if (callee && callee->kind == OBJECT_OPAQUE) refuse_at(scan, call, "%.*s", callee->text);
    scan->has_ended |= is_exit(call);
    if (call->left->kind != EXPR_NAME || call->left->slot || scan->has_ended) return;
    FunctionDef *def = map_get(&scan->functions, call->left->text);
    if (!def || map_get_pointer(&scan->visited, def)) return;
    map_set_pointer(&scan->visited, def, def);
    scan_block(scan, def->body, true);
    scan->has_left = false;
}

static void scan_expr(Scan *scan, const Expr *expr) {
    if (!expr || is_raised(scan->host) || scan->has_ended) return;
    ExprKind kind = expr->kind;
    if (kind == EXPR_LAMBDA || kind == EXPR_YIELD) return;
    if (kind == EXPR_ABSENT || kind == EXPR_AWAIT || kind == EXPR_BYTES || kind == EXPR_IMAGINARY) {
        host_opaque(scan->host, expr);
    } else if (kind == EXPR_AND || kind == EXPR_OR) {
        scan_expr(scan, expr->items[0]);
    } else if (kind == EXPR_TERNARY) {
        scan_expr(scan, expr->condition);
    } else if (kind == EXPR_COMPREHENSION) {
        scan_expr(scan, expr->clauses[0].iterable);
    } else if (kind == EXPR_COMPARE) {
        scan_expr(scan, expr->left);
        scan_expr(scan, expr->items[0]);
    } else if (kind == EXPR_CALL) {
        if (!chain(scan, expr->left)) scan_expr(scan, expr->left);
        if (!is_raised(scan->host)) scan_call(scan, expr);
    } else if (kind != EXPR_ATTRIBUTE || !chain(scan, expr)) {
        if (kind == EXPR_WALRUS) forget(scan, expr->text);
        scan_expr(scan, expr->left);
        scan_expr(scan, expr->right);
        scan_expr(scan, expr->condition);
        for (int i = 0; i < expr->num_items; i++) scan_expr(scan, expr->items[i]);
    }
}

/* ---- statements ---- */

static bool is_main(const Expr *test) {
    return test->kind == EXPR_COMPARE && test->num_items == 1 &&
           test->operators[0] == OPERATOR_EQ && test->left->kind == EXPR_NAME &&
           str_is(test->left->text, "__name__") && test->items[0]->kind == EXPR_STRING &&
           str_is(test->items[0]->text, "__main__");
}

static void scan_definition(Scan *scan, const Stmt *stmt) {
    FunctionDef *def = stmt->function;
    for (int i = 0; i < def->num_decorators; i++) scan_expr(scan, def->decorators[i]);
    for (int i = 0; i < def->num_params; i++) scan_expr(scan, def->params[i].default_value);
    forget(scan, def->name);
    if (!def->num_decorators && !def->is_generator && !def->is_async &&
        !map_get(&scan->stored, def->name))
        map_set(&scan->functions, def->name, def);
}

/* What runs of it, whatever it is in. */
static void scan_class(Scan *scan, const Stmt *stmt) {
    for (int i = 0; i < stmt->num_decorators; i++) scan_expr(scan, stmt->decorators[i]);
    for (int i = 0; i < stmt->num_args; i++) scan_expr(scan, stmt->args[i].value);
    if (!is_raised(scan->host) && class_is_known(scan->host, stmt->body))
        scan_block(scan, stmt->body, true);
    forget(scan, stmt->name);
}

static void scan_stmt(Scan *scan, const Stmt *stmt, bool in_function) {
    if (stmt->kind == STMT_FUNCTION && stmt->function->is_async) {
        scan->host->span = stmt->span;
        host_refuse(scan->host, "async functions");
        return;
    }
    if (stmt->kind == STMT_FUNCTION && !in_function) {
        scan_definition(scan, stmt);
        return;
    }
    for (int i = 0; i < stmt->num_handlers; i++) {
        const Expr *type = stmt->handlers[i].type;
        if (type && type->kind == EXPR_ABSENT) scan_expr(scan, type);
    }
    if (stmt->kind == STMT_CLASS) {
        scan_class(scan, stmt);
        return;
    }
    if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_TRY) {
        pass_by_stmt(scan, stmt);
        return;
    }
    if (stmt->kind == STMT_IMPORT || stmt->kind == STMT_FROM_IMPORT) {
        if (!in_function) scan_import(scan, stmt);
        return;
    }
    scan_expr(scan, stmt->value);
    for (int i = 0; i < stmt->num_items; i++) scan_expr(scan, stmt->items[i].value);
    for (int i = 0; i < stmt->num_items; i++) forget_target(scan, stmt->items[i].target);
    for (int i = 0; i < stmt->num_targets; i++) forget_target(scan, stmt->targets[i]);
    if (stmt->kind == STMT_WITH || (stmt->kind == STMT_IF && !in_function && is_main(stmt->value)))
        scan_block(scan, stmt->body, in_function);
    else
        pass_by(scan, stmt->body), pass_by(scan, stmt->orelse);
    scan->has_left |= stmt->kind == STMT_RETURN || stmt->kind == STMT_RAISE;
}

static void scan_block(Scan *scan, Block block, bool in_function) {
    for (int i = 0; i < block.count && !is_raised(scan->host); i++) {
        if (scan->has_left || scan->has_ended) return;
        scan_stmt(scan, block.stmts[i], in_function);
    }
}

bool script_scan(Host *host) {
    Arena *arena = host->script->arena;
    Scan scan = {.host = host,
                 .known = {.arena = arena},
                 .functions = {.arena = arena},
                 .stored = {.arena = arena},
                 .visited = {.arena = arena}};
    find_stores(&scan, host->module->ast->body);
    scan_block(&scan, host->module->ast->body, false);
    return !is_raised(host);
}
