// SPDX-License-Identifier: Apache-2.0
// host: what functions for the host use of C, of C++ and of PyTorch; runtime.cuh: of CUDA. What has no
// body is in src/host.

// ---- C ----
void exit(int code);
void abort();
void *__tern_new(size_t count, size_t size, int is_array);
void __tern_delete(void *at);
void __tern_delete_array(void *at);
void *__tern_array(size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *at, size_t bytes);
void free(void *at);
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *at, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
char *strcpy(char *to, const char *from);
char *strchr(const char *text, int letter);
char *strstr(const char *text, const char *part);
char *getenv(const char *name);
double __tern_number(const char *text, char **end);
long __tern_integer(const char *text, char **end, int base);
int rand();
void srand(unsigned seed);
long __tern_clock();
long time(long *at);
inline char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}
inline int __tern_lower(int letter) { return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter; }
inline int tolower(int letter) { return __tern_lower(letter); }
inline int toupper(int letter) { return letter >= 'a' && letter <= 'z' ? letter - 32 : letter; }
inline int isdigit(int letter) { return letter >= '0' && letter <= '9'; }
inline int isspace(int letter) { return letter == ' ' || (letter >= 9 && letter <= 13); }
inline int isalpha(int letter) {
    return __tern_lower(letter) >= 'a' && __tern_lower(letter) <= 'z';
}
inline int strncasecmp(const char *a, const char *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        int difference = __tern_lower(a[i]) - __tern_lower(b[i]);
        if (difference || !a[i]) return difference;
    }
    return 0;
}
inline int strcasecmp(const char *a, const char *b) { return strncasecmp(a, b, 1ul << 40); }
inline char *strncpy(char *to, const char *from, size_t most) {
    bool ended = false;
    for (size_t i = 0; i < most; i++) {
        to[i] = ended ? 0 : from[i];
        ended = ended || !from[i];
    }
    return to;
}
inline char *strdup(const char *text) { return strcpy((char *)malloc(strlen(text) + 1), text); }
inline char *strrchr(const char *text, int letter) {
    char *last = nullptr;
    for (size_t i = 0; i <= strlen(text); i++)
        if (text[i] == letter) last = (char *)text + i;
    return last;
}
inline double atof(const char *text) { return __tern_number(text, nullptr); }
inline double strtod(const char *text, char **end) { return __tern_number(text, end); }
inline float strtof(const char *text, char **end) { return (float)__tern_number(text, end); }
inline int atoi(const char *text) { return (int)__tern_integer(text, nullptr, 10); }
inline long atol(const char *text) { return __tern_integer(text, nullptr, 10); }
inline long long atoll(const char *text) { return __tern_integer(text, nullptr, 10); }
inline long strtol(const char *text, char **end, int base) {
    return __tern_integer(text, end, base);
}
inline unsigned long strtoul(const char *text, char **end, int base) {
    return (unsigned long)__tern_integer(text, end, base);
}
static const int EXIT_SUCCESS = 0, EXIT_FAILURE = 1, RAND_MAX = 2147483647;
static const long CLOCKS_PER_SEC = 1000000;
inline void *aligned_alloc(size_t align, size_t bytes) { return malloc(bytes); }
inline void *memalign(size_t align, size_t bytes) { return malloc(bytes); }
inline int posix_memalign(void **at, size_t align, size_t bytes) {
    *at = malloc(bytes);
    return *at ? 0 : 12;
}
inline long random() { return rand(); }
inline void srandom(unsigned seed) { srand(seed); }
inline double drand48() { return rand() / 2147483648.0; }
inline void srand48(long seed) { srand((unsigned)seed); }
inline long clock() { return __tern_clock() / 1000; }
struct timeval {
    long tv_sec, tv_usec;
};
struct timespec {
    long tv_sec, tv_nsec;
};
static const int CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1;
inline int gettimeofday(timeval *at, void *zone) {
    long now = __tern_clock();
    at->tv_sec = now / 1000000000;
    at->tv_usec = now / 1000 % 1000000;
    return 0;
}
inline int clock_gettime(int which, timespec *at) {
    long now = __tern_clock();
    at->tv_sec = now / 1000000000;
    at->tv_nsec = now % 1000000000;
    return 0;
}

struct FILE {
    int number;
};
static FILE *const stdout = (FILE *)1ul, *const stderr = (FILE *)2ul;
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t room, const char *format, ...);
int fflush(FILE *file);
void __tern_put(int file, const char *text, size_t length);
inline int puts(const char *text) { return printf("%s\n", text); }
inline int putchar(int letter) { return printf("%c", letter); }
inline int fputs(const char *text, FILE *file) { return fprintf(file, "%s", text); }
inline void perror(const char *text) { fprintf(stderr, "%s\n", text); }

// Options as POSIX has them: the first argument that is none ends them.
static char *optarg = nullptr;
static int optind = 1, opterr = 1, optopt = 0, __tern_letter = 0;
inline int getopt(int count, char *const *arguments, const char *letters) {
    optarg = nullptr;
    if (optind >= count) return -1;
    char *word = arguments[optind];
    if (!__tern_letter) {
        if (word[0] != '-' || !word[1]) return -1;
        if (word[1] == '-' && !word[2]) {
            optind++;
            return -1;
        }
    }
    int letter = word[1 + __tern_letter++];
    bool is_last = !word[1 + __tern_letter];
    const char *known = letter == ':' ? nullptr : strchr(letters, letter);
    bool takes = known && known[1] == ':';
    if (takes && !is_last) optarg = word + 1 + __tern_letter;
    if (takes && is_last && optind + 1 < count) optarg = arguments[optind + 1];
    if (takes && is_last && optarg) optind++;
    if (takes || is_last) {
        optind++;
        __tern_letter = 0;
    }
    if (known && (!takes || optarg)) return letter;
    optopt = letter;
    if (opterr && letters[0] != ':' && known)
        fprintf(stderr, "%s: option requires an argument -- '%c'\n", arguments[0], letter);
    else if (opterr && letters[0] != ':')
        fprintf(stderr, "%s: invalid option -- '%c'\n", arguments[0], letter);
    return known && letters[0] == ':' ? ':' : '?';
}

double __tern_math(int which, double x, double y);
#define __TERN_ONE(NAME, NUMBER)                                                                   \
    inline double NAME(double x) { return __tern_math(NUMBER, x, 0); }                             \
    inline double NAME(int x) { return __tern_math(NUMBER, x, 0); }                                \
    inline float NAME##f(float x) { return (float)__tern_math(NUMBER, x, 0); }                     \
    inline float NAME(float x) { return (float)__tern_math(NUMBER, x, 0); }
#define __TERN_MIXED(NAME, NUMBER, T, U)                                                           \
    inline double NAME(T x, U y) { return __tern_math(NUMBER, x, y); }
#define __TERN_TWO(NAME, NUMBER)                                                                   \
    __TERN_MIXED(NAME, NUMBER, double, double)                                                     \
    __TERN_MIXED(NAME, NUMBER, double, float)                                                      \
    __TERN_MIXED(NAME, NUMBER, double, int)                                                        \
    __TERN_MIXED(NAME, NUMBER, float, double)                                                      \
    __TERN_MIXED(NAME, NUMBER, float, int)                                                         \
    __TERN_MIXED(NAME, NUMBER, int, double)                                                        \
    __TERN_MIXED(NAME, NUMBER, int, float)                                                         \
    __TERN_MIXED(NAME, NUMBER, int, int)                                                           \
    inline float NAME##f(float x, float y) { return (float)__tern_math(NUMBER, x, y); }            \
    inline float NAME(float x, float y) { return (float)__tern_math(NUMBER, x, y); }
__TERN_ONE(tan, 0)
__TERN_ONE(asin, 1)
__TERN_ONE(acos, 2)
__TERN_ONE(atan, 3)
__TERN_ONE(sinh, 4)
__TERN_ONE(cosh, 5)
__TERN_ONE(asinh, 6)
__TERN_ONE(acosh, 7)
__TERN_ONE(atanh, 8)
__TERN_ONE(cbrt, 9)
__TERN_ONE(log10, 10)
__TERN_ONE(log1p, 11)
__TERN_ONE(expm1, 12)
__TERN_ONE(round, 13)
__TERN_ONE(lgamma, 14)
__TERN_ONE(tgamma, 15)
__TERN_ONE(erfc, 16)
__TERN_TWO(pow, 100)
__TERN_TWO(atan2, 101)
__TERN_TWO(hypot, 102)
__TERN_TWO(fmod, 103)
__TERN_TWO(copysign, 104)
__TERN_TWO(remainder, 105)
#undef __TERN_ONE
#undef __TERN_MIXED
#undef __TERN_TWO

// ---- C++ ----
namespace std {

template <typename T> class vector {
    T *at_;
    size_t size_, room_;

  public:
    vector() : at_(nullptr), size_(0), room_(0) {}
    explicit vector(size_t size) : at_((T *)calloc(size + !size, sizeof(T))), size_(size), room_(size) {}
    vector(size_t size, T value)
        : at_((T *)calloc(size + !size, sizeof(T))), size_(size), room_(size) {
        for (size_t i = 0; i < size; i++) at_[i] = value;
    }
    vector(const T *from, const T *end)
        : at_((T *)calloc(end - from + 1, sizeof(T))), size_(end - from), room_(end - from) {
        for (size_t i = 0; i < size_; i++) at_[i] = from[i];
    }
    vector(const vector &other)
        : at_((T *)calloc(other.size_ + 1, sizeof(T))), size_(other.size_), room_(other.size_) {
        for (size_t i = 0; i < size_; i++) at_[i] = other.at_[i];
    }
    vector &operator=(const vector &other) {
        T *copy = (T *)calloc(other.size_ + 1, sizeof(T));
        for (size_t i = 0; i < other.size_; i++) copy[i] = other.at_[i];
        free(at_);
        at_ = copy;
        size_ = room_ = other.size_;
        return *this;
    }
    void reserve(size_t room) {
        if (room > room_) {
            at_ = (T *)realloc(at_, room * sizeof(T));
            room_ = room;
        }
    }
    void resize(size_t size) {
        reserve(size);
        for (size_t i = size_; i < size; i++) at_[i] = T();
        size_ = size;
    }
    void resize(size_t size, T value) {
        reserve(size);
        for (size_t i = size_; i < size; i++) at_[i] = value;
        size_ = size;
    }
    void assign(size_t size, T value) {
        size_ = 0;
        resize(size, value);
    }
    void push_back(T value) {
        if (size_ == room_) reserve(room_ ? 2 * room_ : 4);
        at_[size_++] = value;
    }
    void pop_back() { size_--; }
    void clear() { size_ = 0; }
    size_t size() const { return size_; }
    size_t capacity() const { return room_; }
    bool empty() const { return size_ == 0; }
    T *data() const { return at_; }
    T *begin() const { return at_; }
    T *end() const { return at_ + size_; }
    T &front() const { return at_[0]; }
    T &back() const { return at_[size_ - 1]; }
    T &operator[](size_t i) const {
        if (i >= size_) {
            fprintf(stderr, "index %zu of a std::vector of %zu\n", i, size_);
            abort();
        }
        return at_[i];
    }
    T &at(size_t i) const { return (*this)[i]; }
};

class string {
    char *at_;
    size_t size_;

  public:
    string() : at_((char *)calloc(1, 1)), size_(0) {}
    string(const char *text) : at_((char *)malloc(strlen(text) + 1)), size_(strlen(text)) {
        strcpy(at_, text);
    }
    string(const string &other) : at_((char *)malloc(other.size_ + 1)), size_(other.size_) {
        strcpy(at_, other.at_);
    }
    string &operator=(const string &other) {
        char *copy = (char *)malloc(other.size_ + 1);
        strcpy(copy, other.at_);
        free(at_);
        at_ = copy;
        size_ = other.size_;
        return *this;
    }
    string &operator+=(const string &other) {
        at_ = (char *)realloc(at_, size_ + other.size_ + 1);
        strcpy(at_ + size_, other.at_);
        size_ += other.size_;
        return *this;
    }
    const char *c_str() const { return at_; }
    size_t size() const { return size_; }
    size_t length() const { return size_; }
    bool empty() const { return size_ == 0; }
    char &operator[](size_t i) const { return at_[i]; }
};
inline string operator+(const string &a, const string &b) {
    string sum(a);
    sum += b;
    return sum;
}
inline bool operator==(const string &a, const string &b) { return !strcmp(a.c_str(), b.c_str()); }
inline bool operator!=(const string &a, const string &b) { return strcmp(a.c_str(), b.c_str()); }
inline string to_string(int value) {
    char text[32];
    sprintf(text, "%d", value);
    return string(text);
}
inline string to_string(unsigned long value) {
    char text[32];
    sprintf(text, "%lu", value);
    return string(text);
}
inline string to_string(double value) {
    char text[400];
    sprintf(text, "%f", value);
    return string(text);
}
inline int stoi(const string &text) { return atoi(text.c_str()); }
inline float stof(const string &text) { return (float)atof(text.c_str()); }

// Formatted as C++ says: %g with 6 digits, unless it is asked for otherwise.
struct ostream {
    int file, precision, width;
    char mode, fill;
    bool left;
};
static ostream cout = {1, 6, 0, 'g', ' ', false}, cerr = {2, 6, 0, 'g', ' ', false};
struct __tern_endl {};
struct __tern_mode {
    char mode;
};
struct __tern_width {
    int width;
};
struct __tern_precision {
    int precision;
};
struct __tern_fill {
    char fill;
};
struct __tern_left {
    bool left;
};
static const __tern_endl endl = {}, flush_ = {};
static const __tern_mode fixed = {'f'}, scientific = {'e'}, defaultfloat = {'g'};
static const __tern_left left = {true}, right = {false};
inline __tern_width setw(int width) {
    __tern_width made = {width};
    return made;
}
inline __tern_precision setprecision(int precision) {
    __tern_precision made = {precision};
    return made;
}
inline __tern_fill setfill(char fill) {
    __tern_fill made = {fill};
    return made;
}
inline ostream &__tern_write(ostream &out, const char *text) {
    size_t length = strlen(text);
    for (int i = length; i < out.width && !out.left; i++) __tern_put(out.file, &out.fill, 1);
    __tern_put(out.file, text, length);
    for (int i = length; i < out.width && out.left; i++) __tern_put(out.file, &out.fill, 1);
    out.width = 0;
    return out;
}
inline ostream &operator<<(ostream &out, const char *text) { return __tern_write(out, text); }
inline ostream &operator<<(ostream &out, const string &text) {
    return __tern_write(out, text.c_str());
}
inline ostream &operator<<(ostream &out, char letter) {
    char text[2] = {letter, 0};
    return __tern_write(out, text);
}
inline ostream &operator<<(ostream &out, long value) {
    char text[32];
    sprintf(text, "%ld", value);
    return __tern_write(out, text);
}
inline ostream &operator<<(ostream &out, unsigned long value) {
    char text[32];
    sprintf(text, "%lu", value);
    return __tern_write(out, text);
}
inline ostream &operator<<(ostream &out, bool value) { return out << (long)value; }
inline ostream &operator<<(ostream &out, int value) { return out << (long)value; }
inline ostream &operator<<(ostream &out, short value) { return out << (long)value; }
inline ostream &operator<<(ostream &out, long long value) { return out << (long)value; }
inline ostream &operator<<(ostream &out, unsigned value) { return out << (unsigned long)value; }
inline ostream &operator<<(ostream &out, unsigned short value) {
    return out << (unsigned long)value;
}
inline ostream &operator<<(ostream &out, unsigned long long value) {
    return out << (unsigned long)value;
}
inline ostream &operator<<(ostream &out, double value) {
    char text[400];
    if (out.mode == 'f')
        snprintf(text, 400, "%.*f", out.precision, value);
    else if (out.mode == 'e')
        snprintf(text, 400, "%.*e", out.precision, value);
    else
        snprintf(text, 400, "%.*g", out.precision, value);
    return __tern_write(out, text);
}
inline ostream &operator<<(ostream &out, float value) { return out << (double)value; }
inline ostream &operator<<(ostream &out, const void *at) {
    char text[32];
    sprintf(text, "%p", at);
    return __tern_write(out, text);
}
inline ostream &operator<<(ostream &out, const __tern_endl &end) { return __tern_write(out, "\n"); }
inline ostream &operator<<(ostream &out, const __tern_mode &mode) {
    out.mode = mode.mode;
    return out;
}
inline ostream &operator<<(ostream &out, const __tern_width &width) {
    out.width = width.width;
    return out;
}
inline ostream &operator<<(ostream &out, const __tern_precision &precision) {
    out.precision = precision.precision;
    return out;
}
inline ostream &operator<<(ostream &out, const __tern_fill &fill) {
    out.fill = fill.fill;
    return out;
}
inline ostream &operator<<(ostream &out, const __tern_left &left) {
    out.left = left.left;
    return out;
}

template <typename T, typename V> void fill(T *from, T *end, V value) {
    for (; from != end; from++) *from = value;
}
template <typename T, typename V> void iota(T *from, T *end, V value) {
    for (; from != end; from++) *from = value++;
}
template <typename T, typename F> void generate(T *from, T *end, F f) {
    for (; from != end; from++) *from = f();
}
template <typename T> void copy(T *from, T *end, T *to) {
    for (; from != end; from++) *to++ = *from;
}
template <typename T, typename V> V accumulate(T *from, T *end, V sum) {
    for (; from != end; from++) sum = sum + *from;
    return sum;
}
template <typename T> bool equal(T *from, T *end, T *other) {
    for (; from != end; from++)
        if (!(*from == *other++)) return false;
    return true;
}
template <typename T> T *max_element(T *from, T *end) {
    T *best = from;
    for (; from != end; from++)
        if (*best < *from) best = from;
    return best;
}
template <typename T> T *min_element(T *from, T *end) {
    T *best = from;
    for (; from != end; from++)
        if (*from < *best) best = from;
    return best;
}
template <typename T> void swap(T &a, T &b) {
    T kept = a;
    a = b;
    b = kept;
}
template <typename T> void reverse(T *from, T *end) {
    while (from < end) {
        end--;
        T kept = *from;
        *from = *end;
        *end = kept;
        from++;
    }
}
// Shell's sort: quick enough, and no recursion.
template <typename T> void sort(T *from, T *end) {
    long count = end - from;
    for (long gap = count / 2; gap > 0; gap /= 2)
        for (long i = gap; i < count; i++) {
            T kept = from[i];
            long k = i;
            for (; k >= gap && kept < from[k - gap]; k -= gap) from[k] = from[k - gap];
            from[k] = kept;
        }
}

template <long NUM, long DEN = 1> struct ratio {
    static constexpr long num = NUM, den = DEN;
};
using nano = ratio<1, 1000000000>;
using micro = ratio<1, 1000000>;
using milli = ratio<1, 1000>;

namespace chrono {
template <typename T, typename P = ratio<1> > struct duration {
    T value;
    duration() : value(0) {}
    explicit duration(T given) : value(given) {}
    template <typename U, typename Q>
    duration(const duration<U, Q> &other)
        : value((T)((double)other.value * ((double)Q::num / Q::den) / ((double)P::num / P::den))) {}
    T count() const { return value; }
};
using nanoseconds = duration<long, nano>;
using microseconds = duration<long, micro>;
using milliseconds = duration<long, milli>;
using seconds = duration<long>;
struct __tern_time {
    long at;
    nanoseconds time_since_epoch() const { return nanoseconds(at); }
};
template <typename C, typename D = nanoseconds> using time_point = __tern_time;
inline nanoseconds operator-(const __tern_time &a, const __tern_time &b) {
    return nanoseconds(a.at - b.at);
}
inline bool operator<(const __tern_time &a, const __tern_time &b) { return a.at < b.at; }
struct high_resolution_clock {
    using time_point = __tern_time;
    static __tern_time now() {
        __tern_time made = {__tern_clock()};
        return made;
    }
};
using steady_clock = high_resolution_clock;
using system_clock = high_resolution_clock;
template <typename D, typename T, typename P> D duration_cast(const duration<T, P> &given) {
    return D(given);
}
} // namespace chrono
} // namespace std

// ---- PyTorch: what functions between tensors and kernels use ----
struct __tern_list { // {2, 3}
    long count, at[8];
};
namespace at {}
namespace c10 {}
void __tern_torch_fail(const char *words);
void *__tern_torch_alloc(size_t bytes, int with_zeros);
long __tern_torch_size(long type);
void __tern_torch_result(void *at, long type, long rank, const long *shape);
void __tern_result_float(double value);
void __tern_result_int(long value);

namespace torch {
static const long kBool = 1, kInt8 = 2, kInt16 = 3, kInt32 = 4, kInt64 = 5, kUInt8 = 6, kFloat16 = 13,
                  kBFloat16 = 14, kFloat32 = 15, kFloat64 = 16, kByte = 6, kChar = 2, kShort = 3,
                  kInt = 4, kLong = 5, kHalf = 13, kFloat = 15, kDouble = 16;
template <typename T> struct __tern_type {};
template <> struct __tern_type<bool> { static constexpr long value = 1; };
template <> struct __tern_type<signed char> { static constexpr long value = 2; };
template <> struct __tern_type<char> { static constexpr long value = 2; };
template <> struct __tern_type<short> { static constexpr long value = 3; };
template <> struct __tern_type<int> { static constexpr long value = 4; };
template <> struct __tern_type<long> { static constexpr long value = 5; };
template <> struct __tern_type<unsigned char> { static constexpr long value = 6; };
template <> struct __tern_type<half> { static constexpr long value = 13; };
template <> struct __tern_type<__nv_bfloat16> { static constexpr long value = 14; };
template <> struct __tern_type<float> { static constexpr long value = 15; };
template <> struct __tern_type<double> { static constexpr long value = 16; };

struct Device {
    bool is_cuda() const { return true; }
    bool is_cpu() const { return false; }
    int index() const { return 0; }
};
static const long kCUDA = 1;
struct TensorOptions {
    long type;
    TensorOptions dtype(long other) const {
        TensorOptions made = {other};
        return made;
    }
    TensorOptions device(long other) const { return *this; }
    TensorOptions device(const Device &other) const { return *this; }
};
inline TensorOptions dtype(long type) {
    TensorOptions made = {type};
    return made;
}
class Tensor { // of rows that follow each other
    void *at_;
    long type_, rank_, shape_[8];

  public:
    static Tensor __tern_made(const long *shape, long rank, long type, int with_zeros) {
        Tensor made;
        long count = 1;
        if (rank > 8) __tern_torch_fail("a tensor of more than 8 dimensions");
        for (long i = 0; i < rank; i++) {
            if (shape[i] < 0) __tern_torch_fail("a dimension is negative");
            made.shape_[i] = shape[i];
            count *= shape[i];
        }
        made.type_ = type;
        made.rank_ = rank;
        made.at_ = __tern_torch_alloc(count * __tern_torch_size(type), with_zeros);
        return made;
    }
    Tensor __tern_like(int with_zeros) const {
        return __tern_made(shape_, rank_, type_, with_zeros);
    }
    void __tern_give() const { __tern_torch_result(at_, type_, rank_, shape_); }
    long dim() const { return rank_; }
    long size(long i) const {
        if (i < 0) i += rank_;
        if (i < 0 || i >= rank_) __tern_torch_fail("a tensor has no such dimension");
        return shape_[i];
    }
    long stride(long i) const {
        long count = 1;
        size(i);
        for (long k = (i < 0 ? i + rank_ : i) + 1; k < rank_; k++) count *= shape_[k];
        return count;
    }
    long numel() const {
        long count = 1;
        for (long i = 0; i < rank_; i++) count *= shape_[i];
        return count;
    }
    size_t element_size() const { return __tern_torch_size(type_); }
    long scalar_type() const { return type_; }
    long dtype() const { return type_; }
    Device device() const {
        Device made;
        return made;
    }
    bool is_cuda() const { return true; }
    bool is_contiguous() const { return true; }
    bool defined() const { return true; }
    Tensor contiguous() const { return *this; }
    TensorOptions options() const {
        TensorOptions made = {type_};
        return made;
    }
    template <typename T> T *data_ptr() const {
        if (type_ != __tern_type<T>::value) __tern_torch_fail("data_ptr of another type");
        return (T *)at_;
    }
    void *data_ptr() const { return at_; }
};
inline Tensor empty_like(const Tensor &x) { return x.__tern_like(0); }
inline Tensor zeros_like(const Tensor &x) { return x.__tern_like(1); }
inline Tensor empty(const __tern_list &sizes, const TensorOptions &options) {
    return Tensor::__tern_made(sizes.at, sizes.count, options.type, 0);
}
inline Tensor zeros(const __tern_list &sizes, const TensorOptions &options) {
    return Tensor::__tern_made(sizes.at, sizes.count, options.type, 1);
}
inline Tensor empty(const __tern_list &sizes, long type) {
    return Tensor::__tern_made(sizes.at, sizes.count, type, 0);
}
inline Tensor zeros(const __tern_list &sizes, long type) {
    return Tensor::__tern_made(sizes.at, sizes.count, type, 1);
}
} // namespace torch
inline void __tern_result(const torch::Tensor &x) { x.__tern_give(); }
inline void __tern_result(double x) { __tern_result_float(x); }
inline void __tern_result(float x) { __tern_result_float(x); }
inline void __tern_result(int x) { __tern_result_int(x); }
inline void __tern_result(long x) { __tern_result_int(x); }
inline void __tern_result(bool x) { __tern_result_int(x); }
inline void __tern_torch_check(bool holds, const char *words) {
    if (!holds) __tern_torch_fail(words);
}
inline void __tern_launch_check(int error) {
    int last = cudaGetLastError();
    if (error || last) __tern_torch_fail(cudaGetErrorString(error ? error : last));
}
