// SPDX-License-Identifier: Apache-2.0
/* bring: what products outside of loops read is copied to shared memory, not loaded to registers.
 *
 *     %a = load %p                          %r = ring {stages = 1} : ring<tile<.., #7>>
 *     %b = load %q                          acquire %r, 0
 *     ..                                    fill %r, 0, %p {part = 0};  fill %r, 0, %q {part = 1}
 *     %c = dot %a, %b, ..                   ..;  ready %r, 0
 *     %d = dot trans %a, ..          ->     %x = peek %r, 0 {part = 0};  %y = peek ..
 *                                           %c = dot %x, %y, ..
 *                                           %d = dot trans %x, ..
 *                                           release %r, 0
 *
 * As a load, a tile of 128 x 128 halves takes 64 registers of each of 128 threads until it is
 * multiplied. The loads of a function's body, or an arm of an `if` in it, that come before the
 * first product by wgmma which reads one of them make a ring; those behind it the next one. Nothing
 * between a load and that product may write where it reads. Who else reads it behind that product
 * gets it from there into registers. Rings take half of shared memory: two blocks have room.
 * Those of loops come later (pass rings), and lie behind what is in use. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

typedef struct Bringer {
    Func *fn;
    const Arch *arch;
    Facts *facts;
    int end; /* of the rings so far */
    int count;
    Op *loads[MAX_PARTS], *first; /* first: the product */
    const Type *types[MAX_PARTS];
    Value *peeks[MAX_PARTS], *turned[MAX_PARTS];
} Bringer;

/* ---- which loads ---- */

/* The load that an operand is, as it is or transposed. */
static Op *load_of(const Op *dot, int operand) {
    Op *def = dot->operands[operand]->def;
    if (def && def->kind == OP_TRANS && def->parent == dot->parent) def = def->operands[0]->def;
    return def && def->kind == OP_LOAD && def->parent == dot->parent ? def : NULL;
}

static bool reads_in_place(const Op *op, int operand) {
    return op->kind == OP_DOT && operand < 2 && dot_unit(op) == UNIT_WGMMA &&
           !op->operands[operand]->type->place->shared &&
           (!dot_wants_k_rows(op) || tile_fast_dim(op->operands[operand]->type) == 1 - operand);
}

typedef struct Uses {
    const Op *load, *first;
    bool fine;
} Uses;

/* Of the load and of what transposes it: products of its region, where it lies, or who comes behind
 * the first of them, in registers. */
static bool check_use(Op *op, void *user) {
    Uses *u = user;
    for (int i = 0; i < op->num_operands; i++) {
        const Op *def = op->operands[i]->def;
        bool turned = def && def->kind == OP_TRANS && def->operands[0] == op_result(u->load);
        if (op->operands[i] != op_result(u->load) && !turned) continue;
        bool turns = op->kind == OP_TRANS && !turned && op->operands[0]->type->rank == 2;
        bool here = op->parent == u->load->parent;
        bool behind = here && !turned && op->kind != OP_YIELD && op_is_before(u->first, op);
        if (!here || (!turns && !reads_in_place(op, i) && !behind)) u->fine = false;
    }
    return u->fine;
}

static bool has_fit_readers(const Bringer *b, const Op *load, const Op *first) {
    Uses u = {load, first, true};
    region_walk(b->fn->body, check_use, &u);
    return u.fine;
}

/* Nothing on the way from the load to the product writes where it reads. */
static bool is_left(const Bringer *b, const Op *load, const Op *product) {
    for (const Op *op = load->next; op && op != product; op = op->next)
        if (facts_may_write_within(b->facts, op, load)) return false;
    return true;
}

static int index_of(const Bringer *b, const Op *load) {
    for (int i = 0; i < b->count; i++)
        if (b->loads[i] == load) return i;
    return -1;
}

static void consider(Bringer *b, Op *load, Op *product, int *bytes) {
    if (!load || b->count == MAX_PARTS || index_of(b, load) >= 0 || !load_can_fill(load)) return;
    if (b->first && !op_is_before(load, b->first)) return;
    const Type *type = ring_part_type(b->fn->types, op_result(load)->type);
    int size = type->lanes * type_size_bytes(type);
    if (size < PANEL_BYTES || size % PANEL_BYTES || tile_panel_dim(type) < 0) return;
    if (b->end + *bytes + size > b->arch->shared_limit / 2) return;
    Op *first = b->first ? b->first : product;
    if (!has_fit_readers(b, load, first) || !is_left(b, load, first)) return;
    b->first = first;
    b->types[b->count] = type, b->loads[b->count++] = load;
    *bytes += size;
}

/* From this op on: the first product that reads loads, and the loads before it. */
static void find_loads(Bringer *b, Op *from) {
    int bytes = 0;
    b->count = 0, b->first = NULL;
    for (Op *op = from; op; op = op->next)
        for (int i = 0; op->kind == OP_DOT && i < 2; i++)
            if (reads_in_place(op, i)) consider(b, load_of(op, i), op, &bytes);
}

/* ---- writing ---- */

static Op *first_load(const Bringer *b) {
    Op *first = b->loads[0];
    for (int i = 1; i < b->count; i++)
        if (op_is_before(b->loads[i], first)) first = b->loads[i];
    return first;
}

static Value *peeked(Bringer *b, Builder *at, int part, bool turns) {
    const Type *tile = b->types[part];
    if (!turns) return b->peeks[part];
    if (b->turned[part]) return b->turned[part];
    const Type *type =
        type_tile(b->fn->types, type_lane(tile), 2, (int[]){tile->shape[1], tile->shape[0]});
    type = type_in_panels(b->fn->types, type, 1 - tile_panel_dim(tile));
    int64_t *order = arena_array(b->fn->arena, int64_t, 2);
    order[0] = 1;
    Op *trans = build_op(at, OP_TRANS, 1, &b->peeks[part], 1, &type, 0, NULL);
    trans_set_order(trans, (Ints){2, order});
    return b->turned[part] = op_result(trans);
}

static void write_fills(Bringer *b, Builder *at, Value **turn) {
    for (int i = 0; i < b->count; i++) {
        Op *load = b->loads[i];
        at->before = load;
        build_fill(at, turn[0], turn[1], i, load, load_pointer(load), load_mask(load));
    }
}

static void write_peeks(Bringer *b, Builder *at, Value **turn) {
    at->before = b->first, at->span = b->first->span;
    build_op(at, OP_READY, 2, turn, 0, NULL, 0, NULL);
    for (int i = 0; i < b->count; i++) {
        Op *peek = build_op(at, OP_PEEK, 2, turn, 1, &b->types[i], 0, NULL);
        peek_set_part(peek, i);
        b->peeks[i] = op_result(peek), b->turned[i] = NULL;
        b->peeks[i]->name = op_result(b->loads[i])->name;
    }
}

/* A reader other than a product gets the tile in registers. True: it is one. */
static bool write_move(Bringer *b, Builder *at, Op *op, int operand) {
    for (int i = 0; i < b->count; i++) {
        Value *loaded = op_result(b->loads[i]);
        if (op->operands[operand] != loaded || op->kind == OP_TRANS) continue;
        at->before = op;
        op->operands[operand] =
            op_result(build_op(at, OP_CONVERT, 1, &b->peeks[i], 1, &loaded->type, 0, NULL));
        return true;
    }
    return false;
}

static bool write_read(Bringer *b, Builder *at, Op *op, int operand) {
    Op *from = reads_in_place(op, operand) ? load_of(op, operand) : NULL;
    int part = from ? index_of(b, from) : -1;
    if (part < 0) return write_move(b, at, op, operand);
    at->before = b->first;
    op->operands[operand] = peeked(b, at, part, op->operands[operand]->def->kind == OP_TRANS);
    return true;
}

static void write_ring(Bringer *b) {
    Op *load = first_load(b), *last = b->first;
    Builder at = {.fn = b->fn, .region = load->parent, .before = load, .span = load->span};
    const Type *type = type_ring(b->fn->types, b->count, b->types);
    Op *ring = build_op(&at, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, 1), ring_set_offset(ring, b->end);
    b->end = ring_end(ring);
    Value *turn[2] = {op_result(ring), build_int(&at, type_scalar(TYPE_I32), 0)};
    build_op(&at, OP_ACQUIRE, 2, turn, 0, NULL, 0, NULL);
    write_fills(b, &at, turn);
    write_peeks(b, &at, turn);
    for (Op *op = b->first; op; op = op->next)
        for (int i = 0; i < op->num_operands; i++)
            if (write_read(b, &at, op, i)) last = op;
    at.before = last->next;
    build_op(&at, OP_RELEASE, 2, turn, 0, NULL, 0, NULL);
}

/* ---- all ---- */

/* What the products around a loop read comes with what its turns do. */
static bool is_around_loop(const Region *region) {
    for (const Op *op = region->first; op; op = op->next)
        if (op->kind == OP_FOR && for_around(op)) return true;
    return false;
}

static bool bring_region(Bringer *b, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next)
        for (int i = 0; op->kind == OP_IF && i < op->num_regions; i++)
            changed |= bring_region(b, op->regions[i]);
    if (is_around_loop(region)) return changed;
    for (Op *from = region->first;;) {
        find_loads(b, from);
        if (!b->count) return changed;
        write_ring(b);
        from = b->first;
        changed = true;
    }
}

static bool note_ring(Op *op, void *user) {
    Bringer *b = user;
    if (op->kind == OP_RING && ring_end(op) > b->end) b->end = ring_end(op);
    return true;
}

bool pass_bring(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED) return false;
    Bringer b = {.fn = fn, .arch = arch_find(fn->target)};
    if (b.arch->number < 90 || fn->num_stages < 2) return false;
    b.facts = facts_compute(px->scratch, fn);
    facts_ask(b.facts, px->needs);
    region_walk(fn->body, note_ring, &b);
    if (!bring_region(&b, fn->body)) return false;
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
