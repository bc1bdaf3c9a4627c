// SPDX-License-Identifier: Apache-2.0
/* script_ops: Python's operators, comparisons, subscripts and iteration on values of a running
 * script. Numbers, strings and tuples go through object_ops.c, as at compile time. */
#include "lang/script.h"

#include <math.h>

static const char *name_of(Host *host, const Object *object) {
    return str_c(host->arena, class_info(class_of(host, object))->name);
}

/* ---- arguments of C functions ---- */

bool host_int(Host *host, const Object *object, const char *what, int64_t *value) {
    if (is_raised(host)) return false;
    object = host_index(host, (Object *)(uintptr_t)object);
    if (is_raised(host)) return false;
    if (!object_is_integral(object)) {
        host_raise(host, CLASS_TYPE_ERROR, "%s must be an integer, not '%s'", what,
                   name_of(host, object));
        return false;
    }
    if (object->integer > INT64_MAX || object->integer < INT64_MIN) {
        host_raise(host, CLASS_OVERFLOW_ERROR, "%s is too large", what);
        return false;
    }
    *value = (int64_t)object->integer;
    return true;
}

bool host_double(Host *host, const Object *object, const char *what, double *value) {
    if (is_raised(host)) return false;
    Object *own = host_says(host, (Object *)(uintptr_t)object, "__float__");
    object =
        own ? host_invoke_with(host, own, 0, NULL) : host_index(host, (Object *)(uintptr_t)object);
    if (is_raised(host)) return false;
    if (!object_is_number(object)) {
        host_raise(host, CLASS_TYPE_ERROR, "%s must be a real number, not '%s'", what,
                   name_of(host, object));
        return false;
    }
    *value = object_number(object);
    return true;
}

bool host_text(Host *host, const Object *object, const char *what, Str *value) {
    if (is_raised(host)) return false;
    if (object->kind != OBJECT_STR) {
        host_raise(host, CLASS_TYPE_ERROR, "%s must be str, not '%s'", what, name_of(host, object));
        return false;
    }
    *value = object->text;
    return true;
}

/* ---- operators ---- */

static const char *const special_names[][2] = {
    [OPERATOR_ADD] = {"__add__", "__radd__"},
    [OPERATOR_SUB] = {"__sub__", "__rsub__"},
    [OPERATOR_MUL] = {"__mul__", "__rmul__"},
    [OPERATOR_DIV] = {"__truediv__", "__rtruediv__"},
    [OPERATOR_FLOORDIV] = {"__floordiv__", "__rfloordiv__"},
    [OPERATOR_MOD] = {"__mod__", "__rmod__"},
    [OPERATOR_POW] = {"__pow__", "__rpow__"},
    [OPERATOR_MATMUL] = {"__matmul__", "__rmatmul__"},
    [OPERATOR_SHL] = {"__lshift__", "__rlshift__"},
    [OPERATOR_SHR] = {"__rshift__", "__rrshift__"},
    [OPERATOR_AND] = {"__and__", "__rand__"},
    [OPERATOR_OR] = {"__or__", "__ror__"},
    [OPERATOR_XOR] = {"__xor__", "__rxor__"},
    [OPERATOR_LT] = {"__lt__", "__gt__"},
    [OPERATOR_LE] = {"__le__", "__ge__"},
    [OPERATOR_GT] = {"__gt__", "__lt__"},
    [OPERATOR_GE] = {"__ge__", "__le__"},
    [OPERATOR_EQ] = {"__eq__", "__eq__"},
    [OPERATOR_NE] = {"__ne__", "__ne__"},
    [OPERATOR_NEG] = {"__neg__", NULL},
    [OPERATOR_POS] = {"__pos__", NULL},
    [OPERATOR_INVERT] = {"__invert__", NULL},
};

/* < of a dataclass with order=True. */
static Object *dataclass_order(Host *host, Operator op, Object *a, Object *b) {
    const Class *class = class_info(a->items[0]);
    bool same = b->kind == OBJECT_HOST && b->type == &instance_type && a->items[0] == b->items[0];
    if (!same) return NULL;
    Object *rows[2];
    for (int k = 0; k < 2; k++) {
        rows[k] = heap_list(host, OBJECT_TUPLE, 0, NULL);
        for (int i = 0; i < class->num_fields; i++) {
            Object *value = dict_find_text((k ? b : a)->items[1], class->fields[i]);
            list_insert(host, rows[k], i, value ? value : host->script->none);
        }
    }
    return script_compare(host, op, rows[0], rows[1]);
}

/* == of a dataclass: its fields, in order, of the same class. */
static Object *dataclass_equal(Host *host, Object *a, Object *b) {
    const Class *class = class_info(a->items[0]);
    bool same = b->kind == OBJECT_HOST && b->type == &instance_type && a->items[0] == b->items[0];
    if (!same) return NULL;
    for (int i = 0; i < class->num_fields; i++) {
        Object *x = dict_find_text(a->items[1], class->fields[i]);
        Object *y = dict_find_text(b->items[1], class->fields[i]);
        if (!x || !y || !script_equal(host, x, y)) return object_bool(host->arena, false);
    }
    return object_bool(host->arena, true);
}

static Object *instance_binary(Host *host, Operator op, Object *self, Object *other, int side) {
    bool by_fields = op == OPERATOR_EQ && class_info(self->items[0])->is_dataclass &&
                     !class_member(self->items[0], STR("__eq__"));
    if (by_fields) return dataclass_equal(host, self, other);
    bool is_ordered = op >= OPERATOR_LT && op <= OPERATOR_GE && side == 0 &&
                      class_info(self->items[0])->is_dataclass &&
                      class_info(self->items[0])->dataclass_flags & DATACLASS_ORDER;
    if (is_ordered) return dataclass_order(host, op, self, other);
    return special_call(host, self, special_names[op][side], 1, &other);
}

/* Is b's class below a's, with its own method for the operator turned around? It comes first. */
static bool reflects(Operator op, const Object *a, const Object *b) {
    bool instances = a->kind == OBJECT_HOST && a->type == &instance_type &&
                     b->kind == OBJECT_HOST && b->type == &instance_type;
    if (!instances || a->items[0] == b->items[0] || !class_is(b->items[0], a->items[0]))
        return false;
    Str name = str_of(special_names[op][1]);
    const Object *own = class_member(b->items[0], name);
    return own && own != class_member(a->items[0], name);
}

/* What a host type or a class of the file says about it; NULL: nothing. */
static Object *own_binary(Host *host, Operator op, Object *a, Object *b) {
    Object *sides[] = {a, b};
    bool second_first = reflects(op, a, b);
    for (int k = 0; k < 2; k++) {
        int i = second_first ? 1 - k : k;
        Object *self = sides[i];
        if (self->kind != OBJECT_HOST) continue;
        Object *result = NULL;
        if (self->type == &instance_type)
            result = instance_binary(host, op, self, sides[1 - i], i);
        else if (self->type->binary)
            result = self->type->binary(host, op, a, b);
        if (result && result->kind == OBJECT_BUILTIN && str_is(result->text, "NotImplemented"))
            result = NULL;
        if (result || is_raised(host)) return result ? result : host->script->poison;
    }
    return NULL;
}

static bool is_plain_list(const Object *object) {
    return object->kind == OBJECT_LIST && !is_set_object(object);
}

static bool is_joinable(const Object *object) {
    return object->kind == OBJECT_STR || object->kind == OBJECT_TUPLE || is_plain_list(object);
}

static Object *type_error(Host *host, Operator op, const Object *a, const Object *b) {
    const Object *other = is_joinable(a) ? b : a;
    const char *joined = a->kind == OBJECT_STR ? "str" : a->kind == OBJECT_TUPLE ? "tuple" : "list";
    if (op == OPERATOR_ADD && is_joinable(a))
        return host_raise(host, CLASS_TYPE_ERROR, "can only concatenate %s (not \"%s\") to %s",
                          joined, name_of(host, b), joined);
    if (op == OPERATOR_MUL && (is_joinable(a) || is_joinable(b)))
        return host_raise(host, CLASS_TYPE_ERROR, "can't multiply sequence by non-int of type '%s'",
                          name_of(host, other));
    return host_raise(host, CLASS_TYPE_ERROR, "unsupported operand type(s) for %s%s: '%s' and '%s'",
                      operator_text(op), op == OPERATOR_POW ? " or pow()" : "", name_of(host, a),
                      name_of(host, b));
}

static Object *number_error(Host *host, Operator op, const Object *a, const Object *b,
                            const char *why) {
    bool divides = op == OPERATOR_DIV || op == OPERATOR_FLOORDIV || op == OPERATOR_MOD;
    bool floats = a->kind == OBJECT_FLOAT || b->kind == OBJECT_FLOAT;
    if (divides && object_number(b) == 0) {
        const char *words =
            op == OPERATOR_DIV   ? floats ? "float division by zero" : "division by zero"
            : op == OPERATOR_MOD ? floats ? "float modulo" : "integer modulo by zero"
            : floats             ? "float floor division by zero"
                                 : "integer division or modulo by zero";
        return host_raise(host, CLASS_ZERO_DIVISION_ERROR, "%s", words);
    }
    if (op == OPERATOR_POW && object_number(a) == 0 && object_number(b) < 0)
        return host_raise(host, CLASS_ZERO_DIVISION_ERROR,
                          "0.0 cannot be raised to a negative power");
    if ((op == OPERATOR_SHL || op == OPERATOR_SHR) && !floats && object_number(b) < 0)
        return host_raise(host, CLASS_VALUE_ERROR, "negative shift count");
    if (op == OPERATOR_POW && floats && object_number(a) > 0)
        return host_raise(host, CLASS_OVERFLOW_ERROR, "(34, 'Numerical result out of range')");
    bool fits = floats || op == OPERATOR_MATMUL;
    return fits && op != OPERATOR_POW ? type_error(host, op, a, b) : host_refuse(host, "%s", why);
}

static Object *list_binary(Host *host, Operator op, Object *a, Object *b) {
    if (op == OPERATOR_ADD && is_plain_list(a) && is_plain_list(b)) {
        Object *list = heap_list(host, OBJECT_LIST, a->num_items, a->items);
        for (int i = 0; i < b->num_items; i++)
            list_insert(host, list, list->num_items, b->items[i]);
        return list;
    }
    bool times = op == OPERATOR_MUL && (is_plain_list(a) || is_plain_list(b));
    if (!times || !object_is_integral(is_plain_list(a) ? b : a)) return NULL;
    const Object *source = is_plain_list(a) ? a : b, *count = is_plain_list(a) ? b : a;
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int128 i = 0; i < count->integer && source->num_items; i++)
        for (int k = 0; k < source->num_items; k++)
            list_insert(host, list, list->num_items, source->items[k]);
    return list;
}

static Object *set_binary(Host *host, Operator op, Object *a, Object *b) {
    bool fits = op == OPERATOR_OR || op == OPERATOR_AND || op == OPERATOR_SUB || op == OPERATOR_XOR;
    if (!is_set_object(a) || !is_set_object(b) || !fits) return NULL;
    Object *set = heap_set(host);
    for (int i = 0; i < a->num_items; i++) {
        bool both = set_has(host, b, a->items[i]);
        if (op == OPERATOR_OR || (op == OPERATOR_AND ? both : !both))
            set_put(host, set, a->items[i]);
    }
    for (int i = 0; i < b->num_items; i++)
        if ((op == OPERATOR_OR || op == OPERATOR_XOR) && !set_has(host, a, b->items[i]))
            set_put(host, set, b->items[i]);
    return set;
}

/* int | float, int | None: what isinstance takes. */
static Object *union_of(Host *host, Operator op, Object *a, Object *b) {
    Object *sides[] = {a, b}, *union_ = heap_list(host, OBJECT_TUPLE, 0, NULL);
    if (op != OPERATOR_OR) return NULL;
    for (int i = 0; i < 2; i++) {
        Object *one = sides[i];
        if (one->kind == OBJECT_NONE) one = host->script->classes[CLASS_NONE];
        bool is_union = one->kind == OBJECT_TUPLE && str_is(one->text, "types.UnionType");
        bool is_class = one->kind == OBJECT_HOST && one->type == &class_type;
        if (!is_union && !is_class) return NULL;
        for (int k = 0; k < (is_union ? one->num_items : 1); k++)
            list_insert(host, union_, union_->num_items, is_union ? one->items[k] : one);
    }
    union_->text = STR("types.UnionType");
    return union_;
}

/* What is made of a torch.Size by itself is one, too. */
static Object *keep_size(Object *made, const Object *from) {
    bool is_size = str_is(from->text, "torch.Size");
    made->text = is_size ? from->text : (Str){0};
    made->script_class = is_size ? from->script_class : NULL;
    return made;
}

Object *script_binary(Host *host, Operator op, Object *a, Object *b) {
    if (is_raised(host)) return host->script->poison;
    bool of_sets =
        op == OPERATOR_OR || op == OPERATOR_AND || op == OPERATOR_SUB || op == OPERATOR_XOR;
    if (of_sets && (is_set_view(a) || is_set_view(b))) /* of any iterable */
        return script_binary(host, op, set_of(host, a), set_of(host, b));
    if (object_is_number(a) && object_is_number(b)) {
        int64_t result;
        if (a->kind == OBJECT_INT && b->kind == OBJECT_INT && op <= OPERATOR_MUL &&
            a->integer == (int64_t)a->integer && b->integer == (int64_t)b->integer) {
            int64_t x = (int64_t)a->integer, y = (int64_t)b->integer;
            bool wide = op == OPERATOR_ADD   ? __builtin_add_overflow(x, y, &result)
                        : op == OPERATOR_SUB ? __builtin_sub_overflow(x, y, &result)
                                             : __builtin_mul_overflow(x, y, &result);
            if (!wide) return object_int(host->arena, result);
        }
        const char *why = "";
        Object *value = object_binary(host->arena, op, a, b, &why);
        return value ? value : number_error(host, op, a, b, why);
    }
    Object *result = own_binary(host, op, a, b);
    if (!result) result = union_of(host, op, a, b);
    if (!result) result = list_binary(host, op, a, b);
    if (!result) result = set_binary(host, op, a, b);
    if (result) return result;
    if (op == OPERATOR_MOD && a->kind == OBJECT_STR) return format_percent(host, a->text, b);
    if (op == OPERATOR_OR && a->kind == OBJECT_DICT && b->kind == OBJECT_DICT) {
        Object *dict = heap_list(host, OBJECT_DICT, 0, NULL);
        for (int i = 0; i + 1 < a->num_items; i += 2)
            dict_put(host, dict, a->items[i], a->items[i + 1]);
        for (int i = 0; i + 1 < b->num_items; i += 2)
            dict_put(host, dict, b->items[i], b->items[i + 1]);
        return dict;
    }
    bool sequence = a->kind == OBJECT_STR || a->kind == OBJECT_TUPLE || b->kind == OBJECT_STR ||
                    b->kind == OBJECT_TUPLE;
    bool fits =
        sequence && ((op == OPERATOR_ADD && a->kind == b->kind) ||
                     (op == OPERATOR_MUL && (object_is_integral(a) || object_is_integral(b))));
    if (!fits) return type_error(host, op, a, b);
    const char *why = "";
    Object *value = object_binary(host->arena, op, a, b, &why);
    if (value && value->kind == OBJECT_TUPLE && a->kind == OBJECT_TUPLE) keep_size(value, a);
    if (value && (value->kind == OBJECT_STR || value->kind == OBJECT_TUPLE)) return value;
    return host_refuse(host, "%s", value ? "a tuple that is as large as this" : why);
}

Object *script_unary(Host *host, Operator op, Object *a) {
    if (is_raised(host)) return host->script->poison;
    const char *why = "";
    Object *result = NULL;
    if (object_is_number(a)) result = object_unary(host->arena, op, a, &why);
    if (!result && a->kind == OBJECT_HOST && a->type == &instance_type)
        result = special_call(host, a, special_names[op][0], 0, NULL);
    else if (!result && a->kind == OBJECT_HOST && a->type->unary)
        result = a->type->unary(host, op, a);
    if (result || is_raised(host)) return result ? result : host->script->poison;
    return host_raise(host, CLASS_TYPE_ERROR, "bad operand type for unary %s: '%s'",
                      operator_text(op), name_of(host, a));
}

/* ---- comparison ---- */

static bool same_items(Host *host, Object *a, Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i < a->num_items && !is_raised(host); i++)
        if (a->items[i] != b->items[i] && !script_equal(host, a->items[i], b->items[i]))
            return false;
    return true;
}

static bool same_dict(Host *host, Object *a, Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i + 1 < a->num_items && !is_raised(host); i += 2) {
        Object *other = dict_find(host, b, a->items[i]);
        if (!other || !script_equal(host, a->items[i + 1], other)) return false;
    }
    return true;
}

static bool same_set(Host *host, const Object *a, const Object *b) {
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i < a->num_items; i++)
        if (!set_has(host, b, a->items[i])) return false;
    return true;
}

/* Do they give the same numbers? */
static bool same_range(Host *host, Object *a, Object *b) {
    int64_t length = script_length(host, a);
    return length == script_length(host, b) &&
           (length < 1 || object_equal(a->items[0], b->items[0])) &&
           (length < 2 || object_equal(a->items[2], b->items[2]));
}

static bool nests_too_deeply(Host *host) {
    char here;
    if (&here > host->script->stack_end) return false;
    host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded");
    return true;
}

bool script_equal(Host *host, Object *a, Object *b) {
    if (is_raised(host) || nests_too_deeply(host)) return false;
    if (object_is_number(a) && object_is_number(b)) return object_equal(a, b);
    if (a->kind == OBJECT_HOST || b->kind == OBJECT_HOST) {
        Object *result = own_binary(host, OPERATOR_EQ, a, b);
        return result ? script_truth(host, result) : a == b;
    }
    if (a->kind != b->kind) return false;
    if (a->kind == OBJECT_LIST && is_set_object(a) != is_set_object(b)) return false;
    if (is_set_object(a)) return same_set(host, a, b);
    if (a->kind == OBJECT_LIST || a->kind == OBJECT_TUPLE || a->kind == OBJECT_SLICE)
        return same_items(host, a, b);
    if (a->kind == OBJECT_DICT) return same_dict(host, a, b);
    if (a->kind == OBJECT_RANGE) return same_range(host, a, b);
    if (a->kind == OBJECT_FUNCTION) return a == b;
    return object_equal(a, b);
}

static bool is_sequence(const Object *object) {
    return object->kind == OBJECT_STR || object->kind == OBJECT_TUPLE || is_plain_list(object) ||
           object->kind == OBJECT_RANGE;
}

static bool can_be_walked(const Object *object) {
    return is_sequence(object) || object->kind == OBJECT_LIST || object->kind == OBJECT_DICT ||
           (object->kind == OBJECT_HOST && object->type != &instance_type && object->type->next);
}

static bool contains(Host *host, Object *container, Object *item) {
    if (container->kind == OBJECT_STR) {
        if (item->kind == OBJECT_STR)
            return !item->text.length ||
                   (container->text.length &&
                    memmem(container->text.data, (size_t)container->text.length, item->text.data,
                           (size_t)item->text.length));
        host_raise(host, CLASS_TYPE_ERROR, "'in <string>' requires string as left operand, not %s",
                   name_of(host, item));
        return false;
    }
    if (container->kind == OBJECT_DICT) return dict_find(host, container, item) != NULL;
    if (is_set_object(container)) return set_has(host, container, item);
    if (container->kind == OBJECT_HOST && container->type == &instance_type) {
        Object *result = special_call(host, container, "__contains__", 1, &item);
        if (result) return script_truth(host, result);
    }
    bool walks = can_be_walked(container) || container->kind == OBJECT_HOST;
    if (!walks) {
        host_raise(host, CLASS_TYPE_ERROR, "argument of type '%s' is not iterable",
                   name_of(host, container));
        return false;
    }
    Object *iterator = host_iterator(host, container);
    for (Object *next; !is_raised(host) && (next = host_next(host, iterator));)
        if (next == item || script_equal(host, next, item)) return true;
    return false;
}

static bool is_same(const Object *a, const Object *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    bool by_value = a->kind == OBJECT_NONE || a->kind == OBJECT_ELLIPSIS ||
                    a->kind == OBJECT_BOOL || a->kind == OBJECT_INT || a->kind == OBJECT_STR ||
                    a->kind == OBJECT_DTYPE || a->kind == OBJECT_BUILTIN ||
                    a->kind == OBJECT_MODULE;
    return by_value && object_equal(a, b);
}

/* -1, 0, 1; 2: unordered. False: these two have no order. */
static bool find_order(Host *host, Operator op, Object *a, Object *b, int *order) {
    bool sequence = a->kind == b->kind && (is_plain_list(a) || a->kind == OBJECT_TUPLE);
    if (is_set_object(b)) return false;
    if (sequence) {
        for (int i = 0; i < a->num_items && i < b->num_items; i++) {
            if (script_equal(host, a->items[i], b->items[i])) continue;
            if (is_raised(host)) return true;
            Object *less = script_compare(host, op, a->items[i], b->items[i]);
            bool is_less = !is_raised(host) && script_truth(host, less);
            bool wants_less = op == OPERATOR_LT || op == OPERATOR_LE;
            *order = is_less == wants_less ? -1 : 1;
            return true;
        }
        *order = (a->num_items > b->num_items) - (a->num_items < b->num_items);
        return true;
    }
    if (!(object_is_number(a) && object_is_number(b)) &&
        !(a->kind == OBJECT_STR && b->kind == OBJECT_STR))
        return false;
    const char *why = "";
    if (object_compare(host->arena, OPERATOR_LT, a, b, &why)->integer)
        *order = -1;
    else if (object_compare(host->arena, OPERATOR_GT, a, b, &why)->integer)
        *order = 1;
    else
        *order = object_equal(a, b) ? 0 : 2;
    return true;
}

static Object *set_compare(Host *host, Operator op, const Object *a, const Object *b) {
    bool less = op == OPERATOR_LT || op == OPERATOR_LE;
    const Object *small = less ? a : b, *large = less ? b : a;
    bool inside = small->num_items <= large->num_items;
    for (int i = 0; i < small->num_items && inside; i++)
        inside = set_has(host, large, small->items[i]);
    bool strict = op == OPERATOR_LT || op == OPERATOR_GT;
    return object_bool(host->arena, inside && (!strict || small->num_items < large->num_items));
}

Object *script_compare(Host *host, Operator op, Object *a, Object *b) {
    if (is_raised(host)) return host->script->poison;
    if (op == OPERATOR_IS || op == OPERATOR_IS_NOT)
        return object_bool(host->arena, is_same(a, b) == (op == OPERATOR_IS));
    if (op == OPERATOR_IN || op == OPERATOR_NOT_IN) {
        bool found = contains(host, b, a);
        return is_raised(host) ? host->script->poison
                               : object_bool(host->arena, found == (op == OPERATOR_IN));
    }
    if (a->kind == OBJECT_HOST || b->kind == OBJECT_HOST) {
        Object *result = own_binary(host, op, a, b);
        if (result) return result;
        if (op == OPERATOR_NE && (result = own_binary(host, OPERATOR_EQ, a, b)))
            return object_bool(host->arena, !script_truth(host, result));
    }
    if (is_set_view(a) || is_set_view(b)) {
        Object *x = is_set_view(a) ? set_of(host, a) : a, *y = is_set_view(b) ? set_of(host, b) : b;
        return script_compare(host, op, x, y);
    }
    if (op == OPERATOR_EQ || op == OPERATOR_NE) {
        bool equal = script_equal(host, a, b);
        return is_raised(host) ? host->script->poison
                               : object_bool(host->arena, equal == (op == OPERATOR_EQ));
    }
    if (is_set_object(a) && is_set_object(b)) return set_compare(host, op, a, b);
    int order = 2;
    if (!find_order(host, op, a, b, &order))
        return host_raise(host, CLASS_TYPE_ERROR,
                          "'%s' not supported between instances of '%s' and '%s'",
                          operator_text(op), name_of(host, a), name_of(host, b));
    if (is_raised(host)) return host->script->poison;
    bool truth = order != 2 && (op == OPERATOR_LT   ? order < 0
                                : op == OPERATOR_LE ? order <= 0
                                : op == OPERATOR_GT ? order > 0
                                                    : order >= 0);
    return object_bool(host->arena, truth);
}

bool script_truth(Host *host, Object *object) {
    bool truth = false;
    if (is_raised(host)) return false;
    if (object->kind == OBJECT_OPAQUE)
        return host_refuse(host, "%.*s", STR_ARG(object->text)), false;
    if (object->kind != OBJECT_HOST)
        return object_truth(object, &truth) ? truth
                                            : (host_refuse(host, "the truth of this value"), false);
    if (object->type->truth) return object->type->truth(host, object);
    if (object->type == &instance_type) {
        Object *result = special_call(host, object, "__bool__", 0, NULL);
        if (result) return script_truth(host, result);
        result = special_call(host, object, "__len__", 0, NULL);
        if (result) return script_truth(host, result);
        return true;
    }
    return object->type->length ? object->type->length(host, object) > 0 : true;
}

/* ---- hashes ---- */

bool script_hash(Host *host, const Object *key, uint64_t *hash) {
    if (object_is_number(key)) {
        double number = object_number(key);
        int64_t whole = fabs(number) < 0x1p62 ? (int64_t)number : 0;
        bool is_whole = (double)whole == number;
        *hash =
            is_whole ? hash_bytes(&whole, sizeof whole, 1) : hash_bytes(&number, sizeof number, 2);
        return true;
    }
    if (key->kind == OBJECT_STR) {
        *hash = hash_bytes(key->text.data, (size_t)key->text.length, 3);
        return true;
    }
    if (key->kind == OBJECT_TUPLE) {
        *hash = 4;
        for (int i = 0; i < key->num_items; i++) {
            uint64_t one;
            if (!script_hash(host, key->items[i], &one)) return false;
            *hash = *hash * 1000003u + one;
        }
        return true;
    }
    if (key->kind == OBJECT_LIST || key->kind == OBJECT_DICT || key->kind == OBJECT_SLICE) {
        host_raise(host, CLASS_TYPE_ERROR, "unhashable type: '%s'", name_of(host, key));
        return false;
    }
    const Class *class =
        key->kind == OBJECT_HOST && key->type == &instance_type ? class_info(key->items[0]) : NULL;
    if (class && class->is_dataclass && !class_member(key->items[0], STR("__hash__"))) {
        bool fits = class->dataclass_flags & (DATACLASS_FROZEN | DATACLASS_HASH);
        *hash = 6;
        for (int i = 0; i < class->num_fields && fits; i++) {
            uint64_t one = 0;
            Object *value = dict_find_text(key->items[1], class->fields[i]);
            if (value && !script_hash(host, value, &one)) return false;
            *hash = *hash * 1000003u + one;
        }
        if (!fits) host_raise(host, CLASS_TYPE_ERROR, "unhashable type: '%s'", name_of(host, key));
        return fits;
    }
    bool has_equal = key->kind == OBJECT_HOST && key->type == &instance_type &&
                     class_member(key->items[0], STR("__eq__"));
    if (has_equal) {
        Object *own = special_call(host, (Object *)key, "__hash__", 0, NULL);
        if (own) return script_hash(host, own, hash);
        host_raise(host, CLASS_TYPE_ERROR, "unhashable type: '%s'", name_of(host, key));
        return false;
    }
    bool by_identity = key->kind == OBJECT_HOST || key->kind == OBJECT_FUNCTION;
    *hash = by_identity ? hash_bytes(&key, sizeof key, 5) : (uint64_t)key->kind;
    return true;
}

/* ---- text as characters ---- */

static int char_bytes(const char *data, int left) {
    unsigned char c = (unsigned char)data[0];
    int bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return bytes < left ? bytes : left;
}

int text_length(Str text) {
    int count = 0;
    for (int i = 0; i < text.length; i++) count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

/* From the index-th character on. */
static Str text_from(Str text, int index) {
    if (text_length(text) == text.length) return (Str){text.data + index, text.length - index};
    for (; index > 0 && text.length; index--) {
        int bytes = char_bytes(text.data, text.length);
        text.data += bytes, text.length -= bytes;
    }
    return text;
}

Str text_at(Str text, int index) {
    Str rest = text_from(text, index);
    return (Str){rest.data, rest.length ? char_bytes(rest.data, rest.length) : 0};
}

/* ---- subscripts ---- */

bool slice_ends(Host *host, const Object *slice, int64_t length, int64_t *start, int64_t *stop,
                int64_t *step) {
    int64_t parts[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        if (slice->items[i]->kind == OBJECT_NONE) continue;
        const Object *part = host_index(host, slice->items[i]);
        if (is_raised(host)) return false;
        if (!object_is_integral(part)) {
            host_raise(host, CLASS_TYPE_ERROR,
                       "slice indices must be integers or None or have an "
                       "__index__ method");
            return false;
        }
        int128 value = part->integer;
        parts[i] = value > INT64_MAX / 4   ? INT64_MAX / 4
                   : value < INT64_MIN / 4 ? INT64_MIN / 4
                                           : (int64_t)value;
    }
    *step = parts[2];
    if (!*step) {
        host_raise(host, CLASS_VALUE_ERROR, "slice step cannot be zero");
        return false;
    }
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? length : length - 1, ends[2];
    for (int i = 0; i < 2; i++) {
        bool given = slice->items[i]->kind != OBJECT_NONE;
        ends[i] = parts[i] < 0 ? parts[i] + length : parts[i];
        ends[i] = ends[i] < low ? low : ends[i] > high ? high : ends[i];
        if (!given) ends[i] = (i == 0) == (*step > 0) ? low : high;
    }
    *start = ends[0], *stop = ends[1];
    return true;
}

static bool slice_bounds(Host *host, const Object *slice, int64_t length, int64_t *start,
                         int64_t *step, int64_t *count) {
    int64_t stop;
    if (!slice_ends(host, slice, length, start, &stop, step)) return false;
    int64_t span = *step > 0 ? stop - *start : *start - stop;
    int64_t size = *step > 0 ? *step : -*step;
    *count = span > 0 ? (span + size - 1) / size : 0;
    return true;
}

static Object *slice_of(Host *host, Object *object, const Object *slice, int64_t length) {
    int64_t start, step, count;
    if (!slice_bounds(host, slice, length, &start, &step, &count)) return host->script->poison;
    if (object->kind == OBJECT_STR) {
        Buf text = {.arena = host->arena};
        if (step == 1 && count) {
            Str rest = text_from(object->text, (int)start);
            Str after = text_from(rest, (int)count);
            return object_str(host->arena, (Str){rest.data, rest.length - after.length});
        }
        for (int64_t i = 0; i < count; i++) {
            Str one = text_at(object->text, (int)(start + i * step));
            buf_add(&text, one.data, (size_t)one.length);
        }
        return object_str(host->arena, count ? buf_str(&text) : STR(""));
    }
    Object **items = arena_array(host->arena, Object *, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) items[i] = object->items[start + i * step];
    Object *part = heap_list(host, object->kind, (int)count, items);
    return object->kind == OBJECT_TUPLE ? keep_size(part, object) : part;
}

/* What a class says of itself, not of its instances: __class_getitem__ is Python's, __class_iter__,
 * __class_len__ and __class_contains__ stand for a metaclass's (enum.py). NULL: it says nothing. */
static Object *class_hook(Host *host, Object *class, const char *name, int num_args,
                          Object *const *args) {
    Object *hook = class_member(class, str_of(name));
    if (!hook) return NULL;
    if (hook->kind == OBJECT_HOST && hook->type == &property_type) hook = hook->items[0];
    Object **all = arena_array(host->arena, Object *, num_args + 1);
    all[0] = class;
    for (int i = 0; i < num_args; i++) all[i + 1] = args[i];
    return host_invoke_with(host, hook, num_args + 1, all);
}

int64_t script_length(Host *host, Object *object) {
    if (is_raised(host)) return -1;
    if (object->kind == OBJECT_STR) return text_length(object->text);
    if (object->kind == OBJECT_TUPLE || object->kind == OBJECT_LIST) return object->num_items;
    if (object->kind == OBJECT_DICT) return object->num_items / 2;
    if (object->kind == OBJECT_RANGE) {
        int128 start = object->items[0]->integer, stop = object->items[1]->integer,
               step = object->items[2]->integer;
        int128 turns =
            step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
        return turns > 0 ? (int64_t)turns : 0;
    }
    if (object->kind == OBJECT_HOST && object->type->length)
        return object->type->length(host, object);
    if (object->kind == OBJECT_HOST && object->type == &instance_type) {
        Object *result = special_call(host, object, "__len__", 0, NULL);
        int64_t length = -1;
        if (result) return host_int(host, result, "the length", &length) ? length : -1;
    }
    if (object->kind == OBJECT_HOST && object->type == &class_type) {
        Object *result = class_hook(host, object, "__class_len__", 0, NULL);
        int64_t length = -1;
        if (result) return host_int(host, result, "the length", &length) ? length : -1;
    }
    host_raise(host, CLASS_TYPE_ERROR, "object of type '%s' has no len()", name_of(host, object));
    return -1;
}

/* False after a raise. */
static bool place_of(Host *host, const Object *object, const Object *key, int64_t length,
                     const char *doing, int64_t *place) {
    key = host_index(host, (Object *)(uintptr_t)key);
    if (is_raised(host)) return false;
    if (!object_is_integral(key)) {
        const char *name = object->kind == OBJECT_STR ? "string" : name_of(host, object);
        host_raise(host, CLASS_TYPE_ERROR, "%s indices must be integers%s, not %s%s%s", name,
                   object->kind == OBJECT_STR ? "" : " or slices",
                   object->kind == OBJECT_STR ? "'" : "", name_of(host, key),
                   object->kind == OBJECT_STR ? "'" : "");
        return false;
    }
    int128 at = key->integer < 0 ? key->integer + length : key->integer;
    if (at < 0 || at >= length) {
        const char *name = object->kind == OBJECT_STR     ? "string"
                           : object->kind == OBJECT_RANGE ? "range object"
                                                          : name_of(host, object);
        host_raise(host, CLASS_INDEX_ERROR, "%s %sindex out of range", name, doing);
        return false;
    }
    *place = (int64_t)at;
    return true;
}

static Object *key_error(Host *host, Object *key) {
    Object *error = exception_new(host, host->script->classes[CLASS_KEY_ERROR], 1, &key);
    host_raise_object(host, error);
    return host->script->poison;
}

static Object *sequence_item(Host *host, Object *object, Object *key) {
    int64_t length = script_length(host, object), at;
    if (key->kind == OBJECT_SLICE && object->kind == OBJECT_RANGE) {
        int64_t start, stop, step;
        if (!slice_ends(host, key, length, &start, &stop, &step)) return host->script->poison;
        int128 from = object->items[0]->integer, by = object->items[2]->integer;
        Object *parts[] = {object_int(host->arena, from + start * by),
                           object_int(host->arena, from + stop * by),
                           object_int(host->arena, step * by)};
        Object *range = object_tuple(host->arena, 3, parts);
        range->kind = OBJECT_RANGE;
        return range;
    }
    if (key->kind == OBJECT_SLICE) return slice_of(host, object, key, length);
    if (!place_of(host, object, key, length, "", &at)) return host->script->poison;
    if (object->kind == OBJECT_STR) return object_str(host->arena, text_at(object->text, (int)at));
    if (object->kind == OBJECT_RANGE)
        return object_int(host->arena,
                          object->items[0]->integer + (int128)at * object->items[2]->integer);
    return host_hold(host, object->items[at]);
}

Object *script_subscript(Host *host, Object *object, Object *key) {
    if (is_raised(host)) return host->script->poison;
    if (is_sequence(object)) return sequence_item(host, object, key);
    if (object->kind == OBJECT_DICT) {
        Object *value = dict_find(host, object, key);
        if (is_raised(host)) return host->script->poison;
        if (!value && object->of_class) { /* a defaultdict */
            value = host_invoke_with(host, (Object *)(uintptr_t)object->of_class, 0, NULL);
            dict_put(host, object, key, value);
            if (is_raised(host)) return host->script->poison;
        }
        return value ? value : key_error(host, key);
    }
    Object *result = NULL;
    if (object->kind == OBJECT_HOST && object->type->subscript)
        result = object->type->subscript(host, object, key);
    else if (object->kind == OBJECT_HOST && object->type == &class_type)
        result = class_hook(host, object, "__class_getitem__", 1, &key);
    else if (object->kind == OBJECT_HOST && object->type == &instance_type)
        result = special_call(host, object, "__getitem__", 1, &key);
    if (is_raised(host)) return host->script->poison;
    if (result) return result;
    return host_raise(host, CLASS_TYPE_ERROR, "'%s' object is not subscriptable",
                      name_of(host, object));
}

bool script_set_subscript(Host *host, Object *object, Object *key, Object *value) {
    if (is_raised(host)) return false;
    if (object->kind == OBJECT_DICT) return dict_put(host, object, key, value);
    if (is_plain_list(object) && key->kind != OBJECT_SLICE) {
        int64_t at;
        if (!place_of(host, object, key, object->num_items, "assignment ", &at)) return false;
        if (!host_may_change(host, object, "a list")) return false;
        host_store(host, &object->items[at], value);
        return true;
    }
    if (is_plain_list(object)) {
        int64_t start, step, count;
        int given;
        Object **items;
        if (!slice_bounds(host, key, object->num_items, &start, &step, &count)) return false;
        if (!host_items(host, value, &given, &items)) return false;
        if (step != 1 && given != count) {
            host_raise(host, CLASS_VALUE_ERROR,
                       "attempt to assign sequence of size %d to extended slice of size %d", given,
                       (int)count);
            return false;
        }
        if (step != 1 && !host_may_change(host, object, "a list")) return false;
        for (int i = 0; i < given && step != 1; i++)
            host_store(host, &object->items[start + i * step], items[i]);
        if (step != 1) return true;
        list_remove(host, object, (int)start, (int)count);
        for (int i = 0; i < given; i++) list_insert(host, object, (int)start + i, items[i]);
        return true;
    }
    if (object->kind == OBJECT_HOST && object->type->set_subscript)
        return object->type->set_subscript(host, object, key, value);
    Object *args[] = {key, value};
    if (object->kind == OBJECT_HOST && object->type == &instance_type &&
        special_call(host, object, "__setitem__", 2, args))
        return !is_raised(host);
    if (!is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR, "'%s' object does not support item assignment",
                   name_of(host, object));
    return false;
}

bool script_delete_subscript(Host *host, Object *object, Object *key) {
    if (is_raised(host)) return false;
    if (object->kind == OBJECT_DICT) {
        if (dict_remove(host, object, key)) return true;
        if (!is_raised(host)) key_error(host, key);
        return false;
    }
    int64_t start, step = 1, count = 1;
    if (object->kind == OBJECT_HOST && object->type == &instance_type &&
        special_call(host, object, "__delitem__", 1, &key))
        return !is_raised(host);
    if (is_raised(host)) return false;
    if (!is_plain_list(object)) {
        host_raise(host, CLASS_TYPE_ERROR, "'%s' object doesn't support item deletion",
                   name_of(host, object));
        return false;
    }
    if (key->kind == OBJECT_SLICE) {
        if (!slice_bounds(host, key, object->num_items, &start, &step, &count)) return false;
    } else if (!place_of(host, object, key, object->num_items, "assignment ", &start)) {
        return false;
    }
    if (step < 0) start += (count - 1) * step, step = -step;
    for (int64_t i = count - 1; i >= 0 && step != 1; i--)
        list_remove(host, object, (int)(start + i * step), 1);
    if (step == 1) list_remove(host, object, (int)start, (int)count);
    return true;
}

/* ---- iteration ---- */

/* Of what is gone through: items[0]; how far: integer. */
static Object *next_of(Host *host, Object *self, int64_t index) {
    (void)index;
    Object *source = self->items[0];
    int64_t at = (int64_t)self->integer;
    Object *item = NULL;
    if (source->kind == OBJECT_STR) {
        Str rest = {source->text.data + at, source->text.length - (int)at};
        if (!rest.length) return NULL;
        self->integer += char_bytes(rest.data, rest.length);
        return object_str(host->arena, (Str){rest.data, char_bytes(rest.data, rest.length)});
    }
    if (source->kind == OBJECT_RANGE) {
        if (at >= script_length(host, source)) return NULL;
        item = object_int(host->arena,
                          source->items[0]->integer + (int128)at * source->items[2]->integer);
    } else if (source->kind == OBJECT_DICT || is_set_object(source)) {
        if (self->weight != source->num_items) {
            host_raise(host, CLASS_RUNTIME_ERROR, "%s changed size during iteration",
                       source->kind == OBJECT_DICT ? "dictionary" : "Set");
            return NULL;
        }
        int stride = source->kind == OBJECT_DICT ? 2 : 1;
        if (at * stride >= source->num_items) return NULL;
        item = host_hold(host, source->items[at * stride]);
    } else if (source->kind == OBJECT_HOST) {
        if (source->type == &instance_type) {
            Object *key = object_int(host->arena, at);
            item = special_call(host, source, "__getitem__", 1, &key);
            if (is_raised(host) &&
                object_is_instance(host, host->script->raised, CLASS_INDEX_ERROR)) {
                take_raised(host);
                return NULL;
            }
        } else {
            item = source->type->next(host, source, at);
        }
        if (!item || is_raised(host)) return NULL;
    } else {
        if (at >= source->num_items) return NULL;
        item = host_hold(host, source->items[at]);
    }
    self->integer++;
    return item;
}

const HostType iterator_type = {.name = "iterator", .next = next_of};

Object *host_iterator(Host *host, Object *object) {
    if (is_raised(host)) return host->script->poison;
    bool is_iterator = object->kind == OBJECT_HOST &&
                       (object->type == &iterator_type || object->type == &lazy_type ||
                        object->type == &generator_type || object->type == &genexpr_type);
    if (is_iterator) return object;
    if (object->kind == OBJECT_HOST && object->type == &instance_type) {
        Object *iterator = special_call(host, object, "__iter__", 0, NULL);
        if (is_raised(host)) return host->script->poison;
        if (iterator) return iterator;
    }
    if (object->kind == OBJECT_HOST && object->type == &class_type) {
        Object *iterator = class_hook(host, object, "__class_iter__", 0, NULL);
        if (is_raised(host)) return host->script->poison;
        if (iterator) return iterator;
    }
    bool indexed = object->kind == OBJECT_HOST && object->type == &instance_type &&
                   class_member(object->items[0], STR("__getitem__"));
    if (!can_be_walked(object) && !indexed)
        return host_raise(host, CLASS_TYPE_ERROR, "'%s' object is not iterable",
                          name_of(host, object));
    Object *iterator = heap_host(host, &iterator_type, 1, &object);
    iterator->weight = object->num_items;
    return iterator;
}

Object *host_next(Host *host, Object *iterator) {
    if (is_raised(host)) return NULL;
    if (iterator->kind == OBJECT_HOST && iterator->type == &iterator_type)
        return next_of(host, iterator, 0);
    if (iterator->kind == OBJECT_HOST &&
        (iterator->type == &lazy_type || iterator->type == &generator_type ||
         iterator->type == &genexpr_type))
        return iterator->type->next(host, iterator, 0);
    Object *item = NULL;
    if (iterator->kind == OBJECT_HOST && iterator->type == &instance_type)
        item = special_call(host, iterator, "__next__", 0, NULL);
    if (is_raised(host) && object_is_instance(host, host->script->raised, CLASS_STOP_ITERATION)) {
        take_raised(host);
        return NULL;
    }
    if (!item && !is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR, "'%s' object is not an iterator",
                   name_of(host, iterator));
    return is_raised(host) ? NULL : item;
}
