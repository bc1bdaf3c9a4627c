# SPDX-License-Identifier: Apache-2.0
# The lecture's square, from its own text.
# seed: square_kernel
# case: input_ptr = fp32[1823, 781] normal, output_ptr = fp32[1823, 781], input_row_stride = 781, output_row_stride = 781, n_cols = 781, BLOCK_SIZE = 1024
# grid: 1823
# want: output_ptr == input_ptr * input_ptr
# case: input_ptr = fp32[5, 1023] normal, output_ptr = fp32[5, 1023], input_row_stride = 1023, output_row_stride = 1023, n_cols = 1023, BLOCK_SIZE = 1024
# grid: 5
