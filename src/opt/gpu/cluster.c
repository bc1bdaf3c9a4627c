// SPDX-License-Identifier: Apache-2.0
/* cluster: rows of which a block has no room for all are held by a cluster of blocks.
 *
 *     for k: %m = fmax %m, x of piece k     ->     for k: %m = fmax %m, x of piece k * 4 + rank
 *     %m = reduce %m {max}                         %m = reduce %m {max}
 *                                                  %m.0, %m.1, %m.2, %m.3 = meet %m {blocks = 4}
 *                                                  %m = fmax (fmax (fmax %m.0, %m.1), %m.2), %m.3
 *
 * Each block does what the program does, with its pieces alone; what is reduced of them it tells
 * the others, and all combine it in one order. Stores of what is no piece's are the first block's.
 * Between blocks nothing else is ordered: a lane that is stored may be loaded by the same lane of
 * the pieces only. A block holds so little that two of them have room on a multiprocessor: one
 * loads while the other one computes, or waits. */
#include "ir/arch.h"
#include "ir/trips.h"
#include "opt/gpu/pieces.h"

enum {
    SHARE = 128 << 10, /* bytes that a block holds, if they were all in registers .. */
    LEAST_SHARES = 4,  /* .. and for how many of them it pays, of three tiles or more .. */
    LEAST_WIDE = 3,    /* .. or, of 32 bits, for so many */
    MOST_BLOCKS = 8,   /* of a cluster, on any GPU */
    MOST_TOLD = 8,     /* results of a reduction */
    REGISTER = 4,      /* bytes */
};

/* ---- may it be ---- */

/* One block does both, where they are of the same lanes. */
static bool by_one_block(const Cluster *c, const Op *write, const Op *access) {
    bool in_pieces = ops_have(&c->ops, write);
    return in_pieces == ops_have(&c->ops, access) && (in_pieces || access->kind == OP_STORE);
}

/* Of two parameters, each launch is asked (cluster_ask). A text that others launch takes for
 * granted that they are the same or apart: then a row in place is not read as a whole. */
static bool stays_apart(const Cluster *c, const Op *write, const Op *access) {
    const Value *a = access_pointer(write), *b = access_pointer(access);
    bool reads_all = ops_have(&c->ops, write) && !ops_have(&c->ops, access);
    if (a == b) return by_one_block(c, write, access);
    return !facts_may_alias(c->facts, a, b) && (c->px->needs || !reads_all);
}

static bool can_be_told(const Op *reduce) {
    for (int i = 0; i < reduce->num_results; i++) {
        const Type *type = reduce->results[i].type;
        if (type_is_bool(type) || (type_is_tile(type) && (type->rank > 1 || type->lanes > 1)))
            return false;
    }
    return reduce->num_results <= MOST_TOLD;
}

/* Loops beside those over pieces would run in each block. */
static bool can_be_of_blocks(const Cluster *c, const Op *op) {
    if (op->kind == OP_REDUCE && c->tells && ops_have(&c->ops, op)) return can_be_told(op);
    if (op->kind == OP_LOAD) return !load_volatile(op);
    if (op->kind == OP_STORE) return !store_volatile(op);
    if (op->kind == OP_INLINE_ASM) return op_is_pure(op);
    if (op_only_tests(op) || op->kind == OP_YIELD) return true;
    bool plain = !op->num_regions || op_has_trait(op, ISOLATED);
    return op_has_trait(op, PURE) && plain && op->kind != OP_DOT;
}

static bool can_cluster(const Cluster *c) {
    bool reduces = false;
    for (const Op *op = c->fn->body->first; op; op = op->next) {
        if (!can_be_of_blocks(c, op)) return false;
        reduces |= op->kind == OP_REDUCE && ops_have(&c->ops, op);
        for (const Op *other = c->fn->body->first; other && op->kind == OP_STORE;
             other = other->next) {
            bool is_access = other->kind == OP_STORE || other->kind == OP_LOAD;
            if (is_access && other != op && !stays_apart(c, op, other)) return false;
        }
    }
    return reduces;
}

void cluster_ask(const Cluster *c, const Dims *dims, int number) {
    for (const Op *op = c->fn->body->first; op && c->px->needs && c->blocks > 1; op = op->next)
        for (const Op *other = c->fn->body->first; other && op->kind == OP_STORE;
             other = other->next) {
            bool is_later = other->kind == OP_STORE && other != op && op_is_before(op, other);
            if (other->kind != OP_LOAD && !is_later) continue;
            if (access_pointer(op) == access_pointer(other)) continue;
            bool together = ops_have(&c->ops, op) && ops_have(&c->ops, other);
            meets_never(c->px, c->facts, dims, number, &(Meet){op, other, together});
        }
}

/* least: of a lane. */
static int64_t bytes_held(const Cluster *c, int least) {
    int64_t bytes = 0;
    for (int i = 0; i < c->held.count; i++) {
        const Type *type = op_result(c->held.data[i])->type;
        int each = type_size_bytes(type);
        bytes += (int64_t)type->lanes * (each < least ? least : each);
    }
    return bytes;
}

/* Loads that are not held. */
static int count_streamed(const Cluster *c) {
    int count = 0;
    for (int i = 0; i < c->ops.count; i++)
        count += c->ops.data[i]->kind == OP_LOAD && !ops_have(&c->held, c->ops.data[i]);
    return count;
}

/* Two rows that all programs read, of which a thread's registers have room for some pieces. */
static bool has_two_weights(const Cluster *c) {
    int count = 0, bytes = 0;
    for (int i = 0; i < c->ops.count; i++) {
        const Op *op = c->ops.data[i];
        if (op->kind != OP_LOAD || ops_have(&c->held, op)) continue;
        if (pieces_of_program(c->px->scratch, load_pointer(op))) return false;
        count++, bytes += type_size_bytes(op_result(op)->type);
    }
    return count == 2 && bytes <= REGISTER;
}

/* As many as two blocks, or four, can have on a multiprocessor. What is not held is read where it
 * is wanted: there should be much of it at once. Where two weights are, threads wait for the
 * second cache so long that a fourth block is a gain: they have 64 registers then, for small pieces
 * in straight text (layer norm of bf16: 1 to 3 %, H200). With a row of the program's own instead
 * of one of them it is none: rms norm and a residual were slower by 4 %. */
static void choose_threads(Cluster *c) {
    bool is_narrow = bytes_held(c, 1) < bytes_held(c, 4);
    c->threads = bytes_held(c, 1) > (int64_t)c->blocks * SHARE / 2 ? 512 : 256;
    c->lanes = is_narrow && count_streamed(c) == 1 ? 32 : 16;
    c->beside = 3;
    if (is_narrow && c->held.count == 1 && c->threads == 256 && has_two_weights(c))
        c->lanes = 8, c->beside = 4, c->is_straight = true;
    if (c->rereads && is_narrow) c->lanes = 8;
    if (c->rereads && !is_narrow) c->lanes = 4;
    if (c->rereads || is_narrow || c->held.count < 3) return;
    /* Several pieces, of whose lanes many registers are alive. */
    if (op_result(c->held.data[0])->type->lanes <= c->blocks * c->threads * c->lanes)
        c->threads = 256;
    c->beside = 2;
}

static void add_nest(Cluster *c, const Nest *nest, const Map *held) {
    for (int i = 0; i < nest->ops.count; i++) {
        Op *op = nest->ops.data[i];
        bool is_held = op->kind == OP_LOAD && map_get_pointer(held, op_result(op));
        if (is_held && !ops_have(&c->held, op)) vec_push(c->px->scratch, &c->held, op);
        vec_push(c->px->scratch, &c->ops, op);
    }
}

/* What all programs read of what is held: the second cache has it, and blocks have more room for
 * the program's own rows. Of 32 bits where there would be too little, or of three tiles: an rms
 * norm's gradient of 65536 columns is slower by 3 % if its weights are read again. */
static void let_weights_go(Cluster *c) {
    Ops rows = {0};
    int64_t bytes = bytes_held(c, 4);
    int warps = c->fn->num_warps ? c->fn->num_warps : 4; /* none in a text */
    bool is_narrow = bytes_held(c, 1) < bytes;
    for (int i = 0; i < c->held.count; i++)
        if (pieces_of_program(c->px->scratch, load_pointer(c->held.data[i])))
            vec_push(c->px->scratch, &rows, c->held.data[i]);
    if (!rows.count || rows.count == c->held.count) return;
    /* A block of 8 or 16 warps holds it in registers, and nothing is spilled. */
    bool fits = bytes < (int64_t)LEAST_SHARES * SHARE && (warps == 8 || warps == 16);
    bool wants = is_narrow && c->held.count > 2 && !fits;
    if (!wants && bytes <= (int64_t)MOST_BLOCKS * SHARE) return;
    c->held = rows, c->rereads = true;
}

static bool can_have_blocks(const Cluster *c) {
    const Arch *arch = arch_find(str_of(c->px->target ? c->px->target : ""));
    return c->px->clusters && arch && arch->number >= 90;
}

/* Stores of what is in no piece. */
static void find_others(Cluster *c) {
    for (Op *op = c->fn->body->first; op; op = op->next)
        if (op->kind == OP_STORE && !ops_have(&c->ops, op))
            vec_push(c->px->scratch, &c->others, op);
}

void cluster_choose(Cluster *c, int num_nests, Nest *const *nests, const Map *held) {
    c->groups = func_cluster(c->fn), c->tells = true;
    if (!can_have_blocks(c)) return;
    for (int i = 0; i < num_nests; i++) add_nest(c, nests[i], held);
    let_weights_go(c);
    int64_t bytes = bytes_held(c, 4); /* of less than a register: the work is that of whole ones */
    int least = bytes_held(c, 1) < bytes ? LEAST_SHARES : LEAST_WIDE;
    if (c->held.count < 3) least = c->held.count;
    if (bytes < (int64_t)least * SHARE || !can_cluster(c)) return;
    while (c->blocks * c->groups < MOST_BLOCKS && bytes > (int64_t)c->blocks * SHARE)
        c->blocks *= 2;
    c->chosen = true;
    choose_threads(c);
    if (c->blocks > 1) find_others(c);
}

/* Of a row there is more than a block's registers have room for, beside others. */
static bool has_wide_rows(const Cluster *c, int rows) {
    bool wide = false, reduces = false;
    for (int i = 0; i < c->ops.count; i++) {
        const Op *op = c->ops.data[i];
        reduces |= op->kind == OP_REDUCE;
        wide |= op->kind == OP_LOAD &&
                (int64_t)op_result(op)->type->lanes * REGISTER >= (int64_t)rows * SHARE;
    }
    return wide && reduces;
}

void cluster_choose_rows(Cluster *c, int num_nests, Nest *const *nests, int rows) {
    const Map none = {.arena = c->px->scratch};
    if (!can_have_blocks(c) || func_cluster(c->fn) > 1 || rows > MOST_BLOCKS) return;
    for (int i = 0; i < num_nests; i++) {
        add_nest(c, nests[i], &none);
        for (int k = 0; k < nests[i]->ends.count; k++)
            if (nests[i]->ends.data[k]->kind == OP_REDUCE) return;
    }
    if (!has_wide_rows(c, rows) || !can_cluster(c)) return;
    c->blocks = rows;
    find_others(c);
}

/* ---- writing ---- */

/* of: 0, or in groups of a cluster of so many. */
static Value *build_rank_of(Builder *b, int blocks, int of) {
    const Type *i32 = type_scalar(TYPE_I32);
    Op *rank = build_op(b, OP_RANK, 0, NULL, 1, &i32, 0, NULL);
    rank_set_blocks(rank, blocks), rank_set_within(rank, of);
    return op_result(rank);
}

static int all_blocks(const Cluster *c) { return c->groups > 1 ? c->groups * c->blocks : 0; }

static Value *build_rank(const Cluster *c, Builder *b) {
    return build_rank_of(b, c->blocks, all_blocks(c));
}

/* The blocks that had a row each are groups now. */
void cluster_begin(const Cluster *c) {
    if (c->groups < 2 || c->blocks == 1) return;
    for (Op *op = c->fn->body->first; op; op = op->next) {
        if (op->kind != OP_RANK) continue;
        Builder b = {.fn = c->fn, .region = op->parent, .before = op, .span = op->span};
        Value *rank = build_rank_of(&b, all_blocks(c), 0);
        op_result(op)->replaced = build_2(&b, OP_DIV_U, rank, build_int(&b, rank->type, c->blocks));
    }
}

Value *cluster_start(const Cluster *c, Builder *b, Value *own, int piece) {
    if (c->blocks == 1) return own;
    Value *first = build_2(b, OP_MUL, build_rank(c, b), build_int(b, own->type, piece));
    return build_2(b, OP_ADD, build_2(b, OP_MUL, own, build_int(b, own->type, c->blocks)), first);
}

/* The combination of a reduction, on scalars. */
static void combine(const Cluster *c, Builder *b, const Op *reduce, Value *const *right,
                    Value **left) {
    const Region *region = reduce->regions[0];
    Map values = {.arena = c->px->scratch};
    int count = reduce->num_operands;
    for (int i = 0; i < count; i++) {
        map_set_pointer(&values, region->args[i], left[i]);
        map_set_pointer(&values, region->args[count + i], right[i]);
    }
    for (const Op *op = region->first; op != region->last; op = op->next) op_clone(b, op, &values);
    for (int i = 0; i < count; i++) left[i] = map_get_pointer(&values, region->last->operands[i]);
}

/* Of tiles of one lane: that. */
static Op *build_lanes(Builder *b, const Op *reduce, Value *const *tiles) {
    Map none = {.arena = b->fn->arena};
    Op *made = op_clone(b, reduce, &none);
    reduce_set_axis(made, 0);
    for (int i = 0; i < reduce->num_results; i++) {
        made->operands[i] = tiles[i];
        made->results[i].type = type_lane(tiles[i]->type);
    }
    return made;
}

/* told: what the meeting gives of the first of its results. */
static void combine_all(const Cluster *c, Builder *b, Op *reduce, Value *told) {
    Value *left[MOST_TOLD], *right[MOST_TOLD];
    for (int n = 0; n < c->blocks; n++) {
        for (int i = 0; i < reduce->num_results; i++)
            *(n ? &right[i] : &left[i]) = &told[i * c->blocks + n];
        if (n) combine(c, b, reduce, right, left);
    }
    for (int i = 0; i < reduce->num_results; i++) {
        const Type *type = reduce->results[i].type;
        if (type_is_tile(type)) left[i] = build_splat(b, left[i], type->rank, type->shape);
        reduce->results[i].replaced = left[i];
    }
}

void cluster_meet(const Cluster *c, Builder *b, const Ops *ends) {
    VEC(Value *) own = {0};
    VEC(const Type *) types = {0};
    for (int i = 0; i < ends->count && c->blocks > 1; i++) {
        Op *end = ends->data[i], *lanes = NULL;
        Value *made[MOST_TOLD];
        for (int k = 0; end->kind == OP_REDUCE && k < end->num_results; k++)
            made[k] = end->results[k].replaced;
        b->span = end->span;
        if (end->kind == OP_REDUCE && type_is_tile(end->results[0].type))
            lanes = build_lanes(b, end, made);
        for (int k = 0; k < end->num_results; k++) {
            Value *value = lanes ? &lanes->results[k] : made[k];
            vec_push(c->px->scratch, &own, value);
            for (int n = 0; n < c->blocks; n++) vec_push(c->px->scratch, &types, value->type);
        }
    }
    if (!own.count) return;
    Op *meet = build_op(b, OP_MEET, own.count, own.data, types.count, types.data, 0, NULL);
    Value *told = meet->results;
    meet_set_blocks(meet, c->blocks);
    meet_set_within(meet, all_blocks(c));
    for (int i = 0; i < ends->count; i++) {
        Op *end = ends->data[i];
        if (end->kind != OP_REDUCE) continue;
        b->span = end->span;
        combine_all(c, b, end, told);
        told += end->num_results * c->blocks;
    }
}

void cluster_store(const Cluster *c) {
    for (int i = 0; i < c->others.count; i++) {
        Op *op = c->others.data[i];
        Builder b = {.fn = c->fn, .region = op->parent, .before = op, .span = op->span};
        Value *zero = build_int(&b, type_scalar(TYPE_I32), 0);
        Value *is_first = build_icmp(&b, ICMP_EQ, build_rank(c, &b), zero);
        const Type *type = store_pointer(op)->type;
        if (type_is_tile(type)) is_first = build_splat(&b, is_first, type->rank, type->shape);
        if (store_mask(op)) is_first = build_2(&b, OP_AND, store_mask(op), is_first);
        Value *operands[3] = {store_pointer(op), store_value(op), is_first};
        Op *made = build_op(&b, OP_STORE, 3, operands, 0, NULL, 0, NULL);
        memcpy(made->attrs, op->attrs, sizeof made->attrs);
        op_remove(op);
    }
}
