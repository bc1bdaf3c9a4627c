// SPDX-License-Identifier: Apache-2.0
/* builtin_reduce: what looks across lanes: reductions and scans with a combine function, gather,
 * histogram and dot. */
#include "lang/lower.h"

static Object *poison(Lower *l) { return object_error(l->arena); }

/* ---- reduce and associative_scan ---- */

typedef struct Inputs {
    int count;
    Object **tensors;
    bool is_tuple;
} Inputs;

static bool get_inputs(Lower *l, const Call *call, Inputs *inputs) {
    Object *input = call->args[0];
    inputs->is_tuple = input->kind == OBJECT_TUPLE || input->kind == OBJECT_LIST;
    inputs->count = inputs->is_tuple ? input->num_items : 1;
    inputs->tensors = arena_array(l->arena, Object *, inputs->count + 1);
    if (!inputs->count)
        return call_fail(l, call, 0, "'%s' needs a tensor", call->builtin->name), false;
    for (int i = 0; i < inputs->count; i++) {
        Object *item = inputs->is_tuple ? input->items[i] : input;
        if (is_error(item)) return false;
        if (!is_tensor(item) && !object_is_number(item)) {
            call_fail(l, call, 0, "'%s' needs tensors, got %s", call->builtin->name,
                      lower_type_text(l, item));
            return false;
        }
        inputs->tensors[i] = to_tensor(l, item, call->spans[0]);
        if (is_error(inputs->tensors[i])) return false;
        if (!tensor_same_shape(inputs->tensors[0], inputs->tensors[i])) {
            call_fail(l, call, 0, "'%s' needs tensors of one shape, got %s and %s",
                      call->builtin->name, lower_type_text(l, inputs->tensors[0]),
                      lower_type_text(l, inputs->tensors[i]));
            return false;
        }
    }
    return true;
}

static bool collect_results(Lower *l, const Call *call, const Inputs *inputs, Object *result,
                            Value **values) {
    bool tuple = result->kind == OBJECT_TUPLE || result->kind == OBJECT_LIST;
    int count = tuple ? result->num_items : 1;
    if (is_error(result)) return false;
    if (count != inputs->count) {
        call_fail(l, call, 2, "the combine function must return %d value%s, it returns %d",
                  inputs->count, inputs->count == 1 ? "" : "s", count);
        return false;
    }
    for (int i = 0; i < count; i++) {
        Object *item = tuple ? result->items[i] : result;
        LType want = inputs->tensors[i]->ltype;
        if (is_error(item)) return false;
        if (object_is_number(item)) item = constant(l, item, want, call->span);
        if (!is_tensor(item) || is_block(item) || !ltype_same(item->ltype, want)) {
            call_fail(l, call, 2,
                      "the combine function must return the type of its operands, %s, not %s",
                      ltype_text(l, want), lower_type_text(l, item));
            lower_help(l, "cast the input first, or the result with .to(..)");
            return false;
        }
        values[i] = item->value;
    }
    return true;
}

/* The region takes (left.., right..) scalars and yields what the function makes of them. */
static Region *combine_region(Lower *l, const Call *call, const Inputs *inputs) {
    Object *function = call->args[2];
    int count = inputs->count;
    Object **args = arena_array(l->arena, Object *, 2 * count);
    Span *spans = arena_array(l->arena, Span, 2 * count);
    Value **values = arena_array(l->arena, Value *, count);
    if (function->kind != OBJECT_FUNCTION && function->kind != OBJECT_BUILTIN) {
        call_fail(l, call, 2, "the combine function must be a jit function, got %s",
                  lower_type_text(l, function));
        return NULL;
    }
    Region *region = region_new(l->fn), *saved_region = l->builder.region;
    Op *saved_before = l->builder.before;
    Span saved_span = l->builder.span;
    bool saved_flag = l->frame->in_region;
    for (int i = 0; i < 2 * count; i++) {
        const Object *tensor = inputs->tensors[i % count];
        args[i] = tensor_new(l, region_add_arg(l->fn, region, type_lane(tensor->value->type)),
                             tensor->ltype);
        spans[i] = call->spans[0];
    }
    l->builder.region = region, l->builder.before = NULL;
    l->frame->in_region = true;
    Object *result =
        lower_call_object(l, function, 2 * count, args, NULL, spans, call->spans[2], NULL);
    l->builder.span = saved_span;
    bool fine = collect_results(l, call, inputs, result, values);
    if (fine) build_yield(&l->builder, count, values);
    l->frame->in_region = saved_flag;
    l->builder.region = saved_region, l->builder.before = saved_before;
    return fine ? region : NULL;
}

static Object *across(Lower *l, const Inputs *inputs, OpKind kind, int axis, Region *region,
                      bool reverse) {
    int count = inputs->count;
    Value **operands = arena_array(l->arena, Value *, count);
    const Type **types = arena_array(l->arena, const Type *, count);
    Object **results = arena_array(l->arena, Object *, count);
    for (int i = 0; i < count; i++) {
        const Type *type = inputs->tensors[i]->value->type;
        operands[i] = inputs->tensors[i]->value;
        if (kind == OP_SCAN) {
            types[i] = type;
            continue;
        }
        int shape[MAX_RANK], rank = 0;
        for (int d = 0; d < type->rank; d++)
            if (d != axis) shape[rank++] = type->shape[d];
        types[i] = type_tile(l->fn->types, type_lane(type), rank, shape);
    }
    Op *op = build_op(&l->builder, kind, count, operands, count, types, 1, &region);
    if (kind == OP_REDUCE) reduce_set_axis(op, axis);
    if (kind == OP_SCAN) scan_set_axis(op, axis), scan_set_reverse(op, reverse);
    for (int i = 0; i < count; i++)
        results[i] = tensor_new(l, &op->results[i], inputs->tensors[i]->ltype);
    return inputs->is_tuple ? object_tuple(l->arena, count, results) : results[0];
}

static void each(Lower *l, Object *value, int axis, int times) {
    if (value->kind == OBJECT_TUPLE) {
        for (int i = 0; i < value->num_items; i++) each(l, value->items[i], axis, times);
        return;
    }
    Object *tensor = value;
    for (int i = 0; i < times; i++) tensor = expand_dims(l, tensor, times > 1 ? 0 : axis);
    value->value = tensor->value;
}

Object *builtin_reduce(Lower *l, const Call *call) {
    Inputs inputs;
    bool keep;
    if (!get_inputs(l, call, &inputs) || !arg_bool(l, call, 3, &keep)) return poison(l);
    int rank = tensor_rank(inputs.tensors[0]), axis = 0;
    bool all = is_none(call->args[1]);
    if (!all && !axis_argument(l, call->args[1], rank, &axis, call->spans[1])) return poison(l);
    if (all)
        for (int i = 0; i < inputs.count; i++)
            inputs.tensors[i] = reshape(l, inputs.tensors[i], 1,
                                        &inputs.tensors[0]->value->type->lanes, call->span);
    Region *region = combine_region(l, call, &inputs);
    if (!region) return poison(l);
    Object *result = across(l, &inputs, OP_REDUCE, axis, region, false);
    if (keep) each(l, result, axis, all ? rank : 1);
    return result;
}

Object *builtin_scan(Lower *l, const Call *call) {
    Inputs inputs;
    bool reverse;
    int axis;
    if (!get_inputs(l, call, &inputs) || !arg_bool(l, call, 3, &reverse)) return poison(l);
    int rank = tensor_rank(inputs.tensors[0]);
    if (!rank) return call_fail(l, call, 0, "a scan needs a tensor with a dimension, got a scalar");
    if (!axis_argument(l, call->args[1], rank, &axis, call->spans[1])) return poison(l);
    Region *region = combine_region(l, call, &inputs);
    return region ? across(l, &inputs, OP_SCAN, axis, region, reverse) : poison(l);
}

/* ---- gather, histogram ---- */

Object *builtin_gather(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0), *index = arg_tensor(l, call, 1);
    int axis;
    if (!x || !index) return poison(l);
    int rank = tensor_rank(x);
    if (!ltype_is_int(index->ltype))
        return call_fail(l, call, 1, "the index of 'gather' must be integers, got %s",
                         lower_type_text(l, index));
    if (!rank || tensor_rank(index) != rank)
        return call_fail(l, call, 1, "'gather' needs an index of the same rank, got %s and %s",
                         lower_type_text(l, x), lower_type_text(l, index));
    if (!axis_argument(l, call->args[2], rank, &axis, call->spans[2])) return poison(l);
    for (int d = 0; d < rank; d++)
        if (d != axis && tensor_shape(x)[d] != tensor_shape(index)[d])
            return call_fail(l, call, 1, "dimension %d of the index must match: %s and %s", d,
                             lower_type_text(l, x), lower_type_text(l, index));
    const Type *type = type_with_elem(l->fn->types, index->value->type, type_lane(x->value->type));
    Op *op =
        build_op(&l->builder, OP_GATHER, 2, (Value *[]){x->value, index->value}, 1, &type, 0, NULL);
    gather_set_axis(op, axis);
    return tensor_like(l, x, op_result(op));
}

Object *builtin_histogram(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0), *mask = NULL;
    int64_t bins;
    if (!x || !arg_int(l, call, 1, &bins)) return poison(l);
    if (tensor_rank(x) != 1)
        return call_fail(l, call, 0, "'histogram' needs one dimension, got %s",
                         lower_type_text(l, x));
    if (!ltype_is_int(x->ltype))
        return call_fail(l, call, 0, "'histogram' needs integers, got %s", lower_type_text(l, x));
    if (bins > MAX_LANES)
        return call_fail(l, call, 1, "%lld bins are more than the limit of %d", (long long)bins,
                         MAX_LANES);
    if (bins < 1 || (bins & (bins - 1)))
        return call_fail(l, call, 1, "the number of bins must be a power of 2, got %lld",
                         (long long)bins);
    if (!is_none(call->args[2])) {
        mask = arg_mask(l, call, 2);
        if (!mask) return poison(l);
        mask = broadcast_to_shape(l, mask, 1, tensor_shape(x), call->span);
        if (is_error(mask)) return mask;
    }
    int count = (int)bins;
    const Type *type = type_tile(l->fn->types, type_scalar(TYPE_I32), 1, &count);
    Value *operands[2] = {x->value, mask ? mask->value : NULL};
    Op *op = build_op(&l->builder, OP_HISTOGRAM, mask ? 2 : 1, operands, 1, &type, 0, NULL);
    histogram_set_bins(op, bins);
    return tensor_new(l, op_result(op), ltype_of(DTYPE_INT32));
}

/* ---- dot ---- */

static bool precision_named(Lower *l, const Call *call, int *precision) {
    bool given = !is_none(call->args[3]), tf32 = true;
    if (given && !is_none(call->args[4])) {
        call_fail(l, call, 4, "only one of input_precision and allow_tf32 may be given");
        return false;
    }
    Str text = str_of(l->options->dot_precision ? l->options->dot_precision : "");
    if (!given && !is_none(call->args[4]) && !arg_bool(l, call, 4, &tf32)) return false;
    if (!given && !text.length) {
        *precision = tf32 ? PRECISION_TF32 : PRECISION_IEEE;
        return true;
    }
    if (given && !arg_text(l, call, 3, &text)) return false;
    char *lower = arena_array(l->arena, char, text.length + 1);
    for (int i = 0; i < text.length; i++)
        lower[i] =
            text.data[i] >= 'A' && text.data[i] <= 'Z' ? (char)(text.data[i] + 32) : text.data[i];
    *precision = attr_from_word(ATTR_PRECISION, (Str){lower, text.length});
    if (*precision >= 0) return true;
    call_fail(l, call, 3,
              "unknown input_precision '%.*s': 'tf32', 'tf32x3', 'ieee', 'bf16x3' and 'bf16x6' are "
              "possible",
              STR_ARG(text));
    return false;
}

static bool dot_types(Lower *l, const Call *call, const Object *a, const Object *b) {
    static const DType possible[] = {DTYPE_INT8, DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32,
                                     DTYPE_FLOAT64};
    const Object *both[] = {a, b};
    if (ltype_is_fp8(a->ltype) && ltype_is_fp8(b->ltype)) return true;
    for (int i = 0; i < 2; i++) {
        bool fine = false;
        for (int k = 0; k < COUNT(possible); k++) fine |= ltype_is(both[i]->ltype, possible[k]);
        if (fine) continue;
        call_fail(l, call, i, "tl.dot does not support %s", ltype_text(l, both[i]->ltype));
        if (ltype_is(both[i]->ltype, DTYPE_UINT8))
            lower_help(l, "of the 8-bit integers only int8 is supported");
        return false;
    }
    if (ltype_same(a->ltype, b->ltype)) return true;
    call_fail(l, call, 1, "tl.dot needs operands of one type, got %s and %s",
              ltype_text(l, a->ltype), ltype_text(l, b->ltype));
    lower_help(l, "cast one of them with .to(..)");
    return false;
}

/* The least K that tensor cores have for the width. */
static int least_k(LType type) {
    int bits = ltype_bits(type);
    return bits == 8 ? 32 : bits == 16 ? 16 : bits == 32 ? 8 : 4;
}

static bool dot_shapes(Lower *l, const Call *call, const Object *a, const Object *b, int *shape) {
    int rank = tensor_rank(a);
    const int *m = tensor_shape(a), *n = tensor_shape(b);
    if (rank != tensor_rank(b) || rank < 2 || rank > 3) {
        call_fail(l, call, WHOLE_CALL,
                  "tl.dot needs two tensors of 2 or 3 dimensions, got %s and %s",
                  lower_type_text(l, a), lower_type_text(l, b));
        return false;
    }
    if (m[rank - 1] != n[rank - 2] || (rank == 3 && m[0] != n[0])) {
        call_fail(
            l, call, -1,
            "the shapes of tl.dot do not fit: %s and %s (columns of the first, rows of the second)",
            lower_shape_text(l, rank, m), lower_shape_text(l, rank, n));
        return false;
    }
    if (m[rank - 1] < least_k(a->ltype)) {
        call_fail(l, call, WHOLE_CALL, "tl.dot of %s needs K >= %d, got %d",
                  ltype_text(l, a->ltype), least_k(a->ltype), m[rank - 1]);
        return false;
    }
    int64_t most = 0;
    if (!is_none(call->args[5]) && !arg_int(l, call, 5, &most)) return false;
    if (ltype_is_fp8(a->ltype) && ltype_is_fp8(b->ltype) && most > m[rank - 1]) {
        call_fail(l, call, 5, "max_num_imprecise_acc is %lld, but K is %d", (long long)most,
                  m[rank - 1]);
        lower_help(l, "it is at most K; None leaves it to the target");
        return false;
    }
    if (rank == 3) shape[0] = m[0];
    shape[rank - 2] = m[rank - 2], shape[rank - 1] = n[rank - 1];
    return true;
}

static bool dot_result_type(Lower *l, const Call *call, const Object *a, LType *type) {
    LType out = ltype_of(DTYPE_FLOAT32);
    if (is_tensor(call->args[2])) out = call->args[2]->ltype;
    if (!is_none(call->args[6]) && !arg_type(l, call, 6, &out)) return false;
    if (ltype_is_int(a->ltype)) return *type = ltype_of(DTYPE_INT32), true;
    if (ltype_is(out, DTYPE_BFLOAT16)) {
        call_fail(l, call, is_none(call->args[6]) ? 2 : 6,
                  "a tl.dot result of bf16 is not supported");
        lower_help(l, "use fp32 or fp16 and cast with .to(tl.bfloat16)");
        return false;
    }
    if (ltype_is(a->ltype, DTYPE_FLOAT32) || ltype_is(a->ltype, DTYPE_BFLOAT16))
        return *type = ltype_of(DTYPE_FLOAT32), true;
    if (ltype_is(a->ltype, DTYPE_FLOAT64)) return *type = ltype_of(DTYPE_FLOAT64), true;
    if (!ltype_is(out, DTYPE_FLOAT16) && !ltype_is(out, DTYPE_FLOAT32)) {
        call_fail(l, call, 6, "a tl.dot of %s gives fp32 or fp16, not %s", ltype_text(l, a->ltype),
                  ltype_text(l, out));
        return false;
    }
    *type = out;
    return true;
}

Object *builtin_dot(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1), *acc = call->args[2];
    int precision, shape[MAX_RANK];
    LType type;
    if (!a || !b) return poison(l);
    if (!is_block(a) || !is_block(b))
        return call_fail(l, call, is_block(a) ? 1 : 0,
                         "the operands of tl.dot must be tensors, not scalars");
    if (!dot_types(l, call, a, b) || !precision_named(l, call, &precision) ||
        !dot_shapes(l, call, a, b, shape) || !dot_result_type(l, call, a, &type) ||
        !tile_fits(l, tensor_rank(a), shape, call->span))
        return poison(l);
    if (l->frame->in_region)
        return call_fail(l, call, WHOLE_CALL, "tl.dot is not possible in a combine function");
    int rank = tensor_rank(a);
    if (ltype_is_fp8(a->ltype) && (!ltype_same(a->ltype, b->ltype) || !is_none(call->args[5]))) {
        /* Each fp8 value is an fp16 value: mixed kinds meet there; and no sum of fp16 products is
         * imprecise, as those of fp8 are on sm_90. */
        a = cast(l, a, ltype_of(DTYPE_FLOAT16), call->span),
        b = cast(l, b, ltype_of(DTYPE_FLOAT16), call->span);
    }
    if (is_none(acc)) {
        acc = splat_to(l, constant(l, object_int(l->arena, 0), type, call->span), rank, shape);
    } else if (!is_tensor(acc) || tensor_rank(acc) != rank ||
               memcmp(tensor_shape(acc), shape, sizeof(int) * (size_t)rank) ||
               !ltype_same(acc->ltype, type)) {
        return call_fail(l, call, 2, "the accumulator of this tl.dot must be %s%s, got %s",
                         ltype_text(l, type), lower_shape_text(l, rank, shape),
                         lower_type_text(l, acc));
    }
    if (!ltype_is(a->ltype, DTYPE_FLOAT32)) precision = PRECISION_IEEE;
    Value *operands[3] = {a->value, b->value, acc->value};
    Op *op = build_op(&l->builder, OP_DOT, 3, operands, 1, &acc->value->type, 0, NULL);
    dot_set_precision(op, precision);
    return tensor_new(l, op_result(op), type);
}
