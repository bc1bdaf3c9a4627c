# SPDX-License-Identifier: Apache-2.0
# The lecture's GELU, from its own text.
# seed: triton_gelu_kernel
# tolerance: 1e-5 1e-6
# grid: cdiv(num_elements, BLOCK_SIZE)
# case: x_ptr = fp32[1823] normal, y_ptr = fp32[1823], num_elements = 1823, BLOCK_SIZE = 1024
# want: x = x_ptr; y_ptr == 0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)))
# case: x_ptr = fp32[1] normal, y_ptr = fp32[1], num_elements = 1, BLOCK_SIZE = 1024
# case: x_ptr = fp32[31] normal, y_ptr = fp32[31], num_elements = 31, BLOCK_SIZE = 32
# case: x_ptr = fp32[1023] normal, y_ptr = fp32[1023], num_elements = 1023, BLOCK_SIZE = 1024
# case: x_ptr = fp32[1025] normal, y_ptr = fp32[1025], num_elements = 1025, BLOCK_SIZE = 1024
# case: x_ptr = fp32[1000000] normal, y_ptr = fp32[1000000], num_elements = 1000000, BLOCK_SIZE = 1024
# case: x_ptr = fp32[0], y_ptr = fp32[0], num_elements = 0, BLOCK_SIZE = 1024
