// SPDX-License-Identifier: Apache-2.0
/* object: what a name can stand for while a kernel is specialised: a Python value known at compile
 * time, or a tensor (a scalar or tile of the IR).
 *
 * One evaluator works on these. Inside a jit function it has a Builder; for host code (decorators,
 * module globals, lambdas of heuristics) it has none and a tensor cannot arise. */
#ifndef TERN_OBJECT_H
#define TERN_OBJECT_H

#include "ir/ir.h"
#include "lang/lang.h"

/* The language's types: the IR's with signedness. */
typedef enum DType {
#define DTYPE(name, ...) DTYPE_##name,
#include "base/dtypes.def"
    DTYPE_VOID,
    NUM_DTYPES
} DType;

/* A scalar type, or a pointer to one (levels deep: **fp32 has two), perhaps const. */
typedef struct LType {
    DType dtype;
    int levels;
    bool is_const;
} LType;

typedef enum ObjectKind {
    OBJECT_NONE,
    OBJECT_BOOL,  /* integer 0 or 1 */
    OBJECT_INT,   /* integer, 128 bits; more is an error */
    OBJECT_FLOAT, /* number */
    OBJECT_STR,   /* text */
    OBJECT_DTYPE, /* ltype (also pointer types); block types with rank, shape; text: "torch" of
                     torch's */
    OBJECT_TUPLE,
    OBJECT_LIST,     /* items; a named tuple has `names` too; a set is a list, text "set" */
    OBJECT_DICT,     /* items: key, value, key, value .. */
    OBJECT_FUNCTION, /* a def or lambda: jit function or plain Python, see function->is_jit */
    OBJECT_BUILTIN,  /* tl.load, triton.cdiv, min, len ..: builtin */
    OBJECT_METHOD,   /* builtin or function bound to items[0]: x.sum */
    OBJECT_MODULE,   /* module; or a built-in one (tl, triton, math, libdevice): text is its path */
    OBJECT_CLASS,    /* a host class; named tuple classes have names */
    OBJECT_SLICE,    /* items[0..2], may be NONE */
    OBJECT_ELLIPSIS,
    OBJECT_CONFIG, /* triton.Config(items[0] dict, num_warps ..): items[1] dict of the options */
    OBJECT_OPAQUE, /* host value that we do not know: an error only when its value is needed; text
                      says what it is */
    OBJECT_TENSOR, /* value, ltype: the type of a lane with signedness */
    OBJECT_BLOCK_POINTER, /* make_block_ptr: items (tuples): base, shape, strides, offsets,
                             block_shape, order */
    OBJECT_DESCRIPTOR,    /* make_tensor_descriptor: items: base, shape, strides, block_shape; text:
                             padding */
    OBJECT_RANGE, /* tl.range / static_range / range: items: start, stop, step; text: which; dict of
                     options */
    OBJECT_HOST,  /* of a running script alone (script.h): type */
    OBJECT_ERROR, /* poison: the complaint was made; whatever uses it is silent */
} ObjectKind;

/* Wide enough for what Python code about kernels computes; more is an error, never a wrap. */
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

typedef struct Object Object;
typedef struct Builtin Builtin; /* defined by the lowering: builtins.h */
typedef struct FunctionObject FunctionObject;
typedef struct HostType HostType; /* script.h */

struct Object {
    ObjectKind kind;
    int refs;       /* of a running script's heap: how many hold it; 0: of an arena */
    uint32_t born;  /* likewise: the Watch under which it was made; 0: none */
    bool is_frozen; /* it is inside another container: no more changes, so that sizes stay true */
    int height;     /* of containers inside each other */
    int weight;     /* values in it, however deep, each use counted */
    bool is_constexpr; /* tl.constexpr(..) wrapped it, or it is an annotated constexpr */
    int128 integer;
    double number;
    Str text;
    Str missing; /* OBJECT_OPAQUE: the module that was not found, from which it comes */
    Str global;  /* OBJECT_OPAQUE: the name of the module's that has this value */
    LType ltype;
    int rank; /* block types */
    int shape[MAX_RANK];
    int num_items;
    Object **items;
    Str *names; /* of a named tuple's items, or NULL */
    FunctionObject *function;
    const Builtin *builtin;
    Module *module;
    Map *members; /* of a class: Str -> Object *: its functions; a field that must be constexpr:
                     ELLIPSIS */
    const Object *of_class; /* of an instance of an aggregate: an OBJECT_TUPLE with names */
    Value *value;           /* OBJECT_TENSOR */
    Span span;              /* where it was made, for notes */
    /* Of a running script's heap: */
    const HostType *type; /* OBJECT_HOST */
    void *payload;
    int capacity;         /* of items */
    uint32_t *index;      /* a dict's or set's hash table */
    Object *script_class; /* of a named tuple, or NULL */
    Object *next, *previous;
};

struct FunctionObject {
    const FunctionDef *def;
    Module *module;
    bool is_jit;
    bool is_chosen; /* module_set_global named it: what its decorators made of it is known */
    bool is_constexpr_function; /* @triton.constexpr_function: evaluated at compile time */
    bool is_method;   /* of an aggregate: in a kernel it is inlined also when it is not jit */
    Map *closure;     /* Str -> Object *, for functions nested in functions; or NULL */
    int num_cells;    /* of a running script: the object's items are the cells, then the defaults */
    Object *owner;    /* likewise: the class that it was defined in, or NULL */
    bool is_abstract; /* likewise: @abstractmethod */
    const FunctionDef *documented; /* likewise: functools.wraps: whose text __doc__ is; or NULL */
};

Object *object_new(Arena *arena, ObjectKind kind);
Object *object_none(Arena *arena);
Object *object_bool(Arena *arena, bool value);
Object *object_int(Arena *arena, int128 value);
Object *object_float(Arena *arena, double value);
Object *object_str(Arena *arena, Str text);
Object *object_dtype(Arena *arena, LType type);
Object *object_tuple(Arena *arena, int count, Object *const *items);
Object *object_error(Arena *arena);
enum { MAX_OBJECT_HEIGHT = 64, MAX_OBJECT_WEIGHT = 1 << 20 };
/* After the items of a container were set or changed: notes how large it is and freezes what is in
 * it. The container itself, or an opaque value when it is too large for recursive walks. */
Object *object_sealed(Arena *arena, Object *container);
bool object_is_number(const Object *object); /* BOOL, INT, FLOAT */
bool object_is_ascii(const Object *text); /* else a byte of the text is not a letter of Python's */
bool object_is_integral(const Object *object);        /* BOOL, INT */
double object_number(const Object *object);           /* of a number */
bool object_truth(const Object *object, bool *truth); /* false: has no truth at compile time */
bool object_equal(const Object *a, const Object *b);  /* Python's ==, for compile-time values */
const char *object_type_name(const Object *object);   /* "int", "tuple", "tensor" .. for messages */
void object_repr(Buf *out, const Object *object);     /* as Python's repr, where it has one */
void object_print(Buf *out, const Object *object);    /* as Python's str: a string without quotes */
void int128_print(Buf *out, int128 value);
bool object_is_known(const Object *object); /* no tensor, opaque or error in it, however deep */

/* Python's operators on compile-time values; NULL with *why set when the operands do not allow it.
 */
Object *object_unary(Arena *arena, Operator op, Object *a, const char **why);
Object *object_binary(Arena *arena, Operator op, Object *a, Object *b, const char **why);
Object *object_compare(Arena *arena, Operator op, Object *a, Object *b, const char **why);

const char *torch_dtype_name(DType dtype);    /* "float16" of torch.float16 */
const char *dtype_language_name(DType dtype); /* "float16" of tl.float16 */
const char *dtype_name(DType dtype);          /* "int32", "fp16", as Triton prints them */
bool dtype_from_name(Str name, DType *dtype); /* tl.* names: float16, int1, uint8, float8e4nv .. */
bool ltype_from_signature(Str text, LType *type); /* "*fp32", "i32", "u1", "fp8e4nv" .. */
void ltype_print(Buf *out, LType type);           /* "pointer<fp32>", "int32" */
const Type *ltype_ir(TypeTable *types, LType type);
bool dtype_is_signed(DType dtype), dtype_is_int(DType dtype), dtype_is_float(DType dtype);
int dtype_bits(DType dtype);
double dtype_number(DType dtype, uint64_t bits);    /* of a float */
const FloatFormat *dtype_float_format(DType dtype); /* NULL: not a float */
bool dtype_from_torch_name(Str name, DType *dtype); /* "half" of torch.half */

#endif
