// SPDX-License-Identifier: Apache-2.0
/* libdevice's functions of fp64 against the C library's long double, on interp, cpu and sim, within
 * the bounds of CUDA's own (CUDA C programming guide, "Mathematical functions"); what has one right
 * answer bit by bit. And the whole of Triton's libdevice, of each type: compiled, or refused by
 * name. */
#include "tern.h"
#include "test.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

enum { COUNT = 96 };
typedef long double Long;

/* ---- references ---- */

static Long erfcx_l(Long x) { return x == INFINITY ? 0 : expl(x * x) * erfcl(x); }
static Long normcdf_l(Long x) { return 0.5L * erfcl(-x * 0.707106781186547524400844L); }
static Long half_turns(Long x, bool is_cosine) {
    Long r = remainderl(x, 2), size = fabsl(r), pi = 3.14159265358979323846264L;
    if (is_cosine)
        return size == 0.5L ? 0 : size < 0.25L ? cosl(pi * size) : sinl(pi * (0.5L - size));
    return size == 0 || size == 1 ? 0
           : size > 0.5L          ? copysignl(sinl(pi * (1 - size)), r)
                                  : sinl(pi * r);
}
static Long sinpi_l(Long x) { return half_turns(x, false); }
static Long cospi_l(Long x) { return half_turns(x, true); }
static Long rcbrt_l(Long x) { return 1 / cbrtl(x); }
static Long exp10_l(Long x) { return powl(10, x); }

/* By halving: erfcl falls from 2 to 0. */
static Long erfcinv_l(Long y) {
    Long low = -30, high = 30;
    if (y < 0 || y > 2 || isnan(y)) return NAN;
    if (y == 0 || y == 1 || y == 2) return y == 1 ? 0 : (1 - y) * INFINITY;
    for (int i = 0; i < 120; i++) {
        Long middle = (low + high) / 2;
        *(erfcl(middle) > y ? &low : &high) = middle;
    }
    return low;
}
static Long erfinv_l(Long x) {
    Long low = 0, high = 30, goal = fabsl(x);
    if (goal == 0 || goal >= 1 || isnan(x)) return goal == 1 ? x * INFINITY : goal == 0 ? x : NAN;
    for (int i = 0; i < 160; i++) {
        Long middle = (low + high) / 2;
        *(erfl(middle) < goal ? &low : &high) = middle;
    }
    return copysignl(low, x);
}
static Long normcdfinv_l(Long p) { return -1.41421356237309504880L * erfcinv_l(2 * p); }

/* The series, all of whose terms have one sign. */
static Long bessel_i(Long x, int order) {
    Long q = x * x / 4, term = order ? x / 2 : 1, sum = 0;
    if (isinf(x) || isnan(x)) return order ? x : fabsl(x);
    for (int k = 1; k < 3000 && fabsl(term) > 0; k++)
        sum += term, term *= q / ((Long)k * (k + order));
    return sum;
}
static Long cyl_bessel_i0_l(Long x) { return bessel_i(x, 0); }
static Long cyl_bessel_i1_l(Long x) { return bessel_i(x, 1); }
static Long jn_l(Long x) { return jnl(7, x); }
static Long yn_l(Long x) { return x < 0 ? NAN : x == 0 ? -INFINITY : ynl(7, x); }
static Long y0_l(Long x) { return x < 0 ? NAN : x == 0 ? -INFINITY : y0l(x); }
static Long y1_l(Long x) { return x < 0 ? NAN : x == 0 ? -INFINITY : y1l(x); }

static Long norm3d_l(Long x, Long y) { return sqrtl(2 * x * x + y * y); }
static Long rnorm3d_l(Long x, Long y) { return 1 / norm3d_l(x, y); }
static Long rhypot_l(Long x, Long y) { return 1 / hypotl(x, y); }

typedef struct Row {
    const char *call;
    Long (*one)(Long);
    Long (*two)(Long, Long);
    double ulps, absolute, low, high;
} Row;
static const Row rows[] = {
    {"exp10(x)", exp10_l, NULL, 1, 0, -330, 330},
    {"log10(x)", log10l, NULL, 1, 0, 0, 100},
    {"log1p(x)", log1pl, NULL, 1, 0, -1, 3},
    {"expm1(x)", expm1l, NULL, 1, 0, -3, 720},
    {"tan(x)", tanl, NULL, 2, 0, -30, 30},
    {"atan(x)", atanl, NULL, 2, 0, -5, 5},
    {"asin(x)", asinl, NULL, 2, 0, -1, 1},
    {"acos(x)", acosl, NULL, 2, 0, -1, 1},
    {"sinh(x)", sinhl, NULL, 2, 0, -715, 50},
    {"cosh(x)", coshl, NULL, 1, 0, -715, 50},
    {"asinh(x)", asinhl, NULL, 3, 0, -10, 10},
    {"acosh(x)", acoshl, NULL, 3, 0, 1, 10},
    {"atanh(x)", atanhl, NULL, 2, 0, -1, 1},
    {"cbrt(x)", cbrtl, NULL, 1, 0, -100, 100},
    {"rcbrt(x)", rcbrt_l, NULL, 1, 0, -100, 100},
    {"sinpi(x)", sinpi_l, NULL, 2, 0, -9, 9},
    {"cospi(x)", cospi_l, NULL, 2, 0, -9, 9},
    {"erfc(x)", erfcl, NULL, 5, 0, -6, 28},
    {"erfcx(x)", erfcx_l, NULL, 4, 0, -20, 20},
    {"normcdf(x)", normcdf_l, NULL, 5, 0, -38, 8},
    {"erfinv(x)", erfinv_l, NULL, 5, 1e-18, -1, 1},
    {"erfcinv(x)", erfcinv_l, NULL, 6, 1e-18, 0, 2},
    {"normcdfinv(x)", normcdfinv_l, NULL, 8, 1e-18, 0, 1},
    {"lgamma(x)", lgammal, NULL, 4, 0, 0, 60},
    {"lgamma(x)", lgammal, NULL, 4, 1e-14, -30, 0},
    {"tgamma(x)", tgammal, NULL, 10, 0, -180, 172},
    {"tgamma(x)", tgammal, NULL, 10, 0, 0, 20},
    {"j0(x)", j0l, NULL, 7, 2e-15, -60, 60},
    {"j1(x)", j1l, NULL, 7, 2e-15, -60, 60},
    {"y0(x)", y0_l, NULL, 7, 2e-15, 0, 60},
    {"y1(x)", y1_l, NULL, 7, 2e-15, 0, 60},
    {"jn(7, x)", jn_l, NULL, 20, 2e-15, 0, 60},
    {"yn(7, x)", yn_l, NULL, 20, 2e-15, 0, 60},
    {"cyl_bessel_i0(x)", cyl_bessel_i0_l, NULL, 6, 0, -300, 300},
    {"cyl_bessel_i1(x)", cyl_bessel_i1_l, NULL, 6, 0, -300, 300},
    {"pow(x, y)", NULL, powl, 2, 0, 0, 30},
    {"atan2(x, y)", NULL, atan2l, 2, 0, -30, 30},
    {"hypot(x, y)", NULL, hypotl, 2, 0, -30, 30},
    {"rhypot(x, y)", NULL, rhypot_l, 1, 0, -30, 30},
    {"norm3d(x, y, x)", NULL, norm3d_l, 1, 0, -30, 30},
    {"rnorm3d(x, y, x)", NULL, rnorm3d_l, 1, 0, -30, 30},
    {"nextafter(x, y)", NULL, NULL, 0, 0, -1, 1},
    {"remainder(x, y)", NULL, NULL, 0, 0, -30, 30},
    {"fmod(x, y)", NULL, NULL, 0, 0, -30, 30},
    {"round(x)", NULL, NULL, 0, 0, -9, 9},
    {"copysign(x, y)", NULL, NULL, 0, 0, -9, 9},
    {"ldexp(x, n)", NULL, NULL, 0, 0, -9, 9},
    {"sqrt_rn(x)", NULL, NULL, 0, 0, 0, 9},
    {"logb(x)", NULL, NULL, 0, 0, -9, 9},
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

/* What has one right answer. */
static double exact(const char *call, double x, double y, int n) {
    if (!strncmp(call, "nextafter", 9)) return nextafter(x, y);
    if (!strncmp(call, "remainder", 9)) return remainder(x, y);
    if (!strncmp(call, "fmod", 4)) return fmod(x, y);
    if (!strncmp(call, "round", 5)) return round(x);
    if (!strncmp(call, "copysign", 8)) return copysign(x, y);
    if (!strncmp(call, "ldexp", 5)) return ldexp(x, n);
    if (!strncmp(call, "sqrt", 4)) return sqrt(x);
    return logb(x);
}

static const double odd[] = {0,
                             -0.0,
                             1,
                             -1,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             0x1p-1074,
                             -0x1p-1074,
                             DBL_MIN,
                             DBL_MAX,
                             0.5,
                             -DBL_MAX,
                             1e-310,
                             -0.5,
                             1.5,
                             2.5,
                             -2.5,
                             2,
                             -2,
                             0.25,
                             0.75,
                             0x1.fffffffffffffp-2,
                             1e-20,
                             1e300,
                             4503599627370497.0};
enum { NUM_ODD = sizeof odd / sizeof *odd };

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static void fill(double *x, double *y, double low, double high, uint64_t seed) {
    uint64_t state = seed;
    for (int i = 0; i < COUNT; i++) {
        double a = (double)next_random(&state) * 0x1p-53, b = (double)next_random(&state) * 0x1p-53;
        int power = (int)(next_random(&state) % 100);
        x[i] = low + a * (high - low);
        y[i] = -8 + 16 * b;
        if (i % 3 == 2) x[i] = ldexp(high > 0 ? x[i] - low : x[i], -power);
        if (i < NUM_ODD) x[i] = odd[i], y[i] = odd[(unsigned)(i * 7 + 3) % NUM_ODD];
    }
}

/* ---- roundings ---- */

static const char *const operations[] = {"add", "sub", "mul", "div", "fma", "rcp", "sqrt"};
static const struct {
    const char *suffix;
    int mode;
} ways[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};
enum { NUM_ROUNDED = 7 * 4 };

static double rounded(int operation, int mode, double a, double b) {
    volatile double x = a, y = b, r = 0;
    fesetround(mode);
    if (operation == 0) r = x + y;
    if (operation == 1) r = x - y;
    if (operation == 2) r = x * y;
    if (operation == 3) r = x / y;
    if (operation == 4) r = fma(x, y, -x);
    if (operation == 5) r = 1 / x;
    if (operation == 6) r = sqrt(x);
    fesetround(FE_TONEAREST);
    return r;
}

/* ---- running them, all in one kernel ---- */

/* cpu: to a C compiler all of them are seconds of work; a quarter unless TERN_TEST_ALL is set. */
static bool is_run(const char *device, int r) {
    return strcmp(device, "cpu") != 0 || r % 4 == 1 || getenv("TERN_TEST_ALL");
}

static void write_kernel(const char *device, char *text, size_t size) {
    size_t at = (size_t)snprintf(text, size,
                                 "import triton\nimport triton.language as tl\n"
                                 "from triton.language.extra import libdevice\n@triton.jit\n"
                                 "def k(px, py, o, N: tl.constexpr):\n    i = tl.arange(0, 128)\n"
                                 "    m = i < N\n    n = i * 37 - 2000\n");
    for (int r = 0; r < NUM_ROWS + NUM_ROUNDED && at < size; r++) {
        char call[64];
        if (!is_run(device, r)) continue;
        if (r < NUM_ROWS)
            snprintf(call, sizeof call, "%s", rows[r].call);
        else
            snprintf(call, sizeof call, "%s_%s(%s)", operations[(r - NUM_ROWS) / 4],
                     ways[(r - NUM_ROWS) % 4].suffix,
                     (r - NUM_ROWS) / 4 < 4    ? "x, y"
                     : (r - NUM_ROWS) / 4 == 4 ? "x, y, -x"
                                               : "x");
        at += (size_t)snprintf(text + at, size - at,
                               "    x = tl.load(px + %d * N + i, mask=m, other=1)\n"
                               "    y = tl.load(py + %d * N + i, mask=m, other=1)\n"
                               "    tl.store(o + %d * N + i, libdevice.%s, mask=m)\n",
                               r, r, r, call);
    }
}

static double inputs[2][NUM_ROWS + NUM_ROUNDED][COUNT], results[NUM_ROWS + NUM_ROUNDED][COUNT];

static bool run(const char *device) {
    static char text[64 << 10];
    tern_context *context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
    CHECK(context != NULL);
    if (!context) return false;
    write_kernel(device, text, sizeof text);
    char signature[64];
    snprintf(signature, sizeof signature, "*fp64:16,*fp64:16,*fp64:16,%d", COUNT);
    tern_module *module = tern_load_text(context, text, strlen(text), "libdevice64.py");
    tern_kernel *kernel = module ? tern_compile(module, "k", signature, NULL) : NULL;
    tern_buffer *buffers[3];
    for (int i = 0; i < 3; i++) buffers[i] = tern_alloc(context, sizeof results);
    tern_argument args[] = {tern_arg_buffer(buffers[0]), tern_arg_buffer(buffers[1]),
                            tern_arg_buffer(buffers[2])};
    bool ok = kernel && !tern_write(buffers[0], 0, inputs[0], sizeof results) &&
              !tern_write(buffers[1], 0, inputs[1], sizeof results) &&
              !tern_launch(NULL, kernel, (const uint32_t[3]){1, 1, 1}, args, 3) &&
              !tern_read(buffers[2], 0, results, sizeof results);
    CHECK(ok);
    if (!ok) printf("%s: %s\n", device, tern_message(context));
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
    return ok;
}

/* In ulps of fp64 at want. */
static double ulps(double got, Long want, double absolute) {
    double near = (double)want;
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf(near)) return got == near || (!isinf(want) && fabs(got) == DBL_MAX) ? 0 : INFINITY;
    if (!isfinite(got)) return INFINITY;
    int exponent;
    frexpl(want, &exponent);
    Long ulp = ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53);
    Long off = fabsl(got - want) - absolute;
    return off > 0 ? (double)(off / ulp) : 0;
}

/* Long double's own functions are not exact enough for large arguments and small results. */
static bool is_judged(const Row *row, double x) {
    bool bessel = strchr("jyc", row->call[0]) &&
                  strchr("01n", row->call[1 + 12 * (row->call[0] == 'c' && row->call[1] == 'y')]);
    double most = bessel ? row->high * 1.5 : DBL_MAX;
    if (!strcmp(row->call, "yn(7, x)") && fabs(x) < 1e-40) return x == 0;
    if (!strncmp(row->call, "cyl", 3)) most = 700;
    if (!strncmp(row->call, "erfcx", 5)) most = 100;
    if (!strncmp(row->call, "lgamma", 6) && x < 0) most = row->absolute > 0 ? 40 : 0;
    return fabs(x) <= most || isinf(x) || isnan(x);
}

static void check_row(const char *device, int r) {
    const Row *row = &rows[r];
    double worst = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = inputs[0][r][i], y = inputs[1][r][i], got = results[r][i];
        if (!is_judged(row, x)) continue;
        bool is_exact = !row->one && !row->two;
        Long want = row->one   ? row->one((Long)x)
                    : row->two ? row->two((Long)x, (Long)y)
                               : (Long)exact(row->call, x, y, i * 37 - 2000);
        double off = ulps(got, want, row->absolute);
        if (is_exact && !isnan(got) && signbit(got) != signbit((double)want)) off = INFINITY;
        if (off > row->ulps && off > worst)
            printf("%s: libdevice.%s of %a (%g), %a: %a, not %La: %.3g ulp\n", device, row->call, x,
                   x, y, got, want, off);
        if (off > worst) worst = off;
    }
    CHECK(worst <= row->ulps);
}

static void check_rounded(const char *device, int r) {
    int operation = (r - NUM_ROWS) / 4, way = (r - NUM_ROWS) % 4, wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = inputs[0][r][i], y = inputs[1][r][i], got = results[r][i],
               want = rounded(operation, ways[way].mode, x, y);
        bool same = isnan(want) ? isnan(got) : !memcmp(&got, &want, sizeof got);
        if (!same && !wrong++)
            printf("%s: %s_%s of %a, %a: %a, not %a\n", device, operations[operation],
                   ways[way].suffix, x, y, got, want);
    }
    CHECK(wrong == 0);
}

TEST(libdevice_of_fp64) {
    static const char *const devices[] = {"interp", "cpu", "sim"};
    for (int r = 0; r < NUM_ROWS + NUM_ROUNDED; r++) {
        double low = r < NUM_ROWS ? rows[r].low : -3, high = r < NUM_ROWS ? rows[r].high : 3;
        fill(inputs[0][r], inputs[1][r], low, high, (uint64_t)r);
        if (r < NUM_ROWS) continue;
        for (int i = NUM_ODD; i < COUNT; i += 2) { /* near ends, and sums that cancel */
            inputs[0][r][i] = ldexp(inputs[0][r][i], i % 4 ? -1000 : 0);
            if (i % 6 == 0) inputs[1][r][i] = -inputs[0][r][i] * (1 + 0x1p-52);
        }
    }
    for (int d = 0; d < 3; d++) {
        memset(results, 0x5a, sizeof results);
        if (!run(devices[d])) continue;
        for (int r = 0; r < NUM_ROWS + NUM_ROUNDED; r++)
            if (is_run(devices[d], r))
                r < NUM_ROWS ? check_row(devices[d], r) : check_rounded(devices[d], r);
    }
}

/* Triton 3.9's libdevice: a name, and the types of its arguments: f is f32, d f64,
 * i i32, l i64, u u32, U u64. */
static const char *const all[] = {
    "clz i l",
    "popc i l",
    "byte_perm iii",
    "mulhi ii uu ll UU",
    "mul24 ii uu",
    "brev i l",
    "sad iiu uuu",
    "abs i l f d",
    "floor f d",
    "rcp64h d",
    "rsqrt f d",
    "ceil d f",
    "trunc d f",
    "exp2 f d",
    "saturatef f",
    "fma_rn fff ddd",
    "fma_rz fff ddd",
    "fma_rd fff ddd",
    "fma_ru fff ddd",
    "fast_dividef ff",
    "div_rn ff dd",
    "div_rz ff dd",
    "div_rd ff dd",
    "div_ru ff dd",
    "rcp_rn f d",
    "rcp_rz f d",
    "rcp_rd f d",
    "rcp_ru f d",
    "sqrt_rn f d",
    "sqrt_rz f d",
    "sqrt_rd f d",
    "sqrt_ru f d",
    "sqrt f d",
    "add_rn dd ff",
    "add_rz dd ff",
    "add_rd dd ff",
    "add_ru dd ff",
    "mul_rn dd ff",
    "mul_rz dd ff",
    "mul_rd dd ff",
    "mul_ru dd ff",
    "norm4d ffff dddd",
    "rnorm4d ffff dddd",
    "double2float_rn d",
    "double2float_rz d",
    "double2float_rd d",
    "double2float_ru d",
    "double2int_rn d",
    "double2int_rz d",
    "double2int_rd d",
    "double2int_ru d",
    "double2uint_rn d",
    "double2uint_rz d",
    "double2uint_rd d",
    "double2uint_ru d",
    "int2double_rn i",
    "uint2double_rn u",
    "float2int_rn f",
    "float2int_rz f",
    "float2int_rd f",
    "float2int_ru f",
    "float2uint_rn f",
    "float2uint_rz f",
    "float2uint_rd f",
    "float2uint_ru f",
    "int2float_rn i",
    "int2float_rz i",
    "int2float_rd i",
    "int2float_ru i",
    "uint2float_rn u",
    "uint2float_rz u",
    "uint2float_rd u",
    "uint2float_ru u",
    "hiloint2double ii",
    "double2loint d",
    "double2hiint d",
    "float2ll_rn f",
    "float2ll_rz f",
    "float2ll_rd f",
    "float2ll_ru f",
    "float2ull_rn f",
    "float2ull_rz f",
    "float2ull_rd f",
    "float2ull_ru f",
    "double2ll_rn d",
    "double2ll_rz d",
    "double2ll_rd d",
    "double2ll_ru d",
    "double2ull_rn d",
    "double2ull_rz d",
    "double2ull_rd d",
    "double2ull_ru d",
    "ll2float_rn l",
    "ll2float_rz l",
    "ll2float_rd l",
    "ll2float_ru l",
    "ull2float_rn U",
    "ull2float_rz U",
    "ull2float_rd U",
    "ull2float_ru U",
    "ll2double_rn l",
    "ll2double_rz l",
    "ll2double_rd l",
    "ll2double_ru l",
    "ull2double_rn U",
    "ull2double_rz U",
    "ull2double_rd U",
    "ull2double_ru U",
    "int_as_float i",
    "float_as_int f",
    "uint_as_float u",
    "float_as_uint f",
    "longlong_as_double l",
    "double_as_longlong d",
    "fast_sinf f",
    "fast_cosf f",
    "fast_log2f f",
    "fast_logf f",
    "fast_expf f",
    "fast_tanf f",
    "fast_exp10f f",
    "fast_log10f f",
    "fast_powf ff",
    "hadd ii uu",
    "rhadd ii uu",
    "sub_rn ff dd",
    "sub_rz ff dd",
    "sub_rd ff dd",
    "sub_ru ff dd",
    "rsqrt_rn f",
    "ffs i l",
    "rint f d",
    "llrint f d",
    "nearbyint f d",
    "isnan f d",
    "signbit f d",
    "copysign ff dd",
    "finitef f",
    "isinf f d",
    "nextafter ff dd",
    "sin f d",
    "cos f d",
    "sinpi f d",
    "cospi f d",
    "tan f d",
    "log2 f d",
    "exp f d",
    "exp10 f d",
    "cosh f d",
    "sinh f d",
    "tanh f d",
    "atan2 ff dd",
    "atan f d",
    "asin f d",
    "acos f d",
    "log f d",
    "log10 f d",
    "log1p f d",
    "acosh f d",
    "asinh f d",
    "atanh f d",
    "expm1 f d",
    "hypot ff dd",
    "rhypot ff dd",
    "norm3d fff ddd",
    "rnorm3d fff ddd",
    "cbrt f d",
    "rcbrt f d",
    "j0 f d",
    "j1 f d",
    "y0 f d",
    "y1 f d",
    "yn if id",
    "jn if id",
    "cyl_bessel_i0 f d",
    "cyl_bessel_i1 f d",
    "erf f d",
    "erfinv f d",
    "erfc f d",
    "erfcx f d",
    "erfcinv f d",
    "normcdfinv f d",
    "normcdf f d",
    "lgamma f d",
    "ldexp fi di",
    "scalbn fi di",
    "fmod ff dd",
    "remainder ff dd",
    "fma fff ddd",
    "pow fi di ff dd",
    "tgamma f d",
    "round f d",
    "llround f d",
    "fdim ff dd",
    "ilogb f d",
    "logb f d",
    "isfinited d",
};

static const char *type_of(char letter) {
    return letter == 'f'   ? "fp32"
           : letter == 'd' ? "fp64"
           : letter == 'i' ? "i32"
           : letter == 'l' ? "i64"
           : letter == 'u' ? "u32"
                           : "u64";
}

/* Compiled; rcp64h, whose bits are a GPU's own, is refused by its name. */
TEST(the_whole_of_tritons_libdevice) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_options options = {.text_only = true};
    int signatures = 0;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        char row[128], text[1024], signature[128], *rest = row;
        snprintf(row, sizeof row, "%s", all[n]);
        const char *name = strsep(&rest, " "), *types;
        while ((types = strsep(&rest, " "))) {
            static const char *const formals[] = {"", "p0", "p0, p1", "p0, p1, p2",
                                                  "p0, p1, p2, p3"};
            static const char *const values[] = {"", "tl.load(p0 + i)", ", tl.load(p1 + i)",
                                                 ", tl.load(p2 + i)", ", tl.load(p3 + i)"};
            size_t count = strlen(types), at = 0;
            snprintf(text, sizeof text,
                     "import triton\nimport triton.language as tl\n"
                     "from triton.language.extra import libdevice\n@triton.jit\n"
                     "def k(%s, o):\n    i = tl.arange(0, 16)\n"
                     "    tl.store(o + i, libdevice.%s(%s%s%s%s) != 0)\n",
                     formals[count], name, values[1], count > 1 ? values[2] : "",
                     count > 2 ? values[3] : "", count > 3 ? values[4] : "");
            for (size_t i = 0; i < count; i++)
                at += (size_t)snprintf(signature + at, sizeof signature - at, "*%s,",
                                       type_of(types[i]));
            snprintf(signature + at, sizeof signature - at, "*i1");
            tern_module *module = tern_load_text(context, text, strlen(text), "all.py");
            tern_kernel *kernel = tern_compile(module, "k", signature, &options);
            bool refused = !strcmp(name, "rcp64h");
            CHECK((kernel != NULL) != refused);
            CHECK(!refused ||
                  strstr(tern_message(context), "all.py:7:21: not supported: 'rcp64h'"));
            if (!kernel && !refused) printf("%s %s: %s\n", name, types, tern_message(context));
            tern_kernel_free(kernel);
            tern_module_free(module);
            signatures++;
        }
    }
    CHECK(signatures == 313);
    tern_close(context);
}

TEST_MAIN()
