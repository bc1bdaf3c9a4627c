// SPDX-License-Identifier: Apache-2.0
/* varying: which values of thread form differ from thread to thread of a block.
 *
 *     %t = thread_id ..                 varying
 *     %b = program_id ..                uniform
 *     %v = load %x                      uniform: one address
 *     %o = atomic_rmw add %x, %b        varying: each thread has a turn
 *
 * A value is uniform if all threads that come to it together have the same. So in a loop that some
 * leave before others, a counter is uniform, as all that are still there count in step; what the
 * loop gives is not, where they leave at different times. All values begin as uniform; those that
 * are found to vary are marked until a sweep finds none. */
#include "opt/spread.h"

typedef struct Varying {
    bool *is;
    bool changed;
    const Func *fn;
} Varying;

static void mark(Varying *v, const Value *value, bool varies) {
    if (!varies || v->is[value->id]) return;
    v->is[value->id] = true;
    v->changed = true;
}

static void visit(Varying *v, const Region *region);

static void visit_if(Varying *v, const Op *op) {
    visit(v, op->regions[0]);
    visit(v, op->regions[1]);
    for (int i = 0; i < op->num_results; i++)
        mark(v, &op->results[i],
             v->is[if_condition(op)->id] || v->is[region_yield(op->regions[0])->operands[i]->id] ||
                 v->is[region_yield(op->regions[1])->operands[i]->id]);
}

static void visit_for(Varying *v, const Op *op) {
    for (int i = 0; i < FOR_BOUNDS; i++) mark(v, for_index(op), v->is[op->operands[i]->id]);
    visit(v, for_body(op));
    for (int i = 0; i < op->num_results; i++) {
        mark(v, for_arg(op, i), v->is[for_init(op, i)->id] || v->is[for_next(op, i)->id]);
        mark(v, &op->results[i], v->is[for_arg(op, i)->id] || v->is[for_index(op)->id]);
    }
}

static void visit_while(Varying *v, const Op *op) {
    visit(v, while_test(op));
    for (int i = 0; i < op->num_results; i++) {
        bool varies = v->is[while_passed(op, i)->id];
        mark(v, while_given(op, i), varies);
        mark(v, &op->results[i], varies || v->is[while_condition(op)->id]);
    }
    visit(v, while_body(op));
    for (int i = 0; i < op->num_operands; i++)
        mark(v, while_arg(op, i), v->is[while_init(op, i)->id] || v->is[while_next(op, i)->id]);
}

static bool begins(const Varying *v, const Op *op) {
    if (op->kind == OP_THREAD_ID) return v->fn->block[grid_axis(op)] > 1;
    if (op->kind == OP_ALLOC) return alloc_space(op) == ALLOC_LOCAL;
    return op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS || op->kind == OP_VOTE ||
           op->kind == OP_ACTIVE;
}

static void visit(Varying *v, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        bool varies = begins(v, op);
        for (int i = 0; i < op->num_operands; i++) varies = varies || v->is[op->operands[i]->id];
        if (op->kind == OP_IF)
            visit_if(v, op);
        else if (op->kind == OP_FOR)
            visit_for(v, op);
        else if (op->kind == OP_WHILE)
            visit_while(v, op);
        else
            for (int i = 0; i < op->num_results; i++) mark(v, &op->results[i], varies);
    }
}

bool *func_varying(Arena *arena, const Func *fn) {
    Varying v = {.is = arena_array(arena, bool, fn->num_values), .fn = fn};
    if (func_threads(fn) == 1) return v.is; /* nobody to differ from */
    do {
        v.changed = false;
        visit(&v, fn->body);
    } while (v.changed);
    return v.is;
}
