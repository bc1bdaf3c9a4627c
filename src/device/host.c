// SPDX-License-Identifier: Apache-2.0
/* host: what devices share whose memory is the host's and whose calls end with their work done. */
#include "device/device.h"

#include <stdio.h>
#include <unistd.h>

tern_status device_says(Device *device, tern_status status, const char *words) {
    device->why = str_of(words);
    return status;
}

/* free: without swapping, as Linux estimates it (proc(5): MemAvailable). */
tern_status host_memory(Device *device, size_t *free_bytes, size_t *total_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), kib;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    (void)device;
    *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) *free_bytes = kib << 10;
    if (file) fclose(file);
    return TERN_OK;
}

tern_status host_copy(Device *device, void *to, const void *from, size_t bytes) {
    (void)device;
    if (bytes) memmove(to, from, bytes);
    return TERN_OK;
}

tern_status host_fill(Device *device, void *to, unsigned char byte, size_t bytes) {
    (void)device;
    if (bytes) memset(to, byte, bytes);
    return TERN_OK;
}

tern_status host_synchronize(Device *device) {
    (void)device;
    return TERN_OK;
}
