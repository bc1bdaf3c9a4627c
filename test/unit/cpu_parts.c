// SPDX-License-Identifier: Apache-2.0
/* The cpu device's parts one by one: its pool, its fibers, how it finds and runs a compiler, its
 * entries on disk. The kernels here are C functions. */
#include "base/source.h"
#include "device/cpu/cpu.h"
#include "folder.h"
#include "gen/c/piece.h"
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char template[] = "/tmp/tern-parts-XXXXXX";

/* ---- the pool ---- */

typedef struct Pieces {
    _Atomic int seen[700];
    _Atomic int bad;
    int threads, count;
} Pieces;

static void note_piece(void *user, int worker, int64_t lo, int64_t hi) {
    Pieces *pieces = user;
    if (lo < 0 || lo >= hi || hi > pieces->count || worker < 0 || worker >= pieces->threads)
        atomic_fetch_add(&pieces->bad, 1);
    for (int64_t i = lo; i < hi && i < 700; i++) atomic_fetch_add(&pieces->seen[i], 1);
}

TEST(a_pool_covers_any_count_once) {
    static Pieces pieces;
    static const int counts[] = {1,  2,  3,  7,  8,  9,   15,  16,  17,
                                 31, 33, 63, 64, 65, 127, 333, 699, 700};
    for (int threads = 1; threads <= 5; threads++) {
        Pool *pool = pool_open(threads);
        CHECK(pool && pool_threads(pool) == threads);
        pieces.threads = threads;
        for (int k = 0; k < COUNT(counts) && pool; k++) {
            pieces.count = counts[k];
            for (int i = 0; i < 700; i++) atomic_store(&pieces.seen[i], 0);
            pool_run(pool, counts[k], k % 4 * 20, note_piece, &pieces);
            int wrong = atomic_load(&pieces.bad);
            for (int i = 0; i < 700; i++) wrong += atomic_load(&pieces.seen[i]) != (i < counts[k]);
            CHECK(wrong == 0);
        }
        pieces.count = 0;
        pool_run(pool, 0, 1, note_piece, &pieces);
        pool_run(pool, -3, 1, note_piece, &pieces);
        CHECK(atomic_load(&pieces.bad) == 0);
        pool_close(pool);
    }
    pool_close(NULL);
}

enum { MOST_WAIT_MS = 60000 }; /* a busy machine takes its time to let all threads run */

typedef struct Meeting {
    _Atomic int arrived, alone;
} Meeting;

static void wait_for_others(void *user, int worker, int64_t lo, int64_t hi) {
    Meeting *meeting = user;
    (void)worker, (void)lo, (void)hi;
    atomic_fetch_add(&meeting->arrived, 1);
    for (int i = 0; i < MOST_WAIT_MS && atomic_load(&meeting->arrived) < 3; i++) usleep(1000);
    if (atomic_load(&meeting->arrived) < 3) atomic_fetch_add(&meeting->alone, 1);
}

/* Three pieces that wait for each other end: each has a thread of its own, after a sleep too. */
TEST(the_threads_of_a_pool_work_at_once) {
    Pool *pool = pool_open(3);
    for (int round = 0; round < 3; round++) {
        Meeting meeting = {0, 0};
        pool_run(pool, 3, 1, wait_for_others, &meeting);
        CHECK(atomic_load(&meeting.arrived) == 3 && atomic_load(&meeting.alone) == 0);
        usleep(3000);
    }
    pool_close(pool);
}

typedef struct Firsts {
    _Atomic int arrived;
    int64_t first[4]; /* of each thread; -1: none yet */
} Firsts;

static void note_first(void *user, int worker, int64_t lo, int64_t hi) {
    Firsts *firsts = user;
    (void)hi;
    if (firsts->first[worker] >= 0) return;
    firsts->first[worker] = lo;
    atomic_fetch_add(&firsts->arrived, 1);
    for (int i = 0; i < MOST_WAIT_MS && atomic_load(&firsts->arrived) < 3; i++) usleep(1000);
}

/* What a thread's core has in its caches is there in the next launch. */
TEST(a_thread_begins_with_the_same_programs_in_each_launch) {
    static const struct {
        int count, least;
        int64_t want[3];
    } rows[] = {
        {3, 1, {0, 1, 2}}, {4, 9, {0, 2, 3}}, {300, 1, {0, 100, 200}}, {299, 99, {0, 100, 200}}};
    Pool *pool = pool_open(3);
    for (int i = 0; i < 20; i++) {
        Firsts firsts = {.first = {-1, -1, -1}};
        pool_run(pool, rows[i % 4].count, rows[i % 4].least, note_first, &firsts);
        for (int k = 0; k < 3; k++) CHECK(firsts.first[k] == rows[i % 4].want[k]);
        if (i % 5 == 0) usleep(1000);
    }
    pool_close(pool);
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(idle_threads_sleep) {
    static Pieces pieces;
    Pool *pool = pool_open(4);
    pieces.threads = 4, pieces.count = 64;
    pool_run(pool, 64, 1, note_piece, &pieces);
    usleep(20000);
    double before = cpu_seconds();
    usleep(60000);
    CHECK(cpu_seconds() - before < 0.01);
    errno = 77;
    pool_run(pool, 64, 1, note_piece, &pieces);
    CHECK(errno == 77);
    pool_close(pool);
}

/* ---- fibers ---- */

static char steps[4096];
static size_t num_steps;

static void step(char what, int64_t program) {
    if (num_steps + 3 < sizeof steps)
        num_steps += (size_t)snprintf(steps + num_steps, 4, "%c%d", what, (int)program % 10);
}

static int given_kind, given_detail, prints;
static int note_fail(KernelRuntime *runtime, int kind, int detail) {
    (void)runtime;
    given_kind = kind, given_detail = detail;
    return 1;
}
static int no_yield(KernelRuntime *runtime) { return (void)runtime, 0; }
static void note_print(KernelRuntime *runtime, const int *program, const char *prefix, int rank,
                       const int *index, int what, int size_bytes, unsigned long long bits) {
    (void)runtime;
    prints += program[2] == 3 && !strcmp(prefix, "p") && rank == 1 && index[0] == 4 && what == 5 &&
              size_bytes == 6 && bits == 7;
}
static long long fixed_clock(KernelRuntime *runtime) { return (void)runtime, 123456789; }

static bool run_fibers(KernelFunction *function, void **args, size_t scratch, int64_t count,
                       FiberRun *run) {
    static const Device device; /* has no memory */
    static const volatile int never;
    static KernelTests outer = {.runtime = {.fail = note_fail,
                                            .yield = no_yield,
                                            .print = note_print,
                                            .clock = fixed_clock,
                                            .stop = &never}};
    *run = (FiberRun){.device = &device,
                      .function = function,
                      .args = args,
                      .grid = {9, 8, 7},
                      .scratch_bytes = scratch,
                      .tests = &outer,
                      .deadlock = true,
                      .no_memory = true};
    num_steps = 0, steps[0] = 0;
    return fibers_run(run, count);
}

/* args[0]: how often each program gives way; args[1]: which one fails, and when. */
static int stepper(void **args, const int *grid, long long lo, long long hi, char *scratch,
                   KernelRuntime *runtime, int stream) {
    int times = *(int *)args[0], failing = *(int *)args[1];
    if (hi != lo + 1 || stream || grid[0] != 9 || grid[1] != 8 || grid[2] != 7) step('!', lo);
    if ((uintptr_t)scratch % 64) step('?', lo);
    step('b', lo);
    for (int i = 0; i < times; i++) {
        if (runtime->yield(runtime)) return 1;
        if (lo == failing) return runtime->fail(runtime, 7, 11);
        step('t', lo);
    }
    step('e', lo);
    return 0;
}

TEST(programs_take_turns) {
    static const struct {
        int times, failing, count;
        const char *steps;
        bool ok;
    } rows[] = {
        {0, -1, 3, "b0e0b1e1b2e2", true},
        {0, -1, 0, "", true},
        {1, -1, 1, "b0t0e0", true},
        /* The first begins; then those that have begun have a turn before the next begins. */
        {1, -1, 3, "b0t0e0b1t1e1b2t2e2", true},
        {2, -1, 3, "b0t0b1t0e0t1t1e1b2t2t2e2", true},
        {3, -1, 3, "b0t0b1t0t1b2t0e0t1t2t1e1t2t2e2", true},
        {2, 1, 3, "b0t0b1t0e0", false},
        {3, 0, 4, "b0", false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        FiberRun run;
        int times = rows[i].times, failing = rows[i].failing;
        given_kind = given_detail = 0;
        bool ok = run_fibers(stepper, (void *[]){&times, &failing}, 128, rows[i].count, &run);
        CHECK(ok == rows[i].ok && !run.deadlock && !run.no_memory);
        CHECK_STR(steps, rows[i].steps);
        CHECK(given_kind == (ok ? 0 : 7) && given_detail == (ok ? 0 : 11));
    }
}

/* All that a program knows is in its scratch: that it moves on must be seen there. */
static int counts_in_scratch(void **args, const int *grid, long long lo, long long hi,
                             char *scratch, KernelRuntime *runtime, int stream) {
    volatile int *at = (volatile int *)(void *)(scratch + *(int *)args[0]);
    (void)grid, (void)lo, (void)hi, (void)stream;
    *at = 0;
    while (++*at < 2500)
        if (runtime->yield(runtime)) return 1;
    step('e', lo);
    return 0;
}

static int never_ends(void **args, const int *grid, long long lo, long long hi, char *scratch,
                      KernelRuntime *runtime, int stream) {
    (void)args, (void)grid, (void)lo, (void)hi, (void)scratch, (void)stream;
    for (;;)
        if (runtime->yield(runtime)) return 1;
}

/* Waits until as many programs as are in args[0] have begun. */
static int meets(void **args, const int *grid, long long lo, long long hi, char *scratch,
                 KernelRuntime *runtime, int stream) {
    volatile int *begun = args[1];
    (void)grid, (void)lo, (void)hi, (void)scratch, (void)stream;
    ++*begun;
    while (*begun < *(int *)args[0])
        if (runtime->yield(runtime)) return 1;
    return 0;
}

TEST(a_deadlock_is_when_nothing_changes) {
    FiberRun run;
    for (int at = 0; at <= 4092; at += 1364) {
        CHECK(run_fibers(counts_in_scratch, (void *[]){&at}, 4096, 2, &run) && !run.deadlock);
        CHECK_STR(steps, "e0e1");
    }
    CHECK(!run_fibers(never_ends, NULL, 64, 3, &run) && run.deadlock && !run.no_memory);
    int all = 200, begun = 0;
    CHECK(run_fibers(meets, (void *[]){&all, &begun}, 64, 200, &run) && !run.deadlock);
    begun = 0;
    CHECK(!run_fibers(meets, (void *[]){&all, &begun}, 64, 199, &run) && run.deadlock);
}

/* Each has its own stack and scratch, as large as was asked for, also where others' are reused. */
static int fills(void **args, const int *grid, long long lo, long long hi, char *scratch,
                 KernelRuntime *runtime, int stream) {
    size_t size = *(size_t *)args[0];
    volatile char own[20000];
    (void)grid, (void)hi, (void)stream;
    for (int i = 0; i < 20000; i++) own[i] = (char)(lo + i);
    memset(scratch, (int)lo, size);
    for (long long turn = 0; turn < lo % 5; turn++) runtime->yield(runtime);
    for (int i = 0; i < 20000; i++)
        if (own[i] != (char)(lo + i)) return 1;
    for (size_t i = 0; i < size; i++)
        if (scratch[i] != (char)lo) return 1;
    ++*(int *)args[1];
    return 0;
}

TEST(programs_have_their_own_memory) {
    FiberRun run;
    for (size_t size = 1; size < 3000; size = size * 3 + 1) {
        int ended = 0;
        CHECK(run_fibers(fills, (void *[]){&size, &ended}, size, 23, &run) && ended == 23);
    }
}

static int speaks(void **args, const int *grid, long long lo, long long hi, char *scratch,
                  KernelRuntime *runtime, int stream) {
    (void)grid, (void)lo, (void)hi, (void)scratch, (void)stream;
    runtime->print(runtime, (int[]){1, 2, 3}, "p", 1, (int[]){4, 9}, 5, 6, 7);
    *(long long *)args[0] = runtime->clock(runtime);
    return 0;
}

TEST(what_a_fiber_says_reaches_the_launch) {
    FiberRun run;
    long long clock = 0;
    prints = 0;
    CHECK(run_fibers(speaks, (void *[]){&clock}, 1, 2, &run));
    CHECK(prints == 2 && clock == 123456789);
}

/* ---- the compiler ---- */

static void make_script(const char *path, const char *text, unsigned mode) {
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, mode) == 0);
}

static char *below(const char *folder, const char *name) {
    static char paths[8][300];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

typedef struct Variables { /* kept while a test has its own */
    char path[8192];
} Variables;

static Variables keep_path(void) {
    Variables kept;
    snprintf(kept.path, sizeof kept.path, "%s", getenv("PATH"));
    return kept;
}

TEST(a_compiler_is_found) {
    char folder[] = "/tmp/tern-parts-XXXXXX", path[700];
    CHECK(mkdtemp(folder));
    Variables kept = keep_path();
    mkdir(below(folder, "a"), 0700), mkdir(below(folder, "b"), 0700);
    make_script(below(folder, "b/clang"), "#!/bin/sh\n", 0700);
    make_script(below(folder, "b/gcc"), "#!/bin/sh\n", 0600); /* not to be run */
    make_script(below(folder, "b/real-cc-9"), "#!/bin/sh\n", 0700);
    mkdir(below(folder, "a/clang"), 0700); /* a folder is no program */
    CHECK(symlink("../b/real-cc-9", below(folder, "a/my-cc")) == 0);
    snprintf(path, sizeof path, "%s/none:%s/a:%s/b", folder, folder, folder);
    setenv("PATH", path, 1);
    unsetenv("TERN_CC");
    Arena *arena = arena_new(NULL);
    CCompiler compiler, again;
    Str why = {0};
    static const struct {
        const char *asked, *variable, *found, *name;
    } rows[] = {{NULL, NULL, "b/clang", "clang"},
                {"", NULL, "b/clang", "clang"},
                {"my-cc", NULL, "a/my-cc", "real-cc-9"},
                {NULL, "my-cc", "a/my-cc", "real-cc-9"},
                {NULL, "", "b/clang", "clang"},
                {"clang", "my-cc", "b/clang", "clang"},
                {"gcc", NULL, NULL, "gcc"},
                {"nothing", NULL, NULL, "nothing"},
                {NULL, "nothing", NULL, "nothing"}};
    for (int i = 0; i < COUNT(rows); i++) {
        if (rows[i].variable) setenv("TERN_CC", rows[i].variable, 1);
        errno = 77;
        bool found = compiler_find(arena, rows[i].asked, &compiler, &why);
        CHECK(errno == 77 && found == (rows[i].found != NULL));
        if (found) {
            CHECK_STR(compiler.path.data, below(folder, rows[i].found));
            CHECK_STR(str_c(arena, compiler.name), rows[i].name);
        } else
            CHECK_STR(why.data, str_format(arena,
                                           "no C compiler found (looked for %s); the interp device "
                                           "still works",
                                           rows[i].name)
                                    .data);
        unsetenv("TERN_CC");
    }
    setenv("PATH", below(folder, "none"), 1);
    CHECK(!compiler_find(arena, NULL, &compiler, &why));
    CHECK_STR(why.data,
              "no C compiler found (looked for cc, gcc, clang on PATH); the interp device "
              "still works");
    setenv("PATH", path, 1);
    CHECK(compiler_find(arena, below(folder, "a/my-cc"), &compiler, &why)); /* by its path */
    CHECK_STR(str_c(arena, compiler.name), "real-cc-9");
    CHECK(!compiler_find(arena, below(folder, "b/gcc"), &compiler, &why));
    /* Another program under the same name is another compiler: by size, and by time. */
    CHECK(compiler_find(arena, "my-cc", &compiler, &why));
    CHECK(compiler_find(arena, "my-cc", &again, &why) &&
          str_equal(compiler.identity, again.identity));
    make_script(below(folder, "b/real-cc-9"), "#!/bin/sh\n#\n", 0700);
    CHECK(compiler_find(arena, "my-cc", &again, &why) &&
          !str_equal(compiler.identity, again.identity));
    struct timespec times[2] = {{1000, 5}, {1000, 5}};
    CHECK(utimensat(AT_FDCWD, below(folder, "b/real-cc-9"), times, 0) == 0);
    CHECK(compiler_find(arena, "my-cc", &compiler, &why));
    times[1].tv_nsec = 6;
    CHECK(utimensat(AT_FDCWD, below(folder, "b/real-cc-9"), times, 0) == 0);
    CHECK(compiler_find(arena, "my-cc", &again, &why) &&
          !str_equal(compiler.identity, again.identity));
    /* An empty part of PATH is the folder that the process is in. */
    char here[4096];
    CHECK(getcwd(here, sizeof here) && chdir(below(folder, "b")) == 0);
    setenv("PATH", "/nowhere:", 1);
    CHECK(!compiler_find(arena, "real-cc-9", &compiler, &why));
    setenv("PATH", ":/nowhere", 1);
    CHECK(compiler_find(arena, "real-cc-9", &compiler, &why));
    CHECK_STR(compiler.path.data, "./real-cc-9");
    CHECK(chdir(here) == 0);
    setenv("PATH", kept.path, 1);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

static char *text_of(Arena *arena, const char *path) {
    Str text, why;
    return file_read(arena, path, 1 << 20, &text, &why) ? (char *)(uintptr_t)str_c(arena, text)
                                                        : NULL;
}

TEST(a_compiler_is_run) {
    char folder[] = "/tmp/tern-parts-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    const char *script = below(folder, "cc"), *object = str_format(arena, "%s/k.so", folder).data;
    script = str_c(arena, str_of(script));
    CCompiler compiler = {.path = str_of(script)};
    Str why = {0}, source = STR("k.c");
    make_script(script,
                "#!/bin/sh\nd=$(dirname $0)\necho \"$*\" > $d/args\n"
                "tr '\\0' '\\n' < /proc/$$/environ | grep -c ^TMPDIR= > $d/count\n"
                "echo $TMPDIR > $d/tmp\nread word || echo none > $d/input\necho out\n"
                "echo warning >&2\n",
                0700);
    setenv("TMPDIR", "/elsewhere", 1);
    int words[2]; /* our own input has something to read */
    CHECK(pipe(words) == 0 && write(words[1], "word\n", 5) == 5 && dup2(words[0], 0) == 0);
    CHECK(close(words[0]) == 0 && close(words[1]) == 0);
    CHECK(compiler_run(arena, &compiler, "-O2  -x c -w", STR("/some/folder"), &source, 1, object,
                       &why));
    unsetenv("TMPDIR");
    CHECK_STR(text_of(arena, below(folder, "args")),
              str_format(arena, "-O2 -x c -w -o %s k.c -lm\n", object).data);
    CHECK_STR(text_of(arena, below(folder, "count")), "1\n");
    CHECK_STR(text_of(arena, below(folder, "tmp")), "/some/folder\n");
    CHECK_STR(text_of(arena, below(folder, "input")), "none\n");
    CHECK_STR(text_of(arena, below(folder, "k.so.err")), "warning\n");
    struct stat st;
    CHECK(stat(below(folder, "k.so.err"), &st) == 0 && (st.st_mode & 0777) == 0600);
    char **kept = environ; /* a program may have no environment at all */
    environ = NULL;
    CHECK(compiler_run(arena, &compiler, "-c", STR("/other"), &source, 1, object, &why));
    environ = kept;
    CHECK_STR(text_of(arena, below(folder, "tmp")), "/other\n");
    CHECK_STR(text_of(arena, below(folder, "args")),
              str_format(arena, "-c -o %s k.c -lm\n", object).data);

    make_script(script, "#!/bin/sh\necho 'k.c:3: so' >&2\nexit 1\n", 0700);
    CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena, "'%s' failed on generated code:\nk.c:3: so\n", script).data);
    make_script(script, "#!/bin/sh\nhead -c 2000000 /dev/zero | tr '\\0' x >&2\nexit 3\n", 0700);
    CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    size_t before = strlen(script) + strlen("'' failed on generated code:\n");
    CHECK((size_t)why.length == before + 2000 && why.data[why.length - 1] == 'x');
    make_script(script, "#!/bin/sh\nrm $(dirname $0)/k.so.err\nexit 3\n", 0700);
    CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena, "'%s' failed on generated code:\n", script).data);
    for (int number = 1; number <= 9; number += 8) {
        Str text = str_format(arena, "#!/bin/sh\nkill -%d $$\n", number);
        make_script(script, text.data, 0700);
        CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
        CHECK_STR(str_c(arena, why),
                  str_format(arena, "'%s' was ended by signal %d", script, number).data);
    }
    make_script(script, "#!/bin/sh\necho $# > $(dirname $0)/args\n", 0700);
    Buf options = {.arena = arena}; /* of which a compiler gets 119 */
    for (int i = 0; i < 118; i++) buf_puts(&options, " -g");
    compiler.options = buf_str(&options);
    CHECK(compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    CHECK_STR(text_of(arena, below(folder, "args")), "123\n");
    CHECK(!compiler_run(arena, &compiler, "-c -w", STR("/tmp"), &source, 1, object, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena, "the C compiler has more than 119 options: %s", options.data).data);
    compiler.options = (Str){0};
    signal(SIGCHLD, SIG_IGN);
    CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    signal(SIGCHLD, SIG_DFL);
    CHECK_STR(str_c(arena, why),
              str_format(arena, "cannot wait for '%s': this program ignores SIGCHLD", script).data);
    CHECK(unlink(script) == 0);
    CHECK(!compiler_run(arena, &compiler, "-c", STR("/tmp"), &source, 1, object, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena, "cannot run '%s': No such file or directory", script).data);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

/* ---- parts of a text ---- */

/* A text with `count` pieces of some 750 bytes, of which each calls the one before it with 0, and
 * whose `sum` adds what they give: 1 + 2 + .. */
static Str text_with_pieces(Arena *arena, int count) {
    Buf text = {.arena = arena};
    buf_puts(&text, "typedef int T;\nstatic T one(void) {\n    return 1;\n}\n");
    for (int i = 0; i < count; i++) {
        buf_printf(&text, C_PIECE_START "T piece%d(T p0)" C_PIECE_BODY "    { T y0 = %d;\n", i, i);
        for (int k = 0; k < 29; k++) buf_printf(&text, "        p0 += y0 - %d;\n", i);
        if (i > 0) buf_printf(&text, "        p0 += piece%d(0);\n", i - 1);
        buf_puts(&text, "    }\n    return p0;\n}\n");
    }
    buf_puts(&text, "static int program(void) {\n    T all = 0;\n");
    for (int i = 0; i < count; i++) buf_printf(&text, "    all += piece%d(%d + one());\n", i, i);
    buf_puts(&text, "    return all;\n}\n__attribute__((visibility(\"default\"))) T sum(void) { "
                    "return program(); }\n");
    return buf_str(&text);
}

static int times_in(Arena *arena, Str text, const char *word) {
    int times = 0;
    for (const char *at = str_c(arena, text); (at = strstr(at, word)); at++) times++;
    return times;
}

TEST(a_long_text_is_compiled_in_parts) {
    char folder[] = "/tmp/tern-parts-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    static const struct {
        int pieces, parts;
    } rows[] = {{0, 1}, {1, 1}, {12, 1}, {13, 2}, {26, 3}, {40, 4}, {100, 5}, {300, MOST_PARTS}};
    for (int i = 0; i < COUNT(rows); i++) {
        Str text = text_with_pieces(arena, rows[i].pieces), parts[MOST_PARTS], paths[MOST_PARTS];
        int count = parts_split(arena, text, parts), most = 0;
        CHECK(count == rows[i].parts);
        if (count == 1) CHECK(str_equal(parts[0], text));
        for (int k = 0; k < rows[i].pieces && count > 1; k++) {
            int bodies = 0, mentions = 0;
            const char *body = str_format(arena, " piece%d(T p0)" C_PIECE_BODY, k).data,
                       *mention = str_format(arena, " piece%d(T p0)", k).data;
            for (int n = 0; n < count; n++) {
                bodies += times_in(arena, parts[n], body);
                mentions += times_in(arena, parts[n], mention);
            }
            CHECK(bodies == 1 && mentions == count); /* there, or declared */
        }
        Str why = {0}, object = str_format(arena, "%s/%d.so", folder, i);
        for (int n = 0; n < count; n++) {
            paths[n] = str_format(arena, "%s/%d %d.c", folder, i, n);
            if (parts[n].length > most) most = parts[n].length;
            CHECK(file_write(arena, paths[n].data, parts[n].data, (size_t)parts[n].length, &why));
        }
        CHECK(count == 1 || most < text.length * 2 / count); /* none has most of it */
        CCompiler compiler;
        CHECK(compiler_find(arena, NULL, &compiler, &why));
        CHECK(compiler_run(arena, &compiler, "-x c -w -O1 -shared -fPIC -fvisibility=hidden",
                           str_of(folder), paths, count, object.data, &why));
        void *loaded = dlopen(object.data, RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
        CHECK(loaded && (symbol = dlsym(loaded, "sum")) && !dlsym(loaded, "piece0"));
        int (*sum)(void);
        memcpy(&sum, &symbol, sizeof sum);
        CHECK(sum() == rows[i].pieces * (rows[i].pieces + 1) / 2);
        CHECK(dlclose(loaded) == 0);
    }
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

TEST(a_part_that_does_not_compile_is_told_when_all_have_ended) {
    char folder[] = "/tmp/tern-parts-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    const char *script = below(folder, "cc"), *object = str_format(arena, "%s/k.so", folder).data;
    script = str_c(arena, str_of(script));
    CCompiler compiler = {.path = str_of(script)};
    Str why = {0}, sources[] = {STR("good.c"), STR("bad.c"), STR("slow.c")};
    make_script(script,
                "#!/bin/sh\necho \"$*\" >> $(dirname $0)/all\ncase \"$*\" in\n"
                "*bad.c*) echo 'bad.c:3: so' >&2; exit 1 ;;\n"
                "*slow.c*) sleep 0.2; echo late >> $(dirname $0)/all ;;\nesac\n",
                0700);
    CHECK(!compiler_run(arena, &compiler, "-w", STR("/tmp"), sources, 3, object, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena, "'%s' failed on generated code:\nbad.c:3: so\n", script).data);
    const char *all = text_of(arena, below(folder, "all"));
    CHECK(strstr(all, "late") && !strstr(all, "-x none"));
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    sources[1] = STR("fine.c");
    CHECK(compiler_run(arena, &compiler, "-w", STR("/tmp"), sources, 3, object, &why));
    all = text_of(arena, below(folder, "all"));
    CHECK(strstr(all, str_format(arena, "-w -c -o %s.1.o fine.c -lm\n", object).data));
    CHECK(strstr(all, str_format(arena, "late\n-w -x none -o %s %s.0.o %s.1.o %s.2.o -lm\n", object,
                                 object, object, object)
                          .data));
    CHECK(unlink(script) == 0);
    CHECK(!compiler_run(arena, &compiler, "-w", STR("/tmp"), sources, 3, object, &why));
    CHECK(strstr(str_c(arena, why), "cannot run"));
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

/* ---- entries on disk ---- */

static void set_or_not(const char *variable, const char *value) {
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

TEST(the_caches_folder) {
    char folder[] = "/tmp/tern-parts-XXXXXX", kept[4096];
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    const char *home = str_format(arena, "%s/home", folder).data,
               *xdg = str_format(arena, "%s/xdg", folder).data,
               *own = str_format(arena, "%s/own/deep", folder).data,
               *asked = str_format(arena, "%s/asked", folder).data;
    snprintf(kept, sizeof kept, "%s", getenv("HOME") ? getenv("HOME") : "");
    const struct {
        const char *asked, *own, *xdg, *home, *want;
    } rows[] = {{asked, own, xdg, home, "asked"},
                {NULL, own, xdg, home, "own/deep"},
                {NULL, NULL, xdg, home, "xdg/tern"},
                {NULL, NULL, "", home, "home/.cache/tern"},
                {NULL, NULL, NULL, home, "home/.cache/tern"},
                {NULL, NULL, "relative", home, "home/.cache/tern"},
                {NULL, NULL, NULL, "relative", NULL},
                {NULL, NULL, NULL, "", NULL},
                {NULL, NULL, NULL, NULL, NULL},
                {"", own, xdg, home, NULL},
                {NULL, "", xdg, home, NULL}};
    for (int i = 0; i < COUNT(rows); i++) {
        Cache cache;
        struct stat st;
        set_or_not("TERN_CACHE_DIR", rows[i].own), set_or_not("XDG_CACHE_HOME", rows[i].xdg);
        set_or_not("HOME", rows[i].home);
        errno = 77;
        cache_open(arena, &cache, rows[i].asked);
        CHECK(errno == 77 && !cache.is_swept);
        if (!rows[i].want) {
            CHECK(cache.folder.length == 0);
            continue;
        }
        CHECK_STR(str_c(arena, cache.folder), below(folder, rows[i].want));
        CHECK(stat(cache.folder.data, &st) == 0 && (st.st_mode & 0777) == 0700);
    }
    unsetenv("TERN_CACHE_DIR"), unsetenv("XDG_CACHE_HOME");
    set_or_not("HOME", kept[0] ? kept : NULL);
    Cache cache;
    static const struct {
        unsigned mode;
        bool used;
    } modes[] = {{0700, true}, {0755, true}, {0775, false}, {0757, false}, {0777, false}};
    for (int i = 0; i < COUNT(modes); i++) {
        CHECK(chmod(asked, modes[i].mode) == 0);
        cache_open(arena, &cache, asked);
        CHECK((cache.folder.length > 0) == modes[i].used);
    }
    CHECK(chmod(asked, 0700) == 0);
    make_script(below(folder, "file"), "", 0600); /* no folder, and none can be below it */
    cache_open(arena, &cache, below(folder, "file"));
    CHECK(cache.folder.length == 0);
    cache_open(arena, &cache, below(folder, "file/more"));
    CHECK(cache.folder.length == 0);
    char here[4096];
    CHECK(getcwd(here, sizeof here) && chdir(folder) == 0);
    cache_open(arena, &cache, "-relative");
    CHECK_STR(str_c(arena, cache.folder), below(folder, "-relative"));
    CHECK(symlink("own", "link") == 0);
    cache_open(arena, &cache, "link/deep");
    CHECK_STR(str_c(arena, cache.folder), own);
    CHECK(chdir(here) == 0);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

enum { SEAL = 24 };

static Str add_entry(Arena *arena, const Cache *cache, const char *folder, size_t size) {
    char bytes[300];
    Str why;
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 37 + 5);
    const char *object = str_format(arena, "%s/made", folder).data;
    CHECK(file_write(arena, object, bytes, size, &why));
    cache_add(arena, cache, STR("key"), str_of(object));
    return cache_find(arena, cache, STR("key"));
}

TEST(an_altered_entry_is_none) {
    char folder[] = "/tmp/tern-parts-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    Cache cache = {.folder = str_of(folder)}, none = {0};
    CHECK(cache_find(arena, &cache, STR("key")).length == 0);
    enum { SIZE = 200 };
    Str entry = add_entry(arena, &cache, folder, SIZE), text, why;
    CHECK_STR(str_c(arena, entry), below(folder, "key.so"));
    CHECK(cache_find(arena, &none, STR("key")).length == 0);
    CHECK(cache_find(arena, &cache, STR("kez")).length == 0);
    CHECK(file_read(arena, entry.data, 1 << 20, &text, &why) && text.length == SIZE + SEAL);
    for (int i = 0; i < SIZE + SEAL; i++) {
        char *altered = arena_alloc(arena, SIZE + SEAL);
        memcpy(altered, text.data, SIZE + SEAL);
        altered[i] ^= 0x20;
        CHECK(file_write(arena, entry.data, altered, SIZE + SEAL, &why));
        CHECK(cache_find(arena, &cache, STR("key")).length == 0);
        if (i < SIZE - 1) i += 30;
    }
    for (size_t size = 0; size < SIZE + SEAL; size += size < 30 ? 1 : 23) { /* cut short */
        CHECK(file_write(arena, entry.data, text.data, size, &why));
        CHECK(cache_find(arena, &cache, STR("key")).length == 0);
    }
    CHECK(file_write(arena, entry.data, text.data + 1, SIZE + SEAL - 1, &why));
    CHECK(cache_find(arena, &cache, STR("key")).length == 0);
    CHECK(file_write(arena, entry.data, text.data, SIZE + SEAL, &why));
    CHECK(cache_find(arena, &cache, STR("key")).length > 0);
    CHECK(add_entry(arena, &cache, folder, 1).length > 0);
    CHECK(add_entry(arena, &cache, folder, 0).length == 0); /* an object without a byte */
    CHECK(unlink(below(folder, "key.so")) == 0);
    cache_add(arena, &cache, STR("key"), str_of(below(folder, "nothing-there")));
    CHECK(cache_find(arena, &cache, STR("key")).length == 0);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

TEST(a_workplace_is_ones_own) {
    char folder[] = "/tmp/tern-parts-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    Workplace first, second;
    Str why = {0};
    struct stat st;
    CHECK(workplace_open(arena, str_of(folder), &first, &why));
    CHECK(workplace_open(arena, str_of(folder), &second, &why));
    CHECK(!str_equal(first.folder, second.folder));
    CHECK(!strncmp(first.folder.data, below(folder, ".work-"), strlen(folder) + 7));
    int again = open(first.folder.data, O_RDONLY | O_DIRECTORY);
    CHECK(again >= 0 && flock(again, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    close(again);
    make_script(below(first.folder.data, "k.c"), "text", 0600);
    cache_sweep(str_of(folder)); /* both are held */
    CHECK(stat(below(first.folder.data, "k.c"), &st) == 0);
    workplace_close(&first);
    CHECK(stat(first.folder.data, &st) != 0 && stat(second.folder.data, &st) == 0);
    CHECK(fcntl(first.lock, F_GETFD) < 0);
    workplace_close(&second);
    CHECK(rmdir(folder) == 0);
    CHECK(!workplace_open(arena, str_of(folder), &first, &why));
    CHECK_STR(str_c(arena, why),
              str_format(arena,
                         "cannot make a folder to compile in below '%s': No such "
                         "file or directory",
                         folder)
                  .data);
    cache_sweep(str_of(folder)); /* there is none */
    arena_free(arena);
}

TEST_MAIN()
