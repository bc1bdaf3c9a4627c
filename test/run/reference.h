// SPDX-License-Identifier: Apache-2.0
/* reference: the expressions of `# want:` lines, evaluated on arrays of long double, which holds
 * every 64-bit integer and every float64 exactly. It shares nothing with the library: its own
 * rounding to each type, its own philox. NumPy's rules of broadcasting; reductions keep their axis
 * as 1.
 *
 *     y == where(x > 0, x, 0);  e = exp(x - max(x, 1));  y[:, :31] == e / sum(e, 1)           */
#ifndef TERN_TEST_REFERENCE_H
#define TERN_TEST_REFERENCE_H

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double Number;
enum { REF_RANK = 4, REF_NAMES = 64 };

typedef struct Array {
    int rank;
    long shape[REF_RANK];
    long count;
    Number *v;
    struct Array *next; /* all that were made, to be freed */
} Array;

typedef struct Reference {
    const char *at;
    char error[200];
    Array *made;
    int num_names;
    char names[REF_NAMES][32];
    Array *values[REF_NAMES];
} Reference;

static Array *ref_new(Reference *r, int rank, const long *shape) {
    Array *a = calloc(1, sizeof *a);
    a->rank = rank, a->count = 1;
    for (int i = 0; i < rank; i++) a->shape[i] = shape[i], a->count *= shape[i];
    a->v = calloc((size_t)a->count + 1, sizeof *a->v);
    a->next = r->made, r->made = a;
    return a;
}

static void ref_free(Reference *r) {
    for (Array *a = r->made, *next; a; a = next) next = a->next, free(a->v), free(a);
    r->made = NULL;
}

static Array *ref_scalar(Reference *r, Number value) {
    Array *a = ref_new(r, 0, NULL);
    a->v[0] = value;
    return a;
}

static Array *ref_fail(Reference *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!r->error[0]) vsnprintf(r->error, sizeof r->error, format, args);
    va_end(args);
    return ref_scalar(r, 0);
}

static void ref_set(Reference *r, const char *name, Array *value) {
    int i = 0;
    while (i < r->num_names && strcmp(r->names[i], name)) i++;
    if (i == REF_NAMES) {
        ref_fail(r, "too many names");
        return;
    }
    if (i == r->num_names) snprintf(r->names[r->num_names++], 32, "%s", name);
    r->values[i] = value;
}

static Array *ref_get(Reference *r, const char *name) {
    for (int i = 0; i < r->num_names; i++)
        if (!strcmp(r->names[i], name)) return r->values[i];
    return NULL;
}

/* ---- numbers of a type ---- */

/* Nearest with `digits` binary digits, ties to even; below 2^least the steps stop shrinking. */
static Number ref_round(Number x, int digits, int least, Number largest, bool saturate) {
    if (x == 0 || x != x || isinf(x))
        return saturate && isinf(x) ? (x < 0 ? -largest : largest) : x;
    int exponent;
    frexpl(x, &exponent);
    if (exponent - 1 < least) exponent = least + 1;
    Number step = ldexpl(1, exponent - digits), scaled = x / step, down = floorl(scaled);
    Number rest = scaled - down;
    if (rest > 0.5L || (rest == 0.5L && fmodl(down, 2) != 0)) down += 1;
    Number rounded = down * step;
    if (fabsl(rounded) > largest)
        return saturate ? (x < 0 ? -largest : largest) : (x < 0 ? -INFINITY : INFINITY);
    return rounded;
}

static uint64_t ref_bits(Number x) { return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x; }

static Number ref_wrap(Number x, int bits, bool is_signed) {
    uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1,
             value = ref_bits(x) & mask;
    if (is_signed && (value >> (bits - 1)) & 1) return (Number)(int64_t)(value | ~mask);
    return (Number)value;
}

/* The number x as the type holds it: floats round, integers wrap. False: no such type. */
static bool ref_cast(const char *type, Number x, Number *out) {
    if (!strcmp(type, "f64"))
        *out = (double)x;
    else if (!strcmp(type, "f32"))
        *out = ref_round(x, 24, -126, 0x1.fffffep127L, false);
    else if (!strcmp(type, "f16"))
        *out = ref_round(x, 11, -14, 65504, false);
    else if (!strcmp(type, "bf16"))
        *out = ref_round(x, 8, -126, 0x1.fep127L, false);
    else if (!strcmp(type, "e4m3"))
        *out = ref_round(x, 4, -6, 448, true);
    else if (!strcmp(type, "e5m2"))
        *out = ref_round(x, 3, -14, 57344, true);
    else if (!strcmp(type, "i1"))
        *out = x != 0;
    else if ((type[0] == 'i' || type[0] == 'u') && isdigit((unsigned char)type[1])) {
        if (x != x || isinf(x)) x = 0;
        *out = ref_wrap(truncl(x), atoi(type + 1), type[0] == 'i');
    } else
        return false;
    return true;
}

/* ---- elementwise ---- */

static long ref_index(const Array *a, const Array *to, long flat) {
    long index = 0, stride = 1;
    for (int i = to->rank - 1, k = a->rank - 1; i >= 0; i--, k--) {
        long at = flat % to->shape[i];
        flat /= to->shape[i];
        if (k < 0) continue;
        if (a->shape[k] != 1) index += at * stride;
        stride *= a->shape[k];
    }
    return index;
}

static Array *ref_like(Reference *r, int count, Array *const *in) {
    long shape[REF_RANK];
    int rank = 0;
    for (int i = 0; i < count; i++)
        if (in[i]->rank > rank) rank = in[i]->rank;
    for (int i = 0; i < rank; i++) shape[i] = 1;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < in[i]->rank; k++) {
            long *to = &shape[rank - in[i]->rank + k], from = in[i]->shape[k];
            if (*to == 1)
                *to = from;
            else if (from != 1 && from != *to)
                ref_fail(r, "shapes do not broadcast: %ld and %ld", *to, from);
        }
    }
    return r->error[0] ? ref_scalar(r, 0) : ref_new(r, rank, shape);
}

static Number ref_power(Number a, Number b) { return powl(a, b); }
static Number ref_count_bits(Number a) { return __builtin_popcountll(ref_bits(a)); }
static Number ref_round_even(Number a) { return rintl(a); }
static Number ref_rsqrt(Number a) { return 1 / sqrtl(a); }
static Number ref_not(Number a) { return a == 0; }
static Number ref_float_bits(Number a) {
    float f = (float)a;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static const struct {
    const char *name;
    Number (*apply)(Number);
} ref_ones[] = {
    {"exp", expl},
    {"exp2", exp2l},
    {"log", logl},
    {"log2", log2l},
    {"sqrt", sqrtl},
    {"rsqrt", ref_rsqrt},
    {"sin", sinl},
    {"cos", cosl},
    {"tanh", tanhl},
    {"erf", erfl},
    {"abs", fabsl},
    {"floor", floorl},
    {"tan", tanl},
    {"asin", asinl},
    {"acos", acosl},
    {"atan", atanl},
    {"sinh", sinhl},
    {"cosh", coshl},
    {"atanh", atanhl},
    {"expm1", expm1l},
    {"log1p", log1pl},
    {"cbrt", cbrtl},
    {"ceil", ceill},
    {"trunc", truncl},
    {"rint", ref_round_even},
    {"popcount", ref_count_bits},
    {"not", ref_not},
    {"float_bits", ref_float_bits},
};

static Number ref_two(const char *op, Number a, Number b) {
    if (!strcmp(op, "+")) return a + b;
    if (!strcmp(op, "-")) return a - b;
    if (!strcmp(op, "*")) return a * b;
    if (!strcmp(op, "/")) return a / b;
    if (!strcmp(op, "//")) return floorl(a / b);
    if (!strcmp(op, "%")) return a - b * floorl(a / b);
    if (!strcmp(op, "**")) return ref_power(a, b);
    if (!strcmp(op, "&")) return (Number)(int64_t)(ref_bits(a) & ref_bits(b));
    if (!strcmp(op, "|")) return (Number)(int64_t)(ref_bits(a) | ref_bits(b));
    if (!strcmp(op, "^")) return (Number)(int64_t)(ref_bits(a) ^ ref_bits(b));
    if (!strcmp(op, "<<")) return (Number)(int64_t)(ref_bits(a) << ref_bits(b));
    if (!strcmp(op, ">>")) return floorl(a / ldexpl(1, (int)b));
    if (!strcmp(op, "<")) return a < b;
    if (!strcmp(op, "<=")) return a <= b;
    if (!strcmp(op, ">")) return a > b;
    if (!strcmp(op, ">=")) return a >= b;
    if (!strcmp(op, "==")) return a == b;
    if (!strcmp(op, "!=")) return a != b;
    if (!strcmp(op, "minimum")) return a != a ? b : b != b ? a : a < b ? a : b;
    if (!strcmp(op, "maximum")) return a != a ? b : b != b ? a : a > b ? a : b;
    if (!strcmp(op, "fmod")) return fmodl(a, b); /* sign of a, as C */
    if (!strcmp(op, "tdiv")) return truncl(a / b);
    if (!strcmp(op, "cdiv")) return ceill(a / b);
    return NAN;
}

static Array *ref_binary(Reference *r, const char *op, Array *a, Array *b) {
    Array *in[] = {a, b}, *out = ref_like(r, 2, in);
    for (long i = 0; i < out->count; i++)
        out->v[i] = ref_two(op, a->v[ref_index(a, out, i)], b->v[ref_index(b, out, i)]);
    return out;
}

/* ---- across an axis ---- */

typedef enum RefAcross {
    REF_SUM,
    REF_MAX,
    REF_MIN,
    REF_PROD,
    REF_ARGMAX,
    REF_ARGMIN,
    REF_XOR,
    REF_ACROSS_END
} RefAcross;

static Number ref_across_step(RefAcross kind, Number sofar, Number x) {
    if (kind == REF_SUM) return sofar + x;
    if (kind == REF_PROD) return sofar * x;
    if (kind == REF_XOR) return (Number)(int64_t)(ref_bits(sofar) ^ ref_bits(x));
    if (kind == REF_MAX || kind == REF_ARGMAX) return x > sofar || sofar != sofar ? x : sofar;
    return x < sofar || sofar != sofar ? x : sofar;
}

/* scan: every partial result; else one, with the axis kept as 1. */
static Array *ref_across(Reference *r, RefAcross kind, Array *a, long axis, bool scan,
                         bool reverse) {
    if (axis < 0) axis += a->rank;
    if (axis < 0 || axis >= a->rank) return ref_fail(r, "no such axis");
    long shape[REF_RANK], inner = 1, outer = 1, n = a->shape[axis];
    for (int i = 0; i < a->rank; i++) shape[i] = i == axis && !scan ? 1 : a->shape[i];
    for (int i = 0; i < axis; i++) outer *= a->shape[i];
    for (int i = (int)axis + 1; i < a->rank; i++) inner *= a->shape[i];
    Array *out = ref_new(r, a->rank, shape);
    for (long o = 0; o < outer; o++) {
        for (long in = 0; in < inner; in++) {
            Number sofar = 0, where = 0;
            for (long k = 0; k < n; k++) {
                long at = reverse ? n - 1 - k : k;
                Number x = a->v[(o * n + at) * inner + in],
                       next = k ? ref_across_step(kind, sofar, x) : x;
                if (k && next != sofar && (kind == REF_ARGMAX || kind == REF_ARGMIN))
                    where = (Number)k;
                sofar = next;
                if (scan) out->v[(o * n + at) * inner + in] = sofar;
            }
            if (!scan)
                out->v[o * inner + in] = kind == REF_ARGMAX || kind == REF_ARGMIN ? where : sofar;
        }
    }
    return out;
}

static Array *ref_matmul(Reference *r, Array *a, Array *b) {
    int batched = a->rank == 3;
    if (a->rank != b->rank || (a->rank != 2 && !batched))
        return ref_fail(r, "@ needs two matrices");
    long batches = batched ? a->shape[0] : 1, m = a->shape[a->rank - 2], k = a->shape[a->rank - 1],
         n = b->shape[b->rank - 1];
    if (b->shape[b->rank - 2] != k)
        return ref_fail(r, "@: %ld and %ld do not match", k, b->shape[b->rank - 2]);
    long shape[3] = {batches, m, n};
    Array *out = ref_new(r, batched ? 3 : 2, batched ? shape : shape + 1);
    /* Four columns at a time: they lie beside each other in b. */
    for (long row = 0; row < batches * m; row++) {
        const Number *left = a->v + row * k, *right = b->v + row / m * k * n;
        for (long column = 0; column < n; column += 4) {
            const long columns = n - column < 4 ? n - column : 4;
            Number sum[4] = {0};
            for (long x = 0; x < k; x++)
                for (long c = 0; c < columns; c++) sum[c] += left[x] * right[x * n + column + c];
            memcpy(out->v + row * n + column, sum, (size_t)columns * sizeof *sum);
        }
    }
    return out;
}

static int ref_compare(const void *a, const void *b) {
    Number x = *(const Number *)a, y = *(const Number *)b;
    return (x > y) - (x < y);
}

static Array *ref_sort(Reference *r, Array *a) { /* along the last axis */
    Array *out = ref_new(r, a->rank, a->shape);
    memcpy(out->v, a->v, (size_t)a->count * sizeof *a->v);
    long n = a->rank ? a->shape[a->rank - 1] : 1;
    for (long i = 0; i + n <= a->count; i += n)
        qsort(out->v + i, (size_t)n, sizeof *out->v, ref_compare);
    return out;
}

/* Philox 4x32-10 (Salmon and others, 2011), word `word` of the block for each offset. */
static Array *ref_philox(Reference *r, Array *seed, Array *offsets, long word) {
    Array *out = ref_new(r, offsets->rank, offsets->shape);
    for (long i = 0; i < out->count; i++) {
        uint64_t key = ref_bits(seed->v[0]);
        uint32_t c[4] = {(uint32_t)ref_bits(offsets->v[i]), 0, 0, 0};
        uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
        for (int round = 0; round < 10; round++) {
            uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
            uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
            memcpy(c, next, sizeof c);
            k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
        }
        out->v[i] = c[word & 3];
    }
    return out;
}

static Array *ref_histogram(Reference *r, Array *a, long bins) {
    Array *out = ref_new(r, 1, &bins);
    for (long i = 0; i < a->count; i++)
        if (a->v[i] >= 0 && a->v[i] < bins) out->v[(long)a->v[i]] += 1;
    return out;
}

static Array *ref_take(Reference *r, Array *a, Array *index) { /* from the flattened a */
    Array *out = ref_new(r, index->rank, index->shape);
    for (long i = 0; i < out->count; i++) {
        long at = (long)index->v[i];
        out->v[i] = at >= 0 && at < a->count ? a->v[at] : NAN;
    }
    return out;
}

static Array *ref_reshape(Reference *r, Array *a, int rank, const long *shape) {
    Array *out = ref_new(r, rank, shape);
    if (out->count != a->count) return ref_fail(r, "reshape of %ld to %ld", a->count, out->count);
    memcpy(out->v, a->v, (size_t)a->count * sizeof *a->v);
    return out;
}

static Array *ref_transpose(Reference *r, Array *a) { /* of the last two */
    if (a->rank < 2) return ref_fail(r, "trans needs a matrix");
    long shape[REF_RANK], m = a->shape[a->rank - 2], n = a->shape[a->rank - 1];
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank - 2] = n, shape[a->rank - 1] = m;
    Array *out = ref_new(r, a->rank, shape);
    for (long i = 0; i < a->count; i++)
        out->v[i / (m * n) * m * n + i % n * m + i / n % m] = a->v[i];
    return out;
}

/* ---- slices ---- */

typedef struct RefSlice {
    int count;
    long low[REF_RANK], high[REF_RANK], step[REF_RANK];
    bool gone[REF_RANK]; /* a[i]: the dimension goes */
} RefSlice;

static RefSlice ref_whole(const Array *a) {
    RefSlice s = {.count = a->rank};
    for (int i = 0; i < a->rank; i++) s.high[i] = a->shape[i], s.step[i] = 1;
    return s;
}

/* The flat index in a of the i-th element of the slice; -1 past the end. */
static long ref_slice_index(const Array *a, const RefSlice *s, long i) {
    long index = 0, stride = 1;
    for (int k = a->rank - 1; k >= 0; k--) {
        long n = (s->high[k] - s->low[k] + s->step[k] - 1) / s->step[k];
        if (n <= 0) return -1;
        index += (s->low[k] + i % n * s->step[k]) * stride;
        i /= n;
        stride *= a->shape[k];
    }
    return i ? -1 : index;
}

static Array *ref_sliced(Reference *r, Array *a, const RefSlice *s) {
    long shape[REF_RANK];
    int rank = 0;
    for (int i = 0; i < a->rank; i++) {
        long n = (s->high[i] - s->low[i] + s->step[i] - 1) / s->step[i];
        if (!s->gone[i]) shape[rank++] = n < 0 ? 0 : n;
    }
    Array *out = ref_new(r, rank, shape);
    for (long i = 0; i < out->count; i++) out->v[i] = a->v[ref_slice_index(a, s, i)];
    return out;
}

/* ---- parsing: precedence climbing, values at once ---- */

static Array *ref_expression(Reference *r, int least);

static void ref_space(Reference *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool ref_accept(Reference *r, const char *text) {
    ref_space(r);
    size_t length = strlen(text);
    if (strncmp(r->at, text, length)) return false;
    r->at += length;
    return true;
}

static void ref_expect(Reference *r, const char *text) {
    if (!ref_accept(r, text)) ref_fail(r, "expected '%s' at '%.20s'", text, r->at);
}

static bool ref_name(Reference *r, char *name) {
    ref_space(r);
    int n = 0;
    while ((isalnum((unsigned char)r->at[n]) || r->at[n] == '_') && n < 31) name[n] = r->at[n], n++;
    name[n] = 0;
    if (!n || isdigit((unsigned char)name[0])) return false;
    r->at += n;
    return true;
}

static long ref_bound(Reference *r, long missing, long length) {
    ref_space(r);
    if (strchr(":,]", *r->at)) return missing;
    long value = (long)ref_expression(r, 0)->v[0];
    return value < 0 ? value + length : value > length ? length : value;
}

static RefSlice ref_parse_slice(Reference *r, const Array *a) {
    RefSlice s = ref_whole(a);
    for (int i = 0; i < a->rank; i++) {
        s.low[i] = ref_bound(r, 0, a->shape[i]);
        if (ref_accept(r, ":")) {
            s.high[i] = ref_bound(r, a->shape[i], a->shape[i]);
            if (ref_accept(r, ":")) s.step[i] = ref_bound(r, 1, a->shape[i]);
            if (s.step[i] < 1) s.step[i] = 1;
        } else
            s.high[i] = s.low[i] + 1, s.gone[i] = true;
        if (!ref_accept(r, ",")) break;
    }
    ref_expect(r, "]");
    return s;
}

enum { REF_ARGS = 6 };

static Array *ref_call_across(Reference *r, const char *name, int count, Array **args,
                              bool *known) {
    static const char *const names[] = {"sum", "max", "min", "prod", "argmax", "argmin", "xor_sum"};
    static const char *const scans[] = {"cumsum", "cummax", "cummin", "cumprod"};
    long axis = count > 1 ? (long)args[1]->v[0] : 0;
    *known = true;
    for (int i = 0; i < REF_ACROSS_END; i++)
        if (!strcmp(name, names[i]))
            return ref_across(r, (RefAcross)i, args[0], axis, false, false);
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, scans[i]))
            return ref_across(r, (RefAcross)i, args[0], axis, true,
                              count > 2 && args[2]->v[0] != 0);
    *known = false;
    return NULL;
}

static Array *ref_call(Reference *r, const char *name, int count, Array **args) {
    bool known;
    Number ignored;
    if (!count) return ref_fail(r, "%s() of nothing", name);
    Array *across = ref_call_across(r, name, count, args, &known);
    if (known) return across;
    if (!strcmp(name, "where") && count == 3) {
        Array *out = ref_like(r, 3, args);
        for (long i = 0; i < out->count; i++) {
            Array *from = args[args[0]->v[ref_index(args[0], out, i)] != 0 ? 1 : 2];
            out->v[i] = from->v[ref_index(from, out, i)];
        }
        return out;
    }
    if (!strcmp(name, "arange")) {
        long n = (long)args[0]->v[0];
        Array *out = ref_new(r, 1, &n);
        for (long i = 0; i < n; i++) out->v[i] = (Number)i;
        return out;
    }
    if (!strcmp(name, "reshape") || !strcmp(name, "full")) {
        long shape[REF_RANK];
        for (int i = 1; i < count && i <= REF_RANK; i++) shape[i - 1] = (long)args[i]->v[0];
        if (name[0] == 'r') return ref_reshape(r, args[0], count - 1, shape);
        Array *out = ref_new(r, count - 1, shape);
        for (long i = 0; i < out->count; i++) out->v[i] = args[0]->v[0];
        return out;
    }
    if (!strcmp(name, "trans")) return ref_transpose(r, args[0]);
    if (!strcmp(name, "sort")) return ref_sort(r, args[0]);
    if (!strcmp(name, "philox") && count == 3)
        return ref_philox(r, args[0], args[1], (long)args[2]->v[0]);
    if (!strcmp(name, "histogram") && count == 2)
        return ref_histogram(r, args[0], (long)args[1]->v[0]);
    if (!strcmp(name, "take") && count == 2) return ref_take(r, args[0], args[1]);
    for (size_t i = 0; i < sizeof ref_ones / sizeof *ref_ones; i++) {
        if (strcmp(ref_ones[i].name, name)) continue;
        Array *out = ref_new(r, args[0]->rank, args[0]->shape);
        for (long k = 0; k < out->count; k++) out->v[k] = ref_ones[i].apply(args[0]->v[k]);
        return out;
    }
    if (ref_cast(name, 0, &ignored)) {
        Array *out = ref_new(r, args[0]->rank, args[0]->shape);
        for (long k = 0; k < out->count; k++) ref_cast(name, args[0]->v[k], &out->v[k]);
        return out;
    }
    if (count == 2 && ref_two(name, 1, 1) == ref_two(name, 1, 1))
        return ref_binary(r, name, args[0], args[1]);
    return ref_fail(r, "no function %s of %d arguments", name, count);
}

static Array *ref_primary(Reference *r) {
    char name[32];
    ref_space(r);
    if (ref_accept(r, "-")) return ref_binary(r, "-", ref_scalar(r, 0), ref_expression(r, 8));
    if (ref_accept(r, "~")) return ref_binary(r, "-", ref_scalar(r, -1), ref_expression(r, 8));
    Array *value;
    if (ref_accept(r, "(")) {
        value = ref_expression(r, 0);
        ref_expect(r, ")");
    } else if (ref_name(r, name)) {
        if (ref_accept(r, "(")) {
            Array *args[REF_ARGS];
            int count = 0;
            while (!ref_accept(r, ")") && !r->error[0]) {
                if (count == REF_ARGS) return ref_fail(r, "too many arguments");
                args[count++] = ref_expression(r, 0);
                if (!ref_accept(r, ",")) {
                    ref_expect(r, ")");
                    break;
                }
            }
            value = r->error[0] ? ref_scalar(r, 0) : ref_call(r, name, count, args);
        } else if (!strcmp(name, "inf"))
            value = ref_scalar(r, INFINITY);
        else if (!strcmp(name, "nan"))
            value = ref_scalar(r, NAN);
        else if (!(value = ref_get(r, name)))
            return ref_fail(r, "unknown name '%s'", name);
    } else {
        char *end;
        Number number = strtold(r->at, &end);
        if (end == r->at) return ref_fail(r, "expected a value at '%.20s'", r->at);
        r->at = end;
        value = ref_scalar(r, number);
    }
    while (!r->error[0] && ref_accept(r, "[")) {
        RefSlice slice = ref_parse_slice(r, value);
        value = ref_sliced(r, value, &slice);
    }
    return value;
}

/* Longer operators first; levels as in Python. */
static const struct {
    const char *text;
    int level;
} ref_operators[] = {
    {"==", 1}, {"!=", 1}, {"<=", 1}, {">=", 1}, {"<<", 5}, {">>", 5}, {"**", 9},
    {"//", 7}, {"<", 1},  {">", 1},  {"|", 2},  {"^", 3},  {"&", 4},  {"+", 6},
    {"-", 6},  {"*", 7},  {"/", 7},  {"%", 7},  {"@", 7},
};

static Array *ref_expression(Reference *r, int least) {
    Array *left = ref_primary(r);
    while (!r->error[0]) {
        size_t i = 0, count = sizeof ref_operators / sizeof *ref_operators;
        ref_space(r);
        while (i < count && strncmp(r->at, ref_operators[i].text, strlen(ref_operators[i].text)))
            i++;
        if (i == count || ref_operators[i].level < least) break;
        r->at += strlen(ref_operators[i].text);
        Array *right = ref_expression(r, ref_operators[i].level + (ref_operators[i].level != 9));
        left = ref_operators[i].text[0] == '@' ? ref_matmul(r, left, right)
                                               : ref_binary(r, ref_operators[i].text, left, right);
    }
    return left;
}

#endif
