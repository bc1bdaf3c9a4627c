// SPDX-License-Identifier: Apache-2.0
/* range: the least and the greatest number that an int may be, in any lane. Unlike axis facts
 * (opt.h) ranges assume nothing: what may wrap has the range of its type.
 *
 *     %r = arange 0..128                 0 .. 127
 *     %p = program_id                    0 .. 2^31 - 1
 *     %q = and %n, 7                     0 .. 7
 *     %s = add %p, %r                    may wrap: -2^31 .. 2^31 - 1
 */
#include "opt/facts.h"

static Range range_of(const Facts *facts, const Value *value) { return facts->range[value->id]; }

Range range_of_type(const Type *type) {
    if (type_is_bool(type)) return (Range){0, 1};
    if (!type_is_int(type)) return (Range){INT64_MIN, INT64_MAX};
    int64_t most = (int64_t)(UINT64_MAX >> (65 - type_bits(type)));
    return (Range){-most - 1, most};
}

bool range_is_within(Range inner, Range outer) {
    return inner.low >= outer.low && inner.high <= outer.high;
}

Range range_union(Range a, Range b) {
    return (Range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static Range settled(Reach reach, Range type) {
    bool fits = reach.low >= type.low && reach.high <= type.high;
    return fits ? (Range){(int64_t)reach.low, (int64_t)reach.high} : type;
}

Reach range_product(Range a, Range b) {
    Wide corner[4] = {(Wide)a.low * b.low, (Wide)a.low * b.high, (Wide)a.high * b.low,
                      (Wide)a.high * b.high};
    Reach r = {corner[0], corner[0]};
    for (int i = 1; i < 4; i++) {
        r.low = corner[i] < r.low ? corner[i] : r.low;
        r.high = corner[i] > r.high ? corner[i] : r.high;
    }
    return r;
}

static Range quotient(Range a, Range b, Range type) {
    if (a.low < 0 || b.low < 0) return type;
    return b.low > 0 ? (Range){a.low / b.high, a.high / b.low} : (Range){0, a.high}; /* by 0: 0 */
}

/* By a number of any sign: as the dividend's, and no more than it. */
static Range remainder_range(Range a, Range b, Range type) {
    if (a.low < 0) return type;
    if (b.low < 0) return (Range){0, a.high};
    int64_t most = b.high > 0 ? b.high - 1 : 0;
    return (Range){0, a.high < most ? a.high : most};
}

static Range bits_below(Range a, Range b, Range type) { /* a | b, a ^ b */
    if (a.low < 0 || b.low < 0) return type;
    uint64_t most = (uint64_t)(a.high > b.high ? a.high : b.high);
    return (Range){0, most ? (int64_t)(UINT64_MAX >> __builtin_clzll(most)) : 0};
}

static Range shifted(const Op *op, Range a, Range type) {
    int64_t by;
    if (!value_is_int(op->operands[1], &by) || by < 0 || by >= type_bits(op->results[0].type))
        return type;
    if (op->kind == OP_SHL)
        return settled((Reach){(Wide)a.low * ((Wide)1 << by), (Wide)a.high * ((Wide)1 << by)},
                       type);
    if (op->kind == OP_SHR_U && a.low < 0) return type;
    return (Range){a.low >> by, a.high >> by};
}

static Range smaller(Range a, Range b) {
    return (Range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static Range larger(Range a, Range b) {
    return (Range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static Range widened(const Op *op, Range a) {
    const Type *from = op->operands[0]->type;
    if (type_is_bool(from)) return op->kind == OP_EXT_U ? a : (Range){-a.high, -a.low};
    if (op->kind == OP_EXT_S || a.low >= 0) return a;
    return (Range){0, (int64_t)(UINT64_MAX >> (64 - type_bits(from)))};
}

static Range two_operands(const Op *op, Range a, Range b, Range type) {
    bool nonnegative = a.low >= 0 && b.low >= 0;
    OpKind kind = op->kind;
    if (kind == OP_ADD) return settled((Reach){(Wide)a.low + b.low, (Wide)a.high + b.high}, type);
    if (kind == OP_SUB) return settled((Reach){(Wide)a.low - b.high, (Wide)a.high - b.low}, type);
    if (kind == OP_MUL) return settled(range_product(a, b), type);
    if (kind == OP_DIV_S || kind == OP_DIV_U) return quotient(a, b, type);
    if (kind == OP_REM_S || kind == OP_REM_U) return remainder_range(a, b, type);
    if (kind == OP_SHL || kind == OP_SHR_S || kind == OP_SHR_U) return shifted(op, a, type);
    if (kind == OP_MIN_S || (kind == OP_MIN_U && nonnegative)) return smaller(a, b);
    if (kind == OP_MAX_S || (kind == OP_MAX_U && nonnegative)) return larger(a, b);
    if (kind == OP_OR || kind == OP_XOR) return bits_below(a, b, type);
    if (kind != OP_AND || (a.low < 0 && b.low < 0)) return type;
    int64_t most = a.low < 0 ? b.high : b.low < 0 || a.high < b.high ? a.high : b.high;
    return (Range){0, most};
}

/* The first result of an op that is not if, for or while. */
Range range_of_result(const Facts *facts, const Op *op) {
    const Type *to = op->results[0].type;
    Range type = range_of_type(to);
    int64_t number;
    if (!type_is_int(to)) return type;
    if (value_is_int(&op->results[0], &number)) return (Range){number, number};
    if (op->kind == OP_ARANGE) return (Range){arange_start(op), arange_start(op) + to->lanes - 1};
    if (op->kind == OP_RANK) return (Range){0, rank_blocks(op) - 1};
    if (op->kind == OP_PROGRAM_ID || op->kind == OP_NUM_PROGRAMS) return (Range){0, type.high};
    if (op->num_operands == 0 || !type_is_int(op->operands[0]->type)) return type;
    Range a = range_of(facts, op->operands[0]);
    if (op_moves_lanes(op->kind)) return a;
    if (op->kind == OP_EXT_S || op->kind == OP_EXT_U) return widened(op, a);
    if (op->kind == OP_TRUNC) return range_is_within(a, type) ? a : type;
    if (op->kind == OP_SELECT)
        return range_union(range_of(facts, select_a(op)), range_of(facts, select_b(op)));
    if (op->num_operands != 2 || op->operands[0]->type != to) return type;
    return two_operands(op, a, range_of(facts, op->operands[1]), type);
}

/* Of a for's counter: it is between the first bound and the last that still runs, which is whole
 * steps behind the first. */
Range range_of_counter(const Facts *facts, const Op *loop) {
    Range type = range_of_type(for_lower(loop)->type), first = range_of(facts, for_lower(loop)),
          end = range_of(facts, for_upper(loop));
    Range step = range_of(facts, for_step(loop));
    if (for_unsigned(loop) || (step.low <= 0 && step.high >= 0)) return type;
    Range r = step.low > 0 ? (Range){first.low, end.high > first.low ? end.high - 1 : first.low}
                           : (Range){end.low < first.high ? end.low + 1 : first.high, first.high};
    if (first.low != first.high || step.low != step.high) return r;
    Wide way = (Wide)(step.low > 0 ? r.high : r.low) - first.low;
    int64_t last = (int64_t)(first.low + way / step.low * step.low);
    return step.low > 0 ? (Range){first.low, last} : (Range){last, first.low};
}

/* Each index before the end is at most one from it, and moves by one step. */
bool facts_index_may_wrap(const Facts *facts, const Op *loop) {
    Range end = range_of(facts, for_upper(loop)), step = range_of(facts, for_step(loop)),
          type = range_of_type(for_lower(loop)->type);
    if (step.low == 1 && step.high == 1) return false;
    if (for_unsigned(loop)) return end.low < 0 || step.low < 0; /* else half of the type is left */
    return (Wide)end.high + step.high - 1 > type.high || (Wide)end.low + step.low + 1 < type.low;
}

bool facts_range(const Facts *facts, const Value *value, int64_t *low, int64_t *high) {
    Range range = range_of(facts, value), type = range_of_type(value->type);
    *low = range.low, *high = range.high;
    return type_is_int(value->type) && (range.low != type.low || range.high != type.high);
}
