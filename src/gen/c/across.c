// SPDX-License-Identifier: Apache-2.0
/* across: what reduce, scan, atomics, print and assert put into a loop nest.
 *
 * A reduce along the vector loop by one commutative op keeps partial results in vectors (one for
 * each unrolled copy of the body) and folds them after the loop, in a fixed order. Along a row loop
 * it combines into the result's array. Any other combination runs lane after lane. */
#include "gen/c/nest.h"

enum { MAX_TILES = 8 }; /* operands of one reduce or scan */

typedef enum Style { STYLE_FOLD, STYLE_ROWS, STYLE_SERIAL, STYLE_UNIT } Style;

static int axis_loop(const Nest *n, const Op *op) { /* -1: the axis has one lane */
    for (int k = 0; k < n->num_loops; k++)
        if (n->loop_dim[k] == fold_axis(op)) return k;
    return -1;
}

static Str identity_of(const Nest *n, const Op *op) {
    Op *single = region_single_op(op->regions[0]);
    if (!single) return STR("");
    return identity_text(n->g, single, type_lane(op->operands[0]->type)->kind);
}

static Style reduce_style(const Nest *n, const Op *op) {
    int loop = axis_loop(n, op);
    if (loop < 0) return STYLE_UNIT;
    if (loop < n->num_rows) return region_is_straight(op->regions[0]) ? STYLE_ROWS : STYLE_SERIAL;
    return identity_of(n, op).length ? STYLE_FOLD : STYLE_SERIAL;
}

bool across_needs_slow(const Nest *n) {
    for (int i = 0; i < n->num_roots; i++) {
        Op *op = n->roots[i].op;
        if (!op || op->kind == OP_STORE) continue;
        if (op->kind != OP_REDUCE || reduce_style(n, op) == STYLE_SERIAL) return true;
    }
    return false;
}

int across_unroll(const Nest *n) {
    bool folds = false;
    for (int i = 0; i < n->num_roots; i++) {
        Op *op = n->roots[i].op;
        if (op && op->kind == OP_REDUCE && reduce_style(n, op) == STYLE_FOLD) folds = true;
    }
    int unroll = !folds ? 1 : n->ops.count <= 6 ? 4 : n->ops.count <= 12 ? 2 : 1;
    while (unroll > 1 && n->N < n->g->W * unroll) unroll /= 2;
    return unroll;
}

/* Results: arrays for tiles, C variables for scalars. */
static void declare_results(Nest *n, Op *op) {
    Gen *g = n->g;
    for (int i = 0; i < op->num_results; i++) {
        Value *r = &op->results[i];
        if (type_is_tile(r->type)) {
            bool dedicated = false;
            for (int k = 0; k < info(g, r)->users.count; k++)
                dedicated = dedicated || info(g, r)->users.data[k]->kind == OP_YIELD;
            value_store_in(g, r, view_row_major(g, array_new(g, r->type, dedicated), r->type));
        } else {
            TypeKind kind = r->type->kind;
            line(g, g->out, g->depth, "%s v%d = 0;", scalar_type(kind), r->id);
            info(g, r)->declared = true;
        }
    }
}

void across_begin(Nest *n) {
    for (int i = 0; i < n->num_roots; i++) {
        Op *op = n->roots[i].op;
        if (!op || op->num_results == 0) continue;
        declare_results(n, op);
        if (op->kind == OP_SCAN && scan_reverse(op)) {
            int loop = axis_loop(n, op);
            if (loop >= 0 && loop < n->num_rows)
                n->axis_down = loop;
            else
                n->down = loop >= 0;
        }
    }
}

/* Where result i of a reduce goes for the row that the loops stand at. */
static Place result_place(const Op *op, Place place) {
    int axis = fold_axis(op);
    for (int d = axis; d + 1 < MAX_RANK; d++) place.loop[d] = place.loop[d + 1];
    return place;
}

static Str result_text(Nest *n, Op *op, int i,
                       Place place) { /* an lvalue; only without vector loop */
    Gen *g = n->g;
    Value *r = &op->results[i];
    if (!type_is_tile(r->type)) return text(g, "v%d", r->id);
    int64_t stride;
    int level;
    Str offset =
        view_offset(n, info(g, r)->view, r->type, result_place(op, place), &stride, &level);
    return text(g, "a%d[%.*s]", info(g, r)->view->array->id, STR_ARG(offset));
}

static Str lane_of(Nest *n, TypeKind kind, Str vector, const char *index) {
    return text(n->g, kind == TYPE_I1 ? "t_vb_get(%.*s, %s)" : "%.*s[%s]", STR_ARG(vector), index);
}

static TypeKind lane_kind(const Op *op, int i) { return type_lane(op->operands[i]->type)->kind; }

/* ---- reduce ---- */

static void reduce_fold(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    Op *single = region_single_op(op->regions[0]);
    TypeKind kind = lane_kind(op, 0);
    int id = op_result(op)->id, copy = n->fast ? n->copy : 0;
    if (n->fast || across_needs_slow(n) || n->N < g->W) {
        Str identity = identity_of(n, op);
        Str splat = splat_text(g, kind, identity);
        line(g, &n->pre[n->num_rows], depth_at(n, n->num_rows), "%s c%d_%d = %.*s;",
             vector_type(kind), id, copy, STR_ARG(splat));
    }
    Str x = as_vector(n, eval(n, op->operands[0], place));
    if (!n->fast && n->N % g->W) {
        Str identity = splat_text(g, kind, identity_of(n, op));
        x = new_vector(n, kind,
                       text(g, "t_sel_%s(t_vb_first(%d - l), %.*s, %.*s)", kind_code(kind), n->N,
                            STR_ARG(x), STR_ARG(identity)))
                .text;
    }
    Str both[2] = {text(g, "c%d_%d", id, copy), x};
    Str sum = op_text(g, single, true, both);
    line(g, n->at, body_depth(n), "c%d_%d = %.*s;", id, copy, STR_ARG(sum));
}

static void fold_step(Nest *n, Op *single, TypeKind kind, int id, int distance, int d) {
    Gen *g = n->g;
    Buf lanes = {.arena = g->arena};
    for (int i = 0; i < g->W; i++) buf_printf(&lanes, ", %d", (i + distance) % g->W);
    Str name = text(g, "c%d_0", id);
    int other = new_id(g);
    line(g, &n->post[n->num_rows], d, "%s x%d = __builtin_shufflevector(c%d_0, c%d_0%s);",
         vector_type(kind), other, id, id, lanes.data);
    Str both[2] = {name, text(g, "x%d", other)};
    Str sum = op_text(g, single, true, both);
    line(g, &n->post[n->num_rows], d, "c%d_0 = %.*s;", id, STR_ARG(sum));
}

static void reduce_fold_end(Nest *n, Op *op, Place place, int copies) {
    Gen *g = n->g;
    Op *single = region_single_op(op->regions[0]);
    TypeKind kind = lane_kind(op, 0);
    int id = op_result(op)->id, d = depth_at(n, n->num_rows);
    Buf *post = &n->post[n->num_rows];
    for (int half = copies / 2; half >= 1; half /= 2)
        for (int k = 0; k < half; k++) {
            Str both[2] = {text(g, "c%d_%d", id, k), text(g, "c%d_%d", id, k + half)};
            Str sum = op_text(g, single, true, both);
            line(g, post, d, "c%d_%d = %.*s;", id, k, STR_ARG(sum));
        }
    Str result = result_text(n, op, 0, place);
    if (kind == TYPE_I1) {
        line(g, post, d, "int r%d = t_vb_get(c%d_0, 0);", id, id);
        Str both[2] = {text(g, "r%d", id), text(g, "t_vb_get(c%d_0, i)", id)};
        Str sum = op_text(g, single, false, both);
        line(g, post, d, "for (int i = 1; i < W; i++) r%d = %.*s;", id, STR_ARG(sum));
        line(g, post, d, "%.*s = r%d;", STR_ARG(result), id);
        return;
    }
    for (int distance = g->W / 2; distance >= 1; distance /= 2)
        fold_step(n, single, kind, id, distance, d);
    line(g, post, d, "%.*s = c%d_0[0];", STR_ARG(result), id);
}

/* Reads or writes a whole vector of a result array; writes only the lanes that are the row's. */
static Str result_vector(Nest *n, Op *op, int i, Place place) {
    Gen *g = n->g;
    const View *view = info(g, &op->results[i])->view;
    int64_t stride;
    int level;
    Str offset = view_offset(n, view, op->results[i].type, place, &stride, &level),
        l = lane_index(n);
    return text(g, "(a%d + %.*s + %.*s)", view->array->id, STR_ARG(offset), STR_ARG(l));
}

static Str read_vector(Nest *n, TypeKind kind, Str at) {
    Str read = text(n->g, "*(const %s *)%.*s", memory_type(kind, true), STR_ARG(at));
    return new_vector(n, kind,
                      kind == TYPE_I1 ? text(n->g, "t_vb_from_i8(%.*s)", STR_ARG(read)) : read)
        .text;
}

static void write_vector(Nest *n, Buf *out, int d, TypeKind kind, Str at, Str v) {
    Gen *g = n->g;
    if (kind == TYPE_I1) v = text(g, "t_vb_to_i8(%.*s)", STR_ARG(v)), kind = TYPE_I8;
    if (n->N % g->W)
        line(g, out, d, "t_stm_%s(%.*s, %.*s, t_vb_first(%d - l));", kind_code(kind), STR_ARG(at),
             STR_ARG(v), n->N);
    else
        line(g, out, d, "*(%s *)%.*s = %.*s;", memory_type(kind, true), STR_ARG(at), STR_ARG(v));
}

/* Writes x to `at`: the loop's first row as it is, the others combined with what is at `before`. */
static void add_row(Nest *n, Op *op, int loop, const Str *x, const Str *at, const Str *before) {
    Gen *g = n->g;
    int d = body_depth(n), count = op->num_operands;
    Str old[MAX_TILES], sum[MAX_TILES];
    line(g, n->at, d, "if (i%d == 0) {", loop);
    for (int i = 0; i < count; i++) write_vector(n, n->at, d + 1, lane_kind(op, i), at[i], x[i]);
    line(g, n->at, d, "} else {");
    for (int i = 0; i < count; i++) old[i] = read_vector(n, lane_kind(op, i), before[i]);
    combine_vector(g, n->at, d + 1, op->regions[0], old, x, sum);
    for (int i = 0; i < count; i++) write_vector(n, n->at, d + 1, lane_kind(op, i), at[i], sum[i]);
    line(g, n->at, d, "}");
}

static void reduce_rows(Nest *n, Op *op, Place place) {
    int loop = axis_loop(n, op), count = op->num_operands;
    Str x[MAX_TILES], at[MAX_TILES];
    for (int i = 0; i < count; i++) {
        x[i] = as_vector(n, eval(n, op->operands[i], place));
        at[i] = result_vector(n, op, i, result_place(op, place));
    }
    add_row(n, op, loop, x, at, at);
}

/* Lane after lane: for each, combine with what is in the result so far. */
static void reduce_serial(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    int loop = axis_loop(n, op), d = body_depth(n), count = op->num_operands;
    Str x[MAX_TILES], left[MAX_TILES], right[MAX_TILES];
    for (int i = 0; i < count; i++) {
        x[i] = as_vector(n, eval(n, op->operands[i], place));
        right[i] = lane_of(n, lane_kind(op, i), x[i], "j");
        left[i] = result_text(n, op, i, place);
        if (loop < n->num_rows && type_is_tile(op->results[i].type)) {
            Str at = result_vector(n, op, i, result_place(op, place));
            left[i] = text(g, "%.*s[j]", STR_ARG(at));
        }
    }
    line(g, n->at, d, "for (int j = 0; j < W && l + j < %d; j++) {", n->N);
    if (loop < n->num_rows)
        line(g, n->at, d + 1, "if (i%d == 0) {", loop);
    else
        line(g, n->at, d + 1, "if (l + j == 0) {");
    for (int i = 0; i < count; i++)
        line(g, n->at, d + 2, "%.*s = %.*s;", STR_ARG(left[i]), STR_ARG(right[i]));
    line(g, n->at, d + 1, "} else {");
    combine_scalar(g, n->at, d + 2, op->regions[0], left, right, left);
    line(g, n->at, d + 1, "}");
    line(g, n->at, d, "}");
}

static void reduce_unit(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    for (int i = 0; i < op->num_operands; i++) {
        Ev ev = eval(n, op->operands[i], place);
        Value *r = &op->results[i];
        if (type_is_tile(r->type)) {
            write_view(n, info(g, r)->view, r->type, result_place(op, place), ev);
            continue;
        }
        Str x = as_vector(n, ev), lane = lane_of(n, lane_kind(op, i), x, "0");
        line(g, n->at, body_depth(n), "v%d = %.*s;", r->id, STR_ARG(lane));
    }
}

/* ---- scan ---- */

static Str shuffled(Nest *n, TypeKind kind, Str v, int mode,
                    int distance) { /* mode 0: up; 1: reversed */
    Gen *g = n->g;
    Buf lanes = {.arena = g->arena};
    int count = n->N < g->W ? n->N : g->W;
    for (int i = 0; i < g->W; i++)
        buf_printf(&lanes, ", %d",
                   mode == 0   ? (i + g->W - distance) % g->W
                   : i < count ? count - 1 - i
                               : i);
    if (kind == TYPE_I1) {
        Str b = new_vector(n, TYPE_I8, text(g, "t_vb_to_i8(%.*s)", STR_ARG(v))).text;
        return new_vector(n, TYPE_I1,
                          text(g, "t_vb_from_i8(__builtin_shufflevector(%.*s, %.*s%s))", STR_ARG(b),
                               STR_ARG(b), lanes.data))
            .text;
    }
    return new_vector(
               n, kind,
               text(g, "__builtin_shufflevector(%.*s, %.*s%s)", STR_ARG(v), STR_ARG(v), lanes.data))
        .text;
}

/* In a vector by doubling distances, then with the carry of the vectors before. */
static void scan_vector(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    int count = op->num_operands, id = op_result(op)->id, d = body_depth(n);
    Str x[MAX_TILES], y[MAX_TILES], sum[MAX_TILES];
    for (int i = 0; i < count; i++) {
        TypeKind kind = lane_kind(op, i);
        line(g, &n->pre[n->num_rows], depth_at(n, n->num_rows), "%s k%d_%d = 0;", scalar_type(kind),
             id, i);
        x[i] = as_vector(n, eval(n, op->operands[i], place));
        if (n->down) x[i] = shuffled(n, kind, x[i], 1, 0);
    }
    for (int s = 1; s < g->W && s < n->N; s *= 2) {
        for (int i = 0; i < count; i++) y[i] = shuffled(n, lane_kind(op, i), x[i], 0, s);
        combine_vector(g, n->at, d, op->regions[0], y, x, sum);
        for (int i = 0; i < count; i++)
            x[i] = new_vector(n, lane_kind(op, i),
                              text(g, "t_sel_%s(t_ge_i32(t_iota(), (vi32){} + %d), %.*s, %.*s)",
                                   kind_code(lane_kind(op, i)), s, STR_ARG(sum[i]), STR_ARG(x[i])))
                       .text;
    }
    if (n->N > g->W) {
        const char *first = n->down ? text(g, "l != %d", n->N - g->W).data : "l != 0";
        line(g, n->at, d, "if (%s) {", first);
        for (int i = 0; i < count; i++) {
            Str k = text(g, "k%d_%d", id, i);
            Str splat = splat_text(g, lane_kind(op, i), k);
            y[i] = new_vector(n, lane_kind(op, i), splat).text;
        }
        combine_vector(g, n->at, d + 1, op->regions[0], y, x, sum);
        for (int i = 0; i < count; i++)
            line(g, n->at, d + 1, "%.*s = %.*s;", STR_ARG(x[i]), STR_ARG(sum[i]));
        line(g, n->at, d, "}");
        for (int i = 0; i < count; i++) {
            Str last = lane_of(n, lane_kind(op, i), x[i], "W - 1");
            line(g, n->at, d, "k%d_%d = %.*s;", id, i, STR_ARG(last));
        }
    }
    for (int i = 0; i < count; i++) {
        TypeKind kind = lane_kind(op, i);
        Str r = n->down ? shuffled(n, kind, x[i], 1, 0) : x[i];
        write_vector(n, n->at, d, kind, result_vector(n, op, i, place), r);
    }
}

static void scan_rows(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    int loop = axis_loop(n, op), count = op->num_operands;
    long long step = info(g, op_result(op))->view->strides[n->loop_dim[loop]];
    if (scan_reverse(op)) step = -step;
    Str x[MAX_TILES], at[MAX_TILES], before[MAX_TILES];
    for (int i = 0; i < count; i++) {
        x[i] = as_vector(n, eval(n, op->operands[i], place));
        at[i] = result_vector(n, op, i, place);
    }
    for (int i = 0; i < count; i++) before[i] = text(g, "(%.*s - (%lld))", STR_ARG(at[i]), step);
    add_row(n, op, loop, x, at, before);
}

/* Any body: each lane of the result is made from the one before it along the axis. */
static void scan_serial(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    int loop = axis_loop(n, op), d = body_depth(n), count = op->num_operands;
    bool rows = loop >= 0 && loop < n->num_rows;
    Str left[MAX_TILES], right[MAX_TILES], result[MAX_TILES];
    for (int i = 0; i < count; i++) {
        const View *view = info(g, &op->results[i])->view;
        long long step = loop < 0 ? 0 : view->strides[n->loop_dim[loop]];
        if (scan_reverse(op)) step = -step;
        Str x = as_vector(n, eval(n, op->operands[i], place)), at = result_vector(n, op, i, place);
        right[i] = lane_of(n, lane_kind(op, i), x, "j");
        result[i] = text(g, "%.*s[j]", STR_ARG(at));
        left[i] = text(g, "%.*s[j - (%lld)]", STR_ARG(at), step);
    }
    if (n->down)
        line(g, n->at, d, "for (int j = W - 1; j >= 0; j--) if (l + j < %d) {", n->N);
    else
        line(g, n->at, d, "for (int j = 0; j < W && l + j < %d; j++) {", n->N);
    if (rows)
        line(g, n->at, d + 1, "if (i%d == 0) {", loop);
    else if (loop < 0)
        line(g, n->at, d + 1, "if (1) {");
    else
        line(g, n->at, d + 1, "if (l + j == %d) {", n->down ? n->N - 1 : 0);
    for (int i = 0; i < count; i++)
        line(g, n->at, d + 2, "%.*s = %.*s;", STR_ARG(result[i]), STR_ARG(right[i]));
    line(g, n->at, d + 1, "} else {");
    combine_scalar(g, n->at, d + 2, op->regions[0], left, right, result);
    line(g, n->at, d + 1, "}");
    line(g, n->at, d, "}");
}

static void write_scan(Nest *n, Op *op, Place place) {
    int loop = axis_loop(n, op);
    bool straight = region_is_straight(op->regions[0]);
    if (straight && loop >= 0 && loop < n->num_rows)
        scan_rows(n, op, place);
    else if (straight && loop >= 0 && (n->N % n->g->W == 0 || n->N < n->g->W))
        scan_vector(n, op, place);
    else
        scan_serial(n, op, place);
}

/* ---- atomics, print, assert ---- */

static void write_atomic(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    TypeKind kind = type_lane(access_value(op)->type)->kind;
    bool cas = op->kind == OP_ATOMIC_CAS;
    Str p = as_vector(n, eval(n, access_pointer(op), place)),
        v = as_vector(n, eval(n, cas ? atomic_cas_compare(op) : access_value(op), place));
    Str w = cas ? as_vector(n, eval(n, access_value(op), place)) : STR("");
    Str mask = nest_mask(n, access_mask(op), place, NULL);
    if (!mask.length) mask = STR("t_vb_splat(1)");
    inside_lanes(n, op, place, p, mask);
    Str r = new_vector(n, kind, text(g, "(%s){}", vector_type(kind))).text;
    const char *word = cas ? "cas" : attr_word(ATTR_RMW, atomic_rmw_kind(op));
    Str more = cas ? text(g, ", %.*s[i]", STR_ARG(w)) : STR("");
    line(g, n->at, body_depth(n),
         "LANES if (t_vb_get(%.*s, i)) %.*s[i] = t_atomic_%s_%s(%.*s[i], %.*s[i]%.*s);",
         STR_ARG(mask), STR_ARG(r), word, kind_code(kind), STR_ARG(p), STR_ARG(v), STR_ARG(more));
    write_view(n, info(g, op_result(op))->view, op_result(op)->type, place,
               (Ev){.kind = EV_VECTOR, .text = r, .lane = kind});
}

static void write_assert(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    Str c = as_vector(n, eval(n, assert_condition(op), place));
    Str mask = nest_mask(n, assert_mask(op), place, NULL);
    Str bad = new_vector(n, TYPE_I1, text(g, "t_vb_not(%.*s)", STR_ARG(c))).text;
    if (mask.length)
        bad =
            new_vector(n, TYPE_I1, text(g, "(vb)(%.*s & %.*s)", STR_ARG(bad), STR_ARG(mask))).text;
    const Type *type = assert_condition(op)->type;
    int first = new_id(g), depth = body_depth(n);
    Buf index = {.arena = g->arena};
    for (int i = 0; i < type->rank; i++) {
        int loop = place.loop[i];
        Str at = loop < 0 ? STR("0") : loop == n->num_rows ? lane_index(n) : row_index(n, loop);
        buf_printf(&index, "%s%.*s", i ? ", " : "", STR_ARG(at));
        if (loop >= 0 && loop == n->num_rows) buf_printf(&index, " + first%d", first);
    }
    line(g, n->at, depth, "if (t_vb_any(%.*s)) {", STR_ARG(bad));
    line(g, n->at, depth + 1, "int first%d = 0;", first);
    line(g, n->at, depth + 1, "for (; !t_vb_get(%.*s, first%d); first%d++) {}", STR_ARG(bad), first,
         first);
    line(g, n->at, depth + 1, "int index%d[] = {%.*s};", first, (int)index.length, index.data);
    line(g, n->at, depth + 1, "return R->fail_assert(R, %d, P, %d, index%d);", new_assert(g, op),
         type->rank, first);
    line(g, n->at, depth, "}");
}

void write_across(Nest *n, Op *op) {
    Place place = identity_place(n, op->operands[0]->type);
    switch (op->kind) {
    case OP_REDUCE: {
        Style style = reduce_style(n, op);
        if (style == STYLE_FOLD) reduce_fold(n, op, place);
        if (style == STYLE_ROWS) reduce_rows(n, op, place);
        if (style == STYLE_SERIAL) reduce_serial(n, op, place);
        if (style == STYLE_UNIT) reduce_unit(n, op, place);
        return;
    }
    case OP_SCAN: write_scan(n, op, place); return;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: write_atomic(n, op, place); return;
    case OP_ASSERT: write_assert(n, op, place); return;
    case OP_HISTOGRAM:
    case OP_DOT:
    case OP_LOAD:
    case OP_STORE:
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
#define OP(kind, ...) case OP_##kind:
#define MEMORY(...)
#define ACROSS(...)
#define PERMUTE(kind, ...) case OP_##kind:
#define PEOPLE(...)
#include "ir/ops.def"
    case OP_ASSUME:
    case OP_PRINT:
    case OP_CLOCK:
    case OP_INLINE_ASM:
    case NUM_OP_KINDS: break;
    }
    BUG("%s in a nest", op_info(op->kind)->name);
}

void across_end(Nest *n) {
    for (int i = 0; i < n->num_roots; i++) {
        Op *op = n->roots[i].op;
        if (!op || op->kind != OP_REDUCE || reduce_style(n, op) != STYLE_FOLD) continue;
        int copies = n->N >= n->g->W && !across_needs_slow(n) ? across_unroll(n) : 1;
        reduce_fold_end(n, op, identity_place(n, op->operands[0]->type), copies);
    }
}
