// SPDX-License-Identifier: Apache-2.0
/* optimize: steps of optimisers, a kernel a parameter: reads all that belongs to an element, writes
 * it back. Numbers are arguments, what a step does is known when the kernel is compiled. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <math.h>
#include <stdio.h>

static const char sgd_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sgd(p_ptr, g_ptr, m_ptr, n, lr, momentum, keep, decay, sign, HAS_MOMENTUM: tl.constexpr,\n"
    "        NESTEROV: tl.constexpr, IS_FIRST: tl.constexpr, COLS: tl.constexpr):\n"
    "    i = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    inside = i < n\n"
    "    p = tl.load(p_ptr + i, mask=inside).to(lr.dtype)\n"
    "    g = tl.load(g_ptr + i, mask=inside).to(lr.dtype) * sign + decay * p\n"
    "    if HAS_MOMENTUM:\n"
    "        m = g\n"
    "        if not IS_FIRST:\n"
    "            m = momentum * tl.load(m_ptr + i, mask=inside).to(lr.dtype) + keep * g\n"
    "        tl.store(m_ptr + i, m.to(m_ptr.dtype.element_ty), mask=inside)\n"
    "        if NESTEROV:\n"
    "            g = g + momentum * m\n"
    "        else:\n"
    "            g = m\n"
    "    tl.store(p_ptr + i, (p - lr * g).to(p_ptr.dtype.element_ty), mask=inside)\n";

static const char adam_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def adam(p_ptr, g_ptr, m_ptr, v_ptr, n, size, keep1, keep2, root, eps, decay, sign,\n"
    "         IS_COUPLED: tl.constexpr, COLS: tl.constexpr):\n"
    "    i = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    inside = i < n\n"
    "    p = tl.load(p_ptr + i, mask=inside).to(size.dtype)\n"
    "    g = tl.load(g_ptr + i, mask=inside).to(size.dtype) * sign\n"
    "    m = tl.load(m_ptr + i, mask=inside).to(size.dtype)\n"
    "    v = tl.load(v_ptr + i, mask=inside).to(size.dtype)\n"
    "    if IS_COUPLED:\n"
    "        g = g + decay * p\n"
    "    else:\n"
    "        p = p - decay * p\n"
    "    m = m + (g - m) * keep1\n"
    "    v = v + (g * g - v) * keep2\n"
    "    p = p - size * (m / (tl.sqrt(v) / root + eps))\n"
    "    tl.store(p_ptr + i, p.to(p_ptr.dtype.element_ty), mask=inside)\n"
    "    tl.store(m_ptr + i, m.to(m_ptr.dtype.element_ty), mask=inside)\n"
    "    tl.store(v_ptr + i, v.to(v_ptr.dtype.element_ty), mask=inside)\n";

enum { COLS = 1024, MAX_STATES = 4, MAX_NUMBERS = 7 };

typedef struct Rule {
    const char *name, *text;
    int num_tensors, num_numbers, num_flags;
    double numbers[MAX_NUMBERS];
    bool flags[3];
} Rule;

/* ---- kernels ---- */

static tern_kernel *kernel_for(tern_session *session, const Rule *rule,
                               tern_tensor *const *tensors) {
    char signature[160];
    const char *number =
        signature_type(compute_type(tensors[0]->dtype)) /* in which the kernel computes */;
    size_t at = 0;
    for (int i = 0; i < rule->num_tensors; i++)
        at += (size_t)snprintf(signature + at, sizeof signature - at, "*%s,",
                               signature_type(tensors[i]->dtype));
    at += (size_t)snprintf(signature + at, sizeof signature - at, "i64");
    for (int i = 0; i < rule->num_numbers; i++)
        at += (size_t)snprintf(signature + at, sizeof signature - at, ",%s", number);
    for (int i = 0; i < rule->num_flags; i++)
        at += (size_t)snprintf(signature + at, sizeof signature - at, ",%s",
                               rule->flags[i] ? "True" : "False");
    snprintf(signature + at, sizeof signature - at, ",%d", COLS);
    return session_kernel(session, rule->name, rule->text, signature);
}

/* ---- a step ---- */

static bool lie_alike(const tern_tensor *a, const tern_tensor *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->strides[d] != b->strides[d]))
            return false;
    return true;
}

static tern_status check_state(const Rule *rule, const tern_tensor *parameter,
                               tern_tensor *const *tensors) {
    tern_session *session = parameter->session;
    if (session->trace)
        return session_fail(session, TERN_ERROR_UNSUPPORTED,
                            "%s: a step of an optimiser in a function that is traced", rule->name);
    for (int i = 0; i < rule->num_tensors; i++) {
        const tern_tensor *state = tensors[i];
        if (!tensor_is_live(state))
            return state ? TERN_ERROR_ARGUMENT
                         : session_fail(session, TERN_ERROR_ARGUMENT,
                                        "%s: a parameter's state is missing", rule->name);
        bool fits = state->session == session && tern_dtype_is_float(state->dtype) &&
                    dtype_is_computed(state->dtype) && tensor_is_dense(state) &&
                    lie_alike(parameter, state);
        if (!fits)
            return session_fail(session, TERN_ERROR_ARGUMENT,
                                "%s: a parameter, its gradient and its state are dense tensors of "
                                "floats that lie alike",
                                rule->name);
    }
    return TERN_OK;
}

static tern_status step_one(const Rule *rule, tern_tensor *const *tensors) {
    tern_session *session = tensors[0]->session;
    tern_status status = check_state(rule, tensors[0], tensors);
    if (status || !tensors[0]->numel) return status;
    tern_kernel *kernel = kernel_for(session, rule, tensors);
    if (!kernel) return tern_message_status(session->context);
    tern_argument arguments[MAX_STATES + MAX_NUMBERS + 1];
    int count = 0;
    for (int i = 0; i < rule->num_tensors; i++) {
        arguments[count++] = tensor_argument(tensors[i]);
        if (i != 1) tensors[i]->storage->version++;
    }
    arguments[count++] = tern_arg_int(tensors[0]->numel);
    for (int i = 0; i < rule->num_numbers; i++)
        arguments[count++] = tern_arg_float(rule->numbers[i]);
    int64_t programs = (tensors[0]->numel + COLS - 1) / COLS;
    if (programs > INT32_MAX)
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "a parameter of %lld elements",
                            (long long)tensors[0]->numel);
    return tern_launch(NULL, kernel, (uint32_t[]){(uint32_t)programs, 1, 1}, arguments, count);
}

/* A gradient that lies otherwise is copied first. */
static tern_status step(const Rule *rule, tern_tensor *const *parameters,
                        tern_tensor *const *gradients, tern_tensor *const *means,
                        tern_tensor *const *squares, int count) {
    for (int i = 0; i < count; i++) {
        tern_tensor *parameter = parameters[i], *gradient = gradients[i];
        if (!gradient) continue;
        if (!tensor_is_live(parameter) || !tensor_is_live(gradient)) return TERN_ERROR_ARGUMENT;
        Layout layout = layout_of(parameter);
        bool copies = parameter->rank == gradient->rank && !lie_alike(parameter, gradient) &&
                      tensor_is_dense(parameter);
        bool mode = tern_set_grad_mode(parameter->session, false);
        tern_tensor *like = copies ? tensor_laid_out(&layout, gradient) : gradient;
        tern_set_grad_mode(parameter->session, mode);
        if (!like) return tern_message_status(parameter->session->context);
        tern_tensor *tensors[MAX_STATES] = {parameter, like, means ? means[i] : parameter,
                                            squares ? squares[i] : NULL};
        tern_op_push(parameter->session->context, rule->name, NULL, 0);
        tern_status status = step_one(rule, tensors);
        tern_range_pop(parameter->session->context);
        if (copies) tern_drop(like);
        if (status) return status;
    }
    return TERN_OK;
}

tern_status tern_sgd_step(tern_tensor *const *parameters, tern_tensor *const *gradients,
                          tern_tensor *const *momenta, int count, const tern_sgd_options *options) {
    Rule rule = {"sgd",
                 sgd_text,
                 3,
                 5,
                 3,
                 {options->lr, options->momentum, 1 - options->dampening, options->weight_decay,
                  options->maximize ? -1 : 1},
                 {options->momentum != 0, options->nesterov, options->is_first}};
    return step(&rule, parameters, gradients, options->momentum != 0 ? momenta : NULL, NULL, count);
}

tern_status tern_adam_step(tern_tensor *const *parameters, tern_tensor *const *gradients,
                           tern_tensor *const *means, tern_tensor *const *squares, int count,
                           const tern_adam_options *options) {
    double steps = (double)options->step;
    double first = 1 - pow(options->beta1, steps), second = 1 - pow(options->beta2, steps);
    double decay =
        options->is_coupled ? options->weight_decay : options->lr * options->weight_decay;
    Rule rule = {"adam",
                 adam_text,
                 4,
                 7,
                 1,
                 {options->lr / first, 1 - options->beta1, 1 - options->beta2, sqrt(second),
                  options->eps, decay, options->maximize ? -1 : 1},
                 {options->is_coupled}};
    return step(&rule, parameters, gradients, means, squares, count);
}
