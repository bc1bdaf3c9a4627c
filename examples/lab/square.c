/* SPDX-License-Identifier: Apache-2.0 */
/* Squaring three ways, as the first lecture does in PyTorch: x * x, x ** 2 by exp2 and log2, and a
 * row a program. What differs is how the work is cut and what is computed; memory sets the limit.
 *
 *     build/examples/lab/square [FOLDER] */
#include "lab.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def times(x, y, n, width, BLOCK: tl.constexpr):\n"
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    v = tl.load(x + i, mask=i < n)\n"
                             "    tl.store(y + i, v * v, mask=i < n)\n"
                             "@triton.jit\n"
                             "def power(x, y, n, width, BLOCK: tl.constexpr):\n"
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    v = tl.load(x + i, mask=i < n, other=1.0)\n"
                             "    tl.store(y + i, tl.exp2(2.0 * tl.log2(v)), mask=i < n)\n"
                             "@triton.jit\n"
                             "def row(x, y, n, width, BLOCK: tl.constexpr):\n"
                             "    i = tl.arange(0, BLOCK)\n"
                             "    start = tl.program_id(0) * width\n"
                             "    v = tl.load(x + start + i, mask=i < width)\n"
                             "    tl.store(y + start + i, v * v, mask=i < width)\n";

enum { ROWS = 1823 };

int main(int argc, char **argv) {
    static const char *const x[] = {"columns"}, *const names[] = {"times", "power", "row"},
                             *const lines[] = {"x * x", "exp2(2 log2 x)", "a row a program"};
    tern_context *context = lab_open();
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "square.py");
    lab_need(context, module != NULL);
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "square",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 3,
                                                                .y_label = "GB/s",
                                                                .x_log = true});
    for (int width = 128; width <= 2048; width *= 2) {
        size_t count = (size_t)ROWS * (size_t)width;
        tern_buffer *from = lab_floats(context, count), *to = tern_alloc(context, count * 4);
        lab_need(context, to != NULL);
        for (int i = 0; i < 3; i++) {
            char signature[64];
            int block = i == 2 ? width : 1024;
            snprintf(signature, sizeof signature, "*fp32:16,*fp32:16,i32,i32:16,%d", block);
            tern_kernel *kernel = tern_compile(module, names[i], signature, NULL);
            lab_need(context, kernel != NULL);
            uint32_t programs = i == 2 ? ROWS : (uint32_t)((count + 1023) / 1024);
            LabLaunch launch = {kernel,
                                {programs, 1, 1},
                                {tern_arg_buffer(from), tern_arg_buffer(to),
                                 tern_arg_int((int64_t)count), tern_arg_int(width)},
                                4};
            tern_timing timing;
            tern_work work;
            tern_bench_options options = {.hot = true, .min_time_ms = 50, .max_time_ms = 2000};
            lab_need(context,
                     tern_bench(context, lab_launch, &launch, &options, &timing) == TERN_OK);
            lab_need(context,
                     tern_kernel_work(kernel, launch.grid, launch.arguments, 4, &work) == TERN_OK);
            double amount = (double)work.bytes * 1e-6; /* bytes per ms are 1e-6 GB/s */
            tern_sweep_add(sweep, &(tern_point){.x = {width},
                                                .line = i,
                                                .y = amount / timing.median,
                                                .y_min = amount / timing.q80,
                                                .y_max = amount / timing.q20,
                                                .timing = &timing});
            tern_timing_free(&timing);
            tern_kernel_free(kernel);
        }
        tern_buffer_free(from), tern_buffer_free(to);
    }
    tern_close(context);
    return lab_finish(sweep, argc, argv);
}
