// SPDX-License-Identifier: Apache-2.0
/* under_way: products that go on while their program does. Where bit 1 of the seed that draws the
 * order of programs is set, they are made as late as they may be, at the settle that covers them,
 * and until then their sums are NaN: so a settle that is missing shows in the results. */
#include "device/interp/interp.h"

#include <string.h>

bool under_way_begin(Program *p, const Op *op) {
    const Type *type = op_result(op)->type;
    Lanes *out = lanes_new(p, type->lanes, type_size_bytes(type));
    if (!out) return false;
    Begun begun = {.op = op, .out = lanes_share(out)};
    for (int i = 0; i < 3; i++) begun.operands[i] = lanes_share(lanes_of(p, op->operands[i]));
    memset(out->data, 0xff, /* a NaN */
           (size_t)out->count * (size_t)out->size);
    slot_set(p, op_result(op), out);
    p->under_way[p->num_under_way++] = begun;
    return true;
}

static bool end(Program *p, const Begun *begun) {
    if (!dot_multiply(p, begun->op, begun->operands, begun->out)) return false;
    for (int i = 0; i < 3; i++) lanes_release(p->launch, begun->operands[i]);
    lanes_release(p->launch, begun->out);
    return true;
}

bool under_way_settle(Program *p, int64_t pending) {
    int ended = 0, count = p->num_under_way;
    while (count - ended > pending)
        if (!end(p, &p->under_way[ended++])) return false;
    p->num_under_way -= ended;
    memmove(p->under_way, p->under_way + ended, sizeof(Begun) * (size_t)p->num_under_way);
    return true;
}
