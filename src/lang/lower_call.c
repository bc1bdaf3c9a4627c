// SPDX-License-Identifier: Apache-2.0
/* lower_call: calls in a jit function. A jit function is inlined: its body is walked with its own
 * Frame, so a literal argument stays a compile-time value inside. */
#include "lang/lower.h"

#include <stdio.h>

typedef struct Args {
    int count, capacity;
    struct Arg {
        Str name;
        Object *value;
        Span span;
    } * data;
} Args;

static bool evaluate_args(Lower *l, const Expr *expr, Args *args) {
    bool fine = true;
    for (int i = 0; i < expr->num_args; i++) {
        const Argument *argument = &expr->args[i];
        /* What Triton's own machinery hands through plain methods. */
        if (l->frame->is_plain &&
            (str_is(argument->name, "_semantic") || str_is(argument->name, "_builder")))
            continue;
        if (argument->stars == 2) {
            lower_refused(l, argument->span, "'**' in a call in a kernel is not supported");
            return false;
        }
        Object *value = lower_expr(l, argument->value);
        fine &= !is_error(value);
        if (!argument->stars) {
            vec_push(l->arena, args, (struct Arg){argument->name, value, argument->value->span});
            continue;
        }
        if (is_error(value)) continue;
        if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST) {
            lower_error(l, argument->span, "'*' needs a tuple, got %s", lower_type_text(l, value));
            return false;
        }
        for (int j = 0; j < value->num_items; j++)
            vec_push(l->arena, args, (struct Arg){{0}, value->items[j], argument->span});
    }
    return fine;
}

Object *lower_call(Lower *l, const Expr *expr) {
    Object *callee = lower_expr(l, expr->left);
    Args args = {0};
    bool fine = evaluate_args(l, expr, &args);
    if (is_error(callee) || !fine) return object_error(l->arena);
    Object **values = arena_array(l->arena, Object *, args.count + 1);
    Str *names = arena_array(l->arena, Str, args.count + 1);
    Span *spans = arena_array(l->arena, Span, args.count + 1);
    for (int i = 0; i < args.count; i++)
        values[i] = args.data[i].value, names[i] = args.data[i].name, spans[i] = args.data[i].span;
    return lower_call_object(l, callee, args.count, values, names, spans, expr->span, expr);
}

/* ---- jit functions ---- */

typedef struct Binder {
    const FunctionObject *function;
    int num_args;
    Object *const *args;
    const Str *names;
    const Span *spans;
    Span span;
    Object *instance; /* of __init__ */
} Binder;

static int find_param(const FunctionDef *def, Str name) {
    for (int i = 0; i < def->num_params; i++)
        if (str_equal(def->params[i].name, name) && def->params[i].kind != PARAM_POSITIONAL_ONLY)
            return i;
    return -1;
}

static bool place_positional(Lower *l, const Binder *binder, Object **places, int *param) {
    const FunctionDef *def = binder->function->def;
    for (int i = 0; i < binder->num_args; i++) {
        if (binder->names && binder->names[i].length) continue;
        if (*param < def->num_params && def->params[*param].kind == PARAM_STAR) {
            int count = 0;
            Object **rest = arena_array(l->arena, Object *, binder->num_args);
            for (; i < binder->num_args; i++)
                if (!binder->names || !binder->names[i].length) rest[count++] = binder->args[i];
            places[*param] = object_tuple(l->arena, count, rest);
            return true;
        }
        if (*param >= def->num_params || def->params[*param].kind == PARAM_KEYWORD_ONLY) {
            lower_error(l, binder->spans[i], "'%.*s' takes %d argument%s, this is one more",
                        STR_ARG(def->name), *param, *param == 1 ? "" : "s");
            lower_note(l, def->name_span, "'%.*s' is defined here", STR_ARG(def->name));
            return false;
        }
        places[(*param)++] = binder->args[i];
    }
    return true;
}

static bool place_keywords(Lower *l, const Binder *binder, Object **places) {
    const FunctionDef *def = binder->function->def;
    for (int i = 0; i < binder->num_args && binder->names; i++) {
        if (!binder->names[i].length) continue;
        int at = find_param(def, binder->names[i]);
        if (at < 0 || def->params[at].kind == PARAM_STAR ||
            def->params[at].kind == PARAM_STAR_STAR) {
            lower_error(l, binder->spans[i], "'%.*s' has no parameter '%.*s'", STR_ARG(def->name),
                        STR_ARG(binder->names[i]));
            lower_note(l, def->name_span, "'%.*s' is defined here", STR_ARG(def->name));
            return false;
        }
        if (places[at]) {
            lower_error(l, binder->spans[i], "parameter '%.*s' of '%.*s' is given twice",
                        STR_ARG(binder->names[i]), STR_ARG(def->name));
            return false;
        }
        places[at] = binder->args[i];
    }
    return true;
}

static bool bind_jit(Lower *l, const Binder *binder, Env *env) {
    const FunctionDef *def = binder->function->def;
    Object **places = arena_array(l->arena, Object *, def->num_params + 1);
    int param = 0;
    if (!place_positional(l, binder, places, &param) || !place_keywords(l, binder, places))
        return false;
    for (int i = 0; i < def->num_params; i++) {
        const ParamDef *p = &def->params[i];
        if (p->kind == PARAM_STAR_STAR) {
            lower_refused(l, p->span, "'**%.*s' of a jit function is not supported",
                          STR_ARG(p->name));
            return false;
        }
        if (!places[i] && p->kind == PARAM_STAR) {
            if (p->name.length)
                places[i] = object_tuple(l->arena, 0, NULL);
            else
                continue;
        }
        if (!places[i] && p->default_value)
            places[i] = host_evaluate(l->arena, binder->function->module, p->default_value,
                                      binder->function->closure, l->diag);
        if (!places[i]) {
            lower_error(l, binder->span, "the argument '%.*s' of '%.*s' is missing",
                        STR_ARG(p->name), STR_ARG(def->name));
            lower_note(l, def->name_span, "'%.*s' is defined here", STR_ARG(def->name));
            return false;
        }
        if (is_error(places[i])) return false;
        vec_push(l->arena, env, (Binding){p->name, places[i], p->span, false});
    }
    return true;
}

static bool is_std(const FunctionObject *function) {
    const Source *source = function->def->span.source;
    return source && str_starts(source->name, "<tern>/");
}

/* A decorator around triton.jit may put another function in the place of the text. */
static Object *refuse_wrapped(Lower *l, const FunctionObject *function, const Expr *wrapper,
                              Span span) {
    Str name = function->def->name, text = span_text(wrapper->span);
    Object *poison = lower_refused(
        l, span, "'%.*s' is not supported: it is what the decorator '%.*s' makes of its text",
        STR_ARG(name), STR_ARG(text));
    lower_note(l, wrapper->span, "'%.*s' is decorated here", STR_ARG(name));
    lower_help(l,
               "call the function that the decorator chooses, or say which it is: "
               "--global '%.*s=FILE.py:%.*s' for its text, '%.*s=triton.language..' for Triton's",
               STR_ARG(name), STR_ARG(name), STR_ARG(name));
    return poison;
}

static Object *call_jit(Lower *l, const Binder *binder, const char *std_name, bool in_region) {
    const FunctionObject *function = binder->function;
    const Expr *wrapper = function->is_jit && !function->is_chosen
                              ? module_wrapper_of_jit(function->module, function->def)
                              : NULL;
    if (wrapper) return refuse_wrapped(l, function, wrapper, binder->span);
    Frame frame = {.function = function,
                   .module = function->module,
                   .caller = l->frame,
                   .call_span = binder->span,
                   .depth = l->frame->depth + 1,
                   .is_std = is_std(function),
                   .std_name = std_name,
                   .is_plain = !function->is_jit,
                   .instance = binder->instance,
                   .in_region = in_region || l->frame->in_region};
    if (frame.depth > MAX_CALL_DEPTH) {
        Object *poison = lower_error(l, binder->span,
                                     "calls are nested more than %d deep: the recursion of "
                                     "'%.*s' does not end at compile time",
                                     MAX_CALL_DEPTH, STR_ARG(function->def->name));
        l->stopped = true;
        return poison;
    }
    if (!bind_jit(l, binder, &frame.env)) return object_error(l->arena);
    Span span = l->builder.span;
    l->frame = &frame;
    lower_body(l, &function->def->body);
    l->frame = frame.caller;
    l->builder.span = span;
    return frame.result ? frame.result : object_none(l->arena);
}

static Object *std_function(Lower *l, const Builtin *builtin, Span span) {
    Str file = str_of(builtin->params);
    Module *module = map_get(&l->std_modules, file);
    if (!module) {
        Str text = std_text(builtin->params);
        if (!text.length) return lower_refused(l, span, "'tl.%s' is not supported", builtin->name);
        Str title = str_format(l->arena, "<tern>/%s", builtin->params);
        module = module_load(l->arena, source_new(l->arena, title, text), (Str){0},
                             &(LangOptions){0}, l->diag);
        if (!module) BUG("the library's own %s does not parse", builtin->params);
        map_set(&l->std_modules, file, module);
    }
    const JitFunction *function = module_find(module, str_of(builtin->name));
    if (!function) BUG("%s has no function %s", builtin->params, builtin->name);
    return module_function_object(l->arena, module, function);
}

/* ---- everything that can be called ---- */

/* To the user, what the library made was made at the call. */
static Object *from_library(Lower *l, Object *result, Span span) {
    if (!is_tensor(result)) return result;
    Object *copy = tensor_like(l, result, result->value);
    copy->span = span;
    return copy;
}

static Object *call_builtin(Lower *l, const Builtin *builtin, const Binder *binder,
                            const Expr *expr) {
    if (builtin->kind == BUILTIN_REFUSED)
        return lower_refused(l, binder->span, "'%s%s' is not supported%s%s",
                             strcmp(builtin->module, "triton.language") ? "" : "tl.", builtin->name,
                             builtin->params ? ": " : "", builtin->params ? builtin->params : "");
    if (builtin->kind == BUILTIN_STD) {
        Object *function = std_function(l, builtin, binder->span);
        if (is_error(function)) return function;
        Binder inner = *binder;
        inner.function = function->function;
        return from_library(l, call_jit(l, &inner, builtin->name, false), binder->span);
    }
    if (l->map && !map_allows(l, builtin, binder->span)) return object_error(l->arena);
    Object *places[MAX_BUILTIN_PARAMS];
    Call call = {.builtin = builtin, .args = places, .span = binder->span, .expr = expr};
    if (!builtin_bind(l, builtin, binder->num_args, binder->args, binder->names, binder->spans,
                      &call))
        return object_error(l->arena);
    Span span = l->builder.span;
    l->builder.span = binder->span;
    Object *result = builtin->run(l, &call);
    l->builder.span = span;
    return result;
}

static Object *call_host_function(Lower *l, Object *callee, const Binder *binder) {
    const FunctionObject *function = callee->function;
    for (int i = 0; i < binder->num_args; i++) {
        if (!is_tensor(binder->args[i])) continue;
        Object *poison = lower_error(
            l, binder->spans[i],
            function->is_constexpr_function
                ? "'%.*s' is evaluated at compile time, but this argument is known at run time only"
                : "'%.*s' is a plain Python function: it cannot take a tensor",
            STR_ARG(function->def->name));
        if (!function->is_constexpr_function) lower_help(l, "decorate it with @triton.jit");
        return poison;
    }
    return host_call(l->arena, callee, binder->num_args, binder->args, binder->names, binder->span,
                     l->diag);
}

static Object *make_named_tuple(Lower *l, const Object *class, const Binder *binder) {
    int count = class->num_items;
    Object *tuple = object_new(l->arena, OBJECT_TUPLE);
    tuple->num_items = count;
    tuple->names = class->names;
    tuple->text = class->text;
    tuple->of_class = class->is_constexpr ? class : NULL;
    tuple->items = arena_array(l->arena, Object *, count ? count : 1);
    int next = 0;
    for (int i = 0; i < binder->num_args; i++) {
        int at = next;
        if (binder->names && binder->names[i].length) {
            for (at = 0; at < count && !str_equal(class->names[at], binder->names[i]); at++) {
            }
        } else
            next++;
        if (at >= count)
            return lower_error(l, binder->spans[i], "'%.*s' has no such field",
                               STR_ARG(class->text));
        if (tuple->items[at])
            return lower_error(l, binder->spans[i], "field '%.*s' of '%.*s' is given twice",
                               STR_ARG(class->names[at]), STR_ARG(class->text));
        tuple->items[at] = binder->args[i];
    }
    for (int i = 0; i < count; i++) {
        if (!tuple->items[i] && class->items) tuple->items[i] = class->items[i];
        if (!tuple->items[i])
            return lower_error(l, binder->span, "field '%.*s' of '%.*s' is missing",
                               STR_ARG(class->names[i]), STR_ARG(class->text));
        if (is_tensor(tuple->items[i]) && class->members &&
            map_get(class->members, class->names[i]))
            return lower_error(
                l, binder->span,
                "field '%.*s' of '%.*s' is tl.constexpr, but its value is known at run time only",
                STR_ARG(class->names[i]), STR_ARG(class->text));
    }
    return tuple;
}

/* An instance of a class with __init__: made empty, then filled by it. */
static Object *make_instance(Lower *l, const Object *class, const FunctionObject *init,
                             const Binder *binder) {
    int count = class->num_items, num_args = binder->num_args + 1;
    Object *self = object_new(l->arena, OBJECT_TUPLE);
    self->num_items = count;
    self->names = class->names;
    self->text = class->text;
    self->of_class = class;
    self->items = arena_array(l->arena, Object *, count + 1);
    for (int i = 0; i < count; i++) {
        self->items[i] = object_new(l->arena, OBJECT_OPAQUE);
        self->items[i]->text = str_format(
            l->arena, "the field '%.*s', which '__init__' did not set,", STR_ARG(class->names[i]));
    }
    Object **args = arena_array(l->arena, Object *, num_args);
    Str *names = arena_array(l->arena, Str, num_args);
    Span *spans = arena_array(l->arena, Span, num_args);
    args[0] = self, spans[0] = binder->span;
    for (int i = 1; i < num_args; i++) {
        args[i] = binder->args[i - 1], spans[i] = binder->spans[i - 1];
        if (binder->names) names[i] = binder->names[i - 1];
    }
    Binder inner = {init, num_args, args, names, spans, binder->span, self};
    int complaints = l->diag->num_errors + l->diag->num_refused;
    call_jit(l, &inner, NULL, false);
    if (l->diag->num_errors + l->diag->num_refused > complaints) return object_error(l->arena);
    for (int i = 0; i < count; i++)
        if (self->items[i]->kind == OBJECT_OPAQUE)
            return lower_error(l, binder->span,
                               "'__init__' of '%.*s' does not set the field '%.*s'",
                               STR_ARG(class->text), STR_ARG(class->names[i]));
    return self;
}

Object *lower_call_object(Lower *l, Object *callee, int num_args, Object *const *args,
                          const Str *names, const Span *spans, Span span, const Expr *expr) {
    Binder binder = {callee->function, num_args, args, names, spans, span, NULL};
    switch (callee->kind) {
    case OBJECT_BUILTIN: return call_builtin(l, callee->builtin, &binder, expr);
    case OBJECT_METHOD: {
        Object **all = arena_array(l->arena, Object *, num_args + 1);
        Str *all_names = arena_array(l->arena, Str, num_args + 1);
        Span *all_spans = arena_array(l->arena, Span, num_args + 1);
        all[0] = callee->items[0];
        all_spans[0] = expr && expr->left->left ? expr->left->left->span : span;
        for (int i = 0; i < num_args; i++) {
            all[i + 1] = args[i], all_spans[i + 1] = spans[i];
            if (names) all_names[i + 1] = names[i];
        }
        Object inner = *callee;
        inner.kind = callee->builtin ? OBJECT_BUILTIN : OBJECT_FUNCTION;
        return lower_call_object(l, &inner, num_args + 1, all, all_names, all_spans, span, NULL);
    }
    case OBJECT_FUNCTION:
        if (callee->function->is_jit || callee->function->is_method)
            return call_jit(l, &binder, NULL, false);
        return call_host_function(l, callee, &binder);
    case OBJECT_CLASS:
        if (callee->names && callee->is_constexpr) {
            const Object *init = map_get(callee->members, STR("__init__"));
            if (init) return make_instance(l, callee, init->function, &binder);
        }
        if (callee->names) return make_named_tuple(l, callee, &binder);
        lower_refused(l, span, "the class '%.*s' in a kernel is not supported",
                      STR_ARG(callee->text));
        lower_help(l, "a NamedTuple, or an aggregate without special methods but __init__ and "
                      "__getitem__, is");
        return object_error(l->arena);
    case OBJECT_DTYPE:
        if (callee->text.length)
            return lower_error(l, span, "a dtype of torch cannot be called in a kernel");
        if (num_args == 1) {
            Object *value = args[0];
            if (is_error(value)) return value;
            value = to_tensor(l, value, spans[0]);
            return cast(l, value, callee->ltype, span);
        }
        return lower_error(l, span, "a dtype takes one argument");
    case OBJECT_OPAQUE: return lower_unknown(l, callee, span);
    case OBJECT_ERROR: return callee;
    case OBJECT_NONE:
    case OBJECT_BOOL:
    case OBJECT_INT:
    case OBJECT_FLOAT:
    case OBJECT_STR:
    case OBJECT_TUPLE:
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_MODULE:
    case OBJECT_SLICE:
    case OBJECT_ELLIPSIS:
    case OBJECT_CONFIG:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_RANGE: break;
    }
    return lower_error(l, span, "%s cannot be called", lower_type_text(l, callee));
}
