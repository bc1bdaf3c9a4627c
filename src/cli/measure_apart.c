// SPDX-License-Identifier: Apache-2.0
/* measure_apart: a point in a process of its own. The child sends the result as it lies in memory,
 * then the texts and samples that it points at: both are the same program. */
#include "cli/measure.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool send_bytes(int to, const void *bytes, size_t size) {
    for (const char *at = bytes; size;) {
        ssize_t written = write(to, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool send_text(int to, const char *text, size_t length) {
    return send_bytes(to, &length, sizeof length) && send_bytes(to, text ? text : "", length);
}

_Noreturn static void child(const Cli *cli, Arena *arena, const MeasureRequest *request, int to) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    Measured measured;
    for (int i = 0; i < COUNT(crashes); i++)
        signal(crashes[i], SIG_DFL); /* the parent has the words */
    measure_point(cli, arena, request, &measured);
    const tern_timing *timing = &measured.timing;
    bool sent = send_bytes(to, &measured, sizeof measured) &&
                send_text(to, measured.words, measured.words ? strlen(measured.words) : 0) &&
                send_text(to, measured.trust.data, (size_t)measured.trust.length) &&
                send_text(to, measured.doubts.data, (size_t)measured.doubts.length) &&
                send_text(to, (const char *)timing->samples,
                          timing->samples ? timing->num_samples * sizeof(double) : 0);
    fflush(NULL);
    _exit(sent ? 0 : 1);
}

/* Ctrl-C reaches the child through its terminal; a signal that was sent to us alone, through us. */
static bool receive(int from, pid_t sender, void *bytes, size_t size) {
    static bool told;
    for (char *at = bytes; size;) {
        ssize_t got = read(from, at, size);
        if (got < 0 && errno == EINTR) {
            if (measure_interrupted() && !told) told = true, kill(sender, SIGINT);
            continue;
        }
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool receive_text(int from, pid_t sender, Arena *arena, Str *text) {
    size_t length;
    if (!receive(from, sender, &length, sizeof length) || length > ((size_t)1 << 30)) return false;
    char *bytes = arena_array(arena, char, (int)length + 1);
    *text = (Str){bytes, (int)length};
    return receive(from, sender, bytes, length);
}

static bool receive_all(int from, pid_t sender, Arena *arena, Measured *measured) {
    Str words, samples;
    if (!receive(from, sender, measured, sizeof *measured)) return false;
    measured->timing.samples = NULL;
    if (!receive_text(from, sender, arena, &words) ||
        !receive_text(from, sender, arena, &measured->trust) ||
        !receive_text(from, sender, arena, &measured->doubts) ||
        !receive_text(from, sender, arena, &samples))
        return false;
    measured->words = words.data;
    if (!samples.length) return true;
    measured->timing.samples = malloc((size_t)samples.length); /* for tern_timing_free */
    if (measured->timing.samples)
        memcpy(measured->timing.samples, samples.data, (size_t)samples.length);
    return measured->timing.samples != NULL;
}

static void failed(Arena *arena, Measured *measured, int code, const char *words) {
    tern_timing_free(&measured->timing);
    *measured = (Measured){.exit_code = code, .words = words, .device = "cpu"};
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
    *measured = (Measured){0};
    fflush(NULL);
    pid_t process = pipe(ends) ? -1 : fork();
    if (process < 0) {
        failed(arena, measured, EXIT_SYSTEM,
               str_format(arena, "cannot start a process: %s", strerror(errno)).data);
        return;
    }
    if (process == 0) {
        close(ends[0]);
        child(cli, arena, request, ends[1]);
    }
    close(ends[1]);
    bool fine = receive_all(ends[0], process, arena, measured);
    close(ends[0]);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    if (!fine)
        failed(arena, measured, measure_interrupted() ? EXIT_SYSTEM : EXIT_WRONG,
               crash_words(arena, status));
}
