// SPDX-License-Identifier: Apache-2.0
/* create: tensors from nothing, from the host's memory and from buffers; and back to the host. */
#include "tensor/tensor.h"

#include <math.h>
#include <stdlib.h>

/* ---- sizes ---- */

void strides_of(int rank, const int64_t *shape, int64_t *strides) {
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        if (shape[i] > 1) stride *= shape[i];
    }
}

bool strides_are_contiguous(int rank, const int64_t *shape, const int64_t *strides) {
    int64_t stride = 1;
    bool is = true;
    for (int i = rank - 1; i >= 0; i--) {
        if (!shape[i]) return true;
        if (shape[i] == 1) continue;
        is = is && strides[i] == stride;
        stride *= shape[i];
    }
    return is;
}

bool sizes_check(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                 int64_t *numel) {
    if (!dtype_is_known(dtype)) {
        session_fail(session, TERN_ERROR_ARGUMENT, "a tensor of no known type");
        return false;
    }
    if (rank < 0 || rank > TERN_MAX_RANK) {
        session_fail(session, TERN_ERROR_UNSUPPORTED, "a tensor of %d dimensions (at most %d)",
                     rank, TERN_MAX_RANK);
        return false;
    }
    int64_t count = 1, bytes;
    bool fits = true, is_empty = false;
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "Trying to create tensor with negative dimension %lld: %s",
                         (long long)shape[i], sizes_text(shape, rank).text);
            return false;
        }
        is_empty = is_empty || !shape[i];
        fits = fits && !__builtin_mul_overflow(count, shape[i] ? shape[i] : 1, &count);
    }
    if (!fits || __builtin_mul_overflow(count, (int64_t)tern_dtype_size(dtype), &bytes)) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Storage size calculation overflowed with sizes=%s",
                     sizes_text(shape, rank).text);
        return false;
    }
    *numel = is_empty ? 0 : count;
    return true;
}

bool view_extent(int rank, const int64_t *shape, const int64_t *strides, int64_t *extent) {
    int64_t last = 0;
    *extent = 0;
    for (int i = 0; i < rank; i++)
        if (!shape[i]) return true;
    for (int i = 0; i < rank; i++) {
        int64_t span;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span) ||
            __builtin_add_overflow(last, span, &last))
            return false;
    }
    return !__builtin_add_overflow(last, 1, extent);
}

int64_t tensor_extent(const tern_tensor *tensor) {
    int64_t extent = 0;
    view_extent(tensor->rank, tensor->shape, tensor->strides, &extent);
    return extent;
}

bool tensor_is_dense(const tern_tensor *tensor) {
    if (tensor->is_contiguous) return true;
    bool seen[TERN_MAX_RANK] = {false};
    int64_t want = 1;
    for (int k = 0; k < tensor->rank; k++) {
        int found = -1;
        for (int i = 0; i < tensor->rank && found < 0; i++)
            if (!seen[i] && (tensor->shape[i] == 1 || tensor->strides[i] == want)) found = i;
        if (found < 0) return false;
        seen[found] = true;
        want *= tensor->shape[found];
    }
    return true;
}

/* ---- making ---- */

static tern_tensor *new_strided(tern_session *session, tern_dtype dtype, int rank,
                                const int64_t *shape, const int64_t *strides, int64_t elements) {
    Storage *storage = storage_new(session, (size_t)elements * tern_dtype_size(dtype));
    if (!storage) return NULL;
    return tensor_create(session, storage, dtype, rank, shape, strides, 0);
}

tern_tensor *tern_empty(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape) {
    int64_t numel, strides[TERN_MAX_RANK];
    if (!sizes_check(session, dtype, rank, shape, &numel)) return NULL;
    strides_of(rank, shape, strides);
    return new_strided(session, dtype, rank, shape, strides, numel);
}

static bool strides_check(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                          const int64_t *strides, int64_t *extent) {
    int64_t bytes;
    for (int i = 0; i < rank; i++)
        if (strides[i] < 0) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "as_strided: Negative strides are not supported at the moment, got "
                         "strides: %s",
                         sizes_text(strides, rank).text);
            return false;
        }
    if (view_extent(rank, shape, strides, extent) &&
        !__builtin_mul_overflow(*extent, (int64_t)tern_dtype_size(dtype), &bytes))
        return true;
    session_fail(session, TERN_ERROR_ARGUMENT,
                 "Storage size calculation overflowed with sizes=%s and strides=%s",
                 sizes_text(shape, rank).text, sizes_text(strides, rank).text);
    return false;
}

tern_tensor *tern_empty_strided(tern_session *session, tern_dtype dtype, int rank,
                                const int64_t *shape, const int64_t *strides) {
    int64_t numel, extent;
    if (!sizes_check(session, dtype, rank, shape, &numel) ||
        !strides_check(session, dtype, rank, shape, strides, &extent))
        return NULL;
    return new_strided(session, dtype, rank, shape, strides, extent);
}

tern_tensor *tern_empty_like(tern_tensor *tensor) {
    if (!tensor_is_live(tensor)) return NULL;
    if (tensor_is_dense(tensor))
        return tern_empty_strided(tensor->session, tensor->dtype, tensor->rank, tensor->shape,
                                  tensor->strides);
    return tern_empty(tensor->session, tensor->dtype, tensor->rank, tensor->shape);
}

static tern_tensor *drop_failed(tern_tensor *tensor, tern_status status) {
    if (!status) return tensor;
    tern_drop(tensor);
    return NULL;
}

/* Of what the host writes into, also while ops are traced; strides NULL: row-major. */
static tern_tensor *empty_for_data(tern_session *session, tern_dtype dtype, int rank,
                                   const int64_t *shape, const int64_t *strides) {
    Trace *trace = session->trace;
    session->trace = NULL;
    tern_tensor *tensor = strides ? tern_empty_strided(session, dtype, rank, shape, strides)
                                  : tern_empty(session, dtype, rank, shape);
    session->trace = trace;
    if (tensor) tensor->storage->trace = trace_serial(trace);
    return tensor;
}

static tern_tensor *zeroed(tern_tensor *tensor) {
    return tensor ? drop_failed(tensor, tern_fill(tensor->storage->buffer, 0)) : NULL;
}

tern_tensor *tern_zeros(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape) {
    return zeroed(empty_for_data(session, dtype, rank, shape, NULL));
}

tern_tensor *tern_zeros_like(tern_tensor *tensor) {
    if (!tensor_is_live(tensor)) return NULL;
    return zeroed(empty_for_data(tensor->session, tensor->dtype, tensor->rank, tensor->shape,
                                 tensor_is_dense(tensor) ? tensor->strides : NULL));
}

tern_tensor *tern_from(tern_session *session, const void *data, tern_dtype dtype, int rank,
                       const int64_t *shape) {
    tern_tensor *tensor = empty_for_data(session, dtype, rank, shape, NULL);
    if (!tensor) return NULL;
    size_t bytes = (size_t)tensor->numel * tern_dtype_size(dtype);
    return drop_failed(tensor, tern_write(tensor->storage->buffer, 0, data, bytes));
}

/* start + i * step for i from `first` on. */
static void fill_part(tern_dtype dtype, double start, double step, int64_t first, int64_t count,
                      unsigned char *to) {
    size_t size = tern_dtype_size(dtype);
    if (dtype == TERN_INT64)
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)to)[i] = (int64_t)(start + (double)(first + i) * step);
    else if (dtype == TERN_FLOAT32)
        for (int64_t i = 0; i < count; i++)
            ((float *)to)[i] = (float)(start + (double)(first + i) * step);
    else
        for (int64_t i = 0; i < count; i++)
            tern_element_set_double(dtype, to + (size_t)i * size,
                                    start + (double)(first + i) * step);
}

/* Part by part, so that large tensors stand once in memory. */
static tern_tensor *filled(tern_tensor *tensor, double start, double step) {
    enum { PART = 1 << 16 };
    if (!tensor || !tensor->numel) return tensor;
    size_t size = tern_dtype_size(tensor->dtype);
    int64_t most = tensor->numel < PART ? tensor->numel : PART;
    unsigned char *data = malloc((size_t)most * size);
    tern_status status = TERN_OK;
    if (!data) status = session_fail(tensor->session, TERN_ERROR_NO_MEMORY, "out of memory");
    for (int64_t first = 0; first < tensor->numel && !status; first += most) {
        int64_t count = tensor->numel - first < most ? tensor->numel - first : most;
        if (!first || step != 0) fill_part(tensor->dtype, start, step, first, count, data);
        status =
            tern_write(tensor->storage->buffer, (size_t)first * size, data, (size_t)count * size);
    }
    free(data);
    return drop_failed(tensor, status);
}

tern_tensor *tern_full(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                       double value) {
    return filled(empty_for_data(session, dtype, rank, shape, NULL), value, 0);
}

tern_tensor *tern_ones(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape) {
    return tern_full(session, dtype, rank, shape, 1.0);
}

tern_tensor *tern_arange(tern_session *session, tern_dtype dtype, double start, double end,
                         double step) {
    if (!dtype_is_known(dtype))
        return session_fail_null(session, TERN_ERROR_ARGUMENT, "a tensor of no known type");
    if (step == 0 || isnan(step))
        return session_fail_null(session, TERN_ERROR_ARGUMENT, "step must be nonzero");
    if (!isfinite(start) || !isfinite(end))
        return session_fail_null(session, TERN_ERROR_ARGUMENT, "unsupported range: %g -> %g", start,
                                 end);
    if ((end - start) / step < 0)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "upper bound and lower bound inconsistent with step sign");
    double count = ceil((end - start) / step);
    if (count >= 0x1p60)
        return session_fail_null(session, TERN_ERROR_ARGUMENT, "invalid size, possible overflow?");
    int64_t numel = (int64_t)count;
    return filled(empty_for_data(session, dtype, 1, &numel, NULL), start, step);
}

tern_tensor *tern_from_buffer(tern_session *session, tern_buffer *buffer, size_t offset,
                              tern_dtype dtype, int rank, const int64_t *shape,
                              const int64_t *strides) {
    int64_t numel, extent, dense[TERN_MAX_RANK];
    if (!sizes_check(session, dtype, rank, shape, &numel)) return NULL;
    strides_of(rank, shape, dense);
    if (!strides) strides = dense;
    if (!strides_check(session, dtype, rank, shape, strides, &extent)) return NULL;
    size_t size = tern_dtype_size(dtype), total = tern_buffer_size(buffer);
    if (offset % size || (uintptr_t)tern_buffer_pointer(buffer) % size)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "an offset of %zu bytes is not divisible by the %zu of an element",
                                 offset, size);
    if (numel && (offset > total || (size_t)extent * size > total - offset))
        return session_fail_null(
            session, TERN_ERROR_ARGUMENT,
            "setStorage: sizes %s, strides %s, storage offset %zu, and itemsize %zu requiring a "
            "storage size of %zu are out of bounds for storage of size %zu",
            sizes_text(shape, rank).text, sizes_text(strides, rank).text, offset / size, size,
            offset + (size_t)extent * size, total);
    Storage *storage = storage_of_buffer(session, buffer, true);
    if (!storage) return NULL;
    return tensor_create(session, storage, dtype, rank, shape, strides, (int64_t)(offset / size));
}

/* ---- back ---- */

static void gather(const tern_tensor *tensor, const unsigned char *from, unsigned char *to) {
    size_t size = tern_dtype_size(tensor->dtype);
    int64_t at[TERN_MAX_RANK] = {0}, place = 0;
    for (int64_t i = 0; i < tensor->numel; i++) {
        memcpy(to + (size_t)i * size, from + (size_t)place * size, size);
        for (int k = tensor->rank - 1; k >= 0; k--) {
            place += tensor->strides[k];
            if (++at[k] < tensor->shape[k]) break;
            place -= at[k] * tensor->strides[k];
            at[k] = 0;
        }
    }
}

/* A GPU puts far more together than it would send apart. */
static tern_status read_packed(const tern_tensor *tensor, void *to) {
    bool mode = tern_set_grad_mode(tensor->session, false);
    tern_tensor *packed = tern_contiguous((tern_tensor *)tensor);
    tern_set_grad_mode(tensor->session, mode);
    tern_status status =
        packed ? tensor_read(packed, to) : tern_message_status(tensor->session->context);
    tern_drop(packed);
    return status;
}

tern_status tensor_read(const tern_tensor *tensor, void *to) {
    enum { MANY = 4 };
    size_t size = tern_dtype_size(tensor->dtype), from = (size_t)tensor->offset * size;
    tern_buffer *buffer = tensor->storage->buffer;
    if (!tensor->numel) return TERN_OK;
    if (!tensor_has_values(tensor, "the host")) return TERN_ERROR_UNSUPPORTED;
    if ((uint64_t)tensor->numel > PTRDIFF_MAX / size) /* of an expanded one */
        return session_fail(tensor->session, TERN_ERROR_NO_MEMORY, "out of memory");
    if (tensor->is_contiguous) return tern_read(buffer, from, to, (size_t)tensor->numel * size);
    int64_t extent = tensor_extent(tensor);
    tern_status status;
    if (tensor->session->on_host) { /* one element waits for all */
        status = tern_read(buffer, from, to, size);
        if (!status) gather(tensor, (const unsigned char *)tern_buffer_pointer(buffer) + from, to);
        return status;
    }
    if (extent / MANY > tensor->numel) return read_packed(tensor, to);
    size_t bytes = (size_t)extent * size;
    unsigned char *seen = malloc(bytes);
    if (!seen) return session_fail(tensor->session, TERN_ERROR_NO_MEMORY, "out of memory");
    status = tern_read(buffer, from, seen, bytes);
    if (!status) gather(tensor, seen, to);
    free(seen);
    return status;
}

tern_status tern_to_host(tern_tensor *tensor, void *to, size_t bytes) {
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    size_t have = (size_t)tensor->numel * tern_dtype_size(tensor->dtype);
    if (bytes != have)
        return session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                            "tern_to_host: the tensor has %zu bytes, not %zu", have, bytes);
    return tensor_read(tensor, to);
}

static tern_status read_one(const tern_tensor *tensor, void *element) {
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    if (tensor->numel != 1)
        return session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                            "a Tensor with %lld elements cannot be converted to Scalar",
                            (long long)tensor->numel);
    size_t size = tern_dtype_size(tensor->dtype);
    if (!tensor_has_values(tensor, "tern_item")) return TERN_ERROR_UNSUPPORTED;
    return tern_read(tensor->storage->buffer, (size_t)tensor->offset * size, element, size);
}

tern_status tern_item(tern_tensor *tensor, double *value) {
    unsigned char element[8];
    tern_status status = read_one(tensor, element);
    if (!status) *value = tern_element_double(tensor->dtype, element);
    return status;
}

tern_status tern_item_int(tern_tensor *tensor, int64_t *value) {
    unsigned char element[8];
    tern_status status = read_one(tensor, element);
    if (!status) *value = tern_element_int(tensor->dtype, element);
    return status;
}

/* ---- what it is ---- */

tern_dtype tern_tensor_dtype(const tern_tensor *tensor) { return tensor->dtype; }
int tern_rank(const tern_tensor *tensor) { return tensor->rank; }
const int64_t *tern_shape(const tern_tensor *tensor) { return tensor->shape; }
const int64_t *tern_strides(const tern_tensor *tensor) { return tensor->strides; }
int64_t tern_numel(const tern_tensor *tensor) { return tensor->numel; }
int64_t tern_offset(const tern_tensor *tensor) { return tensor->offset; }
bool tern_is_contiguous(const tern_tensor *tensor) { return tensor->is_contiguous; }
tern_session *tern_tensor_session(const tern_tensor *tensor) { return tensor->session; }

tern_buffer *tern_tensor_buffer(const tern_tensor *tensor, size_t *offset) {
    *offset = (size_t)tensor->offset * tern_dtype_size(tensor->dtype);
    return tensor->storage->buffer;
}
