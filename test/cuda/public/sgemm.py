# SPDX-License-Identifier: Apache-2.0
"""Kernels of SGEMM_CUDA (siboehm/SGEMM_CUDA), for tools/cuda_suite.py; what they compute is written again here."""

SGEMM = "SGEMM_CUDA/src/kernels/"


def sgemm(kernel, size, grid, block, **more):
    m, n, k = size
    a, b, c = normal(m, k), normal(k, n), normal(m, n)
    case(SGEMM + kernel,
         grid,
         block,
         dict(M=m, N=n, K=k, alpha=0.5, A=a, B=b, beta=3.0, C=c),
         dict(C=0.5 * (wide(a) @ wide(b)) + 3.0 * wide(c)),
         tol=1e-4,
         **more)


sgemm("1_naive.cuh:sgemm_naive", (70, 45, 33), (3, 2), (32, 32))
sgemm("2_kernel_global_mem_coalesce.cuh:sgemm_global_mem_coalesce<32>", (70, 45, 33), (3, 2), 1024)
sgemm("3_kernel_shared_mem_blocking.cuh:sgemm_shared_mem_block<32>", (64, 96, 64), (2, 3), 1024)
sgemm("4_kernel_1D_blocktiling.cuh:sgemm1DBlocktiling<64, 64, 8, 8>", (128, 192, 64), (3, 2), 512)
sgemm("5_kernel_2D_blocktiling.cuh:sgemm2DBlocktiling<128, 128, 8, 8, 8>", (256, 128, 64), (1, 2), 256)
sgemm("5_kernel_2D_blocktiling.cuh:sgemm2DBlocktiling<64, 64, 8, 8, 8>", (128, 128, 32), (2, 2), 64)
sgemm("6_kernel_vectorize.cuh:sgemmVectorize<128, 128, 8, 8, 8>", (256, 128, 64), (1, 2), 256)
sgemm("7_kernel_resolve_bank_conflicts.cuh:sgemmResolveBankConflicts<128, 128, 8, 8, 8>", (256, 128, 64), (1, 2), 256)
sgemm("8_kernel_bank_extra_col.cuh:sgemmResolveBankExtraCol<128, 128, 8, 8, 8>", (256, 128, 64), (1, 2), 256)
sgemm("9_kernel_autotuned.cuh:sgemmAutotuned<128, 128, 16, 8, 8>", (256, 128, 64), (1, 2), 256)
sgemm("10_kernel_warptiling.cuh:sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>", (256, 128, 64), (1, 2), 128)
# Halves of a block wait at barriers of their own, as often as each other.
a, b, c = normal(256, 64), normal(64, 256), normal(256, 256)
case("SGEMM_CUDA/src/kernels.cuh:sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256>", (1, 2), 256,
     dict(M=256, N=256, K=64, alpha=0.5, A=a, B=b, beta=3.0, C=c), dict(C=0.5 * (wide(a) @ wide(b)) + 3.0 * wide(c)),
     tol=1e-4, finds=dict(cpu="a barrier is not reached", interp="nobody wrote"))
