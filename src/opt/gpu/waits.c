// SPDX-License-Identifier: Apache-2.0
/* waits: products by wgmma go on while the block does, and are waited for where that is needed.
 *
 *     %c = dot %a, %b, %acc {unit = wgmma}    %c = dot %a, %b, %acc {unit = wgmma, async = 1}
 *     release %r, %before                     settle {pending = 1}
 *     yield %c                                release %r, %before
 *                                             yield %c
 *
 * Each product is a group of its own; they end in the order in which they began, so that a settle
 * says how many of the newest may be under way: those that began behind the last that what follows
 * needs. In a loop that carries the sums from turn to turn in their registers, the product of a
 * turn ends in the next one. See ir/under_way.h for what needs what. */
#include "ir/under_way.h"
#include "opt/opt.h"

static bool begin_product(Op *op, void *user) {
    bool *any = user;
    if (op->kind != OP_DOT || dot_async(op) || !dot_may_go_on(op)) return true;
    dot_set_async(op, 1);
    *any = true;
    return true;
}

static bool write_settle(void *user, const Op *op, int pending) {
    Op *before = (Op *)(uintptr_t)op;
    Builder b = {.fn = user, .region = op->parent, .before = before, .span = op->span};
    settle_set_pending(build_op(&b, OP_SETTLE, 0, NULL, 0, NULL, 0, NULL), pending);
    return true;
}

bool pass_waits(PassCtx *px, Func *fn) {
    bool any = false;
    (void)px;
    if (fn->form != FORM_PLACED) return false;
    region_walk(fn->body, begin_product, &any);
    if (any) under_way_walk(fn, write_settle, fn);
    return any;
}
