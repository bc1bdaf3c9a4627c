// SPDX-License-Identifier: Apache-2.0
/* together: reductions that do not wait for each other go through the block together.
 *
 *     %a = reduce %x {axis = 0} (%l, %r) {..}      %d = div %a', %n    moves behind
 *     %d = div %a, %n                          ->  %a', %b' = reduce %x, %y {axis = 0}
 *     %b = reduce %y {axis = 0} (%l, %r) {..}          (%l, %l.1, %r, %r.1) {.. ..}
 *
 * Each reduction of a tile that several warps hold has the block's threads wait once, and its
 * shuffles follow one another: of two together one waits while the other goes on. The first goes
 * down to the second, and what is made of its result moves behind both; so that must be pure. Not
 * where the combination needs its lanes in order, where a loop or branch stands between, or where
 * the tiles are so large that holding the first for longer costs more than waiting: of tiles that a
 * load between them brings, fewer. */
#include "ir/trips.h"
#include "opt/opt.h"

/* Lanes of a thread; and how many ops away the first may be. */
enum { MOST_HELD = 128, MOST_HELD_OVER_LOADS = 32, MOST_TOGETHER = 8, FAR = 256 };

typedef struct Pair {
    Func *fn;
    Op *first, *second;
    VEC(Op *) behind; /* what reads the first, in order */
} Pair;

static bool reads(const Pair *p, const Op *op) {
    for (int i = 0; i < op->num_operands; i++) {
        const Op *from = op->operands[i]->def;
        if (from == p->first) return true;
        for (int k = 0; from && k < p->behind.count; k++)
            if (p->behind.data[k] == from) return true;
    }
    return false;
}

static bool are_alike(const Op *a, const Op *b) {
    return a->kind == OP_REDUCE && b->kind == OP_REDUCE && reduce_axis(a) == reduce_axis(b) &&
           type_same_shape(a->operands[0]->type, b->operands[0]->type) &&
           a->num_operands + b->num_operands <= MOST_TOGETHER && reduce_by_value(a) &&
           reduce_by_value(b);
}

/* May the first go down to the second? Notes what must then move behind both. */
static bool may_meet(Pair *p, Arena *scratch) {
    const Type *type = p->first->operands[0]->type;
    int warps = p->fn->num_warps ? p->fn->num_warps : 4; /* none in a text */
    int held = type->lanes / (32 * warps) * (p->first->num_operands + p->second->num_operands);
    int most = MOST_HELD;
    p->behind.count = 0;
    for (Op *op = p->first->next; op != p->second; op = op->next) {
        if (op->num_regions && !op_has_trait(op, ISOLATED)) return false;
        if (op_has_trait(op, READS)) most = MOST_HELD_OVER_LOADS;
        if (!reads(p, op)) continue;
        if (!op_is_pure(op)) return false;
        vec_push(scratch, &p->behind, op);
    }
    return held <= most && !reads(p, p->second);
}

/* The ops of a combination, on arguments of the new one: its left ones from `left` on, and so the
 * right ones. */
static void add_combination(Builder *b, const Op *op, int left, int right, Value **yields) {
    Map values = {.arena = b->fn->arena};
    const Region *from = op->regions[0];
    const Op *yield = region_yield(from);
    for (int i = 0; i < op->num_operands; i++) {
        map_set_pointer(&values, from->args[i], b->region->args[left + i]);
        map_set_pointer(&values, from->args[op->num_operands + i], b->region->args[right + i]);
    }
    for (const Op *inner = from->first; inner != yield; inner = inner->next)
        op_clone(b, inner, &values);
    for (int i = 0; i < op->num_operands; i++)
        yields[left + i] = map_get_pointer(&values, yield->operands[i]);
}

static Op *meet(Pair *p) {
    Func *fn = p->fn;
    Op *of[2] = {p->first, p->second};
    Value *operands[MOST_TOGETHER], *yields[MOST_TOGETHER];
    const Type *types[MOST_TOGETHER];
    int count = 0, split = p->first->num_operands;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < of[k]->num_operands; i++, count++)
            operands[count] = of[k]->operands[i], types[count] = of[k]->results[i].type;
    Region *region = region_new(fn);
    for (int i = 0; i < 2 * count; i++)
        region_add_arg(fn, region, type_lane(operands[i % count]->type));
    Builder inside = {.fn = fn, .region = region, .span = p->second->span};
    add_combination(&inside, p->first, 0, count, yields);
    add_combination(&inside, p->second, split, count + split, yields);
    build_yield(&inside, count, yields);
    Builder b = {
        .fn = fn, .region = p->second->parent, .before = p->second, .span = p->second->span};
    Op *both = build_op(&b, OP_REDUCE, count, operands, count, types, 1, &region);
    reduce_set_axis(both, reduce_axis(p->first));
    for (int i = 0; i < count; i++) {
        Value *old = i < split ? &p->first->results[i] : &p->second->results[i - split];
        both->results[i].name = old->name;
        old->replaced = &both->results[i];
    }
    for (int i = 0; i < p->behind.count; i++) op_move_before(p->behind.data[i], p->second);
    op_remove(p->first);
    op_remove(p->second);
    return both;
}

static bool visit(PassCtx *px, Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= visit(px, fn, op->regions[i]);
        Pair p = {.fn = fn, .second = op};
        int away = 0;
        for (Op *before = op->prev; op->kind == OP_REDUCE && before && away++ < FAR;
             before = before->prev) {
            p.first = before;
            if (!are_alike(before, op) || !may_meet(&p, px->scratch)) continue;
            before = op = p.second = meet(&p);
            func_resolve(fn);
            changed = true;
        }
    }
    return changed;
}

bool pass_together(PassCtx *px, Func *fn) { return visit(px, fn, fn->body); }
