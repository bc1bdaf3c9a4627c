// SPDX-License-Identifier: Apache-2.0
/* box: a tile that is a box of a tensor, which the hardware copies by itself (TMA).
 *
 *     %o = mul (ext_s %pid), (ext_s %sz)            base %k, dimensions of strides
 *     %p = addptr (addptr %k, %o), %row * 128       1         at 0           64 long
 *     %q = addptr %p, arange 0..64            ->    128       at %row's      128 long
 *     fill %r, %n, %q, (icmp slt %row, %n)             to the end %n
 *                                                   %sz       at %pid        1 long
 *
 * The address is taken apart into a base and a sum of products of a number, a few parameters and at
 * most one index, with ranges along the tile's two dimensions. One of these goes by single
 * elements. What is a multiple of a dimension's stride moves the box along it; what is not gets a
 * dimension of its own. Base and strides are multiples of 16 bytes by what the signature promises.
 *
 * Coordinates are ints of 32 bits. Each index is one that is not negative, as facts.c assumes it,
 * or as each launch is asked (needs.c), or one that the mask compares with 0 as with the end. A
 * value that a loop carries and adds the same to in each turn is so many times that, from its first
 * value. What is modulo a number, or 0 from a number on, is so along the whole tile, where the
 * launch knows that tiles end there.
 *
 * A mask may compare an index along a dimension with an end that a launch knows, from 0 on, and ask
 * for conditions that no lane changes; elsewhere there are zeros. */
#include "opt/box.h"

#include "ir/place.h"

typedef struct Form { /* base + terms + stride[d] * i_d */
    Value *base;
    BoxTerms terms;
    BoxNumber stride[2]; /* number 0: none */
} Form;

typedef struct Limit { /* 0 <= index < end along a dimension */
    int dim;           /* -1: nothing compares along this one */
    Form index;
    BoxNumber end;
} Limit;

typedef struct Finder {
    const Facts *facts;
    Box *box;
    Form *form;      /* that is added to */
    bool any_sign;   /* of its indices: it is compared with 0, or nothing is copied */
    Limit limits[2]; /* of the tile's dimensions */
    bool from_zero[2];
    bool in_parts; /* sums with products of parameters are taken apart, not for indices */
    const Op *access;
    Needs *needs; /* what is asked at launch; NULL: nothing may be */
    const char *why;
} Finder;

typedef struct Dims { /* of a value -> of the tile */
    int of[2];
} Dims;

static bool refuse(Finder *f, const char *why) {
    f->why = why;
    return false;
}

/* ---- numbers that a launch knows ---- */

static BoxNumber plain(int64_t number) { return (BoxNumber){.number = number}; }

static bool times(BoxNumber *a, BoxNumber b) {
    if (a->num_params + b.num_params > BOX_FACTORS) return false;
    for (int i = 0; i < b.num_params; i++) {
        int at = a->num_params++;
        for (; at > 0 && a->params[at - 1]->id > b.params[i]->id; at--)
            a->params[at] = a->params[at - 1];
        a->params[at] = b.params[i];
    }
    return !__builtin_mul_overflow(a->number, b.number, &a->number);
}

static bool has_same_params(BoxNumber a, BoxNumber b) {
    for (int i = 0; i < a.num_params && i < b.num_params; i++)
        if (a.params[i] != b.params[i]) return false;
    return a.num_params == b.num_params;
}

static BoxNumber negative(BoxNumber a) {
    a.number = -a.number;
    return a;
}

static bool is_one(BoxNumber a) { return a.number == 1 && !a.num_params; }

static bool is_param(const Value *value) { return !value->def && !value->region->owner; }

static bool number_of(Value *value, BoxNumber *number) {
    Op *op = value->def;
    BoxNumber other;
    int64_t shift;
    *number = (BoxNumber){.number = 1, .num_params = 1, .params = {value}};
    if (value_is_int(value, &number->number)) return number->num_params = 0, true;
    if (!op) return is_param(value) && type_is_int(value->type);
    if (op->kind == OP_EXT_S || op->kind == OP_HINT || op->kind == OP_SPLAT)
        return number_of(op->operands[0], number);
    if (op->kind == OP_MUL)
        return number_of(op->operands[0], number) && number_of(op->operands[1], &other) &&
               times(number, other);
    return op->kind == OP_SHL && value_is_int(op->operands[1], &shift) && shift >= 0 &&
           shift < 31 && number_of(op->operands[0], number) &&
           times(number, plain((int64_t)1 << shift));
}

/* ---- sums ---- */

static BoxTerm *term_like(BoxTerms *terms, const BoxTerm *term) {
    for (int i = 0; i < terms->count; i++) {
        BoxTerm *t = &terms->data[i];
        if (t->index == term->index && t->modulo == term->modulo && t->least == term->least &&
            has_same_params(t->scale, term->scale))
            return t;
    }
    return NULL;
}

static bool add_term(Finder *f, BoxTerms *to, BoxTerm term) {
    BoxTerm *like = term_like(to, &term);
    if (!term.scale.number) return true;
    if (!like && to->count == BOX_TERMS) return refuse(f, "an address of too many terms");
    if (!like) to->data[to->count++] = term;
    if (like && __builtin_add_overflow(like->scale.number, term.scale.number, &like->scale.number))
        return refuse(f, "an address that is too large");
    if (like && !like->scale.number) *like = to->data[--to->count];
    return true;
}

static bool is_compared(const Finder *f, const Value *value) {
    for (int d = 0; d < 2; d++)
        for (int i = 0; f->limits[d].dim >= 0 && i < f->limits[d].index.terms.count; i++)
            if (f->limits[d].index.terms.data[i].index == value) return true;
    return false;
}

/* Whether it is negative the launch may be asked. */
static bool ask(Finder *f, Value *value) {
    return facts_nonnegative(f->facts, value) ||
           (f->needs && type_bits(value->type) == 32 && needs_add(f->needs, value));
}

static bool is_index(const Finder *f, const Value *value) {
    int64_t low, high;
    if (type_bits(value->type) == 32)
        return f->any_sign || facts_nonnegative(f->facts, value) || is_compared(f, value);
    return type_bits(value->type) == 64 && facts_range(f->facts, value, &low, &high) && low >= 0 &&
           high <= INT32_MAX;
}

static bool add_scalar(Finder *f, Value *value, BoxNumber scale);

/* Goes up by one in each turn, from a number; or NULL. */
static Value *counter_of(const Op *loop, int64_t *first) {
    for (int i = 0; i < for_count(loop); i++) {
        Value *arg = for_arg(loop, i);
        const Op *next = for_next(loop, i)->def;
        int64_t one;
        if (arg->type->kind != TYPE_I32 || !next || next->kind != OP_ADD) continue;
        if (next->operands[0] == arg && value_is_int(next->operands[1], &one) && one == 1 &&
            value_is_int(for_init(loop, i), first) && *first >= 0)
            return arg;
    }
    return NULL;
}

/* What a carried value grows by in each turn, where that is the same in all of them; or NULL. */
static Value *step_of(const Op *loop, const Value *arg) {
    const Op *next = for_next(loop, arg->index - 1)->def;
    if (!next || next->kind != OP_ADD) return NULL;
    if (next->operands[0] == arg) return next->operands[1];
    return next->operands[1] == arg ? next->operands[0] : NULL;
}

/* Is a + step what b begins with? */
static bool comes_next(Finder *f, Value *a, Value *step, Value *b) {
    Form difference = {0}, *form = f->form;
    f->form = &difference;
    bool same = add_scalar(f, a, plain(1)) && add_scalar(f, step, plain(1)) &&
                add_scalar(f, b, plain(-1)) && !difference.terms.count;
    f->form = form;
    return same;
}

/* init + counter * step; what takes over the value that another one had a turn before, too. */
static bool add_carried(Finder *f, Value *value, BoxNumber scale) {
    static const char why[] = "an offset that a loop computes";
    const Op *loop = value->region->owner;
    BoxTerm turns = {.scale = scale};
    BoxNumber number;
    if (!loop || loop->kind != OP_FOR || !value->index) return refuse(f, why);
    Value *next = for_next(loop, value->index - 1), *init = for_init(loop, value->index - 1);
    bool follows = !next->def && next->region == value->region && next->index && next != value;
    Value *step = step_of(loop, follows ? next : value);
    turns.index = counter_of(loop, &turns.least);
    if (!turns.index || !step) return refuse(f, why);
    if (follows && !comes_next(f, init, step, for_init(loop, next->index - 1)))
        return refuse(f, why);
    if (!number_of(step, &number) || !times(&turns.scale, number))
        return refuse(f, "a step that no launch knows");
    return add_term(f, &f->form->terms, turns) && add_scalar(f, init, scale);
}

static bool add_product(Finder *f, const Op *op, BoxNumber scale) {
    for (int i = 0; i < 2; i++) {
        BoxNumber number, product = scale;
        if (number_of(op->operands[i], &number))
            return times(&product, number) ? add_scalar(f, op->operands[1 - i], product)
                                           : refuse(f, "a product of parameters");
    }
    return refuse(f, "a product of what no launch knows");
}

static bool is_less(const Op *op, const Value *less, const Value *than) {
    return op->kind == OP_ICMP && icmp_predicate(op) == ICMP_SLT && op->operands[0] == less &&
           op->operands[1] == than;
}

/* The access is in an arm in which this is less than what? */
static Value *given_end(const Op *access, const Value *less) {
    for (const Region *at = access->parent; at->owner; at = at->owner->parent) {
        const Op *given = at->owner->kind == OP_IF ? at->owner->operands[0]->def : NULL;
        if (at == at->owner->regions[0] && given && is_less(given, less, given->operands[1]))
            return given->operands[1];
    }
    return NULL;
}

/* Of a value that goes on while it is less than the end, that choice; or NULL. */
static const Op *stop_of(const Value *value, const Value *end) {
    const Op *op = value->def, *loop = op ? NULL : value->region->owner;
    bool carried = loop && loop->kind == OP_FOR && value->index;
    const Op *select = carried ? for_next(loop, value->index - 1)->def : op;
    if (!select || select->kind != OP_SELECT) return NULL;
    const Value *before = select->operands[2];
    const Op *more = select->operands[0]->def, *next = select->operands[1]->def;
    bool stops = more && is_less(more, before, end) && (!carried || before == value) && next &&
                 next->kind == OP_ADD && next->operands[0] == before;
    return stops ? select : NULL;
}

/* An index that stops at the end: as far as it is less than that, it has gone on in each turn. */
static bool add_stopping(Finder *f, Value *value, const Value *end, BoxNumber scale) {
    const Op *select = stop_of(value, end), *loop = value->def ? NULL : value->region->owner;
    BoxTerm turns = {.scale = scale};
    BoxNumber step;
    if (!select) return add_scalar(f, value, scale);
    const Op *next = select->operands[1]->def;
    if (value->def)
        return add_stopping(f, select->operands[2], end, scale) &&
               add_scalar(f, next->operands[1], scale);
    turns.index = counter_of(loop, &turns.least);
    if (!turns.index || !number_of(next->operands[1], &step) || step.num_params ||
        !times(&turns.scale, step))
        return refuse(f, "a step that no launch knows");
    return add_term(f, &f->form->terms, turns) &&
           add_stopping(f, for_init(loop, value->index - 1), end, scale);
}

/* A number of turns, which are less than *end, times *each: it fits 32 bits, as the launch is
 * asked, so that its terms are the turns'. */
static Value *turns_in(Finder *f, const Value *product, Value **end, int64_t *each) {
    const Op *op = product->def;
    if (!f->needs || !op || op->kind != OP_MUL || type_bits(product->type) != 32 ||
        !value_is_int(op->operands[1], each) || *each <= 0)
        return NULL;
    *end = given_end(f->access, op->operands[0]);
    bool fits = *end && facts_nonnegative(f->facts, op->operands[0]) &&
                needs_add_most(f->needs, *end, INT32_MAX / *each);
    return fits ? op->operands[0] : NULL;
}

/* A sum of 64 bits, or a parameter times a number, which the launch is asked to fit 32 bits. */
static bool is_in_parts(Finder *f, Value *value) {
    BoxNumber number;
    if (!value->def || !type_is_int(value->type)) return false;
    if (type_bits(value->type) == 64 && value->def->kind == OP_ADD) return true;
    return number_of(value, &number) && number.num_params == 1 && number.number > 0 && f->needs &&
           type_bits(number.params[0]->type) == 32 &&
           needs_add_most(f->needs, number.params[0], INT32_MAX / number.number);
}

static bool add_scalar(Finder *f, Value *value, BoxNumber scale) {
    Op *op = value->def;
    BoxNumber number;
    BoxTerm term = {.scale = scale};
    int64_t low, high, each;
    if (type_is_ptr(value->type) && is_param(value)) return f->form->base = value, true;
    if (op && op->kind == OP_EXT_S && type_bits(op->operands[0]->type) == 32)
        return add_scalar(f, op->operands[0], scale); /* as what a mask compares */
    bool is_number = number_of(value, &number) && !number.num_params;
    if (!is_number && facts_range(f->facts, value, &low, &high) && low == high)
        number = plain(low), is_number = true;
    Value *end, *turns = is_number ? NULL : turns_in(f, value, &end, &each);
    if (turns) return times(&term.scale, plain(each)) && add_stopping(f, turns, end, term.scale);
    const Value *stop = f->in_parts && !is_number ? given_end(f->access, value) : NULL;
    if (stop && stop_of(value, stop)) return add_stopping(f, value, stop, scale);
    bool in_parts = f->in_parts && !is_number && is_in_parts(f, value);
    if (type_is_int(value->type) && !is_number && !in_parts && is_index(f, value)) {
        term.index = value;
        return add_term(f, &f->form->terms, term);
    }
    if (is_number || number_of(value, &number)) {
        if (!times(&term.scale, number)) return refuse(f, "a product of parameters");
        return add_term(f, &f->form->terms, term);
    }
    if (type_is_int(value->type) && type_bits(value->type) == 32 && ask(f, value)) {
        term.index = value;
        return add_term(f, &f->form->terms, term);
    }
    if (!op && !type_is_ptr(value->type)) return add_carried(f, value, scale);
    if (!op) return refuse(f, "a pointer that a loop carries");
    if (op->kind == OP_EXT_S || op->kind == OP_HINT) return add_scalar(f, op->operands[0], scale);
    if (op->kind == OP_ADDPTR)
        return add_scalar(f, op->operands[0], scale) && add_scalar(f, op->operands[1], scale);
    if (type_bits(value->type) == 32) return refuse(f, "an offset that may be negative");
    if (op->kind == OP_ADD || op->kind == OP_SUB)
        return add_scalar(f, op->operands[0], scale) &&
               add_scalar(f, op->operands[1], op->kind == OP_SUB ? negative(scale) : scale);
    if (op->kind == OP_MUL) return add_product(f, op, scale);
    return refuse(f, type_is_ptr(value->type) ? "a pointer that is no parameter"
                                              : "an offset of 64 bits");
}

/* ---- tiles ---- */

static bool dims_before(Finder *f, const Op *op, Dims dims, Dims *before) {
    *before = dims;
    if (op->operands[0]->type->rank > 2) return refuse(f, "a tile of more dimensions");
    if (op->kind == OP_EXPAND_DIMS) {
        if (expand_dims_axis(op) == 0) before->of[0] = dims.of[1];
        return true;
    }
    if (op->kind == OP_TRANS)
        for (int i = 0; i < op_result(op)->type->rank; i++)
            before->of[trans_order(op).data[i]] = dims.of[i];
    return true;
}

static bool moves(const Op *op) {
    return op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_TRANS ||
           op->kind == OP_CONVERT || op->kind == OP_HINT;
}

static Value *uniform_of(Value *value) {
    while (value->def && (moves(value->def) || value->def->kind == OP_SPLAT))
        value = value->def->operands[0];
    return value;
}

/* The dimension along which an index goes by one; -1: there is none. */
static int dim_of(const Form *index) {
    for (int d = 0; d < 2; d++)
        if (is_one(index->stride[d]) && !index->stride[1 - d].number) return d;
    return -1;
}

static bool add_tile(Finder *f, Value *value, BoxNumber scale, Dims dims);

static bool add_stride(Finder *f, int dim, BoxNumber scale) {
    BoxNumber *stride = &f->form->stride[dim];
    if (stride->number && !has_same_params(*stride, scale))
        return refuse(f, "a dimension of two strides");
    int64_t number = stride->number;
    *stride = scale;
    return !__builtin_add_overflow(number, scale.number, &stride->number) ||
           refuse(f, "an address that is too large");
}

static bool add_range(Finder *f, const Op *op, BoxNumber scale, int dim) {
    BoxTerm start = {.scale = scale};
    if (__builtin_mul_overflow(scale.number, arange_start(op), &start.scale.number))
        return refuse(f, "an address that is too large");
    return add_stride(f, dim, scale) && add_term(f, &f->form->terms, start);
}

static bool add_tile_product(Finder *f, const Op *op, BoxNumber scale, Dims dims) {
    for (int i = 0; i < 2; i++) {
        BoxNumber number, product = scale;
        Value *by = op->operands[i];
        while (by->def && moves(by->def)) by = by->def->operands[0];
        if (number_of(by, &number))
            return times(&product, number) ? add_tile(f, op->operands[1 - i], product, dims)
                                           : refuse(f, "a product of parameters");
    }
    return refuse(f, "a product of what no launch knows");
}

/* Along the tile an index goes by one, from a multiple of its length on: *first is that. */
static int whole_index(Finder *f, Value *value, Dims dims, BoxTerm *first) {
    Form index = {0}, *form = f->form;
    bool any_sign = f->any_sign;
    f->form = &index, f->any_sign = true;
    bool fine = f->needs && add_tile(f, value, plain(1), dims);
    f->form = form, f->any_sign = any_sign;
    int dim = dim_of(&index);
    *first = index.terms.data[0];
    if (!fine || dim < 0 || index.terms.count != 1 || !first->index || !is_one(first->scale) ||
        first->modulo || first->least)
        return -1;
    int length = access_pointer(f->access)->type->shape[dim];
    bool is_whole = facts_axis(f->facts, first->index)->divisibility[0] % length == 0;
    return is_whole && ask(f, first->index) ? dim : -1;
}

static bool add_whole(Finder *f, int dim, BoxTerm first, BoxNumber scale) {
    first.scale = scale;
    return add_stride(f, dim, scale) && add_term(f, &f->form->terms, first);
}

/* Modulo another multiple, which the launch is asked for, such an index goes by one, too. */
static bool add_remainder(Finder *f, const Op *op, BoxNumber scale, Dims dims) {
    BoxTerm first;
    int dim = whole_index(f, op->operands[0], dims, &first);
    first.modulo = uniform_of(op->operands[1]);
    if (dim < 0 ||
        !needs_add_multiple(f->needs, first.modulo, access_pointer(f->access)->type->shape[dim]))
        return refuse(f, "an index modulo another");
    return add_whole(f, dim, first, scale);
}

/* An index where it is less than an end, else 0: the end is not in the tile, if it is a multiple
 * of the tile's length above its first. */
static bool add_inside(Finder *f, const Op *op, BoxNumber scale, Dims dims) {
    const Op *compare = select_condition(op)->def;
    Value *index = select_a(op);
    BoxTerm first;
    int64_t zero;
    if (!compare || compare->kind != OP_ICMP || icmp_predicate(compare) != ICMP_SLT ||
        compare->operands[0] != index || !value_is_int(select_b(op), &zero) || zero)
        return refuse(f, "a choice of addresses");
    int dim = whole_index(f, index, dims, &first);
    Value *end = uniform_of(compare->operands[1]);
    if (dim < 0 || !needs_add_below(f->needs, first.index, end) ||
        !needs_add_multiple(f->needs, end, access_pointer(f->access)->type->shape[dim]))
        return refuse(f, "a choice of addresses");
    return add_whole(f, dim, first, scale);
}

static bool add_tile(Finder *f, Value *value, BoxNumber scale, Dims dims) {
    Op *op = value->def;
    Dims before;
    int64_t number;
    if (!type_is_tile(value->type)) return add_scalar(f, value, scale);
    if (!op) return refuse(f, "a tile of addresses that a loop carries");
    if (op->kind == OP_SPLAT) return add_scalar(f, op->operands[0], scale);
    if (op->kind == OP_ARANGE) return add_range(f, op, scale, dims.of[0]);
    if (op->kind == OP_CONSTANT && value_is_int(value, &number)) {
        BoxTerm term = {.scale = scale};
        if (!times(&term.scale, plain(number))) return refuse(f, "an address that is too large");
        return add_term(f, &f->form->terms, term);
    }
    if (moves(op))
        return dims_before(f, op, dims, &before) && add_tile(f, op->operands[0], scale, before);
    if (op->kind == OP_EXT_S) return add_tile(f, op->operands[0], scale, dims);
    if (op->kind == OP_ADDPTR || op->kind == OP_ADD)
        return add_tile(f, op->operands[0], scale, dims) &&
               add_tile(f, op->operands[1], scale, dims);
    if (op->kind == OP_SUB)
        return add_tile(f, op->operands[0], scale, dims) &&
               add_tile(f, op->operands[1], negative(scale), dims);
    if (op->kind == OP_MUL) return add_tile_product(f, op, scale, dims);
    if (op->kind == OP_REM_S) return add_remainder(f, op, scale, dims);
    if (op->kind == OP_SELECT) return add_inside(f, op, scale, dims);
    if (op->kind == OP_REM_U) return refuse(f, "an index modulo another");
    return refuse(f, "an address that is no sum of products");
}

/* ---- masks ---- */

/* Below the rest of a loop, number - index, is as the sum with the index below the number; which is
 * not to be negative, as the launch is asked. */
static bool add_rest(Finder *f, Value **end) {
    const Op *op = uniform_of(*end)->def;
    if (!op || op->kind != OP_SUB) return true;
    Value *index = op->operands[1], *less = given_end(f->access, index), *turns;
    int64_t each = 1;
    if (less == op->operands[0] && facts_nonnegative(f->facts, index)) {
        *end = op->operands[0];
        return add_stopping(f, index, less, plain(1));
    }
    turns = turns_in(f, index, &less, &each);
    if (!turns || !needs_add(f->needs, op->operands[0])) return true;
    *end = op->operands[0];
    return add_stopping(f, turns, less, plain(each));
}

/* The end of a dimension: below 1 there is nothing in it, whatever it is. */
static bool end_of(Finder *f, Value *value, bool is_unsigned, BoxNumber *end) {
    int64_t number;
    value = uniform_of(value);
    if (value->def && value->def->kind == OP_MAX_S &&
        value_is_int(value->def->operands[1], &number) && number == 0)
        is_unsigned = false, value = value->def->operands[0];
    if (is_unsigned && !facts_nonnegative(f->facts, value))
        return refuse(f, "a mask whose end may be negative");
    if (!number_of(value, end)) return refuse(f, "a mask whose end no launch knows");
    end->is_narrow = type_bits(value->type) == 32;
    return true;
}

static bool add_limit(Finder *f, const Op *compare, Dims dims) {
    int64_t predicate = icmp_predicate(compare), zero;
    bool turned = predicate == ICMP_SGT || predicate == ICMP_UGT || predicate == ICMP_SLE;
    Value *index = compare->operands[turned], *end = compare->operands[!turned];
    bool is_low = predicate == ICMP_SGE || predicate == ICMP_SLE;
    bool is_unsigned = predicate == ICMP_ULT || predicate == ICMP_UGT;
    Limit limit = {0};
    if (!is_low && !is_unsigned && predicate != ICMP_SLT && predicate != ICMP_SGT)
        return refuse(f, "a mask that compares otherwise than with an end");
    bool any_sign = f->any_sign;
    f->form = &limit.index, f->any_sign = true;
    bool fine = add_tile(f, index, plain(1), dims) && (is_low || add_rest(f, &end));
    f->any_sign = any_sign;
    limit.dim = dim_of(&limit.index);
    if (!fine || limit.dim < 0) return refuse(f, "a mask of no dimension of the tile");
    if (is_low) {
        f->from_zero[limit.dim] = true;
        return (value_is_int(uniform_of(end), &zero) && zero == 0) ||
               refuse(f, "a mask that does not begin at 0");
    }
    if (!end_of(f, end, is_unsigned, &limit.end)) return false;
    if (f->limits[limit.dim].dim >= 0) return refuse(f, "a mask of two ends of a dimension");
    if (is_unsigned || facts_nonnegative(f->facts, index)) f->from_zero[limit.dim] = true;
    f->limits[limit.dim] = limit;
    return true;
}

static bool add_mask(Finder *f, Value *value, Dims dims) {
    const Op *op = value->def;
    Dims before;
    uint64_t bits;
    if (value_is_constant(value, &bits) && bits) return true;
    if (!op) return refuse(f, "a mask that a loop carries");
    if (op->kind == OP_SPLAT) {
        bool is_constant = value_is_constant(op->operands[0], &bits);
        if (is_constant && bits) return true;
        f->any_sign |= is_constant;
        if (f->box->num_conditions == BOX_CONDITIONS) return refuse(f, "a mask of too many terms");
        f->box->conditions[f->box->num_conditions++] = op->operands[0];
        return true;
    }
    if (op->kind == OP_AND)
        return add_mask(f, op->operands[0], dims) && add_mask(f, op->operands[1], dims);
    if (moves(op)) return dims_before(f, op, dims, &before) && add_mask(f, op->operands[0], before);
    return op->kind == OP_ICMP ? add_limit(f, op, dims)
                               : refuse(f, "a mask that is no comparison with an end");
}

/* ---- dimensions ---- */

static bool is_aligned(const Finder *f, BoxNumber stride, int bytes) {
    int64_t by = stride.number % 16 * bytes;
    for (int i = 0; i < stride.num_params; i++)
        by = by * facts_axis(f->facts, stride.params[i])->divisibility[0] % 16;
    return stride.number > 0 && by % 16 == 0;
}

/* Its indices are not negative, or that is asked. */
static bool is_never_below(Finder *f, const Limit *limit) {
    for (int i = 0; i < limit->index.terms.count; i++) {
        const BoxTerm *term = &limit->index.terms.data[i];
        if (term->scale.num_params || term->scale.number < 0) return false;
        if (term->index && !ask(f, term->index)) return false;
    }
    return true;
}

/* What the mask compares is where the box begins. */
static bool take_limit(Finder *f, Form *address, BoxDim *dim) {
    const Limit *limit = &f->limits[dim->tile_dim];
    if (limit->dim < 0) return true;
    if (!f->from_zero[dim->tile_dim] && !is_never_below(f, limit))
        return refuse(f, "a mask that does not begin at 0");
    dim->size = limit->end;
    for (int i = 0; i < limit->index.terms.count; i++) {
        BoxTerm term = limit->index.terms.data[i], less = term;
        if (term.scale.num_params) return refuse(f, "a mask of a parameter");
        if (!add_term(f, &dim->at, term)) return false;
        if (!times(&less.scale, dim->stride)) return refuse(f, "an address that is too large");
        const BoxTerm *in = term_like(&address->terms, &less);
        if (!in || (less.index && in->scale.number != less.scale.number))
            return refuse(f, "a mask of another index than the address has");
        less.scale.number = -less.scale.number;
        if (!add_term(f, &address->terms, less)) return false;
    }
    return true;
}

/* The dimension of the longest stride that divides it; NULL: there is none but the first. */
static BoxDim *dim_for(const Finder *f, BoxNumber scale) {
    BoxDim *best = NULL;
    for (int d = 1; d < f->box->rank; d++) {
        BoxDim *dim = &f->box->dims[d];
        bool fits = !dim->size.number && has_same_params(dim->stride, scale) &&
                    dim->stride.number && scale.number % dim->stride.number == 0;
        if (fits && (!best || dim->stride.number > best->stride.number)) best = dim;
    }
    return best;
}

static bool place_term(Finder *f, BoxTerm term, int bytes) {
    enum { MOST = 1 << 24 }; /* what may be multiplied by an index */
    BoxDim *dim = dim_for(f, term.scale), *first = &f->box->dims[0];
    bool negative = term.scale.number < 0;
    if (negative) return refuse(f, "an offset that may be negative");
    if (term.index && type_bits(term.index->type) == 32 && !f->any_sign && !ask(f, term.index))
        return refuse(f, "an offset that may be negative");
    if (!dim && f->box->rank < BOX_DIMS && is_aligned(f, term.scale, bytes) &&
        (term.index || term.scale.num_params)) {
        dim = &f->box->dims[f->box->rank++];
        *dim = (BoxDim){.stride = term.scale, .tile_dim = -1};
    }
    if (!dim && !term.scale.num_params && !first->size.number) dim = first;
    if (!dim) return refuse(f, "strides that are no multiples of 16 bytes, or too many of them");
    term.scale = plain(term.scale.number / dim->stride.number);
    if (term.scale.number >= (term.index ? MOST : INT32_MAX))
        return refuse(f, "an address that is too large");
    return add_term(f, &dim->at, term);
}

/* The hardware wants the first coordinate in units of 16 bytes. */
static bool begins_aligned(const Finder *f, int bytes) {
    const BoxTerms *at = &f->box->dims[0].at;
    for (int i = 0; i < at->count; i++) {
        const BoxTerm *term = &at->data[i];
        int64_t scale = term->scale.number % 16 * bytes;
        int64_t by = term->index ? facts_axis(f->facts, term->index)->divisibility[0] % 16 : 1;
        if (term->modulo) by = 16 / bytes; /* tiles begin at multiples of their lengths */
        if (scale * by % 16 || scale * (term->least % 16) % 16) return false;
    }
    return true;
}

static bool find_dims(Finder *f, Form *address, const Type *tile) {
    Box *box = f->box;
    const Type *lane = type_lane(tile)->elem;
    int fast = -1, bytes = type_size_bytes(lane);
    for (int d = 0; d < 2; d++)
        if (is_one(address->stride[d])) fast = d;
    if (fast < 0) return refuse(f, "no dimension of single elements");
    if (!address->base) return refuse(f, "a pointer that is no parameter");
    if (facts_axis(f->facts, address->base)->divisibility[0] < 16)
        return refuse(f, "a pointer not known to be divisible by 16");
    box->base = address->base, box->rank = 2;
    box->dims[0] = (BoxDim){.stride = plain(1), .tile_dim = fast};
    box->dims[1] = (BoxDim){.stride = address->stride[1 - fast], .tile_dim = 1 - fast};
    if (!is_aligned(f, box->dims[1].stride, bytes))
        return refuse(f, "rows that do not begin at multiples of 16 bytes");
    for (int d = 0; d < 2; d++)
        if (!take_limit(f, address, &box->dims[d])) return false;
    for (int i = 0; i < address->terms.count; i++)
        if (!place_term(f, address->terms.data[i], bytes)) return false;
    return begins_aligned(f, bytes) || refuse(f, "a box that begins within 16 bytes");
}

static const char *find_so(const Facts *facts, const Op *access, Needs *needs, Box *box,
                           bool in_parts) {
    Finder f = {.needs = needs,
                .in_parts = in_parts,
                .facts = facts,
                .access = access,
                .box = box,
                .limits = {{.dim = -1}, {.dim = -1}}};
    Form address = {0};
    Dims dims = {{0, 1}};
    const Type *tile = access_pointer(access)->type;
    *box = (Box){0};
    if (tile->rank != 2) return "a tile of other than two dimensions";
    if (!value_is_zero(access_other(access))) return "other values than 0 where the mask is off";
    if (access_mask(access) && !add_mask(&f, access_mask(access), dims)) return f.why;
    f.form = &address;
    if (!add_tile(&f, access_pointer(access), plain(1), dims)) return f.why;
    return find_dims(&f, &address, tile) ? NULL : f.why;
}

/* What is known not to be negative may be an index, or a sum with products of parameters, along
 * which a mask has gone on, too. */
static const char *find_box(const Facts *facts, const Op *access, Needs *needs, Box *box) {
    NeedsMark before = needs_mark(needs);
    const char *why = find_so(facts, access, needs, box, false);
    if (!why) return NULL;
    needs_take_back(needs, before);
    if (!find_so(facts, access, needs, box, true)) return NULL;
    needs_take_back(needs, before);
    return why;
}

const char *box_find(const Facts *facts, const Op *access, Box *box) {
    return find_box(facts, access, NULL, box);
}

/* ---- coordinates ---- */

/* Where the index is made, and once: fills are many, and some in loops. */
static Value *build_remainder(const Builder *b, Value *index, Value *modulo) {
    Builder behind = *b;
    if (index->def && is_param(modulo)) {
        Op *next = index->def->next;
        if (next->kind == OP_REM_S && next->operands[0] == index && next->operands[1] == modulo)
            return op_result(next);
        behind.region = index->def->parent, behind.before = next;
    }
    return build_2(&behind, OP_REM_S, index, modulo);
}

static Value *build_at(Builder *b, const BoxTerms *terms) {
    const Type *i32 = type_scalar(TYPE_I32);
    Value *sum = NULL;
    int64_t number = 0;
    for (int i = 0; i < terms->count; i++) {
        const BoxTerm *term = &terms->data[i];
        int64_t scale = term->scale.number;
        number += term->index ? -scale * term->least : scale;
        if (!term->index) continue;
        Value *index = term->index;
        if (term->modulo) index = build_remainder(b, index, term->modulo);
        if (index->type != i32) index = build_cast(b, OP_TRUNC, index, i32);
        if (scale != 1) index = build_2(b, OP_MUL, index, build_int(b, i32, scale));
        sum = sum ? build_2(b, OP_ADD, sum, index) : index;
    }
    if (!sum) return build_int(b, i32, number);
    return number ? build_2(b, OP_ADD, sum, build_int(b, i32, number)) : sum;
}

static void build_coordinates(Builder *b, const Box *box, Value **at) {
    enum { OUTSIDE = -(1 << 30) };
    Value *all = NULL;
    for (int i = 0; i < box->num_conditions; i++)
        all = all ? build_2(b, OP_AND, all, box->conditions[i]) : box->conditions[i];
    for (int d = 0; d < box->rank; d++) {
        at[d] = build_at(b, &box->dims[d].at);
        if (all && d == 1)
            at[d] = build_select(b, all, at[d], build_int(b, type_scalar(TYPE_I32), OUTSIDE));
    }
}

const char *box_store(Func *fn, const Facts *facts, Op *store, Needs *needs, Box *box, Value **at) {
    const char *why = find_box(facts, store, needs, box);
    Builder b = {.fn = fn, .region = store->parent, .before = store, .span = store->span};
    if (!why) build_coordinates(&b, box, at);
    return why;
}

static void write_box(Func *fn, Op *fill, const Box *box, int number) {
    Builder b = {.fn = fn, .region = fill->parent, .before = fill, .span = fill->span};
    Value *operands[2 + BOX_DIMS] = {turn_ring(fill), turn_number(fill)};
    build_coordinates(&b, box, operands + 2);
    Op *op = build_op(&b, OP_FILL_BOX, 2 + box->rank, operands, 0, NULL, 0, NULL);
    fill_box_set_part(op, fill_part(fill)), fill_box_set_box(op, number);
    op_remove(fill);
}

/* ---- rings ---- */

typedef struct Fills {
    Arena *arena;
    const Value *ring;
    VEC(Op *) all;
} Fills;

static bool note_fill(Op *op, void *user) {
    Fills *fills = user;
    if (op->kind == OP_FILL && turn_ring(op) == fills->ring)
        vec_push(fills->arena, &fills->all, op);
    return true;
}

/* Its rows lie in the ring as they do in memory. */
static bool lies_so(const Op *fill, const Box *box) {
    const Type *part = turn_ring(fill)->type->parts[turn_part(fill)];
    enum { LEAST = 32 }; /* bytes of a row that are swizzled */
    int fast = box->dims[0].tile_dim;
    return part->rank == 2 && tile_panel_dim(part) == fast &&
           part->shape[fast] * type_size_bytes(part) >= LEAST;
}

bool box_ring(Arena *arena, Func *fn, const Facts *facts, const Value *ring, Boxes *boxes,
              Needs *needs, const char **why) {
    Fills fills = {.arena = arena, .ring = ring};
    NeedsMark before = needs_mark(needs);
    int first = boxes->count;
    region_walk(fn->body, note_fill, &fills);
    *why = NULL;
    for (int i = 0; i < fills.all.count && !*why; i++) {
        Box box;
        *why = find_box(facts, fills.all.data[i], needs, &box);
        if (!*why && !lies_so(fills.all.data[i], &box))
            *why = "rows that lie otherwise in the ring";
        vec_push(arena, boxes, box);
    }
    if (*why) boxes->count = first, needs_take_back(needs, before);
    for (int i = 0; i < fills.all.count && !*why; i++)
        write_box(fn, fills.all.data[i], &boxes->data[first + i], first + i);
    return !*why;
}
