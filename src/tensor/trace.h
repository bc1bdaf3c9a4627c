// SPDX-License-Identifier: Apache-2.0
/* trace: what a function does with tensors, noted instead of done.
 *
 * While a session traces, memory that an op asks for is a number and nothing else (its buffer is
 * NULL), and what would be launched is noted: one Run a launch. Views are as ever: sizes and
 * strides on a storage. So a trace is a list of runs in the order of the program, over storages;
 * who reads them (src/fuse) may run them as they stand, or put several into a kernel.
 *
 * Storages that were there before (weights that the function knows) are kept by the trace, and
 * so is host data that the function makes tensors of: both are read, when the trace runs, as
 * they are then. */
#ifndef TERN_TENSOR_TRACE_H
#define TERN_TENSOR_TRACE_H

#include "tensor/plan.h"

enum { RUN_OPERANDS = 3 };
typedef enum RunKind { RUN_MAP, RUN_TAKE, RUN_PUT, RUN_ROWS, RUN_PRODUCT } RunKind;
/* The arguments of map_run, take_run, put_run, rows_run or product_run. */
typedef struct Run {
    RunKind kind;
    int op;
    tern_dtype compute;
    int num_operands;
    tern_operand operands[RUN_OPERANDS];
    double p, q;
    int64_t step;
    bool in_row[TERN_MAX_RANK], keeps;
} Run;

typedef struct TraceNode {
    Run run;                           /* its tensors are those below */
    tern_tensor tensors[RUN_OPERANDS]; /* by value: the program drops its own */
    tern_tensor out;
    const char *name; /* NULL: the program gave none */
    const char *note; /* likewise: tern_note */
} TraceNode;

typedef enum StorageRole { STORAGE_ARGUMENT, STORAGE_KEPT, STORAGE_MADE } StorageRole;
typedef struct TraceStorage {
    Storage *storage; /* the trace holds a reference */
    StorageRole role;
    int argument;
    const char *name;
    int num_writes;
    int writer;    /* the node that wrote it last; -1: none */
    bool is_whole; /* the first write was of all of it, before any was read */
    bool is_read;
} TraceStorage;

/* An index that comes from outside: held against the rule when the trace runs, before anything
 * else. */
typedef struct TraceCheck {
    tern_tensor index;
    IndexRule rule;
} TraceCheck;

struct Trace {
    tern_session *session;
    Arena *arena;
    jmp_buf no_memory;
    int serial;
    const char *note;   /* of the nodes to come */
    tern_status status; /* of the first op that was refused */
    VEC(TraceNode *) nodes;
    VEC(TraceStorage) storages;
    VEC(TraceCheck) checks;
};

/* From here on the session's ops are noted. NULL: no memory, which is said. */
Trace *trace_begin(tern_session *session);
void trace_end(Trace *trace); /* the session runs again what it is asked for */
void trace_free(Trace *trace);
/* A tensor that stands for the function's argument number `argument`: of a storage of its own. */
tern_tensor *trace_argument(Trace *trace, const tern_tensor *like, int argument);
tern_status trace_run(Trace *trace, const Run *run, const tern_tensor *out);
int trace_storage_of(const Trace *trace, const tern_tensor *tensor); /* -1: unknown */
/* The storage is written once, by one node that writes all of it before anything is read. */
bool trace_is_value(const Trace *trace, int storage);
/* Runs a node with the storages that `real` gives for the trace's; `offsets`: where these begin. */
tern_status trace_run_node(const Trace *trace, const TraceNode *node, Storage *const *real,
                           const int64_t *offsets);
tern_tensor trace_real(const Trace *trace, const tern_tensor *seen, Storage *const *real,
                       const int64_t *offsets);

#endif
