// SPDX-License-Identifier: Apache-2.0
/* script_list: the methods of list, tuple, dict and set in a running script, and sorting. */
#include "lang/script.h"

static Object *nothing(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}

/* ---- lists ---- */

static Object *run_append(Host *host, Object *const *args, const HostCall *call) {
    list_insert(host, call->self, call->self->num_items, args[0]);
    return nothing(host);
}

static Object *run_extend(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **items;
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    for (int i = 0; i < count; i++) list_insert(host, call->self, call->self->num_items, items[i]);
    return nothing(host);
}

/* An index among `count`. False: raised. */
static bool index_of(Host *host, Object *object, int64_t *at) {
    Object *number = host_index(host, object);
    if (!is_raised(host) && !object_is_integral(number))
        host_raise(host, CLASS_TYPE_ERROR, "'%.*s' object cannot be interpreted as an integer",
                   STR_ARG(class_info(class_of(host, number))->name));
    return host_int(host, number, "the index", at);
}

static Object *run_insert(Host *host, Object *const *args, const HostCall *call) {
    int64_t at, count = call->self->num_items;
    if (!index_of(host, args[0], &at)) return host->script->poison;
    if (at < 0) at = at + count < 0 ? 0 : at + count;
    list_insert(host, call->self, (int)(at > count ? count : at), args[1]);
    return nothing(host);
}

static Object *run_pop(Host *host, Object *const *args, const HostCall *call) {
    Object *list = call->self;
    int64_t at = list->num_items - 1;
    if (args[0] && !index_of(host, args[0], &at)) return host->script->poison;
    if (at < 0 && args[0]) at += list->num_items;
    if (!list->num_items) return host_raise(host, CLASS_INDEX_ERROR, "pop from empty list");
    if (at < 0 || at >= list->num_items)
        return host_raise(host, CLASS_INDEX_ERROR, "pop index out of range");
    Object *item = host_hold(host, list->items[at]);
    list_remove(host, list, (int)at, 1);
    return item;
}

/* -1: not in it, or raised. */
static int place_of(Host *host, const Object *list, Object *item, int64_t from, int64_t to) {
    for (int64_t i = from; i < to && i < list->num_items && !is_raised(host); i++)
        if (list->items[i] == item || script_equal(host, list->items[i], item)) return (int)i;
    return -1;
}

static Object *run_remove(Host *host, Object *const *args, const HostCall *call) {
    int at = place_of(host, call->self, args[0], 0, INT64_MAX);
    if (at < 0) return host_raise(host, CLASS_VALUE_ERROR, "list.remove(x): x not in list");
    list_remove(host, call->self, at, 1);
    return nothing(host);
}

static Object *run_index(Host *host, Object *const *args, const HostCall *call) {
    int64_t length = call->self->num_items, bounds[] = {0, length};
    for (int i = 0; i < 2; i++) {
        if (args[1 + i] && !index_of(host, args[1 + i], &bounds[i])) return host->script->poison;
        if (bounds[i] < 0) bounds[i] = bounds[i] + length < 0 ? 0 : bounds[i] + length;
    }
    int at = place_of(host, call->self, args[0], bounds[0], bounds[1]);
    if (at >= 0 || is_raised(host)) return object_int(host->arena, at);
    if (call->self->kind == OBJECT_TUPLE)
        return host_raise(host, CLASS_VALUE_ERROR, "tuple.index(x): x not in tuple");
    Object *text = host_repr(host, args[0]);
    return host_raise(host, CLASS_VALUE_ERROR, "%.*s is not in list", STR_ARG(text->text));
}

static Object *run_count(Host *host, Object *const *args, const HostCall *call) {
    int count = 0;
    for (int i = 0; i < call->self->num_items && !is_raised(host); i++)
        count += script_equal(host, call->self->items[i], args[0]);
    return object_int(host->arena, count);
}

static Object *run_reverse(Host *host, Object *const *args, const HostCall *call) {
    Object *list = call->self;
    (void)args;
    if (!host_may_change(host, list, "a list")) return nothing(host);
    for (int i = 0, k = list->num_items - 1; i < k; i++, k--) {
        Object *swap = list->items[i];
        list->items[i] = list->items[k], list->items[k] = swap;
    }
    return nothing(host);
}

static Object *run_clear(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    list_remove(host, call->self, 0, call->self->num_items);
    return nothing(host);
}

/* Merges two sorted halves: stable, and few comparisons. False: raised. */
static bool merge_sort(Host *host, Object **keys, Object **items, Object **spare, int count) {
    if (count < 2) return true;
    int half = count / 2;
    if (!merge_sort(host, keys, items, spare, half) ||
        !merge_sort(host, keys + half, items + half, spare, count - half))
        return false;
    Object **out_keys = spare, **out_items = spare + count;
    for (int i = 0, a = 0, b = half; i < count; i++) {
        bool takes_b = a == half;
        if (a < half && b < count) {
            Moment moment = moment_of(host);
            takes_b = script_truth(host, script_compare(host, OPERATOR_LT, keys[b], keys[a]));
            moment_end(host, moment);
            if (is_raised(host)) return false;
        }
        int from = takes_b ? b++ : a++;
        out_keys[i] = keys[from], out_items[i] = items[from];
    }
    memcpy(keys, out_keys, (size_t)count * sizeof *keys);
    memcpy(items, out_items, (size_t)count * sizeof *items);
    return true;
}

bool sort_items(Host *host, int count, Object **items, Object *key, bool reverse) {
    Object **keys = arena_array(host->arena, Object *, count + 1);
    Object **spare = arena_array(host->arena, Object *, 2 * (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        keys[i] = items[i];
        if (key && key->kind != OBJECT_NONE) keys[i] = host_invoke_with(host, key, 1, &items[i]);
    }
    for (int pass = 0; pass < 2;
         pass++) { /* reversed before and after: equal ones keep their order */
        for (int i = 0, k = count - 1; reverse && i < k; i++, k--) {
            Object *swap = items[i];
            items[i] = items[k], items[k] = swap;
            swap = keys[i];
            keys[i] = keys[k], keys[k] = swap;
        }
        if (pass == 0 && (is_raised(host) || !merge_sort(host, keys, items, spare, count)))
            return false;
    }
    return true;
}

static Object *run_sort(Host *host, Object *const *args, const HostCall *call) {
    Object *list = call->self;
    bool reverse = args[1] && script_truth(host, args[1]);
    Object **items = arena_array(host->arena, Object *, list->num_items + 1);
    int count = list->num_items;
    if (count) memcpy(items, list->items, (size_t)count * sizeof *items);
    if (!sort_items(host, count, items, args[0], reverse)) return host->script->poison;
    if (count != list->num_items)
        return host_raise(host, CLASS_VALUE_ERROR, "list modified during sort");
    if (host_may_change(host, list, "a list") && count)
        memcpy(list->items, items, (size_t)count * sizeof *items);
    return nothing(host);
}

static Object *run_copy(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    Object *self = call->self;
    if (self->kind == OBJECT_LIST && !is_set_object(self))
        return heap_list(host, OBJECT_LIST, self->num_items, self->items);
    Object *copy = is_set_object(self) ? heap_set(host) : heap_list(host, OBJECT_DICT, 0, NULL);
    for (int i = 0; i < self->num_items; i++)
        if (copy->kind == OBJECT_LIST)
            set_put(host, copy, self->items[i]);
        else if (i % 2 == 0)
            dict_put(host, copy, self->items[i], self->items[i + 1]);
    return copy;
}

/* ---- dicts ---- */

static Object *run_get(Host *host, Object *const *args, const HostCall *call) {
    Object *value = dict_find(host, call->self, args[0]);
    if (is_raised(host)) return host->script->poison;
    return value ? value : args[1] ? args[1] : host->script->none;
}

static Object *run_setdefault(Host *host, Object *const *args, const HostCall *call) {
    Object *value = dict_find(host, call->self, args[0]);
    if (is_raised(host)) return host->script->poison;
    if (value) return value;
    value = args[1] ? args[1] : host->script->none;
    dict_put(host, call->self, args[0], value);
    return dict_find(host, call->self, args[0]);
}

static Object *run_dict_pop(Host *host, Object *const *args, const HostCall *call) {
    Object *value = dict_find(host, call->self, args[0]);
    if (is_raised(host)) return host->script->poison;
    if (value) return dict_remove(host, call->self, args[0]), value;
    if (args[1]) return args[1];
    host_raise_object(host,
                      exception_new(host, host->script->classes[CLASS_KEY_ERROR], 1, &args[0]));
    return host->script->poison;
}

static Object *run_popitem(Host *host, Object *const *args, const HostCall *call) {
    Object *dict = call->self;
    if (args[0] && !script_truth(host, args[0])) return host_refuse(host, "popitem(last=False)");
    if (!dict->num_items)
        return host_raise(host, CLASS_KEY_ERROR, "popitem(): dictionary is empty");
    Object *pair = heap_list(host, OBJECT_TUPLE, 2, dict->items + dict->num_items - 2);
    dict_remove(host, dict, pair->items[0]);
    return pair;
}

static Object *run_update(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    for (int i = 0; i < call->num_args && !is_raised(host); i++) {
        Object *other = call->args[i];
        if (call->names && call->names[i].length) {
            dict_put(host, call->self, object_str(host->arena, call->names[i]), other);
            continue;
        }
        int count;
        Object **items;
        if (other->kind == OBJECT_DICT) {
            for (int k = 0; k + 1 < other->num_items; k += 2)
                dict_put(host, call->self, other->items[k], other->items[k + 1]);
            continue;
        }
        if (!host_items(host, other, &count, &items)) break;
        for (int k = 0; k < count; k++) {
            int two;
            Object **pair;
            if (object_is_number(items[k]) || items[k]->kind == OBJECT_NONE)
                return host_raise(host, CLASS_TYPE_ERROR,
                                  "cannot convert dictionary update sequence element #%d to a "
                                  "sequence",
                                  k);
            if (!host_items(host, items[k], &two, &pair)) break;
            if (two != 2)
                return host_raise(host, CLASS_VALUE_ERROR,
                                  "dictionary update sequence element #%d has length %d; 2 is "
                                  "required",
                                  k, two);
            dict_put(host, call->self, pair[0], pair[1]);
        }
    }
    return nothing(host);
}

/* keys(), values(), items(): weight says which of them; items[0] is the dict. */
static Object *view_next(Host *host, Object *self, int64_t index) {
    const Object *dict = self->items[0];
    if (index * 2 >= dict->num_items) return NULL;
    if (self->weight < 2) return host_hold(host, dict->items[index * 2 + self->weight]);
    return heap_list(host, OBJECT_TUPLE, 2, dict->items + index * 2);
}

static int64_t view_length(Host *host, Object *self) {
    return (void)host, self->items[0]->num_items / 2;
}

static void view_print(Host *host, Object *self, Buf *out, bool as_repr) {
    static const char *const names[] = {"dict_keys([", "dict_values([", "dict_items(["};
    (void)as_repr;
    buf_puts(out, names[self->weight]);
    Object *item;
    for (int64_t i = 0; !is_raised(host) && (item = view_next(host, self, i)); i++) {
        if (i) buf_puts(out, ", ");
        host_print(host, item, out, true);
    }
    buf_puts(out, "])");
}

#define VIEW_TYPE(text)                                                                            \
    { .name = text, .next = view_next, .length = view_length, .print = view_print }
static const HostType view_types[] = {VIEW_TYPE("dict_keys"), VIEW_TYPE("dict_values"),
                                      VIEW_TYPE("dict_items")};

bool is_set_view(const Object *object) {
    return object->kind == OBJECT_HOST &&
           (object->type == &view_types[0] || object->type == &view_types[2]);
}

static Object *view(Host *host, Object *dict, int which) {
    Object *object = heap_host(host, &view_types[which], 1, &dict);
    object->weight = which;
    return object;
}

static Object *run_keys(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, view(host, call->self, 0);
}
static Object *run_values(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, view(host, call->self, 1);
}
static Object *run_items(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, view(host, call->self, 2);
}

/* ---- sets ---- */

static Object *run_add(Host *host, Object *const *args, const HostCall *call) {
    set_put(host, call->self, args[0]);
    return nothing(host);
}

static Object *run_discard(Host *host, Object *const *args, const HostCall *call) {
    dict_remove(host, call->self, args[0]);
    return nothing(host);
}

static Object *run_set_remove(Host *host, Object *const *args, const HostCall *call) {
    if (!dict_remove(host, call->self, args[0]) && !is_raised(host))
        host_raise_object(host,
                          exception_new(host, host->script->classes[CLASS_KEY_ERROR], 1, &args[0]));
    return nothing(host);
}

Object *set_of(Host *host, Object *iterable) {
    int count;
    Object **items, *set = heap_set(host);
    if (!host_items(host, iterable, &count, &items)) return host->script->poison;
    for (int i = 0; i < count; i++) set_put(host, set, items[i]);
    return is_raised(host) ? host->script->poison : set;
}

/* With each of the arguments in turn. */
static Object *set_with(Host *host, Object *const *args, const HostCall *call, Operator op) {
    Object *result = run_copy(host, args, call);
    for (int i = 0; i < call->num_args && !is_raised(host); i++)
        result = script_binary(host, op, result, set_of(host, call->args[i]));
    return result;
}
static Object *set_against(Host *host, Object *const *args, const HostCall *call, Operator op) {
    return script_compare(host, op, call->self, set_of(host, args[0]));
}
static Object *run_union(Host *host, Object *const *args, const HostCall *call) {
    return set_with(host, args, call, OPERATOR_OR);
}
static Object *run_intersection(Host *host, Object *const *args, const HostCall *call) {
    return set_with(host, args, call, OPERATOR_AND);
}
static Object *run_difference(Host *host, Object *const *args, const HostCall *call) {
    return set_with(host, args, call, OPERATOR_SUB);
}
static Object *run_issubset(Host *host, Object *const *args, const HostCall *call) {
    return set_against(host, args, call, OPERATOR_LE);
}
static Object *run_issuperset(Host *host, Object *const *args, const HostCall *call) {
    return set_against(host, args, call, OPERATOR_GE);
}
static Object *run_symmetric_difference(Host *host, Object *const *args, const HostCall *call) {
    return script_binary(host, OPERATOR_XOR, call->self, set_of(host, args[0]));
}
static Object *run_isdisjoint(Host *host, Object *const *args, const HostCall *call) {
    const Object *both = script_binary(host, OPERATOR_AND, call->self, set_of(host, args[0]));
    return is_raised(host) ? host->script->poison : object_bool(host->arena, !both->num_items);
}
static Object *run_set_pop(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    return call->self->num_items
               ? host_refuse(host, "'pop' of a set, whose order is that of Python's hash table")
               : host_raise(host, CLASS_KEY_ERROR, "pop from an empty set");
}

static Object *run_set_update(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    for (int k = 0; k < call->num_args; k++) {
        int count;
        Object **items;
        if (!host_items(host, call->args[k], &count, &items)) return host->script->poison;
        for (int i = 0; i < count; i++) set_put(host, call->self, items[i]);
    }
    return nothing(host);
}

/* torch.Size.numel */
static Object *run_numel(Host *host, Object *const *args, const HostCall *call) {
    Object *product = object_int(host->arena, 1);
    (void)args;
    for (int i = 0; i < call->self->num_items; i++)
        product = script_binary(host, OPERATOR_MUL, product, call->self->items[i]);
    return product;
}

/* ---- tables ---- */

static const Native of_lists[] = {
    NATIVE("append", "object", run_append),
    NATIVE("extend", "iterable", run_extend),
    NATIVE("insert", "index, object", run_insert),
    NATIVE("pop", "index?", run_pop),
    NATIVE("remove", "value", run_remove),
    NATIVE("index", "value, start?, stop?", run_index),
    NATIVE("count", "value", run_count),
    NATIVE("reverse", "", run_reverse),
    NATIVE("clear", "", run_clear),
    NATIVE("sort", "*, key?, reverse?", run_sort),
    NATIVE("copy", "", run_copy),
};
static const Native of_tuples[] = {NATIVE("index", "value, start?, stop?", run_index),
                                   NATIVE("count", "value", run_count)};
static const Native of_dicts[] = {
    NATIVE("get", "key, default?", run_get),
    NATIVE("setdefault", "key, default?", run_setdefault),
    NATIVE("pop", "key, default?", run_dict_pop),
    NATIVE("popitem", "last?", run_popitem),
    NATIVE("update", "..", run_update),
    NATIVE("keys", "", run_keys),
    NATIVE("values", "", run_values),
    NATIVE("items", "", run_items),
    NATIVE("clear", "", run_clear),
    NATIVE("copy", "", run_copy),
};
static const Native of_sets[] = {
    NATIVE("add", "element", run_add),
    NATIVE("discard", "element", run_discard),
    NATIVE("remove", "element", run_set_remove),
    NATIVE("union", "..", run_union),
    NATIVE("intersection", "..", run_intersection),
    NATIVE("difference", "..", run_difference),
    NATIVE("symmetric_difference", "other", run_symmetric_difference),
    NATIVE("isdisjoint", "other", run_isdisjoint),
    NATIVE("pop", "", run_set_pop),
    NATIVE("issubset", "other", run_issubset),
    NATIVE("issuperset", "other", run_issuperset),
    NATIVE("update", "..", run_set_update),
    NATIVE("clear", "", run_clear),
    NATIVE("copy", "", run_copy),
};

Object *container_method(Host *host, Object *self, Str name) {
    const Native *rows = NULL;
    int count = 0;
    if (is_set_object(self))
        rows = of_sets, count = COUNT(of_sets);
    else if (self->kind == OBJECT_LIST)
        rows = of_lists, count = COUNT(of_lists);
    else if (self->kind == OBJECT_DICT)
        rows = of_dicts, count = COUNT(of_dicts);
    else if (self->kind == OBJECT_TUPLE)
        rows = of_tuples, count = COUNT(of_tuples);
    for (int i = 0; i < count; i++)
        if (str_is(name, rows[i].name)) return native_new(host, &rows[i], self);
    static const Native numel = NATIVE("numel", "", run_numel);
    if (self->kind == OBJECT_TUPLE && str_is(self->text, "torch.Size") && str_is(name, "numel"))
        return native_new(host, &numel, self);
    if (self->kind == OBJECT_DICT && str_is(name, "move_to_end")) /* OrderedDict is dict */
        return host_refuse(host, "'move_to_end' of an OrderedDict");
    return NULL;
}
