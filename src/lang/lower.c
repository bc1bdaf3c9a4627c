// SPDX-License-Identifier: Apache-2.0
/* lower: a jit function and a specialisation of its parameters become a function of the tile IR. */
#include "lang/lower.h"

#include <stdio.h>

/* ---- diagnostics ---- */

/* In the library's own Triton text the user is shown the call, not the library. */
static Span user_span(const Lower *l, Span span, const char **inside) {
    const Frame *frame = l->frame;
    while (frame && frame->is_std) {
        if (frame->std_name) *inside = frame->std_name;
        span = frame->call_span;
        frame = frame->caller;
    }
    return span;
}

static void call_notes(Lower *l) {
    int shown = 0;
    for (const Frame *frame = l->frame; frame && frame->caller; frame = frame->caller) {
        if (frame->is_std) continue;
        if (++shown > 3) return;
        const char *inside = NULL;
        Lower outer = *l;
        outer.frame = frame->caller;
        diag_note(l->diag, user_span(&outer, frame->call_span, &inside),
                  "in the call of '%.*s' here", STR_ARG(frame->function->def->name));
    }
}

static void report(Lower *l, DiagKind kind, Span span, const char *format, va_list args) {
    const char *inside = NULL;
    Span at = user_span(l, span, &inside);
    Buf buf = {.arena = l->arena};
    buf_vprintf(&buf, format, args);
    if (inside)
        diag_add(l->diag, kind, at, "%s, in tl.%s", buf.data, inside);
    else
        diag_add(l->diag, kind, at, "%s", buf.data);
    if (!inside && l->caret >= at.start && l->caret < at.end && kind == DIAG_ERROR)
        diag_set_caret(l->diag, l->caret);
    if (kind == DIAG_ERROR || kind == DIAG_REFUSED) call_notes(l);
}

Object *lower_error(Lower *l, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!l->stopped) report(l, DIAG_ERROR, span, format, args);
    va_end(args);
    return object_error(l->arena);
}

Object *lower_refused(Lower *l, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!l->stopped) report(l, DIAG_REFUSED, span, format, args);
    va_end(args);
    return object_error(l->arena);
}

void lower_warning(Lower *l, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!l->stopped) report(l, DIAG_WARNING, span, format, args);
    va_end(args);
}

void lower_note(Lower *l, Span span, const char *format, ...) {
    const char *inside = NULL;
    Span at = user_span(l, span, &inside);
    va_list args;
    if (l->stopped || inside) return;
    Buf buf = {.arena = l->arena};
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    diag_note(l->diag, at, "%s", buf.data);
}

void lower_help(Lower *l, const char *format, ...) {
    va_list args;
    if (l->stopped) return;
    Buf buf = {.arena = l->arena};
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    diag_help(l->diag, (Span){0}, "%s", buf.data);
}

bool lower_step(Lower *l, Span span) {
    if (l->stopped) return false;
    l->steps++;
    if (l->steps <= MAX_STEPS && (!l->fn || l->fn->num_values <= MAX_OPS)) return true;
    lower_error(l, span,
                l->steps > MAX_STEPS ? "compiling this takes more than %d steps: a compile-time "
                                       "loop or recursion does not end"
                                     : "this makes more than %d operations: a static_range or a "
                                       "compile-time recursion is too long",
                l->steps > MAX_STEPS ? MAX_STEPS : MAX_OPS);
    l->stopped = true;
    return false;
}

const char *lower_shape_text(Lower *l, int rank, const int *shape) {
    Buf buf = {.arena = l->arena};
    buf_puts(&buf, "[");
    for (int i = 0; i < rank; i++) buf_printf(&buf, i ? ", %d" : "%d", shape[i]);
    buf_puts(&buf, "]");
    return buf.data;
}

const char *lower_type_text(Lower *l, const Object *object) {
    if (!is_tensor(object)) return object_type_name(object);
    Buf buf = {.arena = l->arena};
    ltype_print(&buf, object->ltype);
    if (is_block(object))
        buf_puts(&buf, lower_shape_text(l, tensor_rank(object), tensor_shape(object)));
    return buf.data;
}

/* ---- names ---- */

Binding *env_find(const Env *env, Str name) {
    for (int i = env->count - 1; i >= 0; i--)
        if (str_equal(env->data[i].name, name)) return &env->data[i];
    return NULL;
}

Object *env_get(const Env *env, Str name) {
    Binding *binding = env_find(env, name);
    return binding ? binding->value : NULL;
}

void env_set(Lower *l, Env *env, Str name, Object *value, Span span) {
    Binding *binding = env_find(env, name);
    if (binding)
        *binding = (Binding){name, value, span, false};
    else
        vec_push(l->arena, env, (Binding){name, value, span, false});
}

Env env_copy(Lower *l, const Env *env) {
    l->steps += env->count / 8; /* the memory counts, too */
    Env copy = {env->count, env->count,
                arena_array(l->arena, Binding, env->count ? env->count : 1)};
    if (env->count) memcpy(copy.data, env->data, sizeof(Binding) * (size_t)env->count);
    return copy;
}

/* ---- the function ---- */

Func *lower_function(Arena *arena, Module *module, const JitFunction *function, const Spec *specs,
                     const LowerOptions *options, Diag *diag) {
    Lower l = {.arena = arena, .module = module, .diag = diag, .options = options, .caret = -1};
    int failures = diag->num_errors + diag->num_refused;
    if (options->target) module_set_target(module, options->target);
    Object *object = module_function_object(arena, module, function);
    FunctionObject plain = {.def = function->def, .module = module, .is_jit = true};
    Frame frame = {.function = object && object->function ? object->function : &plain,
                   .module = module};
    l.fn = func_new(arena, types_new(arena), function->name);
    l.fn->span = function->span;
    l.fn->num_warps = options->num_warps ? options->num_warps : 4;
    l.fn->num_stages = options->num_stages ? options->num_stages : 3;
    l.builder = (Builder){.fn = l.fn, .region = l.fn->body, .span = function->span};
    l.frame = &frame;
    l.std_modules.arena = l.missing.arena = arena;
    if (lower_parameters(&l, function, specs)) {
        lower_body(&l, &function->def->body);
        if (frame.result && !is_none(frame.result) && !is_error(frame.result)) {
            lower_error(&l, frame.result_span, "a kernel cannot return a value");
            lower_help(&l, "store it through a pointer parameter");
        }
        l.builder.span = function->span;
        build_yield(&l.builder, 0, NULL);
    }
    if (diag->num_errors + diag->num_refused > failures) return NULL;
    func_resolve(l.fn);
    func_renumber(l.fn);
    return l.fn;
}
