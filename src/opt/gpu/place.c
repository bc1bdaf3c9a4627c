// SPDX-License-Identifier: Apache-2.0
/* place: from program form to placed form: which layout each tile has, for one GPU.
 *
 *     %a = load %p : tile<64x32xf16>              %a = load %p.1 {width = 8} : tile<64x32xf16, #5>
 *     %c = dot %a, %b, %acc : tile<64x64xf32>     %c = dot %a, %b, %acc {unit = mma} : tile<.., #6>
 *     %h = ftrunc %c : tile<64x64xf16>            %h = ftrunc %c : tile<64x64xf16, #6>
 *                                                 %h.1 = convert %h : tile<64x64xf16, #7>
 *     store %q, %h                                store %q.1, %h.1 {width = 8}
 *
 * Loads, atomics, products, reductions and loop-carried tiles have a home: the layout in which they
 * are made. An elementwise op is made in the home of its first operand that has one; where a
 * product is among them, as that lies: it has the wider lanes, and more comes of it. What has none
 * (ranges, splats, broadcasts, masks and pointers made of these) is made again in each layout in
 * which it is wanted: cheaper than moving it. A value with a home that is wanted elsewhere is
 * converted where it is defined.
 *
 * Three walks: memory ops give each shape its widest vector; forwards, homes; backwards, what is
 * wanted where. place_clone.c writes it down. */
#include "opt/gpu/place.h"
#include "ir/trips.h"

ValuePlan *place_plan(Placer *p, const Value *value) { return &p->plans[value->id]; }

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

int place_vector_bits(Placer *p, const Op *op, const Layout *layout) {
    const Type *type = access_pointer(op)->type;
    if (!type_is_tile(type)) return 0;
    TileShape shape = tile_shape(type);
    int best = 0;
    for (int d = 0; d < type->rank; d++) {
        int bits = layout_vector_bits(layout, tile_bit_of_dim(&shape, d));
        int facts = log2_floor(facts_lanes_at_once(p->facts, op, d));
        if (bits > shape.log2[d]) bits = shape.log2[d];
        if (facts < bits) bits = facts;
        if (bits > best) best = bits;
    }
    return best;
}

static MemoryClass *class_find(Placer *p, const Type *type, const int *order) {
    MemoryClass *found = NULL;
    for (int i = 0; i < p->classes.count; i++) {
        MemoryClass *c = &p->classes.data[i];
        if (!type_same_shape(c->type, type)) continue;
        if (order && memcmp(c->order, order, sizeof(int) * (size_t)type->rank)) continue;
        if (!found || c->vector_bits > found->vector_bits) found = c;
    }
    return found;
}

static bool collect_class(Op *op, void *user) {
    Placer *p = user;
    const Value *pointer = access_pointer(op);
    if (!pointer || !type_is_tile(pointer->type)) return true;
    const Type *type = pointer->type;
    MemoryClass c = {.type = type};
    order_of(type, facts_axis(p->facts, pointer), c.order);
    c.vector_bits = log2_floor(facts_lanes_at_once(p->facts, op, c.order[0]));
    int per_thread = log2_floor(type->lanes / p->threads);
    if (c.vector_bits > per_thread) c.vector_bits = per_thread;
    MemoryClass *old = class_find(p, type, c.order);
    if (old && old->vector_bits < c.vector_bits) *old = c;
    if (!old) vec_push(p->arena, &p->classes, c);
    return true;
}

static const Layout *blocked(Placer *p, const Type *type, const int *order, int vector_bits) {
    TileShape shape = tile_shape(type);
    int per_thread[MAX_RANK] = {0};
    per_thread[order[0]] = vector_bits < shape.log2[order[0]] ? vector_bits : shape.log2[order[0]];
    Layout layout = layout_blocked(&shape, order, per_thread, p->warp_bits);
    return layout_intern(&p->layouts, &layout);
}

static const Layout *default_layout(Placer *p, const Type *type) {
    MemoryClass *c = class_find(p, type, NULL);
    if (c) return blocked(p, type, c->order, c->vector_bits);
    int order[MAX_RANK], vector_bits = log2_floor(type->lanes / p->threads);
    order_of(type, NULL, order);
    return blocked(p, type, order, vector_bits < 2 ? vector_bits : 2);
}

static const Layout *anchor(Placer *p, const Op *op) {
    const Value *pointer = access_pointer(op);
    int order[MAX_RANK];
    order_of(pointer->type, facts_axis(p->facts, pointer), order);
    const AxisFacts *facts = facts_axis(p->facts, pointer);
    bool known = facts && facts->contiguity[order[0]] > 1;
    MemoryClass *c = class_find(p, pointer->type, known ? order : NULL);
    return c ? blocked(p, pointer->type, c->order, c->vector_bits)
             : default_layout(p, pointer->type);
}

/* No more than one access takes: additions of neighbouring threads are then neighbours, and a
 * warp's fill whole lines. In halves, 16 of each 32 bytes, each line would be added to twice. */
static const Layout *atomic_anchor(Placer *p, const Op *op) {
    const Type *type = access_pointer(op)->type;
    const Layout *shared = anchor(p, op);
    int order[MAX_RANK], bits = place_vector_bits(p, op, shared);
    order_of(type, facts_axis(p->facts, access_pointer(op)), order);
    TileShape shape = tile_shape(type);
    int first_bit = tile_bit_of_dim(&shape, order[0]);
    if (bits < 1 || layout_vector_bits(shared, first_bit) <= bits) return shared;
    return blocked(p, type, order, bits);
}

static const Layout *interned(Placer *p, Layout layout) {
    return layout_intern(&p->layouts, &layout);
}

const Layout *place_home_or_default(Placer *p, const Value *value) {
    const Layout *home = place_plan(p, value)->home;
    return home ? home : default_layout(p, value->type);
}

/* ---- forwards: homes ---- */

static const Layout *first_home(Placer *p, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        if (type_is_tile(op->operands[i]->type) && place_plan(p, op->operands[i])->home)
            return place_plan(p, op->operands[i])->home;
    return NULL;
}

static bool is_of_product(const Placer *p, const Layout *home) {
    for (int i = 0; i < p->products.count; i++)
        if (p->products.data[i] == home) return true;
    return false;
}

static const Layout *lane_home(Placer *p, const Op *op) {
    for (int i = 0; i < op->num_operands; i++) {
        const Value *value = op->operands[i];
        const Layout *home = type_is_tile(value->type) ? place_plan(p, value)->home : NULL;
        if (home && is_of_product(p, home)) return home;
    }
    return first_home(p, op);
}

static const Layout *after_trans(Placer *p, const Op *op, const Layout *from) {
    TileShape in = tile_shape(op->operands[0]->type), out = tile_shape(op_result(op)->type);
    int map[MAX_TILE_BITS]; /* of a bit of the result: that of the operand */
    for (int d = 0; d < out.rank; d++)
        for (int i = 0; i < out.log2[d]; i++)
            map[tile_bit_of_dim(&out, d) + i] =
                tile_bit_of_dim(&in, (int)trans_order(op).data[d]) + i;
    return interned(p, layout_permute(from, map, from->tile_bits));
}

/* Layout of an operand when the op is made in `layout` (of its results; of reduce: of operands). */
const Layout *place_operand_layout(Placer *p, const Op *op, int operand, const Layout *layout) {
    const Value *value = op->operands[operand];
    if (!type_is_tile(value->type)) return NULL;
    if (op->kind == OP_STOW) return p->rows[stow_row(op)];
    switch (op->kind) {
    case OP_BROADCAST:
    case OP_TRANS:
    case OP_JOIN:
    case OP_SPLIT: return interned(p, layout_of_operand(op, layout));
    case OP_GATHER: return operand == 0 ? place_home_or_default(p, value) : layout;
    case OP_DOT: return operand < 2 ? place_multiplied(p, op, operand) : layout;
    case OP_HISTOGRAM: return place_home_or_default(p, histogram_source(op));
    case OP_ASSERT: return place_home_or_default(p, assert_condition(op));
    case OP_PRINT:
    case OP_ASSUME: return place_home_or_default(p, value);
    case OP_RESHAPE:
        return type_is_tile(op_result(op)->type) ? layout : place_home_or_default(p, value);
#define LEAF(kind, ...)    case OP_##kind:
#define LANE(kind, ...)    case OP_##kind:
#define MEMORY(kind, ...)  case OP_##kind:
#define PERMUTE(kind, ...) case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_SPLAT:
    case OP_EXPAND_DIMS:
    case OP_CONVERT:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_CLOCK:
    case OP_INLINE_ASM: return layout;
#define ASYNC(kind, ...)  case OP_##kind:
#define THREAD(kind, ...) case OP_##kind:
#define BLOCK(kind, ...)  case OP_##kind:
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("op of unknown kind %d", op->kind);
}

static void set_home(Placer *p, const Value *value, const Layout *home) {
    if (type_is_tile(value->type)) place_plan(p, value)->home = home;
}

static void home_region(Placer *p, Region *region);

static const Layout *split_home(Placer *p, const Op *op) {
    const Type *in = op->operands[0]->type, *out = op_result(op)->type;
    const Layout *home = place_plan(p, op->operands[0])->home;
    if (!type_is_tile(out)) home = blocked(p, in, (int[]){0}, 1);
    if (!home || !layout_can_split(home)) return default_layout(p, out);
    return interned(p, layout_split(home));
}

typedef struct Readers {
    Placer *p;
    const Value *value;
    int depth;
    bool only_stored; /* and read by ops lane by lane, of which the same is true */
} Readers;

static bool is_only_stored(Placer *p, const Value *value, int depth);

static bool note_reader(Op *op, void *user) {
    Readers *r = user;
    for (int i = 0; i < op->num_operands; i++) {
        if (op->operands[i] != r->value) continue;
        bool stores = op->kind == OP_STORE && i == 1;
        bool goes_on = op_has_trait(op, ELEMENTWISE) && op->parent == r->value->def->parent;
        for (int k = 0; k < op->num_operands && goes_on; k++)
            goes_on = k == i || !type_is_tile(op->operands[k]->type) ||
                      !place_plan(r->p, op->operands[k])->home;
        r->only_stored = stores || (goes_on && is_only_stored(r->p, op_result(op), r->depth + 1));
        if (!r->only_stored) return false;
    }
    return true;
}

static bool is_only_stored(Placer *p, const Value *value, int depth) {
    enum { DEEPEST = 4 };
    Readers r = {p, value, depth, depth < DEEPEST};
    if (r.only_stored) region_walk(p->fn->body, note_reader, &r);
    return r.only_stored;
}

/* No two lanes of the access are in one sector of memory: whatever the layout, a warp reads 32. */
static bool lies_apart(Placer *p, const Op *load) {
    enum { SECTOR_BYTES = 32 };
    const Value *pointer = load_pointer(load);
    int64_t each = type_size_bytes(type_lane(pointer->type)->elem);
    if (facts_axis(p->facts, pointer)->contiguity[0] != 1) return false;
    const Linear *form = facts_linear(facts_compute_linear(p->arena, p->fn), pointer);
    LinearStride stride = form ? linear_stride(form, 0) : (LinearStride){0};
    if (stride.factor) each *= facts_axis(p->facts, stride.factor)->divisibility[0];
    return stride.multiplier && stride.multiplier * each % SECTOR_BYTES == 0;
}

typedef struct Scanned {
    const Value *value;
    const Op *scan;
    bool seen;
} Scanned;

/* Behind the scan, and in whatever layout. */
static bool is_read_behind(Op *op, void *user) {
    Scanned *s = user;
    s->seen |= op == s->scan;
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i] == s->value && op != s->scan && !(s->seen && op->kind == OP_REDUCE))
            return false;
    return true;
}

/* What is loaded for it from all over memory and only stored behind it: what follows on another is
 * a thread's, which goes through it by itself; threads tell each other what theirs makes, once. */
static const Layout *apart_layout(Placer *p, const Op *op, const Op *load, const Layout *from) {
    const Value *value = op->operands[0];
    TileShape shape = tile_shape(value->type);
    int order[] = {0}, per_thread[] = {log2_floor(value->type->lanes / p->threads)};
    Scanned readers = {.value = value, .scan = op};
    if (value->type->lanes <= p->threads || !is_only_stored(p, op_result(op), 0)) return from;
    if (value->def != load && !value_is_used_once(p->fn, op_result(load))) return from;
    if (!region_walk(p->fn->body, is_read_behind, &readers) || !lies_apart(p, load)) return from;
    const Layout *layout = interned(p, layout_blocked(&shape, order, per_thread, p->warp_bits));
    set_home(p, op_result(load), layout);
    set_home(p, value, layout);
    return layout;
}

/* Along the slow dimension of what is loaded for it and only stored behind it: with the first bits
 * of the axis in a thread's registers what goes from thread to thread are totals of its columns,
 * and a warp still reads 128 bytes in a row. */
static const Layout *scan_layout(Placer *p, const Op *op, const Layout *from) {
    const Value *value = op->operands[0];
    const Type *type = value->type;
    const Op *load = value->def;
    if (load && load->kind == OP_FEXT) load = load->operands[0]->def;
    if (!load || load->kind != OP_LOAD || op->num_operands != 1) return from;
    if (type->rank == 1) return apart_layout(p, op, load, from);
    if (type->rank != 2) return from;
    int order[2], per_thread[2] = {0};
    order_of(type, facts_axis(p->facts, load_pointer(load)), order);
    int axis = (int)scan_axis(op), fast = order[0];
    TileShape shape = tile_shape(type);
    int registers = log2_floor(type->lanes / p->threads);
    if (axis == fast || registers < 2 || registers > 5 || shape.log2[fast] < 3) return from;
    if (!is_only_stored(p, op_result(op), 0)) return from;
    int bytes = type_size_bytes(op_result(load)->type);
    bool whole = bytes == 4 && shape.log2[fast] >= 6 && registers >= 4; /* 16 bytes at once */
    per_thread[fast] = whole ? 2 : bytes < 4 ? 1 : 0;
    int rest = shape.log2[fast] - LANE_BITS - per_thread[fast]; /* of a row, in registers, too */
    per_thread[axis] = registers - per_thread[fast] - (rest > 0 ? rest : 0);
    if (per_thread[axis] < 1 || per_thread[axis] > shape.log2[axis]) return from;
    const Layout *layout = interned(p, layout_blocked(&shape, order, per_thread, p->warp_bits));
    if (value->def != load && value_is_used_once(p->fn, op_result(load)) &&
        value_is_used_once(p->fn, value)) {
        set_home(p, op_result(load), layout); /* what is widened is loaded there */
        set_home(p, value, layout);
    }
    return layout;
}

/* The registers of a thread hold the tile bits from `first` on, lanes the lowest others. */
static const Layout *with_bits(Placer *p, const Layout *from, int first) {
    Layout layout = {.tile_bits = from->tile_bits};
    int last = first + from->num[KIND_REG];
    for (int bit = 0; bit < from->tile_bits; bit++) {
        int lanes = layout.num[KIND_LANE];
        int kind = bit >= first && bit < last ? KIND_REG
                   : lanes < LANE_BITS        ? KIND_LANE
                                              : KIND_WARP;
        layout.column[kind][layout.num[kind]++] = 1u << bit;
    }
    return interned(p, layout);
}

/* Distances fall from step to step: where registers hold this bit of a lane's number and those
 * below it, a move through shared memory saves exchanges between threads. It costs as much as two
 * of those, and twice that if the steps that follow want the lowest bits back. The distance 0 ends
 * it: what is made of the result is as usual, neighbours in neighbouring threads. */
static const Layout *sort_layout(Placer *p, const Op *op, const Layout *from) {
    enum { MOVE = 2, FEWEST = 3 }; /* bits that a thread holds: less pays for no move */
    BitPlace places[MAX_TILE_BITS];
    int registers = from->num[KIND_REG], bit = log2_floor(sort_step_mask(op));
    if (registers < FEWEST) return from;
    if (!sort_step_mask(op)) return default_layout(p, op_result(op)->type);
    if (sort_step_mask(op) != (int64_t)1 << bit) return from;
    if (!layout_places(from, places) || layout_replica_mask(from)) return from;
    if (places[bit].kind == KIND_REG) return from;
    int first = bit / registers * registers;
    if (first + registers > from->tile_bits) first = from->tile_bits - registers;
    int steps = bit - first + 1, moves = first > 0 && places[0].kind == KIND_REG ? 2 : 1;
    if (places[bit].kind == KIND_LANE && steps <= moves * MOVE) return from;
    return with_bits(p, from, first);
}

/* The layout in which an op across lanes is made: of its results, of reduce its operands. */
static const Layout *work_of(Placer *p, const Op *op) {
    const Layout *from = first_home(p, op);
    if (op->kind == OP_JOIN)
        return interned(p, layout_join(place_home_or_default(p, op->operands[0])));
    if (op->kind == OP_SPLIT) return split_home(p, op);
    if (op->kind == OP_GATHER) return place_home_or_default(p, gather_indices(op));
    if (op->kind == OP_DOT) return place_dot_layout(p, op);
    if (op->kind == OP_HISTOGRAM) return default_layout(p, op_result(op)->type);
    if (from && op->kind == OP_SORT_STEP && sort_step_sorts(op)) return sort_layout(p, op, from);
    if (from) return op->kind == OP_SCAN ? scan_layout(p, op, from) : from;
    return default_layout(p, op->kind == OP_REDUCE ? op->operands[0]->type : op_result(op)->type);
}

static void home_cross(Placer *p, Op *op) {
    const Layout *work = work_of(p, op), *home = work;
    if (op->kind == OP_REDUCE) home = interned(p, layout_reduced(op, work));
    for (int i = 0; i < op->num_results; i++) set_home(p, &op->results[i], home);
    place_plan(p, op_result(op))->work = work;
}

/* Homes of what a region yields and of what it takes; false: nothing changed. */
static bool adopt(Placer *p, const Value *to, const Value *from) {
    if (!type_is_tile(to->type) || place_plan(p, to)->home || !place_plan(p, from)->home)
        return false;
    place_plan(p, to)->home = place_plan(p, from)->home;
    return true;
}

static bool settle(Placer *p, const Value *to) {
    if (!type_is_tile(to->type) || place_plan(p, to)->home) return false;
    place_plan(p, to)->home = default_layout(p, to->type);
    return true;
}

/* Of `arg`, lane by lane, in so many steps. */
static bool is_made_of(const Value *value, const Value *arg, int steps) {
    const Op *op = value->def;
    if (value == arg) return true;
    if (!op || !steps || !op_has_trait(op, ELEMENTWISE)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (is_made_of(op->operands[i], arg, steps - 1)) return true;
    return false;
}

/* Of a product of the body, lane by lane, in so many steps. */
static bool is_made_of_product(const Value *value, const Region *body, int steps) {
    const Op *op = value->def;
    if (!op || op->parent != body) return false;
    if (op->kind == OP_DOT) return true;
    if (!steps || !op_has_trait(op, ELEMENTWISE)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (is_made_of_product(op->operands[i], body, steps - 1)) return true;
    return false;
}

/* A product of the body adds to it, or makes the next one: it lies as that does, wherever it comes
 * from. */
static bool lies_as_product(const Op *loop, int index) {
    enum { STEPS = 4 };
    const Region *body = for_body(loop);
    for (const Op *op = body->first; op; op = op->next)
        if (op->kind == OP_DOT && is_made_of(dot_acc(op), for_arg(loop, index), STEPS)) return true;
    return is_made_of_product(for_next(loop, index), body, STEPS);
}

/* Each loop looks at its body up to three times; nested deeper than this, once. */
enum { DEEP = 5 };

static void home_for(Placer *p, Op *op) {
    int count = for_count(op);
    p->loop_depth++;
    for (int i = 0; i < count; i++) {
        const Layout *home = place_plan(p, for_init(op, i))->home;
        set_home(p, for_arg(op, i), lies_as_product(op, i) ? NULL : home);
        if (p->loop_depth > DEEP) settle(p, for_arg(op, i));
    }
    home_region(p, for_body(op));
    bool changed = false;
    for (int i = 0; i < count; i++) changed |= adopt(p, for_arg(op, i), for_next(op, i));
    if (changed) home_region(p, for_body(op));
    changed = false;
    for (int i = 0; i < count; i++) changed |= settle(p, for_arg(op, i));
    if (changed) home_region(p, for_body(op));
    p->loop_depth--;
    for (int i = 0; i < count; i++)
        set_home(p, &op->results[i], place_plan(p, for_arg(op, i))->home);
}

static void home_while_regions(Placer *p, Op *op) {
    home_region(p, while_test(op));
    for (int i = 0; i < while_body(op)->num_args; i++) {
        set_home(p, while_given(op, i), place_plan(p, while_passed(op, i))->home);
        settle(p, while_given(op, i));
    }
    home_region(p, while_body(op));
}

static void home_while(Placer *p, Op *op) {
    int count = while_test(op)->num_args;
    p->loop_depth++;
    for (int i = 0; i < count; i++) {
        set_home(p, while_arg(op, i), place_plan(p, while_init(op, i))->home);
        if (p->loop_depth > DEEP) settle(p, while_arg(op, i));
    }
    home_while_regions(p, op);
    bool changed = false;
    for (int i = 0; i < count; i++) {
        changed |= adopt(p, while_arg(op, i), while_next(op, i));
        changed |= settle(p, while_arg(op, i));
    }
    if (changed) home_while_regions(p, op);
    p->loop_depth--;
    for (int i = 0; i < op->num_results; i++)
        set_home(p, &op->results[i], place_plan(p, while_given(op, i))->home);
}

static void home_if(Placer *p, Op *op) {
    for (int r = 0; r < 2; r++) home_region(p, op->regions[r]);
    for (int i = 0; i < op->num_results; i++) {
        const Value *result = &op->results[i];
        set_home(p, result, NULL);
        for (int r = 0; r < 2; r++) adopt(p, result, region_yield(op->regions[r])->operands[i]);
        settle(p, result);
    }
}

static void home_access(Placer *p, const Op *op) {
    const Layout *home = place_plan(p, access_pointer(op))->home;
    if (!op->num_results || !type_is_tile(op_result(op)->type)) return;
    if (!home) home = op->kind == OP_ATOMIC_RMW ? atomic_anchor(p, op) : anchor(p, op);
    set_home(p, op_result(op), home);
}

/* All of a row lies as what is put by first. */
static void home_row(Placer *p, int64_t row, const Value *piece) {
    if (!p->rows[row]) p->rows[row] = place_home_or_default(p, piece);
}

static void home_op(Placer *p, Op *op) {
    const Value *from = op->num_operands ? op->operands[0] : NULL;
    switch (op->kind) {
    case OP_IF: home_if(p, op); return;
    case OP_FOR: home_for(p, op); return;
    case OP_WHILE: home_while(p, op); return;
    case OP_LOAD:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: home_access(p, op); return;
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
        if (type_is_tile(from->type)) set_home(p, op_result(op), place_plan(p, from)->home);
        return;
    case OP_TRANS:
        if (place_plan(p, from)->home)
            set_home(p, op_result(op), after_trans(p, op, place_plan(p, from)->home));
        return;
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        set_home(p, op_result(op), lane_home(p, op));
        return;
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_JOIN:
    case OP_SPLIT:
    case OP_GATHER: home_cross(p, op); return;
    case OP_INLINE_ASM:
        if (op->num_results && type_is_tile(op_result(op)->type)) home_cross(p, op);
        return;
    case OP_STOW: home_row(p, stow_row(op), stow_tile(op)); return;
    case OP_FETCH:
        home_row(p, fetch_row(op), op_result(op));
        set_home(p, op_result(op), p->rows[fetch_row(op)]);
        return;
#define LEAF(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_SPLAT:
    case OP_BROADCAST:
    case OP_CONVERT:
    case OP_STORE:
    case OP_BARRIER:
    case OP_MEET:
    case OP_YIELD:
    case OP_ASSUME:
    case OP_ASSERT:
    case OP_PRINT:
    case OP_CLOCK: return;
#define ASYNC(kind, ...)  case OP_##kind:
#define THREAD(kind, ...) case OP_##kind:
#define BLOCK(kind, ...)  case OP_##kind:
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("op of unknown kind %d", op->kind);
}

static void home_region(Placer *p, Region *region) {
    for (Op *op = region->first; op; op = op->next) home_op(p, op);
}

/* ---- backwards: what is wanted where ---- */

static void want(Placer *p, const Value *value, const Layout *layout) {
    ValuePlan *plan = place_plan(p, value);
    if (!type_is_tile(value->type)) return;
    for (int i = 0; i < plan->wanted.count; i++)
        if (plan->wanted.data[i] == layout) return;
    vec_push(p->arena, &plan->wanted, layout);
}

static void want_operands(Placer *p, const Op *op, const Layout *layout) {
    for (int i = 0; i < op->num_operands; i++)
        want(p, op->operands[i], place_operand_layout(p, op, i, layout));
}

bool place_is_wanted(Placer *p, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        if (!type_is_tile(op->results[i].type)) return true;
        if (place_plan(p, &op->results[i])->wanted.count) return true;
    }
    return false;
}

const Layout *place_made_in(Placer *p, const Op *op) {
    if (op->kind == OP_STORE) return map_get_pointer(&p->stores, op);
    ValuePlan *plan = op->num_results ? place_plan(p, op_result(op)) : NULL;
    return !plan ? NULL : plan->work ? plan->work : plan->home;
}

/* Bytes along the fastest dimension that a warp's access covers without a gap. */
static int run_bytes(const Layout *layout, int first_bit, int bytes) {
    int bit = first_bit + layout_vector_bits(layout, first_bit);
    for (int i = 0; i < layout->num[KIND_LANE] && layout->column[KIND_LANE][i] == 1u << bit; i++)
        bit++;
    return bytes << (bit - first_bit);
}

/* The same, of what the warps of a product hold, if it is stored as wide: where blocks walk over
 * tiles (nest.c) each warp then moves it alone. They have 8 warps. */
static const Layout *in_warps(Placer *p, const Op *op, const int *order, const Layout *home,
                              const Layout *best) {
    enum { LINE = 128 };
    const Type *tile = store_pointer(op)->type;
    TileShape shape = tile_shape(tile);
    int first_bit = tile_bit_of_dim(&shape, order[0]), vector = place_vector_bits(p, op, best);
    int bytes = type_size_bytes(type_lane(tile)->elem);
    if (p->fn->num_warps != 8 || strcmp(p->arch->name, "sm_90a") != 0) return best;
    if (!is_of_product(p, home) || !value_is_used_once(p->fn, store_pointer(op))) return best;
    if (layout_replica_mask(home) >> LANE_BITS) return best;
    Layout layout = layout_blocked_in_warps(&shape, order, vector, home);
    if (place_vector_bits(p, op, &layout) < vector) return best;
    if (run_bytes(&layout, first_bit, bytes) < LINE) return best;
    return interned(p, layout);
}

static bool has_short_rows(Op *op, void *user) {
    enum { ROW = 128 };
    (void)user;
    if (op->kind != OP_DOT) return true;
    const Type *a = dot_a(op)->type;
    return a->rank == 2 && type_size_bytes(type_lane(a)) == 1 && a->shape[1] < ROW;
}

/* Of bytes, which are not copied as boxes then, and the tile does not go out as boxes. */
static bool multiplies_short_rows(const Func *fn) {
    return region_walk(fn->body, has_short_rows, NULL);
}

static bool is_first_product(Op *op, void *user) {
    int *count = user;
    *count += op->kind == OP_DOT;
    return *count < 2;
}

/* Sums of 32 bits lie by twos along a row, four lanes to 32 bytes: where two lanes each give the
 * other what it has of every second eight columns, a store is of 16 bytes, and of 64 a row (i8
 * 128x128x64 by 4 warps, 4096: 137 -> 130 us; H200). Tiles of 8 warps may go out as boxes:
 * of those none but of short rows of bytes (128x128x64 by 8, 4096: 138 -> 130 us). Where there are
 * several products they want the registers (rwkv6's gradient spilled more: 397 -> 447 us). */
static const Layout *by_neighbours(Placer *p, const Op *op, const int *order, const Layout *home) {
    enum { VECTOR = 2, LEAST_REGS = 5 };
    const Type *tile = store_pointer(op)->type;
    TileShape shape = tile_shape(tile);
    int bit = tile_bit_of_dim(&shape, order[0]);
    uint32_t one = 1u << bit, two = one << 1, eight = one << 3;
    if (shape.log2[order[0]] < 4 || type_size_bytes(type_lane(tile)->elem) != 4) return home;
    if (p->fn->num_warps != 4 && !multiplies_short_rows(p->fn)) return home;
    if (strcmp(p->arch->name, "sm_90a") != 0 || p->fn->num_warps > 8) return home;
    int products = 0;
    if (!region_walk(p->fn->body, is_first_product, &products)) return home;
    if (!is_of_product(p, home) || layout_replica_mask(home)) return home;
    if (home->num[KIND_REG] < LEAST_REGS || home->column[KIND_REG][0] != one) return home;
    if (home->column[KIND_LANE][0] != two) return home;
    Layout layout = *home;
    int next = 2;
    layout.column[KIND_REG][1] = two, layout.column[KIND_LANE][0] = eight;
    for (int i = 1; i < home->num[KIND_REG]; i++)
        if (home->column[KIND_REG][i] != eight && next < MAX_TILE_BITS)
            layout.column[KIND_REG][next++] = home->column[KIND_REG][i];
    if (next != home->num[KIND_REG]) return home;
    return place_vector_bits(p, op, &layout) == VECTOR ? interned(p, layout) : home;
}

/* Where a store is made: at the value's home unless its accesses would be much narrower. */
static const Layout *store_layout(Placer *p, const Op *op) {
    const Value *pointer = store_pointer(op), *value = store_value(op);
    const Layout *best = anchor(p, op), *home = place_plan(p, value)->home;
    if (!home) home = place_plan(p, pointer)->home;
    if (!home || home == best) return best;
    if (pointer->type->lanes <= 2 * p->threads) return home;
    int order[MAX_RANK];
    order_of(pointer->type, facts_axis(p->facts, pointer), order);
    TileShape shape = tile_shape(pointer->type);
    int first_bit = tile_bit_of_dim(&shape, order[0]);
    int bytes = type_size_bytes(type_lane(pointer->type)->elem);
    int at_home = place_vector_bits(p, op, home), at_best = place_vector_bits(p, op, best);
    int run = run_bytes(home, first_bit, bytes);
    bool dense = run >= 32 || run_bytes(best, first_bit, bytes) < 32;
    if (dense && at_home + 1 == at_best) return by_neighbours(p, op, order, home);
    if ((dense && at_home + 1 >= at_best) || run >= 128) return home;
    return in_warps(p, op, order, home, best);
}

/* A load of a loop that reads wide, for a product's lanes: it may come through a ring, from which
 * any layout is read. */
static bool may_be_in_ring(Placer *p, const Op *op, const Layout *other) {
    const Op *owner = op->parent->owner;
    return owner && owner->kind == OP_FOR && p->arch->number >= 80 && p->fn->num_stages > 1 &&
           op_result(op)->type->rank == 2 && is_of_product(p, other) &&
           place_vector_bits(p, op, place_plan(p, op_result(op))->home) >
               place_vector_bits(p, op, other);
}

/* A small load that is only wanted in another layout is made there: it reads cached memory more
 * often, but needs no shared memory. */
static void move_load(Placer *p, const Op *op) {
    ValuePlan *plan = place_plan(p, op_result(op));
    for (int i = 0; i < plan->wanted.count; i++)
        if (plan->wanted.data[i] == plan->home) return;
    if (!plan->wanted.count || load_volatile(op)) return;
    if (place_plan(p, load_pointer(op))->home) return;
    const Layout *other = plan->wanted.data[0];
    if (may_be_in_ring(p, op, other)) return;
    int here = layout_regs(plan->home) >> place_vector_bits(p, op, plan->home);
    int there = layout_regs(other) >> place_vector_bits(p, op, other);
    if (there <= 4 * here && layout_regs(other) <= 64) plan->home = other;
}

static void want_region(Placer *p, Region *region);

static void want_control(Placer *p, Op *op) {
    for (int r = op->num_regions - 1; r >= 0; r--) {
        Region *region = op->regions[r];
        const Op *yield = region_yield(region);
        int skip = op->kind == OP_WHILE && r == 0;
        for (int i = skip; i < yield->num_operands; i++) {
            const Value *to = op->kind == OP_IF    ? &op->results[i]
                              : op->kind == OP_FOR ? for_arg(op, i)
                              : r == 0             ? while_given(op, i - 1)
                                                   : while_arg(op, i);
            want(p, yield->operands[i], place_plan(p, to)->home);
        }
        want_region(p, region);
    }
    for (int i = 0; op->kind == OP_FOR && i < for_count(op); i++)
        want(p, for_init(op, i), place_plan(p, for_arg(op, i))->home);
    for (int i = 0; op->kind == OP_WHILE && i < op->num_operands; i++)
        want(p, while_init(op, i), place_plan(p, while_arg(op, i))->home);
}

/* A row of numbers, of which a thread has few there: made where it is wanted it moves as the load
 * that it comes from, which needs no shared memory. */
static bool is_row_of_few(const Op *op, const Layout *other) {
    enum { FEW = 4 };
    const Type *tile = op_result(op)->type;
    for (int d = 0; d < tile->rank; d++)
        if (tile->shape[d] != 1 && tile->shape[d] != tile->lanes) return false;
    return layout_regs(other) <= FEW;
}

/* A load that only the op reads, and that brings what it loads to the other layout in no more than
 * twice as many accesses. */
static bool loads_there(Placer *p, const Op *op, const Layout *other) {
    const Op *load = op->operands[0]->def;
    if (op->kind != OP_FEXT || !load || load->kind != OP_LOAD || load_volatile(load)) return false;
    const Layout *home = place_plan(p, op_result(load))->home;
    if (!home || place_plan(p, load_pointer(load))->home) return false;
    if (!value_is_used_once(p->fn, op_result(load))) return false;
    int here = layout_regs(home) >> place_vector_bits(p, load, home);
    int there = layout_regs(other) >> place_vector_bits(p, load, other);
    return there <= 2 * here;
}

/* What is only wanted as a product lies is made there of what moves instead: as that is narrower,
 * or comes from a load, which can bring it there. */
static void move_made(Placer *p, const Op *op) {
    ValuePlan *plan = place_plan(p, op_result(op));
    bool is_lane = op_has_trait(op, ELEMENTWISE) || op->kind == OP_EXPAND_DIMS;
    if (!is_lane || !plan->home || plan->wanted.count != 1 || plan->wanted.data[0] == plan->home)
        return;
    const Layout *other = plan->wanted.data[0];
    int homes = 0;
    for (int i = 0; i < op->num_operands; i++) {
        const Value *value = op->operands[i];
        if (!type_is_tile(value->type) || !place_plan(p, value)->home) continue;
        homes++;
        if (type_bits(value->type) > type_bits(op_result(op)->type)) return;
    }
    if (homes == 1 &&
        (is_of_product(p, other) || is_row_of_few(op, other) || loads_there(p, op, other)))
        plan->home = other;
}

/* Without a home: made in each layout in which its result is wanted. */
static void want_pure(Placer *p, const Op *op) {
    ValuePlan *plan = place_plan(p, op_result(op));
    if (!place_is_wanted(p, op)) return;
    move_made(p, op);
    if (plan->home || !type_is_tile(op_result(op)->type)) want_operands(p, op, plan->home);
    for (int i = 0; !plan->home && i < plan->wanted.count; i++)
        want_operands(p, op, plan->wanted.data[i]);
}

static void want_op(Placer *p, Op *op) {
    switch (op->kind) {
    case OP_IF:
    case OP_FOR:
    case OP_WHILE: want_control(p, op); return;
    case OP_STORE:
        if (type_is_tile(store_pointer(op)->type))
            map_set_pointer(&p->stores, op, (void *)(uintptr_t)store_layout(p, op));
        want_operands(p, op, place_made_in(p, op));
        return;
    case OP_LOAD:
        if (type_is_tile(op_result(op)->type)) move_load(p, op);
        want_operands(p, op, place_made_in(p, op));
        return;
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_JOIN:
    case OP_SPLIT:
    case OP_GATHER:
        if (place_is_wanted(p, op)) want_operands(p, op, place_made_in(p, op));
        return;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
    case OP_INLINE_ASM:
    case OP_PRINT:
    case OP_STOW:
    case OP_FETCH:
    case OP_ASSERT:
    case OP_ASSUME: want_operands(p, op, place_made_in(p, op)); return;
#define LEAF(kind, ...) case OP_##kind:
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_SPLAT:
    case OP_BROADCAST:
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
    case OP_TRANS:
    case OP_CONVERT: want_pure(p, op); return;
    case OP_BARRIER:
    case OP_MEET:
    case OP_CLOCK:
    case OP_YIELD: return;
#define ASYNC(kind, ...)  case OP_##kind:
#define THREAD(kind, ...) case OP_##kind:
#define BLOCK(kind, ...)  case OP_##kind:
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("op of unknown kind %d", op->kind);
}

static void want_region(Placer *p, Region *region) {
    for (Op *op = region->last; op; op = op->prev) want_op(p, op);
}

/* ---- all ---- */

static bool check_type(Placer *p, const Op *op, const Type *type) {
    if (!type_is_tile(type)) return true;
    for (int d = 0; d < type->rank; d++)
        if (type->shape[d] & (type->shape[d] - 1)) {
            diag_refused(p->diag, op->span, "a tile dimension of %d, not a power of two, on a GPU",
                         type->shape[d]);
            return false;
        }
    if (type->lanes / p->threads > 2048) { /* far beyond the 255 registers a thread has */
        diag_refused(p->diag, op->span, "a tile of %d elements for %d threads of a GPU",
                     type->lanes, p->threads);
        return false;
    }
    return true;
}

static bool check_op(Op *op, void *user) {
    Placer *p = user;
    if (op->kind == OP_RING) {
        diag_refused(p->diag, op->span, "a ring in program form on a GPU");
        return false;
    }
    for (int i = 0; i < op->num_results; i++)
        if (!check_type(user, op, op->results[i].type)) return false;
    return true;
}

/* Of sm_90, sm_90a, sm_90b: 90. */
static int number_of_target(const char *name) {
    int number = 0;
    for (const char *c = name + strcspn(name, "0123456789"); *c >= '0' && *c <= '9'; c++)
        if (number < 10000) number = number * 10 + (*c - '0');
    return number;
}

static void say_targets(const PassCtx *px, const Func *fn) {
    const char *asked = px->target ? px->target : "", *meant = NULL;
    Buf names = {.arena = fn->arena};
    for (int i = 0; arch_at(i); i++) {
        const char *name = arch_at(i)->name;
        buf_printf(&names, i ? ", %s" : "%s", name);
        if (arch_at(i)->number == number_of_target(asked)) meant = name;
    }
    diag_error(px->diag, fn->span, "there is no GPU target '%s'", asked);
    if (meant) diag_help(px->diag, fn->span, "did you mean '%s'?", meant);
    diag_help(px->diag, fn->span, "targets are %s", names.data);
}

static bool check_target(const PassCtx *px, const Func *fn) {
    if (!px->target || !arch_find(str_of(px->target))) {
        say_targets(px, fn);
        return false;
    }
    int warps = fn->num_warps;
    if (warps < 1 || warps > 32 || (warps & (warps - 1))) {
        diag_error(px->diag, fn->span, "num_warps must be 1, 2, 4, 8, 16 or 32, not %d", warps);
        return false;
    }
    return true;
}

/* ---- rows that end ---- */

typedef struct Ends {
    const Arch *arch;
    const Facts *facts;
    bool *multiplied; /* by value id */
    bool any;
} Ends;

static bool note_multiplied(Op *op, void *user) {
    Ends *e = user;
    for (int i = 0; i < 2 && op->kind == OP_DOT; i++) {
        const Value *value = op->operands[i];
        if (value->def && value->def->kind == OP_TRANS) value = value->def->operands[0];
        e->multiplied[value->id] = e->any = true;
    }
    return true;
}

static void set_ends(Op *op, bool ends) {
    if (op->kind == OP_LOAD)
        load_set_ends(op, ends);
    else
        store_set_ends(op, ends);
}

/* Are more lanes one access if some of them may be left off? */
static bool ends_widen(const Ends *e, Op *op) {
    bool widen = false;
    for (int i = 0; i < access_pointer(op)->type->rank; i++) {
        int64_t with = facts_lanes_at_once(e->facts, op, i);
        set_ends(op, false);
        widen |= with > facts_lanes_at_once(e->facts, op, i);
        set_ends(op, true);
    }
    return widen;
}

/* cp.async leaves off what a row does not have. Other loads would be of all lanes or of each one,
 * twice the text; and stores, but the tile of a product is laid out anew for them anyway. */
static bool drop_ends(Op *op, void *user) {
    const Ends *e = user;
    if (!access_ends(op)) return true;
    bool is_load = op->kind == OP_LOAD;
    bool pays = is_load ? e->arch->number >= 80 && e->multiplied[op_result(op)->id] : e->any;
    if (!pays || !ends_widen(e, op)) set_ends(op, false);
    return true;
}

/* The tile of a product is laid out anew for its store: where nothing is known of the address, as
 * of one read from memory, 16 bytes at once, if a test at run time finds them aligned. */
static bool choose_test(Op *op, void *user) {
    const Ends *e = user;
    if (op->kind != OP_STORE || store_ends(op) || facts_base(e->facts, store_pointer(op)))
        return true;
    const Type *type = store_pointer(op)->type;
    int bytes = type_is_tile(type) ? type_size_bytes(type_lane(type)->elem) : 16;
    int last = type->rank - 1;
    if (bytes >= 16 || type->rank != 2) return true;
    store_set_ends(op, 0);
    int64_t without = facts_lanes_at_once(e->facts, op, last);
    store_set_ends(op, ENDS_TESTED);
    if (without * bytes >= 4 || facts_lanes_at_once(e->facts, op, last) * bytes < 16)
        store_set_ends(op, 0);
    return true;
}

static void choose_ends(const Placer *p) {
    Ends e = {p->arch, p->facts, arena_array(p->arena, bool, p->fn->num_values), false};
    region_walk(p->fn->body, note_multiplied, &e);
    region_walk(p->fn->body, drop_ends, &e);
    if (e.any) region_walk(p->fn->body, choose_test, &e);
}

bool pass_place(PassCtx *px, Func *fn) {
    if (fn->form == FORM_PLACED || !check_target(px, fn)) return false;
    func_renumber(fn);
    Placer p = {.arena = px->scratch, .fn = fn, .diag = px->diag};
    p.arch = arch_find(str_of(px->target));
    p.threads = 32 * fn->num_warps;
    p.warp_bits = log2_floor(fn->num_warps);
    p.layouts.arena = p.stores.arena = px->scratch;
    if (!region_walk(fn->body, check_op, &p)) return false;
    p.facts = facts_compute(px->scratch, fn);
    if (place_widen_dots(&p)) {
        func_renumber(fn);
        p.facts = facts_compute(px->scratch, fn);
    }
    choose_ends(&p);
    p.plans = arena_array(px->scratch, ValuePlan, fn->num_values);
    region_walk(fn->body, collect_class, &p);
    home_region(&p, fn->body);
    want_region(&p, fn->body);
    place_write(&p);
    fn->form = FORM_PLACED;
    fn->target = str_of(p.arch->name);
    func_renumber(fn);
    return true;
}
