// SPDX-License-Identifier: Apache-2.0
// cub: reductions and scans of blocks and warps. Operands keep their order; of a reduction all threads
// get the result, where cub gives it to the first.
namespace cub {

struct Sum {
    template <typename T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
typedef Sum __tern_sum; // where Sum is a member
struct Max {
    template <typename T> __device__ T operator()(const T &a, const T &b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <typename T> __device__ T operator()(const T &a, const T &b) const {
        return b < a ? b : a;
    }
};
template <typename K, typename V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair() = default;
    __device__ KeyValuePair(K k, V v) : key(k), value(v) {}
};
// Of equal values the one with the smaller key.
struct ArgMax {
    template <typename T> __device__ T operator()(const T &a, const T &b) const {
        return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T> __device__ T operator()(const T &a, const T &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int N> struct __tern_storage {
    T values[N];
};
__device__ inline int __tern_place() {
    return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

template <typename T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
          int Z = 1>
struct BlockReduce {
    typedef __tern_storage<T, X * Y * Z> TempStorage;
    TempStorage &storage;
    __device__ BlockReduce(TempStorage &s) : storage(s) {}
    template <typename F> __device__ T Reduce(T x, F f, int valid = X * Y * Z) {
        int t = __tern_place();
        storage.values[t] = x;
        __syncthreads();
        for (int by = 1; by < X * Y * Z; by *= 2) {
            if (t % (2 * by) == 0 && t + by < valid)
                storage.values[t] = f(storage.values[t], storage.values[t + by]);
            __syncthreads();
        }
        return storage.values[0];
    }
    __device__ T Sum(T x, int valid = X * Y * Z) { return Reduce(x, __tern_sum(), valid); }
};

template <typename T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
struct BlockScan {
    typedef __tern_storage<T, X * Y * Z> TempStorage;
    TempStorage &storage;
    __device__ BlockScan(TempStorage &s) : storage(s) {}
    template <typename F> __device__ void InclusiveScan(T x, T &out, F f) {
        int t = __tern_place();
        storage.values[t] = x;
        __syncthreads();
        for (int by = 1; by < X * Y * Z; by *= 2) {
            if (t >= by) x = f(storage.values[t - by], x);
            __syncthreads();
            storage.values[t] = x;
            __syncthreads();
        }
        out = x;
    }
    template <typename F> __device__ void InclusiveScan(T x, T &out, F f, T &all) {
        InclusiveScan(x, out, f);
        all = storage.values[X * Y * Z - 1];
    }
    __device__ void InclusiveSum(T x, T &out) { InclusiveScan(x, out, __tern_sum()); }
    __device__ void InclusiveSum(T x, T &out, T &all) { InclusiveScan(x, out, __tern_sum(), all); }
    __device__ void ExclusiveSum(T x, T &out) {
        int t = __tern_place();
        InclusiveSum(x, out);
        out = t ? storage.values[t - 1] : (T)0;
    }
    __device__ void ExclusiveSum(T x, T &out, T &all) {
        ExclusiveSum(x, out);
        all = storage.values[X * Y * Z - 1];
    }
};

template <typename T, int N = 32> struct WarpReduce {
    struct TempStorage {};
    __device__ WarpReduce(TempStorage &) {}
    static __device__ unsigned __tern_mask() {
        return N == 32 ? 0xffffffffu : ((1u << N % 32) - 1u) << (__tern_place() % 32 / N * N);
    }
    template <typename F> __device__ T Reduce(T x, F f, int valid = N) {
        int at = __tern_place() % N;
        for (int by = 1; by < N; by *= 2) {
            T y = __shfl_down_sync(__tern_mask(), x, by, N);
            if (at % (2 * by) == 0 && at + by < valid) x = f(x, y);
        }
        return __shfl_sync(__tern_mask(), x, 0, N);
    }
    __device__ T Sum(T x, int valid = N) { return Reduce(x, __tern_sum(), valid); }
};

template <typename T, int N = 32> struct WarpScan {
    struct TempStorage {};
    __device__ WarpScan(TempStorage &) {}
    template <typename F> __device__ void InclusiveScan(T x, T &out, F f) {
        for (int by = 1; by < N; by *= 2) {
            T y = __shfl_up_sync(WarpReduce<T, N>::__tern_mask(), x, by, N);
            if (__tern_place() % N >= by) x = f(y, x);
        }
        out = x;
    }
    __device__ void InclusiveSum(T x, T &out) { InclusiveScan(x, out, __tern_sum()); }
    __device__ void ExclusiveSum(T x, T &out) {
        T sum;
        InclusiveSum(x, sum);
        out = __shfl_up_sync(WarpReduce<T, N>::__tern_mask(), sum, 1, N);
        if (__tern_place() % N == 0) out = (T)0;
    }
};

} // namespace cub
