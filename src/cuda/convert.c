// SPDX-License-Identifier: Apache-2.0
/* convert: C's conversions. Integer promotions and the usual arithmetic conversions stand here and
 * nowhere else. */
#include "cuda/front.h"

CuVal cu_value(CuLower *l, CuVal val) {
    const CuType *type = val.type;
    if (type->kind == CU_ARRAY) {
        if (!val.is_place) return val;
        return (CuVal){
            .type = cu_pointer(l->arena, type->of), .value = val.value, .place = val.place};
    }
    if (!val.is_place || type->kind == CU_STRUCT) return val;
    if (type->kind == CU_VOID) return cu_bad(l, val.place, "a value of type void");
    Value *value = cu_load_from(l, val.value, type);
    return (CuVal){.type = cu_plain(l->arena, type), .value = value, .place = val.place};
}

static Value *number_to_bool(CuLower *l, const CuType *from, Value *value) {
    const Type *type = value->type;
    if (cu_is_float(from)) return cu_fcmp(l, FCMP_UNE, value, build_constant_bits(&l->b, type, 0));
    if (type_is_bool(type)) return value;
    return cu_icmp(l, ICMP_NE, value, build_constant_bits(&l->b, type, 0));
}

static Value *number_to(CuLower *l, const CuType *from, const CuType *to, Value *value) {
    const Type *old = value->type, *type = cu_ir(l->fn->types, to);
    if (to->kind == CU_BOOL) return number_to_bool(l, from, value);
    if (cu_is_float(from) && cu_is_float(to)) {
        if (old == type) return value;
        if (cu_is_half(from) && cu_is_half(to))
            value = cu_cast(l, OP_FEXT, value, type_scalar(TYPE_F32));
        else if (type_bits(type) == type_bits(old))
            BUG("a float of the same size");
        return cu_cast(l, type_bits(type) > type_bits(old) ? OP_FEXT : OP_FTRUNC, value, type);
    }
    if (cu_is_float(from)) return cu_cast(l, cu_is_signed(to) ? OP_F_TO_S : OP_F_TO_U, value, type);
    if (cu_is_float(to)) {
        bool is_bool = type_is_bool(old);
        if (is_bool) value = cu_cast(l, OP_EXT_U, value, type_scalar(TYPE_I32));
        return cu_cast(l, cu_is_signed(from) || is_bool ? OP_S_TO_F : OP_U_TO_F, value, type);
    }
    int have = type_bits(old), want = type_bits(type);
    if (have == want) return value;
    if (want < have) return cu_cast(l, OP_TRUNC, value, type);
    return cu_cast(l, cu_is_signed(from) ? OP_EXT_S : OP_EXT_U, value, type);
}

static CuVal result(const CuType *type, Value *value, CuPlace place) {
    return (CuVal){.type = type, .value = value, .place = place};
}

/* Any conversion that a cast may make. */
CuVal cu_cast_to(CuLower *l, CuVal val, const CuType *type) {
    if (l->panic) return cu_poison(l, val.place);
    type = cu_plain(l->arena, type);
    if (type->kind == CU_VOID) return result(type, NULL, val.place);
    if (type->kind == CU_STRUCT && cu_same(val.type, type)) return val;
    bool derives = type->kind == CU_STRUCT && val.type->kind == CU_STRUCT &&
                   cu_derives(val.type->record, type->record);
    if (derives) return cu_base_of(l, val, type->record);
    bool by_class = type->kind == CU_STRUCT || val.type->kind == CU_STRUCT;
    if (by_class && cu_converts_to(l, &val, type)) return cu_convert_by_class(l, val, type);
    if (type->kind == CU_STRUCT && type->record->decl && cu_has_constructor(l, type->record)) {
        Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR("")); /* by an explicit one */
        cu_construct(l, at, type, 1, &val, val.place);
        return result(type, at, val.place);
    }
    CuVal from = cu_value(l, val);
    if (l->panic) return from;
    const Type *ir = cu_ir(l->fn->types, type);
    if (cu_is_number(from.type) && cu_is_number(type))
        return result(type, number_to(l, from.type, type, from.value), val.place);
    bool is_address = from.type->kind == CU_POINTER;
    if (type->kind == CU_POINTER && from.is_null)
        return (CuVal){.type = type,
                       .value = build_constant_bits(&l->b, ir, 0),
                       .is_null = true,
                       .place = val.place};
    if (is_address && type->kind == CU_POINTER) {
        bool same = from.value->type == ir;
        return result(type, same ? from.value : cu_cast(l, OP_BITCAST, from.value, ir), val.place);
    }
    if (is_address && type->kind == CU_BOOL) {
        Value *null = build_constant_bits(&l->b, from.value->type, 0);
        return result(type, cu_icmp(l, ICMP_NE, from.value, null), val.place);
    }
    if (is_address && cu_is_integer(type) && cu_size(type) == 8)
        return result(type, cu_cast(l, OP_BITCAST, from.value, ir), val.place);
    if (type->kind == CU_POINTER && cu_is_integer(from.type) && cu_size(from.type) == 8)
        return result(type, cu_cast(l, OP_BITCAST, from.value, ir), val.place);
    return cu_bad(l, val.place, "'%.*s' does not become '%.*s'",
                  STR_ARG(cu_name(l->arena, val.type)), STR_ARG(cu_name(l->arena, type)));
}

/* Qualifiers may be added on the way to a pointer, not lost. */
static bool pointer_fits(const CuType *from, const CuType *to) {
    const CuType *a = from->of, *b = to->of;
    for (; a->kind == CU_ARRAY && b->kind == CU_ARRAY; a = a->of, b = b->of)
        if (a->count != b->count && a->count >= 0 && b->count >= 0) return false;
    bool keeps = (!a->is_const || b->is_const) && (!a->is_volatile || b->is_volatile);
    if (a != from->of) return keeps && cu_same(a, b); /* of arrays: of their elements */
    bool derives = from->of->kind == CU_STRUCT && to->of->kind == CU_STRUCT &&
                   cu_derives(from->of->record, to->of->record);
    return keeps && (to->of->kind == CU_VOID || derives || cu_same(from->of, to->of));
}

int cu_conversion_rank(const CuVal *val, const CuType *to) {
    const CuType *from = val->type;
    if (from->kind == CU_ARRAY && to->kind == CU_POINTER) {
        CuType decayed = {.kind = CU_POINTER, .of = from->of};
        return !pointer_fits(&decayed, to) ? -1 : cu_same(&decayed, to) ? 0 : 1;
    }
    if (cu_same(from, to)) return 0;
    if (cu_is_number(from) && cu_is_number(to)) {
        bool promotes =
            (to->kind == CU_INT && cu_is_integer(from) && cu_rank(from) < cu_rank(to)) ||
            (to->kind == CU_DOUBLE && from->kind == CU_FLOAT);
        return promotes ? 1 : 2;
    }
    if (from->kind == CU_STRUCT || to->kind == CU_STRUCT) return -1;
    if (to->kind == CU_POINTER && val->is_null) return 2;
    bool is_address = from->kind == CU_POINTER || from->kind == CU_ARRAY;
    if (is_address && to->kind == CU_BOOL) return 3;
    if (from->kind == CU_POINTER && to->kind == CU_POINTER && pointer_fits(from, to))
        return to->of->kind == CU_VOID ? 2 : 1;
    return -1;
}

int cu_rank_of_conversion(CuLower *l, const CuVal *val, const CuType *to) {
    int rank = cu_conversion_rank(val, to);
    bool by_class = to->kind == CU_STRUCT || val->type->kind == CU_STRUCT;
    if (rank >= 0 || !by_class) return rank;
    if (to->kind == CU_STRUCT && val->type->kind == CU_STRUCT &&
        cu_derives(val->type->record, to->record))
        return 2;
    return cu_converts_to(l, val, to) ? 4 : -1;
}

/* Where a number is needed: what an object becomes by itself. */
CuVal cu_as_number(CuLower *l, CuVal val) {
    static const CuKind kinds[] = {CU_DOUBLE, CU_FLOAT, CU_LLONG, CU_ULLONG, CU_LONG,
                                   CU_ULONG,  CU_INT,   CU_UINT,  CU_BOOL,   CU_HALF};
    if (val.type->kind != CU_STRUCT || l->panic || !val.type->record->decl) return val;
    const CuName *found = cu_member(l, val.type->record, &val, STR("operator type"));
    for (int i = 0; i < COUNT(kinds) && found; i++) {
        CuCallee callee = {.record = found->record, .self = found->self};
        CuSignature s;
        const CuDecl *d = found->decl;
        bool fine = !d->overload && cu_signature(l, d, cu_member_scope(l, &callee), &s);
        if (fine && s.result && s.result->kind == kinds[i])
            return cu_convert_by_class(l, val, cu_type(kinds[i]));
    }
    return val;
}

void cu_as_numbers(CuLower *l, CuVal *a, CuVal *b) {
    *a = cu_as_number(l, *a);
    *b = cu_as_number(l, *b);
}

CuVal cu_convert(CuLower *l, CuVal val, const CuType *type, const char *what) {
    if (l->panic) return val;
    if (cu_rank_of_conversion(l, &val, type) >= 0) return cu_cast_to(l, val, type);
    return cu_bad(l, val.place, "%s: '%.*s' does not become '%.*s' by itself", what,
                  STR_ARG(cu_name(l->arena, val.type)), STR_ARG(cu_name(l->arena, type)));
}

Value *cu_condition(CuLower *l, CuVal val) {
    CuVal truth = cu_cast_to(l, val, cu_type(CU_BOOL));
    return l->panic ? build_int(&l->b, type_scalar(TYPE_I1), 0) : truth.value;
}

/* Integers narrower than int become int, which holds all of them. */
CuVal cu_promoted(CuLower *l, CuVal val) {
    val = cu_value(l, val);
    if (l->panic || !cu_is_integer(val.type) || cu_rank(val.type) >= cu_rank(cu_type(CU_INT)))
        return val;
    bool is_null = val.is_null;
    val = cu_cast_to(l, val, cu_type(CU_INT));
    val.is_null = is_null;
    return val;
}

/* C11, 6.3.1.8, of types that are promoted. */
const CuType *cu_common(CuLower *l, const CuType *a, const CuType *b) {
    a = cu_plain(l->arena, a), b = cu_plain(l->arena, b);
    if (cu_is_float(a) || cu_is_float(b)) return cu_rank(a) > cu_rank(b) ? a : b;
    if (a->kind == b->kind) return a;
    if (cu_is_signed(a) == cu_is_signed(b)) return cu_rank(a) > cu_rank(b) ? a : b;
    const CuType *is_signed = cu_is_signed(a) ? a : b, *is_unsigned = cu_is_signed(a) ? b : a;
    if (cu_rank(is_unsigned) >= cu_rank(is_signed)) return is_unsigned;
    if (cu_size(is_signed) > cu_size(is_unsigned)) return is_signed;
    return cu_type(is_signed->kind == CU_LONG ? CU_ULONG : CU_ULLONG);
}
