// SPDX-License-Identifier: Apache-2.0
/* Rows that are cut into pieces: each op that is, of one long row, of some, of rows that lie side
 * by side and of every other element, with and without something left over, held against float64;
 * and in functions that are fused. */
#include "tensor_fixture.h"

#include <math.h>

typedef struct Layout {
    const char *name;
    int rows, length;
    bool is_turned, is_sparse; /* [length, rows]; every other element */
} Layout;

static const Layout layouts[] = {{"one", 1, (1 << 17) + 4093, false, false},
                                 {"even", 1, 1 << 18, false, false},
                                 {"some", 3, (1 << 17) + 1, false, false},
                                 {"turned", 40, 9001, true, false},
                                 {"sparse", 2, (1 << 17) + 77, false, true}};

typedef enum What {
    SUM,
    MEAN,
    AMAX,
    AMIN,
    PROD,
    NORM,
    VAR,
    STD,
    LSE,
    ANY,
    ALL,
    ARGMAX,
    ARGMIN,
    NUM_WHAT
} What;
static const char *const names[] = {"sum", "mean",      "amax", "amin", "prod",   "norm",  "var",
                                    "std", "logsumexp", "any",  "all",  "argmax", "argmin"};

static tern_tensor *reduced(What what, tern_tensor *x, int dim) {
    switch (what) {
    case SUM: return tern_sum(x, &dim, 1, false);
    case MEAN: return tern_mean(x, &dim, 1, false);
    case AMAX: return tern_amax(x, &dim, 1, false);
    case AMIN: return tern_amin(x, &dim, 1, false);
    case PROD: return tern_prod(x, &dim, 1, false);
    case NORM: return tern_norm(x, &dim, 1, false);
    case VAR: return tern_var(x, &dim, 1, false, 1);
    case STD: return tern_std(x, &dim, 1, false, 0);
    case LSE: return tern_logsumexp(x, &dim, 1, false);
    case ANY: return tern_any(x, &dim, 1, false);
    case ALL: return tern_all(x, &dim, 1, false);
    case ARGMAX: return tern_argmax(x, dim, false);
    case ARGMIN: return tern_argmin(x, dim, false);
    case NUM_WHAT: break;
    }
    return NULL;
}

/* By the definition, in float64. */
static double want(What what, const double *row, int n) {
    double sum = 0, squares = 0, exps = 0, product = 1, mean, apart = 0;
    int most = 0, least = 0, truths = 0;
    for (int i = 0; i < n; i++) {
        sum += row[i], squares += row[i] * row[i], product *= row[i], truths += row[i] != 0;
        if ((row[i] > row[most] || row[i] != row[i]) && row[most] == row[most]) most = i;
        if ((row[i] < row[least] || row[i] != row[i]) && row[least] == row[least]) least = i;
    }
    mean = sum / n;
    for (int i = 0; i < n; i++) {
        apart += (row[i] - mean) * (row[i] - mean);
        exps += exp(row[i] - row[most]);
    }
    switch (what) {
    case SUM: return sum;
    case MEAN: return mean;
    case AMAX: return row[most];
    case AMIN: return row[least];
    case PROD: return product;
    case NORM: return sqrt(squares);
    case VAR: return apart / (n - 1);
    case STD: return sqrt(apart / n);
    case LSE: return log(exps) + row[most];
    case ANY: return truths > 0;
    case ALL: return truths == n;
    case ARGMAX: return most;
    case ARGMIN: return least;
    case NUM_WHAT: break;
    }
    return 0;
}

/* Bits of a hash, so that each element matters and equals come again. */
static double number_at(int row, int i, tern_dtype dtype) {
    uint32_t bits = ((uint32_t)i * 31 + (uint32_t)row * 977 + 5) * 2654435761u >> 7;
    if (dtype == TERN_BOOL) return i != 70001 + row;
    if (!tern_dtype_is_float(dtype)) return (double)(bits % 200) - 99;
    if (dtype == TERN_FLOAT16) return ((double)(bits % 64) - 31) / 64;
    return (double)(bits % 2048) / 256 + 96; /* a mean far above what they are apart */
}

static tern_tensor *made(const Layout *of, tern_dtype dtype, double *values) {
    int step = of->is_sparse ? 2 : 1, R = of->rows, N = of->length;
    size_t count = (size_t)R * (size_t)N * (size_t)step, size = tern_dtype_size(dtype);
    unsigned char *data = calloc(count, size);
    for (int r = 0; r < R; r++)
        for (int i = 0; i < N; i++) {
            size_t at = of->is_turned ? (size_t)i * (size_t)R + (size_t)r
                                      : ((size_t)r * (size_t)N + (size_t)i) * (size_t)step;
            tern_element_set_double(dtype, data + at * size, number_at(r, i, dtype));
            values[(size_t)r * (size_t)N + (size_t)i] =
                tern_element_double(dtype, data + at * size);
        }
    tern_tensor *x = of->is_turned
                         ? tern_transpose(tern_from(session, data, dtype, SHAPE(N, R)), 0, 1)
                         : tern_from(session, data, dtype, SHAPE(R, (int64_t)N * step));
    if (of->is_sparse) x = tern_slice(x, 1, 0, (int64_t)N * step, step);
    free(data);
    return x;
}

static void check_rows(const char *name, const char *what, tern_tensor *got, const double *wanted,
                       int count, double bound) {
    double *values = malloc((size_t)count * sizeof *values);
    CHECK(got && tern_numel(got) == count);
    if (got && !tern_to_host(tern_to(got, TERN_FLOAT64), values, (size_t)count * sizeof *values))
        for (int i = 0; i < count; i++) {
            bool same =
                values[i] == wanted[i] || (values[i] != values[i] && wanted[i] != wanted[i]);
            bool close = fabs(values[i] - wanted[i]) <= bound * (1 + fabs(wanted[i]));
            CHECK(same || close);
            if (same || close) continue;
            fprintf(stderr, "    %s %s [%d]: %.17g, wanted %.17g\n", what, name, i, values[i],
                    wanted[i]);
            break;
        }
    else
        CHECK(!"values"), fprintf(stderr, "    %s %s: %s\n", what, name, tern_message(context));
    free(values);
}

static double bound_of(tern_dtype dtype) {
    return dtype == TERN_FLOAT64 ? 1e-11 : dtype == TERN_FLOAT16 ? 2e-3 : 3e-5;
}

static bool has(What what, tern_dtype dtype) {
    bool floats = what == MEAN || what == NORM || what == VAR || what == STD;
    if (what == PROD && dtype != TERN_FLOAT64) return false; /* it is infinite */
    if (dtype == TERN_BOOL) return what == ANY || what == ALL || what == SUM || what == AMIN;
    if (what == SUM && dtype == TERN_FLOAT16) return false; /* near 0, of large terms */
    return tern_dtype_is_float(dtype) || (!floats && what != LSE);
}

static void check_layout(const char *device, const Layout *of, tern_dtype dtype) {
    size_t count = (size_t)of->rows * (size_t)of->length;
    double *values = malloc(count * sizeof *values), wanted[64];
    CHECK(begin(device));
    tern_tensor *x = made(of, dtype, values);
    int before = tern_session_live_tensors(session);
    for (int what = 0; what < NUM_WHAT; what++) {
        if (!has((What)what, dtype)) continue;
        for (int r = 0; r < of->rows; r++)
            wanted[r] = want((What)what, values + (size_t)r * (size_t)of->length, of->length);
        tern_tensor *y = reduced((What)what, x, 1);
        CHECK(tern_session_live_tensors(session) == before + 1);
        check_rows(of->name, names[what], y, wanted, of->rows, bound_of(dtype));
        before = tern_session_live_tensors(session);
    }
    free(values);
    end();
}

TEST(reductions) {
    static const tern_dtype types[] = {TERN_FLOAT64, TERN_FLOAT16, TERN_INT32, TERN_BOOL};
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        check_layout("cpu", &layouts[l], TERN_FLOAT32);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        check_layout("cpu", &layouts[0], types[t]);
    check_layout("sim", &layouts[0], TERN_FLOAT32);
}

TEST(where_nothing_is_a_number) {
    enum { N = 1 << 18 };
    float *values = malloc(N * sizeof *values);
    for (int i = 0; i < N; i++) values[i] = (float)(i % 1000);
    values[200001] = NAN, values[250000] = NAN, values[3] = INFINITY;
    CHECK(begin("cpu"));
    tern_tensor *x = tern_from(session, values, TERN_FLOAT32, SHAPE(N));
    double got;
    CHECK(!tern_item(tern_argmax(x, 0, false), &got) && got == 200001);
    CHECK(!tern_item(tern_argmin(x, 0, false), &got) && got == 200001);
    CHECK(!tern_item(tern_amax(x, NULL, 0, false), &got) && got != got);
    CHECK(!tern_item(tern_var(x, NULL, 0, false, 1), &got) && got != got);
    end();
    free(values);
}

/* ---- running sums ---- */

static void check_scan(const char *device, const Layout *of, tern_dtype dtype, bool multiplies) {
    size_t count = (size_t)of->rows * (size_t)of->length;
    double *values = malloc(count * sizeof *values);
    CHECK(begin(device));
    tern_tensor *x = made(of, dtype, values);
    if (multiplies) { /* near 1, so that it stays finite */
        x = tern_add_number(tern_mul_number(tern_sub_number(x, 100), 1e-6), 1);
        tern_to_host(tern_to(tern_contiguous(x), TERN_FLOAT64), values, count * sizeof *values);
    }
    for (int r = 0; r < of->rows; r++) {
        double *row = values + (size_t)r * (size_t)of->length;
        for (int i = 1; i < of->length; i++)
            row[i] = multiplies ? row[i] * row[i - 1] : row[i] + row[i - 1];
    }
    check_rows(of->name, "scan", multiplies ? tern_cumprod(x, 1) : tern_cumsum(x, 1), values,
               (int)count, multiplies ? 100 * bound_of(dtype) : bound_of(dtype));
    free(values);
    end();
}

TEST(scans) {
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        check_scan("cpu", &layouts[l], TERN_FLOAT32, false);
    check_scan("cpu", &layouts[2], TERN_INT32, false);
    check_scan("cpu", &layouts[2], TERN_FLOAT64, true);
    check_scan("cpu", &layouts[0], TERN_FLOAT16, false);
}

/* ---- fused ---- */

static tern_status distance(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *apart = tern_square(tern_sub(in[0], in[1]));
    out[0] = tern_mean(apart, NULL, 0, false);
    out[1] = tern_var(tern_mul_number(in[0], 2), NULL, 0, false, 1);
    return TERN_OK;
}

TEST(functions_that_become_a_number) {
    static const char *const devices[] = {"interp", "cpu"};
    for (int d = 0; d < 2; d++) {
        CHECK(begin(devices[d]));
        double values[2 * 250 * 601], other[2 * 250 * 601], sum = 0, got, n = 2 * 250 * 601;
        const Layout of = {"fused", 2, 250 * 601, false, false};
        tern_tensor *x = made(&of, TERN_FLOAT32, values);
        tern_tensor *y = tern_flatten(made(&of, TERN_FLOAT32, other));
        x = tern_view(x, SHAPE(500, 601)), y = tern_mul_number(tern_view(y, SHAPE(500, 601)), 0.5);
        for (int i = 0; i < (int)n; i++) {
            sum += values[i] * values[i] * 0.25;
            other[i] = 2 * values[i];
        }
        tern_tensor *in[] = {x, y}, *out[2];
        tern_fused *fused = tern_fuse(session, "distance", distance, 2, 2, NULL);
        CHECK(!tern_fused_call(fused, in, out));
        CHECK(!tern_item(out[0], &got) && fabs(got - sum / n) < 1e-5 * sum / n);
        CHECK(!tern_item(out[1], &got) && fabs(got - want(VAR, other, (int)n)) < 1e-4 * got);
        char *plan = tern_fused_text(fused, TERN_FUSED_PLAN);
        CHECK(plan && !strstr(plan, "elements")); /* nothing of x is stored */
        tern_free(plan);
        tern_fused_free(fused);
        end();
    }
}

TEST_MAIN()
