// SPDX-License-Identifier: Apache-2.0
/* semantic_shape: shapes, broadcasting and indexing of tensors.
 *
 * Ranks are made equal by dimensions of 1 in front, a scalar is splat, dimensions of 1 repeat.
 * Every dimension is a power of two and a tile has at most 2^20 lanes. */
#include "lang/lower.h"

#include <stdio.h>

static bool power_of_two(int128 n) { return n > 0 && (n & (n - 1)) == 0; }

/* False after a diagnostic: a tile of this shape would be larger than any can be. */
bool tile_fits(Lower *l, int rank, const int *shape, Span span) {
    int64_t lanes = 1;
    for (int i = 0; i < rank && lanes <= MAX_LANES; i++) lanes *= shape[i];
    if (rank <= MAX_RANK && lanes <= MAX_LANES) return true;
    if (rank > MAX_RANK)
        lower_refused(l, span, "a tensor of %d dimensions, tern supports %d", rank, MAX_RANK);
    else
        lower_error(l, span, "a tensor of shape %s is larger than the limit of %d elements",
                    lower_shape_text(l, rank, shape), MAX_LANES);
    return false;
}

Object *splat_to(Lower *l, Object *scalar, int rank, const int *shape) {
    if (!rank) return scalar;
    return tensor_like(l, scalar, build_splat(&l->builder, scalar->value, rank, shape));
}

Object *expand_dims(Lower *l, Object *tensor, int axis) {
    if (!is_block(tensor)) return splat_to(l, tensor, 1, (int[]){1});
    return tensor_like(l, tensor, build_expand_dims(&l->builder, tensor->value, axis));
}

static Object *with_rank(Lower *l, Object *tensor, int rank) {
    while (tensor_rank(tensor) < rank) tensor = expand_dims(l, tensor, 0);
    return tensor;
}

static void shape_note(Lower *l, const Object *tensor, const char *which) {
    if (!tensor->span.source || tensor->span.end <= tensor->span.start) return;
    lower_note(l, tensor->span, "the %s operand gets its shape %s here", which,
               lower_shape_text(l, tensor_rank(tensor), tensor_shape(tensor)));
}

bool broadcast_pair(Lower *l, Object **a, Object **b, Span span) {
    Object *left = *a, *right = *b;
    if (is_error(left) || is_error(right)) return false;
    if (tensor_same_shape(left, right)) return true;
    if (!is_block(right)) {
        *b = splat_to(l, right, tensor_rank(left), tensor_shape(left));
        return true;
    }
    if (!is_block(left)) {
        *a = splat_to(l, left, tensor_rank(right), tensor_shape(right));
        return true;
    }
    int rank_a = tensor_rank(left), rank_b = tensor_rank(right);
    int rank = rank_a > rank_b ? rank_a : rank_b, shape[MAX_RANK];
    for (int i = 0; i < rank; i++) {
        int m = i < rank - rank_a ? 1 : tensor_shape(left)[i - (rank - rank_a)];
        int n = i < rank - rank_b ? 1 : tensor_shape(right)[i - (rank - rank_b)];
        if (m != n && m != 1 && n != 1) {
            lower_error(l, span, "shapes do not broadcast: %s and %s",
                        lower_shape_text(l, rank_a, tensor_shape(left)),
                        lower_shape_text(l, rank_b, tensor_shape(right)));
            shape_note(l, left, "left");
            shape_note(l, right, "right");
            return false;
        }
        shape[i] = m == 1 ? n : m;
    }
    if (!tile_fits(l, rank, shape, span)) return false;
    left = with_rank(l, left, rank), right = with_rank(l, right, rank);
    *a = tensor_like(l, left, build_broadcast(&l->builder, left->value, shape));
    *b = tensor_like(l, right, build_broadcast(&l->builder, right->value, shape));
    return true;
}

Object *broadcast_to_shape(Lower *l, Object *tensor, int rank, const int *shape, Span span) {
    if (is_error(tensor)) return tensor;
    if (!is_block(tensor)) return splat_to(l, tensor, rank, shape);
    const char *from = lower_shape_text(l, tensor_rank(tensor), tensor_shape(tensor));
    if (tensor_rank(tensor) != rank)
        return lower_error(l, span, "cannot broadcast %s to %s: the ranks differ", from,
                           lower_shape_text(l, rank, shape));
    for (int i = 0; i < rank; i++)
        if (tensor_shape(tensor)[i] != shape[i] && tensor_shape(tensor)[i] != 1)
            return lower_error(l, span,
                               "cannot broadcast %s to %s: dimension %d is neither 1 nor %d", from,
                               lower_shape_text(l, rank, shape), i, shape[i]);
    return tensor_like(l, tensor, build_broadcast(&l->builder, tensor->value, shape));
}

Object *reshape(Lower *l, Object *tensor, int rank, const int *shape, Span span) {
    if (is_error(tensor)) return tensor;
    int64_t lanes = 1;
    for (int i = 0; i < rank; i++) lanes *= shape[i];
    if (lanes != tensor->value->type->lanes)
        return lower_error(l, span, "cannot reshape %s to %s: the number of elements changes",
                           lower_shape_text(l, tensor_rank(tensor), tensor_shape(tensor)),
                           lower_shape_text(l, rank, shape));
    if (rank == 0 && !is_block(tensor)) return tensor;
    return tensor_like(l, tensor, build_reshape(&l->builder, tensor->value, rank, shape));
}

/* A list, tuple or single int of positive powers of two. */
bool shape_argument(Lower *l, Object *value, int *rank, int *shape, Span span, const char *what) {
    if (is_error(value)) return false;
    Object *const *items = value->items;
    int count = value->num_items;
    if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST) items = &value, count = 1;
    if (count > MAX_RANK) {
        lower_refused(l, span, "%s has %d dimensions, tern supports %d", what, count, MAX_RANK);
        return false;
    }
    int64_t lanes = 1;
    for (int i = 0; i < count; i++) {
        const Object *item = items[i];
        if (is_error(item)) return false;
        if (!object_is_integral(item)) {
            lower_error(l, span, "each dimension of %s must be a compile-time int, got %s", what,
                        lower_type_text(l, item));
            if (is_tensor(item))
                lower_help(l, "a plain assignment makes a run-time value: declare the parameter or "
                              "the variable as tl.constexpr");
            return false;
        }
        if (!power_of_two(item->integer)) {
            lower_error(l, span, "dimension %d of %s is %lld, not a power of two", i, what,
                        (long long)item->integer);
            return false;
        }
        if (item->integer > MAX_LANES || (lanes *= (int64_t)item->integer) > MAX_LANES) {
            lower_error(l, span, "%s has more than %d elements", what, MAX_LANES);
            return false;
        }
        shape[i] = (int)item->integer;
    }
    *rank = count;
    return true;
}

bool axis_argument(Lower *l, Object *value, int rank, int *axis, Span span) {
    if (is_error(value)) return false;
    if (!object_is_integral(value)) {
        lower_error(l, span, "the axis must be a compile-time int, got %s",
                    lower_type_text(l, value));
        return false;
    }
    if (value->integer < -rank || value->integer >= rank) {
        lower_error(l, span, "axis %lld is out of range for %d dimension%s",
                    (long long)value->integer, rank, rank == 1 ? "" : "s");
        if (rank)
            lower_help(l, "axes are counted from 0 to %d, or from the end from -1 to -%d", rank - 1,
                       rank);
        return false;
    }
    *axis = (int)value->integer + (value->integer < 0 ? rank : 0);
    return true;
}

Object *shape_object(Lower *l, int rank, const int *shape) {
    Object *items[MAX_RANK];
    for (int i = 0; i < rank; i++) items[i] = object_int(l->arena, shape[i]);
    return object_tuple(l->arena, rank, items);
}

static bool full_slice(const Object *index) {
    if (index->kind != OBJECT_SLICE) return false;
    for (int i = 0; i < index->num_items; i++)
        if (index->items[i] && !is_none(index->items[i])) return false;
    return true;
}

/* x[None, :, None]: each ':' takes the next dimension, each None makes one. As in Triton, a ':'
 * for which there is no dimension counts for nothing: scalar[:, None] is a tile of one. */
Object *subscript_tensor(Lower *l, Object *tensor, Object *index, Span span) {
    Object *const *items = &index;
    int count = 1, used = 0;
    if (is_error(index)) return index;
    if (l->map) return lower_refused(l, span, "indexing in map_elementwise is not supported");
    if (index->kind == OBJECT_TUPLE) items = index->items, count = index->num_items;
    for (int i = 0; i < count; i++) {
        const Object *item = items[i];
        if (is_error(item)) return object_error(l->arena);
        if (full_slice(item))
            used++;
        else if (!is_none(item)) {
            Object *poison =
                lower_error(l, span, "a tensor can be indexed with ':' and None only, got %s",
                            lower_type_text(l, item));
            lower_help(l,
                       "select elements with masks and tl.sum or tl.where, or load what you need "
                       "from memory");
            return poison;
        }
    }
    int rank = tensor_rank(tensor);
    if (rank + count - used > MAX_RANK)
        return lower_refused(l, span, "a tensor of %d dimensions, tern supports %d",
                             rank + count - used, MAX_RANK);
    for (int i = 0; i < count; i++) {
        if (!is_none(items[i])) continue;
        if (is_block(tensor) && i > tensor_rank(tensor))
            return lower_error(l, span, "too many ':' before a None for %d dimension%s", rank,
                               rank == 1 ? "" : "s");
        tensor = expand_dims(l, tensor, i);
    }
    return tensor;
}
