// SPDX-License-Identifier: Apache-2.0
/* semantic_ops: operators on tensors. Integers wrap; // and % truncate as in C; int / int is f32;
 * comparisons of floats are false with a NaN, except !=. */
#include "lang/lower.h"

static Object *two(Lower *l, OpKind kind, Object *a, Object *b) {
    return tensor_like(l, a, build_2(&l->builder, kind, a->value, b->value));
}

static Object *no_float8(Lower *l, Object *a, Operator op, Span span) {
    return lower_refused(l, span, "'%s' on %s is not supported: cast to fp16 or fp32 first",
                         operator_text(op), ltype_text(l, a->ltype));
}

static Object *pointer_add(Lower *l, Object *pointer, Object *offset) {
    Value *value = offset->value;
    /* addptr sign-extends, so an unsigned offset is widened here. */
    if (!ltype_is_signed(offset->ltype) && ltype_bits(offset->ltype) < 64)
        value = build_cast(&l->builder, OP_EXT_U, value, type_scalar(TYPE_I64));
    return tensor_like(l, pointer, build_addptr(&l->builder, pointer->value, value));
}

static Object *arithmetic(Lower *l, Operator op, Object *a, Object *b, Span span) {
    bool add = op == OPERATOR_ADD, sub = op == OPERATOR_SUB;
    int flags = (add || sub ? ALLOW_POINTER_A : 0) | (add ? ALLOW_POINTER_B : 0);
    if (!coerce_pair(l, &a, &b, flags, span)) return object_error(l->arena);
    if (a->ltype.levels && b->ltype.levels) return lower_error(l, span, "cannot add two pointers");
    if (b->ltype.levels) return pointer_add(l, b, a);
    if (a->ltype.levels) return pointer_add(l, a, sub ? unary(l, OPERATOR_NEG, b, span) : b);
    if (ltype_is_fp8(a->ltype)) return no_float8(l, a, op, span);
    if (ltype_is_float(a->ltype)) return two(l, add ? OP_FADD : sub ? OP_FSUB : OP_FMUL, a, b);
    return two(l, add ? OP_ADD : sub ? OP_SUB : OP_MUL, a, b);
}

static Object *division(Lower *l, Operator op, Object *a, Object *b, Span span) {
    LType single = ltype_of(DTYPE_FLOAT32);
    bool by_zero = object_is_integral(b) && b->integer == 0;
    if (!coerce_pair(l, &a, &b, DIV_OR_MOD, span)) return object_error(l->arena);
    bool is_float = ltype_is_float(a->ltype), is_signed = ltype_is_signed(a->ltype);
    if (ltype_is_fp8(a->ltype)) return no_float8(l, a, op, span);
    if (op == OPERATOR_DIV) {
        if (!is_float) a = cast(l, a, single, span), b = cast(l, b, single, span);
        return two(l, OP_FDIV, a, b);
    }
    if (by_zero && !is_float) return lower_error(l, span, "division by zero");
    if (op == OPERATOR_MOD)
        return two(l, is_float ? OP_FREM : is_signed ? OP_REM_S : OP_REM_U, a, b);
    if (is_float) {
        Object *poison =
            lower_error(l, span, "'//' needs integers, got %s", ltype_text(l, a->ltype));
        lower_help(l, "use tl.floor(a / b)");
        return poison;
    }
    return two(l, is_signed ? OP_DIV_S : OP_DIV_U, a, b);
}

static Object *bitwise(Lower *l, Operator op, Object *a, Object *b, Span span) {
    /* >> is arithmetic when the left operand's own type is signed (of a literal: the right's),
     * whatever the result's is. */
    LType left = is_tensor(a) ? a->ltype : b->ltype;
    const Object *count = object_is_integral(b) ? b : NULL;
    if (!coerce_pair(l, &a, &b, 0, span)) return object_error(l->arena);
    if (!ltype_is_int(a->ltype))
        return lower_error(l, span, "'%s' needs integers or booleans, got %s", operator_text(op),
                           ltype_text(l, a->ltype));
    if (op == OPERATOR_AND) return two(l, OP_AND, a, b);
    if (op == OPERATOR_OR) return two(l, OP_OR, a, b);
    if (op == OPERATOR_XOR) return two(l, OP_XOR, a, b);
    int bits = ltype_bits(a->ltype);
    if (count && count->integer < 0) return lower_error(l, span, "a negative shift count");
    if (count && count->integer >= bits && bits > 1) {
        bool keeps_sign = op == OPERATOR_SHR && ltype_is_signed(left);
        lower_warning(
            l, span, "a shift of %s by %lld gives %s here: Triton leaves open what it is%s",
            ltype_text(l, a->ltype), (long long)count->integer, keeps_sign ? "the sign" : "0",
            count->integer < 64 ? "; make it wider first: x.to(tl.int64)" : "");
    }
    if (op == OPERATOR_SHL) return two(l, OP_SHL, a, b);
    return two(l, ltype_is_signed(left) ? OP_SHR_S : OP_SHR_U, a, b);
}

/* A kernel knows one kind of sequence: a list from the module's globals is a tuple here. */
static Object *as_tuple(Lower *l, Object *a) {
    return a->kind == OBJECT_LIST ? object_tuple(l->arena, a->num_items, a->items) : a;
}

static bool has_tensor(const Object *a, const Object *b) { return is_tensor(a) || is_tensor(b); }

static bool bad_operand(Lower *l, Operator op, Object *a, Object *b, Span span) {
    Object *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (both[i]->kind == OBJECT_OPAQUE) return lower_unknown(l, both[i], span), true;
        if (is_tensor(both[i]) || object_is_number(both[i])) continue;
        lower_error(l, span, "'%s' does not work on %s and %s", operator_text(op),
                    lower_type_text(l, a), lower_type_text(l, b));
        if (is_none(both[i]))
            lower_help(l, "test with 'is None' before using an optional argument");
        return true;
    }
    return false;
}

Object *binary(Lower *l, Operator op, Object *a, Object *b, Span span) {
    if (is_error(a) || is_error(b)) return object_error(l->arena);
    if (!has_tensor(a, b)) {
        const char *why = NULL;
        if (a->kind == OBJECT_OPAQUE) return lower_unknown(l, a, span);
        if (b->kind == OBJECT_OPAQUE) return lower_unknown(l, b, span);
        a = as_tuple(l, a), b = as_tuple(l, b);
        if ((int64_t)a->num_items + b->num_items > MAX_ITEMS ||
            (int64_t)a->text.length + b->text.length > MAX_ITEMS)
            return lower_error(l, span, "the result of '%s' has more than %d items",
                               operator_text(op), MAX_ITEMS);
        Object *result = object_binary(l->arena, op, a, b, &why); /* sets why */
        return result ? result : lower_error(l, span, "%s", why);
    }
    if (bad_operand(l, op, a, b, span)) return object_error(l->arena);
    switch (op) {
    case OPERATOR_ADD:
    case OPERATOR_SUB:
    case OPERATOR_MUL: return arithmetic(l, op, a, b, span);
    case OPERATOR_DIV:
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD: return division(l, op, a, b, span);
    case OPERATOR_SHL:
    case OPERATOR_SHR:
    case OPERATOR_AND:
    case OPERATOR_OR:
    case OPERATOR_XOR: return bitwise(l, op, a, b, span);
    case OPERATOR_POW: {
        Object *poison = lower_error(l, span, "'**' does not work on tensors");
        lower_help(l, "multiply, or use libdevice.pow or tl.exp2(y * tl.log2(x))");
        return poison;
    }
    case OPERATOR_MATMUL: {
        Object *poison = lower_error(l, span, "'@' does not work on tensors");
        lower_help(l, "use tl.dot(a, b)");
        return poison;
    }
    case OPERATOR_LT:
    case OPERATOR_LE:
    case OPERATOR_GT:
    case OPERATOR_GE:
    case OPERATOR_EQ:
    case OPERATOR_NE:
    case OPERATOR_IS:
    case OPERATOR_IS_NOT:
    case OPERATOR_IN:
    case OPERATOR_NOT_IN:
    case OPERATOR_NEG:
    case OPERATOR_POS:
    case OPERATOR_INVERT: break;
    }
    return compare(l, op, a, b, span);
}

static int float_predicate(Operator op) {
    return op == OPERATOR_LT   ? FCMP_OLT
           : op == OPERATOR_LE ? FCMP_OLE
           : op == OPERATOR_GT ? FCMP_OGT
           : op == OPERATOR_GE ? FCMP_OGE
           : op == OPERATOR_EQ ? FCMP_OEQ
                               : FCMP_UNE;
}

static int int_predicate(Operator op, bool is_signed) {
    if (op == OPERATOR_EQ) return ICMP_EQ;
    if (op == OPERATOR_NE) return ICMP_NE;
    int base = op == OPERATOR_LT   ? ICMP_SLT
               : op == OPERATOR_LE ? ICMP_SLE
               : op == OPERATOR_GT ? ICMP_SGT
                                   : ICMP_SGE;
    return is_signed ? base : base + (ICMP_ULT - ICMP_SLT);
}

Object *compare(Lower *l, Operator op, Object *a, Object *b, Span span) {
    if (is_error(a) || is_error(b)) return object_error(l->arena);
    if (op == OPERATOR_IN || op == OPERATOR_NOT_IN)
        return lower_error(l, span, "'%s' is not supported in a kernel", operator_text(op));
    if (!has_tensor(a, b)) {
        const char *why = NULL;
        if (a->kind == OBJECT_OPAQUE) return lower_unknown(l, a, span);
        if (b->kind == OBJECT_OPAQUE) return lower_unknown(l, b, span);
        Object *result = object_compare(l->arena, op, a, b, &why); /* sets why */
        return result ? result : lower_error(l, span, "%s", why);
    }
    if (bad_operand(l, op, a, b, span)) return object_error(l->arena);
    const Object *literal = is_tensor(a) ? b : a, *tensor = is_tensor(a) ? a : b;
    if (literal->kind == OBJECT_INT && literal->integer < 0 && ltype_is_int(tensor->ltype) &&
        !ltype_is_signed(tensor->ltype)) {
        Object *poison = lower_error(l, span, "%s cannot be compared with the negative number %lld",
                                     ltype_text(l, tensor->ltype), (long long)literal->integer);
        lower_help(l, "cast the tensor to a signed type with .to(..)");
        return poison;
    }
    /* A literal is not weak here: x_f16 == 0.1 compares in f32. */
    a = to_tensor(l, a, span), b = to_tensor(l, b, span);
    if (!coerce_pair(l, &a, &b, 0, span)) return object_error(l->arena);
    if (ltype_is_fp8(a->ltype)) return no_float8(l, a, op, span);
    Value *result = ltype_is_float(a->ltype)
                        ? build_fcmp(&l->builder, float_predicate(op), a->value, b->value)
                        : build_icmp(&l->builder, int_predicate(op, ltype_is_signed(a->ltype)),
                                     a->value, b->value);
    return tensor_new(l, result, ltype_of(DTYPE_BOOL));
}

static Object *splat_number(Lower *l, int64_t number, Object *like, Span span) {
    Object *scalar = constant(l, object_int(l->arena, number), like->ltype, span);
    return splat_to(l, scalar, tensor_rank(like), tensor_shape(like));
}

Object *unary(Lower *l, Operator op, Object *a, Span span) {
    if (is_error(a)) return a;
    if (!is_tensor(a)) {
        const char *why = NULL;
        Object *result = object_unary(l->arena, op, a, &why);
        return result ? result : lower_error(l, span, "%s", why);
    }
    if (op == OPERATOR_POS) return a;
    if (a->ltype.levels || (op == OPERATOR_INVERT && !ltype_is_int(a->ltype)))
        return lower_error(l, span, "unary '%s' does not work on %s", operator_text(op),
                           ltype_text(l, a->ltype));
    if (op == OPERATOR_NEG && ltype_is_fp8(a->ltype)) return no_float8(l, a, op, span);
    if (op == OPERATOR_NEG && ltype_is_float(a->ltype))
        return tensor_like(l, a, build_1(&l->builder, OP_FNEG, a->value));
    if (op == OPERATOR_NEG) return two(l, OP_SUB, splat_number(l, 0, a, span), a);
    /* ~x is x ^ all ones; of a boolean, not x. */
    Object *ones =
        ltype_is(a->ltype, DTYPE_BOOL)
            ? splat_number(l, 1, a, span)
            : splat_to(l, tensor_like(l, a, build_int(&l->builder, type_lane(a->value->type), -1)),
                       tensor_rank(a), tensor_shape(a));
    return two(l, OP_XOR, a, ones);
}

static bool as_logical(Lower *l, Object **a, const char *what, Span span) {
    if (!is_tensor(*a)) {
        if (!object_is_number(*a)) {
            lower_error(l, span, "'%s' does not work on %s", what, lower_type_text(l, *a));
            return false;
        }
        *a = to_tensor(l, *a, span);
    }
    if (ltype_is((*a)->ltype, DTYPE_BOOL)) return true;
    lower_error(l, span, "'%s' on tensors needs booleans, got %s", what,
                ltype_text(l, (*a)->ltype));
    lower_help(l, "compare first, as in 'x != 0'");
    return false;
}

Object *logical(Lower *l, bool is_and, Object *a, Object *b, Span span) {
    const char *what = is_and ? "and" : "or";
    if (is_error(a) || is_error(b)) return object_error(l->arena);
    if (!as_logical(l, &a, what, span) || !as_logical(l, &b, what, span))
        return object_error(l->arena);
    if (!broadcast_pair(l, &a, &b, span)) return object_error(l->arena);
    return two(l, is_and ? OP_AND : OP_OR, a, b);
}

Object *logical_not(Lower *l, Object *a, Span span) {
    if (is_error(a)) return a;
    if (!is_tensor(a)) {
        bool truth;
        if (a->kind == OBJECT_OPAQUE) return lower_unknown(l, a, span);
        if (object_truth(a, &truth)) return object_bool(l->arena, !truth);
        return lower_error(l, span, "'not' does not work on %s", lower_type_text(l, a));
    }
    if (!as_logical(l, &a, "not", span)) return object_error(l->arena);
    return unary(l, OPERATOR_INVERT, a, span);
}

Object *where(Lower *l, Object *condition, Object *a, Object *b, Span span) {
    if (is_error(condition) || is_error(a) || is_error(b)) return object_error(l->arena);
    condition = to_tensor(l, condition, span);
    condition = cast(l, condition, ltype_of(DTYPE_BOOL), span);
    if (is_error(condition)) return condition;
    if (!is_tensor(a) && !is_tensor(b)) { /* two literals: the common type of full operands */
        a = to_tensor(l, a, span), b = to_tensor(l, b, span);
    }
    if (!coerce_pair(l, &a, &b, ALLOW_POINTER_A | ALLOW_POINTER_B, span))
        return object_error(l->arena);
    if (a->ltype.levels != b->ltype.levels)
        return lower_error(l, span, "tl.where between %s and %s", ltype_text(l, a->ltype),
                           ltype_text(l, b->ltype));
    if (is_block(condition)) {
        if (!broadcast_pair(l, &condition, &a, span) || !broadcast_pair(l, &a, &b, span))
            return object_error(l->arena);
        if (!broadcast_pair(l, &condition, &a, span)) return object_error(l->arena);
    }
    return tensor_like(l, a, build_select(&l->builder, condition->value, a->value, b->value));
}
