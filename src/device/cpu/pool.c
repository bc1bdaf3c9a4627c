// SPDX-License-Identifier: Apache-2.0
/* pool: threads that share the programs of a launch. The caller works too. Each has a share of its
 * own, the same in each launch of as many programs, because what the last one left in a core's
 * caches is dear to others; who is done with it takes chunks of others' shares. A worker that has
 * nothing to do looks for more for 100 us, because launches come in bursts, or for twice as long as
 * it had to wait the last time, where that was not long; then it sleeps on a futex: waking 15 of
 * them costs 20 us and more, and more still where those that wake wake others. Whoever waits gives
 * its core to others that have work: where there are more threads than cores, the launch that it
 * waits for is one of them. */
#include "device/cpu/cpu.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST_SPIN_NS = 100000, MOST_SPIN_NS = 4000000 };
enum { PAUSES = 16 /* between two looks at the clock, 0.2 to 0.7 us */ };
enum { CACHE_LINE = 64, CHUNKS = 8 /* of a share, at most */ };

/* What one thread writes in each launch; on a line of its own, which stays in its core's cache. */
typedef struct Share {
    _Alignas(CACHE_LINE) _Atomic uint64_t taken; /* the job's number, and how many of its chunks */
    _Atomic int inside;                          /* its thread may be in a job */
} Share;

struct Pool {
    int num_threads; /* the caller counted */
    int num_started;
    pthread_t *threads;
    Share *shares;
    /* The job: written before `open` is set, left alone until nobody is inside. */
    PoolWork *work;
    void *user;
    int64_t each, more; /* programs of a share; so many of the first shares have one more */
    int64_t chunk;
    uint32_t job;
    _Atomic int open, quit;
    _Alignas(CACHE_LINE) _Atomic int generation; /* also the futex */
    _Atomic int sleeping;
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

static int64_t share_start(const Pool *pool, int i) {
    return pool->each * i + (i < pool->more ? i : pool->more);
}

/* The next chunk of that share; false: there is none left. */
static bool share_take(Pool *pool, int i, int64_t *lo, int64_t *hi) {
    Share *share = &pool->shares[i];
    uint64_t seen = atomic_load(&share->taken), job = (uint64_t)pool->job << 32, done, now;
    int64_t start = share_start(pool, i), count = share_start(pool, i + 1) - start;
    do {
        uint64_t chunks = seen >> 32 == pool->job ? (uint32_t)seen : 0;
        done = chunks * (uint64_t)pool->chunk, now = job | (chunks + 1);
        if (done >= (uint64_t)count) return false;
    } while (!atomic_compare_exchange_weak(&share->taken, &seen, now));
    int64_t left = count - (int64_t)done;
    *lo = start + (int64_t)done;
    *hi = *lo + (left < pool->chunk ? left : pool->chunk);
    return true;
}

static void job_take(Pool *pool, int index) {
    for (int i = 0; i < pool->num_threads; i++)
        for (int64_t lo, hi; share_take(pool, (index + i) % pool->num_threads, &lo, &hi);)
            pool->work(pool->user, index, lo, hi);
}

/* Gives how long to look for the next one. */
static long long wait_for_change(Pool *pool, int seen, long long spin_ns) {
    long long start = clock_ns();
    bool changed = false;
    do changed = has_changed(&pool->generation, seen);
    while (!changed && clock_ns() - start < spin_ns);
    if (!changed) atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->generation) == seen) /* this thread's errno is nobody's */
        syscall(SYS_futex, &pool->generation, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    if (!changed) atomic_fetch_sub(&pool->sleeping, 1);
    long long next = 2 * (clock_ns() - start);
    return next < LEAST_SPIN_NS || next > MOST_SPIN_NS ? LEAST_SPIN_NS : next;
}

static void *worker_main(void *user) {
    Worker worker = *(Worker *)user;
    free(user);
    Pool *pool = worker.pool;
    long long spin_ns = LEAST_SPIN_NS;
    for (int seen = 0;;) {
        spin_ns = wait_for_change(pool, seen, spin_ns);
        seen = atomic_load(&pool->generation);
        if (atomic_load(&pool->quit)) return NULL;
        /* Inside first, then look whether the job is still open: its closer waits for those inside.
         */
        _Atomic int *inside = &pool->shares[worker.index].inside;
        atomic_store(inside, 1);
        if (atomic_load(&pool->open)) job_take(pool, worker.index);
        atomic_store(inside, 0);
    }
}

static void wake_workers(Pool *pool) {
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->sleeping)) /* this cannot fail */
        syscall(SYS_futex, &pool->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void *lines_new(size_t bytes) {
    void *lines = aligned_alloc(CACHE_LINE, bytes);
    return lines ? memset(lines, 0, bytes) : NULL;
}

Pool *pool_open(int num_threads) {
    Pool *pool = lines_new(sizeof *pool);
    if (!pool) return NULL;
    pool->threads = calloc((size_t)num_threads, sizeof *pool->threads);
    pool->shares = lines_new((size_t)num_threads * sizeof *pool->shares);
    if (!pool->threads || !pool->shares) {
        pool_close(pool);
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
    free(pool->shares);
    free(pool->threads);
    free(pool);
}

int pool_threads(const Pool *pool) { return pool->num_threads; }

void pool_run(Pool *pool, int64_t count, int64_t least, PoolWork *work, void *user) {
    if (count <= 0) return;
    if (count == 1 || pool->num_threads == 1) {
        work(user, 0, 0, count);
        return;
    }
    pool->work = work, pool->user = user;
    pool->each = count / pool->num_threads, pool->more = count % pool->num_threads;
    int64_t most = pool->each / 2, chunk = pool->each / CHUNKS;
    if (chunk < least) chunk = least < most ? least : most;
    pool->chunk = chunk > 0 ? chunk : 1;
    pool->job++;
    atomic_store(&pool->open, 1);
    wake_workers(pool);
    job_take(pool, 0);
    atomic_store(&pool->open, 0);
    for (int i = 1; i < pool->num_threads; i++)
        while (atomic_load(&pool->shares[i].inside)) has_changed(&pool->shares[i].inside, 1);
}
