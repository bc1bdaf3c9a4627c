// SPDX-License-Identifier: Apache-2.0
/* file: reports as files, written piece by piece to a temporary name, which is then renamed. What
 * ends in ".gz" goes through zlib's own functions, found at run time: tern is built without it. */
#include "prof/prof.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

typedef struct ProfGzip { /* zlib.h: gzFile and its functions */
    void *library, *stream;
    void *(*open)(int file, const char *mode);
    int (*write)(void *stream, const void *data, unsigned length);
    int (*close)(void *stream);
} ProfGzip;

static bool gzip_open(ProfGzip *gzip, int file) {
    *gzip = (ProfGzip){.library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!gzip->library) return false;
    *(void **)&gzip->open = dlsym(gzip->library, "gzdopen");
    *(void **)&gzip->write = dlsym(gzip->library, "gzwrite");
    *(void **)&gzip->close = dlsym(gzip->library, "gzclose");
    if (gzip->open && gzip->write && gzip->close) gzip->stream = gzip->open(file, "wb");
    if (!gzip->stream) dlclose(gzip->library);
    return gzip->stream;
}

static void fail(ProfFile *file) {
    if (!file->error) file->error = errno;
    file->failed = true;
}

static void write_all(ProfFile *file) {
    const char *data = file->text.data;
    for (size_t left = file->text.length; left && !file->failed;) {
        ssize_t count;
        if (file->gzip)
            count = file->gzip->write(file->gzip->stream, data,
                                      left < PIECE ? (unsigned)left : (unsigned)PIECE);
        else
            count = write(file->file, data, left);
        if (count < 0 && errno == EINTR && !file->gzip) continue;
        if (count <= 0) {
            fail(file);
            break;
        }
        data += count;
        left -= (size_t)count;
    }
    file->text.length = 0;
}

void prof_drain(ProfFile *file) {
    if (file->file >= 0 && file->text.length >= PIECE) write_all(file);
}

/* Closes it in any case. */
static bool close_file(ProfFile *file) {
    if (!file->gzip) return close(file->file) == 0;
    bool ok = file->gzip->close(file->gzip->stream) == 0;
    dlclose(file->gzip->library);
    return ok;
}

/* The name is made into that of the file, if there is one. NULL: *status says why. */
static ProfFile *open_file(Arena *arena, char *name, bool stays, bool is_packed,
                           tern_status *status) {
    ProfFile *out = arena_new_of(arena, ProfFile);
    mode_t mask = umask(0);
    umask(mask);
    *out = (ProfFile){.text.arena = arena,
                      .file = stays ? open(name, O_WRONLY | O_TRUNC | O_CLOEXEC) : mkstemp(name)};
    *status = TERN_ERROR_SYSTEM;
    if (out->file < 0 || (!stays && fchmod(out->file, 0666 & ~mask))) fail(out);
    if (out->file < 0) return out;
    if (!is_packed) return out;
    out->gzip = arena_new_of(arena, ProfGzip);
    if (gzip_open(out->gzip, out->file)) return out;
    *status = TERN_ERROR_UNSUPPORTED;
    close(out->file);
    if (!stays) unlink(name);
    return NULL;
}

static void make_caught(ProfFile *out, tern_profile *profile,
                        void (*make)(ProfFile *, const tern_profile *)) {
    if (setjmp(profile->no_memory)) {
        out->failed = true;
        out->error = ENOMEM;
    } else
        make(out, profile);
}

static tern_status refuse(const tern_profile *profile, const char *path, int error) {
    Str words = str_format(profile->scratch, "cannot write %s%s%s", path, error ? ": " : "",
                           error ? strerror(error) : "");
    return tern_fail(profile->context, TERN_ERROR_SYSTEM, words.data);
}

static tern_status save(tern_profile *profile, const char *path,
                        void (*make)(ProfFile *, const tern_profile *)) {
    Arena *arena = profile->scratch;
    bool stays = file_stays(path);
    char *name = (char *)(uintptr_t)str_format(arena, stays ? "%s" : "%s.XXXXXX", path).data;
    tern_status status;
    errno = 0;
    ProfFile *out = open_file(arena, name, stays, str_ends(str_of(path), ".gz"), &status);
    if (!out) return status;
    if (out->file < 0) return refuse(profile, path, out->error);
    make_caught(out, profile, make);
    write_all(out);
    if (!close_file(out) || (!out->failed && !stays && rename(name, path))) fail(out);
    if (out->failed && !stays) unlink(name);
    return out->failed ? refuse(profile, path, out->error) : TERN_OK;
}

tern_status prof_save(tern_profile *profile, const char *path,
                      void (*make)(ProfFile *, const tern_profile *)) {
    const int saved = errno;
    tern_status status =
        setjmp(profile->no_memory) ? TERN_ERROR_NO_MEMORY : save(profile, path, make);
    errno = saved;
    return status;
}
