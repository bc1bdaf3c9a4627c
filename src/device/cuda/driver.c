// SPDX-License-Identifier: Apache-2.0
/* driver: loads the functions of cuda.def, and knows what the driver's results mean.
 *
 * The library is opened for each device anew (dlopen counts), so that there is no global table. */
#include "device/cuda/driver.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static bool find(void *library, const char *symbol, void *slot) {
    void *found = dlsym(library, symbol);
    memcpy(slot, &found, sizeof found); /* ISO C has no cast from object to function pointer */
    return found != NULL;
}

bool cuda_driver_open(CudaDriver *driver, char *words, size_t size) {
    const char *path = getenv("TERN_CUDA_DRIVER");
    bool chosen = path && *path;
    if (!chosen) path = "libcuda.so.1";
    driver->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!driver->library) {
        const char *reason = dlerror();
        snprintf(words, size, "no NVIDIA driver: %s%s", reason ? reason : path,
                 chosen ? " (named by TERN_CUDA_DRIVER)"
                        : "; it comes with the driver's package, not with the CUDA toolkit");
        return false;
    }
    const char *missing = NULL;
#define CUDA_CALL(name, symbol, parameters, arguments)                                             \
    if (!find(driver->library, #symbol, &driver->name) && !missing) missing = #symbol;
#define CUDA_OPTIONAL(name, symbol, parameters, arguments)                                         \
    find(driver->library, #symbol, &driver->name);
#include "device/cuda/cuda.def"
#undef CUDA_CALL
    if (!missing) return true;
    snprintf(words, size, "the NVIDIA driver is too old: %s lacks %s; CUDA 11.4 or newer is needed",
             path, missing);
    cuda_driver_close(driver);
    return false;
}

void cuda_driver_close(CudaDriver *driver) {
    if (driver->library) dlclose(driver->library);
    driver->library = NULL;
}

void cuda_driver_words(const CudaDriver *driver, CudaResult result, char *words, size_t size) {
    const char *name = NULL, *text = NULL;
    if (driver->error_name(result, &name) != CUDA_OK) name = NULL;
    if (driver->error_words(result, &text) != CUDA_OK) text = NULL;
    if (name && text)
        snprintf(words, size, "%s: %s", name, text);
    else if (name || text)
        snprintf(words, size, "%s", name ? name : text);
    else
        snprintf(words, size, "CUresult %d", (int)result);
}

bool cuda_result_is_sticky(CudaResult result) {
    return result == CUDA_ECC_UNCORRECTABLE || result == CUDA_ILLEGAL_ADDRESS ||
           result == CUDA_LAUNCH_TIMEOUT || result == CUDA_CONTEXT_IS_DESTROYED ||
           result == CUDA_ASSERT || result == CUDA_HARDWARE_STACK_ERROR ||
           result == CUDA_ILLEGAL_INSTRUCTION || result == CUDA_MISALIGNED_ADDRESS ||
           result == CUDA_INVALID_ADDRESS_SPACE || result == CUDA_INVALID_PC ||
           result == CUDA_LAUNCH_FAILED || result == CUDA_DEINITIALIZED;
}

/* PTX for an older target runs on every newer device, except sm_90a's, which is for 9.0 alone. */
const char *cuda_target(int major, int minor) {
    static const struct {
        int capability;
        const char *name;
    } targets[] = {{120, "sm_120"}, {100, "sm_100"}, {89, "sm_89"},
                   {86, "sm_86"},   {80, "sm_80"},   {75, "sm_75"}};
    int capability = major * 10 + minor;
    if (capability == 90) return "sm_90a";
    for (int i = 0; i < COUNT(targets); i++)
        if (capability >= targets[i].capability) return targets[i].name;
    return NULL;
}
