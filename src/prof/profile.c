// SPDX-License-Identifier: Apache-2.0
/* profile: profiles of a context, from start to stop, in windows that a schedule opens and closes;
 * without one there is a single window. When one closes its marks (record.c) become events,
 * together with what the device did: on cuda CUPTI has recorded it (activity.c); where it cannot,
 * an event was recorded before and after what is enqueued, and the times are read now. */
#include "prof/prof.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct ProfTiming {
    int event; /* of the call */
    tern_stream *stream;
    tern_event *before, *after;
} ProfTiming;

static bool grow(void **data, int *capacity, int count, size_t size) {
    if (count < *capacity) return true;
    int more = *capacity ? *capacity * 2 : 1024;
    void *grown = realloc(*data, (size_t)more * size);
    if (!grown) return false;
    *data = grown;
    *capacity = more;
    return true;
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

void prof_time_begin(tern_profile *profile, const tern_call *call, int event) {
    tern_stream *stream = call->stream;
    if (!is_device_work(profile, call)) return;
    void *timings = profile->timings;
    if (!grow(&timings, &profile->timings_capacity, profile->num_timings,
              sizeof *profile->timings)) {
        profile->num_untimed++;
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
        profile->num_untimed++;
    }
}

void prof_time_end(tern_profile *profile, const tern_call *call, int event) {
    if (!profile->num_timings || !is_device_work(profile, call)) return;
    ProfTiming *timing = &profile->timings[profile->num_timings - 1];
    if (timing->event == event && tern_event_record(timing->after, call->stream)) {
        tern_event_free(timing->before);
        tern_event_free(timing->after);
        profile->num_timings--;
        profile->num_untimed++;
    }
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
    if (profile->of_process) return follow_activity(profile);
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
    if (!tern_observe(profile->context, prof_observe, profile)) return false;
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
    profile->num_dropped = profile->num_deep = profile->num_untimed = 0;
    profile->num_unbalanced = profile->num_lost = profile->early_ns = 0;
    memset(profile->overheads, 0, sizeof profile->overheads);
    prof_marks_reset(profile);
    profile->step_ticks = prof_now(profile);
    profile->begin_ns = clock_ns();
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
    event.enqueued_ns = event.start_ns;
    event.thread = stream_number(profile, timing->stream);
    event.parent = event.caller = timing->event;
    profile->events[timing->event].is_caller = true;
    event.is_caller = false;
    ProfStream *stream = &profile->streams.data[event.thread];
    event.start_ns = (int64_t)*near_ns + profile->anchor_ns - profile->begin_ns;
    if (event.start_ns < stream->end_ns) event.start_ns = stream->end_ns; /* rounding */
    event.end_ns = stream->end_ns = event.start_ns + (int64_t)took_ns;
    if (prof_add(profile, &event) >= 0) profile->has_device = true;
    return true;
}

static void finish(tern_profile *profile) {
    prof_name_frames(profile);
    prof_marks_to_events(profile);
    if (profile->out_of_memory) return;
    double near_ns = 0;
    int timed = 0;
    while (timed < profile->num_timings &&
           add_device_event(profile, &profile->timings[timed],
                            timed ? profile->timings[timed - 1].before : profile->anchor, &near_ns))
        timed++;
    profile->num_untimed += profile->num_timings - timed;
    if (profile->cupti.subscriber) prof_activity(profile);
    prof_tree(profile->scratch, profile->events, profile->num_events);
}

static tern_status window_close(tern_profile *profile) {
    look_away(profile);
    profile->end_ns = clock_ns();
    prof_clock_stop(&profile->clock);
    tern_status status = tern_synchronize(profile->context);
    if (setjmp(profile->no_memory)) profile->out_of_memory = true;
    if (!profile->out_of_memory) finish(profile);
    free_timings(profile);
    cupti_close(&profile->cupti);
    if (profile->out_of_memory) return TERN_ERROR_NO_MEMORY;
    prof_measure_launch(profile);
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
    int64_t now = prof_now(profile);
    prof_mark(profile, "ProfilerStep*", profile->step_ticks, now);
    profile->step_ticks = now;
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
    profile->names.arena = profile->shapes.arena = profile->stacks.arena =
        profile->shape_key.arena = profile->arena;
    profile->context = context;
    prof_clock_start(&profile->clock);
    profile->device = str_copy(profile->arena, str_of(tern_device_description(context))).data;
    if (!options->max_events || options->max_events > MOST_EVENTS)
        options->max_events = PROF_MARKS_AT_START;
    if (!is_sane(options) || !watch(profile)) return NULL;
    prof_marks_reserve(profile);
    if (options->frames) prof_frames_ready(profile);
    profile->range_ns = prof_measure_range(profile, false);
    profile->call_ns = prof_measure_range(profile, true);
    profile->launch_ns = -1;
    look_away(profile);
    profile->is_running = true;
    if (!window_open(profile)) return NULL;
    profile->phase = PROF_WAIT;
    return enter(profile, phase_of(options, 0), true) ? NULL : profile;
}

static void give_up(tern_profile *profile) {
    profile->is_running = false;
    look_away(profile);
    tern_profile_free(profile);
}

tern_profile *tern_profile_start(tern_context *context, const tern_profile_options *options) {
    tern_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return NULL;
    if (options)
        memcpy(&profile->options, options,
               options->size && options->size < sizeof *options ? options->size : sizeof *options);
    if (start(context, profile)) return profile;
    give_up(profile);
    return NULL;
}

tern_profile *prof_start_process(tern_context *context, const char *name, char *words,
                                 size_t size) {
    tern_profile *profile = calloc(1, sizeof *profile);
    snprintf(words, size, "out of memory");
    if (!profile) return NULL;
    profile->of_process = true;
    if (start(context, profile)) {
        profile->device = prof_name(profile, name);
        return profile;
    }
    if (*profile->why_events) snprintf(words, size, "%s", profile->why_events);
    give_up(profile);
    return NULL;
}

/* In the middle of a cycle what was kept so far is what there is. */
tern_status tern_profile_stop(tern_profile *profile) {
    if (!profile->is_running) return TERN_OK;
    profile->is_running = false;
    if (profile->phase != PROF_ACTIVE && !profile->is_ready) {
        free_timings(profile);
        cupti_close(&profile->cupti);
        prof_marks_reset(profile);
        profile->num_events = 0;
    }
    return profile->is_ready ? TERN_OK : window_close(profile);
}

void tern_profile_free(tern_profile *profile) {
    if (!profile) return;
    if (profile->is_running) tern_profile_stop(profile);
    free_timings(profile);
    cupti_close(&profile->cupti);
    prof_marks_free(profile);
    free(profile->timings);
    free(profile->events);
    arena_free(profile->scratch);
    arena_free(profile->arena);
    free(profile);
}
