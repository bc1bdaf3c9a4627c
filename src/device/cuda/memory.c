// SPDX-License-Identifier: Apache-2.0
/* memory: device memory, kept in a pool, and copies.
 *
 * The driver's alloc and free take tens of microseconds and stop the device, so released blocks
 * are kept by size and given out again. When the device is full the pool is emptied first. */
#include "device/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bucket_of(uint64_t key) { return (int)((key * 0x9e3779b97f4a7c15u) >> 56); }

static const size_t large_bytes = (size_t)64 << 20; /* from here on no more than 2 MiB are wasted */

/* Sizes are rounded to an eighth of their power of two, so that blocks fit again. */
static size_t rounded(size_t size_bytes) {
    size_t step = 512; /* the driver aligns to 512 */
    if (size_bytes >= large_bytes)
        step = (size_t)2 << 20;
    else
        while (step * 16 <= size_bytes) step *= 2;
    return size_bytes == 0 ? step : (size_bytes + step - 1) / step * step;
}

static void free_block(Cuda *cuda, CudaBlock *block) {
    if (!cuda->hung) cuda->driver.memory_free(block->pointer);
    free(block);
}

static void empty_buckets(Cuda *cuda, CudaBlock **buckets) {
    for (int i = 0; i < CUDA_BUCKETS; i++)
        while (buckets[i]) {
            CudaBlock *block = buckets[i];
            buckets[i] = block->next;
            free_block(cuda, block);
        }
}

static void empty_pool(Cuda *cuda) {
    empty_buckets(cuda, cuda->pool.idle);
    cuda->pool.idle_bytes = 0;
}

static CudaBlock *take_idle(CudaPool *pool, size_t size_bytes) {
    for (CudaBlock **at = &pool->idle[bucket_of(size_bytes)]; *at; at = &(*at)->next) {
        CudaBlock *block = *at;
        if (block->size_bytes != size_bytes) continue;
        *at = block->next;
        pool->idle_bytes -= size_bytes;
        return block;
    }
    return NULL;
}

static tern_status alloc_new(Cuda *cuda, size_t size_bytes, CudaBlock **out) {
    char doing[160];
    CudaBlock *block = malloc(sizeof *block);
    if (!block) return cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
    CudaResult result = cuda->driver.memory_alloc(&block->pointer, size_bytes);
    if (result == CUDA_OUT_OF_MEMORY && cuda->pool.idle_bytes) {
        empty_pool(cuda);
        result = cuda->driver.memory_alloc(&block->pointer, size_bytes);
    }
    if (result == CUDA_OK) {
        block->size_bytes = size_bytes;
        *out = block;
        return TERN_OK;
    }
    free(block);
    size_t unused, total;
    if (result == CUDA_OUT_OF_MEMORY && cuda->driver.memory_info(&unused, &total) == CUDA_OK)
        snprintf(doing, sizeof doing, "allocate %zu bytes (%zu of %zu are free)", size_bytes,
                 unused, total);
    else
        snprintf(doing, sizeof doing, "allocate %zu bytes", size_bytes);
    return cuda_check(cuda, result, doing);
}

tern_status cuda_alloc(Device *device, size_t size_bytes, void **pointer) {
    Cuda *cuda = device->state;
    CudaContext previous;
    *pointer = NULL;
    if (size_bytes > cuda->memory_bytes)
        return cuda_fail(cuda, TERN_ERROR_NO_MEMORY,
                         "%s: cannot allocate %zu bytes: the device has %zu", device->name.data,
                         size_bytes, cuda->memory_bytes);
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) {
        size_bytes = rounded(size_bytes);
        CudaBlock *block = take_idle(&cuda->pool, size_bytes);
        if (!block) status = alloc_new(cuda, size_bytes, &block);
        if (status == TERN_OK) {
            CudaBlock **used = &cuda->pool.used[bucket_of(block->pointer)];
            block->next = *used;
            *used = block;
            *pointer = (void *)(uintptr_t)block->pointer;
        }
    }
    cuda_leave(cuda, previous);
    return status;
}

void cuda_release(Device *device, void *pointer) {
    Cuda *cuda = device->state;
    CudaContext previous;
    CudaPointer wanted = (CudaPointer)(uintptr_t)pointer;
    CudaBlock **at = &cuda->pool.used[bucket_of(wanted)];
    while (*at && (*at)->pointer != wanted) at = &(*at)->next;
    if (!*at) return;
    tern_status status = cuda_enter(cuda, &previous);
    if (status != TERN_OK) return; /* it stays in the list until the device is closed */
    CudaBlock *block = *at;
    *at = block->next;
    /* Work that uses the block may be on any queue: it must be over before anyone gets it again. */
    if (cuda->unfinished) status = cuda_wait_all(cuda, "wait before memory is released");
    bool keep =
        status == TERN_OK && cuda->pool.idle_bytes + block->size_bytes <= cuda->memory_bytes / 4;
    if (keep) {
        CudaBlock **idle = &cuda->pool.idle[bucket_of(block->size_bytes)];
        block->next = *idle;
        *idle = block;
        cuda->pool.idle_bytes += block->size_bytes;
    } else
        free_block(cuda, block);
    cuda_leave(cuda, previous);
}

/* What is kept idle is free, too: alloc_new gives it back where there is too little. */
tern_status cuda_memory(Device *device, size_t *free_bytes, size_t *total_bytes) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.memory_info(free_bytes, total_bytes),
                            "ask for its free memory");
    if (status == TERN_OK) *free_bytes += cuda->pool.idle_bytes;
    cuda_leave(cuda, previous);
    return status;
}

/* Pinned memory of the host: with unified addressing, which all 64-bit systems have, the device
 * reaches it by the host's address. */
tern_status cuda_alloc_shared(Device *device, size_t size_bytes, void **pointer) {
    Cuda *cuda = device->state;
    CudaContext previous;
    CudaPointer seen = 0;
    *pointer = NULL;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(
            cuda,
            cuda->driver.host_alloc(pointer, size_bytes ? size_bytes : 1, CUDA_HOST_DEVICEMAP),
            "allocate memory that the GPU shares");
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.host_pointer(&seen, *pointer, 0),
                            "share memory with the GPU");
    if (status == TERN_OK && seen != (CudaPointer)(uintptr_t)*pointer)
        status = cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                           "%s reaches the host's memory by another address", device->name.data);
    if (status == TERN_OK) memset(*pointer, 0, size_bytes);
    if (status && *pointer) {
        cuda->driver.host_free(*pointer);
        *pointer = NULL;
    }
    cuda_leave(cuda, previous);
    return status;
}

void cuda_release_shared(Device *device, void *pointer) {
    Cuda *cuda = device->state;
    CudaContext previous;
    if (cuda_enter(cuda, &previous) == TERN_OK && !cuda->hung) cuda->driver.host_free(pointer);
    cuda_leave(cuda, previous);
}

void cuda_pool_close(Cuda *cuda) {
    empty_buckets(cuda, cuda->pool.used);
    empty_pool(cuda);
}

/* ---- copies ---- */

typedef enum Direction { COPY_IN, COPY_OUT, FILL } Direction;

static const char *const direction_words[] = {"copy to the device", "copy from the device",
                                              "fill memory of the device"};

static tern_status transfer(Device *device, CudaStream stream, Direction direction, void *to,
                            const void *from, unsigned char byte, size_t bytes, bool wait) {
    Cuda *cuda = device->state;
    CudaDriver *driver = &cuda->driver;
    CudaContext previous;
    if (bytes == 0) return TERN_OK;
    const char *doing = direction_words[direction];
    tern_status status = cuda_enter(cuda, &previous);
    /* A copy of ordinary host memory waits inside the driver, out of reach of the time limit. */
    if (status == TERN_OK && cuda->timeout_ms && wait) status = cuda_wait_all(cuda, doing);
    if (status == TERN_OK) {
        CudaResult result = CUDA_OK;
        switch (direction) {
        case COPY_IN:
            result = driver->copy_in((CudaPointer)(uintptr_t)to, from, bytes, stream);
            break;
        case COPY_OUT:
            result = driver->copy_out(to, (CudaPointer)(uintptr_t)from, bytes, stream);
            break;
        case FILL: result = driver->fill((CudaPointer)(uintptr_t)to, byte, bytes, stream); break;
        }
        status = cuda_check(cuda, result, doing);
        cuda->unfinished = true;
        if (status == TERN_OK && wait) status = cuda_wait_stream(cuda, stream, doing);
    }
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_write(Device *device, void *to, const void *from, size_t bytes) {
    return transfer(device, NULL, COPY_IN, to, from, 0, bytes, true);
}

tern_status cuda_read(Device *device, void *to, const void *from, size_t bytes) {
    return transfer(device, NULL, COPY_OUT, to, from, 0, bytes, true);
}

tern_status cuda_fill(Device *device, void *to, unsigned char byte, size_t bytes) {
    return transfer(device, NULL, FILL, to, NULL, byte, bytes, true);
}

tern_status cuda_write_async(Device *device, void *queue, void *to, const void *from,
                             size_t bytes) {
    return transfer(device, cuda_stream_of(queue), COPY_IN, to, from, 0, bytes, false);
}

tern_status cuda_read_async(Device *device, void *queue, void *to, const void *from, size_t bytes) {
    return transfer(device, cuda_stream_of(queue), COPY_OUT, to, from, 0, bytes, false);
}

tern_status cuda_fill_async(Device *device, void *queue, void *to, unsigned char byte,
                            size_t bytes) {
    return transfer(device, cuda_stream_of(queue), FILL, to, NULL, byte, bytes, false);
}
