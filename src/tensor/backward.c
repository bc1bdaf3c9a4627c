// SPDX-License-Identifier: Apache-2.0
/* backward: the walk back over the tape. Nodes whose gradient has begun to come in wait in a heap;
 * the newest of them has it whole, because what reads its result was made later, and is done. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Walk {
    tern_session *session;
    tern_backward_options options;
    TapeNode **heap; /* the newest first; references */
    int count, capacity;
    bool accumulates;   /* into leaves */
    const Edge *wanted; /* of tern_grad */
    tern_tensor **found;
    int num_wanted;
    uint64_t oldest; /* of the wanted nodes: older ones lead to none */
} Walk;

/* ---- the heap ---- */

static tern_status push(Walk *walk, TapeNode *node) {
    if (node->is_queued) return TERN_OK;
    if (walk->count == walk->capacity) {
        int capacity = walk->capacity ? 2 * walk->capacity : 64;
        TapeNode **heap = realloc(walk->heap, (size_t)capacity * sizeof *heap);
        if (!heap) return session_fail(walk->session, TERN_ERROR_NO_MEMORY, "out of memory");
        walk->heap = heap;
        walk->capacity = capacity;
    }
    node->is_queued = true;
    node->references++;
    int at = walk->count++;
    for (; at && walk->heap[(at - 1) / 2]->sequence < node->sequence; at = (at - 1) / 2)
        walk->heap[at] = walk->heap[(at - 1) / 2];
    walk->heap[at] = node;
    return TERN_OK;
}

static TapeNode *pop(Walk *walk) {
    TapeNode *newest = walk->heap[0], *last = walk->heap[--walk->count];
    int at = 0;
    for (int child; (child = 2 * at + 1) < walk->count; at = child) {
        if (child + 1 < walk->count &&
            walk->heap[child + 1]->sequence > walk->heap[child]->sequence)
            child++;
        if (walk->heap[child]->sequence <= last->sequence) break;
        walk->heap[at] = walk->heap[child];
    }
    walk->heap[at] = last;
    newest->is_queued = false;
    return newest;
}

/* ---- gradients on their way ---- */

/* Takes over a reference. */
static tern_status add_pending(Walk *walk, Edge edge, tern_tensor *gradient) {
    tern_tensor **pending = &edge.node->pending[edge.output];
    if (!*pending) {
        tern_status status = push(walk, edge.node);
        if (status)
            tern_drop(gradient);
        else
            *pending = gradient;
        return status;
    }
    tern_tensor *sum = tern_keep(tern_add(*pending, gradient));
    tern_drop(gradient);
    if (!sum) return tern_message_status(walk->session->context);
    tern_drop(*pending);
    *pending = sum;
    return TERN_OK;
}

static bool is_shape(const tern_tensor *tensor, const Layout *like) {
    return tensor->rank == like->rank &&
           !memcmp(tensor->shape, like->shape, (size_t)like->rank * sizeof *like->shape);
}

/* Of what was broadcast, the sum; in the input's type. NULL: said. */
static tern_tensor *fit(const TapeNode *node, int input, tern_tensor *gradient) {
    const Layout *like = &node->inputs[input];
    int dims[TERN_MAX_RANK], count = 0, lead = gradient->rank - like->rank;
    bool fits = lead >= 0;
    for (int d = 0; d < gradient->rank && fits; d++) {
        int64_t size = d < lead ? -1 : like->shape[d - lead];
        if (size == gradient->shape[d]) continue;
        fits = size == -1 || size == 1;
        dims[count++] = d;
    }
    if (!fits)
        return session_fail_null(
            node->session, TERN_ERROR_ARGUMENT,
            "Function %s returned an invalid gradient at index %d - got %s but expected shape "
            "compatible with %s",
            node->name, input, sizes_text(gradient->shape, gradient->rank).text,
            sizes_text(like->shape, like->rank).text);
    if (count) gradient = tern_sum(gradient, dims, count, false);
    if (gradient && !is_shape(gradient, like))
        gradient = tern_reshape(gradient, like->rank, like->shape);
    if (gradient && gradient->dtype != like->dtype) gradient = tern_to(gradient, like->dtype);
    return gradient;
}

/* ---- leaves ---- */

/* What is expanded, or held elsewhere, is not to be added to; it lies as the leaf does. */
static bool is_own(const tern_tensor *gradient, const Layout *like) {
    const Storage *storage = gradient->storage;
    bool alone = storage->references == 1 && !storage->is_users;
    if (gradient->references != 1 || !(alone || gradient->session->trace)) return false;
    return !memcmp(gradient->strides, like->strides, (size_t)like->rank * sizeof *like->strides);
}

/* As the leaf lies, if that is dense. */
static Layout gradient_layout(const Grad *leaf) {
    tern_tensor like = {.rank = leaf->layout.rank};
    Layout layout = leaf->layout;
    memcpy(like.shape, layout.shape, sizeof like.shape);
    memcpy(like.strides, layout.strides, sizeof like.strides);
    if (!tensor_is_dense(&like)) strides_of(layout.rank, layout.shape, layout.strides);
    return layout;
}

static tern_status accumulate(Walk *walk, Grad *leaf, tern_tensor *gradient) {
    tern_tensor *old = leaf->gradient, *sum;
    Layout layout = gradient_layout(leaf);
    bool in_place = old && !walk->options.create_graph && !old->grad;
    if (in_place)
        return tern_op_into(old, TERN_OP_add, (tern_operand[]){tern_of(old), tern_of(gradient)}, 2,
                            0, 0);
    if (old)
        sum = tern_add(old, gradient);
    else
        sum = is_own(gradient, &layout) ? gradient : tensor_laid_out(&layout, gradient);
    if (!sum) return tern_message_status(walk->session->context);
    leaf->gradient = tern_keep(sum);
    tern_drop(old);
    return TERN_OK;
}

/* ---- the walk ---- */

static tern_status give(Walk *walk, TapeNode *node) {
    for (int i = 0; i < walk->num_wanted; i++) {
        tern_tensor *gradient = node->pending[walk->wanted[i].output];
        if (walk->wanted[i].node == node && gradient) walk->found[i] = tern_keep(gradient);
    }
    for (int i = 0; i < node->num_outputs; i++)
        if (walk->accumulates && node->pending[i] && node->grads[i] && node->grads[i]->retains) {
            tern_drop(node->grads[i]->gradient);
            node->grads[i]->gradient = tern_keep(node->pending[i]);
        }
    if (node->kind == NODE_LEAF && walk->accumulates)
        return accumulate(walk, node->leaf, node->pending[0]);
    return TERN_OK;
}

static tern_status derive(Walk *walk, TapeNode *node) {
    tern_tensor *few[4] = {NULL},
                **gradients = node->num_inputs <= 4
                                  ? few
                                  : calloc((size_t)node->num_inputs, sizeof *gradients);
    if (!gradients) return session_fail(walk->session, TERN_ERROR_NO_MEMORY, "out of memory");
    node_name(node);
    tern_op_push(walk->session->context, node->name, NULL, 0);
    tern_status status = node_derive(node, node->pending, gradients);
    for (int i = 0; i < node->num_inputs && !status; i++) {
        if (!gradients[i] || !node->edges[i].node) continue;
        tern_tensor *fitted = fit(node, i, gradients[i]);
        status = fitted ? add_pending(walk, node->edges[i], tern_keep(fitted))
                        : tern_message_status(walk->session->context);
    }
    tern_range_pop(walk->session->context);
    if (gradients != few) free(gradients);
    return status;
}

static tern_status visit(Walk *walk, TapeNode *node) {
    tern_status status = give(walk, node);
    bool leads = walk->accumulates || node->sequence > walk->oldest;
    if (status || !leads || node->kind == NODE_LEAF) return status;
    if (node->is_used_up)
        return session_fail(
            walk->session, TERN_ERROR_ARGUMENT,
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed). Saved intermediate values of the graph are freed "
            "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
            "to backward through the graph a second time or if you need to access saved tensors "
            "after calling backward.");
    status = tern_scope_open(walk->session);
    if (status) return status;
    status = derive(walk, node);
    tern_scope_close(walk->session);
    if (!walk->options.retain_graph) node_use_up(node);
    return status;
}

static void drop_pending(TapeNode *node) {
    for (int i = 0; i < node->num_outputs; i++) {
        tern_drop(node->pending[i]);
        node->pending[i] = NULL;
    }
}

static tern_status walk_back(Walk *walk) {
    tern_session *session = walk->session;
    tern_status status = TERN_OK;
    bool mode = tern_set_grad_mode(session, walk->options.create_graph);
    bool walks = session->walks_back;
    session->walks_back = true;
    while (walk->count) {
        TapeNode *node = pop(walk);
        if (!status) status = visit(walk, node);
        drop_pending(node);
        node_drop(node);
    }
    session->walks_back = walks;
    session->grad_mode = mode;
    free(walk->heap);
    return status;
}

/* ---- where it begins ---- */

static tern_tensor *first_gradient(tern_tensor *output, tern_tensor *gradient, int number) {
    tern_session *session = output->session;
    if (!gradient) {
        if (output->numel != 1)
            return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                     "grad can be implicitly created only for scalar outputs");
        return tensor_filled(session, output->dtype, output->rank, output->shape, NULL, 1);
    }
    if (!tensor_is_live(gradient)) return NULL;
    Layout layout = layout_of(output);
    if (!is_shape(gradient, &layout))
        return session_fail_null(
            session, TERN_ERROR_ARGUMENT,
            "Mismatch in shape: grad_output[%d] has a shape of torch.Size(%s) and output[%d] has a "
            "shape of torch.Size(%s).",
            number, sizes_text(gradient->shape, gradient->rank).text, number,
            sizes_text(output->shape, output->rank).text);
    if (gradient->dtype != output->dtype) return tern_to(gradient, output->dtype);
    return tape_alias(view_same(gradient), gradient);
}

static tern_status start(Walk *walk, tern_tensor *output, tern_tensor *gradient, int number) {
    Edge edge;
    if (!tensor_is_live(output)) return TERN_ERROR_ARGUMENT;
    if (!tape_edge(output, &edge)) return TERN_ERROR_NO_MEMORY;
    if (!edge.node)
        return session_fail(walk->session, TERN_ERROR_ARGUMENT,
                            "element %d of tensors does not require grad and does not have a "
                            "grad_fn",
                            number);
    tern_tensor *first = first_gradient(output, gradient, number);
    tern_status status = first ? add_pending(walk, edge, tern_keep(first))
                               : tern_message_status(walk->session->context);
    node_drop(edge.node);
    return status;
}

static tern_status walk_begin(Walk *walk, tern_session *session,
                              const tern_backward_options *options) {
    *walk = (Walk){.session = session};
    if (options) walk->options = *options;
    if (walk->options.create_graph) walk->options.retain_graph = true;
    /* What a trace records has nothing to do with what is being walked. */
    if (!session->walks_back || session->trace) return tern_scope_open(session);
    return session_fail(session, TERN_ERROR_UNSUPPORTED,
                        "backward within the backward of a function");
}

static tern_status walk_from(Walk *walk, tern_tensor *const *outputs, tern_tensor *const *gradients,
                             int count) {
    tern_status status = TERN_OK;
    bool mode = tern_set_grad_mode(walk->session, walk->options.create_graph);
    for (int i = 0; i < count && !status; i++)
        status = start(walk, outputs[i], gradients ? gradients[i] : NULL, i);
    walk->session->grad_mode = mode;
    while (status && walk->count) {
        TapeNode *node = pop(walk);
        drop_pending(node);
        node_drop(node);
    }
    if (status)
        free(walk->heap);
    else
        status = walk_back(walk);
    tern_scope_close(walk->session);
    return status;
}

tern_status tern_backward(tern_tensor *tensor, tern_tensor *gradient,
                          const tern_backward_options *options) {
    Walk walk;
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    tern_status status = walk_begin(&walk, tensor->session, options);
    if (status) return status;
    walk.accumulates = true;
    return walk_from(&walk, &tensor, &gradient, 1);
}

static tern_status find_wanted(Walk *walk, tern_tensor *const *inputs, int count, Edge *wanted) {
    walk->wanted = wanted;
    walk->oldest = UINT64_MAX;
    for (int i = 0; i < count; i++) {
        if (!tensor_is_live(inputs[i])) return TERN_ERROR_ARGUMENT;
        if (!tape_edge(inputs[i], &wanted[i])) return TERN_ERROR_NO_MEMORY;
        walk->num_wanted++;
        if (!wanted[i].node)
            return session_fail(walk->session, TERN_ERROR_ARGUMENT,
                                "One of the differentiated Tensors does not require grad");
        if (wanted[i].node->sequence < walk->oldest) walk->oldest = wanted[i].node->sequence;
    }
    return TERN_OK;
}

static tern_status check_found(const Walk *walk) {
    for (int i = 0; i < walk->num_wanted && !walk->options.allow_unused; i++)
        if (!walk->found[i])
            return session_fail(walk->session, TERN_ERROR_ARGUMENT,
                                "One of the differentiated Tensors appears to not have been used "
                                "in the graph. Set allow_unused=True if this is the desired "
                                "behavior.");
    return TERN_OK;
}

/* What was found, as new tensors of the scope that is open now. */
static tern_status give_found(const Walk *walk, tern_status status) {
    for (int i = 0; i < walk->num_wanted; i++) {
        tern_tensor *found = walk->found[i];
        walk->found[i] = found && !status ? tape_alias(view_same(found), found) : NULL;
        if (found && !status && !walk->found[i]) status = TERN_ERROR_NO_MEMORY;
        tern_drop(found);
    }
    for (int i = 0; i < walk->num_wanted && status; i++) {
        tern_drop(walk->found[i]);
        walk->found[i] = NULL;
    }
    return status;
}

tern_status tern_grad(tern_tensor *const *outputs, tern_tensor *const *out_gradients,
                      int num_outputs, tern_tensor *const *inputs, int num_inputs,
                      tern_tensor **gradients, const tern_backward_options *options) {
    Walk walk;
    for (int i = 0; i < num_inputs; i++) gradients[i] = NULL;
    if (num_outputs < 1 || num_inputs < 1 || !tensor_is_live(outputs[0]))
        return TERN_ERROR_ARGUMENT;
    tern_session *session = outputs[0]->session;
    Edge *wanted = calloc((size_t)num_inputs, sizeof *wanted);
    if (!wanted) return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    tern_status status = walk_begin(&walk, session, options);
    if (!status) {
        walk.found = gradients;
        status = find_wanted(&walk, inputs, num_inputs, wanted);
        if (status)
            tern_scope_close(session);
        else
            status = walk_from(&walk, outputs, out_gradients, num_outputs);
        if (!status) status = check_found(&walk);
        status = give_found(&walk, status);
    }
    for (int i = 0; i < num_inputs; i++) node_drop(wanted[i].node);
    free(wanted);
    return status;
}
