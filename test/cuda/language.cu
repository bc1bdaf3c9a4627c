// What C and C++ have for control flow, functions, structs and arrays; each kernel writes out[i].
#include <cstdio>
#include "language.cuh"

typedef struct { int a; float b[3]; } Pair;
struct Node { Pair pair; unsigned char tag; };
enum Color { RED, GREEN = 5, BLUE };
using word = unsigned int;
const int LIMIT = 3 * FACTOR;
constexpr float HALF = 1.0f / 2;

__device__ int twice(int x) { return 2 * x; }
__device__ float twice(float x) { return 2 * x + 1; }
__device__ void swap_them(int &a, int &b) { int t = a; a = b; b = t; }
__device__ inline int sign(int x) {
    if (x < 0) return -1;
    if (x == 0) return 0;
    return 1;
}
__device__ int gcd(int a, int b) {
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
__device__ Pair make(int a, float b = 4.0f) {
    Pair p = {a, {b, b + 1}};
    return p;
}
__device__ int first_above(const int *x, int n, int limit) {
    for (int i = 0; i < n; i++)
        if (x[i] > limit) return i;
    return -1;
}

__global__ void loops(int *out, const int *in, int n) {
    int i = threadIdx.x, sum = 0;
    if (i >= n) return;
    for (int k = 0;; k++) {
        if (k == 3) continue;
        if (k > i) break;
        sum += k;
    }
    int j = 0;
    do {
        j += 3;
        if (j == 9) continue;
        if (sum > 100) break;
    } while (j < i);
    while (true) {
        if (j-- <= 2) break;
        for (int a = 0; a < 4; a++) {
            if (a == 2) break;
            sum += a;
        }
    }
    out[i] = sum * 1000 + j + gcd(i + 12, 18) + first_above(in, n, i);
}

__global__ void choices(int *out, const int *in, int n) {
    int i = threadIdx.x, r = 0;
    switch (in[i] % 7) {
    case 0: r = 10; break;
    case 1:
    case 2: r = 20;
    case 3: r += 5; break;
    case GREEN: {
        r = i > 3 ? BLUE : RED;
        break;
    }
    default: r = -1;
    }
    if (i % 2) {
        if (i % 3 == 0) r += 100;
        else r += 200;
    } else if (i == 4) r = sign(r) * 7;
    out[i] = r + (i > 1 && in[i - 1] > 3 ? in[i - 1] : -in[i]);
}

__global__ void records(int *out, const int *in, int n) {
    word i = threadIdx.x;
    int table[4] = {1, 10, 100}, grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    Node node = {make(i, HALF), 7}, copy;
    Node *p = &copy;
    copy = node;
    p->pair.b[2] = 9.5f;
    p->pair.a += table[i % 4];
    int low = in[i], high = i;
    if (low > high) swap_them(low, high);
    int2 both = make_int2(low, high);
    float4 v = make_float4(1.0f, HALF, low, -2);
    v.y += v.x;
    const int &alias = both.y;
    auto size = sizeof(Node) + sizeof(v);
    out[i] = copy.pair.a + twice(3) + (int)(twice(HALF) * 10) + p->tag + (int)(2 * copy.pair.b[2]) +
             node.pair.b[2] + grid[i % 2][i % 3] + alias * LIMIT + (int)(v.y * 4) + (int)size + *(&low);
}

__global__ void pointers(int *out, const int *in, int n) {
    __shared__ int line[64];
    extern __shared__ char dynamic[];
    short *small = (short *)dynamic;
    const int *end = in + n, *p = in + threadIdx.x;
    int i = threadIdx.x, local[8];
    for (int k = 0; k < 8; ++k) local[k] = k * k + i;
    line[i] = *p++;
    small[i] = p < end ? *p : -1;
    __syncthreads();
    int *where = i % 2 ? line : local;
    out[i] = where[i % 8] + small[n - 1 - i] + (int)(end - p) + local[i & 7] + !p + (p != nullptr);
}

__global__ void atomics(int *out, const int *in, int n) {
    __shared__ unsigned int count;
    __shared__ float total;
    if (threadIdx.x == 0) count = 0, total = 0;
    __syncthreads();
    atomicAdd(&count, 1u);
    atomicAdd(&total, 0.5f);
    atomicMax(&out[0], in[threadIdx.x]);
    atomicMin(out + 1, in[threadIdx.x]);
    atomicCAS(&out[2], 0, 42);
    atomicSub(&out[3], 2);
    __syncthreads();
    if (threadIdx.x == 0) out[4] = count, out[5] = (int)(total * 2);
}
