// SPDX-License-Identifier: Apache-2.0
/* cpu_bench: the shipped kernels on the cpu device against what memory allows: a copy of the same
 * bytes (or a read-only pass), and for the product of matrices against OpenBLAS, if it is found.
 *
 * Kernel and reference are interleaved in one process, so that whatever else the machine does falls
 * on both; medians of ROUNDS. On one thread and on all that this process may use. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tern.h"

enum { ROUNDS = 15, SIZE = 4096, MATRIX = 1024, MOST_THREADS = 256 };

typedef struct Bench {
    tern_context *tern;
    int threads;
    char *x, *out;                               /* SIZE * SIZE floats each */
    tern_buffer *in_buffer, *out_buffer, *small; /* small: weights, partial sums .. */
} Bench;

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times) {
    qsort(times, ROUNDS, sizeof *times, compare);
    return times[ROUNDS / 2];
}

/* ---- references ---- */

typedef struct Part {
    char *to;
    const char *from;
    size_t size_bytes;
    unsigned long long sum;
} Part;

static void *copy_part(void *argument) {
    Part *part = argument;
    memcpy(part->to, part->from, part->size_bytes);
    return NULL;
}

typedef unsigned long long Words __attribute__((vector_size(64), aligned(8), may_alias));

static void *read_part(void *argument) {
    Part *part = argument;
    const Words *words = (const void *)part->from;
    Words sums[4] = {{0}};
    for (size_t i = 0; i + 4 <= part->size_bytes / sizeof *words; i += 4)
        for (int k = 0; k < 4; k++) sums[k] ^= words[i + (size_t)k];
    sums[0] ^= sums[1] ^ sums[2] ^ sums[3];
    for (int k = 0; k < 8; k++) part->sum ^= sums[0][k];
    return NULL;
}

static volatile unsigned long long sink; /* keeps the reads from being dropped */

static void in_parts(Bench *bench, size_t size_bytes, void *(*work)(void *)) {
    Part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    size_t step = size_bytes / (size_t)bench->threads / 64 * 64;
    for (int i = 0; i < bench->threads; i++) {
        size_t start = step * (size_t)i, size = i + 1 == bench->threads ? size_bytes - start : step;
        parts[i] = (Part){bench->out + start, bench->x + start, size, 0};
        if (i && pthread_create(&threads[i], NULL, work, &parts[i])) abort();
    }
    work(&parts[0]);
    for (int i = 1; i < bench->threads; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < bench->threads; i++) sink ^= parts[i].sum;
}

/* ---- kernels ---- */

typedef struct Job {
    const char *name, *file, *function, *signature;
    uint32_t grid;
    size_t size_bytes; /* that the reference copies or reads */
    bool reads_only;
    tern_argument arguments[16];
    int num_arguments;
} Job;

static int fail(Bench *bench, const char *name) {
    fprintf(stderr, "cpu_bench: %s: %s\n", name, tern_message(bench->tern));
    return 1;
}

static tern_kernel *compile(Bench *bench, const Job *job, tern_module **module) {
    char path[256];
    snprintf(path, sizeof path, "kernels/%s.py", job->file);
    *module = tern_load_file(bench->tern, path);
    return *module ? tern_compile(*module, job->function, job->signature, NULL) : NULL;
}

static int run_job(Bench *bench, const Job *job) {
    double kernel_ms[ROUNDS], reference_ms[ROUNDS];
    tern_module *module;
    tern_kernel *kernel = compile(bench, job, &module);
    if (!kernel) return fail(bench, job->name);
    for (int i = -2; i < ROUNDS; i++) { /* the first two warm up */
        double start = now_ms();
        in_parts(bench, job->size_bytes, job->reads_only ? read_part : copy_part);
        double middle = now_ms();
        if (tern_launch(NULL, kernel, (uint32_t[3]){job->grid, 1, 1}, job->arguments,
                        job->num_arguments) ||
            tern_synchronize(bench->tern))
            return fail(bench, job->name);
        if (i >= 0) kernel_ms[i] = now_ms() - middle, reference_ms[i] = middle - start;
    }
    double ours = median(kernel_ms), reference = median(reference_ms);
    printf("%-28s %9.3f ms   %-6s %9.3f ms   %5.2fx\n", job->name, ours,
           job->reads_only ? "read" : "copy", reference, ours / reference);
    tern_kernel_free(kernel);
    tern_module_free(module);
    return 0;
}

static int run_memory_jobs(Bench *bench) {
    tern_argument x = tern_arg_buffer(bench->in_buffer), out = tern_arg_buffer(bench->out_buffer);
    tern_argument size = tern_arg_int(SIZE), all = tern_arg_int((int64_t)SIZE * SIZE);
    tern_argument small = tern_arg_buffer(bench->small), more = small, third = small,
                  fourth = small;
    size_t bytes = (size_t)SIZE * SIZE * 4;
    more.offset = 1 << 16, third.offset = 2 << 16, fourth.offset = 3 << 16;
    const Job jobs[] = {
        {"gelu f32 4096x4096",
         "gelu",
         "gelu_kernel",
         "*fp32:16,*fp32:16,i32:16,1024",
         SIZE * SIZE / 1024,
         bytes,
         false,
         {x, out, all},
         3},
        {"softmax f32 4096x4096",
         "softmax",
         "softmax_kernel",
         "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,4096",
         SIZE,
         bytes,
         false,
         {x, out, size, size, size},
         5},
        {"row mean f32 4096x4096",
         "row_mean",
         "row_mean_kernel",
         "*fp32:16,*fp32:16,i32:16,i32:16,1024",
         SIZE,
         bytes,
         true,
         {x, out, size, size},
         4},
        {"layer norm f16 4096x4096",
         "layer_norm",
         "layer_norm_kernel",
         "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32,4096",
         SIZE,
         bytes / 2,
         false,
         {x, out, small, more, third, fourth, size, size, tern_arg_float(1e-5)},
         9},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (run_job(bench, &jobs[i])) return 1;
    return 0;
}

/* ---- matrices ---- */

typedef void Sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

static Sgemm *find_openblas(int threads) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    Sgemm *sgemm;
    void (*set_threads)(int);
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads) set_threads(threads);
    return sgemm;
}

static int run_matmul(Bench *bench) {
    enum { ROW_MAJOR = 101, AS_IS = 111 };
    double ours_ms[ROUNDS], theirs_ms[ROUNDS];
    const Job job = {
        .name = "matmul f32 1024^3",
        .file = "matmul",
        .function = "matmul_kernel",
        .signature = "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,i32:1,i32:16,i32:1,"
                     "i32:16,i32:1,128,128,64,8"};
    tern_argument a = tern_arg_buffer(bench->in_buffer), b = a,
                  c = tern_arg_buffer(bench->out_buffer);
    tern_argument size = tern_arg_int(MATRIX);
    b.offset = (size_t)MATRIX * MATRIX * 4;
    /* The inner strides are 1: constants, which are not passed. */
    tern_argument arguments[] = {a, b, c, size, size, size, size, size, size};
    const float *left = (const void *)bench->x, *right = left + MATRIX * MATRIX;
    Sgemm *sgemm = find_openblas(bench->threads);
    tern_module *module;
    tern_kernel *kernel = compile(bench, &job, &module);
    if (!kernel) return fail(bench, job.name);
    for (int i = -2; i < ROUNDS; i++) {
        double start = now_ms();
        if (sgemm)
            sgemm(ROW_MAJOR, AS_IS, AS_IS, MATRIX, MATRIX, MATRIX, 1, left, MATRIX, right, MATRIX,
                  0, (float *)(void *)bench->out, MATRIX);
        double middle = now_ms();
        if (tern_launch(NULL, kernel, (uint32_t[3]){64, 1, 1}, arguments, 9) ||
            tern_synchronize(bench->tern))
            return fail(bench, job.name);
        if (i >= 0) ours_ms[i] = now_ms() - middle, theirs_ms[i] = middle - start;
    }
    double ours = median(ours_ms), theirs = median(theirs_ms),
           gflop = 2.0 * MATRIX * MATRIX * MATRIX / 1e9;
    printf("%-28s %9.3f ms   ", job.name, ours);
    if (sgemm)
        printf("%-6s %9.3f ms   %5.2fx   (%.1f and %.1f GFLOP/s)\n", "blas", theirs, ours / theirs,
               gflop / ours * 1e3, gflop / theirs * 1e3);
    else
        printf("(%.1f GFLOP/s; for a comparison: apt-get install libopenblas0)\n",
               gflop / ours * 1e3);
    tern_kernel_free(kernel);
    tern_module_free(module);
    return 0;
}

/* ---- latency ---- */

static int run_latency(Bench *bench) {
    const Job job = {.name = "latency",
                     .file = "softmax",
                     .function = "softmax_kernel",
                     .signature = "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,64"};
    tern_argument size = tern_arg_int(64);
    tern_argument arguments[] = {tern_arg_buffer(bench->in_buffer),
                                 tern_arg_buffer(bench->out_buffer), size, size, size};
    double compile_ms[2];
    tern_module *module = NULL;
    tern_kernel *kernel = NULL;
    for (int i = 0; i < 2; i++) {
        double start = now_ms();
        kernel = compile(bench, &job, &module);
        compile_ms[i] = now_ms() - start;
        if (!kernel) return fail(bench, job.name);
    }
    enum { LAUNCHES = 20000 };
    double start = now_ms();
    for (int i = 0; i < LAUNCHES; i++)
        if (tern_launch(NULL, kernel, (uint32_t[3]){1, 1, 1}, arguments, 5))
            return fail(bench, job.name);
    if (tern_synchronize(bench->tern)) return fail(bench, job.name);
    printf("%-28s first %.2f ms, again %.2f ms (from the cache); launch of one program %.3f us\n",
           "softmax, text to callable", compile_ms[0], compile_ms[1],
           (now_ms() - start) * 1e3 / LAUNCHES);
    return 0;
}

static int run_all(int threads, const char *cache) {
    char why[512] = "";
    size_t bytes = (size_t)SIZE * SIZE * 4;
    Bench bench = {
        .threads = threads, .x = aligned_alloc(4096, bytes), .out = aligned_alloc(4096, bytes)};
    if (!bench.x || !bench.out) return fprintf(stderr, "cpu_bench: no memory\n"), 1;
    tern_open_options options = {.device = "cpu", .num_threads = threads, .cache_dir = cache};
    bench.tern = tern_open(&options, NULL, why, sizeof why);
    if (!bench.tern) return fprintf(stderr, "cpu_bench: %s\n", why), 1;
    for (size_t i = 0; i < bytes / 4; i++)
        ((float *)(void *)bench.x)[i] = (float)(i * 2654435761u % 8191) / 1024.0f - 4.0f;
    memset(bench.out, 0, bytes);
    bench.in_buffer = tern_wrap(bench.tern, bench.x, bytes);
    bench.out_buffer = tern_wrap(bench.tern, bench.out, bytes);
    bench.small = tern_alloc(bench.tern, 1 << 20);
    printf("\n%s (%s), %d thread%s\n", tern_device_name(bench.tern),
           tern_device_description(bench.tern), threads, threads == 1 ? "" : "s");
    int code = !bench.in_buffer || !bench.out_buffer || !bench.small || tern_fill(bench.small, 0);
    if (code) fail(&bench, "buffers");
    if (!code) code = run_memory_jobs(&bench);
    if (!code) code = run_matmul(&bench);
    if (!code) code = run_latency(&bench);
    tern_close(bench.tern);
    free(bench.x);
    free(bench.out);
    return code;
}

int main(int argc, char **argv) {
    cpu_set_t set;
    char cache[512];
    int threads = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (argc != 2)
        return fprintf(stderr, "usage: cpu_bench CACHE_FOLDER (empty: for cold compilations)\n"), 2;
    for (int count = 1; count <= threads;
         count = count == 1 && threads > 1 ? threads : threads + 1) {
        snprintf(cache, sizeof cache, "%s/%d", argv[1], count);
        if (run_all(count, cache)) return 1;
    }
    return 0;
}
