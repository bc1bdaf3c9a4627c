// SPDX-License-Identifier: Apache-2.0
/* object_dtype: the language's scalar types under each of their names. */
#include "lang/object.h"

typedef enum DTypeClass { CLASS_SIGNED, CLASS_UNSIGNED, CLASS_FLOAT, CLASS_VOID } DTypeClass;

typedef struct DTypeInfo {
    const char *printed;   /* str(dtype) */
    const char *language;  /* tl.NAME */
    const char *signature; /* in a signature */
    int bits;
    DTypeClass class;
    TypeKind ir;
} DTypeInfo;

/* int1 counts as unsigned: Triton lists it among the unsigned types. */
static const DTypeInfo infos[NUM_DTYPES] = {
    [DTYPE_INT1] = {"int1", "int1", "u1", 1, CLASS_UNSIGNED, TYPE_I1},
    [DTYPE_INT8] = {"int8", "int8", "i8", 8, CLASS_SIGNED, TYPE_I8},
    [DTYPE_INT16] = {"int16", "int16", "i16", 16, CLASS_SIGNED, TYPE_I16},
    [DTYPE_INT32] = {"int32", "int32", "i32", 32, CLASS_SIGNED, TYPE_I32},
    [DTYPE_INT64] = {"int64", "int64", "i64", 64, CLASS_SIGNED, TYPE_I64},
    [DTYPE_UINT8] = {"uint8", "uint8", "u8", 8, CLASS_UNSIGNED, TYPE_I8},
    [DTYPE_UINT16] = {"uint16", "uint16", "u16", 16, CLASS_UNSIGNED, TYPE_I16},
    [DTYPE_UINT32] = {"uint32", "uint32", "u32", 32, CLASS_UNSIGNED, TYPE_I32},
    [DTYPE_UINT64] = {"uint64", "uint64", "u64", 64, CLASS_UNSIGNED, TYPE_I64},
    [DTYPE_FP8E4NV] = {"fp8e4nv", "float8e4nv", "fp8e4nv", 8, CLASS_FLOAT, TYPE_F8E4M3},
    [DTYPE_FP8E5] = {"fp8e5", "float8e5", "fp8e5", 8, CLASS_FLOAT, TYPE_F8E5M2},
    [DTYPE_FP8E4B15] = {"fp8e4b15", "float8e4b15", "fp8e4b15", 8, CLASS_FLOAT, TYPE_F8E4B15},
    [DTYPE_FP16] = {"fp16", "float16", "fp16", 16, CLASS_FLOAT, TYPE_F16},
    [DTYPE_BF16] = {"bf16", "bfloat16", "bf16", 16, CLASS_FLOAT, TYPE_BF16},
    [DTYPE_FP32] = {"fp32", "float32", "fp32", 32, CLASS_FLOAT, TYPE_F32},
    [DTYPE_FP64] = {"fp64", "float64", "fp64", 64, CLASS_FLOAT, TYPE_F64},
    [DTYPE_VOID] = {"void", "void", "void", 0, CLASS_VOID, TYPE_I8},
};

const char *dtype_name(DType dtype) { return infos[dtype].printed; }
const char *dtype_language_name(DType dtype) { return infos[dtype].language; }
bool dtype_is_signed(DType dtype) { return infos[dtype].class == CLASS_SIGNED; }
bool dtype_is_float(DType dtype) { return infos[dtype].class == CLASS_FLOAT; }
bool dtype_is_int(DType dtype) {
    return infos[dtype].class == CLASS_SIGNED || infos[dtype].class == CLASS_UNSIGNED;
}
int dtype_bits(DType dtype) { return infos[dtype].bits; }

bool dtype_from_name(Str name, DType *dtype) {
    for (int i = 0; i < NUM_DTYPES; i++)
        if (str_is(name, infos[i].language)) {
            *dtype = (DType)i;
            return true;
        }
    return false;
}

bool ltype_from_signature(Str text, LType *type) {
    LType result = {0};
    int stars = 0;
    while (stars < text.length && text.data[stars] == '*') stars++;
    Str name = {text.data + stars, text.length - stars};
    if (stars && name.length && name.data[0] == 'k') {
        result.is_const = true;
        name = (Str){name.data + 1, name.length - 1};
    }
    if (stars > MAX_RANK) return false;
    result.levels = stars;
    if (str_is(name, "i1") || str_is(name, "bool")) {
        *type = result; /* DTYPE_INT1 */
        return true;
    }
    for (int i = 0; i < NUM_DTYPES; i++) {
        if (i == DTYPE_VOID && !stars) continue;
        if (!str_is(name, infos[i].signature) && !str_is(name, infos[i].language)) continue;
        result.dtype = (DType)i;
        *type = result;
        return true;
    }
    return false;
}

void ltype_print(Buf *out, LType type) {
    for (int i = 0; i < type.levels; i++)
        buf_puts(out, type.is_const && i == type.levels - 1 ? "const_pointer<" : "pointer<");
    buf_puts(out, dtype_name(type.dtype));
    for (int i = 0; i < type.levels; i++) buf_putc(out, '>');
}

const Type *ltype_ir(TypeTable *types, LType type) {
    const Type *result = type_scalar(infos[type.dtype].ir);
    for (int i = 0; i < type.levels; i++) result = type_ptr(types, result);
    return result;
}
