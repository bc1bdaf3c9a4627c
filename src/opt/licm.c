// SPDX-License-Identifier: Apache-2.0
/* licm: move loop-invariant pure ops out of loops.
 *
 *     for ..                         %2 = splat %n
 *       %2 = splat %n          ->    for ..
 *       %3 = icmp slt %i, %2           %3 = icmp slt %i, %2
 *
 * Pure ops cannot fail (x / 0 is 0), so running them when the loop does not run is harmless. A load
 * may fault and may be waiting for another program: it moves only out of a for that certainly runs,
 * whose body writes nothing, and when it is not volatile. Inner loops first, so that an op can
 * leave several loops in one pass. A load that has to stay is a remark. */
#include "opt/opt.h"

static bool reads_outside_only(const Op *op, const Region *loop);

static bool region_reads_outside_only(const Region *region, const Region *loop) {
    for (const Op *op = region->first; op; op = op->next)
        if (!reads_outside_only(op, loop)) return false;
    return true;
}

/* No operand of op, or of ops in its regions, is defined in the loop outside of op itself. */
static bool reads_outside_only(const Op *op, const Region *loop) {
    for (int i = 0; i < op->num_operands; i++) {
        const Value *value = op->operands[i];
        if (!value_is_inside(value, loop)) continue;
        const Region *at = value->def ? value->def->parent : value->region;
        if (at == loop) return false;
    }
    for (int i = 0; i < op->num_regions; i++)
        if (!region_reads_outside_only(op->regions[i], loop)) return false;
    return true;
}

static bool region_writes(const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op_has_trait(op, WRITES) || (op->kind == OP_INLINE_ASM && !op_is_pure(op))) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (region_writes(op->regions[i])) return true;
    }
    return false;
}

static bool certainly_runs(const Op *op) {
    int64_t lower, upper, step;
    if (op->kind != OP_FOR || for_unsigned(op)) return false;
    return value_is_int(for_lower(op), &lower) && value_is_int(for_upper(op), &upper) &&
           value_is_int(for_step(op), &step) &&
           ((step > 0 && lower < upper) || (step < 0 && lower > upper));
}

/* Why a load that reads the same in each turn stays in the loop; NULL: it does not. */
static const char *loads_stay(const Op *loop, const Region *body) {
    if (!certainly_runs(loop)) return "which may not run at all";
    return region_writes(body) ? "which writes memory" : NULL;
}

static bool hoist(Diag *diag, Op *loop, Region *body) {
    const char *stay = loads_stay(loop, body);
    bool changed = false;
    for (Op *op = body->first, *next; op; op = next) {
        next = op->next;
        bool is_load = op->kind == OP_LOAD && load_volatile(op) == 0;
        if (op->kind == OP_YIELD || !(op_is_pure(op) || is_load)) continue;
        if (!reads_outside_only(op, body)) continue;
        if (is_load && stay) {
            diag_remark(diag, op->span,
                        "a load from the same place in each turn stays in the loop, %s", stay);
            continue;
        }
        op_move_before(op, loop);
        changed = true;
    }
    return changed;
}

static bool visit(Diag *diag, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= visit(diag, op->regions[i]);
        if (op->kind != OP_FOR && op->kind != OP_WHILE) continue;
        for (int i = 0; i < op->num_regions; i++) changed |= hoist(diag, op, op->regions[i]);
    }
    return changed;
}

bool pass_licm(PassCtx *px, Func *fn) { return visit(px->diag, fn->body); }
