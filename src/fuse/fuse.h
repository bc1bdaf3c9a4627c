// SPDX-License-Identifier: Apache-2.0
/* fuse: traced functions as few kernels.
 *
 *     function.c    a plan a key of types, shapes and strides; calling it
 *     plan.c        trace -> steps: kernels, and ops that stand alone, in an order
 *
 * It stands on src/tensor: a trace's runs are what eager ops launch, and one that stands alone runs
 * as they do. */
#ifndef TERN_FUSE_FUSE_H
#define TERN_FUSE_FUSE_H

#include "tensor/trace.h"

/* A kernel, or a node of the trace that is run as an eager op. */
typedef struct Step {
    int node;
    int num_storages, *storages; /* that it reads or writes */
} Step;

/* Of a function, for one key. */
typedef struct FusePlan {
    Arena *arena; /* of all below; the trace has its own */
    jmp_buf no_memory;
    int64_t *key;
    int key_length;
    uint64_t last_call;
    Trace *trace;
    int num_in, num_out;
    tern_tensor *outs; /* by value, on the trace's storages */
    int *out_storages;
    bool writes_outside; /* to arguments or kept tensors */
    VEC(Step) steps;
    /* During a call, of each storage: what it is, where it begins, the last step that uses it. */
    Storage **real;
    int64_t *offsets;
    int *last_use;
} FusePlan;

/* ---- plan.c ---- */
/* Fills in the steps. */
tern_status fuse_plan(FusePlan *plan);
tern_status fuse_run(FusePlan *plan);

#endif
