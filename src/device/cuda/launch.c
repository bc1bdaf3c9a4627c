// SPDX-License-Identifier: Apache-2.0
/* launch: launches, queues, graphs.
 *
 * A launch is one call of the driver and a few stores: no hashing, no allocation, no lock of ours.
 * Asking the driver which context is current costs some nanoseconds and is not left out: the
 * thread may have worked on another device since. */
#include "device/cuda/cuda.h"

#include <stdio.h>

/* The blocks of a cooperative launch all have to find room; asked for when there is none. */
static tern_status too_many_blocks(Cuda *cuda) {
    const CudaObject *kernel = cuda->last;
    const uint32_t *g = cuda->last_grid, *b = kernel->block;
    int each = 0;
    cuda->driver.occupancy(&each, kernel->function, (int)(b[0] * b[1] * b[2]),
                           kernel->dynamic_shared);
    return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                     "blocks of kernel '%s' wait for each other: a grid of %llu; %.*s has room for "
                     "%llu at a time",
                     kernel->name, (unsigned long long)g[0] * g[1] * g[2],
                     STR_ARG(cuda->device->name),
                     (unsigned long long)each * (unsigned)cuda->multiprocessors);
}

static tern_status launch_failed(Cuda *cuda, CudaResult result) {
    if (result == CUDA_TOO_MANY_BLOCKS) return too_many_blocks(cuda);
    char doing[1200];
    const uint32_t *g = cuda->last_grid, *b = cuda->last->block;
    snprintf(doing, sizeof doing,
             "launch kernel %s, grid (%u, %u, %u), %u threads a block, %u bytes "
             "of shared memory",
             cuda->last->name, g[0], g[1], g[2], b[0] * b[1] * b[2], cuda->last->dynamic_shared);
    return cuda_check(cuda, result, doing);
}

static tern_status wait_for_launch(Cuda *cuda, CudaStream stream) {
    tern_status status = cuda_wait_stream(cuda, stream, "wait for the launch");
    if (status == TERN_OK) {
        cuda->last = NULL;
        cuda->launches_since_wait = 0;
    }
    return status;
}

/* So many that none of them has fewer programs than need be, if each has a multiprocessor for
 * itself: with less going on at a time the clock is higher, or memory waits less. */
static uint64_t even_blocks(uint64_t programs, uint64_t room) {
    uint64_t rounds = (programs + room - 1) / room;
    return (programs + rounds - 1) / rounds;
}

/* No more blocks than there is room for at a time: they walk over the programs, and take the size
 * of the grid for more arguments. */
static tern_status cut_grid(Cuda *cuda, const CudaObject *kernel, const uint32_t grid[3],
                            uint32_t blocks[3], void ***args) {
    uint64_t programs = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t room = (uint64_t)cuda->multiprocessors * (uint64_t)kernel->walks;
    if (programs > INT32_MAX)
        return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                         "kernel %s: a grid of %llu; its blocks walk over 2147483647 at most",
                         kernel->name, (unsigned long long)programs);
    memcpy(kernel->walk_args, *args, sizeof **args * (size_t)kernel->num_args);
    for (int i = 0; i < WALK_PARAMS; i++)
        kernel->walk_args[kernel->num_args + i] = (void *)(uintptr_t)&grid[i];
    *args = kernel->walk_args;
    if (programs <= room || kernel->walks == 1) room = even_blocks(programs, room);
    blocks[0] = (uint32_t)room;
    blocks[1] = blocks[2] = 1;
    return TERN_OK;
}

static CudaResult launch_on(const Cuda *cuda, const CudaObject *kernel, const uint32_t grid[3],
                            CudaStream stream, void **args) {
    const CudaDriver *driver = &cuda->driver;
    const unsigned *block = kernel->block;
    if (kernel->is_cooperative)
        return driver->launch_cooperative(kernel->function, grid[0], grid[1], grid[2], block[0],
                                          block[1], block[2], kernel->dynamic_shared, stream, args);
    return driver->launch(kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          kernel->dynamic_shared, stream, args, NULL);
}

/* The kernels of a file wait at one place in memory, so those of two streams take turns. */
static tern_status take_turns(Device *device, CudaStream stream) {
    Cuda *cuda = device->state;
    if (stream == cuda->cooperative_stream) return TERN_OK;
    cuda->cooperative_stream = stream;
    return cuda_synchronize(device);
}

tern_status cuda_launch(Device *device, void *queue, void *loaded, const uint32_t grid[3],
                        void **args) {
    Cuda *cuda = device->state;
    const CudaObject *kernel = loaded;
    CudaStream stream = cuda_stream_of(queue);
    CudaContext previous;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return TERN_OK;
    bool recorded = queue && ((const CudaObject *)queue)->capturing;
    tern_status status = TERN_OK;
    if (kernel->is_cooperative && !recorded) status = take_turns(device, stream);
    if (status == TERN_OK) status = cuda_enter(cuda, &previous);
    if (status != TERN_OK) return status;
    uint32_t blocks[3] = {grid[0], grid[1], grid[2]};
    if (kernel->cluster) blocks[0] *= (uint32_t)kernel->cluster; /* the caller has checked that */
    if (kernel->maps) status = cuda_maps_make(cuda, kernel, &args);
    if (status == TERN_OK && kernel->walks) status = cut_grid(cuda, kernel, grid, blocks, &args);
    if (status != TERN_OK) return cuda_leave(cuda, previous), status;
    CudaResult result = launch_on(cuda, kernel, blocks, stream, args);
    cuda->last = kernel;
    memcpy(cuda->last_grid, grid, sizeof cuda->last_grid);
    cuda->num_launches++;
    cuda->launches_since_wait++;
    cuda->unfinished = true;
    if (result != CUDA_OK)
        status = launch_failed(cuda, result);
    else if (recorded)
        status = TERN_OK;
    else if (cuda->blocking)
        status = wait_for_launch(cuda, stream);
    else if (cuda->timeout_ms && cuda->launches_since_wait >= CUDA_LAUNCHES_UNWATCHED)
        /* A full queue (1024 deep) waits inside the driver, out of reach of the time limit. */
        status = wait_for_launch(cuda, stream);
    cuda_leave(cuda, previous);
    return status;
}

/* ---- queues ---- */

tern_status cuda_queue_open(Device *device, void **queue) {
    Cuda *cuda = device->state;
    CudaContext previous;
    *queue = NULL;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) {
        CudaObject *object = cuda_object_new(cuda, CUDA_QUEUE);
        /* Not CU_STREAM_NON_BLOCKING: copies on the default stream are to come after the work of
         * this one. */
        status =
            object
                ? cuda_check(cuda, cuda->driver.stream_create(&object->stream, CUDA_STREAM_DEFAULT),
                             "create a stream")
                : TERN_ERROR_NO_MEMORY;
        cuda_object_keep(cuda, object, status, queue);
    }
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_queue_adopt(Device *device, void *handle, void **queue) {
    Cuda *cuda = device->state;
    CudaObject *object = cuda_object_new(cuda, CUDA_QUEUE);
    *queue = object;
    if (!object) return TERN_ERROR_NO_MEMORY;
    object->stream = handle;
    object->adopted = true;
    cuda->num_adopted++;
    return TERN_OK;
}

tern_status cuda_queue_wait(Device *device, void *queue) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_wait_stream(cuda, cuda_stream_of(queue), "wait for a stream");
    cuda_leave(cuda, previous);
    return status;
}

void *cuda_queue_handle(void *queue) { return cuda_stream_of(queue); }

/* ---- graphs ---- */

tern_status cuda_graph_begin(Device *device, void *queue) {
    Cuda *cuda = device->state;
    CudaObject *object = queue;
    CudaContext previous;
    if (!object || !object->stream)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT, "the default stream cannot record a graph");
    if (object->capturing)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT, "the stream records a graph already");
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status =
            cuda_check(cuda, cuda->driver.capture_begin(object->stream, CUDA_CAPTURE_THREAD_LOCAL),
                       "record a graph");
    object->capturing = status == TERN_OK;
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_graph_end(Device *device, void *queue, void **graph) {
    Cuda *cuda = device->state;
    CudaObject *recorder = queue, *object = NULL;
    CudaGraph recorded = NULL;
    CudaContext previous;
    *graph = NULL;
    if (!recorder || !recorder->capturing)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT, "the stream does not record a graph");
    recorder->capturing = false;
    tern_status status = cuda_enter(cuda, &previous);
    if (status != TERN_OK) return status;
    status =
        cuda_check(cuda, cuda->driver.capture_end(recorder->stream, &recorded), "record a graph");
    if (status == TERN_OK) {
        object = cuda_object_new(cuda, CUDA_GRAPH);
        status = object
                     ? cuda_check(cuda, cuda->driver.graph_instantiate(&object->graph, recorded, 0),
                                  "make a recorded graph ready")
                     : TERN_ERROR_NO_MEMORY;
    }
    if (recorded) cuda->driver.graph_destroy(recorded);
    cuda_object_keep(cuda, object, status, graph);
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_graph_launch(Device *device, void *graph, void *queue) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(
            cuda, cuda->driver.graph_launch(((CudaObject *)graph)->graph, cuda_stream_of(queue)),
            "launch a graph");
    cuda->unfinished = true;
    if (status == TERN_OK && cuda->blocking)
        status = cuda_wait_stream(cuda, cuda_stream_of(queue), "wait for the graph");
    cuda_leave(cuda, previous);
    return status;
}
