// SPDX-License-Identifier: Apache-2.0
/* What the tape promises: leaves add up, nothing is recorded without grad mode, values that were
 * written since are an error in PyTorch's words, functions of the user's own, second gradients,
 * functions that are traced, steps of optimisers; nothing is left behind. */
#include "tensor_fixture.h"

static tern_tensor *numbers(int count, const double *values) {
    return tern_from(session, values, TERN_FLOAT64, 1, (const int64_t[]){count});
}

static tern_tensor *leaf(int count, const double *values) {
    tern_tensor *x = numbers(count, values);
    CHECK(!tern_set_requires_grad(x, true));
    return x;
}

static void check(tern_tensor *x, const double *want) {
    double got[64];
    CHECK(x != NULL);
    if (!x || tern_to_host(x, got, (size_t)tern_numel(x) * 8)) return;
    for (int i = 0; i < tern_numel(x); i++) {
        bool near = fabs(got[i] - want[i]) <= 1e-12 * (1 + fabs(want[i]));
        if (!near) printf("[%d]: %.17g, not %.17g\n", i, got[i], want[i]);
        CHECK(near);
    }
}

static tern_tensor *total(tern_tensor *x) { return tern_sum(x, NULL, 0, false); }

TEST(leaves_add_up) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(2, (const double[]){1, 2});
    CHECK(tern_is_leaf(x) && tern_requires_grad(x) && !tern_gradient(x));
    tern_tensor *y = tern_mul(x, x);
    CHECK(!tern_is_leaf(y) && tern_requires_grad(y));
    CHECK_STR(tern_grad_function(y), "MulBackward0");
    CHECK(!tern_grad_function(x));
    CHECK(!tern_backward(total(y), NULL, NULL));
    check(tern_gradient(x), (const double[]){2, 4});
    CHECK(!tern_backward(total(tern_mul_number(x, 10)), NULL, NULL));
    check(tern_gradient(x), (const double[]){12, 14});
    CHECK(!tern_set_gradient(x, NULL) && !tern_gradient(x));
    tern_tensor *g = numbers(2, (const double[]){1, -1});
    CHECK(tern_backward(tern_exp(tern_detach(x)), g, NULL) == TERN_ERROR_ARGUMENT);
    CHECK(!tern_backward(tern_mul_number(x, 3), g, NULL));
    check(tern_gradient(x), (const double[]){3, -3});
    check(g, (const double[]){1, -1});
    CHECK(!tern_backward(tern_add(x, x), g, NULL));
    check(tern_gradient(x), (const double[]){5, -5});
    check(g, (const double[]){1, -1}); /* is not what was added to */
    end();
}

static void check_text(tern_tensor *x, const char *want) {
    char *text = tern_tensor_text_on(x, "cpu");
    CHECK_STR(text, want);
    tern_free(text);
}

TEST(text) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(2, (const double[]){1, 2});
    check_text(x, "tensor([1., 2.], dtype=torch.float64, requires_grad=True)");
    check_text(tern_mul(x, x), "tensor([1., 4.], dtype=torch.float64, grad_fn=<MulBackward0>)");
    check_text(tern_detach(x), "tensor([1., 2.], dtype=torch.float64)");
    check_text(total(x), "tensor(3., dtype=torch.float64, grad_fn=<SumBackward0>)");
    end();
}

TEST(grad_mode) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(2, (const double[]){1, 2});
    CHECK(tern_grad_mode(session) && tern_set_grad_mode(session, false));
    tern_tensor *y = tern_mul(x, x), *view = tern_slice(x, 0, 0, 1, 1);
    CHECK(!tern_requires_grad(y) && !tern_requires_grad(view));
    const tern_operand step[] = {tern_of(x), tern_number(1)};
    CHECK(!tern_op_into(x, TERN_OP_sub, step, 2, 0, 0)); /* a step of an optimiser */
    CHECK(!tern_set_grad_mode(session, true));
    check(x, (const double[]){0, 1});
    const tern_operand of_view[] = {tern_of(view), tern_of(x)};
    CHECK(tern_op_into(view, TERN_OP_mul, of_view, 2, 0, 0) == TERN_ERROR_ARGUMENT);
    CHECK(tern_requires_grad(x) && tern_tensor_version(x) == 1);
    CHECK(!tern_requires_grad(tern_detach(x)));
    CHECK(!tern_set_requires_grad(x, false) && !tern_requires_grad(x));
    end();
}

static void check_words(tern_status status, const char *words) {
    CHECK(status == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), words);
}

TEST(words) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(3, (const double[]){1, 2, 3}), *plain = numbers(1, (const double[]){1});
    check_words(tern_backward(plain, NULL, NULL),
                "element 0 of tensors does not require grad and does not have a grad_fn");
    check_words(tern_backward(tern_mul(x, x), NULL, NULL),
                "grad can be implicitly created only for scalar outputs");
    check_words(tern_backward(tern_mul(x, x), plain, NULL),
                "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] "
                "has a shape of torch.Size([3]).");
    const tern_operand doubled[] = {tern_of(x), tern_number(2)};
    check_words(tern_op_into(x, TERN_OP_mul, doubled, 2, 0, 0),
                "a leaf Variable that requires grad is being used in an in-place operation.");
    tern_tensor *part = tern_slice(x, 0, 0, 1, 1);
    const tern_operand of_part[] = {tern_of(part), tern_number(2)};
    check_words(
        tern_op_into(part, TERN_OP_mul, of_part, 2, 0, 0),
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    tern_tensor *out = numbers(3, (const double[]){0, 0, 0});
    check_words(tern_op_into(out, TERN_OP_mul, doubled, 2, 0, 0),
                "mul(): functions with out=... arguments don't support automatic differentiation, "
                "but one of the arguments requires grad.");
    tern_tensor *y = tern_exp(x), *loss = total(y);
    const tern_operand more[] = {tern_of(y), tern_number(1)};
    CHECK(!tern_op_into(y, TERN_OP_add, more, 2, 0, 0));
    check_words(tern_backward(loss, NULL, NULL),
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [torch.DoubleTensor [3]], which is output 0 of ExpBackward0, "
                "is at version 1; expected version 0 instead. Hint: enable anomaly detection to "
                "find the operation that failed to compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True).");
    check_words(tern_set_requires_grad(y, false),
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach().");
    check_words(tern_retain_grad(plain),
                "can't retain_grad on Tensor that has requires_grad=False");
    tern_tensor *gradient;
    check_words(tern_grad(&loss, NULL, 1, &plain, 1, &gradient, NULL),
                "One of the differentiated Tensors does not require grad");
    tern_tensor *other = leaf(1, (const double[]){1});
    loss = total(tern_square(x));
    check_words(tern_grad(&loss, NULL, 1, &other, 1, &gradient,
                          &(tern_backward_options){.retain_graph = true}),
                "One of the differentiated Tensors appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior.");
    CHECK(!tern_backward(loss, NULL, &(tern_backward_options){.retain_graph = true}));
    CHECK(!tern_backward(loss, NULL, NULL));
    check(tern_gradient(x), (const double[]){4, 8, 12});
    check_words(
        tern_backward(loss, NULL, NULL),
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after "
        "calling backward.");
    end();
}

TEST(second_gradients) {
    if (!begin("interp")) return;
    const double at[] = {0.3, -1.2}, t[] = {tanh(0.3), tanh(-1.2)};
    const tern_backward_options again = {.create_graph = true};
    tern_tensor *x = leaf(2, at), *first, *second;
    tern_tensor *y = total(tern_add(tern_tanh(x), tern_pow_number(x, 3)));
    CHECK(!tern_grad(&y, NULL, 1, &x, 1, &first, &again));
    check(first, (const double[]){1 - t[0] * t[0] + 3 * at[0] * at[0],
                                  1 - t[1] * t[1] + 3 * at[1] * at[1]});
    tern_tensor *sum = total(first);
    CHECK(!tern_grad(&sum, NULL, 1, &x, 1, &second, NULL));
    check(second, (const double[]){-2 * t[0] * (1 - t[0] * t[0]) + 6 * at[0],
                                   -2 * t[1] * (1 - t[1] * t[1]) + 6 * at[1]});
    end();
}

TEST(gradients_between) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(2, (const double[]){1, 2}), *y = tern_mul_number(x, 2), *gradient;
    CHECK(!tern_retain_grad(y));
    tern_tensor *z = total(tern_square(y));
    CHECK(
        !tern_grad(&z, NULL, 1, &y, 1, &gradient, &(tern_backward_options){.retain_graph = true}));
    check(gradient, (const double[]){4, 8});
    CHECK(!tern_gradient(x));
    CHECK(!tern_backward(z, NULL, NULL));
    check(tern_gradient(y), (const double[]){4, 8});
    check(tern_gradient(x), (const double[]){8, 16});
    end();
}

/* What is kept of a tensor between is not added to with the leaf's, which is the same at first. */
TEST(gradients_kept_between) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(2, (const double[]){1, 2}), *y = tern_add_number(x, 1);
    tern_tensor *g = numbers(2, (const double[]){5, 6});
    CHECK(!tern_retain_grad(y));
    CHECK(!tern_backward(total(tern_mul(y, g)), NULL, NULL));
    CHECK(!tern_backward(total(tern_mul(x, g)), NULL, NULL));
    check(tern_gradient(x), (const double[]){10, 12});
    check(tern_gradient(y), (const double[]){5, 6});
    end();
}

/* Long chains go node by node. */
TEST(long_chains) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(1, (const double[]){1}), *y = tern_view(x, 1, (const int64_t[]){1});
    for (int i = 0; i < 200000; i++) {
        tern_tensor *next = tern_view(y, 1, (const int64_t[]){1});
        tern_keep(next);
        if (i % 1000 == 0) {
            CHECK(!tern_scope_close(session));
            CHECK(!tern_scope_open(session));
        }
        tern_drop(i ? y : NULL);
        y = next;
    }
    CHECK(tern_requires_grad(y));
    tern_drop(y);
    end();
}

/* ---- bad input ---- */

TEST(tensors_that_are_gone) {
    if (!begin("interp")) return;
    tern_tensor *x = tern_keep(leaf(3, (const double[]){1, 2, 3})), *gradient;
    tern_tensor *view = tern_slice(x, 0, 0, 2, 1), *y = total(tern_square(view));
    tern_drop(x), tern_drop(x);
    check_words(tern_backward(x, NULL, NULL), "the tensor is gone: its last reference was dropped");
    CHECK(!tern_gradient(x) && !tern_detach(x) && !tern_grad_function(x));
    CHECK(tern_set_requires_grad(x, true) == TERN_ERROR_ARGUMENT);
    CHECK(tern_grad(&y, NULL, 1, &x, 1, &gradient, NULL) == TERN_ERROR_ARGUMENT && !gradient);
    CHECK(!tern_backward(y, NULL, NULL)); /* the graph has what it needs */
    CHECK(!tern_mul(x, view) && !tern_scatter_add(NULL, 0, x, view));
    CHECK(tern_backward(NULL, NULL, NULL) == TERN_ERROR_ARGUMENT);
    end();
}

TEST(writes_that_are_refused) {
    if (!begin("interp")) return;
    tern_tensor *x = leaf(1, (const double[]){2}), *y = tern_mul(x, x);
    tern_tensor *wide = tern_expand(y, SHAPE(3)), *narrow = tern_to(y, TERN_FLOAT32);
    const tern_operand more[] = {tern_of(wide), tern_number(1)};
    check_words(tern_op_into(wide, TERN_OP_add, more, 2, 0, 0),
                "unsupported operation: more than one element of the written-to tensor refers to a "
                "single memory location. Please clone() the tensor before performing the "
                "operation.");
    CHECK(tern_tensor_version(y) == 0);
    const tern_backward_options again = {.retain_graph = true};
    CHECK(!tern_backward(total(wide), NULL, &again));
    check(tern_gradient(x), (const double[]){12});
    /* A gradient of another type is taken to the tensor's. */
    tern_tensor *g = tern_ones(session, TERN_FLOAT64, SHAPE(1));
    CHECK(!tern_backward(narrow, g, NULL));
    check(tern_gradient(x), (const double[]){16});
    CHECK(tern_set_gradient(x, narrow) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "assigned grad has data of a different type");
    CHECK(tern_add(y, leaf(2, (const double[]){1, 2})) != NULL); /* broadcasts */
    CHECK(!tern_matmul(y, narrow));
    end();
}

/* 2^31 elements and more, by repeating one: their gradient is one sum. */
TEST(more_than_31_bits) {
    if (!begin("cpu")) return;
    const int64_t many = (INT64_C(1) << 31) + 9;
    tern_tensor *x = leaf(1, (const double[]){2}), *wide = tern_expand(x, SHAPE(many));
    CHECK(!tern_backward(total(wide), NULL, NULL));
    check(tern_gradient(x), (const double[]){(double)many});
    end();
}

/* ---- functions of the user's own ---- */

typedef struct Cube {
    int released, called;
    bool missing;
} Cube;

static void cube_release(void *user) { ((Cube *)user)->released++; }

static tern_status cube_backward(const tern_backward_call *call) {
    Cube *cube = call->user;
    cube->called++;
    cube->missing = !call->out_gradients[1];
    CHECK(call->num_in == 2 && call->num_out == 2 && call->num_saved == 2);
    CHECK(call->is_needed[0] && !call->is_needed[1]);
    CHECK(!tern_scope_open(session));
    tern_tensor *slope = tern_mul_number(tern_square(call->saved[0]), 3);
    call->in_gradients[0] = tern_keep(tern_mul(call->out_gradients[0], slope));
    check(call->saved[1], (const double[]){1, 8});
    CHECK(!tern_scope_close(session));
    return call->in_gradients[0] ? TERN_OK : tern_message_status(context);
}

static tern_tensor *cube_of(Cube *cube, tern_tensor *x, bool keeps_missing) {
    const tern_grad_rule rule = {.name = "Cube",
                                 .backward = cube_backward,
                                 .release = cube_release,
                                 .user = cube,
                                 .keeps_missing = keeps_missing};
    bool mode = tern_set_grad_mode(session, false);
    tern_tensor *y = tern_mul(x, tern_square(x)), *other = tern_neg(x);
    tern_set_grad_mode(session, mode);
    tern_tensor *in[] = {x, NULL}, *out[] = {y, other}, *saved[] = {x, y};
    CHECK(!tern_record(session, &rule, in, 2, out, 2, saved, 2));
    return y;
}

/* One tensor for both, which is also what came in. */
static tern_status same_backward(const tern_backward_call *call) {
    for (int i = 0; i < 2; i++) call->in_gradients[i] = tern_keep(call->out_gradients[0]);
    return TERN_OK;
}

TEST(a_gradient_of_two) {
    if (!begin("interp")) return;
    tern_tensor *in[] = {leaf(2, (const double[]){1, 2}), leaf(2, (const double[]){3, 4})};
    const tern_grad_rule rule = {.name = "Sum", .backward = same_backward};
    bool mode = tern_set_grad_mode(session, false);
    tern_tensor *y = tern_add(in[0], in[1]), *z = tern_exp(tern_detach(y));
    tern_set_grad_mode(session, mode);
    CHECK(!tern_record(session, &rule, in, 2, &y, 1, &z, 1));
    CHECK(!tern_backward(total(tern_mul_number(y, 5)), NULL, NULL));
    CHECK(!tern_backward(total(tern_mul_number(in[0], 10)), NULL, NULL));
    check(tern_gradient(in[0]), (const double[]){15, 15});
    check(tern_gradient(in[1]), (const double[]){5, 5}); /* was not added to with the other */
    end();
}

TEST(own_functions) {
    if (!begin("interp")) return;
    Cube cube = {0, 0, false};
    tern_tensor *x = leaf(2, (const double[]){1, 2}), *y = cube_of(&cube, x, true);
    CHECK_STR(tern_grad_function(y), "CubeBackward");
    CHECK(!tern_backward(total(y), NULL, NULL) && cube.called == 1 && cube.missing);
    check(tern_gradient(x), (const double[]){3, 12});
    y = cube_of(&cube, x, false);
    CHECK(!tern_backward(total(y), NULL, NULL) && cube.called == 2 && !cube.missing);
    check(tern_gradient(x), (const double[]){6, 24});
    CHECK(!cube.released);
    bool mode = tern_set_grad_mode(session, false);
    CHECK(!tern_requires_grad(cube_of(&cube, x, true)) && cube.released == 1);
    tern_set_grad_mode(session, mode);
    const tern_grad_rule rule = {"Same", cube_backward, cube_release, &cube, 0, false};
    check_words(tern_record(session, &rule, &x, 1, &x, 1, NULL, 0),
                "Same: its output 0 is its input 0: return tern_detach of it");
    CHECK(cube.released == 2);
    end();
    CHECK(cube.released == 4);
}

/* ---- traced ---- */

static tern_status gelu_and_gradient(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_detach(in[0]);
    tern_status status = tern_set_requires_grad(x, true);
    tern_tensor *y = tern_softmax(tern_gelu(tern_mul(x, in[1])), -1);
    if (!status) status = tern_backward(total(tern_square(y)), NULL, NULL);
    out[0] = tern_keep(y);
    out[1] = tern_keep(tern_gradient(x));
    return status;
}

TEST(traced) {
    static const char *const devices[] = {"interp", "cpu"};
    for (int i = 0; i < 2; i++) {
        if (!begin(devices[i])) return;
        const double at[] = {0.3, -1.2, 0.7, 2.0, -0.4, 1.1}, by[] = {1, 0.5, 2};
        tern_tensor *x = tern_from(session, at, TERN_FLOAT64, SHAPE(2, 3));
        tern_tensor *in[] = {x, numbers(3, by)}, *eager[2], *fused[2];
        tern_fused *function = tern_fuse(session, "gelu", gelu_and_gradient, 2, 2, NULL);
        CHECK(function && !gelu_and_gradient(in, eager, NULL));
        CHECK(!tern_fused_call(function, in, fused));
        for (int k = 0; k < 2 && fused[k]; k++) {
            double want[6];
            CHECK(!tern_to_host(eager[k], want, sizeof want));
            check(fused[k], want);
            tern_drop(eager[k]);
        }
        CHECK(!tern_requires_grad(x) && !tern_gradient(x));
        tern_fused_free(function);
        end();
    }
}

/* ---- calls of fused functions ---- */

typedef struct Body {
    tern_tensor *elsewhere;
    bool writes;
    int runs;
} Body;

static tern_status layer(tern_tensor *const *in, tern_tensor **out, void *user) {
    Body *with = user;
    with->runs++;
    if (with->writes) {
        const tern_operand more[] = {tern_of(in[0]), tern_number(1)};
        if (tern_op_into(in[0], TERN_OP_add, more, 2, 0, 0)) return TERN_ERROR_ARGUMENT;
    }
    tern_tensor *x = with->elsewhere ? tern_add(in[0], with->elsewhere) : in[0];
    tern_tensor *y = tern_gelu(tern_add(tern_matmul(x, in[1]), in[2]));
    out[0] = tern_keep(tern_layer_norm(y, 1, NULL, NULL, 1e-5));
    out[1] = tern_keep(tern_mul(tern_sum(y, (const int[]){-1}, 1, true), y));
    return out[1] ? TERN_OK : tern_message_status(context);
}

static void layer_inputs(tern_tensor *in[3]) {
    const double x[] = {0.3, -1.2, 0.7, 2.0, -0.4, 1.1},
                 w[] = {0.5, 1, -1, 2, 0.1, 0.2, -0.3, 0.7, 1, 0.4, -0.8, 0.6};
    in[0] = tern_from(session, x, TERN_FLOAT64, SHAPE(2, 3));
    in[1] = tern_from(session, w, TERN_FLOAT64, SHAPE(3, 4));
    in[2] = tern_from(session, w + 2, TERN_FLOAT64, SHAPE(4));
}

TEST(gradients_of_fused_calls) {
    static const char *const devices[] = {"interp", "cpu"};
    for (int i = 0; i < 2; i++) {
        if (!begin(devices[i])) return;
        Body with = {NULL, false, 0};
        tern_tensor *gradients[2][3];
        tern_fused *function = tern_fuse(session, "layer", layer, 3, 2, &with);
        for (int fused = 0; fused < 4; fused++) {
            tern_tensor *in[3], *out[2];
            layer_inputs(in);
            for (int k = 0; k < 2; k++) CHECK(!tern_set_requires_grad(in[2 * k], true));
            CHECK(!(fused ? tern_fused_call(function, in, out) : layer(in, out, &with)));
            CHECK(tern_requires_grad(out[0]) && tern_requires_grad(out[1]));
            if (fused) CHECK_STR(tern_grad_function(out[0]), "layerBackward");
            tern_tensor *sum = tern_add(total(tern_square(out[0])), total(out[1]));
            if (fused == 3) tern_fused_free(function);
            CHECK(!tern_backward(sum, NULL, NULL));
            CHECK(!tern_gradient(in[1]));
            for (int k = 0; k < 2; k++) {
                double want[6];
                gradients[fused > 0][k] = tern_gradient(in[2 * k]);
                if (!fused) continue;
                CHECK(!tern_to_host(gradients[0][k], want, k ? 32 : 48));
                check(gradients[1][k], want);
            }
            for (int k = 0; k < 2; k++) tern_drop(out[k]);
        }
        CHECK(with.runs == 3); /* op by op, traced, traced to walk back */
        end();
    }
}

TEST(fused_calls_that_have_none) {
    if (!begin("interp")) return;
    Body with = {NULL, true, 0};
    tern_tensor *in[3], *out[2];
    layer_inputs(in);
    tern_fused *function = tern_fuse(session, "layer", layer, 3, 2, &with);
    CHECK(!tern_set_requires_grad(in[1], true));
    CHECK(tern_fused_call(function, in, out) == TERN_ERROR_UNSUPPORTED);
    CHECK_STR(tern_message(context), "layer: a gradient of a function that writes to its arguments "
                                     "or to tensors from elsewhere");
    with = (Body){tern_from(session, (const double[]){1, 2, 3}, TERN_FLOAT64, SHAPE(3)), false, 0};
    tern_fused *other = tern_fuse(session, "layer", layer, 3, 2, &with);
    CHECK(!tern_set_requires_grad(with.elsewhere, true));
    bool mode = tern_set_grad_mode(session, false);
    CHECK(!tern_fused_call(other, in, out) && !tern_requires_grad(out[0]));
    tern_drop(out[0]), tern_drop(out[1]);
    tern_set_grad_mode(session, mode);
    CHECK(tern_fused_call(other, in, out) == TERN_ERROR_UNSUPPORTED);
    CHECK_STR(tern_message(context), "a function that is traced uses a tensor from elsewhere that "
                                     "requires a gradient: make it an argument");
    tern_fused_free(function);
    tern_fused_free(other);
    end();
}

/* ---- steps of optimisers, against loops over double ---- */

enum { COUNT_OF = 5, STEPS = 4 };

static void check_sgd(double momentum, bool nesterov, double decay) {
    double p[COUNT_OF] = {1, -2, 3, 0.5, -0.1}, m[COUNT_OF] = {0};
    tern_tensor *x = leaf(COUNT_OF, p), *momenta = tern_zeros(session, TERN_FLOAT64, SHAPE(5));
    for (int step = 0; step < STEPS; step++) {
        CHECK(!tern_set_gradient(x, NULL));
        CHECK(!tern_backward(total(tern_pow_number(x, 4)), NULL, NULL));
        tern_tensor *gradient = tern_gradient(x);
        const tern_sgd_options options = {.lr = 0.01,
                                          .momentum = momentum,
                                          .dampening = nesterov ? 0 : 0.1,
                                          .weight_decay = decay,
                                          .nesterov = nesterov,
                                          .is_first = !step};
        CHECK(!tern_sgd_step(&x, &gradient, &momenta, 1, &options));
        for (int i = 0; i < COUNT_OF; i++) {
            double g = 4 * p[i] * p[i] * p[i] + decay * p[i];
            if (momentum != 0) {
                m[i] = step ? momentum * m[i] + (1 - options.dampening) * g : g;
                g = nesterov ? g + momentum * m[i] : m[i];
            }
            p[i] -= 0.01 * g;
        }
        check(x, p);
    }
}

static void check_adam(bool is_coupled, double decay) {
    double p[COUNT_OF] = {1, -2, 3, 0.5, -0.1}, m[COUNT_OF] = {0}, v[COUNT_OF] = {0};
    tern_tensor *x = leaf(COUNT_OF, p), *means = tern_zeros(session, TERN_FLOAT64, SHAPE(5));
    tern_tensor *squares = tern_zeros(session, TERN_FLOAT64, SHAPE(5));
    for (int step = 1; step <= STEPS; step++) {
        CHECK(!tern_set_gradient(x, NULL));
        CHECK(!tern_backward(total(tern_pow_number(x, 4)), NULL, NULL));
        tern_tensor *gradient = tern_gradient(x);
        const tern_adam_options options = {0.01, 0.9, 0.99, 1e-8, decay, is_coupled, false, step};
        CHECK(!tern_adam_step(&x, &gradient, &means, &squares, 1, &options));
        for (int i = 0; i < COUNT_OF; i++) {
            double g = 4 * p[i] * p[i] * p[i];
            if (is_coupled)
                g += decay * p[i];
            else
                p[i] *= 1 - 0.01 * decay;
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.99 * v[i] + 0.01 * g * g;
            double root = sqrt(v[i] / (1 - pow(0.99, step))) + 1e-8;
            p[i] -= 0.01 * m[i] / (1 - pow(0.9, step)) / root;
        }
        check(x, p);
    }
}

TEST(optimisers) {
    static const char *const devices[] = {"interp", "cpu"};
    for (int i = 0; i < 2; i++) {
        if (!begin(devices[i])) return;
        check_sgd(0, false, 0);
        check_sgd(0.9, false, 0.02);
        check_sgd(0.9, true, 0);
        check_adam(false, 0.1);
        check_adam(true, 0.1);
        end();
    }
}

TEST_MAIN()
