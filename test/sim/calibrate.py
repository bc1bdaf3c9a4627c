# SPDX-License-Identifier: Apache-2.0
# Micro-kernels whose traffic on a GPU is measured once and compared with what sim counts: see
# tools/sim-calibrate. One feature each, small, no branches.
import triton
import triton.language as tl


@triton.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@triton.jit
def strided(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * S))


@triton.jit
def scattered(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i * S, tl.load(x + i))


@triton.jit
def masked(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def gathered(x, y, M: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, tl.gather(v, (i * M) % BLOCK, 0))


@triton.jit
def transposed(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], tl.trans(v))


@triton.jit
def summed(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * BLOCK + i), 0))


@triton.jit
def product(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], tl.dot(v, v))


@triton.jit
def added(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + i * S, tl.load(x + i))


@triton.jit
def exchanged(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.atomic_xchg(y + i, tl.load(x + i)))


@triton.jit
def counted(x, y, M: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, 64), tl.histogram((tl.load(x + i) + i) % M, 64))


# What one warp asks of shared memory, 4, 8 or 16 bytes a lane: lane i wants unit (i // D * S + i % P * Q) % 256 of
# that size, if i % R < K. Volatile, so that the assembler leaves them as they are.
@triton.jit
def asked4(x, y, D: tl.constexpr, S: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, R: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.inline_asm_elementwise(
        """{
        .shared .align 16 .b8 wave[4096];
        .reg .b32 %at, %v;
        .reg .pred %on;
        mov.u32 %at, wave;
        mad.lo.s32 %at, $1, 4, %at;
        mov.u32 %v, 0;
        setp.ne.s32 %on, $2, 0;
        @%on st.volatile.shared.b32 [%at], $1;
        bar.warp.sync -1;
        @%on ld.volatile.shared.b32 %v, [%at];
        mov.u32 $0, %v;
        }""", "=r,r,r", [(i // D * S + i % P * Q) % 256, (i % R < K).to(tl.int32)],
        dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def asked8(x, y, D: tl.constexpr, S: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, R: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.inline_asm_elementwise(
        """{
        .shared .align 16 .b8 wave[4096];
        .reg .b32 %at, %v<2>;
        .reg .pred %on;
        mov.u32 %at, wave;
        mad.lo.s32 %at, $1, 8, %at;
        mov.u32 %v0, 0;
        mov.u32 %v1, 0;
        setp.ne.s32 %on, $2, 0;
        @%on st.volatile.shared.v2.b32 [%at], {$1, $1};
        bar.warp.sync -1;
        @%on ld.volatile.shared.v2.b32 {%v0, %v1}, [%at];
        add.s32 $0, %v0, %v1;
        }""", "=r,r,r", [(i // D * S + i % P * Q) % 256, (i % R < K).to(tl.int32)],
        dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def asked16(x, y, D: tl.constexpr, S: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, R: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.inline_asm_elementwise(
        """{
        .shared .align 16 .b8 wave[4096];
        .reg .b32 %at, %v<4>;
        .reg .pred %on;
        mov.u32 %at, wave;
        mad.lo.s32 %at, $1, 16, %at;
        mov.u32 %v0, 0;
        mov.u32 %v1, 0;
        mov.u32 %v2, 0;
        mov.u32 %v3, 0;
        setp.ne.s32 %on, $2, 0;
        @%on st.volatile.shared.v4.b32 [%at], {$1, $1, $1, $1};
        bar.warp.sync -1;
        @%on ld.volatile.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%at];
        add.s32 %v0, %v0, %v1;
        add.s32 %v2, %v2, %v3;
        add.s32 $0, %v0, %v2;
        }""", "=r,r,r", [(i // D * S + i % P * Q) % 256, (i % R < K).to(tl.int32)],
        dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


# cp.async: lane i copies 16 (4) bytes from unit i * S of x to unit i * Q of shared memory.
@triton.jit
def copied16(x, y, S: tl.constexpr, Q: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.inline_asm_elementwise(
        """{
        .shared .align 16 .b8 wave[4096];
        .reg .b32 %at;
        mov.u32 %at, wave;
        mad.lo.s32 %at, $2, 16, %at;
        cp.async.cg.shared.global [%at], [$1], 16;
        cp.async.commit_group;
        cp.async.wait_group 0;
        ld.volatile.shared.b32 $0, [%at];
        }""", "=r,l,r", [(x + i * S * 4).to(tl.int64, bitcast=True), i * Q],
        dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def copied4(x, y, S: tl.constexpr, Q: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.inline_asm_elementwise(
        """{
        .shared .align 16 .b8 wave[4096];
        .reg .b32 %at;
        mov.u32 %at, wave;
        mad.lo.s32 %at, $2, 4, %at;
        cp.async.ca.shared.global [%at], [$1], 4;
        cp.async.commit_group;
        cp.async.wait_group 0;
        ld.volatile.shared.b32 $0, [%at];
        }""", "=r,l,r", [(x + i * S).to(tl.int64, bitcast=True), i * Q],
        dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)
