// SPDX-License-Identifier: Apache-2.0
/* export_bench: what a launch of an exported kernel costs beside the driver's own
 * cuLaunchKernel, and what choosing among its forms costs.
 *
 *     tern build kernels/softmax.py --name softmax -o D --require 'columns <= BLOCK' \
 *         --sig '*{fp32,fp16}:16?,*{0}:16?,i32:16?,i32:16?,i32:16?,{1024,2048,4096,8192}'
 *     tern show --stage ptx kernels/softmax.py --target sm_90a \
 *         --sig '*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1024' >D/softmax.ptx
 *     cc -O2 -ID bench/export_bench.c D/softmax.c -o export_bench -pthread -ldl -lm
 *     export_bench D/softmax.ptx                     without a GPU: the forms alone
 *
 * Both launch the same text on the same stream, in turns, in bursts that start with an empty queue.
 */
#include "softmax.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURST = 256, ROUNDS = 80, CHOICES = 20000000 };

typedef struct Driver {
    int (*load)(void **module, const void *text);
    int (*get)(void **function, void *module, const char *name);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
} Driver;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

_Noreturn static void die(const char *words) {
    fprintf(stderr, "export_bench: %s\n", words);
    exit(1);
}

static void forms(void) {
    float *x = (float *)(uintptr_t)4096, *y = (float *)(uintptr_t)8192;
    volatile int seen = 0;
    double start = now_ns();
    for (int i = 0; i < CHOICES; i++) /* the last BLOCK, and not by 16: the longest walk */
        seen += softmax_form_fp32(x, y, 1000, 1000, 999 + (i & 1), 8192);
    printf("choosing among the forms: %.2f ns\n", (now_ns() - start) / CHOICES);
}

static void *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || !fread(text, 1, (1 << 20) - 1, file)) die("cannot read the PTX");
    fclose(file);
    return text;
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) die(name);
    return found;
}

static void launches(const char *path) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *module, *function;
    Driver driver;
    float *x = softmax_alloc(SOFTMAX_CUDA, 4096), *y = softmax_alloc(SOFTMAX_CUDA, 4096);
    if (!library || !x || !y) die("no driver, or no memory");
    *(void **)&driver.load = symbol(library, "cuModuleLoadData");
    *(void **)&driver.get = symbol(library, "cuModuleGetFunction");
    *(void **)&driver.launch = symbol(library, "cuLaunchKernel");
    if (driver.load(&module, read_text(path)) || driver.get(&function, module, "softmax_kernel"))
        die("the driver does not take the PTX");
    int stride = 1008;
    void *arguments[] = {&x, &y, &stride, &stride, &stride};
    double times[2][ROUNDS];
    for (int round = 0; round < 2 * ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < BURST; i++)
            if (round % 2 ? softmax_fp32(NULL, 1, x, y, stride, stride, stride, 1024)
                          : driver.launch(function, 1, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL))
                die("a launch failed");
        times[round % 2][round / 2] = (now_ns() - start) / BURST;
        softmax_wait(SOFTMAX_CUDA, NULL);
    }
    for (int way = 0; way < 2; way++) {
        qsort(times[way], ROUNDS, sizeof(double), compare);
        printf("%-16s median %.0f ns, least %.0f ns\n", way ? "softmax_fp32" : "cuLaunchKernel",
               times[way][ROUNDS / 2], times[way][0]);
    }
}

int main(int argc, char **argv) {
    forms();
    if (argc > 1 && softmax_place() == SOFTMAX_CUDA) launches(argv[1]);
    return 0;
}
