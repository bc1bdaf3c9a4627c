# SPDX-License-Identifier: Apache-2.0
# The lecture's mean of blocks, a loop over scalars, from its own text.
# seed: mean_kernel
# tolerance: 1e-4 1e-7
# case: x_ptr = fp32[10000] normal, output_ptr = fp32[10], n_elements = 10000, BLOCK_SIZE = 1024
# grid: 10
# want: p = x_ptr; output_ptr[:9] == sum(reshape(p[:9216], 9, 1024), 1) / n_elements; output_ptr[9] == sum(p[9216:], 0)[0] / n_elements
# case: x_ptr = fp32[31] normal, output_ptr = fp32[1], n_elements = 31, BLOCK_SIZE = 1024
# grid: 1
# want: output_ptr == sum(x_ptr, 0) / n_elements
