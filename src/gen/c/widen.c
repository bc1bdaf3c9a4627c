// SPDX-License-Identifier: Apache-2.0
/* widen: dot's operands get the type of its accumulator, which makes the rest simple. */
#include "gen/c/c.h"

typedef struct Found {
    Func *fn;
    VEC(Op *) dots;
} Found;

static bool find(Op *op, void *user) {
    Found *found = user;
    if (op->kind == OP_DOT) vec_push(found->fn->arena, &found->dots, op);
    return true;
}

static Value *widened(Builder *b, Value *value, const Type *lane) {
    const Type *have = type_lane(value->type);
    if (have == lane) return value;
    return build_cast(b, type_is_int(have) ? OP_EXT_S : OP_FEXT, value, lane);
}

/* Operands get the accumulator's type; an accumulator of f16 or bf16 is rounded once, at the end.
 */
static void widen_dot(Func *fn, Op *dot) {
    const Type *acc = type_lane(dot->results[0].type);
    const Type *lane = type_is_int(acc) || acc->kind == TYPE_F64 ? acc : type_scalar(TYPE_F32);
    Builder b = {fn, dot->parent, dot, dot->span};
    for (int i = 0; i < 3; i++) dot->operands[i] = widened(&b, dot->operands[i], lane);
    if (acc == lane) return;
    const Type *type = dot_acc(dot)->type;
    Op *wide = build_op(&b, OP_DOT, 3, dot->operands, 1, &type, 0, NULL);
    dot_set_precision(wide, dot_precision(dot));
    dot->results[0].replaced = build_cast(&b, OP_FTRUNC, op_result(wide), acc);
    op_remove(dot);
}

void widen_dots(Func *fn) {
    Found found = {.fn = fn};
    region_walk(fn->body, find, &found);
    for (int i = 0; i < found.dots.count; i++) widen_dot(fn, found.dots.data[i]);
    func_resolve(fn);
}
