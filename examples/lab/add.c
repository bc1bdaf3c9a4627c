/* SPDX-License-Identifier: Apache-2.0 */
/* a + b at 2048 x 2048 three ways: the lecture's benchmark() (wall clock, caches as they are),
 * Triton's do_bench (events, cold caches) and tern_bench, which also says what speaks against its
 * result.
 *
 *     build/examples/lab/add [FOLDER] */
#include "lab.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def add(a, b, c, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)\n";

int main(int argc, char **argv) {
    static const char *const x[] = {"dim"}, *const lines[] = {"benchmark()", "do_bench",
                                                              "tern_bench"};
    tern_context *context = lab_open();
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "add.py");
    lab_need(context, module != NULL);
    tern_kernel *kernel =
        tern_compile(module, "add", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024", NULL);
    lab_need(context, kernel != NULL);
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "add",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 3,
                                                                .y_label = "ms",
                                                                .x_log = true});
    for (int dim = 512; dim <= 2048; dim *= 2) {
        size_t count = (size_t)dim * (size_t)dim;
        tern_buffer *a = lab_floats(context, count), *b = lab_floats(context, count),
                    *c = tern_alloc(context, count * 4);
        lab_need(context, c != NULL);
        LabLaunch launch = {kernel,
                            {(uint32_t)(count / 1024), 1, 1},
                            {tern_arg_buffer(a), tern_arg_buffer(b), tern_arg_buffer(c),
                             tern_arg_int((int64_t)count)},
                            4};
        double mean, quantiles[3];
        static const double wanted[3] = {0.5, 0.2, 0.8};
        tern_timing timing;
        tern_bench_options options = {.max_time_ms = 2000};
        lab_need(context, tern_benchmark(context, lab_launch, &launch, 1, 3, &mean) == TERN_OK);
        lab_need(context, tern_do_bench(context, lab_launch, &launch, 0, 0, wanted, 3, TERN_MEDIAN,
                                        quantiles) == TERN_OK);
        lab_need(context, tern_bench(context, lab_launch, &launch, &options, &timing) == TERN_OK);
        tern_sweep_add(sweep,
                       &(tern_point){.x = {dim}, .line = 0, .y = mean, .y_min = NAN, .y_max = NAN});
        tern_sweep_add(sweep, &(tern_point){.x = {dim},
                                            .line = 1,
                                            .y = quantiles[0],
                                            .y_min = quantiles[1],
                                            .y_max = quantiles[2]});
        tern_point point = lab_point(dim, 2, &timing);
        tern_sweep_add(sweep, &point);
        for (unsigned bit = 1; bit; bit <<= 1)
            if (timing.trust & bit && tern_trust_words(bit))
                printf("dim %d: %s\n", dim, tern_trust_words(bit));
        tern_timing_free(&timing);
        tern_buffer_free(a), tern_buffer_free(b), tern_buffer_free(c);
    }
    tern_close(context);
    return lab_finish(sweep, argc, argv);
}
