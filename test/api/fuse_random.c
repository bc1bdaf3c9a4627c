// SPDX-License-Identifier: Apache-2.0
/* Random functions of 3 to 40 ops, fused against op by op: pointwise ops, broadcasting, reductions,
 * rows, products, views, casts, writes into parts, several results; sizes 0, 1, odd and beyond a
 * tile, operands transposed, expanded, sliced. In float64, where the two differ by rounding that no
 * program here enlarges beyond the bound, and some in float32 and float16. */
#include "tensor_fixture.h"

static uint64_t state;
static int draw(int below) {
    state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    return (int)((state >> 33) % (uint64_t)below);
}

enum { MAX_POOL = 64, NUM_IN = 4, MAX_OUT = 4 };
typedef struct Program {
    uint64_t seed;
    int num_ops, num_out;
} Program;
typedef struct Pool {
    tern_tensor *tensors[MAX_POOL];
    int count;
} Pool;

static tern_tensor *pick(const Pool *pool) {
    int recent = draw(3) ? (pool->count < 5 ? pool->count : 5) : pool->count;
    return pool->tensors[pool->count - 1 - draw(recent)];
}

static bool fits(tern_tensor *a, tern_tensor *b) {
    for (int d = 1; d <= tern_rank(a) && d <= tern_rank(b); d++) {
        int64_t x = tern_shape(a)[tern_rank(a) - d], y = tern_shape(b)[tern_rank(b) - d];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}

static tern_tensor *partner(const Pool *pool, tern_tensor *a) {
    for (int i = 0; i < 20; i++) {
        tern_tensor *b = pick(pool);
        if (fits(a, b) && tern_numel(b) < 20000) return b;
    }
    return a;
}

static bool is_float(tern_tensor *x) { return tern_dtype_is_float(tern_tensor_dtype(x)); }

static tern_tensor *unary(tern_tensor *x) {
    switch (draw(14)) {
    case 0: return tern_neg(x);
    case 1: return tern_abs(x);
    case 2: return tern_tanh(x);
    case 3: return tern_relu(x);
    case 4: return tern_sigmoid(x);
    case 5: return tern_gelu(x);
    case 6: return tern_silu(x);
    case 7: return tern_sqrt(tern_abs(x));
    case 8: return tern_exp(tern_clamp(tern_of(x), tern_number(-3), tern_number(3)));
    case 9: return tern_sin(x);
    case 10: return tern_pow_number(tern_clamp(tern_of(x), tern_number(0.25), tern_number(2)), 1.5);
    case 11: return tern_softplus(x, 1.5, 2);
    case 12: return tern_copy(x);
    }
    return tern_mul_number(tern_square(x), 0.125);
}

static tern_tensor *binary(const Pool *pool, tern_tensor *x) {
    tern_tensor *y = partner(pool, x);
    switch (draw(9)) {
    case 0: return tern_add(x, y);
    case 1: return tern_sub(x, y);
    case 2: return tern_mul(x, tern_tanh(y));
    case 3: return tern_maximum(x, y);
    case 4: return tern_minimum(x, y);
    case 5: return tern_div(x, tern_add_number(tern_abs(y), 0.5));
    case 6: return tern_where(tern_of(tern_lt(x, y)), tern_of(x), tern_number(0.1));
    case 7: return tern_where(tern_of(tern_ge_number(x, 0.3)), tern_of(x), tern_of(y));
    }
    return tern_sub_number(tern_mul_number(x, 0.7), 0.1);
}

static tern_tensor *reduction(tern_tensor *x) {
    int dims[8], count = 0, rank = tern_rank(x);
    bool keep = draw(3) > 0;
    for (int d = 0; d < rank; d++)
        if (draw(2)) dims[count++] = draw(2) ? d : d - rank;
    if (!count && rank && draw(3)) dims[count++] = rank - 1;
    if (!tern_numel(x)) return tern_sum(x, dims, count, keep);
    switch (draw(8)) {
    case 0: return tern_sum(x, dims, count, keep);
    case 1: return tern_mean(x, dims, count, keep);
    case 2: return tern_amax(x, dims, count, keep);
    case 3: return tern_amin(x, dims, count, keep);
    case 4: return tern_logsumexp(x, dims, count, keep);
    case 5: return tern_norm(x, dims, count, keep);
    case 6: return tern_mul_number(tern_to(tern_any(x, dims, count, keep), TERN_FLOAT64), 0.5);
    }
    return tern_var(x, dims, count, keep, 0);
}

static tern_tensor *rows(tern_tensor *x) {
    int rank = tern_rank(x), dim = rank ? draw(rank) : 0;
    switch (draw(6)) {
    case 0: return tern_log_softmax(x, dim);
    case 1: return rank ? tern_layer_norm(x, 1 + draw(rank), NULL, NULL, 0.1) : tern_exp(x);
    case 2: return rank ? tern_rms_norm(x, 1, NULL, NULL, 0.1) : tern_sin(x);
    case 3: return tern_mul_number(tern_cumsum(x, dim), 0.1);
    case 4:
        return tern_numel(x)
                   ? tern_mul_number(tern_to(tern_argmax(x, dim, true), TERN_FLOAT64), 0.1)
                   : tern_abs(x);
    }
    return tern_softmax(x, dim);
}

static tern_tensor *view(tern_tensor *x) {
    int rank = tern_rank(x), dim = rank ? draw(rank) : 0;
    switch (draw(7)) {
    case 0: return rank > 1 ? tern_transpose(x, dim, rank - 1) : tern_unsqueeze(x, 0);
    case 1: return rank < 4 ? tern_unsqueeze(x, draw(rank + 1)) : tern_squeeze_all(x);
    case 2: return rank ? tern_slice(x, dim, draw(3), 1000, 1 + draw(2)) : tern_unsqueeze(x, 0);
    case 3: return tern_flatten(x);
    case 4: return rank && tern_shape(x)[dim] ? tern_select(x, dim, -1) : tern_unsqueeze(x, 0);
    case 5:
        return rank < 3 && tern_numel(x) < 5000
                   ? tern_expand(tern_unsqueeze(x, 0), rank + 1, (int64_t[]){3, -1, -1, -1})
                   : tern_squeeze_all(x);
    }
    return tern_squeeze_all(x);
}

static tern_tensor *product(const Pool *pool, tern_tensor *x) {
    if (tern_rank(x) < 2 || tern_numel(x) > 20000) return unary(x);
    int64_t depth = tern_shape(x)[tern_rank(x) - 1];
    for (int i = 0; i < 20; i++) {
        tern_tensor *y = pick(pool);
        if (tern_rank(y) == 2 && tern_shape(y)[0] == depth && is_float(y) &&
            tern_tensor_dtype(y) == tern_tensor_dtype(x))
            return tern_tanh(tern_matmul(x, y));
    }
    if (tern_rank(x) > 2) return unary(x);
    return tern_mul_number(
        tern_matmul(x, draw(2) ? tern_transpose(x, 0, 1) : tern_transpose(tern_gelu(x), 0, 1)),
        0.1);
}

static tern_tensor *written(tern_tensor *x) {
    tern_tensor *copy = tern_clone(x), *part = copy;
    if (tern_rank(x) && tern_shape(x)[0] > 1) part = tern_slice(copy, 0, 1, 1000, 2);
    const tern_operand operands[] = {tern_of(part), tern_number(0.5)};
    return tern_op_into(part, TERN_OP_mul, operands, 2, 0, 0) ? NULL : copy;
}

static tern_tensor *one(const Pool *pool) {
    tern_tensor *x = pick(pool);
    if (!is_float(x)) x = tern_to(x, TERN_FLOAT64);
    int kind = draw(20);
    return kind < 6    ? unary(x)
           : kind < 11 ? binary(pool, x)
           : kind < 14 ? reduction(x)
           : kind < 16 ? rows(x)
           : kind < 18 ? view(x)
           : kind < 19 ? product(pool, x)
                       : written(x);
}

static tern_status run_program(tern_tensor *const *in, tern_tensor **out, void *user) {
    const Program *program = user;
    Pool pool = {.count = 0};
    state = program->seed;
    for (int i = 0; i < NUM_IN; i++) pool.tensors[pool.count++] = in[i];
    for (int i = 0; i < program->num_ops; i++) {
        tern_tensor *made = one(&pool);
        if (!made) return TERN_ERROR_ARGUMENT;
        pool.tensors[pool.count++] = made;
    }
    for (int i = 0; i < program->num_out; i++)
        out[i] =
            tern_keep(pool.tensors[pool.count - 1 - i * (program->num_ops / program->num_out)]);
    return TERN_OK;
}

static tern_tensor *input(tern_dtype dtype, int64_t rows, int64_t cols, int way) {
    int64_t count = 2 * (rows + 1) * (cols + 1);
    tern_tensor *x = tern_to(counted(SHAPE(count)), TERN_FLOAT64);
    x = tern_to(tern_mul_number(tern_sin(tern_mul_number(x, 12.9898)), 2), dtype);
    tern_tensor *wide =
        tern_view(tern_slice(x, 0, 0, rows * cols * 2, 1), 2,
                  (int64_t[]){way == 1 ? cols : rows, way == 1 ? rows * 2 : cols * 2});
    if (way == 1) return tern_transpose(tern_slice(wide, 1, 0, rows, 1), 0, 1);
    if (way == 2) return tern_slice(wide, 1, 0, cols * 2, 2);
    if (way == 3) return tern_expand(tern_slice(x, 0, 0, cols, 1), 2, (int64_t[]){rows, cols});
    return tern_contiguous(tern_slice(wide, 1, cols, cols * 2, 1));
}

static bool run_one(uint64_t seed, tern_dtype dtype, double bound) {
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 16, 17, 33, 40, 130, 0};
    state = seed * 7919 + 1;
    int64_t rows = sizes[draw(seed % 16 ? 10 : 11)], cols = sizes[draw(10)];
    if (seed % 13 == 0) cols = 1500, rows = 3;
    tern_tensor *in[NUM_IN] = {input(dtype, rows, cols, draw(4)), input(dtype, rows, cols, draw(3)),
                               tern_select(input(dtype, 2, cols, draw(3)), 0, 1),
                               input(dtype, rows, 1, draw(2))};
    for (int i = 0; i < NUM_IN; i++)
        if (!in[i]) return fprintf(stderr, "    %s\n", tern_message(context)), false;
    Program program = {.seed = seed, .num_ops = 3 + draw(38), .num_out = 1 + draw(MAX_OUT - 1)};
    tern_tensor *want[MAX_OUT] = {NULL}, *got[MAX_OUT] = {NULL};
    if (run_program(in, want, &program)) return true; /* no function at all */
    tern_fused *fused =
        tern_fuse(session, "random", run_program, NUM_IN, program.num_out, &program);
    bool same = !tern_fused_call(fused, in, got);
    if (!same) fprintf(stderr, "    %s\n", tern_message(context));
    for (int i = 0; i < program.num_out && same; i++) {
        bool close = false;
        same = tern_rank(got[i]) == tern_rank(want[i]) &&
               tern_tensor_dtype(got[i]) == tern_tensor_dtype(want[i]) &&
               !tern_allclose(got[i], want[i], bound, bound, true, &close) && close;
        for (int d = 0; d < tern_rank(got[i]) && same; d++)
            same = tern_shape(want[i])[d] < 2 || !tern_numel(want[i]) ||
                   tern_strides(got[i])[d] == tern_strides(want[i])[d];
    }
    for (int i = 0; i < program.num_out; i++) tern_drop(want[i]);
    if (!same) {
        char *text = tern_fused_text(fused, TERN_FUSED_PLAN);
        char *source = tern_fused_text(fused, TERN_FUSED_SOURCE);
        fprintf(stderr, "seed %llu, %lld x %lld\n%s", (unsigned long long)seed, (long long)rows,
                (long long)cols, text ? text : "");
        if (getenv("TERN_TEST_VERBOSE") && source) fprintf(stderr, "%s\n", source);
        tern_free(text);
        tern_free(source);
    }
    tern_fused_free(fused);
    return same;
}

static void run_many(const char *device, int first, int count, tern_dtype dtype, double bound) {
    int failed = 0;
    CHECK(begin(device));
    for (int i = 0; i < count && failed < 3; i++) {
        CHECK(!tern_scope_open(session));
        failed += !run_one((uint64_t)(first + i), dtype, bound);
        CHECK(!tern_scope_close(session));
    }
    CHECK(!failed);
    end();
}

TEST(programs_in_float64) { run_many("interp", 0, 300, TERN_FLOAT64, 1e-7); }
TEST(programs_in_float32) { run_many("interp", 1000, 60, TERN_FLOAT32, 2e-3); }
TEST(programs_on_cpu) { run_many("cpu", 2000, 6, TERN_FLOAT64, 1e-7); }

TEST_MAIN()
