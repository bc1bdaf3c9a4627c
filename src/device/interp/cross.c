// SPDX-License-Identifier: Apache-2.0
/* cross: ops across lanes.
 *
 * reduce combines neighbours, (0,1) (2,3) .., then neighbours of those: a tree whose rounding error
 * grows with the logarithm of the length, and in which left always comes from lower indices. scan
 * combines one after another: what it has so far on the left, the next lane on the right. Where the
 * region works lane by lane, it runs once for all pairs of a level (or all rows of a scan step);
 * else once a pair. dot adds in float64 and rounds once, together with acc. */
#include "device/interp/interp.h"

#include <stdlib.h>

/* A tile seen as [outer, length, inner] round the axis. */
typedef struct Axis {
    int outer, length, inner;
} Axis;

static Axis axis_of(const Type *type, int axis) {
    Axis a = {1, type->shape[axis], 1};
    for (int i = 0; i < axis; i++) a.outer *= type->shape[i];
    for (int i = axis + 1; i < type->rank; i++) a.inner *= type->shape[i];
    return a;
}

/* The lanes first, first + step .. (count of them) along the axis. */
static Lanes *axis_slice(Program *p, const Lanes *from, Axis a, int first, int step, int count) {
    Lanes *out = lanes_new(p, a.outer * count * a.inner, from->size);
    if (!out) return NULL;
    size_t row = (size_t)a.inner * (size_t)from->size;
    char *to = out->data;
    for (int o = 0; o < a.outer; o++)
        for (int i = 0; i < count; i++, to += row)
            memcpy(to, from->data + (size_t)(o * a.length + first + i * step) * row, row);
    if (from->marks) out->marks = axis_slice(p, from->marks, a, first, step, count);
    return out;
}

/* The marks of a tile that gets some: a tile of zeros at first. */
static Lanes *marks_of(Program *p, Lanes *lanes) {
    if (lanes->marks || !(lanes->marks = lanes_new(p, lanes->count, 8))) return lanes->marks;
    memset(lanes->marks->data, 0, (size_t)lanes->count * 8);
    return lanes->marks;
}

/* Puts the lanes of `slice` ([outer, count, inner]) at first.. along the axis of `to`. */
static void axis_put(Program *p, const Lanes *slice, int count, Lanes *to, Axis a, int first) {
    size_t row = (size_t)a.inner * (size_t)to->size;
    const char *from = slice->data;
    for (int o = 0; o < a.outer; o++, from += (size_t)count * row)
        memcpy(to->data + (size_t)(o * a.length + first) * row, from, (size_t)count * row);
    if (slice->marks && marks_of(p, to)) axis_put(p, slice->marks, count, to->marks, a, first);
}

/* A region may yield a constant: one lane for all. */
static Lanes *widened(Program *p, Lanes *lanes, int count) {
    if (lanes->count == count) return lanes_share(lanes);
    Lanes *out = lanes_new(p, count, lanes->size);
    if (!out) return NULL;
    for (int i = 0; i < count; i++) lane_set(out, i, lane_get(lanes, 0));
    if (lanes->marks) out->marks = widened(p, lanes->marks, count);
    return out;
}

static void release_all(Program *p, Lanes **lanes, int count) {
    for (int i = 0; i < count; i++) lanes_release(p->launch, lanes[i]);
}

static bool combine_at_once(Program *p, const Body *block, int n, Lanes **left, Lanes **right,
                            Lanes **out) {
    const Region *region = block->region;
    int count = left[0]->count;
    for (int i = 0; i < n; i++) {
        slot_set(p, region->args[i], lanes_share(left[i]));
        slot_set(p, region->args[n + i], lanes_share(right[i]));
    }
    if (!exec_block(p, block)) return false;
    for (int i = 0; i < n; i++)
        if (!(out[i] = widened(p, operand(p, block->yield.op, i), count))) return false;
    exec_yield_done(p, block);
    return true;
}

static bool combine_one_by_one(Program *p, const Body *block, int n, Lanes **left, Lanes **right,
                               Lanes **out) {
    int count = left[0]->count;
    for (int i = 0; i < n; i++)
        if (!(out[i] = lanes_new(p, count, left[i]->size))) return false;
    for (int lane = 0; lane < count; lane++) {
        for (int i = 0; i < 2 * n; i++) {
            const Lanes *from = i < n ? left[i] : right[i - n];
            Lanes *one = lanes_new(p, 1, from->size);
            if (!one) return false;
            lane_set(one, 0, lane_get(from, lane));
            if (from->marks && marks_of(p, one))
                lane_set(one->marks, 0, lane_get(from->marks, lane));
            slot_set(p, block->region->args[i], one);
        }
        if (!exec_block(p, block)) return false;
        for (int i = 0; i < n; i++) {
            const Lanes *one = operand(p, block->yield.op, i);
            lane_set(out[i], lane, lane_get(one, 0));
            if (one->marks && marks_of(p, out[i]))
                lane_set(out[i]->marks, lane, lane_get(one->marks, 0));
        }
        exec_yield_done(p, block);
    }
    return true;
}

/* out[i] = region(left.., right..); on failure some of out may be set. */
static bool combine(Program *p, const Body *block, int n, Lanes **left, Lanes **right,
                    Lanes **out) {
    return block->by_lanes ? combine_at_once(p, block, n, left, right, out)
                           : combine_one_by_one(p, block, n, left, right, out);
}

enum { MAX_TILES = 16 }; /* of one reduce or scan */

static bool too_many(Program *p, const Op *op) {
    if (op->num_operands <= MAX_TILES) return false;
    program_fail(p, TERN_ERROR_UNSUPPORTED, op->span, "%s of more than %d tiles at once",
                 op_info(op->kind)->name, MAX_TILES);
    return true;
}

/* One level of the tree: [outer, length, inner] -> [outer, length / 2, inner]; lengths are powers
 * of two. */
static bool reduce_level(Program *p, const Body *block, int n, Axis a, Lanes **current) {
    Lanes *left[MAX_TILES] = {0}, *right[MAX_TILES] = {0}, *out[MAX_TILES] = {0};
    int half = a.length / 2;
    for (int i = 0; i < n; i++) {
        if (!(left[i] = axis_slice(p, current[i], a, 0, 2, half))) return false;
        if (!(right[i] = axis_slice(p, current[i], a, 1, 2, half))) return false;
    }
    if (!combine(p, block, n, left, right, out)) return false;
    release_all(p, left, n);
    release_all(p, right, n);
    release_all(p, current, n);
    memcpy(current, out, (size_t)n * sizeof *out);
    return true;
}

bool exec_reduce(Program *p, const Node *node) {
    const Op *op = node->op;
    if (too_many(p, op)) return false;
    int n = op->num_operands;
    Axis a = axis_of(op->operands[0]->type, fold_axis(op));
    Lanes *current[MAX_TILES];
    for (int i = 0; i < n; i++) current[i] = lanes_share(operand(p, op, i));
    for (; a.length > 1; a.length /= 2)
        if (!reduce_level(p, node->blocks[0], n, a, current)) return false;
    for (int i = 0; i < n; i++) slot_set(p, &op->results[i], current[i]);
    return true;
}

bool exec_scan(Program *p, const Node *node) {
    const Op *op = node->op;
    if (too_many(p, op)) return false;
    int n = op->num_operands;
    Axis a = axis_of(op->operands[0]->type, fold_axis(op));
    bool reverse = scan_reverse(op) != 0;
    Lanes *results[MAX_TILES], *sofar[MAX_TILES] = {0};
    for (int i = 0; i < n; i++)
        if (!(results[i] = lanes_new(p, operand(p, op, i)->count, operand(p, op, i)->size)))
            return false;
    for (int k = 0; k < a.length; k++) {
        int at = reverse ? a.length - 1 - k : k;
        Lanes *next[MAX_TILES], *out[MAX_TILES];
        for (int i = 0; i < n; i++)
            if (!(next[i] = axis_slice(p, operand(p, op, i), a, at, 1, 1))) return false;
        if (k > 0) {
            if (!combine(p, node->blocks[0], n, sofar, next, out)) return false;
            release_all(p, next, n);
        }
        release_all(p, sofar, n);
        for (int i = 0; i < n; i++) {
            sofar[i] = k > 0 ? out[i] : next[i];
            axis_put(p, sofar[i], 1, results[i], a, at);
        }
    }
    release_all(p, sofar, n);
    for (int i = 0; i < n; i++) slot_set(p, &op->results[i], results[i]);
    return true;
}

bool exec_histogram(Program *p, const Op *op) {
    const Lanes *values = lanes_of(p, histogram_source(op)),
                *mask = lanes_of(p, histogram_mask(op));
    const Type *type = type_lane(histogram_source(op)->type);
    int64_t bins = histogram_bins(op);
    Lanes *out = lanes_new(p, op_result(op)->type->lanes, 4);
    if (!out) return false;
    uint32_t *counts = (uint32_t *)(void *)out->data;
    memset(counts, 0, (size_t)out->count * sizeof *counts);
    for (int i = 0; i < values->count; i++) {
        int64_t bin = constant_to_int(type, lane_get(values, i));
        if (bin >= 0 && bin < bins && (!mask || (lane_get(mask, i) & 1))) counts[bin]++;
    }
    slot_set(p, op_result(op), out);
    return true;
}

/* ---- dot ---- */

/* The lanes of a tile as float64 (or int64, in the same 8 bytes). */
static Lanes *wide_lanes(Program *p, const Lanes *from, const Type *type) {
    Lanes *out = lanes_new(p, from->count, 8);
    if (!out) return NULL;
    for (int i = 0; i < from->count; i++) {
        if (type_is_float(type)) {
            double number = constant_to_double(type, lane_get(from, i));
            memcpy(out->data + (size_t)i * 8, &number, 8);
        } else
            lane_set(out, i, (uint64_t)constant_to_int(type, lane_get(from, i)));
    }
    return out;
}

typedef struct Product {
    int m, n, k;
} Product;

/* Rows of b are read in order, so that the inner loop walks memory. */
static void dot_floats(const double *a, const double *b, double *sums, Product d) {
    for (int m = 0; m < d.m; m++) {
        double *row = sums + (size_t)m * (size_t)d.n;
        for (int k = 0; k < d.k; k++) {
            double x = a[(size_t)m * (size_t)d.k + (size_t)k];
            const double *y = b + (size_t)k * (size_t)d.n;
            for (int n = 0; n < d.n; n++) row[n] += x * y[n];
        }
    }
}

static void dot_ints(const uint64_t *a, const uint64_t *b, uint64_t *sums, Product d) {
    for (int m = 0; m < d.m; m++) {
        uint64_t *row = sums + (size_t)m * (size_t)d.n;
        for (int k = 0; k < d.k; k++) {
            uint64_t x = a[(size_t)m * (size_t)d.k + (size_t)k];
            const uint64_t *y = b + (size_t)k * (size_t)d.n;
            for (int n = 0; n < d.n; n++) row[n] += x * y[n];
        }
    }
}

static void dot_round(const Lanes *sums, const Lanes *acc, const Type *type, Lanes *out) {
    for (int i = 0; i < out->count; i++) {
        uint64_t bits = lane_get(sums, i), start = lane_get(acc, i);
        if (type_is_float(type)) {
            double sum;
            memcpy(&sum, &bits, 8);
            lane_set(out, i, constant_from_double(type, constant_to_double(type, start) + sum));
        } else
            lane_set(out, i, start + bits);
    }
}

bool dot_multiply(Program *p, const Op *op, Lanes *const *operands, Lanes *out) {
    const Type *a_type = dot_a(op)->type, *type = op_result(op)->type;
    int rank = a_type->rank, batches = rank == 3 ? a_type->shape[0] : 1;
    Product d = {a_type->shape[rank - 2], type->shape[rank - 1], a_type->shape[rank - 1]};
    Lanes *a = wide_lanes(p, operands[0], type_lane(a_type));
    Lanes *b = wide_lanes(p, operands[1], type_lane(dot_b(op)->type));
    Lanes *sums = lanes_new(p, type->lanes, 8);
    if (!a || !b || !sums) return false;
    memset(sums->data, 0, (size_t)sums->count * 8);
    for (int i = 0; i < batches; i++) {
        char *from_a = a->data + (size_t)i * (size_t)(d.m * d.k) * 8;
        char *from_b = b->data + (size_t)i * (size_t)(d.k * d.n) * 8;
        char *to = sums->data + (size_t)i * (size_t)(d.m * d.n) * 8;
        if (type_is_float(type))
            dot_floats((void *)from_a, (void *)from_b, (void *)to, d);
        else
            dot_ints((void *)from_a, (void *)from_b, (void *)to, d);
    }
    dot_round(sums, operands[2], type_lane(type), out);
    lanes_release(p->launch, sums);
    lanes_release(p->launch, b);
    lanes_release(p->launch, a);
    return true;
}

bool exec_dot(Program *p, const Op *op) {
    if (dot_async(op) && p->launch->order_seed >> 1 & 1) return under_way_begin(p, op);
    if (dot_unit(op) == UNIT_WGMMA && !dot_async(op) && !under_way_settle(p, 0)) return false;
    const Type *type = op_result(op)->type;
    Lanes *out = lanes_new(p, type->lanes, type_size_bytes(type));
    Lanes *operands[3] = {lanes_of(p, dot_a(op)), lanes_of(p, dot_b(op)), lanes_of(p, dot_acc(op))};
    if (!out || !dot_multiply(p, op, operands, out)) return false;
    if (p->launch->watch && !watch_dot(p, op, out)) return false;
    slot_set(p, op_result(op), out);
    return true;
}
