// SPDX-License-Identifier: Apache-2.0
/* unroll: a loop that runs a known number of turns becomes its turns, one behind the other.
 *
 *     while 0 { (%j)                        store %p, %x
 *       %1 = icmp %j, 2 {slt}         ->    %3 = addptr %p, 1
 *       yield %1, %j                        store %3, %x
 *     } do { (%j)
 *       %2 = addptr %p, %j                  (as `fold` leaves it)
 *       store %2, %x
 *       yield %j + 1
 *     }
 *
 * How many turns there are is found by going through them with what is known: any condition and any
 * step will do (`k > 0; k /= 2`), and loops inside count, too. What cannot be computed on the way
 * is what is left of the loop: its size, by which is decided. More is allowed where distances into
 * an array of the thread become numbers, since `promote` then makes values of the array, and where
 * the source asks for it (`#pragma unroll`). `#pragma unroll 4` makes one turn of four; the turns
 * that are too many for that go before the loop.
 *
 * Only thread form: where threads are the lanes of tiles, each op is many instructions already. */
#include "opt/opt.h"

enum {
    PLAIN_SIZE = 400,      /* ops left of a loop that nothing speaks for: nvcc's are 300 or so */
    ARRAY_SIZE = 8192,     /* where arrays become values */
    ASKED_SIZE = 32 << 10, /* where the source asks for it */
    ARRAY_BYTES = 1024,    /* that registers may hold: 255 of 4 bytes each */
    ALL_STEPS = 1 << 19,   /* ops looked at in a kernel, milliseconds */
    ALL_SIZE = 64 << 10,   /* ops made in a kernel */
};

typedef struct Known { /* of a value: a number, in this attempt */
    int attempt;
    bool is_known;
    uint64_t bits;
} Known;

typedef struct Unroll {
    PassCtx *px;
    Func *fn;
    VEC(Known) known; /* by value id */
    int attempt, steps, made;
    int size, arrays; /* ops that are left; accesses of arrays whose distance becomes a number */
    bool changed;
} Unroll;

/* ---- going through a loop ---- */

static Known *slot_of(Unroll *u, const Value *value) {
    while (u->known.count <= value->id) vec_push(u->px->scratch, &u->known, (Known){0});
    return &u->known.data[value->id];
}

static void set(Unroll *u, const Value *value, const uint64_t *bits) {
    *slot_of(u, value) = (Known){u->attempt, bits != NULL, bits ? *bits : 0};
}

static bool compute(Unroll *u, const Op *op, uint64_t *bits, int depth);

static bool known(Unroll *u, const Value *value, uint64_t *bits, int depth) {
    const Known *k = slot_of(u, value);
    *bits = k->bits;
    if (k->attempt == u->attempt) return k->is_known;
    return value->def && depth < 32 && compute(u, value->def, bits, depth + 1);
}

static bool compute(Unroll *u, const Op *op, uint64_t *bits, int depth) {
    uint64_t in[3];
    if (op->kind == OP_CONSTANT) return *bits = constant_bits(op), true;
    if (!op_has_trait(op, ELEMENTWISE) || op->num_operands > 3 || op->num_results != 1)
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!known(u, op->operands[i], &in[i], depth)) return false;
    return eval_lane(op, in, bits);
}

/* In a small array of the thread. */
static bool is_in_array(const Value *pointer) {
    const Op *op = pointer->def;
    while (op && (op->kind == OP_ADDPTR || op->kind == OP_BITCAST)) op = op->operands[0]->def;
    return op && op->kind == OP_ALLOC && alloc_space(op) == ALLOC_LOCAL &&
           alloc_bytes(op) <= ARRAY_BYTES;
}

static void go_through(Unroll *u, const Region *region);

/* All at once: what one of them becomes may be what another one was. */
static void pass_on(Unroll *u, int count, Value *const *from, Value *const *to) {
    Known *values = arena_array(u->px->scratch, Known, count);
    for (int i = 0; i < count; i++) values[i].is_known = known(u, from[i], &values[i].bits, 0);
    for (int i = 0; i < count; i++) set(u, to[i], values[i].is_known ? &values[i].bits : NULL);
}

static void set_results(Unroll *u, const Op *op, Value *const *from) {
    for (int i = 0; i < op->num_results; i++) {
        uint64_t bits;
        bool is_known = from && known(u, from[i], &bits, 0);
        set(u, &op->results[i], is_known ? &bits : NULL);
    }
}

/* How often the loop's body runs; -1: not known, or too much would be left of it. */
static int turns_of(Unroll *u, const Op *loop, int most) {
    const Region *test = while_test(loop), *body = while_body(loop);
    pass_on(u, loop->num_operands, loop->operands, test->args);
    for (int turns = 0; u->steps < ALL_STEPS; turns++) {
        uint64_t again;
        go_through(u, test);
        Value *const *passed = region_yield(test)->operands;
        if (!known(u, passed[0], &again, 0)) return -1;
        if (!again) return set_results(u, loop, passed + 1), turns;
        if (u->size > most || (u->size > PLAIN_SIZE && most == ARRAY_SIZE && !u->arrays)) return -1;
        pass_on(u, loop->num_results, passed + 1, body->args);
        go_through(u, body);
        pass_on(u, loop->num_operands, region_yield(body)->operands, test->args);
    }
    return -1;
}

/* A loop that stays, or an if of which both arms do. */
static void go_through_once(Unroll *u, const Op *op) {
    for (int r = 0; r < op->num_regions; r++) {
        for (int i = 0; i < op->regions[r]->num_args; i++) set(u, op->regions[r]->args[i], NULL);
        go_through(u, op->regions[r]);
    }
    set_results(u, op, NULL);
}

static void go_through_op(Unroll *u, const Op *op) {
    uint64_t bits;
    u->steps++;
    if (op->kind == OP_WHILE && while_unroll(op) != 1) {
        int size = u->size, arrays = u->arrays;
        if (turns_of(u, op, ASKED_SIZE) >= 0) return;
        u->size = size, u->arrays = arrays;
    }
    if (op->kind == OP_IF && known(u, if_condition(op), &bits, 0)) {
        const Region *arm = op->regions[!bits];
        go_through(u, arm);
        set_results(u, op, region_yield(arm)->operands);
    } else if (op->num_regions) {
        go_through_once(u, op);
    } else if (compute(u, op, &bits, 0)) {
        set(u, op_result(op), &bits);
    } else {
        u->size += op->kind != OP_YIELD;
        if (op->kind == OP_ADDPTR && addptr_offset(op)->def &&
            addptr_offset(op)->def->kind != OP_CONSTANT && known(u, addptr_offset(op), &bits, 0))
            u->arrays += is_in_array(addptr_pointer(op));
        set_results(u, op, NULL);
    }
}

static void go_through(Unroll *u, const Region *region) {
    for (const Op *op = region->first; op && u->steps < ALL_STEPS; op = op->next)
        go_through_op(u, op);
}

/* ---- rewriting ---- */

/* A copy of the region's ops before b's place, its arguments being `values`, which become what it
 * yields from the operand `first` on. */
static void lay_out(Map *map, Builder *b, const Region *region, Value **values, int first) {
    for (int i = 0; i < region->num_args; i++) map_set_pointer(map, region->args[i], values[i]);
    for (const Op *op = region->first; op->kind != OP_YIELD; op = op->next) op_clone(b, op, map);
    const Op *yield = region_yield(region);
    for (int i = first; i < yield->num_operands; i++) {
        Value *copy = map_get_pointer(map, yield->operands[i]);
        values[i - first] = copy ? copy : yield->operands[i];
    }
}

static void lay_out_turns(Map *map, Builder *b, const Op *loop, Value **values, int turns) {
    for (int i = 0; i < turns; i++) {
        lay_out(map, b, while_test(loop), values, 1);
        lay_out(map, b, while_body(loop), values, 0);
    }
}

/* The loop with so many of its turns in one; as long as it goes on at all, it does for those. */
static void make_longer(Unroll *u, Builder *b, Op *loop, Value **values, int at_once) {
    int results = loop->num_results;
    const Type **types = arena_array(u->px->scratch, const Type *, results);
    for (int i = 0; i < results; i++) types[i] = loop->results[i].type;
    Map map = {.arena = u->px->scratch};
    Region *regions[2] = {region_clone(u->fn, while_test(loop), &map), region_new(u->fn)};
    Builder in = {.fn = u->fn, .region = regions[1], .span = loop->span};
    int most = results > loop->num_operands ? results : loop->num_operands;
    Value **now = arena_array(u->px->scratch, Value *, most);
    for (int i = 0; i < results; i++) now[i] = region_add_arg(u->fn, regions[1], types[i]);
    lay_out(&map, &in, while_body(loop), now, 0);
    lay_out_turns(&map, &in, loop, now, at_once - 1);
    build_yield(&in, loop->num_operands, now);
    Op *made = build_op(b, OP_WHILE, loop->num_operands, values, results, types, 2, regions);
    while_set_unroll(made, 1);
    for (int i = 0; i < results; i++) values[i] = &made->results[i];
}

static void unroll(Unroll *u, Op *loop, int turns, int at_once) {
    Builder b = {.fn = u->fn, .region = loop->parent, .before = loop, .span = loop->span};
    Map map = {.arena = u->px->scratch};
    bool all = at_once == turns;
    int most = loop->num_results > loop->num_operands ? loop->num_results : loop->num_operands;
    Value **values = arena_array(u->px->scratch, Value *, most);
    op_resolve_operands(loop);
    for (int i = 0; i < loop->num_operands; i++) values[i] = loop->operands[i];
    lay_out_turns(&map, &b, loop, values, all ? turns : turns % at_once);
    if (all)
        lay_out(&map, &b, while_test(loop), values, 1);
    else
        make_longer(u, &b, loop, values, at_once);
    for (int i = 0; i < loop->num_results; i++) loop->results[i].replaced = values[i];
    op_remove(loop);
    u->changed = true;
}

/* How many turns to make one of, all that there are or fewer; -1: the loop stays as it is. */
static int turns_at_once(Unroll *u, const Op *loop, int turns) {
    int64_t asked = while_unroll(loop);
    int at_once = asked <= 0 || asked > turns ? turns : (int)asked;
    int size = at_once ? u->size / turns * at_once : 0;
    bool is_wanted = asked || u->size <= (u->arrays ? ARRAY_SIZE : PLAIN_SIZE);
    if (!is_wanted || u->made + size > ALL_SIZE) return -1;
    u->made += size;
    return at_once;
}

static bool try(Unroll *u, Op *loop) {
    if (while_unroll(loop) == 1 || region_has(while_test(loop), OP_ALLOC) ||
        region_has(while_body(loop), OP_ALLOC))
        return false;
    u->attempt++, u->size = 0, u->arrays = 0;
    int turns = turns_of(u, loop, while_unroll(loop) ? ASKED_SIZE : ARRAY_SIZE);
    int at_once = turns < 0 ? -1 : turns_at_once(u, loop, turns);
    if (at_once >= 0) return unroll(u, loop, turns, at_once), true;
    if (while_unroll(loop))
        diag_remark(u->px->diag, loop->span,
                    "'#pragma unroll' is not followed: the number of turns is not known, or too "
                    "much would become of them");
    return false;
}

/* Loops inside first: a loop that stays keeps what was made of them. What a loop becomes is looked
 * at again, as the loops in it may have turns that are known only now. */
static void visit(Unroll *u, Region *region) {
    for (Op *op = region->first, *before; op; op = before ? before->next : region->first) {
        before = op;
        for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
        for (int i = 0; i < op->num_regions; i++) visit(u, op->regions[i]);
        if (op->kind != OP_WHILE) continue;
        Op *prev = op->prev;
        if (try(u, op)) before = prev;
    }
}

bool pass_unroll(PassCtx *px, Func *fn) {
    Unroll u = {.px = px, .fn = fn};
    if (fn->form != FORM_THREAD) return false;
    visit(&u, fn->body);
    func_resolve(fn);
    return u.changed;
}
