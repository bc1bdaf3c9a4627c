// SPDX-License-Identifier: Apache-2.0
/* early: in loops with products by the tensor cores, small loads begin a turn ahead.
 *
 *     for %i ..                             %q = addptr %g, %lower;  %y = load %q, %lower < %upper
 *       %c = dot ..                         for %i .. (.., %x = %y)
 *       %p = addptr %g, %i        ->          %q = addptr %g, %i + %step
 *       %x = load %p                          %z = load %q, is there a next turn
 *       .. %x ..                              %c = dot ..
 *                                             .. %x ..
 *                                             yield .., %z
 *
 * Scalars and rows of numbers (decays, lengths) are in no ring: the block would wait for memory at
 * the place where it wants them; so they come with a whole turn's time, as what is multiplied does.
 * What the address and the mask are made of goes along: pure ops on the loop's values. Where a
 * value that the loop carries is not known at the turn's beginning, or no turns are to be loaded
 * ahead (num_stages = 1), the load stands where its own turn begins: the block waits while it
 * multiplies. Nothing in the loop may write where they read. No more than a few registers of a
 * thread. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

enum { MOST_REGISTERS = 4, MOST_AHEAD = 8 }; /* of a load; of a loop's that are a turn ahead */

typedef struct Early {
    PassCtx *px;
    Func *fn;
    Facts *facts;
    bool has_atomics;
    Op *loop;
    Region *body;
    bool *moves;   /* by value id: what makes it goes to the turn's beginning */
    bool *follows; /* by value id: what makes it is made for the next turn, too */
    int planned;   /* ids below are of values that were looked at */
    int num_ahead, registers;
    Op *ahead[MOST_AHEAD]; /* loads */
} Early;

static bool is_small(const Op *load) {
    const Type *type = op_result(load)->type;
    if (!type_is_tile(type)) return true;
    return type->rank == 1 && layout_regs(type_layout(type)) <= MOST_REGISTERS;
}

/* Can it be made where the turn begins? Then what makes it is marked. */
static bool mark(Early *e, const Value *value, int depth) {
    enum { DEEPEST = 40 };
    const Op *op = value->def;
    int bytes[MAX_TRIPS];
    if (!op || op->parent != e->body || e->moves[value->id]) return true;
    if (depth == DEEPEST || !op_has_trait(op, PURE) || op->num_regions || op->num_results != 1 ||
        op_trips(e->fn, e->has_atomics, op, bytes))
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!mark(e, op->operands[i], depth + 1)) return false;
    return e->moves[value->id] = true;
}

static bool begins_early(Early *e, const Op *load) {
    int bytes[MAX_TRIPS];
    if (load_volatile(load) || !is_small(load) || op_trips(e->fn, e->has_atomics, load, bytes))
        return false;
    for (const Op *op = e->body->first; op; op = op->next)
        if (facts_may_write_within(e->facts, op, load)) return false;
    for (int i = 0; i < load->num_operands; i++)
        if (!mark(e, load->operands[i], 0)) return false;
    return e->moves[op_result(load)->id] = true;
}

/* ---- a turn ahead ---- */

/* Can it be known at a turn's beginning for the next one? Then what makes it is marked. */
static bool can_follow(Early *e, const Value *value, int depth) {
    enum { DEEPEST = 40 };
    const Op *op = value->def;
    const Region *region = op ? op->parent : value->region;
    if (region != e->body || (op && e->follows[value->id])) return true;
    if (depth == DEEPEST) return false;
    if (!op) return !value->index || mark(e, for_next(e->loop, value->index - 1), 0);
    if (!e->moves[value->id] || op->kind == OP_LOAD) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!can_follow(e, op->operands[i], depth + 1)) return false;
    return e->follows[value->id] = true;
}

static void find_ahead(Early *e, Op *load) {
    const Type *type = op_result(load)->type;
    int registers = type_is_tile(type) ? layout_regs(type_layout(type)) : 1;
    if (e->num_ahead == MOST_AHEAD || e->registers + registers > MOST_AHEAD) return;
    for (int i = 0; i < load->num_operands; i++)
        if (!can_follow(e, load->operands[i], 0)) return;
    e->ahead[e->num_ahead++] = load;
    e->registers += registers;
}

/* Is there a turn behind this one? Exact whatever the bounds: what is left is no more than a number
 * without a sign holds. */
static Value *has_next(const Early *e, Builder *b) {
    Value *index = for_index(e->loop), *upper = for_upper(e->loop), *step = for_step(e->loop);
    int64_t number = 1;
    value_is_int(step, &number);
    if (number > 0 || for_unsigned(e->loop))
        return build_icmp(b, ICMP_UGT, build_2(b, OP_SUB, upper, index), step);
    Value *back = build_2(b, OP_SUB, build_int(b, step->type, 0), step);
    return build_icmp(b, ICMP_UGT, build_2(b, OP_SUB, index, upper), back);
}

static Value *has_first(const Early *e, Builder *b) {
    int64_t number = 1;
    value_is_int(for_step(e->loop), &number);
    int predicate = for_unsigned(e->loop) ? ICMP_ULT : number > 0 ? ICMP_SLT : ICMP_SGT;
    return build_icmp(b, predicate, for_lower(e->loop), for_upper(e->loop));
}

/* The loads of a turn whose values `turn` has; is_there: is there such a turn? */
static void write_loads(const Early *e, Builder *b, Map *turn, Value *is_there, Value **loads) {
    for (const Op *op = e->body->first; op; op = op->next)
        if (op->num_results == 1 && op_result(op)->id < e->planned && e->follows[op_result(op)->id])
            op_clone(b, op, turn);
    for (int i = 0; i < e->num_ahead; i++) {
        const Op *load = e->ahead[i];
        Value *operands[3] = {NULL};
        for (int k = 0; k < load->num_operands; k++) {
            Value *now = map_get_pointer(turn, load->operands[k]);
            operands[k] = now ? now : load->operands[k];
        }
        const Type *type = type_with_elem(e->fn->types, operands[0]->type, type_scalar(TYPE_I1));
        Value *all = is_there;
        if (type_is_tile(type)) all = op_result(build_op(b, OP_SPLAT, 1, &all, 1, &type, 0, NULL));
        operands[1] = operands[1] ? build_2(b, OP_AND, operands[1], all) : all;
        int count = load->num_operands > 2 ? 3 : 2;
        Op *made = build_op(b, OP_LOAD, count, operands, 1, &op_result(load)->type, 0, NULL);
        memcpy(made->attrs, load->attrs, sizeof made->attrs);
        made->span = load->span;
        loads[i] = op_result(made);
        loads[i]->name = op_result(load)->name;
    }
}

/* What is made for the next turn stands behind what this turn's beginning makes. */
static void write_ahead(Early *e, Op *behind) {
    Op *loop = e->loop;
    Func *fn = e->fn;
    Map first = {.arena = e->px->scratch}, next = {.arena = e->px->scratch};
    Value *starts[MOST_AHEAD], *args[MOST_AHEAD], *loads[MOST_AHEAD];
    Builder b = {.fn = fn, .region = loop->parent, .before = loop, .span = loop->span};
    map_set_pointer(&first, for_index(loop), for_lower(loop));
    for (int i = 0; i < for_count(loop); i++)
        map_set_pointer(&first, for_arg(loop, i), for_init(loop, i));
    write_loads(e, &b, &first, has_first(e, &b), starts);
    b = (Builder){.fn = fn, .region = e->body, .before = behind, .span = loop->span};
    Value *more = has_next(e, &b);
    map_set_pointer(&next, for_index(loop), build_2(&b, OP_ADD, for_index(loop), for_step(loop)));
    for (int i = 0; i < for_count(loop); i++)
        map_set_pointer(&next, for_arg(loop, i), for_next(loop, i));
    write_loads(e, &b, &next, more, loads);
    e->loop = for_carry_more(fn, loop, e->num_ahead, starts, args);
    for_yield_more(fn, e->loop, e->num_ahead, loads);
    for (int i = 0; i < e->num_ahead; i++) {
        args[i]->name = op_result(e->ahead[i])->name;
        op_result(e->ahead[i])->replaced = args[i];
        op_remove(e->ahead[i]);
    }
}

/* ---- all ---- */

static bool has_product(const Region *body) {
    for (const Op *op = body->first; op; op = op->next)
        if (op->kind == OP_DOT && (dot_unit(op) == UNIT_MMA || dot_unit(op) == UNIT_WGMMA))
            return true;
    return false;
}

/* To the turn's beginning, in the order in which they stand. Returns the op behind them. */
static Op *move_marked(Early *e) {
    Op *to = e->body->first;
    for (Op *op = e->body->first, *next; op; op = next) {
        next = op->next;
        if (op->num_results != 1 || !e->moves[op_result(op)->id]) continue;
        if (op == to)
            to = op->next;
        else
            op_move_before(op, to);
    }
    return to;
}

static bool early_loop(Early *e, Op *loop) {
    bool any = false;
    int64_t stages = for_stages(loop) ? for_stages(loop) : e->fn->num_stages;
    e->loop = loop, e->body = for_body(loop);
    e->num_ahead = e->registers = 0;
    e->planned = e->fn->num_values;
    e->moves = arena_array(e->px->scratch, bool, e->planned);
    e->follows = arena_array(e->px->scratch, bool, e->planned);
    for (Op *op = e->body->first; op; op = op->next) {
        if (op->kind != OP_LOAD || !begins_early(e, op)) continue;
        any = true;
        if (stages > 1 && type_bits(for_lower(loop)->type) >= 32) find_ahead(e, op);
    }
    if (!any) return false;
    Op *behind = move_marked(e);
    if (!e->num_ahead) return true;
    write_ahead(e, behind);
    func_resolve(e->fn);
    func_renumber(e->fn);
    e->facts = facts_compute(e->px->scratch, e->fn);
    facts_ask(e->facts, e->px->needs);
    return true;
}

static bool early_region(Early *e, Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= early_region(e, op->regions[i]);
        if (op->kind == OP_FOR && has_product(for_body(op))) changed |= early_loop(e, op);
    }
    return changed;
}

bool pass_early(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Early e = {.px = px, .fn = fn, .has_atomics = func_has_atomics(fn)};
    e.facts = facts_compute(px->scratch, fn);
    facts_ask(e.facts, px->needs);
    if (!early_region(&e, fn->body)) return false;
    pass_dce(px, fn); /* what only this turn's loads needed */
    func_renumber(fn);
    return true;
}
