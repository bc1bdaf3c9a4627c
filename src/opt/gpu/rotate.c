// SPDX-License-Identifier: Apache-2.0
/* rotate: in loops of two products, the first of the next turn begins before the second of this.
 *
 *     for %i (%m, %acc)                     if %lower < %upper
 *       %s = dot %q, load %k_i, 0             %s = dot %q, load %k_0, 0;  %p, %less = .. %s
 *       %p, %less, %n = .. %s, %m             %x = fmul %acc, %less
 *       %x = fmul %acc, %less         ->      for %i from the second turn on (%m, %p, %x)
 *       %y = dot %p, load %v_i, %x              %s = dot %q, load %k_i, 0
 *       yield %n, %y                            %y = dot %p, load %v_i-1, %x
 *                                               %p', %less, %n = .. %s, %m
 *                                               yield %n, %p', fmul %y, %less
 *                                             %y = dot %p, load %v_last, %x
 *
 * So the tensor cores multiply while the block computes what it multiplies next, as in attention;
 * as written, each of the two waits for the other. The same sums are added up in the same order.
 *
 * Nothing but the second product may read what it adds up, save what makes that of it (%x), and
 * what it multiplies by is loaded in its own turn: at addresses that the turn before knew. The loop
 * writes nothing. With two stages, where it saves a fifth of the time; with more, whose copies are
 * further ahead, it won up to 5 % and lost as much, unless other warps fill the ring. sm_90a, where
 * products go on while the block does, if a thread has registers for the sums of both and what is
 * carried. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/box.h"

enum { MOST_HELD = 184 }; /* registers of 255: the others are for addresses, masks, rows */

typedef struct Loop {
    PassCtx *px;
    Func *fn;
    const Facts *facts; /* NULL: boxes are not copied */
    Op *op;
    Region *body;
    Op *first, *second; /* the products */
    Op *load;           /* what the second multiplies by */
    int sums;           /* which carried value the second adds up */
    bool *late;         /* by value id: made of the sums */
    bool *address;      /* by value id: made for the load of index and carried values */
    bool *lags;         /* carried values, by number, that the load's address is made of */
    bool index_lags;
} Loop;

/* ---- which loops ---- */

static bool is_moved(const Op *op) {
    if (op->kind == OP_LOAD) return !load_volatile(op);
    if (op->kind == OP_IF || op->kind == OP_FOR || op->kind == OP_WHILE) return false;
    return op->kind == OP_YIELD || op_is_pure(op);
}

static bool find_products(Loop *l) {
    const Arch *arch = arch_find(str_of(l->px->target));
    for (Op *op = l->body->first; op; op = op->next) {
        if (!is_moved(op)) return false;
        if (op->kind != OP_DOT) continue;
        if (l->second || dot_why_no_wgmma(op, arch, l->fn->num_warps)) return false;
        *(l->first ? &l->second : &l->first) = op;
    }
    return l->second != NULL;
}

static bool reads_late(const Loop *l, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        if (l->late[op->operands[i]->id]) return true;
    return false;
}

/* One carried value is what the second product makes, and nothing else is made of it but what the
 * product adds to. */
static bool find_sums(Loop *l) {
    l->sums = -1;
    for (int i = 0; i < for_count(l->op); i++) {
        if (for_next(l->op, i) != op_result(l->second)) continue;
        if (l->sums >= 0) return false;
        l->sums = i;
    }
    if (l->sums < 0) return false;
    l->late[for_arg(l->op, l->sums)->id] = true;
    for (Op *op = l->body->first; op != l->second; op = op->next)
        if (reads_late(l, op)) {
            if (op->num_results != 1 || op->num_regions) return false;
            l->late[op_result(op)->id] = true;
        }
    if (l->late[op_result(l->first)->id] || l->late[dot_a(l->second)->id]) return false;
    if (!l->late[dot_acc(l->second)->id] || l->late[dot_b(l->second)->id]) return false;
    l->late[op_result(l->second)->id] = true;
    for (Op *op = l->second->next; op; op = op->next)
        if (op->kind != OP_YIELD && reads_late(l, op)) return false;
    for (int i = 0; i < for_count(l->op); i++)
        if (i != l->sums && l->late[for_next(l->op, i)->id]) return false;
    return true;
}

/* Is it made of the loop's index, of carried values and what is outside alone? Which is marked. */
static bool mark_address(Loop *l, const Value *value) {
    const Op *op = value->def;
    if (!op) {
        for (int i = 0; i < for_count(l->op); i++)
            if (for_arg(l->op, i) == value) l->lags[i] = true;
        if (for_index(l->op) == value) l->index_lags = true;
        return !l->late[value->id];
    }
    if (op->parent != l->body || l->address[value->id]) return true;
    if (!op_has_trait(op, PURE) || op->num_regions || op->kind == OP_DOT) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!mark_address(l, op->operands[i])) return false;
    return l->address[op_result(op)->id] = true;
}

static bool find_load(Loop *l) {
    Op *op = dot_b(l->second)->def;
    if (op && op->kind == OP_TRANS && op->parent == l->body) {
        if (!value_is_used_once(l->fn, op_result(op))) return false;
        op = op->operands[0]->def;
    }
    if (!op || op->kind != OP_LOAD || op->parent != l->body) return false;
    if (!value_is_used_once(l->fn, op_result(op))) return false;
    l->load = op;
    for (int i = 0; i < op->num_operands; i++)
        if (!mark_address(l, op->operands[i])) return false;
    return true;
}

/* Is what the second product multiplies made of the first's sums? */
static bool follows_first(const Loop *l) {
    bool *is_made = arena_array(l->px->scratch, bool, l->fn->num_values);
    for (const Op *op = l->first; op != l->second; op = op->next) {
        bool makes = op == l->first;
        for (int i = 0; i < op->num_operands; i++) makes = makes || is_made[op->operands[i]->id];
        for (int i = 0; i < op->num_results; i++) is_made[op->results[i].id] = makes;
    }
    return is_made[dot_a(l->second)->id];
}

static int registers_of(const Loop *l, const Type *tile) {
    int threads = 32 * l->fn->num_warps, bits = type_bits(tile);
    return tile->lanes / threads * bits / 32;
}

/* Of eight warps or more, two blocks that fit a multiprocessor do for each other what this does. */
static bool fits(const Loop *l) {
    enum { OTHERS = 40, REGISTERS = 65536 }; /* of a thread, of a multiprocessor */
    int held = registers_of(l, op_result(l->first)->type) +
               registers_of(l, op_result(l->second)->type) +
               registers_of(l, dot_a(l->second)->type);
    bool alone = 2 * 32 * l->fn->num_warps * (held + OTHERS) > REGISTERS;
    return held <= MOST_HELD && (l->fn->num_warps == 4 || alone);
}

static bool has_masks(const Loop *l) {
    Box box;
    for (const Op *op = l->body->first; op; op = op->next)
        if (op->kind == OP_LOAD && load_mask(op) && (!l->facts || box_find(l->facts, op, &box)))
            return true;
    return false;
}

/* Of more, where eight warps have others that fill their ring (opt/gpu/roles.c); with masks, as of
 * tensor descriptors, that lost 3 %, unless the hardware copies boxes, masks and all. */
static bool has_few_stages(const Loop *l) {
    int64_t stages = for_stages(l->op) ? for_stages(l->op) : l->fn->num_stages;
    bool inner = l->op->parent->owner != NULL;
    return stages == 2 || (stages > 2 && l->fn->num_warps == 8 && !inner && !has_masks(l));
}

static bool can_rotate(Loop *l) {
    int64_t step;
    if (for_rest(l->op) || !has_few_stages(l) || !value_is_int(for_step(l->op), &step) || step <= 0) return false;
    if (type_bits(for_lower(l->op)->type) < 32) return false;
    return find_products(l) && find_sums(l) && find_load(l) && follows_first(l) && fits(l);
}

/* ---- writing ---- */

static Value *now(const Map *values, Value *value) {
    Value *found = map_get_pointer(values, value);
    return found ? found : value;
}

static bool is_narrowed(const Loop *l, const Op *op) {
    return op == dot_a(l->second)->def && op->kind == OP_FTRUNC &&
           value_is_used_once(l->fn, op_result(op));
}

static bool is_of_second(const Loop *l, const Op *op) {
    return op == l->second || op == l->load || op_result(op) == dot_b(l->second);
}

/* The second product of the turn of which the values are `turn`: its load, and the addresses. */
static Value *write_second(Loop *l, Builder *b, Map *turn, Value *a, Value *sums) {
    map_set_pointer(turn, dot_a(l->second), a);
    map_set_pointer(turn, dot_acc(l->second), sums);
    for (const Op *op = l->body->first; op != l->second; op = op->next) {
        bool is_address = op->num_results && l->address[op_result(op)->id];
        if (is_address || is_of_second(l, op)) op_clone(b, op, turn);
    }
    return op_result(op_clone(b, l->second, turn));
}

typedef struct Made { /* by a turn, for its second product */
    Value *a, *sums;
} Made;

typedef struct Before { /* the turn before, and its second product */
    Map *turn;
    Value *a, *sums, *made;
} Before;

/* All but the second product; that of the turn before, if any, comes behind the first. */
static Made write_first(Loop *l, Builder *b, Map *turn, Before *before) {
    for (const Op *op = l->body->first; op->kind != OP_YIELD; op = op->next) {
        bool late = op->num_results && l->late[op_result(op)->id];
        if (late || is_of_second(l, op) || is_narrowed(l, op)) continue;
        op_clone(b, op, turn);
        if (op == l->first && before)
            before->made = write_second(l, b, before->turn, before->a, before->sums);
    }
    if (before) map_set_pointer(turn, for_arg(l->op, l->sums), before->made);
    for (const Op *op = l->body->first; op != l->second; op = op->next)
        if (op->num_results && l->late[op_result(op)->id]) op_clone(b, op, turn);
    Op *a = dot_a(l->second)->def;
    if (is_narrowed(l, a)) op_clone(b, a, turn);
    return (Made){now(turn, dot_a(l->second)), now(turn, dot_acc(l->second))};
}

typedef struct Carried {
    int count;
    Value **values;
} Carried;

static void add_carried(Carried *c, Value *value) { c->values[c->count++] = value; }

/* What the loop carried, one turn on: its own values, the index and what else the second product's
 * load asks for as they were a turn ago, and what the product takes. */
static Carried carried_of(Loop *l, const Map *turn, Made made) {
    int old = for_count(l->op);
    Carried c = {.values = arena_array(l->px->scratch, Value *, 2 * old + 3)};
    for (int i = 0; i < old; i++)
        if (i != l->sums) add_carried(&c, now(turn, for_next(l->op, i)));
    if (l->index_lags) add_carried(&c, now(turn, for_index(l->op)));
    for (int i = 0; i < old; i++)
        if (l->lags[i]) add_carried(&c, now(turn, for_arg(l->op, i)));
    add_carried(&c, made.a);
    add_carried(&c, made.sums);
    return c;
}

/* The second turn's index, or the end, where there is none: so that it passes no number that the
 * loop does not. */
static Value *second_index(Loop *l, Builder *b) {
    Value *left = build_2(b, OP_SUB, for_upper(l->op), for_lower(l->op));
    Value *more = build_icmp(b, ICMP_UGT, left, for_step(l->op));
    Value *next = build_2(b, OP_ADD, for_lower(l->op), for_step(l->op));
    return build_select(b, more, next, for_upper(l->op));
}

static Op *write_loop(Loop *l, Builder *b, const Carried *c) {
    Func *fn = l->fn;
    int old = for_count(l->op), n = 0;
    Region *body = region_new(fn);
    Value **operands = arena_array(fn->arena, Value *, FOR_BOUNDS + c->count);
    const Type **types = arena_array(fn->arena, const Type *, c->count);
    Map turn = {.arena = l->px->scratch}, last = {.arena = l->px->scratch};
    map_set_pointer(&turn, for_index(l->op), region_add_arg(fn, body, for_index(l->op)->type));
    for (int i = 0; i < c->count; i++) {
        types[i] = c->values[i]->type;
        operands[FOR_BOUNDS + i] = c->values[i];
        region_add_arg(fn, body, types[i]);
    }
    Value **args = body->args + 1;
    for (int i = 0; i < old; i++) {
        if (i == l->sums) continue;
        args[n]->name = for_arg(l->op, i)->name;
        map_set_pointer(&turn, for_arg(l->op, i), args[n++]);
    }
    if (l->index_lags) map_set_pointer(&last, for_index(l->op), args[n++]);
    for (int i = 0; i < old; i++)
        if (l->lags[i]) map_set_pointer(&last, for_arg(l->op, i), args[n++]);
    Before before = {.turn = &last, .a = args[n], .sums = args[n + 1]};
    Builder inner = {.fn = fn, .region = body, .span = l->op->span};
    Made made = write_first(l, &inner, &turn, &before);
    Carried next = carried_of(l, &turn, made);
    build_yield(&inner, next.count, next.values);
    operands[0] = second_index(l, b), operands[1] = for_upper(l->op), operands[2] = for_step(l->op);
    Op *loop = build_op(b, OP_FOR, FOR_BOUNDS + c->count, operands, c->count, types, 1, &body);
    memcpy(loop->attrs, l->op->attrs, sizeof loop->attrs);
    for_set_around(loop, 1);
    return loop;
}

/* The arm in which there is a turn. */
static Region *write_turns(Loop *l) {
    Func *fn = l->fn;
    int old = for_count(l->op), n = 0;
    Region *arm = region_new(fn);
    Builder b = {.fn = fn, .region = arm, .span = l->op->span};
    Map turn = {.arena = l->px->scratch}, last = {.arena = l->px->scratch};
    map_set_pointer(&turn, for_index(l->op), for_lower(l->op));
    for (int i = 0; i < old; i++) map_set_pointer(&turn, for_arg(l->op, i), for_init(l->op, i));
    Made made = write_first(l, &b, &turn, NULL);
    Carried c = carried_of(l, &turn, made);
    Op *loop = write_loop(l, &b, &c);
    Value **results = arena_array(fn->arena, Value *, old);
    for (int i = 0; i < old; i++)
        if (i != l->sums) results[i] = &loop->results[n++];
    if (l->index_lags) map_set_pointer(&last, for_index(l->op), &loop->results[n++]);
    for (int i = 0; i < old; i++)
        if (l->lags[i]) map_set_pointer(&last, for_arg(l->op, i), &loop->results[n++]);
    results[l->sums] = write_second(l, &b, &last, &loop->results[n], &loop->results[n + 1]);
    build_yield(&b, old, results);
    return arm;
}

static void rotate(Loop *l) {
    Func *fn = l->fn;
    int old = for_count(l->op);
    Builder b = {.fn = fn, .region = l->op->parent, .before = l->op, .span = l->op->span};
    Value *any = build_icmp(&b, for_unsigned(l->op) ? ICMP_ULT : ICMP_SLT, for_lower(l->op),
                            for_upper(l->op));
    Region *arms[2] = {write_turns(l), region_new(fn)};
    Builder none = {.fn = fn, .region = arms[1], .span = l->op->span};
    build_yield(&none, old, l->op->operands + FOR_BOUNDS);
    const Type **types = arena_array(fn->arena, const Type *, old);
    for (int i = 0; i < old; i++) types[i] = l->op->results[i].type;
    Op *made = build_op(&b, OP_IF, 1, &any, old, types, 2, arms);
    for (int i = 0; i < old; i++) {
        made->results[i].name = l->op->results[i].name;
        l->op->results[i].replaced = &made->results[i];
    }
    op_remove(l->op);
    diag_remark(l->px->diag, l->second->span,
                "multiplied while the next turn computes what comes after it");
}

/* ---- all ---- */

static bool rotate_region(PassCtx *px, Func *fn, Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= rotate_region(px, fn, op->regions[i]);
        if (op->kind != OP_FOR) continue;
        Loop l = {.px = px, .fn = fn, .op = op, .body = for_body(op)};
        if (px->maps) l.facts = facts_compute(px->scratch, fn);
        l.late = arena_array(px->scratch, bool, fn->num_values);
        l.address = arena_array(px->scratch, bool, fn->num_values);
        l.lags = arena_array(px->scratch, bool, for_count(op) + 1);
        if (!can_rotate(&l)) continue;
        rotate(&l);
        func_resolve(fn);
        func_renumber(fn);
        changed = true;
    }
    return changed;
}

bool pass_rotate(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM) return false;
    func_renumber(fn);
    if (!rotate_region(px, fn, fn->body)) return false;
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
