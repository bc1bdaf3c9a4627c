// SPDX-License-Identifier: Apache-2.0
/* type: the types of C on a 64-bit machine, as CUDA has them there: long has 64 bits, char is
 * signed. A pointer to what is no number or pointer is one to bytes in the IR. */
#include "cuda/front.h"

static const struct Row {
    const char *name;
    int size, rank;
    bool is_signed, is_float;
    TypeKind ir;
} rows[NUM_CU_KINDS] = {
    [CU_VOID] = {"void", 1, 0, false, false, TYPE_I8},
    [CU_BOOL] = {"bool", 1, 1, false, false, TYPE_I1},
    [CU_CHAR_TYPE] = {"char", 1, 2, true, false, TYPE_I8},
    [CU_SCHAR] = {"signed char", 1, 2, true, false, TYPE_I8},
    [CU_UCHAR] = {"unsigned char", 1, 2, false, false, TYPE_I8},
    [CU_SHORT] = {"short", 2, 3, true, false, TYPE_I16},
    [CU_USHORT] = {"unsigned short", 2, 3, false, false, TYPE_I16},
    [CU_INT] = {"int", 4, 4, true, false, TYPE_I32},
    [CU_UINT] = {"unsigned int", 4, 4, false, false, TYPE_I32},
    [CU_LONG] = {"long", 8, 5, true, false, TYPE_I64},
    [CU_ULONG] = {"unsigned long", 8, 5, false, false, TYPE_I64},
    [CU_LLONG] = {"long long", 8, 6, true, false, TYPE_I64},
    [CU_ULLONG] = {"unsigned long long", 8, 6, false, false, TYPE_I64},
    [CU_HALF] = {"half", 2, 7, true, true, TYPE_F16},
    [CU_BFLOAT] = {"__nv_bfloat16", 2, 7, true, true, TYPE_BF16},
    [CU_FLOAT] = {"float", 4, 8, true, true, TYPE_F32},
    [CU_DOUBLE] = {"double", 8, 9, true, true, TYPE_F64},
    [CU_PARAM] = {"a template's parameter", 1, 0, false, false, TYPE_I8},
};

const CuType *cu_type(CuKind kind) {
    static const CuType types[CU_POINTER] = {
        {.kind = CU_VOID},   {.kind = CU_BOOL},  {.kind = CU_CHAR_TYPE}, {.kind = CU_SCHAR},
        {.kind = CU_UCHAR},  {.kind = CU_SHORT}, {.kind = CU_USHORT},    {.kind = CU_INT},
        {.kind = CU_UINT},   {.kind = CU_LONG},  {.kind = CU_ULONG},     {.kind = CU_LLONG},
        {.kind = CU_ULLONG}, {.kind = CU_HALF},  {.kind = CU_BFLOAT},    {.kind = CU_FLOAT},
        {.kind = CU_DOUBLE},
    };
    return &types[kind];
}

static const CuType *made(Arena *arena, CuType type) {
    CuType *copy = arena_new_of(arena, CuType);
    *copy = type;
    return copy;
}

const CuType *cu_pointer(Arena *arena, const CuType *of) {
    return made(arena, (CuType){.kind = CU_POINTER, .of = of});
}

const CuType *cu_array(Arena *arena, const CuType *of, int64_t count) {
    return made(arena, (CuType){.kind = CU_ARRAY, .of = of, .count = count});
}

const CuType *cu_qualified(Arena *arena, const CuType *type, bool is_const, bool is_volatile) {
    if (type->is_const >= is_const && type->is_volatile >= is_volatile) return type;
    if (type->kind == CU_ARRAY)
        return cu_array(arena, cu_qualified(arena, type->of, is_const, is_volatile), type->count);
    CuType copy = *type;
    copy.is_const |= is_const, copy.is_volatile |= is_volatile;
    return made(arena, copy);
}

const CuType *cu_plain(Arena *arena, const CuType *type) {
    if (!type->is_const && !type->is_volatile) return type;
    CuType copy = *type;
    copy.is_const = copy.is_volatile = false;
    return made(arena, copy);
}

bool cu_same(const CuType *a, const CuType *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == CU_PARAM) return a->param == b->param && a->param >= 0;
    if (a->kind == CU_STRUCT) {
        if (a->record == b->record) return true;
        bool by_name = !a->record->lambda && !b->record->lambda && !a->record->is_pattern &&
                       a->record->decl == b->record->decl;
        return by_name && str_equal(a->record->name, b->record->name) &&
               cu_same_args(a->record->args, b->record->args);
    }
    if (a->kind == CU_ARRAY && a->count != b->count) return false;
    if (a->kind != CU_POINTER && a->kind != CU_ARRAY) return true;
    return a->of->is_const == b->of->is_const && a->of->is_volatile == b->of->is_volatile &&
           cu_same(a->of, b->of);
}

int64_t cu_size(const CuType *type) {
    if (type->kind == CU_POINTER) return 8;
    if (type->kind == CU_STRUCT) return type->record->size;
    if (type->kind != CU_ARRAY) return rows[type->kind].size;
    int64_t size;
    return type->count < 0 || __builtin_mul_overflow(type->count, cu_size(type->of), &size) ||
                   size > INT32_MAX
               ? INT32_MAX
               : size;
}

int64_t cu_align(const CuType *type) {
    if (type->kind == CU_ARRAY) return cu_align(type->of);
    return type->kind == CU_STRUCT ? type->record->align : cu_size(type);
}

bool cu_is_integer(const CuType *type) { return type->kind >= CU_BOOL && type->kind <= CU_ULLONG; }
bool cu_is_float(const CuType *type) { return type->kind >= CU_HALF && type->kind <= CU_DOUBLE; }
bool cu_is_half(const CuType *type) { return type->kind == CU_HALF || type->kind == CU_BFLOAT; }
bool cu_is_number(const CuType *type) { return cu_is_integer(type) || cu_is_float(type); }
bool cu_is_signed(const CuType *type) { return rows[type->kind].is_signed; }
int cu_rank(const CuType *type) { return rows[type->kind].rank; }

const Type *cu_ir(TypeTable *types, const CuType *type) {
    if (type->kind == CU_POINTER) return type_ptr(types, cu_ir_pointee(types, type->of));
    if (type->kind == CU_VOID || type->kind == CU_ARRAY || type->kind == CU_STRUCT) return NULL;
    return type_scalar(rows[type->kind].ir);
}

const Type *cu_ir_pointee(TypeTable *types, const CuType *type) {
    while (type->kind == CU_ARRAY) type = type->of;
    const Type *ir = cu_ir(types, type);
    return ir ? ir : type_scalar(TYPE_I8);
}

Str cu_name(Arena *arena, const CuType *type) {
    const char *qualifiers = type->is_const && type->is_volatile ? "const volatile "
                             : type->is_const                    ? "const "
                             : type->is_volatile                 ? "volatile "
                                                                 : "";
    if (type->kind == CU_POINTER) {
        Str of = cu_name(arena, type->of);
        bool joined = type->of->kind == CU_POINTER;
        return str_format(arena, "%.*s%s*%s", STR_ARG(of), joined ? "" : " ",
                          type->is_const ? " const" : "");
    }
    if (type->kind == CU_ARRAY) {
        Buf counts = {.arena = arena};
        for (; type->kind == CU_ARRAY; type = type->of) /* the outermost first */
            if (type->count < 0)
                buf_puts(&counts, "[]");
            else
                buf_printf(&counts, "[%lld]", (long long)type->count);
        return str_format(arena, "%.*s%.*s", STR_ARG(cu_name(arena, type)),
                          STR_ARG(buf_str(&counts)));
    }
    if (type->kind == CU_STRUCT)
        return str_format(arena, "%s%.*s", qualifiers, STR_ARG(type->record->name));
    return str_format(arena, "%s%s", qualifiers, rows[type->kind].name);
}

/* ---- vector types ---- */

/* Alignment: CUDA programming guide, "Built-in Vector Types". */
static const struct {
    const char *name;
    CuKind kind;
} vector_bases[] = {{"char", CU_CHAR_TYPE},   {"uchar", CU_UCHAR}, {"short", CU_SHORT},
                    {"ushort", CU_USHORT},    {"int", CU_INT},     {"uint", CU_UINT},
                    {"long", CU_LONG},        {"ulong", CU_ULONG}, {"longlong", CU_LLONG},
                    {"ulonglong", CU_ULLONG}, {"float", CU_FLOAT}, {"double", CU_DOUBLE}};

/* float4: its row, and 4; -1: it is none. */
static int vector_base(Str name, int *count) {
    bool is_dim = str_is(name, "dim3");
    *count = name.length > 1 ? name.data[name.length - 1] - '0' : 0;
    Str base = is_dim ? STR("uint") : (Str){name.data, name.length - 1};
    if (*count < 1 || *count > 4) return -1;
    for (int i = 0; i < COUNT(vector_bases); i++)
        if (str_is(base, vector_bases[i].name)) return i;
    return -1;
}

bool cu_is_vector(Str name) {
    int count;
    return vector_base(name, &count) >= 0;
}

const CuType *cu_vector(Arena *arena, Str name) {
    static const char *const fields[] = {"x", "y", "z", "w"};
    int count, row = vector_base(name, &count);
    if (row < 0) return NULL;
    const CuType *of = cu_type(vector_bases[row].kind);
    int64_t size = cu_size(of), align = count == 3 ? size : size * count;
    CuRecord *record = arena_new_of(arena, CuRecord);
    *record = (CuRecord){.name = str_copy(arena, name),
                         .num_fields = count,
                         .fields = arena_array(arena, CuField, count),
                         .size = size * count,
                         .align = align > 16 ? 16 : align,
                         .is_complete = true};
    for (int k = 0; k < count; k++)
        record->fields[k] = (CuField){.name = str_of(fields[k]), .type = of, .offset = k * size};
    return made(arena, (CuType){.kind = CU_STRUCT, .record = record});
}

/* ---- patterns: parameters of templates that are not known yet ---- */

const CuType *cu_any_type(void) {
    static const CuType any = {.kind = CU_PARAM, .param = -1};
    return &any;
}

const CuType *cu_param_type(Arena *arena, int param) {
    return made(arena, (CuType){.kind = CU_PARAM, .param = param});
}

bool cu_is_pattern(const CuType *type) {
    if (type->kind == CU_ARRAY && type->count <= -2) return true;
    if (type->kind == CU_POINTER || type->kind == CU_ARRAY) return cu_is_pattern(type->of);
    return type->kind == CU_PARAM || (type->kind == CU_STRUCT && type->record->is_pattern);
}
