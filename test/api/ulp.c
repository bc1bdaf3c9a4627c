// SPDX-License-Identifier: Apache-2.0
/* How far the functions of f32 are from the truth on a device: floats of all magnitudes, against
 * the C library's double functions. Prints the largest error of each, in units of the last place,
 * and holds it to the bound of doc/language.md: of a GPU, with the error of ex2.approx, rcp.approx
 * and the like, which sim has not; half of that is what cpu needs.
 *
 * On cpu and, fewer numbers, on sim; TERN_TEST_DEVICE names another device, TERN_ULP_STRIDE takes
 * every so many-th of all 2^32 floats. */
#include "tern.h"
#include "test.h"

typedef struct Function {
    const char *name, *expression;
    double (*exact)(double);
    double bound; /* ulp */
} Function;

/* On a GPU, unless precise: bound + slope * |x|. */
typedef struct Fast {
    const char *name;
    double bound, slope;
    bool flushes; /* subnormal arguments and results count as 0 */
} Fast;

static const Fast fast_functions[] = {
    {"exp", 2, 1.2, false}, {"exp2", 2.5, 0, true}, {"sqrt", 1.5, 0, true}, {"rsqrt", 3, 0, true}};

static double rsqrt(double x) { return 1 / sqrt(x); }
static double reciprocal(double x) { return 1 / x; }
static double exp10_of(double x) { return pow(10, x); }

static const Function functions[] = {
    {"exp", "tl.exp(v)", exp, 4},
    {"exp2", "tl.exp2(v)", exp2, 4},
    {"ld.exp", "libdevice.exp(v)", exp, 4},
    {"log", "tl.log(v)", log, 3},
    {"log2", "tl.log2(v)", log2, 4},
    {"sin", "tl.sin(v)", sin, 3},
    {"cos", "tl.cos(v)", cos, 3},
    {"sqrt", "tl.sqrt(v)", sqrt, 1.5},
    {"sqrt_rn", "tl.sqrt_rn(v)", sqrt, 0.5},
    {"rsqrt", "tl.rsqrt(v)", rsqrt, 3},
    {"rsqrt_rn", "libdevice.rsqrt_rn(v)", rsqrt, 0.5001},
    {"erf", "tl.erf(v)", erf, 2},
    {"tanh", "libdevice.tanh(v)", tanh, 5},
    {"1 / x", "1.0 / v", reciprocal, 2.5},
    {"div_rn", "tl.div_rn(1.0, v)", reciprocal, 0.5},
    {"exp10", "libdevice.exp10(v)", exp10_of, 1},
    {"log10", "libdevice.log10(v)", log10, 1},
    {"log1p", "libdevice.log1p(v)", log1p, 1},
    {"expm1", "libdevice.expm1(v)", expm1, 1},
    {"tan", "libdevice.tan(v)", tan, 1},
    {"atan", "libdevice.atan(v)", atan, 1},
    {"asin", "libdevice.asin(v)", asin, 1},
    {"acos", "libdevice.acos(v)", acos, 1},
    {"sinh", "libdevice.sinh(v)", sinh, 1},
    {"cosh", "libdevice.cosh(v)", cosh, 1},
    {"asinh", "libdevice.asinh(v)", asinh, 1},
    {"acosh", "libdevice.acosh(v)", acosh, 1},
    {"atanh", "libdevice.atanh(v)", atanh, 1},
    {"cbrt", "libdevice.cbrt(v)", cbrt, 1},
};

/* |got - want| in ulps of f32 at want; the distance of two NaNs is 0. Beyond the largest float want
 * counts as infinite. */
static double ulps(float got, double want) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (fabs(want) > 3.4028235677973366e38)
        return isinf(got) && (got > 0) == (want > 0) ? 0
               : fabs((double)got) > 3.40282e38      ? 1
                                                     : INFINITY;
    if (isinf(got)) return INFINITY;
    int exponent;
    frexp(want, &exponent);
    double ulp = ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
    return fabs((double)got - want) / ulp;
}

/* Whose numbers are those of the PTX. */
static bool on_gpu(tern_context *tern) {
    const char *name = tern_device_name(tern);
    return !strncmp(name, "cuda", 4) || !strncmp(name, "sim", 3);
}

static void compile_text(const char *expression, char *text, size_t size) {
    snprintf(
        text, size,
        "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
        "@triton.jit\ndef k(x, y, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + "
        "tl.arange(0, B)\n"
        "    v = tl.load(x + i, mask=i < n, other=1.0)\n    tl.store(y + i, %s, mask=i < n)\n",
        expression);
}

static const Fast *find_fast(const char *name) {
    for (size_t i = 0; i < sizeof fast_functions / sizeof *fast_functions; i++)
        if (!strcmp(fast_functions[i].name, name)) return &fast_functions[i];
    return NULL;
}

/* fast: NULL, or what the device may do to subnormal numbers. */
static double error_of(const Function *f, const Fast *fast, float x, float got) {
    double want = f->exact((double)x);
    bool flushes = fast && fast->flushes;
    if (flushes && fabs(want) < 0x1p-126 && got == 0) return 0;
    if (flushes && fabsf(x) < 0x1p-126f) want = f->exact((double)copysignf(0, x));
    return ulps(got, want);
}

typedef struct Numbers {
    tern_buffer *x, *y;
    float *in, *out;
    int count;
} Numbers;

static void sweep(tern_context *tern, const Function *f, const Numbers *numbers, bool precise) {
    char text[1024];
    compile_text(f->expression, text, sizeof text);
    tern_module *module = tern_load_text(tern, text, strlen(text), f->name);
    tern_kernel *kernel =
        module ? tern_compile(module, "k", "*fp32:16,*fp32:16,i32,1024",
                              &(tern_options){.size = sizeof(tern_options), .precise = precise})
               : NULL;
    CHECK(kernel != NULL);
    if (!kernel) {
        printf("%s: %s\n", f->name, tern_message(tern));
        return;
    }
    const float *in = numbers->in, *out = numbers->out;
    int n = numbers->count;
    tern_argument args[] = {tern_arg_buffer(numbers->x), tern_arg_buffer(numbers->y),
                            tern_arg_int(n)};
    const uint32_t grid[3] = {(uint32_t)(n + 1023) / 1024, 1, 1};
    CHECK(!tern_fill(numbers->y, 0xff) && !tern_launch(NULL, kernel, grid, args, 3));
    CHECK(!tern_read(numbers->y, 0, numbers->out, (size_t)n * sizeof *out));
    const Fast *fast = on_gpu(tern) && !precise ? find_fast(f->name) : NULL;
    double worst = 0, most = 0; /* most: part of what is allowed */
    int at = 0;
    for (int i = 0; i < n; i++) {
        double apart = error_of(f, fast, in[i], out[i]);
        double bound = fast ? fast->bound : f->bound;
        if (fast && fast->slope > 0 && apart > 0) bound += fast->slope * fabs((double)in[i]);
        double part = apart / bound;
        if (apart > worst) worst = apart, at = i;
        if (part > most) most = part;
    }
    printf("%-8s %9.3f ulp at %a: %a, %.0f %% of the bound\n", f->name, worst, (double)in[at],
           (double)out[at], 100 * most);
    CHECK(most <= 1);
    tern_kernel_free(kernel);
    tern_module_free(module);
}

/* False: the device does not open. */
static bool sweep_all(const char *device, int stride, bool precise) {
    tern_context *tern = tern_open(
        &(tern_open_options){.size = sizeof(tern_open_options), .device = device}, NULL, NULL, 0);
    if (!tern) return false;
    printf("%s%s\n", tern_device_name(tern), precise ? ", precise" : "");
    const char *given = getenv("TERN_ULP_STRIDE");
    if (given) stride = atoi(given);
    if (stride < 16) stride = 16;
    int n = (int)(4294967296.0 / stride);
    float *in = malloc((size_t)n * sizeof *in), *out = malloc((size_t)n * sizeof *out);
    for (int i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)i * (uint32_t)stride;
        memcpy(&in[i], &bits, sizeof bits);
    }
    tern_buffer *x = tern_alloc(tern, (size_t)n * sizeof *in),
                *y = tern_alloc(tern, (size_t)n * sizeof *out);
    CHECK(x && y && !tern_write(x, 0, in, (size_t)n * sizeof *in));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        sweep(tern, &functions[i], &(Numbers){x, y, in, out, n}, precise);
    free(in), free(out);
    tern_close(tern);
    return true;
}

TEST(functions_stay_within_their_bounds) {
    const char *device = getenv("TERN_TEST_DEVICE");
    if (!sweep_all(device ? device : "cpu", 4099, false)) SKIP("the device does not open");
}

TEST(functions_stay_within_their_bounds_on_gpus) {
    const char *device = getenv("TERN_TEST_DEVICE");
    bool is_cuda = device && !strncmp(device, "cuda", 4);
    for (int precise = 0; precise < 2; precise++)
        if (!sweep_all(is_cuda ? device : "sim", is_cuda ? 4099 : 1048573, precise))
            SKIP("the device does not open");
}

/* ---- f64, against long double: that has 11 bits more ---- */

typedef struct Function64 {
    const char *name, *expression;
    long double (*exact)(long double);
    double bound, bound_gpu; /* ulp; gen/ptx has its own functions of f64 */
} Function64;

static long double rsqrt_long(long double x) { return 1 / sqrtl(x); }
static long double reciprocal_long(long double x) { return 1 / x; }

static const Function64 functions64[] = {
    {"exp", "tl.exp(v)", expl, 2, 2},
    {"exp2", "tl.exp2(v)", exp2l, 2, 2},
    {"log", "tl.log(v)", logl, 2, 2},
    {"log2", "tl.log2(v)", log2l, 2, 2},
    {"sin", "tl.sin(v)", sinl, 2, 2},
    {"cos", "tl.cos(v)", cosl, 2, 2},
    {"sqrt", "tl.sqrt(v)", sqrtl, 0.501, 0.501},
    {"rsqrt", "tl.rsqrt(v)", rsqrt_long, 2, 2},
    {"erf", "tl.erf(v)", erfl, 2, 12},
    {"tanh", "libdevice.tanh(v)", tanhl, 3, 3},
    {"1 / x", "1.0 / v", reciprocal_long, 0.501, 0.501},
};

static double ulps64(double got, long double want) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (fabsl(want) > 1.7976931348623157e308L)
        return isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
    if (isinf(got)) return INFINITY;
    int exponent;
    frexpl(want, &exponent);
    return (double)(fabsl(got - want) / ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53));
}

static void sweep64(tern_context *tern, const Function64 *f, tern_buffer *x, tern_buffer *y,
                    const double *in, double *out, int n) {
    char text[1024];
    compile_text(f->expression, text, sizeof text);
    tern_module *module = tern_load_text(tern, text, strlen(text), f->name);
    tern_kernel *kernel =
        module ? tern_compile(module, "k", "*fp64:16,*fp64:16,i32,1024", NULL) : NULL;
    CHECK(kernel != NULL);
    if (!kernel) return;
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_int(n)};
    const uint32_t grid[3] = {(uint32_t)(n + 1023) / 1024, 1, 1};
    CHECK(!tern_fill(y, 0xff) && !tern_launch(NULL, kernel, grid, args, 3));
    CHECK(!tern_read(y, 0, out, (size_t)n * sizeof *out));
    double worst = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
        double apart = ulps64(out[i], f->exact((long double)in[i]));
        if (apart > worst) worst = apart, at = i;
    }
    printf("f64 %-8s %9.3f ulp at %a: %a\n", f->name, worst, in[at], out[at]);
    CHECK(worst <= (on_gpu(tern) ? f->bound_gpu : f->bound));
    tern_kernel_free(kernel);
    tern_module_free(module);
}

TEST(doubles_stay_within_their_bounds) {
    const char *device = getenv("TERN_TEST_DEVICE");
    tern_context *tern =
        tern_open(&(tern_open_options){.device = device ? device : "cpu"}, NULL, NULL, 0);
    if (!tern || sizeof(long double) < 10) {
        SKIP("the device does not open, or long double is no wider than double");
        return;
    }
    enum { COUNT64 = 200000 };
    double *in = malloc(COUNT64 * sizeof *in), *out = malloc(COUNT64 * sizeof *out);
    uint64_t bits = 1;
    for (int i = 0; i < COUNT64; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        uint64_t any = bits ^ bits >> 29;
        /* Half of all magnitudes, half between 2^-10 and 2^10. */
        if (i % 2) any = (any & 0x800fffffffffffffu) | (1013 + (any >> 52) % 20) << 52;
        memcpy(&in[i], &any, sizeof any);
    }
    tern_buffer *x = tern_alloc(tern, COUNT64 * sizeof *in),
                *y = tern_alloc(tern, COUNT64 * sizeof *out);
    CHECK(x && y && !tern_write(x, 0, in, COUNT64 * sizeof *in));
    for (size_t i = 0; i < sizeof functions64 / sizeof *functions64; i++)
        sweep64(tern, &functions64[i], x, y, in, out, COUNT64);
    free(in), free(out);
    tern_close(tern);
}

TEST_MAIN()
