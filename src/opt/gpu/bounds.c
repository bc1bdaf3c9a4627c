// SPDX-License-Identifier: Apache-2.0
/* bounds: a row of an array is within its bounds, in one comparison of 32 bits.
 *
 *     %i = add (ext_s %row), (splat (ext_s %start))   64 bits   ->  %i = add %row, (splat %start)
 *     %m = and (icmp sge %i, 0), (icmp slt %i, %n)                  %m = icmp ult %i, (max %n, 0)
 *
 * This is what accesses through tensor descriptors ask of each dimension. Where %row, %start and %n
 * are 32 bits and %row is not negative, the sum in 32 bits is the true one as an unsigned number,
 * or stands for one below 0, which is above any %n: nothing wraps around. */
#include "opt/opt.h"

/* The value of 32 bits that is extended and splatted to this one; NULL: there is none. */
static Value *narrow(Value *value) {
    bool extended = false;
    for (const Op *op = value->def; op; op = value->def) {
        if (op->kind != OP_SPLAT && op->kind != OP_EXT_S) break;
        extended |= op->kind == OP_EXT_S;
        value = op->operands[0];
    }
    return extended && type_lane(value->type)->kind == TYPE_I32 ? value : NULL;
}

static bool is_zero(Value *value) {
    Value *of = narrow(value);
    return value_is_zero(of ? of : value);
}

static bool compares(const Value *value, int predicate) {
    const Op *op = value->def;
    return op && op->kind == OP_ICMP && icmp_predicate(op) == predicate;
}

static Value *within(Op *op, void *user) {
    Func *fn = user;
    if (op->kind != OP_AND || !type_is_tile(op_result(op)->type)) return NULL;
    for (int i = 0; i < 2; i++) {
        const Value *low = op->operands[i], *high = op->operands[1 - i];
        if (!compares(low, ICMP_SGE) || !compares(high, ICMP_SLT)) continue;
        Value *at = low->def->operands[0], *end = narrow(high->def->operands[1]);
        if (high->def->operands[0] != at || !is_zero(low->def->operands[1])) continue;
        if (!end || type_is_tile(end->type) || !at->def || at->def->kind != OP_ADD) continue;
        Value *row = narrow(at->def->operands[0]), *start = narrow(at->def->operands[1]);
        if (!row || !row->def || row->def->kind != OP_ARANGE || arange_start(row->def) < 0)
            continue;
        if (!start || type_is_tile(start->type)) continue;
        Builder b = {.fn = fn, .region = op->parent, .before = op, .span = op->span};
        const Type *type = row->type;
        Value *sum = build_2(&b, OP_ADD, row, build_splat(&b, start, type->rank, type->shape));
        Value *most = build_2(&b, OP_MAX_S, end, build_int(&b, end->type, 0));
        return build_icmp(&b, ICMP_ULT, sum, build_splat(&b, most, type->rank, type->shape));
    }
    return NULL;
}

bool pass_bounds(PassCtx *px, Func *fn) {
    if (fn->form != FORM_PROGRAM || !region_replace(fn->body, within, fn)) return false;
    pass_dce(px, fn);
    func_renumber(fn);
    return true;
}
