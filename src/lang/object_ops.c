// SPDX-License-Identifier: Apache-2.0
/* object_ops: Python's operators on compile-time values.
 *
 * Integers have 128 bits here and any number in Python: an operation whose result does not fit is
 * refused, never wrapped. */
#include "lang/object.h"

#include <math.h>

enum { LONGEST_REPEAT = 1 << 20, LONGEST_TEXT = 1 << 24 };

static Object *refuse(const char **why, const char *reason) {
    *why = reason;
    return NULL;
}

static const char *bad_operands(Arena *arena, Operator op, const Object *a, const Object *b) {
    return str_format(arena, "'%s' does not work on %s and %s", operator_text(op),
                      object_type_name(a), object_type_name(b))
        .data;
}

static const char *too_wide = "the integer result needs more than 128 bits";

/* ---- equality and order ---- */

/* -1, 0, 1; 2 when unordered (NaN). Exact also where the int has more bits than a double. */
static int compare_int_float(int128 a, double b) {
    if (isnan(b)) return 2;
    if (b >= 0x1p127) return -1;
    if (b < -0x1p127) return 1;
    int128 whole = (int128)b;
    if (a != whole) return a < whole ? -1 : 1;
    double rest = b - (double)whole;
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

static int compare_numbers(const Object *a, const Object *b) {
    bool a_float = a->kind == OBJECT_FLOAT, b_float = b->kind == OBJECT_FLOAT;
    if (a_float && b_float) {
        if (isnan(a->number) || isnan(b->number)) return 2;
        return (a->number > b->number) - (a->number < b->number);
    }
    if (b_float) return compare_int_float(a->integer, b->number);
    if (a_float) {
        int order = compare_int_float(b->integer, a->number);
        return order == 2 ? 2 : -order;
    }
    return (a->integer > b->integer) - (a->integer < b->integer);
}

static int compare_text(Str a, Str b) {
    int shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.data, b.data, (size_t)shorter) : 0;
    if (!order) return (a.length > b.length) - (a.length < b.length);
    return order < 0 ? -1 : 1;
}

static bool same_items(const Object *a, const Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i < a->num_items; i++)
        if (!object_equal(a->items[i], b->items[i])) return false;
    return true;
}

static bool is_set(const Object *object) {
    return object->kind == OBJECT_LIST && str_is(object->text, "set");
}

static bool has_item(const Object *list, const Object *item) {
    for (int i = 0; i < list->num_items; i++)
        if (list->items[i] == item || object_equal(list->items[i], item)) return true;
    return false;
}

static bool same_set(const Object *a, const Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i < a->num_items; i++)
        if (!has_item(b, a->items[i])) return false;
    return true;
}

static const Object *dict_get(const Object *dict, const Object *key) {
    for (int i = 0; i + 1 < dict->num_items; i += 2)
        if (object_equal(dict->items[i], key)) return dict->items[i + 1];
    return NULL;
}

static bool same_dict(const Object *a, const Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i + 1 < a->num_items; i += 2) {
        const Object *other = dict_get(b, a->items[i]);
        if (!other || !object_equal(a->items[i + 1], other)) return false;
    }
    return true;
}

static bool same_dtype(const Object *a, const Object *b) {
    if (a->ltype.dtype != b->ltype.dtype || a->ltype.levels != b->ltype.levels ||
        a->ltype.is_const != b->ltype.is_const || a->rank != b->rank ||
        a->text.length != b->text.length) /* torch's are not the language's */
        return false;
    return !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof a->shape[0]);
}

bool object_equal(const Object *a, const Object *b) {
    if (object_is_number(a) && object_is_number(b)) return compare_numbers(a, b) == 0;
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case OBJECT_NONE:
    case OBJECT_ELLIPSIS: return true;
    case OBJECT_STR: return str_equal(a->text, b->text);
    case OBJECT_DTYPE: return same_dtype(a, b);
    case OBJECT_LIST:
        if (is_set(a) != is_set(b)) return false;
        return is_set(a) ? same_set(a, b) : same_items(a, b);
    case OBJECT_TUPLE:
    case OBJECT_SLICE:
    case OBJECT_RANGE: return same_items(a, b);
    case OBJECT_DICT: return same_dict(a, b);
    case OBJECT_FUNCTION:
        return a->function && b->function && a->function->def == b->function->def &&
               a->function->closure == b->function->closure;
    case OBJECT_BUILTIN: return a->builtin == b->builtin;
    case OBJECT_MODULE: return a->module == b->module && str_equal(a->text, b->text);
    case OBJECT_TENSOR: return a->value == b->value;
    case OBJECT_BOOL:
    case OBJECT_INT:
    case OBJECT_FLOAT:
    case OBJECT_METHOD:
    case OBJECT_CLASS:
    case OBJECT_CONFIG:
    case OBJECT_OPAQUE:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_ERROR: return false;
    }
    return false;
}

/* Python's `is`. Small values compare as values: there, CPython shares one object for each. */
static bool is_same(const Object *a, const Object *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case OBJECT_BOOL:
    case OBJECT_INT: return a->integer == b->integer;
    case OBJECT_NONE:
    case OBJECT_ELLIPSIS:
    case OBJECT_STR:
    case OBJECT_DTYPE:
    case OBJECT_FUNCTION:
    case OBJECT_BUILTIN:
    case OBJECT_MODULE:
    case OBJECT_TENSOR: return object_equal(a, b);
    case OBJECT_CLASS: return a->text.length && str_equal(a->text, b->text);
    case OBJECT_FLOAT:
    case OBJECT_TUPLE:
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_METHOD:
    case OBJECT_SLICE:
    case OBJECT_CONFIG:
    case OBJECT_OPAQUE:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_RANGE:
    case OBJECT_HOST:
    case OBJECT_ERROR: return false;
    }
    return false;
}

/* False: these two have no order. *order is 2 for NaN. */
static bool find_order(const Object *a, const Object *b, int *order) {
    if (object_is_number(a) && object_is_number(b)) {
        *order = compare_numbers(a, b);
        return true;
    }
    if (a->kind != b->kind) return false;
    if (a->kind == OBJECT_STR) {
        *order = compare_text(a->text, b->text);
        return true;
    }
    if ((a->kind != OBJECT_TUPLE && a->kind != OBJECT_LIST) || is_set(a)) return false;
    for (int i = 0; i < a->num_items && i < b->num_items; i++)
        if (!object_equal(a->items[i], b->items[i]))
            return find_order(a->items[i], b->items[i], order);
    *order = (a->num_items > b->num_items) - (a->num_items < b->num_items);
    return true;
}

static bool text_contains(Str text, Str part) {
    for (int i = 0; i + part.length <= text.length; i++)
        if (!part.length || !memcmp(text.data + i, part.data, (size_t)part.length)) return true;
    return false;
}

static bool range_contains(const Object *range, const Object *item) {
    if (!object_is_integral(item)) return false;
    int128 start = range->items[0]->integer, stop = range->items[1]->integer;
    int128 step = range->items[2]->integer, value = item->integer;
    if (step > 0 ? value < start || value >= stop : value > start || value <= stop) return false;
    return step && (value - start) % step == 0;
}

static Object *contains(Arena *arena, Operator op, Object *a, Object *b, const char **why) {
    bool found;
    if (b->kind == OBJECT_STR && a->kind == OBJECT_STR)
        found = text_contains(b->text, a->text);
    else if (b->kind == OBJECT_TUPLE || b->kind == OBJECT_LIST)
        found = has_item(b, a);
    else if (b->kind == OBJECT_DICT)
        found = dict_get(b, a) != NULL;
    else if (b->kind == OBJECT_RANGE && b->num_items >= 3)
        found = range_contains(b, a);
    else
        return refuse(why, bad_operands(arena, op, a, b));
    return object_bool(arena, found == (op == OPERATOR_IN));
}

Object *object_compare(Arena *arena, Operator op, Object *a, Object *b, const char **why) {
    if (op == OPERATOR_IS || op == OPERATOR_IS_NOT) {
        if (a->kind == OBJECT_OPAQUE || b->kind == OBJECT_OPAQUE)
            return refuse(why, "an operand is not known at compile time");
        return object_bool(arena, is_same(a, b) == (op == OPERATOR_IS));
    }
    if (!object_is_known(a) || !object_is_known(b))
        return refuse(why, "an operand is not known at compile time");
    if (op == OPERATOR_IN || op == OPERATOR_NOT_IN) return contains(arena, op, a, b, why);
    if (op == OPERATOR_EQ || op == OPERATOR_NE)
        return object_bool(arena, object_equal(a, b) == (op == OPERATOR_EQ));
    int order;
    if (!find_order(a, b, &order)) return refuse(why, bad_operands(arena, op, a, b));
    bool result =
        (op == OPERATOR_LT && order == -1) || (op == OPERATOR_LE && (order == -1 || order == 0)) ||
        (op == OPERATOR_GT && order == 1) || (op == OPERATOR_GE && (order == 1 || order == 0));
    return object_bool(arena, result);
}

/* ---- integers ---- */

static uint128 magnitude(int128 value) { return value < 0 ? -(uint128)value : (uint128)value; }

/* a / b, rounded once, as Python does for integers that a double cannot hold: 64 bits of the
 * quotient and whether anything is left. */
static double divide_exactly(int128 a, int128 b) {
    uint128 top = magnitude(a), bottom = magnitude(b);
    uint128 quotient = top / bottom, rest = top % bottom;
    int exponent = 0;
    while (quotient >> 64 == 0 && rest && exponent > -400) {
        quotient <<= 1, rest <<= 1, exponent--;
        if (rest >= bottom) rest -= bottom, quotient |= 1;
    }
    if (rest) quotient |= 1;
    double result = ldexp((double)quotient, exponent);
    return (a < 0) != (b < 0) ? -result : result;
}

static Object *int_pow(Arena *arena, int128 base, int128 exponent, const char **why) {
    if (exponent < 0) {
        if (!base) return refuse(why, "0 cannot be raised to a negative power");
        return object_float(arena, pow((double)base, (double)exponent));
    }
    int128 result = 1;
    if (base == 0 || base == 1) return object_int(arena, exponent ? base : 1);
    if (base == -1) return object_int(arena, exponent & 1 ? -1 : 1);
    for (; exponent; exponent--)
        if (__builtin_mul_overflow(result, base, &result)) return refuse(why, too_wide);
    return object_int(arena, result);
}

static Object *int_shift(Arena *arena, Operator op, int128 a, int128 by, const char **why) {
    if (by < 0) return refuse(why, "a negative shift count");
    if (op == OPERATOR_SHR) return object_int(arena, a >> (by > 127 ? 127 : (int)by));
    if (!a) return object_int(arena, 0);
    if (by > 126) return refuse(why, too_wide);
    int128 result = (int128)((uint128)a << (int)by);
    if (result >> (int)by != a) return refuse(why, too_wide);
    return object_int(arena, result);
}

static Object *int_floor(Arena *arena, Operator op, int128 a, int128 b, const char **why) {
    if (!b) return refuse(why, "division by zero");
    if (b == -1) {
        int128 result;
        if (op == OPERATOR_MOD) return object_int(arena, 0);
        if (__builtin_sub_overflow((int128)0, a, &result)) return refuse(why, too_wide);
        return object_int(arena, result);
    }
    int128 quotient = a / b, rest = a % b;
    if (rest && (rest < 0) != (b < 0)) quotient--, rest += b;
    return object_int(arena, op == OPERATOR_MOD ? rest : quotient);
}

static Object *int_binary(Arena *arena, Operator op, const Object *x, const Object *y,
                          const char **why) {
    int128 a = x->integer, b = y->integer, result = 0;
    bool overflow = false, both_bool = x->kind == OBJECT_BOOL && y->kind == OBJECT_BOOL;
    switch (op) {
    case OPERATOR_ADD: overflow = __builtin_add_overflow(a, b, &result); break;
    case OPERATOR_SUB: overflow = __builtin_sub_overflow(a, b, &result); break;
    case OPERATOR_MUL: overflow = __builtin_mul_overflow(a, b, &result); break;
    case OPERATOR_DIV:
        if (!b) return refuse(why, "division by zero");
        return object_float(arena, divide_exactly(a, b));
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD: return int_floor(arena, op, a, b, why);
    case OPERATOR_POW: return int_pow(arena, a, b, why);
    case OPERATOR_SHL:
    case OPERATOR_SHR: return int_shift(arena, op, a, b, why);
    case OPERATOR_AND: result = a & b; break;
    case OPERATOR_OR: result = a | b; break;
    case OPERATOR_XOR: result = a ^ b; break;
    case OPERATOR_MATMUL:
    case OPERATOR_LT:
    case OPERATOR_LE:
    case OPERATOR_GT:
    case OPERATOR_GE:
    case OPERATOR_EQ:
    case OPERATOR_NE:
    case OPERATOR_IS:
    case OPERATOR_IS_NOT:
    case OPERATOR_IN:
    case OPERATOR_NOT_IN:
    case OPERATOR_NEG:
    case OPERATOR_POS:
    case OPERATOR_INVERT: return refuse(why, bad_operands(arena, op, x, y));
    }
    if (overflow) return refuse(why, too_wide);
    bool stays_bool = op == OPERATOR_AND || op == OPERATOR_OR || op == OPERATOR_XOR;
    return both_bool && stays_bool ? object_bool(arena, result != 0) : object_int(arena, result);
}

/* ---- floats ---- */

/* CPython's float_divmod: the remainder has the divisor's sign, the quotient is a whole number. */
static void float_divmod(double a, double b, double *quotient, double *rest) {
    double mod = fmod(a, b), div = (a - mod) / b;
    if (mod) {
        if ((b < 0) != (mod < 0)) mod += b, div -= 1;
    } else {
        mod = copysign(0, b);
    }
    if (div) {
        double whole = floor(div);
        if (div - whole > 0.5) whole += 1;
        div = whole;
    } else {
        div = copysign(0, a / b);
    }
    *quotient = div, *rest = mod;
}

static Object *float_pow(Arena *arena, double a, double b, const char **why) {
    if (a == 0 && b < 0) return refuse(why, "0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && floor(b) != b)
        return refuse(why, "a negative number to a fractional power is complex");
    double result = pow(a, b);
    if (isinf(result) && isfinite(a) && isfinite(b)) return refuse(why, "the result is too large");
    return object_float(arena, result);
}

static Object *float_binary(Arena *arena, Operator op, const Object *x, const Object *y,
                            const char **why) {
    double a = object_number(x), b = object_number(y), quotient, rest;
    switch (op) {
    case OPERATOR_ADD: return object_float(arena, a + b);
    case OPERATOR_SUB: return object_float(arena, a - b);
    case OPERATOR_MUL: return object_float(arena, a * b);
    case OPERATOR_DIV:
        if (b == 0) return refuse(why, "division by zero");
        return object_float(arena, a / b);
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD:
        if (b == 0) return refuse(why, "division by zero");
        float_divmod(a, b, &quotient, &rest);
        return object_float(arena, op == OPERATOR_MOD ? rest : quotient);
    case OPERATOR_POW: return float_pow(arena, a, b, why);
    case OPERATOR_MATMUL:
    case OPERATOR_SHL:
    case OPERATOR_SHR:
    case OPERATOR_AND:
    case OPERATOR_OR:
    case OPERATOR_XOR:
    case OPERATOR_LT:
    case OPERATOR_LE:
    case OPERATOR_GT:
    case OPERATOR_GE:
    case OPERATOR_EQ:
    case OPERATOR_NE:
    case OPERATOR_IS:
    case OPERATOR_IS_NOT:
    case OPERATOR_IN:
    case OPERATOR_NOT_IN:
    case OPERATOR_NEG:
    case OPERATOR_POS:
    case OPERATOR_INVERT: return refuse(why, bad_operands(arena, op, x, y));
    }
    return NULL;
}

/* ---- sequences, sets and dicts ---- */

static Object *concatenate(Arena *arena, const Object *a, const Object *b, const char **why) {
    if ((int64_t)a->text.length + b->text.length > LONGEST_TEXT ||
        (int64_t)a->num_items + b->num_items > LONGEST_REPEAT)
        return refuse(why, "the joined sequence is too long");
    if (a->kind == OBJECT_STR) {
        Buf text = {.arena = arena}; /* a text may have NULs */
        buf_add(&text, a->text.data, (size_t)a->text.length);
        buf_add(&text, b->text.data, (size_t)b->text.length);
        return object_str(arena, buf_str(&text));
    }
    Object *result = object_new(arena, a->kind);
    result->num_items = a->num_items + b->num_items;
    result->items = arena_array(arena, Object *, result->num_items);
    for (int i = 0; i < a->num_items; i++) result->items[i] = a->items[i];
    for (int i = 0; i < b->num_items; i++) result->items[a->num_items + i] = b->items[i];
    return object_sealed(arena, result);
}

static Object *repeat(Arena *arena, const Object *a, int128 times, const char **why) {
    int length = a->kind == OBJECT_STR ? a->text.length : a->num_items;
    if (times < 0 || !length) times = 0;
    if (times > LONGEST_REPEAT || times * length > LONGEST_REPEAT)
        return refuse(why, "the repeated sequence has more than 1048576 items");
    Object *result = object_new(arena, a->kind);
    if (a->kind == OBJECT_STR) {
        Buf text = {.arena = arena};
        for (int128 i = 0; i < times; i++) buf_add(&text, a->text.data, (size_t)length);
        result->text = buf_str(&text);
        return result;
    }
    result->num_items = (int)times * length;
    result->items = arena_array(arena, Object *, result->num_items);
    for (int i = 0; i < result->num_items; i++) result->items[i] = a->items[i % length];
    return object_sealed(arena, result);
}

static Object *set_binary(Arena *arena, Operator op, const Object *a, const Object *b) {
    Object *result = object_new(arena, OBJECT_LIST);
    result->text = STR("set");
    result->items = arena_array(arena, Object *, a->num_items + b->num_items);
    for (int i = 0; i < a->num_items; i++) {
        bool in_b = has_item(b, a->items[i]);
        if (op == OPERATOR_OR || (op == OPERATOR_AND ? in_b : !in_b))
            result->items[result->num_items++] = a->items[i];
    }
    for (int i = 0; i < b->num_items; i++)
        if ((op == OPERATOR_OR || op == OPERATOR_XOR) && !has_item(a, b->items[i]))
            result->items[result->num_items++] = b->items[i];
    return object_sealed(arena, result);
}

static Object *dict_union(Arena *arena, const Object *a, const Object *b) {
    Object *result = object_new(arena, OBJECT_DICT);
    result->items = arena_array(arena, Object *, a->num_items + b->num_items);
    for (int i = 0; i < a->num_items; i++) result->items[i] = a->items[i];
    result->num_items = a->num_items;
    for (int i = 0; i + 1 < b->num_items; i += 2) {
        int at = 0;
        while (at < result->num_items && !object_equal(result->items[at], b->items[i])) at += 2;
        if (at == result->num_items) result->items[at] = b->items[i], result->num_items += 2;
        result->items[at + 1] = b->items[i + 1];
    }
    return object_sealed(arena, result);
}

static bool is_sequence(const Object *object) {
    return object->kind == OBJECT_STR || object->kind == OBJECT_TUPLE ||
           (object->kind == OBJECT_LIST && !is_set(object));
}

Object *object_binary(Arena *arena, Operator op, Object *a, Object *b, const char **why) {
    if (object_is_integral(a) && object_is_integral(b)) return int_binary(arena, op, a, b, why);
    if (object_is_number(a) && object_is_number(b)) return float_binary(arena, op, a, b, why);
    if (op == OPERATOR_ADD && a->kind == b->kind && is_sequence(a))
        return concatenate(arena, a, b, why);
    if (op == OPERATOR_MUL && is_sequence(a) && object_is_integral(b))
        return repeat(arena, a, b->integer, why);
    if (op == OPERATOR_MUL && is_sequence(b) && object_is_integral(a))
        return repeat(arena, b, a->integer, why);
    bool set_operator =
        op == OPERATOR_OR || op == OPERATOR_AND || op == OPERATOR_XOR || op == OPERATOR_SUB;
    if (is_set(a) && is_set(b) && set_operator) return set_binary(arena, op, a, b);
    if (a->kind == OBJECT_DICT && b->kind == OBJECT_DICT && op == OPERATOR_OR)
        return dict_union(arena, a, b);
    if (a->kind == OBJECT_OPAQUE || b->kind == OBJECT_OPAQUE)
        return refuse(why, "an operand is not known at compile time");
    return refuse(why, bad_operands(arena, op, a, b));
}

Object *object_unary(Arena *arena, Operator op, Object *a, const char **why) {
    if (a->kind == OBJECT_FLOAT && op == OPERATOR_NEG) return object_float(arena, -a->number);
    if (a->kind == OBJECT_FLOAT && op == OPERATOR_POS) return object_float(arena, a->number);
    if (object_is_integral(a)) {
        int128 result = a->integer;
        if (op == OPERATOR_INVERT) return object_int(arena, ~a->integer);
        if (op == OPERATOR_NEG && __builtin_sub_overflow((int128)0, a->integer, &result))
            return refuse(why, too_wide);
        return object_int(arena, result);
    }
    if (a->kind == OBJECT_OPAQUE) return refuse(why, "the operand is not known at compile time");
    return refuse(why, str_format(arena, "unary '%s' does not work on %s", operator_text(op),
                                  object_type_name(a))
                           .data);
}
