// SPDX-License-Identifier: Apache-2.0
/* timeout: the time limit of launches and waits, the same words on each device. */
#include "device/device.h"

#include <stdlib.h>

static const char variable[] = "TERN_TIMEOUT_MS";
static const long longest_ms = 24L * 3600 * 1000;

bool device_timeout(Device *device, int asked_ms, int *timeout_ms) {
    const char *text = getenv(variable);
    *timeout_ms = asked_ms;
    if (asked_ms < 0) {
        device->why = STR("timeout_ms is negative");
        return false;
    }
    if (asked_ms || !text || !*text) return true;
    char *end;
    long value = strtol(text, &end, 10);
    *timeout_ms = (int)value;
    if (!*end && value >= 0 && value <= longest_ms) return true;
    device->why = str_format(device->arena, "%s='%s': expected milliseconds, at most %ld", variable,
                             text, longest_ms);
    return false;
}
