// SPDX-License-Identifier: Apache-2.0
/* builtin_math: elementwise tl functions and the part of libdevice that is an op. */
#include "lang/lower.h"

static Object *poison(Lower *l) { return object_error(l->arena); }

Object *builtin_operator(Lower *l, const Call *call) {
    Operator op = !strcmp(call->builtin->name, "add")   ? OPERATOR_ADD
                  : !strcmp(call->builtin->name, "sub") ? OPERATOR_SUB
                                                        : OPERATOR_MUL;
    return binary(l, op, call->args[0], call->args[1], call->span);
}

Object *builtin_logical(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    return a && b ? logical(l, !strcmp(call->builtin->name, "logical_and"), a, b, call->span)
                  : poison(l);
}

Object *builtin_where(Lower *l, const Call *call) {
    for (int i = 0; i < 3; i++)
        if (!is_tensor(call->args[i]) && !object_is_number(call->args[i]))
            return call_fail(l, call, i, "'where' needs tensors or numbers, got %s",
                             lower_type_text(l, call->args[i]));
    const Object *condition = call->args[0];
    if (is_tensor(condition) && !ltype_is(condition->ltype, DTYPE_BOOL))
        lower_warning(l, call->spans[0],
                      "the condition of 'where' should be boolean, got %s: it means '!= 0'",
                      ltype_text(l, condition->ltype));
    return where(l, call->args[0], call->args[1], call->args[2], call->span);
}

/* bf16 has no minimum and maximum of its own: they are taken, and stay, in f32. */
static Object *from_bf16(Lower *l, Object *x, Span span) {
    return ltype_is(x->ltype, DTYPE_BFLOAT16) ? cast(l, x, ltype_of(DTYPE_FLOAT32), span) : x;
}

static Object *extreme(Lower *l, bool is_max, Object *a, Object *b, bool nan_wins, Span span) {
    if (!coerce_pair(l, &a, &b, 0, span)) return poison(l);
    OpKind kind =
        ltype_is_signed(a->ltype) ? (is_max ? OP_MAX_S : OP_MIN_S) : (is_max ? OP_MAX_U : OP_MIN_U);
    if (ltype_is_fp8(a->ltype))
        return lower_refused(l, span, "minimum and maximum of %s are not supported: cast first",
                             ltype_text(l, a->ltype));
    if (ltype_is_float(a->ltype)) kind = is_max ? OP_FMAX : OP_FMIN;
    Value *value = build_2(&l->builder, kind, a->value, b->value);
    if (kind == OP_FMAX) fmax_set_nan(value->def, nan_wins);
    if (kind == OP_FMIN) fmin_set_nan(value->def, nan_wins);
    return tensor_like(l, a, value);
}

Object *builtin_min_max(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    int64_t propagate;
    if (!a || !b || !arg_int(l, call, 2, &propagate)) return poison(l);
    a = from_bf16(l, a, call->span), b = from_bf16(l, b, call->span);
    return extreme(l, !strcmp(call->builtin->name, "maximum"), a, b, propagate != 0, call->span);
}

/* A number of 2^31 and more is unsigned, and what is negative would be beside it: no bound that
 * anybody means. */
static bool bounds_agree(Lower *l, const Call *call, Object **parts) {
    for (int i = 0; i < 3; i++) {
        const Object *number = call->args[i];
        if (number->kind != OBJECT_INT || !ltype_is_int(parts[i]->ltype)) continue;
        bool is_unsigned = !ltype_is_signed(parts[i]->ltype), is_negative = number->integer < 0;
        for (int k = 0; k < 3; k++) {
            const Object *other = call->args[k];
            bool has_sign = is_tensor(other) || other->integer < 0;
            if (k == i || !ltype_is_int(parts[k]->ltype)) continue;
            if (is_unsigned ? !ltype_is_signed(parts[k]->ltype) || !has_sign
                            : !is_negative || ltype_is_signed(parts[k]->ltype))
                continue;
            call_fail(l, call, i, "'clamp' cannot have a bound of %s beside %s",
                      ltype_text(l, parts[i]->ltype), ltype_text(l, parts[k]->ltype));
            lower_help(l, "cast one of them explicitly with .to(..)");
            return false;
        }
    }
    return true;
}

Object *builtin_clamp(Lower *l, const Call *call) {
    Object *parts[3];
    int64_t propagate;
    for (int i = 0; i < 3; i++) {
        parts[i] = arg_tensor(l, call, i);
        if (!parts[i]) return poison(l);
        parts[i] = from_bf16(l, parts[i], call->span);
    }
    if (!arg_int(l, call, 3, &propagate) || !bounds_agree(l, call, parts)) return poison(l);
    Object *x = parts[0], *low = parts[1], *high = parts[2];
    if (!coerce_pair(l, &low, &high, 0, call->span) || !coerce_pair(l, &x, &low, 0, call->span) ||
        !coerce_pair(l, &x, &high, 0, call->span))
        return poison(l);
    if (x->ltype.levels)
        return call_fail(l, call, 0, "'clamp' needs numbers, got %s", ltype_text(l, x->ltype));
    x = extreme(l, true, x, low, propagate != 0, call->span);
    return is_error(x) ? x : extreme(l, false, x, high, propagate != 0, call->span);
}

Object *builtin_cdiv(Lower *l, const Call *call) {
    Object *less = binary(l, OPERATOR_SUB, call->args[1], object_int(l->arena, 1), call->span);
    Object *sum = binary(l, OPERATOR_ADD, call->args[0], less, call->span);
    return binary(l, OPERATOR_FLOORDIV, sum, call->args[1], call->span);
}

/* ---- functions that are one op ---- */

static bool standard_float(Lower *l, const Call *call, const Object *x, bool only_f32) {
    if (ltype_is(x->ltype, DTYPE_FLOAT32) || (!only_f32 && ltype_is(x->ltype, DTYPE_FLOAT64)))
        return true;
    call_fail(l, call, 0, "'%s' needs %s, got %s", call->builtin->name,
              only_f32 ? "fp32" : "fp32 or fp64", ltype_text(l, x->ltype));
    lower_help(l, "cast with .to(tl.float32)");
    return false;
}

static bool accepts(Lower *l, const Call *call, int arg, const Object *x) {
    int accepted = call->builtin->lanes.accepts;
    if (accepted & LANES_INT) {
        if (ltype_is_int(x->ltype) && ltype_bits(x->ltype) >= 32) return true;
        call_fail(l, call, arg, "'%s' needs 32-bit or 64-bit integers, got %s", call->builtin->name,
                  ltype_text(l, x->ltype));
        return false;
    }
    return standard_float(l, call, x, accepted & LANES_FP32);
}

/* A row LANES of builtins.def. */
Object *builtin_lanes(Lower *l, const Call *call) {
    const BuiltinLanes *row = &call->builtin->lanes;
    int count = op_info(row->op)->most_operands;
    Object *x[2] = {0};
    for (int i = 0; i < count; i++) {
        x[i] = arg_tensor(l, call, i);
        if (!x[i] || !accepts(l, call, i, x[i])) return poison(l);
    }
    if (count == 2 && !coerce_pair(l, &x[0], &x[1], 0, call->span)) return poison(l);
    OpKind kind =
        ltype_is_int(x[0]->ltype) && !ltype_is_signed(x[0]->ltype) ? row->unsigned_op : row->op;
    Value *value = count == 2 ? build_2(&l->builder, kind, x[0]->value, x[1]->value)
                              : build_1(&l->builder, kind, x[0]->value);
    if (row->accepts & LANES_EXACT) {
        if (row->op == OP_EXP)
            exp_set_precise(value->def, 1);
        else
            sqrt_set_exact(value->def, 1);
    }
    Object *result = tensor_like(l, x[0], value);
    return row->accepts & LANES_TO_INT32 ? cast(l, result, ltype_of(DTYPE_INT32), call->span)
                                         : result;
}

static Object *splat_of(Lower *l, Object *like, int128 number, Span span) {
    Object *scalar = constant(l, object_int(l->arena, number), like->ltype, span);
    return is_error(scalar) ? scalar : splat_to(l, scalar, tensor_rank(like), tensor_shape(like));
}

Object *builtin_abs(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    if (!x) return poison(l);
    if (x->ltype.levels) return call_fail(l, call, 0, "'abs' of a pointer");
    if (ltype_is_fp8(x->ltype)) { /* clears the sign bit */
        Object *bits = bitcast(l, x, ltype_of(DTYPE_UINT8), call->span);
        bits = binary(l, OPERATOR_AND, bits, object_int(l->arena, 0x7f), call->span);
        return bitcast(l, bits, x->ltype, call->span);
    }
    if (ltype_is_float(x->ltype)) return tensor_like(l, x, build_1(&l->builder, OP_FABS, x->value));
    if (!ltype_is_signed(x->ltype)) return x;
    Object *negative = unary(l, OPERATOR_NEG, x, call->span);
    return tensor_like(l, x, build_2(&l->builder, OP_MAX_S, x->value, negative->value));
}

Object *builtin_sigmoid(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    if (!x || !standard_float(l, call, x, false)) return poison(l);
    Value *negative = build_1(&l->builder, OP_FNEG, x->value);
    Object *e = tensor_like(l, x, build_1(&l->builder, OP_EXP, negative));
    Object *one = object_int(l->arena, 1);
    return binary(l, OPERATOR_DIV, one, binary(l, OPERATOR_ADD, one, e, call->span), call->span);
}

/* ---- functions of two and three ---- */

static Object *divide(Lower *l, Object *a, Object *b, bool exact) {
    Value *value = build_2(&l->builder, OP_FDIV, a->value, b->value);
    fdiv_set_exact(value->def, exact);
    return tensor_like(l, a, value);
}

Object *builtin_fdiv(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    bool exact;
    if (!a || !b || !arg_bool(l, call, 2, &exact)) return poison(l);
    if (!ltype_is_float(a->ltype) || !ltype_is_float(b->ltype))
        return call_fail(l, call, WHOLE_CALL, "'fdiv' needs floats, got %s and %s",
                         ltype_text(l, a->ltype), ltype_text(l, b->ltype));
    if (!coerce_pair(l, &a, &b, DIV_OR_MOD, call->span)) return poison(l);
    if (ltype_is_fp8(a->ltype))
        return lower_refused(l, call->span,
                             "'fdiv' of %s is not supported: cast to fp16 or fp32 first",
                             ltype_text(l, a->ltype));
    return divide(l, a, b, exact);
}

Object *builtin_div_rn(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    if (!a || !b || !coerce_pair(l, &a, &b, 0, call->span)) return poison(l);
    return standard_float(l, call, a, false) ? divide(l, a, b, true) : poison(l);
}

Object *builtin_fdiv_fast(Lower *l, const Call *call) {
    Object *a = arg_tensor(l, call, 0), *b = arg_tensor(l, call, 1);
    if (!a || !b || !standard_float(l, call, a, true) || !standard_float(l, call, b, true))
        return poison(l);
    if (!coerce_pair(l, &a, &b, 0, call->span)) return poison(l);
    return divide(l, a, b, false);
}

Object *builtin_fma(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0), *y = arg_tensor(l, call, 1), *z = arg_tensor(l, call, 2);
    if (!x || !y || !z) return poison(l);
    if (!coerce_pair(l, &x, &y, 0, call->span) || !coerce_pair(l, &z, &x, 0, call->span) ||
        !coerce_pair(l, &z, &y, 0, call->span) || !coerce_pair(l, &x, &y, 0, call->span))
        return poison(l);
    if (!ltype_is_float(x->ltype) || ltype_is_fp8(x->ltype))
        return call_fail(l, call, 0, "'fma' needs floats, got %s", ltype_text(l, x->ltype));
    return tensor_like(l, x, build_3(&l->builder, OP_FMA, x->value, y->value, z->value));
}

Object *builtin_expect_zero(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    return x ? x : poison(l);
}

/* ---- bits ---- */

Object *builtin_reinterpret(Lower *l, const Call *call) {
    static const struct {
        const char *name;
        DType from, to;
    } rows[] = {
        {"int_as_float", DTYPE_INT32, DTYPE_FLOAT32},
        {"uint_as_float", DTYPE_UINT32, DTYPE_FLOAT32},
        {"float_as_int", DTYPE_FLOAT32, DTYPE_INT32},
        {"float_as_uint", DTYPE_FLOAT32, DTYPE_UINT32},
        {"longlong_as_double", DTYPE_INT64, DTYPE_FLOAT64},
        {"double_as_longlong", DTYPE_FLOAT64, DTYPE_INT64},
    };
    Object *x = arg_tensor(l, call, 0);
    if (!x) return poison(l);
    for (int i = 0; i < COUNT(rows); i++) {
        if (strcmp(rows[i].name, call->builtin->name)) continue;
        if (!ltype_is(x->ltype, rows[i].from))
            return call_fail(l, call, 0, "'%s' needs %s, got %s", rows[i].name,
                             dtype_name(rows[i].from), ltype_text(l, x->ltype));
        return bitcast(l, x, ltype_of(rows[i].to), call->span);
    }
    BUG("no row for %s", call->builtin->name);
}

/* isnan, isinf, finitef, isfinited give a boolean, signbit an int32. */
Object *builtin_classify(Lower *l, const Call *call) {
    Object *x = arg_tensor(l, call, 0);
    const char *name = call->builtin->name;
    if (!x || !standard_float(l, call, x, !strcmp(name, "finitef"))) return poison(l);
    if (!strcmp(name, "isnan")) return compare(l, OPERATOR_NE, x, x, call->span);
    bool wide = ltype_is(x->ltype, DTYPE_FLOAT64);
    Object *bits = bitcast(l, x, ltype_of(wide ? DTYPE_INT64 : DTYPE_INT32), call->span);
    if (!strcmp(name, "signbit")) {
        Object *negative = compare(l, OPERATOR_LT, bits, object_int(l->arena, 0), call->span);
        return cast(l, negative, ltype_of(DTYPE_INT32), call->span);
    }
    int128 infinity = wide ? (int128)0x7ff0000000000000 : 0x7f800000;
    int128 magnitude = wide ? INT64_MAX : INT32_MAX;
    Object *size = binary(l, OPERATOR_AND, bits, object_int(l->arena, magnitude), call->span);
    Object *limit = splat_of(l, size, infinity, call->span);
    return compare(l, !strcmp(name, "isinf") ? OPERATOR_EQ : OPERATOR_LT, size, limit, call->span);
}
