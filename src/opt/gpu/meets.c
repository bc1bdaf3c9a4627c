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

typedef struct Pair {
    Disjoint apart;
    int budget; /* of values to compare */
} Pair;

static bool same_attrs(const Op *a, const Op *b) {
    for (int i = 0; i < MAX_ATTRS; i++) {
        const Attr *x = &a->attrs[i], *y = &b->attrs[i];
        AttrKind kind = op_infos[a->kind].attrs[i].kind;
        if (kind == ATTR_TEXT) return false;
        if (kind == ATTR_INTS) {
            size_t bytes = sizeof *x->ints.data * (size_t)x->ints.count;
            if (x->ints.count != y->ints.count || memcmp(x->ints.data, y->ints.data, bytes) != 0)
                return false;
        } else if (kind != ATTR_NONE && x->i != y->i) {
            return false;
        }
    }
    return true;
}

/* Two ints that a launch gives: it says whether they are one. */
static bool same_ints(Disjoint *apart, const Value *a, const Value *b) {
    if (!type_is_int(a->type) || a->type != b->type || a->region != apart->a->region ||
        b->region != a->region)
        return false;
    for (int i = 0; i < apart->num_equal; i++)
        if (apart->equal[i][0] == a && apart->equal[i][1] == b) return true;
    if (apart->num_equal == MOST_EQUAL) return false;
    apart->equal[apart->num_equal][0] = a, apart->equal[apart->num_equal++][1] = b;
    return true;
}

/* Made of the two parameters in one way. */
static bool is_same(Pair *p, const Value *a, const Value *b) {
    if (a == b || (a == p->apart.a && b == p->apart.b)) return true;
    if (p->budget-- <= 0) return false;
    const Op *x = a->def, *y = b->def;
    if (!x && !y) return same_ints(&p->apart, a, b);
    if (!x || !y || x->kind != y->kind || x->num_operands != y->num_operands) return false;
    if (x->num_results != 1 || x->num_regions || !op_has_trait(x, PURE) || !same_attrs(x, y))
        return false;
    if (x->kind == OP_CONSTANT && a->type != b->type) return false;
    for (int i = 0; i < x->num_operands; i++)
        if (!is_same(p, x->operands[i], y->operands[i])) return false;
    return true;
}

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
    Pair p = {.budget = 100};
    p.apart.a = facts_base(facts, written), p.apart.b = facts_base(facts, read);
    if (p.apart.a->def || p.apart.b->def) return true; /* memory of the kernel's own */
    Reach w = reach_of(facts, meet->write, dims_at(dims, written, number));
    Reach r = reach_of(facts, meet->load, dims_at(dims, read, number));
    p.apart.same = meet->together && meet->write->kind == OP_STORE && w.each == r.each &&
                   is_same(&p, written, read);
    if (!px->needs)
        return !px->overlaps && (p.apart.same || !dims_touch(dims, meet->write, number));
    p.apart.bytes = w.bytes > r.bytes ? w.bytes : r.bytes;
    p.apart.each = w.each;
    p.apart.count = w.count == r.count && w.each == r.each ? w.count : NULL;
    needs_add_apart(px->needs, &p.apart);
    return true;
}
