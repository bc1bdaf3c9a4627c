# SPDX-License-Identifier: Apache-2.0
# What inline assembly asks of a GPU's threads, or is no PTX, is refused by name.
# only: cpu interp
# case: y = i32[32] poison, n = 0
# refuses: inline assembly: 'shfl.sync.bfly.b32' where there is no GPU
# case: y = i32[32] poison, n = 1
# refuses: inline assembly: '%tid.x' where there is no GPU
# case: y = i32[32] poison, n = 2
# refuses: inline assembly: this instruction or form in 's_memrealtime' where there is no GPU
# case: y = i32[32] poison, n = 3
# refuses: inline assembly with the constraints "=r,r,r"
# case: y = i32[32] poison, n = 4
# refuses: inline assembly: 'ld.shared.u32' where there is no GPU
# case: y = i32[32] poison, n = 5
# refuses: inline assembly: '{' without '}'
# case: y = i32[32] poison, n = 6
# refuses: inline assembly: there is no label 'nowhere'
# case: y = i32[32] poison, n = 7
# refuses: inline assembly: '%cluster_ctarank' where there is no GPU
# case: y = i32[32] poison, n = 8
# refuses: inline assembly: 'barrier.cluster.arrive' where there is no GPU
# case: y = i32[32] poison, n = 9
# refuses: inline assembly: a comment without an end
# case: y = i32[32] poison, n = 10
# refuses: inline assembly: a name that begins with '$' and a digit where there is no GPU
import triton
import triton.language as tl

TEXTS = ["shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "mov.u32 $0, %tid.x;", "s_memrealtime $0;", "mov.b32 $0, $1;", "ld.shared.u32 $0, [$1];", "{ mov.b32 $0, $1;", "bra nowhere;",
         "mov.u32 $0, %cluster_ctarank;", "barrier.cluster.arrive; mov.b32 $0, $1;", "mov.b32 $0, $1; /* ", "add.s32 $0, $$1, 1;"]


@triton.jit
def inline_asm_refused(y, n: tl.constexpr):
    i = tl.arange(0, 32)
    constraints: tl.constexpr = "=r,r,r" if n == 3 else "=r,r"
    tl.store(y + i, tl.inline_asm_elementwise(TEXTS[n], constraints, [i], dtype=tl.int32, is_pure=True, pack=1))
