// SPDX-License-Identifier: Apache-2.0
/* address: which parameter a pointer comes from; values that are a uniform part plus, for each
 * dimension, the index times a stride; masks that are comparisons of such values. See opt.h.
 *
 *     %o = arange 0..64                    stride {1}
 *     %r = expand_dims %o {axis = 1}       stride {1, 0}
 *     %s = mul %r, splat %stride           stride {%stride, 0}
 *     %p = addptr splat %x, %s             origin %x, stride {%stride, 0}
 */
#include "opt/facts.h"

/* ---- base ---- */

static const Value *common_base(const Facts *facts, const Value *a, const Value *b) {
    const Value *base = facts->base[a->id];
    return base == facts->base[b->id] ? base : NULL;
}

/* The lanes of the result are lanes of the first operand, or addresses made of them. */
static bool keeps_base(OpKind kind) {
    return kind == OP_SPLAT || kind == OP_BROADCAST || kind == OP_EXPAND_DIMS ||
           kind == OP_RESHAPE || kind == OP_TRANS || kind == OP_SPLIT || kind == OP_SORT_STEP ||
           kind == OP_HINT || kind == OP_ADDPTR || kind == OP_BITCAST;
}

/* What is made otherwise (loaded, computed as an int, gathered, where an index outside gives 0) has
 * none. */
static const Value *base_of_result(const Facts *facts, const Op *op) {
    if (!type_is_ptr(op->results[0].type)) return NULL;
    if (op->kind == OP_JOIN) return common_base(facts, op->operands[0], op->operands[1]);
    if (op->kind == OP_SELECT) return common_base(facts, select_a(op), select_b(op));
    return keeps_base(op->kind) ? facts->base[op->operands[0]->id] : NULL;
}

const Value *facts_base(const Facts *facts, const Value *pointer) {
    return facts->base[pointer->id];
}

bool facts_may_alias(const Facts *facts, const Value *a, const Value *b) {
    const Value *x = facts_base(facts, a), *y = facts_base(facts, b);
    return !x || !y || x == y;
}

/* ---- linear forms ---- */

static Affine *affine_new(Facts *facts) { return arena_new_of(facts->arena, Affine); }

static const Affine *form_of(const Facts *facts, const Value *value) {
    return facts->affine[value->id];
}

/* A scalar value is its own form: one term, a constant, or the origin. */
static const Affine *scalar_form(Facts *facts, Value *value) {
    int64_t number;
    if (!type_is_int(value->type) && !type_is_ptr(value->type)) return NULL;
    Affine *form = affine_new(facts);
    if (type_is_ptr(value->type))
        form->origin = value;
    else if (value_is_int(value, &number))
        form->constant = number;
    else
        form->terms[form->num_terms++] = (AffineTerm){1, value, NULL};
    return form;
}

const Affine *affine_opaque(Facts *facts, Value *value, const Affine *like) {
    if (!type_is_tile(value->type)) return scalar_form(facts, value);
    if (!like || (!type_is_int(value->type) && !type_is_ptr(value->type))) return NULL;
    Affine *form = affine_new(facts);
    form->origin = value;
    memcpy(form->stride, like->stride, sizeof form->stride);
    return form;
}

static bool same_stride(AffineStride a, AffineStride b) {
    return a.multiplier == b.multiplier && a.factor == b.factor;
}

bool affine_same_strides(const Affine *a, const Affine *b) {
    for (int i = 0; i < MAX_RANK; i++)
        if (!same_stride(a->stride[i], b->stride[i])) return false;
    return true;
}

bool affine_has_plain_strides(const Affine *affine) {
    for (int i = 0; i < MAX_RANK; i++)
        if (affine->stride[i].factor) return false;
    return true;
}

static bool is_uniform_form(const Affine *form) {
    for (int i = 0; i < MAX_RANK; i++)
        if (form->stride[i].multiplier) return false;
    return true;
}

static bool add_term(Affine *to, AffineTerm term) {
    for (int i = 0; i < to->num_terms; i++) {
        if (to->terms[i].value != term.value || to->terms[i].factor != term.factor) continue;
        if (__builtin_add_overflow(to->terms[i].multiplier, term.multiplier,
                                   &to->terms[i].multiplier))
            return false;
        if (to->terms[i].multiplier == 0) to->terms[i] = to->terms[--to->num_terms];
        return true;
    }
    if (to->num_terms == AFFINE_MAX_TERMS) return false;
    to->terms[to->num_terms++] = term;
    return true;
}

static bool add_stride(AffineStride *to, AffineStride more) {
    if (more.multiplier == 0) return true;
    if (to->multiplier == 0) {
        *to = more;
        return true;
    }
    if (to->factor != more.factor) return false;
    if (__builtin_add_overflow(to->multiplier, more.multiplier, &to->multiplier)) return false;
    if (to->multiplier == 0) to->factor = NULL;
    return true;
}

/* a + sign * b */
static const Affine *sum(Facts *facts, const Affine *a, const Affine *b, int sign) {
    if (!a || !b || (a->origin && b->origin) || (sign < 0 && b->origin)) return NULL;
    Affine *form = affine_new(facts);
    *form = *a;
    if (b->origin) form->origin = b->origin;
    int64_t scaled;
    if (__builtin_mul_overflow(b->constant, (int64_t)sign, &scaled) ||
        __builtin_add_overflow(form->constant, scaled, &form->constant))
        return NULL;
    for (int i = 0; i < b->num_terms; i++) {
        AffineTerm term = b->terms[i];
        if (__builtin_mul_overflow(term.multiplier, (int64_t)sign, &term.multiplier) ||
            !add_term(form, term))
            return NULL;
    }
    for (int i = 0; i < MAX_RANK; i++) {
        AffineStride stride = b->stride[i];
        if (__builtin_mul_overflow(stride.multiplier, (int64_t)sign, &stride.multiplier) ||
            !add_stride(&form->stride[i], stride))
            return NULL;
    }
    return form;
}

static const Affine *scaled_by_number(Facts *facts, const Affine *a, int64_t number) {
    if (!a || a->origin) return NULL;
    Affine *form = affine_new(facts);
    if (number == 0) return form;
    *form = *a;
    if (__builtin_mul_overflow(a->constant, number, &form->constant)) return NULL;
    for (int i = 0; i < form->num_terms; i++)
        if (__builtin_mul_overflow(a->terms[i].multiplier, number, &form->terms[i].multiplier))
            return NULL;
    for (int i = 0; i < MAX_RANK; i++)
        if (__builtin_mul_overflow(a->stride[i].multiplier, number, &form->stride[i].multiplier))
            return NULL;
    return form;
}

/* a * by, where `by` is multiplier * one scalar value. */
static const Affine *scaled_by_value(Facts *facts, const Affine *a, AffineTerm by) {
    if (!a || a->origin || by.factor) return NULL;
    const Affine *scaled = scaled_by_number(facts, a, by.multiplier);
    if (!scaled) return NULL;
    Affine *form = affine_new(facts);
    *form = *scaled;
    for (int i = 0; i < form->num_terms; i++) {
        if (form->terms[i].factor) return NULL;
        form->terms[i].factor = by.value;
    }
    for (int i = 0; i < MAX_RANK; i++) {
        if (form->stride[i].multiplier == 0) continue;
        if (form->stride[i].factor) return NULL;
        form->stride[i].factor = by.value;
    }
    int64_t constant = form->constant;
    form->constant = 0;
    if (constant && !add_term(form, (AffineTerm){constant, by.value, NULL})) return NULL;
    return form;
}

static bool is_number(const Affine *form) {
    return !form->origin && form->num_terms == 0 && is_uniform_form(form);
}

static bool is_one_value(const Affine *form) {
    return !form->origin && form->num_terms == 1 && form->constant == 0 && is_uniform_form(form);
}

static const Affine *product(Facts *facts, const Affine *a, const Affine *b) {
    if (!a || !b) return NULL;
    if (is_number(b)) return scaled_by_number(facts, a, b->constant);
    if (is_number(a)) return scaled_by_number(facts, b, a->constant);
    if (is_one_value(b)) return scaled_by_value(facts, a, b->terms[0]);
    if (is_one_value(a)) return scaled_by_value(facts, b, a->terms[0]);
    return NULL;
}

static const Affine *expanded(Facts *facts, const Affine *a, int axis) {
    if (!a || (a->origin && type_is_tile(a->origin->type)))
        return NULL; /* its lane 0 has another shape */
    Affine *form = affine_new(facts);
    *form = *a;
    for (int i = MAX_RANK - 1; i > axis; i--) form->stride[i] = a->stride[i - 1];
    form->stride[axis] = (AffineStride){0};
    return form;
}

static const Affine *transposed(Facts *facts, const Affine *a, const Op *op) {
    if (!a) return NULL;
    Affine *form = affine_new(facts);
    *form = *a;
    Ints order = trans_order(op);
    for (int i = 0; i < order.count; i++) form->stride[i] = a->stride[order.data[i]];
    return form;
}

/* Repeated dimensions have stride 0; their index was always 0, so a stride there meant nothing. */
static const Affine *broadcasted(Facts *facts, const Affine *a, const Op *op) {
    if (!a) return NULL;
    Affine *form = affine_new(facts);
    *form = *a;
    for (int i = 0; i < op->results[0].type->rank; i++)
        if (op->operands[0]->type->shape[i] == 1) form->stride[i] = (AffineStride){0};
    return form;
}

static const Affine *tile_form(Facts *facts, const Op *op) {
    const Affine *a = op->num_operands > 0 ? form_of(facts, op->operands[0]) : NULL;
    const Affine *b = op->num_operands > 1 ? form_of(facts, op->operands[1]) : NULL;
    int64_t number;
    switch ((int)op->kind) {
    case OP_CONSTANT:
        if (!value_is_int(&op->results[0], &number)) return NULL;
        Affine *constant = affine_new(facts);
        constant->constant = number;
        return constant;
    case OP_ARANGE: {
        Affine *form = affine_new(facts);
        form->constant = arange_start(op);
        form->stride[0].multiplier = 1;
        return form;
    }
    case OP_SPLAT:
    case OP_CONVERT:
    case OP_HINT: return a;
    case OP_EXT_S: return type_is_bool(op->operands[0]->type) ? NULL : a;
    case OP_EXPAND_DIMS: return expanded(facts, a, (int)expand_dims_axis(op));
    case OP_BROADCAST: return broadcasted(facts, a, op);
    case OP_TRANS: return transposed(facts, a, op);
    case OP_ADD:
    case OP_ADDPTR: return type_is_bool(op->operands[0]->type) ? NULL : sum(facts, a, b, 1);
    case OP_SUB: return type_is_bool(op->operands[0]->type) ? NULL : sum(facts, a, b, -1);
    case OP_MUL: return type_is_bool(op->operands[0]->type) ? NULL : product(facts, a, b);
    case OP_SHL:
        if (!value_is_int(op->operands[1], &number) || number < 0 || number > 30) return NULL;
        return scaled_by_number(facts, a, (int64_t)1 << number);
    default: return NULL;
    }
}

void address_transfer(Facts *facts, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        Value *value = &op->results[i];
        bool is_tile = type_is_tile(value->type);
        bool counts = type_is_int(value->type) || type_is_ptr(value->type);
        const Affine *form =
            is_tile ? (counts ? tile_form(facts, op) : NULL) : scalar_form(facts, value);
        facts->affine[value->id] = form;
        facts->base[value->id] = base_of_result(facts, op);
    }
}

/* ---- masks ---- */

static bool is_plain_index(const Affine *form, int *dim) {
    *dim = -1;
    for (int i = 0; i < MAX_RANK; i++) {
        if (form->stride[i].multiplier == 0) continue;
        if (form->stride[i].multiplier != 1 || form->stride[i].factor || *dim >= 0) return false;
        *dim = i;
    }
    return *dim >= 0;
}

static bool comparison_bound(const Facts *facts, const Op *op, MaskBound *bound) {
    const Affine *a = form_of(facts, op->operands[0]), *b = form_of(facts, op->operands[1]);
    bool is_swapped, or_equal, is_unsigned;
    switch (icmp_predicate(op)) {
    case ICMP_SLT: is_swapped = false, or_equal = false, is_unsigned = false; break;
    case ICMP_SLE: is_swapped = false, or_equal = true, is_unsigned = false; break;
    case ICMP_SGT: is_swapped = true, or_equal = false, is_unsigned = false; break;
    case ICMP_SGE: is_swapped = true, or_equal = true, is_unsigned = false; break;
    case ICMP_ULT: is_swapped = false, or_equal = false, is_unsigned = true; break;
    case ICMP_ULE: is_swapped = false, or_equal = true, is_unsigned = true; break;
    case ICMP_UGT: is_swapped = true, or_equal = false, is_unsigned = true; break;
    case ICMP_UGE: is_swapped = true, or_equal = true, is_unsigned = true; break;
    default: return false;
    }
    if (!a || !b || !type_is_int(op->operands[0]->type)) return false;
    const Affine *index = is_swapped ? b : a, *limit = is_swapped ? a : b;
    if (!is_plain_index(index, &bound->dim) || !is_uniform_form(limit) || limit->origin)
        return false;
    bound->index = index;
    bound->limit = limit;
    bound->or_equal = or_equal;
    bound->is_unsigned = is_unsigned;
    bound->type = type_lane(op->operands[0]->type);
    return true;
}

static bool collect(const Facts *facts, const Value *mask, MaskBound *bounds, int *count,
                    int depth);

/* expand_dims: a bound's dimension moves, and with it the stride of its index. */
static bool collect_expanded(const Facts *facts, const Op *op, MaskBound *bounds, int *count,
                             int depth) {
    int first = *count;
    if (!collect(facts, op->operands[0], bounds, count, depth)) return false;
    for (int i = first; i < *count; i++) {
        Affine *index = arena_new_of(facts->arena, Affine);
        *index = *bounds[i].index;
        index->stride[bounds[i].dim] = (AffineStride){0};
        if (index->origin && type_is_tile(index->origin->type)) return false;
        if (bounds[i].dim >= expand_dims_axis(op)) bounds[i].dim++;
        index->stride[bounds[i].dim].multiplier = 1;
        bounds[i].index = index;
    }
    return true;
}

static bool collect(const Facts *facts, const Value *mask, MaskBound *bounds, int *count,
                    int depth) {
    const Op *op = mask->def;
    uint64_t bits;
    if (value_is_constant(mask, &bits)) return bits == 1;
    if (!op || depth > 16) return false;
    if (op->kind == OP_ICMP && *count < MAX_MASK_BOUNDS)
        return comparison_bound(facts, op, &bounds[*count]) && ++*count;
    if (op->kind == OP_AND)
        return collect(facts, op->operands[0], bounds, count, depth + 1) &&
               collect(facts, op->operands[1], bounds, count, depth + 1);
    if (op->kind == OP_EXPAND_DIMS) return collect_expanded(facts, op, bounds, count, depth + 1);
    if (op->kind == OP_BROADCAST) {
        int first = *count;
        if (!collect(facts, op->operands[0], bounds, count, depth + 1)) return false;
        for (int i = first; i < *count; i++) /* one lane repeated is no prefix */
            if (op->operands[0]->type->shape[bounds[i].dim] == 1) return false;
        return true;
    }
    return false;
}

int facts_mask_bounds(const Facts *facts, const Value *mask, MaskBound bounds[MAX_MASK_BOUNDS]) {
    int count = 0;
    if (!type_is_tile(mask->type)) return -1;
    return collect(facts, mask, bounds, &count, 0) ? count : -1;
}
