// SPDX-License-Identifier: Apache-2.0
/* pieces: a tile that a thread's registers cannot hold is computed a piece at a time.
 *
 *     %i = arange 0 .. 32768                  %x.0 = load .., the first 2048 lanes
 *     %x = load (addptr %p, %i)               %a = for %k = 2048 .. 32768 step 2048 (%m = %x.0)
 *     %m = reduce %x {max}                ->    %x.k = load .., lanes from %k on
 *     %e = exp2 (fsub %x, splat %m)             yield fmax %m, %x.k
 *     store (addptr %q, %i), %e               %m = reduce %a {max}
 *                                             for %k = 0 .. 32768 step 2048
 *                                               load, fsub, exp2, store
 *
 * Without it, the assembler keeps what does not fit in local memory: as many stores and loads more,
 * and seconds of its time. A dimension is cut where what is live at some op takes more registers
 * than a thread has, and all that has this dimension goes lane by lane (dims.c). The ends of what
 * is made of it are stores and reductions along it, in order; as many of them as do not wait for
 * each other are one loop (a Nest), in which all that they need of it is made again, loads too. As
 * many of the first pieces as there are registers for stand before the loops, loaded once for all
 * nests; then as many as shared memory has room for (pass hold). Where that is not all, a sum of
 * exponentials is made with the maximum that it waits for (online.c), and the second cache is told
 * what is read again. Nothing between a load and the last of its nests may write where it reads,
 * but a store to the very lanes in the nest itself; what other parameters write may be the same
 * memory, of which each launch is asked (meets.c). Not where other programs may be waited for: they
 * could write.
 * On the copy that is placed: what the kernel is said to do is counted before. */
#include "opt/gpu/pieces.h"
#include "ir/arch.h"
#include "ir/trips.h"

enum {
    MOST_REGISTERS = 255, /* of a thread, and of a block: */
    BLOCK_REGISTERS = 65536,
    SPARE_REGISTERS = 16,  /* addresses, counters */
    PIECE_BYTES = 64,      /* that a thread loads of a tile at once: four accesses */
    WORK_REGISTERS = 64,   /* of a piece at work, where others are held; at least .. */
    LEAST_WORK = 24,       /* .. where not all of a row can be */
    MUCH_AGAIN = 96 << 10, /* bytes that a block reads again; less the cache keeps unasked */
    SUM_THREADS = 512,     /* fewer have no time for it while others load */
    LEAST_PIECE = 32,      /* lanes along the dimension: those of a warp */
    SPARE_SHARED = 8192,   /* bytes for scratch .. */
    LEAST_SCRATCH = 2048,  /* .. beside SMALL_SCRATCH, of reductions */
    MOST_KEPT = 48,        /* loads that wait in shared memory */
    MOST_TURNS = 16,       /* of a loop over them */
    MOST_LINES = 3000,     /* of what reads them again, roughly, where that is no loop */
    MOST_SPILLED = 128,    /* registers, where a scan stays whole */
    MANY_LINES = 5000,     /* straight, where numbers below 32 bits go one by one; then not .. */
    FEW_LINES = 3500,      /* .. more than that */
    MOST_CARRIED = 16,     /* registers of a thread, of reductions */
    MOST_NESTS = 64,
    CROWDED_THREADS = 256, /* at most, for which such tiles are cut */
    CLUSTER_HELD = 8,      /* of how many pieces of a cluster's block one is in registers */
    MOST_OPS = 4000,       /* of one nest */
};

typedef struct Pieces {
    PassCtx *px;
    Func *fn;
    Facts *facts;
    const Dims *dims;
    Map order; /* of ops, from 1 on */
    int threads;
    int number; /* of the dimension that is cut */
    int size, piece;
    Cluster cluster; /* whose blocks share the pieces */
    bool has_atomics;
    bool scans;      /* there are any of it */
    bool is_short;   /* registers are; .. */
    int scan_lanes;  /* .. and scans are long (scans_lanes): what has one is cut for that alone */
    bool joins;      /* sums of exponentials are made with their maximum */
    bool *is_costly; /* by value id: not made of indices alone */
    int *waits;      /* by value id: of which nest it waits for a result */
    const Nest **loaded; /* by value id of loads: in which nest, where there are atomics */
    VEC(Nest *) nests;
    VEC(Meet) meets; /* what is made in another order than it stands in, if it does not meet */
    Nest *open;      /* the last, while it takes ends; or NULL */
    Map held;     /* results of loads that are held from nest to nest -> which one it is, from 1 */
    Map home;     /* .. -> the region of these nests: other nests load for themselves */
    int num_held; /* pieces, the first ones, of which they are: in registers .. */
    int num_kept; /* .. and then in shared memory */
    bool loops;   /* what reads the latter again is a loop .. */
    bool brief;   /* .. even where it loads others, too */
    int first_kept;     /* above the numbers of those that are kept already, .. */
    int64_t first_part; /* .. and of the stores that are parts already */
    bool again;         /* much is read again: the second cache is told what */
    Map *held_of;       /* for each of these: results of loads -> those of the piece */
    bool failed;
} Pieces;

static intptr_t order_of(const Pieces *p, const Op *op) {
    return (intptr_t)map_get_pointer(&p->order, op);
}

static bool note_order(Op *op, void *order) {
    map_set_pointer(order, op, (void *)(intptr_t)(((Map *)order)->count + 1));
    return true;
}

static int registers_of(const Pieces *p, const Type *type) {
    return (bytes_a_thread(p->threads, type) + 3) / 4;
}

/* The most registers that a thread's parts of tiles take at any op; number: see Live. */
static int most_live(Pieces *p, int number) {
    Live l = {.order = &p->order, .dims = p->dims, .threads = p->threads, .number = number};
    int most = live_most(p->px->scratch, p->fn, &l);
    p->is_costly = l.is_costly;
    return most;
}

/* Of a block. */
static int num_pieces(const Pieces *p) { return p->size / p->piece / p->cluster.blocks; }

static int registers_for_tiles(const Pieces *p) {
    int most = BLOCK_REGISTERS / p->threads;
    return (most < MOST_REGISTERS ? most : MOST_REGISTERS) - SPARE_REGISTERS;
}

/* ---- which dimension ---- */

/* How many lanes a piece has along it; 0: it is not to be cut. */
static int piece_of(const Pieces *p, Cut *c) {
    *c = dims_cut(p->dims, p->fn, c->number);
    int64_t lanes = (int64_t)p->threads * PIECE_BYTES / c->least_bytes;
    if (p->cluster.chosen) lanes = (int64_t)p->threads * p->cluster.lanes;
    if (c->scanned && lanes > p->threads * p->scan_lanes) lanes = p->threads * p->scan_lanes;
    int64_t piece = lanes * c->size / c->lanes;
    if (c->reduced && !(c->scanned && c->of_rows) && piece < LEAST_PIECE) piece = LEAST_PIECE;
    if (piece < 1) piece = 1;
    c->narrow = c->scanned && c->fast && piece < LEAST_PIECE;
    return c->fits && piece * 2 <= c->size ? (int)piece : 0;
}

/* Without reductions or scans along it first: then nothing is loaded twice; else the larger. */
static bool choose_cut(Pieces *p) {
    Cut best = {.number = -1};
    int most = registers_for_tiles(p);
    const DimNumbers all = dims_free(p->px->scratch, p->dims, p->fn);
    for (int i = 0; i < all.count; i++) {
        Cut cut = {.number = all.data[i]};
        int piece = piece_of(p, &cut);
        bool wanted =
            cut.scanned ? p->scan_lanes > 0 : p->is_short && most_live(p, cut.number) * 2 >= most;
        if (!piece || !wanted) continue;
        int worse = best.reduced + 2 * best.narrow - cut.reduced - 2 * cut.narrow;
        bool better = best.number < 0 || worse > 0 || (!worse && cut.size > best.size);
        if (!better) continue;
        best = cut, p->piece = piece, p->scans = cut.scanned;
    }
    p->number = best.number, p->size = best.size;
    return best.number >= 0;
}

/* ---- nests ---- */

static bool waits(const Pieces *p, const Op *op) {
    for (int i = 0; p->open && i < op->num_operands; i++)
        if (p->waits[op->operands[i]->id] == p->nests.count) return true;
    return false;
}

static void wait_too(Pieces *p, Op *op) {
    for (int i = 0; i < op->num_results; i++) p->waits[op->results[i].id] = p->nests.count;
}

static void close_nest(Pieces *p, Op *before) {
    if (p->open) p->open->before = before;
    p->open = NULL;
}

/* Where the ops of a nest meet memory: what one writes, another reads or writes. */
static bool may_meet(const Pieces *p, const Op *write, const Op *access) {
    return facts_may_alias(p->facts, access_pointer(write), access_pointer(access));
}

static void take_apart(Pieces *p, const Op *write, const Op *load, bool together) {
    for (int i = 0; i < p->meets.count; i++) {
        Meet *old = &p->meets.data[i];
        if (old->write != write || old->load != load) continue;
        old->together &= together;
        return;
    }
    vec_push(p->px->scratch, &p->meets, ((Meet){write, load, together}));
}

/* Each lane writes where it read: whoever else reads there does so unordered. */
static bool is_same_lanes(const Op *write, const Op *load) {
    return access_pointer(write) == access_pointer(load);
}

bool ops_have(const Ops *ops, const Op *op) {
    for (int i = 0; i < ops->count; i++)
        if (ops->data[i] == op) return true;
    return false;
}

/* Adds what the value is made of. */
static void add_sources(Pieces *p, Ops *ops, Map *seen, Value *value) {
    Op *op = value->def;
    if (dims_at(p->dims, value, p->number) < 0 || map_get_pointer(seen, op)) return;
    map_set_pointer(seen, op, op);
    for (int i = 0; i < op->num_operands; i++) add_sources(p, ops, seen, op->operands[i]);
    vec_push(p->px->scratch, ops, op);
}

typedef struct Between {
    Pieces *p;
    const Op *load, *end;
    bool same_loop; /* nothing of a later turn lies between */
    bool clean;
} Between;

static bool is_no_write(Op *op, void *user) {
    Between *b = user;
    intptr_t at = order_of(b->p, op);
    bool inside = at > order_of(b->p, b->load) && (!b->same_loop || at < order_of(b->p, b->end));
    if (!inside || !op_writes_memory(op) || op == b->end) return true;
    bool has_place = op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    bool here = b->same_loop && has_place && b->p->open && ops_have(&b->p->open->ends, op);
    if (has_place && !may_meet(b->p, op, b->load)) {
        take_apart(b->p, op, b->load, here);
        return true;
    }
    b->clean = here && is_same_lanes(op, b->load);
    return b->clean;
}

/* May the load be made at the end of its nest? */
static bool can_load_late(Pieces *p, const Op *load, const Op *end) {
    Between b = {p, load, end, load->parent == end->parent, true};
    const Op *outer = end;
    while (outer->parent != load->parent) outer = outer->parent->owner;
    for (Op *op = load->next; op != outer->next && b.clean; op = op->next) {
        if (!is_no_write(op, &b)) break;
        for (int i = 0; i < op->num_regions && b.clean; i++)
            region_walk(op->regions[i], is_no_write, &b);
    }
    return b.clean;
}

/* It reads what a store of the nest wrote, or writes what another does, or what another's load
 * reads of other lanes. */
static bool must_follow(Pieces *p, const Op *end, const Ops *sources) {
    const Nest *nest = p->open;
    bool writes = end->kind != OP_REDUCE;
    for (int i = 0; i < nest->ends.count; i++) {
        const Op *other = nest->ends.data[i];
        if (other->kind == OP_REDUCE) continue;
        if (writes && may_meet(p, other, end)) return true;
        for (int k = 0; k < sources->count; k++) {
            const Op *load = sources->data[k];
            if (load->kind == OP_LOAD && order_of(p, load) > order_of(p, other) &&
                may_meet(p, other, load))
                return true;
        }
    }
    for (int i = 0; writes && i < nest->ops.count; i++) {
        const Op *load = nest->ops.data[i];
        if (load->kind != OP_LOAD) continue;
        if (!may_meet(p, end, load))
            take_apart(p, end, load, true);
        else if (!is_same_lanes(end, load))
            return true;
    }
    return false;
}

static bool can_end(Pieces *p, const Op *end, const Ops *sources) {
    for (int i = 0; i < sources->count; i++) {
        const Op *load = sources->data[i];
        if (load->kind != OP_LOAD) continue;
        const Nest **first = &p->loaded[op_result(load)->id];
        if (p->has_atomics && *first && *first != p->open) return false;
        *first = p->open;
        if (!can_load_late(p, load, end)) return false;
        if (end->kind == OP_REDUCE) continue;
        if (!may_meet(p, end, load))
            take_apart(p, end, load, true);
        else if (!is_same_lanes(end, load))
            return false;
    }
    return true;
}

/* A sum that can be made with a maximum of the open nest, though it waits for it. */
static bool joins(Pieces *p, Op *op) {
    Nest *nest = p->open;
    for (int i = 0; i < nest->ends.count && !nest->total && p->joins; i++) {
        if (op->kind != OP_REDUCE || !online_follows(nest->ends.data[i], op)) continue;
        nest->most = nest->ends.data[i], nest->total = op;
        vec_push(p->px->scratch, &nest->behind, op);
        wait_too(p, op);
        return true;
    }
    return false;
}

/* Pairs are compared by the order of the pieces (reduce_combine), if that is not from the end. */
static bool wants_order(const Pieces *p, const Op *end, int order) {
    if (p->open) order |= p->open->order;
    return end->kind == OP_REDUCE && end->num_operands > 1 && !(order & SCANS_BACKWARDS);
}

/* What stands before a write of the nest stays before it: a load of the lanes that it changes. */
static void add_op(Pieces *p, Op *op) {
    Ops *ops = &p->open->ops;
    vec_push(p->px->scratch, ops, op);
    for (int i = 0; i < ops->count - 1; i++) {
        const Op *other = ops->data[i];
        if (!op_writes_memory(other) || order_of(p, other) < order_of(p, op)) continue;
        memmove(ops->data + i + 1, ops->data + i, sizeof(Op *) * (size_t)(ops->count - 1 - i));
        ops->data[i] = op;
        return;
    }
}

static void add_end(Pieces *p, Op *op) {
    Arena *scratch = p->px->scratch;
    Map seen = {.arena = scratch};
    Ops sources = {0};
    for (int i = 0; i < op->num_operands; i++) add_sources(p, &sources, &seen, op->operands[i]);
    if (p->open && joins(p, op)) return;
    int order = scans_order(p->dims, &sources, p->number);
    if (wants_order(p, op, order)) order |= SCANS_FORWARDS;
    bool turns = p->open && (order | p->open->order) == SCANS_BOTH_WAYS;
    if (p->open && (turns || waits(p, op) || must_follow(p, op, &sources))) close_nest(p, op);
    if (!p->open) {
        p->open = arena_new_of(scratch, Nest);
        vec_push(scratch, &p->nests, p->open);
    }
    for (int i = 0; i < sources.count; i++)
        if (!ops_have(&p->open->ops, sources.data[i])) add_op(p, sources.data[i]);
    vec_push(scratch, &p->open->ops, op);
    vec_push(scratch, &p->open->ends, op);
    bool too_many = p->nests.count > MOST_NESTS || p->open->ops.count > MOST_OPS;
    p->open->order |= order;
    if (too_many || order == SCANS_BOTH_WAYS || !can_end(p, op, &sources)) p->failed = true;
    if (op->kind == OP_REDUCE) wait_too(p, op);
}

static void plan_region(Pieces *p, Region *region) {
    for (Op *op = region->first; op && !p->failed; op = op->next) {
        bool waits_here = waits(p, op);
        if (dims_touch(p->dims, op, p->number)) {
            if (dims_end_at(p->dims, op, p->number))
                add_end(p, op);
            else if (waits_here)
                wait_too(p, op);
            continue;
        }
        bool has_regions = op->num_regions && !op_has_trait(op, ISOLATED);
        bool pure = op_has_trait(op, PURE) && !has_regions;
        if (pure && waits_here) {
            vec_push(p->px->scratch, &p->open->behind, op);
            wait_too(p, op);
        }
        if (!pure) close_nest(p, op);
        for (int i = 0; i < op->num_regions && has_regions; i++) plan_region(p, op->regions[i]);
    }
}

static const Type *cut_type(const Pieces *p, const Value *value) {
    const Type *type = value->type;
    int shape[MAX_RANK], dim = dims_at(p->dims, value, p->number);
    memcpy(shape, type->shape, sizeof shape);
    if (dim >= 0) shape[dim] = p->piece;
    return type_tile(p->fn->types, type_lane(type), type->rank, shape);
}

/* ---- what is held ---- */

static bool is_held(const Pieces *p, const Nest *nest, const Op *op) {
    return op->kind == OP_LOAD && map_get_pointer(&p->home, op_result(op)) == nest->before->parent;
}

static bool holds_any(const Pieces *p, const Nest *nest) {
    for (int i = 0; i < nest->ops.count && p->num_held + p->num_kept; i++)
        if (is_held(p, nest, nest->ops.data[i])) return true;
    return false;
}

/* What is made in an earlier nest and read by what is only in this one: that is held from one to
 * the other, since what is made twice of one value becomes one (tidy). */
static int held_into(const Pieces *p, int number) {
    const Nest *nest = p->nests.data[number];
    Map made = {.arena = p->px->scratch}, counted = made;
    int registers = 0;
    for (int i = 0; i < number; i++) {
        const Nest *before = p->nests.data[i];
        bool here = before->before->parent == nest->before->parent;
        for (int k = 0; here && k < before->ops.count; k++)
            map_set_pointer(&made, before->ops.data[k], before->ops.data[k]);
    }
    for (int i = 0; i < nest->ops.count; i++) {
        const Op *op = nest->ops.data[i];
        for (int k = 0; !map_get_pointer(&made, op) && k < op->num_operands; k++) {
            const Value *value = op->operands[k];
            bool held = value->def && map_get_pointer(&made, value->def) && p->is_costly[value->id];
            if (!held || map_get_pointer(&counted, value)) continue;
            map_set_pointer(&counted, value, value->def);
            registers += registers_of(p, cut_type(p, value));
        }
    }
    return registers;
}

/* Loads of several nests of one region; returns what a piece of them takes in registers. */
static int find_held(Pieces *p, int *bytes) {
    int registers = 0, most = 0;
    *bytes = 0;
    for (int i = 0; i < p->nests.count; i++)
        for (int k = 0; k < i; k++) {
            const Nest *a = p->nests.data[k], *b = p->nests.data[i];
            for (int n = 0; n < a->ops.count && a->before->parent == b->before->parent; n++) {
                Op *op = a->ops.data[n];
                bool held = op->kind == OP_LOAD && map_get_pointer(&p->held, op_result(op));
                if (op->kind != OP_LOAD || held || !ops_have(&b->ops, op)) continue;
                map_set_pointer(&p->held, op_result(op), (void *)(intptr_t)(p->held.count + 1));
                map_set_pointer(&p->home, op_result(op), a->before->parent);
                const Type *type = cut_type(p, op_result(op));
                registers += registers_of(p, type);
                *bytes += scratch_aligned(type->lanes * type_size_bytes(type));
            }
        }
    for (int i = 1; i < p->nests.count && registers; i++) {
        int into = held_into(p, i);
        if (into > most) most = into;
    }
    return registers > most ? registers : most;
}

static bool note_kept(Op *op, void *user) {
    Pieces *p = user;
    int number = op->kind == OP_LOAD ? (int)(load_kept(op) / KEPT_READS) : 0;
    if (number > p->first_kept) p->first_kept = number;
    if (op->kind == OP_STORE && store_part(op) > p->first_part) p->first_part = store_part(op);
    return true;
}

static bool is_no_product(Op *op, void *user) {
    (void)user;
    return op->kind != OP_DOT; /* false ends the walk */
}

/* Shared memory is for as many blocks as have registers; where there are products it is theirs. */
static int choose_kept(const Pieces *p, int pieces, int bytes) {
    const Arch *arch = arch_find(str_of(p->px->target ? p->px->target : ""));
    int blocks = p->cluster.chosen ? 1 : BLOCK_REGISTERS / (p->threads * (MOST_REGISTERS + 1));
    if (!arch || !bytes || !region_walk(p->fn->body, is_no_product, NULL)) return 0;
    int room = arch->shared_limit / (blocks < 1 ? 1 : blocks) - SPARE_SHARED;
    int held = arch->shared_limit - SMALL_SCRATCH - LEAST_SCRATCH; /* by pass hold */
    if (room > held) room = held;
    int most = room < 0 ? 0 : room / bytes, loads = p->held.count;
    if (most > MOST_KEPT / loads) most = MOST_KEPT / loads;
    return most < pieces ? most : pieces;
}

/* For which there are registers, beside so many for the piece at work. */
static int count_held(const Pieces *p, int each, int work) {
    int most = registers_for_tiles(p), pieces = num_pieces(p);
    int left = most - (work < most * 2 / 3 ? work : most * 2 / 3);
    int count = left > 0 ? left / each : 0;
    return count < pieces ? count : pieces;
}

/* Are there so many kept pieces that what reads them again should be a loop? Straight text that the
 * instruction cache does not hold is read from memory by each warp, and ptxas takes its time. */
static bool is_long(const Pieces *p) {
    int lines = 0, lanes = (p->piece + p->threads - 1) / p->threads;
    for (int i = 1; i < p->nests.count; i++) lines += p->nests.data[i]->ops.count * lanes;
    return p->num_held && p->num_kept <= MOST_TURNS && p->num_kept * lines > MOST_LINES;
}

/* Does it take or leave numbers below 32 bits, one by one? */
static bool goes_singly(const Pieces *p, const Op *op) {
    if (op->kind != OP_LOAD && op->kind != OP_STORE) return false;
    const Value *pointer = access_pointer(op);
    int dim = dims_at(p->dims, pointer, p->number);
    return dim >= 0 && type_size_bytes(type_lane(pointer->type)->elem) < 4 &&
           facts_lanes_at_once(p->facts, op, dim) == 1;
}

static bool is_held_before(const Pieces *p, int number, const Op *op) {
    if (op->kind != OP_LOAD || !map_get_pointer(&p->held, op_result(op))) return false;
    for (int i = 0; i < number; i++)
        if (ops_have(&p->nests.data[i]->ops, op)) return true;
    return false;
}

/* Of a piece of the nest in the text, roughly: with its mask a load is one of a predicate, of what
 * it gives elsewhere, and two that widen it. kept: it is copied to shared memory, or read there. */
static int lines_of(const Pieces *p, int number, bool kept) {
    const Nest *nest = p->nests.data[number];
    int lines = 0;
    for (int i = 0; i < nest->ops.count; i++) {
        const Op *op = nest->ops.data[i];
        bool single = goes_singly(p, op), loads = op->kind == OP_LOAD;
        bool costly = !op->num_results || op->num_regions || p->is_costly[op_result(op)->id];
        if (is_held_before(p, number, op))
            lines += kept ? 1 + single : 0;
        else if (single)
            lines += loads ? 5 + (kept && map_get_pointer(&p->held, op_result(op)) ? 2 : 0) : 2;
        else
            lines += costly;
    }
    return lines * ((p->piece + p->threads - 1) / p->threads);
}

/* Of all nests, without what reads kept pieces in a loop; 0: nothing goes singly. */
static int singly_lines(const Pieces *p) {
    int lines = 0;
    bool any = false;
    for (int i = 0; i < p->nests.count; i++) {
        const Nest *nest = p->nests.data[i];
        bool holds = holds_any(p, nest), all = true, some = false;
        for (int k = 0; k < nest->ops.count; k++) {
            const Op *op = nest->ops.data[k];
            bool before = is_held_before(p, i, op);
            any |= goes_singly(p, op), some |= before;
            all &= before || op->kind != OP_LOAD;
        }
        bool turns = p->loops && some && (all || p->brief);
        if (holds) lines += lines_of(p, i, false) * p->num_held;
        if (holds) lines += lines_of(p, i, true) * (turns ? 1 : p->num_kept);
        if (!holds || p->num_held + p->num_kept < num_pieces(p)) lines += lines_of(p, i, false);
    }
    return any ? lines : 0;
}

/* Rows whose lengths no vector divides: six ops a number where others have two. What reads kept
 * pieces is a loop, whatever else it loads; then more are kept instead of held in registers, and
 * where not all of the row is either, fewer of them. */
static void shorten(Pieces *p, int bytes) {
    if (singly_lines(p) <= MANY_LINES) return;
    p->brief = true;
    int pieces = num_pieces(p), room = choose_kept(p, pieces, bytes);
    bool all = p->num_held + p->num_kept == pieces;
    for (;;) {
        p->loops = p->num_held && p->num_kept && p->num_kept <= MOST_TURNS;
        if (singly_lines(p) <= FEW_LINES) return;
        if (all && p->num_held > 1 && p->num_kept < room)
            p->num_held--, p->num_kept++;
        else if (p->num_kept && !p->cluster.chosen)
            p->num_kept--, all = false;
        else
            return;
    }
}

/* As many of the first pieces as there are registers for, with some for the piece at work, are
 * loaded once. */
static void choose_held(Pieces *p) {
    p->held = p->home = (Map){.arena = p->px->scratch};
    int bytes, each = find_held(p, &bytes), pieces = num_pieces(p);
    region_walk(p->fn->body, note_kept, p);
    if (p->scans) each = bytes = 0; /* straight text for each of them is what was too long */
    p->num_held = each ? count_held(p, each, WORK_REGISTERS) : 0;
    int few = (pieces + CLUSTER_HELD - 1) / CLUSTER_HELD;
    if (p->cluster.chosen && p->num_held > few)
        p->num_held = few + (pieces - few - choose_kept(p, pieces - few, bytes));
    p->num_kept = choose_kept(p, pieces - p->num_held, bytes);
    if (each && p->num_held + p->num_kept < pieces) p->num_held = count_held(p, each, LEAST_WORK);
    if (p->num_kept > pieces - p->num_held) p->num_kept = pieces - p->num_held;
    p->loops = is_long(p), p->brief = false;
    shorten(p, bytes);
    int count = p->num_held + p->num_kept;
    p->again = each && (int64_t)(pieces - count) * bytes >= MUCH_AGAIN;
    p->held_of = arena_array(p->px->scratch, Map, count);
    for (int i = 0; i < count; i++) p->held_of[i] = (Map){.arena = p->px->scratch};
}

/* ---- writing ---- */

typedef struct Writer {
    const Pieces *p;
    Builder *b;
    Value *start;    /* of the piece along the dimension */
    Map made;        /* values -> those of the piece */
    int nest;        /* its number */
    bool early;      /* what is held was loaded before the first piece is at work */
    bool streams;    /* what is loaded is not held */
    bool turns;      /* over the kept pieces: this is the first of them */
    Value **scanned; /* what the scans of the nest have of the pieces before, one after another */
} Writer;

/* What a hint says of runs longer than a piece is not said of the piece. */
static bool holds_of_piece(const Pieces *p, const Op *hint) {
    Ints values = hint_values(hint);
    for (int i = 0; i < values.count; i++)
        if (values.data[i] > p->piece) return false;
    return true;
}

static bool is_of_program(const Value *value, Map *seen) {
    const Op *op = value->def;
    if (!op || map_get_pointer(seen, op)) return false;
    map_set_pointer(seen, op, (void *)(uintptr_t)1);
    if (op->kind == OP_PROGRAM_ID) return true;
    for (int i = 0; i < op->num_operands; i++)
        if (is_of_program(op->operands[i], seen)) return true;
    return false;
}

/* Where much of a row is not held, the second cache keeps what is read again of it, and nothing
 * that is read for the last time or written. What all programs read it keeps anyway. */
static int64_t evict_of(const Writer *w, const Op *load) {
    const Pieces *p = w->p;
    Map seen = {.arena = p->px->scratch};
    bool chosen = load_evict(load) || load_cache(load) || load_volatile(load);
    if (chosen || !map_get_pointer(&p->held, op_result(load))) return load_evict(load);
    if (!is_of_program(load_pointer(load), &seen)) return load_evict(load);
    for (int i = w->nest + 1; i < p->nests.count && w->streams; i++)
        if (ops_have(&p->nests.data[i]->ops, load)) return EVICT_LAST;
    return EVICT_FIRST;
}

/* By which pass hold knows the load of a piece. */
static int64_t kept_of(const Writer *w, const Op *load, int at) {
    const Pieces *p = w->p;
    int which = (int)(intptr_t)map_get_pointer(&p->held, op_result(load));
    int number = p->first_kept + (which - 1) * p->num_kept + at - p->num_held + 1;
    return (int64_t)number * KEPT_READS + w->nest;
}

static void write_scan(Writer *w, const Op *scan, Op *piece) {
    const Pieces *p = w->p;
    int count = scan->num_operands;
    Value **results = arena_array(p->px->scratch, Value *, count);
    Value **before =
        w->scanned + scans_count(p->dims, &p->nests.data[w->nest]->ops, p->number, scan);
    scan_go_on(w->b, scan, piece, before, results);
    for (int i = 0; i < count; i++) map_set_pointer(&w->made, &scan->results[i], results[i]);
}

static void write_op(Writer *w, const Op *op) {
    const Pieces *p = w->p;
    w->b->span = op->span;
    if (op->kind == OP_ARANGE) {
        int start = (int)arange_start(op);
        Value *lanes = build_arange(w->b, start, start + p->piece);
        Value *first = build_splat(w->b, w->start, 1, &p->piece);
        map_set_pointer(&w->made, op_result(op), build_2(w->b, OP_ADD, first, lanes));
        return;
    }
    if (op->kind == OP_HINT && !holds_of_piece(p, op)) {
        map_set_pointer(&w->made, op_result(op), map_get_pointer(&w->made, op->operands[0]));
        return;
    }
    Op *clone = op_clone(w->b, op, &w->made);
    op_resolve_operands(clone);
    /* In a loop a turn's stores are behind those of the one before. */
    if (op->kind == OP_STORE && !store_part(op) && !op_is_in_loop(op))
        store_set_part(clone, p->first_part + order_of(p, op));
    if (op->kind == OP_LOAD) load_set_kept(clone, 0); /* that was all of it, not a piece */
    if (op->kind == OP_LOAD && p->again) load_set_evict(clone, evict_of(w, op));
    if (w->turns && is_held(p, p->nests.data[w->nest], op))
        load_set_kept(clone, kept_of(w, op, p->num_held));
    if (op->kind == OP_STORE && p->again && !store_evict(op) && !store_cache(op) &&
        !store_volatile(op))
        store_set_evict(clone, EVICT_FIRST);
    for (int i = 0; i < op->num_results; i++)
        if (type_is_tile(op->results[i].type))
            clone->results[i].type = cut_type(p, &op->results[i]);
    if (scan_is_along(p->dims, op, p->number)) write_scan(w, op, clone);
}

static int count_reduced(const Nest *nest) {
    int count = nest->total ? 1 : 0;
    for (int i = 0; i < nest->ends.count; i++)
        if (nest->ends.data[i]->kind == OP_REDUCE) count += nest->ends.data[i]->num_operands;
    return count;
}

/* That a thread carries from piece to piece, where they are not folded. */
static int registers_reduced(const Pieces *p, const Nest *nest) {
    int registers = 0;
    for (int i = 0; i < nest->ends.count; i++) {
        const Op *end = nest->ends.data[i];
        for (int k = 0; end->kind == OP_REDUCE && k < end->num_operands; k++)
            registers += registers_of(p, cut_type(p, end->operands[k]));
    }
    return registers;
}

/* left: NULL before the first piece. The last is the sum that is made with a maximum. */
static void write_combinations(Writer *w, const Nest *nest, Value *const *left, Value **result) {
    int at = 0, last = count_reduced(nest) - 1;
    bool folds = registers_reduced(w->p, nest) > MOST_CARRIED;
    for (int i = 0; i < nest->ends.count; i++) {
        const Op *end = nest->ends.data[i];
        if (end->kind != OP_REDUCE) continue;
        Value **right = arena_array(w->p->px->scratch, Value *, end->num_operands);
        for (int n = 0; n < end->num_operands; n++)
            right[n] = map_get_pointer(&w->made, end->operands[n]);
        if (end == nest->most) {
            Value *so_far[2] = {left ? left[at] : NULL, left ? left[last] : NULL};
            online_turn(w->b, end, nest->total, right[0], so_far);
            result[at] = so_far[0], result[last] = so_far[1];
        } else {
            if (folds && reduce_by_value(end)) fold_lanes(w->b, end, FOLD, right);
            int number = nest->order == SCANS_BACKWARDS ? -1 : w->p->number;
            if (left) reduce_combine(w->b, w->p->dims, number, end, left + at, right);
            memcpy(result + at, right, sizeof *right * (size_t)end->num_operands);
        }
        at += end->num_operands;
    }
}

/* The reductions, of what is left of the lanes. */
static void write_reductions(Writer *w, const Nest *nest, Value *const *operands) {
    for (int i = 0; i < nest->ends.count; i++) {
        Op *end = nest->ends.data[i];
        if (end->kind != OP_REDUCE) continue;
        Map none = {.arena = w->p->px->scratch};
        w->b->span = end->span;
        Op *made = op_clone(w->b, end, &none);
        for (int k = 0; k < end->num_operands; k++) {
            made->operands[k] = *operands++;
            end->results[k].replaced = &made->results[k];
        }
    }
    cluster_meet(&w->p->cluster, w->b, &nest->ends);
}

/* Writes an op of one of the first pieces, which stand before the loop: what is held of it in
 * registers is there, or is from now on. What is kept in shared memory is a load of the same number
 * in each nest: were it one for all, what is made of it would be held, too. */
static void write_first_op(Writer *w, const Op *op, int at) {
    const Pieces *p = w->p;
    bool held = at < p->num_held + p->num_kept && is_held(p, p->nests.data[w->nest], op);
    Value *there = held ? map_get_pointer(&p->held_of[at], op_result(op)) : NULL;
    bool kept = held && at >= p->num_held;
    if (there && !kept) {
        map_set_pointer(&w->made, op_result(op), there);
        return;
    }
    write_op(w, op);
    if (!held) return;
    Value *value = map_get_pointer(&w->made, op_result(op));
    if (kept) load_set_kept(value->def, kept_of(w, op, at));
    map_set_pointer(&p->held_of[at], op_result(op), value);
}

/* Which ops of the nest make what is held, that too. */
static bool *held_first(const Pieces *p, const Nest *nest) {
    bool *first = arena_array(p->px->scratch, bool, p->fn->num_values);
    for (int i = nest->ops.count - 1; i >= 0; i--) {
        const Op *op = nest->ops.data[i];
        bool held = is_held(p, nest, op);
        if (op->num_results != 1 || !(held || first[op_result(op)->id])) continue;
        first[op_result(op)->id] = true;
        for (int k = 0; k < op->num_operands; k++) first[op->operands[k]->id] = true;
    }
    return first;
}

/* The first pieces: what is held of them is loaded before the first is waited for; what is kept in
 * shared memory is read where it is wanted. */
static Writer *write_held(const Pieces *p, Builder *b, int number, int count, const bool *first,
                          Value **scanned) {
    const Nest *nest = p->nests.data[number];
    Writer *writers = arena_array(p->px->scratch, Writer, count);
    for (int k = 0; k < count; k++) {
        Writer *w = &writers[k];
        *w = (Writer){.p = p, .b = b, .made = {.arena = p->px->scratch}, .nest = number};
        b->span = nest->ends.data[0]->span;
        w->scanned = scanned;
        int64_t at = (int64_t)k * p->piece;
        if (nest->order == SCANS_BACKWARDS) at = p->size - p->piece - at;
        Value *start = build_int(b, type_scalar(TYPE_I32), at);
        w->start = cluster_start(&p->cluster, b, start, p->piece);
        w->early = k < p->num_held || (k < p->num_held + p->num_kept && !p->held_of[k].count);
        for (int i = 0; i < nest->ops.count; i++) {
            const Op *op = nest->ops.data[i];
            if (w->early && op->num_results == 1 && first[op_result(op)->id])
                write_first_op(w, op, k);
        }
    }
    return writers;
}

static void write_rest(Writer *w, const Nest *nest, int at, const bool *first) {
    for (int i = 0; i < nest->ops.count; i++) {
        const Op *op = nest->ops.data[i];
        if (op->kind == OP_REDUCE && ops_have(&nest->ends, op)) continue;
        bool written = w->early && op->num_results == 1 && first[op_result(op)->id];
        if (!written) write_first_op(w, op, at);
    }
}

/* The pieces from `first` on; sums: what the reductions have of those before, and then of all.
 * Every other nest begins at the end: what the one before read last the caches still have. Those
 * before `end` may be the kept ones. */
static void write_loop(const Pieces *p, Builder *b, int number, int first, int end, int count,
                       Value **sums) {
    const Nest *nest = p->nests.data[number];
    Func *fn = p->fn;
    const Type *i32 = type_scalar(TYPE_I32);
    int reduced = count_reduced(nest);
    Value **operands = arena_array(p->px->scratch, Value *, FOR_BOUNDS + count);
    Value **args = arena_array(p->px->scratch, Value *, count);
    const Type **types = arena_array(p->px->scratch, const Type *, count);
    operands[0] = build_int(b, i32, (int64_t)first * p->piece);
    operands[1] = build_int(b, i32, (int64_t)end * p->piece);
    operands[2] = build_int(b, i32, p->piece);
    Region *body = region_new(fn);
    Value *index = region_add_arg(fn, body, i32);
    for (int i = 0; i < count; i++) {
        operands[FOR_BOUNDS + i] = sums[i], types[i] = sums[i]->type;
        args[i] = region_add_arg(fn, body, types[i]);
    }
    Builder inside = {.fn = fn, .region = body, .span = b->span};
    bool kept = end <= p->num_held + p->num_kept;
    int64_t last = p->size / p->cluster.blocks - p->piece;
    bool ends = nest->order == SCANS_BACKWARDS; /* the first pieces were the last ones */
    if (ends || (number % 2 && !kept && !nest->order)) {
        int64_t both = (ends ? 0 : (int64_t)first * p->piece) + last;
        index = build_2(&inside, OP_SUB, build_int(b, i32, both), index);
    }
    Writer turn = {.p = p, .b = &inside, .nest = number};
    turn.start = cluster_start(&p->cluster, &inside, index, p->piece);
    turn.streams = !kept, turn.turns = kept;
    turn.scanned = args + reduced;
    turn.made.arena = p->px->scratch;
    for (int i = 0; i < nest->ops.count; i++)
        if (nest->ops.data[i]->kind != OP_REDUCE || !ops_have(&nest->ends, nest->ops.data[i]))
            write_op(&turn, nest->ops.data[i]);
    write_combinations(&turn, nest, args, sums);
    memcpy(sums + reduced, args + reduced, sizeof *args * (size_t)(count - reduced));
    build_yield(&inside, count, sums);
    Op *loop = build_op(b, OP_FOR, FOR_BOUNDS + count, operands, count, types, 1, &body);
    for (int i = 0; i < count; i++) sums[i] = &loop->results[i];
}

/* Was all that the nest reads loaded by those before? Other loads would be waited for in each turn
 * of a loop, where straight text has those of several pieces under way. */
static bool reads_again(const Pieces *p, const Nest *nest) {
    bool all = true, some = false;
    for (int i = 0; i < nest->ops.count; i++) {
        const Op *op = nest->ops.data[i];
        if (op->kind != OP_LOAD) continue;
        bool before =
            is_held(p, nest, op) && map_get_pointer(&p->held_of[p->num_held], op_result(op));
        all &= before, some |= before;
    }
    return all || (some && p->brief);
}

/* Where something is reduced, one piece at least stands before the loop: its lanes are what the
 * reduction starts from. Where nothing is, the loop comes first: what it reads again is in the
 * caches until much else is written. */
static void write_nest(const Pieces *p, int number) {
    const Nest *nest = p->nests.data[number];
    Builder b = {.fn = p->fn, .region = nest->before->parent, .before = nest->before};
    int reduced = count_reduced(nest),
        count = reduced + scans_count(p->dims, &nest->ops, p->number, NULL);
    int first = holds_any(p, nest) ? p->num_held + p->num_kept : 0;
    Value **sums = arena_array(p->px->scratch, Value *, count);
    if (count && !first) first = 1;
    int pieces = num_pieces(p), straight = first;
    bool streams = first < pieces;
    if (p->loops && first > 1 && reads_again(p, nest)) straight = p->num_held;
    b.span = nest->ends.data[0]->span;
    if (streams && !count) write_loop(p, &b, number, first, pieces, count, sums);
    const bool *held = held_first(p, nest);
    Writer *writers = write_held(p, &b, number, straight, held, sums + reduced);
    for (int k = 0; k < straight; k++) {
        b.span = nest->ends.data[0]->span;
        write_rest(&writers[k], nest, k, held);
        write_combinations(&writers[k], nest, k ? sums : NULL, sums);
    }
    b.span = nest->ends.data[0]->span;
    if (straight < first) write_loop(p, &b, number, straight, first, count, sums);
    if (streams && count) write_loop(p, &b, number, first, pieces, count, sums);
    Writer w = {.p = p, .b = &b};
    write_reductions(&w, nest, sums);
    for (int i = 0; i < nest->behind.count; i++) op_move_before(nest->behind.data[i], nest->before);
    if (!nest->total) return;
    int most = 0;
    for (int i = 0; nest->ends.data[i] != nest->most; i++)
        if (nest->ends.data[i]->kind == OP_REDUCE) most += nest->ends.data[i]->num_operands;
    online_end(p->fn, nest->total, (Value *[]){sums[most], sums[reduced - 1]});
}

static void write_all(Pieces *p) {
    for (int i = 0; i < p->nests.count; i++) write_nest(p, i);
    cluster_store(&p->cluster);
    func_resolve(p->fn);
    for (int i = 0; i < p->nests.count; i++)
        for (int k = 0; k < p->nests.data[i]->ends.count; k++)
            op_remove(p->nests.data[i]->ends.data[k]);
    if (p->cluster.blocks > 1) load_weights(p->fn, p->threads);
    func_renumber(p->fn);
}

/* ---- all ---- */

static bool plan(Pieces *p) {
    p->waits = arena_array(p->px->scratch, int, p->fn->num_values);
    p->loaded = arena_array(p->px->scratch, const Nest *, p->fn->num_values);
    p->nests.count = 0, p->meets.count = 0, p->open = NULL, p->failed = false;
    plan_region(p, p->fn->body);
    if (p->failed || !p->nests.count) return false;
    for (int i = 0; i < p->meets.count; i++)
        if (!meets_never(p->px, p->facts, p->dims, p->number, &p->meets.data[i])) return false;
    choose_held(p);
    return true;
}

/* ---- clusters ---- */

/* Several blocks, that hold all of a row; else one, as before. */
static void choose_cluster(Pieces *p) {
    const Pieces one = *p;
    p->cluster = (Cluster){p->px, p->fn, p->facts, .threads = p->threads};
    p->cluster.blocks = 1;
    if (!p->scans) cluster_choose(&p->cluster, p->nests.count, p->nests.data, &p->held);
    if (!p->cluster.chosen) return;
    Cut cut = {.number = p->number};
    p->threads = p->cluster.threads;
    p->piece = piece_of(p, &cut);
    bool fits = p->piece && p->size % (p->piece * p->cluster.blocks) == 0 && num_pieces(p) > 1;
    if (fits) choose_held(p);
    if (fits && p->num_held + p->num_kept == num_pieces(p)) {
        p->fn->num_warps = p->threads / 32;
        p->fn->shares = true;
        return;
    }
    *p = one;
    choose_held(p);
}

/* What the passes before have done for the tiles as they were. */
static void tidy(PassCtx *px, Func *fn) {
    pass_dce(px, fn);
    pass_shape(px, fn);
    pass_licm(px, fn);
    pass_fold(px, fn);
    pass_cse(px, fn);
    pass_dce(px, fn);
    func_renumber(fn);
}

static bool plan_cut(Pieces *p) {
    if (!choose_cut(p) || !plan(p)) return false;
    choose_cluster(p);
    return true;
}

/* If its registers have room for all, then for no other block beside it: nobody loads while it
 * computes, or waits. */
static bool is_crowded(const Pieces *p, int live) {
    return p->px->clusters && !p->scan_lanes && 2 * p->threads * live >= BLOCK_REGISTERS;
}

/* Rows that are so held that blocks share a multiprocessor; else nothing has changed. */
static bool plan_shared(Pieces *p) {
    const Pieces whole = *p;
    if (p->threads > CROWDED_THREADS) p->threads = CROWDED_THREADS;
    p->is_short = true;
    if (plan_cut(p) && p->cluster.chosen) return true;
    *p = whole;
    return false;
}

static bool cut_one(PassCtx *px, Func *fn) {
    Arena *scratch = px->scratch;
    func_renumber(fn);
    Pieces p = {.px = px, .fn = fn, .order = {.arena = scratch}};
    p.cluster.blocks = 1;
    int warps = fn->num_warps ? fn->num_warps : 4;                 /* none in a text */
    if (warps < 1 || warps > MAX_BLOCK_THREADS / 32) return false; /* `place` refuses it */
    p.threads = 32 * warps;
    region_walk(fn->body, note_order, &p.order);
    int live = most_live(&p, -1), registers = registers_for_tiles(&p);
    p.is_short = live > registers;
    p.scan_lanes = scans_lanes(px, fn, p.threads, live > registers + MOST_SPILLED);
    bool crowded = is_crowded(&p, live);
    if (!p.is_short && !p.scan_lanes && !crowded) return false;
    p.dims = dims_find(scratch, fn);
    p.facts = facts_compute_linear(scratch, fn);
    p.has_atomics = func_has_atomics(fn);
    bool shared = crowded && plan_shared(&p);
    if (!shared && !((p.is_short || p.scan_lanes) && plan_cut(&p))) return false;
    bool streams = p.num_held + p.num_kept < num_pieces(&p);
    p.joins = streams && p.threads >= SUM_THREADS && !px->precise;
    if (p.joins && !plan(&p)) return false;
    diag_remark(px->diag, fn->span, "computed in pieces of %d of %d lanes: %s", p.piece, p.size,
                p.is_short ? "registers are short" : "scans are long");
    write_all(&p);
    tidy(px, fn);
    return true;
}

bool pass_pieces(PassCtx *px, Func *fn) {
    bool changed = false;
    for (int i = 0; i < MAX_RANK && fn->form == FORM_PROGRAM && cut_one(px, fn); i++)
        changed = true;
    return changed;
}
