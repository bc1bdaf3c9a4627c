// SPDX-License-Identifier: Apache-2.0
/* spread_warp: what threads of a warp do together, as ops on lanes, of which 32 in a row are a
 * warp.
 *
 *     %r = shuffle %x, %i, %c, %m {down}      %r = gather %x, %from      (lane + i, or its own)
 *     %v = vote %p, %m {any}                  %w = reduce or [warps, 32] of the bits of %p
 *                                             %v = (%w & %m) != 0
 *
 * Nobody waits: all that are here are here together. A thread that is not here, and is asked for
 * its value, gives what lies in its lane; CUDA leaves open what that is. Of a vote each thread sees
 * those here that its own mask names. */
#include "opt/spread.h"

enum { WARP = 32 };

static Value *number(Spread *s, const Value *like, int64_t value) {
    return build_int(&s->b, like->type, value);
}

static Value *with(Spread *s, OpKind kind, Value *a, int64_t value) {
    return build_2(&s->b, kind, a, number(s, a, value));
}

static Value *in_warp(Spread *s) { return with(s, OP_AND, s->lane, WARP - 1); }

static Value *shaped(Spread *s, Value *tile, int rank, const int *shape) {
    bool fits = tile->type->rank == rank && !memcmp(tile->type->shape, shape, sizeof(int[rank]));
    return fits ? tile : build_reshape(&s->b, tile, rank, shape);
}

static void become(Spread *s, const Op *op, Value *now) {
    now->name = op_result(op)->name;
    s->now[op_result(op)->id] = now;
}

/* ---- shuffles ---- */

/* Where in its warp a thread reads from; PTX ISA, "shfl.sync": bits 8 to 12 of clamp cut the warp
 * into parts, the low ones bound the index. */
static Value *source_in_warp(Spread *s, const Op *op, Value *index, Value *clamp) {
    Builder *b = &s->b;
    Value *own = in_warp(s), *at = with(s, OP_AND, index, WARP - 1), *from = NULL;
    Value *parts = with(s, OP_AND, with(s, OP_SHR_U, clamp, 8), WARP - 1);
    Value *inner = with(s, OP_XOR, parts, WARP - 1), *first = build_2(b, OP_AND, own, parts);
    Value *bound = build_2(b, OP_OR, first, build_2(b, OP_AND, clamp, inner));
    bool up = shuffle_mode(op) == LANES_UP;
    if (shuffle_mode(op) == LANES_IDX)
        from = build_2(b, OP_OR, first, build_2(b, OP_AND, at, inner));
    else if (shuffle_mode(op) == LANES_XOR)
        from = build_2(b, OP_XOR, own, at);
    else
        from = build_2(b, up ? OP_SUB : OP_ADD, own, at);
    return build_select(b, build_icmp(b, up ? ICMP_SGE : ICMP_SLE, from, bound), from, own);
}

void spread_shuffle(Spread *s, const Op *op) {
    Value *value = s->now[shuffle_value(op)->id];
    if (!s->varying[shuffle_value(op)->id]) { /* all have the same */
        become(s, op, s->varying[op_result(op)->id] ? spread_tile(s, value) : value);
        return;
    }
    Value *index = spread_tile(s, s->now[shuffle_index(op)->id]),
          *clamp = spread_tile(s, s->now[shuffle_clamp(op)->id]);
    Value *from = source_in_warp(s, op, index, clamp);
    from = build_2(&s->b, OP_OR, with(s, OP_AND, s->lane, -WARP), from);
    Value *operands[] = {shaped(s, value, 1, &s->lanes), shaped(s, from, 1, &s->lanes)};
    const Type *type = operands[0]->type;
    Value *row = op_result(build_op(&s->b, OP_GATHER, 2, operands, 1, &type, 0, NULL));
    become(s, op, shaped(s, row, s->rank, s->shape));
}

/* ---- votes ---- */

static Region *combine_bits(Spread *s) {
    Region *region = region_new(s->fn);
    const Type *word = type_scalar(TYPE_I32);
    Value *left = region_add_arg(s->fn, region, word), *right = region_add_arg(s->fn, region, word);
    Builder b = {.fn = s->fn, .region = region, .span = s->b.span};
    Value *both = build_2(&b, OP_OR, left, right);
    build_yield(&b, 1, &both);
    return region;
}

/* A bit for each lane of the warp that is 1, in each of its lanes. */
static Value *bits_of(Spread *s, Value *lanes) {
    Value *bits = build_cast(&s->b, OP_EXT_U, lanes, type_scalar(TYPE_I32));
    bits = build_2(&s->b, OP_SHL, bits, in_warp(s));
    if (s->lanes == 1) return bits;
    int wide = s->lanes < WARP ? s->lanes : WARP, warps[] = {s->lanes / wide, wide};
    const Type *type = type_tile(s->fn->types, type_scalar(TYPE_I32), 1, warps);
    Region *region = combine_bits(s);
    bits = shaped(s, bits, 2, warps);
    Op *op = build_op(&s->b, OP_REDUCE, 1, &bits, 1, &type, 1, &region);
    reduce_set_axis(op, 1);
    bits = build_broadcast(&s->b, build_expand_dims(&s->b, op_result(op), 1), warps);
    return shaped(s, bits, s->rank, s->shape);
}

static Value *here(Spread *s, Value *lanes, Mask mask) {
    return mask.lanes ? build_2(&s->b, OP_AND, mask.lanes, lanes) : lanes;
}

void spread_vote(Spread *s, const Op *op, Mask mask) {
    Value *value = spread_tile(s, s->now[vote_value(op)->id]),
          *threads = spread_tile(s, s->now[vote_threads(op)->id]);
    bool asks_all = vote_mode(op) == VOTES_ALL;
    Value *holds = build_icmp(&s->b, asks_all ? ICMP_EQ : ICMP_NE, value, number(s, value, 0));
    Value *bits = build_2(&s->b, OP_AND, bits_of(s, here(s, holds, mask)), threads);
    if (vote_mode(op) != VOTES_BALLOT) {
        Value *truth = build_icmp(&s->b, asks_all ? ICMP_EQ : ICMP_NE, bits, number(s, bits, 0));
        bits = build_cast(&s->b, OP_EXT_U, truth, type_scalar(TYPE_I32));
    }
    become(s, op, bits);
}

void spread_active(Spread *s, const Op *op, Mask mask) {
    int wide = s->lanes < WARP ? s->lanes : WARP;
    become(s, op,
           mask.lanes ? bits_of(s, mask.lanes)
                      : number(s, s->lane, (int64_t)(UINT32_MAX >> (WARP - wide))));
}
