// SPDX-License-Identifier: Apache-2.0
/* What fails under the cpu device's parts: memory, locks of files. Nothing stays, and nothing is
 * wrong. The allocator, and flock, are this program's. */
#include "allocations.h"
#include "base/source.h"
#include "device/cpu/cpu.h"
#include "folder.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

static const char template[] = "/tmp/tern-failures-XXXXXX";

/* ---- memory ---- */

typedef struct Seen {
    _Atomic int programs[500], workers;
} Seen;

static void see(void *user, int worker, int64_t lo, int64_t hi) {
    Seen *seen = user;
    seen->workers |= 1 << worker;
    for (int64_t i = lo; i < hi; i++) seen->programs[i]++;
}

static bool runs_all(Pool *pool) {
    static Seen seen;
    memset(&seen, 0, sizeof seen);
    pool_run(pool, COUNT(seen.programs), 1, see, &seen);
    int wrong = 0;
    for (int i = 0; i < COUNT(seen.programs); i++) wrong += seen.programs[i] != 1;
    return wrong == 0 && seen.workers < 1 << pool_threads(pool);
}

/* Fewer threads do the same work; without memory for the caller's alone there is no pool. */
TEST(a_pool_makes_do_with_the_memory_there_is) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    pool_close(pool_open(4)); /* what the system keeps of a thread, it keeps from now on */
    allocations_counted = true;
    int none = 0, fewer = 0, allocation = 0;
    do {
        long before = allocations_live;
        allocations_failed = false;
        allocations_until_failure = allocation++;
        Pool *pool = pool_open(4);
        allocations_until_failure = -1;
        none += !pool;
        fewer += pool && pool_threads(pool) < 4;
        CHECK(pool || allocations_failed);
        if (pool) CHECK(allocations_failed == (pool_threads(pool) < 4) && runs_all(pool));
        pool_close(pool);
        CHECK(allocations_live == before);
    } while (allocations_failed);
    allocations_counted = false;
    CHECK(none == 3 && fewer == 3);
}

static int note_fail(KernelRuntime *runtime, int kind, int detail) {
    return (void)runtime, (void)kind, (void)detail, 1;
}

static int ended;

/* Gives way twice; the third program fails where args[0] says so. */
static int waits(void **args, const int *grid, long long lo, long long hi, char *scratch,
                 KernelRuntime *runtime, int stream) {
    (void)grid, (void)hi, (void)stream;
    memset(scratch, 1, 100);
    for (int i = 0; i < 2; i++) {
        if (runtime->yield(runtime)) return 1;
        if (lo == 2 && *(int *)args[0]) return runtime->fail(runtime, KERNEL_STEP, 0);
    }
    ended++;
    return 0;
}

static bool run_five(FiberRun *run, int failing, const volatile int *stop) {
    static const Device device; /* has no memory */
    static KernelTests outer = {.runtime = {.fail = note_fail}};
    static int fails;
    static void *args[] = {&fails};
    fails = failing, outer.runtime.stop = stop;
    ended = 0;
    *run = (FiberRun){.device = &device,
                      .function = waits,
                      .args = args,
                      .grid = {5, 1, 1},
                      .scratch_bytes = 100,
                      .tests = &outer};
    return fibers_run(run, 5);
}

TEST(fibers_without_memory) {
    static const volatile int never;
    FiberRun run;
    int allocation = 0, ends = -1;
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    allocations_counted = true;
    do {
        long before = allocations_live;
        allocations_failed = false;
        allocations_until_failure = allocation++;
        bool good = run_five(&run, false, &never);
        allocations_until_failure = -1;
        CHECK(good == !allocations_failed && run.no_memory == allocations_failed);
        CHECK(!run.deadlock && !run.cut && ended >= ends); /* what had begun before that, may end */
        CHECK(allocations_live == before);
        ends = ended;
    } while (allocations_failed);
    CHECK(ended == 5 && allocation > 8);
    allocations_counted = false;
}

TEST(fibers_that_end_early_leave_nothing) {
    static const volatile int never, always = 1;
    FiberRun run;
    allocations_counted = ALLOCATIONS_ARE_OURS;
    long before = allocations_live;
    CHECK(!run_five(&run, true, &never) && !run.no_memory && !run.deadlock && !run.cut);
    CHECK(allocations_live == before);
    CHECK(run_five(&run, false, &never) && ended == 5);
    CHECK(allocations_live == before);
    CHECK(run_five(&run, false, &always) && ended == 0);
    CHECK(allocations_live == before);
    allocations_counted = false;
}

/* ---- locks ---- */

/* What flock does before it locks. */
static enum { LOCKS, REMOVES_ONCE, REMOVES, INTERRUPTED_ONCE, HAS_NONE } flock_does;
static int num_flocks;

int flock(int file, int operation) {
    char link[64], path[400];
    num_flocks++;
    bool removes = flock_does == REMOVES || flock_does == REMOVES_ONCE;
    if (flock_does == HAS_NONE) return errno = ENOLCK, -1;
    if (flock_does == INTERRUPTED_ONCE) return flock_does = LOCKS, errno = EINTR, -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = removes ? readlink(link, path, sizeof path - 1) : -1;
    if (length > 0) path[length] = 0, CHECK(rmdir(path) == 0); /* as another process's sweep does */
    if (flock_does == REMOVES_ONCE) flock_does = LOCKS;
    return (int)syscall(SYS_flock, file, operation);
}

static int num_files(const char *folder) {
    int count = 0;
    DIR *files = opendir(folder);
    while (files && readdir(files)) count++;
    if (files) closedir(files);
    return count;
}

TEST(a_workplace_that_is_swept_away_is_made_again) {
    static const struct {
        int does, flocks;
        bool opens;
    } rows[] = {{LOCKS, 1, true},
                {REMOVES_ONCE, 2, true},
                {INTERRUPTED_ONCE, 2, true},
                {HAS_NONE, 1, true},
                {REMOVES, 20, false}};
    char folder[] = "/tmp/tern-failures-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    int open_files = num_files("/proc/self/fd"), empty = num_files(folder);
    for (int i = 0; i < COUNT(rows); i++) {
        Workplace work;
        Str why = {0};
        flock_does = rows[i].does, num_flocks = 0;
        CHECK(workplace_open(arena, str_of(folder), &work, &why) == rows[i].opens);
        flock_does = LOCKS;
        CHECK(num_flocks == rows[i].flocks);
        CHECK(num_files("/proc/self/fd") == open_files + rows[i].opens);
        CHECK(num_files(folder) == empty + rows[i].opens);
        if (rows[i].opens)
            workplace_close(&work);
        else
            CHECK_STR(str_c(arena, why),
                      str_format(arena,
                                 "cannot make a folder to compile in below '%s': No such file or "
                                 "directory",
                                 folder)
                          .data);
        CHECK(num_files("/proc/self/fd") == open_files && num_files(folder) == empty);
    }
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

/* A process may begin without a standard input: then a file is number 0. */
TEST(a_file_may_be_the_first) {
    char folder[] = "/tmp/tern-failures-XXXXXX", path[64];
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    Cache cache = {.folder = str_of(folder)};
    Workplace work;
    Str why = {0};
    int empty = num_files(folder), open_files = num_files("/proc/self/fd"), input = dup(0);
    snprintf(path, sizeof path, "%s/.work-abcdef", folder);
    CHECK(input > 0 && mkdir(path, 0700) == 0 && close(0) == 0);
    flock_does = LOCKS;
    CHECK(workplace_open(arena, str_of(folder), &work, &why) && work.lock == 0);
    Str object = str_format(arena, "%.*s/k.so", STR_ARG(work.folder));
    CHECK(file_write(arena, object.data, "abc", 3, &why));
    workplace_close(&work);
    CHECK(num_files(folder) == empty + 1);
    object = str_format(arena, "%s/made", folder);
    CHECK(file_write(arena, object.data, "abc", 3, &why));
    cache_add(arena, &cache, STR("key"), object);
    CHECK(cache_find(arena, &cache, STR("key")).length > 0);
    CHECK(num_files(folder) == empty + 2);
    cache_sweep(str_of(folder));
    CHECK(num_files(folder) == empty + 1);
    CHECK(dup2(input, 0) == 0 && close(input) == 0);
    CHECK(num_files("/proc/self/fd") == open_files);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

/* Where locks do not work, a folder is left alone for a day. */
TEST(without_locks_only_old_folders_are_swept) {
    static const struct {
        int does, age_hours;
        bool is_held, goes;
    } rows[] = {{LOCKS, 0, false, true},      {LOCKS, 0, true, false},
                {LOCKS, 48, true, false},     {HAS_NONE, 0, false, false},
                {HAS_NONE, 23, false, false}, {HAS_NONE, 25, false, true}};
    char folder[] = "/tmp/tern-failures-XXXXXX", path[64];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/.work-abcdef", folder);
    int open_files = num_files("/proc/self/fd");
    for (int i = 0; i < COUNT(rows); i++) {
        struct stat st;
        struct timespec now;
        CHECK(mkdir(path, 0700) == 0);
        int held = open(path, O_RDONLY | O_DIRECTORY);
        flock_does = LOCKS;
        if (rows[i].is_held) CHECK(held >= 0 && flock(held, LOCK_EX) == 0);
        clock_gettime(CLOCK_REALTIME, &now);
        now.tv_sec -= rows[i].age_hours * 3600;
        CHECK(utimensat(AT_FDCWD, path, (struct timespec[]){now, now}, 0) == 0);
        flock_does = rows[i].does;
        cache_sweep(str_of(folder));
        flock_does = LOCKS;
        CHECK((stat(path, &st) != 0) == rows[i].goes);
        close(held);
        CHECK(num_files("/proc/self/fd") == open_files);
        CHECK(rmdir(path) == 0 || rows[i].goes);
    }
    CHECK(rmdir(folder) == 0);
}

TEST(a_workplace_and_an_entry_that_are_gone) {
    char folder[] = "/tmp/tern-failures-XXXXXX";
    CHECK(mkdtemp(folder));
    Arena *arena = arena_new(NULL);
    Workplace work;
    Str why = {0};
    Cache cache = {.folder = str_of(folder)};
    int open_files = num_files("/proc/self/fd");
    flock_does = LOCKS;
    CHECK(workplace_open(arena, str_of(folder), &work, &why) && rmdir(work.folder.data) == 0);
    workplace_close(&work); /* somebody has removed it */
    CHECK(num_files("/proc/self/fd") == open_files);
    cache_add(arena, &cache, STR("key"), STR("/nowhere/at/all"));
    CHECK(rmdir(folder) == 0);
    arena_free(arena);
}

/* Root can make a folder that is somebody else's. */
TEST(what_is_somebody_elses_is_left_alone) {
    enum { NOBODY = 65534 };
    char folder[] = "/tmp/tern-failures-XXXXXX", path[64];
    if (geteuid() != 0) {
        SKIP("not root");
        return;
    }
    struct stat st;
    Arena *arena = arena_new(NULL);
    Cache cache;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/.work-abcdef", folder);
    CHECK(mkdir(path, 0700) == 0 && chown(path, NOBODY, NOBODY) == 0);
    cache_sweep(str_of(folder));
    CHECK(stat(path, &st) == 0);
    cache_open(arena, &cache, path);
    CHECK(cache.folder.length == 0);
    cache_open(arena, &cache, folder);
    CHECK_STR(str_c(arena, cache.folder), folder);
    arena_free(arena);
    CHECK(folder_remove(folder, template));
}

/* ---- numbers and names ---- */

TEST(from_where_on_stores_go_past_the_caches) {
    static const struct {
        int64_t last, own, want;
    } rows[] = {{40 << 20, 2 << 20, 10 << 20},
                {320 << 20, 2 << 20, 16 << 20},
                {0, 2 << 20, 2 << 20},
                {-1, 1, 8},
                {4, 0, 1},
                {1, 0, 0},
                {0, 1, 8},
                {1 << 30, 0, 16 << 20},
                {1 << 30, -1, 16 << 20},
                {0, 0, 2 << 20}};
    for (int i = 0; i < COUNT(rows); i++)
        CHECK(cpu_stream_bytes(rows[i].last, rows[i].own) == rows[i].want);
}

TEST(a_key_is_of_all_that_goes_into_an_object) {
    static const char *const rows[][3] = {{"cc 1", "-O2", "int x;"},
                                          {"cc 2", "-O2", "int x;"},
                                          {"cc 1", "-O3", "int x;"},
                                          {"cc 1", "-O2", "int y;"},
                                          {"cc 1", "-O", "2int x;"},
                                          {"cc 1-", "O2", "int x;"},
                                          {"", "", ""}};
    enum { NUM = sizeof rows / sizeof *rows };
    Arena *arena = arena_new(NULL);
    const char *keys[NUM];
    for (int i = 0; i < NUM; i++) {
        CCompiler compiler = {.identity = str_of(rows[i][0])};
        Str key = cache_key(arena, &compiler, str_of(rows[i][1]), str_of(rows[i][2]));
        Str again = cache_key(arena, &compiler, str_of(rows[i][1]), str_of(rows[i][2]));
        CHECK(key.length == 32 && strspn(key.data, "0123456789abcdef") == 32);
        CHECK(str_equal(key, again));
        keys[i] = str_c(arena, key);
        CHECK(strncmp(keys[i], keys[i] + 16, 16) != 0);
        for (int k = 0; k < i; k++) /* each half alone */
            CHECK(strncmp(keys[i], keys[k], 16) != 0 && strcmp(keys[i] + 16, keys[k] + 16) != 0);
    }
    arena_free(arena);
}

TEST_MAIN()
