// SPDX-License-Identifier: Apache-2.0
/* gen: what the files of the PTX back end share.
 *
 *     lower.c        ops in order, control flow, shape ops, clusters
 *     elementwise.c  arithmetic and casts on one lane
 *     divide.c       integers by constants
 *     exp_sum.c      constants plus powers, and what is divided by them
 *     math.c         functions of f32 on one lane; math64.c of f64
 *     several.c      the one lane of eight that needs more
 *     memory.c       loads, stores, atomics, ordering
 *     row.c          what is put by in local memory
 *     move.c         layouts through shared memory
 *     cross.c        reduce, gather, histogram, sorts
 *     extreme.c      arg reductions
 *     scan.c         scans
 *     dot.c          matrix products; wgmma.c those of warps in groups of four
 *     ring.c         rings of buffers, asynchronous copies
 *     role.c         rings that warps of their own fill, or one thread
 *     report.c       print, assert, clock; inline.c inline assembly's constraints
 *     thread.c       thread form: addresses by space; thread_wide.c accesses that are one
 *     ptx.c          the target: header, checks
 *
 * tir.h has the thread IR that they write, read.h what reads PTX again. */
#ifndef TERN_PTX_GEN_H
#define TERN_PTX_GEN_H

#include "ir/arch.h"
#include "ir/place.h"
#include "ir/trips.h"
#include "gen/ptx/tir.h"
#include "gen/target.h"
#include "opt/roles.h"
#include "opt/opt.h"

typedef struct Gen {
    Arena *arena;
    Func *fn;
    Diag *diag;
    const GenOptions *options;
    GenFacts *facts;
    const Facts *axis;
    const Arch *arch;
    int warp_bits, threads;
    Tir **regs; /* by value id: of a tile, those of its layout; of a scalar, one */
    Tirs *b;
    const Op *op;    /* being lowered */
    int next_trip;   /* of those through scratch that it makes */
    int shared_size; /* of all scratch, or of what thread form allocates */
    uint8_t *spaces; /* thread form: by value id, of pointers (PtxSpace) */
    bool spaces_change;
    Map wide;           /* thread form: an access -> those that it is one instruction with */
    int local_size;     /* of what a thread allocates, or puts by */
    int rows[MAX_ROWS]; /* where that begins, + 1; 0: nowhere yet */
    int while_depth;    /* of loops that may wait */
    Tir warp;           /* likewise, its number; only where one thread fills the rings */
    Tir warp_group;     /* the thread's, the same register in all of a warp; only where wgmma is */
    bool has_atomics, has_wgmma;
    const Roles *roles; /* NULL: all of the block's warps do the same */
    bool is_producer;
    bool has_met;  /* all blocks of the cluster did, since they began */
    bool met;      /* all threads did, since thread 0 made the mbarriers */
    int *barriers; /* by value id of a ring that the producer fills: where they are; else 0 */
    int next_ring;
    int meetings; /* of producer and consumers, so far */
    int num_strings;
    int num_logs; /* lanes of them that a thread makes; 0: not counted yet */
    Buf globals;  /* format strings .. */
    bool uses_printf, uses_assert, uses_vector_atomics;
    int depot_bytes;
    VEC(const Source *) sources; /* that ops come from; the first is the kernel's */
} Gen;

/* ---- types ---- */
RegClass ptx_class_of(const Type *lane);

/* ---- lower.c ---- */
void ptx_body(Gen *g);
void ptx_function(Gen *g); /* of a role, or of the kernel: without what begins it */
Tir *ptx_regs_of(Gen *g, const Value *value);
Tir ptx_scalar_of(Gen *g, const Value *value);
void ptx_define(Gen *g, const Value *value, Tir *regs);
void ptx_define_scalar(Gen *g, const Value *value, Tir reg);
/* Runs a combine region of reduce or scan: 2n scalars in, n out. */
void ptx_inline_region(Gen *g, const Region *region, const Tir *args, Tir *results);
Tir *ptx_new_regs(Gen *g, int count);
void ptx_assign(Gen *g, int count, const Tir *to, const Tir *from); /* all at once */

/* ---- several.c: of so many lanes from r on; 0: one by one ---- */
int ptx_several(Gen *g, const Op *op, Tir *const *operands, int r, int count, Tir *regs);

/* ---- elementwise.c: one lane; math.h has functions ---- */
Tir ptx_lane(Gen *g, const Op *op, const Tir *args);
Tir ptx_constant(Gen *g, const Type *lane, uint64_t bits);
Tir ptx_to_f32(Gen *g, const Type *lane, Tir x); /* from any float but f64 */
Tir ptx_from_f32(Gen *g, const Type *lane, Tir x, bool to_zero);
Tir ptx_sign_extended(Gen *g, const Type *lane, Tir x); /* i1, i8, i16 to 32 bits */
Tir ptx_zero_extended(Gen *g, const Type *lane, Tir x);

/* ---- thread.c: does nothing in placed form ---- */
enum { MAX_LOCAL_BYTES = 512 << 10 }; /* CUDA programming guide, "Technical specifications" */
void ptx_thread_begin(Gen *g);
bool ptx_thread_op(Gen *g, const Op *op); /* false: it is lowered as in placed form */
/* A scalar as `like` holds it: a pointer of one space may become a generic one. */
Tir ptx_thread_address(Gen *g, const Value *pointer);
Tir ptx_thread_value(Gen *g, const Value *value, const Value *like);
bool ptx_thread_ends(const Gen *g, const Op *op);               /* nothing comes after it */
const char *ptx_space_text(const Gen *g, const Value *pointer); /* ".shared"; "": generic */

/* thread_wide.c: of a load or store; true: it is, or was, or will be done with others. */
bool ptx_thread_wide(Gen *g, const Op *op);

/* ---- memory.c ---- */
const char *ptx_load_mnemonic(Gen *g, const Op *op);
const char *ptx_store_mnemonic(Gen *g, const Op *op);
void ptx_load(Gen *g, const Op *op);
void ptx_store(Gen *g, const Op *op);
void ptx_atomic(Gen *g, const Op *op);
/* Loads and stores of 2^k consecutive lanes, packed into wide registers. */
void ptx_load_lanes(Gen *g, const char *mnemonic, bool pinned, Tir address, const Type *lane,
                    int count, Tir guard, const Tir *defaults, Tir *lanes);
void ptx_store_lanes(Gen *g, const char *mnemonic, Tir address, const Type *lane, int count,
                     Tir guard, const Tir *lanes);

/* Masks that leave off the last lanes of each `width`, the same ones in all of a thread's rows but
 * those that are outside: row[r] and lanes[i]. */
enum { MOST_ENDS = 16 };
typedef struct Ends {
    int rows;
    Tir row[MOST_ENDS], lanes[MOST_ENDS];
} Ends;
bool ptx_ends(Gen *g, const Tir *masks, int regs, int width, Ends *ends);

void ptx_row(Gen *g, const Op *op); /* row.c: stow, fetch */

/* For L2::cache_hint; 0: there is nothing to say, or no such word. */
Tir ptx_policy(Gen *g, int64_t evict);

/* A fact: how wide the accesses through a pointer are. */
void ptx_note(Gen *g, Str note); /* among the facts, once */
void ptx_note_width(Gen *g, const Op *op, const char *what, int bytes);
Tir ptx_pack_lanes(Gen *g, const Type *lane, const Tir *lanes, int count); /* up to 4 bytes */
void ptx_unpack_lanes(Gen *g, const Type *lane, Tir word, int count, Tir *lanes);
/* Two lanes of 16 bits that are halves of words, chosen as words; false: they are none. */
bool ptx_select_pair(Gen *g, const Type *lane, Tir mask, const Tir *yes, const Tir *no, Tir *lanes);

/* ---- move.c ---- */
Tir ptx_thread_id(Gen *g);
Tir ptx_thread_bits(Gen *g, const Layout *layout,
                    const uint32_t *image_of_bit); /* xor over tid bits */
Tir ptx_lane_index(Gen *g,
                   const Layout *layout); /* part of the tile index that lane and warp give */
Tir ptx_replica_guard(Gen *g, const Layout *layout); /* 0 when each element is held once */
void ptx_convert(Gen *g, const Op *op);
Tir ptx_shuffle(Gen *g, const char *mode, Tir value, Tir lane);
/* The op's next trip through scratch; its offset, where nobody reads any more. */
int ptx_shared_begin(Gen *g, int bytes);
void ptx_ring_enter(Gen *g, const Op *loop); /* before its first turn */
void ptx_barrier(Gen *g); /* the block's threads wait; what was written is seen */
Tir ptx_shared_address(Gen *g, int offset, Tir bytes);
int ptx_lane_bytes(const Type *lane);
/* A tile in shared memory with a swizzle. */
typedef struct SharedTile {
    Swizzle swizzle;
    const Type *lane;
    int offset, bytes;
    Tir base; /* besides, in a ring: where the turn's buffer begins; 0: nothing */
} SharedTile;
void ptx_shared_store(Gen *g, const SharedTile *tile, const Layout *layout, const Tir *regs);
/* flip: lane i gets the element i ^ flip. */
void ptx_shared_load(Gen *g, const SharedTile *tile, const Layout *layout, uint32_t flip,
                     Tir *regs);
/* Only the registers with (number & mask) == value, and what comes with them in a vector. */
void ptx_shared_load_some(Gen *g, const SharedTile *tile, const Layout *layout, uint32_t flip,
                          uint32_t mask, uint32_t value, Tir *regs);
/* One thread's way through a tile: a vector begins at each register with none of `inside`. */
typedef struct SharedWalk {
    Gen *g;
    const SharedTile *tile;
    const Layout *layout;
    Tir base;
    int vector, bit_of[8]; /* register bits of the offset bits in a vector */
    uint32_t inside;       /* register bits within a vector */
} SharedWalk;
SharedWalk ptx_shared_walk(Gen *g, const SharedTile *tile, const Layout *layout);
Tir ptx_shared_walk_address(const SharedWalk *w, uint32_t reg, uint32_t flip);
/* 1, 2 or 4 8x8 matrices of 16-bit elements (ldmatrix): each lane of `rows` is the first element of
 * a row of 8, the lanes of matrix 0 first. One result for each matrix, the first is returned. */
Tir ptx_shared_matrices(Gen *g, const SharedTile *tile, const Layout *rows, uint32_t reg, int count,
                        bool transposed);
Swizzle swizzle_row_major(int bits);
Tir *ptx_broadcast_replicas(Gen *g, const Type *lane, Tir *regs, const Layout *layout);

/* ---- cross.c ---- */
void ptx_across(Gen *g, const Op *op); /* class ACROSS */
void ptx_gather(Gen *g, const Op *op);
Tir ptx_thread_has(Gen *g, uint32_t mask); /* any of these bits of its number is set */
/* What the op's region makes of left and right: [value]. */
void ptx_combine(Gen *g, const Op *op, int count, const Tir *left, const Tir *right, Tir *result);
void ptx_scan(Gen *g, const Op *op); /* scan.c */

/* ---- extreme.c: exact: it is asked which of equal firsts was chosen ---- */
/* The pairs of a power of two of registers become the one in firsts[0], seconds[0]; false: the
 * order of the seconds is not known. */
bool ptx_extreme_registers(Gen *g, const Extreme *e, bool is_float, bool exact, int count,
                           Tir *firsts, Tir *seconds);
/* Over all lanes of the warp; sm_80. */
void ptx_extreme_lanes(Gen *g, const Extreme *e, bool is_float, bool exact, Tir *first,
                       Tir *second);
/* vote.sync.any.pred and the like: the lanes meet in one instruction. */
Tir ptx_across_warp(Gen *g, const char *text, Tir x, RegClass class);

/* ---- ptx.c ---- */
/* The address of the kernel's tensor map by such a recipe, for cp.async.bulk.tensor. */
Tir ptx_map_address(Gen *g, const MapRecipe *recipe);

/* ---- ring.c ---- */
void ptx_ring(Gen *g, const Op *op);
SharedTile ptx_peeked(Gen *g, const Value *value); /* the tile of a peek */

Tir ptx_turn_address(Gen *g, const Op *op); /* of its part */
Tir ptx_turn_slot(Gen *g, const Op *op,
                  Tir *round); /* n % stages; round: n / stages, unless NULL */

/* ---- role.c ---- */
/* An instruction on mbarriers: $n its result, if it tells something, then args. A wait. */
Tir ptx_mbarrier(Gen *g, const char *text, int count, const Tir *args, bool tells);
void ptx_mbarrier_wait(Gen *g, Tir barrier, Tir parity);
const Roles *ptx_find_roles(Gen *g);
void ptx_meet_once(Gen *g);
void ptx_roles(Gen *g); /* all of the text of a kernel with roles */
void ptx_role_ring(Gen *g, const Op *ring);
void ptx_role_enter(Gen *g, const Op *loop);      /* before its first turn */
bool ptx_is_of_roles(const Gen *g, const Op *op); /* it names a ring that the producer fills */
void ptx_role_turn(Gen *g, const Op *op);         /* acquire, ready and release of such a ring */
void ptx_role_filled(Gen *g, const Op *fill);     /* its copies are begun */
void ptx_role_fill_box(Gen *g, const Op *op);
bool ptx_role_out(Gen *g, const Op *op); /* it is of what goes out by a box: that is all of it */
void ptx_flat(Gen *g);                   /* likewise, where one thread fills the rings with boxes */
bool ptx_has_producer(const Gen *g);     /* warps of its own fill the rings */

/* ---- dot.c ---- */
void ptx_dot(Gen *g, const Op *op);
typedef struct DotPlan {
    TypeKind kind;        /* of what is multiplied: f8 is widened to f16, which holds it */
    int warps_m, warps_n; /* logarithms */
} DotPlan;
/* The tile in registers as lanes of a type. */
Tir *ptx_tile_as(Gen *g, const Value *value, const Type *to);
Tir ptx_lane_as(Gen *g, const Type *from, const Type *to, Tir x);

/* ---- wgmma.c ---- */
void ptx_wgmma_begin(Gen *g);
void ptx_wgmma(Gen *g, const Op *op);
void ptx_settle(Gen *g, int64_t pending); /* only so many groups are under way from here on */
bool region_has_wgmma(Region *region);

/* ---- report.c ---- */
void ptx_print(Gen *g, const Op *op);
void ptx_printf(Gen *g, const Op *op);
void ptx_assert(Gen *g, const Op *op);
void ptx_clock(Gen *g, const Op *op);
void ptx_inline_asm(Gen *g, const Op *op);

#endif
