// SPDX-License-Identifier: Apache-2.0
/* across: instructions in which lanes of a warp see each other. Fragments of mma are written down
 * from the PTX ISA's pictures (9.7.14.5), not from the compiler's layouts. */
#include "gen/ptx/number.h"
#include "device/sim/sim.h"

static bool shuffle(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const uint32_t *value = source_of(m, w, ins->operands[0]),
                   *by = source_of(m, w, ins->operands[1]);
    const uint32_t *clamp = source_of(m, w, ins->operands[2]);
    uint32_t out[LANES] = {0}, inside = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        /* PTX ISA 9.7.9.3: the low 5 bits clamp, bits 8 to 12 cut the warp into segments. */
        int b = (int)(by[lane] & 31), segment = (int)(clamp[lane] >> 8 & 31),
            bound = (int)(clamp[lane] & 31);
        int first = lane & segment, last = first | (bound & ~segment), from = lane;
        bool in = true;
        switch ((PtxShuffle)ins->kind) {
        case SHUFFLE_UP: from = lane - b, in = from >= last; break;
        case SHUFFLE_DOWN: from = lane + b, in = from <= last; break;
        case SHUFFLE_XOR: from = lane ^ b, in = from <= last; break;
        case SHUFFLE_INDEX: from = first | (b & ~segment), in = from <= last; break;
        }
        if (!in) from = lane;
        if (!(lanes >> from & 1))
            return sim_fail(m, w, ins, lane, "reads from lane %d, which does not take part", from);
        out[lane] = value[from];
        inside |= (uint32_t)in << lane;
    }
    uint32_t *to = w->places + (size_t)ins->results[0] * LANES;
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) to[i] = out[i];
    if (ins->num_results > 1)
        w->predicates[ins->results[1]] = (w->predicates[ins->results[1]] & ~lanes) | inside;
    return true;
}

static bool vote(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    uint32_t mask = source_of(m, w, ins->operands[1])[__builtin_ctz(lanes)] & lanes;
    uint32_t on = w->predicates[ins->operands[0]] & mask, place = (uint32_t)ins->results[0];
    if (ins->kind == VOTE_BALLOT) {
        for (int i = 0; i < LANES; i++)
            if (lanes >> i & 1) w->places[(size_t)place * LANES + (size_t)i] = on;
        return true;
    }
    bool yes = ins->kind == VOTE_ALL   ? on == mask
               : ins->kind == VOTE_ANY ? on != 0
                                       : on == 0 || on == mask;
    w->predicates[place] = (w->predicates[place] & ~lanes) | (yes ? lanes : 0);
    return true;
}

/* Which lane is said nowhere, but for the same lanes it is always the same. */
static void elect(const Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    uint64_t skip = m->seed * 0x9e3779b97f4a7c15u >> 32, place = ins->num_results - 1u;
    uint32_t left = lanes, *elected = &w->predicates[ins->results[place]];
    for (skip %= (uint64_t)__builtin_popcount(lanes); skip; skip--) left &= left - 1;
    int leader = __builtin_ctz(left);
    *elected = (*elected & ~lanes) | 1u << leader;
    for (int i = 0; i < LANES && place; i++)
        if (lanes >> i & 1)
            w->places[(size_t)ins->results[0] * LANES + (size_t)i] = (uint32_t)leader;
}

static uint32_t combine(const Ins *ins, uint32_t a, uint32_t b) {
    bool is_signed = ins->number == NUMBER_SIGNED,
         less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch ((PtxAtomic)ins->kind) {
    case ATOMIC_ADD: return a + b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    case ATOMIC_MIN: return less ? a : b;
    case ATOMIC_MAX: return less ? b : a;
    case ATOMIC_EXCHANGE:
    case ATOMIC_CAS:
    case ATOMIC_INC:
    case ATOMIC_DEC: break;
    }
    BUG("redux %d", ins->kind);
}

static bool redux(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    const uint32_t *value = source_of(m, w, ins->operands[0]);
    uint32_t total = value[__builtin_ctz(lanes)], *to = w->places + (size_t)ins->results[0] * LANES;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1)
        total = combine(ins, total, value[__builtin_ctz(left)]);
    for (uint32_t left = lanes; left; left &= left - 1) to[__builtin_ctz(left)] = total;
    return true;
}

/* ---- tensor cores ---- */

typedef struct Fragment {
    const uint32_t *regs[4];
} Fragment;

/* Element i of a lane's registers, as a number. */
static double element(const Fragment *f, int kind, int lane, int i) {
    switch ((SimMma)kind) {
    case MMA_F16_K8:
    case MMA_F16_K16: return (double)ptx_f16((uint16_t)(f->regs[i / 2][lane] >> (16 * (i % 2))));
    case MMA_BF16_K16: return (double)ptx_bf16((uint16_t)(f->regs[i / 2][lane] >> (16 * (i % 2))));
    case MMA_TF32_K8: return (double)float_of_bits(f->regs[i][lane] & ~0x1fffu);
    case MMA_S8_K32:
    case MMA_S8_K16: return (double)(int8_t)(f->regs[i / 4][lane] >> (8 * (i % 4)));
    case MMA_U8_K16: return (double)(uint8_t)(f->regs[i / 4][lane] >> (8 * (i % 4)));
    case MMA_F64_K4:
    case MMA_E4M3_K32:
    case MMA_E5M2_K32: break;
    }
    BUG("no mma.sync of this kind");
}

typedef struct Shape {
    int k, width, regs_a, regs_b; /* width: elements in a register */
} Shape;

/* group = lane / 4, t = lane % 4. A: rows group and group + 8 alternate by register, columns t *
 * width + element, the upper half of k from the third register on. B: rows (k) likewise, column
 * group. */
static void gather(const Fragment *f, int kind, const Shape *s, bool is_a, double *matrix) {
    int regs = is_a ? s->regs_a : s->regs_b, half = 4 * s->width;
    for (int lane = 0; lane < LANES; lane++) {
        int group = lane / 4, t = lane % 4;
        for (int r = 0; r < regs; r++) {
            int upper = is_a ? r / 2 : r, row = is_a ? group + 8 * (r % 2) : group;
            for (int e = 0; e < s->width; e++)
                matrix[row * s->k + upper * half + t * s->width + e] =
                    element(f, kind, lane, r * s->width + e);
        }
    }
}

/* 8x8x4: a lane has A[group][t], B[t][group], and two neighbours of C. Each step rounds once. */
static bool product_f64(Machine *m, Warp *w, const Ins *ins) {
    const uint32_t *in[4];
    double sums[2][LANES];
    for (int i = 0; i < 4; i++) in[i] = source_of(m, w, ins->operands[i]);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 2; i++) {
            double sum = double_of_bits(get_wide(in[2 + i], lane));
            for (int k = 0; k < 4; k++)
                sum = fma(double_of_bits(get_wide(in[0], lane / 4 * 4 + k)),
                          double_of_bits(get_wide(in[1], (lane % 4 * 2 + i) * 4 + k)), sum);
            sums[i][lane] = sum;
        }
    for (int i = 0; i < 2; i++)
        memcpy(w->places + (size_t)ins->results[i] * LANES, sums[i], sizeof sums[i]);
    return true;
}

/* Products are exact in double, and summed there; rounded once to f32. The hardware keeps fewer
 * bits while it sums, in an order that is not published. */
static bool mma(Machine *m, Warp *w, const Ins *ins) {
    static const Shape shapes[] = {{8, 2, 2, 1},  {16, 2, 4, 2}, {16, 2, 4, 2}, {8, 1, 4, 2},
                                   {32, 4, 4, 2}, {16, 4, 2, 1}, {16, 4, 2, 1}};
    const Shape *s = &shapes[ins->kind];
    bool is_integer = ins->kind >= MMA_S8_K32;
    if (ins->kind == MMA_F64_K4) return product_f64(m, w, ins);
    double a[16 * 32], b[8 * 32];
    Fragment fa = {{0}}, fb = {{0}};
    const uint32_t *c[4];
    for (int i = 0; i < s->regs_a; i++) fa.regs[i] = source_of(m, w, ins->operands[i]);
    for (int i = 0; i < s->regs_b; i++) fb.regs[i] = source_of(m, w, ins->operands[s->regs_a + i]);
    for (int i = 0; i < 4; i++) c[i] = source_of(m, w, ins->operands[s->regs_a + s->regs_b + i]);
    gather(&fa, ins->kind, s, true, a);
    gather(&fb, ins->kind, s, false, b);
    uint32_t out[4][LANES];
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 4; i++) {
            int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
            double sum = 0;
            for (int k = 0; k < s->k; k++) sum += a[row * s->k + k] * b[column * s->k + k];
            if (is_integer)
                out[i][lane] = c[i][lane] + (uint32_t)(int32_t)sum;
            else {
                float total = (float)(sum + (double)float_of_bits(c[i][lane]));
                out[i][lane] = total == total ? bits_of_float(total) : 0x7fffffff;
            }
        }
    }
    for (int i = 0; i < 4; i++)
        memcpy(w->places + (size_t)ins->results[i] * LANES, out[i], sizeof out[i]);
    return true;
}

bool sim_across(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    switch ((SimOp)ins->op) {
    case SIM_SHUFFLE: return shuffle(m, w, ins, lanes);
    case SIM_VOTE: return vote(m, w, ins, lanes);
    case SIM_REDUX: return redux(m, w, ins, lanes);
    case SIM_MMA: return mma(m, w, ins);
    case SIM_LDMATRIX: return sim_ldmatrix(m, w, ins);
    case SIM_STMATRIX: return sim_stmatrix(m, w, ins);
    case SIM_WGMMA:
    case SIM_WGMMA_FENCE:
    case SIM_WGMMA_COMMIT:
    case SIM_WGMMA_WAIT: return sim_wgmma(m, w, ins);
    case SIM_ELECT: elect(m, w, ins, lanes); return true;
    case SIM_ACTIVE:
        for (int i = 0; i < LANES; i++)
            if (lanes >> i & 1) w->places[(size_t)ins->results[0] * LANES + (size_t)i] = lanes;
        return true;
    case SIM_OTHERS:
    case SIM_COPIES:
    case SIM_CONTROL: break;
    }
    BUG("op %d is not across lanes", ins->op);
}
