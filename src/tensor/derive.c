// SPDX-License-Identifier: Apache-2.0
/* derive: what a node does with the gradient of its result. Rows of the table of ops have theirs in
 * derivatives.def; here are the words that these are written in, views, and what puts tensors
 * together. All are ops, so that gradients run where ops do, are traced, and are recorded. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <math.h>
#include <stdlib.h>

typedef tern_operand Term;

static Term n(double number) { return tern_number(number); }
static bool is_tensor(Term term) { return term.kind == TERN_OPERAND_TENSOR; }
static double number_of(Term term) {
    return term.kind == TERN_OPERAND_NUMBER ? term.number : (double)term.integer;
}

/* ---- ops, also of numbers alone ---- */

static Term of_number(tern_op_id id, double a) {
    switch (tern_op_name(id)[0]) {
    case 'n': return n(-a);            /* neg */
    case 's': return n(a * a);         /* square */
    case 'i': return n(isnan(a) != 0); /* isnan */
    }
    BUG("%s of a number", tern_op_name(id));
}

static Term one(tern_op_id id, Term a) {
    return is_tensor(a) ? tern_of(tern_op(id, &a, 1, 0, 0)) : of_number(id, number_of(a));
}

static Term two(tern_op_id id, Term a, Term b) {
    if (is_tensor(a) || is_tensor(b)) return tern_of(tern_op(id, (Term[]){a, b}, 2, 0, 0));
    double x = number_of(a), y = number_of(b);
    switch (tern_op_name(id)[0]) {
    case 'a': return n(x + y);
    case 's': return n(x - y);
    case 'm': return n(x * y);
    case 'd': return n(x / y);
    }
    BUG("%s of two numbers", tern_op_name(id));
}

static Term three(tern_op_id id, Term a, Term b, Term c) {
    return tern_of(tern_op(id, (Term[]){a, b, c}, 3, 0, 0));
}

#define op1(name, a)       one(TERN_OP_##name, a)
#define op2(name, a, b)    two(TERN_OP_##name, a, b)
#define op3(name, a, b, c) three(TERN_OP_##name, a, b, c)

tern_tensor *tensor_filled(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                           const int64_t *strides, double value) {
    tern_operand number = tern_number(value);
    tern_tensor *out = strides ? tern_empty_strided(session, dtype, rank, shape, strides)
                               : tern_empty(session, dtype, rank, shape);
    if (!out || !map_run(session, TERN_OP_copy, &number, 1, dtype, 0, 0, out)) return out;
    tern_drop(out);
    return NULL;
}

static Term zero(Term g) {
    const tern_tensor *like = g.tensor;
    if (!like) return g;
    return tern_of(tensor_filled(like->session, like->dtype, like->rank, like->shape, NULL, 0));
}

/* ---- words of pointwise rows ---- */

static Term one_less_square(Term a) { return op2(sub, n(1), op1(square, a)); }
static Term unless_zero(Term value, Term divisor) {
    return op3(where, op2(eq, divisor, n(0)), n(0), value);
}
static Term unless_infinite(Term a) { return op3(where, op1(isinf, a), n(0), a); }

/* cdf + a * pdf of the normal distribution */
static Term gelu_slope(Term a) {
    Term cdf = op2(mul, op2(add, op1(erf, op2(mul, a, n(M_SQRT1_2))), n(1)), n(0.5));
    Term density = op1(exp, op2(mul, op1(square, a), n(-0.5)));
    return op2(add, cdf, op2(mul, a, op2(mul, density, n(M_SQRT1_2 / sqrt(M_PI)))));
}

static Term gelu_tanh_slope(Term a) {
    const double root = sqrt(2 / M_PI), cubic = 0.044715; /* of the formula of gelu_tanh */
    Term square = op1(square, a);
    Term inner = op2(mul, op2(mul, a, n(root)), op2(add, op2(mul, square, n(cubic)), n(1)));
    Term t = op1(tanh, inner);
    Term slope = op2(mul, op2(add, op2(mul, square, n(3 * cubic)), n(1)), n(root));
    Term left = op2(mul, op2(add, t, n(1)), n(0.5));
    Term right = op2(mul, op2(mul, a, n(0.5)), op2(mul, one_less_square(t), slope));
    return op2(add, left, right);
}

static Term silu_slope(Term a) {
    Term s = op1(sigmoid, a);
    return op2(mul, s, op2(add, op2(mul, a, op2(sub, n(1), s)), n(1)));
}

static Term pow_base(Term g, Term a, Term b) {
    if (!is_tensor(b) && number_of(b) == 0) return zero(g);
    Term slope = op2(mul, op2(pow, a, op2(sub, b, n(1))), b);
    if (!is_tensor(b)) return op2(mul, g, slope);
    return op3(where, op2(eq, b, n(0)), n(0), op2(mul, g, slope));
}

static Term pow_exponent(Term g, Term a, Term b, Term y) {
    Term slope = op2(mul, y, is_tensor(a) ? op1(log, a) : n(log(number_of(a))));
    Term gradient = op2(mul, g, slope);
    if (!is_tensor(a) && number_of(a) != 0) return gradient;
    Term grows = op2(ge, b, n(0));
    if (is_tensor(a)) grows = op2(logical_and, op2(eq, a, n(0)), grows);
    return op3(where, grows, n(0), gradient);
}

/* Equals share. */
static Term shared(Term g, Term a, Term b, Term loses) {
    Term whole = op3(where, loses, n(0), g);
    return op3(where, op2(eq, a, b), op2(mul, g, n(0.5)), whole);
}

/* Of fmax and fmin: a NaN leaves it to the other; two of them to the first. */
static Term chosen(Term g, Term a, Term b, Term loses, bool is_first) {
    Term none = n(0), without = shared(g, a, b, loses);
    Term left = op3(where, op1(isnan, b), g, without),
         right = op3(where, op1(isnan, a), none, left);
    return is_first ? op3(where, op1(isnan, b), g, right) : right;
}

/* Bounds that are numbers are inside; with tensors an equal one has its share, as in PyTorch. */
static Term clamp_value(Term g, Term a, Term b, Term c) {
    Term inside = op2(logical_and, op2(ge, a, b), op2(le, a, c));
    Term whole = op3(where, inside, g, n(0));
    if (!is_tensor(b) && !is_tensor(c)) return whole;
    Term at_bound = op2(logical_or, op2(eq, a, b), op2(eq, a, c));
    Term shares = op2(logical_and, at_bound, op2(lt, b, c));
    return op2(mul, whole, op3(where, shares, n(0.5), n(1)));
}

static Term clamp_low(Term g, Term a, Term b, Term c) {
    Term ordered = op2(le, b, c);
    Term below = op3(where, op2(logical_and, op2(lt, a, b), ordered), g, n(0));
    Term shares = op2(logical_and, op2(eq, a, b), op2(lt, b, c));
    return op3(where, shares, op2(mul, g, n(0.5)), below);
}

static Term clamp_high(Term g, Term a, Term b, Term c) {
    Term above = op3(where, op2(logical_or, op2(gt, a, c), op2(gt, b, c)), g, n(0));
    Term shares = op2(logical_and, op2(eq, a, c), op2(lt, b, c));
    return op3(where, shares, op2(mul, g, n(0.5)), above);
}

static Term over_squares(Term x, Term a, Term b) {
    Term sum = op2(add, op1(square, a), op1(square, b));
    return unless_zero(op2(div, x, sum), sum);
}

/* ---- words of rows ---- */

static int row_dims(const TapeNode *node, int *dims) {
    int count = 0;
    for (int d = 0; d < node->inputs[0].rank; d++)
        if (node->attributes.in_row[d]) dims[count++] = d;
    return count;
}

static Term length(const TapeNode *node) {
    double count = 1;
    for (int d = 0; d < node->inputs[0].rank; d++)
        if (node->attributes.in_row[d]) count *= (double)node->inputs[0].shape[d];
    return n(count);
}

static Term kept(const TapeNode *node, Term reduced) {
    int64_t shape[TERN_MAX_RANK];
    const Layout *input = &node->inputs[0];
    for (int d = 0; d < input->rank; d++)
        shape[d] = node->attributes.in_row[d] ? 1 : input->shape[d];
    return tern_of(tern_reshape(reduced.tensor, input->rank, shape));
}

static Term spread(const TapeNode *node, Term row) {
    return tern_of(tern_expand(row.tensor, node->inputs[0].rank, node->inputs[0].shape));
}

static Term total(const TapeNode *node, Term x) {
    int dims[TERN_MAX_RANK], count = row_dims(node, dims);
    return tern_of(tern_sum(x.tensor, dims, count, true));
}

static Term average(const TapeNode *node, Term x) {
    int dims[TERN_MAX_RANK], count = row_dims(node, dims);
    return tern_of(tern_mean(x.tensor, dims, count, true));
}

/* Where equals are several, each has its part. */
static Term of_chosen(const TapeNode *node, Term g, Term mask) {
    return op3(where, mask, op2(div, kept(node, g), total(node, mask)), n(0));
}

static Term variance(const TapeNode *node, Term g, Term a, Term correction) {
    double degrees = number_of(length(node)) - number_of(correction);
    Term centred = op2(sub, a, average(node, a));
    return op2(mul, g, op2(mul, centred, n(2 / (degrees > 0 ? degrees : 0))));
}

static Term root_mean(const TapeNode *node, Term a, Term eps) {
    return op1(rsqrt, op2(add, average(node, op1(square, a)), eps));
}

static Term normal(const TapeNode *node, Term a, Term eps) {
    Term centred = op2(sub, a, average(node, a));
    return op2(mul, centred, root_mean(node, centred, eps));
}

static Term layer_norm_gradient(const TapeNode *node, Term g, Term a, Term eps) {
    Term centred = op2(sub, a, average(node, a)), scale = root_mean(node, centred, eps);
    Term x = op2(mul, centred, scale);
    Term along = op2(mul, x, average(node, op2(mul, g, x)));
    return op2(mul, scale, op2(sub, op2(sub, g, average(node, g)), along));
}

static Term rms_norm_gradient(const TapeNode *node, Term g, Term a, Term eps) {
    Term scale = root_mean(node, a, eps), x = op2(mul, a, scale);
    return op2(mul, scale, op2(sub, g, op2(mul, x, average(node, op2(mul, g, x)))));
}

/* The product of the others: y / a, but where a 0 is among them. */
static Term prod_gradient(const TapeNode *node, Term g, Term a, Term y) {
    int dims[TERN_MAX_RANK], count = row_dims(node, dims);
    Term is_zero = op2(eq, a, n(0)), zeros = total(node, is_zero);
    Term filled = op3(where, is_zero, n(1), a);
    Term others = tern_of(tern_prod(filled.tensor, dims, count, true));
    Term of_zero = op3(where, op2(eq, zeros, n(1)), others, n(0));
    Term of_rest = op2(div, kept(node, y), filled);
    return op2(mul, kept(node, g), op3(where, is_zero, of_zero, of_rest));
}

/* Each element, and all after it. */
static Term back_sum(const TapeNode *node, Term g) {
    int dims[TERN_MAX_RANK] = {0};
    if (!row_dims(node, dims) || !g.tensor) return g;
    tern_tensor *sums = tern_cumsum(tensor_flip(g.tensor, dims[0]), dims[0]);
    return tern_of(sums ? tensor_flip(sums, dims[0]) : NULL);
}

/* Before the first 0 of a row as if there were none; at it the products without it; after it 0. */
static Term cumprod_gradient(const TapeNode *node, Term g, Term a, Term y) {
    int dims[TERN_MAX_RANK] = {0};
    row_dims(node, dims);
    Term is_zero = op2(eq, a, n(0));
    Term zeros = tern_of(tern_cumsum(is_zero.tensor, dims[0]));
    Term first = op2(logical_and, is_zero, op2(eq, zeros, n(1)));
    Term filled = op3(where, first, n(1), a), before = op2(eq, zeros, n(0));
    Term others = tern_of(tern_cumprod(filled.tensor, dims[0]));
    Term of_first = back_sum(node, op2(mul, g, op3(where, before, n(0), others)));
    Term divisor = op3(where, is_zero, n(1), a);
    Term of_rest = op2(div, back_sum(node, op2(mul, g, y)), divisor);
    return op3(where, before, of_rest, op3(where, first, of_first, n(0)));
}

/* ---- words of others ---- */

static Term turned(Term a) { return tern_of(tern_transpose(a.tensor, -1, -2)); }
static Term op_matmul(Term a, Term b) { return tern_of(tern_matmul(a.tensor, b.tensor)); }

/* Of a matrix that all batches share, these are rows of one product. */
static Term left_product(const TapeNode *node, Term a, Term g) {
    if (node->inputs[1].rank != 2 || !a.tensor || a.tensor->rank == 2)
        return op_matmul(turned(a), g);
    const Layout *left = &node->inputs[0], *right = &node->inputs[1];
    int64_t rows = 1;
    for (int d = 0; d < left->rank - 1; d++) rows *= left->shape[d];
    tern_tensor *flat =
        tern_reshape(a.tensor, 2, (const int64_t[]){rows, left->shape[left->rank - 1]});
    tern_tensor *of_g = tern_reshape(g.tensor, 2, (const int64_t[]){rows, right->shape[1]});
    return op_matmul(turned(tern_of(flat)), tern_of(of_g));
}

static Term scattered(const TapeNode *node, Term g, Term index) {
    const Layout *input = &node->inputs[0];
    int dim = node->attributes.dim;
    if (!g.tensor || !index.tensor) return tern_of(NULL);
    tern_tensor *at = index.tensor;
    if (node->kind == TERN_OP_index_select) {
        int64_t shape[TERN_MAX_RANK];
        for (int d = 0; d < g.tensor->rank; d++) shape[d] = d == dim ? g.tensor->shape[d] : 1;
        at = tern_reshape(at, g.tensor->rank, shape);
        at = at ? tern_expand(at, g.tensor->rank, g.tensor->shape) : NULL;
    }
    tern_tensor *zeros =
        tensor_filled(g.tensor->session, g.tensor->dtype, input->rank, input->shape, NULL, 0);
    return tern_of(at && zeros ? tensor_scatter_add(zeros, dim, at, g.tensor) : NULL);
}

/* Of a source that is larger than the index, the part that is read. */
static Term gathered(const TapeNode *node, Term g, Term index) {
    const Layout *source = &node->inputs[2], *of = &node->inputs[1];
    tern_tensor *taken = tensor_gather(g.tensor, node->attributes.dim, index.tensor);
    bool same = true;
    for (int d = 0; d < source->rank; d++) same = same && source->shape[d] == of->shape[d];
    if (same || !taken) return tern_of(taken);
    tern_tensor *all =
        tensor_filled(taken->session, taken->dtype, source->rank, source->shape, NULL, 0);
    tern_tensor *part = all;
    for (int d = 0; d < source->rank && part; d++) part = tern_slice(part, d, 0, of->shape[d], 1);
    return tern_of(part && !tern_copy_into(part, taken) ? all : NULL);
}

/* ---- rows of the table ---- */

typedef struct Derivative {
    const char *uses[3];
    bool is_there, is_wide;
} Derivative;

static const Derivative derivatives[TERN_NUM_OPS] = {
#define ONE(name, a, x)               [TERN_OP_##name] = {{a, "", ""}, true, false},
#define WIDE(name, a, x)              [TERN_OP_##name] = {{a, "", ""}, true, true},
#define TWO(name, a, x, b, y)         [TERN_OP_##name] = {{a, b, ""}, true, false},
#define WIDE2(name, a, x, b, y)       [TERN_OP_##name] = {{a, b, ""}, true, true},
#define THREE(name, a, x, b, y, c, z) [TERN_OP_##name] = {{a, b, c}, true, false},
#define WIDE3(name, a, x, b, y, c, z) [TERN_OP_##name] = {{a, b, c}, true, true},
#define NONE(name)
#define REFUSED(name) [TERN_OP_##name] = {{"", "", ""}, true, false},
#include "tensor/derivatives.def"
};

bool row_is_differentiable(int op) { return derivatives[op].is_there; }

unsigned row_saves(int op, const bool *is_needed) {
    unsigned saves = 0;
    for (int i = 0; i < 3; i++)
        for (const char *at = derivatives[op].uses[i]; is_needed[i] && *at; at++)
            saves |= 1u << (*at == 'y' ? SAVE_Y : *at - 'a');
    return saves;
}

static void derive_formulas(const TapeNode *node, Term g, const Term *saved, const bool *is_needed,
                            Term *out) {
    Term a = saved[SAVE_A], b = saved[SAVE_B], c = saved[SAVE_C], y = saved[SAVE_Y];
    Term p = n(node->attributes.p), q = n(node->attributes.q);
    switch ((tern_op_id)node->kind) {
/* clang-format off */
#define ONE(name, u, x) \
    case TERN_OP_##name: out[0] = x; return;
#define TWO(name, u, x, v, z) \
    case TERN_OP_##name: \
        if (is_needed[0]) out[0] = x; \
        if (is_needed[1]) out[1] = z; \
        return;
#define THREE(name, u, x, v, z, w, t) \
    case TERN_OP_##name: \
        if (is_needed[0]) out[0] = x; \
        if (is_needed[1]) out[1] = z; \
        if (is_needed[2]) out[2] = t; \
        return;
#define WIDE(name, u, x) ONE(name, u, x)
#define WIDE2(name, u, x, v, z) TWO(name, u, x, v, z)
#define WIDE3(name, u, x, v, z, w, t) THREE(name, u, x, v, z, w, t)
#define NONE(name) case TERN_OP_##name: return;
#define REFUSED(name) \
    case TERN_OP_##name: \
        session_fail(node->session, TERN_ERROR_UNSUPPORTED, \
                     "derivative for aten::" #name " is not implemented"); \
        return;
#include "tensor/derivatives.def"
    /* clang-format on */
    case TERN_NUM_OPS: return;
    }
}

static Term widened(Term term) {
    if (!is_tensor(term) || !term.tensor) return term;
    tern_dtype wide = compute_type(term.tensor->dtype);
    return wide == term.tensor->dtype ? term : tern_of(tern_to(term.tensor, wide));
}

static tern_status derive_row(TapeNode *node, tern_tensor *gradient, tern_tensor **in_gradients) {
    bool is_needed[3] = {false};
    Term saved[NUM_SAVED], out[3] = {tern_of(NULL), tern_of(NULL), tern_of(NULL)};
    Term g = tern_of(gradient);
    for (int i = 0; i < node->num_inputs; i++) is_needed[i] = node->edges[i].node != NULL;
    unsigned saves = row_saves(node->kind, is_needed);
    for (int i = 0; i < NUM_SAVED; i++) {
        saved[i] = tern_of(NULL);
        if (!(saves >> i & 1)) continue;
        if (!node_unpack(node, i, &saved[i])) return tern_message_status(node->session->context);
        if (node->saved[i].kind == SAVED_NOTHING) saved[i] = n(1); /* a weight that is not there */
        if (derivatives[node->kind].is_wide) saved[i] = widened(saved[i]);
    }
    if (derivatives[node->kind].is_wide) g = widened(g);
    derive_formulas(node, g, saved, is_needed, out);
    for (int i = 0; i < node->num_inputs; i++) {
        in_gradients[i] = out[i].tensor;
        if (is_needed[i] && !in_gradients[i]) return tern_message_status(node->session->context);
    }
    return TERN_OK;
}

/* ---- views ---- */

/* A view of `whole`, which lies as `layout` does, that is the part; NULL: it is not in it. */
static tern_tensor *part_of(tern_tensor *whole, const Layout *layout, const Layout *part) {
    int64_t offset = part->offset - layout->offset, extent = 0;
    if (!whole || !view_extent(part->rank, part->shape, part->strides, &extent)) return NULL;
    if (extent && (offset < 0 || offset + extent > tensor_extent(whole)))
        return session_fail_null(whole->session, TERN_ERROR_UNSUPPORTED,
                                 "a gradient of as_strided that reaches beyond its input");
    return view_new(whole, part->rank, part->shape, part->strides, extent ? offset : 0);
}

static tern_status derive_part(TapeNode *node, tern_tensor *gradient, tern_tensor **in_gradients) {
    const Layout *whole = &node->inputs[0];
    tern_tensor *zeros =
        tensor_filled(node->session, gradient->dtype, whole->rank, whole->shape, whole->strides, 0);
    tern_tensor *part = tape_view(part_of(zeros, whole, &node->attributes.part), zeros, NODE_SEEN,
                                  &node->attributes);
    in_gradients[0] = zeros;
    return part ? tern_copy_into(part, gradient) : TERN_ERROR_NO_MEMORY;
}

/* The gradient, laid out as the base is, in which the part can be seen. */
tern_tensor *tensor_laid_out(const Layout *layout, tern_tensor *gradient) {
    tern_tensor *copy = tern_empty_strided(gradient->session, gradient->dtype, layout->rank,
                                           layout->shape, layout->strides);
    if (!copy || !tern_copy_into(copy, gradient)) return copy;
    tern_drop(copy);
    return NULL;
}

static tern_status derive_set_part(TapeNode *node, tern_tensor *gradient,
                                   tern_tensor **in_gradients) {
    const Layout *whole = &node->inputs[0], *part = &node->attributes.part;
    Attributes attributes = {.part = *part};
    tern_tensor *copy = tensor_laid_out(whole, gradient);
    tern_tensor *seen =
        copy ? tape_view(part_of(copy, whole, part), copy, NODE_SEEN, &attributes) : NULL;
    if (!seen) return TERN_ERROR_NO_MEMORY;
    in_gradients[1] = tern_clone(seen);
    if (!node->edges[0].node) return in_gradients[1] ? TERN_OK : TERN_ERROR_NO_MEMORY;
    tern_tensor *none = tensor_filled(node->session, gradient->dtype, 0, NULL, NULL, 0);
    in_gradients[0] = copy;
    return none ? tern_copy_into(seen, none) : TERN_ERROR_NO_MEMORY;
}

static tern_tensor *permuted_back(const TapeNode *node, tern_tensor *gradient) {
    int dims[TERN_MAX_RANK];
    for (int d = 0; d < gradient->rank; d++) dims[node->attributes.dims[d]] = d;
    return tern_permute(gradient, gradient->rank, dims);
}

/* ---- tensors put together ---- */

static tern_status derive_cat(TapeNode *node, tern_tensor *gradient, tern_tensor **in_gradients) {
    int dim = node->attributes.dim;
    int64_t at = 0;
    for (int i = 0; i < node->num_inputs; i++) {
        bool is_slice = node->kind == NODE_CAT;
        int64_t size = node->inputs[i].rank ? node->inputs[i].shape[dim] : 0;
        if (is_slice && node->inputs[i].rank == 1 && gradient->rank > 1) size = 0;
        if (node->edges[i].node) {
            in_gradients[i] = is_slice ? tern_slice(gradient, dim, at, at + size, 1)
                                       : tern_select(gradient, dim, i);
            if (!in_gradients[i]) return TERN_ERROR_NO_MEMORY;
        }
        at += size;
    }
    return TERN_OK;
}

/* ---- functions of the user's own ---- */

static tern_status derive_custom(TapeNode *node, tern_tensor *const *gradients,
                                 tern_tensor **in_gradients) {
    tern_session *session = node->session;
    size_t count = (size_t)(node->num_saved + node->num_outputs) + 1;
    tern_tensor **handles = calloc(count, sizeof *handles);
    bool *is_needed = calloc((size_t)node->num_inputs + 1, sizeof *is_needed);
    tern_status status = TERN_OK;
    if (!handles || !is_needed)
        status = session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    for (int i = 0; i < node->num_saved && !status; i++) {
        Term saved;
        if (node_unpack(node, i, &saved))
            handles[i] = saved.tensor;
        else
            status = tern_message_status(session->context);
    }
    tern_tensor **of_outputs = handles + node->num_saved;
    for (int i = 0; i < node->num_outputs && !status; i++) {
        const Layout *like = &node->outputs[i];
        of_outputs[i] = gradients[i];
        if (gradients[i] || node->function.keeps_missing) continue;
        of_outputs[i] = tensor_filled(session, like->dtype, like->rank, like->shape, NULL, 0);
        if (!of_outputs[i]) status = tern_message_status(session->context);
    }
    for (int i = 0; i < node->num_inputs && !status; i++)
        is_needed[i] = node->edges[i].node != NULL;
    /* What it makes is its own, no scope's. */
    int hidden = session->hidden_scopes;
    session->hidden_scopes = session->num_scopes;
    if (!status)
        status = node->function.backward(
            &(tern_backward_call){node->function.user, node->num_outputs, node->num_inputs,
                                  node->num_saved, of_outputs, handles, is_needed, in_gradients});
    session->hidden_scopes = hidden;
    for (int i = 0; i < node->num_inputs; i++) {
        tern_tensor *given = in_gradients[i];
        bool is_there = given && tensor_is_live(given);
        in_gradients[i] = is_there ? tape_alias(view_same(given), given) : NULL;
        if (is_there && !in_gradients[i] && !status) status = TERN_ERROR_NO_MEMORY;
        if (is_there) tern_drop(given);
    }
    free(handles);
    free(is_needed);
    return status;
}

tern_status node_derive(TapeNode *node, tern_tensor *const *gradients, tern_tensor **in_gradients) {
    const Attributes *with = &node->attributes;
    tern_tensor *g = gradients[0];
    if (node->kind < TERN_NUM_OPS) return derive_row(node, g, in_gradients);
    switch ((NodeKind)node->kind) {
    case NODE_LEAF: return TERN_OK;
    case NODE_RESHAPE:
        in_gradients[0] = tern_reshape(g, node->inputs[0].rank, node->inputs[0].shape);
        break;
    case NODE_PERMUTE: in_gradients[0] = permuted_back(node, g); break;
    case NODE_EXPAND:
        in_gradients[0] = view_same(g);
        tape_alias(in_gradients[0], g);
        break;
    case NODE_PART:
    case NODE_SEEN: return derive_part(node, g, in_gradients);
    case NODE_SET_PART: return derive_set_part(node, g, in_gradients);
    case NODE_CAT:
    case NODE_STACK: return derive_cat(node, g, in_gradients);
    case NODE_TRIANGLE:
        in_gradients[0] = with->is_lower ? tern_tril(g, with->number) : tern_triu(g, with->number);
        break;
    case NODE_CUSTOM: return derive_custom(node, gradients, in_gradients);
    }
    return in_gradients[0] ? TERN_OK : tern_message_status(node->session->context);
}
