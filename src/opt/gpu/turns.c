// SPDX-License-Identifier: Apache-2.0
/* turns: does each turn of a loop access other elements than the ones before?
 *
 *     for %k = 0, %n, 128 (%o = 0)             where a turn reaches no farther than its step: 128
 *       %p = addptr %x, %o + arange 0 .. 128
 *       .. yield %o + 128
 *
 *     for %k = 0, %n, 128 (%o = 0, %c = 0)     rows, of whose columns the mask leaves those below
 *       %p = addptr %x, %row * %n + %o + j     %n: lanes of two turns are less than %n columns from
 *       .. icmp slt (add %c, j), %n            each other, and not 0: no number of rows is that far
 *       .. yield %o + 128, %c + 128
 *
 * The second holds of columns that are not negative, and that neither they nor 32 bits of an
 * address wrap around is asked of launches, of %n. */
#include "opt/gpu/turns.h"

/* ---- what counts ---- */

/* value = start + each * (index - lower), modulo 2^bits of its type. */
typedef struct Count {
    int64_t each;
    int64_t start;
    bool is_known; /* its start; else it is some number, of all turns */
} Count;

/* What a turn adds to what the loop carries: a number. */
static bool carried_step(const Op *loop, int k, int64_t *number) {
    const Op *next = for_next(loop, k)->def;
    if (!next || next->kind != OP_ADD || type_is_tile(for_arg(loop, k)->type)) return false;
    for (int i = 0; i < 2; i++)
        if (next->operands[i] == for_arg(loop, k)) return value_is_int(next->operands[!i], number);
    return false;
}

/* step: the loop's, a number above 0. False: not known. */
static bool count_of(const Value *value, const Op *loop, int64_t step, Count *count) {
    *count = (Count){0};
    if (!value_is_inside(value, for_body(loop))) return true;
    if (value == for_index(loop)) {
        count->each = 1, count->is_known = value_is_int(for_lower(loop), &count->start);
        return true;
    }
    for (int i = 0; i < for_count(loop); i++) {
        int64_t number;
        if (value != for_arg(loop, i)) continue;
        if (!carried_step(loop, i, &number) || number % step) return false;
        if (type_bits(value->type) < type_bits(for_index(loop)->type)) return false;
        count->each = number / step;
        count->is_known = value_is_int(for_init(loop, i), &count->start);
        return count->each >= -INT32_MAX && count->each <= INT32_MAX;
    }
    return false;
}

static bool has_step(const Op *loop, int64_t *step) {
    return loop->kind == OP_FOR && value_is_int(for_step(loop), step) && *step > 0 &&
           *step <= INT32_MAX;
}

/* ---- by the loop's step ---- */

/* What the loop's index is multiplied by in a scalar of its body: false where not known. Sums of 32
 * bits may wrap around, and so only 1 and -1 are told; addresses of 64 bits do not. */
static bool index_in(const Value *value, const Op *loop, int64_t *multiplier) {
    *multiplier = value == for_index(loop);
    if (*multiplier || !value_is_inside(value, for_body(loop))) return true;
    const Op *op = value->def;
    int64_t left, right, most = value->type->kind == TYPE_I64 ? INT32_MAX : 1;
    uint64_t bits;
    if (!op) {
        int64_t step;
        Count count;
        if (!has_step(loop, &step) || !count_of(value, loop, step, &count)) return false;
        *multiplier = count.each;
    } else if (op->kind == OP_MUL && value_is_constant(op->operands[1], &bits)) {
        if (bits > INT32_MAX || !index_in(op->operands[0], loop, &left)) return false;
        *multiplier = left * (int64_t)bits;
    } else {
        if (op->kind != OP_ADD && op->kind != OP_SUB) return false;
        if (!index_in(op->operands[0], loop, &left) || !index_in(op->operands[1], loop, &right))
            return false;
        *multiplier = op->kind == OP_ADD ? left + right : left - right;
    }
    return *multiplier >= -most && *multiplier <= most;
}

/* How far the lanes of a turn reach, and the loop's index multiplied: false where not known. */
static bool turn_reaches(const Linear *form, const Type *tile, const Op *loop, int64_t *reach,
                         int64_t *multiplier) {
    *reach = *multiplier = 0;
    for (int i = 0; i < tile->rank; i++) {
        LinearStride stride = linear_stride(form, i);
        if (stride.factor || stride.multiplier > INT32_MAX || stride.multiplier < -INT32_MAX)
            return false;
        *reach +=
            (stride.multiplier < 0 ? -stride.multiplier : stride.multiplier) * (tile->shape[i] - 1);
    }
    for (int i = 0; i < form->num_terms; i++) {
        const LinearTerm *term = &form->terms[i];
        int64_t each;
        if (term->factor && value_is_inside(term->factor, for_body(loop))) return false;
        if (!index_in(term->value, loop, &each) || (each && term->factor)) return false;
        if (term->multiplier > INT32_MAX || term->multiplier < -INT32_MAX) return false;
        *multiplier += each * term->multiplier;
    }
    const Value *base = form->base;
    for (; base && value_is_inside(base, for_body(loop)); base = base->def->operands[0]) {
        int64_t each;
        if (!base->def || base->def->kind != OP_ADDPTR || type_is_tile(base->type)) return false;
        if (!index_in(base->def->operands[1], loop, &each)) return false;
        *multiplier += each;
    }
    return true;
}

/* Where the offsets may wrap around, at 2^32, the turns are apart there, too: an index comes by a
 * number once. */
static bool apart_by_step(const Linear *form, const Type *tile, const Op *loop) {
    int64_t reach, multiplier, part_reach, part_multiplier;
    uint64_t bits;
    if (!turn_reaches(form, tile, loop, &reach, &multiplier)) return false;
    for (int i = 0; i < form->num_parts; i++) {
        const Linear *part = form->parts[i].form;
        if (!turn_reaches(part, tile, loop, &part_reach, &part_multiplier)) return false;
        if (part_reach != reach || part_multiplier != multiplier) return false;
        if (multiplier != 1 && multiplier != -1) return false;
    }
    bool known = value_is_constant(for_step(loop), &bits) && bits <= INT32_MAX;
    if (multiplier < 0) multiplier = -multiplier;
    return multiplier <= INT32_MAX && multiplier * (known ? (int64_t)bits : 1) > reach;
}

/* ---- by rows' ends ---- */

enum { MOST_LANES = 1 << 20 }; /* of a step, of rows: products stay small */

typedef struct Rows {
    const Facts *facts;
    Needs *needs;
    const Type *tile;
    const Op *loop;
    int64_t step;
    int dim;                  /* along which the rows are; .. */
    int64_t multiplier;       /* .. they are so many .. */
    const Value *columns;     /* .. of these apart, an i32 */
    int64_t stride[MAX_RANK]; /* of the others */
    int64_t each, reach;      /* of the loop's index; of a turn's columns */
    bool is_narrow;           /* addresses are computed modulo 2^32 */
} Rows;

static const Value *unextended(const Value *value) {
    while (value->def && value->def->kind == OP_EXT_S) value = value->def->operands[0];
    return value;
}

static bool is_small(int64_t number) { return number >= -MOST_LANES && number <= MOST_LANES; }

static bool find_strides(Rows *r, const Linear *form) {
    r->dim = -1;
    for (int i = 0; i < r->tile->rank; i++) {
        LinearStride stride = linear_stride(form, i);
        if (r->tile->shape[i] == 1 || !stride.multiplier) continue;
        if (!is_small(stride.multiplier) || r->tile->shape[i] > MOST_LANES) return false;
        if (!stride.factor) {
            if (stride.multiplier < 0) return false;
            r->stride[i] = stride.multiplier;
            r->reach += stride.multiplier * (r->tile->shape[i] - 1);
            continue;
        }
        if (r->dim >= 0 || value_is_inside(stride.factor, for_body(r->loop))) return false;
        r->dim = i, r->columns = unextended(stride.factor);
        r->multiplier = stride.multiplier < 0 ? -stride.multiplier : stride.multiplier;
    }
    return r->dim >= 0 && r->columns->type->kind == TYPE_I32 && r->reach <= MOST_LANES &&
           r->multiplier * r->tile->shape[r->dim] <= MOST_LANES;
}

/* The index itself does not wrap around; what counts as it does, at its own bits. */
static bool is_exact(const Rows *r, const Value *value, int bits) {
    return value == for_index(r->loop) || type_bits(value->type) >= bits;
}

/* What the terms add from turn to turn. */
static bool find_each(Rows *r, const Linear *form) {
    for (int i = 0; i < form->num_terms; i++) {
        const LinearTerm *term = &form->terms[i];
        Count count;
        if (term->factor && value_is_inside(term->factor, for_body(r->loop))) return false;
        if (!count_of(term->value, r->loop, r->step, &count)) return false;
        if (!count.each) continue;
        if (term->factor || !is_small(term->multiplier)) return false;
        if (!is_exact(r, term->value, r->is_narrow ? 32 : 64)) return false;
        r->each += count.each * term->multiplier;
    }
    return r->each <= MOST_LANES && r->each * r->step > r->reach;
}

/* The part and what is added to it: that is of all turns and lanes. */
static bool is_all_in_part(const Rows *r, const Linear *form, const Linear *part) {
    for (int i = 0; i < r->tile->rank; i++) {
        LinearStride x = linear_stride(form, i), y = linear_stride(part, i);
        if (x.multiplier != y.multiplier || x.factor != y.factor) return false;
    }
    for (int i = 0; i < form->num_terms; i++) {
        const LinearTerm *term = &form->terms[i];
        bool found = !value_is_inside(term->value, for_body(r->loop)) &&
                     !(term->factor && value_is_inside(term->factor, for_body(r->loop)));
        for (int k = 0; k < part->num_terms; k++)
            found |= term->value == part->terms[k].value && term->factor == part->terms[k].factor &&
                     term->multiplier == part->terms[k].multiplier;
        if (!found) return false;
    }
    for (int k = 0; k < part->num_terms; k++) {
        bool found = !value_is_inside(part->terms[k].value, for_body(r->loop));
        for (int i = 0; i < form->num_terms; i++)
            found |= form->terms[i].value == part->terms[k].value;
        if (!found) return false;
    }
    return !part->base && !part->num_parts;
}

/* It is the number of columns, in all lanes. */
static bool is_columns(const Rows *r, const Value *value) {
    const Linear *form = facts_linear(r->facts, value);
    if (!form || form->base || form->constant || form->num_terms != 1 || form->num_parts)
        return false;
    for (int i = 0; i < form->num_strides; i++)
        if (form->stride[i].multiplier) return false;
    const LinearTerm *term = &form->terms[0];
    return term->multiplier == 1 && !term->factor && unextended(term->value) == r->columns;
}

/* No less than 0, no more than a signed number holds: with `upper` so small. */
static bool ask_columns(const Rows *r, int64_t start) {
    int64_t lower, upper, most = (INT32_MAX - start - r->reach) / r->each, rows = 1;
    Value *end = for_upper(r->loop);
    if (!value_is_int(for_lower(r->loop), &lower) || lower < 0) return false;
    NeedsMark mark = needs_mark(r->needs);
    bool fits =
        value_is_int(end, &upper) ? upper <= most : r->needs && needs_add_most(r->needs, end, most);
    if (fits && r->is_narrow) {
        rows = r->multiplier * r->tile->shape[r->dim];
        fits = r->needs && needs_add_most(r->needs, r->columns, ((int64_t)1 << 32) / rows);
    }
    if (!fits) needs_take_back(r->needs, mark);
    return fits;
}

/* Is it columns, counted as the addresses are? map: the tile's dimensions, by its own. */
static bool counts_columns(const Rows *r, const Value *value, const int *map) {
    const Linear *form = facts_linear(r->facts, value);
    int64_t stride[MAX_RANK] = {0}, each = 0;
    if (!form || form->base || form->num_parts || type_bits(value->type) < 32) return false;
    for (int i = 0; i < value->type->rank; i++) {
        LinearStride own = linear_stride(form, i);
        if (value->type->shape[i] == 1) continue;
        if (own.factor) return false;
        stride[map[i]] = own.multiplier;
    }
    for (int i = 0; i < r->tile->rank; i++)
        if (stride[i] != r->stride[i]) return false;
    int64_t start = form->constant;
    if (!is_small(start)) return false;
    for (int i = 0; i < form->num_terms; i++) {
        const LinearTerm *term = &form->terms[i];
        Count count;
        if (term->factor || !count_of(term->value, r->loop, r->step, &count)) return false;
        if (!count.is_known || !is_exact(r, term->value, 32)) return false;
        if (!is_small(count.start) || !is_small(term->multiplier)) return false;
        each += count.each * term->multiplier, start += count.start * term->multiplier;
    }
    return each == r->each && start >= 0 && start < INT32_MAX / 2 && ask_columns(r, start);
}

/* Is it off in lanes outside of a row? */
static bool ends_rows(const Rows *r, const Value *mask, const int *map, int depth) {
    enum { DEEPEST = 12 };
    const Op *op = mask ? mask->def : NULL;
    int inner[MAX_RANK];
    if (!op || depth == DEEPEST) return false;
    if (op->kind == OP_AND)
        return ends_rows(r, op->operands[0], map, depth + 1) ||
               ends_rows(r, op->operands[1], map, depth + 1);
    if (op->kind == OP_BROADCAST || op->kind == OP_CONVERT)
        return ends_rows(r, op->operands[0], map, depth + 1);
    if (op->kind == OP_EXPAND_DIMS) {
        for (int i = 0; i < op->operands[0]->type->rank; i++)
            inner[i] = map[i < expand_dims_axis(op) ? i : i + 1];
        return ends_rows(r, op->operands[0], inner, depth + 1);
    }
    if (op->kind != OP_ICMP) return false;
    bool below = icmp_predicate(op) == ICMP_SLT, above = icmp_predicate(op) == ICMP_SGT;
    return (below || above) && is_columns(r, op->operands[below]) &&
           counts_columns(r, op->operands[!below], map);
}

/* Lanes of two turns, r and s rows from the first, where columns x and y are told by the masks, are
 * (r - s) * multiplier * columns + x - y elements apart. 0 <= x, y < columns, and x is not y. */
static bool apart_by_rows(Rows *r, const Linear *form, const Value *mask, const Value *other) {
    int map[MAX_RANK];
    if (form->base && value_is_inside(form->base, for_body(r->loop))) return false;
    if (form->num_parts > 1 || !has_step(r->loop, &r->step) || r->step > MOST_LANES) return false;
    if (form->num_parts) {
        const Linear *part = form->parts[0].form;
        if (type_bits(form->parts[0].type) != 32 || !is_all_in_part(r, form, part)) return false;
        form = part, r->is_narrow = true;
    }
    if (!find_strides(r, form) || !find_each(r, form)) return false;
    for (int i = 0; i < MAX_RANK; i++) map[i] = i;
    return ends_rows(r, mask, map, 0) && ends_rows(r, other, map, 0);
}

bool turns_are_apart(const Facts *facts, Needs *needs, const Value *pointer, const Op *loop,
                     const Value *mask, const Value *other) {
    const Linear *form = loop->kind == OP_FOR ? facts_linear(facts, pointer) : NULL;
    Rows rows = {.facts = facts, .needs = needs, .tile = pointer->type, .loop = loop};
    if (!form) return false;
    return apart_by_step(form, pointer->type, loop) || apart_by_rows(&rows, form, mask, other);
}
