// SPDX-License-Identifier: Apache-2.0
/* losses: functions made of ops, whose gradients are those of the ops. */
#include "tensor/plan.h"
#include "tensor/tape.h"

/* beta * input + alpha * (a @ b) */
static tern_tensor *sum_with(tern_tensor *input, tern_tensor *product, double beta, double alpha) {
    tern_tensor *scaled = alpha == 1 ? tern_keep(product) : tern_mul_number(product, alpha);
    tern_tensor *added = beta == 1 ? tern_keep(input) : tern_mul_number(input, beta);
    tern_tensor *out = !scaled || !added ? NULL
                       : beta == 0       ? tern_keep(scaled)
                                         : tern_add(added, scaled);
    tern_drop(scaled);
    tern_drop(added);
    return out;
}

tern_tensor *tern_addmm(tern_tensor *input, tern_tensor *a, tern_tensor *b, double beta,
                        double alpha) {
    if (!tensor_is_live(input) || !tensor_is_live(a) || !tensor_is_live(b)) return NULL;
    tern_session *session = a->session;
    for (int i = 0; i < 2; i++) {
        const tern_tensor *of = i ? b : a;
        if (of->rank != 2)
            return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                     "mat%d must be a matrix, got %d-D tensor", i + 1, of->rank);
    }
    tern_tensor *product = tern_matmul(a, b);
    if (!product) return NULL;
    tern_tensor *fits = NULL;
    if (input->dtype == product->dtype)
        fits = tern_expand(input, 2, product->shape);
    else
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "self and mat2 must have the same dtype, but got %s and %s",
                     torch_type_name(input->dtype), torch_type_name(b->dtype));
    tern_drop(fits);
    if (!fits) {
        tern_drop(product);
        return NULL;
    }
    tern_tensor *out = sum_with(input, product, beta, alpha);
    tern_drop(product);
    return out;
}

/* ---- cross entropy ---- */

typedef struct Entropy {
    tern_session *session;
    tern_tensor *logs, *target, *weight; /* of log_softmax; classes, or probabilities */
    int dim;                             /* of the classes */
    int64_t num_classes;
    const tern_entropy_options *options;
} Entropy;

static bool check_entropy(const tern_tensor *x, const tern_tensor *target, int dim) {
    tern_session *session = x->session;
    bool fits = target->rank == x->rank - 1 && tern_dtype_is_signed(target->dtype);
    for (int d = 0, at = 0; d < x->rank && fits; d++)
        if (d != dim) fits = target->shape[at++] == x->shape[d];
    if (!fits && target->rank == x->rank - 1 && x->rank == 2 && target->shape[0] != x->shape[0])
        session_fail(session, TERN_ERROR_ARGUMENT,
                     "Expected input batch_size (%lld) to match target batch_size (%lld).",
                     (long long)x->shape[0], (long long)target->shape[0]);
    else if (!fits && target->dtype != TERN_INT64 && target->dtype != TERN_INT32 &&
             target->rank == x->rank - 1)
        session_fail(session, TERN_ERROR_ARGUMENT, "expected scalar type Long but found %s",
                     torch_type_name(target->dtype));
    else if (!fits)
        session_fail(session, TERN_ERROR_ARGUMENT, "Expected target size %s, got %s",
                     sizes_text(x->shape, x->rank).text,
                     sizes_text(target->shape, target->rank).text);
    return fits;
}

/* The classes, those that are ignored as class 0; all others are held against their number. */
static tern_tensor *classes_of(const Entropy *entropy, tern_tensor *counts) {
    const IndexRule rule = {OF_CLASS, entropy->dim, entropy->num_classes,
                            entropy->options->ignore_index};
    if (!check_bounds(entropy->target, &rule)) return NULL;
    return tern_where(tern_of(counts), tern_of(entropy->target), tern_integer(0));
}

/* mean: over what counts, by its weight */
static tern_tensor *reduced(const Entropy *entropy, tern_tensor *losses, tern_tensor *weights) {
    if (entropy->options->reduction == TERN_REDUCTION_NONE) return losses;
    tern_tensor *sum = tern_sum(losses, NULL, 0, false);
    if (entropy->options->reduction == TERN_REDUCTION_SUM) return sum;
    return tern_div(sum, tern_sum(weights, NULL, 0, false));
}

static tern_tensor *by_classes(const Entropy *entropy) {
    double smoothing = entropy->options->label_smoothing;
    tern_tensor *counts = tern_ne_integer(entropy->target, entropy->options->ignore_index);
    tern_tensor *classes = counts ? classes_of(entropy, counts) : NULL;
    if (!classes) return NULL;
    tern_tensor *index = tern_unsqueeze(classes, entropy->dim);
    tern_tensor *picked =
        tern_squeeze(tensor_gather(entropy->logs, entropy->dim, index), entropy->dim);
    tern_tensor *weights = tern_to(counts, entropy->logs->dtype), *smooth = entropy->logs;
    if (entropy->weight) {
        tern_tensor *flat = tern_flatten(classes); /* looked at already */
        tern_tensor *of_class = tern_reshape(tensor_gather(entropy->weight, 0, flat),
                                             classes ? classes->rank : 0, classes->shape);
        weights = tern_mul(weights, of_class);
    }
    tern_tensor *losses = tern_neg(tern_mul(picked, weights));
    if (smoothing > 0) {
        if (entropy->weight) {
            int64_t shape[TERN_MAX_RANK];
            for (int d = 0; d < smooth->rank; d++) shape[d] = d == entropy->dim ? -1 : 1;
            smooth = tern_mul(smooth, tern_reshape(entropy->weight, smooth->rank, shape));
        }
        tern_tensor *all = tern_sum(smooth, &entropy->dim, 1, false);
        tern_tensor *kept = tern_where(tern_of(counts), tern_of(all), tern_number(0));
        double share = smoothing / (double)entropy->num_classes;
        losses = tern_add(tern_mul_number(losses, 1 - smoothing), tern_mul_number(kept, -share));
    }
    return reduced(entropy, losses, weights);
}

/* A share of each class; the mean is over the rows. */
static tern_tensor *by_shares(const Entropy *entropy) {
    double smoothing = entropy->options->label_smoothing;
    tern_tensor *shares = entropy->target, *logs = entropy->logs;
    if (smoothing > 0)
        shares = tern_add_number(tern_mul_number(shares, 1 - smoothing),
                                 smoothing / (double)entropy->num_classes);
    if (entropy->weight) {
        int64_t shape[TERN_MAX_RANK];
        for (int d = 0; d < logs->rank; d++) shape[d] = d == entropy->dim ? -1 : 1;
        logs = tern_mul(logs, tern_reshape(entropy->weight, logs->rank, shape));
    }
    tern_tensor *losses = tern_neg(tern_sum(tern_mul(shares, logs), &entropy->dim, 1, false));
    if (!losses || entropy->options->reduction != TERN_REDUCTION_MEAN)
        return losses ? reduced(entropy, losses, NULL) : NULL;
    return tern_div_number(tern_sum(losses, NULL, 0, false), (double)losses->numel);
}

tern_tensor *tern_cross_entropy(tern_tensor *x, tern_tensor *target, tern_tensor *weight,
                                const tern_entropy_options *options) {
    static const tern_entropy_options usual = {.ignore_index = -100};
    if (!tensor_is_live(x) || !tensor_is_live(target)) return NULL;
    tern_session *session = x->session;
    int dim = x->rank == 1 ? 0 : 1;
    bool by_share = tern_dtype_is_float(target->dtype);
    if (!x->rank)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "cross_entropy: input has no dimension of classes");
    bool same = target->rank == x->rank &&
                !memcmp(target->shape, x->shape, sizeof(int64_t) * (size_t)x->rank);
    if (by_share ? !same : !check_entropy(x, target, dim))
        return by_share ? session_fail_null(session, TERN_ERROR_ARGUMENT,
                                            "Expected floating point type for target with class "
                                            "probabilities, of size %s, got %s",
                                            sizes_text(x->shape, x->rank).text,
                                            sizes_text(target->shape, target->rank).text)
                        : NULL;
    if (weight &&
        (!tensor_is_live(weight) || weight->rank != 1 || weight->shape[0] != x->shape[dim]))
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "cross_entropy: weight must be a vector of %lld classes",
                                 (long long)x->shape[dim]);
    if (tern_scope_open(session)) return NULL;
    Entropy entropy = {session,       tern_log_softmax(x, dim),  target, weight, dim,
                       x->shape[dim], options ? options : &usual};
    tern_tensor *loss = !entropy.logs ? NULL
                        : by_share    ? by_shares(&entropy)
                                      : by_classes(&entropy);
    if (loss) tern_keep(loss);
    tern_scope_close(session);
    if (!loss) return NULL;
    tern_tensor *out = tape_alias(view_same(loss), loss); /* of the scope that is open now */
    tern_drop(loss);
    return out;
}
