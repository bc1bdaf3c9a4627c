// SPDX-License-Identifier: Apache-2.0
/* blas_lt: products with a bias by cuBLASLt. What a call needs (descriptors, an algorithm) is made
 * once a shape and kept. Numbers and structs: cublasLt.h of CUDA 13 (the same since 11). */
#include "tensor/blas.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { DESC_TURNS_A = 3, DESC_TURNS_B = 4, DESC_EPILOGUE = 7, DESC_BIAS = 8 };
enum { EPILOGUE_BIAS = 4, PREFERENCE_WORKSPACE = 1, PREFERENCE_ALIGNMENT = 5 };
enum { WORKSPACE = 32 << 20 /* what NVIDIA advises for Hopper */, MOST_KEPT = 32 };

/* cublasLtMatmulHeuristicResult_t */
typedef struct Found {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} Found;

typedef struct Kept {
    Gemm gemm;
    tern_dtype dtype;
    uint32_t alignment; /* of all tensors, in bytes */
    void *desc, *a, *b, *y;
    Found found;
} Kept;

struct Lt {
    void *library, *handle;
    tern_buffer *workspace;
    int num_kept;
    Kept kept[MOST_KEPT];
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*desc_create)(void **desc, int compute, int scale);
    int (*desc_destroy)(void *desc);
    int (*desc_set)(void *desc, int attribute, const void *from, size_t size);
    int (*layout_create)(void **layout, int type, uint64_t rows, uint64_t cols, int64_t lead);
    int (*layout_destroy)(void *layout);
    int (*preference_create)(void **preference);
    int (*preference_destroy)(void *preference);
    int (*preference_set)(void *preference, int attribute, const void *from, size_t size);
    int (*heuristic)(void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference,
                     int asked, Found *found, int *count);
    int (*matmul)(void *handle, void *desc, const void *alpha, const void *a, void *a_layout,
                  const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                  void *d, void *d_layout, const uint64_t *algorithm, void *workspace, size_t size,
                  void *stream);
};

static bool find_functions(Lt *lt) {
    const struct {
        void *to;
        const char *name;
    } functions[] = {{&lt->create, "cublasLtCreate"},
                     {&lt->destroy, "cublasLtDestroy"},
                     {&lt->desc_create, "cublasLtMatmulDescCreate"},
                     {&lt->desc_destroy, "cublasLtMatmulDescDestroy"},
                     {&lt->desc_set, "cublasLtMatmulDescSetAttribute"},
                     {&lt->layout_create, "cublasLtMatrixLayoutCreate"},
                     {&lt->layout_destroy, "cublasLtMatrixLayoutDestroy"},
                     {&lt->preference_create, "cublasLtMatmulPreferenceCreate"},
                     {&lt->preference_destroy, "cublasLtMatmulPreferenceDestroy"},
                     {&lt->preference_set, "cublasLtMatmulPreferenceSetAttribute"},
                     {&lt->heuristic, "cublasLtMatmulAlgoGetHeuristic"},
                     {&lt->matmul, "cublasLtMatmul"}};
    for (int i = 0; i < COUNT(functions); i++) {
        void *found = dlsym(lt->library, functions[i].name);
        if (!found) return false;
        memcpy(functions[i].to, &found, sizeof found);
    }
    return true;
}

static void kept_free(const Lt *lt, Kept *kept) {
    if (kept->desc) lt->desc_destroy(kept->desc);
    void *const layouts[] = {kept->a, kept->b, kept->y};
    for (int i = 0; i < 3; i++)
        if (layouts[i]) lt->layout_destroy(layouts[i]);
    *kept = (Kept){.desc = NULL};
}

void lt_free(Lt *lt) {
    if (!lt) return;
    for (int i = 0; i < MOST_KEPT; i++) kept_free(lt, &lt->kept[i]);
    if (lt->handle) lt->destroy(lt->handle);
    tern_buffer_free(lt->workspace);
    if (lt->library) dlclose(lt->library);
    free(lt);
}

Lt *lt_open(tern_context *context) {
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                        "libcublasLt.so.11"};
    Lt *lt = calloc(1, sizeof *lt);
    for (int i = 0; lt && i < COUNT(names) && !lt->library; i++)
        lt->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (lt && lt->library && find_functions(lt) && !lt->create(&lt->handle)) {
        lt->workspace = tern_alloc(context, WORKSPACE);
        if (lt->workspace) return lt;
    }
    lt_free(lt);
    return NULL;
}

/* Columns there are rows here: y.T = b.T @ a.T, to whose columns the bias is added. */
static int layout_of(const Lt *lt, void **layout, tern_dtype dtype, const Matrix *matrix, int rows,
                     int cols) {
    uint64_t across = (uint64_t)(matrix->is_turned ? rows : cols);
    uint64_t down = (uint64_t)(matrix->is_turned ? cols : rows);
    return lt->layout_create(layout, blas_cuda_type(dtype), across, down, matrix->lead);
}

static int describe(const Lt *lt, Kept *kept, const void *bias) {
    const Gemm *gemm = &kept->gemm;
    const int turns_b = gemm->b.is_turned, turns_a = gemm->a.is_turned;
    const uint32_t epilogue = EPILOGUE_BIAS;
    int status = lt->desc_create(&kept->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (!status) status = lt->desc_set(kept->desc, DESC_TURNS_A, &turns_b, sizeof turns_b);
    if (!status) status = lt->desc_set(kept->desc, DESC_TURNS_B, &turns_a, sizeof turns_a);
    if (!status) status = lt->desc_set(kept->desc, DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (!status) status = lt->desc_set(kept->desc, DESC_BIAS, &bias, sizeof bias);
    if (!status) status = layout_of(lt, &kept->a, kept->dtype, &gemm->a, gemm->m, gemm->k);
    if (!status) status = layout_of(lt, &kept->b, kept->dtype, &gemm->b, gemm->k, gemm->n);
    if (!status) status = layout_of(lt, &kept->y, kept->dtype, &gemm->y, gemm->m, gemm->n);
    return status;
}

/* What the algorithm may rely on: up to 256 bytes, which is what the library takes for granted. */
static uint32_t alignment_of(const void *const *addresses, int count) {
    uintptr_t bits = 256;
    for (int i = 0; i < count; i++) bits |= (uintptr_t)addresses[i];
    return (uint32_t)(bits & (~bits + 1));
}

static int find_algorithm(const Lt *lt, Kept *kept) {
    enum { NOT_SUPPORTED = 15 };
    const size_t most = WORKSPACE;
    void *preference = NULL;
    int count = 0, status = lt->preference_create(&preference);
    if (!status) status = lt->preference_set(preference, PREFERENCE_WORKSPACE, &most, sizeof most);
    for (int i = PREFERENCE_ALIGNMENT; i < PREFERENCE_ALIGNMENT + 4 && !status; i++)
        status = lt->preference_set(preference, i, &kept->alignment, sizeof kept->alignment);
    if (!status)
        status = lt->heuristic(lt->handle, kept->desc, kept->b, kept->a, kept->y, kept->y,
                               preference, 1, &kept->found, &count);
    if (preference) lt->preference_destroy(preference);
    return status ? status : count < 1 ? NOT_SUPPORTED : kept->found.state;
}

static bool is_same_matrix(const Matrix *a, const Matrix *b) {
    return a->is_turned == b->is_turned && a->lead == b->lead;
}

static bool is_same_gemm(const Gemm *a, const Gemm *b) {
    return a->m == b->m && a->n == b->n && a->k == b->k && is_same_matrix(&a->a, &b->a) &&
           is_same_matrix(&a->b, &b->b) && is_same_matrix(&a->y, &b->y);
}

static int kept_of(Lt *lt, const Gemm *gemm, tern_dtype dtype, uint32_t alignment, const void *bias,
                   Kept **found) {
    for (int i = 0; i < MOST_KEPT; i++) {
        Kept *kept = &lt->kept[i];
        if (!kept->desc || kept->dtype != dtype || kept->alignment != alignment ||
            !is_same_gemm(&kept->gemm, gemm))
            continue;
        *found = kept;
        return lt->desc_set(kept->desc, DESC_BIAS, &bias, sizeof bias);
    }
    Kept *kept = *found = &lt->kept[lt->num_kept++ % MOST_KEPT];
    kept_free(lt, kept);
    kept->gemm = *gemm;
    kept->dtype = dtype;
    kept->alignment = alignment;
    int status = describe(lt, kept, bias);
    if (!status) status = find_algorithm(lt, kept);
    if (status) kept_free(lt, kept);
    return status;
}

int lt_run(Lt *lt, const Gemm *gemm, void *stream, const tern_tensor *a, const tern_tensor *b,
           const tern_tensor *bias, tern_tensor *y) {
    static const float one = 1, zero = 0;
    const void *const addresses[] = {blas_address(a), blas_address(b), blas_address(bias)};
    void *to = blas_address(y);
    uint32_t alignment = alignment_of(addresses, 3), of_y = alignment_of((const void *[]){to}, 1);
    Kept *kept;
    int status =
        kept_of(lt, gemm, y->dtype, of_y < alignment ? of_y : alignment, addresses[2], &kept);
    if (status) return status;
    return lt->matmul(lt->handle, kept->desc, &one, addresses[1], kept->b, addresses[0], kept->a,
                      &zero, to, kept->y, to, kept->y, kept->found.algorithm,
                      tern_buffer_pointer(lt->workspace), WORKSPACE, stream);
}
