// SPDX-License-Identifier: Apache-2.0
/* torch: functions of the module torch, and the methods of tensors: rows over tern_tensor.h. A row
 * of `both` is torch.name(x, ..) and x.name(..). */
#include "exec/exec.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static bool cuda_of(const Object *object) { return is_tensor_object(object) && object->weight; }
static tern_session *session_of(const Host *host) { return exec_of(host)->session; }
static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static bool given(const Object *object) { return object && object->kind != OBJECT_NONE; }

/* x.as_strided(size, stride, storage_offset?) */
static Object *run_as_strided(Host *host, Object *const *args, const HostCall *call) {
    int rank, other;
    int64_t sizes[TERN_MAX_RANK], strides[TERN_MAX_RANK], offset = 0;
    (void)call;
    if (!want_tensor(host, args[0], "input") || !sizes_of(host, args[1], &rank, sizes) ||
        !sizes_of(host, args[2], &other, strides))
        return none_of(host);
    offset = tern_offset(tensor_of(args[0]));
    if (given(args[3]) && !host_int(host, args[3], "storage_offset", &offset)) return none_of(host);
    if (rank != other)
        return host_raise(host, CLASS_RUNTIME_ERROR, "mismatch in length of strides and shape");
    return tensor_wrap(host, tern_as_strided(tensor_of(args[0]), rank, sizes, strides, offset),
                       args[0]->weight);
}

/* ---- ops ---- */

static Object *run_pointwise(Host *host, Object *const *args, const HostCall *call) {
    tern_operand operands[3];
    int count = args[2] ? 3 : args[1] ? 2 : 1;
    bool is_cuda = false;
    for (int i = 0; i < count; i++) {
        if (!operand_of(host, args[i], &operands[i]))
            return is_raised(host) ? host->script->poison
                                   : host_raise(host, CLASS_TYPE_ERROR,
                                                "%s(): argument %d must be Tensor, not %.*s",
                                                tern_op_name((tern_op_id)call->id), i + 1,
                                                STR_ARG(class_info(class_of(host, args[i]))->name));
        is_cuda |= cuda_of(args[i]);
    }
    Object *out = args[3];
    if (!given(out))
        return tensor_wrap(host, tern_op((tern_op_id)call->id, operands, count, 0, 0), is_cuda);
    if (!want_tensor(host, out, "out")) return none_of(host);
    if (tern_op_into(tensor_of(out), (tern_op_id)call->id, operands, count, 0, 0))
        return tensor_failed(host);
    return out;
}

/* The places of run_pointwise: x, y, z, out. */
static Object *run_unary(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], NULL, NULL, args[1]};
    return want_tensor(host, args[0], tern_op_name((tern_op_id)call->id))
               ? run_pointwise(host, all, call)
               : none_of(host);
}
Object *torch_binary(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], args[1], NULL, args[2]};
    return run_pointwise(host, all, call);
}
static Object *run_where(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], args[1], args[2], NULL};
    return run_pointwise(host, all, call);
}

static Object *run_clamp(Host *host, Object *const *args, const HostCall *call) {
    bool has_min = given(args[1]), has_max = given(args[2]);
    HostCall one = *call;
    one.id = has_min ? TERN_OP_maximum : TERN_OP_minimum;
    if (!has_min && !has_max)
        return host_raise(host, CLASS_RUNTIME_ERROR,
                          "torch.clamp: At least one of 'min' or 'max' must not be None");
    if (has_min && has_max) return run_where(host, args, call);
    Object *all[] = {args[0], args[has_min ? 1 : 2], NULL, NULL};
    return run_pointwise(host, all, &one);
}

/* x.add_(y), x += y */
static Object *run_in_place(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], args[1], NULL, args[0]};
    return run_pointwise(host, all, call);
}

/* x.exp_() */
static Object *run_unary_in_place(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], NULL, NULL, args[0]};
    return run_pointwise(host, all, call);
}

/* ---- x + alpha * y ---- */

static Object *run_tolist(Host *host, Object *const *args, const HostCall *call);

/* Where the product is exact, so that the sum is rounded once, as by PyTorch's fma. */
static tern_dtype wide_type(tern_dtype dtype) {
    return tern_dtype_is_float(dtype) ? TERN_FLOAT64 : dtype;
}

/* False: said, in PyTorch's words. */
static bool check_alpha(Host *host, const tern_operand *alpha, tern_dtype dtype) {
    if (alpha->kind == TERN_OPERAND_BOOL && dtype != TERN_BOOL)
        host_raise(host, CLASS_RUNTIME_ERROR, "Boolean alpha only supported for Boolean results.");
    else if (alpha->kind == TERN_OPERAND_NUMBER && !tern_dtype_is_float(dtype))
        host_raise(host, CLASS_RUNTIME_ERROR,
                   "For integral input tensors, argument alpha must not be a floating point "
                   "number.");
    return !is_raised(host);
}

static double number_of(const tern_operand *operand) {
    return operand->kind == TERN_OPERAND_NUMBER ? operand->number : (double)operand->integer;
}

/* alpha * y, alpha as PyTorch takes it: for floats of 16 bits in fp32. *made: to be dropped. */
static tern_operand scaled(tern_operand alpha, tern_operand y, tern_dtype dtype,
                           tern_tensor **made) {
    *made = NULL;
    if (tern_dtype_is_float(dtype) && dtype != TERN_FLOAT64)
        alpha = tern_number((float)number_of(&alpha));
    if (dtype == TERN_BOOL) alpha = tern_integer(alpha.integer != 0);
    if (dtype == TERN_BOOL) alpha.kind = TERN_OPERAND_BOOL;
    if (y.kind != TERN_OPERAND_TENSOR) {
        bool is_real = alpha.kind == TERN_OPERAND_NUMBER || y.kind == TERN_OPERAND_NUMBER;
        if (is_real) return tern_number(number_of(&alpha) * number_of(&y));
        alpha.integer = (int64_t)((uint64_t)alpha.integer * (uint64_t)y.integer);
        return alpha;
    }
    tern_tensor *wide = tern_to(y.tensor, wide_type(dtype));
    if (wide) *made = tern_op(TERN_OP_mul, (tern_operand[]){tern_of(wide), alpha}, 2, 0, 0);
    tern_drop(wide);
    return tern_of(*made);
}

/* In args: input, other, alpha, out: that of the call, or of one in place. */
static Object *run_scaled_sum(Host *host, Object *const *args, const HostCall *call) {
    tern_operand operands[2], alpha;
    const char *name = tern_op_name((tern_op_id)call->id);
    Object *number = args[2], *out = args[3];
    if (is_tensor_object(number)) number = run_tolist(host, args + 2, &(HostCall){.id = 1});
    if (is_raised(host)) return host->script->poison;
    if (!operand_of(host, number, &alpha) && !is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR, "%s(): argument 'alpha' must be Number, not %.*s", name,
                   STR_ARG(class_info(class_of(host, number))->name));
    bool is_known = !is_raised(host) && operand_of(host, args[0], &operands[0]) &&
                    operand_of(host, args[1], &operands[1]) &&
                    (!given(out) || want_tensor(host, out, "out"));
    if (!is_known) return none_of(host);
    tern_tensor *made = NULL, *plain = tern_op((tern_op_id)call->id, operands, 2, 0, 0),
                *sum = NULL;
    if (!plain) return tensor_failed(host);
    tern_dtype dtype = tern_tensor_dtype(plain);
    tern_drop(plain);
    if (!check_alpha(host, &alpha, dtype)) return host->script->poison;
    bool fits = !given(out) || tern_dtype_is_float(dtype) <=
                                   tern_dtype_is_float(tern_tensor_dtype(tensor_of(out)));
    if (fits) operands[1] = scaled(alpha, operands[1], dtype, &made);
    bool failed = fits && operands[1].kind == TERN_OPERAND_TENSOR && !made;
    if (!failed && given(out))
        failed = tern_op_into(tensor_of(out), (tern_op_id)call->id, operands, 2, 0, 0);
    else if (!failed)
        sum = tern_op((tern_op_id)call->id, operands, 2, 0, 0);
    tern_drop(made);
    if (given(out)) return failed ? tensor_failed(host) : out;
    tern_tensor *result = sum ? tern_to(sum, dtype) : NULL;
    tern_drop(sum);
    return tensor_wrap(host, result, cuda_of(args[0]) || cuda_of(args[1]));
}

static Object *run_sum(Host *host, Object *const *args, const HostCall *call) {
    return args[2] ? run_scaled_sum(host, args, call)
                   : torch_binary(host, (Object *[]){args[0], args[1], args[3]}, call);
}

/* x.add_(y, alpha=2) */
static Object *run_sum_in_place(Host *host, Object *const *args, const HostCall *call) {
    Object *all[] = {args[0], args[1], args[2], args[0]};
    return args[2] ? run_scaled_sum(host, all, call) : run_in_place(host, args, call);
}

static bool dims_of(Host *host, const Object *dim, int *count, int *dims) {
    int64_t values[TERN_MAX_RANK];
    *count = 0;
    if (!given(dim)) return true;
    if (!sizes_of(host, (Object *)dim, count, values)) return false;
    for (int i = 0; i < *count; i++) dims[i] = (int)values[i];
    return true;
}

static tern_tensor *reduced(int op, tern_tensor *x, const int *dims, int count, bool keep) {
#define TERN_REDUCE(name, ...)                                                                     \
    if (op == TERN_OP_##name) return tern_##name(x, dims, count, keep);
#include "tern_tensor_ops.def"
    return NULL;
}

/* input, dim?, keepdim?, dtype? */
static Object *run_reduce(Host *host, Object *const *args, const HostCall *call) {
    int count, dims[TERN_MAX_RANK];
    bool keep = args[2] && script_truth(host, args[2]);
    if (!want_tensor(host, args[0], "input") || !dims_of(host, args[1], &count, dims))
        return none_of(host);
    if (given(args[3])) return host_refuse(host, "dtype= of a reduction");
    return tensor_wrap(host, reduced(call->id, tensor_of(args[0]), dims, count, keep),
                       args[0]->weight);
}

/* softmax, log_softmax, cumsum: input, dim */
static Object *run_along(Host *host, Object *const *args, const HostCall *call) {
    int64_t dim;
    if (!want_tensor(host, args[0], "input") || !host_int(host, args[1], "dim", &dim))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    tern_tensor *y = call->id == TERN_OP_softmax       ? tern_softmax(x, (int)dim)
                     : call->id == TERN_OP_log_softmax ? tern_log_softmax(x, (int)dim)
                                                       : tern_cumsum(x, (int)dim);
    return tensor_wrap(host, y, args[0]->weight);
}

static Object *run_matmul(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_tensor(host, args[0], "input") || !want_tensor(host, args[1], "other"))
        return none_of(host);
    Object *product =
        tensor_wrap(host, tern_matmul(tensor_of(args[0]), tensor_of(args[1])), args[0]->weight);
    if (!given(args[2]) || is_raised(host)) return product;
    if (!want_tensor(host, args[2], "out")) return none_of(host);
    return tern_copy_into(tensor_of(args[2]), tensor_of(product)) ? tensor_failed(host) : args[2];
}

static Object *run_mm(Host *host, Object *const *args, const HostCall *call) {
    static const char *const names[] = {"input", "mat2"};
    for (int i = 0; i < 2; i++) {
        if (!want_tensor(host, args[i], names[i])) return none_of(host);
        int rank = tern_rank(tensor_of(args[i]));
        if (rank != 2)
            return host_raise(host, CLASS_RUNTIME_ERROR, "%s must be a matrix, got %d-D tensor",
                              i ? "mat2" : "self", rank);
    }
    return run_matmul(host, args, call);
}

static Object *run_gelu(Host *host, Object *const *args, const HostCall *call) {
    bool is_tanh = args[1] && args[1]->kind == OBJECT_STR && str_is(args[1]->text, "tanh");
    (void)call;
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    return tensor_wrap(host, is_tanh ? tern_gelu_tanh(x) : tern_gelu(x), args[0]->weight);
}

enum { JOIN_CAT, JOIN_STACK };
static Object *run_join(Host *host, Object *const *args, const HostCall *call) {
    int count;
    int64_t dim = 0;
    Object **items;
    bool is_cuda = false;
    if (!host_items(host, args[0], &count, &items) ||
        (given(args[1]) && !host_int(host, args[1], "dim", &dim)))
        return none_of(host);
    tern_tensor **tensors = arena_array(host->arena, tern_tensor *, count + 1);
    for (int i = 0; i < count; i++) {
        if (!want_tensor(host, items[i], "tensors")) return none_of(host);
        tensors[i] = tensor_of(items[i]);
        is_cuda |= cuda_of(items[i]);
    }
    return tensor_wrap(host,
                       call->id == JOIN_CAT ? tern_cat(tensors, count, (int)dim)
                                            : tern_stack(tensors, count, (int)dim),
                       is_cuda);
}

/* ---- comparing ---- */

static bool close_to(Host *host, Object *const *args, double rtol, double atol, bool *result) {
    bool nan = given(args[4]) && script_truth(host, args[4]);
    if (!host_may_do(host, "looking at tensors' values")) return false;
    if (!want_tensor(host, args[0], "input") || !want_tensor(host, args[1], "other") ||
        (given(args[2]) && !host_double(host, args[2], "rtol", &rtol)) ||
        (given(args[3]) && !host_double(host, args[3], "atol", &atol)))
        return false;
    if (tern_allclose(tensor_of(args[0]), tensor_of(args[1]), rtol, atol, nan, result))
        return tensor_failed(host), false;
    return true;
}

static Object *run_allclose(Host *host, Object *const *args, const HostCall *call) {
    bool result;
    (void)call;
    return close_to(host, args, 1e-5, 1e-8, &result) ? object_bool(host->arena, result)
                                                     : none_of(host);
}

static bool same_shape(const tern_tensor *a, const tern_tensor *b) {
    bool same = tern_rank(a) == tern_rank(b);
    for (int i = 0; same && i < tern_rank(a); i++) same = tern_shape(a)[i] == tern_shape(b)[i];
    return same;
}

static Object *run_equal(Host *host, Object *const *args, const HostCall *call) {
    bool result = false;
    Object *all[] = {args[0], args[1], object_float(host->arena, 0), object_float(host->arena, 0),
                     NULL};
    (void)call;
    if (!want_tensor(host, args[0], "input") || !want_tensor(host, args[1], "other"))
        return none_of(host);
    if (same_shape(tensor_of(args[0]), tensor_of(args[1])) && !close_to(host, all, 0, 0, &result))
        return none_of(host);
    return object_bool(host->arena, result);
}

static tern_tensor *either(tern_tensor *a, tern_tensor *b, tern_op_id op) {
    tern_operand both[] = {tern_of(a), tern_of(b)};
    tern_tensor *result = a && b ? tern_op(op, both, 2, 0, 0) : NULL;
    tern_drop(a);
    tern_drop(b);
    return result;
}

static Object *run_isclose(Host *host, Object *const *args, const HostCall *call) {
    double rtol = 1e-5, atol = 1e-8;
    (void)call;
    if (!want_tensor(host, args[0], "input") || !want_tensor(host, args[1], "other") ||
        (given(args[2]) && !host_double(host, args[2], "rtol", &rtol)) ||
        (given(args[3]) && !host_double(host, args[3], "atol", &atol)))
        return none_of(host);
    tern_tensor *a = tensor_of(args[0]), *b = tensor_of(args[1]);
    if (tern_tensor_dtype(a) != tern_tensor_dtype(b))
        return host_raise(host, CLASS_RUNTIME_ERROR, "%s did not match %s",
                          tern_torch_name(tern_tensor_dtype(a)),
                          tern_torch_name(tern_tensor_dtype(b)));
    tern_operand both[] = {tern_of(a), tern_of(b)};
    tern_tensor *close = tern_op(TERN_OP_isclose, both, 2, rtol, atol);
    if (close && given(args[4]) && script_truth(host, args[4]))
        close = either(close, either(tern_isnan(a), tern_isnan(b), TERN_OP_logical_and),
                       TERN_OP_logical_or);
    return tensor_wrap(host, close, args[0]->weight);
}

/* ---- methods ---- */

enum { ASK_NUMEL, ASK_DIM, ASK_ELEMENT_SIZE, ASK_CONTIGUOUS, ASK_POINTER, ASK_OFFSET };
static Object *run_ask(Host *host, Object *const *args, const HostCall *call) {
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    bool is_place = call->id == ASK_POINTER || call->id == ASK_OFFSET;
    if (is_place && !host_may_do(host, "a tensor's address")) return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    size_t offset = 0, size = tern_dtype_size(tern_tensor_dtype(x));
    if (call->id == ASK_CONTIGUOUS) return object_bool(host->arena, tern_is_contiguous(x));
    if (call->id == ASK_NUMEL) return object_int(host->arena, tern_numel(x));
    if (call->id == ASK_OFFSET) return object_int(host->arena, tern_offset(x));
    if (call->id == ASK_DIM) return object_int(host->arena, tern_rank(x));
    if (call->id == ASK_ELEMENT_SIZE) return object_int(host->arena, (int64_t)size);
    tern_buffer *buffer = tern_tensor_buffer(x, &offset);
    return object_int(host->arena, (int64_t)((uintptr_t)tern_buffer_pointer(buffer) + offset));
}

/* size(), stride(): all, or of one dimension */
static Object *run_extent(Host *host, Object *const *args, const HostCall *call) {
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    bool strides = call->id == 1;
    const int64_t *values = strides ? tern_strides(x) : tern_shape(x);
    int rank = tern_rank(x);
    if (given(args[1])) {
        int64_t dim;
        if (!host_int(host, args[1], "dim", &dim)) return none_of(host);
        if (dim < -rank || dim >= rank)
            return host_raise(
                host, CLASS_INDEX_ERROR,
                "Dimension out of range (expected to be in range of [%d, %d], but got "
                "%lld)",
                -rank, rank - 1, (long long)dim);
        return object_int(host->arena, values[dim < 0 ? dim + rank : dim]);
    }
    if (!strides) return size_object(host, x);
    Object *items[TERN_MAX_RANK];
    for (int i = 0; i < rank; i++) items[i] = object_int(host->arena, values[i]);
    return heap_list(host, OBJECT_TUPLE, rank, items);
}

static Object *list_of(Host *host, tern_tensor *x, const unsigned char *data, int dim,
                       int64_t *at) {
    tern_dtype dtype = tern_tensor_dtype(x);
    if (dim == tern_rank(x)) {
        const unsigned char *element = data + (size_t)(*at)++ * tern_dtype_size(dtype);
        if (tern_dtype_is_float(dtype))
            return object_float(host->arena, tern_element_double(dtype, element));
        int64_t value = tern_element_int(dtype, element);
        return dtype == TERN_BOOL ? object_bool(host->arena, value != 0)
                                  : object_int(host->arena, value);
    }
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int64_t i = 0; i < tern_shape(x)[dim]; i++)
        list_insert(host, list, list->num_items, list_of(host, x, data, dim + 1, at));
    return list;
}

static Object *run_tolist(Host *host, Object *const *args, const HostCall *call) {
    int64_t at = 0;
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    if (!host_may_do(host, "looking at a tensor's values")) return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    size_t bytes = (size_t)tern_numel(x) * tern_dtype_size(tern_tensor_dtype(x));
    if (call->id == 2 && tern_numel(x) != 1)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "only one element tensors can be converted to Python scalars");
    if (call->id && tern_numel(x) != 1)
        return host_raise(host, CLASS_RUNTIME_ERROR,
                          "a Tensor with %lld elements cannot be converted to Scalar",
                          (long long)tern_numel(x));
    unsigned char *data = arena_array(host->arena, unsigned char, bytes + 8);
    if (tern_to_host(x, data, bytes)) return tensor_failed(host);
    return list_of(host, x, data, call->id ? tern_rank(x) : 0, &at);
}

/* int(x), of id 1 float(x), of id 2 x as an index. */
static Object *run_number(Host *host, Object *const *args, const HostCall *call) {
    tern_tensor *x = tensor_of(args[0]);
    if (call->id == 2 && (tern_dtype_is_float(tern_tensor_dtype(x)) || tern_numel(x) != 1))
        return host_raise(host, CLASS_TYPE_ERROR,
                          "only integer tensors of a single element can be converted to an index");
    Object *value = run_tolist(host, args, &(HostCall){.id = 2});
    if (is_raised(host) || !object_is_number(value)) return value;
    if (call->id == 1) return object_float(host->arena, object_number(value));
    if (value->kind == OBJECT_FLOAT) return host_trunc(host, value->number);
    return object_int(host->arena, value->integer);
}

/* x.to(dtype), x.to(device), x.to(device, dtype), x.to(other) */
static Object *run_to(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    if (!call->num_args || !want_tensor(host, call->args[0], "input")) return none_of(host);
    Object *self = call->args[0];
    tern_dtype dtype = tern_tensor_dtype(tensor_of(self));
    bool is_cuda = self->weight;
    for (int i = 1; i < call->num_args; i++) {
        Object *what = call->args[i];
        Str name = call->names ? call->names[i] : (Str){0};
        bool flag = str_is(name, "copy") || str_is(name, "non_blocking");
        if (flag || !given(what)) continue;
        bool fine = true;
        if (what->kind == OBJECT_DTYPE)
            fine = torch_dtype_of(host, what, &dtype);
        else if (is_tensor_object(what))
            dtype = tern_tensor_dtype(tensor_of(what)), is_cuda = what->weight;
        else
            fine = device_of(host, what, &is_cuda);
        if (!fine) return none_of(host);
    }
    return tensor_wrap(host, tern_to(tensor_of(self), dtype), is_cuda);
}

/* float(), half() ..: id is the dtype */
static Object *run_cast(Host *host, Object *const *args, const HostCall *call) {
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    return tensor_wrap(host, tern_to(tensor_of(args[0]), (tern_dtype)call->id), args[0]->weight);
}

static Object *run_place(Host *host, Object *const *args, const HostCall *call) {
    bool is_cuda;
    if (call->id && given(args[1]) && object_is_integral(args[1]) && args[1]->integer)
        return host_raise(host, CLASS_RUNTIME_ERROR, "CUDA error: invalid device ordinal");
    if (!want_tensor(host, args[0], "input") ||
        !device_of(host, object_str(host->arena, call->id ? STR("cuda") : STR("cpu")), &is_cuda))
        return none_of(host);
    return tensor_wrap(host, tern_keep(tensor_of(args[0])), is_cuda);
}

enum { VIEW_VIEW, VIEW_RESHAPE, VIEW_EXPAND, VIEW_PERMUTE };
/* x.view(2, 3), x.view((2, 3)), x.view(-1) */
static Object *run_view(Host *host, Object *const *args, const HostCall *call) {
    int rank = call->num_args - 1, dims[TERN_MAX_RANK];
    int64_t sizes[TERN_MAX_RANK];
    (void)args;
    if (rank < 1 || !want_tensor(host, call->args[0], "input")) return none_of(host);
    if (rank == 1 && call->args[1]->kind == OBJECT_DTYPE && call->id == VIEW_VIEW) {
        tern_dtype dtype;
        if (!torch_dtype_of(host, call->args[1], &dtype) ||
            !host_may_do(host, "the view of a tensor as another type"))
            return none_of(host);
        if (tern_requires_grad(tensor_of(call->args[0])))
            return host_refuse(host, "the view as another type of a tensor that is recorded");
        return tensor_wrap(host, tern_view_type(tensor_of(call->args[0]), dtype),
                           call->args[0]->weight);
    }
    if (rank == 1 && !sizes_of(host, call->args[1], &rank, sizes)) return none_of(host);
    if (rank > TERN_MAX_RANK) return host_refuse(host, "so many dimensions");
    for (int i = 0; call->num_args > 2 && i < rank; i++)
        if (!host_int(host, call->args[i + 1], "a size", &sizes[i])) return none_of(host);
    for (int i = 0; i < rank; i++) dims[i] = (int)sizes[i];
    tern_tensor *x = tensor_of(call->args[0]);
    tern_tensor *y = call->id == VIEW_VIEW      ? tern_view(x, rank, sizes)
                     : call->id == VIEW_RESHAPE ? tern_reshape(x, rank, sizes)
                     : call->id == VIEW_EXPAND  ? tern_expand(x, rank, sizes)
                                                : tern_permute(x, rank, dims);
    return tensor_wrap(host, y, call->args[0]->weight);
}

/* Of one dimension, or of several. */
static tern_tensor *squeezed(Host *host, tern_tensor *x, Object *dims) {
    int count, rank = tern_rank(x);
    int64_t sizes[TERN_MAX_RANK];
    if (!sizes_of(host, dims, &count, sizes)) return NULL;
    bool chosen[TERN_MAX_RANK] = {false};
    for (int i = 0; i < count; i++) {
        int64_t dim = sizes[i] + (sizes[i] < 0 ? rank : 0);
        if (count == 1 || dim < 0 || dim >= rank) return tern_squeeze(x, (int)sizes[i]);
        chosen[dim] = true;
    }
    tern_tensor *y = tern_keep(x);
    for (int i = rank - 1; i >= 0 && y; i--) {
        tern_tensor *next = chosen[i] ? tern_squeeze(y, i) : tern_keep(y);
        tern_drop(y);
        y = next;
    }
    return y;
}

enum { DIM_TRANSPOSE, DIM_SQUEEZE, DIM_UNSQUEEZE, DIM_T, DIM_CLONE, DIM_CONTIGUOUS };
static Object *run_dims(Host *host, Object *const *args, const HostCall *call) {
    int64_t a = 0, b = 1;
    if (!want_tensor(host, args[0], "input") ||
        (given(args[1]) && call->id != DIM_SQUEEZE && !host_int(host, args[1], "dim", &a)) ||
        (given(args[1]) && given(args[2]) && !host_int(host, args[2], "dim1", &b)))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]), *y = NULL;
    if (call->id == DIM_T && tern_rank(x) > 2)
        return host_raise(host, CLASS_RUNTIME_ERROR,
                          "t() expects a tensor with <= 2 dimensions, but self is %dD",
                          tern_rank(x));
    if (call->id == DIM_T && tern_rank(x) < 2)
        y = tern_keep(x);
    else if (call->id == DIM_TRANSPOSE || call->id == DIM_T)
        y = tern_transpose(x, (int)a, (int)b);
    else if (call->id == DIM_SQUEEZE)
        y = given(args[1]) ? squeezed(host, x, args[1]) : tern_squeeze_all(x);
    else if (call->id == DIM_UNSQUEEZE)
        y = tern_unsqueeze(x, (int)a);
    else if (call->id == DIM_CLONE)
        y = tern_clone(x);
    else
        y = tern_contiguous(x);
    return tensor_wrap(host, y, args[0]->weight);
}

/* x.copy_(y), x.fill_(v), x.zero_() */
static Object *run_overwrite(Host *host, Object *const *args, const HostCall *call) {
    Object *value = args[1] ? args[1] : object_int(host->arena, 0);
    (void)call;
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    if (!tensor_type.set_subscript(host, args[0], object_new(host->arena, OBJECT_ELLIPSIS), value))
        return none_of(host);
    return args[0];
}

/* ---- the module's own ---- */

static Object *run_seed(Host *host, Object *const *args, const HostCall *call) {
    int64_t seed;
    (void)call;
    if (!host_may_do(host, "a seed")) return none_of(host);
    if (host_int(host, args[0], "the seed", &seed))
        torch_seed(&exec_of(host)->random, (uint64_t)seed),
            tern_manual_seed(session_of(host), (uint64_t)seed);
    return none_of(host);
}

static Object *run_device(Host *host, Object *const *args, const HostCall *call) {
    bool is_cuda;
    (void)call;
    return device_of(host, args[0], &is_cuda) ? device_object(host, is_cuda) : none_of(host);
}

static Object *run_yes(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, host->script->booleans[1];
}
static Object *run_itself(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)call, args[0];
}
static Object *run_synchronize(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    if (!host_may_do(host, "synchronize()")) return none_of(host);
    return tern_synchronize(exec_of(host)->context) ? tensor_failed(host) : none_of(host);
}
/* All streams are the context's one. */
static Object *run_stream(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    return call->id ? host_module_new(host, "torch.cuda.Stream") : none_of(host);
}
static Object *run_device_name(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return object_str(host->arena,
                      str_format(host->arena, "tern %s", tern_device_name(exec_of(host)->context)));
}
/* On a CPU these are stand-ins, which files divide by. */
static Object *run_properties(Host *host, Object *const *args, const HostCall *call) {
    tern_gpu gpu = {.multiprocessors = (int)sysconf(_SC_NPROCESSORS_ONLN),
                    .block_registers = 65536,
                    .block_shared_bytes = 232448,
                    .warp_size = 32};
    (void)args;
    tern_context_gpu(exec_of(host)->context, &gpu);
    int major = gpu.capability / 10, minor = gpu.capability % 10;
    if (call->id) {
        Object *pair[] = {object_int(host->arena, major), object_int(host->arena, minor)};
        return heap_list(host, OBJECT_TUPLE, 2, pair);
    }
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"multi_processor_count", gpu.multiprocessors},
                {"regs_per_multiprocessor", gpu.block_registers},
                {"shared_memory_per_block_optin", gpu.block_shared_bytes},
                {"warp_size", gpu.warp_size},
                {"major", major},
                {"minor", minor}};
    Object *properties = host_module_new(host, "_CudaDeviceProperties");
    for (int i = 0; i < COUNT(rows); i++)
        module_add(host, properties, rows[i].name, object_int(host->arena, rows[i].value));
    module_add(host, properties, "name", run_device_name(host, NULL, call));
    return properties;
}
static Object *run_zero(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, object_int(host->arena, 0);
}
static Object *run_one(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, object_int(host->arena, 1);
}

/* ---- tables ---- */

static const Native both[] = {
#define TERN_UNARY(name, ...)  {#name, "input, *, out?", run_unary, TERN_OP_##name},
#define TERN_BINARY(name, ...) {#name, "input, other, *, out?", torch_binary, TERN_OP_##name},
#define TERN_REDUCE(name, ...)                                                                     \
    {#name, "input, dim|axis?, keepdim?, *, dtype?", run_reduce, TERN_OP_##name},
#include "tern_tensor_ops.def"
    {"max", "input, dim|axis?, keepdim?", torch_extreme, TERN_OP_amax},
    {"min", "input, dim|axis?, keepdim?", torch_extreme, TERN_OP_amin},
    {"argmax", "input, dim|axis?, keepdim?", torch_arg, TERN_OP_argmax},
    {"argmin", "input, dim|axis?, keepdim?", torch_arg, TERN_OP_argmin},
    {"softmax", "input, dim|axis", run_along, TERN_OP_softmax},
    {"log_softmax", "input, dim|axis", run_along, TERN_OP_log_softmax},
    {"cumsum", "input, dim|axis", run_along, TERN_OP_cumsum},
    NATIVE("matmul", "input, other, *, out?", run_matmul),
    NATIVE("mm", "input, mat2, *, out?", run_mm),
    NATIVE("as_strided", "input, size, stride, storage_offset?", run_as_strided),
    NATIVE("allclose", "input, other, rtol?, atol?, equal_nan?", run_allclose),
    NATIVE("isclose", "input, other, rtol?, atol?, equal_nan?", run_isclose),
    NATIVE("equal", "input, other", run_equal),
    {"clamp", "input, min?, max?", run_clamp, TERN_OP_clamp},
    {"numel", "input", run_ask, ASK_NUMEL},
    {"nelement", "input", run_ask, ASK_NUMEL},
    {"transpose", "input, dim0, dim1", run_dims, DIM_TRANSPOSE},
    {"t", "input", run_dims, DIM_T},
    {"squeeze", "input, dim?", run_dims, DIM_SQUEEZE},
    {"unsqueeze", "input, dim", run_dims, DIM_UNSQUEEZE},
    {"clone", "input", run_dims, DIM_CLONE},
    {"reshape", "..", run_view, VIEW_RESHAPE},
    {"permute", "..", run_view, VIEW_PERMUTE},
};
static const Native sums[] = {
    /* before those of `both` */
    {"add", "input, other, *, alpha?, out?", run_sum, TERN_OP_add},
    {"sub", "input, other, *, alpha?, out?", run_sum, TERN_OP_sub},
    {"subtract", "input, other, *, alpha?, out?", run_sum, TERN_OP_sub},
};
static const Native methods[] = {
    {"dim", "self", run_ask, ASK_DIM},
    {"element_size", "self", run_ask, ASK_ELEMENT_SIZE},
    {"is_contiguous", "self", run_ask, ASK_CONTIGUOUS},
    {"data_ptr", "self", run_ask, ASK_POINTER},
    {"storage_offset", "self", run_ask, ASK_OFFSET},
    NATIVE("size", "self, dim?", run_extent),
    {"stride", "self, dim?", run_extent, 1},
    NATIVE("tolist", "self", run_tolist),
    {"item", "self", run_tolist, 1},
    NATIVE("__int__", "self", run_number),
    {"__index__", "self", run_number, 2},
    {"__float__", "self", run_number, 1},
    NATIVE("to", "..", run_to),
    {"float", "self", run_cast, TERN_FLOAT32},
    {"double", "self", run_cast, TERN_FLOAT64},
    {"half", "self", run_cast, TERN_FLOAT16},
    {"bfloat16", "self", run_cast, TERN_BFLOAT16},
    {"int", "self", run_cast, TERN_INT32},
    {"long", "self", run_cast, TERN_INT64},
    {"bool", "self", run_cast, TERN_BOOL},
    NATIVE("cpu", "self", run_place),
    {"cuda", "self, device?, non_blocking?", run_place, 1},
    {"view", "..", run_view, VIEW_VIEW},
    {"expand", "..", run_view, VIEW_EXPAND},
    {"contiguous", "self", run_dims, DIM_CONTIGUOUS},
    NATIVE("copy_", "self, src", run_overwrite),
    NATIVE("fill_", "self, value", run_overwrite),
    NATIVE("zero_", "self", run_overwrite),
    {"add_", "self, other, *, alpha?", run_sum_in_place, TERN_OP_add},
    {"sub_", "self, other, *, alpha?", run_sum_in_place, TERN_OP_sub},
    {"__iadd__", "self, other", run_in_place, TERN_OP_add},
    {"__isub__", "self, other", run_in_place, TERN_OP_sub},
    {"__imul__", "self, other", run_in_place, TERN_OP_mul},
    {"__itruediv__", "self, other", run_in_place, TERN_OP_div},
    {"__ifloordiv__", "self, other", run_in_place, TERN_OP_floor_divide},
    {"__imod__", "self, other", run_in_place, TERN_OP_remainder},
    {"__ipow__", "self, other", run_in_place, TERN_OP_pow},
    {"__iand__", "self, other", run_in_place, TERN_OP_bitwise_and},
    {"__ior__", "self, other", run_in_place, TERN_OP_bitwise_or},
    {"__ixor__", "self, other", run_in_place, TERN_OP_bitwise_xor},
    {"__ilshift__", "self, other", run_in_place, TERN_OP_bitwise_left_shift},
    {"__irshift__", "self, other", run_in_place, TERN_OP_bitwise_right_shift},
};
static const Native in_place[] = {
/* after `methods` */
#define TERN_UNARY(name, ...)  {#name "_", "self", run_unary_in_place, TERN_OP_##name},
#define TERN_BINARY(name, ...) {#name "_", "self, other", run_in_place, TERN_OP_##name},
#include "tern_tensor_ops.def"
};
/* PyTorch has these not in place. */
static const char *const only_apart[] = {"gelu_",    "gelu_tanh_", "silu_",     "log_sigmoid_",
                                         "isnan_",   "isinf_",     "isfinite_", "maximum_",
                                         "minimum_", "fmax_",      "fmin_"};
static const Native functions[] = {
    {"where", "condition, input, other", run_where, TERN_OP_where},
    {"cat", "tensors, dim?", run_join, JOIN_CAT},
    {"stack", "tensors, dim?", run_join, JOIN_STACK},
    NATIVE("manual_seed", "seed", run_seed),
    NATIVE("device", "device", run_device),
    NATIVE("compile", "model?, *, fullgraph?, dynamic?, backend?, mode?, options?, disable?",
           run_compile),
};
static const Native of_cuda[] = {
    NATIVE("is_available", "", run_yes),
    NATIVE("synchronize", "device?", run_synchronize),
    NATIVE("get_device_name", "device?", run_device_name),
    NATIVE("Event", "enable_timing?, blocking?, interprocess?", run_event),
    NATIVE("get_device_properties", "device?", run_properties),
    {"get_device_capability", "device?", run_properties, 1},
    {"Stream", "", run_stream, 1},
    {"current_stream", "", run_stream, 1},
    NATIVE("set_stream", "stream", run_stream),
    NATIVE("current_device", "", run_zero),
    NATIVE("device_count", "", run_one),
    NATIVE("manual_seed", "seed", run_seed),
};
static const Native of_cpu[] = {
    {"Stream", "", run_stream, 1},
    {"current_stream", "", run_stream, 1},
    NATIVE("set_stream", "stream", run_stream),
    NATIVE("synchronize", "device?", run_synchronize),
    NATIVE("is_available", "", run_yes),
    NATIVE("device_count", "", run_one),
};
/* A scripted function means what the function means. */
static const Native of_jit[] = {NATIVE("script", "obj", run_itself)};
static const Native of_functional[] = {
    {"softmax", "input, dim|axis", run_along, TERN_OP_softmax},
    {"log_softmax", "input, dim|axis", run_along, TERN_OP_log_softmax},
    NATIVE("gelu", "input, *, approximate?", run_gelu),
    {"relu", "input", run_unary, TERN_OP_relu},
    {"silu", "input", run_unary, TERN_OP_silu},
};

/* torch.Tensor(..): by made() of torch._more. */
Object *tensor_make(Host *host, const HostCall *call) {
    Object *more = module_import(host, STR("torch._more"));
    if (is_raised(host)) return none_of(host);
    int count = call->num_args + 2;
    HostCall all = *call;
    Object **args = arena_array(host->arena, Object *, count);
    Str *names = arena_array(host->arena, Str, count);
    args[0] = dtype_object(host, TERN_FLOAT32);
    args[1] = object_str(host->arena, STR("Tensor"));
    for (int i = 2; i < count; i++) {
        args[i] = call->args[i - 2];
        if (call->names) names[i] = call->names[i - 2];
    }
    all.args = args, all.names = names, all.num_args = count;
    return host_invoke(host, host_get(host, more, STR("made")), &all);
}

Object *torch_method(Host *host, Object *tensor, Str name) {
    const Native *found = NULL;
    for (int i = 0; i < COUNT(sums) && !found; i++)
        if (str_is(name, sums[i].name)) found = &sums[i];
    for (int i = 0; i < COUNT(both) && !found; i++)
        if (str_is(name, both[i].name)) found = &both[i];
    for (int i = 0; i < COUNT(methods) && !found; i++)
        if (str_is(name, methods[i].name)) found = &methods[i];
    bool apart = false;
    for (int i = 0; i < COUNT(only_apart); i++) apart |= str_is(name, only_apart[i]);
    for (int i = 0; i < COUNT(in_place) && !found && !apart; i++)
        if (str_is(name, in_place[i].name)) found = &in_place[i];
    if (!found) found = more_method(name);
    if (found) return method_new(host, tensor, native_new(host, found, NULL));
    static const char *const written[] = {"torch._more", "torch._compose"};
    for (int i = 0; i < COUNT(written); i++) {
        Object *of = module_import(host, str_of(written[i])), *text = object_str(host->arena, name);
        if (is_raised(host)) return NULL;
        Object *method = host_invoke_with(host, host_get(host, of, STR("method")), 1, &text);
        if (is_raised(host)) return NULL;
        if (method->kind == OBJECT_FUNCTION) return method_new(host, tensor, method);
    }
    return NULL;
}

static Object *run_refuse(Host *host, Object *const *args, const HostCall *call) {
    Str what;
    (void)call;
    return host_text(host, args[0], "what", &what) ? host_refuse(host, "%.*s", STR_ARG(what))
                                                   : none_of(host);
}

static Object *run_import(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (!host_text(host, args[0], "name", &name)) return none_of(host);
    Object *module = host_import(host, name);
    if (module || is_raised(host)) return module ? module : none_of(host);
    return host_raise(host, CLASS_MODULE_NOT_FOUND_ERROR, "No module named '%.*s'", STR_ARG(name));
}

void add_torch(Host *host, Object *module) {
    static const Native refuse = NATIVE("refuse", "what", run_refuse),
                        own[] = {NATIVE("import_module", "name", run_import),
                                 NATIVE("print_options",
                                        "precision, threshold, edge_items, line_width, exponents",
                                        run_print_options),
                                 NATIVE("launch_hook", "function", run_launch_hook)};
    if (str_is(module->text, "_torch")) module_add_natives(host, module, own, COUNT(own));
    module_add_natives(host, module, both, COUNT(both));
    module_add_natives(host, module, sums, COUNT(sums));
    module_add_natives(host, module, functions, COUNT(functions));
    add_making(host, module);
    module_add_natives(host, module, &refuse, 1);
    Object *sample = heap_host(host, &tensor_type, 0, NULL);
    module_add(host, module, "Tensor", class_of(host, sample));
}

/* All names of a module that is text, but those with '_' before and those that are there. */
static void add_names_of(Host *host, Object *module, const char *path) {
    const Object *text = module_import(host, str_of(path));
    if (is_raised(host)) return;
    const Object *names = text->items[0];
    for (int i = 0; i + 1 < names->num_items; i += 2)
        if (!dict_find_text(module->items[0], names->items[i]->text))
            module_add(host, module, str_c(host->arena, names->items[i]->text),
                       names->items[i + 1]);
}

static Object *open_torch(Host *host) {
    static const char *const dtypes[] = {
        "float32",  "float", "float64", "double",        "float16",    "half",
        "bfloat16", "int8",  "int16",   "int32",         "int",        "int64",
        "long",     "uint8", "bool",    "float8_e4m3fn", "float8_e5m2"};
    Object *module = host_module_new(host, "torch");
    module_add(host, module, "Size", size_class(host));
    add_torch(host, module);
    add_more(host, module);
    for (int i = 0; i < COUNT(dtypes); i++)
        module_add(host, module, dtypes[i],
                   builtin_attribute(host->arena, STR("torch"), str_of(dtypes[i])));
    static const char *const parts[] = {"cuda",     "cpu",         "nn",      "testing", "profiler",
                                        "autograd", "jit",         "utils",   "optim",   "_C",
                                        "amp",      "distributed", "version", "backends"};
    static const char *const of_autograd[] = {"no_grad", "enable_grad", "inference_mode",
                                              "set_grad_enabled", "is_grad_enabled"};
    for (int i = 0; i < COUNT(parts) && !is_raised(host); i++)
        module_add(host, module, parts[i],
                   module_import(host, str_format(host->arena, "torch.%s", parts[i])));
    Object *autograd = is_raised(host) ? NULL : host_get(host, module, STR("autograd"));
    for (int i = 0; i < COUNT(of_autograd) && autograd; i++)
        module_add(host, module, of_autograd[i], host_get(host, autograd, str_of(of_autograd[i])));
    if (!is_raised(host)) add_names_of(host, module, "torch._more");
    if (!is_raised(host)) add_names_of(host, module, "torch._compose");
    static const struct {
        const char *name;
        tern_dtype dtype;
    } types[] = {{"FloatTensor", TERN_FLOAT32}, {"DoubleTensor", TERN_FLOAT64},
                 {"HalfTensor", TERN_FLOAT16},  {"BFloat16Tensor", TERN_BFLOAT16},
                 {"LongTensor", TERN_INT64},    {"IntTensor", TERN_INT32},
                 {"ShortTensor", TERN_INT16},   {"CharTensor", TERN_INT8},
                 {"ByteTensor", TERN_UINT8},    {"BoolTensor", TERN_BOOL}};
    for (int i = 0; i < COUNT(types) && !is_raised(host); i++) {
        Object *args[] = {dtype_object(host, types[i].dtype),
                          object_str(host->arena, str_of(types[i].name))};
        module_add(host, module, types[i].name,
                   host_invoke_with(host, host_get(host, module, STR("typed")), 2, args));
    }
    module_add(host, module, "OutOfMemoryError", host->script->classes[CLASS_OUT_OF_MEMORY_ERROR]);
    module_add(host, module, "__version__", object_str(host->arena, STR("2.11.0+tern")));
    module_add(host, module, "pi", object_float(host->arena, 3.141592653589793));
    module_add(host, module, "inf", object_float(host->arena, (double)INFINITY));
    module_add(host, module, "nan", object_float(host->arena, (double)NAN));
    return module;
}

/* torch._C._profiler._ExperimentalConfig(..), which profile() is given and does not look at. */
static Object *run_nothing(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, host->script->none;
}
static Object *open_c(Host *host) {
    static const Native config = NATIVE("_ExperimentalConfig", "..", run_nothing);
    Object *module = host_module_new(host, "torch._C");
    Object *profiler = host_module_new(host, "torch._C._profiler");
    module_add_natives(host, profiler, &config, 1);
    module_add(host, module, "_profiler", profiler);
    return module;
}

Object *torch_open(Host *host, Str path) {
    Object *module = NULL;
    if (str_is(path, "torch")) return open_torch(host);
    if (str_is(path, "_numpy_random")) return numpy_random_open(host);
    if (str_is(path, "_numpy_pcg")) return numpy_pcg_open(host);
    if (str_is(path, "torch.cuda")) {
        module = host_module_of(host, "torch.cuda", of_cuda, COUNT(of_cuda));
        module_add(host, module, "nvtx", module_import(host, STR("torch.cuda.nvtx")));
        module_add(host, module, "OutOfMemoryError",
                   host->script->classes[CLASS_OUT_OF_MEMORY_ERROR]);
        if (!is_raised(host)) add_names_of(host, module, "_torch.cuda");
        if (!is_raised(host))
            module_add(host, module, "_DeviceGuard", host_get(host, module, STR("device")));
    } else if (str_is(path, "torch.cpu")) {
        module = host_module_of(host, "torch.cpu", of_cpu, COUNT(of_cpu));
    } else if (str_is(path, "torch.jit")) {
        module = host_module_of(host, "torch.jit", of_jit, COUNT(of_jit));
    } else if (str_is(path, "torch.autograd")) {
        module = host_module_new(host, "torch.autograd");
        module_add(host, module, "profiler", module_import(host, STR("torch.autograd.profiler")));
        if (!is_raised(host)) add_names_of(host, module, "torch.autograd.function");
    } else if (str_is(path, "torch.utils")) {
        module = host_module_new(host, "torch.utils");
        module_add(host, module, "cpp_extension",
                   module_import(host, STR("torch.utils.cpp_extension")));
    } else if (str_is(path, "torch.utils.cpp_extension")) {
        module = extension_open(host);
    } else if (str_is(path, "_torch.functional")) {
        module = host_module_of(host, "_torch.functional", of_functional, COUNT(of_functional));
    } else if (str_is(path, "torch.nn")) {
        module = host_module_new(host, "torch.nn");
        module_add(host, module, "functional", module_import(host, STR("torch.nn.functional")));
        if (!is_raised(host)) add_names_of(host, module, "torch.nn.modules");
    } else if (str_is(path, "torch._C")) {
        module = open_c(host);
    }
    if (!module && !is_raised(host)) module = grad_open(host, path);
    if (!module && !is_raised(host)) module = more_open(host, path);
    return module || is_raised(host) ? module : profile_open(host, path);
}
