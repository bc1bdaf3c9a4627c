// SPDX-License-Identifier: Apache-2.0
/* tirwalk: what a loop accesses at an address that moves on from turn to turn has that address
 * carried, not made anew in each turn.
 *
 *     o = 0;  L1: a = base + (o << 1);  c = a + lane;  x = load [c];  .. o = o + 64;  branch L1
 *     p = base + lane;  L1: x = load [p];  .. p = p + 128;  branch L1
 *
 * ptxas unrolls such loops, and then the accesses of several turns differ by a number that is part
 * of the instruction; sums of two registers it makes for each: in a loop that loads little in a
 * turn, as a row times a vector does, they are most of what a warp has to issue.
 *
 * Only in loops without others in them, and without products: these have their own ways of moving
 * on, and no registers to spare. Where a thread would carry more than a few addresses all stays. */
#include "gen/ptx/tir.h"
#include <stdlib.h>

enum { MOST_TERMS = 12, MOST_WALKERS = 4, MOST_ACCESSES = 64 };

/* A value times a number, which an address is a sum of. */
typedef struct Term {
    Tir value;
    uint64_t scale;
} Term;

typedef struct Sum {
    Term terms[MOST_TERMS];
    int count;
    uint64_t constant;
} Sum;

/* An address that a thread carries: where the loop begins, and by how much a turn moves it. */
typedef struct Walker {
    Tir start, step, variable;
} Walker;

/* Of a variable: how often, and first and last where, it is assigned. */
typedef struct Sets {
    int count;
    Tir first, last;
} Sets;

typedef struct Walk {
    Tirs *b;
    const Sets *sets;
    const Tir *label_at;
    Tir head, back; /* the loop: its label and the branch to it */
    bool *fixed;    /* instructions whose values are the same in all turns */
    Walker walkers[MOST_WALKERS];
    int num_walkers, num_accesses;
    Tir accesses[MOST_ACCESSES];
    int walker_of[MOST_ACCESSES];
    uint64_t constants[MOST_ACCESSES];
} Walk;

static TirIns *at(const Walk *w, Tir x) { return &w->b->list.data[x]; }

/* ---- the loop ---- */

static bool is_backwards(const Walk *w, Tir x) {
    return at(w, x)->kind == TIR_BRANCH && w->label_at[at(w, x)->imm] < x;
}

/* Without other loops, products and copies. */
static bool is_plain(const Walk *w) {
    for (Tir x = w->head + 1; x < w->back; x++) {
        const TirIns *ins = at(w, x);
        if (ins->kind == TIR_MMA || ins->kind == TIR_WGMMA || ins->kind == TIR_COPY) return false;
        if (is_backwards(w, x)) return false;
    }
    return true;
}

static bool is_inside(const Walk *w, Tir x) { return x >= w->head && x < w->back; }

static bool is_fixed(const Walk *w, Tir x) {
    if (at(w, x)->kind != TIR_VAR) return x < w->head || w->fixed[x - w->head];
    const Sets *sets = &w->sets[x];
    return sets->count <= 2 && !is_inside(w, sets->first) && !is_inside(w, sets->last);
}

static void find_fixed(Walk *w) {
    for (Tir x = w->head; x < w->back; x++) {
        const TirIns *ins = at(w, x);
        bool fixed = ins->kind == TIR_PURE || ins->kind == TIR_CONST || ins->kind == TIR_SPECIAL ||
                     ins->kind == TIR_PARAM || ins->kind == TIR_ADDRESS;
        for (int i = 0; i < ins->num_args && fixed; i++) fixed = is_fixed(w, ins->args[i]);
        w->fixed[x - w->head] = fixed;
    }
}

/* What a variable of the loop begins as, and is moved by at its end; behind no label, so in each
 * turn. */
static bool moves(const Walk *w, Tir variable, Tir *start, Tir *step) {
    const Sets *sets = &w->sets[variable];
    Tir first = sets->first, last = sets->last;
    if (sets->count != 2 || first >= w->head || !is_inside(w, last)) return false;
    for (Tir x = last; x < w->back; x++)
        if (at(w, x)->kind == TIR_LABEL || at(w, x)->kind == TIR_BRANCH) return false;
    Tir next = at(w, last)->args[1];
    if (!tir_is(w->b, next, TIR_ADD64)) return false;
    const Tir *args = at(w, next)->args;
    *start = at(w, first)->args[1];
    *step = args[0] == variable ? args[1] : args[1] == variable ? args[0] : 0;
    return *step && is_fixed(w, *step);
}

/* ---- addresses ---- */

static bool add_term(Sum *sum, Tir value, uint64_t scale) {
    if (sum->count == MOST_TERMS) return false;
    sum->terms[sum->count++] = (Term){value, scale};
    return true;
}

/* scale * x, of sums and of products with numbers taken apart. */
static bool add_parts(const Walk *w, Sum *sum, Tir x, uint64_t scale, int depth) {
    const TirIns *ins = at(w, x);
    uint64_t number;
    if (tir_is_const(w->b, x, &number)) {
        sum->constant += scale * number;
        return true;
    }
    if (!depth) return false;
    if (tir_is(w->b, x, TIR_ADD64))
        return add_parts(w, sum, ins->args[0], scale, depth - 1) &&
               add_parts(w, sum, ins->args[1], scale, depth - 1);
    if (is_fixed(w, x)) return add_term(sum, x, scale);
    if (tir_is(w->b, x, TIR_SHL64) && tir_is_const(w->b, ins->args[1], &number) && number < 32)
        return add_parts(w, sum, ins->args[0], scale << number, depth - 1);
    return ins->kind == TIR_VAR && add_term(sum, x, scale);
}

static int by_value(const void *a, const void *b) {
    Tir x = ((const Term *)a)->value, y = ((const Term *)b)->value;
    return (x > y) - (x < y);
}

static Tir times(Tirs *b, Tir x, uint64_t scale) {
    return tir_2(b, TIR_MUL64, x, tir_const(b, CLASS_B64, scale));
}

static Tir plus(Tirs *b, Tir x, Tir y) { return x ? tir_2(b, TIR_ADD64, x, y) : y; }

/* Where an address starts, and its step; false: it stays, or moves otherwise. */
static bool walker_of(const Walk *w, Sum *sum, Walker *walker) {
    qsort(sum->terms, (size_t)sum->count, sizeof(Term), by_value);
    for (int i = 0; i < sum->count; i++) {
        const Term *t = &sum->terms[i];
        Tir start = t->value, step = 0;
        if (!is_fixed(w, t->value) && !moves(w, t->value, &start, &step)) return false;
        walker->start = plus(w->b, walker->start, times(w->b, start, t->scale));
        if (step) walker->step = plus(w->b, walker->step, times(w->b, step, t->scale));
    }
    return walker->step != 0;
}

static int find_walker(Walk *w, const Walker *walker) {
    for (int i = 0; i < w->num_walkers; i++)
        if (w->walkers[i].start == walker->start && w->walkers[i].step == walker->step) return i;
    if (w->num_walkers == MOST_WALKERS) return -1;
    w->walkers[w->num_walkers] = *walker;
    return w->num_walkers++;
}

/* False: the loop has too many. */
static bool note_access(Walk *w, Tir x) {
    Sum sum = {0};
    Walker walker = {0};
    enum { DEEPEST = 12 };
    Tir address = at(w, x)->args[0];
    if (tir_class(w->b, address) != CLASS_B64 || is_fixed(w, address)) return true;
    if (!add_parts(w, &sum, address, 1, DEEPEST) || !walker_of(w, &sum, &walker)) return true;
    int k = find_walker(w, &walker);
    if (k < 0 || w->num_accesses == MOST_ACCESSES) return false;
    w->accesses[w->num_accesses] = x;
    w->constants[w->num_accesses] = sum.constant;
    w->walker_of[w->num_accesses++] = k;
    return true;
}

/* ---- all ---- */

static void place_before(Tirs *b, Tir where) {
    TirMoved moved = {where, b->list.count - 1};
    vec_push(b->arena, &b->moved, moved);
}

static void carry(Walk *w) {
    Tirs *b = w->b;
    const TirIns *back = at(w, w->back);
    b->source_file = back->file, b->line = back->line, b->column = back->column;
    for (int k = 0; k < w->num_walkers; k++) {
        Walker *walker = &w->walkers[k];
        walker->variable = tir_var(b, CLASS_B64);
        tir_set(b, walker->variable, walker->start);
        place_before(b, w->head);
    }
    for (int k = 0; k < w->num_walkers; k++) {
        Walker *walker = &w->walkers[k];
        tir_set(b, walker->variable, tir_2(b, TIR_ADD64, walker->variable, walker->step));
        place_before(b, w->back);
    }
    for (int i = 0; i < w->num_accesses; i++) {
        Tir number = tir_const(b, CLASS_B64, w->constants[i]);
        Tir address = tir_2(b, TIR_ADD64, w->walkers[w->walker_of[i]].variable, number);
        at(w, w->accesses[i])->args[0] = address;
    }
}

static void walk_loop(Walk w) {
    if (!is_plain(&w)) return;
    w.fixed = arena_array(w.b->arena, bool, w.back - w.head);
    find_fixed(&w);
    for (Tir x = w.head; x < w.back; x++) {
        int kind = at(&w, x)->kind;
        bool accesses = kind == TIR_LOAD || kind == TIR_STORE || kind == TIR_ATOM;
        if (accesses && !note_access(&w, x)) return;
    }
    carry(&w);
}

void tir_walk(Tirs *b) {
    Tir *label_at = arena_array(b->arena, Tir, b->num_labels + 1);
    Sets *sets = arena_array(b->arena, Sets, b->list.count);
    int count = b->walked = b->list.count;
    for (Tir x = 1; x < count; x++) {
        const TirIns *ins = &b->list.data[x];
        if (ins->kind == TIR_LABEL) label_at[ins->imm] = x;
        if (ins->kind != TIR_SET) continue;
        Sets *of = &sets[ins->args[0]];
        of->last = x;
        if (!of->count++) of->first = x;
    }
    b->loop_start = 0; /* nothing that is made now is a loop's */
    for (Tir x = 1; x < count; x++) {
        Walk w = {.b = b, .sets = sets, .label_at = label_at, .back = x};
        if (is_backwards(&w, x)) w.head = label_at[b->list.data[x].imm], walk_loop(w);
    }
}
