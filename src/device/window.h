// SPDX-License-Identifier: Apache-2.0
/* window: memory of interp and sim. Each buffer lies alone in gigabytes of addresses that nothing
 * else has, so that an address says whose it is, whatever arithmetic, cast or memory it came
 * through; and beside it is a bit for each byte: whether anybody wrote it. */
#ifndef TERN_WINDOW_H
#define TERN_WINDOW_H

#include "device/device.h"

void *window_alloc(size_t size_bytes); /* aligned to a page, nothing written; NULL: no memory */
void window_free(void *pointer);       /* NULL is allowed */

/* ---- entries of DeviceOps ---- */

tern_status window_new(Device *device, size_t size_bytes, void **pointer);
void window_release(Device *device, void *pointer);
unsigned char *window_written(void *pointer); /* the bits of a buffer */
void window_forget(unsigned char *written, size_t at, size_t bytes);
tern_status window_write(Device *device, void *to, const void *from, size_t bytes);
tern_status window_fill(Device *device, void *to, unsigned char byte, size_t bytes);

/* ---- written bits: of the bytes [at, at + bytes) of a buffer ---- */

static inline bool written_all(const unsigned char *written, size_t at, int bytes) { /* up to 16 */
    uint32_t bits, need = ((1u << bytes) - 1) << (at & 7);
    memcpy(&bits, written + at / 8, sizeof bits);
    return (bits & need) == need;
}
static inline void written_set(unsigned char *written, size_t at, int bytes) { /* up to 16 */
    uint32_t bits;
    memcpy(&bits, written + at / 8, sizeof bits);
    bits |= ((1u << bytes) - 1) << (at & 7);
    memcpy(written + at / 8, &bits, sizeof bits);
}

/* ---- words ---- */

/* An access that is wrong. */
typedef struct WindowFault {
    const Device *device;
    const CompiledKernel *kernel; /* NULL: its parameters are not known */
    void **args;                  /* of the launch */
    int param;                    /* whose buffer it is to be in; -1: that is not known */
    const char *what;             /* "load" */
    uint64_t address;
    int bytes;
} WindowFault;

/* Of a parameter, the buffer that it points into or to the end of; NULL: none. */
const DeviceRange *window_of_param(const Device *device, const CompiledKernel *kernel, void **args,
                                   int param);
/* "element 11 of 'x'": of the fault's address. */
void window_say_element(const WindowFault *fault, char *text, size_t size);
/* "load of 4 bytes outside the buffer of 'x', which has 44 bytes: 44 bytes after its start, at
 * element 11 of 'x'". */
void window_say_outside(const WindowFault *fault, char *text, size_t size);
/* "load of 4 bytes of 'x' that nobody wrote: element 3". */
void window_say_unwritten(const WindowFault *fault, char *text, size_t size);

#endif
