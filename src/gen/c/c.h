// SPDX-License-Identifier: Apache-2.0
/* c: tile IR -> C text for the CPU, in vectors of W lanes.
 *
 * The ops of a region are walked in order (region.c). Scalar ops become C variables at once. Tile
 * ops wait until a root (store, reduce, dot, end of the region ..) asks for them; roots over one
 * shape that do not depend on each other share a loop nest (nest.c), in which everything they need
 * is computed vector by vector and nothing is written back, except values that later roots read:
 * these go to arrays in the worker's scratch memory. Cheap values (indices, masks, addresses) are
 * computed again where they are needed. */
#ifndef TERN_GEN_C_H
#define TERN_GEN_C_H

#include "gen/target.h"
#include "opt/opt.h"

typedef enum CArch {
#define CPU(kind, ...) C_##kind,
#include "base/cpus.def"
} CArch;
bool c_arch_find(const char *name, CArch *arch); /* "avx2" */

/* ---- prelude.c ---- */
int prelude_width(CArch arch);
void prelude_write(Buf *out, CArch arch, const char *text); /* what `text` mentions */

/* ---- state ---- */

/* Memory of one or more values in scratch; row-major, lanes of one type, i1 as a byte. */
typedef struct Array {
    int id;
    TypeKind lane;
    int64_t offset, bytes;
    bool dedicated;      /* its memory is never given to another array */
    bool held;           /* a variable of the program, so that vectors of it stay in registers */
    int fresh;           /* a C variable: nothing was stored yet, all lanes count as 0; 0: none */
    int to;              /* an array: where a product puts rows of it; 0: there. See early.c */
    VEC(Value *) values; /* that live here */
} Array;

typedef struct View {
    Array *array;
    int64_t offset, strides[MAX_RANK]; /* in lanes */
} View;

typedef struct ValueInfo {
    View *view;    /* where a tile is stored; NULL: not (yet) */
    int walk;      /* stamp of the last walk that saw it */
    bool declared; /* a scalar that has its C variable */
    bool is_read;  /* an argument that loads are from */
    VEC(Op *) users;
    int open_user; /* the one that was asked about last: as long as it is open, no other matters */
} ValueInfo;

typedef struct FreeBlock {
    int64_t offset, bytes;
} FreeBlock;

typedef enum BlockKind { BLOCK_NEST, BLOCK_IF, BLOCK_LOOP } BlockKind;

typedef struct Block {
    BlockKind kind;
    int start, end;
} Block;

/* A product of narrow lanes whose operands lie in arrays of that many slots; see matrix.c. */
typedef struct NarrowDot {
    TypeKind lane;            /* of the operands */
    bool by_tiles;            /* of AMX; else by vectors */
    int batches, M, N, K;     /* K: of one slot */
    int rows, columns;        /* of sums at once: tiles; or rows of that many vectors */
    int group;                /* lanes that fill 32 bits */
    bool has_sums;            /* a's lanes are + 128: b's panels begin with what that adds */
    bool from_zero;           /* there is nothing to add to */
    int fetched_rows;         /* of the next sums, in each step */
    int slots, turn, a, b, c; /* turn: a C variable; a, b, c: arrays */
    int fresh;                /* of the sums' array */
} NarrowDot;

/* A store whose whole rows the last products of a loop have written; see early.c. */
typedef struct Early {
    Op *store;
    const Op *loop;
    int result;        /* of the loop */
    const Array *sums; /* NULL: all is to be stored */
    int rows, homes;   /* arrays of addresses */
} Early;

typedef VEC(Op *) Waiting;

typedef struct Gen {
    Arena *arena;
    Func *fn;
    Diag *diag;
    const Facts *known; /* of fn's values */
    Needs *needs;       /* what each launch is asked; NULL: nothing */
    GenFacts *facts;
    bool debug, bounds;
    CArch arch;
    int W;
    Buf decls;   /* pointers to arrays, at the top of the function */
    Buf asserts; /* their texts */
    int num_asserts;
    Map known_texts;  /* of them -> int *: their numbers */
    VEC(Op *) allocs; /* that are declared at the top of the function */
    Buf *out;         /* of the region that is being written */
    int depth;        /* of its indentation */
    int next_id, walk;
    ValueInfo *values; /* by Value.id */
    Map done;          /* Op * -> non-NULL: its effect or its values are there */
    int64_t scratch_bytes, held_bytes;
    VEC(FreeBlock) free_blocks;
    VEC(Array *) arrays; /* of the regions that are open, innermost last */
    VEC(int) used;       /* of these, in order, whose memory may be given away, but was not yet */
    Waiting pending;     /* roots that will share the next nest */
    Waiting loads;       /* tile loads of this region that nobody has asked for yet */
    bool cuts_nests;     /* that would grow long */
    int num_waiting;     /* elementwise ops since a nest was cut, or fewer */
    int last_line;
    VEC(Block) blocks;   /* of the body's text, in the order of their starts */
    Buf functions;       /* micro-kernels of dot, inline assembly: before the program */
    Map known_functions; /* name -> non-NULL: is in functions */
    bool has_tiles;
    VEC(NarrowDot) gathered; /* of the loops that are open */
    VEC(Early) early;
    /* Rows that come in equal steps: the program after this one will load from `next`. The loop
     * nest after the one that loads fetches it ahead. */
    int num_ahead, ahead_lanes, ahead_size; /* lanes 0: nothing to fetch */
    int64_t stored_bytes; /* by one program in whole vectors, loops counted once */
} Gen;

/* ---- op.c: one op as a C expression over atoms ---- */
const char *kind_code(TypeKind kind);             /* "f32", "ptr" */
const char *vector_type(TypeKind kind);           /* "vf32", "vb" */
const char *scalar_type(TypeKind kind);           /* "float"; f16: "unsigned short"; ptr: "UL" */
const char *unsigned_type(int bits);              /* "unsigned short"; 64: "UL" */
const char *array_type(TypeKind kind);            /* as scalar_type, but i1 is "signed char" */
const char *memory_type(TypeKind kind, bool vec); /* may_alias and unaligned: "m_f32", "u_f32" */
Str constant_text(Gen *g, const Type *lane, uint64_t bits);
Str op_text(Gen *g, const Op *op, bool vec, const Str *x);
Str splat_text(Gen *g, TypeKind kind, Str scalar);
Str identity_text(Gen *g, const Op *op, TypeKind kind); /* of a commutative op; empty: none known */
Str text(Gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void line(Gen *g, Buf *out, int depth, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int new_id(Gen *g);

/* ---- storage.c ---- */
bool is_cheap_kind(const Op *op);
ValueInfo *info(Gen *g, const Value *value);
bool is_cheap(Gen *g, Value *value);
/* Made of arguments and constants alone, by few ops. False where that is not seen. */
bool is_same_in_programs(const Value *value);
bool is_done(Gen *g, const Op *op);
void set_done(Gen *g, Op *op);
int64_t scratch_take(Gen *g, int64_t bytes, bool dedicated); /* its offset */
Array *array_new(Gen *g, const Type *type, bool dedicated);  /* also declares its C pointer */
Array *array_held(Gen *g, const Type *type);                 /* NULL: the tile is not held */
View *view_row_major(Gen *g, Array *array, const Type *type);
bool view_is_row_major(const View *view, const Type *type);
void value_store_in(Gen *g, Value *value, View *view);
void arrays_release(Gen *g, int from); /* those whose values have no user left */
bool array_is_private(Gen *g, const Value *value, const Op *only_user);

/* ---- nest.c ---- */
typedef struct Root {
    Op *op;       /* store, reduce, scan, atomic, print .. */
    Value *value; /* op == NULL: just store this value in `view` */
    View *view;
    bool is_home;       /* the view will be the value's own: other users read it there */
    const Array *rows;  /* where the address of each row goes, of a load that is not stored if the
                          row is whole: there or in `view`; NULL: nowhere, all is stored */
    bool only_rows;     /* that is all: of a store, likewise */
    const Early *early; /* of a store: its whole rows are there already, if the loop had a turn */
} Root;
/* True: roots[0].rows was written. */
bool nest_write(Gen *g, const Root *roots, int num_roots);

/* ---- combine.c: the body of a reduce or scan ---- */
bool region_is_straight(const Region *region);
/* The op if the region is one commutative op of its two arguments, else NULL. */
Op *region_single_op(const Region *region);
void combine_vector(Gen *g, Buf *out, int depth, const Region *region, const Str *left,
                    const Str *right, Str *results);
void combine_scalar(Gen *g, Buf *out, int depth, Region *region, const Str *left, const Str *right,
                    const Str *results);

/* ---- region.c ---- */
void region_write(Gen *g, Region *region);
void region_end(Gen *g, Region *region, int arrays_from);
void flush(Gen *g);
void before_write(Gen *g, const Op *writer);
void take_apart(Gen *g, const Op *from, const Op *to, bool same);
void force(Gen *g, Value *value); /* stores a tile, if it is not stored */
void scalar_op_write(Gen *g, Op *op);
Str scalar_name(Gen *g, const Value *value);
void declare_scalar(Gen *g, Value *value, Str init);
bool are_threads(const Gen *g);       /* the lanes */
View *row_major(Gen *g, Value *tile); /* all lanes in a row: its own view, or a copy's */

/* ---- control.c: if, for, while ---- */
void control_write(Gen *g, Op *op);

/* ---- assembly.c ---- */
void assembly_write(Gen *g, Op *op);

/* ---- product.c ---- */
void dot_write(Gen *g, Op *op);
View *packed(Gen *g, Value *value);
/* The addresses of a tile's rows: in an array, or where a load finds them whole. */
const Array *row_addresses(Gen *g, Value *value);
bool is_new_function(Gen *g, Str name); /* once of each name */
/* Of `left` rows, calls for most_rows or fewer rows that come next, and how many rows. */
int next_calls(int left, int most_rows, int *rows);
int vectors_of(const Gen *g, TypeKind kind, int N); /* of b, that a micro-kernel takes */

/* ---- turned.c ---- */
bool is_turned(Gen *g, const Value *value); /* a tile in another order, not stored */
Value *turned_source(Gen *g, Value *value); /* that tile */
/* Before the text is written: a load whose columns are neighbours in memory. */
void turn_load(Func *fn, const Facts *facts, const Value *value);
/* to[j][i] = from[i][j], of 32 bits; rows and columns are multiples of 16, as are from's. */
void turned_write(Gen *g, Str to, int to_row, Str from, int from_row, int rows, int columns);

/* A product that product.c makes, all of it in vectors. */
bool dot_has_rows(Gen *g, const Op *dot);

/* ---- early.c ---- */
void early_find(Gen *g, const Op *loop);
void early_begin(Gen *g, const Op *loop, int i, Array *sums); /* before the loop */
void early_turn(Gen *g, const Op *loop, Str last);            /* as a turn begins */
const Early *early_of(Gen *g, const Op *store);               /* NULL: all is to be stored */
Str early_remains(Gen *g, const Early *e); /* a condition: row i0 is to be stored */

/* ---- matrix.c ---- */
/* By AMX's tiles: operands as they are, i8 or bf16. */
bool dot_has_tiles(const Op *dot, CArch arch);
/* By VNNI's or AVX512-BF16's products of vectors: likewise, but a's i8 are + 128. */
bool dot_is_narrow(const Op *dot, CArch arch);
void narrow_write(Gen *g, Op *op);
/* Is what the loop carries there 0 at first, and read by a product alone that gathers? Then that
 * begins with the sums, and the array with nothing: `fresh`. */
bool sums_are_fresh(Gen *g, const Op *loop, int i);
/* After a loop: what was gathered in it and is not multiplied yet. */
void gathered_write(Gen *g, int from);

int new_assert(Gen *g, const Op *op); /* its number */
int new_text(Gen *g, Str words);      /* likewise, of a text that may be there already */
int op_line(const Op *op);            /* of the source; 0: not known */

/* ---- inside.c: tests, where they are asked for. mask: a scalar; empty: it is made ---- */
void inside_scalar(Gen *g, const Op *op, Str address, Str mask);
/* Of a statement of `op`, an inline assembly. */
void inside_assembly(Gen *g, Buf *out, const Op *op, Str address, int bytes, const char *what);

/* ---- token.c ---- */
bool c_is_letter(char c);
bool c_is_digit(char c);
/* The end of what starts at `at`: a word, a number, a text in quotes, a comment, or one character.
 */
int c_token_end(Str s, int at);
int c_digits_end(Str word, int at);
/* The C type of a number that may become a variable; NULL: it stays as it is written. */
const char *c_number_type(Str word);

/* ---- roll.c ---- */
/* The body with statements that repeat as loops; g->blocks moves along. is_program: it will be in
 * no function but the program; `before` declares its arrays. */
Str roll(Gen *g, Str before, Str body, bool is_program);

/* The body with what lines compute early where it is read first. */
Str sink(Gen *g, Str body);

/* ---- outline.c ---- */
/* The body with its nests of one text as calls of functions, which go to g->functions. `before`
 * declares what the body reads. */
Str outline(Gen *g, Str before, Str body);

/* ---- widen.c ---- */
void widen_dots(Func *fn, CArch arch);

#endif
