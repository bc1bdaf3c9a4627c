// SPDX-License-Identifier: Apache-2.0
/* Softmax by hand and as an op, and one of the kernels that this made:
 * cc tensors.c -ltern -lm -ldl -lpthread */
#include <stdio.h>
#include <string.h>
#include <tern_tensor.h>

static void show(const char *name, tern_tensor *tensor) {
    char *text = tern_tensor_text(tensor);
    if (text) printf("%s = %s\n", name, text);
    tern_free(text);
}

static tern_tensor *manual_softmax(tern_tensor *x) {
    const int last[] = {-1};
    tern_tensor *shifted = tern_sub(x, tern_amax(x, last, 1, true));
    tern_tensor *numerator = tern_exp(shifted);
    return tern_div(numerator, tern_sum(numerator, last, 1, true));
}

/* Only the end of a chain is looked at: an op on NULL is NULL. */
static int run(tern_session *session) {
    static const float numbers[] = {1, 2, 3, 4, 4, 4};
    tern_tensor *x = tern_from(session, numbers, TERN_FLOAT32, 2, (const int64_t[]){2, 3});
    tern_tensor *by_hand = manual_softmax(x), *by_op = tern_softmax(x, -1);
    bool close = false;
    if (tern_allclose(by_hand, by_op, 1e-5, 1e-8, false, &close)) return 1;
    show("x", x);
    show("softmax(x)", by_op);
    show("x[:, 1:].T", tern_transpose(tern_at(x, ":, 1:"), 0, 1));
    printf("by hand the same: %s\n", close ? "yes" : "no");
    char *kernels = tern_session_kernels(session),
         *sub = kernels ? strstr(kernels, "def sub(") : NULL;
    if (sub) printf("\n%.*s", (int)(strstr(sub, "\n\n") + 1 - sub), sub);
    tern_free(kernels);
    return 0;
}

int main(void) {
    char why[256];
    tern_context *context = tern_open(NULL, NULL, why, sizeof why);
    if (!context) return fprintf(stderr, "%s\n", why), 1;
    tern_session *session = tern_session_open(context);
    tern_scope_open(session); /* what is made from here on .. */
    int code = run(session);
    if (code) fprintf(stderr, "%s\n", tern_message(context));
    tern_scope_close(session); /* .. goes here */
    tern_session_close(session);
    tern_close(context);
    return code;
}
