// SPDX-License-Identifier: Apache-2.0
/* row: what is put by in pieces: each is in a slot behind those of the values. */
#include "device/interp/interp.h"

void row_note(Loaded *loaded, const Op *op) {
    if (op->kind != OP_STOW || loaded->rows[stow_row(op)]) return;
    loaded->rows[stow_row(op)] = loaded->num_slots;
    loaded->num_slots += (int)stow_pieces(op);
}

bool exec_row(Program *p, const Op *op) {
    bool stows = op->kind == OP_STOW;
    const Value *number = op->operands[0];
    int64_t row = stows ? stow_row(op) : fetch_row(op);
    int64_t pieces = stows ? stow_pieces(op) : fetch_pieces(op);
    int64_t piece = constant_to_int(number->type, lane_get(lanes_of(p, number), 0));
    int first = p->launch->loaded->rows[row];
    if (piece < 0 || piece >= pieces)
        return program_fail(p, TERN_ERROR_KERNEL, op->span, "piece %lld of a row of %lld",
                            (long long)piece, (long long)pieces);
    Lanes **slot = first ? &p->slots[first + piece] : NULL;
    if (stows) {
        lanes_release(p->launch, *slot);
        *slot = lanes_share(lanes_of(p, stow_tile(op)));
        return true;
    }
    if (!slot || !*slot)
        return program_fail(p, TERN_ERROR_KERNEL, op->span,
                            "piece %lld is fetched before it is put by", (long long)piece);
    slot_set(p, op_result(op), lanes_share(*slot));
    return true;
}
