// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvml.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { CLOCK_SM = 1 }; /* nvmlClockType_t */

static bool find(const Nvml *nvml, const char *symbol, void *slot) {
    void *found = dlsym(nvml->library, symbol);
    memcpy(slot, &found, sizeof found);
    return found != NULL;
}

bool nvml_open(Nvml *nvml, const char *bus) {
    if (nvml->was_tried) return nvml->library != NULL;
    nvml->was_tried = true;
    const char *path = getenv("TERN_NVML");
    nvml->library = dlopen(path && *path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library) return false;
    bool has_all = find(nvml, "nvmlInit_v2", &nvml->init) &&
                   find(nvml, "nvmlShutdown", &nvml->shutdown) &&
                   find(nvml, "nvmlDeviceGetHandleByPciBusId_v2", &nvml->device_by_bus) &&
                   find(nvml, "nvmlDeviceGetClockInfo", &nvml->clock) &&
                   find(nvml, "nvmlDeviceGetMaxClockInfo", &nvml->max_clock) &&
                   find(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->reasons);
    if (has_all && nvml->init() == 0) {
        if (nvml->device_by_bus(bus, &nvml->handle) == 0) return true;
        nvml->shutdown();
    }
    dlclose(nvml->library);
    nvml->library = NULL;
    return false;
}

void nvml_close(Nvml *nvml) {
    if (!nvml->library) return;
    nvml->shutdown();
    dlclose(nvml->library);
    nvml->library = NULL;
}

void nvml_clocks(const Nvml *nvml, tern_clock_state *state) {
    /* nvmlClocksEventReasons of nvml.h */
    static const struct {
        unsigned long long theirs;
        unsigned ours;
    } reasons[] = {{0x4, TERN_SLOW_POWER_CAP},
                   {0x8, TERN_SLOW_HARDWARE},
                   {0x20, TERN_SLOW_TEMPERATURE},
                   {0x40, TERN_SLOW_TEMPERATURE},
                   {0x80, TERN_SLOW_POWER_BRAKE}};
    unsigned mhz;
    unsigned long long bits;
    if (nvml->clock(nvml->handle, CLOCK_SM, &mhz) == 0) state->mhz = mhz;
    if (nvml->max_clock(nvml->handle, CLOCK_SM, &mhz) == 0) state->max_mhz = mhz;
    state->reasons_known = nvml->reasons(nvml->handle, &bits) == 0;
    for (int i = 0; i < COUNT(reasons) && state->reasons_known; i++)
        if (bits & reasons[i].theirs) state->reasons |= reasons[i].ours;
}
