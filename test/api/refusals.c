// SPDX-License-Identifier: Apache-2.0
/* Every refusal of a launch: what the signature promises and what a launch may ask is checked, the
 * words say which argument, the nearest that is allowed goes through, and nothing runs
 * otherwise. */
#include "api/context.h"
#include "test.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def put(y, v):\n"
                             "    tl.store(y, v)\n"
                             "@triton.jit\n"
                             "def count(y):\n"
                             "    tl.atomic_add(y, 1)\n";

static tern_context *context, *other;
static tern_module *module;
static tern_buffer *y;

static void begin(void) {
    if (context) return;
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    other = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    module = tern_load_text(context, source, sizeof source - 1, "put.py");
    y = tern_alloc(context, 256);
    tern_fill(y, 0);
}

static tern_status launch(const char *function, const char *signature, const uint32_t grid[3],
                          const tern_argument *arguments, int count) {
    begin();
    tern_kernel *kernel = tern_compile(module, function, signature, NULL);
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel);
    if (!kernel) return TERN_ERROR_COMPILE;
    tern_status status = tern_launch(NULL, kernel, grid, arguments, count);
    tern_kernel_free(kernel);
    return status;
}

static const uint32_t one[3] = {1, 1, 1};

static tern_status put(const char *signature, tern_argument to, tern_argument value) {
    return launch("put", signature, one, (tern_argument[]){to, value}, 2);
}

static tern_argument raw(void *pointer) {
    return (tern_argument){.kind = TERN_ARGUMENT_POINTER, .pointer = pointer};
}

#define REFUSED(call, words)                                                                       \
    do {                                                                                           \
        begin();                                                                                   \
        CHECK((call) == TERN_ERROR_ARGUMENT);                                                      \
        CHECK_STR(tern_message(context), words);                                                   \
    } while (0)
#define TAKEN(call)                                                                                \
    do {                                                                                           \
        begin();                                                                                   \
        CHECK((call) == TERN_OK);                                                                  \
    } while (0)

TEST(an_argument_is_of_its_kind) {
    begin();
    tern_argument buffer = tern_arg_buffer(y), integer = tern_arg_int(1);
    REFUSED(put("*i32,i32", integer, integer),
            "argument 'y' of kernel 'put' is an integer, but the signature says a pointer");
    REFUSED(put("*i32,i32", tern_arg_float(1), integer),
            "argument 'y' of kernel 'put' is a floating-point number, but the signature says a "
            "pointer");
    REFUSED(put("*i32,i32", buffer, buffer),
            "argument 'v' of kernel 'put' is a buffer, but the signature says i32");
    REFUSED(put("*i32,u8", buffer, tern_arg_float(1)),
            "argument 'v' of kernel 'put' is a floating-point number, but the signature says "
            "u8");
    REFUSED(put("*fp32,fp32", buffer, buffer),
            "argument 'v' of kernel 'put' is a buffer, but the signature says fp32");
    REFUSED(put("*fp32,fp32", buffer, raw(NULL)),
            "argument 'v' of kernel 'put' is a pointer, but the signature says fp32");
    REFUSED(put("*i32,i32", (tern_argument){.kind = (tern_argument_kind)77}, integer),
            "argument 'y' of kernel 'put' is of no known kind, but the signature says a pointer");
    TAKEN(put("*fp32,fp32", buffer, tern_arg_int(3)));
    float got = 0;
    tern_read(y, 0, &got, sizeof got);
    CHECK(got == 3);
}

static tern_argument at(size_t offset) {
    tern_argument argument = tern_arg_buffer(y);
    argument.offset = offset;
    return argument;
}

TEST(promised_divisors_hold) {
    char words[256];
    begin();
    unsigned long long address = (unsigned long long)(uintptr_t)tern_buffer_pointer(y);
    static const size_t odd[] = {1, 4, 8, 15, 17, 24};
    for (int i = 0; i < (int)(sizeof odd / sizeof *odd); i++) {
        snprintf(words, sizeof words,
                 "argument 'y' of kernel 'put': address 0x%llx is not divisible by 16, as the "
                 "signature promises",
                 address + odd[i]);
        REFUSED(put("*i8:16,i32", at(odd[i]), tern_arg_int(1)), words);
        REFUSED(put("*i8:16,i32", raw((char *)tern_buffer_pointer(y) + odd[i]), tern_arg_int(1)),
                words);
    }
    TAKEN(put("*i8:16,i32", at(0), tern_arg_int(1)));
    TAKEN(put("*i8:16,i32", at(16), tern_arg_int(1)));
    TAKEN(put("*i8,i32", at(1), tern_arg_int(1)));
    REFUSED(put("*i8,i32:16", at(0), tern_arg_int(8)),
            "argument 'v' of kernel 'put': value 0x8 is not divisible by 16, as the signature "
            "promises");
    REFUSED(put("*i8,i64:16", at(0), tern_arg_int(-1)),
            "argument 'v' of kernel 'put': value 0xffffffffffffffff is not divisible by 16, as the "
            "signature promises");
    TAKEN(put("*i8,i32:16", at(0), tern_arg_int(32)));
    TAKEN(put("*i8,i32:16", at(0), tern_arg_int(0)));
    TAKEN(put("*i8,i32:16", at(0), tern_arg_int(-16)));
}

/* The text of the IR may promise any divisor. */
TEST(divisors_of_all_kinds) {
    static const char text[] = "func @put(%y: ptr<i32>, %v: i32 {divisible = 12}) {\n"
                               "  store %y, %v\n  yield\n}\n";
    static const int64_t good[] = {0, 12, 24, -12, -36, 2147483640},
                         bad[] = {1, 4, 6, 11, 18, -18, -1};
    begin();
    tern_kernel *kernel = kernel_from_ir(context, text, NULL);
    tern_argument arguments[] = {tern_arg_buffer(y), tern_arg_int(0)};
    CHECK(kernel);
    for (int i = 0; kernel && i < COUNT(good); i++) {
        arguments[1].integer = good[i];
        TAKEN(tern_launch(NULL, kernel, one, arguments, 2));
    }
    for (int i = 0; kernel && i < COUNT(bad); i++) {
        char words[200];
        arguments[1].integer = bad[i];
        snprintf(words, sizeof words,
                 "argument 'v' of kernel 'put': value 0x%llx is not divisible by 12, as the "
                 "signature promises",
                 (unsigned long long)bad[i]);
        REFUSED(tern_launch(NULL, kernel, one, arguments, 2), words);
    }
}

/* Each type of floats gets its own bits, and integers the nearest. */
TEST(floats_of_all_kinds) {
    static const struct {
        const char *signature;
        double number;
        uint64_t bits;
    } rows[] = {
        {"*fp32,fp32", 1.1, 0x3f8ccccd},  {"*fp64,fp64", 1.1, 0x3ff199999999999a},
        {"*fp16,fp16", 1.1, 0x3c66},      {"*bf16,bf16", 1.1, 0x3f8d},
        {"*fp32,fp32", 1e40, 0x7f800000}, {"*fp16,fp16", 65519, 0x7bff},
        {"*fp16,fp16", 65520, 0x7c00},    {"*bf16,bf16", -3.5, 0xc060},
        {"*fp64,fp64", -0.0, 1ull << 63}, {"*fp16,fp16", 0x1p-24, 1},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        uint64_t got = 0;
        begin();
        tern_fill(y, 0);
        CHECK(put(rows[i].signature, tern_arg_buffer(y), tern_arg_float(rows[i].number)) ==
              TERN_OK);
        tern_read(y, 0, &got, sizeof got);
        CHECK(got == rows[i].bits);
    }
}

TEST(signatures_that_are_none) {
    begin();
    CHECK(!tern_compile(module, "put", "*i32,i33", NULL));
    CHECK(tern_message_status(context) == TERN_ERROR_COMPILE);
    CHECK_STR(
        tern_message(context),
        "<signature>:1:6: error: unknown type 'i33' of parameter 'v'\n   1 | *i32,i33\n"
        "     |      ^~~\n<signature>:1:6: help: a type is like i32, u8, fp16, bf16, *fp32 or "
        "*fp32:16; a constant like 1024 or 'text'");
}

TEST(integers_fit_their_type) {
    static const struct {
        const char *type;
        int64_t low, high;
    } rows[] = {
        {"i1", 0, 1},           {"i8", INT8_MIN, INT8_MAX},
        {"u8", 0, UINT8_MAX},   {"i16", INT16_MIN, INT16_MAX},
        {"u16", 0, UINT16_MAX}, {"i32", INT32_MIN, INT32_MAX},
        {"u32", 0, UINT32_MAX},
    };
    begin();
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        char signature[32], words[200];
        snprintf(signature, sizeof signature, "*i64,%s", rows[i].type);
        int64_t ends[] = {rows[i].low, rows[i].high}, got;
        for (int k = 0; k < 2; k++) {
            int64_t outside = ends[k] + (k ? 1 : -1);
            TAKEN(put(signature, at(0), tern_arg_int(ends[k])));
            tern_read(y, 0, &got, sizeof got);
            CHECK(got == ends[k]);
            snprintf(words, sizeof words, "argument 'v' of kernel 'put': %lld does not fit %s",
                     (long long)outside, rows[i].type);
            REFUSED(put(signature, at(0), tern_arg_int(outside)), words);
        }
    }
    TAKEN(put("*i64,i64", at(0), tern_arg_int(INT64_MIN)));
    TAKEN(put("*i64,u64", at(0), tern_arg_int(-1)));
}

TEST(buffers_are_of_the_context_and_hold_the_offset) {
    begin();
    tern_buffer *foreign = tern_alloc(other, 256);
    REFUSED(put("*i8,i32", tern_arg_buffer(foreign), tern_arg_int(1)),
            "argument 'y' of kernel 'put': the buffer belongs to another context");
    REFUSED(put("*i8,i32", at(257), tern_arg_int(1)),
            "argument 'y' of kernel 'put': offset 257 in a buffer of 256 bytes");
    TAKEN(put("*i8,i32", at(255), tern_arg_int(1)));
    /* The end is an address like another, as in C; nothing may be read there. */
    CHECK(put("*i8,i32", at(256), tern_arg_int(1)) == TERN_ERROR_KERNEL);
    tern_buffer_free(foreign);
    tern_stream *stream = tern_stream_create(other);
    tern_kernel *kernel = tern_compile(module, "count", "*i32", NULL);
    tern_argument argument = at(0);
    CHECK(stream && tern_launch(stream, kernel, one, &argument, 1) == TERN_ERROR_ARGUMENT);
    CHECK(strstr(tern_message(context), "another context"));
    tern_kernel_free(kernel);
    tern_stream_free(stream);
}

TEST(grids_have_limits) {
    begin();
    tern_argument argument = at(0);
    int32_t count;
    REFUSED(launch("count", "*i32", (uint32_t[]){2147483648u, 1, 1}, &argument, 1),
            "grid (2147483648, 1, 1): dimension 0 is larger than 2147483647");
    REFUSED(launch("count", "*i32", (uint32_t[]){1, 65536, 1}, &argument, 1),
            "grid (1, 65536, 1): dimension 1 is larger than 65535");
    REFUSED(launch("count", "*i32", (uint32_t[]){1, 1, 65536}, &argument, 1),
            "grid (1, 1, 65536): dimension 2 is larger than 65535");
    tern_fill(y, 0);
    TAKEN(launch("count", "*i32", (uint32_t[]){0, 5, 5}, &argument, 1));
    TAKEN(launch("count", "*i32", (uint32_t[]){5, 0, 5}, &argument, 1));
    TAKEN(launch("count", "*i32", (uint32_t[]){5, 5, 0}, &argument, 1));
    tern_read(y, 0, &count, sizeof count);
    CHECK(count == 0);
    TAKEN(launch("count", "*i32", (uint32_t[]){1, 65535, 1}, &argument, 1));
    TAKEN(launch("count", "*i32", (uint32_t[]){2, 3, 4}, &argument, 1));
    tern_read(y, 0, &count, sizeof count);
    CHECK(count == 65535 + 24);
}

TEST(arguments_are_as_many_as_parameters) {
    begin();
    tern_argument arguments[3] = {at(0), tern_arg_int(1), tern_arg_int(1)};
    REFUSED(launch("put", "*i32,i32", one, arguments, 1),
            "kernel 'put' takes 2 arguments (y, v), not 1");
    REFUSED(launch("put", "*i32,i32", one, arguments, 3),
            "kernel 'put' takes 2 arguments (y, v), not 3");
    REFUSED(launch("count", "*i32", one, arguments, 0),
            "kernel 'count' takes 1 argument (y), not 0");
}

TEST(text_for_another_device_is_not_launched) {
    begin();
    tern_options options = {.size = sizeof options, .target = "sm_90a"};
    tern_kernel *kernel = tern_compile(module, "count", "*i32", &options);
    tern_argument argument = at(0);
    CHECK(kernel);
    if (!kernel) return;
    REFUSED(tern_launch(NULL, kernel, one, &argument, 1),
            "kernel 'count' was compiled for sm_90a and cannot be launched on interp");
    tern_kernel_free(kernel);
    tern_close(other);
    tern_close(context);
}

TEST_MAIN()
