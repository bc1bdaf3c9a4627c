// SPDX-License-Identifier: Apache-2.0
/* lanes: the lane-by-lane instructions, made from isa.def: read 32 lanes of each operand, compute
 * all, keep those that are on. Lanes that are off compute with whatever their registers hold: no
 * meaning traps. */
#include "device/sim/sim.h"
#include "gen/ptx/number.h"

static inline uint32_t get_u32(const uint32_t *place, int i) { return place[i]; }
static inline int32_t get_s32(const uint32_t *place, int i) { return (int32_t)place[i]; }
static inline float get_f32(const uint32_t *place, int i) { return float_of_bits(place[i]); }
static inline uint8_t get_u8(const uint32_t *place, int i) { return (uint8_t)place[i]; }
static inline int8_t get_s8(const uint32_t *place, int i) { return (int8_t)place[i]; }
static inline uint16_t get_u16(const uint32_t *place, int i) { return (uint16_t)place[i]; }
static inline int16_t get_s16(const uint32_t *place, int i) { return (int16_t)place[i]; }
static inline uint64_t get_u64(const uint32_t *place, int i) { return get_wide(place, i); }
static inline int64_t get_s64(const uint32_t *place, int i) { return (int64_t)get_wide(place, i); }
static inline double get_f64(const uint32_t *place, int i) {
    return double_of_bits(get_wide(place, i));
}
static inline bool get_pred(const uint32_t *place, int i) { return *place >> i & 1; }
static inline int get_none(const uint32_t *place, int i) { return (void)place, (void)i, 0; }

static inline void put_u32(uint32_t *out, int i, uint32_t x) { out[i] = x; }
static inline void put_u16(uint32_t *out, int i, uint16_t x) { out[i] = x; }
static inline void put_u64(uint32_t *out, int i, uint64_t x) { put_wide(out, i, x); }
static inline void put_f32(uint32_t *out, int i, float x) {
    out[i] = x == x ? bits_of_float(x) : 0x7fffffff;
}
static inline void put_f64(uint32_t *out, int i, double x) {
    put_wide(out, i, x == x ? bits_of_double(x) : 0x7fffffffffffffff);
}
static inline void put_pred(uint32_t *out, int i, bool x) { *out |= (uint32_t)x << i; }

#define get_b16    get_u16
#define get_f16    get_u16
#define get_bf16   get_u16
#define get_b32    get_u32
#define get_bits32 get_u32
#define get_b64    get_u64
#define get_pair16 get_u16
#define get_pair32 get_u32
#define get_pair64 get_u64
#define put_u8     put_u16
#define put_b16    put_u16
#define put_f16    put_u16
#define put_bf16   put_u16
#define put_b32    put_u32
#define put_bits32 put_u32
#define put_tf32   put_u32
#define put_b64    put_u64
#define put_pair16 put_u16
#define put_pair32 put_u32
#define put_pair64 put_u64

enum {
    WORDS_u8 = LANES,
    WORDS_b16 = LANES,
    WORDS_u16 = LANES,
    WORDS_f16 = LANES,
    WORDS_bf16 = LANES,
    WORDS_b32 = LANES,
    WORDS_u32 = LANES,
    WORDS_f32 = LANES,
    WORDS_bits32 = LANES,
    WORDS_tf32 = LANES,
    WORDS_pair16 = LANES,
    WORDS_pair32 = LANES,
    WORDS_pair64 = 2 * LANES,
    WORDS_b64 = 2 * LANES,
    WORDS_u64 = 2 * LANES,
    WORDS_f64 = 2 * LANES,
    WORDS_pred = 1
};

static const uint32_t nothing[1];

static const uint32_t *lanes_of(const Machine *m, const Warp *w, const Ins *ins, int k) {
    return k < ins->num_operands ? source_of(m, w, ins->operands[k]) : nothing;
}
#define SOURCE_u8(k)     lanes_of(m, w, ins, k)
#define SOURCE_s8(k)     lanes_of(m, w, ins, k)
#define SOURCE_b16(k)    lanes_of(m, w, ins, k)
#define SOURCE_u16(k)    lanes_of(m, w, ins, k)
#define SOURCE_s16(k)    lanes_of(m, w, ins, k)
#define SOURCE_f16(k)    lanes_of(m, w, ins, k)
#define SOURCE_bf16(k)   lanes_of(m, w, ins, k)
#define SOURCE_b32(k)    lanes_of(m, w, ins, k)
#define SOURCE_u32(k)    lanes_of(m, w, ins, k)
#define SOURCE_s32(k)    lanes_of(m, w, ins, k)
#define SOURCE_f32(k)    lanes_of(m, w, ins, k)
#define SOURCE_bits32(k) lanes_of(m, w, ins, k)
#define SOURCE_pair16(k) lanes_of(m, w, ins, k)
#define SOURCE_pair32(k) lanes_of(m, w, ins, k)
#define SOURCE_pair64(k) lanes_of(m, w, ins, k)
#define SOURCE_b64(k)    lanes_of(m, w, ins, k)
#define SOURCE_u64(k)    lanes_of(m, w, ins, k)
#define SOURCE_s64(k)    lanes_of(m, w, ins, k)
#define SOURCE_f64(k)    lanes_of(m, w, ins, k)
#define SOURCE_pred(k)   (&w->predicates[ins->operands[k]])
#define SOURCE_none(k)   nothing

static void keep_narrow(uint32_t *to, const uint32_t *out, uint32_t lanes) {
    if (lanes == ALL_LANES) {
        memcpy(to, out, LANES * sizeof *out);
        return;
    }
    for (int i = 0; i < LANES; i++) to[i] = lanes >> i & 1 ? out[i] : to[i];
}

static void keep_wide(uint32_t *to, const uint32_t *out, uint32_t lanes) {
    if (lanes == ALL_LANES) {
        memcpy(to, out, 2 * LANES * sizeof *out);
        return;
    }
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) put_wide(to, i, get_wide(out, i));
}

static void keep(Warp *w, const Ins *ins, const uint32_t *out, int words, uint32_t lanes) {
    int32_t place = ins->results[0];
    if (words == WORDS_pred)
        w->predicates[place] = (w->predicates[place] & ~lanes) | (*out & lanes);
    else if (words == LANES)
        keep_narrow(w->places + (size_t)place * LANES, out, lanes);
    else
        keep_wide(w->places + (size_t)place * LANES, out, lanes);
}

/* Up to 2 units in the last place off, by a number drawn from the bits: the same each time. */
static void perturb(const Machine *m, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        uint32_t magnitude = out[i] & 0x7fffffff;
        if (magnitude < 0x00800002 || magnitude > 0x7f7ffffd) continue;
        uint64_t mix = (out[i] ^ m->perturb) * 0x9e3779b97f4a7c15u;
        out[i] += (uint32_t)(mix >> 40) % 5 - 2;
    }
}

#define LANES_OF(D, A, B, C, E, class, meaning)                                                    \
    {                                                                                              \
        uint32_t out[WORDS_##D] = {0};                                                             \
        const uint32_t *pa = SOURCE_##A(0), *pb = SOURCE_##B(1), *pc = SOURCE_##C(2),              \
                       *pd = SOURCE_##E(3);                                                        \
        for (int i = 0; i < LANES; i++) {                                                          \
            C_##A a = get_##A(pa, i);                                                              \
            C_##B b = get_##B(pb, i);                                                              \
            C_##C c = get_##C(pc, i);                                                              \
            C_##E d = get_##E(pd, i);                                                              \
            (void)a, (void)b, (void)c, (void)d;                                                    \
            put_##D(out, i, meaning);                                                              \
        }                                                                                          \
        if (CLASS_##class == CLASS_SPECIAL && PTX_##D == PTX_f32 && m->perturb) perturb(m, out);   \
        keep(w, ins, out, WORDS_##D, lanes);                                                       \
        break;                                                                                     \
    }
#define PTX_LANE(name, text, D, A, B, C, class, sm, fold, meaning)                                 \
    case TIR_##name:                                                                               \
        LANES_OF(D, A, B, C, none, class, meaning)
#define PTX_LANE4(name, text, D, A, B, C, E, class, sm, meaning)                                   \
    case TIR_##name: LANES_OF(D, A, B, C, E, class, meaning)

void sim_lanes(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    switch ((TirOp)ins->op) {
#include "gen/ptx/isa.def"
    case NUM_TIR_OPS: BUG("not an instruction");
    }
}
