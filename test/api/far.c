// SPDX-License-Identifier: Apache-2.0
/* Elements more than 2^31 and 2^32 elements behind the first: rows, pointers that are carried,
 * atomics at loaded indices, rows of products. On a cpu in memory that is reserved and hardly
 * touched, on a GPU in as much of its own. */
#include "tern.h"
#include "test.h"

#include <sys/mman.h>

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def rows(x, y, at, first, stride, n, B: tl.constexpr):\n"
    "    r = tl.program_id(0) + first\n"
    "    i = tl.arange(0, B)\n"
    "    v = tl.load(x + r * stride + i, mask=i < n, other=0)\n"
    "    tl.store(y + r * stride + i, v - tl.min(v, axis=0), mask=i < n)\n"
    "@triton.jit\n"
    "def walked(x, y, at, first, stride, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, 64)\n"
    "    p = x + i\n"
    "    q = y + i\n"
    "    for k in range(3):\n"
    "        tl.store(q + first * stride, tl.load(p + first * stride) + 1)\n"
    "        p += stride\n"
    "        q += stride\n"
    "@triton.jit\n"
    "def atomics(x, y, at, first, stride, n, B: tl.constexpr):\n"
    "    j = tl.load(at + tl.arange(0, 64))\n"
    "    tl.atomic_add(y + j, tl.load(x + j))\n"
    "@triton.jit\n"
    "def product(x, y, at, first, stride, n, B: tl.constexpr):\n"
    "    r = (tl.arange(0, 16) // 8 + first)[:, None] * stride + (tl.arange(0, 16) % 8)[:, None] * "
    "64\n"
    "    k = tl.arange(0, 32)\n"
    "    c = tl.arange(0, 16)\n"
    "    a = tl.load(x + r + k[None, :])\n"
    "    b = tl.load(x + first * stride + k[:, None] * 16 + c[None, :])\n"
    "    tl.store(y + r + c[None, :], tl.dot(a, b, input_precision='ieee'))\n";

enum { ROWS = 3, COLUMNS = 1000, BLOCK = 1024, STRIDE = 65536, TURN = 64 };

static int number(int row, int i) {
    return (int)((unsigned)(row * STRIDE + i) * 2654435761u >> 29);
}

typedef struct Side {
    tern_context *context;
    tern_buffer *x, *y, *at;
    int bytes; /* of an element */
    int64_t first;
} Side;

static tern_buffer *reserved(tern_context *context, const char *device, size_t bytes) {
    if (!strcmp(device, "cuda")) return tern_alloc(context, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : tern_wrap(context, memory, bytes);
}

static void release(tern_buffer *buffer, const char *device) {
    void *memory = buffer ? tern_buffer_pointer(buffer) : NULL;
    size_t bytes = buffer ? tern_buffer_size(buffer) : 0;
    tern_buffer_free(buffer);
    if (memory && strcmp(device, "cuda")) munmap(memory, bytes);
}

static void put_rows(const Side *s, tern_buffer *buffer, const float *rows) {
    static int8_t bytes[COLUMNS];
    for (int r = 0; r < ROWS; r++) {
        const float *row = rows + (size_t)r * COLUMNS;
        for (int i = 0; i < COLUMNS; i++) bytes[i] = (int8_t)row[i];
        tern_write(buffer, (size_t)(s->first + r) * STRIDE * (size_t)s->bytes,
                   s->bytes == 1 ? (const void *)bytes : row, (size_t)s->bytes * COLUMNS);
    }
}

static int differing(const Side *s, const float *rows) {
    static int8_t bytes[COLUMNS];
    static float given[COLUMNS];
    int wrong = 0;
    for (int r = 0; r < ROWS; r++) {
        tern_read(s->y, (size_t)(s->first + r) * STRIDE * (size_t)s->bytes,
                  s->bytes == 1 ? (void *)bytes : given, (size_t)s->bytes * COLUMNS);
        for (int i = 0; i < COLUMNS; i++)
            wrong += (s->bytes == 1 ? (float)bytes[i] : given[i]) != rows[r * COLUMNS + i];
    }
    return wrong;
}

static void want(const char *kernel, const float *x, float *y) {
    for (int r = 0; r < ROWS; r++) {
        const float *from = x + (size_t)r * COLUMNS;
        float *to = y + (size_t)r * COLUMNS, least = from[0];
        for (int i = 0; i < COLUMNS; i++) least = from[i] < least ? from[i] : least;
        for (int i = 0; i < COLUMNS && !strcmp(kernel, "rows"); i++) to[i] = from[i] - least;
        for (int i = 0; i < TURN && !strcmp(kernel, "walked"); i++) to[i] = from[i] + 1;
        for (int i = 0; i < COLUMNS; i += 17)
            if (!strcmp(kernel, "atomics") && r * COLUMNS + i < TURN * 17) to[i] += from[i];
        for (int i = 0; i < 8 * 16 && r < 2 && !strcmp(kernel, "product"); i++) {
            float sum = 0;
            for (int k = 0; k < 32; k++) sum += from[i / 16 * 64 + k] * x[k * 16 + i % 16];
            to[i / 16 * 64 + i % 16] = sum;
        }
    }
}

static void check(const Side *s, tern_module *module, const char *kernel_name) {
    static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    int64_t at[TURN];
    char signature[96];
    const char *type = s->bytes == 1 ? "*i8" : "*fp32";
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] = (float)number(i / COLUMNS, i % COLUMNS), y[i] = 5;
    int count = 0;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < COLUMNS; i += 17)
            if (r * COLUMNS + i < TURN * 17 && count < TURN)
                at[count++] = (s->first + r) * STRIDE + i;
    CHECK(count == TURN || strcmp(kernel_name, "atomics"));
    put_rows(s, s->x, x), put_rows(s, s->y, y);
    tern_write(s->at, 0, at, sizeof at);
    snprintf(signature, sizeof signature, "%s,%s,*i64,i64,i64:16,i32,%d", type, type, BLOCK);
    tern_kernel *kernel = tern_compile(module, kernel_name, signature, NULL);
    CHECK_STR(kernel ? "" : tern_message(s->context), "");
    if (!kernel) return;
    tern_argument arguments[] = {tern_arg_buffer(s->x),  tern_arg_buffer(s->y),
                                 tern_arg_buffer(s->at), tern_arg_int(s->first),
                                 tern_arg_int(STRIDE),   tern_arg_int(COLUMNS)};
    uint32_t programs = strcmp(kernel_name, "rows") ? 1 : ROWS;
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){programs, 1, 1}, arguments, 6);
    CHECK_STR(status ? tern_message(s->context) : "", "");
    want(kernel_name, x, y);
    int wrong = differing(s, y);
    if (wrong)
        printf("%s of %d bytes, row %lld: %d are wrong\n", kernel_name, s->bytes,
               (long long)s->first, wrong);
    CHECK(!wrong);
    tern_kernel_free(kernel);
}

static void check_device(const char *device, int bytes, int64_t first) {
    static const char *const names[] = {"rows", "walked", "atomics", "product"};
    tern_status status;
    tern_open_options open = {.device = device, .cache_dir = ""};
    Side s = {.context = tern_open(&open, &status, NULL, 0), .bytes = bytes, .first = first};
    if (!s.context) {
        CHECK(!strcmp(device, "cpu") || !strcmp(device, "cuda"));
        SKIP("neither a C compiler nor a GPU");
        return;
    }
    size_t size = (size_t)bytes * STRIDE * (size_t)(first + ROWS + 1);
    s.x = reserved(s.context, device, size), s.y = reserved(s.context, device, size);
    s.at = tern_alloc(s.context, sizeof(int64_t) * TURN);
    tern_module *module = tern_load_text(s.context, source, sizeof source - 1, "far.py");
    CHECK_STR(module ? "" : tern_message(s.context), "");
    if (!s.x || !s.y) SKIP("so much memory cannot be reserved");
    for (int i = 0; module && s.x && s.y && i < (bytes == 1 ? 2 : 4); i++)
        check(&s, module, names[i]);
    release(s.x, device), release(s.y, device);
    tern_buffer_free(s.at);
    tern_module_free(module);
    tern_close(s.context);
}

TEST(cpu_bytes_behind_2_31) { check_device("cpu", 1, 32767); }
TEST(cpu_bytes_behind_2_32) { check_device("cpu", 1, 65535); }
TEST(cpu_floats_behind_2_31) { check_device("cpu", 4, 32767); }
TEST(gpu_bytes_behind_2_31) { check_device("cuda", 1, 32767); }
TEST(gpu_bytes_behind_2_32) { check_device("cuda", 1, 65535); }
TEST(gpu_floats_behind_2_31) { check_device("cuda", 4, 32767); }

TEST_MAIN()
