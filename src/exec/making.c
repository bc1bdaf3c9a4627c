// SPDX-License-Identifier: Apache-2.0
/* making: functions of torch that make tensors: of sizes, of Python's numbers, random ones. */
#include "exec/exec.h"

#include <stdlib.h>

static tern_session *session_of(const Host *host) { return exec_of(host)->session; }
static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static bool given(const Object *object) { return object && object->kind != OBJECT_NONE; }

/* What *size, dtype=, device= say. */
typedef struct Wanted {
    int rank;
    int64_t sizes[TERN_MAX_RANK];
    tern_dtype dtype;
    bool is_cuda, has_dtype, needs_grad;
    bool turned; /* sizes are those of dimension order[0], .. */
    int order[TERN_MAX_RANK];
} Wanted;

static bool is_word(Host *host, Str name, Object *value, Wanted *wanted, bool *fine) {
    if (str_is(name, "dtype")) {
        if (given(value))
            *fine = torch_dtype_of(host, value, &wanted->dtype), wanted->has_dtype = true;
    } else if (str_is(name, "device")) {
        *fine = device_of(host, value, &wanted->is_cuda);
    } else if (str_is(name, "requires_grad")) {
        wanted->needs_grad = script_truth(host, value);
    } else {
        return false;
    }
    return true;
}

/* torch.zeros(2, 3, dtype=..) or torch.zeros((2, 3)). `first` positional ones come before. */
static bool wanted_of(Host *host, const HostCall *call, int first, Wanted *wanted) {
    Object *sizes[TERN_MAX_RANK + 1];
    int count = 0, positional = 0;
    *wanted = (Wanted){.dtype = TERN_FLOAT32};
    for (int i = 0; i < call->num_args; i++) {
        Str name = call->names ? call->names[i] : (Str){0};
        bool fine = true;
        if (!name.length && positional++ < first) continue;
        if (name.length && is_word(host, name, call->args[i], wanted, &fine)) {
            if (!fine || is_raised(host)) return false;
            continue;
        }
        if (name.length && !str_is(name, "size"))
            return host_refuse(host, "'%.*s=' here", STR_ARG(name)), false;
        if (count > TERN_MAX_RANK) return host_refuse(host, "so many dimensions"), false;
        sizes[count++] = call->args[i];
    }
    for (int i = 0; i < count; i++)
        if (object_is_integral(sizes[i]) && sizes[i]->integer != (int64_t)sizes[i]->integer)
            return host_raise(host, CLASS_TYPE_ERROR,
                              "%s(): argument 'size' failed to unpack the object at pos %d with "
                              "error \"Overflow when unpacking long long\"",
                              host->script->calling, i + 1),
                   false;
    bool is_none = count && (sizes[0]->kind == OBJECT_FLOAT || sizes[0]->kind == OBJECT_STR);
    if (is_none)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "%s(): argument 'size' (position 1) must be tuple of ints, not %.*s",
                          host->script->calling,
                          STR_ARG(class_info(class_of(host, sizes[0]))->name)),
               false;
    if (count == 1) return sizes_of(host, sizes[0], &wanted->rank, wanted->sizes);
    if (count > TERN_MAX_RANK) return host_refuse(host, "so many dimensions"), false;
    for (int i = 0; i < count; i++)
        if (!host_int(host, sizes[i], "a size", &wanted->sizes[i])) return false;
    wanted->rank = count;
    return true;
}

static Object *with_grad(Host *host, Object *made, bool needs_grad) {
    if (!needs_grad || is_raised(host)) return made;
    return tern_set_requires_grad(tensor_of(made), true) ? tensor_failed(host) : made;
}

enum { MAKE_EMPTY, MAKE_ZEROS, MAKE_ONES, MAKE_RAND, MAKE_RANDN };

static tern_tensor *drawn(Host *host, const Wanted *wanted, bool is_normal) {
    Random *random = &exec_of(host)->random;
    if (!host_may_do(host, "random numbers")) return NULL;
    tern_tensor *shaped = tern_empty(session_of(host), wanted->dtype, wanted->rank, wanted->sizes);
    if (!shaped) return NULL;
    int64_t count = tern_numel(shaped);
    bool wide = wanted->dtype == TERN_FLOAT64;
    tern_drop(shaped); /* its size is one that there can be */
    void *data = malloc((size_t)count * (wide ? 8 : 4) + 8);
    if (!data) return NULL;
    if (wide && is_normal)
        torch_fill_normal_double(random, data, count);
    else if (wide)
        for (int64_t i = 0; i < count; i++) ((double *)data)[i] = torch_uniform(random);
    else if (is_normal)
        torch_fill_normal(random, data, count);
    else
        for (int64_t i = 0; i < count; i++) ((float *)data)[i] = torch_uniform_float(random);
    tern_tensor *tensor = tern_from(session_of(host), data, wide ? TERN_FLOAT64 : TERN_FLOAT32,
                                    wanted->rank, wanted->sizes);
    free(data);
    if (!tensor || tern_tensor_dtype(tensor) == wanted->dtype) return tensor;
    tern_tensor *cast = tern_to(tensor, wanted->dtype);
    tern_drop(tensor);
    return cast;
}

static Object *made(Host *host, const Wanted *w, int what) {
    tern_session *session = session_of(host);
    tern_tensor *tensor = NULL;
    bool draws = what == MAKE_RAND || what == MAKE_RANDN;
    if (draws && !tern_dtype_is_float(w->dtype))
        return host_raise(host, CLASS_RUNTIME_ERROR, "\"%s\" not implemented for '%s'",
                          what == MAKE_RAND ? "check_uniform_bounds" : "normal_kernel_cpu",
                          tern_torch_name(w->dtype));
    if (what == MAKE_EMPTY) tensor = tern_empty(session, w->dtype, w->rank, w->sizes);
    if (what == MAKE_ZEROS) tensor = tern_zeros(session, w->dtype, w->rank, w->sizes);
    if (what == MAKE_ONES) tensor = tern_ones(session, w->dtype, w->rank, w->sizes);
    if (draws) tensor = drawn(host, w, what == MAKE_RANDN);
    if (tensor && w->turned) {
        int back[TERN_MAX_RANK];
        for (int i = 0; i < w->rank; i++) back[w->order[i]] = i;
        tern_tensor *view = tern_permute(tensor, w->rank, back);
        tern_drop(tensor);
        tensor = view;
    }
    if (is_raised(host)) return none_of(host);
    return with_grad(host, tensor_wrap(host, tensor, w->is_cuda), w->needs_grad);
}

static Object *run_make(Host *host, Object *const *args, const HostCall *call) {
    Wanted wanted;
    (void)args;
    return wanted_of(host, call, 0, &wanted) ? made(host, &wanted, call->id) : none_of(host);
}

/* >0: a lies further apart in memory than b; 0: not said. */
static int is_wider(tern_tensor *like, int a, int b) {
    int64_t left = tern_strides(like)[a], right = tern_strides(like)[b];
    if (!left || !right) return 0;
    if (left != right) return left > right ? 1 : -1;
    return tern_shape(like)[a] > tern_shape(like)[b];
}

bool memory_order(tern_tensor *like, int *order) {
    int rank = tern_rank(like);
    bool turned = false;
    for (int i = 0; i < rank; i++) order[i] = i;
    for (int n = rank - 2; n >= 0; n--) {
        int at = n, is = 0;
        for (int k = n + 1; k < rank && is >= 0; k++) {
            is = is_wider(like, order[k], order[at]);
            if (is <= 0) continue;
            int other = order[k];
            order[k] = order[at], order[at] = other, at = k;
        }
    }
    for (int i = 0; i < rank; i++) turned |= order[i] != i;
    return turned;
}

static bool is_dense(tern_tensor *x, const int *order) {
    int64_t stride = 1;
    for (int i = tern_rank(x) - 1; i >= 0; i--) {
        int64_t size = tern_shape(x)[order[i]];
        if (size != 1 && tern_strides(x)[order[i]] != stride) return false;
        stride *= size;
    }
    return true;
}

/* torch.empty_like(x, dtype=, device=) */
static Object *run_like(Host *host, Object *const *args, const HostCall *call) {
    Wanted wanted;
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    tern_tensor *like = tensor_of(args[0]);
    bool same = !given(args[1]);
    wanted = (Wanted){.rank = tern_rank(like), .dtype = tern_tensor_dtype(like)};
    wanted.is_cuda = args[0]->weight;
    memcpy(wanted.sizes, tern_shape(like), (size_t)wanted.rank * sizeof *wanted.sizes);
    if (!same && !torch_dtype_of(host, args[1], &wanted.dtype)) return none_of(host);
    if (given(args[2]) && !device_of(host, args[2], &wanted.is_cuda)) return none_of(host);
    wanted.needs_grad = args[3] && script_truth(host, args[3]);
    wanted.turned = memory_order(like, wanted.order);
    same &= is_dense(like, wanted.order);
    if (same && call->id == MAKE_EMPTY)
        return with_grad(host, tensor_wrap(host, tern_empty_like(like), wanted.is_cuda),
                         wanted.needs_grad);
    if (same && call->id == MAKE_ZEROS)
        return with_grad(host, tensor_wrap(host, tern_zeros_like(like), wanted.is_cuda),
                         wanted.needs_grad);
    for (int i = 0; i < wanted.rank; i++) wanted.sizes[i] = tern_shape(like)[wanted.order[i]];
    return made(host, &wanted, call->id);
}

/* torch.empty_strided(size, stride, *, dtype=, device=) */
static Object *run_empty_strided(Host *host, Object *const *args, const HostCall *call) {
    Wanted w = {.dtype = TERN_FLOAT32};
    int rank;
    int64_t strides[TERN_MAX_RANK];
    (void)call;
    if (!sizes_of(host, args[0], &w.rank, w.sizes) || !sizes_of(host, args[1], &rank, strides) ||
        (given(args[2]) && !torch_dtype_of(host, args[2], &w.dtype)) ||
        !device_of(host, args[3], &w.is_cuda))
        return none_of(host);
    if (rank != w.rank)
        return host_raise(host, CLASS_RUNTIME_ERROR, "mismatch in length of strides and shape");
    return tensor_wrap(host, tern_empty_strided(session_of(host), w.dtype, rank, w.sizes, strides),
                       w.is_cuda);
}

/* A number, or what a tensor of one element holds. NULL: raised. */
static Object *number_of(Host *host, Object *object, const char *what, double *value) {
    if (is_tensor_object(object)) {
        Object *item = tensor_type.attribute(host, object, STR("item"));
        object = host_invoke_with(host, item, 0, NULL);
    }
    return host_double(host, object, what, value) ? object : NULL;
}

static Object *run_full(Host *host, Object *const *args, const HostCall *call) {
    Wanted w = {.dtype = TERN_FLOAT32};
    double value;
    (void)call;
    Object *number = number_of(host, args[1], "fill_value", &value);
    if (!number || !sizes_of(host, args[0], &w.rank, w.sizes)) return none_of(host);
    if (number->kind == OBJECT_INT) w.dtype = TERN_INT64;
    if (number->kind == OBJECT_BOOL) w.dtype = TERN_BOOL;
    if (given(args[2]) && !torch_dtype_of(host, args[2], &w.dtype)) return none_of(host);
    if (!device_of(host, args[3], &w.is_cuda)) return none_of(host);
    tern_tensor *filled = full_of(host, number, w.dtype, w.rank, w.sizes);
    if (is_raised(host)) return none_of(host);
    Object *full = tensor_wrap(host, filled, w.is_cuda);
    return with_grad(host, full, args[4] && script_truth(host, args[4]));
}

#define MOST_EXACT ((int128)1 << 53) /* of integers that are doubles */

static Object *run_arange(Host *host, Object *const *args, const HostCall *call) {
    double bounds[3] = {0, 0, 1};
    tern_dtype dtype = TERN_INT64;
    bool is_cuda;
    (void)call;
    int count = given(args[1]) ? given(args[2]) ? 3 : 2 : 1;
    for (int i = 0; i < count; i++) {
        Object *number = number_of(host, args[i], "the bound", &bounds[count == 1 ? 1 : i]);
        if (!number) return none_of(host);
        if (number->kind == OBJECT_FLOAT)
            dtype = TERN_FLOAT32;
        else if (number->integer > MOST_EXACT || number->integer < -MOST_EXACT)
            return host_refuse(host, "a range beyond 2^53");
    }
    if (given(args[3]) && !torch_dtype_of(host, args[3], &dtype)) return none_of(host);
    if (!device_of(host, args[4], &is_cuda)) return none_of(host);
    Object *range = tensor_wrap(
        host, tern_arange(session_of(host), dtype, bounds[0], bounds[1], bounds[2]), is_cuda);
    return with_grad(host, range, args[5] && script_truth(host, args[5]));
}

static Object *run_randint(Host *host, Object *const *args, const HostCall *call) {
    int64_t low = 0, high;
    int at = given(args[2]) ? 1 : 0; /* randint(high, size) or randint(low, high, size) */
    Wanted w = {.dtype = TERN_INT64};
    (void)call;
    if (!host_may_do(host, "random numbers")) return none_of(host);
    if ((at && !host_int(host, args[0], "low", &low)) || !host_int(host, args[at], "high", &high) ||
        !sizes_of(host, args[at + 1], &w.rank, w.sizes) ||
        (given(args[3]) && !torch_dtype_of(host, args[3], &w.dtype)) ||
        !device_of(host, args[4], &w.is_cuda))
        return none_of(host);
    if (low >= high)
        return host_raise(
            host, CLASS_RUNTIME_ERROR,
            "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
            (long long)low, (long long)high);
    tern_tensor *shaped = tern_empty(session_of(host), TERN_INT64, w.rank, w.sizes);
    if (!shaped) return tensor_failed(host);
    int64_t count = tern_numel(shaped);
    tern_drop(shaped);
    int64_t *data = malloc((size_t)count * sizeof *data + 8);
    if (!data) longjmp(host->script->no_memory, 1);
    uint64_t range = (uint64_t)high - (uint64_t)low;
    for (int64_t i = 0; i < count; i++)
        data[i] = low + (int64_t)torch_below(&exec_of(host)->random, range);
    tern_tensor *tensor = tern_from(session_of(host), data, TERN_INT64, w.rank, w.sizes);
    free(data);
    tern_tensor *cast = tern_to(tensor, w.dtype);
    tern_drop(tensor);
    return tensor_wrap(host, cast, w.is_cuda);
}

/* torch.tensor([[1, 2], [3, 4]]): the shape and the values, row-major. */
typedef struct Values {
    VEC(Object *) items;
    int rank;
    int64_t sizes[TERN_MAX_RANK];
} Values;

static bool collect(Host *host, Object *object, int depth, Values *values) {
    bool is_list = object->kind == OBJECT_LIST || object->kind == OBJECT_TUPLE;
    if (is_list && depth == TERN_MAX_RANK) return host_refuse(host, "so many dimensions"), false;
    if (depth == values->rank && is_list && !values->items.count)
        values->sizes[values->rank++] = object->num_items;
    bool fits = is_list ? depth < values->rank && values->sizes[depth] == object->num_items
                        : depth == values->rank;
    if (!fits) {
        host_raise(host, CLASS_VALUE_ERROR, "expected sequence of length %lld at dim %d (got %d)",
                   depth < values->rank ? (long long)values->sizes[depth] : 0, depth,
                   is_list ? object->num_items : 0);
        return false;
    }
    if (!is_list) {
        if (!object_is_number(object))
            return host_raise(host, CLASS_TYPE_ERROR, "must be real number, not %.*s",
                              STR_ARG(class_info(class_of(host, object))->name)),
                   false;
        vec_push(host->arena, &values->items, object);
        return true;
    }
    for (int i = 0; i < object->num_items; i++)
        if (!collect(host, object->items[i], depth + 1, values)) return false;
    return true;
}

/* torch.tensor of an array of NumPy's: a copy, of its type. */
static Object *of_array(Host *host, tern_tensor *array, Object *const *args) {
    tern_dtype dtype = tern_tensor_dtype(array);
    bool is_cuda;
    if ((given(args[1]) && !torch_dtype_of(host, args[1], &dtype)) ||
        !device_of(host, args[2], &is_cuda))
        return none_of(host);
    tern_tensor *copy = tern_clone(array), *cast = copy ? tern_to(copy, dtype) : NULL;
    tern_drop(copy);
    Object *tensor = tensor_wrap(host, cast, is_cuda);
    return with_grad(host, tensor, args[3] && script_truth(host, args[3]));
}

static Object *run_tensor(Host *host, Object *const *args, const HostCall *call) {
    Values values = {0};
    bool is_cuda, is_float = false, all_bool = true;
    (void)call;
    if (is_tensor_object(args[0])) return host_refuse(host, "torch.tensor of a tensor");
    bool is_instance = args[0]->kind == OBJECT_HOST && args[0]->type == &instance_type;
    Object *array = is_instance ? dict_find_text(args[0]->items[1], STR("_tensor")) : NULL;
    if (is_tensor_object(array)) return of_array(host, tensor_of(array), args);
    if (!device_of(host, args[2], &is_cuda) || !collect(host, args[0], 0, &values))
        return none_of(host);
    for (int i = 0; i < values.items.count; i++) {
        is_float |= values.items.data[i]->kind == OBJECT_FLOAT;
        all_bool &= values.items.data[i]->kind == OBJECT_BOOL;
    }
    if (!values.items.count) is_float = true, all_bool = false;
    tern_dtype dtype = is_float ? TERN_FLOAT32 : all_bool ? TERN_BOOL : TERN_INT64;
    if (given(args[1]) && !torch_dtype_of(host, args[1], &dtype)) return none_of(host);
    size_t size = tern_dtype_size(dtype);
    unsigned char *data =
        arena_array(host->arena, unsigned char, (size_t)values.items.count *size + 8);
    for (int i = 0; i < values.items.count; i++)
        if (!element_of(host, values.items.data[i], dtype, true, data + (size_t)i * size))
            return none_of(host);
    Object *tensor = tensor_wrap(
        host, tern_from(session_of(host), data, dtype, values.rank, values.sizes), is_cuda);
    return with_grad(host, tensor, args[3] && script_truth(host, args[3]));
}

static const Native rows[] = {
    {"empty", "..", run_make, MAKE_EMPTY},
    {"zeros", "..", run_make, MAKE_ZEROS},
    {"ones", "..", run_make, MAKE_ONES},
    {"rand", "..", run_make, MAKE_RAND},
    {"randn", "..", run_make, MAKE_RANDN},
    {"empty_like", "input, *, dtype?, device?, requires_grad?, memory_format?", run_like,
     MAKE_EMPTY},
    {"zeros_like", "input, *, dtype?, device?, requires_grad?, memory_format?", run_like,
     MAKE_ZEROS},
    {"ones_like", "input, *, dtype?, device?, requires_grad?, memory_format?", run_like, MAKE_ONES},
    {"rand_like", "input, *, dtype?, device?, requires_grad?, memory_format?", run_like, MAKE_RAND},
    {"randn_like", "input, *, dtype?, device?, requires_grad?, memory_format?", run_like,
     MAKE_RANDN},
    NATIVE("empty_strided", "size, stride, *, dtype?, device?", run_empty_strided),
    NATIVE("full", "size, fill_value, *, dtype?, device?, requires_grad?", run_full),
    NATIVE("arange", "start, end?, step?, *, dtype?, device?, requires_grad?", run_arange),
    NATIVE("randint", "low, high, size?, *, dtype?, device?", run_randint),
    NATIVE("tensor", "data, *, dtype?, device?, requires_grad?", run_tensor),
};

void add_making(Host *host, Object *module) { module_add_natives(host, module, rows, COUNT(rows)); }
