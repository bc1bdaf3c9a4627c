// SPDX-License-Identifier: Apache-2.0
/* Layer norm and a perceptron, which were functions of tensors, without them: against float64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "layer_norm_0.h"
#include "mlp_0.h"
#include "mlp_1.h"

static unsigned seed = 1;
static void fill(float *x, int n) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (1 << 23) - 1;
    }
}
static int differs(const char *what, double got, double wanted) {
    if (fabs(got - wanted) <= 1e-4 * (1 + fabs(wanted))) return 0;
    fprintf(stderr, "%s: %g, wanted %g\n", what, got, wanted);
    return 1;
}

static int layer_norm(void) {
    enum { ROWS = 61, COLUMNS = 700 };
    static float x[ROWS * COLUMNS], y[ROWS * COLUMNS], weight[COLUMNS], bias[COLUMNS];
    fill(x, ROWS * COLUMNS), fill(weight, COLUMNS), fill(bias, COLUMNS);
    if (layer_norm_0(NULL, ROWS, x, weight, bias, y, ROWS, COLUMNS, COLUMNS, COLUMNS)) return 1;
    for (int row = 0; row < ROWS; row++) {
        const float *in = x + row * COLUMNS;
        double mean = 0, square = 0;
        for (int i = 0; i < COLUMNS; i++) mean += in[i] / (double)COLUMNS;
        for (int i = 0; i < COLUMNS; i++) square += (in[i] - mean) * (in[i] - mean) / COLUMNS;
        for (int i = 0; i < COLUMNS; i++)
            if (differs("layer norm", y[row * COLUMNS + i],
                        (in[i] - mean) / sqrt(square + 1e-5) * weight[i] + bias[i]))
                return 1;
    }
    return 0;
}

/* out = x w^T + b, and GELU of it where it is said. */
static void linear(const double *x, const float *w, const float *b, double *out, int m, int n,
                   int k, int with_gelu) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = b[j];
            for (int l = 0; l < k; l++) sum += x[i * k + l] * w[j * k + l];
            out[i * n + j] = with_gelu ? sum * 0.5 * (1 + erf(sum / sqrt(2.0))) : sum;
        }
}

static int mlp(void) {
    enum { M = 70, IN = 50, HIDDEN = 90, OUT = 33 };
    static float x[M * IN], w[HIDDEN * IN], b[HIDDEN], hidden[M * HIDDEN];
    static float w2[OUT * HIDDEN], b2[OUT], y[M * OUT];
    static double wide[M * IN], middle[M * HIDDEN], wanted[M * OUT];
    fill(x, M * IN), fill(w, HIDDEN * IN), fill(b, HIDDEN), fill(w2, OUT * HIDDEN), fill(b2, OUT);
    if (mlp_0(NULL, 4, x, w, b, hidden, M, HIDDEN, IN, IN, IN, HIDDEN)) return 1;
    if (mlp_1(NULL, 2, hidden, w2, b2, y, M, OUT, HIDDEN, HIDDEN, HIDDEN, OUT)) return 1;
    for (int i = 0; i < M * IN; i++) wide[i] = x[i];
    linear(wide, w, b, middle, M, HIDDEN, IN, 1);
    linear(middle, w2, b2, wanted, M, OUT, HIDDEN, 0);
    for (int i = 0; i < M * OUT; i++)
        if (differs("mlp", y[i], wanted[i])) return 1;
    return 0;
}

int main(void) { return layer_norm() || mlp(); }
