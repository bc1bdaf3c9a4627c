// SPDX-License-Identifier: Apache-2.0
/* early: in loops with products by the tensor cores, small loads begin where the turn does.
 *
 *     for %i ..                             for %i ..
 *       %c = dot ..                           %p = addptr %g, %i
 *       ..                           ->       %x = load %p
 *       %p = addptr %g, %i                    %c = dot ..
 *       %x = load %p                          ..
 *
 * Scalars and rows of numbers (decays, lengths) are in no ring: the block would wait for memory at
 * the place where it wants them, behind the products; so it waits while it multiplies. What the
 * address and the mask are made of goes along: pure ops on the loop's values. Nothing in the loop
 * may write where they read. No more than a few registers of a thread. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

enum { MOST_REGISTERS = 4 }; /* of a load */

typedef struct Early {
    PassCtx *px;
    Func *fn;
    const Facts *facts;
    bool has_atomics;
    Region *body;
    bool *moves; /* by value id: what makes it goes to the turn's beginning */
} Early;

typedef struct Conflict {
    const Early *e;
    const Op *load;
} Conflict;

static bool is_no_conflict(Op *op, void *user) {
    const Conflict *c = user;
    return !facts_may_write(c->e->facts, op, c->load);
}

static bool is_small(const Op *load) {
    const Type *type = op_result(load)->type;
    if (!type_is_tile(type)) return true;
    return type->rank == 1 && layout_regs(type_layout(type)) <= MOST_REGISTERS;
}

/* Can it be made where the turn begins? Then what makes it is marked. */
static bool mark(Early *e, const Value *value, int depth) {
    enum { DEEPEST = 40 };
    const Op *op = value->def;
    int bytes[MAX_TRIPS];
    if (!op || op->parent != e->body || e->moves[value->id]) return true;
    if (depth == DEEPEST || !op_has_trait(op, PURE) || op->num_regions || op->num_results != 1 ||
        op_trips(e->fn, e->has_atomics, op, bytes))
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!mark(e, op->operands[i], depth + 1)) return false;
    return e->moves[value->id] = true;
}

static bool begins_early(Early *e, const Op *load) {
    Conflict c = {e, load};
    int bytes[MAX_TRIPS];
    if (load_volatile(load) || !is_small(load) || op_trips(e->fn, e->has_atomics, load, bytes) ||
        !region_walk(e->body, is_no_conflict, &c))
        return false;
    for (int i = 0; i < load->num_operands; i++)
        if (!mark(e, load->operands[i], 0)) return false;
    return e->moves[op_result(load)->id] = true;
}

static bool has_product(const Region *body) {
    for (const Op *op = body->first; op; op = op->next)
        if (op->kind == OP_DOT && (dot_unit(op) == UNIT_MMA || dot_unit(op) == UNIT_WGMMA))
            return true;
    return false;
}

/* In the order in which they stand. */
static bool move_loads(Early *e, Region *body) {
    bool any = false;
    e->body = body;
    for (Op *op = body->first; op; op = op->next)
        if (op->kind == OP_LOAD) any |= begins_early(e, op);
    Op *to = body->first;
    for (Op *op = body->first, *next; any && op; op = next) {
        next = op->next;
        if (op->num_results != 1 || !e->moves[op_result(op)->id]) continue;
        if (op == to)
            to = op->next;
        else
            op_move_before(op, to);
    }
    return any;
}

static bool early_region(Early *e, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= early_region(e, op->regions[i]);
        if (op->kind == OP_FOR && has_product(for_body(op))) changed |= move_loads(e, for_body(op));
    }
    return changed;
}

bool pass_early(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Early e = {.px = px, .fn = fn, .has_atomics = func_has_atomics(fn)};
    e.facts = facts_compute(px->scratch, fn);
    e.moves = arena_array(px->scratch, bool, fn->num_values);
    if (!early_region(&e, fn->body)) return false;
    func_renumber(fn);
    return true;
}
