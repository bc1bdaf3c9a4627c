// SPDX-License-Identifier: Apache-2.0
/* facts: contiguity, divisibility and constancy of integer and pointer values (opt.h says what they
 * claim), found in one forward walk; loops are repeated from the facts of their initial values
 * until nothing more is lost.
 *
 *     %o = arange 0..1024                        contiguity 1024, divisibility 2^30
 *     %b = splat (pid * 1024)                    constancy 1024, divisibility 1024
 *     %i = add %b, %o                            contiguity 1024, divisibility 1024
 *     %m = icmp slt %i, splat %n                 constancy 16 when n is divisible by 16
 *
 * The rules are Triton's AxisInfo made sound: where a run gets shorter, its first values are only
 * divisible by what the shorter run guarantees; signed division needs a value that is not negative.
 */
#include "opt/facts.h"

enum { LARGEST = 1 << 30, MOST_ROUNDS = 8 };

typedef struct Fact { /* along one dimension */
    int64_t c, d, k;  /* contiguity, divisibility, constancy */
    int64_t f;        /* falling; at least k */
} Fact;

static Fact fact_of(int64_t c, int64_t d, int64_t k) { return (Fact){c, d, k, k}; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t power_in(uint64_t number) {  /* the largest power of two that divides it, capped */
    uint64_t power = number & (0 - number); /* 2^63 is no int64_t */
    return power == 0 || power > LARGEST ? LARGEST : (int64_t)power;
}

static int64_t times(int64_t a, int64_t b) { return a > LARGEST / b ? LARGEST : a * b; }

static int rank_of(const Value *value) { return value->type->rank ? value->type->rank : 1; }

static AxisFacts *axis_of(const Facts *facts, const Value *value) {
    AxisFacts *axis = &facts->axis[value->id];
    if (axis->contiguity) return axis;
    int rank = rank_of(value);
    axis->contiguity = arena_array(facts->arena, int64_t, 4 * rank);
    axis->divisibility = axis->contiguity + rank;
    axis->constancy = axis->divisibility + rank;
    axis->falling = axis->constancy + rank;
    return axis;
}

static Fact get(const Facts *facts, const Value *value, int dim) {
    const AxisFacts *axis = axis_of(facts, value);
    return (Fact){axis->contiguity[dim], axis->divisibility[dim], axis->constancy[dim],
                  axis->falling[dim]};
}

static void set(Facts *facts, const Value *value, int dim, Fact fact) {
    AxisFacts *axis = axis_of(facts, value);
    int64_t size = value->type->rank ? value->type->shape[dim] : 1;
    axis->contiguity[dim] = least(fact.c, size);
    axis->divisibility[dim] = least(fact.d, LARGEST);
    axis->constancy[dim] = least(fact.k, size);
    axis->falling[dim] = least(most(fact.f, fact.k), size);
}

/* What the values at multiples of `run` are divisible by; unit: how far apart neighbours are. */
static int64_t divisible_at(Fact x, int64_t run, int64_t unit) {
    return run >= x.c ? x.d : least(x.d, times(run, unit));
}

/* What every lane is divisible by. */
static int64_t divisible_everywhere(const Facts *facts, const Value *value) {
    int64_t best = 1;
    for (int i = 0; i < rank_of(value); i++)
        if (get(facts, value, i).c == 1) best = most(best, get(facts, value, i).d);
    return best;
}

static int64_t unit_of(const Value *value) {
    return type_is_ptr(value->type) ? type_size_bytes(type_lane(value->type)->elem) : 1;
}

/* ---- elementwise ---- */

static Fact add(Fact a, Fact b, int64_t unit) {
    int64_t c = most(least(a.c, b.k), least(a.k, b.c));
    int64_t db = times(divisible_at(b, c, 1), unit); /* of addptr the offset counts elements */
    return fact_of(c, least(divisible_at(a, c, unit), db), least(a.k, b.k));
}

static Fact subtract(Fact a, Fact b) {
    int64_t c = least(a.c, b.k);
    return fact_of(c, least(divisible_at(a, c, 1), divisible_at(b, c, 1)), least(a.k, b.k));
}

/* x % n: a run of x that starts at a multiple of its length stays in one period of n. */
static Fact remainder_fact(Fact x, Fact n, bool is_safe) {
    int64_t run = is_safe && n.c == 1 ? least(least(x.c, x.d), least(n.d, n.k)) : 1;
    return fact_of(run, least(divisible_at(x, run, 1), divisible_at(n, 1, 1)), least(x.k, n.k));
}

/* x / n: likewise all of such a run has one quotient. */
static Fact quotient_fact(Fact x, Fact n, bool is_safe) {
    int64_t run = is_safe && n.c == 1 ? least(least(x.c, x.d), least(n.d, n.k)) : 1;
    return fact_of(1, 1, most(run, least(x.k, n.k)));
}

static Fact shift_right_fact(Fact x, int64_t by) { /* floors: right for negative numbers too */
    int64_t power = by < 30 ? (int64_t)1 << by : LARGEST;
    int64_t run = least(least(x.c, x.d), power);
    int64_t all = divisible_at(x, 1, 1);
    return fact_of(1, all > power ? all / power : 1, most(run, x.k));
}

/* x & mask. Low ones: as x % 2^j; low zeros: as (x / 2^j) * 2^j. */
static Fact and_constant_fact(Fact x, uint64_t mask) {
    int64_t zeros = power_in(mask), ones = power_in(~mask);
    if (zeros > 1) {
        int64_t run = least(least(x.c, x.d), zeros);
        bool is_clearing = (mask | (uint64_t)(zeros - 1)) == UINT64_MAX;
        return fact_of(1, most(zeros, divisible_at(x, 1, 1)), is_clearing ? most(run, x.k) : x.k);
    }
    bool is_low = (mask & (mask + 1)) == 0;
    int64_t run = is_low ? least(least(x.c, x.d), ones) : 1;
    return fact_of(run, least(divisible_at(x, run, 1), is_low ? LARGEST : 1), x.k);
}

static Fact compare_fact(const Op *op, Fact a, Fact b) {
    int64_t k = least(a.k, b.k), f = 0;
    switch (icmp_predicate(op)) {
    case ICMP_SLT:
    case ICMP_ULT:
    case ICMP_SGE:
    case ICMP_UGE: /* flips where a is b */
        k = most(k, least(least(a.c, a.d), least(b.k, divisible_at(b, 1, 1))));
        if (icmp_predicate(op) == ICMP_SLT || icmp_predicate(op) == ICMP_ULT)
            f = least(least(a.c, a.d), b.k);
        break;
    case ICMP_SGT:
    case ICMP_UGT:
    case ICMP_SLE:
    case ICMP_ULE: k = most(k, least(least(b.c, b.d), least(a.k, divisible_at(a, 1, 1)))); break;
    }
    return (Fact){1, 1, k, f};
}

static Fact constancy_only(const Facts *facts, const Op *op, int dim) {
    int64_t k = LARGEST;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i]->type->rank) k = least(k, get(facts, op->operands[i], dim).k);
    return fact_of(1, 1, k);
}

static Fact select_fact(const Facts *facts, const Op *op, int dim) {
    const Value *condition = select_condition(op);
    Fact a = get(facts, select_a(op), dim), b = get(facts, select_b(op), dim);
    int64_t k = condition->type->rank ? get(facts, condition, dim).k : LARGEST;
    int64_t unit = unit_of(select_a(op));
    int64_t c = least(k, least(a.c, b.c));
    return fact_of(c, least(divisible_at(a, c, unit), divisible_at(b, c, unit)),
                   least(k, least(a.k, b.k)));
}

static Fact cast_fact(const Op *op, Fact a) {
    if (op->kind == OP_EXT_U) {
        int64_t run = least(a.c, a.d); /* an aligned run does not cross zero */
        return fact_of(run, divisible_at(a, run, 1), a.k);
    }
    bool is_from_bool = type_is_bool(op->operands[0]->type);
    if (is_from_bool) return fact_of(1, divisible_at(a, 1, 1), a.k);
    return a;
}

static Fact bitcast_fact(const Op *op, Fact a) {
    const Type *from = type_lane(op->operands[0]->type), *to = type_lane(op->results[0].type);
    if (!type_is_ptr(from) || !type_is_ptr(to)) return fact_of(1, 1, a.k);
    if (type_size_bytes(from->elem) == type_size_bytes(to->elem)) return a;
    return fact_of(1, divisible_at(a, 1, type_size_bytes(from->elem)), a.k);
}

static Fact binary_fact(const Facts *facts, const Op *op, int dim) {
    Fact a = get(facts, op->operands[0], dim), b = get(facts, op->operands[1], dim);
    int64_t da = divisible_at(a, 1, 1), db = divisible_at(b, 1, 1), k = least(a.k, b.k), number;
    bool is_number = value_is_int(op->operands[1], &number);
    const bool *nonnegative = facts->nonnegative;
    bool is_safe = nonnegative[op->operands[0]->id]; /* the divisor's sign does not matter */
    uint64_t width = (uint64_t)type_bits(op->operands[0]->type);
    OpKind kind = op->kind;
    if (kind == OP_ADD) return add(a, b, 1);
    if (kind == OP_ADDPTR) return add(a, b, unit_of(addptr_pointer(op)));
    if (kind == OP_SUB) return subtract(a, b);
    if (kind == OP_MUL) return fact_of(1, times(da, db), k);
    if (kind == OP_REM_S) return remainder_fact(a, b, is_safe);
    if (kind == OP_REM_U) return remainder_fact(a, b, true);
    if (kind == OP_DIV_S || kind == OP_DIV_U) {
        Fact q = quotient_fact(a, b, is_safe || kind == OP_DIV_U);
        bool is_power = is_number && number > 0 && (number & (number - 1)) == 0;
        if (is_power && number <= da && da < LARGEST) q.d = da / number;
        return q;
    }
    if (kind == OP_AND && is_number) return and_constant_fact(a, (uint64_t)number);
    if (kind == OP_AND) return (Fact){1, most(da, db), k, least(a.f, b.f)};
    if (kind == OP_OR || kind == OP_XOR || kind == OP_MIN_S || kind == OP_MAX_S ||
        kind == OP_MIN_U || kind == OP_MAX_U)
        return fact_of(1, least(da, db), k);
    bool in_range = is_number && (uint64_t)number < width;
    if (kind == OP_SHL && !in_range) return fact_of(1, da, k);
    if (kind == OP_SHL) return fact_of(1, times(da, (int64_t)1 << (number < 30 ? number : 30)), k);
    if ((kind == OP_SHR_S || kind == OP_SHR_U) && in_range) return shift_right_fact(a, number);
    if (kind == OP_ICMP) return compare_fact(op, a, b);
    return fact_of(1, 1, k);
}

static void elementwise(Facts *facts, const Op *op) {
    const Value *result = &op->results[0];
    for (int i = 0; i < rank_of(result); i++) {
        Fact fact;
        if (!type_is_int(result->type) && !type_is_ptr(result->type))
            fact = constancy_only(facts, op, i);
        else if (op->kind == OP_SELECT)
            fact = select_fact(facts, op, i);
        else if (op->kind == OP_BITCAST)
            fact = bitcast_fact(op, get(facts, op->operands[0], i));
        else if (op->kind == OP_EXT_S || op->kind == OP_EXT_U || op->kind == OP_TRUNC)
            fact = cast_fact(op, get(facts, op->operands[0], i));
        else if (op->num_operands == 2)
            fact = binary_fact(facts, op, i);
        else
            fact = constancy_only(facts, op, i);
        set(facts, result, i, fact);
    }
}

static bool is_small_nonnegative(const Facts *facts, const Value *value) {
    int64_t number;
    if (value_is_int(value, &number)) return number >= 0 && number < 1 << 24;
    return facts->nonnegative[value->id];
}

/* How many of its first operands must not be negative, that the result is not; 0: nothing known. */
static const unsigned char as_operands[NUM_OP_KINDS] = {
    [OP_SPLAT] = 1,   [OP_BROADCAST] = 1, [OP_EXPAND_DIMS] = 1, [OP_RESHAPE] = 1, [OP_TRANS] = 1,
    [OP_CONVERT] = 1, [OP_HINT] = 1,      [OP_EXT_S] = 1,       [OP_SHR_S] = 1,   [OP_SHR_U] = 1,
    [OP_REM_S] = 1,   [OP_DIV_S] = 2,     [OP_MIN_S] = 2,       [OP_OR] = 2,      [OP_XOR] = 2,
};

static bool result_nonnegative(const Facts *facts, const Op *op) {
    int64_t number;
    if (op->num_results != 1 || !type_is_int(op->results[0].type)) return false;
    const bool *known = facts->nonnegative;
    OpKind kind = op->kind;
    if (kind == OP_CONSTANT) return value_is_int(&op->results[0], &number) && number >= 0;
    if (kind == OP_PROGRAM_ID || kind == OP_NUM_PROGRAMS || kind == OP_RANK || kind == OP_EXT_U)
        return true;
    if (kind == OP_ARANGE) return arange_start(op) >= 0;
    if (kind == OP_SELECT) return known[select_a(op)->id] && known[select_b(op)->id];
    if (kind == OP_ADD || kind == OP_MUL)
        return is_small_nonnegative(facts, op->operands[0]) &&
               is_small_nonnegative(facts, op->operands[1]);
    if (kind == OP_AND || kind == OP_MAX_S)
        return known[op->operands[0]->id] || known[op->operands[1]->id];
    for (int i = 0; i < as_operands[kind]; i++)
        if (!known[op->operands[i]->id]) return false;
    return as_operands[kind] > 0;
}

/* ---- shape ---- */

static bool is_uniform_tile(const Facts *facts, const Value *value) {
    for (int i = 0; i < value->type->rank; i++)
        if (axis_of(facts, value)->constancy[i] != value->type->shape[i]) return false;
    return true;
}

static void reshape(Facts *facts, const Op *op) {
    const Value *a = op->operands[0], *r = &op->results[0];
    int64_t all = divisible_everywhere(facts, a), unit = unit_of(a);
    bool is_uniform = is_uniform_tile(facts, a);
    for (int i = 0; i < rank_of(r); i++)
        set(facts, r, i, fact_of(1, all, is_uniform ? LARGEST : 1));
    if (!a->type->rank || !r->type->rank || is_uniform) return;
    /* The last dimension keeps its neighbours, in runs that fit in both shapes. */
    int last = a->type->rank - 1, size = r->type->shape[r->type->rank - 1];
    if (size > a->type->shape[last]) size = a->type->shape[last];
    Fact x = get(facts, a, last);
    int64_t c = least(x.c, size);
    set(facts, r, r->type->rank - 1, fact_of(c, divisible_at(x, c, unit), least(x.k, size)));
}

static void expand_dims(Facts *facts, const Op *op) {
    const Value *a = op->operands[0], *r = &op->results[0];
    for (int i = 0, from = 0; i < r->type->rank; i++) {
        if (i == expand_dims_axis(op))
            set(facts, r, i, fact_of(1, divisible_everywhere(facts, a), 1));
        else
            set(facts, r, i, get(facts, a, from++));
    }
}

static void broadcast(Facts *facts, const Op *op) {
    const Value *a = op->operands[0], *r = &op->results[0];
    for (int i = 0; i < r->type->rank; i++) {
        Fact x = get(facts, a, i);
        if (a->type->shape[i] == 1) x = fact_of(1, x.d, LARGEST);
        set(facts, r, i, x);
    }
}

static void hint(Facts *facts, const Op *op) {
    const Value *r = &op->results[0];
    for (int i = 0; i < rank_of(r); i++) {
        Fact x = get(facts, op->operands[0], i);
        int64_t promised = power_in((uint64_t)hint_values(op).data[i]), kind = hint_kind(op);
        if (kind == HINT_DIVISIBLE) x.d = most(x.d, promised);
        if (kind == HINT_CONTIGUOUS && r->type->rank) x.c = most(x.c, promised);
        if (kind == HINT_CONSTANT && r->type->rank) x.k = most(x.k, promised);
        set(facts, r, i, x);
    }
}

static void splat(Facts *facts, const Value *r, int64_t divisible) {
    for (int i = 0; i < rank_of(r); i++) set(facts, r, i, fact_of(1, divisible, LARGEST));
}

static void nothing_known(Facts *facts, const Value *value) {
    facts->range[value->id] = range_of_type(value->type);
    for (int i = 0; i < rank_of(value); i++) set(facts, value, i, fact_of(1, 1, 1));
}

/* ---- structure ---- */

static Fact join(Fact a, Fact b, int64_t unit) {
    int64_t c = least(a.c, b.c);
    return (Fact){c, least(divisible_at(a, c, unit), divisible_at(b, c, unit)), least(a.k, b.k),
                  least(a.f, b.f)};
}

/* Lowers the facts of `into` to what holds of `from` too; says whether they changed. */
static bool join_into(Facts *facts, Value *into, const Value *from) {
    bool changed = linear_join(facts, into, from);
    for (int i = 0; i < rank_of(into); i++) {
        Fact before = get(facts, into, i);
        set(facts, into, i, join(before, get(facts, from, i), unit_of(into)));
        Fact after = get(facts, into, i);
        changed |= before.c != after.c || before.d != after.d || before.k != after.k ||
                   before.f != after.f;
    }
    facts->range[into->id] = range_union(facts->range[into->id], facts->range[from->id]);
    if (facts->base[into->id] && facts->base[into->id] != facts->base[from->id]) {
        facts->base[into->id] = NULL;
        changed = true;
    }
    if (facts->nonnegative[into->id] && !facts->nonnegative[from->id])
        facts->nonnegative[into->id] = false, changed = true;
    return changed;
}

static bool is_given(const Facts *facts, const Value *value) {
    return facts->given && facts->given[value->id];
}

static void start_from(Facts *facts, Value *value, const Value *from) {
    for (int i = 0; i < rank_of(value); i++) set(facts, value, i, get(facts, from, i));
    facts->nonnegative[value->id] = facts->nonnegative[from->id];
    facts->base[value->id] = facts->base[from->id];
    facts->range[value->id] = facts->range[from->id];
    linear_set_opaque(facts, value, from);
}

/* A carried value: its range is known only if it does not change, so that no loop is walked more
 * often for ranges. */
static void start_carried(Facts *facts, Value *value, const Value *init, const Value *next) {
    start_from(facts, value, init);
    if (next != value) facts->range[value->id] = range_of_type(value->type);
}

static void start_from_nothing(Facts *facts, Value *value) {
    nothing_known(facts, value);
    facts->nonnegative[value->id] = is_given(facts, value);
    facts->base[value->id] = NULL;
    linear_set_opaque(facts, value, NULL);
}

static void walk(Facts *facts, const Region *region);

static void walk_for(Facts *facts, const Op *op) {
    Value *index = for_index(op);
    int64_t step;
    start_from_nothing(facts, index);
    set(facts, index, 0,
        fact_of(1, least(get(facts, for_lower(op), 0).d, get(facts, for_step(op), 0).d), 1));
    facts->nonnegative[index->id] = facts->nonnegative[for_lower(op)->id] &&
                                    value_is_int(for_step(op), &step) && step > 0 &&
                                    (!for_unsigned(op) || facts->nonnegative[for_upper(op)->id]);
    facts->range[index->id] = range_of_counter(facts, op);
    for (int i = 0; i < op->num_results; i++)
        start_carried(facts, for_arg(op, i), for_init(op, i), for_next(op, i));
    for (int round = 0;; round++) {
        bool is_last = round == MOST_ROUNDS || facts->budget < 0;
        if (is_last)
            for (int i = 0; i < op->num_results; i++) start_from_nothing(facts, for_arg(op, i));
        walk(facts, for_body(op));
        bool changed = false;
        for (int i = 0; i < op->num_results; i++)
            changed |= join_into(facts, for_arg(op, i), for_next(op, i));
        if (!changed || is_last) break;
    }
    for (int i = 0; i < op->num_results; i++) start_from(facts, &op->results[i], for_arg(op, i));
}

static void forward(Facts *facts, Value *value, const Value *from) {
    start_from(facts, value, from);
    facts->range[value->id] = range_of_type(value->type);
    linear_drop_factors(facts, value);
}

static void walk_while(Facts *facts, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        start_carried(facts, while_arg(op, i), while_init(op, i), while_next(op, i));
    for (int round = 0;; round++) {
        bool is_last = round == MOST_ROUNDS || facts->budget < 0;
        if (is_last)
            for (int i = 0; i < op->num_operands; i++) start_from_nothing(facts, while_arg(op, i));
        walk(facts, while_test(op));
        for (int i = 0; i < op->num_results; i++)
            forward(facts, while_given(op, i), while_passed(op, i));
        walk(facts, while_body(op));
        bool changed = false;
        for (int i = 0; i < op->num_operands; i++)
            changed |= join_into(facts, while_arg(op, i), while_next(op, i));
        if (!changed || is_last) break;
    }
    for (int i = 0; i < op->num_results; i++) forward(facts, &op->results[i], while_passed(op, i));
}

static void walk_if(Facts *facts, const Op *op) {
    walk(facts, op->regions[0]);
    walk(facts, op->regions[1]);
    for (int i = 0; i < op->num_results; i++) {
        const Value *then = region_yield(op->regions[0])->operands[i];
        const Value *other = region_yield(op->regions[1])->operands[i];
        start_from(facts, &op->results[i], then);
        join_into(facts, &op->results[i], other);
    }
}

/* assume x >= 0, where it is certain to be reached. */
static void believe(Facts *facts, const Op *op) {
    const Op *compare = op->operands[0]->def;
    int64_t number;
    if (op->parent != facts->fn->body || !compare || compare->kind != OP_ICMP) return;
    int64_t predicate = icmp_predicate(compare);
    if (!value_is_int(compare->operands[1], &number)) return;
    if ((predicate == ICMP_SGE && number >= 0) || (predicate == ICMP_SGT && number >= -1)) {
        Range *range = &facts->range[compare->operands[0]->id];
        facts->nonnegative[compare->operands[0]->id] = true;
        if (range->low < 0) range->low = 0;
    }
}

static void walk_op(Facts *facts, const Op *op) {
    facts->budget--;
    if (op->kind == OP_ASSUME) believe(facts, op);
    if (op->kind == OP_FOR) {
        walk_for(facts, op);
        return;
    }
    if (op->kind == OP_WHILE) {
        walk_while(facts, op);
        return;
    }
    if (op->kind == OP_IF) {
        walk_if(facts, op);
        return;
    }
    for (int i = 0; i < op->num_regions; i++) walk(facts, op->regions[i]);
    for (int i = 0; i < op->num_results; i++) nothing_known(facts, &op->results[i]);
    if (op->num_results == 1)
        facts->nonnegative[op->results[0].id] =
            result_nonnegative(facts, op) || is_given(facts, &op->results[0]);
    if (op->num_results && !op->num_regions)
        facts->range[op->results[0].id] = range_of_result(facts, op);
    Value *result = op->num_results ? op_result(op) : NULL;
    if (op->kind == OP_CONSTANT)
        splat(facts, result, type_is_float(result->type) ? 1 : power_in(constant_bits(op)));
    else if (op->kind == OP_ARANGE)
        set(facts, result, 0, fact_of(LARGEST, power_in((uint64_t)arange_start(op)), 1));
    else if (op->kind == OP_SPLAT)
        splat(facts, result, get(facts, op->operands[0], 0).d);
    else if (op->kind == OP_EXPAND_DIMS)
        expand_dims(facts, op);
    else if (op->kind == OP_BROADCAST)
        broadcast(facts, op);
    else if (op->kind == OP_RESHAPE)
        reshape(facts, op);
    else if (op->kind == OP_TRANS)
        for (int i = 0; i < result->type->rank; i++)
            set(facts, result, i, get(facts, op->operands[0], (int)trans_order(op).data[i]));
    else if (op->kind == OP_CONVERT)
        for (int i = 0; i < result->type->rank; i++)
            set(facts, result, i, get(facts, op->operands[0], i));
    else if (op->kind == OP_HINT)
        hint(facts, op);
    else if (op_has_trait(op, ELEMENTWISE))
        elementwise(facts, op);
    address_transfer(facts, op);
}

static void walk(Facts *facts, const Region *region) {
    bool is_isolated = region->owner && op_has_trait(region->owner, ISOLATED);
    for (int i = 0; is_isolated && i < region->num_args; i++)
        start_from_nothing(facts, region->args[i]);
    for (const Op *op = region->first; op; op = op->next) walk_op(facts, op);
}

static Facts *compute(Arena *arena, const Func *fn, bool linear, const bool *given) {
    Facts *facts = arena_new_of(arena, Facts);
    int64_t budget = 1000 + 32 * (int64_t)fn->num_values;
    *facts = (Facts){.arena = arena, .fn = fn, .given = given, .budget = budget};
    facts->axis = arena_array(arena, AxisFacts, fn->num_values);
    if (linear) facts->linear = arena_array(arena, const Linear *, fn->num_values);
    facts->base = arena_array(arena, const Value *, fn->num_values);
    facts->range = arena_array(arena, Range, fn->num_values);
    facts->nonnegative = arena_array(arena, bool, fn->num_values);
    for (int i = 0; i < fn->num_params; i++) {
        Value *value = fn->params[i].value;
        start_from_nothing(facts, value);
        set(facts, value, 0, fact_of(1, power_in((uint64_t)(unsigned)fn->params[i].divisible), 1));
        if (type_is_ptr(value->type)) facts->base[value->id] = value;
    }
    walk(facts, fn->body);
    return facts;
}

Facts *facts_compute(Arena *arena, const Func *fn) { return compute(arena, fn, false, NULL); }
Facts *facts_compute_linear(Arena *arena, const Func *fn) { return compute(arena, fn, true, NULL); }
Facts *facts_compute_given(Arena *arena, const Func *fn, const bool *nonnegative) {
    return compute(arena, fn, false, nonnegative);
}

const AxisFacts *facts_axis(const Facts *facts, const Value *value) {
    return axis_of(facts, value);
}

bool facts_nonnegative(const Facts *facts, const Value *value) {
    return facts->nonnegative[value->id];
}

int64_t facts_lanes_at_once(const Facts *facts, const Op *access, int dim) {
    const Value *pointer = access_pointer(access), *mask = access_mask(access);
    const AxisFacts *axis = facts_axis(facts, pointer);
    uint64_t bits;
    int bytes = type_size_bytes(type_lane(pointer->type)->elem);
    int64_t lanes = axis->contiguity[dim];
    if (access->kind != OP_STORE || !store_tests(access))
        lanes = least(lanes, axis->divisibility[dim] / bytes);
    if (mask && !value_is_constant(mask, &bits))
        lanes = least(lanes, access_ends(access) ? facts_axis(facts, mask)->falling[dim]
                                                 : facts_axis(facts, mask)->constancy[dim]);
    return most(1, least(lanes, 16 / bytes));
}
