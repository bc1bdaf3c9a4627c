// SPDX-License-Identifier: Apache-2.0
/* values: a recursive-descent evaluator. Precedence as in Python: + - below * / // % below unary -
 * below **. Integers are 64 bits wide and never wrap: overflow is an error. */
#include "cli/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_DEPTH = 100, MAX_CALL_ARGS = 16 };

typedef struct Reader {
    Env *env;
    const Source *source;
    const char *at, *end;
    int depth;
    Str binding;
} Reader;

static ArgValue *read_sum(Reader *reader);

static int offset_of(const Reader *reader) { return (int)(reader->at - reader->source->text.data); }

static void skip_space(Reader *reader) {
    while (reader->at < reader->end && isspace((unsigned char)*reader->at)) reader->at++;
}

static bool take(Reader *reader, const char *token) {
    size_t length = strlen(token);
    skip_space(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, token, length))
        return false;
    reader->at += length;
    return true;
}

static bool peek_char(Reader *reader, char c) {
    skip_space(reader);
    return reader->at < reader->end && *reader->at == c;
}

static Span span_here(const Reader *reader, int start) {
    int end = offset_of(reader);
    return (Span){reader->source, start, end > start ? end : start + 1};
}

static ArgValue *expected(Reader *reader, const char *what) {
    skip_space(reader);
    Span span = span_here(reader, offset_of(reader));
    if (reader->at == reader->end)
        diag_error(reader->env->diag, span, "expected %s, saw the end", what);
    else
        diag_error(reader->env->diag, span, "expected %s, saw '%c'", what, *reader->at);
    return NULL;
}

ArgValue *value_new(Env *env, ArgKind kind) {
    ArgValue *value = arena_new_of(env->arena, ArgValue);
    value->kind = kind;
    return value;
}

ArgValue *value_int(Env *env, int64_t integer) {
    ArgValue *value = value_new(env, ARG_INT);
    value->integer = integer;
    return value;
}

bool value_read_int(const char *text, int base, ArgValue *value) {
    char *end;
    errno = 0;
    value->integer = strtoll(text, &end, base);
    value->is_large = errno == ERANGE && *text != '-';
    if (value->is_large) errno = 0, value->integer = (int64_t)strtoull(text, &end, base);
    return !errno && !*end && end != text;
}

static ArgValue *value_float(Env *env, double number) {
    ArgValue *value = value_new(env, ARG_FLOAT);
    value->number = number;
    return value;
}

const char *value_kind_name(ArgKind kind) {
    switch (kind) {
    case ARG_NONE: return "none";
    case ARG_BOOL: return "bool";
    case ARG_INT: return "int";
    case ARG_FLOAT: return "float";
    case ARG_STR: return "string";
    case ARG_DTYPE: return "dtype";
    case ARG_TUPLE: return "tuple";
    case ARG_DESC: return "tensor descriptor";
    case ARG_TENSOR: return "tensor";
    }
    return "?";
}

/* ---- arithmetic ---- */

static bool is_number(const ArgValue *value) {
    return value->kind == ARG_INT || value->kind == ARG_BOOL || value->kind == ARG_FLOAT;
}

static double number_of(const ArgValue *value) {
    if (value->is_large) return (double)(uint64_t)value->integer;
    return value->kind == ARG_FLOAT ? value->number : (double)value->integer;
}

static bool integer_power(int64_t base, int64_t exponent, int64_t *result) {
    *result = 1;
    for (int64_t i = 0; i < exponent; i++) {
        if (base == 0 || base == 1) {
            *result = base;
            return true;
        }
        if (base == -1) {
            *result = exponent % 2 ? -1 : 1;
            return true;
        }
        if (__builtin_mul_overflow(*result, base, result)) return false;
    }
    return true;
}

/* op: '+', '-', '*', '/', 'd' for //, '%', 'p' for **. NULL: fits or overflows; words otherwise. */
static const char *integer_binary(char op, int64_t a, int64_t b, int64_t *result) {
    static const char overflow[] = "the result does not fit in 64 bits";
    if (op == '+') return __builtin_add_overflow(a, b, result) ? overflow : NULL;
    if (op == '-') return __builtin_sub_overflow(a, b, result) ? overflow : NULL;
    if (op == '*') return __builtin_mul_overflow(a, b, result) ? overflow : NULL;
    if (op == 'p') return integer_power(a, b, result) ? NULL : overflow;
    if (b == 0) return "division by zero";
    if (b == -1) {
        *result = 0;
        return op == 'd' && __builtin_sub_overflow(0, a, result) ? overflow : NULL;
    }
    int64_t quotient = a / b, remainder = a % b;
    if (remainder && (remainder < 0) != (b < 0)) quotient--, remainder += b;
    *result = op == 'd' ? quotient : remainder;
    return NULL;
}

static const char *float_binary(char op, double a, double b, double *result) {
    if ((op == '/' || op == 'd' || op == '%') && b == 0) return "division by zero";
    if (op == '+')
        *result = a + b;
    else if (op == '-')
        *result = a - b;
    else if (op == '*')
        *result = a * b;
    else if (op == '/')
        *result = a / b;
    else if (op == 'd')
        *result = floor(a / b);
    else if (op == 'p')
        *result = pow(a, b);
    else
        *result = a - floor(a / b) * b;
    return NULL;
}

static ArgValue *binary(Reader *reader, char op, ArgValue *a, ArgValue *b, Span span) {
    const char *why;
    if (!is_number(a) || !is_number(b)) {
        diag_error(reader->env->diag, span, "arithmetic on a %s",
                   value_kind_name(is_number(a) ? b->kind : a->kind));
        return NULL;
    }
    bool is_float =
        a->kind == ARG_FLOAT || b->kind == ARG_FLOAT || op == '/' || (op == 'p' && b->integer < 0);
    ArgValue *result = value_new(reader->env, is_float ? ARG_FLOAT : ARG_INT);
    if (is_float)
        why = float_binary(op, number_of(a), number_of(b), &result->number);
    else if (a->is_large || b->is_large)
        why = "arithmetic on ints is of 64 bits with a sign";
    else
        why = integer_binary(op, a->integer, b->integer, &result->integer);
    if (!why) return result;
    diag_error(reader->env->diag, span, "%s", why);
    return NULL;
}

/* ---- atoms ---- */

static ArgValue *read_number(Reader *reader) {
    int start = offset_of(reader);
    char text[64];
    size_t length = 0;
    bool is_hex =
        reader->end - reader->at > 1 && reader->at[0] == '0' && tolower(reader->at[1]) == 'x';
    bool is_float = false;
    while (reader->at < reader->end) {
        char c = *reader->at;
        bool exponent_sign =
            (c == '+' || c == '-') && length && !is_hex && tolower(text[length - 1]) == 'e';
        if (!isalnum((unsigned char)c) && c != '.' && c != '_' && !exponent_sign) break;
        if (c == '.' && reader->end - reader->at > 1 && reader->at[1] == '.') break; /* a range */
        if (length == sizeof text - 1) break;
        if (c != '_') text[length++] = c;
        if (!is_hex && (c == '.' || tolower(c) == 'e')) is_float = true;
        reader->at++;
    }
    text[length] = 0;
    Span span = span_here(reader, start);
    char *end = text;
    ArgValue *value = value_new(reader->env, is_float ? ARG_FLOAT : ARG_INT);
    errno = 0;
    if (is_float)
        value->number = strtod(text, &end);
    else if (value_read_int(text, is_hex ? 16 : 10, value))
        return value;
    if (!is_float && errno == ERANGE) {
        diag_error(reader->env->diag, span, "%s does not fit in 64 bits", text);
        return NULL;
    }
    if (*end || end == text || length == sizeof text - 1) {
        diag_error(reader->env->diag, span, "not a number: '%s'", text);
        return NULL;
    }
    return value;
}

static ArgValue *read_string(Reader *reader) {
    int start = offset_of(reader);
    char quote = *reader->at++;
    Buf text = {.arena = reader->env->arena};
    for (; reader->at < reader->end && *reader->at != quote; reader->at++) {
        if (*reader->at == '\\' && reader->at + 1 < reader->end) reader->at++;
        buf_putc(&text, *reader->at);
    }
    if (reader->at == reader->end) {
        diag_error(reader->env->diag, span_here(reader, start), "the string has no end");
        return NULL;
    }
    reader->at++;
    ArgValue *value = value_new(reader->env, ARG_STR);
    value->text = buf_str(&text);
    return value;
}

static Str read_name(Reader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && (isalnum((unsigned char)*reader->at) || *reader->at == '_'))
        reader->at++;
    return (Str){start, (int)(reader->at - start)};
}

static bool starts_name(const Reader *reader) {
    return reader->at < reader->end && (isalpha((unsigned char)*reader->at) || *reader->at == '_');
}

static bool read_call_arg(Reader *reader, CallArg *arg) {
    skip_space(reader);
    int start = offset_of(reader);
    const char *before = reader->at;
    if (starts_name(reader)) {
        arg->keyword = read_name(reader);
        if (!peek_char(reader, '='))
            reader->at = before, arg->keyword = STR("");
        else
            reader->at++;
    }
    arg->value = read_sum(reader);
    arg->span = span_here(reader, start);
    return arg->value != NULL;
}

/* constexpr(V): an item of a tuple that is known when the kernel is compiled. */
static ArgValue *read_constexpr(Reader *reader, int start) {
    const ArgValue *value = read_sum(reader);
    if (!value || !take(reader, ")")) return value ? expected(reader, "')'") : NULL;
    if (value_has_tensor(value)) {
        diag_error(reader->env->diag, span_here(reader, start), "a constexpr holds no tensor");
        return NULL;
    }
    ArgValue *known = value_new(reader->env, value->kind);
    *known = *value;
    known->is_constexpr = true;
    return known;
}

static ArgValue *read_call(Reader *reader, Str name, int start) {
    if (str_is(name, "constexpr")) return read_constexpr(reader, start);
    CallArg args[MAX_CALL_ARGS] = {0};
    Call call = {reader->env, name, {0}, reader->binding, 0, args};
    while (!take(reader, ")")) {
        if (call.num_args == MAX_CALL_ARGS) return expected(reader, "fewer arguments");
        if (!read_call_arg(reader, &args[call.num_args++])) return NULL;
        if (take(reader, ",")) continue;
        if (!peek_char(reader, ')')) return expected(reader, "',' or ')'");
    }
    call.span = span_here(reader, start);
    return call_evaluate(&call);
}

tern_dtype dtype_from_word(Str word) {
    char text[32];
    if (word.length < 1 || word.length >= (int)sizeof text - 1) return TERN_VOID;
    memcpy(text, word.data, (size_t)word.length);
    text[word.length] = 0;
    tern_dtype dtype = tern_dtype_from_name(text);
    if (dtype != TERN_VOID || text[0] != 'f' || !isdigit((unsigned char)text[1])) return dtype;
    memmove(text + 2, text + 1, (size_t)word.length); /* f32: fp32 */
    text[1] = 'p';
    return tern_dtype_from_name(text);
}

static ArgValue *value_of_word(Reader *reader, Str name, Span span) {
    Env *env = reader->env;
    ArgValue *value;
    if (env_has(env, name)) return env_get(env, name);
    if (str_is(name, "none") || str_is(name, "None")) return value_new(env, ARG_NONE);
    bool is_true = str_is(name, "true") || str_is(name, "True");
    if (is_true || str_is(name, "false") || str_is(name, "False")) {
        value = value_new(env, ARG_BOOL);
        value->integer = is_true;
        return value;
    }
    if (str_is(name, "inf") || str_is(name, "nan"))
        return value_float(env, str_is(name, "inf") ? (double)INFINITY : (double)NAN);
    value = value_new(env, ARG_DTYPE);
    value->dtype = dtype_from_word(name);
    if (value->dtype != TERN_VOID) return value;
    diag_error(env->diag, span, "unknown name '%.*s'", STR_ARG(name));
    diag_help(env->diag, (Span){0}, "a string is written in quotes: \"%.*s\"", STR_ARG(name));
    return NULL;
}

/* NAME= before an item of a named tuple; NULL: there is none. */
static const char *read_field(Reader *reader) {
    const char *start = reader->at;
    skip_space(reader);
    if (starts_name(reader)) {
        Str name = read_name(reader);
        if (take(reader, "=")) return str_c(reader->env->arena, name);
    }
    reader->at = start;
    return NULL;
}

/* After '(': a value in parentheses, or a tuple, perhaps a named one. */
static ArgValue *read_parentheses(Reader *reader) {
    VEC(ArgValue *) items = {0};
    VEC(const char *) names = {0};
    bool is_tuple = false;
    while (!take(reader, ")")) {
        const char *name = read_field(reader);
        if ((name != NULL) != (names.count > 0) && items.count)
            return expected(reader, "a name for each item or for none");
        if (name) vec_push(reader->env->arena, &names, name);
        ArgValue *item = read_sum(reader);
        if (!item) return NULL;
        vec_push(reader->env->arena, &items, item);
        if (take(reader, ","))
            is_tuple = true;
        else if (!peek_char(reader, ')'))
            return expected(reader, "',' or ')'");
    }
    if (items.count == 1 && !is_tuple && !names.count) return items.data[0];
    ArgValue *tuple = value_new(reader->env, ARG_TUPLE);
    tuple->items = items.data;
    tuple->num_items = items.count;
    tuple->names = names.data;
    return tuple;
}

static ArgValue *read_atom(Reader *reader) {
    skip_space(reader);
    int start = offset_of(reader);
    if (reader->at == reader->end) return expected(reader, "a value");
    unsigned char c = (unsigned char)*reader->at;
    if (isdigit(c) || c == '.') return read_number(reader);
    if (c == '"' || c == '\'') return read_string(reader);
    if (take(reader, "(")) return read_parentheses(reader);
    if (!starts_name(reader)) return expected(reader, "a value");
    Str name = read_name(reader);
    Span span = span_here(reader, start);
    if (take(reader, "(")) return read_call(reader, name, start);
    return value_of_word(reader, name, span);
}

static ArgValue *read_power(Reader *reader);

static ArgValue *read_unary(Reader *reader) {
    skip_space(reader);
    int start = offset_of(reader);
    bool minus = take(reader, "-");
    if (!minus && !take(reader, "+")) return read_power(reader);
    if (++reader->depth > MAX_DEPTH) return expected(reader, "less nesting");
    ArgValue *value = read_unary(reader);
    reader->depth--;
    if (!value || !minus) return value;
    return binary(reader, '-', value_int(reader->env, 0), value, span_here(reader, start));
}

static ArgValue *read_power(Reader *reader) {
    skip_space(reader);
    int start = offset_of(reader);
    ArgValue *base = read_atom(reader);
    if (base && peek_char(reader, '^')) {
        diag_error(reader->env->diag, span_here(reader, offset_of(reader)),
                   "'^' is no operator here");
        diag_help(reader->env->diag, (Span){0}, "a power is written 2**12");
        return NULL;
    }
    if (!base || !take(reader, "**")) return base;
    ArgValue *exponent = read_unary(reader);
    return exponent ? binary(reader, 'p', base, exponent, span_here(reader, start)) : NULL;
}

static ArgValue *read_product(Reader *reader) {
    skip_space(reader);
    int start = offset_of(reader);
    ArgValue *value = read_unary(reader);
    while (value) {
        char op = take(reader, "//")  ? 'd'
                  : take(reader, "*") ? '*'
                  : take(reader, "/") ? '/'
                  : take(reader, "%") ? '%'
                                      : 0;
        if (!op) break;
        ArgValue *right = read_unary(reader);
        value = right ? binary(reader, op, value, right, span_here(reader, start)) : NULL;
    }
    return value;
}

static ArgValue *read_sum(Reader *reader) {
    skip_space(reader);
    int start = offset_of(reader);
    if (++reader->depth > MAX_DEPTH) return expected(reader, "less nesting");
    ArgValue *value = read_product(reader);
    while (value) {
        char op = take(reader, "+") ? '+' : take(reader, "-") ? '-' : 0;
        if (!op) break;
        ArgValue *right = read_product(reader);
        value = right ? binary(reader, op, value, right, span_here(reader, start)) : NULL;
    }
    reader->depth--;
    return value;
}

/* ---- bindings ---- */

static ArgValue *evaluate(Env *env, const Source *source, Str text, Str binding) {
    Reader reader = {env, source, text.data, text.data + text.length, 0, binding};
    if (peek_char(&reader, '@')) {
        Str path = {reader.at + 1, (int)(reader.end - reader.at - 1)};
        Span span = {source, offset_of(&reader), offset_of(&reader) + path.length + 1};
        return value_from_npy(env, span, str_c(env->arena, path), TERN_VOID);
    }
    ArgValue *value = read_sum(&reader);
    skip_space(&reader);
    if (value && reader.at < reader.end) return expected(&reader, "the end of the value");
    return value;
}

static Binding *find(const Env *env, Str name) {
    for (int i = 0; i < env->bindings.count; i++)
        if (str_equal(env->bindings.data[i].name, name)) return &env->bindings.data[i];
    return NULL;
}

bool env_has(const Env *env, Str name) { return find(env, name) != NULL; }

bool env_bind(Env *env, const char *text) {
    const char *equals = strchr(text, '=');
    Str name = {text, equals ? (int)(equals - text) : 0};
    bool is_name = name.length > 0 && !isdigit((unsigned char)text[0]);
    for (int i = 0; i < name.length; i++)
        is_name &= isalnum((unsigned char)text[i]) || text[i] == '_';
    if (!is_name) {
        diag_error(env->diag, (Span){0}, "expected -a NAME=VALUE, saw '%s'", text);
        return false;
    }
    if (find(env, name)) {
        diag_error(env->diag, (Span){0}, "argument '%.*s' is given twice", STR_ARG(name));
        return false;
    }
    Str source_name = str_format(env->arena, "-a %.*s", STR_ARG(name));
    Binding binding = {.name = str_copy(env->arena, name)};
    binding.source = source_new(env->arena, source_name, str_copy(env->arena, str_of(equals + 1)));
    vec_push(env->arena, &env->bindings, binding);
    return true;
}

void env_bind_value(Env *env, Str name, ArgValue *value) {
    vec_push(env->arena, &env->bindings,
             (Binding){.name = str_copy(env->arena, name), .value = value});
}

ArgValue *env_get(Env *env, Str name) {
    Binding *binding = find(env, name);
    if (!binding || binding->value || binding->failed) return binding ? binding->value : NULL;
    if (binding->started) {
        diag_error(env->diag, (Span){0}, "argument '%.*s' is defined by itself", STR_ARG(name));
        return NULL;
    }
    binding->started = true;
    ArgValue *value = evaluate(env, binding->source, binding->source->text, binding->name);
    binding = find(env, name);
    binding->value = value;
    binding->failed = !value;
    return value;
}

ArgValue *env_evaluate(Env *env, const char *where, Str text) {
    const Source *source = source_new(env->arena, str_of(where), str_copy(env->arena, text));
    return evaluate(env, source, source->text, str_of(where));
}

int env_evaluate_list(Env *env, const char *where, const char *text, ArgValue **values, int most) {
    const Source *source = source_new(env->arena, str_of(where), str_of(text));
    int count = 0, depth = 0;
    char quote = 0;
    const char *start = text;
    for (const char *at = text;; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '(')
            depth++;
        else if (*at == ')')
            depth--;
        if (*at && (quote || depth > 0 || *at != ',')) continue;
        if (count == most) {
            diag_error(env->diag, (Span){source, (int)(start - text), (int)(at - text)},
                       "more than %d values", most);
            return -1;
        }
        values[count] = evaluate(env, source, (Str){start, (int)(at - start)}, str_of(where));
        if (!values[count++]) return -1;
        if (!*at) return count;
        start = at + 1;
    }
}

void env_free(Env *env) {
    for (int i = 0; i < env->tensors.count; i++) tensor_release(env->tensors.data[i]);
    env->tensors.count = 0;
}

/* ---- tensors inside ---- */

bool value_has_tensor(const ArgValue *value) {
    for (int i = 0; i < value->num_items; i++)
        if (value_has_tensor(value->items[i])) return true;
    return value->kind == ARG_TENSOR;
}

static bool take_extents(const ArgValue *tuple, int rank, int64_t *out) {
    if (tuple->kind != ARG_TUPLE || tuple->num_items != rank) return false;
    for (int i = 0; i < rank; i++) {
        if (tuple->items[i]->kind != ARG_INT) return false;
        out[i] = tuple->items[i]->integer;
    }
    return true;
}

const char *value_descriptor(const ArgValue *value, tern_descriptor *descriptor) {
    const Tensor *base = value->items[0]->tensor;
    Tensor view = {
        .dtype = base->dtype, .rank = value->items[1]->num_items, .offset = base->offset};
    int64_t block[TERN_DESCRIPTOR_RANK], elements;
    *descriptor = (tern_descriptor){.dtype = base->dtype,
                                    .rank = view.rank,
                                    .pads_nan = str_is(value->text, "nan"),
                                    .offset = (size_t)base->offset * tern_dtype_size(base->dtype)};
    if (view.rank < 1 || view.rank > TERN_DESCRIPTOR_RANK) return "it has 1 to 5 dimensions";
    if (!take_extents(value->items[1], view.rank, view.shape) ||
        !take_extents(value->items[2], view.rank, view.strides) ||
        !take_extents(value->items[3], view.rank, block))
        return "shape, strides and block are as many ints";
    for (int i = 0; i < view.rank; i++) {
        descriptor->shape[i] = view.shape[i], descriptor->strides[i] = view.strides[i];
        descriptor->block[i] = block[i] < 1 || block[i] > 1 << 20 ? 0 : (int)block[i];
        if (view.shape[i] < 0 || view.strides[i] < 0)
            return "its shape and strides are not negative";
    }
    const char *why = tern_descriptor_error(descriptor);
    if (why) return why;
    size_t bytes = base->storage_bytes / tern_dtype_size(base->dtype);
    if (!tensor_extent(&view, &elements) || (size_t)elements > bytes)
        return "it reaches beyond its tensor's memory";
    return NULL;
}

/* ---- literals ---- */

static void literal_float(Buf *out, double number) {
    char text[40];
    if (isnan(number)) {
        buf_puts(out, "float('nan')");
        return;
    }
    if (isinf(number)) {
        buf_puts(out, number > 0 ? "float('inf')" : "-float('inf')");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    buf_puts(out, text);
    if (!strpbrk(text, ".e")) buf_puts(out, ".0");
}

static void literal_string(Buf *out, Str text) {
    buf_putc(out, '\'');
    for (int i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\'' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            buf_printf(out, "\\x%02x", c);
        else
            buf_putc(out, (char)c);
    }
    buf_putc(out, '\'');
}

void value_literal(Buf *out, const ArgValue *value) {
    switch (value->kind) {
    case ARG_NONE: buf_puts(out, "None"); break;
    case ARG_BOOL: buf_puts(out, value->integer ? "True" : "False"); break;
    case ARG_INT:
        if (value->is_large)
            buf_printf(out, "%llu", (unsigned long long)value->integer);
        else
            buf_printf(out, "%lld", (long long)value->integer);
        break;
    case ARG_FLOAT: literal_float(out, value->number); break;
    case ARG_STR: literal_string(out, value->text); break;
    case ARG_DTYPE: buf_puts(out, tern_dtype_name(value->dtype)); break;
    case ARG_TUPLE:
        buf_putc(out, '(');
        for (int i = 0; i < value->num_items; i++) {
            if (i) buf_puts(out, ", ");
            value_literal(out, value->items[i]);
        }
        buf_puts(out, value->num_items == 1 ? ",)" : ")");
        break;
    case ARG_DESC:
    case ARG_TENSOR: BUG("a tensor has no literal");
    }
}
