// SPDX-License-Identifier: Apache-2.0
/* memory: what the host's side of a program may touch. Each variable and each piece of allocated
 * memory is a range with a gap on either side, so that what is just outside of one is in no other.
 * What was freed stays known, and is not given out again, until 64 MB were freed after it. */
#include "host/host.h"

#include <stdlib.h>

enum { GAP = 64 };
static const uint64_t MOST_FREED = 64 << 20;

/* The first range that begins behind the address. */
static int above(const Memory *m, uint64_t address) {
    int low = 0, high = m->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->ranges[middle]->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool keep(Host *h, Range *range) {
    Memory *m = &h->memory;
    if (m->count == m->capacity) {
        int capacity = m->capacity ? m->capacity * 2 : 64;
        Range **grown = realloc(m->ranges, (size_t)capacity * sizeof *grown);
        if (!grown) return host_fail(h, "the host has no more memory");
        m->ranges = grown;
        m->capacity = capacity;
    }
    int at = above(m, range->start);
    memmove(m->ranges + at + 1, m->ranges + at, (size_t)(m->count - at) * sizeof *m->ranges);
    m->ranges[at] = range;
    m->count++;
    return true;
}

static Range *range_new(Host *h, RangeKind kind, uint64_t start, uint64_t size, Str name) {
    Range *range = arena_new_of(h->arena, Range);
    *range = (Range){.start = start, .size = size, .kind = kind, .name = name};
    range->is_open = kind == RANGE_VARIABLE || kind == RANGE_HEAP;
    return range;
}

Range *memory_add(Host *h, RangeKind kind, uint64_t size, Str name) {
    char *block = size < SIZE_MAX - 3 * GAP ? calloc(1, (size_t)size + 3 * GAP) : NULL;
    if (!block) {
        host_fail(h, "the host has no more memory: %llu bytes", (unsigned long long)size);
        return NULL;
    }
    uint64_t start = ((uint64_t)(uintptr_t)block + 2 * GAP - 1) & ~(uint64_t)(GAP - 1);
    Range *range = range_new(h, kind, start, size, name);
    range->block = block;
    if (keep(h, range)) return range;
    free(block);
    return NULL;
}

Range *memory_add_buffer(Host *h, RangeKind kind, tern_buffer *buffer, Str name) {
    uint64_t start = (uint64_t)(uintptr_t)tern_buffer_pointer(buffer);
    Range *range = range_new(h, kind, start, tern_buffer_size(buffer), name);
    range->buffer = buffer;
    return keep(h, range) ? range : NULL;
}

static void take_out(Memory *m, const Range *range) {
    int at = above(m, range->start) - 1;
    while (m->ranges[at] != range) at--;
    m->count--;
    memmove(m->ranges + at, m->ranges + at + 1, (size_t)(m->count - at) * sizeof *m->ranges);
}

/* The first that was freed is given back. Instructions may still point to its range. */
static void forget(Memory *m) {
    Range *range = m->first_freed;
    m->first_freed = range->next_freed;
    if (!m->first_freed) m->last_freed = NULL;
    m->bytes_freed -= range->size;
    take_out(m, range);
    free(range->block);
    range->block = NULL;
}

static void free_buffer(Host *h, const Range *range) {
    Device *device = &h->context->device;
    if (range->is_taken)
        h->options->give_back(h->options->memory_user, range->buffer);
    else
        tern_buffer_free(range->buffer);
    if (range->shared) device->ops->release_shared(device, range->shared);
}

void memory_free(Host *h, Range *range) {
    Memory *m = &h->memory;
    range->is_freed = true;
    range->is_open = false;
    range->freed_at = h->now ? h->now->op->span : h->place;
    if (range->buffer) { /* the device may give its address out again at once */
        take_out(m, range);
        free_buffer(h, range);
        return;
    }
    if (m->last_freed)
        m->last_freed->next_freed = range;
    else
        m->first_freed = range;
    m->last_freed = range;
    m->bytes_freed += range->size;
    while (m->bytes_freed > MOST_FREED && m->first_freed) forget(m);
}

Range *memory_find(Host *h, uint64_t address) {
    const Memory *m = &h->memory;
    int at = above(m, address) - 1;
    if (at < 0) return NULL;
    Range *range = m->ranges[at];
    return address - range->start <= range->size ? range : NULL;
}

/* ---- messages ---- */

static const char *words_of(const Range *range) {
    static const char *const words[] = {[RANGE_VARIABLE] = "the variable",
                                        [RANGE_HEAP] = "memory of",
                                        [RANGE_MANAGED] = "memory of",
                                        [RANGE_DEVICE] = "the device's memory of"};
    return words[range->kind];
}

static bool outside(Host *h, uint64_t address, uint64_t bytes, const char *does) {
    Memory *m = &h->memory;
    int at = above(m, address) - 1;
    const Range *near = at >= 0 ? m->ranges[at] : NULL;
    if (address < 4096)
        return host_fail(h, "%s %llu bytes at a null pointer", does, (unsigned long long)bytes);
    const Range *next = at + 1 < m->count ? m->ranges[at + 1] : NULL;
    uint64_t past = near ? address - near->start : 0;
    uint64_t before = next ? next->start - address : UINT64_MAX;
    bool is_inside = near && past < near->size;
    bool is_behind = near && past - near->size < 4096 && past - near->size < before;
    if (is_inside || is_behind)
        return host_fail(h, "%s %llu bytes at byte %llu of %s '%.*s', which has %llu", does,
                         (unsigned long long)bytes, (unsigned long long)past, words_of(near),
                         STR_ARG(near->name), (unsigned long long)near->size);
    if (before < 4096)
        return host_fail(h, "%s %llu bytes, %llu bytes before %s '%.*s'", does,
                         (unsigned long long)bytes, (unsigned long long)before, words_of(next),
                         STR_ARG(next->name));
    return host_fail(h, "%s %llu bytes at an address that is in no variable and no memory", does,
                     (unsigned long long)bytes);
}

static bool freed(Host *h, const Range *range, const char *does) {
    host_fail(h, "%s memory of '%.*s' that was freed", does, STR_ARG(range->name));
    diag_note(&h->diag, range->freed_at, "it was freed here");
    return false;
}

/* ---- accesses ---- */

/* What a compiled text has on its side is its own matter. */
static Range *of_compiled(Host *h) {
    h->memory.of_compiled =
        (Range){.size = UINT64_MAX, .kind = RANGE_HEAP, .is_open = true, .name = STR("the host")};
    return &h->memory.of_compiled;
}

static Range *checked(Host *h, uint64_t address, uint64_t bytes, const char *does) {
    Range *range = memory_find(h, address);
    uint64_t offset = range ? address - range->start : 0;
    bool is_outside = !range || (offset == range->size && bytes);
    if (h->is_compiled && is_outside && address >= 4096) return of_compiled(h);
    if (!range || bytes > range->size - offset) {
        outside(h, address, bytes, does);
        return NULL;
    }
    if (range->is_freed) {
        freed(h, range, does);
        return NULL;
    }
    return range;
}

Range *memory_whole(Host *h, uint64_t address, uint64_t bytes, const char *what) {
    return checked(h, address, bytes, what);
}

char *memory_at(Host *h, uint64_t address, uint64_t bytes, bool writes, Range **found) {
    const char *does = writes ? "writes" : "reads";
    Range *range = checked(h, address, bytes, does);
    if (!range) return NULL;
    char *at = (char *)(uintptr_t)address;
    if (range->kind == RANGE_DEVICE) {
        host_fail(h, "the host %s the device's memory of '%.*s'", does, STR_ARG(range->name));
        return NULL;
    }
    /* So that the device knows that somebody wrote it. */
    if (range->kind == RANGE_MANAGED && writes && !range->shared &&
        tern_write(range->buffer, address - range->start, at, bytes)) {
        host_fail(h, "%s", tern_message(h->context));
        return NULL;
    }
    if (found && range->is_open) *found = range;
    return at;
}

const char *memory_text(Host *h, uint64_t address, uint64_t *length) {
    const Range *range = memory_find(h, address);
    if (h->is_compiled && !range && address) {
        *length = strlen((const char *)(uintptr_t)address);
        return (const char *)(uintptr_t)address;
    }
    uint64_t most = range ? range->size - (address - range->start) : 1;
    const char *text = memory_at(h, address, most ? most : 1, false, NULL);
    if (!text) return NULL;
    const char *end = memchr(text, 0, most);
    if (!end) {
        host_fail(h, "a text in %s '%.*s' that does not end", words_of(range),
                  STR_ARG(range->name));
        return NULL;
    }
    *length = (uint64_t)(end - text);
    return text;
}

bool memory_has_own(const Memory *m) {
    for (int i = 0; i < m->count; i++)
        if (m->ranges[i]->buffer && !m->ranges[i]->is_lent && !m->ranges[i]->is_taken) return true;
    return false;
}

void memory_end(Host *h) {
    Memory *m = &h->memory;
    for (int i = 0; i < m->count; i++) {
        if (m->ranges[i]->buffer && !m->ranges[i]->is_lent) free_buffer(h, m->ranges[i]);
        free(m->ranges[i]->block);
    }
    free(m->ranges);
}
