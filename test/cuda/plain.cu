// SPDX-License-Identifier: Apache-2.0
// Kernels that are C, too: test/unit/cu_plain.c compiles this text with the C compiler, runs it as
// a loop of threads, and compares.

// ---- structs as parameters ----

typedef struct Point {
    float x, y;
} Point;

typedef struct Task {
    const int *from;
    Point origin, corners[2][2];
    unsigned char shift;
    bool twice;
    const Point *more;
    struct {
        short low;
        double scale;
    } limits;
} Task;

__device__ float along(const Task *task, int i) { return task->corners[i & 1][i >> 1 & 1].y; }

__global__ void tasks(float *out, Task task, const float4 weights, uchar4 bytes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = task.from[i] + task.origin.x * i + along(&task, i);
    x += weights.x + weights.w * 2 + (float)(bytes.y << task.shift) + bytes.w;
    if (task.twice) x *= 2;
    task.limits.low += i; // its own copy
    x += task.limits.low + (float)(task.limits.scale * 3) + task.more[i % 3].y;
    out[i] = x;
}

// ---- symbols ----

typedef struct Entry {
    int key;
    float weights[2];
    const char *name;
} Entry;

__constant__ float coefficients[4] = {1, 2.5f, 1 / 3.0f};
__constant__ const double third = 1.0 / 3;
__device__ const unsigned char order[] = {3, 1, 2 + 5 * 7, 'a'};
__constant__ Entry entries[] = {{7, {1, 2}, 0}, {-1, {0.5f}, 0}};
__device__ int hits, limit = sizeof(Entry) * 10 + (3 > 2 ? 7 : 8);
__device__ int squares[4][2] = {{1, 2}, {3}, {4}};
__device__ float trail[100];
static __device__ long long last = -5;

__device__ int first_of(const int *row) { return row[0] * 10 + row[1]; }

__global__ void symbols(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Entry *entry = &entries[i & 1];
    out[i] = coefficients[i & 3] + order[i & 3] + entry->key + entry->weights[1] +
             (entry->name ? 1000 : 0) + (float)third + limit + first_of(squares[i & 3]);
    trail[i] += i + 0.5f;
    atomicAdd(&hits, 1);
    if (i == 7) out[i] += last, last = i;
}

// ---- pieces of numbers ----

__global__ void pieces(double *out, const double *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, e = 0;
    if (i >= n) return;
    out[i * 8] = frexp(in[i], &e);
    out[i * 8 + 1] = e;
    out[i * 8 + 2] = frexpf((float)in[i], &e);
    out[i * 8 + 3] = e;
    double near = fabs(in[i]) < 1e9 ? in[i] : -2.5;
    out[i * 8 + 4] = (double)lrint(near);
    out[i * 8 + 5] = (double)llround(near) + (double)lroundf((float)near);
    out[i * 8 + 6] = (double)llrintf((float)near);
    out[i * 8 + 7] = alignof(Entry) * 100 + alignof(double) * 10 + alignof(unsigned char);
}

// ---- lanes ----

// Of each 32 threads some write: what is true of the first is true again later.
__global__ void lanes(float *out, const float *in, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t % 8;
    if (lane < 3) out[i] = in[i];
    for (int k = 0; k < n; k++)
        if (lane <= k % 4 && i > 0) out[i] += in[i - 1];
}

// ---- many parts ----

#define PART(k)                                                                                    \
    assert(in[(i + k) % n] < 1e9f);                                                                \
    for (int j = i % (k + 2); j < k + 3; j++) out[i * 12 + k] += in[(i + j * k) % n];
__global__ void parts(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    PART(0) PART(1) PART(2) PART(3) PART(4) PART(5) PART(6) PART(7) PART(8) PART(9) PART(10) PART(11)
}
