// SPDX-License-Identifier: Apache-2.0
/* Parameters that are the same, where threads meet what others store: turns of a loop that go over
 * each other by the same pointer, and one access n elements on, another m. In several orders. */
#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def turns(x, y, n, m, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    for k in range(n):\n"
    "        a = tl.load(x + i + k)\n"
    "        tl.store(y + i + k, a * 2 + k)\n"
    "@triton.jit\n"
    "def carried(x, y, n, m, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    for k in range(n):\n"
    "        a = tl.load(x + i)\n"
    "        tl.store(y + i, a * 2 + k)\n"
    "        i += m\n"
    "@triton.jit\n"
    "def moved(x, y, n, m, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i + n)\n"
    "    tl.store(y + i + m, a + 1)\n"
    "@triton.jit\n"
    "def spread(x, y, n, m, B: tl.constexpr):\n"
    "    i = tl.arange(0, 16)\n"
    "    j = tl.arange(0, 32)\n"
    "    a = tl.load(x + i)\n"
    "    tl.store(y + i, a * 2)\n"
    "    tl.store(y + 256 + i[:, None] * 32 + j[None, :], a[:, None] + j[None, :])\n";

enum { LANES = 256, ROOM = 1024 };

/* Wraps around, as the kernel does. */
static int twice(int x, int more) { return (int)((unsigned)x * 2 + (unsigned)more); }

static void want(const char *name, int n, int m, int *x, int *y) {
    int before[LANES], step = !strcmp(name, "turns") ? 1 : m;
    if (!strcmp(name, "moved")) {
        memcpy(before, x + n, sizeof before);
        for (int i = 0; i < LANES; i++) y[i + m] = before[i] + 1;
        return;
    }
    if (!strcmp(name, "spread")) {
        memcpy(before, x, sizeof before);
        for (int i = 0; i < 16; i++) y[i] = twice(before[i], 0);
        for (int i = 0; i < 16 * 32; i++) y[256 + i] = before[i / 32] + i % 32;
        return;
    }
    for (int k = 0; k < n; k++) {
        memcpy(before, x + k * step, sizeof before);
        for (int i = 0; i < LANES; i++) y[i + k * step] = twice(before[i], k);
    }
}

static void check(tern_context *context, tern_kernel *kernel, const char *name, int n, int m,
                  int at) {
    static int memory[2 * ROOM], given[2 * ROOM];
    const uint32_t grid[3] = {1, 1, 1};
    for (int i = 0; i < 2 * ROOM; i++) memory[i] = (int)((unsigned)i * 2654435761u >> 24);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer), tern_arg_int(n),
                                 tern_arg_int(m)};
    arguments[1].offset = sizeof *memory * (size_t)at;
    tern_status status = tern_launch(NULL, kernel, grid, arguments, 4);
    CHECK_STR(status ? tern_message(context) : "", "");
    tern_read(buffer, 0, given, sizeof given);
    want(name, n, m, memory, memory + at);
    int wrong = 0;
    for (int i = 0; i < 2 * ROOM; i++) wrong += memory[i] != given[i];
    if (wrong) printf("%s, n = %d, m = %d, y %d on: %d are wrong\n", name, n, m, at, wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
}

static void check_kernels(const char *device, uint64_t seed) {
    static const char *const names[] = {"turns", "carried", "moved", "spread"};
    tern_open_options open = {.device = device, .cache_dir = "", .order_seed = seed};
    tern_context *context = tern_open(&open, NULL, NULL, 0);
    CHECK(context);
    tern_module *module =
        context ? tern_load_text(context, source, sizeof source - 1, "in_place.py") : NULL;
    for (int i = 0; module && i < 4; i++) {
        tern_kernel *kernel = tern_compile(module, names[i], "*i32,*i32,i32,i32,256", NULL);
        CHECK_STR(kernel ? "" : tern_message(context), "");
        if (!kernel) continue;
        check(context, kernel, names[i], 5, 40, 0);
        check(context, kernel, names[i], 5, 5, 0);
        check(context, kernel, names[i], 5, 300, 0);
        check(context, kernel, names[i], 70, 3, 0);
        check(context, kernel, names[i], 5, 40, ROOM);
        check(context, kernel, names[i], 5, 40, 1);
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
    tern_close(context);
}

TEST(interp) { check_kernels("interp", 0); }

TEST(simulated) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_kernels("sim:h100", seed);
        check_kernels("sim:a100", seed);
    }
}

TEST_MAIN()
