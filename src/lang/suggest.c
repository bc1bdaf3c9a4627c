// SPDX-License-Identifier: Apache-2.0
/* suggest: what to write instead of a name that is not there, and of host values that a kernel
 * cannot have. The idioms come first, then the nearest of the names that there are. */
#include "lang/lower.h"

#include <stdlib.h>

/* What people write who come from PyTorch and NumPy, or from a signature. */
static const struct {
    const char *name, *instead;
} functions[] = {
    {"mean", "tl.sum(x, axis) / n"},
    {"var", "tl.sum((x - mean) * (x - mean), axis) / n"},
    {"relu", "tl.maximum(x, 0.0)"},
    {"matmul", "tl.dot(a, b)"},
    {"mm", "tl.dot(a, b)"},
    {"bmm", "tl.dot(a, b)"},
    {"concatenate", "tl.cat(a, b)"},
    {"concat", "tl.cat(a, b)"},
    {"stack", "tl.join(a, b)"},
    {"transpose", "tl.trans(x)"},
    {"ones", "tl.full(shape, 1, dtype)"},
    {"empty", "tl.zeros(shape, dtype)"},
    {"ones_like", "tl.full(x.shape, 1, x.dtype)"},
    {"full_like", "tl.full(x.shape, value, x.dtype)"},
    {"square", "x * x"},
    {"reciprocal", "1.0 / x"},
    {"sign", "tl.where(x > 0, 1, tl.where(x < 0, -1, 0))"},
    {"inf", "float('inf')"},
    {"pi", "math.pi, with 'import math'"},
    {"any", "tl.max(x != 0, axis)"},
    {"all", "tl.min(x != 0, axis)"},
    {"prod", "tl.reduce(x, axis, f) with a jit function f(a, b) that returns a * b"},
    {"int", "tl.int32"},
    {"float", "tl.float32"},
    {"double", "tl.float64"},
    {"bool", "tl.int1"},
    {"half", "tl.float16"},
};

/* Methods of tensors that PyTorch has and the language has not. */
static const struct {
    const char *name, *instead;
} methods[] = {
    {"float", "x.to(tl.float32)"},
    {"half", "x.to(tl.float16)"},
    {"bfloat16", "x.to(tl.bfloat16)"},
    {"double", "x.to(tl.float64)"},
    {"int", "x.to(tl.int32)"},
    {"short", "x.to(tl.int16)"},
    {"long", "x.to(tl.int64)"},
    {"bool", "x != 0"},
    {"astype", "x.to(dtype)"},
    {"size", "x.shape[i]"},
    {"dim", "len(x.shape)"},
    {"ndim", "len(x.shape)"},
    {"mean", "tl.sum(x, axis) / n"},
    {"pow", "libdevice.pow(x, y), or x * x"},
    {"square", "x * x"},
    {"tanh", "libdevice.tanh(x)"},
    {"relu", "tl.maximum(x, 0.0)"},
    {"matmul", "tl.dot(x, y)"},
    {"dot", "tl.dot(x, y)"},
    {"mm", "tl.dot(x, y)"},
    {"transpose", "tl.trans(x)"},
    {"t", "tl.trans(x)"},
    {"unsqueeze", "tl.expand_dims(x, axis)"},
    {"squeeze", "tl.reshape(x, shape)"},
    {"expand", "tl.broadcast_to(x, shape)"},
    {"contiguous", "x: a tile has no layout in memory"},
    {"clone", "x: tiles are values"},
    {"data_ptr", "the pointer parameter itself"},
    {"stride", "a parameter of the kernel"},
    {"masked_fill", "tl.where(mask, value, x)"},
    {"clamp", "tl.clamp(x, low, high)"},
};

/* Edits between two names, up to `most`; two letters that changed places are one. */
static int distance(Str a, const char *b, int most) {
    enum { LONGEST = 48 };
    int rows[3][LONGEST + 1], length = (int)strlen(b);
    if (a.length > LONGEST || length > LONGEST || abs(a.length - length) > most) return most + 1;
    for (int k = 0; k <= length; k++) rows[0][k] = k;
    for (int i = 1; i <= a.length; i++) {
        int *above = rows[(i + 2) % 3], *row = rows[i % 3];
        const int *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int k = 1; k <= length; k++) {
            int change = above[k - 1] + (a.data[i - 1] != b[k - 1]);
            int remove = above[k] + 1, insert = row[k - 1] + 1;
            row[k] = change < remove ? change : remove;
            if (insert < row[k]) row[k] = insert;
            bool swapped = i > 1 && k > 1 && a.data[i - 1] == b[k - 2] && a.data[i - 2] == b[k - 1];
            if (swapped && before[k - 2] + 1 < row[k]) row[k] = before[k - 2] + 1;
        }
    }
    return rows[a.length % 3][length];
}

typedef struct Nearest {
    Str name;
    int distance;
    const char *best;
} Nearest;

static Nearest nearest_to(Str name) { return (Nearest){name, 1 + name.length / 4, NULL}; }

static void consider(Nearest *nearest, const char *candidate) {
    int edits = distance(nearest->name, candidate, nearest->distance);
    if (*candidate == '_' || edits > nearest->distance) return;
    if (nearest->best && edits == nearest->distance) return;
    nearest->distance = edits;
    nearest->best = candidate;
}

void suggest_in_module(Lower *l, Str path, Str name) {
    bool is_language = str_starts(path, "triton.language") && !str_ends(path, "libdevice");
    LType type;
    if (is_language && builtin_find("triton.language.extra.libdevice", name)) {
        lower_help(l, "it is libdevice.%.*s, with 'from triton.language.extra import libdevice'",
                   STR_ARG(name));
        return;
    }
    for (int i = 0; is_language && i < COUNT(functions); i++)
        if (str_is(name, functions[i].name)) {
            lower_help(l, "write %s", functions[i].instead);
            return;
        }
    if (is_language && ltype_from_signature(name, &type) && !type.levels) {
        lower_help(l, "it is tl.%s: '%.*s' is a word of signatures",
                   dtype_language_name(type.dtype), STR_ARG(name));
        return;
    }
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < builtin_count(); i++)
        if (!strcmp(builtin_at(i)->module, builtin_table_module(path)))
            consider(&nearest, builtin_at(i)->name);
    for (DType dtype = 0; is_language && dtype < DTYPE_VOID; dtype++)
        consider(&nearest, dtype_language_name(dtype));
    if (nearest.best) lower_help(l, "did you mean '%s'?", nearest.best);
}

void suggest_member(Lower *l, Str name) {
    for (int i = 0; i < COUNT(methods); i++)
        if (str_is(name, methods[i].name)) {
            lower_help(l, "write %s", methods[i].instead);
            return;
        }
    static const char *const fields[] = {"shape", "dtype", "type", "numel", "T"};
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < builtin_count(); i++)
        if (builtin_at(i)->is_member) consider(&nearest, builtin_at(i)->name);
    for (int i = 0; i < COUNT(fields); i++) consider(&nearest, fields[i]);
    if (nearest.best) lower_help(l, "did you mean '%s'?", nearest.best);
}

void suggest_name(Lower *l, Str name) {
    const Env *env = &l->frame->env;
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < env->count; i++)
        if (env->data[i].value) consider(&nearest, str_c(l->arena, env->data[i].name));
    Str *globals;
    int count = module_global_names(l->arena, l->frame->module, &globals);
    for (int i = 0; i < count; i++) consider(&nearest, str_c(l->arena, globals[i]));
    if (nearest.best) lower_help(l, "did you mean '%s'?", nearest.best);
}

/* ---- values that only Python knows ---- */

/* Is the module one that runs in Python only, whatever folder it may lie in? */
static bool is_host_library(Str path) {
    static const char *const heads[] = {"torch", "numpy", "cupy", "jax",       "scipy",
                                        "os",    "sys",   "time", "functools", "random"};
    for (int i = 0; i < path.length; i++)
        if (path.data[i] == '.') path.length = i;
    for (int i = 0; i < COUNT(heads); i++)
        if (str_is(path, heads[i])) return true;
    return false;
}

/* 'exp' of the module 'numpy': the function of the language with that name. */
static void help_from_library(Lower *l, const Object *unknown) {
    Str text = unknown->text;
    int length = 0;
    if (!str_starts(text, "'")) return;
    while (1 + length < text.length && text.data[1 + length] != '\'') length++;
    Str name = {text.data + 1, length};
    if (builtin_find("triton.language", name))
        lower_help(l, "the language has tl.%.*s", STR_ARG(name));
    else
        suggest_in_module(l, STR("triton.language"), name);
}

Object *lower_unknown(Lower *l, const Object *unknown, Span span) {
    if (!unknown->missing.length || is_host_library(unknown->missing)) {
        bool is_name = str_starts(unknown->text, "the value"); /* of a global that changes */
        lower_error(l, span, "%s%.*s is not known at compile time", is_name ? "" : "the value of ",
                    STR_ARG(unknown->text));
        if (unknown->missing.length)
            help_from_library(l, unknown);
        else if (unknown->global.length)
            lower_help(l, "--global %.*s=VALUE gives it one", STR_ARG(unknown->global));
        return object_error(l->arena);
    }
    if (map_get(&l->missing, unknown->missing)) return object_error(l->arena);
    map_set(&l->missing, unknown->missing, (void *)(uintptr_t)1);
    Str text = unknown->text;
    const char *module = memmem(text.data, (size_t)text.length, " of the module", 14);
    if (module) text.length = (int)(module - text.data);
    lower_error(l, span, "the module '%.*s' is not found%s%.*s", STR_ARG(unknown->missing),
                module ? ": it has " : "", module ? text.length : 0, text.data);
    if (unknown->global.length)
        lower_help(l, "-I DIR adds a folder to look in; --global %.*s=VALUE gives the name a value",
                   STR_ARG(unknown->global));
    else
        lower_help(l, "-I DIR adds a folder to look in");
    return object_error(l->arena);
}
