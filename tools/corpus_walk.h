// SPDX-License-Identifier: Apache-2.0
/* corpus_walk: the files at and below a path, by name; neither links nor what is hidden. */
#ifndef TERN_CORPUS_WALK_H
#define TERN_CORPUS_WALK_H

#include "base/base.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static int walk_by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk_files(Arena *arena, const char *path, int depth,
                       void (*found)(void *user, const char *path), void *user) {
    enum { DEEPEST = 40 };
    struct stat status;
    if (depth > DEEPEST || lstat(path, &status)) return;
    if (S_ISREG(status.st_mode)) found(user, path);
    if (!S_ISDIR(status.st_mode)) return;
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, walk_by_name);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.')
            walk_files(arena, str_format(arena, "%s/%s", path, entries[i]->d_name).data, depth + 1,
                       found, user);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

#endif
