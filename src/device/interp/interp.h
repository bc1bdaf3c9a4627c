// SPDX-License-Identifier: Apache-2.0
/* interp: the parts of the interpreter, private to src/device/interp.
 *
 *     device.c  the device: buffers, a kernel made ready, a launch from start to end
 *     turns.c   programs take turns; a deadlock is found
 *     exec.c    regions, ops, loops
 *     lane.c    ops that work lane by lane
 *     shape.c   ops that move lanes: broadcast, trans, gather ..
 *     cross.c   ops across lanes: reduce, scan, dot, histogram
 *     ring.c    acquire, fill, ready, peek, release
 *     under_way.c  products that go on while their program does
 *     memory.c  load, store, atomics; every access is checked
 *     assembly.c  inline PTX
 *     wide.c    what offsets would be if no int32 wrapped
 *     watch.c   what is only looked for on a watched device: where a NaN comes from ..
 *     owner.c   likewise: which program wrote an element, which read it
 *     print.c   device_print, device_assert
 *
 * A value is an array of lanes, each in its size in memory (i1: a byte, pointers: 8), shared by
 * reference count. Lane-by-lane ops look at the number of lanes that their operands have and not
 * at the type, so that the region of a reduction, which is written on scalars, runs once for many
 * lanes; an operand of one lane then stands for all. */
#ifndef TERN_INTERP_H
#define TERN_INTERP_H

#include "device/window.h"
#include "ir/under_way.h"

enum { LANES_HEADER = 64, NUM_LANE_CLASSES = 40 };

typedef struct Lanes {
    union {
        int refs;
        struct Lanes *next; /* while it is free */
    };
    int size_class;
    int count;
    int size; /* of a lane, in bytes */
    int ring; /* of a tile that lies in a ring: 1 + the id of the ring's value, and which turn */
    int64_t turn;
    /* What else is known of each lane, 8 bytes a lane: watch.c, wide.c. NULL, as nearly always:
     * nothing. The marks of `wide`: in which op a lane wrapped, an address. */
    struct Lanes *marks, *wide;
    struct Lanes *older; /* of the launch, which frees all at its end */
    char padding[LANES_HEADER - 56];
    char data[];
} Lanes;

_Static_assert(offsetof(Lanes, data) == LANES_HEADER, "data is aligned to 64");

/* ---- a kernel made ready: the region tree with what execution needs to know ---- */

typedef struct Body Body;
typedef struct Node {
    const Op *op;
    Body *blocks[2];
    int num_frees; /* values that nobody reads after this op */
    const int *frees;
    const struct InlineAsm *assembly; /* of inline_asm */
    bool reads;                       /* op or something in its regions reads memory */
    bool ends_ring;                   /* frees has one */
    bool reads_peeked;                /* an operand lies in a ring */
    bool changes_alone; /* ... has effects that may differ without memory changing: clock, print */
} Node;
struct Body {
    const Region *region;
    int num_nodes; /* without the yield */
    Node *nodes;
    Node yield;
    bool by_lanes; /* only constants and lane-by-lane ops: may run for many lanes at once */
};

typedef struct LoadedRing {
    const Op *op;   /* NULL: the value is no ring */
    int first_slot; /* of its tiles */
    Str label;      /* as the IR prints it */
} LoadedRing;

typedef struct Loaded {
    const CompiledKernel *kernel;
    Body *body;
    int num_slots;     /* values, then what rings and rows hold */
    LoadedRing *rings; /* by value id; NULL: no rings */
    int *params;       /* by id of a pointer: the parameter in whose buffer it is; -1: not known */
    bool *offsets;     /* by id of an int: it goes into an address */
    int rows[MAX_ROWS]; /* the first slot of what is put by; 0: nothing is */
    int num_allocs;
    const Op **allocs;
    int *
        memory; /* by id of a pointer: 1 + the alloc in whose memory it is; 0: not known; or NULL */
    struct Watch *watch; /* NULL: the device is not watched */
    bool may_wait;       /* has a while loop */
} Loaded;

/* ---- a launch ---- */

typedef struct Failure {
    tern_status status; /* TERN_OK: none yet */
    tern_finding_kind kind;
    Span span;
    char text[400], note[400];
} Failure;

typedef struct Launch {
    Device *device;
    const Loaded *loaded;
    uint32_t grid[3];
    uint64_t order_seed, order_step, order_start; /* see launch_programs */
    void **args;                                  /* args[i] points at the i-th parameter's value */
    uint64_t version;                             /* counts changes of memory */
    uint64_t iterations;                          /* of loops, to look at the clock now and then */
    int64_t deadline_ns;                          /* 0: none */
    uint64_t idle_spins; /* iterations of waiting loops since version last changed */
    Lanes *newest, *free_lanes[NUM_LANE_CLASSES];
    Failure failure;
    char *output; /* device_print's, not yet handed on */
    size_t output_length, output_capacity;
    bool goes_on;                /* at breakpoint() */
    struct Scheduler *scheduler; /* NULL: programs run one after another to their ends */
    struct Watch *watch;         /* NULL: not watched */
} Launch;

typedef struct Begun { /* a product under way */
    const Op *op;
    Lanes *operands[3], *out;
} Begun;

typedef struct Program {
    Launch *launch;
    uint32_t id[3];
    Lanes **slots;       /* by value id */
    DeviceRange *memory; /* of each alloc; base NULL: not yet */
    struct Fiber *fiber;
    int num_under_way; /* the oldest first */
    Begun under_way[MOST_UNDER_WAY];
} Program;

/* ---- lanes ---- */

/* refs 1; NULL after failing the program: then the launch ends, and nothing need be released. */
Lanes *lanes_new(Program *p, int count, int size);
void lanes_release(Launch *launch, Lanes *lanes); /* for others to use; NULL is allowed */
static inline Lanes *lanes_share(Lanes *lanes) {
    lanes->refs++;
    return lanes;
}
static inline uint64_t lane_get(const Lanes *lanes, int i) {
    switch (lanes->size) {
    case 1: return ((const uint8_t *)lanes->data)[i];
    case 2: return ((const uint16_t *)lanes->data)[i];
    case 4: return ((const uint32_t *)lanes->data)[i];
    default: return ((const uint64_t *)lanes->data)[i];
    }
}
static inline uint64_t lane_of(const Lanes *lanes, int i) { /* one lane stands for all */
    return lane_get(lanes, lanes->count > 1 ? i : 0);
}
static inline void lane_set(Lanes *lanes, int i, uint64_t bits) {
    switch (lanes->size) {
    case 1: ((uint8_t *)lanes->data)[i] = (uint8_t)bits; break;
    case 2: ((uint16_t *)lanes->data)[i] = (uint16_t)bits; break;
    case 4: ((uint32_t *)lanes->data)[i] = (uint32_t)bits; break;
    default: ((uint64_t *)lanes->data)[i] = bits; break;
    }
}
static inline Lanes *lanes_of(Program *p, const Value *value) { /* NULL: of no value */
    return value ? p->slots[value->id] : NULL;
}

static inline Lanes *operand(Program *p, const Op *op, int index) {
    return p->slots[op->operands[index]->id];
}
void slot_set(Program *p, const Value *value, Lanes *lanes); /* takes over the reference */

/* Stops the launch; always gives false. The first failure counts. */
bool program_fail(Program *p, tern_status status, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void program_note(Program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- execution: false after program_fail ---- */

bool exec_program(Program *p);
/* Runs a block for its region's arguments, which are in their slots; the yielded values stay in
 * their slots until exec_yield_done. */
bool exec_block(Program *p, const Body *block);
void exec_yield_done(Program *p, const Body *block);

int span_line(Span span); /* from 1; 0: no place is known */
/* "program (3, 0, 0) of a grid of ..", "block (3, 0, 0) .." */
void program_say_program(const Program *p, char *text, size_t size);
/* ", lane [3, 5]" of a tile of `type`, ", thread (5, 3, 0)"; "" of a scalar. */
void lane_words(const Program *p, const Type *type, int lane, char *text, size_t size);

bool exec_lanes(Program *p, const Op *op); /* ELEMENTWISE ops but addptr */
bool exec_addptr(Program *p, const Op *op);
bool exec_arange(Program *p, const Op *op);
bool exec_alias(Program *p, const Op *op); /* the result is the operand */
bool exec_shape(Program *p, const Op *op); /* classes SHAPE and PERMUTE */
bool exec_reduce(Program *p, const Node *node);
bool exec_scan(Program *p, const Node *node);
bool exec_histogram(Program *p, const Op *op);
bool exec_dot(Program *p, const Op *op);
bool exec_memory(Program *p, const Op *op); /* load, store, atomic_rmw, atomic_cas */
bool exec_alloc(Program *p, const Op *op);
void memory_release(Program *p);
/* What op, a load or fill, reads; NULL after failing. mask, other: or NULL. */
Lanes *load_lanes(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask,
                  const Lanes *other);
bool exec_assembly(Program *p, const Node *node);
typedef struct AsmAccess {
    const char *what; /* "load" */
    bool reads, writes;
    uint64_t address;
    int size, count, lane; /* bytes of an element, elements in a row */
} AsmAccess;
char *asm_memory(Program *p, const Op *op, const AsmAccess *wanted); /* NULL after failing */
uint64_t memory_get(const char *memory, int size);
void memory_put(Launch *launch, char *memory, int size, uint64_t bits);
bool is_in_time(Program *p, const Op *op); /* once per iteration of a loop */
bool exec_row(Program *p, const Op *op);
void row_note(Loaded *loaded, const Op *op); /* that op, stow or fetch, names */
bool exec_ring(Program *p, const Op *op);
bool check_peeked(Program *p, const Op *op); /* what op reads in a ring is still there */
bool rings_end(Program *p, const Node *node);
void rings_note(Arena *arena, Loaded *loaded, const Op *op); /* a ring that the kernel has */
bool value_is_peeked(const Value *value);
/* ---- under_way.c ---- */
bool under_way_begin(Program *p, const Op *op); /* a dot with async */
bool under_way_settle(Program *p, int64_t pending);
bool dot_multiply(Program *p, const Op *op, Lanes *const *operands, Lanes *out); /* cross.c */

bool exec_print(Program *p, const Op *op);
bool exec_breakpoint(Program *p, const Op *op);
bool program_put(Program *p, const char *text, size_t length); /* to the output */
bool exec_printf(Program *p, const Op *op);
bool exec_assert(Program *p, const Op *op);
uint64_t lane_eval(const Op *op, const uint64_t *operands); /* of one lane */

/* ---- what offsets would be: wide.c ---- */

void wide_note(Arena *arena, Loaded *loaded); /* fills in offsets */
/* After an op that goes into an address: of lanes that wrapped, or come from such, the true
 * value. */
bool wide_check(Program *p, const Op *op, Lanes *out);
bool wide_addptr(Program *p, const Op *op, Lanes *out);
/* The elements by which a lane's pointer misses where it would be, and the op that wrapped; 0: it
 * does not. */
int64_t wide_missed(const Lanes *pointers, int lane, int size, const Op **wrapped);

/* ---- watching; each is called on watched devices only, false after program_fail ---- */

typedef struct Watch Watch;
Watch *watch_new(Arena *arena, const CompiledKernel *kernel);
const Findings *watch_findings(Watch *watch);
bool watch_begin(Launch *launch); /* false: no memory */
void watch_end(Launch *launch);
bool watch_lanes(Program *p, const Op *op, Lanes *out); /* after an op lane by lane */
bool watch_dot(Program *p, const Op *op, Lanes *out);
bool watch_load(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask,
                const Lanes *other, Lanes *out);
void watch_written(Program *p, const Op *op, const Lanes *values, const Lanes *mask);
/* Somebody looks at lane `lane` to decide: a condition, an address. */
void watch_decides(Program *p, const Op *op, const Lanes *lanes, int lane, const char *what);
void watch_wrapped(Program *p, const Op *op, int lane, int64_t missed, const Op *wrapped);
/* One lane's access of `size` bytes that goes on; changes: a write of another value than was
 * there. */
void owner_read(Program *p, const Op *op, int lane, const char *memory, int size);
void owner_write(Program *p, const Op *op, int lane, const char *memory, int size, bool changes);

typedef struct Owners Owners;
bool owners_begin(Launch *launch, Owners **owners);
void owners_end(Owners *owners);
void owners_note(Owners *owners, Findings *findings); /* what was not checked */
Findings *watch_list(Launch *launch);
Owners *watch_owners(Launch *launch);

/* ---- taking turns ---- */

/* Called by a while loop that reads memory, after an iteration that changed none. `stuck`: the
 * iteration also left all carried values as they were, so that only another program's write, after
 * memory version `since`, can make the next one differ. */
bool program_wait(Program *p, Span span, bool stuck, uint64_t since);
/* Hands output on; on a fiber, after switching to the caller's stack. */
void program_flush(Program *p);
void launch_flush(Launch *launch);
tern_status launch_programs(Launch *launch); /* all of the grid; the failure's status */

#endif
