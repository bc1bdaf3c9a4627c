// SPDX-License-Identifier: Apache-2.0
/* verify_ring: the types of rings and of the ops on them, and what is of all rings of a function:
 * who uses which, that a tile that is peeked stays where it was peeked, and that rings that live at
 * the same time do not share bytes. The order of the ops of one ring is verify_turn.c's. */
#include "ir/arch.h"
#include "ir/layout.h"
#include "ir/trips.h"
#include "ir/turn.h"
#include "ir/verify.h"

enum {
    BUFFER_ALIGNMENT = 16, /* bytes that one asynchronous copy moves at most */
    MAX_RINGS = 64,
    MAX_LOOKS = 1 << 16, /* at ops, by verify_turns */
};

/* ---- types ---- */

bool verify_ring_type(Verifier *v, const Op *op, const Type *type) {
    for (int i = 0; i < type->num_parts; i++) {
        const Type *part = type->parts[i];
        if (!type_is_tile(part) || type_is_bool(part))
            return verify_bad(v, op, "part %d is %s", i, verify_text_of(v, part));
        if (!verify_type(v, op, part)) return false;
        if (part->place && !part->place->shared)
            return verify_bad(v, op, "part %d, %s, is not in shared memory", i,
                              verify_text_of(v, part));
    }
    return true;
}

static int64_t ring_bytes(const Op *ring) {
    const Type *type = op_result(ring)->type;
    int64_t bytes = 0;
    for (int i = 0; i < type->num_parts; i++) {
        int64_t part = (int64_t)type->parts[i]->lanes * type_size_bytes(type->parts[i]);
        bytes += (part + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
    }
    return bytes * ring_stages(ring);
}

static bool check_ring(Verifier *v, const Op *op) {
    v->has_rings = true;
    int64_t offset = ring_offset(op);
    if (op_result(op)->type->kind != TYPE_RING)
        return verify_bad(v, op, "expected a ring, not %s", verify_text_of(v, op_result(op)->type));
    if (ring_stages(op) < 1 || ring_stages(op) > MAX_STAGES)
        return verify_bad(v, op, "%lld stages, expected 1 to %d", (long long)ring_stages(op),
                          MAX_STAGES);
    if (v->fn->form != FORM_PLACED)
        return offset == 0 || verify_bad(v, op, "offset in program form");
    int limit = arch_find(v->fn->target)->shared_limit;
    if (offset < 0 || offset % BUFFER_ALIGNMENT)
        return verify_bad(v, op, "offset %lld is not a multiple of %d", (long long)offset,
                          BUFFER_ALIGNMENT);
    return (offset < limit && ring_bytes(op) <= limit - offset) ||
           verify_bad(v, op, "%lld bytes from byte %lld on; %.*s has %d of shared memory",
                      (long long)ring_bytes(op), (long long)offset, STR_ARG(v->fn->target), limit);
}

/* The tile that op moves in or out is the part it names, wherever that lies. */
static bool is_part(Verifier *v, const Op *op, const Type *tile) {
    const Type *type = turn_ring(op)->type;
    int64_t part = turn_part(op);
    if (part < 0 || part >= type->num_parts)
        return verify_bad(v, op, "part %lld of %s", (long long)part, verify_text_of(v, type));
    const Type *wanted = type->parts[part];
    return (type_same_shape(tile, wanted) && type_lane(tile) == type_lane(wanted)) ||
           verify_bad(v, op, "%s for part %lld, %s", verify_text_of(v, tile), (long long)part,
                      verify_text_of(v, wanted));
}

static bool check_fill(Verifier *v, const Op *op) {
    const Type *pointer = fill_pointer(op)->type;
    if (!type_is_tile(pointer) || !type_is_ptr(pointer))
        return verify_bad(v, op, "expected a tile of pointers, not %s", verify_text_of(v, pointer));
    if (!is_part(v, op, type_with_elem(v->fn->types, pointer, type_lane(pointer)->elem)))
        return false;
    if (fill_mask(op)) {
        const Type *mask = fill_mask(op)->type;
        if (!type_is_bool(mask) || !type_same_shape(pointer, mask))
            return verify_bad(v, op, "expected a mask of i1 for %s, not %s",
                              verify_text_of(v, pointer), verify_text_of(v, mask));
    }
    return !fill_other(op) || is_part(v, op, fill_other(op)->type);
}

static bool check_peek(Verifier *v, const Op *op) {
    const Type *tile = op_result(op)->type;
    if (!is_part(v, op, tile)) return false;
    const Type *part = turn_ring(op)->type->parts[turn_part(op)];
    return tile == part || verify_bad(v, op, "types differ: %s and %s", verify_text_of(v, tile),
                                      verify_text_of(v, part));
}

bool verify_ring_op(Verifier *v, const Op *op) {
    if (op->kind == OP_RING) return check_ring(v, op);
    if (op->kind == OP_FILL_BOX) return verify_bad(v, op, "stands only in what becomes text");
    const Type *turn = turn_number(op)->type;
    if (turn_ring(op)->type->kind != TYPE_RING)
        return verify_bad(v, op, "expected a ring, not %s", verify_text_of(v, turn_ring(op)->type));
    if (turn->kind != TYPE_I32 && turn->kind != TYPE_I64)
        return verify_bad(v, op, "expected the number of a turn, i32 or i64, not %s",
                          verify_text_of(v, turn));
    if (op->kind == OP_READY && (ready_pending(op) < 0 || ready_pending(op) > MAX_STAGES))
        return verify_bad(v, op, "%lld groups under way, expected 0 to %d",
                          (long long)ready_pending(op), MAX_STAGES);
    if (op->kind == OP_FILL) return check_fill(v, op);
    if (op->kind == OP_PUT) return is_part(v, op, put_tile(op)->type);
    return op->kind != OP_PEEK || check_peek(v, op);
}

/* ---- all rings of a function ---- */

typedef struct Lifetime {
    const Op *ring;
    int first, last; /* in order of the text, what is in regions included */
} Lifetime;

typedef struct Rings {
    Verifier *v;
    VEC(RingUses *) all;
    Map of;             /* value of a ring -> its RingUses */
    const Op **peeked;  /* by value id: the peek whose tile it is, or a view of it */
    VEC(const Op *) at; /* ops in order of the text */
    Map ends;           /* op -> how many ops there are in `at` behind its regions */
} Rings;

static void note_around(Map *around, const Op *ring, const Op *op) {
    for (const Op *at = op; at && !map_get_pointer(around, at); at = at->parent->owner) {
        map_set_pointer(around, at, (void *)(uintptr_t)at);
        if (at->parent == ring->parent) return;
    }
}

static void note_user(Rings *r, const Value *ring, const Op *op) {
    RingUses *uses = map_get_pointer(&r->of, ring);
    if (uses->users.count && uses->users.data[uses->users.count - 1] == op) return;
    vec_push(r->v->arena, &uses->users, op);
    note_around(&uses->around, uses->ring, op);
}

static bool note_op(Rings *r, const Op *op) {
    if (op->kind == OP_RING) {
        if (r->all.count == MAX_RINGS)
            return verify_bad(r->v, op, "more than %d rings in a function", MAX_RINGS);
        RingUses *uses = arena_new_of(r->v->arena, RingUses);
        *uses = (RingUses){.ring = op};
        uses->around.arena = uses->commits.arena = r->v->arena;
        vec_push(r->v->arena, &r->all, uses);
        map_set_pointer(&r->of, op_result(op), uses);
    }
    if (is_turn_op(op)) note_user(r, turn_ring(op), op);
    for (int i = 0; op->kind == OP_COMMIT && i < r->all.count; i++)
        note_around(&r->all.data[i]->commits, r->all.data[i]->ring, op);
    if (op->kind == OP_PEEK) r->peeked[op_result(op)->id] = op;
    for (int i = 0; i < op->num_operands; i++) {
        const Op *peek = r->peeked[op->operands[i]->id];
        if (!peek) continue;
        if (op->kind == OP_YIELD || op->kind == OP_FOR || op->kind == OP_WHILE)
            return verify_bad(r->v, op, "carries a tile that is peeked, which stays in its ring");
        note_user(r, turn_ring(peek), op);
        if (op_is_view(op)) r->peeked[op_result(op)->id] = peek;
    }
    return true;
}

static bool note_region(Rings *r, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        vec_push(r->v->arena, &r->at, op);
        if (!note_op(r, op)) return false;
        for (int i = 0; i < op->num_regions; i++)
            if (!note_region(r, op->regions[i])) return false;
        map_set_pointer(&r->ends, op, (void *)(uintptr_t)r->at.count);
    }
    return true;
}

static Lifetime lifetime_of(const Rings *r, const RingUses *uses) {
    const Op *last = uses->ring;
    for (const Op *op = last; op; op = op->next)
        if (map_get_pointer(&uses->around, op)) last = op;
    Lifetime life = {.ring = uses->ring};
    life.first = (int)(uintptr_t)map_get_pointer(&r->ends, uses->ring);
    life.last = (int)(uintptr_t)map_get_pointer(&r->ends, last);
    return life;
}

/* Scratch of the ops in the lives of rings is behind these. */
static bool check_scratch(const Rings *r, const Lifetime *life) {
    int64_t start = ring_offset(life->ring), end = start + ring_bytes(life->ring);
    for (int i = life->first; i < life->last; i++) {
        const Op *op = r->at.data[i];
        int bytes[MAX_TRIPS];
        int count = op->num_trips ? op_trips(r->v->fn, r->v->has_atomics, op, bytes) : 0;
        for (int t = 0; t < count && t < op->num_trips; t++) {
            int from = op->trips[t].offset;
            if (from < end && from + (int64_t)bytes[t] > start)
                return verify_bad(r->v, op, "scratch from byte %d on is that of ring %s too", from,
                                  func_label(r->v->arena, r->v->fn, op_result(life->ring)).data);
        }
    }
    return true;
}

static bool check_bytes(const Rings *r) {
    Lifetime *lives = arena_array(r->v->arena, Lifetime, r->all.count);
    for (int i = 0; i < r->all.count; i++) {
        Lifetime a = lives[i] = lifetime_of(r, r->all.data[i]);
        if (!check_scratch(r, &a)) return false;
        int64_t start = ring_offset(a.ring), end = start + ring_bytes(a.ring);
        for (int k = 0; k < i; k++) {
            Lifetime b = lives[k];
            int64_t other = ring_offset(b.ring);
            bool at_once = a.first <= b.last && b.first <= a.last;
            if (!at_once || end <= other || other + ring_bytes(b.ring) <= start) continue;
            return verify_bad(r->v, a.ring,
                              "bytes %lld to %lld are those of ring %s too, which is still in use",
                              (long long)start, (long long)end - 1,
                              func_label(r->v->arena, r->v->fn, op_result(b.ring)).data);
        }
    }
    return true;
}

bool verify_rings(Verifier *v) {
    Rings r = {.v = v, .of = {.arena = v->arena}, .ends = {.arena = v->arena}};
    int budget = MAX_LOOKS;
    r.peeked = arena_array(v->arena, const Op *, v->fn->num_values);
    if (!note_region(&r, v->fn->body)) return false;
    for (int i = 0; i < r.all.count; i++)
        if (!verify_turns(v, r.all.data[i], r.peeked, &budget)) return false;
    return v->fn->form != FORM_PLACED || check_bytes(&r);
}
