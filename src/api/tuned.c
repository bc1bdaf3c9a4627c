// SPDX-License-Identifier: Apache-2.0
/* tuned: what was chosen for a key, a file each:
 *
 *     tern tuned 1
 *     key 57
 *     ..57 bytes..
 *     choice 21
 *     ..21 bytes..
 *     sum 0123456789abcdef      of all bytes before this line
 *
 * The key is in the file, so that two keys with one hash do not answer for each other. */
#include "api/context.h"
#include "base/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

typedef struct Place {
    Str key;
    const char *path; /* NULL: there is no cache folder */
} Place;

static Place place_of(tern_context *context, Arena *arena, const char *key) {
    const char *folder = tern_cache_dir(context);
    Place place = {str_format(arena, "tern %s, %s, %s\n%s", tern_version(),
                              tern_device_name(context), tern_device_description(context), key),
                   NULL};
    if (!*folder) return place;
    const char *own = str_format(arena, "%s/tune", folder).data;
    if (mkdir(own, 0777) && errno != EEXIST) return place;
    uint64_t hash = hash_bytes(place.key.data, (size_t)place.key.length, 0);
    place.path = str_format(arena, "%s/%016llx.txt", own, (unsigned long long)hash).data;
    return place;
}

static void put_named(Buf *out, const char *name, Str text) {
    buf_printf(out, "%s %d\n%.*s\n", name, text.length, STR_ARG(text));
}

/* All but the choice is known beforehand, so that the file is compared, not parsed. */
static bool take(Str *rest, Str wanted) {
    if (rest->length < wanted.length || memcmp(rest->data, wanted.data, (size_t)wanted.length) != 0)
        return false;
    rest->data += wanted.length, rest->length -= wanted.length;
    return true;
}

static Str head_of(Arena *arena, Str key) {
    Buf out = {.arena = arena};
    buf_puts(&out, "tern tuned 1\n");
    put_named(&out, "key", key);
    return buf_str(&out);
}

static Str sum_of(Arena *arena, Str text) {
    return str_format(arena, "sum %016llx\n",
                      (unsigned long long)hash_bytes(text.data, (size_t)text.length, 0));
}

/* 1: *choice; 0: the file is another key's; -1: damaged. */
static int parse(Arena *arena, Str text, Str key, Str *choice) {
    static const int sum_length = 4 + 16 + 1;
    Str body = {text.data, text.length - sum_length}, rest = body;
    if (body.length < 0 ||
        !str_equal((Str){text.data + body.length, sum_length}, sum_of(arena, body)))
        return -1;
    if (!take(&rest, head_of(arena, key))) return 0;
    if (!str_starts(rest, "choice ")) return -1;
    const char *newline = memchr(rest.data, '\n', (size_t)rest.length);
    if (!newline) return -1;
    long length = strtol(rest.data + 7, NULL, 10);
    *choice = (Str){newline + 1, (int)length};
    return length >= 0 && newline + 1 + length + 1 == rest.data + rest.length ? 1 : -1;
}

static tern_status keep(tern_context *context, Arena *arena, const char *key, const char *choice) {
    Place place = place_of(context, arena, key);
    Str why, head = head_of(arena, place.key);
    Buf out = {.arena = arena};
    if (!place.path)
        return context_fail(context, TERN_ERROR_UNSUPPORTED, "there is no cache folder");
    buf_add(&out, head.data, (size_t)head.length);
    put_named(&out, "choice", str_of(choice));
    Str sum = sum_of(arena, buf_str(&out));
    buf_add(&out, sum.data, (size_t)sum.length);
    if (out.length > MOST_BYTES)
        return context_fail(context, TERN_ERROR_ARGUMENT, "a choice of over a megabyte");
    if (file_write(arena, place.path, out.data, out.length, &why)) return TERN_OK;
    return context_fail(context, TERN_ERROR_SYSTEM, "%.*s", STR_ARG(why));
}

static tern_status find(tern_context *context, Arena *arena, const char *key, char **found) {
    Place place = place_of(context, arena, key);
    Str why, text, choice;
    if (!place.path || access(place.path, F_OK)) return TERN_OK;
    if (!file_read(arena, place.path, MOST_BYTES, &text, &why))
        return context_fail(context, TERN_ERROR_SYSTEM, "%.*s", STR_ARG(why));
    int is = parse(arena, text, place.key, &choice);
    if (is < 0)
        return context_fail(context, TERN_ERROR_SYSTEM,
                            "%s: a damaged file of a tuning: remove it, or tune again", place.path);
    if (is == 0) return TERN_OK;
    *found = strndup(choice.data, (size_t)choice.length);
    return *found ? TERN_OK : TERN_ERROR_NO_MEMORY;
}

/* choice NULL: it is looked for. All that may run out of memory. */
static tern_status keep_or_find(tern_context *context, const char *key, const char *choice,
                                char **found) {
    jmp_buf no_memory;
    Arena *volatile arena = NULL;
    volatile tern_status status = TERN_ERROR_NO_MEMORY;
    if (!setjmp(no_memory)) {
        arena = arena_new(&no_memory);
        status = choice ? keep(context, arena, key, choice) : find(context, arena, key, found);
    }
    arena_free(arena);
    return status == TERN_ERROR_NO_MEMORY ? context_no_memory(context) : status;
}

tern_status tern_tuned_keep(tern_context *context, const char *key, const char *choice) {
    int saved = errno;
    tern_status status = keep_or_find(context, key, choice, NULL);
    errno = saved;
    return status;
}

char *tern_tuned_find(tern_context *context, const char *key, tern_status *status) {
    char *found = NULL;
    int saved = errno;
    *status = keep_or_find(context, key, NULL, &found);
    errno = saved;
    return found;
}
