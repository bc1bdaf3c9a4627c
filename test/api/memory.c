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

static tern_status work(void) {
    static float x[64];
    static int32_t lock;
    tern_status status = TERN_OK;
    lock = 0;
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, &status, NULL, 0);
    if (!context) return status;
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "softmax.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "softmax", "*fp32,*i32,i32,64", NULL) : NULL;
    tern_buffer *bx = kernel ? tern_wrap(context, x, sizeof x) : NULL;
    tern_buffer *by = bx ? tern_wrap(context, &lock, sizeof lock) : NULL;
    if (!by)
        status = strstr(tern_message(context), "out of host memory") ? TERN_ERROR_NO_MEMORY
                                                                     : TERN_ERROR_SYSTEM;
    if (by) {
        tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_int(50)};
        status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 3);
    }
    if (status && status != TERN_ERROR_NO_MEMORY) printf("%s\n", tern_message(context));
    tern_free(tern_take_output(context));
    tern_close(context);
    return status;
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
