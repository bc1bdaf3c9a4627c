// SPDX-License-Identifier: Apache-2.0
/* clock: a time that never goes back. */
#include "base/base.h"

#include <time.h>

int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double clock_ms(void) { return (double)clock_ns() * 1e-6; }
