// SPDX-License-Identifier: Apache-2.0
/* combine: the body of a reduce or scan, on vectors where it is straight code, else on scalars. */
#include "gen/c/c.h"

bool region_is_straight(const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->kind == OP_YIELD || op->kind == OP_CONSTANT || op->kind == OP_POISON) continue;
        if (!op_has_trait(op, ELEMENTWISE) || op->num_results != 1) return false;
    }
    return true;
}

Op *region_single_op(const Region *region) {
    Op *op = region->first;
    if (region->num_args != 2 || !op || op->next != region->last || !region->last ||
        region->last->kind != OP_YIELD)
        return NULL;
    if (!op_has_trait(op, COMMUTES) || op->num_operands != 2 ||
        region->last->operands[0] != op_result(op))
        return NULL;
    bool forward = op->operands[0] == region->args[0] && op->operands[1] == region->args[1];
    bool backward = op->operands[1] == region->args[0] && op->operands[0] == region->args[1];
    if (op_result(op)->type != region->args[0]->type) return NULL;
    return forward || backward ? op : NULL;
}

static Str named(Map *names, const Value *value) {
    Str *name = map_get_pointer(names, value);
    if (!name) BUG("a combine region reads a value from outside");
    return *name;
}

static void set_name(Gen *g, Map *names, const Value *value, Str name) {
    Str *copy = arena_new_of(g->arena, Str);
    *copy = name;
    map_set_pointer(names, value, copy);
}

void combine_vector(Gen *g, Buf *out, int depth, const Region *region, const Str *left,
                    const Str *right, Str *results) {
    Map names = {.arena = g->arena};
    int count = region->num_args / 2;
    for (int i = 0; i < count; i++) {
        set_name(g, &names, region->args[i], left[i]);
        set_name(g, &names, region->args[count + i], right[i]);
    }
    for (const Op *op = region->first; op && op->kind != OP_YIELD; op = op->next) {
        TypeKind kind = op->results[0].type->kind;
        Str x[4], value;
        for (int i = 0; i < op->num_operands; i++) x[i] = named(&names, op->operands[i]);
        if (op->kind == OP_CONSTANT || op->kind == OP_POISON)
            value = splat_text(g, kind,
                               constant_text(g, op->results[0].type,
                                             op->kind == OP_CONSTANT ? constant_bits(op) : 0));
        else
            value = op_text(g, op, true, x);
        Str name = text(g, "x%d", new_id(g));
        line(g, out, depth, "%s %.*s = %.*s;", vector_type(kind), STR_ARG(name), STR_ARG(value));
        set_name(g, &names, &op->results[0], name);
    }
    for (int i = 0; i < count; i++) results[i] = named(&names, region->last->operands[i]);
}

void combine_scalar(Gen *g, Buf *out, int depth, Region *region, const Str *left, const Str *right,
                    const Str *results) {
    int count = region->num_args / 2;
    Buf *saved = g->out;
    int saved_depth = g->depth, blocks = g->blocks.count;
    g->out = out, g->depth = depth;
    for (int i = 0; i < 2 * count; i++) {
        Value *arg = region->args[i];
        Str from = i < count ? left[i] : right[i - count];
        line(g, out, depth, "%s v%d = %.*s;", scalar_type(arg->type->kind), arg->id, STR_ARG(from));
        info(g, arg)->declared = true;
    }
    region_write(g, region);
    for (int i = 0; i < count; i++) {
        Str value = scalar_name(g, region->last->operands[i]);
        line(g, out, depth, "%.*s = %.*s;", STR_ARG(results[i]), STR_ARG(value));
    }
    g->out = saved, g->depth = saved_depth;
    g->blocks.count = blocks; /* an if of this region is not where they say */
}
