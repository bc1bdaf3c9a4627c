// SPDX-License-Identifier: Apache-2.0
/* registers: how many registers a thread has, and what of it is spilled to memory, is NVIDIA's
 * assembler's choice. Where ptxas is on PATH it is asked; else that is not known, and nothing is
 * made up in its place. */
#include "device/sim/sim.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int number_before(Str text, const char *words) {
    const char *at = NULL;
    size_t length = strlen(words);
    for (int i = 0; i + (int)length <= text.length && !at; i++)
        if (!memcmp(text.data + i, words, length)) at = text.data + i;
    if (!at) return -1;
    int value = 0, unit = 1;
    while (at > text.data && at[-1] >= '0' && at[-1] <= '9' && unit < 1000000)
        value += (*--at - '0') * unit, unit *= 10;
    return unit > 1 ? value : -1;
}

static bool assemble(Arena *arena, const PtxProgram *program, const char *target,
                     const char *folder, Str *words) {
    const char *from = str_format(arena, "%s/kernel.ptx", folder).data,
               *says = str_format(arena, "%s/words", folder).data;
    char *arch = (char *)(uintptr_t)str_format(arena, "-arch=%s", target).data, name[] = "ptxas",
         v[] = "-v", o[] = "-o", null[] = "/dev/null";
    char *argv[] = {name, v, arch, (char *)(uintptr_t)from, o, null, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    Str why;
    int status = -1;
    if (!file_write(arena, from, program->text->text.data, (size_t)program->text->text.length,
                    &why))
        return false;
    if (posix_spawn_file_actions_init(&actions)) return false;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, says, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!posix_spawnp(&child, "ptxas", &actions, NULL, argv, environ))
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    posix_spawn_file_actions_destroy(&actions);
    bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                file_read(arena, says, 1 << 20, words, &why);
    unlink(from), unlink(says);
    return fine;
}

Assembled sim_assembled(Arena *arena, const PtxProgram *program, const char *target) {
    int saved = errno;
    const char *base = getenv("TMPDIR");
    char *folder =
        (char *)(uintptr_t)str_format(arena, "%s/tern-XXXXXX", base && *base ? base : "/tmp").data;
    Str words = {0};
    Assembled result = {-1, -1, -1, -1};
    if (mkdtemp(folder)) {
        if (assemble(arena, program, target, folder, &words))
            result = (Assembled){number_before(words, " registers"),
                                 number_before(words, " bytes stack frame"),
                                 number_before(words, " bytes spill stores"),
                                 number_before(words, " bytes spill loads")};
        rmdir(folder);
    }
    errno = saved;
    return result;
}
