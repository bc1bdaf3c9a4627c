// SPDX-License-Identifier: Apache-2.0
/* control: if, for and while. Carried scalars are C variables; carried tiles live in arrays. At the
 * end of an iteration the array of the next value and that of the carried one change places. */
#include "gen/c/c.h"

static bool is_inside(const Region *region, const Op *owner) {
    for (; region && region->owner; region = region->owner->parent)
        if (region->owner == owner) return true;
    return false;
}

static void force_leaves(Gen *g, Value *value) {
    if (!type_is_tile(value->type) || info(g, value)->view || is_cheap(g, value)) return;
    if (is_cheap_kind(value->def) || value->def->kind == OP_TRANS)
        for (int i = 0; i < value->def->num_operands; i++) force_leaves(g, value->def->operands[i]);
    if (!is_cheap(g, value)) force(g, value);
}

typedef struct Inside {
    Gen *g;
    Op *owner;
} Inside;

static bool force_operands(Op *op, void *user) {
    Inside *in = user;
    for (int i = 0; i < op->num_operands; i++) {
        Value *value = op->operands[i];
        if (!type_is_tile(value->type) || !value->def || is_inside(value->def->parent, in->owner))
            continue;
        force_leaves(in->g, value);
    }
    if (op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS)
        before_write(in->g, op);
    return true;
}

/* What regions read from outside is stored before them; so are loads that they would disturb. */
static void force_used_inside(Gen *g, Op *op) {
    Inside in = {g, op};
    for (int i = 0; i < op->num_regions; i++) region_walk(op->regions[i], force_operands, &in);
}

static void store_into_view(Gen *g, Value *value, View *view) {
    Root root = {.value = value, .view = view};
    nest_write(g, &root, 1);
}

static View *new_home(Gen *g, const Value *value) {
    return view_row_major(g, array_new(g, value->type, true), value->type);
}

static View *held_home(Gen *g, const Value *value) {
    Array *array = array_held(g, value->type);
    return array ? view_row_major(g, array, value->type) : new_home(g, value);
}

/* What is written up to end_block may become a function. */
static int begin_block(Gen *g, BlockKind kind) {
    vec_push(g->arena, &g->blocks, (Block){kind, (int)g->out->length, 0});
    return g->blocks.count - 1;
}

static void end_block(Gen *g, int block) { g->blocks.data[block].end = (int)g->out->length; }

/* ---- if ---- */

static void if_write(Gen *g, Op *op) {
    Str condition = scalar_name(g, if_condition(op));
    View **homes = arena_array(g->arena, View *, op->num_results + 1);
    for (int i = 0; i < op->num_results; i++) {
        Value *r = &op->results[i];
        if (type_is_tile(r->type))
            homes[i] = new_home(g, r);
        else
            declare_scalar(g, r, STR("0"));
    }
    int block = begin_block(g, BLOCK_IF);
    line(g, g->out, g->depth, "if (%.*s) {", STR_ARG(condition));
    for (int k = 0; k < 2; k++) {
        Region *region = op->regions[k];
        int from = g->arrays.count;
        if (k == 1) line(g, g->out, g->depth, "} else {");
        g->depth++;
        region_write(g, region);
        for (int i = 0; i < op->num_results && region->last && !diag_failed(g->diag); i++) {
            Value *value = region->last->operands[i];
            if (homes[i]) {
                store_into_view(g, value, homes[i]);
                continue;
            }
            Str name = scalar_name(g, value);
            line(g, g->out, g->depth, "v%d = %.*s;", op->results[i].id, STR_ARG(name));
        }
        region_end(g, region, from);
        g->depth--;
    }
    line(g, g->out, g->depth, "}");
    end_block(g, block);
    for (int i = 0; i < op->num_results; i++)
        if (homes[i]) value_store_in(g, &op->results[i], homes[i]);
}

/* ---- for ---- */

/* Gives the carried tiles their next values. */
static void carry_tiles(Gen *g, Region *region, int arrays_from) {
    Op *yield = region->last;
    int count = yield->num_operands;
    Array **next = arena_array(g->arena, Array *, count + 1);
    for (int i = 0; i < count; i++) {
        Value *value = yield->operands[i], *arg = region->args[1 + i];
        if (!type_is_tile(value->type) || value == arg) continue;
        Array *home = info(g, arg)->view->array;
        if (!info(g, value)->view && value->def && value->def->parent == region) force(g, value);
        View *view = info(g, value)->view;
        if (view && view->array == home && view_is_row_major(view, value->type))
            continue; /* made in place */
        bool fresh = view && view->array->dedicated && view_is_row_major(view, value->type);
        bool own = false;
        for (int k = arrays_from; k < g->arrays.count; k++)
            own = own || (view && g->arrays.data[k] == view->array);
        for (int k = 0; k < i; k++) own = own && next[k] != view->array;
        if (fresh && own) {
            next[i] = view->array;
            continue;
        }
        View *copy = new_home(g, value);
        store_into_view(g, value, copy);
        next[i] = copy->array;
    }
    for (int i = 0; i < count; i++) {
        if (!next[i]) continue;
        int a = info(g, region->args[1 + i])->view->array->id, b = next[i]->id;
        const char *type = array_type(next[i]->lane);
        line(g, g->out, g->depth, "{ %s *t = a%d; a%d = a%d; a%d = t; }", type, a, a, b, b);
    }
}

static void carry_scalars(Gen *g, Region *region, int first_arg) {
    Op *yield = region->last;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < yield->num_operands; i++) {
            Value *value = yield->operands[i], *arg = region->args[first_arg + i];
            if (type_is_tile(value->type) || value == arg) continue;
            Str name = scalar_name(g, value);
            if (pass == 0)
                line(g, g->out, g->depth, "%s n%d = %.*s;", scalar_type(value->type->kind), arg->id,
                     STR_ARG(name));
            else
                line(g, g->out, g->depth, "v%d = n%d;", arg->id, arg->id);
        }
}

static void for_header(Gen *g, Op *op, const Value *index) {
    Str lower = scalar_name(g, for_lower(op)), upper = scalar_name(g, for_upper(op)),
        step = scalar_name(g, for_step(op));
    bool is_unsigned = for_unsigned(op);
    int64_t known;
    if (!value_is_int(for_step(op), &known))
        line(g, g->out, g->depth, "if (%.*s == 0) return R->fail(R, KERNEL_STEP, %d);",
             STR_ARG(step), op_line(op));
    /* The counter is wider than the index, so that it passes the bound instead of wrapping. */
    const char *wide = is_unsigned ? "unsigned __int128" : "__int128",
               *narrow = is_unsigned ? "UL" : "L";
    if (type_bits(index->type) < 64) wide = "L";
    const char *part =
        is_unsigned ? text(g, "(%s)", unsigned_type(type_bits(index->type))).data : "";
    int id = index->id;
    Str more = is_unsigned
                   ? text(g, "k%d < e%d", id, id)
                   : text(g, "%.*s > 0 ? k%d < e%d : k%d > e%d", STR_ARG(step), id, id, id, id);
    line(g, g->out, g->depth, "for (%s k%d = (%s)%s%.*s, e%d = (%s)%s%.*s; %.*s; k%d += %s%.*s) {",
         wide, id, type_bits(index->type) < 64 ? "L" : narrow, part, STR_ARG(lower), id,
         type_bits(index->type) < 64 ? "L" : narrow, part, STR_ARG(upper), STR_ARG(more), id, part,
         STR_ARG(step));
    line(g, g->out, g->depth + 1, "%s v%d = (%s)k%d;", scalar_type(index->type->kind), id,
         scalar_type(index->type->kind), id);
}

static void for_write(Gen *g, Op *op) {
    Region *region = for_body(op);
    for (int i = 0; i < op->num_results; i++) {
        Value *arg = for_arg(op, i), *init = for_init(op, i);
        if (!type_is_tile(arg->type)) {
            declare_scalar(g, arg, scalar_name(g, init));
            continue;
        }
        View *home = new_home(g, arg);
        if (sums_are_fresh(g, op, i)) {
            home->array->fresh = new_id(g);
            line(g, &g->decls, 1, "int fresh%d;", home->array->fresh);
            line(g, g->out, g->depth, "fresh%d = 1;", home->array->fresh);
            early_begin(g, op, i, home->array);
        } else
            store_into_view(g, init, home);
        value_store_in(g, arg, home);
    }
    int block = begin_block(g, BLOCK_LOOP);
    for_header(g, op, for_index(op));
    int from = g->arrays.count, gathered = g->gathered.count;
    g->depth++;
    int index = for_index(op)->id;
    early_turn(g, op,
               text(g, "k%d + %.*s >= e%d", index, STR_ARG(scalar_name(g, for_step(op))), index));
    region_write(g, region);
    if (!diag_failed(g->diag)) {
        carry_tiles(g, region, from);
        carry_scalars(g, region, 1);
    }
    region_end(g, region, from);
    g->depth--;
    line(g, g->out, g->depth, "}");
    end_block(g, block);
    gathered_write(g, gathered);
    for (int i = 0; i < op->num_results; i++) {
        Value *r = &op->results[i], *arg = for_arg(op, i);
        if (type_is_tile(r->type))
            value_store_in(g, r, info(g, arg)->view);
        else
            declare_scalar(g, r, scalar_name(g, arg));
    }
}

/* ---- while ---- */

static bool touches_others(Op *op, void *user) {
    (void)user;
    if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS) return false;
    return op->kind != OP_LOAD || !load_volatile(op);
}

/* Stores values into homes that none of them reads, those of one shape in one nest. */
static void store_together(Gen *g, Root *roots, int count) {
    while (count > 0) {
        int now = 1;
        for (int i = 1; i < count; i++) {
            if (!type_same_shape(roots[0].value->type, roots[i].value->type)) continue;
            Root root = roots[i];
            roots[i] = roots[now];
            roots[now++] = root;
        }
        nest_write(g, roots, now);
        roots += now, count -= now;
    }
}

/* Tiles that `region` gives go to the homes of `to`. What only passes through it, which nobody
 * reads in its old place, changes places with what was there, in memory. */
static void pass_tiles(Gen *g, const Region *region, Value *const *values, Value *const *to,
                       int count) {
    Root *roots = arena_array(g->arena, Root, count + 1);
    const Array **from = arena_array(g->arena, const Array *, count + 1);
    int num_roots = 0;
    for (int i = 0; i < count; i++) {
        Value *value = values[i];
        if (!type_is_tile(value->type)) continue;
        bool swaps = value->region == region && value->type == to[i]->type;
        for (int k = 0; k < i && swaps; k++) swaps = values[k] != value;
        swaps = swaps && !info(g, to[i])->view->array->held && !info(g, value)->view->array->held;
        if (swaps)
            from[i] = info(g, value)->view->array;
        else
            roots[num_roots++] = (Root){.value = value, .view = info(g, to[i])->view};
    }
    store_together(g, roots, num_roots);
    for (int i = 0; i < count; i++) {
        if (!from[i]) continue;
        int a = info(g, to[i])->view->array->id, b = from[i]->id;
        line(g, g->out, g->depth, "{ %s *t = a%d; a%d = a%d; a%d = t; }", array_type(from[i]->lane),
             a, a, b, b);
    }
}

static void pass_scalars(Gen *g, Value *const *values, Value *const *to, int count) {
    for (int i = 0; i < count; i++) {
        if (type_is_tile(values[i]->type)) continue;
        Str name = scalar_name(g, values[i]);
        line(g, g->out, g->depth, "v%d = %.*s;", to[i]->id, STR_ARG(name));
    }
}

static void while_write(Gen *g, Op *op) {
    Region *test = while_test(op), *body = while_body(op);
    for (int i = 0; i < test->num_args; i++) {
        Value *arg = test->args[i];
        if (!type_is_tile(arg->type)) {
            declare_scalar(g, arg, scalar_name(g, while_init(op, i)));
            continue;
        }
        View *home = held_home(g, arg);
        store_into_view(g, while_init(op, i), home);
        value_store_in(g, arg, home);
    }
    for (int i = 0; i < op->num_results; i++) {
        Value *r = &op->results[i];
        if (!type_is_tile(r->type)) {
            declare_scalar(g, r, STR("0"));
            continue;
        }
        View *home = held_home(g, r);
        value_store_in(g, r, home);
        if (i < body->num_args) value_store_in(g, body->args[i], home);
    }
    bool spins =
        !region_walk(test, touches_others, NULL) || !region_walk(body, touches_others, NULL);
    if (spins) g->facts->may_spin = true;
    int turn = new_id(g);
    int block = begin_block(g, BLOCK_LOOP);
    if (spins) line(g, g->out, g->depth, "int turn%d = 0;", turn);
    line(g, g->out, g->depth, "for (;;) {");
    g->depth++;
    if (spins)
        line(g, g->out, g->depth, "if (turn%d++ && R->yield(R)) return 1;", turn);
    else
        line(g, g->out, g->depth, "if (*R->stop) return 1;");
    int from = g->arrays.count;
    region_write(g, test);
    if (!diag_failed(g->diag)) {
        Value **passed = region_yield(test)->operands + 1;
        Value **results = arena_array(g->arena, Value *, op->num_results + 1);
        for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
        pass_tiles(g, test, passed, results, op->num_results);
        pass_scalars(g, passed, results, op->num_results);
        Str condition = scalar_name(g, while_condition(op));
        line(g, g->out, g->depth, "if (!%.*s) break;", STR_ARG(condition));
    }
    for (int i = 0; i < body->num_args; i++)
        if (!type_is_tile(body->args[i]->type))
            declare_scalar(g, body->args[i], text(g, "v%d", op->results[i].id));
    region_end(g, test, from);
    region_write(g, body);
    if (!diag_failed(g->diag)) {
        Value **next = region_yield(body)->operands;
        pass_tiles(g, body, next, test->args, test->num_args);
        pass_scalars(g, next, test->args, test->num_args);
    }
    region_end(g, body, from);
    g->depth--;
    line(g, g->out, g->depth, "}");
    end_block(g, block);
}

void control_write(Gen *g, Op *op) {
    for (int i = 0; i < op->num_operands; i++) force_leaves(g, op->operands[i]);
    force_used_inside(g, op);
    if (op->kind == OP_FOR) early_find(g, op);
    if (op->kind == OP_IF)
        if_write(g, op);
    else if (op->kind == OP_FOR)
        for_write(g, op);
    else
        while_write(g, op);
}
