// SPDX-License-Identifier: Apache-2.0
/* hardware: what the device of a context counts, by whatever counts there. */
#include "base/base.h"
#include "prof/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct tern_counters {
    tern_context *context;
    PerfCount *perf;      /* of the host's threads */
    CountersRange *range; /* of a GPU */
    char words[512];      /* what is not counted, and why */
};

/* "cuda:1" */
static int number_of(const char *device) {
    const char *colon = strchr(device, ':');
    return colon ? atoi(colon + 1) : 0;
}

static tern_status open_here(tern_counters *counters) {
    tern_context *context = counters->context;
    const char *device = tern_device_name(context);
    tern_gpu gpu = {0};
    if (!tern_device_property(device, TERN_DEVICE_IS_FAST))
        return tern_fail(context, TERN_ERROR_UNSUPPORTED, "only cpu and cuda count");
    if (tern_device_property(device, TERN_DEVICE_ON_HOST)) {
        counters->perf = perf_open(NULL);
        return counters->perf ? TERN_OK : tern_fail(context, TERN_ERROR_NO_MEMORY, "out of memory");
    }
    tern_status status = tern_context_gpu(context, &gpu);
    if (status) return status;
    counters->range = counters_range_open(gpu.driver_context, number_of(device), counters->words,
                                          sizeof counters->words);
    return counters->range ? TERN_OK : tern_fail(context, TERN_ERROR_UNSUPPORTED, counters->words);
}

tern_counters *tern_counters_open(tern_context *context) {
    tern_counters *counters = calloc(1, sizeof *counters);
    if (!counters) return NULL;
    counters->context = context;
    if (!tern_synchronize(context) && !open_here(counters)) return counters;
    tern_counters_close(counters);
    return NULL;
}

void tern_counters_close(tern_counters *counters) {
    if (!counters) return;
    perf_close(counters->perf);
    counters_range_close(counters->range);
    free(counters);
}

tern_status tern_counters_begin(tern_counters *counters) {
    tern_status status = tern_synchronize(counters->context);
    if (status) return status;
    if (counters->perf) perf_begin(counters->perf);
    if (counters->range &&
        !counters_range_begin(counters->range, counters->words, sizeof counters->words))
        return tern_fail(counters->context, TERN_ERROR_UNSUPPORTED, counters->words);
    return TERN_OK;
}

tern_status tern_counters_end(tern_counters *counters, tern_hardware *hardware) {
    *hardware = (tern_hardware){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, counters->words};
    tern_status status = tern_synchronize(counters->context);
    if (status) return status;
    if (counters->perf) perf_end(counters->perf, hardware, counters->words, sizeof counters->words);
    if (counters->range &&
        !counters_range_end(counters->range, hardware, counters->words, sizeof counters->words))
        return tern_fail(counters->context, TERN_ERROR_UNSUPPORTED, counters->words);
    return TERN_OK;
}
