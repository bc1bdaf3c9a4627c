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
#include "opt/gpu/pieces_plan.h"
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
    MEETING_SCRATCH = 512, /* of clusters, mostly */
    LEAST_REGISTERS = 64,  /* of a thread of theirs */
    MOST_KEPT = 48,        /* loads that wait in shared memory */
    MOST_TURNS = 16,       /* of a loop over them */
    MOST_LINES = 3000,     /* of what reads them again, roughly, where that is no loop */
    MOST_SPILLED = 64,     /* registers, where a scan stays whole */
    MANY_LINES = 5000,     /* straight, where numbers below 32 bits go one by one; then not .. */
    FEW_LINES = 3500,      /* .. more than that */
    MOST_CARRIED = 16,     /* registers of a thread, of reductions */
    CROWDED_THREADS = 256, /* at most, for which such tiles are cut */
    CLUSTER_HELD = 8,      /* of how many pieces of a cluster's block one is in registers */
};

static bool note_order(Op *op, void *order) {
    map_set_pointer(order, op, (void *)(intptr_t)(((Map *)order)->count + 1));
    return true;
}

static int registers_of(const Pieces *p, const Type *type) {
    return registers_a_thread(p->threads, type);
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

/* ---- what is held ---- */

static const Type *cut_type(const Pieces *p, const Value *value) {
    const Type *type = value->type;
    int shape[MAX_RANK], dim = dims_at(p->dims, value, p->number);
    memcpy(shape, type->shape, sizeof shape);
    if (dim >= 0) shape[dim] = p->piece;
    return type_tile(p->fn->types, type_lane(type), type->rank, shape);
}

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
    p->holds_narrow = false;
    *bytes = 0;
    for (int i = 0; i < p->nests.count; i++)
        for (int k = 0; k < i; k++) {
            const Nest *a = p->nests.data[k], *b = p->nests.data[i];
            for (int n = 0; n < a->ops.count && a->before->parent == b->before->parent; n++) {
                Op *op = a->ops.data[n];
                bool held = op->kind == OP_LOAD && map_get_pointer(&p->held, op_result(op));
                if (op->kind != OP_LOAD || held || pieces_row(p, op) || !ops_have(&b->ops, op) ||
                    (p->cluster.rereads && !pieces_of_program(p->px->scratch, load_pointer(op))))
                    continue;
                map_set_pointer(&p->held, op_result(op), (void *)(intptr_t)(p->held.count + 1));
                map_set_pointer(&p->home, op_result(op), a->before->parent);
                const Type *type = cut_type(p, op_result(op));
                p->holds_narrow |= type_size_bytes(type) < 4;
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

static bool note_row(Op *op, void *user) {
    Pieces *p = user;
    if (op->kind == OP_STOW && stow_row(op) >= p->first_row) p->first_row = (int)stow_row(op) + 1;
    return true;
}

/* For the other blocks of the multiprocessor. */
static bool has_room_beside(const Pieces *p, const Arch *arch, int bytes) {
    int blocks = BLOCK_REGISTERS / (p->threads * LEAST_REGISTERS);
    if (blocks > p->cluster.beside) blocks = p->cluster.beside;
    return arch_blocks(arch, bytes + MEETING_SCRATCH) >= blocks;
}

/* Shared memory is for as many blocks as have registers; where there are products it is theirs. */
static int choose_kept(const Pieces *p, int pieces, int bytes) {
    const Arch *arch = arch_find(str_of(p->px->target ? p->px->target : ""));
    int blocks = p->cluster.chosen ? 1 : BLOCK_REGISTERS / (p->threads * (MOST_REGISTERS + 1));
    if (!arch || !bytes || region_has(p->fn->body, OP_DOT)) return 0;
    int room = arch->shared_limit / (blocks < 1 ? 1 : blocks) - SPARE_SHARED;
    int held = arch->shared_limit - SMALL_SCRATCH - LEAST_SCRATCH; /* by pass hold */
    if (room > held) room = held;
    int most = room < 0 ? 0 : room / bytes, loads = p->held.count;
    if (most > MOST_KEPT / loads) most = MOST_KEPT / loads;
    while (p->cluster.chosen && most && !has_room_beside(p, arch, most * bytes)) most--;
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

/* Beside what is put by, which is as slow: what is read again of a row is a loop, whatever else. */
static void hold_few(Pieces *p, int bytes) {
    int pieces = num_pieces(p);
    p->num_held = 1;
    p->num_kept = choose_kept(p, pieces - 1, bytes);
    if (p->num_kept > MOST_TURNS) p->num_kept = MOST_TURNS;
    p->loops = p->brief = true;
    while (p->num_kept && singly_lines(p) > FEW_LINES / 2) p->num_kept--;
}

/* As many of the first pieces as there are registers for, with some for the piece at work, are
 * loaded once. */
static void choose_held(Pieces *p) {
    p->held = p->home = (Map){.arena = p->px->scratch};
    int bytes, each = find_held(p, &bytes), pieces = num_pieces(p);
    region_walk(p->fn->body, note_kept, p);
    p->each = each;
    if (p->scans) each = bytes = 0; /* straight text for each of them is what was too long */
    p->num_held = each ? count_held(p, each, WORK_REGISTERS) : 0;
    int few = (pieces + CLUSTER_HELD - 1) / CLUSTER_HELD;
    if (p->cluster.chosen && p->num_held > few)
        p->num_held = few + (pieces - few - choose_kept(p, pieces - few, bytes));
    p->num_kept = choose_kept(p, pieces - p->num_held, bytes);
    if (each && p->num_held + p->num_kept < pieces) p->num_held = count_held(p, each, LEAST_WORK);
    if (p->num_kept > pieces - p->num_held) p->num_kept = pieces - p->num_held;
    p->loops = !p->cluster.is_straight && is_long(p), p->brief = false;
    if (p->stowed.count && p->num_held)
        hold_few(p, bytes);
    else
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

static bool finds_program(const Value *value, Map *seen) {
    const Op *op = value->def;
    if (!op || map_get_pointer(seen, op)) return false;
    map_set_pointer(seen, op, (void *)(uintptr_t)1);
    if (op->kind == OP_PROGRAM_ID) return true;
    for (int i = 0; i < op->num_operands; i++)
        if (finds_program(op->operands[i], seen)) return true;
    return false;
}

bool pieces_of_program(Arena *scratch, const Value *value) {
    Map seen = {.arena = scratch};
    return finds_program(value, &seen);
}

/* Where much of a row is not held, the second cache keeps what is read again of it, and nothing
 * that is read for the last time or written. What all programs read it keeps anyway. */
static int64_t evict_of(const Writer *w, const Op *load) {
    const Pieces *p = w->p;
    bool chosen = load_evict(load) || load_cache(load) || load_volatile(load);
    if (chosen || !map_get_pointer(&p->held, op_result(load))) return load_evict(load);
    if (!pieces_of_program(p->px->scratch, load_pointer(load))) return load_evict(load);
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
    const Nest *nest = p->nests.data[w->nest];
    Ops made = pieces_made(p, &nest->ops, &nest->ends);
    Value **before = w->scanned + scans_count(p->dims, &made, p->number, scan);
    scan_go_on(w->b, scan, piece, before, results);
    for (int i = 0; i < count; i++) map_set_pointer(&w->made, &scan->results[i], results[i]);
}

static Value *number_of_piece(const Writer *w) {
    return build_2(w->b, OP_DIV_U, w->start, build_int(w->b, w->start->type, w->p->piece));
}

static int row_in(const Pieces *p, const Op *op, int result) {
    return p->first_row + pieces_row(p, op) - 1 + result;
}

static void write_stow(Writer *w, const Op *op) {
    for (int i = 0; i < op->num_results; i++) {
        Value *operands[2] = {number_of_piece(w), map_get_pointer(&w->made, &op->results[i])};
        Op *put = build_op(w->b, OP_STOW, 2, operands, 0, NULL, 0, NULL);
        stow_set_row(put, row_in(w->p, op, i)), stow_set_pieces(put, num_pieces(w->p));
    }
}

static void write_fetch(Writer *w, const Op *op) {
    Value *number = number_of_piece(w);
    for (int i = 0; i < op->num_results; i++) {
        const Type *type = cut_type(w->p, &op->results[i]);
        Op *got = build_op(w->b, OP_FETCH, 1, &number, 1, &type, 0, NULL);
        fetch_set_row(got, row_in(w->p, op, i)), fetch_set_pieces(got, num_pieces(w->p));
        map_set_pointer(&w->made, &op->results[i], op_result(got));
    }
}

static void write_op(Writer *w, const Op *op) {
    const Pieces *p = w->p;
    bool is_stowed = pieces_row(p, op) > 0;
    w->b->span = op->span;
    if (is_stowed && !ops_have(&p->nests.data[w->nest]->ends, op)) {
        write_fetch(w, op);
        return;
    }
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
    if ((op->kind == OP_EXP || op->kind == OP_FDIV) && !p->px->precise) {
        Value *x = map_get_pointer(&w->made, op->operands[0]), *made;
        if (op->kind == OP_EXP)
            made = online_rough(w->b, p->nests.data, w->nest, op, x);
        else
            made = online_inverse(w->b, p->nests.data, w->nest, op, x,
                                  map_get_pointer(&w->made, op->operands[1]));
        if (made) map_set_pointer(&w->made, op_result(op), made);
        if (made) return;
    }
    Op *clone = op_clone(w->b, op, &w->made);
    op_resolve_operands(clone);
    /* In a loop a turn's stores are behind those of the one before. */
    if (op->kind == OP_STORE && !store_part(op) && !op_is_in_loop(op))
        store_set_part(clone, p->first_part + pieces_order(p, op));
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
    if (is_stowed) write_stow(w, op);
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

/* A product comes to the sum of those before by one fma, where the row that blocks hold is of fewer
 * than 32 bits: of 32, layer norm is 1.5 % slower by it (262144 columns, H200). */
static void contract(const Writer *w, Value **sum) {
    const Op *add = (*sum)->def,
             *product = add && add->kind == OP_FADD ? add->operands[1]->def : NULL;
    bool one = w->p->cluster.chosen && w->p->held.count == 1; /* with two, ptxas spills */
    bool fuses = one && w->p->holds_narrow && !w->p->px->precise;
    if (!fuses || !product || product->kind != OP_FMUL || product->parent != add->parent) return;
    *sum = build_3(w->b, OP_FMA, product->operands[0], product->operands[1], add->operands[0]);
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
            for (int n = 0; n < end->num_operands && left; n++) contract(w, &right[n]);
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
    Ops made = pieces_made(p, &nest->ops, &nest->ends);
    int reduced = count_reduced(nest),
        count = reduced + scans_count(p->dims, &made, p->number, NULL);
    int first = holds_any(p, nest) ? p->num_held + p->num_kept : 0;
    Value **sums = arena_array(p->px->scratch, Value *, count);
    int pieces = num_pieces(p);
    if ((count || pieces == 1) && !first) first = 1;
    int straight = first;
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
    cluster_begin(&p->cluster);
    for (int i = 0; i < p->nests.count; i++) write_nest(p, i);
    cluster_store(&p->cluster);
    func_resolve(p->fn);
    for (int i = 0; i < p->nests.count; i++)
        for (int k = 0; k < p->nests.data[i]->ends.count; k++)
            if (!pieces_row(p, p->nests.data[i]->ends.data[k])) /* nobody reads that */
                op_remove(p->nests.data[i]->ends.data[k]);
    if (p->cluster.chosen) load_weights(p->fn, p->threads);
    const Nest *last = p->nests.data[p->nests.count - 1];
    if (p->cluster.chosen && last->ends.count == 1) load_ahead(p->fn, p->threads);
    func_renumber(p->fn);
}

/* ---- all ---- */

static bool plan(Pieces *p) {
    if (!pieces_plan(p)) return false;
    choose_held(p);
    return true;
}

/* ---- clusters ---- */

/* As many blocks share a multiprocessor as leave room for all pieces, half of the registers for
 * work. */
static bool choose_beside(Pieces *p) {
    for (; p->cluster.beside; p->cluster.beside--) {
        choose_held(p);
        int most = BLOCK_REGISTERS / p->threads / p->cluster.beside;
        bool has_room = p->num_held < 2 || p->num_held * p->each * 2 <= most;
        if (has_room && p->num_held + p->num_kept == num_pieces(p)) return true;
    }
    return false;
}

/* Several blocks, that hold all of a row; else one, as before. */
static void choose_cluster(Pieces *p) {
    const Pieces one = *p;
    p->cluster = (Cluster){p->px, p->fn, p->facts, .threads = p->threads};
    p->cluster.blocks = 1;
    if (!p->scans && !p->stowed.count)
        cluster_choose(&p->cluster, p->nests.count, p->nests.data, &p->held);
    Cut cut = {.number = p->number};
    if (p->cluster.chosen) p->threads = p->cluster.threads, p->piece = piece_of(p, &cut);
    bool fits = p->cluster.chosen && p->piece && p->size % (p->piece * p->cluster.blocks) == 0 &&
                num_pieces(p) > 1;
    if (fits && choose_beside(p)) {
        p->fn->num_warps = p->threads / 32;
        p->fn->shares = p->cluster.beside;
        cluster_ask(&p->cluster, p->dims, p->number);
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

/* Each block of a cluster has a row. */
static bool choose_rows(Pieces *p) {
    const Cluster one = p->cluster;
    p->cluster = (Cluster){p->px, p->fn, p->facts, .threads = p->threads, .blocks = 1, .groups = 1};
    if (!p->scans && !p->stowed.count)
        cluster_choose_rows(&p->cluster, p->nests.count, p->nests.data, p->size);
    if (p->cluster.blocks == 1) {
        p->cluster = one;
        return false;
    }
    cluster_ask(&p->cluster, p->dims, p->number);
    p->piece = 1;
    choose_held(p);
    return true;
}

static bool plan_cut(Pieces *p) {
    if (!choose_cut(p) || !plan(p)) return false;
    if (!choose_rows(p)) choose_cluster(p);
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

static bool cut_one(PassCtx *px, Func *fn, bool *moved) {
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
    p.stowed.arena = scratch;
    region_walk(fn->body, note_row, &p);
    p.scan_lanes = scans_lanes(px, fn, p.threads, registers, live > registers + MOST_SPILLED);
    /* Fewer spill little: 36 bytes of 384 registers. */
    p.may_stow = live > 2 * registers || p.scan_lanes;
    bool crowded = is_crowded(&p, live);
    if (!p.is_short && !p.scan_lanes && !crowded) {
        *moved = load_weights_of_whole(fn, p.threads, live);
        return false;
    }
    p.dims = dims_find(scratch, fn);
    p.facts = facts_compute_linear(scratch, fn);
    p.has_atomics = func_has_atomics(fn);
    bool shared = crowded && plan_shared(&p);
    if (!shared && !((p.is_short || p.scan_lanes) && plan_cut(&p))) return false;
    bool streams = p.cluster.blocks == 1 && p.num_held + p.num_kept < num_pieces(&p);
    p.joins = streams && p.threads >= SUM_THREADS && !px->precise;
    if (p.joins && !plan(&p)) return false;
    diag_remark(px->diag, fn->span, "computed in pieces of %d of %d lanes: %s", p.piece, p.size,
                p.is_short ? "registers are short" : "scans are long");
    write_all(&p);
    tidy(px, fn);
    return true;
}

bool pass_pieces(PassCtx *px, Func *fn) {
    bool changed = false, moved = false;
    for (int i = 0; i < MAX_RANK && fn->form == FORM_PROGRAM && cut_one(px, fn, &moved); i++)
        changed = true;
    return changed || moved;
}
