// SPDX-License-Identifier: Apache-2.0
/* backwards: a loop over what a loop before it has read begins where that one ended.
 *
 *     for %i = 0 .. %n step 4096            for %i = 0 .. %n step 4096
 *       .. load %p + %i + lanes               .. load %p + %i + lanes
 *                                     ->    %last = ((%n - 1) / 4096) * 4096
 *     for %i = 0 .. %n step 4096            for %i = 0 .. %n step 4096
 *       %x = load %p + %i + lanes             %x = load %p + (%last - %i) + lanes
 *       store %q + %i + lanes, ..             store %q + (%last - %i) + lanes, ..
 *
 * A row that is normalized is read twice, and where the caches do not hold it, what is read last is
 * what they still have: read again from the front, each line is gone just before its turn. The
 * order of the turns must not matter: the loop carries nothing, and the lanes that a turn stores
 * are its own (turns.c). Who else meets that memory in the loop meets the very same lanes. On the
 * copy that is placed. */
#include "opt/gpu/turns.h"

typedef struct Backwards {
    Func *fn;
    Facts *facts;
    Op *loop;
} Backwards;

/* Lane by lane, in each turn others than in any other. */
static bool moves_on(const Backwards *b, const Value *pointer) {
    const Linear *form = facts_linear(b->facts, pointer);
    if (!form || !type_is_tile(pointer->type) || pointer->type->rank != 1) return false;
    LinearStride stride = linear_stride(form, 0);
    return stride.multiplier == 1 && !stride.factor &&
           turns_are_apart(b->facts, NULL, pointer, b->loop, NULL, NULL);
}

/* Only loads, stores and what is pure: no loops, nothing that waits or is seen elsewhere. */
static bool is_plain(const Op *op) {
    if (op->kind == OP_YIELD) return true;
    if (op->kind == OP_LOAD) return !load_volatile(op);
    if (op->kind == OP_STORE) return !store_volatile(op);
    return op_has_trait(op, PURE) && (!op->num_regions || op_has_trait(op, ISOLATED));
}

/* By one parameter the two access the very same lanes; by two, if these are the same memory. */
static bool order_matters(const Backwards *b, const Op *store, const Op *other) {
    const Value *to = store_pointer(store), *pointer = access_pointer(other);
    Disjoint apart = {.a = facts_base(b->facts, to), .b = facts_base(b->facts, pointer)};
    bool same = apart.a && apart.b && disjoint_same(&apart, to, pointer) && !apart.num_equal;
    if (same && apart.a == apart.b) return false;
    if (!same || b->fn->overlaps) return facts_may_meet(b->facts, store, other);
    facts_ask_near(b->facts, store, other);
    return false;
}

static bool order_is_free(const Backwards *b) {
    const Region *body = for_body(b->loop);
    for (const Op *op = body->first; op; op = op->next) {
        if (!is_plain(op)) return false;
        if (op->kind != OP_STORE) continue;
        if (!moves_on(b, store_pointer(op))) return false;
        for (const Op *other = body->first; other; other = other->next)
            if ((other->kind == OP_LOAD || other->kind == OP_STORE) && order_matters(b, op, other))
                return false;
    }
    return true;
}

/* Does the loop load what one before it in the region does, over the same indices? */
static bool reads_again(const Backwards *b) {
    for (const Op *op = for_body(b->loop)->first; op; op = op->next) {
        if (op->kind != OP_LOAD || !moves_on(b, load_pointer(op))) continue;
        const Value *base = facts_base(b->facts, load_pointer(op));
        for (const Op *before = b->loop->prev; base && before; before = before->prev) {
            bool same = before->kind == OP_FOR && for_upper(before) == for_upper(b->loop) &&
                        for_step(before) == for_step(b->loop) &&
                        for_lower(before) == for_lower(b->loop);
            for (const Op *in = same ? for_body(before)->first : NULL; in; in = in->next)
                if (in->kind == OP_LOAD && in->parent == for_body(before) &&
                    op_result(in)->type == op_result(op)->type &&
                    facts_base(b->facts, load_pointer(in)) == base)
                    return true;
        }
    }
    return false;
}

/* 0, or up from there, in steps that are known. */
static bool bounds_are_known(const Backwards *b) {
    const Op *loop = b->loop;
    const Type *type = for_index(loop)->type;
    uint64_t lower, by;
    if (loop->num_results || for_unsigned(loop) || type->kind != TYPE_I32) return false;
    if (!value_is_constant(for_lower(loop), &lower) || !value_is_constant(for_step(loop), &by))
        return false;
    return constant_to_int(type, lower) == 0 && constant_to_int(type, by) > 0;
}

static void turn(const Backwards *b) {
    Op *loop = b->loop;
    Region *body = for_body(loop);
    Builder at = {.fn = b->fn, .region = loop->parent, .before = loop, .span = loop->span};
    Value *one = build_int(&at, type_scalar(TYPE_I32), 1);
    Value *least = build_2(&at, OP_SUB, for_upper(loop), one);
    Value *count = build_2(&at, OP_DIV_S, least, for_step(loop));
    Value *last = build_2(&at, OP_MUL, count, for_step(loop));
    at.region = body, at.before = body->first;
    Value *index = build_2(&at, OP_SUB, last, for_index(loop));
    for (Op *op = index->def->next; op; op = op->next)
        for (int i = 0; i < op->num_operands; i++)
            if (op->operands[i] == for_index(loop)) op->operands[i] = index;
}

static bool turn_region(Backwards *b, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) changed |= turn_region(b, op->regions[i]);
        b->loop = op;
        if (op->kind != OP_FOR || !bounds_are_known(b)) continue;
        if (!order_is_free(b) || !reads_again(b)) continue;
        turn(b);
        changed = true;
    }
    return changed;
}

bool pass_backwards(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM) return false;
    func_renumber(fn);
    Backwards b = {.fn = fn, .facts = facts_compute_linear(px->scratch, fn)};
    facts_ask(b.facts, px->needs);
    if (!turn_region(&b, fn->body)) return false;
    func_renumber(fn);
    return true;
}
