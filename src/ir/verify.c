// SPDX-License-Identifier: Apache-2.0
/* verify: is this function well formed? Three things in one walk: the table's counts and structure
 * (regions end with a yield, arguments fit), dominance (a use comes after its definition, in the
 * same region or one around it), and the type rule of each op. Rules look at a tile apart from
 * where it lies; what placed form asks for besides is in verify_place.c. */
#include "ir/trips.h"
#include "ir/verify.h"

#include <limits.h>

bool verify_bad(Verifier *v, const Op *op, const char *format, ...) {
    Buf out = {.arena = v->arena};
    va_list args;
    if (v->why) return false;
    if (op) buf_printf(&out, "%s: ", op_infos[op->kind].name);
    va_start(args, format);
    buf_vprintf(&out, format, args);
    va_end(args);
    v->why = buf_str(&out).data;
    v->where = op;
    return false;
}

const char *verify_text_of(Verifier *v, const Type *type) { return type_str(v->arena, type).data; }

/* ---- types ---- */

bool verify_type(Verifier *v, const Op *op, const Type *type) {
    if (!type) return verify_bad(v, op, "a value has no type");
    if (type->kind == TYPE_PTR && type_is_tile(type->elem))
        return verify_bad(v, op, "pointer to a tile");
    if (type->kind == TYPE_RING) return verify_ring_type(v, op, type);
    for (int i = 0; i < type->rank; i++)
        if (type->shape[i] & (type->shape[i] - 1))
            return verify_bad(v, op, "dimension %d of %s is not a power of two", i,
                              verify_text_of(v, type));
    return verify_place(v, op, type);
}

static bool same_type(Verifier *v, const Op *op, const Type *a, const Type *b) {
    return a == b ||
           verify_bad(v, op, "types differ: %s and %s", verify_text_of(v, a), verify_text_of(v, b));
}

static bool same_shape(Verifier *v, const Op *op, const Type *a, const Type *b) {
    return type_same_shape(a, b) || verify_bad(v, op, "shapes differ: %s and %s",
                                               verify_text_of(v, a), verify_text_of(v, b));
}

static bool want(Verifier *v, const Op *op, bool holds, const char *what, const Type *type) {
    return holds || verify_bad(v, op, "expected %s, not %s", what, verify_text_of(v, type));
}

static bool is_number_float(const Type *type) {
    return type_is_float(type) && type_bits(type) > 8; /* 8-bit floats are only stored and cast */
}

static bool result_is(Verifier *v, const Op *op, int rank, const int *shape, const Type *elem) {
    const Type *wanted = type_placed(v->fn->types, type_tile(v->fn->types, elem, rank, shape),
                                     op->results[0].type->place);
    return op->results[0].type == wanted ||
           verify_bad(v, op, "expected a result of type %s, not %s", verify_text_of(v, wanted),
                      verify_text_of(v, op->results[0].type));
}

static bool all_operands_same(Verifier *v, const Op *op) {
    for (int i = 1; i < op->num_operands; i++)
        if (!same_type(v, op, op->operands[0]->type, op->operands[i]->type)) return false;
    return true;
}

/* ---- shape ---- */

static bool check_broadcast(Verifier *v, const Op *op, const Type *a, const Type *r) {
    if (!type_is_tile(a) || a->rank != r->rank || type_lane(a) != type_lane(r))
        return verify_bad(v, op, "%s does not broadcast to %s", verify_text_of(v, a),
                          verify_text_of(v, r));
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != 1 && a->shape[i] != r->shape[i])
            return verify_bad(v, op, "%s does not broadcast to %s", verify_text_of(v, a),
                              verify_text_of(v, r));
    return true;
}

static bool axis_in(Verifier *v, const Op *op, int64_t axis, int limit) {
    return (axis >= 0 && axis < limit) ||
           verify_bad(v, op, "axis %lld is outside [0, %d)", (long long)axis, limit);
}

static bool check_expand_dims(Verifier *v, const Op *op, const Type *a) {
    int shape[MAX_RANK];
    if (!want(v, op, type_is_tile(a) && a->rank < MAX_RANK, "a tile of lower rank", a))
        return false;
    if (!axis_in(v, op, expand_dims_axis(op), a->rank + 1)) return false;
    for (int i = 0, from = 0; i <= a->rank; i++)
        shape[i] = i == expand_dims_axis(op) ? 1 : a->shape[from++];
    return result_is(v, op, a->rank + 1, shape, a->elem);
}

static bool check_trans(Verifier *v, const Op *op, const Type *a) {
    Ints order = trans_order(op);
    int shape[MAX_RANK];
    uint32_t used = 0;
    if (!want(v, op, type_is_tile(a), "a tile", a)) return false;
    if (order.count != a->rank)
        return verify_bad(v, op, "order has %d entries for rank %d", order.count, a->rank);
    for (int i = 0; i < a->rank; i++) {
        int64_t from = order.data[i];
        if (from < 0 || from >= a->rank || (used >> from & 1))
            return verify_bad(v, op, "order is not a permutation");
        used |= UINT32_C(1) << from;
        shape[i] = a->shape[from];
    }
    return result_is(v, op, a->rank, shape, a->elem);
}

static bool check_join(Verifier *v, const Op *op, const Type *a) {
    int shape[MAX_RANK];
    if (!all_operands_same(v, op)) return false;
    if (a->rank == MAX_RANK || a->lanes > MAX_LANES / 2)
        return verify_bad(v, op, "the result is too large");
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank] = 2;
    return result_is(v, op, a->rank + 1, shape, type_lane(a));
}

static bool check_split(Verifier *v, const Op *op, const Type *a) {
    if (!want(v, op, type_is_tile(a) && a->shape[a->rank - 1] == 2,
              "a tile whose last dimension is 2", a))
        return false;
    return result_is(v, op, a->rank - 1, a->shape, a->elem) &&
           same_type(v, op, op->results[0].type, op->results[1].type);
}

static bool check_gather(Verifier *v, const Op *op, const Type *a) {
    const Type *index = gather_indices(op)->type;
    if (!want(v, op, type_is_tile(a), "a tile", a)) return false;
    if (!want(v, op, type_is_int(index) && index->rank == a->rank,
              "integer indices of the same rank", index))
        return false;
    if (!axis_in(v, op, gather_axis(op), a->rank)) return false;
    for (int i = 0; i < a->rank; i++)
        if (i != gather_axis(op) && index->shape[i] != a->shape[i])
            return verify_bad(v, op, "shapes differ outside the axis: %s and %s",
                              verify_text_of(v, a), verify_text_of(v, index));
    return result_is(v, op, index->rank, index->shape, a->elem);
}

/* ---- casts ---- */

static bool check_cast(Verifier *v, const Op *op, const Type *a, const Type *r, TypeRule rule) {
    bool ints = type_is_int(a) && type_is_int(r), floats = type_is_float(a) && type_is_float(r);
    bool ok = false;
    if (!same_shape(v, op, a, r)) return false;
    if (rule == RULE_INT_WIDEN) ok = ints && type_bits(r) > type_bits(a);
    if (rule == RULE_INT_NARROW) ok = ints && type_bits(r) < type_bits(a);
    if (rule == RULE_FLOAT_WIDEN) ok = floats && float_holds(r, a) && a != r;
    if (rule == RULE_FLOAT_NARROW) ok = floats && !float_holds(r, a);
    if (rule == RULE_INT_TO_FLOAT) ok = type_is_int(a) && is_number_float(r);
    if (rule == RULE_FLOAT_TO_INT) ok = is_number_float(a) && type_is_int(r);
    if (rule == RULE_BITCAST) ok = type_bits(a) == type_bits(r);
    return ok ||
           verify_bad(v, op, "no such cast: %s to %s", verify_text_of(v, a), verify_text_of(v, r));
}

/* ---- memory ---- */

static bool check_mask(Verifier *v, const Op *op, const Type *mask) {
    return want(v, op, type_is_bool(mask), "a mask of i1", mask) &&
           same_shape(v, op, op->operands[0]->type, mask);
}

static bool check_access(Verifier *v, const Op *op, const Type *value, bool is_load) {
    const Type *pointer = access_pointer(op)->type;
    if (!want(v, op, type_is_ptr(pointer), "a pointer", pointer)) return false;
    if (!same_shape(v, op, pointer, value)) return false;
    const Type *elem = type_lane(pointer)->elem;
    bool is_byte = !is_load && elem->kind == TYPE_I1 && type_lane(value)->kind == TYPE_I8;
    return is_byte || type_lane(value) == elem ||
           verify_bad(v, op, "%s through %s", verify_text_of(v, value), verify_text_of(v, pointer));
}

static bool check_load(Verifier *v, const Op *op) {
    if (!check_access(v, op, op->results[0].type, true)) return false;
    if (load_mask(op) && !check_mask(v, op, load_mask(op)->type)) return false;
    return !load_other(op) || same_type(v, op, load_other(op)->type, op->results[0].type);
}

static bool check_store(Verifier *v, const Op *op) {
    return check_access(v, op, store_value(op)->type, false) &&
           (!store_mask(op) || check_mask(v, op, store_mask(op)->type));
}

static bool check_rmw(Verifier *v, const Op *op) {
    const Type *value = atomic_rmw_value(op)->type;
    if (!check_access(v, op, value, true) || !same_type(v, op, value, op->results[0].type))
        return false;
    if (atomic_rmw_kind(op) == RMW_FADD) {
        if (!want(v, op, is_number_float(value), "a float", value)) return false;
    } else if (atomic_rmw_kind(op) != RMW_XCHG &&
               !want(v, op, type_is_int(value), "an integer", value)) {
        return false;
    }
    return !atomic_rmw_mask(op) || check_mask(v, op, atomic_rmw_mask(op)->type);
}

static bool check_cas(Verifier *v, const Op *op) {
    const Type *compare = atomic_cas_compare(op)->type;
    return check_access(v, op, compare, true) &&
           same_type(v, op, compare, atomic_cas_value(op)->type) &&
           same_type(v, op, compare, op->results[0].type) &&
           want(v, op, type_bits(compare) >= 16, "16, 32 or 64 bits", compare) &&
           (!atomic_cas_mask(op) || check_mask(v, op, atomic_cas_mask(op)->type));
}

/* ---- across lanes ---- */

static bool check_fold_region(Verifier *v, const Op *op) {
    const Region *region = op->regions[0];
    int n = op->num_operands;
    const Op *yield = region_yield(region);
    if (op->num_results != n)
        return verify_bad(v, op, "%d results for %d operands", op->num_results, n);
    if (region->num_args != 2 * n || yield->num_operands != n)
        return verify_bad(v, op, "the region must take %d values and yield %d", 2 * n, n);
    for (int i = 0; i < 2 * n; i++)
        if (!same_type(v, op, region->args[i]->type, type_lane(op->operands[i % n]->type)))
            return false;
    for (int i = 0; i < n; i++)
        if (!same_type(v, op, yield->operands[i]->type, type_lane(op->operands[i]->type)))
            return false;
    for (const Op *inner = region->first; inner; inner = inner->next)
        if (inner != yield && !op_is_pure(inner))
            return verify_bad(v, op, "'%s' in the region is not pure", op_infos[inner->kind].name);
    return true;
}

static bool check_reduce(Verifier *v, const Op *op, bool is_scan) {
    const Type *a = op->operands[0]->type;
    if (!want(v, op, type_is_tile(a), "a tile", a) || !axis_in(v, op, fold_axis(op), a->rank))
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!same_shape(v, op, a, op->operands[i]->type)) return false;
    if (!check_fold_region(v, op)) return false;
    int shape[MAX_RANK], rank = 0;
    for (int i = 0; i < a->rank; i++)
        if (is_scan || i != fold_axis(op)) shape[rank++] = a->shape[i];
    for (int i = 0; i < op->num_operands; i++) {
        const Type *lane = type_lane(op->operands[i]->type);
        const Type *wanted = type_placed(v->fn->types, type_tile(v->fn->types, lane, rank, shape),
                                         op->results[i].type->place);
        if (!same_type(v, op, op->results[i].type, wanted)) return false;
    }
    return true;
}

static bool check_histogram(Verifier *v, const Op *op, const Type *a) {
    int64_t bins = histogram_bins(op);
    if (!want(v, op, type_is_int(a) && a->rank == 1, "a 1-D tile of integers", a)) return false;
    if (histogram_mask(op) && !check_mask(v, op, histogram_mask(op)->type)) return false;
    if (bins < 1 || bins > MAX_LANES) return verify_bad(v, op, "bad number of bins");
    return result_is(v, op, 1, (int[]){(int)bins}, type_scalar(TYPE_I32));
}

static bool check_dot(Verifier *v, const Op *op) {
    const Type *a = dot_a(op)->type, *b = dot_b(op)->type, *acc = dot_acc(op)->type;
    int rank = acc->rank;
    if (!same_type(v, op, acc, op->results[0].type)) return false;
    if ((rank != 2 && rank != 3) || a->rank != rank || b->rank != rank)
        return verify_bad(v, op, "expected tiles of rank 2 or 3: %s, %s, %s", verify_text_of(v, a),
                          verify_text_of(v, b), verify_text_of(v, acc));
    bool fits = a->shape[rank - 1] == b->shape[rank - 2] &&
                a->shape[rank - 2] == acc->shape[rank - 2] &&
                b->shape[rank - 1] == acc->shape[rank - 1];
    if (rank == 3) fits = fits && a->shape[0] == b->shape[0] && a->shape[0] == acc->shape[0];
    if (!fits)
        return verify_bad(v, op, "shapes do not fit: %s, %s, %s", verify_text_of(v, a),
                          verify_text_of(v, b), verify_text_of(v, acc));
    bool both_f8 = type_is_float(a) && type_is_float(b) && type_bits(a) == 8 && type_bits(b) == 8;
    if (type_lane(a) != type_lane(b) && !both_f8)
        return same_type(v, op, type_lane(a), type_lane(b));
    bool floats = type_is_float(a) && is_number_float(acc);
    bool ints = type_is_int(a) && type_is_int(acc) && !type_is_bool(a) && !type_is_bool(acc);
    if (!floats && !ints)
        return verify_bad(v, op, "%s does not accumulate into %s", verify_text_of(v, a),
                          verify_text_of(v, acc));
    return true;
}

/* ---- structure ---- */

static bool check_types_match(Verifier *v, const Op *op, int count, const Type *const *a,
                              const Op *yield, int first) {
    if (yield->num_operands - first != count)
        return verify_bad(v, op, "a region yields %d values, expected %d",
                          yield->num_operands - first, count);
    for (int i = 0; i < count; i++)
        if (!same_type(v, op, a[i], yield->operands[first + i]->type)) return false;
    return true;
}

static const Type **result_types(Verifier *v, const Op *op) {
    const Type **types = arena_array(v->arena, const Type *, op->num_results);
    for (int i = 0; i < op->num_results; i++) types[i] = op->results[i].type;
    return types;
}

static bool check_args(Verifier *v, const Op *op, const Region *region, int first, int count,
                       const Type *const *types) {
    if (region->num_args - first != count)
        return verify_bad(v, op, "a region takes %d values, expected %d", region->num_args - first,
                          count);
    for (int i = 0; i < count; i++)
        if (!same_type(v, op, types[i], region->args[first + i]->type)) return false;
    return true;
}

static bool check_if(Verifier *v, const Op *op) {
    const Type **types = result_types(v, op);
    const Type *condition = if_condition(op)->type;
    if (!want(v, op, condition->kind == TYPE_I1, "a scalar i1", condition)) return false;
    for (int i = 0; i < 2; i++) {
        if (!check_args(v, op, op->regions[i], 0, 0, NULL)) return false;
        if (!check_types_match(v, op, op->num_results, types, region_yield(op->regions[i]), 0))
            return false;
    }
    return true;
}

static bool check_inits(Verifier *v, const Op *op, int first) {
    if (op->num_operands - first != op->num_results)
        return verify_bad(v, op, "%d initial values for %d results", op->num_operands - first,
                          op->num_results);
    return true;
}

static bool check_for(Verifier *v, const Op *op) {
    const Type **types = result_types(v, op), *index = for_lower(op)->type;
    if (!check_inits(v, op, FOR_BOUNDS)) return false;
    if (!want(v, op, type_is_int(index) && !type_is_tile(index) && !type_is_bool(index),
              "a scalar integer", index))
        return false;
    for (int i = 1; i < FOR_BOUNDS; i++)
        if (!same_type(v, op, index, op->operands[i]->type)) return false;
    for (int i = 0; i < op->num_results; i++)
        if (!same_type(v, op, for_init(op, i)->type, types[i])) return false;
    return check_args(v, op, for_body(op), 1, op->num_results, types) &&
           same_type(v, op, index, for_index(op)->type) &&
           check_types_match(v, op, op->num_results, types, region_yield(for_body(op)), 0);
}

static bool check_while(Verifier *v, const Op *op) {
    const Type **types = result_types(v, op);
    const Type **inits = arena_array(v->arena, const Type *, op->num_operands);
    for (int i = 0; i < op->num_operands; i++) inits[i] = while_init(op, i)->type;
    const Op *test = region_yield(while_test(op));
    if (test->num_operands < 1 || while_condition(op)->type->kind != TYPE_I1)
        return verify_bad(v, op, "the first region must yield an i1 first");
    return check_args(v, op, while_test(op), 0, op->num_operands, inits) &&
           check_types_match(v, op, op->num_results, types, test, 1) &&
           check_args(v, op, while_body(op), 0, op->num_results, types) &&
           check_types_match(v, op, op->num_operands, inits, region_yield(while_body(op)), 0);
}

static bool check_hint(Verifier *v, const Op *op, const Type *a) {
    int count = hint_values(op).count;
    if (count != (a->rank ? a->rank : 1))
        return verify_bad(v, op, "%d values for rank %d", count, a->rank);
    for (int i = 0; i < count; i++)
        if (hint_values(op).data[i] < 1) return verify_bad(v, op, "values must be positive");
    return want(v, op, type_is_int(a) || type_is_ptr(a), "integers or pointers", a);
}

/* ---- rules ---- */

static bool is_cluster_size(int64_t blocks) { return blocks == 2 || blocks == 4 || blocks == 8; }

/* of: 0, or it is a cluster of so many, in groups. */
static bool is_cluster(Verifier *v, const Op *op, int64_t blocks, int64_t of) {
    if (!is_cluster_size(blocks))
        return verify_bad(v, op, "a cluster of %lld blocks", (long long)blocks);
    if (of && (!is_cluster_size(of) || of <= blocks))
        return verify_bad(v, op, "groups of %lld in a cluster of %lld", (long long)blocks,
                          (long long)of);
    return (of ? of : blocks) == func_cluster(v->fn) || verify_bad(v, op, "clusters of two sizes");
}

static bool check_meet(Verifier *v, const Op *op) {
    int64_t blocks = meet_blocks(op);
    if (!is_cluster(v, op, blocks, meet_within(op))) return false;
    if (op->parent != v->fn->body) return verify_bad(v, op, "not at the top of the function");
    if (op->num_results != op->num_operands * blocks)
        return verify_bad(v, op, "%d results, not %d", op->num_results,
                          op->num_operands * (int)blocks);
    for (int i = 0; i < op->num_results; i++) {
        const Type *type = op->operands[i / blocks]->type;
        if (!want(v, op, !type_is_tile(type) && !type_is_bool(type), "a scalar", type) ||
            !same_type(v, op, type, op->results[i].type))
            return false;
    }
    return true;
}

enum { MOST_PIECES = 1 << 20 };

static bool check_row(Verifier *v, const Op *op, const Value *piece, int64_t row, int64_t pieces) {
    const Type *number = op->operands[0]->type, *type = piece->type;
    if (!want(v, op, number->kind == TYPE_I32, "the number of a piece, i32", number)) return false;
    if (!want(v, op, type_is_tile(type) && !type_is_bool(type), "a tile of numbers", type))
        return false;
    if (row < 0 || row >= MAX_ROWS || pieces < 1 || pieces > MOST_PIECES)
        return verify_bad(v, op, "row %lld of %lld pieces", (long long)row, (long long)pieces);
    if (!v->rows[row]) v->rows[row] = type, v->pieces[row] = pieces;
    if (v->pieces[row] != pieces)
        return verify_bad(v, op, "row %lld of %lld pieces, and of %lld", (long long)row,
                          (long long)pieces, (long long)v->pieces[row]);
    return same_type(v, op, v->rows[row], type);
}

static bool check_leaf(Verifier *v, const Op *op, TypeRule rule) {
    const Type *r = op->num_results == 1 ? op->results[0].type : NULL;
    if (rule == RULE_CONSTANT) {
        uint64_t bits = constant_bits(op);
        return type_bits(r) == 64 || bits >> type_bits(r) == 0 ||
               verify_bad(v, op, "bits do not fit %s", verify_text_of(v, r));
    }
    if (rule == RULE_ARANGE) {
        int64_t start = arange_start(op), end = arange_end(op);
        if (start < INT32_MIN || end > INT32_MAX || end <= start || end - start > MAX_LANES)
            return verify_bad(v, op, "bad range [%lld, %lld)", (long long)start, (long long)end);
        return result_is(v, op, 1, (int[]){(int)(end - start)}, type_scalar(TYPE_I32));
    }
    if (op->kind == OP_RANK)
        return is_cluster(v, op, rank_blocks(op), rank_within(op)) &&
               want(v, op, r->kind == TYPE_I32, "a result of i32", r);
    return axis_in(v, op, grid_axis(op), 3) &&
           want(v, op, r->kind == TYPE_I32, "a result of i32", r);
}

/* Lane by lane: all tiles have one shape, and with tiles come tiles. */
static bool check_asm(Verifier *v, const Op *op) {
    const Type *shape = op->num_results ? op->results[0].type : NULL;
    for (int i = 1; i < op->num_results; i++)
        if (!same_shape(v, op, shape, op->results[i].type)) return false;
    for (int i = 0; i < op->num_operands; i++) {
        const Type *type = op->operands[i]->type;
        if (type_is_tile(type) && shape && !same_shape(v, op, shape, type)) return false;
    }
    return true;
}

static bool check_special(Verifier *v, const Op *op) {
    if (op->kind == OP_ASSUME)
        return want(v, op, op->operands[0]->type->kind == TYPE_I1, "a scalar i1",
                    op->operands[0]->type);
    if (op->kind == OP_INLINE_ASM) return check_asm(v, op);
    if (op->kind == OP_ASSERT)
        return want(v, op, type_is_bool(assert_condition(op)->type), "i1",
                    assert_condition(op)->type) &&
               (!assert_mask(op) || check_mask(v, op, assert_mask(op)->type));
    return true;
}

static bool check_select(Verifier *v, const Op *op) {
    const Type *condition = select_condition(op)->type, *r = op->results[0].type;
    if (!want(v, op, type_is_bool(condition), "a condition of i1", condition)) return false;
    if (type_is_tile(condition) && !same_shape(v, op, condition, r)) return false;
    return same_type(v, op, select_a(op)->type, select_b(op)->type) &&
           same_type(v, op, select_a(op)->type, r);
}

static bool check_compare(Verifier *v, const Op *op, const Type *a) {
    bool fits = op->kind == OP_FCMP ? type_is_float(a) : type_is_int(a) || type_is_ptr(a);
    return want(v, op, fits, op->kind == OP_FCMP ? "floats" : "integers or pointers", a) &&
           all_operands_same(v, op) && result_is(v, op, a->rank, a->shape, type_scalar(TYPE_I1));
}

static bool check_uniform(Verifier *v, const Op *op, const Type *a, bool fits, const char *what) {
    return want(v, op, fits, what, a) && all_operands_same(v, op) &&
           same_type(v, op, a, op->results[0].type);
}

static bool check_rule(Verifier *v, const Op *op) {
    const Type *a = op->num_operands ? op->operands[0]->type : NULL;
    const Type *r = op->num_results ? op->results[0].type : NULL;
    TypeRule rule = op_infos[op->kind].rule;
    switch (rule) {
    case RULE_NONE: return check_special(v, op);
    case RULE_ANY: return true;
    case RULE_CONSTANT:
    case RULE_ARANGE:
    case RULE_I32: return check_leaf(v, op, rule);
    case RULE_ALLOC: return verify_alloc(v, op);
    case RULE_WARP: return verify_warp(v, op);
    case RULE_PRINTF: return verify_printf(v, op);
    case RULE_CALL: return verify_call(v, op);
    case RULE_SPLAT:
        return want(v, op, !type_is_tile(a), "a scalar", a) &&
               want(v, op, type_is_tile(r), "a tile", r) && same_type(v, op, a, type_lane(r));
    case RULE_BROADCAST: return check_broadcast(v, op, a, r);
    case RULE_EXPAND_DIMS: return check_expand_dims(v, op, a);
    case RULE_RESHAPE:
        return (a->lanes == r->lanes && type_lane(a) == type_lane(r)) ||
               verify_bad(v, op, "%s does not reshape to %s", verify_text_of(v, a),
                          verify_text_of(v, r));
    case RULE_TRANS: return check_trans(v, op, a);
    case RULE_CONVERT:
        return want(v, op, type_is_tile(a), "a tile", a) &&
               same_type(v, op, type_placed(v->fn->types, a, r->place), r);
    case RULE_JOIN: return check_join(v, op, a);
    case RULE_SPLIT: return check_split(v, op, a);
    case RULE_GATHER: return check_gather(v, op, a);
    case RULE_INT1:
    case RULE_INT2: {
        bool fits = type_is_int(a) && (op->kind != OP_MULHI_U || type_bits(a) >= 32);
        return check_uniform(v, op, a, fits, "integers");
    }
    case RULE_COMPARE: return check_compare(v, op, a);
    case RULE_FLOAT1:
    case RULE_FLOAT2:
    case RULE_FLOAT3:
        return check_uniform(v, op, a, is_number_float(a), "floats of 16 bits or more");
    case RULE_MATH1:
        return check_uniform(v, op, a, is_number_float(a) && type_bits(a) >= 32, "f32 or f64");
    case RULE_SELECT: return check_select(v, op);
    case RULE_INT_WIDEN:
    case RULE_INT_NARROW:
    case RULE_FLOAT_WIDEN:
    case RULE_FLOAT_NARROW:
    case RULE_INT_TO_FLOAT:
    case RULE_FLOAT_TO_INT:
    case RULE_BITCAST: return check_cast(v, op, a, r, rule);
    case RULE_ADDPTR: {
        const Type *offset = addptr_offset(op)->type;
        return want(v, op, type_is_ptr(a), "a pointer", a) &&
               want(v, op, type_is_int(offset), "an integer offset", offset) &&
               same_shape(v, op, a, offset) && same_type(v, op, a, r);
    }
    case RULE_LOAD: return check_load(v, op);
    case RULE_STORE: return check_store(v, op);
    case RULE_ATOMIC_RMW: return check_rmw(v, op);
    case RULE_ATOMIC_CAS: return check_cas(v, op);
    case RULE_REDUCE: return check_reduce(v, op, false);
    case RULE_SCAN: return check_reduce(v, op, true);
    case RULE_MEET: return check_meet(v, op);
    case RULE_STOW: return check_row(v, op, stow_tile(op), stow_row(op), stow_pieces(op));
    case RULE_FETCH: return check_row(v, op, op_result(op), fetch_row(op), fetch_pieces(op));
    case RULE_HISTOGRAM: return check_histogram(v, op, a);
    case RULE_DOT: return check_dot(v, op);
    case RULE_SAME1:
        if (!same_type(v, op, a, r)) return false;
        if (op->kind == OP_HINT) return check_hint(v, op, a);
        if (op->kind != OP_SORT_STEP) return true;
        return (sort_step_mask(op) >= 0 && sort_step_mask(op) < a->lanes) ||
               verify_bad(v, op, "mask is outside the tile");
    case RULE_RING:
    case RULE_TURN:
    case RULE_FILL:
    case RULE_PUT:
    case RULE_PEEK: return verify_ring_op(v, op);
    case RULE_IF: return check_if(v, op);
    case RULE_FOR: return check_for(v, op);
    case RULE_WHILE: return check_while(v, op);
    }
    return true;
}

/* ---- structure and dominance ---- */

static bool define(Verifier *v, const Op *op, const Value *value) {
    if (value->id < 0 || value->id >= v->fn->num_values || v->seen[value->id])
        return verify_bad(v, op, "the id %d of a value is taken or out of range", value->id);
    if (!verify_type(v, op, value->type)) return false;
    if (value->type->kind == TYPE_RING && !(op && op->kind == OP_RING))
        return verify_bad(v, op, "only 'ring' makes a ring");
    v->seen[value->id] = value;
    v->visible[value->id] = true;
    v->defined_at[value->id] = v->depth;
    return true;
}

static bool check_use(Verifier *v, const Op *op, int index) {
    const Value *value = op->operands[index];
    bool known = value && value->id >= 0 && value->id < v->fn->num_values &&
                 v->seen[value->id] == value && v->visible[value->id];
    if (!known) return verify_bad(v, op, "operand %d is not defined here", index);
    if (value->type->kind == TYPE_RING && !(index == 0 && is_turn_op(op)))
        return verify_bad(v, op, "operand %d is a ring", index);
    return v->defined_at[value->id] >= v->isolated_depth ||
           verify_bad(v, op, "operand %d comes from outside the region", index);
}

static bool check_attrs(Verifier *v, const Op *op) {
    for (int i = 0; i < MAX_ATTRS; i++) {
        const AttrInfo *info = &op_infos[op->kind].attrs[i];
        bool is_enum = info->kind >= ATTR_ICMP && info->kind < NUM_ATTR_KINDS;
        if (is_enum && !attr_word(info->kind, op->attrs[i].i))
            return verify_bad(v, op, "attribute '%s' has no such word", info->name);
    }
    return true;
}

static bool check_counts(Verifier *v, const Op *op) {
    const OpInfo *info = &op_infos[op->kind];
    bool many = info->most_operands >= 0 && op->num_operands > info->most_operands;
    if (op->num_operands < info->least_operands || many)
        return verify_bad(v, op, "has %d operands", op->num_operands);
    if (info->num_results >= 0 && op->num_results != info->num_results)
        return verify_bad(v, op, "has %d results, expected %d", op->num_results, info->num_results);
    if (op->num_regions != info->num_regions)
        return verify_bad(v, op, "has %d regions, expected %d", op->num_regions, info->num_regions);
    return true;
}

static bool check_region(Verifier *v, const Op *owner, const Region *region);

static bool check_regions(Verifier *v, const Op *op) {
    for (int i = 0; i < op->num_regions; i++)
        if (!check_region(v, op, op->regions[i])) return false;
    return true;
}

/* Each begins with the scratch that is in use before it; behind them that of either is. */
static bool check_arms(Verifier *v, const Op *op) {
    int start = v->busy_start, end = v->busy_end, first = INT_MAX, last = 0;
    for (int i = 0; i < op->num_regions; i++) {
        v->busy_start = start, v->busy_end = end;
        if (!check_region(v, op, op->regions[i])) return false;
        if (v->busy_start < v->busy_end && v->busy_start < first) first = v->busy_start;
        if (v->busy_start < v->busy_end && v->busy_end > last) last = v->busy_end;
    }
    v->busy_start = last ? first : 0, v->busy_end = last;
    return true;
}

static bool check_op(Verifier *v, const Op *op, const Region *region) {
    if (op->kind >= NUM_OP_KINDS) return verify_bad(v, NULL, "there is no op %d", (int)op->kind);
    if (op->parent != region) return verify_bad(v, op, "does not know its region");
    if (!check_counts(v, op) || !check_attrs(v, op)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!check_use(v, op, i)) return false;
    if ((op->kind == OP_YIELD) != (op == region->last))
        return verify_bad(v, op, "a region must end with its only yield");
    int outer = v->isolated_depth;
    if (op_has_trait(op, ISOLATED)) v->isolated_depth = v->depth + 1;
    int busy_start = v->busy_start, busy_end = v->busy_end;
    if (op->kind == OP_IF ? !check_arms(v, op) : !check_regions(v, op)) return false;
    bool loops = op->kind == OP_FOR || op->kind == OP_WHILE;
    if (loops && verify_leaves_shared(op)) v->busy_start = busy_start, v->busy_end = busy_end;
    v->isolated_depth = outer;
    for (int i = 0; i < op->num_results; i++)
        if (!define(v, op, &op->results[i])) return false;
    return check_rule(v, op) && verify_places(v, op);
}

static bool check_region(Verifier *v, const Op *owner, const Region *region) {
    if (v->depth == MAX_DEPTH) return verify_bad(v, owner, "regions are nested too deeply");
    if (region->owner != owner) return verify_bad(v, owner, "a region does not know its owner");
    if (!region_yield(region)) return verify_bad(v, owner, "a region must end with its only yield");
    v->depth++;
    bool follows = owner && owner->kind == OP_WHILE && region == owner->regions[1];
    bool is_path = owner && owner->kind != OP_IF && !op_has_trait(owner, ISOLATED);
    if (is_path && !follows) verify_paths_meet(v); /* the body is behind its condition alone */
    for (int i = 0; i < region->num_args; i++)
        if (!define(v, owner, region->args[i])) return false;
    const Op *prev = NULL;
    for (const Op *op = region->first; op; prev = op, op = op->next) {
        if (op->prev != prev) return verify_bad(v, op, "ops are not linked both ways");
        if (!check_op(v, op, region)) return false;
    }
    for (const Op *op = region->first; op; op = op->next)
        for (int i = 0; i < op->num_results; i++) v->visible[op->results[i].id] = false;
    for (int i = 0; i < region->num_args; i++) v->visible[region->args[i]->id] = false;
    v->depth--;
    return true;
}

const char *func_verify_at(Arena *arena, const Func *fn, const Op **where) {
    Verifier v = {.arena = arena, .fn = fn};
    v.seen = arena_array(arena, const Value *, fn->num_values);
    v.visible = arena_array(arena, bool, fn->num_values);
    v.defined_at = arena_array(arena, int, fn->num_values);
    bool ok = verify_form(&v);
    if (ok && fn->num_params != fn->body->num_args)
        ok = verify_bad(&v, NULL, "parameters and the body's arguments differ");
    for (int i = 0; ok && i < fn->num_params; i++) {
        const Type *type = fn->params[i].value->type;
        if (fn->params[i].value != fn->body->args[i])
            ok = verify_bad(&v, NULL, "parameter %d is not argument %d", i, i);
        else if (type_is_tile(type))
            ok = verify_bad(&v, NULL, "parameter %d is a tile", i);
    }
    ok = ok && check_region(&v, NULL, fn->body);
    if (ok && region_yield(fn->body)->num_operands)
        ok = verify_bad(&v, NULL, "a kernel yields nothing");
    if (ok && v.has_rings) ok = verify_rings(&v);
    if (ok && v.has_async) verify_under_way(&v);
    if (where) *where = v.where;
    return v.why;
}

const char *func_verify(Arena *arena, const Func *fn) { return func_verify_at(arena, fn, NULL); }
