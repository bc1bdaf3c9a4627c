// SPDX-License-Identifier: Apache-2.0
/* lane: ops that work lane by lane. What an op means for one lane is said once, by eval_lane
 * (the constant folder asks it too); the loops here for frequent types say the same, faster, and a
 * test compares them with it. An operand of one lane stands for all lanes. */
#include "device/interp/interp.h"

#include <math.h>

typedef struct Operands {
    int count; /* lanes of the result */
    int num;
    const Lanes *lanes[3];
    int step[3]; /* 0: one lane for all */
} Operands;

uint64_t lane_eval(const Op *op, const uint64_t *operands) {
    uint64_t result = 0;
    if (!eval_lane(op, operands, &result))
        BUG("interp: '%s' has no value", op_info(op->kind)->name);
    return result;
}

/* A NaN that an op makes has neither sign nor payload; what a processor makes varies. */
static inline float plain_nan(float a) { return a != a ? __builtin_nanf("") : a; }

static Operands operands_of(Program *p, const Op *op) {
    Operands in = {.count = 1, .num = op->num_operands};
    for (int i = 0; i < in.num; i++) {
        in.lanes[i] = operand(p, op, i);
        if (in.lanes[i]->count > in.count) in.count = in.lanes[i]->count;
    }
    for (int i = 0; i < in.num; i++) in.step[i] = in.lanes[i]->count > 1;
    return in;
}

#define LOOP1(R, A, EXPRESSION)                                                                    \
    do {                                                                                           \
        const A *as = (const A *)(const void *)in->lanes[0]->data;                                 \
        R *rs = (R *)(void *)out->data;                                                            \
        for (int i = 0; i < in->count; i++) {                                                      \
            A a = as[i];                                                                           \
            rs[i] = (R)(EXPRESSION);                                                               \
        }                                                                                          \
    } while (0)

#define LOOP2(R, T, EXPRESSION)                                                                    \
    do {                                                                                           \
        const T *as = (const T *)(const void *)in->lanes[0]->data;                                 \
        const T *bs = (const T *)(const void *)in->lanes[1]->data;                                 \
        R *rs = (R *)(void *)out->data;                                                            \
        int da = in->step[0], db = in->step[1];                                                    \
        for (int i = 0; i < in->count; i++, as += da, bs += db) {                                  \
            T a = *as, b = *bs;                                                                    \
            rs[i] = (R)(EXPRESSION);                                                               \
        }                                                                                          \
    } while (0)

#define IF_INT(KIND, EXPRESSION)                                                                   \
    if (op->kind == OP_##KIND && in->lanes[0]->size == 4) {                                        \
        LOOP2(uint32_t, uint32_t, EXPRESSION);                                                     \
        return true;                                                                               \
    }                                                                                              \
    if (op->kind == OP_##KIND && in->lanes[0]->size == 8) {                                        \
        LOOP2(uint64_t, uint64_t, EXPRESSION);                                                     \
        return true;                                                                               \
    }

#define IF_LANE(KIND, LOOP, T, EXPRESSION)                                                         \
    if (op->kind == OP_##KIND) {                                                                   \
        LOOP(T, T, EXPRESSION);                                                                    \
        return true;                                                                               \
    }

static bool fast_bool(const Op *op, const Operands *in, Lanes *out) {
    IF_LANE(AND, LOOP2, uint8_t, a & b)
    IF_LANE(OR, LOOP2, uint8_t, a | b)
    IF_LANE(XOR, LOOP2, uint8_t, a ^ b)
    return false;
}

static bool fast_int(const Op *op, const Operands *in, Lanes *out) {
    if (type_is_bool(op->operands[0]->type)) return fast_bool(op, in, out);
    IF_INT(ADD, a + b)
    IF_INT(SUB, a - b)
    IF_INT(MUL, a * b)
    IF_INT(AND, a & b)
    IF_INT(OR, a | b)
    IF_INT(XOR, a ^ b)
    return false;
}

static bool fast_float(const Op *op, const Operands *in, Lanes *out) {
    IF_LANE(FADD, LOOP2, float, plain_nan(a + b))
    IF_LANE(FSUB, LOOP2, float, plain_nan(a - b))
    IF_LANE(FMUL, LOOP2, float, plain_nan(a * b))
    IF_LANE(FDIV, LOOP2, float, plain_nan(a / b))
    IF_LANE(FNEG, LOOP1, uint32_t, a ^ 0x80000000u)
    IF_LANE(FABS, LOOP1, uint32_t, a & 0x7fffffffu)
    IF_LANE(SQRT, LOOP1, float, plain_nan(sqrtf(a)))
    return false;
}

#define COMPARE_LOOPS(S, U)                                                                        \
    switch (icmp_predicate(op)) {                                                                  \
    case ICMP_EQ: LOOP2(uint8_t, U, a == b); return true;                                          \
    case ICMP_NE: LOOP2(uint8_t, U, a != b); return true;                                          \
    case ICMP_SLT: LOOP2(uint8_t, S, a < b); return true;                                          \
    case ICMP_SLE: LOOP2(uint8_t, S, a <= b); return true;                                         \
    case ICMP_SGT: LOOP2(uint8_t, S, a > b); return true;                                          \
    case ICMP_SGE: LOOP2(uint8_t, S, a >= b); return true;                                         \
    case ICMP_ULT: LOOP2(uint8_t, U, a < b); return true;                                          \
    case ICMP_ULE: LOOP2(uint8_t, U, a <= b); return true;                                         \
    case ICMP_UGT: LOOP2(uint8_t, U, a > b); return true;                                          \
    case ICMP_UGE: LOOP2(uint8_t, U, a >= b); return true;                                         \
    default: return false;                                                                         \
    }

static bool fast_icmp(const Op *op, const Operands *in, Lanes *out) {
    if (in->lanes[0]->size == 4) COMPARE_LOOPS(int32_t, uint32_t)
    if (in->lanes[0]->size == 8) COMPARE_LOOPS(int64_t, uint64_t)
    return false;
}

#define CASE_FCMP(PREDICATE, EXPRESSION)                                                           \
    case FCMP_##PREDICATE: LOOP2(uint8_t, float, EXPRESSION); return true;

static bool fast_fcmp(const Op *op, const Operands *in, Lanes *out) {
    switch (fcmp_predicate(op)) {
        CASE_FCMP(OEQ, a == b)
        CASE_FCMP(UNE, a != b)
        CASE_FCMP(OLT, a < b)
        CASE_FCMP(OLE, a <= b)
        CASE_FCMP(OGT, a > b)
        CASE_FCMP(OGE, a >= b)
    default: return false;
    }
}

#define IF_CAST(KIND, FROM, TO, R, A, EXPRESSION)                                                  \
    if (op->kind == OP_##KIND && from == TYPE_##FROM && to == TYPE_##TO) {                         \
        LOOP1(R, A, EXPRESSION);                                                                   \
        return true;                                                                               \
    }

static bool fast_cast(const Op *op, const Operands *in, Lanes *out) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op_result(op)->type)->kind;
    IF_CAST(EXT_S, I32, I64, int64_t, int32_t, a)
    IF_CAST(TRUNC, I64, I32, uint32_t, uint64_t, a)
    IF_CAST(S_TO_F, I32, F32, float, int32_t, a)
    IF_CAST(FEXT, BF16, F32, uint32_t, uint16_t, (uint32_t)a << 16)
    return false;
}

#define SELECT_LOOP(T)                                                                             \
    do {                                                                                           \
        const uint8_t *cs = (const uint8_t *)in->lanes[0]->data;                                   \
        const T *as = (const T *)(const void *)in->lanes[1]->data;                                 \
        const T *bs = (const T *)(const void *)in->lanes[2]->data;                                 \
        T *rs = (T *)(void *)out->data;                                                            \
        for (int i = 0; i < in->count; i++)                                                        \
            rs[i] = cs[i * in->step[0]] & 1 ? as[i * in->step[1]] : bs[i * in->step[2]];           \
    } while (0)

static bool fast_select(const Operands *in, Lanes *out) {
    switch (out->size) {
    case 1: SELECT_LOOP(uint8_t); break;
    case 2: SELECT_LOOP(uint16_t); break;
    case 4: SELECT_LOOP(uint32_t); break;
    default: SELECT_LOOP(uint64_t); break;
    }
    return true;
}

static bool fast(const Op *op, const Operands *in, Lanes *out) {
    if (op->kind == OP_SELECT) return fast_select(in, out);
    if (op->kind == OP_ICMP) return fast_icmp(op, in, out);
    const Type *type = type_lane(op->operands[0]->type);
    if (op->kind == OP_FCMP) return type->kind == TYPE_F32 && fast_fcmp(op, in, out);
    if (fast_cast(op, in, out)) return true;
    if (type->kind == TYPE_F32) return fast_float(op, in, out);
    return type_is_int(type) && fast_int(op, in, out);
}

bool exec_lanes(Program *p, const Op *op) {
    const Value *result = op_result(op);
    Operands in = operands_of(p, op);
    if (op->kind == OP_BITCAST) {
        slot_set(p, result, lanes_share(operand(p, op, 0)));
        return true;
    }
    Lanes *out = lanes_new(p, in.count, type_size_bytes(result->type));
    if (!out) return false;
    if (!fast(op, &in, out)) {
        for (int i = 0; i < in.count; i++) {
            uint64_t bits[3] = {0};
            for (int k = 0; k < in.num; k++) bits[k] = lane_get(in.lanes[k], i * in.step[k]);
            lane_set(out, i, lane_eval(op, bits));
        }
    }
    bool fine = (!p->launch->loaded->offsets[result->id] || wide_check(p, op, out)) &&
                (!p->launch->watch || watch_lanes(p, op, out));
    slot_set(p, result, out);
    return fine;
}

bool exec_addptr(Program *p, const Op *op) {
    Operands in = operands_of(p, op);
    const Type *offset_type = type_lane(addptr_offset(op)->type);
    int64_t size = type_size_bytes(type_lane(op_result(op)->type)->elem);
    Lanes *out = lanes_new(p, in.count, 8);
    if (!out) return false;
    const uint64_t *pointers = (const uint64_t *)(const void *)in.lanes[0]->data;
    uint64_t *results = (uint64_t *)(void *)out->data;
    if (offset_type->kind == TYPE_I32) {
        const int32_t *offsets = (const int32_t *)(const void *)in.lanes[1]->data;
        for (int i = 0; i < in.count; i++)
            results[i] = pointers[i * in.step[0]] + (uint64_t)(offsets[i * in.step[1]] * size);
    } else {
        for (int i = 0; i < in.count; i++) {
            int64_t offset = constant_to_int(offset_type, lane_get(in.lanes[1], i * in.step[1]));
            results[i] = pointers[i * in.step[0]] + (uint64_t)offset * (uint64_t)size;
        }
    }
    bool fine = (!(in.lanes[0]->wide || in.lanes[1]->wide) || wide_addptr(p, op, out)) &&
                (!p->launch->watch || watch_lanes(p, op, out));
    slot_set(p, op_result(op), out);
    return fine;
}
