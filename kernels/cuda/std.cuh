// SPDX-License-Identifier: Apache-2.0
// std: what kernels use of C++'s own headers.
__device__ inline void __builtin_assume(bool holds) {}
__device__ inline void *__builtin_assume_aligned(const void *at, size_t align) { return (void *)at; }
__device__ inline bool __isnanf(float x) { return x != x; }

namespace std {

template <typename T, T V> struct integral_constant {
    static constexpr T value = V;
    using type = integral_constant;
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <typename A, typename B> struct is_same { static constexpr bool value = false; };
template <typename A> struct is_same<A, A> { static constexpr bool value = true; };
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, typename T, typename F> struct conditional { using type = T; };
template <typename T, typename F> struct conditional<false, T, F> { using type = F; };
template <bool B, typename T, typename F>
using conditional_t = typename conditional<B, T, F>::type;
template <bool B, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool B, typename T = void> using enable_if_t = typename enable_if<B, T>::type;
template <typename A, typename B> struct pair {
    A first;
    B second;
    pair() = default;
    __device__ pair(const A &a, const B &b) : first(a), second(b) {}
};
template <typename T> struct make_unsigned { using type = T; };
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<long> { using type = unsigned long; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> struct remove_cv { using type = T; };
template <typename T> struct remove_cv<const T> { using type = T; };
template <typename T> struct remove_cv<volatile T> { using type = T; };
template <typename T> struct remove_cv<const volatile T> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T *> { using type = T; };
template <typename A, typename B> struct common_type { using type = decltype(true ? A() : B()); };
template <typename A> struct common_type<A, A> { using type = A; };
template <typename A, typename B> using common_type_t = typename common_type<A, B>::type;
template <typename T> struct is_pointer { static constexpr bool value = false; };
template <typename T> struct is_pointer<T *> { static constexpr bool value = true; };
template <typename T> struct is_floating_point { static constexpr bool value = false; };
template <> struct is_floating_point<float> { static constexpr bool value = true; };
template <> struct is_floating_point<double> { static constexpr bool value = true; };
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;

template <typename T> struct __tern_int { static constexpr bool is = false; };
#define __TERN_INT(T, LOW, HIGH, SIGNED)                                                           \
    template <> struct __tern_int<T> {                                                             \
        static constexpr bool is = true, has_sign = SIGNED;                                        \
        static constexpr T low = LOW, high = HIGH;                                                 \
    };
__TERN_INT(bool, false, true, false)
__TERN_INT(char, -128, 127, true)
__TERN_INT(signed char, -128, 127, true)
__TERN_INT(unsigned char, 0, 255, false)
__TERN_INT(short, -32768, 32767, true)
__TERN_INT(unsigned short, 0, 65535, false)
__TERN_INT(int, -2147483647 - 1, 2147483647, true)
__TERN_INT(unsigned, 0, 4294967295u, false)
__TERN_INT(long, -9223372036854775807l - 1, 9223372036854775807l, true)
__TERN_INT(unsigned long, 0, 18446744073709551615ul, false)
__TERN_INT(long long, -9223372036854775807ll - 1, 9223372036854775807ll, true)
__TERN_INT(unsigned long long, 0, 18446744073709551615ull, false)
#undef __TERN_INT
template <typename T> struct is_integral { static constexpr bool value = __tern_int<T>::is; };
template <typename T> constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> struct is_arithmetic {
    static constexpr bool value = is_integral<T>::value || is_floating_point<T>::value;
};
template <typename T> struct is_signed {
    static constexpr bool value = is_floating_point<T>::value || __tern_int<T>::has_sign;
};

template <typename T> struct numeric_limits {
    static constexpr __device__ T min() { return __tern_int<T>::low; }
    static constexpr __device__ T max() { return __tern_int<T>::high; }
    static constexpr __device__ T lowest() { return __tern_int<T>::low; }
    static constexpr bool is_integer = true, is_signed = __tern_int<T>::has_sign;
};
template <> struct numeric_limits<float> {
    static constexpr __device__ float min() { return 1.175494351e-38f; }
    static constexpr __device__ float max() { return 3.402823466e+38f; }
    static constexpr __device__ float lowest() { return -3.402823466e+38f; }
    static constexpr __device__ float epsilon() { return 1.192092896e-07f; }
    static constexpr __device__ float infinity() { return __builtin_inff(); }
    static constexpr __device__ float quiet_NaN() { return __builtin_nanf(); }
    static constexpr bool is_integer = false, is_signed = true;
};
template <> struct numeric_limits<double> {
    static constexpr __device__ double min() { return 2.2250738585072014e-308; }
    static constexpr __device__ double max() { return 1.7976931348623157e+308; }
    static constexpr __device__ double lowest() { return -1.7976931348623157e+308; }
    static constexpr __device__ double epsilon() { return 2.2204460492503131e-16; }
    static constexpr __device__ double infinity() { return (double)__builtin_inff(); }
    static constexpr __device__ double quiet_NaN() { return (double)__builtin_nanf(); }
    static constexpr bool is_integer = false, is_signed = true;
};
template <typename T> __device__ void swap(T &a, T &b) {
    T t = a;
    a = b;
    b = t;
}
template <typename T> __device__ T &&move(T &a) { return a; }
template <typename T> __device__ T &&forward(T &a) { return a; }
template <typename T> struct remove_reference { using type = T; };
template <typename T> using remove_reference_t = T;

} // namespace std
