# SPDX-License-Identifier: Apache-2.0
# All programs write one element: which is last, nobody knows.
# args: -a n=8 -a 'y=empty(1,i32)' --grid n
# found: race @store
import triton
import triton.language as tl


@triton.jit
def k(y, n):
    tl.store(y, tl.program_id(0))  # @store
