// SPDX-License-Identifier: Apache-2.0
/* object_dtype: the language's scalar types under each of their names. */
#include "lang/object.h"

typedef enum DTypeClass { CLASS_SIGNED, CLASS_UNSIGNED, CLASS_FLOAT, CLASS_VOID } DTypeClass;

typedef struct DTypeInfo {
    const char *printed;               /* str(dtype) */
    const char *language;              /* tl.NAME */
    const char *signature;             /* in a signature */
    const char *torch, *torch_shorter; /* torch.NAME; "": torch has none */
    DTypeClass class;
    TypeKind ir;
} DTypeInfo;

/* int1 counts as unsigned: Triton lists it among the unsigned types. */
static const DTypeInfo infos[NUM_DTYPES] = {
#define DTYPE(name, kind, sign, printed, language, signature, torch, shorter, others)              \
    [DTYPE_##name] = {printed, language, signature, torch, shorter, CLASS_##sign, TYPE_##kind},
#include "base/dtypes.def"
    [DTYPE_VOID] = {"void", "void", "void", "", "", CLASS_VOID, TYPE_I8},
};

const char *dtype_name(DType dtype) { return infos[dtype].printed; }
const char *dtype_language_name(DType dtype) { return infos[dtype].language; }
bool dtype_is_signed(DType dtype) { return infos[dtype].class == CLASS_SIGNED; }
bool dtype_is_float(DType dtype) { return infos[dtype].class == CLASS_FLOAT; }
bool dtype_is_int(DType dtype) {
    return infos[dtype].class == CLASS_SIGNED || infos[dtype].class == CLASS_UNSIGNED;
}
int dtype_bits(DType dtype) {
    return dtype == DTYPE_VOID ? 0 : type_bits(type_scalar(infos[dtype].ir));
}

const FloatFormat *dtype_float_format(DType dtype) {
    FloatKind kind;
    bool is_float = dtype_is_float(dtype) && float_kind_of(type_scalar(infos[dtype].ir), &kind);
    return is_float ? float_format(kind) : NULL;
}

double dtype_number(DType dtype, uint64_t bits) {
    return constant_to_double(type_scalar(infos[dtype].ir), bits);
}

const char *torch_dtype_name(DType dtype) { return infos[dtype].torch; }

bool dtype_from_torch_name(Str name, DType *dtype) {
    for (int i = 0; i < NUM_DTYPES; i++)
        if (name.length && (str_is(name, infos[i].torch) || str_is(name, infos[i].torch_shorter))) {
            *dtype = (DType)i;
            return true;
        }
    return false;
}

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
    if (str_is(name, "u1") || str_is(name, "bool")) {
        *type = result; /* DTYPE_BOOL */
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
