// SPDX-License-Identifier: Apache-2.0
/* buffer: memory of the device, known to the context so that launches and accesses can be checked.
 */
#include "api/context.h"

#include <stdlib.h>

static bool grow(tern_context *context) {
    if (context->num_buffers < context->buffers_capacity) return true;
    int capacity = context->buffers_capacity ? context->buffers_capacity * 2 : 16;
    tern_buffer **buffers = realloc(context->buffers, (size_t)capacity * sizeof *buffers);
    if (!buffers) return false;
    context->buffers = buffers;
    DeviceRange *ranges = realloc(context->ranges, (size_t)capacity * sizeof *ranges);
    if (!ranges) return false;
    context->ranges = ranges;
    context->device.ranges = ranges;
    context->buffers_capacity = capacity;
    return true;
}

static tern_buffer *buffer_new(tern_context *context, size_t size) {
    tern_buffer *buffer = grow(context) ? calloc(1, sizeof *buffer) : NULL;
    if (!buffer) {
        context_no_memory(context);
        return NULL;
    }
    *buffer = (tern_buffer){.context = context, .size = size, .index = context->num_buffers};
    return buffer;
}

static tern_buffer *buffer_add(tern_buffer *buffer) {
    tern_context *context = buffer->context;
    context->buffers[buffer->index] = buffer;
    const DeviceOps *ops = context->device.ops;
    context->ranges[buffer->index] = (DeviceRange){
        .base = buffer->pointer,
        .size = buffer->size,
        .written = ops->written && !buffer->is_wrapped ? ops->written(buffer->pointer) : NULL};
    context->device.num_ranges = ++context->num_buffers;
    return buffer;
}

tern_buffer *tern_alloc(tern_context *context, size_t size_bytes) {
    tern_buffer *volatile buffer = buffer_new(context, size_bytes);
    if (!buffer) return NULL;
    tern_status status = TERN_ERROR_NO_MEMORY;
    void *pointer = NULL;
    if (setjmp(context->oom)) {
        context_no_memory(context);
    } else {
        Device *device = &context->device;
        status = device->ops->alloc(device, size_bytes, &pointer);
        if (status) context_fail_device(context, status);
    }
    if (status) {
        free(buffer);
        return NULL;
    }
    buffer->pointer = pointer;
    return buffer_add(buffer);
}

tern_buffer *tern_wrap(tern_context *context, void *pointer, size_t size_bytes) {
    if (!pointer && size_bytes) {
        if (setjmp(context->oom))
            context_no_memory(context);
        else
            context_fail(context, TERN_ERROR_ARGUMENT, "tern_wrap: a null pointer to %zu bytes",
                         size_bytes);
        return NULL;
    }
    tern_buffer *buffer = buffer_new(context, size_bytes);
    if (!buffer) return NULL;
    buffer->pointer = pointer;
    buffer->is_wrapped = true;
    return buffer_add(buffer);
}

tern_status context_memory(tern_context *context, size_t *free_bytes, size_t *total_bytes) {
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    return context_checked(context, device->ops->memory(device, free_bytes, total_bytes));
}

void buffer_free(tern_buffer *buffer) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (!setjmp(context->oom)) {
        device->ops->synchronize(device);
        if (!buffer->is_wrapped) device->ops->release(device, buffer->pointer);
    }
    int last = --context->num_buffers;
    context->buffers[last]->index = buffer->index;
    context->buffers[buffer->index] = context->buffers[last];
    context->ranges[buffer->index] = context->ranges[last];
    device->num_ranges = last;
    free(buffer);
}

void tern_buffer_free(tern_buffer *buffer) {
    if (buffer) buffer_free(buffer);
}

tern_buffer *tern_buffer_at(const tern_context *context, const void *pointer, size_t *offset) {
    for (int i = 0; i < context->num_buffers; i++) {
        uintptr_t from = (uintptr_t)pointer - (uintptr_t)context->buffers[i]->pointer;
        if (from >= context->buffers[i]->size) continue; /* below its start: it wraps around */
        if (offset) *offset = from;
        return context->buffers[i];
    }
    return NULL;
}

size_t tern_buffer_size(const tern_buffer *buffer) { return buffer->size; }

void *tern_buffer_pointer(const tern_buffer *buffer) { return buffer->pointer; }

tern_status buffer_check(const tern_buffer *buffer, size_t offset, size_t bytes) {
    if (offset <= buffer->size && bytes <= buffer->size - offset) return TERN_OK;
    return context_fail(buffer->context, TERN_ERROR_ARGUMENT,
                        "%zu bytes from byte %zu on are not inside a buffer of %zu bytes", bytes,
                        offset, buffer->size);
}

static tern_status write_now(tern_buffer *buffer, size_t offset, const void *from, size_t bytes) {
    tern_context *context = buffer->context;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = buffer_check(buffer, offset, bytes);
    if (status || !bytes) return status;
    status = context->device.ops->write(&context->device, buffer->pointer + offset, from, bytes);
    return context_checked(context, status);
}

tern_status tern_write(tern_buffer *buffer, size_t offset, const void *from, size_t bytes) {
    observe(buffer->context, TERN_CALL_WRITE, "tern_write", NULL, bytes, true, true);
    tern_status status = write_now(buffer, offset, from, bytes);
    observe(buffer->context, TERN_CALL_WRITE, "tern_write", NULL, bytes, true, false);
    return status;
}

static tern_status read_now(tern_buffer *buffer, size_t offset, void *to, size_t bytes) {
    tern_context *context = buffer->context;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = buffer_check(buffer, offset, bytes);
    if (status || !bytes) return status;
    status = context->device.ops->read(&context->device, to, buffer->pointer + offset, bytes);
    return context_checked(context, status);
}

tern_status tern_read(tern_buffer *buffer, size_t offset, void *to, size_t bytes) {
    observe(buffer->context, TERN_CALL_READ, "tern_read", NULL, bytes, true, true);
    tern_status status = read_now(buffer, offset, to, bytes);
    observe(buffer->context, TERN_CALL_READ, "tern_read", NULL, bytes, true, false);
    return status;
}

static tern_status fill_now(tern_buffer *buffer, unsigned char byte) {
    tern_context *context = buffer->context;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!buffer->size) return TERN_OK;
    tern_status status =
        context->device.ops->fill(&context->device, buffer->pointer, byte, buffer->size);
    return context_checked(context, status);
}

tern_status tern_fill(tern_buffer *buffer, unsigned char byte) {
    observe(buffer->context, TERN_CALL_FILL, "tern_fill", NULL, buffer->size, true, true);
    tern_status status = fill_now(buffer, byte);
    observe(buffer->context, TERN_CALL_FILL, "tern_fill", NULL, buffer->size, true, false);
    return status;
}

tern_status tern_forget(tern_buffer *buffer, size_t offset, size_t bytes) {
    tern_context *context = buffer->context;
    if (setjmp(context->oom)) return context_no_memory(context);
    unsigned char *written = context->ranges[buffer->index].written;
    tern_status status = buffer_check(buffer, offset, bytes);
    if (!status && written) context->device.ops->forget(written, offset, bytes);
    return status;
}

static tern_status check_written(tern_buffer *buffer, size_t offset, size_t bytes) {
    tern_context *context = buffer->context;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = buffer_check(buffer, offset, bytes);
    if (status || context->ranges[buffer->index].written) return status;
    return context_lacks(context, "record of what was written to this buffer");
}

tern_status tern_written(tern_buffer *buffer, size_t offset, size_t bytes, unsigned char *written) {
    tern_status status = check_written(buffer, offset, bytes);
    if (status) return status;
    const unsigned char *bits = buffer->context->ranges[buffer->index].written;
    for (size_t i = 0; i < bytes; i++)
        written[i] = bits[(offset + i) / 8] >> ((offset + i) & 7) & 1;
    return TERN_OK;
}
