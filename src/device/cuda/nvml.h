// SPDX-License-Identifier: Apache-2.0
/* nvml: what NVIDIA's management library says of the clocks. Optional: a benchmark without it says
 * that it does not know why a clock is low. Declarations are our own, as in cuda_driver.h. */
#ifndef TERN_NVML_H
#define TERN_NVML_H

#include "tern.h"

typedef struct Nvml {
    void *library; /* NULL: not there */
    bool was_tried;
    void *handle; /* of the device */
    int (*init)(void);
    int (*shutdown)(void);
    int (*device_by_bus)(const char *bus, void **handle);
    int (*clock)(void *handle, int which, unsigned *mhz);
    int (*max_clock)(void *handle, int which, unsigned *mhz);
    int (*reasons)(void *handle, unsigned long long *bits);
} Nvml;

/* $TERN_NVML, else libnvidia-ml.so.1. False: it is not there, or does not know the device. */
bool nvml_open(Nvml *nvml, const char *bus);
void nvml_close(Nvml *nvml);
void nvml_clocks(const Nvml *nvml, tern_clock_state *state); /* fills what NVML knows */

#endif
