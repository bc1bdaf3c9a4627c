// SPDX-License-Identifier: Apache-2.0
/* tirorder: the order in which the instructions are printed.
 *
 * Building makes each op of the tile IR for all registers of a tile before the next op, so that a
 * chain of ops holds all of them at each step. Where that takes many registers, an instruction
 * without effects moves down to its first reader, and a register of the tile goes through the whole
 * chain before the next one starts:
 *
 *     a0 = x0 * k;  a1 = x1 * k;  b0 = a0 ^ s;  b1 = a1 ^ s;  store b0;  store b1
 *     a0 = x0 * k;  b0 = a0 ^ s;  store b0;  a1 = x1 * k;  b1 = a1 ^ s;  store b1
 *
 * Instructions with effects, and loads, keep their order; nothing moves past a barrier, a label, a
 * branch or the assignment of a variable. ptxas orders again, but what is held at every step it
 * cannot let go. */
#include "gen/ptx/tir.h"

typedef VEC(Tir) TirList;

typedef struct Orderer {
    Tirs *b;
    bool *placed;
    TirList waiting, stack, order;
} Orderer;

static const TirIns *at(const Orderer *o, Tir x) { return &o->b->list.data[x]; }

/* ---- moving ---- */

static bool may_wait(const TirIns *ins) {
    return ins->kind == TIR_PURE || ins->kind == TIR_CONST || ins->kind == TIR_SPECIAL ||
           ins->kind == TIR_PARAM || ins->kind == TIR_ADDRESS;
}

/* What prints nothing of its own is placed with the instruction that it belongs to. */
static bool has_place(const TirIns *ins) {
    return ins->kind != TIR_VAR && ins->kind != TIR_RESULT &&
           (ins->kind != TIR_CONST || ins->in_register);
}

static Tir producer(const Orderer *o, Tir x) {
    return at(o, x)->kind == TIR_RESULT ? at(o, x)->args[0] : x;
}

static Tir missing_operand(const Orderer *o, Tir x) {
    const TirIns *ins = at(o, x);
    for (int i = 0; i <= ins->num_args; i++) {
        Tir operand = i < ins->num_args ? ins->args[i] : ins->guard;
        operand = operand ? producer(o, operand) : 0;
        if (operand && has_place(at(o, operand)) && !o->placed[operand]) return operand;
    }
    return 0;
}

static void place(Orderer *o, Tir x) {
    o->stack.count = 0;
    vec_push(o->b->arena, &o->stack, x);
    while (o->stack.count) {
        Tir top = o->stack.data[o->stack.count - 1];
        Tir operand = o->placed[top] ? 0 : missing_operand(o, top);
        if (operand) {
            vec_push(o->b->arena, &o->stack, operand);
            continue;
        }
        o->stack.count--;
        if (o->placed[top]) continue;
        o->placed[top] = true;
        vec_push(o->b->arena, &o->order, top);
    }
}

static void place_waiting(Orderer *o) {
    for (int i = 0; i < o->waiting.count; i++) place(o, o->waiting.data[i]);
    o->waiting.count = 0;
}

/* As built; what tir_walk made, where it said. Of that what has no effect comes with its reader. */
static TirList sequence_of(Tirs *b) {
    TirList sequence = {0};
    int moved = 0;
    for (Tir x = 1; x < (b->walked ? b->walked : b->list.count); x++) {
        while (moved < b->moved.count && b->moved.data[moved].where == x)
            vec_push(b->arena, &sequence, b->moved.data[moved++].what);
        vec_push(b->arena, &sequence, x);
    }
    return sequence;
}

static TirList order_late(Tirs *b, const TirList *sequence) {
    Orderer o = {.b = b, .placed = arena_array(b->arena, bool, b->list.count)};
    for (int i = 0; i < sequence->count; i++) {
        Tir x = sequence->data[i];
        const TirIns *ins = at(&o, x);
        if (!ins->live || !has_place(ins)) continue;
        if (may_wait(ins)) {
            vec_push(b->arena, &o.waiting, x);
            continue;
        }
        bool passes = ins->kind == TIR_LOAD || ins->kind == TIR_STORE || ins->kind == TIR_COPY ||
                      ins->kind == TIR_SHUFFLE || ins->kind == TIR_MMA;
        if (!passes) place_waiting(&o);
        place(&o, x);
    }
    place_waiting(&o);
    return o.order;
}

static TirList order_as_built(Tirs *b, const TirList *sequence) {
    Orderer o = {.b = b, .placed = arena_array(b->arena, bool, b->list.count)};
    for (int i = 0; i < sequence->count; i++)
        if (at(&o, sequence->data[i])->live && has_place(at(&o, sequence->data[i])))
            place(&o, sequence->data[i]);
    return o.order;
}

/* ---- registers ---- */

typedef struct Life {
    int first, last; /* positions in the order; last 0: not there */
} Life;

static void reach(Life *life, int position) {
    if (!life->last) life->first = position;
    life->last = position;
}

/* What is alive before a loop and read in it is alive to its end. */
static void stretch_over_loops(const Tirs *b, const TirList *order, Life *lives, bool *is_head) {
    int *label_at = arena_array(b->arena, int, b->num_labels + 1);
    for (int p = 0; p < order->count; p++) {
        const TirIns *ins = &b->list.data[order->data[p]];
        if (ins->kind == TIR_LABEL) label_at[ins->imm] = p + 1;
        if (ins->kind != TIR_BRANCH || !label_at[ins->imm]) continue;
        int start = label_at[ins->imm];
        is_head[start] = true;
        for (Tir x = 1; x < b->list.count; x++)
            if (lives[x].first < start && lives[x].last >= start && lives[x].last < p + 1)
                lives[x].last = p + 1;
    }
}

/* 32-bit registers alive at once, at most; and where a turn of a loop begins. */
static int most_alive(Tirs *b, const TirList *order, int *at_heads) {
    bool *is_head = arena_array(b->arena, bool, order->count + 3);
    Life *lives = arena_array(b->arena, Life, b->list.count);
    int *change = arena_array(b->arena, int, order->count + 3), alive = 0, most = 0;
    for (int p = 0; p < order->count; p++) {
        Tir x = order->data[p];
        const TirIns *ins = &b->list.data[x];
        if (ins->class != CLASS_NONE) reach(&lives[x], p + 1);
        for (int i = 0; i < ins->num_results; i++) reach(&lives[x + 1 + i], p + 1);
        for (int i = 0; i < ins->num_args; i++) reach(&lives[ins->args[i]], p + 1);
        if (ins->guard) reach(&lives[ins->guard], p + 1);
    }
    stretch_over_loops(b, order, lives, is_head);
    *at_heads = 0;
    for (Tir x = 1; x < b->list.count; x++) {
        static const int registers_of[] = {
            [CLASS_B16] = 1, [CLASS_B32] = 1, [CLASS_B64] = 2, [CLASS_NONE] = 0};
        const TirIns *ins = &b->list.data[x];
        if (!lives[x].last || (ins->kind == TIR_CONST && !ins->in_register)) continue;
        change[lives[x].first] += registers_of[ins->class];
        change[lives[x].last] -= registers_of[ins->class];
    }
    for (int p = 0; p < order->count + 3; p++) {
        alive += change[p];
        if (alive > most) most = alive;
        if (is_head[p] && alive > *at_heads) *at_heads = alive;
    }
    return most;
}

/* ---- all ---- */

enum { FEW = 40 }; /* registers that leave a multiprocessor full of threads */

void tir_order(Tirs *b) {
    TirList sequence = sequence_of(b), order = order_as_built(b, &sequence);
    int at_heads, most = most_alive(b, &order, &b->alive_at_heads);
    if (most > FEW) {
        TirList late = order_late(b, &sequence);
        if (most_alive(b, &late, &at_heads) < most * 2 / 3)
            order = late, b->alive_at_heads = at_heads; /* less than that ptxas finds itself */
    }
    b->order = order.data;
    b->order_count = order.count;
}
