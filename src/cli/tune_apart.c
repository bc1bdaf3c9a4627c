// SPDX-License-Identifier: Apache-2.0
/* tune_apart: candidates in processes of their own, with a time limit, several at once. What
 * crashes, hangs, writes outside of its tensors or fails --check is out, and the others go on.
 *
 * Opening a GPU takes longer than most candidates: there a process goes on to the next one, unless
 * the last may have left it unsound. On the host each has its own.
 *
 * A GPU's driver does not live on in a fork. So where the device may be one, a process that has not
 * touched the driver is kept from the start (the nursery): it reads the same space of candidates on
 * interp, forks those that open the GPU, and says what comes of each as soon as it is known: the
 * command's own process compiles it again, from the driver's cache on disk, while others are
 * tried. */
#include "cli/measure.h"
#include "cli/parcel.h"
#include "cli/tune.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opening a GPU takes a share of the driver that others wait for: eight took longer than four. */
enum { MOST_AT_ONCE = 64, MOST_ON_GPU = 4 };

/* ---- one candidate, alone ---- */

/* What was complained, in one line, without the command's name in front. */
const char *tune_words(Arena *arena, const char *text) {
    static const char prefix[] = "tern tune: ";
    if (!strncmp(text, prefix, sizeof prefix - 1)) text += sizeof prefix - 1;
    return str_c(arena, (Str){text, (int)strcspn(text, "\n")});
}

enum { RED_ZONE_BYTES = 1 << 16 };

/* Whether a process may go on after it: nothing went wrong on the device. */
static bool is_sound(tern_candidate_state state) {
    return state == TERN_CANDIDATE_READY || state == TERN_CANDIDATE_PRUNED ||
           state == TERN_CANDIDATE_REFUSED;
}

static tern_candidate_state try_one(Tune *tune, Bound *host, Entry *entry) {
    /* Where a GPU has no room for one more process, it is tried in the command's own. */
    tern_candidate_state none = tune->is_nursery ? TERN_CANDIDATE_WAITS : TERN_CANDIDATE_REFUSED;
    host->cli = &entry->cli;
    if (!host->context && bound_open(host, &entry->cli, tune->cli->device, tune->operand))
        return none;
    host->env.draws = tune->base.env.draws;
    bound_share(&entry->bound, &entry->cli, host);
    bool guards =
        !tern_device_property(tern_device_name(host->context), TERN_DEVICE_CHECKS_ACCESSES);
    entry->bound.red_zone_bytes = guards ? RED_ZONE_BYTES : 0;
    tern_candidate_state state = tune_try_one(tune, entry, true);
    bool is_full =
        state != TERN_CANDIDATE_READY && tern_message_status(host->context) == TERN_ERROR_NO_MEMORY;
    return tune->is_nursery && is_full ? none : state;
}

/* Reads which candidate it is to try, and says what came of it. */
_Noreturn static void work(Tune *tune, int line) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT};
    Bound host = {0};
    int index;
    for (int i = 0; i < COUNT(crashes); i++) signal(crashes[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a kernel that hangs ends with whoever waits for it */
    while (read(line, &index, sizeof index) == sizeof index) {
        Entry *entry = &tune->entries.data[index];
        Buf complaints = {.arena = tune->cli->arena}, reply = {.arena = tune->cli->arena};
        buf_puts(&complaints, "");
        entry->cli.complaints = &complaints;
        tern_candidate_state state = try_one(tune, &host, entry);
        parcel_put(&reply, &state, sizeof state);
        parcel_put_text(&reply, tune_words(tune->cli->arena, complaints.data));
        parcel_send(line, reply.data, (size_t)reply.length);
        if (!is_sound(state)) break;
        bound_close(&entry->bound);
    }
    _exit(0);
}

/* A process that tries candidates, one at a time. */
typedef struct Worker {
    pid_t process; /* 0: none */
    int line;      /* what it is given and what it says */
    Entry *entry;  /* what it tries; NULL: nothing */
    double end_ms;
    Buf said;
} Worker;

static bool worker_begin(Tune *tune, Worker *worker) {
    int ends[2];
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return false;
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        work(tune, ends[1]);
    }
    close(ends[1]);
    if (process < 0) close(ends[0]);
    *worker = (Worker){.process = process < 0 ? 0 : process, .line = ends[0]};
    return process > 0;
}

/* Its exit status; it is killed if it has not ended. */
static int worker_end(Worker *worker) {
    int status = 0;
    close(worker->line);
    kill(worker->process, SIGKILL);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
    worker->process = 0;
    return status;
}

static void worker_give(Tune *tune, Worker *worker, Entry *entry) {
    int index = (int)(entry - tune->entries.data);
    worker->entry = entry;
    worker->said = (Buf){.arena = tune->cli->arena};
    worker->end_ms = clock_ms() + tune->limit_s * 1e3;
    send(worker->line, &index, sizeof index, MSG_NOSIGNAL); /* one that has died is found so */
}

/* Reads what it says. False: it has ended. */
static bool worker_listen(const Tune *tune, Worker *worker) {
    char bytes[512];
    tern_candidate_state state;
    const char *words;
    ssize_t count = read(worker->line, bytes, sizeof bytes);
    if (count > 0) buf_add(&worker->said, bytes, (size_t)count);
    if (count <= 0) return count < 0 && errno == EINTR;
    Str rest = buf_str(&worker->said);
    if (!parcel_take(&rest, &state, sizeof state) ||
        !parcel_take_text(tune->cli->arena, &rest, &words) || !words)
        return true;
    worker->entry->state = state, worker->entry->words = words;
    worker->entry = NULL;
    if (!tune->is_nursery || !is_sound(state)) worker_end(worker);
    return true;
}

/* It has ended without a word, its time is over, or Ctrl-C. */
static void worker_fails(const Tune *tune, Worker *worker, bool ended) {
    Arena *arena = tune->cli->arena;
    Entry *entry = worker->entry;
    int status = worker_end(worker);
    entry->state = ended ? TERN_CANDIDATE_FAILED : TERN_CANDIDATE_HUNG;
    entry->words = !ended
                       ? str_format(arena, "no end within %g s", tune->limit_s).data
                       : str_format(arena, "its process crashed (%s)",
                                    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended")
                             .data;
    if (!ended && measure_interrupted()) entry->state = TERN_CANDIDATE_WAITS, entry->words = "";
    worker->entry = NULL;
}

/* What came of a candidate, to who waits for it. */
static void report(Tune *tune, const Entry *entry, int to) {
    Buf out = {.arena = tune->cli->arena};
    int index = (int)(entry - tune->entries.data);
    if (to < 0) return;
    parcel_put(&out, &index, sizeof index);
    parcel_put(&out, &entry->state, sizeof entry->state);
    parcel_put_text(&out, entry->words);
    parcel_send(to, out.data, (size_t)out.length);
}

/* Waits until any says something, or for a while. */
static void workers_wait(Tune *tune, Worker *workers, int count, int to) {
    struct pollfd waits[MOST_AT_ONCE];
    for (int i = 0; i < count; i++)
        waits[i] = (struct pollfd){.fd = workers[i].entry ? workers[i].line : -1, .events = POLLIN};
    bool any = poll(waits, (nfds_t)count, 50) > 0;
    for (int i = 0; i < count; i++) {
        Entry *entry = workers[i].entry;
        if (!entry) continue;
        bool ended = any && waits[i].revents && !worker_listen(tune, &workers[i]);
        bool is_late = clock_ms() > workers[i].end_ms || measure_interrupted();
        if (workers[i].entry && (ended || is_late)) worker_fails(tune, &workers[i], ended);
        if (!workers[i].entry) report(tune, entry, to);
    }
}

static Entry *next_wanted(Tune *tune, int *at) {
    while (*at < tune->entries.count)
        if (tune->entries.data[(*at)++].is_wanted) return &tune->entries.data[*at - 1];
    return NULL;
}

/* As many at once as there are processors: compiling takes most of it, and nothing is timed yet. */
static void try_all(Tune *tune, int to) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int limit = tune->is_nursery ? MOST_ON_GPU : MOST_AT_ONCE;
    int most = cores < 1 ? 1 : cores > limit ? limit : (int)cores;
    Worker workers[MOST_AT_ONCE] = {0};
    int at = 0, running;
    do {
        running = 0;
        for (int i = 0; i < most && !measure_interrupted(); i++) {
            Entry *entry = workers[i].entry ? NULL : next_wanted(tune, &at);
            if (entry)
                progress_say(&tune->progress, "%d of %d: %s", at, tune->entries.count, entry->name);
            if (entry && !workers[i].process && !worker_begin(tune, &workers[i])) {
                entry->state = TERN_CANDIDATE_FAILED, entry->words = "cannot start a process";
                report(tune, entry, to);
            } else if (entry)
                worker_give(tune, &workers[i], entry);
        }
        for (int i = 0; i < most; i++) running += workers[i].entry != NULL;
        if (running) workers_wait(tune, workers, most, to);
    } while (running);
    for (int i = 0; i < most; i++)
        if (workers[i].process) worker_end(&workers[i]);
}

void tune_try_apart(Tune *tune) { try_all(tune, -1); }

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
    Buf silence = {.arena = cli.arena};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cli.complaints = &silence; /* the command's own process has the same to say */
    tune->cli = &cli;
    tune->is_nursery = true;
    if (!cli.device) cli.device = gpu_name(&cli);
    if (!cli.device || tune_prepare(tune, "interp")) _exit(0);
    for (int i = 0; i < tune->entries.count; i++)
        tune->entries.data[i].is_wanted = tune->entries.data[i].owner == tune->ranks.rank;
    try_all(tune, to);
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

/* The next record of what it said; false: it is not there yet. */
static bool take_record(Tune *tune) {
    Str rest = {tune->said.data + tune->taken, tune->said.length - tune->taken};
    int index;
    tern_candidate_state state;
    const char *words;
    if (!rest.length || !parcel_take(&rest, &index, sizeof index) ||
        !parcel_take(&rest, &state, sizeof state) ||
        !parcel_take_text(tune->cli->arena, &rest, &words) || !words || index < 0 ||
        index >= tune->entries.count)
        return false;
    tune->taken = tune->said.length - rest.length;
    Entry *entry = &tune->entries.data[index];
    entry->state = state, entry->words = words;
    entry->is_heard = true;
    return true;
}

/* What it did not get to stays to be tried here. */
void tune_apart_take(Tune *tune, const Entry *entry) {
    char bytes[4096];
    while (tune->nursery > 0 && !entry->is_heard) {
        if (take_record(tune)) continue;
        ssize_t count = read(tune->from_nursery, bytes, sizeof bytes);
        if (count > 0)
            buf_add(&tune->said, bytes, (size_t)count);
        else if (!(count < 0 && errno == EINTR))
            tune_apart_close(tune);
    }
}

void tune_apart_close(Tune *tune) {
    if (tune->nursery <= 0) return;
    close(tune->from_nursery);
    kill(tune->nursery, SIGKILL);
    while (waitpid(tune->nursery, NULL, 0) < 0 && errno == EINTR) continue;
    tune->nursery = 0;
}
