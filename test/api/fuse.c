// SPDX-License-Identifier: Apache-2.0
/* Functions that are traced and fused: calls, second shapes, writes, views, and what is refused. */
#include "tensor_fixture.h"

#include <math.h>

static const char *const devices[] = {"interp", "cpu"};
#define EACH_DEVICE for (size_t d_ = 0; d_ < 2; d_++)

/* The same C function, run op by op. */
static void check_same(tern_tensor *got, tern_tensor *want, double bound) {
    bool close = false;
    CHECK(got && want);
    if (!got || !want) {
        fprintf(stderr, "    %s\n", tern_message(context));
        return;
    }
    CHECK(tern_rank(got) == tern_rank(want));
    for (int d = 0; d < tern_rank(want); d++) {
        CHECK(tern_shape(got)[d] == tern_shape(want)[d]);
        CHECK(tern_shape(want)[d] < 2 || tern_strides(got)[d] == tern_strides(want)[d]);
    }
    CHECK(!tern_allclose(got, want, bound, bound, true, &close));
    CHECK(close);
}

static void check_fused(tern_fused *fused, tern_fused_body *body, tern_tensor *const *in,
                        int num_out, double bound) {
    tern_tensor *got[8] = {NULL}, *want[8] = {NULL};
    CHECK(!body(in, want, NULL));
    CHECK(!tern_fused_call(fused, in, got));
    for (int i = 0; i < num_out; i++) check_same(got[i], want[i], bound);
}

static int bodies_run;

static tern_status softmax(tern_tensor *const *in, tern_tensor **out, void *user) {
    const int last[] = {-1};
    (void)user;
    bodies_run++;
    tern_tensor *shifted = tern_sub(in[0], tern_amax(in[0], last, 1, true));
    tern_tensor *numerator = tern_exp(shifted);
    out[0] = tern_div(numerator, tern_sum(numerator, last, 1, true));
    return TERN_OK;
}

TEST(a_plan_a_shape) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_fused *fused = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
        tern_tensor *small = counted(SHAPE(3, 5)), *large = counted(SHAPE(2, 40));
        check_fused(fused, softmax, &small, 1, 1e-6);
        check_fused(fused, softmax, &large, 1, 1e-6);
        tern_tensor *turned = tern_transpose(small, 0, 1), *half = tern_to(small, TERN_FLOAT64);
        check_fused(fused, softmax, &turned, 1, 1e-6);
        check_fused(fused, softmax, &half, 1, 1e-6);
        bodies_run = 0; /* each of these is known now, also at another place of its storage */
        tern_tensor *behind = tern_select(counted(SHAPE(2, 3, 5)), 0, 1), *out;
        tern_tensor *const known[] = {small, large, turned, half, behind};
        for (int i = 0; i < 5; i++) CHECK(!tern_fused_call(fused, &known[i], &out));
        CHECK(bodies_run == 0);
        check_same(out, tern_softmax(behind, 1), 1e-6);
        tern_fused_free(fused);
        end();
    }
}

/* What it writes to an argument is written; results may be arguments, views and the same tensor. */
static tern_status writer(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *row = tern_select(in[0], 0, 1), *before = tern_exp(row);
    tern_status status =
        tern_op_into(row, TERN_OP_add, (tern_operand[]){tern_of(row), tern_number(1)}, 2, 0, 0);
    out[0] = tern_keep(in[0]);
    out[1] = tern_transpose(in[0], 0, 1);
    out[2] = tern_add(before, row);
    out[3] = tern_keep(out[2]);
    tern_tensor *const parts[] = {in[0], out[2]};
    out[4] = tern_cat((tern_tensor *[]){tern_flatten(parts[0]), parts[1]}, 2, 0);
    return status;
}

TEST(writes_and_views) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_fused *fused = tern_fuse(session, "writer", writer, 1, 5, NULL);
        for (int round = 0; round < 2; round++) {
            tern_tensor *a = counted(SHAPE(2, 3)), *b = counted(SHAPE(2, 3)), *got[5], *want[5];
            CHECK(!writer(&a, want, NULL));
            CHECK(!tern_fused_call(fused, &b, got));
            for (int i = 0; i < 5; i++) check_same(got[i], want[i], 1e-6);
            check_same(b, a, 0);
            size_t of_b, of_got;
            CHECK(tern_tensor_buffer(b, &of_b) == tern_tensor_buffer(got[1], &of_got));
            tern_drop(got[3]);
            CHECK(tern_numel(got[2]) == 3);
            tern_drop(want[0]); /* these the body kept */
            tern_drop(want[3]);
        }
        tern_fused_free(fused);
        end();
    }
}

static tern_status add_to_first(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_exp(in[1]);
    return tern_op_into(in[0], TERN_OP_add, (tern_operand[]){tern_of(in[0]), tern_number(1)}, 2, 0,
                        0);
}

TEST(memory_with_two_names) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "both", add_to_first, 2, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *y = counted(SHAPE(2, 3)), *out;
    CHECK(!tern_fused_call(fused, (tern_tensor *[]){x, y}, &out));
    CHECK(tern_fused_call(fused, (tern_tensor *[]){x, x}, &out) == TERN_ERROR_UNSUPPORTED);
    CHECK(!out && strstr(tern_message(context), "shares its memory"));
    tern_fused_free(fused);
    end();
}

/* Tensors from elsewhere are read at each call; those that the body makes of data are its own. */
static tern_status affine(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *ones = tern_ones(tern_tensor_session(in[0]), TERN_FLOAT32, SHAPE(3));
    out[0] = tern_add(tern_mul(in[0], user), ones);
    return TERN_OK;
}

static tern_status twice(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *once;
    tern_status status = tern_fused_call(user, in, &once);
    return status ? status : tern_fused_call(user, &once, out);
}

TEST(tensors_from_elsewhere_and_functions_in_functions) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_tensor *scale = counted(SHAPE(3)), *x = counted(SHAPE(2, 3)), *out;
        tern_fused *fused = tern_fuse(session, "affine", affine, 1, 1, scale);
        tern_fused *outer = tern_fuse(session, "twice", twice, 1, 1, fused);
        CHECK(!tern_fused_call(fused, &x, &out));
        check_same(out, tern_add_number(tern_mul(x, scale), 1), 0);
        CHECK(!tern_copy_into(scale, tern_ones(session, TERN_FLOAT32, SHAPE(3))));
        CHECK(!tern_fused_call(fused, &x, &out));
        check_same(out, tern_add_number(x, 1), 0);
        CHECK(!tern_fused_call(outer, &x, &out));
        check_same(out, tern_add_number(x, 2), 0);
        tern_fused_free(outer);
        tern_fused_free(fused);
        end();
    }
}

static tern_status taker(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_gather(tern_log_softmax(in[0], 1), 1, in[1]);
    return TERN_OK;
}

TEST(indices_are_looked_at_in_each_call) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "taker", taker, 2, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *index = tern_ones(session, TERN_INT64, SHAPE(2, 1));
    check_fused(fused, taker, (tern_tensor *[]){x, index}, 1, 1e-6);
    index = tern_add_integer(index, 2);
    tern_tensor *out;
    CHECK(tern_fused_call(fused, (tern_tensor *[]){x, index}, &out) == TERN_ERROR_ARGUMENT);
    CHECK(!strcmp(tern_message(context), "index 3 is out of bounds for dimension 1 with size 3"));
    tern_fused_free(fused);
    end();
}

/* A loss and its gradient, by weights of classes. */
static tern_status entropy(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_detach(in[0]);
    tern_status status = tern_set_requires_grad(x, true);
    tern_tensor *loss = tern_cross_entropy(x, in[1], in[2], NULL);
    if (!status) status = loss ? tern_backward(loss, NULL, NULL) : TERN_ERROR_ARGUMENT;
    out[0] = loss ? tern_detach(loss) : NULL;
    out[1] = tern_gradient(x);
    return status;
}

TEST(rows_that_do_not_count) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "entropy", entropy, 3, 2, NULL);
    tern_tensor *x = tern_sin(counted(SHAPE(4, 3))), *out[2];
    tern_tensor *weights = tern_add_number(counted(SHAPE(3)), 0.5);
    static const int64_t rows[][4] = {{2, 1, 0, 2}, {-100, 1, -100, 2}, {1, 3, 0, -100}};
    for (int i = 0; i < 3; i++) {
        tern_tensor *in[] = {x, tern_from(session, rows[i], TERN_INT64, SHAPE(4)), weights};
        if (i < 2) {
            check_fused(fused, entropy, in, 2, 1e-6);
            continue;
        }
        CHECK(tern_fused_call(fused, in, out) == TERN_ERROR_ARGUMENT);
        CHECK_STR(tern_message(context), "Target 3 is out of bounds.");
    }
    tern_fused_free(fused);
    end();
}

/* ---- what becomes of known functions ---- */

static const int last[] = {-1};

static tern_status gelu(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = in[0], *cube = tern_mul(tern_mul(x, x), x);
    tern_tensor *inner = tern_mul_number(tern_add(x, tern_mul_number(cube, 0.044715)), 0.79788456);
    out[0] = tern_mul(tern_mul_number(x, 0.5), tern_add_number(tern_tanh(inner), 1.0));
    return TERN_OK;
}

static tern_status layer_norm(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *mean = tern_mean(in[0], last, 1, true), *centred = tern_sub(in[0], mean);
    tern_tensor *variance = tern_mean(tern_square(centred), last, 1, true);
    out[0] = tern_mul(centred, tern_rsqrt(tern_add_number(variance, 1e-5)));
    out[1] = mean; /* of the same kernel */
    return TERN_OK;
}

static tern_status cross_entropy(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *target = tern_to(
        tern_zeros(tern_tensor_session(in[0]), TERN_INT64, 2, (int64_t[]){tern_shape(in[0])[0], 1}),
        TERN_INT64);
    tern_tensor *picked = tern_gather(tern_log_softmax(in[0], 1), 1, target);
    out[0] = tern_neg(tern_mean(picked, NULL, 0, false));
    return TERN_OK;
}

static tern_status attention(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *scores = tern_matmul(in[0], tern_transpose(in[0], 0, 1));
    out[0] = tern_matmul(tern_softmax(tern_mul_number(scores, 0.125), 1), in[0]);
    return TERN_OK;
}

static tern_status residual(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *product = tern_matmul(tern_relu(in[0]), tern_transpose(in[0], 0, 1));
    out[0] = tern_add(tern_gelu(product), product);
    out[1] = tern_sin(in[0]);
    out[2] = tern_cos(in[0]);
    return TERN_OK;
}

static tern_status views(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_exp(tern_mul_number(in[0], 0.01));
    out[0] = tern_add(tern_slice(x, 1, 1, 4, 1), tern_slice(x, 1, 0, 3, 1));
    out[1] = tern_add(tern_transpose(in[0], 0, 1), tern_unsqueeze(tern_select(in[0], 1, 0), 0));
    return TERN_OK;
}

static tern_status scan(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_sin(tern_cumsum(tern_sigmoid(in[0]), 1));
    return TERN_OK;
}

static tern_status global(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_mul_number(in[0], 0.001);
    out[0] = tern_div(x, tern_sum(tern_abs(x), NULL, 0, false));
    return TERN_OK;
}

static tern_status in_order(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_clone(in[0]), *row = tern_select(x, 0, 0);
    tern_tensor *before = tern_mul_number(row, 2);
    const tern_operand operands[] = {tern_of(row), tern_number(1)};
    tern_status status = tern_op_into(row, TERN_OP_add, operands, 2, 0, 0);
    out[0] = tern_add(before, tern_mul_number(row, 3));
    return status;
}

static const struct {
    const char *name;
    tern_fused_body *body;
    int64_t rows, cols;
    int num_out;
    const char *title, *why;
} known[] = {
    {"gelu", gelu, 3, 700, 1, "gelu: 9 ops, 1 kernel;", "a result of the function"},
    {"softmax", softmax, 5, 781, 1, "softmax: 5 ops, 1 kernel;", "softmax_0: rows, 5 programs"},
    {"long_rows", softmax, 2, 9001, 1, "long_rows: 5 ops, 1 kernel;", "2 programs"},
    {"layer_norm", layer_norm, 4, 300, 2, "layer_norm: 7 ops, 1 kernel;", "0: mean float32[4], st"},
    {"one_column", layer_norm, 4, 1, 2, "one_column: 7 ops, 1 kernel;", ""},
    {"cross_entropy", cross_entropy, 9, 40, 1, "cross_entropy: 4 ops, 2 kernels;",
     "gather float32[9, 1], stored: its rows are not those of the kernel that reads it"},
    {"attention", attention, 20, 33, 1, "attention: 4 ops, 3 kernels;",
     "mul float32[20, 20], stored: a product's result joins only"},
    {"residual", residual, 34, 33, 3, "residual: 6 ops, 2 kernels;", "a product"},
    {"views", views, 5, 4, 2, "views: 4 ops, 2 kernels;", "a result of the function"},
    {"scan", scan, 5, 40, 1, "scan: 3 ops, 2 kernels and 1 op run alone;", "as it does op by op"},
    {"global", global, 300, 300, 1, "global: 4 ops, 2 kernels;", "few rows, and long ones"},
    {"in_order", in_order, 3, 4, 1, "in_order: 5 ops, ", "reads memory that the function writes"},
};

/* As op by op in the same type, and within fp32's rounding of the same in float64. */
static void check_known(size_t i) {
    tern_tensor *x = tern_sin(counted(SHAPE(known[i].rows, known[i].cols)));
    tern_fused *fused = tern_fuse(session, known[i].name, known[i].body, 1, known[i].num_out, NULL);
    tern_tensor *exact[3], *got[3], *precise = tern_to(x, TERN_FLOAT64);
    check_fused(fused, known[i].body, &x, known[i].num_out, 2e-6);
    char *plan = tern_fused_text(fused, TERN_FUSED_PLAN);
    CHECK(plan && !strncmp(plan, known[i].title, strlen(known[i].title)));
    CHECK(plan && strstr(plan, known[i].why));
    if (plan &&
        (strncmp(plan, known[i].title, strlen(known[i].title)) || !strstr(plan, known[i].why)))
        fprintf(stderr, "%s", plan);
    tern_free(plan);
    CHECK(!tern_fused_call(fused, &x, got));
    CHECK(!known[i].body(&precise, exact, NULL));
    for (int k = 0; k < known[i].num_out; k++) {
        bool close = false;
        CHECK(!tern_allclose(tern_to(got[k], TERN_FLOAT64), exact[k], 2e-5, 2e-5, false, &close));
        CHECK(close);
    }
    tern_fused_free(fused);
}

TEST(known_functions) {
    CHECK(begin("interp"));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) check_known(i);
    end();
}

TEST(known_functions_on_cpu) {
    CHECK(begin("cpu"));
    for (size_t i = 1; i < sizeof known / sizeof *known; i += 3) check_known(i);
    end();
}

/* Types and values at the edges: f16 is rounded at the end only, NaN and infinities go through. */
TEST(types_and_special_values) {
    static const float numbers[] = {1, NAN, -INFINITY, 3, INFINITY, 0, -0.0f, 2, 3, 4, 5, 6};
    static const tern_dtype types[] = {TERN_FLOAT32, TERN_FLOAT16, TERN_BFLOAT16, TERN_FLOAT64};
    CHECK(begin("interp"));
    tern_fused *of_gelu = tern_fuse(session, "gelu", gelu, 1, 1, NULL);
    tern_fused *of_rows = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
    tern_tensor *x = tern_from(session, numbers, TERN_FLOAT32, SHAPE(3, 4));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tern_tensor *in = tern_to(x, types[i]);
        double bound = types[i] == TERN_BFLOAT16 ? 2e-2 : types[i] == TERN_FLOAT16 ? 3e-3 : 1e-6;
        check_fused(of_gelu, gelu, &in, 1, bound);
        check_fused(of_rows, softmax, &in, 1, bound);
    }
    tern_fused_free(of_gelu);
    tern_fused_free(of_rows);
    end();
}

/* Rows that no tile holds, read once for a maximum and the sum that stands on it. */
static tern_status long_rows(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *numerator = tern_exp(tern_sub(in[0], tern_amax(in[0], last, 1, true)));
    out[0] = tern_sum(numerator, last, 1, true);
    out[1] = tern_div(numerator, out[0]);
    out[2] = tern_logsumexp(in[0], last, 1, false);
    out[3] = tern_log_softmax(tern_mul_number(in[0], 3), 1);
    out[4] = tern_sub(out[2], tern_mean(in[0], last, 1, false));
    return TERN_OK;
}

TEST(rows_longer_than_a_tile) {
    static const char *const of[] = {"interp", "cpu", "sim"};
    enum { ROWS = 6, COLS = 33000 };
    float *numbers = malloc(sizeof *numbers * ROWS * COLS);
    for (int i = 0; i < ROWS * COLS; i++) numbers[i] = (float)((i * 7919) % 1013) * 0.01f - 5;
    for (int i = 0; i < COLS; i++) numbers[COLS + i] = -INFINITY;   /* nothing but the least */
    for (int i = 0; i < COLS; i++) numbers[2 * COLS + i] -= 200.0f; /* far below 0 */
    for (int i = 0; i < COLS; i += 2) numbers[2 * COLS + i] = -INFINITY;
    numbers[3 * COLS + 20000] = INFINITY;
    numbers[4 * COLS + 32999] = NAN;
    numbers[5 * COLS + 31000] = 90.0f; /* all others are small beside it */
    for (int d = 0; d < 3; d++) {
        CHECK(begin(of[d]));
        tern_tensor *x = tern_from(session, numbers, TERN_FLOAT32, SHAPE(ROWS, COLS));
        tern_tensor *exact = tern_to(x, TERN_FLOAT64), *got[5], *want[5];
        tern_fused *fused = tern_fuse(session, "long", long_rows, 1, 5, NULL);
        CHECK(!long_rows(&exact, want, NULL) && !tern_fused_call(fused, &x, got));
        for (int i = 0; i < 5; i++) check_same(tern_to(got[i], TERN_FLOAT64), want[i], 3e-5);
        char *text = tern_fused_text(fused, TERN_FUSED_SOURCE);
        CHECK((d == 2) == (strstr(text, "above") != NULL));
        tern_free(text);
        tern_fused_free(fused);
        end();
    }
    free(numbers);
}

/* Likewise the squares about a mean, beside which numbers may be large. */
static tern_status long_norms(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *apart = tern_sub(in[0], tern_mean(in[0], last, 1, true));
    tern_tensor *spread = tern_mean(tern_square(apart), last, 1, true);
    out[0] = tern_layer_norm(in[0], 1, NULL, NULL, 1e-5);
    out[1] = tern_var(in[0], last, 1, false, 1);
    out[2] = tern_mean(in[0], last, 1, false);
    out[3] = tern_div(apart, tern_sqrt(tern_add_number(spread, 1e-5)));
    out[4] = tern_mean(tern_mul(apart, apart), last, 1, false);
    return TERN_OK;
}

TEST(squares_of_long_rows) {
    static const char *const of[] = {"interp", "cpu", "sim"};
    enum { ROWS = 8, COLS = 33001 };
    float *numbers = malloc(sizeof *numbers * ROWS * COLS);
    for (int i = 0; i < ROWS * COLS; i++) numbers[i] = (float)((i * 7919) % 1013) * 0.003f - 1.5f;
    for (int i = 0; i < COLS; i++) {
        numbers[COLS + i] += 10000.0f;
        numbers[2 * COLS + i] = 0.1f;
        numbers[6 * COLS + i] *= 1e15f; /* its squares are the largest that there are */
        numbers[7 * COLS + i] = i < COLS / 2 ? -3.0f : 5.0f;
    }
    numbers[3 * COLS] = 1e6f; /* all others are small beside the first one */
    numbers[4 * COLS + 20000] = INFINITY;
    numbers[5 * COLS + 33000] = NAN;
    for (int d = 0; d < 3; d++) {
        CHECK(begin(of[d]));
        tern_tensor *x = tern_from(session, numbers, TERN_FLOAT32, SHAPE(ROWS, COLS));
        tern_tensor *exact = tern_to(x, TERN_FLOAT64), *got[5], *want[5];
        tern_fused *fused = tern_fuse(session, "long", long_norms, 1, 5, NULL);
        CHECK(!long_norms(&exact, want, NULL) && !tern_fused_call(fused, &x, got));
        for (int i = 0; i < 5; i++) check_same(tern_to(got[i], TERN_FLOAT64), want[i], 1e-3);
        char *text = tern_fused_text(fused, TERN_FUSED_SOURCE);
        CHECK((d == 2) == (strstr(text, "* share, 0.0)") != NULL));
        CHECK((d == 2) == (strstr(text, "eviction_policy='evict_first'") != NULL));
        tern_free(text);
        tern_fused_free(fused);
        end();
    }
    free(numbers);
}

/* A shape of the same kind compiles nothing: its text is known. */
TEST(kernels_are_shared_by_shapes) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
    tern_tensor *a = counted(SHAPE(5, 600)), *b = counted(SHAPE(9, 700)), *out;
    CHECK(!tern_fused_call(fused, &a, &out));
    char *before = tern_session_kernels(session);
    CHECK(!tern_fused_call(fused, &b, &out));
    char *after = tern_session_kernels(session);
    CHECK_STR(after, before);
    CHECK(before && strstr(before, "def softmax_0("));
    tern_free(before);
    tern_free(after);
    tern_fused_free(fused);
    end();
}

static tern_status near_products(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *y = tern_gelu(tern_matmul(in[0], tern_transpose(in[0], 0, 1)));
    out[0] = tern_sum(y, last, 1, false);
    out[1] = tern_div(tern_exp(in[0]), tern_sum(tern_exp(in[0]), last, 1, true));
    out[2] = tern_mul_number(tern_softmax(in[0], 0), 2);
    return TERN_OK;
}

/* A shape that comes for the first time compiles nothing; when it comes again, it gets its own. */
TEST(a_new_shape_needs_no_compiler) {
    static const int64_t shapes[][2] = {{64, 256}, {33, 77}, {80, 1100}, {5, 16}, {48, 9000}};
    static const char *const of[] = {"sim", "cpu"};
    for (int d = 0; d < 2; d++) {
        CHECK(begin(of[d]));
        tern_fused *fused = tern_fuse(session, "near", near_products, 1, 3, NULL);
        for (int i = 0; i < 5; i++) {
            tern_tensor *x = tern_mul_number(tern_rand(session, TERN_FLOAT32, 2, shapes[i]), 0.1);
            tern_tensor *again[3];
            check_fused(fused, near_products, &x, 3, 1e-4);
            CHECK(!tern_fused_call(fused, &x, again));
            check_same(again[1], tern_softmax(x, 1), 1e-5);
        }
        tern_tensor *y = tern_rand(session, TERN_FLOAT32, SHAPE(37, 781)), *got[3];
        char *before = tern_session_kernels(session);
        CHECK(!tern_fused_call(fused, &y, got));
        char *once = tern_session_kernels(session);
        if (!d) CHECK_STR(once, before);
        CHECK(!tern_fused_call(fused, &y, got));
        char *twice = tern_session_kernels(session);
        CHECK(d || strlen(twice) > strlen(before));
        check_same(got[1], tern_softmax(y, 1), 1e-5);
        tern_free(before), tern_free(once), tern_free(twice);
        tern_fused_free(fused);
        end();
    }
}

/* ---- what is refused ---- */

static tern_status asks(tern_tensor *const *in, tern_tensor **out, void *user) {
    double value = 0;
    (void)user;
    tern_item(tern_sum(in[0], NULL, 0, false), &value); /* nobody looks at the status */
    out[0] = tern_mul_number(in[0], value);
    return TERN_OK;
}

static tern_status prints(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_free(tern_tensor_text(in[0]));
    out[0] = tern_exp(in[0]);
    return TERN_OK;
}

static tern_status leaves_out(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)in, (void)user, (void)out;
    return TERN_OK;
}

static tern_status fails(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_matmul(in[0], in[0]);
    return TERN_OK;
}

static tern_status divides(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *whole = tern_to(in[0], TERN_INT64);
    out[0] = tern_remainder(whole, whole);
    return TERN_OK;
}

static tern_status accumulates(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_zeros_like(in[0]);
    return tern_copy_into(out[0], in[0]);
}

static tern_status computes_index(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_gather(in[0], 1, tern_to(in[0], TERN_INT64));
    return TERN_OK;
}

static tern_status seen_again(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_as_strided(in[0], SHAPE(2), (int64_t[]){1}, 0);
    return TERN_OK;
}

static tern_status not_there(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)in;
    out[0] = tern_keep(user);
    return TERN_OK;
}

TEST(refusals) {
    static const struct {
        tern_fused_body *body;
        tern_status status;
        const char *words;
    } cases[] = {
        {asks, TERN_ERROR_UNSUPPORTED, "tern_item: a tensor has no values while"},
        {prints, TERN_ERROR_UNSUPPORTED, "a tensor has no values while"},
        {leaves_out, TERN_ERROR_ARGUMENT, "the function left its result 0 out"},
        {fails, TERN_ERROR_ARGUMENT, "shapes cannot be multiplied (2x3 and 2x3)"},
        {divides, TERN_ERROR_UNSUPPORTED, "remainder by a tensor of integers"},
        {accumulates, TERN_ERROR_UNSUPPORTED, "makes of host data"},
        {computes_index, TERN_ERROR_UNSUPPORTED, "must be an argument"},
        {seen_again, TERN_ERROR_UNSUPPORTED, "tern_as_strided: a tensor has no values"},
        {not_there, TERN_ERROR_UNSUPPORTED, "that none of its ops has to do with"},
    };
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3)), *out = x;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tern_fused *fused = tern_fuse(session, "refused", cases[i].body, 1, 1, x);
        CHECK(tern_fused_call(fused, &x, &out) == cases[i].status);
        CHECK(!out);
        CHECK(strstr(tern_message(context), cases[i].words));
        if (!strstr(tern_message(context), cases[i].words))
            fprintf(stderr, "    %s\n", tern_message(context));
        tern_fused_free(fused);
    }
    CHECK(!tern_fuse(session, "no word", asks, 1, 1, NULL));
    CHECK(!tern_fuse(session, "many", asks, 65, 1, NULL));
    CHECK(!tern_fuse(session, "none", asks, 1, 0, NULL));
    tern_fused *fused = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
    CHECK(tern_fused_call(fused, (tern_tensor *[]){NULL}, &out) == TERN_ERROR_ARGUMENT);
    tern_fused_free(fused);
    end();
}

static tern_tensor *smuggled;
static tern_status smuggles(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_exp(in[0]);
    smuggled = tern_keep(tern_keep(out[0])); /* one goes with the result, one with the trace */
    return TERN_OK;
}

/* A small result, and one of all pairs, for which memory is asked after the first kernel's. */
static tern_status all_pairs(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_exp(in[0]);
    out[1] = tern_add(in[1], in[2]);
    return out[1] ? TERN_OK : TERN_ERROR_ARGUMENT;
}

/* 2^58 elements: the call gives nothing, keeps nothing, and the function can be called again. */
TEST(memory_runs_out_between_kernels) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        const int64_t many = INT64_C(1) << 29;
        tern_fused *fused = tern_fuse(session, "pairs", all_pairs, 3, 2, NULL);
        tern_tensor *x = counted(SHAPE(2, 3)), *one = counted(SHAPE(1, 1));
        tern_tensor *wide = tern_expand(one, SHAPE(1, many));
        tern_tensor *high = tern_expand(one, SHAPE(many, 1));
        for (int turn = 0; turn < 2; turn++) {
            tern_tensor *out[2] = {x, x};
            CHECK(!tern_fused_call(fused, (tern_tensor *[]){x, one, one}, out));
            check_same(out[0], tern_exp(x), 1e-6);
            CHECK(tern_numel(out[1]) == 1);
            int live = tern_session_live_tensors(session);
            tern_tensor *none[2] = {x, x};
            CHECK(tern_fused_call(fused, (tern_tensor *[]){x, wide, high}, none) ==
                  TERN_ERROR_NO_MEMORY);
            CHECK(!none[0] && !none[1]);
            CHECK(strstr(tern_message(context), "1152921504606846976"));
            CHECK(tern_session_live_tensors(session) == live);
        }
        tern_fused_free(fused);
        end();
    }
}

TEST(a_traced_tensor_outside_of_its_function) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "smuggles", smuggles, 1, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *out;
    CHECK(!tern_fused_call(fused, &x, &out));
    CHECK(!tern_exp(smuggled));
    CHECK(strstr(tern_message(context), "of a function that was traced"));
    tern_drop(smuggled);
    tern_fused_free(fused);
    end();
}

TEST_MAIN()
