// SPDX-License-Identifier: Apache-2.0
/* turn: see turn.h. */
#include "ir/turn.h"

enum { MOST_HOPS = 16 }; /* from a turn's value to the one it is counted from */

Turn turn_of(const Value *value) {
    int64_t offset = 0, number;
    for (int hops = 0; hops < MOST_HOPS; hops++) {
        const Op *op = value->def;
        if (value_is_int(value, &number) && number >= INT32_MIN && number <= INT32_MAX)
            return (Turn){NULL, offset + number};
        if (!op || (op->kind != OP_ADD && op->kind != OP_SUB && op->kind != OP_EXT_S)) break;
        if (op->kind == OP_EXT_S) {
            value = op->operands[0];
            continue;
        }
        int constant = op->kind == OP_ADD && value_is_int(op->operands[0], &number) ? 0 : 1;
        if (!value_is_int(op->operands[constant], &number)) break;
        if (number < INT32_MIN || number > INT32_MAX) break;
        offset += op->kind == OP_SUB ? -number : number;
        value = op->operands[1 - constant];
    }
    return (Turn){value, offset};
}

bool op_is_view(const Op *op) {
    return op->kind == OP_TRANS || op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS ||
           op->kind == OP_HINT;
}

bool region_uses_ring(const Region *region, const Value *ring) {
    for (const Op *op = region->first; op; op = op->next)
        if (op_uses_ring(op, ring)) return true;
    return false;
}

bool op_uses_ring(const Op *op, const Value *ring) {
    bool uses = op_is_of_ring(op, ring);
    for (int i = 0; i < op->num_regions && !uses; i++)
        uses = region_uses_ring(op->regions[i], ring);
    return uses;
}

bool region_has_of_ring(const Region *region, OpKind kind, const Value *ring) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->kind == kind && op_is_of_ring(op, ring)) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (region_has_of_ring(op->regions[i], kind, ring)) return true;
    }
    return false;
}
