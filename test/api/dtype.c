// SPDX-License-Identifier: Apache-2.0
/* Element types: their names, sizes and conversions, against C's own types. */
#include "tern.h"
#include "test.h"

typedef struct Row {
    tern_dtype dtype;
    int size, bits;
    bool is_float, is_signed;
    const char *name, *names; /* Triton's; all, apart by spaces */
} Row;

static const Row rows[] = {
    {TERN_BOOL, 1, 1, false, false, "i1", "i1 bool int1 tl.int1 torch.bool"},
    {TERN_INT8, 1, 8, false, true, "i8", "i8 int8 tl.int8 torch.int8 np.int8 numpy.int8"},
    {TERN_INT16, 2, 16, false, true, "i16", "i16 int16 torch.int16"},
    {TERN_INT32, 4, 32, false, true, "i32", "i32 int32 torch.int32 tl.int32"},
    {TERN_INT64, 8, 64, false, true, "i64", "i64 int64 torch.int64"},
    {TERN_UINT8, 1, 8, false, false, "u8", "u8 uint8 torch.uint8"},
    {TERN_UINT16, 2, 16, false, false, "u16", "u16 uint16"},
    {TERN_UINT32, 4, 32, false, false, "u32", "u32 uint32"},
    {TERN_UINT64, 8, 64, false, false, "u64", "u64 uint64"},
    {TERN_FLOAT8E4M3, 1, 8, true, true, NULL, "float8_e4m3fn"},
    {TERN_FLOAT8E5M2, 1, 8, true, true, NULL, "float8_e5m2"},
    {TERN_FLOAT8E4B15, 1, 8, true, true, NULL, ""},
    {TERN_FLOAT16, 2, 16, true, true, "fp16", "fp16 float16 torch.float16 np.float16"},
    {TERN_BFLOAT16, 2, 16, true, true, "bf16", "bf16 bfloat16 torch.bfloat16"},
    {TERN_FLOAT32, 4, 32, true, true, "fp32", "fp32 float32 torch.float32 tl.float32"},
    {TERN_FLOAT64, 8, 64, true, true, "fp64", "fp64 float64 torch.float64"},
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

TEST(sizes_and_names) {
    for (int i = 0; i < NUM_ROWS; i++) {
        const Row *r = &rows[i];
        CHECK(tern_dtype_size(r->dtype) == (size_t)r->size);
        CHECK(tern_dtype_is_float(r->dtype) == r->is_float);
        CHECK(tern_dtype_is_signed(r->dtype) == r->is_signed);
        if (r->name) CHECK_STR(tern_dtype_name(r->dtype), r->name);
        CHECK(tern_dtype_from_name(tern_dtype_name(r->dtype)) == r->dtype);
        char names[200];
        snprintf(names, sizeof names, "%s", r->names);
        for (char *at = strtok(names, " "); at; at = strtok(NULL, " ")) {
            CHECK(tern_dtype_from_name(at) == r->dtype);
            char cut[80], more[80];
            snprintf(cut, sizeof cut, "%.*s", (int)strlen(at) - 1, at);
            snprintf(more, sizeof more, "%s0", at);
            CHECK(tern_dtype_from_name(cut) != r->dtype && tern_dtype_from_name(more) != r->dtype);
        }
    }
    static const char *const none[] = {"",     " ",      "void",        "float 32",  "fp",
                                       "32",   "torch.", "tl.",         "np.",       "torch",
                                       "i32 ", " i32",   "int32 torch", "tl.np.int8"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(tern_dtype_from_name(none[i]) == TERN_VOID);
    CHECK(tern_dtype_from_name(NULL) == TERN_VOID);
}

TEST(types_that_are_none) {
    static const int none[] = {TERN_VOID, -1, NUM_ROWS + 1, 100, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        tern_dtype dtype = (tern_dtype)none[i];
        unsigned char element[8] = {1, 2, 3, 4, 5, 6, 7, 8}, same[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        CHECK(tern_dtype_size(dtype) == 0 && !tern_dtype_is_float(dtype));
        CHECK(!tern_dtype_is_signed(dtype));
        CHECK_STR(tern_dtype_name(dtype), "void");
        CHECK(tern_element_double(dtype, element) == 0 && tern_element_int(dtype, element) == 0);
        tern_element_set_double(dtype, element, 5);
        tern_element_set_int(dtype, element, 5);
        tern_convert(dtype, same, TERN_INT64, element, 1);
        tern_convert(TERN_INT64, same, dtype, element, 1);
        CHECK(!memcmp(element, same, 8));
    }
}

/* ---- elements ---- */

static const double doubles[] = {0,
                                 -0.0,
                                 0.4,
                                 -0.4,
                                 0.5,
                                 0.999,
                                 1,
                                 -1,
                                 1.5,
                                 -1.5,
                                 2.5,
                                 100.7,
                                 127,
                                 127.5,
                                 128,
                                 -128,
                                 -128.9,
                                 -129,
                                 255,
                                 255.9,
                                 256,
                                 300,
                                 -300,
                                 32767,
                                 32768,
                                 -32768,
                                 -32769,
                                 65535,
                                 65536,
                                 1e6,
                                 -1e6,
                                 2147483647.0,
                                 2147483648.0,
                                 -2147483648.0,
                                 -2147483649.0,
                                 4294967295.0,
                                 4294967296.0,
                                 1e15,
                                 9007199254740993.0,
                                 9223372036854774784.0,
                                 9223372036854775808.0,
                                 -9223372036854775808.0,
                                 -9223372036854777856.0,
                                 18446744073709549568.0,
                                 18446744073709551616.0,
                                 1e30,
                                 -1e30,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};
enum { NUM_DOUBLES = sizeof doubles / sizeof *doubles };

__extension__ typedef __int128 Wide;

/* Toward 0, saturated, NaN is 0. */
static Wide whole_of(const Row *r, double value) {
    Wide most = ((Wide)1 << (r->bits - r->is_signed)) - 1, least = r->is_signed ? -most - 1 : 0;
    if (isnan(value)) return 0;
    if (value >= 1e20) return most;
    if (value <= -1e20) return least;
    Wide whole = (Wide)value;
    return whole > most ? most : whole < least ? least : whole;
}

static Wide number_in(const Row *r, uint64_t bits) {
    int unused = 64 - 8 * r->size;
    return r->is_signed ? (Wide)((int64_t)(bits << unused) >> unused)
                        : (Wide)(bits << unused >> unused);
}

static uint64_t stored(const Row *r, const unsigned char *element) {
    uint64_t bits = 0;
    memcpy(&bits, element, (size_t)r->size);
    for (int i = r->size; i < 16; i++) CHECK(element[i] == 0x5a); /* no byte more */
    return bits;
}

TEST(doubles_into_ints_saturate) {
    for (int i = 0; i < NUM_ROWS; i++)
        for (int k = 0; k < NUM_DOUBLES && !rows[i].is_float; k++) {
            const Row *r = &rows[i];
            unsigned char element[16];
            memset(element, 0x5a, sizeof element);
            tern_element_set_double(r->dtype, element, doubles[k]);
            uint64_t bits = stored(r, element);
            Wide want = r->dtype == TERN_BOOL ? (Wide)(doubles[k] != 0) : whole_of(r, doubles[k]);
            bool is_right = number_in(r, bits) == want;
            CHECK(is_right);
            if (!is_right)
                printf("%s of %g: %llx\n", r->names, doubles[k], (unsigned long long)bits);
            CHECK(tern_element_double(r->dtype, element) == (double)want);
            CHECK(tern_element_int(r->dtype, element) == (int64_t)want);
        }
}

TEST(ints_wrap) {
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   2,
                                   127,
                                   128,
                                   255,
                                   256,
                                   -128,
                                   -129,
                                   32768,
                                   65535,
                                   65536,
                                   INT32_MAX,
                                   INT32_MIN,
                                   (int64_t)1 << 32,
                                   ((int64_t)1 << 53) + 1,
                                   INT64_MAX,
                                   INT64_MIN};
    for (int i = 0; i < NUM_ROWS; i++)
        for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
            const Row *r = &rows[i];
            unsigned char element[16], by_double[16];
            memset(element, 0x5a, sizeof element), memset(by_double, 0x5a, sizeof by_double);
            tern_element_set_int(r->dtype, element, ints[k]);
            uint64_t bits = stored(r, element);
            if (r->is_float) {
                tern_element_set_double(r->dtype, by_double, (double)ints[k]);
                CHECK(!memcmp(element, by_double, 16));
                continue;
            }
            Wide want =
                r->dtype == TERN_BOOL ? (Wide)(ints[k] != 0) : number_in(r, (uint64_t)ints[k]);
            CHECK(number_in(r, bits) == want &&
                  tern_element_int(r->dtype, element) == (int64_t)want);
            CHECK(tern_element_double(r->dtype, element) == (double)want);
        }
    unsigned char two = 2; /* any byte but 0 is true */
    CHECK(tern_element_int(TERN_BOOL, &two) == 1 && tern_element_double(TERN_BOOL, &two) == 1);
}

TEST(floats_are_cs) {
    for (int k = 0; k < NUM_DOUBLES; k++) {
        float single = (float)doubles[k], got;
        double twice;
        tern_element_set_double(TERN_FLOAT32, &got, doubles[k]);
        CHECK(isnan(single) ? isnan(got) : !memcmp(&got, &single, 4));
        double back = tern_element_double(TERN_FLOAT32, &single);
        CHECK(isnan(single) ? isnan(back) : back == (double)single);
        tern_element_set_double(TERN_FLOAT64, &twice, doubles[k]);
        CHECK(isnan(twice) ? isnan(doubles[k]) : !memcmp(&twice, &doubles[k], 8));
        CHECK(tern_element_int(TERN_FLOAT64, &twice) == (int64_t)whole_of(&rows[4], doubles[k]));
        CHECK(tern_element_int(TERN_FLOAT32, &single) ==
              (int64_t)whole_of(&rows[4], (double)single));
    }
}

/* As one element after the other, by ints between ints and by doubles else; the same type keeps its
 * bits. */
TEST(converted_arrays) {
    enum { COUNT_OF = 37 };
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < NUM_ROWS; i++)
        for (int k = 0; k < NUM_ROWS; k++) {
            unsigned char from[COUNT_OF * 8], to[COUNT_OF * 8 + 8], want[COUNT_OF * 8 + 8];
            for (size_t b = 0; b < sizeof from; b++) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                from[b] = (unsigned char)(state >> 32);
            }
            memset(to, 0x11, sizeof to), memset(want, 0x11, sizeof want);
            const Row *a = &rows[i], *b = &rows[k];
            for (int e = 0; e < COUNT_OF; e++) {
                const unsigned char *in = from + e * a->size;
                unsigned char *out = want + e * b->size;
                if (i == k)
                    memcpy(out, in, (size_t)a->size);
                else if (!a->is_float && !b->is_float)
                    tern_element_set_int(b->dtype, out, tern_element_int(a->dtype, in));
                else
                    tern_element_set_double(b->dtype, out, tern_element_double(a->dtype, in));
            }
            tern_convert(a->dtype, from, b->dtype, to, COUNT_OF);
            CHECK(!memcmp(to, want, sizeof to));
            tern_convert(a->dtype, from, b->dtype, to, 0);
            if (a->size != b->size) continue;
            tern_convert(a->dtype, from, b->dtype, from, COUNT_OF); /* in place */
            CHECK(!memcmp(from, want, (size_t)(COUNT_OF * b->size)));
        }
}

TEST_MAIN()
