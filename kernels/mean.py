# SPDX-License-Identifier: Apache-2.0
"""The mean of n numbers in one launch.

Each program sums every num_programs-th block and leaves its part in memory; the program that
finishes last adds the parts, always in the same order, so the result does not change from run to
run. `count` is one i32, 0 before the first launch; the last program sets it back."""
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, parts_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(program * BLOCK, n, programs * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(parts_ptr + program, tl.sum(total, axis=0))
    tl.debug_barrier()
    finished = tl.atomic_add(count_ptr, 1, sem="acq_rel")
    if finished == programs - 1:
        lanes = tl.arange(0, PARTS)
        parts = tl.load(parts_ptr + lanes, mask=lanes < programs, other=0.0, cache_modifier=".cg")
        tl.store(out_ptr, tl.sum(parts, axis=0) / n)
        tl.store(count_ptr, 0)
