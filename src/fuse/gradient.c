// SPDX-License-Identifier: Apache-2.0
/* gradient: of a call of a fused function. It is another fused function, whose body runs the first
 * one's again, recorded, and walks back: what of the results the gradients need is computed once
 * more, in the kernels that read it, and nothing but the arguments is kept between the two. */
#include "fuse/fuse.h"
#include "tensor/tape.h"

#include <stdio.h>
#include <stdlib.h>

/* One for each choice of arguments that want a gradient, and of results that have one. */
struct FusedGradient {
    const tern_fused *of;
    tern_fused *function;
    uint64_t wanted, given;
    uint64_t apart; /* arguments that no result depended on, in any trace of it: have no gradient */
    FusedGradient *next;
};

void fused_gradients_free(FusedGradient *gradient) {
    while (gradient) {
        FusedGradient *next = gradient->next;
        tern_fused_free(gradient->function);
        free(gradient);
        gradient = next;
    }
}

/* ---- the body ---- */

/* Zero where only results whose gradients are not given depend on it. */
static tern_tensor *gradient_or_zeros(tern_tensor *found, const tern_tensor *like) {
    if (found) return tern_keep(found);
    return tern_keep(tensor_filled(like->session, like->dtype, like->rank, like->shape, NULL, 0));
}

static tern_status walk(FusedGradient *gradient, tern_tensor *const *arguments,
                        tern_tensor *const *results, tern_tensor *const *given, tern_tensor **out) {
    tern_tensor *inputs[TERN_MAX_FUSED_TENSORS], *found[TERN_MAX_FUSED_TENSORS];
    tern_tensor *outputs[TERN_MAX_FUSED_TENSORS], *gradients[TERN_MAX_FUSED_TENSORS];
    int num_inputs = 0, num_outputs = 0, num_given = 0, of_inputs[TERN_MAX_FUSED_TENSORS];
    bool is_whole = true;
    for (int i = 0; i < gradient->of->num_in; i++) {
        found[num_inputs] = NULL;
        of_inputs[num_inputs] = i;
        if (gradient->wanted >> i & 1) inputs[num_inputs++] = arguments[i];
    }
    for (int i = 0; i < gradient->of->num_out; i++) {
        if (!(gradient->given >> i & 1)) is_whole &= !tern_requires_grad(results[i]);
        if (!(gradient->given >> i & 1)) continue;
        gradients[num_outputs] = given[num_given++];
        if (tern_requires_grad(results[i])) outputs[num_outputs++] = results[i];
    }
    const tern_backward_options options = {.create_graph = true, .allow_unused = true};
    tern_status status = num_outputs ? tern_grad(outputs, gradients, num_outputs, inputs,
                                                 num_inputs, found, &options)
                                     : TERN_OK;
    for (int i = 0; i < num_inputs && !status; i++) {
        if (found[i] || !is_whole) gradient->apart &= ~(UINT64_C(1) << of_inputs[i]);
        out[i] = gradient_or_zeros(found[i], inputs[i]);
        if (!out[i]) status = TERN_ERROR_NO_MEMORY;
    }
    return status;
}

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    FusedGradient *gradient = user;
    const tern_fused *of = gradient->of;
    tern_session *session = of->session;
    tern_tensor *arguments[TERN_MAX_FUSED_TENSORS], *results[TERN_MAX_FUSED_TENSORS] = {NULL};
    tern_status status = TERN_OK;
    bool mode = tern_set_grad_mode(session, true);
    for (int i = 0; i < of->num_in && !status; i++) {
        bool wants = gradient->wanted >> i & 1;
        arguments[i] = wants && !tern_requires_grad(in[i]) ? tern_detach(in[i]) : in[i];
        if (!arguments[i]) status = TERN_ERROR_NO_MEMORY;
        if (!status && wants) status = tern_set_requires_grad(arguments[i], true);
    }
    if (!status) status = of->body(arguments, results, of->user);
    if (!status) status = walk(gradient, arguments, results, in + of->num_in, out);
    for (int i = 0; i < of->num_out; i++) tern_drop(results[i]);
    tern_set_grad_mode(session, mode);
    return status;
}

/* ---- calls ---- */

static FusedGradient *gradient_for(tern_fused *of, uint64_t wanted, uint64_t given) {
    for (FusedGradient *have = of->gradients; have; have = have->next)
        if (have->wanted == wanted && have->given == given) return have;
    char name[64];
    snprintf(name, sizeof name, "%.31s_backward", of->name);
    int num_out = __builtin_popcountll(wanted), num_in = of->num_in + __builtin_popcountll(given);
    FusedGradient *made = calloc(1, sizeof *made);
    if (made) made->function = tern_fuse(of->session, name, body, num_in, num_out, made);
    if (!made || !made->function) {
        if (!made) session_fail(of->session, TERN_ERROR_NO_MEMORY, "out of memory");
        free(made);
        return NULL;
    }
    made->of = of;
    made->wanted = wanted;
    made->given = given;
    made->apart = wanted;
    made->next = of->gradients;
    of->gradients = made;
    return made;
}

static tern_status backward(const tern_backward_call *call) {
    tern_fused *of = call->user;
    tern_tensor *in[TERN_MAX_FUSED_TENSORS], *out[TERN_MAX_FUSED_TENSORS];
    uint64_t wanted = 0, given = 0;
    int count = call->num_in;
    for (int i = 0; i < call->num_in; i++)
        if (call->is_needed[i]) wanted |= UINT64_C(1) << i;
    for (int i = 0; i < call->num_out; i++)
        if (call->out_gradients[i]) given |= UINT64_C(1) << i, count++;
    if (count > TERN_MAX_FUSED_TENSORS)
        return session_fail(of->session, TERN_ERROR_UNSUPPORTED,
                            "a gradient of a function of %d tensors and gradients (at most %d)",
                            count, TERN_MAX_FUSED_TENSORS);
    FusedGradient *gradient = gradient_for(of, wanted, given);
    if (!gradient) return tern_message_status(tern_session_context(of->session));
    count = 0;
    for (int i = 0; i < call->num_in; i++) in[count++] = call->saved[i];
    for (int i = 0; i < call->num_out; i++)
        if (call->out_gradients[i]) in[count++] = call->out_gradients[i];
    tern_status status = tern_fused_call(gradient->function, in, out);
    for (int i = 0, at = 0; i < call->num_in && !status; i++) {
        if (!call->is_needed[i]) continue;
        if (gradient->apart >> i & 1)
            tern_drop(out[at++]);
        else
            call->in_gradients[i] = out[at++];
    }
    return status;
}

static void release(void *user) { tern_fused_free(user); }

tern_status fused_record(tern_fused *function, tern_tensor *const *in, tern_tensor *const *out,
                         uint64_t apart) {
    const tern_grad_rule rule = {.name = function->name,
                                 .not_differentiable = apart,
                                 .backward = backward,
                                 .release = release,
                                 .user = function,
                                 .keeps_missing = true};
    function->references++;
    return tern_record(function->session, &rule, in, function->num_in, out, function->num_out, in,
                       function->num_in);
}
