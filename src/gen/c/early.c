// SPDX-License-Identifier: Apache-2.0
/* early: sums that a loop makes by a product alone, and that are stored behind it as they are, go
 * to memory by the products of the last turn, not to scratch and from there by a nest:
 *
 *     for k:  c = dot(a, b, c)          homes = rows of c, rows = those of memory, if whole
 *     store(p, c, mask)           ->    for k:  to = last turn ? rows : homes;  to = c + a @ b
 *                                       store of the rows that are not whole, or all without turns
 *
 * A row is whole if the body without masks would store it all. The store happens earlier than it
 * stands: nothing between may read or write memory, and the loop reads none that it writes. */
#include "gen/c/c.h"

static bool reads_or_writes(const Op *op) {
    return op->num_regions > 0 || op_has_trait(op, READS) ||
           (op_has_trait(op, WRITES) && op->kind != OP_ASSUME);
}

static bool may_read(Gen *g, const Op *store, const Op *load) {
    return load_volatile(load) ||
           facts_may_alias(g->known, store_pointer(store), load_pointer(load));
}

/* No access of the loop, or of a load before it that waits, minds when the store happens. */
static bool may_go_early(Gen *g, const Op *loop, const Op *store) {
    for (const Op *op = for_body(loop)->first; op; op = op->next)
        if (op->kind == OP_LOAD ? may_read(g, store, op) : reads_or_writes(op)) return false;
    for (int i = 0; i < g->loads.count; i++)
        if (!is_done(g, g->loads.data[i]) && may_read(g, store, g->loads.data[i])) return false;
    for (const Op *op = loop->next; op != store; op = op->next)
        if (reads_or_writes(op)) return false;
    return true;
}

/* Loads that are taken to be of other memory: each launch is asked. */
static void take_loads_apart(Gen *g, const Op *loop, const Op *store) {
    for (const Op *op = for_body(loop)->first; op; op = op->next)
        if (op->kind == OP_LOAD) take_apart(g, op, store, false);
    for (int i = 0; i < g->loads.count; i++)
        if (!is_done(g, g->loads.data[i])) take_apart(g, g->loads.data[i], store, false);
}

/* Made of what is there before the loop, by scalars and by tiles that are computed where they are
 * read. */
static bool is_known_early(Gen *g, const Op *loop, const Value *value) {
    const Op *op = value->def;
    if (op == loop) return false;
    if (!op || info(g, value)->declared || info(g, value)->view) return true;
    bool is_tile = type_is_tile(value->type),
         known = is_tile ? is_cheap_kind(op) : op_has_trait(op, PURE);
    for (int i = 0; i < op->num_operands && known; i++) {
        Value *x = op->operands[i];
        known = (is_tile || !type_is_tile(x->type)) && is_known_early(g, loop, x);
    }
    return known;
}

static void write_scalars(Gen *g, Value *value) {
    Op *op = value->def;
    if (!op || info(g, value)->declared || info(g, value)->view) return;
    for (int i = 0; i < op->num_operands; i++) write_scalars(g, op->operands[i]);
    if (type_is_tile(value->type) || op->kind == OP_CONSTANT) return;
    scalar_op_write(g, op);
    set_done(g, op);
}

static bool steps_up(const Op *loop) {
    int64_t step;
    return value_is_int(for_step(loop), &step) && step > 0 && !for_unsigned(loop) &&
           type_bits(for_index(loop)->type) < 64;
}

static Op *store_of(Gen *g, const Op *loop, int i) {
    const Value *r = &loop->results[i];
    const Type *type = r->type;
    if (info(g, r)->users.count != 1) return NULL;
    Op *store = info(g, r)->users.data[0];
    if (store->kind != OP_STORE || store_value(store) != r || store->parent != loop->parent ||
        !sums_are_fresh(g, loop, i) || type->rank != 2 || type->shape[0] == 1 ||
        type->shape[1] % g->W || g->bounds || are_threads(g) || !steps_up(loop) ||
        !dot_has_rows(g, info(g, for_arg(loop, i))->users.data[0]))
        return NULL;
    Value *pointer = store_pointer(store), *mask = store_mask(store);
    if (!is_cheap(g, pointer) || (mask && !is_cheap(g, mask)) || !may_go_early(g, loop, store) ||
        !is_known_early(g, loop, pointer) || (mask && !is_known_early(g, loop, mask)))
        return NULL;
    return store;
}

void early_find(Gen *g, const Op *loop) {
    for (int i = 0; i < loop->num_results; i++) {
        Op *store = store_of(g, loop, i);
        if (!store) continue;
        vec_push(g->arena, &g->early, ((Early){.store = store, .loop = loop, .result = i}));
        take_loads_apart(g, loop, store);
    }
}

/* Where the rows go in the last turn, and in others. */
static void tables_write(Gen *g, Early *e, Array *sums) {
    const Type *type = e->loop->results[e->result].type;
    int count = type->shape[0], columns = type->shape[1];
    const Type *of_table = type_tile(g->fn->types, type_scalar(TYPE_I64), 1, &count);
    write_scalars(g, store_pointer(e->store));
    if (store_mask(e->store)) write_scalars(g, store_mask(e->store));
    Array *rows = array_new(g, of_table, true), *homes = array_new(g, of_table, true),
          *to = arena_new_of(g->arena, Array);
    Root root = {
        .op = e->store, .view = view_row_major(g, sums, type), .rows = rows, .only_rows = true};
    if (!nest_write(g, &root, 1)) return;
    *to = (Array){.id = new_id(g), .lane = TYPE_I64, .dedicated = true};
    line(g, &g->decls, 1, "L *a%d = a%d;", to->id, homes->id);
    line(g, g->out, g->depth, "for (int i = 0; i < %d; i++) a%d[i] = (L)(a%d + i * %d);", count,
         homes->id, sums->id, columns);
    e->rows = rows->id, e->homes = homes->id, e->sums = sums, sums->to = to->id;
}

void early_begin(Gen *g, const Op *loop, int i, Array *sums) {
    for (int k = 0; k < g->early.count; k++) {
        Early *e = &g->early.data[k];
        if (e->loop == loop && e->result == i) tables_write(g, e, sums);
    }
}

void early_turn(Gen *g, const Op *loop, Str last) {
    for (int i = 0; i < g->early.count; i++) {
        const Early *e = &g->early.data[i];
        if (e->loop == loop && e->sums)
            line(g, g->out, g->depth, "a%d = %.*s ? a%d : a%d;", e->sums->to, STR_ARG(last),
                 e->rows, e->homes);
    }
}

const Early *early_of(Gen *g, const Op *store) {
    for (int i = 0; i < g->early.count; i++)
        if (g->early.data[i].store == store && g->early.data[i].sums) return &g->early.data[i];
    return NULL;
}

/* A row that the products have stored has another place than its home. */
Str early_remains(Gen *g, const Early *e) {
    return text(g, "fresh%d || a%d[i0] == a%d[i0]", e->sums->fresh, e->rows, e->homes);
}
