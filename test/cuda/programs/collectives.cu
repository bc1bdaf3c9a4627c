// cub's classes of a block and a warp with several items a thread, against loops. Prints PASSED.
#include <cstdio>
#include <cub/cub.cuh>

const int threads = 64, items = 3, all = threads * items;
struct Minus {
    __device__ int operator()(int a, int b) const { return a - b; }
};

__global__ void collectives(const int *in, int *out, int valid) {
    typedef cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, threads, items> Store;
    typedef cub::BlockExchange<int, threads, items> Exchange;
    typedef cub::BlockScan<int, threads> Scan;
    typedef cub::BlockReduce<int, threads> Reduce;
    typedef cub::BlockAdjacentDifference<int, threads> Difference;
    typedef cub::WarpExchange<int, items> WarpExchange;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Exchange::TempStorage exchange;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
        typename Difference::TempStorage difference;
    } s;
    __shared__ typename WarpExchange::TempStorage warps[threads / 32];
    int x[items], y[items], total, t = threadIdx.x;
    Load(s.load).Load(in, x);
    Exchange(s.exchange).BlockedToStriped(x, y); // 0
    Store(s.store).Store(out, y);
    Exchange(s.exchange).StripedToBlocked(y, y); // 1
    Store(s.store).Store(out + all, y);
    WarpExchange(warps[t / 32]).BlockedToStriped(x, y); // 2
    Store(s.store).Store(out + 2 * all, y);
    Scan(s.scan).InclusiveSum(x, y, total); // 3
    __syncthreads();
    Store(s.store).Store(out + 3 * all, y);
    Scan(s.scan).ExclusiveSum(x, y); // 4
    __syncthreads();
    Store(s.store).Store(out + 4 * all, y);
    Difference(s.difference).SubtractLeft(x, y, Minus()); // 5
    Store(s.store).Store(out + 5 * all, y);
    Difference(s.difference).SubtractRight(x, y, Minus()); // 6
    Store(s.store).Store(out + 6 * all, y);
    Load(s.load).Load(in, y, valid, -7); // 7
    Store(s.store).Store(out + 7 * all, y);
    int sum = Reduce(s.reduce).Sum(x);
    __syncthreads();
    Scan(s.scan).ExclusiveScan(x[0], y[0], 1000, cub::Max());
    __syncthreads();
    int before;
    Scan(s.scan).ExclusiveScan(t, before, 5, cub::Sum());
    if (t == threads - 1) out[8 * all] = sum, out[8 * all + 1] = total, out[8 * all + 2] = y[0], out[8 * all + 3] = before;
}

static int failures;
static void expect(int got, int want, int test, int i) {
    if (got == want) return;
    if (failures++ < 5) printf("FAILED: test %d, item %d: %d, wanted %d\n", test, i, got, want);
}

int main() {
    int in[all], out[8 * all + 4], *from, *to, valid = 100, sum = 0;
    for (int i = 0; i < all; i++) in[i] = i * 37 % 101 - 20;
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    collectives<<<1, threads>>>(from, to, valid);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < all; i++) {
        int t = i / items, k = i % items, warp = t / 32;
        expect(out[i], in[k * threads + t], 0, i);
        expect(out[all + i], in[i], 1, i);
        expect(out[2 * all + i], in[warp * 32 * items + k * 32 + t % 32], 2, i);
        expect(out[4 * all + i], sum, 4, i);
        sum += in[i];
        expect(out[3 * all + i], sum, 3, i);
        expect(out[5 * all + i], i ? in[i] - in[i - 1] : in[0], 5, i);
        expect(out[6 * all + i], i < all - 1 ? in[i] - in[i + 1] : in[i], 6, i);
        expect(out[7 * all + i], i < valid ? in[i] : -7, 7, i);
    }
    expect(out[8 * all], sum, 8, 0);
    expect(out[8 * all + 1], sum, 8, 1);
    expect(out[8 * all + 2], 1000, 8, 2);
    expect(out[8 * all + 3], 5 + 63 * 62 / 2, 8, 3);
    cudaFree(from);
    cudaFree(to);
    if (!failures) printf("PASSED\n");
    return failures != 0;
}
