// SPDX-License-Identifier: Apache-2.0
/* libdevice's functions that are written in the Triton language, against the C library: directed
 * rounding against the processor's own modes, conversions and bits exactly, special functions
 * against long double. On interp, cpu and sim. */
#include "tern.h"
#include "test.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

enum { COUNT_IN = 512 };
static const char *const devices[] = {"interp", "cpu", "sim"};

/* Awkward numbers first, then all magnitudes, then numbers near 1. */
static void fill(float *x, float *y, float *z) {
    static const float odd[] = {
        0,        -0.0f,   1,        -1,     INFINITY,     -INFINITY, NAN,          FLT_MAX,
        -FLT_MAX, FLT_MIN, -FLT_MIN, 1e-45f, -1e-45f,      3e-39f,    2147483648.f, 0.5f,
        -0.5f,    1.5f,    2.5f,     -2.5f,  4294967296.f, 9.3e18f,   -9.4e18f,     1.9e19f};
    enum { ODD = sizeof odd / sizeof *odd };
    uint32_t state = 12345;
    for (int i = 0; i < COUNT_IN; i++) {
        float *all[] = {x, y, z};
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            uint32_t bits = state ^ state >> 15;
            float random = (float)(int32_t)bits / 2147483648.0f;
            float wide = ldexpf(random, (int)(bits % 61) - 30);
            all[k][i] = i < ODD * ODD && k < 2 ? odd[k ? i / ODD : i % ODD]
                        : i % 2                ? wide
                                               : random * 8;
        }
    }
}

/* ---- references ---- */

typedef struct Directed {
    const char *suffix;
    int mode;
} Directed;
static const Directed ways[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};

static float directed(const char *name, float a, float b, float c, int mode) {
    volatile float x = a, y = b, z = c, r = 0;
    fesetround(mode);
    if (!strncmp(name, "add", 3)) r = x + y;
    if (!strncmp(name, "sub", 3)) r = x - y;
    if (!strncmp(name, "mul", 3)) r = x * y;
    if (!strncmp(name, "div", 3)) r = x / y;
    if (!strncmp(name, "rcp", 3)) r = 1 / x;
    if (!strncmp(name, "sqrt", 4)) r = sqrtf(x);
    if (!strncmp(name, "fma", 3)) r = fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}

static double whole(double x, int mode) {
    if (mode == FE_DOWNWARD) return floor(x);
    if (mode == FE_UPWARD) return ceil(x);
    return mode == FE_TOWARDZERO ? trunc(x) : nearbyint(x);
}

static int64_t converted(const char *type, double x, int mode) {
    double y = whole(x, mode);
    bool is_signed = type[0] != 'u', wide = strstr(type, "ll") != NULL;
    double high = is_signed ? (wide ? 0x1p63 : 0x1p31) : (wide ? 0x1p64 : 0x1p32);
    if (isnan(y)) return wide ? INT64_MIN : 0; /* PTX: cvt */
    if (is_signed && y < -high) return wide ? INT64_MIN : INT32_MIN;
    if (!is_signed && y < 0) return 0;
    if (y >= high)
        return is_signed ? (wide ? INT64_MAX : INT32_MAX) : (wide ? -1 : (int64_t)UINT32_MAX);
    return is_signed || y < 0x1p63 ? (int64_t)y : (int64_t)(uint64_t)y;
}

typedef long double Long;
static Long normcdf_l(Long x) { return 0.5L * erfcl(-x * 0.707106781186547524400844L); }
static Long erfcx_l(Long x) { return x == INFINITY ? 0 : expl(x * x) * erfcl(x); }
static Long sinpi_l(Long x) {
    return fmodl(x, 1) == 0 ? 0 * x : sinl(3.14159265358979323846L * fmodl(x, 2));
}
static Long cospi_l(Long x) {
    Long r = fabsl(fmodl(x, 2));
    return r == 0.5L || r == 1.5L ? 0 : cosl(3.14159265358979323846L * r);
}
static Long rcbrt_l(Long x) { return 1 / cbrtl(x); }

/* By halving: erfcl falls from 2 to 0. */
static Long erfcinv_l(Long y) {
    Long low = -30, high = 30;
    if (y < 0 || y > 2 || isnan(y)) return NAN;
    if (y == 0 || y == 2) return y == 0 ? INFINITY : -INFINITY;
    for (int i = 0; i < 120; i++) {
        Long middle = (low + high) / 2;
        if (erfcl(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return low;
}
static Long erfinv_l(Long x) {
    Long low = 0, high = 30, goal = fabsl(x);
    if (goal == 0 || goal >= 1 || isnan(x)) return goal == 1 ? x * INFINITY : goal == 0 ? x : NAN;
    for (int i = 0; i < 160; i++) {
        Long middle = (low + high) / 2;
        if (erfl(middle) < goal)
            low = middle;
        else
            high = middle;
    }
    return copysignl(low, x);
}
static Long normcdfinv_l(Long p) { return -1.41421356237309504880L * erfcinv_l(2 * p); }

/* The series, all of whose terms have one sign. */
static Long bessel_i(Long x, int order) {
    Long q = x * x / 4, term = order ? x / 2 : 1, sum = 0;
    if (isinf(x) || isnan(x)) return order ? x : fabsl(x);
    for (int k = 1; k < 2000; k++) {
        sum += term;
        term *= q / ((Long)k * (k + order));
    }
    return sum;
}
static Long bessel_i0_l(Long x) { return bessel_i(x, 0); }
static Long bessel_i1_l(Long x) { return bessel_i(x, 1); }

/* absolute: near the zeros of an oscillating function */
typedef struct Special {
    const char *name;
    Long (*run)(Long);
    double absolute, largest;
} Special;
static const Special specials[] = {
    {"erfc", erfcl, 0, 1e30},
    {"erfcx", erfcx_l, 0, 9},
    {"normcdf", normcdf_l, 0, 1e30},
    {"erfinv", erfinv_l, 0, 1e30},
    {"erfcinv", erfcinv_l, 1e-9, 1e30},
    {"normcdfinv", normcdfinv_l, 1e-9, 1e30},
    {"lgamma", lgammal, 1e-7, 1e30},
    {"tgamma", tgammal, 0, 33},
    {"sinpi", sinpi_l, 1e-16, 1e30},
    {"cospi", cospi_l, 1e-16, 1e30},
    {"rcbrt", rcbrt_l, 0, 1e30},
    {"j0", j0l, 1e-8, 1000},
    {"j1", j1l, 1e-8, 1000},
    {"cyl_bessel_i0", bessel_i0_l, 0, 80},
    {"cyl_bessel_i1", bessel_i1_l, 0, 80},
    {"logb", logbl, 0, 1e30},
};

/* ---- running one function over the inputs ---- */

typedef struct Bench {
    tern_context *context;
    tern_buffer *in[3], *out;
    float x[COUNT_IN], y[COUNT_IN], z[COUNT_IN];
} Bench;

static bool run(Bench *bench, const char *call, const char *type, void *out, size_t size) {
    char text[1024], signature[128];
    snprintf(text, sizeof text,
             "import triton\nimport triton.language as tl\n"
             "from triton.language.extra import libdevice\n@triton.jit\n"
             "def k(px, py, pz, o, N: tl.constexpr):\n    i = tl.arange(0, N)\n"
             "    x = tl.load(px + i)\n    y = tl.load(py + i)\n    z = tl.load(pz + i)\n"
             "    tl.store(o + i, %s)\n",
             call);
    snprintf(signature, sizeof signature, "*fp32:16,*fp32:16,*fp32:16,*%s:16,%d", type, COUNT_IN);
    tern_module *module = tern_load_text(bench->context, text, strlen(text), "libdevice.py");
    tern_kernel *kernel = module ? tern_compile(module, "k", signature, NULL) : NULL;
    tern_argument args[] = {tern_arg_buffer(bench->in[0]), tern_arg_buffer(bench->in[1]),
                            tern_arg_buffer(bench->in[2]), tern_arg_buffer(bench->out)};
    bool ok = kernel && !tern_launch(NULL, kernel, (const uint32_t[3]){1, 1, 1}, args, 4) &&
              !tern_read(bench->out, 0, out, size * COUNT_IN);
    if (!ok) printf("%s: %s\n", call, tern_message(bench->context));
    tern_kernel_free(kernel);
    tern_module_free(module);
    return ok;
}

static bool same_float(float a, float b) { return (isnan(a) && isnan(b)) || !memcmp(&a, &b, 4); }

static void check_directed(Bench *bench, const char *call, const char *name, int mode) {
    float got[COUNT_IN];
    if (!run(bench, call, "fp32", got, 4)) {
        CHECK(!"it runs");
        return;
    }
    int wrong = 0;
    for (int i = 0; i < COUNT_IN; i++) {
        float want = directed(name, bench->x[i], bench->y[i], bench->z[i], mode);
        /* the sign of an exact 0 depends on the mode */
        bool fine = same_float(got[i], want) || (got[i] == 0 && want == 0);
        if (!fine && !wrong++)
            printf("%s of %a, %a, %a: %a, not %a\n", call, bench->x[i], bench->y[i], bench->z[i],
                   got[i], want);
    }
    CHECK(wrong == 0);
}

static void check_conversion(Bench *bench, const char *type, const Directed *way) {
    static const char *const words[][2] = {
        {"int", "i32"}, {"uint", "u32"}, {"ll", "i64"}, {"ull", "u64"}};
    char call[96];
    int64_t got[COUNT_IN];
    int32_t narrow[COUNT_IN];
    const char *word = "";
    for (int i = 0; i < 4; i++)
        if (!strcmp(type, words[i][0])) word = words[i][1];
    bool wide = word[1] == '6';
    snprintf(call, sizeof call, "libdevice.float2%s_%s(x)", type, way->suffix);
    if (!run(bench, call, word, wide ? (void *)got : (void *)narrow, wide ? 8 : 4)) {
        CHECK(!"it runs");
        return;
    }
    int wrong = 0;
    for (int i = 0; i < COUNT_IN; i++) {
        int64_t want = converted(type, (double)bench->x[i], way->mode);
        bool fine = wide ? got[i] == want : narrow[i] == (int32_t)want;
        if (!fine && !wrong++) printf("%s of %a, not %lld\n", call, bench->x[i], (long long)want);
    }
    CHECK(wrong == 0);
    /* and back: ints of all sizes, rounded to fp32 */
    float back[COUNT_IN];
    snprintf(call, sizeof call, "libdevice.%s2float_%s((x * 1e9).to(tl.%s%s))", type, way->suffix,
             type[0] == 'u' ? "uint" : "int", wide ? "64" : "32");
    if (!run(bench, call, "fp32", back, 4)) {
        CHECK(!"it runs");
        return;
    }
    for (int i = 0; i < COUNT_IN; i++) {
        volatile float scaled = bench->x[i] * 1e9f;
        float most = wide ? 9e18f : 2e9f;
        if (!(scaled >= (type[0] == 'u' ? 0 : -most) && scaled <= most)) continue;
        volatile int64_t number = (int64_t)scaled;
        fesetround(way->mode);
        volatile float want = (float)number;
        fesetround(FE_TONEAREST);
        CHECK(back[i] == want);
    }
}

static void check_special(Bench *bench, const Special *row) {
    char call[64];
    float got[COUNT_IN];
    snprintf(call, sizeof call, "libdevice.%s(x)", row->name);
    if (!run(bench, call, "fp32", got, 4)) {
        CHECK(!"it runs");
        return;
    }
    int wrong = 0;
    for (int i = 0; i < COUNT_IN; i++) {
        if (fabsf(bench->x[i]) > row->largest && !isinf(bench->x[i])) continue;
        Long want = row->run((Long)bench->x[i]);
        float rounded = (float)want;
        bool fine = isnan(want) ? isnan(got[i])
                    : isinf(rounded)
                        ? isinf(got[i]) && signbit(got[i]) == signbit(rounded)
                        : fabsl(got[i] - want) <= 1.2e-7L * fabsl(want) + row->absolute + 1.5e-45L;
        if (!fine && !wrong++)
            printf("%s of %a (%g): %g, not %Lg\n", call, bench->x[i], bench->x[i], got[i], want);
    }
    CHECK(wrong == 0);
}

static void check_bits(Bench *bench) {
    int32_t got[COUNT_IN];
    float numbers[COUNT_IN];
    uint32_t a[COUNT_IN], b[COUNT_IN];
    static const char bits[] = "x.to(tl.int32, bitcast=True)";
    char call[256];
    memcpy(a, bench->x, sizeof a), memcpy(b, bench->y, sizeof b);
    snprintf(call, sizeof call, "libdevice.brev(%s)", bits);
    CHECK(run(bench, call, "i32", got, 4));
    for (int i = 0; i < COUNT_IN; i++)
        for (int k = 0; k < 32; k++) CHECK(((uint32_t)got[i] >> k & 1) == (a[i] >> (31 - k) & 1));
    CHECK(run(
        bench,
        "libdevice.byte_perm(x.to(tl.int32, bitcast=True), y.to(tl.int32, bitcast=True), 0x0165)",
        "i32", got, 4));
    for (int i = 0; i < COUNT_IN; i++) {
        uint64_t both = (uint64_t)b[i] << 32 | a[i];
        uint32_t want = (uint32_t)(both >> 40 & 0xff) | (uint32_t)(both >> 48 & 0xff) << 8 |
                        (uint32_t)(both >> 8 & 0xff) << 16 | (uint32_t)(both & 0xff) << 24;
        CHECK((uint32_t)got[i] == want);
    }
    CHECK(run(bench, "libdevice.hadd(x.to(tl.int32, bitcast=True), y.to(tl.int32, bitcast=True))",
              "i32", got, 4));
    for (int i = 0; i < COUNT_IN; i++)
        CHECK(got[i] == (int32_t)(((int64_t)(int32_t)a[i] + (int32_t)b[i]) >> 1));
    CHECK(run(bench, "libdevice.rhadd(x.to(tl.int32, bitcast=True), y.to(tl.int32, bitcast=True))",
              "i32", got, 4));
    for (int i = 0; i < COUNT_IN; i++)
        CHECK(got[i] == (int32_t)(((int64_t)(int32_t)a[i] + (int32_t)b[i] + 1) >> 1));
    CHECK(run(bench, "libdevice.nextafter(x, y)", "fp32", numbers, 4));
    for (int i = 0; i < COUNT_IN; i++)
        CHECK(same_float(numbers[i], nextafterf(bench->x[i], bench->y[i])));
    CHECK(run(bench, "libdevice.ldexp(x, y.to(tl.int32, bitcast=True) % 200)", "fp32", numbers, 4));
    for (int i = 0; i < COUNT_IN; i++)
        CHECK(same_float(numbers[i], ldexpf(bench->x[i], (int32_t)b[i] % 200)));
    CHECK(run(bench, "libdevice.ilogb(x)", "i32", got, 4));
    for (int i = 0; i < COUNT_IN; i++) {
        bool none = bench->x[i] == 0 || isnan(bench->x[i]);
        CHECK(got[i] == (none ? INT32_MIN : isinf(bench->x[i]) ? INT32_MAX : ilogbf(bench->x[i])));
    }
    CHECK(run(bench, "libdevice.remainder(x, y)", "fp32", numbers, 4));
    for (int i = 0; i < COUNT_IN; i++)
        CHECK(same_float(numbers[i], remainderf(bench->x[i], bench->y[i])));
}

static void check_all(Bench *bench) {
    static const char *const names[] = {"add", "sub", "mul", "div", "fma", "rcp", "sqrt"};
    static const char *const types[] = {"int", "uint", "ll", "ull"};
    char call[64];
    for (int n = 0; n < 7; n++)
        for (int w = 0; w < 4; w++) {
            const char *args = n < 4 ? "x, y" : n == 4 ? "x, y, z" : "x";
            snprintf(call, sizeof call, "libdevice.%s_%s(%s)", names[n], ways[w].suffix, args);
            check_directed(bench, call, names[n], ways[w].mode);
        }
    for (int t = 0; t < 4; t++)
        for (int w = 0; w < 4; w++) check_conversion(bench, types[t], &ways[w]);
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++)
        check_special(bench, &specials[s]);
    check_bits(bench);
}

TEST(libdevice_as_the_c_library) {
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        static Bench bench;
        bench = (Bench){.context =
                            tern_open(&(tern_open_options){.device = devices[d]}, NULL, NULL, 0)};
        CHECK(bench.context != NULL);
        if (!bench.context) continue;
        float *numbers[] = {bench.x, bench.y, bench.z};
        fill(bench.x, bench.y, bench.z);
        bench.out = tern_alloc(bench.context, 8 * COUNT_IN);
        for (int i = 0; i < 3; i++) {
            bench.in[i] = tern_alloc(bench.context, 4 * COUNT_IN);
            CHECK(bench.in[i] && !tern_write(bench.in[i], 0, numbers[i], 4 * COUNT_IN));
        }
        printf("%s\n", devices[d]);
        check_all(&bench);
        tern_close(bench.context);
    }
}

TEST_MAIN()
