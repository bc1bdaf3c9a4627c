// SPDX-License-Identifier: Apache-2.0
// C++ in kernels: each is also compiled by g++, where test/cuda/emulate.h makes a loop of its
// threads (test/cli/cuda_cpp.sh), and both must write the same numbers. 64 threads, 8 numbers each.
namespace outer {
namespace inner {
constexpr int three = 3;
template <typename T> __device__ T twice(T x) { return x + x; }
} // namespace inner
enum class Mode : int { off, on = 4, last };
} // namespace outer

// ---- templates ----

template <typename T> __device__ T larger(T a, T b) { return a < b ? b : a; }
template <> __device__ float larger<float>(float a, float b) { return a < b ? b + 0.5f : a + 0.5f; }
template <int N> __device__ int times(int x) { return x * N; }
template <typename T, int N = 4> __device__ int sum_of(const T (&values)[N]) {
    T sum = 0;
    for (int i = 0; i < N; i++) sum += values[i];
    return (int)sum * 10 + N;
}
template <typename T> __device__ int which(T) { return 1; }
template <typename T> __device__ int which(T *) { return 2; }
template <typename T> __device__ int which(const T *) { return 3; }
__device__ int which(double) { return 4; }
template <typename To, typename From> __device__ To as(From x) { return static_cast<To>(x); }
template <int N> __device__ int countdown(int x) {
    if constexpr (N == 0)
        return x;
    else
        return countdown<N - 1>(x + N);
}
constexpr int div_up(int a, int b) { return (a + b - 1) / b; }
template <bool Negate, typename T> __device__ T maybe(T x) { return Negate ? -x : x; }
template <typename T> constexpr int width = sizeof(T) * 8;

__global__ void templates(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *to = out + i * 8;
    int x = in[i];
    int table[div_up(10, 4)] = {x, 2, 3};
    short shorts[] = {1, 2, 3, 4, (short)x};
    to[0] = larger(x, 20) + (int)(larger(1.5f, 2.5f) * 2) + larger<double>(x, 7.5);
    to[1] = times<3>(x) + times<(2 > 1)>(x) + outer::inner::twice(x);
    to[2] = sum_of(table) + sum_of(shorts) + sum_of<int>(table);
    to[3] = which(x) * 1000 + which(to) * 100 + which(in) * 10 + which(1.5);
    to[4] = as<int>(x * 1.75f) + as<unsigned char>(x * 7);
    to[5] = countdown<5>(x) + maybe<true>(x) + maybe<false>(2);
    to[6] = width<short> + width<double> + outer::inner::three;
    to[7] = (int)outer::Mode::on + (int)outer::Mode::last;
}

// ---- classes ----

struct Complex {
    float re, im;
    __host__ __device__ Complex(float r = 0, float i = 0) : re(r), im(i) {}
    __device__ Complex operator*(const Complex &o) const {
        return Complex(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __device__ Complex &operator+=(const Complex &o) {
        re += o.re;
        im += o.im;
        return *this;
    }
    __device__ Complex operator-() const { return {-re, -im}; }
    __device__ bool operator==(Complex o) const { return re == o.re && im == o.im; }
    __device__ float norm() const { return re * re + im * im; }
    __device__ Complex conjugate() const;
};
__device__ Complex operator+(Complex a, const Complex &b) { return a += b; }

template <typename T, int N> struct Array {
    using value_type = T;
    static constexpr int size = N;
    T data[N];
    __device__ T &operator[](int i) { return data[i]; }
    __device__ const T &operator[](int i) const { return data[i]; }
    __device__ T sum() const {
        T total = T();
        for (int i = 0; i < N; ++i) total += data[i];
        return total;
    }
    template <typename F> __device__ void each(F f) {
        for (int i = 0; i < size; i++) data[i] = f(data[i]);
    }
};
template <typename T, int N> __device__ int length(const Array<T, N> &) { return N; }

struct Base {
    int b = 5;
    __device__ int get() const { return b; }
    __device__ int twice() const { return get() * 2; }
};
struct Derived : Base {
    int d;
    __device__ explicit Derived(int x) : Base(), d(x) { b += x; }
    __device__ int get() const { return d + Base::get(); }
};
template <typename T> struct Limits { static constexpr int bits = -1; };
template <> struct Limits<int> { static constexpr int bits = 31; };
template <typename T> struct Limits<T *> { static constexpr int bits = 64 + Limits<T>::bits; };

class Counter {
public:
    __device__ Counter() : at(0) {}
    __device__ int operator()(int step) { return at += step; }
    __device__ Counter &operator++() { return ++at, *this; }
    __device__ Counter operator++(int) {
        Counter old = *this;
        ++at;
        return old;
    }
    __device__ operator int() const { return at; }
    static __device__ int twice(int x) { return 2 * x; }

private:
    int at;
};
union Bits {
    float f;
    unsigned u;
    struct {
        unsigned short low, high;
    };
};

__global__ void classes(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    int *to = out + i * 8;
    Complex a(x, 1), b{2, 3}, c = a * b + 1.5f;
    c += -b;
    to[0] = (int)(c.re * 2) * 100 + (int)c.im;
    to[1] = (a == b) + 2 * (b == Complex(2, 3)) + (int)Complex(3).norm();
    Array<int, 4> v = {{x, 2, 3, 4}};
    v[1] += 10;
    v.each([=](int y) { return y * x; });
    const auto &w = v;
    to[2] = v.sum() + w[3] + Array<float, 7>::size + length(v);
    Array<int, 4>::value_type plain = 7.9;
    Derived d(x);
    const Base &base = d;
    to[3] = d.get() * 10 + base.get() + d.twice() + plain;
    to[4] = Limits<int>::bits + 100 * Limits<float>::bits + Limits<int *>::bits;
    Counter n;
    int first = n(3), second = n++;
    ++n;
    to[5] = first + 10 * second + 100 * n + Counter::twice(x);
    Bits bits;
    bits.f = (float)x;
    to[6] = bits.u;
    to[7] = bits.high;
}

// ---- lambdas, references, auto ----

template <typename F> __device__ int apply(F &&f, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += f(i);
    return sum;
}
__device__ void swap_them(int &a, int &b) {
    int t = a;
    a = b;
    b = t;
}
__device__ int &pick(int &a, int &b, bool first) { return first ? a : b; }
__device__ auto half_of(int x) { return x / 2.0f; }

namespace other {
inline int unordered(int x) { return x; } // for the host
} // namespace other
__device__ int unordered(int x) { return x * 5; }

__global__ void lambdas(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    int *to = out + i * 8;
    int count = 0, y = x + 1;
    auto add = [&](int n) {
        count += n;
        return count;
    };
    auto fixed = [y, scale = 3](int n) { return y * n * scale; };
    auto all = [=](auto n) { return n + x; };
    y = 100;
    to[0] = add(2) + add(3) + count;
    to[1] = fixed(2) + y;
    to[2] = all(1) + (int)(all(0.5f) * 2);
    to[3] = apply([&](int k) { return k * count; }, 4);
    int a = x, b = 9;
    swap_them(a, b);
    pick(a, b, x % 2 == 0) += 50;
    to[4] = a * 1000 + b;
    const int &r = x + 1;
    auto &alias = to[5];
    alias = r + (int)(half_of(x) * 4);
    decltype(x) same = 3;
    auto *p = &in[i];
    to[6] = same + *p + [](int q) -> int { return q * 1.5; }(x);
    int rows[2][3] = {{1, 2, 3}, {4, 5, x}};
    typedef int Whole;
    using Same = Whole;
    namespace short_name = outer::inner;
    Complex z(1, 2);
    z = {(float)x, 3};
    Same flat[2][2] = {x, 1, short_name::three};
    to[3] += flat[0][0] * 7 + flat[1][0] + flat[1][1] + (int)z.re + unordered(x);
    int(*row)[3] = rows;
    to[7] = row[1][2] + (*row)[1] + sizeof(rows) / sizeof(rows[0]);
}

__device__ int twice(int x) { return x * 2; }
__device__ int less_one(int x) { return x - 1; }
__device__ double half_of(double x) { return x / 2; }
using function_t = int (*)(int);
template <function_t F> __device__ int repeated(int x, int n = 2) {
    for (int i = 0; i < n; i++) x = F(x);
    return x;
}
template <int (*F)(int), int N> struct Applied {
    __device__ int operator()(int x) const { return F(x) + N; }
};
template <typename T, double (*F)(double)> __device__ T cast(double x) { return (T)F(x); }
constexpr int breadth(16);
constexpr unsigned int half_width((breadth - 1) / 2 + 1), three(3);
const double exponent(1.75);
__device__ int chosen(int x) {
    int r = 0;
    switch (x % 7) {
    default: r += 1;
    case 2:
        r += 10;
        switch (x % 3) {
        case 1: r += 1000; break;
        default: r += 2000; break;
        case 2: r += 3000;
        }
        break;
    case 3: r += 100; break;
    case 5: return 7;
    }
    switch (x) {
    case 0: r = -1; break;
    default: break;
    case 14: r += 5;
    case 21: r += 50;
    }
    return r;
}

struct Larger {
    template <typename T, typename U>
    __device__ typename std::common_type<T, U>::type operator()(T &&a, U &&b) const {
        return a > b ? a : b;
    }
};

// Functions as arguments of templates, constants in parentheses, cases behind default, pow.
__global__ void values(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    int *to = out + i * 8;
    to[0] = repeated<twice>(x) + repeated<&less_one>(x, half_width);
    to[1] = Applied<less_one, three>()(x) * breadth;
    to[2] = cast<int, half_of>(x * 3);
    to[3] = chosen(x);
    to[4] = (int)(pow(x + 0.5, exponent) * 64);
    to[5] = (int)(pow(x * 0.125 + 0.5, -2.5) * 64);
    to[6] = (int)pow(-1.5, x % 9);
    static_assert(std::is_same<std::common_type<char, short>::type, int>::value &&
                  std::is_same<std::common_type_t<float, long>, float>::value);
    to[7] = (pow(0.0, x) == (x ? 0 : 1)) + (int)(Larger()(x, 20.5) * 2) + Larger()(x, 30u);
}

// ---- conditions that begin with a type ----

__global__ void conditions(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    if (float(x) > 20.5f) to[0] = 1;
    if (Larger()(x, 30) > 30) to[1] = 2;
    while (unsigned(to[3]) < 3u) to[3]++;
}

// ---- one name in several namespaces ----

namespace first {
struct Pair {
    int a, b;
};
__device__ int weigh(double x) { return x * 10; }
__device__ int weigh(const Pair &p) { return p.a - p.b; }
__device__ int beside(int x) { return weigh(x); } // not second's, which fits better
} // namespace first
namespace second {
__device__ int weigh(int x) { return x + 100; }
__device__ int weigh(double x) { return x + 1000; }
__device__ int beside(int x) { return weigh(x) + weigh(x + 0.5); }
__device__ int of_a_class(first::Pair p) { return weigh(p); }
namespace {
__device__ int hidden(int x) { return x * 3; }
} // namespace
inline namespace version {
__device__ int inner(int x) { return x * 7; }
} // namespace version
} // namespace second
__device__ int hidden(double x) { return -1; }
__device__ int inner(int x) { return -2; }

__global__ void spaces(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    to[0] = first::weigh(x);
    to[1] = second::weigh(x) + second::weigh(x * 0.5);
    to[2] = first::beside(x);
    to[3] = second::beside(x);
    to[4] = second::of_a_class(first::Pair{x, 3});
    to[5] = second::hidden(x) + hidden(x);
    to[6] = second::inner(x) + ::inner(x);
    using second::weigh;
    to[7] = weigh(x);
}

// ---- lists in braces behind a type, attributes ----

struct Mixed {
    int whole;
    double part;
};
struct Defaults {
    int a = 3, b = 7;
};
template <typename T> __device__ T doubled(T p) { return (T){p.a * 2, p.b * 2}; }
[[maybe_unused]] __device__ int attributed([[maybe_unused]] int x, int y) { return y; }

__global__ void literals(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    first::Pair pair = doubled((first::Pair){x, x + 1});
    Mixed both[2];
    both[1] = both[0] = (struct Mixed){x, 0.5};
    __extension__ int four = (int){4};
    to[0] = pair.a + attributed(1, pair.b);
    to[1] = both[1].whole + (int)(both[0].part * four);
    to[2] = (int)((UINT64_C(1) << 40 | UINT32_C(7)) % 1000);
    const int *none = x > 20 ? nullptr : in;
    to[3] = none == in;
    int braced{x}, equal = {x + 1}, nothing{};
    const int made = int{5};
    to[4] = braced * 100 + equal + made + nothing;
    Defaults all{x, x + 2}, some{x}, rest{};
    to[5] = all.a * 100 + all.b;
    to[6] = some.a * 100 + some.b + rest.a + rest.b;
    Defaults row[2] = {{x, 4}, {5}};
    to[7] = row[0].a + row[0].b * 10 + row[1].a * 100 + row[1].b * 1000;
}

// ---- arrays whose sizes are computed of a template's parameters ----

template <typename T, int N, int SKEW = 1> __device__ T padded(T (&tile)[N][N + SKEW], int i) {
    tile[i % N][N + SKEW - 1] = i * 3;
    return tile[i % N][N] + (T)(sizeof tile / sizeof(T));
}
template <typename T, int N> __device__ T doubled_size(T list[2 * N + 1]) { return list[2 * N]; }

__global__ void sizes(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    int square[4][5] = {}, list[7] = {0, 0, 0, 0, 0, 0, x};
    to[0] = padded<int, 4>(square, x);
    to[1] = doubled_size<int, 3>(list);
}

// ---- constants of classes, in several regions; a copy of one access outside of kernels ----

template <int N> struct Counted {
    enum { count = N };
    static const int twice = N * 2;
    int at[N];
};
struct alignas(16) Wide {
    int a, b, c, d;
};
struct alignas(16) Mixture {
    int a;
    float b;
    unsigned c, d;
};
const Wide wide = {1, 2, 3, 4};
const Wide same = wide;

__global__ void regions(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    Counted<4> c[2] = {};
    if (x > 20)
        for (int k = 0; k < c[1].count; k++) c[1].at[k] = k + c[0].twice;
    for (int k = 0; k < c[1].count; k++) to[k] = c[1].at[k] + Counted<4>::twice * c[0].count;
    to[4] = same.a + 10 * same.b + 100 * same.c + 1000 * same.d;
    to[5] = not(x > 5 and x < 30) or x == 7;
    to[6] = (x bitand 12) xor (compl x bitor 3);
    Mixture mixture = {x, 0.5f, 7u, 9u}, other = mixture;
    to[7] = (i not_eq 3) + other.a + (int)(other.b * 4) + (int)(other.c * other.d);
}

// ---- strings; what a template is for other results ----

template <class T> __device__ T begun(int v);
template <> __device__ int begun(int v) { return v; }
template <> __device__ long begun(int v) { return v + 1000l; }
__device__ int length(const char *s) {
    int n = 0;
    while (s[n]) n++;
    return n;
}

__global__ void strings(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], *to = out + i * 8;
    const unsigned char letters[] = "ABC"
                                    "DEF";
    char room[8] = "xy";
    const char *name = x > 20 ? "hello" : "other";
    to[0] = begun<int>(x) + (int)begun<long>(x);
    to[1] = letters[x % 7] + (int)sizeof letters;
    to[2] = room[x & 7] + (int)sizeof room;
    to[3] = name[x % 5] + length(name) + length("");
    struct alignas(16) Here {
        int data[3];
    };
    Here here = {{1, 2, x}};
    to[4] = here.data[x % 3] + (int)(sizeof(Here) + alignof(Here));
}
