/* SPDX-License-Identifier: Apache-2.0 */
/* How the time of a matrix product grows with its size: flat while launching dominates, then with
 * the cube. From 64 to 1024; LAB_LARGEST=16384 goes further, for GPUs.
 *
 *     build/examples/lab/matmul [FOLDER] */
#include "lab.h"

enum { BLOCK = 64 };

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def matmul(a, b, c, n, BLOCK: tl.constexpr, DEPTH: tl.constexpr):\n"
                             "    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    k = tl.arange(0, DEPTH)\n"
                             "    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)\n"
                             "    for at in range(0, n, DEPTH):\n"
                             "        x = tl.load(a + row[:, None] * n + (at + k)[None, :])\n"
                             "        y = tl.load(b + (at + k)[:, None] * n + column[None, :])\n"
                             "        total += tl.dot(x, y)\n"
                             "    tl.store(c + row[:, None] * n + column[None, :], total)\n";

int main(int argc, char **argv) {
    static const char *const x[] = {"n"}, *const lines[] = {"matmul fp32"};
    const char *largest = getenv("LAB_LARGEST");
    int most = largest ? atoi(largest) : 1024;
    tern_context *context = lab_open();
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "matmul.py");
    lab_need(context, module != NULL);
    tern_kernel *kernel =
        tern_compile(module, "matmul", "*fp32:16,*fp32:16,*fp32:16,i32:16,64,32", NULL);
    lab_need(context, kernel != NULL);
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "matmul",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 1,
                                                                .y_label = "ms",
                                                                .x_log = true,
                                                                .y_log = true});
    for (int n = BLOCK; n <= most && n <= 16384; n *= 2) {
        size_t count = (size_t)n * (size_t)n;
        tern_buffer *a = lab_floats(context, count), *b = lab_floats(context, count),
                    *c = tern_alloc(context, count * 4);
        lab_need(context, c != NULL);
        LabLaunch launch = {
            kernel,
            {(uint32_t)(n / BLOCK), (uint32_t)(n / BLOCK), 1},
            {tern_arg_buffer(a), tern_arg_buffer(b), tern_arg_buffer(c), tern_arg_int(n)},
            4};
        tern_timing timing;
        tern_bench_options options = {.hot = true, .min_time_ms = 50, .max_time_ms = 2000};
        lab_need(context, tern_bench(context, lab_launch, &launch, &options, &timing) == TERN_OK);
        tern_point point = lab_point(n, 0, &timing);
        tern_sweep_add(sweep, &point);
        tern_timing_free(&timing);
        tern_buffer_free(a), tern_buffer_free(b), tern_buffer_free(c);
    }
    tern_close(context);
    return lab_finish(sweep, argc, argv);
}
