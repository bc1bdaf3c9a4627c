// SPDX-License-Identifier: Apache-2.0
/* Gradients: every row that has one, and every view, against differences in float64; then what the
 * tape promises: adding up, no_grad, writes in place, PyTorch's words, functions of the user's own,
 * second gradients, gradients of functions that are traced. */
#include "tensor_fixture.h"

/* ---- differences ---- */

enum { MOST_INPUTS = 3, MOST_ELEMENTS = 64 };
typedef struct Input {
    int rank;
    int64_t shape[TERN_MAX_RANK];
    double values[MOST_ELEMENTS];
} Input;
typedef tern_tensor *Function(tern_tensor *const *in, const void *with);

static int count_of(const Input *input) {
    int count = 1;
    for (int d = 0; d < input->rank; d++) count *= (int)input->shape[d];
    return count;
}

/* Values between low and high, no two the same, in no order. */
static Input input_of(int rank, const int64_t *shape, double low, double high) {
    Input input = {.rank = rank};
    for (int d = 0; d < rank; d++) input.shape[d] = shape[d];
    for (int i = 0; i < MOST_ELEMENTS; i++)
        input.values[i] = low + (high - low) * fmod(0.137 + 0.6180339887498949 * (i + 1), 1.0);
    return input;
}

static tern_tensor *tensor_of(const Input *input) {
    return tern_from(session, input->values, TERN_FLOAT64, input->rank, input->shape);
}

static double weight(int i) { return 0.5 + fmod(0.7548776662466927 * (i + 1), 1.0); }

/* The sum of f's elements, each with a weight. */
static double weighted(Function *f, const void *with, const Input *inputs, int count) {
    tern_tensor *in[MOST_INPUTS];
    for (int i = 0; i < count; i++) in[i] = tensor_of(&inputs[i]);
    tern_tensor *y = f(in, with);
    double values[MOST_ELEMENTS * 4], sum = 0;
    if (!y || tern_numel(y) > MOST_ELEMENTS * 4 ||
        tern_to_host(y, values, (size_t)tern_numel(y) * 8))
        return NAN;
    for (int i = 0; i < tern_numel(y); i++) sum += weight(i) * values[i];
    return sum;
}

static bool gradients_of(Function *f, const void *with, const Input *inputs, int count,
                         double got[MOST_INPUTS][MOST_ELEMENTS]) {
    tern_tensor *in[MOST_INPUTS], *gradients[MOST_INPUTS];
    double weights[MOST_ELEMENTS * 4];
    for (int i = 0; i < count; i++) {
        in[i] = tensor_of(&inputs[i]);
        if (tern_set_requires_grad(in[i], true)) return false;
    }
    for (int i = 0; i < MOST_ELEMENTS * 4; i++) weights[i] = weight(i);
    tern_tensor *y = f(in, with);
    if (!y || tern_numel(y) > MOST_ELEMENTS * 4) return false;
    tern_tensor *g = tern_from(session, weights, TERN_FLOAT64, tern_rank(y), tern_shape(y));
    const tern_backward_options options = {.allow_unused = true};
    if (tern_grad(&y, &g, 1, in, count, gradients, &options)) return false;
    for (int i = 0; i < count; i++)
        if (gradients[i] && tern_to_host(gradients[i], got[i], (size_t)count_of(&inputs[i]) * 8))
            return false;
    return true;
}

static void check_gradients(const char *name, Function *f, const void *with, const Input *inputs,
                            int count) {
    double got[MOST_INPUTS][MOST_ELEMENTS] = {{0}};
    CHECK(!tern_scope_open(session));
    bool ran = gradients_of(f, with, inputs, count, got);
    if (!ran) printf("%s: %s\n", name, tern_message(context));
    CHECK(ran);
    for (int i = 0; i < count && ran; i++)
        for (int k = 0; k < count_of(&inputs[i]); k++) {
            const double step = 1e-5; /* error about step^2, and 1e-16 / step */
            Input moved[MOST_INPUTS];
            memcpy(moved, inputs, (size_t)count * sizeof *inputs);
            moved[i].values[k] = inputs[i].values[k] + step;
            double above = weighted(f, with, moved, count);
            moved[i].values[k] = inputs[i].values[k] - step;
            double want = (above - weighted(f, with, moved, count)) / (2 * step);
            bool near = fabs(got[i][k] - want) <= 1e-6 + 1e-6 * fabs(want);
            if (!near) printf("%s: d%d[%d]: %.9g, not %.9g\n", name, i, k, got[i][k], want);
            CHECK(near);
        }
    CHECK(!tern_scope_close(session));
}

/* ---- pointwise rows ---- */

typedef struct Row {
    tern_op_id op;
    const char *name;
    int num_operands;
    double p, q;
} Row;
static const Row rows[] = {
#define TERN_UNARY(name, ...)   {TERN_OP_##name, #name, 1, 0, 0},
#define TERN_UNARY_1(name, ...) {TERN_OP_##name, #name, 1, 0.25, 0},
#define TERN_UNARY_2(name, ...) {TERN_OP_##name, #name, 1, 0.75, 1.5},
#define TERN_BINARY(name, ...)  {TERN_OP_##name, #name, 2, 0, 0},
#include "tern_tensor_ops.def"
};

static tern_tensor *of_row(tern_tensor *const *in, const void *with) {
    const Row *row = with;
    const tern_operand operands[] = {tern_of(in[0]), tern_of(row->num_operands > 1 ? in[1] : NULL)};
    return tern_op(row->op, operands, row->num_operands, row->p, row->q);
}

/* The same of operands that lie otherwise: the second is turned, and the first is repeated. */
static tern_tensor *of_row_turned(tern_tensor *const *in, const void *with) {
    tern_tensor *a = tern_expand(tern_unsqueeze(in[0], 0), 3, (const int64_t[]){2, 3, 4});
    tern_tensor *b = tern_transpose(in[1], 0, 1);
    return of_row((tern_tensor *const[]){a, b}, with);
}

/* Where the row is defined and smooth. */
static void domain_of(const char *name, double *low, double *high) {
    static const struct {
        const char *name;
        double low, high;
    } domains[] = {{"log", 0.2, 3},      {"log2", 0.2, 3},    {"log10", 0.2, 3},
                   {"log1p", -0.7, 3},   {"sqrt", 0.2, 3},    {"rsqrt", 0.2, 3},
                   {"asin", -0.9, 0.9},  {"acos", -0.9, 0.9}, {"acosh", 1.2, 4},
                   {"atanh", -0.9, 0.9}, {"pow", 0.3, 3},     {"tan", -1.2, 1.2}};
    *low = -2.3, *high = 2.4;
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (!strcmp(domains[i].name, name)) *low = domains[i].low, *high = domains[i].high;
}

static bool is_differentiable(const Row *row) {
    tern_tensor *x = tern_ones(session, TERN_FLOAT64, 1, (const int64_t[]){1});
    tern_set_requires_grad(x, true);
    tern_tensor *in[] = {x, x}, *y = of_row(in, row);
    return y && tern_requires_grad(y);
}

static void check_pointwise(const char *device) {
    int checked = 0;
    if (!begin(device)) return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double low, high;
        if (!strcmp(rows[i].name, "floor_divide") || !is_differentiable(&rows[i])) continue;
        domain_of(rows[i].name, &low, &high);
        Input inputs[] = {input_of(SHAPE(3, 4), low, high), input_of(SHAPE(4), low, high)};
        for (int k = 0; k < 4; k++) inputs[1].values[k] += inputs[1].values[k] > 0 ? 0.11 : -0.11;
        check_gradients(rows[i].name, of_row, &rows[i], inputs, rows[i].num_operands);
        checked++;
        if (rows[i].num_operands == 1) continue;
        inputs[1] = input_of(SHAPE(4, 3), low + 0.01, high);
        check_gradients(rows[i].name, of_row_turned, &rows[i], inputs, 2);
    }
    CHECK(checked > 50);
    end();
}

TEST(pointwise_rows_on_interp) { check_pointwise("interp"); }
TEST(pointwise_rows_on_cpu) { check_pointwise("cpu"); }

TEST(rows_that_have_none) {
    if (!begin("interp")) return;
    tern_tensor *x = tern_ones(session, TERN_FLOAT64, SHAPE(2));
    CHECK(!tern_set_requires_grad(x, true));
    CHECK(!tern_requires_grad(tern_lt_number(x, 2)));
    CHECK(!tern_requires_grad(tern_argmax(x, 0, false)));
    tern_tensor *y = tern_sum(tern_floor_divide_number(x, 2), NULL, 0, false);
    CHECK(tern_backward(y, NULL, NULL) == TERN_ERROR_UNSUPPORTED);
    CHECK_STR(tern_message(context), "derivative for aten::floor_divide is not implemented");
    tern_tensor *counts = tern_ones(session, TERN_INT32, SHAPE(2));
    CHECK(tern_set_requires_grad(counts, true) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "only Tensors of floating point dtype can require gradients");
    end();
}

/* ---- rows ---- */

typedef struct Along {
    const char *name;
    int num_dims, dims[2];
    bool keepdim;
} Along;

static tern_tensor *of_reduction(tern_tensor *const *in, const void *with) {
    const Along *along = with;
    tern_tensor *x = in[0];
#define TERN_REDUCE(op, ...)                                                                       \
    if (!strcmp(along->name, #op))                                                                 \
        return tern_##op(x, along->dims, along->num_dims, along->keepdim);
#define TERN_REDUCE_1(op, ...)                                                                     \
    if (!strcmp(along->name, #op))                                                                 \
        return tern_##op(x, along->dims, along->num_dims, along->keepdim, 1);
#define TERN_ALONG(op, ...)                                                                        \
    if (!strcmp(along->name, #op)) return tern_##op(x, along->dims[0]);
#define TERN_SCAN(op, ...)                                                                         \
    if (!strcmp(along->name, #op)) return tern_##op(x, along->dims[0]);
#include "tern_tensor_ops.def"
    return NULL;
}

static const char *const reductions[] = {
#define TERN_REDUCE(name, ...)   #name,
#define TERN_REDUCE_1(name, ...) #name,
#define TERN_ALONG(name, ...)    #name,
#define TERN_SCAN(name, ...)     #name,
#include "tern_tensor_ops.def"
};

TEST(reductions) {
    static const Along cases[] = {{NULL, 1, {1, 0}, false},
                                  {NULL, 1, {0, 0}, true},
                                  {NULL, 2, {0, 2}, false},
                                  {NULL, 0, {2, 0}, false}};
    if (!begin("interp")) return;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        if (!strcmp(reductions[i], "any") || !strcmp(reductions[i], "all")) continue;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            Along along = cases[k];
            Input x = input_of(SHAPE(3, 4, 2), -2, 2);
            along.name = reductions[i];
            check_gradients(along.name, of_reduction, &along, &x, 1);
        }
    }
    end();
}

/* Zeros in a product: none, one, two in a row. */
TEST(products_with_zeros) {
    if (!begin("interp")) return;
    for (int scans = 0; scans < 2; scans++) {
        Along along = {scans ? "cumprod" : "prod", 1, {1, 0}, false};
        Input x = input_of(SHAPE(3, 5), 0.5, 2);
        x.values[6] = 0;
        x.values[11] = x.values[13] = 0;
        check_gradients(along.name, of_reduction, &along, &x, 1);
    }
    end();
}

static tern_tensor *of_norm(tern_tensor *const *in, const void *with) {
    int which = *(const int *)with;
    switch (which) {
    case 0: return tern_layer_norm(in[0], 1, in[1], in[2], 1e-5);
    case 1: return tern_rms_norm(in[0], 1, in[1], in[2], 1e-5);
    case 2: return tern_layer_norm(in[0], 2, NULL, NULL, 1e-5);
    case 3: return tern_rms_norm(in[0], 2, NULL, NULL, 1e-5);
    }
    return tern_layer_norm(tern_transpose(in[0], 0, 2), 1, NULL, NULL, 1e-5);
}

TEST(norms) {
    if (!begin("interp")) return;
    const Input inputs[] = {input_of(SHAPE(2, 3, 5), -2, 2), input_of(SHAPE(5), 0.5, 2),
                            input_of(SHAPE(5), -1, 1)};
    for (int which = 0; which < 5; which++)
        check_gradients("norm", of_norm, &which, inputs, which < 2 ? 3 : 1);
    end();
}

/* ---- others ---- */

static tern_tensor *index_of(const int64_t *values, int rank, const int64_t *shape) {
    return tern_from(session, values, TERN_INT64, rank, shape);
}

typedef struct Other {
    const char *name;
    Function *function;
    int num_inputs;
} Other;

static tern_tensor *a_matmul(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_matmul(in[0], in[1]);
}
static tern_tensor *a_vector_product(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_matmul(tern_select(in[0], 0, 1), tern_select(in[1], 1, 0));
}
static tern_tensor *a_linear(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_linear(tern_select(in[0], 0, 0), tern_transpose(in[1], 0, 1), NULL);
}
static tern_tensor *a_gather(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *index = index_of((const int64_t[]){0, 3, 3, 1, 3, 0}, SHAPE(3, 2, 1));
    return tern_gather(in[0], 2, index);
}
static tern_tensor *a_select_of_rows(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_index_select(in[0], 1, index_of((const int64_t[]){1, 0, 1, 1}, SHAPE(4)));
}
static tern_tensor *an_embedding(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_embedding(index_of((const int64_t[]){2, 0, 2, 2}, SHAPE(2, 2)), in[1]);
}
static tern_tensor *a_scatter(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *to = tern_transpose(in[1], 0, 1), *from = tern_select(in[0], 1, 0);
    return tern_scatter_add(to, 0, index_of((const int64_t[]){1, 4, 1, 0, 4, 4}, SHAPE(2, 3)),
                            tern_slice(from, 1, 0, 4, 1));
}
static tern_tensor *a_cat(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *flat = tern_reshape(in[0], 2, (const int64_t[]){6, 4});
    return tern_cat((tern_tensor *const[]){in[1], flat, in[1]}, 3, 0);
}
static tern_tensor *a_stack(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *row = tern_select(in[1], 0, 1);
    return tern_stack((tern_tensor *const[]){row, tern_exp(row)}, 2, -1);
}
static tern_tensor *triangles(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_add(tern_tril(in[0], 1), tern_triu(tern_square(in[0]), -1));
}
static tern_tensor *views(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *part = tern_at(in[0], "1:, :, 0:4:3");
    tern_tensor *turned = tern_permute(part, 3, (const int[]){2, 0, -2});
    return tern_square(tern_flatten(tern_squeeze_all(turned)));
}
static tern_tensor *of_strides(tern_tensor *const *in, const void *with) {
    (void)with;
    return tern_square(
        tern_as_strided(in[0], 2, (const int64_t[]){3, 2}, (const int64_t[]){7, 1}, 2));
}
static tern_tensor *conversions(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *copy = tern_clone(tern_contiguous(tern_transpose(in[0], 0, 1)));
    return tern_mul(copy, tern_to(tern_select(in[1], 0, 0), TERN_FLOAT64));
}
static tern_tensor *choices(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *is_large = tern_gt_number(in[0], 0.3), *row = tern_select(in[1], 0, 0);
    tern_tensor *a = tern_where(tern_of(is_large), tern_of(in[0]), tern_of(row));
    tern_tensor *b = tern_clamp(tern_of(in[0]), tern_of(row), tern_number(1.2));
    tern_tensor *c = tern_clamp(tern_of(in[0]), tern_number(-0.9), tern_of(row));
    return tern_add(a, tern_mul(b, c));
}
static tern_tensor *with_numbers(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *x = in[0], *y = tern_pow_number(x, 3);
    y = tern_add(y, tern_pow_number(x, 0));
    y = tern_add(y, tern_sub_number(tern_div_number(x, 3), 2));
    const tern_operand two[] = {tern_number(2), tern_of(x)};
    y = tern_mul(y, tern_op(TERN_OP_pow, two, 2, 0, 0));
    y = tern_add(y, tern_op(TERN_OP_sub, two, 2, 0, 0));
    return tern_add(y, tern_op(TERN_OP_div, two, 2, 0, 0));
}
/* A tensor that is written to, as a whole and in parts, between its uses. */
static tern_tensor *in_place(tern_tensor *const *in, const void *with) {
    (void)with;
    tern_tensor *x = tern_mul_number(in[0], 2), *row = tern_select(in[1], 0, 0);
    tern_tensor *first = tern_select(x, 0, 0), *before = tern_mul_number(first, 3);
    const tern_operand scaled[] = {tern_of(x), tern_of(row)};
    if (tern_op_into(x, TERN_OP_mul, scaled, 2, 0, 0)) return NULL;
    tern_tensor *part = tern_slice(first, 1, 1, 3, 1);
    if (tern_copy_into(part, tern_slice(row, 0, 0, 2, 1))) return NULL;
    const tern_operand halved[] = {tern_of(first), tern_number(0.5)};
    if (tern_op_into(first, TERN_OP_mul, halved, 2, 0, 0)) return NULL;
    tern_tensor *fresh = tern_zeros(session, TERN_FLOAT64, SHAPE(2, 4));
    if (tern_copy_into(tern_select(fresh, 0, 1), row)) return NULL;
    tern_tensor *sum = tern_add(tern_mul(x, part = tern_exp(row)), tern_select(fresh, 0, 1));
    return tern_add(sum, before);
}

TEST(other_ops) {
#define OTHER(name, count)                                                                         \
    { #name, name, count }
    static const Other others[] = {
        OTHER(a_matmul, 2), OTHER(a_vector_product, 2), OTHER(a_linear, 2),
        OTHER(a_gather, 1), OTHER(a_select_of_rows, 1), OTHER(a_scatter, 2),
        OTHER(a_cat, 2),    OTHER(a_stack, 2),          OTHER(triangles, 1),
        OTHER(views, 1),    OTHER(of_strides, 1),       OTHER(conversions, 2),
        OTHER(choices, 2),  OTHER(with_numbers, 1),     OTHER(in_place, 2)};
    static const char *const devices[] = {"interp", "cpu"};
    for (int k = 0; k < 2; k++) {
        if (!begin(devices[k])) return;
        const Input inputs[] = {input_of(SHAPE(3, 2, 4), 0.2, 2), input_of(SHAPE(4, 4), 0.3, 2)};
        const Input rows_of[] = {input_of(SHAPE(1), 0, 1), input_of(SHAPE(3, 5), -1, 1)};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            Input of[] = {inputs[0], inputs[1]};
            if (others[i].function == a_scatter) of[1] = input_of(SHAPE(3, 5), -1, 1);
            check_gradients(others[i].name, others[i].function, NULL, of, others[i].num_inputs);
        }
        tern_tensor *weight_of = tensor_of(&rows_of[1]), *in[] = {NULL, weight_of}, *gradient;
        CHECK(!tern_set_requires_grad(weight_of, true));
        CHECK(!tern_backward(tern_sum(an_embedding(in, NULL), NULL, 0, false), NULL, NULL));
        double got[15], want[15] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3};
        gradient = tern_gradient(weight_of);
        CHECK(gradient && !tern_to_host(gradient, got, sizeof got));
        CHECK(!memcmp(got, want, sizeof got));
        end();
    }
}

TEST_MAIN()
