// SPDX-License-Identifier: Apache-2.0
/* Streams, events and graphs through tern.h: on interp, where work is done inside each call, and on
 * the NVIDIA device over the mock driver. What one allows the other must, graphs apart. */
#include "test.h"

#include "mock/control.h"
#include "tern.h"

#include <time.h>

static const char *const devices[] = {"interp", "cuda"};

static tern_context *open_context(const char *device) {
    char words[512];
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    mock()->reset();
    tern_context *context = tern_open(&(tern_open_options){.device = device, .cache_dir = ""}, NULL,
                                      words, sizeof words);
    if (!context) printf("%s: %s\n", device, words);
    CHECK(context != NULL);
    return context;
}

TEST(copies_on_a_stream) {
    for (int d = 0; d < 2; d++) {
        tern_context *context = open_context(devices[d]);
        if (!context) continue;
        char in[256], out[256] = {0};
        for (int i = 0; i < 256; i++) in[i] = (char)i;
        tern_stream *stream = tern_stream_create(context);
        tern_buffer *buffer = tern_alloc(context, sizeof in), *empty = tern_alloc(context, 0);
        CHECK(stream && buffer && empty);
        CHECK((tern_stream_handle(stream) != NULL) == (d == 1));
        CHECK(tern_fill_async(stream, buffer, 0x11) == TERN_OK);
        CHECK(tern_write_async(stream, buffer, 16, in, 100) == TERN_OK);
        CHECK(tern_read_async(stream, buffer, 8, out, 200) == TERN_OK);
        CHECK(tern_stream_synchronize(stream) == TERN_OK);
        CHECK(out[0] == 0x11 && out[8] == 0 && memcmp(out + 8, in, 100) == 0 && out[108] == 0x11);
        CHECK(tern_fill_async(NULL, empty, 1) == TERN_OK);
        CHECK(tern_write_async(stream, buffer, 200, in, 57) == TERN_ERROR_ARGUMENT);
        CHECK_STR(tern_message(context),
                  "57 bytes from byte 200 on are not inside a buffer of 256 bytes");
        CHECK(tern_read_async(stream, buffer, SIZE_MAX, out, 2) == TERN_ERROR_ARGUMENT);
        CHECK(tern_read_async(stream, buffer, 2, out, SIZE_MAX) == TERN_ERROR_ARGUMENT);
        tern_stream_free(stream);
        tern_stream_free(NULL);
        tern_close(context);
        CHECK(mock()->live() == 0);
    }
}

/* Everything is left open, a gate shut, a module freed before its kernel; closing leaves nothing.
 */
TEST(closing_a_context_closes_all_that_it_made) {
    static const char text[] = "import triton\n\n\n@triton.jit\ndef k_nothing(x):\n    pass\n";
    for (int d = 0; d < 2; d++) {
        tern_context *context = open_context(devices[d]);
        if (!context) continue;
        tern_stream *first = tern_stream_create(context), *gone = tern_stream_create(context);
        tern_module *kept = tern_load_text(context, text, sizeof text - 1, "a.py");
        tern_module *freed = tern_load_text(context, text, sizeof text - 1, "b.py");
        CHECK(first && gone && kept && freed && tern_event_create(context));
        CHECK(tern_compile(kept, "k_nothing", "*fp32", NULL));
        CHECK(tern_compile(freed, "k_nothing", "*fp32", NULL));
        tern_kernel *closed = tern_compile(freed, "k_nothing", "*fp16", NULL);
        CHECK(closed && tern_alloc(context, 100) && tern_stream_create(context));
        tern_module_free(freed);
        tern_kernel_free(closed);
        tern_stream_free(gone);
        if (d == 1) {
            tern_gate *gate = tern_gate_create(context);
            CHECK(gate && tern_gate_close(gate, NULL) == TERN_OK);
            CHECK(tern_graph_begin(first) == TERN_OK && tern_graph_end(first));
            CHECK(tern_gate_create(context) && tern_event_create(context));
        }
        tern_close(context);
        CHECK(mock()->live() == 0);
    }
}

TEST(streams_of_another_context_are_refused) {
    for (int d = 0; d < 2; d++) {
        tern_context *context = open_context(devices[d]);
        tern_context *other = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
        if (!context || !other) continue;
        char byte = 0;
        tern_stream *stream = tern_stream_create(other);
        tern_buffer *buffer = tern_alloc(context, 1);
        tern_event *event = tern_event_create(context);
        const tern_status statuses[] = {
            tern_write_async(stream, buffer, 0, &byte, 1),
            tern_read_async(stream, buffer, 0, &byte, 1), tern_fill_async(stream, buffer, 0),
            tern_event_record(event, stream), tern_stream_wait(stream, event)};
        for (int i = 0; i < 5; i++) CHECK(statuses[i] == TERN_ERROR_ARGUMENT);
        CHECK_STR(tern_message(context), "the stream belongs to another context");
        tern_close(other);
        tern_close(context);
    }
}

TEST(events_measure_and_order) {
    for (int d = 0; d < 2; d++) {
        tern_context *context = open_context(devices[d]), *other = NULL;
        if (!context) continue;
        tern_stream *stream = tern_stream_create(context);
        tern_event *start = tern_event_create(context), *end = tern_event_create(context);
        double ns = -1;
        CHECK(tern_event_elapsed(start, end, &ns) == TERN_ERROR_ARGUMENT && ns == 0);
        CHECK_STR(tern_message(context), "the event was never recorded");
        CHECK(tern_event_synchronize(start) == TERN_ERROR_ARGUMENT);
        CHECK(tern_stream_wait(stream, start) == TERN_ERROR_ARGUMENT);
        CHECK(tern_event_record(start, stream) == TERN_OK);
        nanosleep(&(struct timespec){0, 3000000}, NULL);
        CHECK(tern_event_record(end, NULL) == TERN_OK);
        CHECK(tern_stream_wait(stream, end) == TERN_OK && tern_event_synchronize(end) == TERN_OK);
        CHECK(tern_event_elapsed(start, end, &ns) == TERN_OK && ns >= 2.9e6 && ns < 5e9);
        other = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
        tern_stream *foreign = tern_stream_create(other);
        CHECK(tern_event_record(start, foreign) == TERN_ERROR_ARGUMENT);
        CHECK_STR(tern_message(context), "the stream belongs to another context");
        tern_close(other);
        tern_event_free(end);
        tern_event_free(NULL);
        tern_close(context); /* frees the rest */
        CHECK(mock()->live() == 0);
    }
}

TEST(graphs_and_wrapped_streams_only_where_they_are) {
    tern_context *context = open_context("interp");
    tern_stream *stream = tern_stream_create(context);
    CHECK(tern_graph_begin(stream) == TERN_ERROR_UNSUPPORTED);
    CHECK_STR(tern_message(context), "device interp has no graphs");
    CHECK(tern_graph_end(stream) == NULL && tern_stream_wrap(context, NULL) == NULL);
    tern_close(context);
    context = open_context("cuda");
    stream = tern_stream_create(context);
    tern_stream *wrapped = tern_stream_wrap(context, tern_stream_handle(stream));
    CHECK(wrapped && tern_stream_handle(wrapped) == tern_stream_handle(stream));
    tern_stream_free(wrapped); /* the stream stays its owner's */
    CHECK(tern_graph_begin(stream) == TERN_OK);
    tern_graph *graph = tern_graph_end(stream);
    CHECK(graph && tern_graph_launch(graph, stream) == TERN_OK &&
          tern_graph_launch(graph, NULL) == TERN_OK);
    tern_graph_free(NULL);
    tern_close(context);
    CHECK(mock()->live() == 0);
}

TEST(failures_of_the_driver_reach_the_message) {
    for (int call = 1; call < 200; call++) {
        tern_context *context = open_context("cuda");
        mock()->fail(call, 999);
        tern_stream *stream = tern_stream_create(context);
        tern_event *event = stream ? tern_event_create(context) : NULL;
        tern_buffer *buffer = event ? tern_alloc(context, 100) : NULL;
        tern_graph *graph = NULL;
        tern_status status = buffer ? tern_fill_async(stream, buffer, 1) : TERN_ERROR_DEVICE;
        if (!status) status = tern_event_record(event, stream);
        if (!status) status = tern_graph_begin(stream);
        if (!status) graph = tern_graph_end(stream);
        if (!status && !graph) status = TERN_ERROR_DEVICE;
        if (!status) status = tern_graph_launch(graph, stream);
        if (!status) status = tern_stream_synchronize(stream);
        const char *failed = mock()->failed_call();
        if (status)
            CHECK(strstr(tern_message(context), "CUDA_ERROR_UNKNOWN: unknown error") != NULL);
        tern_close(context);
        CHECK(mock()->live() == 0);
        if (failed) continue;
        CHECK(status == TERN_OK && call > 10);
        break;
    }
}

/* ---- compiled kernels: what tern_launch was given is what the driver gets ---- */

static const char record_text[] =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def values_record(p, q, n, m, x, flag, BLOCK: tl.constexpr):\n    pass\n";

static tern_kernel *record_kernel(tern_context *context) {
    tern_module *module = tern_load_text(context, record_text, strlen(record_text), "record.py");
    return module ? tern_compile(module, "values_record", "*fp32:16,*fp16,i32,i64,fp32,i1,64",
                                 &(tern_options){.num_warps = 8})
                  : NULL;
}

static tern_status launch_record(tern_stream *stream, tern_kernel *kernel, tern_buffer *p,
                                 tern_buffer *q) {
    const tern_argument arguments[] = {tern_arg_buffer(p), {TERN_ARGUMENT_BUFFER, q, 6, 0, 0, NULL},
                                       tern_arg_int(-5),   tern_arg_int(INT64_MIN + 1),
                                       tern_arg_float(-2), tern_arg_int(1)};
    return tern_launch(stream, kernel, (const uint32_t[3]){7, 2, 3}, arguments, 6);
}

TEST(launch_reaches_the_driver) {
    MockRecord got;
    tern_context *context = open_context("cuda");
    tern_kernel *kernel = record_kernel(context);
    tern_buffer *p = tern_alloc(context, sizeof got), *q = tern_alloc(context, 100);
    tern_stream *stream = tern_stream_create(context);
    CHECK(kernel && p && q && stream);
    if (!kernel) printf("%s\n", tern_message(context));
    if (kernel) {
        CHECK(tern_fill(p, 0) == TERN_OK);
        CHECK(launch_record(NULL, kernel, p, q) == TERN_OK);
        CHECK(tern_graph_begin(stream) == TERN_OK &&
              launch_record(stream, kernel, p, q) == TERN_OK);
        tern_graph *graph = tern_graph_end(stream);
        CHECK(graph && tern_graph_launch(graph, stream) == TERN_OK);
        CHECK(tern_read(p, 0, &got, sizeof got) == TERN_OK);
        CHECK(got.launches == 2 && got.grid[0] == 7 && got.grid[1] == 2 && got.grid[2] == 3);
        CHECK(got.block == 256 && got.num_params == 6);
        CHECK(got.params[0] == (uintptr_t)tern_buffer_pointer(p));
        CHECK(got.params[1] == (uintptr_t)tern_buffer_pointer(q) + 6);
        CHECK(got.params[2] == (uint32_t)-5 && got.params[3] == (uint64_t)(INT64_MIN + 1));
        CHECK(got.params[4] == 0xc0000000 && got.params[5] == 1); /* -2.0f, true */
    }
    tern_close(context);
    CHECK(mock()->live() == 0);
}

TEST(compile_and_launch_with_each_call_failing) {
    for (int call = 1; call < 200; call++) {
        char words[1024];
        setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
        mock()->reset();
        mock()->fail(call, 999);
        tern_status status = TERN_OK;
        tern_context *context = tern_open(&(tern_open_options){.device = "cuda", .cache_dir = ""},
                                          &status, words, sizeof words);
        tern_kernel *kernel = context ? record_kernel(context) : NULL;
        tern_buffer *p = kernel ? tern_alloc(context, sizeof(MockRecord)) : NULL;
        if (context) status = p ? TERN_OK : TERN_ERROR_DEVICE;
        if (!status) status = launch_record(NULL, kernel, p, p);
        if (!status) status = tern_synchronize(context);
        const char *why = context ? tern_message(context) : words;
        const char *failed = mock()->failed_call();
        if (status && !strstr(why, "CUDA_ERROR_UNKNOWN: unknown error")) {
            printf("call %d, %s: %s\n", call, failed ? failed : "none failed", why);
            CHECK(!"the driver's words are in the message");
        }
        tern_close(context);
        CHECK(mock()->live() == 0);
        if (failed) continue;
        CHECK(status == TERN_OK && call > 15);
        break;
    }
}

TEST(all_devices_are_listed) {
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    mock()->reset();
    mock()->set_devices(3);
    char *text = tern_devices(false), *json = tern_devices(true);
    CHECK(strstr(text, "\ncuda:0   here     Mock GPU 0, ") &&
          strstr(text, "\ncuda:2   here     Mock GPU 2, "));
    CHECK(strstr(text, "cuda:3") == NULL);
    CHECK(strstr(json,
                 "{\"name\": \"cuda:1\", \"available\": true, \"description\": \"Mock GPU 1, "));
    tern_free(text);
    tern_free(json);
    mock()->set_devices(0);
    text = tern_devices(false);
    CHECK(strstr(
        text,
        "\ncuda     missing  there is no NVIDIA GPU here (needs an NVIDIA GPU and its driver"));
    CHECK(strstr(text, "cuda:1") == NULL);
    tern_free(text);
    CHECK(mock()->live() == 0);
}

TEST_MAIN()
