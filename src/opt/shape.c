// SPDX-License-Identifier: Apache-2.0
/* shape: compute on the fewest lanes.
 *
 *     %1 = splat %a : tile<1024xi32>        %3 = add %a, %b : i32
 *     %2 = splat %b : tile<1024xi32>   ->   %4 = splat %3 : tile<1024xi32>
 *     %3 = add %1, %2
 *
 * An elementwise op moves in front of the splat or broadcast of its operands when all come from the
 * same small shape (constants fit any). A load whose address and mask are the same in all lanes
 * becomes one scalar load. And (x + splat a) + splat b becomes x + splat(a + b), exact for integers
 * and addresses, so that the uniform part of an address is one scalar, or one for each row. */
#include "opt/opt.h"

/* ---- elementwise before splat and broadcast ---- */

static Value *source_of(const Value *value, OpKind kind) {
    return value->def && value->def->kind == kind ? value->def->operands[0] : NULL;
}

/* The type that all operands have before `kind` (splat or broadcast); NULL when they do not agree.
 */
static const Type *common_source(const Op *op, OpKind kind) {
    const Type *common = NULL;
    uint64_t bits;
    for (int i = 0; i < op->num_operands; i++) {
        const Value *operand = op->operands[i];
        if (!type_is_tile(operand->type) || value_is_constant(operand, &bits)) continue;
        const Value *source = source_of(operand, kind);
        if (!source) return NULL;
        if (common && !type_same_shape(common, source->type)) return NULL;
        common = source->type;
    }
    return common;
}

static Value *narrowed_operand(Builder *b, Value *operand, OpKind kind, const Type *shape) {
    uint64_t bits;
    if (!type_is_tile(operand->type)) return operand;
    if (value_is_constant(operand, &bits))
        return build_constant_bits(b, type_with_elem(b->fn->types, shape, type_lane(operand->type)),
                                   bits);
    return source_of(operand, kind);
}

static Value *widened(Builder *b, Value *value, const Type *to) {
    return value->type->rank == 0 ? build_splat(b, value, to->rank, to->shape)
                                  : build_broadcast(b, value, to->shape);
}

static Value *compute_before(Func *fn, Op *op, OpKind kind) {
    const Type *small = common_source(op, kind), *to = op->results[0].type;
    Value *operands[3];
    if (!small) return NULL;
    Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
    for (int i = 0; i < op->num_operands; i++)
        operands[i] = narrowed_operand(&b, op->operands[i], kind, small);
    const Type *type = type_with_elem(fn->types, small, type_lane(to));
    Op *made = build_op(&b, op->kind, op->num_operands, operands, 1, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    return widened(&b, op_result(made), to);
}

/* ---- one scalar for the uniform part of a sum ---- */

/* (broadcast p + x) + splat a -> broadcast(p + splat a) + x: fewer lanes. */
static Value *add_before_broadcast(Func *fn, Op *op, const Op *inner, Value *uniform) {
    Value *small = source_of(inner->operands[0], OP_BROADCAST);
    if (op->kind != OP_ADDPTR || !small) return NULL;
    Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
    Value *moved =
        build_addptr(&b, small, build_splat(&b, uniform, small->type->rank, small->type->shape));
    return build_addptr(&b, build_broadcast(&b, moved, op->results[0].type->shape),
                        inner->operands[1]);
}

static Value *merge_uniform(Func *fn, Op *op) {
    if (op->kind != OP_ADD && op->kind != OP_ADDPTR) return NULL;
    for (int side = 0; side < (op->kind == OP_ADD ? 2 : 1); side++) {
        const Op *inner = op->operands[side]->def;
        Value *outer = source_of(op->operands[1 - side], OP_SPLAT);
        if (!outer || !inner || inner->kind != op->kind) continue;
        Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
        for (int k = 0; k < (op->kind == OP_ADD ? 2 : 1); k++) {
            Value *uniform = source_of(inner->operands[k], OP_SPLAT);
            const Type *type = op->results[0].type;
            if (!uniform) continue;
            Value *sum =
                build_splat(&b, build_2(&b, op->kind, uniform, outer), type->rank, type->shape);
            return op->kind == OP_ADD ? build_2(&b, OP_ADD, sum, inner->operands[1 - k])
                                      : build_addptr(&b, sum, inner->operands[1]);
        }
        Value *found = add_before_broadcast(fn, op, inner, outer);
        if (found) return found;
    }
    return NULL;
}

static Value *rewrite(Func *fn, Op *op) {
    Value *found = NULL;
    if (op->num_results != 1 || !type_is_tile(op->results[0].type) || op->num_operands > 3)
        return NULL;
    bool is_load = op->kind == OP_LOAD && load_volatile(op) == 0;
    if (is_load) return compute_before(fn, op, OP_SPLAT);
    if (!op_has_trait(op, ELEMENTWISE)) return NULL;
    if ((found = compute_before(fn, op, OP_SPLAT))) return found;
    if ((found = compute_before(fn, op, OP_BROADCAST))) return found;
    return merge_uniform(fn, op);
}

static Value *named(Op *op, void *fn) {
    Value *found = rewrite(fn, op);
    if (found) found->name = op->results[0].name;
    return found;
}

bool pass_shape(PassCtx *px, Func *fn) {
    (void)px;
    return region_replace(fn->body, named, fn);
}
