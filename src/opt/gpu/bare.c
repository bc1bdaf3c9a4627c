// SPDX-License-Identifier: Apache-2.0
/* bare: of long rows, a mask is not asked again where a load or a store has asked it.
 *
 *     %x = load %p, %m, 0                         %x = load %p, %m, 0
 *     %d = select %m, (fsub %x, splat %s), 0  ->  %d = fsub %x, (select %m, splat %s, 0)
 *     store %q, fmul %d, splat %t, %m             store %q, fmul (fsub %x, splat %s), splat %t, %m
 *
 * What a thread loads at once has one mask, so that the second line takes it once for all of that;
 * and of the third nothing is kept where the mask is off. Shorter rows stay in registers, with the
 * difference made once for both; of numbers of 32 bits a thread loads too few at once. */
#include "opt/opt.h"

enum {
    DEEPEST = 16,
    LEAST_LANES = 32768,
    LEAST_WIDTH = 8, /* lanes that it loads at once */
};

typedef struct Bare {
    PassCtx *px;
    Func *fn;
    const Facts *facts;
    Op *store;
    Map made; /* values -> those without the store's mask */
    bool changed;
} Bare;

static bool is_long(const Value *value) {
    return type_is_tile(value->type) && value->type->lanes >= LEAST_LANES;
}

/* ---- what is stored ---- */

static Value *value_of(Bare *b, Value *value, int depth) {
    Op *op = value->def;
    Value *known = map_get_pointer(&b->made, value);
    if (known) return known;
    bool plain = op && op->parent == b->store->parent && op->num_results == 1 &&
                 op_has_trait(op, ELEMENTWISE) && depth < DEEPEST;
    if (!plain) return value;
    Map operands = {.arena = b->px->scratch};
    Value *made = value;
    if (op->kind == OP_SELECT && select_condition(op) == store_mask(b->store)) {
        made = value_of(b, select_a(op), depth + 1);
    } else {
        bool other = false;
        for (int i = 0; i < op->num_operands; i++) {
            Value *operand = value_of(b, op->operands[i], depth + 1);
            map_set_pointer(&operands, op->operands[i], operand);
            other |= operand != op->operands[i];
        }
        Builder at = {.fn = b->fn, .region = op->parent, .before = b->store, .span = op->span};
        if (other) made = op_result(op_clone(&at, op, &operands));
    }
    map_set_pointer(&b->made, value, made);
    return made;
}

static void strip_store(Bare *b, Op *store) {
    b->store = store, b->made = (Map){.arena = b->px->scratch};
    Value *value = value_of(b, store_value(store), 0);
    if (value == store_value(store)) return;
    store->operands[1] = value;
    b->changed = true;
}

/* ---- differences ---- */

static void strip_select(Bare *b, Op *op) {
    Op *sub = select_a(op)->def;
    if (!sub || sub->kind != OP_FSUB || !value_is_zero(select_b(op))) return;
    const Op *load = sub->operands[0]->def, *splat = sub->operands[1]->def;
    if (load && load->kind == OP_FEXT) load = load->operands[0]->def;
    if (!load || load->kind != OP_LOAD || load_mask(load) != select_condition(op)) return;
    if (!value_is_zero(load_other(load)) || !splat || splat->kind != OP_SPLAT) return;
    int fast = op_result(op)->type->rank - 1;
    if (facts_lanes_at_once(b->facts, load, fast) < LEAST_WIDTH) return;
    Builder at = {.fn = b->fn, .region = op->parent, .before = op, .span = sub->span};
    Value *s = build_select(&at, select_condition(op), sub->operands[1], select_b(op));
    op_result(op)->replaced = build_2(&at, OP_FSUB, sub->operands[0], s);
    b->changed = true;
}

static bool strip(Op *op, void *user) {
    if (op->kind == OP_STORE && store_mask(op) && is_long(store_value(op))) strip_store(user, op);
    return true;
}

static bool strip_difference(Op *op, void *user) {
    if (op->kind == OP_SELECT && is_long(op_result(op))) strip_select(user, op);
    return true;
}

bool pass_bare(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM) return false;
    Bare b = {.px = px, .fn = fn};
    func_renumber(fn);
    b.facts = facts_compute(px->scratch, fn); /* asked of loads, which stay */
    region_walk(fn->body, strip, &b);
    region_walk(fn->body, strip_difference, &b);
    if (!b.changed) return false;
    func_resolve(fn);
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
