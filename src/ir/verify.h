// SPDX-License-Identifier: Apache-2.0
/* verify: what verify.c, verify_place.c, verify_ring.c and verify_turn.c share. */
#ifndef TERN_VERIFY_H
#define TERN_VERIFY_H

#include "ir/ir.h"

typedef struct Verifier {
    Arena *arena;
    const Func *fn;
    const char *why;
    const Op *where;
    const Value **seen; /* by id: the value that has it */
    bool *visible;      /* by id: its definition may be used here */
    int depth;
    int isolated_depth; /* values defined outside this depth may not be used; 0: all may */
    int *defined_at;    /* by id: depth of the definition */
    bool has_rings;
    bool has_async; /* products that are left under way */
    bool has_atomics;
    const Type *rows[MAX_ROWS]; /* of the pieces of what is put by, .. */
    int64_t pieces[MAX_ROWS];   /* .. and how many there are */
    int busy_start, busy_end; /* of placed form: scratch that somebody may still read */
} Verifier;

/* Notes the first thing that is wrong; false. op NULL: with the function itself. */
bool verify_bad(Verifier *v, const Op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *verify_text_of(Verifier *v, const Type *type);

bool verify_type(Verifier *v, const Op *op, const Type *type);

/* ---- verify_ring.c ---- */
bool verify_ring_type(Verifier *v, const Op *op, const Type *type);
bool verify_ring_op(Verifier *v, const Op *op); /* its types; notes has_rings */
bool verify_rings(Verifier *v); /* of the whole function, which is else well formed */

/* ---- verify_turn.c ---- */
/* One ring of the function, and the ops that name it or read a tile peeked in it. */
typedef struct RingUses {
    const Op *ring;
    VEC(const Op *) users;
    Map around;  /* the users and each op that has one in its regions, as a set */
    Map commits; /* likewise of the commits behind the ring */
} RingUses;
/* budget: ops that may still be looked at; what is not looked at is not claimed to be wrong. */
bool verify_turns(Verifier *v, const RingUses *uses, const Op *const *peeked, int *budget);

/* ---- verify_thread.c ---- */
bool verify_thread_form(Verifier *v); /* of a function in thread form */
bool verify_alloc(Verifier *v, const Op *op);
bool verify_warp(Verifier *v, const Op *op);
bool verify_printf(Verifier *v, const Op *op);
bool verify_call(Verifier *v, const Op *op);
bool verify_thread_op(Verifier *v, const Op *op); /* is there such an op in this form? */

/* ---- verify_place.c ---- */
bool verify_form(Verifier *v);                                  /* and the list of places */
bool verify_place(Verifier *v, const Op *op, const Type *type); /* of a value that op has */
bool verify_places(Verifier *v, const Op *op); /* what op ties together; its types fit */
bool verify_under_way(Verifier *v);        /* of the whole function, which is else well formed */
void verify_paths_meet(Verifier *v);       /* scratch may have been used on either */
bool verify_leaves_shared(const Op *loop); /* no scratch and no ring is used in it */

#endif
