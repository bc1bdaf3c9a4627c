// SPDX-License-Identifier: Apache-2.0
/* A function of tensors becomes few kernels: GELU by hand, softmax by hand, layer norm, cross
 * entropy and a perceptron of two layers. Prints the plan of each and the file of its kernels,
 * or those of the one that is named: cc fused.c -ltern -lm -ldl -lpthread && ./a.out [NAME] */
#include <stdio.h>
#include <string.h>
#include <tern_tensor.h>

static const int last[] = {-1};

static tern_status gelu(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = in[0], *cube = tern_mul(tern_mul(x, x), x);
    tern_tensor *inner = tern_mul_number(tern_add(x, tern_mul_number(cube, 0.044715)), 0.79788456);
    out[0] = tern_mul(tern_mul_number(x, 0.5), tern_add_number(tern_tanh(inner), 1.0));
    return TERN_OK;
}

static tern_status softmax(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *largest = tern_amax(in[0], last, 1, true);
    tern_tensor *numerator = tern_exp(tern_sub(in[0], largest));
    tern_tensor *denominator = tern_sum(numerator, last, 1, true);
    tern_name(largest, "x_max"); /* what the kernel calls them */
    tern_name(numerator, "numerator");
    tern_name(denominator, "denominator");
    out[0] = tern_div(numerator, denominator);
    return TERN_OK;
}

static tern_status layer_norm(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_name(in[1], "weight");
    tern_name(in[2], "bias");
    tern_tensor *centred = tern_sub(in[0], tern_mean(in[0], last, 1, true));
    tern_tensor *variance = tern_mean(tern_square(centred), last, 1, true);
    tern_tensor *scaled = tern_mul(centred, tern_rsqrt(tern_add_number(variance, 1e-5)));
    out[0] = tern_add(tern_mul(scaled, in[1]), in[2]);
    return TERN_OK;
}

static tern_status cross_entropy(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_name(in[0], "logits");
    tern_name(in[1], "targets");
    tern_tensor *picked = tern_gather(tern_log_softmax(in[0], 1), 1, tern_unsqueeze(in[1], 1));
    out[0] = tern_neg(tern_mean(picked, NULL, 0, false));
    return TERN_OK;
}

static tern_status mlp(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *hidden = tern_gelu(tern_linear(in[0], in[1], in[2]));
    tern_name(hidden, "hidden");
    out[0] = tern_linear(hidden, in[3], in[4]);
    return TERN_OK;
}

static const struct {
    const char *name;
    tern_fused_body *body;
    int num_in;
    int64_t shapes[5][2]; /* 0: no such dimension */
} functions[] = {{"gelu", gelu, 1, {{4096}}},
                 {"softmax", softmax, 1, {{64, 781}}},
                 {"layer_norm", layer_norm, 3, {{64, 768}, {768}, {768}}},
                 {"cross_entropy", cross_entropy, 2, {{64, 1000}, {64}}},
                 {"mlp", mlp, 5, {{64, 128}, {256, 128}, {256}, {64, 256}, {64}}}};

/* Numbers from -1 to 1, or, of targets, integers. */
static tern_tensor *numbers(tern_session *session, const int64_t *shape, bool integers) {
    int rank = shape[1] ? 2 : 1;
    int64_t count = rank == 2 ? shape[0] * shape[1] : shape[0];
    tern_tensor *x = tern_arange(session, TERN_FLOAT32, 0, (double)count, 1);
    if (integers) return tern_to(x, TERN_INT64);
    return tern_view(tern_sin(tern_mul_number(x, 12.9898)), rank, shape);
}

static int show(tern_session *session, size_t which) {
    tern_tensor *in[5], *fused_y, *eager_y;
    int num_in = functions[which].num_in;
    bool is_close = false;
    for (int i = 0; i < num_in; i++)
        in[i] = numbers(session, functions[which].shapes[i],
                        functions[which].body == cross_entropy && i == 1);
    tern_fused *fused =
        tern_fuse(session, functions[which].name, functions[which].body, num_in, 1, NULL);
    if (!fused || tern_fused_call(fused, in, &fused_y) ||
        functions[which].body(in, &eager_y, NULL) ||
        tern_allclose(fused_y, eager_y, 1e-4, 1e-5, false, &is_close)) {
        tern_fused_free(fused);
        return 1;
    }
    char *plan = tern_fused_text(fused, TERN_FUSED_PLAN);
    char *source = tern_fused_text(fused, TERN_FUSED_SOURCE);
    if (plan && source) printf("%sas op by op: %s\n\n%s\n", plan, is_close ? "yes" : "no", source);
    tern_free(plan);
    tern_free(source);
    tern_fused_free(fused);
    return !is_close;
}

int main(int argc, char **argv) {
    char why[256];
    int code = 0;
    tern_context *context = tern_open(NULL, NULL, why, sizeof why);
    if (!context) return fprintf(stderr, "%s\n", why), 1;
    tern_session *session = tern_session_open(context);
    tern_scope_open(session);
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !code; i++)
        if (argc < 2 || !strcmp(argv[1], functions[i].name)) code = show(session, i);
    if (code) fprintf(stderr, "%s\n", tern_message(context));
    tern_scope_close(session);
    tern_session_close(session);
    tern_close(context);
    return code;
}
