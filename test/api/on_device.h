// SPDX-License-Identifier: Apache-2.0
/* on_device: one test on each device. Where there is no C compiler, or no GPU, it is skipped. */
#ifndef TERN_TEST_ON_DEVICE_H
#define TERN_TEST_ON_DEVICE_H

#include "tern.h"
#include "test.h"

/* NULL: the device is not here, and the test is skipped, or failed if any machine has it. */
static inline tern_context *open_or_skip(const char *device) {
    tern_status status;
    tern_open_options open = {.device = device, .cache_dir = ""};
    tern_context *context = tern_open(&open, &status, NULL, 0);
    if (context) return context;
    bool needs_compiler = !strcmp(device, "cpu");
    CHECK(needs_compiler || !strcmp(device, "cuda"));
    SKIP(needs_compiler ? "no C compiler" : "no GPU");
    return NULL;
}

#endif
