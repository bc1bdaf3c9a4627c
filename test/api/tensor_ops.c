// SPDX-License-Identifier: Apache-2.0
/* Every row of tern_tensor_ops.def, over types and layouts, against float64 from the C library and
 * from loops written here; and the strides of results. A row without a reference here fails. */
#include "tern_tensor.h"
#include "test.h"

/* ---- references of pointwise rows ---- */

static double ref_sign(double a) { return (a > 0) - (a < 0); }
static double ref_frac(double a) { return a - trunc(a); }
static double ref_square(double a) { return a * a; }
static double ref_relu(double a) { return a < 0 ? 0 : a; }
static double ref_neg(double a) { return -a; }
static double ref_copy(double a) { return a; }
static double ref_rsqrt(double a) { return 1 / sqrt(a); }
static double ref_reciprocal(double a) { return 1 / a; }
static double ref_sigmoid(double a) { return 1 / (1 + exp(-a)); }
static double ref_gelu(double a) { return a * 0.5 * erfc(-a / sqrt(2.0)); }
static double ref_gelu_tanh(double a) {
    return 0.5 * a * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (a + 0.044715 * a * a * a)));
}
static double ref_silu(double a) { return a * ref_sigmoid(a); }
static double ref_log_sigmoid(double a) { return -log1p(exp(-a)); }
static double ref_leaky_relu(double a) { return a > 0 ? a : a * 0.25; }
static double ref_elu(double a) { return a > 0 ? a : 0.25 * expm1(a); }
static double ref_softplus(double a) { return a * 0.25 > 1.5 ? a : log1p(exp(a * 0.25)) / 0.25; }
static double ref_isnan(double a) { return isnan(a) != 0; }
static double ref_isinf(double a) { return isinf(a) != 0; }
static double ref_isfinite(double a) { return isfinite(a) != 0; }
static double ref_logical_not(double a) { return a == 0; }
static double ref_bitwise_not(double a) { return -a - 1; }

static double ref_add(double a, double b) { return a + b; }
static double ref_sub(double a, double b) { return a - b; }
static double ref_mul(double a, double b) { return a * b; }
static double ref_div(double a, double b) { return a / b; }
/* Python's: the remainder has the divisor's sign, and the quotient goes with it. */
static double ref_remainder(double a, double b) {
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static double ref_floor_divide(double a, double b) {
    if (b == 0) return a / b;
    if (isinf(b) && isfinite(a)) return a != 0 && (a < 0) != (b < 0) ? -1 : 0;
    return rint((a - ref_remainder(a, b)) / b);
}
static double ref_maximum(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmax(a, b); }
static double ref_minimum(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmin(a, b); }
static double ref_eq(double a, double b) { return a == b; }
static double ref_ne(double a, double b) { return a != b; }
static double ref_lt(double a, double b) { return a < b; }
static double ref_le(double a, double b) { return a <= b; }
static double ref_gt(double a, double b) { return a > b; }
static double ref_ge(double a, double b) { return a >= b; }
static double ref_logical_and(double a, double b) { return a != 0 && b != 0; }
static double ref_logical_or(double a, double b) { return a != 0 || b != 0; }
static double ref_logical_xor(double a, double b) { return (a != 0) != (b != 0); }
static double ref_bitwise_and(double a, double b) { return (double)((int64_t)a & (int64_t)b); }
static double ref_bitwise_or(double a, double b) { return (double)((int64_t)a | (int64_t)b); }
static double ref_bitwise_xor(double a, double b) { return (double)((int64_t)a ^ (int64_t)b); }
static double ref_bitwise_left_shift(double a, double b) {
    return b < 0 || b > 63 ? 0 : (double)(int64_t)((uint64_t)(int64_t)a << (int)b);
}
static double ref_bitwise_right_shift(double a, double b) {
    return (double)((int64_t)a >> (b < 0 || b > 63 ? 63 : (int)b));
}

typedef struct Reference {
    const char *name;
    double (*unary)(double);
    double (*binary)(double, double);
} Reference;
#define OWN_1(name)                                                                                \
    { #name, ref_##name, NULL }
#define C_1(name)                                                                                  \
    { #name, name, NULL }
#define OWN_2(name)                                                                                \
    { #name, NULL, ref_##name }
#define C_2(name)                                                                                  \
    { #name, NULL, name }
static const Reference references[] = {
    OWN_1(copy),
    OWN_1(neg),
    {"abs", fabs, NULL},
    OWN_1(sign),
    OWN_1(square),
    C_1(floor),
    C_1(ceil),
    {"round", rint, NULL},
    C_1(trunc),
    OWN_1(frac),
    OWN_1(relu),
    C_1(exp),
    C_1(exp2),
    C_1(expm1),
    C_1(log),
    C_1(log2),
    C_1(log10),
    C_1(log1p),
    C_1(sqrt),
    OWN_1(rsqrt),
    OWN_1(reciprocal),
    C_1(sin),
    C_1(cos),
    C_1(tan),
    C_1(asin),
    C_1(acos),
    C_1(atan),
    C_1(sinh),
    C_1(cosh),
    C_1(tanh),
    C_1(asinh),
    C_1(acosh),
    C_1(atanh),
    C_1(erf),
    OWN_1(sigmoid),
    OWN_1(gelu),
    OWN_1(gelu_tanh),
    OWN_1(silu),
    OWN_1(log_sigmoid),
    OWN_1(leaky_relu),
    OWN_1(elu),
    OWN_1(softplus),
    OWN_1(isnan),
    OWN_1(isinf),
    OWN_1(isfinite),
    OWN_1(logical_not),
    OWN_1(bitwise_not),
    OWN_2(add),
    OWN_2(sub),
    OWN_2(mul),
    OWN_2(div),
    OWN_2(floor_divide),
    OWN_2(remainder),
    C_2(fmod),
    C_2(pow),
    OWN_2(maximum),
    OWN_2(minimum),
    C_2(fmax),
    C_2(fmin),
    C_2(atan2),
    C_2(hypot),
    C_2(copysign),
    OWN_2(eq),
    OWN_2(ne),
    OWN_2(lt),
    OWN_2(le),
    OWN_2(gt),
    OWN_2(ge),
    OWN_2(logical_and),
    OWN_2(logical_or),
    OWN_2(logical_xor),
    OWN_2(bitwise_and),
    OWN_2(bitwise_or),
    OWN_2(bitwise_xor),
    OWN_2(bitwise_left_shift),
    OWN_2(bitwise_right_shift),
};

static const Reference *reference_of(const char *name) {
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (!strcmp(references[i].name, name)) return &references[i];
    return NULL;
}

/* Kind and name of each row, in the order of the table. */
typedef struct Row {
    const char *kind, *name;
} Row;
static const Row table[] = {
#define TERN_UNARY(name, ...)    {"UNARY", #name},
#define TERN_UNARY_1(name, ...)  {"UNARY_1", #name},
#define TERN_UNARY_2(name, ...)  {"UNARY_2", #name},
#define TERN_BINARY(name, ...)   {"BINARY", #name},
#define TERN_BINARY_2(name, ...) {"BINARY_2", #name},
#define TERN_TERNARY(name, ...)  {"TERNARY", #name},
#define TERN_TAKE(name, ...)     {"TAKE", #name},
#define TERN_PUT(name, ...)      {"PUT", #name},
#define TERN_REDUCE(name, ...)   {"REDUCE", #name},
#define TERN_REDUCE_1(name, ...) {"REDUCE_1", #name},
#define TERN_ARG(name, ...)      {"ARG", #name},
#define TERN_ALONG(name, ...)    {"ALONG", #name},
#define TERN_SCAN(name, ...)     {"SCAN", #name},
#define TERN_NORM(name, ...)     {"NORM", #name},
#define TERN_PRODUCT(name, ...)  {"PRODUCT", #name},
#include "tern_tensor_ops.def"
};

/* ---- tensors ---- */

static tern_context *context;
static tern_session *session;
static uint64_t seed;

static bool begin(const char *device) {
    char why[256];
    context = tern_open(&(tern_open_options){.device = device}, NULL, why, sizeof why);
    if (!context) {
        SKIP("the device is not here");
        return false;
    }
    session = tern_session_open(context);
    seed = 1;
    return session != NULL;
}

static void end(void) {
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

static double draw(void) { /* uniform in [0, 1): Knuth's MMIX generator */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / (double)(1ull << 53);
}

static double draw_value(tern_dtype dtype) {
    if (dtype == TERN_BOOL) return draw() < 0.5;
    if (!tern_dtype_is_float(dtype))
        return floor(draw() * 9) - (tern_dtype_is_signed(dtype) ? 4 : 0);
    double pick = draw();
    return pick < 0.02 ? NAN : pick < 0.04 ? INFINITY : pick < 0.06 ? 0 : draw() * 6 - 3;
}

typedef enum Layout {
    DENSE,
    TRANSPOSED,
    STEPPED,
    EXPANDED,
    ZERO_D,
    EMPTY,
    SHIFTED,
    NUM_LAYOUTS
} Layout;

static tern_tensor *make_dense(tern_dtype dtype, int rank, const int64_t *shape) {
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= shape[i];
    size_t size = tern_dtype_size(dtype);
    unsigned char *data = malloc((size_t)count * size + 1);
    for (int64_t i = 0; i < count && data; i++)
        tern_element_set_double(dtype, data + (size_t)i * size, draw_value(dtype));
    tern_tensor *tensor = data ? tern_from(session, data, dtype, rank, shape) : NULL;
    free(data);
    CHECK(tensor != NULL);
    return tensor;
}

/* 5 x 37, laid out in one of the ways; or without dimensions, or empty. */
static tern_tensor *make(tern_dtype dtype, Layout layout) {
    static const struct {
        int rank;
        int64_t shape[3];
    } bases[NUM_LAYOUTS] = {
        [DENSE] = {2, {5, 37}},     [TRANSPOSED] = {2, {37, 5}}, [STEPPED] = {2, {5, 111}},
        [EXPANDED] = {2, {5, 1}},   [ZERO_D] = {0, {0}},         [EMPTY] = {2, {0, 37}},
        [SHIFTED] = {3, {2, 5, 37}}};
    tern_tensor *base = make_dense(dtype, bases[layout].rank, bases[layout].shape), *view = NULL;
    switch (layout) {
    case DENSE:
    case ZERO_D:
    case EMPTY: return base;
    case TRANSPOSED: view = tern_transpose(base, 0, 1); break;
    case STEPPED: view = tern_at(base, ":, 1:111:3"); break;
    case EXPANDED: view = tern_expand(base, 2, (const int64_t[]){-1, 37}); break;
    case SHIFTED: view = tern_select(base, 0, 1); break;
    case NUM_LAYOUTS: break;
    }
    tern_drop(base);
    return view;
}

/* As doubles, row-major; tern_free's counterpart is free. */
static double *values_of(tern_tensor *tensor) {
    int64_t count = tern_numel(tensor);
    tern_dtype dtype = tern_tensor_dtype(tensor);
    size_t size = tern_dtype_size(dtype);
    unsigned char *raw = malloc((size_t)count * size + 1);
    double *values = malloc((size_t)count * sizeof *values + 1);
    CHECK(raw && values && !tern_to_host(tensor, raw, (size_t)count * size));
    for (int64_t i = 0; i < count; i++)
        values[i] = tern_element_double(dtype, raw + (size_t)i * size);
    free(raw);
    return values;
}

/* As a tensor's element would hold it. */
static double rounded(tern_dtype dtype, double value) {
    unsigned char element[8];
    tern_element_set_double(dtype, element, value);
    return tern_element_double(dtype, element);
}

static double bound_of(tern_dtype dtype) {
    return dtype == TERN_FLOAT16    ? 2e-3
           : dtype == TERN_BFLOAT16 ? 1.6e-2
           : dtype == TERN_FLOAT64  ? 1e-12
                                    : 2e-5;
}

static bool is_close(tern_dtype dtype, double got, double want) {
    if (isnan(want)) return isnan(got);
    if (!tern_dtype_is_float(dtype)) return got == want;
    want = rounded(dtype, want);
    return got == want || fabs(got - want) <= bound_of(dtype) * fmax(1, fabs(want));
}

static void check_values(const char *what, tern_tensor *got, const double *want) {
    double *values = values_of(got);
    int wrong = 0;
    for (int64_t i = 0; i < tern_numel(got) && wrong < 3; i++)
        if (!is_close(tern_tensor_dtype(got), values[i], want[i])) {
            wrong++;
            printf("%s [%lld]: %.17g, not %.17g\n", what, (long long)i, values[i], want[i]);
        }
    CHECK(!wrong);
    free(values);
}

/* ---- pointwise ---- */

static bool is_word(const char *word, const char *const *words) {
    for (; *words; words++)
        if (!strcmp(word, *words)) return true;
    return false;
}

/* Where the double's result is not what the type's has: refused, or checked elsewhere. */
static bool takes(const char *name, tern_dtype dtype) {
    static const char *const ints_only[] = {"bitwise_not", "bitwise_and", "bitwise_or",
                                            "bitwise_xor", NULL};
    static const char *const floats_only[] = {"gelu",       "gelu_tanh", "silu",     "log_sigmoid",
                                              "leaky_relu", "elu",       "softplus", "frac",
                                              "hypot",      NULL};
    static const char *const no_zero[] = {"floor_divide", "remainder", "fmod", "pow", NULL};
    static const char *const shifts[] = {"bitwise_left_shift", "bitwise_right_shift", NULL};
    bool floats = tern_dtype_is_float(dtype);
    if (is_word(name, shifts)) return dtype == TERN_INT64; /* others: test/host/indexing.py */
    if (floats && is_word(name, ints_only)) return false;
    if (!floats && (is_word(name, floats_only) || is_word(name, no_zero))) return false;
    return true;
}

/* Fields that change sign with a zero's, or are not continuous where rounding moves them. */
static double result_of(const Reference *reference, double a, double b, tern_dtype result) {
    double want = reference->unary ? reference->unary(a) : reference->binary(a, b);
    if (result == TERN_BOOL) return want != 0;
    return tern_dtype_is_float(result) ? want : rounded(result, want);
}

static void check_pointwise(int op, const Row *row, tern_dtype dtype, Layout first, Layout second) {
    const Reference *reference = reference_of(row->name);
    bool binary = !strcmp(row->kind, "BINARY");
    tern_tensor *a = make(dtype, first), *b = binary ? make(dtype, second) : NULL;
    const tern_operand operands[] = {tern_of(a), tern_of(b)};
    tern_tensor *y = tern_op((tern_op_id)op, operands, 1 + binary, 0.25, 1.5);
    if (!y) printf("%s: %s\n", row->name, tern_message(context));
    CHECK(y != NULL);
    if (y) {
        int64_t count = tern_numel(y), of_a = tern_numel(a);
        double *x = values_of(a), *z = b ? values_of(b) : NULL,
               *want = malloc((size_t)count * 8 + 1);
        for (int64_t i = 0; i < count && want; i++)
            want[i] = result_of(reference, x[of_a == 1 ? 0 : i],
                                z ? z[tern_numel(b) == 1 ? 0 : i] : 0, tern_tensor_dtype(y));
        char what[80];
        snprintf(what, sizeof what, "%s %s layouts %d %d", row->name, tern_dtype_name(dtype), first,
                 second);
        check_values(what, y, want);
        free(x);
        free(z);
        free(want);
    }
    tern_drop(a);
    tern_drop(b);
    tern_drop(y);
}

static void check_all_pointwise(const char *device, const tern_dtype *dtypes, int num_dtypes,
                                int num_layouts) {
    if (!begin(device)) return;
    for (int op = 0; op < TERN_NUM_OPS; op++) {
        const Row *row = &table[op];
        CHECK_STR(row->name, tern_op_name((tern_op_id)op));
        if (strncmp(row->kind, "UNARY", 5) != 0 && strcmp(row->kind, "BINARY") != 0) continue;
        if (!reference_of(row->name)) printf("no reference for %s\n", row->name);
        CHECK(reference_of(row->name) != NULL);
        for (int i = 0; i < num_dtypes && reference_of(row->name); i++)
            for (int layout = 0; layout < num_layouts && takes(row->name, dtypes[i]); layout++) {
                if (dtypes[i] == TERN_BOOL &&
                    (!strcmp(row->name, "neg") || !strcmp(row->name, "sub") ||
                     !strcmp(row->name, "abs") || !strcmp(row->name, "relu") ||
                     !strcmp(row->name, "floor") || !strcmp(row->name, "ceil") ||
                     !strcmp(row->name, "round") || !strcmp(row->name, "trunc") ||
                     !strcmp(row->name, "bitwise_not")))
                    continue;
                Layout first = (Layout)layout, second = (Layout)((layout * 3 + op) % NUM_LAYOUTS);
                if ((first == EMPTY) != (second == EMPTY)) second = first;
                check_pointwise(op, row, dtypes[i], first, second);
            }
    }
    end();
}

TEST(pointwise_on_interp) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32, TERN_FLOAT64, TERN_FLOAT16, TERN_BFLOAT16,
                                        TERN_INT32,   TERN_INT64,   TERN_INT8,    TERN_BOOL};
    check_all_pointwise("interp", dtypes, 8, NUM_LAYOUTS);
}

TEST(pointwise_on_cpu) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32};
    check_all_pointwise("cpu", dtypes, 1, 2);
}

/* ---- rows ---- */

/* Of one row of n values, in double: one number, or, of kinds that keep the shape, n of them. */
static void reference_row(const char *name, const double *x, int n, double *y) {
    double sum = 0, product = 1, high = -INFINITY, low = INFINITY, squares = 0, spread = 0,
           exps = 0;
    int any = 0, all = 1, at_high = 0, at_low = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i], product *= x[i], squares += x[i] * x[i];
        any |= x[i] != 0, all &= x[i] != 0;
        if (x[i] > high) at_high = i;
        if (x[i] < low) at_low = i;
        high = isnan(x[i]) || isnan(high) ? NAN : fmax(high, x[i]);
        low = isnan(x[i]) || isnan(low) ? NAN : fmin(low, x[i]);
        if (isnan(x[i]) && !isnan(x[at_high])) at_high = i;
        if (isnan(x[i]) && !isnan(x[at_low])) at_low = i;
    }
    for (int i = 0; i < n; i++) {
        spread += (x[i] - sum / n) * (x[i] - sum / n);
        exps += exp(x[i] - high);
    }
    const struct {
        const char *name;
        double value;
    } single[] = {{"sum", sum},
                  {"prod", product},
                  {"mean", sum / n},
                  {"amax", high},
                  {"amin", low},
                  {"any", any},
                  {"all", all},
                  {"logsumexp", isinf(high) ? high : high + log(exps)},
                  {"norm", sqrt(squares)},
                  {"var", spread / (n > 1 ? n - 1 : 0)},
                  {"std", sqrt(spread / (n > 1 ? n - 1 : 0))},
                  {"argmax", at_high},
                  {"argmin", at_low}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (!strcmp(single[i].name, name)) {
            *y = single[i].value;
            return;
        }
    double before = !strcmp(name, "cumprod") ? 1 : 0;
    for (int i = 0; i < n; i++) {
        if (!strcmp(name, "cumsum")) y[i] = before += x[i];
        if (!strcmp(name, "cumprod")) y[i] = before *= x[i];
        if (!strcmp(name, "softmax")) y[i] = exp(x[i] - high) / exps;
        if (!strcmp(name, "log_softmax")) y[i] = x[i] - high - log(exps);
        if (!strcmp(name, "layer_norm")) y[i] = (x[i] - sum / n) / sqrt(spread / n + 1e-5);
        if (!strcmp(name, "rms_norm")) y[i] = x[i] / sqrt(squares / n + 1e-5);
    }
}

static tern_tensor *call_row(const char *name, tern_tensor *x, int dim, bool keepdim) {
#define TERN_REDUCE(op, ...)                                                                       \
    if (!strcmp(name, #op)) return tern_##op(x, &dim, 1, keepdim);
#define TERN_REDUCE_1(op, ...)                                                                     \
    if (!strcmp(name, #op)) return tern_##op(x, &dim, 1, keepdim, 1);
#define TERN_ARG(op, ...)                                                                          \
    if (!strcmp(name, #op)) return tern_##op(x, dim, keepdim);
#define TERN_ALONG(op, ...)                                                                        \
    if (!strcmp(name, #op)) return tern_##op(x, dim);
#define TERN_SCAN(op, ...)                                                                         \
    if (!strcmp(name, #op)) return tern_##op(x, dim);
#define TERN_NORM(op, ...)                                                                         \
    if (!strcmp(name, #op)) return tern_##op(x, 1, NULL, NULL, 1e-5);
#include "tern_tensor_ops.def"
    return NULL;
}

static bool keeps_shape(const char *kind) {
    return !strcmp(kind, "ALONG") || !strcmp(kind, "SCAN") || !strcmp(kind, "NORM");
}

/* x is [outer, n, inner] for the dimension that is asked for. */
static void check_row(const Row *row, tern_tensor *x, int dim, bool keepdim) {
    const int64_t *shape = tern_shape(x);
    int64_t outer = 1, inner = 1, n = shape[dim];
    for (int d = 0; d < dim; d++) outer *= shape[d];
    for (int d = dim + 1; d < tern_rank(x); d++) inner *= shape[d];
    bool keeps = keeps_shape(row->kind);
    tern_tensor *y = call_row(row->name, x, dim, keepdim);
    if (!y) printf("%s: %s\n", row->name, tern_message(context));
    CHECK(y != NULL);
    if (!y) return;
    CHECK(tern_numel(y) == (keeps ? outer * n * inner : outer * inner));
    CHECK(tern_rank(y) == tern_rank(x) - !(keeps || keepdim));
    double *values = values_of(x), *want = malloc((size_t)tern_numel(y) * 8 + 1);
    double *line = malloc((size_t)n * 8), *made = malloc((size_t)n * 8);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            for (int64_t k = 0; k < n; k++) line[k] = values[(o * n + k) * inner + i];
            reference_row(row->name, line, (int)n, made);
            for (int64_t k = 0; k < (keeps ? n : 1); k++)
                want[keeps ? (o * n + k) * inner + i : o * inner + i] = made[k];
        }
    char what[80];
    tern_dtype dtype = tern_tensor_dtype(y);
    for (int64_t i = 0; i < tern_numel(y); i++)
        if (!tern_dtype_is_float(dtype)) want[i] = rounded(dtype, want[i]);
    snprintf(what, sizeof what, "%s %s dim %d of %d", row->name,
             tern_dtype_name(tern_tensor_dtype(x)), dim, (int)n);
    check_values(what, y, want);
    free(values), free(want), free(line), free(made);
    tern_drop(y);
}

static bool takes_row(const Row *row, tern_dtype dtype) {
    static const char *const any_type[] = {"sum",    "prod",   "amax",   "amin",    "any", "all",
                                           "argmax", "argmin", "cumsum", "cumprod", NULL};
    bool is_arg_of_bool = dtype == TERN_BOOL && !strcmp(row->kind, "ARG");
    return tern_dtype_is_float(dtype) || (is_word(row->name, any_type) && !is_arg_of_bool);
}

static void check_rows(const char *device, const tern_dtype *dtypes, int num_dtypes,
                       const int64_t (*shapes)[3], int num_shapes) {
    if (!begin(device)) return;
    for (int op = 0; op < TERN_NUM_OPS; op++)
        for (int t = 0; t < num_dtypes && takes_row(&table[op], dtypes[t]); t++)
            for (int i = 0; i < num_shapes; i++) {
                const Row *row = &table[op];
                if (!keeps_shape(row->kind) && strncmp(row->kind, "REDUCE", 6) != 0 &&
                    strcmp(row->kind, "ARG") != 0)
                    continue;
                tern_tensor *x = make_dense(dtypes[t], 3, shapes[i]);
                tern_tensor *turned = tern_permute(x, 3, (const int[]){2, 0, 1});
                for (int dim = 0; dim < 3; dim++) {
                    if (!strcmp(row->kind, "NORM") && dim != 2) continue;
                    check_row(row, x, dim, dim == 1);
                    check_row(row, turned, dim, dim == 1);
                }
                tern_drop(x);
                tern_drop(turned);
            }
    end();
}

TEST(rows_on_interp) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32, TERN_FLOAT64, TERN_FLOAT16,
                                        TERN_INT16,   TERN_UINT8,   TERN_BOOL};
    static const int64_t shapes[][3] = {{3, 5, 7}, {1, 40, 1}, {2, 3, 130}};
    check_rows("interp", dtypes, 6, shapes, 3);
}

TEST(rows_longer_than_a_tile) {
    static const tern_dtype dtypes[] = {TERN_FLOAT64, TERN_INT32};
    static const int64_t shapes[][3] = {{2, 1, 1500}};
    check_rows("interp", dtypes, 2, shapes, 1);
}

TEST(rows_on_cpu) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32};
    static const int64_t shapes[][3] = {{2, 3, 70}};
    check_rows("cpu", dtypes, 1, shapes, 1);
}

/* sim executes the PTX, where promises of alignment become wide loads. */
TEST(some_on_sim) {
    if (!begin("sim")) return;
    static const struct {
        Layout layout;
        tern_dtype dtype;
    } cases[] = {{DENSE, TERN_FLOAT32},
                 {TRANSPOSED, TERN_FLOAT32},
                 {SHIFTED, TERN_FLOAT16},
                 {STEPPED, TERN_INT64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_pointwise(TERN_OP_add, &table[TERN_OP_add], cases[i].dtype, cases[i].layout, DENSE);
    tern_tensor *x = make_dense(TERN_FLOAT32, 3, (const int64_t[]){2, 16, 64});
    for (int dim = 0; dim < 3; dim++) check_row(&table[TERN_OP_softmax], x, dim, false);
    check_row(&table[TERN_OP_sum], x, 2, false);
    check_row(&table[TERN_OP_argmax], x, 1, false);
    tern_drop(x);
    end();
}

/* ---- products ---- */

static void check_product(tern_dtype dtype, int64_t m, int64_t n, int64_t k, bool turned) {
    tern_tensor *a = make_dense(dtype, 3, (const int64_t[]){2, m, k});
    tern_tensor *b = turned ? make_dense(dtype, 2, (const int64_t[]){n, k})
                            : make_dense(dtype, 2, (const int64_t[]){k, n});
    double *x = values_of(a), *z = values_of(b), *want = malloc((size_t)(2 * m * n) * 8 + 1);
    for (int64_t i = 0; i < 2 * m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += x[i * k + l] * z[turned ? j * k + l : l * n + j];
            want[i * n + j] = tern_dtype_is_float(dtype) ? sum : rounded(dtype, sum);
        }
    tern_tensor *right = turned ? tern_transpose(b, 0, 1) : tern_keep(b);
    tern_tensor *y = tern_matmul(a, right);
    if (!y) printf("matmul: %s\n", tern_message(context));
    CHECK(y && tern_rank(y) == 3 && tern_numel(y) == 2 * m * n);
    if (y) check_values("matmul", y, want);
    free(x), free(z), free(want);
    tern_drop(a), tern_drop(b), tern_drop(right), tern_drop(y);
}

TEST(products) {
    static const char *const devices[] = {"interp", "cpu"};
    for (int i = 0; i < 2; i++) {
        if (!begin(devices[i])) return;
        check_product(TERN_FLOAT32, 5, 7, 9, false);
        check_product(TERN_FLOAT32, 40, 37, 70, true);
        check_product(TERN_INT32, 5, 33, 9, true);
        if (!i) {
            check_product(TERN_FLOAT64, 17, 3, 20, false);
            check_product(TERN_FLOAT16, 1, 40, 16, true);
            check_product(TERN_INT8, 3, 3, 50, false);
            check_product(TERN_FLOAT32, 3, 4, 0, false);
            check_product(TERN_FLOAT32, 0, 4, 5, false);
        } else { /* tiles of 128 x 256, on two threads */
            check_product(TERN_FLOAT32, 126, 250, 70, false);
            check_product(TERN_FLOAT32, 126, 250, 120, true);
        }
        end();
    }
}

/* ---- integers, where double has other rules; ops of three operands ---- */

TEST(integers_divide_as_python_does) {
    if (!begin("interp")) return;
    static const int32_t a[] = {7, -7, 7, -7, 0, INT32_MIN, INT32_MIN, INT32_MAX};
    static const int32_t b[] = {3, 3, -3, -3, 5, -1, 3, -2};
    static const int32_t divided[] = {2, -3, -3, 2, 0, INT32_MIN, -715827883, -1073741824};
    static const int32_t rest[] = {1, 2, -2, -1, 0, 0, 1, -1},
                         fmods[] = {1, -1, 1, -1, 0, 0, -2, 1};
    static const int64_t shape[] = {8};
    tern_tensor *x = tern_from(session, a, TERN_INT32, 1, shape);
    tern_tensor *z = tern_from(session, b, TERN_INT32, 1, shape);
    const struct {
        tern_tensor *got;
        const int32_t *want;
    } cases[] = {
        {tern_floor_divide(x, z), divided}, {tern_remainder(x, z), rest}, {tern_fmod(x, z), fmods}};
    for (int i = 0; i < 3; i++) {
        int32_t got[8];
        CHECK(cases[i].got && !tern_to_host(cases[i].got, got, sizeof got));
        CHECK(!memcmp(got, cases[i].want, sizeof got));
        tern_drop(cases[i].got);
    }
    static const uint8_t c[] = {200, 255, 9}, d[] = {255, 255, 255};
    tern_tensor *small = tern_from(session, c, TERN_UINT8, 1, (const int64_t[]){3});
    tern_tensor *by = tern_from(session, d, TERN_UINT8, 1, (const int64_t[]){3});
    tern_tensor *y = tern_remainder(small, by);
    uint8_t bytes[3];
    CHECK(y && !tern_to_host(y, bytes, 3) && bytes[0] == 200 && bytes[1] == 0 && bytes[2] == 9);
    tern_drop(y);
    static const int64_t base[] = {2, -1, -1, 3, 1, 7, -2}, power[] = {62, 101, -3, 40, -5, -1, 63};
    static const int64_t powers[] = {1ll << 62, -1, -1, -6289078614652622815, 1, 0, INT64_MIN};
    tern_tensor *p = tern_from(session, base, TERN_INT64, 1, (const int64_t[]){7});
    tern_tensor *q = tern_from(session, power, TERN_INT64, 1, (const int64_t[]){7});
    int64_t raised[7];
    y = tern_pow(p, q);
    CHECK(y && !tern_to_host(y, raised, sizeof raised) && !memcmp(raised, powers, sizeof raised));
    tern_drop(x), tern_drop(z), tern_drop(small), tern_drop(by), tern_drop(y), tern_drop(p),
        tern_drop(q);
    end();
}

/* A base that is repeated along what the exponent runs over, and powers that other ops are. */
TEST(powers) {
    if (!begin("interp")) return;
    static const int32_t two[] = {-2}, exponents[] = {0, 1, 3, 5};
    static const double numbers[] = {4, 0.25, -0.0, INFINITY};
    static const double far[] = {-INFINITY, -1, -2, 0.1, -0.0};
    tern_tensor *base = tern_from(session, two, TERN_INT32, 1, (const int64_t[]){1});
    tern_tensor *wide = tern_expand(base, 1, (const int64_t[]){4});
    tern_tensor *by = tern_from(session, exponents, TERN_INT32, 1, (const int64_t[]){4});
    tern_tensor *x = tern_from(session, numbers, TERN_FLOAT64, 1, (const int64_t[]){4});
    tern_tensor *made[] = {tern_pow(wide, by),      tern_pow_number(x, 2),
                           tern_pow_number(x, 0.5), tern_pow_number(x, -0.5),
                           tern_pow_integer(x, -1), tern_pow_integer(by, 2)};
    static const double wanted[][4] = {{1, -2, -8, -32},         {16, 0.0625, 0, INFINITY},
                                       {2, 0.5, -0.0, INFINITY}, {0.5, 2, -INFINITY, 0},
                                       {0.25, 4, -INFINITY, 0},  {0, 1, 9, 25}};
    for (int i = 0; i < 6; i++) check_values("pow", made[i], wanted[i]), tern_drop(made[i]);
    /* Of minus infinity by what is no whole number, and with all bits of the result. */
    tern_tensor *y = tern_from(session, far, TERN_FLOAT64, 1, (const int64_t[]){5});
    static const double powers[] = {2.5, 2.5, -0.5, 300, -1};
    tern_tensor *e = tern_from(session, powers, TERN_FLOAT64, 1, (const int64_t[]){5});
    tern_tensor *z = tern_pow(y, e);
    double got[5] = {0};
    CHECK(!tern_to_host(z, got, sizeof got));
    CHECK(isinf(got[0]) && got[0] > 0 && isnan(got[1]) && isnan(got[2]));
    CHECK(isinf(got[4]) && got[4] < 0);
    CHECK(fabs(got[3] / pow(0.1, 300) - 1) < 1e-15);
    tern_drop(y), tern_drop(e), tern_drop(z);
    tern_drop(base), tern_drop(wide), tern_drop(by), tern_drop(x);
    end();
}

TEST(where_and_clamp) {
    if (!begin("interp")) return;
    tern_tensor *x = tern_arange(session, TERN_FLOAT32, 0, 6, 1);
    tern_tensor *is_large = tern_gt_number(x, 2);
    tern_tensor *y = tern_where(tern_of(is_large), tern_of(x), tern_number(-1));
    tern_tensor *z = tern_clamp(tern_of(x), tern_number(1), tern_number(4));
    check_values("where", y, (const double[]){-1, -1, -1, 3, 4, 5});
    tern_tensor *bytes = tern_to(is_large, TERN_UINT8);
    tern_tensor *by_bytes = tern_where(tern_of(bytes), tern_of(x), tern_number(-1));
    check_values("where of bytes", by_bytes, (const double[]){-1, -1, -1, 3, 4, 5});
    tern_drop(bytes), tern_drop(by_bytes);
    check_values("clamp", z, (const double[]){1, 1, 2, 3, 4, 4});
    tern_drop(x), tern_drop(is_large), tern_drop(y), tern_drop(z);
    end();
}

/* Larger than what one program takes: pieces, and what is left over. */
static void whole(const char *device, int count) {
    if (!begin(device)) return;
    float *values = malloc((size_t)count * sizeof *values);
    double sum = 0, got[4] = {0}, least = 1e9, most = -1e9;
    for (int i = 0; i < count; i++) {
        values[i] = (float)((i * 7919LL) % 10007) - 5000.25f;
        if (i == count - 1) values[i] = 9000; /* the last one counts */
        sum += values[i];
        least = values[i] < least ? values[i] : least, most = values[i] > most ? values[i] : most;
    }
    tern_tensor *x = tern_from(session, values, TERN_FLOAT32, 1, (const int64_t[]){count});
    tern_tensor *results[] = {tern_sum(x, NULL, 0, false), tern_mean(x, NULL, 0, false),
                              tern_amax(x, NULL, 0, false), tern_amin(x, NULL, 0, false)};
    for (int i = 0; i < 4; i++)
        CHECK(results[i] && !tern_rank(results[i]) && !tern_item(results[i], &got[i]));
    CHECK(fabs(got[0] - sum) < 1e-6 * 5000 * count && fabs(got[1] - sum / count) < 1e-2);
    CHECK(got[2] == most && got[3] == least && most == 9000);
    for (int i = 0; i < 4; i++) tern_drop(results[i]);
    tern_drop(x);
    free(values);
    end();
}

TEST(a_large_tensor_becomes_a_number) {
    static const int counts[] = {(1 << 17) - 1, 1 << 17, (1 << 17) + 5, 1000003};
    for (int i = 0; i < 4; i++) {
        whole("cpu", counts[i]);
        if (i == 2) whole("interp", counts[i]);
    }
}

/* Places beyond 2^31, in memory that is reserved and hardly touched. */
TEST(indices_of_64_bits) {
    if (!begin("cpu")) return;
    const int64_t shape[] = {2, 5}, strides[] = {(INT64_C(1) << 31) + 7, 1};
    tern_tensor *far_apart = tern_empty_strided(session, TERN_INT8, 2, shape, strides);
    tern_tensor *x = tern_arange(session, TERN_INT8, 0, 10, 1), *rows = tern_view(x, 2, shape);
    if (!far_apart) {
        SKIP("no memory of 2 GB");
    } else {
        CHECK(!tern_copy_into(far_apart, rows));
        tern_tensor *sums = tern_sum(far_apart, (const int[]){0}, 1, false);
        if (sums) check_values("sum", sums, (const double[]){5, 7, 9, 11, 13});
        CHECK(sums != NULL);
        char *texts = tern_session_kernels(session);
        CHECK(texts && strstr(texts, "tl.program_id(0).to(tl.int64)"));
        tern_free(texts);
        tern_drop(sums);
    }
    tern_drop(far_apart), tern_drop(x), tern_drop(rows);
    end();
}

TEST_MAIN()
