// SPDX-License-Identifier: Apache-2.0
/* meets: what is loaded again behind a write by another parameter is the same only where the two
 * are not the same memory.
 *
 *     %a = load (addptr %x, %i)              launches in which x .. x + 4 * min(n, lanes) and
 *     store (addptr %y, %i), %a, i < n   ->  y .. overlap take another text: it loads once. x = y
 *     %s = reduce %a                         would be right if no nest loaded behind the store's
 *
 * A residual that is added in place and a row that is rotated in place are passed twice. A text
 * that others launch takes for granted what no launch is asked: that views do not overlap, unless
 * they are the same, and scalars with nothing. */
#include "opt/gpu/pieces.h"

/* What an index along the dimension is compared with: a parameter or a number; NULL: not known. */
static const Value *end_of(const Facts *facts, const Value *mask, int dim) {
    const Op *op = mask ? mask->def : NULL;
    if (!op) return NULL;
    if (op->kind == OP_AND) {
        const Value *end = end_of(facts, op->operands[0], dim);
        return end ? end : end_of(facts, op->operands[1], dim);
    }
    if (op->kind == OP_BROADCAST || op->kind == OP_HINT) return end_of(facts, op->operands[0], dim);
    if (op->kind != OP_ICMP || icmp_predicate(op) != ICMP_SLT) return NULL;
    const Linear *index = facts_linear(facts, op->operands[0]);
    if (!index || index->base || index->num_terms || index->constant) return NULL;
    LinearStride stride = linear_stride(index, dim);
    const Value *end = op->operands[1];
    if (end->def && end->def->kind == OP_SPLAT) end = end->def->operands[0];
    return stride.multiplier == 1 && !stride.factor ? end : NULL;
}

typedef struct Reach {
    int64_t bytes, each;
    const Value *count;
} Reach;

/* How far an access reaches, along dimensions whose strides are known. */
static Reach reach_of(const Facts *facts, const Op *access, int dim) {
    const Value *pointer = access_pointer(access);
    const Linear *form = facts_linear(facts, pointer);
    const Type *type = pointer->type;
    int64_t each = type_size_bytes(type_lane(type)->elem), number;
    Reach reach = {.bytes = each, .each = each};
    int known = 0;
    for (int i = 0; i < type->rank; i++) {
        LinearStride stride = form ? linear_stride(form, i) : (LinearStride){1, NULL};
        if (stride.factor || type->shape[i] == 1 || !stride.multiplier) continue;
        int64_t by = stride.multiplier < 0 ? -stride.multiplier : stride.multiplier;
        reach.bytes += by * (type->shape[i] - 1) * each, known++;
    }
    LinearStride stride = form && dim >= 0 ? linear_stride(form, dim) : (LinearStride){0};
    if (known != 1 || stride.multiplier != 1 || stride.factor) return reach;
    const Value *mask = access->kind == OP_LOAD    ? load_mask(access)
                        : access->kind == OP_STORE ? store_mask(access)
                                                   : NULL;
    const Value *end = end_of(facts, mask, dim);
    if (end && value_is_int(end, &number) && number * each < reach.bytes)
        reach.bytes = number > 0 ? number * each : 0;
    else if (end && !end->def && end->region == facts_base(facts, pointer)->region)
        reach.count = end;
    return reach;
}

bool meets_never(PassCtx *px, const Facts *facts, const Dims *dims, int number, const Meet *meet) {
    const Value *written = access_pointer(meet->write), *read = access_pointer(meet->load);
    Disjoint apart = {.a = facts_base(facts, written), .b = facts_base(facts, read)};
    if (apart.a->def || apart.b->def) return true; /* memory of the kernel's own */
    Reach w = reach_of(facts, meet->write, dims_at(dims, written, number));
    Reach r = reach_of(facts, meet->load, dims_at(dims, read, number));
    apart.same =
        meet->together && meet->write->kind == OP_STORE && disjoint_same(&apart, written, read);
    if (!px->needs) return apart.same || !dims_touch(dims, meet->write, number);
    apart.bytes = w.bytes > r.bytes ? w.bytes : r.bytes;
    apart.each = w.each;
    apart.count = w.count == r.count && w.each == r.each ? w.count : NULL;
    needs_add_apart(px->needs, &apart);
    return true;
}
