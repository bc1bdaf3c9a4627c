// SPDX-License-Identifier: Apache-2.0
/* Functions of tern_tensor.h that are no rows of the table, against loops over double: sort, topk,
 * addmm, cross_entropy, scatter_add, dropout, random numbers; and a training step of an MLP. */
#include "tensor_fixture.h"

static void check_near(const char *what, tern_tensor *x, const double *want, double bound) {
    CHECK(x != NULL);
    if (!x) printf("%s: %s\n", what, tern_message(context));
    double *got = calloc(x ? (size_t)tern_numel(x) + 1 : 1, 8);
    tern_tensor *wide = tern_to(x, TERN_FLOAT64);
    if (wide && !tern_to_host(wide, got, (size_t)tern_numel(wide) * 8))
        for (int i = 0; i < tern_numel(x); i++) {
            bool near = got[i] == want[i] || fabs(got[i] - want[i]) <= bound * (1 + fabs(want[i]));
            if (!near) printf("%s[%d]: %.17g, not %.17g\n", what, i, got[i], want[i]);
            CHECK(near);
        }
    free(got);
}

static void fill(double *values, int count, double low, double high) {
    for (int i = 0; i < count; i++)
        values[i] = low + (high - low) * fmod(0.137 + 0.6180339887498949 * (i + 1), 1.0);
}

/* ---- order ---- */

TEST(sorted_rows) {
    if (!begin("interp")) return;
    const double nan = NAN, inf = INFINITY;
    const double x[] = {3, 1, nan, 1, -inf, 2, 0, 5, 5, nan, -1, inf};
    tern_tensor *values, *indices, *of = tern_from(session, x, TERN_FLOAT64, SHAPE(2, 6));
    CHECK(!tern_sort(of, -1, false, &values, &indices));
    static const double up[] = {4, 1, 3, 5, 0, 2, 4, 0, 1, 2, 5, 3};
    static const double down[] = {2, 0, 5, 1, 3, 4, 3, 5, 1, 2, 0, 4};
    check_near("up", indices, up, 0);
    CHECK(tern_tensor_dtype(indices) == TERN_INT64);
    CHECK(!tern_sort(of, 1, true, &values, &indices));
    check_near("down", indices, down, 0);
    CHECK(!tern_topk(of, 2, 1, false, &values, &indices));
    check_near("least", values, (const double[]){-inf, 1, -1, 0}, 0);
    static const int64_t large[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, 0};
    tern_tensor *whole = tern_from(session, large, TERN_INT64, SHAPE(2, 2));
    CHECK(!tern_sort(tern_transpose(whole, 0, 1), 1, false, &values, &indices));
    int64_t got[4];
    CHECK(!tern_to_host(values, got, sizeof got));
    CHECK(got[0] == INT64_MIN && got[1] == INT64_MAX && got[2] == 0 && got[3] == INT64_MAX - 1);
    CHECK(tern_topk(of, 7, 1, true, &values, &indices) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "selected index k out of range");
    CHECK(!values && !indices);
    CHECK(!tern_sort(tern_empty(session, TERN_FLOAT32, SHAPE(3, 0)), 1, false, &values, &indices));
    CHECK(tern_numel(values) == 0);
    end();
}

TEST(gradients_go_where_values_were) {
    if (!begin("interp")) return;
    tern_tensor *x = tern_from(session, (const double[]){3, 1, 2}, TERN_FLOAT64, SHAPE(3));
    tern_tensor *values, *indices;
    CHECK(!tern_set_requires_grad(x, true));
    CHECK(!tern_topk(x, 2, 0, true, &values, &indices));
    tern_tensor *g = tern_from(session, (const double[]){10, 20}, TERN_FLOAT64, SHAPE(2));
    CHECK(!tern_backward(values, g, NULL));
    check_near("gradient", tern_gradient(x), (const double[]){10, 0, 20}, 0);
    end();
}

/* ---- sums at places ---- */

TEST(added_at_places) {
    static const char *const devices[] = {"interp", "cpu"};
    static const tern_dtype dtypes[] = {TERN_FLOAT32, TERN_FLOAT64, TERN_FLOAT16, TERN_BFLOAT16,
                                        TERN_INT8,    TERN_UINT8,   TERN_INT32,   TERN_INT64};
    for (int i = 0; i < 16; i++) {
        if (i % 8 == 0 && !begin(devices[i / 8])) return;
        tern_tensor *x = tern_to(counted(SHAPE(4, 3)), dtypes[i % 8]);
        tern_tensor *source = tern_to(counted(SHAPE(5, 3)), dtypes[i % 8]);
        const int64_t at[] = {0, 3, 1, 0, 3, 1, 0, 3, 2};
        tern_tensor *index = tern_from(session, at, TERN_INT64, SHAPE(3, 3));
        tern_tensor *y = tern_scatter_add(x, 0, index, source);
        check_near("added", y, (const double[]){9, 1, 2, 3, 4, 12, 6, 7, 16, 9, 22, 11}, 0);
        CHECK(y && tern_tensor_dtype(y) == dtypes[i % 8]);
        check_near("before", x, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0);
        /* What is repeated, and turned. */
        tern_tensor *ones = tern_to(tern_ones(session, TERN_FLOAT32, SHAPE(1)), dtypes[i % 8]);
        tern_tensor *many = tern_expand(ones, SHAPE(3, 3));
        y = tern_scatter_add(tern_transpose(x, 0, 1), 1, tern_transpose(index, 0, 1), many);
        check_near("turned", y, (const double[]){3, 3, 6, 9, 1, 4, 7, 13, 2, 7, 9, 11}, 0);
        if (i % 8 < 7) continue;
        end();
    }
}

/* ---- products and losses ---- */

TEST(products_with_a_sum) {
    if (!begin("interp")) return;
    double a[15], b[20], c[4], want[12];
    fill(a, 15, -1, 1), fill(b, 20, -2, 1), fill(c, 4, 0, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            want[i * 4 + j] = 0.5 * c[j];
            for (int k = 0; k < 5; k++) want[i * 4 + j] -= 2 * a[i * 5 + k] * b[k * 4 + j];
        }
    tern_tensor *x = tern_from(session, a, TERN_FLOAT64, SHAPE(3, 5));
    tern_tensor *y = tern_from(session, b, TERN_FLOAT64, SHAPE(5, 4));
    tern_tensor *z = tern_from(session, c, TERN_FLOAT64, SHAPE(4));
    check_near("addmm", tern_addmm(z, x, y, 0.5, -2), want, 1e-12);
    CHECK(!tern_addmm(z, x, x, 1, 1));
    CHECK_STR(tern_message(context), "mat1 and mat2 shapes cannot be multiplied (3x5 and 3x5)");
    CHECK(!tern_addmm(z, z, x, 1, 1));
    CHECK_STR(tern_message(context), "mat1 must be a matrix, got 1-D tensor");
    end();
}

enum { ROWS = 5, CLASSES = 7 };

TEST(cross_entropies) {
    static const int64_t target[ROWS] = {0, 6, -100, 3, 3};
    double x[ROWS * CLASSES], w[CLASSES];
    fill(x, ROWS * CLASSES, -3, 3), fill(w, CLASSES, 0.5, 2);
    if (!begin("interp")) return;
    tern_tensor *logits = tern_from(session, x, TERN_FLOAT64, SHAPE(ROWS, CLASSES));
    tern_tensor *classes = tern_from(session, target, TERN_INT64, SHAPE(ROWS));
    tern_tensor *weight = tern_from(session, w, TERN_FLOAT64, SHAPE(CLASSES));
    for (int weighted = 0; weighted < 2; weighted++)
        for (int smoothed = 0; smoothed < 2; smoothed++) {
            double losses[ROWS] = {0}, sum = 0, total = 0, share = smoothed ? 0.1 : 0;
            for (int i = 0; i < ROWS; i++) {
                double of_row = 0, all = 0;
                if (target[i] < 0) continue;
                for (int k = 0; k < CLASSES; k++) of_row += exp(x[i * CLASSES + k]);
                for (int k = 0; k < CLASSES; k++)
                    all -= (weighted ? w[k] : 1) * (x[i * CLASSES + k] - log(of_row));
                double of_class = weighted ? w[target[i]] : 1;
                double picked = -(x[i * CLASSES + target[i]] - log(of_row)) * of_class;
                losses[i] = (1 - share) * picked + share / CLASSES * all;
                sum += losses[i];
                total += of_class;
            }
            tern_entropy_options options = {TERN_REDUCTION_NONE, -100, share};
            tern_tensor *of = weighted ? weight : NULL;
            check_near("each", tern_cross_entropy(logits, classes, of, &options), losses, 1e-12);
            options.reduction = TERN_REDUCTION_SUM;
            check_near("sum", tern_cross_entropy(logits, classes, of, &options), &sum, 1e-12);
            options.reduction = TERN_REDUCTION_MEAN;
            double mean = sum / total;
            check_near("mean", tern_cross_entropy(logits, classes, of, &options), &mean, 1e-12);
        }
    const int64_t wrong[ROWS] = {0, 7, 1, 2, 3};
    tern_tensor *outside = tern_from(session, wrong, TERN_INT64, SHAPE(ROWS));
    CHECK(!tern_cross_entropy(logits, outside, NULL, NULL));
    CHECK_STR(tern_message(context), "Target 7 is out of bounds.");
    CHECK(!tern_cross_entropy(logits, tern_slice(classes, 0, 0, 4, 1), NULL, NULL));
    CHECK_STR(tern_message(context),
              "Expected input batch_size (5) to match target batch_size (4).");
    end();
}

/* Whatever wins, the product is the same: of layouts that a library has, and of others. */
TEST(tuned_products) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32, TERN_FLOAT64, TERN_FLOAT16};
    if (!begin("cpu")) return;
    tern_tensor *a = tern_rand(session, TERN_FLOAT64, SHAPE(2, 70, 90));
    tern_tensor *b = tern_rand(session, TERN_FLOAT64, SHAPE(90, 100));
    tern_tensor *turned = tern_contiguous(tern_transpose(b, 0, 1));
    for (int i = 0; i < 3; i++) {
        tern_tensor *x = tern_to(a, dtypes[i]), *y = tern_to(b, dtypes[i]);
        tern_tensor *z = tern_transpose(tern_to(turned, dtypes[i]), 0, 1);
        tern_tensor *stepped = tern_slice(x, 2, 0, 90, 2);
        const int64_t shape[] = {2, 70, 90};
        tern_tensor *cases[][2] = {{x, y},
                                   {x, z},
                                   {tern_select(x, 0, 1), z},
                                   {tern_expand(tern_slice(x, 1, 0, 1, 1), 3, shape), y},
                                   {stepped, tern_slice(y, 0, 0, 45, 1)},
                                   {tern_transpose(x, 1, 2), tern_select(x, 0, 0)}};
        for (int k = 0; k < 6; k++) {
            tern_tensor *want = tern_matmul(cases[k][0], cases[k][1]);
            tern_session_tune(session, true);
            tern_tensor *first = tern_matmul(cases[k][0], cases[k][1]);
            tern_tensor *again = tern_matmul(cases[k][0], cases[k][1]);
            tern_session_tune(session, false);
            double *values = malloc((size_t)tern_numel(want) * 8);
            CHECK(!tern_to_host(tern_to(want, TERN_FLOAT64), values, (size_t)tern_numel(want) * 8));
            double bound = i == 0 ? 1e-5 : i == 1 ? 1e-12 : 2e-3;
            check_near("first", first, values, bound);
            check_near("again", again, values, bound);
            free(values);
        }
    }
    char *text = tern_session_tuned(session);
    CHECK(text && strstr(text, "matmul float32 [2, 70, 90] [90, 100]: "));
    /* where the cache folder has it from another time, nobody races */
    CHECK(text && (strstr(text, " won ") || strstr(text, "kept from before")));
    tern_free(text);
    end();
}

static tern_status two_layers(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *hidden = tern_gelu(tern_linear(in[0], in[1], in[2]));
    out[0] = tern_add(tern_matmul(hidden, in[1]), in[0]);
    out[1] = tern_sum(out[0], (const int[]){0}, 1, false);
    return TERN_OK;
}

/* Each of the two in all ways, in kernels with what follows them; what was tried is told. */
TEST(tuned_products_in_functions) {
    if (!begin("cpu")) return;
    tern_tensor *in[] = {tern_rand(session, TERN_FLOAT32, SHAPE(70, 96)),
                         tern_rand(session, TERN_FLOAT32, SHAPE(130, 96)),
                         tern_rand(session, TERN_FLOAT32, SHAPE(130))};
    tern_tensor *want[2], *got[2];
    CHECK(!two_layers(in, want, NULL));
    for (int tunes = 0; tunes < 2; tunes++) {
        tern_fused *fused = tern_fuse(session, "two_layers", two_layers, 3, 2, NULL);
        tern_session_tune(session, tunes);
        for (int call = 0; call < 2; call++) {
            CHECK(!tern_fused_call(fused, in, got));
            for (int i = 0; i < 2; i++) {
                bool close = false;
                CHECK(!tern_allclose(got[i], want[i], 1e-4, 1e-4, false, &close) && close);
            }
        }
        tern_session_tune(session, false);
        char *text = tern_session_tuned(session);
        CHECK(text &&
              (tunes != 0) == (strstr(text, "two_layers: 0: matmul float32 [70, 96]") != NULL));
        CHECK(!tunes || strstr(text, " won ") || strstr(text, "kept from before"));
        CHECK(!tunes || strstr(text, "two_layers: 3: matmul float32 [70, 130]"));
        if (tunes && getenv("TERN_VERBOSE")) puts(text);
        tern_free(text);
        tern_fused_free(fused);
    }
    end();
}

/* On cpu, factors of large products that lie turned are copied first, traced or not. */
static tern_status two_products(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *y = tern_relu(tern_matmul(tern_transpose(in[0], 0, 1), in[1]));
    out[0] = tern_keep(tern_matmul(y, tern_transpose(in[1], 0, 1)));
    return out[0] ? TERN_OK : tern_message_status(context);
}

TEST(large_factors_that_lie_turned) {
    if (!begin("cpu")) return;
    enum { SIZE = 259 };
    tern_tensor *x = tern_rand(session, TERN_FLOAT64, SHAPE(SIZE, SIZE));
    tern_tensor *w = tern_sub_number(tern_rand(session, TERN_FLOAT64, SHAPE(SIZE, SIZE)), 0.5);
    double *a = malloc(SIZE * SIZE * 8), *b = malloc(SIZE * SIZE * 8);
    double *y = calloc(SIZE * SIZE, 8), *z = calloc(SIZE * SIZE, 8);
    CHECK(!tern_to_host(x, a, SIZE * SIZE * 8) && !tern_to_host(w, b, SIZE * SIZE * 8));
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++)
            for (int j = 0; j < SIZE; j++) y[i * SIZE + j] += a[k * SIZE + i] * b[k * SIZE + j];
    for (int i = 0; i < SIZE * SIZE; i++) y[i] = y[i] < 0 ? 0 : y[i];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            for (int k = 0; k < SIZE; k++) z[i * SIZE + j] += y[i * SIZE + k] * b[j * SIZE + k];
    tern_tensor *in[] = {x, w}, *eager, *traced = NULL;
    for (int tunes = 0; tunes < 2; tunes++) {
        tern_fused *function = tern_fuse(session, "products", two_products, 2, 1, NULL);
        tern_session_tune(session, tunes);
        CHECK(!two_products(in, &eager, NULL) && !tern_fused_call(function, in, &traced));
        tern_session_tune(session, false);
        check_near("eager", eager, z, 1e-10);
        check_near("traced", traced, z, 1e-10);
        tern_drop(eager);
        tern_fused_free(function);
    }
    /* In all ways, with the copies or, of a library, without, the results were the same. */
    char *text = tern_session_tuned(session);
    CHECK(text && strstr(text, "products: 1: matmul float64 [259, 259] [259, 259]"));
    CHECK(text && !strstr(text, tern_candidate_word(TERN_CANDIDATE_WRONG)));
    tern_free(text);
    free(a), free(b), free(y), free(z);
    end();
}

/* ---- random numbers: those that PyTorch prints for a GPU and seed 0 ---- */

TEST(random_numbers) {
    static const double uniform[] = {0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967};
    static const double normal[] = {-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797};
    static const char *const devices[] = {"interp", "cpu"};
    for (int i = 0; i < 2; i++) {
        if (!begin(devices[i])) return;
        check_near("rand", tern_rand(session, TERN_FLOAT32, SHAPE(6)), uniform, 5e-5);
        tern_manual_seed(session, 0);
        check_near("randn", tern_randn(session, TERN_FLOAT32, SHAPE(2, 3)), normal, 5e-5);
        tern_tensor *next = tern_randn(session, TERN_FLOAT32, SHAPE(6)), *mean, *var;
        double first = 0, average, variance;
        CHECK(!tern_item(tern_select(next, 0, 0), &first) && fabs(first - normal[0]) > 1e-3);
        for (int wide = 0; wide < 2; wide++) {
            tern_tensor *many =
                tern_randn(session, wide ? TERN_FLOAT64 : TERN_FLOAT16, SHAPE(20001));
            mean = tern_mean(tern_to(many, TERN_FLOAT64), NULL, 0, false);
            var = tern_var(tern_to(many, TERN_FLOAT64), NULL, 0, false, 1);
            CHECK(!tern_item(mean, &average) && !tern_item(var, &variance));
            CHECK(fabs(average) < 0.03 && fabs(variance - 1) < 0.05);
        }
        tern_tensor *x = tern_ones(session, TERN_FLOAT32, SHAPE(100, 101));
        tern_tensor *left = tern_dropout(x, 0.25, true), *same = tern_dropout(x, 0.25, false);
        CHECK(!tern_item(tern_mean(left, NULL, 0, false), &average) && fabs(average - 1) < 0.03);
        CHECK(!tern_item(tern_amax(left, NULL, 0, false), &average));
        CHECK(fabs(average - 4.0 / 3) < 1e-6);
        CHECK(!tern_item(tern_amin(same, NULL, 0, false), &average) && average == 1);
        CHECK(!tern_dropout(x, 1.5, true));
        CHECK_STR(tern_message(context),
                  "dropout probability has to be between 0 and 1, but got 1.5");
        end();
    }
}

/* ---- an MLP: x @ w1.T + b1, gelu, @ w2.T + b2, cross entropy, AdamW ---- */

enum { BATCH = 6, IN = 5, HIDDEN = 8, NUM_PARAMETERS = 4, TRAINING_STEPS = 3, MOST = 64 };
static const int sizes[NUM_PARAMETERS] = {HIDDEN * IN, HIDDEN, CLASSES *HIDDEN, CLASSES};

typedef struct Mlp {
    double p[NUM_PARAMETERS][MOST], g[NUM_PARAMETERS][MOST], m[NUM_PARAMETERS][MOST],
        v[NUM_PARAMETERS][MOST];
} Mlp;

/* One row's part of the loss; adds to the gradients. */
static double mlp_row(Mlp *mlp, const double *x, int64_t target) {
    double a[HIDDEN], h[HIDDEN], z[CLASSES], sum = 0, of_h[HIDDEN] = {0};
    for (int j = 0; j < HIDDEN; j++) {
        a[j] = mlp->p[1][j];
        for (int k = 0; k < IN; k++) a[j] += x[k] * mlp->p[0][j * IN + k];
        h[j] = 0.5 * a[j] * (1 + erf(a[j] / sqrt(2)));
    }
    for (int c = 0; c < CLASSES; c++) {
        z[c] = mlp->p[3][c];
        for (int j = 0; j < HIDDEN; j++) z[c] += h[j] * mlp->p[2][c * HIDDEN + j];
        sum += exp(z[c]);
    }
    for (int c = 0; c < CLASSES; c++) {
        double of_z = (exp(z[c]) / sum - (c == target)) / BATCH;
        mlp->g[3][c] += of_z;
        for (int j = 0; j < HIDDEN; j++) {
            mlp->g[2][c * HIDDEN + j] += of_z * h[j];
            of_h[j] += of_z * mlp->p[2][c * HIDDEN + j];
        }
    }
    for (int j = 0; j < HIDDEN; j++) {
        double density = exp(-0.5 * a[j] * a[j]) / sqrt(2 * 3.14159265358979323846);
        double of_a = of_h[j] * (0.5 * (1 + erf(a[j] / sqrt(2))) + a[j] * density);
        mlp->g[1][j] += of_a;
        for (int k = 0; k < IN; k++) mlp->g[0][j * IN + k] += of_a * x[k];
    }
    return -(z[target] - log(sum)) / BATCH;
}

static void mlp_step(Mlp *mlp, int step) {
    for (int i = 0; i < NUM_PARAMETERS; i++)
        for (int k = 0; k < sizes[i]; k++) {
            double *m = &mlp->m[i][k], *v = &mlp->v[i][k], g = mlp->g[i][k];
            *m = 0.9 * *m + 0.1 * g;
            *v = 0.999 * *v + 0.001 * g * g;
            mlp->p[i][k] *= 1 - 0.05 * 0.01;
            double root = sqrt(*v / (1 - pow(0.999, step))) + 1e-8;
            mlp->p[i][k] -= 0.05 * *m / (1 - pow(0.9, step)) / root;
        }
}

static tern_tensor *mlp_loss(tern_tensor *const *p, tern_tensor *x, tern_tensor *target) {
    tern_tensor *hidden = tern_gelu(tern_linear(x, p[0], p[1]));
    return tern_cross_entropy(tern_linear(hidden, p[2], p[3]), target, NULL, NULL);
}

/* The same as one traced function: the loss, and the gradients of the parameters. */
static tern_status mlp_body(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *p[NUM_PARAMETERS];
    (void)user;
    for (int i = 0; i < NUM_PARAMETERS; i++) {
        p[i] = tern_detach(in[2 + i]);
        if (tern_set_requires_grad(p[i], true)) return TERN_ERROR_ARGUMENT;
    }
    tern_tensor *loss = mlp_loss(p, in[0], in[1]);
    tern_status status = tern_backward(loss, NULL, NULL);
    for (int i = 0; i < NUM_PARAMETERS; i++) out[1 + i] = tern_keep(tern_gradient(p[i]));
    out[0] = tern_keep(loss);
    return status;
}

static void train(const char *device, bool fused) {
    static const int64_t target[BATCH] = {0, 6, 2, 3, 3, 1};
    static const int64_t shapes[NUM_PARAMETERS][2] = {
        {HIDDEN, IN}, {HIDDEN, 0}, {CLASSES, HIDDEN}, {CLASSES, 0}};
    double x[BATCH * IN];
    Mlp mlp = {0};
    tern_tensor *p[NUM_PARAMETERS], *g[NUM_PARAMETERS], *m[NUM_PARAMETERS], *v[NUM_PARAMETERS];
    if (!begin(device)) return;
    fill(x, BATCH * IN, -1, 1);
    tern_tensor *input = tern_from(session, x, TERN_FLOAT64, SHAPE(BATCH, IN));
    tern_tensor *classes = tern_from(session, target, TERN_INT64, SHAPE(BATCH));
    for (int i = 0; i < NUM_PARAMETERS; i++) {
        fill(mlp.p[i], sizes[i], -0.5 - 0.01 * i, 0.5);
        p[i] = tern_from(session, mlp.p[i], TERN_FLOAT64, shapes[i][1] ? 2 : 1, shapes[i]);
        m[i] = tern_zeros_like(p[i]), v[i] = tern_zeros_like(p[i]);
        CHECK(!tern_set_requires_grad(p[i], true));
    }
    tern_fused *function =
        tern_fuse(session, "mlp", mlp_body, 2 + NUM_PARAMETERS, 1 + NUM_PARAMETERS, NULL);
    for (int step = 1; step <= TRAINING_STEPS; step++) {
        double loss = 0;
        memset(mlp.g, 0, sizeof mlp.g);
        for (int i = 0; i < BATCH; i++) loss += mlp_row(&mlp, x + i * IN, target[i]);
        mlp_step(&mlp, step);
        tern_tensor *in[2 + NUM_PARAMETERS] = {input, classes}, *out[1 + NUM_PARAMETERS] = {NULL};
        if (fused) {
            for (int i = 0; i < NUM_PARAMETERS; i++) in[2 + i] = tern_detach(p[i]);
            CHECK(!tern_fused_call(function, in, out));
        } else {
            out[0] = tern_keep(mlp_loss(p, input, classes));
            CHECK(!tern_backward(out[0], NULL, NULL));
            for (int i = 0; i < NUM_PARAMETERS; i++) out[1 + i] = tern_keep(tern_gradient(p[i]));
        }
        check_near("loss", out[0], &loss, 1e-12);
        for (int i = 0; i < NUM_PARAMETERS; i++) g[i] = out[1 + i];
        const tern_adam_options options = {0.05, 0.9, 0.999, 1e-8, 0.01, false, false, step};
        CHECK(!tern_adam_step(p, g, m, v, NUM_PARAMETERS, &options));
        for (int i = 0; i < NUM_PARAMETERS; i++) {
            check_near("parameter", p[i], mlp.p[i], 1e-10);
            CHECK(!tern_set_gradient(p[i], NULL));
        }
        for (int i = 0; i <= NUM_PARAMETERS; i++) tern_drop(out[i]);
    }
    tern_fused_free(function);
    end();
}

TEST(an_mlp_trains) {
    train("interp", false);
    train("cpu", false);
}

TEST(an_mlp_trains_as_one_function) {
    train("interp", true);
    train("cpu", true);
}

TEST_MAIN()
