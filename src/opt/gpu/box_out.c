// SPDX-License-Identifier: Apache-2.0
/* box_out: what a loop over tiles has multiplied one thread stores, as a box of a tensor (TMA).
 *
 *     %c = convert %x                            all wait until the last tile's box is in memory
 *     store %p, %c, mask %m              ->      %x goes to shared memory, as the hardware wants it
 *                                                all meet; one thread stores that
 *
 * The products of the next tile begin while it is on its way. What the store says is the same: a
 * mask is where the tensor ends (box.c), and the hardware writes nothing outside of it. Each tile
 * waits for the one before it to be in memory, so that they come in order; that has been long ago.
 *
 * Of tiles of 16 bits, in the consumers of roles (roles.c), or without roles where scratch lies
 * behind the ring (flat.c, next_tile.c), where nothing else goes through scratch or writes memory,
 * and nobody reads what is written (what the producer does: roles.c). Of 32 bits in the consumers
 * alone, where each four warps have rows of their own: 32 columns after the other, from the
 * registers of what multiplied them, through buffers behind all else in shared memory. So of 16
 * bits, where there is no room for all of a tile: 64 columns after the other.
 */
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/roles.h"

typedef struct Out {
    const Facts *facts;
    bool by_panels; /* there is no scratch for all of it */
    Op *store;
    int stores, trips; /* how many; ops that go through scratch */
    const char *why;
} Out;

static bool refuse(Out *o, const char *why) {
    o->why = why;
    return false;
}

static bool note_store(Op *op, void *user) {
    Out *o = user;
    o->trips += op->num_trips > 0;
    if (op->kind == OP_STORE) o->store = op, o->stores++;
    if (op->kind == OP_STORE || is_ring_op(op) || op->kind == OP_BARRIER) return true;
    return !op_writes_memory(op) || refuse(o, "the kernel writes otherwise, too");
}

static bool is_apart(Op *op, void *user) {
    Out *o = user;
    const Value *pointer = op == o->store ? NULL : access_pointer(op);
    return !pointer || !facts_may_alias(o->facts, store_pointer(o->store), pointer) ||
           refuse(o, "what the kernel reads");
}

enum { BOX_ALIGNMENT = 1024 };

/* Each four warps have rows of their own, side by side. */
static bool has_groups(const Type *tile) {
    const Layout *layout = type_layout(tile);
    enum { GROUP_BIT = 2 };
    return layout->num[KIND_WARP] == GROUP_BIT + 1 &&
           layout->column[KIND_WARP][GROUP_BIT] == (uint32_t)(tile->shape[0] / 2 * tile->shape[1]);
}

/* It is of 32 bits, in the registers of what multiplied it. */
static bool is_in_place(const Out *o) {
    const Type *tile = store_value(o->store)->type;
    return !o->trips && !tile->place->shared && tile->rank == 2 && type_size_bytes(tile) == 4 &&
           tile->shape[1] * 4 % PANEL_SPAN == 0 && !layout_replica_mask(type_layout(tile)) &&
           has_groups(tile);
}

/* As it goes out, of what a loop has added up: rounded before that, ptxas 13.0 would have the
 * products wait for each other (C7514). */
static bool is_rounded(const Func *fn, const Value *tile) {
    const Op *round = tile->def, *loop = round ? round->operands[0]->def : NULL;
    return round && round->kind == OP_FTRUNC && value_is_used_once(fn, tile) && loop &&
           loop->kind == OP_FOR;
}

/* It is of 16 bits, comes from registers, and scratch is where a box may begin. */
static bool is_moved(Out *o, const Func *fn) {
    enum { LEAST_ROW = 32 };
    const Op *store = o->store, *convert = store_value(store)->def;
    if (!convert || convert->kind != OP_CONVERT || convert->num_trips != 1 || o->trips != 1)
        return refuse(o, "other tiles in scratch");
    const Type *tile = convert->operands[0]->type;
    if (!value_is_used_once(fn, op_result(convert))) return refuse(o, "a tile that others read");
    if (tile->place->shared || tile->rank != 2 || type_size_bytes(tile) != 2)
        return refuse(o, "a tile of other than 16 bits in two dimensions");
    if (layout_replica_mask(type_layout(tile))) return refuse(o, "a tile that is there twice");
    if (tile->shape[0] < 8 || tile->shape[1] < 8 || tile->shape[0] * 2 < LEAST_ROW ||
        tile->shape[1] * 2 < LEAST_ROW)
        return refuse(o, "a small tile");
    if (o->by_panels)
        return (tile->shape[1] * 2 % PANEL_SPAN == 0 && is_rounded(fn, convert->operands[0])) ||
               refuse(o, "no shared memory left");
    return convert->trips[0].offset % BOX_ALIGNMENT == 0 || refuse(o, "scratch not aligned");
}

static bool may_be_out(Out *o, const Func *fn, bool few) {
    if (!region_walk(fn->body, note_store, o)) return false;
    if (o->stores != 1) return refuse(o, "more than one store");
    const Op *store = o->store, *loop = store->parent->owner;
    bool is_last = few && !loop;
    if (!is_last && (!loop || loop->kind != OP_FOR || loop->parent != fn->body))
        return refuse(o, "a store elsewhere than in the loop over tiles");
    if (store_volatile(store) || store_cache(store) != CACHE_NONE ||
        store_evict(store) != EVICT_NORMAL)
        return refuse(o, "a store with hints");
    return (is_in_place(o) || is_moved(o, fn)) && region_walk(fn->body, is_apart, o);
}

/* ---- by groups ---- */

/* No row reaches into the next one, or the launch is asked. */
static bool rows_are_apart(const BoxNumber *size, const BoxNumber *stride, Needs *needs) {
    if (!size->number) return false;
    if (!size->num_params && !stride->num_params) return size->number <= stride->number;
    if (size->num_params != 1 || size->number != 1) return false;
    if (!stride->num_params)
        return stride->number > 0 && needs_add_most(needs, size->params[0], stride->number);
    if (stride->num_params != 1 || stride->number < 1) return false;
    return stride->params[0] == size->params[0] ||
           (stride->number == 1 && needs_add_to(needs, size->params[0], stride->params[0]));
}

/* What is stored in different turns is, of different groups, at different places: tiles begin at
 * multiples of their rows. Then nobody need wait for another group. */
static bool groups_are_apart(const Facts *facts, const Box *box, const Type *tile, Needs *needs) {
    const BoxTerms *at = &box->dims[1].at;
    for (int i = 0; i < at->count; i++) {
        const BoxTerm *term = &at->data[i];
        int64_t of = term->index ? facts_axis(facts, term->index)->divisibility[0] : 1;
        if (term->modulo || term->scale.num_params || term->least) return false;
        if (term->scale.number % tile->shape[0] * (of % tile->shape[0]) % tile->shape[0])
            return false;
    }
    return box->rank == 2 && rows_are_apart(&box->dims[0].size, &box->dims[1].stride, needs);
}

/* ---- what counts along ---- */

static bool is_same(const Value *a, const Value *b) {
    int64_t of_a, of_b;
    return a == b || (value_is_int(a, &of_a) && value_is_int(b, &of_b) && of_a == of_b);
}

/* A step less than the loop begins with. */
static bool is_before(const Value *first, const Op *loop) {
    const Op *op = first->def;
    int64_t less, step;
    if (!op || op->num_operands != 2 || op->operands[0] != for_lower(loop)) return false;
    if (op->kind == OP_SUB) return is_same(op->operands[1], for_step(loop));
    return op->kind == OP_ADD && value_is_int(op->operands[1], &less) &&
           value_is_int(for_step(loop), &step) && less == -step;
}

/* Tutorial 09 counts tiles twice: what starts a step before the loop's index, and goes on by as
 * much, is that index once it has gone on, and has its sign. */
static void count_by_index(Func *fn, const Op *loop) {
    for (int i = 0; i < for_count(loop); i++) {
        Value *next = for_next(loop, i);
        const Op *add = next->def;
        bool along = add && add->kind == OP_ADD && next->type == for_index(loop)->type &&
                     add->operands[0] == for_arg(loop, i) &&
                     is_same(add->operands[1], for_step(loop)) &&
                     is_before(for_init(loop, i), loop);
        if (along) next->replaced = for_index(loop);
    }
    func_resolve(fn);
}

static bool count_in(Op *op, void *user) {
    if (op->kind == OP_FOR && !op_is_in_loop(op)) count_by_index(user, op);
    return true;
}

/* They kept turns in order, as each group of warps now does with its rows. */
static void drop_barriers(Op *store) {
    store->barrier = false;
    for (Op *op = store->next, *next; op; op = next) {
        next = op->next;
        if (op->kind == OP_BARRIER) op_remove(op);
    }
}

/* Buffers behind all else, where a multiprocessor has room for as many blocks with them. */
static bool find_panels(const Arch *arch, Roles *roles, BoxStore *out) {
    enum { MOST = 4, LEAST = 2 };
    int each = PANEL_SPAN * out->value->type->shape[0];
    int blocks = arch_blocks(arch, roles->end), room = roles_room(roles);
    int count = out->value->type->shape[1] * type_size_bytes(out->value->type) / PANEL_SPAN;
    int least = count < LEAST ? count : LEAST;
    if (room < blocks) blocks = room;
    out->scratch = (roles->end + BOX_ALIGNMENT - 1) / BOX_ALIGNMENT * BOX_ALIGNMENT;
    for (out->panels = count < MOST ? count : MOST; out->by_groups && out->panels >= least;
         out->panels /= 2) {
        int end = out->scratch + out->panels * each;
        if (end > arch->shared_limit || arch_blocks(arch, end) < blocks) continue;
        roles->end = end;
        return true;
    }
    return false;
}

Needs *roles_box_out(Arena *arena, Roles *roles, int num_params) {
    Func *fn = roles->consumers;
    region_walk(fn->body, count_in, fn);
    func_renumber(fn);
    Facts *facts = facts_compute(arena, fn);
    Out o = {.facts = facts, .by_panels = roles->by_panels};
    BoxStore *out = arena_new_of(arena, BoxStore);
    Needs *needs = needs_new(arena, fn, num_params);
    Box box;
    if (may_be_out(&o, fn, roles->few)) o.why = box_store(fn, facts, o.store, needs, &box, out->at);
    roles->not_out = o.why;
    if (o.why) return NULL;
    out->store = o.store, out->value = store_value(o.store);
    if (o.trips) out->convert = out->value->def, out->value = out->convert->operands[0];
    out->box = roles->boxes.count;
    const Type *tile = out->value->type;
    out->by_groups = has_groups(tile) && box.dims[1].tile_dim == 0 &&
                     (!o.trips || !o.store->barrier) &&
                     (roles->walks || roles->few || groups_are_apart(facts, &box, tile, needs));
    bool panels = !o.trips || o.by_panels;
    if (panels && !find_panels(arch_find(fn->target), roles, out)) {
        roles->not_out = out->by_groups ? "no shared memory left" : "a tile of 32 bits of all";
        return NULL;
    }
    if (panels && o.trips) out->round = out->value->def;
    if (panels) drop_barriers(o.store);
    vec_push(arena, &roles->boxes, box);
    roles->out = out;
    func_renumber(fn);
    return needs_close(needs) ? needs : NULL;
}
