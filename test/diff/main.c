// SPDX-License-Identifier: Apache-2.0
/* main: random kernels on interp and on every other device, until the time is over.
 *
 *     diff [--seconds N] [--seed N] [--count N] [--size N] [--device NAME].. [--jobs N] [--findings
 * N] [-v]
 *
 * Without --device: cpu, cpu:avx2, cpu:generic, sim (three GPUs), cuda, and cpu with tests of its
 * accesses ("+bounds"), each where it opens; cpu
 * more often. --seed N --count 1 repeats one kernel. On a finding the kernel is made smaller and
 * printed with its seed; the run ends after --findings of them (1). The exit status is 1 when there
 * was one. */
#include "diff/diff.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DEVICES = 12, MOST_JOBS = 64, LIMIT_SECONDS = 60 };

typedef struct Options {
    double seconds;
    uint64_t seed;
    long count;
    int size, jobs, findings, verbose, keep;
    const char *devices[MOST_DEVICES];
    int num_devices;
} Options;

typedef struct Shared { /* between the jobs */
    long kernels, refused, findings;
} Shared;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print_finding(const Kernel *kernel, const char *device, const Outcome *outcome,
                          uint64_t seed) {
    printf("---- seed %llu %s on %s: %s\n", (unsigned long long)seed,
           verdict_name(outcome->verdict), device, outcome->words);
    printf("# grid: %d  A = %d, B = %d, C = %d, n0 = %d, n1 = %d, num_warps = %d%s%s\n",
           kernel->num_programs, kernel->consts[0], kernel->consts[1], kernel->consts[2],
           kernel->scalars[0], kernel->scalars[1], kernel->num_warps,
           kernel->is_aligned ? ", pointers divisible by 16" : "",
           kernel->is_precise ? ", precise" : "");
    source_text(kernel, 0, stdout);
    printf("----\n");
    fflush(stdout);
}

static void one_seed(const Options *options, Shared *shared, uint64_t seed) {
    static Kernel kernel;
    static Outcome outcome;
    const char *device = options->devices[seed / 7 % (uint64_t)options->num_devices];
    gen_kernel(&kernel, seed, options->size, strncmp(device, "cpu", 3) != 0);
    outcome = (Outcome){0};
    run_kernel(&kernel, device, LIMIT_SECONDS, &outcome);
    __atomic_fetch_add(&shared->kernels, 1, __ATOMIC_RELAXED);
    if (outcome.verdict == REFUSED) __atomic_fetch_add(&shared->refused, 1, __ATOMIC_RELAXED);
    if (options->verbose)
        printf("seed %llu on %s: %s %s\n", (unsigned long long)seed, device,
               verdict_name(outcome.verdict), outcome.words);
    if (outcome.verdict == SAME || outcome.verdict == REFUSED) return;
    /* A kernel that interp rejects would be rejected for another reason when it is cut. */
    if (!options->keep && outcome.verdict != REJECTED)
        shrink_kernel(&kernel, device, LIMIT_SECONDS, &outcome);
    print_finding(&kernel, device, &outcome, seed);
    __atomic_fetch_add(&shared->findings, 1, __ATOMIC_RELAXED);
}

static void job(const Options *options, Shared *shared, int index, double end) {
    for (long i = index; !options->count || i < options->count; i += options->jobs) {
        if (now() >= end ||
            __atomic_load_n(&shared->findings, __ATOMIC_RELAXED) >= options->findings)
            break;
        one_seed(options, shared, options->seed + (uint64_t)i);
    }
    exit(0);
}

static int usage(void) {
    fprintf(stderr, "diff [--seconds N] [--seed N] [--count N] [--size N] [--device NAME].. "
                    "[--jobs N] [--findings N] [-v] [--whole]\n");
    return 2;
}

static int read_options(int argc, char **argv, Options *options) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            options->verbose = 1;
        else if (!strcmp(argv[i], "--whole"))
            options->keep = 1;
        else if (i + 1 == argc)
            return 0;
        else if (!strcmp(argv[i], "--seconds"))
            options->seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "--seed"))
            options->seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--count"))
            options->count = atol(argv[++i]);
        else if (!strcmp(argv[i], "--size"))
            options->size = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--jobs"))
            options->jobs = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--findings"))
            options->findings = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--device") && options->num_devices < MOST_DEVICES)
            options->devices[options->num_devices++] = argv[++i];
        else
            return 0;
    }
    return options->size > 0 && options->size <= 100 && options->jobs > 0 &&
           options->jobs <= MOST_JOBS;
}

static void find_devices(Options *options) {
    static const char *const possible[] = {"cpu",  "cpu:avx2",   "cpu:generic",
                                           "sim",  "sim:t4",     "sim:a100",
                                           "cuda", "cpu+bounds", "cpu:generic+bounds"};
    for (int i = 0; i < (int)(sizeof possible / sizeof *possible); i++) {
        int opens = device_opens(possible[i]);
        if (opens)
            options->devices[options->num_devices++] = possible[i];
        else
            printf("skipped: %s does not open\n", possible[i]);
    }
    if (options->num_devices && options->num_devices < MOST_DEVICES)
        options->devices[options->num_devices++] = options->devices[0];
}

int main(int argc, char **argv) {
    Options options = {
        .seconds = 60, .seed = (uint64_t)time(NULL) * 1000, .size = 24, .findings = 1};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options.jobs = cores > 16 ? 16 : cores > 0 ? (int)cores : 1;
    if (!read_options(argc, argv, &options)) return usage();
    if (!options.num_devices) find_devices(&options);
    if (!options.num_devices) return fprintf(stderr, "diff: no device besides interp\n"), 2;
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return perror("diff"), 2;
    double end = now() + options.seconds;
    fflush(stdout);
    for (int i = 0; i < options.jobs; i++) {
        pid_t pid = fork();
        if (pid == 0) job(&options, shared, i, end);
        if (pid < 0) return perror("diff: fork"), 2;
    }
    int broken = 0, status;
    for (;;) {
        pid_t pid = wait(&status);
        if (pid < 0 && errno != EINTR) break;
        broken += pid > 0 && status != 0;
    }
    printf("diff: %ld kernels from seed %llu, %ld refused, %ld findings\n", shared->kernels,
           (unsigned long long)options.seed, shared->refused, shared->findings);
    return broken || shared->findings ? 1 : shared->kernels == 0;
}
