// SPDX-License-Identifier: Apache-2.0
/* resolve: gives each name of a running script its place.
 *
 *     def scale(x, factor):            x, factor, grid: slots 1, 2, 3 of a call's frame
 *         grid = lambda meta: x        x is a cell: the lambda's frame has it, too
 *
 * As in Python, what a function binds anywhere is its own everywhere in it. Names of a file and of
 * a class body are found by name, but the targets of their comprehensions have slots. A generator
 * expression is a function, whose variables are its targets. */
#include "lang/module.h"

typedef enum ScopeKind { SCOPE_FILE, SCOPE_CLASS, SCOPE_FUNCTION } ScopeKind;

typedef struct Target { /* of a comprehension that is open */
    Str name;
    int slot;
} Target;

typedef struct Names Names;
struct Names {
    ScopeKind kind;
    Arena *arena;
    Diag *diag;
    FunctionDef *def;
    Slots *slots;
    Map own;     /* of a class: what it binds */
    Map globals; /* declared global */
    VEC(Target) targets;
    bool hides_own; /* of a class, in a comprehension: its names are not seen there */
    Names *outer;
};

static void resolve_expr(Names *names, Expr *expr);
static void resolve_block(Names *names, Block block);

static int slot_add(Names *names, Str name, int from) {
    vec_push(names->arena, &names->slots->slots,
             ((Slot){.name = name, .is_cell = from > 0, .from = from}));
    return names->slots->slots.count;
}

/* 1 + its slot among the scope's own, comprehensions first; 0: none. */
static int own_slot(const Names *names, Str name) {
    for (int i = names->targets.count - 1; i >= 0; i--)
        if (str_equal(names->targets.data[i].name, name)) return names->targets.data[i].slot;
    for (int i = 0; i < names->slots->slots.count; i++)
        if (str_equal(names->slots->slots.data[i].name, name)) return i + 1;
    return 0;
}

static int find_slot(Names *names, Str name) {
    if (map_get(&names->globals, name)) return 0;
    if (map_get(&names->own, name) && !names->hides_own) return 0;
    int slot = own_slot(names, name);
    if (slot || !names->outer) return slot;
    Names *outer = names->outer;
    /* A class's own names are not seen from its functions; those around it are. */
    int from = 0;
    if (outer->kind == SCOPE_CLASS && map_get(&outer->own, name)) {
        if (outer->outer) {
            Map own = outer->own;
            outer->own = (Map){.arena = names->arena};
            from = find_slot(outer, name);
            outer->own = own;
        }
    } else {
        from = find_slot(outer, name);
    }
    if (!from) return 0;
    outer->slots->slots.data[from - 1].is_cell = true;
    return slot_add(names, name, from);
}

/* ---- what a scope binds ---- */

static void bind_name(Names *names, Str name) {
    if (names->kind == SCOPE_CLASS) map_set(&names->own, name, names);
    if (names->kind == SCOPE_FUNCTION && !map_get(&names->globals, name) && !own_slot(names, name))
        slot_add(names, name, 0);
}

static void bind_target(Names *names, const Expr *target) {
    if (!target) return;
    if (target->kind == EXPR_NAME) bind_name(names, target->text);
    if (target->kind == EXPR_STARRED) bind_target(names, target->left);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (int i = 0; i < target->num_items; i++) bind_target(names, target->items[i]);
}

static void bind_pattern(Names *names, const Pattern *pattern) {
    bind_target(names, pattern->name);
    for (int i = 0; i < pattern->num_items; i++) bind_pattern(names, pattern->items[i]);
}

/* := binds in the function, also from inside a comprehension. */
static void bind_walrus(Names *names, const Expr *expr) {
    if (!expr) return;
    if (expr->kind == EXPR_WALRUS) bind_name(names, expr->text);
    if (expr->kind == EXPR_YIELD && names->def) names->def->is_generator = true;
    bind_walrus(names, expr->left);
    bind_walrus(names, expr->right);
    bind_walrus(names, expr->condition);
    for (int i = 0; i < expr->num_items; i++) bind_walrus(names, expr->items[i]);
    for (int i = 0; i < expr->num_args; i++) bind_walrus(names, expr->args[i].value);
    for (int i = 0; i < expr->num_clauses; i++) {
        bind_walrus(names, expr->clauses[i].iterable);
        for (int k = 0; k < expr->clauses[i].num_conditions; k++)
            bind_walrus(names, expr->clauses[i].conditions[k]);
    }
}

static void declare(Names *names, const Stmt *stmt) {
    for (int i = 0; i < stmt->num_names; i++) {
        Str name = stmt->names[i].path;
        if (stmt->kind == STMT_GLOBAL) {
            map_set(&names->globals, name, names);
            continue;
        }
        int from = names->outer ? find_slot(names->outer, name) : 0;
        if (!from) {
            diag_error(names->diag, stmt->span, "no binding for nonlocal '%.*s' found",
                       STR_ARG(name));
            continue;
        }
        names->outer->slots->slots.data[from - 1].is_cell = true;
        slot_add(names, name, from);
    }
}

/* What a statement binds itself, its blocks aside. */
static void bind_stmt(Names *names, const Stmt *stmt) {
    for (int k = 0; k < stmt->num_targets && stmt->kind != STMT_DELETE; k++)
        bind_target(names, stmt->targets[k]);
    bind_walrus(names, stmt->value);
    for (int k = 0; k < stmt->num_items; k++) bind_target(names, stmt->items[k].target);
    if (stmt->kind == STMT_FUNCTION) bind_name(names, stmt->function->name);
    if (stmt->kind == STMT_CLASS) bind_name(names, stmt->name);
    if (stmt->kind == STMT_IMPORT || stmt->kind == STMT_FROM_IMPORT)
        for (int k = 0; k < stmt->num_names; k++) bind_name(names, stmt->names[k].alias);
    for (int k = 0; k < stmt->num_cases; k++) {
        bind_pattern(names, stmt->cases[k].pattern);
        bind_walrus(names, stmt->cases[k].guard);
    }
    for (int k = 0; k < stmt->num_handlers; k++)
        if (stmt->handlers[k].name.length) bind_name(names, stmt->handlers[k].name);
}

static void bind_block(Names *names, Block block, bool declarations) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *stmt = block.stmts[i];
        if (stmt->kind == STMT_GLOBAL || stmt->kind == STMT_NONLOCAL) {
            if (declarations) declare(names, stmt);
            continue;
        }
        if (!declarations) bind_stmt(names, stmt);
        if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) continue;
        bind_block(names, stmt->body, declarations);
        bind_block(names, stmt->orelse, declarations);
        bind_block(names, stmt->finally, declarations);
        for (int k = 0; k < stmt->num_handlers; k++)
            bind_block(names, stmt->handlers[k].body, declarations);
    }
}

/* ---- what names mean ---- */

static Names names_of(Names *outer, ScopeKind kind, Str name, Arena *arena, Diag *diag) {
    Slots *slots = arena_new_of(arena, Slots);
    slots->qualified = name;
    if (outer && outer->kind != SCOPE_FILE)
        slots->qualified =
            str_format(arena, "%.*s%s%.*s", STR_ARG(outer->slots->qualified),
                       outer->kind == SCOPE_FUNCTION ? ".<locals>." : ".", STR_ARG(name));
    return (Names){.kind = kind,
                   .arena = arena,
                   .diag = diag,
                   .slots = slots,
                   .own = {.arena = arena},
                   .globals = {.arena = arena},
                   .outer = outer};
}

static void resolve_function(Names *outer, FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++) resolve_expr(outer, def->decorators[i]);
    for (int i = 0; i < def->num_params; i++) resolve_expr(outer, def->params[i].default_value);
    Names names = names_of(outer, SCOPE_FUNCTION, def->name, outer->arena, outer->diag);
    names.def = def;
    for (int i = 0; i < def->num_params; i++) slot_add(&names, def->params[i].name, 0);
    bind_block(&names, def->body, true);
    bind_block(&names, def->body, false);
    if (def->lambda_value) {
        bind_walrus(&names, def->lambda_value);
        resolve_expr(&names, def->lambda_value);
    }
    resolve_block(&names, def->body);
    def->slots = names.slots;
}

static void resolve_class(Names *outer, Stmt *stmt) {
    for (int i = 0; i < stmt->num_decorators; i++) resolve_expr(outer, stmt->decorators[i]);
    for (int i = 0; i < stmt->num_args; i++) resolve_expr(outer, stmt->args[i].value);
    Names names = names_of(outer, SCOPE_CLASS, stmt->name, outer->arena, outer->diag);
    bind_block(&names, stmt->body, true);
    bind_block(&names, stmt->body, false);
    resolve_block(&names, stmt->body);
    stmt->slots = names.slots;
}

static void open_target(Names *names, Expr *target) {
    if (target->kind == EXPR_NAME) {
        Target one = {target->text, slot_add(names, STR(""), 0)};
        vec_push(names->arena, &names->targets, one);
        target->slot = one.slot;
        return;
    }
    if (target->kind == EXPR_STARRED) open_target(names, target->left);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (int i = 0; i < target->num_items; i++) open_target(names, target->items[i]);
}

static void resolve_generator(Names *outer, Expr *expr) {
    Names names = names_of(outer, SCOPE_FUNCTION, STR("<genexpr>"), outer->arena, outer->diag);
    FunctionDef *def = arena_new_of(outer->arena, FunctionDef);
    *def = (FunctionDef){.name = STR("<genexpr>"), .span = expr->span, .slots = names.slots};
    resolve_expr(outer, expr->clauses[0].iterable);
    for (int i = 0; i < expr->num_clauses; i++) bind_target(&names, expr->clauses[i].target);
    for (int i = 0; i < expr->num_clauses; i++) {
        Clause *clause = &expr->clauses[i];
        if (i) resolve_expr(&names, clause->iterable);
        resolve_expr(&names, clause->target);
        for (int k = 0; k < clause->num_conditions; k++)
            resolve_expr(&names, clause->conditions[k]);
    }
    resolve_expr(&names, expr->left);
    expr->function = def;
}

static void resolve_comprehension(Names *names, Expr *expr) {
    int open = names->targets.count;
    bool hid_own = names->hides_own;
    for (int i = 0; i < expr->num_clauses; i++) {
        Clause *clause = &expr->clauses[i];
        resolve_expr(names, clause->iterable);
        names->hides_own = true;
        open_target(names, clause->target);
        for (int k = 0; k < clause->num_conditions; k++) resolve_expr(names, clause->conditions[k]);
    }
    resolve_expr(names, expr->left);
    resolve_expr(names, expr->right);
    names->targets.count = open;
    names->hides_own = hid_own;
}

static void resolve_expr(Names *names, Expr *expr) {
    if (!expr) return;
    if (expr->kind == EXPR_COMPREHENSION) {
        if (str_is(expr->text, "generator"))
            resolve_generator(names, expr);
        else
            resolve_comprehension(names, expr);
        return;
    }
    if (expr->kind == EXPR_NAME) {
        expr->slot = find_slot(names, expr->text);
        if (!expr->slot && names->kind == SCOPE_CLASS && names->hides_own) expr->slot = -1;
    }
    if (expr->kind == EXPR_WALRUS) {
        int open = names->targets.count;
        names->targets.count = 0;
        expr->slot = find_slot(names, expr->text);
        names->targets.count = open;
    }
    if (expr->function) resolve_function(names, expr->function);
    resolve_expr(names, expr->left);
    resolve_expr(names, expr->right);
    resolve_expr(names, expr->condition);
    for (int i = 0; i < expr->num_items; i++) resolve_expr(names, expr->items[i]);
    for (int i = 0; i < expr->num_args; i++) resolve_expr(names, expr->args[i].value);
}

static void resolve_pattern(Names *names, const Pattern *pattern) {
    resolve_expr(names, pattern->value);
    resolve_expr(names, pattern->name);
    for (int i = 0; i < pattern->num_items; i++) {
        if (pattern->keys) resolve_expr(names, pattern->keys[i]);
        resolve_pattern(names, pattern->items[i]);
    }
}

static void resolve_stmt(Names *names, Stmt *stmt) {
    if (stmt->kind == STMT_FUNCTION) resolve_function(names, stmt->function);
    if (stmt->kind == STMT_CLASS) resolve_class(names, stmt);
    if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) return;
    for (int i = 0; i < stmt->num_targets; i++) resolve_expr(names, stmt->targets[i]);
    resolve_expr(names, stmt->value);
    resolve_expr(names, stmt->message);
    for (int i = 0; i < stmt->num_items; i++) {
        resolve_expr(names, stmt->items[i].value);
        resolve_expr(names, stmt->items[i].target);
    }
    for (int i = 0; i < stmt->num_cases; i++) {
        resolve_pattern(names, stmt->cases[i].pattern);
        resolve_expr(names, stmt->cases[i].guard);
    }
    for (int i = 0; i < stmt->num_handlers; i++) {
        resolve_expr(names, stmt->handlers[i].type);
        resolve_block(names, stmt->handlers[i].body);
    }
    resolve_block(names, stmt->body);
    resolve_block(names, stmt->orelse);
    resolve_block(names, stmt->finally);
}

static void resolve_block(Names *names, Block block) {
    for (int i = 0; i < block.count; i++) resolve_stmt(names, block.stmts[i]);
}

bool resolve_file(Arena *arena, Ast *ast, Slots **slots, Diag *diag) {
    int errors = diag->num_errors;
    Names names = names_of(NULL, SCOPE_FILE, STR(""), arena, diag);
    resolve_block(&names, ast->body);
    *slots = names.slots;
    return diag->num_errors == errors;
}
