// SPDX-License-Identifier: Apache-2.0
/* What who watches a context hears of each call: its kind, name, stream, bytes, whether it waits,
 * when it begins and ends. On interp, where all calls do their work, and on the NVIDIA device over
 * the mock driver, where launches and copies on a stream do not wait. */
#include "unit/cuda_mock.h"

#include "tern.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def put_values(y, n):\n"
                             "    tl.store(y, n)\n";

typedef struct Heard {
    const tern_stream *stream;
    char words[4096];
    size_t length;
} Heard;

static const char *const kinds[] = {
    [TERN_CALL_RANGE] = "range", [TERN_CALL_LAUNCH] = "launch",   [TERN_CALL_GRAPH] = "graph",
    [TERN_CALL_WRITE] = "write", [TERN_CALL_READ] = "read",       [TERN_CALL_FILL] = "fill",
    [TERN_CALL_WAIT] = "wait",   [TERN_CALL_COMPILE] = "compile", [TERN_CALL_OP] = "op"};

static void hear(void *user, const tern_call *call, bool begins) {
    Heard *heard = user;
    char grid[64] = "", sizes[64] = "";
    for (int i = 0; i < call->num_inputs; i++)
        for (int k = 0; k < call->inputs[i].rank; k++)
            snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " [%lld]",
                     (long long)call->inputs[i].sizes[k]);
    if (call->grid[0])
        snprintf(grid, sizeof grid, ", grid %u %u %u", call->grid[0], call->grid[1], call->grid[2]);
    heard->length +=
        (size_t)snprintf(heard->words + heard->length, sizeof heard->words - heard->length,
                         "%s %s %s%s, %zu%s%s%s\n", begins ? "begin" : "end", kinds[call->kind],
                         call->name ? call->name : "-", sizes, call->bytes,
                         call->stream == heard->stream ? ", own stream"
                         : call->stream                ? ", WRONG STREAM"
                                                       : "",
                         call->waits ? ", waits" : "", grid);
}

/* Both lines of a call. */
static void check_heard(Heard *heard, const char *line) {
    char want[400];
    snprintf(want, sizeof want, "begin %s\nend %s\n", line, line);
    CHECK_STR(heard->words, want);
    heard->length = 0, heard->words[0] = 0;
}

#define HEARD(call, line)                                                                          \
    do {                                                                                           \
        CHECK((call) == TERN_OK);                                                                  \
        check_heard(&heard, line);                                                                 \
    } while (0)

static tern_context *open_on(const char *device) {
    fresh();
    tern_context *context =
        tern_open(&(tern_open_options){.device = device, .cache_dir = ""}, NULL, NULL, 0);
    CHECK(context != NULL);
    return context;
}

static tern_kernel *compiled(tern_context *context) {
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "put.py");
    tern_kernel *kernel = module ? tern_compile(module, "put_values", "*i32,i32", NULL) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel != NULL);
    tern_module_free(module);
    return kernel;
}

TEST(each_call_is_heard_twice) {
    for (int d = 0; d < 2; d++) {
        const char *own = d ? ", own stream" : ", own stream, waits";
        char line[200], bytes[60] = {0};
        static Heard heard;
        tern_context *context = open_on(d ? "cuda" : "interp");
        if (!context) continue;
        tern_stream *stream = tern_stream_create(context);
        tern_event *event = tern_event_create(context);
        tern_buffer *buffer = tern_alloc(context, 100);
        heard = (Heard){.stream = stream};
        CHECK(tern_observe(context, hear, &heard));
        CHECK(!tern_observe(context, hear, NULL)); /* there is one already */
        tern_kernel *kernel = compiled(context);
        check_heard(&heard, "compile tern_compile, 0, waits");
        HEARD(tern_write(buffer, 3, bytes, 50), "write tern_write, 50, waits");
        HEARD(tern_read(buffer, 3, bytes, 51), "read tern_read, 51, waits");
        HEARD(tern_fill(buffer, 3), "fill tern_fill, 100, waits");
        snprintf(line, sizeof line, "write tern_write_async, 52%s", own);
        HEARD(tern_write_async(stream, buffer, 4, bytes, 52), line);
        snprintf(line, sizeof line, "read tern_read_async, 53%s", own);
        HEARD(tern_read_async(stream, buffer, 4, bytes, 53), line);
        snprintf(line, sizeof line, "fill tern_fill_async, 100%s", own);
        HEARD(tern_fill_async(stream, buffer, 4), line);
        const tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_int(7)};
        snprintf(line, sizeof line, "launch put_values, 0%s, grid 2 3 4", own);
        HEARD(tern_launch(stream, kernel, (uint32_t[]){2, 3, 4}, arguments, 2), line);
        HEARD(tern_synchronize(context), "wait tern_synchronize, 0, waits");
        HEARD(tern_stream_synchronize(stream),
              "wait tern_stream_synchronize, 0, own stream, waits");
        CHECK(tern_event_record(event, stream) == TERN_OK);
        HEARD(tern_event_synchronize(event), "wait tern_event_synchronize, 0, waits");
        tern_range_push(context, "mine");
        tern_range_pop(context);
        CHECK_STR(heard.words, "begin range mine, 0, waits\nend range -, 0, waits\n");
        heard.length = 0, heard.words[0] = 0;
        tern_op_push(context, "add", &(tern_input){1, (int64_t[]){7}}, 1);
        tern_range_pop(context);
        CHECK_STR(heard.words, "begin op add [7], 0, waits\nend range -, 0, waits\n");
        heard.length = 0, heard.words[0] = 0;
        if (d) {
            CHECK(tern_graph_begin(stream) == TERN_OK);
            tern_graph *graph = tern_graph_end(stream);
            CHECK(graph && heard.length == 0);
            HEARD(tern_graph_launch(graph, stream), "graph tern_graph_launch, 0, own stream");
        }
        /* What fails is heard, too. */
        CHECK(tern_write(buffer, 99, bytes, 2) == TERN_ERROR_ARGUMENT);
        check_heard(&heard, "write tern_write, 2, waits");
        CHECK(tern_observe(context, NULL, NULL));
        CHECK(tern_synchronize(context) == TERN_OK && heard.length == 0);
        CHECK(tern_observe(context, hear, &heard) && tern_observe(context, NULL, NULL));
        tern_close(context);
        CHECK(mock()->live() == 0);
    }
}

TEST_MAIN()
