// SPDX-License-Identifier: Apache-2.0
/* lower_stmt: statements in a jit function, one after the other. What follows a run-time `if` that
 * may return is part of that `if`: so the rest of the frame is carried along as a Cont. */
#include "lang/lower.h"

/* ---- what a block assigns and whether it returns, by its text ---- */

static void add_name(Lower *l, Names *names, Str name) {
    for (int i = 0; i < names->count; i++)
        if (str_equal(names->data[i], name)) return;
    vec_push(l->arena, names, name);
}

static void target_names(Lower *l, const Expr *target, Names *names) {
    if (!target) return;
    if (target->kind == EXPR_NAME)
        add_name(l, names, target->text);
    else if (target->kind == EXPR_STARRED)
        target_names(l, target->left, names);
    else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (int i = 0; i < target->num_items; i++) target_names(l, target->items[i], names);
}

static void walrus_names(Lower *l, const Expr *expr, Names *names) {
    if (!expr) return;
    if (expr->kind == EXPR_WALRUS) add_name(l, names, expr->text);
    walrus_names(l, expr->left, names);
    walrus_names(l, expr->right, names);
    walrus_names(l, expr->condition, names);
    for (int i = 0; i < expr->num_items; i++) walrus_names(l, expr->items[i], names);
    for (int i = 0; i < expr->num_args; i++) walrus_names(l, expr->args[i].value, names);
}

void names_assigned(Lower *l, const Block *block, Names *names) {
    for (int i = 0; i < block->count; i++) {
        const Stmt *stmt = block->stmts[i];
        if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) continue;
        walrus_names(l, stmt->value, names);
        if (stmt->kind != STMT_ANN_ASSIGN || stmt->value)
            for (int j = 0; j < stmt->num_targets; j++) target_names(l, stmt->targets[j], names);
        for (int j = 0; j < stmt->num_items; j++) target_names(l, stmt->items[j].target, names);
        names_assigned(l, &stmt->body, names);
        names_assigned(l, &stmt->orelse, names);
    }
}

void names_poison(Lower *l, const Names *names, Span span) {
    for (int i = 0; i < names->count; i++)
        env_set(l, &l->frame->env, names->data[i], object_error(l->arena), span);
}

/* Somewhere inside, functions and classes aside. */
static bool block_returns(const Block *block) {
    for (int i = 0; i < block->count; i++) {
        const Stmt *stmt = block->stmts[i];
        if (stmt->kind == STMT_RETURN) return true;
        if (stmt->kind == STMT_FUNCTION || stmt->kind == STMT_CLASS) continue;
        if (block_returns(&stmt->body) || block_returns(&stmt->orelse)) return true;
    }
    return false;
}

/* ---- assignment ---- */

/* A number becomes a tensor, tuples item by item; None, dtypes and the like stay. */
Object *lower_target_value(Lower *l, Object *value, Span span) {
    if (l->frame->is_plain) return value;
    switch (value->kind) {
    case OBJECT_BOOL:
    case OBJECT_INT:
    case OBJECT_FLOAT: return to_tensor(l, value, span);
    case OBJECT_TUPLE:
    case OBJECT_LIST: {
        Object *copy = object_new(l->arena, value->kind);
        *copy = *value;
        copy->items = arena_array(l->arena, Object *, value->num_items ? value->num_items : 1);
        for (int i = 0; i < value->num_items; i++) {
            /* The fields of an aggregate that are tl.constexpr stay what they are. */
            bool keep = value->of_class && map_get(value->of_class->members, value->names[i]);
            copy->items[i] = keep ? value->items[i] : lower_target_value(l, value->items[i], span);
        }
        return copy;
    }
    case OBJECT_STR:
    case OBJECT_FUNCTION:
    case OBJECT_BUILTIN:
    case OBJECT_METHOD:
    case OBJECT_MODULE:
    case OBJECT_CLASS:
    case OBJECT_DICT: {
        Object *poison = lower_error(l, span, "%s cannot be assigned to a run-time variable",
                                     lower_type_text(l, value));
        lower_help(l, "declare the variable as 'name: tl.constexpr = ..'");
        return poison;
    }
    case OBJECT_OPAQUE: return lower_unknown(l, value, span);
    case OBJECT_NONE:
    case OBJECT_DTYPE:
    case OBJECT_SLICE:
    case OBJECT_ELLIPSIS:
    case OBJECT_CONFIG:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_RANGE:
    case OBJECT_ERROR: break;
    }
    return value;
}

/* self.x = value, in __init__. */
static bool assign_field(Lower *l, const Expr *target, Object *value, Span span) {
    Object *self = l->frame->instance;
    if (!self || target->kind != EXPR_ATTRIBUTE || target->left->kind != EXPR_NAME ||
        env_get(&l->frame->env, target->left->text) != self)
        return false;
    for (int i = 0; i < self->num_items; i++) {
        if (!str_equal(self->names[i], target->text)) continue;
        bool is_constant = map_get(self->of_class->members, target->text) != NULL;
        if (is_constant && is_tensor(value))
            value = lower_error(
                l, span,
                "field '%.*s' of '%.*s' is tl.constexpr, but its value is known at run time only",
                STR_ARG(target->text), STR_ARG(self->text));
        self->items[i] = value;
        return true;
    }
    lower_error(l, target->span, "'%.*s' has no such field", STR_ARG(self->text));
    return true;
}

void lower_assign(Lower *l, const Expr *target, Object *value, Span span) {
    if (assign_field(l, target, value, span)) return;
    if (target->kind == EXPR_NAME) {
        if (is_tensor(value) && value->value->def && !value->value->name.length)
            value->value->name = target->text;
        env_set(l, &l->frame->env, target->text, value, span);
        return;
    }
    if (target->kind == EXPR_SUBSCRIPT) {
        lower_error(l, target->span, "an element of a tensor or tuple cannot be assigned");
        lower_help(l, "use tl.where to change elements, tl.store to write to memory");
        return;
    }
    if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) {
        lower_error(l, target->span, "this cannot be assigned to in a kernel");
        if (target->kind == EXPR_ATTRIBUTE)
            lower_help(l,
                       "the fields of an aggregate are set in its __init__ only: make another one");
        return;
    }
    bool sequence = (value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST) && !value->of_class;
    if (!is_error(value) && !sequence)
        lower_error(l, span, "%s cannot be unpacked into %d names", lower_type_text(l, value),
                    target->num_items);
    else if (sequence && value->num_items > target->num_items && !l->frame->is_plain)
        lower_warning(l, span, "%d values for %d name%s: as in Triton, the rest is dropped",
                      value->num_items, target->num_items, target->num_items == 1 ? "" : "s");
    else if (sequence && value->num_items != target->num_items)
        lower_error(l, span, "%d value%s for %d name%s", value->num_items,
                    value->num_items == 1 ? "" : "s", target->num_items,
                    target->num_items == 1 ? "" : "s");
    bool fits = sequence && (value->num_items == target->num_items ||
                             (value->num_items > target->num_items && !l->frame->is_plain));
    for (int i = 0; i < target->num_items; i++)
        lower_assign(l, target->items[i], fits ? value->items[i] : object_error(l->arena), span);
}

static bool says_constexpr(Lower *l, const Expr *annotation) {
    if (annotation->kind == EXPR_STRING) return str_ends(annotation->text, "constexpr");
    if (annotation->kind == EXPR_ATTRIBUTE) return str_is(annotation->text, "constexpr");
    (void)l;
    return annotation->kind == EXPR_NAME && str_is(annotation->text, "constexpr");
}

/* A bare `x: tl.constexpr` leaves this behind for the assignment that follows. */
static bool pending_constexpr(const Binding *binding) {
    return binding && binding->value && binding->value->kind == OBJECT_ELLIPSIS &&
           binding->value->is_constexpr;
}

static void assign(Lower *l, const Stmt *stmt) {
    if (stmt->num_targets != 1) {
        lower_error(l, stmt->span, "assigning to several targets at once is not supported");
        return;
    }
    const Expr *target = stmt->targets[0];
    Object *value = lower_expr(l, stmt->value);
    bool constant =
        target->kind == EXPR_NAME && pending_constexpr(env_find(&l->frame->env, target->text));
    if (!constant || is_tensor(value)) value = lower_target_value(l, value, stmt->value->span);
    lower_assign(l, target, value, stmt->span);
}

/* `x: tl.constexpr = a * b` where the value is known at run time only: as in Triton, x is an
 * ordinary value then, and what needs a constant says so where it is used. */
static void annotated_assign(Lower *l, const Stmt *stmt) {
    const Expr *target = stmt->targets[0];
    bool constant = says_constexpr(l, stmt->annotation);
    if (target->kind != EXPR_NAME) {
        lower_error(l, target->span, "only a name can be annotated in a kernel");
        return;
    }
    if (!stmt->value) {
        if (!constant) return;
        Object *pending = object_new(l->arena, OBJECT_ELLIPSIS);
        pending->is_constexpr = true;
        env_set(l, &l->frame->env, target->text, pending, stmt->span);
        return;
    }
    Object *value = lower_expr(l, stmt->value);
    if (!constant) {
        lower_assign(l, target, lower_target_value(l, value, stmt->value->span), stmt->span);
        return;
    }
    const Binding *before = env_find(&l->frame->env, target->text);
    if (before && before->value && !is_error(before->value) && !pending_constexpr(before)) {
        lower_error(l, stmt->span,
                    "'%.*s' is already defined: a tl.constexpr cannot be assigned again",
                    STR_ARG(target->text));
        lower_note(l, before->span, "the first definition is here");
        return;
    }
    env_set(l, &l->frame->env, target->text, value, stmt->span);
}

static void augmented_assign(Lower *l, const Stmt *stmt) {
    const Expr *target = stmt->targets[0];
    if (target->kind != EXPR_NAME) {
        lower_error(l, target->span, "only a name can be changed with '%s=' in a kernel",
                    operator_text(stmt->op));
        return;
    }
    Object *a = lower_expr(l, target), *b = lower_expr(l, stmt->value);
    Span saved = l->builder.span;
    l->builder.span = stmt->span;
    Object *value = lower_target_value(l, binary(l, stmt->op, a, b, stmt->span), stmt->span);
    l->builder.span = saved;
    lower_assign(l, target, value, stmt->span);
}

/* ---- statements ---- */

static void assertion(Lower *l, const Stmt *stmt) {
    if (!l->options->debug) return;
    const Builtin *builtin = builtin_find("triton.language", STR("device_assert"));
    Object *args[2] = {lower_expr(l, stmt->value), NULL};
    Span spans[2] = {stmt->value->span, stmt->span};
    if (stmt->message) args[1] = lower_expr(l, stmt->message), spans[1] = stmt->message->span;
    Object *callee = object_new(l->arena, OBJECT_BUILTIN);
    callee->builtin = builtin;
    lower_call_object(l, callee, stmt->message ? 2 : 1, args, NULL, spans, stmt->span, NULL);
}

/* @triton.must_use_result, perhaps with words. */
static const Expr *must_use_decorator(const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++) {
        const Expr *expr = def->decorators[i];
        if (expr->kind == EXPR_CALL) expr = expr->left;
        bool named = expr->kind == EXPR_NAME || expr->kind == EXPR_ATTRIBUTE;
        if (named && str_is(expr->text, "must_use_result")) return def->decorators[i];
    }
    return NULL;
}

static void check_result_used(Lower *l, const Expr *call) {
    if (call->kind != EXPR_CALL) return;
    const Expr *callee = call->left;
    if (callee->kind != EXPR_NAME &&
        (callee->kind != EXPR_ATTRIBUTE || callee->left->kind != EXPR_NAME))
        return;
    const Object *object = lower_expr(l, callee); /* a name: evaluating it again changes nothing */
    const Expr *decorator = object->function ? must_use_decorator(object->function->def) : NULL;
    if (!decorator) return;
    lower_error(l, call->span, "the result of '%.*s' is not used",
                STR_ARG(object->function->def->name));
    const Expr *words =
        decorator->kind == EXPR_CALL && decorator->num_args ? decorator->args[0].value : NULL;
    if (words && words->kind == EXPR_STRING)
        lower_help(l, "%.*s", STR_ARG(words->text));
    else
        lower_help(l, "it is decorated with must_use_result: assign the result to a name");
}

/* `tl.multiple_of(x, 16)` alone says so of x: what is read of it from here on is the hint's. In a
 * loop or an arm that is left, x is again what it was. */
static void keep_hint(Lower *l, const Expr *call, Object *value) {
    if (!is_tensor(value) || call->kind != EXPR_CALL || !call->num_args) return;
    const Expr *given = call->args[0].value;
    const Op *hint = value->value->def;
    if (given->kind != EXPR_NAME || !hint || hint->kind != OP_HINT) return;
    Binding *binding = env_find(&l->frame->env, given->text);
    if (binding && binding->value && is_tensor(binding->value) &&
        binding->value->value == hint->operands[0])
        binding->value = value;
}

static void expression(Lower *l, const Stmt *stmt) {
    if (stmt->value->kind == EXPR_STRING || stmt->value->kind == EXPR_ELLIPSIS) return;
    Object *value = lower_expr(l, stmt->value);
    const Expr *call = stmt->value;
    if (!is_error(value)) check_result_used(l, call);
    keep_hint(l, call, value);
    if (value->kind == OBJECT_BLOCK_POINTER && call->kind == EXPR_CALL &&
        call->left->kind == EXPR_ATTRIBUTE && str_is(call->left->text, "advance")) {
        lower_error(l, stmt->span, "the result of tl.advance is not used");
        lower_help(l, "tl.advance changes nothing in place: write 'p = tl.advance(p, ..)'");
    }
}

static void raise(Lower *l, const Stmt *stmt) {
    lower_error(l, stmt->span, "this 'raise' is reached at compile time");
    lower_help(
        l,
        "the 'if' around it holds at compile time; for run-time values there is tl.device_assert");
}

static void lower_stmt(Lower *l, const Stmt *stmt) {
    if (!lower_step(l, stmt->span)) return;
    l->builder.span = stmt->span;
    switch (stmt->kind) {
    case STMT_EXPR: expression(l, stmt); return;
    case STMT_ASSIGN: assign(l, stmt); return;
    case STMT_AUG_ASSIGN: augmented_assign(l, stmt); return;
    case STMT_ANN_ASSIGN: annotated_assign(l, stmt); return;
    case STMT_WHILE: lower_while(l, stmt); return;
    case STMT_PASS: return;
    case STMT_ASSERT: assertion(l, stmt); return;
    case STMT_RAISE: raise(l, stmt); return;
    case STMT_IMPORT:
    case STMT_FROM_IMPORT:
        lower_error(l, stmt->span, "import is not supported in a kernel");
        lower_help(l, "import at the top of the file");
        return;
    case STMT_BREAK:
    case STMT_CONTINUE:
        lower_error(l, stmt->span, "'%s' is not supported in a kernel",
                    stmt->kind == STMT_BREAK ? "break" : "continue");
        lower_help(l, "mask the work instead, or use 'while' with the condition");
        return;
    case STMT_FUNCTION:
        lower_error(l, stmt->span, "a function inside a kernel is not supported");
        lower_help(l, "move it to the top level and decorate it with @triton.jit");
        env_set(l, &l->frame->env, stmt->function->name, object_error(l->arena), stmt->span);
        return;
    case STMT_ERROR: lower_error(l, stmt->complaint_span, "%.*s", STR_ARG(stmt->complaint)); return;
    case STMT_CLASS:
        lower_error(l, stmt->span, "class is not supported in a kernel");
        lower_help(
            l, "move it to the top level: a NamedTuple, or one decorated with @triton.aggregate");
        return;
    case STMT_GLOBAL:
    case STMT_NONLOCAL:
        lower_error(l, stmt->span, "global and nonlocal are not supported in a kernel");
        lower_help(l, "return the value, or store it through a pointer");
        return;
    case STMT_DELETE:
        lower_error(l, stmt->span, "del is not supported in a kernel");
        lower_help(l, "leave it out: a value that nobody reads any more costs nothing");
        return;
    case STMT_TRY:
        lower_error(l, stmt->span, "try is not supported in a kernel");
        lower_help(
            l, "a kernel raises nothing: check with 'if', tl.static_assert or tl.device_assert");
        return;
    case STMT_MATCH:
        lower_error(l, stmt->span, "match is not supported in a kernel");
        lower_help(l, "write it as 'if' and 'elif'");
        return;
    case STMT_RETURN:
    case STMT_IF:
    case STMT_WITH:
    case STMT_FOR: break; /* lower_run */
    }
}

/* ---- running ---- */

static void finish(Lower *l, const Stmt *stmt) {
    Frame *frame = l->frame;
    if (frame->loops) {
        lower_error(l, stmt->span, "'return' inside a run-time 'for' or 'while' is not supported");
        lower_help(l, "set a variable and return after the loop");
    }
    frame->result = stmt->value ? lower_expr(l, stmt->value) : object_none(l->arena);
    frame->result_span = stmt->value ? stmt->value->span : stmt->span;
    frame->returned = true;
}

static Cont *run_if(Lower *l, const Stmt *stmt, Cont *rest) {
    bool truth;
    Value *runtime;
    l->builder.span = stmt->span;
    if (!lower_condition(l, lower_expr(l, stmt->value), stmt->value->span, &truth, &runtime)) {
        Names names = {0};
        names_assigned(l, &stmt->body, &names);
        names_assigned(l, &stmt->orelse, &names);
        names_poison(l, &names, stmt->span);
        return rest;
    }
    if (!runtime) {
        Cont *arm = arena_new_of(l->arena, Cont);
        *arm = (Cont){.block = truth ? &stmt->body : &stmt->orelse, .next = rest};
        return arm;
    }
    l->builder.span = stmt->span;
    if (!block_returns(&stmt->body) && !block_returns(&stmt->orelse)) {
        lower_if(l, stmt, runtime);
        return rest;
    }
    if (l->frame->loops) {
        lower_error(l, stmt->span, "'return' inside a run-time 'for' or 'while' is not supported");
        lower_help(l, "set a variable and return after the loop");
        return rest;
    }
    lower_if_returning(l, stmt, runtime, rest);
    return NULL;
}

static Cont *run_static_loop(Lower *l, const Stmt *stmt, Object *range, Cont *rest) {
    for (int i = 0; i < 3; i++) {
        if (object_is_integral(range->items[i])) continue;
        if (!is_error(range->items[i])) {
            lower_error(l, stmt->value->span, "tl.static_range needs compile-time ints, got %s",
                        lower_type_text(l, range->items[i]));
            lower_help(l, "use range or tl.range for a loop with run-time bounds");
        }
        Names names = {0};
        names_assigned(l, &stmt->body, &names);
        names_poison(l, &names, stmt->span);
        return rest;
    }
    Cont *turn = arena_new_of(l->arena, Cont);
    *turn = (Cont){.loop = stmt,
                   .next_value = range->items[0]->integer,
                   .stop = range->items[1]->integer,
                   .step = range->items[2]->integer,
                   .next = rest};
    return turn;
}

static Cont *run_for(Lower *l, const Stmt *stmt, Cont *rest) {
    Object *range = lower_expr(l, stmt->value);
    l->builder.span = stmt->span;
    if (range->kind == OBJECT_RANGE && stmt->targets[0]->kind == EXPR_NAME && !stmt->orelse.count) {
        if (str_is(range->text, "static_range")) return run_static_loop(l, stmt, range, rest);
        lower_for(l, stmt, range);
        return rest;
    }
    if (range->kind == OBJECT_RANGE && stmt->orelse.count) {
        lower_error(l, stmt->span, "'else' of a loop is not supported");
        lower_help(l, "without 'break' it always runs: put it after the loop");
    } else if (range->kind == OBJECT_RANGE)
        lower_error(l, stmt->targets[0]->span, "the target of 'for' must be a name");
    else if (!is_error(range)) {
        lower_error(l, stmt->value->span,
                    "'for' runs over range, tl.range and tl.static_range only, got %s",
                    lower_type_text(l, range));
        if (range->kind == OBJECT_TUPLE || range->kind == OBJECT_LIST)
            lower_help(l, "use 'for i in tl.static_range(len(t))' and t[i]");
    }
    Names names = {0};
    target_names(l, stmt->targets[0], &names);
    names_assigned(l, &stmt->body, &names);
    names_poison(l, &names, stmt->span);
    return rest;
}

/* `with proton.scope("name"):` names a part for Triton's profiler, and means its body. */
static Cont *run_with(Lower *l, const Stmt *stmt, Cont *rest) {
    for (int i = 0; i < stmt->num_items; i++) {
        const Expr *value = stmt->items[i].value;
        const Object *callee = value->kind == EXPR_CALL ? lower_expr(l, value->left) : NULL;
        bool is_scope = callee && callee->kind == OBJECT_BUILTIN &&
                        !strcmp(callee->builtin->module, PROTON) &&
                        !strcmp(callee->builtin->name, "scope");
        if (callee && is_error(callee)) continue;
        if (!is_scope || stmt->items[i].target) {
            lower_refused(l, value->span, "'with' in a kernel is for scopes of " PROTON " only");
            lower_help(l, "write its body without it");
        } else
            lower_expr(l, value);
    }
    if (block_returns(&stmt->body))
        lower_error(l, stmt->span, "'return' inside of 'with' is not supported");
    Cont *body = arena_new_of(l->arena, Cont);
    *body = (Cont){.block = &stmt->body, .next = rest};
    return body;
}

/* The next turn of an unrolled loop, or what follows it. */
static Cont *turn(Lower *l, Cont *loop) {
    bool more = loop->step > 0 ? loop->next_value < loop->stop : loop->next_value > loop->stop;
    if (!more || !lower_step(l, loop->loop->span)) return loop->next;
    Cont *after = arena_new_of(l->arena, Cont), *body = arena_new_of(l->arena, Cont);
    *after = *loop;
    after->next_value += loop->step;
    *body = (Cont){.block = &loop->loop->body, .next = after};
    const Expr *target = loop->loop->targets[0];
    env_set(l, &l->frame->env, target->text, object_int(l->arena, loop->next_value), target->span);
    return body;
}

void lower_run(Lower *l, Cont *cont) {
    while (cont && !l->frame->returned && !l->stopped) {
        if (cont->loop) {
            cont = turn(l, cont);
            continue;
        }
        if (cont->index >= cont->block->count) {
            cont = cont->next;
            continue;
        }
        const Stmt *stmt = cont->block->stmts[cont->index];
        Cont *rest = arena_new_of(l->arena, Cont);
        *rest = *cont;
        rest->index++;
        if (stmt->kind == STMT_IF || stmt->kind == STMT_FOR || stmt->kind == STMT_RETURN ||
            stmt->kind == STMT_WITH) {
            if (!lower_step(l, stmt->span)) return;
            l->builder.span = stmt->span;
        }
        if (stmt->kind == STMT_IF)
            cont = run_if(l, stmt, rest);
        else if (stmt->kind == STMT_FOR)
            cont = run_for(l, stmt, rest);
        else if (stmt->kind == STMT_WITH)
            cont = run_with(l, stmt, rest);
        else if (stmt->kind == STMT_RETURN)
            finish(l, stmt);
        else
            lower_stmt(l, stmt), cont = rest;
    }
}

void lower_body(Lower *l, const Block *block) {
    Cont cont = {.block = block};
    lower_run(l, &cont);
}
