// SPDX-License-Identifier: Apache-2.0
/* roles: a kernel as two; see gpu/roles.c. */
#ifndef TERN_ROLES_H
#define TERN_ROLES_H

#include "ir/arch.h"
#include "opt/box.h"

enum { ROLE_BARRIER = 8, ROLE_THREADS = 128 }; /* bytes of an mbarrier; the producer's threads */

/* Of `columns`, of operands of 16 bits: walks pay in a block's only program, too. */
enum { WALK_NEAR = 64 };
enum { PANEL_SPAN = 128 };   /* bytes of a row */
enum { TURN_SLOT_BITS = 8 }; /* a turn by its slot; above these the phase */

typedef struct RoleRing { /* that the producer fills */
    int stages;
    int barriers;    /* in shared memory: of each turn one for full, then of each one for empty */
    bool boxes;      /* are all that fills it */
    const char *why; /* not, or NULL */
    bool meets;      /* all wait for each other before it: somebody may be where it is */
    bool in_loop;    /* its barriers are made again each time it is come to */
    const Op *loop;  /* without a producer: before which all see its mbarriers */
    bool again;      /* .. which are made again where turn 0 is filled in it */
    bool waits; /* consumers do where a turn is ready outside of a loop: `fence` counted on that */
} RoleRing;

typedef struct BoxStore {      /* a store that the hardware makes, of a box (gpu/box_out.c) */
    const Op *store, *convert; /* convert: what it stores, moved for it: not any more; or NULL */
    const Value *value;        /* before that */
    const Op *round;           /* .. which panels make of what it rounds; or NULL */
    int box;                   /* of the kernel's */
    bool by_groups;            /* each four warps store their rows by themselves */
    int panels;  /* 128 bytes of rows go out at a time, by so many buffers; 0: all at once */
    int scratch; /* .. which lie there */
    Value *at[BOX_DIMS];
} BoxStore;

typedef struct Roles {
    Func *producer, *consumers;
    int num_rings;
    RoleRing *rings; /* in the order of either function */
    Boxes boxes;     /* that fill_box names */
    bool flat;       /* there is no producer: one thread of the block fills the rings with boxes */
    bool alone;      /* one thread is all of the producer: it copies boxes, and meets nobody */
    int barriers, end;   /* of all of them */
    int meeting;         /* the mbarrier at which all meet, behind these; 0: none */
    int blocks;          /* that a multiprocessor has room for */
    int sums, columns;   /* registers of a consumer: what products add up; of one instruction */
    int bits;            /* of what is multiplied */
    bool by_panels;      /* there is room for `out` alone, in panels */
    BoxStore *out;       /* by a box; NULL: threads store */
    const char *not_out; /* why, or NULL */
    Needs *needs;        /* what boxes take for granted; NULL: nothing */
    bool tiles;          /* one after the other: nest.c */
    bool few;            /* programs of one tile, of which all run at a time */
    bool walks;          /* its blocks walk over the programs of the grid */
    bool by_slots;       /* consumers count turns by slots: TURN_SLOT_BITS */
    int spare;           /* .. and for all else */
    int producer_registers, consumer_registers; /* of a thread; 0: as it was launched */
} Roles;

/* Two functions made of copies; NULL: there are none, and *why is a reason or NULL. has_maps: boxes
 * may be copied. can_walk: the launch may be of fewer blocks, with the true grid in three
 * parameters more. has_few: each block that runs has one program. */
Roles *roles_of(Arena *arena, Func *fn, bool has_maps, bool can_walk, bool has_few,
                const char **why);
/* Of a kernel without roles, whose rings one thread fills with boxes (gpu/flat.c): `consumers` is
 * all of it. NULL: there are none, and *why is a reason or NULL. */
Roles *roles_flat(Arena *arena, const Func *kernel, const char **why);
/* The ring's first copies for the next turn of the loop around the one that reads it begin before
 * what is behind that (gpu/next_tile.c). False: nothing was changed. */
bool roles_next_tile(Arena *arena, Func *fn, Op *ring, Op *loop);
/* Where the one store of the consumers' loop over tiles is of a box, that is what it becomes. What
 * each launch is to be asked for that, closed; or NULL. */
Needs *roles_box_out(Arena *arena, Roles *roles, int num_params);
/* With what the conditions around a ring say of signs. */
Facts *roles_facts(Arena *arena, const Func *fn, const Op *ring);
/* How many blocks, and which registers a thread of either role has. alive: those that a producer
 * holds from turn to turn. False: there are not enough. */
int roles_room(const Roles *roles); /* blocks that registers leave room for without roles */
bool roles_deal_out(Roles *roles, int alive);

/* persist.c: the function, and a loop over the programs of the grid around it. */
Func *persist(const Func *of);

/* nest.c: a ring in a loop over tiles. Is the number of its turns known once its loop has ended? */
bool nest_counts(const Op *ring);
int nest_shift(const Op *ring);                            /* where scratch begins */
bool nest_go_on(Func *role, bool is_producer, bool walks); /* by slots? */

#endif
