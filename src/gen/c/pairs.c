// SPDX-License-Identifier: Apache-2.0
/* pairs: bf16 that a nest makes of f32 and stores, where an instruction rounds two vectors at once:
 * the body without masks does two, and stores a line of 64 bytes.
 *
 *     vf32 x5 = ..;  vf32 x9 = ..;  *(m_f32 *)(u1 + l * 2) = t_two_bf16(x5, x9); */
#include "gen/c/nest.h"

enum { FEW_OPS = 48 /* twice the text is twice the C compiler's time */ };

/* The f32 of which `store` rounds its bf16, which nothing else needs. */
static Value *source_of(Nest *n, const Op *store) {
    Gen *g = n->g;
    Value *value = store_value(store);
    Op *op = value->def;
    bool rounds = op && op->kind == OP_FTRUNC && !info(g, value)->view &&
                  info(g, value)->users.count == 1 && ftrunc_rounding(op) != ROUND_RTZ;
    return rounds && type_lane(value->type)->kind == TYPE_BF16 &&
                   type_lane(op->operands[0]->type)->kind == TYPE_F32
               ? op->operands[0]
               : NULL;
}

/* Where two parameters are the same, what the first stores would come behind what the second does:
 * stores of as many bytes are all of pairs, or none is. */
bool has_pairs(Nest *n) {
    Gen *g = n->g;
    bool found = false, all = true, has = g->arch == C_AMX || g->arch == C_AVX512BF16;
    for (int i = 0; i < n->num_roots && has; i++) {
        const Op *op = n->roots[i].op;
        has = op && op->kind == OP_STORE && !n->roots[i].only_rows;
        if (has && source_of(n, op))
            found = true;
        else if (has)
            all = all && type_size_bytes(type_lane(store_value(op)->type)) != 2;
    }
    has = has && all;
    return has && found && n->N % (2 * g->W) == 0 && n->ops.count <= FEW_OPS && !are_threads(g);
}

Value *pair_source(Nest *n, const Op *store) {
    return n->fast && n->unroll == 2 && has_pairs(n) ? source_of(n, store) : NULL;
}

Str pair_of(Nest *n, const Op *store, Str vector) {
    if (n->copy == 0) {
        vec_push(n->g->arena, &n->halves, ((Half){store, vector}));
        return STR("");
    }
    for (int i = 0; i < n->halves.count; i++)
        if (n->halves.data[i].store == store)
            return new_vector(n, TYPE_F32,
                              text(n->g, "t_two_bf16(%.*s, %.*s)",
                                   STR_ARG(n->halves.data[i].vector), STR_ARG(vector)))
                .text;
    BUG("a half of a pair is missing");
}
