// SPDX-License-Identifier: Apache-2.0
/* spread_memory: loads, stores and atomics of threads under masks; their memory; barriers.
 *
 * A load through one address is one load, made if a thread is there to make it; so is a store of
 * one value. Of an atomic each thread has its turn. Memory of a thread becomes a part of the
 * block's.
 *
 * A barrier in lockstep is nothing: all threads that come to it come together. What is left to find
 * is a barrier that not all come to, which on a GPU never ends, or pairs with another one. A thread
 * that returned is not waited for, so it is found at the barrier to which one comes that was not at
 * an earlier one:
 *
 *     if (t < 16) __syncthreads();      threads 16.. miss it
 *     __syncthreads();                  and come to this one: an error */
#include "opt/spread.h"

/* ---- accesses ---- */

static bool is_uniform_access(const Spread *s, const Op *op) {
    if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS) return s->lanes == 1;
    for (int i = 0; i < op->num_operands; i++)
        if (s->varying[op->operands[i]->id]) return false;
    return true;
}

static Value *access_operand(Spread *s, const Value *old, bool uniform) {
    return uniform ? s->now[old->id] : spread_tile(s, s->now[old->id]);
}

/* The op's own mask and that of where it stands. */
static Value *access_lanes(Spread *s, const Op *op, Mask mask, bool uniform) {
    Value *here = mask.lanes;
    if (uniform) here = here && !mask.is_some ? spread_any(s, here) : NULL;
    const Value *own = access_mask(op);
    if (!own) return here;
    Value *lanes = access_operand(s, own, uniform);
    return here ? build_2(&s->b, OP_AND, here, lanes) : lanes;
}

void spread_memory(Spread *s, const Op *op, Mask mask) {
    bool uniform = is_uniform_access(s, op);
    Value *operands[5], *lanes = access_lanes(s, op, mask, uniform);
    const Value *before[] = {access_pointer(op),
                             op->kind == OP_ATOMIC_CAS ? atomic_cas_compare(op) : NULL,
                             access_value(op)};
    int count = 0;
    for (int i = 0; i < COUNT(before); i++)
        if (before[i]) operands[count++] = access_operand(s, before[i], uniform);
    if (lanes) operands[count++] = lanes;
    if (access_other(op)) operands[count++] = access_operand(s, access_other(op), uniform);
    const Type *type = op->num_results ? op_result(op)->type : NULL;
    if (type && !uniform) type = spread_type(s, type);
    Op *made = build_op(&s->b, op->kind, count, operands, op->num_results, &type, 0, NULL);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    if (op->kind == OP_LOAD) load_set_width(made, 0); /* lanes are threads now */
    if (op->kind == OP_STORE) store_set_width(made, 0);
    if (!type) return;
    op_result(made)->name = op_result(op)->name;
    s->now[op_result(op)->id] = op_result(made);
}

/* ---- memory ---- */

static Value *new_memory(Builder *b, const Type *type, int64_t bytes, int64_t align) {
    Op *op = build_op(b, OP_ALLOC, 0, NULL, 1, &type, 0, NULL);
    alloc_set_space(op, ALLOC_SHARED);
    alloc_set_bytes(op, bytes);
    alloc_set_align(op, align);
    return op_result(op);
}

/* Memory of a thread: one part after the other, each aligned. */
void spread_alloc(Spread *s, const Op *op) {
    const Value *old = op_result(op);
    int64_t unit = type_size_bytes(old->type->elem), align = alloc_align(op), bytes;
    bool is_own = alloc_space(op) == ALLOC_LOCAL && s->lanes > 1;
    if (align < unit) align = unit;
    bytes = (alloc_bytes(op) + align - 1) / align * align;
    if (is_own && bytes * s->lanes > MAX_ALLOC_BYTES) {
        diag_refused(s->px->diag, op->span,
                     "%lld bytes of memory for each of %d threads, on a target without threads: %d "
                     "in all there may be",
                     (long long)alloc_bytes(op), func_threads(s->fn), MAX_ALLOC_BYTES);
        return;
    }
    Value *memory =
        new_memory(&s->b, old->type, is_own ? bytes * s->lanes : alloc_bytes(op), alloc_align(op));
    memory->name = old->name;
    s->now[old->id] = memory;
    if (!is_own) return;
    Value *part = build_int(&s->b, s->lane->type, bytes / unit);
    Value *offset = build_2(&s->b, OP_MUL, s->lane, part);
    s->now[old->id] = build_addptr(&s->b, spread_tile(s, memory), offset);
}

/* ---- barriers ---- */

/* A byte of each thread: it missed a barrier. Made when the first barrier is found that some may
 * miss, at the top of the function. */
static Value *missed_bytes(Spread *s) {
    if (s->missed) return s->missed;
    const Type *byte = type_scalar(TYPE_I8);
    Builder here = s->b;
    s->b = (Builder){
        .fn = s->fn, .region = s->top_last->parent, .before = s->top_last->next, .span = here.span};
    Value *memory = new_memory(&s->b, type_ptr(s->fn->types, byte), s->lanes, 1);
    s->missed = build_addptr(&s->b, spread_tile(s, memory), s->lane);
    build_store(&s->b, s->missed, build_int(&s->b, spread_type(s, byte), 0), NULL);
    s->b = here;
    return s->missed;
}

/* Of those in `lanes`, NULL: of all, nobody missed one before. */
static void build_check(Spread *s, Builder *b, Value *lanes) {
    Value *missed = build_load(b, s->missed, lanes, NULL);
    Value *fine = build_icmp(b, ICMP_EQ, missed, build_int(b, missed->type, 0));
    Op *op = build_op(b, OP_ASSERT, lanes ? 2 : 1, (Value *[]){fine, lanes}, 0, NULL, 0, NULL);
    assert_set_text(op,
                    STR("a barrier is not reached by all threads of the block: this thread was not "
                        "at an earlier one, where others waited"));
}

void spread_barrier(Spread *s, Mask mask) {
    Builder *b = &s->b;
    if (!mask.is_living) {
        Value *missed = missed_bytes(s);
        build_check(s, b, mask.lanes);
        Value *absent = build_2(b, OP_XOR, mask.lanes, build_int(b, mask.lanes->type, 1));
        if (s->living) absent = build_2(b, OP_AND, absent, s->living);
        build_store(b, missed, build_int(b, spread_type(s, type_scalar(TYPE_I8)), 1), absent);
    }
    Op *made = build_op(b, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    if (mask.is_living) vec_push(s->px->scratch, &s->barriers, made);
}

/* Where some barrier may be missed, those that all living threads come to are looked at, too. */
void spread_barriers_end(Spread *s) {
    for (int i = 0; s->missed && i < s->barriers.count; i++) {
        Op *op = s->barriers.data[i];
        Builder b = {.fn = s->fn, .region = op->parent, .before = op, .span = op->span};
        build_check(s, &b, s->living);
    }
}
