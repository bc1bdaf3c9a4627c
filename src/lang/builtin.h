// SPDX-License-Identifier: Apache-2.0
/* builtin: the functions that tern knows without Triton source: one row each in builtins.def. */
#ifndef TERN_BUILTIN_H
#define TERN_BUILTIN_H

#include "lang/evaluate.h"

typedef struct Lower Lower;

enum { MAX_BUILTIN_PARAMS = 16 };

/* One call. args has an entry for each parameter, in the order of the row; a star parameter's
 * entry is a tuple; `expr` is NULL for calls made by tern itself and from host code. */
typedef struct Call {
    const Builtin *builtin;
    Object **args;
    Span span;
    Span spans[MAX_BUILTIN_PARAMS]; /* of the arguments, the call's where defaulted */
    bool given[MAX_BUILTIN_PARAMS];
    const Expr *expr;
} Call;

typedef Object *BuiltinFn(Lower *l, const Call *call);
BuiltinFn builtin_lanes;

typedef enum BuiltinKind {
    BUILTIN_IR,      /* makes IR: only in kernels */
    BUILTIN_STATIC,  /* works on compile-time values, in host code too */
    BUILTIN_STD,     /* written in the Triton language: `params` names the file in kernels/std */
    BUILTIN_REFUSED, /* known, not supported: `params` says why */
} BuiltinKind;

/* What a row LANES takes and gives. */
typedef enum BuiltinAccepts {
    LANES_FLOAT = 1, /* fp32, fp64 */
    LANES_FP32 = 2,
    LANES_INT = 4,       /* of 32 and 64 bits */
    LANES_EXACT = 8,     /* of sqrt: with its attribute exact; of exp: with precise */
    LANES_TO_INT32 = 16, /* the result is an int32 */
} BuiltinAccepts;

typedef struct BuiltinLanes {
    OpKind op, unsigned_op;
    int accepts;
} BuiltinLanes;

struct Builtin {
    const char *module; /* "triton.language" */
    const char *name;
    const char *params; /* "pointer, mask=None, *rest"; NULL: see kind */
    BuiltinFn *run;
    BuiltinKind kind;
    bool is_member;     /* also x.name(..) of a tensor */
    BuiltinLanes lanes; /* of a row LANES */
};

#define PROTON "triton.profiler.language"

const Builtin *builtin_find(const char *module, Str name); /* NULL when there is none */
int builtin_count(void);
const Builtin *builtin_at(int index);
const char *builtin_table_module(Str path); /* whose rows a module's path stands for; never NULL */
const Builtin *builtin_member(Str name);    /* of a tensor; NULL when there is none */
/* The text of kernels/std/NAME; length 0 when there is none. */
Str std_text(const char *name);

/* ---- torch.c ---- */
Object *torch_attribute(Arena *arena, Str name); /* torch.name: opaque when tern does not know it */
Object *torch_version_attribute(Arena *arena, Str name);
Object *torch_dtype_attribute(Arena *arena, const Object *type, Str name);

/* Puts arguments into their places; false after a diagnostic. */
bool builtin_bind(Lower *l, const Builtin *builtin, int num_args, Object *const *args,
                  const Str *names, const Span *spans, Call *call);

#endif
