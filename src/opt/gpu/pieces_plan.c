// SPDX-License-Identifier: Apache-2.0
/* pieces_plan: which loops pass `pieces` makes over the pieces of a dimension, and what they need.
 *
 *     %x = load %p               nest 0: %m, of %x
 *     %m = reduce %x        ->   nest 1: the store, of %x and %m, which it waits for; it loads %x
 *     store %q, fsub %x, %m      again, if that is the same
 *
 * Nothing between a load and the last of its nests may write where it reads, but a store to the
 * very lanes in the nest itself; what other parameters write may be the same memory, of which each
 * launch is asked (meets.c).
 *
 *     %x = load %p                        for %k = 0 .. : stow %k, (load %p.k) {row = 0}
 *     %m = reduce (load %r)         ->    for %k = 0 .. : .. reduce (load %r.k)
 *     store %q, fsub %x, %m               for %k = 0 .. : store %q.k, fsub (fetch %k {row = 0}), %m
 *
 * Where that is not so, as in a text that no launch is asked for, and the assembler would have to
 * spill much, what is loaded is put by where it stands: in local memory, as it would do, but by
 * loops, where it takes seconds. Likewise the scans in one direction, where an end is made of some
 * in both. */
#include "opt/gpu/pieces_plan.h"

enum {
    MOST_NESTS = 64,
    MOST_OPS = 4000, /* of one nest */
};

intptr_t pieces_order(const Pieces *p, const Op *op) {
    return (intptr_t)map_get_pointer(&p->order, op);
}

/* ---- nests ---- */

static bool waits(const Pieces *p, const Op *op) {
    for (int i = 0; p->open && i < op->num_operands; i++)
        if (p->waits[op->operands[i]->id] == p->nests.count) return true;
    return false;
}

static void wait_too(Pieces *p, Op *op) {
    for (int i = 0; i < op->num_results; i++) p->waits[op->results[i].id] = p->nests.count;
}

static void close_nest(Pieces *p, Op *before) {
    if (p->open) p->open->before = before;
    p->open = NULL;
}

/* Where the ops of a nest meet memory: what one writes, another reads or writes. */
static bool may_meet(const Pieces *p, const Op *write, const Op *access) {
    return facts_may_alias(p->facts, access_pointer(write), access_pointer(access));
}

static void take_apart(Pieces *p, const Op *write, const Op *load, bool together) {
    for (int i = 0; i < p->meets.count; i++) {
        Meet *old = &p->meets.data[i];
        if (old->write != write || old->load != load) continue;
        old->together &= together;
        return;
    }
    vec_push(p->px->scratch, &p->meets, ((Meet){write, load, together}));
}

/* Each lane writes where it read: whoever else reads there does so unordered. */
static bool is_same_lanes(const Op *write, const Op *load) {
    return access_pointer(write) == access_pointer(load);
}

bool ops_have(const Ops *ops, const Op *op) {
    for (int i = 0; i < ops->count; i++)
        if (ops->data[i] == op) return true;
    return false;
}

/* ---- what is put by ---- */

int pieces_row(const Pieces *p, const Op *op) {
    bool may = op->kind == OP_LOAD || op->kind == OP_SCAN;
    return may ? (int)(intptr_t)map_get_pointer(&p->stowed, &op->results[0]) : 0;
}

Ops pieces_made(const Pieces *p, const Ops *ops, const Ops *ends) {
    Ops made = {0};
    for (int i = 0; i < ops->count; i++)
        if (!pieces_row(p, ops->data[i]) || ops_have(ends, ops->data[i]))
            vec_push(p->px->scratch, &made, ops->data[i]);
    return made;
}

/* A load that cannot be made again where its nest ends, or a scan, is put by if there is room. */
static void stow(Pieces *p, const Op *op) {
    int rows = p->first_row + p->stowed.count + op->num_results;
    if (pieces_row(p, op) || !(p->may_stow || op->kind == OP_SCAN) || rows > MAX_ROWS) return;
    for (int i = 0; i < op->num_results; i++)
        if (type_is_bool(op->results[i].type)) return;
    for (int i = 0; i < op->num_results; i++)
        map_set_pointer(&p->stowed, &op->results[i], (void *)(intptr_t)(p->stowed.count + 1));
    p->stows_more = true;
}

/* Of scans that go both ways, to one end: those forwards; if it is a scan, the others than it. */
static void stow_scans(Pieces *p, const Op *end, const Ops *sources) {
    bool backwards = scan_is_along(p->dims, end, p->number) && !scan_reverse(end);
    for (int i = 0; i < sources->count; i++) {
        const Op *op = sources->data[i];
        if (scan_is_along(p->dims, op, p->number) && (scan_reverse(op) != 0) == backwards)
            stow(p, op);
    }
}

static bool is_end(const Pieces *p, const Op *op) {
    return pieces_row(p, op) || dims_end_at(p->dims, op, p->number);
}

/* What is put by is loaded before anything is stored. */
static bool stows_and_stores(const Pieces *p, const Op *end) {
    for (int i = 0; i < p->open->ends.count; i++) {
        const Op *other = p->open->ends.data[i];
        if (end->kind != OP_REDUCE && other->kind != OP_REDUCE &&
            !pieces_row(p, other) != !pieces_row(p, end))
            return true;
    }
    return false;
}

/* ---- what ends are made of ---- */

/* Adds what the value is made of. */
static void add_sources(Pieces *p, Ops *ops, Map *seen, Value *value) {
    Op *op = value->def;
    if (dims_at(p->dims, value, p->number) < 0 || map_get_pointer(seen, op)) return;
    map_set_pointer(seen, op, op);
    for (int i = 0; i < op->num_operands && !pieces_row(p, op); i++)
        add_sources(p, ops, seen, op->operands[i]);
    vec_push(p->px->scratch, ops, op);
}

typedef struct Between {
    Pieces *p;
    const Op *load, *end;
    bool same_loop; /* nothing of a later turn lies between */
    bool clean;
} Between;

static bool is_no_write(Op *op, void *user) {
    Between *b = user;
    intptr_t at = pieces_order(b->p, op);
    bool inside =
        at > pieces_order(b->p, b->load) && (!b->same_loop || at < pieces_order(b->p, b->end));
    if (!inside || !op_writes_memory(op) || (op == b->end && b->same_loop)) return true;
    bool has_place = op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    bool here = b->same_loop && has_place && b->p->open && ops_have(&b->p->open->ends, op);
    if (has_place && !may_meet(b->p, op, b->load)) {
        take_apart(b->p, op, b->load, here);
        return true;
    }
    b->clean = here && is_same_lanes(op, b->load);
    return b->clean;
}

/* May the load be made at the end of its nest? */
static bool can_load_late(Pieces *p, const Op *load, const Op *end) {
    Between b = {p, load, end, load->parent == end->parent, true};
    const Op *outer = end;
    while (outer->parent != load->parent) outer = outer->parent->owner;
    for (Op *op = load->next; op != outer->next && b.clean; op = op->next) {
        if (!is_no_write(op, &b)) break;
        for (int i = 0; i < op->num_regions && b.clean; i++)
            region_walk(op->regions[i], is_no_write, &b);
    }
    return b.clean;
}

/* It reads what a store of the nest wrote, or writes what another does, or what another's load
 * reads of other lanes. */
static bool must_follow(Pieces *p, const Op *end, const Ops *sources) {
    const Nest *nest = p->open;
    bool writes = end->kind != OP_REDUCE && !pieces_row(p, end);
    if (stows_and_stores(p, end)) return true;
    for (int i = 0; i < nest->ends.count; i++) {
        const Op *other = nest->ends.data[i];
        if (other->kind == OP_REDUCE) continue;
        if (writes && may_meet(p, other, end)) return true;
        for (int k = 0; k < sources->count; k++) {
            const Op *load = sources->data[k];
            if (load->kind == OP_LOAD && !pieces_row(p, load) &&
                pieces_order(p, load) > pieces_order(p, other) && may_meet(p, other, load))
                return true;
        }
    }
    for (int i = 0; writes && i < nest->ops.count; i++) {
        const Op *load = nest->ops.data[i];
        if (load->kind != OP_LOAD || pieces_row(p, load)) continue;
        if (!may_meet(p, end, load))
            take_apart(p, end, load, true);
        else if (!is_same_lanes(end, load))
            return true;
    }
    return false;
}

static bool can_end(Pieces *p, const Op *end, const Ops *sources) {
    for (int i = 0; i < sources->count; i++) {
        const Op *load = sources->data[i];
        if (load->kind != OP_LOAD || pieces_row(p, load)) continue;
        const Nest **first = &p->loaded[op_result(load)->id];
        if (p->has_atomics && *first && *first != p->open) return false;
        *first = p->open;
        if (!can_load_late(p, load, end)) {
            stow(p, load);
            return false;
        }
        if (end->kind == OP_REDUCE || pieces_row(p, end)) continue;
        if (!may_meet(p, end, load)) {
            take_apart(p, end, load, true);
        } else if (!is_same_lanes(end, load)) {
            stow(p, load);
            return false;
        }
    }
    return true;
}

/* A sum that can be made with a maximum of the open nest, though it waits for it. */
static bool joins(Pieces *p, Op *op) {
    Nest *nest = p->open;
    for (int i = 0; i < nest->ends.count && !nest->total && p->joins; i++) {
        if (op->kind != OP_REDUCE || !online_follows(nest->ends.data[i], op)) continue;
        nest->most = nest->ends.data[i], nest->total = op;
        vec_push(p->px->scratch, &nest->behind, op);
        wait_too(p, op);
        return true;
    }
    return false;
}

/* Pairs are compared by the order of the pieces (reduce_combine), if that is not from the end. */
static bool wants_order(const Pieces *p, const Op *end, int order) {
    if (p->open) order |= p->open->order;
    return end->kind == OP_REDUCE && end->num_operands > 1 && !(order & SCANS_BACKWARDS);
}

/* What stands before a write of the nest stays before it: a load of the lanes that it changes. */
static void add_op(Pieces *p, Op *op) {
    Ops *ops = &p->open->ops;
    vec_push(p->px->scratch, ops, op);
    for (int i = 0; i < ops->count - 1; i++) {
        const Op *other = ops->data[i];
        if (!op_writes_memory(other) || pieces_order(p, other) < pieces_order(p, op)) continue;
        memmove(ops->data + i + 1, ops->data + i, sizeof(Op *) * (size_t)(ops->count - 1 - i));
        ops->data[i] = op;
        return;
    }
}

static void add_end(Pieces *p, Op *op) {
    Arena *scratch = p->px->scratch;
    Map seen = {.arena = scratch};
    Ops sources = {0};
    for (int i = 0; i < op->num_operands; i++) add_sources(p, &sources, &seen, op->operands[i]);
    if (p->open && joins(p, op)) return;
    Ops made = pieces_made(p, &sources, &(Ops){0});
    if (scan_is_along(p->dims, op, p->number)) vec_push(scratch, &made, op);
    int order = scans_order(p->dims, &made, p->number);
    if (order == SCANS_BOTH_WAYS) stow_scans(p, op, &made);
    if (wants_order(p, op, order)) order |= SCANS_FORWARDS;
    bool turns = p->open && (order | p->open->order) == SCANS_BOTH_WAYS;
    if (p->open && (turns || waits(p, op) || must_follow(p, op, &sources))) close_nest(p, op);
    if (!p->open) {
        p->open = arena_new_of(scratch, Nest);
        vec_push(scratch, &p->nests, p->open);
    }
    for (int i = 0; i < sources.count; i++)
        if (!ops_have(&p->open->ops, sources.data[i])) add_op(p, sources.data[i]);
    vec_push(scratch, &p->open->ops, op);
    vec_push(scratch, &p->open->ends, op);
    bool too_many = p->nests.count > MOST_NESTS || p->open->ops.count > MOST_OPS;
    p->open->order |= order;
    if (too_many || order == SCANS_BOTH_WAYS || !can_end(p, op, &sources)) p->failed = true;
    if (op->kind == OP_REDUCE) wait_too(p, op);
}

static void plan_region(Pieces *p, Region *region) {
    for (Op *op = region->first; op && !p->failed; op = op->next) {
        bool waits_here = waits(p, op);
        if (dims_touch(p->dims, op, p->number)) {
            if (is_end(p, op))
                add_end(p, op);
            else if (waits_here)
                wait_too(p, op);
            continue;
        }
        bool has_regions = op->num_regions && !op_has_trait(op, ISOLATED);
        bool pure = op_has_trait(op, PURE) && !has_regions;
        if (pure && waits_here) {
            vec_push(p->px->scratch, &p->open->behind, op);
            wait_too(p, op);
        }
        if (!pure) close_nest(p, op);
        for (int i = 0; i < op->num_regions && has_regions; i++) plan_region(p, op->regions[i]);
    }
}

/* ---- all ---- */

static bool plan_once(Pieces *p) {
    p->waits = arena_array(p->px->scratch, int, p->fn->num_values);
    p->loaded = arena_array(p->px->scratch, const Nest *, p->fn->num_values);
    p->nests.count = 0, p->meets.count = 0, p->open = NULL;
    p->failed = p->stows_more = false;
    plan_region(p, p->fn->body);
    if (p->failed || !p->nests.count) return false;
    for (int i = 0; i < p->meets.count; i++) {
        const Meet *meet = &p->meets.data[i];
        if (pieces_row(p, meet->load) || meets_never(p->px, p->facts, p->dims, p->number, meet))
            continue;
        stow(p, meet->load);
        return false;
    }
    return true;
}

/* Each time but the last, more is put by. */
bool pieces_plan(Pieces *p) {
    do
        if (plan_once(p)) return true;
    while (p->stows_more);
    return false;
}
