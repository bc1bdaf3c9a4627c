// SPDX-License-Identifier: Apache-2.0
/* measure_apart: a point in a process of its own, which sends the result as bytes. */
#include "cli/measure.h"
#include "cli/parcel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- as bytes ---- */

void measured_put(Buf *out, const Measured *measured) {
    const tern_timing *timing = &measured->timing;
    parcel_put(out, measured, sizeof *measured);
    parcel_put_text(out, measured->words);
    parcel_put(out, measured->trust.data, (size_t)measured->trust.length);
    parcel_put(out, measured->doubts.data, (size_t)measured->doubts.length);
    parcel_put(out, timing->samples, timing->samples ? timing->num_samples * sizeof(double) : 0);
}

static bool take_str(Arena *arena, Str *rest, Str *text) {
    Str bytes;
    if (!parcel_take_bytes(rest, &bytes)) return false;
    *text = (Str){str_c(arena, bytes), bytes.length};
    return true;
}

bool measured_take(Arena *arena, Str *rest, Measured *measured) {
    Str samples;
    if (!parcel_take(rest, measured, sizeof *measured)) return false;
    measured->timing.samples = NULL;
    if (!parcel_take_text(arena, rest, &measured->words) ||
        !take_str(arena, rest, &measured->trust) || !take_str(arena, rest, &measured->doubts) ||
        !parcel_take_bytes(rest, &samples))
        return false;
    if (!samples.length) return true;
    if ((size_t)samples.length != measured->timing.num_samples * sizeof(double)) return false;
    measured->timing.samples = malloc((size_t)samples.length); /* for tern_timing_free */
    if (measured->timing.samples)
        memcpy(measured->timing.samples, samples.data, (size_t)samples.length);
    return measured->timing.samples != NULL;
}

/* ---- a process of its own ---- */

_Noreturn static void child(const Cli *cli, Arena *arena, const MeasureRequest *request, int to) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    Measured measured;
    for (int i = 0; i < COUNT(crashes); i++)
        signal(crashes[i], SIG_DFL); /* the parent has the words */
    measure_point(cli, arena, request, &measured);
    Buf out = {.arena = arena};
    measured_put(&out, &measured);
    bool sent = parcel_send(to, out.data, out.length);
    fflush(NULL);
    _exit(sent ? 0 : 1);
}

/* Ctrl-C reaches the child through its terminal; a signal that was sent to us alone, through us. */
static void receive_all(int from, pid_t sender, Buf *bytes) {
    static bool told;
    for (;;) {
        char part[4096];
        ssize_t got = read(from, part, sizeof part);
        if (got < 0 && errno == EINTR) {
            if (measure_interrupted() && !told) told = true, kill(sender, SIGINT);
            continue;
        }
        if (got <= 0) return;
        buf_add(bytes, part, (size_t)got);
    }
}

void measured_failed(Arena *arena, Measured *measured, int code, const char *device,
                     const char *words) {
    tern_timing_free(&measured->timing);
    *measured = (Measured){.exit_code = code, .words = words};
    snprintf(measured->device, sizeof measured->device, "%s", device);
    measured->trust = measured->doubts = (Str){str_c(arena, STR("")), 0};
}

static const char *crash_words(Arena *arena, int status) {
    if (!WIFSIGNALED(status))
        return str_format(arena, "the kernel's process ended with exit code %d",
                          WEXITSTATUS(status))
            .data;
    return str_format(
               arena,
               "the kernel crashed (%s): '--device interp' checks every access and names the line",
               strsignal(WTERMSIG(status)))
        .data;
}

void measure_point_apart(const Cli *cli, Arena *arena, const MeasureRequest *request,
                         Measured *measured) {
    int ends[2], status = 0;
    Buf bytes = {.arena = arena};
    *measured = (Measured){0};
    fflush(NULL);
    pid_t process = pipe(ends) ? -1 : fork();
    if (process < 0) {
        measured_failed(arena, measured, EXIT_SYSTEM, "cpu",
                        str_format(arena, "cannot start a process: %s", strerror(errno)).data);
        return;
    }
    if (process == 0) {
        close(ends[0]);
        child(cli, arena, request, ends[1]);
    }
    close(ends[1]);
    receive_all(ends[0], process, &bytes);
    close(ends[0]);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    Str rest = buf_str(&bytes);
    if (!measured_take(arena, &rest, measured))
        measured_failed(arena, measured, measure_interrupted() ? EXIT_SYSTEM : EXIT_WRONG, "cpu",
                        crash_words(arena, status));
}
