// SPDX-License-Identifier: Apache-2.0
/* graph: launches that were recorded on a stream, to be launched again as one. */
#include "api/context.h"

#include <stdlib.h>

struct tern_graph {
    Handle own;
    void *driver; /* the device's */
};

static void graph_close(Handle *own) {
    tern_graph *graph = (tern_graph *)own;
    Device *device = &own->context->device;
    device->ops->graph_close(device, graph->driver);
    free(graph);
}

tern_status tern_graph_begin(tern_stream *stream) {
    tern_context *context = stream->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    if (!device->ops->graph_begin) return context_lacks(context, "graphs");
    return context_checked(context, device->ops->graph_begin(device, stream->queue));
}

tern_graph *tern_graph_end(tern_stream *stream) {
    tern_context *context = stream->own.context;
    Device *device = &context->device;
    void *driver = NULL;
    if (setjmp(context->oom)) return (void)context_no_memory(context), NULL;
    if (!device->ops->graph_end) return (void)context_lacks(context, "graphs"), NULL;
    if (context_checked(context, device->ops->graph_end(device, stream->queue, &driver)))
        return NULL;
    tern_graph *graph = handle_new(context, sizeof *graph, graph_close);
    if (graph)
        graph->driver = driver;
    else
        device->ops->graph_close(device, driver);
    return graph;
}

static tern_status launch_graph(tern_graph *graph, tern_stream *stream) {
    tern_context *context = graph->own.context;
    Device *device = &context->device;
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = stream_check(stream, context);
    if (status) return status;
    return context_checked(context,
                           device->ops->graph_launch(device, graph->driver, stream_queue(stream)));
}

tern_status tern_graph_launch(tern_graph *graph, tern_stream *stream) {
    observe(graph->own.context, TERN_CALL_GRAPH, "tern_graph_launch", stream, 0, false, true);
    tern_status status = launch_graph(graph, stream);
    observe(graph->own.context, TERN_CALL_GRAPH, "tern_graph_launch", stream, 0, false, false);
    return status;
}

void tern_graph_free(tern_graph *graph) {
    if (graph) handle_close(&graph->own);
}
