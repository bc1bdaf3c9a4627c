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
