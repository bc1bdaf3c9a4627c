// SPDX-License-Identifier: Apache-2.0
/* split: few rows that are long. A row is one program's, so a tensor that becomes one number would
 * be the work of one core. Such rows are cut into pieces, whose results are combined by another
 * launch: always the same pieces of the same shape, so that a sum is the same each time.
 *
 *     x [n]  as  [pieces, each], and what is left over
 *     sum, mean, amax, amin, prod, any, all, norm, logsumexp: of the pieces, then of their results
 *     var, std: of each piece its mean and variance, which are those of the whole with what the
 *         means are apart (Chan, Golub, LeVeque)
 *     argmax, argmin: where in each piece, and in which piece
 *     cumsum, cumprod: of each piece, to which what all pieces before it come to is put */
#include "tensor/plan.h"
#include "tensor/tape.h"

enum {
    SPLIT_FROM = 1 << 17,  /* elements of a program; below, more launches cost what they save */
    PIECE = 1 << 14,       /* of a program of a piece, at least */
    MOST_PIECES = 2048,    /* some for each processor of a GPU */
    ENOUGH_PROGRAMS = 256, /* for all of them */
    TURNED_LANES = 32      /* rows of a program where they lie side by side */
};

typedef struct Cut {
    const RowCall *whole;
    int rank; /* of what is kept */
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    int64_t length, stride; /* of a row */
    int64_t pieces, each, rest;
} Cut;

/* The dimensions of a row are one loop, in their order. */
static bool find_row(const RowCall *whole, Cut *cut) {
    const tern_tensor *x = whole->x;
    *cut = (Cut){.whole = whole, .length = 1};
    for (int d = x->rank - 1; d >= 0; d--) {
        if (!whole->in_row[d] || x->shape[d] == 1) continue;
        if (cut->length == 1) cut->stride = x->strides[d];
        if (x->strides[d] != cut->stride * cut->length) return false;
        cut->length *= x->shape[d];
    }
    for (int d = 0; d < x->rank; d++) {
        if (whole->in_row[d]) continue;
        cut->shape[cut->rank] = x->shape[d];
        cut->strides[cut->rank++] = x->strides[d];
    }
    return cut->rank + 2 <= TERN_MAX_RANK;
}

static bool find_cut(const RowCall *whole, Cut *cut) {
    bool has_room = whole->session->num_scopes < MAX_SCOPES;
    if (whole->x->numel < SPLIT_FROM || !has_room || !find_row(whole, cut)) return false;
    int64_t rows = whole->x->numel / cut->length, lanes = 1;
    for (int d = 0; d < cut->rank && cut->stride != 1; d++)
        if (cut->strides[d] == 1 && cut->shape[d] > 1) lanes = TURNED_LANES;
    int64_t programs = rows / lanes + (rows % lanes != 0), most = MOST_PIECES / programs;
    if (programs >= ENOUGH_PROGRAMS || lanes * cut->length < SPLIT_FROM) return false;
    cut->pieces = lanes * cut->length / PIECE;
    if (cut->pieces > most) cut->pieces = most;
    int64_t few = cut->pieces / 2 > 2 ? cut->pieces / 2 : 2; /* rather a few less, and no rest */
    for (int64_t count = cut->pieces; count >= few; count--)
        if (cut->length % count == 0) {
            cut->pieces = count;
            break;
        }
    cut->each = cut->length / cut->pieces;
    cut->rest = cut->length % cut->pieces;
    return cut->pieces > 1;
}

/* What is kept, and `count` of it. */
static tern_tensor *made_of(const Cut *cut, tern_dtype dtype, int64_t count) {
    int64_t shape[TERN_MAX_RANK];
    memcpy(shape, cut->shape, sizeof shape);
    shape[cut->rank] = count;
    return tern_empty(cut->whole->session, dtype, cut->rank + 1, shape);
}

/* `pieces` of `each` elements from `start` on, of x or of a tensor that lies as it says. */
static tern_tensor *table_of(const Cut *cut, const tern_tensor *x, const int64_t *kept_strides,
                             int64_t stride, int64_t start, int64_t pieces, int64_t each) {
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    memcpy(shape, cut->shape, sizeof shape);
    memcpy(strides, kept_strides, (size_t)cut->rank * sizeof *strides);
    shape[cut->rank] = pieces, strides[cut->rank] = each * stride;
    shape[cut->rank + 1] = each, strides[cut->rank + 1] = stride;
    return view_new(x, cut->rank + 2, shape, strides, x->offset + start * stride);
}

static tern_status run_table(const Cut *cut, int op, double p, tern_tensor *table,
                             tern_tensor *to) {
    RowCall piece = {.session = cut->whole->session,
                     .op = op,
                     .compute = cut->whole->compute,
                     .x = table,
                     .keeps = op_row(op)->kind == ROW_SCAN,
                     .p = p};
    piece.in_row[cut->rank + 1] = true;
    return table && to ? rows_run(&piece, to) : TERN_ERROR_NO_MEMORY;
}

/* Of each piece, in a tensor that the scope drops; NULL: it failed. */
static tern_tensor *of_pieces(const Cut *cut, int op, double p, tern_dtype dtype) {
    const tern_tensor *x = cut->whole->x;
    int64_t pieces = cut->pieces;
    tern_tensor *partial = made_of(cut, dtype, pieces + (cut->rest != 0));
    tern_tensor *table = table_of(cut, x, cut->strides, cut->stride, 0, pieces, cut->each);
    tern_status status = run_table(cut, op, p, table, tern_slice(partial, cut->rank, 0, pieces, 1));
    if (!status && cut->rest) {
        table = table_of(cut, x, cut->strides, cut->stride, pieces * cut->each, 1, cut->rest);
        status =
            run_table(cut, op, p, table, tern_slice(partial, cut->rank, pieces, pieces + 1, 1));
    }
    return status ? NULL : partial;
}

/* Along the last dimension of what the pieces gave. */
static tern_status combine(const Cut *cut, int op, tern_dtype compute, const tern_tensor *partial,
                           tern_tensor *to) {
    RowCall last = {.session = cut->whole->session,
                    .op = op,
                    .compute = compute,
                    .x = partial,
                    .keeps = op_row(op)->kind == ROW_SCAN};
    last.in_row[cut->rank] = true;
    return partial && to ? rows_run(&last, to) : TERN_ERROR_NO_MEMORY;
}

/* ---- what is combined by the same op ---- */

static tern_status run_alike(const Cut *cut, tern_tensor *out) {
    const RowCall *whole = cut->whole;
    bool is_mean = whole->op == TERN_OP_mean;
    int op = is_mean ? TERN_OP_sum : whole->op;
    tern_dtype between = op_row(op)->rule == RULE_TRUTH ? TERN_BOOL : whole->compute;
    tern_tensor *partial = of_pieces(cut, op, 0, between);
    if (!is_mean) return combine(cut, op, between, partial, out);
    tern_tensor *sum = tern_empty(whole->session, between, cut->rank, cut->shape);
    tern_status status = combine(cut, op, between, partial, sum);
    const tern_operand operands[] = {tern_of(sum), tern_number((double)cut->length)};
    return status ? status : tern_op_into(out, TERN_OP_div, operands, 2, 0, 0);
}

/* ---- var, std ---- */

/* Of all pieces: each counts as many times as it has elements. */
static tern_tensor *weighted_sum(const Cut *cut, tern_tensor *of) {
    int dim = cut->rank;
    tern_tensor *sum = tern_sum(tern_slice(of, dim, 0, cut->pieces, 1), &dim, 1, true);
    sum = tern_mul_number(sum, (double)cut->each);
    if (!cut->rest) return sum;
    tern_tensor *left = tern_slice(of, dim, cut->pieces, cut->pieces + 1, 1);
    return tern_add(sum, tern_mul_number(left, (double)cut->rest));
}

static tern_status run_variance(const Cut *cut, tern_tensor *out) {
    const RowCall *whole = cut->whole;
    double n = (double)cut->length, divisor = n - whole->p > 0 ? n - whole->p : 0;
    tern_tensor *means = of_pieces(cut, TERN_OP_mean, 0, whole->compute);
    tern_tensor *variances = of_pieces(cut, TERN_OP_var, 0, whole->compute);
    tern_tensor *mean = tern_mul_number(weighted_sum(cut, means), 1 / n);
    tern_tensor *apart = tern_square(tern_sub(means, mean));
    tern_tensor *squares = weighted_sum(cut, tern_add(variances, apart));
    tern_tensor *variance = tern_squeeze(tern_div_number(squares, divisor), cut->rank);
    if (whole->op == TERN_OP_std) variance = tern_sqrt(variance);
    return variance ? tern_copy_into(out, variance) : TERN_ERROR_NO_MEMORY;
}

/* ---- argmax, argmin ---- */

static tern_status run_arg(const Cut *cut, tern_tensor *out) {
    const RowCall *whole = cut->whole;
    int best = whole->op == TERN_OP_argmax ? TERN_OP_amax : TERN_OP_amin;
    tern_tensor *bests = of_pieces(cut, best, 0, whole->compute);
    tern_tensor *places = of_pieces(cut, whole->op, 0, TERN_INT64);
    tern_tensor *piece = tern_empty(whole->session, TERN_INT64, cut->rank, cut->shape);
    tern_status status = combine(cut, whole->op, whole->compute, bests, piece);
    if (status || !places) return status ? status : TERN_ERROR_NO_MEMORY;
    tern_tensor *at = tensor_gather(places, cut->rank, tern_unsqueeze(piece, cut->rank));
    tern_tensor *start = tern_mul_integer(piece, cut->each);
    tern_tensor *place = tern_add(start, tern_squeeze(at, cut->rank));
    return place ? tern_copy_into(out, place) : TERN_ERROR_NO_MEMORY;
}

/* ---- cumsum, cumprod ---- */

/* In the type of computing: f16 and bf16 are rounded once. */
static tern_status run_scan(const Cut *cut, tern_tensor *out) {
    const RowCall *whole = cut->whole;
    const tern_tensor *x = whole->x;
    int64_t strides[TERN_MAX_RANK], stride = 0;
    tern_tensor *y = out->dtype == whole->compute
                         ? tern_keep(out)
                         : tern_empty(whole->session, whole->compute, x->rank, x->shape);
    if (!y) return TERN_ERROR_NO_MEMORY;
    for (int d = 0, kept = 0; d < x->rank; d++)
        if (whole->in_row[d])
            stride = y->strides[d];
        else
            strides[kept++] = y->strides[d];
    int64_t behind = cut->pieces * cut->each;
    tern_tensor *from = table_of(cut, x, cut->strides, cut->stride, 0, cut->pieces, cut->each);
    tern_tensor *to = table_of(cut, y, strides, stride, 0, cut->pieces, cut->each);
    tern_status status = run_table(cut, whole->op, 0, from, to);
    tern_tensor *ends = tern_select(to, cut->rank + 1, cut->each - 1);
    tern_tensor *before = made_of(cut, whole->compute, cut->pieces);
    if (!status) status = combine(cut, whole->op, whole->compute, ends, before);
    int op = whole->op == TERN_OP_cumsum ? TERN_OP_add : TERN_OP_mul;
    tern_tensor *later = tern_slice(to, cut->rank, 1, cut->pieces, 1);
    tern_tensor *of_later = tern_slice(before, cut->rank, 0, cut->pieces - 1, 1);
    tern_operand sum[] = {tern_of(later), tern_of(tern_unsqueeze(of_later, cut->rank + 1))};
    if (!status) status = tern_op_into(later, op, sum, 2, 0, 0);
    if (!status && cut->rest) {
        from = table_of(cut, x, cut->strides, cut->stride, behind, 1, cut->rest);
        to = table_of(cut, y, strides, stride, behind, 1, cut->rest);
        status = run_table(cut, whole->op, 0, from, to);
        of_later = tern_slice(before, cut->rank, cut->pieces - 1, cut->pieces, 1);
        sum[0] = tern_of(to), sum[1] = tern_of(tern_unsqueeze(of_later, cut->rank + 1));
        if (!status) status = tern_op_into(to, op, sum, 2, 0, 0);
    }
    if (!status && y != out) status = tern_copy_into(out, y);
    tern_drop(y);
    return status;
}

bool rows_split(const RowCall *whole, tern_tensor *out, tern_status *status) {
    const OpRow *row = op_row(whole->op);
    bool scans = row->kind == ROW_SCAN, is_traced = whole->session->trace != NULL;
    bool reduces = row->kind == ROW_REDUCE || row->kind == ROW_REDUCE_1 || row->kind == ROW_ARG;
    Cut cut;
    if (!(reduces || (scans && !is_traced)) || !find_cut(whole, &cut)) return false;
    bool mode = tern_set_grad_mode(whole->session, false);
    *status = tern_scope_open(whole->session);
    if (!*status) {
        *status = scans                       ? run_scan(&cut, out)
                  : row->kind == ROW_ARG      ? run_arg(&cut, out)
                  : row->kind == ROW_REDUCE_1 ? run_variance(&cut, out)
                                              : run_alike(&cut, out);
        tern_scope_close(whole->session);
    }
    tern_set_grad_mode(whole->session, mode);
    return true;
}
