// SPDX-License-Identifier: Apache-2.0
/* Tiles that are computed a piece at a time, where parameters are the same memory or overlap: a
 * residual that is added in place, a row that is rotated in place, a row stored one element on. All
 * is loaded before anything is stored that is made of it. */
#include "on_device.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def residual(x, r, s, y, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0) + tl.load(r + i, mask=i < n, other=0)\n"
    "    tl.store(s + i, a, mask=i < n)\n"
    "    total = tl.sum(a, axis=0)\n"
    "    tl.store(y + i, a * 3 + total, mask=i < n)\n"
    "@triton.jit\n"
    "def rotated(x, r, s, y, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    b = tl.load(x + n + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a - b, mask=i < n)\n"
    "    tl.store(y + n + i, a + b, mask=i < n)\n"
    "@triton.jit\n"
    "def scaled(x, r, s, y, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, a * tl.max(a, axis=0), mask=i < n)\n"
    "@triton.jit\n"
    "def few(x, y, z, n, T, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.zeros((B,), tl.int32)\n"
    "    for t in range(T):\n"
    "        a = tl.load(x + i, mask=i < n, other=0)\n"
    "        tl.store(y + i, a * 2 + 1, mask=i < n)\n"
    "    b = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(z + i, tl.cumsum(b, axis=0) + a, mask=i < n)\n"
    "@triton.jit\n"
    "def turned(x, y, z, n, T, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    a = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.debug_barrier()\n"
    "    tl.store(y + n - 1 - i, a, mask=i < n)\n"
    "    tl.debug_barrier()\n"
    "    tl.store(z, tl.load(x) + tl.load(y))\n"
    "@triton.jit\n"
    "def rows(x, y, n, m, R: tl.constexpr, B: tl.constexpr):\n"
    "    r = tl.arange(0, R)[:, None]\n"
    "    c = tl.arange(0, B)\n"
    "    o = r * n + c\n"
    "    total = tl.zeros((R, B), tl.int32)\n"
    "    for _ in range(0, n, B):\n"
    "        total += tl.load(x + o, mask=(r < m) & (c < n), other=0)\n"
    "        c += B\n"
    "        o += B\n"
    "    s = tl.sum(total, axis=1)\n"
    "    c = tl.arange(0, B)\n"
    "    o = r * n + c\n"
    "    for _ in range(0, n, B):\n"
    "        a = tl.load(x + o, mask=(r < m) & (c < n), other=0)\n"
    "        tl.store(y + o, a * 2 + s[:, None], mask=(r < m) & (c < n))\n"
    "        c += B\n"
    "        o += B\n";

enum { ROOM = 32768, COUNT = 30000, HALF = COUNT / 2, NUM_ARGS = 4 };

typedef struct Case {
    const char *kernel;
    int at[NUM_ARGS]; /* where x, r, s and y begin, in elements */
} Case;

static const Case cases[] = {
    {"residual", {0, ROOM, 2 * ROOM, 3 * ROOM}},
    {"residual", {0, ROOM, ROOM, 3 * ROOM}},
    {"residual", {0, ROOM, ROOM, 0}},
    {"residual", {0, ROOM, 2 * ROOM, 0}},
    {"residual", {0, 0, 2 * ROOM, ROOM}},
    {"rotated", {0, ROOM, 2 * ROOM, 3 * ROOM}},
    {"rotated", {0, ROOM, 2 * ROOM, 0}},
    {"scaled", {0, ROOM, 2 * ROOM, 3 * ROOM}},
    {"scaled", {0, ROOM, 2 * ROOM, 0}},
    {"scaled", {0, ROOM, 2 * ROOM, 4}},
    {"scaled", {4, ROOM, 2 * ROOM, 0}},
    {"scaled", {0, ROOM, 2 * ROOM, 1}},
    {"scaled", {1, ROOM, 2 * ROOM, 0}},
    {"scaled", {0, ROOM, 2 * ROOM, COUNT}}, /* the next row */
};

static int number(int i) { return (int)((unsigned)i * 2654435761u >> 24) - 100; }

static void want(const Case *c, int *memory) {
    static int a[COUNT], b[COUNT];
    const int *at = c->at;
    memcpy(a, memory + at[0], sizeof a);
    memcpy(b, memory + at[1], sizeof b);
    int total = 0, most = a[0];
    for (int i = 0; i < COUNT; i++) {
        total += a[i] + b[i];
        if (a[i] > most) most = a[i];
    }
    if (c->kernel[0] == 's') {
        for (int i = 0; i < COUNT; i++) memory[at[3] + i] = a[i] * most;
    } else if (c->kernel[2] == 't') {
        for (int i = 0; i < HALF; i++) {
            memory[at[3] + i] = a[i] - a[HALF + i];
            memory[at[3] + HALF + i] = a[i] + a[HALF + i];
        }
    } else {
        for (int i = 0; i < COUNT; i++) memory[at[2] + i] = a[i] + b[i];
        for (int i = 0; i < COUNT; i++) memory[at[3] + i] = (a[i] + b[i]) * 3 + total;
    }
}

static void check(tern_context *context, const char *device, tern_kernel *kernel, const Case *c) {
    static int memory[4 * ROOM], given[4 * ROOM];
    for (int i = 0; i < 4 * ROOM; i++) memory[i] = number(i);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[NUM_ARGS + 1];
    for (int i = 0; i < NUM_ARGS; i++) {
        arguments[i] = tern_arg_buffer(buffer);
        arguments[i].offset = sizeof *memory * (size_t)c->at[i];
    }
    arguments[NUM_ARGS] = tern_arg_int(c->kernel[2] == 't' ? HALF : COUNT);
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, NUM_ARGS + 1);
    CHECK_STR(status ? tern_message(context) : "", "");
    tern_read(buffer, 0, given, sizeof given);
    want(c, memory);
    int wrong = 0;
    for (int i = 0; i < 4 * ROOM; i++) wrong += memory[i] != given[i];
    if (wrong)
        printf("%s on %s, at %d %d %d %d: %d are wrong\n", c->kernel, device, c->at[0], c->at[1],
               c->at[2], c->at[3], wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
}

static const char *signature_of(const Case *c) {
    return c->kernel[2] == 't' ? "*i32,*i32,*i32,*i32,i32,16384" : "*i32,*i32,*i32,*i32,i32,32768";
}

/* The kernels on a device; NULL: it is not here. */
static tern_module *opened(const char *device, tern_context **context) {
    *context = open_or_skip(device);
    return *context ? tern_load_text(*context, source, sizeof source - 1, "overlap.py") : NULL;
}

static void closed(tern_context *context, tern_module *module) {
    tern_module_free(module);
    tern_close(context);
}

static void check_device(const char *device, int num_warps) {
    tern_context *context;
    tern_module *module = opened(device, &context);
    if (!module) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        tern_options options = {.num_warps = num_warps};
        tern_kernel *kernel = tern_compile(module, c->kernel, signature_of(c), &options);
        CHECK_STR(kernel ? "" : tern_message(context), "");
        if (!kernel) continue;
        if (strstr(device, "sim") && num_warps == 4) { /* before a launch takes the other text */
            CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_REMARKS), "computed in pieces"));
            CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS),
                         "parameters do not overlap: each launch is asked"));
        }
        check(context, device, kernel, c);
        tern_kernel_free(kernel);
    }
    closed(context, module);
}

/* Kernels that compute nothing in pieces, in place: x and y are the same, z is not, or is. */
static void check_small(const char *device, const char *name, int n, bool all) {
    enum { TURNS = 3, MOST = 1024 };
    int memory[2 * MOST], given[2 * MOST], before[MOST], sum = 0;
    char signature[64];
    tern_context *context;
    tern_module *module = opened(device, &context);
    if (!module) return;
    snprintf(signature, sizeof signature, "*i32,*i32,*i32,i32,i32,%d", n < 16 ? 16 : MOST);
    tern_kernel *kernel = tern_compile(module, name, signature, NULL);
    CHECK_STR(kernel ? "" : tern_message(context), "");
    if (!kernel) return;
    for (int i = 0; i < 2 * MOST; i++) memory[i] = number(i);
    tern_buffer *buffer = tern_alloc(context, sizeof memory);
    tern_write(buffer, 0, memory, sizeof memory);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                 tern_arg_buffer(buffer), tern_arg_int(n), tern_arg_int(TURNS)};
    arguments[2].offset = all ? 0 : sizeof *memory * MOST;
    bool runs = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5) == TERN_OK;
    CHECK_STR(runs ? "" : tern_message(context), "");
    tern_read(buffer, 0, given, sizeof given);
    int *z = memory + (all ? 0 : MOST);
    memcpy(before, memory, sizeof before);
    if (!strcmp(name, "few")) {
        for (int i = 0; i < n; i++) {
            int last = memory[i];
            for (int t = 0; t < TURNS; t++) last = memory[i], memory[i] = last * 2 + 1;
            before[i] = last;
        }
        for (int i = 0; i < n; i++) sum += memory[i], z[i] = sum + before[i];
    } else {
        for (int i = 0; i < n; i++) memory[n - 1 - i] = before[i];
        z[0] = memory[0] + memory[0];
    }
    int wrong = 0;
    for (int i = 0; i < 2 * MOST; i++) wrong += memory[i] != given[i];
    if (wrong) printf("%s on %s, %d: %d are wrong\n", name, device, n, wrong);
    CHECK(!wrong);
    tern_buffer_free(buffer);
    tern_kernel_free(kernel);
    closed(context, module);
}

TEST(in_place) {
    static const char *const devices[] = {"interp", "cpu", "sim:h100", "sim:a100"};
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 8; i++)
            check_small(devices[d], i % 2 ? "few" : "turned", i / 2 % 2 ? 9 : 1000, i / 4);
}

/* Rows in turns: where y is elsewhere none waits for another, and x is read as what nothing writes.
 * Where it is x, or a few elements beside it, a turn may read what those before wrote. */
static void check_rows(const char *device, int num_warps) {
    enum { ROWS = 8, TURN = 32, MOST = 2048 };
    static const int columns[] = {-3, 0, 7, 33, 80, 100};
    tern_context *context;
    tern_module *module = opened(device, &context);
    if (!module) return;
    tern_options options = {.num_warps = num_warps};
    tern_kernel *kernel = tern_compile(module, "rows", "*i32,*i32,i32,i32,8,32", &options);
    CHECK_STR(kernel ? "" : tern_message(context), "");
    if (!kernel) return;
    const char *ptx = strstr(device, "sim") ? tern_kernel_text(kernel, TERN_STAGE_PTX) : NULL;
    const char *constant = ptx ? strstr(ptx, "ld.global.nc") : NULL;
    CHECK(!ptx || (num_warps == 1) == !constant); /* eight loads a turn are many */
    CHECK(!constant || !strstr(constant, "bar.sync"));
    tern_buffer *buffer = tern_alloc(context, 2 * MOST * sizeof(int));
    for (int i = 0; i < 6 * 6; i++) {
        int memory[2 * MOST], given[2 * MOST], sum[ROWS] = {0};
        int n = columns[i % 6], far = (int[]){MOST, 0, 1, 4, n > 0 ? n : 9, -2}[i / 6], m = 7;
        for (int k = 0; k < 2 * MOST; k++) memory[k] = number(k);
        tern_write(buffer, 0, memory, sizeof memory);
        tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_buffer(buffer),
                                     tern_arg_int(n), tern_arg_int(m)};
        arguments[0].offset = 16 * sizeof *memory;
        arguments[1].offset = (size_t)(16 + far) * sizeof *memory;
        int *x = memory + 16, *y = x + far, tile[ROWS][TURN];
        for (int k = 0; k < m * n; k++) sum[k / n] += x[k];
        for (int c = 0; c < n; c += TURN) {
            for (int k = 0; k < m * TURN; k++)
                tile[k / TURN][k % TURN] = x[k / TURN * n + c + k % TURN];
            for (int k = 0; k < m * TURN; k++)
                if (c + k % TURN < n)
                    y[k / TURN * n + c + k % TURN] = tile[k / TURN][k % TURN] * 2 + sum[k / TURN];
        }
        bool runs = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) == TERN_OK;
        CHECK_STR(runs ? "" : tern_message(context), "");
        tern_read(buffer, 0, given, sizeof given);
        bool same = !memcmp(memory, given, sizeof memory);
        if (!same) printf("rows on %s, %d warps, of %d, at %d\n", device, num_warps, n, far);
        CHECK(same);
    }
    tern_buffer_free(buffer);
    tern_kernel_free(kernel);
    closed(context, module);
}

TEST(rows_in_turns) {
    check_rows("interp", 4);
    check_rows("cpu", 4);
    for (int warps = 1; warps <= 8; warps *= 2) check_rows("sim:h100", warps);
    check_rows("sim:a100", 4);
}

TEST(interp_loads_first) { check_device("interp", 4); }
TEST(cpu_loads_first) { check_device("cpu", 4); }
TEST(sm_90_loads_first) { check_device("sim:h100", 4); }
TEST(sm_80_loads_first) { check_device("sim:a100", 4); }
TEST(more_warps_load_first) { check_device("sim:h100", 8); }
TEST(one_warp_loads_first) { check_device("sim:h100", 1); } /* what may overlap is put by */

TEST(gpu_loads_first) {
    static const int num_warps[] = {1, 4, 8, 16};
    for (int i = 0; i < 4; i++) check_device("cuda", num_warps[i]);
    for (int i = 0; i < 8; i++)
        check_small("cuda", i % 2 ? "few" : "turned", i / 2 % 2 ? 9 : 1000, i / 4);
    for (int i = 0; i < 3; i++) check_rows("cuda", num_warps[i]);
}

/* Others ask no launch: in place a row is right in pieces, of a residual some is put by. */
TEST(plain_texts) {
    tern_context *context;
    tern_module *module = opened("interp", &context);
    for (int i = 0; i < 2; i++) {
        const Case *c = &cases[i ? 7 : 0];
        tern_options options = {.target = "sm_90a", .text_only = true};
        tern_kernel *kernel = tern_compile(module, c->kernel, signature_of(c), &options);
        CHECK_STR(kernel ? "" : tern_message(context), "");
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_REMARKS), "computed in pieces"));
        CHECK((strstr(tern_kernel_text(kernel, TERN_STAGE_PTX), "st.local") != NULL) == (i == 0));
        CHECK(!strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "each launch"));
        tern_kernel_free(kernel);
    }
    closed(context, module);
}

TEST_MAIN()
