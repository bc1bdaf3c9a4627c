// SPDX-License-Identifier: Apache-2.0
/* diff: random kernels that must give one result on every device.
 *
 *     kernel.c     the kernel under construction: lines, values, their types and error bounds
 *     compute.c    random statements: elementwise, casts, comparisons, mathematics
 *     shape.c      random statements: shapes, reductions, scans, sort, dot
 *     memory.c     random statements: loads, stores, atomics, random numbers
 *     control.c    loops, branches, and the kernel as a whole
 *     child.c      runs one kernel on interp and on another device in a child process, compares
 *     shrink.c     makes a kernel that differs smaller
 *     main.c       options, the loop over seeds
 *
 * A kernel is a list of lines, so that it can be made smaller by dropping and replacing lines. Its
 * dimensions are products of three constants A, B, C and of powers of two, so that it can be made
 * smaller by halving these.
 *
 * What must be equal: integers, and floats that only exact operations led to, bit for bit. A value
 * that went through an operation with a tolerance carries a bound on its error, and is never used
 * where a small difference would become a large one (a comparison, a cast to int). */
#ifndef TERN_TEST_DIFF_H
#define TERN_TEST_DIFF_H

#include "tern.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 400,
    MOST_VALUES = 400,
    MOST_SLOTS = 200,
    LINE_SIZE = 400,
    MOST_DIMS = 4,
    INPUT_LENGTH = 4096, /* elements of each input */
    SLOT_LENGTH = 1024,  /* lanes of a stored tile at most */
    ATOMIC_LENGTH = 64,  /* elements that atomic operations of one statement go to */
    NUM_CONSTS = 3,
};

/* The dtypes of values, with their names in the kernel's text. */
typedef enum Kind {
    KIND_I1,
    KIND_I8,
    KIND_I16,
    KIND_I32,
    KIND_I64,
    KIND_U8,
    KIND_U16,
    KIND_U32,
    KIND_U64,
    KIND_F16,
    KIND_BF16,
    KIND_F32,
    KIND_F64,
    KIND_E4,
    KIND_E5,
    NUM_KINDS,
} Kind;
typedef struct KindInfo {
    const char *text, *dtype, *signature; /* "f32", "tl.float32", "fp32" */
    tern_dtype memory;
    int bits;
    double unit; /* half a unit in the last place, relative; 0: not a float */
    double largest;
} KindInfo;
extern const KindInfo kinds[NUM_KINDS];
static inline int kind_is_float(Kind kind) { return kind >= KIND_F16; }
static inline int kind_is_signed(Kind kind) { return kind >= KIND_I8 && kind <= KIND_I64; }

/* A dimension is A**power[0] * B**power[1] * C**power[2] * 2**power[3]. */
typedef struct Dim {
    signed char power[NUM_CONSTS + 1];
} Dim;
typedef struct Shape {
    int rank;
    Dim dims[MOST_DIMS];
} Shape;

typedef struct Value {
    Kind kind;
    Shape shape;
    double most;    /* no magnitude is larger; infinity: anything, NaN too */
    double error;   /* absolute bound on what devices may differ by; 0: exact */
    int is_product; /* devices may fuse it into an addition */
    int loose_zero; /* the sign of a zero is not determined */
    int is_visible, depth, line;
} Value;

typedef struct Line {
    int indent;
    int defines; /* a value's id; -1: none. Only of the line that introduces the value */
    char text[LINE_SIZE];
} Line;

/* Where a value is stored. */
typedef struct Slot {
    Kind kind;
    int index; /* among the slots of its kind */
    double error, relative;
    int loose_zero;
} Slot;

typedef struct Kernel {
    uint64_t seed;
    int num_lines, num_values, num_slots, num_atomics;
    Line lines[MOST_LINES];
    Value values[MOST_VALUES];
    Slot slots[MOST_SLOTS];
    int slots_of[NUM_KINDS];
    int consts[NUM_CONSTS];
    int num_programs, num_warps;
    int scalars[2];   /* run-time n0, n1 */
    int is_aligned;   /* pointers promise 16 bytes */
    int fuses_halves; /* f16 and bf16 products may be fused too */
    int is_precise;   /* functions of any bits are compared by ulps: as --precise has them */
} Kernel;

/* ---- kernel.c ---- */
typedef struct Gen {
    Kernel *kernel;
    uint64_t random;
    int depth, budget, in_loop;
} Gen;
int below(Gen *g, int limit);
int one_in(Gen *g, int n);
Kind any_int(Gen *g);
Kind any_arithmetic_float(Gen *g);
Kind any_kind(Gen *g); /* no 8-bit float */
int dim_size(const Kernel *k, Dim dim);
int shape_lanes(const Kernel *k, const Shape *shape);
int same_shape(const Shape *a, const Shape *b);
const char *dim_text(Dim dim, char *out);
const char *shape_text(const Shape *shape, char *out); /* "(A, B * 2)" */
Shape any_shape(Gen *g);
Dim dim_times(Dim a, Dim b);
extern const Dim dim_one, dim_two;

enum { EXACT = 1, FINITE = 2, NO_PRODUCT = 4, NO_LOOSE_ZERO = 8 }; /* what an operand must be */
/* A visible value, or -1. shape NULL: any. */
int find_value(Gen *g, int kind, const Shape *shape, int must);
/* As find_value, but makes one (a line that loads or casts) when there is none, and at times. */
int want_value(Gen *g, Kind kind, const Shape *shape, int must);
void emit(Gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line 'vN = ..' with a new value; most, error and flags of `like`. */
int define(Gen *g, Value like, const char *format, ...) __attribute__((format(printf, 3, 4)));
Value exact_value(Kind kind, const Shape *shape, double most);
double int_most(Kind kind);
/* Stores a value in a slot of its own. relative: of a value that cannot be used further. */
void emit_store(Gen *g, int value, double relative);
const char *offsets_text(Gen *g, const Shape *shape, char *out); /* contiguous, row-major */
void source_text(const Kernel *k, int all_parameters, FILE *out);
int kernel_uses(const Kernel *k, const char *name);

/* ---- statements: each emits lines, or none when it does not apply ---- */
void gen_load(Gen *g);
int load_value(Gen *g, Kind kind, const Shape *shape, int must);
void gen_memory(Gen *g);
void gen_atomic(Gen *g);
void gen_random(Gen *g);
void gen_int(Gen *g);
void gen_float(Gen *g);
void gen_math(Gen *g);
void gen_wild_math(Gen *g);
void gen_cast(Gen *g);
void gen_compare(Gen *g);
void gen_where(Gen *g);
void gen_bool(Gen *g);
void gen_shape(Gen *g);
void gen_reduce(Gen *g);
void gen_scan(Gen *g);
void gen_order(Gen *g);
void gen_dot(Gen *g);
void gen_statement(Gen *g);
/* The kernel of a seed; size is about the number of statements. */
void gen_kernel(Kernel *kernel, uint64_t seed, int size, int fuses_halves);
extern const char helper_text[];

/* ---- child.c ---- */
typedef enum Verdict { SAME, REFUSED, REJECTED, DIFFERS, FAILS, CRASHES, HANGS } Verdict;
typedef struct Outcome {
    Verdict
        verdict; /* REJECTED: the kernel is wrong, says interp; REFUSED: the other device refuses */
    char words[3000];
} Outcome;
const char *verdict_name(Verdict verdict);
/* In a child process, with a time limit. */
void run_kernel(const Kernel *kernel, const char *device, int seconds, Outcome *outcome);
int device_opens(const char *device);

/* ---- shrink.c ---- */
/* Makes the kernel smaller while its outcome stays as bad. */
void shrink_kernel(Kernel *kernel, const char *device, int seconds, Outcome *outcome);

#endif
