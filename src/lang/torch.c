// SPDX-License-Identifier: Apache-2.0
/* torch: the little of PyTorch that kernels' files say about numbers: torch.float16 and the like,
 * torch.finfo(..).min, torch.iinfo(..).max. The rest of the module stays unknown.
 *
 * A torch dtype is not one of the language: as in Triton, comparing the two says that they differ,
 * and a kernel cannot cast to it. */
#include "lang/lower.h"

#include <math.h>

static Object *unknown(Arena *arena, const char *module, Str name) {
    Object *object = object_new(arena, OBJECT_OPAQUE);
    object->text = str_format(arena, "'%.*s' of the module '%s'", STR_ARG(name), module);
    object->missing = str_of(module);
    return object;
}

/* tern makes code for no GPU of AMD or Intel: torch.version.hip and .xpu are None. */
Object *torch_version_attribute(Arena *arena, Str name) {
    if (str_is(name, "hip") || str_is(name, "xpu")) return object_none(arena);
    return unknown(arena, "torch.version", name);
}

Object *torch_attribute(Arena *arena, Str name) {
    DType dtype;
    if (dtype_from_torch_name(name, &dtype)) {
        Object *type = object_dtype(arena, ltype_of(dtype));
        type->text = STR("torch");
        return type;
    }
    const Builtin *builtin = builtin_find("torch", name);
    if (!builtin) return unknown(arena, "torch", name);
    Object *object = object_new(arena, OBJECT_BUILTIN);
    object->builtin = builtin;
    return object;
}

/* .itemsize and .is_floating_point; NULL for the rest. */
Object *torch_dtype_attribute(Arena *arena, const Object *type, Str name) {
    if (str_is(name, "itemsize")) return object_int(arena, (dtype_bits(type->ltype.dtype) + 7) / 8);
    if (str_is(name, "is_floating_point"))
        return object_bool(arena, dtype_is_float(type->ltype.dtype));
    return NULL;
}

static Object *fields(Lower *l, const char *class, int count, const char *const *words,
                      Object *const *values) {
    Object *tuple = object_tuple(l->arena, count, values);
    tuple->text = str_of(class);
    tuple->names = arena_array(l->arena, Str, count);
    for (int i = 0; i < count; i++) tuple->names[i] = str_of(words[i]);
    return tuple;
}

/* torch.finfo takes torch dtypes only; a missing one means float32. */
Object *builtin_finfo(Lower *l, const Call *call) {
    static const char *const words[] = {"min",        "max", "eps", "tiny", "smallest_normal",
                                        "resolution", "bits"};
    const Object *type = call->args[0];
    DType dtype = is_none(type) ? DTYPE_FLOAT32 : type->ltype.dtype;
    if (!is_none(type) && (type->kind != OBJECT_DTYPE || !str_is(type->text, "torch")))
        return call_fail(l, call, 0, "torch.finfo needs a torch dtype, got %s",
                         lower_type_text(l, type));
    const FloatFormat *format = dtype_float_format(dtype);
    if (!format) return call_fail(l, call, 0, "torch.finfo needs a floating-point dtype");
    double max = dtype_number(dtype, format->largest), eps = ldexp(1, -format->mantissa_bits);
    double tiny = ldexp(1, 1 - format->bias),
           power = 1; /* 10 to the decimal digits that it holds */
    while (power * 10 * eps <= 1) power *= 10;
    Object *values[] = {object_float(l->arena, -max),
                        object_float(l->arena, max),
                        object_float(l->arena, eps),
                        object_float(l->arena, tiny),
                        object_float(l->arena, tiny),
                        object_float(l->arena, 1 / power),
                        object_int(l->arena, dtype_bits(dtype))};
    return fields(l, "finfo", COUNT(words), words, values);
}

Object *builtin_iinfo(Lower *l, const Call *call) {
    static const char *const words[] = {"min", "max", "bits"};
    const Object *type = call->args[0];
    if (type->kind != OBJECT_DTYPE || !str_is(type->text, "torch"))
        return call_fail(l, call, 0, "torch.iinfo needs a torch dtype, got %s",
                         lower_type_text(l, type));
    DType dtype = type->ltype.dtype;
    if (!dtype_is_int(dtype) || dtype == DTYPE_BOOL)
        return call_fail(l, call, 0, "torch.iinfo needs an integer dtype");
    int bits = dtype_bits(dtype);
    int128 one = 1, least = dtype_is_signed(dtype) ? -(one << (bits - 1)) : 0;
    Object *values[] = {object_int(l->arena, least),
                        object_int(l->arena, least + (one << bits) - 1),
                        object_int(l->arena, bits)};
    return fields(l, "iinfo", COUNT(words), words, values);
}
