// SPDX-License-Identifier: Apache-2.0
/* guard: two bodies where the sign of a number, which nothing shows, keeps accesses narrow.
 *
 *     %o = add splat %s, %r                   %ok = icmp ule %s, 2^30 - 1
 *     %c = rem_s %o, splat %n                 if %ok {
 *     %p = addptr splat %b, %c                  %t = max_s %s, 0
 *     %v = load %p                     ->       %o.1 = add splat %t, %r     and all that follows
 *     ..                                      } else {
 *                                               %o = add splat %s, %r       as it was
 *                                             }
 *
 * Sixteen lanes of %o that start at a multiple of 16 stay neighbours modulo an %n that is one too,
 * if they are not negative: -64 % 64 is 0 and -63 % 64 is -63. Triton takes program ids that went
 * through divisions by numbers of any sign to be none the less; here a test says so, in each
 * program, and the other body is right for all numbers. As %t is not negative the facts need no
 * word about it.
 *
 * A guard stands in the function's body, or in that of a `for` that carries no tile, before the
 * first such remainder or quotient. There is one only if it makes an access wider, and where the
 * body is not too large to have twice. The bound is half of the type, so that what is added to the
 * number, which ranges bound by the other half, does not wrap. The body as it was gets no rings: it
 * is not expected to run. */
#include "ir/trips.h"
#include "opt/opt.h"

enum {
    MOST_OPS = 2000,  /* of a body that is written twice */
    MOST_GUARDS = 4,  /* of a function: it grows by as many bodies */
    MOST_NUMBERS = 4, /* tested by one guard */
};

typedef struct Guard {
    Arena *arena;
    Func *fn;
    Region *region;
    const Facts *facts;
    Op *at; /* the first op that goes into the bodies */
    int count;
    Value *numbers[MOST_NUMBERS];
} Guard;

/* ---- which numbers ---- */

static int64_t half_of(const Type *type) { return (int64_t)(UINT64_MAX >> (66 - type_bits(type))); }

/* The one scalar that must not be negative, that value is not: *number, once. What is added to it,
 * at most *rest. False: it would take more than that. */
static bool find_number(const Guard *g, Value *value, Value **number, int64_t *rest) {
    int64_t low, high, most = half_of(value->type);
    const Op *op = value->def;
    if (facts_range(g->facts, value, &low, &high) && low >= 0 && high <= most)
        return high <= most - *rest ? (*rest += high, true) : false;
    if (!type_is_tile(value->type)) {
        if (*number) return false;
        *number = value;
        return true;
    }
    if (!op || op->parent != g->region) return false;
    if (op->kind == OP_ADD)
        return find_number(g, op->operands[0], number, rest) &&
               find_number(g, op->operands[1], number, rest);
    bool keeps = op->kind == OP_SPLAT || op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS ||
                 op->kind == OP_RESHAPE || op->kind == OP_HINT;
    return keeps && find_number(g, op->operands[0], number, rest);
}

/* It is there when the region begins, or can be computed then: by pure ops of this region. */
static bool can_hoist(const Guard *g, const Value *value) {
    const Op *op = value->def;
    if (!op || op->parent != g->region)
        return true; /* a tile in it sees it, so it is from outside */
    if (!op_has_trait(op, PURE) || op->num_regions || type_is_tile(value->type)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!can_hoist(g, op->operands[i])) return false;
    return true;
}

static void hoist(const Guard *g, const Value *value, const bool *is_before) {
    Op *op = value->def;
    if (!op || op->parent != g->region || is_before[value->id]) return;
    for (int i = 0; i < op->num_operands; i++) hoist(g, op->operands[i], is_before);
    op_move_before(op, g->at);
}

static void find_numbers(Guard *g) {
    for (Op *op = g->region->first; op; op = op->next) {
        if (op->kind != OP_REM_S && op->kind != OP_DIV_S) continue;
        Value *dividend = op->operands[0], *number = NULL;
        int64_t rest = 0;
        if (!type_is_tile(dividend->type) || facts_nonnegative(g->facts, dividend)) continue;
        if (!find_number(g, dividend, &number, &rest) || !number || !can_hoist(g, number)) continue;
        bool is_known = false;
        for (int i = 0; i < g->count; i++) is_known |= g->numbers[i] == number;
        if (!is_known && g->count == MOST_NUMBERS) continue;
        if (!is_known) g->numbers[g->count++] = number;
    }
}

static bool reads_number(const Guard *g, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        for (int k = 0; k < g->count; k++)
            if (op->operands[i] == g->numbers[k]) return true;
    return false;
}

/* The first op that makes a tile of a number. */
static Op *first_reader(const Guard *g) {
    Op *op = g->region->first;
    while (op->kind != OP_SPLAT || !reads_number(g, op)) op = op->next;
    return op;
}

/* ---- is it worth it ---- */

typedef struct Gain {
    const Facts *before, *after;
    bool wider;
    int ops;
} Gain;

static bool compare_access(Op *op, void *user) {
    Gain *gain = user;
    const Value *pointer = access_pointer(op);
    gain->ops++;
    for (int i = 0; pointer && i < pointer->type->rank; i++)
        gain->wider |=
            facts_lanes_at_once(gain->after, op, i) > facts_lanes_at_once(gain->before, op, i);
    return gain->ops <= MOST_OPS;
}

static bool is_worth_it(const Guard *g) {
    bool *given = arena_array(g->arena, bool, g->fn->num_values);
    for (int i = 0; i < g->count; i++) given[g->numbers[i]->id] = true;
    Gain gain = {.before = g->facts, .after = facts_compute_given(g->arena, g->fn, given)};
    return region_walk(g->region, compare_access, &gain) && gain.wider;
}

/* ---- writing ---- */

static bool without_ring(Op *op, void *user) {
    (void)user;
    if (op->kind == OP_FOR) for_set_stages(op, 1);
    return true;
}

static Region *write_body(const Guard *g, bool tested) {
    Map values = {.arena = g->arena};
    Region *body = region_new(g->fn);
    Builder b = {.fn = g->fn, .region = body, .span = g->at->span};
    for (int i = 0; tested && i < g->count; i++) {
        Value *zero = build_int(&b, g->numbers[i]->type, 0);
        map_set_pointer(&values, g->numbers[i], build_2(&b, OP_MAX_S, g->numbers[i], zero));
    }
    for (const Op *op = g->at; op; op = op->next) op_clone(&b, op, &values);
    if (!tested) region_walk(body, without_ring, NULL);
    return body;
}

static Value *write_test(const Guard *g, Builder *b) {
    Value *all = NULL;
    for (int i = 0; i < g->count; i++) {
        Value *most = build_int(b, g->numbers[i]->type, half_of(g->numbers[i]->type));
        Value *fits = build_icmp(b, ICMP_ULE, g->numbers[i], most);
        all = all ? build_2(b, OP_AND, all, fits) : fits;
    }
    return all;
}

/* The `if`, in place of what stood from g->at on. */
static Op *write_guard(const Guard *g) {
    bool *is_before = arena_array(g->arena, bool, g->fn->num_values);
    for (const Op *op = g->region->first; op != g->at; op = op->next)
        for (int i = 0; i < op->num_results; i++) is_before[op->results[i].id] = true;
    for (int i = 0; i < g->count; i++) hoist(g, g->numbers[i], is_before);
    Builder b = {.fn = g->fn, .region = g->region, .before = g->at, .span = g->at->span};
    Value *test = write_test(g, &b);
    Region *bodies[2] = {write_body(g, true), write_body(g, false)};
    Op *yield = region_yield(g->region);
    const Type **types = arena_array(g->fn->arena, const Type *, yield->num_operands);
    for (int i = 0; i < yield->num_operands; i++) types[i] = yield->operands[i]->type;
    Op *guard = build_op(&b, OP_IF, 1, &test, yield->num_operands, types, 2, bodies);
    for (Op *op = g->at, *next; op != yield; op = next) {
        next = op->next;
        op_remove(op);
    }
    for (int i = 0; i < yield->num_operands; i++) yield->operands[i] = &guard->results[i];
    func_renumber(g->fn);
    return guard;
}

/* ---- all ---- */

static bool carries_a_tile(const Op *loop) {
    for (int i = 0; i < loop->num_results; i++)
        if (type_is_tile(loop->results[i].type)) return true;
    return false;
}

static int guard_region(PassCtx *px, Func *fn, Region *region, int left) {
    if (left == 0) return 0;
    Arena *arena = px->scratch;
    Guard g = {.arena = arena, .fn = fn, .region = region, .facts = facts_compute(arena, fn)};
    int made = 0;
    find_numbers(&g);
    if (g.count && is_worth_it(&g)) {
        g.at = first_reader(&g);
        diag_remark(px->diag, g.at->span,
                    "what follows is there twice: with wider accesses where what is divided is not "
                    "negative");
        region = write_guard(&g)->regions[0];
        made++;
    }
    for (Op *op = region->first; op; op = op->next)
        if (op->kind == OP_FOR && !carries_a_tile(op))
            made += guard_region(px, fn, for_body(op), left - made);
    return made;
}

bool pass_guard(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM || fn->num_warps < 1 || func_cluster(fn) > 1) return false;
    func_renumber(fn);
    return guard_region(px, fn, fn->body, MOST_GUARDS) > 0;
}
