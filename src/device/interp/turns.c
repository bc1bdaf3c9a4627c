// SPDX-License-Identifier: Apache-2.0
/* turns: the programs of a grid take turns, on one thread.
 *
 * A program runs to its end unless it waits: a while loop that reads memory and, over one
 * iteration, changes neither memory nor its own carried values is stuck until another program
 * writes. It gives way, others go on, programs that have not begun yet begin, and it is not resumed
 * before memory has changed. When all are stuck, that is a deadlock, proved. A loop that counts
 * while it spins is never stuck in this sense; it gives way every YIELD_EVERY iterations, and when
 * IDLE_LIMIT such iterations have passed without any change of memory, the launch is stopped too.
 *
 * Kernels without a while loop need none of this and run on the caller's stack. */
#include "base/asan.h"
#include "device/interp/interp.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 256 << 10,
    MOST_FIBERS =
        4096, /* programs that wait at the same time; the rest of the grid has not begun */
    YIELD_EVERY = 64,
    IDLE_LIMIT = 1 << 24,
};

typedef enum FiberState { FIBER_FREE, FIBER_READY, FIBER_STUCK, FIBER_FLUSH } FiberState;

typedef struct Fiber {
    ucontext_t context;
    Program program;
    FiberState state;
    uint64_t since; /* FIBER_STUCK: the memory version that it waits to change */
    Span span;      /* of the loop it waits in */
    void *stack;
    void *fake_stack;
    struct Scheduler *scheduler;
} Fiber;

typedef struct Scheduler {
    Launch *launch;
    ucontext_t main;
    const void *main_stack;
    size_t main_stack_size;
    Fiber **fibers;
    int num_fibers, capacity;
    int current;
    uint64_t begun, total;
} Scheduler;

static void switch_to_main(Fiber *fiber) {
    Scheduler *s = fiber->scheduler;
    __sanitizer_start_switch_fiber(&fiber->fake_stack, s->main_stack, s->main_stack_size);
    swapcontext(&fiber->context, &s->main);
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &s->main_stack, &s->main_stack_size);
}

/* makecontext passes ints only: the pointer comes in two halves. */
static void fiber_main(unsigned low, unsigned high) {
    Fiber *fiber = (Fiber *)(uintptr_t)((uint64_t)high << 32 | low);
    __sanitizer_finish_switch_fiber(NULL, &fiber->scheduler->main_stack,
                                    &fiber->scheduler->main_stack_size);
    for (;;) {
        exec_program(&fiber->program);
        fiber->state = FIBER_FREE;
        switch_to_main(fiber);
    }
}

static void switch_to_fiber(Scheduler *s, Fiber *fiber) {
    void *fake_stack = NULL;
    __sanitizer_start_switch_fiber(&fake_stack, fiber->stack, STACK_BYTES);
    swapcontext(&s->main, &fiber->context);
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
}

static void program_release(Program *p) {
    if (!p->slots) return;
    for (int i = 0; i < p->launch->loaded->num_slots; i++) lanes_release(p->launch, p->slots[i]);
    memory_release(p);
    free(p->slots);
    p->slots = NULL;
}

__extension__ typedef unsigned __int128 Wide;

static uint64_t grid_size(const Launch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* The index-th program of the grid, in the order of this launch. */
static bool program_begin(Launch *launch, Program *p, uint64_t index) {
    *p = (Program){.launch = launch, .fiber = p->fiber};
    if (launch->order_step)
        index = (uint64_t)(((Wide)index * launch->order_step + launch->order_start) %
                           grid_size(launch));
    p->id[0] = (uint32_t)(index % launch->grid[0]);
    p->id[1] = (uint32_t)(index / launch->grid[0] % launch->grid[1]);
    p->id[2] = (uint32_t)(index / launch->grid[0] / launch->grid[1]);
    p->slots = calloc((size_t)launch->loaded->num_slots + 1, sizeof *p->slots);
    if (!p->slots) return program_fail(p, TERN_ERROR_NO_MEMORY, (Span){0}, "out of host memory");
    return true;
}

static void fiber_prepare(Fiber *fiber) {
    uint64_t bits = (uint64_t)(uintptr_t)fiber;
    /* makecontext's type is of a function without parameters, its contract is not. */
    void (*entry)(void) = (void (*)(void))(uintptr_t)fiber_main;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber->context, entry, 2, (unsigned)bits, (unsigned)(bits >> 32));
}

static Fiber *fiber_new(Scheduler *s) {
    if (s->num_fibers == s->capacity) {
        int capacity = s->capacity ? s->capacity * 2 : 8;
        Fiber **grown = realloc(s->fibers, (size_t)capacity * sizeof *grown);
        if (!grown) return NULL;
        s->fibers = grown, s->capacity = capacity;
    }
    Fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber) return NULL;
    fiber->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fiber->stack == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    mprotect(fiber->stack, 4096, PROT_NONE); /* a guard page: MAX_DEPTH keeps us off it */
    fiber_prepare(fiber);
    fiber->scheduler = s;
    fiber->program.fiber = fiber;
    s->fibers[s->num_fibers++] = fiber;
    return fiber;
}

static Fiber *free_fiber(Scheduler *s) {
    for (int i = 0; i < s->num_fibers; i++)
        if (s->fibers[i]->state == FIBER_FREE) return s->fibers[i];
    return s->num_fibers < MOST_FIBERS ? fiber_new(s) : NULL;
}

static bool is_runnable(const Scheduler *s, const Fiber *fiber) {
    return fiber->state == FIBER_READY ||
           (fiber->state == FIBER_STUCK && fiber->since != s->launch->version);
}

static Fiber *next_runnable(Scheduler *s) {
    for (int i = 1; i <= s->num_fibers; i++) {
        int index = (s->current + i) % s->num_fibers;
        if (!is_runnable(s, s->fibers[index])) continue;
        s->current = index;
        return s->fibers[index];
    }
    return NULL;
}

/* Nobody can run: all have ended, or those that wait do so for ever. */
static void report_deadlock(Scheduler *s) {
    Fiber *waiting = NULL;
    int count = 0;
    for (int i = 0; i < s->num_fibers; i++) {
        if (s->fibers[i]->state == FIBER_FREE) continue;
        if (!waiting) waiting = s->fibers[i];
        count++;
    }
    if (!waiting) return;
    program_fail(&waiting->program, TERN_ERROR_KERNEL, waiting->span,
                 "deadlock: %d program%s wait%s in loops for memory that nobody will change", count,
                 count == 1 ? "" : "s", count == 1 ? "s" : "");
    if (s->begun < s->total)
        program_note(&waiting->program, "; %llu programs have not begun",
                     (unsigned long long)(s->total - s->begun));
}

/* Runs a fiber until it gives way. Output is handed on here, on the caller's stack. */
static void run_fiber(Scheduler *s, Fiber *fiber) {
    do {
        fiber->state = FIBER_READY;
        switch_to_fiber(s, fiber);
        launch_flush(s->launch);
    } while (fiber->state == FIBER_FLUSH);
    if (fiber->state == FIBER_FREE) {
        program_release(&fiber->program);
        s->launch->idle_spins = 0;
    }
}

/* Programs that have not begun come first once one waits: it may be one of them that it waits for.
 * A program that ended leaves its turn to those that wait. */
static void take_turns(Scheduler *s) {
    Launch *launch = s->launch;
    bool prefer_new = true;
    while (!launch->failure.status) {
        Fiber *fiber = NULL;
        if (!prefer_new) fiber = next_runnable(s);
        if (!fiber && s->begun < s->total && (fiber = free_fiber(s))) {
            if (!program_begin(launch, &fiber->program, s->begun++)) return;
        }
        if (!fiber) fiber = next_runnable(s);
        if (!fiber) {
            bool no_memory = s->begun < s->total && s->num_fibers < MOST_FIBERS;
            if (no_memory)
                launch->failure =
                    (Failure){.status = TERN_ERROR_NO_MEMORY, .text = "out of host memory"};
            else
                report_deadlock(s);
            return;
        }
        run_fiber(s, fiber);
        prefer_new = fiber->state != FIBER_FREE;
    }
}

bool program_wait(Program *p, Span span, bool stuck, uint64_t since) {
    Launch *launch = p->launch;
    Fiber *fiber = p->fiber;
    if (!stuck && ++launch->idle_spins > IDLE_LIMIT)
        return program_fail(p, TERN_ERROR_KERNEL, span,
                            "no progress: %d iterations of waiting loops changed no memory",
                            IDLE_LIMIT);
    if (!stuck && launch->idle_spins % YIELD_EVERY) return true;
    fiber->state = stuck ? FIBER_STUCK : FIBER_READY;
    fiber->since = since;
    fiber->span = span;
    switch_to_main(fiber);
    return !launch->failure.status;
}

void program_flush(Program *p) {
    if (!p->fiber) {
        launch_flush(p->launch);
        return;
    }
    p->fiber->state = FIBER_FLUSH;
    switch_to_main(p->fiber);
}

static void run_in_order(Launch *launch, uint64_t total) {
    for (uint64_t i = 0; i < total && !launch->failure.status; i++) {
        Program program = {0};
        if (program_begin(launch, &program, i)) exec_program(&program);
        if (launch->device->stop && i + 1 < total && !launch->failure.status) {
            program_fail(&program, TERN_ERROR_KERNEL, launch->loaded->kernel->place,
                         "the launch was interrupted");
            launch->failure.kind = TERN_NOT_CHECKED;
        }
        program_release(&program);
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* A step without a common divisor with the number of programs visits each once. */
static void draw_order(Launch *launch, uint64_t total) {
    uint64_t bits = hash_bytes(&launch->order_seed, sizeof launch->order_seed, total);
    launch->order_start = bits % total;
    launch->order_step = (bits >> 20) % total | 1;
    while (common_divisor(launch->order_step, total) != 1) launch->order_step++;
}

tern_status launch_programs(Launch *launch) {
    uint64_t total = grid_size(launch);
    if (launch->order_seed) draw_order(launch, total);
    if (!launch->loaded->may_wait) {
        run_in_order(launch, total);
        return launch->failure.status;
    }
    Scheduler scheduler = {.launch = launch, .total = total};
    launch->scheduler = &scheduler;
    take_turns(&scheduler);
    for (int i = 0; i < scheduler.num_fibers; i++) {
        Fiber *fiber = scheduler.fibers[i];
        program_release(&fiber->program);
        munmap(fiber->stack, STACK_BYTES);
        free(fiber);
    }
    free(scheduler.fibers);
    return launch->failure.status;
}
