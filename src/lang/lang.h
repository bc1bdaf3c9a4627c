// SPDX-License-Identifier: Apache-2.0
/* lang: the Triton language: source text -> AST -> specialised tile IR. What the rest sees. */
#ifndef TERN_LANG_H
#define TERN_LANG_H

#include "ir/ir.h"
#include "lang/ast.h"

/* A loaded .py file with what it imports, evaluated lazily. */
typedef struct Module Module;

typedef struct LangOptions {
    const char *const *include_dirs;
    int num_include_dirs;
} LangOptions;

/* path may be empty (text from memory: imports are then looked for in include_dirs only). Reads
 * imported files itself. NULL after diag_error. Everything is in `arena`, which outlives kernels.
 */
Module *module_load(Arena *arena, const Source *source, Str path, const LangOptions *options,
                    Diag *diag);
const Ast *module_ast(const Module *module);
/* What host code that asks for the device gets to hear: "sm_90a", "cpu:..", "interp" (as before the
 * first call). True: values that were made for another one are forgotten. */
bool module_set_target(Module *module, const char *target);
/* From now on `name` stands for the Python literal in `value`, as a tl.constexpr, or for a jit
 * function, "FILE.py:NAME" or "FILE.py:NAME@LINE". False after diag_error: it is neither. */
bool module_set_global(Module *module, Str name, const Source *value, Diag *diag);

/* The jit functions of the file, in order of definition. */
typedef struct JitParam {
    Str name;
    bool is_constexpr;
    bool has_default;
    bool keeps_value, keeps_alignment; /* in do_not_specialize, do_not_specialize_on_alignment */
    Str annotation;                    /* source text, or empty */
} JitParam;
typedef struct JitFunction {
    Str name;
    Span span;
    const FunctionDef *def;
    int num_params;
    JitParam *params;
    bool is_launched; /* somewhere in the file as name[grid](...), or never called by another jit
                         function */
    int num_decorators;
} JitFunction;
int module_num_functions(const Module *module);
const JitFunction *module_function(const Module *module, int index);
/* By NAME or NAME@LINE; NULL when there is none, or when only a run would tell which of several. */
const JitFunction *module_find(Module *module, Str name);

/* One parameter of a specialisation. */
typedef enum SpecKind {
    SPEC_TYPE,     /* run-time argument of `type` */
    SPEC_CONSTANT, /* compile-time value: the Python expression `text` (1024, "ieee", None, fp16,
                      (1, 2)) */
    SPEC_DEFAULT,  /* not given: the parameter's default */
} SpecKind;
typedef struct Spec {
    SpecKind kind;
    Str type;      /* Triton's spelling: "*fp32", "i32", "u8", "fp64", "**i64" .. */
    int divisible; /* 16 ..; 1: nothing known */
    Str text;      /* SPEC_CONSTANT */
    Span span;     /* in the signature, for diagnostics */
} Spec;

/* Parses a signature "…" against a function's parameters; specs has num_params entries. */
bool signature_parse(Arena *arena, const JitFunction *function, const Source *signature, Diag *diag,
                     Spec *specs);

typedef struct LowerOptions {
    int num_warps, num_stages;
    bool debug;                /* compile assert and device_assert in */
    const char *dot_precision; /* of a tl.dot that names none; NULL: what Triton takes then */
    const char *target;        /* "interp", "cpu", "cuda:90": what target_info and libdevice ask */
} LowerOptions;

/* Specialises one function; NULL after diag_error / diag_refused. The Func is in `arena`. */
Func *lower_function(Arena *arena, Module *module, const JitFunction *function, const Spec *specs,
                     const LowerOptions *options, Diag *diag);

/* @triton.autotune configs and @triton.heuristics, by our own evaluator. */
typedef struct ConfigValue {
    Str name;
    Str text; /* a Python literal */
} ConfigValue;
typedef struct Config {
    int num_values;
    ConfigValue *values;       /* the kwargs */
    int num_warps, num_stages; /* 0: not said */
    bool has_pre_hook;
} Config;
/* Number of configs, 0 when there is no autotune, -1 after diag_refused (cannot be evaluated). */
int function_configs(Arena *arena, Module *module, const JitFunction *function, Diag *diag,
                     Config **configs);
/* The names that @triton.autotune lists as `argument` ("key"): how many, or -1 after
 * diag_refused. */
int function_autotune_names(Arena *arena, Module *module, const JitFunction *function,
                            const char *argument, Diag *diag, Str **names);
/* Which configs prune_configs_by leaves for these arguments, as indices, in its order: how many, or
 * -1 after diag_error or diag_refused. */
int function_pruned(Arena *arena, Module *module, const JitFunction *function,
                    const ConfigValue *arguments, int num_arguments, Diag *diag, int **left);
/* The source text of an argument of @triton.autotune; empty: it has none, or it is None. */
Str function_autotune_text(const JitFunction *function, const char *argument);
/* Evaluates @triton.heuristics for the parameters that specs leave at SPEC_DEFAULT and that have no
 * default: `arguments` gives name -> Python literal text for what the caller knows. */
bool function_heuristics(Arena *arena, Module *module, const JitFunction *function,
                         const ConfigValue *arguments, int num_arguments, Spec *specs, Diag *diag);

#endif
