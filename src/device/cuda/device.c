// SPDX-License-Identifier: Apache-2.0
/* cuda: the NVIDIA GPU as a device: open, describe, close.
 *
 * The primary context is used, as the CUDA runtime and PyTorch do, so that their memory and streams
 * can be passed to tern and back. */
#include "device/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- objects ---- */

CudaObject *cuda_object_new(Cuda *cuda, CudaKind kind) {
    CudaObject *object = calloc(1, sizeof *object);
    if (!object) {
        cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
        return NULL;
    }
    object->kind = kind;
    object->previous = &cuda->objects;
    object->next = cuda->objects.next;
    if (object->next) object->next->previous = object;
    cuda->objects.next = object;
    return object;
}

/* Each kind has handles of its own; those of the others are NULL. */
static void destroy_handles(Cuda *cuda, CudaObject *object) {
    CudaDriver *driver = &cuda->driver;
    if (object->capturing) {
        CudaGraph graph = NULL;
        driver->capture_end(object->stream, &graph);
        if (graph) driver->graph_destroy(graph);
    }
    if (object->stream && !object->adopted) driver->stream_destroy(object->stream);
    if (object->event) driver->event_destroy(object->event);
    if (object->shared) driver->host_free(object->shared);
    if (object->graph) driver->graph_exec_destroy(object->graph);
    if (object->module) driver->module_unload(object->module);
}

void cuda_object_free(Cuda *cuda, CudaObject *object) {
    if (!cuda->hung) destroy_handles(cuda, object);
    if (object->adopted) cuda->num_adopted--;
    if (cuda->last == object) cuda->last = NULL;
    object->previous->next = object->next;
    if (object->next) object->next->previous = object->previous;
    free(object->maps);
    free(object->name);
    free(object->log);
    free(object->stops);
    free(object->walk_args);
    free(object);
}

void cuda_object_keep(Cuda *cuda, CudaObject *object, tern_status made, void **kept) {
    if (made == TERN_OK)
        *kept = object;
    else if (object)
        cuda_object_free(cuda, object);
}

/* Waits, then frees. */
static void object_close(Device *device, void *object) {
    Cuda *cuda = device->state;
    CudaContext previous;
    if (!object) return;
    CudaObject *o = object;
    if (cuda_enter(cuda, &previous) == TERN_OK) {
        bool waits = o->kind != CUDA_EVENT && !o->capturing;
        if (waits && cuda->unfinished) cuda_wait_all(cuda, "wait before closing");
        cuda_object_free(cuda, o);
    } /* else it stays in the list until the device is closed */
    cuda_leave(cuda, previous);
}

/* ---- open ---- */

static tern_status parse_ordinal(Cuda *cuda, const char *argument, int *ordinal) {
    *ordinal = 0;
    if (!argument) return TERN_OK;
    char *end = NULL;
    long number = *argument >= '0' && *argument <= '9' ? strtol(argument, &end, 10) : -1;
    if (number < 0 || number > 9999 || *end)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT,
                         "'cuda:%s' is no device: expected a number after 'cuda:'", argument);
    *ordinal = (int)number;
    return TERN_OK;
}

static tern_status find_device(Cuda *cuda, int ordinal) {
    int count = 0;
    tern_status status = cuda_check(cuda, cuda->driver.init(0), "start the driver");
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.driver_version(&cuda->driver_version),
                            "ask for the driver's version");
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.device_count(&count), "count the devices");
    if (status != TERN_OK) return status;
    if (count == 0) return cuda_fail(cuda, TERN_ERROR_DEVICE, "there is no NVIDIA GPU here");
    if (ordinal >= count)
        return cuda_fail(cuda, TERN_ERROR_DEVICE,
                         "there is no device cuda:%d: the driver has %d, numbered from 0", ordinal,
                         count);
    return cuda_check(cuda, cuda->driver.device_get(&cuda->id, ordinal), "open the device");
}

static tern_status read_attributes(Cuda *cuda) {
    const struct {
        CudaDeviceAttribute attribute;
        int *value;
    } wanted[] = {{CUDA_CAPABILITY_MAJOR, &cuda->major},
                  {CUDA_CAPABILITY_MINOR, &cuda->minor},
                  {CUDA_MULTIPROCESSORS, &cuda->multiprocessors},
                  {CUDA_SHARED_PER_BLOCK_OPTIN, &cuda->shared_optin},
                  {CUDA_THREADS_PER_MULTIPROCESSOR, &cuda->threads_per_multiprocessor},
                  {CUDA_REGISTERS_PER_BLOCK, &cuda->block_registers}};
    tern_status status = TERN_OK;
    for (int i = 0; i < COUNT(wanted) && status == TERN_OK; i++)
        status = cuda_check(
            cuda, cuda->driver.device_attribute(wanted[i].value, wanted[i].attribute, cuda->id),
            "read the device's attributes");
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.device_memory(&cuda->memory_bytes, cuda->id),
                            "read the device's memory size");
    return status;
}

static tern_status describe(Cuda *cuda) {
    char name[256] = "";
    Device *device = cuda->device;
    tern_status status =
        cuda_check(cuda, cuda->driver.device_name(name, (int)sizeof name - 1, cuda->id),
                   "read the device's name");
    if (status != TERN_OK) return status;
    device->target = cuda_target(cuda->major, cuda->minor);
    if (!device->target)
        return cuda_fail(cuda, TERN_ERROR_DEVICE,
                         "%s has compute capability %d.%d; tern needs 7.5 or newer", name,
                         cuda->major, cuda->minor);
    device->gpu = (tern_gpu){.capability = 10 * cuda->major + cuda->minor,
                             .multiprocessors = cuda->multiprocessors,
                             .warp_size = 32,
                             .multiprocessor_threads = cuda->threads_per_multiprocessor,
                             .block_registers = cuda->block_registers,
                             .block_shared_bytes = cuda->shared_optin};
    device->description = str_format(
        device->arena, "%s, %d SMs, %.1f GiB, compute capability %d.%d, driver for CUDA %d.%d",
        name, cuda->multiprocessors, (double)cuda->memory_bytes / (1 << 30), cuda->major,
        cuda->minor, cuda->driver_version / 1000, cuda->driver_version % 1000 / 10);
    return TERN_OK;
}

static tern_status make_context(Cuda *cuda) {
    CudaContext previous, context = NULL;
    tern_status status =
        cuda_check(cuda, cuda->driver.context_retain(&context, cuda->id), "make a context");
    if (status != TERN_OK) return status;
    cuda->context = cuda->device->gpu.driver_context = context;
    if (cuda->timeout_ms == 0) return TERN_OK;
    status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.event_create(&cuda->watch, CUDA_EVENT_DEFAULT),
                            "create an event");
    cuda_leave(cuda, previous);
    return status;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

static bool read_options(Cuda *cuda, const tern_open_options *options) {
    cuda->blocking = (options && options->launch_blocking) || is_set("TERN_LAUNCH_BLOCKING") ||
                     is_set("CUDA_LAUNCH_BLOCKING");
    return device_timeout(cuda->device, options ? options->timeout_ms : 0, &cuda->timeout_ms);
}

static void cuda_close(Device *device) {
    Cuda *cuda = device->state;
    CudaContext previous;
    if (!cuda) return;
    if (cuda->context) {
        /* All is freed whatever state the device is in; a failure of one call stops nothing. */
        bool entered = cuda_enter(cuda, &previous) == TERN_OK;
        if (!entered && !cuda->hung) cuda->driver.context_set(cuda->context);
        if (entered && cuda->unfinished) cuda_wait_all(cuda, "wait before closing");
        while (cuda->objects.next) cuda_object_free(cuda, cuda->objects.next);
        cuda_clock_close(cuda);
        cuda_pool_close(cuda);
        if (cuda->watch && !cuda->hung) cuda->driver.event_destroy(cuda->watch);
        cuda_leave(cuda, previous);
        if (!cuda->hung) cuda->driver.context_release(cuda->id);
    }
    /* A driver with a kernel that hangs is left loaded: unloading it would wait. */
    if (!cuda->hung) cuda_driver_close(&cuda->driver);
    device->state = NULL;
}

static tern_status cuda_open(Device *device, const char *argument,
                             const tern_open_options *options) {
    Cuda *cuda = arena_new_of(device->arena, Cuda);
    int ordinal = 0;
    cuda->device = device;
    tern_status status = parse_ordinal(cuda, argument, &ordinal);
    if (status == TERN_OK && !read_options(cuda, options)) status = TERN_ERROR_ARGUMENT;
    if (status != TERN_OK) return status;
    if (!cuda_driver_open(&cuda->driver, cuda->words, sizeof cuda->words)) {
        device->why = str_of(cuda->words);
        return TERN_ERROR_DEVICE;
    }
    device->state = cuda;
    device->name = str_format(device->arena, "cuda:%d", ordinal);
    status = find_device(cuda, ordinal);
    if (status == TERN_OK) status = read_attributes(cuda);
    if (status == TERN_OK) status = describe(cuda);
    if (status == TERN_OK) status = make_context(cuda);
    device->makes_maps = cuda->driver.map_encode && cuda->major >= 9;
    device->walks = cuda->multiprocessors;
    device->clusters = cuda->driver_version >= 12010; /* their texts are of PTX 8.1 */
    if (status != TERN_OK) cuda_close(device);
    return status;
}

const DeviceOps device_cuda = {
    .name = "cuda",
    .how = "needs an NVIDIA GPU and its driver (libcuda.so.1)",
    .is_fast = true,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .alloc_shared = cuda_alloc_shared,
    .release_shared = cuda_release_shared,
    .memory = cuda_memory,
    .write = cuda_write,
    .read = cuda_read,
    .fill = cuda_fill,
    .load = cuda_load,
    .unload = object_close,
    .launch = cuda_launch,
    .synchronize = cuda_synchronize,
    .queue_open = cuda_queue_open,
    .queue_close = object_close,
    .queue_wait = cuda_queue_wait,
    .queue_handle = cuda_queue_handle,
    .queue_adopt = cuda_queue_adopt,
    .write_async = cuda_write_async,
    .read_async = cuda_read_async,
    .fill_async = cuda_fill_async,
    .event_open = cuda_event_open,
    .event_close = object_close,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .event_order = cuda_event_order,
    .event_elapsed = cuda_event_elapsed,
    .gate_open = cuda_gate_open,
    .gate_close = object_close,
    .gate_shut = cuda_gate_shut,
    .gate_lift = cuda_gate_lift,
    .clock_open = cuda_clock_open,
    .clock_between = cuda_clock_between,
    .clock_state = cuda_clock_state,
    .graph_begin = cuda_graph_begin,
    .graph_end = cuda_graph_end,
    .graph_launch = cuda_graph_launch,
    .graph_close = object_close,
    .loaded_facts = cuda_loaded_facts,
};
