// SPDX-License-Identifier: Apache-2.0
/* A network of two layers learns which of three arms of a spiral a point is on; the step is a fused
 * function, forward and backward: cc train.c -ltern -lm -ldl -lpthread */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tern_tensor.h>

enum { POINTS = 300, ARMS = 3, HIDDEN = 64, PARAMETERS = 4, STEPS = 200 };

static tern_tensor *network(tern_tensor *const *p, tern_tensor *x) {
    return tern_linear(tern_gelu(tern_linear(x, p[0], p[1])), p[2], p[3]);
}

/* in: points, arms, parameters; out: loss, gradients */
static tern_status step(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *p[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
        p[i] = tern_detach(in[2 + i]);
        tern_set_requires_grad(p[i], true);
    }
    tern_tensor *loss = tern_cross_entropy(network(p, in[0]), in[1], NULL, NULL);
    tern_status status = tern_backward(loss, NULL, NULL);
    out[0] = tern_keep(loss);
    for (int i = 0; i < PARAMETERS; i++) out[1 + i] = tern_keep(tern_gradient(p[i]));
    (void)user;
    return status;
}

static tern_tensor *parameter(tern_session *session, int rank, const int64_t *shape, double scale) {
    return tern_mul_number(tern_randn(session, TERN_FLOAT32, rank, shape), scale);
}

static void spiral(tern_session *session, tern_tensor **points, tern_tensor **arms) {
    static float xy[POINTS][2];
    static int64_t arm[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float along = (float)(i / ARMS) / (POINTS / ARMS),
              turn = along * 5 + (float)(i % ARMS) * 2.1f;
        xy[i][0] = along * cosf(turn), xy[i][1] = along * sinf(turn);
        arm[i] = i % ARMS;
    }
    *points = tern_from(session, xy, TERN_FLOAT32, 2, (const int64_t[]){POINTS, 2});
    *arms = tern_from(session, arm, TERN_INT64, 1, (const int64_t[]){POINTS});
}

static int train(tern_session *session) {
    tern_tensor *in[2 + PARAMETERS], *out[1 + PARAMETERS], *means[PARAMETERS], *squares[PARAMETERS];
    spiral(session, &in[0], &in[1]);
    in[2] = parameter(session, 2, (const int64_t[]){HIDDEN, 2}, 1);
    in[3] = parameter(session, 1, (const int64_t[]){HIDDEN}, 1);
    in[4] = parameter(session, 2, (const int64_t[]){ARMS, HIDDEN}, 0.1);
    in[5] = parameter(session, 1, (const int64_t[]){ARMS}, 0.1);
    for (int i = 0; i < PARAMETERS; i++) {
        means[i] = tern_zeros_like(in[2 + i]);
        squares[i] = tern_zeros_like(in[2 + i]);
    }
    tern_fused *fused = tern_fuse(session, "step", step, 2 + PARAMETERS, 1 + PARAMETERS, NULL);
    for (int i = 1; i <= STEPS; i++) {
        double loss;
        const tern_adam_options options = {0.02, 0.9, 0.999, 1e-8, 0.01, false, false, i};
        if (!fused || tern_fused_call(fused, in, out) || tern_item(out[0], &loss) ||
            tern_adam_step(in + 2, out + 1, means, squares, PARAMETERS, &options))
            return 1;
        if (i == 1 || i % 50 == 0) printf("step %3d: loss %.4f\n", i, loss);
        for (int k = 0; k <= PARAMETERS; k++) tern_drop(out[k]);
    }
    double right = 0;
    tern_tensor *guess = tern_argmax(network(in + 2, in[0]), 1, false);
    tern_tensor *hits = tern_to(tern_eq(guess, in[1]), TERN_FLOAT32);
    if (tern_item(tern_mean(hits, NULL, 0, false), &right)) return 1;
    printf("%.0f of %d points\n", right * POINTS, POINTS);
    tern_fused_free(fused);
    return 0;
}

int main(void) {
    char why[256];
    const char *device = getenv("TERN_DEVICE");
    tern_context *context =
        tern_open(&(tern_open_options){.device = device}, NULL, why, sizeof why);
    tern_session *session = context ? tern_session_open(context) : NULL;
    if (!session) return fprintf(stderr, "%s\n", context ? tern_message(context) : why), 1;
    tern_scope_open(session);
    int failed = train(session);
    if (failed) fprintf(stderr, "%s\n", tern_message(context));
    tern_scope_close(session);
    tern_session_close(session);
    tern_close(context);
    return failed;
}
