// SPDX-License-Identifier: Apache-2.0
/* rings: in loops with products, what they read is copied to shared memory some turns ahead.
 *
 *     for %i .. (%p)                        %r = ring {stages = 3} : ring<tile<.., #7>>
 *       %a = load %p                        2 times, for turns 0 and 1, where the loop has them:
 *       %c = dot %a, ..                       acquire, fill at %p; commit; %i, %p go on by a turn
 *       %q = addptr %p, %step        ->     for %i .. (%p, %n, %i', %p')
 *       yield %q                              ready %r, %n {pending = 1}
 *                                             if %i' < ..: acquire %r, %n + 2;  fill at %p'
 *                                             commit;  %i', %p' go on by a turn
 *                                             %a = peek %r, %n
 *                                             %c = dot %a, ..
 *                                             release %r, %n
 *
 * A load takes part if a product of the loop's body reads it, as it is or transposed, or what is
 * made of it there (then it may be a row of numbers, too), a thread copies 4 bytes or more at
 * once, and its address and mask can be computed ahead: by pure ops from the loop's index, from
 * what is outside, and from carried values of which the same is true. Nothing in the loop may
 * write where it reads. All of a loop's loads share a ring: its turns have a part for each. As
 * many stages as are asked for, or as there is shared memory for; loads that no product reads as
 * they are stay where they would make it fewer. Whoever else reads a tile of the ring gets it
 * from there into registers. The index that runs ahead stops where the loop stops, so that it
 * passes no number that the loop does not.
 *
 * Where %n is made ready, everybody has left turn %n - 1, whose buffer is then filled: one barrier
 * a turn. sm_80 and up: older ones have no asynchronous copies. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "ir/turn.h"
#include "ir/under_way.h"
#include "opt/opt.h"

#include <math.h>

typedef struct Rings {
    PassCtx *px;
    Func *fn;
    const Arch *arch;
    Facts *facts;
    bool has_atomics;
} Rings;

typedef struct Part {
    Op *dot;     /* that reads it where it lies; NULL: none does */
    int operand; /* of dot */
    Op *load;
    Op *trans; /* between them, or NULL: then others may read the load, too */
    const Type *type;
} Part;

typedef enum Ahead { AHEAD_UNKNOWN, AHEAD_YES, AHEAD_NO } Ahead;

typedef struct Loop {
    Rings *r;
    Op *op;
    Region *body;
    Ahead *ahead; /* by value id: can it be computed for a later turn */
    int planned;  /* ids below are of values that were looked at */
    int num_parts, stages, offset;
    int distance; /* turns that are copied ahead: all but one, or all that there are */
    int carried;  /* by the loop as it was */
    bool wraps;   /* what a turn's index is behind the last may be no number of its type */
    bool panels;  /* of 8 rows of 128 bytes are read: there is a product by wgmma */
    Part parts[MAX_PARTS];
    /* Of a loop between products of its first turn and its last (pass rotate): */
    Op *head, *tail;    /* the products, or NULL */
    int shared_by_last; /* the part that the last reads, too */
    Map next;           /* values of the body -> those behind the loop that is_next found */
    bool *hoists;       /* by value id: can_hoist */
    /* While it is written: */
    Value *more; /* with a tail: is there a turn to copy for, be it the last */
    Value *ring;
    Value *index, **args; /* of the turn that is copied next; args: of values that it needs */
    Map slice;            /* values of the body -> those of that turn */
} Loop;

/* ---- what can be computed ahead ---- */

static bool is_ahead(Loop *l, const Value *value) {
    const Region *region = value->def ? value->def->parent : value->region;
    const Op *op = value->def;
    int bytes[MAX_TRIPS];
    if (region != l->body) return true; /* seen here, so it is from outside */
    Ahead *ahead = &l->ahead[value->id];
    if (*ahead != AHEAD_UNKNOWN) return *ahead == AHEAD_YES;
    *ahead = AHEAD_YES; /* of itself, a turn earlier */
    bool fine = true;
    if (!op) {
        if (value->index) fine = is_ahead(l, for_next(l->op, value->index - 1));
    } else {
        fine = op_has_trait(op, PURE) && !op->num_regions &&
               !op_trips(l->r->fn, l->r->has_atomics, op, bytes);
        for (int i = 0; fine && i < op->num_operands; i++) fine = is_ahead(l, op->operands[i]);
    }
    if (!fine) *ahead = AHEAD_NO;
    return fine;
}

static bool slice_is_ahead(Loop *l, const Op *load) {
    memset(l->ahead, 0, sizeof *l->ahead * (size_t)l->planned);
    return is_ahead(l, load_pointer(load)) && (!load_mask(load) || is_ahead(l, load_mask(load)));
}

/* ---- which loads ---- */

typedef struct Conflict {
    const Rings *r;
    const Op *load; /* NULL: is there anything that no load may be moved over? */
} Conflict;

static bool is_no_conflict(Op *op, void *user) {
    const Conflict *c = user;
    /* One ring at a time; what is peeked from one around the loop is in no one's way. */
    if (is_ring_op(op)) return op->kind != OP_RING && !op_has_trait(op, WRITES);
    if (op->kind == OP_LOAD) return !load_volatile(op);
    if (op->kind == OP_STORE && !c->load) return true;
    return !facts_may_write(c->r->facts, op, c->load);
}

/* Warps of their own are ahead by turns of the loops around, too (roles.c, next_tile.c): of what
 * these store each launch is asked. Where it is memory of the same parameter, they refuse. */
static bool ask_of_store(Op *op, void *user) {
    const Conflict *c = user;
    if (op->kind == OP_STORE) facts_may_write(c->r->facts, op, c->load);
    return true;
}

static bool loop_leaves(const Loop *l, const Op *load) {
    Conflict c = {l->r, load};
    const Op *around = op_outermost_loop(l->op);
    for (int i = 0; around && i < around->num_regions; i++)
        region_walk(around->regions[i], ask_of_store, &c);
    return region_walk(l->body, is_no_conflict, &c);
}

static int part_bytes(const Part *part) { return part->type->lanes * type_size_bytes(part->type); }

static bool has_part(const Loop *l, const Op *load) {
    for (int i = 0; i < l->num_parts; i++)
        if (l->parts[i].load == load) return true;
    return false;
}

static bool can_be_ahead(Loop *l, const Part *part) {
    if (!part->load || part->load->kind != OP_LOAD || part->load->parent != l->body) return false;
    return !has_part(l, part->load) && load_can_fill(part->load) && loop_leaves(l, part->load) &&
           slice_is_ahead(l, part->load);
}

/* Each turn begins where panels can; rows of numbers lie behind them. */
static bool fits_turn(const Loop *l, const Part *part) {
    return !l->panels || part_bytes(part) >= PANEL_BYTES || part->type->rank == 1;
}

/* May a product read this tile where it lies? Types of other than 16 bits in rows along K only. */
static bool takes_rows(const Op *dot, int operand, const Type *tile) {
    return dot_unit(dot) != UNIT_WGMMA || !dot_wants_k_rows(dot) ||
           tile_fast_dim(tile) == 1 - operand;
}

/* The load that a product reads, as it is or transposed. */
static bool find_part(Loop *l, Op *dot, int operand, Part *part) {
    Value *value = dot->operands[operand];
    Func *fn = l->r->fn;
    *part = (Part){.dot = dot, .operand = operand};
    if (value->def && value->def->kind == OP_TRANS && value->def->parent == l->body) {
        if (!value_is_used_once(fn, value)) return false;
        part->trans = value->def;
        value = value->def->operands[0];
    }
    part->load = value->def;
    if (part->trans && !value_is_used_once(fn, value)) return false;
    const Type *tile = dot->operands[operand]->type;
    if (!can_be_ahead(l, part) || !takes_rows(dot, operand, tile)) return false;
    part->type = ring_part_type(l->r->fn->types, tile);
    return fits_turn(l, part);
}

static bool by_tensor_cores(const Op *op) {
    return op->kind == OP_DOT && (dot_unit(op) == UNIT_MMA || dot_unit(op) == UNIT_WGMMA);
}

static bool is_used_from(const Op *op, const Op *ring) {
    while (op && !op_uses_ring(op, op_result(ring))) op = op->next;
    return op != NULL;
}

/* Behind what is kept for products of this loop, or of those around it. */
static int first_byte(const Loop *l) {
    int end = 0;
    for (const Op *at = l->op; at; at = at->parent->owner)
        for (const Op *op = at->prev; op; op = op->prev)
            if (op->kind == OP_RING && ring_end(op) > end && is_used_from(at, op))
                end = ring_end(op);
    return end;
}

/* Of a product b, or a and b, can lie in shared memory; of one by wgmma a alone, too. */
static void find_parts(Loop *l) {
    for (Op *op = l->body->first; op; op = op->next)
        l->panels = l->panels || (op->kind == OP_DOT && dot_unit(op) == UNIT_WGMMA);
    for (Op *op = l->body->first; op; op = op->next) {
        Part part;
        if (!by_tensor_cores(op)) continue;
        if (l->num_parts + 2 > MAX_PARTS) return;
        bool has_b = dot_b(op)->type->place->shared;
        if (!has_b && find_part(l, op, 1, &part)) has_b = true, l->parts[l->num_parts++] = part;
        if (!has_b && dot_unit(op) != UNIT_WGMMA) continue;
        if (find_part(l, op, 0, &part)) l->parts[l->num_parts++] = part;
    }
}

/* ---- how many turns ---- */

/* Large parts first, so that each begins at a multiple of its size or of all of its rows. */
static void order_parts(Loop *l) {
    for (int i = 1; i < l->num_parts; i++)
        for (int j = i; j > 0 && part_bytes(&l->parts[j]) > part_bytes(&l->parts[j - 1]); j--) {
            Part t = l->parts[j];
            l->parts[j] = l->parts[j - 1], l->parts[j - 1] = t;
        }
}

/* Will the product read the operand in the ring? */
static bool is_in_ring(const Loop *l, const Op *dot, int operand) {
    const Op *def = dot->operands[operand]->def;
    bool turned = def && def->kind == OP_TRANS;
    if (turned) def = def->operands[0]->def;
    for (int i = 0; i < l->num_parts; i++) {
        const Part *part = &l->parts[i];
        if (part->dot == dot && part->operand == operand) return true;
        if (part->load == def && part->trans == NULL && dot_unit(dot) == UNIT_WGMMA &&
            dot->parent == l->body && takes_rows(dot, operand, dot->operands[operand]->type))
            return true;
    }
    return false;
}

typedef struct Scratch {
    const Loop *l;
    int most;
} Scratch;

static bool note_scratch(Op *op, void *user) {
    Scratch *s = user;
    int bytes, in_ring = 0;
    for (int i = 0; op->kind == OP_DOT && i < 2; i++)
        in_ring += op->operands[i]->type->place->shared || is_in_ring(s->l, op, i);
    in_ring += op->kind == OP_DOT && dot_a_in_registers(op);
    if (in_ring == 2) return true; /* and nothing of it in scratch */
    bytes = op_scratch(s->l->r->fn, s->l->r->has_atomics, op);
    if (bytes > s->most) s->most = bytes;
    return true;
}

/* How often the loop runs; where only a run tells, infinity. */
static double turns_of(const Op *loop) {
    int64_t lower, upper, step;
    if (!value_is_int(for_step(loop), &step) || !step) return 0;
    if (!value_is_int(for_lower(loop), &lower) || !value_is_int(for_upper(loop), &upper))
        return INFINITY;
    return ceil(((double)upper - (double)lower) / (double)step);
}

/* Is it made, lane by lane, of a tile that the loop carries? */
static bool is_of_carried(const Loop *l, const Value *value, int depth) {
    enum { DEEPEST = 20 };
    const Op *op = value->def;
    if (value->region == l->body) return value->type->rank > 1;
    if (!op || op->parent != l->body || depth == DEEPEST || op->kind == OP_LOAD) return false;
    if (op->kind == OP_DOT) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (is_of_carried(l, op->operands[i], depth + 1)) return true;
    return false;
}

/* A turn waits for nothing of the one before but sums to add to, and there are programs enough, as
 * far as one can tell: none of them walks over several tiles. */
static bool has_many_blocks(const Loop *l) {
    for (const Op *at = l->op->parent->owner; at; at = at->parent->owner)
        if (at->kind == OP_FOR || at->kind == OP_WHILE) return false;
    for (const Op *op = l->body->first; op; op = op->next)
        for (int i = 0; i < 2 && op->kind == OP_DOT; i++)
            if (is_of_carried(l, op->operands[i], 0)) return false;
    return true;
}

/* Four warps multiply while four others compute: with some turns less, is there room for a second
 * block on a multiprocessor? Two are ahead all the same, or one where two would be. Short loops
 * have most of their turns copied before they begin. */
static int stages_of_two_blocks(const Loop *l, int turn, int scratch) {
    const Arch *arch = l->r->arch;
    int end = l->offset + scratch, least = l->stages > 3 ? 3 : 2;
    if (!l->panels || l->r->fn->num_warps != 4 || !has_many_blocks(l) ||
        turns_of(l->op) <= 2 * l->stages)
        return l->stages;
    for (int stages = l->stages; stages >= least; stages--)
        if (arch_blocks(arch, end + stages * turn) >= 2) return stages;
    return l->stages;
}

/* No more turns than there is room for: all are copied before the first, and no buffer is used
 * twice. */
static bool is_whole(const Loop *l) { return !for_around(l->op) && turns_of(l->op) <= l->stages; }

static const Type *ring_type(const Loop *l) {
    const Type *types[MAX_PARTS];
    for (int i = 0; i < l->num_parts; i++) types[i] = l->parts[i].type;
    return type_ring(l->r->fn->types, l->num_parts, types);
}

/* What the ops of the loop go through lies behind the ring. */
static bool choose_stages(Loop *l) {
    Scratch s = {.l = l};
    int64_t asked = for_stages(l->op) ? for_stages(l->op) : l->r->fn->num_stages;
    int turn = 0;
    region_walk(l->body, note_scratch, &s);
    if (l->num_parts) turn = ring_turn_bytes(ring_type(l));
    int left = l->r->arch->shared_limit - l->offset - (s.most ? s.most + SMALL_SCRATCH : 0);
    int most = turn ? left / turn : 0;
    if (asked > MAX_STAGES) asked = MAX_STAGES;
    l->stages = asked < most ? (int)asked : most;
    bool whole = is_whole(l);
    if (whole) l->stages = (int)turns_of(l->op);
    if (!whole) l->stages = stages_of_two_blocks(l, turn, s.most);
    l->distance = whole ? l->stages : l->stages - 1;
    return l->stages >= 2;
}

/* Marks what the body makes that the value is made of, up to loads and products. */
static void mark_sources(const Loop *l, const Value *value, bool *is_source) {
    const Op *op = value->def;
    if (!op || op->parent != l->body || is_source[value->id]) return;
    is_source[value->id] = true;
    if (op->kind == OP_LOAD || op->kind == OP_DOT) return;
    for (int i = 0; i < op->num_operands; i++) mark_sources(l, op->operands[i], is_source);
}

/* Loads of this rank that no product reads as they are, but what is made of them; fewer turns of
 * all of them where a turn waits for the one before, and each load that is not ahead would be
 * waited for. Rows that take the room of a second block, so that the ring gets more turns, stay. */
static void find_moved(Loop *l, const bool *is_source, int rank) {
    int least = choose_stages(l) && has_many_blocks(l) ? l->stages : 2;
    int most = rank == 1 && l->num_parts ? l->stages : MAX_STAGES;
    for (Op *op = l->body->first; op && l->num_parts < MAX_PARTS; op = op->next) {
        if (op->kind != OP_LOAD || !is_source[op_result(op)->id]) continue;
        Part part = {.load = op};
        if (op_result(op)->type->rank != rank || !can_be_ahead(l, &part)) continue;
        part.type = ring_part_type(l->r->fn->types, op_result(op)->type);
        if (!fits_turn(l, &part)) continue;
        l->parts[l->num_parts++] = part;
        if (!choose_stages(l) || l->stages < least || l->stages > most) l->num_parts--;
    }
}

/* Rows of numbers behind the tiles, if these leave room. */
static void find_sources(Loop *l) {
    bool *is_source = arena_array(l->r->px->scratch, bool, l->planned);
    for (Op *op = l->body->first; op; op = op->next)
        for (int i = 0; i < 2 && by_tensor_cores(op); i++)
            mark_sources(l, op->operands[i], is_source);
    find_moved(l, is_source, 2);
    if (l->num_parts) find_moved(l, is_source, 1);
}

/* ---- loops with products around them ---- */

/* The load that product b is, as it is or transposed. */
static Op *load_of_b(const Op *dot, const Op **trans) {
    Op *def = dot_b(dot)->def;
    *trans = NULL;
    if (def && def->kind == OP_TRANS && def->parent == dot->parent)
        *trans = def, def = def->operands[0]->def;
    return def && def->kind == OP_LOAD && def->parent == dot->parent ? def : NULL;
}

/* The part of the loop's product by which this one multiplies likewise; or -1. */
static int part_like(const Loop *l, const Op *dot) {
    const Op *trans, *load = load_of_b(dot, &trans);
    if (!load || !value_is_used_once(l->r->fn, op_result(load)) ||
        !value_is_used_once(l->r->fn, dot_b(dot)))
        return -1;
    for (int i = 0; i < l->num_parts; i++) {
        const Part *part = &l->parts[i];
        if (!part->dot || part->operand != 1 || !part->trans != !trans) continue;
        const Type *type = ring_part_type(l->r->fn->types, dot_b(dot)->type);
        if (type == part->type && op_result(part->dot)->type == op_result(dot)->type &&
            dot_unit(part->dot) == UNIT_WGMMA && dot_unit(dot) == UNIT_WGMMA)
            return i;
    }
    return -1;
}

/* Is `after`, behind the loop, what `value` would be in its next turn? */
static bool is_next(Loop *l, Value *value, Value *after, int depth) {
    enum { DEEPEST = 40 };
    const Op *op = value->def, *other = after->def;
    if (depth == DEEPEST) return false;
    if (map_get_pointer(&l->next, value) == after) return true;
    if (!op && value->region == l->body)
        return value->index > 0 && after == &l->op->results[value->index - 1];
    if (!op || op->parent != l->body) {
        if (value == after) return true;
        if (!op || !other || op->kind != OP_CONSTANT || other->kind != OP_CONSTANT) return false;
    }
    if (!other || op->kind != other->kind || op->num_operands != other->num_operands ||
        op->num_regions || !type_same_shape(op_result(op)->type, op_result(other)->type) ||
        memcmp(op->attrs, other->attrs, sizeof op->attrs) != 0)
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!is_next(l, op->operands[i], other->operands[i], depth + 1)) return false;
    map_set_pointer(&l->next, value, after);
    return true;
}

/* Can what is computed between the head and the loop be computed before the head? */
static bool can_hoist(Loop *l, const Value *value) {
    const Op *op = value->def;
    int bytes[MAX_TRIPS];
    if (!op || op->parent != l->op->parent || l->hoists[value->id]) return true;
    if (op_is_before(op, l->head)) return true;
    if (!op_has_trait(op, PURE) || op->num_regions || op->kind == OP_DOT ||
        op_trips(l->r->fn, l->r->has_atomics, op, bytes))
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!can_hoist(l, op->operands[i])) return false;
    return l->hoists[value->id] = true;
}

static void hoist(Loop *l, Value *value) {
    Op *op = value->def;
    if (!op || op->parent != l->op->parent || op_is_before(op, l->head)) return;
    for (int i = 0; i < op->num_operands; i++) hoist(l, op->operands[i]);
    op_move_before(op, l->head);
}

typedef bool Seen(Loop *l, Value *value);

/* What the copies of the first turns are made of. */
static bool see_starts(Loop *l, Seen *see) {
    if (!see(l, for_lower(l->op)) || !see(l, for_upper(l->op)) || !see(l, for_step(l->op)))
        return false;
    for (int i = 0; i < l->carried; i++)
        if (l->ahead[for_arg(l->op, i)->id] == AHEAD_YES && !see(l, for_init(l->op, i)))
            return false;
    for (const Op *op = l->body->first; op; op = op->next) {
        if (!op->num_results || l->ahead[op_result(op)->id] != AHEAD_YES) continue;
        for (int i = 0; i < op->num_operands; i++)
            if (!see(l, op->operands[i])) return false;
    }
    return true;
}

static bool see_hoistable(Loop *l, Value *value) { return can_hoist(l, value); }

static bool see_hoisted(Loop *l, Value *value) {
    hoist(l, value);
    return true;
}

/* Nothing between them writes, or has to do with rings. */
static bool is_clear(const Op *from, const Op *to) {
    for (const Op *op = from; op != to; op = op->next)
        if (!op || (is_turn_op(op) && op->kind != OP_PEEK) || op->kind == OP_RING ||
            op_has_trait(op, WRITES) || (op->kind == OP_LOAD && load_volatile(op)) ||
            (op->num_regions && !op_is_pure(op)))
            return false;
    return true;
}

/* The products before and behind the loop take part, too: what they multiply by is of the turns
 * before its first and behind its last. */
static void find_around(Loop *l) {
    const Op *trans;
    if (!for_around(l->op) || l->wraps) return;
    l->next = (Map){.arena = l->r->px->scratch};
    l->hoists = arena_array(l->r->px->scratch, bool, l->planned);
    Op *head = l->op->prev, *tail = l->op->next;
    while (head && head->kind != OP_DOT) head = head->prev;
    while (tail && tail->kind != OP_DOT) tail = tail->next;
    if (!head || !tail) return;
    int first = part_like(l, head), last = part_like(l, tail);
    if (first < 0 || last < 0 || first == last || l->num_parts != 2) return;
    const Op *load = l->parts[last].load, *after = load_of_b(tail, &trans);
    if (load->num_operands != after->num_operands) return;
    for (int i = 0; i < load->num_operands; i++)
        if (!is_next(l, load->operands[i], after->operands[i], 0)) return;
    const Op *from = load_of_b(head, &trans);
    if (!load_can_fill(from) || !is_clear(from, l->op) || !is_clear(l->op->next, tail)) return;
    l->head = head, l->tail = tail, l->shared_by_last = last;
    if (!see_starts(l, see_hoistable)) l->head = l->tail = NULL;
}

/* ---- writing ---- */

static Value *ahead_of(Loop *l, Value *value) {
    Value *of = map_get_pointer(&l->slice, value);
    return of ? of : value;
}

static Value *is_there(Loop *l, Builder *b) {
    int64_t step = 1;
    value_is_int(for_step(l->op), &step);
    int predicate = for_unsigned(l->op) ? ICMP_ULT : step > 0 ? ICMP_SLT : ICMP_SGT;
    return build_icmp(b, predicate, l->index, for_upper(l->op));
}

/* The index of the turn behind that one, if there is one. Where a step on may wrap around it is the
 * end, else, so that no number comes before the end again. */
static Value *index_behind(Loop *l, Builder *b, Value *more) {
    Value *index = l->index, *upper = for_upper(l->op), *step = for_step(l->op);
    Value *next = build_2(b, OP_ADD, index, step);
    int64_t number = 1;
    if (!l->wraps) return build_select(b, more, next, index);
    value_is_int(step, &number);
    bool up = number > 0 || for_unsigned(l->op);
    if (!up) step = build_2(b, OP_SUB, build_int(b, step->type, 0), step);
    Value *left = build_2(b, OP_SUB, up ? upper : index, up ? index : upper);
    Value *another = build_2(b, OP_AND, more, build_icmp(b, ICMP_UGT, left, step));
    return build_select(b, another, next, upper);
}

/* The ops that the turn's copies and the next turn need. */
static void write_slice(Loop *l, Builder *b) {
    l->slice = (Map){.arena = l->r->px->scratch};
    map_set_pointer(&l->slice, for_index(l->op), l->index);
    for (int i = 0; i < l->carried; i++)
        if (l->args[i]) map_set_pointer(&l->slice, for_arg(l->op, i), l->args[i]);
    for (const Op *op = l->body->first; op; op = op->next) {
        bool wanted = op->num_results && op_result(op)->id < l->planned &&
                      l->ahead[op_result(op)->id] == AHEAD_YES;
        if (wanted) op_clone(b, op, &l->slice);
    }
}

static Value *transposed(Loop *l, Builder *b, const Part *part, Value *value) {
    if (!part->trans) return value;
    const Type *type =
        type_with_elem(l->r->fn->types, op_result(part->trans)->type, type_lane(value->type));
    Op *trans = build_op(b, OP_TRANS, 1, &value, 1, &type, 0, NULL);
    memcpy(trans->attrs, part->trans->attrs, sizeof trans->attrs);
    return op_result(trans);
}

static Op *turn_op(Loop *l, Builder *b, OpKind kind, Value *turn) {
    return build_op(b, kind, 2, (Value *[]){l->ring, turn}, 0, NULL, 0, NULL);
}

/* Comparisons are made again at each copy, so that no turn keeps the predicates of its masks.
 * made: what has been. */
static Value *made_anew(Builder *b, Value *mask, Map *made) {
    const Op *op = mask->def;
    bool moves = op && (op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS);
    Value *again = map_get_pointer(made, mask);
    if (again || !op || !type_is_bool(mask->type)) return again ? again : mask;
    if (!moves && op->kind != OP_AND && op->kind != OP_ICMP) return mask;
    for (int i = 0; i < op->num_operands; i++) made_anew(b, op->operands[i], made);
    return op_result(op_clone(b, op, made));
}

/* The mask, and that. */
static Value *where(Loop *l, Builder *b, const Value *pointers, Value *that, Value *mask) {
    const Type *type = type_with_elem(l->r->fn->types, pointers->type, type_scalar(TYPE_I1));
    Value *all = op_result(build_op(b, OP_SPLAT, 1, &that, 1, &type, 0, NULL));
    return mask ? build_2(b, OP_AND, mask, all) : all;
}

/* What the copies need is computed first: others need not wait for it at the barrier that acquire
 * may be. */
static void write_fills(Loop *l, Builder *b, Value *turn, Value *more) {
    Map made = {.arena = l->r->px->scratch};
    Value *pointers[MAX_PARTS], *masks[MAX_PARTS];
    for (int i = 0; i < l->num_parts; i++) {
        const Part *part = &l->parts[i];
        Value *mask = load_mask(part->load);
        pointers[i] = transposed(l, b, part, ahead_of(l, load_pointer(part->load)));
        masks[i] = mask ? transposed(l, b, part, made_anew(b, ahead_of(l, mask), &made)) : NULL;
        if (more && i != l->shared_by_last) masks[i] = where(l, b, pointers[i], more, masks[i]);
    }
    turn_op(l, b, OP_ACQUIRE, turn);
    for (int i = 0; i < l->num_parts; i++) {
        const Part *part = &l->parts[i];
        build_fill(b, l->ring, turn, i, part->load, pointers[i], masks[i]);
    }
}

/* Copies for a turn, where there is one; then what comes next is that of the turn behind it.
 * before: the turn to release, once all is there that the copies need; or NULL. With a tail there
 * is one more turn, of which the last part alone is copied: the others' masks are off. */
static void write_copies(Loop *l, Builder *b, Value *turn, Value *before) {
    Func *fn = l->r->fn;
    Region *arms[2] = {region_new(fn), region_new(fn)};
    Value *more = is_there(l, b), *any = l->tail ? l->more : more;
    write_slice(l, b);
    if (before) turn_op(l, b, OP_RELEASE, before);
    for (int i = 0; i < 2; i++) {
        Builder arm = {.fn = fn, .region = arms[i], .span = b->span};
        if (i == 0) write_fills(l, &arm, turn, l->tail ? more : NULL);
        build_yield(&arm, 0, NULL);
    }
    build_op(b, OP_IF, 1, &any, 0, NULL, 2, arms);
    l->more = more;
    if (l->distance > 1)
        build_op(b, OP_COMMIT, 0, NULL, 0, NULL, 0, NULL); /* else all are waited for */
    l->index = index_behind(l, b, more);
    for (int i = 0; i < l->carried; i++)
        if (l->args[i]) l->args[i] = ahead_of(l, for_next(l->op, i));
}

static void write_ring(Loop *l, Builder *b) {
    const Type *type = ring_type(l);
    Op *ring = build_op(b, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, l->stages), ring_set_offset(ring, l->offset);
    l->ring = op_result(ring);
}

typedef struct Readers {
    const Loop *l;
    const Part *part;
    Value *peeked, *moved; /* moved: in registers, once somebody wants it there */
    Value *turned;         /* peeked, looked at the other way, once a product reads it so */
} Readers;

/* mma.sync reads a where it lies only if it does so of b. */
static bool reads_in_place(const Readers *r, const Op *op, int operand) {
    if (op->kind != OP_DOT || op->parent != r->l->body || operand > 1) return false;
    if (dot_unit(op) == UNIT_WGMMA) return takes_rows(op, operand, op->operands[operand]->type);
    bool has_b = operand == 1 || dot_b(op)->type->place->shared;
    for (int i = 0; i < r->l->num_parts; i++)
        has_b = has_b || (r->l->parts[i].dot == op && r->l->parts[i].operand == 1);
    return dot_unit(op) == UNIT_MMA && has_b;
}

static Value *turned(Readers *r) {
    const Type *tile = r->peeked->type;
    Func *fn = r->l->r->fn;
    Op *load = r->part->load;
    if (r->turned) return r->turned;
    Builder b = {.fn = fn, .region = load->parent, .before = load, .span = load->span};
    const Type *type =
        type_tile(fn->types, type_lane(tile), 2, (int[]){tile->shape[1], tile->shape[0]});
    type = type_in_panels(fn->types, type, 1 - tile_panel_dim(tile));
    int64_t *order = arena_array(fn->arena, int64_t, 2);
    order[0] = 1;
    Op *trans = build_op(&b, OP_TRANS, 1, &r->peeked, 1, &type, 0, NULL);
    trans_set_order(trans, (Ints){2, order});
    return r->turned = op_result(trans);
}

/* Products read it where it lies the other way, too. */
static bool replace_turned_reads(Op *op, void *user) {
    Readers *r = user;
    for (int i = 0; i < op->num_operands; i++) {
        const Op *trans = op->operands[i]->def;
        bool turns = trans && trans->kind == OP_TRANS &&
                     trans->operands[0] == op_result(r->part->load) && trans->num_results == 1;
        if (turns && reads_in_place(r, op, i)) op->operands[i] = turned(r);
    }
    return true;
}

static bool replace_reads(Op *op, void *user) {
    Readers *r = user;
    Value *loaded = op_result(r->part->load);
    for (int i = 0; i < op->num_operands; i++) {
        if (op->operands[i] != loaded) continue;
        bool in_place = reads_in_place(r, op, i) || op->kind == OP_CONVERT; /* from there at once */
        Op *load = r->part->load;
        Builder b = {.fn = r->l->r->fn, .region = load->parent, .before = load, .span = load->span};
        if (!in_place && !r->moved)
            r->moved =
                op_result(build_op(&b, OP_CONVERT, 1, &r->peeked, 1, &loaded->type, 0, NULL));
        op->operands[i] = in_place ? r->peeked : r->moved;
    }
    return true;
}

static void write_peeks(Loop *l, Builder *b, Value *turn) {
    for (int i = 0; i < l->num_parts; i++) {
        Part *part = &l->parts[i];
        Op *peek = build_op(b, OP_PEEK, 2, (Value *[]){l->ring, turn}, 1, &part->type, 0, NULL);
        peek_set_part(peek, i);
        op_result(peek)->name = op_result(part->load)->name;
        if (part->dot) part->dot->operands[part->operand] = op_result(peek);
        Readers readers = {.l = l, .part = part, .peeked = op_result(peek)};
        if (part->trans) continue;
        region_walk(l->body, replace_turned_reads, &readers);
        region_walk(l->body, replace_reads, &readers);
    }
}

/* The carried values that are computed ahead, gathered into `list`. */
static int listed(const Loop *l, Value *const *args, Value **list) {
    int count = 0;
    for (int i = 0; i < l->carried; i++)
        if (args[i]) list[count++] = args[i];
    return count;
}

static Value *turn_before(Builder *b, Value *turn) {
    return build_2(b, OP_SUB, turn, build_int(b, turn->type, 1));
}

/* Behind the last product of the body that reads the ring; NULL: one of them is waited for at once.
 * By then those of the turn before are done, or soon. */
static Op *behind_products(const Loop *l) {
    Op *last = NULL;
    for (Op *op = l->body->first; op; op = op->next) {
        if (op->kind != OP_DOT) continue;
        bool reads = dot_a(op)->type->place->shared || dot_b(op)->type->place->shared;
        if (reads && !dot_may_go_on(op)) return NULL;
        if (reads) last = op;
    }
    return last ? last->next : NULL;
}

/* Do all products of the body end in it, each read by somebody who waits for it? */
static bool products_end(const Loop *l) {
    for (Op *op = l->body->first; op; op = op->next) {
        if (op->kind != OP_DOT) continue;
        bool ends = false;
        for (const Op *reader = op->next; reader && reader->kind != OP_YIELD; reader = reader->next)
            for (int i = 0; i < reader->num_operands && reader->kind != OP_DOT; i++)
                ends = ends || reader->operands[i] == op_result(op);
        if (!ends) return false;
    }
    return true;
}

/* Does the next turn read the sums of each product before it multiplies? Then they are waited for
 * at once, and going on into that turn gains nothing. */
static bool sums_are_read_first(const Loop *l) {
    const Op *yield = region_yield(l->body), *first = l->body->first;
    while (first && first->kind != OP_DOT) first = first->next;
    for (const Op *dot = first; dot; dot = dot->next) {
        bool read = false;
        for (int i = 0; dot->kind == OP_DOT && i < l->carried; i++) {
            if (yield->operands[i] != op_result(dot)) continue;
            for (const Op *op = l->body->first; op != first; op = op->next)
                for (int k = 0; k < op->num_operands; k++)
                    read = read || op->operands[k] == for_arg(l->op, i);
        }
        if (dot->kind == OP_DOT && !read) return false;
    }
    return true;
}

/* True: the turn is released in the next one, behind the loop the last. Where its products have
 * ended in it, the barrier with which the next one begins is enough for the buffer to be filled
 * again, behind that one's products. */
static bool write_turn(Loop *l, Value *turn) {
    Func *fn = l->r->fn;
    Builder b = {.fn = fn, .region = l->body, .before = l->body->first, .span = l->op->span};
    bool whole = l->distance == l->stages;
    Op *ready = turn_op(l, &b, OP_READY, turn);
    ready_set_pending(ready, l->distance - 1);
    write_peeks(l, &b, turn);
    Op *late = whole || sums_are_read_first(l) ? NULL : behind_products(l);
    bool released_late = late && !products_end(l);
    b.before = late ? late : whole ? region_yield(l->body) : ready->next;
    if (whole) turn_op(l, &b, OP_RELEASE, turn);
    Value *next = build_2(&b, OP_ADD, turn, build_int(&b, turn->type, l->distance));
    write_copies(l, &b, next, released_late ? turn_before(&b, turn) : NULL);
    b.before = region_yield(l->body);
    if (!released_late && !whole) turn_op(l, &b, OP_RELEASE, turn);
    return released_late;
}

/* A product around the loop reads its turn. */
static void write_around(Loop *l, Builder *b, Op *dot, Value *turn) {
    const Part *part = &l->parts[part_like(l, dot)];
    b->before = dot;
    ready_set_pending(turn_op(l, b, OP_READY, turn), l->distance - 1);
    Op *peek = build_op(b, OP_PEEK, 2, (Value *[]){l->ring, turn}, 1, &part->type, 0, NULL);
    peek_set_part(peek, (int)(part - l->parts));
    dot->operands[1] = op_result(peek);
}

/* Turn 0 is the head's: what the loop's first turn reads before it comes. */
static void write_head_fills(Loop *l, Builder *b, Value *turn) {
    const Op *trans;
    Op *load = load_of_b(l->head, &trans);
    int first = part_like(l, l->head);
    write_slice(l, b);
    turn_op(l, b, OP_ACQUIRE, turn);
    for (int i = 0; i < l->num_parts; i++) {
        const Part *part = &l->parts[i];
        Value *pointers = i == first ? load_pointer(load) : ahead_of(l, load_pointer(part->load));
        Value *mask = i == first ? load_mask(load) : NULL;
        pointers = transposed(l, b, part, pointers);
        if (mask) mask = transposed(l, b, part, mask);
        if (i != first) mask = where(l, b, pointers, build_int(b, type_scalar(TYPE_I1), 0), NULL);
        Op *fill = build_fill(b, l->ring, turn, i, i == first ? load : part->load, pointers, mask);
        fill->span = load->span;
    }
    if (l->distance > 1) build_op(b, OP_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

/* The turns that are copied before the loop, and the head's product, if there is one. */
static void write_first_turns(Loop *l, Builder *b) {
    const Type *i32 = type_scalar(TYPE_I32);
    Value *zero = NULL;
    if (l->head) {
        see_starts(l, see_hoisted);
        b->before = l->head;
    }
    write_ring(l, b);
    l->index = for_lower(l->op);
    for (int i = 0; i < l->carried; i++)
        l->args[i] = l->ahead[for_arg(l->op, i)->id] == AHEAD_YES ? for_init(l->op, i) : NULL;
    if (l->head) {
        l->more = build_int(b, type_scalar(TYPE_I1), 1);
        write_head_fills(l, b, zero = build_int(b, i32, 0));
    }
    for (int turn = l->head ? 1 : 0; turn < l->distance; turn++)
        write_copies(l, b, build_int(b, i32, turn), NULL);
    if (!l->head) return;
    write_around(l, b, l->head, zero);
    b->before = l->head->next;
    write_copies(l, b, build_int(b, i32, l->distance), NULL);
}

static void write_loop(Loop *l) {
    Func *fn = l->r->fn;
    int carried = l->carried;
    Builder b = {.fn = fn, .region = l->op->parent, .before = l->op, .span = l->op->span};
    Value **more = arena_array(l->r->px->scratch, Value *, carried + 3);
    Value **args = arena_array(l->r->px->scratch, Value *, carried + 3);
    const Type *i32 = type_scalar(TYPE_I32);
    int own = l->head ? 3 : 2;
    write_first_turns(l, &b);

    more[0] = build_int(&b, i32, l->head ? 1 : 0), more[1] = l->index, more[2] = l->more;
    int count = own + listed(l, l->args, more + own);
    l->op = for_carry_more(fn, l->op, count, more, args);
    for (int i = 0, next = own; i < carried; i++)
        if (l->args[i]) l->args[i] = args[next++];
    l->index = args[1];
    if (l->head) l->more = args[2];

    b.before = l->op->next;
    bool released_late = write_turn(l, args[0]);
    Value *end = &l->op->results[carried];
    if (released_late) turn_op(l, &b, OP_RELEASE, turn_before(&b, end));
    if (l->head && !released_late) {
        b.before = l->op;
        turn_op(l, &b, OP_RELEASE, build_int(&b, i32, 0));
    }
    if (l->tail) {
        write_around(l, &b, l->tail, end);
        b.before = l->tail->next;
        turn_op(l, &b, OP_RELEASE, end);
    }
    b = (Builder){.fn = fn, .region = l->body, .before = region_yield(l->body), .span = b.span};
    more[0] = build_2(&b, OP_ADD, args[0], build_int(&b, i32, 1)), more[1] = l->index;
    if (l->head) more[2] = l->more;
    listed(l, l->args, more + own);
    for_yield_more(fn, l->op, count, more);
}

/* ---- all ---- */

/* An end so far up is refused at launch, if that tells. */
static bool may_wrap(const Rings *r, const Op *loop) {
    int64_t step, most = type_bits(for_lower(loop)->type) == 64 ? INT64_MAX : INT32_MAX;
    if (!facts_index_may_wrap(r->facts, loop)) return false;
    bool up = !for_unsigned(loop) && value_is_int(for_step(loop), &step) && step > 0;
    NeedsMark mark = needs_mark(r->px->needs);
    if (up && r->px->needs && needs_add_up_to(r->px->needs, for_upper(loop), most - step))
        return false;
    needs_take_back(r->px->needs, mark);
    return true;
}

static bool ring_loop(Rings *r, Op *op) {
    Loop l = {.r = r, .op = op, .body = for_body(op), .carried = for_count(op)};
    Conflict any = {r, NULL};
    if (turns_of(op) <= 1 || type_bits(for_lower(op)->type) < 32) return false;
    if (!region_walk(l.body, is_no_conflict, &any)) return false;
    l.planned = r->fn->num_values;
    l.ahead = arena_array(r->px->scratch, Ahead, l.planned);
    l.args = arena_array(r->px->scratch, Value *, l.carried + 1);
    l.offset = first_byte(&l);
    find_parts(&l);
    find_sources(&l);
    if (!l.num_parts || !choose_stages(&l)) return false;
    order_parts(&l);
    memset(l.ahead, 0, sizeof *l.ahead * (size_t)l.planned);
    for (int i = 0; i < l.num_parts; i++) {
        is_ahead(&l, load_pointer(l.parts[i].load));
        if (load_mask(l.parts[i].load)) is_ahead(&l, load_mask(l.parts[i].load));
    }
    l.wraps = may_wrap(r, op);
    find_around(&l);
    write_loop(&l);
    func_resolve(r->fn);
    func_renumber(r->fn);
    r->facts = facts_compute(r->px->scratch, r->fn);
    facts_ask(r->facts, r->px->needs);
    return true;
}

/* Inner loops first: one ring at a time. */
static bool ring_region(Rings *r, Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= ring_region(r, op->regions[i]);
        if (op->kind == OP_FOR) changed |= ring_loop(r, op);
    }
    return changed;
}

static bool fills_nothing(Op *op, void *ring) {
    if (op->kind == OP_FILL) *(Value **)ring = turn_ring(op);
    return op->kind != OP_FILL;
}

/* Is what the ring holds read in place, by none that wants it in registers? */
static bool is_read_in_place(const Region *body, const Value *ring) {
    for (const Op *op = body->first; op; op = op->next) {
        const Op *from = op->kind == OP_CONVERT ? op->operands[0]->def : NULL;
        if (from && from->kind == OP_PEEK && turn_ring(from) == ring) return false;
    }
    return true;
}

/* Of a loop all of whose turns are copied before it the copies in it are none. Where they stay the
 * assembler moves reads of the ring past them less, and needs fewer registers for what is read. */
static bool drop_copies(Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        const Op *loop = region->owner;
        Value *ring = NULL;
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= drop_copies(op->regions[i]);
        if (op->kind != OP_IF || op->num_results || !loop || loop->kind != OP_FOR) continue;
        if (for_around(loop) || region_walk(op->regions[0], fills_nothing, &ring)) continue;
        if (ring->def->parent != loop->parent) continue; /* another loop's, within */
        if (turns_of(loop) > ring_stages(ring->def) || !is_read_in_place(region, ring)) continue;
        op_remove(op);
        changed = true;
    }
    return changed;
}

bool pass_rings(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Rings r = {.px = px, .fn = fn, .arch = arch_find(fn->target)};
    if (r.arch->number < 80 || fn->num_stages < 2) return false;
    r.has_atomics = func_has_atomics(fn);
    r.facts = facts_compute(px->scratch, fn);
    facts_ask(r.facts, px->needs);
    if (!ring_region(&r, fn->body)) return false;
    pass_dce(px, fn); /* the loads, and what only they needed */
    if (drop_copies(fn->body)) pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
