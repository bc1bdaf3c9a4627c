// SPDX-License-Identifier: Apache-2.0
/* What the reader or the verifier of the IR says of a text; NULL: nothing. */
#ifndef TERN_IR_REFUSAL_H
#define TERN_IR_REFUSAL_H

#include "ir/ir.h"

static inline const char *ir_refusal(Arena *arena, const char *text) {
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("t.tir"), str_of(text)), &diag);
    Buf out = {.arena = arena};
    if (!fn) diag_print(&diag, false, &out);
    return fn ? func_verify(arena, fn) : out.data;
}

#endif
