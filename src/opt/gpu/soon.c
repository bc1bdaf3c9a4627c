// SPDX-License-Identifier: Apache-2.0
/* soon: a product begins right behind another one whose sums the block goes on with, not behind
 * what it makes of them.
 *
 *     %s = dot %q, %k, 0                     %s = dot %q, %k, 0
 *     %p = exp2 %s ..                        %d = dot %o, %v, 0
 *     %d = dot %o, %v, 0              ->     %p = exp2 %s ..
 *     %x = fmul %p, %d                       %x = fmul %p, %d
 *
 * So the tensor cores multiply while exponentials are made, as in attention's gradients; as
 * written, they wait for those. In loops, products of wgmma that go on while the block does, whose
 * operands are there by then, with no turn of a ring between, where a thread has registers for the
 * sums of both. */
#include "ir/place.h"
#include "ir/under_way.h"
#include "opt/opt.h"

enum { MOST_HELD = 200 }; /* registers of 255: the others are for addresses, masks, rows */

typedef struct Soon {
    Func *fn;
    Op *loop;
    Region *body;
    bool *counted; /* by value id */
    int from;      /* ids below this were made before */
    int held;      /* registers of a thread */
} Soon;

static bool goes_on(const Op *op) {
    return op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA && dot_may_go_on(op);
}

/* ---- what may begin ---- */

/* Ids are in order of definition. */
static bool is_made_before(const Soon *s, const Value *value, const Op *first) {
    return !value->def || value->def->parent != s->body || value->id < op_result(first)->id;
}

static bool is_shared(const Value *value) {
    return value->type->place && value->type->place->shared;
}

/* What lies in shared memory, looked at the other way: nothing is computed. */
static bool is_turned(const Value *value) {
    return value->def->kind == OP_TRANS && is_shared(value);
}

static bool is_there(const Soon *s, const Value *value, const Op *first) {
    if (is_made_before(s, value, first)) return true;
    return is_turned(value) && is_made_before(s, value->def->operands[0], first);
}

static bool can_begin(const Soon *s, const Op *dot, const Op *first) {
    bool waits = false; /* something between reads the first one's sums */
    for (int i = 0; i < dot->num_operands; i++)
        if (!is_there(s, dot->operands[i], first)) return false;
    for (const Op *op = first->next; op != dot; op = op->next) {
        if (op->num_regions && op->kind != OP_REDUCE) return false;
        if (is_ring_op(op) && op->kind != OP_PEEK) return false;
        for (int i = 0; i < op->num_operands && op->kind != OP_DOT; i++)
            waits = waits || op->operands[i] == op_result(first);
    }
    return waits;
}

/* ---- registers ---- */

/* Floats alone: addresses and masks are made anew, or are few. */
static void hold(Soon *s, const Value *value) {
    while (value->def && (value->def->kind == OP_BROADCAST || value->def->kind == OP_EXPAND_DIMS))
        value = value->def->operands[0];
    bool is_one = value->def && (value->def->kind == OP_CONSTANT || value->def->kind == OP_SPLAT);
    if (is_one || s->counted[value->id] || !type_is_tile(value->type)) return;
    if (is_shared(value) || !type_is_float(type_lane(value->type))) return;
    s->counted[value->id] = true;
    int lanes = layout_regs(type_layout(value->type));
    s->held += (lanes * type_bits(type_lane(value->type)) + 31) / 32;
}

static bool hold_read(Op *op, void *user) {
    Soon *s = user;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i]->id < s->from) hold(s, op->operands[i]);
    return true;
}

static void hold_read_behind(Soon *s, Op *behind) {
    for (Op *op = behind->next; op; op = op->next) {
        hold_read(op, s);
        for (int i = 0; i < op->num_regions; i++) region_walk(op->regions[i], hold_read, s);
    }
}

static bool has_room(Soon *s, Op *dot, const Op *first) {
    memset(s->counted, 0, sizeof *s->counted * (size_t)s->fn->num_values);
    s->held = 0;
    hold(s, op_result(dot)), hold(s, op_result(first));
    for (int i = 0; i < for_count(s->loop); i++) hold(s, for_arg(s->loop, i));
    s->from = op_result(first)->id;
    hold_read_behind(s, dot);
    s->from = for_index(s->loop)->id;
    region_walk(s->body, hold_read, s);
    hold_read_behind(s, s->loop);
    return s->held <= MOST_HELD;
}

/* ---- all ---- */

static void move_behind(const Soon *s, Op *dot, Op *first) {
    Op *before = first->next;
    for (int i = 0; i < dot->num_operands; i++)
        if (!is_made_before(s, dot->operands[i], first))
            op_move_before(dot->operands[i]->def, before);
    op_move_before(dot, before);
}

static bool begin_one(Soon *s) {
    for (Op *dot = s->body->first; dot; dot = dot->next) {
        if (!goes_on(dot)) continue;
        for (Op *first = s->body->first; first != dot; first = first->next)
            if (goes_on(first) && can_begin(s, dot, first) && has_room(s, dot, first)) {
                move_behind(s, dot, first);
                return true;
            }
    }
    return false;
}

static bool begin_in_loop(PassCtx *px, Func *fn, Op *loop) {
    Soon s = {.fn = fn, .loop = loop, .body = for_body(loop)};
    s.counted = arena_array(px->scratch, bool, fn->num_values);
    bool changed = false;
    while (begin_one(&s)) {
        func_renumber(fn);
        changed = true;
    }
    return changed;
}

static bool visit(PassCtx *px, Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= visit(px, fn, op->regions[i]);
        if (op->kind == OP_FOR) changed |= begin_in_loop(px, fn, op);
    }
    return changed;
}

bool pass_soon(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    func_renumber(fn);
    return visit(px, fn, fn->body);
}
