// SPDX-License-Identifier: Apache-2.0
/* lower: what the files of the kernel half share. Nothing outside lang includes this.
 *
 * A jit function is specialised by walking its AST once with an environment of Objects. What is
 * known at compile time is computed; what is not becomes ops at the builder. Calls between jit
 * functions are inlined: each has a Frame. */
#ifndef TERN_LOWER_H
#define TERN_LOWER_H

#include "lang/builtin.h"

enum {
    MAX_CALL_DEPTH = 96, /* inlined calls inside calls: a compile-time recursion stops here */
    MAX_STEPS = 1000000, /* expressions and statements visited in one compilation */
    MAX_OPS = 400000,    /* values made in one compilation */
    MAX_NESTING = 1500,  /* expressions inside expressions, calls included: the C stack */
    MAX_REGIONS = MAX_DEPTH - 4, /* run-time ifs and loops inside each other */
    MAX_ITEMS = 1 << 16,         /* of a tuple or characters of a string that a kernel makes */
    MAX_FLAT = 4096,             /* tensors in one tuple, as flattened for a loop or an if */
};

typedef struct Binding {
    Str name;
    Object *value; /* NULL: gone, `span` says where it was last assigned */
    Span span;
    bool is_index; /* of a run-time loop */
} Binding;

typedef struct Env {
    int count, capacity;
    Binding *data;
} Env;

typedef struct Frame Frame;
struct Frame {
    const FunctionObject *function;
    Module *module;
    Env env;
    bool returned;
    Object *result; /* NULL: fell off the end */
    Span result_span;
    int loops;      /* run-time loops open in this frame */
    bool in_region; /* a combine function: no memory, no program ids */
    bool is_std;
    bool is_plain;        /* a method that Python would run: numbers stay numbers */
    Object *instance;     /* of an aggregate, which this __init__ fills; or NULL */
    const char *std_name; /* of the builtin that a std frame implements */
    Frame *caller;
    Span call_span;
    int depth;
};

struct Lower {
    Arena *arena;
    Module *module;
    Diag *diag;
    Func *fn; /* NULL: host code, no IR can be made */
    Builder builder;
    const LowerOptions *options;
    Frame *frame;
    Map std_modules;   /* file name -> Module * */
    Map missing;       /* modules that were not found and of which that was said */
    const Object *map; /* in map_elementwise: a tile of the shape in which all lanes are; or NULL */
    int64_t steps;
    int depth, regions; /* of expressions and of regions being walked */
    bool stopped;       /* a limit was reached: everything is poison from here */
    int caret;          /* of the operator at work, or -1 */
};

/* ---- diagnostics: place, words, then notes with the calls around; poison is returned ---- */

Object *lower_error(Lower *l, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Object *lower_refused(Lower *l, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lower_warning(Lower *l, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lower_help(Lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lower_note(Lower *l, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool lower_step(Lower *l, Span span); /* false: the budget is spent (the error was made) */
const char *lower_shape_text(Lower *l, int rank, const int *shape); /* "[64, 32]" */
const char *lower_type_text(Lower *l,
                            const Object *object); /* "fp32", "tensor fp32[64, 32]", "int" */
const char *ltype_text(Lower *l, LType type);

/* ---- builtin_map.c ---- */

/* In map_elementwise: tensors that are the same in all lanes, as tiles; tuples item by item. */
Object *map_widen(Lower *l, Object *value);
/* False after a diagnostic: what the function does with a tile is not what it does with a lane. */
bool map_allows(Lower *l, const Builtin *builtin, Span span);

/* ---- suggest.c: help lines after a name that is not there ---- */

void suggest_in_module(Lower *l, Str path, Str name);
void suggest_member(Lower *l, Str name); /* of a tensor */
void suggest_name(Lower *l, Str name);
/* The complaint about an opaque value that a kernel needs; poison. Of a module that was not found
 * only the first use is complained of. */
Object *lower_unknown(Lower *l, const Object *unknown, Span span);

/* ---- lower.c: names ---- */

Object *env_get(const Env *env, Str name); /* NULL when absent */
void env_set(Lower *l, Env *env, Str name, Object *value, Span span);
Env env_copy(Lower *l, const Env *env);
Binding *env_find(const Env *env, Str name);

/* ---- lower_param.c ---- */

bool lower_parameters(Lower *l, const JitFunction *function, const Spec *specs);

/* ---- lower_expr.c ---- */

Object *lower_expr(Lower *l, const Expr *expr);
Object *lower_attribute(Lower *l, Object *value, Str name, Span span);
Object *lower_target_value(Lower *l, Object *value, Span span); /* what a plain assignment stores */
bool lower_condition(Lower *l, Object *condition, Span span, bool *truth, Value **runtime);

/* ---- lower_stmt.c, lower_control.c ---- */

typedef struct Cont Cont; /* what is left to run in this frame */
struct Cont {
    const Block *block;
    int index;
    const Stmt
        *loop; /* or the next turn of a static_range loop: its target is set to `next_value` */
    int128 next_value, stop, step;
    Cont *next;
};
void lower_run(Lower *l, Cont *cont);
void lower_body(Lower *l, const Block *block); /* a block with nothing after it */
void lower_assign(Lower *l, const Expr *target, Object *value, Span span);
void lower_if(Lower *l, const Stmt *stmt, Value *condition);
void lower_if_returning(Lower *l, const Stmt *stmt, Value *condition, Cont *rest);
void lower_for(Lower *l, const Stmt *stmt, Object *range);
void lower_while(Lower *l, const Stmt *stmt);
Object *lower_ternary(Lower *l, const Expr *expr, Value *condition);
typedef struct Names {
    int count, capacity;
    Str *data;
} Names;
void names_assigned(Lower *l, const Block *block, Names *names);
void names_poison(Lower *l, const Names *names, Span span);

/* ---- lower_value.c: tensors inside a value, in order ---- */
typedef struct Flat {
    int count;
    Value **values;
} Flat;
bool holds_tensor(const Object *object);
bool holds_error(const Object *object);
bool same_values(const Object *a, const Object *b); /* no tensor in them differs */
bool flatten(Lower *l, const Object *object, Flat *flat);
Object *unflatten(Lower *l, const Object *like, Value *const *values, int *next);
/* Same structure, types and compile-time leaves? */
bool same_shape_of_value(const Object *a, const Object *b);

/* ---- lower_call.c ---- */

Object *lower_call(Lower *l, const Expr *expr);
Object *lower_call_object(Lower *l, Object *callee, int num_args, Object *const *args,
                          const Str *names, const Span *spans, Span span, const Expr *expr);

/* ---- semantic_*.c: the language's meaning of operations on tensors ---- */

static inline bool is_tensor(const Object *object) { return object->kind == OBJECT_TENSOR; }
static inline bool is_error(const Object *object) { return object->kind == OBJECT_ERROR; }
static inline bool is_none(const Object *object) { return object->kind == OBJECT_NONE; }
static inline bool is_block(const Object *object) {
    return is_tensor(object) && type_is_tile(object->value->type);
}
static inline bool is_pointer(const Object *object) {
    return is_tensor(object) && object->ltype.levels > 0;
}
static inline LType ltype_of(DType dtype) { return (LType){dtype, 0, false}; }
static inline bool ltype_is_int(LType t) { return !t.levels && dtype_is_int(t.dtype); }
static inline bool ltype_is_signed(LType t) { return !t.levels && dtype_is_signed(t.dtype); }
static inline bool ltype_is_float(LType t) { return !t.levels && dtype_is_float(t.dtype); }
static inline bool ltype_is_fp8(LType t) { return ltype_is_float(t) && dtype_bits(t.dtype) == 8; }
static inline bool ltype_is(LType t, DType dtype) { return !t.levels && t.dtype == dtype; }
static inline bool ltype_same(LType a, LType b) {
    return a.dtype == b.dtype && a.levels == b.levels;
}
LType ltype_element(LType pointer);
int ltype_bits(LType type); /* as Triton's primitive_bitwidth; pointers 64 */
const Type *lane_type(Lower *l, LType type);

Object *tensor_new(Lower *l, Value *value, LType type);
Object *tensor_like(Lower *l, const Object *like, Value *value); /* same ltype */
int tensor_rank(const Object *tensor);
const int *tensor_shape(const Object *tensor);
bool tensor_same_shape(const Object *a, const Object *b);

/* types */
Object *constant(Lower *l, const Object *number, LType type, Span span);
Object *to_tensor(Lower *l, Object *value, Span span); /* numbers become tensors; else an error */
Object *cast(Lower *l, Object *tensor, LType type, Span span);
Object *cast_rounding(Lower *l, Object *tensor, LType type, int rounding, Span span);
Object *bitcast(Lower *l, Object *tensor, LType type, Span span);
bool integer_promote(LType a, LType b, LType *out);
enum { ALLOW_POINTER_A = 1, ALLOW_POINTER_B = 2, NO_ARITHMETIC = 4, DIV_OR_MOD = 8 };
/* Both to one type (unless a pointer is allowed) and one shape. */
bool coerce_pair(Lower *l, Object **a, Object **b, int flags, Span span);

/* shapes */
bool broadcast_pair(Lower *l, Object **a, Object **b, Span span);
Object *broadcast_to_shape(Lower *l, Object *tensor, int rank, const int *shape, Span span);
bool tile_fits(Lower *l, int rank, const int *shape, Span span);
Object *splat_to(Lower *l, Object *scalar, int rank, const int *shape);
Object *reshape(Lower *l, Object *tensor, int rank, const int *shape, Span span);
Object *expand_dims(Lower *l, Object *tensor, int axis);
bool shape_argument(Lower *l, Object *value, int *rank, int *shape, Span span, const char *what);
bool axis_argument(Lower *l, Object *value, int rank, int *axis, Span span);
Object *subscript_tensor(Lower *l, Object *tensor, Object *index, Span span);
Object *shape_object(Lower *l, int rank, const int *shape);

/* operators */
Object *binary(Lower *l, Operator op, Object *a, Object *b, Span span);
Object *compare(Lower *l, Operator op, Object *a, Object *b, Span span);
Object *unary(Lower *l, Operator op, Object *a, Span span);
Object *logical_not(Lower *l, Object *a, Span span);
Object *logical(Lower *l, bool is_and, Object *a, Object *b, Span span);
Object *where(Lower *l, Object *condition, Object *a, Object *b, Span span);

/* memory */
typedef struct MemoryOptions {
    int cache, evict;
    bool is_volatile;
    bool ends; /* of a tensor descriptor: the mask ends rows */
} MemoryOptions;
Object *load(Lower *l, Object *pointer, Object *mask, Object *other, MemoryOptions options,
             Span span);
Object *store(Lower *l, Object *pointer, Object *value, Object *mask, MemoryOptions options,
              Span span);
Object *atomic(Lower *l, const char *what, Object *pointer, Object *value, Object *mask, int sem,
               int scope, Span span);

/* arguments of builtins */
enum { WHOLE_CALL = -1 }; /* what fails is no argument, but all of it */
Object *call_fail(Lower *l, const Call *call, int arg, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool arg_int(Lower *l, const Call *call, int arg, int64_t *number);
bool arg_bool(Lower *l, const Call *call, int arg, bool *value);
bool arg_text(Lower *l, const Call *call, int arg, Str *text); /* None is empty */
bool arg_type(Lower *l, const Call *call, int arg, LType *type);
Object *arg_tensor(Lower *l, const Call *call,
                   int arg); /* numbers become tensors; NULL after an error */
Object *arg_mask(Lower *l, const Call *call, int arg); /* of truth values; likewise */
/* tl.load and tl.store of a block pointer. */
Object *block_pointer_load(Lower *l, const Call *call, MemoryOptions options);
Object *block_pointer_store(Lower *l, const Call *call, MemoryOptions options);

#endif
