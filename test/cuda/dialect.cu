// What C++17 and GNU have that public kernels use now and then; g++ reads it, too:
// test/cli/cuda_more.sh.
#define LARGER(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
__device__ int rows(const int b[][4]) { return b[1][2]; }
template <int N> __device__ int columns(const int (&b)[3][N]) { return b[2][N - 1]; }
struct Outer {
    int u;
    template <typename T> struct In { T v; __device__ T twice() { return v * 2; } };
    template <typename T> using Pair = In<T>[2];
    template <int N> __device__ int plus() { return N + u; }
    template <int N> static constexpr int square = N * N;
};
template <class T> struct Nest {
    template <int K> struct Row { T x[K]; __device__ T last() { return x[K - 1]; } };
    template <int K, bool B> struct Choice { static const int value = K; };
    template <int K> struct Choice<K, true> { static const int value = -K; };
    Row<3> row;
};
__device__ constexpr int power(int x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }
__device__ int only_first(int x) { return ({ int a = x; for (int i = 0; i < 3; i++) a += i; a * 2; }); }
typedef struct Rec {
    unsigned a, b;
    __device__ Rec(unsigned x) : a(x), b(x + 1) {}
} Rec;
union Packed {
    struct alignas(8) { short low, high; };
    unsigned whole;
};
__global__ void dialect(int *p) {
    int t = threadIdx.x, b[3][4] = {{0}};
    b[1][2] = 5 + t, b[2][3] = 7;
    p[0] = rows(b) * 10 + columns(b);
    const int (*q)[4] = b;
    p[1] = q[1][2] + LARGER(3, 4 + t) * LARGER(2.5f, t);
    Outer::In<int> a;
    a.v = 4;
    Outer o;
    o.u = 1;
    Nest<float> n;
    n.row.x[2] = 2.5f;
    p[2] = a.twice() * 1000 + o.plus<5>() * 100 + (int)(n.row.last() * 4);
    Outer::Pair<short> pair;
    pair[1].v = 21;
    p[3] = pair[1].twice() + Outer::square<3>;
    Nest<char>::Row<2> r;
    r.x[1] = 'a';
    p[4] = r.last() + Nest<int>::Choice<3, true>::value * 1000 + Nest<int>::Choice<4, false>::value;
    constexpr int bits = power(2, 10);
    p[5] = bits + power(3, 4);
    p[6] = only_first(t + 1);
    Rec rec(6);
    Packed packed;
    packed.whole = 0x30004;
    p[7] = __func__[0] + sizeof(__FUNCTION__) + rec.b * 1000 + packed.high * 10000 + packed.low * 100000;
}
