// SPDX-License-Identifier: Apache-2.0
/* host: Python expressions: decorators, module globals and lambdas of heuristics at compile time,
 * and all of a file that runs (script.h).
 *
 * At compile time what cannot be known (anything of torch, os ..) is an opaque value that names its
 * source text; operations on it stay opaque. It is an error only where a kernel needs the value. In
 * a script everything is known, and what tern cannot do is refused where it stands. */
#include "lang/script.h"

Object *host_error(Host *host, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Buf text = {.arena = host->arena};
    buf_vprintf(&text, format, args);
    va_end(args);
    if (host->script) {
        host->span = span;
        return host_refuse(host, "%s", text.data);
    }
    diag_error(host->diag, span, "%s", text.data);
    return object_error(host->arena);
}

Object *host_opaque(Host *host, const Expr *expr) {
    enum { LONGEST = 60 };
    Object *opaque = object_new(host->arena, OBJECT_OPAQUE);
    opaque->span = expr->span;
    opaque->text = STR("a host value");
    if (!expr->span.source) return opaque;
    Str text = span_text(expr->span);
    int shown = 0;
    while (shown < text.length && shown < LONGEST && text.data[shown] != '\n' &&
           text.data[shown] != '\r')
        shown++;
    opaque->text =
        str_format(host->arena, "'%.*s%s'", shown, text.data, shown < text.length ? ".." : "");
    if (!host->script) return opaque;
    host->span = expr->span;
    return host_refuse(host, "%s", opaque->text.data);
}

/* A script has all the time it wants, but can be stopped: Ctrl-C. What one statement needs is
 * bounded as the heap is. */
static bool script_step(Host *host) {
    Script *script = host->script;
    int interrupts = script->interrupted ? *script->interrupted : 0;
    if (interrupts != script->interrupts && !is_raised(host)) {
        script->interrupts = interrupts;
        host_raise(host, CLASS_KEYBOARD_INTERRUPT, "%s", "");
    }
    return !is_raised(host);
}

bool host_spend(Host *host, Span span, int64_t steps) {
    if (host->script) return script_step(host);
    bool before = host->steps < HOST_STEPS;
    host->steps += steps;
    if (before && host->steps >= HOST_STEPS)
        host_error(host, span.source ? span : host->span,
                   "evaluating this at compile time takes too many steps");
    return host->steps < HOST_STEPS;
}

bool host_step(Host *host, Span span) { return host_spend(host, span, 1); }

Object *host_list(Arena *arena, ObjectKind kind, int count, Object *const *items) {
    Object *list = object_tuple(arena, count, items);
    if (list->kind == OBJECT_TUPLE) list->kind = kind;
    return list;
}

static bool is_unknown(const Object *object) {
    return object->kind == OBJECT_OPAQUE || object->kind == OBJECT_ERROR;
}

/* ---- names ---- */

static Object *lookup(Host *host, const Expr *expr) {
    if (host->script) return host_load(host, expr);
    for (const Vars *vars = host->vars; vars; vars = vars->outer) {
        Object *value = map_get(&vars->names, expr->text);
        if (value) return value;
    }
    Object *value = host->given ? map_get(host->given, expr->text) : NULL;
    if (!value) value = module_lookup(host->arena, host->module, expr->text, host->diag);
    if (value) return value;
    return host_opaque(host, expr);
}

bool host_set_item(Host *host, Object *container, Object *key, Object *value) {
    if (!object_is_known(key) || container->is_frozen || value == container) return false;
    if (container->kind == OBJECT_LIST && object_is_integral(key)) {
        int128 at = key->integer < 0 ? key->integer + container->num_items : key->integer;
        if (at < 0 || at >= container->num_items) return false;
        container->items[at] = value;
        return object_sealed(host->arena, container) == container &&
               host_spend(host, host->span, 1 + container->num_items / 16);
    }
    if (container->kind != OBJECT_DICT || container->num_items / 2 >= HOST_ITEMS) return false;
    for (int i = 0; i + 1 < container->num_items; i += 2)
        if (object_equal(container->items[i], key)) {
            container->items[i + 1] = value;
            return object_sealed(host->arena, container) == container &&
                   host_spend(host, host->span, 1 + i / 16);
        }
    Object **items = arena_array(host->arena, Object *, container->num_items + 2);
    if (container->num_items)
        memcpy(items, container->items, (size_t)container->num_items * sizeof *items);
    items[container->num_items] = key, items[container->num_items + 1] = value;
    container->items = items, container->num_items += 2;
    return object_sealed(host->arena, container) == container &&
           host_spend(host, host->span, 1 + container->num_items / 16);
}

typedef VEC(Object *) Objects;

/* The items, but no more than `most`, for more are not asked for. False: raised. */
static bool first_items(Host *host, Object *value, int most, int *count, Object ***items) {
    Objects found = {0};
    bool is_whole = value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST || most < 0;
    bool is_none = object_is_number(value) || value->kind == OBJECT_NONE;
    if (is_none && !is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR, "cannot unpack non-iterable %.*s object",
                   STR_ARG(class_info(class_of(host, value))->name));
    if (is_whole || is_raised(host)) return host_items(host, value, count, items);
    Object *iterator = host_iterator(host, value), *item;
    while (found.count < most && (item = host_next(host, iterator)))
        vec_push(host->arena, &found, item);
    *count = found.count, *items = found.data;
    return !is_raised(host);
}

/* first, *rest, last = items */
static bool script_unpack(Host *host, const Expr *target, Object *value) {
    int count, star = -1, wanted = target->num_items;
    Object **items;
    host->span = target->span;
    for (int i = 0; i < wanted; i++)
        if (target->items[i]->kind == EXPR_STARRED) star = i;
    if (!first_items(host, value, star < 0 ? wanted + 1 : -1, &count, &items)) return false;
    if (star < 0 ? count != wanted : count < wanted - 1) {
        if (count < wanted - (star >= 0))
            host_raise(host, CLASS_VALUE_ERROR,
                       "not enough values to unpack (expected %s%d, got %d)",
                       star < 0 ? "" : "at least ", wanted - (star >= 0), count);
        else
            host_raise(host, CLASS_VALUE_ERROR, "too many values to unpack (expected %d)", wanted);
        return false;
    }
    int taken = count - wanted + 1; /* by the star */
    for (int i = 0; i < wanted && !is_raised(host); i++) {
        int at = star >= 0 && i > star ? i + taken - 1 : i;
        if (i == star)
            host_assign(host, target->items[i]->left,
                        heap_list(host, OBJECT_LIST, taken, items + i));
        else
            host_assign(host, target->items[i], items[at]);
    }
    return !is_raised(host);
}

static Object *script_key(Host *host, const Expr *expr);

static bool script_assign(Host *host, const Expr *target, Object *value) {
    if (is_raised(host)) return false;
    if (target->kind == EXPR_NAME) return host_bind_slot(host, target->slot, target->text, value);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        return script_unpack(host, target, value);
    if (target->kind == EXPR_ATTRIBUTE) {
        Object *object = host_expr(host, target->left);
        host->span = target->span;
        return host_set_attribute(host, object, target->text, value);
    }
    if (target->kind == EXPR_SUBSCRIPT) {
        Object *object = host_expr(host, target->left), *key = script_key(host, target->right);
        host->span = target->span;
        return script_set_subscript(host, object, key, value);
    }
    host_opaque(host, target);
    return false;
}

/* False for x.y = .. and for x[i] = .. of what is not known. */
bool host_assign(Host *host, const Expr *target, Object *value) {
    int count;
    Object **items;
    if (host->script) return script_assign(host, target, value);
    if (target->kind == EXPR_NAME) {
        map_set(&host->vars->names, target->text, value);
        return true;
    }
    if (target->kind == EXPR_SUBSCRIPT && target->right->kind != EXPR_SLICE)
        return host_set_item(host, host_expr(host, target->left), host_expr(host, target->right),
                             value);
    if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return false;
    bool known = host_items(host, value, &count, &items);
    if (known && count != target->num_items) return false;
    for (int i = 0; i < target->num_items; i++)
        if (!host_assign(host, target->items[i],
                         known ? items[i] : host_opaque(host, target->items[i])))
            return false;
    return true;
}

/* ---- collections ---- */

/* As they are now: what is done to the iterable later does not matter. */
static bool script_items(Host *host, Object *iterable, int *count, Object ***items) {
    Objects found = {0};
    if (is_raised(host)) return false;
    if (iterable->kind == OBJECT_TUPLE || iterable->kind == OBJECT_LIST) {
        *count = iterable->num_items;
        *items = arena_array(host->arena, Object *, iterable->num_items + 1);
        for (int i = 0; i < *count; i++) (*items)[i] = host_hold(host, iterable->items[i]);
        return true;
    }
    Object *iterator = host_iterator(host, iterable), *item;
    while (!is_raised(host) && (item = host_next(host, iterator)) && host_step(host, host->span))
        vec_push(host->arena, &found, item);
    *count = found.count, *items = found.data;
    return !is_raised(host);
}

bool host_items(Host *host, Object *iterable, int *count, Object ***items) {
    if (host->script) return script_items(host, iterable, count, items);
    if (iterable->kind == OBJECT_TUPLE || iterable->kind == OBJECT_LIST) {
        *count = iterable->num_items, *items = iterable->items;
        return true;
    }
    if (iterable->kind == OBJECT_DICT) {
        *count = iterable->num_items / 2;
        *items = arena_array(host->arena, Object *, *count);
        for (int i = 0; i < *count; i++) (*items)[i] = iterable->items[2 * i];
        return true;
    }
    if (iterable->kind == OBJECT_STR && object_is_ascii(iterable)) {
        *count = iterable->text.length;
        *items = arena_array(host->arena, Object *, *count);
        for (int i = 0; i < *count; i++)
            (*items)[i] = object_str(host->arena, (Str){iterable->text.data + i, 1});
        return true;
    }
    if (iterable->kind != OBJECT_RANGE || iterable->num_items < 3) return false;
    for (int i = 0; i < 3; i++)
        if (!object_is_integral(iterable->items[i])) return false;
    int128 start = iterable->items[0]->integer, stop = iterable->items[1]->integer,
           step = iterable->items[2]->integer;
    if (step == 0) return false;
    int128 turns = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    if (turns > HOST_ITEMS) return false;
    *count = turns > 0 ? (int)turns : 0;
    *items = arena_array(host->arena, Object *, *count);
    for (int i = 0; i < *count; i++) (*items)[i] = object_int(host->arena, start + i * step);
    return true;
}

static bool collect(Host *host, const Expr *item, Objects *out) {
    if (item->kind != EXPR_STARRED) {
        vec_push(host->arena, out, host_expr(host, item));
        return true;
    }
    int count;
    Object **items;
    if (!host_items(host, host_expr(host, item->left), &count, &items)) return false;
    for (int i = 0; i < count; i++) vec_push(host->arena, out, items[i]);
    return true;
}

static Object *display(Host *host, const Expr *expr, ObjectKind kind) {
    Objects items = {0};
    for (int i = 0; i < expr->num_items; i++)
        if (!collect(host, expr->items[i], &items)) return host_opaque(host, expr);
    if (host->script)
        return is_raised(host) ? host->script->poison
                               : heap_list(host, kind, items.count, items.data);
    return host_list(host->arena, kind, items.count, items.data);
}

Object *host_set(Host *host, Object *list) {
    Object *set = host_list(host->arena, OBJECT_LIST, 0, NULL);
    set->text = STR("set");
    set->items = arena_array(host->arena, Object *, list->num_items);
    for (int i = 0; i < list->num_items && host_spend(host, list->span, 1 + i / 16); i++) {
        int k = 0;
        if (!object_is_known(list->items[i])) return NULL;
        while (k < set->num_items && !object_equal(set->items[k], list->items[i])) k++;
        if (k == set->num_items) set->items[set->num_items++] = list->items[i];
    }
    set = object_sealed(host->arena, set);
    return set->kind == OBJECT_LIST ? set : NULL;
}

static Object *set_display(Host *host, const Expr *expr) {
    Object *list = display(host, expr, OBJECT_LIST);
    if (host->script) {
        Object *made = heap_set(host);
        for (int i = 0; i < list->num_items && !is_raised(host); i++)
            set_put(host, made, list->items[i]);
        return is_raised(host) ? host->script->poison : made;
    }
    Object *set = list->kind == OBJECT_LIST ? host_set(host, list) : NULL;
    return set ? set : host_opaque(host, expr);
}

static void dict_set(Host *host, Objects *pairs, Object *key, Object *value) {
    if (!host_spend(host, key->span, pairs->count / 32)) return;
    for (int i = 0; i + 1 < pairs->count; i += 2)
        if (object_equal(pairs->data[i], key)) {
            pairs->data[i + 1] = value;
            return;
        }
    vec_push(host->arena, pairs, key);
    vec_push(host->arena, pairs, value);
}

static Object *script_dict(Host *host, const Expr *expr) {
    Object *dict = heap_list(host, OBJECT_DICT, 0, NULL);
    for (int i = 0; i + 1 < expr->num_items && !is_raised(host); i += 2) {
        if (expr->items[i]) {
            Object *key = host_expr(host, expr->items[i]);
            dict_put(host, dict, key, host_expr(host, expr->items[i + 1]));
            continue;
        }
        Object *other = host_expr(host, expr->items[i + 1]);
        if (!is_raised(host) && other->kind != OBJECT_DICT)
            host_raise(host, CLASS_TYPE_ERROR, "'%.*s' object is not a mapping",
                       STR_ARG(class_info(class_of(host, other))->name));
        for (int k = 0; k + 1 < other->num_items && !is_raised(host); k += 2)
            dict_put(host, dict, other->items[k], other->items[k + 1]);
    }
    return is_raised(host) ? host->script->poison : dict;
}

static Object *dict_display(Host *host, const Expr *expr) {
    if (host->script) return script_dict(host, expr);
    Objects pairs = {0};
    for (int i = 0; i + 1 < expr->num_items; i += 2) {
        if (expr->items[i]) {
            Object *key = host_expr(host, expr->items[i]);
            if (is_unknown(key)) return host_opaque(host, expr);
            dict_set(host, &pairs, key, host_expr(host, expr->items[i + 1]));
            continue;
        }
        Object *other = host_expr(host, expr->items[i + 1]);
        if (other->kind != OBJECT_DICT) return host_opaque(host, expr);
        for (int k = 0; k + 1 < other->num_items; k += 2)
            dict_set(host, &pairs, other->items[k], other->items[k + 1]);
    }
    return host_list(host->arena, OBJECT_DICT, pairs.count, pairs.data);
}

/* ---- comprehensions ---- */

typedef struct Comprehension {
    const Expr *expr;
    Objects items;
    bool unknown;
    Object *cause; /* of `unknown`, when it is an opaque value */
} Comprehension;

static void comprehend(Host *host, Comprehension *c, int clause);

static void comprehend_item(Host *host, Comprehension *c, const Clause *clause, int next,
                            Object *item) {
    if (!host_assign(host, clause->target, item)) {
        c->unknown = true;
        return;
    }
    for (int i = 0; i < clause->num_conditions; i++) {
        bool truth;
        Object *condition = host_expr(host, clause->conditions[i]);
        if (is_unknown(condition) || !object_truth(condition, &truth)) {
            c->unknown = true, c->cause = condition;
            return;
        }
        if (!truth) return;
    }
    comprehend(host, c, next);
}

static void comprehend(Host *host, Comprehension *c, int clause) {
    if (clause == c->expr->num_clauses) {
        Object *item = host_expr(host, c->expr->left);
        if (str_is(c->expr->text, "dict")) {
            c->unknown |= !object_is_known(item);
            dict_set(host, &c->items, item, host_expr(host, c->expr->right));
        } else {
            vec_push(host->arena, &c->items, item);
        }
        return;
    }
    int count;
    Object **items;
    Object *iterable = host_expr(host, c->expr->clauses[clause].iterable);
    if (!host_items(host, iterable, &count, &items)) {
        c->unknown = true, c->cause = iterable;
        return;
    }
    for (int i = 0; i < count && !c->unknown && host_step(host, c->expr->span); i++)
        comprehend_item(host, c, &c->expr->clauses[clause], clause + 1, items[i]);
}

static Object *comprehension(Host *host, const Expr *expr) {
    if (host->script) return script_comprehension(host, expr);
    Vars inner = {.names = {.arena = host->arena}, .outer = host->vars};
    Comprehension c = {.expr = expr};
    host->vars = &inner;
    comprehend(host, &c, 0);
    host->vars = inner.outer;
    if (c.unknown) return c.cause && is_unknown(c.cause) ? c.cause : host_opaque(host, expr);
    if (str_is(expr->text, "set")) {
        Object *set =
            host_set(host, host_list(host->arena, OBJECT_LIST, c.items.count, c.items.data));
        return set ? set : host_opaque(host, expr);
    }
    return host_list(host->arena, str_is(expr->text, "dict") ? OBJECT_DICT : OBJECT_LIST,
                     c.items.count, c.items.data);
}

/* ---- operators ---- */

static Object *operated(Host *host, const Expr *expr, Object *result, const char *why) {
    if (!result) return host_error(host, expr->span, "%s", why);
    host_spend(host, expr->span, result->text.length / 64 + result->num_items / 8);
    return result;
}

static Object *binary(Host *host, const Expr *expr) {
    Object *a = host_expr(host, expr->left), *b = host_expr(host, expr->right);
    if (host->script) {
        host->span = expr->span;
        return script_binary(host, expr->op, a, b);
    }
    if (a->kind == OBJECT_ERROR || b->kind == OBJECT_ERROR) return object_error(host->arena);
    if (is_unknown(a) || is_unknown(b)) return host_opaque(host, expr);
    const char *why = "the operands do not allow this";
    if (expr->op == OPERATOR_OR && a->kind == OBJECT_DICT && b->kind == OBJECT_DICT) {
        Objects pairs = {0};
        for (int i = 0; i < a->num_items; i++) vec_push(host->arena, &pairs, a->items[i]);
        for (int i = 0; i + 1 < b->num_items; i += 2)
            dict_set(host, &pairs, b->items[i], b->items[i + 1]);
        return host_list(host->arena, OBJECT_DICT, pairs.count, pairs.data);
    }
    Object *result = object_binary(host->arena, expr->op, a, b, &why);
    return operated(host, expr, result, why);
}

static Object *script_comparison(Host *host, const Expr *expr) {
    Object *left = host_expr(host, expr->left), *result = left;
    for (int i = 0; i < expr->num_items; i++) {
        Object *right = host_expr(host, expr->items[i]);
        host->span = expr->span;
        result = script_compare(host, expr->operators[i], left, right);
        if (is_raised(host)) return host->script->poison;
        if (i + 1 < expr->num_items && !script_truth(host, result)) return result;
        left = right;
    }
    return result;
}

static Object *comparison(Host *host, const Expr *expr) {
    if (host->script) return script_comparison(host, expr);
    Object *left = host_expr(host, expr->left), *result = NULL;
    for (int i = 0; i < expr->num_items; i++) {
        Object *right = host_expr(host, expr->items[i]);
        bool identity = expr->operators[i] == OPERATOR_IS || expr->operators[i] == OPERATOR_IS_NOT;
        /* An unknown thing is not None only if we know that much: we do not. */
        if (is_unknown(left) || is_unknown(right)) return host_opaque(host, expr);
        const char *why = identity ? "'is' cannot compare these" : "these cannot be compared";
        result = object_compare(host->arena, expr->operators[i], left, right, &why);
        if (!result) return host_error(host, expr->span, "%s", why);
        bool truth;
        if (is_unknown(result) || !object_truth(result, &truth)) return host_opaque(host, expr);
        if (!truth) return result;
        left = right;
    }
    return result;
}

static Object *logical(Host *host, const Expr *expr) {
    Object *value = NULL;
    for (int i = 0; i < expr->num_items; i++) {
        bool truth;
        value = host_expr(host, expr->items[i]);
        if (host->script) {
            truth = script_truth(host, value);
            if (is_raised(host) || truth == (expr->kind == EXPR_OR)) return value;
            continue;
        }
        if (is_unknown(value) || !object_truth(value, &truth)) return host_opaque(host, expr);
        if (truth == (expr->kind == EXPR_OR)) return value;
    }
    return value;
}

/* x if c else y where only a run would tell c: what both arms are. An arm that fails is no error:
 * Python may take the other one. */
static Object *either(Host *host, const Expr *expr) {
    Diag quiet = {.arena = host->arena, .muted = true}, *diag = host->diag;
    host->diag = &quiet;
    Object *a = host_expr(host, expr->left), *b = host_expr(host, expr->right);
    host->diag = diag;
    bool same = object_is_number(a) && object_is_number(b) && a->kind == b->kind &&
                a->kind != OBJECT_FLOAT && object_equal(a, b);
    return same ? (b->is_constexpr ? b : a) : host_opaque(host, expr);
}

static Object *ternary(Host *host, const Expr *expr) {
    bool truth;
    Object *condition = host_expr(host, expr->condition);
    if (host->script) {
        truth = script_truth(host, condition);
        return is_raised(host) ? host->script->poison
                               : host_expr(host, truth ? expr->left : expr->right);
    }
    if (is_unknown(condition) || !object_truth(condition, &truth)) return either(host, expr);
    return host_expr(host, truth ? expr->left : expr->right);
}

static Object *unary(Host *host, const Expr *expr) {
    Object *a = host_expr(host, expr->left);
    bool truth;
    if (host->script) {
        host->span = expr->span;
        if (expr->kind != EXPR_NOT) return script_unary(host, expr->op, a);
        truth = script_truth(host, a);
        return is_raised(host) ? host->script->poison : object_bool(host->arena, !truth);
    }
    if (is_unknown(a)) return host_opaque(host, expr);
    if (expr->kind == EXPR_NOT)
        return object_truth(a, &truth) ? object_bool(host->arena, !truth) : host_opaque(host, expr);
    const char *why = "the operand does not allow this";
    Object *result = object_unary(host->arena, expr->op, a, &why);
    return operated(host, expr, result, why);
}

/* ---- attributes and subscripts ---- */

/* config.kwargs, config.num_warps ..; the defaults are those of triton.Config. */
static Object *config_attribute(Host *host, const Object *config, Str name) {
    static const struct {
        const char *name;
        int value;
    } defaults[] = {{"num_warps", 4}, {"num_stages", 3}, {"num_ctas", 1}};
    if (str_is(name, "kwargs")) return config->items[0];
    const Object *options = config->items[1];
    for (int i = 0; i + 1 < options->num_items; i += 2)
        if (str_equal(options->items[i]->text, name)) return options->items[i + 1];
    for (int i = 0; i < COUNT(defaults); i++)
        if (str_is(name, defaults[i].name)) return object_int(host->arena, defaults[i].value);
    return NULL;
}

static Object *attribute(Host *host, const Expr *expr) {
    Object *value = host_expr(host, expr->left);
    if (host->script) {
        host->span = expr->span;
        if (value->kind != OBJECT_MODULE || value->module)
            return is_raised(host) ? value : host_attribute(host, value, expr->text);
    }
    if (value->kind == OBJECT_MODULE) {
        Object *found = import_attribute(host->arena, value, expr->text, host->diag);
        return found ? found : host_opaque(host, expr);
    }
    if (value->kind == OBJECT_OPAQUE && value->missing.length)
        return import_attribute(host->arena, value, expr->text, host->diag);
    if (is_unknown(value)) return host_opaque(host, expr);
    if (value->kind == OBJECT_CONFIG) {
        Object *found = config_attribute(host, value, expr->text);
        return found ? found : host_opaque(host, expr);
    }
    if (value->names && (value->kind == OBJECT_TUPLE))
        for (int i = 0; i < value->num_items; i++)
            if (str_equal(value->names[i], expr->text)) return value->items[i];
    /* What isinstance(x, tl.constexpr) is true of: values of kernels are here without their box. */
    bool is_boxed = value->is_constexpr || object_is_number(value) || value->kind == OBJECT_STR ||
                    value->kind == OBJECT_NONE;
    if (str_is(expr->text, "value") && is_boxed) return value;
    Object *found = value_attribute(host->arena, value, expr->text);
    return found ? found : host_opaque(host, expr);
}

static Object *slice_of(Host *host, Object *value, const Expr *slice, const Expr *whole) {
    const Expr *parts[] = {slice->left, slice->right, slice->condition};
    int128 n = value->kind == OBJECT_STR ? value->text.length : value->num_items,
           bounds[3] = {0, n, 1};
    for (int i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        Object *part = host_expr(host, parts[i]);
        if (!object_is_integral(part)) return host_opaque(host, whole);
        bounds[i] = part->integer;
        if (i < 2 && bounds[i] < 0) bounds[i] += n;
        if (i < 2) bounds[i] = bounds[i] < 0 ? 0 : bounds[i] > n ? n : bounds[i];
    }
    if (bounds[2] != 1) return host_opaque(host, whole);
    int start = (int)bounds[0], count = bounds[1] > bounds[0] ? (int)(bounds[1] - bounds[0]) : 0;
    if (value->kind == OBJECT_STR)
        return object_str(host->arena, (Str){value->text.data + start, count});
    return host_list(host->arena, value->kind, count, value->items + start);
}

/* What stands in brackets: a slice is a value there. */
static Object *script_key(Host *host, const Expr *expr) {
    if (expr->kind != EXPR_SLICE) return host_expr(host, expr);
    const Expr *parts[] = {expr->left, expr->right, expr->condition};
    Object *items[3];
    for (int i = 0; i < 3; i++)
        items[i] = parts[i] ? host_expr(host, parts[i]) : host->script->none;
    if (is_raised(host)) return host->script->poison;
    Object *slice = object_tuple(host->arena, 3, items);
    slice->kind = OBJECT_SLICE;
    return slice;
}

static Object *subscript(Host *host, const Expr *expr) {
    Object *value = host_expr(host, expr->left);
    if (host->script) {
        Object *key = script_key(host, expr->right);
        host->span = expr->span;
        return script_subscript(host, value, key);
    }
    bool sequence = value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST ||
                    (value->kind == OBJECT_STR && object_is_ascii(value));
    if (expr->right->kind == EXPR_SLICE)
        return sequence ? slice_of(host, value, expr->right, expr) : host_opaque(host, expr);
    Object *index = host_expr(host, expr->right);
    if (is_unknown(value) || is_unknown(index)) return host_opaque(host, expr);
    if (value->kind == OBJECT_DICT)
        for (int i = 0; i + 1 < value->num_items; i += 2)
            if (object_equal(value->items[i], index)) return value->items[i + 1];
    if (!sequence || !object_is_integral(index)) return host_opaque(host, expr);
    int128 n = value->kind == OBJECT_STR ? value->text.length : value->num_items,
           at = index->integer;
    if (at < 0) at += n;
    if (at < 0 || at >= n) return host_error(host, expr->span, "index out of range");
    if (value->kind == OBJECT_STR) return object_str(host->arena, (Str){value->text.data + at, 1});
    return value->items[at];
}

/* ---- f-strings, lambdas, calls ---- */

static Object *format_string(Host *host, const Expr *expr) {
    if (host->script) return script_fstring(host, expr);
    Buf text = {.arena = host->arena};
    for (int i = 0; i < expr->num_items; i++) {
        const Expr *item = expr->items[i];
        if (item->kind == EXPR_STRING) {
            buf_add(&text, item->text.data, (size_t)item->text.length);
            continue;
        }
        if (item->text.length) return host_opaque(host, expr);
        Object *value = host_expr(host, item->left);
        if (!object_is_known(value)) return host_opaque(host, expr);
        object_print(&text, value);
    }
    return object_str(host->arena, buf_str(&text));
}

/* A lambda keeps the variables around it by value: Python would see later changes, which the code
 * that we evaluate does not make. */
static Object *lambda(Host *host, const Expr *expr) {
    if (host->script) return function_new(host, expr->function);
    Object *object = object_new(host->arena, OBJECT_FUNCTION);
    object->function = arena_new_of(host->arena, FunctionObject);
    *object->function = (FunctionObject){.def = expr->function, .module = host->module};
    if (!host->vars && !host->given) return object;
    Map *closure = arena_new_of(host->arena, Map);
    *closure = (Map){.arena = host->arena};
    for (int i = 0; host->given && i < host->given->capacity; i++)
        if (host->given->slots[i].used)
            map_set(closure, host->given->slots[i].key, host->given->slots[i].value);
    for (const Vars *vars = host->vars; vars; vars = vars->outer)
        for (int i = 0; i < vars->names.capacity; i++)
            if (vars->names.slots[i].used &&
                (vars == host->vars || !map_get(closure, vars->names.slots[i].key)))
                map_set(closure, vars->names.slots[i].key, vars->names.slots[i].value);
    object->function->closure = closure;
    return object;
}

static Object *call(Host *host, const Expr *expr) {
    Object *callee = host_expr(host, expr->left);
    Objects args = {0};
    VEC(Str) names = {0};
    for (int i = 0; i < expr->num_args; i++) {
        const Argument *arg = &expr->args[i];
        Object *value = host_expr(host, arg->value);
        if (arg->stars == 0) {
            vec_push(host->arena, &args, value);
            vec_push(host->arena, &names, arg->name);
            continue;
        }
        int count;
        Object **items;
        if (is_raised(host)) return host->script->poison;
        if (!host_items(host, value, &count, &items) ||
            (arg->stars == 2 && value->kind != OBJECT_DICT))
            return host_opaque(host, expr);
        for (int k = 0; k < count; k++) {
            if (arg->stars == 2 && items[k]->kind != OBJECT_STR) return host_opaque(host, expr);
            vec_push(host->arena, &args, arg->stars == 2 ? value->items[2 * k + 1] : items[k]);
            vec_push(host->arena, &names, arg->stars == 2 ? items[k]->text : (Str){0});
        }
    }
    if (host->script) {
        HostCall all = {
            .num_args = args.count, .args = args.data, .names = names.data, .span = expr->span};
        return host_invoke(host, callee, &all);
    }
    return host_call_object(host, callee, args.count, args.data, names.data, expr, expr->span);
}

static Object *integer(Host *host, const Expr *expr) {
    if (!expr->too_large) return object_int(host->arena, expr->integer);
    uint128 value = 0, base = 10;
    int i = 0;
    if (expr->text.data[0] == '0') { /* 0x, 0o or 0b: of decimals only 0 itself may begin so */
        char c = (char)(expr->text.data[1] | 32);
        base = c == 'x' ? 16 : c == 'o' ? 8 : 2;
        i = 2;
    }
    for (; i < expr->text.length; i++) {
        char c = (char)(expr->text.data[i] | 32);
        if (expr->text.data[i] == '_') continue;
        unsigned digit = c >= 'a' ? (unsigned)(c - 'a' + 10) : (unsigned)(expr->text.data[i] - '0');
        if (value > ((uint128)1 << 120))
            return host_error(host, expr->span, "the integer is too large");
        value = value * base + digit;
    }
    return object_int(host->arena, (int128)value);
}

static Object *evaluate(Host *host, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_NAME: return lookup(host, expr);
    case EXPR_INT: return integer(host, expr);
    case EXPR_FLOAT: return object_float(host->arena, expr->number);
    case EXPR_STRING: return object_str(host->arena, expr->text);
    case EXPR_FSTRING: return format_string(host, expr);
    case EXPR_TRUE: return object_bool(host->arena, true);
    case EXPR_FALSE: return object_bool(host->arena, false);
    case EXPR_NONE: return object_none(host->arena);
    case EXPR_TUPLE: return display(host, expr, OBJECT_TUPLE);
    case EXPR_LIST: return display(host, expr, OBJECT_LIST);
    case EXPR_SET: return set_display(host, expr);
    case EXPR_DICT: return dict_display(host, expr);
    case EXPR_UNARY:
    case EXPR_NOT: return unary(host, expr);
    case EXPR_BINARY: return binary(host, expr);
    case EXPR_COMPARE: return comparison(host, expr);
    case EXPR_AND:
    case EXPR_OR: return logical(host, expr);
    case EXPR_TERNARY: return ternary(host, expr);
    case EXPR_CALL: return call(host, expr);
    case EXPR_ATTRIBUTE: return attribute(host, expr);
    case EXPR_SUBSCRIPT: return subscript(host, expr);
    case EXPR_LAMBDA: return lambda(host, expr);
    case EXPR_COMPREHENSION: return comprehension(host, expr);
    case EXPR_ELLIPSIS:
        if (host->script) return object_new(host->arena, OBJECT_ELLIPSIS);
        break;
    case EXPR_SLICE:
        if (host->script) return script_key(host, expr);
        break;
    case EXPR_WALRUS:
        if (host->script) {
            Object *value = host_expr(host, expr->left);
            host_bind_slot(host, expr->slot, expr->text, value);
            return value;
        }
        break;
    case EXPR_IMAGINARY:
    case EXPR_BYTES:
    case EXPR_FORMAT:
    case EXPR_STARRED:
    case EXPR_AWAIT:
    case EXPR_ABSENT: break;
    case EXPR_YIELD:
        if (host->script) return script_yield(host, expr);
        break;
    }
    return host_opaque(host, expr);
}

Object *host_expr(Host *host, const Expr *expr) {
    Registry *registry = host->module->registry;
    if (host->script) {
        char here;
        if (is_raised(host)) return host->script->poison;
        host->span = expr->span;
        if (&here < host->script->stack_end)
            return host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded");
        return evaluate(host, expr);
    }
    host->span = expr->span;
    if (!host_step(host, expr->span)) return object_error(host->arena);
    if (registry->depth >= HOST_EXPR_DEPTH) {
        host_error(host, expr->span, "evaluating this at compile time nests too deeply");
        host->steps = HOST_STEPS;
        return object_error(host->arena);
    }
    registry->depth++;
    Object *result = evaluate(host, expr);
    registry->depth--;
    /* What was cut short has no value: a list may lack its end. */
    return host->steps < HOST_STEPS ? result : object_error(host->arena);
}

Object *host_evaluate(Arena *arena, Module *module, const Expr *expr, const Map *locals,
                      Diag *diag) {
    Host host = {.arena = arena, .module = module, .diag = diag, .given = locals};
    return host_expr(&host, expr);
}
