// SPDX-License-Identifier: Apache-2.0
/* values: the little language of `-a NAME=VALUE` and of --grid.
 *
 *     n=1000             x=randn(4,781,f32,seed=1)     w=@weights.npy      MODE="tanh"
 *     grid: cdiv(n,BLOCK), size(x,0)                   s=stride(x,0)       T=fp16
 *
 * Arguments may name each other in any order; each is evaluated once, when it is first needed. */
#ifndef TERN_CLI_VALUES_H
#define TERN_CLI_VALUES_H

#include "base/diag.h"
#include "cli/tensor.h"

typedef enum ArgKind {
    ARG_NONE,
    ARG_BOOL,
    ARG_INT,
    ARG_FLOAT,
    ARG_STR,
    ARG_DTYPE,
    ARG_TUPLE,
    ARG_DESC, /* a host tensor descriptor; items: base (a tensor), shape, strides, block_shape */
    ARG_TENSOR,
} ArgKind;

typedef struct ArgValue ArgValue;
struct ArgValue {
    ArgKind kind;
    int64_t integer; /* ARG_BOOL, ARG_INT */
    bool is_large;   /* ARG_INT: 2^63 to 2^64-1, of which integer has the bits */
    double number;
    Str text;
    tern_dtype dtype;
    int num_items;
    ArgValue **items;
    const char **names; /* of a named tuple's items, or NULL */
    bool is_constexpr;  /* an item of a tuple that is tl.constexpr(..) */
    Tensor *tensor;
    bool is_empty; /* made by empty(): what stays poisoned was not written */
};

typedef struct Binding {
    Str name;
    const Source *source; /* NULL: bound to a value */
    ArgValue *value;
    bool started, failed;
} Binding;

/* Random numbers that were made before: whoever binds the same arguments again copies them. */
typedef struct Drawn {
    int fill;
    uint64_t seed;
    int64_t low, high, count;
    tern_dtype dtype;
    const unsigned char *bytes;
} Drawn;
typedef struct Draws {
    Arena *arena;
    VEC(Drawn) rows;
} Draws;

typedef struct Env {
    tern_context *context; /* reads the files */
    Draws *draws;          /* NULL: nobody binds them again */
    Arena *arena;
    Diag *diag;
    VEC(Binding) bindings;
    VEC(Tensor *) tensors; /* env_free releases them */
} Env;

/* Binds by "NAME=VALUE"; false after diag_error (no '=', not a name, bound twice). */
bool env_bind(Env *env, const char *text);
void env_bind_value(Env *env, Str name, ArgValue *value);
bool env_has(const Env *env, Str name);
/* The value of a name; NULL when nothing binds it or after diag_error. */
ArgValue *env_get(Env *env, Str name);
/* Evaluates a text; `where` is its name in messages ("--grid"). NULL after diag_error. */
ArgValue *env_evaluate(Env *env, const char *where, Str text);
/* Splits at the commas that are outside of brackets and quotes and evaluates each piece into
 * values[0 .. most). Returns how many; -1 after diag_error. */
int env_evaluate_list(Env *env, const char *where, const char *text, ArgValue **values, int most);
void env_free(Env *env);

/* NULL, or why a host tensor descriptor is none: what Triton requires of one. */
const char *value_descriptor(const ArgValue *value, tern_descriptor *descriptor);
bool value_has_tensor(const ArgValue *value); /* in it, however deep */
/* As a Python literal: 1024, 0.5, True, None, 'text', fp16, (1, 2). Not for tensors. */
void value_literal(Buf *out, const ArgValue *value);
const char *value_kind_name(ArgKind kind); /* "int", "tensor" .. */

/* ---- constructors.c ---- */

typedef struct CallArg {
    Str keyword; /* empty: positional */
    Span span;
    ArgValue *value;
} CallArg;
typedef struct Call {
    Env *env;
    Str name;
    Span span;
    Str binding; /* the name that gets the value: its hash is the default seed */
    int num_args;
    CallArg *args;
} Call;

/* randn(4,781,f32) .. stride(x,0): NULL after diag_error. */
ArgValue *call_evaluate(const Call *call);
ArgValue *value_new(Env *env, ArgKind kind);
ArgValue *value_int(Env *env, int64_t integer);
/* A Python int from its digits; false when it needs more than 64 bits or is none. */
bool value_read_int(const char *text, int base, ArgValue *value);
/* A tensor from a .npy file; dtype TERN_VOID: as it is in the file. */
ArgValue *value_from_npy(Env *env, Span span, const char *path, tern_dtype dtype);
tern_dtype dtype_from_word(Str word); /* all names that tern knows, f32 too; else TERN_VOID */

#endif
