// SPDX-License-Identifier: Apache-2.0
/* arena: bump allocation in chunks that double, freed all at once.
 *
 * Under AddressSanitizer each allocation is followed by a red zone, so that an overrun inside an
 * arena is still found. */
#if !defined __linux__ || !(defined __x86_64__ || defined __aarch64__)
#error                                                                                             \
    "tern is for Linux on x86-64 and arm64; macOS, Windows and other processors are not supported"
#endif

#include "base/asan.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef TERN_ASAN
enum { RED_ZONE = 16 };
#else
enum { RED_ZONE = 0 };
#endif

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 4 << 20, ALIGNMENT = 16 };

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used; /* of the bytes after this header */
} Chunk;

struct Arena {
    Chunk *chunks; /* newest first */
    jmp_buf *oom;
    size_t used;
    MemoryLimit *limit; /* or NULL */
};

_Static_assert(sizeof(Chunk) % 8 == 0, "chunk header keeps alignment");

void bug_at(const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tern: internal error at %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

static _Noreturn void out_of_memory(Arena *arena) {
    if (!arena || !arena->oom) BUG("out of memory");
    longjmp(*arena->oom, 1);
}

Arena *arena_new(jmp_buf *oom) {
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) {
        if (!oom) BUG("out of memory");
        longjmp(*oom, 1);
    }
    arena->oom = oom;
    return arena;
}

static size_t bytes_of_chunks(const Arena *arena) {
    size_t bytes = 0;
    for (const Chunk *chunk = arena->chunks; chunk; chunk = chunk->next) bytes += chunk->size;
    return bytes;
}

void arena_limit(Arena *arena, MemoryLimit *limit) {
    size_t bytes = bytes_of_chunks(arena);
    if (arena->limit) arena->limit->used -= bytes;
    if (limit) limit->used += bytes;
    arena->limit = limit;
}

void arena_free(Arena *arena) {
    if (!arena) return;
    arena_limit(arena, NULL);
    for (Chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk + 1, chunk->size);
        free(chunk);
    }
    free(arena);
}

jmp_buf *arena_oom(const Arena *arena) { return arena->oom; }

void arena_set_oom(Arena *arena, jmp_buf *oom) { arena->oom = oom; }

size_t arena_used(const Arena *arena) { return arena->used; }

static Chunk *chunk_new(Arena *arena, size_t least) {
    size_t size = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    if (size < least) size = least;
    MemoryLimit *limit = arena->limit;
    if (limit && (limit->used > limit->most || size > limit->most - limit->used))
        out_of_memory(arena);
    Chunk *chunk = malloc(sizeof *chunk + ALIGNMENT + size);
    if (!chunk) out_of_memory(arena);
    if (limit) limit->used += size + ALIGNMENT;
    *chunk = (Chunk){.next = arena->chunks, .size = size + ALIGNMENT};
    ASAN_POISON_MEMORY_REGION(chunk + 1, chunk->size);
    /* The first byte handed out is aligned whatever malloc gave. */
    chunk->used = (size_t)(-(intptr_t)(chunk + 1) & (ALIGNMENT - 1));
    arena->chunks = chunk;
    return chunk;
}

ArenaMark arena_mark(const Arena *arena) {
    return (ArenaMark){arena->chunks, arena->chunks ? arena->chunks->used : 0, arena->used};
}

void arena_release(Arena *arena, ArenaMark mark) {
    while (arena->chunks && arena->chunks != mark.chunk && arena->chunks->next) {
        Chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        if (arena->limit) arena->limit->used -= chunk->size;
        ASAN_UNPOISON_MEMORY_REGION(chunk + 1, chunk->size);
        free(chunk);
    }
    Chunk *chunk = arena->chunks;
    if (!chunk) return;
    /* A mark of the empty arena: the first chunk stays. */
    if (chunk != mark.chunk) mark.chunk_used = (size_t)(-(intptr_t)(chunk + 1) & (ALIGNMENT - 1));
    ASAN_POISON_MEMORY_REGION((char *)(chunk + 1) + mark.chunk_used, chunk->size - mark.chunk_used);
    chunk->used = mark.chunk_used;
    arena->used = mark.used;
}

void *arena_alloc(Arena *arena, size_t size_bytes) {
    if (size_bytes > PTRDIFF_MAX / 2) out_of_memory(arena);
    size_t need = ((size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) + RED_ZONE;
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < need) chunk = chunk_new(arena, need);
    char *result = (char *)(chunk + 1) + chunk->used;
    chunk->used += need;
    arena->used += need;
    ASAN_UNPOISON_MEMORY_REGION(result, size_bytes);
    return memset(result, 0, size_bytes);
}

void *arena_alloc_array(Arena *arena, size_t count, size_t size_bytes) {
    size_t total;
    if (__builtin_mul_overflow(count, size_bytes, &total)) out_of_memory(arena);
    return arena_alloc(arena, total);
}

void *arena_grow(Arena *arena, void *old, size_t old_bytes, size_t new_bytes) {
    void *grown = arena_alloc(arena, new_bytes);
    if (old_bytes) memcpy(grown, old, old_bytes);
    return grown;
}

void *vec_grow(Arena *arena, void *data, int *capacity, size_t size_bytes) {
    if (*capacity > INT32_MAX / 2) out_of_memory(arena);
    int larger = *capacity ? *capacity * 2 : 8;
    void *grown = arena_alloc_array(arena, (size_t)larger, size_bytes);
    if (*capacity) memcpy(grown, data, (size_t)*capacity * size_bytes);
    *capacity = larger;
    return grown;
}
