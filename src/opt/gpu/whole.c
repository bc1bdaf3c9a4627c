// SPDX-License-Identifier: Apache-2.0
/* whole: the masks of a long row, in a text for launches whose rows fill their tiles.
 *
 *     %m = icmp slt (arange 0 .. 32768), splat %columns    ->    %m = splat true
 *
 * Where %columns is a parameter, each launch knows. The text for all is made first, and says which
 * parameter a launch is to look at (GenFacts.whole_lanes); that for whole rows, which takes an
 * eighth of the instructions less, when a launch has one. */
#include "opt/opt.h"

enum { LEAST_LANES = 32768 };

typedef struct Whole {
    PassCtx *px;
    Func *fn;
} Whole;

/* Which parameter the lanes from 0 are compared with; -1: it is no such comparison. */
static int bound_of(const Func *fn, const Op *op) {
    if (op->kind != OP_ICMP || op_result(op)->type->lanes < LEAST_LANES) return -1;
    int64_t predicate = icmp_predicate(op);
    bool turned = predicate == ICMP_SGT;
    if (!turned && predicate != ICMP_SLT) return -1;
    const Op *lanes = op->operands[turned]->def, *bound = op->operands[!turned]->def;
    if (!lanes || lanes->kind != OP_ARANGE || arange_start(lanes) != 0) return -1;
    if (!bound || bound->kind != OP_SPLAT) return -1;
    for (int i = 0; i < fn->num_params; i++)
        if (fn->params[i].value == bound->operands[0]) return i;
    return -1;
}

static Value *replace(Op *op, void *user) {
    Whole *w = user;
    int bound = bound_of(w->fn, op);
    const Type *type = bound < 0 ? NULL : op_result(op)->type;
    if (!type || (w->px->whole_lanes && bound != w->px->whole_param)) return NULL;
    w->px->whole_param = bound;
    if (type->lanes > w->px->whole_lanes) w->px->whole_lanes = type->lanes;
    if (!w->px->whole) return NULL;
    Builder b = {.fn = w->fn, .region = op->parent, .before = op, .span = op->span};
    return build_splat(&b, build_constant_bits(&b, type_lane(type), 1), type->rank, type->shape);
}

bool pass_whole(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM) return false;
    return region_replace(fn->body, replace, &(Whole){.px = px, .fn = fn});
}
