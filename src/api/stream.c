// SPDX-License-Identifier: Apache-2.0
/* stream: streams, gates and copies of the library. A device either has queues of its own (cuda),
 * and then these calls are passed on, or does its work inside each call; then all streams are one.
 */
#include "api/context.h"

#include <stdlib.h>

struct tern_gate {
    Handle own;
    void *driver; /* the device's */
};

/* ---- streams ---- */

void *stream_queue(const tern_stream *stream) { return stream ? stream->queue : NULL; }

tern_status stream_check(const tern_stream *stream, tern_context *context) {
    if (!stream || stream->own.context == context) return TERN_OK;
    return context_fail(context, TERN_ERROR_ARGUMENT, "the stream belongs to another context");
}

static void stream_close(Handle *own) {
    tern_stream *stream = (tern_stream *)own;
    Device *device = &own->context->device;
    if (stream->queue) device->ops->queue_close(device, stream->queue);
    free(stream);
}

static tern_stream *stream_add(tern_context *context, void *queue) {
    tern_stream *stream = handle_new(context, sizeof *stream, stream_close);
    if (stream)
        stream->queue = queue;
    else if (queue)
        context->device.ops->queue_close(&context->device, queue);
    return stream;
}

tern_stream *tern_stream_create(tern_context *context) {
    Device *device = &context->device;
    void *queue = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (device->ops->queue_open &&
        context_checked(context, device->ops->queue_open(device, &queue)))
        return NULL;
    tern_stream *stream = stream_add(context, queue);
    if (stream && context->nvtx) nvtx_stream(context->nvtx, tern_stream_handle(stream));
    return stream;
}

tern_stream *tern_stream_wrap(tern_context *context, void *handle) {
    Device *device = &context->device;
    void *queue = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->queue_adopt)
        return (void)context_lacks(context, "streams that the caller made"), NULL;
    if (context_checked(context, device->ops->queue_adopt(device, handle, &queue))) return NULL;
    return stream_add(context, queue);
}

void tern_stream_free(tern_stream *stream) {
    if (stream) handle_close(&stream->own);
}

static tern_status wait_for_stream(tern_stream *stream) {
    tern_context *context = stream->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!stream->queue) return context_checked(context, device->ops->synchronize(device));
    return context_checked(context, device->ops->queue_wait(device, stream->queue));
}

tern_status tern_stream_synchronize(tern_stream *stream) {
    observe(stream->own.context, TERN_CALL_WAIT, "tern_stream_synchronize", stream, 0, true, true);
    tern_status status = wait_for_stream(stream);
    observe(stream->own.context, TERN_CALL_WAIT, "tern_stream_synchronize", stream, 0, true, false);
    return status;
}

void *tern_stream_handle(tern_stream *stream) {
    return stream->queue ? stream->own.context->device.ops->queue_handle(stream->queue) : NULL;
}

/* ---- copies ---- */

static tern_status check_copy(tern_stream *stream, const tern_buffer *buffer, size_t offset,
                              size_t bytes) {
    tern_status status = stream_check(stream, buffer->context);
    return status ? status : buffer_check(buffer, offset, bytes);
}

static tern_status write_later(tern_stream *stream, tern_buffer *buffer, size_t offset,
                               const void *from, size_t bytes) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, offset, bytes);
    if (status || bytes == 0) return status;
    char *to = (char *)buffer->pointer + offset;
    if (!device->ops->write_async)
        return context_checked(context, device->ops->write(device, to, from, bytes));
    return context_checked(context,
                           device->ops->write_async(device, stream_queue(stream), to, from, bytes));
}

tern_status tern_write_async(tern_stream *stream, tern_buffer *buffer, size_t offset,
                             const void *from, size_t bytes) {
    observe(buffer->context, TERN_CALL_WRITE, "tern_write_async", stream, bytes,
            buffer->context->device.ops->on_host, true);
    tern_status status = write_later(stream, buffer, offset, from, bytes);
    observe(buffer->context, TERN_CALL_WRITE, "tern_write_async", stream, bytes,
            buffer->context->device.ops->on_host, false);
    return status;
}

static tern_status read_later(tern_stream *stream, tern_buffer *buffer, size_t offset, void *to,
                              size_t bytes) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, offset, bytes);
    if (status || bytes == 0) return status;
    const char *from = (const char *)buffer->pointer + offset;
    if (!device->ops->read_async)
        return context_checked(context, device->ops->read(device, to, from, bytes));
    return context_checked(context,
                           device->ops->read_async(device, stream_queue(stream), to, from, bytes));
}

tern_status tern_read_async(tern_stream *stream, tern_buffer *buffer, size_t offset, void *to,
                            size_t bytes) {
    observe(buffer->context, TERN_CALL_READ, "tern_read_async", stream, bytes,
            buffer->context->device.ops->on_host, true);
    tern_status status = read_later(stream, buffer, offset, to, bytes);
    observe(buffer->context, TERN_CALL_READ, "tern_read_async", stream, bytes,
            buffer->context->device.ops->on_host, false);
    return status;
}

static tern_status fill_later(tern_stream *stream, tern_buffer *buffer, unsigned char byte) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, 0, buffer->size);
    if (status || buffer->size == 0) return status;
    if (!device->ops->fill_async)
        return context_checked(context,
                               device->ops->fill(device, buffer->pointer, byte, buffer->size));
    return context_checked(context, device->ops->fill_async(device, stream_queue(stream),
                                                            buffer->pointer, byte, buffer->size));
}

tern_status tern_fill_async(tern_stream *stream, tern_buffer *buffer, unsigned char byte) {
    observe(buffer->context, TERN_CALL_FILL, "tern_fill_async", stream, buffer->size,
            buffer->context->device.ops->on_host, true);
    tern_status status = fill_later(stream, buffer, byte);
    observe(buffer->context, TERN_CALL_FILL, "tern_fill_async", stream, buffer->size,
            buffer->context->device.ops->on_host, false);
    return status;
}

/* ---- gates ---- */

static void gate_close(Handle *own) {
    tern_gate *gate = (tern_gate *)own;
    Device *device = &own->context->device;
    tern_gate_open(gate);
    device->ops->gate_close(device, gate->driver);
    free(gate);
}

tern_gate *tern_gate_create(tern_context *context) {
    Device *device = &context->device;
    void *driver = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->gate_open) return (void)context_lacks(context, "gates"), NULL;
    if (context_checked(context, device->ops->gate_open(device, &driver))) return NULL;
    tern_gate *gate = handle_new(context, sizeof *gate, gate_close);
    if (gate)
        gate->driver = driver;
    else
        device->ops->gate_close(device, driver);
    return gate;
}

void tern_gate_free(tern_gate *gate) {
    if (gate) handle_close(&gate->own);
}

tern_status tern_gate_close(tern_gate *gate, tern_stream *stream) {
    tern_context *context = gate->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = stream_check(stream, context);
    if (status) return status;
    return context_checked(context,
                           device->ops->gate_shut(device, gate->driver, stream_queue(stream)));
}

void tern_gate_open(tern_gate *gate) { gate->own.context->device.ops->gate_lift(gate->driver); }

void gates_open(tern_context *context) {
    for (Handle *own = context->handles; own; own = own->next)
        if (own->close == gate_close) tern_gate_open((tern_gate *)own);
}
