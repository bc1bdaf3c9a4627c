// SPDX-License-Identifier: Apache-2.0
/* script_genexpr: generator expressions.
 *
 *     (f(x) for row in rows if row for x in row)
 *
 * A frame of its own, as a function has (resolve.c), and the iterators that are open, one a clause:
 * the next value is looked for from the innermost one, so that no stack is kept between two. The
 * first iterable is evaluated where the expression stands, all else when a value is asked for. */
#include "lang/script.h"

#include <stdlib.h>

typedef struct Lazy {
    const Expr *expr;
    Host frame;
    bool has_begun, is_running, has_ended;
} Lazy;

enum { FUNCTION, ITERATORS }; /* its items: the function, an iterator for each clause */

static void end(Host *host, Object *self, Lazy *lazy) {
    if (lazy->has_ended) return;
    lazy->has_ended = true;
    for (int i = 0; i < lazy->frame.layout->slots.count; i++) {
        host_drop(host, lazy->frame.slots[i]);
        lazy->frame.slots[i] = NULL;
    }
    for (int i = 0; i < lazy->expr->num_clauses; i++)
        host_store(host, &self->items[ITERATORS + i], NULL);
}

/* Whether the item goes on to what is inside of the clause. */
static bool passes(Host *host, const Clause *clause, Object *item) {
    if (!host_step(host, clause->target->span) || !host_assign(host, clause->target, item))
        return false;
    for (int i = 0; i < clause->num_conditions; i++)
        if (!script_truth(host, host_expr(host, clause->conditions[i])) || is_raised(host))
            return false;
    return !is_raised(host);
}

/* Kept for the caller; NULL: the end, or raised. */
static Object *find_next(Host *host, Object *self, const Lazy *lazy) {
    const Expr *expr = lazy->expr;
    int at = lazy->has_begun ? expr->num_clauses - 1 : 0;
    while (at >= 0 && !is_raised(host)) {
        Object *value = NULL;
        Moment moment = moment_of(host);
        Object *item = host_next(host, self->items[ITERATORS + at]);
        if (!item) {
            at--;
        } else if (passes(host, &expr->clauses[at], item)) {
            if (++at == expr->num_clauses)
                value = host_expr(host, expr->left);
            else
                host_store(host, &self->items[ITERATORS + at],
                           host_iterator(host, host_expr(host, expr->clauses[at].iterable)));
        }
        if (value && !is_raised(host)) value = host_keep(host, value);
        moment_end(host, moment);
        if (value && !is_raised(host)) return value;
    }
    return NULL;
}

static Object *genexpr_next(Host *host, Object *self, int64_t index) {
    enum { DEEPEST = 1000 };
    Script *script = host->script;
    Lazy *lazy = self->payload;
    char here;
    (void)index;
    if (lazy->is_running)
        return host_raise(host, CLASS_VALUE_ERROR, "generator already executing"), NULL;
    if (lazy->has_ended) return NULL;
    if (script->depth >= DEEPEST || &here < script->stack_end)
        return host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded"), NULL;
    Host inner = lazy->frame;
    inner.arena = host->arena, inner.outer = host, inner.steps = host->steps;
    lazy->is_running = true;
    script->depth++, script->innermost = &inner;
    Object *value = find_next(&inner, self, lazy);
    script->depth--, script->innermost = host;
    lazy->is_running = false, lazy->has_begun = true;
    host->steps = inner.steps;
    if (value) {
        host_hold(host, value);
        host_drop(host, value);
        return value;
    }
    end(host, self, lazy);
    if (is_raised(host) && !script->is_refused &&
        object_is_instance(host, script->raised, CLASS_STOP_ITERATION)) {
        take_raised(host);
        host_raise(host, CLASS_RUNTIME_ERROR, "generator raised StopIteration");
    }
    return NULL;
}

/* ---- its methods ---- */

static Object *run_send(Host *host, Object *const *args, const HostCall *call) {
    const Lazy *lazy = call->self->payload;
    if (args[0] && args[0]->kind != OBJECT_NONE && !lazy->has_begun && !lazy->has_ended)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "can't send non-None value to a just-started generator");
    Object *value = genexpr_next(host, call->self, 0);
    if (value || is_raised(host)) return value ? value : host->script->poison;
    host_raise_object(host,
                      exception_new(host, host->script->classes[CLASS_STOP_ITERATION], 0, NULL));
    return host->script->poison;
}

static Object *run_close(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    end(host, call->self, call->self->payload);
    return host->script->none;
}

static Object *run_self(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)args, call->self;
}

static Object *genexpr_get(Host *host, Object *self, Str name) {
    static const Native rows[] = {
        NATIVE("send", "value", run_send),
        NATIVE("__next__", "", run_send),
        NATIVE("close", "", run_close),
        NATIVE("__iter__", "", run_self),
    };
    return native_of(host, rows, COUNT(rows), name, self);
}

static size_t bytes_of(const Slots *layout) {
    return sizeof(Lazy) + (size_t)layout->slots.count * sizeof(Object *);
}

static void genexpr_free(Object *self) {
    Lazy *lazy = self->payload;
    if (!lazy) return; /* there was no memory for it */
    Script *script = lazy->frame.script;
    Host host = {.arena = script->scratch, .diag = script->diag, .script = script};
    for (int i = 0; !lazy->has_ended && !script->is_closing && i < lazy->frame.layout->slots.count;
         i++)
        host_drop(&host, lazy->frame.slots[i]);
    heap_discharge(script, bytes_of(lazy->frame.layout));
    free(lazy->frame.slots);
    free(lazy);
}

static void genexpr_print(Host *host, Object *self, Buf *out, bool as_repr) {
    const Lazy *lazy = self->payload;
    (void)host, (void)as_repr;
    buf_printf(out, "<generator object %.*s>", STR_ARG(lazy->frame.layout->qualified));
}

const HostType genexpr_type = {.name = "generator",
                               .free = genexpr_free,
                               .attribute = genexpr_get,
                               .next = genexpr_next,
                               .print = genexpr_print};

Object *genexpr_new(Host *host, const Expr *expr) {
    Object **items = arena_array(host->arena, Object *, ITERATORS + expr->num_clauses);
    items[ITERATORS] = host_iterator(host, host_expr(host, expr->clauses[0].iterable));
    items[FUNCTION] = function_new(host, expr->function);
    if (is_raised(host)) return host->script->poison;
    Object *self = heap_host(host, &genexpr_type, ITERATORS + expr->num_clauses, items);
    const Slots *layout = expr->function->slots;
    heap_charge(host, bytes_of(layout));
    Lazy *lazy = calloc(1, sizeof *lazy);
    Object **slots = calloc((size_t)layout->slots.count + 1, sizeof *slots);
    if (!lazy || !slots) {
        free(lazy), free(slots);
        longjmp(host->script->no_memory, 1);
    }
    *lazy = (Lazy){.expr = expr,
                   .frame = {.module = host->module,
                             .diag = host->diag,
                             .span = expr->span,
                             .script = host->script,
                             .slots = slots,
                             .layout = layout,
                             .function = items[FUNCTION]}};
    self->payload = lazy;
    frame_open(&lazy->frame, items[FUNCTION], NULL);
    return self;
}
