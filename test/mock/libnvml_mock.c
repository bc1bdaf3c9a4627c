// SPDX-License-Identifier: Apache-2.0
/* libnvml_mock: an NVML that tells of slowdowns as a test wants, for tests with and without a GPU.
 * mock_nvml_script(reasons, max_mhz, first, last) makes the queries of the reasons from the
 * first-th to the last-th (from 1, since then) return `reasons`, the others 0; the highest clock is
 * max_mhz. mock_nvml_refuse(call) makes one call fail from now on: 1 init, 2 the handle, 3 the
 * clock, 4 the highest clock, 5 the reasons; 0 none. It returns how often init is not yet shut
 * down. */
#define EXPORT __attribute__((visibility("default")))

static unsigned long long scripted;
static unsigned highest = 1980;
static int first_query, last_query, queries;

EXPORT int mock_nvml_script(unsigned long long reasons, unsigned max_mhz, int first, int last);
EXPORT int mock_nvml_refuse(int call);
EXPORT int nvmlInit_v2(void);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle);
EXPORT int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *mhz);
EXPORT int nvmlDeviceGetMaxClockInfo(void *handle, int which, unsigned *mhz);
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *bits);

/* Returns the queries made since the script before. */
int mock_nvml_script(unsigned long long reasons, unsigned max_mhz, int first, int last) {
    int made = queries;
    scripted = reasons, highest = max_mhz, first_query = first, last_query = last, queries = 0;
    return made;
}

static int refused, opened;

int mock_nvml_refuse(int call) {
    refused = call;
    return opened;
}

int nvmlInit_v2(void) {
    if (refused == 1) return 9;
    opened++;
    return 0;
}

int nvmlShutdown(void) {
    opened--;
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle) {
    static int device;
    *handle = &device;
    return bus[0] && refused != 2 ? 0 : 2;
}

int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *mhz) {
    *mhz = 1755;
    return handle && which == 1 && refused != 3 ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void *handle, int which, unsigned *mhz) {
    *mhz = highest;
    return handle && which == 1 && refused != 4 ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *bits) {
    queries++;
    *bits = queries >= first_query && queries <= last_query ? scripted : 0;
    return handle && refused != 5 ? 0 : 2;
}
