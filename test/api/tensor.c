// SPDX-License-Identifier: Apache-2.0
/* Tensors as C programs meet them: making, views, printing, files, exchange, and what is refused,
 * in PyTorch's words. On interp: what a kernel computes is tensor_ops.c's matter. */
#include "api/tensor_fixture.h"

#include <unistd.h>

/* Sizes, strides and elements as one text: "[2, 3] [3, 1]: 0 1 2 3 4 5". */
static const char *shown(tern_tensor *tensor) {
    static char text[2000];
    if (!tensor) return tern_message(context);
    int at = 0, rank = tern_rank(tensor);
    for (int part = 0; part < 2; part++) {
        const int64_t *of = part ? tern_strides(tensor) : tern_shape(tensor);
        at += sprintf(text + at, "%s[", part ? " " : "");
        for (int i = 0; i < rank; i++)
            at += sprintf(text + at, "%s%lld", i ? ", " : "", (long long)of[i]);
        at += sprintf(text + at, "]");
    }
    at += sprintf(text + at, ":");
    float values[100];
    CHECK(!tern_scope_open(session));
    tern_tensor *single = tern_to(tensor, TERN_FLOAT32);
    if (!single || tern_to_host(single, values, (size_t)tern_numel(single) * 4))
        return tern_message(context);
    for (int64_t i = 0; i < tern_numel(single); i++)
        at += sprintf(text + at, " %g", (double)values[i]);
    CHECK(!tern_scope_close(session));
    return text;
}

#define SHOWS(tensor, want) CHECK_STR(shown(tensor), want)
#define SAYS(tensor, want)                                                                         \
    do {                                                                                           \
        tern_fail(context, TERN_OK, "");                                                           \
        CHECK((tensor) == NULL);                                                                   \
        CHECK_STR(tern_message(context), want);                                                    \
    } while (0)
#define FAILS(status, want)                                                                        \
    do {                                                                                           \
        tern_fail(context, TERN_OK, "");                                                           \
        CHECK((status) != TERN_OK);                                                                \
        CHECK_STR(tern_message(context), want);                                                    \
    } while (0)

TEST(making) {
    CHECK(begin("interp"));
    SHOWS(tern_zeros(session, TERN_INT8, SHAPE(2, 2)), "[2, 2] [2, 1]: 0 0 0 0");
    SHOWS(tern_ones(session, TERN_BFLOAT16, SHAPE(3)), "[3] [1]: 1 1 1");
    SHOWS(tern_full(session, TERN_FLOAT64, SHAPE(5), 2.5), "[5] [1]: 2.5 2.5 2.5 2.5 2.5");
    SHOWS(tern_full(session, TERN_BOOL, 0, NULL, 7), "[] []: 1");
    SHOWS(tern_arange(session, TERN_INT64, 5, 0, -2), "[3] [1]: 5 3 1");
    SHOWS(tern_arange(session, TERN_FLOAT32, 0, 1, 0.25), "[4] [1]: 0 0.25 0.5 0.75");
    SHOWS(tern_empty(session, TERN_FLOAT32, SHAPE(0, 3)), "[0, 3] [3, 1]:");
    SHOWS(tern_from(session, (const int16_t[]){1, -2}, TERN_INT16, SHAPE(2, 1)),
          "[2, 1] [1, 1]: 1 -2");
    tern_tensor *like = tern_zeros_like(tern_transpose(counted(SHAPE(2, 3)), 0, 1));
    SHOWS(like, "[3, 2] [1, 3]: 0 0 0 0 0 0");
    SAYS(tern_empty(session, TERN_FLOAT32, SHAPE(INT64_C(1) << 62, 4)),
         "Storage size calculation overflowed with sizes=[4611686018427387904, 4]");
    SAYS(tern_empty(session, TERN_FLOAT32, SHAPE(INT64_C(1) << 62)),
         "Storage size calculation overflowed with sizes=[4611686018427387904]");
    SAYS(tern_empty(session, TERN_FLOAT32, SHAPE(-1, 2)),
         "Trying to create tensor with negative dimension -1: [-1, 2]");
    SAYS(tern_empty(session, TERN_FLOAT32, SHAPE(INT64_C(1) << 58)),
         "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1152921504606846976 "
         "bytes.");
    CHECK(tern_message_status(context) == TERN_ERROR_NO_MEMORY);
    SAYS(tern_empty(session, TERN_VOID, SHAPE(1)), "a tensor of no known type");
    SAYS(tern_empty(session, TERN_FLOAT32, 9, (const int64_t[9]){0}),
         "a tensor of 9 dimensions (at most 8)");
    SAYS(tern_empty_strided(session, TERN_FLOAT32, SHAPE(2), (const int64_t[]){INT64_MAX}),
         "Storage size calculation overflowed with sizes=[2] and strides=[9223372036854775807]");
    SAYS(tern_arange(session, TERN_INT64, 0, 5, 0), "step must be nonzero");
    SAYS(tern_arange(session, TERN_INT64, 0, 5, -1),
         "upper bound and lower bound inconsistent with step sign");
    SAYS(tern_arange(session, TERN_INT64, 0, 1e300, 1), "invalid size, possible overflow?");
    end();
}

TEST(views) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3, 4));
    SHOWS(tern_slice(x, 2, 1, 4, 2), "[2, 3, 2] [12, 4, 2]: 1 3 5 7 9 11 13 15 17 19 21 23");
    SHOWS(tern_slice(x, 0, -1, INT64_MAX, INT64_MAX),
          "[1, 3, 4] [0, 4, 1]: 12 13 14 15 16 17 18 19 20 21 22 23");
    SHOWS(tern_slice(x, 1, 2, 1, 1), "[2, 0, 4] [12, 4, 1]:");
    SHOWS(tern_select(x, 1, -1), "[2, 4] [12, 1]: 8 9 10 11 20 21 22 23");
    SHOWS(tern_transpose(counted(SHAPE(2, 3)), 0, -1), "[3, 2] [1, 3]: 0 3 1 4 2 5");
    SHOWS(tern_permute(x, 3, (const int[]){2, 0, 1}),
          "[4, 2, 3] [1, 12, 4]: 0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23");
    SHOWS(tern_view(tern_select(x, 0, 1), SHAPE(2, -1)),
          "[2, 6] [6, 1]: 12 13 14 15 16 17 18 19 20 21 22 23");
    SHOWS(tern_reshape(tern_transpose(counted(SHAPE(2, 3)), 0, 1), SHAPE(6)),
          "[6] [1]: 0 3 1 4 2 5");
    SHOWS(tern_view(tern_slice(counted(SHAPE(4, 3)), 0, 0, 4, 2), SHAPE(2, 3, 1)),
          "[2, 3, 1] [6, 1, 1]: 0 1 2 6 7 8");
    SHOWS(tern_flatten(tern_full(session, TERN_FLOAT32, 0, NULL, 3)), "[1] [1]: 3");
    SHOWS(tern_view_as(tern_full(session, TERN_INT32, SHAPE(2, 2), 0x3f800000), TERN_FLOAT32,
                       SHAPE(3)),
          "[3] [1]: 1 1 1");
    SHOWS(tern_expand(counted(SHAPE(2, 1)), SHAPE(3, -1, 2)),
          "[3, 2, 2] [0, 1, 0]: 0 0 1 1 0 0 1 1 0 0 1 1");
    SHOWS(tern_squeeze(counted(SHAPE(1, 2, 1)), 0), "[2, 1] [1, 1]: 0 1");
    SHOWS(tern_squeeze(counted(SHAPE(1, 2, 1)), 1), "[1, 2, 1] [2, 1, 1]: 0 1");
    SHOWS(tern_squeeze_all(counted(SHAPE(1, 2, 1))), "[2] [1]: 0 1");
    SHOWS(tern_unsqueeze(counted(SHAPE(2, 3)), -2), "[2, 1, 3] [3, 3, 1]: 0 1 2 3 4 5");
    SHOWS(tern_as_strided(x, SHAPE(2, 2), (const int64_t[]){1, 5}, 3), "[2, 2] [1, 5]: 3 8 4 9");
    SHOWS(tern_at(x, "1, :, None, 0:4:2"), "[3, 1, 2] [4, 4, 2]: 12 14 16 18 20 22");
    SHOWS(tern_at(x, "..., -1"), "[2, 3] [12, 4]: 3 7 11 15 19 23");
    SHOWS(tern_at(x, "0, ..., ::3"), "[3, 2] [4, 3]: 0 3 4 7 8 11");
    SHOWS(tern_at(x, "-1, -3:-1, :2"), "[2, 2] [4, 1]: 12 13 16 17");
    SHOWS(tern_contiguous(tern_transpose(counted(SHAPE(2, 2)), 0, 1)), "[2, 2] [2, 1]: 0 2 1 3");
    SHOWS(tern_clone(tern_transpose(counted(SHAPE(2, 2)), 0, 1)), "[2, 2] [1, 2]: 0 2 1 3");
    end();
}

TEST(views_that_cannot_be) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3));
    SAYS(tern_view_as(x, TERN_FLOAT64, SHAPE(4)), "shape '[4]' of fp64 is invalid for 24 bytes");
    SAYS(tern_view_as(tern_transpose(x, 0, 1), TERN_INT8, SHAPE(4)),
         "tern_view_as of a tensor that is traced, recorded or has gaps");
    SAYS(tern_view(x, SHAPE(2, 5)), "shape '[2, 5]' is invalid for input of size 6");
    SAYS(tern_view(x, SHAPE(INT64_MAX, 3)),
         "shape '[9223372036854775807, 3]' is invalid for input of size 6");
    SAYS(tern_view(tern_transpose(x, 0, 1), SHAPE(6)),
         "view size is not compatible with input tensor's size and stride (at least one dimension "
         "spans across two contiguous subspaces). Use .reshape(...) instead.");
    SAYS(tern_view(x, SHAPE(-1, -1)), "only one dimension can be inferred");
    SAYS(tern_view(x, SHAPE(-1, 4)), "shape '[-1, 4]' is invalid for input of size 6");
    SAYS(tern_view(x, SHAPE(-2, 3)), "invalid shape dimension -2 at index 0 of shape [-2, 3]");
    SAYS(tern_view(tern_empty(session, TERN_FLOAT32, SHAPE(0, 3)), SHAPE(-1, 0)),
         "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension "
         "size -1 can be any value and is ambiguous");
    SAYS(tern_expand(x, SHAPE(4, 3)),
         "The expanded size of the tensor (4) must match the existing size (2) at non-singleton "
         "dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]");
    SAYS(tern_expand(x, SHAPE(3)),
         "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be "
         "greater or equal to the number of dimensions in the tensor (2)");
    SAYS(tern_expand(x, SHAPE(-1, 2, 3)), "The expanded size of the tensor (-1) isn't allowed in a "
                                          "leading, non-existing dimension 0");
    SAYS(tern_expand(x, SHAPE(INT64_MAX, 2, 3)), "numel: integer multiplication overflow");
    SAYS(tern_permute(x, 2, (const int[]){0, 0}), "permute(): duplicate dims are not allowed.");
    SAYS(tern_transpose(x, 0, 2),
         "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    SAYS(tern_at(x, "2"), "index 2 is out of bounds for dimension 0 with size 2");
    SAYS(tern_at(x, "99999999999999999999"),
         "index 9223372036854775807 is out of bounds for dimension 0 with size 2");
    SAYS(tern_at(x, "0, 0, 0"), "too many indices for tensor of dimension 2");
    SAYS(tern_at(x, "::-1"), "step must be greater than zero");
    SAYS(tern_at(x, "a"), "subscript 'a': expected an integer, a slice, None or '...' at 'a'");
    SAYS(tern_at(x, "0 1"), "subscript '0 1': expected ',' at '1'");
    SAYS(tern_at(x, "..., ..."), "an index can only have a single ellipsis ('...')");
    SAYS(tern_at(tern_full(session, TERN_FLOAT32, 0, NULL, 1), "0"),
         "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
         "C++ to convert a 0-dim tensor to a number");
    SAYS(tern_select(x, 0, 5),
         "select(): index 5 out of range for tensor of size [2, 3] at dimension 0");
    SAYS(tern_as_strided(x, SHAPE(2, 2), (const int64_t[]){-1, 1}, 0),
         "as_strided: Negative strides are not supported at the moment, got strides: [-1, 1]");
    SAYS(tern_as_strided(x, SHAPE(20, 2), (const int64_t[]){1, 1}, 0),
         "setStorage: sizes [20, 2], strides [1, 1], storage offset 0, and itemsize 4 requiring a "
         "storage size of 84 are out of bounds for storage of size 24");
    SAYS(tern_as_strided(x, SHAPE(1), (const int64_t[]){1}, INT64_MAX),
         "Tensor: invalid storage offset 9223372036854775807");
    end();
}

TEST(ops_that_cannot_be) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3)), *i = tern_arange(session, TERN_INT64, 1, 3, 1);
    tern_tensor *b = tern_gt_number(i, 1), *h = tern_zeros(session, TERN_FLOAT8E4M3, SHAPE(2));
    tern_tensor *u = tern_zeros(session, TERN_UINT16, SHAPE(2));
    SAYS(tern_add(x, tern_zeros(session, TERN_FLOAT32, SHAPE(4))),
         "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension "
         "1");
    SAYS(tern_neg(b), "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                      "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
    SAYS(tern_sub(b, b),
         "Subtraction, the `-` operator, with two bool tensors is not supported. Use "
         "the `^` or `logical_xor()` operator instead.");
    SAYS(tern_gelu(i), "\"gelu\" not implemented for 'Long'");
    SAYS(tern_add(h, h), "\"add\" not implemented for 'Float8_e4m3fn'");
    SAYS(tern_add(h, x), "Promotion for Float8 Types is not supported, attempted to promote "
                         "Float8_e4m3fn and Float");
    SAYS(tern_add(u, i),
         "Promotion for uint16, uint32, uint64 types is not supported, attempted to "
         "promote UInt16 and Long");
    SAYS(tern_remainder(i, tern_sub_integer(i, 1)), "ZeroDivisionError");
    SAYS(tern_floor_divide_integer(i, 0), "ZeroDivisionError");
    SAYS(tern_pow_integer(i, -1), "Integers to negative integer powers are not allowed.");
    SAYS(tern_where(tern_of(x), tern_of(x), tern_of(x)),
         "where expected condition to be a boolean tensor, but got a tensor with dtype Float");
    SAYS(tern_sum(x, (const int[]){0, -2}, 2, false),
         "dim 0 appears multiple times in the list of dims");
    SAYS(tern_mean(i, NULL, 0, false),
         "mean(): could not infer output dtype. Input dtype must be either a floating point or "
         "complex dtype. Got: Long");
    tern_tensor *none = tern_empty(session, TERN_FLOAT32, SHAPE(0, 3));
    SAYS(tern_amax(none, (const int[]){0}, 1, false),
         "amax(): Expected reduction dim 0 to have non-zero size.");
    SAYS(tern_amax(none, NULL, 0, false),
         "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
         "reduction dim with the 'dim' argument.");
    SHOWS(tern_sum(none, (const int[]){0}, 1, false), "[3] [1]: 0 0 0");
    SAYS(tern_matmul(x, x), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    SAYS(tern_matmul(x, tern_zeros(session, TERN_FLOAT32, SHAPE(4))),
         "size mismatch, got input (2), mat (2x3), vec (4)");
    tern_tensor *batches = counted(SHAPE(4, 3, 5)); /* which a product on its left has to copy */
    SAYS(tern_matmul(counted(SHAPE(5)), batches),
         "Expected size for first two dimensions of batch2 tensor to be: [4, 5] but got: [4, 3].");
    SAYS(tern_matmul(counted(SHAPE(2, 5)), batches),
         "Expected size for first two dimensions of batch2 tensor to be: [4, 5] but got: [4, 3].");
    SAYS(tern_matmul(counted(SHAPE(5)), tern_transpose(counted(SHAPE(4, 5, 3)), 1, 2)),
         "size mismatch, got input (20), mat (20x3), vec (5)");
    SAYS(tern_matmul(batches, counted(SHAPE(4, 2))),
         "mat1 and mat2 shapes cannot be multiplied (12x5 and 4x2)");
    SAYS(tern_matmul(counted(SHAPE(2, 2, 5)), batches),
         "The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension "
         "0");
    SAYS(tern_matmul(tern_to(counted(SHAPE(3)), TERN_INT32), batches),
         "expected scalar type Int but found Float");
    tern_tensor *leaf = counted(SHAPE(2, 2));
    tern_set_requires_grad(leaf, true);
    SAYS(tern_matmul(leaf, batches), "mat1 and mat2 shapes cannot be multiplied (20x3 and 2x2)");
    SAYS(tern_addmm(counted(SHAPE(4)), x, tern_transpose(x, 0, 1), 1, 1),
         "The expanded size of the tensor (2) must match the existing size (4) at non-singleton "
         "dimension 1.  Target sizes: [2, 2].  Tensor sizes: [4]");
    SAYS(tern_matmul(counted(SHAPE(3)), counted(SHAPE(4))),
         "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of "
         "elements, but got 3 and 4 elements respectively");
    SAYS(tern_bitwise_xor(x, tern_zeros(session, TERN_FLOAT32, SHAPE(4))),
         "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension "
         "1");
    SAYS(tern_matmul(x, tern_zeros(session, TERN_FLOAT64, SHAPE(3, 1))),
         "expected m1 and m2 to have the same dtype, but got: float != double");
    SAYS(tern_bmm(x, x), "batch1 must be a 3D tensor");
    SAYS(tern_layer_norm(x, 1, tern_zeros(session, TERN_FLOAT32, SHAPE(2)), NULL, 1e-5),
         "Expected weight to be of same shape as normalized_shape, but got weight of shape [2] and "
         "normalized_shape = [3]");
    double value;
    FAILS(tern_item(x, &value), "a Tensor with 6 elements cannot be converted to Scalar");
    end();
}

TEST(writing_into_tensors) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(4)), *y = tern_zeros(session, TERN_FLOAT32, SHAPE(2, 4));
    tern_operand both[] = {tern_of(x), tern_number(1)};
    CHECK(!tern_op_into(x, TERN_OP_add, both, 2, 0, 0)); /* in place */
    SHOWS(x, "[4] [1]: 1 2 3 4");
    CHECK(!tern_copy_into(tern_transpose(tern_at(y, ":, :2"), 0, 1), tern_at(x, "2:")) ||
          (printf("%s\n", tern_message(context)), false));
    SHOWS(y, "[2, 4] [4, 1]: 3 3 0 0 4 4 0 0");
    FAILS(tern_op_into(tern_zeros(session, TERN_INT64, SHAPE(4)), TERN_OP_add, both, 2, 0, 0),
          "result type Float can't be cast to the desired output type Long");
    tern_tensor *wide = tern_expand(tern_zeros(session, TERN_FLOAT32, SHAPE(1)), SHAPE(4));
    FAILS(
        tern_op_into(wide, TERN_OP_add, both, 2, 0, 0),
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation.");
    tern_operand shifted[] = {tern_of(tern_at(x, ":3")), tern_number(1)};
    FAILS(
        tern_op_into(tern_at(x, "1:"), TERN_OP_add, shifted, 2, 0, 0),
        "unsupported operation: some elements of the input tensor and the written-to tensor refer "
        "to a single memory location. Please clone() the tensor before performing the operation.");
    FAILS(tern_op_into(tern_zeros(session, TERN_FLOAT32, SHAPE(2)), TERN_OP_add, both, 2, 0, 0),
          "output with shape [2] doesn't match the broadcast shape [4]");
    end();
}

TEST(references_and_scopes) {
    CHECK(begin("interp"));
    int before = tern_session_live_tensors(session);
    tern_tensor *x = counted(SHAPE(2, 3));
    CHECK(!tern_scope_open(session));
    tern_tensor *view = tern_keep(tern_select(x, 0, 1)), *gone = tern_clone(x);
    CHECK(!tern_scope_close(session));
    tern_drop(x), x = NULL; /* the view keeps the storage */
    SHOWS(view, "[3] [1]: 3 4 5");
    SAYS(tern_add(gone, gone), "the tensor is gone: its last reference was dropped");
    SAYS(tern_exp(gone), "the tensor is gone: its last reference was dropped");
    tern_fail(context, TERN_OK, "");
    tern_drop(gone); /* once too often */
    CHECK_STR(tern_message(context), "the tensor is gone: its last reference was dropped");
    CHECK(tern_exp(NULL) == NULL && tern_matmul(view, NULL) == NULL);
    tern_drop(NULL);
    tern_drop(view);
    CHECK(tern_session_live_tensors(session) >= before);
    for (int i = 0; i < 16; i++) (void)tern_scope_open(session);
    FAILS(tern_scope_open(session), "more than 16 scopes are open");
    for (int i = 0; i < 15; i++) CHECK(!tern_scope_close(session));
    end();
    CHECK(begin("interp"));
    tern_tensor *left = counted(SHAPE(3)); /* the session takes it along */
    CHECK(tern_keep(left) == left);
    CHECK(!tern_scope_close(session));
    FAILS(tern_scope_close(session), "no scope is open");
    CHECK(tern_session_live_tensors(session) == 1);
    tern_session_close(session);
    tern_close(context);
}

/* ---- printing: the texts are PyTorch's for the same numbers ---- */

static void prints(tern_tensor *tensor, const char *want) {
    char *text = tern_tensor_text(tensor);
    CHECK_STR(text, want);
    tern_free(text);
}

TEST(printing) {
    CHECK(begin("interp"));
    prints(counted(SHAPE(2, 3)), "tensor([[0., 1., 2.],\n        [3., 4., 5.]])");
    prints(tern_arange(session, TERN_INT64, 8, 11, 1), "tensor([ 8,  9, 10])");
    prints(tern_arange(session, TERN_INT32, -1, 2, 1), "tensor([-1,  0,  1], dtype=torch.int32)");
    prints(tern_from(session, (const float[]){1.5f, NAN, INFINITY}, TERN_FLOAT32, SHAPE(3)),
           "tensor([1.5000,    nan,    inf])");
    prints(tern_from(session, (const float[]){1, 10000.5f}, TERN_FLOAT32, SHAPE(2)),
           "tensor([1.0000e+00, 1.0000e+04])");
    prints(tern_from(session, (const double[]){1, NAN}, TERN_FLOAT64, SHAPE(2)),
           "tensor([1., nan], dtype=torch.float64)");
    prints(tern_gt_number(counted(SHAPE(2)), 0), "tensor([False,  True])");
    prints(tern_full(session, TERN_FLOAT32, 0, NULL, 2.5), "tensor(2.5000)");
    prints(tern_empty(session, TERN_FLOAT32, SHAPE(0)), "tensor([])");
    prints(tern_empty(session, TERN_INT64, SHAPE(0, 3)),
           "tensor([], size=(0, 3), dtype=torch.int64)");
    prints(tern_transpose(counted(SHAPE(1, 2, 1)), 0, 1), "tensor([[[0.]],\n\n        [[1.]]])");
    prints(tern_arange(session, TERN_FLOAT32, 0, 2000, 1),
           "tensor([0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 1.9970e+03, 1.9980e+03,\n"
           "        1.9990e+03])");
    prints(tern_arange(session, TERN_INT64, 0, 24, 1),
           "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
           "        18, 19, 20, 21, 22, 23])");
    /* What nobody has memory for is read where it is shown. */
    prints(tern_expand(counted(SHAPE(1)), SHAPE(INT64_C(1) << 40)),
           "tensor([0., 0., 0.,  ..., 0., 0., 0.])");
    prints(tern_expand(tern_transpose(counted(SHAPE(2, 3)), 0, 1), SHAPE(INT64_C(1) << 31, 3, 2)),
           "tensor([[[0., 3.],\n         [1., 4.],\n         [2., 5.]],\n\n"
           "        [[0., 3.],\n         [1., 4.],\n         [2., 5.]],\n\n"
           "        [[0., 3.],\n         [1., 4.],\n         [2., 5.]],\n\n        ...,\n\n"
           "        [[0., 3.],\n         [1., 4.],\n         [2., 5.]],\n\n"
           "        [[0., 3.],\n         [1., 4.],\n         [2., 5.]],\n\n"
           "        [[0., 3.],\n         [1., 4.],\n         [2., 5.]]])");
    end();
}

/* ---- exchange ---- */

TEST(npy_files) {
    CHECK(begin("interp"));
    char path[] = "/tmp/tern-tensor-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && !close(file));
    tern_tensor *x = tern_transpose(counted(SHAPE(2, 3)), 0, 1);
    CHECK(!tern_save_npy(x, path));
    SHOWS(tern_load_npy(session, path), "[3, 2] [2, 1]: 0 3 1 4 2 5");
    remove(path);
    CHECK(!tern_load_npy(session, path) && strstr(tern_message(context), path));
    end();
}

typedef struct Managed { /* as dlpack.h has it */
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
    void *manager;
    void (*deleter)(struct Managed *);
} Managed;

static void count_deletion(Managed *managed) { ++*(int *)managed->manager; }

TEST(dlpack) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(2, 3)), *view = tern_select(x, 0, 1);
    Managed *managed = (Managed *)tern_to_dlpack(view);
    CHECK(managed && managed->device_type == 1 && managed->ndim == 1 && managed->shape[0] == 3);
    CHECK(managed->code == 2 && managed->bits == 32 && managed->lanes == 1);
    CHECK(managed->byte_offset == 12 && ((float *)managed->data)[4] == 4);
    tern_tensor *same = tern_from_dlpack(session, (struct DLManagedTensor *)managed);
    SHOWS(same, "[3] [1]: 3 4 5"); /* dropping it calls the deleter, which drops the view */

    int deleted = 0;
    float data[6] = {0, 1, 2, 3, 4, 5};
    int64_t shape[] = {2, 2}, strides[] = {1, 2};
    Managed mine = {.data = data,
                    .device_type = 1,
                    .ndim = 2,
                    .code = 2,
                    .bits = 32,
                    .lanes = 1,
                    .shape = shape,
                    .strides = strides,
                    .byte_offset = 8,
                    .manager = &deleted,
                    .deleter = count_deletion};
    struct DLManagedTensor *given = (struct DLManagedTensor *)&mine;
    tern_tensor *taken = tern_keep(tern_from_dlpack(session, given));
    SHOWS(taken, "[2, 2] [1, 2]: 2 4 3 5");
    tern_tensor *part = tern_keep(tern_select(taken, 0, 0));
    tern_drop(taken), tern_drop(taken);
    CHECK(!deleted);
    tern_drop(part), tern_drop(part);
    CHECK(deleted == 1);
    strides[0] = -1;
    SAYS(tern_from_dlpack(session, given), "a dlpack tensor with negative strides: [-1, 2]");
    strides[0] = INT64_MAX, shape[0] = 3;
    SAYS(tern_from_dlpack(session, given), "a dlpack tensor of no possible size or alignment");
    mine.lanes = 4;
    SAYS(tern_from_dlpack(session, given), "Unsupported dlpack type: code 2, 32 bits, 4 lanes");
    mine.lanes = 1, mine.device_type = 2;
    CHECK(!tern_from_dlpack(session, given));
    mine.device_type = 1, mine.ndim = 99;
    CHECK(!tern_from_dlpack(session, given) && deleted == 1);
    SAYS((void *)tern_to_dlpack(tern_zeros(session, TERN_FLOAT8E5M2, SHAPE(1))),
         "float8_e5m2 types are not supported by dlpack");
    end();
}

/* One kernel serves all sizes and numbers of a form. */
TEST(kernels_are_shared) {
    CHECK(begin("interp"));
    tern_tensor *x = counted(SHAPE(10));
    char *none = tern_session_kernels(session);
    CHECK_STR(none, "");
    tern_mul_number(x, 2);
    char *one = tern_session_kernels(session);
    tern_mul_number(counted(SHAPE(3, 7)), 0.5);
    char *same = tern_session_kernels(session);
    CHECK(one && strstr(one, "def mul(a_ptr, b, y_ptr, n0, COLS: tl.constexpr):"));
    CHECK_STR(same, one);
    tern_free(none), tern_free(one), tern_free(same);
    end();
}

TEST_MAIN()
