// SPDX-License-Identifier: Apache-2.0
/* compile: finds a C compiler and runs it. */
#include "device/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static Str search_path(Arena *arena, const char *name) {
    if (strchr(name, '/')) return is_program(name) ? str_copy(arena, str_of(name)) : (Str){0};
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        int length = (int)strcspn(at, ":");
        Str full = str_format(arena, "%.*s/%s", length ? length : 1, length ? at : ".", name);
        if (is_program(full.data)) return full;
        at += length + (at[length] == ':');
    }
    return (Str){0};
}

/* A program, whose name may have blanks in it, or else the first word, and the rest as its options.
 */
static Str find_asked(Arena *arena, const char *asked, Str *options) {
    Str found = search_path(arena, asked);
    if (found.length) return found;
    asked += strspn(asked, " \t");
    int length = (int)strcspn(asked, " \t");
    *options = str_copy(arena, str_of(asked + length + (int)strspn(asked + length, " \t")));
    return search_path(arena, str_c(arena, (Str){asked, length}));
}

bool compiler_find(Arena *arena, const char *asked, CCompiler *compiler, Str *why) {
    int saved = errno;
    static const char *const usual[] = {"cc", "gcc", "clang"};
    if (!asked || !*asked) asked = getenv("TERN_CC");
    Str found = {0}, options = STR("");
    if (asked && *asked)
        found = find_asked(arena, asked, &options);
    else
        for (int i = 0; i < COUNT(usual) && !found.length; i++)
            found = search_path(arena, usual[i]);
    if (!found.length) {
        const char *how = asked && *asked ? asked : "cc, gcc, clang on PATH";
        *why = str_format(
            arena, "no C compiler found (looked for %s); the interp device still works", how);
        errno = saved;
        return false;
    }
    char *real = realpath(found.data, NULL);
    struct stat st = {0};
    stat(found.data, &st);
    Str target = str_copy(arena, real ? str_of(real) : found);
    free(real);
    const char *slash = strrchr(target.data, '/');
    compiler->path = found;
    compiler->name = str_of(slash ? slash + 1 : target.data);
    compiler->options = options;
    compiler->identity =
        str_format(arena, "%.*s %.*s %lld %lld %lld%s%.*s", STR_ARG(found), STR_ARG(target),
                   (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                   (long long)st.st_mtim.tv_nsec, options.length ? " " : "", STR_ARG(options));
    errno = saved;
    return true;
}

enum { MOST_ERRORS = 2000 };

/* However much the compiler says, its first error is among the first words. */
static Str first_words(Arena *arena, const char *path) {
    char *words = arena_alloc(arena, MOST_ERRORS);
    FILE *file = fopen(path, "re");
    if (!file) return STR("");
    size_t length = fread(words, 1, MOST_ERRORS, file);
    fclose(file);
    return (Str){words, (int)length};
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR) return -1;
    return status;
}

/* The environment, with TMPDIR as given. */
static char **environment_with(Arena *arena, Str folder) {
    int count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **with = arena_array(arena, char *, count + 2);
    for (int i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) with[kept++] = environ[i];
    with[kept++] = (char *)(uintptr_t)str_format(arena, "TMPDIR=%.*s", STR_ARG(folder)).data;
    return with;
}

/* Why the compiler is not done; `status` is waitpid's. */
static Str failure(Arena *arena, const CCompiler *compiler, int status, const char *errors) {
    if (status < 0)
        return str_format(arena, "cannot wait for '%.*s': %s", STR_ARG(compiler->path),
                          errno == ECHILD ? "this program ignores SIGCHLD" : strerror(errno));
    if (WIFSIGNALED(status))
        return str_format(arena, "'%.*s' was ended by signal %d", STR_ARG(compiler->path),
                          WTERMSIG(status));
    return str_format(arena, "'%.*s' failed on generated code:\n%.*s", STR_ARG(compiler->path),
                      STR_ARG(first_words(arena, errors)));
}

enum { MOST_WORDS = 120 };

typedef struct Process {
    pid_t child;
    Str errors; /* the file with its words */
} Process;

static bool start(Arena *arena, const CCompiler *compiler, const char *flags, Str folder,
                  const Str *inputs, int num_inputs, const char *output, Process *process,
                  Str *why) {
    char *argv[MOST_WORDS + MOST_PARTS + 5];
    int count = 0;
    Str words = str_format(arena, "%.*s %s", STR_ARG(compiler->options), flags);
    char *copy = (char *)words.data;
    argv[count++] = (char *)compiler->path.data;
    for (char *at = strtok_r(copy, " \t", &copy); at; at = strtok_r(NULL, " \t", &copy)) {
        if (count == MOST_WORDS) {
            *why = str_format(arena, "the C compiler has more than %d options: %.*s",
                              MOST_WORDS - 1, STR_ARG(compiler->options));
            return false;
        }
        argv[count++] = at;
    }
    argv[count++] = "-o", argv[count++] = (char *)output;
    for (int i = 0; i < num_inputs; i++) argv[count++] = (char *)inputs[i].data;
    argv[count++] = "-lm", argv[count] = NULL;
    process->errors = str_format(arena, "%s.err", output);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        *why = STR("out of host memory");
        return false;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, process->errors.data,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = posix_spawn(&process->child, compiler->path.data, &actions, NULL, argv,
                             environment_with(arena, folder));
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        *why =
            str_format(arena, "cannot run '%.*s': %s", STR_ARG(compiler->path), strerror(failed));
    return !failed;
}

static bool finish(Arena *arena, const CCompiler *compiler, const Process *process, Str *why) {
    int status = wait_for(process->child);
    if (status != 0) *why = failure(arena, compiler, status, process->errors.data);
    return status == 0;
}

bool compiler_run(Arena *arena, const CCompiler *compiler, const char *flags, Str folder,
                  const Str *source_paths, int count, const char *object_path, Str *why) {
    Process whole, processes[MOST_PARTS];
    Str objects[MOST_PARTS];
    const char *apart = str_format(arena, "%s -c", flags).data,
               *together = str_format(arena, "%s -x none", flags).data;
    if (count == 1)
        return start(arena, compiler, flags, folder, source_paths, 1, object_path, &whole, why) &&
               finish(arena, compiler, &whole, why);
    int started = 0;
    for (; started < count; started++) {
        objects[started] = str_format(arena, "%s.%d.o", object_path, started);
        if (!start(arena, compiler, apart, folder, &source_paths[started], 1, objects[started].data,
                   &processes[started], why))
            break;
    }
    bool good = started == count;
    for (int i = 0; i < started; i++) good = finish(arena, compiler, &processes[i], why) && good;
    return good &&
           start(arena, compiler, together, folder, objects, count, object_path, &whole, why) &&
           finish(arena, compiler, &whole, why);
}
