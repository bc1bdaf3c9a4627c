# SPDX-License-Identifier: Apache-2.0
# Random numbers from counters: Philox 4x32-10 (and 4x64-10 for 64-bit counters), Salmon et al.,
# "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The bits are those of Triton.
import triton
import triton.language as tl


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    wide: tl.constexpr = c0.dtype == tl.uint64
    tl.static_assert(wide or c0.dtype == tl.uint32, "philox needs uint32 or uint64 counters")
    A: tl.constexpr = 0xD2E7470EE14C6C93 if wide else 0xD2511F53
    B: tl.constexpr = 0xCA5A826395121157 if wide else 0xCD9E8D57
    KEY_A: tl.constexpr = 0x9E3779B97F4A7C15 if wide else 0x9E3779B9
    KEY_B: tl.constexpr = 0xBB67AE8584CAA73B if wide else 0xBB67AE85
    for _ in tl.static_range(n_rounds):
        a = tl.full([], A, c0.dtype)
        b = tl.full([], B, c0.dtype)
        next0 = tl.umulhi(b, c2) ^ c1 ^ k0
        next2 = tl.umulhi(a, c0) ^ c3 ^ k1
        c1 = b * c2
        c3 = a * c0
        c0 = next0
        c2 = next2
        k0 = k0 + tl.full([], KEY_A, c0.dtype)
        k1 = k1 + tl.full([], KEY_B, c0.dtype)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        low = (seed & 0xffffffff).to(tl.uint32)
        high = ((seed >> 32) & 0xffffffff).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "philox needs counters of 32 or 64 bits")
        word: tl.constexpr = tl.uint64
        low = seed
        high = tl.zeros_like(seed)
    return philox_impl(c0.to(word, bitcast=True), c1.to(word, bitcast=True), c2.to(word, bitcast=True),
                       c3.to(word, bitcast=True), low, high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = tl.zeros_like(low)
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    return randint4x(seed, offset, n_rounds)[0]


@triton.jit
def uint_to_uniform_float(x):
    # In [0, 1): the largest value times the scale stays below 1 after rounding.
    if x.dtype.primitive_bitwidth == 32:
        x = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64, "uint_to_uniform_float needs 32 or 64 bits")
        x = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    x = tl.where(x < 0, -x - 1, x)
    return x * scale


@triton.jit
def uint32_to_uniform_float(x):
    return uint_to_uniform_float(x)


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c),
            uint_to_uniform_float(d))


@triton.jit
def pair_uniform_to_normal(u1, u2):
    # Box and Muller.
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))[0]


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(a, b)
    n3, n4 = pair_uniform_to_normal(c, d)
    return n1, n2, n3, n4
