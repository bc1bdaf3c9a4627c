// Which overload a call means: test/cli/cuda_overloads.sh asks g++, too.
struct Base {
    int b;
};
struct Derived : Base {
    int d;
};
struct Made {
    int from;
    __device__ Made(int x) : from(x) {}
};
struct Kept {
    __device__ int get() { return 1; }
    __device__ int get() const { return 2; }
};
enum Color { RED = 3 };

__device__ int each(bool) { return 1; }
__device__ int each(char) { return 2; }
__device__ int each(signed char) { return 3; }
__device__ int each(unsigned char) { return 4; }
__device__ int each(short) { return 5; }
__device__ int each(unsigned short) { return 6; }
__device__ int each(int) { return 7; }
__device__ int each(unsigned) { return 8; }
__device__ int each(long) { return 9; }
__device__ int each(unsigned long) { return 10; }
__device__ int each(long long) { return 11; }
__device__ int each(unsigned long long) { return 12; }
__device__ int each(float) { return 13; }
__device__ int each(double) { return 14; }

__device__ int promoted(int) { return 1; }
__device__ int promoted(unsigned) { return 2; }
__device__ int promoted(double) { return 3; }
__device__ int to_bool(bool) { return 1; }
__device__ int to_bool(Made) { return 2; }
__device__ int own(double) { return 1; }
__device__ int own(Made) { return 2; }
__device__ int pointer(int *) { return 1; }
__device__ int pointer(const int *) { return 2; }
__device__ int pointer(const void *) { return 3; }
__device__ int zero(int) { return 1; }
__device__ int zero(int *) { return 2; }
__device__ int base(Base *) { return 1; }
__device__ int base(void *) { return 2; }
__device__ int reference(int &) { return 1; }
__device__ int reference(const int &) { return 2; }
__device__ int moved(const int &) { return 1; }
__device__ int moved(int &&) { return 2; }
__device__ int both(int, int) { return 1; }
__device__ int both(double, double) { return 2; }
__device__ int more(int) { return 1; }
__device__ int more(int, int) { return 2; }
__device__ int more(float, float = 0) { return 3; }
template <typename T> __device__ int general(T) { return 1; }
template <typename T> __device__ int general(T *) { return 2; }
template <typename T> __device__ int general(const T *) { return 3; }
__device__ int general(int) { return 4; }
template <typename T> __device__ int same(T, T) { return 1; }
__device__ int same(double, double) { return 2; }
template <typename T> __device__ int lvalue(T &) { return 1; }
template <typename T> __device__ int lvalue(const T &) { return 2; }

__global__ void overloads(int *out, int i, float f) {
    int n = 0, a[2] = {i, i};
    const int c = i;
    unsigned char u = 200;
    unsigned short s = 7;
    const int *constant = a;
    Derived derived = {};
    Kept kept;
    const Kept fixed = kept;
    out[n++] = each(i > 1), out[n++] = each('x'), out[n++] = each((signed char)1);
    out[n++] = each(u), out[n++] = each((short)i), out[n++] = each(s), out[n++] = each(i);
    out[n++] = each(1u), out[n++] = each(1l), out[n++] = each(1ul), out[n++] = each(1ll);
    out[n++] = each(1ull), out[n++] = each(f), out[n++] = each(1.0), out[n++] = each(u + u);
    out[n++] = each(s << 1), out[n++] = each(-u), out[n++] = each(~s), out[n++] = each(!f);
    out[n++] = each(i * 1u), out[n++] = each(1u * 1l), out[n++] = each(f * i), out[n++] = each(f * 1.0);
    out[n++] = each(i ? 1 : 1.0f), out[n++] = each(i ? u : s), out[n++] = each(sizeof(int));
    out[n++] = each(2147483648), out[n++] = each(0x80000000), out[n++] = each(u++), out[n++] = each((i, f));
    out[n++] = promoted(u), out[n++] = promoted(s), out[n++] = promoted(true), out[n++] = promoted('a');
    out[n++] = promoted(RED), out[n++] = promoted(f), out[n++] = promoted(3u);
    out[n++] = to_bool(a), out[n++] = to_bool(constant), out[n++] = to_bool(f), out[n++] = own(i), out[n++] = own(Made(1));
    out[n++] = pointer(a), out[n++] = pointer(constant), out[n++] = pointer(&f), out[n++] = pointer(&c);
    out[n++] = zero(0), out[n++] = zero(nullptr), out[n++] = zero(a), out[n++] = zero('a');
    out[n++] = base(&derived), out[n++] = base(a);
    out[n++] = reference(i), out[n++] = reference(c), out[n++] = reference(i + 1), out[n++] = reference(u);
    out[n++] = moved(i), out[n++] = moved(3), out[n++] = moved(i + 1);
    out[n++] = both(i, i), out[n++] = both(f, f), out[n++] = both('a', true), out[n++] = both(1.0, f);
    out[n++] = more(i), out[n++] = more(i, i), out[n++] = more(f), out[n++] = more(f, f);
    out[n++] = general(i), out[n++] = general(f), out[n++] = general(u), out[n++] = general(a);
    out[n++] = general(constant), out[n++] = general(&f), out[n++] = general<int>(i);
    out[n++] = same(i, i), out[n++] = same(i, f), out[n++] = same(1.0, 2.0), out[n++] = same(f, f);
    out[n++] = lvalue(i), out[n++] = lvalue(c), out[n++] = lvalue(3);
    out[n++] = kept.get(), out[n++] = fixed.get();
    while (n < 90) out[n++] = 0;
}
