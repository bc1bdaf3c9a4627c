// SPDX-License-Identifier: Apache-2.0
/* apart: in loops of chained products, the warpgroups of a block need not be in step.
 *
 *     ready %r, %n                             ready %r, %n
 *     %s = dot ..                              %s = dot ..
 *     settle                                   settle
 *     %p = .. %s                        ->     release %r, %n - 1
 *     %c = dot %p, ..                          %p = .. %s
 *     release %r, %n - 1                       %c = dot %p, ..
 *     if ..: acquire %r, %n + 2, fill          if ..: acquire %r, %n + 2, fill
 *
 * with %r = ring {.., apart = B}. A turn has two barriers, where it is made ready and before its
 * buffer is filled again, at which the faster warpgroup waits for the slower: both compute at a
 * time, and both multiply at a time. What these barriers are for is known earlier: once the first
 * products of turn n have ended, a thread has left turn n - 1, and its copies of turn n + 1 have
 * come, as they were begun a turn ago. There it arrives at an mbarrier, the 8 bytes from B on, and
 * goes on; where the copies of turn n + 2 begin, and where turn n + 1 is read, it waits until all
 * have arrived, which mostly they have. So warpgroups may be most of a turn apart.
 *
 * Of rings of three turns or more, in loops in no other, with a product between and nothing at
 * which all threads meet: two warpgroups or more, sm_90a. Runs last: what `fence` wrote is right
 * for barriers, and there is nothing in the loop that asks for more than the ring does. Where warps
 * of their own fill the ring (opt/gpu/roles.c), these are in no step anyway. */
#include "ir/arch.h"
#include "ir/trips.h"
#include "ir/turn.h"
#include "opt/opt.h"

enum { WARPS_OF_GROUP = 4 };

typedef struct Apart {
    Func *fn;
    Op *ring, *loop;
    Op *ready, *release, *acquire, *first_wait; /* of the loop; first_wait: the settle */
    bool has_atomics;
    int before; /* products begun before first_wait */
} Apart;

static bool is_of(const Apart *a, const Op *op) { return op_is_of_ring(op, op_result(a->ring)); }

/* Nothing that makes threads meet, or writes; what is read from other rings lies still. */
static bool keeps_apart(Op *op, void *user) {
    Apart *a = user;
    int bytes[MAX_TRIPS];
    if (op->kind == OP_READY || op->kind == OP_RELEASE || op->kind == OP_ACQUIRE) {
        Op **slot = op->kind == OP_READY     ? &a->ready
                    : op->kind == OP_RELEASE ? &a->release
                                             : &a->acquire;
        if (!is_of(a, op) || *slot) return false;
        *slot = op;
        return op->kind == OP_ACQUIRE || op->parent == for_body(a->loop);
    }
    if (op->kind == OP_FILL || op->kind == OP_COMMIT || op->kind == OP_SETTLE) return true;
    if (op->kind == OP_PUT || op->kind == OP_RING || op->kind == OP_FOR || op->kind == OP_WHILE)
        return false;
    if (op->barrier || op_trips(a->fn, a->has_atomics, op, bytes)) return false;
    return !op_has_trait(op, WRITES) || op->kind == OP_PEEK;
}

/* The settle by which the products of the turn before have ended, and a product behind it, which
 * goes on while others arrive. */
static bool find_wait(Apart *a) {
    bool behind = false;
    for (Op *op = for_body(a->loop)->first; op != a->release; op = op->next) {
        if (!op) return false;
        bool begins = op->kind == OP_DOT && dot_async(op);
        if (op->kind == OP_DOT && !begins) return false;
        if (begins && a->first_wait) behind = true;
        a->before += begins && !a->first_wait;
        if (op->kind == OP_SETTLE && !a->first_wait && settle_pending(op) <= a->before)
            a->first_wait = op;
    }
    return behind;
}

/* ready %n, release %n - 1, acquire %n + stages - 1, where %n counts the turns from 0. */
static bool counts(const Apart *a) {
    Turn n = turn_of(turn_number(a->ready)), before = turn_of(turn_number(a->release)),
         next = turn_of(turn_number(a->acquire));
    int64_t start;
    if (!n.root || n.offset || before.root != n.root || next.root != n.root) return false;
    if (n.root->region != for_body(a->loop) || !n.root->index) return false;
    int i = n.root->index - 1;
    Turn step = turn_of(for_next(a->loop, i));
    return value_is_int(for_init(a->loop, i), &start) && !start && step.root == n.root &&
           step.offset == 1 && before.offset == -1 && next.offset == ring_stages(a->ring) - 1 &&
           type_bits(n.root->type) == 32 && turn_number(a->release)->def->operands[0] == n.root;
}

static bool can_be_apart(Apart *a) {
    if (ring_stages(a->ring) < 3 || a->ring->parent != a->fn->body) return false;
    for (Op *op = a->ring->next; op; op = op->next)
        if (op->kind == OP_FOR && for_body(op)->first && is_of(a, for_body(op)->first)) {
            if (a->loop) return false;
            a->loop = op;
        }
    return a->loop && region_walk(for_body(a->loop), keeps_apart, a) && a->ready && a->release &&
           a->acquire && a->ready == for_body(a->loop)->first && find_wait(a) && counts(a);
}

/* ---- how much shared memory there is ---- */

typedef struct Room {
    Func *fn;
    bool has_atomics;
    int end;
} Room;

static bool note_room(Op *op, void *user) {
    Room *room = user;
    int bytes[MAX_TRIPS], count = op_trips(room->fn, room->has_atomics, op, bytes);
    int end = op->kind != OP_RING ? 0 : ring_end(op);
    if (op->kind == OP_RING && ring_apart(op)) end = (int)ring_apart(op) + SCRATCH_ALIGNMENT;
    if (end > room->end) room->end = end;
    for (int i = 0; i < count && i < op->num_trips; i++)
        if (op->trips[i].offset + bytes[i] > room->end) room->end = op->trips[i].offset + bytes[i];
    return true;
}

/* Up to there, if it does not stand before. */
static void move_up(Op *op, Op *at) {
    for (const Op *next = op; next; next = next->next)
        if (next == at) return;
    op_move_before(op, at);
}

/* The release comes behind the wait, with what counts its turn: a difference, and its constant. */
static void move_release(const Apart *a) {
    Op *turn = turn_number(a->release)->def, *one = turn->operands[1]->def;
    Op *at = a->first_wait->next;
    if (one && one->parent == turn->parent) move_up(one, at);
    move_up(turn, at);
    move_up(a->release, at);
    a->acquire->barrier = false;
}

bool pass_apart(PassCtx *px, Func *fn) {
    const Arch *arch = fn->form == FORM_PLACED ? arch_find(fn->target) : NULL;
    bool changed = false;
    (void)px;
    if (!arch || arch->number != 90 || fn->num_warps < 2 * WARPS_OF_GROUP) return false;
    for (Op *op = fn->body->first; op; op = op->next) {
        if (op->kind != OP_RING || ring_apart(op)) continue;
        Apart a = {.fn = fn, .ring = op, .has_atomics = func_has_atomics(fn)};
        if (!can_be_apart(&a)) continue;
        Room room = {.fn = fn, .has_atomics = a.has_atomics};
        region_walk(fn->body, note_room, &room);
        room.end = scratch_aligned(room.end);
        if (room.end + SCRATCH_ALIGNMENT > arch->shared_limit) continue;
        ring_set_apart(op, room.end);
        move_release(&a);
        changed = true;
    }
    return changed;
}
