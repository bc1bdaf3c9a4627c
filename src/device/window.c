// SPDX-License-Identifier: Apache-2.0
#include "device/window.h"

#include <stdio.h>
#include <sys/mman.h>

/*     guard | bits | head | data | guard
 *
 * Guards are addresses without memory. Only where there are not enough addresses (a limit on a
 * process's size, thousands of windows) they are smaller: guards leave as much as SPARE of them
 * need, or the widest would take what the next buffer and malloc live on. */
enum { PAGE = 4096, SPARE = 32 };
static const size_t guards[] = {(size_t)16 << 30, (size_t)1 << 30, (size_t)64 << 20, PAGE};

typedef struct Head {
    char *start;
    size_t size;
    unsigned char *written;
} Head;

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1); }

static Head *head_of(void *pointer) { return (Head *)(void *)((char *)pointer - PAGE); }

static char *reserve(size_t size) {
    return mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static bool have_room(size_t size) {
    char *start = reserve(size);
    return start != MAP_FAILED && !munmap(start, size);
}

void *window_alloc(size_t size_bytes) {
    if (size_bytes > SIZE_MAX / 4) return NULL;
    size_t bits = pages(size_bytes / 8 + 8), data = pages(size_bytes + 1), size = 0;
    char *start = MAP_FAILED;
    int i = 0;
    for (; i < COUNT(guards) && start == MAP_FAILED; i++) {
        size = 2 * guards[i] + bits + PAGE + data;
        if (guards[i] == PAGE || have_room(size + SPARE * guards[i])) start = reserve(size);
    }
    if (start == MAP_FAILED) return NULL;
    char *written = start + guards[i - 1];
    if (mprotect(written, bits + PAGE + data, PROT_READ | PROT_WRITE)) {
        munmap(start, size);
        return NULL;
    }
    char *pointer = written + bits + PAGE;
    *head_of(pointer) = (Head){start, size, (unsigned char *)written};
    return pointer;
}

void window_free(void *pointer) {
    if (!pointer) return;
    Head head = *head_of(pointer);
    munmap(head.start, head.size);
}

tern_status window_new(Device *device, size_t size_bytes, void **pointer) {
    *pointer = window_alloc(size_bytes);
    return *pointer ? TERN_OK : device_says(device, TERN_ERROR_NO_MEMORY, "out of host memory");
}

void window_release(Device *device, void *pointer) {
    (void)device;
    window_free(pointer);
}

unsigned char *window_written(void *pointer) { return head_of(pointer)->written; }

/* ---- written bits ---- */

static void set_bit(unsigned char *written, size_t at, bool is_set) {
    unsigned bit = 1u << (at & 7);
    written[at / 8] = (unsigned char)(is_set ? written[at / 8] | bit : written[at / 8] & ~bit);
}

static void set_bits(unsigned char *written, size_t at, size_t bytes, bool is_set) {
    size_t end = at + bytes;
    for (; at < end && at & 7; at++) set_bit(written, at, is_set);
    size_t whole = (end - at) / 8;
    memset(written + at / 8, is_set ? 0xff : 0, whole);
    for (at += whole * 8; at < end; at++) set_bit(written, at, is_set);
}

void window_forget(unsigned char *written, size_t at, size_t bytes) {
    set_bits(written, at, bytes, false);
}

/* The buffer that an address is in, or if in none, at the end of: of one without bytes, or of the
 * user's own memory, whose neighbour may begin there. */
static const DeviceRange *range_at(const Device *device, uint64_t address) {
    const DeviceRange *ends = NULL;
    for (int i = 0; i < device->num_ranges; i++) {
        const DeviceRange *range = &device->ranges[i];
        uint64_t base = (uint64_t)(uintptr_t)range->base;
        if (address < base || address - base > range->size) continue;
        if (address - base < range->size) return range;
        ends = range;
    }
    return ends;
}

static void note_write(const Device *device, const void *to, size_t bytes) {
    const DeviceRange *range = range_at(device, (uint64_t)(uintptr_t)to);
    if (range && range->written)
        set_bits(range->written, (size_t)((const char *)to - range->base), bytes, true);
}

tern_status window_write(Device *device, void *to, const void *from, size_t bytes) {
    note_write(device, to, bytes);
    return host_copy(device, to, from, bytes);
}

tern_status window_fill(Device *device, void *to, unsigned char byte, size_t bytes) {
    note_write(device, to, bytes);
    return host_fill(device, to, byte, bytes);
}

/* ---- words ---- */

static uint64_t argument_of(void **args, int param) {
    uint64_t pointer;
    memcpy(&pointer, args[param], sizeof pointer);
    return pointer;
}

const DeviceRange *window_of_param(const Device *device, const CompiledKernel *kernel, void **args,
                                   int param) {
    if (!kernel || param < 0 || !kernel->params[param].is_pointer) return NULL;
    return range_at(device, argument_of(args, param));
}

/* The first parameter that points into a buffer; -1: none. */
static int param_of(const WindowFault *fault, const DeviceRange *range) {
    for (int i = 0; fault->kernel && i < fault->kernel->num_params; i++)
        if (window_of_param(fault->device, fault->kernel, fault->args, i) == range) return i;
    return -1;
}

static uint64_t distance(const DeviceRange *range, uint64_t address) {
    uint64_t low = (uint64_t)(uintptr_t)range->base, high = low + range->size;
    return address < low ? low - address : address >= high ? address - high : 0;
}

/* The buffer in whose window an address is: the nearest. NULL: far from all. */
static const DeviceRange *range_near(const Device *device, uint64_t address) {
    const DeviceRange *nearest = NULL;
    uint64_t least = guards[0];
    for (int i = 0; i < device->num_ranges; i++)
        if (distance(&device->ranges[i], address) < least)
            nearest = &device->ranges[i], least = distance(nearest, address);
    return nearest;
}

/* "element 11 of 'x'", from the address that the launch gave. */
static void say_element(const WindowFault *fault, int param, char *text, size_t size) {
    const KernelParam *p = &fault->kernel->params[param];
    int64_t from = (int64_t)(fault->address - argument_of(fault->args, param)),
            bytes = scalar_bytes(p->type);
    int64_t element = from >= 0 ? from / bytes : -((-from + bytes - 1) / bytes);
    snprintf(text, size, "element %lld of '%.*s'", (long long)element, STR_ARG(p->name));
}

void window_say_outside(const WindowFault *fault, char *text, size_t size) {
    const DeviceRange *range =
        window_of_param(fault->device, fault->kernel, fault->args, fault->param);
    int param = range ? fault->param : -1;
    if (!range && (range = range_near(fault->device, fault->address)))
        param = param_of(fault, range);
    if (!range || !fault->kernel) {
        snprintf(text, size, "%s of %d bytes at address 0x%llx, which is in no buffer", fault->what,
                 fault->bytes, (unsigned long long)fault->address);
        return;
    }
    uint64_t start = (uint64_t)(uintptr_t)range->base;
    bool is_before = fault->address < start;
    char element[200] = "";
    if (param >= 0) say_element(fault, param, element, sizeof element);
    int used = snprintf(text, size, "%s of %d bytes outside ", fault->what, fault->bytes);
    if (param >= 0)
        used += snprintf(text + used, size - (size_t)used, "the buffer of '%.*s', which",
                         STR_ARG(fault->kernel->params[param].name));
    else
        used +=
            snprintf(text + used, size - (size_t)used, "a buffer that no argument is in, which");
    snprintf(text + used, size - (size_t)used, " has %zu bytes: %llu bytes %s%s%s", range->size,
             (unsigned long long)(is_before ? start - fault->address : fault->address - start),
             is_before ? "before its start" : "after its start", element[0] ? ", at " : "",
             element);
}

void window_say_element(const WindowFault *fault, char *text, size_t size) {
    const DeviceRange *range = range_at(fault->device, fault->address);
    int param = fault->param >= 0 ? fault->param : range ? param_of(fault, range) : -1;
    snprintf(text, size, "address 0x%llx", (unsigned long long)fault->address);
    if (param >= 0) say_element(fault, param, text, size);
}

void window_say_unwritten(const WindowFault *fault, char *text, size_t size) {
    char element[200];
    window_say_element(fault, element, sizeof element);
    snprintf(text, size, "%s of %d bytes that nobody wrote: %s", fault->what, fault->bytes,
             element);
}
