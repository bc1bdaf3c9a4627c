// SPDX-License-Identifier: Apache-2.0
/* perf: what the CPU counts while something runs, by the kernel's perf events: an event of each
 * kind for each thread, of which the differences count. The time that threads run is counted by the
 * kernel itself and always there; cycles, instructions and misses of the last cache need a counter
 * of the processor's, which virtual machines mostly lack, and may be refused.
 *
 * Where more is counted than the processor has counters for, each counts for a part of the time:
 * what it gives is scaled by that. */
#include "base/base.h"
#include "prof/counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum PerfKind { RUNNING_NS, CYCLES, INSTRUCTIONS, MISSES, PERF_KINDS } PerfKind;

static const struct {
    uint32_t type;
    uint64_t config;
} kinds[PERF_KINDS] = {
    [RUNNING_NS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    [CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

enum { LINE_BYTES = 64 }; /* that a miss of the last cache brings, on x86-64 and most of AArch64 */

typedef struct PerfThread {
    int files[PERF_KINDS]; /* below 0: it has none */
    uint64_t before[PERF_KINDS][3];
} PerfThread;

struct PerfCount {
    PerfCalls calls;
    PerfThread *threads;
    int num_threads, capacity;
    int refused[PERF_KINDS]; /* -errno; 0: it is counted */
    int64_t begin_ns;
};

/* ---- the kernel's ---- */

static int open_event(void *user, uint32_t type, uint64_t config, pid_t thread) {
    struct perf_event_attr attributes = {.type = type,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING,
                                         .exclude_kernel = type == PERF_TYPE_HARDWARE,
                                         .exclude_hv = type == PERF_TYPE_HARDWARE};
    (void)user;
    long file = syscall(SYS_perf_event_open, &attributes, thread, -1, -1,
                        (unsigned long)PERF_FLAG_FD_CLOEXEC);
    return file >= 0 ? (int)file : -errno;
}

static bool read_event(void *user, int file, uint64_t values[3]) {
    (void)user;
    return read(file, values, 3 * sizeof *values) == (ssize_t)(3 * sizeof *values);
}

static void close_event(void *user, int file) {
    (void)user;
    close(file);
}

/* ---- threads ---- */

/* One that has just ended is left out; what is refused for one is refused for all. */
static bool add_thread(PerfCount *perf, pid_t id) {
    if (perf->num_threads == perf->capacity) {
        int more = perf->capacity ? 2 * perf->capacity : 64;
        PerfThread *grown = realloc(perf->threads, (size_t)more * sizeof *grown);
        if (!grown) return false;
        perf->threads = grown, perf->capacity = more;
    }
    PerfThread *thread = &perf->threads[perf->num_threads++];
    *thread = (PerfThread){0};
    for (int i = 0; i < PERF_KINDS; i++) {
        int file = perf->calls.open(perf->calls.user, kinds[i].type, kinds[i].config, id);
        thread->files[i] = file;
        if (file < 0 && file != -ESRCH) perf->refused[i] = file;
    }
    return true;
}

PerfCount *perf_open(const PerfCalls *calls) {
    static const PerfCalls kernel = {open_event, read_event, close_event, NULL};
    PerfCount *perf = calloc(1, sizeof *perf);
    DIR *folder = perf ? opendir("/proc/self/task") : NULL;
    bool is_whole = folder;
    if (perf) perf->calls = calls ? *calls : kernel;
    for (struct dirent *entry; is_whole && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') is_whole = add_thread(perf, (pid_t)atoi(entry->d_name));
    if (folder) closedir(folder);
    if (is_whole) return perf;
    perf_close(perf);
    return NULL;
}

void perf_close(PerfCount *perf) {
    if (!perf) return;
    for (int i = 0; i < perf->num_threads; i++)
        for (int k = 0; k < PERF_KINDS; k++)
            if (perf->threads[i].files[k] >= 0)
                perf->calls.close(perf->calls.user, perf->threads[i].files[k]);
    free(perf->threads);
    free(perf);
}

/* ---- counts ---- */

void perf_begin(PerfCount *perf) {
    perf->begin_ns = clock_ns();
    for (int i = 0; i < perf->num_threads; i++)
        for (int k = 0; k < PERF_KINDS; k++) {
            PerfThread *thread = &perf->threads[i];
            if (thread->files[k] >= 0 &&
                !perf->calls.read(perf->calls.user, thread->files[k], thread->before[k]))
                perf->refused[k] = -EIO;
        }
}

/* Over all threads. Counters may wrap between the two readings, differences do not. One that is
 * enabled and never ran was never given a counter. */
static double sum(PerfCount *perf, PerfKind kind, double *least_part) {
    double total = 0;
    for (int i = 0; i < perf->num_threads; i++) {
        PerfThread *thread = &perf->threads[i];
        uint64_t now[3], *before = thread->before[kind];
        if (thread->files[kind] < 0) continue;
        if (!perf->calls.read(perf->calls.user, thread->files[kind], now)) return NAN;
        uint64_t enabled = now[1] - before[1], running = now[2] - before[2];
        if (!enabled) continue; /* the thread did not run */
        if (!running) return NAN;
        double part = (double)running / (double)enabled;
        *least_part = fmin(*least_part, part);
        total += (double)(now[0] - before[0]) / part;
    }
    return total;
}

static int num_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? (int)sysconf(_SC_NPROCESSORS_ONLN)
                                                  : CPU_COUNT(&set);
}

static const char *reason(int refused, bool is_starved) {
    if (refused == -EACCES || refused == -EPERM)
        return "not permitted: /proc/sys/kernel/perf_event_paranoid at 2 or below, or CAP_PERFMON, "
               "allows it";
    if (refused == -ENOENT || refused == -ENODEV || refused == -EOPNOTSUPP)
        return "this machine does not count them, as most virtual ones";
    if (refused) return strerror(-refused);
    return is_starved ? "others have the processor's counters" : NULL;
}

static void say(const PerfCount *perf, double least_part, bool is_starved, char *words,
                size_t size) {
    int refused = 0;
    for (int k = PERF_KINDS - 1; k > RUNNING_NS; k--)
        if (perf->refused[k]) refused = perf->refused[k];
    const char *why = reason(refused, is_starved);
    words[0] = 0;
    if (why)
        snprintf(words, size, "cycles, instructions, misses: %s", why);
    else if (least_part < 1)
        snprintf(words, size,
                 "cycles, instructions, misses: multiplexed: counted for %.0f %% of the time, and "
                 "scaled",
                 least_part * 100);
}

void perf_end(PerfCount *perf, tern_hardware *hardware, char *words, size_t size) {
    double sums[PERF_KINDS], least_part = 1;
    bool is_starved = false;
    for (int k = 0; k < PERF_KINDS; k++) {
        sums[k] = perf->refused[k] ? NAN : sum(perf, (PerfKind)k, &least_part);
        is_starved |= !perf->refused[k] && isnan(sums[k]);
    }
    double wall_ns = (double)(clock_ns() - perf->begin_ns);
    hardware->active = sums[RUNNING_NS] / wall_ns / num_processors();
    hardware->cycles = sums[CYCLES];
    hardware->instructions = sums[INSTRUCTIONS];
    hardware->read_bytes = sums[MISSES] * LINE_BYTES;
    say(perf, least_part, is_starved, words, size);
}
