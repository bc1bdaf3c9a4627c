// SPDX-License-Identifier: Apache-2.0
/* convert: constants between their bits and numbers. */
#include "ir/ir.h"

double constant_to_double(const Type *type, uint64_t bits) {
    FloatKind kind;
    if (!float_kind_of(type, &kind)) BUG("not a float type");
    return float_decode(kind, bits);
}

uint64_t constant_from_double(const Type *type, double value) {
    FloatKind kind;
    if (!float_kind_of(type, &kind)) BUG("not a float type");
    return float_encode(kind, value, FLOAT_NEAREST_EVEN);
}

int64_t constant_to_int(const Type *type, uint64_t bits) {
    int width = type_bits(type);
    if (width == 1) return (int64_t)(bits & 1);
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

bool value_is_constant(const Value *value, uint64_t *bits) {
    const Op *op = value->def;
    while (op && (op->kind == OP_SPLAT || op->kind == OP_BROADCAST || op->kind == OP_RESHAPE ||
                  op->kind == OP_EXPAND_DIMS))
        op = op->operands[0]->def;
    if (!op || op->kind != OP_CONSTANT) return false;
    *bits = constant_bits(op);
    return true;
}

bool value_is_zero(const Value *value) {
    uint64_t bits;
    return !value || (value_is_constant(value, &bits) && !bits);
}

bool value_is_int(const Value *value, int64_t *number) {
    uint64_t bits;
    if (!type_is_int(value->type) || !value_is_constant(value, &bits)) return false;
    *number = constant_to_int(value->type, bits);
    return true;
}
