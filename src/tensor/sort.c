// SPDX-License-Identifier: Apache-2.0
/* sort: order of the elements along a dimension. A GPU finds it (sort_device.c) for types of up to
 * 32 bits; else the host, by merging, and waits for the device. Equals keep their order, NaN is the
 * largest, as in PyTorch. Values are then gathered, so that their gradient is gather's. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdlib.h>

typedef struct Order {
    bool descends, is_float;
    const double *floats; /* of one row */
    const int64_t *integers;
} Order;

/* Must b come before a, which stands before it? */
static bool is_wrong(const Order *order, int64_t a, int64_t b) {
    if (!order->is_float) {
        int64_t x = order->integers[a], y = order->integers[b];
        return order->descends ? y > x : y < x;
    }
    double x = order->floats[a], y = order->floats[b];
    if (x != x || y != y) return order->descends ? y != y && x == x : x != x && y == y;
    return order->descends ? y > x : y < x;
}

static void merge(const Order *order, const int64_t *from, int64_t *to, int64_t first,
                  int64_t middle, int64_t end) {
    int64_t a = first, b = middle;
    for (int64_t i = first; i < end; i++) {
        bool takes_b = b < end && (a == middle || is_wrong(order, from[a], from[b]));
        to[i] = takes_b ? from[b++] : from[a++];
    }
}

/* The row's indices in order, in `indices` or in `other`: which one is returned. */
static int64_t *sort_row(const Order *order, int64_t *indices, int64_t *other, int64_t count) {
    for (int64_t i = 0; i < count; i++) indices[i] = i;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t first = 0; first < count; first += 2 * width) {
            int64_t middle = first + width < count ? first + width : count;
            int64_t end = first + 2 * width < count ? first + 2 * width : count;
            merge(order, indices, other, first, middle, end);
        }
        int64_t *swapped = indices;
        indices = other;
        other = swapped;
    }
    return indices;
}

/* Rows of `size` elements, which follow one another at `step` elements; the first `kept` of each
 * one's order, laid out in the same way. */
typedef struct Rows {
    int64_t outer, size, inner, kept;
} Rows;

static tern_status sort_rows(tern_session *session, tern_dtype dtype, const unsigned char *data,
                             const Rows *rows, bool descends, int64_t *out) {
    size_t element = tern_dtype_size(dtype), size = (size_t)rows->size;
    Order order = {.descends = descends, .is_float = tern_dtype_is_float(dtype)};
    int64_t *indices = calloc(2 * size + 1, sizeof *indices);
    void *keys = calloc(size + 1, 8);
    tern_status status = TERN_OK;
    if (!indices || !keys) status = session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    order.floats = keys;
    order.integers = keys;
    for (int64_t row = 0; row < rows->outer * rows->inner && !status; row++) {
        int64_t o = row / rows->inner, i = row % rows->inner;
        for (int64_t k = 0; k < rows->size; k++) {
            const unsigned char *at =
                data + (size_t)((o * rows->size + k) * rows->inner + i) * element;
            if (order.is_float)
                ((double *)keys)[k] = tern_element_double(dtype, at);
            else
                ((int64_t *)keys)[k] = tern_element_int(dtype, at);
        }
        const int64_t *sorted = sort_row(&order, indices, indices + size, rows->size);
        for (int64_t k = 0; k < rows->kept; k++)
            out[(o * rows->kept + k) * rows->inner + i] = sorted[k];
    }
    free(indices);
    free(keys);
    return status;
}

/* The indices of the first `kept` elements in order, a tensor of int64. */
static tern_tensor *order_of(const tern_tensor *x, int dim, int64_t kept, bool descends) {
    tern_session *session = x->session;
    Rows rows = {1, x->rank ? x->shape[dim] : 1, 1, kept};
    int64_t shape[TERN_MAX_RANK];
    for (int d = 0; d < x->rank; d++) {
        if (d < dim) rows.outer *= x->shape[d];
        if (d > dim) rows.inner *= x->shape[d];
        shape[d] = d == dim ? kept : x->shape[d];
    }
    size_t count = (size_t)(rows.outer * rows.inner * kept);
    unsigned char *data = malloc((size_t)x->numel * tern_dtype_size(x->dtype) + 1);
    int64_t *out = calloc(count + 1, sizeof *out);
    tern_tensor *indices = NULL;
    if (!data || !out)
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    else if (!tensor_read(x, data) && !sort_rows(session, x->dtype, data, &rows, descends, out))
        indices = tern_from(session, out, TERN_INT64, x->rank, shape);
    free(data);
    free(out);
    return indices;
}

static tern_status sorted(const char *name, tern_tensor *x, int dim, int64_t kept, bool descends,
                          tern_tensor **values, tern_tensor **indices) {
    tern_session *session = x->session;
    if (session->trace)
        return session_fail(session, TERN_ERROR_UNSUPPORTED,
                            "%s: the host sorts, which a function that is traced cannot ask for",
                            name);
    if (!dtype_is_computed(x->dtype))
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "\"%s\" not implemented for '%s'",
                            name, torch_type_name(x->dtype));
    tern_operand operand = tern_of(x);
    op_begin(session, name, &operand, 1);
    *indices = sort_can(x) ? sort_order(x, dim, kept, descends) : order_of(x, dim, kept, descends);
    *values = *indices ? tensor_gather(x, dim, *indices) : NULL;
    tern_range_pop(session->context);
    if (*values) return TERN_OK;
    tern_drop(*indices);
    *indices = NULL;
    return tern_message_status(session->context);
}

tern_status tern_sort(tern_tensor *x, int dim, bool descending, tern_tensor **values,
                      tern_tensor **indices) {
    *values = *indices = NULL;
    if (!tensor_is_live(x) || !dim_wrap(x->session, x->rank, dim, &dim)) return TERN_ERROR_ARGUMENT;
    return sorted("sort", x, dim, x->rank ? x->shape[dim] : 1, descending, values, indices);
}

tern_status tern_topk(tern_tensor *x, int64_t k, int dim, bool largest, tern_tensor **values,
                      tern_tensor **indices) {
    *values = *indices = NULL;
    if (!tensor_is_live(x) || !dim_wrap(x->session, x->rank, dim, &dim)) return TERN_ERROR_ARGUMENT;
    if (k < 0 || k > (x->rank ? x->shape[dim] : 1))
        return session_fail(x->session, TERN_ERROR_ARGUMENT, "selected index k out of range");
    return sorted("topk", x, dim, k, largest, values, indices);
}
