// SPDX-License-Identifier: Apache-2.0
/* What the last loop of a cluster's blocks loads anew: of weights that each row reads again the
 * first are on their way while blocks meet for the last time. Then nothing else is. */
#include "opt/gpu/pieces.h"

enum { EARLY_REGISTERS = 32 }; /* of a thread */

/* Is what the op is made of there at that op, or may it go there, too? */
static bool can_go(const Value *value, const Op *at, const Op *from, int depth) {
    const Op *op = value->def;
    if (!op || op->parent != at->parent) return true;
    bool behind = false;
    for (const Op *o = at; o != from && !behind; o = o->next) behind = o == op;
    if (!behind) return true;
    if (depth > 16 || op->num_regions || !op_has_trait(op, PURE)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!can_go(op->operands[i], at, from, depth + 1)) return false;
    return true;
}

static void go(Op *op, Op *at) {
    for (int i = 0; i < op->num_operands; i++) {
        Op *source = op->operands[i]->def;
        bool behind = false;
        for (Op *o = at; o && o != op && source && !behind; o = o->next) behind = o == source;
        if (behind) go(source, at);
    }
    op_move_before(op, at);
}

void load_weights(Func *fn, int threads) {
    Op *at = NULL;
    int room = EARLY_REGISTERS;
    for (Op *op = fn->body->first; op; op = op->next)
        if (op->kind == OP_REDUCE) at = op;
    for (Op *op = at, *next; op; op = next) {
        next = op->next;
        if (op_writes_memory(op) || op->num_regions > (op->kind == OP_REDUCE)) return;
        if (op->kind != OP_LOAD || load_volatile(op) || load_kept(op)) continue;
        int registers = (bytes_a_thread(threads, op_result(op)->type) + 3) / 4;
        bool can = registers <= room;
        for (int i = 0; i < op->num_operands && can; i++) can = can_go(op->operands[i], at, op, 0);
        if (!can) continue;
        room -= registers;
        go(op, at);
    }
}
