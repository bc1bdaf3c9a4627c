// SPDX-License-Identifier: Apache-2.0
/* dce: remove ops whose results nobody reads, and values that a loop or an if carries for nobody.
 *
 *     %1 = load %0
 *     %2 = exp2 %1                          nobody reads %2, and then nobody reads %1
 *     %3, %4 = for .. %a, %b (%i, %x, %y)   %y is only added to itself and %4 is not read:
 *       %5 = add %y, %c                     the loop keeps %x alone
 *       yield %x, %5
 *     store %p, %3                          stays: it changes memory
 *
 * Liveness spreads from ops with effects to what they read; what it does not reach goes. A while
 * may never end, so it always stays; volatile loads stay too. */
#include "opt/opt.h"

typedef struct Dce {
    PassCtx *px;
    Func *fn;
    bool *live;        /* by value id */
    VEC(Value *) work; /* live values whose definition is still to be looked at */
    Map kept;          /* ops that are live, as a set */
    bool changed;
} Dce;

static void mark(Dce *d, Value *value) {
    if (d->live[value->id]) return;
    d->live[value->id] = true;
    vec_push(d->px->scratch, &d->work, value);
}

static bool has_effect(const Op *op);

static bool region_has_effect(const Region *region) {
    for (const Op *op = region->first; op; op = op->next)
        if (has_effect(op)) return true;
    return false;
}

static bool has_effect(const Op *op) {
    if (op_has_trait(op, WRITES) || op->kind == OP_WHILE) return true;
    if (op->kind == OP_LOAD) return load_volatile(op) != 0;
    if (op->kind == OP_INLINE_ASM) return !op_is_pure(op);
    for (int i = 0; i < op->num_regions; i++)
        if (region_has_effect(op->regions[i])) return true;
    return false;
}

static void keep_region_effects(Dce *d, Region *region);

/* The op stays: what it needs whichever of its results are read. */
static void keep(Dce *d, Op *op) {
    if (map_get_pointer(&d->kept, op)) return;
    map_set_pointer(&d->kept, op, op);
    int needed = op->kind == OP_FOR ? FOR_BOUNDS : op->kind == OP_WHILE ? 0 : op->num_operands;
    for (int i = 0; i < needed; i++) mark(d, op->operands[i]);
    for (int i = 0; i < op->num_regions; i++) keep_region_effects(d, op->regions[i]);
    if (op->kind == OP_WHILE) mark(d, while_condition(op));
    if (op->kind == OP_REDUCE || op->kind == OP_SCAN)
        for (int i = 0; i < op->num_results; i++)
            mark(d, region_yield(op->regions[0])->operands[i]);
}

static void keep_region_effects(Dce *d, Region *region) {
    for (Op *op = region->first; op; op = op->next)
        if (has_effect(op)) keep(d, op);
}

static void spread_from_result(Dce *d, Op *op, int index) {
    keep(d, op);
    if (op->kind == OP_IF)
        for (int i = 0; i < 2; i++) mark(d, region_yield(op->regions[i])->operands[index]);
    if (op->kind == OP_FOR) mark(d, for_arg(op, index));
    if (op->kind == OP_WHILE) mark(d, while_passed(op, index));
}

static void spread_from_argument(Dce *d, const Value *argument) {
    Op *op = argument->region->owner;
    int index = argument->index;
    if (!op) return;
    keep(d, op);
    if (op->kind == OP_FOR && index > 0) {
        mark(d, for_init(op, index - 1));
        mark(d, for_next(op, index - 1));
        mark(d, &op->results[index - 1]);
    } else if (op->kind == OP_WHILE && argument->region == while_test(op)) {
        mark(d, while_init(op, index));
        mark(d, while_next(op, index));
    } else if (op->kind == OP_WHILE) {
        mark(d, while_passed(op, index));
        mark(d, &op->results[index]);
    }
}

/* ---- removing ---- */

static void drop_operands(Op *op, int first, const bool *wanted, int count) {
    int kept = first;
    for (int i = 0; i < count; i++)
        if (wanted[i]) op->operands[kept++] = op->operands[first + i];
    op->num_operands = kept;
}

static void drop_args(Region *region, int first, const bool *wanted, int count) {
    int kept = first;
    for (int i = 0; i < count; i++) {
        if (!wanted[i]) continue;
        region->args[kept] = region->args[first + i];
        region->args[kept]->index = kept;
        kept++;
    }
    region->num_args = kept;
}

static void drop_results(Dce *d, Op *op, const bool *wanted) {
    const Type **types = arena_array(d->px->scratch, const Type *, op->num_results);
    int count = 0;
    for (int i = 0; i < op->num_results; i++)
        if (wanted[i]) types[count++] = op->results[i].type;
    Builder b = {.fn = d->fn, .region = op->parent, .before = op, .span = op->span};
    Op *made = build_op(&b, op->kind, op->num_operands, op->operands, count, types, op->num_regions,
                        op->regions);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    for (int i = 0, to = 0; i < op->num_results; i++) {
        if (!wanted[i]) continue;
        made->results[to].name = op->results[i].name;
        op->results[i].replaced = &made->results[to++];
    }
    op_remove(op);
}

static bool all(const bool *wanted, int count) {
    for (int i = 0; i < count; i++)
        if (!wanted[i]) return false;
    return true;
}

static void narrow_while(Dce *d, Op *op) {
    Region *test = while_test(op), *body = while_body(op);
    bool *carried = arena_array(d->px->scratch, bool, op->num_operands);
    bool *forwarded = arena_array(d->px->scratch, bool, op->num_results);
    for (int i = 0; i < op->num_operands; i++) carried[i] = d->live[while_arg(op, i)->id];
    for (int i = 0; i < op->num_results; i++)
        forwarded[i] = d->live[op->results[i].id] || d->live[while_given(op, i)->id];
    if (all(carried, op->num_operands) && all(forwarded, op->num_results)) return;
    d->changed = true;
    drop_args(test, 0, carried, op->num_operands);
    drop_operands(region_yield(body), 0, carried, op->num_operands);
    drop_args(body, 0, forwarded, op->num_results);
    drop_operands(region_yield(test), 1, forwarded, op->num_results);
    drop_operands(op, 0, carried, op->num_operands);
    drop_results(d, op, forwarded);
}

static void narrow(Dce *d, Op *op) {
    if (op->kind == OP_WHILE) narrow_while(d, op);
    if (op->kind != OP_IF && op->kind != OP_FOR) return;
    bool *wanted = arena_array(d->px->scratch, bool, op->num_results);
    for (int i = 0; i < op->num_results; i++) {
        wanted[i] = d->live[op->results[i].id];
        if (op->kind == OP_FOR) wanted[i] |= d->live[for_arg(op, i)->id];
    }
    if (all(wanted, op->num_results)) return;
    d->changed = true;
    for (int i = 0; i < op->num_regions; i++)
        drop_operands(region_yield(op->regions[i]), 0, wanted, op->num_results);
    if (op->kind == OP_FOR) {
        drop_args(for_body(op), 1, wanted, op->num_results);
        drop_operands(op, FOR_BOUNDS, wanted, op->num_results);
    }
    drop_results(d, op, wanted);
}

static void sweep(Dce *d, Region *region) {
    for (Op *op = region->last, *prev; op; op = prev) {
        prev = op->prev;
        if (op->kind == OP_YIELD) continue;
        if (!map_get_pointer(&d->kept, op)) {
            op_remove(op);
            d->changed = true;
            continue;
        }
        for (int i = 0; i < op->num_regions; i++) sweep(d, op->regions[i]);
        narrow(d, op);
    }
}

static Dce find_live(PassCtx *px, Func *fn) {
    Dce d = {.px = px, .fn = fn, .kept = {.arena = px->scratch}};
    d.live = arena_array(px->scratch, bool, fn->num_values);
    keep_region_effects(&d, fn->body);
    while (d.work.count) {
        Value *value = d.work.data[--d.work.count];
        if (value->def)
            spread_from_result(&d, value->def, value->index);
        else
            spread_from_argument(&d, value);
    }
    return d;
}

typedef VEC(Span) Spans;

static void add_unused(const Dce *d, const Region *region, bool is_kept, Spans *spans) {
    for (const Op *op = region->first; op; op = op->next) {
        bool kept = is_kept && map_get_pointer(&d->kept, op);
        if (op->kind == OP_LOAD && !kept) vec_push(d->px->scratch, spans, op->span);
        for (int i = 0; i < op->num_regions; i++) add_unused(d, op->regions[i], kept, spans);
    }
}

const Span *func_unused_loads(Arena *arena, Func *fn, int *count) {
    PassCtx px = {.scratch = arena};
    Dce d = find_live(&px, fn);
    Spans spans = {0};
    add_unused(&d, fn->body, true, &spans);
    *count = spans.count;
    return spans.data;
}

bool pass_dce(PassCtx *px, Func *fn) {
    Dce d = find_live(px, fn);
    sweep(&d, fn->body);
    func_resolve(fn);
    return d.changed;
}
