// SPDX-License-Identifier: Apache-2.0
/* Memory runs out while a fused function gets its own kernels for a shape that comes again: the
 * call says so, and the next one gets them. */
#include "step_failures.h"

#include <math.h>

static tern_context *context;
static tern_session *session;
static tern_tensor *few, *many;

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    out[0] = tern_keep(tern_softmax(in[0], 1));
    out[1] = out[0] ? tern_keep(tern_sum(tern_exp(out[0]), (const int[]){0}, 1, false)) : NULL;
    return out[1] ? TERN_OK : tern_message_status(context);
}

/* Its results are right, or it has none. */
static tern_status call(tern_fused *fused, tern_tensor *x, bool counted) {
    tern_tensor *out[2] = {NULL, NULL};
    double sum = 0;
    allocations_counted = counted;
    tern_status status = tern_fused_call(fused, &x, out);
    allocations_counted = false;
    if (!status)
        CHECK(!tern_item(tern_sum(out[0], NULL, 0, false), &sum) &&
              fabs(sum - (double)tern_shape(x)[0]) < 1e-3);
    tern_drop(out[0]), tern_drop(out[1]);
    return status;
}

/* Only the second call with `many` has too little memory. */
static tern_status come_again(void) {
    allocations_counted = false;
    tern_fused *fused = tern_fuse(session, "body", body, 1, 2, NULL);
    CHECK(fused && !call(fused, few, false) && !call(fused, many, false));
    tern_status status = call(fused, many, true);
    CHECK(!call(fused, many, false));
    tern_fused_free(fused);
    return status;
}

TEST(each_allocation_of_a_second_call_fails) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    context = tern_open(&(tern_open_options){.device = "sim"}, NULL, NULL, 0);
    session = context ? tern_session_open(context) : NULL;
    CHECK(session != NULL);
    if (!session) return;
    few = tern_full(session, TERN_FLOAT32, 2, (const int64_t[]){64, 256}, 0.5);
    many = tern_full(session, TERN_FLOAT32, 2, (const int64_t[]){33, 77}, 0.25);
    CHECK(few && many && scoped(session, come_again) == TERN_OK);
    printf("%ld allocations\n", check_step_failures(session, come_again, true, 0, 1));
    tern_drop(few), tern_drop(many);
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

TEST_MAIN()
