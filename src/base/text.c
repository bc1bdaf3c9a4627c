// SPDX-License-Identifier: Apache-2.0
/* text: strings, growable text and hash maps. */
#include "base/utf8.h"

#include <stdio.h>

Str str_of(const char *c_string) { return (Str){c_string, (int)strlen(c_string)}; }

Str str_copy(Arena *arena, Str s) {
    char *copy = arena_alloc(arena, (size_t)s.length + 1);
    if (s.length) memcpy(copy, s.data, (size_t)s.length);
    return (Str){copy, s.length};
}

const char *str_c(Arena *arena, Str s) { return str_copy(arena, s).data; }

/* Most are short: they take no more of the arena than they need. */
Str str_vformat(Arena *arena, const char *format, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, args);
    if (length < 0) BUG("bad format '%s'", format);
    char *data = arena_alloc(arena, (size_t)length + 1);
    if (length < (int)sizeof small)
        memcpy(data, small, (size_t)length);
    else
        vsnprintf(data, (size_t)length + 1, format, again);
    va_end(again);
    return (Str){data, length};
}

Str str_format(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str result = str_vformat(arena, format, args);
    va_end(args);
    return result;
}

bool str_equal(Str a, Str b) {
    return a.length == b.length && (a.length == 0 || !memcmp(a.data, b.data, (size_t)a.length));
}

bool str_is(Str a, const char *c_string) { return str_equal(a, str_of(c_string)); }

bool str_starts(Str s, const char *prefix) {
    int length = (int)strlen(prefix);
    return s.length >= length && !memcmp(s.data, prefix, (size_t)length);
}

bool str_ends(Str s, const char *suffix) {
    int length = (int)strlen(suffix);
    return s.length >= length && !memcmp(s.data + s.length - length, suffix, (size_t)length);
}

/* FNV-1a over 8-byte words with a final mix: short keys, no adversary that we must resist beyond
 * what a compile-time limit on source size already bounds. */
uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed) {
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u ^ (seed * 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < size_bytes; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 32);
}

static void buf_reserve(Buf *buf, size_t more) {
    size_t need = buf->length + more + 1;
    if (need <= buf->capacity) return;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
    if (capacity < need) capacity = need;
    buf->data = arena_grow(buf->arena, buf->data, buf->length, capacity);
    buf->capacity = capacity;
}

void buf_add(Buf *buf, const char *data, size_t length) {
    buf_reserve(buf, length);
    if (length) memcpy(buf->data + buf->length, data, length);
    buf->length += length;
    buf->data[buf->length] = 0;
}

void buf_puts(Buf *buf, const char *c_string) { buf_add(buf, c_string, strlen(c_string)); }

void buf_putc(Buf *buf, char c) { buf_add(buf, &c, 1); }

void buf_int(Buf *buf, int64_t value) {
    char text[20], *end = text + sizeof text, *at = end;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    buf_add(buf, at, (size_t)(end - at));
}

int utf8_length(Str text) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text.data;
    int length = bytes[0] < 0x80       ? 1
                 : bytes[0] >> 5 == 6  ? 2
                 : bytes[0] >> 4 == 14 ? 3
                 : bytes[0] >> 3 == 30 ? 4
                                       : 0;
    if (length <= 1) return length;
    if (length > text.length) return 0;
    unsigned code = bytes[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 2) return 0;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    return length;
}

void buf_json(Buf *buf, Str text) {
    buf_putc(buf, '"');
    for (int i = 0; i < text.length;) {
        unsigned char c = (unsigned char)text.data[i];
        int length = utf8_length((Str){text.data + i, text.length - i});
        if (c == '"' || c == '\\')
            buf_printf(buf, "\\%c", c);
        else if (c == '\n')
            buf_puts(buf, "\\n");
        else if (c == '\t')
            buf_puts(buf, "\\t");
        else if (c < 0x20 || c == 0x7f)
            buf_printf(buf, "\\u%04x", c);
        else if (length)
            buf_add(buf, text.data + i, (size_t)length);
        else
            buf_puts(buf, "\\ufffd");
        i += length ? length : 1;
    }
    buf_putc(buf, '"');
}

/* Into the room that there is; where that is too little, once more into enough. */
void buf_vprintf(Buf *buf, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    size_t room = buf->capacity - buf->length;
    int length = vsnprintf(room ? buf->data + buf->length : NULL, room, format, args);
    if (length < 0) BUG("bad format '%s'", format);
    if ((size_t)length >= room) {
        buf_reserve(buf, (size_t)length);
        vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    buf->length += (size_t)length;
}

void buf_printf(Buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

Str buf_str(const Buf *buf) { return (Str){buf->data ? buf->data : "", (int)buf->length}; }

enum { POINTER_KEY = -1 };

static uint64_t key_hash(Str key) {
    if (key.length == POINTER_KEY) {
        uint64_t hash = (uintptr_t)key.data * (uint64_t)0x9e3779b97f4a7c15u;
        return hash ^ hash >> 32;
    }
    return hash_bytes(key.data, (size_t)key.length, 0);
}

static bool key_equal(Str a, Str b) {
    if (a.length == POINTER_KEY || b.length == POINTER_KEY)
        return a.length == b.length && a.data == b.data;
    return str_equal(a, b);
}

static MapSlot *map_find(const Map *map, Str key) {
    if (!map->capacity) return NULL;
    uint64_t index = key_hash(key) & (uint64_t)(map->capacity - 1);
    while (map->slots[index].used && !key_equal(map->slots[index].key, key))
        index = (index + 1) & (uint64_t)(map->capacity - 1);
    return &map->slots[index];
}

static void map_grow(Map *map) {
    Map larger = {.arena = map->arena, .capacity = map->capacity ? map->capacity * 2 : 16};
    larger.slots = arena_array(map->arena, MapSlot, larger.capacity);
    for (int i = 0; i < map->capacity; i++)
        if (map->slots[i].used) *map_find(&larger, map->slots[i].key) = map->slots[i];
    larger.count = map->count;
    *map = larger;
}

void *map_get(const Map *map, Str key) {
    MapSlot *slot = map_find(map, key);
    return slot && slot->used ? slot->value : NULL;
}

void map_set(Map *map, Str key, void *value) {
    if (map->count * 4 >= map->capacity * 3) map_grow(map);
    MapSlot *slot = map_find(map, key);
    if (!slot->used) map->count++;
    *slot = (MapSlot){key, value, true};
}

/* As map_get; asked more often than anything else. */
void *map_get_pointer(const Map *map, const void *key) {
    if (!map->capacity) return NULL;
    uint64_t mask = (uint64_t)(map->capacity - 1);
    for (uint64_t i = key_hash((Str){key, POINTER_KEY}) & mask; map->slots[i].used;
         i = (i + 1) & mask)
        if (map->slots[i].key.data == key && map->slots[i].key.length == POINTER_KEY)
            return map->slots[i].value;
    return NULL;
}

void map_set_pointer(Map *map, const void *key, void *value) {
    map_set(map, (Str){key, POINTER_KEY}, value);
}
