// SPDX-License-Identifier: Apache-2.0
/* script: a Python file that runs from the top, by the walk that evaluates decorators and constants
 * (host.c): a Host with a Script has a heap, exceptions, classes, and effects.
 *
 * Memory. What an expression makes lives in a scratch arena to the end of its statement, as do the
 * numbers, strings and tuples that it gives. What is stored (in a name, a list, an attribute) is
 * copied to the heap, where references are counted; lists, dicts, sets, functions and instances are
 * made there. A heap object that an expression holds is in the pool, which has a reference of its
 * own until the statement ends: so C code here keeps pointers without a thought, and counts only
 * where it stores.
 *
 * Errors. host_raise notes an exception and gives poison (OBJECT_ERROR). From then on nothing is
 * evaluated and every result is poison, until a `try` takes the exception. */
#ifndef TERN_SCRIPT_H
#define TERN_SCRIPT_H

#include "lang/module.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

/* Python's own classes: name in C, in Python, base. */
typedef enum PythonClass {
#define PYTHON_CLASS(name, text, base) CLASS_##name,
#include "lang/python_classes.def"
    NUM_PYTHON_CLASSES
} PythonClass;

typedef struct HostCall {
    int num_args;
    Object *const *args;
    const Str *names; /* empty: positional; or NULL */
    Span span;
    Object *self; /* of a bound native, or NULL */
    int id;       /* of the native */
} HostCall;

enum { MAX_NATIVE_PARAMETERS = 16 };
/* A function in C. parameters: "x, dim|axis?, *, keepdim?": those with '?' may be missing, and are
 * NULL; dim|axis has two names; after '*' they are given by name only; "..": all arguments as they
 * are, in call. */
typedef struct Native {
    const char *name, *parameters;
    Object *(*run)(Host *host, Object *const *args, const HostCall *call);
    int id; /* tells apart rows that share `run` */
} Native;
#define NATIVE(name, parameters, run)                                                              \
    { name, parameters, run, 0 }

/* What a kind of OBJECT_HOST can do; NULL: it cannot. Results are poison after host_raise. */
struct HostType {
    const char *name;
    void (*free)(Object *self);                               /* its payload */
    Object *(*attribute)(Host *host, Object *self, Str name); /* NULL: it has none of this name */
    bool (*set_attribute)(Host *host, Object *self, Str name, Object *value);
    /* NULL: not for these operands. Comparisons, too. */
    Object *(*binary)(Host *host, Operator op, Object *a, Object *b);
    Object *(*unary)(Host *host, Operator op, Object *self);
    Object *(*subscript)(Host *host, Object *self, Object *key);
    bool (*set_subscript)(Host *host, Object *self, Object *key, Object *value);
    Object *(*call)(Host *host, Object *self, const HostCall *call);
    Object *(*next)(Host *host, Object *self, int64_t index); /* NULL: the end */
    int64_t (*length)(Host *host, Object *self);              /* -1: raised */
    bool (*truth)(Host *host, Object *self);
    void (*print)(Host *host, Object *self, Buf *out, bool as_repr);
    Object *(*format)(Host *host, Object *self, Str spec); /* NULL: as its print */
    Object *(*make)(Host *host, const HostCall *call);     /* what a call of its class makes */
};
extern const HostType class_type, instance_type, native_type, cell_type, iterator_type, lazy_type,
    property_type, super_type, generator_type, genexpr_type;

/* A class of Python's or of the file's: the payload of class_type. They stay to the end. */
typedef struct Class {
    Str name, qualified;
    Object *object;
    int num_bases, num_order;
    Object **bases, **order; /* order: itself and all above it, as Python looks through them */
    Map members;
    PythonClass native; /* of Python's own: which; else that of the nearest one above */
    bool is_native, is_exception, is_abc;
    Str missing;    /* of an abstract class: what of it is abstract, "'f', 'g'" */
    int num_fields; /* of a dataclass or NamedTuple */
    Str *fields;
    Object **defaults;
    bool *only_by_name; /* of each field: after KW_ONLY; or NULL */
    bool is_dataclass, is_tuple;
    int dataclass_flags;
    Block body;
    Object *module;            /* its name; NULL: of Python's own */
    const HostType *host_type; /* whose class it is; NULL: of none */
} Class;
enum { DATACLASS_FROZEN = 1, DATACLASS_ORDER = 2, DATACLASS_HASH = 4 };
extern const HostType field_type;

typedef struct Place { /* of an exception, innermost first */
    Span span;
} Place;

typedef struct ObjectPool {
    Object **data;
    int count, capacity;
} ObjectPool;

/* While a function is traced (torch.compile): what it reads of things that were there before is
 * told, so that it can be looked at again before the trace is used; what it changes of them, and
 * what reaches beyond the script, is refused. */
typedef enum WatchKind { WATCH_NAME, WATCH_CELL, WATCH_ATTRIBUTE } WatchKind;
typedef struct Watch {
    uint32_t serial; /* which objects have that are made meanwhile */
    /* holder: a space of names, a cell, an instance or module; value NULL: it is not there. */
    void (*read)(Host *host, WatchKind kind, void *holder, Str name, Object *value);
    void (*statement)(Host *host, const Stmt *stmt);
    void (*bound)(Host *host, Str name, Object *value);
} Watch;

struct Script {
    Arena *arena, *scratch;
    Module *main; /* the file that runs */
    jmp_buf no_memory;
    Object *objects;
    int64_t num_objects;
    MemoryLimit memory; /* of all its values */
    ObjectPool pool, dead;
    const Watch *watch;          /* NULL: nothing is traced */
    int64_t class_changes;       /* attributes set of classes */
    bool is_freeing, is_closing; /* closing: nothing runs any more */
    struct Generator *generator; /* the one that runs; NULL: none */
    int num_generators;          /* that have a stack */
    Object *poison, *none, *booleans[2];
    Object *raised, *handled; /* an exception on its way; the one that an `except` works on */
    bool is_refused;          /* not an exception: nothing catches it */
    Span raised_at;
    VEC(Place) trace;
    Object *classes[NUM_PYTHON_CLASSES];
    Map builtins, modules;
    Span at;               /* the statement that runs */
    const Host *innermost; /* the function or file that runs */
    char *stack_end;       /* below it calls nest too deeply */
    int depth;
    const char *calling; /* the function in C that was called last */
    const volatile int *interrupted;
    int interrupts; /* those that the script got */
    void (*write)(void *user, const char *text, size_t length);
    void (*complain)(void *user, const char *text, size_t length); /* sys.stderr; or NULL */
    /* A module that src/lang does not know: NULL: there is none. */
    Object *(*import)(Host *host, Str path);
    void *user;
    Str path;
    const char *const *arguments;
    int num_arguments;
    Diag *diag;
    int exit_code; /* of SystemExit */
};

/* ---- heap.c ---- */
void heap_charge(Host *host, size_t bytes); /* of what is not the heap's; back: heap_discharge */
void heap_discharge(Script *script, size_t bytes);
Object *heap_new(Host *host, ObjectKind kind); /* the pool has it */
Object *heap_host(Host *host, const HostType *type, int num_items, Object *const *items);
Object *host_keep(Host *host, Object *object); /* for a store: on the heap, one reference more */
void host_drop(Host *host, Object *object);
Object *host_hold(Host *host, Object *object); /* the pool has it, too */
void host_store(Host *host, Object **place, Object *value);
typedef struct Moment {
    int pool;
    ArenaMark mark;
} Moment;
Moment moment_of(Host *host);
void moment_end(Host *host, Moment moment);
void heap_close(Script *script);
Object *heap_list(Host *host, ObjectKind kind, int count, Object *const *items);
Object *heap_set(Host *host);
bool list_insert(Host *host, Object *list, int at, Object *item);
void list_remove(Host *host, Object *list, int at, int count);
Object *dict_find(Host *host, const Object *dict, Object *key); /* NULL: it is not in it */
Object *dict_find_text(const Object *dict, Str key);
bool dict_put(Host *host, Object *dict, Object *key, Object *value);
bool dict_remove(Host *host, Object *dict, Object *key);
bool set_put(Host *host, Object *set, Object *item);
bool set_has(Host *host, const Object *set, Object *item);
bool is_set_object(const Object *object);
bool is_set_view(const Object *object); /* script_list.c: d.keys(), d.items() */
Object *set_of(Host *host, Object *iterable);

/* ---- script_error.c ---- */
#define is_raised(host) ((host)->script && (host)->script->raised)
Object *host_raise(Host *host, PythonClass class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Object *host_refuse(Host *host, const char *format, ...) __attribute__((format(printf, 2, 3)));
void host_raise_object(Host *host, Object *exception);
Object *exception_new(Host *host, Object *class, int num_args, Object *const *args);
Object *take_raised(Host *host);
extern const HostType traceback_type; /* says nothing */
/* __cause__, __context__ .. */
void exception_note(Host *host, Object *exception, const char *name, Object *value);
void script_complain(Host *host, Buf *out);

/* ---- watch.c ---- */
static inline bool is_outside(const Host *host, const Object *object) {
    return host->script->watch && object->born != host->script->watch->serial;
}
/* False, and refused, while a function is traced: of an object that was there before; at all. */
bool host_may_change(Host *host, const Object *object, const char *what);
bool host_may_do(Host *host, const char *what);
static inline Object *host_was_read(Host *host, WatchKind kind, void *holder, Str name,
                                    Object *value) {
    if (host->script->watch) host->script->watch->read(host, kind, holder, name, value);
    return value;
}

/* ---- script_class.c ---- */
Object *class_of(Host *host, const Object *object);
static inline Class *class_info(const Object *class) { return class->payload; }
bool class_is(const Object *class, const Object *of);
bool object_is_instance(Host *host, const Object *object, PythonClass class);
Object *class_member(const Object *class, Str name); /* of it or a class above; NULL */
Object *class_new(Host *host, Str name, int num_bases, Object *const *bases);
Object *class_statement(Host *host, const Stmt *stmt);
void classes_open(Host *host);
Object *host_get(Host *host, Object *object, Str name); /* NULL: it has no such attribute */
Object *host_attribute(Host *host, Object *object, Str name);
bool host_set_attribute(Host *host, Object *object, Str name, Object *value);
bool host_delete_attribute(Host *host, Object *object, Str name);
Object *instance_new(Host *host, Object *class);
Object *class_call(Host *host, Object *class, const HostCall *call);
/* instance.__name__(args), or NULL when its class has none. */
Object *special_call(Host *host, Object *object, const char *name, int num_args,
                     Object *const *args);
Object *dataclass_of(Host *host, Object *class, int flags);

/* ---- script_attribute.c ---- */
/* Python's object has it, whether or not it is here. */
bool python_has(Host *host, const Object *object, Str name);
Object *class_method_of(Host *host, Object *class, Str name); /* str.lower; NULL: none */
Object *number_method(Host *host, Object *self, Str name);
/* The method of this name of an instance, bound; NULL: it has none, or is no instance. */
Object *host_own(Host *host, Object *object, const char *name);
Object *host_says(Host *host, Object *object, const char *name); /* a tensor's, too */
Object *host_index(Host *host, Object *object);             /* by its __index__, where it has one */
bool is_descriptor(const Object *member, const char *hook); /* "__get__", "__set__" */
void name_descriptors(Host *host, Object *class, const Object *names);
bool class_is_known(Host *host, Block body); /* false, and refused */
bool slots_forbid(const Object *object, Str name);

/* ---- script_call.c ---- */
Object *host_invoke(Host *host, Object *callee, const HostCall *call);
Object *host_trunc(Host *host, double number); /* int(number) */
Object *host_invoke_with(Host *host, Object *callee, int num_args, Object *const *args);
HostCall host_call_with(Host *host, Object *first, const HostCall *call); /* before its arguments */
Object *native_new(Host *host, const Native *native, Object *self);
/* The row of that name, as a method of `self`; NULL: there is none. */
Object *native_of(Host *host, const Native *rows, int count, Str name, Object *self);
Object *method_new(Host *host, Object *self, Object *function);
const char *native_name(const Object *native);
Object *function_new(Host *host, const FunctionDef *def);
void script_import(Host *host, const Stmt *stmt);
Object *host_import(Host *host, Str path); /* NULL: there is none, or raised */
bool script_run_file(Host *host, Module *module, Str name);
/* What runs and what called it, "train (train.py:41)", from the innermost; to the end of the
 * statement. How many, at most `most`. */
int script_stack(const Script *script, const char **names, int most);
Object *host_load(Host *host, const Expr *name);
bool host_bind(Host *host, Str name, Object *value);
bool host_bind_slot(Host *host, int slot, Str name, Object *value);
Object *script_comprehension(Host *host, const Expr *expr);

/* The variables of a call that begins. */
void frame_open(Host *host, const Object *function, Object *const *values);

/* ---- script_genexpr.c ---- */
Object *genexpr_new(Host *host, const Expr *expr);

/* ---- script_generator.c ---- */
/* Takes over the frame's values. */
Object *generator_new(Host *host, const Host *frame, Object *function);
Object *generator_result(Host *host, Object *generator); /* after its end: `return x`; or NULL */
Object *script_yield(Host *host, const Expr *expr);
void generators_leave(Script *script);

/* ---- script_stmt.c ---- */
typedef enum Flow { FLOW_ON, FLOW_RETURN, FLOW_BREAK, FLOW_CONTINUE, FLOW_UNKNOWN } Flow;
Flow script_block(Host *host, Block block, Object **result);
/* script_match.c: the case that fits, whose names are bound; NULL: none, or raised. */
const MatchCase *script_match(Host *host, const Stmt *stmt);

/* ---- script_ops.c ---- */
Object *script_binary(Host *host, Operator op, Object *a, Object *b);
Object *script_unary(Host *host, Operator op, Object *a);
Object *script_compare(Host *host, Operator op, Object *a, Object *b);
bool script_equal(Host *host, Object *a, Object *b);
bool script_truth(Host *host, Object *object);
Object *script_subscript(Host *host, Object *object, Object *key);
bool script_set_subscript(Host *host, Object *object, Object *key, Object *value);
bool script_delete_subscript(Host *host, Object *object, Object *key);
Object *host_iterator(Host *host, Object *object);
Object *host_next(Host *host, Object *iterator); /* NULL: the end, or raised */
int64_t script_length(Host *host, Object *object);
bool script_hash(Host *host, const Object *key, uint64_t *hash);
bool host_int(Host *host, const Object *object, const char *what, int64_t *value);
bool host_double(Host *host, const Object *object, const char *what, double *value);
bool host_text(Host *host, const Object *object, const char *what, Str *value);
bool slice_ends(Host *host, const Object *slice, int64_t length, int64_t *start, int64_t *stop,
                int64_t *step);
int text_length(Str text);        /* in characters */
Str text_at(Str text, int index); /* a character */

/* ---- script_text.c ---- */
Object *host_str(Host *host, Object *object);
Object *host_repr(Host *host, Object *object);
void host_print(Host *host, Object *object, Buf *out, bool as_repr);
Object *host_format(Host *host, Object *object, Str spec);
Object *format_percent(Host *host, Str text, Object *values);
Object *format_fields(Host *host, Str text, const HostCall *call);
Object *script_fstring(Host *host, const Expr *expr);

/* ---- script_str.c, script_list.c, script_builtins.c, script_modules.c ---- */
Object *str_method(Host *host, Object *self, Str name);
Object *container_method(Host *host, Object *self, Str name);
bool sort_items(Host *host, int count, Object **items, Object *key, bool reverse);
void builtins_open(Host *host);
extern const Native chain_native; /* itertools.chain */
Object *builtins_class_call(Host *host, const Class *class, const HostCall *call);
Object *host_module_new(Host *host, const char *name);
void module_add(Host *host, Object *module, const char *name, Object *value);
void module_add_natives(Host *host, Object *module, const Native *natives, int count);
Object *host_module_of(Host *host, const char *name, const Native *natives, int count);
Object *module_import(Host *host, Str path);
extern const HostType module_type;
Object *sys_exit(Host *host, Object *const *args, const HostCall *call); /* exit(), too */

/* ---- script_scan.c ---- */
/* Before the file runs. False, and refused: it surely uses what is not there. */
bool script_scan(Host *host);

/* ---- script_set.c ---- */
/* In a file that is parsed and not resolved yet: gives a name the value that the text says. False
 * after a diagnostic: it is no setting, or the file has no such name. */
bool script_set(Arena *arena, Ast *ast, const char *text, Diag *diag);

/* ---- script.c ---- */
typedef struct ScriptOptions {
    const LangOptions *lang;
    const volatile int *interrupted;
    void (*write)(void *user, const char *text, size_t length);    /* standard output */
    void (*complain)(void *user, const char *text, size_t length); /* standard error; or NULL */
    Object *(*import)(Host *host, Str path);
    void *user;
    const char *const *arguments; /* sys.argv after the path */
    int num_arguments;
    const char *const *settings; /* each "NAME=VALUE" or "FUNCTION.NAME=VALUE": script_set.c */
    int num_settings;
    size_t most_bytes; /* of its values; 0: 1 GiB */
    /* What is done when the file has run, whose __name__ is then its own; NULL: it is __main__. */
    void (*after)(Host *host, Module *module);
} ScriptOptions;
/* Runs the file from the top. 0: it ended; 1: an exception, whose words are in *complaint; 2: it
 * did not parse; 3: it needs what is not supported; or what it gave to sys.exit. */
int script_run(Arena *arena, const Source *source, Str path, const ScriptOptions *options,
               Buf *complaint);

#endif
