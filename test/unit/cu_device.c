// SPDX-License-Identifier: Apache-2.0
/* What a thread does with others of its warp, numbers of 16 bits, functions of the library: kernels
 * of test/cuda/device.cu on each device, against plain C. */
#include "test.h"
#include "base/float.h"
#include "tern.h"

static tern_context *context;
static int rows = 1; /* of the block */
static tern_buffer *buffers[8];
static int num_buffers;

static void on_each_device(void (*check)(void)) {
    static const char *const devices[] = {"sim", "interp", "cpu"};
    for (int i = 0; i < 3; i++) {
        int bad = test_bad_checks;
        context = tern_open(&(tern_open_options){.device = devices[i]}, NULL, NULL, 0);
        check();
        if (test_bad_checks > bad) printf("on %s\n", devices[i]);
        while (num_buffers) tern_buffer_free(buffers[--num_buffers]);
        tern_close(context);
    }
}

#define TEST_DEVICES(name)                                                                         \
    static void check_##name(void);                                                                \
    TEST(name) { on_each_device(check_##name); }                                                   \
    static void check_##name(void)

static tern_buffer *filled(const void *data, size_t bytes) {
    tern_buffer *buffer = tern_alloc(context, bytes);
    CHECK(buffer && tern_write(buffer, 0, data, bytes) == TERN_OK);
    return buffers[num_buffers++] = buffer;
}

static uint32_t blocks = 1; /* of the grid */

static tern_status launched(const char *name, int threads, const tern_argument *arguments,
                            int count) {
    tern_module *module = tern_load_file(context, "test/cuda/device.cu");
    tern_options options = {.block = {threads, rows}, .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, name, NULL, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel != NULL);
    tern_status status =
        kernel ? tern_launch(NULL, kernel, (uint32_t[]){blocks, 1, 1}, arguments, count)
               : TERN_ERROR_COMPILE;
    tern_kernel_free(kernel);
    tern_module_free(module);
    return status;
}

static void launch(const char *name, int threads, const tern_argument *arguments, int count) {
    tern_status status = launched(name, threads, arguments, count);
    if (status) printf("%s: %s\n", name, tern_message(context));
    CHECK(status == TERN_OK);
}

static int number_at(int t) { return (t * 7 + 3) % 45; }
static uint32_t bit(bool is, int at) { return (uint32_t)is << at; }

TEST_DEVICES(shuffles) {
    int in[32], out[32][12] = {{0}};
    double wide[32] = {0};
    for (int t = 0; t < 32; t++) in[t] = number_at(t);
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in),
                *more = filled(wide, sizeof wide);
    launch("shuffles", 32,
           (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_buffer(more)}, 3);
    CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(more, 0, wide, sizeof wide));
    uint32_t thirds = 0, any = 0, all = 1;
    for (int t = 0; t < 32; t++) {
        thirds |= bit(in[t] % 3 == 0, t);
        any |= in[t] > 40;
    }
    for (int t = 0; t < 32; t++) {
        const int *x = out[t];
        CHECK(x[0] == in[3] && x[1] == in[t < 2 ? t : t - 2] && x[2] == in[t > 26 ? t : t + 5]);
        CHECK(x[3] == in[t ^ 9] && x[4] == in[t / 8 * 8 + (t + 1) % 8]);
        CHECK(x[5] == in[t % 4 ? t : t + 3] && x[6] == (int)(any * 2 + all));
        CHECK((uint32_t)x[7] == thirds && x[8] == (t % 4 == 1 ? 0x22222222 : 0));
        CHECK(x[9] == in[t ^ 1] * 9 % 256 - in[t % 16 ? t - 1 : t]);
        CHECK(x[10] == in[t < 16 ? t ^ 4 : t ^ 8] && x[11] == in[31 - t] * 100 + 31 - t);
        CHECK(wide[t] == in[t == 31 ? t : t + 1] + 0.5);
    }
}

TEST_DEVICES(groups) {
    enum { N = 64 };
    int in[N], out[N][6] = {{0}};
    for (int t = 0; t < N; t++) in[t] = number_at(t);
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in);
    launch("groups", N, (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from)}, 2);
    CHECK(!tern_read(to, 0, out, sizeof out));
    for (int t = 0; t < N; t++) {
        int sum = 0, most = 0, odd = 0, before = 0, some = 0, tile = t / 8 * 8;
        for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
            sum += in[i];
            some += in[i] % 5 == 0;
            before += in[i] % 5 == 0 && i < t;
        }
        for (int i = 0; i < 8; i++) {
            if (in[tile + i] > most) most = in[tile + i];
            odd |= in[tile + i] % 2 << i;
        }
        CHECK(out[t][0] == sum && out[t][1] == most && out[t][4] == odd);
        CHECK(out[t][2] == t % 8 * 100 + 8 + t % 32 * 100 + 32 + t * 100 + N);
        CHECK(out[t][3] == in[tile + 2] + in[t % 8 == 7 ? t : t + 1] + t / 8);
        CHECK(out[t][5] == (in[t] % 5 ? 0 : before * 100 + some));
    }
}

TEST_DEVICES(matches) {
    enum { N = 32, AT = N * 8 };
    int in[N], out[AT + 3] = {0}, sum = 0, most = 0, least = 99, some = 0;
    uint32_t bits = 0, odd = 0;
    float swapped[2] = {0.5f, 0};
    for (int t = 0; t < N; t++) {
        in[t] = number_at(t);
        sum += in[t], bits |= (uint32_t)in[t];
        most = in[t] > most ? in[t] : most, least = in[t] < least ? in[t] : least;
        if (t % 3 == 1) some += in[t], odd ^= (uint32_t)in[t];
    }
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in),
                *floats = filled(swapped, sizeof swapped);
    launch("matches", N,
           (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_buffer(floats)},
           3);
    CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(floats, 0, swapped, sizeof swapped));
    for (int t = 0; t < N; t++) {
        uint32_t fifths = 0, thirds = 0, halves = 0;
        for (int i = 0; i < N; i++) {
            fifths |= bit(in[i] % 5 == in[t] % 5, i);
            thirds |= bit(!(in[i] % 3) == !(in[t] % 3), i);
            halves |= bit(i % 3 == 1 && in[i] % 2 == in[t] % 2, i);
        }
        const int *x = out + t * 8;
        CHECK((uint32_t)x[0] == fifths && (uint32_t)x[1] == thirds && x[2] == 0 && x[3] == 0);
        CHECK(x[4] == sum + most && x[5] == least - 20 - (int)bits);
        CHECK(x[6] == (t % 3 == 1 ? some + (int)odd : 0));
        CHECK((uint32_t)x[7] == (t % 3 == 1 ? halves : 0));
    }
    CHECK(out[AT] == sum && out[AT + 1] == most && out[AT + 2] == 9);
    CHECK(swapped[0] == 2.5f && swapped[1] == 0.5f);
}

TEST_DEVICES(blocks_of_cub) {
    enum { N = 96 };
    int in[N], out[5] = {0}, want[5] = {0}, value = -1;
    for (int t = 0; t < N; t++) {
        int x = in[t] = number_at(t);
        want[0] += x, want[1] = x > want[1] ? x : want[1];
        if (x && x % 7 == 0) want[2] = x;
        if (t < 50) want[3] += x;
        if (x % 9 > value) value = x % 9, want[4] = t * 10 + value;
    }
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in);
    tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_int(50)};
    launch("block_reduces<int>", N, arguments, 3);
    CHECK(!tern_read(to, 0, out, sizeof out) && !memcmp(out, want, sizeof out));
}

TEST_DEVICES(scans_of_cub) {
    enum { N = 64 };
    int in[N], out[N][7] = {{0}}, sum = 0, all = 0, most = 0, row = 0;
    for (int t = 0; t < N; t++) all += in[t] = number_at(t);
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in);
    launch("scans", N, (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from)}, 2);
    CHECK(!tern_read(to, 0, out, sizeof out));
    for (int t = 0; t < N; t++) {
        int warp = 0, least = 99, *x = out[t];
        if (t % 32 == 0) row = 0;
        for (int i = 0; i < 32; i++) warp += in[t / 32 * 32 + i];
        for (int i = 0; i < 8; i++) least = in[t / 8 * 8 + i] < least ? in[t / 8 * 8 + i] : least;
        CHECK(x[1] == sum && x[2] == all && x[4] == row && x[5] == warp && x[6] == least);
        sum += in[t], row += in[t], most = in[t] > most ? in[t] : most;
        CHECK(x[0] == sum && x[3] == most);
    }
}

/* ---- halves ---- */

static double small(FloatKind kind, double x) {
    return float_decode(kind, float_encode(kind, x, FLOAT_NEAREST_EVEN));
}
static uint16_t half_bits(double x) {
    return (uint16_t)float_encode(FLOAT_F16, x, FLOAT_NEAREST_EVEN);
}

TEST_DEVICES(halves) {
    enum { N = 16 };
    uint16_t in[N + 1], out[N][8] = {{0}}, brain[N] = {0};
    float wide[N] = {0};
    for (int t = 0; t <= N; t++) in[t] = half_bits((t * 37 % 19 - 9) / 7.0);
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in),
                *b = filled(brain, sizeof brain), *w = filled(wide, sizeof wide);
    tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_buffer(b),
                                 tern_arg_buffer(w)};
    launch("halves", N, arguments, 4);
    CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(b, 0, brain, sizeof brain) &&
          !tern_read(w, 0, wide, sizeof wide));
    double c = small(FLOAT_F16, 0.1f), q = small(FLOAT_F16, 0.3f);
    for (int t = 0; t < N; t++) {
        double x = float_decode(FLOAT_F16, in[t]), y = float_decode(FLOAT_F16, in[t + 1]);
        uint16_t fused = half_bits(x * y + c);
        CHECK(out[t][0] == fused && out[t][1] == fused);
        CHECK(out[t][2] == half_bits(small(FLOAT_F16, x + y) / c) && out[t][3] == (in[t] ^ 0x8000));
        double low = small(FLOAT_F16, x * q + q), high = small(FLOAT_F16, y * q + q);
        /* one fma; of two constants the product is one, too */
        CHECK(out[t][4] == half_bits(low + x * q));
        CHECK(out[t][5] == half_bits(high + small(FLOAT_F16, q * c)));
        double chosen = x > y ? x : (double)expf((float)x);
        CHECK(fabs(float_decode(FLOAT_F16, out[t][6]) - chosen) <= fabs(chosen) * 0x1p-10);
        CHECK(out[t][7] == (in[t] ^ 0x8000));
        double z = small(FLOAT_BF16, x), sum = small(FLOAT_BF16, z * z + z);
        CHECK(brain[t] == float_encode(FLOAT_BF16, sum, FLOAT_NEAREST_EVEN));
        CHECK(wide[t] == (float)((float)((float)sum + (float)x * 2) + y + (x == y) + (int)x));
    }
}

/* ---- functions ---- */

static bool within(double got, double want, double ulp, double least) {
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    return fabs(got - want) <= ulp * (fabs(want) + least);
}

TEST_DEVICES(functions) {
    enum { N = 48, FLOATS = 24, DOUBLES = 9 };
    static float in[N * 2], out[N][FLOATS];
    static double wide[N][DOUBLES];
    for (int i = 0; i < N * 2; i++) in[i] = (float)(i * 71 % 113 - 56) / (i % 7 ? 1.75f : 512.0f);
    tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in),
                *more = filled(wide, sizeof wide);
    tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(more), tern_arg_buffer(from)};
    launch("functions", N, arguments, 3);
    CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(more, 0, wide, sizeof wide));
    for (int t = 0; t < N; t++) {
        double x = in[t * 2], y = in[t * 2 + 1], a = fabs(x), part = (float)x / 40;
        double want[FLOATS] = {tan(x),
                               atan(x),
                               atan2(x, y),
                               asin(part),
                               acos(part),
                               sinh(x),
                               cosh(x),
                               log10(a),
                               log1p(a),
                               expm1(x),
                               cbrt(x),
                               hypot(x, y),
                               (float)pow(a, y),
                               round(x),
                               copysign(y, x),
                               pow(10, x),
                               asinh(x),
                               x > y ? x - y : 0,
                               x < 0   ? 0
                               : x > 1 ? 1
                                       : x,
                               (double)(float)(x * y) + x,
                               0,
                               0,
                               x > 0 ? 3.40282346638528859812e+38 : 0,
                               (float)(x * x) * x - 32};
        int low = ((int)x * 4) & -((int)x * 4);
        want[20] = 3.0517578125e-05;
        want[21] = (low ? __builtin_ctz((unsigned)low) + 1 : 0) + (double)0x07030804;
        for (int i = 0; i < FLOATS; i++) {
            bool fits = within(out[t][i], want[i], 1.2e-7, i == 23 ? 40 : 1e-38);
            if (!fits) printf("function %d of (%g, %g): %g, not %g\n", i, x, y, out[t][i], want[i]);
            CHECK(fits);
        }
        double exact[DOUBLES] = {atan2(x, y), asin(x / 40),  tan(x),      sinh(x),  log1p(x / 64),
                                 cbrt(x),     expm1(x / 32), hypot(x, y), pow(a, y)};
        for (int i = 0; i < DOUBLES; i++) {
            bool fits = within(wide[t][i], exact[i], 9e-16, 0);
            if (!fits)
                printf("double %d of (%g, %g): %.17g, not %.17g\n", i, x, y, wide[t][i], exact[i]);
            CHECK(fits);
        }
    }
}

/* ---- reports ---- */

TEST_DEVICES(grids) {
    enum { N = 190 };
    int x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i * 7 % 100, y[i] = 0;
    tern_buffer *in = filled(x, sizeof x), *out = filled(y, sizeof y);
    for (int times = 0; times < 2; times++) { /* the second launch finds what the first one left */
        blocks = 6;
        launch("meet", 32,
               (tern_argument[]){tern_arg_buffer(in), tern_arg_buffer(out), tern_arg_int(N)}, 3);
        blocks = 1;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < N; i++) y[i] = x[(i + 33) % N] + round;
            for (int i = 0; i < N; i++) x[i] = y[N - 1 - i];
        }
    }
    int got[2][N];
    CHECK(!tern_read(in, 0, got[0], sizeof x) && !tern_read(out, 0, got[1], sizeof y));
    CHECK(!memcmp(got[0], x, sizeof x) && !memcmp(got[1], y, sizeof y));
}

TEST_DEVICES(reports) {
    int out[32] = {0}, flag = 0;
    tern_buffer *to = filled(out, sizeof out), *word = filled(&flag, sizeof flag);
    tern_argument fine[] = {tern_arg_buffer(to), tern_arg_buffer(word), tern_arg_int(5)};
    launch("reports", 32, fine, 3);
    CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(word, 0, &flag, sizeof flag));
    CHECK(flag == 5 && out[0] == 1 && out[31] == 1);
    char *said = tern_take_output(context);
    CHECK_STR(said, "n = 5,  2.50% of all\n");
    free(said);
    tern_argument wrong[] = {tern_arg_buffer(to), tern_arg_buffer(word), tern_arg_int(7)};
    CHECK(launched("reports", 32, wrong, 3) != TERN_OK);
    CHECK(strstr(tern_message(context), "n < 7"));
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In which order threads print is not said. */
static void check_lines(char *said, const char *want) {
    char *lines[2][200], *copy = strdup(want), *texts[] = {said ? said : copy, copy};
    int counts[2] = {0};
    for (int i = 0; i < 2; i++) {
        for (char *line = strtok(texts[i], "\n"); line && counts[i] < 200;
             line = strtok(NULL, "\n"))
            lines[i][counts[i]++] = line;
        qsort(lines[i], (size_t)counts[i], sizeof *lines[i], by_text);
    }
    CHECK(said && counts[0] == counts[1]);
    for (int i = 0; i < counts[0] && i < counts[1]; i++) CHECK_STR(lines[0][i], lines[1][i]);
    free(said);
    free(copy);
}

/* Each thread's line is whole. */
TEST_DEVICES(texts) {
    static char want[10000];
    int used = 0;
    rows = 2;
    launch("texts", 20, (tern_argument[]){tern_arg_int(1ll << 40), tern_arg_float(0.7)}, 2);
    rows = 1;
    for (int t = 0; t < 40; t++) {
        used += snprintf(want + used, sizeof want - (size_t)used, "all\n");
        if (t == 3) used += snprintf(want + used, sizeof want - (size_t)used, "alone %.3g\n", 0.7f);
    }
    for (int t = 1; t < 40; t += 3) {
        double x = 0.7f * (float)t;
        used += snprintf(want + used, sizeof want - (size_t)used,
                         "%d|%-6d|%+.2e|%c|%x|%lld|%u%%|%05.1f|%g\n", t, -t, x, 'a' + t % 26, -t,
                         (1ll << 40) - t, 4000000000u + (unsigned)t, x, x * x);
        used += snprintf(want + used, sizeof want - (size_t)used, "%d %u %#lx|%8.3s|%i\n",
                         t * 9 % 256, (unsigned)t, 255l + t, "abcdef", -1);
    }
    check_lines(tern_take_output(context), want);
}

TEST_MAIN()
