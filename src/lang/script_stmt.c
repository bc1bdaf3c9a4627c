// SPDX-License-Identifier: Apache-2.0
/* script_stmt: the statements of a running script. What a statement made and nobody stored goes
 * when it ends. FLOW_UNKNOWN here: an exception is on its way. */
#include "lang/script.h"

static Flow flow_of(const Host *host) { return is_raised(host) ? FLOW_UNKNOWN : FLOW_ON; }

static bool truth_of(Host *host, const Expr *condition) {
    return script_truth(host, host_expr(host, condition));
}

/* ---- assignment ---- */

static Flow run_assign(Host *host, const Stmt *stmt) {
    if (!stmt->value) return FLOW_ON;
    Object *value = host_expr(host, stmt->value);
    for (int i = 0; i < stmt->num_targets && !is_raised(host); i++)
        host_assign(host, stmt->targets[i], value);
    return flow_of(host);
}

/* A list or set gets the items of another, which goes. */
static Object *become(Host *host, Object *old, Object *result) {
    if (is_raised(host) || result->kind != old->kind) return result;
    list_remove(host, old, 0, old->num_items);
    for (int i = 0; i < result->num_items; i++)
        is_set_object(old) ? set_put(host, old, result->items[i])
                           : list_insert(host, old, i, result->items[i]);
    return old;
}

/* a += b: lists, dicts, sets and tensors change in place. */
static Object *in_place(Host *host, Operator op, Object *old, Object *value) {
    static const char *const names[] = {
        [OPERATOR_ADD] = "__iadd__",       [OPERATOR_SUB] = "__isub__",
        [OPERATOR_MUL] = "__imul__",       [OPERATOR_DIV] = "__itruediv__",
        [OPERATOR_OR] = "__ior__",         [OPERATOR_AND] = "__iand__",
        [OPERATOR_XOR] = "__ixor__",       [OPERATOR_FLOORDIV] = "__ifloordiv__",
        [OPERATOR_MOD] = "__imod__",       [OPERATOR_POW] = "__ipow__",
        [OPERATOR_SHL] = "__ilshift__",    [OPERATOR_SHR] = "__irshift__",
        [OPERATOR_MATMUL] = "__imatmul__",
    };
    if (is_raised(host)) return host->script->poison;
    if (op == OPERATOR_ADD && old->kind == OBJECT_LIST && !is_set_object(old)) {
        int count;
        Object **items;
        if (!host_items(host, value, &count, &items)) return host->script->poison;
        for (int i = 0; i < count; i++) list_insert(host, old, old->num_items, items[i]);
        return old;
    }
    if (op == OPERATOR_OR && old->kind == OBJECT_DICT && value->kind == OBJECT_DICT) {
        for (int i = 0; i + 1 < value->num_items; i += 2)
            dict_put(host, old, value->items[i], value->items[i + 1]);
        return old;
    }
    if (op == OPERATOR_OR && is_set_object(old) && is_set_object(value)) {
        for (int i = 0; i < value->num_items; i++) set_put(host, old, value->items[i]);
        return old;
    }
    bool is_set = is_set_object(old) && is_set_object(value) &&
                  (op == OPERATOR_SUB || op == OPERATOR_AND || op == OPERATOR_XOR);
    if (is_set || (op == OPERATOR_MUL && old->kind == OBJECT_LIST && !is_set_object(old)))
        return become(host, old, script_binary(host, op, old, value));
    if (old->kind == OBJECT_HOST && (int)op < COUNT(names) && names[op]) {
        Str name = str_of(names[op]);
        Object *method = old->type == &instance_type
                             ? class_member(old->items[0], name) ? host_get(host, old, name) : NULL
                         : old->type->attribute ? old->type->attribute(host, old, name)
                                                : NULL;
        if (method) return host_invoke_with(host, method, 1, &value);
    }
    return script_binary(host, op, old, value);
}

static Flow run_aug_assign(Host *host, const Stmt *stmt) {
    const Expr *target = stmt->targets[0];
    if (target->kind == EXPR_NAME) {
        Object *old = host_load(host, target), *value = host_expr(host, stmt->value);
        host->span = stmt->span;
        host_bind_slot(host, target->slot, target->text, in_place(host, stmt->op, old, value));
        return flow_of(host);
    }
    Object *left = host_expr(host, target->left);
    if (target->kind == EXPR_ATTRIBUTE) {
        Object *old = is_raised(host) ? left : host_attribute(host, left, target->text);
        Object *value = host_expr(host, stmt->value);
        host->span = stmt->span;
        host_set_attribute(host, left, target->text, in_place(host, stmt->op, old, value));
        return flow_of(host);
    }
    if (target->kind != EXPR_SUBSCRIPT) host_refuse(host, "this target of an assignment");
    Object *key = host_expr(host, target->right);
    Object *old = script_subscript(host, left, key), *value = host_expr(host, stmt->value);
    host->span = stmt->span;
    script_set_subscript(host, left, key, in_place(host, stmt->op, old, value));
    return flow_of(host);
}

static void delete_target(Host *host, const Expr *target) {
    if (target->kind == EXPR_NAME) {
        host_load(host, target); /* it must be there */
        host_bind_slot(host, target->slot, target->text, NULL);
    } else if (target->kind == EXPR_ATTRIBUTE) {
        host_delete_attribute(host, host_expr(host, target->left), target->text);
    } else if (target->kind == EXPR_SUBSCRIPT) {
        Object *object = host_expr(host, target->left), *key = host_expr(host, target->right);
        script_delete_subscript(host, object, key);
    } else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
        for (int i = 0; i < target->num_items; i++) delete_target(host, target->items[i]);
    } else {
        host_refuse(host, "'del' of this");
    }
}

/* ---- loops ---- */

static Flow run_for(Host *host, const Stmt *stmt, Object **result) {
    Object *iterator = host_iterator(host, host_expr(host, stmt->value));
    while (!is_raised(host)) {
        Moment moment = moment_of(host);
        host->span = stmt->value->span;
        Object *item = host_next(host, iterator);
        if (!item) {
            if (is_raised(host)) return FLOW_UNKNOWN;
            return script_block(host, stmt->orelse, result);
        }
        if (!host_step(host, stmt->span) || !host_assign(host, stmt->targets[0], item))
            return FLOW_UNKNOWN;
        moment_end(host, moment);
        Flow flow = script_block(host, stmt->body, result);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN || flow == FLOW_UNKNOWN) return flow;
    }
    return FLOW_UNKNOWN;
}

static Flow run_while(Host *host, const Stmt *stmt, Object **result) {
    for (;;) {
        Moment moment = moment_of(host);
        bool truth = truth_of(host, stmt->value);
        if (is_raised(host) || !host_step(host, stmt->span)) return FLOW_UNKNOWN;
        moment_end(host, moment);
        if (!truth) return script_block(host, stmt->orelse, result);
        Flow flow = script_block(host, stmt->body, result);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN || flow == FLOW_UNKNOWN) return flow;
    }
}

/* ---- definitions ---- */

static Object *decorated(Host *host, int count, Expr *const *decorators, Object *value,
                         Object *const *made) {
    for (int i = count - 1; i >= 0 && !is_raised(host); i--) {
        host->span = decorators[i]->span;
        value = host_invoke_with(host, made[i], 1, &value);
    }
    return value;
}

static Flow run_definition(Host *host, const Stmt *stmt) {
    bool is_class = stmt->kind == STMT_CLASS;
    int count = is_class ? stmt->num_decorators : stmt->function->num_decorators;
    Expr *const *decorators = is_class ? stmt->decorators : stmt->function->decorators;
    Object **made = arena_array(host->arena, Object *, count + 1);
    for (int i = 0; i < count; i++) made[i] = host_expr(host, decorators[i]);
    if (is_raised(host)) return FLOW_UNKNOWN;
    Object *value = is_class ? class_statement(host, stmt) : function_new(host, stmt->function);
    value = decorated(host, count, decorators, value, made);
    host_bind(host, is_class ? stmt->name : stmt->function->name, value);
    return flow_of(host);
}

/* ---- raise, assert, try, with ---- */

static Object *as_exception(Host *host, Object *value) {
    if (is_raised(host)) return value;
    if (value->kind == OBJECT_HOST && value->type == &class_type && class_info(value)->is_exception)
        value = host_invoke_with(host, value, 0, NULL);
    bool fine = !is_raised(host) && value->kind == OBJECT_HOST && value->type == &instance_type &&
                class_info(value->items[0])->is_exception;
    if (fine || is_raised(host)) return value;
    return host_raise(host, CLASS_TYPE_ERROR, "exceptions must derive from BaseException");
}

static Flow run_raise(Host *host, const Stmt *stmt) {
    Script *script = host->script;
    if (!stmt->value) {
        host->span = stmt->span;
        if (script->handled)
            host_raise_object(host, script->handled);
        else
            host_raise(host, CLASS_RUNTIME_ERROR, "No active exception to reraise");
        return FLOW_UNKNOWN;
    }
    Object *exception = as_exception(host, host_expr(host, stmt->value));
    if (stmt->message && !is_raised(host)) {
        Object *cause = host_expr(host, stmt->message);
        if (!is_raised(host) && cause->kind != OBJECT_NONE) cause = as_exception(host, cause);
        exception_note(host, exception, "__cause__", cause);
        exception_note(host, exception, "__suppress_context__", host->script->booleans[1]);
    }
    host->span = stmt->span;
    if (!is_raised(host)) host_raise_object(host, exception);
    return FLOW_UNKNOWN;
}

static Flow run_assert(Host *host, const Stmt *stmt) {
    if (truth_of(host, stmt->value)) return flow_of(host);
    Object *words = stmt->message ? host_expr(host, stmt->message) : NULL;
    if (is_raised(host)) return FLOW_UNKNOWN;
    host->span = stmt->span;
    host_raise_object(host, exception_new(host, host->script->classes[CLASS_ASSERTION_ERROR],
                                          words ? 1 : 0, &words));
    return FLOW_UNKNOWN;
}

static bool catches(Host *host, const Handler *handler, const Object *exception) {
    if (!handler->type) return true;
    Object *type = host_expr(host, handler->type);
    int count = type->kind == OBJECT_TUPLE ? type->num_items : 1;
    for (int i = 0; i < count && !is_raised(host); i++) {
        Object *one = type->kind == OBJECT_TUPLE ? type->items[i] : type;
        if (one->kind != OBJECT_HOST || one->type != &class_type) {
            host_raise(host, CLASS_TYPE_ERROR,
                       "catching classes that do not inherit from "
                       "BaseException is not allowed");
            return false;
        }
        if (class_is(exception->items[0], one)) return true;
    }
    return false;
}

/* An exception that is on its way, laid aside: what comes in between is not its business. */
typedef struct Aside {
    Object *exception;
    Span at;
} Aside;

static Aside lay_aside(Host *host) {
    Aside aside = {host->script->raised, host->script->raised_at};
    host->script->raised = NULL;
    return aside;
}

static void take_up(Host *host, Aside aside) {
    if (host->script->raised) { /* the newer one counts */
        host_drop(host, aside.exception);
        return;
    }
    host->script->raised = aside.exception;
    host->script->raised_at = aside.at;
}

static Flow run_handlers(Host *host, const Stmt *stmt, Object **result) {
    Script *script = host->script;
    Aside aside = lay_aside(host);
    for (int i = 0; i < stmt->num_handlers; i++) {
        const Handler *handler = &stmt->handlers[i];
        bool caught = catches(host, handler, aside.exception);
        if (is_raised(host)) break;
        if (!caught) continue;
        Object *outer = script->handled;
        script->handled = aside.exception;
        if (handler->name.length) host_bind(host, handler->name, aside.exception);
        Flow flow = script_block(host, handler->body, result);
        script->handled = outer;
        Aside later = lay_aside(host);
        if (handler->name.length) host_bind(host, handler->name, NULL);
        if (later.exception) take_up(host, later);
        host_drop(host, aside.exception);
        return flow;
    }
    take_up(host, aside);
    return FLOW_UNKNOWN;
}

static Flow run_try(Host *host, const Stmt *stmt, Object **result) {
    Script *script = host->script;
    host->depth++;
    Flow flow = script_block(host, stmt->body, result);
    host->depth--;
    if (flow == FLOW_UNKNOWN && is_raised(host) && !script->is_refused)
        flow = run_handlers(host, stmt, result);
    else if (flow == FLOW_ON)
        flow = script_block(host, stmt->orelse, result);
    if (!stmt->finally.count || script->is_refused) return flow;
    Object *kept = *result, *after = NULL;
    Aside aside = lay_aside(host);
    Flow last = script_block(host, stmt->finally, &after);
    if (last == FLOW_ON) {
        if (aside.exception) take_up(host, aside);
        return flow;
    }
    if (aside.exception) take_up(host, aside);
    if (last != FLOW_UNKNOWN && script->raised) host_drop(host, take_raised(host));
    if (kept) host_drop(host, kept);
    *result = after;
    return last;
}

static Flow run_with_from(Host *host, const Stmt *stmt, int index, Object **result) {
    Script *script = host->script;
    if (index == stmt->num_items) return script_block(host, stmt->body, result);
    const WithItem *item = &stmt->items[index];
    Object *manager = host_expr(host, item->value);
    Object *enter = is_raised(host) ? NULL : host_get(host, manager, STR("__enter__"));
    Object *leave = enter ? host_get(host, manager, STR("__exit__")) : NULL;
    if (!leave && !is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR,
                   "'%.*s' object does not support the context manager protocol",
                   STR_ARG(class_info(class_of(host, manager))->name));
    if (is_raised(host)) return FLOW_UNKNOWN;
    Object *value = host_invoke_with(host, enter, 0, NULL);
    if (item->target) host_assign(host, item->target, value);
    Flow flow = is_raised(host) ? FLOW_UNKNOWN : run_with_from(host, stmt, index + 1, result);
    if (script->is_refused) return flow;
    Aside aside = lay_aside(host);
    Object *none = script->none, *args[] = {none, none, none};
    if (aside.exception)
        args[0] = aside.exception->items[0], args[1] = aside.exception,
        args[2] = heap_host(host, &traceback_type, 0, NULL);
    Object *answer = host_invoke_with(host, leave, 3, args);
    bool swallows = aside.exception && !is_raised(host) && script_truth(host, answer);
    if (swallows) {
        host_drop(host, aside.exception);
        return FLOW_ON;
    }
    if (aside.exception) take_up(host, aside);
    return is_raised(host) ? FLOW_UNKNOWN : flow;
}

/* ---- all statements ---- */

static Flow run_statement(Host *host, const Stmt *stmt, Object **result) {
    switch (stmt->kind) {
    case STMT_RETURN: {
        Object *value = stmt->value ? host_expr(host, stmt->value) : host->script->none;
        if (is_raised(host)) return FLOW_UNKNOWN;
        *result = host_keep(host, value); /* past the end of this statement */
        return FLOW_RETURN;
    }
    case STMT_IF: {
        bool truth = truth_of(host, stmt->value);
        return is_raised(host) ? FLOW_UNKNOWN
                               : script_block(host, truth ? stmt->body : stmt->orelse, result);
    }
    case STMT_FOR: return run_for(host, stmt, result);
    case STMT_WHILE: return run_while(host, stmt, result);
    case STMT_ASSIGN:
    case STMT_ANN_ASSIGN: return run_assign(host, stmt);
    case STMT_AUG_ASSIGN: return run_aug_assign(host, stmt);
    case STMT_EXPR: host_expr(host, stmt->value); return flow_of(host);
    case STMT_PASS:
    case STMT_GLOBAL:
    case STMT_NONLOCAL: return FLOW_ON;
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_FUNCTION:
    case STMT_CLASS: return run_definition(host, stmt);
    case STMT_IMPORT:
    case STMT_FROM_IMPORT: script_import(host, stmt); return flow_of(host);
    case STMT_RAISE: return run_raise(host, stmt);
    case STMT_ASSERT: return run_assert(host, stmt);
    case STMT_DELETE:
        for (int i = 0; i < stmt->num_targets; i++) delete_target(host, stmt->targets[i]);
        return flow_of(host);
    case STMT_TRY: return run_try(host, stmt, result);
    case STMT_WITH: return run_with_from(host, stmt, 0, result);
    case STMT_MATCH: {
        const MatchCase *found = script_match(host, stmt);
        if (is_raised(host)) return FLOW_UNKNOWN;
        return found ? script_block(host, found->body, result) : FLOW_ON;
    }
    case STMT_ERROR: break; /* script_run_file has said so, and nothing runs */
    }
    return FLOW_ON;
}

Flow script_block(Host *host, Block block, Object **result) {
    for (int i = 0; i < block.count; i++) {
        Moment moment = moment_of(host);
        host->span = host->script->at = block.stmts[i]->span;
        if (host->script->watch) host->script->watch->statement(host, block.stmts[i]);
        if (!host_step(host, block.stmts[i]->span)) return FLOW_UNKNOWN;
        Flow flow = run_statement(host, block.stmts[i], result);
        moment_end(host, moment);
        if (flow != FLOW_ON) return flow;
    }
    return FLOW_ON;
}
