// SPDX-License-Identifier: Apache-2.0
/* stream: streams, events, gates and graphs of the library.
 *
 * A device either has queues of its own (cuda), and then these calls are passed on, or does its
 * work inside each call; then all streams are one and an event is a reading of the host's clock,
 * which is right since nothing is under way when it is read. */
#include "api/context.h"

#include <stdlib.h>
#include <time.h>

struct tern_event {
    tern_context *context;
    tern_event *previous, *next;
    void *handle; /* the device's; NULL where it has none */
    bool is_recorded;
    int64_t time_ns;
};

struct tern_gate {
    tern_context *context;
    tern_gate *previous, *next;
    void *handle;
};

struct tern_graph {
    tern_context *context;
    tern_graph *previous, *next;
    void *handle;
};

static tern_status checked(tern_context *context, tern_status status) {
    return status ? context_fail_device(context, status) : TERN_OK;
}

static tern_status lacks(tern_context *context, const char *what) {
    return context_fail(context, TERN_ERROR_UNSUPPORTED, "device %.*s has no %s",
                        STR_ARG(context->device.name), what);
}

static void *queue_of(const tern_stream *stream) { return stream ? stream->queue : NULL; }

/* ---- streams ---- */

static tern_stream *stream_add(tern_context *context, void *queue) {
    tern_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        if (queue) context->device.ops->queue_close(&context->device, queue);
        context_no_memory(context);
        return NULL;
    }
    stream->context = context;
    stream->queue = queue;
    stream->next = context->streams;
    if (stream->next) stream->next->previous = stream;
    context->streams = stream;
    return stream;
}

tern_stream *tern_stream_create(tern_context *context) {
    Device *device = &context->device;
    void *queue = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (device->ops->queue_open && checked(context, device->ops->queue_open(device, &queue)))
        return NULL;
    return stream_add(context, queue);
}

tern_stream *tern_stream_wrap(tern_context *context, void *handle) {
    Device *device = &context->device;
    void *queue = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->queue_adopt)
        return (void)lacks(context, "streams that the caller made"), NULL;
    if (checked(context, device->ops->queue_adopt(device, handle, &queue))) return NULL;
    return stream_add(context, queue);
}

void tern_stream_free(tern_stream *stream) {
    if (!stream) return;
    tern_context *context = stream->context;
    if (stream->queue) context->device.ops->queue_close(&context->device, stream->queue);
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        context->streams = stream->next;
    if (stream->next) stream->next->previous = stream->previous;
    free(stream);
}

tern_status tern_stream_synchronize(tern_stream *stream) {
    tern_context *context = stream->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!stream->queue) return checked(context, device->ops->synchronize(device));
    return checked(context, device->ops->queue_wait(device, stream->queue));
}

void *tern_stream_handle(tern_stream *stream) {
    return stream->queue ? stream->context->device.ops->queue_handle(stream->queue) : NULL;
}

/* ---- copies ---- */

static tern_status check_copy(tern_stream *stream, const tern_buffer *buffer, size_t offset,
                              size_t bytes) {
    tern_context *context = buffer->context;
    if (stream && stream->context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the stream belongs to another context");
    if (offset > buffer->size || bytes > buffer->size - offset)
        return context_fail(context, TERN_ERROR_ARGUMENT,
                            "%zu bytes from byte %zu on are not inside a buffer of %zu bytes",
                            bytes, offset, buffer->size);
    return TERN_OK;
}

tern_status tern_write_async(tern_stream *stream, tern_buffer *buffer, size_t offset,
                             const void *from, size_t bytes) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, offset, bytes);
    if (status || bytes == 0) return status;
    char *to = (char *)buffer->pointer + offset;
    if (!device->ops->write_async)
        return checked(context, device->ops->write(device, to, from, bytes));
    return checked(context, device->ops->write_async(device, queue_of(stream), to, from, bytes));
}

tern_status tern_read_async(tern_stream *stream, tern_buffer *buffer, size_t offset, void *to,
                            size_t bytes) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, offset, bytes);
    if (status || bytes == 0) return status;
    const char *from = (const char *)buffer->pointer + offset;
    if (!device->ops->read_async)
        return checked(context, device->ops->read(device, to, from, bytes));
    return checked(context, device->ops->read_async(device, queue_of(stream), to, from, bytes));
}

tern_status tern_fill_async(tern_stream *stream, tern_buffer *buffer, unsigned char byte) {
    tern_context *context = buffer->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_copy(stream, buffer, 0, buffer->size);
    if (status || buffer->size == 0) return status;
    if (!device->ops->fill_async)
        return checked(context, device->ops->fill(device, buffer->pointer, byte, buffer->size));
    return checked(context, device->ops->fill_async(device, queue_of(stream), buffer->pointer, byte,
                                                    buffer->size));
}

/* ---- events ---- */

static tern_event *event_add(tern_context *context, void *handle) {
    Device *device = &context->device;
    tern_event *event = calloc(1, sizeof *event);
    if (!event) {
        if (handle) device->ops->event_close(device, handle);
        context_no_memory(context);
        return NULL;
    }
    event->context = context;
    event->handle = handle;
    event->next = context->events;
    if (event->next) event->next->previous = event;
    context->events = event;
    return event;
}

tern_event *tern_event_create(tern_context *context) {
    Device *device = &context->device;
    void *handle = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (device->ops->event_open && checked(context, device->ops->event_open(device, &handle)))
        return NULL;
    return event_add(context, handle);
}

tern_event *tern_event_create_clocked(tern_context *context) {
    Device *device = &context->device;
    void *handle = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->clock_open) return (void)lacks(context, "clock that can be read"), NULL;
    if (checked(context, device->ops->clock_open(device, &handle))) return NULL;
    return event_add(context, handle);
}

void tern_event_free(tern_event *event) {
    if (!event) return;
    tern_context *context = event->context;
    if (event->handle) context->device.ops->event_close(&context->device, event->handle);
    if (event->previous)
        event->previous->next = event->next;
    else
        context->events = event->next;
    if (event->next) event->next->previous = event->previous;
    free(event);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static tern_status check_pair(tern_event *event, tern_stream *stream) {
    if (!stream || stream->context == event->context) return TERN_OK;
    return context_fail(event->context, TERN_ERROR_ARGUMENT,
                        "the stream belongs to another context");
}

static tern_status not_recorded(tern_context *context) {
    return context_fail(context, TERN_ERROR_ARGUMENT, "the event was never recorded");
}

tern_status tern_event_record(tern_event *event, tern_stream *stream) {
    tern_context *context = event->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_pair(event, stream);
    if (!status && event->handle)
        status =
            checked(context, device->ops->event_record(device, event->handle, queue_of(stream)));
    if (status) return status;
    event->is_recorded = true;
    if (!event->handle) event->time_ns = now_ns();
    return TERN_OK;
}

tern_status tern_event_synchronize(tern_event *event) {
    tern_context *context = event->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!event->is_recorded) return not_recorded(context);
    if (!event->handle) return TERN_OK;
    return checked(context, device->ops->event_wait(device, event->handle));
}

tern_status tern_stream_wait(tern_stream *stream, tern_event *event) {
    tern_context *context = event->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_pair(event, stream);
    if (!status && !event->is_recorded) status = not_recorded(context);
    if (status || !event->handle) return status;
    return checked(context, device->ops->event_order(device, event->handle, queue_of(stream)));
}

tern_status tern_event_elapsed(tern_event *start, tern_event *end, double *nanoseconds) {
    tern_context *context = end->context;
    Device *device = &context->device;
    *nanoseconds = 0;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (start->context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the events belong to two contexts");
    if (!start->is_recorded || !end->is_recorded) return not_recorded(context);
    if (end->handle)
        return checked(context,
                       device->ops->event_elapsed(device, start->handle, end->handle, nanoseconds));
    *nanoseconds = (double)(end->time_ns - start->time_ns);
    return TERN_OK;
}

tern_status tern_event_clock(tern_event *start, tern_event *end, double *mhz) {
    tern_context *context = end->context;
    Device *device = &context->device;
    *mhz = 0;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (start->context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the events belong to two contexts");
    if (!start->is_recorded || !end->is_recorded) return not_recorded(context);
    if (!device->ops->clock_between) return lacks(context, "clock that can be read");
    return checked(context, device->ops->clock_between(device, start->handle, end->handle, mhz));
}

tern_status tern_clock_now(tern_context *context, tern_clock_state *state) {
    Device *device = &context->device;
    *state = (tern_clock_state){0};
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!device->ops->clock_state) return lacks(context, "clock that can be read");
    return checked(context, device->ops->clock_state(device, state));
}

/* ---- gates ---- */

tern_gate *tern_gate_create(tern_context *context) {
    Device *device = &context->device;
    void *handle = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->gate_open) return (void)lacks(context, "gates"), NULL;
    if (checked(context, device->ops->gate_open(device, &handle))) return NULL;
    tern_gate *gate = calloc(1, sizeof *gate);
    if (!gate) {
        device->ops->gate_close(device, handle);
        context_no_memory(context);
        return NULL;
    }
    gate->context = context;
    gate->handle = handle;
    gate->next = context->gates;
    if (gate->next) gate->next->previous = gate;
    context->gates = gate;
    return gate;
}

void tern_gate_free(tern_gate *gate) {
    if (!gate) return;
    tern_context *context = gate->context;
    tern_gate_open(gate);
    context->device.ops->gate_close(&context->device, gate->handle);
    if (gate->previous)
        gate->previous->next = gate->next;
    else
        context->gates = gate->next;
    if (gate->next) gate->next->previous = gate->previous;
    free(gate);
}

tern_status tern_gate_close(tern_gate *gate, tern_stream *stream) {
    tern_context *context = gate->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (stream && stream->context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the stream belongs to another context");
    return checked(context, device->ops->gate_shut(device, gate->handle, queue_of(stream)));
}

void tern_gate_open(tern_gate *gate) { gate->context->device.ops->gate_lift(gate->handle); }

/* ---- graphs ---- */

tern_status tern_graph_begin(tern_stream *stream) {
    tern_context *context = stream->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!device->ops->graph_begin) return lacks(context, "graphs");
    return checked(context, device->ops->graph_begin(device, stream->queue));
}

tern_graph *tern_graph_end(tern_stream *stream) {
    tern_context *context = stream->context;
    Device *device = &context->device;
    void *handle = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->graph_end) return (void)lacks(context, "graphs"), NULL;
    if (checked(context, device->ops->graph_end(device, stream->queue, &handle))) return NULL;
    tern_graph *graph = calloc(1, sizeof *graph);
    if (!graph) {
        device->ops->graph_close(device, handle);
        context_no_memory(context);
        return NULL;
    }
    graph->context = context;
    graph->handle = handle;
    graph->next = context->graphs;
    if (graph->next) graph->next->previous = graph;
    context->graphs = graph;
    return graph;
}

tern_status tern_graph_launch(tern_graph *graph, tern_stream *stream) {
    tern_context *context = graph->context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (stream && stream->context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the stream belongs to another context");
    return checked(context, device->ops->graph_launch(device, graph->handle, queue_of(stream)));
}

void tern_graph_free(tern_graph *graph) {
    if (!graph) return;
    tern_context *context = graph->context;
    context->device.ops->graph_close(&context->device, graph->handle);
    if (graph->previous)
        graph->previous->next = graph->next;
    else
        context->graphs = graph->next;
    if (graph->next) graph->next->previous = graph->previous;
    free(graph);
}
