// Templates with any number of parameters: test/cli/cuda_more.sh asks g++, too.
template <typename T> __device__ T sum(T a) { return a; }
template <typename T, typename... R> __device__ T sum(T a, R... r) { return a + sum(r...); }
template <typename... R> __device__ int fold(R... r) { return (r + ... + 0) + sizeof...(R) + (... + r); }
template <typename... R> __device__ int minus(R... r) { return (r - ...) * 100 + (... - r) + (100 - ... - r); }
template <typename... R> __device__ bool all(R... r) { return (... && r); }
template <int... I> __device__ int ints() { return (I * ... * 1); }
template <typename F, typename... A> __device__ int apply(F f, A &&...a) { return f(std::forward<A>(a)...); }
__device__ int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
template <typename... T> __device__ void each(int *p, T... v) { int i = 0; ((p[i++] = v * 2), ...); }
template <typename... T> struct Tuple { static const int size = 0; };
template <typename H, typename... T> struct Tuple<H, T...> { H head; Tuple<T...> tail; static const int size = 1 + Tuple<T...>::size; };
template <typename... T> struct Bytes { static const int value = (sizeof(T) + ... + 0); };
template <typename... A> __device__ int init(A... a) { int v[] = {a..., 9}; int s = 0; for (int x : v) s = s * 10 + x; return s; }
template <int N, typename... A> __device__ int nth(A... a) { int v[sizeof...(A)] = {(int)a...}; return v[N]; }
__device__ int only(int a) { return 1; }
template <typename... A> __device__ int only(A... a) { return 2; }
template <typename... A> __device__ void nothing(A &&...) {}
template <typename... A> __device__ int pointers(A *...) { return sizeof...(A); }
__global__ void packs(int *p) {
    int t = threadIdx.x;
    p[0] = sum(1, 2, 3, t); p[1] = fold(1, 2, 3); p[2] = fold(4); p[3] = minus(5, 3, 1); p[4] = all(1, 2, 0) * 2 + all(); p[5] = ints<2, 3, 7>();
    p[6] = apply([](int a, int b, int c) { return three(a, b, c); }, 4, 5, 6); each(p + 7, 1, 2, 3);
    Tuple<int, float, char> x; x.head = 3; x.tail.head = 2.5f; x.tail.tail.head = 'a';
    p[10] = x.head + (int)(x.tail.head * 2) + x.tail.tail.head; p[11] = Tuple<int, float, char>::size; p[12] = Bytes<int, double, char>::value; p[13] = init(1, 2); p[14] = nth<1>(7, 8.5, 9); p[15] = only(3) * 10 + only(3, 4);
    p[16] = apply([](int a, int b) { return a - b; }, 9, 4) + pointers(p, &x) - 2; nothing(p[16], (const int)t, x);
}
