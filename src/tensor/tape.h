// SPDX-License-Identifier: Apache-2.0
/* tape: what was done with tensors that require a gradient, so that it can be walked back.
 *
 *     x -----> mul -----> sum -----> y     a TapeNode an op, older ones on the left; a Grad a
 *     Grad    TapeNode   TapeNode   Grad  tensor: which output of which node it is
 *
 * A node has an edge for each of its inputs, to the node that made it; a leaf's node is the leaf
 * itself. A node is newer than all that its edges point to, so that the order in which they were
 * made, backwards, is an order in which each has its gradient whole before it is its turn.
 *
 *     tape.c      Grads, nodes, what they save, writes in place
 *     derive.c    what a node does with the gradient of its result: derivatives.def
 *     backward.c  the walk
 *
 * Handles of one tensor share its Grad. A tensor without one may lie in a storage that has a
 * history: something recorded was written into a part of it. */
#ifndef TERN_TENSOR_TAPE_H
#define TERN_TENSOR_TAPE_H

#include "tensor/tensor.h"

typedef struct TapeNode TapeNode;
typedef struct Edge {
    TapeNode *node; /* NULL: no gradient is asked for */
    int output;
} Edge;

/* Where a tensor's elements lie. */
typedef struct Layout {
    tern_dtype dtype;
    int rank;
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK], offset;
} Layout;

struct Grad {
    int references;
    tern_session *session;
    bool requires_grad;    /* a leaf that does */
    bool retains;          /* not a leaf, but wants its gradient */
    bool is_of_no_grad;    /* a view that was made with grad mode off, of one that requires it */
    tern_tensor *gradient; /* NULL: none yet */
    Edge edge;             /* a reference; node NULL: no op made it */
    TapeNode *leaf;        /* not a reference: the node that stands for it */
    Grad *base;            /* of a view; a reference; NULL: it is none */
    Layout layout;
    int rewrites, seen; /* of a base: how often a view of it was written; of a view: up to which */
};

/* A value kept for later. */
typedef struct Saved {
    enum { SAVED_NOTHING, SAVED_NUMBER, SAVED_TENSOR } kind;
    tern_operand number;
    tern_tensor tensor; /* by value; a reference to its storage */
    bool is_output;     /* of the node itself, number edge.output: it holds no reference to it */
    Edge edge;          /* what made it; a reference but for the node's own */
    int64_t version;
} Saved;

enum { SAVE_A, SAVE_B, SAVE_C, SAVE_Y, NUM_SAVED = 4 };

/* Nodes that are no rows of the table. */
typedef enum NodeKind {
    NODE_LEAF = TERN_NUM_OPS,
    NODE_RESHAPE, /* views of the same elements in the same order */
    NODE_PERMUTE,
    NODE_EXPAND,
    NODE_PART,     /* attributes.part of the input as if it lay row-major */
    NODE_SEEN,     /* likewise, of the input as it lies */
    NODE_SET_PART, /* input 0, where the part is input 1 */
    NODE_CAT,
    NODE_STACK,
    NODE_TRIANGLE,
    NODE_CUSTOM,
} NodeKind;

typedef struct Attributes {
    double p, q;
    bool in_row[TERN_MAX_RANK]; /* of rows */
    int dim, dims[TERN_MAX_RANK];
    int64_t number; /* a diagonal */
    bool is_lower;
    Layout part;
} Attributes;

struct TapeNode {
    int references;
    int kind; /* NodeKind, or a row's number */
    tern_session *session;
    uint64_t sequence;
    int num_inputs, num_outputs, num_saved;
    Edge *edges;           /* of inputs */
    Layout *inputs;        /* of those with an edge */
    Layout *outputs;       /* what their gradients are like */
    Grad **grads;          /* of the outputs, not references */
    tern_tensor **pending; /* during a walk: of each output the gradient so far */
    Saved *saved;
    Attributes attributes;
    Grad *leaf; /* of a leaf's node; a reference */
    tern_grad_rule function;
    char name[48];
    bool is_used_up, is_queued, is_in_place;
    TapeNode *next; /* of those that are being freed */
};

/* ---- tape.c ---- */

/* Is an op on these recorded? NULL and numbers are allowed. */
bool tape_wants(const tern_session *session, const tern_operand *operands, int count);
bool tape_wants_tensors(const tern_session *session, tern_tensor *const *tensors, int count);
/* The node of an op, with edges to what made the operands; NULL: no memory, which is said. */
TapeNode *node_new(tern_session *session, int kind, const tern_operand *operands, int num_inputs,
                   int num_outputs, int num_saved);
void node_drop(TapeNode *node);
/* The tensor becomes the node's output; takes over the node's reference. On failure of either (or
 * node NULL): drops the tensor, NULL. */
tern_tensor *tape_attach(tern_tensor *out, TapeNode *node);
/* A row's op, after it has run: saves what the row's gradients read. out may be NULL. */
tern_tensor *tape_row(tern_tensor *out, int op, const tern_operand *operands, int count,
                      const Attributes *attributes);
/* A view, likewise; kind: of nodes. */
tern_tensor *tape_view(tern_tensor *view, tern_tensor *of, int kind, const Attributes *attributes);
/* What made it is called NAMEBackward0. */
tern_tensor *tape_name(tern_tensor *tensor, const char *name);
/* The same tensor under another handle. */
tern_tensor *tape_alias(tern_tensor *alias, const tern_tensor *of);

/* Before and after a write in place. */
typedef struct Write {
    TapeNode *node; /* NULL: it is not recorded */
} Write;
/* May out be written in place by this op? False: said. in_place: out is an operand, or all of it is
 * replaced. */
bool tape_write_begin(tern_tensor *out, int op, const tern_operand *operands, int count, double p,
                      double q, bool in_place, Write *write);
tern_status tape_write_end(tern_tensor *out, Write *write, tern_status status);

/* The edge to what made a tensor; node NULL: nothing that requires a gradient. Not a reference.
 * False: no memory, which is said. */
bool tape_edge(tern_tensor *tensor, Edge *edge);
void grad_drop(Grad *grad); /* NULL is allowed */
Layout layout_of(const tern_tensor *tensor);
/* Real handles of what was saved, as operands: of a tensor it is a new tensor, which the open scope
 * drops. False: it was written since, which is said. */
bool node_unpack(TapeNode *node, int place, tern_operand *operand);
void node_use_up(TapeNode *node); /* drops what it saved */
/* As a TapeNode's name: "MulBackward0". */
void node_name(TapeNode *node);

/* ---- derive.c ---- */
/* Which of a row's values its gradients read, given which are asked for: bits by SAVE_. */
unsigned row_saves(int op, const bool *is_needed);
/* False: ops of this row have no gradient (comparisons, argmax). */
bool row_is_differentiable(int op);
/* Of each input with an edge the gradient, a tensor of the open scope or NULL: zero. */
tern_tensor *tensor_laid_out(const Layout *layout, tern_tensor *tensor); /* a copy */
tern_status node_derive(TapeNode *node, tern_tensor *const *gradients, tern_tensor **in_gradients);

/* ---- what both need of others ---- */
/* A tensor full of a number, made by an op: also while ops are traced. Strides NULL: row-major. */
tern_tensor *tensor_filled(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                           const int64_t *strides, double value);
/* A dimension's elements in the other order; NULL of NULL. */
tern_tensor *tensor_flip(tern_tensor *tensor, int dim);
/* As tern_gather and tern_scatter_add, of an index that is in order. */
tern_tensor *tensor_gather(tern_tensor *x, int dim, tern_tensor *index);
tern_tensor *tensor_scatter_add(tern_tensor *x, int dim, tern_tensor *index, tern_tensor *source);

#endif
