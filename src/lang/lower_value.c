// SPDX-License-Identifier: Apache-2.0
/* lower_value: values as lists of the tensors in them, to carry tuples, block pointers and
 * descriptors through loops and ifs; compile-time parts must stay what they are. */
#include "lang/lower.h"

static bool has_items(const Object *object) {
    return object->kind == OBJECT_TUPLE || object->kind == OBJECT_LIST ||
           object->kind == OBJECT_BLOCK_POINTER || object->kind == OBJECT_DESCRIPTOR;
}

bool holds_tensor(const Object *object) {
    if (is_tensor(object)) return true;
    if (!has_items(object)) return false;
    for (int i = 0; i < object->num_items; i++)
        if (holds_tensor(object->items[i])) return true;
    return false;
}

bool holds_error(const Object *object) {
    if (is_error(object)) return true;
    if (!has_items(object)) return false;
    for (int i = 0; i < object->num_items; i++)
        if (holds_error(object->items[i])) return true;
    return false;
}

static int count_tensors(const Object *object) {
    int count = is_tensor(object);
    if (has_items(object))
        for (int i = 0; i < object->num_items; i++) count += count_tensors(object->items[i]);
    return count;
}

static void fill(const Object *object, Flat *flat) {
    if (is_tensor(object))
        flat->values[flat->count++] = object->value;
    else if (has_items(object))
        for (int i = 0; i < object->num_items; i++) fill(object->items[i], flat);
}

bool flatten(Lower *l, const Object *object, Flat *flat) {
    int count = count_tensors(object);
    if (count > MAX_FLAT) {
        lower_error(l, object->span, "a tuple with more than %d tensors is not supported here",
                    MAX_FLAT);
        return false;
    }
    flat->values = arena_array(l->arena, Value *, count ? count : 1);
    flat->count = 0;
    fill(object, flat);
    return true;
}

Object *unflatten(Lower *l, const Object *like, Value *const *values, int *next) {
    if (!is_tensor(like) && !has_items(like)) return (Object *)(uintptr_t)like;
    Object *object = object_new(l->arena, like->kind);
    *object = *like;
    if (is_tensor(like)) {
        object->value = values[(*next)++];
        return object;
    }
    object->items = arena_array(l->arena, Object *, like->num_items ? like->num_items : 1);
    for (int i = 0; i < like->num_items; i++)
        object->items[i] = unflatten(l, like->items[i], values, next);
    return object;
}

bool same_shape_of_value(const Object *a, const Object *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (is_tensor(a)) return ltype_same(a->ltype, b->ltype) && a->value->type == b->value->type;
    if (!has_items(a)) return object_equal(a, b);
    if (a->num_items != b->num_items || a->of_class != b->of_class) return false;
    for (int i = 0; i < a->num_items; i++)
        if (!same_shape_of_value(a->items[i], b->items[i])) return false;
    return true;
}

bool same_values(const Object *a, const Object *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (is_tensor(a))
        return ltype_same(a->ltype, b->ltype) && value_resolve(a->value) == value_resolve(b->value);
    if (!has_items(a)) return object_equal(a, b);
    if (a->num_items != b->num_items) return false;
    for (int i = 0; i < a->num_items; i++)
        if (!same_values(a->items[i], b->items[i])) return false;
    return true;
}
