// SPDX-License-Identifier: Apache-2.0
/* fence: where the threads of a block wait for each other, and where in shared memory each op has its
 * scratch.
 *
 *     store %p, %x                              store %p, %x {width = 4}
 *     %y = load %q                              %y = load %q {width = 4, barrier = 1}
 *     %s = reduce %y                            %s = reduce %y {scratch = [0], wait = [0]}
 *     %t = reduce %z                            %t = reduce %z {scratch = [16], wait = [0]}
 *
 * Threads see each other's accesses of global memory in program order only across a barrier, so one
 * comes between two accesses through the same parameter, one of them a write, unless both go through
 * the same pointer tile (then each thread meets only its own). A releasing atomic comes after a
 * barrier, and after an acquiring one a barrier comes before the next access.
 *
 * Scratch belongs to one op at a time. An op's trip has a barrier of its own between writing and
 * reading; the next trip must not write what somebody may still read, so scratch moves on, and once
 * it would pass 16 KiB the block waits and it starts again from 0. */
#include "ir/trips.h"
#include "opt/opt.h"

typedef struct Access {   /* global memory that other lanes may touch, since the last barrier */
    const Value *base;    /* parameter; NULL: unknown */
    const Value *pointer; /* NULL: of another iteration */
    bool writes;
} Access;

/* What may have happened since the last barrier. */
typedef struct State {
    VEC(Access) accesses;
    bool acquired;
} State;

typedef struct Fencer {
    Arena *arena;
    Func *fn;
    const Facts *facts;
    bool has_atomics;
    State state;
    int busy_end; /* scratch below may still be read; 0: none */
    int shared_size;
    bool changed;
} Fencer;

static void barrier(Fencer *f) {
    f->state.accesses.count = 0;
    f->state.acquired = false;
    f->busy_end = 0;
}

/* ---- global memory ---- */

static bool conflicts(const Access *a, const Access *b) {
    if (!a->writes && !b->writes) return false;
    if (a->base && b->base && a->base != b->base) return false;
    const Layout *layout = a->pointer ? type_layout(a->pointer->type) : NULL;
    bool own = layout && !layout_replica_mask(layout);
    return !(own && a->pointer == b->pointer);
}

/* A set: paths that meet bring the same accesses. */
static void add_access(Fencer *f, Access access) {
    for (int i = 0; i < f->state.accesses.count; i++) {
        const Access *old = &f->state.accesses.data[i];
        if (old->base == access.base && old->pointer == access.pointer &&
            old->writes == access.writes)
            return;
    }
    vec_push(f->arena, &f->state.accesses, access);
}

static Access access_of(const Fencer *f, const Op *op) {
    const Value *pointer = access_pointer(op);
    return (Access){facts_base(f->facts, pointer), pointer, op->kind != OP_LOAD};
}

static void fence_access(Fencer *f, Op *op) {
    Access access = access_of(f, op);
    bool atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    int64_t sem = atomic ? atomic_sem(op) : SEM_RELAXED;
    bool was = op->barrier, releases = sem == SEM_ACQ_REL || sem == SEM_RELEASE;
    op->barrier =
        (f->state.acquired && f->fn->num_warps > 1) || (releases && f->state.accesses.count);
    for (int i = 0; i < f->state.accesses.count; i++)
        op->barrier = op->barrier || conflicts(&f->state.accesses.data[i], &access);
    f->changed |= op->barrier != was;
    if (op->barrier) barrier(f);
    add_access(f, access);
    if (sem == SEM_ACQ_REL || sem == SEM_ACQUIRE) f->state.acquired = true;
}

static bool note_access(Op *op, void *user) {
    Fencer *f = user;
    if (!access_pointer(op)) return true;
    Access access = access_of(f, op);
    access.pointer = NULL;
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
        int from = scratch_aligned(f->busy_end);
        bool wait = from && (int64_t)from + bytes[i] > SMALL_SCRATCH;
        if (wait) from = 0;
        if (from + bytes[i] > f->shared_size) f->shared_size = from + bytes[i];
        op->trips[i] = (Trip){from, wait};
        same = same && old[i].offset == from && old[i].wait == wait;
        barrier(f); /* its own */
        f->busy_end = from + bytes[i];
    }
    f->changed |= !same;
}

/* ---- paths ---- */

static void fence_region(Fencer *f, Region *region);

static State state_copy(Fencer *f) {
    State copy = {.acquired = f->state.acquired};
    for (int i = 0; i < f->state.accesses.count; i++)
        vec_push(f->arena, &copy.accesses, f->state.accesses.data[i]);
    return copy;
}

/* Paths that meet: what may have happened on either. */
static void state_merge(Fencer *f, const State *other) {
    for (int i = 0; i < other->accesses.count; i++) add_access(f, other->accesses.data[i]);
    f->state.acquired = f->state.acquired || other->acquired;
}

static void fence_if(Fencer *f, Op *op) {
    State before = state_copy(f), first;
    f->busy_end = SMALL_SCRATCH;
    fence_region(f, op->regions[0]);
    first = state_copy(f);
    f->state = before;
    f->busy_end = SMALL_SCRATCH;
    fence_region(f, op->regions[1]);
    state_merge(f, &first);
    f->busy_end = SMALL_SCRATCH;
}

/* Whatever the loop does may have happened just before any of it. */
static void loop_unknown(Fencer *f, Op *op) {
    f->busy_end = SMALL_SCRATCH;
    for (int r = 0; r < op->num_regions; r++) region_walk(op->regions[r], note_access, f);
}

static void fence_loop(Fencer *f, Op *op) {
    State before = state_copy(f);
    loop_unknown(f, op);
    for (int r = 0; r < op->num_regions; r++) fence_region(f, op->regions[r]);
    state_merge(f, &before);
    loop_unknown(f, op);
}

static void fence_op(Fencer *f, Op *op) {
    if (op->kind == OP_IF) {
        fence_if(f, op);
    } else if (op->kind == OP_FOR || op->kind == OP_WHILE) {
        fence_loop(f, op);
    } else if (op->kind == OP_BARRIER) {
        barrier(f);
    } else {
        if (access_pointer(op)) fence_access(f, op);
        fence_trips(f, op);
    }
}

static void fence_region(Fencer *f, Region *region) {
    for (Op *op = region->first; op; op = op->next) fence_op(f, op);
}

bool pass_fence(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Facts *facts = facts_compute(px->scratch, fn);
    Fencer f = {.arena = px->scratch, .fn = fn, .facts = facts};
    const Arch *arch = arch_find(fn->target);
    f.has_atomics = func_has_atomics(fn);
    fence_region(&f, fn->body);
    px->facts = facts;
    if (f.shared_size > arch->shared_limit)
        diag_refused(px->diag, fn->span, "%d bytes of shared memory; a block of %s has at most %d",
                     f.shared_size, arch->name, arch->shared_limit);
    return f.changed;
}
