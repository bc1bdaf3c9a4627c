// SPDX-License-Identifier: Apache-2.0
/* keep: what each turn of a loop multiplies anew lies in shared memory from before the loop on.
 *
 *                                           %r = ring {stages = 1} : ring<tile<.., #7>>
 *     for %i ..                             acquire %r, 0;  put %r, 0, %q {part = 0};  ready %r, 0
 *       %c = dot %q, %b, ..          ->     for %i ..
 *                                             %p = peek %r, 0 {part = 0}
 *                                             %c = dot %p, %b, ..
 *                                           release %r, 0
 *
 * Without it, the product brings %q to shared memory in each turn, and the block waits before it
 * multiplies, and for its end. What wgmma takes from registers stays there. Of mma.sync only b: it
 * reads a where it lies only if b does so, too. A ring for each loop, from byte 0 on: those of
 * pass rings come behind it. What a loop before it in the same region multiplied stays there for
 * the next one, as the queries of causal attention: nobody holds it in registers meanwhile. */
#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

typedef struct Kept {
    Value *value;
    const Type *type; /* in shared memory */
} Kept;

typedef struct Ring { /* of a loop of the region */
    Op *release;
    Value *turn[2];
    int count;
    Kept kept[MAX_PARTS];
} Ring;

typedef struct Keeper {
    Func *fn;
    const Arch *arch;
    bool has_atomics;
    Op *loop;
    int count, most_scratch;
    Kept kept[MAX_PARTS];
} Keeper;

static bool may_read_in_place(const Op *dot, int operand) {
    const Value *value = dot->operands[operand];
    if (value->type->place->shared || type_is_bool(value->type)) return false;
    if (dot_unit(dot) == UNIT_WGMMA) return operand == 1 || !dot_a_in_registers(dot);
    return dot_unit(dot) == UNIT_MMA && operand == 1 && type_size_bytes(value->type) == 2;
}

static const Type *kept_type(const Keeper *k, const Op *dot, int operand) {
    const Type *tile = dot->operands[operand]->type;
    int dim = dot_unit(dot) == UNIT_WGMMA ? wgmma_panel_dim(dot, operand) : tile_fast_dim(tile);
    return type_in_panels(k->fn->types, tile, dim);
}

static const Kept *kept_of(const Kept *kept, int count, const Value *value, const Type *type) {
    for (int i = 0; i < count; i++)
        if (kept[i].value == value && kept[i].type == type) return &kept[i];
    return NULL;
}

static bool note_scratch(Op *op, void *user) {
    Keeper *k = user;
    int bytes = op_scratch(k->fn, k->has_atomics, op);
    if (bytes > k->most_scratch) k->most_scratch = bytes;
    return true;
}

/* Half of shared memory is for what turns bring, and there is room for scratch as before. */
static int shared_left(Keeper *k) {
    k->most_scratch = 0;
    region_walk(for_body(k->loop), note_scratch, k);
    int left = k->arch->shared_limit - k->most_scratch - SMALL_SCRATCH;
    return left < k->arch->shared_limit / 2 ? left : k->arch->shared_limit / 2;
}

static void find_kept(Keeper *k) {
    const Region *body = for_body(k->loop);
    int left = shared_left(k);
    for (const Op *op = body->first; op; op = op->next) {
        for (int i = 0; op->kind == OP_DOT && i < 2; i++) {
            Value *value = op->operands[i];
            if (!may_read_in_place(op, i) || value_is_inside(value, body)) continue;
            const Type *type = kept_type(k, op, i);
            int bytes = type->lanes * type_size_bytes(type);
            if (k->count == MAX_PARTS || bytes < PANEL_BYTES ||
                kept_of(k->kept, k->count, value, type))
                continue;
            if (bytes > left) continue;
            k->kept[k->count++] = (Kept){value, type};
            left -= bytes;
        }
    }
}

/* ---- writing ---- */

static bool has_all(const Keeper *k, const Ring *ring) {
    for (int i = 0; i < k->count; i++)
        if (!kept_of(ring->kept, ring->count, k->kept[i].value, k->kept[i].type)) return false;
    return true;
}

/* Products from `first` on, up to `end`, read it in the ring. */
static void write_peeks_from(Keeper *k, const Ring *ring, Op *first, const Op *end) {
    Value *peeks[MAX_PARTS] = {NULL};
    Builder b = {.fn = k->fn, .region = first->parent, .before = first, .span = k->loop->span};
    for (Op *op = first; op != end; op = op->next) {
        for (int i = 0; op->kind == OP_DOT && i < 2; i++) {
            if (!may_read_in_place(op, i)) continue;
            const Kept *kept =
                kept_of(ring->kept, ring->count, op->operands[i], kept_type(k, op, i));
            if (!kept) continue;
            int part = (int)(kept - ring->kept);
            if (!peeks[part]) {
                Op *peek = build_op(&b, OP_PEEK, 2, (Value **)(uintptr_t)ring->turn, 1,
                                    (const Type **)(uintptr_t)&kept->type, 0, NULL);
                peek_set_part(peek, part);
                peeks[part] = op_result(peek);
                peeks[part]->name = kept->value->name;
            }
            op->operands[i] = peeks[part];
        }
    }
}

/* The product before the loop that is of its first turn (pass rotate), or NULL. */
static Op *head_of(const Op *loop) {
    Op *head = for_around(loop) ? loop->prev : NULL;
    while (head && head->kind != OP_DOT) head = head->prev;
    return head;
}

/* Behind the loop, and the product behind it that is of its last turn. */
static Op *end_of(Op *loop) {
    Op *tail = for_around(loop) ? loop->next : NULL;
    while (tail && tail->kind != OP_DOT) tail = tail->next;
    return tail ? tail->next : loop->next;
}

/* The loop's products read it in the ring. */
static void write_peeks(Keeper *k, const Ring *ring) {
    write_peeks_from(k, ring, for_body(k->loop)->first, NULL);
}

/* Before what is copied for the loop and the product before it. */
static Op *place_of_ring(const Keeper *k) {
    const Op *head = head_of(k->loop);
    for (int i = 0; i < k->count && head; i++)
        if (value_is_inside(k->kept[i].value, head->parent)) head = NULL;
    return head ? head->parent->first : k->loop;
}

static void write_kept(Keeper *k, Ring *made) {
    const Type *types[MAX_PARTS];
    Func *fn = k->fn;
    Builder b = {.fn = fn, .region = k->loop->parent, .span = k->loop->span};
    const Op *place = b.before = place_of_ring(k);
    for (int i = 0; i < k->count; i++) types[i] = k->kept[i].type;
    const Type *type = type_ring(fn->types, k->count, types);
    Op *ring = build_op(&b, OP_RING, 0, NULL, 1, &type, 0, NULL);
    ring_set_stages(ring, 1);
    Value *turn[3] = {op_result(ring), build_int(&b, type_scalar(TYPE_I32), 0)};
    build_op(&b, OP_ACQUIRE, 2, turn, 0, NULL, 0, NULL);
    for (int i = 0; i < k->count; i++) {
        turn[2] = k->kept[i].value;
        put_set_part(build_op(&b, OP_PUT, 3, turn, 0, NULL, 0, NULL), i);
    }
    build_op(&b, OP_READY, 2, turn, 0, NULL, 0, NULL);
    b.before = end_of(k->loop);
    made->release = build_op(&b, OP_RELEASE, 2, turn, 0, NULL, 0, NULL);
    made->turn[0] = turn[0], made->turn[1] = turn[1];
    made->count = k->count;
    memcpy(made->kept, k->kept, sizeof made->kept);
    write_peeks(k, made);
    Op *head = head_of(k->loop);
    if (head && place != k->loop) write_peeks_from(k, made, head, head->next);
}

/* ---- all ---- */

static bool keep_region(Keeper *k, Region *region) {
    bool changed = false;
    Ring last = {.release = NULL};
    for (Op *op = region->first; op; op = op->next) {
        bool inside = false;
        for (int i = 0; i < op->num_regions; i++) inside |= keep_region(k, op->regions[i]);
        changed |= inside;
        k->loop = op, k->count = 0;
        if (op->kind != OP_FOR || inside) continue;
        find_kept(k);
        if (!k->count) continue;
        if (has_all(k, &last)) {
            write_peeks(k, &last);
            op_move_before(last.release, end_of(op));
        } else {
            write_kept(k, &last);
        }
        changed = true;
    }
    return changed;
}

bool pass_keep(PassCtx *px, Func *fn) {
    (void)px;
    if (fn->form != FORM_PLACED) return false;
    Keeper k = {.fn = fn, .arch = arch_find(fn->target), .has_atomics = func_has_atomics(fn)};
    if (!keep_region(&k, fn->body)) return false;
    func_renumber(fn);
    return true;
}
