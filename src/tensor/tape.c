// SPDX-License-Identifier: Apache-2.0
#include "tensor/tape.h"

#include <stdio.h>
#include <stdlib.h>

Layout layout_of(const tern_tensor *tensor) {
    Layout layout = {.dtype = tensor->dtype, .rank = tensor->rank, .offset = tensor->offset};
    memcpy(layout.shape, tensor->shape, sizeof layout.shape);
    memcpy(layout.strides, tensor->strides, sizeof layout.strides);
    return layout;
}

static bool say_no_memory(tern_session *session) {
    session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    return false;
}

/* ---- what a tensor is to the tape ---- */

static Grad *grad_new(tern_session *session, const Layout *layout) {
    Grad *grad = calloc(1, sizeof *grad);
    if (!grad) {
        say_no_memory(session);
        return NULL;
    }
    grad->references = 1;
    grad->session = session;
    grad->layout = *layout;
    return grad;
}

static Grad *grad_keep(Grad *grad) {
    grad->references++;
    return grad;
}

static void set_edge(Grad *grad, TapeNode *node, int output) {
    TapeNode *old = grad->edge.node;
    if (old && old->grads[grad->edge.output] == grad) old->grads[grad->edge.output] = NULL;
    grad->edge = (Edge){node, output};
    if (node) node->grads[output] = grad;
    node_drop(old);
}

void grad_drop(Grad *grad) {
    if (!grad || --grad->references) return;
    set_edge(grad, NULL, 0);
    tern_drop(grad->gradient);
    grad_drop(grad->base);
    free(grad);
}

static Grad *root_of(Grad *grad) { return grad->base ? grad->base : grad; }

static bool is_stale(const Grad *grad) { return grad->base && grad->seen != grad->base->rewrites; }

/* Is there anything recorded, or to be? */
static bool grad_wants(const Grad *grad) {
    return grad->requires_grad || grad->edge.node || is_stale(grad);
}

static bool tensor_wants(const tern_tensor *tensor) {
    return tensor->grad ? grad_wants(tensor->grad) : tensor->storage->history != NULL;
}

bool tape_wants(const tern_session *session, const tern_operand *operands, int count) {
    if (!session->grad_mode) return false;
    for (int i = 0; i < count; i++)
        if (operands[i].kind == TERN_OPERAND_TENSOR && operands[i].tensor &&
            tensor_wants(operands[i].tensor))
            return true;
    return false;
}

bool tape_wants_tensors(const tern_session *session, tern_tensor *const *tensors, int count) {
    for (int i = 0; i < count && session->grad_mode; i++)
        if (tensors[i] && tensor_wants(tensors[i])) return true;
    return false;
}

/* ---- nodes ---- */

static TapeNode *node_alloc(tern_session *session, int kind, int num_inputs, int num_outputs,
                            int num_saved) {
    size_t size = sizeof(TapeNode) + (size_t)num_inputs * (sizeof(Edge) + sizeof(Layout)) +
                  (size_t)num_outputs * (sizeof(Layout) + sizeof(Grad *) + sizeof(tern_tensor *)) +
                  (size_t)num_saved * sizeof(Saved);
    TapeNode *node = calloc(1, size);
    if (!node) {
        say_no_memory(session);
        return NULL;
    }
    node->saved = (Saved *)(node + 1);
    node->inputs = (Layout *)(node->saved + num_saved);
    node->outputs = node->inputs + num_inputs;
    node->edges = (Edge *)(node->outputs + num_outputs);
    node->grads = (Grad **)(node->edges + num_inputs);
    node->pending = (tern_tensor **)(node->grads + num_outputs);
    node->references = 1;
    node->kind = kind;
    node->session = session;
    node->sequence = ++session->num_nodes;
    node->num_inputs = num_inputs;
    node->num_outputs = num_outputs;
    node->num_saved = num_saved;
    return node;
}

static void saved_drop(Saved *saved) {
    if (saved->kind == SAVED_TENSOR) {
        storage_drop(saved->tensor.storage);
        if (!saved->is_output) node_drop(saved->edge.node);
    }
    saved->kind = SAVED_NOTHING;
}

static void node_free(TapeNode *node) {
    for (int i = 0; i < node->num_saved; i++) saved_drop(&node->saved[i]);
    for (int i = 0; i < node->num_inputs; i++) node_drop(node->edges[i].node);
    if (node->leaf) {
        node->leaf->leaf = NULL;
        grad_drop(node->leaf);
    }
    if (node->kind == NODE_CUSTOM && node->function.release)
        node->function.release(node->function.user);
    free(node);
}

/* A chain of a million ops goes one node at a time, not one within another. */
void node_drop(TapeNode *node) {
    if (!node || --node->references) return;
    tern_session *session = node->session;
    node->next = session->dying;
    session->dying = node;
    if (session->is_freeing) return;
    session->is_freeing = true;
    while (session->dying) {
        TapeNode *dead = session->dying;
        session->dying = dead->next;
        node_free(dead);
    }
    session->is_freeing = false;
}

/* The history of a storage as the base of a tensor in it that has no Grad of its own. */
static bool join_history(tern_tensor *tensor) {
    Layout layout = layout_of(tensor);
    Grad *grad = grad_new(tensor->session, &layout);
    if (!grad) return false;
    grad->base = grad_keep(tensor->storage->history);
    grad->seen = -1;
    tensor->grad = grad;
    return true;
}

/* A view whose base was written through another view is a part of what that became. */
static bool renew(tern_session *session, Grad *grad) {
    Grad *base = grad->base;
    TapeNode *node = NULL;
    if (base->edge.node) {
        node = node_alloc(session, NODE_SEEN, 1, 1, 0);
        if (!node) return false;
        node->edges[0] = base->edge;
        base->edge.node->references++;
        node->inputs[0] = base->layout;
        node->attributes.part = grad->layout;
        node->outputs[0] = grad->layout;
    }
    set_edge(grad, node, 0);
    grad->seen = base->rewrites;
    return true;
}

bool tape_edge(tern_tensor *tensor, Edge *edge) {
    *edge = (Edge){NULL, 0};
    if (!tensor->grad && !tensor->storage->history) return true;
    if (!tensor->grad && !join_history(tensor)) return false;
    Grad *grad = tensor->grad;
    if (is_stale(grad) && !renew(tensor->session, grad)) return false;
    *edge = grad->edge;
    if (!edge->node && grad->requires_grad) {
        edge->node = grad->leaf;
        if (!grad->leaf) {
            TapeNode *leaf = node_alloc(tensor->session, NODE_LEAF, 0, 1, 0);
            if (!leaf) return false;
            leaf->leaf = grad_keep(grad);
            leaf->outputs[0] = grad->layout;
            edge->node = grad->leaf = leaf;
            return true;
        }
    }
    if (edge->node) edge->node->references++;
    return true;
}

TapeNode *node_new(tern_session *session, int kind, const tern_operand *operands, int num_inputs,
                   int num_outputs, int num_saved) {
    TapeNode *node = node_alloc(session, kind, num_inputs, num_outputs, num_saved);
    for (int i = 0; i < num_inputs && node; i++) {
        if (operands[i].kind != TERN_OPERAND_TENSOR || !operands[i].tensor) continue;
        node->inputs[i] = layout_of(operands[i].tensor);
        if (tape_edge(operands[i].tensor, &node->edges[i])) continue;
        node_drop(node);
        return NULL;
    }
    if (node) node->sequence = ++session->num_nodes; /* after leaves that were made on the way */
    return node;
}

/* ---- what is kept for the way back ---- */

static void node_save(TapeNode *node, int place, const tern_operand *operand) {
    Saved *saved = &node->saved[place];
    if (operand->kind != TERN_OPERAND_TENSOR) {
        saved->kind = SAVED_NUMBER;
        saved->number = *operand;
        return;
    }
    if (!operand->tensor) return;
    saved->kind = SAVED_TENSOR;
    saved->tensor = *operand->tensor;
    saved->tensor.references = 1;
    saved->tensor.noted = 0;
    saved->tensor.grad = NULL;
    saved->version = saved->tensor.storage->version;
    saved->tensor.storage->references++;
}

static void save_output(TapeNode *node, int place, tern_tensor *out, int output) {
    node_save(node, place, &(tern_operand){TERN_OPERAND_TENSOR, out, 0, 0});
    node->saved[place].is_output = true;
    node->saved[place].edge = (Edge){node, output};
}

/* An input, with what made it. */
static void save_input(TapeNode *node, int place, const tern_operand *operand, int input) {
    node_save(node, place, operand);
    if (node->saved[place].kind != SAVED_TENSOR) return;
    node->saved[place].edge = node->edges[input];
    if (node->edges[input].node) node->edges[input].node->references++;
}

static bool say_written(const TapeNode *node, const Saved *saved) {
    (void)node;
    tern_session *session = saved->tensor.session;
    char by[80] = "";
    if (saved->edge.node && saved->edge.node->kind != NODE_LEAF) {
        node_name(saved->edge.node);
        snprintf(by, sizeof by, ", which is output %d of %s,", saved->edge.output,
                 saved->edge.node->name);
    }
    session_fail(session, TERN_ERROR_ARGUMENT,
                 "one of the variables needed for gradient computation has been modified by an "
                 "inplace operation: [torch.%s%sTensor %s]%s is at version %lld; expected version "
                 "%lld instead. Hint: enable anomaly detection to find the operation that failed "
                 "to compute its gradient, with torch.autograd.set_detect_anomaly(True).",
                 session->is_cuda ? "cuda." : "", torch_type_name(saved->tensor.dtype),
                 sizes_text(saved->tensor.shape, saved->tensor.rank).text, by,
                 (long long)saved->tensor.storage->version, (long long)saved->version);
    return false;
}

bool node_unpack(TapeNode *node, int place, tern_operand *operand) {
    const Saved *saved = &node->saved[place];
    *operand = saved->kind == SAVED_NUMBER ? saved->number : tern_of(NULL);
    if (saved->kind != SAVED_TENSOR) return true;
    if (saved->version != saved->tensor.storage->version) return say_written(node, saved);
    tern_tensor *tensor = view_same(&saved->tensor);
    *operand = tern_of(tensor);
    if (!tensor || !saved->edge.node || !node->session->grad_mode) return tensor != NULL;
    if (saved->edge.node->kind == NODE_LEAF) {
        tensor->grad = grad_keep(saved->edge.node->leaf);
        return true;
    }
    Layout layout = layout_of(tensor);
    Grad *grad = grad_new(node->session, &layout);
    if (!grad) return false;
    tensor->grad = grad;
    grad->edge = saved->edge; /* beside the tensor's own, which the node knows */
    grad->edge.node->references++;
    return true;
}

void node_use_up(TapeNode *node) {
    for (int i = 0; i < node->num_saved; i++) {
        if (node->saved[i].kind != SAVED_NOTHING) node->is_used_up = true;
        saved_drop(&node->saved[i]);
    }
}

/* ---- noting ---- */

tern_tensor *tape_attach(tern_tensor *out, TapeNode *node) {
    Layout layout;
    Grad *grad = NULL;
    if (out && node) {
        layout = layout_of(out);
        grad = grad_new(node->session, &layout);
    }
    if (!grad) {
        node_drop(node);
        tern_drop(out);
        return NULL;
    }
    node->outputs[0] = layout;
    set_edge(grad, node, 0);
    grad_drop(out->grad);
    out->grad = grad;
    return out;
}

static void save_row(TapeNode *node, int op, const tern_operand *operands, int count) {
    bool is_needed[3] = {false};
    for (int i = 0; i < count; i++) is_needed[i] = node->edges[i].node != NULL;
    unsigned saves = row_saves(op, is_needed);
    for (int i = 0; i < count; i++)
        if (saves >> i & 1) save_input(node, i, &operands[i], i);
}

tern_tensor *tape_row(tern_tensor *out, int op, const tern_operand *operands, int count,
                      const Attributes *attributes) {
    if (!out || !tern_dtype_is_float(out->dtype) || !row_is_differentiable(op) ||
        !tape_wants(out->session, operands, count))
        return out;
    TapeNode *node = node_new(out->session, op, operands, count, 1, NUM_SAVED);
    if (node) {
        bool is_needed[3] = {false};
        node->attributes = *attributes;
        save_row(node, op, operands, count);
        for (int i = 0; i < count; i++) is_needed[i] = node->edges[i].node != NULL;
        if (row_saves(op, is_needed) >> SAVE_Y & 1) save_output(node, SAVE_Y, out, 0);
    }
    return tape_attach(out, node);
}

/* A view of one that nothing is recorded of, or made while nothing is. */
static tern_tensor *view_apart(tern_tensor *view, const tern_tensor *of) {
    Layout layout = layout_of(view);
    Grad *grad = grad_new(view->session, &layout);
    if (!grad) {
        tern_drop(view);
        return NULL;
    }
    if (tensor_wants(of))
        grad->is_of_no_grad = true;
    else {
        grad->base = grad_keep(root_of(of->grad));
        grad->seen = grad->base->rewrites;
    }
    view->grad = grad;
    return view;
}

tern_tensor *tape_view(tern_tensor *view, tern_tensor *of, int kind, const Attributes *attributes) {
    if (!view || (!of->grad && !of->storage->history)) return view;
    tern_operand operand = tern_of(of);
    if (!tape_wants(of->session, &operand, 1) || !tern_dtype_is_float(of->dtype))
        return view_apart(view, of);
    TapeNode *node = node_new(of->session, kind, &operand, 1, 1, 0);
    if (node && attributes) node->attributes = *attributes;
    if (node && kind == NODE_PART) {
        strides_of(of->rank, of->shape, node->inputs[0].strides);
        node->inputs[0].offset = 0;
    }
    view = tape_attach(view, node);
    if (!view) return NULL;
    view->grad->base = grad_keep(root_of(of->grad));
    view->grad->seen = view->grad->base->rewrites;
    return view;
}

tern_tensor *tape_alias(tern_tensor *alias, const tern_tensor *of) {
    if (alias && of->grad) alias->grad = grad_keep(of->grad);
    return alias;
}

/* ---- writes in place ---- */

static bool check_write(tern_tensor *out, int op, bool in_place) {
    const Grad *grad = out->grad, *base = grad ? grad->base : NULL;
    const char *words = NULL;
    if (!in_place) {
        session_fail(out->session, TERN_ERROR_ARGUMENT,
                     "%s(): functions with out=... arguments don't support automatic "
                     "differentiation, but one of the arguments requires grad.",
                     tern_op_name((tern_op_id)op));
        return false;
    }
    if (grad && grad->requires_grad && !grad->edge.node)
        words = "a leaf Variable that requires grad is being used in an in-place operation.";
    else if (base && base->requires_grad && !base->edge.node)
        words = "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation.";
    else if (grad && grad->is_of_no_grad)
        words = "A view was created in no_grad mode and is being modified inplace with grad mode "
                "enabled. Given that this use case is ambiguous and error-prone, it is forbidden. "
                "You can clarify your code by moving both the view and the inplace either both "
                "inside the no_grad block (if you don't want the inplace to be tracked) or both "
                "outside (if you want the inplace to be tracked).";
    if (words) session_fail(out->session, TERN_ERROR_ARGUMENT, "%s", words);
    return !words;
}

/* What the write takes away is kept as a copy. */
static bool save_before(TapeNode *node, const tern_tensor *out, int place) {
    Saved *saved = &node->saved[place];
    if (saved->kind != SAVED_TENSOR || saved->tensor.storage != out->storage) return true;
    tern_session *session = out->session;
    bool mode = tern_set_grad_mode(session, false);
    tern_tensor *copy = tern_clone(&saved->tensor);
    session->grad_mode = mode;
    if (!copy) return false;
    storage_drop(saved->tensor.storage);
    Edge edge = saved->edge;
    node_save(node, place, &(tern_operand){TERN_OPERAND_TENSOR, copy, 0, 0});
    saved->edge = edge;
    tern_drop(copy);
    return true;
}

bool tape_write_begin(tern_tensor *out, int op, const tern_operand *operands, int count, double p,
                      double q, bool in_place, Write *write) {
    tern_operand written = tern_of(out);
    *write = (Write){NULL};
    if (!tape_wants(out->session, operands, count) && !tape_wants(out->session, &written, 1))
        return true;
    if (!tern_dtype_is_float(out->dtype)) return true;
    if (!check_write(out, op, in_place)) return false;
    write->node = node_new(out->session, op, operands, count, 1, NUM_SAVED);
    if (!write->node) return false;
    write->node->attributes.p = p;
    write->node->attributes.q = q;
    write->node->is_in_place = true;
    save_row(write->node, op, operands, count);
    for (int i = 0; i < count; i++)
        if (!save_before(write->node, out, i)) {
            node_drop(write->node);
            return false;
        }
    return true;
}

/* A tensor that is all of its storage, and alone in it, needs no history there. */
static bool begin_history(tern_tensor *out) {
    size_t size = tern_dtype_size(out->dtype);
    Layout all = {.dtype = out->dtype, .rank = 1};
    all.shape[0] = (int64_t)(out->storage->size_bytes / size);
    all.strides[0] = 1;
    if (out->storage->references == 1) {
        Layout layout = layout_of(out);
        return (out->grad = grad_new(out->session, &layout)) != NULL;
    }
    if (!out->storage->history) out->storage->history = grad_new(out->session, &all);
    return out->storage->history && join_history(out);
}

/* The base is what it was, but for the part, which is the written view. */
static bool rewrite_base(tern_tensor *out) {
    Grad *grad = out->grad, *base = grad->base;
    TapeNode *node = node_alloc(out->session, NODE_SET_PART, 2, 1, 0);
    if (!node) return false;
    node->edges[0] = base->edge;
    node->edges[1] = grad->edge;
    for (int i = 0; i < 2; i++)
        if (node->edges[i].node) node->edges[i].node->references++;
    node->inputs[0] = node->outputs[0] = base->layout;
    node->inputs[1] = node->attributes.part = layout_of(out);
    set_edge(base, node, 0);
    grad->seen = ++base->rewrites;
    return true;
}

tern_status tape_write_end(tern_tensor *out, Write *write, tern_status status) {
    out->storage->version++;
    TapeNode *node = write->node;
    if (!node) return status;
    if (status || (!out->grad && !begin_history(out))) {
        node_drop(node);
        return status ? status : TERN_ERROR_NO_MEMORY;
    }
    bool is_needed[3] = {false};
    for (int i = 0; i < node->num_inputs; i++) is_needed[i] = node->edges[i].node != NULL;
    if (row_saves(node->kind, is_needed) >> SAVE_Y & 1) save_output(node, SAVE_Y, out, 0);
    node->outputs[0] = layout_of(out);
    set_edge(out->grad, node, 0);
    return !out->grad->base || rewrite_base(out) ? TERN_OK : TERN_ERROR_NO_MEMORY;
}

/* ---- functions of the user's own ---- */

static tern_status record_fail(tern_session *session, const tern_grad_rule *function,
                               TapeNode *node) {
    if (node)
        node_drop(node); /* releases */
    else if (function->release)
        function->release(function->user);
    return tern_message_status(session->context);
}

static bool check_record(tern_session *session, const tern_grad_rule *function,
                         tern_tensor *const *in, int num_in, tern_tensor *const *out, int num_out) {
    for (int i = 0; i < num_out; i++) {
        if (!tensor_is_live(out[i])) {
            if (!out[i])
                session_fail(session, TERN_ERROR_ARGUMENT, "%s: its output %d is missing",
                             function->name, i);
            return false;
        }
        for (int j = 0; j < num_in; j++)
            if (in[j] == out[i]) {
                session_fail(session, TERN_ERROR_ARGUMENT,
                             "%s: its output %d is its input %d: return tern_detach of it",
                             function->name, i, j);
                return false;
            }
    }
    return true;
}

static void save_any(TapeNode *node, int place, tern_tensor *tensor, tern_tensor *const *in,
                     int num_in, tern_tensor *const *out, int num_out) {
    tern_operand operand = tern_of(tensor);
    for (int i = 0; i < num_out; i++)
        if (out[i] == tensor) {
            save_output(node, place, tensor, i);
            return;
        }
    for (int i = 0; i < num_in; i++)
        if (in[i] == tensor) {
            save_input(node, place, &operand, i);
            return;
        }
    node_save(node, place, &operand);
}

tern_status tern_record(tern_session *session, const tern_grad_rule *function,
                        tern_tensor *const *in, int num_in, tern_tensor *const *out, int num_out,
                        tern_tensor *const *saved, int num_saved) {
    if (!check_record(session, function, in, num_in, out, num_out))
        return record_fail(session, function, NULL);
    if (!tape_wants_tensors(session, in, num_in)) {
        if (function->release) function->release(function->user);
        return TERN_OK;
    }
    tern_operand *operands = calloc((size_t)num_in + 1, sizeof *operands);
    TapeNode *node = NULL;
    if (operands) {
        for (int i = 0; i < num_in; i++) operands[i] = tern_of(in[i]);
        node = node_new(session, NODE_CUSTOM, operands, num_in, num_out, num_saved);
    } else
        say_no_memory(session);
    free(operands);
    if (!node) return record_fail(session, function, NULL);
    node->function = *function;
    snprintf(node->name, sizeof node->name, "%.38sBackward", function->name);
    node->function.name = NULL;
    for (int i = 0; i < num_saved; i++)
        if (saved[i]) save_any(node, i, saved[i], in, num_in, out, num_out);
    for (int i = 0; i < num_out; i++) {
        node->outputs[i] = layout_of(out[i]);
        bool has = tern_dtype_is_float(out[i]->dtype) &&
                   !(i < 64 && function->not_differentiable >> i & 1);
        if (!has) continue;
        Grad *grad = grad_new(session, &node->outputs[i]);
        if (!grad) return record_fail(session, function, node);
        node->references++;
        set_edge(grad, node, i);
        grad_drop(out[i]->grad);
        out[i]->grad = grad;
    }
    node_drop(node); /* its outputs hold it */
    return TERN_OK;
}

/* ---- the functions of the header ---- */

static bool is_leaf(const tern_tensor *tensor) {
    return !tensor->grad || (!tensor->grad->edge.node && !is_stale(tensor->grad));
}

tern_status tern_set_requires_grad(tern_tensor *tensor, bool requires_grad) {
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    tern_session *session = tensor->session;
    if (!is_leaf(tensor) || tensor->storage->history) {
        if (requires_grad) return TERN_OK;
        return session_fail(session, TERN_ERROR_ARGUMENT,
                            "you can only change requires_grad flags of leaf variables. If you "
                            "want to use a computed variable in a subgraph that doesn't require "
                            "differentiation use var_no_grad = var.detach().");
    }
    if (requires_grad && !tern_dtype_is_float(tensor->dtype))
        return session_fail(session, TERN_ERROR_ARGUMENT,
                            "only Tensors of floating point dtype can require gradients");
    Layout layout = layout_of(tensor);
    if (!tensor->grad && requires_grad && !(tensor->grad = grad_new(session, &layout)))
        return TERN_ERROR_NO_MEMORY;
    if (tensor->grad) tensor->grad->requires_grad = requires_grad;
    return TERN_OK;
}

bool tern_requires_grad(const tern_tensor *tensor) { return tensor && tensor_wants(tensor); }

bool tern_is_leaf(const tern_tensor *tensor) {
    return is_leaf(tensor) && (tensor->grad || !tensor->storage->history);
}

bool tern_grad_mode(const tern_session *session) { return session->grad_mode; }

bool tern_set_grad_mode(tern_session *session, bool records) {
    bool before = session->grad_mode;
    session->grad_mode = records;
    return before;
}

tern_tensor *tern_detach(tern_tensor *tensor) {
    if (!tensor_is_live(tensor)) return NULL;
    tern_tensor *view = view_same(tensor);
    if (!view) return NULL;
    Layout layout = layout_of(tensor);
    view->grad = grad_new(view->session, &layout);
    if (view->grad) return view;
    tern_drop(view);
    return NULL;
}

const char *tern_grad_function(const tern_tensor *tensor) {
    Edge edge;
    if (!tensor_is_live(tensor) || !tensor_wants(tensor)) return NULL;
    if (!tape_edge((tern_tensor *)tensor, &edge) || !edge.node) return NULL;
    bool is_op = edge.node->kind != NODE_LEAF;
    node_name(edge.node);
    node_drop(edge.node); /* the tensor holds it, if it is an op's */
    return is_op ? edge.node->name : NULL;
}

int64_t tern_tensor_version(const tern_tensor *tensor) { return tensor->storage->version; }

tern_tensor *tern_gradient(tern_tensor *tensor) {
    if (!tensor_is_live(tensor) || !tensor->grad || !tensor->grad->gradient) return NULL;
    return tape_alias(view_same(tensor->grad->gradient), tensor->grad->gradient);
}

tern_status tern_set_gradient(tern_tensor *tensor, tern_tensor *gradient) {
    if (!tensor_is_live(tensor) || (gradient && !tensor_is_live(gradient)))
        return TERN_ERROR_ARGUMENT;
    tern_session *session = tensor->session;
    bool same = !gradient || gradient->rank == tensor->rank;
    for (int d = 0; d < tensor->rank && gradient && same; d++)
        same = gradient->shape[d] == tensor->shape[d];
    if (!same)
        return session_fail(session, TERN_ERROR_ARGUMENT,
                            "assigned grad has data of a different size");
    if (gradient && gradient->dtype != tensor->dtype)
        return session_fail(session, TERN_ERROR_ARGUMENT,
                            "assigned grad has data of a different type");
    Layout layout = layout_of(tensor);
    if (!tensor->grad && !gradient) return TERN_OK;
    if (!tensor->grad && !(tensor->grad = grad_new(session, &layout))) return TERN_ERROR_NO_MEMORY;
    tern_tensor *kept = gradient ? tern_keep(gradient) : NULL;
    tern_drop(tensor->grad->gradient);
    tensor->grad->gradient = kept;
    return TERN_OK;
}

tern_status tern_retain_grad(tern_tensor *tensor) {
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    if (!tensor_wants(tensor))
        return session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                            "can't retain_grad on Tensor that has requires_grad=False");
    Edge edge;
    if (!tape_edge(tensor, &edge)) return TERN_ERROR_NO_MEMORY;
    tensor->grad->retains = edge.node->kind != NODE_LEAF;
    node_drop(edge.node);
    return TERN_OK;
}

/* ---- names ---- */

tern_tensor *tape_name(tern_tensor *tensor, const char *name) {
    TapeNode *node = tensor && tensor->grad ? tensor->grad->edge.node : NULL;
    if (node) snprintf(node->name, sizeof node->name, "%.30sBackward0", name);
    return tensor;
}

/* PyTorch's, where they are not made of the row's. */
static const struct {
    const char *row, *name;
} other_names[] = {
    {"copy", "Clone"},
    {"square", "Pow"},
    {"norm", "LinalgVectorNorm"},
    {"layer_norm", "NativeLayerNorm"},
    {"gelu_tanh", "Gelu"},
    {"log_sigmoid", "LogSigmoid"},
};

void node_name(TapeNode *node) {
    static const char *const kinds[] = {
        [NODE_LEAF - TERN_NUM_OPS] = "AccumulateGrad",
        [NODE_RESHAPE - TERN_NUM_OPS] = "ViewBackward0",
        [NODE_PERMUTE - TERN_NUM_OPS] = "PermuteBackward0",
        [NODE_EXPAND - TERN_NUM_OPS] = "ExpandBackward0",
        [NODE_PART - TERN_NUM_OPS] = "SliceBackward0",
        [NODE_SEEN - TERN_NUM_OPS] = "AsStridedBackward0",
        [NODE_SET_PART - TERN_NUM_OPS] = "CopySlices",
        [NODE_CAT - TERN_NUM_OPS] = "CatBackward0",
        [NODE_STACK - TERN_NUM_OPS] = "StackBackward0",
        [NODE_TRIANGLE - TERN_NUM_OPS] = "TriuBackward0",
        [NODE_CUSTOM - TERN_NUM_OPS] = "Function",
    };
    if (node->name[0]) return;
    if (node->kind >= TERN_NUM_OPS) {
        const char *name = kinds[node->kind - TERN_NUM_OPS];
        bool is_lower = node->kind == NODE_TRIANGLE && node->attributes.is_lower;
        snprintf(node->name, sizeof node->name, "%s", is_lower ? "TrilBackward0" : name);
        return;
    }
    const char *row = tern_op_name((tern_op_id)node->kind);
    char camel[40];
    size_t length = 0;
    bool starts = true;
    for (const char *at = row; *at && length + 1 < sizeof camel; at++) {
        if (*at != '_') camel[length++] = (char)(starts ? *at - 'a' + 'A' : *at);
        starts = *at == '_';
    }
    camel[length] = 0;
    if (node->kind == TERN_OP_matmul)
        snprintf(camel, sizeof camel, node->outputs[0].rank == 2 ? "Mm" : "Bmm");
    bool is_copy = node->kind == TERN_OP_copy && node->is_in_place;
    for (int i = 0; i < COUNT(other_names); i++)
        if (!strcmp(other_names[i].row, row))
            snprintf(camel, sizeof camel, "%s", other_names[i].name);
    bool by_tensor = node->kind == TERN_OP_pow && node->inputs[1].dtype != TERN_VOID;
    bool over_dims = false;
    for (int d = 0; d < node->inputs[0].rank; d++)
        over_dims = over_dims || !node->attributes.in_row[d];
    bool reduces = node->kind == TERN_OP_sum || node->kind == TERN_OP_mean;
    if (is_copy)
        snprintf(node->name, sizeof node->name, "CopyBackwards");
    else
        snprintf(node->name, sizeof node->name, "%.36sBackward%d", camel,
                 by_tensor || (reduces && over_dims));
}
