// SPDX-License-Identifier: Apache-2.0
/* ptx_assemble: ptxas as a second reader of the PTX we write, where it is found. */
#ifndef TERN_TEST_PTX_ASSEMBLE_H
#define TERN_TEST_PTX_ASSEMBLE_H

#include <unistd.h>

#include "base/base.h"
#include "test.h"

static const char *const archs[] = {"sm_75",  "sm_80",  "sm_86", "sm_89",
                                    "sm_90a", "sm_100", "sm_120"};

__attribute__((unused)) static const char *ptxas_path(void) {
    static const char *const places[] = {"/usr/local/cuda/bin/ptxas", "/opt/cuda/bin/ptxas",
                                         "/usr/bin/ptxas"};
    const char *given = getenv("TERN_PTXAS");
    if (given) return given;
    for (int i = 0; i < COUNT(places); i++)
        if (!access(places[i], X_OK)) return places[i];
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        static char path[1024];
        int length = (int)strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/ptxas", length, at);
        if (!access(path, X_OK)) return path;
        at += length;
    }
    return NULL;
}

/* Runs ptxas on what is in the file; false: it refused or, if that is not allowed, spilled, or it
 * had to put waits and fences around wgmma itself, or to let its products end one by one (C7504 to
 * C7519). */
__attribute__((unused)) static bool assemble(const char *ptxas, const char *arch, const char *file,
                                             bool may_spill) {
    char command[512], line[512];
    snprintf(command, sizeof command, "%s -arch=%s -v %s -o /dev/null 2>&1", ptxas, arch, file);
    FILE *pipe = popen(command, "r");
    bool spills = false, mends = false;
    char all[4096] = "";
    while (pipe && fgets(line, sizeof line, pipe)) {
        int bytes = 0;
        const char *at = strstr(line, "bytes stack frame, ");
        if (at && sscanf(at, "bytes stack frame, %d bytes spill stores", &bytes) == 1 && bytes)
            spills = true;
        if (strstr(line, "(C75")) mends = true;
        if (strlen(all) + strlen(line) < sizeof all) strcat(all, line);
    }
    bool fine = pipe && pclose(pipe) == 0;
    if (!fine || mends) printf("%s", all);
    if (spills && !may_spill) printf("spills\n");
    return fine && !mends && (!spills || may_spill);
}

#endif
