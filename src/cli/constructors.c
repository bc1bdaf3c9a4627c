// SPDX-License-Identifier: Apache-2.0
/* constructors: the functions of the value language: those that make tensors (randn, zeros ..) and
 * those that ask about other arguments (stride, size, numel, cdiv ..).
 *
 * Random numbers are a hash of (seed, index), so that an element depends on nothing else: neither
 * on the order of the arguments nor on the size. Without seed= the seed is a hash of the
 * argument's name: two arguments differ, two runs agree. */
#include "cli/values.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

static ArgValue *complain(const Call *call, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ArgValue *complain(const Call *call, Span span, const char *format, ...) {
    Buf words = {.arena = call->env->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    diag_error(call->env->diag, span, "%.*s: %s", STR_ARG(call->name), words.data);
    return NULL;
}

/* ---- making tensors ---- */

typedef struct Making {
    Tensor *tensor;
    bool have_strides, have_dtype, have_shape;
    uint64_t seed;
    int64_t low, high;
    ArgValue *fill;
} Making;

static bool add_size(const Call *call, Making *making, Span span, const ArgValue *value) {
    Tensor *tensor = making->tensor;
    if (value->kind != ARG_INT)
        return complain(call, span, "a size is an int, saw %s", value_kind_name(value->kind));
    if (value->integer < 0)
        return complain(call, span, "size %lld is negative", (long long)value->integer);
    if (tensor->rank == TENSOR_MAX_RANK)
        return complain(call, span, "more than %d dimensions", TENSOR_MAX_RANK);
    tensor->shape[tensor->rank++] = value->integer;
    return true;
}

static bool take_tuple(const Call *call, Span span, const ArgValue *value, int64_t *numbers,
                       int *count) {
    *count = 1;
    numbers[0] = value->integer;
    if (value->kind == ARG_INT) return true;
    if (value->kind != ARG_TUPLE || value->num_items > TENSOR_MAX_RANK)
        return complain(call, span, "expected ints in parentheses, (1024, 1)");
    *count = value->num_items;
    for (int i = 0; i < *count; i++) {
        if (value->items[i]->kind != ARG_INT || value->items[i]->integer < 0)
            return complain(call, span, "expected ints that are not negative");
        numbers[i] = value->items[i]->integer;
    }
    return true;
}

static bool take_keyword(const Call *call, Making *making, const CallArg *arg, int *num_strides) {
    const ArgValue *value = arg->value;
    Tensor *tensor = making->tensor;
    bool is_randint = str_is(call->name, "randint");
    if (str_is(arg->keyword, "dtype")) {
        if (value->kind != ARG_DTYPE)
            return complain(call, arg->span, "dtype: expected a dtype, saw %s",
                            value_kind_name(value->kind));
        tensor->dtype = value->dtype;
        return making->have_dtype = true;
    }
    if (str_is(arg->keyword, "strides")) {
        making->have_strides = true;
        return take_tuple(call, arg->span, value, tensor->strides, num_strides);
    }
    if (str_is(arg->keyword, "value") && str_is(call->name, "full")) {
        making->fill = arg->value;
        return true;
    }
    if (value->kind != ARG_INT)
        return complain(call, arg->span, "'%.*s' : expected an int, saw %s", STR_ARG(arg->keyword),
                        value_kind_name(value->kind));
    if (str_is(arg->keyword, "seed"))
        making->seed = (uint64_t)value->integer;
    else if (str_is(arg->keyword, "offset") && value->integer >= 0)
        tensor->offset = value->integer;
    else if (is_randint && str_is(arg->keyword, "low"))
        making->low = value->integer;
    else if (is_randint && str_is(arg->keyword, "high"))
        making->high = value->integer;
    else
        return complain(call, arg->span, "no parameter '%.*s' with this value",
                        STR_ARG(arg->keyword));
    return true;
}

static bool take_positional(const Call *call, Making *making, const CallArg *arg,
                            bool is_last_value) {
    ArgValue *value = arg->value;
    if (value->kind == ARG_DTYPE) {
        if (making->have_dtype) return complain(call, arg->span, "a second dtype");
        making->tensor->dtype = value->dtype;
        return making->have_dtype = true;
    }
    if (is_last_value) {
        making->fill = value;
        return true;
    }
    making->have_shape = true;
    if (value->kind != ARG_TUPLE) return add_size(call, making, arg->span, value);
    for (int i = 0; i < value->num_items; i++)
        if (!add_size(call, making, arg->span, value->items[i])) return false;
    return true;
}

/* full(4, 781, f32, 1.5): the last positional argument that is no dtype is the value. */
static int index_of_fill(const Call *call) {
    int last = -1;
    if (!str_is(call->name, "full")) return -1;
    for (int i = 0; i < call->num_args; i++) {
        if (str_is(call->args[i].keyword, "value")) return -1;
        if (!call->args[i].keyword.length && call->args[i].value->kind != ARG_DTYPE) last = i;
    }
    return last;
}

static bool is_given_before(const Call *call, int index) {
    Str keyword = call->args[index].keyword;
    for (int i = 0; i < index && keyword.length; i++)
        if (str_equal(call->args[i].keyword, keyword)) return true;
    return false;
}

static bool take_arguments(const Call *call, Making *making) {
    Tensor *tensor = making->tensor;
    int num_strides = 0, fill = index_of_fill(call);
    for (int i = 0; i < call->num_args; i++) {
        const CallArg *arg = &call->args[i];
        if (is_given_before(call, i))
            return complain(call, arg->span, "'%.*s' is given twice", STR_ARG(arg->keyword));
        bool ok = arg->keyword.length ? take_keyword(call, making, arg, &num_strides)
                                      : take_positional(call, making, arg, i == fill);
        if (!ok) return false;
    }
    if (!making->have_shape) return complain(call, call->span, "expected a shape");
    if (!making->have_strides)
        tensor_set_contiguous(tensor);
    else if (num_strides != tensor->rank)
        return complain(call, call->span, "%d strides for %d dimensions", num_strides,
                        tensor->rank);
    if (str_is(call->name, "full") &&
        (!making->fill || (making->fill->kind != ARG_INT && making->fill->kind != ARG_FLOAT &&
                           making->fill->kind != ARG_BOOL)))
        return complain(call, call->span, "expected a number as the last argument");
    return true;
}

/* ---- filling ---- */

/* splitmix64 (Steele, Lea, Flood 2014), with its counter addressed directly. */
static uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t z = (seed + 1) * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double random_uniform(uint64_t seed, uint64_t index) { /* [0, 1) */
    return (double)(random_bits(seed, index) >> 11) * 0x1p-53;
}

static double random_normal(uint64_t seed, uint64_t index) { /* Box and Muller */
    double u = 1.0 - random_uniform(seed, 2 * index), v = random_uniform(seed, 2 * index + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586477 * v);
}

typedef enum Fill {
    FILL_EMPTY,
    FILL_ZEROS,
    FILL_ONES,
    FILL_VALUE,
    FILL_ARANGE,
    FILL_RAND,
    FILL_RANDN,
    FILL_RANDINT,
    NUM_FILLS
} Fill;
static const char *const fill_names[NUM_FILLS] = {"empty",  "zeros", "ones",  "full",
                                                  "arange", "rand",  "randn", "randint"};

static void fill_element(const Making *making, Fill fill, int64_t index, void *element) {
    tern_dtype dtype = making->tensor->dtype;
    uint64_t range = (uint64_t)making->high - (uint64_t)making->low;
    switch (fill) {
    case FILL_EMPTY: break;
    case FILL_ZEROS: tern_element_set_int(dtype, element, 0); break;
    case FILL_ONES: tern_element_set_int(dtype, element, 1); break;
    case FILL_VALUE:
        if (making->fill->kind == ARG_FLOAT)
            tern_element_set_double(dtype, element, making->fill->number);
        else
            tern_element_set_int(dtype, element, making->fill->integer);
        break;
    case FILL_ARANGE: tern_element_set_int(dtype, element, index); break;
    case FILL_RAND:
        tern_element_set_double(dtype, element, random_uniform(making->seed, (uint64_t)index));
        break;
    case FILL_RANDN:
        tern_element_set_double(dtype, element, random_normal(making->seed, (uint64_t)index));
        break;
    case FILL_RANDINT:
        tern_element_set_int(
            dtype, element,
            (int64_t)((uint64_t)making->low + random_bits(making->seed, (uint64_t)index) % range));
        break;
    case NUM_FILLS: break;
    }
}

/* Does an integer type hold it? (tern_element_set_int wraps.) Floats round. */
static bool holds(tern_dtype dtype, int64_t value) {
    int64_t element = 0;
    if (tern_dtype_is_float(dtype)) return true;
    tern_element_set_int(dtype, &element, value);
    return tern_element_int(dtype, &element) == value &&
           (value >= 0 || tern_dtype_is_signed(dtype));
}

static bool integers_fit(const Call *call, const Making *making, Fill fill) {
    tern_dtype dtype = making->tensor->dtype;
    int64_t least = 0, most = 0;
    if (fill == FILL_VALUE && making->fill->kind != ARG_FLOAT) least = most = making->fill->integer;
    if (fill == FILL_RANDINT) least = making->low, most = making->high - 1;
    if (fill == FILL_ARANGE) {
        int64_t count = tensor_count(making->tensor);
        most = count > 0 ? count - 1 : 0;
    }
    if (holds(dtype, least) && holds(dtype, most)) return true;
    return complain(call, call->span, "%lld does not fit in %s",
                    (long long)(holds(dtype, least) ? most : least), tern_dtype_name(dtype));
}

static bool fill_allowed(const Call *call, Making *making, Fill fill) {
    tern_dtype dtype = making->tensor->dtype;
    bool is_float = tern_dtype_is_float(dtype);
    if ((fill == FILL_RAND || fill == FILL_RANDN) && !is_float)
        return complain(call, call->span, "%s has no fractions; use randint(.., low=0, high=10)",
                        tern_dtype_name(dtype));
    if (fill == FILL_VALUE && making->fill->kind == ARG_FLOAT && !is_float)
        return complain(call, call->span, "a float value for %s", tern_dtype_name(dtype));
    if (fill == FILL_RANDINT && making->high <= making->low)
        return complain(call, call->span, "low must be below high");
    return true;
}

/* Of the same numbers those that were made before, else NULL. */
static const Drawn *find_drawn(const Draws *draws, const Drawn *wanted) {
    for (int i = 0; draws && i < draws->rows.count; i++) {
        const Drawn *row = &draws->rows.data[i];
        if (row->fill == wanted->fill && row->seed == wanted->seed && row->low == wanted->low &&
            row->high == wanted->high && row->count == wanted->count && row->dtype == wanted->dtype)
            return row;
    }
    return NULL;
}

/* Elements [low, high) of a tensor; `in_order`: element i lies at place i. */
typedef struct Part {
    const Making *making;
    Fill fill;
    bool in_order;
    int64_t low, high;
    pthread_t thread;
    bool is_apart; /* has a thread of its own */
} Part;

static void *fill_part(void *user) {
    const Part *part = user;
    const Tensor *tensor = part->making->tensor;
    size_t size = tern_dtype_size(tensor->dtype);
    for (int64_t i = part->low; i < part->high; i++)
        fill_element(part->making, part->fill, i,
                     tensor->storage +
                         (size_t)(part->in_order ? i : tensor_place(tensor, i)) * size);
    return NULL;
}

enum { MOST_PARTS = 32, ELEMENTS_OF_A_PART = 1 << 18 };

/* An element depends on nothing but its index, so that it does not matter who makes it; but of
 * several at one place the last must win. */
static void fill_elements(const Making *making, Fill fill, bool in_order) {
    Part parts[MOST_PARTS];
    int64_t count = tensor_count(making->tensor), most = count / ELEMENTS_OF_A_PART + 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (most > cores) most = cores < 1 ? 1 : cores;
    if (most > MOST_PARTS) most = MOST_PARTS;
    if (!in_order) most = 1;
    for (int i = 0; i < most; i++) {
        parts[i] = (Part){.making = making,
                          .fill = fill,
                          .in_order = in_order,
                          .low = count / most * i,
                          .high = i + 1 == most ? count : count / most * (i + 1)};
        parts[i].is_apart = i && !pthread_create(&parts[i].thread, NULL, fill_part, &parts[i]);
    }
    for (int i = 0; i < most; i++)
        if (!parts[i].is_apart) fill_part(&parts[i]);
    for (int i = 0; i < most; i++)
        if (parts[i].is_apart) pthread_join(parts[i].thread, NULL);
}

static void fill_tensor(const Making *making, Fill fill, Draws *draws) {
    Tensor *tensor = making->tensor;
    int64_t count = tensor_count(tensor);
    size_t bytes = (size_t)count * tern_dtype_size(tensor->dtype);
    bool in_order = !making->have_strides && !tensor->offset;
    bool keeps = draws && fill >= FILL_RAND && in_order;
    Drawn drawn = {fill, making->seed, making->low, making->high, count, tensor->dtype, NULL};
    const Drawn *known = keeps ? find_drawn(draws, &drawn) : NULL;
    if (known && bytes) memcpy(tensor->storage, known->bytes, bytes);
    if (!known && fill != FILL_EMPTY) fill_elements(making, fill, in_order);
    if (!keeps || known || !bytes || bytes > INT32_MAX) return;
    unsigned char *copy = arena_array(draws->arena, unsigned char, (int)bytes);
    memcpy(copy, tensor->storage, bytes);
    drawn.bytes = copy;
    vec_push(draws->arena, &draws->rows, drawn);
}

static ArgValue *make_tensor(const Call *call, Fill fill) {
    Env *env = call->env;
    Tensor *tensor = arena_new_of(env->arena, Tensor);
    Making making = {.tensor = tensor, .low = 0, .high = 10};
    tensor->dtype = fill == FILL_RANDINT ? TERN_INT32 : TERN_FLOAT32;
    making.seed = hash_bytes(call->binding.data, (size_t)call->binding.length, 0);
    if (!take_arguments(call, &making) || !fill_allowed(call, &making, fill)) return NULL;
    const char *why = tensor_allocate(tensor, env->arena);
    if (why) return complain(call, call->span, "the tensor %s", why);
    vec_push(env->arena, &env->tensors, tensor);
    if (!integers_fit(call, &making, fill)) return NULL;
    fill_tensor(&making, fill, env->draws);
    ArgValue *value = value_new(env, ARG_TENSOR);
    value->tensor = tensor;
    value->is_empty = fill == FILL_EMPTY;
    return value;
}

/* ---- files ---- */

/* Is there an int that the wanted type cannot hold? */
static bool has_too_large(const tern_array *array, tern_dtype dtype) {
    size_t size = tern_dtype_size(array->dtype);
    if (tern_dtype_is_float(array->dtype) || dtype == array->dtype) return false;
    for (size_t at = 0; at + size <= array->size_bytes; at += size) {
        int64_t value = tern_element_int(array->dtype, (const char *)array->data + at);
        bool is_wide = value < 0 && !tern_dtype_is_signed(array->dtype); /* a u64 beyond int64 */
        if (is_wide ? !tern_dtype_is_float(dtype) : !holds(dtype, value)) return true;
    }
    return false;
}

ArgValue *value_from_npy(Env *env, Span span, const char *path, tern_dtype dtype) {
    Tensor *tensor = arena_new_of(env->arena, Tensor);
    tern_array array = {0};
    if (tern_npy_read(env->context, path, &array) != TERN_OK) {
        diag_error(env->diag, span, "%s", tern_message(env->context));
        return NULL;
    }
    if (tensor_is_bits_of(array.dtype, dtype)) array.dtype = dtype;
    *tensor = (Tensor){.dtype = array.dtype, .rank = array.rank, .is_of_file = dtype == TERN_VOID};
    if (dtype != TERN_VOID) tensor->dtype = dtype;
    for (int i = 0; i < array.rank; i++) tensor->shape[i] = array.shape[i];
    tensor_set_contiguous(tensor);
    const char *why = tensor_allocate(tensor, env->arena);
    bool loses = tern_dtype_is_float(array.dtype) && !tern_dtype_is_float(tensor->dtype);
    if (!why && loses) why = "holds fractions: it is not converted to integers";
    if (!why && has_too_large(&array, tensor->dtype))
        why = str_format(env->arena, "has an int that does not fit in %s",
                         tern_dtype_name(tensor->dtype))
                  .data;
    if (why)
        diag_error(env->diag, span, "%s %s", path, why);
    else
        tern_convert(array.dtype, array.data, tensor->dtype, tensor->storage,
                     (size_t)tensor_count(tensor));
    tern_free(array.data);
    vec_push(env->arena, &env->tensors, tensor);
    if (why) return NULL;
    ArgValue *value = value_new(env, ARG_TENSOR);
    value->tensor = tensor;
    return value;
}

static ArgValue *call_load(const Call *call) {
    bool ok = call->num_args >= 1 && call->num_args <= 2 && call->args[0].value->kind == ARG_STR;
    if (call->num_args == 2) ok = ok && call->args[1].value->kind == ARG_DTYPE;
    if (!ok)
        return complain(call, call->span,
                        "expected load(\"file.npy\") or load(\"file.npy\", dtype)");
    return value_from_npy(call->env, call->args[0].span,
                          str_c(call->env->arena, call->args[0].value->text),
                          call->num_args == 2 ? call->args[1].value->dtype : TERN_VOID);
}

/* ---- asking ---- */

static bool want_ints(const Call *call, int count) {
    if (call->num_args != count)
        return complain(call, call->span, "expected %d argument%s, got %d", count,
                        count == 1 ? "" : "s", call->num_args);
    for (int i = 0; i < count; i++)
        if (call->args[i].value->kind != ARG_INT || call->args[i].keyword.length)
            return complain(call, call->args[i].span, "expected an int, saw %s",
                            value_kind_name(call->args[i].value->kind));
    return true;
}

static ArgValue *call_integers(const Call *call) {
    Env *env = call->env;
    bool one = str_is(call->name, "next_power_of_2");
    if (!want_ints(call, one ? 1 : 2)) return NULL;
    int64_t a = call->args[0].value->integer, b = one ? 0 : call->args[1].value->integer;
    if (str_is(call->name, "min")) return value_int(env, a < b ? a : b);
    if (str_is(call->name, "max")) return value_int(env, a > b ? a : b);
    if (str_is(call->name, "cdiv")) {
        if (b <= 0 || a < 0)
            return complain(call, call->span,
                            "expected a divisor above 0 and a dividend not below 0");
        return value_int(env, a / b + (a % b != 0));
    }
    int64_t power = 1;
    if (a > (int64_t)1 << 62)
        return complain(call, call->span, "the result does not fit in 64 bits");
    while (power < a) power *= 2;
    return value_int(env, power);
}

static ArgValue *extents(Env *env, int count, const int64_t *numbers) {
    ArgValue *tuple = value_new(env, ARG_TUPLE);
    tuple->items = arena_array(env->arena, ArgValue *, count + 1);
    tuple->num_items = count;
    for (int i = 0; i < count; i++) tuple->items[i] = value_int(env, numbers[i]);
    return tuple;
}

/* desc(tensor, (64, 32), shape=(..), strides=(..)) */
static ArgValue *call_descriptor(const Call *call) {
    Env *env = call->env;
    bool fine = call->num_args >= 2 && call->args[0].value->kind == ARG_TENSOR &&
                !call->args[0].keyword.length && !call->args[1].keyword.length;
    if (!fine)
        return complain(call, call->span,
                        "expected desc(TENSOR, BLOCK_SHAPE), with shape= and strides= if they are "
                        "not the tensor's");
    const Tensor *base = call->args[0].value->tensor;
    ArgValue *value = value_new(env, ARG_DESC);
    value->items = arena_array(env->arena, ArgValue *, 4);
    value->num_items = 4;
    value->items[0] = call->args[0].value;
    value->items[1] = extents(env, base->rank, base->shape);
    value->items[2] = extents(env, base->rank, base->strides);
    for (int i = 1; i < call->num_args; i++) {
        const CallArg *arg = &call->args[i];
        int64_t numbers[TENSOR_MAX_RANK];
        int count, place = i == 1                            ? 3
                           : str_is(arg->keyword, "shape")   ? 1
                           : str_is(arg->keyword, "strides") ? 2
                                                             : 0;
        if (!place)
            return complain(call, arg->span, "desc has no parameter '%.*s'", STR_ARG(arg->keyword));
        if (!take_tuple(call, arg->span, arg->value, numbers, &count)) return NULL;
        value->items[place] = extents(env, count, numbers);
    }
    tern_descriptor descriptor;
    const char *why = value_descriptor(value, &descriptor);
    return why ? complain(call, call->span, "not a tensor descriptor: %s", why) : value;
}

static ArgValue *call_dtype(const Call *call) {
    if (call->num_args != 1 || call->args[0].value->kind != ARG_TENSOR)
        return complain(call, call->span, "expected a tensor");
    ArgValue *value = value_new(call->env, ARG_DTYPE);
    value->dtype = call->args[0].value->tensor->dtype;
    return value;
}

static ArgValue *call_tensor(const Call *call) {
    bool numel = str_is(call->name, "numel");
    if (call->num_args != (numel ? 1 : 2))
        return complain(call, call->span, "expected %s",
                        numel ? "a tensor" : "a tensor and a dimension");
    if (call->args[0].value->kind != ARG_TENSOR)
        return complain(call, call->args[0].span, "expected a tensor, saw %s",
                        value_kind_name(call->args[0].value->kind));
    const Tensor *tensor = call->args[0].value->tensor;
    if (numel) return value_int(call->env, tensor_count(tensor));
    const ArgValue *dim = call->args[1].value;
    int64_t index = dim->integer < 0 ? dim->integer + tensor->rank : dim->integer;
    if (dim->kind != ARG_INT || index < 0 || index >= tensor->rank)
        return complain(call, call->args[1].span, "expected a dimension of a tensor that has %d",
                        tensor->rank);
    return value_int(call->env,
                     str_is(call->name, "stride") ? tensor->strides[index] : tensor->shape[index]);
}

ArgValue *call_evaluate(const Call *call) {
    static const char *const integers[] = {"cdiv", "next_power_of_2", "min", "max"};
    static const char *const questions[] = {"stride", "size", "numel"};
    for (int i = 0; i < NUM_FILLS; i++)
        if (str_is(call->name, fill_names[i])) return make_tensor(call, (Fill)i);
    for (int i = 0; i < COUNT(integers); i++)
        if (str_is(call->name, integers[i])) return call_integers(call);
    for (int i = 0; i < COUNT(questions); i++)
        if (str_is(call->name, questions[i])) return call_tensor(call);
    if (str_is(call->name, "load")) return call_load(call);
    if (str_is(call->name, "desc")) return call_descriptor(call);
    if (str_is(call->name, "dtype")) return call_dtype(call);
    diag_error(call->env->diag, call->span, "unknown function '%.*s'", STR_ARG(call->name));
    diag_help(
        call->env->diag, (Span){0},
        "there are randn rand randint zeros ones full arange empty load desc constexpr stride size "
        "numel "
        "dtype cdiv next_power_of_2 min max");
    return NULL;
}
