// SPDX-License-Identifier: Apache-2.0
/* semantic_types: which type an operation works in, and how values get there.
 *
 * The tables are Triton's: a literal operand is weak (it takes the tensor's type when its kind,
 * bool < int < float, is not above the tensor's); i64 with f32 gives f32; any int with bf16 gives
 * f32; / and % of f16 and bf16 work in f32. */
#include "lang/lower.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

LType ltype_element(LType pointer) { return (LType){pointer.dtype, pointer.levels - 1, false}; }

int ltype_bits(LType type) { return type.levels ? 64 : dtype_bits(type.dtype); }

const Type *lane_type(Lower *l, LType type) { return ltype_ir(l->fn->types, type); }

const char *ltype_text(Lower *l, LType type) {
    Buf buf = {.arena = l->arena};
    ltype_print(&buf, type);
    return buf.data ? buf.data : "";
}

Object *tensor_new(Lower *l, Value *value, LType type) {
    Object *object = object_new(l->arena, OBJECT_TENSOR);
    object->value = value;
    object->ltype = type;
    object->span = l->builder.span;
    return object;
}

Object *tensor_like(Lower *l, const Object *like, Value *value) {
    return tensor_new(l, value, like->ltype);
}

int tensor_rank(const Object *tensor) { return tensor->value->type->rank; }
const int *tensor_shape(const Object *tensor) { return tensor->value->type->shape; }
bool tensor_same_shape(const Object *a, const Object *b) {
    return type_same_shape(a->value->type, b->value->type);
}

/* ---- literals ---- */

static bool literal_type(Lower *l, const Object *number, LType *type, Span span) {
    const int128 one = 1;
    int128 n = number->integer;
    switch (number->kind) {
    case OBJECT_BOOL: *type = ltype_of(DTYPE_BOOL); return true;
    case OBJECT_INT:
        if (n >= -(one << 31) && n < one << 31)
            *type = ltype_of(DTYPE_INT32);
        else if (n >= 0 && n < one << 32)
            *type = ltype_of(DTYPE_UINT32);
        else if (n >= -(one << 63) && n < one << 63)
            *type = ltype_of(DTYPE_INT64);
        else if (n >= 0 && n < one << 64)
            *type = ltype_of(DTYPE_UINT64);
        else {
            Buf buf = {.arena = l->arena};
            object_repr(&buf, number);
            lower_error(l, span, "the integer %s does not fit in 64 bits", buf.data);
            return false;
        }
        return true;
    case OBJECT_FLOAT: {
        double size = fabs(number->number);
        bool single =
            isnan(size) || isinf(size) || size == 0 || (size >= FLT_MIN && size <= FLT_MAX);
        *type = ltype_of(single ? DTYPE_FLOAT32 : DTYPE_FLOAT64);
        return true;
    }
    case OBJECT_NONE:
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
    case OBJECT_HOST:
    case OBJECT_RANGE:
    case OBJECT_ERROR: break;
    }
    if (!is_error(number))
        lower_error(l, span, "expected a number or a tensor, got %s", lower_type_text(l, number));
    return false;
}

Object *constant(Lower *l, const Object *number, LType type, Span span) {
    if (is_error(number)) return object_error(l->arena);
    if (type.levels) {
        if (object_is_integral(number) && number->integer == 0) {
            Value *zero = build_int(&l->builder, type_scalar(TYPE_I64), 0);
            return tensor_new(l, build_cast(&l->builder, OP_BITCAST, zero, lane_type(l, type)),
                              type);
        }
        return lower_error(l, span, "cannot make a %s from a number", ltype_text(l, type));
    }
    const Type *lane = lane_type(l, type);
    Value *value;
    if (ltype_is_float(type)) {
        double n = object_number(number);
        /* Triton passes f32 and narrower constants as a C float first. */
        if (!ltype_is(type, DTYPE_FLOAT64)) n = (double)(float)n;
        value = build_float(&l->builder, lane, n);
    } else if (number->kind == OBJECT_FLOAT) {
        double n = trunc(number->number);
        if (n != number->number)
            return lower_error(l, span, "the number %g is not an integer, as %s needs",
                               number->number, ltype_text(l, type));
        if (!(n >= -9223372036854775808.0 && n < 18446744073709551616.0))
            return lower_error(l, span, "the number %g does not fit in %s", number->number,
                               ltype_text(l, type));
        if (ltype_is(type, DTYPE_BOOL)) n = number->number != 0;
        value = build_int(&l->builder, lane, n < 0 ? (int64_t)n : (int64_t)(uint64_t)n);
    } else if (ltype_is(type, DTYPE_BOOL)) {
        value = build_int(&l->builder, lane, number->integer != 0);
    } else {
        value = build_int(&l->builder, lane, (int64_t)(uint64_t)(uint128)number->integer);
    }
    return tensor_new(l, value, type);
}

Object *to_tensor(Lower *l, Object *value, Span span) {
    LType type;
    if (is_tensor(value)) return value;
    if (value->kind == OBJECT_OPAQUE) return lower_unknown(l, value, span);
    if (!literal_type(l, value, &type, span)) return object_error(l->arena);
    return constant(l, value, type, span);
}

/* ---- casts ---- */

static Value *cast_float(Lower *l, Value *value, DType from, DType to, int rounding) {
    Builder *b = &l->builder;
    const Type *lane = lane_type(l, ltype_of(to));
    if (float_holds(lane, type_lane(value->type))) return build_cast(b, OP_FEXT, value, lane);
    /* Between the 16-bit types the way leads through f32. */
    if ((from == DTYPE_FLOAT16 && to == DTYPE_BFLOAT16) ||
        (from == DTYPE_BFLOAT16 && to == DTYPE_FLOAT16))
        value = build_cast(b, OP_FEXT, value, type_scalar(TYPE_F32));
    value = build_cast(b, OP_FTRUNC, value, lane);
    ftrunc_set_rounding(value->def, rounding);
    return value;
}

static Value *cast_int(Lower *l, Value *value, LType from, LType to) {
    const Type *lane = lane_type(l, to);
    int bits_from = ltype_bits(from), bits_to = ltype_bits(to);
    if (bits_from == bits_to) return value;
    if (bits_to < bits_from) return build_cast(&l->builder, OP_TRUNC, value, lane);
    return build_cast(&l->builder, ltype_is_signed(from) ? OP_EXT_S : OP_EXT_U, value, lane);
}

static Value *zero_like(Lower *l, const Value *value) {
    Builder *b = &l->builder;
    const Type *lane = type_lane(value->type);
    Value *zero = type_is_float(lane) ? build_float(b, lane, 0) : build_int(b, lane, 0);
    return value->type->rank ? build_splat(b, zero, value->type->rank, value->type->shape) : zero;
}

static Value *not_zero(Lower *l, Value *value) {
    Value *zero = zero_like(l, value);
    return type_is_float(value->type) ? build_fcmp(&l->builder, FCMP_UNE, value, zero)
                                      : build_icmp(&l->builder, ICMP_NE, value, zero);
}

Object *cast_rounding(Lower *l, Object *tensor, LType type, int rounding, Span span) {
    if (is_error(tensor)) return tensor;
    LType from = tensor->ltype;
    Builder *b = &l->builder;
    Value *value = tensor->value;
    if (ltype_same(from, type)) {
        if (from.is_const == type.is_const) return tensor;
        return tensor_new(l, value, type);
    }
    if (ltype_is_float(from) && ltype_is_float(type)) {
        value = cast_float(l, value, from.dtype, type.dtype, rounding);
    } else if (ltype_is_int(from) && ltype_is_int(type)) {
        if (ltype_is(type, DTYPE_BOOL))
            value = not_zero(l, value);
        else
            value = cast_int(l, value, from, type);
    } else if (ltype_is_float(from) && ltype_is_int(type) && !ltype_is_fp8(from)) {
        if (ltype_is(type, DTYPE_BOOL))
            value = not_zero(l, value);
        else
            value = build_cast(b, ltype_is_signed(type) ? OP_F_TO_S : OP_F_TO_U, value,
                               lane_type(l, type));
    } else if (ltype_is_int(from) && ltype_is_float(type) && !ltype_is_fp8(type)) {
        value =
            build_cast(b, ltype_is_signed(from) ? OP_S_TO_F : OP_U_TO_F, value, lane_type(l, type));
    } else if (from.levels && type.levels) {
        value = build_cast(b, OP_BITCAST, value, lane_type(l, type));
    } else if (from.levels && ltype_is_int(type) &&
               (ltype_bits(type) == 64 || ltype_bits(type) == 1)) {
        value = build_cast(b, OP_BITCAST, value, type_scalar(TYPE_I64));
        if (ltype_bits(type) == 1) value = not_zero(l, value);
    } else if (ltype_is_int(from) && type.levels) {
        value = cast_int(l, value, from, ltype_of(DTYPE_INT64));
        value = build_cast(b, OP_BITCAST, value, lane_type(l, type));
    } else {
        Object *poison =
            lower_error(l, span, "cannot cast %s to %s", ltype_text(l, from), ltype_text(l, type));
        if (ltype_is_fp8(from) || ltype_is_fp8(type)) lower_help(l, "cast to fp32 first");
        return poison;
    }
    return tensor_new(l, value, type);
}

Object *cast(Lower *l, Object *tensor, LType type, Span span) {
    return cast_rounding(l, tensor, type, ROUND_RTNE, span);
}

Object *bitcast(Lower *l, Object *tensor, LType type, Span span) {
    if (is_error(tensor)) return tensor;
    LType from = tensor->ltype;
    if (ltype_same(from, type)) return tensor;
    if (from.levels || type.levels) return cast(l, tensor, type, span);
    if (ltype_bits(from) != ltype_bits(type))
        return lower_error(l, span, "cannot bitcast %s (%d bits) to %s (%d bits)",
                           ltype_text(l, from), ltype_bits(from), ltype_text(l, type),
                           ltype_bits(type));
    if (lane_type(l, from) == lane_type(l, type)) return tensor_new(l, tensor->value, type);
    return tensor_new(l, build_cast(&l->builder, OP_BITCAST, tensor->value, lane_type(l, type)),
                      type);
}

/* ---- promotion ---- */

/* C's usual arithmetic conversions by rank, without the promotion to int. */
bool integer_promote(LType a, LType b, LType *out) {
    if (!ltype_is_int(a) || !ltype_is_int(b)) return false;
    int bits_a = ltype_bits(a), bits_b = ltype_bits(b);
    if (ltype_is_signed(a) == ltype_is_signed(b))
        *out = bits_a > bits_b ? a : b;
    else if (!ltype_is_signed(a))
        *out = bits_a >= bits_b ? a : b;
    else
        *out = bits_b >= bits_a ? b : a;
    return true;
}

static int type_class(LType type) { /* bool < int < float */
    return ltype_is(type, DTYPE_BOOL) ? 0 : ltype_is_int(type) ? 1 : 2;
}

static bool computation_type(Lower *l, LType a, bool weak_a, LType b, bool weak_b, bool division,
                             LType *out, Span span) {
    if (weak_a != weak_b) {
        LType weak = weak_a ? a : b, strong = weak_a ? b : a;
        if (type_class(weak) <= type_class(strong)) {
            bool half = ltype_is(strong, DTYPE_FLOAT16) || ltype_is(strong, DTYPE_BFLOAT16);
            *out = division && half ? ltype_of(DTYPE_FLOAT32) : strong;
            return true;
        }
    }
    static const DType wide[] = {DTYPE_FLOAT64, DTYPE_FLOAT32};
    for (int i = 0; i < COUNT(wide); i++)
        if (ltype_is(a, wide[i]) || ltype_is(b, wide[i])) return *out = ltype_of(wide[i]), true;
    if (ltype_is(a, DTYPE_FLOAT16) || ltype_is(b, DTYPE_FLOAT16))
        return *out = ltype_of(division ? DTYPE_FLOAT32 : DTYPE_FLOAT16), true;
    if (ltype_is(a, DTYPE_BFLOAT16) || ltype_is(b, DTYPE_BFLOAT16)) {
        bool both = ltype_same(a, b) && !division;
        return *out = ltype_of(both ? DTYPE_BFLOAT16 : DTYPE_FLOAT32), true;
    }
    if (ltype_is_fp8(a) && ltype_is_fp8(b))
        return *out = ltype_same(a, b) ? a : ltype_of(DTYPE_FLOAT16), true;
    if (!ltype_is_int(a) || !ltype_is_int(b)) {
        lower_error(l, span, "no common type for %s and %s", ltype_text(l, a), ltype_text(l, b));
        lower_help(l, "cast one of them with .to(..)");
        return false;
    }
    if (division && ltype_is_signed(a) != ltype_is_signed(b)) {
        lower_error(l, span,
                    "cannot use /, // or %% with %s and %s: one is signed, the other is not",
                    ltype_text(l, a), ltype_text(l, b));
        lower_help(l, "cast them to the same signedness with .to(..)");
        return false;
    }
    return integer_promote(a, b, out);
}

/* Does the literal fit the integer type that it takes? */
static bool literal_fits(Lower *l, const Object *number, LType type, Span span) {
    if (!ltype_is_int(type)) return true;
    int128 n = number->kind == OBJECT_FLOAT ? (int128)0 : number->integer, one = 1;
    int bits = ltype_bits(type);
    int128 low = ltype_is_signed(type) ? -(one << (bits - 1)) : 0;
    int128 high = ltype_is_signed(type) ? (one << (bits - 1)) - 1 : (one << bits) - 1;
    if (n >= low && n <= high) return true;
    Buf buf = {.arena = l->arena};
    object_repr(&buf, number);
    if (n < 0 && !ltype_is_signed(type)) {
        lower_error(l, span, "cannot combine the unsigned type %s with the negative number %s",
                    ltype_text(l, type), buf.data);
        lower_help(l, "cast one of them explicitly with .to(..)");
    } else {
        lower_error(l, span, "the number %s is out of range for %s", buf.data, ltype_text(l, type));
    }
    return false;
}

static bool pointer_allowed(Lower *l, LType a, LType b, bool allowed, Span span) {
    if (!a.levels) return true;
    if (allowed && !ltype_is_float(b) && (!b.levels || ltype_same(a, b))) return true;
    lower_error(l, span, "invalid operands of type %s and %s", ltype_text(l, a), ltype_text(l, b));
    return false;
}

bool coerce_pair(Lower *l, Object **a, Object **b, int flags, Span span) {
    if (is_error(*a) || is_error(*b)) return false;
    bool weak_a = !is_tensor(*a), weak_b = !is_tensor(*b);
    LType type_a = (*a)->ltype, type_b = (*b)->ltype, type;
    if (weak_a && !literal_type(l, *a, &type_a, span)) return false;
    if (weak_b && !literal_type(l, *b, &type_b, span)) return false;
    if (!pointer_allowed(l, type_a, type_b, flags & ALLOW_POINTER_A, span)) return false;
    if (!pointer_allowed(l, type_b, type_a, flags & ALLOW_POINTER_B, span)) return false;
    bool arithmetic = !(flags & NO_ARITHMETIC) && !type_a.levels && !type_b.levels;
    if (arithmetic) {
        if (!computation_type(l, type_a, weak_a, type_b, weak_b, flags & DIV_OR_MOD, &type, span))
            return false;
        if (weak_a && !literal_fits(l, *a, type, span)) return false;
        if (weak_b && !literal_fits(l, *b, type, span)) return false;
        *a = weak_a ? constant(l, *a, type, span) : cast(l, *a, type, span);
        *b = weak_b ? constant(l, *b, type, span) : cast(l, *b, type, span);
    } else {
        if (weak_a) *a = constant(l, *a, type_a, span);
        if (weak_b) *b = constant(l, *b, type_b, span);
    }
    if (is_error(*a) || is_error(*b)) return false;
    return broadcast_pair(l, a, b, span);
}
