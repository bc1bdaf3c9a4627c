// SPDX-License-Identifier: Apache-2.0
/* live: how many registers a thread's parts of tiles take, for the pass `pieces`.
 *
 * Of what is made of loads, products and reductions: what is made of indices alone is made again
 * where it is wanted. A tile lives from the op that makes it to the last that reads it, in the
 * order in which they stand; one that a loop reads lives to the loop's end. */
#include "opt/gpu/pieces.h"

int bytes_a_thread(int threads, const Type *type) {
    int lanes = (type->lanes + threads - 1) / threads;
    return type_is_bool(type) ? 0 : lanes * type_bits(type) / 8;
}

int registers_a_thread(int threads, const Type *type) {
    return (bytes_a_thread(threads, type) + 3) / 4;
}

static int order_of(const Live *l, const Op *op) {
    return (int)(intptr_t)map_get_pointer(l->order, op);
}

/* A value of before a loop that is read in it lives to the loop's end. */
static int read_until(const Live *l, const Value *value, const Op *reader) {
    const Region *home = value->def ? value->def->parent : value->region;
    const Op *at = reader;
    while (at->parent != home && at->parent->owner) at = at->parent->owner;
    if (at == reader) return (int)order_of(l, at);
    return (int)order_of(l, at->next ? at->next : at);
}

static bool note_reads(Op *op, void *user) {
    Live *l = user;
    bool costly = op_has_trait(op, READS) || (op->kind == OP_DOT) || op->num_regions;
    for (int i = 0; i < op->num_operands; i++) {
        const Value *value = op->operands[i];
        int until = read_until(l, value, op);
        if (l->last[value->id] < until) l->last[value->id] = until;
        costly |= l->is_costly[value->id] && type_is_tile(value->type);
    }
    for (int i = 0; i < op->num_results; i++) l->is_costly[op->results[i].id] = costly;
    return true;
}

static bool note_change(Op *op, void *user) {
    Live *l = user;
    for (int i = 0; i < op->num_results; i++) {
        const Value *value = &op->results[i];
        bool counts = l->is_costly[value->id] && type_is_tile(value->type) && l->last[value->id];
        if (!counts || (l->number >= 0 && dims_at(l->dims, value, l->number) < 0)) continue;
        l->change[order_of(l, op)] += bytes_a_thread(l->threads, value->type);
        l->change[l->last[value->id]] -= bytes_a_thread(l->threads, value->type);
    }
    return true;
}

int live_most(Arena *scratch, Func *fn, Live *l) {
    l->is_costly = arena_array(scratch, bool, fn->num_values);
    l->last = arena_array(scratch, int, fn->num_values);
    l->change = arena_array(scratch, int, l->order->count + 2);
    region_walk(fn->body, note_reads, l);
    region_walk(fn->body, note_change, l);
    int live = 0, most = 0;
    for (int i = 1; i <= (int)l->order->count; i++) {
        live += l->change[i];
        if (live > most) most = live;
    }
    return most / 4;
}
