# SPDX-License-Identifier: Apache-2.0
# The lecture's softmax, from its own text, at its shape and with strided rows.
# seed: triton_softmax_kernel
# case: x_ptr = fp32[1823, 781] normal, y_ptr = fp32[1823, 781], x_row_stride = 781, y_row_stride = 781, num_cols = 781, BLOCK_SIZE = 1024
# grid: 1823
# want: e = exp(x_ptr - max(x_ptr, 1)); y_ptr == e / sum(e, 1)
# case: x_ptr = fp32[3, 1025] normal, y_ptr = fp32[3, 1025], x_row_stride = 1025, y_row_stride = 1025, num_cols = 1025, BLOCK_SIZE = 2048
# grid: 3
# case: x_ptr = fp32[4, 1] normal, y_ptr = fp32[4, 1], x_row_stride = 1, y_row_stride = 1, num_cols = 1, BLOCK_SIZE = 1
# grid: 4
# case: x_ptr = fp32[9, 40] normal, y_ptr = fp32[9, 33], x_row_stride = 40, y_row_stride = 33, num_cols = 31, BLOCK_SIZE = 32
# grid: 9
# want: x = x_ptr[:, :31]; e = exp(x - max(x, 1)); y_ptr[:, :31] == e / sum(e, 1)
