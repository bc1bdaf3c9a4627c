// SPDX-License-Identifier: Apache-2.0
/* carry: two rewrites that make the rest simple.
 *
 * A carried tile that only moves by a uniform amount becomes a carried scalar:
 *
 *     for .. (p = p0) { .. yield addptr(p, splat(s)) }
 *     for .. (o = 0)  { p = addptr(p0, splat(o)) .. yield o + s }
 *
 * so that addresses stay linear in the loop. And dot's operands get the type of its accumulator. */
#include "gen/c/c.h"

/* The scalar that all lanes of the tile are, or NULL. */
static Value *uniform_scalar(Builder *b, Value *value) {
    uint64_t bits;
    while (value->def && (value->def->kind == OP_BROADCAST || value->def->kind == OP_EXPAND_DIMS))
        value = value->def->operands[0];
    if (!type_is_tile(value->type)) return value;
    if (value->def && value->def->kind == OP_SPLAT) return value->def->operands[0];
    if (value_is_constant(value, &bits))
        return build_constant_bits(b, type_lane(value->type), bits);
    return NULL;
}

static bool is_defined_outside(const Value *value, const Op *loop) {
    const Region *region = value->def ? value->def->parent : value->region;
    for (; region; region = region->owner ? region->owner->parent : NULL)
        if (region->owner == loop) return false;
    return true;
}

static Value *replaced_tile(Builder *b, Value *init, Value *offset, bool pointer) {
    Value *tile = build_splat(b, offset, init->type->rank, init->type->shape);
    return pointer ? build_addptr(b, init, tile) : build_2(b, OP_ADD, init, tile);
}

/* Carried value i of the loop; true if it was rewritten. */
static bool simplify_carried(Func *fn, Op *loop, int i) {
    Region *body = loop->regions[0];
    Value *arg = body->args[1 + i], *init = loop->operands[3 + i];
    Op *yield = body->last;
    Value *next = yield->operands[i];
    bool pointer = type_is_ptr(arg->type);
    if (!type_is_tile(arg->type) || !(pointer || type_is_int(arg->type)) || type_is_bool(arg->type))
        return false;
    if (!next->def || next->def->parent != body) return false;
    Value *moved = NULL;
    if (pointer && next->def->kind == OP_ADDPTR && next->def->operands[0] == arg)
        moved = next->def->operands[1];
    if (!pointer && next->def->kind == OP_ADD)
        moved = next->def->operands[0] == arg   ? next->def->operands[1]
                : next->def->operands[1] == arg ? next->def->operands[0]
                                                : NULL;
    if (!moved || !is_defined_outside(init, loop)) return false;
    Builder before = {fn, loop->parent, loop, loop->span}, at_end = {fn, body, yield, loop->span};
    Value *step = uniform_scalar(&at_end, moved);
    if (!step) return false;
    const Type *offset_type = pointer ? type_scalar(TYPE_I64) : type_lane(arg->type);
    if (step->type != offset_type) step = build_cast(&at_end, OP_EXT_S, step, offset_type);
    Value *new_arg = arena_new_of(fn->arena, Value);
    *new_arg = *arg;
    new_arg->type = offset_type, new_arg->id = fn->num_values++;
    body->args[1 + i] = new_arg;
    loop->operands[3 + i] = build_int(&before, offset_type, 0);
    Builder start = {fn, body, body->first, loop->span};
    arg->replaced = replaced_tile(&start, init, new_arg, pointer);
    yield->operands[i] = build_2(&at_end, OP_ADD, new_arg, step);
    /* The results move to new places; whoever read this one reads the tile made after the loop. */
    Value *old = loop->results;
    loop->results = arena_array(fn->arena, Value, loop->num_results);
    for (int k = 0; k < loop->num_results; k++) {
        loop->results[k] = old[k];
        old[k].replaced = &loop->results[k];
    }
    Value *result = &loop->results[i];
    result->type = offset_type, result->id = fn->num_values++;
    Builder after = {fn, loop->parent, loop->next, loop->span};
    old[i].replaced = replaced_tile(&after, init, result, pointer);
    func_resolve(fn);
    return true;
}

typedef struct Found {
    Func *fn;
    VEC(Op *) loops;
    VEC(Op *) dots;
} Found;

static bool find(Op *op, void *user) {
    Found *found = user;
    if (op->kind == OP_FOR) vec_push(found->fn->arena, &found->loops, op);
    if (op->kind == OP_DOT) vec_push(found->fn->arena, &found->dots, op);
    return true;
}

static Value *widened(Builder *b, Value *value, const Type *lane) {
    const Type *have = type_lane(value->type);
    if (have == lane) return value;
    return build_cast(b, type_is_int(have) ? OP_EXT_S : OP_FEXT, value, lane);
}

/* Operands get the accumulator's type; an accumulator of f16 or bf16 is rounded once, at the end.
 */
static void widen_dot(Func *fn, Op *dot) {
    const Type *acc = type_lane(dot->results[0].type);
    const Type *lane = type_is_int(acc) || acc->kind == TYPE_F64 ? acc : type_scalar(TYPE_F32);
    Builder b = {fn, dot->parent, dot, dot->span};
    for (int i = 0; i < 3; i++) dot->operands[i] = widened(&b, dot->operands[i], lane);
    if (acc == lane) return;
    const Type *type = dot->operands[2]->type;
    Op *wide = build_op(&b, OP_DOT, 3, dot->operands, 1, &type, 0, NULL);
    wide->attrs[0] = dot->attrs[0];
    dot->results[0].replaced = build_cast(&b, OP_FTRUNC, op_result(wide), acc);
    op_remove(dot);
}

void carry_simplify(Func *fn) {
    Found found = {.fn = fn};
    region_walk(fn->body, find, &found);
    for (int i = 0; i < found.dots.count; i++) widen_dot(fn, found.dots.data[i]);
    func_resolve(fn);
    for (int i = 0; i < found.loops.count; i++)
        for (int k = 0; k < found.loops.data[i]->num_results; k++)
            simplify_carried(fn, found.loops.data[i], k);
}
