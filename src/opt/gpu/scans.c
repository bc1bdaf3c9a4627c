// SPDX-License-Identifier: Apache-2.0
/* scans: what the pass `pieces` makes of a scan along the dimension that it cuts.
 *
 *     %s = scan %x {axis = 0, fadd}  ->  %s.0 = scan %x.0        nothing is before the first piece
 *                                        %c = reduce %x.0
 *                                        for .. (%c)
 *                                          %s.k = fadd (splat %c), (scan %x.k)
 *                                          yield fadd %c, (reduce %x.k)
 *
 * Pieces go in the order of the scan: of a reversed one from the end. Only where it is wanted: what
 * a thread has of the tile makes so long a text that ptxas takes its time (each lane is moved by
 * itself), or what the warps tell each other has no room in shared memory. Others stay whole: all
 * that they load is under way at once. */
#include "ir/arch.h"
#include "ir/trips.h"
#include "opt/gpu/pieces.h"

#include <limits.h>

enum {
    LINES_A_LANE = 7,     /* of text, of a scan by one op; .. */
    LINES_AN_OP = 16,     /* .. and for each op more; .. */
    LINES_AN_ACCESS = 10, /* .. of a lane loaded or stored with a mask; .. */
    LINES_A_CAST = 10,    /* .. of what is cast from or to 16 bits; .. */
    LINES_IN_WARP = 24,   /* .. and of what goes from thread to thread of a warp .. */
    LINES_A_CELL = 40,    /* .. or of several */
    MOST_LINES = 10000,
    MOST_CELLS = 16,   /* of a thread, of a piece */
    MOST_LANES = 16,   /* of a thread, of a piece: four accesses of 32 bits */
    NARROW_LANES = 32, /* .. or of 16 bits, several at once; whole .. */
    MOST_NARROW = 200, /* .. more than that are spilled: each has a register */
    CELL_BYTES = 8,    /* trips.c */
    LAID_ANEW = 32,    /* lanes of a thread, of columns: pass place has a layout for them */
};

bool scan_is_along(const Dims *dims, const Op *op, int number) {
    return op->kind == OP_SCAN && dims_at(dims, op->operands[0], number) == (int)scan_axis(op);
}

/* ---- where it is wanted ---- */

typedef struct Texts {
    const Facts *facts;
    const Type *tile; /* whose accesses are looked at */
    int fast, width;  /* the dimension along which most lanes are accessed at once, and how many */
    int threads, room, registers;
    int64_t lines;
    bool too_large, spills;
    int most; /* lanes of a thread that have room */
    Func *fn;
} Texts;

static bool look_at_access(Op *op, void *user) {
    Texts *t = user;
    const Value *pointer = access_pointer(op);
    if (!pointer || !type_is_tile(pointer->type) || !type_same_shape(pointer->type, t->tile))
        return true;
    for (int d = 0; d < t->tile->rank; d++) {
        int width = (int)facts_lanes_at_once(t->facts, op, d);
        if (width > t->width) t->fast = d, t->width = width;
    }
    return true;
}

/* In tenths: what one combination costs ptxas. Predicates need no registers that are short. */
static int combination_ops(const Op *scan) {
    const Region *region = scan->regions[0];
    int ops = 0;
    for (const Op *op = region->first; op != region->last; op = op->next) {
        const Type *type = op_result(op)->type;
        bool is_extreme = op->kind == OP_FMAX || op->kind == OP_FMIN;
        if (op->kind == OP_CONSTANT) continue;
        if (is_extreme && type->kind == TYPE_F64)
            ops += 30;
        else
            ops += type_is_bool(type) ? 3 : op->kind == OP_FMA ? 20 : 10;
    }
    return ops;
}

/* In tenths of what 32 bits cost: a shuffle of 64 is two, and what is spilled is more; narrow
 * numbers are widened and narrowed. */
static int width_costs(const Type *lane, bool singly) {
    if (type_bits(lane) == 64) return 36;
    if (type_bits(lane) == 32 || type_is_bool(lane)) return 10;
    return singly && type_is_float(lane) ? 25 : 12;
}

static int lines_a_lane(const Op *scan, bool singly) {
    int lines = LINES_A_LANE + (combination_ops(scan) - 10) * LINES_AN_OP / 10, width = 0;
    if (lines < LINES_A_LANE) lines = LINES_A_LANE;
    for (int i = 0; i < scan->num_operands; i++)
        width += width_costs(type_lane(scan->operands[i]->type), singly);
    return lines * width / (10 * scan->num_operands);
}

static int lines_an_access(const Facts *facts, const Op *op) {
    const Value *pointer = access_pointer(op);
    if (!pointer || !type_is_tile(pointer->type) || !access_mask(op)) return 0;
    const Type *lane = type_lane(pointer->type)->elem;
    if (type_bits(lane) == 64) return LINES_AN_ACCESS * width_costs(lane, false) / 10;
    bool at_once =
        type_bits(lane) < 32 && facts_lanes_at_once(facts, op, pointer->type->rank - 1) > 4;
    return at_once ? LINES_AN_ACCESS / 2 : LINES_AN_ACCESS;
}

static bool look_at_scan(Op *op, void *user) {
    Texts *t = user;
    const Value *of = op->num_results ? op_result(op) : access_pointer(op);
    int each = of ? of->type->lanes / t->threads : 0;
    if (op->kind == OP_FEXT || op->kind == OP_FTRUNC) t->lines += (int64_t)each * LINES_A_CAST;
    t->lines += (int64_t)each * lines_an_access(t->facts, op);
    if (op->kind != OP_SCAN) return true;
    t->tile = op->operands[0]->type;
    t->fast = t->tile->rank - 1, t->width = 1;
    region_walk(t->fn->body, look_at_access, t);
    int lanes = t->tile->lanes / t->threads, axis = (int)scan_axis(op), cells = lanes, before = 1;
    if (lanes < 1) return true;
    if (axis == t->fast)
        cells = t->width < lanes ? lanes / t->width : 1;
    else /* of the dimensions that lie before it at least this one */
        before = t->tile->shape[t->fast] / t->width;
    bool meets = t->threads > 32 && before < t->threads && before * t->tile->shape[axis] > 32;
    t->lines += lanes * lines_a_lane(op, t->width == 1) +
                (int64_t)op->num_operands * cells * (meets ? LINES_A_CELL : LINES_IN_WARP);
    int64_t bytes = (int64_t)op->num_operands * cells * t->threads * CELL_BYTES;
    bool anew = t->tile->rank == 2 && axis != t->fast && lanes <= LAID_ANEW;
    t->too_large |= meets && !anew && bytes > t->room;
    bool narrow = type_is_float(type_lane(t->tile)) && type_bits(type_lane(t->tile)) == 16 &&
                  axis == t->fast && t->width > 4;
    t->spills |= narrow && lanes > MOST_NARROW;
    int words = 0; /* of registers, of a lane */
    for (int i = 0; i < op->num_operands; i++)
        words += type_bits(type_lane(op->operands[i]->type)) == 64 ? 2 : 1;
    t->spills |= words * lanes > t->registers + t->registers / 2;
    if (!narrow && t->most > MOST_LANES) t->most = MOST_LANES;
    while (t->most > 1 && ((meets && bytes * t->most / lanes > t->room - SMALL_SCRATCH) ||
                           words * t->most * cells / lanes > MOST_CELLS))
        t->most /= 2;
    return true;
}

int scans_lanes(PassCtx *px, Func *fn, int threads, int registers, bool spills) {
    if (!region_has(fn->body, OP_SCAN)) return 0;
    const Arch *arch = arch_find(str_of(px->target ? px->target : ""));
    Texts t = {.facts = facts_compute_linear(px->scratch, fn), .threads = threads, .fn = fn};
    t.room = arch ? arch->shared_limit : INT_MAX, t.most = NARROW_LANES;
    t.registers = registers;
    region_walk(fn->body, look_at_scan, &t);
    return t.lines > MOST_LINES || t.too_large || t.spills || spills ? t.most : 0;
}

/* ---- a piece ---- */

int scans_order(const Dims *dims, const Ops *ops, int number) {
    int order = 0;
    for (int i = 0; i < ops->count; i++) {
        if (!scan_is_along(dims, ops->data[i], number)) continue;
        order |= scan_reverse(ops->data[i]) ? SCANS_BACKWARDS : SCANS_FORWARDS;
    }
    return order;
}

int scans_count(const Dims *dims, const Ops *ops, int number, const Op *end) {
    int count = 0;
    for (int i = 0; i < ops->count && ops->data[i] != end; i++)
        if (scan_is_along(dims, ops->data[i], number)) count += ops->data[i]->num_operands;
    return count;
}

/* The combination of a reduction or scan, on all lanes of two tiles. known: what some of its ops
 * are. */
static void combine(Builder *b, const Op *op, Map *known, Value *const *left, Value *const *right,
                    Value **result) {
    const Region *region = op->regions[0];
    int count = op->num_operands;
    const Type *like = left[0]->type;
    for (int i = 0; i < count; i++) {
        map_set_pointer(known, region->args[i], left[i]);
        map_set_pointer(known, region->args[count + i], right[i]);
    }
    for (const Op *made = region->first; made != region->last; made = made->next) {
        if (map_get_pointer(known, op_result(made))) continue;
        Value *value = op_result(op_clone(b, made, known));
        value->type = type_with_elem(b->fn->types, like, value->type);
    }
    for (int i = 0; i < count; i++) result[i] = map_get_pointer(known, region->last->operands[i]);
}

/* Are its values those of an arange along the dimension? */
static bool ascends(const Dims *dims, int number, const Value *value) {
    const Op *op = value->def;
    while (op && (op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE))
        op = op->operands[0]->def;
    return op && op->kind == OP_ARANGE && dims_at(dims, op_result(op), number) == 0;
}

/* What compares the seconds of a reduction of pairs: of earlier pieces they are smaller. */
static void note_known(Builder *b, const Op *reduce, const Op *op, const Type *like, Map *known) {
    const Region *region = reduce->regions[0];
    if (op->kind != OP_ICMP) return;
    bool straight = op->operands[0] == region->args[1] && op->operands[1] == region->args[3];
    bool turned = op->operands[0] == region->args[3] && op->operands[1] == region->args[1];
    uint64_t result;
    if (!straight && !turned) return;
    if (!eval_lane(op, (uint64_t[]){straight ? 1 : 2, straight ? 2 : 1}, &result)) return;
    Value *value = build_int(b, op_result(op)->type, (int64_t)result);
    map_set_pointer(known, op_result(op), build_splat(b, value, like->rank, like->shape));
}

void reduce_combine(Builder *b, const Dims *dims, int number, const Op *reduce, Value *const *left,
                    Value **right) {
    const Region *region = reduce->regions[0];
    Map known = {.arena = b->fn->arena};
    if (reduce->num_operands == 2 && number >= 0 && ascends(dims, number, reduce->operands[1]))
        for (const Op *op = region->first; op != region->last; op = op->next)
            note_known(b, reduce, op, left[0]->type, &known);
    combine(b, reduce, &known, left, right, right);
}

static Value *to_all(Builder *b, Value *left, const Type *tile, int axis) {
    if (!type_is_tile(left->type)) return build_splat(b, left, tile->rank, tile->shape);
    return build_broadcast(b, build_expand_dims(b, left, axis), tile->shape);
}

/* What all lanes of the piece make, in the order of the scan. */
static Op *total_of(Builder *b, const Op *scan, Op *piece) {
    Map none = {.arena = b->fn->arena};
    int axis = (int)scan_axis(scan), count = scan->num_operands, shape[MAX_RANK], rank = 0;
    Region *region = region_clone(b->fn, scan->regions[0], &none);
    const Type **types = arena_array(b->fn->arena, const Type *, count);
    const Type *tile = piece->operands[0]->type;
    for (int d = 0; d < tile->rank; d++)
        if (d != axis) shape[rank++] = tile->shape[d];
    for (int i = 0; i < count; i++) {
        types[i] = type_tile(b->fn->types, type_lane(piece->operands[i]->type), rank, shape);
        Value *left = region->args[i];
        if (!scan_reverse(scan)) continue;
        region->args[i] = region->args[count + i], region->args[count + i] = left;
    }
    Op *total = build_op(b, OP_REDUCE, count, piece->operands, count, types, 1, &region);
    reduce_set_axis(total, axis);
    return total;
}

void scan_go_on(Builder *b, const Op *scan, Op *piece, Value **before, Value **results) {
    int count = scan->num_operands, axis = (int)scan_axis(scan);
    const Op *total = total_of(b, scan, piece);
    for (int i = 0; i < count; i++) results[i] = &piece->results[i];
    if (before[0]) {
        Value **all = arena_array(b->fn->arena, Value *, count),
              **more = arena_array(b->fn->arena, Value *, count);
        for (int i = 0; i < count; i++) {
            all[i] = to_all(b, before[i], piece->results[i].type, axis);
            more[i] = &total->results[i];
        }
        Map none[2] = {{.arena = b->fn->arena}, {.arena = b->fn->arena}};
        combine(b, scan, &none[0], all, results, results);
        combine(b, scan, &none[1], before, more, before);
    } else {
        for (int i = 0; i < count; i++) before[i] = &total->results[i];
    }
}
