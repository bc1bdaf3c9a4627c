// SPDX-License-Identifier: Apache-2.0
/* blas: products by libraries that are found at run time: cuBLAS on cuda, OpenBLAS on cpu.
 * Only tune.c asks for them, as candidates. Types and numbers of the calls: cublas_api.h of CUDA 13
 * (they are the same since 11), cblas.h. */
#include "tensor/blas.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { CBLAS_ROWS = 101, CBLAS_AS_IT_IS = 111, CBLAS_TURNED = 112 };

typedef int CublasGemm(void *handle, int turns_a, int turns_b, int m, int n, int k,
                       const void *alpha, const void *a, int a_type, int lda, long long a_step,
                       const void *b, int b_type, int ldb, long long b_step, const void *beta,
                       void *c, int c_type, int ldc, long long c_step, int count, int compute,
                       int algorithm);
typedef void SGemm(int order, int turns_a, int turns_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void DGemm(int order, int turns_a, int turns_b, int m, int n, int k, double alpha,
                   const double *a, int lda, const double *b, int ldb, double beta, double *c,
                   int ldc);

struct Blas {
    void *library, *handle; /* of cuBLAS */
    const char *name;
    SGemm *sgemm;
    DGemm *dgemm;
    CublasGemm *gemm;
    int (*set_stream)(void *handle, void *stream);
    int (*destroy)(void *handle);
    void *driver; /* libcuda, for its context */
    int (*push)(void *context);
    int (*pop)(void **context);
    void *context;
    Lt *lt;
    bool lt_asked;
};

/* ISO C has no conversion from an object to a function. */
#define SYMBOL(to, library, name)                                                                  \
    do {                                                                                           \
        void *found = dlsym(library, name);                                                        \
        memcpy(&(to), &found, sizeof found);                                                       \
    } while (0)

static void *open_first(const char *const *names) {
    void *library = NULL;
    for (int i = 0; names[i] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool open_cpu(Blas *blas) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    blas->library = open_first(names);
    if (!blas->library) return false;
    blas->name = "OpenBLAS";
    SYMBOL(blas->sgemm, blas->library, "cblas_sgemm");
    SYMBOL(blas->dgemm, blas->library, "cblas_dgemm");
    return blas->sgemm && blas->dgemm;
}

static bool open_cuda(Blas *blas, tern_context *context) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        NULL};
    static const char *const drivers[] = {"libcuda.so.1", NULL};
    int (*create)(void **handle) = NULL;
    tern_gpu gpu = {.driver_context = NULL};
    if (tern_context_gpu(context, &gpu) || !gpu.driver_context) return false;
    blas->context = gpu.driver_context;
    blas->library = open_first(names);
    blas->driver = open_first(drivers);
    if (!blas->library || !blas->driver) return false;
    blas->name = "cuBLAS";
    SYMBOL(create, blas->library, "cublasCreate_v2");
    SYMBOL(blas->destroy, blas->library, "cublasDestroy_v2");
    SYMBOL(blas->set_stream, blas->library, "cublasSetStream_v2");
    SYMBOL(blas->gemm, blas->library, "cublasGemmStridedBatchedEx");
    SYMBOL(blas->push, blas->driver, "cuCtxPushCurrent_v2");
    SYMBOL(blas->pop, blas->driver, "cuCtxPopCurrent_v2");
    if (!create || !blas->destroy || !blas->set_stream || !blas->gemm || !blas->push || !blas->pop)
        return false;
    void *before;
    if (blas->push(blas->context)) return false;
    bool made = !create(&blas->handle);
    blas->pop(&before);
    return made;
}

void blas_free(Blas *blas) {
    void *before;
    if (!blas) return;
    if (blas->lt && !blas->push(blas->context)) {
        lt_free(blas->lt);
        blas->pop(&before);
    }
    if (blas->handle && !blas->push(blas->context)) {
        blas->destroy(blas->handle);
        blas->pop(&before);
    }
    if (blas->library) dlclose(blas->library);
    if (blas->driver) dlclose(blas->driver);
    free(blas);
}

static Blas *blas_of(tern_session *session) {
    if (session->blas_asked) return session->blas;
    session->blas_asked = true;
    Blas *blas = calloc(1, sizeof *blas);
    bool is_cpu = session->on_host && !session->checks_accesses;
    if (blas && (is_cpu ? open_cpu(blas) : session->is_cuda && open_cuda(blas, session->context)))
        return session->blas = blas;
    blas_free(blas);
    return NULL;
}

const char *blas_name(tern_session *session) {
    const Blas *blas = blas_of(session);
    return blas ? blas->name : NULL;
}

/* ---- what it can do ---- */

static bool matrix_of(const tern_tensor *tensor, int batches, Matrix *matrix) {
    const int64_t *shape = tensor->shape + tensor->rank - 2;
    const int64_t *strides = tensor->strides + tensor->rank - 2;
    bool by_rows = (strides[1] == 1 || shape[1] == 1) && strides[0] >= shape[1];
    bool by_columns = (strides[0] == 1 || shape[0] == 1) && strides[1] >= shape[0];
    int64_t lead = by_rows ? strides[0] : strides[1];
    if (tensor->rank - 2 > batches || (!by_rows && !by_columns) || lead > INT32_MAX) return false;
    bool repeats = tensor->rank == 2 || tensor->shape[0] == 1;
    *matrix = (Matrix){!by_rows, (int)lead, batches && !repeats ? tensor->strides[0] : 0};
    return true;
}

/* Batches of rows by one matrix are one matrix of more rows. */
static void join_batches(Gemm *gemm) {
    long long rows = (long long)gemm->m * gemm->count;
    if (gemm->count == 1 || gemm->b.step || gemm->a.is_turned || rows > INT32_MAX ||
        gemm->a.step != (long long)gemm->m * gemm->a.lead ||
        gemm->y.step != (long long)gemm->m * gemm->y.lead)
        return;
    gemm->m = (int)rows;
    gemm->count = 1;
}

static bool gemm_of(const tern_tensor *a, const tern_tensor *b, const tern_tensor *y, Gemm *gemm) {
    int batches = y->rank - 2;
    const int64_t sizes[] = {y->shape[batches], y->shape[batches + 1], a->shape[a->rank - 1]};
    if (batches > 1 || !matrix_of(a, batches, &gemm->a) || !matrix_of(b, batches, &gemm->b) ||
        !matrix_of(y, batches, &gemm->y) || gemm->y.is_turned)
        return false;
    for (int i = 0; i < 3; i++)
        if (sizes[i] < 1 || sizes[i] > INT32_MAX) return false;
    if (batches && y->shape[0] > INT32_MAX) return false;
    gemm->m = (int)sizes[0], gemm->n = (int)sizes[1], gemm->k = (int)sizes[2];
    gemm->count = batches ? (int)y->shape[0] : 1;
    join_batches(gemm);
    return true;
}

int blas_cuda_type(tern_dtype dtype) {
    return dtype == TERN_FLOAT32    ? CUDA_R_32F
           : dtype == TERN_FLOAT64  ? CUDA_R_64F
           : dtype == TERN_FLOAT16  ? CUDA_R_16F
           : dtype == TERN_BFLOAT16 ? CUDA_R_16BF
                                    : -1;
}

bool blas_can(tern_session *session, const tern_tensor *a, const tern_tensor *b,
              const tern_tensor *y) {
    Gemm gemm;
    const Blas *blas = blas_of(session);
    bool wide = y->dtype == TERN_FLOAT32 || y->dtype == TERN_FLOAT64;
    if (!blas || !(blas->gemm ? blas_cuda_type(y->dtype) >= 0 : wide)) return false;
    return gemm_of(a, b, y, &gemm);
}

/* ---- doing it ---- */

void *blas_address(const tern_tensor *tensor) {
    return (char *)tern_buffer_pointer(tensor->storage->buffer) +
           (size_t)tensor->offset * tern_dtype_size(tensor->dtype);
}

static void run_cpu(const Blas *blas, const Gemm *gemm, const tern_tensor *a, const tern_tensor *b,
                    tern_tensor *y) {
    int turns_a = gemm->a.is_turned ? CBLAS_TURNED : CBLAS_AS_IT_IS;
    int turns_b = gemm->b.is_turned ? CBLAS_TURNED : CBLAS_AS_IT_IS;
    for (int i = 0; i < gemm->count; i++)
        if (y->dtype == TERN_FLOAT32)
            blas->sgemm(CBLAS_ROWS, turns_a, turns_b, gemm->m, gemm->n, gemm->k, 1.0f,
                        (float *)blas_address(a) + i * gemm->a.step, gemm->a.lead,
                        (float *)blas_address(b) + i * gemm->b.step, gemm->b.lead, 0.0f,
                        (float *)blas_address(y) + i * gemm->y.step, gemm->y.lead);
        else
            blas->dgemm(CBLAS_ROWS, turns_a, turns_b, gemm->m, gemm->n, gemm->k, 1.0,
                        (double *)blas_address(a) + i * gemm->a.step, gemm->a.lead,
                        (double *)blas_address(b) + i * gemm->b.step, gemm->b.lead, 0.0,
                        (double *)blas_address(y) + i * gemm->y.step, gemm->y.lead);
}

/* Columns there are rows here: y.T = b.T @ a.T. */
static int run_cuda(const Blas *blas, const Gemm *gemm, void *stream, const tern_tensor *a,
                    const tern_tensor *b, tern_tensor *y) {
    static const float one = 1, zero = 0;
    static const double wide_one = 1, wide_zero = 0;
    bool is_wide = y->dtype == TERN_FLOAT64;
    const void *alpha = is_wide ? (const void *)&wide_one : &one;
    const void *beta = is_wide ? (const void *)&wide_zero : &zero;
    int type = blas_cuda_type(y->dtype),
        compute = is_wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    void *before;
    int status = blas->push(blas->context);
    if (status) return status;
    status = blas->set_stream(blas->handle, stream);
    if (!status)
        status =
            blas->gemm(blas->handle, gemm->b.is_turned, gemm->a.is_turned, gemm->n, gemm->m,
                       gemm->k, alpha, blas_address(b), type, gemm->b.lead, gemm->b.step,
                       blas_address(a), type, gemm->a.lead, gemm->a.step, beta, blas_address(y),
                       type, gemm->y.lead, gemm->y.step, gemm->count, compute, CUBLAS_DEFAULT);
    blas->pop(&before);
    return status;
}

tern_status blas_run(tern_session *session, tern_stream *stream, const tern_tensor *a,
                     const tern_tensor *b, tern_tensor *y) {
    Gemm gemm;
    const Blas *blas = blas_of(session);
    if (!blas || !gemm_of(a, b, y, &gemm))
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "a product that no library has");
    if (!blas->gemm) {
        run_cpu(blas, &gemm, a, b, y);
        return TERN_OK;
    }
    int status = run_cuda(blas, &gemm, stream ? tern_stream_handle(stream) : NULL, a, b, y);
    if (!status) return TERN_OK;
    return session_fail(session, TERN_ERROR_SYSTEM, "cublasGemmStridedBatchedEx: status %d",
                        status);
}

/* ---- with a bias ---- */

static Lt *lt_of(tern_session *session) {
    Blas *blas = blas_of(session);
    void *before;
    if (!blas || !blas->gemm) return NULL;
    if (!blas->lt_asked && !blas->push(blas->context)) {
        blas->lt_asked = true;
        blas->lt = lt_open(session->context);
        blas->pop(&before);
    }
    return blas->lt;
}

bool blas_can_add(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                  const tern_tensor *bias, const tern_tensor *y) {
    Gemm gemm;
    bool fits = bias->rank >= 1 && bias->shape[bias->rank - 1] == y->shape[y->rank - 1] &&
                bias->numel == y->shape[y->rank - 1] && bias->strides[bias->rank - 1] == 1 &&
                bias->dtype == y->dtype && a->dtype == y->dtype && b->dtype == y->dtype;
    return fits && y->dtype != TERN_FLOAT64 && blas_can(session, a, b, y) &&
           gemm_of(a, b, y, &gemm) && gemm.count == 1 && lt_of(session);
}

tern_status blas_run_add(tern_session *session, tern_stream *stream, const tern_tensor *a,
                         const tern_tensor *b, const tern_tensor *bias, tern_tensor *y) {
    Gemm gemm;
    void *before;
    Lt *lt = lt_of(session);
    const Blas *blas = blas_of(session);
    if (!lt || !gemm_of(a, b, y, &gemm))
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "a product that no library has");
    int status = blas->push(blas->context);
    if (!status) {
        status = lt_run(lt, &gemm, stream ? tern_stream_handle(stream) : NULL, a, b, bias, y);
        blas->pop(&before);
    }
    if (!status) return TERN_OK;
    return session_fail(session, TERN_ERROR_SYSTEM, "cublasLtMatmul: status %d", status);
}
