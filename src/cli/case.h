// SPDX-License-Identifier: Apache-2.0
/* case: a recorded launch, as tools/tern_record.py writes it; doc/replay.md describes the form. */
#ifndef TERN_CLI_CASE_H
#define TERN_CLI_CASE_H

#include "cli/values.h"

typedef struct CaseStorage {
    const char *name; /* "s0" */
    size_t size_bytes;
    tern_dtype dtype;              /* of the first tensor that sees it */
    unsigned char *before, *after; /* from malloc; after is NULL where nothing changed */
} CaseStorage;

typedef struct CaseArg {
    const char *name;
    ArgValue *value;     /* tensors have no storage of their own */
    const char *literal; /* goes into the signature as it is: a jit function's name */
    int storage;         /* tensors: index */
    size_t offset_bytes;
    int64_t align; /* of the recorded pointer */
    bool is_part;  /* a tensor in a tuple or descriptor: NAME.0, NAME.base */
} CaseArg;

typedef struct Case {
    const char *folder, *name, *file, *function, *sha1;
    int line;
    uint32_t grid[3];
    int num_warps, num_stages; /* 0: not said */
    bool has_data;
    VEC(CaseArg) args;
    VEC(tern_value) globals;
    VEC(CaseStorage) storages;
} Case;

/* TERN_OK; TERN_ERROR_UNSUPPORTED for what is in order but refused; TERN_ERROR_ARGUMENT or
 * TERN_ERROR_SYSTEM for what is not in order or cannot be read; then *why has the words. What is in
 * the case so far (name, file, line) is filled either way. */
tern_status case_read(Arena *arena, const char *folder, Case *recorded, Str *why);
void case_free(Case *recorded);

#endif
