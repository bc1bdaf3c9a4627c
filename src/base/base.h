// SPDX-License-Identifier: Apache-2.0
/* base: what every stage stands on: memory, strings, growable arrays, maps.
 *
 * All memory of a compilation lives in arenas; nothing in ir, lang, opt or gen frees. When the
 * host has no memory left, the arena unwinds (longjmp) to the API entry that installed `oom`,
 * which frees the arenas and returns TERN_ERROR_NO_MEMORY. An arena without `oom` ends the
 * process (BUG): none of the library's. */
#ifndef TERN_BASE_H
#define TERN_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* An error of tern itself: prints where and aborts. Never for a user's mistake. */
_Noreturn void bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- arenas ---- */

typedef struct Arena Arena;

/* `oom` may be NULL: then running out of memory is a BUG. The arena keeps the pointer. */
Arena *arena_new(jmp_buf *oom);
void arena_free(Arena *arena); /* NULL is allowed */
void arena_set_oom(Arena *arena, jmp_buf *oom);
jmp_buf *arena_oom(const Arena *arena);
/* Zeroed, aligned to 16. A size that overflowed on the way here is refused like lack of memory. */
void *arena_alloc(Arena *arena, size_t size_bytes);
void *arena_grow(Arena *arena, void *old, size_t old_bytes, size_t new_bytes);
size_t arena_used(const Arena *arena);
/* What several arenas, and others who count their bytes in it, may have together. An arena that
 * would need more has no memory. */
typedef struct MemoryLimit {
    size_t used, most;
} MemoryLimit;
void arena_limit(Arena *arena, MemoryLimit *limit); /* counts in it from here on; NULL: in none */
/* What was allocated after the mark goes at its release; marks nest. */
typedef struct ArenaMark {
    void *chunk;
    size_t chunk_used, used;
} ArenaMark;
ArenaMark arena_mark(const Arena *arena);
void arena_release(Arena *arena, ArenaMark mark);
#define arena_new_of(arena, T)   ((T *)arena_alloc((arena), sizeof(T)))
#define arena_array(arena, T, n) ((T *)arena_alloc_array((arena), (size_t)(n), sizeof(T)))
void *arena_alloc_array(Arena *arena, size_t count, size_t size_bytes);

/* ---- strings: not NUL-terminated, not owned ---- */

typedef struct Str {
    const char *data;
    int length;
} Str;

#define STR(literal) ((Str){(literal), (int)sizeof(literal) - 1})
#define STR_ARG(s)   (s).length, (s).data /* for "%.*s" */
Str str_of(const char *c_string);
Str str_copy(Arena *arena, Str s); /* the copy is NUL-terminated */
Str str_vformat(Arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
Str str_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool str_equal(Str a, Str b);
bool str_is(Str a, const char *c_string);
bool str_starts(Str s, const char *prefix);
bool str_ends(Str s, const char *suffix);
const char *str_c(Arena *arena, Str s); /* NUL-terminated copy */
uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed);

/* ---- text that grows, in an arena ---- */

typedef struct Buf {
    Arena *arena;
    char *data; /* always NUL-terminated once anything was added */
    size_t length, capacity;
} Buf;

void buf_add(Buf *buf, const char *data, size_t length);
void buf_puts(Buf *buf, const char *c_string);
void buf_putc(Buf *buf, char c);
void buf_int(Buf *buf, int64_t value); /* as %lld, many times faster */
void buf_printf(Buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *buf, const char *format, va_list args);
/* As a string of JSON, with its quotes; bytes that are no UTF-8 become U+FFFD. */
void buf_json(Buf *buf, Str text);
Str buf_str(const Buf *buf);

/* ---- time, from a start of its own; it never goes back ---- */

int64_t clock_ns(void);
double clock_ms(void);

/* ---- growable arrays, in an arena ----
 *     VEC(Op *) ops = {0};
 *     vec_push(arena, &ops, op);                                                            */

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        int count, capacity;                                                                       \
    }
#define vec_push(arena, vec, ...)                                                                  \
    (((vec)->count == (vec)->capacity                                                              \
          ? (void)((vec)->data =                                                                   \
                       vec_grow((arena), (vec)->data, &(vec)->capacity, sizeof(*(vec)->data)))     \
          : (void)0),                                                                              \
     (void)((vec)->data[(vec)->count++] = (__VA_ARGS__)))
void *vec_grow(Arena *arena, void *data, int *capacity, size_t size_bytes);

/* ---- hash maps from strings or pointers to pointers ---- */

typedef struct MapSlot {
    Str key; /* key.length == -1: the key is the pointer key.data */
    void *value;
    bool used;
} MapSlot;
typedef struct Map {
    Arena *arena;
    MapSlot *slots;
    int count, capacity;
} Map;

void *map_get(const Map *map, Str key); /* NULL when absent */
void map_set(Map *map, Str key, void *value);
void *map_get_pointer(const Map *map, const void *key);
void map_set_pointer(Map *map, const void *key, void *value);

#endif
