// SPDX-License-Identifier: Apache-2.0
/* Order as a GPU finds it (sim), in one block, in several, along either dimension, held against the
 * host's, which merges: with equals, NaN, both zeros and infinities. */
#include "tensor_fixture.h"

#include <math.h>

static double number_at(int i, tern_dtype dtype) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
    uint32_t bits = (uint32_t)i * 2654435761u >> 9;
    if (dtype == TERN_BOOL) return bits & 1;
    if (dtype == TERN_UINT8) return bits % 256;
    /* Either half decides, its uppermost bit too. */
    double halves = (double)(bits % 5) * 0x1p32 + (double)(bits % 7) * 0x1.8p30;
    if (dtype == TERN_INT64) return bits % 11 ? halves - 0x1.4p33 : -0x1p63;
    if (dtype == TERN_FLOAT64 && bits % 3) return 1 - halves * 0x1p-52;
    if (!tern_dtype_is_float(dtype)) return (double)(bits % 211) - 105;
    return bits % 23 < 5 ? special[bits % 23] : ((double)(bits % 401) - 200) / 16;
}

/* What sort and topk say on a device. */
static int64_t *places(const char *device, tern_dtype dtype, const int64_t *shape, int dim,
                       bool descending, int64_t kept, size_t *count) {
    size_t numel = (size_t)(shape[0] * shape[1]), size = tern_dtype_size(dtype);
    unsigned char *data = calloc(numel, size);
    for (size_t i = 0; i < numel; i++)
        tern_element_set_double(dtype, data + i * size, number_at((int)i, dtype));
    CHECK(begin(device));
    tern_tensor *x = tern_from(session, data, dtype, 2, shape), *values, *indices;
    free(data);
    tern_status status = kept ? tern_topk(x, kept, dim, descending, &values, &indices)
                              : tern_sort(x, dim, descending, &values, &indices);
    CHECK(!status);
    *count = indices ? (size_t)tern_numel(indices) : 0;
    int64_t *found = calloc(*count + 1, sizeof *found);
    CHECK(indices && !tern_to_host(indices, found, *count * sizeof *found));
    char *texts = tern_session_kernels(session);
    CHECK((strstr(texts, "def sort_places") != NULL) == !strcmp(device, "sim"));
    tern_free(texts);
    tern_drop(values), tern_drop(indices);
    end();
    return found;
}

static void check(tern_dtype dtype, int64_t rows, int64_t cols, int dim, bool descending,
                  int64_t kept) {
    const int64_t shape[] = {rows, cols};
    size_t counts[2];
    int64_t *got = places("sim", dtype, shape, dim, descending, kept, &counts[0]);
    int64_t *want = places("interp", dtype, shape, dim, descending, kept, &counts[1]);
    CHECK(counts[0] == counts[1]);
    size_t wrong = 0;
    for (size_t i = 0; i < counts[0] && counts[0] == counts[1]; i++) wrong += got[i] != want[i];
    CHECK(wrong == 0);
    if (wrong) fprintf(stderr, "    %s: %zu of %zu\n", tern_torch_name(dtype), wrong, counts[0]);
    free(got), free(want);
}

TEST(order_on_a_gpu) {
    static const tern_dtype types[] = {TERN_FLOAT32, TERN_FLOAT16, TERN_BFLOAT16, TERN_INT32,
                                       TERN_INT16,   TERN_INT8,    TERN_UINT8,    TERN_BOOL,
                                       TERN_INT64,   TERN_FLOAT64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        check(types[t], 5, 70, 1, t & 1, 0);
        check(types[t], 33, 3, 0, !(t & 1), 0);
    }
    check(TERN_FLOAT32, 3, 5000, 1, false, 0); /* several blocks, none of them full */
    check(TERN_FLOAT32, 2048, 2, 0, true, 0);
    check(TERN_INT32, 2, 1025, 1, true, 7);
    check(TERN_FLOAT32, 1, 1, 1, true, 0);
    check(TERN_FLOAT64, 2, 1300, 1, true, 9);
    check(TERN_INT64, 1500, 2, 0, false, 0);
}

TEST_MAIN()
