// SPDX-License-Identifier: Apache-2.0
/* trace: events as Chrome's trace format, by the rules of the importers that read it, and as lines.
 *
 * Times are microseconds from baseTimeNanoseconds with three decimals: a double cannot hold the
 * nanoseconds of an epoch. A slice comes before its arrows; an arrow has the time of the slice that
 * it leaves or enters. Device pids lie above any pid of Linux. */
#include "prof/prof.h"

#include <time.h>
#include <unistd.h>

enum { DEVICE_PID = 5000000 };

static const char *category(const ProfEvent *event) {
    switch (event->kind) {
    case TERN_CALL_RANGE: return "user_annotation";
    case TERN_CALL_OP: return "cpu_op";
    case TERN_CALL_LAUNCH:
    case TERN_CALL_GRAPH: return event->on_device ? "kernel" : "cpu_op";
    case TERN_CALL_WRITE:
    case TERN_CALL_READ: return event->on_device ? "gpu_memcpy" : "cpu_op";
    case TERN_CALL_FILL: return event->on_device ? "gpu_memset" : "cpu_op";
    case TERN_CALL_WAIT: return "cuda_sync";
    case TERN_CALL_COMPILE: return "cpu_op";
    case TERN_CALL_DRIVER: return strncmp(event->name, "cuda", 4) ? "cuda_driver" : "cuda_runtime";
    }
    return "cpu_op";
}

static void put_us(Buf *out, int64_t ns) {
    buf_printf(out, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

static int device_pid(const tern_profile *profile, int64_t stream) {
    return DEVICE_PID + (int)profile->streams.data[stream].device;
}

static void put_place(Buf *out, const tern_profile *profile, const ProfEvent *event, int pid) {
    buf_printf(out, "\"pid\":%d,\"tid\":%lld",
               event->on_device ? device_pid(profile, event->thread) : pid,
               (long long)event->thread);
}

static void put_number(Buf *out, const char *name, uint64_t number) {
    buf_printf(out, "%s\"%s\":%llu", out->data[out->length - 1] == '{' ? "" : ",", name,
               (unsigned long long)number);
}

/* From the innermost. */
static void put_frames(Buf *out, const ProfFrames *frames, char between) {
    Buf text = {.arena = out->arena};
    buf_puts(&text, "");
    for (int i = 0; i < frames->count; i++) {
        if (i) buf_putc(&text, between);
        buf_puts(&text, frames->names[i]);
    }
    buf_json(out, buf_str(&text));
}

/* As Kineto names them. The call that enqueued and what it enqueued have one "correlation". */
static void put_args(Buf *out, const tern_profile *profile, int index) {
    const ProfEvent *event = &profile->events[index];
    bool has_parent = event->on_device && event->parent >= 0;
    buf_puts(out, ",\"args\":{");
    put_number(out, "External id", (uint64_t)(has_parent ? event->parent : index) + 1);
    if (event->on_device && event->caller >= 0)
        put_number(out, "correlation", (uint64_t)event->caller + 1);
    if (event->on_device) {
        const ProfStream *stream = &profile->streams.data[event->thread];
        put_number(out, "device", stream->device);
        put_number(out, "stream", stream->id);
    } else if (event->is_caller)
        put_number(out, "correlation", (uint64_t)index + 1);
    if (event->shapes) buf_printf(out, ",\"Input Dims\":%s", event->shapes);
    if (event->frames && !event->on_device) {
        buf_puts(out, ",\"Call stack\":");
        put_frames(out, event->frames, ';');
    }
    if (event->kind == TERN_CALL_LAUNCH)
        buf_printf(out, ",\"grid\":[%u,%u,%u]", event->grid[0], event->grid[1], event->grid[2]);
    if (event->kernel) {
        const uint32_t *block = event->kernel->block;
        buf_printf(out, ",\"block\":[%u,%u,%u]", block[0], block[1], block[2]);
        put_number(out, "registers per thread", (uint64_t)event->kernel->registers);
        put_number(out, "shared memory", (uint64_t)event->kernel->shared_bytes);
        put_number(out, "local memory per thread", (uint64_t)event->kernel->local_bytes);
    }
    if (event->bytes) put_number(out, "bytes", event->bytes);
    if (event->on_device && event->bytes && event->end_ns > event->start_ns)
        buf_printf(out, ",\"memory bandwidth (GB/s)\":%.6g",
                   (double)event->bytes / (double)(event->end_ns - event->start_ns));
    buf_putc(out, '}');
}

static void put_slice(Buf *out, const tern_profile *profile, int index, int pid) {
    const ProfEvent *event = &profile->events[index];
    int64_t took = event->end_ns - event->start_ns;
    buf_puts(out, ",\n{\"ph\":\"X\",\"cat\":");
    buf_json(out, str_of(category(event)));
    buf_puts(out, ",\"name\":");
    buf_json(out, str_of(event->name));
    buf_putc(out, ',');
    put_place(out, profile, event, pid);
    buf_puts(out, ",\"ts\":");
    put_us(out, event->start_ns);
    buf_puts(out, ",\"dur\":");
    put_us(out, took > 0 ? took : 1);
    put_args(out, profile, index);
    buf_putc(out, '}');
}

static void put_arrow(Buf *out, const tern_profile *profile, int index, const char *phase, int id,
                      int pid) {
    const ProfEvent *event = &profile->events[index];
    buf_printf(out, ",\n{\"ph\":\"%s\",%s\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,", phase,
               *phase == 'f' ? "\"bp\":\"e\"," : "", id);
    put_place(out, profile, event, pid);
    buf_puts(out, ",\"ts\":");
    put_us(out, event->start_ns);
    buf_puts(out, "}");
}

static void put_name(Buf *out, const char *what, int pid, int64_t tid, const char *name) {
    buf_printf(out,
               ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%lld,\"args\":{\"name\":", what,
               pid, (long long)tid);
    buf_json(out, str_of(name));
    buf_puts(out, "}}");
}

/* The context's has a name; of a process that uses several, each has its number. */
static void put_devices(Buf *out, const tern_profile *profile) {
    const ProfStream *streams = profile->streams.data;
    bool are_several = false;
    for (int i = 1; i < profile->streams.count; i++)
        are_several |= streams[i].device != streams[0].device;
    for (int i = 0; i < profile->streams.count; i++) {
        int before = 0;
        while (streams[before].device != streams[i].device) before++;
        if (before != i) continue;
        Str number = str_format(out->arena, "GPU %u", streams[i].device);
        put_name(out, "process_name", device_pid(profile, i), 0,
                 are_several ? number.data : profile->device);
    }
}

static void put_names(Buf *out, const tern_profile *profile, int pid) {
    ProfTracks tracks = prof_tracks(profile->scratch, profile->events, profile->num_events);
    /* The first event of the list: it needs no comma before it. */
    buf_printf(out,
               "\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"tid\":0,\"args\":"
               "{\"sort_index\":0}}",
               pid);
    put_name(out, "process_name", pid, 0, "host");
    put_devices(out, profile);
    for (int i = 0; i < tracks.count; i++) {
        const ProfTrack *track = &tracks.data[i];
        Str words = prof_track_name(profile, track);
        put_name(out, "thread_name", track->on_device ? device_pid(profile, track->thread) : pid,
                 track->thread, words.data);
    }
}

static void put_head(Buf *out, const tern_profile *profile) {
    struct timespec now, epoch;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_REALTIME, &epoch);
    int64_t ago = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - profile->begin_ns;
    buf_puts(out, "{\"schemaVersion\":1,\"deviceProperties\":[");
    if (profile->has_device) {
        buf_puts(out, "{\"id\":0,\"name\":");
        buf_json(out, str_of(profile->device));
        buf_putc(out, '}');
    }
    buf_printf(out, "],\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":%lld,\"traceEvents\":[",
               (long long)((int64_t)epoch.tv_sec * 1000000000 + epoch.tv_nsec - ago));
}

void prof_chrome(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    int pid = (int)getpid();
    put_head(out, profile);
    put_names(out, profile, pid);
    for (int i = 0; i < profile->num_events; i++) {
        put_slice(out, profile, i, pid);
        prof_drain(file);
    }
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (!event->on_device || event->caller < 0) continue;
        put_arrow(out, profile, event->caller, "s", i + 1, pid);
        put_arrow(out, profile, i, "f", i + 1, pid);
        prof_drain(file);
    }
    buf_printf(out,
               ",\n{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\",\"pid\":%d,\"tid\":0,"
               "\"ts\":",
               pid);
    put_us(out, profile->end_ns - profile->begin_ns);
    buf_puts(out, "}\n]}\n");
}

void prof_jsonl(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    buf_puts(out, "");
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        buf_puts(out, "{\"name\":");
        buf_json(out, str_of(event->name));
        buf_printf(out,
                   ",\"side\":\"%s\",\"kind\":\"%s\",\"track\":%lld,\"start_ns\":%lld,"
                   "\"end_ns\":%lld,\"parent\":%d,\"bytes\":%zu,\"shapes\":%s",
                   event->on_device ? "device" : "host", category(event), (long long)event->thread,
                   (long long)event->start_ns, (long long)event->end_ns, event->parent,
                   event->bytes, event->shapes ? event->shapes : "null");
        if (event->frames) {
            buf_puts(out, ",\"frames\":");
            put_frames(out, event->frames, '\n');
        }
        buf_puts(out, "}\n");
        prof_drain(file);
    }
}
