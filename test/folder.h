// SPDX-License-Identifier: Apache-2.0
/* folder: removing what a test made, without a shell: a command line that was cut short would
 * remove something else. Links are removed and not followed, other file systems are not entered. */
#ifndef TERN_TEST_FOLDER_H
#define TERN_TEST_FOLDER_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__attribute__((unused)) static int folder_remove_entry(const char *path, const struct stat *status,
                                                       int type, struct FTW *at) {
    (void)status, (void)type, (void)at;
    return remove(path);
}

/* Only what mkdtemp may have named: the template is given again, its XXXXXX stand for anything. */
__attribute__((unused)) static bool folder_remove(const char *path, const char *made_from) {
    size_t length = strlen(made_from);
    if (length < 8 || strlen(path) != length || strcmp(made_from + length - 6, "XXXXXX") ||
        memcmp(path, made_from, length - 6) || strchr(path + length - 6, '/'))
        return false;
    return nftw(path, folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
}

#endif
