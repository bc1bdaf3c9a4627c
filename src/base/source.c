// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

Source *source_new(Arena *arena, Str name, Str text) {
    Source *source = arena_new_of(arena, Source);
    *source = (Source){.name = name, .text = text, .num_lines = 1};
    for (int i = 0; i < text.length; i++) source->num_lines += text.data[i] == '\n';
    source->line_starts = arena_array(arena, int, source->num_lines);
    int line = 1;
    for (int i = 0; i < text.length; i++)
        if (text.data[i] == '\n') source->line_starts[line++] = i + 1;
    return source;
}

void source_position(const Source *source, int offset, int *line, int *column) {
    int low = 0, high = source->num_lines - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (source->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    *line = low + 1;
    *column = offset - source->line_starts[low] + 1;
}

Str source_line(const Source *source, int line) {
    if (line < 1 || line > source->num_lines) return STR("");
    int start = source->line_starts[line - 1];
    int end = line < source->num_lines ? source->line_starts[line] - 1 : source->text.length;
    if (end > start && source->text.data[end - 1] == '\r') end--;
    return (Str){source->text.data + start, end - start};
}

Span span_join(Span a, Span b) {
    if (!a.source) return b;
    if (a.source != b.source) return a;
    return (Span){a.source, a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

Str span_text(Span span) {
    if (!span.source) return STR("");
    return (Str){span.source->text.data + span.start, span.end - span.start};
}

static bool fail(Arena *arena, Str *why, const char *path, const char *reason) {
    *why = str_format(arena, "%s: %s", path, reason);
    return false;
}

bool file_read(Arena *arena, const char *path, size_t limit_bytes, Str *text, Str *why) {
    bool ok = false;
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would wait */
    if (file < 0) return fail(arena, why, path, strerror(errno));
    if (fstat(file, &status)) {
        fail(arena, why, path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(status.st_mode)) {
        fail(arena, why, path, "not a regular file");
        goto done;
    }
    if ((uint64_t)status.st_size > limit_bytes || status.st_size > INT32_MAX - 1) {
        *why = str_format(arena, "%s: larger than the limit of %zu bytes", path, limit_bytes);
        goto done;
    }
    char *data = arena_alloc(arena, (size_t)status.st_size + 1);
    size_t have = 0;
    while (have < (size_t)status.st_size) {
        ssize_t got = read(file, data + have, (size_t)status.st_size - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            fail(arena, why, path, strerror(errno));
            goto done;
        }
        if (got == 0) break;
        have += (size_t)got;
    }
    *text = (Str){data, (int)have};
    ok = true;
done:
    close(file);
    return ok;
}

bool file_stays(const char *path) {
    struct stat status;
    return !lstat(path, &status) && !S_ISREG(status.st_mode);
}

bool file_write(Arena *arena, const char *path, const void *data, size_t size_bytes, Str *why) {
    Str temporary = str_format(arena, "%s.XXXXXX", path);
    char *name = (char *)(uintptr_t)temporary.data;
    bool stays = file_stays(path);
    int file = stays ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : mkstemp(name);
    if (file < 0) return fail(arena, why, path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    bool ok = stays || fchmod(file, 0666 & ~mask) == 0;
    const char *bytes = data;
    for (size_t written = 0; ok && written < size_bytes;) {
        ssize_t count = write(file, bytes + written, size_bytes - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            ok = false;
        else
            written += (size_t)count;
    }
    if (!ok) fail(arena, why, path, strerror(errno));
    if (close(file) && ok) ok = fail(arena, why, path, strerror(errno));
    if (ok && !stays && rename(name, path)) ok = fail(arena, why, path, strerror(errno));
    if (!ok && !stays) unlink(name);
    return ok;
}
