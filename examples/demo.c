// SPDX-License-Identifier: Apache-2.0
/* demo: row softmax from kernels/softmax.py on the CPU: checked against float64, timed against
 * memcpy of the same bytes. What `make demo` runs; uses tern.h as any program would.
 *
 *     demo [KERNEL_FILE]                                                                         */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tern.h>
#include <time.h>

enum { ROWS = 1823, COLUMNS = 781, SIZE = 4096, ROUNDS = 15 };

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers from about -4 to 4, the same in each run. */
static void fill(float *x, size_t count) {
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / 0x1p21f - 4.0f;
    }
}

static double largest_error(const float *x, const float *got, int rows, int columns) {
    double worst = 0;
    for (int row = 0; row < rows; row++, x += columns, got += columns) {
        double top = (double)x[0], sum = 0;
        for (int i = 0; i < columns; i++) top = fmax(top, (double)x[i]);
        for (int i = 0; i < columns; i++) sum += exp((double)x[i] - top);
        for (int i = 0; i < columns; i++) {
            double want = exp((double)x[i] - top) / sum;
            worst = fmax(worst, fabs((double)got[i] - want) / want);
        }
    }
    return worst;
}

static int fail(tern_context *tern) {
    fprintf(stderr, "demo: %s\n", tern_message(tern));
    return 1;
}

static tern_status launch(tern_kernel *kernel, tern_buffer *x, tern_buffer *out, int rows,
                          int columns) {
    tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(out), tern_arg_int(columns),
                                 tern_arg_int(columns), tern_arg_int(columns)};
    return tern_launch(NULL, kernel, (uint32_t[3]){(uint32_t)rows, 1, 1}, arguments, 5);
}

static int check(tern_context *tern, tern_module *module, float *x, float *out) {
    double start = now_ms();
    tern_kernel *kernel =
        tern_compile(module, "softmax_kernel", "*fp32:16,*fp32:16,i32,i32,i32,1024", NULL);
    if (!kernel) return fail(tern);
    printf("compiled in %.1f ms\n", now_ms() - start);
    size_t bytes = (size_t)ROWS * COLUMNS * sizeof *x;
    tern_buffer *from = tern_wrap(tern, x, bytes), *to = tern_wrap(tern, out, bytes);
    if (!from || !to || launch(kernel, from, to, ROWS, COLUMNS) || tern_synchronize(tern))
        return fail(tern);
    double error = largest_error(x, out, ROWS, COLUMNS);
    bool right = error < 1e-5;
    printf("%d x %d: largest relative error against float64: %.2g: %s\n", ROWS, COLUMNS, error,
           right ? "ok" : "WRONG");
    tern_buffer_free(from);
    tern_buffer_free(to);
    tern_kernel_free(kernel);
    return right ? 0 : 1;
}

/* The two are interleaved, so that whatever else the machine does falls on both. */
static int measure(tern_context *tern, tern_module *module, float *x, float *out) {
    double kernel_ms[ROUNDS], copy_ms[ROUNDS];
    size_t bytes = (size_t)SIZE * SIZE * sizeof *x;
    tern_kernel *kernel =
        tern_compile(module, "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,4096", NULL);
    if (!kernel) return fail(tern);
    tern_buffer *from = tern_wrap(tern, x, bytes), *to = tern_wrap(tern, out, bytes);
    if (!from || !to) return fail(tern);
    for (int i = -2; i < ROUNDS; i++) { /* the first two warm up */
        double start = now_ms();
        memcpy(out, x, bytes);
        double middle = now_ms();
        if (launch(kernel, from, to, SIZE, SIZE) || tern_synchronize(tern)) return fail(tern);
        double end = now_ms();
        if (i >= 0) copy_ms[i] = middle - start, kernel_ms[i] = end - middle;
    }
    qsort(kernel_ms, ROUNDS, sizeof *kernel_ms, compare);
    qsort(copy_ms, ROUNDS, sizeof *copy_ms, compare);
    printf("%d x %d, median of %d: softmax %.2f ms, memcpy of the same bytes (one thread) %.2f ms: "
           "%.2fx\n",
           SIZE, SIZE, ROUNDS, kernel_ms[ROUNDS / 2], copy_ms[ROUNDS / 2],
           kernel_ms[ROUNDS / 2] / copy_ms[ROUNDS / 2]);
    return 0;
}

int main(int argc, char **argv) {
    char why[512] = "";
    size_t bytes = (size_t)SIZE * SIZE * sizeof(float);
    tern_context *tern = tern_open(&(tern_open_options){.device = "cpu"}, NULL, why, sizeof why);
    if (!tern) return fprintf(stderr, "demo: %s\n", why), 1;
    printf("device: %s (%s)\n", tern_device_name(tern), tern_device_description(tern));
    tern_module *module = tern_load_file(tern, argc > 1 ? argv[1] : "kernels/softmax.py");
    float *x = aligned_alloc(256, bytes), *out = aligned_alloc(256, bytes);
    int code = !module ? fail(tern) : !x || !out ? 1 : 0;
    if (!code) {
        fill(x, (size_t)SIZE * SIZE);
        memset(out, 0xff, bytes);
        code = check(tern, module, x, out);
    }
    if (!code) code = measure(tern, module, x, out);
    free(x);
    free(out);
    tern_close(tern);
    return code;
}
