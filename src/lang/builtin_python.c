// SPDX-License-Identifier: Apache-2.0
/* builtin_python: what works on compile-time values: Python's own functions, methods of dtypes and
 * strings. */
#include "lang/lower.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static Object *integer(Lower *l, int128 value) { return object_int(l->arena, value); }

/* ---- ranges ---- */

Object *builtin_range(Lower *l, const Call *call) {
    Object *range = object_new(l->arena, OBJECT_RANGE);
    bool two = !is_none(call->args[1]);
    range->text = str_of(call->builtin->name);
    if (!strcmp(call->builtin->module, "triton.language") && str_is(range->text, "range"))
        range->text = STR("tl.range");
    range->num_items = 4;
    range->items = arena_array(l->arena, Object *, 4);
    range->items[0] = two ? call->args[0] : integer(l, 0);
    range->items[1] = two ? call->args[1] : call->args[0];
    range->items[2] = is_none(call->args[2]) ? integer(l, 1) : call->args[2];
    range->items[3] = str_is(range->text, "tl.range") ? call->args[3] : object_none(l->arena);
    const Object *step = range->items[2];
    if (object_is_integral(step) && step->integer == 0)
        return call_fail(l, call, WHOLE_CALL, "the step of a loop must not be 0");
    return range;
}

/* ---- numbers ---- */

Object *builtin_constexpr(Lower *l, const Call *call) {
    Object *value = call->args[0];
    if (is_tensor(value))
        return call_fail(l, call, 0, "tl.constexpr of a value that is known at run time only");
    return value;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Text without the blanks around it, which int() and float() leave out. */
static Str trimmed(Str text) {
    while (text.length && is_blank(text.data[0])) text.data++, text.length--;
    while (text.length && is_blank(text.data[text.length - 1])) text.length--;
    return text;
}

static bool text_to_int(Str text, int128 *number) {
    bool negative = text.length && text.data[0] == '-';
    int i = text.length && (negative || text.data[0] == '+');
    *number = 0;
    if (i == text.length) return false;
    for (; i < text.length; i++) {
        int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, negative ? -digit : digit, number))
            return false;
    }
    return true;
}

static bool text_to_float(Arena *arena, Str text, double *number) {
    bool negative = text.length && text.data[0] == '-';
    if (negative || (text.length && text.data[0] == '+')) text.data++, text.length--;
    const char *digits = str_c(arena, text);
    bool is_inf = !strcasecmp(digits, "inf") || !strcasecmp(digits, "infinity");
    if (is_inf || !strcasecmp(digits, "nan")) {
        *number = is_inf ? INFINITY : NAN;
    } else {
        /* strtod takes more than decimal digits; Python does not. */
        char *end;
        *number = strtod(digits, &end);
        if (!text.length || end != digits + text.length || strchr("+-", digits[0]) ||
            strspn(digits, "0123456789.eE+-") != (size_t)text.length)
            return false;
    }
    if (negative) *number = -*number;
    return true;
}

Object *builtin_int(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (object_is_integral(value)) return integer(l, value->integer);
    if (value->kind == OBJECT_FLOAT && fabs(value->number) < 0x1p120)
        return integer(l, (int128)value->number);
    if (is_tensor(value)) {
        Object *poison = call_fail(l, call, 0, "int() of a tensor is not possible at compile time");
        lower_help(l, "use .to(tl.int32)");
        return poison;
    }
    int128 number;
    if (value->kind == OBJECT_STR && text_to_int(trimmed(value->text), &number))
        return integer(l, number);
    return call_fail(l, call, 0, "int() of %s is not possible", lower_type_text(l, value));
}

Object *builtin_float(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (object_is_number(value)) return object_float(l->arena, object_number(value));
    if (is_tensor(value)) {
        Object *poison =
            call_fail(l, call, 0, "float() of a tensor is not possible at compile time");
        lower_help(l, "use .to(tl.float32)");
        return poison;
    }
    double number;
    if (value->kind == OBJECT_STR && text_to_float(l->arena, trimmed(value->text), &number))
        return object_float(l->arena, number);
    return call_fail(l, call, 0, "float() of %s is not possible", lower_type_text(l, value));
}

Object *builtin_bool(Lower *l, const Call *call) {
    bool truth;
    if (!object_truth(call->args[0], &truth))
        return call_fail(l, call, 0, "bool() of %s is not possible at compile time",
                         lower_type_text(l, call->args[0]));
    return object_bool(l->arena, truth);
}

Object *builtin_str(Lower *l, const Call *call) {
    if (call->args[0]->kind == OBJECT_STR) return call->args[0];
    if (is_tensor(call->args[0])) return call_fail(l, call, 0, "str() of a tensor is not possible");
    Buf buf = {.arena = l->arena};
    object_print(&buf, call->args[0]);
    return object_str(l->arena, buf_str(&buf));
}

Object *builtin_python_abs(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (is_tensor(value) && l->fn) {
        Object callee = {.kind = OBJECT_BUILTIN,
                         .builtin = builtin_find("triton.language", STR("abs"))};
        return lower_call_object(l, &callee, 1, call->args, NULL, call->spans, call->span, NULL);
    }
    if (object_is_integral(value))
        return integer(l, value->integer < 0 ? -value->integer : value->integer);
    if (value->kind == OBJECT_FLOAT) return object_float(l->arena, fabs(value->number));
    return call_fail(l, call, 0, "abs() of %s is not possible", lower_type_text(l, value));
}

Object *builtin_round(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (object_is_integral(value)) return integer(l, value->integer);
    if (value->kind == OBJECT_FLOAT && fabs(value->number) < 0x1p120)
        return integer(l, (int128)nearbyint(value->number));
    return call_fail(l, call, 0, "round() of %s is not possible", lower_type_text(l, value));
}

/* All known: Python's; else tl.minimum and tl.maximum from left to right. */
Object *builtin_python_min_max(Lower *l, const Call *call) {
    bool is_min = !strcmp(call->builtin->name, "min"), any_tensor = false;
    Object *const *items = call->args[0]->items;
    int count = call->args[0]->num_items;
    if (count == 1 && (items[0]->kind == OBJECT_TUPLE || items[0]->kind == OBJECT_LIST)) {
        count = items[0]->num_items;
        items = items[0]->items;
    }
    if (!count)
        return call_fail(l, call, WHOLE_CALL, "%s() needs an argument", call->builtin->name);
    for (int i = 0; i < count; i++) any_tensor |= is_tensor(items[i]);
    Object *best = items[0];
    const Builtin *tensors =
        builtin_find("triton.language", is_min ? STR("minimum") : STR("maximum"));
    Object callee = {.kind = OBJECT_BUILTIN, .builtin = tensors};
    for (int i = 1; i < count; i++) {
        const char *why = NULL;
        if (is_error(best) || is_error(items[i])) return object_error(l->arena);
        if (any_tensor && l->fn) {
            Object *args[3] = {best, items[i], call->args[1]};
            best =
                lower_call_object(l, &callee, 3, args, NULL,
                                  (Span[]){call->span, call->span, call->span}, call->span, NULL);
            continue;
        }
        Object *smaller =
            object_compare(l->arena, is_min ? OPERATOR_LT : OPERATOR_GT, items[i], best, &why);
        if (!smaller)
            return call_fail(l, call, WHOLE_CALL, "%s() of %s and %s is not possible",
                             call->builtin->name, lower_type_text(l, best),
                             lower_type_text(l, items[i]));
        if (smaller->integer) best = items[i];
    }
    return best;
}

/* operator.ge(a, b) and its like. */
Object *builtin_compare(Lower *l, const Call *call) {
    static const struct {
        const char *name;
        Operator op;
    } known[] = {{"lt", OPERATOR_LT}, {"le", OPERATOR_LE}, {"gt", OPERATOR_GT},
                 {"ge", OPERATOR_GE}, {"eq", OPERATOR_EQ}, {"ne", OPERATOR_NE}};
    int which = 0;
    while (strcmp(known[which].name, call->builtin->name) != 0) which++;
    return compare(l, known[which].op, call->args[0], call->args[1], call->span);
}

Object *builtin_static_cdiv(Lower *l, const Call *call) {
    if (is_tensor(call->args[0]) || is_tensor(call->args[1])) {
        if (!l->fn) return object_error(l->arena);
        Object callee = {.kind = OBJECT_BUILTIN,
                         .builtin = builtin_find("triton.language", STR("cdiv"))};
        return lower_call_object(l, &callee, 2, call->args, NULL, call->spans, call->span, NULL);
    }
    Object *less = binary(l, OPERATOR_SUB, call->args[1], integer(l, 1), call->span);
    return binary(l, OPERATOR_FLOORDIV, binary(l, OPERATOR_ADD, call->args[0], less, call->span),
                  call->args[1], call->span);
}

Object *builtin_next_power_of_2(Lower *l, const Call *call) {
    int64_t n, power = 1;
    if (!arg_int(l, call, 0, &n)) return object_error(l->arena);
    if (n > (int64_t)1 << 61)
        return call_fail(l, call, 0, "next_power_of_2 of a number this large is not supported");
    while (power < n) power *= 2;
    return integer(l, n <= 0 ? 0 : power);
}

Object *builtin_log2(Lower *l, const Call *call) {
    int64_t n, log = 0;
    if (!arg_int(l, call, 0, &n)) return object_error(l->arena);
    for (; n > 1; n >>= 1) log++;
    return integer(l, log);
}

Object *builtin_is_power_of_two(Lower *l, const Call *call) {
    int64_t n;
    if (!arg_int(l, call, 0, &n)) return object_error(l->arena);
    return object_bool(l->arena, n > 0 && (n & (n - 1)) == 0);
}

typedef double Unary(double);
Object *builtin_host_math(Lower *l, const Call *call) {
    static const struct {
        const char *name;
        Unary *run;
    } functions[] = {
        {"sqrt", sqrt},   {"exp", exp},     {"log", log},   {"log2", log2},
        {"log10", log10}, {"sin", sin},     {"cos", cos},   {"tanh", tanh},
        {"fabs", fabs},   {"floor", floor}, {"ceil", ceil}, {"trunc", trunc},
    };
    const char *name = call->builtin->name;
    if (!object_is_number(call->args[0]))
        return call_fail(l, call, 0, "math.%s needs a compile-time number, got %s", name,
                         lower_type_text(l, call->args[0]));
    double x = object_number(call->args[0]);
    if (!strcmp(name, "isnan")) return object_bool(l->arena, isnan(x));
    if (!strcmp(name, "isinf")) return object_bool(l->arena, isinf(x));
    for (int i = 0; i < COUNT(functions); i++) {
        if (strcmp(name, functions[i].name)) continue;
        double result = functions[i].run(x);
        bool to_int =
            name[0] == 'f' ? name[1] == 'l' : !strcmp(name, "ceil") || !strcmp(name, "trunc");
        if (to_int && fabs(result) < 0x1p120) return integer(l, (int128)result);
        return object_float(l->arena, result);
    }
    return call_fail(l, call, WHOLE_CALL, "math.%s is not supported", name);
}

Object *builtin_host_math2(Lower *l, const Call *call) {
    if (!object_is_number(call->args[0]) || !object_is_number(call->args[1]))
        return call_fail(l, call, WHOLE_CALL, "math.pow needs compile-time numbers");
    return object_float(l->arena, pow(object_number(call->args[0]), object_number(call->args[1])));
}

Object *builtin_host_prod(Lower *l, const Call *call) {
    Object *product = integer(l, 1);
    for (int i = 0; i < call->args[0]->num_items; i++)
        product = binary(l, OPERATOR_MUL, product, call->args[0]->items[i], call->span);
    return product;
}

/* ---- collections and introspection ---- */

static Object *beyond_ascii(Lower *l, const Call *call) {
    return lower_refused(l, call->spans[0], "%s() of text beyond ASCII is not supported",
                         call->builtin->name);
}

Object *builtin_len(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST)
        return integer(l, value->num_items);
    if (value->kind == OBJECT_STR && !object_is_ascii(value)) return beyond_ascii(l, call);
    if (value->kind == OBJECT_STR) return integer(l, value->text.length);
    if (value->kind == OBJECT_DICT) return integer(l, value->num_items / 2);
    if (is_block(value)) return integer(l, tensor_shape(value)[0]);
    return call_fail(l, call, 0, "len() of %s is not possible", lower_type_text(l, value));
}

Object *builtin_tuple(Lower *l, const Call *call) {
    const Object *value = call->args[0];
    if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST)
        return call_fail(l, call, 0, "%s() of %s is not supported", call->builtin->name,
                         lower_type_text(l, value));
    Object *copy = object_tuple(l->arena, value->num_items, value->items);
    copy->kind = !strcmp(call->builtin->name, "list") ? OBJECT_LIST : OBJECT_TUPLE;
    return copy;
}

/* What x.type is for a compile-time value: a named tuple of that value. */
Object *builtin_constexpr_type(Lower *l, const Call *call) {
    Object *value = call->args[0];
    if (!object_is_known(value))
        return call_fail(l, call, 0, "'constexpr_type' needs a compile-time value");
    Object *type = object_tuple(l->arena, 1, &value);
    type->text = STR("constexpr_type");
    type->names = arena_array(l->arena, Str, 1);
    type->names[0] = STR("value");
    return type;
}

static bool is_instance(const Object *x, const Object *type, bool *known) {
    *known = true;
    if (type->kind == OBJECT_TUPLE) {
        for (int i = 0; i < type->num_items; i++) {
            bool item_known;
            if (is_instance(x, type->items[i], &item_known)) return true;
            *known &= item_known;
        }
        return false;
    }
    if (type->kind == OBJECT_BUILTIN) {
        const char *name = type->builtin->name;
        if (!strcmp(name, "int")) return object_is_integral(x);
        if (!strcmp(name, "float")) return x->kind == OBJECT_FLOAT;
        if (!strcmp(name, "bool")) return x->kind == OBJECT_BOOL;
        if (!strcmp(name, "str")) return x->kind == OBJECT_STR;
        if (!strcmp(name, "tuple")) return x->kind == OBJECT_TUPLE || x->kind == OBJECT_LIST;
        if (!strcmp(name, "list")) return x->kind == OBJECT_LIST;
        if (!strcmp(name, "tensor")) return is_tensor(x);
        if (!strcmp(name, "constexpr"))
            return object_is_number(x) || x->kind == OBJECT_STR || is_none(x);
        if (!strcmp(name, "constexpr_type"))
            return x->kind == OBJECT_TUPLE && x->names && str_is(x->text, "constexpr_type");
        if (!strncmp(name, "tensor_descriptor", 17)) return x->kind == OBJECT_DESCRIPTOR;
        if (!strcmp(name, "dtype")) return x->kind == OBJECT_DTYPE && !x->text.length;
        if (!strcmp(name, "pointer_type"))
            return x->kind == OBJECT_DTYPE && x->ltype.levels && !x->rank;
        if (!strcmp(name, "block_type")) return x->kind == OBJECT_DTYPE && x->rank;
    }
    *known = false;
    return false;
}

Object *builtin_isinstance(Lower *l, const Call *call) {
    bool known;
    bool result = is_instance(call->args[0], call->args[1], &known);
    if (known || result) return object_bool(l->arena, result);
    return lower_refused(l, call->spans[1], "isinstance with this type is not supported");
}

static Object *attribute_or_null(Lower *l, Object *value, Str name) {
    bool muted = l->diag->muted;
    if (is_tensor(value)) {
        static const char *const fields[] = {"shape", "dtype", "type", "numel", "T"};
        for (int i = 0; i < COUNT(fields); i++)
            if (str_is(name, fields[i])) return lower_attribute(l, value, name, l->builder.span);
        return builtin_member(name) ? lower_attribute(l, value, name, l->builder.span) : NULL;
    }
    int errors = l->diag->num_errors, refused = l->diag->num_refused;
    l->diag->muted = true;
    Object *found = lower_attribute(l, value, name, l->builder.span);
    l->diag->muted = muted;
    l->diag->num_errors = errors, l->diag->num_refused = refused;
    return is_error(found) ? NULL : found;
}

Object *builtin_hasattr(Lower *l, const Call *call) {
    Str name;
    if (!arg_text(l, call, 1, &name)) return object_error(l->arena);
    return object_bool(l->arena, attribute_or_null(l, call->args[0], name) != NULL);
}

Object *builtin_getattr(Lower *l, const Call *call) {
    Str name;
    if (!arg_text(l, call, 1, &name)) return object_error(l->arena);
    Object *found = attribute_or_null(l, call->args[0], name);
    if (found) return found;
    if (call->given[2]) return call->args[2];
    return lower_attribute(l, call->args[0], name, call->span);
}

Object *builtin_type(Lower *l, const Call *call) {
    return lower_refused(l, call->span, "type() in a kernel is not supported");
}

Object *builtin_str_case(Lower *l, const Call *call) {
    bool up = !strcmp(call->builtin->name, "upper");
    if (!object_is_ascii(call->args[0])) return beyond_ascii(l, call);
    Object *copy = object_str(l->arena, str_copy(l->arena, call->args[0]->text));
    char *data = arena_array(l->arena, char, copy->text.length + 1);
    for (int i = 0; i < copy->text.length; i++) {
        char c = copy->text.data[i];
        if (up ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z') c ^= 32;
        data[i] = c;
    }
    copy->text.data = data;
    return copy;
}

Object *builtin_str_starts(Lower *l, const Call *call) {
    if (call->args[1]->kind != OBJECT_STR) return call_fail(l, call, 1, "a string is needed here");
    Str self = call->args[0]->text, part = call->args[1]->text;
    bool at_end = !strcmp(call->builtin->name, "endswith"), fits = part.length <= self.length;
    if (fits && part.length)
        fits = !memcmp(self.data + (at_end ? self.length - part.length : 0), part.data,
                       (size_t)part.length);
    return object_bool(l->arena, fits);
}

/* ---- dtypes ---- */

Object *builtin_pointer_type(Lower *l, const Call *call) {
    LType type;
    if (!arg_type(l, call, 0, &type)) return object_error(l->arena);
    type.levels++;
    return object_dtype(l->arena, type);
}

Object *builtin_block_type(Lower *l, const Call *call) {
    LType type;
    if (!arg_type(l, call, 0, &type)) return object_error(l->arena);
    Object *object = object_dtype(l->arena, type);
    if (!shape_argument(l, call->args[1], &object->rank, object->shape, call->spans[1],
                        "the shape"))
        return object_error(l->arena);
    return object;
}

Object *builtin_dtype(Lower *l, const Call *call) {
    Str name;
    LType type;
    if (!arg_text(l, call, 0, &name)) return object_error(l->arena);
    if (ltype_from_signature(name, &type)) return object_dtype(l->arena, type);
    DType dtype;
    if (dtype_from_name(name, &dtype)) return object_dtype(l->arena, ltype_of(dtype));
    return call_fail(l, call, 0, "'%.*s' is not a dtype", STR_ARG(name));
}

Object *builtin_get_int_dtype(Lower *l, const Call *call) {
    static const DType types[2][5] = {
        {DTYPE_BOOL, DTYPE_UINT8, DTYPE_UINT16, DTYPE_UINT32, DTYPE_UINT64},
        {DTYPE_BOOL, DTYPE_INT8, DTYPE_INT16, DTYPE_INT32, DTYPE_INT64},
    };
    static const int widths[] = {1, 8, 16, 32, 64};
    int64_t bits;
    bool is_signed;
    if (!arg_int(l, call, 0, &bits) || !arg_bool(l, call, 1, &is_signed))
        return object_error(l->arena);
    for (int i = 0; i < COUNT(widths); i++)
        if (widths[i] == bits) return object_dtype(l->arena, ltype_of(types[is_signed][i]));
    return call_fail(l, call, 0, "there is no integer type of %lld bits", (long long)bits);
}

/* What sum and cumsum add in: ints narrower than 32 bits widen, others stay. */
Object *builtin_sum_dtype(Lower *l, const Call *call) {
    LType type;
    if (call->args[1]->kind == OBJECT_DTYPE) return call->args[1];
    if (!arg_type(l, call, 0, &type)) return object_error(l->arena);
    if (ltype_is_int(type) && ltype_bits(type) < 32)
        type = ltype_of(ltype_is_signed(type) ? DTYPE_INT32 : DTYPE_UINT32);
    return object_dtype(l->arena, type);
}

Object *builtin_dtype_is(Lower *l, const Call *call) {
    const Object *self = call->args[0];
    LType t = self->ltype;
    const char *name = call->builtin->name + 3;
    bool plain = !t.levels && !self->rank, answer = false;
    if (!strcmp(name, "floating"))
        answer = plain && ltype_is_float(t);
    else if (!strcmp(name, "standard_floating"))
        answer = plain && ltype_is_float(t) && !ltype_is_fp8(t);
    else if (!strcmp(name, "fp8"))
        answer = plain && ltype_is_fp8(t);
    else if (!strcmp(name, "int"))
        answer = plain && ltype_is_int(t);
    else if (!strcmp(name, "int_signed"))
        answer = plain && ltype_is_signed(t);
    else if (!strcmp(name, "int_unsigned"))
        answer = plain && ltype_is_int(t) && !ltype_is_signed(t);
    else if (!strcmp(name, "ptr"))
        answer = t.levels && !self->rank;
    else if (!strcmp(name, "const"))
        answer = t.is_const;
    else if (!strcmp(name, "block"))
        answer = self->rank > 0;
    else if (!strcmp(name, "bool"))
        answer = plain && t.dtype == DTYPE_BOOL;
    else
        answer = plain && !strcmp(name, dtype_name(t.dtype));
    return object_bool(l->arena, answer);
}

Object *builtin_dtype_shape(Lower *l, const Call *call) {
    return shape_object(l, call->args[0]->rank, call->args[0]->shape);
}

Object *builtin_dtype_limit(Lower *l, const Call *call) {
    LType type = call->args[0]->ltype;
    if (!ltype_is_int(type)) return call_fail(l, call, WHOLE_CALL, "this needs an integer type");
    int bits = ltype_bits(type);
    int128 one = 1;
    bool is_signed = ltype_is_signed(type), want_max = strstr(call->builtin->name, "max") != NULL;
    if (want_max) return integer(l, (one << (bits - is_signed)) - 1);
    return integer(l, is_signed ? -(one << (bits - 1)) : 0);
}
