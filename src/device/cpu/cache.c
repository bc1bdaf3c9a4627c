// SPDX-License-Identifier: Apache-2.0
/* cache: shared objects on disk, named by the hash of all that went into them. An entry is the
 * object followed by a seal (magic, size, hash of the object), made in a folder of its own and then
 * renamed: many processes and kill -9 leave whole entries or none, and a truncated or altered one
 * is not sealed and is made again. Entries are loaded as code, so a folder that others may write to
 * is not used. What cannot be kept (full disk, read-only folder) is no failure.
 *
 * All that is unfinished lies in work folders, FOLDER/.work-XXXXXX, each locked (flock) by the
 * process that works in it: the lock goes with the process, however it ends, and cache_sweep
 * removes those that nobody holds. */
#include "device/cpu/cpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
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
           !(st.st_mode & 022) && access(path, R_OK | X_OK) == 0;
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

/* `asked`, else what the environment says (tern.h); made if missing. */
static Str cache_folder(Arena *arena, const char *asked) {
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
    if (folder.length && !make_folders(arena, folder)) folder = (Str){0};
    /* Absolute: the program may change its folder, and the compiler takes "-x/y" for an option. */
    char *real = folder.length ? realpath(folder.data, NULL) : NULL;
    folder = real ? str_copy(arena, str_of(real)) : (Str){0};
    free(real);
    errno = saved;
    return folder;
}

void cache_open(Arena *arena, Cache *cache, const char *asked) {
    *cache = (Cache){.folder = cache_folder(arena, asked)};
}

Str cache_key(Arena *arena, const CCompiler *compiler, Str flags, Str text) {
    const Str parts[] = {compiler->identity, flags, text};
    uint64_t one = 1, two = 2;
    for (int i = 0; i < COUNT(parts); i++) {
        one = hash_bytes(parts[i].data, (size_t)parts[i].length, one);
        two = hash_bytes(parts[i].data, (size_t)parts[i].length, two);
    }
    return str_format(arena, "%016llx%016llx", (unsigned long long)one, (unsigned long long)two);
}

static Str entry_path(Arena *arena, const Cache *cache, Str key) {
    return str_format(arena, "%.*s/%.*s.so", STR_ARG(cache->folder), STR_ARG(key));
}

/* The arena that holds a file's bytes. NULL: it cannot be read, or memory is full, which for a
 * cache is the same. */
static Arena *read_object(const char *path, Str *bytes) {
    jmp_buf no_memory;
    Str why;
    Arena *volatile arena = NULL;
    if (!setjmp(no_memory)) {
        arena = arena_new(&no_memory);
        if (file_read(arena, path, LARGEST_OBJECT, bytes, &why)) return arena;
    }
    arena_free(arena);
    return NULL;
}

Str cache_find(Arena *arena, const Cache *cache, Str key) {
    Str path, bytes;
    if (!cache->folder.length) return (Str){0};
    path = entry_path(arena, cache, key);
    bool good = false;
    Arena *scratch = access(path.data, R_OK) == 0 ? read_object(path.data, &bytes) : NULL;
    if (scratch && bytes.length > (int)sizeof(Seal)) {
        Seal seal;
        size_t size = (size_t)bytes.length - sizeof seal;
        memcpy(&seal, bytes.data + size, sizeof seal);
        good = !memcmp(seal.magic, seal_magic, sizeof seal.magic) && seal.size_bytes == size &&
               seal.hash == hash_bytes(bytes.data, size, 0);
    }
    arena_free(scratch);
    return good ? path : (Str){0};
}

bool cache_read(Arena *arena, Str path, Str *bytes, Str *why) {
    if (!file_read(arena, path.data, LARGEST_OBJECT, bytes, why)) return false;
    bytes->length -= (int)sizeof(Seal);
    return bytes->length >= 0;
}

/* ---- work folders ---- */

static const char work_template[] = ".work-XXXXXX";
enum { ABANDONED_SECONDS = 24 * 3600 }; /* where locks do not work */

/* Removes the files in an open work folder, and the folder if that leaves it empty. */
static void remove_work(int parent, const char *name, int folder) {
    int again = dup(folder);
    DIR *files = again < 0 ? NULL : fdopendir(again);
    if (!files && again >= 0) close(again);
    for (struct dirent *file; files && (file = readdir(files));)
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            unlinkat(folder, file->d_name, 0);
    if (files) closedir(files);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static bool is_abandoned(int folder) {
    struct stat st;
    if (fstat(folder, &st) != 0 || st.st_uid != geteuid()) return false;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) return true;
    return errno != EWOULDBLOCK && time(NULL) - st.st_mtime > ABANDONED_SECONDS;
}

void cache_sweep(Str folder) {
    DIR *entries = opendir(folder.data);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strlen(entry->d_name) != sizeof work_template - 1 ||
            strncmp(entry->d_name, work_template, sizeof work_template - 7) != 0)
            continue;
        int work =
            openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (work < 0) continue;
        if (is_abandoned(work)) remove_work(dirfd(entries), entry->d_name, work);
        close(work);
    }
    if (entries) closedir(entries);
}

/* Another process may sweep the folder away before it is locked: false, try again. */
static bool workplace_lock(Workplace *work) {
    struct stat held, named;
    work->lock = open(work->folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->lock < 0) return false;
    while (flock(work->lock, LOCK_EX) != 0 && errno == EINTR) continue;
    if (fstat(work->lock, &held) == 0 && stat(work->folder.data, &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev)
        return true;
    close(work->lock);
    errno = ENOENT;
    return false;
}

bool workplace_open(Arena *arena, Str below, Workplace *work, Str *why) {
    for (int tries = 0; tries < 20; tries++) {
        work->folder = str_format(arena, "%.*s/%s", STR_ARG(below), work_template);
        if (!mkdtemp((char *)(uintptr_t)work->folder.data)) break;
        if (workplace_lock(work)) return true;
    }
    *why = str_format(arena, "cannot make a folder to compile in below '%.*s': %s", STR_ARG(below),
                      strerror(errno));
    return false;
}

void workplace_close(Workplace *work) {
    remove_work(AT_FDCWD, work->folder.data, work->lock);
    close(work->lock);
}

/* ---- adding ---- */

static bool add_seal(const char *path) {
    Str bytes;
    bool good = false;
    Arena *scratch = read_object(path, &bytes);
    if (scratch) {
        Seal seal = {.size_bytes = (uint64_t)bytes.length,
                     .hash = hash_bytes(bytes.data, (size_t)bytes.length, 0)};
        memcpy(seal.magic, seal_magic, sizeof seal.magic);
        int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        good = file >= 0 && write(file, &seal, sizeof seal) == (ssize_t)sizeof seal;
        if (file >= 0 && close(file) != 0) good = false;
    }
    arena_free(scratch);
    return good;
}

void cache_add(Arena *arena, const Cache *cache, Str key, Str object_path) {
    if (add_seal(object_path.data)) rename(object_path.data, entry_path(arena, cache, key).data);
}
