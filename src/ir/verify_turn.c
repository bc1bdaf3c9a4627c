// SPDX-License-Identifier: Apache-2.0
/* verify_turn: the order of the ops on one ring. A turn goes through
 *
 *     acquire -> each part filled or put once -> ready -> peek .. -> release
 *
 * and may be acquired once the turn that had its buffer before, n - stages, is released.
 *
 * The text is walked along its paths with what is known of each turn. A turn is a value and a
 * number: %n, %n + 2, 0. A loop is walked turn by turn until what is known at its head stays the
 * same, seen from the values it carries: with %n + 1 as the next %n, what was turn %n + 2 is then
 * %n + 1. So a loop must be right however often it runs, unless its bounds are constants; both
 * arms of an if may be taken. Two things depend on data so often that a path on which they are
 * wrong may stand: that a turn was filled before it is made ready (it is filled under `if there is
 * a next`), and that all that was filled is made ready. Then only what is wrong on each path is
 * refused, and so it is for turns whose values are not told apart (one is loaded, or comes out of
 * an if). What is left is found by the interpreter when it runs. */
#include "ir/turn.h"
#include "ir/verify.h"

enum {            /* what a turn may be: several at once where paths meet */
       BELOW = 1, /* before turn 0: never was */
       UNUSED = 2,
       FILLING = 4, /* acquired */
       FULL = 8,    /* made ready */
       DONE = 16,   /* released */
       ANYTHING = 31,
       MOST_TURNS = 2 * MAX_STAGES, /* known at a time; what is more is forgotten */
       MOST_ROUNDS = 16,            /* of a loop, and one for each stage */
};

typedef struct State {
    Turn turn;
    unsigned may;
    unsigned some, all; /* parts that are filled on some path, on all of those that FILLING is of */
    int since;  /* commits since it was filled last, on the path of FILLING with the fewest */
    bool exact; /* each of `may` is so on some path */
} State;

typedef struct States {
    int count;
    State of[MOST_TURNS];
    State others; /* turns not listed */
} States;

typedef struct Walk {
    Verifier *v;
    const RingUses *uses;
    const Op *const *peeked;
    int *budget;
    int stages;
    unsigned parts; /* all of them, as a set */
    bool *counts;   /* by value id: turns are counted from it */
} Walk;

/* ---- turns ---- */

static const char *turn_text(const Walk *w, Turn turn) {
    if (!turn.root) return str_format(w->v->arena, "%lld", (long long)turn.offset).data;
    Str root = func_label(w->v->arena, w->v->fn, turn.root);
    if (turn.offset == 0) return root.data;
    return str_format(w->v->arena, "%.*s %c %lld", STR_ARG(root), turn.offset < 0 ? '-' : '+',
                      (long long)(turn.offset < 0 ? -turn.offset : turn.offset))
        .data;
}

/* "turn %n + 2 of ring %r is .." */
static bool bad(const Walk *w, const Op *op, Turn turn, const char *what) {
    Str ring = func_label(w->v->arena, w->v->fn, op_result(w->uses->ring));
    return verify_bad(w->v, op, "turn %s of ring %.*s %s", turn_text(w, turn), STR_ARG(ring), what);
}

/* ---- states ---- */

static State merged(State a, State b) {
    State both = {.turn = a.turn, .may = a.may | b.may, .exact = a.exact && b.exact};
    both.some = a.some | b.some;
    both.all = !(a.may & FILLING) ? b.all : !(b.may & FILLING) ? a.all : a.all & b.all;
    bool of_a = !(b.may & FILLING) || (a.may & FILLING && a.since < b.since);
    both.since = of_a ? a.since : b.since;
    return both;
}

static int index_of(const States *s, Turn turn) {
    for (int i = 0; i < s->count; i++)
        if (same_turn(s->of[i].turn, turn)) return i;
    return -1;
}

/* A turn that is counted from another value may be one that is listed. */
static State look(const States *s, Turn turn) {
    int index = index_of(s, turn);
    if (index >= 0) return s->of[index];
    if (!turn.root && turn.offset < 0) return (State){.turn = turn, .may = BELOW, .exact = true};
    State state = s->others;
    for (int i = 0; i < s->count; i++) {
        if (s->of[i].turn.root == turn.root) continue;
        state = merged(state, s->of[i]);
        state.exact = false;
    }
    state.turn = turn;
    return state;
}

static void forget(States *s, int index, bool exact) {
    State state = s->of[index];
    state.exact = state.exact && exact;
    s->others = merged(s->others, state);
    s->of[index] = s->of[--s->count];
}

static void list(States *s, State state) {
    int index = index_of(s, state.turn);
    if (index < 0 && s->count == MOST_TURNS) forget(s, 0, false);
    s->of[index < 0 ? s->count++ : index] = state;
}

/* The turn is now that and nothing else; one that is counted from another value may be it. */
static void set(States *s, Turn turn, unsigned is, unsigned some, unsigned all) {
    State state = {.turn = turn, .may = is, .some = some, .all = all, .exact = true};
    for (int i = 0; i < s->count; i++) {
        if (s->of[i].turn.root == turn.root) continue;
        state.turn = s->of[i].turn;
        s->of[i] = merged(s->of[i], state);
        s->of[i].exact = false;
    }
    state.turn = turn;
    list(s, state);
}

static void join(States *s, const States *other) {
    States both = {.others = merged(s->others, other->others)};
    for (int i = 0; i < s->count; i++) {
        State a = s->of[i];
        list(&both, merged(a, look(other, a.turn)));
    }
    for (int i = 0; i < other->count; i++) {
        State b = other->of[i];
        if (index_of(s, b.turn) < 0) list(&both, merged(look(s, b.turn), b));
    }
    *s = both;
}

static bool same_state(State a, State b) {
    return a.may == b.may && a.some == b.some && a.all == b.all && a.since == b.since &&
           a.exact == b.exact;
}

static bool same(const States *a, const States *b) {
    if (a->count != b->count || !same_state(a->others, b->others)) return false;
    for (int i = 0; i < a->count; i++) {
        int index = index_of(b, a->of[i].turn);
        if (index < 0 || !same_state(a->of[i], b->of[index])) return false;
    }
    return true;
}

/* ---- ops ---- */

/* Wrong on some path that is known, or on each. */
static bool fails(State state, unsigned right) {
    return state.exact ? state.may & ~right : !(state.may & right);
}

static bool acquire(const Walk *w, const Op *op, Turn turn, States *s) {
    Turn before = {turn.root, turn.offset - w->stages};
    if (!(look(s, turn).may & UNUSED))
        return bad(w, op, turn,
                   look(s, turn).may == BELOW ? "is acquired: turns count from 0"
                                              : "is acquired twice");
    State buffer = look(s, before);
    if (fails(buffer, ANYTHING & ~(FILLING | FULL)))
        return bad(w, op, turn,
                   str_format(w->v->arena,
                              "is acquired before turn %s, whose buffer it takes, is "
                              "released%s",
                              turn_text(w, before),
                              buffer.may & ~(FILLING | FULL) ? " on each path" : "")
                       .data);
    set(s, turn, FILLING, 0, 0);
    return true;
}

static bool fill(const Walk *w, const Op *op, Turn turn, States *s) {
    State state = look(s, turn);
    unsigned part = 1u << turn_part(op);
    if (fails(state, FILLING))
        return bad(w, op, turn,
                   state.may & FILLING            ? "is filled, but not acquired on each path"
                   : state.may & (UNUSED | BELOW) ? "is filled before it is acquired"
                                                  : "is filled after it is made ready");
    unsigned filled = state.exact ? state.some : state.may == FILLING ? state.all : 0;
    if (filled & part)
        return bad(w, op, turn,
                   str_format(w->v->arena, "is filled, but part %d of it was filled before",
                              (int)turn_part(op))
                       .data);
    set(s, turn, FILLING, state.some | part, state.all | part);
    return true;
}

static bool ready(const Walk *w, const Op *op, Turn turn, States *s) {
    State state = look(s, turn);
    if (!(state.may & FILLING))
        return bad(w, op, turn,
                   state.may & (UNUSED | BELOW) ? "is made ready, but was never filled"
                                                : "is made ready twice");
    unsigned missing = w->parts & ~(state.exact ? state.all : state.some);
    int part = 0;
    while (missing && !(missing >> part & 1)) part++;
    if (missing)
        return bad(w, op, turn,
                   str_format(w->v->arena,
                              state.some >> part & 1
                                  ? "is made ready, but part %d is not filled on each path"
                                  : "is made ready, but part %d was never filled",
                              part)
                       .data);
    if (ready_pending(op) && state.since <= ready_pending(op))
        return bad(w, op, turn,
                   str_format(w->v->arena,
                              "is made ready with %lld groups under way, of which it may be one",
                              (long long)ready_pending(op))
                       .data);
    set(s, turn, FULL, 0, 0);
    return true;
}

/* More than the turns of a ring are never asked about. */
static void commit(const Walk *w, States *s) {
    for (int i = 0; i < s->count; i++)
        if (s->of[i].since <= w->stages) s->of[i].since++;
    if (s->others.since <= w->stages) s->others.since++;
}

/* Of what reads a turn: `verb` is "is peeked", "is read". */
static bool reads(const Walk *w, const Op *op, Turn turn, const States *s, const char *verb) {
    State state = look(s, turn);
    if (!fails(state, FULL)) return true;
    const char *why = state.may & FULL                         ? ", but not ready on each path"
                      : state.may & (UNUSED | BELOW | FILLING) ? " before it is ready"
                                                               : " after it is released";
    return bad(w, op, turn, str_format(w->v->arena, "%s%s", verb, why).data);
}

static bool release(const Walk *w, const Op *op, Turn turn, States *s) {
    State state = look(s, turn);
    if (fails(state, FULL | BELOW))
        return bad(w, op, turn,
                   state.may & FULL                 ? "is released, but not ready on each path"
                   : state.may & (UNUSED | FILLING) ? "is released before it is ready"
                                                    : "is released twice");
    if (state.may != BELOW) set(s, turn, state.may & BELOW ? BELOW | DONE : DONE, 0, 0);
    return true;
}

static bool step(const Walk *w, const Op *op, States *s) {
    const Op *own = w->uses->ring;
    for (int i = 0; i < op->num_operands; i++) {
        const Op *peek = w->peeked[op->operands[i]->id];
        if (!peek || turn_ring(peek) != op_result(own)) continue;
        if (!reads(w, op, turn_of(turn_number(peek)), s, "is read")) return false;
    }
    if (op->kind == OP_COMMIT) commit(w, s);
    if (!is_turn_op(op) || turn_ring(op) != op_result(own)) return true;
    Turn turn = turn_of(turn_number(op));
    if (op->kind == OP_ACQUIRE) return acquire(w, op, turn, s);
    if (op->kind == OP_READY) return ready(w, op, turn, s);
    if (op->kind == OP_PEEK) return reads(w, op, turn, s, "is peeked");
    if (op->kind == OP_RELEASE) return release(w, op, turn, s);
    return fill(w, op, turn, s);
}

/* ---- paths ---- */

/* A value goes over into another along an edge: from the bounds, inits or next values of a loop to
 * its index and arguments, from these to its results. */
typedef struct Pair {
    Turn from;
    const Value *to; /* NULL: the number `from` says */
} Pair;

typedef struct Edge {
    int count;
    Pair *pairs;
} Edge;

static Edge edge_new(const Walk *w, int most) {
    *w->budget -= most;
    return (Edge){.pairs = arena_array(w->v->arena, Pair, most)};
}

static void edge_add(const Walk *w, Edge *edge, Turn from, const Value *to) {
    if (w->counts[to->id]) edge->pairs[edge->count++] = (Pair){from, to};
}

/* Out of a loop: what turns were counted from goes on in the result, whether that counts or not. */
static void edge_leave(const Walk *w, Edge *edge, Turn from, const Value *to) {
    if (w->counts[to->id] || (from.root && w->counts[from.root->id]))
        edge->pairs[edge->count++] = (Pair){from, to};
}

static bool is_of(const Value *value, const Op *loop) {
    const Region *at = value->def ? value->def->parent : value->region;
    for (; at; at = at->owner ? at->owner->parent : NULL)
        if (at->owner == loop) return true;
    return false;
}

/* Names the turns anew on the other side of the edge. From inside of `loop` (NULL: from outside)
 * what only has a name there is forgotten. */
static void follow(const Walk *w, const Edge *edge, const Op *loop, States *s) {
    States old = *s;
    *s = (States){.others = old.others};
    for (int i = 0; i < old.count; i++) {
        State state = old.of[i];
        bool renamed = false;
        for (int k = 0; k < edge->count; k++) {
            Pair pair = edge->pairs[k];
            if (pair.from.root != state.turn.root) continue;
            State moved = state;
            moved.turn = (Turn){pair.to, state.turn.offset - pair.from.offset};
            list(s, moved);
            renamed = true;
        }
        if (renamed) continue;
        list(s, state);
        if (loop && state.turn.root && is_of(state.turn.root, loop)) forget(s, s->count - 1, false);
    }
    for (int i = s->count - 1; i >= 0; i--) {
        bool over = !(s->of[i].may & ~(unsigned)(BELOW | DONE));
        if (over && s->of[i].turn.root && s->of[i].turn.offset < -w->stages) forget(s, i, true);
    }
}

/* A loop that begins at a number: the turns below 0 never were. */
static void note_below(const Walk *w, const Edge *edge, States *s) {
    if (w->stages > MOST_TURNS / 2) {
        s->others = merged(s->others, (State){.may = BELOW});
        return;
    }
    for (int k = 0; k < edge->count; k++) {
        Turn from = edge->pairs[k].from;
        if (from.root || from.offset < 0) continue;
        for (int64_t at = -w->stages; at < -from.offset; at++)
            list(s, (State){.turn = {edge->pairs[k].to, at}, .may = BELOW, .exact = true});
    }
}

static bool walk(Walk *w, const Op *first, States *s);

static bool walk_if(Walk *w, const Op *op, States *s) {
    States other = *s;
    if (!walk(w, op->regions[0]->first, s) || !walk(w, op->regions[1]->first, &other)) return false;
    join(s, &other);
    return true;
}

static void know_nothing(States *s) { *s = (States){.others = {.may = ANYTHING, .some = ~0u}}; }

/* How often a loop with constant bounds runs; -1 when they are not. */
static int64_t times_of(const Op *op, Turn *end) {
    int64_t lower, upper, by;
    if (for_unsigned(op) || !value_is_int(for_lower(op), &lower) ||
        !value_is_int(for_upper(op), &upper) || !value_is_int(for_step(op), &by) || by == 0 ||
        lower < INT32_MIN || lower > INT32_MAX || upper < INT32_MIN || upper > INT32_MAX ||
        by < INT32_MIN || by > INT32_MAX)
        return -1;
    int64_t span = by > 0 ? upper - lower : lower - upper, size = by > 0 ? by : -by;
    int64_t times = span > 0 ? (span + size - 1) / size : 0;
    *end = (Turn){NULL, lower + times * by};
    return times;
}

/* Walks the loop turn by turn, `once` being one of them, until nothing changes, or its constant
 * bounds end it. `out` is what is known when it ends. */
typedef bool Once(Walk *w, const Op *op, States *s, States *out);

static bool repeat(Walk *w, const Op *op, Once *once, int64_t times, States *s, States *out) {
    int most = w->stages + MOST_ROUNDS;
    for (int64_t i = 0; i != times; i++) {
        States before = *s;
        if (i == most) {
            know_nothing(out);
            return true;
        }
        if (!once(w, op, s, out)) return false;
        if (same(&before, s)) break;
    }
    if (times >= 0) *out = *s;
    return true;
}

static bool for_once(Walk *w, const Op *op, States *s, States *out) {
    Edge edge = edge_new(w, for_count(op) + 1);
    int64_t by;
    if (!walk(w, for_body(op)->first, s)) return false;
    if (value_is_int(for_step(op), &by) && by >= INT32_MIN && by <= INT32_MAX)
        edge_add(w, &edge, (Turn){for_index(op), by}, for_index(op));
    for (int i = 0; i < for_count(op); i++)
        edge_add(w, &edge, turn_of(for_next(op, i)), for_arg(op, i));
    follow(w, &edge, op, s);
    join(out, s);
    return true;
}

static bool walk_for(Walk *w, const Op *op, States *s) {
    Edge in = edge_new(w, for_count(op) + 1), leave = edge_new(w, for_count(op) + 1);
    Turn end = {0};
    int64_t times = times_of(op, &end);
    edge_add(w, &in, turn_of(for_lower(op)), for_index(op));
    for (int i = 0; i < for_count(op); i++)
        edge_add(w, &in, turn_of(for_init(op, i)), for_arg(op, i));
    follow(w, &in, NULL, s);
    note_below(w, &in, s);
    States out = *s;
    if (!repeat(w, op, for_once, times, s, &out)) return false;
    for (int i = 0; i < for_count(op); i++)
        edge_leave(w, &leave, (Turn){for_arg(op, i), 0}, &op->results[i]);
    if (times >= 0) leave.pairs[leave.count++] = (Pair){{for_index(op), -end.offset}, NULL};
    follow(w, &leave, NULL, &out);
    *s = out;
    return true;
}

static bool while_once(Walk *w, const Op *op, States *s, States *out) {
    Edge leave = edge_new(w, op->num_results), on = edge_new(w, op->num_results);
    Edge back = edge_new(w, op->num_operands);
    if (!walk(w, while_test(op)->first, s)) return false;
    for (int i = 0; i < op->num_results; i++) {
        edge_leave(w, &leave, turn_of(while_passed(op, i)), &op->results[i]);
        edge_add(w, &on, turn_of(while_passed(op, i)), while_given(op, i));
    }
    States left = *s;
    follow(w, &leave, op, &left);
    if (out->count < 0)
        *out = left;
    else
        join(out, &left);
    follow(w, &on, NULL, s);
    if (!walk(w, while_body(op)->first, s)) return false;
    for (int i = 0; i < op->num_operands; i++)
        edge_add(w, &back, turn_of(while_next(op, i)), while_arg(op, i));
    follow(w, &back, op, s);
    return true;
}

static bool walk_while(Walk *w, const Op *op, States *s) {
    Edge in = edge_new(w, op->num_operands);
    for (int i = 0; i < op->num_operands; i++)
        edge_add(w, &in, turn_of(while_init(op, i)), while_arg(op, i));
    follow(w, &in, NULL, s);
    note_below(w, &in, s);
    States out = {.count = -1}; /* no path has left it yet */
    if (!repeat(w, op, while_once, -1, s, &out)) return false;
    *s = out;
    return true;
}

static bool walk(Walk *w, const Op *first, States *s) {
    for (const Op *op = first; op; op = op->next) {
        if (--*w->budget < 0) return false;
        if (!map_get_pointer(&w->uses->around, op) && !map_get_pointer(&w->uses->commits, op))
            continue;
        if (!step(w, op, s)) return false;
        if (op->kind == OP_IF && !walk_if(w, op, s)) return false;
        if (op->kind == OP_FOR && !walk_for(w, op, s)) return false;
        if (op->kind == OP_WHILE && !walk_while(w, op, s)) return false;
    }
    return true;
}

/* ---- from end to end ---- */

typedef VEC(const Value *) Values;

static void count_from(Walk *w, Values *work, const Value *value) {
    const Value *root = turn_of(value).root;
    if (!root || w->counts[root->id]) return;
    w->counts[root->id] = true;
    vec_push(w->v->arena, work, root);
}

/* Marks what the turns are counted from, and what that comes from around loops. */
static void find_counts(Walk *w) {
    Values work = {0};
    for (int i = 0; i < w->uses->users.count; i++)
        if (is_turn_op(w->uses->users.data[i]))
            count_from(w, &work, turn_number(w->uses->users.data[i]));
    for (int i = 0; i < work.count; i++) {
        const Value *value = work.data[i];
        const Op *op = value->def ? value->def : value->region->owner;
        int at = value->def || (op && op->kind == OP_WHILE) ? value->index : value->index - 1;
        if (op && op->kind == OP_FOR && at >= 0) {
            count_from(w, &work, for_init(op, at));
            count_from(w, &work, for_next(op, at));
            count_from(w, &work, for_arg(op, at));
        } else if (op && op->kind == OP_FOR) {
            count_from(w, &work, for_lower(op));
        } else if (op && op->kind == OP_WHILE && (value->def || value->region == while_body(op))) {
            count_from(w, &work, while_passed(op, at));
        } else if (op && op->kind == OP_WHILE) {
            count_from(w, &work, while_init(op, at));
            count_from(w, &work, while_next(op, at));
        }
    }
}

/* What is left when the ring ends. */
static bool check_end(const Walk *w, const States *s) {
    const Op *ring = w->uses->ring;
    for (int i = 0; i < s->count; i++) {
        State state = s->of[i];
        if (state.may == FILLING)
            return bad(w, ring, state.turn,
                       state.some ? "is filled, but never made ready"
                                  : "is acquired, but never made ready");
        if (fails(state, ANYTHING & ~FULL))
            return bad(w, ring, state.turn,
                       state.may == FULL ? "is never released" : "is not released on each path");
    }
    return true;
}

static bool check_kinds(const Walk *w) {
    bool fills = false, readies = false, releases = false;
    for (int i = 0; i < w->uses->users.count; i++) {
        OpKind kind = w->uses->users.data[i]->kind;
        fills |= kind == OP_ACQUIRE;
        readies |= kind == OP_READY;
        releases |= kind == OP_RELEASE;
    }
    if ((!readies || releases) && (!fills || readies)) return true;
    Str ring = func_label(w->v->arena, w->v->fn, op_result(w->uses->ring)); /* prints all of it */
    return verify_bad(w->v, w->uses->ring,
                      fills && !readies ? "what ring %.*s is filled with is never made ready"
                                        : "ring %.*s is never released",
                      STR_ARG(ring));
}

bool verify_turns(Verifier *v, const RingUses *uses, const Op *const *peeked, int *budget) {
    Walk w = {.v = v, .uses = uses, .peeked = peeked, .budget = budget};
    w.stages = (int)ring_stages(uses->ring);
    w.parts = (1u << op_result(uses->ring)->type->num_parts) - 1;
    w.counts = arena_array(v->arena, bool, v->fn->num_values);
    find_counts(&w);
    States s = {.others = {.may = UNUSED, .exact = true}};
    bool known = walk(&w, uses->ring->next, &s);
    return v->why ? false : (!known || check_end(&w, &s)) && check_kinds(&w);
}
