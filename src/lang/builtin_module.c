// SPDX-License-Identifier: Apache-2.0
/* builtin_module: what `value.name` means for compile-time values, and `module.name` in the modules
 * that tern knows without reading a file. */
#include "lang/lower.h"

#include <math.h>

/* ---- attributes of compile-time values ---- */

static Object *bound(Arena *arena, Object *self, const Builtin *builtin) {
    Object *object = object_new(arena, OBJECT_METHOD);
    object->builtin = builtin;
    object->num_items = 1;
    object->items = arena_array(arena, Object *, 1);
    object->items[0] = self;
    return object;
}

static Object *dtype_attribute(Arena *arena, Object *type, Str name) {
    if (type->text.length) return torch_dtype_attribute(arena, type, name);
    LType t = type->ltype;
    if (str_is(name, "scalar")) return object_dtype(arena, t);
    if (str_is(name, "element_ty")) {
        if (type->rank) return object_dtype(arena, t);
        return t.levels ? object_dtype(arena, ltype_element(t)) : NULL;
    }
    if (str_is(name, "shape") && type->rank) {
        Object *items[MAX_RANK];
        for (int i = 0; i < type->rank; i++) items[i] = object_int(arena, type->shape[i]);
        return object_tuple(arena, type->rank, items);
    }
    if (str_is(name, "numel")) {
        int64_t lanes = 1;
        for (int i = 0; i < type->rank; i++) lanes *= type->shape[i];
        return object_int(arena, lanes);
    }
    if (str_is(name, "primitive_bitwidth")) return object_int(arena, ltype_bits(t));
    if (str_is(name, "itemsize")) return object_int(arena, (ltype_bits(t) + 7) / 8);
    if (str_is(name, "int_bitwidth") && ltype_is_int(t)) return object_int(arena, ltype_bits(t));
    if (str_is(name, "fp_mantissa_width") && ltype_is_float(t))
        return object_int(arena, dtype_float_format(t.dtype)->mantissa_bits);
    if (str_is(name, "name")) {
        Buf buf = {.arena = arena};
        object_print(&buf, type); /* of a block: with its shape */
        return object_str(arena, buf_str(&buf));
    }
    const Builtin *builtin = builtin_find("dtype", name);
    return builtin ? bound(arena, type, builtin) : NULL;
}

Object *value_attribute(Arena *arena, Object *value, Str name) {
    if (value->kind == OBJECT_DTYPE) return dtype_attribute(arena, value, name);
    const Object *class = value->kind == OBJECT_CLASS ? value : value->of_class;
    Object *member = class && class->members ? map_get(class->members, name) : NULL;
    if (member && member->kind == OBJECT_FUNCTION) return member;
    if (member && member->kind == OBJECT_METHOD && value->of_class) {
        Object *method = bound(arena, value, NULL);
        method->function = member->function;
        return method;
    }
    if (member && member->kind == OBJECT_METHOD) { /* asked of the class: not bound */
        Object *function = object_new(arena, OBJECT_FUNCTION);
        function->function = member->function;
        return function;
    }
    if (value->kind == OBJECT_STR) {
        const Builtin *builtin = builtin_find("str", name);
        return builtin ? bound(arena, value, builtin) : NULL;
    }
    if (value->kind == OBJECT_RANGE) {
        static const char *const fields[] = {"start", "stop", "step"};
        for (int i = 0; i < 3; i++)
            if (str_is(name, fields[i])) return value->items[i];
    }
    return NULL;
}

/* ---- modules ---- */

static const char *const modules[] = {
    "triton",
    "triton.language",
    "triton.language.core",
    "triton.language.math",
    "triton.language.standard",
    "triton.language.random",
    "triton.language.extra",
    "triton.language.extra.libdevice",
    "triton.language.extra.cuda",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.cpu",
    "triton.language.extra.cpu.libdevice",
    "triton.language.extra.hip",
    "triton.language.extra.hip.libdevice",
    "triton.language.libdevice",
    "triton.language.target_info",
    "triton.language.PropagateNan",
    "triton.profiler",
    PROTON,
    "math",
    "operator",
    "builtins",
    "torch",
    "torch.version",
    "torch._inductor.runtime.triton_helpers",
};

bool builtin_module_exists(Str path) {
    for (int i = 0; i < COUNT(modules); i++)
        if (str_is(path, modules[i])) return true;
    return false;
}

/* The row's module for a path; several paths may lead to one. */
static const char *table_module(Str path) {
    if (str_is(path, "triton.language.core") || str_is(path, "triton.language.standard") ||
        str_is(path, "triton.language.random") || str_is(path, "triton.language.math"))
        return "triton.language";
    if (str_ends(path, ".libdevice")) return "triton.language.extra.libdevice";
    for (int i = 0; i < COUNT(modules); i++)
        if (str_is(path, modules[i])) return modules[i];
    return NULL;
}

static Object *module_constant(Arena *arena, Str path, Str name) {
    static const struct {
        const char *module, *name;
        double number;
    } numbers[] = {
        {"math", "pi", 3.141592653589793},  {"math", "e", 2.718281828459045},
        {"math", "inf", INFINITY},          {"math", "nan", NAN},
        {"math", "tau", 6.283185307179586},
    };
    for (int i = 0; i < COUNT(numbers); i++)
        if (str_is(path, numbers[i].module) && str_is(name, numbers[i].name))
            return object_float(arena, numbers[i].number);
    if (str_is(path, "triton.language.PropagateNan")) {
        if (str_is(name, "NONE")) return object_int(arena, 0);
        if (str_is(name, "ALL")) return object_int(arena, 0xFFFF);
    }
    if (str_is(path, "triton") && str_is(name, "__version__"))
        return object_str(arena, STR("3.6.0"));
    if (str_starts(path, "triton.language")) {
        DType dtype;
        if (str_is(name, "CONSTEXPR_0")) return object_int(arena, 0);
        if (str_is(name, "TRITON_MAX_TENSOR_NUMEL")) return object_int(arena, MAX_LANES);
        if (str_is(name, "N_ROUNDS_DEFAULT")) return object_int(arena, 10);
        if (dtype_from_name(name, &dtype)) return object_dtype(arena, ltype_of(dtype));
        if (str_is(name, "pi32_t")) return object_dtype(arena, (LType){DTYPE_INT32, 1, false});
    }
    return NULL;
}

const char *builtin_table_module(Str path) {
    const char *module = table_module(path);
    return module ? module : "";
}

Object *builtin_attribute(Arena *arena, Str path, Str name) {
    if (str_ends(path, ".triton_helpers")) { /* it imports these two */
        if (str_is(name, "libdevice")) path = STR("triton.language.extra");
        if (str_is(name, "math")) path = STR("triton.language");
    }
    Str whole = str_format(arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(name));
    if (builtin_module_exists(whole)) {
        Object *module = object_new(arena, OBJECT_MODULE);
        module->text = whole;
        return module;
    }
    if (str_is(path, "torch")) return torch_attribute(arena, name);
    if (str_is(path, "torch.version")) return torch_version_attribute(arena, name);
    const char *module = table_module(path);
    if (!module) return NULL;
    const Builtin *builtin = builtin_find(module, name);
    /* tl.math had the functions of libdevice once. */
    if (!builtin && str_is(path, "triton.language.math"))
        builtin = builtin_find("triton.language.extra.libdevice", name);
    if (builtin) {
        Object *object = object_new(arena, OBJECT_BUILTIN);
        object->builtin = builtin;
        return object;
    }
    return module_constant(arena, path, name);
}

Object *builtin_call_host(Arena *arena, const Builtin *builtin, int num_args, Object *const *args,
                          const Str *names, Span span, Diag *diag) {
    if (builtin->kind != BUILTIN_STATIC) {
        if (!strcmp(builtin->name, "cdiv"))
            builtin = builtin_find("triton", STR("cdiv"));
        else {
            Object *opaque = object_new(arena, OBJECT_OPAQUE);
            opaque->text = str_format(arena, "the result of '%s'", builtin->name);
            return opaque;
        }
    }
    FunctionObject function = {0};
    Frame frame = {.function = &function};
    Lower l = {.arena = arena, .diag = diag, .frame = &frame, .caret = -1};
    l.builder.span = span;
    Object *places[MAX_BUILTIN_PARAMS];
    Span *spans = arena_array(arena, Span, num_args + 1);
    for (int i = 0; i < num_args; i++) spans[i] = span;
    Call call = {.builtin = builtin, .args = places, .span = span};
    if (!builtin_bind(&l, builtin, num_args, args, names, spans, &call)) return object_error(arena);
    return builtin->run(&l, &call);
}
