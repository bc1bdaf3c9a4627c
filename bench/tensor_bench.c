// SPDX-License-Identifier: Apache-2.0
/* What an eager op of 16 elements takes on the host, on cpu unless another device is named: the
 * median of 11 rounds of 5,000 calls; beside it a bare launch of as many arguments, and what a
 * function that is fused takes: a call, from capture to running code, a second shape.
 *
 *     make build/bench/tensor_bench && build/bench/tensor_bench [DEVICE] */
#include "tern_tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 5000, ROUNDS = 11 };

typedef tern_tensor *Op(tern_tensor *x, tern_tensor *y);

static tern_tensor *add(tern_tensor *x, tern_tensor *y) { return tern_add(x, y); }
static tern_tensor *exponential(tern_tensor *x, tern_tensor *y) { return (void)y, tern_exp(x); }
static tern_tensor *half(tern_tensor *x, tern_tensor *y) {
    return (void)y, tern_mul_number(x, 0.5);
}
static tern_tensor *transposed(tern_tensor *x, tern_tensor *y) {
    return (void)y, tern_transpose(x, 0, 1);
}
static tern_tensor *empty_like(tern_tensor *x, tern_tensor *y) {
    return (void)y, tern_empty_like(x);
}
static tern_tensor *softmax(tern_tensor *x, tern_tensor *y) { return (void)y, tern_softmax(x, 1); }
static tern_tensor *sum(tern_tensor *x, tern_tensor *y) {
    return (void)y, tern_sum(x, NULL, 0, false);
}
static tern_tensor *product(tern_tensor *x, tern_tensor *y) { return tern_matmul(x, y); }

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static const char launched[] = "import triton\nimport triton.language as tl\n@triton.jit\n"
                               "def add(a_ptr, b_ptr, y_ptr, n0, COLS: tl.constexpr):\n"
                               "    i = tl.program_id(0) * COLS + tl.arange(0, COLS)\n"
                               "    a = tl.load(a_ptr + i, mask=i < n0)\n"
                               "    b = tl.load(b_ptr + i, mask=i < n0)\n"
                               "    tl.store(y_ptr + i, a + b, mask=i < n0)\n";

static void print_row(const char *name, double *rounds) {
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%-12s %7.0f ns (least %.0f)\n", name, rounds[ROUNDS / 2], rounds[0]);
}

static bool bench_launch(tern_session *session, tern_tensor *x, tern_tensor *y) {
    tern_context *context = tern_session_context(session);
    tern_module *module = tern_load_text(context, launched, sizeof launched - 1, "add.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "add", "*fp32,*fp32,*fp32,i32,64", NULL) : NULL;
    tern_tensor *out = tern_empty_like(x);
    size_t offset;
    double rounds[ROUNDS];
    if (!kernel || !out) return false;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int call = 0; call < CALLS; call++) {
            const tern_argument arguments[] = {tern_arg_buffer(tern_tensor_buffer(x, &offset)),
                                               tern_arg_buffer(tern_tensor_buffer(y, &offset)),
                                               tern_arg_buffer(tern_tensor_buffer(out, &offset)),
                                               tern_arg_int(16)};
            if (tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4)) return false;
        }
        rounds[round] = (now_ns() - start) / CALLS;
        tern_synchronize(context);
    }
    print_row("bare launch", rounds);
    tern_drop(out);
    tern_kernel_free(kernel);
    tern_module_free(module);
    return true;
}

static bool bench_op(const char *name, Op *op, tern_tensor *x, tern_tensor *y) {
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int call = 0; call < CALLS; call++) {
            tern_tensor *made = op(x, y);
            if (!made) return false;
            tern_drop(made);
        }
        rounds[round] = (now_ns() - start) / CALLS;
        tern_synchronize(tern_session_context(tern_tensor_session(x)));
    }
    print_row(name, rounds);
    return true;
}

/* GELU by hand, as the lecture has it: nine ops. */
static tern_status gelu(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = in[0], *cubic = tern_mul_number(tern_mul(tern_mul(x, x), x), 0.044715);
    tern_tensor *inner = tern_mul_number(tern_add(x, cubic), 0.79788456);
    out[0] = tern_mul(tern_mul_number(x, 0.5), tern_add_number(tern_tanh(inner), 1));
    tern_keep(out[0]);
    return out[0] ? TERN_OK : tern_message_status(tern_session_context(tern_tensor_session(x)));
}

/* Several kernels, which on cuda become one graph. */
static tern_status layers(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_gelu(tern_matmul(in[0], in[0]));
    out[0] = tern_keep(tern_softmax(tern_matmul(tern_gelu(tern_matmul(x, in[0])), in[0]), 1));
    return out[0] ? TERN_OK : tern_message_status(tern_session_context(tern_tensor_session(x)));
}

static tern_fused *fused;
static tern_tensor *call_fused(tern_tensor *x, tern_tensor *y) {
    tern_tensor *out;
    (void)y;
    return tern_fused_call(fused, &x, &out) ? NULL : out;
}

static bool bench_fused(tern_session *session, tern_tensor *x) {
    static const int64_t shapes[][2] = {{4, 4}, {5, 7}, {33, 3}, {64, 64}};
    fused = tern_fuse(session, "gelu", gelu, 1, 1, NULL);
    for (int i = 0; i < 4 && fused; i++) {
        tern_tensor *of = tern_ones(session, TERN_FLOAT32, 2, shapes[i]);
        tern_synchronize(tern_session_context(session));
        double start = now_ns();
        tern_tensor *out = call_fused(of, NULL);
        tern_synchronize(tern_session_context(session));
        if (!out) return false;
        printf("%-12s %7.2f ms\n", i ? "next shape" : "capture", (now_ns() - start) * 1e-6);
        tern_drop(out);
        tern_drop(of);
    }
    bool ran = fused && bench_op("fused gelu", call_fused, x, NULL);
    tern_fused_free(fused);
    fused = tern_fuse(session, "layers", layers, 1, 1, NULL);
    ran = ran && fused && bench_op("four kernels", call_fused, x, NULL);
    tern_fused_free(fused);
    return ran;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        Op *op;
    } ops[] = {{"add", add},
               {"exp", exponential},
               {"x * 0.5", half},
               {"softmax", softmax},
               {"sum", sum},
               {"matmul 4x4", product},
               {"transpose", transposed},
               {"empty_like", empty_like}};
    tern_open_options options = {.device = argc > 1 ? argv[1] : "cpu"};
    tern_context *context = tern_open(&options, NULL, NULL, 0);
    tern_session *session = context ? tern_session_open(context) : NULL;
    if (!session) return fprintf(stderr, "no such device\n"), 1;
    tern_tensor *x = tern_ones(session, TERN_FLOAT32, 2, (const int64_t[]){4, 4}),
                *y = tern_clone(x);
    bool ran = bench_launch(session, x, y);
    for (size_t i = 0; i < sizeof ops / sizeof *ops && ran; i++)
        ran = bench_op(ops[i].name, ops[i].op, x, y);
    tern_set_requires_grad(y, true);
    ran = ran && bench_op("add, grad", add, x, y);
    tern_set_requires_grad(y, false);
    ran = ran && bench_fused(session, x);
    if (!ran) return fprintf(stderr, "%s\n", tern_message(context)), 1;
    tern_session_close(session);
    tern_close(context);
    return 0;
}
