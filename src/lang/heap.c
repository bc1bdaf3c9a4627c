// SPDX-License-Identifier: Apache-2.0
/* heap: the objects of a running script that outlive a statement, counted by reference; lists,
 * dicts and sets. Cycles are freed when the script ends. */
#include "lang/script.h"

#include <stdlib.h>

enum { MAX_ITEMS = 1 << 28, INDEX_FROM = 8 };

void heap_charge(Host *host, size_t bytes) {
    MemoryLimit *memory = &host->script->memory;
    memory->used += bytes;
    if (memory->used > memory->most) longjmp(host->script->no_memory, 1);
}

void heap_discharge(Script *script, size_t bytes) { script->memory.used -= bytes; }

static void *heap_alloc(Host *host, size_t bytes) {
    heap_charge(host, bytes);
    void *data = malloc(bytes ? bytes : 1);
    if (!data) longjmp(host->script->no_memory, 1);
    return data;
}

static void pool_push(Script *script, Object *object) {
    if (script->pool.count == script->pool.capacity) {
        int larger = script->pool.capacity ? script->pool.capacity * 2 : 256;
        Object **data = realloc(script->pool.data, (size_t)larger * sizeof *data);
        if (!data) longjmp(script->no_memory, 1);
        script->pool.data = data, script->pool.capacity = larger;
    }
    script->pool.data[script->pool.count++] = object;
}

Object *heap_new(Host *host, ObjectKind kind) {
    Script *script = host->script;
    Object *object = heap_alloc(host, sizeof *object);
    *object = (Object){.kind = kind, .refs = 1, .next = script->objects};
    if (script->watch) object->born = script->watch->serial;
    if (script->objects) script->objects->previous = object;
    script->objects = object;
    script->num_objects++;
    pool_push(script, object);
    return object;
}

Object *host_hold(Host *host, Object *object) {
    if (!object || object->refs <= 0 || !host->script) return object;
    object->refs++;
    pool_push(host->script, object);
    return object;
}

static void reserve(Host *host, Object *object, int count) {
    if (count <= object->capacity) return;
    if (count > MAX_ITEMS) longjmp(host->script->no_memory, 1);
    int larger = object->capacity < 4 ? 4 : object->capacity * 2;
    if (larger < count) larger = count;
    heap_charge(host, (size_t)(larger - object->capacity) * sizeof *object->items);
    Object **items = realloc(object->items, (size_t)larger * sizeof *items);
    if (!items) longjmp(host->script->no_memory, 1);
    object->items = items, object->capacity = larger;
}

/* A temporary's copy; its items are kept. */
static Object *promote(Host *host, const Object *object) {
    Object *copy = heap_new(host, object->kind);
    Object *next = copy->next, *previous = copy->previous;
    *copy = *object;
    copy->refs = 1, copy->next = next, copy->previous = previous;
    copy->born = host->script->watch ? host->script->watch->serial : 0;
    copy->is_frozen = false, copy->capacity = 0, copy->items = NULL, copy->index = NULL;
    if (object->kind == OBJECT_STR || object->text.length) {
        char *text = heap_alloc(host, (size_t)object->text.length + 1);
        if (object->text.length) memcpy(text, object->text.data, (size_t)object->text.length);
        text[object->text.length] = 0;
        copy->text.data = text;
        copy->payload = text;
    }
    copy->num_items = 0;
    reserve(host, copy, object->num_items);
    for (int i = 0; i < object->num_items; i++) {
        copy->items[i] = object->items[i] ? host_keep(host, object->items[i]) : NULL;
        copy->num_items = i + 1;
    }
    return copy;
}

Object *host_keep(Host *host, Object *object) {
    Script *script = host->script;
    if (object->refs == 0) {
        switch (object->kind) {
        case OBJECT_NONE: object = script->none; break;
        case OBJECT_BOOL: object = script->booleans[object->integer != 0]; break;
        case OBJECT_INT:
        case OBJECT_FLOAT:
        case OBJECT_STR:
        case OBJECT_DTYPE:
        case OBJECT_TUPLE:
        case OBJECT_LIST:
        case OBJECT_DICT:
        case OBJECT_FUNCTION:
        case OBJECT_BUILTIN:
        case OBJECT_METHOD:
        case OBJECT_MODULE:
        case OBJECT_CLASS:
        case OBJECT_SLICE:
        case OBJECT_ELLIPSIS:
        case OBJECT_CONFIG:
        case OBJECT_OPAQUE:
        case OBJECT_TENSOR:
        case OBJECT_BLOCK_POINTER:
        case OBJECT_DESCRIPTOR:
        case OBJECT_RANGE:
        case OBJECT_HOST: object = promote(host, object); break;
        case OBJECT_ERROR: return object;
        }
    }
    if (object->refs > 0) object->refs++;
    return object;
}

static void object_free(Script *script, Object *object) {
    if (object->type && object->type->free) object->type->free(object);
    for (int i = 0; i < object->num_items; i++) {
        Object *item = object->items[i];
        if (item && item->refs > 0 && --item->refs == 0) {
            item->refs = -1;
            if (script->dead.count == script->dead.capacity) {
                int larger = script->dead.capacity ? script->dead.capacity * 2 : 256;
                Object **data = realloc(script->dead.data, (size_t)larger * sizeof *data);
                if (!data) longjmp(script->no_memory, 1);
                script->dead.data = data, script->dead.capacity = larger;
            }
            script->dead.data[script->dead.count++] = item;
        }
    }
    if (object->previous)
        object->previous->next = object->next;
    else
        script->objects = object->next;
    if (object->next) object->next->previous = object->previous;
    heap_discharge(script, sizeof *object + (size_t)object->capacity * sizeof *object->items);
    if (object->kind != OBJECT_HOST && object->payload && object->kind != OBJECT_FUNCTION)
        heap_discharge(script, (size_t)object->text.length + 1);
    script->num_objects--;
    if (object->kind != OBJECT_HOST) free(object->payload);
    free(object->items);
    free(object->index);
    free(object);
}

void host_drop(Host *host, Object *object) {
    Script *script = host->script;
    if (!object || object->refs <= 0 || --object->refs > 0) return;
    object_free(script, object);
    if (script->is_freeing) return;
    script->is_freeing = true; /* a long chain takes no stack */
    while (script->dead.count) object_free(script, script->dead.data[--script->dead.count]);
    script->is_freeing = false;
}

void host_store(Host *host, Object **place, Object *value) {
    Object *old = *place;
    *place = value ? host_keep(host, value) : NULL;
    host_drop(host, old);
}

Moment moment_of(Host *host) {
    return (Moment){host->script->pool.count, arena_mark(host->script->scratch)};
}

void moment_end(Host *host, Moment moment) {
    Script *script = host->script;
    while (script->pool.count > moment.pool)
        host_drop(host, script->pool.data[--script->pool.count]);
    arena_release(script->scratch, moment.mark);
}

void heap_close(Script *script) {
    for (Object *object = script->objects, *next; object; object = next) {
        next = object->next;
        if (object->type && object->type->free) object->type->free(object);
        if (object->kind != OBJECT_HOST) free(object->payload);
        free(object->items);
        free(object->index);
        free(object);
    }
    free(script->pool.data);
    free(script->dead.data);
}

Object *heap_host(Host *host, const HostType *type, int num_items, Object *const *items) {
    Object *object = heap_new(host, OBJECT_HOST);
    object->type = type;
    reserve(host, object, num_items);
    for (int i = 0; i < num_items; i++) {
        object->items[i] = items && items[i] ? host_keep(host, items[i]) : NULL;
        object->num_items = i + 1;
    }
    return object;
}

/* ---- lists ---- */

Object *heap_list(Host *host, ObjectKind kind, int count, Object *const *items) {
    Object *list = heap_new(host, kind);
    reserve(host, list, count);
    for (int i = 0; i < count; i++) {
        list->items[i] = items && items[i] ? host_keep(host, items[i]) : NULL;
        list->num_items = i + 1;
    }
    return list;
}

bool list_insert(Host *host, Object *list, int at, Object *item) {
    if (is_raised(host) || !host_may_change(host, list, "a list")) return false;
    reserve(host, list, list->num_items + 1);
    Object *kept = host_keep(host, item);
    memmove(list->items + at + 1, list->items + at,
            (size_t)(list->num_items - at) * sizeof *list->items);
    list->items[at] = kept;
    list->num_items++;
    return true;
}

/* ---- dicts and sets: items in order of insertion, and a table of their places ---- */

bool is_set_object(const Object *object) {
    return object->kind == OBJECT_LIST && str_is(object->text, "set");
}

Object *heap_set(Host *host) {
    Object *set = heap_new(host, OBJECT_LIST);
    set->text = STR("set");
    return set;
}

static int stride_of(const Object *container) { return container->kind == OBJECT_DICT ? 2 : 1; }

static void index_add(Host *host, Object *container, int place) {
    uint64_t hash = 0;
    script_hash(host, container->items[place], &hash);
    uint32_t mask = container->index[0] - 1, at = (uint32_t)hash & mask;
    while (container->index[1 + at]) at = (at + 1) & mask;
    container->index[1 + at] = (uint32_t)place + 1;
}

static void index_build(Host *host, Object *container) {
    int stride = stride_of(container), count = container->num_items / stride;
    uint32_t size = 32;
    free(container->index);
    container->index = NULL;
    if (count < INDEX_FROM) return;
    while (size < (uint32_t)count * 3) size *= 2;
    container->index = calloc(size + 1, sizeof *container->index);
    if (!container->index) longjmp(host->script->no_memory, 1);
    container->index[0] = size;
    for (int i = 0; i < container->num_items; i += stride) index_add(host, container, i);
}

static bool same_key(Host *host, Object *a, Object *b) {
    if (a == b) return true;
    if (a->kind == OBJECT_STR && b->kind == OBJECT_STR) return str_equal(a->text, b->text);
    return script_equal(host, a, b);
}

/* The place of a key; -1: not there, or raised. */
static int find_place(Host *host, const Object *container, Object *key) {
    uint64_t hash;
    if (!script_hash(host, key, &hash)) return -1;
    if (!container->index) {
        for (int i = 0; i < container->num_items; i += stride_of(container))
            if (same_key(host, container->items[i], key)) return i;
        return -1;
    }
    uint32_t mask = container->index[0] - 1;
    for (uint32_t at = (uint32_t)hash & mask; container->index[1 + at]; at = (at + 1) & mask) {
        int place = (int)container->index[1 + at] - 1;
        if (same_key(host, container->items[place], key)) return place;
    }
    return -1;
}

static void add_place(Host *host, Object *container, Object *key, Object *value) {
    int at = container->num_items, stride = stride_of(container);
    reserve(host, container, at + stride);
    container->items[at] = host_keep(host, key);
    if (stride == 2) container->items[at + 1] = host_keep(host, value);
    container->num_items = at + stride;
    int count = container->num_items / stride;
    if (container->index && container->index[0] >= (uint32_t)count * 2)
        index_add(host, container, at);
    else if (count >= INDEX_FROM)
        index_build(host, container);
}

Object *dict_find(Host *host, const Object *dict, Object *key) {
    int place = find_place(host, dict, key);
    return place < 0 ? NULL : host_hold(host, dict->items[place + 1]);
}

Object *dict_find_text(const Object *dict, Str key) {
    if (dict->index) {
        uint32_t mask = dict->index[0] - 1;
        uint64_t hash = hash_bytes(key.data, (size_t)key.length, 3); /* as script_hash has it */
        for (uint32_t at = (uint32_t)hash & mask; dict->index[1 + at]; at = (at + 1) & mask) {
            int place = (int)dict->index[1 + at] - 1;
            if (dict->items[place]->kind == OBJECT_STR && str_equal(dict->items[place]->text, key))
                return dict->items[place + 1];
        }
        return NULL;
    }
    for (int i = 0; i + 1 < dict->num_items; i += 2)
        if (dict->items[i]->kind == OBJECT_STR && str_equal(dict->items[i]->text, key))
            return dict->items[i + 1];
    return NULL;
}

bool dict_put(Host *host, Object *dict, Object *key, Object *value) {
    int place = find_place(host, dict, key);
    if (is_raised(host) || !host_may_change(host, dict, "a dict")) return false;
    if (place >= 0)
        host_store(host, &dict->items[place + 1], value);
    else
        add_place(host, dict, key, value);
    return true;
}

/* The one added last is at the end of its chain, which is as it was before. */
static void index_remove_last(Host *host, Object *container, int place) {
    uint64_t hash = 0;
    script_hash(host, container->items[place], &hash);
    uint32_t mask = container->index[0] - 1, at = (uint32_t)hash & mask;
    while (container->index[1 + at] != (uint32_t)place + 1) at = (at + 1) & mask;
    container->index[1 + at] = 0;
}

void list_remove(Host *host, Object *list, int at, int count) {
    if (!host_may_change(host, list, "a list, dict or set")) return;
    bool last = count == stride_of(list) && at + count == list->num_items;
    if (list->index && last) index_remove_last(host, list, at);
    for (int i = 0; i < count; i++) { /* they go when the list is in order again */
        host_hold(host, list->items[at + i]);
        host_drop(host, list->items[at + i]);
    }
    list->num_items -= count;
    memmove(list->items + at, list->items + at + count,
            (size_t)(list->num_items - at) * sizeof *list->items);
    if (list->index && !last) index_build(host, list);
}

bool dict_remove(Host *host, Object *dict, Object *key) {
    int place = find_place(host, dict, key);
    if (place < 0 || !host_may_change(host, dict, "a dict or set")) return false;
    list_remove(host, dict, place, stride_of(dict));
    return true;
}

bool set_has(Host *host, const Object *set, Object *item) {
    return find_place(host, set, item) >= 0;
}

bool set_put(Host *host, Object *set, Object *item) {
    int place = find_place(host, set, item);
    if (is_raised(host) || (place < 0 && !host_may_change(host, set, "a set"))) return false;
    if (place < 0) add_place(host, set, item, NULL);
    return true;
}
