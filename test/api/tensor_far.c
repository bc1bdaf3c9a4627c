// SPDX-License-Identifier: Apache-2.0
/* Tensors whose elements lie more than 2^31 elements apart, in memory that is reserved and hardly
 * touched: each kind of op gives what it gives of the same numbers close together; so do fused
 * functions, gradients, and what writes. */
#include "tensor_fixture.h"

#include <math.h>
#include <sys/mman.h>

static const int64_t apart = (INT64_C(1) << 31) + 7;

typedef tern_tensor *Op(tern_tensor *x, tern_tensor *small); /* of [2, 5], fp16 */

static tern_tensor *ints(tern_session *of, int rank, const int64_t *shape) {
    static const int64_t zeros_and_ones[] = {1, 0, 0, 1, 1, 0, 1, 1, 0, 0};
    return tern_from(of, zeros_and_ones, TERN_INT64, rank, shape);
}

#define OP(name, value)                                                                            \
    static tern_tensor *name(tern_tensor *x, tern_tensor *small) {                                 \
        (void)small;                                                                               \
        return value;                                                                              \
    }
OP(unary, tern_exp(x))
OP(turned, tern_clone(tern_transpose(x, 0, 1)))
OP(binary, tern_add(x, small))
OP(twice, tern_mul(x, x))
OP(broadcast, tern_sub(x, tern_select(x, 0, 1)))
OP(converted, tern_to(x, TERN_FLOAT32))
OP(chosen, tern_where(tern_of(tern_gt_number(x, 2)), tern_of(x), tern_number(-1)))
OP(sums, tern_sum(x, (const int[]){0}, 1, false))
OP(sum_of_all, tern_sum(x, NULL, 0, false))
OP(largest, tern_argmax(x, 0, false))
OP(soft_rows, tern_softmax(x, 1))
OP(soft_columns, tern_log_softmax(x, 0))
OP(normed, tern_layer_norm(x, 1, tern_select(x, 0, 0), tern_select(x, 0, 1), 1e-5))
OP(scanned, tern_cumsum(x, 0))
OP(gathered, tern_gather(x, 0, ints(session, SHAPE(2, 5))))
OP(selected, tern_index_select(x, 0, ints(session, SHAPE(3))))
OP(rows_of, tern_embedding(ints(session, SHAPE(2, 2)), x))
OP(scattered, tern_scatter_add(small, 0, ints(session, SHAPE(2, 5)), x))
OP(product, tern_matmul(x, tern_transpose(x, 0, 1)))
OP(joined, tern_cat((tern_tensor *[]){x, small, x}, 3, 0))
OP(stacked, tern_stack((tern_tensor *[]){small, x}, 2, 1))
OP(triangle, tern_tril(x, 1))
OP(entropy, tern_cross_entropy(x, ints(session, SHAPE(2)), NULL, NULL))
static tern_tensor *sorted(tern_tensor *x, tern_tensor *small) {
    tern_tensor *values = NULL, *indices = NULL;
    (void)small;
    return tern_sort(x, 0, true, &values, &indices) ? NULL : tern_add(values, indices);
}
static tern_tensor *first_ones(tern_tensor *x, tern_tensor *small) {
    tern_tensor *values = NULL, *indices = NULL;
    (void)small;
    return tern_topk(x, 2, 1, true, &values, &indices) ? NULL : tern_add(values, indices);
}
static tern_tensor *gradient(tern_tensor *x, tern_tensor *small) {
    x = tern_detach(x);
    bool done =
        !tern_set_requires_grad(x, true) &&
        !tern_backward(tern_sum(tern_mul(tern_softmax(x, 0), small), NULL, 0, false), NULL, NULL);
    return done ? tern_gradient(x) : NULL;
}

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    (void)user;
    tern_tensor *x = tern_sub(in[0], tern_amax(in[0], (const int[]){1}, 1, true));
    out[0] = tern_keep(tern_mul(tern_softmax(x, 1), in[1]));
    return out[0] ? TERN_OK : TERN_ERROR_ARGUMENT;
}
static tern_tensor *fused(tern_tensor *x, tern_tensor *small) {
    tern_tensor *out = NULL;
    tern_fused *function = tern_fuse(session, "far", body, 2, 1, NULL);
    CHECK(function && !tern_fused_call(function, (tern_tensor *[]){x, small}, &out));
    tern_fused_free(function);
    return out;
}

/* Each once only: what it writes to is told apart by no reader. */
static tern_tensor *written(tern_tensor *x, tern_tensor *small) {
    const tern_operand operands[] = {tern_of(x), tern_of(small)};
    return tern_op_into(x, TERN_OP_mul, operands, 2, 0, 0) ? NULL : tern_clone(x);
}
static tern_tensor *copied(tern_tensor *x, tern_tensor *small) {
    return tern_copy_into(x, tern_select(small, 0, 1)) ? NULL : tern_clone(x);
}

static const struct {
    const char *name;
    Op *op;
} ops[] = {
#define ROW(name) {#name, name},
    ROW(unary) ROW(turned) ROW(binary) ROW(twice) ROW(broadcast) ROW(converted) ROW(chosen)
        ROW(sums) ROW(sum_of_all) ROW(largest) ROW(soft_rows) ROW(soft_columns) ROW(normed)
            ROW(scanned) ROW(gathered) ROW(selected) ROW(rows_of) ROW(scattered) ROW(product)
                ROW(joined) ROW(stacked) ROW(triangle) ROW(entropy) ROW(sorted) ROW(first_ones)
                    ROW(gradient) ROW(fused) ROW(written) ROW(copied)};

TEST(each_kind_of_op) {
    CHECK(begin("interp"));
    size_t bytes = 2 * ((size_t)apart + 5);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        SKIP("4 GB of addresses cannot be reserved");
        end();
        return;
    }
    tern_buffer *buffer = tern_wrap(context, memory, bytes);
    tern_tensor *near = tern_to(tern_sin(counted(SHAPE(2, 5))), TERN_FLOAT16);
    tern_tensor *small = tern_to(tern_cos(counted(SHAPE(2, 5))), TERN_FLOAT16);
    tern_tensor *far = tern_from_buffer(session, buffer, 0, TERN_FLOAT16, SHAPE(2, 5),
                                        (const int64_t[]){apart, 1});
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        bool is_same = false;
        CHECK(!tern_copy_into(far, near));
        tern_tensor *want = ops[i].op(tern_clone(near), small), *got = ops[i].op(far, small);
        CHECK(want && got && tern_numel(want));
        bool known = !tern_allclose(got, want, 0, 0, false, &is_same);
        if (!known || !is_same) printf("%s: %s\n", ops[i].name, tern_message(context));
        CHECK(known && is_same);
    }
    char *texts = tern_session_kernels(session);
    CHECK(texts && strstr(texts, "tl.program_id(0).to(tl.int64)"));
    tern_free(texts);
    end();
    munmap(memory, bytes);
}

TEST_MAIN()
