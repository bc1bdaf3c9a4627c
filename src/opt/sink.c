// SPDX-License-Identifier: Apache-2.0
/* sink: what is cheap to make from little is made in the loop that reads it, not held all through
 * it.
 *
 *     %r = broadcast %rows                   %r = broadcast %rows
 *     %c = broadcast %columns                %c = broadcast %columns
 *     %o = add %r, %c                        for ..
 *     for ..                            ->     %o = add %r, %c
 *       .. addptr %p, %o                       .. addptr %p, %o
 *
 * A thread holds as many registers of %o as it has lanes of the tile, of %rows and %columns only
 * one for each row and each column. For tiles of many lanes a thread only, and against licm, so
 * after it. */
#include "opt/opt.h"

enum { MANY = 16 }; /* lanes a thread from which registers run short */

static bool is_spread(const Value *value) {
    return value->def && (value->def->kind == OP_BROADCAST || value->def->kind == OP_SPLAT ||
                          value->def->kind == OP_CONSTANT);
}

static bool is_cheap(const Func *fn, const Value *value) {
    const Op *op = value->def;
    if (!op || !type_is_int(value->type) || value->type->rank < 2) return false;
    int warps = fn->num_warps ? fn->num_warps : 4; /* none in a text */
    if (value->type->lanes < MANY * 32 * warps) return false;
    if (op->kind != OP_ADD && op->kind != OP_SUB) return false;
    return is_spread(op->operands[0]) && is_spread(op->operands[1]);
}

static bool sink_into(Func *fn, Op *op) {
    bool changed = false;
    for (int i = 0; i < op->num_operands; i++) {
        Value *value = op->operands[i];
        if (!is_cheap(fn, value) || value->def->parent == op->parent) continue;
        Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
        Map none = {.arena = fn->arena};
        op->operands[i] = op_result(op_clone(&b, value->def, &none));
        changed = true;
    }
    return changed;
}

static bool visit(Func *fn, Region *region, bool in_loop) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        bool loops = op->kind == OP_FOR || op->kind == OP_WHILE;
        for (int i = 0; i < op->num_regions; i++)
            changed |= visit(fn, op->regions[i], in_loop || loops);
        if (in_loop && op_has_trait(op, ELEMENTWISE)) changed |= sink_into(fn, op);
    }
    return changed;
}

bool pass_sink(PassCtx *px, Func *fn) {
    (void)px;
    return visit(fn, fn->body, false);
}
