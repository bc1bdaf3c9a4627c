// SPDX-License-Identifier: Apache-2.0
/* Allocations of ops that are cut into pieces fail in turn, alone and with all after it: they
 * say TERN_ERROR_NO_MEMORY, and nothing of them is left. */
#include "allocations.h"
#include "tern_tensor.h"
#include "test.h"

static tern_context *context;
static tern_session *session;
static tern_tensor *wide;

static tern_status ops(void) {
    tern_tensor *made = tern_var(wide, NULL, 0, false, 1);
    if (!made) return tern_message_status(context);
    made = tern_cumsum(wide, 1);
    if (!made) return tern_message_status(context);
    return TERN_OK;
}

static tern_status scoped(void) {
    tern_status status = tern_scope_open(session);
    if (status) return status;
    status = ops();
    tern_scope_close(session);
    return status;
}

enum { STRIDE = 11 }; /* all of them, one a run, took 20 s and left nothing */

static void check_failures(bool alone) {
    tern_status status = TERN_OK;
    long attempt = 0;
    bool fails = true;
    allocations_fail_alone = alone;
    for (attempt = alone; fails && attempt < 5000; attempt += STRIDE) {
        int live = tern_session_live_tensors(session);
        allocations_counted = true;
        allocations_until_failure = attempt;
        allocations_failed = false;
        status = scoped();
        fails = allocations_failed;
        allocations_until_failure = -1;
        allocations_counted = false;
        bool known = status == TERN_OK || status == TERN_ERROR_NO_MEMORY;
        bool left = tern_session_live_tensors(session) != live;
        if (!known || left)
            printf("allocation %ld: %s, %d left\n", attempt, tern_message(context),
                   tern_session_live_tensors(session) - live);
        CHECK(known && !left);
        CHECK(tern_grad_mode(session));
    }
    CHECK(!fails && status == TERN_OK && attempt > 20);
}

TEST(each_allocation_fails) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    session = context ? tern_session_open(context) : NULL;
    CHECK(session != NULL);
    if (!session) return;
    wide = tern_full(session, TERN_FLOAT16, 2, (const int64_t[]){1, (1 << 17) + 7}, 0.5);
    CHECK(wide && scoped() == TERN_OK);
    check_failures(true);
    check_failures(false);
    CHECK(scoped() == TERN_OK);
    tern_drop(wide);
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

TEST_MAIN()
