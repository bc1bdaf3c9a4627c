// SPDX-License-Identifier: Apache-2.0
/* views: do two accesses of one program, by pointers of two parameters, meet? A launch knows.
 *
 *     load (addptr %x, %row * %sx + i)      bytes from the first to the second:
 *     store (addptr %y, %row * %sy + i)     (y - x) + 4 * row * (sy - sx) + 4 * i1 - 4 * i0
 *
 * The distance is a sum of products (terms) of what varies: parameters, numbers of programs and
 * loops, lanes of either side. What both have of a program is the same in both and cancels; lanes
 * do not. With the numbers of a launch each term is a multiple: of what a lane, or an index, is.
 * The accesses meet if the sum can be 0, or so near that they share bytes. That is looked for by
 * taking the greatest multiple first: rows that lie between each other (q, k and v of one tensor)
 * are apart, though each reaches over the others. Where a mask says that an index is less than an
 * end, the index counts as one number. What varies together otherwise counts as if it did not, and
 * what nobody knows (a loaded index) is everywhere: then they may meet, and the text that keeps
 * their order is right, too.
 *
 * Sums of 32 bits are taken not to wrap around, as axis facts take them. */
#include "opt/facts.h"

enum {
    MOST_LEAVES = 4,
    MOST_TERMS = 24,
    MOST_BUDGET = 200,
    MOST_VARS = 64,
    MOST_STEPS = 1000,
    MOST_COMPUTED = 40
};

typedef enum VarKind {
    VAR_VALUE,
    VAR_TURNS,
    VAR_ALL_TURNS,
    VAR_LANE,
    VAR_LANES, /* of a tile, any of them */
    VAR_MASKED
} VarKind;

typedef struct Sum Sum;
typedef struct Var {
    int number; /* orders them */
    VarKind kind;
    const Value *value;
    const Op *op;           /* the loop, or the arange */
    int side, dim;          /* of lanes */
    const Sum *index, *end; /* masked: what is less than that */
    bool is_computed;       /* lanes: of aranges, counters and what a launch gives */
    Range range;            /* of a launch */
} Var;

typedef struct Term {
    int64_t by;
    int num_vars;
    Var *vars[MOST_LEAVES]; /* by number */
} Term;

struct Sum {
    int64_t constant;
    int count;
    Term terms[MOST_TERMS];
};

struct Pair {
    Sum sum; /* bytes from a's parameter to a, less those from b's to b */
    int64_t bytes_a, bytes_b;
    VEC(Var *) vars;
    bool is_known;
    bool near_only; /* where numbers of programs do not cancel, parameters are apart */
};

typedef struct Build {
    Arena *arena;
    Pair *pair;
    const Op *loop; /* the accesses are of any two of its turns; NULL: of one */
    int side, budget;
} Build;

/* ---- sums ---- */

static bool same_vars(const Term *a, const Term *b) {
    if (a->num_vars != b->num_vars) return false;
    for (int i = 0; i < a->num_vars; i++)
        if (a->vars[i] != b->vars[i]) return false;
    return true;
}

static bool sum_add(Sum *to, const Term *term) {
    if (!term->num_vars) return !__builtin_add_overflow(to->constant, term->by, &to->constant);
    for (int i = 0; i < to->count; i++) {
        Term *old = &to->terms[i];
        if (!same_vars(old, term)) continue;
        if (__builtin_add_overflow(old->by, term->by, &old->by)) return false;
        if (!old->by) *old = to->terms[--to->count];
        return true;
    }
    if (to->count == MOST_TERMS) return false;
    if (term->by) to->terms[to->count++] = *term;
    return true;
}

static Term constant_term(int64_t number) { return (Term){.by = number}; }

static bool term_product(Term *to, const Term *a, const Term *b) {
    *to = *a;
    if (a->num_vars + b->num_vars > MOST_LEAVES) return false;
    if (__builtin_mul_overflow(a->by, b->by, &to->by)) return false;
    for (int i = 0; i < b->num_vars; i++) {
        int at = to->num_vars++;
        for (; at && to->vars[at - 1]->number > b->vars[i]->number; at--)
            to->vars[at] = to->vars[at - 1];
        to->vars[at] = b->vars[i];
    }
    return true;
}

/* to += a * b */
static bool sum_add_product(Sum *to, const Sum *a, const Sum *b) {
    Term x = constant_term(a->constant), y = constant_term(b->constant), xy;
    for (int i = -1; i < a->count; i++)
        for (int k = -1; k < b->count; k++)
            if (!term_product(&xy, i < 0 ? &x : &a->terms[i], k < 0 ? &y : &b->terms[k]) ||
                !sum_add(to, &xy))
                return false;
    return true;
}

/* ---- what a pointer is made of ---- */

static Var *var_of(Build *b, Var like) {
    Pair *pair = b->pair;
    for (int i = 0; i < pair->vars.count && like.kind < VAR_LANES; i++) {
        Var *old = pair->vars.data[i];
        if (old->kind == like.kind && old->value == like.value && old->op == like.op &&
            old->side == like.side && old->dim == like.dim)
            return old;
    }
    if (pair->vars.count == MOST_VARS) return NULL;
    Var *var = arena_new_of(b->arena, Var);
    *var = like, var->number = pair->vars.count;
    vec_push(b->arena, &pair->vars, var);
    return var;
}

/* Another in the other access. */
static bool is_of_side(const Build *b, const Var *var) {
    const Value *value = var->op ? for_index(var->op) : var->value;
    for (int i = 0; b->loop && i < b->loop->num_regions; i++)
        if (value_is_inside(value, b->loop->regions[i])) return true;
    return false;
}

static bool add_var(Build *b, Sum *to, int64_t by, Var like) {
    if (like.kind != VAR_LANE && is_of_side(b, &like)) like.side = b->side + 1;
    Var *var = var_of(b, like);
    return var && sum_add(to, &(Term){.by = by, .num_vars = 1, .vars = {var}});
}

/* Dimension i of the value is dim[i] of the pointer. */
typedef struct Dims {
    int dim[MAX_RANK];
} Dims;

static bool add_value(Build *b, Sum *to, const Value *value, int64_t by, const Dims *dims);

/* What a turn adds to `arg`, which `next` is in the turn behind it. */
static bool add_step(Build *b, Sum *to, const Value *next, const Value *arg, const Region *body,
                     const Dims *dims) {
    const Op *op = next->def;
    if (next == arg) return true;
    if (!op || b->budget-- <= 0) return false;
    if (op->kind == OP_HINT) return add_step(b, to, op->operands[0], arg, body, dims);
    if (op->kind != OP_ADD && op->kind != OP_SUB && op->kind != OP_ADDPTR) return false;
    int64_t by = op->kind == OP_SUB ? -1 : 1;
    if (op->kind == OP_ADDPTR) by = type_size_bytes(type_lane(op->operands[0]->type)->elem);
    Sum before = *to;
    const Value *moved = op->operands[1];
    if (!add_step(b, to, op->operands[0], arg, body, dims)) {
        *to = before, moved = op->operands[0];
        if (op->kind != OP_ADD || !add_step(b, to, op->operands[1], arg, body, dims)) return false;
    }
    if (!add_value(b, to, moved, by, dims)) return false;
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < to->terms[i].num_vars; k++) {
            const Var *var = to->terms[i].vars[k];
            if (var->op || (var->value && value_is_inside(var->value, body))) return false;
        }
    return true;
}

/* The k-th that a loop carries: what it is at first, and as much as each turn adds. */
static bool add_carried(Build *b, Sum *to, const Op *loop, int k, bool is_result, int64_t by,
                        const Dims *dims) {
    const Region *body = for_body(loop);
    const Value *arg = body->args[k + 1];
    Sum step = {0}, turns = {0};
    if (!add_value(b, to, for_init(loop, k), by, dims)) return false;
    if (!add_step(b, &step, region_yield(body)->operands[k], arg, body, dims)) return false;
    VarKind kind = is_result ? VAR_ALL_TURNS : VAR_TURNS;
    return add_var(b, &turns, by, (Var){.kind = kind, .op = loop}) &&
           sum_add_product(to, &step, &turns);
}

/* Made of what every program has: no numbers of programs, nothing that is loaded or carried. */
static bool is_computed(const Value *value, int *budget) {
    const Op *op = value->def, *owner = op ? NULL : value->region->owner;
    if ((*budget)-- <= 0) return false;
    if (!op) return !owner || (owner->kind == OP_FOR && !value->index);
    if (op->kind == OP_PROGRAM_ID || op->num_regions || !op_has_trait(op, PURE)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!is_computed(op->operands[i], budget)) return false;
    return true;
}

/* A number in itself: one in a program, or any of a tile's. */
static bool add_leaf(Build *b, Sum *to, const Value *value, int64_t by) {
    bool is_tile = type_is_tile(value->type);
    int budget = MOST_COMPUTED;
    Var var = {.kind = is_tile ? VAR_LANES : VAR_VALUE, .value = value};
    var.is_computed = is_tile && is_computed(value, &budget);
    return type_is_int(value->type) && add_var(b, to, by, var);
}

static Dims expanded_dims(const Op *op, const Dims *dims) {
    Dims inner = *dims;
    for (int i = (int)expand_dims_axis(op); i + 1 < MAX_RANK; i++) inner.dim[i] = dims->dim[i + 1];
    return inner;
}

static bool add_expanded(Build *b, Sum *to, const Op *op, int64_t by, const Dims *dims) {
    Dims inner = expanded_dims(op, dims);
    return add_value(b, to, op->operands[0], by, &inner);
}

static bool add_product(Build *b, Sum *to, const Op *op, int64_t by, const Dims *dims) {
    Sum left = {0}, right = {0};
    return add_value(b, &left, op->operands[0], by, dims) &&
           add_value(b, &right, op->operands[1], 1, dims) && sum_add_product(to, &left, &right);
}

static bool add_shifted(Build *b, Sum *to, const Op *op, int64_t by, const Dims *dims) {
    int64_t number;
    if (!value_is_int(op->operands[1], &number) || number < 0 || number > 40)
        return add_leaf(b, to, &op->results[0], by);
    return !__builtin_mul_overflow(by, (int64_t)1 << number, &by) &&
           add_value(b, to, op->operands[0], by, dims);
}

static bool add_arange(Build *b, Sum *to, const Op *op, int64_t by, const Dims *dims) {
    int64_t start;
    Var lane = {.kind = VAR_LANE, .op = op, .side = b->side, .dim = dims->dim[0]};
    return !__builtin_mul_overflow(by, arange_start(op), &start) &&
           sum_add(to, &(Term){.by = start}) && add_var(b, to, by, lane);
}

static bool keeps_numbers(OpKind kind) {
    return kind == OP_SPLAT || kind == OP_BROADCAST || kind == OP_CONVERT || kind == OP_HINT ||
           kind == OP_BITCAST || kind == OP_EXT_S;
}

static bool add_op(Build *b, Sum *to, const Op *op, int64_t by, const Dims *dims) {
    OpKind kind = op->kind;
    if (keeps_numbers(kind)) return add_value(b, to, op->operands[0], by, dims);
    if (kind == OP_EXPAND_DIMS) return add_expanded(b, to, op, by, dims);
    if (kind == OP_MUL) return add_product(b, to, op, by, dims);
    if (kind == OP_SHL) return add_shifted(b, to, op, by, dims);
    if (kind == OP_ARANGE) return add_arange(b, to, op, by, dims);
    if (kind != OP_ADD && kind != OP_SUB && kind != OP_ADDPTR)
        return add_leaf(b, to, &op->results[0], by);
    int64_t each = kind == OP_SUB ? -1 : 1;
    if (kind == OP_ADDPTR) each = type_size_bytes(type_lane(op->operands[0]->type)->elem);
    return add_value(b, to, op->operands[0], by, dims) &&
           !__builtin_mul_overflow(by, each, &each) &&
           add_value(b, to, op->operands[1], each, dims);
}

/* A bitcast of an int, or an extension of a bit, is no sum. */
static bool is_a_sum(const Op *op) {
    if (op->num_results != 1 || op->num_regions) return false;
    if (op->kind == OP_EXT_S && type_is_bool(op->operands[0]->type)) return false;
    return op->kind != OP_BITCAST ||
           (type_is_ptr(op->operands[0]->type) && type_is_ptr(op->results[0].type));
}

/* to += value * by */
static bool add_value(Build *b, Sum *to, const Value *value, int64_t by, const Dims *dims) {
    const Op *op = value->def, *owner = op ? NULL : value->region->owner;
    int64_t number;
    if (b->budget-- <= 0) return false;
    if (type_is_int(value->type) && value_is_int(value, &number))
        return !__builtin_mul_overflow(number, by, &number) && sum_add(to, &(Term){.by = number});
    if (!op && !owner) return type_is_ptr(value->type) || add_leaf(b, to, value, by);
    if (!op && owner->kind == OP_FOR && value->index > 0) {
        Sum before = *to;
        if (add_carried(b, to, owner, value->index - 1, false, by, dims)) return true;
        *to = before;
        return add_leaf(b, to, value, by);
    }
    if (op && op->kind == OP_FOR) return add_carried(b, to, op, value->index, true, by, dims);
    return op && is_a_sum(op) ? add_op(b, to, op, by, dims) : add_leaf(b, to, value, by);
}

static bool has_var(const Sum *sum, const Var *var) {
    for (int i = 0; i < sum->count; i++)
        for (int k = 0; k < sum->terms[i].num_vars; k++)
            if (sum->terms[i].vars[k] == var) return true;
    return false;
}

static bool add_access(Build *b, Sum *to, const Value *pointer, int side) {
    Dims dims;
    for (int i = 0; i < MAX_RANK; i++) dims.dim[i] = i;
    b->side = side;
    return add_value(b, to, pointer, side ? -1 : 1, &dims);
}

/* ---- what a mask leaves ---- */

/* to += from * by */
static bool sum_add_scaled(Sum *to, const Sum *from, const Term *by) {
    const Sum one = {
        .count = by->num_vars != 0, .terms = {*by}, .constant = by->num_vars ? 0 : by->by};
    return sum_add_product(to, from, &one);
}

/* The one term with a lane; NULL: more of them, or none. */
static const Term *term_of_lane(const Sum *sum, const Var *lane) {
    const Term *found = NULL;
    for (int i = 0; i < sum->count; i++)
        for (int k = 0; k < sum->terms[i].num_vars; k++) {
            if (lane ? sum->terms[i].vars[k] != lane : sum->terms[i].vars[k]->kind != VAR_LANE)
                continue;
            if (found) return NULL;
            found = &sum->terms[i];
        }
    return found;
}

/* Where the pair's sum has times * index, it is times * one number, which is less than end. */
static bool replace(Build *b, const Sum *index, const Sum *end, const Term *times) {
    Pair *pair = b->pair;
    Sum left = pair->sum;
    Term minus = *times, whole;
    Sum *kept = arena_array(b->arena, Sum, 2);
    kept[0] = *index, kept[1] = *end;
    minus.by = -minus.by;
    if (!sum_add_scaled(&left, index, &minus)) return false;
    if (left.count != pair->sum.count - index->count) return false;
    Var *var = var_of(b, (Var){.kind = VAR_MASKED, .index = &kept[0], .end = &kept[1]});
    Term one = {.by = 1, .num_vars = 1, .vars = {var}};
    if (!var || !term_product(&whole, times, &one) || !sum_add(&left, &whole)) return false;
    pair->sum = left;
    return true;
}

/* In lanes that are accessed, index < end. */
static void bound_index(Build *b, const Sum *index, const Sum *end) {
    const Term *lane = term_of_lane(index, NULL), *of_sum, minus_one = {.by = -1};
    if (!lane || lane->num_vars != 1 || lane->by <= 0) return;
    const Var *var = lane->vars[0];
    if (!(of_sum = term_of_lane(&b->pair->sum, var)) || of_sum->by % lane->by) return;
    Term times = {.by = of_sum->by / lane->by};
    for (int i = 0; i < of_sum->num_vars; i++)
        if (of_sum->vars[i] != var) times.vars[times.num_vars++] = of_sum->vars[i];
    if (times.num_vars + 1 != of_sum->num_vars || replace(b, index, end, &times)) return;
    /* The rest is in both accesses, and gone: the lanes alone are less than what it leaves. */
    Sum alone = {.count = 1, .terms = {*lane}}, room = *end, rest = *index;
    if (!sum_add_scaled(&rest, &alone, &minus_one) || !sum_add_scaled(&room, &rest, &minus_one))
        return;
    replace(b, &alone, &room, &times);
}

static void bound_by(Build *b, const Value *mask, const Dims *dims) {
    const Op *op = mask ? mask->def : NULL;
    if (!op || b->budget-- <= 0) return;
    if (op->kind == OP_AND) {
        bound_by(b, op->operands[0], dims);
        bound_by(b, op->operands[1], dims);
    } else if (op->kind == OP_BROADCAST || op->kind == OP_HINT || op->kind == OP_SPLAT) {
        bound_by(b, op->operands[0], dims);
    } else if (op->kind == OP_EXPAND_DIMS) {
        Dims inner = expanded_dims(op, dims);
        bound_by(b, op->operands[0], &inner);
    } else if (op->kind == OP_ICMP && icmp_predicate(op) == ICMP_SLT) {
        Sum index = {0}, end = {0};
        if (add_value(b, &index, op->operands[0], 1, dims) &&
            add_value(b, &end, op->operands[1], 1, dims))
            bound_index(b, &index, &end);
    }
}

static void bound(Build *b, const Op *access, int side) {
    Dims dims;
    for (int i = 0; i < MAX_RANK; i++) dims.dim[i] = i;
    b->side = side;
    b->budget = MOST_BUDGET;
    bound_by(b, access_mask(access), &dims);
}

Pair *pair_new(Arena *arena, const Op *a, const Op *b, const Op *loop) {
    const Value *from = access_pointer(a), *to = access_pointer(b);
    Pair *pair = arena_new_of(arena, Pair);
    Build build = {.arena = arena, .pair = pair, .loop = loop, .budget = MOST_BUDGET};
    *pair = (Pair){.bytes_a = type_size_bytes(type_lane(from->type)->elem),
                   .bytes_b = type_size_bytes(type_lane(to->type)->elem)};
    pair->is_known =
        add_access(&build, &pair->sum, from, 0) && add_access(&build, &pair->sum, to, 1);
    if (pair->is_known) bound(&build, a, 0), bound(&build, b, 1);
    return pair;
}

static bool is_used(const Pair *pair, const Var *var) {
    bool found = has_var(&pair->sum, var);
    for (int i = 0; i < pair->vars.count && !found; i++) {
        const Var *masked = pair->vars.data[i];
        if (masked->kind == VAR_MASKED && has_var(&pair->sum, masked))
            found = has_var(masked->index, var) || has_var(masked->end, var);
    }
    return found;
}

const Value *pair_asks(const Pair *pair, int *at) {
    while (pair->is_known && *at < pair->vars.count) {
        const Var *var = pair->vars.data[(*at)++];
        if (var->kind == VAR_LANE || var->kind == VAR_MASKED || !is_used(pair, var)) continue;
        return var->value ? var->value : for_index(var->op);
    }
    return NULL;
}

bool pair_is_known(const Pair *pair) { return pair->is_known; }

void pair_near_only(Pair *pair) { pair->near_only = true; }

/* ---- at launch ---- */

typedef struct Multiple { /* `by` times any of the range */
    Wide by;
    Reach range;
} Multiple;

typedef struct Multiples {
    int count, steps;
    Multiple of[MOST_TERMS];
    Wide low[MOST_TERMS + 1], high[MOST_TERMS + 1]; /* of all from there on */
} Multiples;

static const Wide far = (Wide)1 << 62; /* so that sums of products stay below 2^127 */

static Range range_of_turns(const Op *loop, const Range *range, bool all) {
    Range first = range[for_lower(loop)->id], end = range[for_upper(loop)->id],
          step = range[for_step(loop)->id];
    Range unknown = {0, INT64_MAX};
    if (for_unsigned(loop)) return unknown;
    Wide way = (Wide)end.high - first.low, by = step.low;
    if (step.high < 0) way = (Wide)first.high - end.low, by = -(Wide)step.high;
    if (by <= 0) return unknown;
    Wide turns = way > 0 ? (way + by - 1) / by : 0;
    if (!all && turns > 0) turns--;
    if (turns > INT64_MAX) return unknown;
    bool is_one = all && first.low == first.high && end.low == end.high && step.low == step.high;
    return (Range){is_one ? (int64_t)turns : 0, (int64_t)turns};
}

static Range range_of_var(const Var *var, const Range *range) {
    switch (var->kind) {
    case VAR_LANE: return (Range){0, var->op->results[0].type->lanes - 1};
    case VAR_TURNS: return range_of_turns(var->op, range, false);
    case VAR_ALL_TURNS: return range_of_turns(var->op, range, true);
    case VAR_VALUE:
    case VAR_LANES:
    case VAR_MASKED: break;
    }
    return range[var->value->id];
}

/* A term in numbers: what does not vary goes to the front. False: too large to say. */
static bool multiple_of(const Term *term, Multiple *to, Term *left) {
    *to = (Multiple){term->by, {1, 1}}, *left = (Term){0};
    for (int i = 0; i < term->num_vars; i++) {
        Range r = term->vars[i]->range;
        if (r.low == r.high) {
            to->by *= r.low;
        } else {
            Range so_far = {(int64_t)to->range.low, (int64_t)to->range.high};
            to->range = range_product(so_far, r);
            left->vars[left->num_vars++] = term->vars[i];
        }
        if (to->by > far || to->by < -far || to->range.low < -far || to->range.high > far)
            return false;
    }
    return true;
}

static void turn_around(Multiple *m) {
    if (m->by >= 0) return;
    m->by = -m->by;
    m->range = (Reach){-m->range.high, -m->range.low};
}

/* Its product can be said: more is everywhere. */
static bool is_near(const Multiple *m) {
    const Wide most = (Wide)1 << 45;
    return m->by <= most || (m->range.low >= -most && m->range.high <= most);
}

/* False: too large to say. */
static bool range_of_sum(const Sum *sum, Reach *all) {
    *all = (Reach){sum->constant, sum->constant};
    for (int i = 0; i < sum->count; i++) {
        Multiple m;
        Term left;
        if (!multiple_of(&sum->terms[i], &m, &left)) return false;
        turn_around(&m);
        if (!is_near(&m)) return false;
        all->low += m.by * m.range.low, all->high += m.by * m.range.high;
    }
    return true;
}

/* False: no lane is accessed. */
static bool range_of_masked(Var *var) {
    Reach index, end;
    var->range = (Range){INT64_MIN, INT64_MAX};
    if (!range_of_sum(var->index, &index)) return true;
    if (range_of_sum(var->end, &end) && end.high - 1 < index.high) index.high = end.high - 1;
    if (index.low > index.high) return false;
    if (index.low > -far && index.high < far)
        var->range = (Range){(int64_t)index.low, (int64_t)index.high};
    return true;
}

/* Those of the same length are one. */
static void add_multiple(Multiples *to, Multiple m) {
    turn_around(&m);
    if (!m.by) return;
    int at = to->count;
    for (int i = 0; i < to->count; i++)
        if (to->of[i].by == m.by) {
            to->of[i].range.low += m.range.low, to->of[i].range.high += m.range.high;
            return;
        }
    for (; at && to->of[at - 1].by < m.by; at--) to->of[at] = to->of[at - 1];
    to->of[at] = m, to->count++;
}

static Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b < 0); } /* b > 0 */

/* Is a sum of the multiples from `at` on between low and high? Yes, where it takes long to tell. */
static bool can_be(Multiples *all, int at, Wide low, Wide high) {
    if (low > all->high[at] || high < all->low[at]) return false;
    if (at == all->count) return low <= 0 && high >= 0;
    if (all->steps-- <= 0) return true;
    const Multiple *m = &all->of[at];
    Wide first = -floor_quotient(all->high[at + 1] - low, m->by),
         last = floor_quotient(high - all->low[at + 1], m->by);
    if (first < m->range.low) first = m->range.low;
    if (last > m->range.high) last = m->range.high;
    for (Wide i = first; i <= last; i++) {
        if (can_be(all, at + 1, low - i * m->by, high - i * m->by)) return true;
        if (all->steps <= 0) return true;
    }
    return false;
}

static bool sum_ends(Multiples *all) {
    all->low[all->count] = all->high[all->count] = 0;
    for (int i = all->count - 1; i >= 0; i--) {
        const Multiple *m = &all->of[i];
        if (!is_near(m)) return false;
        all->low[i] = all->low[i + 1] + m->by * m->range.low;
        all->high[i] = all->high[i + 1] + m->by * m->range.high;
    }
    return true;
}

static bool is_of_program(const Var *var) {
    const Op *op = var->value && !var->value->def ? var->value->region->owner : NULL;
    if (var->kind == VAR_LANES) return !var->is_computed;
    return var->kind == VAR_VALUE && !(op && op->kind == OP_FOR && !var->value->index);
}

static bool has_program(const Term *term) {
    bool found = false;
    for (int i = 0; i < term->num_vars; i++) {
        const Var *var = term->vars[i];
        if (var->kind != VAR_MASKED) {
            found |= is_of_program(var);
            continue;
        }
        for (int k = 0; k < var->index->count; k++)
            for (int n = 0; n < var->index->terms[k].num_vars; n++) {
                const Var *of_index = var->index->terms[k].vars[n];
                found |= of_index->range.low != of_index->range.high && is_of_program(of_index);
            }
    }
    return found;
}

static int64_t clamped(Wide number) {
    return number < INT64_MIN ? INT64_MIN : number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

bool pair_is_apart(Pair *pair, const Range *range, int64_t distance, Range *near) {
    Multiples all = {.steps = MOST_STEPS};
    Wide constant = (Wide)pair->sum.constant + distance;
    Term merged[MOST_TERMS];
    Multiple of_merged[MOST_TERMS];
    int count = 0;
    *near = (Range){INT64_MIN, INT64_MAX};
    if (!pair->is_known) return false;
    for (int i = 0; i < pair->vars.count; i++) {
        Var *var = pair->vars.data[i];
        if (!is_used(pair, var)) continue;
        if (var->kind != VAR_MASKED)
            var->range = range_of_var(var, range);
        else if (!range_of_masked(var))
            return true;
    }
    for (int i = 0; i < pair->sum.count; i++) {
        Multiple m;
        Term left;
        if (!multiple_of(&pair->sum.terms[i], &m, &left)) return false;
        if (!left.num_vars) {
            constant += m.by;
            continue;
        }
        int at = 0;
        while (at < count && !same_vars(&merged[at], &left)) at++;
        if (at == count)
            merged[count] = left, of_merged[count++] = m;
        else
            of_merged[at].by += m.by;
    }
    for (int i = 0; i < count; i++) {
        if (pair->near_only && of_merged[i].by && has_program(&merged[i])) {
            *near = (Range){0, 0};
            return true;
        }
        add_multiple(&all, of_merged[i]);
    }
    if (!sum_ends(&all)) return false;
    Wide first = 1 - pair->bytes_a - constant, last = pair->bytes_b - 1 - constant;
    near->low = clamped(distance + first - all.high[0]);
    near->high = clamped(distance + last - all.low[0]);
    return !can_be(&all, 0, first, last);
}
