// SPDX-License-Identifier: Apache-2.0
/* carry: a carried tile that only moves by a uniform amount becomes a carried scalar.
 *
 *     for .. (p = p0) { .. yield addptr(p, splat(s)) }
 *     for .. (o = 0)  { p = addptr(p0, splat(o)) .. yield o + s }
 *
 * So addresses stay linear in the loop, and the tile is not held in registers from one turn to the
 * next: what it is made of is often less.
 *
 * The step is read off the op that moves the tile, not off facts: a linear form says the number, as
 * a sum of terms, and here the scalar that holds it is needed. `shape` has made it one splat
 * before. */
#include "opt/opt.h"

/* The scalar that all lanes of the tile are, or NULL. */
static Value *uniform_scalar(Builder *b, Value *value) {
    uint64_t bits;
    if (!type_is_tile(value->type)) return value;
    if (value->def && value->def->kind == OP_SPLAT) return value->def->operands[0];
    if (value_is_constant(value, &bits))
        return build_constant_bits(b, type_lane(value->type), bits);
    return NULL;
}

static Value *replaced_tile(Builder *b, Value *init, Value *offset, bool pointer) {
    Value *tile = build_splat(b, offset, init->type->rank, init->type->shape);
    return pointer ? build_addptr(b, init, tile) : build_2(b, OP_ADD, init, tile);
}

/* Carried value i of the loop; true if it was rewritten. */
static bool simplify_carried(Func *fn, Op *loop, int i) {
    Region *body = for_body(loop);
    Value *arg = for_arg(loop, i), *init = for_init(loop, i);
    Op *yield = body->last;
    Value *next = for_next(loop, i);
    bool pointer = type_is_ptr(arg->type);
    if (!type_is_tile(arg->type) || !(pointer || type_is_int(arg->type)) || type_is_bool(arg->type))
        return false;
    if (!next->def || next->def->parent != body) return false;
    Value *moved = NULL;
    if (pointer && next->def->kind == OP_ADDPTR && addptr_pointer(next->def) == arg)
        moved = addptr_offset(next->def);
    if (!pointer && next->def->kind == OP_ADD)
        moved = next->def->operands[0] == arg   ? next->def->operands[1]
                : next->def->operands[1] == arg ? next->def->operands[0]
                                                : NULL;
    if (!moved || value_is_inside(init, body)) return false;
    Builder before = {fn, loop->parent, loop, loop->span}, at_end = {fn, body, yield, loop->span};
    Value *step = uniform_scalar(&at_end, moved);
    if (!step) return false;
    const Type *offset_type = pointer ? type_scalar(TYPE_I64) : type_lane(arg->type);
    if (step->type != offset_type) step = build_cast(&at_end, OP_EXT_S, step, offset_type);
    Value *new_arg = arena_new_of(fn->arena, Value);
    *new_arg = *arg;
    new_arg->type = offset_type, new_arg->id = fn->num_values++;
    body->args[1 + i] = new_arg;
    loop->operands[FOR_BOUNDS + i] = build_int(&before, offset_type, 0);
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

static bool visit(Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= visit(fn, op->regions[i]);
        for (int i = 0; op->kind == OP_FOR && i < op->num_results; i++)
            changed |= simplify_carried(fn, op, i);
    }
    return changed;
}

bool pass_carry(PassCtx *px, Func *fn) {
    (void)px;
    return visit(fn, fn->body);
}
