// SPDX-License-Identifier: Apache-2.0
/* script_generator: functions with `yield`. A generator's body runs on a stack of its own, with
 * a scratch arena and a pool of its own, since both are released in the order of a stack; who asks
 * for the next value switches to it, and `yield` switches back. One that is dropped before its end
 * is closed, as in Python: GeneratorExit at its `yield`. */
#include "base/asan.h"
#include "lang/script.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Pages of a stack are the system's to give when they are touched; the first is never. */
enum { STACK_BYTES = 8 << 20, GUARD_BYTES = 4096, MOST_ALIVE = 1000 };

typedef enum Passed { PASS_SEND, PASS_THROW } Passed;

typedef struct Generator {
    ucontext_t own, caller;
    char *stack;
    Script *script;
    struct Generator *outer; /* the one that asked for this one's value */
    Host host;               /* its frame */
    Object *function;
    Object *value; /* between the two: what is sent, what is yielded; at the end: its result */
    Passed passed; /* with what it goes on */
    bool has_begun, is_running, has_ended;
    /* What belongs to the one that does not run: */
    Arena *scratch;
    ObjectPool pool;
    char *stack_end;
    Object *handled;
    const void *caller_stack;
    size_t caller_stack_size;
} Generator;

/* What the evaluator keeps for one stack changes places. */
static void exchange(Generator *g) {
    Script *script = g->script;
    Arena *scratch = script->scratch;
    ObjectPool pool = script->pool;
    char *stack_end = script->stack_end;
    Object *handled = script->handled;
    script->scratch = g->scratch, script->pool = g->pool;
    script->stack_end = g->stack_end, script->handled = g->handled;
    g->scratch = scratch, g->pool = pool, g->stack_end = stack_end, g->handled = handled;
}

static void switch_to_caller(Generator *g, void **fake_stack) {
    __sanitizer_start_switch_fiber(fake_stack, g->caller_stack, g->caller_stack_size);
    swapcontext(&g->own, &g->caller);
    __sanitizer_finish_switch_fiber(fake_stack ? *fake_stack : NULL, &g->caller_stack,
                                    &g->caller_stack_size);
}

static void generator_main(unsigned high, unsigned low) {
    Generator *g = (Generator *)((uintptr_t)high << 32 | low);
    Object *result = NULL;
    __sanitizer_finish_switch_fiber(NULL, &g->caller_stack, &g->caller_stack_size);
    script_block(&g->host, g->function->function->def->body, &result);
    g->value = result, g->has_ended = true;
    switch_to_caller(g, NULL);
}

static void release_stack(Generator *g) {
    if (!g->stack) return;
    munmap(g->stack, STACK_BYTES);
    g->stack = NULL;
    g->script->num_generators--;
}

/* Its frame and what its statements hold go. */
static void release(Host *host, Generator *g) {
    const Slots *layout = g->host.layout;
    for (int i = 0; i < layout->slots.count; i++) host_drop(host, g->host.slots[i]);
    while (g->pool.count) host_drop(host, g->pool.data[--g->pool.count]);
    free(g->pool.data);
    g->pool = (ObjectPool){0};
    if (g->scratch) arena_free(g->scratch);
    g->scratch = NULL;
    release_stack(g);
}

static bool begin(Host *host, Generator *g) {
    Script *script = g->script;
    if (script->num_generators >= MOST_ALIVE) {
        host_refuse(host, "more than %d generators at once", MOST_ALIVE);
        return false;
    }
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) longjmp(script->no_memory, 1);
    g->stack = stack;
    script->num_generators++;
    mprotect(stack, GUARD_BYTES, PROT_NONE);
    getcontext(&g->own);
    g->own.uc_stack.ss_sp = g->stack, g->own.uc_stack.ss_size = STACK_BYTES;
    g->own.uc_link = NULL;
    g->stack_end = g->stack + STACK_BYTES / 4;
    uintptr_t at = (uintptr_t)g;
    makecontext(&g->own, (void (*)(void))generator_main, 2, (unsigned)(at >> 32), (unsigned)at);
    g->has_begun = true;
    return true;
}

/* Until its next `yield`, whose value is in the caller's pool; NULL: it has ended, or raised. */
static Object *resume(Host *host, Generator *g, Passed passed, Object *value) {
    enum { DEEPEST = 1000 };
    Script *script = g->script;
    char here;
    if (g->is_running)
        return host_raise(host, CLASS_VALUE_ERROR, "generator already executing"), NULL;
    if (script->depth >= DEEPEST || &here < script->stack_end)
        return host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded"), NULL;
    if (!g->has_begun && !g->has_ended && passed == PASS_SEND) {
        if (value->kind != OBJECT_NONE)
            return host_raise(host, CLASS_TYPE_ERROR,
                              "can't send non-None value to a just-started generator"),
                   NULL;
        if (!begin(host, g)) return NULL;
    } else if (!g->has_begun || g->has_ended) {
        bool ended = g->has_ended;
        g->has_ended = true;
        if (!ended) release(host, g);
        if (passed == PASS_THROW) host_raise_object(host, value);
        return NULL;
    }
    void *fake_stack = NULL;
    g->value = host_keep(host, value), g->passed = passed;
    g->is_running = true, g->outer = script->generator, script->generator = g;
    g->host.steps = host->steps;
    script->depth++;
    g->host.outer = host, script->innermost = &g->host;
    exchange(g);
    __sanitizer_start_switch_fiber(&fake_stack, g->stack, STACK_BYTES);
    swapcontext(&g->caller, &g->own);
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
    exchange(g);
    script->depth--;
    script->innermost = host;
    g->is_running = false, script->generator = g->outer;
    Object *got = g->value;
    g->value = NULL;
    if (!g->has_ended) {
        host_hold(host, got);
        host_drop(host, got);
        return got;
    }
    release(host, g);
    if (is_raised(host)) {
        if (got) host_drop(host, got);
        bool stops = object_is_instance(host, script->raised, CLASS_STOP_ITERATION);
        if (stops && !script->is_refused) {
            take_raised(host);
            host_raise(host, CLASS_RUNTIME_ERROR, "generator raised StopIteration");
        }
        return NULL;
    }
    g->value = got; /* what StopIteration says; goes with the generator */
    return NULL;
}

/* ---- yield ---- */

/* Gives `value` to the caller; what comes back: false: an exception is on its way. */
static bool give(Host *host, Generator *g, Object *value, Object **sent) {
    void *fake_stack = NULL;
    int steps = host->depth;
    g->value = host_keep(host, value);
    switch_to_caller(g, &fake_stack);
    host->depth = steps;
    *sent = g->value;
    g->value = NULL;
    host_hold(host, *sent);
    host_drop(host, *sent);
    return g->passed == PASS_SEND;
}

static Object *yield_from(Host *host, Generator *g, Object *source) {
    Object *sent = host->script->none, *iterator = host_iterator(host, source);
    bool is_generator = iterator->kind == OBJECT_HOST && iterator->type == &generator_type;
    Passed passed = PASS_SEND;
    while (!is_raised(host)) {
        Generator *inner = is_generator ? iterator->payload : NULL;
        if (!inner && passed == PASS_THROW)
            return host_raise_object(host, sent), host->script->poison;
        if (!inner && sent->kind != OBJECT_NONE)
            return host_refuse(host, "a value sent through 'yield from' to what is no generator");
        Object *item = inner ? resume(host, inner, passed, sent) : host_next(host, iterator);
        if (is_raised(host)) break;
        if (!item)
            return inner && inner->value ? host_hold(host, inner->value) : host->script->none;
        passed = give(host, g, item, &sent) ? PASS_SEND : PASS_THROW;
    }
    return host->script->poison;
}

Object *script_yield(Host *host, const Expr *expr) {
    Generator *g = host->script->generator;
    if (!g || host->function != g->function) return host_refuse(host, "'yield' here");
    Object *value = expr->left ? host_expr(host, expr->left) : host->script->none, *sent;
    if (is_raised(host)) return host->script->poison;
    if (str_is(expr->text, "from")) return yield_from(host, g, value);
    if (give(host, g, value, &sent)) return sent;
    host->span = expr->span;
    host_raise_object(host, sent);
    return host->script->poison;
}

/* ---- the object ---- */

static Object *generator_next(Host *host, Object *self, int64_t index) {
    (void)index;
    return resume(host, self->payload, PASS_SEND, host->script->none);
}

Object *generator_result(Host *host, Object *generator) {
    Generator *g = generator->payload;
    return g->value ? host_hold(host, g->value) : NULL;
}

static Object *stop(Host *host, Object *generator) {
    if (is_raised(host)) return host->script->poison;
    Object *value = generator_result(host, generator);
    host_raise_object(host, exception_new(host, host->script->classes[CLASS_STOP_ITERATION],
                                          value ? 1 : 0, &value));
    return host->script->poison;
}

static Object *run_send(Host *host, Object *const *args, const HostCall *call) {
    Object *value = args[0] ? args[0] : host->script->none;
    Object *got = resume(host, call->self->payload, PASS_SEND, value);
    return got ? got : stop(host, call->self);
}

/* throw(exception), or throw(class, value?, traceback?) */
static Object *run_throw(Host *host, Object *const *args, const HostCall *call) {
    Object *exception = args[0];
    bool is_class = exception->kind == OBJECT_HOST && exception->type == &class_type;
    if (args[1] && args[1]->kind == OBJECT_HOST && args[1]->type == &instance_type)
        exception = args[1];
    else if (is_class)
        exception =
            host_invoke_with(host, exception, args[1] && args[1]->kind != OBJECT_NONE, &args[1]);
    if (is_raised(host)) return host->script->poison;
    if (exception->kind != OBJECT_HOST || exception->type != &instance_type ||
        !class_info(exception->items[0])->is_exception)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "exceptions must be classes or instances deriving from BaseException, "
                          "not %.*s",
                          STR_ARG(class_info(class_of(host, exception))->name));
    Object *got = resume(host, call->self->payload, PASS_THROW, exception);
    return got ? got : stop(host, call->self);
}

static void close_generator(Host *host, Generator *g) {
    Script *script = host->script;
    if (g->has_ended || g->is_running) return;
    Object *got = resume(host, g, PASS_THROW,
                         exception_new(host, script->classes[CLASS_GENERATOR_EXIT], 0, NULL));
    if (got)
        host_raise(host, CLASS_RUNTIME_ERROR, "generator ignored GeneratorExit");
    else if (is_raised(host) && !script->is_refused &&
             object_is_instance(host, script->raised, CLASS_GENERATOR_EXIT))
        take_raised(host);
}

static Object *run_close(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    close_generator(host, call->self->payload);
    return is_raised(host) ? host->script->poison : host->script->none;
}

static Object *run_self(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)args, call->self;
}

static Object *generator_get(Host *host, Object *self, Str name) {
    static const Native rows[] = {
        NATIVE("send", "value", run_send),
        NATIVE("__next__", "", run_send),
        NATIVE("throw", "type, value?, traceback?", run_throw),
        NATIVE("close", "", run_close),
        NATIVE("__iter__", "", run_self),
    };
    return native_of(host, rows, COUNT(rows), name, self);
}

static size_t bytes_of(const Slots *layout) {
    return sizeof(Generator) + (size_t)layout->slots.count * sizeof(Object *);
}

static void generator_free(Object *self) {
    Generator *g = self->payload;
    Script *script = g->script;
    Host *host = &g->host;
    if (!script->is_closing) {
        if (!g->has_ended && !g->has_begun) {
            release(host, g);
        } else if (!g->has_ended) { /* its `finally` parts run; what they raise is nobody's */
            Object *raised = script->raised;
            Host caller = {.arena = script->scratch,
                           .diag = script->diag,
                           .script = script,
                           .module = host->module,
                           .span = host->span};
            script->raised = NULL;
            Moment moment = moment_of(&caller);
            close_generator(&caller, g);
            if (script->raised && !script->is_refused) {
                host_drop(&caller, script->raised);
                script->raised = NULL;
            }
            moment_end(&caller, moment);
            if (raised && script->raised) host_drop(&caller, raised);
            if (!script->raised) script->raised = raised;
            if (!g->has_ended) release(&caller, g);
        }
        host_drop(host, g->value);
        host_drop(host, g->function);
    } else {
        free(g->pool.data);
        if (g->scratch) arena_free(g->scratch);
        release_stack(g);
    }
    heap_discharge(script, bytes_of(g->host.layout));
    free(g->host.slots);
    free(g);
}

static void generator_print(Host *host, Object *self, Buf *out, bool as_repr) {
    const Generator *g = self->payload;
    (void)host, (void)as_repr;
    buf_printf(out, "<generator object %.*s>", STR_ARG(g->host.layout->qualified));
}

const HostType generator_type = {.name = "generator",
                                 .free = generator_free,
                                 .attribute = generator_get,
                                 .next = generator_next,
                                 .print = generator_print};

Object *generator_new(Host *host, const Host *frame, Object *function) {
    Script *script = host->script;
    int count = frame->layout->slots.count;
    heap_charge(host, bytes_of(frame->layout));
    Generator *g = calloc(1, sizeof *g);
    Object **slots = calloc((size_t)count + 1, sizeof *slots);
    if (!g || !slots) {
        free(g), free(slots);
        longjmp(script->no_memory, 1);
    }
    memcpy(slots, frame->slots, (size_t)count * sizeof *slots);
    Object *object = heap_host(host, &generator_type, 0, NULL);
    object->payload = g;
    g->script = script, g->host = *frame, g->host.slots = slots;
    g->function = host_keep(host, function);
    g->scratch = arena_new(&script->no_memory);
    arena_limit(g->scratch, &script->memory);
    g->host.arena = g->scratch;
    g->stack_end = NULL;
    return object;
}

/* After a jump out of all of them: the script's own places are those of the outermost caller. */
void generators_leave(Script *script) {
    while (script->generator) {
        Generator *g = script->generator;
        exchange(g);
        script->generator = g->outer;
    }
    script->is_closing = true;
}
