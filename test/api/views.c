// SPDX-License-Identifier: Apache-2.0
/* Parameters that are views of one memory, a few elements apart: what a program loads before it
 * stores is as it was before, and what it loads behind a store is as stored, on interp as on the
 * cpu and on GPUs. Each kernel is one program, written down here again as loops over elements. */
#include "on_device.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def moved(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a + 1, mask=i < n)\n"
    "@triton.jit\n"
    "def square(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, 8)[:, None] * (B // 8) + tl.arange(0, B // 8)[None, :]\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a + 1, mask=i < n)\n"
    "@triton.jit\n"
    "def less(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a - tl.max(a, axis=0), mask=i < n)\n"
    "@triton.jit\n"
    "def both(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(z + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a.to(tl.float32) + 1, mask=i < n)\n"
    "    tl.store(x + i, a, mask=i < n)\n"
    "@triton.jit\n"
    "def crossed(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + (i ^ 1), mask=i < n, other=0)\n"
    "    tl.store(y + i, a + 1, mask=i < n)\n"
    "@triton.jit\n"
    "def looped(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, 16)\n"
    "    for k in range(0, B, 16):\n"
    "        a = tl.load(x + k + i, mask=k + i < n, other=0)\n"
    "        tl.store(y + k + i, a + 1, mask=k + i < n)\n"
    "@triton.jit\n"
    "def walked(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, 16)\n"
    "    p = x + i\n"
    "    q = y + i\n"
    "    a = tl.load(p, mask=i < n, other=0)\n"
    "    for k in range(0, B, 16):\n"
    "        tl.store(q, a + 1, mask=k + i < n)\n"
    "        p += 16\n"
    "        q += 16\n"
    "        a = tl.load(p, mask=k + 16 + i < n, other=0)\n"
    "@triton.jit\n"
    "def behind(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    tl.store(y + i, i % 7, mask=i < n)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(z + i, a + 1, mask=i < n)\n"
    "@triton.jit\n"
    "def added(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    tl.atomic_add(y + i, 1, mask=i < n, sem='relaxed')\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(z + i, a + 1, mask=i < n)\n"
    "@triton.jit\n"
    "def again(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, 256)\n"
    "    most = tl.zeros((256,), tl.float32)\n"
    "    for k in range(0, n, 256):\n"
    "        most = tl.maximum(most, tl.load(x + k + i, mask=k + i < n, other=0))\n"
    "    for k in range(0, n, 256):\n"
    "        b = tl.load(z + k + i, mask=k + i < n, other=0)\n"
    "        tl.store(y + k + i, b + 1, mask=k + i < n)\n"
    "        s = tl.sum(b, axis=0)\n"
    "        a = tl.load(x + k + i, mask=k + i < n, other=0)\n"
    "        tl.store(z + k + i, a + s + most, mask=k + i < n)\n"
    "@triton.jit\n"
    "def twice(x, y, z, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    tl.store(y + i, i % 7, mask=i < n)\n"
    "    tl.store(x + i, i % 5, mask=i < n)\n"
    "@triton.jit\n"
    "def product(x, y, z, n, B: tl.constexpr):\n"
    "    r = tl.arange(0, 16)\n"
    "    at = r[:, None] * 16 + r[None, :]\n"
    "    c = tl.zeros((16, 16), tl.float32)\n"
    "    for k in range(0, 32, 16):\n"
    "        a = tl.load(x + k * 16 + at)\n"
    "        c += tl.dot(a, tl.load(z + k * 16 + at))\n"
    "    tl.store(y + at, c)\n"
    /* On a cpu rows go to memory by the last turn's products, which read others of x in place. */
    "@triton.jit\n"
    "def rows(x, y, z, n, B: tl.constexpr):\n"
    "    r = tl.arange(0, 32)\n"
    "    at = r[:, None] * 64 + r[None, :]\n"
    "    c = tl.zeros((32, 32), tl.float32)\n"
    "    for k in range(0, 64, 32):\n"
    "        a = tl.load(x + k + at)\n"
    "        b = tl.load(z + k * 32 + r[:, None] * 32 + r[None, :])\n"
    "        c = tl.dot(a, b, c, input_precision='ieee')\n"
    "    tl.store(y + at, c)\n";

enum {
    COUNT = 1000,
    TILE = 1024,
    ROOM = 4096,
    START = 1536,
    Z = 8192,
    ALL = Z + ROOM,
    SIDE = 16,
    ROWS = 32
};

static float number(int i) { return (float)((int)((unsigned)i * 2654435761u >> 28) - 7); }

static bool inside(int i, int n) { return i < n; }

static void want_rows(float *m, int x, int y) {
    static float sums[ROWS * ROWS];
    for (int i = 0; i < ROWS * ROWS; i++) {
        sums[i] = 0;
        for (int k = 0; k < 2 * ROWS; k++)
            sums[i] += m[x + i / ROWS * 2 * ROWS + k] * m[Z + k * ROWS + i % ROWS];
    }
    for (int i = 0; i < ROWS * ROWS; i++) m[y + i / ROWS * 2 * ROWS + i % ROWS] = sums[i];
}

static void want_again(float *m, int x, int y, int n) {
    float largest[256] = {0}, sum;
    for (int i = 0; i < n; i++)
        if (m[x + i] > largest[i % 256]) largest[i % 256] = m[x + i];
    for (int k = 0; k < n; k += 256) {
        sum = 0;
        for (int i = k; i < k + 256 && i < n; i++) sum += m[Z + i], m[y + i] = m[Z + i] + 1;
        for (int i = k; i < k + 256 && i < n; i++) m[Z + i] = m[x + i] + sum + largest[i % 256];
    }
}

static void want(const char *kernel, float *m, int x, int y, int n) {
    static float a[TILE];
    float most = m[x];
    if (!strcmp(kernel, "rows")) {
        want_rows(m, x, y);
        return;
    }
    if (!strcmp(kernel, "product")) {
        for (int r = 0; r < SIDE * SIDE; r++) {
            a[r] = 0;
            for (int k = 0; k < 2 * SIDE; k++) {
                int half = k / SIDE * SIDE * SIDE, in = k % SIDE;
                a[r] += m[x + half + r / SIDE * SIDE + in] * m[Z + half + in * SIDE + r % SIDE];
            }
        }
        memcpy(m + y, a, sizeof *a * SIDE * SIDE);
        return;
    }
    if (!strcmp(kernel, "behind")) {
        for (int i = 0; i < n; i++) m[y + i] = (float)(i % 7);
        for (int i = 0; i < n; i++) m[Z + i] = m[x + i] + 1;
        return;
    }
    if (!strcmp(kernel, "added")) {
        for (int i = 0; i < n; i++) m[y + i] += 1;
        for (int i = 0; i < n; i++) m[Z + i] = m[x + i] + 1;
        return;
    }
    if (!strcmp(kernel, "again")) {
        want_again(m, x, y, n);
        return;
    }
    if (!strcmp(kernel, "twice")) {
        for (int i = 0; i < n; i++) m[y + i] = (float)(i % 7);
        for (int i = 0; i < n; i++) m[x + i] = (float)(i % 5);
        return;
    }
    if (!strcmp(kernel, "both")) {
        for (int i = 0; i < n; i++) m[y + i] = m[Z + i] + 1;
        for (int i = 0; i < n; i++) m[x + i] = m[Z + i];
        return;
    }
    if (!strcmp(kernel, "crossed")) {
        for (int i = 0; i < n; i++) a[i] = m[x + (i ^ 1)];
        for (int i = 0; i < n; i++) m[y + i] = a[i] + 1;
        return;
    }
    bool loops = !strcmp(kernel, "looped") || !strcmp(kernel, "walked");
    int turn = loops ? 16 : n;
    for (int k = 0; k < n; k += turn) {
        for (int i = 0; i < turn && inside(k + i, n); i++) {
            a[i] = m[x + k + i];
            if (a[i] > most) most = a[i];
        }
        /* The next turn's is loaded behind this one's store. */
        for (int i = 0; i < turn && inside(k + i, n); i++)
            m[y + k + i] = !strcmp(kernel, "less") ? a[i] - most : a[i] + 1;
    }
}

static uint16_t half_of(float x) { /* bf16, of what it holds */
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static void put(tern_buffer *buffer, const float *memory, bool narrow) {
    static uint16_t halves[ALL];
    for (int i = 0; i < ALL; i++) halves[i] = half_of(memory[i]);
    tern_write(buffer, 0, narrow ? (const void *)halves : memory,
               narrow ? sizeof halves : sizeof *memory * ALL);
}

static int differing(tern_buffer *buffer, const float *memory, bool narrow) {
    static uint16_t halves[ALL];
    static float given[ALL];
    int wrong = 0;
    tern_read(buffer, 0, narrow ? (void *)halves : given, narrow ? sizeof halves : sizeof given);
    for (int i = 0; i < ALL; i++)
        wrong += narrow ? halves[i] != half_of(memory[i]) : given[i] != memory[i];
    return wrong;
}

static void check(tern_context *context, tern_kernel *kernel, const char *name, const char *device,
                  int apart, bool narrow) {
    static float memory[ALL];
    size_t size = narrow ? sizeof(uint16_t) : sizeof(float);
    int x = START, y = START + apart, n = !strcmp(name, "product") ? SIDE * SIDE : COUNT;
    for (int i = 0; i < ALL; i++) memory[i] = number(i);
    tern_buffer *buffer = tern_alloc(context, size * ALL);
    put(buffer, memory, narrow);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                 tern_arg_buffer(buffer), tern_arg_int(n)};
    arguments[0].offset = size * (size_t)x, arguments[1].offset = size * (size_t)y;
    arguments[2].offset = size * Z;
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4);
    CHECK_STR(status ? tern_message(context) : "", "");
    want(name, memory, x, y, n);
    int wrong = differing(buffer, memory, narrow);
    if (wrong)
        printf("%s on %s, %s, %d apart: %d are wrong\n", name, device, narrow ? "bf16" : "fp32",
               apart, wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
}

static void check_kernel(tern_module *module, tern_context *context, const char *device,
                         const char *name, bool narrow) {
    static const int apart[] = {0, 1, 3, 15, 16, 255, 256, COUNT - 1, COUNT, TILE - 1, TILE};
    char signature[64];
    const char *type = narrow ? "*bf16" : "*fp32";
    snprintf(signature, sizeof signature, "%s,%s,%s,i32,%d", type, type, type, TILE);
    tern_kernel *kernel = tern_compile(module, name, signature, NULL);
    CHECK_STR(kernel ? "" : tern_message(context), "");
    if (!kernel) return;
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        for (int way = -1; way <= 1; way += 2)
            check(context, kernel, name, device, way * apart[i], narrow);
    tern_kernel_free(kernel);
}

static void check_device(const char *device) {
    static const char *const names[] = {"moved",  "square",  "less",   "both",  "crossed",
                                        "looped", "walked",  "behind", "added", "again",
                                        "twice",  "product", "rows"};
    enum { NARROW_TOO = 6 };
    tern_context *context = open_or_skip(device);
    if (!context) return;
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "views.py");
    CHECK_STR(module ? "" : tern_message(context), "");
    for (size_t i = 0; module && i < sizeof names / sizeof *names; i++)
        for (int narrow = 0; narrow < (i < NARROW_TOO ? 2 : 1); narrow++)
            check_kernel(module, context, device, names[i], narrow);
    tern_module_free(module);
    tern_close(context);
}

TEST(interp_keeps_order) { check_device("interp"); }
TEST(cpu_keeps_order) { check_device("cpu"); }
TEST(sm_90_keeps_order) { check_device("sim:h100"); }
TEST(sm_80_keeps_order) { check_device("sim:a100"); }
TEST(gpu_keeps_order) { check_device("cuda"); }

TEST_MAIN()
