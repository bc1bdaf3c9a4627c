// SPDX-License-Identifier: Apache-2.0
/* What C's expressions mean: promotions, conversions, signs, shifts, comparisons. Each expression
 * below is compiled twice: by the compiler of this test, and as the text of a kernel that sim
 * runs. */
#include "test.h"
#include "tern.h"

#include <limits.h>

/* The kernel's arguments, so that nothing is known at compile time. */
typedef signed char sc;
typedef unsigned char uc;
typedef short sh;
typedef unsigned short us;
typedef unsigned int ui;
typedef long long ll;
typedef unsigned long long ull;

#define ARGUMENTS(A)                                                                               \
    A(sc, c, -7)                                                                                   \
    A(uc, d, 250)                                                                                  \
    A(sh, s, -30000)                                                                               \
    A(us, t, 65535)                                                                                \
    A(int, i, -5)                                                                                  \
    A(ui, u, 7u) A(ll, l, -40000000000ll) A(ull, m, 18446744073709551610ull) A(float, f, 2.75f)    \
        A(double, g, -3.3)

/* Nothing that C leaves open: no overflow of signed numbers, no shift by the width. */
#define INTEGERS(V)                                                                                \
    V(c + d)                                                                                       \
    V(c *d)                                                                                        \
    V(d - c)                                                                                       \
    V(s - t)                                                                                       \
    V(t * 2)                                                                                       \
    V(t + 1) V(c < u) V(i < u) V(i > u) V(l < u) V(l < m) V(c == 249) V((uc)c == 249)              \
        V((uc)(d + 10)) V((sc)(d + 10)) V((us)(t + 1)) V((sh)t) V((ui)c) V((ull)c) V((ll)u - 8) V( \
            u - 8) V((ll)(u - 8)) V(u - 8ll) V(m + 6) V(m * 3) V(-u) V(-d) V(~d) V(~u) V(~c) V(!d) \
            V(!!i) V(-i) V(+c) V(i / 2) V(i % 3) V(-i / 2) V(i / 2u) V(i % 3u) V(l / 7) V(l % 7)   \
                V(m / 7) V(m % 7) V(u / 3) V(c / 2) V(c % 4) V(d >> 1) V(c >> 1) V(i >> 1) V(      \
                    u >> 1) V(l >> 3) V(m >> 60) V(d << 4) V((uc)(d << 4)) V(u << 29)              \
                    V(1ull << 40) V(u << c + 10) V(t << 8) V(c &d) V(c | d) V(c ^ d) V(i &u) V(    \
                        i | m) V(s ^ t) V(i &&d) V(0 || i)                                         \
                        V(i == -5 && u == 7) V(i ? c : d) V(i < 0 ? u : i) V(i < 0 ? i : u) V(     \
                            (i < 0 ? i                                                             \
                                   : u) > 0) V(i < 0 ? l : u) V(c ? -1 : 1u) V((c ? -1 : 1u) > 0)  \
                            V(sizeof(c + c)) V(sizeof(c)) V(sizeof(c ? c : d)) V(sizeof(u + l)) V( \
                                sizeof(i + m)) V(sizeof(s << l))                                   \
                                V(sizeof(1)) V(sizeof(2147483648)) V(sizeof(0xffffffff)) V(sizeof( \
                                    1u)) V(sizeof(1l)) V(0x80000000 > 0) V(2147483648 > 0)         \
                                    V(-2147483648 < 0) V(0xffffffff == -1) V(4294967295 == -1)     \
                                        V(-1 < 0u) V(-1l < 0u) V(-1ll < 0ul) V(037 + 0x1F) V(      \
                                            (i, u)) V((int)2.9f)                                   \
                                            V((int)-2.9) V((int)f) V((int)g) V((ll)(f * 1e9f)) V(  \
                                                (ui)f) V((uc)f) V((sc)g) V(f > i)                  \
                                                V(g < i) V(f == 2.75) V(0.1f == 0.1) V(f &&g)      \
                                                    V(!f) V((_Bool)g) V((_Bool)0.25f + 1) V(       \
                                                        (int)(f / 2) *                             \
                                                        2) V(i + (int)1e2) V((i > u) + (i < l))    \
                                                        V(i - -u) V(- -i) V(i-- - 1) V(            \
                                                            i + 2 * u -                            \
                                                            3) V(i *(i - 1) / 2 % 7)               \
                                                            V(1 + 2 << 3 - 1) V(8 >> 1 + 1) V(     \
                                                                5 &                                \
                                                                3 == 3) V(1 | 2 ^ 3 & 6)           \
                                                                V(i < u == 0) V(2 > 1 > 0) V(      \
                                                                    u ? i ? 1                      \
                                                                          : 2                      \
                                                                      : 3) V((c += 300,            \
                                                                              c)) V((d -= 251, d)) \
                                                                    V((u *= -1,                    \
                                                                       u)) V((i >>= 1,             \
                                                                              i)) V((t++, t))      \
                                                                        V(t++) V((d <<= 1, d)) V(  \
                                                                            (f += 0.5, f * 4))     \
                                                                            V((i /= 2.5f, i)) V(   \
                                                                                (u %= 4, u))       \
                                                                                V((s &= 0xff, s))  \
                                                                                    V((c ^= 0x55,  \
                                                                                       c))         \
                                                                                        V((l |= 1, \
                                                                                           l))

#define FLOATS(V)                                                                                  \
    V(f + i)                                                                                       \
    V(f *g)                                                                                        \
    V(f / 3)                                                                                       \
    V(f / 3.0)                                                                                     \
    V(1 / 3)                                                                                       \
    V(1 / 3.0f) V(1.0f / 3) V(i / 2) V(i / 2.0) V(u *f) V(l + f) V(l + g) V(m + 0.0f) V(m + 0.0)   \
        V((float)m) V((float)16777217) V((double)l) V((float)0.1 + 0.1) V(0.1f + 0.1f) V(f * 0.1)  \
            V((float)(f * 0.1)) V(-f) V(-g) V(d * 0.5f) V((float)l) V((float)u / 2) V((double)f)   \
                V(f ? g : f) V(i ? f : 1) V(c ? i : f) V(1e30f * f) V(f - f) V(3.0e-39f * f)       \
                    V((g * g, g)) V((f *= g, f)) V((i += 2.9, (float)i)) V(0x1.8p3f) V(.5 + 5.)    \
                        V(1e-3f) V((float)(i < 0)) V((float)c / d) V(1.f / d * c)

static tern_context *context;

static const char parameters[] = "(long long *out, double *real"
#define A(type, name, value) ", " #type " " #name
    ARGUMENTS(A)
#undef A
        ")";

static char *source(void) {
    size_t size = 1 << 16, length = 0;
    char *text = malloc(size);
    int index = 0;
    length +=
        (size_t)snprintf(text, size,
                         "typedef signed char sc; typedef unsigned char uc;\n"
                         "typedef short sh; typedef unsigned short us; typedef unsigned ui;\n"
                         "typedef long long ll; typedef unsigned long long ull;\n"
                         "typedef bool _Bool;\n__global__ void k%s {\n"
                         "sc c0 = c; uc d0 = d; sh s0 = s; us t0 = t; int i0 = i; ui u0 = u;\n"
                         "ll l0 = l; ull m0 = m; float f0 = f; double g0 = g;\n",
                         parameters);
#define AGAIN "c = c0, d = d0, s = s0, t = t0, i = i0, u = u0, l = l0, m = m0, f = f0, g = g0;\n"
#define V(expression)                                                                              \
    length += (size_t)snprintf(text + length, size - length, AGAIN "out[%d] = (long long)(%s);\n", \
                               index++, #expression);
    INTEGERS(V)
#undef V
    index = 0;
#define V(expression)                                                                              \
    length += (size_t)snprintf(text + length, size - length, AGAIN "real[%d] = %s;\n", index++,    \
                               #expression);
    FLOATS(V)
#undef V
    snprintf(text + length, size - length, "}\n");
    return text;
}

#define V(expression) #expression,
static const char *const integer_texts[] = {INTEGERS(V)}, *const float_texts[] = {FLOATS(V)};
#undef V
enum {
    NUM_INTEGERS = sizeof integer_texts / sizeof *integer_texts,
    NUM_FLOATS = sizeof float_texts / sizeof *float_texts,
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wextra"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Weverything"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#endif

static void reference(long long *out, double *real) {
    int index = 0;
#define A(type, name, value) volatile type name##0 = value;
    ARGUMENTS(A)
#undef A
#define A(type, name, value) type name = name##0;
#define V(expression)                                                                              \
    {                                                                                              \
        ARGUMENTS(A)                                                                               \
        (void)c, (void)d, (void)s, (void)t, (void)i, (void)u, (void)l, (void)m, (void)f, (void)g;  \
        out[index++] = (long long)(expression);                                                    \
    }
    INTEGERS(V)
#undef V
    index = 0;
#define V(expression)                                                                              \
    {                                                                                              \
        ARGUMENTS(A)                                                                               \
        (void)c, (void)d, (void)s, (void)t, (void)i, (void)u, (void)l, (void)m, (void)f, (void)g;  \
        real[index++] = (expression);                                                              \
    }
    FLOATS(V)
#undef V
#undef A
}
#pragma GCC diagnostic pop

TEST(expressions_mean_what_they_do_in_c) {
    long long want[NUM_INTEGERS], got[NUM_INTEGERS];
    double want_real[NUM_FLOATS], got_real[NUM_FLOATS];
    char *text = source();
    context = tern_open(&(tern_open_options){.device = "sim"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, strlen(text), "values.cu");
    tern_kernel *kernel =
        module ? tern_compile(module, "k", NULL, &(tern_options){.block = {1}}) : NULL;
    tern_buffer *out = tern_alloc(context, sizeof got),
                *real = tern_alloc(context, sizeof got_real);
    tern_argument arguments[] = {tern_arg_buffer(out), tern_arg_buffer(real),
#define A(type, name, value)                                                                       \
    _Generic((type)value, float                                                                    \
             : tern_arg_float((double)value), double                                               \
             : tern_arg_float((double)value), default                                              \
             : tern_arg_int((int64_t)value)),
                                 ARGUMENTS(A)
#undef A
    };
    CHECK(kernel != NULL);
    if (!kernel) printf("%s\n", tern_message(context));
    tern_status status =
        kernel ? tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 12) : -1;
    CHECK(status == TERN_OK);
    if (kernel && status) printf("%s\n", tern_message(context));
    CHECK(tern_read(out, 0, got, sizeof got) == TERN_OK);
    CHECK(tern_read(real, 0, got_real, sizeof got_real) == TERN_OK);
    reference(want, want_real);
    for (int i = 0; i < NUM_INTEGERS; i++) {
        if (got[i] != want[i]) printf("%s: %lld, in C %lld\n", integer_texts[i], got[i], want[i]);
        CHECK(got[i] == want[i]);
    }
    for (int i = 0; i < NUM_FLOATS; i++) {
        bool same = !memcmp(&got_real[i], &want_real[i], sizeof(double));
        if (!same) printf("%s: %a, in C %a\n", float_texts[i], got_real[i], want_real[i]);
        CHECK(same);
    }
    tern_close(context);
    free(text);
}

TEST_MAIN()
