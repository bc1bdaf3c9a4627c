// SPDX-License-Identifier: Apache-2.0
/* The kernels of test/cuda/shapes.cu in blocks of all kinds of shapes, with sizes round the
 * block's, on each device that needs no GPU, against what they should compute, written again here
 * thread by thread. What lies behind an output must stay as it is. */
#include "test.h"
#include "base/base.h"
#include "tern.h"

enum { GRID = 3, MOST = GRID * 400, SENTINEL = -77 };

static const int blocks[][3] = {{1, 1, 1},  {31, 1, 1},  {33, 1, 1},  {96, 1, 1},
                                {16, 4, 1}, {20, 20, 1}, {256, 1, 1}, {4, 2, 3}};

typedef struct Case {
    const int *in;
    int *out;
    int n, threads;
} Case;

/* ---- what the kernels should compute, for thread t of block b ---- */

static void guarded(const Case *c, int b, int t) {
    int i = b * c->threads + t;
    if (i < c->n) c->out[i] = c->in[i] + t;
}

static void by_size_t(const Case *c, int b, int t) {
    int i = b * c->threads + t;
    if (i < c->n) c->out[i] = c->in[c->n - 1 - i] - 1;
}

static void stride(const Case *c, int b, int t) {
    if (b == 0 && t == 0)
        for (int i = 0; i < c->n; i++) c->out[i] = c->in[i] * 3;
}

static void collatz(const Case *c, int b, int t) {
    int i = b * c->threads + t, steps = 0;
    if (i >= c->n) return;
    for (int m = (c->in[i] & 1023) + 1; m != 1; steps++) m = m & 1 ? 3 * m + 1 : m >> 1;
    c->out[i] = steps;
}

static int sum_to(const Case *c, int b, int t) { /* of the block, up to thread t */
    int sum = 0;
    for (int i = b * c->threads; i <= b * c->threads + t && i < c->n; i++) sum += c->in[i];
    return sum;
}

static void sum(const Case *c, int b, int t) {
    if (t == 0) c->out[b] = sum_to(c, b, c->threads - 1);
}

static void scan(const Case *c, int b, int t) {
    if (b * c->threads + t < c->n) c->out[b * c->threads + t] = sum_to(c, b, t);
}

static void histogram(const Case *c, int b, int t) {
    int i = b * c->threads + t;
    if (i < c->n) c->out[c->in[i] & 15]++;
}

static void reverse(const Case *c, int b, int t) {
    int first = b * c->threads, end = first + c->threads < c->n ? first + c->threads : c->n;
    if (first + t < c->n) c->out[first + t] = c->in[end - 1 - t];
}

static void own(const Case *c, int b, int t) {
    int i = b * c->threads + t, sum = 0;
    if (i >= c->n) return;
    for (int k = 0; k <= (c->in[i] & 3); k++) sum += k * t;
    c->out[i] = sum + c->in[i];
}

static void twice(const Case *c, int b, int t) {
    int i = b * c->threads + t;
    if (i >= c->n) return;
    int before = c->in[i], now = c->in == c->out && before & 1 ? before + 1 : before;
    c->out[i] = now * 2 + before;
}

static void first(const Case *c, int b, int t) {
    int one = c->n % 7, i = b * c->threads + t, sums[2] = {0}; /* up to this thread, of all */
    for (int k = 0; k < c->threads; k++) {
        int v = c->in[b * c->threads + k];
        if (v & 1) sums[1] += v;
        if (k == t) sums[0] = sums[1];
    }
    bool runs = one < c->threads;
    if (t == one) c->out[i] += c->in[i] * 3 + sums[1] + t;
    if (i < c->n) c->out[i] += (runs ? sums[0] : c->in[i]) + (t == one ? sums[1] : 0);
}

static const struct Kernel {
    const char *name;
    void (*thread)(const Case *c, int b, int t);
} kernels[] = {
    {"guarded", guarded}, {"by_size_t", by_size_t}, {"stride", stride},       {"collatz", collatz},
    {"sum", sum},         {"scan", scan},           {"histogram", histogram}, {"reverse", reverse},
    {"own", own},         {"twice", twice},         {"first", first},
};

/* ---- runs ---- */

static bool launch(tern_context *context, tern_kernel *kernel, const Case *c, bool overlaps) {
    size_t bytes = sizeof *c->out * MOST;
    tern_buffer *x = tern_alloc(context, bytes), *y = tern_alloc(context, bytes);
    tern_buffer *out = overlaps ? x : y;
    tern_argument arguments[] = {tern_arg_buffer(out), tern_arg_buffer(x), tern_arg_int(c->n)};
    bool fine = !tern_write(x, 0, c->in, bytes) && !tern_write(y, 0, c->out, bytes) &&
                !tern_launch(NULL, kernel, (uint32_t[]){GRID, 1, 1}, arguments, 3) &&
                !tern_read(out, 0, c->out, bytes);
    if (!fine) printf("%s\n", tern_message(context));
    tern_buffer_free(x);
    tern_buffer_free(y);
    return fine;
}

static bool check(tern_context *context, const struct Kernel *k, tern_kernel *kernel,
                  const int *block, int n, bool overlaps) {
    static int in[MOST], out[MOST], want[MOST];
    for (int i = 0; i < MOST; i++) {
        in[i] = (i * 7919 + 13) % 4001 - 1000;
        out[i] = want[i] = k->thread == histogram ? 0 : SENTINEL;
    }
    if (overlaps) memcpy(want, in, sizeof in);
    Case c = {in, out, n, block[0] * block[1] * block[2]};
    bool fine = launch(context, kernel, &c, overlaps);
    c.out = want;
    if (overlaps) c.in = want;
    for (int b = 0; b < GRID; b++)
        for (int t = 0; t < c.threads; t++) k->thread(&c, b, t);
    fine = fine && !memcmp(out, want, sizeof out);
    if (!fine) printf("%s, block %d x %d x %d, n = %d\n", k->name, block[0], block[1], block[2], n);
    return fine;
}

static bool check_sizes(tern_context *context, const struct Kernel *k, const int *block) {
    int threads = block[0] * block[1] * block[2];
    int sizes[] = {0, 1, threads - 1, threads, threads + 1, 3 * threads};
    tern_module *module = tern_load_file(context, "test/cuda/shapes.cu");
    tern_options options = {.block = {block[0], block[1], block[2]},
                            .shared_bytes = (size_t)threads * sizeof(int),
                            .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, k->name, NULL, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    bool fine = kernel != NULL;
    for (int i = 0; i < COUNT(sizes) && fine; i++) {
        fine = check(context, k, kernel, block, sizes[i], false);
        if (fine && k->thread == twice) fine = check(context, k, kernel, block, sizes[i], true);
    }
    tern_kernel_free(kernel);
    tern_module_free(module);
    return fine;
}

/* On cpu each kernel in two of the shapes, and each shape with some kernels: a C compiler takes its
 * time. */
static void on_device(const char *device, int every) {
    tern_context *context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
    CHECK(context != NULL);
    for (int k = 0; context && k < COUNT(kernels); k++)
        for (int b = 0; b < COUNT(blocks); b++)
            if ((b + 3 * k) % every == 0) CHECK(check_sizes(context, &kernels[k], blocks[b]));
    tern_close(context);
}

TEST(on_sim) { on_device("sim", 1); }
TEST(on_interp) { on_device("interp", 1); }
TEST(on_cpu) { on_device("cpu", 4); }

TEST_MAIN()
