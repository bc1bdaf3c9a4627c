// SPDX-License-Identifier: Apache-2.0
/* index: elements at places that another tensor says, tensors put together, triangles,
 * comparison. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdlib.h>

/* ---- places ---- */

static bool check_index_type(const tern_tensor *index, IndexKind kind) {
    if (index->dtype == TERN_INT32 || index->dtype == TERN_INT64) return true;
    if (kind == OF_EMBEDDING)
        session_fail(
            index->session, TERN_ERROR_ARGUMENT,
            "Expected tensor for argument #1 'indices' to have one of the following scalar "
            "types: Long, Int; but got torch.%sTensor instead (while checking arguments for "
            "embedding)",
            torch_type_name(index->dtype));
    else
        session_fail(index->session, TERN_ERROR_ARGUMENT, "%s(): Expected dtype %s for index",
                     kind == OF_GATHER ? "gather" : "index_select",
                     kind == OF_GATHER ? "int32/int64" : "int32 or int64");
    return false;
}

/* The least or the largest, seen as of a type. False: it failed. */
static bool find_end(const tern_tensor *index, int op, tern_dtype dtype, unsigned char end[8]) {
    tern_session *session = index->session;
    tern_tensor seen = *index, *out = tern_empty(session, dtype, 0, NULL);
    seen.dtype = dtype;
    RowCall call = {.session = session, .op = op, .compute = dtype, .x = &seen};
    for (int d = 0; d < index->rank; d++) call.in_row[d] = true;
    tern_status status = out ? rows_run(&call, out) : TERN_ERROR_NO_MEMORY;
    if (!status) status = tern_to_host(out, end, tern_dtype_size(dtype));
    tern_drop(out);
    return !status;
}

/* One number tells, which a negative one is larger than when it is unsigned. */
static bool find_fits(const tern_tensor *index, int64_t size, bool *fits) {
    unsigned char end[8];
    tern_dtype dtype = index->dtype == TERN_INT64 ? TERN_UINT64 : TERN_UINT32;
    *fits = false;
    if (index->dtype != TERN_INT64 && index->dtype != TERN_INT32) return true;
    if (!find_end(index, TERN_OP_amax, dtype, end)) return false;
    *fits = (uint64_t)tern_element_int(dtype, end) < (uint64_t)size;
    return true;
}

static bool find_range(const tern_tensor *index, int64_t *low, int64_t *high) {
    unsigned char ends[2][8];
    for (int i = 0; i < 2; i++)
        if (!find_end(index, i ? TERN_OP_amax : TERN_OP_amin, index->dtype, ends[i])) return false;
    *low = tern_element_int(index->dtype, ends[0]);
    *high = tern_element_int(index->dtype, ends[1]);
    return true;
}

/* Those that are ignored as 0. NULL: it failed. */
static tern_tensor *without_ignored(tern_tensor *index, const IndexRule *rule) {
    tern_tensor *counts = tern_ne_integer(index, rule->ignored);
    tern_tensor *safe = tern_where(tern_of(counts), tern_of(index), tern_integer(0));
    tern_drop(counts);
    return safe;
}

static bool say_outside(tern_session *session, int64_t outside, const IndexRule *rule) {
    long long place = (long long)outside, size = (long long)rule->size;
    switch (rule->kind) {
    case OF_GATHER:
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "index %lld is out of bounds for dimension %d with size %lld", place,
                     rule->dim, size);
        return false;
    case OF_SELECT_ALONG:
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "INDICES element is out of DATA bounds, id=%lld axis_dim=%lld", place, size);
        return false;
    case OF_CLASS:
        session_fail(session, TERN_ERROR_ARGUMENT, "Target %lld is out of bounds.", place);
        return false;
    case OF_SELECT:
    case OF_EMBEDDING: break;
    }
    session_fail(session, TERN_ERROR_ARGUMENT, "index out of range in self");
    return false;
}

bool check_bounds(tern_tensor *index, const IndexRule *rule) {
    int64_t low, high;
    bool fits;
    Trace *trace = index->session->trace;
    if (!index->numel) return true;
    if (trace) return trace_check_index(trace, index, rule);
    if (!find_fits(index, rule->size, &fits)) return false;
    if (fits) return true;
    if (rule->kind == OF_CLASS && (rule->ignored < 0 || rule->ignored >= rule->size)) {
        const IndexRule of_others = {OF_CLASS, rule->dim, rule->size, 0};
        tern_tensor *others = without_ignored(index, rule);
        fits = others && check_bounds(others, &of_others);
        tern_drop(others);
        return fits;
    }
    if (!find_range(index, &low, &high)) return false;
    if (low >= 0 && high < rule->size) return true;
    return say_outside(index->session, low < 0 ? low : high, rule);
}

static bool check_session(const tern_tensor *a, const tern_tensor *b) {
    if (!tensor_is_live(a) || !tensor_is_live(b)) return false;
    if (a->session == b->session) return true;
    session_fail(a->session, TERN_ERROR_ARGUMENT, "the operands are tensors of different sessions");
    return false;
}

/* A tensor as seen by a nest of loops: not one that anybody holds. */
static tern_tensor seen_as(const tern_tensor *tensor, int rank, const int64_t *shape,
                           const int64_t *strides) {
    tern_tensor seen = *tensor;
    seen.rank = rank;
    memcpy(seen.shape, shape, (size_t)rank * sizeof *shape);
    memcpy(seen.strides, strides, (size_t)rank * sizeof *strides);
    return seen;
}

static tern_tensor *take(int op, tern_tensor *x, const int64_t *x_strides, tern_tensor *index,
                         const int64_t *index_strides, int dim, int rank, const int64_t *shape) {
    const tern_operand operands[] = {tern_of(x), tern_of(index)};
    int64_t step = x->rank ? x->strides[dim] : 0;
    op_begin(x->session, op_row(op)->name, operands, 2);
    tern_tensor *out = tern_empty(x->session, x->dtype, rank, shape);
    tern_tensor from = seen_as(x, rank, shape, x_strides);
    tern_tensor at = seen_as(index, rank, shape, index_strides);
    bool failed = out && take_run(x->session, op, &from, &at, step, out);
    if (failed) {
        tern_drop(out);
        out = NULL;
    }
    out = tape_row(out, op, operands, 2, &(Attributes){.dim = dim});
    tern_range_pop(x->session->context);
    return out;
}

tern_tensor *tensor_gather(tern_tensor *x, int dim, tern_tensor *index) {
    int64_t strides[TERN_MAX_RANK];
    if (!x || !index) return NULL;
    for (int d = 0; d < x->rank; d++) strides[d] = d == dim ? 0 : x->strides[d];
    return take(TERN_OP_gather, x, strides, index, index->strides, dim, x->rank, index->shape);
}

tern_tensor *tern_gather(tern_tensor *x, int dim, tern_tensor *index) {
    if (!check_session(x, index) || !dim_wrap(x->session, x->rank, dim, &dim) ||
        !check_index_type(index, OF_GATHER))
        return NULL;
    if (index->rank != x->rank)
        return session_fail_null(
            x->session, TERN_ERROR_ARGUMENT,
            "Index tensor must have the same number of dimensions as input tensor");
    for (int d = 0; d < x->rank; d++)
        if (d != dim && index->shape[d] > x->shape[d])
            return session_fail_null(
                x->session, TERN_ERROR_ARGUMENT,
                "Size does not match at dimension %d expected index %s to be no "
                "larger than self %s apart from dimension %d",
                d, sizes_text(index->shape, index->rank).text, sizes_text(x->shape, x->rank).text,
                dim);
    if (!check_bounds(index, &(IndexRule){OF_GATHER, dim, x->rank ? x->shape[dim] : 1, 0}))
        return NULL;
    return tensor_gather(x, dim, index);
}

static tern_tensor *select_scalar(tern_tensor *x, tern_tensor *index) {
    if (index->numel != 1)
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "index_select(): Index to scalar can have only 1 value, got %lld "
                                 "value(s)",
                                 (long long)index->numel);
    tern_tensor *one = tern_unsqueeze(x, 0), *same = one ? tern_index_select(one, 0, index) : NULL;
    tern_tensor *out = same ? tern_reshape(same, 0, NULL) : NULL;
    tern_drop(same);
    tern_drop(one);
    return out;
}

tern_tensor *tern_index_select(tern_tensor *x, int dim, tern_tensor *index) {
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK], of_index[TERN_MAX_RANK] = {0};
    if (!check_session(x, index) || !dim_wrap(x->session, x->rank, dim, &dim)) return NULL;
    if (index->rank > 1)
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "index_select(): Index is supposed to be a vector");
    if (!check_index_type(index, OF_SELECT)) return NULL;
    if (!x->rank) return select_scalar(x, index);
    if (x->rank > 1 && index->numel && !x->shape[dim])
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "index_select(): self indexing axis dim should be positive");
    IndexKind kind = x->rank > 1 && (dim || !x->numel) ? OF_SELECT_ALONG : OF_SELECT;
    if (!check_bounds(index, &(IndexRule){kind, dim, x->shape[dim], 0})) return NULL;
    for (int d = 0; d < x->rank; d++) {
        shape[d] = d == dim ? index->numel : x->shape[d];
        strides[d] = d == dim ? 0 : x->strides[d];
    }
    if (index->rank) of_index[dim] = index->strides[0];
    return take(TERN_OP_index_select, x, strides, index, of_index, dim, x->rank, shape);
}

tern_tensor *tern_embedding(tern_tensor *indices, tern_tensor *weight) {
    if (!check_session(indices, weight)) return NULL;
    if (weight->rank != 2 || indices->rank == TERN_MAX_RANK)
        return session_fail_null(indices->session, TERN_ERROR_ARGUMENT, "'weight' must be 2-D");
    if (!check_index_type(indices, OF_EMBEDDING)) return NULL;
    tern_tensor *flat = tern_reshape(indices, 1, (const int64_t[]){-1});
    tern_tensor *rows = flat ? tern_index_select(weight, 0, flat) : NULL;
    int64_t shape[TERN_MAX_RANK];
    memcpy(shape, indices->shape, sizeof shape);
    shape[indices->rank] = weight->shape[1];
    tern_tensor *out = rows ? tern_view(rows, indices->rank + 1, shape) : NULL;
    tern_drop(flat);
    tern_drop(rows);
    return out;
}

/* Along the dimension, the last one first. */
tern_tensor *tensor_flip(tern_tensor *x, int dim) {
    int64_t strides[TERN_MAX_RANK], of_index[TERN_MAX_RANK] = {0};
    if (!x) return NULL;
    tern_tensor *index = tern_arange(x->session, TERN_INT64, (double)x->shape[dim] - 1, -1, -1);
    if (!index) return NULL;
    memcpy(strides, x->strides, sizeof strides);
    strides[dim] = 0;
    of_index[dim] = 1;
    tern_tensor *out =
        take(TERN_OP_index_select, x, strides, index, of_index, dim, x->rank, x->shape);
    tern_drop(index);
    return out;
}

/* ---- adding at places ---- */

/* In which additions by several programs come one by one: what tl.atomic_add has. */
static tern_dtype sum_type(tern_dtype dtype) {
    if (tern_dtype_is_float(dtype)) return compute_type(dtype);
    return tern_dtype_size(dtype) < 4 ? TERN_INT32 : dtype;
}

static tern_status put(tern_tensor *out, int dim, tern_tensor *index, tern_tensor *source) {
    int64_t strides[TERN_MAX_RANK];
    memcpy(strides, out->strides, sizeof strides);
    if (out->rank) strides[dim] = 0;
    tern_tensor to = seen_as(out, index->rank, index->shape, strides);
    to.numel = index->numel;
    to.is_contiguous = false;
    tern_tensor from = seen_as(source, index->rank, index->shape, source->strides);
    return put_run(out->session, TERN_OP_scatter_add, &from, index,
                   out->rank ? out->strides[dim] : 0, &to);
}

tern_tensor *tensor_scatter_add(tern_tensor *x, int dim, tern_tensor *index, tern_tensor *source) {
    tern_session *session = x->session;
    const tern_operand operands[] = {tern_of(x), tern_of(index), tern_of(source)};
    op_begin(session, "scatter_add", operands, 3);
    bool mode = tern_set_grad_mode(session, false);
    tern_dtype type = sum_type(x->dtype);
    tern_tensor *sums = tern_empty(session, type, x->rank, x->shape), *out = sums;
    bool failed = !sums || tern_copy_into(sums, x) || put(sums, dim, index, source);
    if (!failed && type != x->dtype) out = tern_to(sums, x->dtype);
    if (failed || out != sums) tern_drop(sums);
    tern_set_grad_mode(session, mode);
    if (!failed) out = tape_row(out, TERN_OP_scatter_add, operands, 3, &(Attributes){.dim = dim});
    tern_range_pop(session->context);
    return failed ? NULL : out;
}

static bool check_scatter(const tern_tensor *x, int dim, const tern_tensor *index,
                          const tern_tensor *source) {
    tern_session *session = x->session;
    if (index->rank != x->rank || source->rank != x->rank) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Index tensor must have the same number of dimensions as %s tensor",
                     index->rank != x->rank ? "self" : "src");
        return false;
    }
    if (source->dtype != x->dtype) {
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "scatter(): Expected self.dtype to be equal to src.dtype");
        return false;
    }
    if (x->dtype == TERN_BOOL || !dtype_is_computed(x->dtype)) {
        session_fail(session, TERN_ERROR_UNSUPPORTED, "\"scatter_add\" not implemented for '%s'",
                     torch_type_name(x->dtype));
        return false;
    }
    for (int d = 0; d < x->rank; d++)
        if (index->shape[d] > source->shape[d] || (d != dim && index->shape[d] > x->shape[d])) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "Expected index %s to be no larger than self %s apart from dimension %d "
                         "and to be no larger size than src %s",
                         sizes_text(index->shape, index->rank).text,
                         sizes_text(x->shape, x->rank).text, dim,
                         sizes_text(source->shape, source->rank).text);
            return false;
        }
    return true;
}

tern_tensor *tern_scatter_add(tern_tensor *x, int dim, tern_tensor *index, tern_tensor *source) {
    if (!check_session(x, index) || !check_session(x, source) ||
        !dim_wrap(x->session, x->rank, dim, &dim))
        return NULL;
    if (index->dtype != TERN_INT32 && index->dtype != TERN_INT64)
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "scatter(): Expected dtype int32/int64 for index");
    if (!check_scatter(x, dim, index, source) ||
        !check_bounds(index, &(IndexRule){OF_GATHER, dim, x->rank ? x->shape[dim] : 1, 0}))
        return NULL;
    return tensor_scatter_add(x, dim, index, source);
}

/* ---- together ---- */

/* PyTorch leaves an empty vector out, whatever the others are. */
static bool is_left_out(const tern_tensor *tensor) {
    return tensor->rank == 1 && !tensor->shape[0];
}

static bool check_parts(tern_tensor *const *tensors, int count, const tern_tensor *model, int dim,
                        tern_dtype *dtype, int64_t *size) {
    tern_session *session = model->session;
    *size = 0;
    *dtype = tensors[0]->dtype;
    for (int i = 0; i < count; i++) {
        const tern_tensor *part = tensors[i];
        *dtype = promote_types(session, *dtype, part->dtype);
        if (*dtype == TERN_VOID) return false;
        if (is_left_out(part)) continue;
        if (part->rank != model->rank) {
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "Tensors must have same number of dimensions: got %d and %d", model->rank,
                         part->rank);
            return false;
        }
        for (int d = 0; d < model->rank; d++)
            if (d != dim && part->shape[d] != model->shape[d]) {
                session_fail(session, TERN_ERROR_ARGUMENT,
                             "Sizes of tensors must match except in dimension %d. Expected size "
                             "%lld but got size %lld for tensor number %d in the list.",
                             dim, (long long)model->shape[d], (long long)part->shape[d], i);
                return false;
            }
        if (__builtin_add_overflow(*size, part->shape[dim], size)) *size = INT64_MAX;
    }
    return true;
}

/* NULL: one is gone, without dimensions, or of another session; or there is none. */
static const tern_tensor *model_of(tern_tensor *const *tensors, int count) {
    const tern_tensor *model = NULL;
    for (int i = 0; i < count; i++) {
        if (!check_session(tensors[0], tensors[i])) return NULL;
        if (!tensors[i]->rank) {
            session_fail(tensors[i]->session, TERN_ERROR_ARGUMENT,
                         "zero-dimensional tensor (at position %d) cannot be concatenated", i);
            return NULL;
        }
        if (!model || (is_left_out(model) && !is_left_out(tensors[i]))) model = tensors[i];
    }
    return model;
}

static tern_status copy_parts(tern_tensor *out, tern_tensor *const *tensors, int count, int dim) {
    int64_t at = 0;
    tern_status status = TERN_OK;
    for (int i = 0; i < count && !status; i++) {
        if (is_left_out(tensors[i]) || !tensors[i]->shape[dim]) continue;
        tern_tensor *place = tern_slice(out, dim, at, at + tensors[i]->shape[dim], 1);
        status = place ? tern_copy_into(place, tensors[i]) : TERN_ERROR_NO_MEMORY;
        tern_drop(place);
        at += tensors[i]->shape[dim];
    }
    return status;
}

/* What the tape is to know of it. */
static tern_tensor *put_together(tern_tensor *out, int kind, tern_tensor *const *tensors, int count,
                                 int dim) {
    if (!out || !tern_dtype_is_float(out->dtype) ||
        !tape_wants_tensors(out->session, tensors, count))
        return out;
    tern_operand *operands = malloc((size_t)count * sizeof *operands);
    TapeNode *node = NULL;
    for (int i = 0; i < count && operands; i++) operands[i] = tern_of(tensors[i]);
    if (operands)
        node = node_new(out->session, kind, operands, count, 1, 0);
    else
        session_fail(out->session, TERN_ERROR_NO_MEMORY, "out of memory");
    free(operands);
    if (node) node->attributes.dim = dim;
    return tape_attach(out, node);
}

tern_tensor *tern_cat(tern_tensor *const *tensors, int count, int dim) {
    int64_t shape[TERN_MAX_RANK], size;
    tern_dtype dtype;
    const tern_tensor *model = model_of(tensors, count);
    if (!model || !dim_wrap(model->session, model->rank, dim, &dim) ||
        !check_parts(tensors, count, model, dim, &dtype, &size))
        return NULL;
    memcpy(shape, model->shape, sizeof shape);
    shape[dim] = size;
    tern_tensor *out = tern_empty(model->session, dtype, model->rank, shape);
    bool mode = tern_set_grad_mode(model->session, false);
    if (out && copy_parts(out, tensors, count, dim)) {
        tern_drop(out);
        out = NULL;
    }
    tern_set_grad_mode(model->session, mode);
    return put_together(out, NODE_CAT, tensors, count, dim);
}

tern_tensor *tern_stack(tern_tensor *const *tensors, int count, int dim) {
    int64_t shape[TERN_MAX_RANK + 1];
    if (count < 1 || !tensor_is_live(tensors[0])) return NULL;
    const tern_tensor *model = tensors[0];
    tern_dtype dtype = model->dtype;
    if (!dim_wrap(model->session, model->rank + 1, dim, &dim)) return NULL;
    for (int i = 1; i < count; i++) {
        if (!check_session(model, tensors[i])) return NULL;
        bool same = tensors[i]->rank == model->rank;
        for (int d = 0; d < model->rank && same; d++)
            same = tensors[i]->shape[d] == model->shape[d];
        if (!same)
            return session_fail_null(model->session, TERN_ERROR_ARGUMENT,
                                     "stack expects each tensor to be equal size, but got %s at "
                                     "entry 0 and %s at entry %d",
                                     sizes_text(model->shape, model->rank).text,
                                     sizes_text(tensors[i]->shape, tensors[i]->rank).text, i);
        dtype = promote_types(model->session, dtype, tensors[i]->dtype);
        if (dtype == TERN_VOID) return NULL;
    }
    for (int d = 0; d <= model->rank; d++)
        shape[d] = d < dim ? model->shape[d] : d > dim ? model->shape[d - 1] : count;
    tern_tensor *out = tern_empty(model->session, dtype, model->rank + 1, shape);
    bool mode = tern_set_grad_mode(model->session, false);
    for (int i = 0; i < count && out; i++) {
        tern_tensor *place = tern_select(out, dim, i);
        tern_status status = place ? tern_copy_into(place, tensors[i]) : TERN_ERROR_NO_MEMORY;
        tern_drop(place);
        if (!status) continue;
        tern_drop(out);
        out = NULL;
    }
    tern_set_grad_mode(model->session, mode);
    return put_together(out, NODE_STACK, tensors, count, dim);
}

/* ---- triangles ---- */

/* where(column - row <= diagonal, x, 0), or the others. */
static tern_tensor *triangle(tern_tensor *x, int64_t diagonal, bool lower) {
    if (!tensor_is_live(x)) return NULL;
    if (x->rank < 2)
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "%s: input tensor must have at least 2 dimensions",
                                 lower ? "tril" : "triu");
    int64_t rows = x->shape[x->rank - 2], columns = x->shape[x->rank - 1];
    diagonal = diagonal < -rows ? -rows : diagonal > columns ? columns : diagonal;
    tern_tensor *row = tern_arange(x->session, TERN_INT64, 0, (double)rows, 1);
    tern_tensor *column = tern_arange(x->session, TERN_INT64, 0, (double)columns, 1);
    tern_tensor *upright = tern_unsqueeze(row, 1), *apart = tern_sub(column, upright);
    tern_tensor *kept = lower ? tern_le_integer(apart, diagonal) : tern_ge_integer(apart, diagonal);
    tern_tensor *out = tern_empty(x->session, x->dtype, x->rank, x->shape);
    const tern_operand operands[] = {tern_of(kept), tern_of(x), {TERN_OPERAND_BOOL, NULL, 0, 0}};
    bool mode = tern_set_grad_mode(x->session, false);
    if (kept && out && tern_op_into(out, TERN_OP_where, operands, 3, 0, 0)) {
        tern_drop(out);
        out = NULL;
    }
    tern_set_grad_mode(x->session, mode);
    tern_tensor *const made[] = {row, column, upright, apart, kept};
    for (int i = 0; i < COUNT(made); i++) tern_drop(made[i]);
    tern_operand of = tern_of(x);
    if (!kept) {
        tern_drop(out);
        return NULL;
    }
    if (!out || !tern_dtype_is_float(out->dtype) || !tape_wants(x->session, &of, 1)) return out;
    TapeNode *node = node_new(x->session, NODE_TRIANGLE, &of, 1, 1, 0);
    if (node) {
        node->attributes.number = diagonal;
        node->attributes.is_lower = lower;
    }
    return tape_attach(out, node);
}

tern_tensor *tern_tril(tern_tensor *tensor, int64_t diagonal) {
    return triangle(tensor, diagonal, true);
}

tern_tensor *tern_triu(tern_tensor *tensor, int64_t diagonal) {
    return triangle(tensor, diagonal, false);
}

/* ---- comparison ---- */

/* In fp64, which all types but the longest integers go to exactly. */
static tern_tensor *close_elements(tern_tensor *a, tern_tensor *b, double rtol, double atol,
                                   bool equal_nan) {
    tern_tensor *x = tern_to(a, TERN_FLOAT64), *y = tern_to(b, TERN_FLOAT64);
    tern_tensor *close = tern_isclose(x, y, rtol, atol);
    if (equal_nan && close) {
        tern_tensor *x_nan = tern_isnan(x), *y_nan = tern_isnan(y);
        tern_tensor *both = tern_logical_and(x_nan, y_nan), *either = tern_logical_or(close, both);
        tern_drop(x_nan);
        tern_drop(y_nan);
        tern_drop(both);
        tern_drop(close);
        close = either;
    }
    tern_drop(x);
    tern_drop(y);
    return close;
}

tern_status tern_allclose(tern_tensor *a, tern_tensor *b, double rtol, double atol, bool equal_nan,
                          bool *result) {
    int64_t value = 0;
    if (!check_session(a, b)) return TERN_ERROR_ARGUMENT;
    if (a->dtype != b->dtype)
        return session_fail(a->session, TERN_ERROR_ARGUMENT, "%s did not match %s",
                            torch_type_name(a->dtype), torch_type_name(b->dtype));
    tern_tensor *close = close_elements(a, b, rtol, atol, equal_nan);
    tern_tensor *all = tern_all(close, NULL, 0, false);
    tern_status status =
        all ? tern_item_int(all, &value) : tern_message_status(a->session->context);
    tern_drop(close);
    tern_drop(all);
    *result = value != 0;
    return status;
}
