// SPDX-License-Identifier: Apache-2.0
/* cpu_bench: the shipped kernels on the cpu device against what the machine allows: memcpy of the
 * same bytes (or a read-only pass), and for the product of matrices OpenBLAS, if it is found. Then
 * what it takes to get from source text to something callable, and to call it.
 *
 * Kernel and reference take turns in one process, so that whatever else the machine does falls on
 * both; a figure is the median over ROUNDS of the ratio within a round, with its quartiles. On one
 * thread the clock is that thread's CPU time, which other processes do not add to; on all it is the
 * wall clock. `limit` is what the kernel is meant to stay below: on one thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tern.h"

enum { ROUNDS = 21, SIZE = 4096, MATRIX = 1024, MOST_THREADS = 256 };

typedef struct Bench {
    tern_context *tern;
    int threads;
    const char *only;                            /* a part of the names of the figures to measure */
    char *x, *out;                               /* SIZE * SIZE floats each */
    tern_buffer *in_buffer, *out_buffer, *small; /* small: weights, partial sums .. */
} Bench;

/* ---- time ---- */

typedef struct Moment {
    double wall_ms, cpu_ms; /* cpu: of this thread */
} Moment;

static double clock_ms(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static Moment now(void) {
    return (Moment){clock_ms(CLOCK_MONOTONIC), clock_ms(CLOCK_THREAD_CPUTIME_ID)};
}

static Moment since(Moment start) {
    Moment end = now();
    return (Moment){end.wall_ms - start.wall_ms, end.cpu_ms - start.cpu_ms};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of ROUNDS figures, which it sorts: the one at this part of the way from the least to the most. */
static double quantile(double *figures, double part) {
    qsort(figures, ROUNDS, sizeof *figures, compare);
    return figures[(int)((ROUNDS - 1) * part + 0.5)];
}

typedef struct Rounds {
    double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS];
} Rounds;

static void rounds_set(const Bench *bench, Rounds *rounds, int i, Moment ours, Moment theirs) {
    bool alone = bench->threads == 1;
    rounds->ours[i] = alone ? ours.cpu_ms : ours.wall_ms;
    rounds->theirs[i] = alone ? theirs.cpu_ms : theirs.wall_ms;
    rounds->ratio[i] = rounds->ours[i] / rounds->theirs[i];
}

static void rounds_print(Rounds *rounds, const char *name, const char *reference, double limit) {
    printf("%-26s %8.3f ms  %-5s %8.3f ms  %5.2fx  %4.2f to %4.2f  limit %.1f\n", name,
           quantile(rounds->ours, 0.5), reference, quantile(rounds->theirs, 0.5),
           quantile(rounds->ratio, 0.5), quantile(rounds->ratio, 0.25),
           quantile(rounds->ratio, 0.75), limit);
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
        for (int k = 0; k < 4; k++) {
            __builtin_prefetch(&words[i + (size_t)k + 32]); /* as the kernels do: 2 KB ahead */
            sums[k] ^= words[i + (size_t)k];
        }
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
    double limit;
    bool halves; /* f16, not f32 */
    bool reads_only;
    tern_argument arguments[16];
    int num_arguments;
} Job;

static bool is_wanted(const Bench *bench, const char *name) { return strstr(name, bench->only); }

static int fail(Bench *bench, const char *name) {
    fprintf(stderr, "cpu_bench: %s: %s\n", name, tern_message(bench->tern));
    return 1;
}

static tern_kernel *compile(Bench *bench, const Job *job, tern_module **module) {
    *module = tern_load_file(bench->tern, job->file);
    return *module ? tern_compile(*module, job->function, job->signature, NULL) : NULL;
}

/* Numbers in [-4, 4), as f32 or as f16. */
static void fill(Bench *bench, bool halves) {
    const size_t count = (size_t)SIZE * SIZE;
    for (size_t i = 0; i < count; i++) {
        unsigned random = (unsigned)(i * 2654435761u) >> 8;
        if (halves) /* a sign, an exponent from 2^-2 to 2^1 and ten bits */
            ((unsigned short *)(void *)bench->x)[i] =
                (unsigned short)((random & 0x83ff) | (13 + (random >> 16 & 3)) << 10);
        else
            ((float *)(void *)bench->x)[i] = (float)(random % 8192) / 1024.0f - 4.0f;
    }
}

static int run_job(Bench *bench, const Job *job) {
    Rounds rounds;
    fill(bench, job->halves);
    tern_module *module;
    tern_kernel *kernel = compile(bench, job, &module);
    if (!kernel) return fail(bench, job->name);
    for (int i = -2; i < ROUNDS; i++) { /* the first two warm up */
        Moment start = now();
        in_parts(bench, job->size_bytes, job->reads_only ? read_part : copy_part);
        Moment theirs = since(start);
        start = now();
        if (tern_launch(NULL, kernel, (uint32_t[3]){job->grid, 1, 1}, job->arguments,
                        job->num_arguments) ||
            tern_synchronize(bench->tern))
            return fail(bench, job->name);
        if (i >= 0) rounds_set(bench, &rounds, i, since(start), theirs);
    }
    rounds_print(&rounds, job->name, job->reads_only ? "read" : "copy", job->limit);
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
         "kernels/gelu.py",
         "gelu_kernel",
         "*fp32:16,*fp32:16,i32:16,1024",
         SIZE * SIZE / 1024,
         bytes,
         1.4,
         false,
         false,
         {x, out, all},
         3},
        {"softmax f32 4096x4096",
         "kernels/softmax.py",
         "softmax_kernel",
         "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,4096",
         SIZE,
         bytes,
         1.7,
         false,
         false,
         {x, out, size, size, size},
         5},
        {"row mean f32 4096x4096",
         "kernels/row_mean.py",
         "row_mean_kernel",
         "*fp32:16,*fp32:16,i32:16,i32:16,1024",
         SIZE,
         bytes,
         1.1,
         false,
         true,
         {x, out, size, size},
         4},
        {"mean f32 4096x4096",
         "kernels/mean.py",
         "mean_kernel",
         "*fp32:16,*fp32:16,*i32:16,*fp32:16,i32:16,1024,64",
         64,
         bytes,
         1.1,
         false,
         true,
         {x, small, more, third, all},
         5},
        {"layer norm f16 4096x4096",
         "kernels/layer_norm.py",
         "layer_norm_kernel",
         "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32,4096",
         SIZE,
         bytes / 2,
         1.7,
         true,
         false,
         {x, out, small, more, third, fourth, size, size, tern_arg_float(1e-5)},
         9},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (is_wanted(bench, jobs[i].name) && run_job(bench, &jobs[i])) return 1;
    return 0;
}

/* ---- matrices ---- */

typedef void Sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

typedef struct Blas {
    Sgemm *sgemm; /* NULL: not installed */
    const char *core;
} Blas;

/* Its own choice is by the processor's model number, and one that it does not know, as of a virtual
 * machine, gets 16-byte vectors: name the core by what the processor can do. */
static void choose_core(void) {
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0); /* its threads stop spinning before our turn */
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    else if (__builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

static Blas find_openblas(int threads) {
    choose_core();
    Blas blas = {0};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return blas;
    void (*set_threads)(int);
    char *(*core)(void);
    *(void **)&blas.sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&core = dlsym(library, "openblas_get_corename");
    if (!set_threads || !core) return (Blas){0};
    set_threads(threads);
    blas.core = core();
    return blas;
}

static int run_matmul(Bench *bench) {
    enum { ROW_MAJOR = 101, AS_IS = 111 };
    Rounds rounds;
    const Job job = {
        .name = "matmul f32 1024^3",
        .file = "kernels/matmul.py",
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
    Blas blas = find_openblas(bench->threads);
    tern_module *module;
    tern_kernel *kernel = compile(bench, &job, &module);
    if (!kernel) return fail(bench, job.name);
    fill(bench, false);
    for (int i = -2; i < ROUNDS; i++) {
        Moment start = now();
        if (blas.sgemm)
            blas.sgemm(ROW_MAJOR, AS_IS, AS_IS, MATRIX, MATRIX, MATRIX, 1, left, MATRIX, right,
                       MATRIX, 0, (float *)(void *)bench->out, MATRIX);
        Moment theirs = since(start);
        start = now();
        if (tern_launch(NULL, kernel, (uint32_t[3]){64, 1, 1}, arguments, 9) ||
            tern_synchronize(bench->tern))
            return fail(bench, job.name);
        if (i >= 0) rounds_set(bench, &rounds, i, since(start), theirs);
    }
    double gflop = 2.0 * MATRIX * MATRIX * MATRIX / 1e9, ours = quantile(rounds.ours, 0.5),
           theirs = quantile(rounds.theirs, 0.5);
    if (blas.sgemm) {
        rounds_print(&rounds, job.name, "blas", 1.5);
        printf("%-26s %8.1f GFLOP/s     %8.1f GFLOP/s (OpenBLAS, core %s)\n", "",
               gflop / ours * 1e3, gflop / theirs * 1e3, blas.core);
    } else
        printf("%-26s %8.3f ms  %.1f GFLOP/s; skipped the comparison: no libopenblas.so.0 (apt-get "
               "install libopenblas0)\n",
               job.name, ours, gflop / ours * 1e3);
    tern_kernel_free(kernel);
    tern_module_free(module);
    return 0;
}

/* ---- latency ---- */

/* A small kernel, and the largest that is timed here. */
static const Job compile_jobs[] = {
    {.name = "softmax",
     .file = "kernels/softmax.py",
     .function = "softmax_kernel",
     .signature = "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1024",
     .limit = 150},
    {.name = "attention",
     .file = "bench/cpu_kernels.py",
     .function = "attention",
     .signature = "*bf16:16,*bf16:16,*bf16:16,*bf16:16,i32:16,fp32,64,64,64",
     .limit = 250},
};
static const Job launch_job = {.name = "softmax of 64 columns",
                               .file = "kernels/softmax.py",
                               .function = "softmax_kernel",
                               .signature = "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,64"};

/* Source text to callable in a new context, of which only the cache outlives it. */
static int time_compile(const Job *job, const char *cache, Moment *took) {
    char why[512] = "";
    tern_module *module = NULL;
    tern_open_options options = {.device = "cpu", .num_threads = 1, .cache_dir = cache};
    Bench bench = {.threads = 1, .tern = tern_open(&options, NULL, why, sizeof why)};
    if (!bench.tern) return fprintf(stderr, "cpu_bench: %s\n", why), 1;
    Moment start = now();
    tern_kernel *kernel = compile(&bench, job, &module);
    *took = since(start);
    int code = kernel ? 0 : fail(&bench, job->name);
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(bench.tern);
    return code;
}

/* CPU time of the compilers that have run. */
static double children_ms(void) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static int run_compile(const Job *job, const char *folder) {
    double cold[ROUNDS], theirs[ROUNDS], ours[ROUNDS], warm[ROUNDS], warm_ours[ROUNDS];
    char cache[512];
    for (int i = 0; i < ROUNDS; i++) {
        Moment took;
        double before = children_ms();
        snprintf(cache, sizeof cache, "%s/%s%d", folder, job->name, i);
        if (time_compile(job, cache, &took)) return 1;
        cold[i] = took.wall_ms, ours[i] = took.cpu_ms, theirs[i] = children_ms() - before;
        if (time_compile(job, cache, &took)) return 1;
        warm[i] = took.wall_ms, warm_ours[i] = took.cpu_ms;
    }
    printf("%-10s text to callable: cold %.1f ms (limit %.0f); CPU time: the C compiler %.1f ms, "
           "the rest %.2f ms (limit 5)\n",
           job->name, quantile(cold, 0.5), job->limit, quantile(theirs, 0.5), quantile(ours, 0.5));
    printf("%-27s from the cache on disk %.2f ms (limit 3), %.2f ms of it CPU time\n", "",
           quantile(warm, 0.5), quantile(warm_ours, 0.5));
    return 0;
}

static int run_launch(Bench *bench, uint32_t programs) {
    enum { LAUNCHES = 2000 };
    double wall_us[ROUNDS], cpu_us[ROUNDS];
    tern_argument size = tern_arg_int(64);
    tern_argument arguments[] = {tern_arg_buffer(bench->in_buffer),
                                 tern_arg_buffer(bench->out_buffer), size, size, size};
    tern_module *module;
    tern_kernel *kernel = compile(bench, &launch_job, &module);
    if (!kernel) return fail(bench, launch_job.name);
    for (int i = -1; i < ROUNDS; i++) {
        Moment start = now();
        for (int k = 0; k < LAUNCHES; k++)
            if (tern_launch(NULL, kernel, (uint32_t[3]){programs, 1, 1}, arguments, 5))
                return fail(bench, launch_job.name);
        if (tern_synchronize(bench->tern)) return fail(bench, launch_job.name);
        Moment took = since(start);
        if (i >= 0)
            wall_us[i] = took.wall_ms * 1e3 / LAUNCHES, cpu_us[i] = took.cpu_ms * 1e3 / LAUNCHES;
    }
    printf("launch of softmax, %u row%s of 64: %.2f us (limit 2), %.2f us of it CPU time\n",
           programs, programs > 1 ? "s" : "", quantile(wall_us, 0.5), quantile(cpu_us, 0.5));
    tern_kernel_free(kernel);
    tern_module_free(module);
    return 0;
}

static int run_all(int threads, const char *cache, const char *only) {
    char why[512] = "";
    size_t bytes = (size_t)SIZE * SIZE * 4;
    Bench bench = {.threads = threads,
                   .only = only,
                   .x = aligned_alloc(4096, bytes),
                   .out = aligned_alloc(4096, bytes)};
    if (!bench.x || !bench.out) return fprintf(stderr, "cpu_bench: no memory\n"), 1;
    tern_open_options options = {.device = "cpu", .num_threads = threads, .cache_dir = cache};
    bench.tern = tern_open(&options, NULL, why, sizeof why);
    if (!bench.tern) return fprintf(stderr, "cpu_bench: %s\n", why), 1;
    memset(bench.out, 0, bytes);
    bench.in_buffer = tern_wrap(bench.tern, bench.x, bytes);
    bench.out_buffer = tern_wrap(bench.tern, bench.out, bytes);
    bench.small = tern_alloc(bench.tern, 1 << 20);
    printf("\n%s (%s), by the %s\n", tern_device_name(bench.tern),
           tern_device_description(bench.tern), threads == 1 ? "thread's CPU time" : "wall clock");
    int code = !bench.in_buffer || !bench.out_buffer || !bench.small || tern_fill(bench.small, 0);
    if (code) fail(&bench, "buffers");
    if (!code) code = run_memory_jobs(&bench);
    if (!code && is_wanted(&bench, "matmul")) code = run_matmul(&bench);
    if (!code && is_wanted(&bench, "launch")) code = run_launch(&bench, 1) || run_launch(&bench, 8);
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
    const char *only = argc == 3 ? argv[2] : "";
    if (argc != 2 && argc != 3)
        return fprintf(stderr, "usage: cpu_bench CACHE_FOLDER [PART OF A NAME]\n"
                               "The folder is empty: for cold compilations.\n"),
               2;
    for (int count = 1; count <= threads;
         count = count == 1 && threads > 1 ? threads : threads + 1) {
        snprintf(cache, sizeof cache, "%s/%d", argv[1], count);
        if (run_all(count, cache, only)) return 1;
    }
    putchar('\n');
    for (size_t i = 0; i < sizeof compile_jobs / sizeof *compile_jobs; i++)
        if (strstr("compile", only) && run_compile(&compile_jobs[i], argv[1])) return 1;
    return 0;
}
