// SPDX-License-Identifier: Apache-2.0
// random: engines and distributions of <random> for functions of the host, and std::shuffle: the
// numbers of libstdc++ (since GCC 11), which the standard leaves open for distributions.

namespace std {

// of libstdc++'s generate_canonical, with as many bits as T has; RANGE: how many values an engine gives
template <typename T> struct __tern_canonical;
template <> struct __tern_canonical<float> {
    static constexpr int digits = 24;
    static float below_one() { return 0x1.fffffep-1f; }
};
template <> struct __tern_canonical<double> {
    static constexpr int digits = 53;
    static double below_one() { return 0x1.fffffffffffffp-1; }
};
template <typename T, typename G> T __tern_uniform(G &engine) {
    constexpr int times = (__tern_canonical<T>::digits + G::bits - 1) / G::bits;
    T sum = 0, scale = 1;
    for (int i = 0; i < times; i++) {
        T part = (T)(engine() - G::min()) * scale;
        sum = sum + part;
        scale = (T)((double)scale * G::range());
    }
    T drawn = sum / scale;
    return drawn >= 1 ? __tern_canonical<T>::below_one() : drawn;
}

template <unsigned long A> class __tern_minstd {
    unsigned long at_;

  public:
    using result_type = unsigned long;
    static constexpr int bits = 30;
    static constexpr unsigned long min() { return 1; }
    static constexpr unsigned long max() { return 2147483646; }
    static double range() { return 2147483646.0; }
    explicit __tern_minstd(unsigned long seed = 1) { this->seed(seed); }
    void seed(unsigned long seed = 1) { at_ = seed % 2147483647 ? seed % 2147483647 : 1; }
    void discard(unsigned long long count) {
        for (unsigned long long i = 0; i < count; i++) (*this)();
    }
    unsigned long operator()() {
        at_ = at_ * A % 2147483647;
        return at_;
    }
};
using minstd_rand0 = __tern_minstd<16807>;
using minstd_rand = __tern_minstd<48271>;
using default_random_engine = minstd_rand0;

class mt19937 {
    unsigned words_[624];
    int next_;

    static unsigned mixed(unsigned high, unsigned low) {
        unsigned y = (high & 0x80000000u) | (low & 0x7fffffffu);
        return (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
    }

  public:
    using result_type = unsigned long;
    static constexpr int bits = 32;
    static constexpr unsigned long min() { return 0; }
    static constexpr unsigned long max() { return 0xfffffffful; }
    static double range() { return 4294967296.0; }
    explicit mt19937(unsigned long seed = 5489) { this->seed(seed); }
    void seed(unsigned long seed = 5489) {
        words_[0] = (unsigned)seed;
        for (unsigned i = 1; i < 624; i++)
            words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
        next_ = 624;
    }
    void discard(unsigned long long count) {
        for (unsigned long long i = 0; i < count; i++) (*this)();
    }
    unsigned long operator()() {
        if (next_ == 624) {
            for (int i = 0; i < 624; i++)
                words_[i] = words_[(i + 397) % 624] ^ mixed(words_[i], words_[(i + 1) % 624]);
            next_ = 0;
        }
        unsigned y = words_[next_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }
};

class mt19937_64 {
    unsigned long words_[312];
    int next_;

    static unsigned long mixed(unsigned long high, unsigned long low) {
        unsigned long y = (high & 0xffffffff80000000ul) | (low & 0x7ffffffful);
        return (y >> 1) ^ (y & 1 ? 0xb5026f5aa96619e9ul : 0ul);
    }

  public:
    using result_type = unsigned long;
    static constexpr int bits = 64;
    static constexpr unsigned long min() { return 0; }
    static constexpr unsigned long max() { return 0xfffffffffffffffful; }
    static double range() { return 18446744073709551616.0; }
    explicit mt19937_64(unsigned long seed = 5489) { this->seed(seed); }
    void seed(unsigned long seed = 5489) {
        words_[0] = seed;
        for (unsigned long i = 1; i < 312; i++)
            words_[i] = 6364136223846793005ul * (words_[i - 1] ^ (words_[i - 1] >> 62)) + i;
        next_ = 312;
    }
    void discard(unsigned long long count) {
        for (unsigned long long i = 0; i < count; i++) (*this)();
    }
    unsigned long operator()() {
        if (next_ == 312) {
            for (int i = 0; i < 312; i++)
                words_[i] = words_[(i + 156) % 312] ^ mixed(words_[i], words_[(i + 1) % 312]);
            next_ = 0;
        }
        unsigned long y = words_[next_++];
        y ^= (y >> 29) & 0x5555555555555555ul;
        y ^= (y << 17) & 0x71d67fffeda60000ul;
        y ^= (y << 37) & 0xfff7eee000000000ul;
        return y ^ (y >> 43);
    }
};

// Another number in each run, as the real one.
class random_device {
    unsigned long at_;

  public:
    using result_type = unsigned;
    random_device() : at_((unsigned long)__tern_clock()) {}
    static constexpr unsigned min() { return 0; }
    static constexpr unsigned max() { return 0xffffffffu; }
    unsigned operator()() {
        at_ = at_ * 6364136223846793005ul + 1442695040888963407ul;
        return (unsigned)(at_ >> 32);
    }
    double entropy() const { return 0; }
};

template <typename T = double> class uniform_real_distribution {
    T a_, b_;

  public:
    using result_type = T;
    explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
    template <typename G> T operator()(G &engine) {
        T scaled = __tern_uniform<T>(engine) * (b_ - a_);
        return scaled + a_;
    }
    T a() const { return a_; }
    T b() const { return b_; }
    T min() const { return a_; }
    T max() const { return b_; }
    void reset() {}
};

template <typename T = double> class normal_distribution {
    T mean_, deviation_, saved_;
    bool has_saved_;

  public:
    using result_type = T;
    explicit normal_distribution(T mean = 0, T deviation = 1)
        : mean_(mean), deviation_(deviation), saved_(0), has_saved_(false) {}
    template <typename G> T operator()(G &engine) {
        T drawn = saved_;
        if (!has_saved_) {
            T x, y, square;
            do {
                T twice_x = (T)2 * __tern_uniform<T>(engine);
                x = (T)(twice_x - 1.0);
                T twice_y = (T)2 * __tern_uniform<T>(engine);
                y = (T)(twice_y - 1.0);
                T xx = x * x, yy = y * y;
                square = xx + yy;
            } while (square > 1.0 || square == 0.0);
            T factor = sqrt(-2 * log(square) / square);
            saved_ = x * factor;
            drawn = y * factor;
        }
        has_saved_ = !has_saved_;
        T scaled = drawn * deviation_;
        return scaled + mean_;
    }
    T mean() const { return mean_; }
    T stddev() const { return deviation_; }
    void reset() { has_saved_ = false; }
};

template <typename T = double> class exponential_distribution {
    T lambda_;

  public:
    using result_type = T;
    explicit exponential_distribution(T lambda = 1) : lambda_(lambda) {}
    template <typename G> T operator()(G &engine) {
        return -log((T)1 - __tern_uniform<T>(engine)) / lambda_;
    }
};

class bernoulli_distribution {
    double p_;

  public:
    using result_type = bool;
    explicit bernoulli_distribution(double p = 0.5) : p_(p) {}
    template <typename G> bool operator()(G &engine) { return __tern_uniform<double>(engine) < p_; }
};

inline unsigned long __tern_high_product(unsigned long a, unsigned long b) {
    unsigned long a0 = a & 0xfffffffful, a1 = a >> 32, b0 = b & 0xfffffffful, b1 = b >> 32;
    unsigned long middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xfffffffful);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}
// [0, last]
template <typename G> unsigned long __tern_below(G &engine, unsigned long last) {
    constexpr unsigned long whole = G::max() - G::min();
    unsigned long count = last + 1;
    if (whole == last) return engine() - G::min();
    if (whole < last) { // an engine's number is a digit of base whole + 1
        unsigned long high, drawn, base = whole + 1, most = last / base;
        do {
            high = base * __tern_below(engine, most, (G *)nullptr);
            drawn = high + (engine() - G::min());
        } while (drawn > last || drawn < high);
        return drawn;
    }
    return __tern_below(engine, last, (G *)nullptr);
}
// The same where the engine gives more than is asked for.
template <typename G> unsigned long __tern_below(G &engine, unsigned long last, G *) {
    constexpr unsigned long whole = G::max() - G::min();
    unsigned long count = last + 1;
    if (whole == 0xfffffffffffffffful) {
        unsigned long drawn = engine(), low = drawn * count;
        if (low < count) {
            unsigned long least = (0ul - count) % count;
            while (low < least) {
                drawn = engine();
                low = drawn * count;
            }
        }
        return __tern_high_product(drawn, count);
    }
    if (whole == 0xfffffffful) {
        unsigned few = (unsigned)count;
        unsigned long product = engine() * count;
        if ((unsigned)product < few) {
            unsigned least = (0u - few) % few;
            while ((unsigned)product < least) product = engine() * count;
        }
        return product >> 32;
    }
    unsigned long scaling = whole / count, past = count * scaling, drawn;
    do {
        drawn = engine() - G::min();
    } while (drawn >= past);
    return drawn / scaling;
}

template <typename T = int> class uniform_int_distribution {
    T a_, b_;

  public:
    using result_type = T;
    explicit uniform_int_distribution(T a = 0, T b = numeric_limits<T>::max()) : a_(a), b_(b) {}
    template <typename G> T operator()(G &engine) {
        unsigned long last = (unsigned long)b_ - (unsigned long)a_;
        return (T)(__tern_below(engine, last) + (unsigned long)a_);
    }
    T a() const { return a_; }
    T b() const { return b_; }
    T min() const { return a_; }
    T max() const { return b_; }
    void reset() {}
};

// Where an engine's number is enough for two places, it draws both.
template <typename T, typename G> void shuffle(T *from, T *end, G &&engine) {
    unsigned long count = end - from, whole = engine.max() - engine.min(), i = 1;
    if (from == end) return;
    if (whole / count < count) {
        for (; i < count; i++) swap(from[i], from[__tern_below(engine, i)]);
        return;
    }
    if (count % 2 == 0) {
        swap(from[i], from[__tern_below(engine, 1)]);
        i++;
    }
    while (i < count) {
        unsigned long places = i + 1, drawn = __tern_below(engine, places * (places + 1) - 1);
        swap(from[i], from[drawn / (places + 1)]);
        i++;
        swap(from[i], from[drawn % (places + 1)]);
        i++;
    }
}
} // namespace std
