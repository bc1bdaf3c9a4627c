// SPDX-License-Identifier: Apache-2.0
/* module: what the files of the host half share: module.c (names of a file), import.c (other
 * files), host.c and host_call.c (Python at compile time), config.c (autotune, heuristics). */
#ifndef TERN_MODULE_H
#define TERN_MODULE_H

#include "lang/evaluate.h"

/* One statement that binds a name at the top level, perhaps under `if` or `try`. */
typedef struct Guard Guard;
struct Guard {
    const Stmt *stmt; /* STMT_IF, STMT_TRY or STMT_MATCH */
    int arm;          /* if: 0 body, 1 else; try: 0 body (and else), 1 handlers */
    const Guard *outer;
};
typedef struct Definition {
    const Stmt *stmt;
    const Stmt *top;        /* the statement of the file that holds it */
    const Guard *guard;     /* NULL: not conditional */
    const ImportName *name; /* of an import: which of its names */
} Definition;

typedef struct Global {
    VEC(Definition) definitions; /* in order of the text */
    Object *value;               /* NULL: not evaluated yet */
    bool changes;                /* bound or changed step by step: A += 1, A.append(x), in a loop */
    bool is_set_elsewhere; /* a function of the file says `global` of it: only a run would tell */
    bool busy;             /* being evaluated: a cycle */
} Global;

/* A name that no statement of the file binds but `from .. import *`. */
typedef struct Starred {
    Object *value; /* NULL: none */
    int search;    /* the last one that asked for it */
    bool is_final;
} Starred;

typedef struct Scope Scope; /* of a function around another: for closures */
struct Scope {
    const FunctionDef *def;
    const Scope *outer;
};

typedef struct JitEntry {
    JitFunction function;
    const Scope *scope; /* functions around it; NULL at the top level */
    const Guard *guard; /* at the top level: the conditions around it */
} JitEntry;

/* Files loaded for one compilation's module, by path, so that each is read once. */
typedef struct Registry {
    Arena *arena;
    Map files;     /* path -> Module * */
    Map overrides; /* name -> Object *: for what imported files leave unknown */
    int count;
    int search, search_depth; /* through `from .. import *` */
    int depth;                /* of expressions being evaluated, across files and names */
    int capability;           /* of the GPU that is compiled for, 90; 0: cpu, interp */
    bool was_asked;           /* a value may depend on it */
} Registry;

struct Module {
    Arena *arena;
    const Ast *ast;
    Str path, folder; /* path may be empty */
    const LangOptions *options;
    Registry *registry;
    Map globals;   /* name -> Global * */
    Map overrides; /* name -> Object *: module_set_global */
    VEC(Definition) star_imports;
    Map starred; /* name -> Starred * */
    VEC(JitEntry) functions;
    const Stmt *top;      /* while the file is indexed: the statement at work */
    bool in_loop;         /* likewise */
    Map function_objects; /* FunctionDef * -> Object * */
    Map space;            /* of a running script: the file's names, __name__ among them */
};

/* ---- module.c ---- */
Object *module_function_of(Module *module, const FunctionDef *def, const Scope *scope);

/* ---- global.c ---- */
void module_forget(Module *module); /* values of names, in all files: they are made anew */
/* How likely it is that a binding is made. */
typedef enum Likelihood { NEVER, FALLBACK, LIKELY, CERTAIN } Likelihood;
Likelihood guard_likelihood(Module *module, const Guard *guard);
/* Does an import come to its end, and what does it bind for one of its names? */
Likelihood import_likelihood(Module *module, const Stmt *stmt);
Object *import_value(Module *module, const Stmt *stmt, const ImportName *name, Diag *diag);

/* ---- class.c ---- */
Object *class_value(Module *module, const Stmt *stmt, Diag *diag);

/* ---- import.c ---- */
/* `import path`, `from path import ..` (level dots before path): a built-in module, a file, or
 * opaque. Never NULL; NULL name in the result means nothing. */
Object *import_module(Module *from, int level, Str path, Diag *diag);
/* Without the packages of the project around the file: where a program runs none is installed. */
Object *import_as_python(Module *from, int level, Str path, Diag *diag);
bool import_fails(const Object *module); /* would Python raise ImportError, for sure? */
Str import_key(Arena *arena, Str path);
bool expr_mentions(const Expr *expr, Str name);
/* `name = function(name, ..)` that gives back what it got (patched.c). */
bool stmt_patches(const Module *module, const Stmt *stmt, Str name);
Module *import_file(Module *from, Str path, Diag *diag); /* NULL: it cannot be read */

/* ---- host_string.c ---- */
typedef struct Host Host;
/* self.name(args) of a string; NULL: not known. */
Object *host_string_method(Host *host, const Object *self, Str name, int num_args,
                           Object *const *args, const Str *names, Span span);

/* ---- host.c, host_call.c ---- */
enum { HOST_STEPS = 200000, HOST_DEPTH = 60, HOST_ITEMS = 100000, HOST_EXPR_DEPTH = 1500 };

/* The variables of a frame: parameters first, then the others; targets of comprehensions, which
 * have no name here, too. Those of functions around it are cells that are shared. */
typedef struct Slot {
    Str name;
    bool is_cell;
    int from; /* 1 + the slot of the frame around; 0: this frame's own */
} Slot;
typedef struct Slots {
    Str qualified; /* the function's or class's name with those around it: "f.<locals>.g" */
    VEC(Slot) slots;
} Slots;
/* Gives each name of the file its slot; false after diag_error. */
bool resolve_file(Arena *arena, Ast *ast, Slots **slots, Diag *diag);

typedef struct Script Script; /* script.h: a file that runs; NULL: compile time */
typedef struct Vars Vars;
struct Vars {
    Map names; /* Str -> Object * */
    Vars *outer;
};
struct Host {
    Arena *arena;
    Module *module;
    Diag *diag;
    const Map *given; /* names that come before the module's; or NULL */
    Vars *vars;
    int64_t steps;
    int depth;
    Span span; /* of the expression at work */
    /* Of a running script: */
    Script *script;
    Object **slots;
    const Slots *layout;
    Map *space; /* of a file or class body: its names */
    Object *function;
    const Host *outer; /* that called it; NULL: the first file */
};

Object *host_expr(Host *host, const Expr *expr);
Object *host_opaque(Host *host, const Expr *expr);
Object *host_error(Host *host, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* False: the budget is spent. What takes longer or makes more than one small value costs more. */
bool host_step(Host *host, Span span);
bool host_spend(Host *host, Span span, int64_t steps);
bool host_assign(Host *host, const Expr *target, Object *value);
/* container[key] = value, in place; false when that is not possible or not known. */
bool host_set_item(Host *host, Object *container, Object *key, Object *value);
/* The items that a loop or an unpacking sees; false when it is not known. */
bool host_items(Host *host, Object *iterable, int *count, Object ***items);
Object *host_call_object(Host *host, Object *callee, int num_args, Object *const *args,
                         const Str *names, const Expr *expr, Span span);
/* Runs one statement among host->vars; false: what it does is not known. */
bool host_run_statement(Host *host, const Stmt *stmt);
Object *host_list(Arena *arena, ObjectKind kind, int count, Object *const *items);

/* Does the dotted path end in the dotted name? */
bool path_ends(Str path, const char *name);
/* What depends on the device that is compiled for (target.c); NULL: not known. */
Object *host_target_call(Host *host, Str path, int num_args);

/* One of Python's own functions over sequences, by its bare name; NULL when it is none of these or
 * its answer is not certain. */
Object *host_python_call(Host *host, Str name, int num_args, Object *const *args, const Str *names,
                         Span span);
/* A set of the list's items; NULL when one is not known. */
Object *host_set(Host *host, Object *list);

#endif
