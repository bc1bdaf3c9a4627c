// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds_wanted(void) {
    const char *text = getenv("TERN_PROGRESS");
    char *end;
    double seconds = text ? strtod(text, &end) : 5;
    return text && (end == text || *end || !(seconds >= 0 && seconds < 1e6)) ? 5 : seconds;
}

void progress_start(Progress *progress, const Cli *cli) {
    double seconds = seconds_wanted();
    *progress = (Progress){.cli = cli,
                           .is_silent = cli->quiet || seconds == 0,
                           .is_terminal = isatty(STDERR_FILENO) == 1,
                           .every_ms = seconds * 1e3,
                           .started_ms = clock_ms()};
    progress->next_ms = progress->started_ms + progress->every_ms;
}

bool progress_is_due(Progress *progress, double now) {
    if (progress->is_silent || (!progress->is_terminal && now < progress->next_ms)) return false;
    progress->next_ms = now + progress->every_ms;
    return true;
}

/* Not through stdio, whose locks a process that is forked meanwhile would inherit. */
static void draw(Progress *progress, double now) {
    int seconds = (int)((now - progress->started_ms) / 1e3);
    dprintf(STDERR_FILENO, "%stern %s: %s, %d s%s", progress->is_terminal ? "\r\033[K" : "",
            progress->cli->command->name, progress->words, seconds,
            progress->is_terminal ? "" : "\n");
    progress->is_drawn = true;
}

void progress_say(Progress *progress, const char *format, ...) {
    va_list args;
    if (progress->is_watching) pthread_mutex_lock(&progress->lock);
    va_start(args, format);
    vsnprintf(progress->words, sizeof progress->words, format, args);
    va_end(args);
    double now = clock_ms();
    if (!progress->is_watching && progress_is_due(progress, now)) draw(progress, now);
    if (progress->is_watching) pthread_mutex_unlock(&progress->lock);
}

int progress_wait(const Progress *progress) {
    double left = progress->next_ms - clock_ms();
    if (progress->is_silent || progress->is_terminal) return -1;
    return left > 0 ? (int)fmin(left, 1e6) + 1 : 0;
}

void progress_repeat(Progress *progress) {
    double now = clock_ms();
    if (progress_is_due(progress, now)) draw(progress, now);
}

static void *watch(void *user) {
    Progress *progress = user;
    pthread_mutex_lock(&progress->lock);
    while (!progress->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        double wait_ms = progress->next_ms - clock_ms();
        int64_t at = until.tv_nsec + (int64_t)((wait_ms > 1 ? wait_ms : 1) * 1e6);
        until.tv_sec += at / 1000000000;
        until.tv_nsec = at % 1000000000;
        pthread_cond_timedwait(&progress->wake, &progress->lock, &until);
        double now = clock_ms();
        if (progress->stop || now < progress->next_ms) continue;
        progress_is_due(progress, now);
        draw(progress, now);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void progress_watch(Progress *progress, const char *words) {
    sigset_t all, before; /* signals are the command's own thread's to take */
    if (progress->is_silent) return;
    snprintf(progress->words, sizeof progress->words, "%s", words);
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->wake, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->is_watching = pthread_create(&progress->thread, NULL, watch, progress) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(Progress *progress) {
    if (progress->is_watching) {
        pthread_mutex_lock(&progress->lock);
        progress->stop = true;
        pthread_cond_signal(&progress->wake);
        pthread_mutex_unlock(&progress->lock);
        pthread_join(progress->thread, NULL);
        pthread_cond_destroy(&progress->wake);
        pthread_mutex_destroy(&progress->lock);
        progress->is_watching = false;
    }
    if (progress->is_drawn && progress->is_terminal) dprintf(STDERR_FILENO, "\r\033[K");
    progress->is_drawn = false;
}
