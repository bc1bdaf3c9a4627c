// SPDX-License-Identifier: Apache-2.0
/* widen: dot's operands get the type of its accumulator, which makes the rest simple. Integers of
 * 8 and 16 bits stay narrow where one instruction sums products of pairs or fours of them. */
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
    const Op *op = value->def;
    if (op && op->kind == OP_TRANS) { /* as it lies: matrix.c and product.c turn the wider lanes */
        int order[MAX_RANK];
        for (int i = 0; i < value->type->rank; i++) order[i] = (int)trans_order(op).data[i];
        return build_trans(b, widened(b, op->operands[0], lane), order);
    }
    return build_cast(b, type_is_int(have) ? OP_EXT_S : OP_FEXT, value, lane);
}

static const Type *operand_lane(const Op *dot, const Type *sum, CArch arch) {
    const Type *a = dot_a(dot)->type, *b = dot_b(dot)->type, *lane = type_lane(a);
    int K = a->shape[a->rank - 1], N = b->shape[b->rank - 1];
    if (dot_has_tiles(dot, arch) || dot_is_narrow(dot, arch)) return lane;
    if (sum->kind != TYPE_I32 || type_bits(lane) > 16 || N % prelude_width(arch)) return sum;
    bool bytes = lane->kind == TYPE_I8 && type_lane(b) == lane;
    if (arch == C_GENERIC && bytes && K % 4 == 0) return lane;
    return K % 2 == 0 ? type_scalar(TYPE_I16) : sum;
}

/* a + 128, without a sign. */
static Value *biased(Builder *b, Value *a) {
    Value *bit = build_int(b, type_lane(a->type), 128);
    return build_2(b, OP_XOR, a, build_splat(b, bit, a->type->rank, a->type->shape));
}

/* An accumulator of f16 or bf16 is rounded once, at the end. */
static void widen_dot(Func *fn, Op *dot, CArch arch) {
    const Type *acc = type_lane(dot->results[0].type);
    const Type *lane = type_is_int(acc) || acc->kind == TYPE_F64 ? acc : type_scalar(TYPE_F32);
    const Type *narrow = operand_lane(dot, lane, arch);
    bool is_biased =
        type_bits(narrow) == 8 && dot_is_narrow(dot, arch) && !dot_has_tiles(dot, arch);
    Builder b = {fn, dot->parent, dot, dot->span};
    for (int i = 0; i < 2; i++) dot->operands[i] = widened(&b, dot->operands[i], narrow);
    if (is_biased) dot->operands[0] = biased(&b, dot->operands[0]);
    dot->operands[2] = widened(&b, dot->operands[2], lane);
    if (acc == lane) return;
    const Type *type = dot_acc(dot)->type;
    Op *wide = build_op(&b, OP_DOT, 3, dot->operands, 1, &type, 0, NULL);
    dot_set_precision(wide, dot_precision(dot));
    dot->results[0].replaced = build_cast(&b, OP_FTRUNC, op_result(wide), acc);
    op_remove(dot);
}

void widen_dots(Func *fn, CArch arch) {
    Found found = {.fn = fn};
    region_walk(fn->body, find, &found);
    if (!found.dots.count) return;
    const Facts *facts = facts_compute(fn->arena, fn);
    for (int i = 0; i < found.dots.count; i++)
        for (int k = 0; k < 2; k++) turn_load(fn, facts, found.dots.data[i]->operands[k]);
    func_resolve(fn);
    for (int i = 0; i < found.dots.count; i++) widen_dot(fn, found.dots.data[i], arch);
    func_resolve(fn);
}
