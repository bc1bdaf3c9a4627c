// SPDX-License-Identifier: Apache-2.0
/* Allocations of ops that are cut into pieces fail in turn, alone and with all after it: they
 * say TERN_ERROR_NO_MEMORY, and nothing of them is left. */
#include "step_failures.h"

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

enum { STRIDE = 11 }; /* all of them, one a run, took 20 s and left nothing */

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
    CHECK(wide && scoped(session, ops) == TERN_OK);
    check_step_failures(session, ops, true, 1, STRIDE);
    check_step_failures(session, ops, false, 0, STRIDE);
    CHECK(scoped(session, ops) == TERN_OK);
    tern_drop(wide);
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

TEST_MAIN()
