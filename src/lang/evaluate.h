// SPDX-License-Identifier: Apache-2.0
/* evaluate: the seam between the two halves of lang: the host half (module.c, host.c: files,
 * module globals, decorators, compile-time functions) and the kernel half (lower*.c: jit functions
 * become IR). Each calls the other only through what is here. */
#ifndef TERN_EVALUATE_H
#define TERN_EVALUATE_H

#include "lang/object.h"

/* ---- what the host half gives ---- */

/* What `name` stands for at the top level of the module, evaluated at the first use; also Python's
 * own names (min, range, float ..) through builtin_attribute("builtins"). NULL when nothing defines
 * it. A value that cannot be known is OBJECT_OPAQUE: the user of the value complains. */
Object *module_lookup(Arena *arena, Module *module, Str name, Diag *diag);
/* The outermost decorator around triton.jit that is not Triton's own, or NULL: only running it says
 * what the name is. */
const Expr *module_wrapper_of_jit(const Module *module, const FunctionDef *def);
/* The names that the file's statements bind, for messages. */
int module_global_names(Arena *arena, const Module *module, Str **names);
/* The same for `module.name` where module is a loaded file. */
Object *module_function_object(Arena *arena, Module *module, const JitFunction *function);
/* module.name, also of one that was not found; NULL when the module is known and has no such name.
 */
Object *import_attribute(Arena *arena, Object *module, Str name, Diag *diag);
/* Evaluates a host expression among the module's globals. `locals` (Str -> Object *) may be NULL.
 * Never NULL: OBJECT_ERROR after diag_error. */
Object *host_evaluate(Arena *arena, Module *module, const Expr *expr, const Map *locals,
                      Diag *diag);
/* Calls a Python function (a lambda, a @triton.constexpr_function, a plain def) at compile time.
 * names[i] is empty for a positional argument; names may be NULL. Bounded in steps. */
Object *host_call(Arena *arena, Object *function, int num_args, Object *const *args,
                  const Str *names, Span span, Diag *diag);

/* ---- what the kernel half gives ---- */

/* Is `path` ("triton.language.extra.libdevice", "triton", "math", "builtins") a module that tern
 * knows without reading a file? */
bool builtin_module_exists(Str path);
/* path.name: a function, dtype, constant or another built-in module; NULL when there is none (then
 * it may be what tern does not support: the caller says so by name). */
Object *builtin_attribute(Arena *arena, Str path, Str name);
/* A call with compile-time arguments from host code: triton.cdiv(10, 3), tl.constexpr(4),
 * min(a, b), len(x). OBJECT_OPAQUE when the function has no meaning at compile time. */
Object *builtin_call_host(Arena *arena, const Builtin *builtin, int num_args, Object *const *args,
                          const Str *names, Span span, Diag *diag);
/* dtype.name: .primitive_bitwidth, .is_floating(), .element_ty .. ; NULL when there is none. Also
 * of strings, tuples and other compile-time values. Methods come back as OBJECT_METHOD. */
Object *value_attribute(Arena *arena, Object *value, Str name);
const char *builtin_name(const Builtin *builtin); /* "triton.language.load" */

#endif
