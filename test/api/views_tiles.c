// SPDX-License-Identifier: Apache-2.0
/* A program stores a tile of products where it loads the next one's rows, by views of one memory:
 * rings are filled ahead, by turns of the loop around them, too, and must not be here. */
#include "on_device.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def tiles(a, b, c, T, K, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    k = tl.arange(0, 32)\n"
    "    for t in range(T):\n"
    "        sums = tl.zeros((B, B), tl.float32)\n"
    "        for at in range(0, K, 32):\n"
    "            x = tl.load(a + (t * B + i)[:, None] * K + (at + k)[None, :])\n"
    "            w = tl.load(b + (at + k)[:, None] * B + i[None, :])\n"
    "            sums = tl.dot(x, w, sums)\n"
    "        tl.store(c + (t * B + i)[:, None] * K + i[None, :], sums.to(tl.float16))\n"
    "@triton.jit\n"
    "def some(a, b, c, T, K, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    w = tl.load(b + i[:, None] * B + i[None, :])\n"
    "    for t in range(T):\n"
    "        x = tl.load(a + (t * B + i)[:, None] * K + i[None, :])\n"
    "        y = tl.dot(x, w).to(tl.float16)\n"
    "        if t < K:\n"
    "            tl.store(c + (t * B + i)[:, None] * K + i[None, :], y)\n"
    "@triton.jit\n"
    "def behind(a, b, c, T, K, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    k = tl.arange(0, 32)\n"
    "    tl.store(c + i[:, None] * K + i[None, :], (i[:, None] * 3 + i[None, :] * 5) % 64)\n"
    "    sums = tl.zeros((B, B), tl.float32)\n"
    "    for at in range(0, K, 32):\n"
    "        x = tl.load(a + (B + i)[:, None] * K + (at + k)[None, :])\n"
    "        w = tl.load(b + (at + k)[:, None] * B + i[None, :])\n"
    "        sums = tl.dot(x, w, sums)\n"
    "    tl.store(c + (B + i)[:, None] * K + i[None, :], sums.to(tl.float16))\n";

enum { SIDE = 64, TILE = SIDE * SIDE, TILES = 6, A = (TILES + 1) * TILE, ALL = A + TILE };

/* Whole numbers below 100, in f16. */
static uint16_t half_of(int x) {
    int power = 0;
    while (x >> (power + 1)) power++;
    return x ? (uint16_t)((power + 15) << 10 | (x << (10 - power) & 0x3ff)) : 0;
}

/* b turns each row by one column; c is a, one tile on. */
static void check(tern_context *context, tern_kernel *kernel, const char *device, bool behind) {
    static uint16_t memory[ALL], given[ALL];
    for (int i = 0; i < A; i++) memory[i] = half_of((int)((unsigned)i * 2654435761u >> 8) % 100);
    for (int i = 0; i < TILE; i++) memory[A + i] = half_of(i % SIDE == (i / SIDE + 1) % SIDE);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                 tern_arg_buffer(buffer), tern_arg_int(TILES), tern_arg_int(SIDE)};
    arguments[1].offset = A * sizeof *memory, arguments[2].offset = TILE * sizeof *memory;
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5);
    CHECK_STR(status ? tern_message(context) : "", "");
    tern_read(buffer, 0, given, sizeof given);
    int wrong = 0;
    for (int i = 0; i < TILE && behind; i++)
        memory[TILE + i] = half_of((i / SIDE * 3 + i % SIDE * 5) % 64);
    for (int i = behind ? 2 * TILE : TILE; i < (behind ? 3 * TILE : A); i++)
        memory[i] = memory[i - TILE - i % SIDE + (i % SIDE + SIDE - 1) % SIDE];
    for (int i = 0; i < ALL; i++) wrong += memory[i] != given[i];
    if (wrong) printf("%s: %d are wrong\n", device, wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
}

static void check_device(const char *device, int num_warps) {
    static const char *const names[] = {"tiles", "some", "behind"};
    tern_context *context = open_or_skip(device);
    if (!context) return;
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "tiles.py");
    for (int i = 0; i < 3; i++) {
        tern_options options = {.size = sizeof options, .num_warps = num_warps, .num_stages = 3};
        tern_kernel *kernel =
            tern_compile(module, names[i], "*fp16:16,*fp16:16,*fp16:16,i32,i32:16,64", &options);
        CHECK_STR(kernel ? "" : tern_message(context), "");
        if (kernel) check(context, kernel, device, i == 2);
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
    tern_close(context);
}

TEST(interp_keeps_order) { check_device("interp", 4); }
TEST(cpu_keeps_order) { check_device("cpu", 4); }
TEST(sm_80_keeps_order) { check_device("sim:a100", 4); }
TEST(sm_90_keeps_order) { check_device("sim:h100", 8); }
TEST(gpu_keeps_order) { check_device("cuda", 8); }

TEST_MAIN()
