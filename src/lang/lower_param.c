// SPDX-License-Identifier: Apache-2.0
/* lower_param: a kernel's parameters and the signature become values that its body can name.
 *
 * Most parameters are one of the IR's, or a constant. A tuple and a tensor descriptor are several:
 * `(*fp32, i32, 4)` is NAME.0 and NAME.1 beside the constant (`(x=*fp32, n=4)`: a named tuple);
 * `tensordesc<fp16[64,32]>` (behind the block `:16` where the last dimension has a multiple of 16
 * bytes, then `:nan` where the outside loads as NaN) is NAME.base, NAME.shape.0 and .1 (i32) and
 * NAME.stride.0 (i64): the last stride is 1, as in Triton, and the others' bytes are divisible by
 * 16. */
#include "lang/lower.h"

#include <ctype.h>

enum { MAX_TUPLE_DEPTH = 16, MAX_LEAVES = 1024 };

typedef struct Place {
    const JitFunction *function;
    int index; /* of the parameter */
    Span span; /* in the signature */
    int depth; /* of tuples in tuples */
    int leaves;
} Place;

static Str trim(Str text) {
    while (text.length && (text.data[0] == ' ' || text.data[0] == '\t' || text.data[0] == '\n'))
        text.data++, text.length--;
    while (text.length && strchr(" \t\n\r", text.data[text.length - 1])) text.length--;
    return text;
}

static Object *add_param(Lower *l, Place *place, Str name, LType type, int divisible) {
    Value *value = func_add_param(l->fn, lane_type(l, type), name, place->index);
    Param *added = &l->fn->params[l->fn->num_params - 1];
    DType lane = type.dtype;
    added->is_unsigned = type.levels <= 1 && lane >= DTYPE_UINT8 && lane <= DTYPE_UINT64;
    added->divisible = divisible > 0 ? divisible : 1;
    Object *object = tensor_new(l, value, type);
    object->span = place->function->def->params[place->index].span;
    return object;
}

static Object *constant_value(Lower *l, Str text) {
    Source *source = source_new(l->arena, STR("<signature>"), text);
    Expr *expr = ast_parse_expr(l->arena, source, l->diag);
    LType type;
    if (!expr) return object_error(l->arena);
    if (expr->kind == EXPR_NAME && dtype_from_name(expr->text, &type.dtype))
        return object_dtype(l->arena, ltype_of(type.dtype));
    if (expr->kind == EXPR_NAME && ltype_from_signature(expr->text, &type))
        return object_dtype(l->arena, type);
    return host_evaluate(l->arena, l->module, expr, NULL, l->diag);
}

/* ---- tensordesc<fp16[64, 32]> ---- */

enum { ROW_BYTES = 16 }; /* what the bytes of strides are divisible by */

static bool block_shape(Str text, int *rank, int *shape) {
    *rank = 0;
    for (int at = 0; at < text.length;) {
        long n = 0;
        while (at < text.length && text.data[at] == ' ') at++;
        int digits = at;
        for (; at < text.length && text.data[at] >= '0' && text.data[at] <= '9' && n < 1 << 24;
             at++)
            n = n * 10 + (text.data[at] - '0');
        if (at == digits || *rank == 5) return false;
        while (at < text.length && text.data[at] == ' ') at++;
        if (at < text.length && text.data[at++] != ',') return false;
        if (n < 1 || n > MAX_LANES || (n & (n - 1))) return false;
        shape[(*rank)++] = (int)n;
    }
    return *rank > 0;
}

static bool take_ending(Str *text, const char *ending) {
    if (!str_ends(*text, ending)) return false;
    text->length -= (int)strlen(ending);
    return true;
}

static Object *descriptor(Lower *l, Place *place, Str name, Str text) {
    static const char start[] = "tensordesc<";
    int open = 0, rank, shape[MAX_RANK];
    LType element;
    Str inner = {text.data + sizeof start - 1, text.length - (int)sizeof start};
    while (open < inner.length && inner.data[open] != '[') open++;
    bool pads_nan = take_ending(&inner, ":nan"), whole = take_ending(&inner, ":16");
    bool closed = text.data[text.length - 1] == '>' && open < inner.length &&
                  inner.data[inner.length - 1] == ']';
    if (!closed || !ltype_from_signature(trim((Str){inner.data, open}), &element) ||
        element.levels || (pads_nan && !ltype_is_float(element)) ||
        !block_shape((Str){inner.data + open + 1, inner.length - open - 2}, &rank, shape)) {
        lower_error(l, place->span, "'%.*s' is not a tensor descriptor", STR_ARG(text));
        lower_help(l,
                   "it is written tensordesc<fp16[64,32]>: a dtype and a block of powers of two");
        return object_error(l->arena);
    }
    int in_row = ROW_BYTES / (ltype_bits(element) < 8 ? 1 : ltype_bits(element) / 8);
    element.levels = 1;
    Object *extents[MAX_RANK], *strides[MAX_RANK];
    Object *base =
        add_param(l, place, str_format(l->arena, "%.*s.base", STR_ARG(name)), element, ROW_BYTES);
    for (int i = 0; i < rank; i++)
        extents[i] = add_param(l, place, str_format(l->arena, "%.*s.shape.%d", STR_ARG(name), i),
                               ltype_of(DTYPE_INT32), whole && i + 1 == rank ? in_row : 1);
    for (int i = 0; i + 1 < rank; i++)
        strides[i] = add_param(l, place, str_format(l->arena, "%.*s.stride.%d", STR_ARG(name), i),
                               ltype_of(DTYPE_INT64), in_row);
    strides[rank - 1] = constant(l, object_int(l->arena, 1), ltype_of(DTYPE_INT64), place->span);
    Object *parts[4] = {base, object_tuple(l->arena, rank, extents),
                        object_tuple(l->arena, rank, strides), shape_object(l, rank, shape)};
    Object *result = object_tuple(l->arena, 4, parts);
    result->kind = OBJECT_DESCRIPTOR;
    result->text = pads_nan ? STR("nan") : STR("zero");
    result->span = place->function->def->params[place->index].span;
    return result;
}

/* ---- types and tuples of them ---- */

static Object *bind_text(Lower *l, Place *place, Str name, Str text);

/* The first comma outside of brackets and quotes. */
static int item_length(Str text) {
    int depth = 0;
    char quote = 0;
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (quote) {
            if (c == '\\')
                i++;
            else if (c == quote)
                quote = 0;
        } else if (c == '\'' || c == '"')
            quote = c;
        else if (strchr("([{", c))
            depth++;
        else if (strchr(")]}", c))
            depth--;
        else if (c == ',' && !depth)
            return i;
    }
    return text.length;
}

/* NAME=ITEM, of a named tuple: the name; empty when there is none. */
static Str split_field(Str *item) {
    int end = 0;
    while (end < item->length &&
           (isalnum((unsigned char)item->data[end]) || item->data[end] == '_'))
        end++;
    Str field = {item->data, end};
    if (!end || end + 1 >= item->length || item->data[end] != '=' || item->data[end + 1] == '=')
        return (Str){0};
    *item = trim((Str){item->data + end + 1, item->length - end - 1});
    return field;
}

static Object *tuple(Lower *l, Place *place, Str name, Str text) {
    VEC(Object *) items = {0};
    VEC(Str) names = {0};
    Str rest = trim((Str){text.data + 1, text.length - 2});
    if (++place->depth > MAX_TUPLE_DEPTH)
        return lower_error(l, place->span, "tuples are nested more than %d deep", MAX_TUPLE_DEPTH);
    while (rest.length) {
        int length = item_length(rest);
        Str item = trim((Str){rest.data, length}), field = split_field(&item);
        Object *value =
            bind_text(l, place, str_format(l->arena, "%.*s.%d", STR_ARG(name), items.count), item);
        if (is_error(value)) return value;
        vec_push(l->arena, &items, value);
        if (field.length) vec_push(l->arena, &names, field);
        rest = length < rest.length ? trim((Str){rest.data + length + 1, rest.length - length - 1})
                                    : (Str){0};
    }
    place->depth--;
    if (names.count && names.count != items.count)
        return lower_error(l, place->span, "all items of a named tuple have names, or none has");
    Object *object = object_tuple(l->arena, items.count, items.data);
    object->names = names.data;
    return object;
}

/* TYPE or TYPE:16 or TYPE:1; false when it is none of them. */
static bool plain_type(Str text, LType *type, int *divisible) {
    int colon = 0;
    while (colon < text.length && text.data[colon] != ':') colon++;
    Str hint = colon < text.length ? trim((Str){text.data + colon + 1, text.length - colon - 1})
                                   : (Str){0};
    *divisible = str_is(hint, "16") ? 16 : 1;
    if (colon < text.length && *divisible == 1 && !str_is(hint, "1")) return false;
    return ltype_from_signature(trim((Str){text.data, colon}), type) &&
           !ltype_is(*type, DTYPE_VOID);
}

static Object *bind_text(Lower *l, Place *place, Str name, Str text) {
    LType type;
    int divisible;
    if (++place->leaves > MAX_LEAVES)
        return lower_error(l, place->span, "a tuple with more than %d values", MAX_LEAVES);
    if (text.length > 1 && text.data[0] == '(' && text.data[text.length - 1] == ')')
        return tuple(l, place, name, text);
    if (str_starts(text, "tensordesc<")) return descriptor(l, place, name, text);
    if (plain_type(text, &type, &divisible)) {
        bool is_one = text.length > 2 && str_ends(text, ":1");
        return is_one ? object_int(l->arena, 1) : add_param(l, place, name, type, divisible);
    }
    Object *value = constant_value(l, text);
    if (value->kind == OBJECT_OPAQUE)
        return lower_error(l, place->span, "'%.*s' is not a type or a constant", STR_ARG(text));
    return value;
}

static bool bind_type(Lower *l, const JitFunction *function, int i, const Spec *spec) {
    const JitParam *param = &function->params[i];
    Place place = {.function = function, .index = i, .span = spec->span};
    LType type;
    Object *object;
    if (param->is_constexpr) {
        lower_error(l, spec->span,
                    "parameter '%.*s' is tl.constexpr: give its value, not the type '%.*s'",
                    STR_ARG(param->name), STR_ARG(spec->type));
        return false;
    }
    if (ltype_from_signature(spec->type, &type) && !ltype_is(type, DTYPE_VOID))
        object = add_param(l, &place, param->name, type, spec->divisible);
    else if (str_starts(spec->type, "(") || str_starts(spec->type, "tensordesc<"))
        object = bind_text(l, &place, param->name, spec->type);
    else
        object = lower_error(l, spec->span, "'%.*s' is not a type", STR_ARG(spec->type));
    if (is_error(object)) return false;
    env_set(l, &l->frame->env, param->name, object, function->def->params[i].span);
    return true;
}

static bool bind_constant(Lower *l, const JitFunction *function, int i, const Spec *spec) {
    const ParamDef *def = &function->def->params[i];
    Object *value;
    if (spec->kind == SPEC_DEFAULT) {
        if (!def->default_value) {
            lower_error(l, def->span, "no value or type is given for parameter '%.*s'",
                        STR_ARG(def->name));
            return false;
        }
        value = host_evaluate(l->arena, l->module, def->default_value, NULL, l->diag);
    } else
        value = constant_value(l, spec->text);
    if (is_error(value)) return false;
    if (value->kind == OBJECT_OPAQUE) {
        lower_error(l, def->span, "the value of parameter '%.*s' is not known at compile time",
                    STR_ARG(def->name));
        return false;
    }
    env_set(l, &l->frame->env, def->name, value, def->span);
    return true;
}

/* A constant is always specialised on. */
static bool check_do_not_specialize(Lower *l, const JitFunction *function, int i) {
    const JitParam *param = &function->params[i];
    if (!param->is_constexpr || !(param->keeps_value || param->keeps_alignment)) return true;
    lower_error(l, function->def->params[i].span,
                "parameter '%.*s' is tl.constexpr and listed in do_not_specialize%s",
                STR_ARG(param->name), param->keeps_value ? "" : "_on_alignment");
    lower_help(l, "a kernel is compiled anew for each value of a tl.constexpr: take it from one of "
                  "the two");
    return false;
}

bool lower_parameters(Lower *l, const JitFunction *function, const Spec *specs) {
    bool fine = true;
    for (int i = 0; i < function->num_params; i++) {
        const ParamDef *def = &function->def->params[i];
        fine &= check_do_not_specialize(l, function, i);
        if (def->kind == PARAM_STAR || def->kind == PARAM_STAR_STAR) {
            lower_refused(l, def->span, "a kernel with '%s%.*s' parameters is not supported",
                          def->kind == PARAM_STAR ? "*" : "**", STR_ARG(def->name));
            lower_help(l, "%s",
                       def->kind == PARAM_STAR ? "a tuple parameter is" : "name each of them");
            return false;
        }
        fine &= specs[i].kind == SPEC_TYPE ? bind_type(l, function, i, &specs[i])
                                           : bind_constant(l, function, i, &specs[i]);
    }
    return fine;
}
