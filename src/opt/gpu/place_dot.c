// SPDX-License-Identifier: Apache-2.0
/* place_dot: who multiplies, and where a product lies. By wgmma or mma.sync where the tensor cores
 * take it; else each thread multiplies and adds a block of the result.
 *
 * Types of other than 16 bits wgmma takes where both operands lie in memory in rows along K, or are
 * of 32 bits and made here: these are brought to shared memory in any case, and so turned. Of f8
 * mma.sync is not used: what wgmma does not take becomes f16, which holds it. */
#include "opt/gpu/place.h"

/* Warps go to the longer side, as long as an instruction's 16 or 8 are left of it. */
static Layout mma_layout(const Placer *p, const Type *acc) {
    int m = log2_floor(acc->shape[0]), n = log2_floor(acc->shape[1]), warps_m = 0, warps_n = 0;
    for (int i = 0; i < p->warp_bits; i++) {
        int m_left = m - warps_m, n_left = n - warps_n;
        if (n_left > 3 && (m_left <= 4 || n_left > m_left))
            warps_n++;
        else
            warps_m++;
    }
    return layout_mma(m, n, warps_m, warps_n);
}

/* Neighbours along dim are neighbours in memory; true if that is not known. */
static bool goes_along(const Placer *p, const Value *value, int64_t dim) {
    while (value->def && value->def->kind != OP_LOAD) {
        const Op *op = value->def;
        if (op->kind != OP_TRANS && op->kind != OP_HINT && !op_has_trait(op, ELEMENTWISE))
            return true;
        if (op->kind == OP_TRANS) dim = trans_order(op).data[dim];
        value = op->operands[op->kind == OP_SELECT];
    }
    if (!value->def) return true;
    const int64_t *run = facts_axis(p->facts, load_pointer(value->def))->contiguity;
    return run[dim] > run[1 - dim] || (run[0] == run[1] && dim == 1);
}

/* Of 32 bits, and not as it was loaded. */
static bool is_made_here(const Value *value) {
    const Op *op = value->def;
    while (op && (op->kind == OP_TRANS || op->kind == OP_HINT)) op = op->operands[0]->def;
    return type_size_bytes(value->type) == 4 && op && op->kind != OP_LOAD;
}

static bool by_wgmma(const Placer *p, const Op *op) {
    if (dot_why_no_wgmma(op, p->arch, p->fn->num_warps)) return false;
    return !dot_wants_k_rows(op) || ((is_made_here(dot_a(op)) || goes_along(p, dot_a(op), 1)) &&
                                     (is_made_here(dot_b(op)) || goes_along(p, dot_b(op), 0)));
}

typedef struct Widen {
    const Placer *p;
    bool changed;
} Widen;

static bool is_f8(const Value *tile) {
    return type_is_float(tile->type) && type_bits(tile->type) == 8;
}

static bool widen(Op *op, void *user) {
    Widen *w = user;
    if (op->kind != OP_DOT || !is_f8(dot_a(op)) || by_wgmma(w->p, op)) return true;
    Builder b = {.fn = w->p->fn, .region = op->parent, .before = op, .span = op->span};
    Value *narrow[2] = {op->operands[0], op->operands[1]};
    for (int i = 0; i < 2; i++)
        op->operands[i] = build_cast(&b, OP_FEXT, narrow[i], type_scalar(TYPE_F16));
    w->changed = true;
    if (dot_fits_mma(op, w->p->arch)) return true;
    op->operands[0] = narrow[0], op->operands[1] = narrow[1];
    return true;
}

bool place_widen_dots(Placer *p) {
    Widen w = {.p = p};
    region_walk(p->fn->body, widen, &w);
    return w.changed;
}

static int unit_of(const Placer *p, const Op *op) {
    if (by_wgmma(p, op)) return UNIT_WGMMA;
    return dot_fits_mma(op, p->arch) ? UNIT_MMA : UNIT_FMA;
}

static Layout fma_layout(const Placer *p, const Type *acc) {
    TileShape shape = tile_shape(acc);
    int order[MAX_RANK], per_thread[MAX_RANK] = {0},
                         spare = tile_shape_bits(&shape) - log2_floor(p->threads);
    for (int i = 0; i < acc->rank; i++) order[i] = acc->rank - 1 - i;
    for (int i = 0; i < 2 && spare > 0; i++) {
        int d = order[i], bits = spare < 2 ? spare : 2;
        per_thread[d] = bits < shape.log2[d] ? bits : shape.log2[d];
        spare -= per_thread[d];
    }
    return layout_blocked(&shape, order, per_thread, p->warp_bits);
}

static Layout wgmma_layout(const Placer *p, const Type *acc) {
    int warps_m, warps_n;
    wgmma_warps(acc, p->fn->num_warps, &warps_m, &warps_n);
    return layout_wgmma(log2_floor(acc->shape[0]), log2_floor(acc->shape[1]), warps_m, warps_n);
}

const Layout *place_dot_layout(Placer *p, const Op *op) {
    const Type *acc = op_result(op)->type;
    int unit = place_plan(p, op_result(op))->unit = unit_of(p, op);
    Layout layout = unit == UNIT_WGMMA ? wgmma_layout(p, acc)
                    : unit == UNIT_MMA ? mma_layout(p, acc)
                                       : fma_layout(p, acc);
    const Layout *interned = layout_intern(&p->layouts, &layout);
    if (unit != UNIT_FMA) vec_push(p->arena, &p->products, interned);
    return interned;
}

/* A load of the same body, through no op that changes lanes. */
static bool is_loaded_here(const Op *op, const Value *value) {
    const Op *def = value->def;
    if (def && def->kind == OP_TRANS) def = def->operands[0]->def;
    return def && def->kind == OP_LOAD && def->parent == op->parent;
}

static bool takes_registers(const Op *op, const Value *value) {
    return type_size_bytes(value->type) == 2 && !is_loaded_here(op, value);
}

/* What the products of a loop hold of a thread's registers, if A that all turns multiply lies
 * there: their sums, and that. */
static int registers_held(const Placer *p, const Region *body) {
    int held = 0, threads = p->threads;
    for (const Op *op = body->first; op; op = op->next) {
        if (op->kind != OP_DOT) continue;
        const Value *a = dot_a(op);
        held += op_result(op)->type->lanes / threads;
        if (a->def && a->def->parent != body && takes_registers(op, a))
            held += a->type->lanes / threads / 2;
    }
    return held;
}

static bool is_in_loop(const Op *op) {
    return op->parent->owner && op->parent->owner->kind == OP_FOR;
}

/* The product itself, or one of a loop behind it that multiplies the same: it holds that as the
 * loop does. */
static const Op *product_of_loop(const Op *op) {
    for (const Op *loop = op; loop && !is_in_loop(op); loop = loop->next)
        for (const Op *other = loop->kind == OP_FOR ? for_body(loop)->first : NULL; other;
             other = other->next)
            if (other->kind == OP_DOT && dot_a(other) == dot_a(op) &&
                op_result(other)->type == op_result(op)->type)
                return other;
    return op;
}

/* What is made here of 32 bits goes to rows along K in shared memory, however it was loaded: pairs
 * of neighbours along K, eight rows a warp, so that its writes meet few in one bank, and 16-bit
 * elements that it is made of come out of a ring by ldmatrix. */
static const Layout *rows_along_k(Placer *p, const Op *op, int operand) {
    const Type *tile = op->operands[operand]->type;
    int rows = log2_floor(tile->shape[operand]), k = log2_floor(tile->shape[1 - operand]);
    int warps_rows = rows - 4 < p->warp_bits ? rows - 4 : p->warp_bits, from[MAX_TILE_BITS];
    if (warps_rows < 0) warps_rows = 0;
    if (rows < 4 || k - 3 < p->warp_bits - warps_rows) return NULL;
    Layout layout = layout_mma(rows, k, warps_rows, p->warp_bits - warps_rows);
    for (int i = 0; i < rows + k; i++) from[i] = i < rows ? k + i : i - rows;
    if (operand == 1) layout = layout_permute(&layout, from, rows + k);
    const Layout *interned = layout_intern(&p->layouts, &layout);
    vec_push(p->arena, &p->products, interned);
    return interned;
}

/* In a loop A of wgmma is taken from registers, if there are not too many, unless it is loaded
 * there: what the turns have in common then moves once, and B alone goes through shared memory. */
const Layout *place_multiplied(Placer *p, const Op *op, int operand) {
    enum {
        MOST_REGISTERS = 64, /* 16-bit elements; of 128 x 128 by 8 warps */
        MOST_HELD = 192,     /* of 255: the others are for addresses and what is made of sums */
    };
    const Value *value = op->operands[operand];
    const Layout *home = place_home_or_default(p, value);
    if (place_plan(p, op_result(op))->unit != UNIT_WGMMA) return home;
    if (is_in_loop(op) && is_made_here(value)) {
        const Layout *rows = rows_along_k(p, op, operand);
        if (rows) return rows;
    }
    if (operand == 1) return home;
    op = product_of_loop(op);
    if (!is_in_loop(op) || !takes_registers(op, value)) return home;
    bool outside = value->def && value->def->parent != op->parent;
    if (outside && registers_held(p, op->parent) > MOST_HELD) return home;
    Layout layout = dot_a_layout(op, p->fn->num_warps);
    return layout_regs(&layout) > MOST_REGISTERS ? home : layout_intern(&p->layouts, &layout);
}
