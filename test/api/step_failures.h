// SPDX-License-Identifier: Apache-2.0
/* step_failures: allocations of a step on tensors fail in turn, alone or with all after it: the
 * step says TERN_ERROR_NO_MEMORY, and nothing of it is left. */
#ifndef TERN_TEST_STEP_FAILURES_H
#define TERN_TEST_STEP_FAILURES_H

#include "allocations.h"
#include "tern_tensor.h"
#include "test.h"

typedef tern_status Step(void);

static tern_status scoped(tern_session *session, Step *step) {
    tern_status status = tern_scope_open(session);
    if (status) return status;
    status = step();
    tern_scope_close(session);
    return status;
}

/* From the allocation `first` on each one of `stride`, until none fails. How many there are. */
static long check_step_failures(tern_session *session, Step *step, bool alone, long first,
                                long stride) {
    tern_context *context = tern_session_context(session);
    tern_status status = TERN_OK;
    long attempt = 0;
    bool fails = true;
    allocations_fail_alone = alone;
    for (attempt = first; fails && attempt < 5000; attempt += stride) {
        int live = tern_session_live_tensors(session);
        allocations_counted = true;
        allocations_until_failure = attempt;
        allocations_failed = false;
        status = scoped(session, step);
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
    return attempt;
}

#endif
