// SPDX-License-Identifier: Apache-2.0
/* Calls of a fused function that repeat become a CUDA graph: values that change in place, results
 * that are kept (so that addresses change), and two calls in turn must come out as op by op; and an
 * MLP's gradients, by ops and as one function; and a product whose factor is written to before a
 * bias is added. TERN_TEST_DEVICE names another device than cuda. */
#include "tern_tensor.h"
#include "test.h"

static tern_context *context;
static tern_session *session;

static bool begin(void) {
    const char *device = getenv("TERN_TEST_DEVICE");
    context = tern_open(&(tern_open_options){.device = device ? device : "cuda"}, NULL, NULL, 0);
    if (!context) {
        SKIP("no such device");
        return false;
    }
    session = tern_session_open(context);
    return session && !tern_scope_open(session);
}

static void end(void) {
    CHECK(!tern_scope_close(session));
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

/* Two products with what follows them, and a row kernel: several launches. */
static tern_status layers(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *hidden = tern_gelu(tern_linear(in[0], in[1], NULL));
    tern_tensor *y = tern_linear(hidden, in[2], NULL);
    out[0] = tern_keep(tern_softmax(y, -1));
    return out[0] ? TERN_OK : tern_message_status(context);
}

static double difference(tern_tensor *a, tern_tensor *b) {
    double most = NAN;
    tern_tensor *apart = tern_amax(tern_abs(tern_sub(a, b)), NULL, 0, false);
    return tern_item(apart, &most) ? NAN : most;
}

enum { ROWS = 37, IN = 64, HIDDEN = 80, OUT = 50, CALLS = 40 };

static void make(tern_tensor **in) {
    in[0] = tern_randn(session, TERN_FLOAT32, 2, (const int64_t[]){ROWS, IN});
    in[1] =
        tern_mul_number(tern_randn(session, TERN_FLOAT32, 2, (const int64_t[]){HIDDEN, IN}), 0.1);
    in[2] =
        tern_mul_number(tern_randn(session, TERN_FLOAT32, 2, (const int64_t[]){OUT, HIDDEN}), 0.1);
}

TEST(calls_that_repeat) {
    if (!begin()) return;
    tern_tensor *in[3], *want, *out, *kept = NULL, *kept_want = NULL;
    tern_fused *function = tern_fuse(session, "layers", layers, 3, 1, NULL);
    make(in);
    for (int call = 0; call < CALLS; call++) {
        CHECK(!tern_scope_open(session));
        /* New values in the same memory; every seventh call in other memory. */
        tern_tensor *x = tern_randn(session, TERN_FLOAT32, 2, (const int64_t[]){ROWS, IN});
        if (call % 7) CHECK(!tern_copy_into(in[0], x));
        tern_tensor *of[] = {call % 7 ? in[0] : x, in[1], in[2]};
        CHECK(!layers(of, &want, NULL) && !tern_fused_call(function, of, &out));
        double apart = difference(out, want);
        if (!(apart < 1e-5)) printf("call %d: %g\n", call, apart);
        CHECK(apart < 1e-5);
        if (kept) CHECK(difference(kept, kept_want) < 1e-5); /* nobody wrote into it */
        tern_drop(kept), tern_drop(kept_want);
        kept = call % 3 ? NULL : tern_keep(out), kept_want = call % 3 ? NULL : tern_keep(want);
        tern_drop(want); /* out is the scope's */
        CHECK(!tern_scope_close(session));
    }
    tern_drop(kept), tern_drop(kept_want);
    tern_fused_free(function);
    end();
}

/* Two functions in turn, whose memory comes from the same lists. */
TEST(two_in_turn) {
    if (!begin()) return;
    tern_tensor *a[3], *b[3], *of_a, *of_b, *want_a, *want_b;
    tern_fused *first = tern_fuse(session, "first", layers, 3, 1, NULL);
    tern_fused *second = tern_fuse(session, "second", layers, 3, 1, NULL);
    make(a), make(b);
    CHECK(!layers(a, &want_a, NULL) && !layers(b, &want_b, NULL));
    for (int call = 0; call < CALLS; call++) {
        CHECK(!tern_fused_call(first, a, &of_a) && !tern_fused_call(second, b, &of_b));
        CHECK(difference(of_a, want_a) < 1e-5 && difference(of_b, want_b) < 1e-5);
        tern_drop(of_a), tern_drop(of_b);
    }
    tern_drop(want_a), tern_drop(want_b);
    tern_fused_free(first), tern_fused_free(second);
    end();
}

TEST(gradients) {
    if (!begin()) return;
    tern_tensor *in[3], *out, *gradients[2][3];
    tern_fused *function = tern_fuse(session, "layers", layers, 3, 1, NULL);
    make(in);
    tern_tensor *weight = tern_randn(session, TERN_FLOAT32, 2, (const int64_t[]){ROWS, OUT});
    for (int call = 0; call < 10; call++) {
        tern_tensor *of[3];
        for (int i = 0; i < 3; i++) {
            of[i] = tern_detach(in[i]);
            CHECK(!tern_set_requires_grad(of[i], true));
        }
        CHECK(!(call ? tern_fused_call(function, of, &out) : layers(of, &out, NULL)));
        CHECK(!tern_backward(out, weight, NULL));
        for (int i = 0; i < 3; i++) {
            gradients[call > 0][i] = tern_gradient(of[i]);
            if (call) CHECK(difference(gradients[0][i], gradients[1][i]) < 1e-5);
        }
        tern_drop(out);
    }
    tern_fused_free(function);
    end();
}

/* A library does such a product with its bias at once, which here would be too late. */
static tern_status written_between(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_clone(in[0]), *y = tern_matmul(x, in[1]);
    const tern_operand operands[] = {tern_of(x), tern_number(1)};
    tern_status status = tern_op_into(x, TERN_OP_add, operands, 2, 0, 0);
    out[0] = tern_add(y, in[2]);
    return status;
}

TEST(a_bias_after_a_write) {
    enum { SIZE = 256 }; /* from here on a library does products on cuda */
    if (!begin()) return;
    const int64_t shape[] = {SIZE, SIZE};
    tern_tensor *in[] = {tern_full(session, TERN_FLOAT32, 2, shape, 0.5),
                         tern_full(session, TERN_FLOAT32, 2, shape, 0.25),
                         tern_full(session, TERN_FLOAT32, 1, shape, 3)};
    tern_tensor *want, *out = NULL;
    tern_fused *function = tern_fuse(session, "written_between", written_between, 3, 1, NULL);
    CHECK(!written_between(in, &want, NULL) && !tern_fused_call(function, in, &out));
    CHECK(difference(out, want) == 0 &&
          difference(want, tern_full(session, TERN_FLOAT32, 2, shape, SIZE * 0.5 * 0.25 + 3)) == 0);
    tern_fused_free(function);
    end();
}

TEST_MAIN()
