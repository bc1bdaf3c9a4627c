// SPDX-License-Identifier: Apache-2.0
/* shape: ops that move lanes and compute none. Most are one walk over the result's lanes in
 * row-major order with a stride into the operand for each dimension (0 where lanes repeat). */
#include "device/interp/interp.h"

typedef struct Walk {
    int rank;
    int shape[MAX_RANK + 1];
    int strides[MAX_RANK + 1]; /* in lanes of the source */
} Walk;

static void row_major(const Type *type, int *strides) {
    int stride = 1;
    for (int i = type->rank - 1; i >= 0; i--) strides[i] = stride, stride *= type->shape[i];
}

#define WALK_LOOP(T)                                                                               \
    for (int i = 0; i < inner; i++)                                                                \
    ((T *)(void *)to->data)[at + i * step] =                                                       \
        ((const T *)(const void *)from->data)[source + i * stride]

/* to[first + k * step] = from[source of the k-th lane of the walk + offset] */
static void walk_copy(const Walk *walk, const Lanes *from, int offset, Lanes *to, int first,
                      int step) {
    int index[MAX_RANK + 1] = {0}, total = 1, source = offset, last = walk->rank - 1;
    for (int i = 0; i < walk->rank; i++) total *= walk->shape[i];
    int inner = walk->rank ? walk->shape[last] : 1, stride = walk->rank ? walk->strides[last] : 0;
    for (int done = 0, at = first; done < total; done += inner, at += inner * step) {
        switch (from->size) {
        case 1: WALK_LOOP(uint8_t); break;
        case 2: WALK_LOOP(uint16_t); break;
        case 4: WALK_LOOP(uint32_t); break;
        default: WALK_LOOP(uint64_t); break;
        }
        for (int i = last - 1; i >= 0; i--) {
            source += walk->strides[i];
            if (++index[i] < walk->shape[i]) break;
            source -= walk->strides[i] * walk->shape[i];
            index[i] = 0;
        }
    }
}

static bool walk_result(Program *p, const Op *op, const Walk *walk) {
    const Value *result = op_result(op);
    const Lanes *from = operand(p, op, 0);
    Lanes *out = lanes_new(p, result->type->lanes, from->size);
    if (!out) return false;
    walk_copy(walk, from, 0, out, 0, 1);
    slot_set(p, result, out);
    return true;
}

static Walk walk_of(const Type *type) {
    Walk walk = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) walk.shape[i] = type->shape[i];
    return walk;
}

static bool exec_splat(Program *p, const Op *op) {
    Walk walk = walk_of(op_result(op)->type);
    return walk_result(p, op, &walk);
}

static bool exec_broadcast(Program *p, const Op *op) {
    Walk walk = walk_of(op_result(op)->type);
    const Type *from = op->operands[0]->type;
    row_major(from, walk.strides);
    for (int i = 0; i < walk.rank; i++)
        if (from->shape[i] == 1) walk.strides[i] = 0;
    return walk_result(p, op, &walk);
}

static bool exec_trans(Program *p, const Op *op) {
    Walk walk = walk_of(op_result(op)->type);
    int strides[MAX_RANK];
    row_major(op->operands[0]->type, strides);
    for (int i = 0; i < walk.rank; i++) walk.strides[i] = strides[trans_order(op).data[i]];
    return walk_result(p, op, &walk);
}

bool exec_arange(Program *p, const Op *op) {
    const Value *result = op_result(op);
    Lanes *out = lanes_new(p, result->type->lanes, type_size_bytes(result->type));
    if (!out) return false;
    int64_t start = arange_start(op);
    for (int i = 0; i < out->count; i++) lane_set(out, i, (uint64_t)(start + i));
    slot_set(p, result, out);
    return true;
}

static bool exec_join(Program *p, const Op *op) {
    Lanes *out = lanes_new(p, op_result(op)->type->lanes, operand(p, op, 0)->size);
    if (!out) return false;
    Walk walk = {.rank = 1, .shape = {out->count / 2}, .strides = {1}};
    for (int i = 0; i < 2; i++) walk_copy(&walk, operand(p, op, i), 0, out, i, 2);
    slot_set(p, op_result(op), out);
    return true;
}

static bool exec_split(Program *p, const Op *op) {
    const Lanes *from = operand(p, op, 0);
    Walk walk = {.rank = 1, .shape = {from->count / 2}, .strides = {2}};
    for (int i = 0; i < 2; i++) {
        Lanes *out = lanes_new(p, from->count / 2, from->size);
        if (!out) return false;
        walk_copy(&walk, from, i, out, 0, 1);
        slot_set(p, &op->results[i], out);
    }
    return true;
}

static bool exec_gather(Program *p, const Op *op) {
    const Lanes *from = lanes_of(p, gather_source(op)), *indices = lanes_of(p, gather_indices(op));
    const Type *from_type = gather_source(op)->type, *index_type = gather_indices(op)->type;
    int axis = (int)gather_axis(op), strides[MAX_RANK], shape[MAX_RANK] = {0};
    row_major(from_type, strides);
    Lanes *out = lanes_new(p, indices->count, from->size);
    if (!out) return false;
    for (int i = 0; i < out->count; i++) {
        int64_t picked = constant_to_int(type_lane(index_type), lane_get(indices, i));
        int source = 0;
        for (int k = 0; k < index_type->rank; k++)
            if (k != axis) source += shape[k] * strides[k];
        bool inside = picked >= 0 && picked < from_type->shape[axis];
        lane_set(out, i, inside ? lane_get(from, source + (int)picked * strides[axis]) : 0);
        for (int k = index_type->rank - 1; k >= 0 && ++shape[k] == index_type->shape[k]; k--)
            shape[k] = 0;
    }
    slot_set(p, op_result(op), out);
    return true;
}

static bool exec_sort_step(Program *p, const Op *op) {
    const Lanes *from = operand(p, op, 0);
    Lanes *out = lanes_new(p, from->count, from->size);
    int64_t mask = sort_step_mask(op);
    if (!out) return false;
    for (int i = 0; i < out->count; i++) {
        int64_t source = i ^ mask;
        if (source < 0 || source >= out->count) BUG("interp: sort_step leaves the tile");
        lane_set(out, i, lane_get(from, (int)source));
    }
    slot_set(p, op_result(op), out);
    return true;
}

bool exec_alias(Program *p, const Op *op) {
    slot_set(p, op_result(op), lanes_share(operand(p, op, 0)));
    return true;
}

static bool move_lanes(Program *p, const Op *op) {
    switch (op->kind) {
    case OP_SPLAT: return exec_splat(p, op);
    case OP_BROADCAST: return exec_broadcast(p, op);
    case OP_RESHAPE:
    case OP_EXPAND_DIMS:
    case OP_CONVERT: return exec_alias(p, op);
    case OP_TRANS: return exec_trans(p, op);
    case OP_JOIN: return exec_join(p, op);
    case OP_SPLIT: return exec_split(p, op);
    case OP_GATHER: return exec_gather(p, op);
    case OP_SORT_STEP: return exec_sort_step(p, op);
#define OP(kind, ...)     case OP_##kind:
#define ACROSS(kind, ...) case OP_##kind:
#define SHAPE(...)
#define PERMUTE(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' moves no lanes", op_info(op->kind)->name);
}

/* ---- what else is known of the lanes moves with them ---- */

static Lanes **known_of(Lanes *lanes, bool wide) { return wide ? &lanes->wide : &lanes->marks; }

/* What is known of lanes of a type; where that is nothing, it in so many words. */
static Lanes *known_in_words(Program *p, Lanes *lanes, const Type *type, bool wide) {
    Lanes *known = *known_of(lanes, wide);
    if (known) return lanes_share(known);
    if (!(known = lanes_new(p, lanes->count, 8))) return NULL;
    for (int i = 0; i < lanes->count; i++) {
        uint64_t bits = wide ? lane_get(lanes, i) : 0;
        lane_set(known, i,
                 wide && type_is_int(type) ? (uint64_t)constant_to_int(type, bits) : bits);
    }
    return known;
}

/* Runs the op once more, on what is known of its operands. */
static bool move_known(Program *p, const Op *op, bool wide) {
    int count = op->kind == OP_GATHER ? 1 : op->num_operands;
    Lanes *operands[2], *results[2] = {0};
    bool any = false, fine = true;
    for (int i = 0; i < count; i++) {
        operands[i] = operand(p, op, i);
        any |= *known_of(operands[i], wide) != NULL;
    }
    if (!any) return true;
    for (int i = 0; i < op->num_results; i++) {
        results[i] = p->slots[op->results[i].id];
        p->slots[op->results[i].id] = NULL;
    }
    Lanes *known[2] = {0};
    for (int i = 0; i < count && fine; i++) {
        known[i] = known_in_words(p, operands[i], type_lane(op->operands[i]->type), wide);
        fine = known[i] != NULL;
    }
    for (int i = 0; i < count && fine; i++) p->slots[op->operands[i]->id] = known[i];
    fine = fine && move_lanes(p, op) && (!wide || move_known(p, op, false)); /* the wide's marks */
    for (int i = 0; i < count; i++) {
        p->slots[op->operands[i]->id] = operands[i];
        lanes_release(p->launch, known[i]);
    }
    for (int i = 0; i < op->num_results; i++) {
        *known_of(results[i], wide) = p->slots[op->results[i].id];
        p->slots[op->results[i].id] = results[i];
    }
    return fine;
}

static bool is_alias(const Op *op) {
    return op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS || op->kind == OP_CONVERT;
}

bool exec_shape(Program *p, const Op *op) {
    return move_lanes(p, op) &&
           (is_alias(op) || (move_known(p, op, false) && move_known(p, op, true)));
}
