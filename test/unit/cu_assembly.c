// SPDX-License-Identifier: Apache-2.0
/* Inline PTX in CUDA C: kernels of test/cuda/assembly.cu against plain C. */
#include "test.h"
#include "base/float.h"
#include "tern.h"

static tern_context *context;

static tern_context *opened(const char *device) {
    tern_close(context);
    return context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
}

static tern_buffer *filled(const void *data, size_t bytes) {
    tern_buffer *buffer = tern_alloc(context, bytes);
    CHECK(buffer && tern_write(buffer, 0, data, bytes) == TERN_OK);
    return buffer;
}

/* A kernel of the text, or of the file if there is none; its message. */
static const char *launched(const char *text, const char *name, uint32_t grid,
                            const tern_argument *arguments, int count) {
    tern_module *module = text ? tern_load_text(context, text, strlen(text), "k.cu")
                               : tern_load_file(context, "test/cuda/assembly.cu");
    tern_options options = {.block = {32}, .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, name, NULL, &options) : NULL;
    bool done =
        kernel && tern_launch(NULL, kernel, (uint32_t[]){grid, 1, 1}, arguments, count) == TERN_OK;
    tern_kernel_free(kernel);
    tern_module_free(module);
    return done ? "" : tern_message(context);
}

enum { N = 90 };

TEST(what_computes_does_so_everywhere) {
    static const char *const devices[] = {"sim", "interp", "cpu"};
    for (int d = 0; d < 3; d++) {
        uint32_t out[N] = {0};
        float floats[N];
        for (int i = 0; i < N; i++) floats[i] = (float)(i * 31 % 17) - 5.5f;
        opened(devices[d]);
        tern_buffer *to = filled(out, sizeof out), *both = filled(floats, sizeof floats);
        CHECK_STR(
            launched(NULL, "computes", 3,
                     (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(both), tern_arg_int(N)},
                     3),
            "");
        CHECK(!tern_read(to, 0, out, sizeof out) && !tern_read(both, 0, floats, sizeof floats));
        for (int i = 0; i < N; i++) {
            uint32_t u = (uint32_t)i, b = 0x35, c = 0xff00 + u * 7;
            uint32_t most = (u & b) | (u & c) | (b & c);
            uint64_t wide = (uint64_t)(most * 77777u) * 0x12345678;
            uint32_t high = (uint32_t)(wide >> 32), low = (uint32_t)wide;
            int64_t sum = ((int64_t)i << 33) + (i - 50);
            uint32_t zeros = (u ? (uint32_t)__builtin_clz(u) : 32) + 12;
            CHECK(out[i] == high * 3 + low + (uint32_t)(sum >> 7) + u + 3 + zeros);
            float x = (float)(i * 31 % 17) - 5.5f;
            CHECK(floats[i] == (i % 3 ? 2 * x : x) + (float)fma(1.5 + i, 1.5 + i, i * 0.5));
        }
    }
}

TEST(a_warp_multiplies) {
    uint16_t a[16][16], b[16][8];
    float out[16][8] = {{0}};
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            a[i][k] = (uint16_t)float_encode(FLOAT_F16, i * 3 % 7 - k % 5, FLOAT_NEAREST_EVEN);
    for (int k = 0; k < 16; k++)
        for (int j = 0; j < 8; j++)
            b[k][j] = (uint16_t)float_encode(FLOAT_F16, k % 4 * 0.5 - j, FLOAT_NEAREST_EVEN);
    opened("sim");
    tern_buffer *to = filled(out, sizeof out), *x = filled(a, sizeof a), *y = filled(b, sizeof b);
    tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(x), tern_arg_buffer(y)};
    CHECK_STR(launched(NULL, "product", 1, arguments, 3), "");
    CHECK(!tern_read(to, 0, out, sizeof out));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            double want = 1 + j % 2 + i / 8 * 2;
            for (int k = 0; k < 16; k++) want += (i * 3 % 7 - k % 5) * (k % 4 * 0.5 - j);
            CHECK(out[i][j] == (float)want);
        }
    opened("interp");
    const char *said = launched(NULL, "product", 1, arguments, 0);
    CHECK(strstr(said, "not supported: inline PTX on a target without threads: 'cvta.to.shared"));
}

static const struct {
    const char *statement, *words;
} wrong[] = {
    {"asm(\"mov.b32 %0, %2;\" : \"=r\"(x) : \"r\"(y));",
     "error: the text names operand 2, but there are 2"},
    {"asm(\"mov.b32 %0, %1;\" : \"=r\"(x) : \"f\"(y));",
     "error: a value of type 'int' for the constraint \"f\""},
    {"asm(\"mov.b32 %0, 1;\" : \"=r\"(x + 1));",
     "error: a result of inline PTX goes into a variable"},
    {"asm(\"mov.b32 %0, 1;\" : \"=r\"(c));", "error: a result of inline PTX goes into a variable"},
    {"asm(\"mov.b32 %0, %1;\" : \"=r\"(x) : \"n\"(y));",
     "error: a number of inline PTX is known at compile time"},
    {"asm(\"mov.b32 %0, %1;\" : \"=m\"(x) : \"r\"(y));",
     "not supported: the constraint \"=m\" of a result of inline PTX"},
    {"asm(\"mov.b32 %0, %1;\" : \"=r\"(x) : \"=r\"(y));",
     "not supported: the constraint \"=r\" of an operand of inline PTX"},
    {"asm(\"mov.b32 %[to], 1;\" : [to] \"=r\"(x));",
     "not supported: operands of inline PTX with names"},
    {"asm(text : \"=r\"(x));", "not supported: inline PTX that is not written here"},
    {"asm(\"mov.b32 %0, 1;\" : \"=r\"(x) y);", "error: expected ')' after inline PTX, saw 'y'"},
    {"asm(\"frobnicate.b32 %0, %1;\" : \"=r\"(x) : \"r\"(y));",
     "not supported: inline assembly: this instruction or form in 'frobnicate.b32' where there is "
     "no GPU"},
    {"asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));",
     "not supported: inline assembly: '%laneid' where there is no GPU"},
};

TEST(what_is_wrong_is_said) {
    opened("interp");
    int number = 0;
    tern_argument to = tern_arg_buffer(filled(&number, sizeof number));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "__global__ void k(int *p) { int x = 0, y = threadIdx.x; const int c = x; %s\n"
                 "*p = x + c; }",
                 wrong[i].statement);
        const char *said = launched(text, "k", 1, &to, 1);
        if (!strstr(said, wrong[i].words)) printf("%s\n-- not: %s\n", said, wrong[i].words);
        CHECK(strstr(said, wrong[i].words) && strstr(said, "k.cu:1:"));
    }
    opened(NULL);
}

TEST_MAIN()
