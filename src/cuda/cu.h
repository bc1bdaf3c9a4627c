// SPDX-License-Identifier: Apache-2.0
/* cu: CUDA C source text -> thread form. doc/cuda.md says what is taken and what is refused.
 *
 * There is no syntax tree: a function's tokens are read once for each call and become IR at once,
 * with all names and types known as they are read. What a kernel does not reach is not looked
 * at. */
#ifndef TERN_CU_H
#define TERN_CU_H

#include "ir/ir.h"

typedef struct CuModule CuModule;

typedef struct CuOptions CuOptions;
struct CuOptions {
    const char *const *include_dirs;
    int num_include_dirs;
    const char *const *defines; /* "NAME=TEXT", as cu_is_define has it */
    int num_defines;
    bool is_host; /* what the host's compiler sees: no __CUDA_ARCH__ */
};
/* NAME, NAME=TEXT or NAME(a, b)=TEXT, in one line. */
bool cu_is_define(const char *words);
/* What stands behind #define. */
Str cu_define_text(Arena *arena, const char *words);
/* path: of the file, beside which "includes" lie; empty: the text is from memory. options may be
 * NULL. NULL after diag_error. */
CuModule *cu_load(Arena *arena, const Source *source, Str path, const CuOptions *options,
                  Diag *diag);
/* What it keeps beside the arena that it was loaded in. NULL is allowed. */
void cu_unload(const CuModule *module);

typedef struct CuPiece { /* an argument: a parameter, or a number or pointer in one */
    Str name, pointee;   /* pointee: of a pointer, the name of the number type in a signature,
                            "fp32"; else empty */
    const Type *type;    /* a number, or a pointer to one */
    bool is_unsigned;    /* the number */
    int offset, bytes;   /* in the parameter */
} CuPiece;
typedef struct CuParam {
    Str name, type; /* type: as it is written */
    int bytes;
    int num_parts; /* 1, or of a struct all numbers and pointers in it */
    const CuPiece *parts;
} CuParam;
typedef struct CuKernel { /* a __global__ function */
    Str name;
    Span span, whole; /* of its name; with its body */
    bool is_template; /* cu_find makes one that can be compiled */
    bool is_known;    /* its parameters could be read */
    int num_params;
    const CuParam *params;
    const struct CuDecl *decl;
    const char *args; /* of a template: "<float, 256>"; NULL: none */
} CuKernel;
int cu_num_kernels(const CuModule *module);
const CuKernel *cu_kernel(const CuModule *module, int index);
/* "reduce", "reduce<float, 256>"; NULL: there is no such kernel, or diag_error says why it is
 * none. */
const CuKernel *cu_find_kernel(Arena *arena, const CuModule *module, const char *name, Diag *diag);

typedef struct CuLaunch {
    int block[3];
    int64_t shared_bytes; /* of `extern __shared__` */
    bool has_ptx;         /* instructions of PTX that are for a warp can be used */
} CuLaunch;
/* NULL after diag_error or diag_refused. */
Func *cu_lower(Arena *arena, const CuModule *module, const CuKernel *kernel, const CuLaunch *launch,
               Diag *diag);

/* A `__device__` or `__constant__` variable of the file. */
typedef struct CuSymbol {
    int64_t bytes;
    const unsigned char *initial; /* what it begins as; NULL: zeros */
    bool is_constant;             /* kernels do not write it */
} CuSymbol;
/* The symbol of a kernel whose blocks wait for each other: it starts with 0, and all of a launch's
 * blocks have to be there at the same time. */
#define CU_GRID_BARRIER "__tern_grid_barrier"
/* False: there is none of that name, or an error was said. */
bool cu_symbol(Arena *arena, const CuModule *module, const char *name, CuSymbol *symbol,
               Diag *diag);

/* ---- for another compiler: what it is to be given ---- */

/* The file's own text without what only the host sees, functions and variables: blanks stand for
 * them, so that lines and columns stay. */
Str cu_device_text(Arena *arena, const CuModule *module);
/* What the file gets from headers of the host that are not read: constants and names of types. */
Str cu_host_text(Arena *arena);
/* The file as a C++ compiler for the host is given it (hosted.c); empty after diag_error. */
Str cu_hosted_text(Arena *arena, const CuModule *module, Diag *diag);
/* Does it name a header that was not read? */
bool cu_includes(const CuModule *module, const char *header);
/* Is it a variable of the device's memory that kernels or the host may write? */
bool cu_is_variable(const CuModule *module, Str name, Span *span);
/* A header of the host that was left out, and what stands for it. */
typedef struct CuHeader {
    const char *name, *text;
} CuHeader;
int cu_host_headers(Arena *arena, const CuModule *module, CuHeader **headers); /* how many */
const Source *cu_source(const CuModule *module);
/* The headers that it read; how many. */
int cu_included(Arena *arena, const CuModule *module, const Source ***sources);
/* The folder beside whose file headers lie, ending in '/'; empty: none. */
Str cu_folder(const CuModule *module);
const CuOptions *cu_options(const CuModule *module);
/* With the namespaces it stands in: "ns::reduce<float, 256>". */
Str cu_full_name(Arena *arena, const CuModule *module, const CuKernel *kernel);
/* What names it alone, without arguments of a template: its name, or with namespaces, or its line:
 * "ns::reduce@7". */
Str cu_kernel_name(Arena *arena, const CuModule *module, const CuKernel *kernel);

/* A function for the host, and what it calls; cu_has_host: there is such a function. The IR is for
 * src/host alone: it calls functions by name. NULL after diag_error or diag_refused. */
bool cu_has_host(const CuModule *module, const char *name);
Func *cu_lower_host(Arena *arena, const CuModule *module, const char *name, Diag *diag);

#endif
