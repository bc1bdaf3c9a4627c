// SPDX-License-Identifier: Apache-2.0
/* Uses the exported matmul, beside the exported softmax in one program. Float64 is the reference:
 * the numbers are small integers, so that sums are exact. */
#include "matmul.h"
#include "softmax.h"

#include <stdio.h>
#include <stdlib.h>

static int number(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (int)(*seed >> 28) - 8;
}

static int product(int m, int n, int k) {
    float *a = malloc((size_t)m * k * 4 + 4), *b = malloc((size_t)k * n * 4 + 4),
          *c = malloc((size_t)m * n * 4 + 4);
    unsigned seed = (unsigned)(m * 7 + n * 3 + k);
    char words[300] = "";
    matmul_call call = {.place = MATMUL_CPU, .message = words, .message_size = sizeof words};
    for (int i = 0; i < m * k; i++) a[i] = (float)number(&seed);
    for (int i = 0; i < k * n; i++) b[i] = (float)number(&seed);
    for (int i = 0; i <= m * n; i++) c[i] = 77;
    int blocks = (m + 31) / 32 * ((n + 31) / 32);
    int status = matmul(&call, (uint32_t)blocks, a, b, c, m, n, k, k, n, n), wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += (double)a[i * k + l] * b[l * n + j];
            wrong += c[i * n + j] != sum;
        }
    wrong += c[m * n] != 77;
    if (status || wrong)
        printf("FAILED %d x %d x %d: %d wrong, %d: %s\n", m, n, k, wrong, status, words);
    free(a), free(b), free(c);
    return status || wrong;
}

int main(void) {
    int failed = 0;
    static const int sizes[][3] = {{1, 1, 1}, {32, 32, 32}, {33, 65, 17}, {100, 1, 64}, {5, 96, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        failed |= product(sizes[i][0], sizes[i][1], sizes[i][2]);
    return failed || softmax_abi() != 1;
}
