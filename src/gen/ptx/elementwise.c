// SPDX-License-Identifier: Apache-2.0
/* elementwise: one lane of an elementwise op. i8 and i16 live in 32-bit registers whose upper bits
 * are anything, so ops that look at the sign or at high bits extend first. f16 adds, multiplies and
 * fuses natively, and has the larger of two; bf16 and f8 go through f32, whose rounding is harmless
 * before the second one for + - * / (24 >= 2 * 11 + 2 bits). */
#include "gen/ptx/gen.h"
#include "gen/ptx/math.h"

RegClass ptx_class_of(const Type *lane) {
    int bits = type_bits(lane);
    if (bits == 1) return CLASS_PRED;
    if (bits == 64) return CLASS_B64;
    return bits == 16 && type_is_float(lane) ? CLASS_B16 : CLASS_B32;
}

Tir ptx_constant(Gen *g, const Type *lane, uint64_t bits) {
    return tir_const(g->b, ptx_class_of(lane), bits);
}

/* ---- integers ---- */

Tir ptx_sign_extended(Gen *g, const Type *lane, Tir x) {
    int bits = type_bits(lane);
    if (bits == 1) return tir_select(g->b, x, tir_i32(g->b, 1), tir_i32(g->b, 0));
    if (bits >= 32) return x;
    return tir_3(g->b, TIR_BFE_S32, x, tir_i32(g->b, 0), tir_i32(g->b, bits));
}

Tir ptx_zero_extended(Gen *g, const Type *lane, Tir x) {
    int bits = type_bits(lane);
    if (bits == 1) return tir_select(g->b, x, tir_i32(g->b, 1), tir_i32(g->b, 0));
    if (bits >= 32) return x;
    return tir_2(g->b, TIR_AND32, x, tir_i32(g->b, (1 << bits) - 1));
}

static Tir is_odd(Gen *g, Tir x) {
    return tir_2(g->b, TIR_NE32, tir_2(g->b, TIR_AND32, x, tir_i32(g->b, 1)), tir_i32(g->b, 0));
}

/* Has only bits that a signed 32-bit number has: then that number; else 0. */
static Tir in_32_bits(Gen *g, Tir x) {
    uint64_t bits;
    if (tir_is_const(g->b, x, &bits))
        return (int64_t)bits == (int32_t)bits ? tir_i32(g->b, (int32_t)bits) : 0;
    bool fits = tir_is(g->b, x, TIR_SEXT) || g->b->list.data[x].zeros >> 31 == 0x1ffffffff;
    return fits ? tir_1(g->b, TIR_LOW32, x) : 0;
}

static bool is_not_negative(Gen *g, Tir x) {
    return g->b->list.data[x].zeros >> (tir_class(g->b, x) == CLASS_B64 ? 63 : 31) & 1;
}

static TirOp division_row(bool divides, bool is_signed, bool wide) {
    static const TirOp rows[2][2][2] = {{{TIR_REM_U32, TIR_REM_U64}, {TIR_REM_S32, TIR_REM_S64}},
                                        {{TIR_DIV_U32, TIR_DIV_U64}, {TIR_DIV_S32, TIR_DIV_S64}}};
    return rows[divides][is_signed][wide];
}

/* Is the quotient made, too, where the rest is, or the rest where the quotient is? */
static bool wants_both(const Op *op) {
    OpKind other = op->kind == OP_DIV_S   ? OP_REM_S
                   : op->kind == OP_REM_S ? OP_DIV_S
                   : op->kind == OP_DIV_U ? OP_REM_U
                                          : OP_DIV_U;
    for (const Region *r = op->parent; r; r = r->owner ? r->owner->parent : NULL)
        for (const Op *in = r->first; in; in = in->next)
            if (in->kind == other && in->operands[0] == op->operands[0] &&
                in->operands[1] == op->operands[1])
                return true;
    return false;
}

/* x - quotient * y */
static Tir rest_of(Tirs *b, bool wide, Tir x, Tir y, Tir quotient) {
    Tir product = tir_2(b, wide ? TIR_MUL64 : TIR_MUL32, quotient, y);
    return tir_2(b, wide ? TIR_SUB64 : TIR_SUB32, x, product);
}

static const TirDivision *division_made(const Tirs *b, bool is_signed, Tir x, Tir y) {
    for (int i = b->divisions.count; i-- > 0;) {
        const TirDivision *d = &b->divisions.data[i];
        if (d->x == x && d->y == y && d->is_signed == is_signed) return d;
    }
    return NULL;
}

/* Of 64 bits, what the machine has no instruction for: most numbers have 32, and those are divided
 * as such, in a fifth of the instructions; the others behind a branch. Where both the quotient and
 * the rest are wanted, one branch makes both. */
static Tir divide_words(Tirs *b, const Op *op, bool is_signed, Tir x, Tir y) {
    bool divides = op->kind == OP_DIV_S || op->kind == OP_DIV_U, both = wants_both(op);
    TirOp row = division_row(divides || both, is_signed, true);
    const TirDivision *made = division_made(b, is_signed, x, y);
    if (made) return divides ? made->quotient : made->rest;
    Tir high = tir_2(b, TIR_SHR_U64, tir_2(b, TIR_OR64, x, y), tir_i32(b, 32));
    Tir small = tir_2(b, TIR_EQ64, high, tir_i64(b, 0));
    uint64_t bits;
    if (tir_is_const(b, y, NULL) || tir_is_const(b, small, &bits))
        return tir_2(b, division_row(divides, is_signed, true), x, y);
    Tir result = tir_var(b, CLASS_B64), rest = both ? tir_var(b, CLASS_B64) : 0;
    Tir low_x = tir_1(b, TIR_LOW32, x), low_y = tir_1(b, TIR_LOW32, y);
    Tir low = tir_2(b, division_row(divides || both, false, false), low_x, low_y);
    int end = tir_new_label(b);
    tir_set(b, result, tir_1(b, TIR_ZEXT, low));
    if (both) tir_set(b, rest, tir_1(b, TIR_ZEXT, rest_of(b, false, low_x, low_y, low)));
    tir_branch(b, end, small, false);
    int scope = tir_enter(b);
    Tir wide = tir_2(b, row, x, y);
    tir_set(b, result, wide);
    if (both) tir_set(b, rest, rest_of(b, true, x, y, wide));
    tir_leave(b, scope);
    tir_label(b, end);
    if (!both) return result;
    vec_push(b->arena, &b->divisions, ((TirDivision){x, y, result, rest, is_signed, b->log.count}));
    return divides ? result : rest;
}

/* Division by 0 gives 0, by -1 the negated: the machine's instruction is not asked. PTX gives some
 * number for the first, which nobody reads. */
static Tir divide(Gen *g, const Op *op, bool wide, Tir x, Tir y) {
    Tirs *b = g->b;
    bool is_signed = op->kind == OP_DIV_S || op->kind == OP_REM_S,
         divides = op->kind == OP_DIV_S || op->kind == OP_DIV_U;
    RegClass class = wide ? CLASS_B64 : CLASS_B32;
    Tir zero = tir_const(b, class, 0), one = tir_const(b, class, 1),
        minus = tir_const(b, class, ~0ull), result;
    Tir by_zero = tir_2(b, wide ? TIR_EQ64 : TIR_EQ32, y, zero);
    Tir by_minus = is_signed ? tir_2(b, wide ? TIR_EQ64 : TIR_EQ32, y, minus) : tir_bool(b, false);
    Tir by = tir_select(b, by_minus, one, y);
    if (wide)
        result = divide_words(b, op, is_signed, x, by);
    else if (divides || tir_is_const(b, by, NULL) || !wants_both(op))
        result = tir_2(b, division_row(divides, is_signed, false), x, by);
    else
        result = rest_of(b, false, x, by, tir_2(b, division_row(true, is_signed, false), x, by));
    if (!divides) return tir_select(b, by_zero, zero, result); /* x % 1 is 0 already */
    result = tir_select(b, by_minus, tir_2(b, wide ? TIR_SUB64 : TIR_SUB32, zero, x), result);
    return tir_select(b, by_zero, zero, result);
}

/* In 32 bits, where both are such numbers: a third of the instructions. Not the least of them by
 * -1, whose quotient is none. */
static Tir divide64(Gen *g, const Op *op, Tir x, Tir y) {
    Tir low_x = in_32_bits(g, x), low_y = in_32_bits(g, y);
    bool is_signed = op->kind == OP_DIV_S || op->kind == OP_REM_S;
    uint64_t by;
    bool natural_x = is_not_negative(g, x), natural_y = is_not_negative(g, y),
         by_power = tir_is_const(g->b, y, &by) && !(by & (by - 1)),
         means_same =
             is_signed ? op->kind == OP_REM_S || natural_x || natural_y : natural_x && natural_y;
    if (!low_x || !low_y || by_power || !means_same) return divide(g, op, true, x, y);
    return tir_1(g->b, TIR_SEXT, divide(g, op, false, low_x, low_y));
}

/* A shift amount for PTX, which clamps at the register's width. */
static Tir shift_amount(Gen *g, const Type *lane, Tir y) {
    if (type_bits(lane) < 64) return ptx_zero_extended(g, lane, y);
    return tir_1(g->b, TIR_LOW32, tir_2(g->b, TIR_MIN_U64, y, tir_i64(g->b, 64)));
}

static const struct {
    TirOp narrow, wide;
    IntForm form;
} int_rows[NUM_OP_KINDS] = {
#define INT(kind, text, operands, traits, meaning, form, lane)                                     \
    [OP_##kind] = {TIR_##kind##32, TIR_##kind##64, form},
#include "ir/ops.def"
};

static Tir apply(Gen *g, TirOp op, Tir x, Tir y) {
    return y ? tir_2(g->b, op, x, y) : tir_1(g->b, op, x);
}

static Tir ptx_int32(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    TirOp row = int_rows[op->kind].narrow;
    Tir x = args[0], y = args[1];
    int bits = type_bits(lane);
    if (bits == 1) x = ptx_zero_extended(g, lane, x), y = y ? ptx_zero_extended(g, lane, y) : 0;
    Tir sx = bits == 1 ? x : ptx_sign_extended(g, lane, x),
        zx = bits == 1 ? x : ptx_zero_extended(g, lane, x);
    Tir sy = !y || bits == 1 ? y : ptx_sign_extended(g, lane, y);
    Tir zy = !y || bits == 1 ? y : ptx_zero_extended(g, lane, y);
    switch (int_rows[op->kind].form) {
    case FORM_LOW: return apply(g, row, x, y);
    case FORM_UNSIGNED: return apply(g, row, zx, zy);
    case FORM_SIGNED: return apply(g, row, sx, sy);
    case FORM_SHIFT:
        return tir_2(g->b, row, op->kind == OP_SHR_S ? sx : op->kind == OP_SHR_U ? zx : x, zy);
    case FORM_DIVIDE:
        return op->kind == OP_DIV_S || op->kind == OP_REM_S ? divide(g, op, false, sx, sy)
                                                            : divide(g, op, false, zx, zy);
    case FORM_COUNT: {
        Tir count = tir_1(g->b, row, zx);
        return op->kind == OP_CLZ ? tir_2(g->b, TIR_SUB32, count, tir_i32(g->b, 32 - bits)) : count;
    }
    case FORM_HIGH_U:
    case FORM_HIGH_S: {
        if (bits == 32) return tir_2(g->b, row, x, y);
        bool is_signed = int_rows[op->kind].form == FORM_HIGH_S;
        Tir product = is_signed ? tir_2(g->b, TIR_MUL32, sx, sy) : tir_2(g->b, TIR_MUL32, zx, zy);
        return tir_2(g->b, TIR_SHR_U32, product, tir_i32(g->b, bits));
    }
    }
    BUG("%s is no integer op", op_info(op->kind)->name);
}

static Tir ptx_int64(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    TirOp row = int_rows[op->kind].wide;
    switch (int_rows[op->kind].form) {
    case FORM_LOW:
    case FORM_UNSIGNED:
    case FORM_SIGNED:
    case FORM_HIGH_U:
    case FORM_HIGH_S: return apply(g, row, args[0], args[1]);
    case FORM_SHIFT: return tir_2(g->b, row, args[0], shift_amount(g, lane, args[1]));
    case FORM_DIVIDE: return divide64(g, op, args[0], args[1]);
    case FORM_COUNT: return tir_1(g->b, TIR_ZEXT, tir_1(g->b, row, args[0]));
    }
    BUG("%s is no integer op", op_info(op->kind)->name);
}

/* An op on truth values that is one instruction on predicates; 0: it takes 32 bits. */
static Tir ptx_bool(Gen *g, OpKind kind, const Tir *args) {
    if (kind == OP_AND || kind == OP_MUL || kind == OP_MIN_U || kind == OP_MIN_S)
        return tir_2(g->b, TIR_AND_P, args[0], args[1]);
    if (kind == OP_OR || kind == OP_MAX_U || kind == OP_MAX_S)
        return tir_2(g->b, TIR_OR_P, args[0], args[1]);
    if (kind == OP_XOR || kind == OP_ADD || kind == OP_SUB)
        return tir_2(g->b, TIR_XOR_P, args[0], args[1]);
    return 0;
}

static Tir ptx_int(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    if (type_bits(lane) == 64) return ptx_int64(g, op, lane, args);
    if (type_bits(lane) > 1) return ptx_int32(g, op, lane, args);
    Tir logical = ptx_bool(g, op->kind, args);
    return logical ? logical : is_odd(g, ptx_int32(g, op, lane, args));
}

static Tir ptx_icmp(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    static const TirOp narrow[] = {TIR_EQ32,   TIR_NE32,   TIR_LT_S32, TIR_LE_S32, TIR_GT_S32,
                                   TIR_GE_S32, TIR_LT_U32, TIR_LE_U32, TIR_GT_U32, TIR_GE_U32};
    static const TirOp wide[] = {TIR_EQ64,   TIR_NE64,   TIR_LT_S64, TIR_LE_S64, TIR_GT_S64,
                                 TIR_GE_S64, TIR_LT_U64, TIR_LE_U64, TIR_GT_U64, TIR_GE_U64};
    int64_t predicate = icmp_predicate(op);
    if (ptx_class_of(lane) == CLASS_B64) return tir_2(g->b, wide[predicate], args[0], args[1]);
    bool is_signed = predicate >= ICMP_SLT && predicate <= ICMP_SGE;
    Tir x = is_signed ? ptx_sign_extended(g, lane, args[0]) : ptx_zero_extended(g, lane, args[0]);
    Tir y = is_signed ? ptx_sign_extended(g, lane, args[1]) : ptx_zero_extended(g, lane, args[1]);
    return tir_2(g->b, narrow[predicate], x, y);
}

/* ---- floats ---- */

static const FloatFormat *format_of(const Type *lane) {
    FloatKind kind;
    if (!float_kind_of(lane, &kind)) BUG("not a float");
    return float_format(kind);
}

static Tir f8_to_f32(Gen *g, const Type *lane, Tir x) {
    Tirs *b = g->b;
    const FloatFormat *f = format_of(lane);
    Tir sign = tir_2(b, TIR_SHL32, tir_2(b, TIR_AND32, x, tir_i32(b, 0x80)), tir_i32(b, 24));
    if (f->exponent_bits == 5) /* the upper half of an f16 */
        return tir_1(b, TIR_F32_FROM_F16,
                     tir_1(b, TIR_LOW16, tir_2(b, TIR_SHL32, x, tir_i32(b, 8))));
    Tir low = tir_2(b, TIR_AND32, x, tir_i32(b, 0x7f));
    /* Its exponent and mantissa in place; multiplying by 2^(127 - bias) moves the exponent, and
     * makes subnormals normal, exactly. */
    Tir value = tir_2(b, TIR_SHL32, low, tir_i32(b, 23 - f->mantissa_bits));
    value = tir_2(b, TIR_MUL_F32, value, tir_i32(b, (int64_t)(127 + 127 - f->bias) << 23));
    if (f->nan)
        value =
            tir_select(b, tir_2(b, TIR_EQ32, low, tir_i32(b, 0x7f)), tir_i32(b, 0x7fc00000), value);
    return tir_2(b, TIR_OR32, value, sign);
}

static Tir f32_to_f8(Gen *g, const Type *lane, Tir x, bool to_zero) {
    Tirs *b = g->b;
    const FloatFormat *f = format_of(lane);
    int drop = 23 - f->mantissa_bits;
    double largest = constant_to_double(lane, f->largest);
    Tir sign = tir_2(b, TIR_AND32, tir_2(b, TIR_SHR_U32, x, tir_i32(b, 24)), tir_i32(b, 0x80));
    Tir magnitude = tir_2(b, TIR_AND32, x, tir_i32(b, 0x7fffffff));
    Tir is_nan = tir_2(b, TIR_GT_U32, magnitude, tir_i32(b, 0x7f800000));
    Tir a = tir_2(b, TIR_MIN_U32, magnitude, tir_f32(b, (float)largest));
    Tir normal = a;
    if (!to_zero) {
        Tir odd = tir_2(b, TIR_AND32, tir_2(b, TIR_SHR_U32, a, tir_i32(b, drop)), tir_i32(b, 1));
        normal =
            tir_2(b, TIR_ADD32, tir_2(b, TIR_ADD32, a, odd), tir_i32(b, (1 << (drop - 1)) - 1));
    }
    normal = tir_2(b, TIR_SHR_U32, normal, tir_i32(b, drop));
    normal = tir_2(b, TIR_SUB32, normal, tir_i32(b, (127 - f->bias) << f->mantissa_bits));
    /* Subnormals: adding 2^(23 + exponent of the least one) rounds to a multiple of that one. */
    Tir magic = tir_i32(b, (int64_t)(127 + 23 + 1 - f->bias - f->mantissa_bits) << 23);
    Tir small = tir_2(b, to_zero ? TIR_ADDZ_F32 : TIR_ADD_F32, a, magic);
    small = tir_2(b, TIR_SUB32, small, magic);
    Tir is_normal = tir_2(b, TIR_GE_U32, a, tir_i32(b, (int64_t)(127 + 1 - f->bias) << 23));
    Tir result = tir_select(b, is_normal, normal, small);
    if (!f->nan) /* no NaN: the largest number, without the sign */
        return tir_select(b, is_nan, tir_i32(b, 0x7f), tir_2(b, TIR_OR32, result, sign));
    return tir_2(b, TIR_OR32, tir_select(b, is_nan, tir_i32(b, (int64_t)f->nan), result), sign);
}

Tir ptx_to_f32(Gen *g, const Type *lane, Tir x) {
    if (lane->kind == TYPE_F32) return x;
    if (lane->kind == TYPE_F16) return tir_1(g->b, TIR_F32_FROM_F16, x);
    if (lane->kind == TYPE_BF16)
        return tir_2(g->b, TIR_SHL32, tir_1(g->b, TIR_WIDE16, x), tir_i32(g->b, 16));
    if (type_bits(lane) != 8) BUG("no conversion to f32");
    return f8_to_f32(g, lane, x);
}

static Tir f32_to_bf16(Gen *g, Tir x, bool to_zero) {
    Tirs *b = g->b;
    if (!to_zero && g->arch->number >= 80) return tir_1(b, TIR_BF16_FROM_F32, x);
    Tir rounded = x;
    if (!to_zero) {
        Tir odd = tir_2(b, TIR_AND32, tir_2(b, TIR_SHR_U32, x, tir_i32(b, 16)), tir_i32(b, 1));
        rounded = tir_2(b, TIR_ADD32, tir_2(b, TIR_ADD32, x, odd), tir_i32(b, 0x7fff));
    }
    Tir is_nan = tir_2(b, TIR_NE_F32, x, x);
    rounded = tir_select(b, is_nan, tir_i32(b, 0x7fff0000), rounded);
    return tir_1(b, TIR_LOW16, tir_2(b, TIR_SHR_U32, rounded, tir_i32(b, 16)));
}

Tir ptx_from_f32(Gen *g, const Type *lane, Tir x, bool to_zero) {
    if (lane->kind == TYPE_F32) return x;
    if (lane->kind == TYPE_F16)
        return tir_1(g->b, to_zero ? TIR_F16Z_FROM_F32 : TIR_F16_FROM_F32, x);
    if (lane->kind == TYPE_BF16) return f32_to_bf16(g, x, to_zero);
    if (type_bits(lane) != 8) BUG("no conversion from f32");
    return f32_to_f8(g, lane, x, to_zero);
}

static Tir float_sign_op(Gen *g, const Type *lane, Tir x, bool negate) {
    Tirs *b = g->b;
    int bits = type_bits(lane);
    uint64_t sign = 1ull << (bits - 1);
    if (bits == 64)
        return negate ? tir_2(b, TIR_XOR64, x, tir_const(b, CLASS_B64, sign))
                      : tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, sign - 1));
    Tir wide = bits == 16 ? tir_1(b, TIR_WIDE16, x) : x;
    wide = negate ? tir_2(b, TIR_XOR32, wide, tir_i32(b, (int64_t)sign))
                  : tir_2(b, TIR_AND32, wide, tir_i32(b, (int64_t)sign - 1));
    return bits == 16 ? tir_1(b, TIR_LOW16, wide) : wide;
}

static Tir float_min_max(Gen *g, const Op *op, bool is_f64, Tir x, Tir y) {
    Tirs *b = g->b;
    bool is_max = op->kind == OP_FMAX, nan_wins = min_max_nan(op);
    if (nan_wins && !is_f64 && g->arch->number >= 80)
        return tir_2(b, is_max ? TIR_MAXNAN_F32 : TIR_MINNAN_F32, x, y);
    TirOp plain = is_f64 ? is_max ? TIR_MAX_F64 : TIR_MIN_F64 : is_max ? TIR_MAX_F32 : TIR_MIN_F32;
    Tir result = tir_2(b, plain, x, y);
    if (!nan_wins) return result;
    TirOp differs = is_f64 ? TIR_NE_F64 : TIR_NE_F32;
    result = tir_select(b, tir_2(b, differs, y, y), y, result);
    return tir_select(b, tir_2(b, differs, x, x), x, result);
}

static bool is_shared(const Value *value) {
    return value->def && (value->def->kind == OP_SPLAT || value->def->kind == OP_BROADCAST);
}

/* x / y where many lanes share y: its reciprocal is made once. Both are scaled first, so that what
 * is inverted, and its inverse, are normal; within 2 ulp, as div.full is. */
static Tir divide_by_shared(Tirs *b, Tir x, Tir y) {
    Tir size = tir_2(b, TIR_AND32, y, tir_i32(b, INT32_MAX));
    Tir is_big = tir_2(b, TIR_GT_U32, size, tir_f32(b, 0x1p126f));
    Tir is_small = tir_2(b, TIR_LT_U32, size, tir_f32(b, 0x1p-126f));
    Tir scale = tir_select(b, is_small, tir_f32(b, 0x1p24f), tir_f32(b, 1));
    scale = tir_select(b, is_big, tir_f32(b, 0.25f), scale);
    Tir inverse = tir_1(b, TIR_RCP_F32, tir_2(b, TIR_MUL_F32, y, scale));
    return tir_2(b, TIR_MUL_F32, tir_2(b, TIR_MUL_F32, x, scale), inverse);
}

static Tir divide_f32(Tirs *b, const Op *op, Accuracy accuracy, Tir x, Tir y) {
    if (accuracy == ACCURACY_EXACT) return tir_2(b, TIR_DIV_F32, x, y);
    if (is_shared(op->operands[1])) return divide_by_shared(b, x, y);
    Tir quotient = tir_over_power(b, x, y);
    return quotient ? quotient : tir_2(b, TIR_DIVFULL_F32, x, y);
}

/* narrow: the result is rounded again. CUDA C has precise functions. */
static Accuracy accuracy_of(const Gen *g, const Op *op, bool narrow) {
    if (narrow || (op->kind == OP_FDIV && fdiv_exact(op)) ||
        (op->kind == OP_SQRT && sqrt_exact(op)))
        return ACCURACY_EXACT;
    bool precise = g->options->precise || g->fn->form == FORM_THREAD ||
                   (op->kind == OP_EXP && exp_precise(op));
    return precise ? ACCURACY_PRECISE : ACCURACY_FAST;
}

/* f32 or f64 operands; narrow: the result is rounded again, to fewer bits. */
static Tir float_op(Gen *g, const Op *op, bool is_f64, const Tir *a, bool narrow) {
    Tirs *b = g->b;
    Tir x = a[0], y = a[1];
    Accuracy accuracy = accuracy_of(g, op, narrow);
    if (op->kind == OP_FMIN || op->kind == OP_FMAX) return float_min_max(g, op, is_f64, x, y);
    if (op->kind == OP_FMA) return tir_3(b, is_f64 ? TIR_FMA_F64 : TIR_FMA_F32, x, y, a[2]);
    switch (op->kind) {
#define FLOAT2(row, text, traits, meaning, lane, f32, f64)                                         \
    case OP_##row:                                                                                 \
        return is_f64 ? f64 : f32;
#include "ir/ops.def"
#define FLOAT1(row, ...) case OP_##row:
#include "ir/ops.def"
        return math_function(b, op->kind, accuracy, is_f64, x);
#define OP(row, ...) case OP_##row:
#define FLOAT1(...)
#define FLOAT2(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("no '%s' of floats", op_info(op->kind)->name);
}

/* The larger, or smaller, of two is one of them: nothing is rounded. 0: not by one instruction. */
static Tir half_min_max(Gen *g, const Op *op, bool is_f16, const Tir *a) {
    if ((op->kind != OP_FMIN && op->kind != OP_FMAX) || min_max_nan(op)) return 0;
    if (g->arch->number < 80) return 0;
    bool is_max = op->kind == OP_FMAX;
    TirOp made = is_f16   ? is_max ? TIR_MAX_F16 : TIR_MIN_F16
                 : is_max ? TIR_MAX_BF16
                          : TIR_MIN_BF16;
    return tir_2(g->b, made, a[0], a[1]);
}

/* What f16 has an instruction for; 0: it goes through f32. */
static Tir f16_op(Gen *g, OpKind kind, const Tir *a) {
    if (kind == OP_FADD) return tir_2(g->b, TIR_ADD_F16, a[0], a[1]);
    if (kind == OP_FSUB) return tir_2(g->b, TIR_SUB_F16, a[0], a[1]);
    if (kind == OP_FMUL) return tir_2(g->b, TIR_MUL_F16, a[0], a[1]);
    if (kind == OP_FMA) return tir_3(g->b, TIR_FMA_F16, a[0], a[1], a[2]);
    return 0;
}

/* Through f32 a fused sum would be rounded twice. */
static Tir bf16_op(Gen *g, OpKind kind, const Tir *a) {
    int sm = g->arch->number;
    if (kind == OP_FMA && sm >= 80) return tir_3(g->b, TIR_FMA_BF16, a[0], a[1], a[2]);
    if (kind == OP_FADD && sm >= 90) return tir_2(g->b, TIR_ADD_BF16, a[0], a[1]);
    if (kind == OP_FSUB && sm >= 90) return tir_2(g->b, TIR_SUB_BF16, a[0], a[1]);
    if (kind == OP_FMUL && sm >= 90) return tir_2(g->b, TIR_MUL_BF16, a[0], a[1]);
    return 0;
}

static Tir ptx_float(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    if (op->kind == OP_FNEG || op->kind == OP_FABS)
        return float_sign_op(g, lane, args[0], op->kind == OP_FNEG);
    if (lane->kind == TYPE_F32 || lane->kind == TYPE_F64)
        return float_op(g, op, lane->kind == TYPE_F64, args, false);
    bool is_f16 = lane->kind == TYPE_F16, is_half = is_f16 || lane->kind == TYPE_BF16;
    Tir native = is_half ? half_min_max(g, op, is_f16, args) : 0;
    if (!native && is_half) native = (is_f16 ? f16_op : bf16_op)(g, op->kind, args);
    if (native) return native;
    Tir wide[3] = {0};
    for (int i = 0; i < op->num_operands; i++) wide[i] = ptx_to_f32(g, lane, args[i]);
    Tir result = float_op(g, op, false, wide, true), narrow = ptx_from_f32(g, lane, result, false);
    bool keeps_infinity = !format_of(lane)->saturates || !format_of(lane)->has_infinity;
    if (keeps_infinity || (op->kind != OP_FMIN && op->kind != OP_FMAX)) return narrow;
    /* An infinity must stay one: narrowing would make it the largest number. */
    narrow = tir_select(g->b, tir_2(g->b, TIR_EQ_F32, result, wide[1]), args[1], narrow);
    return tir_select(g->b, tir_2(g->b, TIR_EQ_F32, result, wide[0]), args[0], narrow);
}

static Tir ptx_fcmp(Gen *g, const Op *op, const Type *lane, const Tir *args) {
    static const TirOp narrow[] = {TIR_EQ_F32, TIR_NE_F32, TIR_LT_F32,
                                   TIR_LE_F32, TIR_GT_F32, TIR_GE_F32};
    static const TirOp wide[] = {TIR_EQ_F64, TIR_NE_F64, TIR_LT_F64,
                                 TIR_LE_F64, TIR_GT_F64, TIR_GE_F64};
    int64_t predicate = fcmp_predicate(op);
    if (lane->kind == TYPE_F64) return tir_2(g->b, wide[predicate], args[0], args[1]);
    return tir_2(g->b, narrow[predicate], ptx_to_f32(g, lane, args[0]),
                 ptx_to_f32(g, lane, args[1]));
}

/* ---- casts ---- */

/* f64 -> f32 rounded to odd: a later rounding to a narrower type is then right (Boldo, Melquiond).
 */
static Tir f64_to_odd_f32(Gen *g, Tir x) {
    Tirs *b = g->b;
    Tir cut = tir_1(b, TIR_F32Z_FROM_F64, x);
    Tir inexact = tir_2(b, TIR_NE_F64, tir_1(b, TIR_F64_FROM_F32, cut), x);
    Tir is_nan = tir_2(b, TIR_NE_F64, x, x);
    return tir_select(
        b, is_nan, cut,
        tir_2(b, TIR_OR32, cut, tir_select(b, inexact, tir_i32(b, 1), tir_i32(b, 0))));
}

/* |x| < 2^64 as f32 rounded to odd. */
static Tir u64_to_odd_f32(Gen *g, Tir x) {
    Tirs *b = g->b;
    /* From 2^32 on the lowest 11 bits are or-ed into the one above: 21 significant bits are left at
     * least, more than what is rounded to needs. */
    Tir high = tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, x, tir_i32(b, 32)));
    Tir low = tir_1(b, TIR_LOW32, x);
    Tir some = tir_2(b, TIR_NE32, tir_2(b, TIR_AND32, low, tir_i32(b, 0x7ff)), tir_i32(b, 0));
    Tir is_big = tir_2(b, TIR_NE32, high, tir_i32(b, 0));
    Tir kept = tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, ~0x7ffull));
    kept = tir_2(b, TIR_OR64, kept,
                 tir_1(b, TIR_ZEXT, tir_select(b, some, tir_i32(b, 1 << 11), tir_i32(b, 0))));
    /* 64 - 11 = 53 bits: f64 holds them, and small numbers whole. */
    Tir value = tir_select(b, is_big, kept, x);
    return f64_to_odd_f32(g, tir_1(b, TIR_F64_FROM_U64, value));
}

static Tir int_to_float(Gen *g, const Type *from, const Type *to, Tir x, bool is_signed) {
    Tirs *b = g->b;
    bool wide = type_bits(from) == 64;
    if (!wide) x = is_signed ? ptx_sign_extended(g, from, x) : ptx_zero_extended(g, from, x);
    if (to->kind == TYPE_F64)
        return tir_1(b,
                     wide        ? is_signed ? TIR_F64_FROM_S64 : TIR_F64_FROM_U64
                     : is_signed ? TIR_F64_FROM_S32
                                 : TIR_F64_FROM_U32,
                     x);
    if (to->kind == TYPE_F32 || type_bits(from) <= 16) {
        Tir f = tir_1(b,
                      wide        ? is_signed ? TIR_F32_FROM_S64 : TIR_F32_FROM_U64
                      : is_signed ? TIR_F32_FROM_S32
                                  : TIR_F32_FROM_U32,
                      x);
        return ptx_from_f32(g, to, f, false);
    }
    if (!wide) {
        Tir f = tir_1(b, is_signed ? TIR_F64_FROM_S32 : TIR_F64_FROM_U32, x);
        return ptx_from_f32(g, to, f64_to_odd_f32(g, f), false);
    }
    Tir negative = is_signed ? tir_2(b, TIR_LT_S64, x, tir_i64(b, 0)) : tir_bool(b, false);
    Tir magnitude = tir_select(b, negative, tir_2(b, TIR_SUB64, tir_i64(b, 0), x), x);
    Tir f = u64_to_odd_f32(g, magnitude);
    Tir sign = tir_select(b, negative, tir_i32(b, INT32_MIN), tir_i32(b, 0));
    return ptx_from_f32(g, to, tir_2(b, TIR_OR32, f, sign), false);
}

static Tir float_to_int(Gen *g, const Type *from, const Type *to, Tir x, bool is_signed) {
    Tirs *b = g->b;
    bool is_f64 = from->kind == TYPE_F64;
    int bits = type_bits(to);
    if (!is_f64) x = ptx_to_f32(g, from, x);
    if (bits == 1) is_signed = false;
    bool wide = bits == 64;
    TirOp op = is_f64      ? wide        ? is_signed ? TIR_S64_FROM_F64 : TIR_U64_FROM_F64
                             : is_signed ? TIR_S32_FROM_F64
                                         : TIR_U32_FROM_F64
               : wide      ? is_signed ? TIR_S64_FROM_F32 : TIR_U64_FROM_F32
               : is_signed ? TIR_S32_FROM_F32
                           : TIR_U32_FROM_F32;
    Tir result = tir_1(b, op, x);
    if (is_f64 || wide) { /* else that is what `cvt` makes of a NaN */
        Tir is_nan = tir_2(b, is_f64 ? TIR_NE_F64 : TIR_NE_F32, x, x);
        result = tir_select(b, is_nan, tir_const(b, wide ? CLASS_B64 : CLASS_B32, 0), result);
    }
    if (bits >= 32) return result;
    int64_t most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    result = tir_2(b, is_signed ? TIR_MIN_S32 : TIR_MIN_U32, result, tir_i32(b, most));
    if (is_signed) result = tir_2(b, TIR_MAX_S32, result, tir_i32(b, -most - 1));
    return bits == 1 ? tir_2(b, TIR_NE32, result, tir_i32(b, 0)) : result;
}

static Tir widen_int(Gen *g, const Type *from, const Type *to, Tir x, bool is_signed) {
    if (type_bits(from) == 1) {
        uint64_t ones = is_signed ? ~0ull : 1;
        RegClass class = ptx_class_of(to);
        return tir_select(g->b, x, tir_const(g->b, class, ones), tir_const(g->b, class, 0));
    }
    Tir wide = is_signed ? ptx_sign_extended(g, from, x) : ptx_zero_extended(g, from, x);
    if (type_bits(to) < 64) return wide;
    return tir_1(g->b, is_signed ? TIR_SEXT : TIR_ZEXT, wide);
}

static Tir bitcast(Gen *g, const Type *from, const Type *to, Tir x) {
    RegClass a = ptx_class_of(from), c = ptx_class_of(to);
    if (a == c) return x;
    if (a == CLASS_B16 && c == CLASS_B32) return tir_1(g->b, TIR_WIDE16, x);
    if (a == CLASS_B32 && c == CLASS_B16) return tir_1(g->b, TIR_LOW16, x);
    BUG("bitcast between classes %d and %d", a, c);
}

static Tir ptx_cast(Gen *g, const Op *op, const Type *from, const Type *to, Tir x) {
    Tirs *b = g->b;
    switch (op->kind) {
    case OP_EXT_S: return widen_int(g, from, to, x, true);
    case OP_EXT_U: return widen_int(g, from, to, x, false);
    case OP_TRUNC: {
        Tir low = type_bits(from) == 64 ? tir_1(b, TIR_LOW32, x) : x;
        return type_bits(to) == 1 ? is_odd(g, low) : low;
    }
    case OP_FEXT:
    case OP_FTRUNC: {
        bool to_zero = op->kind == OP_FTRUNC && ftrunc_rounding(op) == ROUND_RTZ;
        if (to->kind == TYPE_F64) return tir_1(b, TIR_F64_FROM_F32, ptx_to_f32(g, from, x));
        if (from->kind != TYPE_F64) return ptx_from_f32(g, to, ptx_to_f32(g, from, x), to_zero);
        if (to->kind == TYPE_F32)
            return tir_1(b, to_zero ? TIR_F32Z_FROM_F64 : TIR_F32_FROM_F64, x);
        return ptx_from_f32(g, to, f64_to_odd_f32(g, x), to_zero);
    }
    case OP_S_TO_F: return int_to_float(g, from, to, x, true);
    case OP_U_TO_F: return int_to_float(g, from, to, x, false);
    case OP_F_TO_S: return float_to_int(g, from, to, x, true);
    case OP_F_TO_U: return float_to_int(g, from, to, x, false);
    case OP_BITCAST: return bitcast(g, from, to, x);
#define OP(row, ...) case OP_##row:
#define CAST(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is no cast", op_info(op->kind)->name);
}

/* ---- all ---- */

/* Of thread form: x * size, where x is an index of 32 bits times a number, in one instruction;
 * 0: it is not. Offsets of tiles stay sums, of which many lanes share a part. */
static Tir scaled_index(Gen *g, Tir x, int64_t size) {
    uint64_t number;
    while (size <= INT16_MAX && tir_is(g->b, x, TIR_SHL64) &&
           tir_is_const(g->b, tir_argument(g->b, x, 1), &number) && number < 16)
        size <<= number, x = tir_argument(g->b, x, 0);
    if (size <= INT16_MAX && tir_is(g->b, x, TIR_MUL64) &&
        tir_is_const(g->b, tir_argument(g->b, x, 1), &number) && number <= INT16_MAX)
        size *= (int64_t)number, x = tir_argument(g->b, x, 0);
    bool is_signed = tir_is(g->b, x, TIR_SEXT);
    if (size == 1 || size > INT32_MAX || !(is_signed || tir_is(g->b, x, TIR_ZEXT))) return 0;
    return tir_2(g->b, is_signed ? TIR_MULWIDE_S32 : TIR_MULWIDE_U32, tir_argument(g->b, x, 0),
                 tir_i32(g->b, size));
}

static Tir ptx_addptr(Gen *g, const Op *op, const Tir *args) {
    const Type *pointer = type_lane(addptr_pointer(op)->type),
               *offset = type_lane(addptr_offset(op)->type);
    Tir wide = args[1];
    int size = type_size_bytes(pointer->elem);
    if (type_bits(offset) < 64) wide = tir_1(g->b, TIR_SEXT, ptx_sign_extended(g, offset, wide));
    Tir bytes = g->fn->form == FORM_THREAD ? scaled_index(g, wide, size) : 0;
    if (!bytes) bytes = tir_2(g->b, TIR_MUL64, wide, tir_i64(g->b, size));
    return tir_2(g->b, TIR_ADD64, args[0], bytes);
}

Tir ptx_lane(Gen *g, const Op *op, const Tir *args) {
    const Type *lane = type_lane(op->operands[0]->type), *to = type_lane(op_result(op)->type);
    switch (op->kind) {
    case OP_SELECT: return tir_select(g->b, args[0], args[1], args[2]);
    case OP_ICMP: return ptx_icmp(g, op, lane, args);
    case OP_FCMP: return ptx_fcmp(g, op, lane, args);
    case OP_ADDPTR: return ptx_addptr(g, op, args);
    case OP_HINT: return args[0];
    case OP_FMIN:
    case OP_FMAX:
    case OP_FMA:
    case OP_FNEG:
    case OP_FABS:
#define FLOAT1(row, ...) case OP_##row:
#define FLOAT2(row, ...) case OP_##row:
#include "ir/ops.def"
        return ptx_float(g, op, lane, args);
#define CAST(row, ...) case OP_##row:
#include "ir/ops.def"
        return ptx_cast(g, op, lane, to, args[0]);
#define INT(row, ...) case OP_##row:
#include "ir/ops.def"
        return ptx_int(g, op, lane, args);
#define OP(row, ...) case OP_##row:
#define LANE(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is not lane by lane", op_info(op->kind)->name);
}
