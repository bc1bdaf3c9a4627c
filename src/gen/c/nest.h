// SPDX-License-Identifier: Apache-2.0
/* nest.h: the state of one loop nest while it is written; see nest.c. */
#ifndef TERN_GEN_C_NEST_H
#define TERN_GEN_C_NEST_H

#include "gen/c/c.h"

typedef enum EvKind { EV_UNIFORM, EV_LINEAR, EV_VECTOR, EV_TRUE } EvKind;

typedef struct Ev {
    EvKind kind;
    Str text;             /* uniform: the scalar; linear: its base; vector: its name */
    int level;            /* loops around its scalars: 0 is before the nest */
    Str stride;           /* linear: of type L; bytes for pointers */
    int64_t stride_value; /* when known */
    bool stride_known;
    bool below_full; /* linear only in the lanes below `full`: others must not stop the kernel */
    TypeKind lane;
} Ev;

typedef struct Place {
    int8_t loop[MAX_RANK]; /* of each dimension: the loop that runs over it; -1: index 0 */
} Place;

typedef struct Memo {
    const Value *value;
    Place place;
    int copy; /* of the body; -1: the same in all; -2: in all without masks */
    Ev ev;
} Memo;

typedef struct Step {
    Str base, step; /* names: an address, how far it moved since this nest ran last */
} Step;

typedef struct Memory {
    const Value *base; /* a parameter or an alloc; NULL: not known */
    Str low, bytes;    /* C scalars */
} Memory;

typedef struct Room { /* `name`: elements from `base` on to the end of the memory */
    Str base;
    const Value *of, *mask;
    int size;
    Str name;
} Room;

typedef struct Splat {
    Str scalar, vector;
    TypeKind lane;
} Splat;

typedef struct Half { /* the first vector of two that are rounded and stored at once */
    const Op *store;
    Str vector;
} Half;

enum { COPY_SLOW = 100 }; /* the body with masks; others are unrolled copies without */

typedef struct Nest {
    Gen *g;
    int num_loops, num_rows; /* the vector loop is loop num_rows */
    int loop_dim[MAX_RANK], size[MAX_RANK];
    int axis_down; /* row loop that runs downwards, or -1 */
    int N;         /* lanes of the vector loop */
    Buf pre[MAX_RANK + 1], post[MAX_RANK + 1], body[2];
    Buf *at; /* the body being written */
    int copy, unroll;
    bool fast, has_bounds;
    const Value *all_masked; /* the mask of all roots: lanes where it is 0 need no body; or NULL */
    bool has_last;           /* the body with masks ends at `last` */
    VEC(Memo) memos;
    VEC(Splat) splats;
    VEC(Memory) memories; /* of parameters, that accesses are tested against */
    VEC(Room) rooms;
    VEC(Step) steps;
    VEC(const Value *) streamed; /* pointers of stores that may go past the caches */
    VEC(Half) halves;
    const Root *roots;
    int num_roots;
    VEC(Op *) ops;     /* evaluated in this nest */
    VEC(Op *) again;   /* of them: computed again by later nests */
    VEC(Value *) kept; /* values that are stored on the way */
    int stamp;
    bool loads_ahead, fetches_ahead; /* see Gen.num_ahead */
    int ahead_size;
    bool down;    /* the vector loop runs from the last vector to the first */
    bool held;    /* reads or writes what is to stay in registers: by indices that are known */
    Str in_place; /* of a root with `rows`: where the row begins in memory; empty: not there */
} Nest;

static inline int max_int(int a, int b) { return a > b ? a : b; }

/* ---- nest.c, for across.c and linear.c ---- */
Ev eval(Nest *n, Value *value, Place place);
Str as_vector(Nest *n, Ev ev);
Place identity_place(const Nest *n, const Type *type);
Ev new_vector(Nest *n, TypeKind lane, Str expression);
Str hoisted(Nest *n, TypeKind lane, int level, Str key, Str expression);
int depth_at(const Nest *n, int level);
int body_depth(const Nest *n);
Str lane_index(Nest *n);
Str row_index(Nest *n, int loop);
Str nest_mask(Nest *n, Value *mask, Place place, Ev *ev_out);
Str view_offset(Nest *n, const View *view, const Type *type, Place place, int64_t *stride,
                int *level);
void write_view(Nest *n, const View *view, const Type *type, Place place, Ev ev);

Str new_scalar(Nest *n, int level, const char *type, Str expression);
void bound(Nest *n, Str condition_count); /* no more lanes than this in the body without masks */
/* Likewise, of `op`, a part of the mask of all roots: none from here on in the body with masks. */
void bound_last(Nest *n, const Op *op, Str condition_count);

/* ---- linear.c: false where the result is not linear, or not true of the first lanes ---- */
Ev new_linear(Nest *n, TypeKind lane, int level, Str base, Str stride, bool known, int64_t value);
bool linear_op(Nest *n, Op *op, const Ev *x, Ev *r);
bool prefix_compare(Nest *n, Op *op, const Ev *x, Ev *r);
bool prefix_remainder(Nest *n, const Op *op, Ev a, Ev b, Ev *r);
bool stored_remainder(Nest *n, const Value *value, Place place, Ev *r);

/* ---- inside.c: tests of accesses, where asked for. mask: a vector; empty: all lanes ---- */
void inside_uniform(Nest *n, const Op *op, Place place, int level, Str address, Str mask);
void inside_row(Nest *n, const Op *op, Place place, Str base, Str mask); /* contiguous */
void inside_lanes(Nest *n, const Op *op, Place place, Str addresses, Str mask);
/* At base + 32-bit offsets; false: that cannot be tested, the addresses can. */
bool inside_offsets(Nest *n, const Op *op, Place place, Ev base, Str offsets, Str mask);

/* ---- bodies.c: of two bodies, that with masks ---- */
bool one_body_is_enough(const Nest *n);

/* ---- math.c: false: as the op is defined ---- */
bool exp_of_negative(Nest *n, const Op *op, Place place, Ev *r);
bool divide_by_uniform(Nest *n, const Op *op, const Ev *x, Ev *r);

/* ---- pairs.c ---- */
bool has_pairs(Nest *n);
Value *pair_source(Nest *n, const Op *store);      /* f32 to be stored as bf16 by pairs; or NULL */
Str pair_of(Nest *n, const Op *store, Str vector); /* of 64 bytes; empty: with the next copy */

/* ---- across.c ---- */
void across_begin(Nest *n);
bool across_needs_slow(const Nest *n); /* the body exists once, with masks */
int across_unroll(const Nest *n);
void write_across(Nest *n, Op *op);
void across_end(Nest *n);

#endif
