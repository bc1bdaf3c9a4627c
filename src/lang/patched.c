// SPDX-License-Identifier: Apache-2.0
/* patched: `shim = patched(shim, names)`, where the function gives back what it got, and at most
 * adds attributes that are not there. What the name was before is then what it is, for all that it
 * has.
 *
 *     def patched(module, names):
 *         for name in names:
 *             if hasattr(module, name):
 *                 continue
 *             setattr(module, name, other(name))
 *         return module
 *
 * Anything else that is done with the parameter might change it: then this gives up. */
#include "lang/module.h"

static bool is_name(const Expr *expr, Str name) {
    return expr && expr->kind == EXPR_NAME && str_equal(expr->text, name);
}

/* function(name, ..): `name` nowhere else. */
static bool calls_with(const Expr *expr, const char *function, Str name) {
    if (expr->kind != EXPR_CALL || expr->num_args < 1 || !is_name(expr->left, str_of(function)) ||
        !is_name(expr->args[0].value, name))
        return false;
    for (int i = 1; i < expr->num_args; i++)
        if (expr_mentions(expr->args[i].value, name)) return false;
    return true;
}

/* `if hasattr(name, KEY): continue`; the key, else NULL. */
static const Expr *skipped(const Stmt *stmt, Str name) {
    bool skips = stmt->kind == STMT_IF && stmt->body.count == 1 && stmt->orelse.count == 0 &&
                 stmt->body.stmts[0]->kind == STMT_CONTINUE &&
                 calls_with(stmt->value, "hasattr", name) && stmt->value->num_args == 2;
    const Expr *key = skips ? stmt->value->args[1].value : NULL;
    return key && key->kind == EXPR_NAME ? key : NULL;
}

/* absent: an attribute of this name is not there; or NULL. */
static bool leaves(const Block *block, Str name, const Expr *absent);

static bool leaves_stmt(const Stmt *stmt, Str name, const Expr *absent) {
    switch (stmt->kind) {
    case STMT_RETURN: return is_name(stmt->value, name);
    case STMT_PASS:
    case STMT_BREAK:
    case STMT_CONTINUE: return true;
    case STMT_EXPR:
        if (absent && calls_with(stmt->value, "setattr", name) && stmt->value->num_args == 3 &&
            is_name(stmt->value->args[1].value, absent->text))
            return true;
        return !expr_mentions(stmt->value, name);
    case STMT_ASSIGN:
        for (int i = 0; i < stmt->num_targets; i++)
            if (expr_mentions(stmt->targets[i], name) ||
                (absent && expr_mentions(stmt->targets[i], absent->text)))
                return false;
        return !expr_mentions(stmt->value, name);
    case STMT_IF:
        return (!expr_mentions(stmt->value, name) || calls_with(stmt->value, "hasattr", name)) &&
               leaves(&stmt->body, name, absent) && leaves(&stmt->orelse, name, absent);
    case STMT_FOR:
        return !expr_mentions(stmt->value, name) && !expr_mentions(stmt->targets[0], name) &&
               !(absent && expr_mentions(stmt->targets[0], absent->text)) &&
               leaves(&stmt->body, name, absent) && leaves(&stmt->orelse, name, absent);
    case STMT_AUG_ASSIGN:
    case STMT_ANN_ASSIGN:
    case STMT_WHILE:
    case STMT_FUNCTION:
    case STMT_CLASS:
    case STMT_IMPORT:
    case STMT_FROM_IMPORT:
    case STMT_ASSERT:
    case STMT_RAISE:
    case STMT_GLOBAL:
    case STMT_NONLOCAL:
    case STMT_DELETE:
    case STMT_TRY:
    case STMT_WITH:
    case STMT_MATCH:
    case STMT_ERROR: return false;
    }
    return false;
}

static bool leaves(const Block *block, Str name, const Expr *absent) {
    for (int i = 0; i < block->count; i++) {
        const Expr *key = skipped(block->stmts[i], name);
        if (key) absent = key;
        if (!leaves_stmt(block->stmts[i], name, absent)) return false;
    }
    return true;
}

static bool gives_back(const FunctionDef *def) {
    const Block *body = &def->body;
    return def->num_params > 0 && def->num_decorators == 0 && body->count > 0 && !def->is_async &&
           def->params[0].kind == PARAM_NORMAL &&
           body->stmts[body->count - 1]->kind == STMT_RETURN &&
           leaves(body, def->params[0].name, NULL);
}

bool stmt_patches(const Module *module, const Stmt *stmt, Str name) {
    bool calls = stmt->kind == STMT_ASSIGN && stmt->num_targets == 1 &&
                 is_name(stmt->targets[0], name) && stmt->value->kind == EXPR_CALL &&
                 stmt->value->left->kind == EXPR_NAME && stmt->value->num_args > 0 &&
                 !stmt->value->args[0].name.length && !stmt->value->args[0].stars &&
                 is_name(stmt->value->args[0].value, name);
    const Global *called = calls ? map_get(&module->globals, stmt->value->left->text) : NULL;
    if (!called || called->definitions.count != 1 || called->definitions.data[0].guard)
        return false;
    const Stmt *definition = called->definitions.data[0].stmt;
    return definition->kind == STMT_FUNCTION && gives_back(definition->function);
}
