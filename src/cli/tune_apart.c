// SPDX-License-Identifier: Apache-2.0
/* tune_apart: candidates in processes of their own, with a time limit, several at once. What
 * crashes, hangs, writes outside of its tensors or fails --check is out, and the others go on.
 *
 * A GPU's driver does not live on in a fork. So where the device may be one, a process that has not
 * touched the driver is kept from the start (the nursery): it reads the same space of candidates on
 * interp, and forks those that open the GPU. What they compile is in the driver's cache on disk
 * when the command's own process compiles it again. */
#include "cli/measure.h"
#include "cli/parcel.h"
#include "cli/tune.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 64, MOST_ON_GPU = 8 };

/* ---- one candidate, alone ---- */

/* What was complained, in one line, without the command's name in front. */
const char *tune_words(Arena *arena, const char *text) {
    static const char prefix[] = "tern tune: ";
    if (!strncmp(text, prefix, sizeof prefix - 1)) text += sizeof prefix - 1;
    return str_c(arena, (Str){text, (int)strcspn(text, "\n")});
}

enum { RED_ZONE_BYTES = 1 << 16 };

_Noreturn static void child(Tune *tune, Entry *entry, int to) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT};
    Buf complaints = {.arena = tune->cli->arena};
    for (int i = 0; i < COUNT(crashes); i++) signal(crashes[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a kernel that hangs ends with whoever waits for it */
    buf_puts(&complaints, "");
    entry->cli.complaints = &complaints;
    /* Where a GPU has no room for one more process, it is tried in the command's own. */
    tern_candidate_state state = tune->is_nursery ? TERN_CANDIDATE_WAITS : TERN_CANDIDATE_REFUSED;
    if (!bound_open(&entry->bound, &entry->cli, tune->cli->device, tune->operand)) {
        bool guards = !tern_device_property(tern_device_name(entry->bound.context),
                                            TERN_DEVICE_CHECKS_ACCESSES);
        entry->bound.red_zone_bytes = guards ? RED_ZONE_BYTES : 0;
        entry->bound.is_guest = true; /* what was found before is not asked for */
        entry->bound.env.draws = tune->base.env.draws;
        state = tune_try_one(tune, entry, true);
        bool is_full = tern_message_status(entry->bound.context) == TERN_ERROR_NO_MEMORY;
        if (tune->is_nursery && is_full && state != TERN_CANDIDATE_READY)
            state = TERN_CANDIDATE_WAITS;
    }
    const char *words = tune_words(tune->cli->arena, complaints.data);
    parcel_send(to, words, strlen(words));
    _exit(100 + (int)state);
}

/* A candidate in a process of its own. */
typedef struct Attempt {
    Entry *entry;
    pid_t process;
    int from; /* what it says */
    double end_ms;
    Buf words;
} Attempt;

static bool attempt_begin(Tune *tune, Entry *entry, Attempt *attempt) {
    int ends[2];
    fflush(NULL);
    entry->state = TERN_CANDIDATE_FAILED;
    entry->words = "cannot start a process";
    if (pipe(ends)) return false;
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        child(tune, entry, ends[1]);
    }
    close(ends[1]);
    if (process < 0) close(ends[0]);
    *attempt = (Attempt){.entry = entry,
                         .process = process,
                         .from = ends[0],
                         .end_ms = clock_ms() + tune->limit_s * 1e3,
                         .words.arena = tune->cli->arena};
    buf_puts(&attempt->words, "");
    return process > 0;
}

/* Whether it has ended by itself: else its time is over, or Ctrl-C. */
static void attempt_end(const Tune *tune, Attempt *attempt, bool ended) {
    Arena *arena = tune->cli->arena;
    Entry *entry = attempt->entry;
    int status = 0;
    close(attempt->from);
    if (!ended) kill(attempt->process, SIGKILL);
    while (waitpid(attempt->process, &status, 0) < 0 && errno == EINTR) continue;
    entry->words = attempt->words.data;
    if (!ended && measure_interrupted())
        entry->state = TERN_CANDIDATE_WAITS;
    else if (!ended) {
        entry->state = TERN_CANDIDATE_HUNG;
        entry->words = str_format(arena, "no end within %g s", tune->limit_s).data;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) >= 100)
        entry->state = (tern_candidate_state)(WEXITSTATUS(status) - 100);
    else
        entry->words = str_format(arena, "its process crashed (%s)",
                                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended")
                           .data;
}

/* Reads what it says. False: it has ended. */
static bool attempt_listen(Attempt *attempt) {
    char bytes[512];
    ssize_t count = read(attempt->from, bytes, sizeof bytes);
    if (count > 0) buf_add(&attempt->words, bytes, (size_t)count);
    return count > 0 || (count < 0 && errno == EINTR);
}

/* Waits until any says something, or for a while; returns how many still run. */
static int attempts_wait(const Tune *tune, Attempt *attempts, int count) {
    struct pollfd waits[MOST_AT_ONCE];
    int kept = 0;
    for (int i = 0; i < count; i++)
        waits[i] = (struct pollfd){.fd = attempts[i].from, .events = POLLIN};
    bool any = poll(waits, (nfds_t)count, 50) > 0;
    for (int i = 0; i < count; i++) {
        bool ended = any && waits[i].revents && !attempt_listen(&attempts[i]);
        if (ended || clock_ms() > attempts[i].end_ms || measure_interrupted())
            attempt_end(tune, &attempts[i], ended);
        else
            attempts[kept++] = attempts[i];
    }
    return kept;
}

static Entry *next_wanted(Tune *tune, int *at) {
    while (*at < tune->entries.count)
        if (tune->entries.data[(*at)++].is_wanted) return &tune->entries.data[*at - 1];
    return NULL;
}

/* As many at once as there are processors: compiling takes most of it, and nothing is timed yet. */
void tune_try_apart(Tune *tune) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int limit = tune->is_nursery ? MOST_ON_GPU : MOST_AT_ONCE;
    int most = cores < 1 ? 1 : cores > limit ? limit : (int)cores;
    Attempt attempts[MOST_AT_ONCE];
    int running = 0, at = 0;
    Entry *entry = NULL;
    do {
        while (running < most && !measure_interrupted() && (entry = next_wanted(tune, &at))) {
            progress_say(&tune->progress, "%d of %d: %s", at, tune->entries.count, entry->name);
            running += attempt_begin(tune, entry, &attempts[running]);
        }
        running = attempts_wait(tune, attempts, running);
    } while (running || (entry && !measure_interrupted()));
}

/* ---- the nursery ---- */

/* The name of the GPU that would be opened, by a process that may touch the driver; NULL: none. */
static const char *gpu_name(const Cli *cli) {
    char name[64] = "";
    int ends[2], code;
    if (pipe(ends)) return NULL;
    pid_t process = fork();
    if (process == 0) {
        tern_context *context = cli_open(cli, NULL, &code);
        const char *found = context ? tern_device_name(context) : "cpu";
        if (!tern_device_property(found, TERN_DEVICE_ON_HOST))
            parcel_send(ends[1], found, strlen(found));
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], name, sizeof name - 1);
    close(ends[0]);
    if (process > 0) waitpid(process, NULL, 0);
    return length > 0 ? str_c(cli->arena, str_of(name)) : NULL;
}

_Noreturn static void nursery(Tune *tune, int to) {
    Cli cli = *tune->cli;
    Buf silence = {.arena = cli.arena}, out = {.arena = cli.arena};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cli.complaints = &silence; /* the command's own process has the same to say */
    tune->cli = &cli;
    tune->is_nursery = true;
    if (!cli.device) cli.device = gpu_name(&cli);
    if (!cli.device || tune_prepare(tune, "interp")) _exit(0);
    for (int i = 0; i < tune->entries.count; i++)
        tune->entries.data[i].is_wanted = tune->entries.data[i].owner == tune->ranks.rank;
    tune_try_apart(tune);
    for (int i = 0; i < tune->entries.count; i++) {
        parcel_put(&out, &tune->entries.data[i].state, sizeof tune->entries.data[i].state);
        parcel_put_text(&out, tune->entries.data[i].words);
    }
    parcel_send(to, out.data, out.length);
    _exit(0);
}

void tune_apart_open(Tune *tune) {
    const char *device = tune->cli->device ? tune->cli->device : getenv("TERN_DEVICE");
    int ends[2];
    if (device && tern_device_property(device, TERN_DEVICE_ON_HOST)) return;
    fflush(NULL);
    if (pipe(ends)) return;
    tune->nursery = fork();
    if (tune->nursery == 0) {
        close(ends[0]);
        nursery(tune, ends[1]);
    }
    close(ends[1]);
    tune->from_nursery = ends[0];
    if (tune->nursery < 0) close(ends[0]);
}

/* What it did not get to stays to be tried here. */
void tune_apart_take(Tune *tune) {
    Buf said = {.arena = tune->cli->arena};
    char bytes[4096];
    ssize_t count;
    if (tune->nursery <= 0) return;
    while ((count = read(tune->from_nursery, bytes, sizeof bytes)) > 0 ||
           (count < 0 && errno == EINTR))
        if (count > 0) buf_add(&said, bytes, (size_t)count);
    Str rest = said.length ? buf_str(&said) : STR("");
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        const char *words;
        tern_candidate_state state;
        if (!parcel_take(&rest, &state, sizeof state) ||
            !parcel_take_text(tune->cli->arena, &rest, &words) || !words)
            break;
        if (entry->is_wanted) entry->state = state, entry->words = words;
    }
    tune_apart_close(tune);
}

void tune_apart_close(Tune *tune) {
    if (tune->nursery <= 0) return;
    close(tune->from_nursery);
    kill(tune->nursery, SIGKILL);
    while (waitpid(tune->nursery, NULL, 0) < 0 && errno == EINTR) continue;
    tune->nursery = 0;
}
