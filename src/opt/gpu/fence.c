// SPDX-License-Identifier: Apache-2.0
/* fence: where the threads of a block wait for each other, and where in shared memory each op has
 * its scratch.
 *
 *     store %p, %x                              store %p, %x {width = 4}
 *     %y = load %q                              %y = load %q {width = 4, barrier = 1}
 *     %s = reduce %y                            %s = reduce %y {scratch = [0], wait = [0]}
 *     %t = reduce %z                            %t = reduce %z {scratch = [16], wait = [0]}
 *
 * Threads see each other's accesses of global memory in program order only across a barrier, so one
 * comes between two accesses through the same parameter, one of them a write, unless both go
 * through the same pointer tile (then each thread meets only its own), or both store a scalar (one
 * thread stores them all), or both are parts of one store. Of two parameters that may be the same
 * memory each launch is asked, where a barrier would then be missing. A releasing atomic comes
 * after a barrier, and after an acquiring one a barrier comes before the next access.
 *
 * The buffers of rings lie from byte 0 on. A buffer is filled again after a barrier: `ready` is
 * one, and where none has come since a release, or since scratch was where the ring is, `acquire`
 * waits.
 *
 * Scratch belongs to one op at a time and lies behind the rings that are in use. An op's trip has a
 * barrier of its own between writing and reading; the next trip must not write what somebody may
 * still read, so scratch moves on, and once it would pass 16 KiB the block waits and it starts
 * again from 0. */
#include "ir/trips.h"
#include "ir/turn.h"
#include "opt/gpu/turns.h"

typedef struct Access {   /* global memory that other lanes may touch, since the last barrier */
    const Value *base;    /* parameter; NULL: unknown */
    const Value *pointer; /* NULL: of a copy */
    const Op *op;
    const Op *loop; /* it is of another of its turns; NULL: of the same one */
    bool writes;
    bool by_one;  /* stores a scalar: always the same thread */
    int64_t part; /* of stores that were one; 0: all of it */
} Access;

/* What may have happened since the last barrier. */
typedef struct State {
    VEC(Access) accesses;
    bool acquired;
    bool in_buffers; /* somebody may still read where rings are: a released turn, or scratch */
    bool in_scratch;
} State;

typedef struct Fencer {
    Arena *arena;
    Func *fn;
    const Facts *facts;
    Needs *needs; /* NULL: launches are not asked */
    bool has_atomics;
    const Op *loop; /* whose accesses are noted as of other turns */
    State state;
    int scratch_start; /* behind the rings that are in use */
    int busy_end;      /* scratch below may still be read; 0: none */
    bool uses_shared;  /* the loop that is looked at: scratch, or rings */
    int shared_size;
    bool changed;
} Fencer;

static void barrier(Fencer *f) {
    f->state.accesses.count = 0;
    f->state.acquired = f->state.in_buffers = f->state.in_scratch = false;
    f->busy_end = 0;
}

static void scratch_unknown(Fencer *f) { f->busy_end = f->scratch_start + SMALL_SCRATCH; }

/* ---- global memory ---- */

/* Does each turn of a's loop access other elements, by its pointer? */
static bool are_apart(const Fencer *f, const Access *a, const Access *b) {
    return turns_are_apart(f->facts, f->needs, a->pointer, a->loop, access_mask(a->op),
                           access_mask(b->op));
}

/* Each thread meets only its own, if the parameters are the same. */
static bool same_lanes(const Fencer *f, const Access *a, const Access *b) {
    Disjoint apart = {.a = a->base, .b = b->base};
    if (!a->pointer || !b->pointer) return false;
    const Layout *x = type_layout(a->pointer->type), *y = type_layout(b->pointer->type);
    if (!x || !y || !layout_equal(x, y) || layout_replica_mask(x)) return false;
    if (a->loop && !are_apart(f, a, b)) return false;
    return disjoint_same(&apart, a->pointer, b->pointer) && !apart.num_equal;
}

static void ask_launches(const Fencer *f, const Access *a, const Access *b) {
    if (!same_lanes(f, a, b)) needs_add_unequal(f->needs, a->base, b->base);
    needs_add_not_near(f->needs, a->base, a->op, b->base, b->op, a->loop);
}

static bool conflicts(const Fencer *f, const Access *a, const Access *b) {
    if (!a->writes && !b->writes) return false;
    if (a->base && b->base && a->base != b->base) {
        if (a->base->def || b->base->def) return false;
        if (a->by_one && b->by_one) return false;
        if (f->fn->overlaps) return true; /* they may be a few lanes apart */
        if (f->needs) ask_launches(f, a, b);
        return false;
    }
    if ((a->by_one && b->by_one) || (a->part && a->part == b->part)) return false;
    if (a->loop && a->pointer == b->pointer) return !are_apart(f, a, b);
    const Layout *layout = a->pointer ? type_layout(a->pointer->type) : NULL;
    bool own = layout && !layout_replica_mask(layout);
    return !(own && a->pointer == b->pointer);
}

/* By the same lanes of the same pointer: nothing new is asked of launches. */
static bool is_same_question(const Op *old, const Op *op) {
    return access_pointer(old) == access_pointer(op) && access_mask(old) == access_mask(op);
}

/* A set: paths that meet bring the same accesses. */
static void add_access(Fencer *f, Access access) {
    for (int i = 0; i < f->state.accesses.count; i++) {
        const Access *old = &f->state.accesses.data[i];
        if (old->base == access.base && old->pointer == access.pointer &&
            is_same_question(old->op, access.op) && old->loop == access.loop &&
            old->writes == access.writes && old->by_one == access.by_one &&
            old->part == access.part)
            return;
    }
    vec_push(f->arena, &f->state.accesses, access);
}

/* A copy reads when it likes, not in the order of its thread. */
static Access access_of(const Fencer *f, const Op *op) {
    const Value *pointer = access_pointer(op), *base = facts_base(f->facts, pointer);
    if (op->kind == OP_FILL) return (Access){.base = base, .op = op};
    bool by_one = op->kind == OP_STORE && !type_is_tile(pointer->type);
    int64_t part = op->kind == OP_STORE ? store_part(op) : 0;
    return (Access){base, pointer, op, NULL, op->kind != OP_LOAD, by_one, part};
}

static void fence_access(Fencer *f, Op *op) {
    Access access = access_of(f, op);
    bool atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    int64_t sem = atomic ? atomic_sem(op) : SEM_RELAXED;
    bool was = op->barrier, releases = sem == SEM_ACQ_REL || sem == SEM_RELEASE;
    op->barrier =
        (f->state.acquired && f->fn->num_warps > 1) || (releases && f->state.accesses.count);
    for (int i = 0; i < f->state.accesses.count; i++)
        op->barrier = op->barrier || conflicts(f, &f->state.accesses.data[i], &access);
    f->changed |= op->barrier != was;
    if (op->barrier) barrier(f);
    add_access(f, access);
    if (sem == SEM_ACQ_REL || sem == SEM_ACQUIRE) f->state.acquired = true;
}

static bool note_access(Op *op, void *user) {
    Fencer *f = user;
    int bytes[MAX_TRIPS];
    if (op->kind == OP_RELEASE) f->state.in_buffers = true;
    bool trips = op_trips(f->fn, f->has_atomics, op, bytes) > 0;
    if (trips) f->state.in_scratch = true;
    if (trips || is_turn_op(op) || op->kind == OP_RING) f->uses_shared = true;
    if (!access_pointer(op)) return true;
    Access access = access_of(f, op);
    access.loop = f->loop;
    add_access(f, access);
    return true;
}

/* ---- scratch ---- */

static void fence_trips(Fencer *f, Op *op) {
    int bytes[MAX_TRIPS], count = op_trips(f->fn, f->has_atomics, op, bytes);
    Trip *old = op->trips;
    bool same = count == op->num_trips;
    op->num_trips = count;
    op->trips = arena_array(f->fn->arena, Trip, count);
    for (int i = 0; i < count; i++) {
        int start = f->scratch_start, from = scratch_aligned(f->busy_end);
        if (from < start) from = start;
        bool wait = from > start && (int64_t)from - start + bytes[i] > SMALL_SCRATCH;
        if (wait) from = start;
        if (from + bytes[i] > f->shared_size) f->shared_size = from + bytes[i];
        op->trips[i] = (Trip){.offset = from, .wait = wait};
        same = same && old[i].offset == from && old[i].wait == wait;
        barrier(f); /* its own */
        f->busy_end = from + bytes[i];
        f->state.in_scratch = true;
    }
    f->changed |= !same;
}

/* ---- rings ---- */

/* The ring is in use to the last op of its region that has to do with it. */
static Op *last_of_ring(Op *ring) {
    Op *last = ring;
    for (Op *op = ring->next; op; op = op->next)
        if (op_uses_ring(op, op_result(ring))) last = op;
    return last;
}

/* Behind a ring of a loop's body lies scratch of the turn before. */
static void fence_ring(Fencer *f, Op *op) {
    int end = ring_end(op);
    bool is_busy = f->busy_end != 0;
    if (f->state.in_scratch) f->state.in_buffers = true;
    if (f->busy_end < end) f->busy_end = 0;
    if (end > f->scratch_start) f->scratch_start = end;
    if (is_busy && op_is_in_loop(op)) scratch_unknown(f);
    if (end > f->shared_size) f->shared_size = end;
}

static Op *later_of(Op *a, Op *b) {
    for (Op *op = a; op; op = op->next)
        if (op == b) return b;
    return a ? a : b;
}

/* What comes now may lie where the rings were, once everybody has left them. */
static void leave_rings(Fencer *f, int outside) {
    if (f->state.in_buffers && f->busy_end < f->scratch_start) f->busy_end = f->scratch_start;
    f->scratch_start = outside;
}

static void fence_turn(Fencer *f, Op *op) {
    bool was = op->barrier;
    if (op->kind == OP_READY && !ready_own(op)) barrier(f);
    if (op->kind == OP_RELEASE) {
        f->state.in_buffers = true;
        scratch_unknown(f);
    }
    if (op->kind != OP_ACQUIRE) return;
    op->barrier = f->state.in_buffers;
    f->changed |= op->barrier != was;
    if (op->barrier) barrier(f);
}

/* ---- paths ---- */

static void fence_region(Fencer *f, Region *region);

static State state_copy(Fencer *f) {
    State copy = {.acquired = f->state.acquired,
                  .in_buffers = f->state.in_buffers,
                  .in_scratch = f->state.in_scratch};
    for (int i = 0; i < f->state.accesses.count; i++)
        vec_push(f->arena, &copy.accesses, f->state.accesses.data[i]);
    return copy;
}

/* Paths that meet: what may have happened on either. */
static void state_merge(Fencer *f, const State *other) {
    for (int i = 0; i < other->accesses.count; i++) add_access(f, other->accesses.data[i]);
    f->state.acquired = f->state.acquired || other->acquired;
    f->state.in_buffers = f->state.in_buffers || other->in_buffers;
    f->state.in_scratch = f->state.in_scratch || other->in_scratch;
}

static void fence_if(Fencer *f, Op *op) {
    State before = state_copy(f), first;
    int busy_before = f->busy_end;
    fence_region(f, op->regions[0]);
    first = state_copy(f);
    int busy_first = f->busy_end;
    f->state = before, f->busy_end = busy_before;
    fence_region(f, op->regions[1]);
    state_merge(f, &first);
    if (f->busy_end < busy_first) f->busy_end = busy_first;
}

/* Whatever the loop does may have happened just before any of it. */
static void loop_unknown(Fencer *f, Op *op) {
    f->loop = op, f->uses_shared = false;
    for (int r = 0; r < op->num_regions; r++) region_walk(op->regions[r], note_access, f);
    if (f->uses_shared) scratch_unknown(f);
}

typedef struct Inside {
    int loops, barriers; /* of accesses */
} Inside;

static bool note_inside(Op *op, void *user) {
    Inside *inside = user;
    inside->loops += op->kind == OP_FOR || op->kind == OP_WHILE;
    inside->barriers += op->barrier && access_pointer(op);
    return true;
}

static Inside fence_body(Fencer *f, Op *loop) {
    Inside inside = {0};
    loop_unknown(f, loop);
    fence_region(f, for_body(loop));
    region_walk(for_body(loop), note_inside, &inside);
    return inside;
}

/* Where a turn would wait for what comes before the loop, the block waits once, before it. */
static void fence_before(Fencer *f, Op *loop) {
    Inside nested = {0};
    region_walk(for_body(loop), note_inside, &nested);
    if (nested.loops || !f->state.accesses.count) return;
    State before = state_copy(f);
    int busy_end = f->busy_end, shared_size = f->shared_size;
    int with = fence_body(f, loop).barriers;
    f->state = (State){.acquired = before.acquired, .in_buffers = before.in_buffers};
    f->state.in_scratch = before.in_scratch, f->busy_end = busy_end;
    bool waits = fence_body(f, loop).barriers < with;
    f->state = before, f->busy_end = busy_end, f->shared_size = shared_size;
    if (!waits) return;
    Builder b = {.fn = f->fn, .region = loop->parent, .before = loop, .span = loop->span};
    build_op(&b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    barrier(f);
    f->changed = true;
}

static void fence_loop(Fencer *f, Op *op) {
    if (op->kind == OP_FOR) fence_before(f, op);
    State before = state_copy(f);
    int busy_before = f->busy_end; /* a loop without turns has no barriers */
    loop_unknown(f, op);
    for (int r = 0; r < op->num_regions; r++) fence_region(f, op->regions[r]);
    state_merge(f, &before);
    if (f->busy_end < busy_before) f->busy_end = busy_before;
    loop_unknown(f, op);
}

static void fence_op(Fencer *f, Op *op) {
    if (op->kind == OP_IF) {
        fence_if(f, op);
    } else if (op->kind == OP_FOR || op->kind == OP_WHILE) {
        fence_loop(f, op);
    } else if (op->kind == OP_BARRIER) {
        barrier(f);
    } else if (op->kind == OP_RING) {
        fence_ring(f, op);
    } else {
        if (is_turn_op(op)) fence_turn(f, op);
        if (access_pointer(op)) fence_access(f, op);
        fence_trips(f, op);
    }
}

static void fence_region(Fencer *f, Region *region) {
    Op *last = NULL; /* that has to do with rings of this region */
    int outside = f->scratch_start;
    for (Op *op = region->first; op; op = op->next) {
        fence_op(f, op);
        if (op->kind == OP_RING) last = later_of(last, last_of_ring(op));
        if (op == last) leave_rings(f, outside);
    }
}

/* Behind all else: what other blocks write there comes at any time. */
static bool place_meet(Op *op, void *user) {
    Fencer *f = user;
    if (op->kind != OP_MEET) return true;
    int offset = scratch_aligned(f->shared_size ? f->shared_size : SCRATCH_ALIGNMENT);
    f->changed |= meet_offset(op) != offset;
    meet_set_offset(op, offset);
    f->shared_size = offset + meet_bytes(op);
    return true;
}

bool pass_fence(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    func_renumber(fn); /* as it will be: the back end asks the same facts */
    Facts *facts = facts_compute_linear(px->scratch, fn);
    Fencer f = {.arena = px->scratch, .fn = fn, .facts = facts};
    const Arch *arch = arch_find(fn->target);
    f.has_atomics = func_has_atomics(fn);
    f.needs = px->needs;
    fence_region(&f, fn->body);
    region_walk(fn->body, place_meet, &f);
    f.changed |= turns_reread(fn, facts, px->needs);
    facts_ask(facts, px->needs);
    px->facts = facts;
    if (f.shared_size > arch->shared_limit)
        diag_refused(px->diag, fn->span, "%d bytes of shared memory; a block of %s has at most %d",
                     f.shared_size, arch->name, arch->shared_limit);
    return f.changed;
}
