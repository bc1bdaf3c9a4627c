// SPDX-License-Identifier: Apache-2.0
/* script_builtins: Python's own functions and classes in a running script. */
#include "lang/script.h"

#include <math.h>
#include <stdlib.h>

static const char *name_of(Host *host, const Object *object) {
    return str_c(host->arena, class_info(class_of(host, object))->name);
}
static Object *nothing(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static Object *boolean(Host *host, bool value) {
    return is_raised(host) ? host->script->poison : object_bool(host->arena, value);
}

/* ---- output ---- */

static Object *run_print(Host *host, Object *const *args, const HostCall *call) {
    Buf out = {.arena = host->arena};
    Str separator = STR(" "), end = STR("\n");
    Object *file = NULL;
    bool flushes = false;
    int count = 0;
    (void)args;
    if (!host_may_do(host, "print()")) return nothing(host);
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        bool none = call->args[i]->kind == OBJECT_NONE;
        if (str_is(name, "sep") && !none && !host_text(host, call->args[i], "sep", &separator))
            return host->script->poison;
        if (str_is(name, "end") && !none && !host_text(host, call->args[i], "end", &end))
            return host->script->poison;
        if (str_is(name, "file") && !none) file = call->args[i];
        if (str_is(name, "flush") && !object_truth(call->args[i], &flushes)) flushes = true;
    }
    for (int i = 0; i < call->num_args; i++) {
        if (call->names && call->names[i].length) continue;
        if (count++) buf_add(&out, separator.data, (size_t)separator.length);
        host_print(host, call->args[i], &out, false);
    }
    if (is_raised(host)) return host->script->poison;
    buf_add(&out, end.data, (size_t)end.length);
    if (file) {
        Object *text = object_str(host->arena, out.length ? buf_str(&out) : STR(""));
        host_invoke_with(host, host_attribute(host, file, STR("write")), 1, &text);
        return nothing(host);
    }
    host->script->write(host->script->user, out.data ? out.data : "", out.length);
    if (flushes) host->script->write(host->script->user, "", 0);
    return nothing(host);
}

static Object *run_repr(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, host_repr(host, args[0]);
}

static Object *run_format(Host *host, Object *const *args, const HostCall *call) {
    Str spec = STR("");
    (void)call;
    if (args[1] && !host_text(host, args[1], "format() argument 2", &spec)) return nothing(host);
    return host_format(host, args[0], spec);
}

/* ---- numbers ---- */

static Object *run_len(Host *host, Object *const *args, const HostCall *call) {
    int64_t length = script_length(host, args[0]);
    (void)call;
    return is_raised(host) ? host->script->poison : object_int(host->arena, length);
}

static Object *run_abs(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    Object *x = args[0];
    if (x->kind == OBJECT_FLOAT) return object_float(host->arena, fabs(x->number));
    if (object_is_integral(x))
        return x->integer < 0 ? script_unary(host, OPERATOR_NEG, x)
                              : object_int(host->arena, x->integer);
    Object *own = host_get(host, x, STR("__abs__"));
    if (!own && x->kind == OBJECT_HOST) own = host_get(host, x, STR("abs"));
    if (own) return host_invoke_with(host, own, 0, NULL);
    return host_raise(host, CLASS_TYPE_ERROR, "bad operand type for abs(): '%s'", name_of(host, x));
}

/* value + rest, which is less than one, to a multiple of 10^digits: the even one of two. */
static int128 to_tens(int128 value, double rest, int64_t digits) {
    int128 unit = 1, size = value < 0 ? -value : value;
    if (digits > 36) return 0;
    while (digits-- > 0) unit *= 10;
    int128 over = size % unit, whole = size / unit;
    bool is_half = over * 2 == unit && rest == 0;
    bool up = is_half ? whole & 1 : over * 2 >= unit;
    whole = (whole + up) * unit;
    return value < 0 ? -whole : whole;
}

/* To even, as Python does; of digits after the point by the decimal text. */
static Object *run_round(Host *host, Object *const *args, const HostCall *call) {
    int64_t digits = 0;
    double x;
    (void)call;
    bool none = !args[1] || args[1]->kind == OBJECT_NONE;
    Object *own = host_own(host, args[0], "__round__");
    if (own) return host_invoke_with(host, own, none ? 0 : 1, args + 1);
    if (!none && !host_int(host, args[1], "ndigits", &digits)) return host->script->poison;
    if (object_is_integral(args[0]))
        return object_int(host->arena,
                          digits < 0 ? to_tens(args[0]->integer, 0, -digits) : args[0]->integer);
    if (!object_is_number(args[0]))
        return host_raise(host, CLASS_TYPE_ERROR, "type %s doesn't define __round__ method",
                          name_of(host, args[0]));
    if (!host_double(host, args[0], "round() argument", &x)) return host->script->poison;
    if (none) {
        if (isnan(x))
            return host_raise(host, CLASS_VALUE_ERROR, "cannot convert float NaN to integer");
        if (isinf(x))
            return host_raise(host, CLASS_OVERFLOW_ERROR,
                              "cannot convert float infinity to integer");
        if (fabs(x) > 0x1p120) return host_refuse(host, "round() of so large a number");
        return object_int(host->arena, (int128)nearbyint(x));
    }
    if (digits < 0 && fabs(x) < 0x1p100) {
        int128 whole = (int128)x;
        double rounded = (double)to_tens(whole, x - (double)whole, -digits);
        return object_float(host->arena, copysign(rounded, x));
    }
    if (digits < 0 || digits > 300) return host_refuse(host, "round() to so many digits");
    if (isnan(x) || isinf(x)) return args[0];
    Str text = str_format(host->arena, "%.*f", (int)digits, x);
    return object_float(host->arena, strtod(text.data, NULL));
}

static Object *run_divmod(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    bool numbers = object_is_number(args[0]) && object_is_number(args[1]);
    bool floats = args[0]->kind == OBJECT_FLOAT || args[1]->kind == OBJECT_FLOAT;
    Object *left = host_own(host, args[0], "__divmod__"),
           *right = host_own(host, args[1], "__rdivmod__");
    if (left) return host_invoke_with(host, left, 1, args + 1);
    if (right) return host_invoke_with(host, right, 1, args);
    if (numbers && floats && object_number(args[1]) == 0)
        return host_raise(host, CLASS_ZERO_DIVISION_ERROR, "float divmod()");
    if (!numbers && args[0]->kind != OBJECT_HOST && args[1]->kind != OBJECT_HOST)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "unsupported operand type(s) for divmod(): '%s' and '%s'",
                          name_of(host, args[0]), name_of(host, args[1]));
    Object *parts[] = {script_binary(host, OPERATOR_FLOORDIV, args[0], args[1]),
                       script_binary(host, OPERATOR_MOD, args[0], args[1])};
    return is_raised(host) ? host->script->poison : heap_list(host, OBJECT_TUPLE, 2, parts);
}

/* pow(base, exponent, modulus) of whole numbers below 2^63. */
static Object *power_of(Host *host, Object *const *args) {
    int64_t base, exponent, modulus;
    for (int i = 0; i < 3; i++)
        if (!object_is_integral(args[i]))
            return host_raise(host, CLASS_TYPE_ERROR,
                              "pow() 3rd argument not allowed unless all arguments are integers");
    if (!host_int(host, args[0], "the base", &base) ||
        !host_int(host, args[1], "the exponent", &exponent) ||
        !host_int(host, args[2], "the modulus", &modulus))
        return host->script->poison;
    if (!modulus) return host_raise(host, CLASS_VALUE_ERROR, "pow() 3rd argument cannot be 0");
    if (exponent < 0) return host_refuse(host, "pow() with a modulus and a negative exponent");
    int128 size = modulus < 0 ? -(int128)modulus : modulus, result = 1 % size;
    int128 square = (base % size + size) % size;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = result * square % size;
        square = square * square % size;
    }
    return object_int(host->arena, modulus < 0 && result ? result + modulus : result);
}

static Object *run_pow(Host *host, Object *const *args, const HostCall *call) {
    if (args[2] && args[2]->kind != OBJECT_NONE) return power_of(host, args);
    return (void)call, script_binary(host, OPERATOR_POW, args[0], args[1]);
}

static Object *no_integer(Host *host, const Object *object) {
    return host_raise(host, CLASS_TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
                      name_of(host, object));
}

static Object *in_base(Host *host, Object *number, char type) {
    char spec[] = {'#', type, 0};
    number = host_index(host, number);
    if (is_raised(host)) return host->script->poison;
    if (!object_is_integral(number)) return no_integer(host, number);
    return host_format(host, number, str_of(spec));
}
static Object *run_hex(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, in_base(host, args[0], 'x');
}
static Object *run_oct(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, in_base(host, args[0], 'o');
}
static Object *run_bin(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, in_base(host, args[0], 'b');
}

static Object *run_ord(Host *host, Object *const *args, const HostCall *call) {
    Str text;
    (void)call;
    if (!host_text(host, args[0], "ord() argument", &text)) return host->script->poison;
    if (text_length(text) != 1)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "ord() expected a character, but string of length %d found",
                          text_length(text));
    const unsigned char *c = (const unsigned char *)text.data;
    int code = text.length == 1   ? c[0]
               : text.length == 2 ? (c[0] & 31) << 6 | (c[1] & 63)
               : text.length == 3
                   ? (c[0] & 15) << 12 | (c[1] & 63) << 6 | (c[2] & 63)
                   : (c[0] & 7) << 18 | (c[1] & 63) << 12 | (c[2] & 63) << 6 | (c[3] & 63);
    return object_int(host->arena, code);
}

static Object *run_chr(Host *host, Object *const *args, const HostCall *call) {
    int64_t code;
    Buf out = {.arena = host->arena};
    (void)call;
    if (args[0]->kind != OBJECT_HOST && !object_is_integral(args[0]))
        return no_integer(host, args[0]);
    if (!host_int(host, args[0], "chr() argument", &code)) return host->script->poison;
    if (code < 0 || code > 0x10ffff)
        return host_raise(host, CLASS_VALUE_ERROR, "chr() arg not in range(0x110000)");
    if (code >= 0xd800 && code < 0xe000) return host_refuse(host, "chr() of a surrogate");
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
    buf_putc(&out, (char)(marks[more] | (code >> (6 * more))));
    while (more--) buf_putc(&out, (char)(0x80 | ((code >> (6 * more)) & 63)));
    return object_str(host->arena, buf_str(&out));
}

/* ---- over iterables ---- */

/* min and max: of one iterable or of the arguments; key=, default=. */
static Object *extreme(Host *host, const HostCall *call, Operator op) {
    Object *key = NULL, *otherwise = NULL,
           **items = arena_array(host->arena, Object *, call->num_args + 1);
    int count = 0;
    const char *name = op == OPERATOR_LT ? "min" : "max";
    for (int i = 0; i < call->num_args; i++) {
        Str word = call->names ? call->names[i] : (Str){0};
        if (str_is(word, "key"))
            key = call->args[i];
        else if (str_is(word, "default"))
            otherwise = call->args[i];
        else
            items[count++] = call->args[i];
    }
    if (count == 0)
        return host_raise(host, CLASS_TYPE_ERROR, "%s expected at least 1 argument, got 0", name);
    if (count == 1 && !host_items(host, items[0], &count, &items)) return host->script->poison;
    if (count == 0)
        return otherwise
                   ? otherwise
                   : host_raise(host, CLASS_VALUE_ERROR, "%s() arg is an empty sequence", name);
    Object *best = items[0], *best_key = NULL;
    for (int i = 0; i < count && !is_raised(host); i++) {
        bool keyed = key && key->kind != OBJECT_NONE;
        Object *one = keyed ? host_invoke_with(host, key, 1, &items[i]) : items[i];
        if (i && !script_truth(host, script_compare(host, op, one, best_key))) continue;
        best = items[i], best_key = one;
    }
    return is_raised(host) ? host->script->poison : best;
}
static Object *run_min(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, extreme(host, call, OPERATOR_LT);
}
static Object *run_max(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, extreme(host, call, OPERATOR_GT);
}

static Object *run_sum(Host *host, Object *const *args, const HostCall *call) {
    Object *sum = args[1] ? args[1] : object_int(host->arena, 0);
    Object *iterator = host_iterator(host, args[0]), *kept = host_keep(host, sum);
    (void)call;
    for (Moment moment = moment_of(host); !is_raised(host); moment_end(host, moment)) {
        Object *item = host_next(host, iterator);
        if (!item) break;
        host_store(host, &kept, script_binary(host, OPERATOR_ADD, kept, item));
    }
    host_hold(host, kept);
    host_drop(host, kept);
    return is_raised(host) ? host->script->poison : kept;
}

static Object *any_or_all(Host *host, Object *iterable, bool decides) {
    Object *iterator = host_iterator(host, iterable);
    for (Moment moment = moment_of(host); !is_raised(host); moment_end(host, moment)) {
        Object *item = host_next(host, iterator);
        if (!item) return boolean(host, !decides);
        if (script_truth(host, item) == decides) return boolean(host, decides);
    }
    return host->script->poison;
}
static Object *run_any(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, any_or_all(host, args[0], true);
}
static Object *run_all(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, any_or_all(host, args[0], false);
}

static Object *run_sorted(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **items;
    (void)call;
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    bool reverse = args[2] && script_truth(host, args[2]);
    if (!sort_items(host, count, items, args[1], reverse)) return host->script->poison;
    return heap_list(host, OBJECT_LIST, count, items);
}

/* enumerate, zip, map, filter: weight says which; items: the function, or NULL, then iterators. */
typedef enum Lazy {
    LAZY_ENUMERATE,
    LAZY_ZIP,
    LAZY_MAP,
    LAZY_FILTER,
    LAZY_CHAIN,
    LAZY_CALLS, /* iter(function, last): its items are the two; integer: it has ended */
} Lazy;

static Object *lazy_next(Host *host, Object *self, int64_t index) {
    Lazy kind = (Lazy)self->weight;
    int count = self->num_items - 1;
    (void)index;
    if (kind == LAZY_CHAIN) {
        while (self->integer < count) {
            Object *item = host_next(host, self->items[1 + self->integer]);
            if (item || is_raised(host)) return item;
            self->integer++;
        }
        return NULL;
    }
    if (kind == LAZY_CALLS) {
        Object *item = self->integer ? NULL : host_invoke_with(host, self->items[0], 0, NULL);
        bool ends = item && !is_raised(host) && script_equal(host, item, self->items[1]);
        if (ends) self->integer = 1;
        return !item || ends || is_raised(host) ? NULL : item;
    }
    Object **row = arena_array(host->arena, Object *, count + 2);
    for (;;) {
        for (int i = 0; i < count; i++) {
            if ((row[i] = host_next(host, self->items[1 + i]))) continue;
            bool is_strict = kind == LAZY_ZIP && self->integer && !is_raised(host);
            if (!is_strict) return NULL;
            for (int k = i + 1; k < count && !i; k++)
                if (host_next(host, self->items[1 + k]))
                    return host_raise(host, CLASS_VALUE_ERROR,
                                      "zip() argument %d is longer than argument%s%d", k + 1,
                                      k == 1 ? " " : "s 1-", k),
                           NULL;
            if (i)
                host_raise(host, CLASS_VALUE_ERROR,
                           "zip() argument %d is shorter than argument%s%d", i + 1,
                           i == 1 ? " " : "s 1-", i);
            return NULL;
        }
        if (kind != LAZY_FILTER) break;
        bool none = self->items[0]->kind == OBJECT_NONE;
        Object *verdict = none ? row[0] : host_invoke_with(host, self->items[0], 1, row);
        if (script_truth(host, verdict)) return row[0];
        if (is_raised(host)) return NULL;
    }
    if (kind == LAZY_MAP) {
        Object *value = host_invoke_with(host, self->items[0], count, row);
        return is_raised(host) ? NULL : value;
    }
    if (kind == LAZY_ENUMERATE) {
        row[1] = row[0];
        row[0] = object_int(host->arena, self->integer++);
        count = 2;
    }
    return count ? heap_list(host, OBJECT_TUPLE, count, row) : NULL;
}

const HostType lazy_type = {.name = "iterator", .next = lazy_next};

static Object *lazy_new(Host *host, Lazy kind, Object *function, int count,
                        Object *const *sources) {
    Object **items = arena_array(host->arena, Object *, count + 1);
    items[0] = function;
    for (int i = 0; i < count; i++) items[i + 1] = host_iterator(host, sources[i]);
    if (is_raised(host)) return host->script->poison;
    Object *lazy = heap_host(host, &lazy_type, count + 1, items);
    lazy->weight = (int)kind;
    return lazy;
}

static Object *run_enumerate(Host *host, Object *const *args, const HostCall *call) {
    int64_t start = 0;
    (void)call;
    if (args[1] && !host_int(host, args[1], "start", &start)) return host->script->poison;
    Object *lazy = lazy_new(host, LAZY_ENUMERATE, NULL, 1, args);
    if (!is_raised(host)) lazy->integer = start;
    return lazy;
}
static Object *run_zip(Host *host, Object *const *args, const HostCall *call) {
    int count = call->num_args;
    (void)args;
    bool is_strict = call->names && count && str_is(call->names[count - 1], "strict");
    if (call->names && count && call->names[count - 1].length && !is_strict)
        return host_raise(host, CLASS_TYPE_ERROR, "zip() got an unexpected keyword argument");
    if (!is_strict) return lazy_new(host, LAZY_ZIP, NULL, count, call->args);
    Object *lazy = lazy_new(host, LAZY_ZIP, NULL, count - 1, call->args);
    if (!is_raised(host)) lazy->integer = script_truth(host, call->args[count - 1]);
    return lazy;
}
static Object *run_chain(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, lazy_new(host, LAZY_CHAIN, NULL, call->num_args, call->args);
}
static Object *run_map(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    if (call->num_args < 2)
        return host_raise(host, CLASS_TYPE_ERROR, "map() must have at least two arguments.");
    return lazy_new(host, LAZY_MAP, call->args[0], call->num_args - 1, call->args + 1);
}
static Object *run_filter(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, lazy_new(host, LAZY_FILTER, args[0], 1, args + 1);
}

static Object *run_reversed(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **items;
    (void)call;
    if (args[0]->kind == OBJECT_HOST && args[0]->type == &iterator_type)
        return host_raise(host, CLASS_TYPE_ERROR, "'iterator' object is not reversible");
    Object *own = host_own(host, args[0], "__reversed__");
    if (own) return host_invoke_with(host, own, 0, NULL);
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    for (int i = 0, k = count - 1; i < k; i++, k--) {
        Object *swap = items[i];
        items[i] = items[k], items[k] = swap;
    }
    return host_iterator(host, heap_list(host, OBJECT_LIST, count, items));
}

static Object *run_iter(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (args[1]) {
        Object *calls = heap_host(host, &lazy_type, 2, args);
        calls->weight = LAZY_CALLS;
        return calls;
    }
    return host_iterator(host, args[0]);
}

static Object *run_next(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    Object *item = host_next(host, args[0]);
    if (item || is_raised(host)) return item ? item : host->script->poison;
    if (args[1]) return args[1];
    bool has_result = args[0]->kind == OBJECT_HOST && args[0]->type == &generator_type;
    Object *result = has_result ? generator_result(host, args[0]) : NULL;
    host_raise_object(host, exception_new(host, host->script->classes[CLASS_STOP_ITERATION],
                                          result ? 1 : 0, &result));
    return host->script->poison;
}

/* ---- objects ---- */

static bool is_of(Host *host, const Object *class, Object *of) {
    if (of->kind == OBJECT_TUPLE) {
        for (int i = 0; i < of->num_items; i++)
            if (is_of(host, class, of->items[i])) return true;
        return false;
    }
    if (of->kind == OBJECT_HOST && of->type == &class_type) return class_is(class, of);
    host_raise(host, CLASS_TYPE_ERROR,
               "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return false;
}
static Object *run_isinstance(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, boolean(host, is_of(host, class_of(host, args[0]), args[1]));
}
static Object *run_issubclass(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (args[0]->kind != OBJECT_HOST || args[0]->type != &class_type)
        return host_raise(host, CLASS_TYPE_ERROR, "issubclass() arg 1 must be a class");
    return boolean(host, is_of(host, args[0], args[1]));
}

/* NULL where that raises an AttributeError, too. */
static Object *get_if_there(Host *host, Object *object, Str name) {
    Object *value = host_get(host, object, name);
    if (!is_raised(host) || host->script->is_refused ||
        !object_is_instance(host, host->script->raised, CLASS_ATTRIBUTE_ERROR))
        return value;
    take_raised(host);
    return NULL;
}

/* Those that Python gives every object of its own are there, whether or not they can be used. */
static bool has_by_itself(Host *host, const Object *object, Str name) {
    return object->kind != OBJECT_MODULE && python_has(host, object, name);
}

static Object *run_getattr(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (!host_text(host, args[1], "attribute name", &name)) return host->script->poison;
    Object *value =
        args[2] ? get_if_there(host, args[0], name) : host_attribute(host, args[0], name);
    if (!value && !is_raised(host) && has_by_itself(host, args[0], name))
        return host_attribute(host, args[0], name); /* refused */
    if (is_raised(host)) return host->script->poison;
    return value ? value : args[2];
}
static Object *run_hasattr(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (!host_text(host, args[1], "attribute name", &name)) return host->script->poison;
    return boolean(host, get_if_there(host, args[0], name) || has_by_itself(host, args[0], name));
}
static Object *run_setattr(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (host_text(host, args[1], "attribute name", &name))
        host_set_attribute(host, args[0], str_copy(host->script->arena, name), args[2]);
    return nothing(host);
}

static Object *run_callable(Host *host, Object *const *args, const HostCall *call) {
    const Object *x = args[0];
    (void)call;
    bool is = x->kind == OBJECT_FUNCTION || x->kind == OBJECT_METHOD || x->kind == OBJECT_BUILTIN;
    if (x->kind == OBJECT_HOST)
        is = x->type == &native_type || x->type == &class_type || x->type->call ||
             (x->type == &instance_type && class_member(x->items[0], STR("__call__")));
    return boolean(host, is);
}

static Object *run_id(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, object_int(host->arena, (int64_t)(intptr_t)host_keep(host, args[0]));
}
/* Python's: modulo 2^61 - 1, so that equal numbers of any type have the same. */
static int64_t number_hash(const Object *x) {
    const uint64_t modulus = (1ull << 61) - 1;
    enum { BITS = 61, PIECE = 28 };
    double number = object_number(x);
    bool negative = x->kind == OBJECT_FLOAT ? number < 0 : x->integer < 0;
    uint64_t hash = 0;
    if (x->kind != OBJECT_FLOAT) {
        uint128 size = negative ? -(uint128)x->integer : (uint128)x->integer;
        hash = (uint64_t)(size % modulus);
    } else if (isinf(number)) {
        hash = 314159;
    } else if (!isnan(number)) {
        int exponent;
        double left = frexp(fabs(number), &exponent);
        for (; left != 0; exponent -= PIECE) {
            hash = (hash << PIECE & modulus) | hash >> (BITS - PIECE);
            left *= 1 << PIECE;
            uint64_t piece = (uint64_t)left;
            left -= (double)piece;
            hash += piece;
            if (hash >= modulus) hash -= modulus;
        }
        exponent = exponent >= 0 ? exponent % BITS : BITS - 1 - (-1 - exponent) % BITS;
        hash = (hash << exponent & modulus) | hash >> (BITS - exponent);
    }
    int64_t result = negative ? -(int64_t)hash : (int64_t)hash;
    return result == -1 ? -2 : result;
}

static Object *run_hash(Host *host, Object *const *args, const HostCall *call) {
    uint64_t hash;
    (void)call;
    if (object_is_number(args[0])) return object_int(host->arena, number_hash(args[0]));
    Object *own = host_own(host, args[0], "__hash__");
    if (own) return host_invoke_with(host, own, 0, NULL);
    return script_hash(host, args[0], &hash) ? object_int(host->arena, (int64_t)(hash >> 3))
                                             : host->script->poison;
}

static Object *run_delattr(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (host_text(host, args[1], "attribute name", &name))
        host_delete_attribute(host, args[0], name);
    return nothing(host);
}
static Object *run_vars(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    bool fits = args[0]->kind == OBJECT_HOST && args[0]->type == &instance_type;
    return fits ? host_attribute(host, args[0], STR("__dict__"))
                : host_refuse(host, "vars() of what is no instance");
}

/* open() is io.open, whose text the evaluator runs as any file. */
static Object *run_open(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    Object *module = module_import(host, STR("io"));
    if (is_raised(host)) return host->script->poison;
    if (!module) return host_refuse(host, "files, which need --allow-read or --allow-write");
    return host_invoke(host, host_attribute(host, module, STR("open")), call);
}

static Object *run_refused(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return host_refuse(host,
                       "files, input and code made at run time are not for scripts: this function");
}

static Object *run_absent(Host *host, Object *const *args, const HostCall *call) {
    static const char *const names[] = {
        "aiter", "anext", "ascii", "dir", "help", "ExceptionGroup", "BaseExceptionGroup"};
    return (void)args, host_refuse(host, "'%s'", names[call->id]);
}

static Object *run_frozenset(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, host_refuse(host, "frozenset");
}

/* super(): the class that the method was defined in, and its first parameter. */
static Object *super_of(Host *host, const HostCall *call) {
    if (call->num_args == 2) return heap_host(host, &super_type, 2, call->args);
    const Object *function = host->function;
    bool fine = function && function->kind == OBJECT_FUNCTION && function->function->owner &&
                function->function->def->num_params && call->num_args == 0;
    if (!fine) return host_raise(host, CLASS_RUNTIME_ERROR, "super(): no arguments");
    Object *self = host->slots[0];
    if (self && self->kind == OBJECT_HOST && self->type == &cell_type) self = self->items[0];
    Object *items[] = {function->function->owner, self};
    return heap_host(host, &super_type, 2, items);
}

/* ---- classes that are called ---- */

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit_of(char c) {
    char small = (char)(c | 32);
    return c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'z' ? small - 'a' + 10 : 36;
}

/* Of "0x10" and its like; 0: of nothing. */
static int prefix_base(Str text) {
    if (text.length < 3 || text.data[0] != '0') return 0;
    char letter = (char)(text.data[1] | 32);
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

/* base 0: what a literal of Python's says. */
static Object *int_of_text(Host *host, Str whole, int base) {
    Str text = whole;
    while (text.length && is_space(text.data[0])) text.data++, text.length--;
    while (text.length && is_space(text.data[text.length - 1])) text.length--;
    bool negative = text.length && text.data[0] == '-';
    if (negative || (text.length && text.data[0] == '+')) text.data++, text.length--;
    int prefix = prefix_base(text), real_base = base ? base : prefix ? prefix : 10;
    bool is_prefixed = prefix && prefix == real_base, joins = is_prefixed;
    if (is_prefixed) text.data += 2, text.length -= 2;
    const int128 most = (int128)(~(uint128)0 >> 1);
    int128 value = 0;
    bool bad = !text.length || text.data[text.length - 1] == '_';
    for (int i = 0; i < text.length && !bad; i++) {
        bool is_join = text.data[i] == '_' && joins; /* one '_' between two digits */
        joins = !is_join;
        if (is_join) continue;
        int digit = digit_of(text.data[i]);
        bad = digit >= real_base;
        if (!bad && value > (most - digit) / real_base)
            return host_refuse(host, "an integer of more than 128 bits");
        if (!bad) value = value * real_base + digit;
    }
    bad = bad || (base == 0 && !is_prefixed && text.data[0] == '0' && value);
    if (!bad) return object_int(host->arena, negative ? -value : value);
    Object *shown = host_repr(host, object_str(host->arena, whole));
    return host_raise(host, CLASS_VALUE_ERROR, "invalid literal for int() with base %d: %.*s", base,
                      STR_ARG(shown->text));
}

Object *host_trunc(Host *host, double number) {
    if (isnan(number))
        return host_raise(host, CLASS_VALUE_ERROR, "cannot convert float NaN to integer");
    if (isinf(number))
        return host_raise(host, CLASS_OVERFLOW_ERROR, "cannot convert float infinity to integer");
    if (fabs(number) > 0x1p120) return host_refuse(host, "an integer of more than 128 bits");
    return object_int(host->arena, (int128)number);
}

/* What a method makes, that must be an int or a float. */
static Object *made_by(Host *host, Object *method, const char *name, PythonClass of) {
    Object *made = host_invoke_with(host, method, 0, NULL);
    bool fits = of == CLASS_FLOAT ? made->kind == OBJECT_FLOAT : object_is_integral(made);
    if (is_raised(host) || fits) return made;
    return host_raise(host, CLASS_TYPE_ERROR, "%s returned non-%s (type %s)", name,
                      of == CLASS_FLOAT ? "float" : "int", name_of(host, made));
}

static Object *make_int(Host *host, const HostCall *call) {
    int64_t base = 10;
    if (call->num_args == 0) return object_int(host->arena, 0);
    Object *x = call->args[0];
    if (call->num_args > 1 && !host_int(host, call->args[1], "the base", &base))
        return host->script->poison;
    if (base < 0 || base == 1 || base > 36)
        return host_raise(host, CLASS_VALUE_ERROR, "int() base must be >= 2 and <= 36, or 0");
    if (call->num_args > 1 && x->kind != OBJECT_STR)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "int() can't convert non-string with explicit base");
    if (object_is_integral(x)) return object_int(host->arena, x->integer);
    if (x->kind == OBJECT_STR) return int_of_text(host, x->text, (int)base);
    if (x->kind == OBJECT_FLOAT) return host_trunc(host, x->number);
    Object *own = host_get(host, x, STR("__int__"));
    if (own) return made_by(host, own, "__int__", CLASS_INT);
    if ((own = host_own(host, x, "__index__"))) return made_by(host, own, "__index__", CLASS_INT);
    return host_raise(host, CLASS_TYPE_ERROR,
                      "int() argument must be a string, a bytes-like object or a real number, not "
                      "'%s'",
                      name_of(host, x));
}

static Object *make_float(Host *host, const HostCall *call) {
    if (call->num_args == 0) return object_float(host->arena, 0);
    Object *x = call->args[0];
    if (object_is_number(x)) return object_float(host->arena, object_number(x));
    if (x->kind == OBJECT_STR) {
        Object *value = builtin_attribute(host->arena, STR("builtins"), STR("float"));
        Diag quiet = {.arena = host->arena, .muted = true};
        value =
            builtin_call_host(host->arena, value->builtin, 1, &x, call->names, call->span, &quiet);
        if (value->kind == OBJECT_FLOAT) return value;
        return host_raise(host, CLASS_VALUE_ERROR, "could not convert string to float: %.*s",
                          STR_ARG(host_repr(host, x)->text));
    }
    Object *own = host_get(host, x, STR("__float__"));
    if (own) return made_by(host, own, "__float__", CLASS_FLOAT);
    if ((own = host_own(host, x, "__index__")))
        return object_float(host->arena, object_number(made_by(host, own, "__index__", CLASS_INT)));
    return host_raise(host, CLASS_TYPE_ERROR,
                      "float() argument must be a string or a real number, not '%s'",
                      name_of(host, x));
}

static Object *make_sequence(Host *host, const HostCall *call, ObjectKind kind) {
    int count = 0;
    Object **items = NULL;
    if (call->num_args && !host_items(host, call->args[0], &count, &items))
        return host->script->poison;
    return heap_list(host, kind, count, items);
}

static Object *make_set(Host *host, const HostCall *call) {
    Object *list = make_sequence(host, call, OBJECT_LIST), *set = heap_set(host);
    for (int i = 0; i < list->num_items && !is_raised(host); i++)
        set_put(host, set, list->items[i]);
    return is_raised(host) ? host->script->poison : set;
}

static Object *make_dict(Host *host, const HostCall *call) {
    Object *dict = heap_list(host, OBJECT_DICT, 0, NULL);
    Object *update = container_method(host, dict, STR("update"));
    host_invoke(host, update, call);
    return is_raised(host) ? host->script->poison : dict;
}

static Object *make_range(Host *host, const HostCall *call, const char *what) {
    Object *parts[] = {object_int(host->arena, 0), host->script->none, object_int(host->arena, 1)};
    if (call->num_args < 1 || call->num_args > 3)
        return host_raise(host, CLASS_TYPE_ERROR, "%s expected 1 to 3 arguments, got %d", what,
                          call->num_args);
    bool is_range = !strcmp(what, "range");
    if (!is_range) parts[0] = parts[2] = host->script->none;
    if (call->num_args == 1)
        parts[1] = call->args[0];
    else
        for (int i = 0; i < call->num_args; i++) parts[i] = call->args[i];
    for (int i = 0; i < 3 && is_range; i++) {
        int64_t value;
        parts[i] = host_index(host, parts[i]);
        if (is_raised(host)) return host->script->poison;
        if (!object_is_integral(parts[i]))
            return host_raise(host, CLASS_TYPE_ERROR,
                              "'%s' object cannot be interpreted as an integer",
                              name_of(host, parts[i]));
        if (!host_int(host, parts[i], "range() argument", &value)) return host->script->poison;
        if (i == 2 && !value)
            return host_raise(host, CLASS_VALUE_ERROR, "range() arg 3 must not be zero");
    }
    Object *range = object_tuple(host->arena, 3, parts);
    range->kind = is_range ? OBJECT_RANGE : OBJECT_SLICE;
    return range;
}

static Object *make_bool(Host *host, const HostCall *call) {
    return boolean(host, call->num_args && script_truth(host, call->args[0]));
}
static Object *make_str(Host *host, const HostCall *call) {
    return call->num_args ? host_str(host, call->args[0]) : object_str(host->arena, STR(""));
}
static Object *make_list(Host *host, const HostCall *call) {
    return make_sequence(host, call, OBJECT_LIST);
}
static Object *make_tuple(Host *host, const HostCall *call) {
    return make_sequence(host, call, OBJECT_TUPLE);
}
static Object *make_plain_range(Host *host, const HostCall *call) {
    return make_range(host, call, "range");
}
static Object *make_slice(Host *host, const HostCall *call) {
    return make_range(host, call, "slice");
}
static Object *make_type(Host *host, const HostCall *call) {
    return call->num_args == 1 ? class_of(host, call->args[0])
                               : host_refuse(host, "classes made by type()");
}
static Object *make_object(Host *host, const HostCall *call) {
    return (void)call, instance_new(host, host->script->classes[CLASS_OBJECT]);
}

static Object *descriptor(Host *host, const HostCall *call, const char *kind) {
    Object *made = heap_host(host, &property_type, call->num_args, call->args);
    made->text = str_of(kind);
    return made;
}
static Object *make_property(Host *host, const HostCall *call) {
    return descriptor(host, call, "property");
}
static Object *make_static_method(Host *host, const HostCall *call) {
    return descriptor(host, call, "staticmethod");
}
static Object *make_class_method(Host *host, const HostCall *call) {
    return descriptor(host, call, "classmethod");
}

static Object *make_absent(Host *host, const HostCall *call) {
    return (void)call, host_refuse(host, "bytes, bytearray, complex and memoryview");
}

Object *builtins_class_call(Host *host, const Class *class, const HostCall *call) {
    static Object *(*const makers[NUM_PYTHON_CLASSES])(Host *, const HostCall *) = {
        [CLASS_OBJECT] = make_object,
        [CLASS_TYPE] = make_type,
        [CLASS_INT] = make_int,
        [CLASS_BOOL] = make_bool,
        [CLASS_FLOAT] = make_float,
        [CLASS_STR] = make_str,
        [CLASS_TUPLE] = make_tuple,
        [CLASS_LIST] = make_list,
        [CLASS_DICT] = make_dict,
        [CLASS_SET] = make_set,
        [CLASS_RANGE] = make_plain_range,
        [CLASS_SLICE] = make_slice,
        [CLASS_PROPERTY] = make_property,
        [CLASS_STATIC_METHOD] = make_static_method,
        [CLASS_CLASS_METHOD] = make_class_method,
        [CLASS_SUPER] = super_of,
        [CLASS_BYTES] = make_absent,
        [CLASS_BYTE_ARRAY] = make_absent,
        [CLASS_COMPLEX] = make_absent,
        [CLASS_MEMORY_VIEW] = make_absent,
    };
    if (makers[class->native]) return makers[class->native](host, call);
    return host_raise(host, CLASS_TYPE_ERROR, "cannot create '%.*s' instances",
                      STR_ARG(class->name));
}

static const Native functions[] = {
    NATIVE("print", "..", run_print),
    NATIVE("repr", "object", run_repr),
    NATIVE("format", "value, format_spec?", run_format),
    NATIVE("len", "object", run_len),
    NATIVE("abs", "x", run_abs),
    NATIVE("round", "number, ndigits?", run_round),
    NATIVE("divmod", "x, y", run_divmod),
    NATIVE("pow", "base, exp, mod?", run_pow),
    NATIVE("hex", "number", run_hex),
    NATIVE("oct", "number", run_oct),
    NATIVE("bin", "number", run_bin),
    NATIVE("ord", "c", run_ord),
    NATIVE("chr", "i", run_chr),
    NATIVE("min", "..", run_min),
    NATIVE("max", "..", run_max),
    NATIVE("sum", "iterable, start?", run_sum),
    NATIVE("any", "iterable", run_any),
    NATIVE("all", "iterable", run_all),
    NATIVE("sorted", "iterable, *, key?, reverse?", run_sorted),
    NATIVE("enumerate", "iterable, start?", run_enumerate),
    NATIVE("zip", "..", run_zip),
    NATIVE("map", "..", run_map),
    NATIVE("filter", "function, iterable", run_filter),
    NATIVE("reversed", "sequence", run_reversed),
    NATIVE("iter", "object, sentinel?", run_iter),
    NATIVE("next", "iterator, default?", run_next),
    NATIVE("isinstance", "object, classinfo", run_isinstance),
    NATIVE("issubclass", "cls, classinfo", run_issubclass),
    NATIVE("getattr", "object, name, default?", run_getattr),
    NATIVE("hasattr", "object, name", run_hasattr),
    NATIVE("setattr", "object, name, value", run_setattr),
    NATIVE("callable", "object", run_callable),
    NATIVE("id", "object", run_id),
    NATIVE("hash", "object", run_hash),
    NATIVE("delattr", "object, name", run_delattr),
    NATIVE("vars", "object", run_vars),
    NATIVE("open", "..", run_open),
    NATIVE("frozenset", "..", run_frozenset),
    NATIVE("breakpoint", "..", run_refused),
    NATIVE("globals", "", run_refused),
    NATIVE("locals", "", run_refused),
    NATIVE("input", "..", run_refused),
    NATIVE("eval", "..", run_refused),
    NATIVE("exec", "..", run_refused),
    NATIVE("compile", "..", run_refused),
    NATIVE("exit", "status?", sys_exit),
    NATIVE("quit", "status?", sys_exit),
    {"aiter", "..", run_absent, 0},
    {"anext", "..", run_absent, 1},
    {"ascii", "..", run_absent, 2},
    {"dir", "..", run_absent, 3},
    {"help", "..", run_absent, 4},
    {"ExceptionGroup", "..", run_absent, 5},
    {"BaseExceptionGroup", "..", run_absent, 6},
    NATIVE("__import__", "..", run_refused),
};
const Native chain_native = NATIVE("chain", "..", run_chain);

static void add(Host *host, const char *name, Object *value) {
    map_set(&host->script->builtins, str_of(name), host_keep(host, value));
}

void builtins_open(Host *host) {
    Script *script = host->script;
    for (int i = 0; i < COUNT(functions); i++)
        add(host, functions[i].name, native_new(host, &functions[i], NULL));
    for (int i = 0; i < NUM_PYTHON_CLASSES; i++) {
        const Class *class = class_info(script->classes[i]);
        bool hidden = i == CLASS_NONE || (i >= CLASS_ELLIPSIS && i <= CLASS_MODULE) ||
                      i == CLASS_ITERATOR || i == CLASS_OTHER;
        if (!hidden) add(host, class->name.data, script->classes[i]);
    }
    Object *not_implemented = heap_new(host, OBJECT_BUILTIN);
    not_implemented->text = STR("NotImplemented");
    add(host, "NotImplemented", not_implemented);
    add(host, "IOError", script->classes[CLASS_OS_ERROR]);
    add(host, "EnvironmentError", script->classes[CLASS_OS_ERROR]);
    add(host, "__debug__", script->booleans[1]);
    add(host, "Ellipsis", object_new(host->arena, OBJECT_ELLIPSIS));
}
