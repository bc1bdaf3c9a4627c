// SPDX-License-Identifier: Apache-2.0
/* view: other sizes and strides on the same storage. */
#include "tensor/tape.h"

#include <stdio.h>

bool dim_wrap(tern_session *session, int rank, int dim, int *wrapped) {
    int most = rank ? rank : 1;
    *wrapped = dim < 0 ? dim + most : dim;
    if (dim >= -most && dim < most) return true;
    session_fail(session, TERN_ERROR_ARGUMENT,
                 "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -most,
                 most - 1, dim);
    return false;
}

tern_tensor *view_new(const tern_tensor *tensor, int rank, const int64_t *shape,
                      const int64_t *strides, int64_t offset) {
    tensor->storage->references++;
    return tensor_create(tensor->session, tensor->storage, tensor->dtype, rank, shape, strides,
                         offset);
}

tern_tensor *view_same(const tern_tensor *tensor) {
    return view_new(tensor, tensor->rank, tensor->shape, tensor->strides, tensor->offset);
}

/* ---- what the tape knows of them ---- */

/* Most tensors it does not know. */
static bool is_known(const tern_tensor *tensor) { return tensor->grad || tensor->storage->history; }

/* From `start` on of a dimension, which is gone if step is 0. */
static tern_tensor *part(tern_tensor *tensor, tern_tensor *view, int dim, int64_t start,
                         int64_t step) {
    if (!view || !is_known(tensor)) return view;
    Attributes attributes = {.part = layout_of(view)};
    int64_t dense[TERN_MAX_RANK];
    int to = 0;
    strides_of(tensor->rank, tensor->shape, dense);
    for (int d = 0; d < tensor->rank; d++)
        if (d != dim || step) attributes.part.strides[to++] = dense[d] * (d == dim ? step : 1);
    attributes.part.offset = start * dense[dim];
    return tape_name(tape_view(view, tensor, NODE_PART, &attributes), step ? "Slice" : "Select");
}

static tern_tensor *reshaped(tern_tensor *tensor, int rank, const int64_t *shape,
                             const int64_t *strides, const char *name) {
    tern_tensor *view = view_new(tensor, rank, shape, strides, tensor->offset);
    return is_known(tensor) ? tape_name(tape_view(view, tensor, NODE_RESHAPE, NULL), name) : view;
}

/* ---- parts ---- */

/* Into 0 .. size, as Python does it. */
static int64_t clip(int64_t at, int64_t size) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
}

tern_tensor *tern_slice(tern_tensor *tensor, int dim, int64_t start, int64_t end, int64_t step) {
    if (!tensor_is_live(tensor) || !dim_wrap(tensor->session, tensor->rank, dim, &dim)) return NULL;
    if (!tensor->rank)
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "slice() cannot be applied to a 0-dim tensor.");
    if (step <= 0)
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "slice step must be positive");
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK], size = tensor->shape[dim];
    memcpy(shape, tensor->shape, sizeof shape);
    memcpy(strides, tensor->strides, sizeof strides);
    start = clip(start, size);
    end = clip(end, size);
    int64_t length = end > start ? end - start : 0;
    shape[dim] = length / step + (length % step != 0);
    int64_t offset = tensor->offset + start * strides[dim];
    /* A step that no size is above says nothing about where elements lie. */
    if (__builtin_mul_overflow(strides[dim], step, &strides[dim])) strides[dim] = 0;
    return part(tensor, view_new(tensor, tensor->rank, shape, strides, offset), dim, start, step);
}

tern_tensor *tern_select(tern_tensor *tensor, int dim, int64_t index) {
    if (!tensor_is_live(tensor)) return NULL;
    if (!tensor->rank)
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "select() cannot be applied to a 0-dim tensor.");
    if (!dim_wrap(tensor->session, tensor->rank, dim, &dim)) return NULL;
    int64_t size = tensor->shape[dim], shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    if (index < -size || index >= size)
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "select(): index %lld out of range for tensor of size %s at "
                                 "dimension %d",
                                 (long long)index, sizes_text(tensor->shape, tensor->rank).text,
                                 dim);
    int rank = 0;
    for (int i = 0; i < tensor->rank; i++)
        if (i != dim) shape[rank] = tensor->shape[i], strides[rank++] = tensor->strides[i];
    int64_t at = index < 0 ? index + size : index;
    int64_t offset = tensor->offset + at * tensor->strides[dim];
    return part(tensor, view_new(tensor, rank, shape, strides, offset), dim, at, 0);
}

/* ---- order ---- */

tern_tensor *tern_permute(tern_tensor *tensor, int rank, const int *dims) {
    if (!tensor_is_live(tensor)) return NULL;
    if (rank != tensor->rank)
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "permute(sparse_coo): number of dimensions in the tensor input "
                                 "does not match the length of the desired ordering of dimensions "
                                 "i.e. input.dim() = %d is not equal to len(dims) = %d",
                                 tensor->rank, rank);
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    bool seen[TERN_MAX_RANK] = {false};
    for (int i = 0; i < rank; i++) {
        int dim;
        if (!dim_wrap(tensor->session, rank, dims[i], &dim)) return NULL;
        if (seen[dim])
            return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                     "permute(): duplicate dims are not allowed.");
        seen[dim] = true;
        shape[i] = tensor->shape[dim];
        strides[i] = tensor->strides[dim];
    }
    tern_tensor *view = view_new(tensor, rank, shape, strides, tensor->offset);
    if (!view || !is_known(tensor)) return view;
    Attributes attributes = {.p = 0};
    for (int i = 0; i < rank; i++) attributes.dims[i] = dims[i] < 0 ? dims[i] + rank : dims[i];
    return tape_view(view, tensor, NODE_PERMUTE, &attributes);
}

tern_tensor *tern_transpose(tern_tensor *tensor, int dim0, int dim1) {
    if (!tensor_is_live(tensor) || !dim_wrap(tensor->session, tensor->rank, dim0, &dim0) ||
        !dim_wrap(tensor->session, tensor->rank, dim1, &dim1))
        return NULL;
    int dims[TERN_MAX_RANK];
    for (int i = 0; i < tensor->rank; i++) dims[i] = i == dim0 ? dim1 : i == dim1 ? dim0 : i;
    tern_tensor *view = tern_permute(tensor, tensor->rank, dims);
    return is_known(tensor) ? tape_name(view, "Transpose") : view;
}

/* ---- sizes ---- */

/* A shape of at most one -1, which gets its value. */
static bool infer_size(const tern_tensor *tensor, int rank, const int64_t *asked, int64_t *shape) {
    tern_session *session = tensor->session;
    int64_t known = 1;
    int unknown = -1;
    bool fits = rank >= 0 && rank <= TERN_MAX_RANK;
    if (!fits) return sizes_check(session, tensor->dtype, rank, asked, &known);
    for (int i = 0; i < rank; i++) {
        shape[i] = asked[i];
        if (asked[i] < -1) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "invalid shape dimension %lld at index %d of shape %s",
                         (long long)asked[i], i, sizes_text(asked, rank).text);
            return false;
        }
        if (asked[i] == -1 && unknown >= 0) {
            session_fail(session, TERN_ERROR_ARGUMENT, "only one dimension can be inferred");
            return false;
        }
        if (asked[i] == -1)
            unknown = i;
        else
            fits = fits && !__builtin_mul_overflow(known, asked[i], &known);
    }
    if (fits && unknown >= 0 && !known && !tensor->numel) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "cannot reshape tensor of 0 elements into shape %s because the unspecified "
                     "dimension size -1 can be any value and is ambiguous",
                     sizes_text(asked, rank).text);
        return false;
    }
    if (unknown >= 0 && fits && known && tensor->numel % known == 0)
        shape[unknown] = tensor->numel / known;
    else if (unknown >= 0 || !fits || known != tensor->numel) {
        session_fail(session, TERN_ERROR_ARGUMENT, "shape '%s' is invalid for input of size %lld",
                     sizes_text(asked, rank).text, (long long)tensor->numel);
        return false;
    }
    return true;
}

/* Runs of dimensions that lie behind one another are one; the new sizes must divide these runs. */
bool view_strides(const tern_tensor *tensor, int rank, const int64_t *shape, int64_t *strides) {
    if (!tensor->numel) {
        strides_of(rank, shape, strides);
        return true;
    }
    int at = rank - 1;
    int64_t base = tensor->rank ? tensor->strides[tensor->rank - 1] : 1, run = 1, made = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        run *= tensor->shape[i];
        bool ends = i == 0 || (tensor->shape[i - 1] != 1 && tensor->strides[i - 1] != run * base);
        if (!ends) continue;
        while (at >= 0 && (made < run || shape[at] == 1)) {
            strides[at] = made * base;
            made *= shape[at--];
        }
        if (made != run) return false;
        if (i > 0) base = tensor->strides[i - 1], run = made = 1;
    }
    for (; at >= 0; at--) strides[at] = made * base; /* sizes of 1 of a tensor without dimensions */
    return true;
}

static tern_tensor *try_view(tern_tensor *tensor, int rank, const int64_t *asked, bool *fits) {
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    *fits = true;
    if (!infer_size(tensor, rank, asked, shape)) return NULL;
    *fits = view_strides(tensor, rank, shape, strides);
    if (!*fits) return NULL;
    return reshaped(tensor, rank, shape, strides, "View");
}

tern_tensor *tern_view(tern_tensor *tensor, int rank, const int64_t *shape) {
    bool fits;
    if (!tensor_is_live(tensor)) return NULL;
    tern_tensor *view = try_view(tensor, rank, shape, &fits);
    if (fits) return view;
    return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                             "view size is not compatible with input tensor's size and stride (at "
                             "least one dimension spans across two contiguous subspaces). Use "
                             ".reshape(...) instead.");
}

tern_tensor *tern_view_as(tern_tensor *tensor, tern_dtype dtype, int rank, const int64_t *shape) {
    int64_t numel, dense[TERN_MAX_RANK];
    if (!tensor_is_live(tensor)) return NULL;
    tern_session *session = tensor->session;
    if (session->trace || tensor->grad || !tern_is_contiguous(tensor))
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "tern_view_as of a tensor that is traced, recorded or has gaps");
    if (!sizes_check(session, dtype, rank, shape, &numel)) return NULL;
    int64_t size = (int64_t)tern_dtype_size(dtype);
    int64_t given = (int64_t)tern_dtype_size(tensor->dtype), start = tensor->offset * given;
    if (start % size || numel > tensor->numel * given / size)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "shape '%s' of %s is invalid for %lld bytes",
                                 sizes_text(shape, rank).text, tern_dtype_name(dtype),
                                 (long long)(tensor->numel * given));
    strides_of(rank, shape, dense);
    tensor->storage->references++;
    return tensor_create(session, tensor->storage, dtype, rank, shape, dense, start / size);
}

/* NULL, and said in PyTorch's words, where the last dimension does not divide so. */
static bool view_type_fits(const tern_tensor *tensor, tern_dtype dtype, int64_t ratio) {
    const char *from = torch_type_name(tensor->dtype), *to = torch_type_name(dtype);
    int last = tensor->rank - 1;
    int64_t wrong = 0;
    Buf what = {.arena = tensor->session->arena};
    if (!tensor->rank) {
        buf_puts(&what, "self.dim() cannot be 0");
    } else if (ratio > 1 && tensor->shape[last] % ratio) {
        wrong = tensor->shape[last];
        buf_printf(&what, "self.size(-1) must be divisible by %lld", (long long)ratio);
    } else if (tensor->strides[last] != 1) {
        wrong = tensor->strides[last];
        buf_puts(&what, "self.stride(-1) must be 1");
    } else if (ratio > 1 && tensor->offset % ratio) {
        wrong = tensor->offset;
        buf_printf(&what, "self.storage_offset() must be divisible by %lld", (long long)ratio);
    } else {
        for (int d = 0; d < last && ratio > 1 && !wrong; d++)
            if (tensor->strides[d] % ratio) {
                wrong = tensor->strides[d];
                buf_printf(&what, "self.stride(%d) must be divisible by %lld", d, (long long)ratio);
            }
        if (!wrong) return true;
    }
    buf_printf(&what, " to view %s as %s (different element sizes)", from, to);
    if (tensor->rank) buf_printf(&what, ", but got %lld", (long long)wrong);
    session_fail(tensor->session, TERN_ERROR_ARGUMENT, "%s", what.data);
    return false;
}

tern_tensor *tern_view_type(tern_tensor *tensor, tern_dtype dtype) {
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    if (!tensor_is_live(tensor)) return NULL;
    tern_session *session = tensor->session;
    int64_t size = (int64_t)tern_dtype_size(dtype), given = (int64_t)tern_dtype_size(tensor->dtype);
    if (session->trace || tensor->grad)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "the view as another type of a tensor that is traced or recorded");
    int64_t wider = size > given ? size / given : 1, narrower = size < given ? given / size : 1;
    if (size != given && !view_type_fits(tensor, dtype, wider)) return NULL;
    for (int d = 0; d < tensor->rank; d++) {
        bool is_last = d == tensor->rank - 1;
        shape[d] = is_last ? tensor->shape[d] / wider * narrower : tensor->shape[d];
        strides[d] = is_last && size != given ? 1 : tensor->strides[d] / wider * narrower;
    }
    tensor->storage->references++;
    return tensor_create(session, tensor->storage, dtype, tensor->rank, shape, strides,
                         tensor->offset / wider * narrower);
}

tern_tensor *tern_reshape(tern_tensor *tensor, int rank, const int64_t *shape) {
    bool fits;
    if (!tensor_is_live(tensor)) return NULL;
    tern_tensor *view = try_view(tensor, rank, shape, &fits);
    if (fits) return view;
    tern_tensor *dense = tern_contiguous(tensor);
    view = dense ? try_view(dense, rank, shape, &fits) : NULL;
    tern_drop(dense);
    return view;
}

tern_tensor *tern_flatten(tern_tensor *tensor) {
    return tern_reshape(tensor, 1, (const int64_t[]){-1});
}

tern_tensor *tern_expand(tern_tensor *tensor, int rank, const int64_t *asked) {
    if (!tensor_is_live(tensor)) return NULL;
    tern_session *session = tensor->session;
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK], numel = 1;
    if (rank < tensor->rank)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "expand(torch.%sTensor{%s}, size=%s): the number of sizes "
                                 "provided (%d) must be greater "
                                 "or equal to the number of dimensions in the tensor (%d)",
                                 torch_type_name(tensor->dtype),
                                 sizes_text(tensor->shape, tensor->rank).text,
                                 sizes_text(asked, rank < 0 ? 0 : rank).text, rank, tensor->rank);
    if (rank > TERN_MAX_RANK) return sizes_check(session, tensor->dtype, rank, asked, &numel), NULL;
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - tensor->rank);
        if (asked[i] == -1 && from < 0)
            return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                     "The expanded size of the tensor (-1) isn't allowed in a "
                                     "leading, non-existing dimension %d",
                                     i);
        int64_t have = from < 0 ? 1 : tensor->shape[from];
        shape[i] = asked[i] == -1 ? have : asked[i];
        bool stays = from >= 0 && have == shape[i];
        if (have != shape[i] && have != 1)
            return session_fail_null(
                session, TERN_ERROR_ARGUMENT,
                "The expanded size of the tensor (%lld) must match the existing size (%lld) at "
                "non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
                (long long)asked[i], (long long)have, i, sizes_text(asked, rank).text,
                sizes_text(tensor->shape, tensor->rank).text);
        strides[i] = stays ? tensor->strides[from] : 0;
    }
    for (int i = 0; i < rank; i++)
        if (shape[i] > 0 && __builtin_mul_overflow(numel, shape[i], &numel))
            return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                     "numel: integer multiplication overflow");
    if (!sizes_check(session, TERN_INT8, rank, shape, &numel)) return NULL; /* it takes no memory */
    for (int i = rank - tensor->rank - 1; i >= 0; i--) /* a new size of 1 is no repetition */
        if (shape[i] == 1) strides[i] = i + 1 < rank ? shape[i + 1] * strides[i + 1] : 1;
    return tape_view(view_new(tensor, rank, shape, strides, tensor->offset), tensor, NODE_EXPAND,
                     NULL);
}

static tern_tensor *squeeze(tern_tensor *tensor, int only) {
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] == 1 && (only < 0 || only == i)) continue;
        shape[rank] = tensor->shape[i];
        strides[rank++] = tensor->strides[i];
    }
    return reshaped(tensor, rank, shape, strides, "Squeeze");
}

tern_tensor *tern_squeeze(tern_tensor *tensor, int dim) {
    if (!tensor_is_live(tensor) || !dim_wrap(tensor->session, tensor->rank, dim, &dim)) return NULL;
    return squeeze(tensor, dim);
}

tern_tensor *tern_squeeze_all(tern_tensor *tensor) {
    return tensor_is_live(tensor) ? squeeze(tensor, -1) : NULL;
}

tern_tensor *tern_unsqueeze(tern_tensor *tensor, int dim) {
    if (!tensor_is_live(tensor) || !dim_wrap(tensor->session, tensor->rank + 1, dim, &dim))
        return NULL;
    int64_t shape[TERN_MAX_RANK + 1], strides[TERN_MAX_RANK + 1], numel;
    int rank = 0;
    for (int i = 0; i <= tensor->rank; i++) {
        if (i == dim) {
            shape[rank] = 1;
            strides[rank++] = i < tensor->rank ? tensor->shape[i] * tensor->strides[i] : 1;
        }
        if (i < tensor->rank) shape[rank] = tensor->shape[i], strides[rank++] = tensor->strides[i];
    }
    if (!sizes_check(tensor->session, tensor->dtype, rank, shape, &numel)) return NULL;
    return reshaped(tensor, rank, shape, strides, "Unsqueeze");
}

tern_tensor *tern_as_strided(tern_tensor *tensor, int rank, const int64_t *shape,
                             const int64_t *strides, int64_t offset) {
    if (!tensor_is_live(tensor)) return NULL;
    size_t size = tern_dtype_size(tensor->dtype), bytes;
    if (!tensor_has_values(tensor, "tern_as_strided")) return NULL;
    if (offset < 0 || __builtin_mul_overflow((size_t)offset, size, &bytes))
        return session_fail_null(tensor->session, TERN_ERROR_ARGUMENT,
                                 "Tensor: invalid storage offset %lld", (long long)offset);
    tern_tensor *checked = tern_from_buffer(tensor->session, tensor->storage->buffer, bytes,
                                            tensor->dtype, rank, shape, strides);
    if (!checked) return NULL;
    tern_tensor *view = view_new(tensor, rank, shape, strides, offset);
    tern_drop(checked);
    if (!view || !is_known(tensor)) return view;
    Attributes attributes = {.part = layout_of(view)};
    return tape_view(view, tensor, NODE_SEEN, &attributes);
}
