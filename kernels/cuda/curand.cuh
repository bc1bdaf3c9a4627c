// SPDX-License-Identifier: Apache-2.0
// curand: random numbers in kernels (curand_kernel.h): Philox4x32-10, with the numbers that
// NVIDIA's library gives. XORWOW, which curandState is, wants tables of 100 KB: it is refused.

__device__ inline uint4 __tern_philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
__device__ inline void __tern_philox_skip(curandStatePhilox4_32_10 *s, unsigned long long n) {
    unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
    s->ctr.x += low;
    if (s->ctr.x < low) high++;
    s->ctr.y += high;
    if (high > s->ctr.y) {
        s->ctr.z += 1u;
        if (s->ctr.z == 0u) s->ctr.w += 1u;
    }
}
__device__ inline void __tern_philox_next(curandStatePhilox4_32_10 *s) {
    s->ctr.x += 1u;
    if (s->ctr.x == 0u) {
        s->ctr.y += 1u;
        if (s->ctr.y == 0u) {
            s->ctr.z += 1u;
            if (s->ctr.z == 0u) s->ctr.w += 1u;
        }
    }
}
__device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
    s->state += (unsigned)(n & 3u);
    n /= 4u;
    if (s->state > 3u) {
        n += 1u;
        s->state -= 4u;
    }
    __tern_philox_skip(s, n);
    s->output = __tern_philox(s->ctr, s->key);
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                   unsigned long long offset, curandStatePhilox4_32_10 *s) {
    s->ctr = make_uint4(0u, 0u, 0u, 0u);
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s->state = 0u;
    s->boxmuller_flag = 0;
    s->boxmuller_extra = 0.0f;
    s->ctr.z += (unsigned)subsequence;
    unsigned high = (unsigned)(subsequence >> 32);
    if (s->ctr.z < (unsigned)subsequence) high++;
    s->ctr.w += high;
    skipahead(offset, s);
}
__device__ inline unsigned curand(curandStatePhilox4_32_10 *s) {
    unsigned result = s->state == 0u   ? s->output.x
                      : s->state == 1u ? s->output.y
                      : s->state == 2u ? s->output.z
                                       : s->output.w;
    s->state += 1u;
    if (s->state == 4u) {
        __tern_philox_next(s);
        s->output = __tern_philox(s->ctr, s->key);
        s->state = 0u;
    }
    return result;
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *s) {
    uint4 before = s->output, result;
    __tern_philox_next(s);
    s->output = __tern_philox(s->ctr, s->key);
    if (s->state == 0u) return before;
    if (s->state == 1u) result = make_uint4(before.y, before.z, before.w, s->output.x);
    else if (s->state == 2u) result = make_uint4(before.z, before.w, s->output.x, s->output.y);
    else result = make_uint4(before.w, s->output.x, s->output.y, s->output.z);
    return result;
}

__device__ inline float __tern_uniform(unsigned x) {
    return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
__device__ inline float2 __tern_box_muller(unsigned x, unsigned y) {
    float angle = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    float length = sqrtf(-2.0f * logf(__tern_uniform(x)));
    return make_float2(sinf(angle) * length, cosf(angle) * length);
}
__device__ inline float curand_uniform(curandStatePhilox4_32_10 *s) {
    return __tern_uniform(curand(s));
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
    uint4 x = curand4(s);
    return make_float4(__tern_uniform(x.x), __tern_uniform(x.y), __tern_uniform(x.z),
                       __tern_uniform(x.w));
}
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *s) {
    return curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__device__ inline float curand_normal(curandStatePhilox4_32_10 *s) {
    if (s->boxmuller_flag) {
        s->boxmuller_flag = 0;
        return s->boxmuller_extra;
    }
    unsigned x = curand(s), y = curand(s);
    float2 both = __tern_box_muller(x, y);
    s->boxmuller_extra = both.y;
    s->boxmuller_flag = 1;
    return both.x;
}
__device__ inline float2 curand_normal2(curandStatePhilox4_32_10 *s) {
    unsigned x = curand(s), y = curand(s);
    return __tern_box_muller(x, y);
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *s) {
    uint4 x = curand4(s);
    float2 a = __tern_box_muller(x.x, x.y), b = __tern_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
