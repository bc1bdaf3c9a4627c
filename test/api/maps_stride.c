// SPDX-License-Identifier: Apache-2.0
/* Rows that lie backwards in memory, whose stride no tensor map has: a kernel that was compiled
 * with maps is launched without them then, and gives what it gives of the same rows forwards. */
#include <math.h>

#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def attention(q, k, v, o, N, R, D: tl.constexpr, B: tl.constexpr):\n"
    "    m = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    d = tl.arange(0, D)\n"
    "    x = tl.load(q + m[:, None] * D + d[None, :])\n"
    "    total = tl.zeros((B,), tl.float32)\n"
    "    out = tl.zeros((B, D), tl.float32)\n"
    "    for at in range(0, N, B):\n"
    "        rows = (at + tl.arange(0, B))[:, None] * R + d[None, :]\n"
    "        s = tl.dot(x, tl.trans(tl.load(k + rows)))\n"
    "        p = tl.math.exp2(s * 0.125)\n"
    "        total += tl.sum(p, 1)\n"
    "        out = tl.dot(p.to(tl.float16), tl.load(v + rows), out)\n"
    "    tl.store(o + m[:, None] * D + d[None, :], out / total[:, None])\n";

enum { N = 256, D = 64, B = 128, COUNT = N * D };

static uint16_t half_of(int i) { return (uint16_t)(0x3000 + i * 2654435761u % 0x800); }

/* sign: -1: the rows lie backwards, and so do their addresses. */
static tern_status attend(tern_context *context, tern_kernel *kernel, int sign, float *out) {
    tern_buffer *given[4];
    static uint16_t rows[COUNT];
    for (int b = 0; b < 3; b++) {
        given[b] = tern_alloc(context, sizeof rows);
        for (int i = 0; i < COUNT; i++) {
            bool turned = b && sign < 0;
            int row = turned ? N - 1 - i / D : i / D;
            rows[i] = half_of(b * COUNT + row * D + i % D);
        }
        tern_write(given[b], 0, rows, sizeof rows);
    }
    given[3] = tern_alloc(context, sizeof *out * COUNT);
    tern_fill(given[3], 0xff);
    size_t first = sign < 0 ? sizeof *rows * (COUNT - D) : 0;
    tern_argument arguments[] = {tern_arg_buffer(given[0]), tern_arg_buffer(given[1]),
                                 tern_arg_buffer(given[2]), tern_arg_buffer(given[3]),
                                 tern_arg_int(N),           tern_arg_int(sign * D)};
    arguments[1].offset = arguments[2].offset = first;
    tern_status status = tern_launch(NULL, kernel, (uint32_t[3]){N / B, 1, 1}, arguments, 6);
    if (!status) status = tern_read(given[3], 0, out, sizeof *out * COUNT);
    for (int b = 0; b < 4; b++) tern_buffer_free(given[b]);
    return status;
}

TEST(rows_backwards_need_no_map) {
    static float forwards[COUNT], backwards[COUNT], again[COUNT];
    char words[256];
    tern_status status;
    tern_open_options open = {.device = "sim:h200", .cache_dir = ""};
    tern_context *context = tern_open(&open, &status, words, sizeof words);
    CHECK(context != NULL);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "attention.py");
    tern_options options = {.size = sizeof options, .num_warps = 8, .num_stages = 2};
    tern_kernel *kernel = tern_compile(
        module, "attention", "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,64,128", &options);
    CHECK(kernel != NULL);
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "tensor map: ") != NULL);
    CHECK(attend(context, kernel, 1, forwards) == TERN_OK);
    CHECK(attend(context, kernel, -1, backwards) == TERN_OK);
    CHECK_STR(tern_message(context), "");
    CHECK(attend(context, kernel, 1, again) == TERN_OK);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += !(forwards[i] > 0 && fabsf(backwards[i] - forwards[i]) < 1e-5f * forwards[i]) ||
                 again[i] != forwards[i];
    CHECK(wrong == 0);
    tern_close(context);
}

TEST_MAIN()
