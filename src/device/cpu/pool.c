// SPDX-License-Identifier: Apache-2.0
/* pool: threads that share the programs of a launch. The caller works too. A worker that has
 * nothing to do looks for more for 100 us, because launches come in bursts, and then sleeps on a
 * futex: waking 15 of them costs 20 us and more. Whoever waits gives its core to others that have
 * work: where there are more threads than cores, the launch that it waits for is one of them. */
#include "device/cpu/cpu.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPIN_NS = 100000, PAUSES = 16 /* between two looks at the clock, 0.2 to 0.7 us */ };

struct Pool {
    int num_threads; /* the caller counted */
    int num_started;
    pthread_t *threads;
    /* The job: written before `open` is set, left alone until nobody is inside. */
    PoolWork *work;
    void *user;
    int64_t count, chunk;
    _Atomic int64_t next;
    _Atomic int generation; /* also the futex */
    _Atomic int sleeping, inside, open, quit;
};

typedef struct Worker {
    Pool *pool;
    int index;
} Worker;

static void pause_once(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Until the value is another one, or not for long: some pauses, then one turn for others. */
static bool has_changed(const _Atomic int *value, int seen) {
    for (int i = 0; i < PAUSES; i++) {
        if (atomic_load_explicit(value, memory_order_acquire) != seen) return true;
        pause_once();
    }
    sched_yield();
    return false;
}

static void job_take(Pool *pool, int index) {
    for (;;) {
        int64_t lo = atomic_fetch_add(&pool->next, pool->chunk);
        if (lo >= pool->count) return;
        int64_t hi = pool->count - lo < pool->chunk ? pool->count : lo + pool->chunk;
        pool->work(pool->user, index, lo, hi);
    }
}

static void wait_for_change(Pool *pool, int seen) {
    for (long long end = clock_ns() + SPIN_NS; clock_ns() < end;)
        if (has_changed(&pool->generation, seen)) return;
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->generation) == seen) /* this thread's errno is nobody's */
        syscall(SYS_futex, &pool->generation, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&pool->sleeping, 1);
}

static void *worker_main(void *user) {
    Worker worker = *(Worker *)user;
    free(user);
    Pool *pool = worker.pool;
    for (int seen = 0;;) {
        wait_for_change(pool, seen);
        seen = atomic_load(&pool->generation);
        if (atomic_load(&pool->quit)) return NULL;
        /* Inside first, then look whether the job is still open: its closer waits for those inside.
         */
        atomic_fetch_add(&pool->inside, 1);
        if (atomic_load(&pool->open)) job_take(pool, worker.index);
        atomic_fetch_sub(&pool->inside, 1);
    }
}

static void wake_workers(Pool *pool) {
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->sleeping)) /* this cannot fail */
        syscall(SYS_futex, &pool->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

Pool *pool_open(int num_threads) {
    Pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->threads = calloc((size_t)num_threads, sizeof *pool->threads);
    if (!pool->threads) {
        free(pool);
        return NULL;
    }
    pool->num_threads = 1;
    for (int i = 1; i < num_threads; i++) {
        Worker *worker = malloc(sizeof *worker);
        if (!worker) break;
        *worker = (Worker){pool, i};
        if (pthread_create(&pool->threads[pool->num_started], NULL, worker_main, worker) != 0) {
            free(worker); /* fewer threads do the same work */
            break;
        }
        pool->num_started++, pool->num_threads++;
    }
    return pool;
}

void pool_close(Pool *pool) {
    if (!pool) return;
    atomic_store(&pool->quit, 1);
    wake_workers(pool);
    for (int i = 0; i < pool->num_started; i++) pthread_join(pool->threads[i], NULL);
    free(pool->threads);
    free(pool);
}

int pool_threads(const Pool *pool) { return pool->num_threads; }

void pool_run(Pool *pool, int64_t count, PoolWork *work, void *user) {
    if (count <= 0) return;
    if (count == 1 || pool->num_threads == 1) {
        work(user, 0, 0, count);
        return;
    }
    int64_t chunk = count / (8 * (int64_t)pool->num_threads);
    pool->work = work, pool->user = user, pool->count = count, pool->chunk = chunk > 0 ? chunk : 1;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->open, 1);
    wake_workers(pool);
    job_take(pool, 0);
    atomic_store(&pool->open, 0);
    for (int inside; (inside = atomic_load(&pool->inside)) != 0;)
        has_changed(&pool->inside, inside);
}
