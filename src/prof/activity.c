// SPDX-License-Identifier: Apache-2.0
/* activity: what CUPTI recorded as events: calls of the driver on the host's side, kernels, copies
 * and fills on the device's.
 *
 * A call of the driver and what it enqueues have one correlation; which op or range the call is
 * inside of is made of the intervals, as for all other events. What ran at once on one stream, as
 * kernels of a graph do, goes to lanes of it. */
#include "prof/prof.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct Call {
    uint32_t correlation;
    int event;
} Call;

typedef struct Work { /* of the device */
    ProfEvent event;
    uint32_t correlation, device, stream;
    int number;
} Work;

typedef struct Activity {
    tern_profile *profile;
    VEC(Call) calls;
    VEC(Work) work;
    Map kernels; /* their names, as the compiler made them -> as the source has them */
    char *(*demangle)(const char *, char *, size_t *, int *); /* NULL: no C++ is here */
} Activity;

static void add_work(Activity *activity, const Work *work, uint64_t start_ns, uint64_t end_ns) {
    tern_profile *profile = activity->profile;
    Work added = *work;
    if (!start_ns || end_ns < start_ns) { /* CUPTI knows no times */
        profile->num_lost++;
        return;
    }
    added.event.start_ns = (int64_t)start_ns - profile->begin_ns;
    added.event.end_ns = (int64_t)end_ns - profile->begin_ns;
    added.event.on_device = true;
    added.event.parent = -1;
    added.event.enqueued_ns = INT64_MAX;
    added.number = activity->work.count;
    if (added.event.start_ns >= 0) vec_push(profile->scratch, &activity->work, added);
}

/* ---- records ---- */

/* "twice(float*, int)", not "_Z5twicePfi". */
static const char *kernel_name(Activity *activity, const char *name) {
    tern_profile *profile = activity->profile;
    if (!name) return "?";
    if (strncmp(name, "_Z", 2) != 0 || !activity->demangle) return prof_name(profile, name);
    const char *known = map_get(&activity->kernels, str_of(name));
    if (known) return known;
    char *words = activity->demangle(name, NULL, NULL, NULL);
    known = prof_name(profile, words ? words : name);
    free(words);
    map_set(&activity->kernels, str_copy(profile->scratch, str_of(name)), (void *)(uintptr_t)known);
    return known;
}

/* Of the program's own C++, else of the system's. */
static void find_demangle(Activity *activity) {
    void *library = NULL, *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (!found) library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library) found = dlsym(library, "__cxa_demangle");
    memcpy(&activity->demangle, &found, sizeof found);
}

static void see_kernel(Activity *activity, const CuptiKernel *record) {
    Arena *arena = activity->profile->scratch;
    ProfKernel *kernel = arena_new_of(arena, ProfKernel);
    for (int i = 0; i < 3; i++) kernel->block[i] = (uint32_t)record->block[i];
    kernel->registers = record->registers;
    kernel->shared_bytes = record->static_shared + record->dynamic_shared;
    kernel->local_bytes = (int)record->local_bytes;
    Work work = {.correlation = record->correlation,
                 .device = record->device,
                 .stream = record->stream,
                 .event = {.name = kernel_name(activity, record->name),
                           .kind = TERN_CALL_LAUNCH,
                           .kernel = kernel}};
    for (int i = 0; i < 3; i++) work.event.grid[i] = (uint32_t)record->grid[i];
    add_work(activity, &work, record->start_ns, record->end_ns);
}

/* CUpti_ActivityMemoryKind, in torch's words. */
static const char *memory_name(int memory) {
    static const char *const names[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
    return names[memory >= 0 && memory < COUNT(names) ? memory : 0];
}

static void see_copy(Activity *activity, const CuptiMemcpy *record, uint32_t correlation) {
    /* CUpti_ActivityMemcpyKind */
    static const char *const directions[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                             "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    enum { DEVICE_TO_HOST = 2 };
    int way = record->direction < COUNT(directions) ? record->direction : 0;
    Str name = str_format(activity->profile->scratch, "Memcpy %s (%s -> %s)", directions[way],
                          memory_name(record->from), memory_name(record->to));
    Work work = {.correlation = correlation,
                 .device = record->device,
                 .stream = record->stream,
                 .event = {.name = prof_name(activity->profile, name.data),
                           .kind = way == DEVICE_TO_HOST ? TERN_CALL_READ : TERN_CALL_WRITE,
                           .bytes = record->bytes}};
    add_work(activity, &work, record->start_ns, record->end_ns);
}

/* But for its correlation it is as the other copies are. */
static void see_peer_copy(Activity *activity, const CuptiPeerCopy *record) {
    CuptiMemcpy copy = {0};
    memcpy(&copy, record, offsetof(CuptiMemcpy, correlation));
    see_copy(activity, &copy, record->correlation);
}

static void see_fill(Activity *activity, const CuptiMemset *record) {
    Str name = str_format(activity->profile->scratch, "Memset (%s)", memory_name(record->memory));
    Work work = {.correlation = record->correlation,
                 .device = record->device,
                 .stream = record->stream,
                 .event = {.name = prof_name(activity->profile, name.data),
                           .kind = TERN_CALL_FILL,
                           .bytes = record->bytes}};
    add_work(activity, &work, record->start_ns, record->end_ns);
}

/* "cudaLaunchKernel_v7000": the runtime's have the version in which they came. */
static const char *call_name(const Activity *activity, const CuptiCall *record) {
    const char *name = cupti_call_name(&activity->profile->cupti, record);
    const char *version = strstr(name, "_v");
    if (record->kind != CUPTI_RUNTIME || !version || strspn(version + 2, "0123456789") < 4)
        return name;
    return str_format(activity->profile->scratch, "%.*s", (int)(version - name), name).data;
}

static void see_call(Activity *activity, const CuptiCall *record) {
    tern_profile *profile = activity->profile;
    int64_t start_ns = (int64_t)record->start_ns - profile->begin_ns;
    bool is_after = start_ns >= profile->end_ns - profile->begin_ns; /* the stop's own wait */
    if (start_ns < 0 || is_after || record->end_ns < record->start_ns) return;
    ProfEvent event = {.name = prof_name(profile, call_name(activity, record)),
                       .start_ns = start_ns,
                       .end_ns = (int64_t)record->end_ns - profile->begin_ns,
                       .thread = record->thread,
                       .parent = -1,
                       .kind = TERN_CALL_DRIVER,
                       .waits = true};
    int at = prof_add(profile, &event);
    if (at >= 0) vec_push(profile->scratch, &activity->calls, ((Call){record->correlation, at}));
}

static void see_overhead(Activity *activity, const CuptiOverhead *record) {
    tern_profile *profile = activity->profile;
    int64_t start_ns = (int64_t)record->start_ns - profile->begin_ns;
    uint32_t what = record->what >> 16; /* CUpti_ActivityOverheadKind */
    bool is_after = start_ns >= profile->end_ns - profile->begin_ns; /* the stop's own */
    if (start_ns < 0 || is_after || record->end_ns < record->start_ns) return;
    ProfOverhead *overhead = &profile->overheads[what < PROF_OVERHEADS ? what : 0];
    overhead->count++;
    overhead->ns += (int64_t)(record->end_ns - record->start_ns);
}

static void see(Activity *activity, const CuptiRecord *record) {
    const void *whole = record;
    switch (record->kind) {
    case CUPTI_KERNEL: see_kernel(activity, whole); return;
    case CUPTI_MEMCPY: see_copy(activity, whole, ((const CuptiMemcpy *)whole)->correlation); return;
    case CUPTI_PEER_COPY: see_peer_copy(activity, whole); return;
    case CUPTI_MEMSET: see_fill(activity, whole); return;
    case CUPTI_DRIVER:
    case CUPTI_RUNTIME: see_call(activity, whole); return;
    case CUPTI_OVERHEAD: see_overhead(activity, whole); return;
    }
}

/* ---- events ---- */

static int by_correlation(const void *left, const void *right) {
    const Call *a = left, *b = right;
    return a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static int by_start(const void *left, const void *right) {
    const Work *a = left, *b = right;
    if (a->event.start_ns != b->event.start_ns)
        return a->event.start_ns < b->event.start_ns ? -1 : 1;
    return a->number - b->number;
}

/* The first lane of the stream that is free. */
static int lane_of(tern_profile *profile, const Work *work) {
    int lane = 0;
    for (int i = 0; i < profile->streams.count; i++) {
        ProfStream *stream = &profile->streams.data[i];
        if (stream->device != work->device || stream->id != work->stream) continue;
        if (stream->end_ns <= work->event.start_ns) return i;
        lane++;
    }
    vec_push(profile->scratch, &profile->streams,
             ((ProfStream){.device = work->device, .id = work->stream, .lane = lane}));
    return profile->streams.count - 1;
}

static void add_events(Activity *activity) {
    tern_profile *profile = activity->profile;
    size_t num_calls = (size_t)activity->calls.count, num_work = (size_t)activity->work.count;
    if (num_calls) qsort(activity->calls.data, num_calls, sizeof(Call), by_correlation);
    if (num_work) qsort(activity->work.data, num_work, sizeof(Work), by_start);
    for (int i = 0; i < activity->work.count; i++) {
        Work *work = &activity->work.data[i];
        const Call *call =
            num_calls ? bsearch(&(Call){.correlation = work->correlation}, activity->calls.data,
                                num_calls, sizeof(Call), by_correlation)
                      : NULL;
        work->event.caller = -1;
        work->event.thread = lane_of(profile, work);
        profile->streams.data[work->event.thread].end_ns = work->event.end_ns;
        if (call) {
            work->event.parent = work->event.caller = call->event;
            profile->events[call->event].is_caller = true;
            work->event.enqueued_ns = profile->events[call->event].start_ns;
            int64_t early = work->event.enqueued_ns - work->event.start_ns;
            if (early > profile->early_ns) profile->early_ns = early;
        }
        if (prof_add(profile, &work->event) >= 0) profile->has_device = true;
    }
}

void prof_activity(tern_profile *profile) {
    Activity activity = {.profile = profile, .kernels = {.arena = profile->scratch}};
    find_demangle(&activity);
    profile->num_lost += cupti_take(&profile->cupti);
    for (const CuptiRecord *record = NULL; (record = cupti_next(&profile->cupti, record));)
        see(&activity, record);
    add_events(&activity);
}
