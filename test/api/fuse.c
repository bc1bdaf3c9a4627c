// SPDX-License-Identifier: Apache-2.0
/* Functions that are traced and fused: calls, second shapes, writes, views, and what is refused. */
#include "tensor_fixture.h"

static const char *const devices[] = {"interp", "cpu"};
#define EACH_DEVICE for (size_t d_ = 0; d_ < 2; d_++)

/* The same C function, run op by op. */
static void check_same(tern_tensor *got, tern_tensor *want, double bound) {
    bool close = false;
    CHECK(got && want);
    if (!got || !want) {
        fprintf(stderr, "    %s\n", tern_message(context));
        return;
    }
    CHECK(tern_rank(got) == tern_rank(want));
    for (int d = 0; d < tern_rank(want); d++) {
        CHECK(tern_shape(got)[d] == tern_shape(want)[d]);
        CHECK(tern_shape(want)[d] < 2 || tern_strides(got)[d] == tern_strides(want)[d]);
    }
    CHECK(!tern_allclose(got, want, bound, bound, true, &close));
    CHECK(close);
}

static void check_fused(tern_fused *fused, tern_fused_body *body, tern_tensor *const *in,
                        int num_out, double bound) {
    tern_tensor *got[8] = {NULL}, *want[8] = {NULL};
    CHECK(!body(in, want, NULL));
    CHECK(!tern_fused_call(fused, in, got));
    for (int i = 0; i < num_out; i++) check_same(got[i], want[i], bound);
}

static int bodies_run;

static tern_status softmax(tern_tensor *const *in, tern_tensor **out, void *user) {
    const int last[] = {-1};
    (void)user;
    bodies_run++;
    tern_tensor *shifted = tern_sub(in[0], tern_amax(in[0], last, 1, true));
    tern_tensor *numerator = tern_exp(shifted);
    out[0] = tern_div(numerator, tern_sum(numerator, last, 1, true));
    return TERN_OK;
}

TEST(a_plan_a_shape) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_fused *fused = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
        tern_tensor *small = counted(SHAPE(3, 5)), *large = counted(SHAPE(2, 40));
        check_fused(fused, softmax, &small, 1, 1e-6);
        check_fused(fused, softmax, &large, 1, 1e-6);
        tern_tensor *turned = tern_transpose(small, 0, 1), *half = tern_to(small, TERN_FLOAT64);
        check_fused(fused, softmax, &turned, 1, 1e-6);
        check_fused(fused, softmax, &half, 1, 1e-6);
        bodies_run = 0; /* each of these is known now, also at another place of its storage */
        tern_tensor *behind = tern_select(counted(SHAPE(2, 3, 5)), 0, 1), *out;
        tern_tensor *const known[] = {small, large, turned, half, behind};
        for (int i = 0; i < 5; i++) CHECK(!tern_fused_call(fused, &known[i], &out));
        CHECK(bodies_run == 0);
        check_same(out, tern_softmax(behind, 1), 1e-6);
        tern_fused_free(fused);
        end();
    }
}

/* What it writes to an argument is written; results may be arguments, views and the same tensor. */
static tern_status writer(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *row = tern_select(in[0], 0, 1), *before = tern_exp(row);
    tern_status status =
        tern_op_into(row, TERN_OP_add, (tern_operand[]){tern_of(row), tern_number(1)}, 2, 0, 0);
    out[0] = tern_keep(in[0]);
    out[1] = tern_transpose(in[0], 0, 1);
    out[2] = tern_add(before, row);
    out[3] = tern_keep(out[2]);
    tern_tensor *const parts[] = {in[0], out[2]};
    out[4] = tern_cat((tern_tensor *[]){tern_flatten(parts[0]), parts[1]}, 2, 0);
    return status;
}

TEST(writes_and_views) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_fused *fused = tern_fuse(session, "writer", writer, 1, 5, NULL);
        for (int round = 0; round < 2; round++) {
            tern_tensor *a = counted(SHAPE(2, 3)), *b = counted(SHAPE(2, 3)), *got[5], *want[5];
            CHECK(!writer(&a, want, NULL));
            CHECK(!tern_fused_call(fused, &b, got));
            for (int i = 0; i < 5; i++) check_same(got[i], want[i], 1e-6);
            check_same(b, a, 0);
            size_t of_b, of_got;
            CHECK(tern_tensor_buffer(b, &of_b) == tern_tensor_buffer(got[1], &of_got));
            tern_drop(got[3]);
            CHECK(tern_numel(got[2]) == 3);
            tern_drop(want[0]); /* these the body kept */
            tern_drop(want[3]);
        }
        tern_fused_free(fused);
        end();
    }
}

static tern_status add_to_first(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_exp(in[1]);
    return tern_op_into(in[0], TERN_OP_add, (tern_operand[]){tern_of(in[0]), tern_number(1)}, 2, 0,
                        0);
}

TEST(memory_with_two_names) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "both", add_to_first, 2, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *y = counted(SHAPE(2, 3)), *out;
    CHECK(!tern_fused_call(fused, (tern_tensor *[]){x, y}, &out));
    CHECK(tern_fused_call(fused, (tern_tensor *[]){x, x}, &out) == TERN_ERROR_UNSUPPORTED);
    CHECK(!out && strstr(tern_message(context), "shares its memory"));
    tern_fused_free(fused);
    end();
}

/* Tensors from elsewhere are read at each call; those that the body makes of data are its own. */
static tern_status affine(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *ones = tern_ones(tern_tensor_session(in[0]), TERN_FLOAT32, SHAPE(3));
    out[0] = tern_add(tern_mul(in[0], user), ones);
    return TERN_OK;
}

static tern_status twice(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *once;
    tern_status status = tern_fused_call(user, in, &once);
    return status ? status : tern_fused_call(user, &once, out);
}

TEST(tensors_from_elsewhere_and_functions_in_functions) {
    EACH_DEVICE {
        CHECK(begin(devices[d_]));
        tern_tensor *scale = counted(SHAPE(3)), *x = counted(SHAPE(2, 3)), *out;
        tern_fused *fused = tern_fuse(session, "affine", affine, 1, 1, scale);
        tern_fused *outer = tern_fuse(session, "twice", twice, 1, 1, fused);
        CHECK(!tern_fused_call(fused, &x, &out));
        check_same(out, tern_add_number(tern_mul(x, scale), 1), 0);
        CHECK(!tern_copy_into(scale, tern_ones(session, TERN_FLOAT32, SHAPE(3))));
        CHECK(!tern_fused_call(fused, &x, &out));
        check_same(out, tern_add_number(x, 1), 0);
        CHECK(!tern_fused_call(outer, &x, &out));
        check_same(out, tern_add_number(x, 2), 0);
        tern_fused_free(outer);
        tern_fused_free(fused);
        end();
    }
}

static tern_status taker(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_gather(tern_log_softmax(in[0], 1), 1, in[1]);
    return TERN_OK;
}

TEST(indices_are_looked_at_in_each_call) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "taker", taker, 2, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *index = tern_ones(session, TERN_INT64, SHAPE(2, 1));
    check_fused(fused, taker, (tern_tensor *[]){x, index}, 1, 1e-6);
    index = tern_add_integer(index, 2);
    tern_tensor *out;
    CHECK(tern_fused_call(fused, (tern_tensor *[]){x, index}, &out) == TERN_ERROR_ARGUMENT);
    CHECK(!strcmp(tern_message(context), "index 3 is out of bounds for dimension 1 with size 3"));
    tern_fused_free(fused);
    end();
}

/* ---- what is refused ---- */

static tern_status asks(tern_tensor *const *in, tern_tensor **out, void *user) {
    double value = 0;
    (void)user;
    tern_item(tern_sum(in[0], NULL, 0, false), &value); /* nobody looks at the status */
    out[0] = tern_mul_number(in[0], value);
    return TERN_OK;
}

static tern_status prints(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_free(tern_tensor_text(in[0]));
    out[0] = tern_exp(in[0]);
    return TERN_OK;
}

static tern_status leaves_out(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)in, (void)user, (void)out;
    return TERN_OK;
}

static tern_status fails(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_matmul(in[0], in[0]);
    return TERN_OK;
}

static tern_status divides(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *whole = tern_to(in[0], TERN_INT64);
    out[0] = tern_remainder(whole, whole);
    return TERN_OK;
}

static tern_status accumulates(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_zeros_like(in[0]);
    return tern_copy_into(out[0], in[0]);
}

static tern_status computes_index(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_gather(in[0], 1, tern_to(in[0], TERN_INT64));
    return TERN_OK;
}

static tern_status seen_again(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_as_strided(in[0], SHAPE(2), (int64_t[]){1}, 0);
    return TERN_OK;
}

static tern_status not_there(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)in;
    out[0] = tern_keep(user);
    return TERN_OK;
}

TEST(refusals) {
    static const struct {
        tern_fused_body *body;
        tern_status status;
        const char *words;
    } cases[] = {
        {asks, TERN_ERROR_UNSUPPORTED, "tern_item: a tensor has no values while"},
        {prints, TERN_ERROR_UNSUPPORTED, "a tensor has no values while"},
        {leaves_out, TERN_ERROR_ARGUMENT, "the function left its result 0 out"},
        {fails, TERN_ERROR_ARGUMENT, "shapes cannot be multiplied (2x3 and 2x3)"},
        {divides, TERN_ERROR_UNSUPPORTED, "remainder by a tensor of integers"},
        {accumulates, TERN_ERROR_UNSUPPORTED, "makes of host data"},
        {computes_index, TERN_ERROR_UNSUPPORTED, "must be an argument"},
        {seen_again, TERN_ERROR_UNSUPPORTED, "tern_as_strided: a tensor has no values"},
        {not_there, TERN_ERROR_UNSUPPORTED, "that none of its ops has to do with"},
    };
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3)), *out = x;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tern_fused *fused = tern_fuse(session, "refused", cases[i].body, 1, 1, x);
        CHECK(tern_fused_call(fused, &x, &out) == cases[i].status);
        CHECK(!out);
        CHECK(strstr(tern_message(context), cases[i].words));
        if (!strstr(tern_message(context), cases[i].words))
            fprintf(stderr, "    %s\n", tern_message(context));
        tern_fused_free(fused);
    }
    CHECK(!tern_fuse(session, "no word", asks, 1, 1, NULL));
    CHECK(!tern_fuse(session, "many", asks, 65, 1, NULL));
    CHECK(!tern_fuse(session, "none", asks, 1, 0, NULL));
    tern_fused *fused = tern_fuse(session, "softmax", softmax, 1, 1, NULL);
    CHECK(tern_fused_call(fused, (tern_tensor *[]){NULL}, &out) == TERN_ERROR_ARGUMENT);
    tern_fused_free(fused);
    end();
}

static tern_tensor *smuggled;
static tern_status smuggles(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_exp(in[0]);
    smuggled = tern_keep(tern_keep(out[0])); /* one goes with the result, one with the trace */
    return TERN_OK;
}

TEST(a_traced_tensor_outside_of_its_function) {
    CHECK(begin("interp"));
    tern_fused *fused = tern_fuse(session, "smuggles", smuggles, 1, 1, NULL);
    tern_tensor *x = counted(SHAPE(2, 3)), *out;
    CHECK(!tern_fused_call(fused, &x, &out));
    CHECK(!tern_exp(smuggled));
    CHECK(strstr(tern_message(context), "of a function that was traced"));
    tern_drop(smuggled);
    tern_fused_free(fused);
    end();
}

TEST_MAIN()
