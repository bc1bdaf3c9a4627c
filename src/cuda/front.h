// SPDX-License-Identifier: Apache-2.0
/* front: what the files of the front end share.
 *
 *     module.c   which names a file declares at its top     type.c     types of C
 *     declare.c  declarations                               convert.c  conversions
 *     expr.c     expressions                                call.c     overloads, calls, inlining
 *     stmt.c     statements                                 builtin.c  what CUDA and C have built in
 *
 * Every variable is memory (alloc) that the pass `promote` turns into values: so an lvalue is an
 * address, a reference another name for one, and structs are bytes, whatever is done with them. */
#ifndef TERN_CU_FRONT_H
#define TERN_CU_FRONT_H

#include "cuda/cu.h"
#include "cuda/token.h"

/* ---- types ---- */

typedef enum CuKind {
    CU_VOID,
    CU_BOOL,
    CU_CHAR_TYPE, /* signed */
    CU_SCHAR,
    CU_UCHAR,
    CU_SHORT,
    CU_USHORT,
    CU_INT,
    CU_UINT,
    CU_LONG,
    CU_ULONG,
    CU_LLONG,
    CU_ULLONG,
    CU_FLOAT,
    CU_DOUBLE,
    CU_POINTER,
    CU_ARRAY,
    CU_STRUCT,
    NUM_CU_KINDS
} CuKind;

typedef struct CuType CuType;
typedef struct CuField {
    Str name;
    const CuType *type;
    int64_t offset;
} CuField;

typedef struct CuRecord {
    Str name;
    int num_fields;
    CuField *fields;
    int64_t size, align;
} CuRecord;

struct CuType {
    CuKind kind;
    bool is_const, is_volatile;
    const CuType *of; /* of a pointer or array */
    int64_t count;    /* of an array; -1: not written */
    const CuRecord *record;
};

const CuType *cu_type(CuKind kind); /* no pointer, array or struct */
const CuType *cu_pointer(Arena *arena, const CuType *of);
const CuType *cu_array(Arena *arena, const CuType *of, int64_t count);
const CuType *cu_qualified(Arena *arena, const CuType *type, bool is_const, bool is_volatile);
const CuType *cu_plain(Arena *arena, const CuType *type); /* without its own const, volatile */
const CuType *cu_vector(Arena *arena, Str name);          /* float4, uint2, dim3 ..; NULL: none */
bool cu_same(const CuType *a, const CuType *b);           /* but for their own qualifiers */
int64_t cu_size(const CuType *type);
int64_t cu_align(const CuType *type);
bool cu_is_integer(const CuType *type);
bool cu_is_float(const CuType *type);
bool cu_is_number(const CuType *type);
bool cu_is_signed(const CuType *type);
int cu_rank(const CuType *type);                         /* of an integer: C's conversion rank */
const Type *cu_ir(TypeTable *types, const CuType *type); /* of a value; NULL: struct, array, void */
const Type *cu_ir_pointee(TypeTable *types, const CuType *type);
Str cu_name(Arena *arena, const CuType *type);

/* ---- what a file declares ---- */

typedef enum CuDeclKind {
    CU_DECL_FUNCTION,
    CU_DECL_TYPE,
    CU_DECL_VARIABLE,
    CU_DECL_ENUMERATOR,
} CuDeclKind;

typedef struct CuDecl CuDecl;
struct CuDecl {
    CuDeclKind kind;
    Str name;
    CuToken *start, *at;          /* its first token, its name's */
    CuToken *params, *body, *end; /* of a function: '(', '{', behind '}' */
    bool is_kernel, is_template, is_busy;
    CuDecl *overload; /* the next function with this name */
};

struct CuModule {
    Arena *arena;
    CuToken *tokens;
    Map names; /* -> CuDecl */
    VEC(CuKernel) kernels;
    VEC(CuDecl *) kernel_decls;
};

CuToken *cu_skip(CuToken *open); /* behind the bracket that closes it; CU_END: none does */

/* ---- values ---- */

typedef struct CuVal {
    const CuType *type;
    Value *value;
    bool is_place; /* value is the address; else, of a struct, too: of a temporary */
    bool is_null;  /* the constant 0 or nullptr */
    CuPlace place;
} CuVal;

typedef struct CuName { /* in a scope */
    Str name;
    enum { NAME_PLACE, NAME_CONSTANT, NAME_TYPE } kind;
    CuVal val; /* of a type: its type only */
    const struct CuName *next;
} CuName;

typedef struct CuScope {
    const CuName *names;
    const struct CuScope *outer;
} CuScope;

typedef struct CuFlags { /* where jumps of the code being read go; i1 in memory, NULL: nowhere */
    Value *broken, *continued;
} CuFlags;

typedef struct CuCall { /* the function being read */
    const CuDecl *decl;
    const CuType *result;
    Value *result_at, *returned;
    const struct CuCall *outer;
    int depth;
} CuCall;

enum {
    CU_MAX_DEPTH = 56,       /* of regions; the IR's limit is MAX_DEPTH */
    CU_MAX_NESTED = 200,     /* of expressions and types */
    CU_MAX_CALLS = 100,      /* in each other */
    CU_MAX_VALUES = 2000000, /* of the IR */
};

typedef struct CuLower {
    Arena *arena;
    Diag *diag;
    const CuModule *module;
    const CuLaunch *launch;
    Func *fn;
    Builder b;
    Op *top; /* allocs go before it */
    CuToken *at;
    const CuScope *scope;
    CuScope *globals;
    const CuCall *call;
    CuFlags flags;
    Map shared; /* of `__shared__` declarations, by token: their memory */
    Value *dynamic;
    int depth, nested;
    bool panic; /* an error was said; the statement's rest is not looked at */
} CuLower;

CuVal cu_bad(CuLower *l, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CuVal cu_unsupported(CuLower *l, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CuVal cu_poison(CuLower *l, CuPlace place);
bool cu_accept(CuLower *l, const char *text);
bool cu_expect(CuLower *l, const char *text, const char *where);
bool cu_enter(CuLower *l); /* one deeper in the text; false: too deep */

/* ---- building ---- */
Region *cu_begin(CuLower *l, Builder *outer); /* what follows is built into a new region */
void cu_end(CuLower *l, const Builder *outer, Value *yielded); /* yielded: NULL: nothing */
Value *cu_if(CuLower *l, Value *condition, Region *yes, Region *no, const Type *type);
Value *cu_op1(CuLower *l, OpKind kind, Value *a);
Value *cu_op2(CuLower *l, OpKind kind, Value *a, Value *b);
Value *cu_op3(CuLower *l, OpKind kind, Value *a, Value *b, Value *c);
Value *cu_exact(CuLower *l, Value *a, Value *b); /* a / b; b NULL: the root of a */
Value *cu_icmp(CuLower *l, int predicate, Value *a, Value *b);
Value *cu_fcmp(CuLower *l, int predicate, Value *a, Value *b);
Value *cu_cast(CuLower *l, OpKind kind, Value *a, const Type *to);
Value *cu_select(CuLower *l, Value *condition, Value *a, Value *b);
Value *cu_int(CuLower *l, const CuType *type, int64_t value);
Value *cu_alloc(CuLower *l, const CuType *type, int space, Str name);
Value *cu_offset(CuLower *l, Value *pointer, int64_t bytes, const CuType *of);
Value *cu_load_from(CuLower *l, Value *pointer, const CuType *type);
void cu_store_to(CuLower *l, Value *pointer, const CuType *type, Value *value);
void cu_copy(CuLower *l, Value *to, Value *from, const CuType *type); /* any type */

/* ---- convert.c ---- */
CuVal cu_value(CuLower *l, CuVal val); /* what is there; arrays become pointers */
CuVal cu_convert(CuLower *l, CuVal val, const CuType *type, const char *what);
CuVal cu_cast_to(CuLower *l, CuVal val, const CuType *type);
Value *cu_condition(CuLower *l, CuVal val); /* i1 */
CuVal cu_promoted(CuLower *l, CuVal val);
const CuType *cu_common(CuLower *l, const CuType *a, const CuType *b);
int cu_conversion_rank(const CuVal *from, const CuType *to); /* 0 exact, 1, 2, 3; -1: none */

/* ---- declare.c ---- */
bool cu_starts_type(const CuLower *l);
const CuType *cu_type_name(CuLower *l); /* int *, float4: without a name */
void cu_declaration(CuLower *l);
const CuName *cu_find(const CuLower *l, Str name);
void cu_bind(CuLower *l, CuName name);
typedef struct CuSpecifiers {
    const CuType *type;
    bool is_shared, is_extern, is_static, is_constexpr, is_typedef, is_constant, is_device;
    CuPlace place;
} CuSpecifiers;
bool cu_specifiers(CuLower *l, CuSpecifiers *s);
typedef struct CuDeclarator {
    const CuType *type;
    bool is_reference;
    CuToken *name; /* NULL: none */
} CuDeclarator;
bool cu_declarator(CuLower *l, const CuType *base, CuDeclarator *d);
bool cu_global(CuLower *l, const CuDecl *decl, CuName *name);  /* a variable, type or enumerator */
void cu_initialize(CuLower *l, Value *at, const CuType *type); /* from '= ..' or '{..}' */

/* ---- expr.c ---- */
CuVal cu_expression(CuLower *l); /* with commas */
CuVal cu_assignment(CuLower *l);
CuVal cu_binary_values(CuLower *l, const char *op, CuVal a, CuVal b);
bool cu_constant(CuLower *l, const char *what, int64_t *value); /* a constant expression */

/* ---- call.c ---- */
CuVal cu_call_named(CuLower *l, CuToken *name); /* l->at: behind '(' */
typedef struct CuParamDecl {
    Str name;
    const CuType *type;
    bool is_reference;
    CuPlace place;
    CuToken *default_value;
} CuParamDecl;
typedef struct CuSignature {
    const CuType *result;
    int num_params, num_required;
    CuParamDecl *params;
} CuSignature;
bool cu_signature(CuLower *l, const CuDecl *decl, CuSignature *signature);

/* ---- builtin.c ---- */
/* False: there is no such function. */
bool cu_builtin(CuLower *l, Str name, CuPlace place, int count, const CuVal *args, CuVal *result);
bool cu_builtin_exists(Str name);
bool cu_builtin_name(CuLower *l, CuToken *name, CuVal *val); /* threadIdx.x .. */

/* ---- stmt.c ---- */
void cu_body(CuLower *l); /* { .. } of a function */

#endif
