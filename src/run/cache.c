// SPDX-License-Identifier: Apache-2.0
/* cache: shared objects on disk, named by the hash of all that went into them. An entry is the
 * object followed by a seal (magic, size, hash of the object), written under another name and then
 * renamed: many processes and kill -9 leave whole entries or none, and a truncated or altered one
 * is not sealed and is made again. Entries are loaded as code, so a folder that others may write to
 * is not used; without a folder of its own a process makes a private one and removes it. */
#include "run/cpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Seal {
    char magic[8];
    uint64_t size_bytes, hash;
} Seal;
static const char seal_magic[8] = {'T', 'E', 'R', 'N', 'S', 'O', '0', '1'};
enum { LARGEST_OBJECT = 64 << 20 };

static bool folder_is_ours(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & 022) && access(path, W_OK | X_OK) == 0;
}

static bool make_folders(Arena *arena, Str path) {
    char *copy = (char *)str_c(arena, path);
    for (char *at = copy + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(copy, 0700);
        *at = '/';
    }
    mkdir(copy, 0700);
    return folder_is_ours(copy);
}

Str cache_folder(Arena *arena, const char *asked, const char *below) {
    int saved = errno;
    const char *from = asked ? asked : getenv("TERN_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    Str folder = {0};
    if (from)
        folder = *from ? str_copy(arena, str_of(from)) : (Str){0};
    else if (xdg && *xdg == '/')
        folder = str_format(arena, "%s/tern", xdg);
    else if (home && *home == '/')
        folder = str_format(arena, "%s/.cache/tern", home);
    if (folder.length && below) folder = str_format(arena, "%.*s/%s", STR_ARG(folder), below);
    if (folder.length && !make_folders(arena, folder)) folder = (Str){0};
    errno = saved;
    return folder;
}

void cache_open(Arena *arena, Cache *cache, const char *asked) {
    *cache = (Cache){.folder = cache_folder(arena, asked, NULL)};
}

void cache_close(Cache *cache) {
    if (!cache->private_folder.length) return;
    int saved = errno;
    rmdir(cache->private_folder.data);
    errno = saved;
}

static Str entry_path(Arena *arena, const Cache *cache, Str key) {
    return str_format(arena, "%.*s/%.*s.so", STR_ARG(cache->folder), STR_ARG(key));
}

Str cache_find(Arena *arena, const Cache *cache, Str key) {
    Str path, bytes, why;
    if (!cache->folder.length) return (Str){0};
    path = entry_path(arena, cache, key);
    Arena *scratch = arena_new(NULL);
    bool good = false;
    if (access(path.data, R_OK) == 0 &&
        file_read(scratch, path.data, LARGEST_OBJECT, &bytes, &why) &&
        bytes.length > (int)sizeof(Seal)) {
        Seal seal;
        size_t size = (size_t)bytes.length - sizeof seal;
        memcpy(&seal, bytes.data + size, sizeof seal);
        good = !memcmp(seal.magic, seal_magic, sizeof seal.magic) && seal.size_bytes == size &&
               seal.hash == hash_bytes(bytes.data, size, 0);
    }
    arena_free(scratch);
    return good ? path : (Str){0};
}

bool cache_workplace(Arena *arena, Cache *cache, Str *folder, Str *why) {
    if (cache->folder.length) {
        *folder = cache->folder;
        return true;
    }
    if (!cache->private_folder.length) {
        const char *temp = getenv("TMPDIR");
        Str name = str_format(arena, "%s/tern-XXXXXX", temp && *temp == '/' ? temp : "/tmp");
        if (!mkdtemp((char *)name.data)) {
            *why = str_format(arena, "cannot make a folder '%.*s' to compile in: %s", STR_ARG(name),
                              strerror(errno));
            return false;
        }
        cache->private_folder = name;
    }
    *folder = cache->private_folder;
    return true;
}

static bool add_seal(Arena *arena, const char *path, Str *why) {
    Str bytes;
    Arena *scratch = arena_new(NULL);
    bool good = file_read(scratch, path, LARGEST_OBJECT, &bytes, why);
    if (good) {
        Seal seal = {.size_bytes = (uint64_t)bytes.length,
                     .hash = hash_bytes(bytes.data, (size_t)bytes.length, 0)};
        memcpy(seal.magic, seal_magic, sizeof seal.magic);
        int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        good = file >= 0 && write(file, &seal, sizeof seal) == (ssize_t)sizeof seal;
        if (file >= 0 && close(file) != 0) good = false;
        if (!good) *why = str_format(arena, "cannot write '%s': %s", path, strerror(errno));
    } else
        *why = str_copy(arena, *why);
    arena_free(scratch);
    return good;
}

bool cache_add(Arena *arena, Cache *cache, Str key, Str object_path, Str *path, Str *why) {
    *path = object_path;
    if (!cache->folder.length) return true;
    if (!add_seal(arena, object_path.data, why)) return false;
    Str entry = entry_path(arena, cache, key);
    if (rename(object_path.data, entry.data) != 0) {
        *why = str_format(arena, "cannot rename to '%.*s': %s", STR_ARG(entry), strerror(errno));
        return false;
    }
    *path = entry;
    return true;
}
