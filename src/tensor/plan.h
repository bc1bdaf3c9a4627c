// SPDX-License-Identifier: Apache-2.0
/* plan: from an op on tensors to a launch.
 *
 *     op on tensors --space.c--> Space: one nest of loops over all operands
 *                   --Form-----> what a kernel depends on: a few words, the key of compiled plans
 *                   --emit_*.c-> text in the Triton language, and which argument goes where: Slots
 *                   --plan.c---> tern_compile, once a form; tern_launch, each time
 *
 * Sizes and strides are arguments, so that one kernel serves all tensors of a form. What a text
 * computes is a Graph: today an op of a row is a graph of one node; a fuser is one who makes graphs
 * of several, and the texts' loops, loads and stores stay as they are. */
#ifndef TERN_TENSOR_PLAN_H
#define TERN_TENSOR_PLAN_H

#include "tensor/tensor.h"

enum { MAX_INPUTS = 4, MAX_OPERANDS = MAX_INPUTS + 1, SPACE_RANK = TERN_MAX_RANK + 3 };
enum { SPACE_OPERANDS = 24 }; /* of a kernel of several ops */

/* ---- space.c ---- */

/* Loops over elements, the last one innermost; strides of each operand, 0 where it is repeated. */
typedef struct Space {
    int rank, num_operands;
    int64_t sizes[SPACE_RANK];
    int64_t strides[SPACE_OPERANDS][SPACE_RANK];
} Space;

/* PyTorch's rule; false: said. */
bool broadcast(tern_session *session, const tern_tensor *const *tensors, int count, int *rank,
               int64_t *shape);
/* Strides of a tensor seen as one of a larger shape; its sizes fit. */
void broadcast_strides(const tern_tensor *tensor, int rank, const int64_t *shape, int64_t *strides);
/* Those of a pointwise op's result: dense, in the order in which its operands lie. Numbers count as
 * operands of no dimension. */
void result_strides(const tern_tensor *const *tensors, int count, bool has_numbers, int rank,
                    const int64_t *shape, int64_t *strides);
/* Orders loops [first, end) by an operand's strides, the largest first. */
void space_sort(Space *space, int first, int end, int operand);
/* Of loops [first, end), which are the last ones: drops those of size 1, makes one of two that all
 * operands step through evenly; one is left at least. */
void space_merge(Space *space, int first);
int64_t space_count(const Space *space, int first, int end); /* product of the sizes */
bool space_fits_32(const Space *space);

/* ---- what a kernel depends on ---- */

enum { TILE_DIMS = 3 };
typedef enum StrideClass { STRIDE_ANY, STRIDE_0, STRIDE_1 } StrideClass;
enum { OPERAND_IS_NUMBER = 1, OPERAND_IS_ALIGNED = 2 };
enum {
    FORM_WIDE = 1,     /* indices in 64 bits */
    FORM_EVEN = 2,     /* sizes and strides of loops are divisible by 16 */
    FORM_SINGLE = 4,   /* a row fits a tile: no loop over it */
    FORM_TURNED = 8,   /* rows of the space are columns of the tile */
    FORM_REDUCES = 16, /* the result has no place in loops from `outer` on */
};
typedef struct FormOperand {
    uint8_t dtype, flags;
    uint8_t classes; /* StrideClass, 2 bits for each of the tile's dimensions */
} FormOperand;
/* Compared as bytes. */
typedef struct Form {
    uint16_t op;
    uint8_t kind;        /* FormKind */
    uint8_t rank, outer; /* loops; of those the ones that are no tile's, or a row's kept ones */
    uint8_t tile, flags, compute, num_operands;
    FormOperand operands[MAX_OPERANDS]; /* the last one is the result */
} Form;
typedef union FormKey {
    Form form;
    uint64_t words[3];
} FormKey;

typedef enum FormKind { FORM_MAP, FORM_ROWS, FORM_PRODUCT, NUM_FORM_KINDS } FormKind;

typedef struct Tile {
    int rows, cols, depth; /* depth: of products */
} Tile;

/* ---- where arguments come from ---- */

typedef enum SlotKind { SLOT_OPERAND, SLOT_P, SLOT_Q, SLOT_STEP, SLOT_SIZE, SLOT_STRIDE } SlotKind;
typedef struct Slot {
    uint8_t kind, operand, dim;
} Slot;
enum { MAX_SLOTS = MAX_OPERANDS * (SPACE_RANK + 1) + SPACE_RANK + 2 };

typedef struct Plan {
    FormKey key;
    tern_kernel *kernel; /* NULL: a free place of the table */
    int num_slots;
    Slot slots[MAX_SLOTS];
} Plan;

/* The arguments of a launch. */
typedef struct Call {
    Space space;
    tern_operand operands[MAX_OPERANDS];
    double p, q;
    int64_t step; /* TAKE, PUT: of x along the dimension that indices count */
} Call;

PlanTable *plan_table_new(Arena *arena);
void plan_table_free(PlanTable *table);
/* Fills in what follows from the operands: types, alignment, classes of tile_dims, width. */
void form_describe(FormKey *key, const tern_session *session, const Call *call,
                   const int tile_dims[TILE_DIMS]);
tern_status plan_run(tern_session *session, const FormKey *key, const Call *call, int64_t programs);
/* Where its first element is. */
tern_argument tensor_argument(const tern_tensor *tensor);

/* ---- emit.c ---- */

/* A value of a graph is an input, numbered from 0, or a node, numbered on. */
typedef struct Node {
    const char *formula; /* its operands are a, b, c; p, q: attributes; others: names of the text */
    int operands[3], num_operands;
    tern_dtype types[3]; /* in which it takes them */
    tern_dtype compute;  /* of what the formula gives */
    tern_dtype dtype;    /* to which that is rounded */
} Node;
typedef struct Graph {
    int num_inputs;
    const tern_dtype *inputs; /* their types in memory */
    const Node *nodes;
    int num_nodes;
} Graph;

typedef struct Emitter {
    Buf text;
    const Form *form;
    Plan *plan;
    int tile_dims[TILE_DIMS];
    const char *indent;
} Emitter;

const char *triton_type(tern_dtype dtype);    /* "tl.float32" */
const char *signature_type(tern_dtype dtype); /* "fp32" */
/* a value in another type, as PyTorch converts */
void emit_cast(Buf *text, const char *value, tern_dtype from, tern_dtype to);
/* The nodes of a graph, a line each: inputs are named a, b, c; the last node `name`. */
void emit_graph(Emitter *emitter, const Graph *graph, const char *name);
/* A formula's words of one letter become names: names[0] of a, .. Those that are NULL stay. */
void emit_formula(Buf *text, const char *formula, const char *const names[26]);
/* "@triton.jit def .." to the colon; the plan's slots. */
void emit_head(Emitter *emitter, const char *name, bool has_p, bool has_q, const char *constants);
/* "a_ptr + i0 * a_s0 + i1" */
void emit_address(Emitter *emitter, int operand);
bool operand_uses(const Form *form, int operand, int tile_dim);
const char *operand_name(const Form *form, int operand); /* "a" .. "c", "y" */
void emit_line(Emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The signature that tern_compile takes; constants: ",1024,4". */
Str form_signature(Arena *arena, const Form *form, const Plan *plan, const char *constants);
bool formula_names(const char *formula, const char *word);

/* ---- table.c ---- */

typedef enum TypeRule {
    RULE_PROMOTE,
    RULE_FLOAT,
    RULE_ONLY_FLOAT,
    RULE_COMPARE,
    RULE_TRUTH,
    RULE_CLOSE,
    RULE_WHERE,
    RULE_SUM,
    RULE_SAME,
} TypeRule;
typedef enum RowKind {
    ROW_UNARY,
    ROW_UNARY_1,
    ROW_UNARY_2,
    ROW_BINARY,
    ROW_BINARY_2,
    ROW_TERNARY,
    ROW_REDUCE,
    ROW_REDUCE_1,
    ROW_ARG,
    ROW_ALONG,
    ROW_NORM,
    ROW_SCAN,
    ROW_TAKE,
    ROW_PUT,
    ROW_PRODUCT,
} RowKind;
typedef enum Combine {
    COMBINE_NONE,
    COMBINE_SUM,
    COMBINE_PROD,
    COMBINE_MAX,
    COMBINE_MIN,
    COMBINE_ANY,
    COMBINE_ALL,
} Combine;
typedef struct OpRow {
    const char *name;
    RowKind kind;
    TypeRule rule;
    const char *formulas[3]; /* floats, integers, bool */
    Combine combines[2];     /* of rows: passes over them, s and t in later formulas */
    const char *passes[2];
} OpRow;
const OpRow *op_row(int op);
int row_num_operands(const OpRow *row);
/* NULL: not for this type. */
const char *row_formula(const OpRow *row, tern_dtype compute);
tern_dtype compute_type(tern_dtype dtype); /* f16 and bf16: f32 */
/* Functions that formulas name, and those which they name in turn. */
void emit_helpers(Buf *text, const char *body);

/* ---- map.c, rows.c, product.c: how a form becomes a text, and how it is cut ---- */
Tile map_tile(const Form *form);
void emit_map(Emitter *emitter);
Tile rows_tile(const Form *form);
void emit_rows(Emitter *emitter);
Tile product_tile(const Form *form);
void emit_product(Emitter *emitter);

/* ---- index.c ---- */
/* PyTorch has two ways to select, with words of their own. */
typedef enum IndexKind {
    OF_GATHER,
    OF_SELECT,
    OF_SELECT_ALONG,
    OF_EMBEDDING,
    OF_CLASS,
} IndexKind;
typedef struct IndexRule {
    IndexKind kind;
    int dim;
    int64_t size, ignored; /* the latter, OF_CLASS: a class of no row that counts */
} IndexRule;
/* Are all indices in 0 .. size - 1? False: said. While ops are traced: it is noted. */
bool check_bounds(tern_tensor *index, const IndexRule *rule);

/* That is looked at when the trace runs. False: it cannot be, which is said. */
bool trace_check_index(Trace *trace, const tern_tensor *index, const IndexRule *rule);

/* ---- sort_device.c ---- */
bool sort_can(const tern_tensor *x);
/* The places of the first `kept` elements in order, equals as they stand. NULL: said. */
tern_tensor *sort_order(const tern_tensor *x, int dim, int64_t kept, bool descends);

/* ---- runs of each kind ---- */
typedef struct RowCall {
    tern_session *session;
    int op;
    const tern_tensor *x, *weight, *bias; /* NULL: none */
    bool in_row[TERN_MAX_RANK];           /* which dimensions of x a row runs over */
    bool keeps;                           /* the result has x's shape */
    tern_dtype compute;
    double p;
} RowCall;
tern_status rows_run(const RowCall *row_call, tern_tensor *out);
/* split.c: of few long rows, by several launches. False: they are not, or not of such an op. */
bool rows_split(const RowCall *whole, tern_tensor *out, tern_status *status);
/* y[.., m, n] = sum over k of a[.., m, k] * b[.., k, n]; a and b have y's batches, or strides 0. */
tern_status product_run(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                        tern_tensor *y);
/* stream NULL: the session's */
tern_status product_run_way(tern_session *session, tern_stream *stream, const tern_tensor *a,
                            const tern_tensor *b, tern_tensor *y, int way);
/* Ways to do a product: tiles of product.c, the usual one first, and a library's. */
enum { PRODUCT_BY_LIBRARY = 100, MOST_WAYS = 8 };
int product_usual_way(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                      const tern_tensor *y);
int product_tiles(tern_session *session, const tern_tensor *y, int ways[MOST_WAYS]);
int product_warps(const Form *form); /* 0: as many as tern thinks right */

/* ---- tune.c ---- */
/* The usual way first. */
int ways_of(tern_session *session, const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
            int ways[MOST_WAYS]);
/* "matmul float32 [64, 64] [64, 64]T" */
void tuned_key(const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
               char key[TUNED_KEY]);
/* Is y as near to `first` as a sum in another order may be? apart: how far it is. */
bool tuned_is_right(tern_session *session, tern_tensor *y, tern_tensor *first, double *apart);
/* Which of these ways is the fastest: the one that is remembered or kept for the key, else the one
 * that wins a race, which is then kept. Of the options user, ready and run are used. */
int tuned_way(tern_session *session, const char *key, const int *ways, int count,
              const tern_tune_options *of);
int tune_product(tern_session *session, const tern_tensor *a, const tern_tensor *b, tern_tensor *y);

/* ---- blas.c ---- */
const char *blas_name(tern_session *session); /* NULL: there is none */
bool blas_can(tern_session *session, const tern_tensor *a, const tern_tensor *b,
              const tern_tensor *y);
tern_status blas_run(tern_session *session, tern_stream *stream, const tern_tensor *a,
                     const tern_tensor *b, tern_tensor *y);
/* y = a @ b + bias, a row that is added to all, rounded once: on cuda, by cuBLASLt. */
bool blas_can_add(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                  const tern_tensor *bias, const tern_tensor *y);
tern_status blas_run_add(tern_session *session, tern_stream *stream, const tern_tensor *a,
                         const tern_tensor *b, const tern_tensor *bias, tern_tensor *y);
void blas_free(Blas *blas); /* NULL is allowed */
/* What kernels of several ops share with these: tiles, and lines of texts. */
int map_choose_tile(const Space *space);
int64_t map_count_programs(const Space *space, Tile tile);
void map_write_indices(Buf *text, int rank, bool is_wide);
/* main: the operand that the rows are of */
void rows_choose_shape(Form *form, const Space *space, int main);
const char *combine_neutral(Combine combine, tern_dtype dtype);
const char *combine_function(Combine combine);
void product_write_blocks(Buf *text, int m, int n, bool is_wide);

/* Elements of x, seen as of out's shape, `step` times the index further on. */
tern_status take_run(tern_session *session, int op, const tern_tensor *x, const tern_tensor *index,
                     int64_t step, tern_tensor *out);
/* Adds source to out, seen as of the index's shape, `step` times the index further on. */
tern_status put_run(tern_session *session, int op, const tern_tensor *source,
                    const tern_tensor *index, int64_t step, tern_tensor *out);
/* Runs a pointwise graph of one node into out; count operands. */
tern_status map_run(tern_session *session, int op, const tern_operand *operands, int count,
                    tern_dtype compute, double p, double q, tern_tensor *out);

#endif
