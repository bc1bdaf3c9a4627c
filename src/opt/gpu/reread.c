// SPDX-License-Identifier: Apache-2.0
/* reread: loads in loops that store, which no store meets.
 *
 *     for ..: %s = fadd %s, load %x                for ..: %s = fadd %s, load %x
 *     for ..: %y = load %x                 ->      for ..: %y = load %x {cache = nc}
 *             store %p, fsub %y, %s                        store %p, fsub %y, %s
 *
 * The assembler takes no load past a store that may write there; past others it begins those of a
 * few turns together. Where a turn has many loads they become too many: those stay as they are. So
 * do loads of what no loop has loaded before, which wait for memory: launches in place would take a
 * text with more barriers. Each launch is asked that what is read is nothing that is written. */
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/gpu/turns.h"

enum { MOST_LOADS = 4 }; /* of a thread in a turn */

typedef struct Reread {
    Func *fn;
    Facts *facts;
    Needs *needs;
    const Op *loop, *load;
    const Value *base; /* of the load */
    bool asks;
} Reread;

static bool is_plain(Op *op, void *user) {
    (void)user;
    bool stores = op->kind == OP_STORE && !store_volatile(op);
    return op->kind != OP_WHILE && (stores || op->kind == OP_BARRIER || !op_writes_memory(op));
}

/* Is it a store, of another parameter? */
static bool misses(Op *op, void *user) {
    Reread *r = user;
    if (op->kind != OP_STORE) return true;
    const Value *base = facts_base(r->facts, store_pointer(op));
    if (!base || base == r->base) return false;
    if (!r->asks || base->def) return true;
    needs_add_unequal(r->needs, base, r->base);
    needs_add_not_near(r->needs, base, op, r->base, r->load, r->loop);
    return true;
}

static bool is_elsewhere(Op *op, void *user) {
    Reread *r = user;
    return op->kind != OP_LOAD || facts_base(r->facts, load_pointer(op)) != r->base;
}

static bool is_reread(Reread *r) {
    for (const Op *op = r->loop->parent->first; op != r->loop; op = op->next)
        if (op->kind == OP_FOR && !region_walk(for_body(op), is_elsewhere, r)) return true;
    return false;
}

static int64_t loads_of(const Op *load) {
    const Type *type = op_result(load)->type;
    int64_t width = load_width(load) > 1 ? load_width(load) : 1;
    return type_is_tile(type) ? (layout_regs(type_layout(type)) + width - 1) / width : 1;
}

/* Does it load little, and store, and wait for nobody's accesses? A barrier stands between the
 * loads of two turns: there is nothing to begin. */
static bool is_light(const Op *loop) {
    int64_t loads = 0;
    bool stores = false;
    for (const Op *op = for_body(loop)->first; op; op = op->next) {
        if (op->num_regions && !op_has_trait(op, ISOLATED)) return false;
        if (op->barrier && access_pointer(op)) return false;
        if (op->kind == OP_LOAD) loads += loads_of(op);
        stores |= op->kind == OP_STORE;
    }
    return stores && loads <= MOST_LOADS;
}

static bool reread_load(Reread *r, Op *load) {
    r->load = load, r->base = facts_base(r->facts, load_pointer(load)), r->asks = false;
    if (load_volatile(load) || load_cache(load) != CACHE_NONE || !r->base || r->base->def)
        return false;
    if (!type_is_tile(load_pointer(load)->type) || !is_reread(r)) return false;
    if (!region_walk(r->fn->body, misses, r)) return false;
    r->asks = true;
    region_walk(r->fn->body, misses, r);
    load_set_cache(load, CACHE_NC);
    return true;
}

bool turns_reread(Func *fn, Facts *facts, Needs *needs) {
    Reread r = {.fn = fn, .facts = facts, .needs = needs};
    bool changed = false;
    if (!needs || fn->overlaps || func_has_atomics(fn)) return false;
    if (!region_walk(fn->body, is_plain, NULL)) return false;
    for (Op *loop = fn->body->first; loop; loop = loop->next) {
        if (loop->kind != OP_FOR || !is_light(loop)) continue;
        r.loop = loop;
        for (Op *op = for_body(loop)->first; op; op = op->next)
            changed |= op->kind == OP_LOAD && reread_load(&r, op);
    }
    return changed;
}
