// SPDX-License-Identifier: Apache-2.0
/* row: what is put by in pieces. Each thread has its own lanes of a piece in local memory, in the
 * order of its registers; a piece begins where a vector may. */
#include "gen/ptx/gen.h"

enum { VECTOR_BYTES = 16 };

static bool find_row(Gen *g, const Op *op, int64_t row, int64_t bytes) {
    int64_t end = g->local_size + bytes;
    if (g->rows[row]) return true;
    if (end > MAX_LOCAL_BYTES) {
        diag_refused(g->diag, op->span, "%lld bytes of local memory; a thread has %d",
                     (long long)end, MAX_LOCAL_BYTES);
        return false;
    }
    g->rows[row] = g->local_size + 1;
    g->local_size = (int)end;
    return true;
}

void ptx_row(Gen *g, const Op *op) {
    bool stows = op->kind == OP_STOW;
    const Value *tile = stows ? stow_tile(op) : op_result(op);
    int64_t row = stows ? stow_row(op) : fetch_row(op);
    int64_t pieces = stows ? stow_pieces(op) : fetch_pieces(op);
    const Type *lane = type_lane(tile->type);
    int each = ptx_lane_bytes(lane), count = 1 << type_layout(tile->type)->num[KIND_REG];
    int bytes = (each * count + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
    if (!find_row(g, op, row, pieces * bytes)) return;
    Tir number = ptx_scalar_of(g, op->operands[0]);
    Tir at = tir_2(g->b, TIR_MUL32, number, tir_i32(g->b, bytes));
    at = tir_2(g->b, TIR_ADD32, at, tir_address(g->b, CLASS_B32, SPACE_LOCAL, "local_memory"));
    Tir *lanes = stows ? ptx_regs_of(g, tile) : ptx_new_regs(g, count);
    int most = VECTOR_BYTES / each < count ? VECTOR_BYTES / each : count;
    for (int i = 0; i < count; i += most) {
        Tir address = tir_2(g->b, TIR_ADD32, at, tir_i32(g->b, g->rows[row] - 1 + i * each));
        if (stows)
            ptx_store_lanes(g, "st.local", address, lane, most, 0, lanes + i);
        else
            ptx_load_lanes(g, "ld.local", false, address, lane, most, 0, NULL, lanes + i);
    }
    if (!stows) ptx_define(g, op_result(op), lanes);
}
