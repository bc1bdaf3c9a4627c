// SPDX-License-Identifier: Apache-2.0
/* ir: the tile IR. Typed SSA with structured control flow; one function is one kernel.
 *
 *     func @add(%x: ptr<f32> {divisible = 16}, %n: i32) {
 *       %0 = program_id {axis = 0} : i32
 *       %1 = arange {start = 0, end = 1024} : tile<1024xi32>
 *       ...
 *       store %8, %9, %7
 *       yield
 *     }
 *
 * doc/ir.md describes the text.
 * Each use of a value comes after its definition, in the same region or one around it. So a pass
 * that walks forwards and records replacements has seen every definition before any use; a loop's
 * region arguments are definitions too. Everything is in the function's arena; ops that leave the
 * tree are simply forgotten. */
#ifndef TERN_IR_H
#define TERN_IR_H

#include "base/base.h"
#include "base/diag.h"
#include "base/float.h"
#include "base/source.h"

/* ---- types: interned, so equal types are the same pointer ---- */

typedef enum TypeKind {
#define TYPE_INT(kind, ...)   TYPE_##kind,
#define TYPE_FLOAT(kind, ...) TYPE_##kind,
#include "base/dtypes.def"
    TYPE_PTR,
    TYPE_TILE,
    TYPE_RING,
    NUM_TYPE_KINDS
} TypeKind;

typedef enum TypeClass {
    TYPE_CLASS_INT,
    TYPE_CLASS_FLOAT,
    TYPE_CLASS_PTR,
    TYPE_CLASS_TILE,
    TYPE_CLASS_RING
} TypeClass;

enum {
    MAX_RANK = 32,       /* 20 of two lanes, and more of one; sets of them are 32 bits */
    MAX_LANES = 1 << 20, /* Triton's limit on the elements of one tile */
    MAX_DEPTH = 64,      /* of regions in regions; the parser and the verifier refuse more */
    MAX_PARTS = 8,       /* of a ring */
    MAX_STAGES = 64,
    MAX_ROWS = 64, /* that are put by (stow) */
};

typedef struct Place Place; /* layout.h */
typedef struct Layout Layout;
typedef struct Swizzle Swizzle;
typedef struct Type Type;
struct Type {
    TypeKind kind;
    const Type *elem;    /* of a pointer: what it points to; of a tile: type of a lane */
    int rank;            /* of a tile, at least 1; else 0 */
    int shape[MAX_RANK]; /* the verifier requires powers of two */
    int lanes;           /* product of shape; 1 for scalars */
    const Place *place;  /* of a tile in placed form: where it lies; else NULL */
    int num_parts;       /* of a ring: the tiles of one turn */
    const Type *const *parts;
};

typedef struct TypeTable TypeTable;
TypeTable *types_new(Arena *arena);
const Type *type_scalar(TypeKind kind); /* not TYPE_PTR, TYPE_TILE */
const Type *type_ptr(TypeTable *types, const Type *elem);
const Type *type_tile(TypeTable *types, const Type *elem, int rank,
                      const int *shape);                                          /* rank 0: elem */
const Type *type_ring(TypeTable *types, int num_parts, const Type *const *parts); /* tiles */
/* The same tile elsewhere; place NULL: nowhere. A scalar has no place and stays as it is. */
const Type *type_placed(TypeTable *types, const Type *type, const Place *place);
const Place *place_registers(TypeTable *types, const Layout *layout);
const Place *place_shared(TypeTable *types, const Swizzle *swizzle);
const Place *place_at(const TypeTable *types, int number); /* NULL past the last */
/* Of a tile in registers; NULL of a scalar, which every thread holds. */
const Layout *type_layout(const Type *type);
const Type *type_with_elem(TypeTable *types, const Type *like,
                           const Type *elem); /* same shape and place */
bool type_is_tile(const Type *type);
const Type *type_lane(const Type *type); /* elem of a tile, else the type itself */
bool type_is_int(const Type *type);      /* these look at the lane */
bool type_is_float(const Type *type);
bool type_is_ptr(const Type *type);
bool type_is_bool(const Type *type);
int type_bits(const Type *type);                        /* of a lane; pointers 64 */
int type_size_bytes(const Type *type);                  /* of a lane in memory; i1 takes 1 */
bool float_holds(const Type *wide, const Type *narrow); /* each number of narrow is one of wide */
bool type_same_shape(const Type *a, const Type *b);
void type_print(Buf *out, const Type *type); /* tile<64x32xf32, #5>, ptr<f32>, i32 */
Str type_str(Arena *arena, const Type *type);

/* ---- ops ---- */

typedef enum OpKind {
#define OP(kind, ...) OP_##kind,
#include "ir/ops.def"
    NUM_OP_KINDS
} OpKind;

typedef enum AttrKind {
    ATTR_NONE,
    ATTR_INT,
    ATTR_OPT_INT, /* an int that is 0 unless written */
    ATTR_BITS,    /* of a constant: printed by the type */
    ATTR_INTS,
    ATTR_TEXT,
    /* enumerated: words in enums.def */
    ATTR_ICMP,
    ATTR_FCMP,
    ATTR_ROUNDING,
    ATTR_CACHE,
    ATTR_EVICT,
    ATTR_RMW,
    ATTR_SEM,
    ATTR_SCOPE,
    ATTR_PRECISION,
    ATTR_UNIT,
    ATTR_SPACE,
    ATTR_SHUFFLE,
    ATTR_VOTE,
    ATTR_HINT,
    NUM_ATTR_KINDS
} AttrKind;

/* ICMP_EQ, ROUND_RTZ, RMW_ADD ..: one enum for each attribute kind, counted from 0. */
#define WORDS(kind)          enum {
#define WORD(constant, text) constant,
#define WORDS_END                                                                                  \
    }                                                                                              \
    ;
#include "ir/enums.def"
#undef WORDS
#undef WORD
#undef WORDS_END

typedef enum TypeRule {
    RULE_NONE,
    RULE_ANY,
    RULE_CONSTANT,
    RULE_ARANGE,
    RULE_I32,
    RULE_ALLOC,
    RULE_WARP,
    RULE_PRINTF,
    RULE_CALL,
    RULE_SPLAT,
    RULE_BROADCAST,
    RULE_EXPAND_DIMS,
    RULE_RESHAPE,
    RULE_TRANS,
    RULE_CONVERT,
    RULE_JOIN,
    RULE_SPLIT,
    RULE_GATHER,
    RULE_INT1,
    RULE_INT2,
    RULE_COMPARE,
    RULE_FLOAT1,
    RULE_FLOAT2,
    RULE_FLOAT3,
    RULE_MATH1,
    RULE_SELECT,
    RULE_INT_WIDEN,
    RULE_INT_NARROW,
    RULE_FLOAT_WIDEN,
    RULE_FLOAT_NARROW,
    RULE_INT_TO_FLOAT,
    RULE_FLOAT_TO_INT,
    RULE_BITCAST,
    RULE_ADDPTR,
    RULE_LOAD,
    RULE_STORE,
    RULE_ATOMIC_RMW,
    RULE_ATOMIC_CAS,
    RULE_REDUCE,
    RULE_SCAN,
    RULE_MEET,
    RULE_STOW,
    RULE_FETCH,
    RULE_HISTOGRAM,
    RULE_DOT,
    RULE_SAME1,
    RULE_RING,
    RULE_TURN,
    RULE_FILL,
    RULE_PUT,
    RULE_PEEK,
    RULE_IF,
    RULE_FOR,
    RULE_WHILE,
} TypeRule;

enum { /* traits */
       NONE = 0,
       PURE = 1,
       ELEMENTWISE = 2,
       COMMUTES = 4,
       READS = 8,
       WRITES = 16,
       TERMINATOR = 32,
       ISOLATED = 64,
};

/* How a machine with registers of 32 and 64 bits computes a row INT of ops.def on lanes that are
 * narrower than a register, whose upper bits are anything. */
typedef enum IntForm {
    FORM_LOW,      /* low bits of operands give low bits of the result */
    FORM_UNSIGNED, /* zero-extend first */
    FORM_SIGNED,   /* sign-extend first */
    FORM_HIGH_U,   /* upper half of a product: zero-extend, multiply, shift */
    FORM_HIGH_S,   /* likewise, signed */
    FORM_COUNT,    /* zero-extend; the result has 32 bits */
    FORM_SHIFT,    /* the amount has 32 bits */
    FORM_DIVIDE,   /* needs care where the divisor is 0 or -1 */
} IntForm;

enum { MAX_ATTRS = 6 };

typedef struct AttrInfo {
    const char *name;
    AttrKind kind;
} AttrInfo;

typedef struct OpInfo {
    const char *name;                  /* "addptr" */
    int least_operands, most_operands; /* most: -1 is any */
    int num_results, num_regions;      /* results: -1 is any */
    TypeRule rule;
    int traits;
    const char *meaning;
    AttrInfo attrs[MAX_ATTRS];
} OpInfo;

extern const OpInfo op_infos[NUM_OP_KINDS]; /* indexed by OpKind */

typedef struct Ints {
    int count;
    const int64_t *data;
} Ints;

typedef union Attr {
    int64_t i;
    uint64_t bits; /* of a constant: the lane's bits, zero-extended */
    Str text;
    Ints ints;
} Attr;

typedef struct Op Op;
typedef struct Region Region;
typedef struct Value Value;

struct Value {
    const Type *type;
    Op *def;         /* NULL for an argument of a region */
    Region *region;  /* for an argument: whose it is; else NULL */
    int index;       /* which result or argument */
    int id;          /* unique within the function; small, for side tables */
    Str name;        /* from the source, for people; may be empty */
    Value *replaced; /* by a pass that walks forwards; see value_resolve */
};

/* Of an op through scratch in shared memory: where it begins, and whether the block waits first. */
typedef struct Trip {
    int offset;
    bool wait;
    bool by_warps; /* each warp waits for itself alone, there and behind what it writes (nest.c) */
} Trip;

struct Op {
    OpKind kind;
    Span span;
    Region *parent;
    Op *prev, *next;
    int num_operands, num_results, num_regions;
    Value **operands;
    Value *results; /* array */
    Region **regions;
    Attr attrs[MAX_ATTRS]; /* in the order of ops.def; fields.h has them by name */
    /* Of placed form, by the pass `fence`: */
    bool barrier; /* of an access: the block's threads wait for each other before it */
    int num_trips;
    Trip *trips;
};

/* The ops of one structured block; ends with a yield. */
struct Region {
    Op *owner; /* NULL: the function's body */
    Op *first, *last;
    int num_args;
    Value **args;
};

typedef struct Param {
    Value *value;     /* argument of the body; parameters that are constants are not here */
    Str name;         /* as in the source */
    int source_index; /* place in the source's parameter list, constants counted */
    bool is_symbol;   /* memory of the module with this name: no argument; behind those that are */
    bool is_unsigned; /* of an int or of what a pointer points to, as the language typed it */
    int divisible; /* 16, 8 ..: promised by the signature; 1: nothing known. Pointers: in bytes */
} Param;

/* Program form: what the front end writes, the whole tile of a program; tiles have no place. Placed
 * form: written by the pass `place` for one GPU; each tile has one. Thread form: what one thread of
 * a block does; there are no tiles, a program is a block. Spread form: what the pass `spread` makes
 * of it; as program form, with a lane for each thread of the block, and with memory of the
 * program. */
typedef enum FuncForm { FORM_PROGRAM, FORM_PLACED, FORM_THREAD, FORM_SPREAD } FuncForm;

enum {
    MAX_BLOCK_THREADS = 1024,
    MAX_WIDE_LANES = 16,       /* of bytes that a thread loads or stores at once */
    MAX_ALLOC_BYTES = 1 << 24, /* what sim takes; a GPU has less */
};

typedef struct Func {
    Arena *arena;
    TypeTable *types;
    Str name;
    Span span;
    Region *body;
    int num_params;
    Param *params;
    int num_values;            /* ids are below this */
    int num_warps, num_stages; /* as the launch options say */
    FuncForm form;
    int shares;    /* so many blocks of what it holds have room (pass pieces); 0: nothing is said */
    bool overlaps; /* parameters may be the same memory: a launch said so */
    Str target;    /* of placed form: "sm_90a" */
    int block[3];  /* of thread and spread form: threads along x, y, z */
} Func;

/* ---- building ---- */

Func *func_new(Arena *arena, TypeTable *types, Str name);
Value *func_add_param(Func *fn, const Type *type, Str name, int source_index);
Region *region_new(Func *fn);
Value *region_add_arg(Func *fn, Region *region, const Type *type);

/* Where new ops go: at the end of region, or before `before`. */
typedef struct Builder {
    Func *fn;
    Region *region;
    Op *before; /* NULL: at the end */
    Span span;  /* given to new ops */
} Builder;

/* The generic constructor; operands, result types and regions are copied. The specific ones below
 * infer the result type from the op's rule. */
Op *build_op(Builder *b, OpKind kind, int num_operands, Value *const *operands, int num_results,
             const Type *const *result_types, int num_regions, Region *const *regions);
Value *build_int(Builder *b, const Type *type, int64_t value);  /* wraps to the type's width */
Value *build_float(Builder *b, const Type *type, double value); /* rounds to nearest even */
Value *build_constant_bits(Builder *b, const Type *type, uint64_t bits);
Value *build_1(Builder *b, OpKind kind, Value *a);           /* result type of a */
Value *build_2(Builder *b, OpKind kind, Value *a, Value *c); /* result type of a */
Value *build_3(Builder *b, OpKind kind, Value *a, Value *c, Value *d);
Value *build_cast(Builder *b, OpKind kind, Value *a, const Type *lane); /* same shape, new lane */
Value *build_icmp(Builder *b, int predicate, Value *a, Value *c);
Value *build_fcmp(Builder *b, int predicate, Value *a, Value *c);
Value *build_select(Builder *b, Value *condition, Value *a, Value *c);
Value *build_arange(Builder *b, int start, int end);
Value *build_program_id(Builder *b, int axis);
Value *build_num_programs(Builder *b, int axis);
Value *build_splat(Builder *b, Value *scalar, int rank, const int *shape);
Value *build_broadcast(Builder *b, Value *a, const int *shape); /* rank of a; itself if same */
Value *build_expand_dims(Builder *b, Value *a, int axis);
Value *build_reshape(Builder *b, Value *a, int rank, const int *shape);
Value *build_trans(Builder *b, Value *a, const int *order);
Value *build_addptr(Builder *b, Value *pointer, Value *offset);
Value *build_load(Builder *b, Value *pointer, Value *mask, Value *other); /* mask, other: or NULL */
/* Copies what load would give, from there, where mask (or NULL), into that part of a turn. */
Op *build_fill(Builder *b, Value *ring, Value *turn, int part, const Op *load, Value *pointer,
               Value *mask);
Op *build_store(Builder *b, Value *pointer, Value *value, Value *mask);
Op *build_yield(Builder *b, int count, Value *const *values);

/* ---- looking and changing ---- */

static inline Value *op_result(const Op *op) { return &op->results[0]; }
const OpInfo *op_info(OpKind kind);
bool op_has_trait(const Op *op, int trait);
bool op_is_pure(
    const Op *op); /* also looks into the regions of if, for and while (for: that it ends) */
Op *region_yield(const Region *region);
bool value_is_inside(const Value *value, const Region *region); /* made in it, or deeper */
bool region_has(const Region *region, OpKind kind);             /* at any depth */
bool op_is_in_loop(const Op *op);                               /* likewise */
/* Does a `while` end by what it reads? Then another program may be what it waits for. */
bool while_waits(const Op *op);
void op_note_operands(const Op *op, bool *is_read); /* by value id; those of its regions, too */
const Op *op_outermost_loop(const Op *op);          /* NULL: it is in none */
bool op_is_before(const Op *op, const Op *other);   /* in their region, or it is that op */
bool value_is_constant(const Value *value, uint64_t *bits); /* also through splat and broadcast */
bool value_is_zero(const Value *value); /* such; NULL: it is left out, and that is 0 */
bool value_is_int(const Value *value, int64_t *number);     /* a constant int, sign-extended */
double constant_to_double(const Type *type, uint64_t bits); /* lane type, any float */
uint64_t constant_from_double(const Type *type, double value);
int64_t constant_to_int(const Type *type, uint64_t bits); /* sign-extended (i1: 0 or 1) */
bool float_kind_of(const Type *type, FloatKind *kind);    /* of a lane; false: not a float */
const char *attr_word(AttrKind kind, int64_t value);      /* NULL when out of range */
int attr_from_word(AttrKind kind, Str word);              /* -1 when unknown */

void op_remove(Op *op); /* takes it out of its region; no use may be left */
void op_move_before(Op *op, Op *before);
Value *value_resolve(Value *value); /* follows `replaced` to its end */
void op_resolve_operands(Op *op);   /* operands = value_resolve(operand), regions' too */
void func_resolve(Func *fn);        /* all operands in the function */
/* Asks of each op, in order and behind those in its regions, for a value in place of its one result
 * (NULL: it stays). Operands are resolved on the way: all readers come behind. True: some were. */
typedef Value *OpReplace(Op *op, void *user);
bool region_replace(Region *region, OpReplace *replacement, void *user);
Region *region_clone(Func *fn, const Region *region, Map *values); /* values: old -> new */
Op *op_clone(Builder *b, const Op *op, Map *values);
Func *func_copy(const Func *fn); /* its own ops and values */
/* The loop carries `count` more: made anew with these starts; args: what the body has of them. Then
 * what its turns hand on, in the same order. Resolve the function afterwards. */
Op *for_carry_more(Func *fn, Op *loop, int count, Value *const *starts, Value **args);
void for_yield_more(Func *fn, Op *loop, int count, Value *const *values);
void func_renumber(Func *fn); /* value ids dense, in order of definition */

/* Pre-order over all ops, regions included; returns false as soon as visit does. */
bool region_walk(Region *region, bool (*visit)(Op *op, void *user), void *user);

/* ---- text and checking ---- */

void func_print(Buf *out, const Func *fn, bool with_spans);
Str func_label(Arena *arena, const Func *fn,
               const Value *value); /* as func_print names it: %acc.1 */
/* Parses what func_print prints; NULL after diag_error. Text is hostile. */
Func *func_parse(Arena *arena, const Source *source, Diag *diag);
/* Checks structure, dominance and type rules. Returns NULL when fine, else what is wrong; *where is
 * then the op, or NULL when it is the function itself. `where` may be NULL. */
const char *func_verify(Arena *arena, const Func *fn);
const char *func_verify_at(Arena *arena, const Func *fn, const Op **where);

/* ---- meaning ---- */

/* One lane of an ELEMENTWISE op: in[i] are the lane bits of operand i, zero-extended; *out the bits
 * of the result. The one definition of what these ops compute: the interpreter runs it, folding
 * uses it, the other executors are compared with it. Math on f32 is computed in double and rounded
 * once. False: the op is not elementwise. */
bool eval_lane(const Op *op, const uint64_t *in, uint64_t *out);
/* icmp of a and b, which are sa and sb as signed numbers. */
bool icmp_holds(int64_t predicate, uint64_t a, uint64_t b, int64_t sa, int64_t sb);
/* A row INT of ops.def, on lanes of width bits. False: kind is none. */
bool eval_int(OpKind kind, int width, uint64_t a, uint64_t b, uint64_t *out);

#include "ir/fields.h"

#endif
