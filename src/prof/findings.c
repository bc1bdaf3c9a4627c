// SPDX-License-Identifier: Apache-2.0
/* findings: what a profile shows that costs time and need not: calls that wait for the device
 * without saying so, a device that is idle, launches that come slower than kernels run, code that
 * is loaded at its first use, copies of memory that is not page-locked.
 *
 * The first three are found in the intervals: a call that was long, and returned when work ended
 * that had been enqueued before it, has waited for that work, whatever it is. Calls that an H100's
 * driver was seen to wait in, and that go on by themselves for long after, are known by name: with
 * them it is enough that the work ended while they ran. */
#include "prof/prof.h"

#include <stdlib.h>

enum {
    LONG_NS = 20000,   /* a wait that is worth a line */
    RETURNS_NS = 5000, /* after the end of what it waited for */
    SKEW_NS = 2000,    /* between the clocks of host and device */
    IDLE_PERCENT = 30, /* of the device's span */
    IDLE_NS = 50000,   /* at least */
    LAUNCHES_AT_LEAST = 20
};

typedef struct Wait { /* of calls of one name, inside of one name, for one name */
    const char *call, *inside, *work;
    int64_t count, ns;
} Wait;

typedef struct Findings {
    const tern_profile *profile;
    ProfFindings found;
    Ints work; /* of the device, by its end */
    VEC(Wait) waits;
} Findings;

static void add(Findings *findings, int64_t ns, Str words) {
    vec_push(findings->profile->scratch, &findings->found, ((ProfFinding){ns, words.data}));
}

static int64_t length(const ProfEvent *event) { return event->end_ns - event->start_ns; }

/* ---- the device's work, by its end ---- */

typedef struct Ended {
    int64_t end_ns;
    int event;
} Ended;

static int by_end(const void *left, const void *right) {
    const Ended *a = left, *b = right;
    if (a->end_ns != b->end_ns) return a->end_ns < b->end_ns ? -1 : 1;
    return a->event - b->event;
}

static void sort_work(Findings *findings) {
    const tern_profile *profile = findings->profile;
    VEC(Ended) ended = {0};
    for (int i = 0; i < profile->num_events; i++)
        if (profile->events[i].on_device)
            vec_push(profile->scratch, &ended, ((Ended){profile->events[i].end_ns, i}));
    if (ended.count) qsort(ended.data, (size_t)ended.count, sizeof *ended.data, by_end);
    for (int i = 0; i < ended.count; i++)
        vec_push(profile->scratch, &findings->work, ended.data[i].event);
}

/* How many of them end by then. */
static int ended_by(const Findings *findings, int64_t time_ns) {
    int low = 0, high = findings->work.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (findings->profile->events[findings->work.data[middle]].end_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- waits that nobody asked for ---- */

static bool says_so(const char *name) {
    static const char *const words[] = {"Synchronize", "EventQuery", "StreamQuery"};
    for (int i = 0; i < COUNT(words); i++)
        if (strstr(name, words[i])) return true;
    return false;
}

static bool is_known_to_wait(const char *name) {
    static const char *const beginnings[] = {"cuMemcpyDtoH",   "cuMemcpyHtoD",   "cuMemFree",
                                             "cuMemHost",      "cuMemAllocHost", "cuModuleLoad",
                                             "cuModuleUnload", "cudaMemcpy",     "cudaFree",
                                             "cudaHost",       "cudaMallocHost"};
    for (int i = 0; i < COUNT(beginnings); i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return !strstr(name, "FreeAsync");
    return false;
}

/* Calls of the driver, where they are known; else tern's own that are no waits. */
static bool may_wait(const tern_profile *profile, const ProfEvent *event, bool has_driver) {
    if (event->on_device || event->is_merged || length(event) < LONG_NS) return false;
    if (has_driver) {
        const ProfEvent *in = event->parent >= 0 ? &profile->events[event->parent] : NULL;
        return event->kind == TERN_CALL_DRIVER && !says_so(event->name) &&
               !(in && in->kind == TERN_CALL_WAIT);
    }
    return event->kind == TERN_CALL_READ || event->kind == TERN_CALL_WRITE ||
           event->kind == TERN_CALL_FILL;
}

static void note_wait(Findings *findings, const ProfEvent *call, const ProfEvent *work,
                      int64_t ns) {
    const ProfEvent *events = findings->profile->events;
    const char *inside = call->parent >= 0 ? events[call->parent].name : NULL;
    for (int i = 0; i < findings->waits.count; i++) {
        Wait *wait = &findings->waits.data[i];
        if (wait->call != call->name || wait->inside != inside || wait->work != work->name)
            continue;
        wait->count++;
        wait->ns += ns;
        return;
    }
    vec_push(findings->profile->scratch, &findings->waits,
             ((Wait){call->name, inside, work->name, 1, ns}));
}

/* Of what was enqueued before the call, the last to end before it returns; what the call itself
 * enqueued may come after that: it returns when that ends, or, where the host then copies on, that
 * has begun at once. */
static void look_for_wait(Findings *findings, const ProfEvent *call) {
    const ProfEvent *events = findings->profile->events;
    int64_t latest = call->start_ns, own_start = INT64_MAX;
    for (int i = ended_by(findings, call->end_ns + SKEW_NS) - 1; i >= 0; i--) {
        const ProfEvent *work = &events[findings->work.data[i]];
        if (work->end_ns <= call->start_ns) return;
        if (work->end_ns > latest) latest = work->end_ns;
        if (work->enqueued_ns == call->start_ns && work->start_ns < own_start)
            own_start = work->start_ns;
        if (work->enqueued_ns >= call->start_ns) continue; /* its own, or nobody knows whose */
        int64_t until = work->end_ns < call->end_ns ? work->end_ns : call->end_ns;
        bool waited = call->end_ns - latest <= RETURNS_NS || is_known_to_wait(call->name) ||
                      (own_start < INT64_MAX && own_start - work->end_ns <= RETURNS_NS);
        if (waited && until - call->start_ns >= LONG_NS)
            note_wait(findings, call, work, until - call->start_ns);
        return;
    }
}

static const char *instead(const char *call) {
    if (strstr(call, "Memcpy") || strstr(call, "tern_read") || strstr(call, "tern_write"))
        return ": page-locked memory and an asynchronous copy need not wait";
    if (strstr(call, "MemAlloc") || strstr(call, "MemFree") || strstr(call, "HostAlloc"))
        return ": memory that is taken before and kept need not wait";
    if (strstr(call, "Module") || strstr(call, "Library"))
        return ": what is loaded before need not wait";
    return "";
}

static void find_waits(Findings *findings) {
    const tern_profile *profile = findings->profile;
    bool has_driver = false;
    char text[32];
    for (int i = 0; i < profile->num_events; i++)
        has_driver |= profile->events[i].kind == TERN_CALL_DRIVER;
    for (int i = 0; i < profile->num_events; i++)
        if (may_wait(profile, &profile->events[i], has_driver))
            look_for_wait(findings, &profile->events[i]);
    for (int i = 0; i < findings->waits.count; i++) {
        const Wait *wait = &findings->waits.data[i];
        add(findings, wait->ns,
            str_format(profile->scratch, "%s%s%s waits for %s: %lld times, %s in all%s", wait->call,
                       wait->inside ? " in " : "", wait->inside ? wait->inside : "", wait->work,
                       (long long)wait->count, prof_time(text, (double)wait->ns),
                       instead(wait->call)));
    }
}

/* ---- a device that is idle ---- */

typedef struct Idle {
    int64_t first_ns, last_ns, idle_ns, longest_ns, longest_at_ns;
    int gaps;
    const char *after; /* what ran before the longest */
} Idle;

static int by_begin(const void *left, const void *right) {
    const ProfEvent *const *a = left, *const *b = right;
    if ((*a)->start_ns != (*b)->start_ns) return (*a)->start_ns < (*b)->start_ns ? -1 : 1;
    return (*a)->end_ns < (*b)->end_ns ? -1 : (*a)->end_ns > (*b)->end_ns;
}

static Idle measure_idle(const Findings *findings) {
    const tern_profile *profile = findings->profile;
    int count = findings->work.count;
    const ProfEvent **work = arena_array(profile->scratch, const ProfEvent *, count);
    for (int i = 0; i < count; i++) work[i] = &profile->events[findings->work.data[i]];
    qsort(work, (size_t)count, sizeof(void *), by_begin);
    int64_t first_ns = work[0]->enqueued_ns; /* not known, or by a clock that differs: the start */
    if (first_ns > work[0]->start_ns) first_ns = work[0]->start_ns;
    Idle idle = {.first_ns = first_ns, .last_ns = first_ns};
    const char *last = "its first work was enqueued";
    for (int i = 0; i < count; i++) {
        int64_t gap = work[i]->start_ns - idle.last_ns;
        if (gap > 0) idle.gaps++, idle.idle_ns += gap;
        if (gap > idle.longest_ns)
            idle.longest_ns = gap, idle.longest_at_ns = idle.last_ns, idle.after = last;
        if (work[i]->end_ns > idle.last_ns) idle.last_ns = work[i]->end_ns, last = work[i]->name;
    }
    return idle;
}

/* The shortest event of the host around this moment; NULL: none. */
static const char *host_at(const tern_profile *profile, int64_t time_ns) {
    const ProfEvent *best = NULL;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (!event->on_device && event->start_ns <= time_ns && event->end_ns > time_ns &&
            (!best || length(event) < length(best)))
            best = event;
    }
    return best ? best->name : NULL;
}

/* Are launches slower than what they launch? */
static bool host_binds(const Findings *findings, double *every_ns, double *runs_ns) {
    const tern_profile *profile = findings->profile;
    int64_t first = 0, last = 0, ran = 0, launches = 0;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (!event->on_device || event->kind != TERN_CALL_LAUNCH || event->parent < 0) continue;
        int64_t at = profile->events[event->parent].start_ns;
        if (!launches || at < first) first = at;
        if (!launches || at > last) last = at;
        ran += length(event);
        launches++;
    }
    if (launches < LAUNCHES_AT_LEAST) return false;
    *every_ns = (double)(last - first) / (double)(launches - 1);
    *runs_ns = (double)ran / (double)launches;
    return *every_ns > *runs_ns;
}

static void find_idle(Findings *findings) {
    const tern_profile *profile = findings->profile;
    char a[32], b[32], c[32];
    double every_ns, runs_ns;
    if (findings->work.count < 2) return;
    Idle idle = measure_idle(findings);
    int64_t span = idle.last_ns - idle.first_ns;
    if (idle.idle_ns < IDLE_NS || idle.idle_ns * 100 < span * IDLE_PERCENT) return;
    const char *host = host_at(profile, idle.longest_at_ns + idle.longest_ns / 2);
    add(findings, idle.idle_ns,
        str_format(profile->scratch,
                   "the GPU is idle for %s of %s, in %d gaps; the longest, %s, after %s, while the "
                   "host is %s%s",
                   prof_time(a, (double)idle.idle_ns), prof_time(b, (double)span), idle.gaps,
                   prof_time(c, (double)idle.longest_ns), idle.after,
                   host ? "in " : "in no call or range", host ? host : ""));
    if (host_binds(findings, &every_ns, &runs_ns))
        add(findings, idle.idle_ns,
            str_format(
                profile->scratch,
                "the host launches a kernel every %s, and they run for %s: a graph, or fewer "
                "and larger kernels, would keep the GPU busy",
                prof_time(a, every_ns), prof_time(b, runs_ns)));
}

/* ---- what CUPTI says of itself and of copies ---- */

static void find_overheads(Findings *findings) {
    static const struct {
        int kind;
        const char *words;
    } kinds[] = {
        {PROF_MODULE_LOADING, "modules were loaded while it ran: a warm-up would do that before"},
        {PROF_LAZY_LOADING, "functions were loaded at their first launch: a warm-up, or "
                            "CUDA_MODULE_LOADING=EAGER, would do that before"},
        {PROF_QUEUE_FULL, "times the launch queue was full, and the host waited"},
    };
    char text[32];
    for (int i = 0; i < COUNT(kinds); i++) {
        const ProfOverhead *overhead = &findings->profile->overheads[kinds[i].kind];
        if (overhead->ns >= LONG_NS)
            add(findings, overhead->ns,
                str_format(findings->profile->scratch, "%s: %lld %s",
                           prof_time(text, (double)overhead->ns), (long long)overhead->count,
                           kinds[i].words));
    }
}

static void find_pageable(Findings *findings) {
    const tern_profile *profile = findings->profile;
    int64_t ns = 0, count = 0;
    double bytes = 0;
    char text[32];
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (!event->on_device || !event->bytes || !strstr(event->name, "Pageable")) continue;
        ns += length(event);
        bytes += (double)event->bytes;
        count++;
    }
    if (ns >= LONG_NS)
        add(findings, ns,
            str_format(profile->scratch,
                       "%lld copies of pageable memory, %.3g MB in %s, %.3g GB/s: page-locked "
                       "memory is copied faster, and without the host",
                       (long long)count, bytes / 1e6, prof_time(text, (double)ns),
                       bytes / (double)ns));
}

static int by_cost(const void *left, const void *right) {
    const ProfFinding *a = left, *b = right;
    if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
    return strcmp(a->words, b->words);
}

ProfFindings prof_findings(const tern_profile *profile) {
    Findings findings = {.profile = profile};
    if (!profile->has_device) return findings.found;
    sort_work(&findings);
    find_waits(&findings);
    find_idle(&findings);
    find_overheads(&findings);
    find_pageable(&findings);
    if (findings.found.count)
        qsort(findings.found.data, (size_t)findings.found.count, sizeof *findings.found.data,
              by_cost);
    return findings.found;
}
