// SPDX-License-Identifier: Apache-2.0
/* What one thread of a block does alone (opt/spread_one.c): loops, conditions and values of all
 * threads that its arm reads and writes, for each thread in turn and along each axis; against a
 * loop of the threads, here. */
#include "tern.h"
#include "test.h"

enum { X = 8, Y = 4, Z = 2, THREADS = X * Y * Z, OUT = THREADS * 4 + 8 };

#define KERNEL(condition)                                                                          \
    "extern \"C\" __global__ void k(int *out, const int *in, int n) {\n"                           \
    "    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;\n"                                 \
    "    int t = x + 8 * (y + 4 * z);\n"                                                           \
    "    int v = in[t], w = t * 3 + n, keep = v + 1, last = 0;\n"                                  \
    "    bool odd = v % 2 == 1, near = x > 3, far = y >= 2;\n"                                     \
    "    float half = v * 0.5f;\n"                                                                 \
    "    if (" condition ") {\n"                                                                   \
    "        out[256] = odd ? v : w;\n"                                                            \
    "        out[257] = near ? 10 : 20;\n"                                                         \
    "        out[258] = (far ? 1 : 2) + x * 100 + y * 10 + z;\n"                                   \
    "        int sum = 0;\n"                                                                       \
    "        for (int i = 0; i < v; i++) {\n"                                                      \
    "            if (i == 2) continue;\n"                                                          \
    "            sum += in[i] * keep;\n"                                                           \
    "        }\n"                                                                                  \
    "        out[259] = sum;\n"                                                                    \
    "        out[260] = (int)(half * 4.0f);\n"                                                     \
    "        if (near != far) last = v; else last = -w;\n"                                         \
    "        keep = w - v;\n"                                                                      \
    "        w = keep * 2;\n"                                                                      \
    "        odd = !odd;\n"                                                                        \
    "        half += 1.0f;\n"                                                                      \
    "    }\n"                                                                                      \
    "    out[4 * t] = v * 1000 + w;\n"                                                             \
    "    out[4 * t + 1] = keep;\n"                                                                 \
    "    out[4 * t + 2] = last * 2 + odd;\n"                                                       \
    "    out[4 * t + 3] = (int)(half * 2.0f) + (near ? 64 : 0) + (far ? 128 : 0);\n"               \
    "}\n"

static void thread(int *out, const int *in, int n, int x, int y, int z, bool is_one) {
    int t = x + X * (y + Y * z), v = in[t], w = t * 3 + n, keep = v + 1, last = 0, twice = v;
    bool odd = v % 2 == 1, near = x > 3, far = y >= 2;
    if (is_one) {
        int sum = 0;
        for (int i = 0; i < v; i++) sum += i == 2 ? 0 : in[i] * keep;
        out[256] = odd ? v : w;
        out[257] = near ? 10 : 20;
        out[258] = (far ? 1 : 2) + x * 100 + y * 10 + z;
        out[259] = sum;
        out[260] = 2 * v;
        last = near != far ? v : -w;
        keep = w - v;
        w = keep * 2;
        odd = !odd;
        twice += 2;
    }
    out[4 * t] = v * 1000 + w;
    out[4 * t + 1] = keep;
    out[4 * t + 2] = last * 2 + odd;
    out[4 * t + 3] = twice + (near ? 64 : 0) + (far ? 128 : 0);
}

static bool is_one(int axis, int n, int x, int y, int z) {
    return axis == 0 ? x == n : axis == 1 ? y == n : z == n;
}

/* A block with more than one thread along `axis` alone. */
static void check_axis(tern_context *context, const char *text, int axis) {
    int size[] = {axis == 0 ? X : 1, axis == 1 ? Y : 1, axis == 2 ? Z : 1}, in[THREADS];
    for (int t = 0; t < THREADS; t++) in[t] = (t * 7 + 3) % 11;
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cu");
    tern_options options = {.block = {size[0], size[1], size[2]}, .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, "k", NULL, &options) : NULL;
    CHECK(kernel && strstr(tern_kernel_text(kernel, TERN_STAGE_TIMES), "front end "));
    if (!kernel) printf("%s\n", tern_message(context));
    for (int n = -1; kernel && n <= size[axis]; n++) {
        int out[OUT] = {0}, want[OUT] = {0};
        tern_buffer *to = tern_alloc(context, sizeof out), *from = tern_alloc(context, sizeof in);
        tern_write(to, 0, out, sizeof out), tern_write(from, 0, in, sizeof in);
        tern_argument arguments[] = {tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_int(n)};
        tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 3);
        if (status) printf("%s\n", tern_message(context));
        CHECK(status == TERN_OK && tern_read(to, 0, out, sizeof out) == TERN_OK);
        for (int z = 0; z < size[2]; z++)
            for (int y = 0; y < size[1]; y++)
                for (int x = 0; x < size[0]; x++)
                    thread(want, in, n, x, y, z, is_one(axis, n, x, y, z));
        bool same = !memcmp(out, want, sizeof out);
        CHECK(same);
        for (int i = 0; !same && i < OUT; i++)
            if (out[i] != want[i]) printf("n = %d: out[%d] is %d, not %d\n", n, i, out[i], want[i]);
        tern_buffer_free(to), tern_buffer_free(from);
    }
    tern_kernel_free(kernel);
}

TEST(one_thread_alone) {
    static const char *const texts[] = {KERNEL("x == n"), KERNEL("y == n"), KERNEL("n == z")};
    static const char *const devices[] = {"interp", "cpu", "sim"};
    for (int d = 0; d < 3; d++) {
        tern_context *context =
            tern_open(&(tern_open_options){.device = devices[d]}, NULL, NULL, 0);
        for (int axis = 0; axis < 3; axis++) check_axis(context, texts[axis], axis);
        tern_close(context);
    }
}

TEST_MAIN()
