// SPDX-License-Identifier: Apache-2.0
/* scaled: the most of what is scaled by one number is the most of the rest, scaled.
 *
 *     %s = fmul %x, splat(%c)              %up = %c > 0 and %c < inf       before the loop
 *     %m = reduce %s {max}         ->      %m = if %up { yield (reduce %x {max}) * %c }
 *                                               else { yield reduce (fmul %x, splat(%c)) {max} }
 *
 * Rounding keeps the order, so both give the same bits: a NaN is left out by either; only by 0, by
 * infinities and by what is negative the products need not come in the order of what they are made
 * of. Where nobody else reads the products, as in attention whose exponents are contracted, a
 * thread has one multiplication less for each score. In loops with products, where it computes what
 * they wait for. */
#include "ir/place.h"
#include "ir/trips.h"
#include "opt/opt.h"

#include <math.h>

/* The number that all lanes are; or NULL. */
static Value *uniform_of(const Value *value) {
    const Op *op = value->def;
    return op && op->kind == OP_SPLAT ? op->operands[0] : NULL;
}

static bool is_positive_constant(const Value *value, float *number) {
    uint64_t bits;
    if (!value_is_constant(value, &bits)) return false;
    uint32_t low = (uint32_t)bits;
    memcpy(number, &low, sizeof low);
    return *number > 0 && *number < INFINITY;
}

/* The multiplication whose most it is; *at: which operand the number is. */
static Op *product_of(const Func *fn, const Op *op, int *at) {
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
    float constant;
    for (*at = 0; *at < 2; ++*at) {
        if (is_positive_constant(product->operands[*at], &constant)) return product;
        const Value *number = uniform_of(product->operands[*at]);
        if (number && !value_is_inside(number, op->parent)) return product;
    }
    return NULL;
}

/* Where it is defined, so before the loop. */
static Value *is_positive(Func *fn, Value *number) {
    Op *def = number->def;
    Builder b = {.fn = fn, .region = def ? def->parent : fn->body, .span = fn->span};
    b.before = def ? def->next : fn->body->first;
    if (def) b.span = def->span;
    Value *above = build_fcmp(&b, FCMP_OGT, number, build_float(&b, number->type, 0));
    Value *below = build_fcmp(&b, FCMP_OLT, number, build_float(&b, number->type, INFINITY));
    return build_2(&b, OP_AND, above, below);
}

/* The most of the rest, scaled. */
static Value *write_most(Builder *b, const Op *op, const Op *product, int at) {
    const Type *type = op_result(op)->type;
    Value *number = uniform_of(product->operands[at]);
    float constant = 0;
    Map rest = {.arena = b->fn->arena};
    map_set_pointer(&rest, op_result(product), product->operands[1 - at]);
    Value *most = op_result(op_clone(b, op, &rest));
    if (is_positive_constant(product->operands[at], &constant))
        return build_2(b, OP_FMUL, most, build_float(b, type, (double)constant));
    Value *numbers = op_result(build_op(b, OP_SPLAT, 1, &number, 1, &type, 0, NULL));
    return build_2(b, OP_FMUL, most, numbers);
}

static void write(Func *fn, Op *op, const Op *product, int at) {
    Value *number = uniform_of(product->operands[at]);
    const Type *type = op_result(op)->type;
    Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
    Value *most = NULL;
    if (!number) most = write_most(&b, op, product, at);
    if (number) {
        Region *arms[2] = {region_new(fn), region_new(fn)};
        Builder up = {.fn = fn, .region = arms[0], .span = op->span};
        Builder other = {.fn = fn, .region = arms[1], .span = op->span};
        Map values = {.arena = fn->arena};
        Value *of_up = write_most(&up, op, product, at);
        build_yield(&up, 1, &of_up);
        op_clone(&other, product, &values);
        Value *of_other = op_result(op_clone(&other, op, &values));
        build_yield(&other, 1, &of_other);
        Value *positive = is_positive(fn, number);
        most = op_result(build_op(&b, OP_IF, 1, &positive, 1, &type, 2, arms));
    }
    most->name = op_result(op)->name;
    op_result(op)->replaced = most;
    op_remove(op);
}

static bool has_product(const Region *region) {
    for (const Op *op = region->first; op; op = op->next)
        if (op->kind == OP_DOT) return true;
    return false;
}

static bool scale_region(Func *fn, Region *region) {
    bool changed = false, is_loop = region->owner && region->owner->kind == OP_FOR;
    int at;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_regions; i++) changed |= scale_region(fn, op->regions[i]);
        const Op *product = is_loop && has_product(region) ? product_of(fn, op, &at) : NULL;
        if (product) write(fn, op, product, at);
        changed |= product != NULL;
    }
    return changed;
}

bool pass_scaled(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PLACED || !scale_region(fn, fn->body)) return false;
    func_resolve(fn);
    func_renumber(fn);
    pass_dce(px, fn); /* the products */
    func_renumber(fn);
    return true;
}
