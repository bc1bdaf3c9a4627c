// SPDX-License-Identifier: Apache-2.0
/* dot: matrix products. Both operands are read in shared memory: in a ring, or where they are
 * brought first. Where the tensor cores take the type (f16; bf16, i8 and, if the source allows it,
 * f32 as tf32 from sm_80), fragments are read step by step along K for mma.sync m16n8, those of
 * 16-bit types by ldmatrix; else each thread multiplies and adds its own part of the result, in a
 * loop along K. */
#include "gen/ptx/gen.h"

/* What one mma.m16n8 takes. */
typedef struct Mma {
    const char *text;
    int k_width, k_regs; /* of a fragment, see layout.h */
} Mma;

static Mma mma_of(Gen *g, TypeKind kind) {
    if (kind == TYPE_F16 && g->arch->number < 80)
        return (Mma){"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 1, 0};
    if (kind == TYPE_F16) return (Mma){"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 1, 1};
    if (kind == TYPE_BF16)
        return (Mma){"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 1, 1};
    if (kind == TYPE_I8) return (Mma){"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2, 1};
    return (Mma){"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 0, 1};
}

static DotPlan dot_plan(const Op *op) {
    const Type *acc = op_result(op)->type, *a = type_lane(dot_a(op)->type);
    DotPlan plan = {.kind = a->kind};
    dot_warps(acc, type_layout(acc), &plan.warps_m, &plan.warps_n);
    return plan;
}

static const Layout *kept(Gen *g, Layout layout) {
    Layout *copy = arena_new_of(g->arena, Layout);
    *copy = layout;
    return copy;
}

/* Lanes of one type as another: what the product computes in. */
Tir ptx_lane_as(Gen *g, const Type *from, const Type *to, Tir x) {
    if (from == to) return x;
    if (type_is_int(from)) {
        x = ptx_sign_extended(g, from, x);
        return type_bits(to) == 64 && type_bits(from) < 64 ? tir_1(g->b, TIR_SEXT, x) : x;
    }
    if (to->kind == TYPE_F64) return tir_1(g->b, TIR_F64_FROM_F32, ptx_to_f32(g, from, x));
    if (from->kind == TYPE_F64) BUG("dot of f64 into a narrower type");
    return ptx_from_f32(g, to, ptx_to_f32(g, from, x), false);
}

Tir *ptx_tile_as(Gen *g, const Value *value, const Type *to) {
    int count = layout_regs(type_layout(value->type));
    Tir *from = ptx_regs_of(g, value), *regs = ptx_new_regs(g, count);
    for (int r = 0; r < count; r++) regs[r] = ptx_lane_as(g, type_lane(value->type), to, from[r]);
    return regs;
}

/* ---- tensor cores ---- */

typedef struct Fragments {
    const Layout *layout;
    SharedTile tile;
    const Type *multiplied; /* type of the lanes in `regs` */
    Tir *regs;              /* lanes of 8 or 32 bits */
    Tir *words;             /* of 16-bit lanes, two in each: by number of their register / 2 */
    Layout rows;            /* where ldmatrix reads: a thread's lane is the row that it points at */
    int matrix_bit[2];      /* register bits that tell the 8x8 matrices of one ldmatrix apart */
    int num_matrix_bits;
    bool in_ring;             /* the tile is there already, of the source's type */
    bool transposed;          /* rows of the tile in shared memory do not go along K */
    int frag_bits, step_bits; /* register bits within a fragment, then steps along K, then tiles */
    int width_bits;           /* lanes packed in a 32-bit register */
} Fragments;

/* Brings an operand from registers to shared memory; f32 is rounded to the 10 bits that the tensor
 * cores look at. */
static void stage(Gen *g, const Op *op, int operand, const DotPlan *plan, Fragments *f,
                  int offset) {
    const Value *value = op->operands[operand];
    const Layout *home = type_layout(value->type);
    const Type *lane = type_scalar(plan->kind);
    Tir *regs = ptx_tile_as(g, value, lane);
    if (plan->kind == TYPE_F32)
        for (int r = 0; r < layout_regs(home); r++)
            regs[r] = tir_1(g->b, TIR_TF32_FROM_F32, regs[r]);
    f->tile.offset = offset;
    ptx_shared_store(g, &f->tile, home, regs);
}

/* Which of two tile bits comes first in the registers, then the lanes, of a layout? */
static bool comes_first(const Layout *layout, uint32_t a, uint32_t b, bool otherwise) {
    for (int kind = KIND_REG; kind <= KIND_LANE; kind++)
        for (int i = 0; i < layout->num[kind]; i++)
            if (layout->column[kind][i] == a || layout->column[kind][i] == b)
                return layout->column[kind][i] == a;
    return otherwise;
}

/* How a tile in registers is to lie for ldmatrix: rows as they come in memory, 16 bytes of which
 * are read, eight of a matrix in different banks. */
static Swizzle rows_of(const Layout *home, const TileShape *shape, int k_dim) {
    int k_bit = tile_bit_of_dim(shape, k_dim), other_bit = tile_bit_of_dim(shape, 1 - k_dim);
    bool along_k = comes_first(home, 1u << k_bit, 1u << other_bit, k_dim == 1);
    int fast = along_k ? k_dim : 1 - k_dim, slow = 1 - fast;
    return swizzle_panels(tile_bit_of_dim(shape, fast), shape->log2[fast],
                          tile_bit_of_dim(shape, slow), shape->log2[slow], 2);
}

/* The tile bit from which on 8 elements lie side by side; -1: they do not. */
static int first_of_rows(const Swizzle *swizzle) {
    int first = 0;
    while (first < swizzle->bits && swizzle->image[0] != 1u << first) first++;
    for (int i = 0; i < 3; i++)
        if (swizzle->vector < 3 || swizzle->image[i] != 1u << (first + i)) return -1;
    return first;
}

/* Can ldmatrix read it? Then how. */
static bool plan_matrices(Fragments *f, const TileShape *shape, int k_dim) {
    int k_bit = tile_bit_of_dim(shape, k_dim), other_bit = tile_bit_of_dim(shape, 1 - k_dim);
    int first = first_of_rows(&f->tile.swizzle), tile_bit = f->frag_bits + f->step_bits;
    if (first != k_bit && first != other_bit) return false;
    f->transposed = first != k_bit;
    int slow = f->transposed ? k_bit : other_bit;
    for (int i = 1; i < f->frag_bits; i++) f->matrix_bit[f->num_matrix_bits++] = i;
    for (int i = tile_bit; i < f->layout->num[KIND_REG] && f->num_matrix_bits < 2; i++)
        f->matrix_bit[f->num_matrix_bits++] = i;
    f->rows = *f->layout;
    for (int i = 0; i < 3; i++) f->rows.column[KIND_LANE][i] = 1u << (slow + i);
    for (int i = 0; i < 2; i++)
        f->rows.column[KIND_LANE][3 + i] =
            i < f->num_matrix_bits ? f->layout->column[KIND_REG][f->matrix_bit[i]] : 0;
    return true;
}

/* Where the operand lies, or is to lie. */
static void choose_tile(Gen *g, const Value *value, const DotPlan *plan, int k_dim, Fragments *f) {
    const Type *lane = type_scalar(plan->kind);
    TileShape shape = tile_shape(value->type);
    f->in_ring = value->type->place->shared;
    if (f->in_ring) {
        f->tile = ptx_peeked(g, value);
        return;
    }
    const Layout *home = type_layout(value->type);
    f->tile = (SharedTile){.lane = lane, .bytes = ptx_lane_bytes(lane) << f->layout->tile_bits};
    f->tile.swizzle = ptx_lane_bytes(lane) == 2
                          ? rows_of(home, &shape, k_dim)
                          : swizzle_choose(home, f->layout, ptx_lane_bytes(lane));
}

static Fragments fragments(Gen *g, const Op *op, int operand, const DotPlan *plan, const Mma *mma) {
    const Value *value = op->operands[operand];
    TileShape shape = tile_shape(value->type);
    Fragments f = {.width_bits = mma->k_width, .multiplied = type_scalar(plan->kind)};
    int k_dim = operand == 0 ? 1 : 0, k = shape.log2[k_dim];
    f.layout = kept(g, operand == 0 ? layout_mma_a(shape.log2[0], k, plan->warps_m, plan->warps_n,
                                                   mma->k_width, mma->k_regs)
                                    : layout_mma_b(k, shape.log2[1], plan->warps_m, plan->warps_n,
                                                   mma->k_width, mma->k_regs));
    f.frag_bits = mma->k_width + mma->k_regs + (operand == 0);
    f.step_bits = k - 2 - mma->k_width - mma->k_regs;
    choose_tile(g, value, plan, k_dim, &f);
    if (ptx_lane_bytes(f.tile.lane) == 2 && plan_matrices(&f, &shape, k_dim))
        f.words = ptx_new_regs(g, layout_regs(f.layout) / 2);
    else
        f.regs = ptx_new_regs(g, layout_regs(f.layout));
    return f;
}

/* Registers of one step along K, read in a ring: as the product takes them. */
static void convert_step(Gen *g, Fragments *f, const DotPlan *plan, uint32_t mask, uint32_t value) {
    const Type *to = type_scalar(plan->kind);
    for (uint32_t r = 0; r < (uint32_t)layout_regs(f->layout); r++) {
        if ((r & mask) != value) continue;
        f->regs[r] = ptx_lane_as(g, f->tile.lane, to, f->regs[r]);
        if (to->kind == TYPE_F32) f->regs[r] = tir_1(g->b, TIR_TF32_FROM_F32, f->regs[r]);
    }
}

/* What one step along K takes, from shared memory. */
static void load_step(Gen *g, Fragments *f, const DotPlan *plan, int step) {
    uint32_t steps = (1u << f->step_bits) - 1, reg_step = (uint32_t)step << f->frag_bits,
             inside = 0;
    if (!f->words) {
        uint32_t mask = steps << f->frag_bits;
        ptx_shared_load_some(g, &f->tile, f->layout, 0, mask, reg_step, f->regs);
        if (f->in_ring) convert_step(g, f, plan, mask, reg_step);
        return;
    }
    for (int i = 0; i < f->num_matrix_bits; i++) inside |= 1u << f->matrix_bit[i];
    for (uint32_t tile = 0;
         tile < (uint32_t)layout_regs(f->layout) >> (f->frag_bits + f->step_bits); tile++) {
        uint32_t reg = reg_step | tile << (f->frag_bits + f->step_bits);
        if (reg & inside) continue;
        Tir first =
            ptx_shared_matrices(g, &f->tile, &f->rows, reg, 1 << f->num_matrix_bits, f->transposed);
        for (int q = 0; q < 1 << f->num_matrix_bits; q++) {
            uint32_t of = reg;
            for (int i = 0; i < f->num_matrix_bits; i++)
                of |= (uint32_t)(q >> i & 1) << f->matrix_bit[i];
            f->words[of >> 1] = first + q;
        }
    }
}

/* The 32-bit registers of fragment `tile` at a step. */
static int fragment_words(Gen *g, const Fragments *f, int step, int tile, Tir *words) {
    int first = (step | tile << f->step_bits) << f->frag_bits, width = 1 << f->width_bits;
    int count = 1 << (f->frag_bits - f->width_bits);
    for (int i = 0; i < count; i++)
        words[i] = f->words ? f->words[first / 2 + i]
                            : ptx_pack_lanes(g, f->multiplied, f->regs + first + i * width, width);
    return count;
}

static void multiply_step(Gen *g, const Mma *mma, const Fragments *a, const Fragments *b, int step,
                          int tiles_n, int tiles_m, Tir *acc) {
    Tir args[12];
    for (int m = 0; m < tiles_m; m++) {
        int num_a = fragment_words(g, a, step, m, args);
        for (int n = 0; n < tiles_n; n++) {
            int num_b = fragment_words(g, b, step, n, args + num_a);
            Tir *c = acc + ((n + m * tiles_n) << 2), index;
            for (int i = 0; i < 4; i++) args[num_a + num_b + i] = c[i];
            TirIns *ins = tir_ins(g->b, TIR_MMA, mma->text, num_a + num_b + 4, args, &index);
            ins->imm = (uint64_t)num_a | (uint64_t)num_b << 8;
            Tir first = tir_results(g->b, index, CLASS_B32, 4);
            for (int i = 0; i < 4; i++) c[i] = first + i;
        }
    }
}

static void ptx_mma(Gen *g, const Op *op, const DotPlan *plan, const Layout *layout) {
    Mma mma = mma_of(g, plan->kind);
    const Type *lane = type_lane(op_result(op)->type);
    const Type *sum = type_scalar(plan->kind == TYPE_I8 ? TYPE_I32 : TYPE_F32);
    Tir *acc = ptx_tile_as(g, dot_acc(op), sum);
    Fragments a = fragments(g, op, 0, plan, &mma), b = fragments(g, op, 1, plan, &mma);
    int bytes = dot_scratch(op);
    if (bytes) {
        int base = ptx_shared_begin(g, bytes);
        if (!a.in_ring) stage(g, op, 0, plan, &a, base);
        if (!b.in_ring)
            stage(g, op, 1, plan, &b, base + (a.in_ring ? 0 : scratch_aligned(a.tile.bytes)));
        ptx_barrier(g);
    }
    int tiles_m = 1 << (a.layout->num[KIND_REG] - a.frag_bits - a.step_bits);
    int tiles_n = 1 << (b.layout->num[KIND_REG] - b.frag_bits - b.step_bits);
    if (tiles_m * tiles_n * 4 != layout_regs(layout)) BUG("fragments do not cover the result");
    for (int step = 0; step < 1 << a.step_bits; step++) {
        load_step(g, &a, plan, step);
        load_step(g, &b, plan, step);
        multiply_step(g, &mma, &a, &b, step, tiles_n, tiles_m, acc);
    }
    for (int r = 0; r < layout_regs(layout); r++) acc[r] = ptx_lane_as(g, sum, lane, acc[r]);
    ptx_define(g, op_result(op), acc);
}

/* ---- multiply and add ---- */

typedef struct Product {
    Gen *g;
    const Layout *layout;
    const Type *sum;     /* what is computed in */
    TileShape shape;     /* of the result */
    int m_dim, n_dim, k; /* k: length */
    int bytes;
} Product;

/* Byte offsets in A [.., M, K] and B [.., K, N] that an index of the result means. */
static uint32_t offset_in(const Product *p, uint32_t index, bool in_b) {
    uint32_t n = index & ((1u << p->shape.log2[p->n_dim]) - 1);
    uint32_t m = index >> p->shape.log2[p->n_dim] & ((1u << p->shape.log2[p->m_dim]) - 1);
    uint32_t batch = index >> (p->shape.log2[p->n_dim] + p->shape.log2[p->m_dim]);
    uint32_t k = (uint32_t)p->k;
    uint32_t element = in_b ? batch * (k << p->shape.log2[p->n_dim]) + n
                            : (batch << p->shape.log2[p->m_dim]) * k + m * k;
    return element * (uint32_t)p->bytes;
}

static Tir part_in(const Product *p, bool in_b) {
    uint32_t images[LANE_BITS + MAX_WARP_BITS] = {0};
    for (int i = 0; i < LANE_BITS; i++)
        images[i] = offset_in(p, p->layout->column[KIND_LANE][i], in_b);
    for (int i = 0; i < p->layout->num[KIND_WARP]; i++)
        images[LANE_BITS + i] = offset_in(p, p->layout->column[KIND_WARP][i], in_b);
    return ptx_thread_bits(p->g, p->layout, images);
}

static Tir multiply_add(const Product *p, Tir x, Tir y, Tir z) {
    Tirs *b = p->g->b;
    if (p->sum->kind == TYPE_F32) return tir_3(b, TIR_FMA_F32, x, y, z);
    if (p->sum->kind == TYPE_F64) return tir_3(b, TIR_FMA_F64, x, y, z);
    bool wide = type_bits(p->sum) == 64;
    Tir product = tir_2(b, wide ? TIR_MUL64 : TIR_MUL32, x, y);
    return tir_2(b, wide ? TIR_ADD64 : TIR_ADD32, product, z);
}

/* One k: every distinct row of A and column of B that the thread's registers need, then products.
 */
static void product_step(const Product *p, Tir at_a, Tir at_b, int k, Tir *acc) {
    Gen *g = p->g;
    int count = layout_regs(p->layout), row = p->bytes << p->shape.log2[p->n_dim];
    Tir *x = ptx_new_regs(g, count), *y = ptx_new_regs(g, count);
    for (int r = 0; r < count; r++) {
        uint32_t image = layout_index(p->layout, (uint32_t)r, 0, 0);
        uint32_t in_a = offset_in(p, image, false), in_b = offset_in(p, image, true);
        for (int s = 0; s < r; s++) { /* already read for another register */
            uint32_t other = layout_index(p->layout, (uint32_t)s, 0, 0);
            if (!x[r] && offset_in(p, other, false) == in_a) x[r] = x[s];
            if (!y[r] && offset_in(p, other, true) == in_b) y[r] = y[s];
        }
        Tir a = tir_2(g->b, TIR_ADD32, at_a, tir_i32(g->b, (int64_t)in_a + k * p->bytes));
        Tir b = tir_2(g->b, TIR_ADD32, at_b, tir_i32(g->b, (int64_t)in_b + (int64_t)k * row));
        if (!x[r]) ptx_load_lanes(g, "ld.shared", false, a, p->sum, 1, 0, NULL, &x[r]);
        if (!y[r]) ptx_load_lanes(g, "ld.shared", false, b, p->sum, 1, 0, NULL, &y[r]);
    }
    for (int r = 0; r < count; r++) acc[r] = multiply_add(p, x[r], y[r], acc[r]);
}

static void product_loop(const Product *p, Tir at_a, Tir at_b, Tir *acc) {
    Gen *g = p->g;
    Tirs *b = g->b;
    int count = layout_regs(p->layout), unroll = count > 32 ? 1 : count > 8 ? 2 : 4;
    if (unroll > p->k) unroll = p->k;
    Tir pa = tir_var(b, CLASS_B32), pb = tir_var(b, CLASS_B32), left = tir_var(b, CLASS_B32);
    Tir *sums = ptx_new_regs(g, count), *next = ptx_new_regs(g, count);
    tir_set(b, pa, at_a), tir_set(b, pb, at_b), tir_set(b, left, tir_i32(b, p->k / unroll));
    for (int r = 0; r < count; r++) {
        sums[r] = tir_var(b, ptx_class_of(p->sum));
        tir_set(b, sums[r], acc[r]);
    }
    int head = tir_new_label(b);
    tir_label(b, head);
    int scope = tir_enter(b);
    memcpy(next, sums, sizeof(Tir) * (size_t)count);
    for (int k = 0; k < unroll; k++) product_step(p, pa, pb, k, next);
    int row = p->bytes << p->shape.log2[p->n_dim];
    Tir new_a = tir_2(b, TIR_ADD32, pa, tir_i32(b, unroll * p->bytes));
    Tir new_b = tir_2(b, TIR_ADD32, pb, tir_i32(b, (int64_t)unroll * row));
    Tir rest = tir_2(b, TIR_ADD32, left, tir_i32(b, -1));
    for (int r = 0; r < count; r++) tir_set(b, sums[r], next[r]);
    tir_set(b, pa, new_a), tir_set(b, pb, new_b), tir_set(b, left, rest);
    tir_branch(b, head, tir_2(b, TIR_NE32, left, tir_i32(b, 0)), false);
    tir_leave(b, scope);
    memcpy(acc, sums, sizeof(Tir) * (size_t)count);
}

static void ptx_product(Gen *g, const Op *op, const Layout *layout) {
    const Type *acc_type = op_result(op)->type, *sum = dot_sum_type(op);
    int rank = acc_type->rank;
    Product p = {.g = g,
                 .layout = layout,
                 .sum = sum,
                 .shape = tile_shape(acc_type),
                 .m_dim = rank - 2,
                 .n_dim = rank - 1,
                 .k = dot_a(op)->type->shape[rank - 1],
                 .bytes = ptx_lane_bytes(sum)};
    Tir *acc = ptx_tile_as(g, dot_acc(op), sum);
    SharedTile tiles[2];
    int total = 0;
    for (int i = 0; i < 2; i++) {
        tiles[i] = (SharedTile){
            .lane = sum, .offset = total, .bytes = p.bytes * op->operands[i]->type->lanes};
        total += scratch_aligned(tiles[i].bytes);
    }
    int base = ptx_shared_begin(g, total);
    for (int i = 0; i < 2; i++) {
        const Layout *home = type_layout(op->operands[i]->type);
        tiles[i].swizzle = swizzle_row_major(home->tile_bits);
        tiles[i].offset += base;
        ptx_shared_store(g, &tiles[i], home, ptx_tile_as(g, op->operands[i], sum));
    }
    ptx_barrier(g);
    Tir at_a = ptx_shared_address(g, tiles[0].offset, part_in(&p, false));
    Tir at_b = ptx_shared_address(g, tiles[1].offset, part_in(&p, true));
    product_loop(&p, at_a, at_b, acc);
    for (int r = 0; r < layout_regs(layout); r++)
        acc[r] = ptx_lane_as(g, sum, type_lane(acc_type), acc[r]);
    ptx_define(g, op_result(op), acc);
}

/* Why nothing better multiplies; NULL: nothing would. */
static const char *why_not_better(const Gen *g, const Op *op) {
    const char *why = dot_why_no_wgmma(op, g->arch, g->fn->num_warps);
    if (dot_unit(op) == UNIT_WGMMA || (dot_unit(op) == UNIT_MMA && g->arch->number != 90))
        return NULL;
    if (dot_unit(op) == UNIT_MMA && (why || !dot_wants_k_rows(op))) return why;
    if (dot_unit(op) == UNIT_MMA) return "wgmma takes this type in rows along K";
    return dot_mma_k(op, g->arch) ? "the tensor cores take larger tiles, without a batch"
                                  : "the tensor cores do not take these types";
}

static void note_dot(Gen *g, const Op *op) {
    static const char *const units[] = {
        [UNIT_FMA] = "fma", [UNIT_MMA] = "mma.sync", [UNIT_WGMMA] = "wgmma"};
    const Type *a = dot_a(op)->type, *b = dot_b(op)->type;
    const char *why = why_not_better(g, op);
    int last = a->rank - 1;
    const char *rings = a->place->shared && b->place->shared ? ", a and b from a ring"
                        : a->place->shared                   ? ", a from a ring"
                        : b->place->shared                   ? ", b from a ring"
                                                             : "";
    ptx_note(g, str_format(g->arena, "product of %dx%d by %dx%d %s: %s%s%s%s", a->shape[last - 1],
                           a->shape[last], b->shape[last - 1], b->shape[last],
                           type_str(g->arena, type_lane(a)).data, units[dot_unit(op)], rings,
                           why ? "; " : "", why ? why : ""));
}

void ptx_dot(Gen *g, const Op *op) {
    note_dot(g, op);
    const Layout *layout = type_layout(op_result(op)->type);
    DotPlan plan = dot_plan(op);
    if (dot_unit(op) == UNIT_WGMMA)
        ptx_wgmma(g, op);
    else if (dot_unit(op) == UNIT_MMA)
        ptx_mma(g, op, &plan, layout);
    else
        ptx_product(g, op, layout);
}
