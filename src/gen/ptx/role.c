// SPDX-License-Identifier: Apache-2.0
/* role: kernels whose rings are filled by warps of their own (opt/gpu/roles.c).
 *
 *     thread 0 makes the mbarriers, two for each turn of a ring: full, for which each thread of the
 *     producer arrives, and empty, for which each warp of the consumers does;  bar.sync 0
 *
 *     consumers: the first threads             producer: the last four warps
 *       setmaxnreg.inc                           setmaxnreg.dec
 *       ready: wait for full, fence.proxy        acquire: wait for empty
 *       release: arrive at empty                 fill: cp.async ..; with the turn's last,
 *                                                cp.async.mbarrier.arrive.noinc at full
 *
 * Turn n is the n / stages-th of its slot: an mbarrier's phases come in turns of 0 and 1. Consumers
 * meet at barrier 1. From the second ring on, and where scratch may lie where a ring does, all meet
 * before it, at an mbarrier.
 *
 * Without a producer (opt/gpu/flat.c) thread 0 does what it would where the fills are, between the
 * others' turns. */
#include "gen/ptx/gen.h"
#include "ir/trips.h"
#include "ir/turn.h"

/* ---- instructions ---- */

Tir ptx_mbarrier(Gen *g, const char *text, int count, const Tir *args, bool tells) {
    Tir index;
    TirIns *ins = tir_ins(g->b, TIR_ASM, text, count, args, &index);
    ins->pinned = true;
    return tells ? tir_results(g->b, index, CLASS_PRED, 1) : 0;
}

void ptx_mbarrier_wait(Gen *g, Tir barrier, Tir parity) {
    int again = tir_new_label(g->b);
    tir_label(g->b, again);
    Tir there = ptx_mbarrier(g, "mbarrier.try_wait.parity.shared.b64 $0, [$1], $2;", 2,
                             (Tir[]){barrier, parity}, true);
    tir_branch(g->b, again, there, true);
}

/* ---- rings ---- */

bool ptx_has_producer(const Gen *g) { return g->roles && !g->roles->flat; }

bool ptx_is_of_roles(const Gen *g, const Op *op) {
    return g->roles && is_turn_op(op) && g->barriers[turn_ring(op)->id];
}

/* The consumers' rings whose fills have gone; all of the producer's. */
static bool is_filled_by_producer(const Gen *g, const Op *ring) {
    if (g->is_producer) return true;
    const Region *body = g->fn->body;
    const Value *of = op_result(ring);
    return ring_stages(ring) > 1 && !region_has_of_ring(body, OP_FILL, of) &&
           !region_has_of_ring(body, OP_PUT, of) && region_uses_ring(body, of);
}

static void make_barriers(Gen *g, const RoleRing *ring);

static Tir meeting(Gen *g) { return ptx_shared_address(g, g->roles->meeting, tir_i32(g->b, 0)); }

/* Producer and consumers come by an instruction each, and synccheck finds fault with two bar.sync,
 * with a count, too: they meet at an mbarrier, each time in its next phase. */
static void meet(Gen *g, const Op *at) {
    g->met |= !at->parent->owner;
    if (g->roles->flat) {
        tir_plain(g->b, "bar.sync 0;");
        return;
    }
    if (op_is_in_loop(at)) BUG("producer and consumers meet in a loop");
    Tir barrier = meeting(g);
    ptx_mbarrier(g, "mbarrier.arrive.shared.b64 _, [$0];", 1, &barrier, false);
    ptx_mbarrier_wait(g, barrier, tir_i32(g->b, g->meetings++ & 1));
}

/* Who waits for a turn has seen that the mbarriers are made; who fills it made them. */
void ptx_role_enter(Gen *g, const Op *loop) {
    for (int i = 0; i < g->roles->num_rings && !g->met; i++)
        if (g->roles->rings[i].loop == loop && !g->roles->rings[i].in_loop) meet(g, loop);
}

void ptx_role_ring(Gen *g, const Op *ring) {
    bool flat = g->roles->flat;
    if (flat && !region_has_of_ring(g->fn->body, OP_FILL_BOX, op_result(ring))) return;
    if (!flat && !is_filled_by_producer(g, ring)) return;
    if (g->next_ring == g->roles->num_rings) BUG("a ring more in one role");
    const RoleRing *of = &g->roles->rings[g->next_ring++];
    g->barriers[op_result(ring)->id] = of->barriers;
    if (of->in_loop || (of->meets && of->boxes)) tir_plain(g->b, "fence.proxy.async.shared::cta;");
    if (of->meets) meet(g, ring);
    if (of->in_loop) make_barriers(g, of);
}

/* full of the turn's slot; empty is behind the ring's last. */
static Tir barrier_of(Gen *g, const Op *op, bool empty, Tir *round) {
    const Op *ring = turn_ring(op)->def;
    int at = g->barriers[turn_ring(op)->id];
    if (empty) at += ROLE_BARRIER * (int)ring_stages(ring);
    Tir slot = ptx_turn_slot(g, op, round);
    return ptx_shared_address(g, at, tir_2(g->b, TIR_MUL32, slot, tir_i32(g->b, ROLE_BARRIER)));
}

static Tir parity_of(Gen *g, Tir round) { return tir_2(g->b, TIR_AND32, round, tir_i32(g->b, 1)); }

static const RoleRing *of_ring(const Gen *g, const Value *ring) {
    const RoleRing *of = g->roles->rings;
    while (of->barriers != g->barriers[ring->id]) of++;
    return of;
}

/* Nobody fills the turn's slot again: what is left of the function has nothing to do with it. */
static bool is_last(const RoleRing *of, const Op *release) {
    Value *ring = turn_ring(release);
    if (of->again && release->parent->owner == of->loop) return true;
    for (const Op *op = release; op; op = op->parent->owner) {
        if (op->kind == OP_FOR || op->kind == OP_WHILE) return false;
        for (const Op *next = op->next; next; next = next->next)
            if (op_uses_ring(next, ring)) return false;
        if (op->parent == ring->def->parent) return true;
    }
    return true;
}

/* Products by wgmma have read for all lanes once one has settled them. */
static bool reads_by_lanes(Op *op, void *ring) {
    for (int i = 0; i < op->num_operands && op->kind != OP_DOT && op->kind != OP_TRANS; i++) {
        const Op *peek = op->operands[i]->def;
        while (peek && peek->kind == OP_TRANS) peek = peek->operands[0]->def;
        if (peek && peek->kind == OP_PEEK && turn_ring(peek) == ring) return false;
    }
    return true;
}

/* Turn -1 is nobody's. */
static void release(Gen *g, const Op *op) {
    Tir n = ptx_scalar_of(g, turn_number(op)), zero = tir_i32(g->b, 0);
    int skip = tir_new_label(g->b);
    if (is_last(of_ring(g, turn_ring(op)), op)) return;
    if (!region_walk(g->fn->body, reads_by_lanes, turn_ring(op)))
        tir_plain(g->b, "bar.warp.sync -1;");
    Tir lane = tir_2(g->b, TIR_AND32, ptx_thread_id(g), tir_i32(g->b, 31));
    tir_branch(g->b, skip, tir_2(g->b, TIR_EQ32, lane, zero), true);
    int scope = tir_enter(g->b);
    Tir nobodys = tir_2(g->b, TIR_LT_S32, n, zero);
    if (!tir_is_const(g->b, nobodys, &(uint64_t){0})) tir_branch(g->b, skip, nobodys, false);
    Tir barrier = barrier_of(g, op, true, NULL);
    ptx_mbarrier(g, "mbarrier.arrive.shared.b64 _, [$0];", 1, &barrier, false);
    tir_leave(g->b, scope);
    tir_label(g->b, skip);
}

/* Of the producer. Where ptxas sees which one is left, it puts no loop around the instructions that
 * want their operands in registers of the warp. */
static Tir is_not_first(Gen *g) {
    return tir_2(g->b, TIR_NE32, tir_special(g->b, CLASS_B32, "%tid.x", 0),
                 tir_i32(g->b, 32 * g->roles->consumers->num_warps));
}

/* The first turns' slots are empty. */
static void acquire(Gen *g, const Op *op) {
    Tir round, barrier = barrier_of(g, op, true, &round);
    uint64_t first;
    if (tir_is_const(g->b, round, &first) && !first) return;
    ptx_mbarrier_wait(g, barrier, tir_2(g->b, TIR_XOR32, parity_of(g, round), tir_i32(g->b, 1)));
}

static void ready(Gen *g, const Op *op) {
    Tir round, barrier = barrier_of(g, op, false, &round);
    ptx_mbarrier_wait(g, barrier, parity_of(g, round));
    /* What threads copied is seen by wgmma, too; boxes come as it reads. */
    if (!of_ring(g, turn_ring(op))->boxes) tir_plain(g->b, "fence.proxy.async.shared::cta;");
    if (!op_is_in_loop(op) && of_ring(g, turn_ring(op))->waits) ptx_barrier(g);
}

/* Without a producer, before the loop: `fence` counted on that. */
static bool is_waited_for(const Gen *g, const Op *acquire) {
    const RoleRing *of = of_ring(g, turn_ring(acquire));
    return acquire->barrier && !of->meets && !of->in_loop && !op_is_in_loop(acquire);
}

void ptx_role_turn(Gen *g, const Op *op) {
    if (op->kind == OP_RELEASE) release(g, op);
    if (op->kind == OP_ACQUIRE && !g->roles->flat) acquire(g, op);
    if (op->kind == OP_ACQUIRE && g->roles->flat && is_waited_for(g, op)) ptx_barrier(g);
    if (op->kind == OP_READY) ready(g, op);
}

static bool is_same_turn(const Op *fill, const Op *other) {
    return other->kind == fill->kind && turn_ring(other) == turn_ring(fill) &&
           turn_number(other) == turn_number(fill);
}

void ptx_role_filled(Gen *g, const Op *fill) {
    for (const Op *op = fill->next; op; op = op->next)
        if (is_same_turn(fill, op)) return;
    Tir barrier = barrier_of(g, fill, false, NULL);
    ptx_mbarrier(g, "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", 1, &barrier, false);
}

/* ---- boxes ---- */

typedef struct Panels {               /* of a part: rows of up to 128 bytes */
    int bytes, row_bytes, span, rows; /* of the part, its rows, those of a panel; how many */
} Panels;

static Panels panels_of(const Type *part, const Box *box) {
    int fast = box->dims[0].tile_dim, size = type_size_bytes(part);
    Panels p = {.row_bytes = part->shape[fast] * size, .rows = part->shape[1 - fast]};
    p.span = p.row_bytes < PANEL_SPAN ? p.row_bytes : PANEL_SPAN;
    p.bytes = p.row_bytes * p.rows;
    return p;
}

static int param_of(const Gen *g, const Value *value) {
    for (int i = 0; i < g->fn->num_params; i++)
        if (g->fn->params[i].value == value) return i;
    BUG("a box of no parameter");
    return -1;
}

static MapNumber map_number(const Gen *g, BoxNumber number) {
    MapNumber of = {number.number, number.num_params, {0}, number.is_narrow};
    for (int i = 0; i < number.num_params; i++) of.params[i] = param_of(g, number.params[i]);
    return of;
}

static MapRecipe recipe_of(const Gen *g, const Type *part, const Box *box) {
    Panels p = panels_of(part, box);
    MapRecipe map = {.base = param_of(g, box->base),
                     .element_bytes = type_size_bytes(part),
                     .rank = box->rank,
                     .swizzle = p.span};
    for (int d = 0; d < box->rank; d++) {
        const BoxDim *dim = &box->dims[d];
        bool ends = dim->size.number || dim->size.num_params;
        map.dims[d] = (MapDim){.size = ends ? map_number(g, dim->size)
                                            : (MapNumber){MAP_NO_SIZE, 0, {0}, false},
                               .stride = map_number(g, dim->stride),
                               .box = 1};
    }
    map.dims[0].box = p.span / map.element_bytes;
    map.dims[1].box = p.rows < BOX_LONGEST ? p.rows : BOX_LONGEST;
    return map;
}

static void expect(Gen *g, const Op *fill, Tir barrier) {
    int bytes = 0;
    for (const Op *op = fill; op; op = op->next)
        if (op == fill || is_same_turn(fill, op))
            bytes += panels_of(turn_ring(op)->type->parts[turn_part(op)],
                               &g->roles->boxes.data[fill_box_box(op)])
                         .bytes;
    ptx_mbarrier(
        g, str_format(g->arena, "mbarrier.arrive.expect_tx.shared.b64 _, [$0], %d;", bytes).data, 1,
        &barrier, false);
}

/* Of a box, as arguments `first` .. */
static void put_coordinates(Buf *text, const MapRecipe *map, const Tir *at, Tir *args, int first) {
    for (int d = 0; d < map->rank; d++) {
        buf_printf(text, "%s$%d", d ? ", " : "", first + d);
        args[first + d] = at[d];
    }
}

static void copy_box(Gen *g, const MapRecipe *map, Tir to, const Tir *at, Tir barrier) {
    Tir args[3 + MAP_DIMS] = {to, ptx_map_address(g, map), barrier};
    Buf text = {.arena = g->arena};
    buf_printf(&text,
               "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[$0], [$1, {",
               map->rank);
    put_coordinates(&text, map, at, args, 3);
    buf_printf(&text, "}], [$2];");
    ptx_mbarrier(g, buf_str(&text).data, 3 + map->rank, args, false);
}

static void note_box(Gen *g, const MapRecipe *map) {
    Str name = g->fn->params[map->base].name;
    ptx_note(g, str_format(g->arena, "copies of %.*s: boxes of %dx%d by one thread (TMA)",
                           STR_ARG(name), map->dims[1].box, map->dims[0].box));
}

static void fill_box(Gen *g, const Op *op) {
    const Box *box = &g->roles->boxes.data[fill_box_box(op)];
    const Type *part = turn_ring(op)->type->parts[turn_part(op)];
    Panels p = panels_of(part, box);
    MapRecipe map = recipe_of(g, part, box);
    Tir barrier = barrier_of(g, op, false, NULL), to = ptx_turn_address(g, op);
    note_box(g, &map);
    for (int panel = 0; panel < p.row_bytes / p.span; panel++)
        for (int row = 0; row < p.rows; row += map.dims[1].box) {
            Tir at[MAP_DIMS];
            for (int d = 0; d < map.rank; d++) at[d] = ptx_scalar_of(g, op->operands[2 + d]);
            at[0] = tir_2(g->b, TIR_ADD32, at[0], tir_i32(g->b, panel * map.dims[0].box));
            at[1] = tir_2(g->b, TIR_ADD32, at[1], tir_i32(g->b, row));
            int offset = (panel * p.rows + row) * p.span;
            copy_box(g, &map, tir_2(g->b, TIR_ADD32, to, tir_i32(g->b, offset)), at, barrier);
        }
}

/* One warp waits, and of that one thread copies. Were the wait in what one thread does alone, ptxas
 * 13.0 would take nothing of the loop for the same in all of a warp. */
static void acquire_by_warp(Gen *g, const Op *fill, int skip) {
    Tir round, zero = tir_i32(g->b, 0);
    uint64_t first;
    ptx_turn_slot(g, fill, &round);
    if (tir_is_const(g->b, round, &first) && !first) return;
    tir_branch(g->b, skip, tir_2(g->b, TIR_NE32, g->warp, zero), false);
    acquire(g, fill);
}

/* again: they are there, from before. */
static void init_barriers(Gen *g, const RoleRing *ring, bool again) {
    for (int i = 0; i < 2 * ring->stages; i++) {
        Tir barrier = ptx_shared_address(g, ring->barriers + i * ROLE_BARRIER, tir_i32(g->b, 0));
        int filler = ring->boxes ? 1 : ROLE_THREADS;
        int arrivals = i < ring->stages ? filler : g->roles->consumers->num_warps;
        if (again) ptx_mbarrier(g, "mbarrier.inval.shared.b64 [$0];", 1, &barrier, false);
        const char *text =
            str_format(g->arena, "mbarrier.init.shared.b64 [$0], %d;", arrivals).data;
        ptx_mbarrier(g, text, 1, &barrier, false);
    }
    if (again) tir_plain(g->b, "fence.mbarrier_init.release.cluster;");
}

/* The ring that begins anew with this turn, in a loop over tiles; or NULL. */
static const RoleRing *made_again(const Gen *g, const Op *fill) {
    const RoleRing *of = of_ring(g, turn_ring(fill));
    int64_t turn;
    bool first = value_is_int(turn_number(fill), &turn) && turn == 0;
    return of->again && first && op_is_in_loop(fill) ? of : NULL;
}

/* Without roles the first of a turn's fills stands for all of them. */
void ptx_role_fill_box(Gen *g, const Op *op) {
    bool first = true, flat = g->roles->flat;
    for (const Op *before = op->prev; before; before = before->prev)
        first = first && !is_same_turn(op, before);
    if (flat && !first) return;
    int skip = tir_new_label(g->b), scope = tir_enter(g->b);
    const RoleRing *again = flat ? made_again(g, op) : NULL;
    if (again) tir_plain(g->b, "bar.sync 0;");
    if (flat) acquire_by_warp(g, op, skip);
    if (!g->roles->alone)
        tir_branch(g->b, skip, tir_2(g->b, TIR_NE32, ptx_thread_id(g), tir_i32(g->b, 0)), false);
    if (again) init_barriers(g, again, true);
    if (first) expect(g, op, barrier_of(g, op, false, NULL));
    for (const Op *other = op; other; other = flat ? other->next : NULL)
        if (other == op || is_same_turn(op, other)) fill_box(g, other);
    tir_leave(g->b, scope);
    tir_label(g->b, skip);
}

/* ---- boxes that are stored ---- */

static void store_box(Gen *g, const MapRecipe *map, const Tir *at, Tir from) {
    Tir args[2 + MAP_DIMS] = {ptx_map_address(g, map), from};
    Buf text = {.arena = g->arena};
    buf_printf(&text, "cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group [$0, {",
               map->rank);
    put_coordinates(&text, map, at, args, 2);
    buf_printf(&text, "}], [$1];");
    ptx_mbarrier(g, buf_str(&text).data, 2 + map->rank, args, false);
}

/* Those of the rows of four warps, or of all. */
typedef struct Sender {
    int rows;
    Tir first_row;
    Tir is_not_one; /* of its threads, which sends */
    Tir barrier;    /* at which these four warps meet; 0: all do */
} Sender;

/* Barriers 0 and 1 are those of all threads, and of all consumers. */
static Sender sender_of(Gen *g, const BoxStore *out) {
    enum { FIRST_BARRIER = 2 };
    Tir zero = tir_i32(g->b, 0), thread = ptx_thread_id(g);
    Sender s = {.rows = out->value->type->shape[0], .first_row = zero};
    if (out->by_groups) {
        s.rows /= 2;
        s.first_row = tir_2(g->b, TIR_MUL32, g->warp_group, tir_i32(g->b, s.rows));
        s.barrier = tir_2(g->b, TIR_ADD32, g->warp_group, tir_i32(g->b, FIRST_BARRIER));
        thread = tir_2(g->b, TIR_AND32, thread, tir_i32(g->b, ROLE_THREADS - 1));
    }
    s.is_not_one = tir_2(g->b, TIR_NE32, thread, zero);
    return s;
}

static int rows_out(const Type *part, const Box *box, const Sender *s) {
    return panels_of(part, box).rows / part->shape[0] * s->rows;
}

/* With two barriers and predicates, ptxas 13.0 has the products wait for each other (C7514). */
static void meet_sender(Gen *g, const Sender *s) {
    if (s->barrier)
        ptx_mbarrier(g, "bar.sync $0, 128;", 1, &s->barrier, false);
    else
        ptx_barrier(g);
}

static MapRecipe recipe_out(const Gen *g, const BoxStore *out, int rows) {
    MapRecipe map = recipe_of(g, out->value->type, &g->roles->boxes.data[out->box]);
    map.stores = true;
    if (map.dims[1].box > rows) map.dims[1].box = rows;
    return map;
}

/* Boxes of the sender's rows; their map, and how many of these rows it takes at once. */
static MapRecipe map_out(Gen *g, const BoxStore *out, const Sender *s) {
    int rows = rows_out(out->value->type, &g->roles->boxes.data[out->box], s);
    MapRecipe map = recipe_out(g, out, rows);
    Str name = g->fn->params[map.base].name;
    ptx_note(g, str_format(g->arena, "stores to %.*s: boxes of %dx%d by one thread (TMA)",
                           STR_ARG(name), map.dims[1].box, map.dims[0].box));
    return map;
}

/* A panel's, which lies from `offset` on. */
static void store_panel(Gen *g, const BoxStore *out, const Sender *s, const MapRecipe *map,
                        int panel, int offset) {
    const Box *box = &g->roles->boxes.data[out->box];
    int rows = rows_out(out->value->type, box, s), span = panels_of(out->value->type, box).span;
    for (int row = 0; row < rows; row += map->dims[1].box) {
        Tir at[MAP_DIMS];
        for (int d = 0; d < map->rank; d++) at[d] = ptx_scalar_of(g, out->at[d]);
        at[0] = tir_2(g->b, TIR_ADD32, at[0], tir_i32(g->b, panel * map->dims[0].box));
        at[1] =
            tir_2(g->b, TIR_ADD32, tir_2(g->b, TIR_ADD32, at[1], s->first_row), tir_i32(g->b, row));
        Tir ahead = tir_2(g->b, TIR_MUL32, s->first_row, tir_i32(g->b, span));
        store_box(g, map, at, ptx_shared_address(g, offset + row * span, ahead));
    }
}

static void send(Gen *g, const BoxStore *out, const Sender *s, const MapRecipe *map, int first,
                 int end, int offset, bool commits) {
    int skip = tir_new_label(g->b);
    Panels p = panels_of(out->value->type, &g->roles->boxes.data[out->box]);
    tir_plain(g->b, "fence.proxy.async.shared::cta;");
    meet_sender(g, s);
    tir_branch(g->b, skip, s->is_not_one, false);
    int scope = tir_enter(g->b);
    for (int panel = first; panel < end; panel++)
        store_panel(g, out, s, map, panel, offset + (panel - first) * p.rows * p.span);
    if (commits) tir_plain(g->b, "cp.async.bulk.commit_group;");
    tir_leave(g->b, scope);
    tir_label(g->b, skip);
}

/* All wait, though one has stored: with a predicate there ptxas 13.0 takes the products for unended
 * where the sums are read, and has them wait for each other (C7514). */
static void wait_for_stores(Gen *g, const Sender *s, const char *until) {
    tir_plain(g->b, until);
    meet_sender(g, s);
}

static void box_out(Gen *g, const BoxStore *out) {
    const Type *part = out->value->type;
    const Box *box = &g->roles->boxes.data[out->box];
    int bytes = 2 * part->lanes;
    Panels p = panels_of(part, box);
    SharedTile tile = {.swizzle = tile_panels(part, box->dims[0].tile_dim, 2),
                       .lane = type_lane(part),
                       .offset = out->convert->trips[0].offset,
                       .bytes = bytes};
    Sender sender = sender_of(g, out);
    if (tile.offset + bytes > g->shared_size) g->shared_size = tile.offset + bytes;
    wait_for_stores(g, &sender, "cp.async.bulk.wait_group 0;");
    ptx_shared_store(g, &tile, type_layout(part), ptx_regs_of(g, out->value));
    MapRecipe map = map_out(g, out, &sender);
    send(g, out, &sender, &map, 0, p.row_bytes / p.span, tile.offset, true);
}

/* A panel after the other, by buffers in turns: one is written again when what it held has been
 * read. Tiles of a loop of the source come in their order. */
static void panels_out(Gen *g, const BoxStore *out) {
    const Type *part = out->value->type;
    int size = type_size_bytes(part), columns = PANEL_SPAN / size;
    int panel_bits = __builtin_ctz((unsigned)columns);
    const Layout *whole = type_layout(part);
    const Tir *regs = ptx_regs_of(g, out->round ? out->round->operands[0] : out->value);
    int row_bits = __builtin_ctz((unsigned)part->shape[0]);
    int column_bits = __builtin_ctz((unsigned)part->shape[1]);
    uint32_t other = ((1u << column_bits) - 1) & ~(unsigned)(columns - 1);
    Layout layout = layout_restrict(whole, ((1u << whole->tile_bits) - 1) & ~other);
    int bytes = part->shape[0] * PANEL_SPAN, count = layout_regs(&layout);
    Sender sender = sender_of(g, out);
    MapRecipe map = map_out(g, out, &sender);
    Tir *lanes = ptx_new_regs(g, count);
    const char *read =
        str_format(g->arena, "cp.async.bulk.wait_group.read %d;", out->panels - 1).data;
    int panels = part->shape[1] / columns;
    for (int panel = 0; panel < panels; panel++) {
        bool commits = !g->roles->few || out->panels < panels || panel + 1 == panels;
        SharedTile tile = {.swizzle = swizzle_panels(0, panel_bits, panel_bits, row_bits, size),
                           .lane = type_lane(part),
                           .offset = out->scratch + panel % out->panels * bytes,
                           .bytes = bytes};
        for (int r = 0; r < count; r++) {
            uint32_t at = layout_index(&layout, (uint32_t)r, 0, 0);
            uint32_t column = (at & (uint32_t)(columns - 1)) | (uint32_t)panel << panel_bits;
            lanes[r] = regs[layout_reg_of(whole, at >> panel_bits << column_bits | column)];
            if (out->round) lanes[r] = ptx_lane(g, out->round, &lanes[r]);
        }
        if (!panel && !g->roles->walks && !g->roles->few)
            wait_for_stores(g, &sender, "cp.async.bulk.wait_group 0;");
        else if (panel >= out->panels || g->roles->walks)
            wait_for_stores(g, &sender, read);
        ptx_shared_store(g, &tile, &layout, lanes);
        send(g, out, &sender, &map, panel, panel + 1, tile.offset, commits);
    }
}

bool ptx_role_out(Gen *g, const Op *op) {
    const BoxStore *out = g->roles ? g->roles->out : NULL;
    if (!out || g->is_producer) return false;
    if (op != out->store && op != out->convert && op != out->round) return false;
    if (op == out->store && out->panels) panels_out(g, out);
    if (op == out->store && !out->panels) box_out(g, out);
    return true;
}

/* ---- the kernel ---- */

/* One thread fills all rings: it makes their mbarriers, too, and begins to copy before the others
 * have seen them. */
static bool makes_alone(const Gen *g) { return g->roles->few; }

/* The hardware reads a map before it copies by it: that is on its way while addresses are made. */
static bool prefetch_map(Op *op, void *user) {
    Gen *g = user;
    if (op->kind != OP_FILL_BOX) return true;
    const Type *part = turn_ring(op)->type->parts[turn_part(op)];
    MapRecipe map = recipe_of(g, part, &g->roles->boxes.data[fill_box_box(op)]);
    int known = g->facts->maps.count;
    Tir address = ptx_map_address(g, &map);
    if (known < g->facts->maps.count)
        ptx_mbarrier(g, "prefetch.tensormap [$0];", 1, &address, false);
    return true;
}

static void prefetch_out(Gen *g, const BoxStore *out) {
    int rows = rows_out(out->value->type, &g->roles->boxes.data[out->box],
                        &(Sender){.rows = out->value->type->shape[0] / (out->by_groups ? 2 : 1)});
    MapRecipe map = recipe_out(g, out, rows);
    Tir address = ptx_map_address(g, &map);
    ptx_mbarrier(g, "prefetch.tensormap [$0];", 1, &address, false);
}

static void prefetch_maps(Gen *g) {
    Func *fn = g->fn;
    if (!g->roles->flat) g->fn = g->roles->producer;
    region_walk(g->fn->body, prefetch_map, g);
    g->fn = g->roles->consumers;
    if (g->roles->few && g->roles->out) prefetch_out(g, g->roles->out);
    g->fn = fn;
}

/* Those of all rings, or again those of one. */
static void make_barriers(Gen *g, const RoleRing *ring) {
    bool alone = !ring && makes_alone(g);
    int done = tir_new_label(g->b);
    tir_branch(g->b, done,
               alone ? is_not_first(g) : tir_2(g->b, TIR_NE32, ptx_thread_id(g), tir_i32(g->b, 0)),
               false);
    int scope = tir_enter(g->b);
    if (!ring && (alone || g->roles->flat)) prefetch_maps(g);
    bool used = ring != NULL;
    for (int r = 0; r < g->roles->num_rings; r++) {
        const RoleRing *of = &g->roles->rings[r];
        if (!ring || ring == of) init_barriers(g, of, ring != NULL);
        used |= !of->in_loop;
    }
    if (!ring && g->roles->meeting) {
        Tir barrier = meeting(g);
        int all = 32 * g->roles->consumers->num_warps + ROLE_THREADS;
        const char *text = str_format(g->arena, "mbarrier.init.shared.b64 [$0], %d;", all).data;
        ptx_mbarrier(g, text, 1, &barrier, false);
    }
    if (used && !ring && g->roles->boxes.count)
        tir_plain(g->b, "fence.mbarrier_init.release.cluster;");
    tir_leave(g->b, scope);
    tir_label(g->b, done);
    if (ring || (!g->roles->flat && !alone)) tir_plain(g->b, "bar.sync 0;");
}

static Gen of_role(const Gen *g, Func *fn, bool is_producer) {
    Gen of = *g;
    of.fn = fn, of.is_producer = is_producer, of.meetings = 0;
    of.regs = arena_array(g->arena, Tir *, fn->num_values);
    of.barriers = arena_array(g->arena, int, fn->num_values);
    of.axis = facts_compute(g->arena, fn);
    if (is_producer) of.threads = ROLE_THREADS, of.warp_bits = 2;
    return of;
}

static void run(Gen *g, Func *fn, bool is_producer) {
    Gen of = of_role(g, fn, is_producer);
    if (makes_alone(g)) {
        int all = 32 * g->roles->consumers->num_warps + ROLE_THREADS;
        tir_plain(g->b,
                  str_format(g->arena, "bar.%s 0, %d;", is_producer ? "arrive" : "sync", all).data);
    }
    int registers = is_producer ? g->roles->producer_registers : g->roles->consumer_registers;
    if (registers)
        tir_plain(g->b, str_format(g->arena, "setmaxnreg.%s.sync.aligned.u32 %d;",
                                   is_producer ? "dec" : "inc", registers)
                            .data);
    int end = tir_new_label(g->b);
    if (is_producer && g->roles->alone)
        tir_branch(g->b, end,
                   g->roles->tiles ? is_not_first(g)
                                   : tir_2(g->b, TIR_NE32, ptx_thread_id(&of), tir_i32(g->b, 0)),
                   false);
    int scope = tir_enter(g->b);
    ptx_function(&of);
    tir_leave(g->b, scope);
    tir_label(g->b, end);
    if (is_producer && g->roles->alone) tir_plain(g->b, "ret;");
    of.fn = g->fn, of.regs = g->regs, of.barriers = g->barriers, of.axis = g->axis;
    of.threads = g->threads, of.warp_bits = g->warp_bits, of.is_producer = false;
    *g = of;
    if (g->next_ring != g->roles->num_rings) BUG("a ring less in one role");
    g->next_ring = 0;
}

/* What the producer holds from turn to turn: seen when it is lowered, for nothing else. */
static int alive(const Gen *g, const Roles *roles) {
    Gen of = of_role(g, roles->producer, true);
    GenFacts facts = {0};
    of.facts = &facts, of.roles = roles;
    of.b = tir_new(g->arena);
    ptx_function(&of);
    tir_mark(of.b);
    tir_order(of.b);
    return of.b->alive_at_heads;
}

/* Of 32 bits a tile goes out as boxes where blocks walk, else by lanes, which takes longer than to
 * walk over one program (i8 128x256 2048 19.0 us, 21.0; H200). */
static bool is_narrow(Op *op, void *user) {
    (void)user;
    return op->kind != OP_STORE || type_bits(type_lane(store_value(op)->type)) <= 16;
}

static int few_blocks(const Roles *roles) {
    if (!region_walk(roles->consumers->body, is_narrow, NULL)) return 0;
    return roles->few ? roles->blocks : roles->walks;
}

const Roles *ptx_find_roles(Gen *g) {
    const char *why = NULL;
    Roles *roles = g->has_wgmma ? roles_of(g->arena, g->fn, g->options->maps, g->options->walks,
                                           g->options->few, &why)
                                : NULL;
    for (int i = 0; roles && i < roles->num_rings; i++)
        if (roles->rings[i].why)
            ptx_note(g, str_format(g->arena, "no boxes: %s", roles->rings[i].why));
    if (roles && !roles_deal_out(roles, alive(g, roles))) roles = NULL, why = "no registers left";
    g->facts->walks = roles && roles->walks ? roles->blocks : 0;
    g->facts->few = roles ? few_blocks(roles) : 0;
    if (why) ptx_note(g, str_format(g->arena, "no roles: %s", why));
    why = NULL;
    if (!roles && g->has_wgmma && g->options->maps) roles = roles_flat(g->arena, g->fn, &why);
    if (why) ptx_note(g, str_format(g->arena, "no boxes: %s", why));
    if (roles && roles->not_out)
        ptx_note(g, str_format(g->arena, "no box is stored: %s", roles->not_out));
    if (roles) g->barriers = arena_array(g->arena, int, g->fn->num_values);
    g->facts->needs = roles ? roles->needs : NULL;
    if (g->facts->needs) ptx_note(g, STR("boxes where indices are inside: each launch is asked"));
    return roles;
}

void ptx_flat(Gen *g) {
    Gen of = of_role(g, g->roles->consumers, false);
    g->fn = of.fn, g->regs = of.regs, g->barriers = of.barriers, g->axis = of.axis;
    Tir warp = tir_2(g->b, TIR_SHR_U32, ptx_thread_id(g), tir_i32(g->b, LANE_BITS));
    g->warp = ptx_shuffle(g, "idx", warp, tir_i32(g->b, 0));
    make_barriers(g, NULL);
    ptx_function(g);
    if (g->next_ring != g->roles->num_rings) BUG("a ring less in one role");
    if (g->shared_size > g->roles->barriers) BUG("scratch where the barriers are");
    g->shared_size = g->roles->end;
}

void ptx_roles(Gen *g) {
    Tir tid = ptx_thread_id(g);
    Tir group = tir_2(g->b, TIR_SHR_U32, tid, tir_i32(g->b, 7));
    if (!g->warp_group) g->warp_group = ptx_shuffle(g, "idx", group, tir_i32(g->b, 0));
    int producer = tir_new_label(g->b);
    make_barriers(g, NULL);
    tir_branch(g->b, producer,
               tir_2(g->b, TIR_GE_U32, g->warp_group, tir_i32(g->b, g->threads / ROLE_THREADS)),
               false);
    run(g, g->roles->consumers, false);
    tir_label(g->b, producer);
    run(g, g->roles->producer, true);
    if (g->shared_size > g->roles->barriers) BUG("scratch where the barriers are");
    g->shared_size = g->roles->end;
    const char *registers = "";
    if (g->roles->consumer_registers)
        registers = str_format(g->arena, "; registers: %d of theirs, %d of the others",
                               g->roles->producer_registers, g->roles->consumer_registers)
                        .data;
    ptx_note(g, str_format(g->arena, "roles: 4 warps more fill the ring%s", registers));
    if (g->roles->walks)
        ptx_note(g,
                 g->facts->few
                     ? STR("blocks walk over the programs, where there are more than run at a time")
                     : STR("blocks walk over the programs"));
    else if (g->roles->few)
        ptx_note(g, STR("no more programs than run at a time"));
}
