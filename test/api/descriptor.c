// SPDX-License-Identifier: Apache-2.0
/* Tensor descriptors: what Triton requires of one, at each limit, and what a launch and a signature
 * get of it. */
#include "tern.h"
#include "test.h"

#define FINE                                                                                       \
    {                                                                                              \
        .dtype = TERN_FLOAT16, .rank = 3, .shape = {7, 5, 100}, .strides = {1024, 128, 1},         \
        .block = {                                                                                 \
            1,                                                                                     \
            2,                                                                                     \
            8                                                                                      \
        }                                                                                          \
    }

static const char rank[] = "it has 1 to 5 dimensions", dtype[] = "its dtype is none",
                  pads[] = "it pads with NaN, but is not of floats",
                  base[] = "its base is not aligned to 16 bytes",
                  contiguous[] = "its last dimension is not contiguous",
                  shape[] = "its shape is not of 32-bit sizes",
                  block[] = "its block is not of powers of two",
                  range[] = "a stride is out of range",
                  strides[] = "its strides are not multiples of 16 bytes",
                  small[] = "its block has less than 16 bytes in the last dimension";

/* Changes one thing of a descriptor that is in order. */
#define ERROR(change, want)                                                                        \
    do {                                                                                           \
        tern_descriptor d = FINE;                                                                  \
        change;                                                                                    \
        const char *said = tern_descriptor_error(&d), *wanted = (want);                            \
        CHECK_STR(said ? said : "none", wanted ? wanted : "none");                                 \
    } while (0)

TEST(a_descriptor_is_in_order) {
    ERROR((void)d, NULL);
    ERROR(d.rank = 0, rank);
    ERROR(d.rank = -1, rank);
    ERROR(d.rank = 6, rank);
    ERROR(d.rank = 1, contiguous);
    ERROR((d.rank = 1, d.strides[0] = 1, d.block[0] = 8), NULL);
    ERROR(d.dtype = TERN_VOID, dtype);
    ERROR(d.dtype = (tern_dtype)99, dtype);
    ERROR(d.pads_nan = true, NULL);
    ERROR((d.pads_nan = true, d.dtype = TERN_INT16), pads);
    ERROR(d.dtype = TERN_INT16, NULL);
    ERROR(d.offset = 8, base);
    ERROR(d.offset = 15, base);
    ERROR(d.offset = 17, base);
    ERROR(d.offset = 48, NULL);
    ERROR(d.strides[2] = 2, contiguous);
    ERROR(d.strides[2] = 0, contiguous);
    ERROR(d.shape[0] = -1, shape);
    ERROR(d.shape[2] = -1, shape);
    ERROR(d.shape[1] = 0, NULL);
    ERROR(d.shape[1] = INT32_MAX, NULL);
    ERROR(d.shape[1] = (int64_t)INT32_MAX + 1, shape);
    ERROR(d.block[0] = 0, block);
    ERROR(d.block[1] = -2, block);
    ERROR(d.block[1] = 3, block);
    ERROR(d.block[2] = 12, block);
    ERROR(d.block[1] = 1 << 30, NULL);
    ERROR(d.block[2] = 4, small);
    ERROR(d.block[2] = 16, NULL);
    ERROR((d.block[2] = 4, d.dtype = TERN_FLOAT32), NULL);
    ERROR((d.block[2] = 8, d.dtype = TERN_INT8), small);
    ERROR((d.block[2] = 16, d.dtype = TERN_INT8), NULL);
    ERROR(d.strides[0] = -1024, range);
    ERROR(d.strides[1] = -8, range);
    ERROR(d.strides[1] = 0, NULL);
    ERROR(d.strides[0] = INT64_MAX / 16 / 8 * 8, NULL);
    ERROR(d.strides[0] = INT64_MAX / 16 + 1, range);
    ERROR(d.strides[0] = 1028, strides);
    ERROR(d.strides[1] = 4, strides);
    ERROR((d.strides[1] = 4, d.dtype = TERN_FLOAT32), NULL);
    ERROR((d.strides[1] = 2, d.dtype = TERN_FLOAT64), NULL);
}

TEST(its_type) {
    tern_descriptor d = FINE;
    char text[80];
    CHECK(tern_descriptor_type(&d, text, sizeof text) == (int)strlen(text));
    CHECK_STR(text, "tensordesc<fp16[1,2,8]>");
    d.shape[2] = 104; /* ends with 16 bytes */
    tern_descriptor_type(&d, text, sizeof text);
    CHECK_STR(text, "tensordesc<fp16[1,2,8]:16>");
    d.rank = 1, d.block[0] = 1024, d.dtype = TERN_UINT8;
    CHECK(tern_descriptor_type(&d, text, sizeof text) == (int)strlen(text));
    CHECK_STR(text, "tensordesc<u8[1024]>");
    d.pads_nan = true;
    tern_descriptor_type(&d, text, sizeof text);
    CHECK_STR(text, "tensordesc<u8[1024]:nan>");
    CHECK(tern_descriptor_type(&d, text, 5) == 24);
    CHECK_STR(text, "tens");
    /* Of no rank that there is, nothing is known of its last dimension. */
    d = (tern_descriptor){.rank = 0, .dtype = TERN_INT64};
    tern_descriptor_type(&d, text, sizeof text);
    CHECK_STR(text, "tensordesc<i64[]>");
    /* Five of the longest there are. */
    tern_descriptor most = {.rank = 9, .dtype = TERN_FLOAT8E4M3};
    for (int i = 0; i < 5; i++) most.block[i] = -2147483647 - 1;
    char want[200];
    snprintf(want, sizeof want, "tensordesc<%s[%d,%d,%d,%d,%d]>", tern_dtype_name(most.dtype),
             most.block[0], most.block[0], most.block[0], most.block[0], most.block[0]);
    char longest[200];
    tern_descriptor_type(&most, longest, sizeof longest);
    CHECK_STR(longest, want);
}

TEST(its_arguments) {
    for (int count = 1; count <= 6; count++) {
        tern_descriptor d = FINE;
        tern_argument arguments[2 * TERN_DESCRIPTOR_RANK + 1];
        memset(arguments, 0x55, sizeof arguments);
        int used = count < 5 ? count : 5;
        d.rank = count, d.offset = 32, d.base = (tern_buffer *)&d;
        for (int i = 0; i < 5; i++) d.shape[i] = 10 + i, d.strides[i] = 20 + i;
        CHECK(tern_descriptor_arguments(&d, arguments) == 2 * used);
        CHECK(arguments[0].kind == TERN_ARGUMENT_BUFFER && arguments[0].buffer == d.base);
        CHECK(arguments[0].offset == 32);
        for (int i = 0; i < used; i++)
            CHECK(arguments[1 + i].kind == TERN_ARGUMENT_INT && arguments[1 + i].integer == 10 + i);
        for (int i = 0; i + 1 < used; i++)
            CHECK(arguments[1 + used + i].kind == TERN_ARGUMENT_INT &&
                  arguments[1 + used + i].integer == 20 + i);
        unsigned char untouched[sizeof *arguments];
        memset(untouched, 0x55, sizeof untouched);
        CHECK(!memcmp(&arguments[2 * used], untouched, sizeof untouched));
    }
}

TEST_MAIN()
