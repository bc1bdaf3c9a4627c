// SPDX-License-Identifier: Apache-2.0
/* largest: max, min, argmax and argmin of torch. */
#include "exec/exec.h"

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static bool given(const Object *object) { return object && object->kind != OBJECT_NONE; }

/* False after a raise: of what has no elements there is no largest. */
static bool has_some(Host *host, const char *name, tern_tensor *x, const int64_t *dim) {
    int rank = tern_rank(x);
    int64_t at = dim && *dim < 0 ? *dim + rank : dim ? *dim : 0;
    bool is_arg = name[0] == 'a';
    if (!dim && !tern_numel(x))
        host_raise(host, is_arg ? CLASS_INDEX_ERROR : CLASS_RUNTIME_ERROR,
                   "%s(): Expected reduction dim to be specified for input.numel() == 0.%s", name,
                   is_arg ? "" : " Specify the reduction dim with the 'dim' argument.");
    else if (dim && at >= 0 && at < rank && !tern_shape(x)[at])
        host_raise(host, CLASS_INDEX_ERROR,
                   "%s(): Expected reduction dim %lld to have non-zero size.", name, (long long)at);
    return !is_raised(host);
}

/* max and min: of two tensors, of all elements, or along a dimension with the places. */
Object *torch_extreme(Host *host, Object *const *args, const HostCall *call) {
    bool is_max = call->id == TERN_OP_amax, keep = args[2] && script_truth(host, args[2]);
    if (!want_tensor(host, args[0], "input")) return none_of(host);
    if (is_tensor_object(args[1])) {
        HostCall other = *call;
        other.id = is_max ? TERN_OP_maximum : TERN_OP_minimum;
        return torch_binary(host, (Object *[]){args[0], args[1], NULL}, &other);
    }
    int64_t dim = 0;
    tern_tensor *x = tensor_of(args[0]);
    bool is_cuda = args[0]->weight, has_dim = given(args[1]);
    if ((has_dim && !host_int(host, args[1], "dim", &dim)) ||
        !has_some(host, is_max ? "max" : "min", x, has_dim ? &dim : NULL))
        return none_of(host);
    if (!has_dim)
        return tensor_wrap(
            host, is_max ? tern_amax(x, NULL, 0, false) : tern_amin(x, NULL, 0, false), is_cuda);
    int one = (int)dim;
    bool is_truth = tern_tensor_dtype(x) == TERN_BOOL;
    tern_tensor *bytes = is_truth ? tern_to(x, TERN_UINT8) : tern_keep(x);
    if (!bytes) return tensor_failed(host);
    Object *values = tensor_wrap(
        host, is_max ? tern_amax(x, &one, 1, keep) : tern_amin(x, &one, 1, keep), is_cuda);
    if (is_raised(host)) {
        tern_drop(bytes);
        return values;
    }
    Object *places = tensor_wrap(
        host, is_max ? tern_argmax(bytes, one, keep) : tern_argmin(bytes, one, keep), is_cuda);
    tern_drop(bytes);
    if (is_raised(host)) return places;
    static const Str names[] = {{"values", 6}, {"indices", 7}};
    Object *pair = heap_list(host, OBJECT_TUPLE, 2, (Object *[]){values, places});
    pair->names = (Str *)(uintptr_t)names;
    pair->text = is_max ? STR("torch.return_types.max") : STR("torch.return_types.min");
    return pair;
}

Object *torch_arg(Host *host, Object *const *args, const HostCall *call) {
    int64_t dim = 0;
    bool keep = args[2] && script_truth(host, args[2]), is_max = call->id == TERN_OP_argmax;
    if (!want_tensor(host, args[0], "input") ||
        (given(args[1]) && !host_int(host, args[1], "dim", &dim)))
        return none_of(host);
    if (!has_some(host, is_max ? "argmax" : "argmin", tensor_of(args[0]),
                  given(args[1]) ? &dim : NULL))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]), *flat = given(args[1]) ? tern_keep(x) : tern_flatten(x);
    tern_tensor *found =
        is_max ? tern_argmax(flat, (int)dim, keep) : tern_argmin(flat, (int)dim, keep);
    tern_drop(flat);
    return tensor_wrap(host, found, args[0]->weight);
}
