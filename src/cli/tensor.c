// SPDX-License-Identifier: Apache-2.0
/* tensor: strided host memory: its size, its poison, its figures and how it is printed. */
#include "cli/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- elements ---- */

/* What empty() is full of: all ones is a nan in every float type; 0xa5 bytes make integers that
 * nobody computes by accident. */
static void poison_bytes(tern_dtype dtype, unsigned char poison[8]) {
    memset(poison, tern_dtype_is_float(dtype) ? 0xff : dtype == TERN_BOOL ? 1 : 0xa5, 8);
}

static void element_poison(tern_dtype dtype, void *element) {
    unsigned char poison[8];
    poison_bytes(dtype, poison);
    memcpy(element, poison, tern_dtype_size(dtype));
}

static bool element_is_poison(tern_dtype dtype, const void *element) {
    unsigned char poison[8];
    if (dtype == TERN_BOOL) return false; /* true is a likely result */
    poison_bytes(dtype, poison);
    return !memcmp(element, poison, tern_dtype_size(dtype));
}

/* ---- tensors ---- */

void tensor_set_contiguous(Tensor *tensor) {
    int64_t stride = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        tensor->strides[i] = stride;
        /* A product too large is found by tensor_extent, from the sizes. */
        if (__builtin_mul_overflow(stride, tensor->shape[i] ? tensor->shape[i] : 1, &stride))
            stride = INT64_MAX;
    }
}

bool tensor_extent(const Tensor *tensor, int64_t *elements) {
    int64_t last = tensor->offset, count = 1;
    bool empty = false;
    for (int i = 0; i < tensor->rank; i++) {
        int64_t step;
        if (tensor->shape[i] < 0 || tensor->strides[i] < 0) return false;
        if (tensor->shape[i] == 0)
            empty = true;
        else if (__builtin_mul_overflow(tensor->shape[i] - 1, tensor->strides[i], &step) ||
                 __builtin_add_overflow(last, step, &last) ||
                 __builtin_mul_overflow(count, tensor->shape[i], &count))
            return false;
    }
    if (tensor->offset < 0 || last > INT64_MAX / 16 || count > INT64_MAX / 16) return false;
    *elements = empty ? tensor->offset : last + 1;
    return true;
}

int64_t tensor_count(const Tensor *tensor) {
    int64_t count = 1;
    for (int i = 0; i < tensor->rank; i++)
        if (!tensor->shape[i])
            return 0;
        else
            count *= tensor->shape[i];
    return count;
}

const char *tensor_allocate(Tensor *tensor, Arena *arena) {
    int64_t elements;
    size_t size = tern_dtype_size(tensor->dtype);
    if (!tensor_extent(tensor, &elements)) return "is too large to address";
    double bytes = (double)elements * (double)size;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > memory)
        return str_format(arena, "needs %.1f GiB; this machine has %.1f GiB", bytes / 0x1p30,
                          memory / 0x1p30)
            .data;
    tensor->storage_bytes = (size_t)elements * size;
    tensor->storage = malloc(tensor->storage_bytes ? tensor->storage_bytes : 1);
    if (!tensor->storage) return "does not fit in memory";
    if (elements) element_poison(tensor->dtype, tensor->storage);
    for (size_t done = size, part; elements && done < tensor->storage_bytes; done += part) {
        part = done < tensor->storage_bytes - done ? done : tensor->storage_bytes - done;
        memcpy(tensor->storage + done, tensor->storage, part);
    }
    return NULL;
}

void tensor_release(Tensor *tensor) {
    free(tensor->storage);
    free(tensor->written);
    tensor->storage = tensor->written = NULL;
}

int64_t tensor_place(const Tensor *tensor, int64_t index) {
    int64_t place = tensor->offset;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        place += index % tensor->shape[i] * tensor->strides[i];
        index /= tensor->shape[i];
    }
    return place;
}

/* Whether a kernel wrote the element at a place of the storage is known, or else what it holds says
 * it: what empty() put there. */
static bool is_unwritten(const Tensor *tensor, int64_t place) {
    size_t size = tern_dtype_size(tensor->dtype), at = (size_t)place * size;
    if (tensor->written) return memchr(tensor->written + at, 0, size) != NULL;
    return element_is_poison(tensor->dtype, tensor->storage + at);
}

TensorStats tensor_stats(const Tensor *tensor) {
    TensorStats stats = {
        .count = tensor_count(tensor), .low = (double)INFINITY, .high = -(double)INFINITY};
    size_t size = tern_dtype_size(tensor->dtype);
    for (int64_t i = 0; i < stats.count; i++) {
        int64_t place = tensor_place(tensor, i);
        const unsigned char *element = tensor->storage + (size_t)place * size;
        double value = tern_element_double(tensor->dtype, element);
        stats.hash = hash_bytes(element, size, stats.hash);
        if (is_unwritten(tensor, place)) stats.num_poison++;
        if (isnan(value))
            stats.num_nan++;
        else if (isinf(value))
            stats.num_inf++;
        else {
            stats.sum += value;
            if (value < stats.low) stats.low = value;
            if (value > stats.high) stats.high = value;
        }
    }
    return stats;
}

/* ---- printing ---- */

enum { PRINT_EDGE = 3, PRINT_ALL_BELOW = 200 };

static void print_element(Buf *out, const Tensor *tensor, int64_t place) {
    const unsigned char *element = tensor->storage + (size_t)place * tern_dtype_size(tensor->dtype);
    double number = tern_element_double(tensor->dtype, element);
    if (isnan(number))
        buf_puts(out, "nan"); /* printf would show its sign, which means nothing */
    else if (tern_dtype_is_float(tensor->dtype))
        buf_printf(out, "%.*g", tensor->dtype == TERN_FLOAT64 ? 17 : 9, number);
    else if (tensor->dtype == TERN_BOOL)
        buf_puts(out, *element ? "True" : "False");
    else if (tensor->dtype == TERN_UINT64)
        buf_printf(out, "%llu", (unsigned long long)tern_element_int(tensor->dtype, element));
    else
        buf_printf(out, "%lld", (long long)tern_element_int(tensor->dtype, element));
}

static void print_axis(Buf *out, const Tensor *tensor, int axis, int64_t place, bool all) {
    if (axis == tensor->rank) {
        print_element(out, tensor, place);
        return;
    }
    buf_putc(out, '[');
    for (int64_t i = 0; i < tensor->shape[axis]; i++) {
        if (i && axis == tensor->rank - 1)
            buf_puts(out, ", ");
        else if (i)
            buf_printf(out, ",\n%*s", axis + 1, "");
        if (!all && i == PRINT_EDGE && tensor->shape[axis] > 2 * PRINT_EDGE) {
            buf_puts(out, "...");
            i = tensor->shape[axis] - PRINT_EDGE - 1;
            continue;
        }
        print_axis(out, tensor, axis + 1, place + i * tensor->strides[axis], all);
    }
    buf_putc(out, ']');
}

void tensor_print(Buf *out, const Tensor *tensor) {
    print_axis(out, tensor, 0, tensor->offset, tensor_count(tensor) < PRINT_ALL_BELOW);
}

bool tensor_is_bits_of(tern_dtype file, tern_dtype dtype) {
    bool is_written_as_bits =
        tern_dtype_is_float(dtype) && (dtype == TERN_BFLOAT16 || tern_dtype_size(dtype) == 1);
    return is_written_as_bits && !tern_dtype_is_float(file) && !tern_dtype_is_signed(file) &&
           file != TERN_BOOL && tern_dtype_size(file) == tern_dtype_size(dtype);
}

void tensor_type(Buf *out, const Tensor *tensor) {
    buf_printf(out, "%s[", tern_dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->rank; i++)
        buf_printf(out, "%s%lld", i ? ", " : "", (long long)tensor->shape[i]);
    buf_putc(out, ']');
}
