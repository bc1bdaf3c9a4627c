// SPDX-License-Identifier: Apache-2.0
/* A CUDA driver without a GPU for exported kernels: its memory is the host's, a launch is written
 * to the file that $DRIVER_LOG names. $DRIVER_FAIL is the symbol that fails; $DRIVER_CAPABILITY the
 * device's (90); where $DRIVER_OLD is set there is no cuCtxGetId, and machine code is too new. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int contexts[2];
static void *current;
static char entry[200];

static int result_of(const char *symbol) {
    const char *fails = getenv("DRIVER_FAIL");
    return fails && !strcmp(fails, symbol) ? 999 : 0;
}

static FILE *log_file(void) {
    const char *path = getenv("DRIVER_LOG");
    FILE *file = fopen(path ? path : "/dev/null", "a");
    if (!file) abort();
    return file;
}

int cuInit(unsigned flags) { return flags ? 1 : result_of(__func__); }
int cuDeviceGetCount(int *count) { return *count = 1, result_of(__func__); }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, result_of(__func__); }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    const char *given = getenv("DRIVER_CAPABILITY");
    int capability = given ? atoi(given) : 90;
    (void)device;
    *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : -1;
    return result_of(__func__);
}
int cuCtxGetCurrent(void **context) { return *context = current, result_of(__func__); }
int cuCtxGetDevice(int *device) { return *device = 0, current ? result_of(__func__) : 201; }
int cuDevicePrimaryCtxRetain(void **context, int device) {
    return *context = &contexts[device], result_of(__func__);
}
int cuCtxSetCurrent(void *context) { return current = context, result_of(__func__); }
int cuCtxGetId(void *context, unsigned long long *id) {
    *id = (unsigned long long)((int *)context - contexts) + 7;
    return getenv("DRIVER_OLD") ? 500 : result_of(__func__);
}
int cuModuleLoadDataEx(void **module, const void *text, unsigned count, int *options,
                       void **values) {
    FILE *file = log_file();
    bool is_cubin = !memcmp(text, "\177ELF", 4);
    const char *target = is_cubin ? "machine code" : strstr(text, ".target");
    if (!target || count != 2 || options[0] != 5 || options[1] != 6) abort();
    fprintf(file, "load %.*s\n", (int)strcspn(target, "\n"), target);
    fclose(file);
    int result = is_cubin && getenv("DRIVER_OLD") ? 209 : result_of(__func__);
    if (result) strcpy(values[0], "ptxas says no");
    *module = (void *)(uintptr_t)text;
    return result;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    char header[300];
    bool is_cubin = !memcmp(module, "\177ELF", 4);
    snprintf(header, sizeof header, ".visible .entry %s(", name);
    if (!is_cubin && !strstr(module, header)) abort();
    snprintf(entry, sizeof entry, "%s", name);
    return *function = entry, result_of(__func__);
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
    (void)function;
    return *value = attribute == 1 ? 0 : -1, result_of(__func__);
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
    FILE *file = log_file();
    fprintf(file, "%s attribute %d = %d\n", (char *)function, attribute, value);
    fclose(file);
    return result_of(__func__);
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **args,
                   void **extra) {
    FILE *file = log_file();
    if (block_y != 1 || block_z != 1 || extra) abort();
    fprintf(file, "launch %s grid %u %u %u threads %u shared %s stream %d:", (char *)function, x, y,
            z, block_x, shared ? "some" : "none", (int)(uintptr_t)stream);
    const char *kinds = getenv("DRIVER_ARGS"); /* p, i, l: an address, 32 and 64 bits */
    for (int i = 0; kinds && kinds[i]; i++) {
        int64_t value = 0;
        memcpy(&value, args[i], kinds[i] == 'i' ? 4 : 8);
        fprintf(file, " %lld", kinds[i] == 'i' ? (long long)(int32_t)value : (long long)value);
    }
    fprintf(file, "\n");
    fclose(file);
    return result_of(__func__);
}
int cuGetErrorString(int result, const char **words) { return *words = "made up", result == 0; }
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
    return *address = (uintptr_t)malloc(bytes), result_of(__func__);
}
int cuMemFree_v2(unsigned long long address) { return free((void *)(uintptr_t)address), 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
    return memcpy((void *)(uintptr_t)to, from, bytes), result_of(__func__);
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
    return memcpy(to, (void *)(uintptr_t)from, bytes), result_of(__func__);
}
int cuStreamSynchronize(void *stream) { return (void)stream, result_of(__func__); }
