// SPDX-License-Identifier: Apache-2.0
/* script_set: `--set NAME=VALUE` gives a name of a file another value than the file says.
 *
 *     BATCH, N_HEADS = 4, 32         N_HEADS=2                   N_HEADS = 2 is put behind this
 *     def bench(K, reps=10000):      bench.reps=3                reps = 3 is put before the next
 *         M = 8192                   bench.M=256                 M = 256 is put behind this
 *
 * So each assignment `NAME = ..` of the file, or of the function or class that is named, and a
 * parameter whatever a call gives. A kernel's names are its launch's: they are refused. */
#include "lang/script.h"

typedef struct Setting {
    Arena *arena;
    Diag *diag;
    Str where, name, value; /* "bench", "M", "256"; where is empty: the file */
    const Source *source;
    int count;
    bool failed;
} Setting;

static bool binds(const Expr *target, Str name) {
    if (target->kind == EXPR_NAME) return str_equal(target->text, name);
    if (target->kind == EXPR_STARRED) return binds(target->left, name);
    if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return false;
    for (int i = 0; i < target->num_items; i++)
        if (binds(target->items[i], name)) return true;
    return false;
}

static bool assigns(const Stmt *stmt, Str name) {
    bool is_one = stmt->kind == STMT_ASSIGN || (stmt->kind == STMT_ANN_ASSIGN && stmt->value);
    for (int i = 0; is_one && i < stmt->num_targets; i++)
        if (binds(stmt->targets[i], name)) return true;
    return false;
}

/* `NAME = VALUE` as a statement that stands at span. */
static Stmt *made(Setting *set, Span span) {
    Expr *target = arena_new_of(set->arena, Expr);
    Stmt *stmt = arena_new_of(set->arena, Stmt);
    Expr **targets = arena_array(set->arena, Expr *, 1);
    targets[0] = target;
    *target = (Expr){.kind = EXPR_NAME, .span = span, .text = set->name, .height = 1};
    *stmt = (Stmt){.kind = STMT_ASSIGN, .span = span, .num_targets = 1, .targets = targets};
    stmt->value = ast_parse_expr(set->arena, set->source, set->diag);
    set->failed |= !stmt->value;
    set->count++;
    return stmt;
}

/* at 0: before all others. */
static void insert(Setting *set, Block *block, int at, Span span) {
    Stmt **stmts = arena_array(set->arena, Stmt *, block->count + 1);
    for (int i = 0; i < block->count; i++) stmts[i < at ? i : i + 1] = block->stmts[i];
    stmts[at] = made(set, span);
    block->stmts = stmts, block->count++;
}

/* A match's body is the bodies of its cases, for walkers. */
static void join_cases(Arena *arena, Stmt *match) {
    int count = 0, at = 0;
    for (int k = 0; k < match->num_cases; k++) count += match->cases[k].body.count;
    match->body = (Block){count, arena_array(arena, Stmt *, count + 1)};
    for (int k = 0; k < match->num_cases; k++)
        for (int i = 0; i < match->cases[k].body.count; i++)
            match->body.stmts[at++] = match->cases[k].body.stmts[i];
}

/* Calls visit for each block of a scope, those inside of `if` and alike too, but of no other
 * function or class. */
static void each_block(Setting *set, Block *block, void (*visit)(Setting *set, Block *block)) {
    for (int i = 0; i < block->count; i++) {
        Stmt *stmt = block->stmts[i];
        if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) continue;
        if (stmt->kind != STMT_MATCH) each_block(set, &stmt->body, visit);
        each_block(set, &stmt->orelse, visit);
        each_block(set, &stmt->finally, visit);
        for (int k = 0; k < stmt->num_handlers; k++)
            each_block(set, &stmt->handlers[k].body, visit);
        for (int k = 0; k < stmt->num_cases; k++) each_block(set, &stmt->cases[k].body, visit);
        if (stmt->kind == STMT_MATCH) join_cases(set->arena, stmt);
    }
    visit(set, block);
}

static void set_in(Setting *set, Block *block) {
    for (int i = 0; i < block->count; i++)
        if (assigns(block->stmts[i], set->name))
            insert(set, block, i + 1, block->stmts[i]->span), i++;
}

static bool is_kernel(const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++) {
        const Expr *expr = def->decorators[i];
        if (expr->kind == EXPR_CALL) expr = expr->left;
        bool is_name = expr->kind == EXPR_NAME || expr->kind == EXPR_ATTRIBUTE;
        if (is_name && str_is(expr->text, "jit")) return true;
    }
    return false;
}

static void set_function(Setting *set, FunctionDef *def) {
    if (is_kernel(def)) {
        diag_error(set->diag, def->span, "'%.*s' is a kernel: its values are those of its launch",
                   STR_ARG(def->name));
        set->failed = true;
        return;
    }
    each_block(set, &def->body, set_in);
    for (int i = 0; i < def->num_params; i++)
        if (str_equal(def->params[i].name, set->name))
            insert(set, &def->body, 0, def->params[i].span);
}

static void enter(Setting *set, Block *block);

/* The functions and classes of the block that the next word of `where` names. */
static void enter_named(Setting *set, Block *block) {
    Str where = set->where, name = where;
    int dot = 0;
    while (dot < where.length && where.data[dot] != '.') dot++;
    name.length = dot;
    Str rest = dot < where.length ? (Str){where.data + dot + 1, where.length - dot - 1} : (Str){0};
    for (int i = 0; i < block->count && !set->failed; i++) {
        Stmt *stmt = block->stmts[i];
        bool is_function = stmt->kind == STMT_FUNCTION;
        if (!is_function && stmt->kind != STMT_CLASS) continue;
        if (!str_equal(is_function ? stmt->function->name : stmt->name, name)) continue;
        set->where = rest;
        if (!rest.length && is_function)
            set_function(set, stmt->function);
        else
            enter(set, is_function ? &stmt->function->body : &stmt->body);
        set->where = where;
    }
}

static void enter(Setting *set, Block *block) {
    each_block(set, block, set->where.length ? enter_named : set_in);
}

static bool is_word(Str text) {
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return text.length > 0;
}

bool script_set(Arena *arena, Ast *ast, const char *text, Diag *diag) {
    const char *equals = strchr(text, '=');
    int length = equals ? (int)(equals - text) : 0, last = length;
    while (last > 0 && text[last - 1] != '.') last--;
    Setting set = {.arena = arena, .diag = diag};
    set.name = (Str){text + last, length - last};
    if (last) set.where = (Str){text, last - 1};
    if (!equals || !equals[1] || !is_word(set.name)) {
        diag_error(diag, (Span){0}, "--set '%s': expected NAME=VALUE or FUNCTION.NAME=VALUE", text);
        return false;
    }
    set.source =
        source_new(arena, str_format(arena, "--set %.*s", length, text), str_of(equals + 1));
    enter(&set, &ast->body);
    if (!set.count && !set.failed)
        diag_error(diag, (Span){0}, "--set '%s': no assignment and no parameter has this name",
                   text);
    return set.count && !set.failed;
}
