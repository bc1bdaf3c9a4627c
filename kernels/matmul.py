# SPDX-License-Identifier: Apache-2.0
# c = a @ b for row-major or any strided matrices, f32 accumulation. Programs walk the output in
# groups of GROUP rows of blocks, so that those running together share blocks of b in the cache.
#
#     tern run matmul.py --grid 'cdiv(m,BM)*cdiv(n,BN)' -a 'a=randn(512,256)' -a 'b=randn(256,384)' \
#         -a 'c=empty(512,384)' -a m=512 -a n=384 -a k=256 -a 'am=stride(a,0)' -a 'ak=stride(a,1)' \
#         -a 'bk=stride(b,0)' -a 'bn=stride(b,1)' -a 'cm=stride(c,0)' -a 'cn=stride(c,1)' \
#         -a BM=64 -a BN=64 -a BK=32 -a GROUP=8
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a, b, c, m, n, k, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr = "ieee"):
    program = tl.program_id(0)
    blocks_m = tl.cdiv(m, BM)
    in_group = GROUP * tl.cdiv(n, BN)
    first = (program // in_group) * GROUP
    rows_of_blocks = min(blocks_m - first, GROUP)
    block_m = first + (program % in_group) % rows_of_blocks
    block_n = (program % in_group) // rows_of_blocks
    row = block_m * BM + tl.arange(0, BM)
    column = block_n * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_pointers = a + row[:, None].to(tl.int64) * am + depth[None, :] * ak
    b_pointers = b + depth[:, None] * bk + column[None, :].to(tl.int64) * bn
    sums = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, k, BK):
        left = k - start
        x = tl.load(a_pointers, mask=(row[:, None] < m) & (depth[None, :] < left), other=0.0)
        y = tl.load(b_pointers, mask=(depth[:, None] < left) & (column[None, :] < n), other=0.0)
        sums = tl.dot(x, y, sums, input_precision=PRECISION)
        a_pointers += BK * ak
        b_pointers += BK * bk
    inside = (row[:, None] < m) & (column[None, :] < n)
    tl.store(c + row[:, None].to(tl.int64) * cm + column[None, :] * cn, sums, mask=inside)
