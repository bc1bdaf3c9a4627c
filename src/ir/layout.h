// SPDX-License-Identifier: Apache-2.0
/* layout: where the lanes of a tile live, as a linear map over GF(2).
 *
 * A hardware place is (register, lane of the warp, warp); each of the three is a number whose bits
 * have an image: the row-major index in the tile that this bit contributes, by exclusive or.
 *
 *     tile<256xf32> over 32 lanes, 1 warp, 4 consecutive elements a lane, then again:
 *     register bits -> 1, 2, 128     lane bits -> 4, 8, 16, 32, 64
 *
 * A zero column of a lane or warp bit is replication: both halves hold the same elements, so stores
 * and atomics must let only the half with the bit clear go on. Register columns are never zero.
 * A layout of registers has columns that are zero or single bits, each tile bit once ("unit");
 * a layout of shared memory (struct Swizzle) has columns of several bits. */
#ifndef TERN_LAYOUT_H
#define TERN_LAYOUT_H

#include "ir/ir.h"

static inline int log2_floor(int64_t x) { /* of 0: 0 */
    int n = 0;
    while (x >>= 1) n++;
    return n;
}

enum { KIND_REG, KIND_LANE, KIND_WARP, NUM_KINDS };
enum { LANE_BITS = 5, MAX_WARP_BITS = 5, MAX_TILE_BITS = 20 };

typedef struct Layout {
    int num[NUM_KINDS];
    int tile_bits;
    uint32_t column[NUM_KINDS][MAX_TILE_BITS];
} Layout;

/* Interned: equal layouts are the same pointer. */
typedef struct LayoutTable {
    Arena *arena;
    VEC(const Layout *) all;
} LayoutTable;
const Layout *layout_intern(LayoutTable *table, const Layout *layout);

/* ---- linear algebra ---- */

/* x such that the sum of the chosen columns is target; false when there is none. */
bool gf2_solve(const uint32_t *columns, int count, uint32_t target, uint32_t *x);
int gf2_rank(const uint32_t *columns, int count);
uint32_t gf2_apply(const uint32_t *columns, int count, uint32_t x);

/* ---- looking ---- */

uint32_t layout_index(const Layout *layout, uint32_t reg, uint32_t lane, uint32_t warp);
static inline int layout_regs(const Layout *layout) { return 1 << layout->num[KIND_REG]; }
/* The register with this image among those of one thread (image in the span of the registers). */
uint32_t layout_reg_of(const Layout *layout, uint32_t image);
/* Where the tile bits of a unit layout live: kind and number of each; false: not unit, or a bit is
 * nowhere. */
typedef struct BitPlace {
    int kind, bit;
} BitPlace;
bool layout_places(const Layout *layout, BitPlace places[MAX_TILE_BITS]);
/* Bits of lane and warp (tid order: lane, then warp) that only replicate. */
uint32_t layout_replica_mask(const Layout *layout);
/* How many of the first register columns are 1 << first_bit, 1 << (first_bit + 1) ... */
int layout_vector_bits(const Layout *layout, int first_bit);

/* ---- constructors; sizes are logarithms ---- */

typedef struct TileShape {
    int rank;
    int log2[MAX_RANK]; /* of each dimension */
} TileShape;
int tile_shape_bits(const TileShape *shape);
int tile_bit_of_dim(const TileShape *shape, int dim); /* the lowest tile bit of a dimension */

/* per_thread[d] bits of each dimension in registers, then lanes from the fastest dimension, then
 * warps from the slowest, the rest in registers. order[0] is the fastest dimension. */
Layout layout_blocked(const TileShape *shape, const int *order, const int *per_thread,
                      int warp_bits);
/* vector_bits of the fastest dimension in registers, then lanes from there, the rest in registers,
 * of what each warp of `warps` holds. */
Layout layout_blocked_in_warps(const TileShape *shape, const int *order, int vector_bits,
                               const Layout *warps);
/* Accumulators of mma.m16n8: warps along N first (warps_n bits), then M. */
Layout layout_mma(int m_bits, int n_bits, int warps_m, int warps_n);
/* Accumulators of wgmma.m64: 16 rows for each warp of a group of four (warps_m is 2 or more);
 * further bits of warps, groups, go to M, then to the upper half of N. */
Layout layout_wgmma(int m_bits, int n_bits, int warps_m, int warps_n);
/* A [M, K] of 16-bit elements as wgmma takes it from registers: as accumulators of these types lie
 * that no group has a part of the columns of; groups along N have the same. */
Layout layout_wgmma_a(int m_bits, int k_bits, int warps_m, int warps_n);
/* Operands of mma.m16n8: 2^k_width elements in a 32-bit register, then 2^k_regs registers along k,
 * so that an instruction takes k = 4 * 2^(k_width + k_regs). A is [M, K], B is [K, N]. */
Layout layout_mma_a(int m_bits, int k_bits, int warps_m, int warps_n, int k_width, int k_regs);
Layout layout_mma_b(int k_bits, int n_bits, int warps_m, int warps_n, int k_width, int k_regs);

/* Keeps the tile bits of `keep` (compressed to be dense); zero register columns go. */
Layout layout_restrict(const Layout *layout, uint32_t keep);
/* Tile bit i of the result is tile bit from[i] of the layout. */
Layout layout_permute(const Layout *layout, const int *from, int tile_bits);
/* A new lowest tile bit in a new first register bit, and back. */
Layout layout_join(const Layout *layout);
bool layout_can_split(const Layout *layout);
Layout layout_split(const Layout *layout);

/* ---- moving a tile from one layout to another ---- */

typedef enum MoveKind { MOVE_NONE, MOVE_REGS, MOVE_SHUFFLE, MOVE_EXCHANGE, MOVE_SHARED } MoveKind;
MoveKind layout_move(const Layout *from, const Layout *to);
/* MOVE_EXCHANGE: a bit of the lane's number and one of the register's change places. Which bit of
 * the lane; -1: it is another move. */
int layout_exchanged(const Layout *from, const Layout *to);
/* Each warp holds the same elements in both, and no other warp does: it moves them alone. */
bool layout_same_warps(const Layout *from, const Layout *to);

/* Offsets in shared memory: offset bit i holds tile bits image[i]; offset_of[t] is the inverse, the
 * offset (in elements) that tile bit t contributes, by exclusive or. The first `vector` offset bits
 * are registers of both sides, so one access moves 2^vector elements. */
typedef struct Swizzle {
    int bits, vector;
    uint32_t image[MAX_TILE_BITS];
    uint32_t offset_of[MAX_TILE_BITS];
} Swizzle;
/* No bank conflicts for a store by `from` and a load by `to` where that is possible; the method is
 * that of the Linear Layouts paper (arXiv 2505.23819). */
Swizzle swizzle_choose(const Layout *from, const Layout *to, int elem_bytes);
/* Two dimensions, the fast one in rows of at most 128 bytes; what is left of it begins a new panel
 * behind all the rows. Eight consecutive rows have what is at the same place of them, 16 bytes, in
 * different banks: the swizzles of 128, 64 and 32 bytes that wgmma and tensor maps know. Arguments:
 * tile bit of each, how many. */
Swizzle swizzle_panels(int fast, int fast_bits, int slow, int slow_bits, int elem_bytes);
/* How 8x8 matrices of 16-bit elements, rows of 16 bytes, lie in a layout (ldmatrix, stmatrix): lane
 * t has elements 2 (t % 4) and the next of row t / 4; transposed: those rows of column t / 4. */
typedef struct Matrices {
    bool transposed;
    int pair;             /* the register bit of the two */
    int bit[2], num_bits; /* register bits that tell matrices apart: one or two */
    uint32_t row[3];      /* tile bits of a row's number; 0: rows are the same */
} Matrices;
/* chunk: the tile bits of the 8 elements of a row. */
bool layout_matrices(const Layout *layout, const uint32_t *chunk, Matrices *matrices);
/* Of 16-bit elements: `one` side moves matrices, the other 16 bytes at once; false: it cannot. */
bool swizzle_for_matrices(const Layout *one, const Layout *other, Swizzle *swizzle);
/* offset_of from image; false: the images are no bijection. */
bool swizzle_invert(Swizzle *swizzle);
uint32_t swizzle_offset(const Swizzle *swizzle, uint32_t index);
/* Extra wavefronts of the worst access of 2^vector elements a lane, by brute force (for tests). */
int swizzle_conflicts(const Swizzle *swizzle, const Layout *layout, int elem_bytes, int warps);

/* ---- places ---- */

/* Where a tile lies: registers, or shared memory. Part of a tile's type in placed form, and
 * interned with it (types.c): equal places are the same pointer, so equal layouts of them are
 * too. */
typedef struct Place {
    int number; /* as printed: #5 */
    bool shared;
    Layout layout;   /* of registers */
    Swizzle swizzle; /* of shared memory */
} Place;

#endif
