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
 * Both launch the same text on the same stream, in turns, in bursts that start with an empty queue;
 * who begins a round changes. What one takes more than the other is of the bursts of a round. The
 * last rows are what the exported launch asks the driver besides.
 */
#include "softmax.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURST = 128, ROUNDS = 1000, CHOICES = 20000000, ASKS = 1000000 };

typedef struct Driver {
    int (*load)(void **module, const void *text);
    int (*get)(void **function, void *module, const char *name);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*current)(void **context);
    int (*id)(void *context, unsigned long long *id);
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

static double share(double *sorted, double part) { return sorted[(int)(part * (ROUNDS - 1))]; }

static void say(const char *what, double *ns) {
    qsort(ns, ROUNDS, sizeof *ns, compare);
    printf("%-16s median %.0f ns, 20 %%..80 %% %.0f..%.0f, least %.0f\n", what, share(ns, .5),
           share(ns, .2), share(ns, .8), ns[0]);
}

static void asks(const Driver *driver) {
    void *context = NULL;
    unsigned long long id = 0;
    double start = now_ns();
    for (int i = 0; i < ASKS; i++) driver->current(&context);
    printf("cuCtxGetCurrent: %.1f ns\n", (now_ns() - start) / ASKS);
    start = now_ns();
    for (int i = 0; i < ASKS; i++) driver->id(context, &id);
    printf("cuCtxGetId: %.1f ns\n", (now_ns() - start) / ASKS);
}

static void launches(const char *path) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *module, *function;
    Driver driver;
    float *x = softmax_alloc(SOFTMAX_CUDA, 4096), *y = softmax_alloc(SOFTMAX_CUDA, 4096);
    if (!library || !x || !y) die("no driver, or no memory");
    *(void **)&driver.load = symbol(library, "cuModuleLoadData");
    *(void **)&driver.get = symbol(library, "cuModuleGetFunction");
    *(void **)&driver.launch = symbol(library, "cuLaunchKernel");
    *(void **)&driver.current = symbol(library, "cuCtxGetCurrent");
    *(void **)&driver.id = symbol(library, "cuCtxGetId");
    if (driver.load(&module, read_text(path)) || driver.get(&function, module, "softmax_kernel"))
        die("the driver does not take the PTX");
    int stride = 1008;
    void *arguments[] = {&x, &y, &stride, &stride, &stride};
    static double times[3][ROUNDS];
    for (int turn = 0; turn < 2 * ROUNDS; turn++) {
        int round = turn / 2, way = (turn ^ round) & 1;
        double start = now_ns();
        for (int i = 0; i < BURST; i++)
            if (way ? softmax_fp32(NULL, 1, x, y, stride, stride, stride, 1024)
                    : driver.launch(function, 1, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL))
                die("a launch failed");
        times[way][round] = (now_ns() - start) / BURST;
        softmax_wait(SOFTMAX_CUDA, NULL);
    }
    for (int i = 0; i < ROUNDS; i++) times[2][i] = times[1][i] - times[0][i];
    say("cuLaunchKernel", times[0]);
    say("softmax_fp32", times[1]);
    say("more", times[2]);
    asks(&driver);
}

int main(int argc, char **argv) {
    forms();
    if (argc > 1 && softmax_place() == SOFTMAX_CUDA) launches(argv[1]);
    return 0;
}
