// SPDX-License-Identifier: Apache-2.0
/* roles: a kernel whose products read rings, as two: four warps more than it has fill the rings,
 * its own do all the rest.
 *
 *     producer                              consumers
 *       for %i .. (%n, %p)                    for %i .. (%n, %sums)
 *         acquire %r, %n                        ready %r, %n
 *         fill %r, %n, %p                       %a = peek %r, %n;  %sums' = dot %a, .., %sums
 *         yield %n + 1, %p + ..                 release %r, %n
 *
 * Both are what is left of the function once the other's share is gone, so that they run the same
 * loops; each waits for the other turn by turn and not at a barrier of the block, so one group of
 * warps multiplies while another computes. What a function means is the same: the split is made
 * where it becomes text, and nothing but that knows of it.
 *
 * It pays where a loop multiplies by what it computes, as attention does: two groups of warps then
 * take turns at the tensor cores by themselves (an H200, 128x128 in 8 warps: 8 to 20 % faster).
 * Where it only adds products up, they wait for nothing else: there it lost 4 %. But where blocks
 * make several tiles, one after the other (nest.c, persist.c), and one thread fills the ring by
 * boxes, the next tile is there when this one is done: 128x128 tiles 10 to 15 % faster, 128x256 of
 * a loop in the source 6 %; plain grids of 128x256 3 %, where there are more tiles than blocks, of
 * tf32 5 %, of i8 and f8 8 to 10 %.
 *
 * sm_90a, products by wgmma in 8 warps, rings at the top of the function that cp.async alone
 * fills, with a loop in which nothing goes through scratch, and before whose end nothing is written
 * that the producer might read. The producer computes addresses and masks for itself: by what it
 * can make with four warps, from parameters and loads. */
#include "opt/roles.h"

#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

enum { PRODUCER_WARPS = 4, REGISTERS = 65536 }; /* of a multiprocessor */
enum { MOST_REGISTERS = 240, STEP = 8 };        /* of a thread */
/* .. and beside what goes from turn to turn: for addresses and what is on its way */
enum { SPARE = 28, NEST_SPARE = 64, PRODUCER_SPARE = 16, LEAST_REGISTERS = 24 };

/* ---- which rings ---- */

typedef struct Asked {
    const Value *ring;
    bool filled, put;
} Asked;

static bool note_use(Op *op, void *user) {
    Asked *a = user;
    if (!is_turn_op(op) || turn_ring(op) != a->ring) return true;
    a->filled |= op->kind == OP_FILL;
    a->put |= op->kind == OP_PUT;
    return true;
}

static bool is_for_roles(const Func *fn, const Op *ring) {
    Asked a = {.ring = op_result(ring)};
    if (ring_stages(ring) < 2) return false;
    region_walk(fn->body, note_use, &a);
    return a.filled && !a.put;
}

typedef struct Split {
    Arena *arena;
    const Func *fn;
    Map rings; /* those that the producer fills, as a set */
    const Op *first_ring;
    int num_params; /* of the kernel */
    bool walks;     /* the loop over tiles is one over programs */
    bool has_few;   /* programs: no more than run at a time */
    int num_rings, sums, columns, bits;
    bool computes;   /* a loop multiplies by what it has computed */
    bool adds;       /* it does not, and what it adds up is all that it does */
    Op *nest;        /* a loop around one: over tiles, with the ring in it (see nest.c) */
    Op *last;        /* of the body, that has to do with them */
    VEC(Op *) loads; /* up to there */
    VEC(Op *) fills;
    VEC(Op *) stores; /* of the nest */
    Facts *facts;
    bool by_slots;   /* the consumers' turns of a nest */
    const char *why; /* not */
    bool other_copies;
} Split;

static bool is_of_roles(const Split *s, const Op *op) {
    return is_turn_op(op) && map_get_pointer(&s->rings, turn_ring(op));
}

static bool is_not_of_roles(Op *op, void *user) { return !is_of_roles(user, op); }

static bool has_roles(const Split *s, const Op *op) {
    if (is_of_roles(s, op)) return true;
    for (int i = 0; i < op->num_regions; i++)
        if (!region_walk(op->regions[i], is_not_of_roles, (void *)(uintptr_t)s)) return true;
    return false;
}

static void find_nest(Split *s, const Op *ring) {
    Op *loop = ring->parent->owner;
    if (loop->kind != OP_FOR || loop->parent != s->fn->body)
        s->why = "a ring deep in a loop";
    else if (s->nest || s->num_rings)
        s->why = "several rings and a loop around one";
    else if (!nest_counts(ring))
        s->why = "a ring of other turns than its loop's";
    s->nest = loop;
}

static bool find_ring(Op *op, void *user) {
    Split *s = user;
    if (op->kind != OP_RING || !is_for_roles(s->fn, op)) return true;
    if (op_is_in_loop(op)) find_nest(s, op);
    map_set_pointer(&s->rings, op_result(op), op);
    if (!s->num_rings++) s->first_ring = op;
    return true;
}

/* ---- what stands in the way ---- */

static bool refuse(Split *s, const char *why) {
    s->why = why;
    return false;
}

static bool check_turn(Split *s, const Op *op) {
    if (type_bits(turn_number(op)->type) != 32) return refuse(s, "turns of 64 bits");
    if (op->kind == OP_FILL && op->barrier) return refuse(s, "a write before the loop's end");
    return op->kind != OP_PUT || refuse(s, "a tile put into the ring");
}

/* Before the last ring is left. */
static bool check_before(Op *op, void *user) {
    Split *s = user;
    if (op->kind == OP_FILL && !is_of_roles(s, op)) s->other_copies = true;
    if (op->kind == OP_FILL) vec_push(s->arena, &s->fills, op);
    if (is_of_roles(s, op)) return check_turn(s, op);
    if (op->kind == OP_WHILE) return refuse(s, "a while");
    if (is_ring_op(op)) return true;
    if (op_has_trait(op, WRITES) && !op_only_tests(op))
        return refuse(s, "a write before the loop's end");
    if (op->kind == OP_LOAD && load_volatile(op)) return refuse(s, "a volatile load");
    if (op->kind == OP_LOAD) vec_push(s->arena, &s->loads, op);
    return true;
}

static int regs_of(const Value *value) {
    const Layout *layout = type_layout(value->type);
    return layout ? layout_regs(layout) : 0;
}

static bool check_inside(Op *op, void *user) {
    Split *s = user;
    if (op->kind == OP_FOR) return refuse(s, "a loop in the loop");
    bool is_of_others = is_turn_op(op) && !is_of_roles(s, op) && op->kind != OP_PEEK;
    if (op->num_trips || is_of_others || (op->barrier && !is_turn_op(op)))
        return refuse(s, "what goes through shared memory in the loop");
    if (op->kind != OP_DOT) return true;
    int sums = regs_of(op_result(op));
    s->bits = type_bits(dot_a(op)->type);
    s->sums += sums;
    if (dot_a_in_registers(op)) {
        s->sums += regs_of(dot_a(op)) / 2;
        s->computes |= value_is_inside(dot_a(op), op->parent);
    }
    if (dot_unit(op) != UNIT_WGMMA) return refuse(s, "a product by other than wgmma");
    int columns = op_result(op)->type->shape[1];
    if (columns > 256) columns = 256;
    if (columns / 2 < sums) sums = columns / 2;
    if (sums > s->columns) s->columns = sums;
    return true;
}

static bool check_region(Split *s, Region *region);

/* Behind the loop that reads the ring, in the one around it: the tile is written. */
static bool check_behind(Op *op, void *user) {
    Split *s = user;
    if (op->kind == OP_WHILE) return refuse(s, "a while");
    if (is_ring_op(op)) return refuse(s, "other rings in the loop of a ring");
    if (op->kind == OP_LOAD && load_volatile(op)) return refuse(s, "a volatile load");
    if (op->kind == OP_LOAD) vec_push(s->arena, &s->loads, op);
    if (op->kind == OP_STORE) vec_push(s->arena, &s->stores, op);
    return op->kind == OP_STORE || !op_has_trait(op, WRITES) ||
           refuse(s, "other writes than stores in the loop of a ring");
}

static bool check_op(Split *s, Op *op);

static bool check_nest(Split *s) {
    Op *last = NULL;
    for (Op *op = for_body(s->nest)->first; op; op = op->next)
        if (has_roles(s, op)) last = op;
    for (Op *op = for_body(s->nest)->first; op != last->next; op = op->next)
        if (!check_op(s, op)) return false;
    for (Op *op = last->next; op; op = op->next) {
        if (!check_behind(op, s)) return false;
        for (int i = 0; i < op->num_regions; i++)
            if (!region_walk(op->regions[i], check_behind, s)) return false;
    }
    return true;
}

static bool check_op(Split *s, Op *op) {
    int sums = s->sums;
    if (op == s->nest) return check_nest(s);
    if (!check_before(op, s)) return false;
    if (op->kind == OP_IF && has_roles(s, op))
        return check_region(s, op->regions[0]) && check_region(s, op->regions[1]);
    for (int i = 0; i < op->num_regions; i++)
        if (!region_walk(op->regions[i], check_before, s)) return false;
    if (op->kind != OP_FOR || !has_roles(s, op)) return true;
    s->sums = 0;
    if (!region_walk(for_body(op), check_inside, s)) return false;
    if (s->sums < sums) s->sums = sums;
    return true;
}

/* Up to the last op that has to do with rings, or all of it. */
static bool check_region(Split *s, Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        if (!check_op(s, op)) return false;
        if (op == s->last) break;
    }
    return true;
}

static const char ONLY_ADDS[] = "nothing is computed from product to product";

static bool check(Split *s) {
    for (Op *op = s->fn->body->first; op; op = op->next)
        if (has_roles(s, op)) s->last = op;
    if (!check_region(s, s->fn->body)) return false;
    s->adds = !s->computes && !s->nest;
    return !s->adds || s->has_few || refuse(s, ONLY_ADDS);
}

/* ---- the two functions ---- */

typedef bool Goes(const Split *s, const Op *op);

static bool is_consumers(const Split *s, const Op *op) {
    if (op->kind == OP_COMMIT) return !s->other_copies;
    return is_of_roles(s, op) && (op->kind == OP_ACQUIRE || op->kind == OP_FILL);
}

static bool is_not_producers(const Split *s, const Op *op) {
    if (op->kind == OP_PEEK) return false; /* nobody reads it */
    if (is_of_roles(s, op)) return op->kind != OP_ACQUIRE && op->kind != OP_FILL;
    return op->num_regions == 0 && op_has_trait(op, WRITES);
}

/* Takes away from the copy what goes, seen in the function. */
static void take_away(const Split *s, Goes *goes, const Region *region, Region *copy) {
    const Op *op = region->first;
    for (Op *at = copy->first, *next; at; at = next, op = op->next) {
        next = at->next;
        bool gone = op->kind != OP_YIELD && goes(s, op);
        for (int i = 0; i < op->num_regions && !gone; i++)
            take_away(s, goes, op->regions[i], at->regions[i]);
        if (gone) op_remove(at);
    }
}

static Func *share(Split *s, Goes *goes) {
    Func *copy = func_copy(s->fn);
    PassCtx px = {.scratch = s->arena};
    func_renumber(copy);
    take_away(s, goes, s->fn->body, copy->body);
    func_renumber(copy);
    pass_dce(&px, copy);
    func_renumber(copy);
    if (s->nest) s->by_slots |= nest_go_on(copy, goes == is_not_producers, s->walks);
    return copy;
}

/* ---- turns that end earlier ---- */

/* The turn before, released behind the products of this one that may read it no more: from where
 * all that were under way have ended, nobody reads it. */
static bool release_early(Op *op, void *user) {
    Op *settle = NULL, *number = op->kind == OP_RELEASE ? turn_number(op)->def : NULL;
    (void)user;
    if (!number || number->kind != OP_SUB || number->parent != op->parent) return true;
    if (ring_apart(turn_ring(op)->def)) return true; /* it is */
    if (number->operands[0]->region != op->parent || !op_is_in_loop(op)) return true;
    for (Op *at = op->prev; at; at = at->prev)
        if (at->kind == OP_SETTLE && !settle_pending(at)) settle = at;
    Op *one = number->operands[1]->def;
    if (!settle || !one || one->kind != OP_CONSTANT) return true;
    Op *before = settle->next;
    if (one->parent == op->parent) op_move_before(one, before);
    op_move_before(number, before);
    op_move_before(op, before);
    return true;
}

/* ---- the producer's layouts ---- */

/* Lanes stay where they are or repeat, so that it does not matter how many warps there are. */
static bool is_producers(Op *op, void *user) {
    static const OpKind kinds[] = {
        OP_CONSTANT,    OP_ARANGE, OP_PROGRAM_ID, OP_NUM_PROGRAMS, OP_SPLAT, OP_TRANS, OP_BROADCAST,
        OP_EXPAND_DIMS, OP_LOAD,   OP_HINT,       OP_IF,           OP_FOR,   OP_YIELD};
    bool fine = op_has_trait(op, ELEMENTWISE) || is_ring_op(op) || op_only_tests(op);
    for (int i = 0; i < COUNT(kinds); i++) fine = fine || op->kind == kinds[i];
    fine = fine && !op->num_trips && (!op->barrier || is_ring_op(op));
    return fine || refuse(user, "addresses that the producer cannot make");
}

/* Half of the warps: what the upper ones had is in more registers of the lower ones. */
static const Type *with_fewer_warps(TypeTable *types, const Type *type, int warp_bits) {
    const Layout *from = type_layout(type);
    if (!from || from->num[KIND_WARP] <= warp_bits) return type;
    Layout layout = *from;
    while (layout.num[KIND_WARP] > warp_bits) {
        uint32_t column = layout.column[KIND_WARP][--layout.num[KIND_WARP]];
        layout.column[KIND_WARP][layout.num[KIND_WARP]] = 0;
        if (column) layout.column[KIND_REG][layout.num[KIND_REG]++] = column;
    }
    return type_placed(types, type, place_registers(types, &layout));
}

static bool place_again(Op *op, void *user) {
    Func *fn = user;
    for (int i = 0; i < op->num_results; i++)
        op->results[i].type = with_fewer_warps(fn->types, op->results[i].type, 2);
    for (int r = 0; r < op->num_regions; r++)
        for (int i = 0; i < op->regions[r]->num_args; i++)
            op->regions[r]->args[i]->type =
                with_fewer_warps(fn->types, op->regions[r]->args[i]->type, 2);
    return true;
}

/* ---- boxes ---- */

/* What an `if` around the ring has compared with 0 or more is not negative in its arm. */
Facts *roles_facts(Arena *arena, const Func *fn, const Op *ring) {
    bool *given = arena_array(arena, bool, fn->num_values);
    for (const Region *at = ring->parent; at->owner; at = at->owner->parent) {
        const Op *compare = at->owner->kind == OP_IF ? at->owner->operands[0]->def : NULL;
        int64_t low;
        if (!compare || at != at->owner->regions[0] || compare->kind != OP_ICMP) continue;
        bool less = icmp_predicate(compare) == ICMP_SLT;
        if ((less || icmp_predicate(compare) == ICMP_SGT) &&
            value_is_int(compare->operands[!less], &low) && low >= 0)
            given[compare->operands[less]->id] = true;
    }
    return facts_compute_given(arena, fn, given);
}

typedef struct BoxRings {
    const Split *s;
    Roles *roles;
    int next;
} BoxRings;

static bool find_boxes(Op *op, void *user) {
    BoxRings *b = user;
    Func *producer = b->roles->producer;
    if (op->kind != OP_RING) return true;
    RoleRing *ring = &b->roles->rings[b->next++];
    func_renumber(producer);
    ring->boxes = box_ring(b->s->arena, producer, roles_facts(b->s->arena, producer, op),
                           op_result(op), &b->roles->boxes, b->roles->needs, &ring->why);
    b->roles->alone &= ring->boxes && !ring->meets;
    return true;
}

/* Tiles of addresses go with the fills that asked for them. */
static void make_boxes(const Split *s, Roles *roles) {
    BoxRings b = {.s = s, .roles = roles};
    if (s->nest || s->adds) roles->needs = needs_new(s->arena, roles->producer, s->num_params);
    PassCtx px = {.scratch = s->arena};
    roles->alone = true;
    region_walk(roles->producer->body, find_boxes, &b);
    func_renumber(roles->producer);
    pass_dce(&px, roles->producer);
    func_renumber(roles->producer);
}

/* ---- shared memory and registers ---- */

typedef struct Memory {
    const Split *s;
    Roles *roles;
    bool has_atomics, scratch;
    bool before;   /* .. was used before a ring */
    int most;      /* byte in use before */
    int shift;     /* of scratch, in a loop over tiles */
    const Op *out; /* needs none */
} Memory;

static bool note_memory(Op *op, void *user) {
    Memory *m = user;
    int bytes[MAX_TRIPS], count = op_trips(m->s->fn, m->has_atomics, op, bytes);
    Roles *roles = m->roles;
    if (op->kind == OP_RING && map_get_pointer(&m->s->rings, op_result(op)))
        roles->rings[roles->num_rings++] = (RoleRing){
            .stages = (int)ring_stages(op), .meets = m->scratch || m->most > ring_offset(op)};
    if (op->kind == OP_RING) m->before |= m->scratch;
    if (op->kind == OP_RING && ring_end(op) > m->most) m->most = ring_end(op);
    for (int i = 0; i < count && i < op->num_trips && op != m->out; i++) {
        m->scratch = true;
        int end = op->trips[i].offset + bytes[i] + m->shift;
        if (end > m->most) m->most = end;
    }
    return true;
}

static bool spares_loads(Op *op, void *user) {
    const Split *s = user;
    for (int i = 0; i < s->loads.count; i++)
        if (facts_may_write(s->facts, op, s->loads.data[i])) return false;
    return true;
}

/* Is what the loop over tiles writes read in it? */
static bool nest_meets(const Split *s) {
    for (int i = 0; i < s->stores.count; i++) {
        const Op *store = s->stores.data[i];
        if (!spares_loads(s->stores.data[i], (void *)(uintptr_t)s)) return true;
        for (int k = 0; k < s->fills.count; k++)
            if (facts_may_alias(s->facts, store_pointer(store), fill_pointer(s->fills.data[k])))
                return true;
    }
    return false;
}

/* Does anything behind the rings write where what came before them may have read? */
static bool writes_later(Split *s) {
    for (Op *op = s->last->next; op; op = op->next) {
        if (!spares_loads(op, s)) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (!region_walk(op->regions[i], spares_loads, s)) return true;
    }
    return false;
}

/* What the one store behind the rings was moved for. */
static const Op *moved_out(Split *s) {
    if (s->adds) s->stores.count = 0;
    for (Op *op = s->last->next; op && s->adds; op = op->next)
        if (op->kind == OP_STORE) vec_push(s->arena, &s->stores, op);
    const Op *convert = s->stores.count == 1 ? store_value(s->stores.data[0])->def : NULL;
    return convert && convert->kind == OP_CONVERT && convert->num_trips ? convert : NULL;
}

static void lay_out(Split *s, Roles *roles, const Op *out) {
    Memory m = {.s = s, .roles = roles, .has_atomics = func_has_atomics(s->fn), .out = out};
    if (s->nest) m.shift = nest_shift(s->first_ring);
    roles->rings = arena_array(s->arena, RoleRing, s->num_rings);
    roles->num_rings = roles->meeting = 0;
    region_walk(s->fn->body, note_memory, &m);
    bool later = writes_later(s);
    roles->by_panels = out != NULL;
    roles->barriers = roles->end = scratch_aligned(m.most);
    for (int i = 0; i < roles->num_rings; i++) {
        roles->rings[i].barriers = roles->end;
        roles->rings[i].waits = m.before || later;
        roles->end += 2 * ROLE_BARRIER * roles->rings[i].stages;
    }
    for (int i = 0; i < roles->num_rings && !roles->meeting; i++)
        if (roles->rings[i].meets) roles->meeting = roles->end, roles->end += ROLE_BARRIER;
}

static int in_steps(int registers) { return (registers + STEP - 1) / STEP * STEP; }

int roles_room(const Roles *roles) {
    return REGISTERS / (32 * roles->consumers->num_warps * in_steps(roles->sums + roles->spare));
}

/* As many blocks as there is shared memory and registers for. Where what a thread needs is not what
 * all have at the launch, the consumers get all that the producer does not need. */
bool roles_deal_out(Roles *roles, int alive) {
    const Func *fn = roles->consumers;
    int own = 32 * fn->num_warps, threads = own + ROLE_THREADS;
    int consumer = in_steps(roles->sums + roles->spare),
        producer = in_steps(alive + PRODUCER_SPARE);
    if (roles->alone && alive <= LEAST_REGISTERS / 2) producer = LEAST_REGISTERS;
    int had = roles_room(roles);
    for (int blocks = arch_blocks(arch_find(fn->target), roles->end); blocks >= 1; blocks--) {
        if (blocks < had && blocks < arch_blocks(arch_find(fn->target), roles->end)) break;
        int each = REGISTERS / (threads * blocks) / STEP * STEP;
        if (each > MOST_REGISTERS) each = MOST_REGISTERS;
        int more = (each * threads - producer * ROLE_THREADS) / own / STEP * STEP;
        if (more > MOST_REGISTERS) more = MOST_REGISTERS;
        roles->blocks = blocks;
        roles->producer_registers = roles->consumer_registers = 0;
        if (each < roles->columns + SPARE) continue;
        if (producer <= each && consumer <= each) return true;
        roles->producer_registers = producer, roles->consumer_registers = more;
        if (producer < each && consumer <= more) return true;
    }
    return false;
}

/* ---- all ---- */

static bool begin(Split *s, Arena *arena, Func *fn, bool walks, bool has_few) {
    *s = (Split){
        .arena = arena, .fn = fn, .rings = {.arena = arena}, .walks = walks, .has_few = has_few};
    region_walk(fn->body, find_ring, s);
    if (!s->why && s->num_rings && fn->num_warps != 8) s->why = "num_warps is not 8";
    return s->num_rings && !s->why && check(s);
}

static Roles *divide(Split *s, bool has_maps, bool has_panels) {
    Roles *roles = arena_new_of(s->arena, Roles);
    *roles = (Roles){.producer = share(s, is_not_producers), .consumers = share(s, is_consumers)};
    region_walk(roles->consumers->body, release_early, NULL);
    s->facts = facts_compute(s->arena, s->fn);
    if (nest_meets(s)) return refuse(s, "what the loop of a ring writes is read in it"), NULL;
    lay_out(s, roles, NULL);
    int limit = arch_find(s->fn->target)->shared_limit;
    const Op *out = roles->end > limit || s->adds ? moved_out(s) : NULL;
    if (out && has_panels) lay_out(s, roles, out);
    if (has_maps) make_boxes(s, roles);
    if (s->adds && !roles->alone) return refuse(s, ONLY_ADDS), NULL;
    if (s->nest && !roles->rings[0].boxes)
        return refuse(s, has_maps ? str_format(s->arena, "tiles of a loop that are no boxes: %s",
                                               roles->rings[0].why)
                                        .data
                                  : "no maps for the tiles of a loop"),
               NULL;
    if (!region_walk(roles->producer->body, is_producers, s)) return NULL;
    region_walk(roles->producer->body, place_again, roles->producer);
    roles->producer->num_warps = PRODUCER_WARPS;
    if (roles->end > limit) return refuse(s, "no shared memory left"), NULL;
    roles->sums = s->sums, roles->columns = s->columns, roles->bits = s->bits;
    roles->tiles = s->nest != NULL, roles->few = s->adds;
    roles->by_slots = s->by_slots;
    roles->spare = s->nest ? NEST_SPARE : SPARE;
    return roles;
}

/* has_panels: the store may be of panels. */
static Roles *of_parts(Split *s, bool has_maps, bool has_panels) {
    Roles *roles = divide(s, has_maps, has_panels);
    if (!roles) return NULL;
    roles->walks = s->walks;
    if (roles->needs && !needs_close(roles->needs)) roles->needs = NULL;
    bool may_be_out = roles->tiles || roles->by_panels;
    Needs *more = may_be_out ? roles_box_out(s->arena, roles, s->num_params) : NULL;
    if (more) roles->needs = needs_both(roles->needs, more);
    return roles;
}

Roles *roles_of(Arena *arena, Func *fn, bool has_maps, bool can_walk, bool has_few,
                const char **why) {
    const Arch *arch = arch_find(fn->target);
    Split s;
    *why = NULL;
    if (fn->form != FORM_PLACED || !arch || strcmp(arch->name, "sm_90a")) return NULL;
    bool fine = begin(&s, arena, fn, false, has_few), walks = !fine && s.adds && can_walk;
    if (walks) fine = begin(&s, arena, persist(fn), true, false);
    s.num_params = fn->num_params;
    Roles *roles = fine ? of_parts(&s, has_maps, true) : NULL;
    if (s.adds && roles && roles->by_panels && !roles->out) roles = of_parts(&s, has_maps, false);
    *why = s.why;
    if (roles && roles->by_panels && !roles->out) return *why = "no shared memory left", NULL;
    return roles;
}
