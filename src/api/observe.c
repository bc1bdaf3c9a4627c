// SPDX-License-Identifier: Apache-2.0
/* observe: tells who watches a context of its calls. */
#include "api/context.h"

/* Who profiles from outside gives way to the program itself. */
static void give_way(tern_context *context) {
    Outside *outside = context->outside;
    context->outside = NULL;
    outside_end(outside);
}

bool tern_observe(tern_context *context, tern_observer *observer, void *user) {
    if (observer && context->outside) give_way(context);
    if (observer && context->observer) return false;
    context->observer = observer;
    context->observer_user = user;
    return true;
}

void tern_interprets(tern_context *context, int (*stack)(void *user, const char **names, int most),
                     void *user) {
    outside_stack(context->outside, stack, user);
}

static inline void tell(tern_context *context, const tern_call *call, bool begins) {
    if (context->nvtx) nvtx_call(context->nvtx, call, begins);
    if (context->observer) context->observer(context->observer_user, call, begins);
}

void observe(tern_context *context, tern_call_kind kind, const char *name, tern_stream *stream,
             size_t bytes, bool waits, bool begins) {
    if (!is_observed(context)) return;
    tern_call call = {.kind = kind, .name = name, .stream = stream, .bytes = bytes, .waits = waits};
    tell(context, &call, begins);
}

void observe_launch(const tern_kernel *kernel, tern_stream *stream, const uint32_t grid[3],
                    const tern_argument *arguments, int num_arguments, bool begins) {
    tern_context *context = kernel->own.context;
    tern_call call = {.kind = TERN_CALL_LAUNCH,
                      .name = kernel->name,
                      .stream = stream,
                      .grid = {grid[0], grid[1], grid[2]},
                      .waits = context->device.ops->on_host,
                      .kernel = kernel,
                      .arguments = arguments,
                      .num_arguments = num_arguments};
    tell(context, &call, begins);
}

void tern_op_push(tern_context *context, const char *name, const tern_input *inputs,
                  int num_inputs) {
    if (!is_observed(context)) return;
    tern_call call = {.kind = TERN_CALL_OP,
                      .name = name,
                      .waits = true,
                      .inputs = inputs,
                      .num_inputs = num_inputs};
    tell(context, &call, true);
}

static const tern_call range_end = {.kind = TERN_CALL_RANGE, .waits = true};

/* Ranges are many, and what makes all of a call each time takes nanoseconds: the context has one,
 * of which the name alone differs. */
void tern_range_push(tern_context *context, const char *name) {
    if (!is_observed(context)) return;
    context->range.name = name;
    tell(context, &context->range, true);
    __asm__ volatile(""); /* no jump to who watches: this function is where its caller's begin */
}

void tern_range_pop(tern_context *context) {
    if (is_observed(context)) tell(context, &range_end, false);
}
