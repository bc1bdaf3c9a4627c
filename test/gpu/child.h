// SPDX-License-Identifier: Apache-2.0
/* child: a test that may leave the GPU unusable for its process runs itself again as a process of
 * its own. Include after test.h. */
#ifndef TERN_TEST_CHILD_H
#define TERN_TEST_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

/* True in the child, which then does the test; the parent only looks at how the child ended. */
static inline bool in_child(const char *name) {
    char self[4096], command[5000];
    if (getenv("TERN_TEST_CHILD")) return true;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    snprintf(command, sizeof command, "TERN_TEST_CHILD=1 timeout -k 5 120 '%s' %s", self, name);
    fflush(stdout);
    int code = system(command);
    if (code != 0)
        printf("%s: the child ended with %d\n", name, WIFEXITED(code) ? WEXITSTATUS(code) : -1);
    CHECK(code == 0);
    return false;
}

#endif
