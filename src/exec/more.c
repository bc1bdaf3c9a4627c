// SPDX-License-Identifier: Apache-2.0
/* more: functions of tern_tensor.h whose arguments torch writes in its own way: the module _torch,
 * on which lib/lib_torch_more.py and lib/lib_torch_functional.py stand. */
#include "exec/exec.h"

#include <stdlib.h>

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static bool given(const Object *object) { return object && object->kind != OBJECT_NONE; }
static tern_tensor *maybe(const Object *object) { return given(object) ? tensor_of(object) : NULL; }

/* The first `count` are tensors; those with a bit in `optional` may be None. */
static bool want_all(Host *host, Object *const *args, int count, unsigned optional) {
    for (int i = 0; i < count; i++)
        if (!(optional >> i & 1 && !given(args[i])) && !want_tensor(host, args[i], "argument"))
            return false;
    return !is_raised(host);
}

/* input, num_dims, weight, bias, eps */
static Object *run_norm(Host *host, Object *const *args, const HostCall *call) {
    int64_t dims;
    double eps;
    Object *tensors[] = {args[0], args[2], args[3]};
    if (!want_all(host, tensors, 3, 6) || !host_int(host, args[1], "dims", &dims) ||
        !host_double(host, args[4], "eps", &eps))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]), *weight = maybe(args[2]), *bias = maybe(args[3]);
    return tensor_wrap(host,
                       call->id ? tern_rms_norm(x, (int)dims, weight, bias, eps)
                                : tern_layer_norm(x, (int)dims, weight, bias, eps),
                       args[0]->weight);
}

static Object *run_linear(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_all(host, args, 3, 4)) return none_of(host);
    return tensor_wrap(host, tern_linear(tensor_of(args[0]), tensor_of(args[1]), maybe(args[2])),
                       args[0]->weight);
}

static Object *run_embedding(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_all(host, args, 2, 0)) return none_of(host);
    return tensor_wrap(host, tern_embedding(tensor_of(args[0]), tensor_of(args[1])),
                       args[1]->weight);
}

/* input, target, weight, reduction, ignore_index, label_smoothing */
static Object *run_cross_entropy(Host *host, Object *const *args, const HostCall *call) {
    tern_entropy_options options = {.reduction = TERN_REDUCTION_MEAN};
    Str reduction;
    (void)call;
    if (!want_all(host, args, 3, 4) || !host_text(host, args[3], "reduction", &reduction) ||
        !host_int(host, args[4], "ignore_index", &options.ignore_index) ||
        !host_double(host, args[5], "label_smoothing", &options.label_smoothing))
        return none_of(host);
    bool is_sum = str_is(reduction, "sum"), is_none = str_is(reduction, "none");
    if (!is_sum && !is_none && !str_is(reduction, "mean"))
        return host_raise(host, CLASS_VALUE_ERROR, "%.*s is not a valid value for reduction",
                          STR_ARG(reduction));
    options.reduction = is_sum    ? TERN_REDUCTION_SUM
                        : is_none ? TERN_REDUCTION_NONE
                                  : TERN_REDUCTION_MEAN;
    return tensor_wrap(
        host, tern_cross_entropy(tensor_of(args[0]), tensor_of(args[1]), maybe(args[2]), &options),
        args[0]->weight);
}

static Object *run_dropout(Host *host, Object *const *args, const HostCall *call) {
    double p;
    (void)call;
    if (!want_all(host, args, 1, 0) || !host_double(host, args[1], "p", &p)) return none_of(host);
    bool trains = script_truth(host, args[2]);
    if (trains && p > 0 && !host_may_do(host, "random numbers")) return none_of(host);
    return tensor_wrap(host, tern_dropout(tensor_of(args[0]), p, trains), args[0]->weight);
}

/* input, p, q: rows with attributes */
static Object *run_with_numbers(Host *host, Object *const *args, const HostCall *call) {
    double p = 0, q = 0;
    if (!want_all(host, args, 1, 0) || !host_double(host, args[1], "the argument", &p) ||
        (given(args[2]) && !host_double(host, args[2], "the argument", &q)))
        return none_of(host);
    tern_operand operand = tern_of(tensor_of(args[0]));
    return tensor_wrap(host, tern_op((tern_op_id)call->id, &operand, 1, p, q), args[0]->weight);
}

/* input, dims (a list or None), keepdim, correction */
static Object *run_var(Host *host, Object *const *args, const HostCall *call) {
    int count = 0, dims[TERN_MAX_RANK];
    int64_t sizes[TERN_MAX_RANK];
    double correction;
    if (!want_all(host, args, 1, 0) || !host_double(host, args[3], "correction", &correction) ||
        (given(args[1]) && !sizes_of(host, args[1], &count, sizes)))
        return none_of(host);
    for (int i = 0; i < count; i++) dims[i] = (int)sizes[i];
    tern_tensor *x = tensor_of(args[0]);
    bool keep = script_truth(host, args[2]);
    return tensor_wrap(host,
                       call->id ? tern_std(x, dims, count, keep, correction)
                                : tern_var(x, dims, count, keep, correction),
                       args[0]->weight);
}

enum { TAKE_GATHER, TAKE_SELECT, TAKE_SCATTER_ADD };
/* input, dim, index, source? */
static Object *run_take(Host *host, Object *const *args, const HostCall *call) {
    int64_t dim;
    Object *tensors[] = {args[0], args[2], args[3]};
    bool puts = call->id == TAKE_SCATTER_ADD;
    if (!want_all(host, tensors, puts ? 3 : 2, 0) || !host_int(host, args[1], "dim", &dim))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]), *index = tensor_of(args[2]);
    return tensor_wrap(host,
                       puts ? tern_scatter_add(x, (int)dim, index, tensor_of(args[3]))
                       : call->id == TAKE_GATHER ? tern_gather(x, (int)dim, index)
                                                 : tern_index_select(x, (int)dim, index),
                       args[0]->weight);
}

static Object *run_triangle(Host *host, Object *const *args, const HostCall *call) {
    int64_t diagonal = 0;
    if (!want_all(host, args, 1, 0) ||
        (given(args[1]) && !host_int(host, args[1], "diagonal", &diagonal)))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    return tensor_wrap(host, call->id ? tern_triu(x, diagonal) : tern_tril(x, diagonal),
                       args[0]->weight);
}

static Object *run_bmm(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_all(host, args, 2, 0)) return none_of(host);
    return tensor_wrap(host, tern_bmm(tensor_of(args[0]), tensor_of(args[1])), args[0]->weight);
}

static Object *run_addmm(Host *host, Object *const *args, const HostCall *call) {
    double beta = 1, alpha = 1;
    (void)call;
    if (!want_all(host, args, 3, 0) ||
        (given(args[3]) && !host_double(host, args[3], "beta", &beta)) ||
        (given(args[4]) && !host_double(host, args[4], "alpha", &alpha)))
        return none_of(host);
    return tensor_wrap(
        host, tern_addmm(tensor_of(args[0]), tensor_of(args[1]), tensor_of(args[2]), beta, alpha),
        args[0]->weight);
}

static Object *pair(Host *host, tern_tensor *values, tern_tensor *places, bool is_cuda,
                    const char *name) {
    static const Str names[] = {{"values", 6}, {"indices", 7}};
    Object *items[] = {tensor_wrap(host, values, is_cuda), tensor_wrap(host, places, is_cuda)};
    Object *tuple = heap_list(host, OBJECT_TUPLE, 2, items);
    tuple->names = (Str *)(uintptr_t)names;
    tuple->text = str_of(name);
    return tuple;
}

static Object *run_sort(Host *host, Object *const *args, const HostCall *call) {
    tern_tensor *values, *places;
    int64_t dim = -1;
    (void)call;
    if (!want_all(host, args, 1, 0) || (given(args[1]) && !host_int(host, args[1], "dim", &dim)) ||
        !host_may_do(host, "sorting"))
        return none_of(host);
    bool falls = given(args[2]) && script_truth(host, args[2]);
    tern_tensor *x = tensor_of(args[0]);
    int order[TERN_MAX_RANK], back[TERN_MAX_RANK], rank = tern_rank(x);
    if (!memory_order(x, order) || dim < -rank || dim >= rank) {
        if (tern_sort(x, (int)dim, falls, &values, &places)) return tensor_failed(host);
        return pair(host, values, places, args[0]->weight, "torch.return_types.sort");
    }
    for (int i = 0; i < rank; i++) back[order[i]] = i;
    tern_tensor *turned = tern_permute(x, rank, order);
    bool fails =
        !turned || tern_sort(turned, back[dim < 0 ? dim + rank : dim], falls, &values, &places);
    tern_drop(turned);
    if (fails) return tensor_failed(host);
    tern_tensor *found[] = {values, places};
    values = tern_permute(found[0], rank, back), places = tern_permute(found[1], rank, back);
    tern_drop(found[0]);
    tern_drop(found[1]);
    if (!values || !places) return tensor_failed(host);
    return pair(host, values, places, args[0]->weight, "torch.return_types.sort");
}

static Object *run_topk(Host *host, Object *const *args, const HostCall *call) {
    tern_tensor *values, *places;
    int64_t k, dim = -1;
    (void)call;
    if (!want_all(host, args, 1, 0) || !host_int(host, args[1], "k", &k) ||
        (given(args[2]) && !host_int(host, args[2], "dim", &dim)) || !host_may_do(host, "topk()"))
        return none_of(host);
    bool largest = !given(args[3]) || script_truth(host, args[3]);
    if (tern_topk(tensor_of(args[0]), k, (int)dim, largest, &values, &places))
        return tensor_failed(host);
    return pair(host, values, places, args[0]->weight, "torch.return_types.topk");
}

static Object *run_detach(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_all(host, args, 1, 0)) return none_of(host);
    return tensor_wrap(host, tern_detach(tensor_of(args[0])), args[0]->weight);
}

static Object *run_requires_grad(Host *host, Object *const *args, const HostCall *call) {
    Object *flag = args[1] ? args[1] : host->script->booleans[1];
    (void)call;
    if (want_all(host, args, 1, 0)) grad_set_attribute(host, args[0], STR("requires_grad"), flag);
    return is_raised(host) ? none_of(host) : args[0];
}

static Object *run_retain_grad(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_all(host, args, 1, 0) || !host_may_do(host, "retain_grad()")) return none_of(host);
    return tern_retain_grad(tensor_of(args[0])) ? tensor_failed(host) : none_of(host);
}

/* x.uniform_(from=0, to=1), x.normal_(mean=0, std=1): drawn as PyTorch draws on a CPU. */
static Object *run_fill_random(Host *host, Object *const *args, const HostCall *call) {
    double a = 0, b = 1;
    if (!want_all(host, args, 1, 0) || !host_may_do(host, "random numbers") ||
        (given(args[1]) && !host_double(host, args[1], "the argument", &a)) ||
        (given(args[2]) && !host_double(host, args[2], "the argument", &b)))
        return none_of(host);
    tern_tensor *x = tensor_of(args[0]);
    if (!tern_dtype_is_float(tern_tensor_dtype(x)) || tern_tensor_dtype(x) == TERN_FLOAT64)
        return host_refuse(host, "filling a tensor of %s with random numbers",
                           tern_torch_name(tern_tensor_dtype(x)));
    int64_t count = tern_numel(x);
    float *data = malloc((size_t)count * sizeof *data + 8);
    if (!data) longjmp(host->script->no_memory, 1);
    if (call->id) torch_fill_normal(&exec_of(host)->random, data, count);
    for (int64_t i = 0; i < count; i++)
        data[i] = call->id ? data[i] * (float)b + (float)a
                           : torch_uniform_float(&exec_of(host)->random) * ((float)b - (float)a) +
                                 (float)a;
    tern_tensor *drawn =
        tern_from(exec_of(host)->session, data, TERN_FLOAT32, tern_rank(x), tern_shape(x));
    free(data);
    tern_tensor *plain = tern_detach(x); /* a leaf may be filled */
    bool failed = !drawn || !plain || tern_copy_into(plain, drawn);
    tern_drop(drawn);
    tern_drop(plain);
    return failed ? tensor_failed(host) : args[0];
}

static const Native rows[] = {
    NATIVE("layer_norm", "input, dims, weight, bias, eps", run_norm),
    {"rms_norm", "input, dims, weight, bias, eps", run_norm, 1},
    NATIVE("linear", "input, weight, bias?", run_linear),
    NATIVE("embedding", "input, weight", run_embedding),
    NATIVE("cross_entropy", "input, target, weight, reduction, ignore_index, label_smoothing",
           run_cross_entropy),
    NATIVE("dropout", "input, p, training", run_dropout),
    {"leaky_relu", "input, negative_slope", run_with_numbers, TERN_OP_leaky_relu},
    {"elu", "input, alpha", run_with_numbers, TERN_OP_elu},
    {"softplus", "input, beta, threshold", run_with_numbers, TERN_OP_softplus},
    NATIVE("var", "input, dims, keepdim, correction", run_var),
    {"std", "input, dims, keepdim, correction", run_var, 1},
};
/* Of torch and of tensors. */
static const Native both[] = {
    NATIVE("gather", "input, dim, index", run_take),
    {"index_select", "input, dim, index", run_take, TAKE_SELECT},
    {"scatter_add", "input, dim, index, src", run_take, TAKE_SCATTER_ADD},
    NATIVE("tril", "input, diagonal?", run_triangle),
    {"triu", "input, diagonal?", run_triangle, 1},
    NATIVE("bmm", "input, mat2", run_bmm),
    NATIVE("addmm", "input, mat1, mat2, *, beta?, alpha?", run_addmm),
    NATIVE("sort", "input, dim?, descending?, stable?", run_sort),
    NATIVE("topk", "input, k, dim?, largest?, sorted?", run_topk),
    NATIVE("detach", "input", run_detach),
};
static const Native methods[] = {
    NATIVE("requires_grad_", "self, requires_grad?", run_requires_grad),
    NATIVE("retain_grad", "self", run_retain_grad),
    NATIVE("uniform_", "self, from?, to?", run_fill_random),
    {"normal_", "self, mean?, std?", run_fill_random, 1},
    NATIVE("backward", "self, gradient?, retain_graph?, create_graph?, inputs?", run_backward),
};

const Native *more_method(Str name) {
    for (int i = 0; i < COUNT(both); i++)
        if (str_is(name, both[i].name)) return &both[i];
    for (int i = 0; i < COUNT(methods); i++)
        if (str_is(name, methods[i].name)) return &methods[i];
    return NULL;
}

void add_more(Host *host, Object *module) { module_add_natives(host, module, both, COUNT(both)); }

Object *more_open(Host *host, Str path) {
    if (!str_is(path, "_torch")) return NULL;
    Object *module = host_module_new(host, "_torch");
    add_torch(host, module);
    module_add_natives(host, module, rows, COUNT(rows));
    module_add_natives(host, module, both, COUNT(both));
    return module;
}
