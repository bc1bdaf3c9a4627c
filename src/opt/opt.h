// SPDX-License-Identifier: Apache-2.0
/* opt: passes over the tile IR and the facts they use. Pipelines are lists in
 * compile/pipeline.c. */
#ifndef TERN_OPT_H
#define TERN_OPT_H

#include "ir/ir.h"

typedef struct PassCtx {
    Arena *scratch;            /* the compilation's: what a pass made for itself goes with it */
    Diag *diag;                /* for remarks; `place` refuses what its target cannot do */
    const char *target;        /* "sm_90a"; `place` asks for it */
    bool precise;              /* `contract` does nothing */
    bool maps;                 /* boxes of tensors may be copied (gen/map.h) */
    bool clusters;             /* a program may be several blocks (GenFacts.cluster) */
    struct Needs *needs;       /* of each launch; NULL: launches are not asked */
    const struct Facts *facts; /* made by `fence`, of the function as it leaves it */
} PassCtx;

typedef bool PassFn(PassCtx *px, Func *fn); /* rewrites fn, says whether it changed anything */

typedef struct Pass {
    const char *name;
    PassFn *run;
    const char *summary;
} Pass;

#define PASS(name, summary) PassFn pass_##name;
#include "opt/passes.def"
#undef PASS
const Pass *pass_find(Str name); /* NULL when there is none */
const Pass *pass_at(int index);  /* NULL past the last */

/* Axis facts: for integer and pointer values, per dimension, as Triton's AxisInfo:
 *   contiguity   lanes along the dimension come in aligned runs of this many consecutive values
 *                (pointers: consecutive elements)
 *   divisibility the first value of each such run is divisible by this (pointers: the byte address)
 *   constancy    lanes along the dimension come in aligned runs of this many equal values
 * All are powers of two, at least 1. For scalars only divisibility[0] has a meaning.
 *
 * Assumed, as Triton assumes it: sums and products of program ids, ranges, loop counters and small
 * constants do not wrap, nor does a tile whose lanes count upwards before it is sign-extended or
 * added to a pointer; and nothing is reduced modulo 0. Hints (tl.multiple_of ..) are believed.
 * Nothing else is assumed. */
typedef struct AxisFacts { /* as many of each as the value has dimensions; of a scalar one */
    int64_t *contiguity, *divisibility, *constancy;
    int64_t *falling; /* of truth values: of an aligned run of so many, the true ones come first */
} AxisFacts;

/* Linear form of an integer or pointer value, scalar or tile, where it has one:
 *
 *   value[i0, i1, ..] = base + constant + sum of terms + sum over dimensions of i_d * stride_d
 *
 * modulo 2^bits of the value's type, in the unit of the value (elements for pointers). The parts of
 * the sum are uniform: constants and scalar Values whose definitions are visible where the value is
 * defined, sign-extended.
 *
 *   x + pid * 1024 + arange     base x, terms {%pid_times_1024}, stride {1}
 *   a + m[:, None] * sm + k     base a, terms .., stride {%sm, 1}
 *   loop-carried pointer tile   base is the tile itself (its lane 0), stride as of its first value
 *
 * base: NULL, or a scalar pointer, or a tile (a loop-carried value): then its first lane is meant.
 * Where a narrower sum was widened on the way (an i32 offset added to a pointer), the form holds
 * only if no lane of that sum left its type: each such sum that ranges do not bound is a
 * LinearPart.
 */
enum { LINEAR_MAX_TERMS = 8, LINEAR_MAX_PARTS = 4 };
typedef struct LinearTerm { /* multiplier * value * factor */
    int64_t multiplier;
    Value *value;
    Value *factor; /* NULL: 1 */
} LinearTerm;
typedef struct LinearStride { /* multiplier * factor; multiplier 0: constant along the dimension */
    int64_t multiplier;
    Value *factor; /* a scalar; NULL: 1 */
} LinearStride;
typedef struct Linear Linear;
typedef struct LinearPart {
    const Linear *form;
    const Type *type;    /* that no lane of form may leave */
    bool is_nonnegative; /* nor may one be negative: it was zero-extended */
} LinearPart;
struct Linear {
    Value *base;
    int64_t constant;
    int num_terms, num_parts, num_strides;
    LinearTerm terms[LINEAR_MAX_TERMS];
    LinearPart parts[LINEAR_MAX_PARTS];
    LinearStride stride[]; /* of dimensions past the last it is 0 */
};
LinearStride linear_stride(const Linear *form, int dim);

/* A linear form with numbers: lane i is first + i * stride, exactly: nothing wrapped. */
typedef struct LinearNumbers {
    int64_t first, stride[MAX_RANK];
} LinearNumbers;
/* numbers[id]: of a scalar int its number, of a carried tile that of its first lane; NULL: not
 * known. Of a pointer it is elements from its base, whose number is not asked for. False: a number
 * is not known, or some lane wraps around. Of an int that is the same in all lanes the number is
 * given as it wrapped. */
bool linear_eval(const Linear *form, const Type *type, const int64_t *const *numbers,
                 LinearNumbers *result);

typedef struct Facts Facts;
/* Valid until fn changes. Without linear forms facts_linear gives NULL. */
Facts *facts_compute(Arena *arena, const Func *fn);
Facts *facts_compute_linear(Arena *arena, const Func *fn);
/* The facts if these ints, by value id, were not negative, nor made negative by what is added. */
Facts *facts_compute_given(Arena *arena, const Func *fn, const bool *nonnegative);
const AxisFacts *facts_axis(const Facts *facts, const Value *value);
const Linear *facts_linear(const Facts *facts, const Value *value); /* NULL: has none */
/* The least and the greatest number in any lane of an int, signed. Nothing is assumed: what may
 * wrap has all numbers of its type. False: no more than the type says. */
bool facts_range(const Facts *facts, const Value *value, int64_t *low, int64_t *high);
/* The index of a for, moved on from its last turn, may pass the end of its type: else no addition
 * wraps around. */
bool facts_index_may_wrap(const Facts *facts, const Op *loop);
bool facts_nonnegative(const Facts *facts, const Value *value); /* assumes as axis facts */

/* needs.c: what a text takes for granted of its launch. Params of fn behind the first are the size
 * of the grid, over which blocks walk. */
typedef struct Needs Needs;
Needs *needs_new(Arena *arena, const Func *fn, int num_params);
/* The number is not to be negative; false: a launch does not know what it is made of. */
bool needs_add(Needs *needs, const Value *value);
bool needs_add_most(Needs *needs, const Value *value, int64_t most); /* .. nor more than that */
bool needs_add_up_to(Needs *needs, const Value *value, int64_t most); /* .. and may be negative */
bool needs_add_below(Needs *needs, const Value *value, const Value *end); /* .. but less */
bool needs_add_to(Needs *needs, const Value *value, const Value *end);    /* .. nor more */
bool needs_add_multiple(Needs *needs, const Value *value, int64_t of);    /* it is one, above 0 */
bool needs_add_positive(Needs *needs, const Value *value); /* an f32 is above 0 and finite */
/* What is asked for a try, and taken back where that fails; needs may be NULL. */
typedef struct NeedsMark {
    int ops, all;
} NeedsMark;
NeedsMark needs_mark(const Needs *needs);
void needs_take_back(Needs *needs, NeedsMark to); /* of ints alone */
enum { MOST_EQUAL = 4 };
typedef struct Disjoint { /* two pointers, parameters: neither begins in the other's bytes .. */
    const Value *a, *b;
    int64_t bytes;      /* .. of which there are so many .. */
    const Value *count; /* .. and, if this is an int, no more than `each` of it; or NULL */
    int64_t each;
    bool same; /* or they are the same, and so are these ints: */
    int num_equal;
    const Value *equal[MOST_EQUAL][2];
} Disjoint;
void needs_add_apart(Needs *needs, const Disjoint *apart);
void needs_add_unequal(Needs *needs, const Value *a, const Value *b); /* they are not the same */
/* What one program accesses by the two loads or stores, of parameters a and b, is apart (views.c);
 * `same`: or the parameters are the same. */
void needs_add_never_meet(Needs *needs, const Value *a, const Op *from, const Value *b,
                          const Op *to, bool same);
/* .. in any two turns of a loop (NULL: in the same), or the parameters are the same. Where it is
 * not the distance of tiles that tells, they are taken to be apart. */
void needs_add_not_near(Needs *needs, const Value *a, const Op *from, const Value *b, const Op *to,
                        const Op *loop);
/* Would the two pointers, of its parameters a and b, be the same if these were? Adds what is to be
 * equal then. */
bool disjoint_same(Disjoint *apart, const Value *a, const Value *b);
Needs *needs_both(Needs *one, Needs *other); /* either may be NULL; both are closed */
bool needs_asks_apart(const Needs *needs);
bool needs_asks_positive(const Needs *needs);
bool needs_close(Needs *needs); /* once fn does not change any more; false: there are none */
/* args: by parameter, ints extended to 64 bits. rooms: by parameter, where the memory that a
 * pointer points into begins and ends: others point elsewhere. On one thread at a time. */
bool needs_hold(Needs *needs, const uint64_t *args, const uint64_t *rooms, const uint32_t grid[3]);

/* Neighbours along dim of a load's, store's or atomic's tile that one access may take: 16 bytes at
 * most, aligned, and all or none of them masked. */
int64_t facts_lanes_at_once(const Facts *facts, const Op *access, int dim);
/* The parameter, or the result of `alloc`, in whose memory all lanes of a pointer lie, as far as
 * the kernel stays inside its buffers; through loops, and selections between pointers of one base.
 * NULL: not known. */
const Value *facts_base(const Facts *facts, const Value *pointer);
/* False: what the two point to is apart. Distinct parameters are taken not to overlap: on a GPU the
 * lanes of a program are not ordered, so that few kernels can rely on it where they do. In place,
 * where two are the same, one can: each launch is asked whether they are (needs.c), as far as the
 * facts have needs; of the text for such launches, all overlap. */
bool facts_may_alias(const Facts *facts, const Value *a, const Value *b);
/* Does it write what a load can read? What people are told is nothing, nor is what rings hold. */
bool op_writes_memory(const Op *op);
void facts_ask(Facts *facts, Needs *needs); /* what is taken to be apart is added to needs */
/* Does the store write, in any turn of the loops around it, what this load or store accesses? Of
 * parameters that are taken to be apart each launch is asked. */
bool facts_may_meet(const Facts *facts, const Op *store, const Op *other);
/* Launches are asked whether they do; the parameters may be the same. */
void facts_ask_near(const Facts *facts, const Op *store, const Op *other);
/* Does it write what this load reads? */
bool facts_may_write(const Facts *facts, const Op *op, const Op *load);
bool facts_may_write_within(const Facts *facts, const Op *op, const Op *load); /* or in regions */
/* As facts_may_alias, of what one lane does after the other: where lanes are threads, which have an
 * order of their own, parameters may overlap. */
bool facts_lane_may_alias(const Facts *facts, const Value *a, const Value *b);
/* Where loads stand whose value nothing needs, before any pass took them out. */
const Span *func_unused_loads(Arena *arena, Func *fn, int *count);

#endif
