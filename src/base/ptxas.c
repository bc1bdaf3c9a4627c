// SPDX-License-Identifier: Apache-2.0
#include "base/ptxas.h"
#include "base/cap.h"
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 1 << 20, MOST_CUBIN = 64 << 20 };

typedef struct Files {
    const char *ptx, *words, *cubin;
} Files;

static PtxasResult assemble(Arena *arena, const char *target, const Files *files, bool keeps,
                            bool lines) {
    char *arch = (char *)(uintptr_t)str_format(arena, "-arch=%s", target).data, name[] = "ptxas",
         v[] = "-v", o[] = "-o", null[] = "/dev/null", line_info[] = "-lineinfo";
    char *from = (char *)(uintptr_t)files->ptx, *to = (char *)(uintptr_t)files->cubin;
    char *argv[] = {name, v, arch, from, o, keeps ? to : null, lines ? line_info : NULL, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return PTXAS_MISSING;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, files->words, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    bool runs = !posix_spawnp(&child, "ptxas", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!runs) return PTXAS_MISSING;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return PTXAS_MISSING;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PTXAS_FINE : PTXAS_REFUSED;
}

static PtxasResult run_in(Arena *arena, const char *folder, const char *target, Str ptx, bool lines,
                          Str *cubin, Str *words) {
    Str why;
    const Files files = {str_format(arena, "%s/kernel.ptx", folder).data,
                         str_format(arena, "%s/words", folder).data,
                         str_format(arena, "%s/kernel.cubin", folder).data};
    PtxasResult result = PTXAS_MISSING;
    if (file_write(arena, files.ptx, ptx.data, (size_t)ptx.length, &why))
        result = assemble(arena, target, &files, cubin != NULL, lines);
    else
        *words = why;
    bool said = result == PTXAS_MISSING || file_read(arena, files.words, MOST_WORDS, words, &why);
    if (result == PTXAS_FINE &&
        (!said || (cubin && !file_read(arena, files.cubin, MOST_CUBIN, cubin, &why))))
        *words = why, result = PTXAS_MISSING;
    unlink(files.ptx), unlink(files.words), unlink(files.cubin);
    return result;
}

static void run_capped(Arena *arena, const char *folder, const char *target, Str ptx, bool lines,
                       Str *cubin, Str *words) {
    PtxasUse before = ptxas_use(*words);
    Cap caps[MOST_CAPS];
    int count = caps_for(ptx, before.registers, caps);
    for (int i = 0; i < count; i++) {
        Str code, said;
        if (run_in(arena, folder, target, cap_text(arena, ptx, caps[i]), lines,
                   cubin ? &code : NULL, &said) != PTXAS_FINE ||
            !cap_pays(caps[i], before, ptxas_use(said)))
            continue;
        *words = said;
        if (cubin) *cubin = code;
        return;
    }
}

PtxasResult ptxas_run(Arena *arena, const char *target, Str ptx, bool lines, Str *cubin,
                      Str *words) {
    int saved = errno;
    const char *base = getenv("TMPDIR");
    char *folder =
        (char *)(uintptr_t)str_format(arena, "%s/tern-XXXXXX", base && *base ? base : "/tmp").data;
    PtxasResult result = PTXAS_MISSING;
    *words = STR("there is no 'ptxas' on PATH: it comes with the CUDA toolkit");
    if (!mkdtemp(folder))
        *words = str_format(arena, "cannot make a folder in %s", base && *base ? base : "/tmp");
    else {
        result = run_in(arena, folder, target, ptx, lines, cubin, words);
        if (result == PTXAS_FINE) run_capped(arena, folder, target, ptx, lines, cubin, words);
        rmdir(folder);
    }
    errno = saved;
    return result;
}

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

PtxasUse ptxas_use(Str words) {
    return (PtxasUse){
        number_before(words, " registers"), number_before(words, " bytes stack frame"),
        number_before(words, " bytes spill stores"), number_before(words, " bytes spill loads")};
}
