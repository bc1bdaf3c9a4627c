// SPDX-License-Identifier: Apache-2.0
/* A session with an open scope, on one device at a time, and tensors to begin with. */
#ifndef TENSOR_FIXTURE_H
#define TENSOR_FIXTURE_H

#include "tern_tensor.h"
#include "test.h"

static tern_context *context;
static tern_session *session;

static bool begin(const char *device) {
    context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
    if (!context) return false;
    session = tern_session_open(context);
    return session && !tern_scope_open(session);
}

static void end(void) {
    CHECK(!tern_scope_close(session));
    CHECK(tern_session_live_tensors(session) == 0);
    tern_session_close(session);
    tern_close(context);
}

#define SHAPE(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), ((const int64_t[]){__VA_ARGS__})

__attribute__((unused)) static tern_tensor *counted(int rank, const int64_t *shape) {
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= shape[i];
    return tern_view(tern_arange(session, TERN_FLOAT32, 0, (double)count, 1), rank, shape);
}

#endif
