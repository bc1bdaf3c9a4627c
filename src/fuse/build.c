// SPDX-License-Identifier: Apache-2.0
/* build: what a kernel computes. From a root downwards, each node that is not stored becomes
 * values; what is stored, or comes from outside, is loaded.
 *
 * The root's dimensions are the kernel's loops. A node is evaluated at a Place: which loop
 * numbers each of its dimensions. Its operands are views of other nodes' results; where a view
 * has the result's dimensions, in any order, some repeated, the place goes through it. Another view
 * of a pointwise result, reshaped or of a part, goes on to its operands, where these lie as it
 * does. A reduction keeps the loops of its place and runs over others, the row's: those that are
 * left, or new ones. All reductions of a kernel run over the same. What does not fit makes a node
 * that is stored: the culprit. */
#include "fuse/fuse.h"

static const TraceNode *node_of(const Build *build, int node) {
    return build->plan->trace->nodes.data[node];
}

static bool is_root(const Build *build, int node) {
    for (int i = 0; i < build->num_roots; i++)
        if (build->roots[i] == node) return true;
    return false;
}

static int fail(Build *build, int node, Why why) {
    if (build->culprit < 0) build->culprit = node, build->why = why;
    return -1;
}

/* The node at which it was too much; a root itself stays, and what was put into it last goes. */
static int fail_large(Build *build, int node) {
    for (int i = build->plan->trace->nodes.count - 1; i >= 0 && is_root(build, node); i--)
        if (build->has[i] && !is_root(build, i)) node = i;
    return fail(build, node, WHY_LARGE);
}

/* What `node` does not fit into is cut off above it: behind the last reduction on the way there, at
 * the node with the fewest elements. */
static int fail_path(Build *build, int node, Why why) {
    int first = 1, best = node;
    int64_t fewest = INT64_MAX;
    for (int i = 0; i + 1 < build->num_path; i++)
        if (node_of(build, build->path[i])->run.kind == RUN_ROWS) first = i + 1;
    for (int i = first; i < build->num_path; i++) {
        int64_t numel = node_of(build, build->path[i])->out.numel;
        if (numel < fewest) fewest = numel, best = build->path[i];
    }
    return fail(build, best, why);
}

static int add_loop(Build *build, int64_t size) {
    if (build->num_loops == SPACE_RANK) return -1;
    build->sizes[build->num_loops] = size;
    return build->num_loops++;
}

/* ---- values ---- */

static int effective_depth(const Value *value) {
    return value->depth + (value->kind == VALUE_REDUCE);
}

static int add_value(Build *build, const Value *value) {
    if (build->num_values == MAX_VALUES) return fail_large(build, value->node);
    Value *added = &build->values[build->num_values];
    *added = *value;
    for (int i = 0; i < VALUE_OPERANDS; i++) {
        if (value->operands[i] < 0) continue;
        const Value *operand = &build->values[value->operands[i]];
        added->loops |= operand->loops;
        if (effective_depth(operand) > added->depth) added->depth = effective_depth(operand);
    }
    if (value->kind == VALUE_REDUCE) added->loops &= ~build->row_loops;
    return build->num_values++;
}

static Value value_new(ValueKind kind, int node, int part) {
    return (Value){.kind = kind,
                   .node = node,
                   .part = part,
                   .place = {.indexed = -1, .index = -1},
                   .operands = {-1, -1, -1, -1, -1}};
}

static bool is_same_place(const Place *a, const Place *b) {
    return !memcmp(a->loops, b->loops, sizeof a->loops) && a->indexed == b->indexed &&
           a->index == b->index && a->seen == b->seen;
}

static int find_value(const Build *build, int node, int part, const Place *place) {
    for (int i = build->num_values - 1; i >= 0; i--) {
        const Value *value = &build->values[i];
        if (value->node == node && value->part == part && is_same_place(&value->place, place))
            return i;
    }
    return -1;
}

static int add_number(Build *build, const tern_operand *number, tern_dtype dtype) {
    Value value = value_new(VALUE_NUMBER, -1, 0);
    value.number = *number;
    value.dtype = dtype;
    return add_value(build, &value);
}

/* ---- loads ---- */

static bool is_same_access(const Access *a, const Access *b) {
    return a->storage == b->storage && a->side == b->side && a->dtype == b->dtype &&
           a->offset == b->offset && a->index == b->index && a->step == b->step &&
           !memcmp(a->strides, b->strides, sizeof a->strides);
}

/* A view, its dimensions numbered by the place's loops; `step` elements a value of the index. */
static int add_load(Build *build, const tern_tensor *view, int storage, const Place *place,
                    int64_t step, bool is_raw, int reader) {
    Access access = {.storage = storage,
                     .side = build->side,
                     .is_factor = is_raw,
                     .dtype = view->dtype,
                     .offset = view->offset,
                     .index = -1};
    Value value = value_new(VALUE_LOAD, -1, 0);
    for (int d = 0; d < view->rank; d++)
        if (place->loops[d] >= 0) access.strides[place->loops[d]] += view->strides[d];
    if (place->indexed >= 0) step = view->strides[place->indexed];
    if (place->index >= 0 && step) access.index = place->index, access.step = step;
    value.dtype = is_raw ? view->dtype : compute_type(view->dtype);
    value.is_raw = is_raw;
    for (int i = 0; i < build->num_values; i++) {
        const Value *have = &build->values[i];
        if (have->kind == VALUE_LOAD && have->is_raw == is_raw &&
            is_same_access(&build->accesses[have->access], &access))
            return i;
    }
    if (build->num_accesses + build->num_roots >= MAX_ACCESSES) return fail_large(build, reader);
    for (int l = 0; l < build->num_loops; l++)
        if (access.strides[l]) value.loops |= 1u << l;
    value.operands[0] = access.index;
    value.access = build->num_accesses;
    int added = add_value(build, &value);
    if (added >= 0) build->accesses[build->num_accesses++] = access;
    return added;
}

/* ---- places ---- */

static int eval_node(Build *build, int node, const Place *place);

/* The place in a result that a view of it shows at `place`. `step`: of the dimension that
 * place.index numbers, though the view does not have it; 0: none. */
static bool place_through(const tern_tensor *view, const tern_tensor *out, const Place *place,
                          int64_t step, Place *through) {
    bool taken[TERN_MAX_RANK] = {false};
    *through = (Place){.indexed = -1, .index = -1};
    memset(through->loops, -1, sizeof through->loops);
    if (view->offset != out->offset) return false;
    for (int d = 0; d < view->rank; d++) {
        if (view->shape[d] == 1 || !view->strides[d]) continue;
        int at = 0;
        while (at < out->rank && (taken[at] || out->shape[at] != view->shape[d] ||
                                  out->strides[at] != view->strides[d]))
            at++;
        if (at == out->rank) return false;
        taken[at] = true;
        through->loops[at] = place->loops[d];
        if (place->indexed == d) through->indexed = (int8_t)at, through->index = place->index;
    }
    for (int d = 0; d < out->rank; d++) {
        if (out->shape[d] == 1 || taken[d]) continue;
        if (!step || out->strides[d] != step || through->indexed >= 0) return false;
        through->indexed = (int8_t)d;
        through->index = place->index;
    }
    return true;
}

/* ---- other views of what is computed ---- */

/* -1: there are too many. */
static int find_seen(Build *build, const tern_tensor *view) {
    Seen seen;
    memset(&seen, 0, sizeof seen); /* compared as bytes */
    seen.rank = view->rank;
    seen.offset = view->offset;
    memcpy(seen.shape, view->shape, (size_t)view->rank * sizeof *seen.shape);
    memcpy(seen.strides, view->strides, (size_t)view->rank * sizeof *seen.strides);
    for (int i = 0; i < build->num_seen; i++)
        if (!memcmp(&build->seen[i], &seen, sizeof seen)) return i;
    if (build->num_seen == MAX_SEEN) return -1;
    build->seen[build->num_seen] = seen;
    return build->num_seen++;
}

/* An operand of a node, as a view of the node's result sees it: where the operand is one element,
 * where it lies as the result does, or where it can be reshaped as the whole is. */
static bool operand_as_seen(const tern_tensor *operand, const tern_tensor *out, const Seen *seen,
                            tern_tensor *as) {
    tern_tensor wide = *out;
    bool is_one = true, is_alike = true;
    int64_t count = 1, dense[TERN_MAX_RANK];
    broadcast_strides(operand, out->rank, out->shape, wide.strides);
    for (int d = 0; d < out->rank; d++) {
        if (out->shape[d] == 1) continue;
        is_one = is_one && !wide.strides[d];
        is_alike = is_alike && wide.strides[d] == out->strides[d];
    }
    *as = *operand;
    as->rank = seen->rank;
    memcpy(as->shape, seen->shape, sizeof as->shape);
    memset(as->strides, 0, sizeof as->strides);
    if (is_one) return true;
    memcpy(as->strides, seen->strides, sizeof as->strides);
    as->offset += seen->offset - out->offset;
    if (is_alike) return true;
    for (int d = 0; d < seen->rank; d++) count *= seen->shape[d];
    strides_of(seen->rank, seen->shape, dense);
    bool is_whole = count == out->numel && seen->offset == out->offset && out->is_contiguous &&
                    !memcmp(dense, seen->strides, (size_t)seen->rank * sizeof *dense);
    return is_whole && view_strides(&wide, seen->rank, seen->shape, as->strides);
}

static int eval_seen(Build *build, const tern_tensor *view, int writer, const Place *place) {
    int seen = node_of(build, writer)->run.kind == RUN_MAP && !is_root(build, writer) &&
                       place->indexed < 0 && place->index < 0
                   ? find_seen(build, view)
                   : -1;
    if (seen < 0) return fail(build, writer, WHY_VIEW);
    Place in = *place;
    in.seen = (int8_t)(seen + 1);
    return eval_node(build, writer, &in);
}

static int eval_view(Build *build, const tern_tensor *view, int storage, const Place *place,
                     int64_t step, bool is_raw, int reader) {
    const Trace *trace = build->plan->trace;
    if (storage >= 0 && trace_is_value(trace, storage)) {
        int writer = trace->storages.data[storage].writer;
        Place through;
        if (!build->plan->states[writer].is_stored || is_root(build, writer)) {
            if (!place_through(view, &node_of(build, writer)->out, place, step, &through))
                return eval_seen(build, view, writer, place);
            return eval_node(build, writer, &through);
        }
    }
    return add_load(build, view, storage, place, step, is_raw, reader);
}

/* Of an operand that is broadcast to `rank` dimensions, which `place` numbers. */
static Place place_of_operand(const tern_tensor *operand, int rank, const Place *place) {
    Place of = {.indexed = -1, .index = -1};
    int lead = rank - operand->rank;
    memset(of.loops, -1, sizeof of.loops);
    for (int d = 0; d < operand->rank; d++) {
        if (operand->shape[d] == 1) continue;
        of.loops[d] = place->loops[d + lead];
        if (place->indexed == d + lead) of.indexed = (int8_t)d, of.index = place->index;
    }
    return of;
}

static int eval_operand(Build *build, int node, int i, int rank, const Place *place,
                        tern_dtype type) {
    const TraceNode *of = node_of(build, node);
    const tern_operand *operand = &of->run.operands[i];
    if (operand->kind != TERN_OPERAND_TENSOR) return add_number(build, operand, type);
    if (place->seen) {
        tern_tensor as;
        Place in = *place;
        in.seen = 0;
        if (!operand_as_seen(&of->tensors[i], &of->out, &build->seen[place->seen - 1], &as))
            return fail(build, node, WHY_VIEW);
        return eval_view(build, &as, build->plan->states[node].storages[i], &in, 0, false, node);
    }
    Place at = place_of_operand(&of->tensors[i], rank, place);
    return eval_view(build, &of->tensors[i], build->plan->states[node].storages[i], &at, 0, false,
                     node);
}

/* ---- pointwise nodes ---- */

/* The formula computes in one type; results stay in it, but for what is converted. */
static tern_dtype kept_type(const TraceNode *node, tern_dtype compute) {
    bool converts = node->run.op == TERN_OP_copy || compute_type(node->out.dtype) != compute;
    return converts ? node->out.dtype : compute;
}

static int eval_map(Build *build, int node, const Place *place) {
    const TraceNode *of = node_of(build, node);
    const Run *run = &of->run;
    const OpRow *row = op_row(run->op);
    Value value = value_new(VALUE_POINT, node, 0);
    bool gives_bool =
        row->rule == RULE_CLOSE || row->rule == RULE_COMPARE || row->rule == RULE_TRUTH;
    value.place = *place;
    value.formula = row_formula(row, run->compute);
    value.compute = gives_bool ? TERN_BOOL : run->compute;
    value.dtype = kept_type(of, value.compute);
    value.p = run->p;
    value.q = run->q;
    for (int i = 0; i < run->num_operands; i++) {
        value.types[i] = row->rule == RULE_WHERE && i == 0 ? TERN_BOOL : run->compute;
        value.operands[i] = eval_operand(build, node, i, of->out.rank, place, value.types[i]);
        if (value.operands[i] < 0) return -1;
    }
    return add_value(build, &value);
}

/* Elements of x at the places that the second operand says. */
static int eval_take(Build *build, int node, const Place *place) {
    const TraceNode *of = node_of(build, node);
    const NodeState *state = &build->plan->states[node];
    if (place->indexed >= 0) return fail(build, node, WHY_VIEW);
    int index = eval_operand(build, node, 1, of->out.rank, place, TERN_INT64);
    if (index < 0) return -1;
    Place at = place_of_operand(&of->tensors[0], of->out.rank, place);
    at.index = (int16_t)index;
    Value value = value_new(VALUE_POINT, node, 0);
    value.place = *place;
    value.formula = "a";
    value.operands[0] =
        eval_view(build, &of->tensors[0], state->storages[0], &at, of->run.step, false, node);
    if (value.operands[0] < 0) return -1;
    value.compute = value.dtype = value.types[0] = build->values[value.operands[0]].dtype;
    return add_value(build, &value);
}

/* ---- rows ---- */

/* The kernel's rows, for a reduction over `dims` of x that keeps the loops `kept`. */
static bool have_rows(Build *build, int node, uint32_t kept, const tern_tensor *x, const int *dims,
                      int count) {
    uint32_t rest = 0;
    int64_t rows = 1, length = 1;
    if (build->product >= 0) return fail_path(build, node, WHY_PRODUCT) >= 0;
    if (!build->row_loops) {
        for (int l = 0; l < build->num_loops; l++) {
            if (kept >> l & 1) {
                rows *= build->sizes[l];
                continue;
            }
            rest |= 1u << l;
            length *= build->sizes[l];
            build->rows[build->num_row_loops++] = l;
        }
        enum { FEW = 8, LONG = 65536 };
        if (rest && rows < FEW && length > LONG && build->num_path > 1) {
            build->num_row_loops = 0;
            return fail_path(build, node, WHY_LONG) >= 0;
        }
        for (int i = 0; i < count && !rest; i++)
            build->rows[build->num_row_loops++] = add_loop(build, x->shape[dims[i]]);
        if (!build->num_row_loops) build->rows[build->num_row_loops++] = add_loop(build, 1);
        for (int i = 0; i < build->num_row_loops; i++) {
            if (build->rows[i] < 0) return fail_large(build, node) >= 0;
            build->row_loops |= 1u << build->rows[i];
        }
    }
    bool is_one = build->num_row_loops == 1 && build->sizes[build->rows[0]] == 1;
    bool fits = !(kept & build->row_loops) && (count == build->num_row_loops || (is_one && !count));
    for (int i = 0; i < count && fits; i++)
        fits = build->sizes[build->rows[i]] == x->shape[dims[i]];
    return fits || fail_path(build, node, WHY_ROWS) >= 0;
}

/* The place in x of the elements of a row, of which `place` is one, or the result. */
static bool row_place(Build *build, int node, const Place *place, Place *along) {
    const TraceNode *of = node_of(build, node);
    const tern_tensor *x = &of->tensors[0];
    int dims[TERN_MAX_RANK], count = 0, from = 0;
    uint32_t kept = 0;
    *along = (Place){.indexed = -1, .index = -1};
    memset(along->loops, -1, sizeof along->loops);
    for (int d = 0; d < x->rank; d++) {
        bool in_row = of->run.in_row[d];
        if (in_row && x->shape[d] != 1) dims[count++] = d;
        if (!in_row) {
            along->loops[d] = place->loops[of->run.keeps ? d : from];
            if (along->loops[d] >= 0) kept |= 1u << along->loops[d];
            if (place->indexed == (of->run.keeps ? d : from))
                return fail(build, node, WHY_VIEW) >= 0;
        }
        from += !in_row;
    }
    if (!have_rows(build, node, kept, x, dims, count)) return false;
    for (int i = 0; i < count; i++) along->loops[dims[i]] = (int8_t)build->rows[i];
    return true;
}

/* A bool's largest is whether any is true. */
static Combine combine_in(Combine combine, tern_dtype dtype) {
    if (dtype != TERN_BOOL) return combine;
    return combine == COMBINE_MAX ? COMBINE_ANY : combine == COMBINE_MIN ? COMBINE_ALL : combine;
}

static int eval_pass(Build *build, int node, int pass, const Place *along, int s) {
    const TraceNode *of = node_of(build, node);
    const OpRow *row = op_row(of->run.op);
    int have = find_value(build, node, pass + 1, along);
    if (have >= 0) return have;
    Value value = value_new(VALUE_REDUCE, node, pass + 1);
    value.place = *along;
    value.formula = row->passes[pass];
    value.compute = value.dtype = row->rule == RULE_TRUTH ? TERN_BOOL : of->run.compute;
    value.combine = combine_in(row->combines[pass], value.compute);
    value.types[0] = value.types[3] = of->run.compute;
    value.operands[0] = eval_operand(build, node, 0, of->tensors[0].rank, along, of->run.compute);
    value.operands[3] = s;
    return value.operands[0] < 0 ? -1 : add_value(build, &value);
}

static int eval_rows(Build *build, int node, const Place *place) {
    const TraceNode *of = node_of(build, node);
    const OpRow *row = op_row(of->run.op);
    int passes[2] = {-1, -1};
    Place along;
    if (!row_place(build, node, place, &along)) return -1;
    for (int pass = 0; pass < 2 && row->combines[pass] != COMBINE_NONE; pass++) {
        passes[pass] = eval_pass(build, node, pass, &along, passes[0]);
        if (passes[pass] < 0) return -1;
    }
    Value value = value_new(VALUE_POINT, node, 0);
    value.place = *place;
    value.formula = row->formulas[0];
    value.compute = row->rule == RULE_TRUTH ? TERN_BOOL : of->run.compute;
    value.dtype = kept_type(of, value.compute);
    value.p = of->run.p;
    for (int i = 0; i < VALUE_OPERANDS; i++) value.types[i] = value.compute;
    for (int i = 0; i < of->run.num_operands && of->run.keeps; i++) {
        static const tern_operand absent[] = {{.kind = TERN_OPERAND_INTEGER, .integer = 1},
                                              {.kind = TERN_OPERAND_INTEGER, .integer = 0}};
        value.operands[i] = of->run.operands[i].tensor
                                ? eval_operand(build, node, i, of->out.rank, place, value.compute)
                                : add_number(build, &absent[i - 1], value.compute);
        if (value.operands[i] < 0) return -1;
    }
    value.operands[3] = passes[0];
    value.operands[4] = passes[1];
    return add_value(build, &value);
}

/* ---- products ---- */

static uint32_t loops_of(const Place *place) {
    uint32_t loops = 0;
    for (int d = 0; d < TERN_MAX_RANK; d++)
        if (place->loops[d] >= 0) loops |= 1u << place->loops[d];
    return loops;
}

/* An operand has all its tile, so that what is outside of it can be made 0. */
static int eval_factor(Build *build, int node, int i, const Place *place, int outer, int inner) {
    const TraceNode *of = node_of(build, node);
    const tern_tensor *view = &of->tensors[i];
    int storage = build->plan->states[node].storages[i];
    Place at = place_of_operand(view, of->out.rank, place);
    at.loops[view->rank - 2] = (int8_t)outer;
    at.loops[view->rank - 1] = (int8_t)inner;
    build->side = i ? SIDE_B : SIDE_A;
    int value = eval_view(build, view, storage, &at, 0, true, node);
    build->side = SIDE_NONE;
    if (value < 0) return -1;
    uint32_t needs = 1u << outer | 1u << inner;
    if (build->values[value].kind == VALUE_LOAD || (build->values[value].loops & needs) == needs)
        return value;
    return fail(build, build->plan->trace->storages.data[storage].writer, WHY_OPERAND);
}

static int eval_product(Build *build, int node, const Place *place) {
    const TraceNode *of = node_of(build, node);
    int m = of->out.rank - 2, n = of->out.rank - 1;
    Place full = *place;
    if (build->product >= 0 || build->row_loops || place->indexed >= 0 ||
        loops_of(place) != (1u << build->num_loops) - 1)
        return fail_path(build, node, WHY_PRODUCT);
    if (full.loops[m] < 0) full.loops[m] = (int8_t)add_loop(build, 1);
    if (full.loops[n] < 0) full.loops[n] = (int8_t)add_loop(build, 1);
    int64_t depth = of->tensors[0].shape[of->tensors[0].rank - 1];
    build->loop_m = full.loops[m];
    build->loop_n = full.loops[n];
    build->loop_a = add_loop(build, depth);
    build->loop_b = add_loop(build, depth);
    if (build->loop_m < 0 || build->loop_n < 0 || build->loop_b < 0)
        return fail(build, node, WHY_LARGE);
    Value value = value_new(VALUE_PRODUCT, node, 0);
    value.place = *place;
    value.compute = value.dtype = of->run.compute;
    value.types[0] = value.types[1] = of->out.dtype;
    value.operands[0] = eval_factor(build, node, 0, &full, build->loop_m, build->loop_a);
    if (value.operands[0] < 0) return -1;
    value.operands[1] = eval_factor(build, node, 1, &full, build->loop_b, build->loop_n);
    if (value.operands[1] < 0) return -1;
    int added = add_value(build, &value);
    if (added < 0) return -1;
    build->values[added].loops &= ~(1u << build->loop_a | 1u << build->loop_b);
    return build->product = added;
}

/* ---- nodes ---- */

static int eval_node(Build *build, int node, const Place *place) {
    int value = find_value(build, node, 0, place);
    if (value >= 0) return value;
    if (!build->has[node]) {
        if (build->num_nodes == MAX_NODES) return fail_large(build, node);
        build->has[node] = 1;
        build->num_nodes++;
    }
    static int (*const evals[])(Build * build, int node, const Place *place) = {
        [RUN_MAP] = eval_map,   [RUN_TAKE] = eval_take,       [RUN_PUT] = NULL, /* runs alone */
        [RUN_ROWS] = eval_rows, [RUN_PRODUCT] = eval_product,
    };
    build->path[build->num_path++] = node;
    value = evals[node_of(build, node)->run.kind](build, node, place);
    build->num_path--;
    return value;
}

/* ---- stores ---- */

/* The loops that elements of a store are numbered by: all but a product's depth, and, of what is
 * one a row, the row's. */
static bool can_store(const Build *build, const Value *value) {
    uint32_t all = 0, loops = loops_of(&value->place);
    for (int l = 0; l < build->num_loops; l++) {
        if (l == build->loop_a || l == build->loop_b) {
            if (loops >> l & 1) return false;
        } else if (build->sizes[l] != 1)
            all |= 1u << l;
    }
    loops &= all;
    return value->place.indexed < 0 && (loops == all || loops == (all & ~build->row_loops));
}

static bool add_store(Build *build, int root) {
    int found = -1;
    for (int i = 0; i < build->num_values; i++) {
        if (build->values[i].node != root || build->values[i].part) continue;
        if (found >= 0) return fail(build, root, WHY_VIEW) >= 0;
        found = i;
    }
    if (found < 0 || !can_store(build, &build->values[found]))
        return fail(build, root, WHY_VIEW) >= 0;
    const tern_tensor *out = &node_of(build, root)->out;
    Access *access = &build->accesses[build->num_accesses + build->num_stores];
    *access = (Access){.storage = build->plan->states[root].out,
                       .dtype = out->dtype,
                       .offset = out->offset,
                       .index = -1};
    for (int d = 0; d < out->rank; d++) {
        int loop = build->values[found].place.loops[d];
        if (loop >= 0) access->strides[loop] += out->strides[d];
    }
    access->is_of_row = build->row_loops != 0;
    for (int i = 0; i < build->num_row_loops; i++)
        access->is_of_row = access->is_of_row && !access->strides[build->rows[i]];
    build->stores[build->num_stores++] = (Store){found, root};
    return true;
}

bool value_is_of_row(const Build *build, const Value *value) {
    return !(value->loops & build->row_loops);
}

bool build_kernel(Build *build, FusePlan *plan, const int *roots, int num_roots) {
    uint8_t *has = build->has;
    memset(has, 0, (size_t)plan->trace->nodes.count);
    build->plan = plan;
    build->num_roots = num_roots;
    memcpy(build->roots, roots, (size_t)num_roots * sizeof *roots);
    build->num_loops = build->num_row_loops = build->num_values = build->num_accesses = 0;
    build->num_stores = build->num_nodes = build->num_path = build->num_seen = 0;
    build->row_loops = 0;
    build->side = SIDE_NONE;
    build->product = build->loop_m = build->loop_n = build->loop_a = build->loop_b = -1;
    build->culprit = -1;
    const tern_tensor *first = &node_of(build, roots[0])->out;
    Place place = {.indexed = -1, .index = -1};
    memset(place.loops, -1, sizeof place.loops);
    for (int d = 0; d < first->rank; d++)
        if (first->shape[d] != 1) place.loops[d] = (int8_t)add_loop(build, first->shape[d]);
    for (int i = 0; i < num_roots; i++) {
        const tern_tensor *out = &node_of(build, roots[i])->out;
        if (has[roots[i]]) continue; /* another root reads it */
        bool same = out->rank == first->rank &&
                    !memcmp(out->shape, first->shape, (size_t)first->rank * sizeof *out->shape);
        if (!same) return fail(build, roots[i], WHY_VIEW) >= 0;
        if (eval_node(build, roots[i], &place) < 0) return false;
    }
    for (int i = 0; i < num_roots; i++)
        if (!add_store(build, roots[i])) return false;
    return true;
}
