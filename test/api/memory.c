// SPDX-License-Identifier: Apache-2.0
/* Every allocation of the library fails in turn: open, load, compile, launch and close then report
 * TERN_ERROR_NO_MEMORY, crash nothing and leak nothing. */
#include "allocations.h"
#include "tern.h"
#include "test.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def softmax(x, y, n, BLOCK: tl.constexpr):\n"
                             "    i = tl.arange(0, BLOCK)\n"
                             "    v = tl.load(x + i, mask=i < n, other=-float('inf'))\n"
                             "    e = tl.exp(v - tl.max(v, axis=0))\n"
                             "    s = 0\n"
                             "    while tl.atomic_cas(y, 0, 1) == 1:\n"
                             "        s += 1\n"
                             "    tl.device_print('s', s)\n"
                             "    tl.store(x + i, e / tl.sum(e, axis=0), mask=i < n)\n";

static const char plain[] = "import triton\n"
                            "import triton.language as tl\n"
                            "N: tl.constexpr = 4\n"
                            "@triton.autotune(configs=[triton.Config({'K': 2})], key=[])\n"
                            "@triton.heuristics({'M': lambda a: a['K'] + 1})\n"
                            "@triton.jit\n"
                            "def add(x, K: tl.constexpr, M: tl.constexpr):\n"
                            "    i = tl.arange(0, 16)\n"
                            "    tl.store(x + i, tl.load(x + i) + K + M + N)\n";

/* What a call that gave nothing came to: it says so. */
static tern_status failed(const tern_context *context) {
    tern_status status = tern_message_status(context);
    return status ? status : TERN_ERROR_SYSTEM;
}

static tern_status launch_softmax(tern_context *context) {
    static float x[64];
    static int32_t lock;
    lock = 0;
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "softmax.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "softmax", "*fp32,*i32,i32,64", NULL) : NULL;
    tern_buffer *bx = kernel ? tern_wrap(context, x, sizeof x) : NULL;
    tern_buffer *by = bx ? tern_wrap(context, &lock, sizeof lock) : NULL;
    if (!by) return failed(context);
    tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_int(50)};
    return tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 3);
}

/* What can be asked of a module and of a kernel. */
static tern_status ask(tern_context *context) {
    tern_module *module = tern_load_text(context, plain, sizeof plain - 1, "plain.py");
    if (!module) return failed(context);
    const tern_value known = {"K", "2"}, *values;
    const tern_config *configs;
    tern_status status = tern_module_set_global(module, "N", "5");
    if (!status && !tern_module_ast(module, "add")) status = failed(context);
    if (!status && tern_module_configs(module, "add", &configs) != 1) status = failed(context);
    if (!status && tern_module_heuristics(module, "add", &known, 1, &values) != 1)
        status = failed(context);
    tern_kernel *kernel =
        status ? NULL : tern_compile(module, "add", "*fp32", &(tern_options){.config = 1});
    tern_module_free(module);
    if (!kernel) return failed(context);
    static const tern_stage stages[] = {TERN_STAGE_IR, TERN_STAGE_AST, TERN_STAGE_FACTS,
                                        TERN_STAGE_CONFIGS};
    for (int i = 0; i < 4 && !status; i++)
        if (!tern_kernel_text(kernel, stages[i])) status = failed(context);
    tern_work count;
    tern_buffer *buffer = tern_alloc(context, 64);
    tern_argument argument = tern_arg_buffer(buffer);
    if (!buffer) return failed(context);
    for (int round = 0; round < 2 && !status; round++) /* what was freed is not freed again */
        status = tern_kernel_work(kernel, (uint32_t[]){1, 1, 1}, &argument, 1, &count);
    tern_buffer_free(buffer);
    return status;
}

static tern_status read_and_write(tern_context *context) {
    char path[] = "/tmp/tern-memory-XXXXXX";
    float values[4] = {1, 2, 3, 4};
    tern_array array = {.dtype = TERN_FLOAT32,
                        .rank = 1,
                        .shape = {4},
                        .size_bytes = sizeof values,
                        .data = values},
               back = {0};
    int file = mkstemp(path);
    tern_status status = tern_npy_write(context, path, &array);
    for (int round = 0; round < 2 && !status; round++) {
        status = tern_npy_read(context, path, &back);
        tern_free(back.data);
    }
    close(file);
    unlink(path);
    return status;
}

static tern_status make_handles(tern_context *context) {
    tern_stream *stream = tern_stream_create(context);
    tern_event *event = stream ? tern_event_create(context) : NULL;
    if (!event) return failed(context);
    tern_status status = tern_event_record(event, stream);
    if (!status) status = tern_event_synchronize(event);
    return status;
}

static tern_status work(void) {
    tern_status status = TERN_OK;
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, &status, NULL, 0);
    if (!context) return status;
    status = launch_softmax(context);
    if (!status) status = ask(context);
    if (!status) status = read_and_write(context);
    if (!status) status = make_handles(context);
    if (status && status != TERN_ERROR_NO_MEMORY) printf("%s\n", tern_message(context));
    tern_free(tern_take_output(context));
    tern_close(context);
    return status;
}

TEST(a_module_that_is_freed_is_gone) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    for (int i = 0; i < 3; i++) {
        tern_module *module = tern_load_text(context, plain, sizeof plain - 1, "plain.py");
        tern_module_free(module);
        allocations_counted = true; /* from the second on */
        CHECK(module && allocations_live == 0);
    }
    tern_close(context);
    allocations_counted = false, allocations_live = 0;
}

TEST(every_allocation_fails_in_turn) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    allocations_counted = true;
    CHECK(work() == TERN_OK);
    long leaked = allocations_live;
    tern_status status = TERN_OK;
    long attempt = 0;
    bool failed = true;
    for (; failed && attempt < 5000; attempt++) {
        allocations_live = 0;
        allocations_until_failure = attempt;
        allocations_failed = false;
        status = work();
        failed = allocations_failed;
        allocations_until_failure = -1;
        /* Output that could not be kept is dropped, and the rest goes on: that is no failure. */
        if (status != TERN_OK && status != TERN_ERROR_NO_MEMORY) {
            printf("allocation %ld: %s\n", attempt, tern_status_name(status));
            CHECK(status == TERN_ERROR_NO_MEMORY);
        }
        if (allocations_live != leaked)
            printf("allocation %ld: %ld are not freed\n", attempt, allocations_live);
        CHECK(allocations_live == leaked);
    }
    allocations_counted = false;
    CHECK(leaked == 0);
    CHECK(attempt > 20 && !failed && status == TERN_OK);
    printf("%ld allocations\n", attempt);
}

TEST_MAIN()
