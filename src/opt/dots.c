// SPDX-License-Identifier: Apache-2.0
/* dots: a product that is added becomes a product that is added to.
 *
 *     %d = dot %a, %b, 0
 *     %s = add %x, %d            ->  %s = dot %a, %b, %x
 *
 * Tensor cores add as they multiply, and keep what a loop sums up where it is. Where nobody else
 * reads the product, and the sum is of the type that products are computed in, f32 or i32: the sum
 * is then rounded once less, as Triton does it. */
#include "opt/opt.h"

typedef struct Dots {
    PassCtx *px;
    Func *fn;
    int num_values; /* before: what is made here has ids beyond */
    int *readers;   /* by value id */
} Dots;

static bool count_readers(Op *op, void *user) {
    int *readers = user;
    for (int i = 0; i < op->num_operands; i++) readers[op->operands[i]->id]++;
    return true;
}

/* A product that only this sum reads. */
static const Op *product_of(const Dots *d, const Op *sum, const Value *value) {
    const Op *dot = value->def;
    if (!dot || dot->kind != OP_DOT || dot->parent != sum->parent) return NULL;
    if (value->id >= d->num_values) return NULL; /* it adds already */
    TypeKind kind = type_lane(value->type)->kind;
    if ((kind != TYPE_F32 && kind != TYPE_I32) || d->readers[value->id] != 1) return NULL;
    return value_is_zero(dot_acc(dot)) ? dot : NULL;
}

static Value *added_to(Op *sum, void *user) {
    const Dots *d = user;
    if (sum->kind != OP_FADD && sum->kind != OP_ADD) return NULL;
    for (int i = 1; i >= 0; i--) {
        const Op *dot = product_of(d, sum, sum->operands[i]);
        if (!dot) continue;
        Builder b = {.fn = d->fn, .region = sum->parent, .before = sum, .span = dot->span};
        Value *operands[3] = {dot_a(dot), dot_b(dot), sum->operands[1 - i]};
        const Type *type = op_result(sum)->type;
        Op *made = build_op(&b, OP_DOT, 3, operands, 1, &type, 0, NULL);
        memcpy(made->attrs, dot->attrs, sizeof made->attrs);
        op_result(made)->name = op_result(sum)->name;
        diag_remark(d->px->diag, dot->span, "added as it is multiplied");
        return op_result(made);
    }
    return NULL;
}

bool pass_dots(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM) return false;
    func_renumber(fn);
    Dots d = {px, fn, fn->num_values, arena_array(px->scratch, int, fn->num_values)};
    region_walk(fn->body, count_readers, d.readers);
    if (!region_replace(fn->body, added_to, &d)) return false;
    pass_dce(px, fn); /* the products as they were */
    func_renumber(fn);
    return true;
}
