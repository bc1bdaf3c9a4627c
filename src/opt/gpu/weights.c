// SPDX-License-Identifier: Apache-2.0
/* When rows that are held load what is not held: weights, that each row reads again. The first are
 * on their way while threads, and the blocks of a cluster, meet for the last time: then nothing
 * else is. Those of the other pieces are loaded a piece ahead, where threads have registers. Of
 * rows that registers hold, too: what stands behind the last barrier ptxas loads 16 bytes after
 * 16 bytes, to save registers, and waits for each. */
#include "opt/gpu/pieces.h"

enum {
    EARLY_REGISTERS = 32, /* of a thread */
    WHOLE_REGISTERS = 16, /* likewise, of rows that registers hold, .. */
    MOST_LIVE = 64,       /* .. if so many do */
    AHEAD_REGISTERS = 16, /* likewise, of one piece, .. */
    AHEAD_THREADS = 256,  /* .. of a block, at most: others have fewer registers */
};

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

/* at: stands behind what the op is made of, then, if that was the first there. */
static void go(Op *op, Op **at) {
    for (int i = 0; i < op->num_operands && op != *at; i++) {
        Op *source = op->operands[i]->def;
        bool behind = false;
        for (Op *o = *at; o && o != op && source && !behind; o = o->next) behind = o == source;
        if (behind) go(source, at);
    }
    if (op == *at)
        *at = op->next;
    else
        op_move_before(op, *at);
}

static bool may_write(const Op *op) {
    return op_writes_memory(op) || op->num_regions > (op->kind == OP_REDUCE);
}

static const Value *root_of(const Value *pointer) {
    while (pointer->def && pointer->def->num_operands &&
           type_is_ptr(pointer->def->operands[0]->type))
        pointer = pointer->def->operands[0];
    return pointer;
}

/* Something was loaded by that parameter before: a row, which is loaded again rather than held. */
static bool is_known(const Op *load, const Op *at) {
    bool found = false;
    for (const Op *op = load->parent->first; op != at && !found; op = op->next)
        found = op->kind == OP_LOAD && root_of(load_pointer(op)) == root_of(load_pointer(load));
    return found;
}

static bool load_before_last(Func *fn, int threads, int room, bool held) {
    Op *at = NULL;
    bool moved = false;
    for (Op *op = fn->body->first; op; op = op->next)
        if (op->kind == OP_REDUCE) at = op;
    for (Op *op = at, *next; op; op = next) {
        next = op->next;
        if (may_write(op)) return moved;
        if (op->kind != OP_LOAD || load_volatile(op) || load_kept(op)) continue;
        if (!held && is_known(op, at)) continue;
        int registers = registers_a_thread(threads, op_result(op)->type);
        bool can = registers <= room;
        for (int i = 0; i < op->num_operands && can; i++) can = can_go(op->operands[i], at, op, 0);
        if (!can) continue;
        room -= registers;
        go(op, &at);
        moved = true;
    }
    return moved;
}

void load_weights(Func *fn, int threads) { load_before_last(fn, threads, EARLY_REGISTERS, true); }

bool load_weights_of_whole(Func *fn, int threads, int live) {
    return live <= MOST_LIVE && load_before_last(fn, threads, WHOLE_REGISTERS, false);
}

static bool is_streamed(const Op *op) {
    return op->kind == OP_LOAD && type_is_tile(op_result(op)->type) && !load_volatile(op) &&
           !load_kept(op);
}

/* What is loaded before `end` goes to `begin`. */
static void load_at(Op *begin, Op *first, const Op *end, int threads) {
    int registers = 0;
    for (const Op *op = first; op != end; op = op->next)
        if (is_streamed(op)) registers += registers_a_thread(threads, op_result(op)->type);
    if (registers > AHEAD_REGISTERS) return;
    for (Op *op = first, *next; op != end; op = next) {
        next = op->next;
        bool can = is_streamed(op);
        for (int i = 0; i < op->num_operands && can; i++)
            can = can_go(op->operands[i], begin, op, 0);
        if (can) go(op, &begin);
    }
}

/* Each piece ends with a store, which stood behind all that is loaded. */
void load_ahead(Func *fn, int threads) {
    Op *begin = NULL, *last = NULL; /* where the piece before begins, its store */
    for (Op *op = fn->body->first; op; op = op->next)
        if (op->kind == OP_REDUCE) begin = op->next;
    if (threads > AHEAD_THREADS) return;
    for (Op *op = begin; op; op = op->next) {
        if (!may_write(op)) continue;
        if (op->kind != OP_STORE || !type_is_tile(access_pointer(op)->type)) {
            begin = op->next, last = NULL;
            continue;
        }
        if (last) begin = last->next;
        last = op;
        const Op *end = op->next;
        while (end && !may_write(end)) end = end->next;
        if (end) load_at(begin, op->next, end, threads);
    }
}
