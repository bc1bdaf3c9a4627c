// SPDX-License-Identifier: Apache-2.0
/* fiber: programs that may wait for each other take turns on one thread, each on its own stack.
 * A program gives way in each turn of a loop that could be a spin lock. New programs begin only
 * when all that have begun have given way.
 *
 * Deadlock: a turn is a function of the program's own state and of memory. When no program ends,
 * after a round all stacks are as they were after the round before, many times in a row, and then
 * memory is as it was that many rounds ago, nothing will ever change. Memory is looked at after
 * IDLE_ROUNDS, then after twice as many, and so on: it may be large. A program that asks what time
 * it is waits for that. */
#include "device/cpu/cpu.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 256 << 10, MOST_FIBERS = 1 << 14, IDLE_ROUNDS = 1000, HASH_AFTER = 100 };

typedef struct Fiber {
    ucontext_t context;
    char *stack, *scratch;
    int64_t program;
    char *low; /* the stack pointer when it gave way */
    bool finished;
    int result;
    struct Scheduler *scheduler;
} Fiber;

typedef struct Scheduler {
    KernelTests tests; /* first: fiber_yield gets a pointer to its runtime */
    KernelTests *outer;
    FiberRun *run;
    ucontext_t main;
    Fiber *current;
    Fiber **live;
    int num_live;
    Fiber *spare;
    bool stop, asks_time;
} Scheduler;

static int forward_fail(KernelRuntime *runtime, int kind, int detail) {
    Scheduler *s = (Scheduler *)runtime;
    return s->outer->runtime.fail(&s->outer->runtime, kind, detail);
}

static int forward_fail_assert(KernelRuntime *runtime, int which, const int *program, int rank,
                               const int *index) {
    Scheduler *s = (Scheduler *)runtime;
    return s->outer->runtime.fail_assert(&s->outer->runtime, which, program, rank, index);
}

static void forward_print(KernelRuntime *runtime, const int *program, const char *prefix, int rank,
                          const int *index, int what, int size_bytes, unsigned long long bits) {
    Scheduler *s = (Scheduler *)runtime;
    s->outer->runtime.print(&s->outer->runtime, program, prefix, rank, index, what, size_bytes,
                            bits);
}

static void forward_print_format(KernelRuntime *runtime, const char *format,
                                 const unsigned long long *values) {
    Scheduler *s = (Scheduler *)runtime;
    s->outer->runtime.print_format(&s->outer->runtime, format, values);
}

static long long forward_clock(KernelRuntime *runtime) {
    Scheduler *s = (Scheduler *)runtime;
    s->asks_time = true;
    return s->outer->runtime.clock(&s->outer->runtime);
}

static long long forward_room(KernelTests *tests, unsigned long long address, int size_bytes) {
    Scheduler *s = (Scheduler *)tests;
    return s->outer->room(s->outer, address, size_bytes);
}

static int forward_outside(KernelTests *tests, int which, const int *program, long long lane,
                           unsigned long long address) {
    Scheduler *s = (Scheduler *)tests;
    return s->outer->outside(s->outer, which, program, lane, address);
}

static int fiber_yield(KernelRuntime *runtime) {
    Scheduler *s = (Scheduler *)runtime;
    Fiber *fiber = s->current;
    fiber->low = __builtin_frame_address(0);
    swapcontext(&fiber->context, &s->main);
    return s->stop;
}

static void fiber_main(unsigned high, unsigned low) {
    Fiber *fiber = (Fiber *)((uintptr_t)high << 32 | low);
    Scheduler *s = fiber->scheduler;
    fiber->result = s->run->function(s->run->args, s->run->grid, fiber->program, fiber->program + 1,
                                     fiber->scratch, &s->tests.runtime, 0);
    fiber->finished = true;
    swapcontext(&fiber->context, &s->main);
}

static void fiber_free(Fiber *fiber) {
    if (!fiber) return;
    if (fiber->stack) munmap(fiber->stack, STACK_BYTES);
    free(fiber->scratch);
    free(fiber);
}

static Fiber *fiber_new(Scheduler *s) {
    Fiber *fiber = s->spare ? s->spare : calloc(1, sizeof *fiber);
    s->spare = NULL;
    if (!fiber) return NULL;
    size_t scratch = (s->run->scratch_bytes + 127) / 64 * 64;
    if (!fiber->stack) {
        void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        fiber->stack = stack == MAP_FAILED ? NULL : stack;
        fiber->scratch = aligned_alloc(64, scratch);
    }
    if (!fiber->stack || !fiber->scratch || getcontext(&fiber->context) != 0) {
        fiber_free(fiber);
        return NULL;
    }
    fiber->scheduler = s, fiber->finished = false, fiber->low = NULL;
    fiber->context.uc_stack.ss_sp = fiber->stack, fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = NULL;
    uintptr_t at = (uintptr_t)fiber;
    makecontext(&fiber->context, (void (*)(void))fiber_main, 2, (unsigned)(at >> 32), (unsigned)at);
    return fiber;
}

/* One turn; false once the program has ended or failed. */
static bool fiber_turn(Scheduler *s, Fiber *fiber) {
    s->current = fiber;
    swapcontext(&s->main, &fiber->context);
    if (fiber->finished && fiber->result) s->stop = true;
    return !fiber->finished;
}

static uint64_t states_hash(const Scheduler *s) {
    uint64_t hash = 1;
    for (int i = 0; i < s->num_live; i++) {
        const Fiber *fiber = s->live[i];
        const char *end = fiber->stack + STACK_BYTES;
        hash = hash_bytes(fiber->low, (size_t)(end - fiber->low), hash);
        hash = hash_bytes(fiber->scratch, s->run->scratch_bytes, hash);
    }
    return hash;
}

static uint64_t memory_hash(const Scheduler *s) {
    uint64_t hash = 1;
    const Device *device = s->run->device;
    for (int i = 0; i < device->num_ranges; i++)
        hash = hash_bytes(device->ranges[i].base, device->ranges[i].size, hash);
    return hash;
}

static bool begin_program(Scheduler *s, int64_t program) {
    Fiber *fiber = fiber_new(s);
    if (!fiber) {
        s->run->no_memory = true;
        return false;
    }
    fiber->program = program;
    if (fiber_turn(s, fiber))
        s->live[s->num_live++] = fiber;
    else if (s->spare)
        fiber_free(fiber);
    else
        s->spare = fiber;
    return true;
}

/* A turn for each program that has begun; true if one ended. */
static bool round_robin(Scheduler *s) {
    int kept = 0;
    bool ended = false;
    for (int i = 0; i < s->num_live; i++) {
        Fiber *fiber = s->live[i];
        if (s->stop || fiber_turn(s, fiber)) {
            s->live[kept++] = fiber;
            continue;
        }
        ended = true;
        if (s->spare)
            fiber_free(fiber);
        else
            s->spare = fiber;
    }
    s->num_live = kept;
    return ended;
}

/* From outside, from any thread. */
static bool is_to_end(const Scheduler *s) {
    return __atomic_load_n(s->tests.runtime.stop, __ATOMIC_RELAXED) != 0;
}

static void schedule(Scheduler *s, int64_t count) {
    int64_t begun = 0;
    int64_t idle = 0, same = 0, patience = IDLE_ROUNDS;
    uint64_t last = 0, memory = 0; /* memory: 0: not known */
    while (!s->stop && !is_to_end(s) && (begun < count || s->num_live)) {
        if (s->num_live && round_robin(s)) {
            idle = same = 0, memory = 0;
            continue;
        }
        if (begun < count && s->num_live < MOST_FIBERS) {
            if (!begin_program(s, begun++)) return;
            continue;
        }
        if (++idle < HASH_AFTER) continue;
        uint64_t now = states_hash(s);
        bool is_same = now == last && !s->asks_time;
        same = is_same ? same + 1 : 0, last = now, s->asks_time = false;
        if (!is_same) memory = 0;
        if (same < patience) continue;
        uint64_t then = memory;
        memory = memory_hash(s), same = 0;
        if (memory == then) {
            s->run->deadlock = true;
            return;
        }
        if (then) patience *= 2;
    }
}

bool fibers_run(FiberRun *run, int64_t count) {
    Scheduler *s = calloc(1, sizeof *s);
    run->deadlock = run->no_memory = false;
    if (s) s->live = calloc(MOST_FIBERS, sizeof *s->live);
    if (!s || !s->live) {
        free(s);
        run->no_memory = true;
        return false;
    }
    s->outer = run->tests, s->run = run;
    s->tests = (KernelTests){.runtime = {.fail = forward_fail,
                                         .fail_assert = forward_fail_assert,
                                         .yield = fiber_yield,
                                         .print = forward_print,
                                         .print_format = forward_print_format,
                                         .clock = forward_clock,
                                         .stop = run->tests->runtime.stop},
                             .ranges = run->tests->ranges,
                             .room = forward_room,
                             .outside = forward_outside};
    schedule(s, count);
    run->cut = is_to_end(s) && s->num_live;
    bool ok = !s->stop && !run->deadlock && !run->no_memory;
    for (int i = 0; i < s->num_live; i++) fiber_free(s->live[i]);
    fiber_free(s->spare);
    free(s->live);
    free(s);
    return ok;
}
