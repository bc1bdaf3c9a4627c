// SPDX-License-Identifier: Apache-2.0
/* builtin: what CUDA and C have built in: places of threads, math, conversions of bits, atomics.
 * Names with a final f are of float; those without take float, double, and integers as double, as
 * C++ has it. What is known but not here is refused by its name. */
#include "cuda/front.h"

typedef struct Call {
    CuLower *l;
    const char *name;
    CuPlace place;
    int count;
    const CuVal *args;
} Call;

static CuVal made(const Call *c, const CuType *type, Value *value) {
    return (CuVal){.type = type, .value = value, .place = c->place};
}

static Value *as(const Call *c, int index, const CuType *type) {
    return cu_convert(c->l, c->args[index], type, "this argument").value;
}

/* ---- math ---- */

/* float if all are, double if not. */
static const CuType *float_type(const Call *c, bool is_single) {
    bool all = true;
    for (int i = 0; i < c->count; i++) all &= c->args[i].type->kind == CU_FLOAT;
    return cu_type(is_single || all ? CU_FLOAT : CU_DOUBLE);
}

static CuVal math(const Call *c, OpKind kind, bool is_single) {
    CuLower *l = c->l;
    const CuType *type = float_type(c, is_single);
    Value *x = as(c, 0, type);
    Value *y = c->count > 1 ? as(c, 1, type) : NULL, *z = c->count > 2 ? as(c, 2, type) : NULL;
    if (l->panic) return cu_poison(l, c->place);
    Value *value = kind == OP_SQRT || kind == OP_FDIV ? cu_exact(l, x, y)
                   : z                                ? cu_op3(l, kind, x, y, z)
                   : y                                ? cu_op2(l, kind, x, y)
                                                      : cu_op1(l, kind, x);
    return made(c, type, value);
}

static const struct MathRow {
    const char *name;
    OpKind kind;
    int count;
    bool is_single; /* there is no other */
} math_rows[] = {
    {"sqrt", OP_SQRT, 1, false},        {"rsqrt", OP_RSQRT, 1, false},
    {"exp", OP_EXP, 1, false},          {"exp2", OP_EXP2, 1, false},
    {"log", OP_LOG, 1, false},          {"log2", OP_LOG2, 1, false},
    {"sin", OP_SIN, 1, false},          {"cos", OP_COS, 1, false},
    {"tanh", OP_TANH, 1, false},        {"erf", OP_ERF, 1, false},
    {"fabs", OP_FABS, 1, false},        {"floor", OP_FLOOR, 1, false},
    {"ceil", OP_CEIL, 1, false},        {"trunc", OP_TRUNC_F, 1, false},
    {"rint", OP_ROUND_EVEN, 1, false},  {"nearbyint", OP_ROUND_EVEN, 1, false},
    {"fmin", OP_FMIN, 2, false},        {"fmax", OP_FMAX, 2, false},
    {"fmod", OP_FREM, 2, false},        {"fma", OP_FMA, 3, false},
    {"__expf", OP_EXP, 1, true},        {"__logf", OP_LOG, 1, true},
    {"__log2f", OP_LOG2, 1, true},      {"__sinf", OP_SIN, 1, true},
    {"__cosf", OP_COS, 1, true},        {"__fsqrt_rn", OP_SQRT, 1, true},
    {"__frsqrt_rn", OP_RSQRT, 1, true}, {"__fdividef", OP_FDIV, 2, true},
    {"fdividef", OP_FDIV, 2, true},     {"__fdiv_rn", OP_FDIV, 2, true},
    {"__fmaf_rn", OP_FMA, 3, true},
};

/* sqrt, sqrtf; NULL: none. */
static const struct MathRow *math_row(Str name, bool *is_single) {
    for (int i = 0; i < COUNT(math_rows); i++) {
        const struct MathRow *row = &math_rows[i];
        *is_single = row->is_single;
        if (str_is(name, row->name)) return row;
        *is_single = true;
        int length = (int)strlen(row->name);
        if (!row->is_single && name.length == length + 1 && name.data[length] == 'f' &&
            str_starts(name, row->name))
            return row;
    }
    return NULL;
}

static CuVal min_max(const Call *c, bool is_max) {
    CuLower *l = c->l;
    CuVal a = cu_promoted(l, c->args[0]), b = cu_promoted(l, c->args[1]);
    if (l->panic) return a;
    if (!cu_is_number(a.type) || !cu_is_number(b.type))
        return cu_bad(l, c->place, "'%s' of what is no number", c->name);
    const CuType *type = cu_common(l, a.type, b.type);
    Value *x = cu_cast_to(l, a, type).value, *y = cu_cast_to(l, b, type).value;
    OpKind kind = cu_is_float(type)    ? is_max ? OP_FMAX : OP_FMIN
                  : cu_is_signed(type) ? is_max ? OP_MAX_S : OP_MIN_S
                  : is_max             ? OP_MAX_U
                                       : OP_MIN_U;
    return made(c, type, cu_op2(l, kind, x, y));
}

static CuVal absolute(const Call *c) {
    CuLower *l = c->l;
    CuVal a = cu_promoted(l, c->args[0]);
    if (l->panic) return a;
    if (cu_is_float(a.type)) return made(c, a.type, cu_op1(l, OP_FABS, a.value));
    if (!cu_is_integer(a.type) || !cu_is_signed(a.type))
        return cu_bad(l, c->place, "'abs' of '%.*s'", STR_ARG(cu_name(l->arena, a.type)));
    Value *zero = cu_int(l, a.type, 0), *minus = cu_op2(l, OP_SUB, zero, a.value);
    return made(c, a.type, cu_select(l, cu_icmp(l, ICMP_SLT, a.value, zero), minus, a.value));
}

/* A small whole exponent is a product: within the 2 units in the last place that CUDA has. */
static CuVal power(const Call *c, bool is_single) {
    enum { MOST = 5 };
    CuLower *l = c->l;
    const CuType *type = float_type(c, is_single);
    Value *x = as(c, 0, type), *y = as(c, 1, type), *result;
    uint64_t bits;
    if (l->panic) return cu_poison(l, c->place);
    double exponent = value_is_constant(y, &bits) ? constant_to_double(y->type, bits) : -1;
    int whole = exponent >= 0 && exponent <= MOST ? (int)exponent : -1;
    bool small = whole >= 0 && (double)whole == exponent;
    if (!small) {
        CuVal both[] = {made(c, type, x), made(c, type, y)};
        const char *name = type->kind == CU_FLOAT ? "__tern_powf" : "__tern_pow";
        return cu_call_library(l, name, 2, both, c->place);
    }
    result = whole & 1 ? x : NULL;
    for (Value *square = x; (whole >>= 1);) {
        square = cu_op2(l, OP_FMUL, square, square);
        if (whole & 1) result = result ? cu_op2(l, OP_FMUL, square, result) : square;
    }
    if (!result) result = build_float(&l->b, x->type, 1); /* also of NaN */
    return made(c, type, result);
}

/* a * b + c of halves, rounded once. */
static CuVal half_fma(const Call *c) {
    CuLower *l = c->l;
    const CuType *type = cu_plain(l->arena, c->args[0].type);
    if (!cu_is_half(type))
        return cu_bad(l, c->place, "'%s' of '%.*s'", c->name, STR_ARG(cu_name(l->arena, type)));
    Value *x = as(c, 0, type), *y = as(c, 1, type), *z = as(c, 2, type);
    return l->panic ? cu_poison(l, c->place) : made(c, type, cu_op3(l, OP_FMA, x, y, z));
}

static CuVal classify(const Call *c) {
    CuLower *l = c->l;
    CuVal a = cu_value(l, c->args[0]);
    if (l->panic) return a;
    if (!cu_is_float(a.type)) return cu_bad(l, c->place, "'%s' of what is no float", c->name);
    const CuType *type = cu_type(CU_BOOL);
    if (!strcmp(c->name, "isnan")) return made(c, type, cu_fcmp(l, FCMP_UNE, a.value, a.value));
    Value *most = build_float(&l->b, a.value->type, (double)__builtin_inff());
    Value *size = cu_op1(l, OP_FABS, a.value);
    int predicate = !strcmp(c->name, "isinf") ? FCMP_OEQ : FCMP_OLT;
    return made(c, type, cu_fcmp(l, predicate, size, most));
}

static CuVal special_number(const Call *c) {
    CuLower *l = c->l;
    bool is_nan = !strcmp(c->name, "__builtin_nanf");
    uint64_t bits = is_nan ? 0x7fffffff : 0x7f800000; /* CUDART_NAN_F, CUDART_INF_F */
    return made(c, cu_type(CU_FLOAT), build_constant_bits(&l->b, type_scalar(TYPE_F32), bits));
}

/* ---- integers and bits ---- */

static const struct BitRow {
    const char *name;
    CuKind from, to;
    OpKind kind; /* of one operand, or two */
} bit_rows[] = {
    {"__float_as_int", CU_FLOAT, CU_INT, OP_BITCAST},
    {"__float_as_uint", CU_FLOAT, CU_UINT, OP_BITCAST},
    {"__int_as_float", CU_INT, CU_FLOAT, OP_BITCAST},
    {"__uint_as_float", CU_UINT, CU_FLOAT, OP_BITCAST},
    {"__double_as_longlong", CU_DOUBLE, CU_LLONG, OP_BITCAST},
    {"__longlong_as_double", CU_LLONG, CU_DOUBLE, OP_BITCAST},
    {"__half_as_short", CU_HALF, CU_SHORT, OP_BITCAST},
    {"__half_as_ushort", CU_HALF, CU_USHORT, OP_BITCAST},
    {"__short_as_half", CU_SHORT, CU_HALF, OP_BITCAST},
    {"__ushort_as_half", CU_USHORT, CU_HALF, OP_BITCAST},
    {"__bfloat16_as_ushort", CU_BFLOAT, CU_USHORT, OP_BITCAST},
    {"__ushort_as_bfloat16", CU_USHORT, CU_BFLOAT, OP_BITCAST},
    {"__popc", CU_UINT, CU_INT, OP_POPCOUNT},
    {"__popcll", CU_ULLONG, CU_INT, OP_POPCOUNT},
    {"__clz", CU_INT, CU_INT, OP_CLZ},
    {"__clzll", CU_LLONG, CU_INT, OP_CLZ},
    {"__mulhi", CU_INT, CU_INT, OP_MULHI_S},
    {"__umulhi", CU_UINT, CU_UINT, OP_MULHI_U},
    {"__mul64hi", CU_LLONG, CU_LLONG, OP_MULHI_S},
    {"__umul64hi", CU_ULLONG, CU_ULLONG, OP_MULHI_U},
    {"__float2int_rz", CU_FLOAT, CU_INT, OP_F_TO_S},
    {"__float2uint_rz", CU_FLOAT, CU_UINT, OP_F_TO_U},
    {"__int2float_rn", CU_INT, CU_FLOAT, OP_S_TO_F},
    {"__uint2float_rn", CU_UINT, CU_FLOAT, OP_U_TO_F},
};

static const struct BitRow *bit_row(Str name) {
    for (int i = 0; i < COUNT(bit_rows); i++)
        if (str_is(name, bit_rows[i].name)) return &bit_rows[i];
    return NULL;
}

static int bit_operands(const struct BitRow *row) {
    return row->kind == OP_MULHI_S || row->kind == OP_MULHI_U ? 2 : 1;
}

static CuVal bits(const Call *c, const struct BitRow *row) {
    CuLower *l = c->l;
    const CuType *from = cu_type(row->from), *to = cu_type(row->to);
    Value *x = as(c, 0, from);
    if (l->panic) return cu_poison(l, c->place);
    if (bit_operands(row) == 2) return made(c, to, cu_op2(l, row->kind, x, as(c, 1, from)));
    if (row->kind != OP_POPCOUNT && row->kind != OP_CLZ)
        return made(c, to, cu_cast(l, row->kind, x, cu_ir(l->fn->types, to)));
    Value *count = cu_op1(l, row->kind, x);
    return cu_cast_to(l, made(c, from, count), to);
}

/* ---- atomics ---- */

static const struct AtomicRow {
    const char *name;
    int64_t of_signed, of_unsigned, of_float; /* -1: there is none */
} atomic_rows[] = {
    {"atomicAdd", RMW_ADD, RMW_ADD, RMW_FADD},
    {"atomicSub", RMW_ADD, RMW_ADD, -1},
    {"atomicExch", RMW_XCHG, RMW_XCHG, RMW_XCHG},
    {"atomicMin", RMW_MIN_S, RMW_MIN_U, -1},
    {"atomicMax", RMW_MAX_S, RMW_MAX_U, -1},
    {"atomicAnd", RMW_AND, RMW_AND, -1},
    {"atomicOr", RMW_OR, RMW_OR, -1},
    {"atomicXor", RMW_XOR, RMW_XOR, -1},
    {"atomicCAS", 0, 0, -1},
};

/* atomicAdd_block, atomicAdd_system: *scope says so. */
static const struct AtomicRow *atomic_row(Str name, int64_t *scope) {
    *scope = str_ends(name, "_block")    ? SCOPE_CTA
             : str_ends(name, "_system") ? SCOPE_SYS
                                         : SCOPE_GPU;
    if (*scope != SCOPE_GPU) name.length -= *scope == SCOPE_CTA ? 6 : 7;
    for (int i = 0; i < COUNT(atomic_rows); i++)
        if (str_is(name, atomic_rows[i].name)) return &atomic_rows[i];
    return NULL;
}

static CuVal compare_and_swap(const Call *c, const CuType *type, Value *pointer, int64_t scope) {
    CuLower *l = c->l;
    const Type *ir = pointer->type->elem;
    Value *operands[] = {pointer, as(c, 1, type), as(c, 2, type)};
    if (l->panic) return cu_poison(l, c->place);
    Op *op = build_op(&l->b, OP_ATOMIC_CAS, 3, operands, 1, &ir, 0, NULL);
    atomic_cas_set_sem(op, SEM_RELAXED);
    atomic_cas_set_scope(op, scope);
    return made(c, type, op_result(op));
}

static CuVal atomic(const Call *c, const struct AtomicRow *row, int64_t scope) {
    CuLower *l = c->l;
    CuVal at = cu_value(l, c->args[0]);
    if (l->panic) return at;
    if (at.type->kind != CU_POINTER || !cu_is_number(at.type->of) || cu_size(at.type->of) < 4)
        return cu_bad(l, at.place, "'%s' at '%.*s': expected a pointer to a number of 4 or 8 bytes",
                      c->name, STR_ARG(cu_name(l->arena, at.type)));
    if (at.type->of->is_const) return cu_bad(l, at.place, "this points to what is const");
    const CuType *type = cu_plain(l->arena, at.type->of);
    int64_t kind = cu_is_float(type)    ? row->of_float
                   : cu_is_signed(type) ? row->of_signed
                                        : row->of_unsigned;
    if (kind < 0)
        return cu_unsupported(l, c->place, "'%s' of '%.*s'", c->name,
                              STR_ARG(cu_name(l->arena, type)));
    if (c->count == 3) return compare_and_swap(c, type, at.value, scope);
    Value *value = as(c, 1, type);
    if (l->panic) return cu_poison(l, c->place);
    if (!strcmp(row->name, "atomicSub")) value = cu_op2(l, OP_SUB, cu_int(l, type, 0), value);
    const Type *ir = at.value->type->elem, *of = ir;
    if (kind == RMW_XCHG && cu_is_float(type)) { /* its bits */
        ir = type_scalar(cu_size(type) == 4 ? TYPE_I32 : TYPE_I64);
        at.value = cu_cast(l, OP_BITCAST, at.value, type_ptr(l->fn->types, ir));
        value = cu_cast(l, OP_BITCAST, value, ir);
    }
    Op *op = build_op(&l->b, OP_ATOMIC_RMW, 2, (Value *[]){at.value, value}, 1, &ir, 0, NULL);
    atomic_rmw_set_kind(op, kind);
    atomic_rmw_set_sem(op, SEM_RELAXED);
    atomic_rmw_set_scope(op, scope);
    Value *was = op_result(op);
    return made(c, type, of == ir ? was : cu_cast(l, OP_BITCAST, was, of));
}

/* ---- others ---- */

static const CuType *made_vector(Arena *arena, Str name) {
    if (!str_starts(name, "make_")) return NULL;
    return cu_vector(arena, (Str){name.data + 5, name.length - 5});
}

static CuVal make_vector(const Call *c, const CuType *type) {
    CuLower *l = c->l;
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    for (int i = 0; i < type->record->num_fields && !l->panic; i++) {
        const CuField *f = &type->record->fields[i];
        cu_store_to(l, cu_offset(l, at, f->offset, f->type), f->type, as(c, i, f->type));
    }
    return (CuVal){.type = type, .value = at, .place = c->place};
}

/* How many arguments it takes; -1: there is no such function. */
static int arguments_of(Str name) {
    bool is_single;
    int64_t scope;
    static const struct {
        const char *name;
        int count;
    } others[] = {{"__cvta_generic_to_shared", 1},
                  {"__syncthreads", 0},
                  {"min", 2},
                  {"max", 2},
                  {"abs", 1},
                  {"labs", 1},
                  {"llabs", 1},
                  {"pow", 2},
                  {"powf", 2},
                  {"__powf", 2},
                  {"__hfma", 3},
                  {"isnan", 1},
                  {"isinf", 1},
                  {"isfinite", 1},
                  {"__builtin_inff", 0},
                  {"__builtin_nanf", 0}};
    const struct MathRow *row = math_row(name, &is_single);
    if (row) return row->count;
    if (bit_row(name)) return bit_operands(bit_row(name));
    const struct AtomicRow *atomic = atomic_row(name, &scope);
    if (atomic) return !strcmp(atomic->name, "atomicCAS") ? 3 : 2;
    for (int i = 0; i < COUNT(others); i++)
        if (str_is(name, others[i].name)) return others[i].count;
    return -1;
}

/* There are such functions in CUDA, but not here. */
bool cu_builtin_known(Str name) {
    static const char *const names[] = {"malloc", "free", "this_grid", "lerp", "cbrt"};
    static const char *const starts[] = {
        "__shfl",    "__any",  "__all", "__ballot", "__syncthreads_", "atomic",
        "__f",       "__d",    "__h",   "__int",    "__uint",         "__ull",
        "__ll",      "__byte", "__v",   "__nano",   "__half",         "__nv",
        "__cvta",    "tex",    "surf",  "cuda",     "curand",         "__pipeline",
        "__builtin", "__is"};
    static const char *const math[] = {"erfc",   "lgamma", "tgamma", "remainder", "normcdf",
                                       "erfinv", "erfcx",  "logb",   "nextafter", "j0",
                                       "j1",     "y0",     "nan",    "llround",   "lround",
                                       "lrint",  "llrint", "rnorm3d"};
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i])) return true;
    for (int i = 0; i < COUNT(starts); i++)
        if (str_starts(name, starts[i])) return true;
    if (name.length && name.data[name.length - 1] == 'f') name.length--;
    for (int i = 0; i < COUNT(math); i++)
        if (str_is(name, math[i])) return true;
    return false;
}

bool cu_builtin_exists(Str name) {
    int least, most;
    Str vector = {name.data + 5, name.length - 5};
    return arguments_of(name) >= 0 || cu_warp_arguments(name, &least, &most) ||
           (str_starts(name, "make_") && cu_is_vector(vector));
}

static CuVal called(const Call *c, Str name) {
    CuLower *l = c->l;
    bool is_single;
    int64_t scope;
    const struct MathRow *row = math_row(name, &is_single);
    if (row) return math(c, row->kind, is_single);
    if (bit_row(name)) return bits(c, bit_row(name));
    if (atomic_row(name, &scope)) return atomic(c, atomic_row(name, &scope), scope);
    if (str_is(name, "min") || str_is(name, "max")) return min_max(c, str_is(name, "max"));
    if (str_is(name, "abs") || str_is(name, "labs") || str_is(name, "llabs")) return absolute(c);
    if (str_is(name, "pow")) return power(c, false);
    if (str_is(name, "powf") || str_is(name, "__powf")) return power(c, true);
    if (str_is(name, "__hfma")) return half_fma(c);
    if (str_starts(name, "is")) return classify(c);
    if (str_starts(name, "__builtin")) return special_number(c);
    if (str_starts(name, "__cvta")) return cu_shared_address(l, c->args[0], c->place);
    build_op(&l->b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    return made(c, cu_type(CU_VOID), NULL);
}

bool cu_builtin(CuLower *l, Str name, CuPlace place, int count, CuVal *args, CuVal *result) {
    Call c = {l, str_c(l->arena, name), place, count, args};
    const CuType *vector = made_vector(l->arena, name);
    int takes = vector ? vector->record->num_fields : arguments_of(name), least, most;
    if (cu_warp_arguments(name, &least, &most)) {
        if (count >= least && count <= most)
            *result = cu_warp_builtin(l, name, place, count, args);
        else
            *result = cu_bad(l, place, "'%s' takes %d to %d arguments, not %d", c.name, least, most,
                             count);
        return true;
    }
    if (takes < 0) {
        *result = cu_unsupported(l, place, "'%s' in a kernel", c.name);
        return false;
    }
    if (count != takes) {
        *result = cu_bad(l, place, "'%s' takes %d argument%s, not %d", c.name, takes,
                         takes == 1 ? "" : "s", count);
        return true;
    }
    *result = vector ? make_vector(&c, vector) : called(&c, name);
    return true;
}

/* ---- names ---- */

/* threadIdx, blockIdx, blockDim, gridDim along an axis. */
static Value *coordinate(CuLower *l, int which, int axis) {
    const Type *ir = type_scalar(TYPE_I32);
    if (which == 1) return build_program_id(&l->b, axis);
    if (which == 2) return cu_int(l, cu_type(CU_UINT), l->launch->block[axis]);
    if (which == 3) return build_num_programs(&l->b, axis);
    Op *op = build_op(&l->b, OP_THREAD_ID, 0, NULL, 1, &ir, 0, NULL);
    thread_id_set_axis(op, axis);
    return op_result(op);
}

bool cu_builtin_name(CuLower *l, CuToken *name, CuVal *val) {
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    static const char *const axes[] = {"x", "y", "z"};
    const CuType *type = cu_type(CU_UINT);
    int which = 0, axis = 0;
    if (cu_is(name, "__tern_has_ptx")) { /* kernels/cuda asks */
        int has = l->launch && l->launch->has_ptx;
        *val = (CuVal){.type = cu_type(CU_INT),
                       .value = cu_int(l, cu_type(CU_INT), has),
                       .place = name->place};
        return true;
    }
    if (cu_is(name, "warpSize")) {
        *val = (CuVal){
            .type = cu_type(CU_INT), .value = cu_int(l, cu_type(CU_INT), 32), .place = name->place};
        return true;
    }
    while (which < COUNT(names) && !cu_is(name, names[which])) which++;
    if (which == COUNT(names)) return false;
    if (!cu_is(l->at, ".")) {
        const CuType *whole = cu_vector(l->arena, which < 2 ? STR("uint3") : STR("dim3"));
        Value *at = cu_alloc(l, whole, ALLOC_LOCAL, STR(""));
        for (int i = 0; i < 3; i++)
            cu_store_to(l, cu_offset(l, at, i * cu_size(type), type), type,
                        coordinate(l, which, i));
        *val = (CuVal){.type = whole, .value = at, .place = name->place};
        return true;
    }
    *val = cu_poison(l, name->place);
    CuToken *member = l->at->next;
    while (axis < COUNT(axes) && !cu_is(member, axes[axis])) axis++;
    if (axis == COUNT(axes)) {
        *val = cu_bad(l, member->place, "'%s' has no member '%.*s'", names[which],
                      STR_ARG(member->text));
        return true;
    }
    l->at = member->next;
    *val = (CuVal){.type = type,
                   .value = coordinate(l, which, axis),
                   .place = cu_join(name->place, member->place)};
    return true;
}
