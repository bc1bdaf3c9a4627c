// SPDX-License-Identifier: Apache-2.0
/* cuda_cpu: kernels of CUDA C on the cpu device, one thread, beside what they are held
 * against: a GELU and the same one in the Triton language; a tree reduction, by thread and
 * barrier; numbers of steps of Collatz, which each thread has its own of, and scalar C; a
 * product of matrices by tiles of 16x16, and fission, C that has a loop over the threads for
 * each part between barriers; a launch of one block, and one of a Triton kernel. Peers take
 * turns; processor time of this thread; medians of ROUNDS ratios. Built with -O3
 * -march=native. Exit code 1: a figure is above its bound. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tern.h"

enum {
    ROUNDS = 15,
    NUMBERS = 1 << 20,
    BLOCKS = 512,
    THREADS = 256,
    BARRIERS = 9,
    SIZE = 512,
    LAUNCHES = 200
};

static const char cuda[] =
    "__global__ void gelu(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = 0.5f * in[i] * (1.0f + tanhf(0.79788456f * (in[i] + 0.044715f * in[i] "
    "*\n"
    "        in[i] * in[i])));\n"
    "}\n"
    "__global__ void tree(const float *in, float *out) {\n"
    "    __shared__ float s[256];\n"
    "    int t = threadIdx.x;\n"
    "    s[t] = in[blockIdx.x * 256 + t];\n"
    "    __syncthreads();\n"
    "    for (int k = 128; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }\n"
    "    if (t == 0) out[blockIdx.x] = s[0];\n"
    "}\n"
    "__global__ void steps(int *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;\n"
    "    for (unsigned x = i + 1; x != 1; count++) x = x & 1 ? 3 * x + 1 : x / 2;\n"
    "    if (i < n) out[i] = count;\n"
    "}\n"
    "__global__ void product(const float *a, const float *b, float *c, int n) {\n"
    "    __shared__ float s[16][16], t[16][16];\n"
    "    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 "
    "+ x;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < n; k += 16) {\n"
    "        s[y][x] = a[row * n + k + x];\n"
    "        t[y][x] = b[(k + y) * n + column];\n"
    "        __syncthreads();\n"
    "        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    c[row * n + column] = sum;\n"
    "}\n";
static const char triton[] =
    "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
    "@triton.jit\ndef gelu(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + i, mask=i < n)\n"
    "    t = libdevice.tanh(0.79788456 * (v + 0.044715 * v * v * v))\n"
    "    tl.store(y + i, 0.5 * v * (1.0 + t), mask=i < n)\n";

static float *x, *y;

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- what the kernels are held against ---- */

static void scalar_steps(void) {
    int *out = (int *)y;
    for (int i = 0; i < NUMBERS; i++) {
        int count = 0;
        for (unsigned n = (unsigned)i + 1; n != 1; count++) n = n & 1 ? 3 * n + 1 : n / 2;
        out[i] = count;
    }
}

static void fission_block(const float *a, const float *b, float *c, int block_x, int block_y,
                          int n) {
    float s[16][16], t[16][16], sum[16][16];
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) sum[j][i] = 0;
    for (int k = 0; k < n; k += 16) {
        for (int j = 0; j < 16; j++)
            for (int i = 0; i < 16; i++) {
                s[j][i] = a[(block_y * 16 + j) * n + k + i];
                t[j][i] = b[(k + j) * n + block_x * 16 + i];
            }
        for (int j = 0; j < 16; j++)
            for (int i = 0; i < 16; i++)
                for (int m = 0; m < 16; m++) sum[j][i] += s[j][m] * t[m][i];
    }
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) c[(block_y * 16 + j) * n + block_x * 16 + i] = sum[j][i];
}

static volatile int size_given = SIZE; /* as the kernel's n, known at run time */

static void fission(void) {
    int n = size_given;
    for (int j = 0; j < SIZE / 16; j++)
        for (int i = 0; i < SIZE / 16; i++) fission_block(x, x + n * n, y, i, j, n);
}

/* ---- the kernels ---- */

typedef struct Kernel {
    tern_context *context;
    tern_module *module;
    tern_kernel *kernel;
    uint32_t grid[3];
    tern_argument arguments[4];
    int num_arguments, times;
} Kernel;

static Kernel compiled(tern_context *context, const char *text, const char *file, const char *name,
                       const char *signature, int block_x, int block_y) {
    Kernel made = {.context = context, .times = 1};
    tern_options options = {.block = {block_x, block_y}};
    made.module = tern_load_text(context, text, strlen(text), file);
    if (made.module)
        made.kernel = tern_compile(made.module, name, signature, block_x ? &options : NULL);
    if (!made.kernel) {
        fprintf(stderr, "cuda_cpu: %s\n", tern_message(context));
        exit(1);
    }
    return made;
}

static void given(Kernel *k, int grid_x, int grid_y, int count, const tern_argument *arguments) {
    k->grid[0] = (uint32_t)grid_x, k->grid[1] = (uint32_t)grid_y, k->grid[2] = 1;
    k->num_arguments = count;
    memcpy(k->arguments, arguments, (size_t)count * sizeof *arguments);
}

static double kernel_ms(const Kernel *k) {
    double start = now_ms();
    for (int i = 0; i < k->times; i++)
        if (tern_launch(NULL, k->kernel, k->grid, k->arguments, k->num_arguments)) {
            fprintf(stderr, "cuda_cpu: %s\n", tern_message(k->context));
            exit(1);
        }
    tern_synchronize(k->context);
    return now_ms() - start;
}

static double function_ms(void (*function)(void)) {
    double start = now_ms();
    function();
    return now_ms() - start;
}

/* What is held against the kernel: another one, a function, or, both NULL, a time of 1 ms. */
static bool row(const char *name, const Kernel *k, const Kernel *peer, void (*function)(void),
                const char *against, double scale, double bound) {
    double own[ROUNDS], others[ROUNDS], ratios[ROUNDS];
    for (int i = -1; i < ROUNDS; i++) { /* the first is not counted */
        double mine = kernel_ms(k);
        double theirs = peer ? kernel_ms(peer) : function ? function_ms(function) : 1;
        if (i >= 0) own[i] = mine, others[i] = theirs, ratios[i] = mine * scale / theirs;
    }
    double ratio = tern_quantile(ratios, ROUNDS, 0.5);
    printf("%-18s %9.3f ms   %-26s %9.3f ms   %6.3f (%.3f to %.3f), bound %g%s\n", name,
           tern_quantile(own, ROUNDS, 0.5), against, tern_quantile(others, ROUNDS, 0.5), ratio,
           tern_quantile(ratios, ROUNDS, 0.25), tern_quantile(ratios, ROUNDS, 0.75), bound,
           ratio <= bound ? "" : "  MISSED");
    return ratio <= bound;
}

int main(void) {
    char why[512];
    tern_context *context =
        tern_open(&(tern_open_options){.device = "cpu", .num_threads = 1}, NULL, why, sizeof why);
    if (!context) return fprintf(stderr, "cuda_cpu: %s\n", why), 1;
    tern_buffer *in = tern_alloc(context, NUMBERS * 4), *out = tern_alloc(context, NUMBERS * 4);
    x = tern_buffer_pointer(in), y = tern_buffer_pointer(out);
    for (int i = 0; i < NUMBERS; i++) x[i] = (float)(i % 8191 * 79 % 8191) / 1024 - 4, y[i] = 0;
    tern_argument a = tern_arg_buffer(in), b = a, c = tern_arg_buffer(out);
    tern_argument numbers = tern_arg_int(NUMBERS), size = tern_arg_int(SIZE);
    b.offset = SIZE * SIZE * 4;
    Kernel gelu = compiled(context, cuda, "k.cu", "gelu", NULL, 256, 1);
    Kernel same = compiled(context, triton, "k.py", "gelu", "*fp32:16,*fp32:16,i32,1024", 0, 0);
    Kernel tree = compiled(context, cuda, "k.cu", "tree", NULL, THREADS, 1);
    Kernel steps = compiled(context, cuda, "k.cu", "steps", NULL, 256, 1);
    Kernel product = compiled(context, cuda, "k.cu", "product", NULL, 16, 16);
    bool fine = true;
    given(&gelu, NUMBERS / 256, 1, 3, (tern_argument[]){a, c, numbers});
    given(&same, NUMBERS / 1024, 1, 3, (tern_argument[]){a, c, numbers});
    fine &= row("gelu", &gelu, &same, NULL, "in the Triton language", 1, 1.5);
    given(&tree, BLOCKS, 1, 2, (tern_argument[]){a, c});
    fine &= row("tree reduction", &tree, NULL, NULL, "(ns a thread and barrier)",
                1e6 / ((double)BLOCKS * THREADS * BARRIERS), 0.5);
    given(&steps, NUMBERS / 256, 1, 2, (tern_argument[]){c, numbers});
    fine &= row("divergent loop", &steps, NULL, scalar_steps, "scalar C", 1, 1);
    given(&product, SIZE / 16, SIZE / 16, 4, (tern_argument[]){a, b, c, size});
    fine &= row("product by tiles", &product, NULL, fission, "fission", 1, 1);
    tern_argument few = tern_arg_int(64);
    given(&gelu, 1, 1, 3, (tern_argument[]){a, c, few});
    given(&same, 1, 1, 3, (tern_argument[]){a, c, few});
    gelu.times = same.times = LAUNCHES;
    fine &= row("200 launches", &gelu, &same, NULL, "of the Triton kernel", 1, 1.5);
    Kernel *all[] = {&gelu, &same, &tree, &steps, &product};
    for (int i = 0; i < 5; i++) tern_kernel_free(all[i]->kernel), tern_module_free(all[i]->module);
    tern_buffer_free(in);
    tern_buffer_free(out);
    tern_close(context);
    return !fine;
}
