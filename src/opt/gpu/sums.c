// SPDX-License-Identifier: Apache-2.0
/* sums: what a loop only adds up is reduced once, behind it.
 *
 *     for .. (%s = %s0)                     for .. (%t = 0)
 *       %r = reduce %x {add}                  %t' = fadd %t, %x
 *       %s' = fadd %s, %r           ->        yield %t'
 *       yield %s'                           %r = reduce %t {add}
 *                                           %s = fadd %s0, %r
 *
 * A reduction of a tile that several warps hold has the whole block wait in each turn, and what the
 * next turn loads waits with it. Sums, products, extremes and bits alike, where nobody in the loop
 * reads what there is so far. Of a row, %x is what is left once each thread has added up its own
 * lanes, but for those of a vector. The order of the sum is another; tl.sum promises none. Not
 * beside products: there registers are few. Behind `pieces`, which leaves tiles that loops carry
 * whole. */
#include "ir/trips.h"
#include "opt/gpu/pieces.h"

enum { MOST_HELD = 16, MOST_TOGETHER = 8 }; /* registers of a thread; results of a reduction */
enum { VECTOR = 8 };                        /* lanes of a thread side by side, at most */

typedef struct Sums {
    Func *fn;
    Op *loop;
    int held; /* registers so far, of what the loop carries for this */
} Sums;

/* What changes no number that it is combined with. */
static Value *neutral(Builder *b, OpKind kind, const Type *tile) {
    const Type *lane = type_lane(tile);
    Value *number =
        kind == OP_FADD ? build_float(b, lane, -0.0) : build_int(b, lane, kind == OP_AND ? -1 : 0);
    return build_splat(b, number, tile->rank, tile->shape);
}

static OpKind combination(const Op *reduce, int k) {
    return region_yield(reduce->regions[0])->operands[k]->def->kind;
}

/* The carried value that result k is combined with in each turn, and nobody reads besides; or -1.
 */
static int carried(const Sums *s, const Op *reduce, int k) {
    OpKind kind = combination(reduce, k);
    const Op *loop = s->loop, *yield = for_body(loop)->last;
    bool fits =
        kind == OP_FADD || kind == OP_ADD || kind == OP_AND || kind == OP_OR || kind == OP_XOR;
    for (int i = 0; fits && i < for_count(loop); i++) {
        const Op *next = yield->operands[i]->def;
        if (!next || next->kind != kind || next->parent != reduce->parent) continue;
        const Value *with = &reduce->results[k], *arg = for_arg(loop, i);
        bool straight = next->operands[0] == arg && next->operands[1] == with;
        if (!straight && !(next->operands[0] == with && next->operands[1] == arg)) continue;
        if (value_is_used_once(s->fn, arg) && value_is_used_once(s->fn, with) &&
            value_is_used_once(s->fn, yield->operands[i]))
            return i;
    }
    return -1;
}

/* How many lanes along the axis become one. */
static int fold_of(const Func *fn, const Op *reduce) {
    int warps = fn->num_warps ? fn->num_warps : 4; /* none in a text */
    const Type *tile = reduce->operands[0]->type;
    return tile->rank == 1 && tile->lanes > 32 * warps * VECTOR
               ? tile->lanes / (32 * warps * VECTOR)
               : 1;
}

static bool can_wait(Sums *s, const Op *reduce, int which[MOST_TOGETHER]) {
    int warps = s->fn->num_warps ? s->fn->num_warps : 4, held = s->held;
    const Type *left = op_result(reduce)->type;
    if (reduce->num_operands > MOST_TOGETHER || !reduce_by_value(reduce)) return false;
    if (type_is_tile(left) && left->lanes >= 32 * warps) return false; /* nobody waits, mostly */
    for (int k = 0; k < reduce->num_operands; k++) {
        const Type *tile = reduce->operands[k]->type;
        int lanes = (tile->lanes / fold_of(s->fn, reduce) + 32 * warps - 1) / (32 * warps);
        held += (lanes * type_size_bytes(tile) + 3) / 4;
    }
    if (held > MOST_HELD) return false;
    for (int k = 0; k < reduce->num_operands; k++)
        if ((which[k] = carried(s, reduce, k)) < 0) return false;
    s->held = held;
    return true;
}

/* Carried value i of the loop is now the lanes so far. Returns what they are in the end. */
static Value *carry_lanes(Sums *s, int i, Value *lanes, OpKind kind) {
    Func *fn = s->fn;
    Op *loop = s->loop, *yield = for_body(loop)->last, *old = yield->operands[i]->def;
    Builder before = {.fn = fn, .region = loop->parent, .before = loop, .span = loop->span};
    Value *arg = arena_new_of(fn->arena, Value);
    *arg = *for_arg(loop, i);
    arg->type = lanes->type, arg->id = fn->num_values++;
    for_body(loop)->args[1 + i] = arg;
    loop->operands[FOR_BOUNDS + i] = neutral(&before, kind, lanes->type);
    Builder in = {.fn = fn, .region = old->parent, .before = old, .span = old->span};
    yield->operands[i] = build_2(&in, kind, arg, lanes);
    op_remove(old);
    loop->results[i].type = lanes->type;
    return &loop->results[i];
}

/* A loop's result has a new type: who read it reads the sum behind the loop. */
static void move_behind(Sums *s, Op *reduce, const int which[MOST_TOGETHER]) {
    Op *loop = s->loop, *next = loop->next;
    Value *starts[MOST_TOGETHER], *old = loop->results;
    OpKind kinds[MOST_TOGETHER];
    loop->results = arena_array(s->fn->arena, Value, loop->num_results);
    for (int i = 0; i < loop->num_results; i++) {
        loop->results[i] = old[i];
        old[i].replaced = &loop->results[i];
    }
    Builder in = {.fn = s->fn, .region = reduce->parent, .before = reduce, .span = reduce->span};
    fold_lanes(&in, reduce, fold_of(s->fn, reduce), reduce->operands);
    for (int k = 0; k < reduce->num_operands; k++) {
        starts[k] = for_init(loop, which[k]);
        kinds[k] = combination(reduce, k);
        reduce->operands[k] = carry_lanes(s, which[k], reduce->operands[k], kinds[k]);
        reduce->operands[k]->id = s->fn->num_values++;
    }
    op_move_before(reduce, next);
    Builder after = {.fn = s->fn, .region = loop->parent, .before = next, .span = reduce->span};
    for (int k = 0; k < reduce->num_operands; k++)
        old[which[k]].replaced = build_2(&after, kinds[k], starts[k], &reduce->results[k]);
    func_resolve(s->fn);
}

static bool sums_loop(Func *fn, Op *loop) {
    Sums s = {.fn = fn, .loop = loop};
    bool changed = false;
    int which[MOST_TOGETHER];
    if (region_has(for_body(loop), OP_DOT)) return false;
    for (Op *op = for_body(loop)->first, *next; op; op = next) {
        next = op->next;
        if (op->kind != OP_REDUCE || !can_wait(&s, op, which)) continue;
        move_behind(&s, op, which);
        changed = true;
    }
    return changed;
}

static bool sums_region(Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= sums_region(fn, op->regions[i]);
        if (op->kind == OP_FOR) changed |= sums_loop(fn, op);
    }
    return changed;
}

bool pass_sums(PassCtx *px, Func *fn) {
    (void)px;
    if (fn->form != FORM_PROGRAM || !sums_region(fn, fn->body)) return false;
    func_renumber(fn);
    return true;
}
