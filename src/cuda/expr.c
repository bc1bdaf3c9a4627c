// SPDX-License-Identifier: Apache-2.0
/* expr: expressions, by precedence. The right operand of && and || and the arms of ?: are built
 * into regions of their own; where they read no memory that could be wrong to read, they stand in
 * line. */
#include "cuda/front.h"

/* ---- places ---- */

static CuVal place_val(const CuType *type, Value *address, CuPlace place) {
    return (CuVal){.type = type, .value = address, .is_place = true, .place = place};
}

static CuVal dereference(CuLower *l, CuVal pointer, CuPlace place) {
    CuVal result;
    if (pointer.type->kind == CU_STRUCT && cu_operator(l, "*", 1, &pointer, place, &result))
        return result;
    pointer = cu_value(l, pointer);
    if (l->panic) return pointer;
    if (pointer.type->kind != CU_POINTER)
        return cu_bad(l, place, "'*' of '%.*s', which is no pointer",
                      STR_ARG(cu_name(l->arena, pointer.type)));
    if (pointer.type->of->kind == CU_VOID) return cu_bad(l, place, "what a 'void *' points to");
    cu_complete(l, pointer.type->of);
    return place_val(pointer.type->of, pointer.value, place);
}

/* pointer + index, in elements. */
static CuVal advance(CuLower *l, CuVal pointer, CuVal index, bool back, CuPlace place) {
    const CuType *of = pointer.type->of;
    CuVal at = cu_cast_to(l, cu_promoted(l, index),
                          cu_is_signed(index.type) || cu_size(index.type) < 4 ? cu_type(CU_LONG)
                                                                              : cu_type(CU_ULONG));
    if (l->panic) return pointer;
    if (of->kind == CU_VOID) return cu_bad(l, place, "arithmetic on a 'void *'");
    cu_complete(l, of);
    Value *offset = at.value;
    if (back) offset = cu_op2(l, OP_SUB, cu_int(l, at.type, 0), offset);
    int64_t scale = cu_size(of) / type_size_bytes(pointer.value->type->elem);
    if (scale != 1) offset = cu_op2(l, OP_MUL, offset, cu_int(l, at.type, scale));
    return (CuVal){
        .type = pointer.type, .value = build_addptr(&l->b, pointer.value, offset), .place = place};
}

/* .x, .f(1), .template f<2>(1), .operator()(1), .Base::x */
static CuVal member(CuLower *l, CuVal of) {
    cu_accept(l, "template");
    CuToken *name = l->at;
    CuPlace place = cu_join(of.place, name->place);
    if (l->panic) return of;
    if (of.type->kind != CU_STRUCT)
        return cu_bad(l, place, "member '%.*s' of '%.*s', which is no struct", STR_ARG(name->text),
                      STR_ARG(cu_name(l->arena, of.type)));
    cu_complete(l, of.type);
    const CuRecord *record = of.type->record;
    CuVal *self = arena_new_of(l->arena, CuVal);
    *self = of;
    l->at = name->next;
    if (cu_is(name, "operator") && cu_is(l->at, "(") && record->lambda) l->at = cu_skip(l->at);
    const CuName *found = l->panic ? NULL : cu_member(l, record, self, name->text);
    if (found && found->kind == NAME_TYPE && cu_is(l->at, "::")) { /* of a base */
        *self = cu_base_of(l, of, found->val.type->record);
        name = l->at->next;
        l->at = name->next;
        found = cu_member(l, self->type->record, self, name->text);
    }
    if (l->panic) return of;
    if (!found)
        return cu_bad(l, name->place, "'%.*s' has no member '%.*s'", STR_ARG(record->name),
                      STR_ARG(name->text));
    if (found->kind == NAME_FUNCTION) return cu_call_named(l, name, found);
    if (found->kind == NAME_TYPE)
        return cu_bad(l, name->place, "'%.*s' is a type", STR_ARG(name->text));
    CuVal val = found->val;
    val.place = place;
    return val;
}

/* ---- binary operators on values ---- */

static CuVal made(const CuType *type, Value *value, CuPlace place) {
    return (CuVal){.type = type, .value = value, .place = place};
}

static bool is_op(const char *op, const char *text) { return !strcmp(op, text); }

static int comparison(const char *op) { /* 0: none; 1 .. 6: == != < <= > >= */
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    for (int i = 0; i < COUNT(ops); i++)
        if (is_op(op, ops[i])) return i + 1;
    return 0;
}

static CuVal compare(CuLower *l, int which, const CuType *type, Value *a, Value *b, CuPlace place) {
    static const int floats[] = {FCMP_OEQ, FCMP_UNE, FCMP_OLT, FCMP_OLE, FCMP_OGT, FCMP_OGE};
    static const int ints[2][6] = {
        {ICMP_EQ, ICMP_NE, ICMP_ULT, ICMP_ULE, ICMP_UGT, ICMP_UGE},
        {ICMP_EQ, ICMP_NE, ICMP_SLT, ICMP_SLE, ICMP_SGT, ICMP_SGE},
    };
    if (cu_is_float(type))
        return made(cu_type(CU_BOOL), cu_fcmp(l, floats[which - 1], a, b), place);
    bool is_signed = type->kind != CU_POINTER && cu_is_signed(type);
    return made(cu_type(CU_BOOL), cu_icmp(l, ints[is_signed][which - 1], a, b), place);
}

static CuVal pointer_operation(CuLower *l, const char *op, CuVal a, CuVal b, CuPlace place) {
    bool both = a.type->kind == CU_POINTER && b.type->kind == CU_POINTER;
    int which = comparison(op);
    if (which && (a.is_null || b.is_null || both)) {
        const CuType *type = a.type->kind == CU_POINTER && !a.is_null ? a.type : b.type;
        if (both && !a.is_null && !b.is_null && a.type->of->kind != b.type->of->kind)
            return cu_bad(l, place, "pointers to different types are compared");
        a = cu_cast_to(l, a, type), b = cu_cast_to(l, b, type);
        return l->panic ? a : compare(l, which, type, a.value, b.value, place);
    }
    if (both && is_op(op, "-") &&
        cu_same(cu_plain(l->arena, a.type->of), cu_plain(l->arena, b.type->of)) &&
        a.type->of->kind != CU_VOID) {
        const CuType *type = cu_type(CU_LONG);
        Value *x = cu_cast_to(l, a, type).value, *y = cu_cast_to(l, b, type).value;
        Value *bytes = cu_op2(l, OP_SUB, x, y);
        return made(type, cu_op2(l, OP_DIV_S, bytes, cu_int(l, type, cu_size(a.type->of))), place);
    }
    if (is_op(op, "+") && b.type->kind == CU_POINTER && cu_is_integer(a.type))
        return advance(l, b, a, false, place);
    if ((is_op(op, "+") || is_op(op, "-")) && cu_is_integer(b.type))
        return advance(l, a, b, is_op(op, "-"), place);
    return cu_bad(l, place, "'%s' of '%.*s' and '%.*s'", op, STR_ARG(cu_name(l->arena, a.type)),
                  STR_ARG(cu_name(l->arena, b.type)));
}

static OpKind float_kind(const char *op) {
    return is_op(op, "+")   ? OP_FADD
           : is_op(op, "-") ? OP_FSUB
           : is_op(op, "*") ? OP_FMUL
           : is_op(op, "/") ? OP_FDIV
                            : NUM_OP_KINDS;
}

static OpKind int_kind(const char *op, bool is_signed) {
    static const struct {
        const char *text;
        OpKind of_signed, of_unsigned;
    } kinds[] = {{"+", OP_ADD, OP_ADD},     {"-", OP_SUB, OP_SUB},     {"*", OP_MUL, OP_MUL},
                 {"/", OP_DIV_S, OP_DIV_U}, {"%", OP_REM_S, OP_REM_U}, {"&", OP_AND, OP_AND},
                 {"|", OP_OR, OP_OR},       {"^", OP_XOR, OP_XOR},     {"<<", OP_SHL, OP_SHL},
                 {">>", OP_SHR_S, OP_SHR_U}};
    for (int i = 0; i < COUNT(kinds); i++)
        if (is_op(op, kinds[i].text)) return is_signed ? kinds[i].of_signed : kinds[i].of_unsigned;
    return NUM_OP_KINDS;
}

CuVal cu_binary_values(CuLower *l, const char *op, CuVal a, CuVal b) {
    CuPlace place = cu_join(a.place, b.place);
    if (a.type->kind == CU_STRUCT || b.type->kind == CU_STRUCT) {
        CuVal args[] = {a, b}, result;
        if (cu_operator(l, op, 2, args, place, &result)) return result;
        cu_as_numbers(l, &args[0], &args[1]);
        a = args[0], b = args[1];
    }
    a = cu_promoted(l, a), b = cu_promoted(l, b);
    if (l->panic) return a;
    l->b.span = cu_span(place);
    if (a.type->kind == CU_POINTER || b.type->kind == CU_POINTER)
        return pointer_operation(l, op, a, b, place);
    if (!cu_is_number(a.type) || !cu_is_number(b.type))
        return cu_bad(l, place, "'%s' of '%.*s' and '%.*s'", op, STR_ARG(cu_name(l->arena, a.type)),
                      STR_ARG(cu_name(l->arena, b.type)));
    if (cu_is_half(a.type) || cu_is_half(b.type)) {
        if (a.type->kind != b.type->kind)
            return cu_bad(l, place, "'%s' of '%.*s' and '%.*s': one must be converted", op,
                          STR_ARG(cu_name(l->arena, a.type)), STR_ARG(cu_name(l->arena, b.type)));
    }
    bool shifts = is_op(op, "<<") || is_op(op, ">>");
    const CuType *type = shifts ? cu_plain(l->arena, a.type) : cu_common(l, a.type, b.type);
    bool is_float = cu_is_float(type) || (shifts && cu_is_float(b.type));
    OpKind kind = is_float ? float_kind(op) : int_kind(op, cu_is_signed(type));
    a = cu_cast_to(l, a, type), b = cu_cast_to(l, b, type);
    if (l->panic) return a;
    if (comparison(op)) return compare(l, comparison(op), type, a.value, b.value, place);
    if (kind == NUM_OP_KINDS || (shifts && is_float))
        return cu_bad(l, place, "'%s' of floating-point numbers", op);
    Value *value = kind == OP_FDIV && !cu_is_half(type) ? cu_exact(l, a.value, b.value)
                                                        : cu_op2(l, kind, a.value, b.value);
    return made(type, value, place);
}

/* ---- primary ---- */

static CuVal number(CuLower *l, CuToken *t) {
    CuNumber n;
    const char *why = cu_number(l->arena, t->text, &n);
    if (why) return cu_bad(l, t->place, "%s: '%.*s'", why, STR_ARG(t->text));
    if (n.is_float) {
        const CuType *type = cu_type(n.is_single ? CU_FLOAT : CU_DOUBLE);
        return made(type, build_float(&l->b, cu_ir(l->fn->types, type), n.number), t->place);
    }
    /* The first type that holds it; of decimal digits no unsigned one without 'u' (C11,
     * 6.4.4.1). */
    static const CuKind kinds[] = {CU_INT, CU_UINT, CU_LONG, CU_ULONG, CU_LLONG, CU_ULLONG};
    const CuType *type = NULL;
    for (int i = n.longs * 2; i < COUNT(kinds) && !type; i++) {
        bool is_signed = cu_is_signed(cu_type(kinds[i]));
        int bits = 8 * (int)cu_size(cu_type(kinds[i])) - is_signed;
        bool allowed = is_signed ? !n.is_unsigned : n.is_unsigned || !n.is_decimal;
        if (allowed && (bits == 64 || n.integer >> bits == 0)) type = cu_type(kinds[i]);
    }
    if (!type) return cu_bad(l, t->place, "no type holds '%.*s'", STR_ARG(t->text));
    CuVal val = made(type, cu_int(l, type, (int64_t)n.integer), t->place);
    val.is_null = n.integer == 0;
    return val;
}

static CuVal unknown_name(CuLower *l, const CuToken *t) {
    if (l->is_host && cu_is(t, "new")) return cu_new(l, t->place);
    if (l->is_host && cu_is(t, "delete")) return cu_delete(l, t->place);
    if (cu_is(t, "new") || cu_is(t, "delete") || cu_is(t, "throw"))
        return cu_unsupported(l, t->place, "'%.*s' in a kernel", STR_ARG(t->text));
    if (cu_is(t->next, "::"))
        return cu_unsupported(l, t->place, "'%.*s::' in a kernel", STR_ARG(t->text));
    return cu_undeclared(l, t->place, "", t->text);
}

/* __func__: a string of the name of the function around it. */
static CuVal function_name(CuLower *l, const CuToken *t) {
    if (!l->call || !l->call->decl || !l->top) return unknown_name(l, t);
    CuToken string = *t;
    string.kind = CU_STRING;
    string.text = str_format(l->arena, "\"%.*s\"", STR_ARG(l->call->decl->name));
    l->at = &string;
    CuVal val = cu_text(l);
    l->at = t->next;
    return val;
}

/* A variable, constant, or call of a function. */
static CuVal named(CuLower *l) {
    CuToken *start = l->at, *t = start;
    CuVal val;
    if (cu_is(t, "this")) {
        l->at = t->next;
        const CuVal *self = l->call ? l->call->self : NULL;
        if (!self) return cu_bad(l, t->place, "'this' outside of a class");
        return made(cu_pointer(l->arena, self->type), self->value, t->place);
    }
    const CuName *found = cu_name_at(l, &t);
    if (l->panic) return cu_poison(l, t->place);
    bool calls = cu_is(l->at, "(") || cu_at_launch(l) ||
                 (cu_is(l->at, "<") && found && found->kind == NAME_FUNCTION);
    bool is_explicit = !found && cu_is(l->at, "<") && cu_builtin_exists(t->text) &&
                       cu_is(cu_skip_angles(l->at), "(");
    if (found && found->kind == NAME_NONE) { /* what is wrong with it was said */
        l->panic = true;
        return cu_poison(l, t->place);
    }
    if (found && found->kind == NAME_FUNCTION && !calls && l->is_host && found->decl->is_kernel)
        return cu_kernel_value(l, t->place);
    if (found && found->kind == NAME_FUNCTION && !calls)
        return cu_unsupported(l, t->place, "the function '%.*s' as a value", STR_ARG(t->text));
    if ((calls && (!found || found->kind == NAME_FUNCTION)) || is_explicit)
        return cu_call_named(l, t, found);
    if (!found && cu_builtin_name(l, t, &val)) return val;
    if (!found && (cu_is(t, "__func__") || cu_is(t, "__FUNCTION__"))) return function_name(l, t);
    if (!found) return unknown_name(l, t);
    if (found->kind == NAME_TYPE) return cu_bad(l, t->place, "'%.*s' is a type", STR_ARG(t->text));
    val = found->val;
    val.place = t->place;
    if (found->kind == NAME_CONSTANT)
        val.value = build_constant_bits(&l->b, val.value->type, constant_bits(val.value->def));
    return val;
}

/* float(x), int2{..}, T(1, 2): the type stands at l->at. */
static CuVal functional_cast(CuLower *l) {
    CuPlace place = l->at->place;
    CuSpecifiers s;
    int count;
    CuVal *args;
    if (!cu_specifiers(l, &s)) return cu_poison(l, place);
    if (!s.type) return cu_bad(l, place, "'auto' where a type must be written");
    cu_complete(l, s.type);
    if (l->panic) return cu_poison(l, place);
    if (cu_is(l->at, "{")) {
        Value *at = cu_alloc(l, s.type, ALLOC_LOCAL, STR(""));
        cu_initialize(l, at, cu_plain(l->arena, s.type));
        CuVal val = place_val(s.type, at, place);
        if (s.type->kind != CU_STRUCT && !l->panic) return cu_value(l, val);
        val.is_place = false;
        return val;
    }
    if (!cu_expect(l, "(", "after a type in an expression")) return cu_poison(l, place);
    CuPlace end = l->at->place;
    if (!cu_arguments(l, ")", &count, &args)) return cu_poison(l, place);
    place = cu_join(place, count ? args[count - 1].place : end);
    if (s.type->kind == CU_STRUCT) {
        Value *at = cu_alloc(l, s.type, ALLOC_LOCAL, STR(""));
        cu_construct(l, at, s.type, count, args, place);
        return made(cu_plain(l->arena, s.type), at, place);
    }
    if (count > 1)
        return cu_bad(l, place, "'%.*s' is made of one value", STR_ARG(cu_name(l->arena, s.type)));
    if (!count && s.type->kind == CU_VOID) return made(s.type, NULL, place);
    if (!count) return made(s.type, cu_int(l, s.type, 0), place);
    CuVal val = args[0];
    val.place = place;
    return cu_cast_to(l, val, s.type);
}

/* reinterpret_cast<float4 &>(x): what lies there, as another type. */
static CuVal cast_to_reference(CuLower *l, CuVal val, const CuType *type, bool is_static) {
    if (!val.is_place) return cu_unsupported(l, val.place, "a reference to a temporary");
    bool same = cu_same(val.type, type) || (val.type->kind == CU_STRUCT && type->kind == CU_STRUCT);
    if (is_static && !same) return cu_bad(l, val.place, "a static_cast to a reference");
    cu_complete(l, type);
    return l->panic ? val : place_val(type, cu_offset(l, val.value, 0, type), val.place);
}

static CuVal named_cast(CuLower *l, CuToken *name) {
    cu_expect(l, "<", "after the cast");
    CuSpecifiers s;
    CuDeclarator d = {0};
    bool in_angles = l->in_angles;
    if (cu_specifiers(l, &s) && s.type) cu_declarator(l, s.type, &d);
    const CuType *type = d.type ? d.type : cu_type(CU_INT);
    cu_close_angle(l);
    cu_expect(l, "(", "after the type of a cast");
    l->in_angles = false;
    CuVal val = l->panic ? cu_poison(l, name->place) : cu_expression(l);
    l->in_angles = in_angles;
    val.place = cu_join(name->place, l->at->place);
    cu_expect(l, ")", "after the value");
    if (l->panic) return val;
    if (d.is_reference) return cast_to_reference(l, val, type, cu_is(name, "static_cast"));
    if (cu_is(name, "reinterpret_cast") && cu_is_number(type) && cu_is_number(val.type))
        return cu_bad(l, val.place, "reinterpret_cast between numbers");
    return cu_cast_to(l, val, type);
}

static CuVal primary(CuLower *l) {
    CuToken *t = l->at;
    int64_t value;
    if (l->panic) return cu_poison(l, t->place);
    l->b.span = cu_span(t->place);
    if (t->kind == CU_NAME &&
        (cu_is(t, "static_cast") || cu_is(t, "reinterpret_cast") || cu_is(t, "const_cast"))) {
        l->at = t->next;
        return named_cast(l, t);
    }
    if (cu_is(t, "[")) return cu_lambda(l);
    if (cu_starts_type(l)) return functional_cast(l);
    bool is_word =
        t->kind == CU_NAME && !cu_is(t, "true") && !cu_is(t, "false") && !cu_is(t, "nullptr");
    if (is_word || cu_is(t, "::")) return named(l);
    l->at = t->kind == CU_END ? t : t->next;
    if (t->kind == CU_NUMBER) return number(l, t);
    if (t->kind == CU_CHAR) {
        const char *why = cu_char(t->text, &value);
        if (why) return cu_unsupported(l, t->place, "%s", why);
        return made(cu_type(CU_CHAR_TYPE), cu_int(l, cu_type(CU_CHAR_TYPE), value), t->place);
    }
    if (cu_is(t, "true") || cu_is(t, "false"))
        return made(cu_type(CU_BOOL), cu_int(l, cu_type(CU_BOOL), cu_is(t, "true")), t->place);
    if (cu_is(t, "nullptr")) {
        const CuType *type = cu_pointer(l->arena, cu_type(CU_VOID));
        return (CuVal){
            .type = type, .value = cu_int(l, type, 0), .is_null = true, .place = t->place};
    }
    if (cu_is(t, "(")) {
        bool in_angles = l->in_angles;
        l->in_angles = false;
        CuVal val = cu_is(l->at, "{") ? cu_statements_value(l) : cu_expression(l);
        l->in_angles = in_angles;
        val.place = cu_join(t->place, l->at->place);
        cu_expect(l, ")", "after an expression in brackets");
        return val;
    }
    if (t->kind == CU_STRING && l->top) {
        l->at = t;
        return cu_text(l);
    }
    if (l->is_host && cu_is(t, "<")) return cu_bad(l, t->place, "a launch of what is no kernel");
    return cu_bad(l, t->place,
                  t->kind == CU_END ? "the text ends in an expression"
                                    : "expected an expression, saw '%.*s'",
                  STR_ARG(t->text));
}

/* ---- postfix, unary ---- */

static void assign(CuLower *l, CuVal to, CuVal val) {
    CuVal args[] = {to, val}, result;
    if (l->panic) return;
    if (to.type->is_const) {
        cu_bad(l, to.place, "this is const");
    } else if (to.type->kind == CU_STRUCT) {
        bool has_own = to.type->record->decl &&
                       cu_operator(l, "=", 2, args, cu_join(to.place, val.place), &result);
        if (has_own || l->panic) return;
        val = cu_convert(l, val, cu_plain(l->arena, to.type), "this assignment");
        if (!l->panic) cu_copy(l, to.value, val.value, to.type);
    } else if (!to.is_place) {
        cu_bad(l, to.place, "this cannot be assigned to");
    } else if (to.type->kind == CU_ARRAY) {
        cu_bad(l, to.place, "an array is assigned to");
    } else {
        val = cu_convert(l, val, cu_plain(l->arena, to.type), "this assignment");
        if (!l->panic) cu_store_to(l, to.value, to.type, val.value);
    }
}

static CuVal one_more(CuLower *l, CuVal at, bool up, bool is_prefix) {
    if (at.type->kind == CU_STRUCT) {
        CuVal args[2] = {at, made(cu_type(CU_INT), cu_int(l, cu_type(CU_INT), 0), at.place)}, val;
        if (cu_operator(l, up ? "++" : "--", is_prefix ? 1 : 2, args, at.place, &val)) return val;
        return cu_bad(l, at.place, "'++' or '--' of '%.*s'", STR_ARG(cu_name(l->arena, at.type)));
    }
    CuVal old = cu_value(l, at);
    CuVal one = made(cu_type(CU_INT), cu_int(l, cu_type(CU_INT), 1), at.place);
    if (l->panic) return old;
    if (cu_is_half(old.type)) one = cu_cast_to(l, one, old.type);
    if (at.type->kind == CU_BOOL) return cu_bad(l, at.place, "'++' or '--' of a bool");
    assign(
        l, at,
        cu_cast_to(l, cu_binary_values(l, up ? "+" : "-", old, one), cu_plain(l->arena, at.type)));
    return old;
}

static CuVal index_of(CuLower *l, CuVal array) {
    bool in_angles = l->in_angles;
    array = cu_value(l, array);
    l->in_angles = false;
    CuVal index = cu_expression(l);
    l->in_angles = in_angles;
    CuPlace place = cu_join(array.place, l->at->place);
    cu_expect(l, "]", "after an index");
    if (l->panic) return array;
    if (array.type->kind == CU_STRUCT) {
        CuVal args[] = {array, index}, result;
        if (cu_operator(l, "[]", 2, args, place, &result)) return result;
    }
    index = cu_value(l, index);
    if (array.type->kind != CU_POINTER || !cu_is_integer(index.type))
        return cu_bad(l, place, "'[]' of '%.*s' with an index of '%.*s'",
                      STR_ARG(cu_name(l->arena, array.type)),
                      STR_ARG(cu_name(l->arena, index.type)));
    l->b.span = cu_span(place);
    return dereference(l, advance(l, array, index, false, place), place);
}

/* f(1), of an object. */
static CuVal called(CuLower *l, CuVal object) {
    CuVal *args, result;
    int count;
    CuPlace place = cu_join(object.place, l->at->place);
    l->at = l->at->next;
    if (!cu_arguments(l, ")", &count, &args)) return cu_poison(l, place);
    if (object.type->record->lambda) return cu_call_lambda(l, &object, count, args, place);
    CuVal *all = arena_array(l->arena, CuVal, count + 1);
    all[0] = object;
    for (int i = 0; i < count; i++) all[i + 1] = args[i];
    if (cu_operator(l, "()", count + 1, all, place, &result)) return result;
    return cu_bad(l, place, "'%.*s' cannot be called like this",
                  STR_ARG(cu_name(l->arena, object.type)));
}

static CuVal postfix(CuLower *l) {
    CuVal val = primary(l);
    while (!l->panic) {
        CuToken *t = l->at;
        if (cu_accept(l, "[")) {
            val = index_of(l, val);
        } else if (cu_accept(l, ".") || cu_accept(l, "->")) {
            CuVal arrow;
            bool own = cu_is(t, "->") && val.type->kind == CU_STRUCT &&
                       cu_operator(l, "->", 1, &val, val.place, &arrow);
            if (own) val = arrow;
            if (cu_is(t, "->")) val = dereference(l, val, val.place);
            val = member(l, val);
        } else if (cu_is(t, "(") && val.type->kind == CU_STRUCT) {
            val = called(l, val);
        } else if (cu_accept(l, "++") || cu_accept(l, "--")) {
            val = one_more(l, val, cu_is(t, "++"), false);
        } else {
            return val;
        }
    }
    return val;
}

/* sizeof, alignof: behind the word. */
static CuVal size_of(CuLower *l, bool is_align) {
    CuPlace place = l->at->place;
    const CuType *type = NULL;
    if (cu_is(l->at, "(")) {
        CuToken *open = l->at;
        l->at = open->next;
        if (cu_starts_type(l)) {
            type = cu_type_name(l);
            cu_expect(l, ")", "after the type");
        } else {
            l->at = open;
        }
    }
    if (!type && !l->panic) { /* of an expression only the type counts: it is not computed */
        Builder outer;
        cu_begin(l, &outer);
        type = cu_unary(l).type;
        cu_end(l, &outer, NULL);
    }
    if (!l->panic) cu_complete(l, type);
    if (l->panic) return cu_poison(l, place);
    return made(cu_type(CU_ULONG),
                cu_int(l, cu_type(CU_ULONG), is_align ? cu_align(type) : cu_size(type)), place);
}

/* name: what the value is written as, or NULL */
static CuVal address_of(CuLower *l, CuVal val, CuPlace place, const CuToken *name) {
    if (l->panic) return val;
    if (!val.is_place && name)
        return cu_unsupported(l, place, "the address of '%.*s', which is a constant",
                              STR_ARG(name->text));
    if (!val.is_place) return cu_bad(l, place, "the address of a value that is in no variable");
    cu_escapes(l, val.value);
    return made(cu_pointer(l->arena, val.type), val.value, place);
}

/* {a, b}, of a type that is known. */
static CuVal listed(CuLower *l, const CuType *type) {
    CuPlace place = l->at->place;
    type = cu_plain(l->arena, type);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    cu_initialize(l, at, type);
    return cu_value(l, place_val(type, at, place));
}

static CuVal negated(CuLower *l, CuVal val, CuPlace place) {
    val = cu_as_number(l, cu_promoted(l, val));
    if (l->panic) return val;
    if (!cu_is_number(val.type))
        return cu_bad(l, place, "'-' of '%.*s'", STR_ARG(cu_name(l->arena, val.type)));
    if (cu_is_float(val.type)) return made(val.type, cu_op1(l, OP_FNEG, val.value), place);
    return made(val.type, cu_op2(l, OP_SUB, cu_int(l, val.type, 0), val.value), place);
}

/* (type) value; false: what stands in brackets is no type. */
static bool is_cast(CuLower *l) {
    if (!cu_is(l->at, "(")) return false;
    CuToken *open = l->at;
    l->at = open->next;
    bool is_type = cu_starts_type(l);
    CuToken *t = l->at;
    l->at = open;
    if (!is_type) return false;
    while (cu_is(t, "::") || (t->kind == CU_NAME && (cu_is(t->next, "::") || cu_is(t->next, "<"))))
        t = cu_is(t->next, "<") ? cu_skip_angles(t->next) : t->next;
    bool grouped = cu_is(t->next, "(") && (cu_is(t->next->next, "*") || cu_is(t->next->next, "&"));
    if (t->kind != CU_NAME) return !cu_is(t, "(") && !cu_is(t, "{"); /* (float(x)) is none */
    return grouped || (!cu_is(t->next, "(") && !cu_is(t->next, "{"));
}

static CuVal prefix_operator(CuLower *l, CuToken *t) {
    l->at = t->next;
    CuVal val = cu_unary(l);
    CuPlace place = cu_join(t->place, val.place);
    if (l->panic) return val;
    l->b.span = cu_span(place);
    if (cu_is(t, "*")) return dereference(l, val, place);
    bool is_name = t->next->kind == CU_NAME && l->at == t->next->next;
    if (cu_is(t, "&")) return address_of(l, val, place, is_name ? t->next : NULL);
    CuVal own;
    bool steps = cu_is(t, "++") || cu_is(t, "--");
    if (val.type->kind == CU_STRUCT && !steps &&
        cu_operator(l,
                    t->text.data[0] == '-'   ? "-"
                    : t->text.data[0] == '!' ? "!"
                    : t->text.data[0] == '~' ? "~"
                                             : "+",
                    1, &val, place, &own))
        return own;
    if (cu_is(t, "-")) return negated(l, val, place);
    if (cu_is(t, "!")) {
        Value *truth = cu_condition(l, val);
        return made(cu_type(CU_BOOL),
                    cu_op2(l, OP_XOR, truth, build_int(&l->b, type_scalar(TYPE_I1), 1)), place);
    }
    if (cu_is(t, "++") || cu_is(t, "--")) {
        CuVal after = one_more(l, val, cu_is(t, "++"), true);
        return val.type->kind == CU_STRUCT ? after : val;
    }
    val = cu_as_number(l, cu_promoted(l, val));
    if (l->panic || cu_is(t, "+")) return val;
    if (!cu_is_integer(val.type))
        return cu_bad(l, place, "'~' of '%.*s'", STR_ARG(cu_name(l->arena, val.type)));
    return made(val.type, cu_op2(l, OP_XOR, val.value, cu_int(l, val.type, -1)), place);
}

CuVal cu_unary(CuLower *l) {
    static const char *const prefixes[] = {"*", "&", "-", "+", "!", "~", "++", "--"};
    CuToken *t = l->at;
    if (!cu_enter(l)) return cu_poison(l, t->place);
    CuVal val;
    bool found = false;
    for (int i = 0; i < COUNT(prefixes) && !found; i++) found = cu_is(t, prefixes[i]);
    if (found) {
        val = prefix_operator(l, t);
    } else if (cu_is(t, "sizeof") || cu_is(t, "alignof")) {
        l->at = t->next;
        val = size_of(l, cu_is(t, "alignof"));
    } else if (is_cast(l)) {
        l->at = t->next;
        CuSpecifiers s;
        CuDeclarator d = {0};
        if (cu_specifiers(l, &s) && s.type) cu_declarator(l, s.type, &d);
        cu_expect(l, ")", "after the type of a cast");
        if (!l->panic && d.type && !d.is_reference && cu_is(l->at, "{")) {
            val = listed(l, d.type); /* (T){a, b}, as GNU's compilers have it */
            l->nested--;
            return val;
        }
        val = l->panic ? cu_poison(l, t->place) : cu_unary(l);
        val.place = cu_join(t->place, val.place);
        if (!l->panic && !d.type) cu_bad(l, t->place, "'auto' where a type must be written");
        if (!l->panic)
            val = d.is_reference ? cast_to_reference(l, val, d.type, false)
                                 : cu_cast_to(l, val, d.type);
    } else {
        val = postfix(l);
    }
    l->nested--;
    return val;
}

/* ---- && || ?: ---- */

/* May its ops run where they would not have? */
static bool is_harmless(const Region *region) {
    int count = 0;
    for (const Op *op = region->first; op; op = op->next) {
        const Op *from = op->kind == OP_LOAD ? load_pointer(op)->def : NULL;
        bool own = from && from->kind == OP_ALLOC && alloc_space(from) == ALLOC_LOCAL;
        if (op->kind != OP_YIELD && !own && (!op_is_pure(op) || op->num_regions)) return false;
        if (++count > 12) return false; /* about as much as a branch costs */
    }
    return true;
}

/* What was built into a region comes here, but its yield. */
static void in_line(CuLower *l, Region *region) {
    Builder b = l->b;
    Op *mark = build_int(&b, type_scalar(TYPE_I1), 0)->def;
    while (region->first != region->last) op_move_before(region->first, mark);
    op_remove(mark);
}

static Value *chosen(CuLower *l, Value *condition, Region *yes, Region *no, const Type *type) {
    if (!is_harmless(yes) || !is_harmless(no)) return cu_if(l, condition, yes, no, type);
    Value *a = region_yield(yes)->operands[0], *b = region_yield(no)->operands[0];
    in_line(l, yes);
    in_line(l, no);
    return a == b ? a : build_select(&l->b, condition, a, b);
}

static CuVal binary(CuLower *l, int least);

static CuVal logical(CuLower *l, CuVal left, bool is_and) {
    Value *a = cu_condition(l, left), *b = NULL;
    const Type *type = type_scalar(TYPE_I1);
    uint64_t known;
    Builder outer;
    if (is_and && l->at->kind == CU_STRING) { /* assert(x && "why"): a text is true */
        while (l->at->kind == CU_STRING) l->at = l->at->next;
        return made(cu_type(CU_BOOL), a, left.place);
    }
    Region *right = cu_begin(l, &outer);
    CuVal val = binary(l, is_and ? 3 : 2);
    b = cu_condition(l, val);
    cu_end(l, &outer, b);
    Region *other = cu_begin(l, &outer);
    Value *fixed = build_int(&l->b, type, !is_and);
    cu_end(l, &outer, fixed);
    CuPlace place = cu_join(left.place, val.place);
    if (l->panic) return cu_poison(l, place);
    if (value_is_constant(a, &known) && (known != 0) != is_and)
        return made(cu_type(CU_BOOL), build_int(&l->b, type, known != 0), place);
    if (is_harmless(right)) {
        in_line(l, right);
        return made(cu_type(CU_BOOL), cu_op2(l, is_and ? OP_AND : OP_OR, a, b), place);
    }
    return made(cu_type(CU_BOOL), cu_if(l, a, is_and ? right : other, is_and ? other : right, type),
                place);
}

typedef struct Arm {
    CuVal val;
    Region *region;
    Builder inside;
} Arm;

static Arm arm(CuLower *l, bool with_commas, bool is_place, Builder *outer) {
    Arm a = {.region = cu_begin(l, outer)};
    a.val = with_commas ? cu_expression(l) : cu_assignment(l);
    bool keeps = is_place && a.val.is_place;
    if (!l->panic && !keeps && a.val.type->kind != CU_STRUCT && a.val.type->kind != CU_VOID)
        a.val = cu_value(l, a.val);
    a.inside = l->b;
    l->b = *outer;
    l->depth--;
    return a;
}

static Value *end_arm(CuLower *l, Arm *a, const CuType *type) {
    Builder outer = l->b;
    l->b = a->inside;
    Value *value = type ? cu_cast_to(l, a->val, type).value : NULL;
    build_yield(&l->b, type ? 1 : 0, &value);
    l->b = outer;
    return value;
}

/* The type of c ? a : b; NULL: there is none. */
static const CuType *choice_type(CuLower *l, const CuVal *a, const CuVal *b) {
    if (cu_is_number(a->type) && cu_is_number(b->type)) {
        if (a->type->kind == b->type->kind) return cu_plain(l->arena, a->type);
        const CuType *x = a->type, *y = b->type;
        if (cu_is_integer(x) && cu_rank(x) < cu_rank(cu_type(CU_INT))) x = cu_type(CU_INT);
        if (cu_is_integer(y) && cu_rank(y) < cu_rank(cu_type(CU_INT))) y = cu_type(CU_INT);
        return cu_common(l, x, y);
    }
    if (cu_same(a->type, b->type)) return a->type;
    if (a->type->kind == CU_STRUCT && cu_converts_to(l, b, a->type)) return a->type;
    if (b->type->kind == CU_STRUCT && cu_converts_to(l, a, b->type)) return b->type;
    if (a->type->kind == CU_STRUCT || b->type->kind == CU_STRUCT) return NULL;
    if (a->is_null && b->type->kind == CU_POINTER) return b->type;
    if (a->type->kind == CU_POINTER && cu_conversion_rank(b, a->type) >= 0) return a->type;
    if (b->type->kind == CU_POINTER && cu_conversion_rank(a, b->type) >= 0) return b->type;
    return NULL;
}

/* Of two variables: the address of one. */
static CuVal chosen_place(CuLower *l, Value *condition, Arm *yes, Arm *no, CuPlace place) {
    Builder outer = l->b;
    const CuType *type = yes->val.type->is_const ? yes->val.type : no->val.type;
    for (int i = 0; i < 2; i++) {
        Arm *a = i ? no : yes;
        l->b = a->inside;
        cu_escapes(l, a->val.value);
        build_yield(&l->b, 1, &a->val.value);
        l->b = outer;
    }
    return place_val(type, cu_if(l, condition, yes->region, no->region, yes->val.value->type),
                     place);
}

/* Copied into a temporary in either arm. */
static CuVal chosen_struct(CuLower *l, Value *condition, Arm *yes, Arm *no, const CuType *type,
                           CuPlace place) {
    type = cu_plain(l->arena, type);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    Builder outer = l->b;
    for (int i = 0; i < 2; i++) {
        Arm *a = i ? no : yes;
        l->b = a->inside;
        cu_initialize_from(l, at, type, a->val, "this arm of '?:'");
        build_yield(&l->b, 0, NULL);
        l->b = outer;
    }
    cu_if(l, condition, yes->region, no->region, NULL);
    return made(type, at, place);
}

/* Of a condition that is known: of the other arm only the type counts. */
static CuVal known_choice(CuLower *l, bool first, bool is_place, CuPlace from) {
    CuVal vals[2];
    bool unevaluated = l->unevaluated;
    for (int i = 0; i < 2; i++) {
        Builder outer;
        bool taken = first == (i == 0);
        l->unevaluated |= !taken;
        if (!taken) cu_begin(l, &outer);
        vals[i] = i ? cu_assignment(l) : cu_expression(l);
        CuKind kind = vals[i].type->kind;
        bool keeps = (is_place && vals[i].is_place) || kind == CU_STRUCT || kind == CU_VOID;
        if (!l->panic && !keeps) vals[i] = cu_value(l, vals[i]);
        if (!taken) cu_end(l, &outer, NULL);
        l->unevaluated = unevaluated;
        if (i == 0) cu_expect(l, ":", "in a conditional expression");
    }
    if (l->panic) return cu_poison(l, from);
    CuVal val = vals[!first];
    CuPlace place = cu_join(from, vals[1].place);
    if (is_place && vals[0].is_place && vals[1].is_place && cu_same(vals[0].type, vals[1].type))
        return val;
    const CuType *type = choice_type(l, &vals[0], &vals[1]);
    if (!type)
        return cu_bad(l, place, "the arms of '?:' are '%.*s' and '%.*s'",
                      STR_ARG(cu_name(l->arena, vals[0].type)),
                      STR_ARG(cu_name(l->arena, vals[1].type)));
    if (type->kind == CU_STRUCT || type->kind == CU_VOID) return val;
    return made(type, cu_cast_to(l, val, type).value, place);
}

CuVal cu_conditional(CuLower *l) {
    bool is_place = l->wants_place;
    l->wants_place = false;
    CuVal test = binary(l, 1);
    if (!cu_accept(l, "?")) return test;
    if (!cu_enter(l)) return test;
    Value *condition = cu_condition(l, test);
    Builder outer;
    uint64_t known;
    if (value_is_constant(condition, &known)) {
        CuVal val = known_choice(l, known != 0, is_place, test.place);
        l->nested--;
        return val;
    }
    Arm yes = arm(l, true, is_place, &outer);
    cu_expect(l, ":", "in a conditional expression");
    Arm no = arm(l, false, is_place, &outer);
    CuPlace place = cu_join(test.place, no.val.place);
    l->nested--;
    if (l->panic) return cu_poison(l, place);
    if (is_place && yes.val.is_place && no.val.is_place && cu_same(yes.val.type, no.val.type))
        return chosen_place(l, condition, &yes, &no, place);
    const CuType *type = choice_type(l, &yes.val, &no.val);
    if (!type)
        return cu_bad(l, place, "the arms of '?:' are '%.*s' and '%.*s'",
                      STR_ARG(cu_name(l->arena, yes.val.type)),
                      STR_ARG(cu_name(l->arena, no.val.type)));
    if (type->kind == CU_STRUCT) return chosen_struct(l, condition, &yes, &no, type, place);
    const CuType *value_type = type->kind == CU_VOID ? NULL : type;
    end_arm(l, &yes, value_type), end_arm(l, &no, value_type);
    if (!value_type) {
        cu_if(l, condition, yes.region, no.region, NULL);
        return made(type, NULL, place);
    }
    return made(type, chosen(l, condition, yes.region, no.region, cu_ir(l->fn->types, type)),
                place);
}

/* ---- binary, assignment ---- */

static const struct Level {
    const char *text;
    int level;
} levels[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
              {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
              {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};

static const struct Level *level_at(const CuLower *l, int least) {
    if (l->in_angles && (cu_is(l->at, ">") || cu_is(l->at, ">>"))) return NULL;
    for (int i = 0; i < COUNT(levels) && l->at->kind == CU_PUNCT; i++)
        if (levels[i].level >= least && cu_is(l->at, levels[i].text)) return &levels[i];
    return NULL;
}

static CuVal binary(CuLower *l, int least) {
    if (!cu_enter(l)) return cu_poison(l, l->at->place);
    CuVal left = cu_unary(l);
    const struct Level *op;
    while (!l->panic && (op = level_at(l, least))) {
        l->at = l->at->next;
        if (op->level <= 2) {
            left = logical(l, left, op->level == 2);
            continue;
        }
        left = cu_value(l, left); /* read before what the right operand may write */
        CuVal right = binary(l, op->level + 1);
        left = cu_binary_values(l, op->text, left, right);
    }
    l->nested--;
    return left;
}

CuVal cu_assignment(CuLower *l) {
    static const char *const compound[] = {
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    static const char *const plain[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    if (!cu_enter(l)) return cu_poison(l, l->at->place);
    CuVal to = cu_conditional(l);
    if (cu_accept(l, "=")) {
        CuVal val = cu_is(l->at, "{") ? listed(l, to.type) : cu_assignment(l);
        l->b.span = cu_span(cu_join(to.place, val.place));
        assign(l, to, val);
    }
    for (int i = 0; i < COUNT(compound) && !l->panic; i++) {
        if (!cu_accept(l, compound[i])) continue;
        CuVal val = cu_value(l, cu_assignment(l));
        if (to.type->kind == CU_STRUCT && !l->panic) {
            CuVal args[] = {to, val}, result;
            bool own = cu_operator(l, compound[i], 2, args, cu_join(to.place, val.place), &result);
            if (own || l->panic) {
                l->nested--;
                return own ? result : to;
            }
        }
        if (cu_is_half(to.type) && !l->panic) val = cu_convert(l, val, to.type, "this operand");
        CuVal sum = cu_binary_values(l, plain[i], cu_value(l, to), val);
        if (!l->panic) assign(l, to, cu_cast_to(l, sum, cu_plain(l->arena, to.type)));
    }
    l->nested--;
    return to;
}

CuVal cu_expression(CuLower *l) {
    CuVal val = cu_assignment(l);
    while (cu_accept(l, ",")) val = cu_assignment(l);
    return val;
}

bool cu_constant(CuLower *l, const char *what, int64_t *value) {
    CuVal val = cu_value(l, cu_conditional(l));
    if (l->panic) return false;
    if (cu_is_integer(val.type) && value_is_int(val.value, value)) {
        if (val.value->type->kind != TYPE_I64 && !cu_is_signed(val.type))
            *value = (int64_t)constant_bits(val.value->def);
        return true;
    }
    if (l->panic) return false;
    cu_bad(l, val.place, "%s must be an integer that is known at compile time", what);
    return false;
}
