// SPDX-License-Identifier: Apache-2.0
/* sim_bench: how many instructions of single lanes the simulator executes a second, on shipped
 * kernels and on two whose memory accesses are its worst case. All checks are on and counting is,
 * as always; without a seed and with one. Processor time of this process, so that what else runs
 * here counts less; the first launch, which finds no memory of an earlier one, and the median of
 * ROUNDS more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tern.h"

enum { ROUNDS = 5, ELEMENTS = 1 << 18, WANTED = 20 };

static const char own_source[] = "import triton\nimport triton.language as tl\n\n"
                                 "@triton.jit\n"
                                 "def strided(x, y, S: tl.constexpr, BLOCK: tl.constexpr):\n"
                                 "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    tl.store(y + i, tl.load(x + i * S))\n\n"
                                 "@triton.jit\n"
                                 "def turned(x, y, N: tl.constexpr):\n"
                                 "    i = tl.arange(0, N)\n"
                                 "    p = tl.program_id(0) * N * N + i[:, None] * N + i[None, :]\n"
                                 "    tl.store(y + p, tl.trans(tl.load(x + p)))\n";

typedef struct Job {
    const char *file, *function, *signature; /* file NULL: of own_source */
    uint32_t grid;
    int num_arguments;
    tern_argument arguments[10];
} Job;

typedef struct Sums {
    double lanes, seconds, slowest;
} Sums;

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of all launches so far. */
static double lane_instructions(tern_kernel *kernel) {
    static const char key[] = "\"lane_instructions\": ";
    char *json = tern_kernel_counters(kernel, true);
    const char *at = json ? strstr(json, key) : NULL;
    double number = at ? strtod(at + sizeof key - 1, NULL) : 0;
    tern_free(json);
    return number;
}

static int fail(tern_context *context, const char *what) {
    fprintf(stderr, "sim_bench: %s: %s\n", what, tern_message(context));
    return 1;
}

static int run_job(tern_context *context, const Job *job, Sums *sums) {
    char path[256];
    double first = 0, times[ROUNDS];
    if (job->file) snprintf(path, sizeof path, "kernels/%s.py", job->file);
    tern_module *module =
        job->file ? tern_load_file(context, path)
                  : tern_load_text(context, own_source, sizeof own_source - 1, "sim_bench.py");
    tern_kernel *kernel = module ? tern_compile(module, job->function, job->signature, NULL) : NULL;
    if (!kernel) return fail(context, job->function);
    for (int i = -1; i < ROUNDS; i++) {
        double start = now_s();
        if (tern_launch(NULL, kernel, (uint32_t[3]){job->grid, 1, 1}, job->arguments,
                        job->num_arguments))
            return fail(context, job->function);
        *(i < 0 ? &first : &times[i]) = now_s() - start;
    }
    double lanes = lane_instructions(kernel) / (ROUNDS + 1);
    qsort(times, ROUNDS, sizeof *times, compare);
    double speed = lanes / times[ROUNDS / 2] / 1e6;
    printf("  %-20s %9.2f M  %8.1f ms %7.1f M/s  first %8.1f ms %7.1f M/s\n", job->function,
           lanes / 1e6, times[ROUNDS / 2] * 1e3, speed, first * 1e3, lanes / first / 1e6);
    sums->lanes += lanes, sums->seconds += times[ROUNDS / 2];
    if (!sums->slowest || speed < sums->slowest) sums->slowest = speed;
    tern_kernel_free(kernel);
    tern_module_free(module);
    return 0;
}

static int run_all(uint64_t seed, Sums *sums) {
    char why[512] = "";
    tern_context *context =
        tern_open(&(tern_open_options){.device = "sim", .order_seed = seed}, NULL, why, sizeof why);
    if (!context) return fprintf(stderr, "sim_bench: %s\n", why), 1;
    tern_buffer *in = tern_alloc(context, ELEMENTS * 4), *to = tern_alloc(context, ELEMENTS * 4);
    float *values = malloc(ELEMENTS * 4);
    if (!in || !to || !values) return fail(context, "buffers");
    for (int i = 0; i < ELEMENTS; i++) values[i] = (float)(i % 8191) / 1024.0f - 4.0f;
    if (tern_write(in, 0, values, ELEMENTS * 4)) return fail(context, "buffers");
    free(values);
    tern_argument x = tern_arg_buffer(in), out = tern_arg_buffer(to), all = tern_arg_int(ELEMENTS);
    tern_argument row = tern_arg_int(1024), side = tern_arg_int(128), b = x;
    b.offset = 128 * 128 * 2;
    const Job jobs[] = {
        {"vector_add",
         "vector_add_kernel",
         "*fp32:16,*fp32:16,*fp32:16,i32:16,1024",
         ELEMENTS / 1024,
         4,
         {x, x, out, all}},
        {"gelu", "gelu_kernel", "*fp32:16,*fp32:16,i32:16,1024", ELEMENTS / 1024, 3, {x, out, all}},
        {"dropout",
         "dropout_kernel",
         "*fp32:16,*fp32:16,i32:16,fp32,i32,1024",
         ELEMENTS / 1024,
         5,
         {x, out, all, tern_arg_float(0.5), tern_arg_int(7)}},
        {"softmax",
         "softmax_kernel",
         "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1024",
         ELEMENTS / 1024,
         5,
         {x, out, row, row, row}},
        {"matmul",
         "matmul_kernel",
         "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,"
         "64,64,32,8",
         4,
         9,
         {x, b, out, side, side, side, side, side, side}},
        {NULL, "strided", "*fp32:16,*fp32:16,8,1024", ELEMENTS / 8 / 1024, 2, {x, out}},
        {NULL, "turned", "*fp32:16,*fp32:16,64", ELEMENTS / 4096, 2, {x, out}},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (run_job(context, &jobs[i], sums)) return 1;
    tern_close(context);
    return 0;
}

int main(void) {
    for (uint64_t seed = 0; seed < 2; seed++) {
        Sums sums = {0};
        printf("%s: instructions of single lanes, and how many a second\n",
               seed ? "in random order" : "in order");
        if (run_all(seed, &sums)) return 1;
        double speed = sums.lanes / sums.seconds / 1e6;
        printf("  all together %.1f M/s, the slowest kernel %.1f M/s; wanted: %d M/s\n", speed,
               sums.slowest, WANTED);
    }
    return 0;
}
