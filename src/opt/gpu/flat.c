// SPDX-License-Identifier: Apache-2.0
/* flat: rings that one thread of the block fills with boxes, where no warps of their own do.
 *
 *     ready %r, %n                          all wait until the boxes of turn %n have come
 *     %a = peek %r, %n;  dot %a, ..    ->
 *     release %r, %n - 1                    each warp says that it has read turn %n - 1
 *     if ..: acquire %r, %n + 2             one thread waits until all have,
 *            fill %r, %n + 2, %p                and begins the copies of turn %n + 2
 *
 * As with roles (roles.c) a turn is full and empty by mbarriers, so that its loop has no barrier of
 * the block: a group of warps goes on until it wants what another has not left yet. No thread has
 * addresses or masks to compute, nor copies to begin, but that one.
 *
 * sm_90a, products by wgmma, rings that boxes alone fill. What the block reads in the loop nobody
 * may write: `fence` took the turn's `ready` for a barrier, and boxes are read past what threads
 * write. So nothing goes through scratch there, either. */
#include "ir/trips.h"
#include "opt/roles.h"

/* Of an instruction; with 256 a turn is so long that copies by all threads take as much of it: of
 * 128x256 in 3 turns boxes came too late (688 for 712 TFLOP/s at 4096), in 4 it was the same. */
enum { MOST_COLUMNS = 128 };

/* Rows of fewer bytes, of all that fills a ring, TMA brings slowly: 128x64 of f16 in rows of 64, by
 * rows of the same, 349 TFLOP/s at 4096, and 394 by cp.async; i8 630 and 764, tf32 220 and 265. Of
 * f16 and f8 boxes are 1 to 3 % faster where a thread adds up 128 sums. */
enum { LEAST_ROW = 128, MANY_SUMS = 128 };

/* A third block of so many sums is no gain, but programs end in rounds of fewer (i8 856 -> 922). */
enum { MOST_BLOCKS = 2 };

typedef struct Flat {
    Arena *arena;
    Func *fn;
    const Facts *facts;
    bool has_atomics;
    const char *why; /* not */
    Op *ring;        /* that is looked at */
    Op *loop;        /* in which it is read */
    bool filled;
    int sums, dots;  /* of a thread, in the loop; how many products */
    bool is_short;   /* what is multiplied: floats of 16 bits or fewer */
    bool is_large;   /* the one product of a ring of boxes: of many sums */
    VEC(Op *) rings; /* of boxes */
    bool tiles;      /* the one of a loop over tiles, whose scratch lies behind it */
} Flat;

static bool refuse(Flat *f, const char *why) {
    f->why = why;
    return false;
}

/* ---- what stands in the way ---- */

typedef struct Reader {
    const Flat *f;
    const Op *op;
} Reader;

static bool spares(Op *op, void *user) {
    const Reader *r = user;
    if (op->kind == OP_STORE)
        return !facts_may_alias(r->f->facts, store_pointer(op), access_pointer(r->op));
    return is_ring_op(op) || !op_writes_memory(op);
}

static bool nobody_writes(Flat *f, const Op *op) {
    Reader reader = {f, op};
    return region_walk(f->fn->body, spares, &reader) || refuse(f, "what the kernel may write");
}

/* Of one instruction: what no warp has a part of. */
static int columns_of(const Op *dot) {
    const Type *sums = op_result(dot)->type;
    const Layout *layout = type_layout(sums);
    int columns = sums->shape[1];
    for (int i = 0; i < layout->num[KIND_WARP]; i++) {
        uint32_t column = layout->column[KIND_WARP][i];
        if (column && column < (uint32_t)sums->shape[1]) columns /= 2;
    }
    return columns;
}

static bool check_inside(Op *op, void *user) {
    Flat *f = user;
    int bytes[MAX_TRIPS];
    bool is_of_others = is_turn_op(op) && turn_ring(op) != op_result(f->ring);
    if (op->kind == OP_FOR || op->kind == OP_WHILE) return refuse(f, "a loop in the loop");
    if (is_of_others && op->kind != OP_PEEK) return refuse(f, "two rings in a loop");
    if (op_trips(f->fn, f->has_atomics, op, bytes) || (op->barrier && !is_turn_op(op)))
        return refuse(f, "what goes through shared memory in the loop");
    if (op->kind == OP_DOT && dot_unit(op) != UNIT_WGMMA)
        return refuse(f, "a product by other than wgmma");
    if (op->kind == OP_DOT && !dot_a_in_registers(op) && columns_of(op) > MOST_COLUMNS)
        return refuse(f, "instructions of more than 128 columns");
    if (op->kind == OP_DOT) {
        const Type *elem = type_lane(dot_a(op)->type);
        f->sums = layout_regs(type_layout(op_result(op)->type)), f->dots++;
        f->is_short = type_is_float(elem) && type_bits(elem) <= 16;
    }
    return !access_pointer(op) || nobody_writes(f, op);
}

static bool check_turn(Op *op, void *user) {
    Flat *f = user;
    if (!is_turn_op(op) || turn_ring(op) != op_result(f->ring)) return true;
    if (type_bits(turn_number(op)->type) != 32) return refuse(f, "turns of 64 bits");
    f->filled |= op->kind == OP_FILL;
    if (op->kind == OP_PUT) return refuse(f, "a tile put into the ring");
    if (op->kind == OP_FILL && op->barrier) return refuse(f, "what the kernel may write");
    if (op->kind != OP_READY) return true;
    Op *loop = op->parent->owner;
    if (!loop || loop->kind != OP_FOR) return refuse(f, "a turn outside of a loop");
    if (f->loop && f->loop != loop) return refuse(f, "a ring of two loops");
    f->loop = loop;
    return true;
}

/* All turns are copied before the first: mbarriers and maps take longer than they save (22.5 ->
 * 24.5 us for fla's chunk_scaled_dot_kkt, of two turns). */
static bool is_short(const Op *loop, const Op *ring) {
    int64_t lower, upper, step;
    if (!value_is_int(for_lower(loop), &lower) || !value_is_int(for_upper(loop), &upper))
        return false;
    if (!value_is_int(for_step(loop), &step) || step <= 0) return false;
    return (double)upper - (double)lower <= (double)ring_stages(ring) * (double)step;
}

static bool has_short_rows(const Op *ring) {
    const Type *type = op_result(ring)->type;
    for (int i = 0; i < type->num_parts; i++) {
        const Type *part = type->parts[i];
        int dim = tile_panel_dim(part);
        if (dim < 0 || part->shape[dim] * type_size_bytes(part) >= LEAST_ROW) return false;
    }
    return true;
}

static bool may_be_flat(Flat *f, Op *ring) {
    f->ring = ring, f->loop = NULL, f->filled = false, f->why = NULL, f->dots = 0;
    if (ring_stages(ring) < 2) return false;
    if (!region_walk(f->fn->body, check_turn, f) || !f->filled) return false;
    if (f->loop && is_short(f->loop, ring)) return refuse(f, "a loop of few turns");
    if (!f->loop || !region_walk(for_body(f->loop), check_inside, f)) return false;
    bool gains = f->sums >= MANY_SUMS && f->is_short;
    return f->dots != 1 || gains || op_is_in_loop(ring) || !has_short_rows(ring) ||
           refuse(f, "rows of less than 128 bytes");
}

/* ---- the copies of a turn ---- */

static bool is_of_turn(const Op *fill, const Op *op) {
    return op->kind == OP_FILL_BOX && turn_ring(op) == turn_ring(fill) &&
           turn_number(op) == turn_number(fill);
}

/* They follow each other: what one of them is told comes before the first. */
static bool gather(Op *op, void *user) {
    (void)user;
    if (op->kind != OP_FILL_BOX) return true;
    Op *first = op;
    for (Op *at = op->prev; at; at = at->prev)
        if (is_of_turn(op, at)) first = at;
    for (Op *at = first->next, *next; first != op && at != op; at = next) {
        next = at->next;
        if (at->kind != OP_FILL_BOX) op_move_before(at, first);
    }
    return true;
}

/* ---- what comes before the first copies ---- */

/* What no copy before the loop waits for is made behind those, while they are on their way. */
static void delay(Arena *arena, Func *fn, Op *loop) {
    bool *used = arena_array(arena, bool, fn->num_values);
    Op *before = loop;
    for (Op *op = loop->prev, *next; op; op = next) {
        next = op->prev;
        bool waits = op->num_regions || !op_has_trait(op, PURE) || op->num_trips;
        for (int i = 0; i < op->num_results; i++) waits = waits || used[op->results[i].id];
        if (!waits) {
            op_move_before(op, before);
            before = op;
            continue;
        }
        op_note_operands(op, used);
    }
}

/* ---- shared memory ---- */

typedef struct Memory {
    Flat *f;
    Roles *roles;
    const Map *rings; /* -> the loops that read them */
    bool scratch;
    int most; /* byte in use before */
} Memory;

/* Behind its last turn all threads meet, in the same turn of the loop around it. */
static bool meet_behind(const Op *ring, const Op *loop) {
    while (loop->parent != ring->parent) loop = loop->parent->owner;
    for (const Op *op = loop->next; op; op = op->next)
        if (op->num_trips || op->barrier) return true;
    return false;
}

static bool is_read_in(const Op *loop, const Op *ring) {
    for (const Op *op = for_body(loop)->first; op; op = op->next)
        if (op->kind == OP_READY && turn_ring(op) == op_result(ring)) return true;
    return false;
}

static void note_ours(Memory *m, const Op *ring, const Op *loop) {
    RoleRing *of = &m->roles->rings[m->roles->num_rings++];
    *of = (RoleRing){.stages = (int)ring_stages(ring), .boxes = true, .loop = loop};
    of->in_loop = op_is_in_loop(ring);
    of->again = !is_read_in(loop, ring);
    of->meets = of->in_loop ? !meet_behind(ring, loop) : m->scratch || m->most > ring_offset(ring);
}

static bool note_memory(Op *op, void *user) {
    Memory *m = user;
    int bytes[MAX_TRIPS], count = op_trips(m->f->fn, m->f->has_atomics, op, bytes);
    const Op *loop = op->kind == OP_RING ? map_get_pointer(m->rings, op_result(op)) : NULL;
    if (loop) note_ours(m, op, loop);
    if (op->kind == OP_RING && ring_end(op) > m->most) m->most = ring_end(op);
    int apart = op->kind == OP_RING && !loop ? (int)ring_apart(op) : 0; /* 0: without mbarriers */
    if (apart && apart + SCRATCH_ALIGNMENT > m->most) m->most = apart + SCRATCH_ALIGNMENT;
    for (int i = 0; i < count && i < op->num_trips; i++) {
        m->scratch = true;
        if (op->trips[i].offset + bytes[i] > m->most) m->most = op->trips[i].offset + bytes[i];
    }
    return true;
}

/* False: fewer blocks would fit a multiprocessor. */
static bool lay_out(Flat *f, const Map *rings, Roles *roles) {
    const Arch *arch = arch_find(f->fn->target);
    Memory m = {.f = f, .roles = roles, .rings = rings};
    roles->rings = arena_array(f->arena, RoleRing, f->rings.count);
    region_walk(f->fn->body, note_memory, &m);
    roles->barriers = roles->end = scratch_aligned(m.most);
    for (int i = 0; i < roles->num_rings; i++) {
        roles->rings[i].barriers = roles->end;
        roles->end += 2 * ROLE_BARRIER * roles->rings[i].stages;
    }
    if (roles->end > arch->shared_limit ||
        arch_blocks(arch, roles->end) != arch_blocks(arch, m.most))
        return false;
    while (f->rings.count == 1 && f->is_large && f->fn->num_warps == 4 &&
           arch_blocks(arch, roles->end) > MOST_BLOCKS)
        roles->end += SCRATCH_ALIGNMENT;
    return true;
}

/* ---- all ---- */

typedef struct Rings {
    Arena *arena;
    VEC(Op *) all;
} Rings;

static bool note_ring(Op *op, void *user) {
    Rings *rings = user;
    if (op->kind == OP_RING) vec_push(rings->arena, &rings->all, op);
    return true;
}

static bool drop_commit(Op *op, void *user) {
    (void)user;
    if (op->kind == OP_COMMIT) op_remove(op);
    return true;
}

/* Those that boxes alone fill become theirs. */
static void make_boxes(Flat *f, const Rings *rings, Roles *roles, const char **why) {
    for (int i = 0; i < rings->all.count; i++) {
        Op *ring = rings->all.data[i];
        func_renumber(f->fn);
        f->facts = roles_facts(f->arena, f->fn, ring);
        bool made = may_be_flat(f, ring) && box_ring(f->arena, f->fn, f->facts, op_result(ring),
                                                     &roles->boxes, roles->needs, &f->why);
        if (made) vec_push(f->arena, &f->rings, ring);
        if (made) f->is_large = f->dots == 1 && f->sums >= MANY_SUMS;
        if (!made && f->why) *why = f->why;
    }
}

/* The loops that read them, of which some have been made anew. */
static void find_loops(Flat *f, Map *loops) {
    for (int i = 0; i < f->rings.count; i++) {
        f->ring = f->rings.data[i], f->loop = NULL;
        region_walk(f->fn->body, check_turn, f);
        Op *tiles = f->ring->parent->owner;
        bool next = roles_next_tile(f->arena, f->fn, f->ring, f->loop);
        map_set_pointer(loops, op_result(f->ring), next ? tiles : f->loop);
        delay(f->arena, f->fn, f->loop);
        func_renumber(f->fn);
        if (next) delay(f->arena, f->fn, tiles);
        f->tiles = next && f->rings.count == 1;
        func_renumber(f->fn);
    }
}

Roles *roles_flat(Arena *arena, const Func *kernel, const char **why) {
    const Arch *arch = arch_find(kernel->target);
    Rings rings = {.arena = arena};
    Map loops = {.arena = arena};
    PassCtx px = {.scratch = arena};
    *why = NULL;
    if (kernel->form != FORM_PLACED || !arch || strcmp(arch->name, "sm_90a")) return NULL;
    Func *fn = func_copy(kernel);
    Flat f = {.arena = arena, .fn = fn, .has_atomics = func_has_atomics(fn)};
    Roles *roles = arena_new_of(arena, Roles);
    *roles =
        (Roles){.consumers = fn, .flat = true, .needs = needs_new(arena, fn, kernel->num_params)};
    region_walk(fn->body, note_ring, &rings);
    make_boxes(&f, &rings, roles, why);
    if (!f.rings.count) return NULL;
    region_walk(fn->body, gather, NULL);
    if (!region_has(fn->body, OP_FILL)) region_walk(fn->body, drop_commit, NULL);
    func_renumber(fn);
    pass_dce(&px, fn);
    func_renumber(fn);
    find_loops(&f, &loops);
    bool fits = lay_out(&f, &loops, roles);
    Needs *more = fits && f.tiles ? roles_box_out(arena, roles, kernel->num_params) : NULL;
    if (!needs_close(roles->needs)) roles->needs = NULL;
    if (more) roles->needs = needs_both(roles->needs, more);
    return fits ? roles : (*why = "no shared memory left", NULL);
}
