// SPDX-License-Identifier: Apache-2.0
/* builtin_shape: tl functions that make tensors and change shapes and types. */
#include "lang/lower.h"

static Object *poison(Lower *l) { return object_error(l->arena); }

Object *builtin_program_id(Lower *l, const Call *call) {
    int64_t axis;
    if (!arg_int(l, call, 0, &axis)) return poison(l);
    if (axis < 0 || axis > 2)
        return call_fail(l, call, 0, "the axis of '%s' must be 0, 1 or 2, got %lld",
                         call->builtin->name, (long long)axis);
    bool id = !strcmp(call->builtin->name, "program_id");
    Value *value =
        id ? build_program_id(&l->builder, (int)axis) : build_num_programs(&l->builder, (int)axis);
    return tensor_new(l, value, ltype_of(DTYPE_INT32));
}

Object *builtin_arange(Lower *l, const Call *call) {
    for (int i = 0; i < 2; i++) {
        if (object_is_integral(call->args[i])) continue;
        Object *bad =
            call_fail(l, call, i, "the arguments of 'arange' must be tl.constexpr, got %s",
                      lower_type_text(l, call->args[i]));
        if (is_tensor(call->args[i]))
            lower_help(l, "declare the parameter as tl.constexpr, or write 'name: tl.constexpr = "
                          "..' where it is "
                          "assigned");
        return bad;
    }
    int128 start = call->args[0]->integer, end = call->args[1]->integer, count = end - start;
    if (start < INT32_MIN || end > INT32_MAX || start > INT32_MAX)
        return call_fail(l, call, WHOLE_CALL, "the values of 'arange' must fit in int32");
    if (count <= 0)
        return call_fail(l, call, WHOLE_CALL,
                         "the end of 'arange' must be greater than the start: %lld and %lld",
                         (long long)start, (long long)end);
    if (count & (count - 1)) {
        Object *bad =
            call_fail(l, call, WHOLE_CALL, "the range of 'arange' must be a power of 2, got %lld",
                      (long long)count);
        lower_help(l,
                   "take the next power of 2 (triton.next_power_of_2) and mask what is too much");
        return bad;
    }
    if (count > MAX_LANES)
        return call_fail(l, call, WHOLE_CALL,
                         "a tensor of %lld elements is larger than the limit of %d",
                         (long long)count, MAX_LANES);
    return tensor_new(l, build_arange(&l->builder, (int)start, (int)end), ltype_of(DTYPE_INT32));
}

static Object *make_full(Lower *l, const Call *call, Object *value, int type_arg) {
    int rank, shape[MAX_RANK];
    LType type;
    if (!shape_argument(l, call->args[0], &rank, shape, call->spans[0], "the shape"))
        return poison(l);
    if (!arg_type(l, call, type_arg, &type)) return poison(l);
    if (is_tensor(value)) {
        if (value->value->type->lanes != 1)
            return call_fail(l, call, 1, "the value of 'full' must be a scalar, got %s",
                             lower_type_text(l, value));
        if (is_block(value)) value = reshape(l, value, 0, NULL, call->span);
        value = cast(l, value, type, call->span);
    } else if (object_is_number(value))
        value = constant(l, value, type, call->spans[1]);
    else
        return call_fail(l, call, 1, "the value of 'full' must be a number or a scalar, got %s",
                         lower_type_text(l, value));
    return is_error(value) ? value : splat_to(l, value, rank, shape);
}

Object *builtin_full(Lower *l, const Call *call) { return make_full(l, call, call->args[1], 2); }

Object *builtin_zeros(Lower *l, const Call *call) {
    return make_full(l, call, object_int(l->arena, 0), 1);
}

Object *builtin_zeros_like(Lower *l, const Call *call) {
    Object *like = arg_tensor(l, call, 0);
    if (!like) return poison(l);
    Object *zero = constant(l, object_int(l->arena, 0), like->ltype, call->span);
    return is_error(zero) ? zero : splat_to(l, zero, tensor_rank(like), tensor_shape(like));
}

Object *builtin_to_tensor(Lower *l, const Call *call) {
    Object *value = arg_tensor(l, call, 0);
    return value ? value : poison(l);
}

/* ---- shapes ---- */

Object *builtin_broadcast(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    if (!a || !b || !broadcast_pair(l, &a, &b, call->span)) return poison(l);
    return object_tuple(l->arena, 2, (Object *[]){a, b});
}

/* f(x, 2, 4), f(x, (2, 4)) and f(x, shape) mean the same. */
static Object *spread(const Call *call, int arg) {
    Object *all = call->args[arg];
    if (all->num_items == 1 &&
        (all->items[0]->kind == OBJECT_TUPLE || all->items[0]->kind == OBJECT_LIST))
        return all->items[0];
    return all;
}

Object *builtin_broadcast_to(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    int rank, shape[MAX_RANK];
    if (!x || !shape_argument(l, spread(call, 1), &rank, shape, call->spans[1], "the shape"))
        return poison(l);
    return broadcast_to_shape(l, x, rank, shape, call->span);
}

Object *builtin_reshape(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    int rank, shape[MAX_RANK];
    if (!x || !shape_argument(l, spread(call, 1), &rank, shape, call->spans[1], "the shape"))
        return poison(l);
    return reshape(l, x, rank, shape, call->span);
}

Object *builtin_ravel(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    return x ? reshape(l, x, 1, &x->value->type->lanes, call->span) : poison(l);
}

Object *builtin_item(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    if (!x) return poison(l);
    if (x->value->type->lanes != 1)
        return call_fail(l, call, 0, "'item' needs a tensor of one element, got %s",
                         lower_type_text(l, x));
    return reshape(l, x, 0, NULL, call->span);
}

Object *builtin_trans(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    if (!x) return poison(l);
    int rank = tensor_rank(x), order[MAX_RANK];
    Object *dims = spread(call, 1);
    if (!dims->num_items && !strcmp(call->builtin->name, "trans")) {
        if (rank < 2)
            return call_fail(l, call, 0, "'trans' needs two dimensions or more, got %s",
                             lower_type_text(l, x));
        for (int i = 0; i < rank; i++) order[i] = i;
        order[rank - 2] = rank - 1, order[rank - 1] = rank - 2;
        return tensor_like(l, x, build_trans(&l->builder, x->value, order));
    }
    if (dims->num_items != rank)
        return call_fail(l, call, 1, "'%s' needs %d dimensions, got %d", call->builtin->name, rank,
                         dims->num_items);
    unsigned seen = 0;
    for (int i = 0; i < rank; i++) {
        if (!axis_argument(l, dims->items[i], rank, &order[i], call->spans[1])) return poison(l);
        if (seen >> order[i] & 1)
            return call_fail(l, call, 1,
                             "the dimensions of '%s' must be a permutation: %d is there twice",
                             call->builtin->name, order[i]);
        seen |= 1u << order[i];
    }
    return tensor_like(l, x, build_trans(&l->builder, x->value, order));
}

Object *builtin_expand_dims(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0), *axes = call->args[1];
    Object *const *items = axes->items;
    int count = axes->num_items;
    if (!x) return poison(l);
    if (axes->kind != OBJECT_TUPLE && axes->kind != OBJECT_LIST) items = &call->args[1], count = 1;
    int rank = tensor_rank(x) + count;
    unsigned want = 0;
    if (rank > MAX_RANK)
        return lower_refused(l, call->spans[1], "the result has %d dimensions, tern supports %d",
                             rank, MAX_RANK);
    for (int i = 0; i < count; i++) {
        int axis;
        if (!axis_argument(l, items[i], rank, &axis, call->spans[1])) return poison(l);
        if (want >> axis & 1) return call_fail(l, call, 1, "'expand_dims' got axis %d twice", axis);
        want |= 1u << axis;
    }
    for (int axis = 0; axis < rank; axis++)
        if (want >> axis & 1) x = expand_dims(l, x, axis);
    return x;
}

static Object *join(Lower *l, Object *a, Object *b, Span span) {
    if (!coerce_pair(l, &a, &b, NO_ARITHMETIC | ALLOW_POINTER_A | ALLOW_POINTER_B, span))
        return poison(l);
    if (!ltype_same(a->ltype, b->ltype))
        return lower_error(l, span, "'join' needs two tensors of one type, got %s and %s",
                           ltype_text(l, a->ltype), ltype_text(l, b->ltype));
    bool scalars = !is_block(a);
    if (scalars) a = expand_dims(l, a, 0), b = expand_dims(l, b, 0);
    int rank = tensor_rank(a);
    int shape[MAX_RANK + 1];
    memcpy(shape, tensor_shape(a), sizeof(int) * (size_t)rank);
    shape[rank] = 2;
    if (!tile_fits(l, rank + 1, shape, span)) return poison(l);
    const Type *type = type_tile(l->fn->types, type_lane(a->value->type), rank + 1, shape);
    Op *op = build_op(&l->builder, OP_JOIN, 2, (Value *[]){a->value, b->value}, 1, &type, 0, NULL);
    Object *result = tensor_like(l, a, op_result(op));
    return scalars ? reshape(l, result, 1, (int[]){2}, span) : result;
}

Object *builtin_join(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    return a && b ? join(l, a, b, call->span) : poison(l);
}

Object *builtin_split(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    if (!x) return poison(l);
    int rank = tensor_rank(x);
    if (!rank || tensor_shape(x)[rank - 1] != 2)
        return call_fail(l, call, 0, "'split' needs a last dimension of 2, got %s",
                         lower_type_text(l, x));
    const Type *half =
        type_tile(l->fn->types, type_lane(x->value->type), rank - 1, tensor_shape(x));
    Op *op =
        build_op(&l->builder, OP_SPLIT, 1, &x->value, 2, (const Type *[]){half, half}, 0, NULL);
    return object_tuple(
        l->arena, 2,
        (Object *[]){tensor_like(l, x, &op->results[0]), tensor_like(l, x, &op->results[1])});
}

Object *builtin_interleave(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    Object *joined = a && b ? join(l, a, b, call->span) : poison(l);
    if (is_error(joined) || tensor_rank(joined) == 1) return joined;
    int rank = tensor_rank(joined) - 1, shape[MAX_RANK];
    memcpy(shape, tensor_shape(joined), sizeof(int) * (size_t)rank);
    shape[rank - 1] *= 2;
    return reshape(l, joined, rank, shape, call->span);
}

/* join, then the new dimension moves before dim and is merged with it. */
Object *builtin_cat(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    int dim;
    if (!a || !b) return poison(l);
    int rank = tensor_rank(a);
    if (!rank || !axis_argument(l, call->args[3], rank, &dim, call->spans[3]))
        return rank ? poison(l) : call_fail(l, call, 0, "'cat' needs tensors with a dimension");
    if (!tensor_same_shape(a, b))
        return call_fail(l, call, 1, "'cat' needs tensors of one shape, got %s and %s",
                         lower_type_text(l, a), lower_type_text(l, b));
    Object *joined = join(l, a, b, call->span);
    if (is_error(joined)) return joined;
    int order[MAX_RANK], shape[MAX_RANK];
    for (int i = 0, at = 0; i <= rank; i++) order[i] = i == dim ? rank : at++;
    memcpy(shape, tensor_shape(a), sizeof(int) * (size_t)rank);
    shape[dim] *= 2;
    joined = tensor_like(l, joined, build_trans(&l->builder, joined->value, order));
    return reshape(l, joined, rank, shape, call->span);
}

Object *builtin_squeeze(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    int axis, rank, shape[MAX_RANK];
    bool grow = !strcmp(call->builtin->name, "unsqueeze");
    if (!x) return poison(l);
    rank = tensor_rank(x);
    if (!axis_argument(l, call->args[1], rank + grow, &axis, call->spans[1])) return poison(l);
    if (grow)
        return rank < MAX_RANK ? expand_dims(l, x, axis)
                               : lower_refused(l, call->spans[0],
                                               "a tensor of %d dimensions, "
                                               "tern supports %d",
                                               rank + 1, MAX_RANK);
    if (tensor_shape(x)[axis] != 1)
        return call_fail(l, call, 1, "dimension %d of %s is not 1", axis, lower_type_text(l, x));
    for (int i = 0, at = 0; i < rank; i++)
        if (i != axis) shape[at++] = tensor_shape(x)[i];
    return reshape(l, x, rank - 1, shape, call->span);
}

/* r[i] = x[i ^ mask] over the flattened tile; for the library's sort and flip. */
Object *builtin_exchange(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    int64_t mask;
    bool sorts;
    if (!x || !arg_int(l, call, 1, &mask) || !arg_bool(l, call, 2, &sorts)) return poison(l);
    if (!is_block(x)) return x;
    Value *value = build_1(&l->builder, OP_SORT_STEP, x->value);
    sort_step_set_mask(value->def, mask);
    sort_step_set_sorts(value->def, sorts);
    return tensor_like(l, x, value);
}

/* ---- types ---- */

Object *builtin_cast(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    LType type;
    Str rounding;
    bool as_bits;
    if (!x || !arg_type(l, call, 1, &type) || !arg_text(l, call, 2, &rounding) ||
        !arg_bool(l, call, 3, &as_bits))
        return poison(l);
    if (ltype_is(type, DTYPE_VOID)) return call_fail(l, call, 1, "cannot cast to void");
    if (as_bits) return bitcast(l, x, type, call->span);
    if (!rounding.length) return cast(l, x, type, call->span);
    int mode = str_is(rounding, "rtne") ? ROUND_RTNE : str_is(rounding, "rtz") ? ROUND_RTZ : -1;
    if (mode < 0)
        return call_fail(l, call, 2, "unknown rounding '%.*s': 'rtne' and 'rtz' are possible",
                         STR_ARG(rounding));
    if (ltype_same(x->ltype, type)) return x;
    if (!ltype_is_float(x->ltype) || !ltype_is_float(type) ||
        ltype_bits(type) >= ltype_bits(x->ltype))
        return call_fail(
            l, call, 2,
            "fp_downcast_rounding is only for casts to a narrower float, not from %s to %s",
            ltype_text(l, x->ltype), ltype_text(l, type));
    return cast_rounding(l, x, type, mode, call->span);
}
