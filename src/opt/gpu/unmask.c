// SPDX-License-Identifier: Apache-2.0
/* unmask: the turns of a loop in which a mask is on in all lanes run in a loop without it.
 *
 *     for %i = %lower .. %upper             %mid = min(%upper, %s - 127)        where nothing wraps
 *       %s = dot ..                         for %i = %lower .. %mid
 *       %m = icmp sge %rows, %i + keys        %s = dot ..
 *       %x = select %m, %s, -inf      ->      .. %s ..
 *       .. %x ..                            for %i = from where that ended .. %upper
 *                                             as it was
 *
 * where %rows is %s + 0 .. and keys are 0 .. 127: as in causal attention, where all turns but the
 * last are below the diagonal, or where the keys end inside of the last turn. A comparison of each
 * score costs as much as its exponential does. The turns are the same ones in the same order. What
 * a mask stood between, scores that are scaled and their most, which is taken from them, becomes
 * one fma.
 *
 * Both sides are sums of scalars and of ranges that do not begin below 0: of the index of the loop
 * on the side that must be less, of some from outside of it on the other. Of loops of two
 * products or more, which wait for what is computed between them; of others the masks are hidden.
 */
#include "ir/arch.h"
#include "opt/opt.h"

enum {
    MOST_LANES = 1 << 16,  /* of a range */
    MOST_SCALAR = 1 << 28, /* of what is compared */
    MOST_SCALARS = 3,
    MOST_OPS = 200, /* of a body that is written twice */
    WIDE = 128,     /* columns of a product */
};

typedef struct Side { /* scalars + lanes, in 32 bits */
    int num_scalars;
    Value *scalars[MOST_SCALARS];
    int64_t low, high; /* of the lanes: 0 <= low <= high */
} Side;

typedef struct Mask { /* on in all lanes where index + below <= the scalars of more */
    Op *compare;
    Side more;
    int64_t below;
} Mask;

enum { MOST_MASKS = 4 };

typedef struct Loop {
    Func *fn;
    const Facts *facts;
    Op *op;
    Region *body;
    int num_masks;
    Mask masks[MOST_MASKS];
} Loop;

/* ---- which masks ---- */

static Value *without_hint(Value *value) {
    while (value->def && value->def->kind == OP_HINT) value = value->def->operands[0];
    return value;
}

static bool add_side(const Loop *l, Value *value, Side *side) {
    int64_t low, high;
    const Op *op = value->def;
    if (type_lane(value->type)->kind != TYPE_I32) return false;
    if (!type_is_tile(value->type)) {
        value = without_hint(value);
        if (side->num_scalars == MOST_SCALARS) return false;
        side->scalars[side->num_scalars++] = value;
        return true;
    }
    if (op && op->kind == OP_ADD)
        return add_side(l, op->operands[0], side) && add_side(l, op->operands[1], side);
    bool keeps = op && (op->kind == OP_SPLAT || op->kind == OP_BROADCAST ||
                        op->kind == OP_EXPAND_DIMS || op->kind == OP_HINT);
    if (keeps) return add_side(l, op->operands[0], side);
    if (!facts_range(l->facts, value, &low, &high) || low < 0) return false;
    side->low += low, side->high += high;
    return high < MOST_LANES && side->high < MOST_LANES;
}

/* Of the shape of a product of the loop. */
static bool is_of_scores(const Loop *l, const Type *type) {
    for (const Op *op = l->body->first; op; op = op->next)
        if (op->kind == OP_DOT && type_same_shape(op_result(op)->type, type)) return true;
    return false;
}

static bool same_terms(const Linear *a, const Linear *b) {
    if (a->base != b->base || a->num_terms != b->num_terms) return false;
    for (int i = 0; i < a->num_terms; i++) {
        bool found = false;
        for (int k = 0; k < b->num_terms; k++)
            found |= memcmp(&a->terms[i], &b->terms[k], sizeof a->terms[i]) == 0;
        if (!found) return false;
    }
    return true;
}

static bool is_wide(const Loop *l) {
    for (const Op *op = l->body->first; op; op = op->next)
        if (op->kind == OP_DOT && op_result(op)->type->shape[1] >= WIDE) return true;
    return false;
}

/* On the diagonal from the first turn on: no turn is free of the mask. A hint hides it from a
 * narrow loop: one that never runs makes the text longer (of wide ones, ptxas takes half the time
 * without it), but ptxas orders the loop before it, the same text, so that it takes 2.5 % less
 * (64 columns by 4 warps, H200). */
static bool masks_first_turn(const Loop *l, const Mask *m) {
    if (m->more.num_scalars > 1) return false;
    Value *first = for_lower(l->op);
    const Linear *scalar = facts_linear(l->facts, m->more.scalars[0]);
    const Linear *lower = facts_linear(l->facts, is_wide(l) ? without_hint(first) : first);
    return scalar && lower && same_terms(scalar, lower) &&
           scalar->constant - lower->constant < m->below;
}

static bool find_mask(const Loop *l, Op *op, Mask *mask) {
    if (op->kind != OP_ICMP || !is_of_scores(l, op_result(op)->type)) return false;
    int predicate = icmp_predicate(op);
    bool turned = predicate == ICMP_SLE || predicate == ICMP_SLT;
    bool strict = predicate == ICMP_SGT || predicate == ICMP_SLT;
    if (!turned && !strict && predicate != ICMP_SGE) return false;
    Side more = {0}, less = {0};
    if (!add_side(l, op->operands[turned], &more) || !add_side(l, op->operands[!turned], &less))
        return false;
    if (less.num_scalars != 1 || less.scalars[0] != for_index(l->op) || !more.num_scalars)
        return false;
    for (int i = 0; i < more.num_scalars; i++)
        if (value_is_inside(more.scalars[i], l->body)) return false;
    *mask = (Mask){op, more, less.high + strict - more.low};
    return !masks_first_turn(l, mask);
}

static bool can_unmask(Loop *l) {
    int64_t step;
    int products = 0, ops = 0;
    if (type_bits(for_index(l->op)->type) != 32 || for_unsigned(l->op)) return false;
    if (!value_is_int(for_step(l->op), &step) || step <= 0 || step >= MOST_LANES) return false;
    for (const Op *op = l->body->first; op; op = op->next, ops++) {
        products += op->kind == OP_DOT;
        if (op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_IF) return false;
    }
    if (products < 2 || ops > MOST_OPS) return false;
    for (Op *op = l->body->first; op && l->num_masks < MOST_MASKS; op = op->next)
        if (find_mask(l, op, &l->masks[l->num_masks])) l->num_masks++;
    return l->num_masks > 0;
}

/* ---- writing ---- */

static Value *is_small(Builder *b, Value *value) {
    Value *high = build_int(b, value->type, MOST_SCALAR);
    Value *low = build_int(b, value->type, -MOST_SCALAR);
    Value *above = build_icmp(b, ICMP_SGE, value, low);
    return build_2(b, OP_AND, build_icmp(b, ICMP_SLE, value, high), above);
}

/* How many turns no mask is for; none where a sum might wrap around. */
static Value *write_turns(const Loop *l, Builder *b) {
    const Type *type = for_index(l->op)->type;
    Value *lower = for_lower(l->op), *end = for_upper(l->op);
    Value *zero = build_int(b, type, 0), *step = for_step(l->op);
    for (int i = 0; i < l->num_masks; i++) {
        const Mask *m = &l->masks[i];
        Value *fits = is_small(b, lower), *masked = build_int(b, type, 1 - m->below);
        for (int k = 0; k < m->more.num_scalars; k++) {
            fits = build_2(b, OP_AND, fits, is_small(b, m->more.scalars[k]));
            masked = build_2(b, OP_ADD, masked, m->more.scalars[k]);
        }
        end = build_2(b, OP_MIN_S, end, build_select(b, fits, masked, lower));
    }
    end = build_2(b, OP_SUB, build_2(b, OP_MAX_S, end, lower), lower);
    end = build_2(b, OP_ADD, end, build_2(b, OP_SUB, step, build_int(b, type, 1)));
    return build_2(b, OP_DIV_S, build_2(b, OP_MAX_S, end, zero), step);
}

/* What the loop carries, behind so many turns: told by their number where each adds the same. */
static Value *behind(const Loop *l, Builder *b, int index, Value *turns, Value *after) {
    const Op *next = for_next(l->op, index)->def;
    Value *arg = for_arg(l->op, index), *grows;
    if (!next || next->kind != OP_ADD || !type_is_int(arg->type)) return after;
    if (next->operands[0] != arg && next->operands[1] != arg) return after;
    grows = next->operands[next->operands[0] == arg];
    int64_t number;
    if (grows->def && grows->def->kind == OP_EXT_S) grows = grows->def->operands[0];
    if (!value_is_int(grows, &number)) return after;
    grows = build_int(b, arg->type, number);
    if (arg->type != turns->type) turns = build_cast(b, OP_EXT_S, turns, arg->type);
    return build_2(b, OP_ADD, for_init(l->op, index), build_2(b, OP_MUL, turns, grows));
}

static void unmask(Loop *l) {
    Func *fn = l->fn;
    Map values = {.arena = fn->arena};
    Builder b = {.fn = fn, .region = l->op->parent, .before = l->op, .span = l->op->span};
    Value *turns = write_turns(l, &b);
    Value *passed = build_2(&b, OP_MUL, turns, for_step(l->op));
    Value *middle = build_2(&b, OP_ADD, for_lower(l->op), passed);
    Op *full = op_clone(&b, l->op, &values);
    full->operands[1] = middle;
    for (int i = 0; i < l->num_masks; i++) {
        Op *compare = ((Value *)map_get_pointer(&values, op_result(l->masks[i].compare)))->def;
        Builder at = {.fn = fn, .region = compare->parent, .before = compare};
        op_result(compare)->replaced = build_int(&at, op_result(compare)->type, 1);
        op_remove(compare);
    }
    for (int i = 0; i < for_count(l->op); i++)
        l->op->operands[FOR_BOUNDS + i] = behind(l, &b, i, turns, &full->results[i]);
    l->op->operands[0] = middle;
    for_set_rest(l->op, 1);
}

/* ---- all ---- */

static bool unmask_region(PassCtx *px, Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= unmask_region(px, fn, op->regions[i]);
        if (op->kind != OP_FOR) continue;
        Loop l = {.fn = fn, .op = op, .body = for_body(op)};
        func_renumber(fn);
        l.facts = facts_compute_linear(px->scratch, fn);
        if (!can_unmask(&l)) continue;
        unmask(&l);
        func_resolve(fn);
        changed = true;
    }
    return changed;
}

bool pass_unmask(PassCtx *px, Func *fn) {
    const Arch *arch = arch_find(str_of(px->target));
    if (fn->form != FORM_PROGRAM || !arch || arch->number < 80) return false;
    if (!unmask_region(px, fn, fn->body)) return false;
    func_renumber(fn);
    pass_fold(px, fn);
    pass_contract(px, fn); /* what a mask stood between */
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
