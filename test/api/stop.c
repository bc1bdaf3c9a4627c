// SPDX-License-Identifier: Apache-2.0
/* A launch that would never end is stopped by tern_interrupt, from another thread or a signal's
 * handler, and by its time limit, or by both; the next launch is another one. A watched launch
 * lists what it saw, and a false device_assert says where, on cpu as on interp. */
#include "api/context.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def forever(x, n):\n"
                             "    i = n\n"
                             "    while i >= 0:\n"
                             "        i = (i + 1) & 1048575\n"
                             "    tl.store(x, i)\n"
                             "@triton.jit\n"
                             "def small(x, B: tl.constexpr):\n"
                             "    r = tl.arange(0, 8)[:, None]\n"
                             "    c = tl.arange(0, B)[None, :]\n"
                             "    i = tl.program_id(0) * 8 * B + r * B + c\n"
                             "    tl.device_assert(tl.load(x + i) < 1000, 'too large')\n"
                             "@triton.jit\n"
                             "def stubborn(x, n, turns):\n"
                             "    i = n\n"
                             "    for k in range(turns):\n"
                             "        i = i * 1664525 + k\n"
                             "    while i >= -2147483648:\n"
                             "        i = i + 1\n"
                             "    tl.store(x, i)\n";

typedef struct Fixture {
    tern_context *context;
    tern_module *module;
    tern_kernel *forever;
    tern_buffer *x;
} Fixture;

static bool open_on(Fixture *f, const char *device, int timeout_ms, bool watch) {
    *f = (Fixture){0};
    f->context =
        tern_open(&(tern_open_options){.device = device, .timeout_ms = timeout_ms, .watch = watch},
                  NULL, NULL, 0);
    if (!f->context) return false;
    f->module = tern_load_text(f->context, source, sizeof source - 1, "stop.py");
    f->forever = tern_compile(f->module, "forever", "*i32,i32", NULL);
    f->x = tern_alloc(f->context, 1 << 16);
    tern_fill(f->x, 0);
    CHECK(f->forever && f->x);
    return true;
}

static tern_status run_from(const Fixture *f, int64_t start) {
    tern_argument arguments[] = {tern_arg_buffer(f->x), tern_arg_int(start)};
    return tern_launch(NULL, f->forever, (uint32_t[]){3, 1, 1}, arguments, 2);
}

static const char *const devices[] = {"cpu", "interp"};

static void *interrupt_soon(void *user) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    tern_interrupt(user);
    return NULL;
}

TEST(another_thread_stops_a_launch) {
    for (int i = 0; i < 2; i++) {
        Fixture f;
        pthread_t thread;
        if (!open_on(&f, devices[i], 0, false)) continue;
        pthread_create(&thread, NULL, interrupt_soon, f.context);
        CHECK(run_from(&f, 0) == TERN_ERROR_KERNEL);
        CHECK(strstr(tern_message(f.context), "the launch was interrupted"));
        pthread_join(thread, NULL);
        CHECK(run_from(&f, -5) == TERN_OK); /* the next one is not */
        tern_close(f.context);
    }
}

static tern_context *in_handler;
static void on_alarm(int number) {
    (void)number;
    tern_interrupt(in_handler);
}

TEST(a_signal_stops_a_launch) {
    Fixture f;
    if (!open_on(&f, "cpu", 0, false)) {
        SKIP("no C compiler");
        return;
    }
    in_handler = f.context;
    signal(SIGALRM, on_alarm);
    alarm(1);
    CHECK(run_from(&f, 0) == TERN_ERROR_KERNEL);
    signal(SIGALRM, SIG_DFL);
    tern_close(f.context);
}

TEST(a_time_limit_stops_a_launch) {
    for (int i = 0; i < 2; i++) {
        Fixture f;
        if (!open_on(&f, devices[i], 50, false)) continue;
        CHECK(run_from(&f, 0) == TERN_ERROR_KERNEL);
        CHECK(strstr(tern_message(f.context), "longer than its time limit"));
        CHECK(run_from(&f, -5) == TERN_OK);
        tern_close(f.context);
    }
}

typedef struct Late {
    tern_context *context;
    _Atomic bool has_ended, in_time;
} Late;

static void *interrupt_when_late(void *user) {
    Late *late = user;
    while (!(late->context->device.stop & STOP_LATE) && !late->has_ended) {
    }
    tern_interrupt(late->context);
    late->in_time = !late->has_ended;
    return NULL;
}

/* The kernel asks whether it is to end only behind its `for`, which takes a tenth of a second.
 * Where this thread and the other are kept from running all that time, it is tried again. */
TEST(a_late_launch_is_interrupted_too) {
    Fixture f;
    if (!open_on(&f, "cpu", 1, false)) {
        SKIP("no C compiler");
        return;
    }
    tern_kernel *stubborn = tern_compile(f.module, "stubborn", "*i32,i32,i32", NULL);
    CHECK(stubborn);
    Late late = {.context = f.context};
    for (int tries = 0; tries < 9 && stubborn && !late.in_time; tries++) {
        tern_argument arguments[] = {tern_arg_buffer(f.x), tern_arg_int(1),
                                     tern_arg_int(100000000)};
        pthread_t thread;
        late.has_ended = false;
        pthread_create(&thread, NULL, interrupt_when_late, &late);
        tern_status status = tern_launch(NULL, stubborn, (uint32_t[]){1, 1, 1}, arguments, 3);
        late.has_ended = true;
        pthread_join(thread, NULL);
        CHECK(status == TERN_ERROR_KERNEL);
        if (!late.in_time) continue;
        CHECK(strstr(tern_message(f.context), "longer than its time limit and was interrupted"));
        CHECK(f.context->device.stop == STOP_ASKED);
    }
    tern_close(f.context);
}

TEST(a_false_assert_says_where) {
    for (int i = 0; i < 2; i++) {
        Fixture f;
        int bad = 8 * 32 + 3 * 32 + 21, value = 1000;
        if (!open_on(&f, devices[i], 0, false)) continue;
        tern_kernel *small =
            tern_compile(f.module, "small", "*i32,32", &(tern_options){.debug = true});
        tern_argument x = tern_arg_buffer(f.x);
        CHECK(tern_launch(NULL, small, (uint32_t[]){2, 1, 1}, &x, 1) == TERN_OK);
        tern_write(f.x, (size_t)bad * 4, &value, 4);
        CHECK(tern_launch(NULL, small, (uint32_t[]){2, 1, 1}, &x, 1) == TERN_ERROR_KERNEL);
        const char *words = tern_message(f.context);
        CHECK(strstr(words, "stop.py:14:5: error: assertion failed: too large"));
        CHECK(strstr(words, "program (1, 0, 0) of a grid of (2, 1, 1), lane [3, 21]"));
        tern_close(f.context);
    }
}

TEST(a_watched_launch_lists_what_it_saw) {
    Fixture f;
    int count = 7;
    CHECK(open_on(&f, "interp", 0, true));
    tern_kernel *small = tern_compile(f.module, "small", "*i32,32", &(tern_options){.debug = true});
    tern_argument x = {.kind = TERN_ARGUMENT_BUFFER, .buffer = f.x, .offset = (1 << 16) - 4};
    CHECK(!tern_kernel_findings(small, &count) && count == 0);
    CHECK(tern_launch(NULL, small, (uint32_t[]){1, 1, 1}, &x, 1) == TERN_ERROR_KERNEL);
    const tern_finding *found = tern_kernel_findings(small, &count);
    CHECK(count == 1 && found && found->kind == TERN_FOUND_OUTSIDE && found->line == 14);
    CHECK(found && strstr(found->where, "lane [0, 1]") && !strcmp(found->file, "stop.py"));
    CHECK_STR(tern_finding_name(TERN_FOUND_OUTSIDE), "out-of-bounds");
    CHECK(!tern_finding_name(TERN_NUM_FINDING_KINDS));
    tern_close(f.context);
}

TEST_MAIN()
