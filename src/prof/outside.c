// SPDX-License-Identifier: Apache-2.0
#include "prof/outside.h"

#include "prof/prof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Thread_local bool outside_is_off;

enum { MOST_REPORTS = 1000 };

struct Outside {
    tern_profile *profile;
    char folder[4000];
    char why[256]; /* there is no profile */
};

Outside *outside_begin(tern_context *context) {
    const char *folder = getenv("TERN_PROFILE"), *frames = getenv("TERN_PROFILE_FRAMES");
    if (!folder || !*folder || outside_is_off) return NULL;
    Outside *outside = calloc(1, sizeof *outside);
    if (!outside) return NULL;
    snprintf(outside->folder, sizeof outside->folder, "%s", folder);
    outside->profile =
        strlen(folder) < sizeof outside->folder
            ? tern_profile_start(
                  context, &(tern_profile_options){.shapes = true, .frames = frames && *frames})
            : NULL;
    if (outside->profile) return outside;
    free(outside);
    return NULL;
}

void outside_stack(Outside *outside, int (*stack)(void *user, const char **names, int most),
                   void *user) {
    if (!outside) return;
    outside->profile->options.stack = stack;
    outside->profile->options.user = user;
}

/* The first number that no report has, of any process; 0: there is none, or no folder. */
static int reserve(const Outside *outside, FILE **table) {
    for (int number = 1; number <= MOST_REPORTS; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.txt", outside->folder, number);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST) continue;
        *table = file < 0 ? NULL : fdopen(file, "w");
        if (file >= 0 && !*table) close(file);
        return *table ? number : 0;
    }
    return 0;
}

/* What the disk refuses is said below the table; an empty one says that it was refused itself. */
static void write_table(const Outside *outside, FILE *table, const char *refused) {
    char *text = outside->profile ? tern_profile_table(outside->profile, NULL) : NULL;
    if (outside->profile)
        fputs(text ? text : "out of memory\n", table);
    else
        fprintf(table, "nothing was recorded: %s\n", outside->why);
    fputs(refused, table);
    if (fflush(table) && ftruncate(fileno(table), 0)) clearerr(table);
    fclose(table);
    tern_free(text);
}

static void write_reports(const Outside *outside) {
    static const struct {
        tern_profile_format format;
        const char *ending;
    } files[] = {{TERN_PROFILE_CHROME, "json"},
                 {TERN_PROFILE_HTML, "html"},
                 {TERN_PROFILE_FOLDED, "folded"},
                 {TERN_PROFILE_FLAME, "svg"}};
    FILE *table;
    int number = reserve(outside, &table);
    char refused[4 * 4200] = "";
    size_t length = 0;
    if (!number) return;
    for (size_t i = 0; outside->profile && i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.%s", outside->folder, number, files[i].ending);
        tern_status status = tern_profile_save(outside->profile, files[i].format, path);
        if (status)
            length += (size_t)snprintf(refused + length, sizeof refused - length, "%s\n",
                                       status == TERN_ERROR_SYSTEM
                                           ? tern_message(outside->profile->context)
                                           : "out of memory");
    }
    write_table(outside, table, refused);
}

void outside_end(Outside *outside) {
    if (!outside) return;
    tern_profile_stop(outside->profile);
    write_reports(outside);
    tern_profile_free(outside->profile);
    free(outside);
}

/* ---- any program of CUDA ---- */

/* Of the process: the driver's interface has no place for it, nor has an exit's. */
static struct {
    Outside outside;
    tern_context *context; /* its device does nothing, and takes nothing */
    pid_t process;         /* a child that was forked has not recorded what it would write */
} injected;

static void end_injected(void) {
    if (getpid() != injected.process) return;
    if (injected.outside.profile) tern_profile_stop(injected.outside.profile);
    write_reports(&injected.outside);
    tern_profile_free(injected.outside.profile);
    tern_close(injected.context);
}

/* Before the driver has begun: nothing here may call it. What follows is as it would be without. */
int InitializeInjection(void) {
    const char *folder = getenv("TERN_PROFILE_CUDA");
    char name[300];
    Outside *outside = &injected.outside;
    if (!folder || !*folder || strlen(folder) >= sizeof outside->folder || injected.process)
        return 0;
    injected.process = getpid();
    strcpy(outside->folder, folder);
    injected.context = tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL,
                                 outside->why, sizeof outside->why);
    snprintf(name, sizeof name, "CUDA in %s, process %d", program_invocation_short_name,
             (int)injected.process);
    if (injected.context)
        outside->profile =
            prof_start_process(injected.context, name, outside->why, sizeof outside->why);
    return atexit(end_injected) == 0;
}
