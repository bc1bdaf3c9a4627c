// SPDX-License-Identifier: Apache-2.0
/* place_clone: writes a plan into the function. Forwards: an op reads its operands where it is
 * made, its results get their homes as places, and right behind it a `convert` makes them in each
 * other layout in which they are wanted; an op without a home is copied for each layout, the copies
 * side by side. What nobody wants goes. */
#include "opt/gpu/place.h"

typedef VEC(Value *) Versions; /* of a value: one for each layout */

typedef struct Writer {
    Placer *p;
    int planned;        /* ids below are of values that have a plan */
    Versions *versions; /* by their id */
    Map places;         /* Layout -> its Place */
    Span span;          /* of the last op in order that has one */
    int while_depth;
} Writer;

static const Type *placed(Writer *w, const Type *type, const Layout *layout) {
    const Place *place = layout ? map_get_pointer(&w->places, layout) : NULL;
    if (layout && !place) {
        place = place_registers(w->p->fn->types, layout);
        map_set_pointer(&w->places, layout, (void *)(uintptr_t)place);
    }
    return type_placed(w->p->fn->types, type, place);
}

/* The value as it lies in a layout. */
static Value *version(Writer *w, Value *value, const Layout *layout) {
    if (!type_is_tile(value->type) || value->id >= w->planned) return value;
    const Versions *versions = &w->versions[value->id];
    const Type *type = placed(w, value->type, layout);
    for (int i = 0; i < versions->count; i++)
        if (versions->data[i]->type->place == type->place) return versions->data[i];
    BUG("value %d is not made where it is wanted", value->id);
}

static void put_value(Writer *w, const Value *of, Value *made) {
    vec_push(w->p->arena, &w->versions[of->id], made);
}

/* A value where it is made, and converted to where it is wanted besides, in front of `before`. */
static void put_home(Writer *w, Value *value, Region *region, Op *before) {
    const ValuePlan *plan = place_plan(w->p, value);
    const Type *plain = value->type;
    Builder b = {.fn = w->p->fn, .region = region, .before = before, .span = w->span};
    if (!type_is_tile(plain)) return;
    value->type = placed(w, plain, plan->home);
    put_value(w, value, value);
    for (int i = 0; i < plan->wanted.count; i++) {
        if (plan->wanted.data[i] == plan->home) continue;
        const Type *type = placed(w, plain, plan->wanted.data[i]);
        Op *moved = build_op(&b, OP_CONVERT, 1, &value, 1, &type, 0, NULL);
        op_result(moved)->name = value->name;
        put_value(w, value, op_result(moved));
    }
}

/* Operands from `first` on, each as it lies in the home of its counterpart. */
static void read_at_homes(Writer *w, Op *op, int first, int count, Value *const *like) {
    for (int i = 0; i < count; i++)
        op->operands[first + i] =
            version(w, op->operands[first + i], place_plan(w->p, like[i])->home);
}

static void read_operands(Writer *w, Op *op, const Layout *layout) {
    const Layout **layouts = arena_array(w->p->arena, const Layout *, op->num_operands + 1);
    for (int i = 0; i < op->num_operands; i++)
        layouts[i] = place_operand_layout(w->p, op, i, layout);
    for (int i = 0; i < op->num_operands; i++)
        op->operands[i] = version(w, op->operands[i], layouts[i]);
}

/* ---- control flow ---- */

static void write_region(Writer *w, Region *region);

static Value **pointers_to(Writer *w, Op *op) {
    Value **results = arena_array(w->p->arena, Value *, op->num_results + 1);
    for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
    return results;
}

static void put_args(Writer *w, Region *region) {
    Op *first = region->first;
    for (int i = 0; i < region->num_args; i++) put_home(w, region->args[i], region, first);
}

static void put_results(Writer *w, Op *op) {
    Op *next = op->next;
    for (int i = 0; i < op->num_results; i++) put_home(w, &op->results[i], op->parent, next);
}

static void write_if(Writer *w, Op *op) {
    Value **results = pointers_to(w, op);
    for (int r = 0; r < 2; r++) {
        write_region(w, op->regions[r]);
        read_at_homes(w, region_yield(op->regions[r]), 0, op->num_results, results);
    }
    put_results(w, op);
}

static void write_for(Writer *w, Op *op) {
    Region *body = for_body(op);
    read_at_homes(w, op, FOR_BOUNDS, for_count(op), body->args + 1);
    put_args(w, body);
    write_region(w, body);
    read_at_homes(w, region_yield(body), 0, for_count(op), body->args + 1);
    put_results(w, op);
}

static void write_while(Writer *w, Op *op) {
    Region *test = while_test(op), *body = while_body(op);
    read_at_homes(w, op, 0, op->num_operands, test->args);
    w->while_depth++;
    put_args(w, test);
    write_region(w, test);
    read_at_homes(w, region_yield(test), 1, body->num_args, body->args);
    put_args(w, body);
    write_region(w, body);
    read_at_homes(w, region_yield(body), 0, op->num_operands, test->args);
    w->while_depth--;
    put_results(w, op);
}

/* ---- other ops ---- */

/* Results that nobody reads: is the op there for something else? In a `while` a load may be what
 * waits for another program. */
static bool must_stay(const Writer *w, const Op *op) {
    if (op->kind == OP_LOAD) return w->while_depth || load_volatile(op);
    return !op_has_trait(op, PURE);
}

/* One op for each layout, side by side; the first is the op itself. */
static void write_copies(Writer *w, Op *op) {
    Value *result = op_result(op);
    const ValuePlan *plan = place_plan(w->p, result);
    const Type *plain = result->type;
    int count = op->num_operands;
    Value **operands = arena_array(w->p->arena, Value *, count + 1);
    for (int i = 0; i < count; i++) operands[i] = op->operands[i];
    Builder b = {.fn = w->p->fn, .region = op->parent, .before = op->next, .span = op->span};
    for (int i = 0; i < plan->wanted.count; i++) {
        const Layout *layout = plan->wanted.data[i];
        Op *copy = op;
        if (i) {
            copy = build_op(&b, op->kind, count, operands, 1, &plain, 0, NULL);
            memcpy(copy->attrs, op->attrs, sizeof op->attrs);
            op_result(copy)->name = result->name;
        }
        read_operands(w, copy, layout);
        op_result(copy)->type = placed(w, plain, layout);
        put_value(w, result, op_result(copy));
    }
}

/* What the machine is to do; asked of the plan's values, before operands are replaced. */
static void write_attributes(Writer *w, Op *op, const Layout *layout) {
    if (op->kind == OP_DOT) dot_set_unit(op, place_plan(w->p, op_result(op))->unit);
    if (!layout) return;
    if (op->kind == OP_LOAD) load_set_width(op, 1 << place_vector_bits(w->p, op, layout));
    if (op->kind == OP_STORE) store_set_width(op, 1 << place_vector_bits(w->p, op, layout));
    if (op->kind != OP_ATOMIC_RMW) return;
    int most = atomic_most_at_once(op, w->p->arch),
        width = 1 << place_vector_bits(w->p, op, layout);
    if (width > most) width = most;
    if (width > 1) atomic_rmw_set_width(op, width);
}

static void write_op(Writer *w, Op *op) {
    if (op->span.source) w->span = op->span;
    if (op->kind == OP_IF) {
        write_if(w, op);
    } else if (op->kind == OP_FOR) {
        write_for(w, op);
    } else if (op->kind == OP_WHILE) {
        write_while(w, op);
    } else if (op->kind == OP_CONVERT) {
        return; /* of an argument of the region: made here */
    } else if (op->kind == OP_YIELD) {
        return; /* its owner knows */
    } else if (op->num_results && !place_is_wanted(w->p, op) && !must_stay(w, op)) {
        op_remove(op);
    } else if (op->num_results && type_is_tile(op_result(op)->type) &&
               !place_plan(w->p, op_result(op))->home) {
        write_copies(w, op);
    } else {
        const Layout *layout = place_made_in(w->p, op);
        write_attributes(w, op, layout);
        read_operands(w, op, layout);
        put_results(w, op);
    }
}

static void write_region(Writer *w, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next; /* what comes between is made */
        write_op(w, op);
    }
}

void place_write(Placer *p) {
    Writer w = {.p = p, .planned = p->fn->num_values, .places.arena = p->arena};
    w.versions = arena_array(p->arena, Versions, p->fn->num_values);
    write_region(&w, p->fn->body);
}
