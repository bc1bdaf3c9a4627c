// SPDX-License-Identifier: Apache-2.0
/* scaled: the most of what is scaled by one number is the most of the rest, scaled.
 *
 *     %s = fmul %x, 0.18                   %h = reduce %x {max}
 *     %m = reduce %s {max}          ->     %m = fmul %h, 0.18
 *
 * Rounding keeps the order, so both give the same bits, and a NaN is left out by either; not where
 * the number is 0, infinite or negative. Where nobody else reads the products, as in attention
 * whose exponents are contracted, a thread has one multiplication less for each score. In loops
 * with products, where it computes what they wait for.
 *
 * Of a number that only a launch knows, each launch is asked (opt/needs.c): a branch in the loop
 * was right as PTX, but ptxas 13.0 gave the registers of A to others while it was still read. */
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

#include <math.h>

static bool is_positive(PassCtx *px, const Value *value) {
    uint64_t bits;
    if (value_is_constant(value, &bits)) {
        float number = (float)constant_to_double(type_lane(value->type), bits);
        return number > 0 && number < INFINITY;
    }
    const Op *op = value->def;
    return px->maps && px->needs && op && op->kind == OP_SPLAT &&
           needs_add_positive(px->needs, op->operands[0]);
}

/* The multiplication whose most it is; *at: which operand the number is. */
static Op *product_of(PassCtx *px, const Func *fn, const Op *op, int *at) {
    enum { LEAST = 16 }; /* multiplications of a thread */
    bool fits = op->kind == OP_REDUCE && op->num_operands == 1 && op->num_trips == 0;
    if (!fits || type_lane(op->operands[0]->type)->kind != TYPE_F32) return NULL;
    const Op *both = region_yield(op->regions[0])->operands[0]->def;
    Op *product = op->operands[0]->def;
    if (!both || both->kind != OP_FMAX || both->prev || fmax_nan(both)) return NULL;
    if (!product || product->kind != OP_FMUL || product->parent != op->parent) return NULL;
    const Layout *layout = type_layout(op->operands[0]->type);
    if (!layout || layout_regs(layout) < LEAST) return NULL;
    if (!value_is_used_once(fn, op_result(product)) || !type_is_tile(op_result(op)->type))
        return NULL;
    for (*at = 0; *at < 2; ++*at)
        if (is_positive(px, product->operands[*at])) return product;
    return NULL;
}

/* The number in each lane of the rows. */
static Value *number_of(Builder *b, const Value *value, const Type *type) {
    uint64_t bits;
    if (value_is_constant(value, &bits)) return build_constant_bits(b, type, bits);
    return op_result(build_op(b, OP_SPLAT, 1, value->def->operands, 1, &type, 0, NULL));
}

static void write(Func *fn, Op *op, const Op *product, int at) {
    Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
    Map rest = {.arena = fn->arena};
    map_set_pointer(&rest, op_result(product), product->operands[1 - at]);
    Value *most = op_result(op_clone(&b, op, &rest));
    most = build_2(&b, OP_FMUL, most, number_of(&b, product->operands[at], most->type));
    most->name = op_result(op)->name;
    op_result(op)->replaced = most;
    op_remove(op);
}

static bool has_product(const Region *region) {
    for (const Op *op = region->first; op; op = op->next)
        if (op->kind == OP_DOT) return true;
    return false;
}

static bool scale_region(PassCtx *px, Func *fn, Region *region) {
    bool changed = false, is_loop = region->owner && region->owner->kind == OP_FOR;
    int at;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= scale_region(px, fn, op->regions[i]);
        const Op *product = is_loop && has_product(region) ? product_of(px, fn, op, &at) : NULL;
        if (product) write(fn, op, product, at);
        changed |= product != NULL;
    }
    return changed;
}

bool pass_scaled(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED || !scale_region(px, fn, fn->body)) return false;
    func_resolve(fn);
    func_renumber(fn);
    pass_dce(px, fn); /* the products */
    func_renumber(fn);
    return true;
}
