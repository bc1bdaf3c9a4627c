// SPDX-License-Identifier: Apache-2.0
/* verify_place: the rules of placed form. Each tile has a place that covers it, on the threads that
 * the function has; an op's places fit each other: lane by lane ops have one, shape ops tie the
 * operand's to the result's, the others are free; and no scratch is written that somebody may still
 * read. */
#include "ir/verify.h"
#include "ir/arch.h"
#include "ir/trips.h"
#include "ir/under_way.h"

#include <limits.h>

/* ---- the function ---- */

static bool check_registers(Verifier *v, const Place *place, int warp_bits) {
    const Layout *layout = &place->layout;
    BitPlace places[MAX_TILE_BITS];
    if (layout->num[KIND_LANE] != LANE_BITS)
        return verify_bad(v, NULL, "#%d has %d bits of a lane, not %d", place->number,
                          layout->num[KIND_LANE], LANE_BITS);
    if (layout->num[KIND_WARP] != warp_bits)
        return verify_bad(v, NULL, "#%d has %d bits of a warp; num_warps = %d has %d",
                          place->number, layout->num[KIND_WARP], v->fn->num_warps, warp_bits);
    for (int i = 0; i < layout->num[KIND_REG]; i++)
        if (!layout->column[KIND_REG][i])
            return verify_bad(v, NULL, "#%d holds lanes twice in one thread", place->number);
    return layout_places(layout, places) ||
           verify_bad(v, NULL, "#%d does not hold each bit of the tile's index once",
                      place->number);
}

bool verify_form(Verifier *v) {
    const Func *fn = v->fn;
    int warp_bits = 0;
    v->has_atomics = func_has_atomics(fn);
    bool has_block = fn->block[0] || fn->block[1] || fn->block[2];
    if (func_has_threads(fn)) return verify_thread_form(v);
    if (has_block) return verify_bad(v, NULL, "a block of threads, but not in thread form");
    if (fn->form == FORM_PROGRAM) {
        return !fn->target.length || verify_bad(v, NULL, "a target in program form");
    }
    if (!arch_find(fn->target))
        return verify_bad(v, NULL, "there is no GPU target '%.*s'", STR_ARG(fn->target));
    while (warp_bits < MAX_WARP_BITS && 1 << warp_bits < fn->num_warps) warp_bits++;
    if (1 << warp_bits != fn->num_warps)
        return verify_bad(v, NULL, "num_warps = %d in placed form", fn->num_warps);
    const Place *place;
    for (int i = 0; (place = place_at(fn->types, i)); i++)
        if (!place->shared && !check_registers(v, place, warp_bits)) return false;
    return true;
}

bool verify_place(Verifier *v, const Op *op, const Type *type) {
    const Place *place = type->place;
    if (!type_is_tile(type)) return true;
    if (v->fn->form == FORM_THREAD)
        return verify_bad(v, op, "%s in thread form", verify_text_of(v, type));
    if (v->fn->form != FORM_PLACED)
        return !place || verify_bad(v, op, "%s has a place in %s form", verify_text_of(v, type),
                                    v->fn->form == FORM_SPREAD ? "spread" : "program");
    if (!place) return verify_bad(v, op, "%s has no place", verify_text_of(v, type));
    int bits = place->shared ? place->swizzle.bits : place->layout.tile_bits;
    return 1 << bits == type->lanes ||
           verify_bad(v, op, "#%d has %d lanes, not those of %s", place->number, 1 << bits,
                      verify_text_of(v, type));
}

/* ---- ops ---- */

static bool in_registers(Verifier *v, const Op *op) {
    for (int i = 0; i < op->num_operands + op->num_results; i++) {
        const Type *type =
            i < op->num_operands ? op->operands[i]->type : op->results[i - op->num_operands].type;
        bool multiplied = op->kind == OP_DOT && i < 2; /* check_dot says how */
        if (type->place && type->place->shared && !multiplied)
            return verify_bad(v, op, "%s is in shared memory", verify_text_of(v, type));
    }
    return true;
}

/* Of the tiles from operand `first` on and all results. */
static bool one_place(Verifier *v, const Op *op, int first) {
    const Type *one = NULL;
    for (int i = first; i < op->num_operands + op->num_results; i++) {
        const Type *type =
            i < op->num_operands ? op->operands[i]->type : op->results[i - op->num_operands].type;
        if (!type_is_tile(type)) continue;
        if (one && one->place != type->place)
            return verify_bad(v, op, "places differ: %s and %s", verify_text_of(v, one),
                              verify_text_of(v, type));
        one = type;
    }
    return true;
}

/* The op's own rule ties what `layout` is of to `type`. */
static bool has_layout(Verifier *v, const Op *op, const Type *type, Layout layout) {
    return layout_equal(type_layout(type), &layout) ||
           verify_bad(v, op, "%s does not lie as the op moves it", verify_text_of(v, type));
}

static bool can_split(Verifier *v, const Op *op, const Type *type) {
    return layout_can_split(type_layout(type)) ||
           verify_bad(v, op, "the two of %s are in different threads", verify_text_of(v, type));
}

/* A tile of a ring, in panels, looked at the other way. */
static bool is_turned(const Op *op) {
    const Type *a = op->operands[0]->type;
    return op->kind == OP_TRANS && a->rank == 2 && a->place && a->place->shared;
}

static bool check_turned(Verifier *v, const Op *op) {
    const Type *a = op->operands[0]->type, *r = op->results[0].type;
    int dim = tile_panel_dim(a);
    return (r->place->shared && dim >= 0 && tile_panel_dim(r) == 1 - dim) ||
           verify_bad(v, op, "%s does not lie as %s does", verify_text_of(v, r),
                      verify_text_of(v, a));
}

static bool check_shape_op(Verifier *v, const Op *op) {
    const Type *a = op->operands[0]->type, *r = op->results[0].type;
    if (op->kind == OP_JOIN && (!one_place(v, op, op->num_operands) || !can_split(v, op, r)))
        return false;
    if (op->kind == OP_SPLIT && (!one_place(v, op, 1) || !can_split(v, op, a))) return false;
    if (!type_is_tile(a) || !type_is_tile(r)) return true;
    Layout layout = layout_of_operand(op, type_layout(r));
    for (int i = 0; i < op->num_operands; i++)
        if (!has_layout(v, op, op->operands[i]->type, layout)) return false;
    return true;
}

static bool check_reduce(Verifier *v, const Op *op) {
    const Type *a = op->operands[0]->type;
    for (int i = 1; i < op->num_operands; i++)
        if (op->operands[i]->type->place != a->place)
            return verify_bad(v, op, "places differ: %s and %s", verify_text_of(v, a),
                              verify_text_of(v, op->operands[i]->type));
    for (int i = 0; i < op->num_results; i++)
        if (type_is_tile(op->results[i].type) &&
            !has_layout(v, op, op->results[i].type, layout_reduced(op, type_layout(a))))
            return false;
    return true;
}

static bool check_convert(Verifier *v, const Op *op) {
    const Type *a = op->operands[0]->type, *r = op->results[0].type;
    if (r->place->shared)
        return verify_bad(v, op, "to shared memory, where only the tiles of rings are");
    return a->place != r->place || verify_bad(v, op, "to the place where it is");
}

/* Are so many lanes along some dimension in the first registers? (That they are neighbours in
 * memory too is a fact about addresses.) */
static bool check_width(Verifier *v, const Op *op, int64_t width) {
    const Type *pointer = access_pointer(op)->type;
    if (!one_place(v, op, 0)) return false;
    if (!type_is_tile(pointer))
        return !width || verify_bad(v, op, "width = %lld of one lane", (long long)width);
    int bytes = type_size_bytes(type_lane(pointer)->elem), most = 0;
    TileShape shape = tile_shape(pointer);
    for (int d = 0; d < pointer->rank; d++) {
        int bits = layout_vector_bits(type_layout(pointer), tile_bit_of_dim(&shape, d));
        if (bits > shape.log2[d]) bits = shape.log2[d];
        if (bits > most) most = bits;
    }
    if (width < 1 || width & (width - 1) || width > 16 / bytes)
        return verify_bad(v, op, "width = %lld: expected a power of two, at most 16 bytes",
                          (long long)width);
    return width <= 1 << most || verify_bad(v, op, "width = %lld, but a thread has %d in a row",
                                            (long long)width, 1 << most);
}

/* Several lanes by one instruction: where there is one. */
static bool check_atomic(Verifier *v, const Op *op) {
    int64_t width = atomic_rmw_width(op);
    if (!width) return one_place(v, op, 0);
    return width <= atomic_most_at_once(op, arch_find(v->fn->target))
               ? check_width(v, op, width)
               : verify_bad(v, op, "width = %lld of an atomic that has not so many lanes at once",
                            (long long)width);
}

static bool is_shared(const Type *type) { return type->place->shared; }

/* By mma.sync m16n8: a and b from registers, or from the tiles of rings; b alone too. */
static bool check_mma(Verifier *v, const Op *op) {
    const Type *a = dot_a(op)->type, *b = dot_b(op)->type, *product = op_result(op)->type;
    const Arch *arch = arch_find(v->fn->target);
    int k = dot_mma_k(op, arch), warps_m, warps_n;
    if (!k)
        return verify_bad(v, op, "mma of %s does not take %s x %s + %s", arch->name,
                          verify_text_of(v, a), verify_text_of(v, b), verify_text_of(v, product));
    if (!dot_fits_mma(op, arch))
        return verify_bad(v, op, "mma takes at least 16x%d by %dx8, without a batch, not %s x %s",
                          k, k, verify_text_of(v, a), verify_text_of(v, b));
    if (is_shared(a) && !is_shared(b))
        return verify_bad(v, op, "a is in shared memory and b, %s, is not", verify_text_of(v, b));
    TileShape shape = tile_shape(product);
    dot_warps(product, type_layout(product), &warps_m, &warps_n);
    Layout wanted = layout_mma(shape.log2[0], shape.log2[1], warps_m, warps_n);
    return layout_equal(type_layout(product), &wanted) ||
           verify_bad(v, op, "%s does not lie as mma leaves it", verify_text_of(v, product));
}

/* By warps in groups of four: a and b from registers, or from tiles of rings that lie in panels. */
static bool check_wgmma(Verifier *v, const Op *op) {
    const Type *product = op_result(op)->type;
    const Arch *arch = arch_find(v->fn->target);
    int warps_m, warps_n;
    if (dot_why_no_wgmma(op, arch, v->fn->num_warps))
        return verify_bad(v, op, "wgmma of %s by %d warps does not take %s x %s + %s", arch->name,
                          v->fn->num_warps, verify_text_of(v, dot_a(op)->type),
                          verify_text_of(v, dot_b(op)->type), verify_text_of(v, product));
    for (int i = 0; i < 2; i++) {
        const Type *tile = op->operands[i]->type;
        int dim = is_shared(tile) ? tile_panel_dim(tile) : 1 - i;
        if (dim < 0 || (dot_wants_k_rows(op) && dim != 1 - i))
            return verify_bad(v, op, "%s does not lie in panels that wgmma takes",
                              verify_text_of(v, tile));
    }
    TileShape shape = tile_shape(product);
    wgmma_warps(product, v->fn->num_warps, &warps_m, &warps_n);
    Layout wanted = layout_wgmma(shape.log2[0], shape.log2[1], warps_m, warps_n);
    if (!layout_equal(type_layout(product), &wanted))
        return verify_bad(v, op, "%s does not lie as wgmma leaves it", verify_text_of(v, product));
    v->has_async |= dot_async(op) != 0;
    return !dot_async(op) || dot_may_go_on(op) ||
           verify_bad(v, op,
                      "async, but not added up in its type, or what it multiplies is in scratch");
}

/* The sum lies where the product does: what is multiplied may lie otherwise. */
static bool check_dot(Verifier *v, const Op *op) {
    if (!one_place(v, op, 2)) return false;
    if (dot_unit(op) == UNIT_NONE)
        return verify_bad(v, op, "unit is missing: placed form says who multiplies");
    if (dot_unit(op) == UNIT_WGMMA) return check_wgmma(v, op);
    if (dot_async(op)) return verify_bad(v, op, "async, but not by wgmma");
    if (dot_unit(op) == UNIT_MMA) return check_mma(v, op);
    for (int i = 0; i < 2; i++)
        if (is_shared(op->operands[i]->type))
            return verify_bad(v, op, "fma multiplies what is in registers, not %s",
                              verify_text_of(v, op->operands[i]->type));
    return true;
}

/* Of thread form: an access and those of the lanes behind it. */
static bool check_at_once(Verifier *v, const Op *op, int64_t width) {
    const Type *lane = op->kind == OP_LOAD ? op_result(op)->type : store_value(op)->type;
    bool fine = width > 1 && width <= MAX_WIDE_LANES && !(width & (width - 1)) &&
                lane->kind != TYPE_PTR && !type_is_bool(lane) &&
                width * type_size_bytes(lane) <= 16;
    return fine || verify_bad(v, op, "width = %lld: expected a power of two, at most 16 bytes",
                              (long long)width);
}

/* What only placed form has. */
static bool check_program(Verifier *v, const Op *op) {
    int64_t width = op->kind == OP_LOAD         ? load_width(op)
                    : op->kind == OP_STORE      ? store_width(op)
                    : op->kind == OP_FILL       ? fill_width(op)
                    : op->kind == OP_ATOMIC_RMW ? atomic_rmw_width(op)
                                                : 0;
    if (op->kind == OP_CONVERT) return verify_bad(v, op, "in program form");
    bool at_once = v->fn->form == FORM_THREAD && (op->kind == OP_LOAD || op->kind == OP_STORE);
    if (width && at_once) return check_at_once(v, op, width);
    if (width) return verify_bad(v, op, "width in program form");
    if (op->kind == OP_COMMIT || (op->kind == OP_READY && ready_pending(op)))
        return verify_bad(v, op, "groups of copies in program form");
    if (op->kind == OP_SETTLE || (op->kind == OP_DOT && dot_async(op)))
        return verify_bad(v, op, "products under way in program form");
    if (op->kind == OP_MEET && meet_offset(op)) return verify_bad(v, op, "offset in program form");
    if (op->barrier || op->num_trips) return verify_bad(v, op, "fences in program form");
    return op->kind != OP_DOT || dot_unit(op) == UNIT_NONE ||
           verify_bad(v, op, "unit in program form");
}

/* ---- scratch ---- */

void verify_paths_meet(Verifier *v) {
    if (v->isolated_depth) return; /* what combines two elements has no scratch */
    v->busy_start = 0, v->busy_end = INT_MAX;
}

static bool leaves_shared(Op *op, void *user) {
    (void)user;
    return !op->num_trips && !is_turn_op(op) && op->kind != OP_RING; /* false ends the walk */
}

bool verify_leaves_shared(const Op *loop) {
    for (int r = 0; r < loop->num_regions; r++)
        if (!region_walk(loop->regions[r], leaves_shared, NULL)) return false;
    return true;
}

static bool check_trip(Verifier *v, const Op *op, Trip trip, int bytes) {
    int64_t end = (int64_t)trip.offset + bytes;
    const Arch *arch = arch_find(v->fn->target);
    if (trip.offset % SCRATCH_ALIGNMENT)
        return verify_bad(v, op, "scratch at %d, not a multiple of %d", trip.offset,
                          SCRATCH_ALIGNMENT);
    if (end > arch->shared_limit)
        return verify_bad(v, op, "scratch to %lld; a block of %s has %d bytes", (long long)end,
                          arch->name, arch->shared_limit);
    if (!trip.wait && trip.offset < v->busy_end && end > v->busy_start)
        return verify_bad(v, op, "scratch [%d, %lld) may still be read: nobody waited since",
                          trip.offset, (long long)end);
    v->busy_start = trip.offset, v->busy_end = (int)end; /* its own barrier ended all before */
    return true;
}

/* An op without trips that needs some is of a function that is not fenced yet. */
static bool check_fences(Verifier *v, const Op *op) {
    int bytes[MAX_TRIPS];
    if (op->barrier && !access_pointer(op) && op->kind != OP_ACQUIRE)
        return verify_bad(v, op, "barrier on no access");
    if (op->barrier || op->kind == OP_BARRIER || (op->kind == OP_READY && !ready_own(op)))
        v->busy_start = v->busy_end = 0;
    /* A turn that is released may still be read by threads that are behind. */
    bool loops = op->num_regions && op->kind != OP_IF && !op_has_trait(op, ISOLATED) &&
                 !verify_leaves_shared(op);
    if (loops || op->kind == OP_RELEASE) verify_paths_meet(v);
    if (!op->num_trips) return true;
    int count = op_trips(v->fn, v->has_atomics, op, bytes);
    if (count != op->num_trips)
        return verify_bad(v, op, "scratch for %d trips, not %d", op->num_trips, count);
    for (int i = 0; i < count; i++)
        if (!check_trip(v, op, op->trips[i], bytes[i])) return false;
    return true;
}

/* ---- clusters ---- */

typedef struct Apart {
    const Verifier *v;
    const Op *meet;
} Apart;

static bool meets_bytes(const Op *meet, int64_t start, int64_t end) {
    return meet_offset(meet) < end && meet_offset(meet) + meet_bytes(meet) > start;
}

/* Another block may write to what a `meet` has at any time. */
static bool is_apart(Op *op, void *user) {
    const Apart *a = user;
    int bytes[MAX_TRIPS];
    if (op == a->meet) return true;
    if (op->kind == OP_RING) return !meets_bytes(a->meet, ring_offset(op), ring_end(op));
    if (op->kind == OP_MEET)
        return !meets_bytes(a->meet, meet_offset(op), meet_offset(op) + meet_bytes(op));
    op_trips(a->v->fn, a->v->has_atomics, op, bytes);
    for (int i = 0; i < op->num_trips; i++)
        if (meets_bytes(a->meet, op->trips[i].offset, op->trips[i].offset + bytes[i])) return false;
    return true;
}

/* Offset 0 is of a function that is not fenced yet. */
static bool check_meet(Verifier *v, const Op *op) {
    Apart a = {v, op};
    const Arch *arch = arch_find(v->fn->target);
    int64_t offset = meet_offset(op), most = arch->shared_limit;
    if (arch->number < 90) return verify_bad(v, op, "%s has no clusters", arch->name);
    if (!offset) return true;
    if (offset < 0 || offset % SCRATCH_ALIGNMENT || offset > most - meet_bytes(op))
        return verify_bad(v, op, "offset = %lld", (long long)offset);
    return region_walk(v->fn->body, is_apart, &a) ||
           verify_bad(v, op, "what other blocks write lies where there is something else");
}

/* ---- products under way ---- */

static bool is_settled(void *user, const Op *op, int pending) {
    return verify_bad(user, op, "disturbs a product under way: settle {pending = %d} is missing",
                      pending);
}

bool verify_under_way(Verifier *v) { return under_way_walk(v->fn, is_settled, v); }

/* ---- all ---- */

static bool check_op_places(Verifier *v, const Op *op) {
    if (op->kind == OP_TRANS && is_turned(op)) return check_turned(v, op);
    if (op->kind != OP_PEEK && op->kind != OP_CONVERT && !in_registers(v, op)) return false;
    switch (op->kind) {
    case OP_BROADCAST:
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
    case OP_TRANS:
    case OP_JOIN:
    case OP_SPLIT: return check_shape_op(v, op);
    case OP_CONVERT: return check_convert(v, op);
    case OP_REDUCE: return check_reduce(v, op);
    case OP_GATHER: return one_place(v, op, 1);
    case OP_FILL: return fill_width(op) ? check_width(v, op, fill_width(op)) : one_place(v, op, 2);
    case OP_DOT: return check_dot(v, op);
    case OP_SETTLE:
        return (settle_pending(op) >= 0 && settle_pending(op) <= MOST_UNDER_WAY) ||
               verify_bad(v, op, "%lld products under way, expected 0 to %d",
                          (long long)settle_pending(op), MOST_UNDER_WAY);
    case OP_LOAD: return check_width(v, op, load_width(op));
    case OP_MEET: return check_meet(v, op);
    case OP_STORE: return check_width(v, op, store_width(op));
    case OP_STOW:
    case OP_FETCH: return true; /* the types say all */
    case OP_ATOMIC_RMW: return check_atomic(v, op);
    case OP_HISTOGRAM:
        return op->num_operands < 2 ||
               op->operands[0]->type->place == op->operands[1]->type->place ||
               verify_bad(v, op, "places of values and mask differ");
#define LANE(kind, ...)    case OP_##kind:
#define PERMUTE(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_ATOMIC_CAS:
    case OP_SCAN:
    case OP_ASSERT:
    case OP_INLINE_ASM: return one_place(v, op, 0);
#define LEAF(kind, ...)    case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
#define THREAD(kind, ...) case OP_##kind:
#define BLOCK(kind, ...)  case OP_##kind:
#include "ir/ops.def"
    case OP_RING:
    case OP_ACQUIRE:
    case OP_FILL_BOX:
    case OP_COMMIT:
    case OP_PUT:
    case OP_READY:
    case OP_PEEK:
    case OP_RELEASE:
    case OP_SPLAT:
    case OP_BARRIER:
    case OP_ASSUME:
    case OP_PRINT:
    case OP_CLOCK: return true; /* the types say all */
    case NUM_OP_KINDS: break;
    }
    return true;
}

bool verify_places(Verifier *v, const Op *op) {
    if (!verify_thread_op(v, op)) return false;
    if (v->fn->form != FORM_PLACED) return check_program(v, op);
    return check_op_places(v, op) && check_fences(v, op);
}
