// SPDX-License-Identifier: Apache-2.0
/* fuse: traced functions as few kernels.
 *
 *     trace (src/tensor)  --build.c-->  Build: a kernel's values, from its roots downwards
 *     Build  --kernel.c--> loops over all it loads and stores, a tile, arguments
 *            --emit.c, emit_rows.c, emit_product.c-->  text in the Triton language
 *     plan.c      which nodes are stored, which kernels become one, in what order they run
 *     why.def     why a node is stored
 *     function.c  a plan a key of types, shapes and strides; calling it
 *     gradient.c  the gradient of a call
 *     replay.c    launches of a call as a CUDA graph
 *     tune.c      which way products are done, by trying
 *     print.c     the texts of a plan
 *
 * A node of the trace is computed where it is read, again for each kernel that reads it, unless
 * it is stored: then it is a root of a kernel. What a kernel is follows from its roots. It
 * stands on src/tensor: a node that no kernel takes runs as the eager op does. */
#ifndef TERN_FUSE_FUSE_H
#define TERN_FUSE_FUSE_H

#include "tensor/trace.h"

enum {
    MAX_NODES = 64, /* of the trace, in a kernel: as Inductor */
    MAX_VALUES = 4 * MAX_NODES,
    MAX_ACCESSES = SPACE_OPERANDS, /* tensors that a kernel loads and stores */
    MAX_ROOTS = 8,
    VALUE_OPERANDS = 5
};

typedef enum Why {
#define WHY(name, words) WHY_##name,
#include "fuse/why.def"
} Why;

/* ---- what a kernel computes: build.c ---- */

/* Where a node's result is taken: of each of its dimensions the loop that numbers it, -1 where the
 * size is 1; one may be numbered by a value instead. */
typedef struct Place {
    int8_t loops[TERN_MAX_RANK];
    int8_t indexed; /* the dimension; -1: none */
    int8_t seen;    /* 1 + which of the build's views it is in; 0: the node's own dimensions */
    int16_t index;  /* the value */
} Place;

/* Other dimensions that elements of a pointwise node are seen in: reshaped, or a part. */
enum { MAX_SEEN = 32 };
typedef struct Seen {
    int rank;
    int64_t offset, shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
} Seen;

typedef enum ValueKind {
    VALUE_LOAD,
    VALUE_NUMBER,
    VALUE_POINT,
    VALUE_REDUCE,
    VALUE_PRODUCT,
} ValueKind;
typedef struct Value {
    ValueKind kind;
    int node, part; /* of the trace, -1: a load; part: 0 its result, else a pass over its rows */
    Place place;
    tern_dtype compute, dtype; /* in which the formula computes; of the value */
    const char *formula;       /* its words a, b, c, s, t are the operands */
    int operands[VALUE_OPERANDS];
    tern_dtype types[VALUE_OPERANDS]; /* in which it takes them */
    double p, q;
    Combine combine;     /* REDUCE */
    int access;          /* LOAD */
    bool is_raw;         /* LOAD: for tl.dot, as it lies in memory */
    tern_operand number; /* NUMBER */
    uint32_t loops;      /* those that it depends on */
    int depth;           /* how many reductions lie below, one on another */
    const char *name;
    bool is_alias; /* of its operand, under whose name it goes */
} Value;

/* Of a product: outside of its factors, the left, the right one. */
typedef enum Side { SIDE_NONE, SIDE_A, SIDE_B } Side;
typedef struct Access {
    int storage;
    Side side;
    bool is_of_row; /* a store of one element a row */
    bool is_factor; /* loaded for tl.dot: with a term for each of its tile's dimensions */
    tern_dtype dtype;
    int64_t offset;
    int64_t strides[SPACE_RANK]; /* by loop */
    int index;                   /* a value; -1: none */
    int64_t step;                /* elements an index is worth */
    const char *name;
} Access;

typedef struct Store {
    int value, node;
} Store;

typedef struct Build {
    struct FusePlan *plan;
    int num_roots, roots[MAX_ROOTS];
    int num_loops;
    int64_t sizes[SPACE_RANK];
    uint32_t row_loops; /* that reductions run over; 0: none */
    int num_row_loops, rows[SPACE_RANK];
    int product;        /* a value; -1: none */
    int loop_m, loop_n; /* of the product's rows and columns; */
    int loop_a, loop_b; /* of its depth, as its operands have it */
    Side side;          /* that is being evaluated */
    int num_values, num_accesses, num_stores, num_nodes;
    int num_path, path[MAX_NODES]; /* from a root to the node that is being evaluated */
    int num_seen;
    Seen seen[MAX_SEEN];
    Value values[MAX_VALUES];
    Access accesses[MAX_ACCESSES]; /* loads; then, from num_accesses on, stores */
    Store stores[MAX_ROOTS];
    uint8_t *has; /* nodes that it computes */
    int culprit;  /* on failure: a node that is to be stored, or a root that cannot join */
    Why why;
} Build;

/* Fills in the values of a kernel with these roots. False: culprit and why. */
bool build_kernel(Build *build, struct FusePlan *plan, const int *roots, int num_roots);

/* ---- its text ---- */

typedef struct KernelArgument {
    const char *name, *type;
    int storage;           /* -1: an integer */
    int64_t value;         /* of it, or the offset in bytes */
    int64_t element_bytes; /* of what the storage's offset counts */
} KernelArgument;

typedef enum KernelKind { KERNEL_MAP, KERNEL_ROWS, KERNEL_PRODUCT } KernelKind;

typedef struct FusedKernel {
    const char *name;
    KernelKind kind;
    int num_nodes, *nodes; /* of the trace */
    int num_roots, *roots;
    const char *text, *types, *signature; /* types: of the arguments, without the tile */
    Tile tile;
    int num_warps;  /* 0: as many as usual */
    bool is_single; /* of rows: the tile holds one */
    int num_arguments;
    KernelArgument *arguments;
    const Space *space; /* its loops; those before `outer` number rows */
    int outer;
    struct FusedKernel *loose; /* text, types and tile for sizes of all kinds; NULL: it is so */
    int64_t programs;          /* of what is launched */
    tern_kernel *kernel;
} FusedKernel;

typedef struct Writer {
    Build *build;
    Arena *arena;
    Buf text;
    const char *indent;
    KernelKind kind;
    Space space; /* loops as they are emitted: ordered and merged */
    int outer;   /* loops before those of a row, or of a product's depth */
    Tile tile;
    int num_warps;
    bool is_loose;              /* see FusedKernel */
    Form form;                  /* tile, flags */
    int8_t axes[MAX_VALUES];    /* of the tile, that a value has: AXIS_.. */
    int16_t firsts[MAX_VALUES]; /* of a sum: the reduction that it is found together with, or -1 */
    const char *load_policy, *store_policy; /* of elements of rows; NULL: none */
    bool is_done[MAX_VALUES];               /* its line is written */
    bool *is_named;                         /* nodes whose comment is written */
    const char *note;                       /* that was written last */
    VEC(KernelArgument) arguments;
    Map names;
} Writer;
enum { AXIS_COL = 1, AXIS_ROW = 2, AXIS_DEPTH_A = 4, AXIS_DEPTH_B = 8 };

/* kernel.c; nodes: those that it computes, in the order of the program */
FusedKernel *write_kernel(Build *build, const char *name);
int64_t kernel_programs(const FusedKernel *kernel, Tile tile);
/* Names of what it loads and stores, and of values. */
void name_all(Writer *writer);
void find_aliases(Writer *writer); /* before that */
void write_line(Writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *unique_name(Writer *writer, const char *base);
/* Lines for the numbers that a value's formula cannot have in it. */
void write_numbers(Writer *writer, int value);
/* The lines of a value, once: its comment, what its node is. */
void write_value(Writer *writer, int value);
/* Ends the line of a value, which began at `start`, with the op of the program that it is of. */
void end_line(Writer *writer, size_t start, const Value *value);
void write_note(Writer *writer, const Value *value);
void write_store(Writer *writer, int store);
/* An operand's name, or its number, in the type that a formula takes. */
const char *value_text(Writer *writer, int value, tern_dtype type);
void write_formula(Writer *writer, const Value *value);
bool has_term(const Writer *writer, int access, int loop);
bool value_is_of_row(const Build *build, const Value *value);
/* Finds reductions that go together; how often a row is then read, if not in one tile. */
int rows_count_turns(Writer *writer);
void write_rows(Writer *writer);
void write_product(Writer *writer);

/* ---- plans ---- */

/* A kernel, or a node that is run as an eager op. */
typedef struct Step {
    int node;
    FusedKernel *kernel;         /* NULL: the node */
    int num_storages, *storages; /* that it reads or writes */
} Step;

typedef struct NodeState {
    bool is_stored, is_alone, is_wanted, is_absorbed; /* the latter: see product */
    Why why;
    int storages[RUN_OPERANDS], out; /* of the trace; -1: no tensor */
    /* Of a product: a tile of product.c, PRODUCT_BY_LIBRARY; the latter also of a sum as below. Of
     * other nodes 0. */
    int way;
    /* Of a sum with a bias that the library adds: 1 + the product's node, which is absorbed, the
     * operand that is the bias; storages are then the product's operands and the bias. */
    int product, bias;
} NodeState;

/* Kernels of a function by their texts: plans for several shapes share them. */
typedef struct CachedKernel {
    const char *text, *types;
    Tile tile;
    int num_warps;
    bool is_single;
    tern_kernel *kernel;
} CachedKernel;
typedef struct KernelCache {
    VEC(CachedKernel) kernels;
    Arena *arena;
    jmp_buf no_memory;
} KernelCache;

/* Of a function, for one key. */
typedef struct FusePlan {
    Arena *arena; /* of all below; the trace has its own */
    jmp_buf no_memory;
    const char *name; /* the function's */
    int64_t *key;
    int key_length;
    uint64_t last_call;
    Trace *trace;
    int num_in, num_out;
    tern_tensor *outs; /* by value, on the trace's storages */
    int *out_storages;
    bool *is_aligned;    /* arguments: to 16 bytes */
    bool writes_outside; /* to arguments or kept tensors */
    uint64_t apart;      /* results that depend on no argument that requires a gradient */
    NodeState *states;
    const int *ways; /* of nodes that are products, 1 + the way; 0: the usual one */
    int num_ways;
    int num_kernels, num_borrowed; /* the latter: that are launched as others' are compiled */
    int num_calls;
    VEC(Step) steps;
    /* During a call, of each storage: what it is, where it begins, the last step that uses it. */
    Storage **real;
    int64_t *offsets;
    int *last_use;
    struct Replay *replay; /* NULL: there is none yet */
} FusePlan;

/* ---- functions ---- */

enum { MAX_PLANS = 64 };
typedef struct FusedGradient FusedGradient;
struct tern_fused {
    int references; /* the user's, and of calls that are recorded */
    tern_session *session;
    char *name;
    tern_fused_body *body;
    int num_in, num_out;
    void *user;
    FusePlan *plans[MAX_PLANS];
    int num_plans;
    uint64_t num_calls;
    FusePlan *last;
    KernelCache cache;
    FusedGradient *gradients;
};

/* gradient.c: notes a call on the tape. apart: a bit for each result that has no gradient */
tern_status fused_record(tern_fused *function, tern_tensor *const *in, tern_tensor *const *out,
                         uint64_t apart);
void fused_gradients_free(FusedGradient *gradient); /* NULL is allowed */

/* A plan with these ways (as the plan's), compiled; it is the caller's. */
tern_status fused_plan_new(tern_fused *function, tern_tensor *const *in, const int64_t *key,
                           int length, const int *ways, int num_ways, FusePlan **made);
void fused_plan_free(FusePlan *plan);
tern_status fused_plan_call(FusePlan *plan, tern_tensor *const *in, tern_tensor **out);
/* tune.c: another plan of the same, with the fastest ways of its products; that one is freed. */
tern_status fuse_tune(tern_fused *function, tern_tensor *const *in, FusePlan **plan);
/* Fills in the steps. */
tern_status fuse_plan(FusePlan *plan);
/* run.c */
/* borrows: those of other shapes will do for a start. */
tern_status compile_kernels(FusePlan *plan, KernelCache *cache, bool borrows);
tern_status fuse_run(FusePlan *plan);
/* Of a kernel, with the storages of the call. */
void fuse_arguments(const FusePlan *plan, const FusedKernel *kernel, tern_argument *arguments);

/* replay.c: false: the steps are launched one by one; else each is added, and all are run. */
typedef struct Replay Replay;
bool replay_begin(FusePlan *plan);
void replay_add(FusePlan *plan, int step);
tern_status replay_launch(FusePlan *plan, tern_stream *stream, int count); /* the first ones */
tern_status replay_run(FusePlan *plan);
void replay_free(Replay *replay); /* NULL is allowed */

const char *storage_name(const FusePlan *plan, int storage);
const char *why_words(Why why);
void fuse_print_source(const FusePlan *plan, Buf *text);
void fuse_print_plan(const FusePlan *plan, Buf *text);

#endif
