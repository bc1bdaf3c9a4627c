// SPDX-License-Identifier: Apache-2.0
/* sim: a GPU that executes the PTX we emit, exactly and with checks; private to src/device/sim.
 *
 *     device.c     the device: buffers, a kernel made ready (gen/ptx/read.h), a launch
 *     schedule.c   blocks and warps take turns; barriers; deadlock; a launch
 *     warp.c       one warp: lanes in lockstep, branches, calls
 *     lanes.c      the lane-by-lane instructions; gen/ptx/number.h: arithmetic
 *     across.c     shuffles, votes, tensor-core products
 *     memory.c     loads, stores, atomics: bounds, alignment, initialised-ness
 *     copy.c       asynchronous copies
 *     bulk.c       bulk copies of boxes, by tensor maps
 *     bulk_store.c  .. and stores
 *     wgmma.c      asynchronous products of a warpgroup
 *     mbarrier.c   objects at which threads and copies arrive
 *     cluster.c    blocks that run side by side, and meet
 *     send.c       stores to each other that tell mbarriers
 *     pool.c       registers that warpgroups give and take
 *     race.c       who touched what, and is it ordered
 *     print.c      vprintf and __assertfail
 *     registers.c  ptxas, where there is one
 *     count.c      what an access costs: sectors, wavefronts
 *     accesses.c   single accesses, kept for those who want to look at them
 *     flight.c     bytes asked for and not yet needed
 *     report.c     text and JSON
 *     found.c      what a watched device finds
 *
 * A warp's register is 32 lanes side by side (predicates: one bit each), so that an instruction is
 * one loop over lanes. Lanes that went different ways have program counters of their own; the warp
 * executes those that are furthest behind, which for structured code means that both arms of an if
 * meet at its end. */
#ifndef TERN_SIM_H
#define TERN_SIM_H

#include "base/ptxas.h"
#include "device/map.h"
#include "device/window.h"
#include "gen/ptx/read.h"

#define ALL_LANES UINT32_MAX

static inline int sim_threads(const PtxProgram *p) { /* of a block; its last warp may not be full */
    return (int)(p->threads[0] * p->threads[1] * p->threads[2]);
}
static inline uint32_t cluster_size(const PtxProgram *p) {
    return p->cluster ? (uint32_t)p->cluster : 1;
}
static inline int sim_warps(const PtxProgram *p) { return (sim_threads(p) + LANES - 1) / LANES; }

/* ptx_read's, made ready to be executed. NULL after diag_error or diag_refused. */
PtxProgram *sim_parse(Arena *arena, Str text, int dynamic_shared, Diag *diag);

/* ---- what was counted, by instruction ---- */

typedef struct Count {
    uint64_t issued, lanes; /* warps, lanes that executed it */
    uint64_t divergent;     /* branches that split the warp */
    uint64_t requests, sectors, lines, useful_bytes,
        ideal_sectors;                     /* global: 32-byte sectors, 128-byte lines */
    uint64_t wavefronts, ideal_wavefronts; /* shared */
} Count;

typedef struct Gpu {
    const char *name, *target, *title;
    int multiprocessors, shared_per_sm, shared_reserved, threads_per_sm, blocks_per_sm,
        registers_per_sm;
    int shared_unit; /* shared memory is handed out in multiples of this */
} Gpu;

/* How many blocks a multiprocessor has at a time. registers: of a thread; 0: not known. */
int gpu_blocks(const Gpu *gpu, int threads, int registers, int shared_bytes);
int gpu_blocks_by_shared(const Gpu *gpu, int shared_bytes);
int gpu_blocks_by_registers(const Gpu *gpu, int registers, int warps); /* of a thread, of a block */

/* ---- a launch ---- */

typedef struct Agent { /* when something was done: by which warp of the grid, at which tick of its
                          clock */
    uint32_t warp;     /* from 1; 0: nobody */
    uint32_t lane : 6; /* 32: several */
    uint32_t atomic : 1;
    uint32_t tick : 25;
} Agent;

typedef struct Mark {
    Agent who;
    int32_t ins;
} Mark;
typedef enum MarkKind { MARK_WRITER, MARK_READER, MARK_READER_BEFORE, NUM_MARKS } MarkKind;
typedef struct Marks { /* of a stretch of memory that races are checked for; NULL: there are none of
                          that kind */
    Mark *by[NUM_MARKS];
} Marks;

typedef struct Seen {             /* how far a warp is known to have come */
    uint32_t tick;                /* all till the end of it */
    uint32_t lanes, lane_tick;    /* and these lanes till the end of that one */
    uint32_t copies;              /* so many ticks of its copies that an mbarrier told of */
    uint32_t fences;              /* its proxy fences */
    uint32_t shown, shown_copies; /* ticks with a proxy fence of anybody's behind them */
} Seen;
typedef struct Known { /* of a warp of another block */
    uint32_t warp;
    bool released; /* by it, not only known to who did */
    Seen seen;
} Known;
/* Mbarriers of a block that bulk copies tell of their bytes, and phases of one. */
enum { MOST_TOLD = 64, MOST_TOLD_PHASES = 1 << 19 };
typedef struct Clock {
    Seen own[MAX_WARPS];      /* of the warps of the block */
    uint32_t told[MOST_TOLD]; /* bulk copies of so many phases of each such mbarrier */
    Known *others;            /* sorted by warp */
    int num_others;
} Clock;

typedef struct Warp Warp;

typedef struct Copy { /* cp.async under way, of one lane */
    uint64_t from;
    uint32_t to, group;          /* NO_GROUP: not committed */
    uint8_t lane, bytes, filled; /* so many are copied, the rest becomes 0 */
    unsigned char early[16];     /* what the source held at its start */
    uint64_t asked;              /* of the warp, with this one */
    uint64_t number;             /* of the warp's */
    const Ins *ins;
} Copy;
#define NO_GROUP UINT32_MAX
/* shared_set: 0, written, a copy to it is under way, or it is of an mbarrier. */
enum { BYTE_SET = 1, BYTE_COMING = 2, BYTE_BARRIER = 3, BYTE_SENT = 4 };

typedef struct Bulk { /* a bulk copy or store under way, of one lane */
    MapBox map;
    int32_t at[MAP_DIMS];
    uint32_t to, barrier; /* offsets in shared memory; of a store: from */
    int bytes;
    Warp *warp;
    int lane;
    unsigned char *early; /* what it brings, read at its start; NULL: it is read at its end */
    const Ins *ins;
    uint64_t writers; /* of a store: who had written what it reads when it began, as a hash */
    uint32_t group;   /* NO_GROUP: not committed */
    bool is_read;     /* .. and that was waited for */
} Bulk;

typedef struct
    Sent { /* st.async under way to a block, of one lane of another, which may have ended */
    uint32_t to, barrier; /* offsets in shared memory */
    int bytes;
    unsigned char data[16];
    uint64_t block; /* the sender's: of the grid, */
    int warp;       /* of that, */
    bool is_far;    /* and not the one it goes to */
    const Ins *ins;
} Sent;

typedef struct Arrival { /* at an mbarrier, when all copies that the lane began before have come */
    uint32_t offset;
    uint8_t lane;
    uint64_t begun; /* copies of the warp */
    const Ins *ins;
} Arrival;

typedef struct Product { /* wgmma under way */
    const Ins *ins;
    uint64_t a, b;    /* descriptors */
    bool adds;        /* to what the sums hold; else to 0 */
    bool done;        /* computed, but nobody has waited for it */
    uint64_t writers; /* who had written what it reads when it began, as a hash */
    uint32_t group;
} Product;
typedef struct Products { /* of a warp */
    Product *list;
    int count, capacity;
    uint32_t groups, begun; /* committed; of all so far */
    unsigned char
        *touched; /* by place: read or written since the last wgmma.fence by something else */
} Products;

/* Where a warp's copies and its products are in the place of a lane's number: what all lanes do
 * together is known with any of them. */
enum { SEVERAL_LANES = LANES, ALL_TOGETHER, BY_COPY, BY_BULK, BY_STORE, BY_SEND };

typedef enum WarpState {
    WARP_READY,
    WARP_AT_BARRIER,
    WARP_AT_CLUSTER,
    WARP_AT_POOL,
    WARP_ENDED
} WarpState;

typedef struct ProxyWrite { /* of a byte of shared memory by the generic proxy: the last */
    uint32_t tick : 25, by_copy : 1, warp : 6; /* of the warp, or of its copies */
    uint32_t fences;                           /* that the warp had executed */
} ProxyWrite;

typedef struct Cta Cta;
struct Warp {
    Cta *block;
    int index;
    WarpState state;
    uint32_t *places; /* num_places * 32 words */
    uint32_t *predicates;
    uint32_t alive, active; /* lanes: not returned; executing now */
    int32_t pc;             /* of the active lanes */
    int32_t meet; /* the least pc of the other lanes alive: there they join; INT32_MAX: none */
    int32_t lane_pc[LANES];
    uint32_t waiting;    /* lanes that wait for the others before they go on */
    bool all_waited;     /* there were no others: who is active goes on, or fails */
    uint64_t turns_back; /* backward branches taken while lanes are apart */
    int far_steps;       /* for fairness: so long, execute the lanes that are furthest */
    int barrier;
    unsigned char *local, *local_set; /* local_bytes for each lane; one byte of `set` for each */
    Clock clock;
    Clock partial;       /* what lanes acquired, */
    uint32_t partly;     /* these, */
    uint64_t partial_of; /* in a phase of an mbarrier */
    Seen met;            /* what its lanes know of each other */
    bool fenced;         /* has executed a fence */
    Copy *copies;        /* under way */
    int num_copies, copies_capacity;
    uint64_t copies_begun; /* of all so far; and their clock, where mbarriers tell of them */
    uint32_t copy_tick;
    Arrival *arrivals; /* to come */
    int num_arrivals, arrivals_capacity;
    bool waits, rests; /* its last wait said no; so others first, till the phase has changed */
    uint32_t rest_offset, rest_phase;
    uint32_t registers, changes;          /* of a thread; how often that was changed */
    Agent changed;                        /* the last time */
    uint64_t met_cluster, waited_cluster; /* how often it has arrived, and waited, there */
    uint32_t groups[LANES];               /* of copies, committed by each lane */
    uint32_t bulk_groups[LANES];          /* of bulk stores */
    Products products;
    uint64_t asked, come; /* bytes of global memory asked for, and surely there */
    uint64_t *asked_at;   /* by place: of the last load into it, with that */
    /* Has it come back to a state it was in, while memory did not change? */
    uint64_t idle_version, idle_turns, saved_hash;
    bool stuck; /* while the memory's version is idle_version */
};

enum { AGREED = 64 }; /* products of a warpgroup, of which its warps are so far apart at most */

typedef struct Barrier {
    uint32_t arrived, waiting; /* warps */
    int came, expected;        /* how many warps did; expected 0: all */
    Clock *passed;             /* what those did that went on; NULL: none */
} Barrier;

typedef struct Mbarrier Mbarrier; /* mbarrier.c */

/* An address in the shared memory of another block of the cluster: its rank + 1, and the address
 * there. */
enum { CLUSTER_SHIFT = 24 };

typedef struct Cluster {
    int size, num_live;
    Cta *blocks[MOST_CLUSTER]; /* by rank; NULL: it has ended */
    uint64_t phase;            /* of its barrier: so many have ended */
    Known *known[2];           /* what was released in even phases, and in odd ones */
    int num_known[2];
} Cluster;

struct Cta {
    Cta *next; /* live or free */
    uint32_t id[3];
    uint64_t linear;
    int num_warps, num_ended;
    int num_returned; /* of these, by a return before the end of the text */
    Warp warps[MAX_WARPS];
    unsigned char *shared, *shared_set; /* with red zones; set: a byte for each */
    Marks shared_marks;
    Barrier barriers[MAX_BARRIERS];
    ProxyWrite *proxy_writes;               /* by byte, of programs with wgmma or bulk copies */
    uint64_t agreed[MAX_WARPS / 4][AGREED]; /* what the warps of a group agreed on */
    Mbarrier *mbarriers;
    int num_mbarriers, mbarriers_capacity;
    int num_told;     /* of these: that bulk copies tell */
    int num_arrivals; /* of all warps, to come; and bulk copies, and what is sent to it */
    Bulk *bulks;
    int num_bulks, bulks_capacity;
    Sent *sent;
    int num_sent, sent_capacity;
    Bulk *stores;
    int num_stores, stores_capacity;
    uint32_t pool;                          /* registers that nobody has */
    int32_t changes[MAX_WARPS / 4][AGREED]; /* the instructions by which each group changed them */
    Cluster *cluster;                       /* NULL: nothing of clusters in the program */
    int rank;
    bool has_met;   /* a warp of it has waited at the cluster's barrier */
    Mark *visitors; /* warps of other blocks that touched its shared memory: when last */
};

typedef struct Failure {
    tern_status status;
    tern_finding_kind kind;
    Span span;
    char text[600], note[2400]; /* four warps of three blocks, a line of the PTX each */
} Failure;

typedef struct Recording { /* of the last launch */
    int most;
    tern_access *list; /* from realloc */
    int count, capacity;
    uint64_t num_whole, num_other; /* as tern_accesses has them */
} Recording;

typedef struct Machine {
    Device *device;
    const PtxProgram *program;
    const Gpu *gpu;
    void **args;
    int first_map; /* of the parameters: from here on MapBoxes; 0: none */
    uint32_t grid[3];
    uint64_t num_blocks;
    uint64_t seed, random; /* of the order; seed 0: in order */
    uint64_t perturb;      /* of approximations: 0: none */
    int64_t deadline_ns;
    uint64_t first_turns; /* without a change of memory, before a loop may be one that waits */
    uint64_t instructions, lane_instructions, budget;
    uint64_t version;        /* counts changes of memory */
    uint32_t num_tellers;    /* mbarriers that were begun, see Mbarrier */
    Count *counts;           /* by instruction */
    Recording *recording;    /* NULL: nobody asked for it */
    uint64_t most_in_flight; /* bytes, of one warp */
    struct GlobalShadow *shadow;
    struct SyncTable *sync;
    bool checks_races, race_limited;
    uint64_t shadow_bytes, most_shadow_bytes; /* more memory than these cover is not checked */
    Failure failure;
    char *output;
    size_t output_length, output_capacity;
    Cta *free_blocks, *live; /* live: begun, not ended */
    uint64_t num_begun, num_live, order_step, order_start, most_live;
    const DeviceRange *buffer; /* that the last access fell in */
} Machine;

enum { NO_LANE = -1 }; /* none in particular */
bool sim_fail(Machine *m, const Warp *w, const Ins *ins, int lane, const char *format, ...)
    __attribute__((format(printf, 5, 6)));                             /* false */
static inline bool sim_fail_kind(Machine *m, tern_finding_kind kind) { /* after sim_fail; false */
    m->failure.kind = kind;
    return false;
}
bool sim_fail_memory(Machine *m); /* the host's */
/* A list in which there is room for one more; NULL, and the list as it was: no memory. */
void *sim_grown(void *list, int count, int *capacity, size_t each);
void sim_note(Machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline const uint32_t *source_of(const Machine *m, const Warp *w, int32_t operand) {
    return operand >= 0 ? w->places + (size_t)operand * LANES
                        : m->program->constants.data + (size_t)(-1 - operand) * LANES;
}
static inline uint64_t get_wide(const uint32_t *place, int lane) {
    uint64_t value;
    memcpy(&value, place + 2 * lane, sizeof value);
    return value;
}
static inline void put_wide(uint32_t *place, int lane, uint64_t value) {
    memcpy(place + 2 * lane, &value, sizeof value);
}
uint64_t sim_random(Machine *m);
void sim_open_barrier(Machine *m, Cta *block, int id); /* if all have come */

/* Each executes one instruction for `lanes`; false after failing. */
void sim_lanes(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_across(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_memory(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_ldmatrix(Machine *m, Warp *w, const Ins *ins);
bool sim_stmatrix(Machine *m, Warp *w, const Ins *ins);
bool sim_copies(Machine *m, Warp *w, const Ins *ins, uint32_t lanes); /* starts .. waits, fences */
bool sim_wgmma(Machine *m, Warp *w, const Ins *ins); /* begins, fences, commits, waits */
/* No sum of a product under way is an operand; a warp does not end with one. */
bool sim_products_allow(Machine *m, Warp *w, const Ins *ins);
void sim_products_note(Warp *w, const Ins *ins);                         /* it was executed */
void sim_proxy_wrote(Warp *w, uint64_t offset, int bytes, bool by_copy); /* shared memory */
bool sim_copy_arrives(Machine *m, Warp *w, uint64_t begun, int lane);    /* those before `begun` */

/* ---- bulk.c ---- */
bool sim_bulk(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_bulk_comes(Machine *m, Cta *block,
                    int n); /* one of those under way; false after failing */
void sim_bulks_free(Cta *block);
/* A box by its map: first: operand of its coordinates; false after failing. */
enum { BULK_CHUNK = 16 };
bool sim_box_of(Machine *m, Bulk *bulk, int first);
uint32_t sim_box_address(const Bulk *bulk, int at); /* in shared memory, swizzled */
/* Row by row what is inside of the tensor: at: where in the box. */
typedef bool BoxRow(void *user, uint64_t address, int bytes, int at);
bool sim_box_rows(const Bulk *bulk, BoxRow *row, void *user);
void sim_box_count(Count *count, uint64_t address, int bytes);

/* ---- send.c ---- */
bool sim_send(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_send_comes(Machine *m, Cta *block, int n); /* as sim_bulk_comes */
bool sim_send_ends(Machine *m, const Cta *block);   /* none is under way; false after failing */

/* ---- bulk_store.c ---- */
bool sim_bulk_store(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_bulk_group(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_proxy_written(const Warp *w, uint64_t offset, int *warp); /* without a fence behind */
/* The first of bytes that were written so, or -1. Neighbours are mostly of one store. */
int sim_proxy_hidden(const Warp *w, uint64_t offset, int bytes, int *warp);

/* ---- mbarrier.c ---- */
/* A bulk copy that is to tell the mbarrier at an address begins. */
bool sim_mbarrier_begins(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address,
                         uint32_t *offset);
/* .. in which phase it ends, for race_bulk; and then that it has brought its bytes. */
uint32_t sim_mbarrier_phase(const Bulk *bulk);
bool sim_mbarrier_told(Machine *m, const Bulk *bulk);
/* An st.async that is to tell an mbarrier of another block, or of its own, begins; it has come. */
bool sim_mbarrier_sends(Machine *m, Warp *w, const Ins *ins, int lane, const Cta *to,
                        uint32_t offset);
bool sim_mbarrier_sent(Machine *m, Cta *block, const Sent *sent);
/* The block ends: a warp of it knows of all that told one of its mbarriers. */
bool sim_mbarriers_end(Machine *m, Warp *w);
/* The warp arrives at its cluster's barrier: what it fenced of mbarriers is told. */
bool sim_mbarriers_meet(Machine *m, Warp *w, uint64_t phase);
/* Of mbarriers that the lanes began; of all: that they know of. */
void sim_mbarrier_fence(Warp *w, uint32_t lanes, bool of_all);
bool sim_mbarrier(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
/* Copies come, and tell: of the block's warps now and then, or (`all`) since nobody can go on.
 * False after failing. */
bool sim_arrivals(Machine *m, Cta *block, bool all);
bool sim_may_rest(const Cta *block, Warp *w); /* its wait would say no once more */
void sim_note_rest(Machine *m, const Warp *w);
void sim_mbarriers_free(Cta *block); /* those of the block that was */

/* ---- cluster.c ---- */
Cluster *cluster_new(int size);
void cluster_leave(Cta *block); /* it has ended */
/* Each false after failing. */
bool cluster_control(Machine *m, Warp *w, const Ins *ins); /* arrives, waits */
bool cluster_open(Machine *m, Cluster *cluster);           /* if all that have not ended arrived */
bool cluster_address(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
/* The block in whose shared memory an address is, which becomes one there. */
bool cluster_find(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t *address, Cta **block);
bool cluster_end(Machine *m, Warp *w); /* the block ends, with this warp: nobody touches it later */

/* ---- pool.c ---- */
void sim_pool_start(Machine *m, Cta *block);
bool sim_registers(Machine *m, Warp *w, const Ins *ins);
bool sim_pool_has(const Machine *m, const Warp *w); /* what a warp at the pool waits for */
bool sim_pool_end(Machine *m, Warp *w);             /* the warp has ended */
bool sim_print(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_assert(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
bool sim_trap(Machine *m, Warp *w, const Ins *ins, uint32_t lanes);
/* Runs until the warp ends, waits, is stuck, or `steps` instructions are done. */
bool sim_warp(Machine *m, Warp *w, uint64_t steps);
tern_status sim_launch_blocks(Machine *m);
void sim_flush_output(Machine *m);

/* Generic addresses, for print.c; NULL: not readable. */
const unsigned char *sim_readable(Machine *m, Warp *w, int lane, uint64_t address, size_t *left);

/* ---- races ---- */

/* Of a block's shared memory. */
bool race_shared(Machine *m, Warp *w, const Ins *ins, int lane, Cta *block, uint32_t offset,
                 int bytes, bool writes, bool atomic);
/* A bulk copy brings bytes, of which a phase of an mbarrier will tell. */
bool race_bulk(Machine *m, Warp *w, const Ins *ins, int lane, uint32_t offset, int bytes,
               uint32_t phase);
/* A bulk store of a lane begins, or it was waited for. */
bool race_store(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, int bytes,
                bool begins);
/* Who wrote last there, mixed into a hash. */
uint64_t race_writers(const Machine *m, const Cta *block, uint32_t offset, int bytes,
                      uint64_t hash);
bool race_global(Machine *m, Warp *w, const Ins *ins, int lane, uint64_t address, int bytes,
                 bool writes, bool atomic);
/* An atomic at `address`: what was released there is known; what the warp did is released. */
bool race_sync(Machine *m, Warp *w, const Ins *ins, uint64_t address);
/* These have met; others went on, and released what they did into a clock. */
void race_barrier(Machine *m, Cta *block, uint32_t warps, const Clock *passed);
/* What the lanes did, and the warp knows, is released into a clock, and acquired by a lane from one
 * of a phase (a number of its own). */
bool race_release(Machine *m, Warp *w, uint32_t lanes, Clock *into);
bool race_acquire(Machine *m, Warp *w, int lane, const Clock *from, uint64_t phase);
bool race_join(Machine *m, Clock *into, const Clock *from);
Agent race_agent(Warp *w, int lane); /* what the lane does now */
bool race_is_after(const Warp *w, int lane, Agent before);
void race_clock_clear(Clock *clock);
void race_copies_come(Clock *into, Warp *w); /* those of its tick; the next one begins */
void race_proxy_fence(Warp *w);
bool race_proxy_shows(const Warp *w, ProxyWrite write);
bool race_warp_sync(Machine *m, Warp *w);
/* What the warp did is released, or what others released acquired, in a phase of its cluster. */
bool race_cluster(Machine *m, Warp *w, uint64_t phase, bool acquires);
/* .. of that a tick of who is no warp alone. */
bool race_cluster_tells(Machine *m, Warp *w, uint64_t phase, Agent who);
/* What was sent has come: a write by who is no warp. Does a lane know, or a warp of the block? */
void race_sent(Machine *m, Cta *block, const Ins *ins, uint32_t offset, int bytes, Agent who);
bool race_learns(Machine *m, Warp *w, int lane, Agent who);
bool race_block_knows(const Cta *block, Agent who);
/* Another block's warp touches the block; and when it ends: all these are known to a warp of it. */
void race_visit(const Machine *m, Warp *w, const Ins *ins, Cta *block);
bool race_cluster_end(Machine *m, Warp *w);
void race_block_start(Machine *m, Cta *block);
void race_marks_free(Marks *marks);
void race_close(Machine *m);

/* ---- counters ---- */

void count_global(Count *count, const uint64_t *addresses, uint32_t lanes, int bytes);
void count_shared(Count *count, const uint64_t *offsets, uint32_t lanes, int bytes,
                  bool is_load); /* not of ldmatrix */

/* ---- accesses ---- */

/* A request of global or shared memory; false after failing. */
bool record_access(Machine *m, const Warp *w, const Ins *ins, PtxSpace space,
                   const uint64_t *addresses, uint32_t lanes);
void record_other(Machine *m); /* one that is not counted */

/* ---- bytes in flight ---- */

void flight_issue(Machine *m, Warp *w, const Ins *ins, uint64_t bytes);
void flight_use(Warp *w, const Ins *ins);

typedef struct Totals { /* of all launches of a kernel since it was loaded */
    Count *counts;
    uint64_t most_in_flight;
    uint64_t launches;
    uint32_t grid[3];  /* of the last */
    bool race_limited; /* not all was checked */
    Recording recording;
    Findings *findings; /* NULL: the device is not watched */
} Totals;
PtxasUse sim_assembled(Arena *arena, const PtxProgram *program, const char *target);
/* found.c: a watched launch's failure, and what could not be checked. */
void sim_find_failure(Findings *findings, const Failure *failure);
const Findings *sim_find_all(Arena *arena, const Totals *totals);
void sim_count(Arena *arena, const Gpu *gpu, const PtxProgram *program, const Totals *totals,
               tern_counted *counted);
Str sim_report(Arena *arena, const Gpu *gpu, const PtxProgram *program, const Totals *totals,
               bool as_json);

#endif
