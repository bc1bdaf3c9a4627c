/* SPDX-License-Identifier: Apache-2.0 */
/* tern_tensor: tensors and their ops for C and C++ programs, on every device of tern.h.
 *
 * A tensor is a view (type, sizes, strides, offset) of a storage; both are counted. What makes a
 * tensor gives the caller one reference: tern_keep adds one, tern_drop takes one away, and a view
 * keeps its storage alive. Shapes, strides, type promotion, names and the words of errors are
 * PyTorch's. An op is a kernel in the Triton language that the library writes and compiles on
 * first use (tern_session_kernels shows them); later calls only launch it.
 *
 * Functions return NULL, or a status, when something is wrong; tern_message of the context says
 * what. A tensor that is NULL is allowed as an operand: the result is NULL and the words stay, so
 * that only the end of a chain needs a look. Numbers of dimensions are 0 to TERN_MAX_RANK, a
 * dimension counts from the end when it is negative. Threads: as in tern.h, for the context. */
#ifndef TERN_TENSOR_H
#define TERN_TENSOR_H

#include "tern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What tensors of a context share: memory to be used again, compiled ops. It owns all tensors made
 * through it: closing it, before its context, frees those that are left. One a context is
 * enough. */
typedef struct tern_session tern_session;
typedef struct tern_tensor tern_tensor;

/* NULL: no memory. */
TERN_API tern_session *tern_session_open(tern_context *context);
TERN_API void tern_session_close(tern_session *session); /* NULL is allowed */
TERN_API tern_context *tern_session_context(tern_session *session);
/* From here on, tensors of the session, and memory that is kept to be used again, have together so
 * many bytes at most; 0, as at first: as many as there are. More is TERN_ERROR_NO_MEMORY, in
 * PyTorch's words. Buffers of the caller's do not count. */
TERN_API void tern_session_limit(tern_session *session, size_t most_bytes);
/* The text of all kernels that ops of this session were compiled from. tern_free; NULL: no
 * memory. */
TERN_API char *tern_session_kernels(tern_session *session);
/* From here on, are products tuned? The first of a type and shape is then done in all ways there
 * are: tern's tiles, cuBLAS on cuda and OpenBLAS on cpu where they are found. Results are compared,
 * the fastest is kept, for the session and in the cache folder. Products of functions that are
 * fused (the first 16) are tried with what follows them, by calls of the whole function, when it is
 * first called with a shape. At first they are not. Returns what it was. */
TERN_API bool tern_session_tune(tern_session *session, bool tunes);
/* What was tried, a line a product, with times. tern_free; NULL: no memory. */
TERN_API char *tern_session_tuned(tern_session *session);
TERN_API int tern_session_live_tensors(const tern_session *session); /* not yet dropped */

/* Between the two, each tensor that a function returned is noted; closing drops one reference of
 * each, so that what is to stay needs a tern_keep. They nest, to 16. */
TERN_API tern_status tern_scope_open(tern_session *session);
TERN_API tern_status tern_scope_close(tern_session *session);

TERN_API tern_tensor *tern_keep(tern_tensor *tensor); /* one reference more; returns it */
/* One fewer; the last takes the tensor with it. Of one that is gone: an error, where it can be
 * seen. NULL is allowed. */
TERN_API void tern_drop(tern_tensor *tensor);

/* ---- what it is ---- */

TERN_API tern_dtype tern_tensor_dtype(const tern_tensor *tensor);
TERN_API int tern_rank(const tern_tensor *tensor);
TERN_API const int64_t *tern_shape(const tern_tensor *tensor);   /* as long as the tensor */
TERN_API const int64_t *tern_strides(const tern_tensor *tensor); /* in elements */
TERN_API int64_t tern_numel(const tern_tensor *tensor);
TERN_API int64_t tern_offset(const tern_tensor *tensor); /* of the first element, in elements */
TERN_API bool tern_is_contiguous(const tern_tensor *tensor);
/* For tern_launch: the storage, in which the tensor's first element lies at *offset bytes. */
TERN_API tern_buffer *tern_tensor_buffer(const tern_tensor *tensor, size_t *offset);
TERN_API tern_session *tern_tensor_session(const tern_tensor *tensor);
TERN_API const char *tern_torch_name(tern_dtype dtype); /* "float32", "bfloat16", "bool" */

/* ---- making ---- */

TERN_API tern_tensor *tern_empty(tern_session *session, tern_dtype dtype, int rank,
                                 const int64_t *shape);
TERN_API tern_tensor *tern_empty_strided(tern_session *session, tern_dtype dtype, int rank,
                                         const int64_t *shape, const int64_t *strides);
TERN_API tern_tensor *tern_zeros(tern_session *session, tern_dtype dtype, int rank,
                                 const int64_t *shape);
TERN_API tern_tensor *tern_ones(tern_session *session, tern_dtype dtype, int rank,
                                const int64_t *shape);
TERN_API tern_tensor *tern_full(tern_session *session, tern_dtype dtype, int rank,
                                const int64_t *shape, double value);
/* start, start + step .. below (or, with a negative step, above) end. */
TERN_API tern_tensor *tern_arange(tern_session *session, tern_dtype dtype, double start, double end,
                                  double step);
/* Copies host memory: row-major, without gaps. */
TERN_API tern_tensor *tern_from(tern_session *session, const void *data, tern_dtype dtype, int rank,
                                const int64_t *shape);
/* A view of the caller's buffer, which must stay as long as it; offset in bytes; strides NULL:
 * row-major. */
TERN_API tern_tensor *tern_from_buffer(tern_session *session, tern_buffer *buffer, size_t offset,
                                       tern_dtype dtype, int rank, const int64_t *shape,
                                       const int64_t *strides);
/* Of the same shape; strides, too, where the tensor is dense. */
TERN_API tern_tensor *tern_empty_like(tern_tensor *tensor);
TERN_API tern_tensor *tern_zeros_like(tern_tensor *tensor);

/* To the host, row-major, without gaps: `bytes` is numel times the element's size. Waits. */
TERN_API tern_status tern_to_host(tern_tensor *tensor, void *to, size_t bytes);
TERN_API tern_status tern_item(tern_tensor *tensor, double *value); /* of one element */
TERN_API tern_status tern_item_int(tern_tensor *tensor, int64_t *value);

TERN_API tern_tensor *tern_load_npy(tern_session *session, const char *path);
TERN_API tern_status tern_save_npy(tern_tensor *tensor, const char *path);

/* Numbers as PyTorch draws them on a GPU, Philox 4x32-10, from the session's seed on (0 at first):
 * of [0, 1), and of the normal distribution. On a GPU they depend on its number of
 * multiprocessors, elsewhere they are those of an H200. */
TERN_API void tern_manual_seed(tern_session *session, uint64_t seed);
TERN_API tern_tensor *tern_rand(tern_session *session, tern_dtype dtype, int rank,
                                const int64_t *shape);
TERN_API tern_tensor *tern_randn(tern_session *session, tern_dtype dtype, int rank,
                                 const int64_t *shape);

/* As print(tensor) of PyTorch. tern_free; NULL: an error. _on: as of a tensor on that device,
 * "cuda:0". */
TERN_API char *tern_tensor_text(tern_tensor *tensor);
TERN_API char *tern_tensor_text_on(tern_tensor *tensor, const char *device);

/* How tensors of a session are printed, as torch.set_printoptions says; a member that is 0 is as at
 * first. NULL: all are. */
typedef struct tern_print_options {
    size_t size;
    int precision;     /* digits after the point: 4; -1: none; at most 30 */
    int64_t threshold; /* of more elements only the ends are shown: 1,000; -1: of any */
    int edge_items;    /* at each end of each dimension: 3 */
    int line_width;    /* 80 */
    int exponents;     /* of floating numbers: 1: always, -1: never; 0: where they are far apart */
} tern_print_options;
TERN_API void tern_set_print_options(tern_session *session, const tern_print_options *options);

/* DLPack's struct of version 0.x, as <dlpack/dlpack.h> declares it. To: a view of the tensor, which
 * keeps it until the receiver calls its deleter, before the session closes. From: a tensor that
 * calls the deleter when its storage goes; on failure the struct stays the caller's. */
struct DLManagedTensor;
TERN_API struct DLManagedTensor *tern_to_dlpack(tern_tensor *tensor);
TERN_API tern_tensor *tern_from_dlpack(tern_session *session, struct DLManagedTensor *managed);

/* ---- views: new tensors of the same storage ---- */

TERN_API tern_tensor *tern_slice(tern_tensor *tensor, int dim, int64_t start, int64_t end,
                                 int64_t step);
TERN_API tern_tensor *tern_select(tern_tensor *tensor, int dim, int64_t index);
TERN_API tern_tensor *tern_transpose(tern_tensor *tensor, int dim0, int dim1);
TERN_API tern_tensor *tern_permute(tern_tensor *tensor, int rank, const int *dims);
/* One size may be -1. view: NULL when strides do not allow it; reshape copies then. */
TERN_API tern_tensor *tern_view(tern_tensor *tensor, int rank, const int64_t *shape);
TERN_API tern_tensor *tern_reshape(tern_tensor *tensor, int rank, const int64_t *shape);
/* The memory of a contiguous tensor, from its first element on, as elements of any type. Gradients
 * do not go through. */
TERN_API tern_tensor *tern_view_as(tern_tensor *tensor, tern_dtype dtype, int rank,
                                   const int64_t *shape);
/* As PyTorch's x.view(dtype): the same strides where elements are as large, else the last dimension
 * becomes longer or shorter. Gradients do not go through. */
TERN_API tern_tensor *tern_view_type(tern_tensor *tensor, tern_dtype dtype);
TERN_API tern_tensor *tern_flatten(tern_tensor *tensor); /* to one dimension, as reshape */
TERN_API tern_tensor *tern_expand(tern_tensor *tensor, int rank,
                                  const int64_t *shape); /* -1 keeps */
TERN_API tern_tensor *tern_squeeze(tern_tensor *tensor, int dim);
TERN_API tern_tensor *tern_squeeze_all(tern_tensor *tensor);
TERN_API tern_tensor *tern_unsqueeze(tern_tensor *tensor, int dim);
TERN_API tern_tensor *tern_as_strided(tern_tensor *tensor, int rank, const int64_t *shape,
                                      const int64_t *strides, int64_t offset);
/* A subscript as Python has it: "2, :, None, 0:8:2", "..., -1". */
TERN_API tern_tensor *tern_at(tern_tensor *tensor, const char *subscript);

/* ---- ops ---- */

typedef enum tern_operand_kind {
    TERN_OPERAND_TENSOR,
    TERN_OPERAND_NUMBER,
    TERN_OPERAND_INTEGER,
    TERN_OPERAND_BOOL,
} tern_operand_kind;
/* A tensor or a Python number: a number changes the type of a result only to a higher kind. */
typedef struct tern_operand {
    tern_operand_kind kind;
    tern_tensor *tensor;
    double number;
    int64_t integer; /* also bool */
} tern_operand;
static inline tern_operand tern_of(tern_tensor *tensor) {
    tern_operand operand = {TERN_OPERAND_TENSOR, tensor, 0.0, 0};
    return operand;
}
static inline tern_operand tern_number(double number) {
    tern_operand operand = {TERN_OPERAND_NUMBER, NULL, number, 0};
    return operand;
}
static inline tern_operand tern_integer(int64_t integer) {
    tern_operand operand = {TERN_OPERAND_INTEGER, NULL, 0.0, integer};
    return operand;
}

/* The rows of tern_tensor_ops.def: of each row an id and a function. */
typedef enum tern_op_id {
#define TERN_UNARY(name, ...)    TERN_OP_##name,
#define TERN_UNARY_1(name, ...)  TERN_OP_##name,
#define TERN_UNARY_2(name, ...)  TERN_OP_##name,
#define TERN_BINARY(name, ...)   TERN_OP_##name,
#define TERN_BINARY_2(name, ...) TERN_OP_##name,
#define TERN_TERNARY(name, ...)  TERN_OP_##name,
#define TERN_REDUCE(name, ...)   TERN_OP_##name,
#define TERN_REDUCE_1(name, ...) TERN_OP_##name,
#define TERN_ARG(name, ...)      TERN_OP_##name,
#define TERN_ALONG(name, ...)    TERN_OP_##name,
#define TERN_NORM(name, ...)     TERN_OP_##name,
#define TERN_SCAN(name, ...)     TERN_OP_##name,
#define TERN_TAKE(name, ...)     TERN_OP_##name,
#define TERN_PUT(name, ...)      TERN_OP_##name,
#define TERN_PRODUCT(name, ...)  TERN_OP_##name,
#include "tern_tensor_ops.def"
    TERN_NUM_OPS
} tern_op_id;

/* The pointwise rows, with any mixture of tensors and numbers; p and q are the row's attributes.
 * At least one operand is a tensor. */
TERN_API tern_tensor *tern_op(tern_op_id op, const tern_operand *operands, int num_operands,
                              double p, double q);
/* out= and in-place: into a tensor of the result's shape, whose type the result's can become. out
 * may be an operand, the same view of its storage. */
TERN_API tern_status tern_op_into(tern_tensor *out, tern_op_id op, const tern_operand *operands,
                                  int num_operands, double p, double q);
TERN_API const char *tern_op_name(tern_op_id op);

/* UNARY: tern_exp(x). UNARY_1, _2: with attributes, tern_softplus(x, beta, threshold).
 * BINARY: tern_add(a, b), and tern_add_number(a, 0.5), tern_add_integer(a, 2). BINARY_2: with
 * attributes, tern_isclose(a, b, rtol, atol).
 * TERNARY: tern_where(tern_of(c), tern_of(a), tern_number(0)).
 * REDUCE: tern_sum(x, dims, num_dims, keepdim), over all with num_dims 0; REDUCE_1: and an
 * attribute. ARG, ALONG, SCAN: along one dimension. NORM: over the last num_dims dimensions; weight
 * and bias are of their sizes, or NULL: 1 and 0. */
#define TERN_UNARY(name, ...)   TERN_API tern_tensor *tern_##name(tern_tensor *x);
#define TERN_UNARY_1(name, ...) TERN_API tern_tensor *tern_##name(tern_tensor *x, double p);
#define TERN_UNARY_2(name, ...)                                                                    \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, double p, double q);
#define TERN_BINARY(name, ...)                                                                     \
    TERN_API tern_tensor *tern_##name(tern_tensor *a, tern_tensor *b);                             \
    TERN_API tern_tensor *tern_##name##_number(tern_tensor *a, double b);                          \
    TERN_API tern_tensor *tern_##name##_integer(tern_tensor *a, int64_t b);
#define TERN_BINARY_2(name, ...)                                                                   \
    TERN_API tern_tensor *tern_##name(tern_tensor *a, tern_tensor *b, double p, double q);
#define TERN_TERNARY(name, ...)                                                                    \
    TERN_API tern_tensor *tern_##name(tern_operand a, tern_operand b, tern_operand c);
#define TERN_REDUCE(name, ...)                                                                     \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, const int *dims, int num_dims, bool keepdim);
#define TERN_REDUCE_1(name, ...)                                                                   \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, const int *dims, int num_dims, bool keepdim, \
                                      double p);
#define TERN_ARG(name, ...)                                                                        \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, int dim, bool keepdim);
#define TERN_ALONG(name, ...) TERN_API tern_tensor *tern_##name(tern_tensor *x, int dim);
#define TERN_NORM(name, ...)                                                                       \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, int num_dims, tern_tensor *weight,           \
                                      tern_tensor *bias, double eps);
#define TERN_SCAN(name, ...) TERN_API tern_tensor *tern_##name(tern_tensor *x, int dim);
#define TERN_TAKE(name, ...)                                                                       \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, int dim, tern_tensor *index);
#define TERN_PUT(name, ...)                                                                        \
    TERN_API tern_tensor *tern_##name(tern_tensor *x, int dim, tern_tensor *index,                 \
                                      tern_tensor *source);
#define TERN_PRODUCT(name, ...) TERN_API tern_tensor *tern_##name(tern_tensor *a, tern_tensor *b);
#include "tern_tensor_ops.def"

TERN_API tern_tensor *tern_bmm(tern_tensor *a, tern_tensor *b);
/* Rows of a matrix. Of this, gather and index_select: the indices are looked at first, which waits
 * for the device; one that is outside is an error. */
TERN_API tern_tensor *tern_embedding(tern_tensor *indices, tern_tensor *weight);
TERN_API tern_tensor *tern_cat(tern_tensor *const *tensors, int count, int dim);
TERN_API tern_tensor *tern_stack(tern_tensor *const *tensors, int count, int dim);
TERN_API tern_tensor *tern_tril(tern_tensor *tensor, int64_t diagonal); /* others become 0 */
TERN_API tern_tensor *tern_triu(tern_tensor *tensor, int64_t diagonal);
/* |a - b| <= atol + rtol * |b| for all elements; types must be the same. */
TERN_API tern_status tern_allclose(tern_tensor *a, tern_tensor *b, double rtol, double atol,
                                   bool equal_nan, bool *result);
/* x @ weight.T + bias; bias may be NULL */
TERN_API tern_tensor *tern_linear(tern_tensor *x, tern_tensor *weight, tern_tensor *bias);
/* beta * input + alpha * (a @ b), of matrices; the input broadcasts. */
TERN_API tern_tensor *tern_addmm(tern_tensor *input, tern_tensor *a, tern_tensor *b, double beta,
                                 double alpha);
/* Each element is 0 with probability p, others are scaled by 1 / (1 - p); not training: a view. */
TERN_API tern_tensor *tern_dropout(tern_tensor *x, double p, bool is_training);
/* In order along a dimension, and where each was; equals stay in order, NaN is the largest. topk:
 * the first k of it, the largest or smallest ones first. A GPU sorts by itself what has up to 32
 * bits; else the host does, and waits for the device. */
TERN_API tern_status tern_sort(tern_tensor *x, int dim, bool descending, tern_tensor **values,
                               tern_tensor **indices);
TERN_API tern_status tern_topk(tern_tensor *x, int64_t k, int dim, bool largest,
                               tern_tensor **values, tern_tensor **indices);
typedef enum tern_reduction {
    TERN_REDUCTION_MEAN,
    TERN_REDUCTION_SUM,
    TERN_REDUCTION_NONE
} tern_reduction;
typedef struct tern_entropy_options {
    tern_reduction reduction;
    int64_t ignore_index; /* a class whose rows do not count; PyTorch's is -100 */
    double label_smoothing;
} tern_entropy_options;
/* Classes along dimension 1 (of a vector 0); target: classes, or a float share of each. weight: of
 * each class, or NULL. options NULL: mean, ignore_index -100. */
TERN_API tern_tensor *tern_cross_entropy(tern_tensor *x, tern_tensor *target, tern_tensor *weight,
                                         const tern_entropy_options *options);
TERN_API tern_tensor *tern_to(tern_tensor *tensor, tern_dtype dtype); /* a view, if it is of it */
TERN_API tern_tensor *tern_clone(tern_tensor *tensor);
TERN_API tern_tensor *tern_contiguous(tern_tensor *tensor);              /* a view, if it is */
TERN_API tern_status tern_copy_into(tern_tensor *to, tern_tensor *from); /* broadcasts, converts */

/* ---- gradients ----
 *
 * Reverse mode, as PyTorch's autograd: ops on tensors that require a gradient are recorded while
 * they run, and tern_backward walks back over them, last one first. What is recorded keeps the
 * values that its gradients are made of; writing to one of these in place is an error of
 * tern_backward, in PyTorch's words. Gradients are made by ops: on every device, in functions that
 * are traced, and again with gradients (create_graph). */

/* Of a tensor of floats that no op made. */
TERN_API tern_status tern_set_requires_grad(tern_tensor *tensor, bool requires_grad);
TERN_API bool tern_requires_grad(const tern_tensor *tensor);
TERN_API bool tern_is_leaf(const tern_tensor *tensor); /* no recorded op made it */
/* Are ops recorded? At first they are. Returns what it was: torch.no_grad is false and back. */
TERN_API bool tern_set_grad_mode(tern_session *session, bool records);
TERN_API bool tern_grad_mode(const tern_session *session);
TERN_API tern_tensor *tern_detach(tern_tensor *tensor); /* a view that nothing is recorded of */
/* What the tensor was made by: "MulBackward0"; NULL: nothing that is recorded. */
TERN_API const char *tern_grad_function(const tern_tensor *tensor);
TERN_API int64_t
tern_tensor_version(const tern_tensor *tensor); /* writes in place to its storage so far */

typedef struct tern_backward_options {
    bool retain_graph; /* else what was recorded is used up */
    bool create_graph; /* the gradients are recorded, too; retains */
    bool allow_unused; /* of tern_grad: NULL for tensors that the outputs do not depend on */
} tern_backward_options;
/* Adds to the gradients of the leaves that the tensor was made of, and of those that
 * tern_retain_grad names. gradient: of the tensor; NULL: 1, of one element. options: NULL: none. */
TERN_API tern_status tern_backward(tern_tensor *tensor, tern_tensor *gradient,
                                   const tern_backward_options *options);
/* The gradients of `inputs`, new references, and nobody's else. out_gradients, or one of it, NULL:
 * 1, of one element. */
TERN_API tern_status tern_grad(tern_tensor *const *outputs, tern_tensor *const *out_gradients,
                               int num_outputs, tern_tensor *const *inputs, int num_inputs,
                               tern_tensor **gradients, const tern_backward_options *options);
/* x.grad: a new reference; NULL: there is none yet. */
TERN_API tern_tensor *tern_gradient(tern_tensor *tensor);
TERN_API tern_status tern_set_gradient(tern_tensor *tensor, tern_tensor *gradient); /* NULL: none */
TERN_API tern_status tern_retain_grad(tern_tensor *tensor); /* of one that is no leaf */

/* A function of the user's own, torch.autograd.Function: what it does with grad mode off is one op
 * to the tape, whose gradients the user gives. */
typedef struct tern_backward_call {
    void *user;
    int num_out, num_in, num_saved;
    tern_tensor *const *out_gradients; /* where none came: zeros, or NULL, as the function says */
    tern_tensor *const *saved;
    const bool *is_needed; /* of each input: has it a place for a gradient? */
    /* To be filled: each takes over a reference; NULL: zero. What else the function makes is its to
     * drop: scopes that were open before do not note it. */
    tern_tensor **in_gradients;
} tern_backward_call;
typedef tern_status tern_backward_function(const tern_backward_call *call);
typedef struct tern_grad_rule {
    const char *name; /* "Gelu": what it makes has the function "GeluBackward" */
    tern_backward_function *backward;
    void (*release)(void *user); /* once, when nobody can ask for gradients any more; NULL: none */
    void *user;
    uint64_t not_differentiable; /* outputs, by bits */
    bool keeps_missing;          /* set_materialize_grads(False) */
} tern_grad_rule;
/* `out` was made of `in` by the function (NULL: an argument that is no tensor). Notes it, where
 * grad mode is on and an input requires a gradient; else releases `user` at once. `saved` are kept
 * for backward, checked for writes. An output that is an input, the very same tensor, is an error:
 * return tern_detach of it. On failure `user` is released. */
TERN_API tern_status tern_record(tern_session *session, const tern_grad_rule *function,
                                 tern_tensor *const *in, int num_in, tern_tensor *const *out,
                                 int num_out, tern_tensor *const *saved, int num_saved);

/* ---- steps of optimisers: parameters, in place, by one kernel each ---- */

typedef struct tern_sgd_options {
    double lr, momentum, dampening, weight_decay;
    bool nesterov, maximize;
    bool is_first; /* momenta are not there yet: they become the gradients */
} tern_sgd_options;
/* As torch.optim.SGD; momenta: NULL with momentum 0. A gradient that is NULL leaves its parameter
 * out. */
TERN_API tern_status tern_sgd_step(tern_tensor *const *parameters, tern_tensor *const *gradients,
                                   tern_tensor *const *momenta, int count,
                                   const tern_sgd_options *options);
typedef struct tern_adam_options {
    double lr, beta1, beta2, eps, weight_decay;
    bool is_coupled; /* Adam: weight_decay goes into the gradient; else AdamW */
    bool maximize;
    int64_t step; /* from 1 on */
} tern_adam_options;
/* As torch.optim.AdamW; means and squares (exp_avg, exp_avg_sq) are zeros before the first step. */
TERN_API tern_status tern_adam_step(tern_tensor *const *parameters, tern_tensor *const *gradients,
                                    tern_tensor *const *means, tern_tensor *const *squares,
                                    int count, const tern_adam_options *options);

/* ---- functions that are compiled ---- */

/* Ops on `in` that make `out`: each gets a reference that is the caller's. Temporaries that it does
 * not drop go when it returns, as in a scope. */
typedef tern_status tern_fused_body(tern_tensor *const *in, tern_tensor **out, void *user);
/* A function whose ops become few kernels. It is traced when it is first called, and again for
 * other types, shapes or strides: the body runs, but its ops are noted, not done, so that it
 * cannot ask for values (tern_item, tern_to_host: refused). What decides how it runs, other than
 * `in`, must stay as it is: numbers that it takes from elsewhere are those of the trace. Tensors
 * that it takes from elsewhere are kept, and read at each call; what it writes to those and to
 * `in` is written at each call. Results in f16 and bf16 are rounded when they are stored or
 * converted, not between ops. Free it before the session is closed. */
typedef struct tern_fused tern_fused;

enum { TERN_MAX_FUSED_TENSORS = 64 }; /* in and out, each */
/* name: of the kernels, a word of letters, digits and '_'. NULL: an error. */
TERN_API tern_fused *tern_fuse(tern_session *session, const char *name, tern_fused_body *body,
                               int num_in, int num_out, void *user);
/* out: num_out places, which get new references; on an error, NULL. Inside of a function that is
 * traced its ops become those of the outer one. */
TERN_API tern_status tern_fused_call(tern_fused *function, tern_tensor *const *in,
                                     tern_tensor **out);
TERN_API void tern_fused_free(tern_fused *function); /* NULL is allowed */
/* While a function is traced: what the emitted text calls the tensor. Else nothing. */
TERN_API void tern_name(tern_tensor *tensor, const char *name);
/* Likewise: a line that stands as a comment above what ops from now on become; say, the program's
 * line that makes them. */
TERN_API void tern_note(tern_session *session, const char *text);

typedef enum tern_fused_text_kind {
    /* Kernels and a host function in Python, which tern and Triton take. */
    TERN_FUSED_SOURCE,
    /* Which ops went into which kernel, and why a kernel ends where it does. */
    TERN_FUSED_PLAN,
} tern_fused_text_kind;
/* Of the last call. tern_free; NULL: an error. */
TERN_API char *tern_fused_text(tern_fused *function, tern_fused_text_kind kind);

#ifdef __cplusplus
}
#endif
#endif
