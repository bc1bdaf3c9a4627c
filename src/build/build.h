// SPDX-License-Identifier: Apache-2.0
/* build: kernels as plain C that needs no tern.
 *
 * A pattern names signatures (pattern.c); each is compiled for each target and is a form. Forms
 * whose C prototypes are equal belong to one C function, which takes the first form all of whose
 * promises hold. What is printed of a form's promises is what it was compiled with: both come from
 * the kernel's own parameters. header.c, source.c: the two texts; runtime_*.inc: what is the same
 * in all of them, C11 and C++17 at once; packages.c: for pkg-config and CMake. */
#ifndef TERN_BUILD_H
#define TERN_BUILD_H

#include "api/context.h"

enum { MAX_FORMS = 256, MAX_PARAMETERS = 255 };

typedef VEC(const char *) Texts;

/* ---- pattern.c ---- */

/* All signatures that a pattern stands for: `{a,b}` is a or b, `{0}` the same choice as in the
 * first braces, promises with a `?` behind hold all, or none does. False: `why` says what is
 * wrong. */
bool pattern_expand(Arena *arena, Str pattern, Texts *signatures, Str *why);

/* ---- require.c ---- */

typedef struct Requirement {
    const char *c; /* an expression of C over int64_t's of the names; NULL: nothing is required */
    const char *text;
    Texts names; /* of parameters in it, each once */
} Requirement;
/* A Python expression over integer parameters: comparisons, and, or, not, + - * // %, integers. */
bool require_parse(Arena *arena, const char *text, Diag *diag, Requirement *requirement);

/* ---- build.c ---- */

typedef enum Role {
    ROLE_PASSED, /* the C function's parameter, given to the kernel unless a form has it as 1 */
    ROLE_CHOICE, /* the C function's parameter, which only chooses a form */
    ROLE_FIXED,  /* one constant in all forms: no parameter */
} Role;

typedef struct Parameter {
    const char *name, *c_name;
    tern_dtype dtype; /* ROLE_PASSED */
    bool is_pointer, is_written;
    Role role;
    const char *constant; /* ROLE_FIXED */
} Parameter;

typedef struct Compiled {
    const char *target;
    tern_kernel *kernel;
    Str cubin; /* machine code of the kernel's PTX; empty: the text itself is exported */
    const char *text_name; /* cpu: of the kernel's text in the file; equal texts are there once */
} Compiled;

typedef struct Form {
    const char *signature;
    int number;                /* in the file */
    int num_warps, num_stages; /* 0: as all forms */
    VEC(Compiled) compiled;
} Form;

typedef struct Function {
    const char *name, *suffix; /* "softmax_fp16", "_fp16" */
    const Parameter *parameters;
    VEC(Form *) forms; /* most promises first */
} Function;

typedef struct Build {
    Arena *arena;
    jmp_buf *oom;
    tern_module *module;
    const tern_function *kernel; /* in the source */
    const char *name, *caps;
    Requirement require;
    int num_parameters, grid_axes, num_forms;
    bool header_only;
    VEC(Function) functions;
    VEC(Form *) forms;
} Build;

/* Of a form's parameter: NULL where the kernel has it as a constant. */
const tern_parameter *form_parameter(const Form *form, int index);
const char *form_constant(const Form *form, int index); /* NULL where it is a value */
/* What a form promises of a parameter: 1 nothing; an integer that is 1: is_one. */
int form_divisible(const Form *form, int index, bool *is_one);

/* ---- header.c, source.c ---- */

/* "const float *x_ptr, int32_t n, int64_t BLOCK": what a C function takes behind `before`. */
void print_parameters(Buf *out, const Build *build, const Function *function, const char *before);
void print_grid(Buf *out, const Build *build); /* "uint32_t grid_x, uint32_t grid_y" */
void print_words(Buf *out, const char *text);  /* in a comment of C */
bool is_first_choice(const Function *function, int form, int index);
void print_choices(Buf *out, const Function *function, int index); /* "1024, 2048" */
/* A runtime_*.inc with the names of this kernel. */
void print_template(Buf *out, const Build *build, const char *start, const char *end);
void print_escaped(Buf *out, const char *text, size_t length); /* for a literal of C */
void print_header(Buf *out, Build *build);
void print_description(Buf *out, Build *build);
void print_source(Buf *out, Build *build);
/* The text without places in the source: it is not debugged where it goes. */
Str plain_ptx(Arena *arena, Str text);

const char *c_type(tern_dtype dtype); /* "uint16_t" */

/* ---- torch.c ---- */

const char *torch_refuses(const Build *build); /* why it cannot be said to PyTorch; NULL: it can */
void print_torch(Buf *out, Build *build);

/* ---- packages.c ---- */

void print_pkg_config(Buf *out, Build *build);
void print_cmake(Buf *out, Build *build);

#endif
