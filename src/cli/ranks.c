// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks.h"
#include "base/source.h"
#include "cli/measure.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 4096, BEAT_S = 2, DEAD_AFTER_S = 30, START_S = 60, POLL_MS = 20 };

/* ---- who is who ---- */

/* What launchers say to each process. `job` tells one start of them from another: NULL where the
 * launcher does not say it, and the processes' common parent does. */
typedef struct Launcher {
    const char *rank, *count, *local, *local_count, *job[2];
} Launcher;

/* mpirun within an allocation of Slurm's: its own come first. SLURM_NTASKS is no count: batch
 * scripts have it, too, which srun did not start. */
static const Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "PMIX_SERVER_URI2"}},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", {"PMI_JOBID", NULL}},
    {"SLURM_PROCID",
     "SLURM_STEP_NUM_TASKS",
     "SLURM_LOCALID",
     NULL,
     {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

static bool variable(const char *name, int low, int high, int *value) {
    const char *text = name ? getenv(name) : NULL;
    char *end;
    if (!text || !*text) return false;
    errno = 0;
    long number = strtol(text, &end, 10);
    *value = (int)number;
    return !errno && !*end && number >= low && number <= high;
}

/* What Linux says of a process behind its name: its state, then numbers. NULL: there is none. */
static const char *process_words(Arena *arena, int process) {
    char text[4096] = "";
    int file = open(str_format(arena, "/proc/%d/stat", process).data, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    const char *at = length > 0 ? strrchr(text, ')') : NULL;
    return at && at[1] ? str_c(arena, str_of(at + 2)) : NULL;
}

/* The parent's number, and when it began: the same for all that it started, and for no others. */
static const char *parent_words(Arena *arena) {
    const char *at = process_words(arena, (int)getppid());
    for (int fields = 1; at && *at && fields < 20; at++) fields += *at == ' ';
    return at ? str_format(arena, "%d %.*s", (int)getppid(), (int)strcspn(at, " "), at).data : NULL;
}

static const char *job_of(const Ranks *ranks, const Launcher *launcher) {
    Arena *arena = ranks->cli->arena;
    Buf job = {.arena = arena};
    int local_count;
    const char *named = getenv("TERN_JOB");
    if (named && *named) return named;
    for (int i = 0; i < COUNT(launcher->job); i++) {
        const char *text = launcher->job[i] ? getenv(launcher->job[i]) : NULL;
        if (text) buf_printf(&job, "%s ", text);
    }
    if (job.length) return job.data;
    bool all_here =
        variable(launcher->local_count, 1, MOST_RANKS, &local_count) && local_count == ranks->count;
    return all_here ? parent_words(arena) : NULL;
}

/* The words of the command: ranks of one job that run others do not meet. */
static const char *command_words(const Cli *cli) {
    Buf words = {.arena = cli->arena};
    buf_printf(&words, "%s %s\n", tern_version(), cli->command->name);
    for (int i = 0; i < cli->operands.count; i++) buf_printf(&words, "%s\n", cli->operands.data[i]);
    for (int i = 0; i < cli->options.count; i++)
        buf_printf(&words, "%s %s\n", cli->options.data[i].row->name,
                   cli->options.data[i].value ? cli->options.data[i].value : "");
    return words.data;
}

static const char *host_words(Arena *arena) {
    char name[256] = "", space[64] = "";
    gethostname(name, sizeof name - 1);
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) *space = 0;
    return str_format(arena, "%s-%s", name, space).data;
}

static const char *file_of(const Ranks *ranks, const char *name, int rank) {
    return str_format(ranks->cli->arena, "%s/%s.%d", ranks->folder, name, rank).data;
}

static int make_folder(Ranks *ranks, const char *job) {
    Cli *cli = ranks->cli;
    Arena *arena = cli->arena;
    int code = EXIT_OK;
    tern_context *context = cli_open(cli, "interp", &code);
    if (!context) return code;
    Str key = str_format(arena, "%s\n%d\n%s", job, ranks->count, command_words(cli));
    const char *cache = str_c(arena, str_of(tern_cache_dir(context)));
    if (*cache)
        ranks->folder = str_format(arena, "%s/ranks/%016llx", cache,
                                   (unsigned long long)hash_bytes(key.data, (size_t)key.length, 0))
                            .data;
    tern_close(context);
    if (!*cache)
        return cli_fail(cli, EXIT_USAGE,
                        "%d ranks meet in the cache folder, and there is none: TERN_CACHE_DIR",
                        ranks->count);
    return cli_make_folder(cli, ranks->folder) ? EXIT_OK : EXIT_SYSTEM;
}

/* ---- life ---- */

static void *beat(void *user) {
    Ranks *ranks = user;
    pthread_mutex_lock(&ranks->lock);
    while (!ranks->stop) {
        struct timespec until;
        utimensat(AT_FDCWD, ranks->own_file, NULL, 0);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += BEAT_S;
        pthread_cond_timedwait(&ranks->wake, &ranks->lock, &until);
    }
    pthread_mutex_unlock(&ranks->lock);
    return NULL;
}

static int say_alive(const Ranks *ranks, const char *words) {
    Str why;
    if (file_write(ranks->cli->arena, file_of(ranks, "alive", ranks->rank), words, strlen(words),
                   &why))
        return EXIT_OK;
    return cli_fail(ranks->cli, EXIT_SYSTEM, "%.*s", STR_ARG(why));
}

static int begin_to_live(Ranks *ranks) {
    const char *words = str_format(ranks->cli->arena, "%d %s", (int)getpid(), ranks->host).data;
    sigset_t all, before; /* signals are the command's own thread's to take */
    int code = say_alive(ranks, words);
    if (code) return code;
    ranks->own_file = file_of(ranks, "alive", ranks->rank); /* an arena is of one thread */
    pthread_mutex_init(&ranks->lock, NULL);
    pthread_cond_init(&ranks->wake, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ranks->beats = pthread_create(&ranks->thread, NULL, beat, ranks) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return EXIT_OK;
}

/* By the clock of the folder's machine, which wrote both times. */
static double silent_s(const Ranks *ranks, const char *path) {
    struct stat other, own;
    if (stat(path, &other) || stat(file_of(ranks, "alive", ranks->rank), &own)) return 0;
    return difftime(own.st_mtime, other.st_mtime);
}

/* Also where its parent has not asked how yet. */
static bool has_ended(const Ranks *ranks, long process) {
    if (kill((pid_t)process, 0)) return errno == ESRCH;
    const char *words = process_words(ranks->cli->arena, (int)process);
    return words && (*words == 'Z' || *words == 'X');
}

/* One that has not begun within a minute is not there, or has another cache folder. */
static bool is_alive(const Ranks *ranks, int rank) {
    const char *path = file_of(ranks, "alive", rank);
    Str text, why;
    if (access(file_of(ranks, "alive", ranks->rank), F_OK)) return false; /* rank 0 took it away */
    if (!file_read(ranks->cli->arena, path, 4096, &text, &why))
        return clock_ms() - ranks->started_ms < START_S * 1e3;
    char *end;
    const char *words = str_c(ranks->cli->arena, text);
    long process = strtol(words, &end, 10);
    if (process <= 0) return false; /* it said so itself */
    bool is_here = *end == ' ' && !strcmp(end + 1, ranks->host);
    if (is_here && has_ended(ranks, process)) return false;
    return silent_s(ranks, path) < DEAD_AFTER_S;
}

/* ---- what they give each other ---- */

bool ranks_put(const Ranks *ranks, const char *name, Str bytes) {
    Str why;
    if (ranks->count == 1) return true;
    if (file_write(ranks->cli->arena, file_of(ranks, name, ranks->rank), bytes.data,
                   (size_t)bytes.length, &why))
        return true;
    cli_fail(ranks->cli, EXIT_SYSTEM, "rank %d: %.*s", ranks->rank, STR_ARG(why));
    return false;
}

/* Who dies after it has put is as good as alive. */
bool ranks_get(const Ranks *ranks, int rank, const char *name, Str *bytes) {
    const char *path = file_of(ranks, name, rank);
    Str why;
    for (double next_ms = 0;;) {
        double now_ms = clock_ms();
        bool looks = now_ms >= next_ms, lives = !looks || is_alive(ranks, rank);
        if (looks) next_ms = now_ms + 500;
        if (!access(path, F_OK)) return file_read(ranks->cli->arena, path, 1 << 30, bytes, &why);
        if (!lives || measure_interrupted()) return false;
        poll(NULL, 0, POLL_MS);
    }
}

int ranks_lock(const Ranks *ranks, const char *device) {
    if (ranks->count == 1) return -1;
    Arena *arena = ranks->cli->arena;
    Str where = str_format(arena, "%s %s", ranks->host, device);
    const char *path =
        str_format(arena, "%s/clock.%016llx", ranks->folder,
                   (unsigned long long)hash_bytes(where.data, (size_t)where.length, 0))
            .data;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file >= 0 && flock(file, LOCK_EX) && errno == EINTR && !measure_interrupted()) continue;
    return file;
}

void ranks_unlock(int lock) {
    if (lock >= 0) close(lock);
}

/* ---- begin and end ---- */

/* How many of the first GPUs are here, up to `most`; found by a process of its own: the driver,
 * once touched, does not live on in those that this one forks (tune_apart.c). */
static int count_devices(const Cli *cli, int most) {
    int status = 0;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        tern_open_options options = {.size = sizeof options};
        int count = most;
        for (; count > 0; count--) {
            options.device = str_format(cli->arena, "cuda:%d", count - 1).data;
            if (tern_open(&options, NULL, NULL, 0)) break;
        }
        _exit(count);
    }
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return process > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Of the GPUs here the one whose turn it is. Without GPUs, and where one is named, all stays. */
static void take_device(Ranks *ranks) {
    enum { MOST = 64 };
    Cli *cli = ranks->cli;
    if (cli->device && strcmp(cli->device, "cuda") != 0) return;
    int count = count_devices(cli, ranks->local < MOST ? ranks->local + 1 : MOST);
    if (count) cli->device = str_format(cli->arena, "cuda:%d", ranks->local % count).data;
}

static int find_launcher(Ranks *ranks, const char **job) {
    const char *wanted = getenv("TERN_RANKS");
    if (wanted && !strcmp(wanted, "off")) return EXIT_OK;
    for (int i = 0; i < COUNT(launchers); i++) {
        const Launcher *launcher = &launchers[i];
        int rank, count;
        if (!variable(launcher->count, 2, MOST_RANKS, &count) ||
            !variable(launcher->rank, 0, count - 1, &rank))
            continue;
        ranks->rank = rank, ranks->count = count;
        if (!variable(launcher->local, 0, count - 1, &ranks->local)) ranks->local = 0;
        *job = job_of(ranks, launcher);
        if (*job) return EXIT_OK;
        return cli_fail(ranks->cli, EXIT_USAGE,
                        "%s is set, but nothing says which job this is: TERN_JOB=NAME does, or "
                        "TERN_RANKS=off to run alone",
                        launcher->rank);
    }
    return EXIT_OK;
}

/* --devices A,B: this process is rank 0 and gets A, and starts the others. */
static int fork_ranks(Ranks *ranks, const char *text, const char **job) {
    Cli *cli = ranks->cli;
    VEC(const char *) devices = {0};
    if (cli->device)
        return cli_fail(cli, EXIT_USAGE, "--device and --devices: one of them, please");
    for (const char *at = text; *at;) {
        int length = (int)strcspn(at, ",");
        if (length) vec_push(cli->arena, &devices, str_c(cli->arena, (Str){at, length}));
        at += length + (at[length] == ',');
    }
    if (!devices.count || devices.count > 64)
        return cli_fail(cli, EXIT_USAGE, "--devices: expected 1 to 64 names, as in cuda:0,cuda:1");
    *job = str_format(cli->arena, "%d %.0f", (int)getpid(), clock_ms()).data;
    ranks->count = devices.count;
    ranks->is_forked = true;
    fflush(NULL);
    for (int i = 1; i < devices.count && !ranks->rank; i++) {
        pid_t process = fork();
        if (process < 0)
            return cli_fail(cli, EXIT_SYSTEM, "cannot start a process: %s", strerror(errno));
        if (process == 0) {
            ranks->rank = i;
            ranks->children.count = 0;
        } else
            vec_push(cli->arena, &ranks->children, (int)process);
    }
    cli->device = devices.data[ranks->rank];
    return EXIT_OK;
}

int ranks_open(Ranks *ranks, Cli *cli, bool on_device) {
    const char *job = NULL, *devices = on_device ? option_value(cli, "devices") : NULL;
    *ranks = (Ranks){.cli = cli, .count = 1, .started_ms = clock_ms()};
    int code = find_launcher(ranks, &job);
    if (!code && devices && ranks->count > 1)
        return cli_fail(cli, EXIT_USAGE, "--devices is for one process, and these are %d",
                        ranks->count);
    if (!code && devices) code = fork_ranks(ranks, devices, &job);
    if (code || ranks->count == 1) return code;
    for (int i = 0; i < cli->operands.count; i++)
        if (cli_is_input(cli->operands.data[i]))
            return cli_fail(cli, EXIT_USAGE,
                            "several processes cannot read standard input: name a file");
    if (ranks->rank) {
        cli->quiet = true;
        cli->complaints = arena_new_of(cli->arena, Buf);
        cli->complaints->arena = cli->arena;
    }
    ranks->host = host_words(cli->arena);
    code = make_folder(ranks, job);
    if (code) return code;
    if (on_device && !ranks->is_forked) take_device(ranks);
    if (ranks->rank && !freopen("/dev/null", "w", stdout)) return EXIT_SYSTEM;
    return begin_to_live(ranks);
}

/* What anybody wrote, and nobody reads any more. */
static void remove_folder(const Ranks *ranks) {
    DIR *folder = opendir(ranks->folder);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(ranks->folder);
}

int ranks_close(Ranks *ranks, int code) {
    if (ranks->beats) {
        pthread_mutex_lock(&ranks->lock);
        ranks->stop = true;
        pthread_cond_signal(&ranks->wake);
        pthread_mutex_unlock(&ranks->lock);
        pthread_join(ranks->thread, NULL);
        pthread_cond_destroy(&ranks->wake);
        pthread_mutex_destroy(&ranks->lock);
        if (code) say_alive(ranks, "ended");
    }
    for (int i = 0; i < ranks->children.count; i++)
        while (waitpid(ranks->children.data[i], NULL, 0) < 0 && errno == EINTR) continue;
    if (ranks->folder && !ranks->rank) remove_folder(ranks);
    if (!ranks->rank) return code;
    const Buf *said = ranks->cli->complaints;
    if (code && said && said->length)
        fprintf(stderr, "rank %d: %.*s", ranks->rank, (int)said->length, said->data);
    return code;
}
