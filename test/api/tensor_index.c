// SPDX-License-Identifier: Apache-2.0
/* Places that tensors say, tensors put together, triangles and comparison: on interp, which checks
 * each access, and on cpu. Wanted values are written out, or made by loops here. */
#include "api/tensor_fixture.h"

static tern_tensor *indices(int rank, const int64_t *shape, const int64_t *values) {
    return tern_from(session, values, TERN_INT64, rank, shape);
}

/* The shape and the elements: "[2, 2]: 0 1 2 3". */
static const char *shown(tern_tensor *tensor) {
    static char text[4000];
    double values[256];
    if (!tensor) return tern_message(context);
    int at = sprintf(text, "[");
    for (int i = 0; i < tern_rank(tensor); i++)
        at += sprintf(text + at, "%s%lld", i ? ", " : "", (long long)tern_shape(tensor)[i]);
    at += sprintf(text + at, "]:");
    tern_tensor *wide = tern_to(tensor, TERN_FLOAT64);
    if (!wide || tern_to_host(wide, values, (size_t)tern_numel(wide) * 8))
        return tern_message(context);
    for (int64_t i = 0; i < tern_numel(wide); i++) at += sprintf(text + at, " %g", values[i]);
    return text;
}

#define SHOWS(tensor, want) CHECK_STR(shown(tensor), want)

static void check_places(void) {
    tern_tensor *x = counted(SHAPE(3, 4)), *turned = tern_transpose(x, 0, 1);
    SHOWS(tern_gather(x, 0, indices(SHAPE(2, 2), (const int64_t[]){2, 0, 1, 1})),
          "[2, 2]: 8 1 4 5");
    SHOWS(tern_gather(x, -1, indices(SHAPE(3, 1), (const int64_t[]){3, 0, 1})), "[3, 1]: 3 4 9");
    SHOWS(tern_gather(turned, 1, indices(SHAPE(4, 1), (const int64_t[]){2, 1, 0, 2})),
          "[4, 1]: 8 5 2 11");
    tern_tensor *narrow = tern_to(indices(SHAPE(2), (const int64_t[]){2, 2}), TERN_INT32);
    SHOWS(tern_index_select(x, 0, narrow), "[2, 4]: 8 9 10 11 8 9 10 11");
    SHOWS(tern_index_select(turned, 0, indices(SHAPE(1), (const int64_t[]){3})), "[1, 3]: 3 7 11");
    SHOWS(tern_index_select(x, 1, indices(SHAPE(3), (const int64_t[]){3, 0, 3})),
          "[3, 3]: 3 0 3 7 4 7 11 8 11");
    SHOWS(tern_index_select(x, 1, indices(SHAPE(0), NULL)), "[3, 0]:");
    SHOWS(tern_embedding(indices(SHAPE(2, 1), (const int64_t[]){2, 0}), x),
          "[2, 1, 4]: 8 9 10 11 0 1 2 3");
    tern_tensor *stepped =
        tern_slice(indices(SHAPE(4), (const int64_t[]){1, 99, 0, 99}), 0, 0, 4, 2);
    SHOWS(tern_embedding(stepped, tern_to(x, TERN_INT8)), "[2, 4]: 4 5 6 7 0 1 2 3");
}

static void check_large_gather(void) {
    enum { ROWS = 40, COLUMNS = 70, TAKEN = 33 };
    tern_tensor *x = counted(SHAPE(ROWS, COLUMNS));
    static int64_t at[ROWS * TAKEN];
    static float got[ROWS * TAKEN];
    for (int i = 0; i < ROWS * TAKEN; i++) at[i] = (i * 37 + i / 7) % COLUMNS;
    tern_tensor *y = tern_gather(x, 1, indices(SHAPE(ROWS, TAKEN), at));
    CHECK(y && !tern_to_host(y, got, sizeof got));
    int wrong = 0;
    for (int i = 0; i < ROWS * TAKEN; i++) wrong += got[i] != (float)(i / TAKEN * COLUMNS + at[i]);
    CHECK(!wrong);
}

static void check_together(void) {
    tern_tensor *x = counted(SHAPE(2, 2)), *y = tern_mul_number(tern_transpose(x, 0, 1), 10);
    tern_tensor *whole = tern_arange(session, TERN_INT64, 7, 9, 1);
    SHOWS(tern_cat((tern_tensor *[]){x, y}, 2, 0), "[4, 2]: 0 1 2 3 0 20 10 30");
    SHOWS(tern_cat((tern_tensor *[]){x, y}, 2, -1), "[2, 4]: 0 1 0 20 2 3 10 30");
    SHOWS(tern_cat((tern_tensor *[]){tern_empty(session, TERN_FLOAT32, SHAPE(0)), x}, 2, 1),
          "[2, 2]: 0 1 2 3");
    tern_tensor *mixed = tern_cat((tern_tensor *[]){whole, tern_select(x, 0, 1)}, 2, 0);
    SHOWS(mixed, "[4]: 7 8 2 3");
    CHECK(mixed && tern_tensor_dtype(mixed) == TERN_FLOAT32);
    SHOWS(tern_stack((tern_tensor *[]){x, y}, 2, 0), "[2, 2, 2]: 0 1 2 3 0 20 10 30");
    SHOWS(tern_stack((tern_tensor *[]){x, y}, 2, -1), "[2, 2, 2]: 0 0 1 20 2 10 3 30");
    SHOWS(tern_stack((tern_tensor *[]){tern_select(whole, 0, 1)}, 1, 0), "[1]: 8");
    tern_tensor *ones = tern_ones(session, TERN_INT32, SHAPE(2, 3, 4));
    SHOWS(tern_tril(ones, 0), "[2, 3, 4]: 1 0 0 0 1 1 0 0 1 1 1 0 1 0 0 0 1 1 0 0 1 1 1 0");
    SHOWS(tern_triu(tern_select(ones, 0, 0), 2), "[3, 4]: 0 0 1 1 0 0 0 1 0 0 0 0");
    SHOWS(tern_tril(tern_select(ones, 0, 0), -1), "[3, 4]: 0 0 0 0 1 0 0 0 1 1 0 0");
    SHOWS(tern_triu(tern_select(ones, 0, 0), INT64_MIN), "[3, 4]: 1 1 1 1 1 1 1 1 1 1 1 1");
    tern_tensor *truth = tern_triu(tern_gt_number(x, -1), 0);
    SHOWS(truth, "[2, 2]: 1 1 0 1");
    CHECK(truth && tern_tensor_dtype(truth) == TERN_BOOL);
}

TEST(on_interp) {
    if (!begin("interp")) return;
    check_places();
    check_large_gather();
    check_together();
    end();
}

TEST(on_cpu) {
    if (!begin("cpu")) {
        SKIP("no cpu device");
        return;
    }
    check_large_gather();
    end();
}

TEST(closeness) {
    if (!begin("interp")) return;
    const float base[] = {1, 100, INFINITY, NAN}, near[] = {1.0000001f, 100.0005f, INFINITY, NAN};
    bool close = true;
    tern_tensor *a = tern_from(session, base, TERN_FLOAT32, SHAPE(4));
    tern_tensor *b = tern_from(session, near, TERN_FLOAT32, SHAPE(4));
    CHECK(!tern_allclose(a, b, 1e-5, 1e-8, false, &close) && !close);
    CHECK(!tern_allclose(a, b, 1e-5, 1e-8, true, &close) && close);
    CHECK(!tern_allclose(a, b, 1e-6, 1e-8, true, &close) && !close);
    tern_tensor *c = tern_at(a, ":3"), *d = tern_at(b, ":3");
    CHECK(!tern_allclose(c, d, 1e-5, 1e-8, false, &close) && close);
    CHECK(!tern_allclose(c, tern_neg(d), 1e-5, 1e-8, false, &close) && !close);
    CHECK(tern_allclose(a, tern_to(b, TERN_FLOAT64), 1, 1, true, &close) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "Float did not match Double");
    end();
}

#define SAYS(tensor, want)                                                                         \
    do {                                                                                           \
        tern_fail(context, TERN_OK, "");                                                           \
        CHECK((tensor) == NULL);                                                                   \
        CHECK_STR(tern_message(context), want);                                                    \
    } while (0)

TEST(what_is_refused) {
    if (!begin("interp")) return;
    tern_tensor *x = counted(SHAPE(2, 3)), *wide = counted(SHAPE(2, 4)),
                *number = tern_sum(x, NULL, 0, false);
    tern_tensor *five = indices(SHAPE(1), (const int64_t[]){5}),
                *minus = indices(SHAPE(1), (const int64_t[]){-1});
    tern_tensor *floats = tern_ones(session, TERN_FLOAT32, SHAPE(1));
    SAYS(tern_gather(x, 0, tern_view(five, SHAPE(1, 1))),
         "index 5 is out of bounds for dimension 0 with size 2");
    SAYS(tern_gather(x, 0, five),
         "Index tensor must have the same number of dimensions as input tensor");
    SAYS(tern_gather(x, 0, tern_view(floats, SHAPE(1, 1))),
         "gather(): Expected dtype int32/int64 for index");
    SAYS(
        tern_gather(x, 1, tern_zeros(session, TERN_INT64, SHAPE(3, 1))),
        "Size does not match at dimension 0 expected index [3, 1] to be no larger than self [2, 3] "
        "apart from dimension 1");
    SAYS(tern_index_select(x, 0, five), "index out of range in self");
    SAYS(tern_index_select(x, 0, minus), "index out of range in self");
    SAYS(tern_index_select(x, 0, tern_view(five, SHAPE(1, 1))),
         "index_select(): Index is supposed to be a vector");
    SAYS(tern_index_select(x, 0, floats),
         "index_select(): Expected dtype int32 or int64 for index");
    SAYS(tern_embedding(five, x), "index out of range in self");
    SAYS(tern_embedding(floats, x),
         "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
         "Long, "
         "Int; but got torch.FloatTensor instead (while checking arguments for embedding)");
    SAYS(tern_cat((tern_tensor *[]){x, wide}, 2, 0),
         "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
         "tensor "
         "number 1 in the list.");
    SAYS(tern_cat((tern_tensor *[]){x, floats}, 2, 0),
         "Tensors must have same number of dimensions: got 2 and 1");
    SAYS(tern_cat((tern_tensor *[]){number, number}, 2, 0),
         "zero-dimensional tensor (at position 0) cannot be concatenated");
    SAYS(tern_stack((tern_tensor *[]){x, wide}, 2, 0),
         "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [2, 4] at "
         "entry 1");
    SAYS(tern_tril(floats, 0), "tril: input tensor must have at least 2 dimensions");
    end();
}

TEST_MAIN()
