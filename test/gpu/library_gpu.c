// SPDX-License-Identifier: Apache-2.0
/* Products by libraries inside of fused functions: linear layers whose bias the library adds, of
 * matrices and batches, of weights that lie either way, of parts that begin anywhere, with another
 * bias each call, held against the same ops in float64. TERN_TEST_DEVICE names another device than
 * cuda, where libraries are asked for by tuning. */
#include "tern_tensor.h"
#include "test.h"

static tern_context *context;
static tern_session *session;

static tern_status linear(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *hidden = tern_add(in[2], tern_matmul(in[0], in[1]));
    out[0] = tern_gelu(hidden);
    out[1] = tern_add(tern_matmul(in[0], in[1]), in[2]);
    out[2] = tern_matmul(in[0], in[1]);
    return TERN_OK;
}

static double apart(tern_tensor *a, tern_tensor *b) {
    double most = NAN, size = NAN;
    a = tern_to(a, TERN_FLOAT64), b = tern_to(b, TERN_FLOAT64);
    if (tern_item(tern_amax(tern_abs(tern_sub(a, b)), NULL, 0, false), &most) ||
        tern_item(tern_amax(tern_abs(b), NULL, 0, false), &size))
        return NAN;
    return most / size;
}

static tern_tensor *numbers(tern_dtype dtype, int rank, const int64_t *shape) {
    return tern_to(tern_mul_number(tern_randn(session, TERN_FLOAT32, rank, shape), 0.25), dtype);
}

enum { ROWS = 300, DEPTH = 288, COLS = 272, BATCHES = 3 };

/* From an element on that no alignment helps. */
static tern_tensor *shifted(tern_tensor *bias) {
    tern_tensor *both[] = {tern_slice(bias, 0, 0, 1, 1), bias};
    return tern_slice(tern_cat(both, 2, 0), 0, 1, COLS + 1, 1);
}

static void check_type(tern_dtype dtype, double bound) {
    const int64_t rows[] = {BATCHES, ROWS, DEPTH}, turned[] = {COLS, DEPTH}, flat[] = {DEPTH, COLS};
    const int64_t row[] = {COLS};
    tern_fused *fused = tern_fuse(session, "linear", linear, 3, 3, NULL);
    tern_session_tune(session, dtype != TERN_FLOAT32); /* 16 bits are no library's otherwise */
    for (int kind = 0; kind < 8; kind++) {
        if (dtype != TERN_FLOAT32 && kind != 3 && kind != 6) continue; /* a race takes a second */
        tern_tensor *x = numbers(dtype, 3, rows), *bias = numbers(dtype, 1, row);
        if (kind & 1) x = tern_select(x, 0, 1);
        tern_tensor *w =
            kind & 2 ? tern_transpose(numbers(dtype, 2, turned), 0, 1) : numbers(dtype, 2, flat);
        if (kind & 4) bias = shifted(bias);
        for (int call = 0; call < 3; call++) {
            tern_tensor *in[] = {x, w, bias}, *exact[3], *got[3], *want[3];
            for (int i = 0; i < 3; i++) exact[i] = tern_to(in[i], TERN_FLOAT64);
            CHECK(!linear(exact, want, NULL) && !tern_fused_call(fused, in, got));
            for (int i = 0; i < 3; i++) {
                double off = apart(got[i], want[i]);
                if (!(off < bound)) printf("kind %d call %d result %d: %g\n", kind, call, i, off);
                CHECK(off < bound);
            }
            bias = tern_mul_number(bias, 2); /* at another place */
        }
    }
    tern_session_tune(session, false);
    tern_fused_free(fused);
}

TEST(linear_layers) {
    const char *device = getenv("TERN_TEST_DEVICE");
    context = tern_open(&(tern_open_options){.device = device ? device : "cuda"}, NULL, NULL, 0);
    if (!context) {
        SKIP("no such device");
        return;
    }
    session = tern_session_open(context);
    CHECK(session && !tern_scope_open(session));
    check_type(TERN_FLOAT32, 1e-5);
    check_type(TERN_FLOAT16, 3e-3);
    check_type(TERN_BFLOAT16, 2e-2);
    char *text = tern_session_tuned(session);
    CHECK(text && strstr(text, "linear: ") != NULL);
    if (text) fputs(text, stdout);
    tern_free(text);
    CHECK(!tern_scope_close(session));
    tern_session_close(session);
    tern_close(context);
}

TEST_MAIN()
