/* SPDX-License-Identifier: Apache-2.0 */
/* blas: what blas.c and blas_lt.c share: products as libraries of BLAS have them. */
#ifndef TERN_TENSOR_BLAS_H
#define TERN_TENSOR_BLAS_H

#include "tensor/plan.h"

enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_DEFAULT = -1 };

/* A matrix with one dimension whose elements lie side by side: rows of `lead` elements. */
typedef struct Matrix {
    bool is_turned;
    int lead;
    long long step; /* of batches */
} Matrix;
typedef struct Gemm {
    Matrix a, b, y;
    int m, n, k, count;
} Gemm;

int blas_cuda_type(tern_dtype dtype); /* -1: none */
void *blas_address(const tern_tensor *tensor);

/* blas_lt.c: cuBLASLt, which adds a bias in the product's own kernel. NULL: it is not there. */
typedef struct Lt Lt;
Lt *lt_open(tern_context *context);
void lt_free(Lt *lt); /* NULL is allowed */
/* In the current context of the driver. 0, or the library's status. */
int lt_run(Lt *lt, const Gemm *gemm, void *stream, const tern_tensor *a, const tern_tensor *b,
           const tern_tensor *bias, tern_tensor *y);

#endif
