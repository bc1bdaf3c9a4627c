// SPDX-License-Identifier: Apache-2.0
/* ring: rings of buffers. What verify_turn.c cannot see because data decides it is checked
 * here, turn by turn, and where the order of programs is drawn from an odd seed, a fill copies as
 * late as it may: when its turn is made ready. So a kernel that changes memory which is still being
 * copied gives other results with odd seeds than with even ones.
 *
 * The value of a ring is its RingState; tiles and copies under way are in slots behind those of the
 * values, so that they go with the program however it ends. */
#include "device/interp/interp.h"

#include <stdlib.h>

typedef enum TurnStage { TURN_UNUSED, TURN_FILLING, TURN_READY, TURN_RELEASED } TurnStage;

typedef struct Buffer {
    int64_t turn; /* the last that was acquired; before the first, one that never was */
    TurnStage stage;
    unsigned filled;           /* parts, as a set */
    const Op *late[MAX_PARTS]; /* fills that have not copied yet */
} Buffer;

enum { SLOT_TILE, SLOT_POINTERS, SLOT_MASK, SLOT_OTHER, SLOTS_A_PART };

void rings_note(Arena *arena, Loaded *loaded, const Op *op) {
    const Func *fn = loaded->kernel->ir;
    int parts = op_result(op)->type->num_parts;
    if (!loaded->rings) loaded->rings = arena_array(arena, LoadedRing, fn->num_values);
    loaded->rings[op_result(op)->id] = (LoadedRing){
        .op = op, .first_slot = loaded->num_slots, .label = func_label(arena, fn, op_result(op))};
    loaded->num_slots += (int)ring_stages(op) * parts * SLOTS_A_PART;
}

/* The tile of a peek, or a view of it that shares its lanes. */
bool value_is_peeked(const Value *value) {
    const Op *op = value->def;
    while (op && (op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS || op->kind == OP_HINT))
        op = op->operands[0]->def;
    return op && op->kind == OP_PEEK;
}

static const LoadedRing *ring_of(Program *p, int id) { return &p->launch->loaded->rings[id]; }

static Buffer *buffer_of(Program *p, int ring, int64_t turn) {
    Lanes *state = p->slots[ring];
    return state ? (Buffer *)(void *)state->data + turn % ring_stages(ring_of(p, ring)->op) : NULL;
}

static Lanes **part_slots(Program *p, int ring, int64_t turn, int64_t part) {
    const LoadedRing *r = ring_of(p, ring);
    int64_t index = turn % ring_stages(r->op) * op_result(r->op)->type->num_parts + part;
    return &p->slots[r->first_slot + index * SLOTS_A_PART];
}

static void put_slot(Program *p, Lanes **slot, Lanes *lanes) { /* takes over the reference */
    lanes_release(p->launch, *slot);
    *slot = lanes;
}

/* "turn 3 of ring %r is .." */
static bool bad(Program *p, Span span, int ring, int64_t turn, const char *what) {
    return program_fail(p, TERN_ERROR_KERNEL, span, "turn %lld of ring %.*s %s", (long long)turn,
                        STR_ARG(ring_of(p, ring)->label), what);
}

static bool bad_other(Program *p, Span span, int ring, int64_t turn, const char *what,
                      int64_t other, const char *then) {
    return program_fail(p, TERN_ERROR_KERNEL, span, "turn %lld of ring %.*s %s turn %lld%s",
                        (long long)turn, STR_ARG(ring_of(p, ring)->label), what, (long long)other,
                        then);
}

static bool exec_new(Program *p, const Op *op) {
    int64_t stages = ring_stages(op);
    Lanes *state = lanes_new(p, (int)stages, (int)sizeof(Buffer));
    if (!state) return false;
    Buffer *buffers = (Buffer *)(void *)state->data;
    for (int64_t i = 0; i < stages; i++) buffers[i] = (Buffer){.turn = i - stages};
    slot_set(p, op_result(op), state);
    return true;
}

static bool acquire(Program *p, const Op *op, int ring, int64_t turn) {
    if (turn < 0) return bad(p, op->span, ring, turn, "is acquired: turns count from 0");
    Buffer *buffer = buffer_of(p, ring, turn);
    int64_t stages = ring_stages(ring_of(p, ring)->op), last = buffer->turn;
    if (turn <= last) return bad(p, op->span, ring, turn, "is acquired twice");
    if (buffer->stage == TURN_FILLING || buffer->stage == TURN_READY)
        return bad_other(p, op->span, ring, turn, "is acquired before", last,
                         ", whose buffer it takes, is released");
    if (turn != last + stages)
        return bad_other(p, op->span, ring, turn, "is acquired, but its buffer was not yet that of",
                         last + stages, "");
    *buffer = (Buffer){.turn = turn, .stage = TURN_FILLING};
    return true;
}

/* The buffer that holds the turn, NULL after failing: it must be in this stage. */
static Buffer *buffer_in(Program *p, const Op *op, int ring, int64_t turn, TurnStage stage,
                         const char *verb) {
    Buffer *buffer = turn < 0 ? NULL : buffer_of(p, ring, turn);
    if (buffer && buffer->turn == turn && buffer->stage == stage) return buffer;
    const char *when = stage == TURN_FILLING ? "acquired" : "made ready";
    if (!buffer || buffer->turn < turn || buffer->stage < stage)
        program_fail(p, TERN_ERROR_KERNEL, op->span, "turn %lld of ring %.*s is %s before it is %s",
                     (long long)turn, STR_ARG(ring_of(p, ring)->label), verb, when);
    else if (stage == TURN_FILLING && (buffer->turn > turn || buffer->stage > stage))
        program_fail(p, TERN_ERROR_KERNEL, op->span,
                     "turn %lld of ring %.*s is %s after it was made ready", (long long)turn,
                     STR_ARG(ring_of(p, ring)->label), verb);
    else
        program_fail(p, TERN_ERROR_KERNEL, op->span,
                     "turn %lld of ring %.*s is %s after it was released", (long long)turn,
                     STR_ARG(ring_of(p, ring)->label), verb);
    return NULL;
}

static bool keep_tile(Program *p, int ring, int64_t turn, int64_t part, Lanes *tile) {
    if (!tile) return false;
    tile->ring = ring + 1, tile->turn = turn;
    put_slot(p, &part_slots(p, ring, turn, part)[SLOT_TILE], tile);
    return true;
}

static Lanes *shared_or_null(Lanes *lanes) { return lanes ? lanes_share(lanes) : NULL; }

static bool fill(Program *p, const Op *op, int ring, int64_t turn) {
    int64_t part = turn_part(op);
    Buffer *buffer = buffer_in(p, op, ring, turn, TURN_FILLING, "filled");
    if (!buffer) return false;
    if (buffer->filled >> part & 1)
        return program_fail(p, TERN_ERROR_KERNEL, op->span,
                            "turn %lld of ring %.*s is filled, but part %d of it was filled before",
                            (long long)turn, STR_ARG(ring_of(p, ring)->label), (int)part);
    buffer->filled |= 1u << part;
    if (op->kind == OP_PUT) {
        const Lanes *value = lanes_of(p, put_tile(op));
        Lanes *tile = lanes_new(p, value->count, value->size);
        if (tile) memcpy(tile->data, value->data, (size_t)value->count * (size_t)value->size);
        return keep_tile(p, ring, turn, part, tile);
    }
    Lanes *pointers = lanes_of(p, fill_pointer(op)), *mask = lanes_of(p, fill_mask(op));
    Lanes *other = lanes_of(p, fill_other(op));
    if (!(p->launch->order_seed & 1))
        return keep_tile(p, ring, turn, part, load_lanes(p, op, pointers, mask, other));
    Lanes **slots = part_slots(p, ring, turn, part);
    put_slot(p, &slots[SLOT_POINTERS], lanes_share(pointers));
    put_slot(p, &slots[SLOT_MASK], shared_or_null(mask));
    put_slot(p, &slots[SLOT_OTHER], shared_or_null(other));
    buffer->late[part] = op;
    return true;
}

static bool ready(Program *p, const Op *op, int ring, int64_t turn) {
    Buffer *buffer = buffer_in(p, op, ring, turn, TURN_FILLING, "made ready");
    if (!buffer) return false;
    for (int part = 0; part < turn_ring(op)->type->num_parts; part++) {
        if (!(buffer->filled >> part & 1))
            return program_fail(
                p, TERN_ERROR_KERNEL, op->span,
                "turn %lld of ring %.*s is made ready, but part %d was never filled",
                (long long)turn, STR_ARG(ring_of(p, ring)->label), part);
        Lanes **slots = part_slots(p, ring, turn, part);
        const Op *late = buffer->late[part];
        if (late && !keep_tile(p, ring, turn, part,
                               load_lanes(p, late, slots[SLOT_POINTERS], slots[SLOT_MASK],
                                          slots[SLOT_OTHER])))
            return false;
    }
    buffer->stage = TURN_READY;
    return true;
}

bool exec_ring(Program *p, const Op *op) {
    if (op->kind == OP_RING) return exec_new(p, op);
    const Value *number = turn_number(op);
    int ring = turn_ring(op)->id;
    int64_t turn = constant_to_int(number->type, lane_get(lanes_of(p, number), 0));
    if (op->kind == OP_ACQUIRE) return acquire(p, op, ring, turn);
    if (op->kind == OP_FILL || op->kind == OP_PUT) return fill(p, op, ring, turn);
    if (op->kind == OP_READY) return ready(p, op, ring, turn);
    if (op->kind == OP_RELEASE && turn < 0) return true;
    bool peeks = op->kind == OP_PEEK;
    Buffer *buffer = buffer_in(p, op, ring, turn, TURN_READY, peeks ? "peeked" : "released");
    if (!buffer) return false;
    if (peeks)
        slot_set(p, op_result(op),
                 lanes_share(part_slots(p, ring, turn, turn_part(op))[SLOT_TILE]));
    else
        buffer->stage = TURN_RELEASED;
    return true;
}

bool check_peeked(Program *p, const Op *op) {
    for (int i = 0; i < op->num_operands; i++) {
        const Lanes *lanes = lanes_of(p, op->operands[i]);
        if (!lanes->ring || !value_is_peeked(op->operands[i])) continue;
        const Buffer *buffer = buffer_of(p, lanes->ring - 1, lanes->turn);
        if (!buffer || buffer->turn != lanes->turn || buffer->stage != TURN_READY)
            return bad(p, op->span, lanes->ring - 1, lanes->turn, "is read after it was released");
    }
    return true;
}

static bool ring_ends(Program *p, int id) {
    const LoadedRing *r = ring_of(p, id);
    int64_t stages = ring_stages(r->op);
    for (int64_t i = 0; i < stages; i++) {
        const Buffer *buffer = buffer_of(p, id, i);
        if (buffer->stage == TURN_FILLING)
            return bad(p, r->op->span, id, buffer->turn,
                       buffer->filled ? "is filled, but never made ready"
                                      : "is acquired, but never made ready");
        if (buffer->stage == TURN_READY)
            return bad(p, r->op->span, id, buffer->turn, "is never released");
    }
    int64_t slots = stages * op_result(r->op)->type->num_parts * SLOTS_A_PART;
    for (int64_t i = 0; i < slots; i++) put_slot(p, &p->slots[r->first_slot + i], NULL);
    return true;
}

bool rings_end(Program *p, const Node *node) {
    for (int i = 0; i < node->num_frees; i++)
        if (ring_of(p, node->frees[i])->op && !ring_ends(p, node->frees[i])) return false;
    return true;
}
