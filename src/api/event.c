// SPDX-License-Identifier: Apache-2.0
/* event: events and clocks of the library. On a device that does its work inside each call an event
 * is a reading of the host's clock, which is right since nothing is under way when it is read. */
#include "api/context.h"

#include <stdlib.h>

struct tern_event {
    Handle own;
    void *driver; /* the device's; NULL where it has none */
    bool is_recorded;
    int64_t time_ns;
};

static void event_close(Handle *own) {
    tern_event *event = (tern_event *)own;
    Device *device = &own->context->device;
    if (event->driver) device->ops->event_close(device, event->driver);
    free(event);
}

static tern_event *event_add(tern_context *context, void *driver) {
    tern_event *event = handle_new(context, sizeof *event, event_close);
    if (event)
        event->driver = driver;
    else if (driver)
        context->device.ops->event_close(&context->device, driver);
    return event;
}

tern_event *tern_event_create(tern_context *context) {
    Device *device = &context->device;
    void *driver = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (device->ops->event_open &&
        context_checked(context, device->ops->event_open(device, &driver)))
        return NULL;
    return event_add(context, driver);
}

tern_event *tern_event_create_clocked(tern_context *context) {
    Device *device = &context->device;
    void *driver = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->clock_open)
        return (void)context_lacks(context, "clock that can be read"), NULL;
    if (context_checked(context, device->ops->clock_open(device, &driver))) return NULL;
    return event_add(context, driver);
}

void tern_event_free(tern_event *event) {
    if (event) handle_close(&event->own);
}

static tern_status not_recorded(tern_context *context) {
    return context_fail(context, TERN_ERROR_ARGUMENT, "the event was never recorded");
}

static tern_status check_pair(const tern_event *start, const tern_event *end) {
    tern_context *context = end->own.context;
    if (start->own.context != context)
        return context_fail(context, TERN_ERROR_ARGUMENT, "the events belong to two contexts");
    return start->is_recorded && end->is_recorded ? TERN_OK : not_recorded(context);
}

tern_status tern_event_record(tern_event *event, tern_stream *stream) {
    tern_context *context = event->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = stream_check(stream, context);
    if (!status && event->driver)
        status = context_checked(
            context, device->ops->event_record(device, event->driver, stream_queue(stream)));
    if (status) return status;
    event->is_recorded = true;
    if (!event->driver) event->time_ns = clock_ns();
    return TERN_OK;
}

static tern_status wait_for_event(tern_event *event) {
    tern_context *context = event->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!event->is_recorded) return not_recorded(context);
    if (!event->driver) return TERN_OK;
    return context_checked(context, device->ops->event_wait(device, event->driver));
}

tern_status tern_event_synchronize(tern_event *event) {
    observe(event->own.context, TERN_CALL_WAIT, "tern_event_synchronize", NULL, 0, true, true);
    tern_status status = wait_for_event(event);
    observe(event->own.context, TERN_CALL_WAIT, "tern_event_synchronize", NULL, 0, true, false);
    return status;
}

tern_status tern_stream_wait(tern_stream *stream, tern_event *event) {
    tern_context *context = event->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = stream_check(stream, context);
    if (!status && !event->is_recorded) status = not_recorded(context);
    if (status || !event->driver) return status;
    return context_checked(context,
                           device->ops->event_order(device, event->driver, stream_queue(stream)));
}

tern_status tern_event_elapsed(tern_event *start, tern_event *end, double *nanoseconds) {
    tern_context *context = end->own.context;
    Device *device = &context->device;
    *nanoseconds = 0;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_pair(start, end);
    if (status) return status;
    if (end->driver)
        return context_checked(
            context, device->ops->event_elapsed(device, start->driver, end->driver, nanoseconds));
    *nanoseconds = (double)(end->time_ns - start->time_ns);
    return TERN_OK;
}

tern_status tern_event_clock(tern_event *start, tern_event *end, double *mhz) {
    tern_context *context = end->own.context;
    Device *device = &context->device;
    *mhz = 0;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = check_pair(start, end);
    if (status) return status;
    if (!device->ops->clock_between) return context_lacks(context, "clock that can be read");
    return context_checked(context,
                           device->ops->clock_between(device, start->driver, end->driver, mhz));
}

tern_status tern_clock_now(tern_context *context, tern_clock_state *state) {
    Device *device = &context->device;
    *state = (tern_clock_state){0};
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!device->ops->clock_state) return context_lacks(context, "clock that can be read");
    return context_checked(context, device->ops->clock_state(device, state));
}
