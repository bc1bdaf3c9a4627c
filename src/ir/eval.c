// SPDX-License-Identifier: Apache-2.0
/* eval: what an elementwise op computes, one lane at a time. Plain on purpose: this is the meaning
 * that every executor is compared with.
 *
 * f16, bf16 and f32 are computed in double and rounded once. For + - * / and sqrt that is the
 * correctly rounded result: a double has more than twice their digits and two to spare (Figueroa,
 * 1995). A NaN that an op makes is the quiet NaN without sign and payload. */
#include "ir/ir.h"

#include <math.h>

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

typedef struct Lane {
    const Type *type; /* of operand 0, scalar */
    const Type *result;
    int width; /* bits of operand 0 */
    const uint64_t *in;
    const Op *op;
} Lane;

static uint64_t low_bits(uint64_t bits, int width) {
    return width == 64 ? bits : bits & ((1ull << width) - 1);
}

static int64_t signed_in(const Lane *lane, int index) {
    return constant_to_int(lane->type, lane->in[index]);
}

static FloatKind kind_of(const Type *type) {
    FloatKind kind;
    if (!float_kind_of(type, &kind)) BUG("not a float type");
    return kind;
}

static double float_in(const Lane *lane, int index) {
    return float_decode(kind_of(lane->type), lane->in[index]);
}

static uint64_t float_out(const Type *type, double value) {
    FloatKind kind = kind_of(type);
    return isnan(value) ? float_nan(kind) : float_encode(kind, value, FLOAT_NEAREST_EVEN);
}

bool icmp_holds(int64_t predicate, uint64_t a, uint64_t b, int64_t sa, int64_t sb) {
    switch (predicate) {
    case ICMP_EQ: return a == b;
    case ICMP_NE: return a != b;
    case ICMP_SLT: return sa < sb;
    case ICMP_SLE: return sa <= sb;
    case ICMP_SGT: return sa > sb;
    case ICMP_SGE: return sa >= sb;
    case ICMP_ULT: return a < b;
    case ICMP_ULE: return a <= b;
    case ICMP_UGT: return a > b;
    case ICMP_UGE: return a >= b;
    }
    BUG("bad predicate %d", (int)predicate);
}

static bool fcmp(const Lane *lane, int64_t predicate) {
    double a = float_in(lane, 0), b = float_in(lane, 1);
    switch (predicate) {
    case FCMP_OEQ: return a == b;
    case FCMP_UNE: return a != b;
    case FCMP_OLT: return a < b;
    case FCMP_OLE: return a <= b;
    case FCMP_OGT: return a > b;
    case FCMP_OGE: return a >= b;
    }
    BUG("bad predicate %d", (int)predicate);
}

static uint64_t min_max(const Lane *lane, bool is_max) {
    double a = float_in(lane, 0), b = float_in(lane, 1);
    bool nan_wins = min_max_nan(lane->op);
    if (isnan(a) || isnan(b)) {
        if (nan_wins || (isnan(a) && isnan(b))) return float_nan(kind_of(lane->type));
        return isnan(a) ? lane->in[1] : lane->in[0];
    }
    if (a == b) return !signbit(a) == is_max ? lane->in[0] : lane->in[1]; /* -0 is below +0 */
    return (a < b) == is_max ? lane->in[1] : lane->in[0];
}

static uint64_t float_to_int(const Lane *lane, bool is_signed) {
    double a = trunc(float_in(lane, 0));
    int width = type_bits(lane->result);
    if (width == 1) is_signed = false; /* i1 is 0 or 1 */
    double least = is_signed ? -ldexp(1, width - 1) : 0;
    double limit = ldexp(1, is_signed ? width - 1 : width);
    uint64_t most = low_bits(UINT64_MAX, is_signed ? width - 1 : width);
    if (isnan(a)) return 0;
    if (a <= least) return is_signed ? 1ull << (width - 1) : 0;
    if (a >= limit) return most;
    return low_bits(is_signed ? (uint64_t)(int64_t)a : (uint64_t)a, width);
}

static int64_t sign_extended(uint64_t bits, int width) { /* i1 is 0 or 1 */
    if (width == 1 || width == 64) return (int64_t)bits;
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

bool eval_int(OpKind kind, int bits, uint64_t a, uint64_t b, uint64_t *out) {
    typedef uint64_t U;
    typedef int64_t L;
    typedef uint64_t UL;
    const int64_t sa = sign_extended(a, bits), sb = sign_extended(b, bits);
    const U width = (U)bits;
    switch (kind) {
#define INT(row, text, operands, traits, meaning, form, lane)                                      \
    case OP_##row:                                                                                 \
        *out = low_bits((U)(lane), bits);                                                          \
        return true;
#include "ir/ops.def"
#define OP(row, ...) case OP_##row:
#define INT(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    return false;
}

static uint64_t fused(const Lane *lane) {
    FloatKind kind = kind_of(lane->type);
    uint64_t bits = float_fma(kind, lane->in[0], lane->in[1], lane->in[2]);
    return isnan(float_decode(kind, bits)) ? float_nan(kind) : bits;
}

/* A row FLOAT1 or FLOAT2, computed in f64 and rounded once. */
static uint64_t float_row(const Lane *lane) {
    double a = float_in(lane, 0), b = lane->op->num_operands > 1 ? float_in(lane, 1) : 0;
    switch (lane->op->kind) {
#define FLOAT1(row, text, rule, meaning, lane_, f32, f64)                                          \
    case OP_##row:                                                                                 \
        return float_out(lane->result, lane_);
#define FLOAT2(row, text, traits, meaning, lane_, f32, f64)                                        \
    case OP_##row:                                                                                 \
        return float_out(lane->result, lane_);
#include "ir/ops.def"
#define OP(row, ...) case OP_##row:
#define FLOAT1(...)
#define FLOAT2(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("not a function of floats: %s", op_infos[lane->op->kind].name);
}

static uint64_t float_cast(const Lane *lane, FloatRounding rounding) {
    return float_encode(kind_of(lane->result), float_in(lane, 0), rounding);
}

static uint64_t moved(const Lane *lane) {
    const Type *offset = type_lane(addptr_offset(lane->op)->type);
    return lane->in[0] + (uint64_t)constant_to_int(offset, lane->in[1]) *
                             (uint64_t)type_size_bytes(lane->type->elem);
}

bool eval_lane(const Op *op, const uint64_t *in, uint64_t *out) {
    if (!op_has_trait(op, ELEMENTWISE)) return false;
    const Type *type = type_lane(op->operands[0]->type), *to = type_lane(op->results[0].type);
    Lane lane = {type, to, type_bits(type), in, op};
    uint64_t a = in[0], sign = 1ull << (lane.width - 1);
    switch (op->kind) {
    case OP_ICMP:
        *out =
            icmp_holds(icmp_predicate(op), in[0], in[1], signed_in(&lane, 0), signed_in(&lane, 1));
        return true;
    case OP_FCMP: *out = fcmp(&lane, fcmp_predicate(op)); return true;
    case OP_SELECT: *out = a ? in[1] : in[2]; return true;
    case OP_ADDPTR: *out = moved(&lane); return true;
    case OP_FMIN: *out = min_max(&lane, false); return true;
    case OP_FMAX: *out = min_max(&lane, true); return true;
    case OP_FMA: *out = fused(&lane); return true;
    case OP_FNEG: *out = a ^ sign; return true;
    case OP_FABS: *out = a & ~sign; return true;
    case OP_EXT_S:
        *out = low_bits(lane.width == 1 ? 0 - a : (uint64_t)signed_in(&lane, 0), type_bits(to));
        return true;
    case OP_EXT_U:
    case OP_BITCAST: *out = a; return true;
    case OP_TRUNC: *out = low_bits(a, type_bits(to)); return true;
    case OP_FEXT: *out = float_cast(&lane, FLOAT_NEAREST_EVEN); return true;
    case OP_FTRUNC:
        *out = float_cast(&lane, ftrunc_rounding(op) == ROUND_RTZ ? FLOAT_TOWARD_ZERO
                                                                  : FLOAT_NEAREST_EVEN);
        return true;
    case OP_S_TO_F: *out = float_from_signed(kind_of(to), signed_in(&lane, 0)); return true;
    case OP_U_TO_F: *out = float_from_unsigned(kind_of(to), a); return true;
    case OP_F_TO_S: *out = float_to_int(&lane, true); return true;
    case OP_F_TO_U: *out = float_to_int(&lane, false); return true;
#define FLOAT1(row, ...) case OP_##row:
#define FLOAT2(row, ...) case OP_##row:
#include "ir/ops.def"
        *out = float_row(&lane);
        return true;
#define INT(row, ...) case OP_##row:
#include "ir/ops.def"
        return eval_int(op->kind, lane.width, a, op->num_operands > 1 ? in[1] : 0, out);
#define OP(row, ...) case OP_##row:
#define LANE(...)
#include "ir/ops.def"
    case OP_HINT:
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is elementwise and has no meaning", op_infos[op->kind].name);
}
