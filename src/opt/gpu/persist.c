// SPDX-License-Identifier: Apache-2.0
/* persist: the programs of a grid, walked over by as many blocks as there is room for.
 *
 *     %pid = program_id {axis = 0}          for %p = ctaid to gx * gy * gz step nctaid
 *     ..                            ->        %pid = %p rem gx
 *     store ..                                ..
 *                                             store ..
 *
 * Programs know nothing of each other and come in no order, so it means the same; the order is that
 * in which the hardware begins them. The size of the grid comes by three parameters behind the
 * kernel's own, and the launch is of fewer blocks. It is for roles (nest.c): what fills the ring
 * goes on into the next program while this one is written. */
#include "opt/roles.h"

typedef struct Walk {
    Func *fn;
    Value *program[3], *count[3];
} Walk;

static Value *replace(Op *op, void *user) {
    Walk *w = user;
    if (op->kind == OP_PROGRAM_ID) return w->program[program_id_axis(op)];
    return op->kind == OP_NUM_PROGRAMS ? w->count[num_programs_axis(op)] : NULL;
}

static void add_params(Walk *w) {
    Func *fn = w->fn;
    Param *params = arena_array(fn->arena, Param, fn->num_params + 3);
    for (int i = 0; i < fn->num_params; i++) params[i] = fn->params[i];
    for (int axis = 0; axis < 3; axis++) {
        w->count[axis] = region_add_arg(fn, fn->body, type_scalar(TYPE_I32));
        params[fn->num_params++] = (Param){.value = w->count[axis], .divisible = 1};
    }
    fn->params = params;
}

static Region *write_body(Walk *w) {
    Func *fn = w->fn;
    Region *body = region_new(fn);
    Builder b = {.fn = fn, .region = body, .span = fn->span};
    Value *p = region_add_arg(fn, body, type_scalar(TYPE_I32));
    Op *yield = build_yield(&b, 0, NULL);
    while (fn->body->first->kind != OP_YIELD) op_move_before(fn->body->first, yield);
    b.before = body->first;
    Value *most = build_int(&b, p->type, INT32_MAX);
    for (int axis = 0; axis < 3; axis++) {
        Value *number = axis < 2 ? build_2(&b, OP_REM_U, p, w->count[axis]) : p;
        w->program[axis] = build_2(&b, OP_AND, number, most); /* not negative */
        if (axis < 2) p = build_2(&b, OP_DIV_U, p, w->count[axis]);
        w->count[axis] = build_2(&b, OP_AND, w->count[axis], most);
    }
    return body;
}

Func *persist(const Func *of) {
    Walk w = {.fn = func_copy(of)};
    Func *fn = w.fn;
    add_params(&w);
    Value *const *count = &fn->body->args[of->num_params];
    Region *body = write_body(&w);
    region_replace(body, replace, &w);
    Builder b = {.fn = fn, .region = fn->body, .before = region_yield(fn->body), .span = fn->span};
    Value *all = build_2(&b, OP_MUL, count[0], build_2(&b, OP_MUL, count[1], count[2]));
    Value *operands[3] = {build_program_id(&b, 0), all, build_num_programs(&b, 0)};
    build_op(&b, OP_FOR, FOR_BOUNDS, operands, 0, NULL, 1, &body);
    func_renumber(fn);
    return fn;
}
