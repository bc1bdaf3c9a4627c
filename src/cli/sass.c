// SPDX-License-Identifier: Apache-2.0
#include "cli/sass.h"
#include "base/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TEXT = 256 << 20 };

/* Runs a program with its output going to a file; its exit code, 127 if there is no such program,
 * -1 if it could not be run. */
static int run_program(char *const argv[], const char *to) {
    int status;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        int file = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0) execvp(argv[0], argv);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fail(Sass *sass, ExitCode code, Str why) { sass->code = code, sass->why = why; }

static void disassemble(Arena *arena, const char *folder, Str cubin, bool wants_lines, Sass *sass) {
    char *from = (char *)(uintptr_t)str_format(arena, "%s/kernel.cubin", folder).data;
    const char *to = str_format(arena, "%s/kernel.sass", folder).data;
    char cuobjdump[] = "cuobjdump", dump[] = "-sass", nvdisasm[] = "nvdisasm", lines[] = "-g",
         code[] = "-c";
    char *const dump_argv[] = {cuobjdump, dump, from, NULL};
    char *const plain_argv[] = {nvdisasm, from, NULL}, *const lines_argv[] = {nvdisasm, lines, code,
                                                                              from, NULL};
    char *const *const first = wants_lines ? lines_argv : dump_argv;
    char *const *const second = wants_lines ? dump_argv : plain_argv;
    Str why;
    if (!file_write(arena, from, cubin.data, (size_t)cubin.length, &why)) {
        fail(sass, EXIT_SYSTEM, why);
        return;
    }
    int result = run_program(first, to);
    sass->has_lines = wants_lines && result == 0;
    if (result == 127) result = run_program(second, to);
    if (result == 127 || result < 0)
        fail(sass, EXIT_SYSTEM,
             STR("needs 'cuobjdump' or 'nvdisasm' on PATH: they come with the CUDA toolkit"));
    else if (result)
        fail(sass, EXIT_SYSTEM, STR("the disassembler failed"));
    else if (!file_read(arena, to, MOST_TEXT, &sass->text, &why))
        fail(sass, EXIT_SYSTEM, why);
    unlink(from), unlink(to);
}

Sass sass_make(Arena *arena, const char *target, const char *ptx, bool wants_lines) {
    Sass sass = {.code = EXIT_OK};
    Str cubin;
    switch (ptxas_run(arena, target, str_of(ptx), wants_lines, &cubin, &sass.said)) {
    case PTXAS_MISSING:
        fail(&sass, EXIT_SYSTEM, sass.said);
        sass.said = (Str){0};
        return sass;
    case PTXAS_REFUSED: fail(&sass, EXIT_WRONG, STR("ptxas does not accept the PTX")); return sass;
    case PTXAS_FINE: break;
    }
    const char *base = getenv("TMPDIR");
    Str name = str_format(arena, "%s/tern-XXXXXX", base && *base ? base : "/tmp");
    char *folder = mkdtemp((char *)(uintptr_t)name.data);
    if (!folder) {
        fail(&sass, EXIT_SYSTEM, str_format(arena, "%s: %s", name.data, strerror(errno)));
        return sass;
    }
    disassemble(arena, folder, cubin, wants_lines, &sass);
    rmdir(folder);
    return sass;
}
