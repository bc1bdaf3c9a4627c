// SPDX-License-Identifier: Apache-2.0
/* cuda_compile: how long CUDA C takes from source text to PTX for sm_90a, by tern and, where it is
 * found, by NVRTC: a GELU, and a kernel of about 1,500 tokens. Processor time of this process, so
 * that what else runs here counts less; the two take turns, medians of ROUNDS. Exit code 1: tern
 * took longer than the bound. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tern.h"

enum { ROUNDS = 15, LINES = 40, MOST_TEXT = 16384 };

static const char gelu[] = "__global__ void kernel(const float *in, float *out, int n) {\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n)\n"
                           "        out[i] = 0.5f * in[i] * (1.0f + tanhf(0.79788456f * (in[i] + "
                           "0.044715f * in[i] * in[i] "
                           "* in[i])));\n"
                           "}\n";

/* Loads, arithmetic, branches, shared memory and barriers, 32 tokens a turn. */
static void write_large(char *text) {
    char *at = text;
    at += sprintf(at, "__global__ void kernel(const float *in, float *out, int n) {\n"
                      "    __shared__ float s[256];\n"
                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "    float sum = i < n ? in[i] : 0;\n");
    for (int k = 0; k < LINES; k++)
        at += sprintf(at,
                      k % 8 == 7 ? "    s[threadIdx.x] = sum * %d.5f; __syncthreads();"
                                   " sum += s[(threadIdx.x + %d) %% 256]; __syncthreads();\n"
                                 : "    if (i + %d < n) { float x = in[i + %d] * 0.5f + sum;"
                                   " sum = x > 1.0f ? sum - x : x; }\n",
                      k, k);
    sprintf(at, "    if (i < n) out[i] = sum;\n}\n");
}

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Negative: it did not compile, and the context has the words. */
static double compiled_ms(tern_context *context, const char *text, const char *builder) {
    tern_options options = {
        .target = "sm_90a", .block = {256}, .text_only = true, .builder = builder};
    double start = cpu_ms();
    tern_module *module = tern_load_text(context, text, strlen(text), "kernel.cu");
    tern_kernel *kernel = module ? tern_compile(module, "kernel", NULL, &options) : NULL;
    double took = kernel && tern_kernel_text(kernel, TERN_STAGE_PTX) ? cpu_ms() - start : -1;
    tern_kernel_free(kernel);
    tern_module_free(module);
    return took;
}

static bool compare(tern_context *context, const char *name, const char *text, double bound_ms) {
    static const char *const builders[] = {NULL, "nvrtc"};
    double samples[2][ROUNDS], first[2];
    bool there[2];
    for (int b = 0; b < 2; b++) {
        first[b] = compiled_ms(context, text, builders[b]);
        there[b] = first[b] >= 0;
        if (!there[b]) printf("%s\n", tern_message(context));
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int b = 0; b < 2; b++)
            samples[b][i] = there[b] ? compiled_ms(context, text, builders[b]) : 0;
    double own = tern_quantile(samples[0], ROUNDS, 0.5);
    printf("%-16s tern %6.2f ms (first %6.2f, bound %g)", name, own, first[0], bound_ms);
    if (there[1])
        printf("   NVRTC %7.2f ms (first %7.2f)", tern_quantile(samples[1], ROUNDS, 0.5), first[1]);
    printf("\n");
    return there[0] && own <= bound_ms;
}

int main(void) {
    static char large[MOST_TEXT];
    tern_open_options options = {.device = "interp",
                                 .cache_dir = ""}; /* NVRTC's PTX is kept there */
    tern_context *context = tern_open(&options, NULL, NULL, 0);
    if (!context) return 1;
    write_large(large);
    bool fine = compare(context, "gelu", gelu, 3);
    fine &= compare(context, "1,500 tokens", large, 20);
    tern_close(context);
    return !fine;
}
