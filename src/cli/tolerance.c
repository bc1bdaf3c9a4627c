// SPDX-License-Identifier: Apache-2.0
/* tolerance: the table, with its reasons. u is the type's unit roundoff: half a unit in the last
 * place, relative.
 *
 *     fp64  u = 1.1e-16   libm's and CUDA's functions differ by a few u; sums of n terms by about
 *                         sqrt(n) u, at worst n u
 *     fp32  u = 6.0e-8    a GPU's fast exp2, log2, sin, rsqrt are good to about 2^-22 relative, and
 *                         a chain of them to 1e-5; sums of up to 1e6 terms of mixed sign lose to
 *                         cancellation, hence the absolute part; a dot takes tf32 operands by
 *                         default: u = 2^-11
 *     fp16  u = 4.9e-4    one rounding apart where the fp32 value before it lies on the boundary:
 *                         2 u; values that pass through memory more than once, or are summed in
 *                         fp16: 1e-2
 *     bf16  u = 3.9e-3    likewise
 *     fp8   u = 6.3e-2    e4m3, e4b15: one code apart; e5m2: u = 1.3e-1
 *
 * A row has a pair for each class of op: elementwise, reduction, atomic, dot. Of a pair the first
 * is relative, the second absolute, in units of the largest result. */
#include "cli/tolerance.h"

#include <string.h>

static const Tolerance exact = {0, 0};
static const Tolerance table_fp64[NUM_OP_CLASSES] = {
    {1e-14, 1e-14}, {1e-12, 1e-12}, {1e-12, 1e-12}, {1e-12, 1e-12}};
static const Tolerance table_fp32[NUM_OP_CLASSES] = {
    {1e-5, 1e-6}, {1e-4, 1e-5}, {1e-4, 1e-5}, {1e-2, 1e-2}};
static const Tolerance table_fp16[NUM_OP_CLASSES] = {
    {1e-3, 1e-4}, {1e-2, 1e-3}, {1e-2, 1e-2}, {1e-2, 1e-2}};
static const Tolerance table_bf16[NUM_OP_CLASSES] = {
    {8e-3, 1e-3}, {2e-2, 1e-2}, {4e-2, 4e-2}, {4e-2, 4e-2}};
static const Tolerance table_e4m3[NUM_OP_CLASSES] = {
    {0.125, 0.01}, {0.125, 0.02}, {0.125, 0.02}, {0.125, 0.05}};
static const Tolerance table_e5m2[NUM_OP_CLASSES] = {
    {0.25, 0.01}, {0.25, 0.02}, {0.25, 0.02}, {0.25, 0.05}};

Tolerance tolerance_of(tern_dtype dtype, OpClass op_class) {
    switch (dtype) {
    case TERN_VOID:
    case TERN_BOOL:
    case TERN_INT8:
    case TERN_INT16:
    case TERN_INT32:
    case TERN_INT64:
    case TERN_UINT8:
    case TERN_UINT16:
    case TERN_UINT32:
    case TERN_UINT64: return exact;
    case TERN_FLOAT8E4B15:
    case TERN_FLOAT8E4M3: return table_e4m3[op_class];
    case TERN_FLOAT8E5M2: return table_e5m2[op_class];
    case TERN_FLOAT16: return table_fp16[op_class];
    case TERN_BFLOAT16: return table_bf16[op_class];
    case TERN_FLOAT32: return table_fp32[op_class];
    case TERN_FLOAT64: return table_fp64[op_class];
    }
    return exact;
}

Tolerance tolerance_made(tern_dtype dtype, OpClass op_class, Origin origin, double largest) {
    Tolerance tolerance = tolerance_of(dtype, op_class);
    if (!tern_dtype_is_float(dtype)) {
        if (origin.rounds_to_int && dtype != TERN_BOOL) tolerance.absolute = 1;
        return tolerance;
    }
    if (origin.narrowest != TERN_VOID) {
        Tolerance narrow = tolerance_of(origin.narrowest, op_class);
        if (narrow.relative > tolerance.relative) tolerance = narrow;
    }
    tolerance.absolute *= largest;
    return tolerance;
}

const char *class_name(OpClass op_class) {
    switch (op_class) {
    case CLASS_ELEMENTWISE: return "elementwise";
    case CLASS_REDUCTION: return "reduction";
    case CLASS_ATOMIC: return "atomic";
    case CLASS_DOT: return "dot";
    case NUM_OP_CLASSES: break;
    }
    return "?";
}

/* An op's name stands after a space; values begin with '%'. */
static bool has_op(const char *ir_text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = ir_text; (at = strstr(at, name)); at++) {
        bool starts = at == ir_text || at[-1] == ' ' || at[-1] == '\n';
        char next = at[length];
        if (starts && (next == ' ' || next == '(' || next == '_' || next == '\n' || next == '\0'))
            return true;
    }
    return false;
}

OpClass class_of_ir(const char *ir_text) {
    static const char *const reductions[] = {"reduce", "scan", "for", "while"};
    if (has_op(ir_text, "dot")) return CLASS_DOT;
    if (has_op(ir_text, "atomic")) return CLASS_ATOMIC;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (has_op(ir_text, reductions[i])) return CLASS_REDUCTION;
    return CLASS_ELEMENTWISE;
}
