// SPDX-License-Identifier: Apache-2.0
/* scan: lanes in order, each with what all before it make.
 *
 * Along most axes come first registers of a thread, then lanes, then warps, then registers again
 * (trips.h). Each thread goes through its own; what these make goes from lane to lane, what a warp
 * makes through shared memory, once; and what comes before a thread is put before each of its
 * registers, once:
 *
 *     thread 0: a0, a0 a1       thread 1: b0, b0 b1      their totals: a0 a1, a0 a1 b0 b1
 *               a0, a0 a1                 a0 a1 (b0), a0 a1 (b0 b1)
 *
 * Other axes go bit by bit. */
#include "gen/ptx/gen.h"

/* ---- in parts ---- */

/* What some of the lanes make; for a thread before which there are none, `has` is false. */
typedef struct Partial {
    Tir *values, has;
} Partial;

typedef struct Parts {
    Gen *g;
    const Op *op;
    ScanParts parts;
    int count; /* of values */
    bool reverse;
    Tir *neutral;                  /* by value, NULL: not all are known */
    uint32_t lane_bits, warp_bits; /* of the axis, in the number of a thread */
    int slots;                     /* registers of other axes, and the high ones of this one, .. */
    int first, at_once;            /* .. which of them are in shared memory, how many at most */
    Tir **regs;                    /* [value][register] */
} Parts;

/* What changes nothing, put before it; false: not known. */
static bool neutral_of(Gen *g, const Op *made, Tir *neutral) {
    enum { UNKNOWN, ZEROS, ONES, ONE, MINUS_ZERO };
    static const uint8_t rows[NUM_OP_KINDS] = {
        [OP_ADD] = ZEROS, [OP_OR] = ZEROS,        [OP_XOR] = ZEROS, [OP_AND] = ONES,
        [OP_MUL] = ONE,   [OP_FADD] = MINUS_ZERO, [OP_FMUL] = ONE};
    const Type *type = op_result(made)->type;
    uint64_t one = type_is_float(type) ? constant_from_double(type, 1) : 1;
    uint64_t sign = 1ull << (type_bits(type) - 1);
    const uint64_t values[] = {
        [ZEROS] = 0, [ONES] = sign | (sign - 1), [ONE] = one, [MINUS_ZERO] = sign};
    int row = rows[made->kind];
    if (row) *neutral = ptx_constant(g, type, values[row]);
    return row;
}

static Tir *neutrals_of(Gen *g, const Op *op) {
    const Op *yield = region_yield(op->regions[0]);
    Tir *neutral = ptx_new_regs(g, op->num_operands);
    if (!reduce_by_value(op)) return NULL;
    for (int v = 0; v < op->num_operands; v++)
        if (!neutral_of(g, yield->operands[v]->def, &neutral[v])) return NULL;
    return neutral;
}

static bool is_bool(const Parts *s, Tir x, bool value) {
    uint64_t bits;
    return tir_is_const(s->g->b, x, &bits) && (bits != 0) == value;
}

static Partial nothing(const Parts *s) { return (Partial){NULL, tir_bool(s->g->b, false)}; }

static Partial all_of(const Parts *s, Tir *values) {
    return (Partial){values, tir_bool(s->g->b, true)};
}

/* With what changes nothing where there is nothing. */
static Partial filled(const Parts *s, Partial x) {
    if (!s->neutral || !x.values || is_bool(s, x.has, true)) return x;
    Tir *values = ptx_new_regs(s->g, s->count);
    for (int v = 0; v < s->count; v++)
        values[v] = tir_select(s->g->b, x.has, x.values[v], s->neutral[v]);
    return all_of(s, values);
}

static Partial joined(const Parts *s, Partial left, Partial right) {
    Tirs *b = s->g->b;
    if (is_bool(s, left.has, false)) return right;
    if (is_bool(s, right.has, false)) return left;
    Tir *values = ptx_new_regs(s->g, s->count);
    ptx_combine(s->g, s->op, s->count, left.values, right.values, values);
    for (int v = 0; v < s->count; v++)
        values[v] = tir_select(b, right.has, tir_select(b, left.has, values[v], right.values[v]),
                               left.values[v]);
    return (Partial){values, tir_2(b, TIR_OR_P, left.has, right.has)};
}

/* The register bits, or thread bits, of the index-th place in the order of the scan. */
static uint32_t bits_at(const Parts *s, ScanPart part, int index) {
    uint32_t bits = 0;
    int count = s->parts.count[part];
    if (s->reverse) index = (1 << count) - 1 - index;
    for (int i = 0; i < count; i++)
        if (index >> i & 1) bits |= 1u << s->parts.bits[part][i];
    return bits;
}

static int length_of(const Parts *s, ScanPart part) { return 1 << s->parts.count[part]; }

static Tir thread_bits(const Parts *s, uint32_t mask) {
    return tir_2(s->g->b, TIR_AND32, ptx_thread_id(s->g), tir_i32(s->g->b, mask));
}

/* Whether these bits of the thread's number are those. */
static Tir thread_is(const Parts *s, uint32_t mask, uint32_t bits) {
    bool single = bits == mask && !(mask & (mask - 1)); /* the same instruction as the mask's */
    return single ? ptx_thread_has(s->g, mask)
                  : tir_2(s->g->b, TIR_EQ32, thread_bits(s, mask), tir_i32(s->g->b, bits));
}

static Tir thread_is_not(const Parts *s, uint32_t mask, uint32_t bits) {
    return tir_2(s->g->b, TIR_NE32, thread_bits(s, mask), tir_i32(s->g->b, bits));
}

/* The low registers, in place; returns what they all make. */
static Tir *scan_thread(Parts *s, uint32_t slot) {
    Tir *before = ptx_new_regs(s->g, s->count);
    for (int i = 0; i < length_of(s, SCAN_LOW); i++) {
        uint32_t r = slot | bits_at(s, SCAN_LOW, i);
        Tir *mine = ptx_new_regs(s->g, s->count);
        for (int v = 0; v < s->count; v++) mine[v] = s->regs[v][r];
        if (i) ptx_combine(s->g, s->op, s->count, before, mine, mine);
        for (int v = 0; v < s->count; v++) before[v] = s->regs[v][r] = mine[v];
    }
    return before;
}

/* Those of the lane so many before it in the order of the scan. */
static Tir *from_before(const Parts *s, const Tir *values, int lanes) {
    Tir *moved = ptx_new_regs(s->g, s->count);
    for (int v = 0; v < s->count; v++)
        moved[v] =
            ptx_shuffle(s->g, s->reverse ? "down" : "up", values[v], tir_i32(s->g->b, lanes));
    return moved;
}

/* Are there so many of the axis before this lane? */
static Tir has_before(const Parts *s, int lanes) {
    Tirs *b = s->g->b;
    Tir place = thread_bits(s, s->lane_bits);
    if (!s->reverse && 2 * lanes > (int)s->lane_bits) return ptx_thread_has(s->g, (uint32_t)lanes);
    if (!s->reverse) return tir_2(b, TIR_GE_U32, place, tir_i32(b, lanes));
    return tir_2(b, TIR_LE_U32, place, tir_i32(b, (int64_t)s->lane_bits - lanes));
}

/* What the lanes of a warp make up to each. */
static Tir *scan_lanes(Parts *s, Tir *values) {
    for (int i = 0; i < s->parts.count[SCAN_LANES]; i++) {
        int step = 1 << s->parts.bits[SCAN_LANES][i];
        Tir *before = from_before(s, values, step), *both = ptx_new_regs(s->g, s->count);
        ptx_combine(s->g, s->op, s->count, before, values, both);
        for (int v = 0; v < s->count; v++)
            both[v] = tir_select(s->g->b, has_before(s, step), both[v], values[v]);
        values = both;
    }
    return values;
}

/* What the lanes before each make. */
static Partial lanes_before(const Parts *s, const Tir *values) {
    if (!s->lane_bits) return nothing(s);
    int step = 1 << s->parts.bits[SCAN_LANES][0];
    return filled(s, (Partial){from_before(s, values, step), has_before(s, step)});
}

static Tir shared_place(const Parts *s, int v, Tir thread) {
    int bytes = ptx_lane_bytes(type_lane(s->op->operands[v]->type));
    return tir_2(s->g->b, TIR_MUL32, thread, tir_i32(s->g->b, bytes));
}

enum { CELL_BYTES = 8 }; /* as trips.c counts */

static void store_totals(Parts *s, int base, Tir **totals) {
    Gen *g = s->g;
    uint32_t all = (uint32_t)g->threads - 1;
    int last = length_of(s, SCAN_LANES) - 1, row = g->threads * CELL_BYTES;
    Tir ends = s->lane_bits ? thread_is(s, s->lane_bits, bits_at(s, SCAN_LANES, last)) : 0;
    for (int v = 0; v < s->count; v++) {
        Tir place = shared_place(s, v, thread_bits(s, all & ~s->lane_bits));
        for (int i = 0; i < s->at_once; i++)
            ptx_store_lanes(g, "st.shared",
                            ptx_shared_address(g, base + (v * s->at_once + i) * row, place),
                            type_lane(s->op->operands[v]->type), 1, ends, &totals[s->first + i][v]);
    }
}

/* What the index-th warp of the axis makes. */
static Tir *load_total(const Parts *s, int base, int slot, int index) {
    Gen *g = s->g;
    uint32_t others = (uint32_t)(g->threads - 1) & ~s->lane_bits & ~s->warp_bits;
    int row = g->threads * CELL_BYTES;
    Tir *values = ptx_new_regs(g, s->count);
    for (int v = 0; v < s->count; v++) {
        const Type *lane = type_lane(s->op->operands[v]->type);
        int at = base + (v * s->at_once + slot - s->first) * row +
                 (int)bits_at(s, SCAN_WARPS, index) * ptx_lane_bytes(lane);
        Tir place = shared_place(s, v, thread_bits(s, others));
        ptx_load_lanes(g, "ld.shared", false, ptx_shared_address(g, at, place), lane, 1, 0, NULL,
                       &values[v]);
    }
    return values;
}

/* What the warps before this one make, and all of them. */
static Partial warps_before(Parts *s, int base, int slot, Tir **total) {
    Tirs *b = s->g->b;
    Tir *all = load_total(s, base, slot, 0), *before = ptx_new_regs(s->g, s->count);
    memcpy(before, all, sizeof(Tir) * (size_t)s->count);
    for (int i = 1; i < length_of(s, SCAN_WARPS); i++) {
        Tir is_mine = thread_is(s, s->warp_bits, bits_at(s, SCAN_WARPS, i));
        Tir *more = ptx_new_regs(s->g, s->count);
        for (int v = 0; v < s->count && i > 1; v++)
            before[v] = tir_select(b, is_mine, all[v], before[v]);
        ptx_combine(s->g, s->op, s->count, all, load_total(s, base, slot, i), more);
        all = more;
    }
    *total = all;
    Tir has = thread_is_not(s, s->warp_bits, bits_at(s, SCAN_WARPS, 0));
    return filled(s, (Partial){before, has});
}

static Tir *total_of_lanes(const Parts *s, Tir *values) {
    Tirs *b = s->g->b;
    if (!s->lane_bits) return values;
    Tir *moved = ptx_new_regs(s->g, s->count);
    uint32_t last = bits_at(s, SCAN_LANES, length_of(s, SCAN_LANES) - 1);
    Tir lane = tir_2(b, TIR_OR32, thread_bits(s, 31 & ~s->lane_bits), tir_i32(b, (int64_t)last));
    for (int v = 0; v < s->count; v++) moved[v] = ptx_shuffle(s->g, "idx", values[v], lane);
    return moved;
}

static void put_before(Parts *s, Partial before, uint32_t slot) {
    Tirs *b = s->g->b;
    if (is_bool(s, before.has, false)) return;
    for (int i = 0; i < length_of(s, SCAN_LOW); i++) {
        uint32_t r = slot | bits_at(s, SCAN_LOW, i);
        Tir *mine = ptx_new_regs(s->g, s->count), *both = ptx_new_regs(s->g, s->count);
        for (int v = 0; v < s->count; v++) mine[v] = s->regs[v][r];
        ptx_combine(s->g, s->op, s->count, before.values, mine, both);
        for (int v = 0; v < s->count; v++)
            s->regs[v][r] = tir_select(b, before.has, both[v], mine[v]);
    }
}

static Parts parts_of(Gen *g, const Op *op, const ScanParts *parts) {
    Parts s = {.g = g, .op = op, .parts = *parts, .count = op->num_operands};
    int regs = layout_regs(type_layout(op->operands[0]->type));
    s.reverse = scan_reverse(op) != 0;
    s.neutral = neutrals_of(g, op);
    for (int i = 0; i < parts->count[SCAN_LANES]; i++)
        s.lane_bits |= 1u << parts->bits[SCAN_LANES][i];
    for (int i = 0; i < parts->count[SCAN_WARPS]; i++)
        s.warp_bits |= 1u << parts->bits[SCAN_WARPS][i];
    s.slots = regs >> parts->count[SCAN_LOW];
    s.regs = arena_array(g->arena, Tir *, s.count);
    for (int v = 0; v < s.count; v++) {
        s.regs[v] = ptx_new_regs(g, regs);
        memcpy(s.regs[v], ptx_regs_of(g, op->operands[v]), sizeof(Tir) * (size_t)regs);
    }
    return s;
}

/* Slots one after another: those of one place on the other axes, in the order of the scan. */
static uint32_t *slots_of(const Parts *s) {
    uint32_t *slots = arena_array(s->g->arena, uint32_t, s->slots), axis = 0;
    int high = length_of(s, SCAN_HIGH), count = 0;
    for (int part = 0; part < NUM_SCAN_PARTS; part++)
        for (int i = 0; i < s->parts.count[part]; i++)
            if (part == SCAN_LOW || part == SCAN_HIGH) axis |= 1u << s->parts.bits[part][i];
    for (uint32_t r = 0; count < s->slots; r++)
        for (int h = 0; h < high && !(r & axis); h++) slots[count++] = r | bits_at(s, SCAN_HIGH, h);
    return slots;
}

/* The totals of the slots from `first` on; returns where they are. */
static int tell_totals(Parts *s, int first, int at_once, Tir **totals) {
    s->first = first, s->at_once = at_once;
    if (first + at_once > s->slots) s->at_once = s->slots - first;
    int base = ptx_shared_begin(s->g, s->at_once * scan_row_bytes(s->g->fn, s->op));
    store_totals(s, base, totals);
    ptx_barrier(s->g);
    return base;
}

/* ---- what warps make, scanned by each of them ----
 *
 * It lies in shared memory in the order of the scan, that of a slot of all warps, then the next
 * slot. A lane has `run` in a row, as many as there are warps or a part of that: what comes before
 * this warp is at the same place of each run that ends before it. */

/* The number of this warp in the order of the scan. */
static Tir warp_in_order(const Parts *s) {
    Tirs *b = s->g->b;
    Tir warp = tir_2(b, TIR_SHR_U32, ptx_thread_id(s->g), tir_i32(b, LANE_BITS));
    return s->reverse ? tir_2(b, TIR_XOR32, warp, tir_i32(b, length_of(s, SCAN_WARPS) - 1)) : warp;
}

static void tell_in_order(const Parts *s, int base, Tir **totals) {
    Gen *g = s->g;
    int last = length_of(s, SCAN_LANES) - 1, warps = length_of(s, SCAN_WARPS);
    Tir ends = thread_is(s, s->lane_bits, bits_at(s, SCAN_LANES, last));
    for (int v = 0; v < s->count; v++) {
        const Type *lane = type_lane(s->op->operands[v]->type);
        Tir place = shared_place(s, v, warp_in_order(s));
        for (int i = 0; i < s->slots; i++) {
            int at = base + (v * s->slots * CELL_BYTES + i * ptx_lane_bytes(lane)) * warps;
            ptx_store_lanes(g, "st.shared", ptx_shared_address(g, at, place), lane, 1, ends,
                            &totals[i][v]);
        }
    }
}

/* The run of this lane, of the slots from `first` on: [place][value]. */
static void load_run(const Parts *s, int base, int first, int run, Tir **values) {
    enum { ACCESS = 16 };
    Gen *g = s->g;
    int warps = length_of(s, SCAN_WARPS);
    Tir lanes[ACCESS];
    for (int v = 0; v < s->count; v++) {
        const Type *lane = type_lane(s->op->operands[v]->type);
        int bytes = ptx_lane_bytes(lane), width = bytes < 4 ? 1 : ACCESS / bytes;
        if (width > run) width = run;
        int at = base + (v * s->slots * CELL_BYTES + first * bytes) * warps;
        Tir place = tir_2(g->b, TIR_MUL32, thread_bits(s, 31), tir_i32(g->b, run * bytes));
        for (int i = 0; i < run; i += width) {
            ptx_load_lanes(g, "ld.shared", false, ptx_shared_address(g, at + i * bytes, place),
                           lane, width, 0, NULL, lanes);
            for (int k = 0; k < width; k++) values[i + k][v] = lanes[k];
        }
    }
}

/* Of each run, what it makes with all before it up to the place that comes before this warp. */
static Tir *before_warps(const Parts *s, int base, int first, int run) {
    Tirs *b = s->g->b;
    Parts up = *s; /* places are in the order of the scan */
    up.reverse = false;
    Tir **values = arena_array(s->g->arena, Tir *, run), *mine = ptx_new_regs(s->g, s->count);
    for (int i = 0; i < run; i++) values[i] = ptx_new_regs(s->g, s->count);
    load_run(s, base, first, run, values);
    Tir warp = tir_2(b, TIR_ADD32, warp_in_order(s), tir_i32(b, -1));
    Tir place = tir_2(b, TIR_AND32, warp, tir_i32(b, run - 1));
    memcpy(mine, values[0], sizeof(Tir) * (size_t)s->count);
    for (int i = 1; i < run; i++) {
        Tir is_mine = tir_2(b, TIR_EQ32, place, tir_i32(b, i));
        ptx_combine(s->g, s->op, s->count, values[i - 1], values[i], values[i]);
        for (int v = 0; v < s->count; v++) mine[v] = tir_select(b, is_mine, values[i][v], mine[v]);
    }
    Partial before = lanes_before(&up, scan_lanes(&up, values[run - 1]));
    return joined(&up, before, all_of(&up, mine)).values;
}

static void put_warps_before(Parts *s, int base, const uint32_t *slots, const Partial *before) {
    Tirs *b = s->g->b;
    int high = length_of(s, SCAN_HIGH), warps = length_of(s, SCAN_WARPS), run = high * warps / 32;
    Tir warp = warp_in_order(s), *all = NULL, shift = tir_i32(b, log2_floor(run));
    Tir lane = tir_2(b, TIR_SHR_S32, tir_2(b, TIR_ADD32, warp, tir_i32(b, -1)), shift);
    for (int i = 0; i < s->slots; i++) {
        if (i % high == 0) all = before_warps(s, base, i, run);
        Tir *moved = ptx_new_regs(s->g, s->count);
        Tir from = tir_2(b, TIR_ADD32, lane, tir_i32(b, i % high * warps / run));
        for (int v = 0; v < s->count; v++) moved[v] = ptx_shuffle(s->g, "idx", all[v], from);
        Partial made = all_of(s, moved);
        if (i % high == 0) made.has = tir_2(b, TIR_NE32, warp, tir_i32(b, 0));
        put_before(s, joined(s, filled(s, made), before[i]), slots[i]);
    }
}

static void scan_in_parts(Gen *g, const Op *op, const ScanParts *parts) {
    Parts s = parts_of(g, op, parts);
    uint32_t *slots = slots_of(&s);
    int base = 0, high = length_of(&s, SCAN_HIGH), at_once = scan_slots_at_once(g->fn, op, s.slots);
    bool is_one = !parts->count[SCAN_LOW]; /* what lanes make up to it is the register's */
    Tir **totals = arena_array(g->arena, Tir *, s.slots);
    Partial *before = arena_array(g->arena, Partial, s.slots), all = nothing(&s);
    for (int i = 0; i < s.slots; i++) {
        totals[i] = scan_lanes(&s, scan_thread(&s, slots[i]));
        before[i] = is_one ? nothing(&s) : lanes_before(&s, totals[i]);
        for (int v = 0; v < s.count && is_one; v++) s.regs[v][slots[i]] = totals[i][v];
    }
    if (parts->anew) {
        base = ptx_shared_begin(g, scan_anew_bytes(g->fn, op, s.slots));
        tell_in_order(&s, base, totals);
        ptx_barrier(g);
        put_warps_before(&s, base, slots, before);
    }
    for (int i = 0; i < s.slots && !parts->anew; i++) {
        Partial warps = nothing(&s);
        if (s.warp_bits && i % at_once == 0) base = tell_totals(&s, i, at_once, totals);
        if (s.warp_bits)
            warps = warps_before(&s, base, i, &totals[i]);
        else if (high > 1)
            totals[i] = total_of_lanes(&s, totals[i]);
        if (i % high == 0) all = nothing(&s);
        put_before(&s, joined(&s, joined(&s, all, warps), before[i]), slots[i]);
        all = joined(&s, all, all_of(&s, totals[i]));
    }
    for (int v = 0; v < s.count; v++) ptx_define(g, &op->results[v], s.regs[v]);
}

/* ---- bit by bit ----
 *
 * For each bit b of the axis from the lowest: lanes with the bit take in the total of the block of
 * 2^b lanes before theirs, which is the value of its last lane (bit clear, lower bits set).
 * Reversed: the other way round. */

typedef struct Scanner {
    Gen *g;
    const Op *op;
    const Layout *layout;
    int count;
    bool reverse;
    Tir **regs;
    uint32_t low_regs, low_threads; /* register and thread bits of the axis below b */
    uint32_t bit_reg, bit_thread;   /* that of b: one of them is 0 */
} Scanner;

static uint32_t moved(const Scanner *s, uint32_t x, uint32_t low, uint32_t bit) {
    return s->reverse ? (x & ~low) | bit : (x | low) & ~bit;
}

static Tir source_thread(const Scanner *s) {
    Tirs *b = s->g->b;
    Tir tid = ptx_thread_id(s->g);
    uint32_t all = (uint32_t)s->g->threads - 1;
    uint32_t set = s->reverse ? s->bit_thread : s->low_threads,
             clear = s->reverse ? s->low_threads : s->bit_thread;
    tid = tir_2(b, TIR_AND32, tid, tir_i32(b, all & ~set & ~clear));
    return tir_2(b, TIR_OR32, tid, tir_i32(b, set));
}

/* Those of so many registers, through shared memory. */
static void exchange_round(Scanner *s, Tir source, const int *list, int count, Tir **totals) {
    Gen *g = s->g;
    int row = g->threads * CELL_BYTES, base = ptx_shared_begin(g, s->count * count * row);
    for (int pass = 0, at = base; pass < 2; pass++, at = base) {
        for (int v = 0; v < s->count; v++) {
            const Type *lane = type_lane(s->op->operands[v]->type);
            int bytes = ptx_lane_bytes(lane);
            Tir place =
                tir_2(g->b, TIR_MUL32, pass ? source : ptx_thread_id(g), tir_i32(g->b, bytes));
            for (int i = 0; i < count; i++, at += row) {
                Tir address = ptx_shared_address(g, at, place), *to = &totals[v][list[i]];
                if (pass)
                    ptx_load_lanes(g, "ld.shared", false, address, lane, 1, 0, NULL, to);
                else
                    ptx_store_lanes(g, "st.shared", address, lane, 1, 0, &s->regs[v][list[i]]);
            }
        }
        if (!pass) ptx_barrier(g);
    }
}

/* totals[v][r] for source registers r (those that some register moves to). */
static void exchange_totals(Scanner *s, const bool *needed, Tir **totals) {
    Gen *g = s->g;
    int regs = layout_regs(s->layout), slots = 0;
    uint32_t threads = s->low_threads | s->bit_thread;
    for (int r = 0; r < regs; r++) slots += needed[r];
    if (!threads) {
        for (int v = 0; v < s->count; v++)
            for (int r = 0; r < regs; r++) totals[v][r] = s->regs[v][r];
        return;
    }
    Tir source = source_thread(s);
    if (!(threads >> LANE_BITS)) {
        Tir lane = tir_2(g->b, TIR_AND32, source, tir_i32(g->b, 31));
        for (int v = 0; v < s->count; v++)
            for (int r = 0; r < regs; r++)
                if (needed[r]) totals[v][r] = ptx_shuffle(g, "idx", s->regs[v][r], lane);
        return;
    }
    int *list = arena_array(g->arena, int, slots), count = 0;
    for (int r = 0; r < regs; r++)
        if (needed[r]) list[count++] = r;
    int at_once = scan_slots_at_once(g->fn, s->op, slots);
    for (int first = 0; first < slots; first += at_once)
        exchange_round(s, source, list + first, slots - first < at_once ? slots - first : at_once,
                       totals);
}

static void scan_bit(Scanner *s) {
    Gen *g = s->g;
    int regs = layout_regs(s->layout);
    bool *needed = arena_array(g->arena, bool, regs);
    Tir **totals = arena_array(g->arena, Tir *, s->count);
    for (int v = 0; v < s->count; v++) totals[v] = ptx_new_regs(g, regs);
    for (int r = 0; r < regs; r++) needed[moved(s, (uint32_t)r, s->low_regs, s->bit_reg)] = true;
    exchange_totals(s, needed, totals);
    Tir *left = ptx_new_regs(g, s->count), *right = ptx_new_regs(g, s->count),
        *result = ptx_new_regs(g, s->count);
    Tir upper = 0;
    if (s->bit_thread) {
        upper = ptx_thread_has(g, s->bit_thread);
        if (s->reverse) upper = tir_1(g->b, TIR_NOT_P, upper);
    }
    Tir **out = arena_array(g->arena, Tir *, s->count);
    for (int v = 0; v < s->count; v++) out[v] = ptx_new_regs(g, regs);
    for (int r = 0; r < regs; r++) {
        bool takes = !s->bit_reg || (((uint32_t)r & s->bit_reg) != 0) != s->reverse;
        uint32_t from = moved(s, (uint32_t)r, s->low_regs, s->bit_reg);
        for (int v = 0; v < s->count; v++) right[v] = s->regs[v][r], left[v] = totals[v][from];
        if (takes) ptx_combine(g, s->op, s->count, left, right, result);
        for (int v = 0; v < s->count; v++)
            out[v][r] = !takes  ? right[v]
                        : upper ? tir_select(g->b, upper, result[v], right[v])
                                : result[v];
    }
    s->regs = out;
}

static void scan_by_bits(Gen *g, const Op *op) {
    const Type *in = op->operands[0]->type;
    const Layout *layout = type_layout(in);
    uint32_t axis = tile_dim_bits(in, (int)scan_axis(op));
    BitPlace places[MAX_TILE_BITS];
    if (!layout_places(layout, places)) BUG("layout is not unit");
    Scanner s = {.g = g, .op = op, .layout = layout, .count = op->num_operands};
    s.reverse = scan_reverse(op) != 0;
    s.regs = arena_array(g->arena, Tir *, s.count);
    for (int v = 0; v < s.count; v++) s.regs[v] = ptx_regs_of(g, op->operands[v]);
    for (int bit = 0; bit < layout->tile_bits; bit++) {
        if (!(axis >> bit & 1)) continue;
        BitPlace place = places[bit];
        s.bit_reg = place.kind == KIND_REG ? 1u << place.bit : 0;
        s.bit_thread = place.kind == KIND_LANE   ? 1u << place.bit
                       : place.kind == KIND_WARP ? 1u << (LANE_BITS + place.bit)
                                                 : 0;
        scan_bit(&s);
        s.low_regs |= s.bit_reg;
        s.low_threads |= s.bit_thread;
    }
    for (int v = 0; v < s.count; v++) ptx_define(g, &op->results[v], s.regs[v]);
}

void ptx_scan(Gen *g, const Op *op) {
    ScanParts parts;
    if (scan_parts(op, &parts))
        scan_in_parts(g, op, &parts);
    else
        scan_by_bits(g, op);
}
