# SPDX-License-Identifier: Apache-2.0
# The lock is taken and never given back.
# args: -a 'lock=zeros(1,i32)' -a 'y=zeros(1)' --grid 4
# found: stopped @wait
import triton
import triton.language as tl


@triton.jit
def k(lock, y):
    while tl.atomic_cas(lock, 0, 1) == 1:  # @wait
        pass
    tl.store(y, tl.load(y) + 1)
