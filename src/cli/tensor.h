// SPDX-License-Identifier: Apache-2.0
/* tensor: a strided view of bytes on the host: what -a makes, .npy holds and a recorded case has.
 */
#ifndef TERN_CLI_TENSOR_H
#define TERN_CLI_TENSOR_H

#include "base/base.h"
#include "tern.h"

enum { TENSOR_MAX_RANK = 8 };

typedef struct Tensor {
    tern_dtype dtype;
    int rank;
    int64_t shape[TENSOR_MAX_RANK];
    int64_t strides[TENSOR_MAX_RANK]; /* in elements, not negative */
    int64_t offset;                   /* of the first element in the storage, in elements */
    unsigned char *storage;           /* from malloc, or NULL for none */
    size_t storage_bytes;
    unsigned char *written; /* of each byte of the storage: 1 or 0; NULL: not known */
    bool is_of_file;        /* its dtype is a file's */
} Tensor;

/* Fills strides (row-major) from the shape. */
void tensor_set_contiguous(Tensor *tensor);
/* The elements of the storage that the view reaches: offset + last element + 1; false: too large.
 */
bool tensor_extent(const Tensor *tensor, int64_t *elements);
int64_t tensor_count(const Tensor *tensor); /* elements of the view; the shape was checked */
/* Allocates a storage that just holds the view, with every byte poisoned. NULL, or why not. */
const char *tensor_allocate(Tensor *tensor, Arena *arena);
void tensor_release(Tensor *tensor);
/* The element at a flat index of the view, as a place in the storage, in elements. */
int64_t tensor_place(const Tensor *tensor, int64_t index);

typedef struct TensorStats {
    int64_t count, num_nan, num_inf;
    int64_t num_poison;    /* of what empty() made: not written, or as far as can be seen */
    double sum, low, high; /* of what is a number; low > high: none is */
    uint64_t hash;         /* of the view's elements in row-major order */
} TensorStats;
TensorStats tensor_stats(const Tensor *tensor);
/* As NumPy prints it, long ones with their middle left out. */
void tensor_print(Buf *out, const Tensor *tensor);
/* bf16 and f8 are unsigned numbers in .npy: are those of `file` the bits of this dtype? */
bool tensor_is_bits_of(tern_dtype file, tern_dtype dtype);
void tensor_type(Buf *out, const Tensor *tensor); /* "fp32[4, 781]" */

#endif
