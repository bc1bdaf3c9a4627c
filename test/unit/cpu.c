// SPDX-License-Identifier: Apache-2.0
/* The cpu device: its pool, programs that wait for each other, what it says when it
 * cannot run. */
#include "api/context.h"
#include "device/cpu/cpu.h"
#include "test.h"

#include <stdatomic.h>
#include <unistd.h>

static char words[4096];

static tern_context *opened(const char *device, const char *cache_dir, const char *compiler) {
    tern_status status;
    tern_context *context = tern_open(
        &(tern_open_options){
            .device = device, .cache_dir = cache_dir, .compiler = compiler, .num_threads = 2},
        &status, words, sizeof words);
    return context;
}

static void count_work(void *user, int worker, int64_t lo, int64_t hi) {
    _Atomic int *seen = user;
    (void)worker;
    for (int64_t i = lo; i < hi; i++) atomic_fetch_add(&seen[i], 1);
}

TEST(pool_runs_each_program_once) {
    static _Atomic int seen[1000];
    Pool *pool = pool_open(3);
    CHECK(pool);
    for (int round = 1; round <= 300; round++) {
        int count = round % 2 ? 1000 : 1 + round % 50;
        for (int i = 0; i < count; i++) atomic_store(&seen[i], 0);
        pool_run(pool, count, 1, count_work, seen);
        int bad = 0;
        for (int i = 0; i < count; i++) bad += atomic_load(&seen[i]) != 1;
        CHECK(bad == 0);
        if (round % 100 == 0) usleep(2000); /* long enough for the workers to sleep */
    }
    pool_close(pool);
}

static bool runs(tern_context *context, const char *text, uint32_t programs, int *data, int count) {
    tern_kernel *kernel = kernel_from_ir(context, text, NULL);
    if (!kernel) return false;
    tern_buffer *buffer = tern_alloc(context, sizeof *data * (size_t)count);
    tern_write(buffer, 0, data, sizeof *data * (size_t)count);
    tern_argument argument = tern_arg_buffer(buffer);
    bool good = tern_launch(NULL, kernel, (uint32_t[]){programs, 1, 1}, &argument, 1) == TERN_OK &&
                tern_synchronize(context) == TERN_OK;
    tern_read(buffer, 0, data, sizeof *data * (size_t)count);
    return good;
}

TEST(says_that_there_is_no_compiler) {
    tern_context *context = opened("cpu", "", "no-such-compiler");
    CHECK(!context);
    CHECK(strstr(words, "no C compiler found") && strstr(words, "no-such-compiler") &&
          strstr(words, "interp"));
}

/* x[0] is the lock. Each program takes it, adds 1 to x[1] without an atomic, gives it back. */
static const char lock_text[] =
    "func @k(%x: ptr<i32>) {\n"
    "  %zero = constant 0 : i32\n  %one = constant 1 : i32\n"
    "  %last = while %zero : i32 (%a: i32) {\n"
    "    %old = atomic_cas %x, %zero, %one {sem = acq_rel, scope = gpu} : i32\n"
    "    %taken = icmp %old, %one {predicate = eq} : i1\n"
    "    yield %taken, %a\n"
    "  } (%b: i32) {\n    yield %b\n  }\n"
    "  %p = addptr %x, %one : ptr<i32>\n  %v = load %p : i32\n  %w = add %v, %one : i32\n  store "
    "%p, %w\n"
    "  %back = atomic_rmw %x, %zero {kind = xchg, sem = acq_rel, scope = gpu} : i32\n"
    "  yield\n}\n";

/* Program i waits until x[0] is i, from the last to the first begun. */
static const char turn_text[] =
    "func @k(%x: ptr<i32>) {\n"
    "  %zero = constant 0 : i32\n  %one = constant 1 : i32\n  %top = constant 63 : i32\n"
    "  %pid = program_id {axis = 0} : i32\n  %mine = sub %top, %pid : i32\n"
    "  %last = while %zero : i32 (%a: i32) {\n"
    "    %now = atomic_rmw %x, %zero {kind = add, sem = acq_rel, scope = gpu} : i32\n"
    "    %wait = icmp %now, %mine {predicate = ne} : i1\n"
    "    yield %wait, %a\n"
    "  } (%b: i32) {\n    yield %b\n  }\n"
    "  %old = atomic_rmw %x, %one {kind = add, sem = acq_rel, scope = gpu} : i32\n"
    "  yield\n}\n";

TEST(programs_wait_for_each_other) {
    tern_context *context = opened("cpu", "", NULL);
    CHECK(context);
    if (!context) return;
    int data[2] = {0, 0};
    CHECK(runs(context, lock_text, 500, data, 2));
    CHECK(data[0] == 0 && data[1] == 500);
    data[0] = 0;
    CHECK(runs(context, turn_text, 64, data, 2));
    CHECK(data[0] == 64);
    data[0] = 1, data[1] = 0; /* nobody will ever give the lock back */
    CHECK(!runs(context, lock_text, 20, data, 2));
    CHECK(strstr(tern_message(context), "deadlock"));
    CHECK(data[1] == 0);
    tern_close(context);
}

/* 2^31 - 8 + (0 .. 15) wraps inside the tile: stopped, not read from the wrong place. */
static const char wrap_text[] =
    "func @k(%x: ptr<i32>) {\n"
    "  %r = arange {start = 0, end = 64} : tile<64xi32>\n  %big = constant 2147483640 : i32\n"
    "  %p = program_id {axis = 0} : i32\n  %s = add %p, %big : i32\n"
    "  %b = splat %s : tile<64xi32>\n  %i = add %r, %b : tile<64xi32>\n  %xs = splat %x : "
    "tile<64xptr<i32>>\n"
    "  %at = addptr %xs, %i : tile<64xptr<i32>>\n  %v = load %at : tile<64xi32>\n  store %at, %v\n "
    " yield\n}\n";

TEST(an_offset_that_wraps_in_a_tile_is_reported) {
    tern_context *context = opened("cpu", "", NULL);
    CHECK(context);
    if (!context) return;
    int data[2] = {0, 0};
    CHECK(!runs(context, wrap_text, 1, data, 2));
    CHECK(strstr(tern_message(context), "wraps"));
    tern_close(context);
}

/* x[i] = i for more than a cache keeps: stores go past it (`stream` of the generated code). */
static const char fill_text[] =
    "func @k(%x: ptr<i32>) {\n  %p = program_id {axis = 0} : i32\n  %w = constant 1000 : i32\n"
    "  %s = mul %p, %w : i32\n  %b = splat %s : tile<1024xi32>\n"
    "  %r = arange {start = 0, end = 1024} : tile<1024xi32>\n  %i = add %b, %r : tile<1024xi32>\n"
    "  %ws = splat %w : tile<1024xi32>\n  %m = icmp %r, %ws {predicate = slt} : tile<1024xi1>\n"
    "  %xs = splat %x : tile<1024xptr<i32>>\n  %a = addptr %xs, %i : tile<1024xptr<i32>>\n"
    "  store %a, %i, %m\n  yield\n}\n";

TEST(large_results_are_right) {
    static const char *const devices[] = {"cpu", "cpu:avx2", "cpu:generic"};
    enum { PROGRAMS = 6000, COUNT_ALL = PROGRAMS * 1000 };
    int *data = malloc(COUNT_ALL * sizeof *data), opened_devices = 0;
    CHECK(data);
    for (int d = 0; d < 3 && data; d++) {
        tern_context *context = opened(devices[d], "", NULL);
        if (!context) continue;
        opened_devices++;
        memset(data, 0xff, COUNT_ALL * sizeof *data);
        int64_t wrong = 0;
        CHECK(runs(context, fill_text, PROGRAMS, data, COUNT_ALL));
        for (int i = 0; i < COUNT_ALL; i++) wrong += data[i] != i;
        CHECK(wrong == 0);
        tern_close(context);
    }
    CHECK(opened_devices > 0);
    free(data);
}

/* x[i] = x[i] + i: the line is in the caches already, and there it can stay. */
static const char in_place_text[] =
    "func @k(%x: ptr<i32>) {\n  %r = arange {start = 0, end = 1024} : tile<1024xi32>\n"
    "  %xs = splat %x : tile<1024xptr<i32>>\n  %a = addptr %xs, %r : tile<1024xptr<i32>>\n"
    "  %v = load %a : tile<1024xi32>\n  %s = add %v, %r : tile<1024xi32>\n"
    "  store %a, %s\n  yield\n}\n";

TEST(what_is_loaded_is_not_stored_past_the_caches) {
    tern_context *context = opened("cpu:avx2", "", NULL);
    if (!context) return;
    tern_kernel *fills = kernel_from_ir(context, fill_text, NULL),
                *adds = kernel_from_ir(context, in_place_text, NULL);
    CHECK(fills && adds);
    if (fills && adds) {
        CHECK(strstr(tern_kernel_text(fills, TERN_STAGE_C), "t_stream32("));
        CHECK(!strstr(tern_kernel_text(adds, TERN_STAGE_C), "t_stream32("));
    }
    tern_close(context);
}

TEST_MAIN()
