// SPDX-License-Identifier: Apache-2.0
/* plan: which layout each tile has.
 *
 * Loads, atomics, products, reductions and loop-carried tiles have a home: the layout in which they
 * are made. An elementwise op is made in the home of its first operand that has one. What has none
 * (ranges, splats, broadcasts, masks and pointers made of these) is made again in each layout in
 * which it is wanted: cheaper than moving it. A value with a home that is wanted elsewhere is
 * converted where it is defined.
 *
 * Three walks: memory ops give each shape its widest vector; forwards, homes; backwards, what is
 * wanted where. */
#include "gen/ptx/gen.h"

static int log2_of(int64_t x) {
    int n = 0;
    while (x > 1) x >>= 1, n++;
    return n;
}

ValuePlan *ptx_plan_of(Gen *g, const Value *value) { return &g->plans[value->id]; }

/* ---- memory ops ---- */

/* Dimensions by falling contiguity; equal ones from the last. */
static void order_of(const Type *type, const AxisFacts *facts, int *order) {
    for (int i = 0; i < type->rank; i++) order[i] = type->rank - 1 - i;
    for (int i = 1; facts && i < type->rank; i++)
        for (int j = i; j > 0; j--) {
            int a = order[j - 1], c = order[j];
            if (facts->contiguity[c] <= facts->contiguity[a]) break;
            order[j - 1] = c, order[j] = a;
        }
}

/* Lanes along dim that one access may take by the facts of pointer and mask: logarithm. */
static int fact_vector_bits(Gen *g, const Op *op, int dim) {
    const Value *pointer = access_pointer(op), *mask = access_mask(op);
    const AxisFacts *facts = facts_axis(g->axis, pointer);
    if (!facts) return 0;
    int bytes = type_size_bytes(type_lane(pointer->type)->elem);
    int64_t lanes = 16 / bytes;
    if (facts->contiguity[dim] < lanes) lanes = facts->contiguity[dim];
    if (facts->divisibility[dim] / bytes < lanes) lanes = facts->divisibility[dim] / bytes;
    if (mask) {
        uint64_t bits;
        const AxisFacts *mask_facts = facts_axis(g->axis, mask);
        if (!value_is_constant(mask, &bits)) {
            int64_t same = mask_facts ? mask_facts->constancy[dim] : 1;
            if (same < lanes) lanes = same;
        }
    }
    return lanes > 1 ? log2_of(lanes) : 0;
}

int ptx_access_vector_bits(Gen *g, const Op *op, const Layout *layout) {
    const Type *type = access_pointer(op)->type;
    if (!type_is_tile(type)) return 0;
    TileShape shape = tile_shape(type);
    int best = 0;
    for (int d = 0; d < type->rank; d++) {
        int bits = layout_vector_bits(layout, tile_bit_of_dim(&shape, d));
        int facts = fact_vector_bits(g, op, d);
        if (bits > shape.log2[d]) bits = shape.log2[d];
        if (facts < bits) bits = facts;
        if (bits > best) best = bits;
    }
    return best;
}

static MemoryClass *class_find(Gen *g, const Type *type, const int *order) {
    MemoryClass *found = NULL;
    for (int i = 0; i < g->classes.count; i++) {
        MemoryClass *c = &g->classes.data[i];
        if (!type_same_shape(c->type, type)) continue;
        if (order && memcmp(c->order, order, sizeof(int) * (size_t)type->rank)) continue;
        if (!found || c->vector_bits > found->vector_bits) found = c;
    }
    return found;
}

static bool collect_class(Op *op, void *user) {
    Gen *g = user;
    const Value *pointer = access_pointer(op);
    if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS) g->has_atomics = true;
    if (!pointer || !type_is_tile(pointer->type)) return true;
    const Type *type = pointer->type;
    MemoryClass c = {.type = type};
    order_of(type, facts_axis(g->axis, pointer), c.order);
    c.vector_bits = fact_vector_bits(g, op, c.order[0]);
    int per_thread = log2_of(type->lanes / g->threads);
    if (c.vector_bits > per_thread) c.vector_bits = per_thread;
    MemoryClass *old = class_find(g, type, c.order);
    if (old && old->vector_bits < c.vector_bits) *old = c;
    if (!old) vec_push(g->arena, &g->classes, c);
    return true;
}

static const Layout *blocked(Gen *g, const Type *type, const int *order, int vector_bits) {
    TileShape shape = tile_shape(type);
    int per_thread[MAX_RANK] = {0};
    per_thread[order[0]] = vector_bits < shape.log2[order[0]] ? vector_bits : shape.log2[order[0]];
    Layout layout = layout_blocked(&shape, order, per_thread, g->warp_bits);
    return layout_intern(&g->layouts, &layout);
}

const Layout *ptx_default_layout(Gen *g, const Type *type) {
    MemoryClass *c = class_find(g, type, NULL);
    if (c) return blocked(g, type, c->order, c->vector_bits);
    int order[MAX_RANK], vector_bits = log2_of(type->lanes / g->threads);
    order_of(type, NULL, order);
    return blocked(g, type, order, vector_bits < 2 ? vector_bits : 2);
}

static const Layout *anchor(Gen *g, const Op *op) {
    const Value *pointer = access_pointer(op);
    int order[MAX_RANK];
    order_of(pointer->type, facts_axis(g->axis, pointer), order);
    const AxisFacts *facts = facts_axis(g->axis, pointer);
    bool known = facts && facts->contiguity[order[0]] > 1;
    MemoryClass *c = class_find(g, pointer->type, known ? order : NULL);
    return c ? blocked(g, pointer->type, c->order, c->vector_bits)
             : ptx_default_layout(g, pointer->type);
}

const Layout *ptx_home_or_default(Gen *g, const Value *value) {
    const Layout *home = ptx_plan_of(g, value)->home;
    return home ? home : ptx_default_layout(g, value->type);
}

/* ---- forwards: homes ---- */

bool ptx_op_is_lanewise(const Op *op) {
    return op_has_trait(op, ELEMENTWISE) || op->kind == OP_HINT;
}

static const Layout *first_home(Gen *g, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        if (type_is_tile(op->operands[i]->type) && ptx_plan_of(g, op->operands[i])->home)
            return ptx_plan_of(g, op->operands[i])->home;
    return NULL;
}

static const Layout *trans_layout(Gen *g, const Op *op, const Layout *from, bool forwards) {
    const Type *in = op->operands[0]->type, *out = op_result(op)->type;
    TileShape in_shape = tile_shape(in), out_shape = tile_shape(out);
    int map[MAX_TILE_BITS]; /* of a bit of the result layout: the bit of `from` */
    const int64_t *order = trans_order(op).data;
    for (int d = 0; d < out->rank; d++)
        for (int i = 0; i < out_shape.log2[d]; i++) {
            int out_bit = tile_bit_of_dim(&out_shape, d) + i;
            int in_bit = tile_bit_of_dim(&in_shape, (int)order[d]) + i;
            if (forwards)
                map[out_bit] = in_bit;
            else
                map[in_bit] = out_bit;
        }
    Layout layout = layout_permute(from, map, from->tile_bits);
    return layout_intern(&g->layouts, &layout);
}

static const Layout *restricted(Gen *g, const Layout *layout, uint32_t keep) {
    Layout result = layout_restrict(layout, keep);
    return layout_intern(&g->layouts, &result);
}

static uint32_t all_bits(const Type *type) { return (uint32_t)type->lanes - 1; }

/* Layout of an operand when the op is made in `layout` (of its results; of reduce: of operands). */
const Layout *ptx_operand_layout(Gen *g, const Op *op, int operand, const Layout *layout) {
    const Type *in = op->operands[operand]->type;
    Layout result;
    if (!type_is_tile(in)) return NULL;
    switch ((int)op->kind) {
    case OP_BROADCAST: {
        uint32_t keep = all_bits(op_result(op)->type);
        for (int d = 0; d < in->rank; d++)
            if (in->shape[d] == 1) keep &= ~tile_dim_bits(op_result(op)->type, d);
        return restricted(g, layout, keep);
    }
    case OP_TRANS: return trans_layout(g, op, layout, false);
    case OP_JOIN: result = layout_split(layout); return layout_intern(&g->layouts, &result);
    case OP_SPLIT: result = layout_join(layout); return layout_intern(&g->layouts, &result);
    case OP_GATHER: return operand == 0 ? ptx_home_or_default(g, gather_source(op)) : layout;
    case OP_HISTOGRAM: return ptx_home_or_default(g, histogram_source(op));
    case OP_DOT: return operand < 2 ? ptx_home_or_default(g, op->operands[operand]) : layout;
    default: return layout;
    }
}

static void set_home(Gen *g, const Value *value, const Layout *home) {
    if (type_is_tile(value->type)) ptx_plan_of(g, value)->home = home;
}

static void home_region(Gen *g, Region *region);

/* The op's working layout, noted with the first result; homes of results follow from it. */
static void home_cross(Gen *g, Op *op) {
    Value *first = op_result(op);
    const Layout *work, *home;
    switch ((int)op->kind) {
    case OP_JOIN: {
        Layout joined = layout_join(ptx_home_or_default(g, op->operands[0]));
        work = home = layout_intern(&g->layouts, &joined);
        break;
    }
    case OP_SPLIT: {
        const Layout *in = ptx_plan_of(g, op->operands[0])->home;
        work = home = NULL;
        if (!type_is_tile(first->type)) {
            int order[] = {0};
            in = blocked(g, op->operands[0]->type, order, 1);
        }
        if (in && layout_can_split(in)) {
            Layout split = layout_split(in);
            work = home = layout_intern(&g->layouts, &split);
        } else {
            work = home = ptx_default_layout(g, first->type);
        }
        break;
    }
    case OP_REDUCE: {
        int axis = (int)reduce_axis(op);
        const Type *in = op->operands[0]->type;
        const Layout *from = first_home(g, op);
        work = from ? from : ptx_default_layout(g, in);
        home = restricted(g, work, all_bits(in) & ~tile_dim_bits(in, axis));
        break;
    }
    case OP_GATHER: work = home = ptx_home_or_default(g, gather_indices(op)); break;
    case OP_HISTOGRAM: work = home = ptx_default_layout(g, first->type); break;
    case OP_DOT: work = home = ptx_dot_layout(g, op); break;
    default: /* scan, sort_step, inline_asm */
        home = first_home(g, op);
        if (!home) home = ptx_default_layout(g, first->type);
        work = home;
    }
    for (int i = 0; i < op->num_results; i++) set_home(g, &op->results[i], home);
    ptx_plan_of(g, first)->work = work;
}

/* Homes of what a region yields and of what it takes; false: nothing changed. */
static bool adopt(Gen *g, const Value *to, const Value *from) {
    if (!type_is_tile(to->type) || ptx_plan_of(g, to)->home || !ptx_plan_of(g, from)->home)
        return false;
    ptx_plan_of(g, to)->home = ptx_plan_of(g, from)->home;
    return true;
}

static bool settle(Gen *g, const Value *to) {
    if (!type_is_tile(to->type) || ptx_plan_of(g, to)->home) return false;
    ptx_plan_of(g, to)->home = ptx_default_layout(g, to->type);
    return true;
}

/* Each loop looks at its body up to three times; nested deeper than this, once. */
enum { DEEP = 5 };

static void home_for(Gen *g, Op *op) {
    int count = for_count(op);
    g->loop_depth++;
    for (int i = 0; i < count; i++) {
        set_home(g, for_arg(op, i), ptx_plan_of(g, for_init(op, i))->home);
        if (g->loop_depth > DEEP) settle(g, for_arg(op, i));
    }
    home_region(g, for_body(op));
    bool changed = false;
    for (int i = 0; i < count; i++) changed |= adopt(g, for_arg(op, i), for_next(op, i));
    if (changed) home_region(g, for_body(op));
    changed = false;
    for (int i = 0; i < count; i++) changed |= settle(g, for_arg(op, i));
    if (changed) home_region(g, for_body(op));
    g->loop_depth--;
    for (int i = 0; i < count; i++)
        set_home(g, &op->results[i], ptx_plan_of(g, for_arg(op, i))->home);
}

static void home_while_regions(Gen *g, Op *op) {
    home_region(g, while_test(op));
    for (int i = 0; i < while_body(op)->num_args; i++) {
        set_home(g, while_given(op, i), ptx_plan_of(g, while_passed(op, i))->home);
        settle(g, while_given(op, i));
    }
    home_region(g, while_body(op));
}

static void home_while(Gen *g, Op *op) {
    int count = while_test(op)->num_args;
    g->loop_depth++;
    for (int i = 0; i < count; i++) {
        set_home(g, while_arg(op, i), ptx_plan_of(g, while_init(op, i))->home);
        if (g->loop_depth > DEEP) settle(g, while_arg(op, i));
    }
    home_while_regions(g, op);
    bool changed = false;
    for (int i = 0; i < count; i++) {
        changed |= adopt(g, while_arg(op, i), while_next(op, i));
        changed |= settle(g, while_arg(op, i));
    }
    if (changed) home_while_regions(g, op);
    g->loop_depth--;
    for (int i = 0; i < op->num_results; i++)
        set_home(g, &op->results[i], ptx_plan_of(g, while_given(op, i))->home);
}

static void home_if(Gen *g, Op *op) {
    for (int r = 0; r < 2; r++) home_region(g, op->regions[r]);
    for (int i = 0; i < op->num_results; i++) {
        const Value *result = &op->results[i];
        set_home(g, result, NULL);
        for (int r = 0; r < 2; r++) adopt(g, result, region_yield(op->regions[r])->operands[i]);
        settle(g, result);
    }
}

static void home_op(Gen *g, Op *op) {
    Value *first = op->num_results ? op_result(op) : NULL;
    const Layout *home;
    switch ((int)op->kind) {
    case OP_IF: home_if(g, op); return;
    case OP_FOR: home_for(g, op); return;
    case OP_WHILE: home_while(g, op); return;
    case OP_LOAD:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
        if (!type_is_tile(first->type)) return;
        home = ptx_plan_of(g, access_pointer(op))->home;
        set_home(g, first, home ? home : anchor(g, op));
        return;
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
        if (type_is_tile(op->operands[0]->type))
            set_home(g, first, ptx_plan_of(g, op->operands[0])->home);
        return;
    case OP_TRANS:
        home = ptx_plan_of(g, op->operands[0])->home;
        set_home(g, first, home ? trans_layout(g, op, home, true) : NULL);
        return;
    case OP_JOIN:
    case OP_SPLIT:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_GATHER:
    case OP_HISTOGRAM:
    case OP_DOT:
    case OP_SORT_STEP: home_cross(g, op); return;
    case OP_INLINE_ASM:
        if (first && type_is_tile(first->type)) home_cross(g, op);
        return;
    default:
        if (first && ptx_op_is_lanewise(op)) set_home(g, first, first_home(g, op));
    }
}

static void home_region(Gen *g, Region *region) {
    for (Op *op = region->first; op; op = op->next) home_op(g, op);
}

/* ---- backwards: what is wanted where ---- */

static void want(Gen *g, const Value *value, const Layout *layout) {
    ValuePlan *plan = ptx_plan_of(g, value);
    if (!type_is_tile(value->type)) return;
    for (int i = 0; i < plan->wanted.count; i++)
        if (plan->wanted.data[i] == layout) return;
    vec_push(g->arena, &plan->wanted, layout);
}

static void want_operands(Gen *g, const Op *op, const Layout *layout) {
    for (int i = 0; i < op->num_operands; i++)
        want(g, op->operands[i], ptx_operand_layout(g, op, i, layout));
}

static bool is_wanted(Gen *g, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        if (!type_is_tile(op->results[i].type)) return true;
        if (ptx_plan_of(g, &op->results[i])->wanted.count) return true;
    }
    return false;
}

/* Bytes along the fastest dimension that a warp's access covers without a gap. */
static int run_bytes(const Layout *layout, int first_bit, int bytes) {
    int bit = first_bit + layout_vector_bits(layout, first_bit);
    for (int i = 0; i < layout->num[KIND_LANE] && layout->column[KIND_LANE][i] == 1u << bit; i++)
        bit++;
    return bytes << (bit - first_bit);
}

/* Where a store is made: at the value's home unless its accesses would be much narrower. */
static const Layout *store_layout(Gen *g, const Op *op) {
    const Value *pointer = store_pointer(op), *value = store_value(op);
    const Layout *best = anchor(g, op), *home = ptx_plan_of(g, value)->home;
    if (!home) home = ptx_plan_of(g, pointer)->home;
    if (!home || home == best) return best;
    if (pointer->type->lanes <= 2 * g->threads) return home;
    int order[MAX_RANK];
    order_of(pointer->type, facts_axis(g->axis, pointer), order);
    TileShape shape = tile_shape(pointer->type);
    int first_bit = tile_bit_of_dim(&shape, order[0]);
    int bytes = type_size_bytes(type_lane(pointer->type)->elem);
    int at_home = ptx_access_vector_bits(g, op, home),
        at_best = ptx_access_vector_bits(g, op, best);
    bool dense = run_bytes(home, first_bit, bytes) >= 32 || run_bytes(best, first_bit, bytes) < 32;
    return dense && at_home + 1 >= at_best ? home : best;
}

/* A small load that is only wanted in another layout is made there: it reads cached memory more
 * often, but needs no shared memory. */
static void move_load(Gen *g, const Op *op) {
    ValuePlan *plan = ptx_plan_of(g, op_result(op));
    for (int i = 0; i < plan->wanted.count; i++)
        if (plan->wanted.data[i] == plan->home) return;
    if (!plan->wanted.count || load_volatile(op)) return;
    if (ptx_plan_of(g, load_pointer(op))->home) return;
    const Layout *other = plan->wanted.data[0];
    int here = layout_regs(plan->home) >> ptx_access_vector_bits(g, op, plan->home);
    int there = layout_regs(other) >> ptx_access_vector_bits(g, op, other);
    if (there <= 4 * here && layout_regs(other) <= 64) plan->home = other;
}

static void want_region(Gen *g, Region *region);

static void want_control(Gen *g, Op *op) {
    for (int r = op->num_regions - 1; r >= 0; r--) {
        Region *region = op->regions[r];
        const Op *yield = region_yield(region);
        int skip = op->kind == OP_WHILE && r == 0;
        for (int i = skip; i < yield->num_operands; i++) {
            const Value *to = op->kind == OP_IF    ? &op->results[i]
                              : op->kind == OP_FOR ? for_arg(op, i)
                              : r == 0             ? while_given(op, i - 1)
                                                   : while_arg(op, i);
            want(g, yield->operands[i], ptx_plan_of(g, to)->home);
        }
        want_region(g, region);
    }
    for (int i = 0; op->kind == OP_FOR && i < for_count(op); i++)
        want(g, for_init(op, i), ptx_plan_of(g, for_arg(op, i))->home);
    for (int i = 0; op->kind == OP_WHILE && i < op->num_operands; i++)
        want(g, while_init(op, i), ptx_plan_of(g, while_arg(op, i))->home);
}

static void want_op(Gen *g, Op *op) {
    ValuePlan *plan = op->num_results ? ptx_plan_of(g, op_result(op)) : NULL;
    switch ((int)op->kind) {
    case OP_IF:
    case OP_FOR:
    case OP_WHILE: want_control(g, op); return;
    case OP_YIELD: return;
    case OP_STORE:
        if (type_is_tile(store_pointer(op)->type)) {
            const Layout *layout = store_layout(g, op);
            map_set_pointer(&g->store_layouts, op, (void *)(uintptr_t)layout);
            want_operands(g, op, layout);
        }
        return;
    case OP_PRINT:
    case OP_ASSERT:
    case OP_ASSUME:
        for (int i = 0; i < op->num_operands; i++)
            if (type_is_tile(op->operands[i]->type))
                want(g, op->operands[i], ptx_home_or_default(g, op->operands[i]));
        return;
    case OP_LOAD:
        if (!type_is_tile(op_result(op)->type)) return;
        move_load(g, op);
        want_operands(g, op, plan->home);
        return;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: want_operands(g, op, plan->home); return;
    case OP_JOIN:
    case OP_SPLIT:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_GATHER:
    case OP_HISTOGRAM:
    case OP_DOT:
    case OP_SORT_STEP:
        if (is_wanted(g, op)) want_operands(g, op, plan->work);
        return;
    case OP_INLINE_ASM:
        if (plan) want_operands(g, op, plan->work);
        return;
    default:
        if (op->kind == OP_RESHAPE && !type_is_tile(op_result(op)->type))
            want(g, op->operands[0], ptx_home_or_default(g, op->operands[0]));
        if (!plan || !type_is_tile(op_result(op)->type) || !plan->wanted.count) return;
        if (plan->home) want_operands(g, op, plan->home);
        for (int i = 0; !plan->home && i < plan->wanted.count; i++)
            want_operands(g, op, plan->wanted.data[i]);
    }
}

static void want_region(Gen *g, Region *region) {
    for (Op *op = region->last; op; op = op->prev) want_op(g, op);
}

/* ---- all ---- */

static bool check_type(Gen *g, const Op *op, const Type *type) {
    if (!type_is_tile(type)) return true;
    for (int d = 0; d < type->rank; d++)
        if (type->shape[d] & (type->shape[d] - 1)) {
            diag_refused(g->diag, op->span, "a tile dimension of %d, not a power of two, on a GPU",
                         type->shape[d]);
            return false;
        }
    if (type->lanes / g->threads > 2048) { /* far beyond the 255 registers a thread has */
        diag_refused(g->diag, op->span, "a tile of %d elements for %d threads of a GPU",
                     type->lanes, g->threads);
        return false;
    }
    return true;
}

static bool check_op(Op *op, void *user) {
    for (int i = 0; i < op->num_results; i++)
        if (!check_type(user, op, op->results[i].type)) return false;
    return true;
}

bool ptx_plan_layouts(Gen *g) {
    if (!region_walk(g->fn->body, check_op, g)) return false;
    g->plans = arena_array(g->arena, ValuePlan, g->fn->num_values);
    region_walk(g->fn->body, collect_class, g);
    home_region(g, g->fn->body);
    want_region(g, g->fn->body);
    return true;
}
