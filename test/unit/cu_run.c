// SPDX-License-Identifier: Apache-2.0
/* Kernels of CUDA C from test/cuda, run on each device that needs no GPU, against what they should
 * compute, written again here in plain C for the host. */
#include "test.h"
#include "tern.h"

static tern_context *context;

/* The context is then of the d-th device. */
static bool on_device(int d) {
    static const char *const devices[] = {"sim", "interp", "cpu", NULL};
    tern_close(context);
    context = NULL;
    if (!devices[d]) return false;
    context = tern_open(&(tern_open_options){.device = devices[d]}, NULL, NULL, 0);
    CHECK(context != NULL);
    return context != NULL;
}

#define ON_EACH_DEVICE for (int device = 0; on_device(device); device++)

static tern_kernel *compiled(const char *path, const char *name, int x, int y, size_t shared) {
    tern_module *module = tern_load_file(context, path);
    tern_options options = {.block = {x, y}, .shared_bytes = shared, .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, name, NULL, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel != NULL);
    tern_module_free(module);
    return kernel;
}

static tern_buffer *filled(const void *data, size_t bytes) {
    tern_buffer *buffer = tern_alloc(context, bytes);
    CHECK(buffer && tern_write(buffer, 0, data, bytes) == TERN_OK);
    return buffer;
}

static void launched(tern_kernel *kernel, int grid_x, int grid_y, const tern_argument *arguments,
                     int count) {
    uint32_t grid[] = {(uint32_t)grid_x, (uint32_t)grid_y, 1};
    tern_status status =
        kernel ? tern_launch(NULL, kernel, grid, arguments, count) : TERN_ERROR_COMPILE;
    if (kernel && status) printf("%s\n", tern_message(context));
    CHECK(status == TERN_OK);
    tern_kernel_free(kernel);
}

static float number_at(int i) { return (float)((i * 7919) % 1000 - 500) / 97.0f; }

/* ---- the kernels of the lectures ---- */

/* Rounded once at the end from double, as the source says; an ulp for tanh's last bit. */
static void check_gelu(const char *kernel_name, double factor) {
    enum { N = 3000 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = number_at(i);
    tern_kernel *kernel = compiled("test/cuda/wrapped.cu", kernel_name, 1024, 0, 0);
    tern_buffer *in = filled(x, sizeof x), *out = filled(y, sizeof y);
    launched(kernel, 3, 1,
             (tern_argument[]){tern_arg_buffer(in), tern_arg_buffer(out), tern_arg_int(N)}, 3);
    CHECK(tern_read(out, 0, y, sizeof y) == TERN_OK);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        double v = x[i], want = 0.5 * v * (1.0 + tanh(factor * (v + 0.044715 * v * v * v)));
        wrong += !(fabs(y[i] - want) <= fabs(want) * 1.2e-7 + 1e-15);
    }
    CHECK(wrong == 0);
}

TEST(gelu) { ON_EACH_DEVICE check_gelu("gelu_power", sqrt(2.0 / 3.14159265358979323846)); }
TEST(gelu_as_a_product) { ON_EACH_DEVICE check_gelu("gelu_product", 0.79788456); }

static void check_square_matrix(void) {
    enum { W = 37, H = 21 };
    static float x[W * H], y[W * H];
    for (int i = 0; i < W * H; i++) x[i] = number_at(i);
    tern_kernel *kernel = compiled("test/cuda/wrapped.cu", "square_kernel", 16, 16, 0);
    tern_buffer *in = filled(x, sizeof x), *out = filled(y, sizeof y);
    tern_argument arguments[] = {tern_arg_buffer(in), tern_arg_buffer(out), tern_arg_int(W),
                                 tern_arg_int(H)};
    launched(kernel, 3, 2, arguments, 4);
    CHECK(tern_read(out, 0, y, sizeof y) == TERN_OK);
    for (int i = 0; i < W * H; i++) CHECK(y[i] == x[i] * x[i]);
}

TEST(square_matrix) { ON_EACH_DEVICE check_square_matrix(); }

/* ---- the usual ones ---- */

enum { N = 1000 };
static float a[N], b[N], c[N];

static void numbers(void) {
    for (int i = 0; i < N; i++) a[i] = number_at(i), b[i] = number_at(3 * i + 1), c[i] = 0;
}

static void check_vector_add(void) {
    numbers();
    tern_kernel *kernel = compiled("test/cuda/kernels.cu", "vectorAdd", 96, 0, 0);
    tern_buffer *x = filled(a, sizeof a), *y = filled(b, sizeof b), *out = filled(c, sizeof c);
    tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_buffer(out),
                                 tern_arg_int(N)};
    launched(kernel, 11, 1, arguments, 4);
    CHECK(tern_read(out, 0, c, sizeof c) == TERN_OK);
    for (int i = 0; i < N; i++) CHECK(c[i] == a[i] + b[i] + 0.0f);
}

TEST(vector_add) { ON_EACH_DEVICE check_vector_add(); }

static void check_saxpy(void) {
    numbers();
    tern_kernel *kernel = compiled("test/cuda/kernels.cu", "saxpy", 33, 0, 0);
    tern_buffer *x = filled(a, sizeof a), *y = filled(b, sizeof b);
    tern_argument arguments[] = {tern_arg_int(N), tern_arg_float(1.7f), tern_arg_buffer(x),
                                 tern_arg_buffer(y)};
    launched(kernel, 3, 1, arguments, 4);
    CHECK(tern_read(y, 0, c, sizeof c) == TERN_OK);
    for (int i = 0; i < N; i++) CHECK(c[i] == fmaf(1.7f, a[i], b[i]));
}

TEST(saxpy) { ON_EACH_DEVICE check_saxpy(); }

static void check_block_sum(void) {
    float sum = 0, want = 0;
    for (int i = 0; i < N; i++) a[i] = (float)(i % 64), want += a[i]; /* exact in any order */
    tern_kernel *kernel = compiled("test/cuda/kernels.cu", "block_sum", 256, 0, 0);
    tern_buffer *x = filled(a, sizeof a), *out = filled(&sum, sizeof sum);
    launched(kernel, 4, 1,
             (tern_argument[]){tern_arg_buffer(x), tern_arg_buffer(out), tern_arg_int(N)}, 3);
    CHECK(tern_read(out, 0, &sum, sizeof sum) == TERN_OK && sum == want);
}

TEST(block_sum) { ON_EACH_DEVICE check_block_sum(); }

static void check_transpose(void) {
    enum { W = 40, H = 25 };
    numbers();
    tern_kernel *kernel = compiled("test/cuda/kernels.cu", "transpose", 16, 16, 0);
    tern_buffer *in = filled(a, sizeof a), *out = filled(c, sizeof c);
    tern_argument arguments[] = {tern_arg_buffer(out), tern_arg_buffer(in), tern_arg_int(W),
                                 tern_arg_int(H)};
    launched(kernel, 3, 2, arguments, 4);
    CHECK(tern_read(out, 0, c, sizeof c) == TERN_OK);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) CHECK(c[x * H + y] == a[y * W + x]);
}

TEST(transpose) { ON_EACH_DEVICE check_transpose(); }

static void check_matmul(void) {
    enum { ROWS = 20, COLUMNS = 30, INNER = 33 };
    numbers();
    tern_kernel *kernel = compiled("test/cuda/kernels.cu", "matmul", 16, 16, 0);
    tern_buffer *x = filled(a, sizeof a), *y = filled(b, sizeof b), *out = filled(c, sizeof c);
    tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(y),    tern_arg_buffer(out),
                                 tern_arg_int(ROWS), tern_arg_int(COLUMNS), tern_arg_int(INNER)};
    launched(kernel, 2, 2, arguments, 6);
    CHECK(tern_read(out, 0, c, sizeof c) == TERN_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float want = 0;
        for (int k = 0; k < INNER; k++)
            want = fmaf(a[i / COLUMNS * INNER + k], b[k * COLUMNS + i % COLUMNS], want);
        CHECK(c[i] == want);
    }
}

TEST(matmul) { ON_EACH_DEVICE check_matmul(); }

/* ---- the language ---- */

enum { THREADS = 40 };

static void run_language(const char *name, size_t shared, const int *in, int *out) {
    tern_kernel *kernel = compiled("test/cuda/language.cu", name, THREADS, 0, shared);
    tern_buffer *to = filled(out, sizeof *out * THREADS), *from = filled(in, sizeof *in * THREADS);
    tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_int(THREADS)};
    launched(kernel, 1, 1, arguments, 3);
    CHECK(tern_read(to, 0, out, sizeof *out * THREADS) == TERN_OK);
}

static int gcd(int x, int y) { return y ? gcd(y, x % y) : x; }

static void check_loops(void) {
    int in[THREADS], out[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) in[i] = i * 5 % 37;
    run_language("loops", 0, in, out);
    for (int i = 0; i < THREADS; i++) {
        int sum = 0, j = 0, first = -1;
        for (int k = 0; k <= i; k++) sum += k == 3 ? 0 : k;
        for (j = 3; j < i && (j == 9 || sum <= 100); j += 3) {
        }
        for (; j > 2; j--) sum += 1;
        j--;
        for (int k = THREADS - 1; k >= 0; k--)
            if (in[k] > i) first = k;
        CHECK(out[i] == sum * 1000 + j + gcd(i + 12, 18) + first);
    }
}

TEST(loops) { ON_EACH_DEVICE check_loops(); }

static void check_choices(void) {
    int in[THREADS], out[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) in[i] = i * 3 % 11;
    run_language("choices", 0, in, out);
    for (int i = 0; i < THREADS; i++) {
        static const int by_case[] = {10, 25, 25, 5, -1, 0, -1};
        int r = by_case[in[i] % 7];
        if (in[i] % 7 == 5) r = i > 3 ? 6 : 0;
        if (i % 2)
            r += i % 3 == 0 ? 100 : 200;
        else if (i == 4)
            r = ((r > 0) - (r < 0)) * 7;
        int before = i > 1 ? in[i - 1] : 0;
        CHECK(out[i] == r + (before > 3 ? before : -in[i]));
    }
}

TEST(choices) { ON_EACH_DEVICE check_choices(); }

static void check_records(void) {
    int in[THREADS], out[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) in[i] = (i * 13) % 50;
    run_language("records", 0, in, out);
    for (int i = 0; i < THREADS; i++) {
        static const int table[] = {1, 10, 100, 0}, cells[2][3] = {{1, 2, 3}, {4, 5, 6}};
        int low = in[i] < i ? in[i] : i, high = in[i] < i ? i : in[i];
        int want = i + table[i % 4] + 6 + 20 + 7 + 19 + 0 + cells[i % 2][i % 3] + high * 6 + 6 +
                   20 + 16 + low;
        CHECK(out[i] == want);
    }
}

TEST(records) { ON_EACH_DEVICE check_records(); }

static void check_pointers(void) {
    int in[THREADS], out[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) in[i] = 1000 + i * 11;
    run_language("pointers", 2 * THREADS, in, out);
    for (int i = 0; i < THREADS; i++) {
        int k = i % 8, other = THREADS - 1 - i;
        int where = i % 2 ? in[k] : k * k + i, small = other + 1 < THREADS ? in[other + 1] : -1;
        CHECK(out[i] == where + small + (THREADS - i - 1) + k * k + i + 1);
    }
}

TEST(pointers) { ON_EACH_DEVICE check_pointers(); }

static void check_atomics(void) {
    int in[THREADS], out[THREADS] = {0, 0, 0, 100};
    for (int i = 0; i < THREADS; i++) in[i] = (i * 17) % 41 - 20;
    run_language("atomics", 0, in, out);
    int want[] = {0, 0, 42, 100 - 2 * THREADS, THREADS, THREADS};
    for (int i = 0; i < THREADS; i++) {
        want[0] = in[i] > want[0] ? in[i] : want[0];
        want[1] = in[i] < want[1] ? in[i] : want[1];
    }
    for (int i = 0; i < 6; i++) CHECK(out[i] == want[i]);
}

TEST(atomics) { ON_EACH_DEVICE check_atomics(); }

TEST_MAIN()
