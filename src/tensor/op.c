// SPDX-License-Identifier: Apache-2.0
/* op: pointwise ops: are the operands in order, which type and shape has the result, run it. */
#include "tensor/plan.h"
#include "tensor/tape.h"

/* ---- types ---- */

static bool is_bool(const tern_operand *operand) {
    return operand->kind == TERN_OPERAND_BOOL ||
           (operand->kind == TERN_OPERAND_TENSOR && operand->tensor->dtype == TERN_BOOL);
}

static bool refuse_type(tern_session *session, const OpRow *row, tern_dtype dtype) {
    if (dtype == TERN_BOOL && !strcmp(row->name, "neg"))
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                     "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
    else if (dtype == TERN_BOOL && !strcmp(row->name, "relu"))
        session_fail(session, TERN_ERROR_ARGUMENT, "Boolean inputs not supported for relu");
    else
        session_fail(session, TERN_ERROR_UNSUPPORTED, "\"%s\" not implemented for '%s'", row->name,
                     torch_type_name(dtype));
    return false;
}

/* Type of the row's result and the type it computes in; false: said. */
static bool row_types(tern_session *session, int op, const tern_operand *operands, int count,
                      tern_dtype *compute, tern_dtype *result) {
    const OpRow *row = op_row(op);
    if (row->rule == RULE_WHERE) {
        tern_dtype condition =
            operands[0].kind == TERN_OPERAND_TENSOR ? operands[0].tensor->dtype : TERN_VOID;
        if (condition != TERN_BOOL) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "where expected condition to be a boolean tensor, but got a tensor with "
                         "dtype %s",
                         torch_type_name(condition));
            return false;
        }
        operands++, count--;
    }
    tern_dtype type = promote_operands(session, operands, count);
    if (type == TERN_VOID) return false;
    if (op == TERN_OP_square && type == TERN_BOOL) type = TERN_INT64;
    *result = type;
    if ((row->rule == RULE_FLOAT || row->rule == RULE_CLOSE) && !tern_dtype_is_float(type))
        *result = TERN_FLOAT32;
    *compute = compute_type(*result);
    if (row->rule == RULE_CLOSE || row->rule == RULE_COMPARE || row->rule == RULE_TRUTH)
        *result = TERN_BOOL;
    if (op == TERN_OP_copy) {
        *compute = type;
        return true;
    }
    if (row->rule == RULE_CLOSE && operands[0].kind == operands[1].kind &&
        operands[0].tensor->dtype != operands[1].tensor->dtype) {
        session_fail(session, TERN_ERROR_ARGUMENT, "%s did not match %s",
                     torch_type_name(operands[0].tensor->dtype),
                     torch_type_name(operands[1].tensor->dtype));
        return false;
    }
    if (op == TERN_OP_sub && (is_bool(&operands[0]) || is_bool(&operands[1]))) {
        bool both = is_bool(&operands[0]) && is_bool(&operands[1]);
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Subtraction, the `-` operator, with %s not supported. %s",
                     both ? "two bool tensors is" : "a bool tensor is",
                     both ? "Use the `^` or `logical_xor()` operator instead."
                          : "If you are trying to invert a mask, use the `~` or `logical_not()` "
                            "operator instead.");
        return false;
    }
    if (!dtype_is_computed(type) || !row_formula(row, *compute))
        return refuse_type(session, row, type);
    return true;
}

/* ---- operands ---- */

/* The tensors among them; NULL where one is not there, or they are of several sessions. */
static tern_session *operands_session(const tern_operand *operands, int count,
                                      const tern_tensor **tensors, int *num_tensors) {
    tern_session *session = NULL;
    *num_tensors = 0;
    for (int i = 0; i < count; i++) {
        if (operands[i].kind != TERN_OPERAND_TENSOR) continue;
        tern_tensor *tensor = operands[i].tensor;
        if (!tensor_is_live(tensor)) return NULL;
        if (session && tensor->session != session) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "the operands are tensors of different sessions");
            return NULL;
        }
        session = tensor->session;
        tensors[(*num_tensors)++] = tensor;
    }
    return session;
}

static bool check_count(tern_session *session, int op, int count) {
    const OpRow *row = op_row(op);
    if (row && row->kind <= ROW_TERNARY && row_num_operands(row) == count) return true;
    session_fail(session, TERN_ERROR_ARGUMENT, "tern_op: %s with %d operands",
                 row ? row->name : "no op", count);
    return false;
}

/* Integers are never divided by zero: PyTorch's words, before anything runs. */
static bool check_divisor(tern_session *session, int op, const tern_operand *operands,
                          tern_dtype compute) {
    if (!dtype_is_integer(compute) ||
        (op != TERN_OP_floor_divide && op != TERN_OP_remainder && op != TERN_OP_fmod))
        return true;
    int64_t zeros = 0;
    const tern_operand *divisor = &operands[1];
    if (session->trace && divisor->kind == TERN_OPERAND_TENSOR) {
        session_fail(session, TERN_ERROR_UNSUPPORTED,
                     "%s by a tensor of integers: the divisor is looked at before the op runs, "
                     "which a function that is traced cannot",
                     op_row(op)->name);
        return false;
    }
    if (divisor->kind != TERN_OPERAND_TENSOR)
        zeros = divisor->integer == 0;
    else if (divisor->tensor->numel) {
        tern_tensor *is_zero = tern_eq_integer(divisor->tensor, 0);
        tern_tensor *some = tern_any(is_zero, NULL, 0, false);
        tern_status status = tern_item_int(some, &zeros);
        tern_drop(is_zero);
        tern_drop(some);
        if (status) return false;
    }
    if (zeros) session_fail(session, TERN_ERROR_ARGUMENT, "ZeroDivisionError");
    return !zeros;
}

static bool check_power(tern_session *session, int op, const tern_operand *operands,
                        tern_dtype compute) {
    if (op != TERN_OP_pow || !dtype_is_integer(compute) ||
        operands[1].kind == TERN_OPERAND_TENSOR || operands[1].integer >= 0)
        return true;
    session_fail(session, TERN_ERROR_ARGUMENT,
                 "Integers to negative integer powers are not allowed.");
    return false;
}

/* PyTorch has these with a number as ops of fewer operands. */
static bool counts_numbers(tern_op_id op) { return op != TERN_OP_pow && op != TERN_OP_clamp; }

/* Of integers PyTorch has these as tensors like theirs, full of one value. */
static bool is_constant(tern_op_id op, tern_dtype compute) {
    return (op == TERN_OP_isfinite || op == TERN_OP_isinf) && !tern_dtype_is_float(compute);
}

static bool is_empty(int rank, const int64_t *shape) {
    for (int d = 0; d < rank; d++)
        if (!shape[d]) return true;
    return false;
}

static tern_tensor *op_new(tern_session *session, tern_op_id op, const tern_operand *operands,
                           int count, const tern_tensor *const *tensors, int num_tensors, double p,
                           double q) {
    int rank;
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    tern_dtype compute, result;
    bool is_typed = row_types(session, (int)op, operands, count, &compute, &result);
    /* Sizes come first where a type is merely not there. */
    if (!is_typed && tern_message_status(session->context) != TERN_ERROR_UNSUPPORTED) return NULL;
    if (!broadcast(session, tensors, num_tensors, &rank, shape) || !is_typed ||
        (!is_empty(rank, shape) && !check_divisor(session, (int)op, operands, compute)) ||
        !check_power(session, (int)op, operands, compute))
        return NULL;
    bool is_like = op == TERN_OP_copy || is_constant(op, compute);
    if (is_like && tensor_is_dense(tensors[0]))
        memcpy(strides, tensors[0]->strides, sizeof strides);
    else
        result_strides(tensors, num_tensors, counts_numbers(op) && num_tensors < count, rank, shape,
                       strides);
    tern_tensor *out = tern_empty_strided(session, result, rank, shape, strides);
    if (!out || !map_run(session, (int)op, operands, count, compute, p, q, out)) return out;
    tern_drop(out);
    return NULL;
}

/* As PyTorch does, where takes bytes for a mask. NULL with is_mask: no memory. */
static tern_tensor *mask_of_bytes(tern_op_id op, const tern_operand *operands, bool *is_mask) {
    *is_mask = op == TERN_OP_where && operands[0].kind == TERN_OPERAND_TENSOR &&
               operands[0].tensor->dtype == TERN_UINT8;
    return *is_mask ? tern_ne_integer(operands[0].tensor, 0) : NULL;
}

tern_tensor *tern_op(tern_op_id op, const tern_operand *operands, int count, double p, double q) {
    const tern_tensor *tensors[MAX_INPUTS];
    int num_tensors;
    if (count < 1 || count > 3) return NULL;
    tern_session *session = operands_session(operands, count, tensors, &num_tensors);
    if (!session || !check_count(session, (int)op, count)) return NULL;
    bool is_mask;
    tern_tensor *mask = mask_of_bytes(op, operands, &is_mask);
    if (is_mask) {
        tern_tensor *of_mask = mask ? tern_where(tern_of(mask), operands[1], operands[2]) : NULL;
        tern_drop(mask);
        return of_mask;
    }
    op_begin(session, op_row((int)op)->name, operands, count);
    tern_tensor *out = op_new(session, op, operands, count, tensors, num_tensors, p, q);
    if (out && tape_wants(session, operands, count))
        out = tape_row(out, (int)op, operands, count, &(Attributes){.p = p, .q = q});
    tern_range_pop(session->context);
    return out;
}

/* ---- into a tensor that is there ---- */

/* May two indices be one element? Sorted by stride, each must step over all that lie inside of
 * it. */
static bool may_overlap_itself(const tern_tensor *tensor) {
    int order[TERN_MAX_RANK], count = 0;
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->shape[d] < 2) continue;
        int at = count++;
        for (; at > 0 && tensor->strides[order[at - 1]] > tensor->strides[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    int64_t inside = 0;
    for (int i = 0; i < count; i++) {
        int64_t stride = tensor->strides[order[i]];
        if (stride <= inside) return true;
        inside += (tensor->shape[order[i]] - 1) * stride;
    }
    return false;
}

bool is_same_view(const tern_tensor *a, const tern_tensor *b) {
    if (a->offset != b->offset || a->rank != b->rank || a->dtype != b->dtype) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->strides[d] != b->strides[d]))
            return false;
    return true;
}

/* The bytes from the first to the last element; two views whose bytes are apart do not meet. */
static bool meet(const tern_tensor *a, const tern_tensor *b) {
    bool same = a->storage == b->storage ||
                (a->storage->buffer && a->storage->buffer == b->storage->buffer);
    if (!same || !a->numel || !b->numel) return false;
    int64_t a_size = (int64_t)tern_dtype_size(a->dtype),
            b_size = (int64_t)tern_dtype_size(b->dtype);
    return a->offset * a_size < (b->offset + tensor_extent(b)) * b_size &&
           b->offset * b_size < (a->offset + tensor_extent(a)) * a_size;
}

static bool check_out(tern_session *session, const tern_tensor *out, tern_dtype result,
                      const tern_tensor *const *tensors, int num_tensors, int rank,
                      const int64_t *shape) {
    bool same = out->rank == rank;
    for (int d = 0; d < rank && same; d++) same = out->shape[d] == shape[d];
    if (!same)
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "output with shape %s doesn't match the broadcast shape %s",
                     sizes_text(out->shape, out->rank).text, sizes_text(shape, rank).text);
    else if (!can_cast(result, out->dtype))
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "result type %s can't be cast to the desired output type %s",
                     torch_type_name(result), torch_type_name(out->dtype));
    else if (out->numel && may_overlap_itself(out))
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "unsupported operation: more than one element of the written-to tensor refers "
                     "to a single memory location. Please clone() the tensor before performing the "
                     "operation.");
    else {
        for (int i = 0; i < num_tensors; i++)
            if (meet(out, tensors[i]) && !is_same_view(out, tensors[i])) {
                session_fail(session, TERN_ERROR_ARGUMENT,
                             "unsupported operation: some elements of the input tensor and the "
                             "written-to tensor refer to a single memory location. Please clone() "
                             "the tensor before performing the operation.");
                return false;
            }
        return true;
    }
    return false;
}

static tern_status op_into(tern_tensor *out, tern_op_id op, const tern_operand *operands, int count,
                           const tern_tensor **tensors, int num_tensors, double p, double q,
                           bool converts) {
    tern_session *session = out->session;
    int rank;
    int64_t shape[TERN_MAX_RANK];
    tern_dtype compute, result;
    tensors[num_tensors] = out;
    if (!row_types(session, (int)op, operands, count, &compute, &result) ||
        !broadcast(session, tensors, num_tensors + converts, &rank, shape) ||
        !check_out(session, out, converts ? out->dtype : result, tensors, num_tensors, rank,
                   shape) ||
        (!is_empty(rank, shape) && !check_divisor(session, (int)op, operands, compute)) ||
        !check_power(session, (int)op, operands, compute))
        return tern_message_status(session->context);
    Write write;
    bool in_place = converts;
    for (int i = 0; i < count && !in_place; i++)
        in_place = operands[i].kind == TERN_OPERAND_TENSOR &&
                   operands[i].tensor->storage == out->storage &&
                   is_same_view(operands[i].tensor, out);
    if (!tape_write_begin(out, (int)op, operands, count, p, q, in_place, &write))
        return tern_message_status(session->context);
    return tape_write_end(out, &write,
                          map_run(session, (int)op, operands, count, compute, p, q, out));
}

static tern_status into(tern_tensor *out, tern_op_id op, const tern_operand *operands, int count,
                        double p, double q, bool converts) {
    const tern_tensor *tensors[MAX_INPUTS + 1];
    int num_tensors;
    if (count < 1 || count > 3 || !tensor_is_live(out)) return TERN_ERROR_ARGUMENT;
    tern_session *session = operands_session(operands, count, tensors, &num_tensors);
    if (!session) return TERN_ERROR_ARGUMENT;
    if (session != out->session)
        return session_fail(session, TERN_ERROR_ARGUMENT,
                            "the operands are tensors of different sessions");
    if (!check_count(session, (int)op, count)) return tern_message_status(session->context);
    bool is_mask;
    tern_tensor *mask = mask_of_bytes(op, operands, &is_mask);
    if (is_mask && !mask) return tern_message_status(session->context);
    if (is_mask) {
        const tern_operand with[] = {tern_of(mask), operands[1], operands[2]};
        tern_status status = into(out, op, with, count, p, q, converts);
        tern_drop(mask);
        return status;
    }
    op_begin(session, op_row((int)op)->name, operands, count);
    tern_status status = op_into(out, op, operands, count, tensors, num_tensors, p, q, converts);
    tern_range_pop(session->context);
    return status;
}

tern_status tern_op_into(tern_tensor *out, tern_op_id op, const tern_operand *operands, int count,
                         double p, double q) {
    return into(out, op, operands, count, p, q, false);
}

tern_status tern_copy_into(tern_tensor *to, tern_tensor *from) {
    return into(to, TERN_OP_copy, (tern_operand[]){tern_of(from)}, 1, 0, 0, true);
}

tern_tensor *tern_clone(tern_tensor *tensor) { return tern_copy(tensor); }

tern_tensor *tern_contiguous(tern_tensor *tensor) {
    if (!tensor_is_live(tensor)) return NULL;
    if (tensor->is_contiguous) return tape_alias(view_same(tensor), tensor);
    tern_tensor *out = tern_empty(tensor->session, tensor->dtype, tensor->rank, tensor->shape);
    if (!out || !tern_copy_into(out, tensor)) return tape_name(out, "Clone");
    tern_drop(out);
    return NULL;
}

tern_tensor *tern_to(tern_tensor *tensor, tern_dtype dtype) {
    if (!tensor_is_live(tensor)) return NULL;
    if (tensor->dtype == dtype) return tape_alias(view_same(tensor), tensor);
    int64_t strides[TERN_MAX_RANK];
    result_strides((const tern_tensor *const[]){tensor}, 1, false, tensor->rank, tensor->shape,
                   strides);
    tern_tensor *out =
        tern_empty_strided(tensor->session, dtype, tensor->rank, tensor->shape, strides);
    if (!out || !tern_copy_into(out, tensor)) return tape_name(out, "ToCopy");
    tern_drop(out);
    return NULL;
}

/* ---- the functions of the header ---- */

#define TERN_UNARY(name, ...)                                                                      \
    tern_tensor *tern_##name(tern_tensor *x) {                                                     \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(x)}, 1, 0, 0);                     \
    }
#define TERN_UNARY_1(name, ...)                                                                    \
    tern_tensor *tern_##name(tern_tensor *x, double p) {                                           \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(x)}, 1, p, 0);                     \
    }
#define TERN_UNARY_2(name, ...)                                                                    \
    tern_tensor *tern_##name(tern_tensor *x, double p, double q) {                                 \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(x)}, 1, p, q);                     \
    }
#define TERN_BINARY(name, ...)                                                                     \
    tern_tensor *tern_##name(tern_tensor *a, tern_tensor *b) {                                     \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(a), tern_of(b)}, 2, 0, 0);         \
    }                                                                                              \
    tern_tensor *tern_##name##_number(tern_tensor *a, double b) {                                  \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(a), tern_number(b)}, 2, 0, 0);     \
    }                                                                                              \
    tern_tensor *tern_##name##_integer(tern_tensor *a, int64_t b) {                                \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(a), tern_integer(b)}, 2, 0, 0);    \
    }
#define TERN_BINARY_2(name, ...)                                                                   \
    tern_tensor *tern_##name(tern_tensor *a, tern_tensor *b, double p, double q) {                 \
        return tern_op(TERN_OP_##name, (tern_operand[]){tern_of(a), tern_of(b)}, 2, p, q);         \
    }
#define TERN_TERNARY(name, ...)                                                                    \
    tern_tensor *tern_##name(tern_operand a, tern_operand b, tern_operand c) {                     \
        return tern_op(TERN_OP_##name, (tern_operand[]){a, b, c}, 3, 0, 0);                        \
    }
#include "tern_tensor_ops.def"
