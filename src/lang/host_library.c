// SPDX-License-Identifier: Apache-2.0
/* host_library: Python's own functions over sequences that host code of kernels uses to make lists
 * of configs: filter, map, zip, enumerate, sorted, sum, any, all .. and methods of strings.
 *
 * Each gives NULL where Python's answer is not certain; the call is then an unknown value.
 * Iterators are lists here: host code uses each once. */
#include "lang/module.h"

typedef VEC(Object *) Objects;

typedef struct Arguments {
    Host *host;
    int count;
    Object *const *values;
    const Str *names;
    Span span;
} Arguments;

static bool all_positional(const Arguments *args) {
    for (int i = 0; args->names && i < args->count; i++)
        if (args->names[i].length) return false;
    return true;
}

static Object *list_of(const Arguments *args, const Objects *items) {
    return host_list(args->host->arena, OBJECT_LIST, items->count, items->data);
}

static bool items_of(const Arguments *args, int index, int *count, Object ***items) {
    return index < args->count && host_items(args->host, args->values[index], count, items) &&
           host_spend(args->host, args->span, *count);
}

static bool known_truth(const Object *value, bool *truth) {
    return value->kind != OBJECT_OPAQUE && value->kind != OBJECT_ERROR &&
           object_truth(value, truth);
}

static Object *call_filter(const Arguments *args) {
    int count;
    Object **items;
    Objects kept = {0};
    if (args->count != 2 || !items_of(args, 1, &count, &items)) return NULL;
    for (int i = 0; i < count; i++) {
        bool truth;
        Object *verdict = items[i];
        if (args->values[0]->kind != OBJECT_NONE)
            verdict =
                host_call_object(args->host, args->values[0], 1, &items[i], NULL, NULL, args->span);
        if (!known_truth(verdict, &truth)) return NULL;
        if (truth) vec_push(args->host->arena, &kept, items[i]);
    }
    return list_of(args, &kept);
}

/* zip(a, b, ..) and the arguments of map(f, a, b, ..): the i-th of each, up to the shortest. */
static Object *zip_from(const Arguments *args, int first, Object *function) {
    enum { MOST = 8 };
    int shortest = HOST_ITEMS, num = args->count - first;
    Object **columns[MOST];
    Objects rows = {0};
    if (num < 1 || num > MOST) return NULL;
    for (int i = 0; i < num; i++) {
        int count;
        if (!items_of(args, first + i, &count, &columns[i])) return NULL;
        if (count < shortest) shortest = count;
    }
    for (int i = 0; i < shortest; i++) {
        Object *row[MOST];
        for (int k = 0; k < num; k++) row[k] = columns[k][i];
        Object *value =
            function ? host_call_object(args->host, function, num, row, NULL, NULL, args->span)
                     : object_tuple(args->host->arena, num, row);
        vec_push(args->host->arena, &rows, value);
    }
    return list_of(args, &rows);
}

static Object *call_zip(const Arguments *args) { return zip_from(args, 0, NULL); }
static Object *call_map(const Arguments *args) {
    return args->count < 2 ? NULL : zip_from(args, 1, args->values[0]);
}

static Object *call_enumerate(const Arguments *args) {
    int count;
    Object **items;
    Objects pairs = {0};
    if (args->count < 1 || args->count > 2 || !items_of(args, 0, &count, &items)) return NULL;
    if (args->count == 2 && !object_is_integral(args->values[1])) return NULL;
    int128 start = args->count == 2 ? args->values[1]->integer : 0;
    if (start > INT64_MAX || start < INT64_MIN) return NULL;
    for (int i = 0; i < count; i++) {
        Object *pair[] = {object_int(args->host->arena, start + i), items[i]};
        vec_push(args->host->arena, &pairs, object_tuple(args->host->arena, 2, pair));
    }
    return list_of(args, &pairs);
}

static Object *call_reversed(const Arguments *args) {
    int count;
    Object **items;
    Objects back = {0};
    if (args->count != 1 || !items_of(args, 0, &count, &items)) return NULL;
    for (int i = count - 1; i >= 0; i--) vec_push(args->host->arena, &back, items[i]);
    return list_of(args, &back);
}

/* By insertion, which is stable as Python's sort is; what that costs is paid in steps. */
static Object *call_sorted(const Arguments *args) {
    int count;
    Object **items;
    if (args->count != 1 || !items_of(args, 0, &count, &items)) return NULL;
    Object *sorted = host_list(args->host->arena, OBJECT_LIST, count, items);
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0; k--) {
            const char *why = NULL;
            Object *less = object_compare(args->host->arena, OPERATOR_LT, sorted->items[k],
                                          sorted->items[k - 1], &why);
            if (!less || !host_step(args->host, args->span)) return NULL;
            if (!less->integer) break;
            Object *swap = sorted->items[k];
            sorted->items[k] = sorted->items[k - 1], sorted->items[k - 1] = swap;
        }
    }
    return sorted;
}

static Object *call_sum(const Arguments *args) {
    int count;
    Object **items;
    if (args->count < 1 || args->count > 2 || !items_of(args, 0, &count, &items)) return NULL;
    Object *sum = args->count == 2 ? args->values[1] : object_int(args->host->arena, 0);
    for (int i = 0; i < count; i++) {
        const char *why = NULL;
        sum = object_binary(args->host->arena, OPERATOR_ADD, sum, items[i], &why);
        if (!sum || !host_spend(args->host, args->span, 1 + sum->num_items / 8)) return NULL;
    }
    return sum;
}

static Object *any_or_all(const Arguments *args, bool decides) {
    int count;
    Object **items;
    if (args->count != 1 || !items_of(args, 0, &count, &items)) return NULL;
    for (int i = 0; i < count; i++) {
        bool truth;
        if (!known_truth(items[i], &truth)) return NULL;
        if (truth == decides) return object_bool(args->host->arena, decides);
    }
    return object_bool(args->host->arena, !decides);
}

static Object *call_any(const Arguments *args) { return any_or_all(args, true); }
static Object *call_all(const Arguments *args) { return any_or_all(args, false); }

static Object *call_set(const Arguments *args) {
    int count = 0;
    Object **items = NULL;
    if (args->count > 1 || (args->count && !items_of(args, 0, &count, &items))) return NULL;
    return host_set(args->host, host_list(args->host->arena, OBJECT_LIST, count, items));
}

/* dict(), dict(other), dict(a=1): keywords alone or one dict. */
static Object *call_dict(const Arguments *args) {
    Object *dict = host_list(args->host->arena, OBJECT_DICT, 0, NULL);
    for (int i = 0; i < args->count; i++) {
        const Object *other = args->values[i];
        if (args->names && args->names[i].length) {
            if (!host_set_item(args->host, dict, object_str(args->host->arena, args->names[i]),
                               args->values[i]))
                return NULL;
            continue;
        }
        if (other->kind != OBJECT_DICT) return NULL;
        for (int k = 0; k + 1 < other->num_items; k += 2)
            if (!host_set_item(args->host, dict, other->items[k], other->items[k + 1])) return NULL;
    }
    return dict;
}

Object *host_python_call(Host *host, Str name, int num_args, Object *const *args, const Str *names,
                         Span span) {
    static const struct {
        const char *name;
        Object *(*run)(const Arguments *);
    } rows[] = {
        {"filter", call_filter},     {"map", call_map},
        {"zip", call_zip},           {"enumerate", call_enumerate},
        {"sum", call_sum},           {"sorted", call_sorted},
        {"any", call_any},           {"all", call_all},
        {"set", call_set},           {"dict", call_dict},
        {"reversed", call_reversed},
    };
    Arguments all = {host, num_args, args, names, span};
    for (int i = 0; i < COUNT(rows); i++) {
        if (!str_is(name, rows[i].name)) continue;
        bool fits = all_positional(&all) || str_is(name, "dict");
        return fits ? rows[i].run(&all) : NULL;
    }
    return NULL;
}
