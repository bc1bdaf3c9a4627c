// SPDX-License-Identifier: Apache-2.0
/* tune_try: is a candidate right?
 *
 * Each first runs in a process of its own, with a time limit, several at once: what crashes, hangs,
 * writes outside of its tensors or fails --check is out, and the others go on. Those that are left
 * must then agree: results that most others do not share are wrong. On cuda, which does not live on
 * in a fork, they run here. */
#include "cli/check.h"
#include "cli/parcel.h"
#include "cli/tune.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 64 };

/* ---- one candidate, alone ---- */

static tern_status launch(Entry *entry) {
    Bound *bound = &entry->bound;
    tern_status status =
        tern_launch(NULL, bound->kernel, bound->grid, entry->arguments, entry->num_arguments);
    return status ? status : tern_synchronize(bound->context);
}

static bool is_among(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* What tensors get before each sample: zeros, or what they hold now. */
static void keep_restored(const Tune *tune, Entry *entry) {
    const tern_autotune *autotune = &tune->autotune;
    Bound *bound = &entry->bound;
    entry->restored = arena_array(tune->cli->arena, unsigned char *, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++) {
        const char *name = bound->args[i].parameter->name;
        bool is_reset = is_among(autotune->reset_to_zero, autotune->num_reset, name);
        if (!bound->args[i].buffer || bound->args[i].is_shared) continue;
        if (!is_reset && !is_among(autotune->restore_value, autotune->num_restore, name)) continue;
        const Tensor *tensor = bound->args[i].value->tensor;
        entry->restored[i] = arena_array(tune->cli->arena, unsigned char, tensor->storage_bytes);
        if (!is_reset) memcpy(entry->restored[i], tensor->storage, tensor->storage_bytes);
    }
}

/* Compiles, launches once, looks at what came out. entry->bound is open. */
static tern_candidate_state try(Tune *tune, Entry *entry, bool checks) {
    Bound *bound = &entry->bound;
    const MeasureRequest request = {.device = tune->cli->device, .operand = tune->operand};
    Str why;
    if (bound_values(bound) || bound_compile(bound) || bound_upload(bound))
        return TERN_CANDIDATE_REFUSED;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &entry->arguments, &entry->num_arguments, &why)) {
        cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
        return TERN_CANDIDATE_REFUSED;
    }
    keep_restored(tune, entry);
    if (launch(entry)) {
        cli_fail_context(bound->cli, bound->context);
        return TERN_CANDIDATE_FAILED;
    }
    if (bound_check_zones(bound)) return TERN_CANDIDATE_WRONG;
    if (bound_download(bound)) return TERN_CANDIDATE_FAILED;
    if (checks && check_results(&request, bound)) return TERN_CANDIDATE_WRONG;
    return TERN_CANDIDATE_READY;
}

/* What was complained, in one line, without the command's name in front. */
static const char *first_words(Arena *arena, const char *text) {
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
    tern_candidate_state state = TERN_CANDIDATE_REFUSED;
    if (!bound_open(&entry->bound, &entry->cli, tune->cli->device, tune->operand)) {
        bool guards = !tern_device_property(tern_device_name(entry->bound.context),
                                            TERN_DEVICE_CHECKS_ACCESSES);
        entry->bound.red_zone_bytes = guards ? RED_ZONE_BYTES : 0;
        entry->bound.is_guest = true; /* what was found before is not asked for */
        entry->bound.env.draws = tune->base.env.draws;
        state = try(tune, entry, true);
    }
    const char *words = first_words(tune->cli->arena, complaints.data);
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
static void try_apart(Tune *tune) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int most = cores < 1 ? 1 : cores > MOST_AT_ONCE ? MOST_AT_ONCE : (int)cores;
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

/* In this process, in the context that all share: what was tried apart runs here, too. */
static void try_here(Tune *tune, Entry *entry, bool checks) {
    Buf complaints = {.arena = tune->cli->arena};
    buf_puts(&complaints, "");
    entry->cli.complaints = &complaints;
    bound_share(&entry->bound, &entry->cli, &tune->base);
    entry->is_open = true;
    entry->state = try(tune, entry, checks);
    entry->cli.complaints = NULL;
    if (entry->state != TERN_CANDIDATE_READY)
        entry->words = first_words(tune->cli->arena, complaints.data);
}

int tune_try(Tune *tune) {
    bool apart = tern_device_property(tern_device_name(tune->base.context), TERN_DEVICE_ON_HOST);
    if (apart) try_apart(tune);
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        if (!entry->is_wanted) continue;
        entry->is_wanted = false;
        if (measure_interrupted())
            return cli_fail(tune->cli, EXIT_SYSTEM, "interrupted before the race");
        if (!apart)
            progress_say(&tune->progress, "%d of %d: %s", i + 1, tune->entries.count, entry->name);
        if (!apart || entry->state == TERN_CANDIDATE_READY) try_here(tune, entry, !apart);
    }
    return EXIT_OK;
}

/* ---- do they agree? ---- */

static const char *difference(Arena *arena, Entry *entry, const Entry *other) {
    for (int i = 0; i < entry->bound.num_args; i++) {
        const LaunchArg *got = &entry->bound.args[i];
        Mismatch mismatch;
        if (!got->buffer || got->is_shared) continue;
        const LaunchArg *want = bound_arg(&other->bound, str_of(got->parameter->name));
        if (!want || !want->buffer) continue;
        const Tensor *a = got->value->tensor, *b = want->value->tensor;
        if (tensor_count(a) != tensor_count(b)) continue; /* it may well depend on a constant */
        if (results_differ(&entry->bound, got->parameter->name, a, b, &mismatch))
            return str_format(arena, "%lld of %lld elements of '%s': [%lld] is %.9g, not %.9g",
                              (long long)mismatch.wrong, (long long)mismatch.count,
                              got->parameter->name, (long long)mismatch.first, mismatch.got,
                              mismatch.want)
                .data;
    }
    return NULL;
}

static bool is_first(const Tune *tune, int index) {
    const Entry *entry = &tune->entries.data[index];
    return entry->state == TERN_CANDIDATE_READY && entry->is_open && entry->group == index;
}

void tune_group(Tune *tune) {
    Entry *entries = tune->entries.data;
    for (int i = 0; i < tune->entries.count; i++)
        for (int k = 0; k < i && is_first(tune, i); k++)
            if (is_first(tune, k) && !difference(tune->cli->arena, &entries[i], &entries[k]))
                entries[i].group = k;
    for (int i = 0; i < tune->entries.count; i++)
        entries[i].group = entries[entries[i].group].group;
}

static void disagrees(const Tune *tune, Entry *entry, int most, int num_most, int num_groups) {
    Arena *arena = tune->cli->arena;
    entry->state = TERN_CANDIDATE_WRONG;
    if (most < 0) {
        entry->words = str_format(arena,
                                  "one of %d different results, and no majority: --check "
                                  "NAME=VALUE says which is right",
                                  num_groups)
                           .data;
        return;
    }
    const char *words =
        difference(arena, &tune->entries.data[entry->group], &tune->entries.data[most]);
    entry->words =
        str_format(arena, "not as %d others%s%s", num_most, words ? ": " : "", words ? words : "")
            .data;
}

/* With --check NAME=VALUE each was compared with what is right already. */
void tune_agree(Tune *tune) {
    int count = tune->entries.count, most = -1, num_most = 0, num_groups = 0;
    int *members = arena_array(tune->cli->arena, int, count);
    const char *text;
    for (int i = 0; (text = option_nth(tune->cli, "check", i)); i++)
        if (strcmp(text, "interp") != 0) return;
    for (int i = 0; i < count; i++)
        if (tune->entries.data[i].state == TERN_CANDIDATE_READY)
            members[tune->entries.data[i].group]++;
    for (int i = 0; i < count; i++) {
        num_groups += members[i] > 0;
        if (members[i] == num_most) most = -1; /* no majority so far */
        if (members[i] > num_most) most = i, num_most = members[i];
    }
    for (int i = 0; i < count && num_groups > 1; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state == TERN_CANDIDATE_READY && entry->group != most)
            disagrees(tune, entry, most, num_most, num_groups);
    }
}
