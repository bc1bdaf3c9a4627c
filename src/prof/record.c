// SPDX-License-Identifier: Apache-2.0
/* record: an observer of a context that keeps an event for each range and call, in windows that a
 * schedule opens and closes; without one there is a single window.
 *
 * What a call costs while it is watched: two readings of the clock and a copy. Nothing is
 * formatted; memory is taken by doubling. On cuda CUPTI records what the device does; where it
 * cannot, an event is recorded before and after what is enqueued. Both are read when the profile is
 * stopped. */
#include "base/utf8.h"
#include "prof/prof.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct ProfTiming {
    int event; /* of the call */
    tern_stream *stream;
    tern_event *before, *after;
} ProfTiming;

/* ---- events ---- */

static bool grow(void **data, int *capacity, int count, size_t size) {
    if (count < *capacity) return true;
    int more = *capacity ? *capacity * 2 : 1024;
    void *grown = realloc(*data, (size_t)more * size);
    if (!grown) return false;
    *data = grown;
    *capacity = more;
    return true;
}

/* A copy that is UTF-8, of characters that XML may have. */
static const char *clean(Arena *arena, Str name) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (int i = 0; i < name.length;) {
        const char *at = name.data + i;
        int length = utf8_length((Str){at, name.length - i});
        bool is_none =
            length == 3 && (!memcmp(at, "\xef\xbf\xbe", 3) || !memcmp(at, "\xef\xbf\xbf", 3));
        if (length && !is_none)
            buf_add(&out, at, (size_t)length);
        else
            buf_puts(&out, "\xef\xbf\xbd"); /* U+FFFD */
        i += length ? length : 1;
    }
    return out.data;
}

/* The name, kept once. Most calls come again from where they came: a look where the name lies is
 * cheaper than its hash, but what lies there now must be compared. */
const char *prof_name(tern_profile *profile, const char *name) {
    const char **recent = &profile->recent_names[(uintptr_t)name / 8 % PROF_RECENT_NAMES];
    if (*recent && !strcmp(*recent, name)) return *recent;
    Str key = str_of(name);
    const char *known = map_get(&profile->names, key);
    if (!known) {
        known = clean(profile->arena, key);
        map_set(&profile->names, str_copy(profile->arena, key), (void *)(uintptr_t)known);
    }
    return *recent = known;
}

static int64_t thread_number(tern_profile *profile) {
    if (!profile->thread_number || !pthread_equal(profile->thread, pthread_self())) {
        profile->thread = pthread_self();
        profile->thread_number = syscall(SYS_gettid);
    }
    return profile->thread_number;
}

/* What the device does may come to as much again. */
int prof_add(tern_profile *profile, const ProfEvent *event) {
    void *events = profile->events;
    size_t most = profile->options.max_events * (event->on_device ? 2 : 1);
    if ((size_t)profile->num_events >= most ||
        !grow(&events, &profile->capacity, profile->num_events, sizeof *profile->events)) {
        profile->num_dropped++;
        return -1;
    }
    profile->events = events;
    profile->events[profile->num_events] = *event;
    return profile->num_events++;
}

static int event_new(tern_profile *profile, const tern_call *call) {
    return prof_add(
        profile,
        &(ProfEvent){.name = prof_name(profile, call->name),
                     .thread = thread_number(profile),
                     .parent = -1,
                     .kind = call->kind,
                     .waits = call->waits,
                     .bytes = call->bytes,
                     .grid = {call->grid[0], call->grid[1], call->grid[2]},
                     .shapes = profile->options.shapes ? prof_shapes(profile, call) : NULL});
}

/* ---- times of the device ---- */

static bool is_device_work(const tern_profile *profile, const tern_call *call) {
    if (!profile->anchor || call->waits) return false;
    switch (call->kind) {
    case TERN_CALL_LAUNCH:
    case TERN_CALL_GRAPH:
    case TERN_CALL_WRITE:
    case TERN_CALL_READ:
    case TERN_CALL_FILL: return true;
    case TERN_CALL_RANGE:
    case TERN_CALL_OP:
    case TERN_CALL_WAIT:
    case TERN_CALL_COMPILE:
    case TERN_CALL_DRIVER: return false;
    }
    return false;
}

static void time_begin(tern_profile *profile, int event, tern_stream *stream) {
    void *timings = profile->timings;
    if (!grow(&timings, &profile->timings_capacity, profile->num_timings,
              sizeof *profile->timings)) {
        profile->num_dropped++;
        return;
    }
    profile->timings = timings;
    ProfTiming timing = {
        .event = event, .stream = stream, .before = tern_event_create(profile->context)};
    timing.after = timing.before ? tern_event_create(profile->context) : NULL;
    if (timing.after && !tern_event_record(timing.before, stream))
        profile->timings[profile->num_timings++] = timing;
    else {
        tern_event_free(timing.before);
        tern_event_free(timing.after);
        profile->num_dropped++;
    }
}

static void time_end(tern_profile *profile, int event, tern_stream *stream) {
    if (!profile->num_timings) return;
    ProfTiming *timing = &profile->timings[profile->num_timings - 1];
    if (timing->event == event && tern_event_record(timing->after, stream)) {
        tern_event_free(timing->before);
        tern_event_free(timing->after);
        profile->num_timings--;
        profile->num_dropped++;
    }
}

/* ---- the observer ---- */

static void begin(tern_profile *profile, const tern_call *call) {
    int event = profile->open.count < PROF_MAX_DEPTH ? event_new(profile, call) : -1;
    if (profile->open.count >= PROF_MAX_DEPTH) profile->num_dropped++;
    vec_push(profile->arena, &profile->open, event);
    if (event < 0) return;
    if (is_device_work(profile, call)) time_begin(profile, event, call->stream);
    profile->events[event].start_ns = clock_ns() - profile->begin_ns;
}

static void end(tern_profile *profile, const tern_call *call) {
    int64_t time = clock_ns() - profile->begin_ns;
    if (!profile->open.count) {
        profile->num_unbalanced++;
        return;
    }
    int event = profile->open.data[--profile->open.count];
    if (event < 0) return;
    profile->events[event].end_ns = time;
    if (is_device_work(profile, call)) time_end(profile, event, call->stream);
}

static void observe(void *user, const tern_call *call, bool begins) {
    tern_profile *profile = user;
    if (profile->out_of_memory) return;
    if (setjmp(profile->no_memory)) {
        profile->out_of_memory = true;
        return;
    }
    if (begins)
        begin(profile, call);
    else
        end(profile, call);
}

/* ---- windows ---- */

/* What came before is done and forgotten. */
static bool follow_activity(tern_profile *profile) {
    Cupti *cupti = &profile->cupti;
    if (profile->options.by_events)
        snprintf(profile->why_events, sizeof profile->why_events, "as asked for");
    else if (!cupti->subscriber)
        cupti_open(cupti, profile->why_events, sizeof profile->why_events);
    if (!cupti->subscriber) return false;
    profile->why_events[0] = 0;
    if (tern_synchronize(profile->context)) return false;
    cupti_take(cupti);
    return true;
}

/* On cuda: CUPTI, or a point on both clocks. */
static bool set_anchor(tern_profile *profile) {
    if (tern_device_property(tern_device_name(profile->context), TERN_DEVICE_ON_HOST) ||
        follow_activity(profile))
        return true;
    cupti_close(&profile->cupti);
    profile->anchor = tern_event_create(profile->context);
    if (!profile->anchor || tern_synchronize(profile->context) ||
        tern_event_record(profile->anchor, NULL))
        return false;
    profile->anchor_ns = clock_ns();
    return true;
}

static void free_timings(tern_profile *profile) {
    for (int i = 0; i < profile->num_timings; i++) {
        tern_event_free(profile->timings[i].before);
        tern_event_free(profile->timings[i].after);
    }
    profile->num_timings = 0;
    tern_event_free(profile->anchor);
    profile->anchor = NULL;
}

static bool watch(tern_profile *profile) {
    if (!tern_observe(profile->context, observe, profile)) return false;
    profile->is_watching = true;
    return true;
}

static void look_away(tern_profile *profile) {
    if (profile->is_watching) tern_observe(profile->context, NULL, NULL);
    profile->is_watching = false;
}

/* What was kept is forgotten; of ranges that are open their begin is no longer known. */
static bool window_open(tern_profile *profile) {
    free_timings(profile);
    arena_free(profile->scratch);
    profile->scratch = NULL;
    profile->scratch = arena_new(&profile->no_memory);
    profile->streams.count = profile->streams.capacity = 0;
    profile->streams.data = NULL;
    profile->is_ready = profile->has_device = false;
    if (!set_anchor(profile)) return false;
    profile->num_events = 0; /* after the anchor, which waits, and that is seen */
    profile->num_dropped = profile->num_unbalanced = profile->num_lost = profile->early_ns = 0;
    memset(profile->overheads, 0, sizeof profile->overheads);
    for (int i = 0; i < profile->open.count; i++) profile->open.data[i] = -1;
    profile->begin_ns = profile->step_ns = clock_ns();
    return true;
}

/* From 0, in the order in which they were used. */
static int stream_number(tern_profile *profile, const tern_stream *stream) {
    int number = 0;
    while (number < profile->streams.count && profile->streams.data[number].stream != stream)
        number++;
    if (number == profile->streams.count)
        vec_push(profile->scratch, &profile->streams,
                 ((ProfStream){.stream = stream, .id = (uint32_t)number}));
    return number;
}

/* The device's side of a call, as an event of its own behind the host's. Where it begins is counted
 * from where the one before it began: the driver's times are floats, good for the near past
 * only. */
static bool add_device_event(tern_profile *profile, const ProfTiming *timing, tern_event *near,
                             double *near_ns) {
    double since_ns, took_ns;
    if (tern_event_elapsed(near, timing->before, &since_ns) ||
        tern_event_elapsed(timing->before, timing->after, &took_ns))
        return false;
    *near_ns += since_ns;
    ProfEvent event = profile->events[timing->event];
    event.on_device = true;
    event.thread = stream_number(profile, timing->stream);
    event.parent = timing->event;
    ProfStream *stream = &profile->streams.data[event.thread];
    event.start_ns = (int64_t)*near_ns + profile->anchor_ns - profile->begin_ns;
    if (event.start_ns < stream->end_ns) event.start_ns = stream->end_ns; /* rounding */
    event.end_ns = stream->end_ns = event.start_ns + (int64_t)took_ns;
    if (prof_add(profile, &event) >= 0) profile->has_device = true;
    return true;
}

static void finish(tern_profile *profile) {
    while (profile->open.count) {
        int event = profile->open.data[--profile->open.count];
        if (event >= 0) profile->events[event].end_ns = profile->end_ns - profile->begin_ns;
        profile->num_unbalanced++;
    }
    double near_ns = 0;
    int timed = 0;
    while (timed < profile->num_timings &&
           add_device_event(profile, &profile->timings[timed],
                            timed ? profile->timings[timed - 1].before : profile->anchor, &near_ns))
        timed++;
    profile->num_dropped += profile->num_timings - timed;
    if (profile->cupti.subscriber) prof_activity(profile);
    prof_tree(profile->scratch, profile->events, profile->num_events);
}

static tern_status window_close(tern_profile *profile) {
    look_away(profile);
    profile->end_ns = clock_ns();
    tern_status status = tern_synchronize(profile->context);
    if (setjmp(profile->no_memory)) profile->out_of_memory = true;
    if (!profile->out_of_memory) finish(profile);
    free_timings(profile);
    cupti_close(&profile->cupti);
    if (profile->out_of_memory) return TERN_ERROR_NO_MEMORY;
    profile->is_ready = true;
    if (profile->options.on_ready && profile->phase == PROF_ACTIVE)
        profile->options.on_ready(profile->options.user, profile);
    return status;
}

/* ---- steps ---- */

/* What the schedule says of a step, counted from 0. */
static ProfPhase phase_of(const tern_profile_options *options, int64_t step) {
    int64_t cycle = (int64_t)options->wait + options->warmup + options->active;
    if (options->active == 0) return PROF_ACTIVE;
    if (options->repeat > 0 && step / cycle >= options->repeat) return PROF_WAIT;
    if (step % cycle < options->wait) return PROF_WAIT;
    return step % cycle < (int64_t)options->wait + options->warmup ? PROF_WARMUP : PROF_ACTIVE;
}

static bool ends_cycle(const tern_profile_options *options, int64_t step) {
    int64_t cycle = (int64_t)options->wait + options->warmup + options->active;
    return options->active > 0 && phase_of(options, step) == PROF_ACTIVE &&
           step % cycle == cycle - 1;
}

/* Opens and closes what differs between the phase so far and that of the step which begins. */
static tern_status enter(tern_profile *profile, ProfPhase phase, bool anew) {
    ProfPhase before = profile->phase;
    profile->phase = phase;
    if (phase == PROF_WAIT) {
        look_away(profile);
        return TERN_OK;
    }
    if (setjmp(profile->no_memory)) return TERN_ERROR_NO_MEMORY;
    if ((anew || before != phase) && !window_open(profile))
        return tern_message_status(profile->context);
    return profile->is_watching || watch(profile) ? TERN_OK : TERN_ERROR_ARGUMENT;
}

/* Steps are no part of what is open: a range that one ends inside of stays as it is. */
static void keep_step(tern_profile *profile) {
    int64_t now = clock_ns();
    if (setjmp(profile->no_memory)) {
        profile->out_of_memory = true;
        return;
    }
    int event = event_new(profile, &(tern_call){.name = "ProfilerStep*", .waits = true});
    if (event < 0) return;
    profile->events[event].start_ns = profile->step_ns - profile->begin_ns;
    profile->events[event].end_ns = now - profile->begin_ns;
    profile->step_ns = now;
}

tern_status tern_profile_step(tern_profile *profile) {
    if (!profile->is_running) return TERN_ERROR_ARGUMENT;
    int64_t step = profile->step++;
    bool ends = ends_cycle(&profile->options, step);
    tern_status status = TERN_OK;
    if (profile->phase == PROF_ACTIVE && profile->is_watching) keep_step(profile);
    if (ends) status = window_close(profile);
    tern_status other = enter(profile, phase_of(&profile->options, step + 1), ends);
    return status ? status : other;
}

/* ---- start and stop ---- */

/* What an empty range costs, by some that are then forgotten. */
static void measure_range(tern_profile *profile) {
    enum { RANGES = 512 };
    int64_t start = clock_ns();
    for (int i = 0; i < RANGES; i++) {
        tern_range_push(profile->context, "range");
        tern_range_pop(profile->context);
    }
    profile->range_ns = (double)(clock_ns() - start) / RANGES;
}

static bool is_sane(const tern_profile_options *options) {
    return options->wait >= 0 && options->warmup >= 0 && options->active >= 0 &&
           options->repeat >= 0 &&
           (options->active > 0 || (!options->wait && !options->warmup && !options->repeat));
}

static tern_profile *start(tern_context *context, tern_profile *profile) {
    enum { MOST_EVENTS = 1 << 28 };
    tern_profile_options *options = &profile->options;
    if (setjmp(profile->no_memory)) return NULL;
    profile->arena = arena_new(&profile->no_memory);
    profile->names.arena = profile->shapes.arena = profile->shape_key.arena = profile->arena;
    profile->context = context;
    profile->device = str_copy(profile->arena, str_of(tern_device_description(context))).data;
    if (!options->max_events || options->max_events > MOST_EVENTS) options->max_events = 1000000;
    if (!is_sane(options) || !watch(profile)) return NULL;
    measure_range(profile);
    look_away(profile);
    profile->is_running = true;
    if (!window_open(profile)) return NULL;
    profile->phase = PROF_WAIT;
    return enter(profile, phase_of(options, 0), true) ? NULL : profile;
}

tern_profile *tern_profile_start(tern_context *context, const tern_profile_options *options) {
    tern_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return NULL;
    if (options)
        memcpy(&profile->options, options,
               options->size && options->size < sizeof *options ? options->size : sizeof *options);
    if (start(context, profile)) return profile;
    profile->is_running = false;
    look_away(profile);
    tern_profile_free(profile);
    return NULL;
}

/* In the middle of a cycle what was kept so far is what there is. */
tern_status tern_profile_stop(tern_profile *profile) {
    if (!profile->is_running) return TERN_OK;
    profile->is_running = false;
    if (profile->phase != PROF_ACTIVE && !profile->is_ready) {
        free_timings(profile);
        cupti_close(&profile->cupti);
        profile->num_events = profile->open.count = 0;
    }
    return profile->is_ready ? TERN_OK : window_close(profile);
}

void tern_profile_free(tern_profile *profile) {
    if (!profile) return;
    if (profile->is_running) tern_profile_stop(profile);
    free_timings(profile);
    cupti_close(&profile->cupti);
    free(profile->timings);
    free(profile->events);
    arena_free(profile->scratch);
    arena_free(profile->arena);
    free(profile);
}
