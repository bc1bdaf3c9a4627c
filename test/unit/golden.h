// SPDX-License-Identifier: Apache-2.0
/* golden: all files of a folder that hold what is wanted of them. */
#ifndef TERN_TEST_GOLDEN_H
#define TERN_TEST_GOLDEN_H

#include <dirent.h>

#include "base/base.h"
#include "test.h"

/* How many end so. Paths are of the project's folder, in which tests run. */
static int golden_each(const char *folder, const char *ending,
                       void (*run)(Arena *arena, const char *path)) {
    DIR *entries = opendir(folder);
    int count = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (!str_ends(str_of(entry->d_name), ending)) continue;
        Arena *arena = arena_new(NULL);
        run(arena, str_format(arena, "%s/%s", folder, entry->d_name).data);
        arena_free(arena);
        count++;
    }
    if (entries) closedir(entries);
    return count;
}

#endif
