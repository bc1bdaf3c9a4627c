// SPDX-License-Identifier: Apache-2.0
/* Arenas, strings, growable arrays, maps; the carets of diagnostics; conversions of floats, against
 * references that share nothing with float.c: exhaustive search, and the compiler's own types. */
#include "base/diag.h"
#include "base/float.h"
#include "test.h"

#include <locale.h>

TEST(arena_aligns_and_zeroes) {
    Arena *arena = arena_new(NULL);
    for (size_t size = 0; size < 300; size += 7) {
        char *p = arena_alloc(arena, size);
        CHECK((uintptr_t)p % 16 == 0);
        for (size_t i = 0; i < size; i++) CHECK(p[i] == 0);
        memset(p, 0xee, size);
    }
    char *large = arena_alloc(arena, 10 << 20);
    large[(10 << 20) - 1] = 1;
    CHECK(arena_used(arena) > 10 << 20);
    arena_free(arena);
    arena_free(NULL);
}

TEST(arena_unwinds_when_a_size_overflows) {
    jmp_buf oom;
    Arena *volatile arena = arena_new(NULL);
    volatile int caught = 0;
    arena_set_oom(arena, &oom);
    if (setjmp(oom))
        caught++;
    else
        arena_alloc_array(arena, SIZE_MAX / 2, 16);
    CHECK(caught == 1);
    if (setjmp(oom))
        caught++;
    else
        arena_alloc(arena, SIZE_MAX - 3);
    CHECK(caught == 2);
    arena_free(arena);
}

TEST(vectors_grow_and_keep) {
    Arena *arena = arena_new(NULL);
    VEC(int) numbers = {0};
    for (int i = 0; i < 10000; i++) vec_push(arena, &numbers, i * 3);
    CHECK(numbers.count == 10000);
    for (int i = 0; i < 10000; i++) CHECK(numbers.data[i] == i * 3);
    arena_free(arena);
}

TEST(maps_find_strings_and_pointers) {
    Arena *arena = arena_new(NULL);
    Map map = {.arena = arena};
    static int values[2000];
    CHECK(map_get(&map, STR("x")) == NULL);
    for (int i = 0; i < 1000; i++) {
        map_set(&map, str_format(arena, "key %d", i), &values[i]);
        map_set_pointer(&map, &values[i], &values[1000 + i]);
    }
    for (int i = 0; i < 1000; i++) {
        CHECK(map_get(&map, str_format(arena, "key %d", i)) == &values[i]);
        CHECK(map_get_pointer(&map, &values[i]) == &values[1000 + i]);
    }
    CHECK(map_get(&map, STR("key 1000")) == NULL);
    CHECK(map_get_pointer(&map, &values[1000]) == NULL);
    map_set(&map, STR("key 7"), &values[1]);
    CHECK(map_get(&map, STR("key 7")) == &values[1] && map.count == 2000);
    map_set(&map, STR(""), &values[2]);
    CHECK(map_get(&map, STR("")) == &values[2]);
    arena_free(arena);
}

TEST(strings_compare) {
    CHECK(str_equal(STR("abc"), str_of("abc")) && !str_equal(STR("abc"), STR("abd")));
    CHECK(str_starts(STR("tl.load"), "tl.") && !str_starts(STR("t"), "tl."));
    CHECK(str_ends(STR("a.py"), ".py") && !str_ends(STR("y"), ".py"));
    CHECK(str_equal((Str){NULL, 0}, STR("")));
}

static char *printed(Arena *arena, const char *text, int start, int end, int caret) {
    Diag diag = {.arena = arena};
    Source *source = source_new(arena, STR("k.py"), str_of(text));
    diag_error(&diag, (Span){source, start, end}, "shapes do not broadcast");
    if (caret >= 0) diag_set_caret(&diag, caret);
    Buf out = {.arena = arena};
    diag_print(&diag, false, &out);
    return out.data;
}

TEST(carets_stand_under_the_text) {
    Arena *arena = arena_new(NULL);
    CHECK_STR(printed(arena, "a = 1\ny = tl.exp(x - m)\n", 17, 22, 19),
              "k.py:2:12: error: shapes do not broadcast\n"
              "   2 | y = tl.exp(x - m)\n"
              "     |            ~~^~~\n");
    CHECK_STR(printed(arena, "\ty = m", 5, 6, -1), "k.py:1:6: error: shapes do not broadcast\n"
                                                   "   1 |  y = m\n"
                                                   "     |      ^\n");
    CHECK_STR(printed(arena, "x = \xc3\xa9 + m", 9, 10, -1),
              "k.py:1:10: error: shapes do not broadcast\n"
              "   1 | x = \xc3\xa9 + m\n"
              "     |         ^\n");
    /* A span that runs on to the next line stops at the end of its first. */
    CHECK_STR(printed(arena, "f(a,\n  b)", 0, 9, -1), "k.py:1:1: error: shapes do not broadcast\n"
                                                      "   1 | f(a,\n"
                                                      "     | ^~~~\n");
    CHECK_STR(printed(arena, "", 0, 0, -1), "k.py:1:1: error: shapes do not broadcast\n"
                                            "   1 | \n"
                                            "     | ^\n");
    arena_free(arena);
}

TEST(errors_are_counted_but_not_kept_without_end) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    for (int i = 0; i < 50; i++) diag_error(&diag, (Span){0}, "number %d", i);
    Buf out = {.arena = arena};
    diag_print(&diag, false, &out);
    CHECK(diag_failed(&diag) && diag.num_errors == 50);
    CHECK(strstr(out.data, "number 19\n") && !strstr(out.data, "number 20\n"));
    CHECK(strstr(out.data, "and 30 more errors\n") != NULL);
    arena_free(arena);
}

/* ---- floats ---- */

typedef struct Reference {
    FloatKind kind;
    int exponent_bits, mantissa_bits, bias;
    bool has_infinity, saturates;
    uint64_t largest;
} Reference;

/* Written from the formats' definitions: OCP 8-bit floating point 1.0 for e4m3 and e5m2, IEEE 754,
 * bfloat16 as truncated f32, and e4b15 as e4m3 with bias 15 and no special values. */
static const Reference references[] = {
    {FLOAT_F8E4M3, 4, 3, 7, false, true, 0x7e},   {FLOAT_F8E5M2, 5, 2, 15, true, true, 0x7b},
    {FLOAT_F8E4B15, 4, 3, 15, false, true, 0x7f}, {FLOAT_F16, 5, 10, 15, true, false, 0x7bff},
    {FLOAT_BF16, 8, 7, 127, true, false, 0x7f7f},
};

static double reference_decode(const Reference *r, uint64_t bits) {
    int exponent = (int)(bits >> r->mantissa_bits) & ((1 << r->exponent_bits) - 1);
    double fraction = (double)(bits & ((1u << r->mantissa_bits) - 1)) / (1 << r->mantissa_bits);
    double magnitude =
        exponent ? (1 + fraction) * pow(2, exponent - r->bias) : fraction * pow(2, 1 - r->bias);
    return bits >> (r->exponent_bits + r->mantissa_bits) ? -magnitude : magnitude;
}

/* The nearest of all numbers of the format, ties to the even pattern. */
static uint64_t reference_encode(const Reference *r, double value, bool toward_zero) {
    uint64_t sign = signbit(value) ? 1ull << (r->exponent_bits + r->mantissa_bits) : 0;
    double magnitude = fabs(value), largest = reference_decode(r, r->largest);
    uint64_t low = 0, high = r->largest;
    if (isinf(value)) return sign | (r->saturates ? r->largest : r->largest + 1);
    if (magnitude >= largest) {
        double above = largest + (largest - reference_decode(r, r->largest - 1)) / 2;
        bool is_infinite = !r->saturates && !toward_zero && magnitude >= above;
        return sign | (is_infinite ? r->largest + 1 : r->largest);
    }
    while (high - low > 1) { /* patterns of positive numbers are in order */
        uint64_t middle = (low + high) / 2;
        if (reference_decode(r, middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    double below = magnitude - reference_decode(r, low),
           above = reference_decode(r, high) - magnitude;
    if (toward_zero || below < above || (below == above && low % 2 == 0)) return sign | low;
    return sign | high;
}

static uint64_t state = 12345;
static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static double random_double(const Reference *r) {
    uint64_t bits = random_bits();
    double value;
    if (bits & 1) { /* near two neighbours, and exactly between them */
        uint64_t pattern = bits >> 8 & ((1ull << (r->exponent_bits + r->mantissa_bits)) - 1);
        if (pattern >= r->largest) pattern = r->largest - 1;
        double a = reference_decode(r, pattern), b = reference_decode(r, pattern + 1);
        value = (a + b) / 2;
        if (bits & 2) value = nextafter(value, bits & 4 ? 1e300 : 0);
    } else {
        value = ldexp((double)(bits >> 11), (int)(random_bits() % 400) - 250);
    }
    return bits & 8 ? -value : value;
}

TEST(floats_decode_as_defined) {
    for (int i = 0; i < COUNT(references); i++) {
        const Reference *r = &references[i];
        int width = 1 + r->exponent_bits + r->mantissa_bits;
        CHECK(float_bits(r->kind) == width);
        for (uint64_t bits = 0; bits < 1ull << width; bits++) {
            uint64_t magnitude = bits & ((1ull << (width - 1)) - 1);
            double got = float_decode(r->kind, bits);
            if (magnitude <= r->largest) {
                CHECK(got == reference_decode(r, bits) &&
                      signbit(got) == (int)(bits >> (width - 1)));
                CHECK(float_encode(r->kind, got, FLOAT_NEAREST_EVEN) == bits);
            } else if (r->has_infinity && magnitude == r->largest + 1) {
                CHECK(isinf(got));
            } else {
                CHECK(isnan(got));
            }
        }
    }
}

TEST(floats_round_once) {
    for (int i = 0; i < COUNT(references); i++) {
        const Reference *r = &references[i];
        int wrong = 0;
        for (int n = 0; n < 40000; n++) {
            double value = random_double(r);
            wrong += float_encode(r->kind, value, FLOAT_NEAREST_EVEN) !=
                     reference_encode(r, value, false);
            wrong +=
                float_encode(r->kind, value, FLOAT_TOWARD_ZERO) != reference_encode(r, value, true);
        }
        CHECK(wrong == 0);
        CHECK(float_encode(r->kind, -0.0, FLOAT_NEAREST_EVEN) == 1ull << (float_bits(r->kind) - 1));
        CHECK(float_encode(r->kind, INFINITY, FLOAT_NEAREST_EVEN) ==
              reference_encode(r, INFINITY, false));
        CHECK(float_encode(r->kind, -INFINITY, FLOAT_TOWARD_ZERO) ==
              reference_encode(r, -INFINITY, true));
        bool has_nan = r->kind != FLOAT_F8E4B15;
        CHECK(isnan(float_decode(r->kind, float_encode(r->kind, NAN, FLOAT_NEAREST_EVEN))) ==
              has_nan);
    }
    /* 1 + 2^-11 + 2^-40 in f16: through f32 it would be a tie and round down. */
    CHECK(float_encode(FLOAT_F16, 1 + ldexp(1, -11) + ldexp(1, -40), FLOAT_NEAREST_EVEN) == 0x3c01);
    CHECK(float_encode(FLOAT_F8E4M3, 1e9, FLOAT_NEAREST_EVEN) == 0x7e);
    CHECK(float_decode(FLOAT_F8E4M3, 0x7e) == 448 && float_decode(FLOAT_F8E5M2, 0x7b) == 57344);
}

static uint32_t f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TEST(f32_is_the_machines) {
    for (int n = 0; n < 200000; n++) {
        uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (n & 1) value = ldexp((double)(int64_t)bits, (int)(random_bits() % 300) - 220);
        if (isnan(value)) continue;
        CHECK(float_encode(FLOAT_F32, value, FLOAT_NEAREST_EVEN) == f32_bits((float)value));
        uint32_t pattern = (uint32_t)random_bits();
        float single;
        memcpy(&single, &pattern, sizeof single);
        if (!isnan(single)) CHECK(float_decode(FLOAT_F32, pattern) == (double)single);
        CHECK(float_from_signed(FLOAT_F32, (int64_t)bits) == f32_bits((float)(int64_t)bits));
        CHECK(float_from_unsigned(FLOAT_F32, bits) == f32_bits((float)bits));
        double whole = (double)bits;
        uint64_t whole_bits;
        memcpy(&whole_bits, &whole, sizeof whole);
        CHECK(float_from_unsigned(FLOAT_F64, bits) == whole_bits);
    }
}

#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 Half;
static uint64_t f16_bits(Half value) {
    uint16_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
TEST(f16_is_the_compilers) {
    for (int n = 0; n < 100000; n++) {
        uint64_t bits = random_bits();
        double value = ldexp((double)(int64_t)bits, (int)(bits % 60) - 90);
        CHECK(float_encode(FLOAT_F16, value, FLOAT_NEAREST_EVEN) == f16_bits((Half)value));
    }
}
#endif

TEST(fma_rounds_once) {
    /* a * b + c is exact in long double when the exponents are near: 22 + 11 bits and a distance.
     */
    for (int n = 0; n < 200000; n++) {
        uint64_t bits = random_bits();
        uint64_t a = (bits & 0x3ff) | 0x3c00, b = (bits >> 10 & 0x3ff) | 0x3c00;
        uint64_t c = (bits >> 20 & 0x3ff) | (bits >> 30 & 31) << 10 | (bits >> 40 & 1) << 15;
        if ((c >> 10 & 31) == 31) continue;
        long double exact = (long double)float_decode(FLOAT_F16, a) * float_decode(FLOAT_F16, b) +
                            float_decode(FLOAT_F16, c);
        /* From long double to f16 in one step, by asking on which side of a tie it is. */
        double near = (double)exact;
        if ((long double)near != exact) {
            double step = nextafter(near, exact > (long double)near ? 1e300 : -1e300);
            if (float_encode(FLOAT_F16, near, FLOAT_NEAREST_EVEN) !=
                float_encode(FLOAT_F16, step, FLOAT_NEAREST_EVEN))
                near = (near + step) / 2 == near ? step : near;
        }
        CHECK(float_fma(FLOAT_F16, a, b, c) == float_encode(FLOAT_F16, near, FLOAT_NEAREST_EVEN));
    }
    /* bf16: 1.5 * 1.359375 lies between 130/64 and 131/64; 2^-100 more, which a double would lose,
     * decides. */
    uint64_t x = float_encode(FLOAT_BF16, 1.5, FLOAT_NEAREST_EVEN);
    uint64_t y = float_encode(FLOAT_BF16, 1.359375, FLOAT_NEAREST_EVEN);
    uint64_t tiny = float_encode(FLOAT_BF16, ldexp(1, -100), FLOAT_NEAREST_EVEN);
    CHECK(float_decode(FLOAT_BF16, float_fma(FLOAT_BF16, x, y, 0)) == 130.0 / 64);
    CHECK(float_decode(FLOAT_BF16, float_fma(FLOAT_BF16, x, y, tiny)) == 131.0 / 64);
    CHECK(float_decode(FLOAT_BF16, float_fma(FLOAT_BF16, x, y, tiny | 0x8000)) == 130.0 / 64);
}

static bool reads_back(FloatKind kind, uint64_t bits, Arena *arena) {
    Buf out = {.arena = arena};
    double value;
    float_print(&out, kind, bits);
    return float_parse(buf_str(&out), &value) &&
           float_encode(kind, value, FLOAT_NEAREST_EVEN) == bits;
}

TEST(printed_floats_read_back) {
    Arena *arena = arena_new(NULL);
    for (int n = 0; n < 20000; n++) {
        uint64_t bits = random_bits();
        if (!isnan(float_decode(FLOAT_F64, bits)) && !isinf(float_decode(FLOAT_F64, bits)))
            CHECK(reads_back(FLOAT_F64, bits, arena));
        bits &= 0xffffffff;
        if (!isnan(float_decode(FLOAT_F32, bits)) && !isinf(float_decode(FLOAT_F32, bits)))
            CHECK(reads_back(FLOAT_F32, bits, arena));
    }
    Buf out = {.arena = arena};
    float_print(&out, FLOAT_F32, f32_bits(0.1f));
    buf_putc(&out, ' ');
    float_print(&out, FLOAT_F64, 0x8000000000000000);
    buf_putc(&out, ' ');
    float_print(&out, FLOAT_F8E4M3, 0x7e);
    CHECK_STR(out.data, "0.1 -0.0 448.0");
    arena_free(arena);
}

TEST(ints_are_printed) {
    const int64_t rows[] = {0, 1, -1, 9, 10, -10, 1234567890123, INT64_MAX, INT64_MIN};
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(rows); i++) {
        Buf out = {.arena = arena};
        buf_int(&out, rows[i]);
        CHECK_STR(out.data, str_format(arena, "%lld", (long long)rows[i]).data);
    }
    arena_free(arena);
}

TEST(json_text_is_utf8) {
    const struct {
        Str text;
        const char *json;
    } rows[] = {
        {STR(""), "\"\""},
        {STR("a\"b\\c\n\t\r\x7f"), "\"a\\\"b\\\\c\\n\\t\\u000d\\u007f\""},
        {{"\0z", 2}, "\"\\u0000z\""},
        {STR("\u00e9\u20ac\U0001f600"), "\"\u00e9\u20ac\U0001f600\""},
        {STR("\xff|\x80"), "\"\\ufffd|\\ufffd\""},
        {STR("\xc0\xaf"), "\"\\ufffd\\ufffd\""},                       /* '/', too long */
        {STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""},            /* half a surrogate pair */
        {STR("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* over U+10FFFF */
        {{"\u20ac", 2}, "\"\\ufffd\\ufffd\""}, /* the third byte is not ours */
    };
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(rows); i++) {
        Buf out = {.arena = arena};
        buf_json(&out, rows[i].text);
        CHECK_STR(out.data, rows[i].json);
    }
    arena_free(arena);
}

TEST(text_that_is_no_number_is_refused) {
    double value;
    const char *const bad[] = {"",     "-",   "e5",  ".",   "1e",  "1..2",
                               "0x10", "nan", "inf", "1 2", "--1", "1e5e5"};
    for (int i = 0; i < COUNT(bad); i++) CHECK(!float_parse(str_of(bad[i]), &value));
    CHECK(float_parse(STR("-1.5e-3"), &value) && value == -1.5e-3);
    CHECK(float_parse(STR(".5"), &value) && value == 0.5);
}

TEST(the_locale_does_not_matter) {
    Arena *arena = arena_new(NULL);
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        SKIP("no locale with a comma installed");
    } else {
        CHECK(reads_back(FLOAT_F64, 0x3fb999999999999a, arena));
        setlocale(LC_NUMERIC, "C");
    }
    arena_free(arena);
}

TEST_MAIN()
