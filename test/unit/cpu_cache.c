// SPDX-License-Identifier: Apache-2.0
/* The disk cache of the cpu device against what happens to folders: processes killed while they
 * write, full disks, entries cut short or replaced, what other people put there. Each ends in a
 * right result or in words.
 *
 * Called as a compiler (TERN_TEST_OBJECTS is set), this program writes the object that the real
 * compiler once made of that text, slowly and in pieces: hundreds of compilations a second that can
 * be killed half-way. */
#include "base/base.h"
#include "folder.h"
#include "api/context.h"
#include "device/cpu/cpu.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char template[] = "/tmp/tern-test-XXXXXX";
enum { NUM_KERNELS = 6, SEAL_BYTES = 24 };

/* ---- this program as a compiler ---- */

static int write_slowly(const char *path, const char *data, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    if (file < 0) return perror(path), 1;
    srand((unsigned)getpid());
    for (size_t done = 0; done < size;) {
        size_t piece = size / 7 + 1 < size - done ? size / 7 + 1 : size - done;
        ssize_t wrote = write(file, data + done, piece);
        if (wrote < 0) return perror(path), 1;
        done += (size_t)wrote;
        usleep((unsigned)rand() % 400);
    }
    return close(file) ? perror(path), 1 : 0;
}

static int compile_slowly(int argc, char **argv) {
    Str text, object, why;
    Arena *arena = arena_new(NULL);
    char *out = NULL, *source = NULL;
    for (int i = 1; i + 2 < argc; i++)
        if (!strcmp(argv[i], "-o")) out = argv[i + 1], source = argv[i + 2];
    if (!out || !file_read(arena, source, 1 << 24, &text, &why)) return 2;
    const char *kept = str_format(arena, "%s/%016llx.so", getenv("TERN_TEST_OBJECTS"),
                                  (unsigned long long)hash_bytes(text.data, (size_t)text.length, 0))
                           .data;
    if (file_read(arena, kept, 1 << 24, &object, &why))
        return write_slowly(out, object.data, (size_t)object.length);
    Str real, path = str_of(source);
    CCompiler compiler;
    Buf flags = {.arena = arena};
    for (int i = 1; argv[i] != NULL && strcmp(argv[i], "-o") != 0; i++)
        buf_printf(&flags, "%s ", argv[i]);
    if (!compiler_find(arena, "cc", &compiler, &why) ||
        !compiler_run(arena, &compiler, buf_str(&flags).data, STR("/tmp"), &path, 1, out, &why) ||
        !file_read(arena, out, 1 << 24, &real, &why) ||
        !file_write(arena, kept, real.data, (size_t)real.length, &why))
        return fprintf(stderr, "%.*s\n", STR_ARG(why)), 3;
    return 0;
}

static const char *own_path(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return path;
}

/* ---- a kernel that is right or not ---- */

static char words[4096];

/* x[i] = i + 1000 * which */
static bool works(const char *cache_dir, int which, const char *compiler) {
    int data[50] = {0};
    char text[512];
    tern_status status;
    snprintf(text, sizeof text,
             "func @k(%%x: ptr<i32>) {\n  %%p = program_id {axis = 0} : i32\n"
             "  %%c = constant %d : i32\n  %%v = add %%p, %%c : i32\n"
             "  %%a = addptr %%x, %%p : ptr<i32>\n  store %%a, %%v\n  yield\n}\n",
             1000 * which);
    tern_context *context = tern_open(
        &(tern_open_options){
            .device = "cpu", .cache_dir = cache_dir, .compiler = compiler, .num_threads = 1},
        &status, words, sizeof words);
    if (!context) return false;
    tern_kernel *kernel = kernel_from_ir(context, text, NULL);
    tern_buffer *buffer = tern_wrap(context, data, sizeof data);
    tern_argument argument = tern_arg_buffer(buffer);
    bool good = kernel && buffer &&
                tern_launch(NULL, kernel, (uint32_t[]){50, 1, 1}, &argument, 1) == TERN_OK &&
                tern_synchronize(context) == TERN_OK;
    snprintf(words, sizeof words, "%s", tern_message(context));
    for (int i = 0; i < 50 && good; i++)
        if (data[i] != i + 1000 * which)
            good = false, snprintf(words, sizeof words, "WRONG RESULT");
    tern_kernel_free(kernel);
    tern_buffer_free(buffer);
    tern_close(context);
    return good;
}

static bool says(bool good) {
    if (!good) printf("%s\n", words);
    return good;
}

/* The path of the `n`-th name in the folder that ends as given; NULL: there are fewer. */
static char *nth_entry(const char *folder, const char *end, int n) {
    static char path[512];
    DIR *entries = opendir(folder);
    bool found = false;
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name), want = strlen(end);
        if (length < want || strcmp(entry->d_name + length - want, end) != 0 || n-- > 0) continue;
        found = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path;
    }
    if (entries) closedir(entries);
    return found ? path : NULL;
}

static void remove_entries(const char *folder) {
    for (char *entry; (entry = nth_entry(folder, ".so", 0)) && unlink(entry) == 0;) continue;
}

static int num_entries(const char *folder, const char *start) {
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        count += !strncmp(entry->d_name, start, strlen(start)) && strcmp(entry->d_name, ".") != 0 &&
                 strcmp(entry->d_name, "..") != 0;
    if (entries) closedir(entries);
    return count;
}

/* Runs `body` in a process of its own; its exit code, or -1. */
static int in_child(int (*body)(void *), void *user) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(body(user));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- damage ---- */

TEST(cache_survives_damage) {
    char folder[] = "/tmp/tern-test-XXXXXX";
    CHECK(mkdtemp(folder));
    CHECK(says(works(folder, 1, NULL)));
    char *entry = nth_entry(folder, ".so", 0);
    CHECK(entry);
    if (!entry) return;
    struct stat before, after;
    CHECK(stat(entry, &before) == 0 && before.st_size > 1000);
    CHECK(says(works(folder, 1, NULL))); /* from the cache: the entry stays as it is */
    CHECK(stat(entry, &after) == 0 && after.st_ino == before.st_ino);
    CHECK(truncate(entry, before.st_size / 2) == 0);
    CHECK(says(works(folder, 1, NULL))); /* made again */
    CHECK(stat(entry, &after) == 0 && after.st_size == before.st_size);
    FILE *file = fopen(entry, "r+b");
    CHECK(file && fseek(file, 700, SEEK_SET) == 0 && fputc(0x5a, file) != EOF && fclose(file) == 0);
    CHECK(says(works(folder, 1, NULL))); /* one byte altered */
    CHECK(truncate(entry, 0) == 0);
    CHECK(says(works(folder, 1, NULL)));
    chmod(folder, 0777); /* others could put code there: not used, a private folder is */
    CHECK(says(works(folder, 1, NULL)));
    CHECK(says(works("/proc/nowhere", 1, NULL)));
    CHECK(says(works("", 1, NULL)));
    unlink(entry);
    CHECK(rmdir(folder) == 0); /* nothing else was left behind */
}

/* A folder that has been through the fake compiler once for each kernel. */
static bool make_objects(char *objects, char *folder) {
    if (!mkdtemp(objects) || !mkdtemp(folder)) return false;
    setenv("TERN_TEST_OBJECTS", objects, 1);
    for (int i = 0; i < NUM_KERNELS; i++)
        if (!says(works(folder, i, own_path()))) return false;
    return true;
}

static void put_sealed(const char *path, const char *data, size_t size) {
    struct {
        char magic[8];
        uint64_t size_bytes, hash;
    } seal = {"TERNSO01", size, hash_bytes(data, size, 0)};
    memcpy(seal.magic, "TERNSO01", 8);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, size, 1, file) == 1 && fwrite(&seal, sizeof seal, 1, file) == 1 &&
          fclose(file) == 0);
}

TEST(something_else_stands_where_an_entry_should_be) {
    char objects[] = "/tmp/tern-test-XXXXXX", folder[] = "/tmp/tern-test-XXXXXX", inner[600];
    CHECK(make_objects(objects, folder));
    remove_entries(folder);
    CHECK(num_entries(folder, "") == 0);
    CHECK(says(works(folder, 1, own_path())));
    char *entry = nth_entry(folder, ".so", 0);
    CHECK(entry && unlink(entry) == 0);
    if (!entry) return;
    struct stat st;
    CHECK(mkdir(entry, 0700) == 0);
    CHECK(says(works(folder, 1, own_path()))); /* an empty folder */
    snprintf(inner, sizeof inner, "%s/file", entry);
    mkdir(entry, 0700);
    int file = open(inner, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0 && close(file) == 0);
    CHECK(says(works(folder, 1, own_path()))); /* one that is not ours to remove */
    CHECK(stat(inner, &st) == 0 && num_entries(folder, "") == 1);
    CHECK(unlink(inner) == 0 && rmdir(entry) == 0);
    CHECK(mkfifo(entry, 0600) == 0);
    CHECK(says(works(folder, 1, own_path())));
    CHECK(stat(entry, &st) == 0 && S_ISREG(st.st_mode));
    CHECK(unlink(entry) == 0 && symlink("/nowhere/at/all", entry) == 0);
    CHECK(says(works(folder, 1, own_path())));
    CHECK(lstat(entry, &st) == 0 && S_ISREG(st.st_mode));
    put_sealed(entry, "whole, sealed and no shared object", 34);
    CHECK(says(works(folder, 1, own_path())));
    CHECK(stat(entry, &st) == 0 && st.st_size > 1000);
    unsetenv("TERN_TEST_OBJECTS");
    CHECK(folder_remove(objects, template) && folder_remove(folder, template));
}

/* ---- full disk ---- */

typedef struct Limited {
    const char *folder, *compiler;
    rlim_t limit_bytes;
} Limited;

static int run_limited(void *user) {
    const Limited *limited = user;
    struct rlimit limit = {limited->limit_bytes, limited->limit_bytes};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit)) return 9;
    if (works(limited->folder, 1, limited->compiler)) return 0;
    return strstr(words, "File too large") ? 1 : 2;
}

TEST(a_full_disk_is_said_or_does_not_matter) {
    char objects[] = "/tmp/tern-test-XXXXXX", folder[] = "/tmp/tern-test-XXXXXX";
    CHECK(make_objects(objects, folder));
    remove_entries(folder);
    CHECK(says(works(folder, 1, own_path())));
    struct stat st;
    char *entry = nth_entry(folder, ".so", 0);
    CHECK(entry && stat(entry, &st) == 0);
    if (!entry) return;
    rlim_t object_bytes = (rlim_t)st.st_size - SEAL_BYTES;
    CHECK(unlink(entry) == 0);
    const struct {
        rlim_t limit_bytes;
        int code, num_kept;
        const char *compiler;
    } cases[] = {
        {0, 1, 0, own_path()},                /* the C text cannot be written */
        {object_bytes - 1, 1, 0, own_path()}, /* the compiler cannot */
        {object_bytes, 0, 0, own_path()},     /* the seal cannot: not kept, but right */
        {object_bytes + SEAL_BYTES, 0, 1, own_path()},
        {1000, 1, 0, NULL},
        {8000, 1, 0, NULL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        Limited limited = {folder, cases[i].compiler, cases[i].limit_bytes};
        int code = in_child(run_limited, &limited);
        if (code != cases[i].code || num_entries(folder, "") != cases[i].num_kept) {
            printf("case %d: code %d, %d entries\n", i, code, num_entries(folder, ""));
            CHECK(false);
        }
        CHECK(says(works(folder, 1, own_path())));
        remove_entries(folder);
    }
    unsetenv("TERN_TEST_OBJECTS");
    CHECK(folder_remove(objects, template) && folder_remove(folder, template));
}

/* ---- a folder that cannot be written to ---- */

static int run_read_only(void *user) {
    struct stat before, after;
    const char *folder = user;
    enum { NOBODY = 65534 };
    if (geteuid() == 0 && (chown(folder, NOBODY, NOBODY) || setgid(NOBODY) || setuid(NOBODY)))
        return 9;
    if (!works(folder, 1, NULL)) return 2;
    char *entry = nth_entry(folder, ".so", 0);
    if (!entry || stat(entry, &before) || chmod(folder, 0500)) return 3;
    if (!works(folder, 1, NULL)) return 4; /* what is there is used: no compiler runs */
    if (!works(folder, 2, NULL)) return 5; /* what is not there is made elsewhere */
    if (stat(entry, &after) || before.st_ino != after.st_ino || num_entries(folder, "") != 1)
        return 6;
    setenv("TMPDIR", folder, 1);
    if (works(folder, 3, NULL) || !strstr(words, "Permission denied")) return 7;
    return 0;
}

TEST(a_read_only_folder_serves_what_it_has) {
    char folder[] = "/tmp/tern-test-XXXXXX";
    CHECK(mkdtemp(folder));
    int code = in_child(run_read_only, folder);
    if (code) printf("code %d\n", code);
    CHECK(code == 0);
    chmod(folder, 0700);
    CHECK(folder_remove(folder, template));
}

/* ---- leftovers ---- */

static void make_file(const char *folder, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0 && close(file) == 0);
}

static void make_folder(const char *folder, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(mkdir(path, 0700) == 0);
}

TEST(only_work_folders_that_nobody_holds_are_swept) {
    char folder[] = "/tmp/tern-test-XXXXXX", path[600];
    CHECK(mkdtemp(folder));
    make_folder(folder, ".work-dead01"), make_file(folder, ".work-dead01/k.c");
    make_file(folder, ".work-dead01/k.so"), make_folder(folder, ".work-empty1");
    make_folder(folder, ".work-held01"), make_file(folder, ".work-held01/k.c");
    make_folder(folder, ".work-deep01"), make_folder(folder, ".work-deep01/inner");
    make_folder(folder, ".work-longer1"), make_folder(folder, ".work-");
    make_file(folder, ".work-file01"), make_file(folder, "notes.txt");
    make_folder(folder, "other"), make_file(folder, "other/k.c");
    snprintf(path, sizeof path, "%s/.work-link01", folder);
    CHECK(symlink("other", path) == 0);
    snprintf(path, sizeof path, "%s/.work-held01", folder);
    int held = open(path, O_RDONLY | O_DIRECTORY);
    CHECK(held >= 0 && flock(held, LOCK_EX) == 0);
    CHECK(num_entries(folder, "") == 10);
    cache_sweep(str_of(folder));
    static const char *const stay[] = {".work-held01/k.c", ".work-deep01/inner", ".work-longer1",
                                       ".work-",           ".work-file01",       "notes.txt",
                                       "other/k.c",        ".work-link01"};
    for (int i = 0; i < COUNT(stay); i++) {
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, stay[i]);
        CHECK(lstat(path, &st) == 0);
    }
    CHECK(num_entries(folder, "") == 8);
    close(held);
    cache_sweep(str_of(folder));
    CHECK(num_entries(folder, "") == 7);
    CHECK(folder_remove(folder, template));
}

/* ---- kill -9 ---- */

/* Compiles and checks kernels until killed; exits only when something was wrong. */
static int compile_for_ever(const char *folder, unsigned seed) {
    srand(seed);
    for (;;) {
        char *entry = rand() % 2 ? nth_entry(folder, ".so", rand() % NUM_KERNELS) : NULL;
        if (entry) unlink(entry); /* so that there is always something to make */
        if (works(folder, rand() % NUM_KERNELS, own_path())) continue;
        int file = open("/dev/stdout", O_WRONLY | O_APPEND);
        if (file < 0 || write(file, words, strlen(words)) < 0) return 2;
        return 1;
    }
}

static pid_t start_worker(const char *folder, unsigned seed) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        _exit(compile_for_ever(folder, seed));
    }
    if (child > 0) setpgid(child, child);
    return child;
}

/* `all`: the compiler that it runs too; else that goes on alone. */
static bool end_worker(pid_t child, bool all) {
    int status = 0;
    kill(all ? -child : child, SIGKILL);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(killed_processes_leave_nothing_that_is_loaded_wrong) {
    char objects[] = "/tmp/tern-test-XXXXXX", folder[] = "/tmp/tern-test-XXXXXX";
    enum { WORKERS = 4 };
    pid_t workers[WORKERS];
    int kills = 0, most_unfinished = 0;
    CHECK(make_objects(objects, folder));
    for (unsigned i = 0; i < WORKERS; i++) workers[i] = start_worker(folder, i);
    srand((unsigned)getpid());
    for (double end = seconds() + 2; seconds() < end || kills < 30; kills++) {
        usleep((unsigned)rand() % 12000);
        int which = rand() % WORKERS, unfinished = num_entries(folder, ".work-");
        bool was_running = end_worker(workers[which], rand() % 2);
        CHECK(was_running);
        if (!was_running) break;
        if (unfinished > most_unfinished) most_unfinished = unfinished;
        workers[which] = start_worker(folder, (unsigned)(kills + WORKERS));
    }
    for (int i = 0; i < WORKERS; i++) CHECK(end_worker(workers[i], true));
    CHECK(most_unfinished > 0); /* else nothing was tried */
    for (int i = 0; i < NUM_KERNELS; i++) CHECK(says(works(folder, i, own_path())));
    /* Compilers that outlive their process may still be making a file: they are soon gone. */
    for (int tries = 0; tries < 500 && num_entries(folder, ".work-"); tries++)
        usleep(10000), cache_sweep(str_of(folder));
    CHECK(num_entries(folder, "") == NUM_KERNELS);
    unsetenv("TERN_TEST_OBJECTS");
    CHECK(folder_remove(objects, template) && folder_remove(folder, template));
}

/* The same with the real compiler, which has files of its own. */
TEST(killed_compilers_leave_nothing_that_is_loaded_wrong) {
    char folder[] = "/tmp/tern-test-XXXXXX";
    CHECK(mkdtemp(folder));
    for (int round = 0; round < 6; round++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            setpgid(0, 0);
            _exit(!works(folder, 1, NULL) || !works(folder, 2, NULL));
        }
        setpgid(child, child);
        usleep(2000 + (unsigned)round * 15000);
        kill(-child, SIGKILL);
        CHECK(waitpid(child, NULL, 0) == child);
    }
    CHECK(says(works(folder, 1, NULL)) && says(works(folder, 2, NULL)));
    cache_sweep(str_of(folder));
    CHECK(num_entries(folder, "") == 2);
    CHECK(folder_remove(folder, template));
}

int main(int argc, char **argv) {
    if (getenv("TERN_TEST_OBJECTS"))
        _exit(compile_slowly(argc, argv)); /* what it leaks is nobody's */
    return test_main(__FILE__, argc, argv);
}
