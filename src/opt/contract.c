// SPDX-License-Identifier: Apache-2.0
/* contract: a product that is added becomes one fma, rounded once.
 *
 *     %1 = fmul %a, %b
 *     %2 = fadd %1, %c      ->  %2 = fma %a, %b, %c
 *     %3 = fsub %c, %1      ->  %4 = fneg %a;  %3 = fma %4, %b, %c
 *     %5 = fsub %1, %c      ->  %6 = fneg %c;  %5 = fma %a, %b, %6
 *
 * The product stays where somebody else reads it, too; one from outside the loop is not brought
 * back into it. As nvcc does it, and Triton; not where the user asks for precision. */
#include "opt/opt.h"

static const Op *product_of(const Op *sum, int index) {
    const Op *def = sum->operands[index]->def;
    return def && def->kind == OP_FMUL && def->parent == sum->parent ? def : NULL;
}

static Value *negated(Builder *b, Value *value) { return build_1(b, OP_FNEG, value); }

/* NULL: op is no sum of a product. */
static Value *contracted(Op *op, void *fn) {
    if (op->kind != OP_FADD && op->kind != OP_FSUB) return NULL;
    Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
    Value *x = op->operands[0], *y = op->operands[1];
    bool subtracts = op->kind == OP_FSUB;
    const Op *product = product_of(op, 0);
    if (product) {
        Value *sum = subtracts ? negated(&b, y) : y;
        return build_3(&b, OP_FMA, product->operands[0], product->operands[1], sum);
    }
    if (!(product = product_of(op, 1))) return NULL;
    Value *first = subtracts ? negated(&b, product->operands[0]) : product->operands[0];
    return build_3(&b, OP_FMA, first, product->operands[1], x);
}

bool pass_contract(PassCtx *px, Func *fn) {
    return !px->precise && region_replace(fn->body, contracted, fn);
}
