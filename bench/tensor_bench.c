// SPDX-License-Identifier: Apache-2.0
/* What an eager op of 16 elements takes on the host, on cpu unless another device is named: the
 * median of 21 rounds of 10,000 calls.
 *
 *     make build/bench/tensor_bench && build/bench/tensor_bench [DEVICE] */
#include "tern_tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 10000, ROUNDS = 21 };

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
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        double rounds[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            double start = now_ns();
            for (int call = 0; call < CALLS; call++) {
                tern_tensor *made = ops[i].op(x, y);
                if (!made) return fprintf(stderr, "%s\n", tern_message(context)), 1;
                tern_drop(made);
            }
            rounds[round] = (now_ns() - start) / CALLS;
        }
        qsort(rounds, ROUNDS, sizeof *rounds, compare);
        printf("%-12s %7.0f ns (least %.0f)\n", ops[i].name, rounds[ROUNDS / 2], rounds[0]);
    }
    tern_session_close(session);
    tern_close(context);
    return 0;
}
