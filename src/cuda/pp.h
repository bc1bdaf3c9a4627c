// SPDX-License-Identifier: Apache-2.0
/* pp: what the files of the preprocessor share. */
#ifndef TERN_CU_PP_H
#define TERN_CU_PP_H

#include "cuda/token.h"

enum {
    CU_MAX_INCLUDES = 64,       /* in each other */
    CU_MAX_SOURCE = 16 << 20,   /* bytes of all files read */
    CU_MAX_TOKENS = 1000 * 1000 /* that expansion makes */
};

typedef struct CuMacro {
    Str name;
    CuPlace place;
    bool is_function, is_variadic;
    int num_params;
    Str *params;
    CuToken *body;                         /* ends with CU_END */
    enum { OF_TEXT, OF_LINE, OF_FILE } of; /* __LINE__, __FILE__ */
} CuMacro;

typedef struct CuCondition { /* an #if that is open */
    CuPlace place;
    bool taken, has_else;
    const struct CuCondition *outer;
} CuCondition;

typedef struct CuPp {
    Arena *arena;
    Diag *diag;
    Map macros;
    Map once; /* files that said #pragma once */
    CuCondition *conditions;
    int num_tokens, depth;
    size_t bytes;
    bool failed;
} CuPp;

typedef struct CuFile { /* of a Source of this compilation */
    Str path;           /* as it was opened; empty: from memory */
    Str folder;
    int root; /* of its folder: so many bytes are of the folder that includes may not leave */
    int depth;
} CuFile;

bool cu_pp_fail(CuPp *pp, const CuToken *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CuToken *cu_pp_copy(CuPp *pp, const CuToken *token); /* NULL: too many */
/* Expands the macro that stands at *at; false: none does. */
bool cu_pp_expand(CuPp *pp, CuToken **at);
/* The tokens of a list, up to CU_END, with macros expanded. */
CuToken *cu_pp_expand_list(CuPp *pp, CuToken *list);
void cu_pp_define(CuPp *pp, CuToken *at);                 /* what stands behind #define */
void cu_pp_predefine(CuPp *pp, const CuOptions *options); /* options: or NULL */
/* The value of a condition behind #if; `list` ends with CU_END. */
bool cu_pp_condition(CuPp *pp, CuToken *list, const CuToken *hash);
CuToken *cu_pp_end(CuPp *pp, const CuToken *like);

#endif
