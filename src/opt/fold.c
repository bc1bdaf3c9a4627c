// SPDX-License-Identifier: Apache-2.0
/* fold: compute what is constant, drop what is neutral.
 *
 *     %1 = constant 4 : i32
 *     %2 = constant 8 : i32
 *     %3 = mul %1, %2                 %3 = constant 32
 *     %4 = splat %3              ->   %4 = constant 32 : tile<64xi32>
 *     %5 = add %x, splat 0            %5 is %x
 *     if true {a} {b}                 a
 *     for 0 to 1 {a}                  a, a turn of it
 *
 * Only what is exact: eval_lane computes the constants, floats are not reassociated, x * 0 is 0 for
 * integers only, x + 0.0 stays (-0.0 + 0.0 is 0.0) but x + -0.0 is x. One forward walk; what a
 * rewrite uncovers later in the text is seen, what it uncovers earlier waits for the next run. */
#include "opt/opt.h"

typedef struct Fold {
    Func *fn;
    bool changed;
} Fold;

static Builder before(Fold *f, Op *op) {
    return (Builder){.fn = f->fn, .region = op->parent, .before = op, .span = op->span};
}

static Value *constant(Fold *f, Op *op, const Type *type, uint64_t bits) {
    Builder b = before(f, op);
    return build_constant_bits(&b, type, bits);
}

static uint64_t all_ones(const Type *type) {
    int width = type_bits(type);
    return width == 64 ? UINT64_MAX : (1ull << width) - 1;
}

/* ---- constants ---- */

static Value *fold_constant(Fold *f, Op *op) {
    uint64_t in[3], out;
    if (!op_has_trait(op, ELEMENTWISE) || op->num_operands > 3) return NULL;
    for (int i = 0; i < op->num_operands; i++)
        if (!value_is_constant(op->operands[i], &in[i])) return NULL;
    if (!eval_lane(op, in, &out)) return NULL;
    return constant(f, op, op->results[0].type, out);
}

/* ---- integers ---- */

/* What is known of `x op number` where the number is 0, 1 or all ones, and of `x op x`. */
enum {
    ZERO_KEEPS = 1, /* x op 0 is x .. */
    ONE_KEEPS = 2,
    ONES_KEEP = 4,
    ZERO_WINS = 8, /* x op 0 is 0 .. */
    ONES_WIN = 16,
    ONE_GIVES_ZERO = 32,
    SAME_KEEPS = 64, /* x op x is x */
    SAME_GIVES_ZERO = 128,
};

static const unsigned char algebra[NUM_OP_KINDS] = {
    [OP_ADD] = ZERO_KEEPS,
    [OP_SUB] = ZERO_KEEPS | SAME_GIVES_ZERO,
    [OP_XOR] = ZERO_KEEPS | SAME_GIVES_ZERO,
    [OP_SHL] = ZERO_KEEPS,
    [OP_SHR_S] = ZERO_KEEPS,
    [OP_SHR_U] = ZERO_KEEPS,
    [OP_ADDPTR] = ZERO_KEEPS,
    [OP_OR] = ZERO_KEEPS | ONES_WIN | SAME_KEEPS,
    [OP_AND] = ONES_KEEP | ZERO_WINS | SAME_KEEPS,
    [OP_MUL] = ONE_KEEPS | ZERO_WINS,
    [OP_DIV_S] = ONE_KEEPS,
    [OP_DIV_U] = ONE_KEEPS,
    [OP_REM_S] = ONE_GIVES_ZERO,
    [OP_REM_U] = ONE_GIVES_ZERO,
    [OP_MIN_S] = SAME_KEEPS,
    [OP_MAX_S] = SAME_KEEPS,
    [OP_MIN_U] = ONES_KEEP | ZERO_WINS | SAME_KEEPS,
    [OP_MAX_U] = ZERO_KEEPS | ONES_WIN | SAME_KEEPS,
};

static Value *fold_with_number(Fold *f, Op *op, uint64_t bits) {
    Value *x = op->operands[0];
    const Type *type = x->type;
    uint64_t ones = all_ones(type);
    bool is_zero = bits == 0, is_one = bits == 1, is_ones = bits == ones;
    int known = algebra[op->kind];
    int keeps =
        known & ((is_zero ? ZERO_KEEPS : 0) | (is_one ? ONE_KEEPS : 0) | (is_ones ? ONES_KEEP : 0));
    int wins = known & ((is_zero ? ZERO_WINS : 0) | (is_ones ? ONES_WIN : 0));
    if (keeps) return x;
    if (wins) return op->operands[1];
    if (is_one && known & ONE_GIVES_ZERO) return constant(f, op, type, 0);
    if (op->kind != OP_ICMP || !type_is_bool(type) || !type_is_int(type)) return NULL;
    if (icmp_predicate(op) == ICMP_NE) return is_zero ? x : NULL;
    return icmp_predicate(op) == ICMP_EQ && is_one ? x : NULL;
}

static Value *fold_same_operands(Fold *f, Op *op) {
    Value *x = op->operands[0];
    if (algebra[op->kind] & SAME_KEEPS) return x;
    if (algebra[op->kind] & SAME_GIVES_ZERO) return constant(f, op, x->type, 0);
    if (op->kind != OP_ICMP) return NULL;
    int64_t p = icmp_predicate(op);
    bool holds = p == ICMP_EQ || p == ICMP_SLE || p == ICMP_SGE || p == ICMP_ULE || p == ICMP_UGE;
    return constant(f, op, op->results[0].type, holds);
}

/* (x + a) + b -> x + (a + b);  addptr likewise where the sum of offsets does not wrap. */
static Value *fold_chain(Fold *f, Op *op) {
    const Op *inner = op->operands[0]->def;
    int64_t a, b, sum;
    if ((op->kind != OP_ADD && op->kind != OP_ADDPTR) || !inner || inner->kind != op->kind)
        return NULL;
    if (!value_is_int(op->operands[1], &b) || !value_is_int(inner->operands[1], &a)) return NULL;
    const Type *type = op->operands[1]->type;
    if (inner->operands[1]->type != type || type_is_bool(type)) return NULL;
    bool wraps = __builtin_add_overflow(a, b, &sum);
    uint64_t bits = ((uint64_t)a + (uint64_t)b) & all_ones(type);
    if (op->kind == OP_ADDPTR && (wraps || constant_to_int(type, bits) != sum)) return NULL;
    Builder at = before(f, op);
    return build_2(&at, op->kind, inner->operands[0], build_constant_bits(&at, type, bits));
}

/* ---- floats ---- */

static Value *fold_float(Op *op) {
    uint64_t bits;
    Value *x = op->operands[0];
    const Op *inner = x->def;
    if (op->kind == OP_FNEG && inner && inner->kind == OP_FNEG) return inner->operands[0];
    if (op->kind == OP_FABS && inner && inner->kind == OP_FABS) return x;
    if (op->num_operands != 2 || !value_is_constant(op->operands[1], &bits)) return NULL;
    double number = constant_to_double(x->type, bits);
    bool is_negative = bits >> (type_bits(x->type) - 1) & 1;
    bool keeps = op->kind == OP_FADD ? number == 0 && is_negative
                 : op->kind == OP_FSUB
                     ? number == 0 && !is_negative
                     : (op->kind == OP_FMUL || op->kind == OP_FDIV) && number == 1;
    return keeps ? x : NULL;
}

/* ---- casts ---- */

static bool is_widening(OpKind kind) {
    return kind == OP_EXT_S || kind == OP_EXT_U || kind == OP_FEXT;
}

static Value *fold_cast(Fold *f, Op *op) {
    const Op *inner = op->operands[0]->def;
    const Type *to = op->results[0].type;
    if (op->kind == OP_BITCAST && op->operands[0]->type == to) return op->operands[0];
    if (!inner || inner->num_operands != 1) return NULL;
    Value *x = inner->operands[0];
    OpKind first = inner->kind;
    Builder b = before(f, op);
    const Type *lane = type_lane(to);
    if (is_widening(op->kind) && op->kind == first) return build_cast(&b, op->kind, x, lane);
    if (op->kind == OP_EXT_S && first == OP_EXT_U) return build_cast(&b, OP_EXT_U, x, lane);
    if (op->kind == OP_TRUNC && first == OP_TRUNC) return build_cast(&b, OP_TRUNC, x, lane);
    if (op->kind == OP_TRUNC && (first == OP_EXT_S || first == OP_EXT_U)) {
        if (x->type == to) return x;
        return build_cast(&b, type_bits(to) < type_bits(x->type) ? OP_TRUNC : first, x, lane);
    }
    if (op->kind == OP_FTRUNC && first == OP_FEXT && x->type == to) return x;
    if (op->kind == OP_BITCAST && first == OP_BITCAST)
        return x->type == to ? x : build_cast(&b, OP_BITCAST, x, lane);
    return NULL;
}

/* ---- select ---- */

static Value *fold_select(Op *op) {
    Value *condition = select_condition(op), *a = select_a(op), *b = select_b(op);
    uint64_t bits, if_true, if_false;
    if (a == b) return a;
    if (value_is_constant(condition, &bits)) return bits ? a : b;
    bool is_copy = type_is_bool(a->type) && condition->type == a->type &&
                   value_is_constant(a, &if_true) && value_is_constant(b, &if_false) &&
                   if_true == 1 && if_false == 0;
    return is_copy ? condition : NULL;
}

/* ---- shape ---- */

static Value *compose_trans(Fold *f, Op *op) {
    int order[MAX_RANK];
    const Op *inner = op->operands[0]->def;
    int rank = op->results[0].type->rank;
    bool is_identity = true;
    for (int i = 0; i < rank; i++) {
        order[i] = (int)trans_order(op).data[i];
        is_identity = is_identity && order[i] == i;
    }
    if (is_identity) return op->operands[0];
    if (!inner || inner->kind != OP_TRANS) return NULL;
    for (int i = 0; i < rank; i++) order[i] = (int)trans_order(inner).data[order[i]];
    Builder b = before(f, op);
    return build_trans(&b, inner->operands[0], order);
}

static Value *fold_shape(Fold *f, Op *op) {
    const Type *to = op->results[0].type;
    Value *x = op->operands[0];
    const Op *inner = x->def;
    uint64_t bits;
    bool moves_lanes = op->kind == OP_SPLAT || op->kind == OP_BROADCAST ||
                       op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE || op->kind == OP_TRANS;
    if (!moves_lanes) return NULL;
    if (value_is_constant(x, &bits)) return constant(f, op, to, bits);
    if (x->type == to && op->kind != OP_TRANS) return x;
    Builder b = before(f, op);
    if (inner && inner->kind == OP_SPLAT && op->kind != OP_SPLAT) {
        if (to->rank == 0) return inner->operands[0];
        return build_splat(&b, inner->operands[0], to->rank, to->shape);
    }
    if (op->kind == OP_TRANS) return compose_trans(f, op);
    if (inner && inner->kind == op->kind && op->kind == OP_BROADCAST)
        return build_broadcast(&b, inner->operands[0], to->shape);
    bool is_reshape = op->kind == OP_RESHAPE;
    if (is_reshape && inner && (inner->kind == OP_RESHAPE || inner->kind == OP_EXPAND_DIMS))
        return inner->operands[0]->type == to
                   ? inner->operands[0]
                   : build_reshape(&b, inner->operands[0], to->rank, to->shape);
    return NULL;
}

/* A reduction over one lane. */
static Value *fold_reduce(Fold *f, Op *op, int index) {
    const Type *to = op->results[index].type;
    Value *x = op->operands[index];
    if (x->type->shape[fold_axis(op)] != 1) return NULL;
    if (op->kind == OP_SCAN) return x;
    Builder b = before(f, op);
    return build_reshape(&b, x, to->rank, to->shape);
}

/* ---- memory ---- */

static Value *fold_load(Fold *f, Op *op) {
    uint64_t bits;
    if (!load_mask(op) || !value_is_constant(load_mask(op), &bits)) return NULL;
    if (bits) {
        op->num_operands = 1;
        f->changed = true;
        return NULL;
    }
    return load_other(op) ? load_other(op) : constant(f, op, op->results[0].type, 0);
}

/* ---- structure ---- */

static void replace(Fold *f, Op *op, int index, Value *with) {
    op->results[index].replaced = with;
    if (with->name.length == 0) with->name = op->results[index].name;
    f->changed = true;
}

static void splice(Fold *f, Op *op, Region *region) {
    Op *yield = region_yield(region);
    for (Op *inner = region->first, *next; inner != yield; inner = next) {
        next = inner->next;
        op_move_before(inner, op);
    }
    for (int i = 0; i < op->num_results; i++) replace(f, op, i, value_resolve(yield->operands[i]));
    op_remove(op);
    f->changed = true;
}

static bool never_runs(const Op *op) {
    int64_t lower, upper, step;
    if (for_unsigned(op)) return false;
    if (!value_is_int(for_lower(op), &lower) || !value_is_int(for_upper(op), &upper) ||
        !value_is_int(for_step(op), &step))
        return false;
    return (step > 0 && lower >= upper) || (step < 0 && lower <= upper);
}

static bool runs_once(const Op *op) {
    int64_t lower, upper, step;
    if (for_unsigned(op)) return false;
    if (!value_is_int(for_lower(op), &lower) || !value_is_int(for_upper(op), &upper) ||
        !value_is_int(for_step(op), &step))
        return false;
    if (step > 0) return lower < upper && (uint64_t)upper - (uint64_t)lower <= (uint64_t)step;
    return step < 0 && lower > upper && (uint64_t)lower - (uint64_t)upper <= 0 - (uint64_t)step;
}

static void splice_turn(Fold *f, Op *op) {
    Region *body = for_body(op);
    body->args[0]->replaced = for_lower(op);
    for (int i = 0; i < op->num_results; i++) for_arg(op, i)->replaced = for_init(op, i);
    splice(f, op, body);
}

/* What each turn hands on as it was before the loop is not carried: an index that is made anew. */
static void fold_carried(Fold *f, Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        Value *init = for_init(op, i), *arg = for_arg(op, i);
        const Value *next = value_resolve(for_next(op, i));
        if (arg->replaced || (next != init && next != arg)) continue;
        arg->replaced = init;
        replace(f, op, i, init);
    }
}

/* Ops with no result to replace, or with regions. True when the op is gone. */
static bool fold_effect(Fold *f, Op *op) {
    uint64_t bits;
    bool has_mask =
        op->kind == OP_STORE && store_mask(op) && value_is_constant(store_mask(op), &bits);
    if (has_mask && bits) {
        op->num_operands = 2;
        f->changed = true;
    }
    bool is_idle = (has_mask && !bits) ||
                   (op->kind == OP_ASSUME && value_is_constant(op->operands[0], &bits) && bits);
    if (is_idle) {
        op_remove(op);
        f->changed = true;
        return true;
    }
    if (op->kind == OP_IF && value_is_constant(if_condition(op), &bits)) {
        splice(f, op, op->regions[bits ? 0 : 1]);
        return true;
    }
    if (op->kind == OP_FOR && runs_once(op)) {
        splice_turn(f, op);
        return true;
    }
    if (op->kind == OP_FOR) fold_carried(f, op);
    if (op->kind == OP_FOR && never_runs(op)) {
        for (int i = 0; i < op->num_results; i++) replace(f, op, i, for_init(op, i));
        op_remove(op);
        f->changed = true;
        return true;
    }
    return false;
}

/* ---- the walk ---- */

static void order_operands(Fold *f, Op *op) {
    uint64_t bits;
    if (!op_has_trait(op, COMMUTES) || !value_is_constant(op->operands[0], &bits) ||
        value_is_constant(op->operands[1], &bits))
        return;
    Value *first = op->operands[0];
    op->operands[0] = op->operands[1];
    op->operands[1] = first;
    f->changed = true;
}

static Value *simplify(Fold *f, Op *op, int index) {
    uint64_t bits;
    Value *found = NULL;
    if (op->kind == OP_REDUCE || op->kind == OP_SCAN) return fold_reduce(f, op, index);
    if (op->kind == OP_THREAD_ID && f->fn->block[grid_axis(op)] == 1) /* the only one along it */
        return constant(f, op, op_result(op)->type, 0);
    if (op->num_operands == 0 || op->num_results != 1) return NULL;
    if ((found = fold_constant(f, op)) || (found = fold_shape(f, op))) return found;
    if (op->kind == OP_SELECT) return fold_select(op);
    if (op->kind == OP_LOAD) return fold_load(f, op);
    if (op_has_trait(op, ELEMENTWISE) && op->num_operands == 1 && (found = fold_cast(f, op)))
        return found;
    if (!op_has_trait(op, ELEMENTWISE)) return NULL;
    if (op->num_operands == 2 && op->operands[0] == op->operands[1] &&
        (found = fold_same_operands(f, op)))
        return found;
    if (op_infos[op->kind].rule == RULE_FLOAT1 || op_infos[op->kind].rule == RULE_FLOAT2)
        return fold_float(op);
    if (op->num_operands == 2 && value_is_constant(op->operands[1], &bits) &&
        (found = fold_with_number(f, op, bits)))
        return found;
    return fold_chain(f, op);
}

static void visit(Fold *f, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
        order_operands(f, op);
        Op *before_op = op->prev;
        if (fold_effect(f, op)) {
            /* What was spliced in front is looked at next: it stood in a region not yet visited. */
            next = before_op ? before_op->next : region->first;
            continue;
        }
        next = op->next;
        int replaced = 0;
        for (int i = 0; i < op->num_results; i++) {
            Value *found = simplify(f, op, i);
            if (!found) continue;
            replace(f, op, i, found);
            replaced++;
        }
        if (replaced && replaced == op->num_results) {
            op_remove(op);
            continue;
        }
        for (int i = 0; i < op->num_regions; i++) visit(f, op->regions[i]);
    }
}

bool pass_fold(PassCtx *px, Func *fn) {
    (void)px;
    Fold f = {.fn = fn};
    visit(&f, fn->body);
    return f.changed;
}
