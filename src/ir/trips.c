// SPDX-License-Identifier: Apache-2.0
/* trips: through scratch in shared memory; see trips.h. */
#include "ir/trips.h"
#include "ir/arch.h"

#include <math.h>

/* ---- reduce ---- */

/* Which combinations commute: each result is one commuting op of its own two arguments, or the
 * choice of one of them, as of arg reductions:
 *
 *     keep = a > b or (a == b and i < j) ..        (a, i) and (b, j): the two sides
 *     yield select(keep, a, b), select(keep, i, j)
 *
 * where the conditions ask nothing but how the two of a pair compare. Then trying each way in which
 * they can (less, equal, greater; by sign and without; a NaN on either side) shows whether the same
 * side wins when the two change places. Sides that are equal in all pairs may win by turns: they
 * differ at most in the sign of a zero, or in what a NaN holds. */
enum { MAX_CHOICE_OPS = 32, MAX_CHOICE_PAIRS = 3, NUM_INT_WAYS = 5, NUM_FLOAT_WAYS = 6 };

static int argument_of(const Region *region, const Value *value) {
    for (int i = 0; i < region->num_args; i++)
        if (region->args[i] == value) return i;
    return -1;
}

static bool compares_pair(const Region *region, const Op *op) {
    if (op->kind != OP_ICMP && op->kind != OP_FCMP) return false;
    int a = argument_of(region, op->operands[0]), b = argument_of(region, op->operands[1]);
    int pairs = region->num_args / 2;
    const Type *type = op->operands[0]->type;
    return a >= 0 && b >= 0 && a % pairs == b % pairs && !type_is_bool(type) && !type_is_ptr(type);
}

/* A condition: a comparison of a pair, or made of conditions. */
static bool is_condition(const Region *region, const Op *op) {
    bool logic = op->kind == OP_AND || op->kind == OP_OR || op->kind == OP_XOR ||
                 op->kind == OP_SELECT || op->kind == OP_CONSTANT;
    if (compares_pair(region, op)) return true;
    if (!logic || !type_is_bool(op_result(op)->type)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (argument_of(region, op->operands[i]) >= 0) return false;
    return true;
}

static bool picks_of_pair(const Region *region, const Op *op, int *pair) {
    int pairs = region->num_args / 2;
    if (op->kind != OP_SELECT || argument_of(region, op->operands[0]) >= 0) return false;
    int a = argument_of(region, op->operands[1]), b = argument_of(region, op->operands[2]);
    const Type *type = op_result(op)->type;
    *pair = a < pairs ? a : b;
    return a >= 0 && b >= 0 && (a == b + pairs || b == a + pairs) && !type_is_bool(type) &&
           !type_is_ptr(type);
}

/* The way'th values of a pair. */
static void pair_values(const Type *type, int way, uint64_t *a, uint64_t *b) {
    static const int ints[NUM_INT_WAYS][2] = {{1, 2}, {2, 1}, {1, 1}, {-1, 1}, {1, -1}};
    static const double floats[NUM_FLOAT_WAYS][2] = {{1, 2},   {2, 1},   {1, 1},
                                                     {NAN, 1}, {1, NAN}, {NAN, NAN}};
    FloatKind kind;
    uint64_t mask = ~0ull >> (64 - type_bits(type));
    if (float_kind_of(type, &kind)) {
        *a = float_encode(kind, floats[way][0], FLOAT_NEAREST_EVEN);
        *b = float_encode(kind, floats[way][1], FLOAT_NEAREST_EVEN);
    } else {
        *a = (uint64_t)ints[way][0] & mask;
        *b = (uint64_t)ints[way][1] & mask;
    }
}

/* What the region yields for these arguments. */
static void choose(const Region *region, const uint64_t *args, uint64_t *results) {
    uint64_t values[MAX_CHOICE_OPS], in[3];
    int at = 0;
    for (const Op *op = region->first; op; op = op->next, at++) {
        for (int i = 0; i < op->num_operands; i++) {
            int arg = argument_of(region, op->operands[i]), from = 0;
            const Op *earlier = region->first;
            for (; arg < 0 && earlier != op->operands[i]->def; earlier = earlier->next) from++;
            uint64_t value = arg < 0 ? values[from] : args[arg];
            *(op->kind == OP_YIELD ? &results[i] : &in[i]) = value;
        }
        if (op->kind == OP_CONSTANT)
            values[at] = constant_bits(op);
        else if (op->kind != OP_YIELD && !eval_lane(op, in, &values[at]))
            BUG("a choice by '%s'", op_info(op->kind)->name);
    }
}

static bool is_choice(const Region *region) {
    int pairs = region->num_args / 2, count = 0, tries = 1, pair;
    const Op *yield = region_yield(region);
    for (const Op *op = region->first; op != yield; op = op->next)
        if (++count >= MAX_CHOICE_OPS ||
            !(is_condition(region, op) || picks_of_pair(region, op, &pair)))
            return false;
    if (pairs > MAX_CHOICE_PAIRS) return false;
    int ways[MAX_CHOICE_PAIRS];
    for (int i = 0; i < pairs; i++) {
        const Op *op = yield->operands[i]->def;
        if (!op || !picks_of_pair(region, op, &pair) || pair != i) return false;
        ways[i] = type_is_float(op_result(op)->type) ? NUM_FLOAT_WAYS : NUM_INT_WAYS;
        tries *= ways[i];
    }
    for (int n = 0; n < tries; n++) {
        uint64_t args[2 * MAX_CHOICE_PAIRS] = {0}, swapped[2 * MAX_CHOICE_PAIRS] = {0};
        uint64_t won[MAX_CHOICE_PAIRS], again[MAX_CHOICE_PAIRS];
        for (int i = 0, rest = n; i < pairs; rest /= ways[i++]) {
            pair_values(region->args[i]->type, rest % ways[i], &args[i], &args[pairs + i]);
            swapped[i] = args[pairs + i], swapped[pairs + i] = args[i];
        }
        choose(region, args, won);
        choose(region, swapped, again);
        for (int i = 0; i < pairs; i++)
            if (won[i] != again[i]) return false;
    }
    return true;
}

bool reduce_by_value(const Op *op) {
    const Region *region = op->regions[0];
    const Op *yield = region_yield(region);
    int count = yield->num_operands;
    for (int i = 0; i < count; i++) {
        const Op *made = yield->operands[i]->def;
        if (!made || !op_has_trait(made, COMMUTES) || made->parent != region) return false;
        const Value *a = region->args[i], *b = region->args[i + count];
        bool straight = made->operands[0] == a && made->operands[1] == b;
        if (!straight && !(made->operands[0] == b && made->operands[1] == a)) return false;
    }
    return true;
}

bool reduce_commutes(const Op *op) { return reduce_by_value(op) || is_choice(op->regions[0]); }

/* Does a come before b (1), b before a (-1), or neither? */
static int order_of_firsts(const Type *type, const Extreme *e, uint64_t a, uint64_t b) {
    FloatKind kind;
    int sign = e->largest ? 1 : -1;
    if (float_kind_of(type, &kind)) {
        double x = float_decode(kind, a), y = float_decode(kind, b);
        if (isnan(x) || isnan(y)) return isnan(y) - isnan(x);
        return sign * ((x > y) - (x < y));
    }
    if (e->is_unsigned) return sign * ((a > b) - (a < b));
    return sign * (((int32_t)a > (int32_t)b) - ((int32_t)a < (int32_t)b));
}

static bool chooses_extreme(const Region *region, const Extreme *e) {
    const Type *first = region->args[0]->type, *second = region->args[1]->type;
    int ways = type_is_float(first) ? NUM_FLOAT_WAYS : NUM_INT_WAYS;
    for (int n = 0; n < ways * NUM_INT_WAYS; n++) {
        uint64_t args[4], won[2];
        pair_values(first, n % ways, &args[0], &args[2]);
        pair_values(second, n / ways, &args[1], &args[3]);
        int by_second =
            ((int32_t)args[1] < (int32_t)args[3]) - ((int32_t)args[1] > (int32_t)args[3]);
        int order = order_of_firsts(first, e, args[0], args[2]);
        if (!order) order = e->smaller_second ? by_second : -by_second;
        choose(region, args, won);
        int side = order < 0 ? 2 : 0; /* without an order the two are the same */
        if (won[0] != args[side] || won[1] != args[side + 1]) return false;
    }
    return true;
}

bool reduce_extreme(const Op *op, Extreme *extreme) {
    const Region *region = op->regions[0];
    if (region->num_args != 4 || !is_choice(region)) return false;
    const Type *first = region->args[0]->type, *second = region->args[1]->type;
    if (first->kind != TYPE_F32 && first->kind != TYPE_I32) return false;
    if (second->kind != TYPE_I32) return false;
    for (int n = 0; n < 8; n++) {
        *extreme = (Extreme){n & 1, n & 2, n & 4};
        if (chooses_extreme(region, extreme)) return true;
    }
    return false;
}

Reduction reduction_of(const Op *op) {
    const Type *in = op->operands[0]->type;
    return (Reduction){.layout = *type_layout(in),
                       .axis = tile_dim_bits(in, (int)reduce_axis(op)),
                       .ordered = !reduce_commutes(op)};
}

/* The warp bits of `bits` (tile bits) become register bits of every warp, the first ones; or lane
 * bits, where there are so many that reading and combining them all would cost each lane too much.
 */
static Layout gathered(const Reduction *r, uint32_t bits) {
    enum { MANY_BITS = 3 };
    Layout to = r->layout;
    int added = 0;
    for (int i = 0; i < to.num[KIND_WARP]; i++)
        if (to.column[KIND_WARP][i] & bits) to.column[KIND_WARP][i] = 0;
    for (int bit = 0; bit < to.tile_bits; bit++) added += bits >> bit & 1;
    for (int lane = 0, bit = 0, many = added >= MANY_BITS && !r->ordered; many && lane < LANE_BITS;
         lane++) {
        if (to.column[KIND_LANE][lane]) continue; /* lanes that differ in this bit hold the same */
        while (bit < to.tile_bits && !(bits >> bit & 1)) bit++;
        if (bit == to.tile_bits) break;
        to.column[KIND_LANE][lane] = 1u << bit;
        bits &= ~(1u << bit), added--;
    }
    memmove(to.column[KIND_REG] + added, to.column[KIND_REG],
            sizeof(uint32_t) * (size_t)to.num[KIND_REG]);
    to.num[KIND_REG] += added;
    for (int bit = to.tile_bits - 1, at = added; bit >= 0; bit--)
        if (bits >> bit & 1) to.column[KIND_REG][--at] = 1u << bit;
    return to;
}

static int next_bit(const Reduction *r, const BitPlace *places) {
    int best = -1;
    for (int bit = 0; bit < r->layout.tile_bits; bit++) {
        if (!(r->axis >> bit & 1)) continue;
        if (r->ordered) return bit;
        if (best < 0 || places[bit].kind < places[best].kind ||
            (places[bit].kind == KIND_REG && places[best].kind == KIND_REG &&
             places[bit].bit > places[best].bit))
            best = bit;
    }
    return best;
}

bool reduction_next(Reduction *r) {
    BitPlace places[MAX_TILE_BITS];
    uint32_t bits = 0; /* of warps: with its neighbours that are also warps, one trip */
    if (!r->axis) return false;
    if (!layout_places(&r->layout, places)) BUG("layout is not unit");
    r->bit = next_bit(r, places);
    r->place = places[r->bit];
    if (r->place.kind != KIND_WARP) return true;
    for (int i = r->bit; i < r->layout.tile_bits; i++) {
        if (r->axis >> i & 1 && places[i].kind == KIND_WARP)
            bits |= 1u << i;
        else if (r->ordered)
            break;
    }
    r->moved = gathered(r, bits);
    return true;
}

void reduction_remove(Reduction *r) {
    uint32_t all = (1u << r->layout.tile_bits) - 1, below = (1u << r->bit) - 1;
    r->layout = layout_restrict(&r->layout, all & ~(1u << r->bit));
    r->axis = (r->axis & below) | (r->axis >> (r->bit + 1)) << r->bit;
}

static int reduce_trips(const Op *op, int *bytes) {
    Reduction r = reduction_of(op);
    int count = 0;
    while (reduction_next(&r)) {
        if (r.place.kind != KIND_WARP) {
            reduction_remove(&r);
            continue;
        }
        bytes[count] = 0;
        for (int v = 0; v < op->num_operands; v++)
            bytes[count] +=
                scratch_aligned(type_size_bytes(op->operands[v]->type) << r.layout.tile_bits);
        count++;
        r.layout = r.moved;
    }
    return count;
}

/* ---- scan ---- */

/* A lane has as many in a row as there are warps, or a part of these. */
static bool scan_goes_anew(const Layout *layout, const ScanParts *parts) {
    enum { MOST_SLOT_BITS = 6 };
    const int *count = parts->count;
    bool fine = count[SCAN_LANES] == LANE_BITS && count[SCAN_WARPS] == layout->num[KIND_WARP];
    for (int i = 0; i < count[SCAN_WARPS]; i++)
        fine = fine && parts->bits[SCAN_WARPS][i] == LANE_BITS + i;
    return fine && count[SCAN_HIGH] <= LANE_BITS &&
           count[SCAN_WARPS] + count[SCAN_HIGH] >= LANE_BITS &&
           layout->num[KIND_REG] - count[SCAN_LOW] <= MOST_SLOT_BITS;
}

bool scan_parts(const Op *op, ScanParts *parts) {
    /* Each thread reads what all of them make; of more each warp had better scan it anew. */
    enum { MOST_WARP_BITS = 3, MOST_HIGH_BITS = 4, MANY_BITS = 7 };
    const Type *in = op->operands[0]->type;
    const Layout *layout = type_layout(in);
    uint32_t axis = tile_dim_bits(in, (int)scan_axis(op));
    ScanPart part = SCAN_LOW;
    BitPlace places[MAX_TILE_BITS];
    *parts = (ScanParts){0};
    if (!layout_places(layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < layout->tile_bits; bit++) {
        if (!(axis >> bit & 1)) continue;
        ScanPart wanted = places[bit].kind == KIND_LANE   ? SCAN_LANES
                          : places[bit].kind == KIND_WARP ? SCAN_WARPS
                          : part == SCAN_LOW              ? SCAN_LOW
                                                          : SCAN_HIGH;
        int at = places[bit].bit + (places[bit].kind == KIND_WARP ? LANE_BITS : 0);
        if (wanted < part) return false;
        part = wanted;
        int *count = &parts->count[part];
        if (part == SCAN_LANES && *count && at != parts->bits[part][*count - 1] + 1) return false;
        parts->bits[part][(*count)++] = at;
    }
    bool few =
        parts->count[SCAN_WARPS] <= MOST_WARP_BITS && parts->count[SCAN_HIGH] <= MOST_HIGH_BITS;
    bool many = parts->count[SCAN_WARPS] + parts->count[SCAN_HIGH] >= MANY_BITS;
    parts->anew = (!few || many) && scan_goes_anew(layout, parts);
    return few || parts->anew;
}

/* From the first bit of the axis that is one of warps on: a slot of 8 bytes for each thread and
 * register whose value is a total. Where a block has no room for all of them, in rounds. */
int scan_row_bytes(const Func *fn, const Op *op) {
    return op->num_operands * 32 * fn->num_warps * 8;
}

int scan_anew_bytes(const Func *fn, const Op *op, int slots) {
    return op->num_operands * slots * fn->num_warps * 8;
}

int scan_slots_at_once(const Func *fn, const Op *op, int slots) {
    enum { ROUND_BYTES = 32 * 1024, MOST_ROUNDS = 64 };
    const Arch *arch = arch_find(fn->target);
    int row = scan_row_bytes(fn, op), at_once = ROUND_BYTES / row;
    if (!arch || (int64_t)slots * row <= arch->shared_limit) return slots;
    if (at_once < 1) at_once = 1;
    return slots > at_once * MOST_ROUNDS ? slots / MOST_ROUNDS : at_once;
}

static int add_trips(const Func *fn, const Op *op, int slots, int count, int *bytes) {
    int at_once = scan_slots_at_once(fn, op, slots);
    for (; slots > 0; slots -= at_once)
        bytes[count++] = (slots < at_once ? slots : at_once) * scan_row_bytes(fn, op);
    return count;
}

static int one_trip(bool there_is, int64_t of, int *bytes) {
    bytes[0] = (int)of;
    return there_is;
}

static int scan_trips(const Func *fn, const Op *op, int *bytes) {
    ScanParts parts;
    if (scan_parts(op, &parts)) {
        int slots = layout_regs(type_layout(op->operands[0]->type)) >> parts.count[SCAN_LOW];
        if (parts.anew) return one_trip(true, scan_anew_bytes(fn, op, slots), bytes);
        return parts.count[SCAN_WARPS] ? add_trips(fn, op, slots, 0, bytes) : 0;
    }
    const Type *in = op->operands[0]->type;
    const Layout *layout = type_layout(in);
    uint32_t axis = tile_dim_bits(in, (int)scan_axis(op));
    int count = 0, slots = layout_regs(layout);
    bool warps = false;
    BitPlace places[MAX_TILE_BITS];
    if (!layout_places(layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < layout->tile_bits; bit++) {
        if (!(axis >> bit & 1)) continue;
        if (places[bit].kind == KIND_REG) slots /= 2;
        if (places[bit].kind == KIND_WARP) warps = true;
        if (warps) count = add_trips(fn, op, slots, count, bytes);
    }
    return count;
}

/* ---- the others ---- */

const Type *dot_sum_type(const Op *op) {
    const Type *acc = type_lane(op_result(op)->type), *a = type_lane(dot_a(op)->type);
    if (type_is_int(acc)) return type_scalar(type_bits(acc) == 64 ? TYPE_I64 : TYPE_I32);
    return type_scalar(acc->kind == TYPE_F64 || a->kind == TYPE_F64 ? TYPE_F64 : TYPE_F32);
}

static bool is_peeked(const Type *tile) { return tile->place->shared; }

bool load_can_fill(const Op *load) {
    const Type *type = op_result(load)->type, *lane = type_lane(type);
    return type_is_tile(type) && type->rank <= 2 && !type_is_bool(type) && !load_volatile(load) &&
           load_cache(load) != CACHE_CV && value_is_zero(load_other(load)) &&
           load_width(load) * type_size_bytes(lane) >= 4;
}

const Type *type_in_panels(TypeTable *types, const Type *tile, int dim) {
    Swizzle swizzle = tile_panels(tile, dim, type_size_bytes(tile));
    return type_placed(types, tile, place_shared(types, &swizzle));
}

const Type *ring_part_type(TypeTable *types, const Type *tile) {
    if (tile->rank == 2) return type_in_panels(types, tile, tile_fast_dim(tile));
    TileShape shape = tile_shape(tile);
    Swizzle row = swizzle_panels(0, shape.log2[0], shape.log2[0], 0, type_size_bytes(tile));
    return type_placed(types, tile, place_shared(types, &row));
}

int ring_turn_bytes(const Type *ring) {
    int bytes = 0;
    bool has_row = false;
    for (int i = 0; i < ring->num_parts; i++) {
        bytes += scratch_aligned(ring->parts[i]->lanes * type_size_bytes(ring->parts[i]));
        has_row = has_row || ring->parts[i]->rank == 1;
    }
    /* Where rows of numbers lie behind panels, the next turn begins where panels can. */
    return has_row ? (bytes + PANEL_BYTES - 1) / PANEL_BYTES * PANEL_BYTES : bytes;
}

int ring_end(const Op *ring) {
    return (int)ring_offset(ring) + ring_turn_bytes(op_result(ring)->type) * (int)ring_stages(ring);
}

/* What is peeked is in shared memory already, and some of wgmma is taken from registers. */
int dot_scratch(const Op *op) {
    const Type *a = dot_a(op)->type, *b = dot_b(op)->type;
    if (dot_unit(op) == UNIT_MMA || dot_unit(op) == UNIT_WGMMA) {
        int bytes = type_size_bytes(a);
        int all = (is_peeked(a) || dot_a_in_registers(op) ? 0 : scratch_aligned(bytes * a->lanes)) +
                  (is_peeked(b) ? 0 : bytes * b->lanes);
        return all && dot_unit(op) == UNIT_WGMMA ? all + PANEL_BYTES - SCRATCH_ALIGNMENT : all;
    }
    int bytes = type_size_bytes(dot_sum_type(op));
    return scratch_aligned(bytes * a->lanes) + scratch_aligned(bytes * b->lanes);
}

/* A permutation may take any lane to any other, but that of one step of a sort is known. */
static bool crosses_warps(const Op *op) {
    if (op->kind != OP_SORT_STEP) return true;
    BitPlace places[MAX_TILE_BITS];
    const Layout *layout = type_layout(op_result(op)->type);
    if (!layout_places(layout, places)) BUG("layout is not unit");
    for (int bit = 0; bit < layout->tile_bits; bit++)
        if (sort_step_mask(op) >> bit & 1 && places[bit].kind == KIND_WARP) return true;
    return false;
}

typedef struct Uses {
    const Value *value;
    int count, most; /* the walk ends once there are as many */
} Uses;

static bool count_uses(Op *op, void *user) {
    Uses *u = user;
    for (int i = 0; i < op->num_operands; i++) u->count += op->operands[i] == u->value;
    return u->count < u->most;
}

bool value_is_used(const Func *fn, const Value *value) {
    Uses u = {value, 0, 1};
    return !region_walk(fn->body, count_uses, &u);
}

bool value_is_used_once(const Func *fn, const Value *value) {
    Uses u = {value, 0, 2};
    region_walk(fn->body, count_uses, &u);
    return u.count == 1;
}

bool func_has_atomics(const Func *fn) {
    return region_has(fn->body, OP_ATOMIC_RMW) || region_has(fn->body, OP_ATOMIC_CAS);
}

static bool note_cluster(Op *op, void *blocks) {
    if (op->kind == OP_MEET)
        *(int *)blocks = (int)(meet_within(op) ? meet_within(op) : meet_blocks(op));
    if (op->kind == OP_RANK)
        *(int *)blocks = (int)(rank_within(op) ? rank_within(op) : rank_blocks(op));
    return op->kind != OP_MEET && op->kind != OP_RANK;
}

int func_cluster(const Func *fn) {
    int blocks = 1;
    region_walk(fn->body, note_cluster, &blocks);
    return blocks;
}

int meet_bytes(const Op *meet) { return 8 * meet->num_results + 8; /* an mbarrier */ }

/* One thread loads and tells the others: another program may write meanwhile. */
static bool load_is_shared(bool has_atomics, const Op *load) {
    if (type_is_tile(op_result(load)->type)) return false;
    if (load_volatile(load) || has_atomics) return true;
    for (const Region *r = load->parent; r && r->owner; r = r->owner->parent)
        if (r->owner->kind == OP_WHILE) return true;
    return false;
}

/* What one thread got is told to those that hold the same lanes: is one of another warp? */
static bool told_to_warps(const Func *fn, const Type *type) {
    const Layout *layout = type_layout(type);
    return layout ? layout_replica_mask(layout) >> LANE_BITS != 0 : fn->num_warps > 1;
}

int op_trips(const Func *fn, bool has_atomics, const Op *op, int bytes[MAX_TRIPS]) {
    const Value *from = op->num_operands ? op->operands[0] : NULL;
    const Type *type = op->num_results ? op_result(op)->type : NULL;
    int whole = type ? type_size_bytes(type) * type->lanes : 0;
    switch (op->kind) {
    case OP_REDUCE: return reduce_trips(op, bytes);
    case OP_SCAN: return scan_trips(fn, op, bytes);
    case OP_CONVERT: /* from registers; the tile of a ring is in shared memory already */
        return one_trip(!from->type->place->shared &&
                            layout_move(type_layout(from->type), type_layout(type)) == MOVE_SHARED,
                        whole, bytes);
#define PERMUTE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return one_trip(crosses_warps(op), whole, bytes);
    case OP_GATHER: return one_trip(true, type_size_bytes(from->type) * from->type->lanes, bytes);
    case OP_HISTOGRAM: return one_trip(true, 4 * histogram_bins(op), bytes);
    case OP_DOT: return one_trip(dot_scratch(op) != 0, dot_scratch(op), bytes);
    case OP_LOAD:
        return one_trip(load_is_shared(has_atomics, op) && told_to_warps(fn, type), whole, bytes);
    case OP_CLOCK: return one_trip(told_to_warps(fn, type), whole, bytes);
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
        return one_trip(told_to_warps(fn, type) && value_is_used(fn, op_result(op)), whole, bytes);
#define LEAF(kind, ...)    case OP_##kind:
#define LANE(kind, ...)    case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#define ASYNC(kind, ...)   case OP_##kind:
#define THREAD(kind, ...)  case OP_##kind:
#define BLOCK(kind, ...)   case OP_##kind:
#include "ir/ops.def"
    case OP_SPLAT:
    case OP_BROADCAST:
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
    case OP_TRANS:
    case OP_JOIN:
    case OP_SPLIT:
    case OP_STORE:
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_ASSUME:
    case OP_ASSERT:
    case OP_PRINT:
    case OP_INLINE_ASM: return 0;
    case NUM_OP_KINDS: break;
    }
    BUG("op of unknown kind %d", op->kind);
}

int op_scratch(const Func *fn, bool has_atomics, const Op *op) {
    int bytes[MAX_TRIPS], most = 0, count = op_trips(fn, has_atomics, op, bytes);
    for (int i = 0; i < count; i++)
        if (bytes[i] > most) most = bytes[i];
    return most;
}
