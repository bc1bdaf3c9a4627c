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
    template <int N, typename F> __device__ T Reduce(T (&items)[N], F f) {
        T x = items[0];
        for (int i = 1; i < N; i++) x = f(x, items[i]);
        return Reduce(x, f);
    }
    template <int N> __device__ T Sum(T (&items)[N]) { return Reduce(items, __tern_sum()); }
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
    template <typename F> __device__ void ExclusiveScan(T x, T &out, T first, F f) {
        int t = __tern_place();
        InclusiveScan(x, out, f);
        out = first;
        if (t) out = f(first, storage.values[t - 1]);
    }
    template <typename F> __device__ void ExclusiveScan(T x, T &out, T first, F f, T &all) {
        ExclusiveScan(x, out, first, f);
        all = storage.values[X * Y * Z - 1];
    }
    // What all threads before this one have, of which the first one has nothing.
    template <int N, typename F>
    __device__ void InclusiveScan(T (&in)[N], T (&out)[N], F f, T &all) {
        int t = __tern_place();
        T x = in[0], sum;
        for (int i = 1; i < N; i++) x = f(x, in[i]);
        InclusiveScan(x, sum, f, all);
        for (int i = 0; i < N; i++) {
            if (i)
                sum = f(sum, in[i]);
            else if (t)
                sum = f(storage.values[t - 1], in[0]);
            else
                sum = in[0];
            out[i] = sum;
        }
    }
    template <int N, typename F> __device__ void InclusiveScan(T (&in)[N], T (&out)[N], F f) {
        T all;
        InclusiveScan(in, out, f, all);
    }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N]) {
        InclusiveScan(in, out, __tern_sum());
    }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T &all) {
        InclusiveScan(in, out, __tern_sum(), all);
    }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T &all) {
        T x = in[0], sum;
        for (int i = 1; i < N; i++) x = x + in[i];
        ExclusiveSum(x, sum, all);
        for (int i = 0; i < N; i++) {
            T item = in[i];
            out[i] = sum;
            sum = sum + item;
        }
    }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N]) {
        T all;
        ExclusiveSum(in, out, all);
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

// ---- several items a thread: blocked is t * ITEMS + i, striped i * threads + t ----

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
struct __tern_no_storage {
    int none;
};

template <typename T, int N, typename I>
__device__ void LoadDirectBlocked(int t, I from, T (&items)[N]) {
    for (int i = 0; i < N; i++) items[i] = from[t * N + i];
}
template <typename T, int N, typename I>
__device__ void LoadDirectBlocked(int t, I from, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (t * N + i < valid) items[i] = from[t * N + i];
}
template <int THREADS, typename T, int N, typename I>
__device__ void LoadDirectStriped(int t, I from, T (&items)[N]) {
    for (int i = 0; i < N; i++) items[i] = from[i * THREADS + t];
}
template <typename T, int N, typename O>
__device__ void StoreDirectBlocked(int t, O to, T (&items)[N]) {
    for (int i = 0; i < N; i++) to[t * N + i] = items[i];
}
template <typename T, int N, typename O>
__device__ void StoreDirectBlocked(int t, O to, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (t * N + i < valid) to[t * N + i] = items[i];
}
template <int THREADS, typename T, int N, typename O>
__device__ void StoreDirectStriped(int t, O to, T (&items)[N]) {
    for (int i = 0; i < N; i++) to[i * THREADS + t] = items[i];
}

template <typename T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
struct BlockLoad {
    typedef __tern_no_storage TempStorage;
    __device__ BlockLoad(TempStorage &) {}
    static __device__ int __tern_index(int i) {
        int t = __tern_place();
        return A == BLOCK_LOAD_STRIPED ? i * (X * Y * Z) + t : t * N + i;
    }
    template <typename I> __device__ void Load(I from, T (&items)[N]) {
        for (int i = 0; i < N; i++) items[i] = from[__tern_index(i)];
    }
    template <typename I> __device__ void Load(I from, T (&items)[N], int valid) {
        for (int i = 0; i < N; i++)
            if (__tern_index(i) < valid) items[i] = from[__tern_index(i)];
    }
    template <typename I, typename D>
    __device__ void Load(I from, T (&items)[N], int valid, D otherwise) {
        for (int i = 0; i < N; i++) {
            items[i] = (T)otherwise;
            if (__tern_index(i) < valid) items[i] = from[__tern_index(i)];
        }
    }
};
template <typename T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
struct BlockStore {
    typedef __tern_no_storage TempStorage;
    __device__ BlockStore(TempStorage &) {}
    static __device__ int __tern_index(int i) {
        int t = __tern_place();
        return A == BLOCK_STORE_STRIPED ? i * (X * Y * Z) + t : t * N + i;
    }
    template <typename O> __device__ void Store(O to, T (&items)[N]) {
        for (int i = 0; i < N; i++) to[__tern_index(i)] = items[i];
    }
    template <typename O> __device__ void Store(O to, T (&items)[N], int valid) {
        for (int i = 0; i < N; i++)
            if (__tern_index(i) < valid) to[__tern_index(i)] = items[i];
    }
};

template <typename T, int X, int N, bool SLICED = false, int Y = 1, int Z = 1> struct BlockExchange {
    typedef __tern_storage<T, X * Y * Z * N> TempStorage;
    TempStorage &storage;
    __device__ BlockExchange(TempStorage &s) : storage(s) {}
    __device__ void BlockedToStriped(T (&in)[N], T (&out)[N]) {
        int t = __tern_place();
        for (int i = 0; i < N; i++) storage.values[t * N + i] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = storage.values[i * (X * Y * Z) + t];
        __syncthreads();
    }
    __device__ void StripedToBlocked(T (&in)[N], T (&out)[N]) {
        int t = __tern_place();
        for (int i = 0; i < N; i++) storage.values[i * (X * Y * Z) + t] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = storage.values[t * N + i];
        __syncthreads();
    }
    template <typename R> __device__ void ScatterToBlocked(T (&in)[N], T (&out)[N], R (&rank)[N]) {
        int t = __tern_place();
        for (int i = 0; i < N; i++) storage.values[rank[i]] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = storage.values[t * N + i];
        __syncthreads();
    }
    template <typename R> __device__ void ScatterToStriped(T (&in)[N], T (&out)[N], R (&rank)[N]) {
        int t = __tern_place();
        for (int i = 0; i < N; i++) storage.values[rank[i]] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = storage.values[i * (X * Y * Z) + t];
        __syncthreads();
    }
};
template <typename T, int N, int W = 32> struct WarpExchange {
    typedef __tern_storage<T, W * N> TempStorage;
    TempStorage &storage;
    __device__ WarpExchange(TempStorage &s) : storage(s) {}
    __device__ void BlockedToStriped(T (&in)[N], T (&out)[N]) {
        int t = __tern_place() % W;
        for (int i = 0; i < N; i++) storage.values[t * N + i] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++) out[i] = storage.values[i * W + t];
        __syncwarp();
    }
    __device__ void StripedToBlocked(T (&in)[N], T (&out)[N]) {
        int t = __tern_place() % W;
        for (int i = 0; i < N; i++) storage.values[i * W + t] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++) out[i] = storage.values[t * N + i];
        __syncwarp();
    }
};

// The first item of all keeps its value where nothing is said of what is before it.
template <typename T, int X, int Y = 1, int Z = 1> struct BlockAdjacentDifference {
    typedef __tern_storage<T, X * Y * Z> TempStorage;
    TempStorage &storage;
    __device__ BlockAdjacentDifference(TempStorage &s) : storage(s) {}
    template <int N, typename U, typename F>
    __device__ void SubtractLeft(T (&in)[N], U (&out)[N], F f) {
        int t = __tern_place();
        storage.values[t] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; i--) out[i] = f(in[i], in[i - 1]);
        if (t == 0)
            out[0] = in[0];
        else
            out[0] = f(in[0], storage.values[t - 1]);
        __syncthreads();
    }
    template <int N, typename U, typename F>
    __device__ void SubtractLeft(T (&in)[N], U (&out)[N], F f, T before) {
        T first = in[0];
        SubtractLeft(in, out, f);
        if (__tern_place() == 0) out[0] = f(first, before);
    }
    template <int N, typename U, typename F>
    __device__ void SubtractRight(T (&in)[N], U (&out)[N], F f) {
        int t = __tern_place();
        T last = in[N - 1];
        storage.values[t] = in[0];
        __syncthreads();
        for (int i = 0; i < N - 1; i++) out[i] = f(in[i], in[i + 1]);
        if (t == X * Y * Z - 1)
            out[N - 1] = last;
        else
            out[N - 1] = f(last, storage.values[t + 1]);
        __syncthreads();
    }
};

} // namespace cub
