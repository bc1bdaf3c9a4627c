// SPDX-License-Identifier: Apache-2.0
/* dims: which dimensions of which tiles go together, lane by lane, for the pass `pieces`.
 *
 *     %i = arange                      0 of %i
 *     %c = expand_dims %i {axis = 0}   is 1 of %c
 *     %t = broadcast %c                and 1 of %t,
 *     %s = fadd %t, %u                 of %u and of %s;
 *     %m = reduce %s {axis = 0}        and 0 of %m
 *
 * Sets of (value, dimension), united op by op. What is not known to go lane by lane stays whole:
 * tiles that loops or branches carry, a reduction whose lanes must meet in order, lanes that change
 * places, and dimensions that a tile has twice. */
#include "ir/trips.h"
#include "opt/gpu/pieces.h"

struct Dims {
    int num_values;
    int *parent; /* of value id * MAX_RANK + dimension */
    bool *stays; /* of roots */
};

static int find(const Dims *d, int node) {
    while (d->parent[node] != node) node = d->parent[node] = d->parent[d->parent[node]];
    return node;
}

static void unite(Dims *d, int a, int b) {
    a = find(d, a), b = find(d, b);
    d->parent[b] = a;
    d->stays[a] |= d->stays[b];
}

static int node_of(const Value *value, int dim) { return value->id * MAX_RANK + dim; }

int dims_of(const Dims *d, const Value *value, int dim) {
    bool known = value->id < d->num_values && dim < value->type->rank;
    return known && value->type->shape[dim] > 1 ? find(d, node_of(value, dim)) : -1;
}

/* Some op needs all of it at once, or takes two of them crosswise. */
static bool stays(const Dims *d, int number) { return d->stays[find(d, number)]; }

int dims_at(const Dims *d, const Value *value, int number) {
    for (int i = 0; i < value->type->rank; i++)
        if (dims_of(d, value, i) == number) return i;
    return -1;
}

bool dims_touch(const Dims *d, const Op *op, int number) {
    for (int i = 0; i < op->num_operands; i++)
        if (dims_at(d, op->operands[i], number) >= 0) return true;
    for (int i = 0; i < op->num_results; i++)
        if (dims_at(d, &op->results[i], number) >= 0) return true;
    return false;
}

static void keep_dim(Dims *d, const Value *value, int dim) {
    d->stays[find(d, node_of(value, dim))] = true;
}

static void keep_value(Dims *d, const Value *value) {
    for (int i = 0; i < value->type->rank; i++) keep_dim(d, value, i);
}

static void keep_op(Dims *d, const Op *op) {
    for (int i = 0; i < op->num_operands; i++) keep_value(d, op->operands[i]);
    for (int i = 0; i < op->num_results; i++) keep_value(d, &op->results[i]);
}

/* The same dimensions in both; those of one lane go with any. */
static void tie(Dims *d, const Value *a, int dim_a, const Value *b, int dim_b) {
    if (a->type->shape[dim_a] == b->type->shape[dim_b])
        unite(d, node_of(a, dim_a), node_of(b, dim_b));
}

static void tie_lanes(Dims *d, const Op *op) {
    const Value *first = NULL;
    for (int i = 0; i < op->num_operands + op->num_results; i++) {
        const Value *value =
            i < op->num_operands ? op->operands[i] : &op->results[i - op->num_operands];
        if (!type_is_tile(value->type)) continue;
        for (int k = 0; first && k < value->type->rank; k++) tie(d, first, k, value, k);
        if (!first) first = value;
    }
}

/* All dimensions but one, which only `with` has. */
static void tie_without(Dims *d, const Value *with, int axis, const Value *without) {
    for (int i = 0; i < without->type->rank; i++) tie(d, with, i + (i >= axis), without, i);
}

/* Of dimensions of one lane alone there are more or fewer. */
static void tie_reshaped(Dims *d, const Op *op) {
    const Value *a = op->operands[0], *b = op_result(op);
    int i = 0, k = 0;
    for (;;) {
        while (i < a->type->rank && a->type->shape[i] == 1) i++;
        while (k < b->type->rank && b->type->shape[k] == 1) k++;
        bool ends = i == a->type->rank || k == b->type->rank;
        if (ends || a->type->shape[i] != b->type->shape[k]) break;
        tie(d, a, i++, b, k++);
    }
    for (; i < a->type->rank; i++) keep_dim(d, a, i);
    for (; k < b->type->rank; k++) keep_dim(d, b, k);
}

/* Can its combination be made of tiles, lane by lane? */
static bool is_lane_by_lane(const Op *reduce) {
    const Region *region = reduce->regions[0];
    for (const Op *op = region->first; op != region->last; op = op->next)
        if (op->kind != OP_CONSTANT && !op_has_trait(op, ELEMENTWISE)) return false;
    return true;
}

static void tie_reduced(Dims *d, const Op *op) {
    int axis = (int)reduce_axis(op);
    for (int i = 0; i < op->num_operands; i++) {
        for (int k = 0; k < op->operands[0]->type->rank; k++)
            tie(d, op->operands[0], k, op->operands[i], k);
        if (type_is_tile(op->results[i].type))
            tie_without(d, op->operands[i], axis, &op->results[i]);
    }
    if (!is_lane_by_lane(op) || !reduce_commutes(op)) keep_dim(d, op->operands[0], axis);
}

/* Pieces along its axis go in order (scans.c). */
static void tie_scanned(Dims *d, const Op *op) {
    tie_lanes(d, op);
    if (!is_lane_by_lane(op)) keep_dim(d, op->operands[0], (int)scan_axis(op));
}

static void tie_transposed(Dims *d, const Op *op) {
    Ints order = trans_order(op);
    for (int i = 0; i < order.count; i++)
        tie(d, op_result(op), i, op->operands[0], (int)order.data[i]);
}

static bool is_access(const Op *op) {
    return op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW;
}

static void tie_op(Dims *d, const Op *op) {
    bool is_leaf = op->kind == OP_ARANGE || op->kind == OP_CONSTANT || op->kind == OP_POISON;
    if (is_leaf || op->kind == OP_SPLAT) return;
    if (op_has_trait(op, ELEMENTWISE) || is_access(op) || op->kind == OP_HINT ||
        op->kind == OP_BROADCAST)
        tie_lanes(d, op);
    else if (op->kind == OP_EXPAND_DIMS)
        tie_without(d, op_result(op), (int)expand_dims_axis(op), op->operands[0]);
    else if (op->kind == OP_TRANS)
        tie_transposed(d, op);
    else if (op->kind == OP_RESHAPE)
        tie_reshaped(d, op);
    else if (op->kind == OP_REDUCE)
        tie_reduced(d, op);
    else if (op->kind == OP_SCAN)
        tie_scanned(d, op);
    else
        keep_op(d, op);
    if (op->kind == OP_LOAD && (load_volatile(op) || load_cache(op) == CACHE_CV)) keep_op(d, op);
}

static void visit(Dims *d, const Region *region, bool by_scalars) {
    for (int i = 0; i < region->num_args; i++) keep_value(d, region->args[i]);
    for (const Op *op = region->first; op; op = op->next) {
        if (!by_scalars) tie_op(d, op);
        for (int i = 0; i < op->num_regions; i++)
            visit(d, op->regions[i], op_has_trait(op, ISOLATED));
    }
}

static void keep_crossed(Dims *d, const Value *value) {
    for (int i = 0; i < value->type->rank; i++)
        for (int k = 0; k < i; k++)
            if (dims_of(d, value, i) >= 0 && dims_of(d, value, i) == dims_of(d, value, k))
                keep_dim(d, value, i);
}

static void visit_crossed(Dims *d, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_results; i++) keep_crossed(d, &op->results[i]);
        for (int i = 0; i < op->num_regions; i++) visit_crossed(d, op->regions[i]);
    }
}

Dims *dims_find(Arena *arena, const Func *fn) {
    Dims *d = arena_new_of(arena, Dims);
    int count = fn->num_values * MAX_RANK;
    d->num_values = fn->num_values;
    d->parent = arena_array(arena, int, count);
    d->stays = arena_array(arena, bool, count);
    for (int i = 0; i < count; i++) d->parent[i] = i;
    visit(d, fn->body, false);
    visit_crossed(d, fn->body);
    return d;
}

typedef struct Free {
    Arena *arena;
    const Dims *dims;
    DimNumbers numbers;
} Free;

static bool note_free(Op *op, void *user) {
    Free *f = user;
    for (int i = 0; i < op->num_results; i++)
        for (int k = 0; k < op->results[i].type->rank; k++) {
            int number = dims_of(f->dims, &op->results[i], k);
            bool is_known = number < 0 || stays(f->dims, number);
            for (int n = 0; n < f->numbers.count; n++) is_known |= f->numbers.data[n] == number;
            if (!is_known) vec_push(f->arena, &f->numbers, number);
        }
    return true;
}

DimNumbers dims_free(Arena *arena, const Dims *dims, const Func *fn) {
    Free f = {.arena = arena, .dims = dims};
    region_walk(fn->body, note_free, &f);
    return f.numbers;
}

/* ---- what has one ---- */

bool dims_end_at(const Dims *dims, const Op *op, int number) {
    if (op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW) return true;
    return op->kind == OP_REDUCE && dims_at(dims, op->operands[0], number) == (int)reduce_axis(op);
}

static bool look_at_cut(Op *op, void *user) {
    Cut *c = user;
    const Dims *dims = c->dims;
    if (!dims_touch(dims, op, c->number)) return true;
    for (int i = 0; i < op->num_operands + op->num_results; i++) {
        const Value *value =
            i < op->num_operands ? op->operands[i] : &op->results[i - op->num_operands];
        int dim = dims_at(dims, value, c->number);
        if (dim < 0) continue;
        c->size = value->type->shape[dim];
        c->fast |= dim == value->type->rank - 1 && value->type->rank > 1;
        c->of_rows |= dim < value->type->rank - 1;
        if (value->type->lanes > c->lanes) c->lanes = value->type->lanes;
    }
    if (op->kind == OP_LOAD && type_size_bytes(op_result(op)->type) < c->least_bytes)
        c->least_bytes = type_size_bytes(op_result(op)->type);
    if (op->kind == OP_ATOMIC_RMW && value_is_used(c->fn, op_result(op))) c->fits = false;
    bool ends = dims_end_at(dims, op, c->number);
    c->reduced |= (ends && op->kind == OP_REDUCE) || scan_is_along(dims, op, c->number);
    c->scanned |= op->kind == OP_SCAN;
    c->fits = c->fits && (ends || op->kind == OP_LOAD || op_has_trait(op, PURE));
    return true;
}

Cut dims_cut(const Dims *dims, const Func *fn, int number) {
    Cut cut = {.fn = fn, .dims = dims, .number = number, .least_bytes = 8, .fits = true};
    region_walk(fn->body, look_at_cut, &cut);
    if (cut.least_bytes < 2) cut.least_bytes = 2;
    return cut;
}
