// SPDX-License-Identifier: Apache-2.0
/* change: what passes do to a function: move, remove, replace, copy. */
#include "ir/ir.h"

Op *region_yield(const Region *region) {
    return region->last && region->last->kind == OP_YIELD ? region->last : NULL;
}

void op_remove(Op *op) {
    Region *region = op->parent;
    if (op->prev)
        op->prev->next = op->next;
    else
        region->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        region->last = op->prev;
    op->prev = op->next = NULL;
    op->parent = NULL;
}

void op_move_before(Op *op, Op *before) {
    if (op->parent) op_remove(op);
    Region *region = before->parent;
    op->parent = region;
    op->prev = before->prev;
    op->next = before;
    if (op->prev)
        op->prev->next = op;
    else
        region->first = op;
    before->prev = op;
}

Value *value_resolve(Value *value) {
    while (value->replaced) {
        if (value->replaced->replaced) value->replaced = value->replaced->replaced;
        value = value->replaced;
    }
    return value;
}

static void region_resolve(Region *region) {
    for (Op *op = region->first; op; op = op->next) op_resolve_operands(op);
}

void op_resolve_operands(Op *op) {
    for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
    for (int i = 0; i < op->num_regions; i++) region_resolve(op->regions[i]);
}

void func_resolve(Func *fn) { region_resolve(fn->body); }

bool region_replace(Region *region, OpReplace *replacement, void *user) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
        for (int i = 0; i < op->num_regions; i++)
            changed |= region_replace(op->regions[i], replacement, user);
        Value *found = replacement(op, user);
        if (!found) continue;
        op_result(op)->replaced = found;
        op_remove(op);
        changed = true;
    }
    return changed;
}

static Value *mapped(const Map *values, Value *old) {
    Value *found = map_get_pointer(values, old);
    return found ? found : old;
}

Op *op_clone(Builder *b, const Op *op, Map *values) {
    Arena *arena = b->fn->arena;
    Value **operands = arena_array(arena, Value *, op->num_operands);
    const Type **types = arena_array(arena, const Type *, op->num_results);
    Region **regions = arena_array(arena, Region *, op->num_regions);
    for (int i = 0; i < op->num_operands; i++) operands[i] = mapped(values, op->operands[i]);
    for (int i = 0; i < op->num_results; i++) types[i] = op->results[i].type;
    for (int i = 0; i < op->num_regions; i++)
        regions[i] = region_clone(b->fn, op->regions[i], values);
    Op *copy = build_op(b, op->kind, op->num_operands, operands, op->num_results, types,
                        op->num_regions, regions);
    copy->span = op->span;
    memcpy(copy->attrs, op->attrs, sizeof copy->attrs);
    copy->barrier = op->barrier, copy->num_trips = op->num_trips, copy->trips = op->trips;
    for (int i = 0; i < op->num_results; i++) {
        copy->results[i].name = op->results[i].name;
        map_set_pointer(values, &op->results[i], &copy->results[i]);
    }
    return copy;
}

Region *region_clone(Func *fn, const Region *region, Map *values) {
    Region *copy = region_new(fn);
    for (int i = 0; i < region->num_args; i++) {
        Value *arg = region_add_arg(fn, copy, region->args[i]->type);
        arg->name = region->args[i]->name;
        map_set_pointer(values, region->args[i], arg);
    }
    Builder b = {.fn = fn, .region = copy};
    for (const Op *op = region->first; op; op = op->next) op_clone(&b, op, values);
    return copy;
}

Func *func_copy(const Func *fn) {
    Func *copy = arena_new_of(fn->arena, Func);
    Map values = {.arena = fn->arena};
    *copy = *fn;
    copy->num_values = 0;
    copy->body = region_clone(copy, fn->body, &values);
    copy->params = arena_array(fn->arena, Param, fn->num_params);
    for (int i = 0; i < fn->num_params; i++) {
        copy->params[i] = fn->params[i];
        copy->params[i].value = copy->body->args[i];
    }
    return copy;
}

static void region_renumber(Func *fn, Region *region) {
    for (int i = 0; i < region->num_args; i++) region->args[i]->id = fn->num_values++;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) region_renumber(fn, op->regions[i]);
        for (int i = 0; i < op->num_results; i++) op->results[i].id = fn->num_values++;
    }
}

void func_renumber(Func *fn) {
    fn->num_values = 0;
    region_renumber(fn, fn->body);
}

bool region_walk(Region *region, bool (*visit)(Op *op, void *user), void *user) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (!visit(op, user)) return false;
        for (int i = 0; i < op->num_regions; i++)
            if (!region_walk(op->regions[i], visit, user)) return false;
    }
    return true;
}

Op *for_carry_more(Func *fn, Op *loop, int count, Value *const *starts, Value **args) {
    int num_old = loop->num_operands, results = loop->num_results;
    Value **operands = arena_array(fn->arena, Value *, num_old + count);
    const Type **types = arena_array(fn->arena, const Type *, results + count);
    for (int i = 0; i < num_old; i++) operands[i] = loop->operands[i];
    for (int i = 0; i < results; i++) types[i] = loop->results[i].type;
    for (int i = 0; i < count; i++) {
        operands[num_old + i] = starts[i];
        types[results + i] = starts[i]->type;
        args[i] = region_add_arg(fn, loop->regions[0], starts[i]->type);
    }
    Builder b = {.fn = fn, .region = loop->parent, .before = loop, .span = loop->span};
    Op *made = build_op(&b, OP_FOR, num_old + count, operands, results + count, types, 1,
                        &loop->regions[0]);
    memcpy(made->attrs, loop->attrs, sizeof made->attrs);
    for (int i = 0; i < results; i++) {
        made->results[i].name = loop->results[i].name;
        loop->results[i].replaced = &made->results[i];
    }
    op_remove(loop);
    return made;
}

void for_yield_more(Func *fn, Op *loop, int count, Value *const *values) {
    Op *yield = region_yield(loop->regions[0]);
    Value **operands = arena_array(fn->arena, Value *, yield->num_operands + count);
    for (int i = 0; i < yield->num_operands; i++) operands[i] = yield->operands[i];
    for (int i = 0; i < count; i++) operands[yield->num_operands + i] = values[i];
    yield->operands = operands;
    yield->num_operands += count;
}
