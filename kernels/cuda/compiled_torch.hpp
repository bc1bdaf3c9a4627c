// SPDX-License-Identifier: Apache-2.0
// compiled_torch: what stands behind compiled_cuda.hpp where a function between tensors and kernels is
// compiled: PyTorch's names that such functions use, and the way in.
#define TORCH_CHECK(holds, ...)                                                                                     \
    do {                                                                                                            \
        if (!(holds))                                                                                               \
            ::tern_host::stop(__LINE__,                                                                             \
                              ::tern_host::words("TORCH_CHECK(" #holds ") fails" __VA_OPT__(": ", ) __VA_ARGS__).text()); \
    } while (0)
#define AT_ASSERT(holds, ...) TORCH_CHECK(holds __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ::tern_host::launched(__LINE__, 0)
#define C10_CUDA_CHECK(...) ::tern_host::launched(__LINE__, __VA_ARGS__ + 0)
#define AT_CUDA_CHECK(...) ::tern_host::launched(__LINE__, __VA_ARGS__ + 0)

namespace c10 {
typedef __half Half;
typedef __nv_bfloat16 BFloat16;
} // namespace c10

namespace at {
using c10::BFloat16;
using c10::Half;
enum class ScalarType : int {
    Bool = 1, Char, Short, Int, Long, Byte, Half = 13, BFloat16, Float, Double
};
constexpr ScalarType kBool = ScalarType::Bool, kChar = ScalarType::Char, kInt8 = kChar, kShort = ScalarType::Short,
                     kInt16 = kShort, kInt = ScalarType::Int, kInt32 = kInt, kLong = ScalarType::Long, kInt64 = kLong,
                     kByte = ScalarType::Byte, kUInt8 = kByte, kHalf = ScalarType::Half, kFloat16 = kHalf,
                     kBFloat16 = ScalarType::BFloat16, kFloat = ScalarType::Float, kFloat32 = kFloat,
                     kDouble = ScalarType::Double, kFloat64 = kDouble;
template <typename T> struct TypeOf;
#define TERN_TYPE(c, name) \
    template <> struct TypeOf<c> { static constexpr ScalarType value = ScalarType::name; };
TERN_TYPE(bool, Bool) TERN_TYPE(signed char, Char) TERN_TYPE(char, Char) TERN_TYPE(short, Short) TERN_TYPE(int, Int)
TERN_TYPE(long, Long) TERN_TYPE(long long, Long) TERN_TYPE(unsigned char, Byte) TERN_TYPE(__half, Half)
TERN_TYPE(__nv_bfloat16, BFloat16) TERN_TYPE(float, Float) TERN_TYPE(double, Double)
#undef TERN_TYPE
inline long size_of(ScalarType type) {
    static const int bytes[] = {0, 1, 1, 2, 4, 8, 1, 0, 0, 0, 0, 0, 0, 2, 2, 4, 8};
    return bytes[(int)type];
}

enum DeviceType { kCPU, kCUDA };
struct Device {
    Device(DeviceType = kCUDA, int = 0) {}
    bool is_cuda() const { return true; }
    bool is_cpu() const { return false; }
    int index() const { return 0; }
    DeviceType type() const { return kCUDA; }
    bool operator==(const Device &) const { return true; }
    bool operator!=(const Device &) const { return false; }
};
struct TensorOptions {
    ScalarType type = kFloat;
    TensorOptions() {}
    TensorOptions(ScalarType type) : type(type) {}
    TensorOptions dtype(ScalarType other) const { return TensorOptions(other); }
    TensorOptions device(Device, int = 0) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
};
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device, int = 0) { return TensorOptions(); }

struct IntArrayRef { // {2, 3}, sizes of a tensor, a vector
    long at[8] = {0};
    long count = 0;
    void add(long value) {
        if (count == 8) ::tern_host::stop(0, "a tensor of more than 8 dimensions");
        at[count++] = value;
    }
    IntArrayRef() {}
    template <typename... T> IntArrayRef(long first, T... others) {
        add(first);
        (add(others), ...);
    }
    template <typename V> IntArrayRef(const V &list, decltype(list.begin()) * = nullptr) {
        for (long value : list) add(value);
    }
    const long *begin() const { return at; }
    const long *end() const { return at + count; }
    unsigned long size() const { return count; }
    long operator[](long i) const { return at[i]; }
    bool operator==(const IntArrayRef &b) const {
        for (long i = 0; i < count && count == b.count; i++)
            if (at[i] != b.at[i]) return false;
        return count == b.count;
    }
    bool operator!=(const IntArrayRef &b) const { return !(*this == b); }
};

class Tensor { // of rows that follow each other; its memory is tern's
    void *at_ = nullptr;
    ScalarType type_ = kFloat;
    IntArrayRef shape_;

  public:
    Tensor() {}
    Tensor(void *at, ScalarType type, const IntArrayRef &shape) : at_(at), type_(type), shape_(shape) {}
    bool defined() const { return at_ != nullptr; }
    long dim() const { return shape_.count; }
    long ndimension() const { return shape_.count; }
    const IntArrayRef &sizes() const { return shape_; }
    long size(long i) const {
        if (i < 0) i += dim();
        if (i < 0 || i >= dim()) ::tern_host::stop(0, "a tensor has no such dimension");
        return shape_[i];
    }
    long stride(long i) const {
        long count = 1;
        size(i);
        for (long k = (i < 0 ? i + dim() : i) + 1; k < dim(); k++) count *= shape_[k];
        return count;
    }
    long numel() const {
        long count = 1;
        for (long size : shape_) count *= size;
        return count;
    }
    unsigned long element_size() const { return size_of(type_); }
    unsigned long itemsize() const { return size_of(type_); }
    unsigned long nbytes() const { return numel() * size_of(type_); }
    ScalarType scalar_type() const { return type_; }
    ScalarType dtype() const { return type_; }
    Device device() const { return Device(); }
    bool is_cuda() const { return true; }
    bool is_contiguous() const { return true; }
    Tensor contiguous() const { return *this; }
    TensorOptions options() const { return TensorOptions(type_); }
    Tensor view(const IntArrayRef &shape) const {
        long count = 1, open = -1;
        IntArrayRef made = shape;
        for (long i = 0; i < made.count; i++)
            if (made[i] == -1 && open < 0) open = i;
            else count *= made[i];
        if (open >= 0 && count > 0) made.at[open] = numel() / count, count *= made[open];
        if (count != numel()) ::tern_host::stop(0, "view: another number of elements");
        return Tensor(at_, type_, made);
    }
    Tensor reshape(const IntArrayRef &shape) const { return view(shape); }
    template <typename T> T *data_ptr() const {
        if (TypeOf<T>::value != type_) ::tern_host::stop(0, "data_ptr of another type");
        return (T *)at_;
    }
    template <typename T> T *mutable_data_ptr() const { return data_ptr<T>(); }
    template <typename T> const T *const_data_ptr() const { return data_ptr<T>(); }
    void *data_ptr() const { return at_; }
};
inline Tensor made(const IntArrayRef &shape, ScalarType type, int with_zeros) {
    unsigned long bytes = size_of(type);
    for (long size : shape)
        if (size < 0 || __builtin_mul_overflow(bytes, (unsigned long)size, &bytes))
            ::tern_host::stop(0, "a tensor of such a shape cannot be");
    void *at = ::tern_host::table->allocate(::tern_host::table->host, bytes, with_zeros);
    if (!at) throw ::tern_host::Stopped();
    return Tensor(at, type, shape);
}
inline Tensor empty(const IntArrayRef &shape, TensorOptions options = {}) { return made(shape, options.type, 0); }
inline Tensor zeros(const IntArrayRef &shape, TensorOptions options = {}) { return made(shape, options.type, 1); }
inline Tensor empty_like(const Tensor &x) { return made(x.sizes(), x.scalar_type(), 0); }
inline Tensor empty_like(const Tensor &x, TensorOptions options) { return made(x.sizes(), options.type, 0); }
inline Tensor zeros_like(const Tensor &x) { return made(x.sizes(), x.scalar_type(), 1); }
inline Tensor zeros_like(const Tensor &x, TensorOptions options) { return made(x.sizes(), options.type, 1); }
namespace cuda {
inline cudaStream_t getCurrentCUDAStream() { return nullptr; }
} // namespace cuda
} // namespace at
namespace c10 {
using at::Device;
using at::IntArrayRef;
using at::ScalarType;
using at::TensorOptions;
namespace cuda {
using at::cuda::getCurrentCUDAStream;
}
} // namespace c10
namespace torch {
using namespace at;
using at::empty;
using at::empty_like;
using at::Tensor;
using at::zeros;
using at::zeros_like;
} // namespace torch

// ---- calls from tern ----
namespace tern_host {
template <typename T> struct Plain {
    typedef T type;
};
template <typename T> struct Plain<T &> {
    typedef typename Plain<T>::type type;
};
template <typename T> struct Plain<T &&> {
    typedef typename Plain<T>::type type;
};
template <typename T> struct Plain<const T> {
    typedef T type;
};
template <typename T> struct Given { // an integer or a number
    static bool fits(const Value &v) { return v.kind == 1 || (v.kind == 2 && (T)0.5 != 0); }
    static T of(const Value &v) { return v.kind == 1 ? (T)v.integer : (T)v.number; }
    static constexpr const char *wants = (T)0.5 != 0 ? "a number" : "an integer";
};
template <> struct Given<at::Tensor> {
    static bool fits(const Value &v) { return v.kind == 3; }
    static at::Tensor of(const Value &v) {
        at::IntArrayRef shape;
        for (int i = 0; i < v.rank; i++) shape.add(v.shape[i]);
        return at::Tensor(v.at, (at::ScalarType)v.type, shape);
    }
    static constexpr const char *wants = "a tensor";
};
inline Value result_of(const at::Tensor &x) {
    Value v = {};
    v.kind = 3, v.at = x.data_ptr(), v.type = (int)x.scalar_type(), v.rank = (int)x.dim();
    for (int i = 0; i < v.rank; i++) v.shape[i] = x.size(i);
    return v;
}
template <typename T> inline Value result_of(T *const &) {
    static_assert(sizeof(T) < 0, "a function to begin with that gives a pointer");
}
template <typename T> inline Value result_of(const T &x) { // an integer or a number
    bool is_number = (T)0.5 != (T)0 && (T)0.5 != (T)1; // which that of bool is
    Value v = {};
    if (is_number) v.kind = 2, v.number = (double)x;
    else v.kind = 1, v.integer = (long)x;
    return v;
}

template <unsigned... I> struct Indices {};
template <unsigned N, unsigned... I> struct Count : Count<N - 1, N - 1, I...> {};
template <unsigned... I> struct Count<0, I...> {
    typedef Indices<I...> type;
};
template <typename P> inline void check(const Value &v, unsigned i) {
    typedef Given<typename Plain<P>::type> G;
    if (!G::fits(v)) stop(0, words("argument ", (int)i + 1, " is not ", G::wants).text());
}
template <typename R, typename... P, unsigned... I>
inline void call(R (*function)(P...), const Value *given, Value *result, Indices<I...>) {
    (check<P>(given[I], I), ...);
    if constexpr (__is_same(R, void)) function(Given<typename Plain<P>::type>::of(given[I])...);
    else *result = result_of(function(Given<typename Plain<P>::type>::of(given[I])...));
}
template <typename R, typename... P>
inline int enter(R (*function)(P...), const Table *of, const Value *given, int count, Value *result) {
    table = of;
    try {
        if (count != (int)sizeof...(P))
            stop(0, words("there are ", count, " arguments, ", (int)sizeof...(P), " parameters").text());
        call(function, given, result, typename Count<sizeof...(P)>::type());
        return 1;
    } catch (const Stopped &) {
    } catch (...) {
        table->stop(table->host, "it throws an exception that nothing catches");
    }
    return 0;
}
} // namespace tern_host
