// SPDX-License-Identifier: Apache-2.0
/* shape: random statements that move lanes or combine them. */
#include "diff/diff.h"

#include <math.h>

static Value *at(Gen *g, int id) { return &g->kernel->values[id]; }

/* Any visible tile, or a loaded one. */
static int some_tile(Gen *g, int kind, int must) {
    for (int n = 0; n < 4; n++) {
        int id = find_value(g, kind, NULL, must);
        if (id >= 0 && at(g, id)->shape.rank && at(g, id)->kind < KIND_E4) return id;
    }
    Shape shape = any_shape(g);
    if (!shape.rank) shape.rank = 1, shape.dims[0] = dim_one;
    return load_value(g, kind < 0 ? any_kind(g) : (Kind)kind, &shape, must);
}

static void remove_dim(Shape *shape, int axis) {
    for (int i = axis; i + 1 < shape->rank; i++) shape->dims[i] = shape->dims[i + 1];
    shape->rank--;
}

static void insert_dim(Shape *shape, int axis, Dim dim) {
    for (int i = shape->rank; i > axis; i--) shape->dims[i] = shape->dims[i - 1];
    shape->dims[axis] = dim, shape->rank++;
}

static double lanes_along(Gen *g, const Shape *shape, int axis) {
    return axis < 0 ? shape_lanes(g->kernel, shape) : dim_size(g->kernel, shape->dims[axis]);
}

/* ---- moving ---- */

static void gen_trans(Gen *g, int a, Value like) {
    int order[MOST_DIMS], rank = like.shape.rank;
    char text[80];
    size_t used = 0;
    for (int i = 0; i < rank; i++) order[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int other = below(g, i + 1), kept = order[i];
        order[i] = order[other], order[other] = kept;
    }
    Shape from = like.shape;
    for (int i = 0; i < rank; i++) {
        like.shape.dims[i] = from.dims[order[i]];
        used += (size_t)sprintf(text + used, "%s%d", i ? ", " : "", order[i]);
    }
    if (rank > 1) define(g, like, "tl.%s(v%d, (%s))", one_in(g, 2) ? "trans" : "permute", a, text);
}

static void gen_reshape(Gen *g, int a, Value like) {
    char text[200];
    int rank = like.shape.rank;
    if (rank > 1 && one_in(g, 2)) { /* two dimensions become one */
        int axis = below(g, rank - 1);
        like.shape.dims[axis] = dim_times(like.shape.dims[axis], like.shape.dims[axis + 1]);
        remove_dim(&like.shape, axis + 1);
    } else if (rank < MOST_DIMS) { /* one becomes two */
        int axis = below(g, rank), c = below(g, NUM_CONSTS + 1);
        Dim *dim = &like.shape.dims[axis];
        if (!dim->power[c]) return;
        Dim rest = *dim, part = dim_one;
        rest.power[c]--, part.power[c] = 1;
        int first = one_in(g, 2);
        *dim = first ? part : rest;
        insert_dim(&like.shape, axis + 1, first ? rest : part);
    }
    define(g, like, "tl.reshape(v%d, %s)", a, shape_text(&like.shape, text));
}

static void gen_broadcast(Gen *g, int a, Value like) {
    char text[200];
    int axis = below(g, like.shape.rank + 1);
    if (like.shape.rank == MOST_DIMS) return;
    Shape from = like.shape;
    insert_dim(&like.shape, axis, dim_one);
    if (one_in(g, 2)) {
        define(g, like, "tl.expand_dims(v%d, %d)", a, axis);
        return;
    }
    Dim wide = dim_one;
    wide.power[below(g, NUM_CONSTS + 1)] = 1;
    like.shape.dims[axis] = wide;
    if (shape_lanes(g->kernel, &like.shape) > SLOT_LENGTH) return;
    Shape narrow = from;
    insert_dim(&narrow, axis, dim_one);
    int middle = define(g,
                        (Value){.kind = like.kind,
                                .shape = narrow,
                                .most = like.most,
                                .error = like.error,
                                .is_product = like.is_product,
                                .loose_zero = like.loose_zero},
                        "tl.expand_dims(v%d, %d)", a, axis);
    if (one_in(g, 2) && kind_is_float(like.kind) == 0 && like.kind != KIND_I1) {
        /* Two tiles of one column and one row meet. */
        int b = want_value(g, like.kind, &like.shape, 0);
        define(g, exact_value(like.kind, &like.shape, int_most(like.kind)), "(v%d + v%d).to(%s)",
               middle, b, kinds[like.kind].dtype);
        return;
    }
    define(g, like, "tl.broadcast_to(v%d, %s)", middle, shape_text(&like.shape, text));
}

static void gen_join(Gen *g, int a, Value like) {
    if (like.shape.rank == MOST_DIMS || 2 * shape_lanes(g->kernel, &like.shape) > SLOT_LENGTH)
        return;
    int b = want_value(g, like.kind, &like.shape, 0);
    Value other = *at(g, b);
    like.most = fmax(like.most, other.most), like.error = fmax(like.error, other.error);
    like.is_product |= other.is_product, like.loose_zero |= other.loose_zero;
    Dim *last = &like.shape.dims[like.shape.rank - 1];
    if (one_in(g, 3)) {
        *last = dim_times(*last, dim_two);
        define(g, like, "tl.interleave(v%d, v%d)", a, b);
        return;
    }
    insert_dim(&like.shape, like.shape.rank, dim_two);
    define(g, like, "tl.join(v%d, v%d)", a, b);
}

static void gen_split(Gen *g, int a, Value like) {
    Dim *last = &like.shape.dims[like.shape.rank - 1];
    if (!last->power[NUM_CONSTS]) return;
    char text[200];
    Shape pairs = like.shape;
    pairs.dims[pairs.rank - 1].power[NUM_CONSTS]--;
    if (pairs.rank == MOST_DIMS) return;
    insert_dim(&pairs, pairs.rank, dim_two);
    like.shape = pairs, like.shape.rank--;
    int first = define(g, like, "tl.reshape(v%d, %s)", a, shape_text(&pairs, text));
    at(g, first)->shape = pairs;
    int left = define(g, like, "tl.split(v%d)[0]", first);
    int right = define(g, like, "tl.split(v%d)[1]", first);
    if (!kind_is_float(like.kind) && like.kind != KIND_I1)
        define(g, exact_value(like.kind, &like.shape, int_most(like.kind)), "v%d - v%d", left,
               right);
}

void gen_shape(Gen *g) {
    int a = some_tile(g, -1, 0);
    Value like = *at(g, a);
    switch (below(g, 6)) {
    case 0: gen_trans(g, a, like); return;
    case 1: gen_reshape(g, a, like); return;
    case 2: gen_broadcast(g, a, like); return;
    case 3: gen_join(g, a, like); return;
    case 4: gen_split(g, a, like); return;
    default: {
        Shape scalar = {.rank = 0}; /* a scalar meets a tile */
        if (kind_is_float(like.kind) || like.kind == KIND_I1) return;
        int s = want_value(g, like.kind, &scalar, 0);
        define(g, exact_value(like.kind, &like.shape, int_most(like.kind)), "v%d * v%d", a, s);
        return;
    }
    }
}

/* ---- reductions ---- */

static Kind sum_kind(Kind kind) {
    if (kind_is_float(kind) || kinds[kind].bits >= 32) return kind;
    return kind_is_signed(kind) ? KIND_I32 : KIND_U32;
}

static Kind wide_kind(Kind kind) {
    if (kind_is_float(kind)) return kinds[kind].bits < 32 ? KIND_F32 : kind;
    return kinds[kind].bits < 32 ? KIND_I32 : kind; /* also of unsigned ones, as in Triton */
}

static void reduce_pair(Gen *g, int axis) {
    Shape shape = any_shape(g);
    if (axis >= shape.rank || !shape.rank) return;
    Kind kind = one_in(g, 2) ? KIND_I32 : KIND_I64;
    int a = want_value(g, kind, &shape, 0), b = want_value(g, kind, &shape, 0);
    remove_dim(&shape, axis);
    static const char *const functions[] = {"h_affine", "h_range", "h_first"};
    const char *function = functions[below(g, 3)];
    Value like = exact_value(kind, &shape, int_most(kind));
    int id = define(g, like, "tl.reduce((v%d, v%d), %d, %s)[0]", a, b, axis, function);
    define(g, like, "tl.reduce((v%d, v%d), %d, %s)[1] ^ v%d", a, b, axis, function, id);
}

void gen_reduce(Gen *g) {
    int a = some_tile(g, -1, 0);
    Value x = *at(g, a), like = x;
    int axis = one_in(g, 5) ? -1 : below(g, x.shape.rank), keeps = axis >= 0 && one_in(g, 6);
    char axis_text[32];
    sprintf(axis_text, axis < 0 ? "None" : "%d", axis);
    double n = lanes_along(g, &x.shape, axis);
    if (axis < 0)
        like.shape.rank = 0;
    else if (keeps)
        like.shape.dims[axis] = dim_one;
    else
        remove_dim(&like.shape, axis);
    const char *keep = keeps ? ", keep_dims=True" : "";
    int choice = below(g, 6);
    if (x.kind == KIND_I1) {
        like.kind = KIND_I32;
        define(g, like, "tl.sum(v%d.to(tl.int32), %s%s)", a, axis_text, keep);
        return;
    }
    if (choice == 0 && axis >= 0)
        reduce_pair(g, axis);
    else if (choice <= 2) {
        like.kind = sum_kind(x.kind), like.most = x.most * n;
        if (kind_is_float(like.kind)) {
            if (!(like.most < kinds[like.kind].largest / 8)) return;
            like.error = n * x.error + (8 + n) * kinds[like.kind].unit * like.most,
            like.is_product = 0, like.loose_zero = 1;
        }
        define(g, like, "tl.sum(v%d, %s%s)", a, axis_text, keep);
    } else if (choice == 3 && !kind_is_float(x.kind)) {
        define(g, like, "tl.xor_sum(v%d, %s%s)", a, axis_text, keep);
    } else if (choice == 4 && x.error == 0 && axis >= 0) {
        like.kind = KIND_I32;
        define(g, like, "tl.%s(v%d, %s%s)", one_in(g, 2) ? "argmax" : "argmin", a, axis_text, keep);
    } else {
        like.kind = wide_kind(x.kind), like.loose_zero = 1, like.is_product = 0;
        if (x.is_product && like.error == 0 && !kind_is_float(like.kind)) return;
        define(g, like, "tl.%s(v%d, %s%s)", one_in(g, 2) ? "max" : "min", a, axis_text, keep);
    }
}

void gen_scan(Gen *g) {
    int a = some_tile(g, -1, 0);
    Value x = *at(g, a), like = x;
    int axis = below(g, x.shape.rank);
    double n = lanes_along(g, &x.shape, axis);
    const char *reverse = one_in(g, 3) ? ", reverse=True" : "";
    if (x.kind == KIND_I1) return;
    if (kind_is_float(x.kind)) {
        if (x.kind != KIND_F32 && x.kind != KIND_F64) return;
        like.most = x.most * n, like.is_product = 0, like.loose_zero = 1;
        if (!(like.most < 1e30)) {
            like.most = x.most, like.error = x.error;
            define(g, like, "tl.associative_scan(v%d, %d, h_maximum%s)", a, axis, reverse);
            return;
        }
        like.error = n * x.error + (8 + n) * kinds[x.kind].unit * like.most;
        define(g, like, "tl.cumsum(v%d, %d%s)", a, axis, reverse);
        return;
    }
    switch (below(g, 4)) {
    case 0:
        like.kind = sum_kind(x.kind);
        define(g, like, "tl.cumsum(v%d, %d%s).to(%s)", a, axis, reverse, kinds[like.kind].dtype);
        return;
    case 1:
        like.kind = sum_kind(x.kind);
        define(g, like, "tl.cumprod(v%d, %d%s).to(%s)", a, axis, reverse, kinds[like.kind].dtype);
        return;
    case 2: define(g, like, "tl.associative_scan(v%d, %d, h_larger%s)", a, axis, reverse); return;
    default: {
        int b = want_value(g, x.kind, &x.shape, 0);
        if (kinds[x.kind].bits < 32) return; /* the function's sums would widen */
        int id = define(g, like, "tl.associative_scan((v%d, v%d), %d, h_affine%s)[1]", a, b, axis,
                        reverse);
        define(g, like, "tl.associative_scan((v%d, v%d), %d, h_first%s)[0] ^ v%d", a, b, axis,
               reverse, id);
        return;
    }
    }
}

/* Sorting, gathering, counting, turning round. */
void gen_order(Gen *g) {
    int a = some_tile(g, -1, 0);
    Value x = *at(g, a), like = x;
    int rank = x.shape.rank, last = dim_size(g->kernel, x.shape.dims[rank - 1]);
    like.loose_zero = 1;
    switch (below(g, 4)) {
    case 0:
        if (x.kind == KIND_I1 || (kind_is_float(x.kind) && !(x.most < 1e30)))
            return; /* NaN has no place in an order */
        if (last > 64) return;
        define(g, like, "tl.sort(v%d, descending=%s)", a, one_in(g, 2) ? "True" : "False");
        return;
    case 1: define(g, x, "tl.flip(v%d, %d)", a, below(g, rank)); return;
    case 2: {
        int axis = below(g, rank);
        char dim[80];
        int index = want_value(g, KIND_I32, &x.shape, 0);
        define(g, x, "tl.gather(v%d, v%d & (%s - 1), %d)", a, index,
               dim_text(x.shape.dims[axis], dim), axis);
        return;
    }
    default: {
        if (rank != 1) return;
        Shape bins = {.rank = 1, .dims = {{{0, 0, 0, 4}}}};
        int index = want_value(g, KIND_I32, &x.shape, 0),
            mask = find_value(g, KIND_I1, &x.shape, 0);
        Value counts = exact_value(KIND_I32, &bins, 1e9);
        if (mask >= 0 && one_in(g, 2))
            define(g, counts, "tl.histogram(v%d & 15, 16, mask=v%d)", index, mask);
        else
            define(g, counts, "tl.histogram(v%d & 15, 16)", index);
        return;
    }
    }
}

/* x @ y, where y has `columns`; the product, or -1. */
static int dot_with(Gen *g, Kind kind, int x, Dim columns) {
    Kernel *k = g->kernel;
    Shape a = at(g, x)->shape, b = {.rank = 2}, c = {.rank = 2};
    b.dims[0] = a.dims[1], b.dims[1] = columns;
    c.dims[0] = a.dims[0], c.dims[1] = columns;
    if (shape_lanes(k, &b) > SLOT_LENGTH || shape_lanes(k, &c) > SLOT_LENGTH) return -1;
    int y = want_value(g, kind, &b, kind_is_float(kind) ? FINITE : 0);
    double size = dim_size(k, a.dims[1]);
    Value vx = *at(g, x), vy = *at(g, y);
    Kind out = kind == KIND_I8 ? KIND_I32 : kind == KIND_F64 ? KIND_F64 : KIND_F32;
    Value like = exact_value(out, &c, vx.most * vy.most * size);
    if (out == KIND_I32) {
        int acc = one_in(g, 2) ? want_value(g, out, &c, 0) : -1;
        like.most = int_most(out);
        if (acc >= 0)
            return define(g, like, "tl.dot(v%d, v%d, acc=v%d, out_dtype=tl.int32)", x, y, acc);
        return define(g, like, "tl.dot(v%d, v%d, out_dtype=tl.int32)", x, y);
    }
    if (!(like.most < 1e30)) return -1;
    int tf32 = kind == KIND_F32 && one_in(g, 3);
    double unit = kinds[out].unit * (2 * size + 4) + (tf32 ? 0x1p-9 : 0);
    like.error =
        size * (vx.most * vy.error + vy.most * vx.error + vx.error * vy.error) + unit * like.most;
    like.loose_zero = 1;
    int acc = one_in(g, 2) ? want_value(g, out, &c, FINITE) : -1;
    const char *precision = tf32 || kind != KIND_F32 ? "" : ", input_precision=\"ieee\"";
    if (acc < 0) return define(g, like, "tl.dot(v%d, v%d%s)", x, y, precision);
    like.most += at(g, acc)->most;
    like.error += at(g, acc)->error + 2 * size * kinds[out].unit * like.most;
    return define(g, like, "tl.dot(v%d, v%d, acc=v%d%s)", x, y, acc, precision);
}

/* A product, and at times the product of that with another: its operand comes from an
 * accumulator. */
void gen_dot(Gen *g) {
    static const Kind possible[] = {KIND_F32, KIND_F16, KIND_BF16, KIND_F64,
                                    KIND_I8,  KIND_E4,  KIND_E5};
    Kind kind = possible[below(g, 7)];
    Shape a = {.rank = 2};
    a.dims[0].power[below(g, 3)] = a.dims[1].power[below(g, 3)] = 1;
    int least = 256 / kinds[kind].bits; /* 32 of 8 bits, 4 of f64 */
    for (int turn = 0, x = -1; turn < 3; turn++) {
        if (dim_size(g->kernel, a.dims[1]) < least || shape_lanes(g->kernel, &a) > SLOT_LENGTH)
            return;
        if (!turn) x = want_value(g, kind, &a, kind_is_float(kind) ? FINITE : 0);
        Dim columns = dim_one;
        columns.power[below(g, 3)] = 1;
        int product = dot_with(g, kind, x, columns);
        if (product < 0 || kind >= KIND_E4 || one_in(g, 3)) return;
        Value like = *at(g, product);
        a = like.shape;
        if (like.kind != kind) {
            like.kind = kind;
            if (like.most > kinds[kind].largest / 8 && kind_is_float(kind)) return;
            if (!kind_is_float(kind)) like.most = int_most(kind);
            like.error += 2 * kinds[kind].unit * like.most + (kind == KIND_F16 ? 1e-7 : 0);
            product = define(g, like, "v%d.to(%s)", product, kinds[kind].dtype);
        }
        x = product;
    }
}
