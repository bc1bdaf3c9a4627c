// SPDX-License-Identifier: Apache-2.0
/* math: f32 that takes less than the op as it is defined, because of what its operands are. */
#include "gen/c/nest.h"

/* The sign goes into constants. */
bool exp_of_negative(Nest *n, const Op *op, Place place, Ev *r) {
    Gen *g = n->g;
    Value *a = op->kind == OP_EXP ? op->operands[0] : NULL;
    bool is_negative = a && a->def && a->def->kind == OP_FNEG && !info(g, a)->view;
    if (!is_negative || type_lane(a->type)->kind != TYPE_F32) return false;
    Ev x = eval(n, a->def->operands[0], place);
    if (x.kind != EV_VECTOR) return false;
    *r = new_vector(n, TYPE_F32, text(g, "t_exp_neg_f32(%.*s)", STR_ARG(x.text)));
    return true;
}

/* What a reduction gives, of all lanes or of each row. */
static bool is_reduced(const Value *value) {
    const Op *op = value->def;
    while (op && (op->kind == OP_SPLAT || op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS))
        op = op->operands[0]->def;
    return op && op->kind == OP_REDUCE;
}

/* A division of 16 lanes takes a core 16 cycles. x * s * (1 / (d * s)) is within 1.5 ulp of x / d;
 * s is 1, but where 1 / d would overflow or be denormal: then x / d overflows, or is 0, where x * s
 * overflows or is denormal. Numbers that are given or read divide exactly: x / 3 of tensors is as
 * PyTorch has it. */
bool divide_by_uniform(Nest *n, const Op *op, const Ev *x, Ev *r) {
    Gen *g = n->g;
    if (op->kind != OP_FDIV || fdiv_exact(op) || n->N < 4 * g->W) return false;
    if (!is_reduced(op->operands[1])) return false;
    if (x[0].kind != EV_VECTOR || x[1].kind != EV_UNIFORM || x[1].lane != TYPE_F32) return false;
    Str d = x[1].text, scale = text(g, "t_s_div_scale(%.*s)", STR_ARG(d)),
        inverse = text(g, "1 / (%.*s * %.*s)", STR_ARG(d), STR_ARG(scale));
    Str s = hoisted(n, TYPE_F32, x[1].level, scale, text(g, "%.*s - (vf32){}", STR_ARG(scale)));
    Str t = hoisted(n, TYPE_F32, x[1].level, inverse, text(g, "%.*s - (vf32){}", STR_ARG(inverse)));
    *r = new_vector(n, TYPE_F32,
                    text(g, "%.*s * %.*s * %.*s", STR_ARG(x[0].text), STR_ARG(s), STR_ARG(t)));
    return true;
}
