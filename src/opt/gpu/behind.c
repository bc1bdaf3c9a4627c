// SPDX-License-Identifier: Apache-2.0
/* behind: what only the storing of a tile asks for is made behind the loop that adds it up.
 *
 *     %o = mul %rows, %stride                while ..
 *     while ..                                 for ..: ready .. dot ..
 *       %m = icmp ult %columns, %n      ->     %o = mul %rows, %stride
 *       for ..: ready .. dot ..                %m = icmp ult %columns, %n
 *       store .. %o .., %m                     store .. %o .., %m
 *
 * A thread would hold it all through the loop, beside sums and the addresses of its copies: in
 * programs that walk over tiles licm has moved it out of all loops. Of loops with a product by
 * wgmma in other loops, whose copies threads make: no parameter is the base of what they read, so
 * that there are no boxes (box.c). By four warps: eight have the registers, and took 2 % longer to
 * make it for each tile (128x128x64, H200). */
#include "ir/place.h"
#include "ir/turn.h"
#include "opt/opt.h"

typedef struct Behind {
    const Facts *facts;
    Op *loop;
    bool *needed;  /* by value id: otherwise */
    bool computed; /* addresses, of what it copies */
} Behind;

static bool note_fill(Op *op, void *user) {
    Behind *b = user;
    if (op->kind == OP_FILL) b->computed = !facts_base(b->facts, fill_pointer(op));
    return true;
}

static bool multiplies(const Op *loop) {
    for (const Op *op = for_body(loop)->first; op; op = op->next)
        if (op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA) return true;
    return false;
}

/* Integers, truth values and addresses that each thread computes for itself. */
static bool is_cheap(const Op *op) {
    if (op->num_results != 1 || op->num_regions || !op_has_trait(op, PURE)) return false;
    const Type *type = op_result(op)->type;
    if (!type_is_tile(type) || type_is_float(type_lane(type)) || type->place->shared) return false;
    return op_has_trait(op, ELEMENTWISE) || op->kind == OP_ARANGE || op->kind == OP_SPLAT ||
           op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS;
}

/* The op of the loop's region, or of one around it, that `op` is or is in, or NULL. */
static const Op *at_region(const Op *op, const Region *region) {
    while (op && op->parent != region) op = op->parent->owner;
    return op;
}

static bool is_behind(const Behind *b, const Op *op) {
    const Op *at = at_region(op, b->loop->parent);
    return at && at != b->loop && op_is_before(b->loop, at);
}

static bool is_before(const Behind *b, const Op *op) {
    const Op *at = at_region(b->loop, op->parent);
    return at && at != op && op_is_before(op, at);
}

static bool note_needs(Op *op, void *user) {
    Behind *b = user;
    if (is_behind(b, op) || (is_cheap(op) && is_before(b, op))) return true;
    for (int i = 0; i < op->num_operands; i++) b->needed[op->operands[i]->id] = true;
    return true;
}

static bool move(Behind *b) {
    bool changed = false;
    for (Op *at = b->loop; at; at = at->parent->owner) {
        for (Op *op = at->prev, *before; op; op = before) {
            before = op->prev;
            if (!is_cheap(op)) continue;
            if (b->needed[op_result(op)->id]) {
                op_note_operands(op, b->needed);
            } else {
                op_move_before(op, b->loop->next);
                changed = true;
            }
        }
    }
    return changed;
}

static bool visit(PassCtx *px, Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        Behind b = {.loop = op};
        for (int i = 0; i < op->num_regions; i++) changed |= visit(px, fn, op->regions[i]);
        if (op->kind != OP_FOR || !op_is_in_loop(op) || !multiplies(op)) continue;
        func_renumber(fn);
        b.facts = facts_compute(px->scratch, fn);
        region_walk(for_body(op), note_fill, &b);
        if (!b.computed) continue;
        b.needed = arena_array(px->scratch, bool, fn->num_values);
        region_walk(fn->body, note_needs, &b);
        changed |= move(&b);
    }
    return changed;
}

bool pass_behind(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED || fn->num_warps != 4 || !visit(px, fn, fn->body)) return false;
    func_renumber(fn);
    return true;
}
