// SPDX-License-Identifier: Apache-2.0
/* Every allocation of a training step fails in turn, alone and with all after it, where kernels are
 * compiled already: the step says TERN_ERROR_NO_MEMORY, and nothing of it is left. */
#include "step_failures.h"

static tern_context *context;
static tern_session *session;
static tern_fused *fused;

static tern_status failed(void) {
    tern_status status = tern_message_status(context);
    return status ? status : TERN_ERROR_SYSTEM;
}

static tern_status own_backward(const tern_backward_call *call) {
    call->in_gradients[0] = tern_mul(call->out_gradients[0], call->saved[0]); /* is its own */
    return call->in_gradients[0] ? TERN_OK : failed();
}

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_keep(tern_exp(tern_mul(in[0], in[1])));
    return out[0] ? TERN_OK : failed();
}

/* Views, writes in place, a function of its own, a fused one, a step of an optimiser. */
static tern_status step(void) {
    static const double values[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    static const int64_t at[] = {1, 0, 1};
    const tern_grad_rule rule = {.name = "Own", .backward = own_backward};
    tern_tensor *x = tern_from(session, values, TERN_FLOAT64, 2, (const int64_t[]){2, 3});
    tern_tensor *index = tern_from(session, at, TERN_INT64, 1, (const int64_t[]){3});
    if (!x || !index || tern_set_requires_grad(x, true)) return failed();
    tern_tensor *y = tern_softmax(tern_transpose(x, 0, 1), -1);
    tern_tensor *z = tern_mul_number(tern_index_select(y, 0, index), 2);
    tern_tensor *row = tern_select(z, 0, 1);
    if (!row || tern_copy_into(row, tern_select(y, 0, 2))) return failed();
    tern_tensor *all = tern_cat((tern_tensor *const[]){z, y}, 2, 0), *own = NULL, *more = NULL;
    bool mode = tern_set_grad_mode(session, false);
    own = tern_square(all);
    tern_set_grad_mode(session, mode);
    if (!own || tern_record(session, &rule, &all, 1, &own, 1, &all, 1)) return failed();
    if (tern_fused_call(fused, (tern_tensor *const[]){own, all}, &more)) return failed();
    tern_tensor *loss = tern_sum(more, NULL, 0, false), *gradient = NULL;
    tern_drop(more);
    if (!loss || tern_backward(loss, NULL, NULL)) return failed();
    gradient = tern_gradient(x);
    if (!gradient) return failed();
    return tern_sgd_step(&x, &gradient, NULL, 1, &(tern_sgd_options){.lr = 0.1});
}

TEST(each_allocation_of_a_step_fails) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    session = context ? tern_session_open(context) : NULL;
    fused = session ? tern_fuse(session, "body", body, 2, 1, NULL) : NULL;
    CHECK(fused != NULL);
    if (!fused) return;
    CHECK(scoped(session, step) == TERN_OK); /* kernels, plans, memory to be used again */
    for (int alone = 1; alone >= 0; alone--)
        printf("%ld allocations\n", check_step_failures(session, step, alone, 0, 1));
    CHECK(scoped(session, step) == TERN_OK);
    CHECK(tern_session_live_tensors(session) == 0);
    tern_fused_free(fused);
    tern_session_close(session);
    tern_close(context);
}

TEST_MAIN()
