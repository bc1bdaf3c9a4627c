// SPDX-License-Identifier: Apache-2.0
/* torch: the little of PyTorch that kernels' files say about numbers: torch.float16 and the like,
 * torch.finfo(..).min, torch.iinfo(..).max. The rest of the module stays unknown.
 *
 * A torch dtype is not one of the language: as in Triton, comparing the two says that they differ,
 * and a kernel cannot cast to it. */
#include "lang/lower.h"

#include <math.h>

static const struct {
    const char *name;
    DType dtype;
} names[] = {
    {"float16", DTYPE_FLOAT16},
    {"half", DTYPE_FLOAT16},
    {"bfloat16", DTYPE_BFLOAT16},
    {"float32", DTYPE_FLOAT32},
    {"float", DTYPE_FLOAT32},
    {"float64", DTYPE_FLOAT64},
    {"double", DTYPE_FLOAT64},
    {"int8", DTYPE_INT8},
    {"int16", DTYPE_INT16},
    {"short", DTYPE_INT16},
    {"int32", DTYPE_INT32},
    {"int", DTYPE_INT32},
    {"int64", DTYPE_INT64},
    {"long", DTYPE_INT64},
    {"uint8", DTYPE_UINT8},
    {"uint16", DTYPE_UINT16},
    {"uint32", DTYPE_UINT32},
    {"uint64", DTYPE_UINT64},
    {"bool", DTYPE_BOOL},
    {"float8_e4m3fn", DTYPE_FLOAT8E4M3},
    {"float8_e5m2", DTYPE_FLOAT8E5M2},
};

const char *torch_dtype_name(DType dtype) {
    for (int i = 0; i < COUNT(names); i++)
        if (names[i].dtype == dtype) return names[i].name;
    return "";
}

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
    for (int i = 0; i < COUNT(names); i++) {
        if (!str_is(name, names[i].name)) continue;
        Object *type = object_dtype(arena, ltype_of(names[i].dtype));
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

typedef struct Limits {
    DType dtype;
    double max, eps, tiny;
} Limits;

static const Limits limits[] = {
    {DTYPE_FLOAT64, 1.7976931348623157e308, 0x1p-52, 0x1p-1022},
    {DTYPE_FLOAT32, 0x1.fffffep127, 0x1p-23, 0x1p-126},
    {DTYPE_FLOAT16, 65504.0, 0x1p-10, 0x1p-14},
    {DTYPE_BFLOAT16, 0x1.fep127, 0x1p-7, 0x1p-126},
    {DTYPE_FLOAT8E4M3, 448.0, 0.125, 0x1p-6},
    {DTYPE_FLOAT8E5M2, 57344.0, 0.25, 0x1p-14},
};

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
    static const double resolutions[] = {1e-15, 1e-6, 1e-3, 1e-2, 1.0, 1.0};
    const Object *type = call->args[0];
    DType dtype = is_none(type) ? DTYPE_FLOAT32 : type->ltype.dtype;
    if (!is_none(type) && (type->kind != OBJECT_DTYPE || !str_is(type->text, "torch")))
        return call_fail(l, call, 0, "torch.finfo needs a torch dtype, got %s",
                         lower_type_text(l, type));
    for (int i = 0; i < COUNT(limits); i++) {
        if (limits[i].dtype != dtype) continue;
        const Limits *at = &limits[i];
        Object *values[] = {
            object_float(l->arena, -at->max),       object_float(l->arena, at->max),
            object_float(l->arena, at->eps),        object_float(l->arena, at->tiny),
            object_float(l->arena, at->tiny),       object_float(l->arena, resolutions[i]),
            object_int(l->arena, dtype_bits(dtype))};
        return fields(l, "finfo", COUNT(words), words, values);
    }
    return call_fail(l, call, 0, "torch.finfo needs a floating-point dtype");
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
