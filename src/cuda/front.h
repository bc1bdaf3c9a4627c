// SPDX-License-Identifier: Apache-2.0
/* front: what the files of the front end share.
 *
 *     module.c   which names a file declares at its top     type.c     types of C
 *     outline.c  the names of declarations                  name.c     scopes, names with '::'
 *     declare.c  types and variables                        convert.c  conversions
 *     global.c   what stands outside of kernels           part.c     parameters that are structs
 *     symbol.c   variables that do
 *     record.c   structs and classes                        member.c   their members, constructors
 *     expr.c     expressions                                call.c     signatures, calls, inlining
 *     resolve.c  which overload                             initialize.c  initial values
 *     template.c arguments of templates                     deduce.c   what calls say about them
 *     pack.c     any number of them
 *     stmt.c     statements                                 lambda.c   functions in expressions
 *     builtin.c  what CUDA and C have built in            assembly.c inline PTX
 *     host.c     functions for the host
 *     object.c   what only they have: launches, strings, new and delete
 *
 * A template is its tokens: they are read again for each use, in a scope where the names of its
 * parameters are types and numbers.
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
    CU_HALF,
    CU_BFLOAT,
    CU_FLOAT,
    CU_DOUBLE,
    CU_PARAM, /* a parameter of a template, while what calls say about it is looked for */
    CU_POINTER,
    CU_ARRAY,
    CU_STRUCT,
    NUM_CU_KINDS
} CuKind;

typedef struct CuType CuType;
typedef struct CuDecl CuDecl;
typedef struct CuScope CuScope;
typedef struct CuField {
    Str name; /* empty: of a struct without one, whose members are seen as if they stood here */
    const CuType *type;
    int64_t offset;
    CuToken *value; /* its initial one; NULL: none */
    bool is_reference;
} CuField;

typedef struct CuArg { /* of a template */
    const CuType *type;
    bool is_value; /* of that type */
    uint64_t bits;
    const CuDecl *function; /* of a value that is one */
    int param; /* of a value that is a parameter itself: 1 + which; -1: not to be known yet */
} CuArg;
enum { CU_ANY_COUNT = INT32_MIN }; /* of an array whose size depends on parameters */
enum { CU_FIXED = -2 }; /* param of an argument that is written: calls say nothing about it */
typedef struct CuArgs {
    int count;
    const CuArg *data;
} CuArgs;

typedef struct CuLambda CuLambda;
typedef struct CuRecord {
    Str name;
    int num_fields;
    CuField *fields;
    int64_t size, align;
    const CuDecl *decl; /* NULL: it has no functions: a vector, a struct inside a function */
    CuArgs args;
    const CuScope *outside;       /* what its members see beyond it */
    const struct CuRecord *outer; /* the class that it is a member of */
    const struct CuRecord *base;  /* the first field, then */
    const CuLambda *lambda;       /* it is the type of one */
    bool is_pattern, is_complete; /* pattern: of parameters that are not known yet */
    Map known;                    /* what its types and constants are (CuName), by declaration */
} CuRecord;

struct CuType {
    CuKind kind;
    bool is_const, is_volatile;
    const CuType *of; /* of a pointer or array */
    int64_t count;    /* of an array; -1: not written; -2 - i: the parameter i of a template */
    const CuRecord *record;
    int param; /* of CU_PARAM; -1: any type */
};

const CuType *cu_type(CuKind kind); /* no pointer, array or struct */
const CuType *cu_pointer(Arena *arena, const CuType *of);
const CuType *cu_array(Arena *arena, const CuType *of, int64_t count);
const CuType *cu_qualified(Arena *arena, const CuType *type, bool is_const, bool is_volatile);
const CuType *cu_plain(Arena *arena, const CuType *type); /* without its own const, volatile */
bool cu_is_vector(Str name);
const CuType *cu_vector(Arena *arena, Str name); /* float4, uint2, dim3 ..; NULL: none */
bool cu_same(const CuType *a, const CuType *b);  /* but for their own qualifiers */
int64_t cu_size(const CuType *type);
int64_t cu_align(const CuType *type);
bool cu_is_integer(const CuType *type);
bool cu_is_float(const CuType *type);
bool cu_is_half(const CuType *type); /* or bfloat16 */
bool cu_is_number(const CuType *type);
const CuType *cu_any_type(void); /* in patterns: it says nothing */
const CuType *cu_param_type(Arena *arena, int param);
bool cu_is_pattern(const CuType *type); /* has parameters of templates in it */
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

typedef struct CuDecls { /* the outline of a file or class */
    Map names;           /* -> CuDecl */
    VEC(CuDecl *) in_order;
} CuDecls;

struct CuDecl {
    CuDeclKind kind;
    Str name;
    CuToken *start, *at;          /* its first token, its name's */
    CuToken *params, *body, *end; /* of a function: '(', '{', behind '}'; of a class: body */
    CuToken *inits;               /* of a constructor: behind ':' */
    CuToken *templates;           /* '<' behind 'template'; NULL: it is none */
    CuToken *special;             /* '<' behind the name of a specialisation */
    CuToken *bases;               /* of a class: behind ':' */
    Str record;                   /* of a constructor: its class */
    Str space;                    /* the innermost namespace around it; empty: none */
    const CuDecl *owner;          /* the class that it is a member of */
    bool is_kernel, is_static, is_explicit, is_default, is_deleted, is_busy;
    bool is_native;   /* a function that who runs a program for the host has: src/host */
    CuDecls *members; /* of a class */
    CuDecl *overload; /* the next with this name */
};

typedef struct CuLibraries { /* what is read once for a module; NULL: not yet */
    const CuModule *of[2];   /* the library, for kernels, for the host */
    const CuModule *host;    /* the module's own text as the host's compiler sees it */
    Arena *arena;            /* of that, and of its library */
} CuLibraries;

struct CuModule {
    Arena *arena;
    CuLibraries *libraries; /* NULL: it is one itself */
    CuToken *tokens;
    CuDecls decls;
    Map namespaces, used; /* used: namespaces and names that a `using` names */
    VEC(CuKernel) kernels;
    CuHeaders headers;
    const Source *source;
    Str path;
    CuOptions options;
};

CuToken *cu_skip(CuToken *open); /* behind the bracket that closes it; CU_END: none does */
CuToken *cu_skip_angles(CuToken *open);

/* ---- seen.c ---- */
/* Is one of the words among the tokens? */
/* template <> void k<float>(..): no template itself. */
bool cu_is_full(const CuDecl *decl);
bool cu_says(const CuToken *from, const CuToken *end, const char *const *words, int count);
/* The last token in front of `end`, from `from` on. */
const CuToken *cu_last(const CuToken *from, const CuToken *end);
/* Behind the arguments of a macro whose name ends at `at`; without any, `at`. */
int cu_end_of_use(Str text, int at);
/* The first token of a declaration, `template <..>` too. */
const CuToken *cu_first(const CuModule *module, const CuDecl *decl);

/* ---- outline.c ---- */
void cu_outline(CuModule *module, CuDecls *decls, CuToken *from);
CuDecl *cu_outline_one(Arena *arena, const CuDecl *like, CuToken *from); /* a member where it is */

/* ---- library.c ---- */
const CuModule *cu_library(Arena *arena, bool is_host);

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
    enum { NAME_PLACE, NAME_CONSTANT, NAME_TYPE, NAME_FUNCTION, NAME_NONE /* an error */ } kind;
    CuVal val;          /* of a type: its type only */
    int param;          /* of a template's value that is not known yet: 1 + which */
    const CuDecl *decl; /* of functions: the first */
    const CuRecord *record;
    const CuVal *self; /* of functions that are members: of what; NULL: of nothing yet */
    const struct CuName *next;
} CuName;

struct CuScope {
    const CuName *names;
    const CuScope *outer;
    const CuRecord *record; /* whose members are names here; NULL: none */
    const CuVal *self;      /* of what; NULL: of nothing */
};

typedef struct CuFlags { /* where jumps of the code being read go; i1 in memory, NULL: nowhere */
    Value *broken, *continued;
} CuFlags;

typedef struct CuCall { /* the function being read */
    const CuDecl *decl;
    const CuType *result; /* NULL: of the first value that is returned */
    Value *result_at, *returned;
    bool is_reference; /* the address of the result is returned */
    const CuVal *self;
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
    const CuModule *module, *library; /* library: what CUDA has; NULL: not read yet */
    const CuLaunch *launch;
    Func *fn;
    Builder b;
    Op *top; /* allocs go before it */
    CuToken *at;
    Str space; /* the namespace in front of the name that was read last; empty: none */
    const CuScope *scope;
    CuScope *globals;
    CuCall *call;
    CuFlags flags;
    Map shared; /* of `__shared__` declarations, by token, and of symbols: their memory */
    Value *dynamic;
    VEC(const CuType *) instances; /* of classes */
    Map known; /* alloc -> what was stored there last, if it is a constant: see lower.c */
    int depth, nested;
    Map unpacked;     /* see pack.c */
    Map texts;        /* of a program for the host: its strings, each once */
    bool is_host;     /* a function for the host is read, not a kernel */
    bool in_angles;   /* '>' ends what is read */
    bool wants_place; /* c ? a : b is to be one */
    bool no_classes;  /* conversions by functions of classes are not looked for */
    bool is_pattern;  /* parameters of templates are not known yet */
    bool asks_type;   /* no more of a name is wanted than whether it is a type's */
    bool unevaluated; /* of what is read only the type counts */
    bool panic;       /* an error was said; the statement's rest is not looked at */
} CuLower;

CuVal cu_bad(CuLower *l, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CuVal cu_unsupported(CuLower *l, CuPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CuVal cu_poison(CuLower *l, CuPlace place);
/* A name that is missing, perhaps because of a header that was not found. */
CuVal cu_undeclared(CuLower *l, CuPlace place, const char *what, Str name);
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
void cu_escapes(CuLower *l, Value *pointer); /* what is stored there is not followed any more */

/* ---- convert.c ---- */
CuVal cu_value(CuLower *l, CuVal val); /* what is there; arrays become pointers */
CuVal cu_convert(CuLower *l, CuVal val, const CuType *type, const char *what);
CuVal cu_cast_to(CuLower *l, CuVal val, const CuType *type);
Value *cu_condition(CuLower *l, CuVal val); /* i1 */
CuVal cu_promoted(CuLower *l, CuVal val);
CuVal cu_as_number(CuLower *l, CuVal val);
void cu_as_numbers(CuLower *l, CuVal *a, CuVal *b);
const CuType *cu_common(CuLower *l, const CuType *a, const CuType *b);
int cu_conversion_rank(const CuVal *from, const CuType *to); /* 0 exact, 1, 2, 3; -1: none */
int cu_rank_of_conversion(CuLower *l, const CuVal *from, const CuType *to); /* 4: by a class */

/* ---- name.c ---- */
const CuName *cu_find(CuLower *l, Str name);
const CuDecl *cu_declared(CuLower *l, Str name, CuDeclKind kind);
const CuDecl *cu_of_library(CuLower *l, Str name, CuDeclKind kind); /* whatever the text has */
const CuModule *cu_library_of(CuLower *l);
const CuDecl *cu_first_type(CuLower *l, const CuDecl *decl);
void cu_bind(CuLower *l, CuName name);
/* The name that begins at l->at, with all of its '::'; *at: its last word, l->at behind it. NULL:
 * it is not declared, or an error was said. Of a type with arguments: of an instance. */
const CuName *cu_name_at(CuLower *l, CuToken **at);
bool cu_names_type(CuLower *l);
/* A type, alias or variable that is a template, of a class or of none, with the arguments that
 * stand at l->at. NULL: an error was said. */
const CuName *cu_templated(CuLower *l, const CuDecl *decl, const CuRecord *outer, CuPlace place);

/* ---- declare.c ---- */
CuToken *cu_behind_alignment(CuToken *t); /* of `struct __align__(8) {`: at the brace */
bool cu_starts_type(CuLower *l);
const CuType *cu_type_name(CuLower *l); /* int *, float4: without a name */
void cu_declaration(CuLower *l);
typedef struct CuSpecifiers {
    const CuType *type; /* NULL: auto */
    bool is_shared, is_extern, is_static, is_constexpr, is_typedef, is_constant, is_device,
        is_const;
    int64_t align; /* 0: not written */
    CuPlace place;
} CuSpecifiers;
bool cu_specifiers(CuLower *l, CuSpecifiers *s);
typedef struct CuDeclarator {
    const CuType *type;                      /* NULL: auto */
    bool is_reference, is_moved, is_pointer; /* moved: &&; pointer: auto * */
    CuToken *name;                           /* NULL: none */
} CuDeclarator;
bool cu_declarator(CuLower *l, const CuType *base, CuDeclarator *d);
bool cu_result_declarator(CuLower *l, const CuType *base, CuDeclarator *d); /* before a name */
bool cu_shared(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d, CuName *name);
/* A variable, type or enumerator of the file or, in the scope of a template's arguments, of one. */
bool cu_global(CuLower *l, const CuDecl *decl, CuScope *scope, CuName *name);

/* ---- initialize.c ---- */
void cu_initialize(CuLower *l, Value *at, const CuType *type); /* from what l->at is at */
void cu_initialize_from(CuLower *l, Value *at, const CuType *type, CuVal val, const char *what);
void cu_initialize_empty(CuLower *l, Value *at, const CuType *type); /* with nothing written */
void cu_initialize_members(CuLower *l, const CuVal *self);
void cu_initialize_field(CuLower *l, Value *at, const CuField *field);
void cu_zero(CuLower *l, Value *at, const CuType *type);
bool cu_begins_empty(CuLower *l, const CuType *type); /* nothing is written then */
const CuType *cu_counted(CuLower *l, const CuType *type);

/* ---- record.c ---- */
/* { members }, of a function; align: at least */
const CuType *cu_record_here(CuLower *l, Str name, bool is_union, int64_t align);
/* What alignas(..) and its like among the tokens say; 0: nothing. */
int64_t cu_written_align(CuLower *l, CuToken *from, const CuToken *to);
/* outer: the class that it is a member of; NULL: none */
const CuType *cu_instance(CuLower *l, const CuDecl *decl, CuArgs args, const CuRecord *outer,
                          CuPlace place);
const CuType *cu_complete(CuLower *l, const CuType *type); /* its fields are known then */

/* ---- member.c ---- */
/* A member by its name; self NULL: of no object. NULL: there is none, or an error was said. */
const CuName *cu_member(CuLower *l, const CuRecord *record, const CuVal *self, Str name);
CuVal cu_base_of(CuLower *l, CuVal self, const CuRecord *base);
bool cu_derives(const CuRecord *record, const CuRecord *base);
bool cu_has_constructor(CuLower *l, const CuRecord *record);
bool cu_converts_to(CuLower *l, const CuVal *val, const CuType *to); /* by a function of a class */
CuVal cu_convert_by_class(CuLower *l, CuVal val, const CuType *to);
void cu_construct(CuLower *l, Value *at, const CuType *type, int count, CuVal *args, CuPlace place);
/* The function of an operator: "+"; false: there is none. */
bool cu_operator(CuLower *l, const char *op, int count, CuVal *args, CuPlace place, CuVal *result);

/* ---- lower.c ---- */
/* At the beginning of fn, whose span is known. */
CuLower cu_lowering(Arena *arena, const CuModule *module, Func *fn, const CuLaunch *launch,
                    CuScope *globals, Diag *diag);
Value *cu_not_returned(CuLower *l); /* a call's `returned`, as it begins */
/* What a kernel's own scope is in: the arguments of a template. NULL after an error. */
const CuScope *cu_kernel_scope(CuLower *l, const CuKernel *kernel, const CuDecl **decl);

/* ---- template.c ---- */
typedef struct CuTemplateParam {
    Str name;
    bool is_type, is_pack;
    CuToken *type, *value; /* of a value: its type; the default; NULL: none */
    CuPlace place;
} CuTemplateParam;
typedef struct CuTemplate {
    int count;
    const CuTemplateParam *params;
} CuTemplate;
bool cu_template(CuLower *l, const CuDecl *decl, CuTemplate *t);
bool cu_template_args(CuLower *l, CuArgs *args); /* < .. > */
bool cu_close_angle(CuLower *l);
/* Binds parameters in scope `to`; what is missing has a default. False: after an error. */
bool cu_bind_args(CuLower *l, const CuTemplate *t, CuArgs *args, CuScope *to, CuPlace place);
void cu_bind_params(CuLower *l, const CuTemplate *t, CuScope *to); /* as patterns */
Str cu_args_name(Arena *arena, Str name, CuArgs args);
bool cu_same_args(CuArgs a, CuArgs b);

/* ---- pack.c ---- */
/* A template with any number of parameters, written out for these: arguments that are written, and
 * of a call. Others as they are; NULL: it does not fit. */
const CuDecl *cu_without_pack(CuLower *l, const CuDecl *decl, int num_written, int num_args);

/* ---- deduce.c ---- */
bool cu_unify(CuLower *l, const CuType *pattern, const CuType *type, CuArg *args);
bool cu_unify_exactly(CuLower *l, const CuType *pattern, const CuType *type, CuArg *args);
bool cu_unify_args(CuLower *l, CuArgs pattern, CuArgs given, CuArg *args);

/* ---- expr.c ---- */
CuVal cu_expression(CuLower *l); /* with commas */
CuVal cu_assignment(CuLower *l);
CuVal cu_conditional(CuLower *l);
CuVal cu_unary(CuLower *l);
CuVal cu_binary_values(CuLower *l, const char *op, CuVal a, CuVal b);
bool cu_constant(CuLower *l, const char *what, int64_t *value); /* a constant expression */
bool cu_is_written(const Value *value);

/* ---- call.c ---- */
typedef struct CuParamDecl {
    Str name;
    const CuType *type;          /* NULL: auto */
    bool is_reference, is_moved; /* moved: && */
    CuPlace place;
    CuToken *default_value;
} CuParamDecl;
typedef struct CuSignature {
    const CuType *result; /* NULL: auto */
    bool is_reference;    /* the result is */
    bool is_exact;        /* the call needs no conversion */
    bool is_variadic;     /* of native functions: more arguments may follow */
    int num_params, num_required;
    CuParamDecl *params;
    const CuScope *scope; /* what its body sees */
} CuSignature;
void cu_add_params(CuLower *l, const CuSignature *signature); /* of the function as a whole */
typedef struct CuCallee { /* functions with one name, and what the call says about them */
    Str name, space;      /* space: the namespace that is written in front; empty: none */
    const CuDecl *first;
    const CuRecord *record; /* of members */
    const CuVal *self;
    CuArgs explicit_args;
    CuPlace place;
} CuCallee;
/* What functions see: members of their class, then the file. */
const CuScope *cu_member_scope(CuLower *l, const CuCallee *callee);
bool cu_signature(CuLower *l, const CuDecl *decl, const CuScope *scope, CuSignature *signature);
bool cu_parameters(CuLower *l, CuSignature *signature); /* l->at: behind '(' */
const CuType *cu_trailing_type(CuLower *l, bool *is_reference);
const CuType *cu_result_held(CuLower *l, const CuCall *call); /* a reference: its address */
bool cu_arguments(CuLower *l, const char *end, int *count, CuVal **vals); /* up to `end` */
/* quietly: no message where none fits; NULL then, and after errors. */
const CuDecl *cu_resolve(CuLower *l, const CuCallee *callee, int count, const CuVal *args,
                         CuSignature *signature, bool quietly);
CuVal cu_call(CuLower *l, const CuCallee *callee, int count, CuVal *args);
CuVal cu_inlined(CuLower *l, const CuDecl *decl, const CuSignature *signature, const CuVal *self,
                 int count, CuVal *args, CuPlace place);
CuVal cu_call_named(CuLower *l, CuToken *name, const CuName *found); /* l->at: at '(' or '<' */

/* The declarator of a variable of the file; l->at: behind it. */
bool cu_variable_at(CuLower *l, const CuDecl *decl, CuSpecifiers *s, CuDeclarator *d);
bool cu_is_number_here(const CuLower *l, const CuSpecifiers *s, const CuDeclarator *d);

/* ---- symbol.c ---- */
bool cu_is_symbol(const CuDecl *decl);
bool cu_symbol_named(CuLower *l, const CuDecl *decl, CuName *name);

/* ---- part.c ---- */
typedef struct CuPart { /* a number or pointer in a parameter of a kernel */
    Str name;
    const CuType *type;
    int64_t offset;
} CuPart;
typedef VEC(CuPart) CuParts;
bool cu_parts(CuLower *l, const CuParamDecl *param, CuParts *parts); /* false: after an error */

/* ---- lambda.c ---- */
CuVal cu_lambda(CuLower *l); /* at '[' */
CuVal cu_call_lambda(CuLower *l, const CuVal *lambda, int count, CuVal *args, CuPlace place);

/* ---- builtin.c ---- */
/* False: there is no such function. */
bool cu_builtin(CuLower *l, Str name, CuPlace place, int count, CuVal *args, CuVal *result);
bool cu_builtin_exists(Str name);
bool cu_builtin_known(Str name); /* there is such a function in CUDA, but not here */
/* Calls a function of the library. */
CuVal cu_call_library(CuLower *l, const char *name, int count, CuVal *args, CuPlace place);
bool cu_builtin_name(CuLower *l, CuToken *name, CuVal *val); /* threadIdx.x .. */

/* ---- builtin_warp.c ---- */
bool cu_warp_arguments(Str name, int *least, int *most); /* false: it is none of these */
CuVal cu_warp_builtin(CuLower *l, Str name, CuPlace place, int count, CuVal *args);

/* ---- assembly.c ---- */
bool cu_is_assembly(const CuToken *t);
void cu_assembly(CuLower *l);
/* Of a generic one; inline PTX names shared memory by it. */
CuVal cu_shared_address(CuLower *l, CuVal pointer, CuPlace place);

/* ---- report.c ---- */
bool cu_is_report(Str name);
/* Strings that follow each other; false: an error was said; what: is to be there. */
bool cu_strings(CuLower *l, const char *what, Buf *out);
CuVal cu_printed(CuLower *l, CuVal val);    /* as C hands values to printf: i32, i64 or f64 */
CuVal cu_report(CuLower *l, CuToken *name); /* l->at: at '(' */

/* ---- stmt.c ---- */
CuVal cu_statements_value(CuLower *l); /* ({ .. }), at the brace */
void cu_body(CuLower *l);              /* { .. } of a function */

/* ---- object.c ---- */
/* What a function of the library did, behind `before`, was done where it was called. */
void cu_say_here(CuLower *l, const CuDecl *decl, Op *before, Span span);
bool cu_at_launch(const CuLower *l); /* <<< */
CuVal cu_launch(CuLower *l, const CuCallee *callee);
CuVal cu_kernel_value(CuLower *l, CuPlace place);
CuVal cu_call_native(CuLower *l, const CuDecl *decl, const CuSignature *signature, int count,
                     CuVal *args, CuPlace place);
CuVal cu_text(CuLower *l); /* a string */
CuVal cu_list(CuLower *l); /* {2, 3}: at most 8 integers, of an argument */
bool cu_host_symbol(CuLower *l, const CuDecl *decl, const CuType *type, CuName *name);
CuVal cu_new(CuLower *l, CuPlace place), cu_delete(CuLower *l, CuPlace place);
enum { CU_LARGE_ALIGN = 64 };                    /* of the host's memory */
Value *cu_large(CuLower *l, const CuType *type); /* a variable that is too large for an alloc */
/* What is built by `build` stands at the top of the function, before all else. */
typedef struct CuAtTop {
    Builder here;
    CuFlags flags;
} CuAtTop;
CuAtTop cu_at_top(CuLower *l);
void cu_at_top_end(CuLower *l, const CuAtTop *top);

#endif
