// SPDX-License-Identifier: Apache-2.0
/* promote: the type of a result, as PyTorch has it. There are three kinds: bool, integers, floats.
 * A tensor with dimensions decides over one without, and that one over a Python number, unless the
 * other's kind is higher. */
#include "tensor/tensor.h"

typedef struct TypeNames {
    const char *name, *in_error, *in_tensor;
} TypeNames;

static TypeNames type_names(tern_dtype dtype) {
    switch (dtype) {
    case TERN_VOID: break;
    case TERN_BOOL: return (TypeNames){"bool", "Bool", "bool"};
    case TERN_INT8: return (TypeNames){"int8", "Char", "signed char"};
    case TERN_INT16: return (TypeNames){"int16", "Short", "short"};
    case TERN_INT32: return (TypeNames){"int32", "Int", "int"};
    case TERN_INT64: return (TypeNames){"int64", "Long", "long"};
    case TERN_UINT8: return (TypeNames){"uint8", "Byte", "unsigned char"};
    case TERN_UINT16: return (TypeNames){"uint16", "UInt16", "unsigned short"};
    case TERN_UINT32: return (TypeNames){"uint32", "UInt32", "unsigned int"};
    case TERN_UINT64: return (TypeNames){"uint64", "UInt64", "unsigned long"};
    case TERN_FLOAT8E4M3: return (TypeNames){"float8_e4m3fn", "Float8_e4m3fn", "float8_e4m3fn"};
    case TERN_FLOAT8E5M2: return (TypeNames){"float8_e5m2", "Float8_e5m2", "float8_e5m2"};
    case TERN_FLOAT8E4B15: return (TypeNames){"float8_e4b15", "Float8_e4b15", "float8_e4b15"};
    case TERN_FLOAT16: return (TypeNames){"float16", "Half", "c10::Half"};
    case TERN_BFLOAT16: return (TypeNames){"bfloat16", "BFloat16", "c10::BFloat16"};
    case TERN_FLOAT32: return (TypeNames){"float32", "Float", "float"};
    case TERN_FLOAT64: return (TypeNames){"float64", "Double", "double"};
    }
    return (TypeNames){"void", "Undefined", "void"};
}

const char *tern_torch_name(tern_dtype dtype) { return type_names(dtype).name; }
const char *torch_type_name(tern_dtype dtype) { return type_names(dtype).in_error; }
const char *torch_tensor_name(tern_dtype dtype) { return type_names(dtype).in_tensor; }

bool dtype_is_known(tern_dtype dtype) { return tern_dtype_size(dtype) != 0; }

bool dtype_is_integer(tern_dtype dtype) {
    return dtype != TERN_BOOL && !tern_dtype_is_float(dtype);
}

static bool is_float8(tern_dtype dtype) {
    return tern_dtype_is_float(dtype) && tern_dtype_size(dtype) == 1;
}

/* Unsigned integers that came late to PyTorch: they go with floats, bool and themselves. */
static bool is_bare_unsigned(tern_dtype dtype) {
    return dtype == TERN_UINT16 || dtype == TERN_UINT32 || dtype == TERN_UINT64;
}

bool dtype_is_computed(tern_dtype dtype) { return !is_float8(dtype) && !is_bare_unsigned(dtype); }

static tern_dtype wider(tern_dtype a, tern_dtype b) {
    return tern_dtype_size(a) >= tern_dtype_size(b) ? a : b;
}

tern_dtype promote_types(tern_session *session, tern_dtype a, tern_dtype b) {
    if (a == b) return a;
    if (is_float8(a) || is_float8(b)) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Promotion for Float8 Types is not supported, attempted to promote %s and %s",
                     torch_type_name(a), torch_type_name(b));
        return TERN_VOID;
    }
    if (a == TERN_BOOL) return b;
    if (b == TERN_BOOL) return a;
    bool a_floats = tern_dtype_is_float(a), b_floats = tern_dtype_is_float(b);
    if (a_floats && b_floats) /* f16 with bf16 */
        return tern_dtype_size(a) == tern_dtype_size(b) ? TERN_FLOAT32 : wider(a, b);
    if (a_floats != b_floats) return a_floats ? a : b;
    if (is_bare_unsigned(a) || is_bare_unsigned(b)) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Promotion for uint16, uint32, uint64 types is not supported, attempted to "
                     "promote %s and %s",
                     torch_type_name(a), torch_type_name(b));
        return TERN_VOID;
    }
    if (a == TERN_UINT8 || b == TERN_UINT8) {
        tern_dtype other = a == TERN_UINT8 ? b : a;
        return other == TERN_INT8 ? TERN_INT16 : other;
    }
    return wider(a, b);
}

static int kind_of(tern_dtype dtype) {
    return dtype == TERN_VOID ? -1 : dtype == TERN_BOOL ? 0 : tern_dtype_is_float(dtype) ? 2 : 1;
}

/* `lower` counts only where its kind is higher. */
static tern_dtype combine(tern_session *session, tern_dtype higher, tern_dtype lower) {
    if (lower == TERN_VOID || kind_of(higher) >= kind_of(lower)) return higher;
    return higher == TERN_VOID ? lower : promote_types(session, higher, lower);
}

tern_dtype promote_operands(tern_session *session, const tern_operand *operands, int count) {
    enum { WITH_DIMENSIONS, WITHOUT, NUMBERS, NUM_LEVELS };
    tern_dtype levels[NUM_LEVELS] = {TERN_VOID, TERN_VOID, TERN_VOID};
    for (int i = 0; i < count; i++) {
        tern_dtype dtype = TERN_VOID;
        int level = NUMBERS;
        switch (operands[i].kind) {
        case TERN_OPERAND_TENSOR:
            dtype = operands[i].tensor->dtype;
            level = operands[i].tensor->rank ? WITH_DIMENSIONS : WITHOUT;
            break;
        case TERN_OPERAND_NUMBER: dtype = TERN_FLOAT32; break;
        case TERN_OPERAND_INTEGER: dtype = TERN_INT64; break;
        case TERN_OPERAND_BOOL: dtype = TERN_BOOL; break;
        }
        if (levels[level] != TERN_VOID) dtype = promote_types(session, levels[level], dtype);
        if (dtype == TERN_VOID) return TERN_VOID;
        levels[level] = dtype;
    }
    tern_dtype low = combine(session, levels[WITHOUT], levels[NUMBERS]);
    return combine(session, levels[WITH_DIMENSIONS], low);
}

bool can_cast(tern_dtype from, tern_dtype to) { return kind_of(from) <= kind_of(to); }
