// SPDX-License-Identifier: Apache-2.0
/* address: which parameter a pointer comes from; values that are a uniform part plus, for each
 * dimension, the index times a stride. See opt.h.
 *
 *     %o = arange 0..64                    stride {1}
 *     %r = expand_dims %o {axis = 1}       stride {1, 0}
 *     %s = mul %r, splat %stride           stride {%stride, 0}
 *     %p = addptr splat %x, %s             base %x, stride {%stride, 0}
 */
#include "opt/facts.h"

/* ---- base ---- */

static const Value *common_base(const Facts *facts, const Value *a, const Value *b) {
    const Value *base = facts->base[a->id];
    return base == facts->base[b->id] ? base : NULL;
}

bool op_moves_lanes(OpKind kind) {
    return kind == OP_SPLAT || kind == OP_BROADCAST || kind == OP_EXPAND_DIMS ||
           kind == OP_RESHAPE || kind == OP_TRANS || kind == OP_SPLIT || kind == OP_SORT_STEP ||
           kind == OP_CONVERT || kind == OP_HINT;
}

/* What is made otherwise (loaded, computed as an int, gathered, where an index outside gives 0) has
 * none. */
static const Value *base_of_result(const Facts *facts, const Op *op) {
    if (!type_is_ptr(op->results[0].type)) return NULL;
    if (op->kind == OP_ALLOC) return op_result(op);
    if (op->kind == OP_JOIN) return common_base(facts, op->operands[0], op->operands[1]);
    if (op->kind == OP_SELECT) return common_base(facts, select_a(op), select_b(op));
    bool keeps = op_moves_lanes(op->kind) || op->kind == OP_ADDPTR || op->kind == OP_BITCAST;
    return keeps ? facts->base[op->operands[0]->id] : NULL;
}

const Value *facts_base(const Facts *facts, const Value *pointer) {
    return facts->base[pointer->id];
}

bool facts_may_alias(const Facts *facts, const Value *a, const Value *b) {
    const Value *x = facts_base(facts, a), *y = facts_base(facts, b);
    if (!x || !y || x == y) return true;
    if (x->def || y->def) return false;
    if (facts->fn->overlaps) return true;
    if (facts->needs) needs_add_unequal(facts->needs, x, y);
    return false;
}

void facts_ask(Facts *facts, Needs *needs) { facts->needs = needs; }

bool op_writes_memory(const Op *op) {
    if (op->kind == OP_INLINE_ASM) return !op_is_pure(op);
    if (op->kind == OP_ASSUME || op->kind == OP_ASSERT || op->kind == OP_PRINT) return false;
    if (is_ring_op(op) || op->kind == OP_MEET || op->kind == OP_STOW) return false;
    return op_has_trait(op, WRITES);
}

void facts_ask_near(const Facts *facts, const Op *store, const Op *other) {
    const Op *loop = op_outermost_loop(store);
    if (facts->needs && loop)
        needs_add_not_near(facts->needs, facts_base(facts, store_pointer(store)), store,
                           facts_base(facts, access_pointer(other)), other, loop);
}

bool facts_may_meet(const Facts *facts, const Op *store, const Op *other) {
    bool may = facts_may_alias(facts, store_pointer(store), access_pointer(other));
    if (!may) facts_ask_near(facts, store, other);
    return may;
}

bool facts_may_write(const Facts *facts, const Op *op, const Op *load) {
    return op->kind == OP_STORE ? facts_may_meet(facts, op, load) : op_writes_memory(op);
}

bool facts_may_write_within(const Facts *facts, const Op *op, const Op *load) {
    bool may = facts_may_write(facts, op, load);
    for (int i = 0; i < op->num_regions; i++)
        for (const Op *in = op->regions[i]->first; in && !may; in = in->next)
            may = facts_may_write_within(facts, in, load);
    return may;
}

bool facts_lane_may_alias(const Facts *facts, const Value *a, const Value *b) {
    const Value *x = facts_base(facts, a), *y = facts_base(facts, b);
    bool params = x && y && !x->def && !y->def;
    return facts_may_alias(facts, a, b) || (params && facts->fn->form == FORM_SPREAD);
}

/* ---- linear forms ---- */

static Linear *linear_new(Facts *facts, int num_strides) {
    size_t strides = sizeof(LinearStride) * (size_t)num_strides;
    Linear *form = arena_alloc(facts->arena, sizeof *form + strides);
    form->num_strides = num_strides;
    return form;
}

/* With as many strides, which may be more. */
static Linear *linear_copy(Facts *facts, const Linear *of, int num_strides) {
    Linear *form = linear_new(facts, num_strides);
    memcpy(form, of, sizeof *form + sizeof(LinearStride) * (size_t)of->num_strides);
    form->num_strides = num_strides;
    return form;
}

LinearStride linear_stride(const Linear *form, int dim) {
    return dim < form->num_strides ? form->stride[dim] : (LinearStride){0};
}

const Linear *facts_linear(const Facts *facts, const Value *value) {
    return facts->linear ? facts->linear[value->id] : NULL;
}

/* A scalar value is its own form: one term, a constant, or the base. */
static const Linear *scalar_form(Facts *facts, Value *value) {
    int64_t number;
    if (!type_is_int(value->type) && !type_is_ptr(value->type)) return NULL;
    Linear *form = linear_new(facts, 0);
    if (type_is_ptr(value->type))
        form->base = value;
    else if (value_is_int(value, &number))
        form->constant = number;
    else
        form->terms[form->num_terms++] = (LinearTerm){1, value, NULL};
    return form;
}

static const Linear *opaque_form(Facts *facts, Value *value, const Linear *like) {
    if (!type_is_tile(value->type)) return scalar_form(facts, value);
    if (!like || (!type_is_int(value->type) && !type_is_ptr(value->type))) return NULL;
    Linear *form = linear_new(facts, like->num_strides);
    form->base = value;
    memcpy(form->stride, like->stride, sizeof *form->stride * (size_t)like->num_strides);
    return form;
}

void linear_set_opaque(Facts *facts, Value *value, const Value *like) {
    if (!facts->linear) return;
    const Linear *form = like ? facts->linear[like->id] : NULL;
    facts->linear[value->id] = opaque_form(facts, value, form);
}

static bool same_strides(const Linear *a, const Linear *b) {
    for (int i = 0; i < a->num_strides || i < b->num_strides; i++) {
        LinearStride x = linear_stride(a, i), y = linear_stride(b, i);
        if (x.multiplier != y.multiplier || x.factor != y.factor) return false;
    }
    return true;
}

bool linear_join(Facts *facts, const Value *into, const Value *from) {
    const Linear *a = facts_linear(facts, into), *b = facts_linear(facts, from);
    if (!a || !type_is_tile(into->type) || (b && same_strides(a, b))) return false;
    facts->linear[into->id] = NULL;
    return true;
}

void linear_drop_factors(Facts *facts, const Value *value) {
    const Linear *form = facts_linear(facts, value);
    if (!form || !type_is_tile(value->type)) return;
    for (int i = 0; i < form->num_strides; i++)
        if (form->stride[i].factor) facts->linear[value->id] = NULL;
}

static bool is_uniform_form(const Linear *form) {
    for (int i = 0; i < form->num_strides; i++)
        if (form->stride[i].multiplier) return false;
    return true;
}

static bool add_term(Linear *to, LinearTerm term) {
    for (int i = 0; i < to->num_terms; i++) {
        if (to->terms[i].value != term.value || to->terms[i].factor != term.factor) continue;
        if (__builtin_add_overflow(to->terms[i].multiplier, term.multiplier,
                                   &to->terms[i].multiplier))
            return false;
        if (to->terms[i].multiplier == 0) to->terms[i] = to->terms[--to->num_terms];
        return true;
    }
    if (to->num_terms == LINEAR_MAX_TERMS) return false;
    to->terms[to->num_terms++] = term;
    return true;
}

static bool add_stride(LinearStride *to, LinearStride more) {
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

static bool add_part(Linear *to, LinearPart part) {
    for (int i = 0; i < to->num_parts; i++)
        if (to->parts[i].form == part.form && to->parts[i].is_nonnegative == part.is_nonnegative)
            return true;
    if (to->num_parts == LINEAR_MAX_PARTS) return false;
    to->parts[to->num_parts++] = part;
    return true;
}

static bool add_parts_of(Linear *to, const Linear *from) {
    for (int i = 0; i < from->num_parts; i++)
        if (!add_part(to, from->parts[i])) return false;
    return true;
}

static int most_strides(const Linear *a, const Linear *b) {
    return a->num_strides > b->num_strides ? a->num_strides : b->num_strides;
}

/* a + sign * b */
static const Linear *sum(Facts *facts, const Linear *a, const Linear *b, int sign) {
    if (!a || !b || (a->base && b->base) || (sign < 0 && b->base)) return NULL;
    Linear *form = linear_copy(facts, a, most_strides(a, b));
    if (b->base) form->base = b->base;
    int64_t scaled;
    if (__builtin_mul_overflow(b->constant, (int64_t)sign, &scaled) ||
        __builtin_add_overflow(form->constant, scaled, &form->constant) || !add_parts_of(form, b))
        return NULL;
    for (int i = 0; i < b->num_terms; i++) {
        LinearTerm term = b->terms[i];
        if (__builtin_mul_overflow(term.multiplier, (int64_t)sign, &term.multiplier) ||
            !add_term(form, term))
            return NULL;
    }
    for (int i = 0; i < b->num_strides; i++) {
        LinearStride stride = b->stride[i];
        if (__builtin_mul_overflow(stride.multiplier, (int64_t)sign, &stride.multiplier) ||
            !add_stride(&form->stride[i], stride))
            return NULL;
    }
    return form;
}

static const Linear *scaled_by_number(Facts *facts, const Linear *a, int64_t number) {
    if (!a || a->base) return NULL;
    if (number == 0) return linear_new(facts, 0);
    Linear *form = linear_copy(facts, a, a->num_strides);
    if (__builtin_mul_overflow(a->constant, number, &form->constant)) return NULL;
    for (int i = 0; i < form->num_terms; i++)
        if (__builtin_mul_overflow(a->terms[i].multiplier, number, &form->terms[i].multiplier))
            return NULL;
    for (int i = 0; i < form->num_strides; i++)
        if (__builtin_mul_overflow(a->stride[i].multiplier, number, &form->stride[i].multiplier))
            return NULL;
    return form;
}

/* a * by, where `by` is multiplier * one scalar value. */
static const Linear *scaled_by_value(Facts *facts, const Linear *a, LinearTerm by) {
    if (!a || a->base || by.factor) return NULL;
    const Linear *scaled = scaled_by_number(facts, a, by.multiplier);
    if (!scaled) return NULL;
    Linear *form = linear_copy(facts, scaled, scaled->num_strides);
    for (int i = 0; i < form->num_terms; i++) {
        if (form->terms[i].factor) return NULL;
        form->terms[i].factor = by.value;
    }
    for (int i = 0; i < form->num_strides; i++) {
        if (form->stride[i].multiplier == 0) continue;
        if (form->stride[i].factor) return NULL;
        form->stride[i].factor = by.value;
    }
    int64_t constant = form->constant;
    form->constant = 0;
    if (constant && !add_term(form, (LinearTerm){constant, by.value, NULL})) return NULL;
    return form;
}

static bool is_number(const Linear *form) {
    return !form->base && form->num_terms == 0 && is_uniform_form(form);
}

static bool is_one_value(const Linear *form) {
    return !form->base && form->num_terms == 1 && form->constant == 0 && is_uniform_form(form);
}

static const Linear *product(Facts *facts, const Linear *a, const Linear *b) {
    const Linear *form = NULL;
    if (!a || !b) return NULL;
    if (is_number(b))
        form = scaled_by_number(facts, a, b->constant);
    else if (is_number(a))
        form = scaled_by_number(facts, b, a->constant);
    else if (is_one_value(b))
        form = scaled_by_value(facts, a, b->terms[0]);
    else if (is_one_value(a))
        form = scaled_by_value(facts, b, a->terms[0]);
    if (!form || (!a->num_parts && !b->num_parts)) return form;
    Linear *whole = linear_copy(facts, form, form->num_strides);
    return add_parts_of(whole, a) && add_parts_of(whole, b) ? whole : NULL;
}

static const Linear *expanded(Facts *facts, const Linear *a, int axis) {
    if (!a || (a->base && type_is_tile(a->base->type)))
        return NULL; /* its lane 0 has another shape */
    if (axis >= a->num_strides) return a;
    Linear *form = linear_copy(facts, a, a->num_strides + 1);
    for (int i = a->num_strides; i > axis; i--) form->stride[i] = a->stride[i - 1];
    form->stride[axis] = (LinearStride){0};
    return form;
}

static const Linear *transposed(Facts *facts, const Linear *a, const Op *op) {
    if (!a) return NULL;
    Ints order = trans_order(op);
    Linear *form = linear_copy(facts, a, order.count);
    for (int i = 0; i < order.count; i++) form->stride[i] = linear_stride(a, (int)order.data[i]);
    return form;
}

/* Repeated dimensions have stride 0; their index was always 0, so a stride there meant nothing. */
static const Linear *broadcasted(Facts *facts, const Linear *a, const Op *op) {
    if (!a) return NULL;
    Linear *form = linear_copy(facts, a, a->num_strides);
    for (int i = 0; i < form->num_strides; i++)
        if (op->operands[0]->type->shape[i] == 1) form->stride[i] = (LinearStride){0};
    return form;
}

static Range range_of_number(const Facts *facts, const Value *value) {
    return value ? facts->range[value->id] : (Range){1, 1};
}

/* Adds multiplier * by * factor; false: too large to say. */
static bool add_reach(Reach *to, int64_t multiplier, Range by, Range factor) {
    const int64_t far = (int64_t)1 << 40; /* so that products of three stay below 2^127 */
    Range limit = {-far, far};
    if (!range_is_within((Range){multiplier, multiplier}, limit) || !range_is_within(by, limit) ||
        !range_is_within(factor, limit))
        return false;
    Reach reach = range_product(by, factor);
    to->low += multiplier * (multiplier < 0 ? reach.high : reach.low);
    to->high += multiplier * (multiplier < 0 ? reach.low : reach.high);
    return true;
}

/* Ranges show that no lane of the form leaves its type. */
static bool form_fits(const Facts *facts, const Linear *form, const Type *type,
                      bool is_nonnegative) {
    Range within = range_of_type(type);
    Reach all = {form->constant, form->constant};
    if (form->base)
        all.low += facts->range[form->base->id].low, all.high += facts->range[form->base->id].high;
    for (int i = 0; i < form->num_terms; i++)
        if (!add_reach(&all, form->terms[i].multiplier,
                       range_of_number(facts, form->terms[i].value),
                       range_of_number(facts, form->terms[i].factor)))
            return false;
    for (int i = 0; i < type->rank && i < form->num_strides; i++)
        if (!add_reach(&all, form->stride[i].multiplier, (Range){0, type->shape[i] - 1},
                       range_of_number(facts, form->stride[i].factor)))
            return false;
    return all.low >= (is_nonnegative ? 0 : within.low) && all.high <= within.high;
}

/* A narrow sum in a wider one: the same numbers, if none of its lanes wraps. */
static const Linear *widened(Facts *facts, const Linear *a, const Type *type, bool is_nonnegative) {
    if (!a || form_fits(facts, a, type, is_nonnegative)) return a;
    Linear *form = linear_copy(facts, a, a->num_strides);
    return add_part(form, (LinearPart){a, type, is_nonnegative}) ? form : NULL;
}

static const Linear *offset_form(Facts *facts, const Op *op, const Linear *a, const Linear *b) {
    const Type *offset = op->operands[1]->type;
    return sum(facts, a, type_bits(offset) < 64 ? widened(facts, b, offset, false) : b, 1);
}

static const Linear *tile_form(Facts *facts, const Op *op) {
    const Value *x = op->num_operands > 0 ? op->operands[0] : NULL;
    const Linear *a = x ? facts->linear[x->id] : NULL,
                 *b = op->num_operands > 1 ? facts->linear[op->operands[1]->id] : NULL;
    OpKind kind = op->kind;
    Linear *form = NULL;
    int64_t number;
    if (x && type_is_bool(x->type) && kind != OP_SPLAT) return NULL;
    if (kind == OP_CONSTANT && value_is_int(&op->results[0], &number)) {
        form = linear_new(facts, 0), form->constant = number;
        return form;
    }
    if (kind == OP_ARANGE) {
        form = linear_new(facts, 1), form->constant = arange_start(op),
        form->stride[0].multiplier = 1;
        return form;
    }
    if (kind == OP_SPLAT || kind == OP_CONVERT || kind == OP_HINT || kind == OP_TRUNC)
        return a; /* sums modulo 2^bits stay sums */
    if (kind == OP_EXT_S) return widened(facts, a, x->type, false);
    if (kind == OP_EXT_U) return widened(facts, a, x->type, true);
    if (kind == OP_EXPAND_DIMS) return expanded(facts, a, (int)expand_dims_axis(op));
    if (kind == OP_BROADCAST) return broadcasted(facts, a, op);
    if (kind == OP_TRANS) return transposed(facts, a, op);
    if (kind == OP_ADDPTR) return offset_form(facts, op, a, b);
    if (kind == OP_ADD) return sum(facts, a, b, 1);
    if (kind == OP_SUB) return sum(facts, a, b, -1);
    if (kind == OP_MUL) return product(facts, a, b);
    if (kind == OP_SHL && value_is_int(op->operands[1], &number) && number >= 0 &&
        number < type_bits(x->type) && number <= 62)
        return scaled_by_number(facts, a, (int64_t)1 << number);
    return NULL;
}

void address_transfer(Facts *facts, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        Value *value = &op->results[i];
        bool is_tile = type_is_tile(value->type);
        bool counts = type_is_int(value->type) || type_is_ptr(value->type);
        facts->base[value->id] = base_of_result(facts, op);
        if (facts->linear)
            facts->linear[value->id] =
                is_tile ? (counts ? tile_form(facts, op) : NULL) : scalar_form(facts, value);
    }
}

/* ---- with numbers ---- */

static bool number_of(const Value *value, const int64_t *const *numbers, int64_t *number) {
    if (!value) return *number = 1, true;
    if (value_is_int(value, number)) return true;
    if (!numbers[value->id]) return false;
    *number = *numbers[value->id];
    return true;
}

static bool product_of(int64_t multiplier, const Value *a, const Value *b,
                       const int64_t *const *numbers, int64_t *result) {
    int64_t x, y;
    return number_of(a, numbers, &x) && number_of(b, numbers, &y) &&
           !__builtin_mul_overflow(multiplier, x, result) &&
           !__builtin_mul_overflow(*result, y, result);
}

/* False: not known, or sums leave 64 bits. */
static bool exact_numbers(const Linear *form, int rank, const int64_t *const *numbers,
                          LinearNumbers *result) {
    int64_t part;
    *result = (LinearNumbers){.first = form->constant};
    if (form->base && type_is_int(form->base->type) &&
        (!number_of(form->base, numbers, &part) ||
         __builtin_add_overflow(result->first, part, &result->first)))
        return false;
    for (int i = 0; i < form->num_terms; i++)
        if (!product_of(form->terms[i].multiplier, form->terms[i].value, form->terms[i].factor,
                        numbers, &part) ||
            __builtin_add_overflow(result->first, part, &result->first))
            return false;
    for (int i = 0; i < rank && i < form->num_strides; i++)
        if (form->stride[i].multiplier &&
            !product_of(form->stride[i].multiplier, NULL, form->stride[i].factor, numbers,
                        &result->stride[i]))
            return false;
    return true;
}

/* The least and the greatest lane; false: one leaves the type. */
static bool within_type(const LinearNumbers *numbers, const Type *type, int64_t *low,
                        int64_t *high) {
    Reach all = {numbers->first, numbers->first};
    for (int i = 0; i < type->rank; i++) {
        Wide reach = (Wide)numbers->stride[i] * (type->shape[i] - 1);
        *(reach < 0 ? &all.low : &all.high) += reach;
    }
    Range within = range_of_type(type);
    *low = (int64_t)all.low, *high = (int64_t)all.high;
    return all.low >= within.low && all.high <= within.high;
}

static bool is_same_in_lanes(const LinearNumbers *numbers, const Type *type) {
    for (int i = 0; i < type->rank; i++)
        if (numbers->stride[i] && type->shape[i] > 1) return false;
    return true;
}

bool linear_eval(const Linear *form, const Type *type, const int64_t *const *numbers,
                 LinearNumbers *result) {
    int64_t low, high;
    for (int i = 0; i < form->num_parts; i++) {
        const LinearPart *part = &form->parts[i];
        if (!exact_numbers(part->form, part->type->rank, numbers, result) ||
            !within_type(result, part->type, &low, &high) || (part->is_nonnegative && low < 0))
            return false;
    }
    if (!exact_numbers(form, type->rank, numbers, result)) return false;
    if (within_type(result, type, &low, &high)) return true;
    if (!type_is_int(type) || !is_same_in_lanes(result, type)) return false;
    int unused = 64 - type_bits(type);
    result->first = (int64_t)((uint64_t)result->first << unused) >> unused;
    return true;
}
